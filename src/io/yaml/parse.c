// From libfyaml's events to nodes.
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/yaml/yaml.h"

enum {
    NODE_BLOCK = 256,       // nodes taken from the arena at once: it aligns every piece to a cache line
    TEXT_BLOCK = 16 * 1024, // bytes of text taken at once
    SMALL_MAP = 16,         // entries up to which keys are compared one by one
};

typedef struct parse {
    const char *name;
    br_arena *arena;
    br_error *error;
    br_status status;
    struct fy_parser *parser;
    yaml_node *root;
    yaml_node *open; // innermost map or list
    yaml_node *key;  // of the open map, waiting for its value
    int depth, nodes;
    yaml_node *block;
    int block_left;
    char *text;
    size_t text_left;
} parse;

static br_status parse_no_memory(parse *p) {
    return br_no_memory_at(p->error, p->name, "not enough memory to read it");
}

static br_status fail_at_mark(parse *p, const struct fy_mark *mark, br_status status, const char *code,
                              const char *message) {
    return br_fail_at(p->error, status, code, p->name, mark ? mark->line + 1 : 0, mark ? mark->column + 1 : 0,
                      "%s", message);
}

static yaml_node *take_node(parse *p) {
    if (p->block_left == 0) {
        p->block = BR_TAKE(p->arena, yaml_node, NODE_BLOCK);
        p->block_left = p->block ? NODE_BLOCK : 0;
    }
    if (!p->block) return NULL;
    p->block_left--;
    p->nodes++;
    return p->block++;
}

static const char *take_text(parse *p, const char *text, size_t size) {
    if (size + 1 > p->text_left) {
        const size_t block = size + 1 > TEXT_BLOCK ? size + 1 : TEXT_BLOCK;
        p->text = BR_TAKE(p->arena, char, block);
        p->text_left = p->text ? block : 0;
    }
    if (!p->text) return NULL;
    char *const copy = p->text;
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    p->text += size + 1;
    p->text_left -= size + 1;
    return copy;
}

// ------------------------------------------------------------------------------------------------ repeated keys

// In `{x: step(t, 0, 0, 1)}` the key that is repeated, "0", is a part of a value.
static br_status repeated(parse *p, const yaml_node *map, const yaml_node *value, const yaml_node *before) {
    char shown[YAML_SHOWN];
    const yaml_node *key = value->key;
    br_yaml_show(key->text, (size_t)key->count, shown);
    if (map->flow && yaml_is_empty(value) && !key->quoted)
        return br_yaml_fail(
            key, p->error, BR_PARSE, "yaml-comma",
            "'%s' is given twice and has no value; a value with a comma inside braces must be quoted", shown);
    return br_yaml_fail(key, p->error, BR_PARSE, "yaml-duplicate-key",
                        "'%s' is given twice, first on line %d", shown, before->line);
}

static br_status check_keys_one_by_one(parse *p, const yaml_node *map) {
    for (const yaml_node *a = map->first; a; a = a->next)
        for (const yaml_node *b = map->first; b != a; b = b->next)
            if (strcmp(a->key->text, b->key->text) == 0) return repeated(p, map, a, b->key);
    return BR_OK;
}

// A model may have a million bodies: open addressing, at most half full.
static br_status check_keys(parse *p, const yaml_node *map) {
    if (map->count <= SMALL_MAP) return check_keys_one_by_one(p, map);
    size_t size = 64;
    while (size < 2 * (size_t)map->count) size *= 2;
    br_arena scratch;
    br_arena_init(&scratch, &p->arena->allocator);
    const yaml_node **table = BR_TAKE(&scratch, const yaml_node *, size);
    br_status status = table ? BR_OK : parse_no_memory(p);
    for (const yaml_node *value = map->first; value && status == BR_OK; value = value->next) {
        const yaml_node *key = value->key;
        size_t at = (size_t)br_hash_bytes(BR_HASH_START, key->text, (size_t)key->count) & (size - 1);
        while (table[at] && strcmp(table[at]->text, key->text) != 0) at = (at + 1) & (size - 1);
        if (table[at]) status = repeated(p, map, value, table[at]);
        table[at] = key;
    }
    br_arena_free(&scratch);
    return status;
}

// --------------------------------------------------------------------------------------------------- the tree

