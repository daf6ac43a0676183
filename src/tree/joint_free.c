// Free: position in F and a quaternion; the velocity of M's origin in F's axes and the angular velocity in M's.
#include <float.h>

#include "tree/joint_kinds.h"
#include "tree/joint_parts.h"

static void free_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    out->R_FM = br_quat_to_mat3_scaled(br_quat_load(q + 3));
    out->p_FM = br_vec3_of(q[0], q[1], q[2]);
    for (int k = 0; k < 3; k++) {
        out->S[k] = br_slide(k);
        out->S[3 + k] = br_twist_of(br_mat3_column(out->R_FM, k), br_vec3_zero());
    }
}

static void free_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q, (void)out;
}

static void free_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter;
    q[0] = p.x, q[1] = p.y, q[2] = p.z;
    br_quat_store(br_quat_from_mat3(R), q + 3);
}

// br_quat_exp, to the bit, without its cosine where that is 1: most bodies in contact hardly turn.
static br_quat turn_by(br_vec3 r) {
    const double theta2 = br_vec3_norm_squared(r);
    if (!(theta2 < DBL_EPSILON)) return br_quat_exp(r);
    const double s = 0.5 - theta2 / 48.0;
    return br_quat_of(1.0, s * r.x, s * r.y, s * r.z);
}

static void free_advance(const double *q, const double *v, double h, double *q_next) {
    for (int k = 0; k < 3; k++) q_next[k] = q[k] + h * v[k];
    const br_quat turn = turn_by(br_vec3_of(h * v[3], h * v[4], h * v[5]));
    br_quat_store(br_quat_normalize(br_quat_mul(br_quat_load(q + 3), turn)), q_next + 3);
}

static void rate(const double *q, const double *v, double *qdot) {
    for (int k = 0; k < 3; k++) qdot[k] = v[k];
    br_quat_store(br_quat_rate_from_body(br_quat_load(q + 3), br_vec3_of(v[3], v[4], v[5])), qdot + 3);
}

const br_joint_kind br_joint_free = {
    .type = BR_JOINT_FREE,
    .name = "free",
    .nq = 7,
    .nv = 6,
    .coordinates = "LLLRRR",
    .in_plane = "use planar, or no joint at all: a body without one moves freely in the plane",
    .tumbles = 1,
    .pose = free_pose,
    .complement = free_complement,
    .measure = free_measure,
    .advance = free_advance,
    .rate = rate};
