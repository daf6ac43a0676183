// Parameters: a list of names and texts, evaluated once in the order that their references ask for.
#include "io/yaml/quantity_params.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

enum { MAX_PARAMS = 100000, MAX_VALUE_TEXT = 80 };

br_params br_params_begin(br_arena *arena) {
    const br_params r = {NULL, 0, 0, NULL, arena, 0};
    return r;
}

// Where the name is, or where it would go.
static size_t place(const br_params *params, const char *name) {
    const size_t size = 2 * (size_t)params->capacity;
    size_t at = (size_t)(br_hash_bytes(BR_HASH_START, name, strlen(name)) % size);
    while (params->slot[at] > 0 && strcmp(params->entry[params->slot[at] - 1].name, name) != 0)
        at = (at + 1) % size;
    return at;
}

int br_params_find(const br_params *params, const char *name) {
    return params && params->count > 0 ? params->slot[place(params, name)] - 1 : -1;
}

double br_params_value(const br_params *params, int index) {
    return params->entry[index].term.value;
}

static const char *copy(br_arena *arena, const char *text) {
    const size_t n = strlen(text) + 1;
    char *r = BR_TAKE(arena, char, n);
    return r ? memcpy(r, text, n) : NULL;
}

static int grow(br_params *params) {
    if (params->count < params->capacity) return 1;
    const int capacity = params->capacity ? 2 * params->capacity : 16;
    struct br_param *entry = BR_TAKE(params->arena, struct br_param, capacity);
    int *slot = BR_TAKE(params->arena, int, 2 * capacity);
    if (!entry || !slot) return 0;
    if (params->count > 0) memcpy(entry, params->entry, (size_t)params->count * sizeof *entry);
    params->entry = entry;
    params->capacity = capacity;
    params->slot = slot;
    for (int k = 0; k < params->count; k++) slot[place(params, entry[k].name)] = k + 1;
    return 1;
}

static int good_name(const char *name) {
    size_t n = 0;
    while (br_parser_is_word(name[n])) n++;
    return n > 0 && name[n] == '\0' && n < BR_MAX_NAME && !isdigit((unsigned char)name[0]);
}

br_status br_params_add(br_params *params, const char *name, const char *text, br_error *error) {
    if (!good_name(name))
        return br_fail(error, BR_INVALID, "param-name",
                       "'%.64s' cannot name a parameter: a letter, then letters, digits and _, at most %d",
                       name, BR_MAX_NAME - 1);
    if (br_params_find(params, name) >= 0)
        return br_fail(error, BR_INVALID, "param-repeated", "the parameter '%s' is given twice", name);
    if (params->count >= MAX_PARAMS)
        return br_fail(error, BR_TOO_LARGE, "param-name", "more than %d parameters", MAX_PARAMS);
    const char *own_name = copy(params->arena, name), *own_text = copy(params->arena, text);
    if (!own_name || !own_text || !grow(params))
        return br_no_memory(error, "not enough memory for parameters");
    params->slot[place(params, own_name)] = params->count + 1;
    struct br_param *p = &params->entry[params->count++];
    memset(p, 0, sizeof *p);
    p->name = own_name;
    p->text = own_text;
    return BR_OK;
}

br_status br_params_set(br_params *params, const char *name, const char *text, br_error *error) {
    const int k = br_params_find(params, name);
    if (k < 0) {
        const char *words[BR_MAX_SUGGESTED_PARAMS];
        br_expression_names names;
        memset(&names, 0, sizeof names);
        br_params_names(params, words, &names);
        const char *near = br_nearest_word(name, words, (size_t)names.param_count);
        if (near)
            return br_fail(error, BR_INVALID, "param-unknown",
                           "there is no parameter '%.64s'; did you mean '%s'?", name, near);
        return br_fail(error, BR_INVALID, "param-unknown",
                       "there is no parameter '%.64s' in the model's params", name);
    }
    const char *own = copy(params->arena, text);
    if (!own) return br_no_memory(error, "not enough memory for parameters");
    params->entry[k].text = own;
    params->resolved = 0;
    return BR_OK;
}

// --- looking up --------------------------------------------------------------------------------------------

static int look_up(void *context, const char *name, br_term *out) {
    const br_params *params = context;
    const int k = br_params_find(params, name);
    if (k < 0 || params->entry[k].state != 2) return 0;
    *out = params->entry[k].term;
    return 1;
}

void br_params_names(const br_params *params, const char *words[BR_MAX_SUGGESTED_PARAMS],
                     br_expression_names *names) {
    if (!params) return;
    int count = 0;
    for (int k = 0; k < params->count && count < BR_MAX_SUGGESTED_PARAMS; k++)
        words[count++] = params->entry[k].name;
    names->param = look_up;
    names->param_context = (void *)(uintptr_t)params; // only read
    names->param_names = words;
    names->param_count = count;
}

// The next $name at or after *at: copies the name, moves *at behind it and *begin to the $. 0: there is none.
static int next_reference(const char **at, const char **begin, char name[BR_MAX_NAME]) {
    for (const char *c = strchr(*at, '$'); c; c = strchr(c + 1, '$')) {
        const int braces = c[1] == '{';
        const char *word = c + 1 + braces;
        size_t n = 0;
        while (br_parser_is_word(word[n])) n++;
        if (n == 0 || n >= BR_MAX_NAME || (braces && word[n] != '}')) continue;
        memcpy(name, word, n);
        name[n] = '\0';
        *begin = c;
        *at = word + n + braces;
        return 1;
    }
    return 0;
}

// --- resolving ---------------------------------------------------------------------------------------------

