// Recursions over a tree, see tree.h: articulated bodies (forward dynamics in O(links)), their square-root form for
// constraint rows, Newton-Euler (inverse dynamics), composite bodies (mass matrix).
//
//     D_i = S^T I_A S + armature      U_i = I_A S       I_A of the parent += shift(I_A - U D^-1 U^T)
//     u_i = tau - S^T p'              p' = p + I_A zeta  p of the parent += shift(p' + U D^-1 u)
//     vdot_i = D^-1 (u_i - U^T shift(A_parent))
#include "base/finite.h"
#include "linalg/dense.h"
#include "tree/spatial.h"
#include "tree/tree.h"

// Of several velocities: a pivot of D this small, of its largest, means that nothing resists one of them. One velocity
// alone only needs D > 0: there is nothing to compare it with.
#define BR_EPS_NO_INERTIA 1e-30

// --- free bodies -------------------------------------------------------------------------------------------

// Of a lone body D is (m, m, m) and the inertia in its own axes: 1/m and the inverse of the latter are kept in D, once. Bodies
// in piles are all of this kind.
enum { BR_LONE_NOT = 0, BR_LONE_NEW, BR_LONE_READY };

int br_tree_is_lone(const br_tree *tree, int link) {
    const br_link *l = &tree->link[link];
    if (l->kind->type != BR_JOINT_FREE || l->parent >= 0 || l->reversed ||
        br_vec3_max_abs(l->moment_L) != 0.0)
        return BR_LONE_NOT;
    for (int a = 0; a < 6; a++)
        if (tree->armature[l->v_at + a] != 0.0) return BR_LONE_NOT;
    return BR_LONE_NEW;
}

// 0: the body has no inertia against some turn.
static int prepare_lone(const br_tree *tree, br_tree_work *work, int i) {
    const br_link *link = &tree->link[i];
    double *D = work->D + work->D_at[i], J[9];
    const br_mat3 I = br_sym3_to_mat3(link->inertia_L);
    for (int a = 0; a < 9; a++) J[a] = I.m[a / 3][a % 3];
    if (!(link->mass > 0.0) || br_cholesky_factor(3, J, 3) != 0) return 0;
    for (int a = 0; a < 3; a++)
        if (!(J[4 * a] * J[4 * a] > BR_EPS_NO_INERTIA * br_vec3_max_abs(br_mat3_column(I, a)))) return 0;
    D[0] = 1.0 / link->mass;
    for (int a = 0; a < 3; a++) {
        double x[3] = {a == 0, a == 1, a == 2};
        br_cholesky_solve(3, J, 3, x);
        for (int b = 0; b < 3; b++) D[1 + 3 * a + b] = x[b];
    }
    work->lone[i] = BR_LONE_READY;
    return 1;
}

static void apply_lone_inverse(const double *D, double *x) {
    const double *I = D + 1, a = x[3], b = x[4], c = x[5];
    x[0] *= D[0], x[1] *= D[0], x[2] *= D[0];
    x[3] = I[0] * a + I[1] * b + I[2] * c;
    x[4] = I[3] * a + I[4] * b + I[5] * c;
    x[5] = I[6] * a + I[7] * b + I[8] * c;
}

static int stays_lone(const br_tree *tree, const br_tree_work *work, int i, const double *armature) {
    const double *a = armature + tree->link[i].v_at;
    return work->lone[i] && a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0 && a[3] == 0.0 && a[4] == 0.0 &&
           a[5] == 0.0;
}

// --- articulated bodies ------------------------------------------------------------------------------------

// D^-1 x in place.
static void apply_inverse(const br_tree_work *work, int i, int nv, double *x) {
    const double *D = work->D + work->D_at[i];
    if (nv == 1)
        x[0] *= D[0];
    else if (work->lone[i] == BR_LONE_READY)
        apply_lone_inverse(D, x);
    else
        br_cholesky_solve(nv, D, nv, x);
}

static double spatial_dot(const br_twist *S, const br_wrench *F) {
    return S->angular.x * F->torque.x + S->angular.y * F->torque.y + S->angular.z * F->torque.z +
           S->linear.x * F->force.x + S->linear.y * F->force.y + S->linear.z * F->force.z;
}

