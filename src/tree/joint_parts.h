// What several joint kinds share: the unit twists and wrenches of F's axes and turns about z.
#ifndef BR_TREE_JOINT_PARTS_H
#define BR_TREE_JOINT_PARTS_H

#include "math/elementary.h"
#include "tree/joint.h"

static inline br_twist br_turn(int axis) {
    return br_twist_of(br_vec3_unit(axis), br_vec3_zero());
}

static inline br_twist br_slide(int axis) {
    return br_twist_of(br_vec3_zero(), br_vec3_unit(axis));
}

static inline br_wrench br_unit_force(int axis) {
    return br_wrench_of(br_vec3_zero(), br_vec3_unit(axis));
}

static inline br_wrench br_unit_torque(int axis) {
    return br_wrench_of(br_vec3_unit(axis), br_vec3_zero());
}

static inline br_mat3 br_turn_z(double angle) {
    double s, c;
    br_sincos(angle, &s, &c);
    br_mat3 r = {{{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}}};
    return r;
}

// The angle about z of the turn nearest to R: the one that maximizes trace(R_z^T R).
static inline double br_angle_z(br_mat3 R) {
    return br_atan2(R.m[1][0] - R.m[0][1], R.m[0][0] + R.m[1][1]);
}

static inline br_quat br_quat_load(const double *q) {
    return br_quat_of(q[0], q[1], q[2], q[3]);
}

static inline void br_quat_store(br_quat r, double *q) {
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
}

// Rotation matrix of a quaternion that may be off unit length by the error of an integrator.
static inline br_mat3 br_quat_to_mat3_scaled(br_quat q) {
    return br_quat_to_mat3(br_quat_normalize(q));
}

#endif
