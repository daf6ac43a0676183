// Planar: x and y in F, and an angle about z.
#include "tree/joint_kinds.h"
#include "tree/joint_parts.h"

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

const br_joint_kind br_joint_planar = {.type = BR_JOINT_PLANAR,
                                       .name = "planar",
                                       .nq = 3,
                                       .nv = 3,
                                       .angles = 4u,
                                       .constant = 1,
                                       .tilts = 1,
                                       .pose = planar_pose,
                                       .complement = planar_complement,
                                       .measure = planar_measure};