// Several velocities: D by Cholesky, then one downdate per column of U L^-T.
static int reduce_several(const br_tree *tree, br_tree_work *work, int i, const double *armature,
                          br_spatial *I) {
    const br_link *link = &tree->link[i];
    const int nv = link->kind->nv;
    const br_twist *S = work->S + link->v_at;
    br_wrench *U = work->U + link->v_at, G[6];
    double *D = work->D + work->D_at[i], largest = 0.0;
    for (int a = 0; a < nv; a++) U[a] = br_spatial_mul(I, S[a]);
    for (int a = 0; a < nv; a++) {
        for (int b = 0; b <= a; b++) D[nv * a + b] = spatial_dot(&S[a], &U[b]);
        D[nv * a + a] += armature[link->v_at + a];
        largest = fmax(largest, D[nv * a + a]);
    }
    if (!(largest > 0.0) || br_cholesky_factor(nv, D, nv) != 0) return 0;
    for (int a = 0; a < nv; a++)
        if (!(D[nv * a + a] * D[nv * a + a] > BR_EPS_NO_INERTIA * largest)) return 0;
    if (link->parent < 0) return 1;
    for (int a = 0; a < nv; a++) {
        G[a] = U[a];
        for (int b = 0; b < a; b++) br_wrench_add_scaled(&G[a], -D[nv * a + b], &G[b]);
        G[a] = br_wrench_scale(1.0 / D[nv * a + a], G[a]);
    }
    for (int a = 0; a < nv; a++) br_spatial_downdate(I, 1.0, G[a]);
    return 1;
}

br_status br_tree_articulate(const br_tree *tree, const double *armature, br_tree_work *work, int *bad_link) {
    for (int i = 0; i < tree->links; i++)
        if (work->lone[i] != BR_LONE_READY)
            work->articulated[i] = br_spatial_rigid(tree->link[i].mass, work->moment[i], work->inertia[i]);
    for (int i = tree->links - 1; i >= 0; i--) {
        const br_link *link = &tree->link[i];
        if (work->lone[i] && !stays_lone(tree, work, i, armature)) work->lone[i] = BR_LONE_NOT;
        if (work->lone[i] == BR_LONE_READY) continue;
        if (work->lone[i] == BR_LONE_NEW) {
            if (!prepare_lone(tree, work, i)) return *bad_link = i, BR_NUMERICAL;
            continue;
        }
        br_spatial I = work->articulated[i];
        if (link->kind->nv == 1) {
            const br_twist *S = &work->S[link->v_at];
            br_wrench *U = &work->U[link->v_at];
            *U = br_spatial_mul(&I, *S);
            const double D = spatial_dot(S, U) + armature[link->v_at];
            if (!(D > 0.0) || !isfinite(1.0 / D)) return *bad_link = i, BR_NUMERICAL;
            work->D[work->D_at[i]] = 1.0 / D;
            br_spatial_downdate(&I, 1.0 / D, *U);
        } else if (link->kind->nv > 1 && !reduce_several(tree, work, i, armature, &I)) {
            return *bad_link = i, BR_NUMERICAL;
        }
        if (link->parent >= 0) br_spatial_add_shifted(&work->articulated[link->parent], &I, work->pose[i].r);
    }
    return BR_OK;
}

// Acceleration of a body afloat with gravity as one of the world; its velocity products are zero.
static inline br_twist acceleration_afloat(const br_twist *S, br_vec3 gravity, const double *vdot) {
    br_vec3 turning = br_vec3_scale(vdot[3], S[3].angular);
    turning = br_vec3_add_scaled(turning, vdot[4], S[4].angular);
    turning = br_vec3_add_scaled(turning, vdot[5], S[5].angular);
    return br_twist_of(turning, br_vec3_sub(br_vec3_of(vdot[0], vdot[1], vdot[2]), gravity));
}

static int is_lone_afloat(const br_tree_work *work, int i) {
    return work->lone[i] == BR_LONE_READY && work->afloat[i];
}

