// Bodies and shapes: br_body_def, br_shape_def.
#include "model/def/field.h"

static const br_def_field body_fields[] = {
    {NULL, NULL, offsetof(br_body_def, name), BR_FIELD_TEXT, .hash = 1},
    {"mass", "kg, > 0 unless the body cannot move or carries bodies that have mass",
     offsetof(br_body_def, mass), BR_FIELD_NUMBER, BR_DIM_MASS,
     .flags = BR_FIELD_NEEDED | BR_FIELD_CHECKED_BY_CODE | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER kg",
     .hash = 2},
    {"com", "Centre of mass in the body frame, m. Default: its origin", offsetof(br_body_def, com),
     BR_FIELD_VECTOR, BR_DIM_LENGTH, .hash = 3},
    {"inertia", NULL, offsetof(br_body_def, inertia), BR_FIELD_NUMBER, BR_DIM_INERTIA, 6,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .form = "inertia",
     .hash = 4},
    {"pose", "Of the body frame, where the joints are at zero. Default: that of the world",
     offsetof(br_body_def, pose), BR_FIELD_POSE, .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_WRITTEN_BY_CODE,
     .form = "body_pose", .hash = 5},
    {"velocity", "At the start", .type = BR_FIELD_KEY, .form = "body_velocity"},
    {"frames", "Named frames on the body, for `at: BODY.FRAME`", .type = BR_FIELD_KEY, .form = "frames"},
    {"shapes", NULL, .type = BR_FIELD_KEY, .form = "shapes"},
    {NULL, NULL, offsetof(br_body_def, has_velocity), BR_FIELD_CHOICE, .hash = 6},
};

const br_def br_def_body = {"body", NULL, sizeof(br_body_def), body_fields,
                            sizeof body_fields / sizeof *body_fields};

// The keys of each kind of shape; radius is size.x.
static const br_def_field sphere_fields[] = {
    {"radius", "m", offsetof(br_shape_def, size), BR_FIELD_NUMBER, BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED,
     .example = "NUMBER m"},
};
static const br_def_field box_fields[] = {
    {"size", "Full lengths, m", offsetof(br_shape_def, size), BR_FIELD_VECTOR, BR_DIM_LENGTH,
     .flags = BR_FIELD_NEEDED, .example = "[X m, Y m, Z m]"},
};
static const br_def_field cylinder_fields[] = {
    {"radius", "m", offsetof(br_shape_def, size), BR_FIELD_NUMBER, BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED,
     .example = "NUMBER m"},
    {"length", "m; of a capsule between the centres of the caps", offsetof(br_shape_def, length),
     BR_FIELD_NUMBER, BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED, .example = "NUMBER m"},
    {"axis", "Default z", offsetof(br_shape_def, axis), BR_FIELD_DIRECTION, .usual = 1.0},
};
static const br_def_field disk_fields[] = {
    {"radius", "m", offsetof(br_shape_def, size), BR_FIELD_NUMBER, BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED,
     .example = "NUMBER m"},
    {"axis", "Default z", offsetof(br_shape_def, axis), BR_FIELD_DIRECTION, .usual = 1.0},
};
static const br_def_field ellipsoid_fields[] = {
    {"radii", "m", offsetof(br_shape_def, size), BR_FIELD_VECTOR, BR_DIM_LENGTH, .flags = BR_FIELD_NEEDED,
     .example = "[X m, Y m, Z m]"},
};
static const br_def_field convex_fields[] = {
    {"points", NULL, .type = BR_FIELD_KEY, .form = "points"},
    {"file", "STL or OBJ, beside the model or below; the hull of its vertices", .type = BR_FIELD_KEY,
     .form = "name"},
    {"scale", "Of the file's numbers; default 1", .type = BR_FIELD_KEY, .form = "quantity"},
};
static const br_def_field plane_fields[] = {
    {"normal", NULL, offsetof(br_shape_def, axis), BR_FIELD_DIRECTION, .flags = BR_FIELD_ALWAYS_WRITTEN},
    {"point", "m", offsetof(br_shape_def, pose) + offsetof(br_pose, position), BR_FIELD_VECTOR, BR_DIM_LENGTH,
     .flags = BR_FIELD_WRITTEN_BY_CODE},
};
static const br_def_field field_fields[] = {
    {"spacing", "Of the grid along x and y, m", .type = BR_FIELD_KEY, .form = "two_numbers",
     .flags = BR_FIELD_NEEDED},
    {"heights", "Rows along x, one after the other along y; m", .type = BR_FIELD_KEY, .form = "heights",
     .flags = BR_FIELD_NEEDED},
};

