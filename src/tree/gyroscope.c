// Gyroscopic torques of a step that neither give nor take energy, see tree.h.
//
// In the step's equations a link's bias is w* x I w*, taken at the predicted twist V*. What the mean velocity of the step
// differs from it by, d = w_mid - w*, adds d x L* with L* = I w*: linear in w_mid, and of a single body the whole is
// then w_mid x L*, whose power on w_mid is zero for any prediction. With w_mid = w_start + share (J vdot)
//
//     (M + share G) vdot = tau - bias - G (v_start - v*),     G = sum J^T [-L*] J  skew
//
// which is solved over the trees as articulated bodies are, only that the inertias are not symmetric any more:
//
//     D = S^T N S + armature,  U = N S,  W = N^T S       N of the parent += shift(N - U D^-1 W^T)
#include <string.h>

#include "linalg/dense.h"
#include "tree/spatial.h"
#include "tree/tree.h"

#define BR_MAX_VELOCITIES 6 // of one joint
#define BR_EPS_TURN_PIVOT 1e-300
#define BR_EPS_TURN 0.03 // rad a step: slower turns are predicted well enough to keep their energy

#define BR_TURN_ERROR                                                                                        \
    0.1 // of (angle a step)^2 |w| |L|: an error of a torque that leaves the step of second order

enum { STAYS = 0, BODY_TURNS, TREE_TURNS };

// 6 x 6, torque and force rows by angular and linear columns.
struct br_turning {
    double n[6][6];
};

static void put_vec(double *to, br_vec3 a) {
    to[0] = a.x, to[1] = a.y, to[2] = a.z;
}

static void from_twist(double *to, const br_twist *S) {
    put_vec(to, S->angular), put_vec(to + 3, S->linear);
}

static void start_inertia(const br_link *link, const br_tree_work *work, int i, double share, br_vec3 L,
                          br_turning *out) {
    const br_mat3 J = br_sym3_to_mat3(work->inertia[i]), H = br_mat3_skew(work->moment[i]),
                  K = br_mat3_skew(L);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            out->n[a][b] = J.m[a][b] - share * K.m[a][b]; // share d x L = -share [L] d
            out->n[a][3 + b] = H.m[a][b];
            out->n[3 + a][b] = H.m[b][a];
            out->n[3 + a][3 + b] = a == b ? link->mass : 0.0;
        }
}

static void multiply(const br_turning *N, const double *x, double *y) {
    for (int a = 0; a < 6; a++) {
        double sum = 0.0;
        for (int b = 0; b < 6; b++) sum += N->n[a][b] * x[b];
        y[a] = sum;
    }
}

static void multiply_transposed(const br_turning *N, const double *x, double *y) {
    for (int b = 0; b < 6; b++) y[b] = 0.0;
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) y[b] += N->n[a][b] * x[a];
}

// [A B; C E] at a point r away, to the point itself: C' = C - E [r], A' = A - B [r] + [r] C', B' = B + [r] E.
static void add_shifted(br_turning *into, const br_turning *N, br_vec3 r) {
    const br_mat3 X = br_mat3_skew(r);
    double C[3][3], A[3][3];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            C[a][b] = N->n[3 + a][b], A[a][b] = N->n[a][b];
            for (int k = 0; k < 3; k++)
                C[a][b] -= N->n[3 + a][3 + k] * X.m[k][b], A[a][b] -= N->n[a][3 + k] * X.m[k][b];
        }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double Bab = N->n[a][3 + b];
            for (int k = 0; k < 3; k++) A[a][b] += X.m[a][k] * C[k][b], Bab += X.m[a][k] * N->n[3 + k][3 + b];
            into->n[a][b] += A[a][b], into->n[a][3 + b] += Bab;
            into->n[3 + a][b] += C[a][b], into->n[3 + a][3 + b] += N->n[3 + a][3 + b];
        }
}

static double dot6(const double *a, const double *b) {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) S has nv rows, all of them set by factor_joint
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// What one link's joint makes of its articulated inertia. Everything that the downward pass wants again.
typedef struct joint_solve {
    int nv;
    double S[BR_MAX_VELOCITIES][6], U[BR_MAX_VELOCITIES][6], W[BR_MAX_VELOCITIES][6];
    double D[BR_MAX_VELOCITIES * BR_MAX_VELOCITIES];
    int pivot[BR_MAX_VELOCITIES];
} joint_solve;

