// Faults with their places, keys that are allowed, names that exist.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "bristle/io.h"
#include "io/yaml/foreign.h"
#include "io/yaml/yaml.h"
#include "model/build/builder.h"
#include "model/build/station.h"

// -------------------------------------------------------------------------------------------------------- faults

void br_yaml_fault(yaml_reader *r, const yaml_node *node, const char *code, const char *format, ...) {
    if (r->status != BR_OK) return;
    char message[BR_MAX_ERROR_TEXT + 8];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    r->status = br_yaml_fail(node, r->error, BR_INVALID, code, "%s", message);
}

void br_yaml_no_memory(yaml_reader *r) {
    if (r->status != BR_OK) return;
    r->status =
        br_yaml_fail(r->root, r->error, BR_NO_MEMORY, "out-of-memory", "not enough memory to read it");
    r->error->line = r->error->column = 0;
}

// Fields of the builder whose keys in the file are other words.
static const struct {
    const char *field, *key;
} field_keys[] = {
    {"mu_static", "mu"},
    {"mu_static", "MU_STATIC"},
    {"mu_kinetic", "mu"},
    {"mu_kinetic", "MU_DYNAMIC"},
    {"torque", "force"},
    {"max_torque", "max_force"},
    {"stiffness", "servo"},
    {"damping", "servo"},
    {"pitch", "lead"},
    {"axis_2", "axes"},
    {"axis", "axes"},
    {"pin_radius", "PIN_RADIUS"},
    {"friction_arm", "FRICTION_ARM"},
    {"guide_length", "INITIAL_OVERLAP"},
    {"preload", "FRICTION_FORCE_PRELOAD"},
    {"v_slope", "STICTION_TRANSITION_VELOCITY"},
    {"from", "points"},
    {"to", "points"},
    {"0", "start"}, // attach/0
    {"1", "end"},
};

// bodies/shaft.s0.5, joints/shaft.attach_1, clearances/T.a: the beam or clearance that it was made of. NULL: none.
static const yaml_node *maker_of(const yaml_node *root, const char *path) {
    static const char *const groups[] = {"beams", "clearances"};
    const char *name = strchr(path, '/');
    const size_t length = name ? strcspn(name + 1, "./") : 0;
    char prefix[BR_MAX_NAME];
    if (length == 0 || length >= sizeof prefix || name[1 + length] != '.') return NULL;
    memcpy(prefix, name + 1, length);
    prefix[length] = '\0';
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        const yaml_node *maker = br_yaml_find(br_yaml_find(root, groups[k]), prefix);
        if (maker) return maker;
    }
    return NULL;
}

// The element of the file that a path of the builder means: the field, or the deepest thing above it that is there.
void br_yaml_locate_path(const yaml_node *root, br_error *error) {
    if (!root || !error || error->line > 0 || error->file[0]) return;
    const char *rest = NULL;
    const yaml_node *node = br_yaml_resolve(root, error->path, '/', &rest);
    const yaml_node *maker =
        *rest && (!node->parent || !node->parent->parent) ? maker_of(root, error->path) : NULL;
    if (maker) node = maker, rest = "";
    for (size_t k = 0; *rest && k < sizeof field_keys / sizeof field_keys[0]; k++) {
        if (strcmp(rest, field_keys[k].field) != 0 || !br_yaml_find(node, field_keys[k].key)) continue;
        node = br_yaml_find(node, field_keys[k].key);
        break;
    }
    br_yaml_locate(node, error);
}

void br_yaml_built(yaml_reader *r, br_status status) {
    if (r->status != BR_OK || status == BR_OK) return;
    r->status = status;
    br_yaml_locate_path(r->root, r->error);
}

const char *br_yaml_hint(const char *word, const char *const *words, int count, char out[YAML_HINT]) {
    const char *near = br_nearest_word(word, words, (size_t)count);
    out[0] = '\0';
    if (near) snprintf(out, YAML_HINT, "; did you mean '%.60s'?", near);
    return out;
}

