// Prismatic: a displacement along z.
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void prismatic_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    out->R_FM = br_mat3_identity();
    out->p_FM = br_vec3_of(0.0, 0.0, q[0]);
    out->S[0] = br_slide(2);
}

static void prismatic_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    out->T[0] = br_unit_force(0), out->T[1] = br_unit_force(1);
    for (int k = 0; k < 3; k++) out->T[2 + k] = br_unit_torque(k);
}

static void prismatic_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter, (void)R;
    q[0] = p.z;
}

static void prismatic_pads(const br_pad_place *at, br_pad *pads) {
    const double arm = at->friction->friction_arm;
    br_pad_begin(pads, at);
    br_pad_add_direction(pads, at, br_unit_force(2), 1.0);
    if (!br_pad_follows_reaction(at)) return;
    br_pad_load_across(pads, at, br_pin_along_z);
    if (arm <= 0.0) return;
    const br_wrench keys = br_torque_along(1.0 / arm, br_pin_along_z.a);
    br_pad_add_norm(pads, at, 1, &keys);
}

const br_joint_kind br_joint_prismatic = {.type = BR_JOINT_PRISMATIC,
                                          .name = "prismatic",
                                          .nq = 1,
                                          .nv = 1,
                                          .coordinates = "L",
                                          .axis = BR_AXIS_IN_PLANE,
                                          .constant = 1,
                                          .pose = prismatic_pose,
                                          .complement = prismatic_complement,
                                          .measure = prismatic_measure,
                                          .pads = 1,
                                          .pad_sizes = BR_PAD_ARM | BR_PAD_LENGTH,
                                          .fill_pads = prismatic_pads};