static int factor_joint(const br_tree *tree, const br_tree_work *work, int i, const double *armature,
                        const br_turning *N, joint_solve *j) {
    const br_link *link = &tree->link[i];
    j->nv = link->kind->nv;
    for (int a = 0; a < j->nv; a++) {
        from_twist(j->S[a], &work->S[link->v_at + a]);
        multiply(N, j->S[a], j->U[a]), multiply_transposed(N, j->S[a], j->W[a]);
    }
    for (int a = 0; a < j->nv; a++)
        for (int b = 0; b < j->nv; b++)
            j->D[a * j->nv + b] = dot6(j->S[a], j->U[b]) + (a == b ? armature[link->v_at + a] : 0.0);
    return j->nv == 0 || br_lu_factor(j->nv, j->D, j->nv, j->pivot, BR_EPS_TURN_PIVOT) == 0;
}

// N - U D^-1 W^T
static void reduce(br_turning *N, const joint_solve *j) {
    for (int b = 0; b < 6; b++) {
        double x[BR_MAX_VELOCITIES];
        for (int k = 0; k < j->nv; k++) x[k] = j->W[k][b];
        br_lu_solve(j->nv, j->D, j->nv, j->pivot, x);
        for (int a = 0; a < 6; a++)
            for (int k = 0; k < j->nv; k++) N->n[a][b] -= j->U[k][a] * x[k];
    }
}

// Angular velocity products of the chain up to link i: what A has beyond J vdot.
static br_vec3 products_of(const br_tree *tree, const br_tree_work *work, const br_vec3 *e, int i) {
    const int parent = tree->link[i].parent;
    const br_vec3 own = work->motion[i].zeta.angular;
    return parent >= 0 ? br_vec3_add(e[parent], own) : own;
}

// -d x L*, for the mean angular velocity w_mid of a link.
static void set_torque(const br_tree_work *work, int i, br_vec3 w_mid, br_tree_turn *turn) {
    turn->torque[i] = br_vec3_cross(turn->L[i], br_vec3_sub(w_mid, work->motion[i].V.angular));
}

br_status br_tree_turn_create(const br_tree *tree, br_arena *arena, br_tree_turn *out) {
    memset(out, 0, sizeof *out);
    out->N = BR_TAKE(arena, br_turning, tree->links);
    out->p = BR_TAKE(arena, br_wrench, tree->links);
    out->L = BR_TAKE(arena, br_vec3, tree->links);
    out->e = BR_TAKE(arena, br_vec3, tree->links);
    out->torque = BR_TAKE(arena, br_vec3, tree->links);
    out->a = BR_TAKE(arena, br_twist, tree->links);
    out->before = BR_TAKE(arena, br_vec3, tree->links);
    out->root = BR_TAKE(arena, int, tree->links);
    out->turns = BR_TAKE(arena, unsigned char, tree->links);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    for (int i = 0; i < tree->links; i++)
        out->root[i] = tree->link[i].parent < 0 ? i : out->root[tree->link[i].parent];
    return BR_OK;
}

