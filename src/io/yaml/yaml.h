// A YAML 1.2 text as a tree of nodes, each with its place. Built from libfyaml's events rather than its documents, so
// that depth, aliases, tags and repeated keys are judged while reading, before anything recurses over them.
//
// What a model has no use for is refused by name: anchors and aliases, tags, directives, several documents, keys that
// are not plain words, text that is not UTF-8. Scalars stay text: whether "no" is a name or a mistake is for the
// caller to say.
#ifndef BR_IO_YAML_YAML_H
#define BR_IO_YAML_YAML_H

#include "base/arena.h"
#include "bristle/base.h"

#define BR_MAX_MODEL_BYTES (64L << 20) // of a model file
#define BR_MAX_YAML_DEPTH 64           // maps and lists within each other; a model needs about 10
#define BR_MAX_YAML_NODES (1 << 22)    // keys and values; a body takes about 10

typedef enum yaml_kind { YAML_SCALAR = 0, YAML_LIST, YAML_MAP } yaml_kind;

typedef struct yaml_node yaml_node;
struct yaml_node {
    yaml_kind kind;
    int quoted; // scalar: was written in quotes or as a block, so it is text
    int flow;   // list, map: written with brackets; scalar: stands inside brackets
    int count;  // list: items; map: entries; scalar: bytes
    int index;  // among its siblings
    int line, column;
    const char *source;      // file, or "--set NAME"; line 0 there
    const char *text;        // scalar: zero-terminated, without zeros inside; "" for a value left empty
    yaml_node *first, *last; // list: items; map: values
    yaml_node *next;         // sibling
    yaml_node *key;          // in a map: its key, a scalar
    yaml_node *parent;       // NULL: the root
};

// Parses into the arena. name: for messages. *root is NULL when the text holds nothing but comments.
br_status br_yaml_parse(const char *text, size_t size, const char *name, br_arena *arena, yaml_node **root,
                        br_error *error);

// UTF-8 without control characters, from after a byte order mark; or the error that names the first bad byte.
br_status br_yaml_check_text(const char *name, const char **text, size_t *size, br_error *error);

static inline int yaml_is_empty(const yaml_node *node) { // `key:` with nothing after it, or null
    return !node || (node->kind == YAML_SCALAR && node->count == 0 && !node->quoted);
}

const yaml_node *br_yaml_find(const yaml_node *map, const char *key); // NULL: none, or not a map

// The node at a path of keys and list indices: "bodies/wheel/mass", separator '/' or '.'. Keys that hold the separator
// themselves are found by their longest match. Where the path does not exist: the deepest node that does, and *rest
// is what was not found ("" otherwise).
const yaml_node *br_yaml_resolve(const yaml_node *root, const char *path, char separator, const char **rest);

// Appends an entry to a map; key and value must be fresh.
void br_yaml_append(yaml_node *parent, yaml_node *key, yaml_node *value);
yaml_node *br_yaml_new_scalar(br_arena *arena, const char *source, const char *text,
                              size_t size); // NULL: no memory
yaml_node *br_yaml_new_map(br_arena *arena, const char *source);
void br_yaml_replace(yaml_node *old,
                     const yaml_node *with); // takes with's contents; its place in the tree stays

// A text for a message: at most 40 bytes, cut at a character, nothing that could move a terminal's cursor.
#define YAML_SHOWN 64
const char *br_yaml_show(const char *text, size_t size, char out[YAML_SHOWN]);

// Where a message about this node points: the value where it is a number, a word or a list in brackets, else its key.
const yaml_node *br_yaml_place(const yaml_node *node);

// Fails at the node's place.
br_status br_yaml_fail(const yaml_node *node, br_error *error, br_status status, const char *code,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

// Adds the node's place to an error that has none.
void br_yaml_locate(const yaml_node *node, br_error *error);

// What is wrong with a line that the parser complained about (said: its words), in words about lines. 0: nothing to say.
#define YAML_LINE_HINT 160
int br_yaml_line_hint(const char *said, const char *text, size_t size, int number, char out[YAML_LINE_HINT]);

#endif