const char *br_yaml_hint_key(const char *word, const yaml_node *map, char out[YAML_HINT]) {
    enum { MOST = 10000 }; // names looked at: a suggestion is not worth more
    const char *best = NULL;
    int looked = 0;
    for (const yaml_node *value = map && map->kind == YAML_MAP ? map->first : NULL; value && looked < MOST;
         value = value->next, looked++) {
        const char *pair[2] = {value->key->text, best};
        const char *near = br_nearest_word(word, pair, best ? 2 : 1);
        if (near) best = near;
    }
    return br_yaml_hint(word, &best, best ? 1 : 0, out);
}

const char *br_yaml_what(const char *kind, const yaml_node *element, char out[YAML_WHAT]) {
    char shown[YAML_SHOWN];
    snprintf(out, YAML_WHAT, "%s '%s'", kind,
             br_yaml_show(element->key->text, (size_t)element->key->count, shown));
    return out;
}

// ---------------------------------------------------------------------------------------------------------- keys

static int count_words(const char *const *words) {
    int count = 0;
    while (words[count]) count++;
    return count;
}

static const char *list_words(const char *const *words, char *out, size_t capacity) {
    size_t n = 0;
    out[0] = '\0';
    for (int k = 0; words[k] && n + strlen(words[k]) + 3 < capacity; k++)
        n += (size_t)snprintf(out + n, capacity - n, "%s%s", k ? ", " : "", words[k]);
    return out;
}

static int is_open(const yaml_node *node) { // a parenthesis left open
    int depth = 0;
    for (const char *p = node->text; *p; p++) depth += (*p == '(') - (*p == ')');
    return depth > 0;
}

// The value that a comma has cut so that its rest became this key: `{x: min(2, 3)}` is x: "min(2" and a key "3)".
static const yaml_node *cut_at_comma(const yaml_node *map, const yaml_node *value) {
    if (!map->flow || !yaml_is_empty(value) || value->key->quoted) return NULL;
    const yaml_node *before = NULL;
    for (const yaml_node *v = map->first; v != value; v = v->next) before = v;
    if (!before) return NULL;
    const int closes = strchr(value->key->text, ')') != NULL,
              number = isdigit((unsigned char)value->key->text[0]);
    return closes || number || (before->kind == YAML_SCALAR && is_open(before)) ? before : NULL;
}

// `{mass: 1,5 kg}`: what stands before the comma is a whole number, and digits follow.
static int is_decimal_comma(const yaml_node *before, const yaml_node *key) {
    const char *p = before->text;
    if (before->kind != YAML_SCALAR || before->quoted || !isdigit((unsigned char)key->text[0])) return 0;
    if (*p == '-' || *p == '+') p++;
    return *p != '\0' && strspn(p, "0123456789") == strlen(p);
}

static void unknown_key(yaml_reader *r, const yaml_node *map, const yaml_node *value, const char *what,
                        const char *const *keys) {
    char shown[YAML_SHOWN], number[YAML_SHOWN], hint[YAML_HINT], list[BR_MAX_ERROR_TEXT / 2 + 64];
    const char *key = value->key->text;
    br_yaml_show(key, (size_t)value->key->count, shown);
    const yaml_node *cut = cut_at_comma(map, value);
    if (cut && is_decimal_comma(cut, value->key)) {
        br_yaml_fault(
            r, value->key, "yaml-comma",
            "'%s' is not a key of %s; decimals are written with a point (%s.%s), and a value with a comma "
            "inside braces must be quoted",
            shown, what, br_yaml_show(cut->text, (size_t)cut->count, number), shown);
        return;
    }
    if (cut) {
        br_yaml_fault(r, value->key, "yaml-comma",
                      "'%s' is not a key of %s; a value with a comma inside braces must be quoted", shown,
                      what);
        return;
    }
    const char *instead = value->key->quoted ? NULL : br_io_foreign_key(key, keys);
    if (instead) {
        br_yaml_fault(r, value->key, "yaml-unknown-key", "'%s' is not a key of %s; write %s", shown, what,
                      instead);
        return;
    }
    br_yaml_hint(key, keys, count_words(keys), hint);
    br_yaml_fault(r, value->key, "yaml-unknown-key", "'%s' is not a key of %s%s (keys: %s)", shown, what,
                  hint, list_words(keys, list, sizeof list));
}

