// The table of joint kinds and what is the same for all of them, see joint.h.
#include "tree/joint.h"

#include "linalg/dense.h"
#include "tree/joint_kinds.h"

static const br_joint_kind *const kinds[BR_JOINT_TYPES] = {
    [BR_JOINT_WELD] = &br_joint_weld,
    [BR_JOINT_REVOLUTE] = &br_joint_revolute,
    [BR_JOINT_PRISMATIC] = &br_joint_prismatic,
    [BR_JOINT_SCREW] = &br_joint_screw,
    [BR_JOINT_CYLINDRICAL] = &br_joint_cylindrical,
    [BR_JOINT_UNIVERSAL] = &br_joint_universal,
    [BR_JOINT_SPHERICAL] = &br_joint_spherical,
    [BR_JOINT_PLANAR] = &br_joint_planar,
    [BR_JOINT_FREE] = &br_joint_free,
    [BR_JOINT_TENDON] = &br_joint_tendon,
};

const br_joint_kind *br_joint_kind_of(br_joint_type type) {
    return (unsigned)type < BR_JOINT_TYPES ? kinds[type] : NULL;
}

// With w, u the angular and linear velocity of M in F and p = p_FM: the angular velocity of F in M is -R^T w, the
// velocity of F's origin R^T (w x p - u), and their rates follow with dR/dt = [w] R.
void br_joint_reverse(int nv, br_joint_motion *m) {
    const br_mat3 R = m->R_FM;
    const br_vec3 p = m->p_FM;
    for (int k = 0; k < nv; k++) {
        const br_twist s = m->S[k];
        m->S[k] = br_twist_of(br_vec3_neg(br_mat3_tmul_vec(R, s.angular)),
                              br_mat3_tmul_vec(R, br_vec3_sub(br_vec3_cross(s.angular, p), s.linear)));
    }
    m->R_FM = br_mat3_transpose(R);
    m->p_FM = br_vec3_neg(br_mat3_tmul_vec(R, p));
}

br_twist br_joint_reverse_product(br_mat3 R_FM, br_vec3 p, br_twist V, br_twist zeta) {
    const br_vec3 w = V.angular, u = V.linear;
    const br_vec3 a =
        br_vec3_add(br_vec3_sub(br_vec3_cross(zeta.angular, p), br_vec3_cross(w, br_vec3_cross(w, p))),
                    br_vec3_sub(br_vec3_scale(2.0, br_vec3_cross(w, u)), zeta.linear));
    return br_twist_of(br_vec3_neg(br_mat3_tmul_vec(R_FM, zeta.angular)), br_mat3_tmul_vec(R_FM, a));
}

// S^T S, lower triangle, factored in place.
static void factor_gram(int nv, const br_joint_motion *motion, double *G) {
    for (int i = 0; i < nv; i++)
        for (int j = 0; j <= i; j++)
            G[nv * i + j] = br_vec3_dot(motion->S[i].angular, motion->S[j].angular) +
                            br_vec3_dot(motion->S[i].linear, motion->S[j].linear);
    br_cholesky_factor(nv, G, nv);
}

void br_joint_velocity(int nv, const br_joint_motion *motion, br_twist V, double *v) {
    if (nv == 0) return;
    double G[36];
    factor_gram(nv, motion, G);
    for (int i = 0; i < nv; i++)
        v[i] = br_vec3_dot(motion->S[i].angular, V.angular) + br_vec3_dot(motion->S[i].linear, V.linear);
    br_cholesky_solve(nv, G, nv, v);
}

br_wrench br_joint_effort(int nv, const br_joint_motion *motion, const double *tau) {
    br_wrench F = br_wrench_of(br_vec3_zero(), br_vec3_zero());
    if (nv == 0) return F;
    double G[36], x[6];
    factor_gram(nv, motion, G);
    for (int i = 0; i < nv; i++) x[i] = tau[i];
    br_cholesky_solve(nv, G, nv, x);
    for (int i = 0; i < nv; i++)
        F = br_wrench_of(br_vec3_add_scaled(F.torque, x[i], motion->S[i].angular),
                         br_vec3_add_scaled(F.force, x[i], motion->S[i].linear));
    return F;
}
