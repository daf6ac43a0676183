// Planar: x and y in F, and an angle about z.
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void planar_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    out->R_FM = br_turn_z(q[2]);
    out->p_FM = br_vec3_of(q[0], q[1], 0.0);
    out->S[0] = br_slide(0), out->S[1] = br_slide(1), out->S[2] = br_turn(2);
}

static void planar_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    out->T[0] = br_unit_force(2), out->T[1] = br_unit_torque(0), out->T[2] = br_unit_torque(1);
}

static void planar_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter;
    q[0] = p.x, q[1] = p.y, q[2] = br_angle_z(R);
}

static void planar_pads(const br_pad_place *at, br_pad *pads) {
    const double arm = at->friction->friction_arm;
    const br_wrench force = br_unit_force(2);
    br_pad_begin(pads, at);
    br_pad_add_direction(pads, at, br_unit_force(0), 1.0);
    br_pad_add_direction(pads, at, br_unit_force(1), 1.0);
    if (arm > 0.0) br_pad_add_direction(pads, at, br_torque_along(arm, br_pin_along_z.a), arm);
    if (br_pad_follows_reaction(at)) br_pad_add_norm(pads, at, 1, &force);
}

const br_joint_kind br_joint_planar = {.type = BR_JOINT_PLANAR,
                                       .name = "planar",
                                       .nq = 3,
                                       .nv = 3,
                                       .coordinates = "LLA",
                                       .axis = BR_AXIS_NORMAL,
                                       .angles = 4u,
                                       .constant = 1,
                                       .tilts = 1,
                                       .pose = planar_pose,
                                       .complement = planar_complement,
                                       .measure = planar_measure,
                                       .pads = 1,
                                       .pad_sizes = BR_PAD_ARM,
                                       .fill_pads = planar_pads};