// Upwards: u = tau - S^T (p + N zeta); x = D^-1 u and the joint's own matrices are made again on the way down, which is
// cheaper than keeping them.
static int sweep_up(const br_tree *tree, br_tree_work *work, const double *armature, const double *tau,
                    br_tree_turn *turn) {
    for (int i = tree->links - 1; i >= 0; i--) {
        if (turn->turns[turn->root[i]] != TREE_TURNS) continue;
        const br_link *link = &tree->link[i];
        br_turning *N = &turn->N[i];
        joint_solve j;
        if (!factor_joint(tree, work, i, armature, N, &j)) return 0;
        double zeta[6], F[6], u[BR_MAX_VELOCITIES];
        from_twist(zeta, &work->motion[i].zeta);
        multiply(N, zeta, F);
        F[0] += turn->p[i].torque.x, F[1] += turn->p[i].torque.y, F[2] += turn->p[i].torque.z;
        F[3] += turn->p[i].force.x, F[4] += turn->p[i].force.y, F[5] += turn->p[i].force.z;
        for (int a = 0; a < j.nv; a++) u[a] = tau[link->v_at + a] - dot6(j.S[a], F);
        if (j.nv > 0) br_lu_solve(j.nv, j.D, j.nv, j.pivot, u);
        for (int a = 0; a < j.nv; a++) work->u[link->v_at + a] = u[a];
        if (link->parent < 0) continue;
        for (int a = 0; a < 6; a++)
            for (int k = 0; k < j.nv; k++) F[a] += j.U[k][a] * u[k];
        const br_wrench up = br_wrench_of(br_vec3_of(F[0], F[1], F[2]), br_vec3_of(F[3], F[4], F[5]));
        turn->p[link->parent] = br_wrench_add(turn->p[link->parent], br_wrench_shift(up, work->pose[i].r));
        br_turning reduced = *N;
        if (j.nv > 0) reduce(&reduced, &j);
        add_shifted(&turn->N[link->parent], &reduced, work->pose[i].r);
    }
    return 1;
}

// Downwards: accelerations; a is J vdot alone, whose angular part the torques want.
static int sweep_down(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *armature,
                      br_tree_turn *turn) {
    const br_twist world = br_twist_of(br_vec3_zero(), br_vec3_neg(gravity));
    for (int i = 0; i < tree->links; i++) {
        if (turn->turns[turn->root[i]] != TREE_TURNS) continue;
        const br_link *link = &tree->link[i];
        br_twist A = br_twist_shift(link->parent >= 0 ? turn->a[link->parent] : world, work->pose[i].r);
        joint_solve j;
        if (!factor_joint(tree, work, i, armature, &turn->N[i], &j)) return 0;
        double A6[6], x[BR_MAX_VELOCITIES];
        from_twist(A6, &A);
        for (int a = 0; a < j.nv; a++) x[a] = dot6(j.W[a], A6);
        if (j.nv > 0) br_lu_solve(j.nv, j.D, j.nv, j.pivot, x);
        for (int a = 0; a < j.nv; a++)
            br_twist_add_scaled(&A, work->u[link->v_at + a] - x[a], &work->S[link->v_at + a]);
        turn->a[i] = br_twist_add(A, work->motion[i].zeta);
    }
    return 1;
}

// A free body that carries nothing: its rotation alone, (I + share [-L]) a = torque - bias - d x L.
static int turn_lone(const br_tree *tree, const br_tree_work *work, int i, const double *tau, double share,
                     br_tree_turn *turn) {
    const br_mat3 J = br_sym3_to_mat3(work->inertia[i]), K = br_mat3_skew(turn->L[i]);
    const double *own = tau + tree->link[i].v_at + 3;
    double N[9], x[3];
    int pivot[3];
    for (int a = 0; a < 9; a++) N[a] = J.m[a / 3][a % 3] - share * K.m[a / 3][a % 3];
    put_vec(x, br_vec3_neg(turn->p[i].torque));
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            x[a] += own[k] * br_vec3_get(work->S[tree->link[i].v_at + 3 + k].angular, a);
    if (br_lu_factor(3, N, 3, pivot, BR_EPS_TURN_PIVOT) != 0) return 0;
    br_lu_solve(3, N, 3, pivot, x);
    turn->a[i].angular = br_vec3_of(x[0], x[1], x[2]);
    return 1;
}

// w x I w is zero about a body whose moments of inertia are equal; d x L*, which is not, would be an error.
static int is_round(const br_link *link) {
    const br_sym3 *I = &link->inertia_L;
    return I->xx == I->yy && I->yy == I->zz && I->xy == 0.0 && I->xz == 0.0 && I->yz == 0.0;
}

int br_tree_turns(const br_tree *tree, const br_tree_work *work, const double *armature, double share,
                  br_tree_turn *turn) {
    const double least = BR_EPS_TURN / (2.0 * share);
    int any = 0;
    memset(turn->turns, 0, (size_t)tree->links);
    for (int i = 0; i < tree->links; i++) {
        const br_vec3 w = work->motion[i].V.angular;
        if (br_vec3_norm_squared(w) <= least * least) continue;
        const double *a = armature + tree->link[i].v_at;
        const int alone = work->lone[i] && a[3] == 0.0 && a[4] == 0.0 && a[5] == 0.0;
        if (alone && is_round(&tree->link[i])) continue;
        turn->turns[turn->root[i]] = alone ? BODY_TURNS : TREE_TURNS;
        any = 1;
    }
    return any;
}