// "a -> b -> a", as much as fits.
static br_status cycle(const br_params *params, int from, int to, br_error *error) {
    char path[256];
    int order[16], count = 0, more = 0;
    for (int k = from;; k = params->entry[k].via) {
        if (count < 16)
            order[count++] = k;
        else
            more = 1;
        if (k == to) break;
    }
    size_t used =
        (size_t)snprintf(path, sizeof path, "%.32s%s", params->entry[to].name, more ? " -> ..." : "");
    for (int k = count - 1; k >= 0 && used < sizeof path - 40; k--)
        if (order[k] != to)
            used +=
                (size_t)snprintf(path + used, sizeof path - used, " -> %.32s", params->entry[order[k]].name);
    snprintf(path + used, sizeof path - used, " -> %.32s", params->entry[to].name);
    return br_fail_at(error, BR_INVALID, "param-cycle", NULL, 0, 1, "the parameter '%s' needs itself: %s",
                      params->entry[to].name, path);
}

static br_status params_evaluate(br_params *params, int k, br_error *error) {
    const char *words[BR_MAX_SUGGESTED_PARAMS];
    br_expression_names names;
    br_expression e;
    memset(&names, 0, sizeof names);
    br_params_names(params, words, &names);
    struct br_param *p = &params->entry[k];
    double ignored;
    names.constant_only = names.allow_infinite = 1;
    // For what it says of words and empty texts.
    const br_status status =
        br_quantity_parse(p->text, params, BR_DIM_ANY, BR_QUANTITY_INFINITE, &ignored, error);
    if (status != BR_OK) return status;
    br_expression_parse(p->text, &names, NULL, &e, NULL);
    p->term = e.term;
    p->state = 2;
    return BR_OK;
}

// Depth first without recursion, since a hostile chain may be as long as the file: `via` is the stack.
static br_status resolve_one(br_params *params, int first, int *at, br_error *error) {
    int k = first;
    params->entry[k].state = 1;
    params->entry[k].via = -1;
    while (k >= 0) {
        struct br_param *p = &params->entry[k];
        const char *c = p->text + p->read, *begin;
        char name[BR_MAX_NAME];
        int waits_for = -1;
        while (waits_for < 0 && next_reference(&c, &begin, name)) {
            const int other = br_params_find(params, name);
            if (other >= 0 && params->entry[other].state != 2) waits_for = other;
            p->read = (size_t)(c - p->text);
        }
        if (waits_for < 0) {
            if (at) *at = k;
            const br_status status = params_evaluate(params, k, error);
            if (status != BR_OK) return status;
            k = p->via;
        } else if (params->entry[waits_for].state == 1) {
            if (at) *at = k;
            return cycle(params, k, waits_for, error);
        } else {
            params->entry[waits_for].state = 1;
            params->entry[waits_for].via = k;
            k = waits_for;
        }
    }
    return BR_OK;
}

br_status br_params_resolve(br_params *params, int *at, br_error *error) {
    int fault = 0;
    for (int k = 0; k < params->count; k++) {
        params->entry[k].state = 0;
        params->entry[k].read = 0;
    }
    for (int k = 0; k < params->count; k++) {
        if (params->entry[k].state == 2) continue;
        const br_status status = resolve_one(params, k, &fault, error);
        if (status == BR_OK) continue;
        if (at) *at = fault;
        return status;
    }
    params->resolved = 1;
    return BR_OK;
}

// --- substituting ------------------------------------------------------------------------------------------

// In SI, so that units inside an expression still check: (0.005 m), (0.3).
static int value_text(const br_term *x, char out[MAX_VALUE_TEXT]) {
    int n = snprintf(out, MAX_VALUE_TEXT, "(%.17g", x->value);
    for (int k = 0; k < n; k++)
        if (out[k] == ',') out[k] = '.'; // a decimal comma of the calling program's language
    const br_exponents e = x->dim;
    const struct {
        const char *name;
        int power;
    } parts[4] = {{"m", e.m}, {"kg", e.kg}, {"s", e.s}, {"rad", e.rad}};
    for (int k = 0; x->has_unit && !x->loose && k < 4; k++)
        if (parts[k].power >= -9 && parts[k].power <= 9 && parts[k].power != 0)
            n += snprintf(out + n, (size_t)(MAX_VALUE_TEXT - n), " %s^%d", parts[k].name, parts[k].power);
    n += snprintf(out + n, (size_t)(MAX_VALUE_TEXT - n), ")");
    return n;
}

br_status br_params_substitute(const char *text, const br_params *params, br_arena *arena, const char **out,
                               br_error *error) {
    char name[BR_MAX_NAME], value[MAX_VALUE_TEXT];
    const char *at = text, *begin;
    size_t references = 0;
    while (next_reference(&at, &begin, name)) references++;
    char *r = BR_TAKE(arena, char, strlen(text) + references * MAX_VALUE_TEXT + 1);
    if (!r) return br_no_memory(error, "not enough memory for parameters");
    size_t n = 0;
    const char *from = text;
    at = text;
    while (next_reference(&at, &begin, name)) {
        const int k = br_params_find(params, name);
        if (k < 0) continue; // parsing has refused it
        memcpy(r + n, from, (size_t)(begin - from));
        n += (size_t)(begin - from);
        const int length = value_text(&params->entry[k].term, value);
        memcpy(r + n, value, (size_t)length);
        n += (size_t)length;
        from = at;
    }
    strcpy(r + n, from);
    if (n + strlen(from) > BR_MAX_EXPRESSION)
        return br_fail(error, BR_TOO_LARGE, "expression-too-long",
                       "with its parameters written out an expression has more than %d characters",
                       BR_MAX_EXPRESSION);
    *out = r;
    return BR_OK;
}