void br_yaml_expect_map(yaml_reader *r, const yaml_node *node, const char *what) {
    if (r->status != BR_OK || !node || node->kind == YAML_MAP) return;
    if (yaml_is_empty(node))
        br_yaml_fault(r, node, "yaml-empty", "%s is empty", what);
    else if (node->kind == YAML_LIST && br_yaml_find(node->first, "name")) {
        // As programs with lists of named elements have it.
        const yaml_node *name = br_yaml_find(node->first, "name");
        char shown[YAML_SHOWN];
        br_yaml_fault(
            r, node, "yaml-type", "%s is a list, expected a map: the name is the key, as in %s: {...}", what,
            name->kind == YAML_SCALAR ? br_yaml_show(name->text, (size_t)name->count, shown) : "NAME");
    } else
        br_yaml_fault(r, node, "yaml-type", "%s is a %s, expected a map (KEY: VALUE)", what,
                      node->kind == YAML_LIST ? "list" : "single value");
}

void br_yaml_expect_keys(yaml_reader *r, const yaml_node *node, const char *what, const char *const *keys) {
    br_yaml_expect_map(r, node, what);
    if (r->status != BR_OK || !node) return;
    for (const yaml_node *value = node->first; value && r->status == BR_OK; value = value->next) {
        int k = 0;
        while (keys[k] && strcmp(keys[k], value->key->text) != 0) k++;
        if (!keys[k]) unknown_key(r, node, value, what, keys);
    }
}

// [0, 0, 0,5]: one item too many, and a whole number with digits behind it.
static int has_decimal_comma(const yaml_node *list, int count) {
    for (const yaml_node *item = list->first; list->count > count && item && item->next; item = item->next)
        if (item->next->kind == YAML_SCALAR && !item->next->quoted && item->line == item->next->line &&
            item->next->column == item->column + item->count + 1 && is_decimal_comma(item, item->next))
            return 1;
    return 0;
}

// "mass", "position[1]", "force[1].table[2][0]": the field that a value belongs to. Nodes lie at most a few deep below it.
const char *br_yaml_field_name(const yaml_node *node, char out[YAML_SHOWN]) {
    enum { DEPTH = 4 };
    int index[DEPTH], depth = 0;
    const yaml_node *named = node;
    for (; !named->key && named->parent && depth < DEPTH; named = named->parent)
        index[depth++] = named->index;
    if (!named->key) return "this";
    char shown[YAML_SHOWN], owner[YAML_SHOWN] = "";
    if (strcmp(named->key->text, "table") == 0 && named->parent &&
        named->parent->parent) // of what is the question
        br_yaml_field_name(named->parent, owner);
    br_yaml_show(named->key->text, (size_t)named->key->count, shown);
    size_t n = (size_t)snprintf(out, YAML_SHOWN, "%.24s%s%.*s", owner, owner[0] ? "." : "",
                                depth > 0 || owner[0] ? 28 : YAML_SHOWN, shown);
    while (depth > 0 && n + 1 < YAML_SHOWN)
        n += (size_t)snprintf(out + n, YAML_SHOWN - n, "[%d]", index[--depth]);
    return out;
}

void br_yaml_expect_list(yaml_reader *r, const yaml_node *node, int count, const char *of) {
    if (r->status != BR_OK || !node) return;
    char name[YAML_SHOWN];
    const char *shown = br_yaml_field_name(node, name);
    if (node->kind != YAML_LIST && yaml_is_empty(node))
        br_yaml_fault(r, node, "yaml-empty", "%s has no value, expected a list of %s", shown, of);
    else if (node->kind != YAML_LIST && count >= 0)
        br_yaml_fault(r, node, "yaml-type", "%s is a %s, expected a list of %d %s", shown,
                      node->kind == YAML_MAP ? "map" : "single value", count, of);
    else if (node->kind != YAML_LIST)
        br_yaml_fault(r, node, "yaml-type", "%s is a %s, expected a list of %s", shown,
                      node->kind == YAML_MAP ? "map" : "single value", of);
    else if (count >= 0 && node->count != count)
        br_yaml_fault(r, node, "yaml-count", "%s has %d %s, expected %d%s", shown, node->count, of, count,
                      has_decimal_comma(node, count) ? "; decimals are written with a point" : "");
}

