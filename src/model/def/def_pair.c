// How two materials touch: br_pair_def.
#include "model/def/field.h"

static const br_def_field bristle_fields[] = {
    {"stiffness", "N/m; default inf", offsetof(br_pair_def, bristle_stiffness), BR_FIELD_NUMBER,
     BR_DIM_STIFFNESS, .usual = INFINITY, .flags = BR_FIELD_INFINITE, .hash = 8},
    {"damping", "N s/m", offsetof(br_pair_def, bristle_damping), BR_FIELD_NUMBER, BR_DIM_DAMPING, .hash = 9},
    {"v_threshold", "m/s; default 0.01", offsetof(br_pair_def, v_threshold), BR_FIELD_NUMBER, BR_DIM_VELOCITY,
     .usual = 0.01, .hash = 10},
};

static const br_def bristle = {"bristle", NULL, sizeof(br_pair_def), bristle_fields,
                               sizeof bristle_fields / sizeof *bristle_fields};

// Hertz has N/m^1.5 and Hunt-Crossley s/m: the law gives the dimension, not the key.
static const br_def_field compliance_fields[] = {
    {"law", NULL, offsetof(br_pair_def, compliance), BR_FIELD_WORD, .words = br_words_normal_law,
     .flags = BR_FIELD_NEEDED, .example = "linear, hertz or hunt_crossley", .hash = 3},
    {"stiffness", "N/m for linear, else N/m^exponent", offsetof(br_pair_def, compliance_stiffness),
     BR_FIELD_NUMBER, BR_DIM_STIFFNESS,
     .flags = BR_FIELD_INFINITE | BR_FIELD_NEEDED | BR_FIELD_LINEAR | BR_FIELD_ALWAYS_WRITTEN,
     .example = "NUMBER N/m", .hash = 11},
    {"damping", "N s/m; s/m for hunt_crossley", offsetof(br_pair_def, compliance_damping), BR_FIELD_NUMBER,
     BR_DIM_DAMPING, .flags = BR_FIELD_LINEAR, .hash = 12},
    {"exponent", "Of the depth, 1 or more; default 1 for linear, 1.5 for the others",
     offsetof(br_pair_def, compliance_exponent), BR_FIELD_NUMBER, BR_DIM_NONE,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 13},
};

static const br_def compliance = {"compliance", NULL, sizeof(br_pair_def), compliance_fields,
                                  sizeof compliance_fields / sizeof *compliance_fields};

static const br_def_field pair_fields[] = {
    {NULL, NULL, offsetof(br_pair_def, first), BR_FIELD_TEXT, .hash = 1},
    {NULL, NULL, offsetof(br_pair_def, second), BR_FIELD_TEXT, .hash = 2},
    {"mu", "Both coefficients", .type = BR_FIELD_KEY, .form = "quantity"},
    {"mu_static", "Coefficient at rest", offsetof(br_pair_def, mu_static), BR_FIELD_NUMBER, BR_DIM_NONE,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .hash = 5},
    {"mu_kinetic", "Coefficient while sliding", offsetof(br_pair_def, mu_kinetic), BR_FIELD_NUMBER,
     BR_DIM_NONE, .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .hash = 6},
    {"restitution", "0 .. 1; default 0", offsetof(br_pair_def, restitution), BR_FIELD_NUMBER, BR_DIM_NONE,
     .hash = 7},
    {"restitution_law", "Of velocities or of impulses", offsetof(br_pair_def, restitution_poisson),
     BR_FIELD_CHOICE, .words = br_words_restitution, .flags = BR_FIELD_TRUTH, .hash = 4},
    {"bristle", NULL, .type = BR_FIELD_GROUP, .def = &bristle},
    {"compliance", NULL, .type = BR_FIELD_GROUP, .def = &compliance},
    {"rolling", "Resisting moment about tangents over the normal force, m", offsetof(br_pair_def, rolling),
     BR_FIELD_NUMBER, BR_DIM_LENGTH, .hash = 14},
    {"torsion", "Resisting moment about the normal over the normal force, m", offsetof(br_pair_def, torsion),
     BR_FIELD_NUMBER, BR_DIM_LENGTH, .hash = 15},
};

const br_def br_def_pair = {"pair", NULL, sizeof(br_pair_def), pair_fields,
                            sizeof pair_fields / sizeof *pair_fields};
