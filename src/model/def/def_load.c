// Loads, br_load_def: what all kinds share, and the keys of each kind. Then constraints.
#include "model/def/field.h"

static const br_def_field load_fields[] = {
    {NULL, NULL, offsetof(br_load_def, name), BR_FIELD_TEXT, .hash = 1},
    {NULL, NULL, offsetof(br_load_def, type), BR_FIELD_CHOICE, .hash = 2},
    {NULL, NULL, offsetof(br_load_def, first), BR_FIELD_TEXT, .hash = 3},
    {NULL, NULL, offsetof(br_load_def, second), BR_FIELD_TEXT, .hash = 4},
    {NULL, NULL, offsetof(br_load_def, X_A), BR_FIELD_POSE, .hash = 5},
    {NULL, NULL, offsetof(br_load_def, X_B), BR_FIELD_POSE, .hash = 6},
    {NULL, NULL, offsetof(br_load_def, in_body_axes), BR_FIELD_CHOICE, .hash = 7},
    {NULL, NULL, offsetof(br_load_def, component), BR_FIELD_FUNCTION, .count = 3, .hash = 8},
    {NULL, NULL, offsetof(br_load_def, stiffness), BR_FIELD_NUMBER, .count = 6, .hash = 9},
    {NULL, NULL, offsetof(br_load_def, damping), BR_FIELD_NUMBER, .count = 6, .hash = 10},
    {NULL, NULL, offsetof(br_load_def, length), BR_FIELD_NUMBER, .usual = -1.0, .hash = 11},
};

const br_def br_def_load = {"load", NULL, sizeof(br_load_def), load_fields,
                            sizeof load_fields / sizeof *load_fields};

static const br_def_field force_fields[] = {
    {"body", NULL, .type = BR_FIELD_KEY, .form = "name", .flags = BR_FIELD_NEEDED},
    {"force", "N", .type = BR_FIELD_KIND, .form = "three_functions"},
    {"torque", "N m", .type = BR_FIELD_KIND, .form = "three_functions"},
    {"at", "Where it acts, body frame. Default: the origin", .type = BR_FIELD_KEY, .form = "at",
     .only = "force"},
    {"axes", "Of the components", offsetof(br_load_def, in_body_axes), BR_FIELD_CHOICE,
     .words = br_words_load_axes},
};

const br_def br_def_force = {"force", NULL, sizeof(br_load_def), force_fields,
                             sizeof force_fields / sizeof *force_fields};

static const br_def_field spring_fields[] = {
    {"spring", "Names of the two bodies, or world", .type = BR_FIELD_KIND, .form = "two_names"},
    {"at", "A point on each body. Default: the origins", .type = BR_FIELD_KEY, .form = "at"},
    {"stiffness", "N/m", offsetof(br_load_def, stiffness), BR_FIELD_NUMBER, BR_DIM_STIFFNESS,
     .flags = BR_FIELD_ALWAYS_WRITTEN},
    {"damping", "N s/m", offsetof(br_load_def, damping), BR_FIELD_NUMBER, BR_DIM_DAMPING, .flags = 0},
    {"length", "Free length, m; default: the distance at the start", offsetof(br_load_def, length),
     BR_FIELD_NUMBER, BR_DIM_LENGTH, .usual = -1.0, .flags = BR_FIELD_SIGNED | BR_FIELD_WRITTEN_BY_CODE},
};

const br_def br_def_spring = {"spring", NULL, sizeof(br_load_def), spring_fields,
                              sizeof spring_fields / sizeof *spring_fields};

static const br_def_field bushing_fields[] = {
    {"bushing", "Names of the two bodies, or world", .type = BR_FIELD_KIND, .form = "two_names"},
    {"at", NULL, .type = BR_FIELD_KEY, .form = "at"},
    {"stiffness", "Translations x y z (N/m), then rotations (N m/rad), in the axes of the first frame",
     offsetof(br_load_def, stiffness), BR_FIELD_NUMBER, BR_DIM_STIFFNESS, 6,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_ALWAYS_WRITTEN | BR_FIELD_NEEDED, .form = "six",
     .example = "[kx, ky, kz, rx, ry, rz]"},
    {"damping", "Translations x y z (N s/m), then rotations (N m s/rad), in the axes of the first frame",
     offsetof(br_load_def, damping), BR_FIELD_NUMBER, BR_DIM_DAMPING, 6,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_ALWAYS_WRITTEN, .form = "six"},
};

const br_def br_def_bushing = {"bushing", NULL, sizeof(br_load_def), bushing_fields,
                               sizeof bushing_fields / sizeof *bushing_fields};

static const br_def_field term_fields[] = {
    {NULL, NULL, offsetof(br_term_def, joint), BR_FIELD_TEXT, .hash = 1},
    {NULL, NULL, offsetof(br_term_def, body), BR_FIELD_TEXT, .hash = 2},
    {NULL, NULL, offsetof(br_term_def, coordinate), BR_FIELD_CHOICE, .hash = 3},
    {NULL, NULL, offsetof(br_term_def, point), BR_FIELD_VECTOR, .hash = 4},
    {NULL, NULL, offsetof(br_term_def, direction), BR_FIELD_VECTOR, .hash = 5},
    {NULL, NULL, offsetof(br_term_def, in_world_axes), BR_FIELD_CHOICE, .hash = 6},
    {NULL, NULL, offsetof(br_term_def, coefficient), BR_FIELD_FUNCTION, .usual = 1.0, .hash = 7},
};

const br_def br_def_term = {"term", NULL, sizeof(br_term_def), term_fields,
                            sizeof term_fields / sizeof *term_fields};

static const br_def_field constraint_fields[] = {
    {NULL, NULL, offsetof(br_constraint_def, name), BR_FIELD_TEXT, .hash = 1},
    {"terms", NULL, .type = BR_FIELD_KEY, .form = "terms", .flags = BR_FIELD_NEEDED,
     .example = "[{joint: NAME, coefficient: 1}, ...]"},
    {"value", "m/s or rad/s; default 0", offsetof(br_constraint_def, value), BR_FIELD_FUNCTION, BR_DIM_ANY,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 2},
    {NULL, NULL, offsetof(br_constraint_def, term_count), BR_FIELD_CHOICE, .hash = 3},
};

const br_def br_def_constraint = {"constraint", NULL, sizeof(br_constraint_def), constraint_fields,
                                  sizeof constraint_fields / sizeof *constraint_fields};