const yaml_node *br_yaml_need(yaml_reader *r, const yaml_node *map, const char *what, const char *key,
                              const char *example) {
    const yaml_node *value = br_yaml_find(map, key);
    if (!value)
        br_yaml_fault(r, map, "yaml-missing-key", "%s has no %s; write %s: %s", what, key, key, example);
    return value;
}

const yaml_node *br_yaml_one_of(yaml_reader *r, const yaml_node *map, const char *what,
                                const char *const *keys, int *which) {
    const yaml_node *found = NULL;
    for (int k = 0; keys[k]; k++) {
        const yaml_node *value = br_yaml_find(map, keys[k]);
        if (!value) continue;
        if (found)
            br_yaml_fault(r, value->key, "yaml-conflict", "%s has both %s and %s, expected one of them", what,
                          found->key->text, keys[k]);
        else
            *which = k, found = value;
    }
    return found;
}

// --------------------------------------------------------------------------------------------------------- names

static const yaml_node **slot(const yaml_index *index, const char *name) {
    size_t at = (size_t)br_hash_bytes(BR_HASH_START, name, strlen(name)) & (index->size - 1);
    while (index->table[at] && strcmp(index->table[at]->key->text, name) != 0)
        at = (at + 1) & (index->size - 1);
    return index->table + at;
}

yaml_index br_yaml_index_map(yaml_reader *r, const yaml_node *map) {
    yaml_index index = {NULL, 0, map};
    if (r->status != BR_OK || !map || map->kind != YAML_MAP) return index;
    size_t size = 16;
    while (size < 2 * (size_t)map->count) size *= 2;
    index.table = BR_TAKE(r->arena, const yaml_node *, size);
    if (!index.table) {
        br_yaml_no_memory(r);
        return index;
    }
    index.size = size;
    for (const yaml_node *value = map->first; value; value = value->next)
        *slot(&index, value->key->text) = value;
    return index;
}

const yaml_node *br_yaml_index_find(const yaml_index *index, const char *name) {
    return index->size ? *slot(index, name) : NULL;
}

int br_yaml_has_body(const yaml_reader *r, const char *name) {
    return br_yaml_index_find(&r->bodies, name) || br_names_find(&r->builder->body_names, name) >= 0;
}

// A name of the file that is near, else one that was imported.
static void hint_name(const char *name, const yaml_node *map, const br_names *imported,
                      char hint[YAML_HINT]) {
    br_yaml_hint_key(name, map, hint);
    const char *near = hint[0] ? NULL : br_names_nearest(imported, name);
    if (near) snprintf(hint, YAML_HINT, "; did you mean '%.60s'?", near);
}

// "; did you mean 'shaft.s1'?" where the name of a beam is nearly right.
static void hint_station(const yaml_reader *r, const char *name, char hint[YAML_HINT]) {
    const yaml_node *beams = br_yaml_find(r->root, "beams");
    const size_t length = strcspn(name, ".");
    char beam[BR_MAX_NAME], near[YAML_HINT];
    if (hint[0] || name[length] == '\0' || length >= sizeof beam || !beams) return;
    memcpy(beam, name, length);
    beam[length] = '\0';
    if (br_yaml_find(beams, beam)) { // read before the beams are: a body's own place
        snprintf(hint, YAML_HINT, "; bodies are placed before beams, give its pose in the world");
        return;
    }
    br_yaml_hint_key(beam, beams, near);
    char *quote = strrchr(near, '\'');
    if (!near[0] || !quote) return;
    *quote = '\0';
    snprintf(hint, YAML_HINT, "%.60s%.20s'?", near, name + length);
}

