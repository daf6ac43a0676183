// Definitions as tables. Every struct of model.h that a user fills in has one br_def: a row for each of its fields and
// for each key of the model file. What is done to all fields alike reads the rows: defaults, ranges, copies and the
// model's hash here, YAML in io/yaml/fields.h, writing it in io/write, the JSON Schema and the key tables of the guide
// in tools/definitions.c. Rules that look at several fields stay code beside it (validate_*.c).
//
// A row of zeros but for key and offset is a finite number, 0 or more, 0 unless given, that is hashed nowhere.
#ifndef BR_MODEL_DEF_FIELD_H
#define BR_MODEL_DEF_FIELD_H

#include "base/arena.h"
#include "model/def/dimension.h"
#include "model/def/validate.h"
#include "model/def/words.h"

typedef enum br_field_type {
    BR_FIELD_NUMBER = 0,  // double, or `count` of them
    BR_FIELD_WHOLE,       // int
    BR_FIELD_BOOL,        // int: true or false
    BR_FIELD_CHOICE,      // int or enum: its place in words, counted from `base`
    BR_FIELD_WORD,        // const char *: one of words
    BR_FIELD_CALL,        // const char *: one of calls
    BR_FIELD_TEXT,        // const char *
    BR_FIELD_COORDINATES, // double[count]: one for each coordinate of a joint
    BR_FIELD_VECTOR,      // br_vec3
    BR_FIELD_DIRECTION,   // br_vec3 of unit length; usual 0: zero, 1: z
    BR_FIELD_POSE,        // br_pose
    BR_FIELD_FUNCTION,    // br_function_def, or `count` of them
    BR_FIELD_GROUP,       // keys in a map of their own; their places in the hash are those of the whole
    BR_FIELD_STRUCT,      // a definition within the definition, hashed as one
    BR_FIELD_ALIAS,       // another word for the key `same`
    BR_FIELD_KEY,         // a key whose value code reads: `form` says what it looks like
    BR_FIELD_KIND,        // such a key, of which an element has exactly one: its kind
} br_field_type;

enum {
    BR_FIELD_NEEDED = 1,   // must be given; `example` is what the message tells to write
    BR_FIELD_INFINITE = 2, // INFINITY is a value of it
    BR_FIELD_SIGNED = 4,   // any finite number
    BR_FIELD_ABOVE = 8,    // more than `low`, not low itself
    BR_FIELD_BELOW = 16,   // less than `high`
    BR_FIELD_TURNS = 32,   // of a coordinate: has another dimension where that turns, br_dimension_turned
    BR_FIELD_LINEAR = 64,  // of a law: has the dimension where the law is linear, else one without a name
    BR_FIELD_TRUTH = 128,  // any number other than 0 is 1 to the hash
    BR_FIELD_ADDED =
        256, // hashed with its key and only where not as usual: models without it keep their hash
    BR_FIELD_IMPORTED = 512,        // of a joint: may be given again where the joint was imported
    BR_FIELD_ALWAYS_WRITTEN = 1024, // with its usual value too
    // What code does instead, because it depends on other fields.
    BR_FIELD_READ_BY_CODE = 2048,
    BR_FIELD_CHECKED_BY_CODE = 4096,
    BR_FIELD_WRITTEN_BY_CODE = 8192,
};

typedef struct br_def br_def;

typedef struct br_def_field {
    const char *key;  // of the model file; NULL: a field that follows from others
    const char *text; // for the schema and the guide
    size_t offset;    // in the struct of its br_def
    br_field_type type;
    br_dimension dimension;
    int count; // numbers and functions: how many; 0: one
    unsigned flags;
    double usual;      // unless given
    double low, high;  // of numbers; high 0: none
    const char *fault; // said in place of "KEY of NAME is X, expected ...": {name} and {x} are filled in
    const char *code;  // of that; NULL: that of the definition
    const char *const *words;
    const br_word_call *calls;
    int base;
    const char *assumed; // texts: what NULL means to the hash
    const br_def *def;   // GROUP, STRUCT
    const char *same;    // ALIAS
    const char *only;    // the one kind of element that has it; NULL: all
    const char *example; // NEEDED
    const char *form;    // KEY: its definition in schema/forms.json
    int hash; // place in the model's hash, from 1; 0: nowhere, or by code. A hash never changes its order
} br_def_field;

struct br_def {
    const char *name; // in messages, of a GROUP: "bristle"
    const char *code; // of faults of its numbers that have their own words
    size_t size;      // of the struct
    const br_def_field *field;
    int fields;
};

extern const br_def br_def_settings, br_def_contact, br_def_solver, br_def_run, br_def_start, br_def_checks;
extern const br_def br_def_adaptive, br_def_adaptive_contact, br_def_adaptive_friction;
extern const br_def br_def_body, br_def_shape, br_def_shapes[BR_SHAPE_TYPES];
extern const br_def br_def_joint, br_def_joint_compliance, br_def_friction, br_def_pair;
extern const br_def br_def_clearance, br_def_clearance_contact, br_def_beam, br_def_section,
    br_def_sections[];                                                        // from BR_SECTION_CIRCLE
extern const br_def br_def_load, br_def_force, br_def_spring, br_def_bushing; // all of br_load_def
extern const br_def br_def_drive, br_def_servo, br_def_constraint, br_def_term;

#define BR_MAX_FIELDS 64 // of one definition, with those of its groups

// The dimension of the same thing for a coordinate that turns: a torque for a force, any for what has no name.
br_dimension br_dimension_turned(br_dimension dimension);

// The keys of the rows that have these flags, in their order, ended by NULL.
void br_def_keys(const br_def *def, unsigned flags, const char *keys[BR_MAX_FIELDS]);
const br_def_field *br_def_find(const br_def *def, const char *key); // NULL: none

// How many lengths a row needs, of a kind of shape: those that are above 0, and that a picture is drawn from. 0: it is another.
int br_field_lengths(const br_def_field *f);

// Everything zero but what has another usual value.
void br_def_default(const br_def *def, void *object);

// Whether the value is what it is unless given. Structs and poses have no such value.
int br_field_is_usual(const br_def_field *f, const void *value);

// Every number is in its range, or a fault at group/name/PREFIX/KEY. prefix: "" or "friction/".
br_status br_def_check(const br_def *def, const void *object, const br_place *place, const char *prefix);

// The texts and functions of a definition copied into the arena, its rotations made unit length. 0: no memory.
int br_def_keep(const br_def *def, void *object, br_arena *arena);

// The fields whose places in the hash are first .. last, in that order.
uint64_t br_def_hash(uint64_t hash, const br_def *def, const void *object, int first, int last);

#endif
