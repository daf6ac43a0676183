// Beams and their sections: br_beam_def, br_section_def.
#include "model/def/field.h"

// The sizes of each shape of a section, m, in the order of br_section_def.size.
static const br_def_field circle_fields[] = {
    {"radius", "m", offsetof(br_section_def, size), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
};
static const br_def_field tube_fields[] = {
    {"outer", "Outer radius, m", offsetof(br_section_def, size[0]), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
    {"inner", "Inner radius, m", offsetof(br_section_def, size[1]), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
};
static const br_def_field rectangle_fields[] = {
    {"size", "[along y, along z], m", offsetof(br_section_def, size), BR_FIELD_NUMBER, BR_DIM_LENGTH, 2,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "[along y mm, along z mm]"},
};
static const br_def_field I_fields[] = {
    {"height", "Along y, m", offsetof(br_section_def, size[0]), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
    {"width", "Along z, m", offsetof(br_section_def, size[1]), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
    {"web", "Thickness of the web, m", offsetof(br_section_def, size[2]), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
    {"flange", "Thickness of a flange, m", offsetof(br_section_def, size[3]), BR_FIELD_NUMBER, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER mm"},
};

const br_def br_def_sections[] = {
    {"circle", NULL, sizeof(br_section_def), circle_fields, sizeof circle_fields / sizeof *circle_fields},
    {"tube", NULL, sizeof(br_section_def), tube_fields, sizeof tube_fields / sizeof *tube_fields},
    {"rectangle", NULL, sizeof(br_section_def), rectangle_fields,
     sizeof rectangle_fields / sizeof *rectangle_fields},
    {"I", NULL, sizeof(br_section_def), I_fields, sizeof I_fields / sizeof *I_fields},
};

static const br_def_field section_fields[] = {
    {"EI", "Bending stiffness, N m^2: one number, or [about y, about z]", offsetof(br_section_def, EI_y),
     BR_FIELD_NUMBER, BR_DIM_BENDING, 2, .flags = BR_FIELD_READ_BY_CODE, .form = "one_or_two", .hash = 14},
    {"GJ", "Torsional stiffness, N m^2", offsetof(br_section_def, GJ), BR_FIELD_NUMBER, BR_DIM_BENDING,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 13},
    {"EA", "Axial stiffness, N", offsetof(br_section_def, EA), BR_FIELD_NUMBER, BR_DIM_FORCE,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 11},
    {"kGA", "Shear stiffness with its correction, N: one number, or [along y, along z]",
     offsetof(br_section_def, GA_y), BR_FIELD_NUMBER, BR_DIM_FORCE, 2, .flags = BR_FIELD_READ_BY_CODE,
     .form = "one_or_two", .hash = 12},
    {"mass", "kg/m", offsetof(br_section_def, mass), BR_FIELD_NUMBER, BR_DIM_LINE_DENSITY,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 15},
    {"inertia",
     "Per length about the centre of mass, kg m: [polar, y, z], or the polar one, of which the others are "
     "halves. Default 0",
     offsetof(br_section_def, inertia), BR_FIELD_NUMBER, BR_DIM_LINE_INERTIA, 3,
     .flags = BR_FIELD_READ_BY_CODE, .form = "one_or_three", .hash = 16},
    {"offset", "Centre of mass from the line along y and z, m. Default [0, 0]",
     offsetof(br_section_def, offset_y), BR_FIELD_NUMBER, BR_DIM_LENGTH, 2, .flags = BR_FIELD_SIGNED,
     .hash = 17},
    {"E", "Modulus of elasticity, Pa", offsetof(br_section_def, E), BR_FIELD_NUMBER, BR_DIM_PRESSURE,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 8},
    {"nu", "Poisson's ratio; default 0.3", offsetof(br_section_def, nu), BR_FIELD_NUMBER, BR_DIM_NONE,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 9},
    {"density", "kg/m^3", offsetof(br_section_def, density), BR_FIELD_NUMBER, BR_DIM_DENSITY,
     .flags = BR_FIELD_READ_BY_CODE, .hash = 10},
    {"circle", "Solid and round", .type = BR_FIELD_KIND, .def = &br_def_sections[0]},
    {"tube", "Round with a hole", .type = BR_FIELD_KIND, .def = &br_def_sections[1]},
    {"rectangle", "Solid", .type = BR_FIELD_KIND, .def = &br_def_sections[2]},
    {"I", "A web along y between two flanges along z", .type = BR_FIELD_KIND, .def = &br_def_sections[3]},
    {NULL, NULL, offsetof(br_section_def, shape), BR_FIELD_CHOICE, .hash = 6},
    {NULL, NULL, offsetof(br_section_def, size), BR_FIELD_NUMBER, BR_DIM_LENGTH, 4, .hash = 7},
};

const br_def br_def_section = {"section", NULL, sizeof(br_section_def), section_fields,
                               sizeof section_fields / sizeof *section_fields};

static const br_def_field beam_fields[] = {
    {NULL, NULL, offsetof(br_beam_def, name), BR_FIELD_TEXT, .hash = 1},
    {NULL, NULL, offsetof(br_beam_def, line), BR_FIELD_CHOICE, .hash = 2},
    {NULL, NULL, offsetof(br_beam_def, point_count), BR_FIELD_CHOICE, .hash = 3},
    {"from", "Start of a straight beam, world, m", .type = BR_FIELD_KEY, .form = "vector"},
    {"to", "Its end", .type = BR_FIELD_KEY, .form = "vector"},
    {"points", "Straight from point to point; corners stay corners", .type = BR_FIELD_KEY,
     .form = "line_points"},
    {"arc", "The circular arc through three points", .type = BR_FIELD_KEY, .form = "arc_points"},
    {"spline", "Smooth through all points", .type = BR_FIELD_KEY, .form = "line_points"},
    {"elements", "1 to 100000; corners and stations that are named add some", offsetof(br_beam_def, elements),
     BR_FIELD_WHOLE, .usual = 10.0,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE | BR_FIELD_ALWAYS_WRITTEN, .hash = 5},
    {"up", "The section's z axis tends to it. Default: z of the world, x for lines along z",
     offsetof(br_beam_def, up), BR_FIELD_DIRECTION, .flags = BR_FIELD_CHECKED_BY_CODE, .hash = 4},
    {"twist", "Angle by which the section turns about the line from start to end, rad",
     offsetof(br_beam_def, twist), BR_FIELD_NUMBER, BR_DIM_ANGLE, .flags = BR_FIELD_SIGNED, .hash = 18},
    {"section", NULL, offsetof(br_beam_def, section), BR_FIELD_GROUP, .def = &br_def_section,
     .flags = BR_FIELD_NEEDED | BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE | BR_FIELD_WRITTEN_BY_CODE},
    {"damping", "s: stress = C (strain + damping rate). Default 0", offsetof(br_beam_def, damping),
     BR_FIELD_NUMBER, BR_DIM_TIME, .flags = BR_FIELD_WRITTEN_BY_CODE, .hash = 19},
    {"attach",
     "STATION: BODY, fixed rigidly as the poses are given. Stations are fractions of the length, start or "
     "end; bodies: a body, world or BEAM.sX",
     .type = BR_FIELD_KEY, .form = "attach"},
    {"velocity", "A rigid motion at the start", .type = BR_FIELD_KEY, .form = "rigid_motion"},
};

const br_def br_def_beam = {"beam", NULL, sizeof(br_beam_def), beam_fields,
                            sizeof beam_fields / sizeof *beam_fields};