void br_yaml_list_names(const yaml_node *map, const char *kind, const char *more, char hint[YAML_HINT]) {
    enum { MOST = 6 };
    size_t n = 0;
    if (hint[0] || !map || map->kind != YAML_MAP || map->count == 0 || map->count > MOST) return;
    n = (size_t)snprintf(hint, YAML_HINT, " (%s:%s%s", kind, more ? " " : "", more ? more : "");
    for (const yaml_node *value = map->first; value; value = value->next) {
        const size_t length = (size_t)value->key->count;
        char shown[YAML_SHOWN];
        if (n + length + 4 > YAML_HINT) { // all of them or none
            hint[0] = '\0';
            return;
        }
        n += (size_t)snprintf(hint + n, YAML_HINT - n, "%s %s", value == map->first && !more ? "" : ",",
                              br_yaml_show(value->key->text, length, shown));
    }
    snprintf(hint + n, YAML_HINT - n, ")");
}

const char *br_yaml_body_name(yaml_reader *r, const yaml_node *node) {
    const char *name = NULL;
    char hint[YAML_HINT], shown[YAML_SHOWN];
    br_yaml_text(r, node, &name);
    if (!name || strcmp(name, BR_WORLD) == 0 || br_yaml_has_body(r, name)) return name;
    int beam;
    double station;
    const br_station_kind kind = br_station_find(r->builder, name, &beam, &station);
    if (kind == BR_STATION_GOOD) return name;
    if (kind != BR_STATION_NONE) {
        const char *beam_name = r->builder->beam[beam].name;
        br_yaml_show(name, strlen(name), shown);
        if (kind == BR_STATION_BEAM)
            br_yaml_fault(r, node, "beam-station",
                          "'%s' is a beam, expected a body; name a station of it, as %s.s0, %s.s0.5 or %s.s1",
                          shown, beam_name, beam_name, beam_name);
        else if (kind == BR_STATION_OUTSIDE)
            br_yaml_fault(r, node, "beam-station",
                          "'%s' is at %g, expected a fraction of the length of beam %s, 0 to 1", shown,
                          station, beam_name);
        else
            br_yaml_fault(r, node, "beam-station",
                          "'%s' is no station of beam %s; write %s.sX with X from 0 to 1", shown, beam_name,
                          beam_name);
        return NULL;
    }
    hint_name(name, r->bodies.map, &r->builder->body_names, hint);
    hint_station(r, name, hint);
    static const char *const world[] = {BR_WORLD, "ground"};
    if (!hint[0] && br_nearest_word(name, world, 2))
        snprintf(hint, sizeof hint, "; the fixed body is '%s'", BR_WORLD);
    br_yaml_list_names(r->bodies.map, "bodies", BR_WORLD, hint);
    br_yaml_fault(r, node, "yaml-reference", "there is no body '%s'%s",
                  br_yaml_show(name, strlen(name), shown), hint);
    return NULL;
}

const char *br_yaml_joint_name(yaml_reader *r, const yaml_node *node) {
    const char *name = NULL;
    char hint[YAML_HINT], shown[YAML_SHOWN], body[BR_MAX_NAME];
    br_yaml_text(r, node, &name);
    if (!name || br_yaml_index_find(&r->joints, name) || br_names_find(&r->builder->joint_names, name) >= 0)
        return name;
    // A body that no joint carries moves on a joint of its own.
    const size_t length = strlen(name);
    if (length > 5 && length < sizeof body && strcmp(name + length - 5, ".free") == 0) {
        memcpy(body, name, length - 5);
        body[length - 5] = '\0';
        if (br_yaml_has_body(r, body)) return name;
    }
    hint_name(name, r->joints.map, &r->builder->joint_names, hint);
    br_yaml_list_names(r->joints.map, "joints", NULL, hint);
    br_yaml_fault(r, node, "yaml-reference", "there is no joint '%s'%s", br_yaml_show(name, length, shown),
                  hint);
    return NULL;
}
