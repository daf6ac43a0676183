// `--set NAME=VALUE`: parameters and keys changed before the model is read, so that a changed value is judged exactly
// as a written one.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/yaml/model.h"
#include "io/yaml/override.h"

enum { MAX_NAMES = 256, MAX_LISTED = 240 }; // that a suggestion is looked for in; bytes of a list of names

static br_status override_no_memory(const io_model_source *source) {
    return br_no_memory(source->error, "not enough memory to read it");
}

static const char *source_name(const io_model_source *source, const char *name) {
    const size_t size = strlen(name) + sizeof "--set ";
    char *text = BR_TAKE(source->arena, char, size);
    if (text) snprintf(text, size, "--set %s", name);
    return text;
}

static void move_source(yaml_node *node, const char *source) { // places in a VALUE mean nothing to anybody
    node->source = source;
    node->line = node->column = 0;
    if (node->key) move_source(node->key, source);
    for (yaml_node *child = node->first; child; child = child->next) move_source(child, source);
}

// The value, which may be a list or a map, as YAML has it.
static br_status parse_value(const io_model_source *source, const br_override *o, const char *from,
                             yaml_node **out) {
    yaml_node *value = NULL;
    const br_status status =
        br_yaml_parse(o->value, strlen(o->value), from, source->arena, &value, source->error);
    if (status != BR_OK) return status;
    if (!value || yaml_is_empty(value))
        return br_fail_at(source->error, BR_INVALID, "set-empty", from, 0, 0,
                          "has no value; write --set NAME=VALUE");
    move_source(value, from);
    *out = value;
    return BR_OK;
}

// " (parameters: a, b)": what there is to choose from.
static void list_names(const yaml_node *map, const char *kind, char list[MAX_LISTED]) {
    size_t n = 0;
    for (const yaml_node *v = map && map->kind == YAML_MAP ? map->first : NULL; v; v = v->next) {
        char shown[YAML_SHOWN];
        br_yaml_show(v->key->text, (size_t)v->key->count, shown);
        if (n + strlen(shown) + 24 > MAX_LISTED) {
            n += (size_t)snprintf(list + n, MAX_LISTED - n, ", ...");
            break;
        }
        n += (size_t)snprintf(list + n, MAX_LISTED - n, "%s%s%s", n ? ", " : " (", !n && kind ? kind : "",
                              shown);
    }
    if (n > 0) snprintf(list + n, MAX_LISTED - n, ")");
}

// where: the map that was searched, or NULL for the whole model.
static br_status unknown(const io_model_source *source, const char *from, const char *name,
                         const yaml_node *map, const char *const *keys, const char *where) {
    const char *words[MAX_NAMES];
    int count = 0;
    char shown[YAML_SHOWN];
    for (; keys && keys[count] && count < MAX_NAMES / 2; count++) words[count] = keys[count];
    for (const yaml_node *v = map && map->kind == YAML_MAP ? map->first : NULL; v && count < MAX_NAMES;
         v = v->next)
        words[count++] = v->key->text;
    const char *near = br_nearest_word(name, words, (size_t)count);
    char list[MAX_LISTED] = "";
    if (!near) list_names(map, where ? NULL : "parameters: ", list);
    return br_fail_at(source->error, BR_INVALID, "set-unknown", from, 0, 0,
                      "there is no %s'%s'%s%.40s%s%.60s%s%s", where ? "" : "parameter or key ",
                      br_yaml_show(name, strlen(name), shown), where ? " in " : "", where ? where : "",
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

// Elements with names of the user's: a name that is not there cannot be made up.
static int has_user_names(const yaml_node *map) {
    static const char *const sections[] = {"params", "materials", "pairs",       "bodies",
                                           "joints", "loads",     "drives",      "frames",
                                           "beams",  "at",        "constraints", "clearances"};
    for (size_t k = 0; map->key && k < sizeof sections / sizeof sections[0]; k++)
        if (strcmp(map->key->text, sections[k]) == 0) return 1;
    return 0;
}

// Makes the rest of a path, `step` in `solver` that is not there, down to the value.
static br_status make_path(const io_model_source *source, yaml_node *at, const char *rest, const char *from,
                           yaml_node *value) {
    while (*rest) {
        const char *dot = strchr(rest, '.');
        const size_t length = dot ? (size_t)(dot - rest) : strlen(rest);
        char shown[YAML_SHOWN];
        br_yaml_show(rest, length, shown);
        if (yaml_is_empty(at)) at->kind = YAML_MAP; // `solver:` with nothing under it
        if (at->kind != YAML_MAP)
            return br_fail_at(source->error, BR_INVALID, "set-unknown", from, 0, 0,
                              "'%s' is not a map, so it has no '%s'", at->key ? at->key->text : "this",
                              shown);
        if (has_user_names(at) && !source->amends)
            return unknown(source, from, shown, at, NULL, at->key->text);
        yaml_node *key = br_yaml_new_scalar(source->arena, from, rest, length);
        yaml_node *child = dot ? br_yaml_new_map(source->arena, from) : value;
        if (!key || !child) return override_no_memory(source);
        br_yaml_append(at, key, child);
        at = child;
        rest += length + (dot ? 1 : 0);
    }
    return BR_OK;
}

static br_status apply(const io_model_source *source, const br_override *o, yaml_node *root,
                       const char *const *keys) {
    const char *from = source_name(source, o->name), *rest = NULL;
    yaml_node *value = NULL;
    if (!from) return override_no_memory(source);
    br_status status = parse_value(source, o, from, &value);
    if (status != BR_OK) return status;
    const yaml_node *params = br_yaml_find(root, "params"), *param = br_yaml_find(params, o->name);
    if (param) {
        br_yaml_replace((yaml_node *)param, value);
        return BR_OK;
    }
    char first[BR_MAX_NAME];
    const size_t length = strcspn(o->name, ".");
    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : sizeof first - 1), o->name);
    int known = 0;
    for (int k = 0; keys[k]; k++) known += strcmp(keys[k], first) == 0;
    if (known && root->kind != YAML_MAP) return BR_OK; // no model at all: for the reader to say
    if (!known) return unknown(source, from, first, params, keys, NULL);
    yaml_node *at = (yaml_node *)br_yaml_resolve(root, o->name, '.', &rest);
    if (*rest) return make_path(source, at, rest, from, value);
    br_yaml_replace(at, value);
    return BR_OK;
}

br_status br_yaml_apply_overrides(const io_model_source *source, yaml_node *root, const char *const *keys) {
    br_status status = BR_OK;
    for (int k = 0; k < source->override_count && status == BR_OK; k++)
        status = apply(source, source->overrides + k, root, keys);
    return status;
}
