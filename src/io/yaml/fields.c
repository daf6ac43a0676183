// Reading the fields of a definition by its table, see fields.h.
#include "io/yaml/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml/foreign.h"

void br_yaml_expect_def(yaml_reader *r, const yaml_node *node, const char *what, const br_def *def) {
    const char *keys[BR_MAX_FIELDS];
    br_def_keys(def, 0, keys);
    br_yaml_expect_keys(r, node, what, keys);
}

const yaml_node *br_yaml_field_entry(yaml_reader *r, const yaml_node *node, const char *what,
                                     const br_def *def, const char *key) {
    enum { MOST = 4 }; // words for one thing
    const char *names[MOST] = {key, NULL, NULL, NULL};
    int count = 1, which = 0;
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++)
        if (f->type == BR_FIELD_ALIAS && strcmp(f->same, key) == 0 && count < MOST - 1)
            names[count++] = f->key;
    return br_yaml_one_of(r, node, what, names, &which);
}

// ----------------------------------------------------------------------------------------------- word(argument)

// viscous(1 mm/s), polygon($n): an argument that is a quantity becomes its number.
static const char *with_number(yaml_reader *r, const yaml_node *node, const br_word_call *form) {
    const char *text = node->text + strlen(form->word) + 1;
    const size_t length = strlen(text);
    if (form->dimension == BR_DIM_ANY || length < 2 || text[length - 1] != ')') return node->text;
    yaml_node inner = *node;
    char *argument = BR_TAKE(r->arena, char, length), *out = BR_TAKE(r->arena, char, BR_MAX_NAME), number[40];
    if (!argument || !out) {
        br_yaml_no_memory(r);
        return NULL;
    }
    memcpy(argument, text, length - 1);
    inner.text = argument;
    inner.count = (int)length - 1;
    double x = 0.0;
    br_yaml_number(r, &inner, (br_dimension)form->dimension, 0, &x);
    for (int digits = 15; digits <= 17; digits++) { // as few as say the same number
        snprintf(number, sizeof number, "%.*g", digits, x);
        if (strtod(number, NULL) == x) break;
    }
    snprintf(out, BR_MAX_NAME, "%.20s(%s)", form->word, number);
    return out;
}

// WORD or WORD(ARGUMENT). Kept as text; the builder judges the argument.
static void read_call(yaml_reader *r, const yaml_node *node, const br_word_call *calls, const char **out) {
    const char *text = NULL;
    br_yaml_text(r, node, &text);
    if (!text) return;
    const char *words[8];
    char list[160], hint[YAML_HINT], shown[YAML_SHOWN], word[BR_MAX_NAME];
    const size_t length = strcspn(text, "(");
    size_t n = 0;
    int k = 0;
    for (; calls[k].word; k++) {
        const char *argument = calls[k].argument;
        words[k] = calls[k].word;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s%s%s%s", k ? ", " : "", words[k],
                              argument ? "(" : "", argument ? argument : "", argument ? ")" : "");
        if (strlen(words[k]) != length || strncmp(text, words[k], length) != 0) continue;
        if (text[length] != (argument ? '(' : '\0')) continue;
        *out = argument ? with_number(r, node, &calls[k]) : text;
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), text);
    br_yaml_hint(word, words, k, hint);
    if (!hint[0]) br_io_foreign_value(word, words, k, hint, sizeof hint);
    for (int i = 0; i < k; i++) { // the word is right, and what follows it is not
        if (strcmp(word, words[i]) != 0) continue;
        if (calls[i].argument)
            snprintf(hint, sizeof hint, "; write %.40s(%.40s)", words[i], calls[i].argument);
        else
            snprintf(hint, sizeof hint, "; %.40s takes no argument", words[i]);
    }
    br_yaml_fault(r, node, "yaml-word", "%s is '%s', expected one of %s%s", node->key->text,
                  br_yaml_show(text, strlen(text), shown), list, hint);
}

// ---------------------------------------------------------------------------------------------------- one field

static br_dimension dimension_of(const br_def_field *f, unsigned kinds) {
    if (f->flags & kinds & BR_FIELD_TURNS) return br_dimension_turned(f->dimension);
    return f->flags & kinds & BR_FIELD_LINEAR ? BR_DIM_ANY : f->dimension;
}

static void read_word(yaml_reader *r, const yaml_node *node, const br_def_field *f, void *value) {
    int which = -1;
    br_yaml_word(r, node, f->words, &which);
    if (r->status != BR_OK || which < 0) return;
    if (f->type == BR_FIELD_WORD)
        *(const char **)value = f->words[which];
    else
        *(int *)value = which + f->base;
}

static void read_group(yaml_reader *r, const yaml_node *node, const br_def_field *f, unsigned kinds,
                       void *value) {
    if (r->status != BR_OK || !node) return;
    br_yaml_expect_def(r, node, f->def->name, f->def);
    br_yaml_read_fields(r, node, f->def->name, f->def, kinds, value);
}

static void read_field(yaml_reader *r, const yaml_node *node, const br_def_field *f, unsigned kinds,
                       void *value) {
    const unsigned infinite = f->flags & BR_FIELD_INFINITE ? BR_QUANTITY_INFINITE : 0;
    const br_dimension dimension = dimension_of(f, kinds);
    switch (f->type) {
    case BR_FIELD_NUMBER:
        if (f->count > 0)
            br_yaml_numbers(r, node, dimension, infinite, f->count, (double *)value);
        else
            br_yaml_number(r, node, dimension, infinite, (double *)value);
        return;
    case BR_FIELD_WHOLE:
        br_yaml_whole(r, node, (int)f->low, f->high > 0.0 ? (int)f->high : 1000000000, (int *)value);
        return;
    case BR_FIELD_BOOL:
        br_yaml_bool(r, node, (int *)value);
        return;
    case BR_FIELD_CHOICE:
    case BR_FIELD_WORD:
        read_word(r, node, f, value);
        return;
    case BR_FIELD_CALL:
        read_call(r, node, f->calls, (const char **)value);
        return;
    case BR_FIELD_TEXT:
        br_yaml_text(r, node, (const char **)value);
        return;
    case BR_FIELD_VECTOR:
        br_yaml_vec3(r, node, dimension, (br_vec3 *)value);
        return;
    case BR_FIELD_DIRECTION:
        br_yaml_direction(r, node, (br_vec3 *)value);
        return;
    case BR_FIELD_FUNCTION:
        br_yaml_function(r, node, dimension, (br_function_def *)value);
        return;
    case BR_FIELD_GROUP:
    case BR_FIELD_STRUCT:
        read_group(r, node, f, kinds, value);
        return;
    default:
        return;
    }
}

void br_yaml_read_fields(yaml_reader *r, const yaml_node *node, const char *what, const br_def *def,
                         unsigned kinds, void *object) {
    for (const br_def_field *f = def->field; node && r->status == BR_OK && f < def->field + def->fields;
         f++) {
        if (!f->key || f->type == BR_FIELD_ALIAS || f->flags & BR_FIELD_READ_BY_CODE) continue;
        const yaml_node *entry = br_yaml_field_entry(r, node, what, def, f->key);
        if (!entry && f->flags & BR_FIELD_NEEDED && f->example)
            br_yaml_need(r, node, what, f->key, f->example);
        if (entry) read_field(r, entry, f, kinds, (char *)object + f->offset);
    }
}
