// Looking things up in a tree of nodes, and messages that point into it.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/yaml/yaml.h"

const yaml_node *br_yaml_find(const yaml_node *map, const char *key) {
    if (!map || map->kind != YAML_MAP) return NULL;
    for (const yaml_node *value = map->first; value; value = value->next)
        if (strcmp(value->key->text, key) == 0) return value;
    return NULL;
}

static const yaml_node *list_item(const yaml_node *list, const char *path, size_t length) {
    char *end = NULL;
    const long index = strtol(path, &end, 10);
    if (length == 0 || end != path + length || index < 0 || index >= list->count) return NULL;
    const yaml_node *item = list->first;
    for (long k = 0; k < index; k++) item = item->next;
    return item;
}

// The child that the path's beginning names, longest key first: the key "A/B" of `pairs` holds the separator itself.
static const yaml_node *step(const yaml_node *node, const char *path, char separator, size_t *used) {
    const char *cut = strchr(path, separator);
    const size_t length = cut ? (size_t)(cut - path) : strlen(path);
    const yaml_node *best = NULL;
    *used = length;
    if (node->kind == YAML_LIST) return list_item(node, path, length);
    if (node->kind != YAML_MAP) return NULL;
    for (const yaml_node *value = node->first; value; value = value->next) {
        const size_t n = (size_t)value->key->count;
        if (strncmp(path, value->key->text, n) != 0 || (path[n] != '\0' && path[n] != separator)) continue;
        if (best && n <= *used) continue;
        best = value;
        *used = n;
    }
    return best;
}

const yaml_node *br_yaml_resolve(const yaml_node *root, const char *path, char separator, const char **rest) {
    const yaml_node *node = root;
    while (node && *path) {
        size_t used = 0;
        const yaml_node *child = step(node, path, separator, &used);
        if (!child) break;
        node = child;
        path += used;
        if (*path) path++;
    }
    if (rest) *rest = path;
    return node;
}

void br_yaml_append(yaml_node *parent, yaml_node *key, yaml_node *value) {
    value->parent = parent;
    value->key = key;
    if (parent->last)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    value->index = parent->count++;
}

yaml_node *br_yaml_new_map(br_arena *arena, const char *source) {
    yaml_node *node = BR_TAKE(arena, yaml_node, 1);
    if (!node) return NULL;
    node->kind = YAML_MAP;
    node->source = source;
    node->text = "";
    return node;
}

yaml_node *br_yaml_new_scalar(br_arena *arena, const char *source, const char *text, size_t size) {
    yaml_node *node = br_yaml_new_map(arena, source);
    char *copy = BR_TAKE(arena, char, size + 1);
    if (!node || !copy) return NULL;
    memcpy(copy, text, size);
    node->kind = YAML_SCALAR;
    node->text = copy;
    node->count = (int)size;
    return node;
}

void br_yaml_replace(yaml_node *old, const yaml_node *with) {
    yaml_node node = *with;
    node.next = old->next;
    node.index = old->index;
    node.key = old->key;
    node.parent = old->parent;
    *old = node;
    for (yaml_node *child = old->first; child; child = child->next) child->parent = old;
}

const yaml_node *br_yaml_place(const yaml_node *node) {
    if (!node || !node->key || node->source != node->key->source) return node;
    const int own_line = node->kind == YAML_LIST && !node->flow;
    return node->kind == YAML_MAP || own_line || yaml_is_empty(node) ? node->key : node;
}

void br_yaml_locate(const yaml_node *node, br_error *error) {
    const yaml_node *place = br_yaml_place(node);
    if (!error || !place) return;
    const size_t length = strlen(place->source), most = sizeof error->file - 1;
    if (length <= most)
        memcpy(error->file, place->source, length + 1);
    else
        snprintf(error->file, sizeof error->file, "...%s", place->source + length - (most - 3));
    error->line = place->line;
    error->column = place->column;
}

br_status br_yaml_fail(const yaml_node *node, br_error *error, br_status status, const char *code,
                       const char *format, ...) {
    char message[BR_MAX_ERROR_TEXT + 8]; // longer than fits, so that br_fail marks what is cut
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    br_fail(error, status, code, "%s", message);
    br_yaml_locate(node, error);
    return status;
}
