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

// D^-1 x in place.
static void apply_inverse(const br_tree_work *work, int i, int nv, double *x) {
    const double *D = work->D + work->D_at[i];
    if (nv == 1)
        x[0] *= D[0];
    else
        br_cholesky_solve(nv, D, nv, x);
}

static double dot(const br_twist *S, const br_wrench *F) {
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
        for (int b = 0; b <= a; b++) D[nv * a + b] = dot(&S[a], &U[b]);
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
        work->articulated[i] = br_spatial_rigid(tree->link[i].mass, work->moment[i], work->inertia[i]);
    for (int i = tree->links - 1; i >= 0; i--) {
        const br_link *link = &tree->link[i];
        br_spatial I = work->articulated[i];
        if (link->kind->nv == 1) {
            const br_twist *S = &work->S[link->v_at];
            br_wrench *U = &work->U[link->v_at];
            *U = br_spatial_mul(&I, *S);
            const double D = dot(S, U) + armature[link->v_at];
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

// A massless link's own joint takes part in D only through what it carries, so the sums below run over all links.
void br_tree_accelerate(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *tau,
                        const br_wrench *wrench, double *vdot) {
    br_wrench *p = work->p;
    for (int i = 0; i < tree->links; i++) {
        p[i] = br_rigid_bias(work->moment[i], &work->inertia[i], work->motion[i].V.angular);
        if (wrench) p[i] = br_wrench_sub(p[i], wrench[i]);
    }
    for (int i = tree->links - 1; i >= 0; i--) {
        const br_link *link = &tree->link[i];
        const int nv = link->kind->nv, at = link->v_at;
        br_wrench F = br_wrench_add(p[i], br_spatial_mul(&work->articulated[i], work->motion[i].zeta));
        double *u = work->u + at;
        for (int a = 0; a < nv; a++) u[a] = tau[at + a] - dot(&work->S[at + a], &F);
        apply_inverse(work, i, nv, u);
        if (link->parent < 0) continue;
        for (int a = 0; a < nv; a++) br_wrench_add_scaled(&F, u[a], &work->U[at + a]);
        p[link->parent] = br_wrench_add(p[link->parent], br_wrench_shift(F, work->pose[i].r));
    }
    const br_twist world = br_twist_of(br_vec3_zero(), br_vec3_neg(gravity));
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const int nv = link->kind->nv, at = link->v_at;
        br_twist A = br_twist_shift(link->parent >= 0 ? work->A[link->parent] : world, work->pose[i].r);
        double x[6];
        for (int a = 0; a < nv; a++) x[a] = dot(&A, &work->U[at + a]);
        apply_inverse(work, i, nv, x);
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
        for (int a = 0; a < nv; a++) z[a] = y[a] += dot(&work->S[at + a], &F);
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
        if (link->parent >= 0) a = br_twist_shift(A[link->parent], work->pose[i].r);
        for (int k = 0; k < nv; k++) x[k] = dot(&a, &work->U[at + k]);
        apply_inverse(work, i, nv, x);
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
            tau[k] = dot(&work->S[k], &transmitted[i]) + (vdot ? tree->armature[k] * vdot[k] : 0.0);
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
                    M[row * nv + column] = M[column * nv + row] = dot(&work->S[row], &F);
                }
                F = br_wrench_shift(F, work->pose[j].r);
            }
            M[column * nv + column] += tree->armature[column];
        }
        if (link->parent >= 0)
            br_spatial_add_shifted(&work->articulated[link->parent], &work->articulated[i], work->pose[i].r);
    }
}