const br_def br_def_shapes[BR_SHAPE_TYPES] = {
    [BR_SHAPE_SPHERE] = {"sphere", NULL, sizeof(br_shape_def), sphere_fields,
                         sizeof sphere_fields / sizeof *sphere_fields},
    [BR_SHAPE_BOX] = {"box", NULL, sizeof(br_shape_def), box_fields, sizeof box_fields / sizeof *box_fields},
    [BR_SHAPE_CAPSULE] = {"capsule", NULL, sizeof(br_shape_def), cylinder_fields,
                          sizeof cylinder_fields / sizeof *cylinder_fields},
    [BR_SHAPE_CYLINDER] = {"cylinder", NULL, sizeof(br_shape_def), cylinder_fields,
                           sizeof cylinder_fields / sizeof *cylinder_fields},
    [BR_SHAPE_DISK] = {"disk", NULL, sizeof(br_shape_def), disk_fields,
                       sizeof disk_fields / sizeof *disk_fields},
    [BR_SHAPE_ELLIPSOID] = {"ellipsoid", NULL, sizeof(br_shape_def), ellipsoid_fields,
                            sizeof ellipsoid_fields / sizeof *ellipsoid_fields},
    [BR_SHAPE_CONVEX] = {"convex", NULL, sizeof(br_shape_def), convex_fields,
                         sizeof convex_fields / sizeof *convex_fields},
    [BR_SHAPE_PLANE] = {"plane", NULL, sizeof(br_shape_def), plane_fields,
                        sizeof plane_fields / sizeof *plane_fields},
    [BR_SHAPE_HEIGHTFIELD] = {"heightfield", NULL, sizeof(br_shape_def), field_fields,
                              sizeof field_fields / sizeof *field_fields},
};

static const br_def_field shape_fields[] = {
    {"sphere", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_SPHERE]},
    {"box", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_BOX]},
    {"capsule", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_CAPSULE]},
    {"cylinder", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_CYLINDER]},
    {"disk", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_DISK]},
    {"ellipsoid", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_ELLIPSOID]},
    {"convex", NULL, .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_CONVEX]},
    {"plane", "Default: the floor, z = 0", .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_PLANE],
     .form = "nothing"},
    {"heightfield", "Heights over a grid that begins at the shape's origin; solid below",
     .type = BR_FIELD_KIND, .def = &br_def_shapes[BR_SHAPE_HEIGHTFIELD]},
    {"material", NULL, offsetof(br_shape_def, material), BR_FIELD_TEXT, .hash = 3},
    {"pose", "In the body frame; of a ground shape in the world", .type = BR_FIELD_KEY, .form = "pose"},
    {"name", NULL, offsetof(br_shape_def, name), BR_FIELD_TEXT, .hash = 2},
    {"category", "Bits; two shapes may touch when the category of one meets the mask of the other; default 1",
     .type = BR_FIELD_KEY, .form = "bits"},
    {"mask", "See category; default 1", .type = BR_FIELD_KEY, .form = "bits"},
    {NULL, NULL, offsetof(br_shape_def, type), BR_FIELD_CHOICE, .hash = 1},
    {NULL, NULL, offsetof(br_shape_def, pose), BR_FIELD_POSE, .hash = 4},
    {NULL, NULL, offsetof(br_shape_def, size), BR_FIELD_VECTOR, .hash = 5},
    {NULL, NULL, offsetof(br_shape_def, length), BR_FIELD_NUMBER, .hash = 6},
    {NULL, NULL, offsetof(br_shape_def, axis), BR_FIELD_VECTOR, .hash = 7},
    {NULL, NULL, offsetof(br_shape_def, point_count), BR_FIELD_CHOICE, .hash = 8},
    {NULL, NULL, offsetof(br_shape_def, columns), BR_FIELD_CHOICE, .hash = 9},
    {NULL, NULL, offsetof(br_shape_def, rows), BR_FIELD_CHOICE, .hash = 10},
    {NULL, NULL, offsetof(br_shape_def, spacing), BR_FIELD_VECTOR, .hash = 11},
};

const br_def br_def_shape = {"shape", NULL, sizeof(br_shape_def), shape_fields,
                             sizeof shape_fields / sizeof *shape_fields};
