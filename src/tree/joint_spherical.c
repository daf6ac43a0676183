// Spherical: a quaternion; its velocity is the angular velocity in the axes of M, whose rate at constant v is zero in
// F's axes too, since w x w = 0.
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void spherical_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    out->R_FM = br_quat_to_mat3_scaled(br_quat_load(q));
    out->p_FM = br_vec3_zero();
    for (int k = 0; k < 3; k++) out->S[k] = br_twist_of(br_mat3_column(out->R_FM, k), br_vec3_zero());
}

static void spherical_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    for (int k = 0; k < 3; k++) out->T[k] = br_unit_force(k);
}

static void spherical_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter, (void)p;
    br_quat_store(br_quat_from_mat3(R), q);
}

static void spherical_advance(const double *q, const double *v, double h, double *q_next) {
    const br_quat turn = br_quat_exp(br_vec3_of(h * v[0], h * v[1], h * v[2]));
    br_quat_store(br_quat_normalize(br_quat_mul(br_quat_load(q), turn)), q_next);
}

static void rate(const double *q, const double *v, double *qdot) {
    br_quat_store(br_quat_rate_from_body(br_quat_load(q), br_vec3_of(v[0], v[1], v[2])), qdot);
}

static void spherical_pads(const br_pad_place *at, br_pad *pads) {
    const double r = br_pin_arm(at);
    const br_wrench force[3] = {br_unit_force(0), br_unit_force(1), br_unit_force(2)};
    br_pad_begin(pads, at);
    if (at->planar_F) // it can only turn about the normal, whatever way F's axes point
        br_pad_add_direction(pads, at, br_torque_along(r, *at->planar_F), r);
    for (int k = 0; !at->planar_F && k < 3; k++)
        br_pad_add_direction(pads, at, br_torque_along(r, br_vec3_unit(k)), r);
    if (br_pad_follows_reaction(at)) br_pad_add_norm(pads, at, 3, force);
}

const br_joint_kind br_joint_spherical = {.type = BR_JOINT_SPHERICAL,
                                          .name = "spherical",
                                          .nq = 4,
                                          .nv = 3,
                                          .coordinates = "RRR",
                                          .in_plane = "use revolute about the plane's normal",
                                          .tumbles = 1,
                                          .constant = 1,
                                          .pose = spherical_pose,
                                          .complement = spherical_complement,
                                          .measure = spherical_measure,
                                          .advance = spherical_advance,
                                          .rate = rate,
                                          .pads = 1,
                                          .pad_sizes = BR_PAD_RADIUS,
                                          .fill_pads = spherical_pads};
