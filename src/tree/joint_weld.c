// Weld: no motion, six rows.
#include "tree/joint_kinds.h"
#include "tree/joint_parts.h"

static void weld_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    out->R_FM = br_mat3_identity();
    out->p_FM = br_vec3_zero();
}

static void weld_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    for (int k = 0; k < 3; k++) out->T[k] = br_unit_force(k), out->T[3 + k] = br_unit_torque(k);
}

// NOLINTNEXTLINE(readability-non-const-parameter) the type is that of br_joint_kind.measure
static void weld_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter, (void)R, (void)p, (void)q;
}

const br_joint_kind br_joint_weld = {.type = BR_JOINT_WELD,
                                     .name = "weld",
                                     .coordinates = "",
                                     .constant = 1,
                                     .pose = weld_pose,
                                     .complement = weld_complement,
                                     .measure = weld_measure};
