// A parser for the readers of bristle_core_io, which bring none: YAML in its flow style alone, maps in braces, lists in brackets,
// scalars that are words or in double quotes. As a program with a parser of its own would bring it.
#ifndef CORE_FLOW_H
#define CORE_FLOW_H

#include <string.h>

#include "base/error.h"
#include "io/yaml/yaml.h"

typedef struct flow {
    const char *at, *end, *name;
    br_arena *arena;
    int depth;
} flow;

static void flow_skip(flow *f) {
    while (f->at < f->end && strchr(" \t\r\n,:", *f->at)) f->at++;
}

static yaml_node *flow_scalar(flow *f) {
    const int quoted = *f->at == '"';
    const char *begin = quoted ? ++f->at : f->at;
    while (f->at < f->end && (quoted ? *f->at != '"' : !strchr(",:[]{}\n", *f->at))) f->at++;
    yaml_node *node = br_yaml_new_scalar(f->arena, f->name, begin, (size_t)(f->at - begin));
    if (node) node->quoted = quoted;
    if (quoted && f->at < f->end) f->at++;
    return node;
}

static yaml_node *flow_value(flow *f) {
    flow_skip(f);
    if (f->at == f->end) return NULL;
    const char open = *f->at;
    if (open != '{' && open != '[') return flow_scalar(f);
    if (++f->depth > BR_MAX_YAML_DEPTH) return NULL;
    yaml_node *node = br_yaml_new_map(f->arena, f->name);
    if (!node) return NULL;
    node->kind = open == '{' ? YAML_MAP : YAML_LIST, node->flow = 1;
    for (f->at++, flow_skip(f); f->at < f->end && *f->at != '}' && *f->at != ']'; flow_skip(f)) {
        yaml_node *key = open == '{' ? flow_scalar(f) : NULL, *value = flow_value(f);
        if (!value) return NULL;
        br_yaml_append(node, key, value);
    }
    f->at++, f->depth--;
    return node;
}

br_status br_yaml_parse(const char *text, size_t size, const char *name, br_arena *arena, yaml_node **root,
                        br_error *error) {
    flow f = {text, text + size, name, arena, 0};
    *root = flow_value(&f);
    return *root ? BR_OK : br_fail_at(error, BR_PARSE, "flow", name, 0, 0, "is not in flow style");
}

#endif
