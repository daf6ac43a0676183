// What a builder holds: checked copies of the definitions, in the order in which they came.
#ifndef BR_MODEL_BUILDER_H
#define BR_MODEL_BUILDER_H

#include "base/arena.h"
#include "model/names.h"

// A direction or quaternion this near unit length is left as it is, so that what reads back keeps its bits.
#define BR_EPS_UNIT 4e-16

struct br_builder {
    br_arena arena;
    br_settings settings;
    br_names body_names, joint_names, load_names, drive_names, constraint_names, material_names, pair_names;
    // Each array has the count of its names; capacities grow by doubling.
    br_body_def *body;
    br_joint_def *joint;
    br_load_def *load;
    br_drive_def *drive;
    br_constraint_def *constraint;
    br_shape_def *ground;
    br_pair_def *pair;
    int body_capacity, joint_capacity, load_capacity, drive_capacity, constraint_capacity;
    int grounds, ground_capacity, pairs, pair_capacity;
    const char **note; // for br_model_notes
    int notes, note_capacity;
};

#endif