// Puts a node where the tree is being built: as root, item, key or value.
static br_status attach(parse *p, yaml_node *node) {
    if (!p->open) {
        p->root = node;
        return BR_OK;
    }
    node->parent = p->open;
    if (p->open->kind == YAML_MAP && !p->key) {
        if (node->kind != YAML_SCALAR)
            return br_yaml_fail(node, p->error, BR_PARSE, "yaml-key",
                                "a %s cannot be a key; a value that begins with %s "
                                "must be quoted",
                                node->kind == YAML_MAP ? "map" : "list", node->kind == YAML_MAP ? "{" : "[");
        if (node->count == 0)
            return br_yaml_fail(node, p->error, BR_PARSE, "yaml-key", "a key is empty; write NAME: VALUE");
        p->key = node;
        return BR_OK;
    }
    br_yaml_append(p->open, p->key, node);
    p->key = NULL;
    return BR_OK;
}

static br_status refuse_extras(parse *p, struct fy_event *event) {
    struct fy_token *anchor = fy_event_get_anchor_token(event), *tag = fy_event_get_tag_token(event);
    if (tag)
        return fail_at_mark(
            p, fy_token_start_mark(tag), BR_PARSE, "yaml-tag",
            "a tag (!...); a model has none: a tag can ask a reader to run programs. Remove it");
    if (anchor || event->type == FYET_ALIAS)
        return fail_at_mark(p, anchor ? fy_token_start_mark(anchor) : fy_event_start_mark(event), BR_PARSE,
                            "yaml-alias",
                            "an anchor or alias (&name, *name), which a model cannot have; use params "
                            "and $name, and quote text that begins with * or &");
    return BR_OK;
}

// A value left empty has no token: it stands behind its key, or at the end of what was read.
static void place_node(const parse *p, struct fy_event *event, yaml_node *node) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    node->source = p->name;
    node->text = "";
    node->flow = p->open && p->open->flow;
    if (mark) {
        node->line = mark->line + 1;
        node->column = mark->column + 1;
    } else if (p->key) {
        node->line = p->key->line;
        node->column = p->key->column;
    } else if (p->open) {
        node->line = p->open->line;
        node->column = p->open->column;
    }
}

static br_status on_scalar(parse *p, struct fy_event *event, yaml_node *node) {
    struct fy_token *token = fy_event_get_token(event);
    size_t size = 0;
    const char *text = token ? fy_token_get_text(token, &size) : "";
    if (!text) return parse_no_memory(p);
    node->quoted = token && fy_token_scalar_style(token) != FYSS_PLAIN;
    if (token && !node->quoted && size == 0) return parse_no_memory(p); // what is left empty has no token
    if (memchr(text, '\0', size))
        return br_yaml_fail(node, p->error, BR_PARSE, "yaml-control", "a zero byte (\\0) in a text");
    if (!node->quoted && ((size == 4 && memcmp(text, "null", 4) == 0) || (size == 1 && text[0] == '~')))
        size = 0;
    node->text = take_text(p, text, size);
    node->count = (int)size;
    return node->text ? attach(p, node) : parse_no_memory(p);
}

static br_status on_start(parse *p, struct fy_event *event, yaml_node *node) {
    const int list = event->type == FYET_SEQUENCE_START;
    const struct fy_token *token =
        list ? event->sequence_start.sequence_start : event->mapping_start.mapping_start;
    const br_status status = attach(p, node);
    if (status != BR_OK) return status;
    if (++p->depth > BR_MAX_YAML_DEPTH)
        return br_yaml_fail(node, p->error, BR_PARSE, "yaml-depth",
                            "maps and lists are nested more than %d deep", BR_MAX_YAML_DEPTH);
    node->flow = token && fy_event_get_node_style(event) == FYNS_FLOW;
    p->open = node;
    return BR_OK;
}

static br_status on_end(parse *p) {
    yaml_node *const closed = p->open;
    p->open = closed->parent;
    p->depth--;
    return closed->kind == YAML_MAP ? check_keys(p, closed) : BR_OK;
}

