// Universal (Hooke): an angle a about z of F, then an angle b about x of M: R_FM = Rz(a) Rx(b). Its cross has the arms
// z of F and x of M, which stay perpendicular; the one torque it transmits is along their cross product.
#include "math/elementary.h"
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void universal_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    double sa, ca, sb, cb;
    br_sincos(q[0], &sa, &ca);
    br_sincos(q[1], &sb, &cb);
    out->R_FM = br_mat3_of_rows(br_vec3_of(ca, -sa * cb, sa * sb), br_vec3_of(sa, ca * cb, -ca * sb),
                                br_vec3_of(0.0, sb, cb));
    out->p_FM = br_vec3_zero();
    out->S[0] = br_turn(2);
    out->S[1] = br_twist_of(br_vec3_of(ca, sa, 0.0), br_vec3_zero());
}

// d/dt of the second arm: da/dt z x (ca, sa, 0)
static void universal_product(double parameter, const double *q, const double *v, br_joint_motion *out) {
    (void)parameter, (void)q;
    const br_vec3 arm = out->S[1].angular;
    out->zeta = br_twist_of(br_vec3_scale(v[0] * v[1], br_vec3_of(-arm.y, arm.x, 0.0)), br_vec3_zero());
}

static void universal_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    for (int k = 0; k < 3; k++) out->T[k] = br_unit_force(k);
    out->T[3] = br_wrench_of(br_vec3_of(-br_sin(q[0]), br_cos(q[0]), 0.0), br_vec3_zero());
}

// From x of M = (ca, sa, 0) and z of F in M = (0, sb, cb): each taken alone, so that a cross out of square spoils both
// angles equally little.
static void universal_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter, (void)p;
    q[0] = br_atan2(R.m[1][0], R.m[0][0]);
    q[1] = br_atan2(R.m[2][1], R.m[2][2]);
}

static void universal_pads(const br_pad_place *at, br_pad *pads) {
    const br_pin_axes along_x_of_M = {br_mat3_column(at->R_FM, 0), br_mat3_column(at->R_FM, 1),
                                      br_mat3_column(at->R_FM, 2)};
    br_pad_pin(&pads[0], at, br_pin_along_z);
    br_pad_pin(&pads[1], at, along_x_of_M);
}

const br_joint_kind br_joint_universal = {.type = BR_JOINT_UNIVERSAL,
                                          .name = "universal",
                                          .nq = 2,
                                          .nv = 2,
                                          .coordinates = "AA",
                                          .axis = BR_AXIS_SPATIAL,
                                          .in_plane = "use revolute about the plane's normal",
                                          .tumbles = 1,
                                          .angles = 3u,
                                          .pose = universal_pose,
                                          .product = universal_product,
                                          .complement = universal_complement,
                                          .measure = universal_measure,
                                          .pads = 2,
                                          .pad_sizes = BR_PAD_RADIUS | BR_PAD_ARM | BR_PAD_LENGTH,
                                          .fill_pads = universal_pads};
