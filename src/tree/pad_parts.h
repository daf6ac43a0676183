// What the pads of a joint kind are made of: each joint_*.c fills in its own, in F's axes at M's origin.
#ifndef BR_TREE_PAD_PARTS_H
#define BR_TREE_PAD_PARTS_H

#include "tree/joint_parts.h"
#include "tree/pad.h"

// Where a joint rubs, see br_joint_pads.
struct br_pad_place {
    br_mat3 R_FM;
    double parameter;
    const br_friction_def *friction;
    const br_vec3 *planar_F;
};

// A pin's axis a and two across it, right-handed (b x c = a).
typedef struct br_pin_axes {
    br_vec3 a, b, c;
} br_pin_axes;

extern const br_pin_axes br_pin_along_z;

br_wrench br_force_along(double s, br_vec3 axis);
br_wrench br_torque_along(double s, br_vec3 axis);

// An empty pad with its preload. What follows is added in the order of the coordinates.
void br_pad_begin(br_pad *pad, const br_pad_place *at);
void br_pad_add_direction(br_pad *pad, const br_pad_place *at, br_wrench D, double arm);
void br_pad_add_norm(br_pad *pad, const br_pad_place *at, int forms, const br_wrench *form);
// |F| across the axis, or |n_1| + |n_2| of the two ends.
void br_pad_load_across(br_pad *pad, const br_pad_place *at, br_pin_axes p);
// A whole pad: a pin that turns about p.a.
void br_pad_pin(br_pad *pad, const br_pad_place *at, br_pin_axes p);

double br_pin_arm(const br_pad_place *at);           // the radius, or 1 where the load is a torque
int br_pad_follows_reaction(const br_pad_place *at); // and is not constant

#endif
