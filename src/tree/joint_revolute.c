// Revolute: an angle about z.
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void revolute_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    out->R_FM = br_turn_z(q[0]);
    out->p_FM = br_vec3_zero();
    out->S[0] = br_turn(2);
}

static void revolute_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    for (int k = 0; k < 3; k++) out->T[k] = br_unit_force(k);
    out->T[3] = br_unit_torque(0), out->T[4] = br_unit_torque(1);
}

static void revolute_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter, (void)p;
    q[0] = br_angle_z(R);
}

static void revolute_pads(const br_pad_place *at, br_pad *pads) {
    br_pad_pin(pads, at, br_pin_along_z);
}

const br_joint_kind br_joint_revolute = {.type = BR_JOINT_REVOLUTE,
                                         .name = "revolute",
                                         .nq = 1,
                                         .nv = 1,
                                         .coordinates = "A",
                                         .axis = BR_AXIS_NORMAL,
                                         .angles = 1u,
                                         .constant = 1,
                                         .tilts = 1,
                                         .pose = revolute_pose,
                                         .complement = revolute_complement,
                                         .measure = revolute_measure,
                                         .pads = 1,
                                         .pad_sizes = BR_PAD_RADIUS | BR_PAD_ARM | BR_PAD_LENGTH,
                                         .fill_pads = revolute_pads};
