// A tree of YAML nodes as text, for programs that have the core and no YAML parser: tree_write.c writes it where there is one.
//
//     value = "{" (key value)* "}" | "[" value* "]" | ("s" | "q") bytes ":" text          q: it was written in quotes
#ifndef WASM_TREE_H
#define WASM_TREE_H

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/yaml/yaml.h"

typedef struct tree_text {
    const char *at, *end, *name;
    br_arena *arena;
    int depth;
} tree_text;

static yaml_node *tree_scalar(tree_text *t, int quoted) {
    char *after;
    const long size = strtol(t->at, &after, 10);
    if (*after != ':' || size < 0 || size > t->end - after - 1) return NULL;
    yaml_node *node = br_yaml_new_scalar(t->arena, t->name, after + 1, (size_t)size);
    if (node) node->quoted = quoted;
    t->at = after + 1 + size;
    return node;
}

static yaml_node *tree_value(tree_text *t) {
    if (t->at == t->end) return NULL;
    const char open = *t->at++;
    if (open == 's' || open == 'q') return tree_scalar(t, open == 'q');
    if ((open != '{' && open != '[') || ++t->depth > BR_MAX_YAML_DEPTH) return NULL;
    yaml_node *node = br_yaml_new_map(t->arena, t->name);
    if (!node) return NULL;
    node->kind = open == '{' ? YAML_MAP : YAML_LIST, node->flow = 1;
    while (t->at < t->end && *t->at != '}' && *t->at != ']') {
        yaml_node *key = open == '{' ? tree_value(t) : NULL, *value = tree_value(t);
        if (!value) return NULL;
        br_yaml_append(node, key, value);
    }
    t->at++, t->depth--;
    return node;
}

// What bristle_core_io asks for: a tree, or the one scalar of an override.
br_status br_yaml_parse(const char *text, size_t size, const char *name, br_arena *arena, yaml_node **root,
                        br_error *error) {
    tree_text t = {text, text + size, name, arena, 0};
    *root = size > 0 && *text == '{' ? tree_value(&t) : br_yaml_new_scalar(arena, name, text, size);
    return *root ? BR_OK
                 : br_fail_at(error, BR_PARSE, "tree", name, 0, 0, "is not a tree that tree_write.c wrote");
}

#endif
