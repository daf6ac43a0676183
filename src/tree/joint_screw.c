// Screw: an angle about z, with a displacement of `parameter` (pitch over 2 pi, m/rad) times the angle along z.
#include "tree/joint_kinds.h"
#include "tree/joint_parts.h"

static void screw_pose(double parameter, const double *q, br_joint_motion *out) {
    out->R_FM = br_turn_z(q[0]);
    out->p_FM = br_vec3_of(0.0, 0.0, parameter * q[0]);
    out->S[0] = br_twist_of(br_vec3_unit(2), br_vec3_of(0.0, 0.0, parameter));
}

static void screw_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)q;
    // Along z, the wrench that does no work: force 1, torque -parameter; of unit length.
    const double s = 1.0 / sqrt(1.0 + parameter * parameter);
    out->T[0] = br_unit_force(0), out->T[1] = br_unit_force(1);
    out->T[2] = br_wrench_of(br_vec3_of(0.0, 0.0, -parameter * s), br_vec3_of(0.0, 0.0, s));
    out->T[3] = br_unit_torque(0), out->T[4] = br_unit_torque(1);
}

// The angle says where within a turn, the displacement says which turn.
static void screw_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    q[0] = br_angle_z(R);
    if (parameter != 0.0) q[0] += 2.0 * BR_PI * round((p.z / parameter - q[0]) / (2.0 * BR_PI));
}

// `angles` is not set: the displacement has settled the turn.
const br_joint_kind br_joint_screw = {.type = BR_JOINT_SCREW,
                                      .name = "screw",
                                      .nq = 1,
                                      .nv = 1,
                                      .pose = screw_pose,
                                      .complement = screw_complement,
                                      .measure = screw_measure};
