// Kernels on 6 x 6 inertias in world axes: [J H; H^T M] takes (angular, linear) acceleration to (torque, force).
#ifndef BR_TREE_SPATIAL_H
#define BR_TREE_SPATIAL_H

#include "tree/tree.h"

static inline br_wrench br_spatial_mul(const br_spatial *I, br_twist A) {
    return br_wrench_of(br_vec3_add(br_sym3_mul_vec(I->J, A.angular), br_mat3_mul_vec(I->H, A.linear)),
                        br_vec3_add(br_mat3_tmul_vec(I->H, A.angular), br_sym3_mul_vec(I->M, A.linear)));
}

static inline br_spatial br_spatial_rigid(double mass, br_vec3 moment, br_sym3 inertia) {
    br_spatial r = {inertia, br_mat3_skew(moment), {mass, mass, mass, 0.0, 0.0, 0.0}};
    return r;
}

static inline br_sym3 br_sym3_minus_scaled_square(br_sym3 a, double s, br_vec3 u) {
    const br_vec3 w = br_vec3_scale(s, u);
    return br_sym3_of(a.xx - w.x * u.x, a.yy - w.y * u.y, a.zz - w.z * u.z, a.xy - w.x * u.y,
                      a.xz - w.x * u.z, a.yz - w.y * u.z);
}

// I - s U U^T
static inline void br_spatial_downdate(br_spatial *I, double s, br_wrench U) {
    const br_vec3 w = br_vec3_scale(s, U.torque);
    I->J = br_sym3_minus_scaled_square(I->J, s, U.torque);
    I->M = br_sym3_minus_scaled_square(I->M, s, U.force);
    I->H.m[0][0] -= w.x * U.force.x, I->H.m[0][1] -= w.x * U.force.y, I->H.m[0][2] -= w.x * U.force.z;
    I->H.m[1][0] -= w.y * U.force.x, I->H.m[1][1] -= w.y * U.force.y, I->H.m[1][2] -= w.y * U.force.z;
    I->H.m[2][0] -= w.z * U.force.x, I->H.m[2][1] -= w.z * U.force.y, I->H.m[2][2] -= w.z * U.force.z;
}

// [r] M for symmetric M
static inline br_mat3 br_skew_mul_sym3(br_vec3 r, br_sym3 M) {
    br_mat3 P = {{{r.y * M.xz - r.z * M.xy, r.y * M.yz - r.z * M.yy, r.y * M.zz - r.z * M.yz},
                  {r.z * M.xx - r.x * M.xz, r.z * M.xy - r.x * M.yz, r.z * M.xz - r.x * M.zz},
                  {r.x * M.xy - r.y * M.xx, r.x * M.yy - r.y * M.xy, r.x * M.yz - r.y * M.xz}}};
    return P;
}

// into += the inertia I, from a point at r away to the point itself:
//     M' = M, H' = H + P, J' = J - Z - Z^T with P = [r] M, Z = (H + P/2) [r]
static inline void br_spatial_add_shifted(br_spatial *into, const br_spatial *I, br_vec3 r) {
    const br_mat3 P = br_skew_mul_sym3(r, I->M);
    br_mat3 K, Z;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K.m[i][j] = I->H.m[i][j] + 0.5 * P.m[i][j];
            into->H.m[i][j] += I->H.m[i][j] + P.m[i][j];
        }
        Z.m[i][0] = K.m[i][1] * r.z - K.m[i][2] * r.y;
        Z.m[i][1] = K.m[i][2] * r.x - K.m[i][0] * r.z;
        Z.m[i][2] = K.m[i][0] * r.y - K.m[i][1] * r.x;
    }
    into->M = br_sym3_add(into->M, I->M);
    into->J.xx += I->J.xx - 2.0 * Z.m[0][0];
    into->J.yy += I->J.yy - 2.0 * Z.m[1][1];
    into->J.zz += I->J.zz - 2.0 * Z.m[2][2];
    into->J.xy += I->J.xy - (Z.m[0][1] + Z.m[1][0]);
    into->J.xz += I->J.xz - (Z.m[0][2] + Z.m[2][0]);
    into->J.yz += I->J.yz - (Z.m[1][2] + Z.m[2][1]);
}

// The acceleration of the point at r from that of the point itself, both of one rigid body, without the centripetal part.
static inline br_twist br_twist_shift(br_twist A, br_vec3 r) {
    return br_twist_of(A.angular, br_vec3_add(A.linear, br_vec3_cross(A.angular, r)));
}

static inline br_vec3 br_centripetal(br_vec3 w, br_vec3 r) {
    return br_vec3_cross(w, br_vec3_cross(w, r));
}

// A wrench about a point at r, about the point itself.
static inline br_wrench br_wrench_shift(br_wrench F, br_vec3 r) {
    return br_wrench_of(br_vec3_add(F.torque, br_vec3_cross(r, F.force)), F.force);
}

static inline void br_twist_add_scaled(br_twist *A, double s, const br_twist *S) {
    A->angular = br_vec3_add_scaled(A->angular, s, S->angular);
    A->linear = br_vec3_add_scaled(A->linear, s, S->linear);
}

static inline void br_wrench_add_scaled(br_wrench *F, double s, const br_wrench *U) {
    F->torque = br_vec3_add_scaled(F->torque, s, U->torque);
    F->force = br_vec3_add_scaled(F->force, s, U->force);
}

// Momentum of a rigid body about its reference point.
static inline br_wrench br_rigid_momentum(double mass, br_vec3 moment, const br_sym3 *inertia, br_twist V) {
    return br_wrench_of(br_vec3_add(br_sym3_mul_vec(*inertia, V.angular), br_vec3_cross(moment, V.linear)),
                        br_vec3_add_scaled(br_vec3_cross(V.angular, moment), mass, V.linear));
}

// What velocity alone asks of a rigid body: w x I w about the reference point, w x (w x h).
static inline br_wrench br_rigid_bias(br_vec3 moment, const br_sym3 *inertia, br_vec3 w) {
    return br_wrench_of(br_vec3_cross(w, br_sym3_mul_vec(*inertia, w)),
                        br_vec3_cross(w, br_vec3_cross(w, moment)));
}

#endif
