// How joints and clearances rub: br_friction_def. The numbers of a law are kept whichever law is chosen.
#include "model/def/field.h"

static const br_def_field friction_fields[] = {
    {"law", NULL, offsetof(br_friction_def, law), BR_FIELD_CHOICE, .words = br_words_friction_law,
     .base = BR_FRICTION_COULOMB, .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN,
     .example = "coulomb, smooth, dahl, lugre or bristle", .hash = 1},
    {"shape", "For smooth", offsetof(br_friction_def, shape), BR_FIELD_WORD, .words = br_words_friction_shape,
     .hash = 2},
    {NULL, NULL, offsetof(br_friction_def, load_constant), BR_FIELD_CHOICE, .hash = 3},
    {"mu", "Both coefficients", .type = BR_FIELD_KEY, .form = "quantity"},
    {"mu_static", "Coefficient at rest", offsetof(br_friction_def, mu_static), BR_FIELD_NUMBER, BR_DIM_NONE,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 4},
    {"mu_kinetic", "Coefficient while sliding", offsetof(br_friction_def, mu_kinetic), BR_FIELD_NUMBER,
     BR_DIM_NONE, .flags = BR_FIELD_READ_BY_CODE, .hash = 5},
    {"v_slope", "smooth: velocity at which it is fully developed, m/s", offsetof(br_friction_def, v_slope),
     BR_FIELD_NUMBER, BR_DIM_VELOCITY, .flags = BR_FIELD_TURNS, .hash = 6},
    {"sigma_0", "Bristle stiffness, 1/m", offsetof(br_friction_def, sigma_0), BR_FIELD_NUMBER,
     BR_DIM_PER_LENGTH, .flags = BR_FIELD_TURNS | BR_FIELD_INFINITE, .hash = 7},
    {"sigma_1", "Bristle damping, s/m", offsetof(br_friction_def, sigma_1), BR_FIELD_NUMBER,
     BR_DIM_TIME_PER_LENGTH, .flags = BR_FIELD_TURNS, .hash = 8},
    {"sigma_2", "Viscous, s/m", offsetof(br_friction_def, sigma_2), BR_FIELD_NUMBER, BR_DIM_TIME_PER_LENGTH,
     .flags = BR_FIELD_TURNS, .hash = 9},
    {"v_stribeck", "m/s", offsetof(br_friction_def, v_stribeck), BR_FIELD_NUMBER, BR_DIM_VELOCITY,
     .flags = BR_FIELD_TURNS, .hash = 10},
    {"stribeck_exponent", "Default 2", offsetof(br_friction_def, stribeck_exponent), BR_FIELD_NUMBER,
     BR_DIM_NONE, .hash = 11},
    {"load", "N: what the joint's reaction gives, or a constant", offsetof(br_friction_def, load),
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .form = "friction_load", .hash = 12},
    {"pin_radius",
     "Radius of the pin, ball or thread, m: v = radius times angular velocity. Needed by revolute, screw, "
     "universal and spherical joints whose load is their reaction; cylindrical without it turns freely",
     offsetof(br_friction_def, pin_radius), BR_FIELD_NUMBER, BR_DIM_LENGTH, .hash = 13},
    {"friction_arm",
     "m. revolute, universal: arm of the force along the axis, which adds arm/radius |F_z|. prismatic: arm "
     "of "
     "the moment about the axis, which adds |M_z|/arm. planar: v = arm times angular velocity. Default: none",
     offsetof(br_friction_def, friction_arm), BR_FIELD_NUMBER, BR_DIM_LENGTH, .hash = 14},
    {"guide_length",
     "Length of the guide or bearing, m: N is the sum at its two ends, so that moments wedge it. Default: "
     "moments do not count",
     offsetof(br_friction_def, guide_length), BR_FIELD_NUMBER, BR_DIM_LENGTH, .hash = 15},
    {"preload", "Added to the reaction's load, N", offsetof(br_friction_def, preload), BR_FIELD_NUMBER,
     BR_DIM_FORCE, .hash = 16},
    {"compliance", "Of the sliding direction while it sticks, m/N", offsetof(br_friction_def, compliance),
     BR_FIELD_NUMBER, BR_DIM_COMPLIANCE, .hash = 17},
    // Words of Adams for the same things.
    {"MU_STATIC", .type = BR_FIELD_ALIAS, .same = "mu_static"},
    {"MU_DYNAMIC", .type = BR_FIELD_ALIAS, .same = "mu_kinetic"},
    {"PIN_RADIUS", .type = BR_FIELD_ALIAS, .same = "pin_radius"},
    {"BALL_RADIUS", .type = BR_FIELD_ALIAS, .same = "pin_radius"},
    {"FRICTION_ARM", .type = BR_FIELD_ALIAS, .same = "friction_arm"},
    {"REACTION_ARM", .type = BR_FIELD_ALIAS, .same = "friction_arm"},
    {"INITIAL_OVERLAP", .type = BR_FIELD_ALIAS, .same = "guide_length"},
    {"FRICTION_FORCE_PRELOAD", .type = BR_FIELD_ALIAS, .same = "preload"},
    {"STICTION_TRANSITION_VELOCITY", .type = BR_FIELD_ALIAS, .same = "v_slope"},
};

const br_def br_def_friction = {"friction", NULL, sizeof(br_friction_def), friction_fields,
                                sizeof friction_fields / sizeof *friction_fields};
