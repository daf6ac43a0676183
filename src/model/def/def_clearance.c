// Joints with play: br_clearance_def.
#include "model/def/field.h"

// Hertz has N/m^1.5 and Hunt-Crossley s/m: the law gives the dimension, not the key.
static const br_def_field contact_fields[] = {
    {"law", NULL, offsetof(br_clearance_def, law), BR_FIELD_WORD, .words = br_words_clearance_law,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_ALWAYS_WRITTEN, .hash = 7},
    {"stiffness", "linear: N/m; others: N/m^exponent", offsetof(br_clearance_def, stiffness), BR_FIELD_NUMBER,
     BR_DIM_STIFFNESS, .flags = BR_FIELD_LINEAR | BR_FIELD_CHECKED_BY_CODE, .hash = 11},
    {"damping", "linear, hertz: N s/m; hunt_crossley: s/m. Default 0", offsetof(br_clearance_def, damping),
     BR_FIELD_NUMBER, BR_DIM_DAMPING, .flags = BR_FIELD_READ_BY_CODE, .hash = 12},
    {"exponent", "Default 1 for linear, 1.5 for the others", offsetof(br_clearance_def, exponent),
     BR_FIELD_NUMBER, BR_DIM_NONE, .flags = BR_FIELD_ALWAYS_WRITTEN | BR_FIELD_CHECKED_BY_CODE, .hash = 13},
    {"restitution", "lankarani_nikravesh: 0 .. 1", offsetof(br_clearance_def, restitution), BR_FIELD_NUMBER,
     BR_DIM_NONE, .flags = BR_FIELD_CHECKED_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .hash = 14},
    {"table", "From 0 N at 0 m, both rising; straight between points, and so beyond the last",
     .type = BR_FIELD_KEY, .form = "depth_table"},
};

const br_def br_def_clearance_contact = {"contact", NULL, sizeof(br_clearance_def), contact_fields,
                                         sizeof contact_fields / sizeof *contact_fields};

static const br_def_field clearance_fields[] = {
    {NULL, NULL, offsetof(br_clearance_def, name), BR_FIELD_TEXT, .hash = 1},
    {NULL, NULL, offsetof(br_clearance_def, type), BR_FIELD_CHOICE, .hash = 2},
    {NULL, NULL, offsetof(br_clearance_def, first), BR_FIELD_TEXT, .hash = 3},
    {NULL, NULL, offsetof(br_clearance_def, second), BR_FIELD_TEXT, .hash = 4},
    {NULL, NULL, offsetof(br_clearance_def, X_AF), BR_FIELD_POSE, .hash = 5},
    {NULL, NULL, offsetof(br_clearance_def, X_BM), BR_FIELD_POSE, .hash = 6},
    {"planar", "A pin in a hole, kept in its plane. [outer race, inner race]", .type = BR_FIELD_KIND,
     .form = "two_names"},
    {"spherical", "A ball in a socket. [outer race, inner race]", .type = BR_FIELD_KIND, .form = "two_names"},
    {"spatial", "A thin disk in a cylinder. [outer race, inner race]", .type = BR_FIELD_KIND,
     .form = "two_names"},
    {"journal",
     "Two such disks, length apart; their channels are NAME.a and NAME.b. [outer race, inner race]",
     .type = BR_FIELD_KIND, .form = "two_names"},
    {"at", "Centre of both races. Default: the origin of the second body", .type = BR_FIELD_KEY,
     .form = "at"},
    {"axis", "Of both races; in planar models the normal of the plane, none for spherical",
     .type = BR_FIELD_KEY, .form = "axis"},
    {"outer", "Radius of the outer race, m", offsetof(br_clearance_def, outer_radius), BR_FIELD_NUMBER,
     BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED | BR_FIELD_ABOVE | BR_FIELD_ALWAYS_WRITTEN,
     .example = "NUMBER mm (radius of the outer race)",
     .fault = "the outer radius of clearance {name} is {x} m, expected a number above 0", .hash = 8},
    {"inner", "Radius of the inner race, m, less than outer", offsetof(br_clearance_def, inner_radius),
     BR_FIELD_NUMBER, BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED | BR_FIELD_ABOVE | BR_FIELD_ALWAYS_WRITTEN,
     .example = "NUMBER mm (radius of the inner race)",
     .fault = "the inner radius of clearance {name} is {x} m, expected a number above 0", .hash = 9},
    {"length", "journal: distance of its two ends, m", offsetof(br_clearance_def, length), BR_FIELD_NUMBER,
     BR_DIM_LENGTH, .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE, .only = "journal", .hash = 10},
    {"contact", "Force of the depth d and its rate d'", .type = BR_FIELD_GROUP,
     .def = &br_def_clearance_contact,
     .flags = BR_FIELD_NEEDED | BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE | BR_FIELD_WRITTEN_BY_CODE},
    {"friction", NULL, offsetof(br_clearance_def, friction), BR_FIELD_STRUCT, .def = &br_def_friction,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 16},
    {NULL, NULL, offsetof(br_clearance_def, table_count), BR_FIELD_CHOICE, .hash = 15},
};

const br_def br_def_clearance = {"clearance", "clearance-size", sizeof(br_clearance_def), clearance_fields,
                                 sizeof clearance_fields / sizeof *clearance_fields};