// A lone body afloat: the recursion below without the zeros of its axes.
static void accelerate_afloat(const br_link *link, br_tree_work *work, int i, br_vec3 gravity,
                              const double *tau, const br_wrench *wrench, double *vdot) {
    const br_twist *S = work->S + link->v_at;
    const br_vec3 w = work->motion[i].V.angular;
    br_vec3 torque = br_vec3_cross(w, br_sym3_mul_vec(work->inertia[i], w)), force = br_vec3_zero();
    if (wrench) torque = br_vec3_sub(torque, wrench[i].torque), force = br_vec3_neg(wrench[i].force);
    tau += link->v_at, vdot += link->v_at;
    vdot[0] = tau[0] - force.x, vdot[1] = tau[1] - force.y, vdot[2] = tau[2] - force.z;
    for (int k = 0; k < 3; k++) vdot[3 + k] = tau[3 + k] - br_vec3_dot(S[3 + k].angular, torque);
    apply_lone_inverse(work->D + work->D_at[i], vdot);
    vdot[0] += gravity.x, vdot[1] += gravity.y, vdot[2] += gravity.z;
    work->A[i] = acceleration_afloat(S, gravity, vdot);
}

// A massless link's own joint takes part in D only through what it carries, so the sums below run over all links.
void br_tree_accelerate(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *tau,
                        const br_wrench *wrench, double *vdot) {
    br_wrench *p = work->p;
    for (int i = 0; i < tree->links; i++) {
        if (is_lone_afloat(work, i)) {
            accelerate_afloat(&tree->link[i], work, i, gravity, tau, wrench, vdot);
            continue;
        }
        p[i] = br_rigid_bias(work->moment[i], &work->inertia[i], work->motion[i].V.angular);
        if (wrench) p[i] = br_wrench_sub(p[i], wrench[i]);
    }
    for (int i = tree->links - 1; i >= 0; i--) {
        if (is_lone_afloat(work, i)) continue;
        const br_link *link = &tree->link[i];
        const int nv = link->kind->nv, at = link->v_at;
        br_wrench F = p[i]; // a free joint has no velocity products
        if (work->lone[i] != BR_LONE_READY)
            F = br_wrench_add(F, br_spatial_mul(&work->articulated[i], work->motion[i].zeta));
        double *u = work->u + at;
        for (int a = 0; a < nv; a++) u[a] = tau[at + a] - spatial_dot(&work->S[at + a], &F);
        apply_inverse(work, i, nv, u);
        if (link->parent < 0) continue;
        for (int a = 0; a < nv; a++) br_wrench_add_scaled(&F, u[a], &work->U[at + a]);
        p[link->parent] = br_wrench_add(p[link->parent], br_wrench_shift(F, work->pose[i].r));
    }
    const br_twist world = br_twist_of(br_vec3_zero(), br_vec3_neg(gravity));
    for (int i = 0; i < tree->links; i++) {
        if (is_lone_afloat(work, i)) continue;
        const br_link *link = &tree->link[i];
        const int nv = link->kind->nv, at = link->v_at;
        br_twist A = br_twist_shift(link->parent >= 0 ? work->A[link->parent] : world, work->pose[i].r);
        double x[6] = {0.0};
        if (work->lone[i] == BR_LONE_READY) { // D^-1 U^T A with U = D in the axes of S
            for (int a = 0; a < 3; a++) x[a] = br_vec3_dot(work->S[at + a].linear, A.linear);
        } else {
            for (int a = 0; a < nv; a++) x[a] = spatial_dot(&A, &work->U[at + a]);
            apply_inverse(work, i, nv, x);
        }
        for (int a = 0; a < nv; a++) {
            vdot[at + a] = work->u[at + a] - x[a];
            br_twist_add_scaled(&A, vdot[at + a], &work->S[at + a]);
        }
        work->A[i] = br_twist_add(A, work->motion[i].zeta);
    }
}

void br_tree_sweep(const br_tree *tree, br_tree_work *work, const int *path, int count, double *y,
                   double *z) {
    for (int k = 0; k < count; k++) {
        const int i = path[k], parent = tree->link[i].parent, nv = tree->link[i].kind->nv,
                  at = tree->link[i].v_at;
        br_wrench F = work->force[i];
        work->force[i] = br_wrench_of(br_vec3_zero(), br_vec3_zero());
        for (int a = 0; a < nv; a++) z[a] = y[a] += spatial_dot(&work->S[at + a], &F);
        apply_inverse(work, i, nv, z);
        if (parent >= 0) {
            for (int a = 0; a < nv; a++) br_wrench_add_scaled(&F, -z[a], &work->U[at + a]);
            work->force[parent] = br_wrench_add(work->force[parent], br_wrench_shift(F, work->pose[i].r));
        }
        y += nv, z += nv;
    }
}