static br_status on_event(parse *p, struct fy_event *event) {
    yaml_node *node = NULL;
    br_status status = refuse_extras(p, event);
    if (status != BR_OK) return status;
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (p->root)
            return fail_at_mark(p, fy_event_start_mark(event), BR_PARSE, "yaml-documents",
                                "a second document (---); a model is one");
        return BR_OK;
    case FYET_SCALAR:
    case FYET_SEQUENCE_START:
    case FYET_MAPPING_START:
        if (p->nodes >= BR_MAX_YAML_NODES)
            return fail_at_mark(p, fy_event_start_mark(event), BR_TOO_LARGE, "yaml-size",
                                "more than 4194304 keys and values, the most that a model may have");
        node = take_node(p);
        if (!node) return parse_no_memory(p);
        place_node(p, event, node);
        node->kind = event->type == FYET_SCALAR           ? YAML_SCALAR
                     : event->type == FYET_SEQUENCE_START ? YAML_LIST
                                                          : YAML_MAP;
        return node->kind == YAML_SCALAR ? on_scalar(p, event, node) : on_start(p, event, node);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return on_end(p);
    default:
        return BR_OK;
    }
}

// ------------------------------------------------------------------------------------------------- diagnostics

static void swallow(struct fy_diag *diag, void *user, const char *text, size_t size) {
    (void)diag, (void)user, (void)text, (void)size;
}

static struct fy_diag *create_diag(void) {
    struct fy_diag_cfg cfg;
    fy_diag_cfg_default(&cfg);
    cfg.fp = NULL;
    cfg.output_fn = swallow;
    cfg.colorize = false;
    struct fy_diag *diag = fy_diag_create(&cfg);
    if (diag) fy_diag_set_collect_errors(diag, true);
    return diag;
}

// What the libraries' words leave open for somebody who meets them for the first time.
static const struct {
    const char *part, *hint;
} hints[] = {
    {"tab character", "; indent with spaces"},
    {"closing bracket", "; a [ or { is never closed"},
    {"closing brace", "; a [ or { is never closed"},
    {"closing quote", "; a quoted text is never closed"},
    {"multiline plain key", "; the line after it is indented more than it, or has no ': '"},
    {"nested block mapping", "; a value that holds ': ' must be quoted"},
    {"wrongly indented flow", "; a [ or { above is never closed"},
    {"value after mapping", "; is every line KEY: VALUE?"},
    {"missing comma", "; entries inside brackets are separated by commas, and every { and [ is closed"},
};

static br_status syntax_error(parse *p, struct fy_diag *diag, const char *text, size_t size) {
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
    if (!first || !first->msg) return parse_no_memory(p);
    const char *hint = "";
    char better[YAML_LINE_HINT];
    for (size_t k = 0; k < sizeof hints / sizeof hints[0]; k++)
        if (strstr(first->msg, hints[k].part)) hint = hints[k].hint;
    if (br_yaml_line_hint(first->msg, text, size, first->line, better))
        return br_fail_at(p->error, BR_PARSE, "yaml-syntax", p->name, first->line, first->column, "%s",
                          better);
    return br_fail_at(p->error, BR_PARSE, "yaml-syntax", p->name, first->line, first->column, "%s%s",
                      first->msg, hint);
}

static void run(parse *p, struct fy_diag *diag, const char *text, size_t size) {
    if (fy_parser_set_string(p->parser, text, size) != 0) {
        p->status = parse_no_memory(p);
        return;
    }
    struct fy_event *event;
    int over = 0;
    while (!over && p->status == BR_OK && (event = fy_parser_parse(p->parser)) != NULL) {
        over = event->type == FYET_STREAM_END;
        p->status = on_event(p, event);
        fy_parser_event_free(p->parser, event);
    }
    if (p->status == BR_OK && !over) p->status = syntax_error(p, diag, text, size);
}

br_status br_yaml_parse(const char *text, size_t size, const char *name, br_arena *arena, yaml_node **root,
                        br_error *error) {
    const br_status status = br_yaml_check_text(name, &text, &size, error);
    if (status != BR_OK) return status;
    parse p = {0};
    p.name = name;
    p.arena = arena;
    p.error = error;
    struct fy_diag *diag = create_diag();
    struct fy_parse_cfg cfg = {0};
    cfg.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DISABLE_MMAP_OPT | FYPCF_DEFAULT_VERSION_1_2 |
                FYPCF_JSON_NONE;
    cfg.diag = diag;
    p.parser = diag ? fy_parser_create(&cfg) : NULL;
    if (p.parser)
        run(&p, diag, text, size);
    else
        p.status = parse_no_memory(&p);
    if (p.parser) fy_parser_destroy(p.parser);
    if (diag) fy_diag_destroy(diag);
    if (p.status == BR_OK) *root = p.root;
    return p.status;
}
