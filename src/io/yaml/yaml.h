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
#include "bristle/model.h"
#include "io/yaml/quantity.h"

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

// --- reading a model out of the tree -------------------------------------------------------------------------
//
// The first fault ends it: every function below does nothing once r->status is not BR_OK, so a section reads all its
// fields in a row and asks once at the end. A NULL node is a key that was not given: the output keeps its default.

// Names of a map, found by hash: a model may have a million bodies.
typedef struct yaml_index {
    const yaml_node **table; // values
    size_t size;             // a power of two; 0: empty
    const yaml_node *map;
} yaml_index;

typedef struct yaml_reader {
    br_status status;
    br_error *error; // never NULL
    br_arena *arena;
    const char *path; // of the model: files that it names are beside it
    const yaml_node *root;
    br_builder *builder; // with what `import` brought, which the file may name
    // How many of the builder's came from there: the file may change them.
    int imported_bodies, imported_joints, imported_loads, imported_drives, imported_pairs;
    br_params params;
    unsigned degrees; // BR_QUANTITY_DEGREES or 0
    br_planar planar;
    yaml_index bodies, joints;
    br_pose *pose;        // of the bodies, in the order of the file
    unsigned char *known; // whether pose is: 0 not yet, 1 being worked out, 2 known
} yaml_reader;

// --- the whole ---------------------------------------------------------------------------------------------

void br_yaml_read_model(yaml_reader *r, const char *name); // everything, into r->builder

void br_yaml_read_settings(yaml_reader *r, const char *name);
void br_yaml_read_materials(yaml_reader *r); // and pairs
void br_yaml_read_bodies(yaml_reader *r);    // and ground
void br_yaml_read_beams(yaml_reader *r);
void br_yaml_read_joints(yaml_reader *r);
void br_yaml_read_clearances(yaml_reader *r);
void br_yaml_read_loads(yaml_reader *r);
void br_yaml_read_controls(yaml_reader *r); // targets of drives from a file
void br_yaml_read_drives(yaml_reader *r);
void br_yaml_read_constraints(yaml_reader *r);
void br_yaml_read_sensors(yaml_reader *r);
void br_yaml_read_friction(yaml_reader *r, const yaml_node *node, const char *what, br_joint_type type,
                           br_friction_def *out);
// X_AF and X_BM of def from `at` and `axis` of its node.
void br_yaml_place_joint(yaml_reader *r, const yaml_node *node, const char *what, br_joint_def *def);
// A list of shapes. *shapes in the arena.
void br_yaml_read_shapes(yaml_reader *r, const yaml_node *list, const char *what, br_shape_def **shapes,
                         int *count);

// --- faults ------------------------------------------------------------------------------------------------

// Records the fault at the node's place, unless there was one before.
void br_yaml_fault(yaml_reader *r, const yaml_node *node, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void br_yaml_no_memory(yaml_reader *r);

// Takes over the status of a call to the builder; an error's path becomes a place in the file.
void br_yaml_built(yaml_reader *r, br_status status);
void br_yaml_locate_path(const yaml_node *root, br_error *error);

// "; did you mean 'x'?" or "".
#define YAML_HINT 96
const char *br_yaml_hint(const char *word, const char *const *words, int count, char out[YAML_HINT]);
const char *br_yaml_hint_key(const char *word, const yaml_node *map, char out[YAML_HINT]);
// " (bodies: world, leaf, frame)" where there is no hint yet: what there is to choose from, `more` (may be NULL) first.
void br_yaml_list_names(const yaml_node *map, const char *kind, const char *more, char hint[YAML_HINT]);

// "body 'wheel'": an element in a message.
#define YAML_WHAT 96
const char *br_yaml_what(const char *kind, const yaml_node *element, char out[YAML_WHAT]);

// --- structure ---------------------------------------------------------------------------------------------

// A map whose keys are all in keys[] (ended by NULL). what: "body 'wheel'".
void br_yaml_expect_keys(yaml_reader *r, const yaml_node *node, const char *what, const char *const *keys);
void br_yaml_expect_map(yaml_reader *r, const yaml_node *node, const char *what);
void br_yaml_expect_list(yaml_reader *r, const yaml_node *node, int count, const char *of); // count -1: any
// "mass", "position[1]", "table[0][1]": the field that a value belongs to, for messages.
const char *br_yaml_field_name(const yaml_node *node, char out[YAML_SHOWN]);

// The entry, or NULL and a fault that says how to write it.
const yaml_node *br_yaml_need(yaml_reader *r, const yaml_node *map, const char *what, const char *key,
                              const char *example);
// The one of keys[] that is given; two of them are a fault. *which: its index. NULL: none.
const yaml_node *br_yaml_one_of(yaml_reader *r, const yaml_node *map, const char *what,
                                const char *const *keys, int *which);

yaml_index br_yaml_index_map(yaml_reader *r, const yaml_node *map);
const yaml_node *br_yaml_index_find(const yaml_index *index, const char *name); // NULL: none

// A reference to a body (BR_WORLD and BEAM.sX too, once beams were read) or to a joint (of the file, or BODY.free): a fault where there is none.
const char *br_yaml_body_name(yaml_reader *r, const yaml_node *node);
const char *br_yaml_joint_name(yaml_reader *r, const yaml_node *node);
int br_yaml_has_body(const yaml_reader *r, const char *name);       // in the file, or imported
br_pose br_yaml_body_pose(yaml_reader *r, const char *name);        // of a body that exists
br_joint_type br_yaml_joint_type(yaml_reader *r, const char *name); // BR_JOINT_TYPES: of no kind

// --- values ------------------------------------------------------------------------------------------------

// `[1, min(2, 3)]` without quotes is three items, two of them with a parenthesis left over.
void br_yaml_expect_whole(yaml_reader *r, const yaml_node *node); // a scalar, a list of them or a map of them
void br_yaml_number(yaml_reader *r, const yaml_node *node, br_dimension dimension, unsigned flags,
                    double *out);
void br_yaml_whole(yaml_reader *r, const yaml_node *node, int least, int most, int *out);
void br_yaml_bool(yaml_reader *r, const yaml_node *node, int *out);
void br_yaml_text(yaml_reader *r, const yaml_node *node, const char **out);
void br_yaml_word(yaml_reader *r, const yaml_node *node, const char *const *words,
                  int *out); // index in words (NULL ends)
void br_yaml_numbers(yaml_reader *r, const yaml_node *node, br_dimension dimension, unsigned flags, int count,
                     double *out);
void br_yaml_vec3(yaml_reader *r, const yaml_node *node, br_dimension dimension, br_vec3 *out);
void br_yaml_direction(yaml_reader *r, const yaml_node *node,
                       br_vec3 *out); // [x, y, z] or x, -z: a unit vector
void br_yaml_function(yaml_reader *r, const yaml_node *node, br_dimension dimension, br_function_def *out);

// `{position, quaternion | euler_xyz | ...}`. relative: `in` is allowed too (and left to the caller).
void br_yaml_pose(yaml_reader *r, const yaml_node *node, const char *what, int relative, br_pose *out);

// A point or frame: "BODY.FRAME" gives its pose in that body. 0 when the text is not of that form.
int br_yaml_frame_of(yaml_reader *r, const yaml_node *node, const char **body, br_pose *X_BF);

#endif