void br_tree_respond(const br_tree *tree, const br_tree_work *work, const double *eta, double *dv,
                     br_twist *V) {
    br_twist *A = V ? V : work->A;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const int nv = link->kind->nv, at = link->v_at;
        br_twist a = br_twist_of(br_vec3_zero(), br_vec3_zero());
        double x[6];
        if (link->parent >= 0) {
            a = br_twist_shift(A[link->parent], work->pose[i].r);
            for (int k = 0; k < nv; k++) x[k] = spatial_dot(&a, &work->U[at + k]);
            apply_inverse(work, i, nv, x);
        } else {
            for (int k = 0; k < nv; k++) x[k] = 0.0;
        }
        for (int k = 0; k < nv; k++) {
            dv[at + k] = eta[at + k] - x[k];
            br_twist_add_scaled(&a, dv[at + k], &work->S[at + k]);
        }
        A[i] = a;
    }
}

void br_tree_forward(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *vdot) {
    const br_twist world = br_twist_of(br_vec3_zero(), br_vec3_neg(gravity));
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        if (vdot && work->afloat[i]) {
            work->A[i] = acceleration_afloat(work->S + link->v_at, gravity, vdot + link->v_at);
            continue;
        }
        br_twist A = br_twist_shift(link->parent >= 0 ? work->A[link->parent] : world, work->pose[i].r);
        for (int a = 0; vdot && a < link->kind->nv; a++)
            br_twist_add_scaled(&A, vdot[link->v_at + a], &work->S[link->v_at + a]);
        work->A[i] = br_twist_add(A, work->motion[i].zeta);
    }
}

void br_tree_inverse_dynamics(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *vdot,
                              const br_wrench *wrench, br_wrench *transmitted, double *tau) {
    br_tree_forward(tree, work, gravity, vdot);
    for (int i = 0; i < tree->links; i++) {
        transmitted[i] = br_wrench_add(
            br_rigid_momentum(tree->link[i].mass, work->moment[i], &work->inertia[i], work->A[i]),
            br_rigid_bias(work->moment[i], &work->inertia[i], work->motion[i].V.angular));
        if (wrench) transmitted[i] = br_wrench_sub(transmitted[i], wrench[i]);
    }
    for (int i = tree->links - 1; i >= 0; i--) {
        const br_link *link = &tree->link[i];
        for (int a = 0; a < link->kind->nv; a++) {
            const int k = link->v_at + a;
            tau[k] = spatial_dot(&work->S[k], &transmitted[i]) + (vdot ? tree->armature[k] * vdot[k] : 0.0);
        }
        if (link->parent >= 0)
            transmitted[link->parent] =
                br_wrench_add(transmitted[link->parent], br_wrench_shift(transmitted[i], work->pose[i].r));
    }
}

void br_tree_mass_matrix(const br_tree *tree, br_tree_work *work, double *M) {
    const int nv = tree->nv;
    for (int k = 0; k < nv * nv; k++) M[k] = 0.0;
    for (int i = 0; i < tree->links; i++)
        work->articulated[i] = br_spatial_rigid(tree->link[i].mass, work->moment[i], work->inertia[i]);
    for (int i = tree->links - 1; i >= 0; i--) {
        const br_link *link = &tree->link[i];
        for (int a = 0; a < link->kind->nv; a++) {
            const int column = link->v_at + a;
            br_wrench F = br_spatial_mul(&work->articulated[i], work->S[column]);
            for (int j = i; j >= 0; j = tree->link[j].parent) {
                for (int b = 0; b < tree->link[j].kind->nv; b++) {
                    const int row = tree->link[j].v_at + b;
                    M[row * nv + column] = M[column * nv + row] = spatial_dot(&work->S[row], &F);
                }
                F = br_wrench_shift(F, work->pose[j].r);
            }
            M[column * nv + column] += tree->armature[column];
        }
        if (link->parent >= 0)
            br_spatial_add_shifted(&work->articulated[link->parent], &work->articulated[i], work->pose[i].r);
    }
}