static void start_link(const br_tree *tree, const br_tree_work *work, int i, const br_wrench *wrench,
                       const br_twist *V_start, double share, br_tree_turn *turn) {
    const br_vec3 w = work->motion[i].V.angular;
    turn->L[i] = br_sym3_mul_vec(work->inertia[i], w);
    turn->e[i] = products_of(tree, work, turn->e, i);
    turn->p[i] = br_rigid_bias(work->moment[i], &work->inertia[i], w);
    if (wrench) turn->p[i] = br_wrench_sub(turn->p[i], wrench[i]);
    // N takes all of A for J vdot: what is not is taken out again.
    const br_vec3 d = br_vec3_add_scaled(br_vec3_sub(V_start[i].angular, w), -share, turn->e[i]);
    turn->p[i].torque = br_vec3_add(turn->p[i].torque, br_vec3_cross(d, turn->L[i]));
}

int br_tree_turn_predict(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *armature,
                         const double *tau, const br_wrench *wrench, const br_twist *V_start, double share,
                         int forces_known, br_tree_turn *turn) {
    int trees = 0;
    for (int i = 0; i < tree->links; i++) {
        const int how = turn->turns[turn->root[i]];
        turn->torque[i] = br_vec3_zero();
        if (how == STAYS) continue;
        start_link(tree, work, i, wrench, V_start, share, turn);
        if (!forces_known) continue;
        if (how == TREE_TURNS) {
            start_inertia(&tree->link[i], work, i, share, turn->L[i], &turn->N[i]);
            trees = 1;
        } else if (!turn_lone(tree, work, i, tau, share, turn)) {
            turn->turns[i] = STAYS;
        }
    }
    if (trees &&
        (!sweep_up(tree, work, armature, tau, turn) || !sweep_down(tree, work, gravity, armature, turn)))
        return 0;
    for (int i = 0; forces_known && i < tree->links; i++) {
        if (turn->turns[turn->root[i]] == STAYS) continue;
        const br_vec3 a = br_vec3_sub(turn->a[i].angular, turn->e[i]);
        set_torque(work, i, br_vec3_add_scaled(V_start[i].angular, share, a), turn);
    }
    return 1;
}

double br_tree_turn_error(const br_tree *tree, const br_tree_work *work, const br_twist *V_mid, double share,
                          double least_work, int work_only, const br_tree_turn *turn) {
    double work_done = 0.0, largest = 0.0;
    for (int i = 0; i < tree->links; i++) {
        if (turn->turns[turn->root[i]] == STAYS) continue;
        const br_vec3 w = work->motion[i].V.angular, d = br_vec3_sub(V_mid[i].angular, w);
        const br_vec3 off = br_vec3_sub(br_vec3_cross(turn->L[i], d), turn->torque[i]);
        const double speed = br_vec3_norm(w), angle = 2.0 * share * speed;
        const double allowed = BR_TURN_ERROR * angle * angle * speed * br_vec3_norm(turn->L[i]);
        if (allowed > 0.0 && !work_only) largest = fmax(largest, br_vec3_norm(off) / allowed);
        work_done += 2.0 * share * br_vec3_dot(off, V_mid[i].angular);
    }
    return fmax(largest, least_work > 0.0 ? fabs(work_done) / least_work : 0.0);
}

void br_tree_turn_correct(const br_tree *tree, const br_tree_work *work, const br_twist *V_mid,
                          br_tree_turn *turn) {
    for (int i = 0; i < tree->links; i++)
        if (turn->turns[turn->root[i]] != STAYS) {
            turn->before[i] = turn->torque[i];
            set_torque(work, i, V_mid[i].angular, turn);
        }
}

void br_tree_turn_back(const br_tree *tree, br_tree_turn *turn) {
    for (int i = 0; i < tree->links; i++)
        if (turn->turns[turn->root[i]] != STAYS) turn->torque[i] = turn->before[i];
}
