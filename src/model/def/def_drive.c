// Drives: br_drive_def.
#include "model/def/field.h"

static const br_def_field servo_fields[] = {
    {"position", "Target, rad or m", .type = BR_FIELD_KEY, .form = "function", .flags = BR_FIELD_NEEDED,
     .example = "NUMBER, an expression in t or {table: ...}"},
    {"stiffness", "N m/rad or N/m", offsetof(br_drive_def, stiffness), BR_FIELD_NUMBER, BR_DIM_STIFFNESS,
     .flags = BR_FIELD_TURNS | BR_FIELD_NEEDED | BR_FIELD_ALWAYS_WRITTEN, .example = "NUMBER", .hash = 6},
    {"damping", "N m s/rad or N s/m; default 0", offsetof(br_drive_def, damping), BR_FIELD_NUMBER,
     BR_DIM_DAMPING, .flags = BR_FIELD_TURNS | BR_FIELD_ALWAYS_WRITTEN, .hash = 7},
};

const br_def br_def_servo = {"servo", NULL, sizeof(br_drive_def), servo_fields,
                             sizeof servo_fields / sizeof *servo_fields};

static const br_def_field drive_fields[] = {
    {NULL, NULL, offsetof(br_drive_def, name), BR_FIELD_TEXT, .hash = 1},
    {NULL, NULL, offsetof(br_drive_def, type), BR_FIELD_CHOICE, .hash = 2},
    {NULL, NULL, offsetof(br_drive_def, target), BR_FIELD_FUNCTION, .hash = 5},
    {"joint", NULL, offsetof(br_drive_def, joint), BR_FIELD_TEXT,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_NEEDED, .hash = 3},
    {"coordinate", "Which coordinate of the joint, from 0", offsetof(br_drive_def, coordinate),
     BR_FIELD_WHOLE, .high = BR_MAX_JOINT_V - 1, .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE,
     .hash = 4},
    {"torque", "N m, on what turns", .type = BR_FIELD_KIND, .form = "function"},
    {"force", "N, on what slides", .type = BR_FIELD_KIND, .form = "function"},
    {"velocity", "rad/s or m/s: kept exactly, or within max_torque", .type = BR_FIELD_KIND,
     .form = "function"},
    {"position", "rad or m: kept exactly", .type = BR_FIELD_KIND, .form = "function"},
    {"servo", "effort = stiffness (position - q) - damping v", .type = BR_FIELD_GROUP, .def = &br_def_servo,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_CHECKED_BY_CODE},
    {"max_torque", "N m; default inf", offsetof(br_drive_def, max_effort), BR_FIELD_NUMBER, BR_DIM_FORCE,
     .usual = INFINITY, .flags = BR_FIELD_TURNS | BR_FIELD_INFINITE | BR_FIELD_ABOVE,
     .fault = "the largest effort of drive {name} is {x}, expected more than 0", .code = "drive-effort",
     .hash = 8},
    {"max_force", "N; default inf", .type = BR_FIELD_ALIAS, .same = "max_torque"},
};

const br_def br_def_drive = {"drive", NULL, sizeof(br_drive_def), drive_fields,
                             sizeof drive_fields / sizeof *drive_fields};
