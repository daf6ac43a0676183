// What a builder holds: checked copies of the definitions, in the order in which they came.
#ifndef BR_MODEL_BUILD_BUILDER_H
#define BR_MODEL_BUILD_BUILDER_H

#include "base/arena.h"
#include "model/build/visual.h"
#include "model/def/names.h"
#include "model/def/validate.h"

// A direction or quaternion this near unit length is left as it is, so that what reads back keeps its bits.
#define BR_EPS_UNIT 4e-16

// The line of a beam, measured once.
typedef struct br_beam_line {
    double length;  // m
    int corners;    // strictly inside
    double *corner; // their stations, rising
} br_beam_line;

struct br_builder {
    br_arena arena;
    br_settings settings;
    br_names body_names, joint_names, load_names, drive_names, constraint_names, material_names, pair_names;
    br_names beam_names, clearance_names, sensor_names;
    // Each array has the count of its names; capacities grow by doubling.
    br_body_def *body;
    br_joint_def *joint;
    br_load_def *load;
    br_drive_def *drive;
    br_constraint_def *constraint;
    br_shape_def *ground;
    br_pair_def *pair;
    br_beam_def *beam;
    br_beam_line *beam_line; // as many as beams
    br_clearance_def *clearance;
    br_sensor_def *sensor;
    int body_capacity, joint_capacity, load_capacity, drive_capacity, constraint_capacity;
    int grounds, ground_capacity, pairs, pair_capacity;
    int beam_capacity, beam_line_capacity, clearance_capacity, sensor_capacity;
    br_visual *visual; // see visual.h
    int visuals, visual_capacity;
    const char **note; // for br_model_notes
    int notes, note_capacity;
    int controlled; // nonzero: targets of drives came from a table in another file
    int imported;   // nonzero: read from a file of another program, alone or under a model file
};

// --- for readers that change what another one read: the element keeps its number and name ---------------------

int br_builder_pair_find(const br_builder *builder, const char *first, const char *second); // -1: none
br_status br_builder_replace_joint(br_builder *builder, int index, const br_joint_def *def, br_error *error);
br_status br_builder_replace_load(br_builder *builder, int index, const br_load_def *def, br_error *error);
br_status br_builder_replace_drive(br_builder *builder, int index, const br_drive_def *def, br_error *error);
br_status br_builder_replace_pair(br_builder *builder, int index, const br_pair_def *def, br_error *error);

// --- for builder*.c ----------------------------------------------------------------------------------------

#define BR_BUILDER_GROW(builder, array, count)                                                               \
    BR_GROW(&(builder)->arena, (builder)->array, (count), (builder)->array##_capacity)

br_status br_builder_no_memory(br_error *error);

// The name's rules and that it is new. Every named element passes here first.
br_status br_check_new_name(const br_names *names, const br_place *place, const char *what);
// That it is not the name of another kind of element whose channels look the same.
br_status br_check_other_name(const br_names *names, const br_place *place, const char *what,
                              const char *other);

#endif
