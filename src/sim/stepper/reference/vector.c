// The vectors of the reference stepper: SUNDIALS' serial ones with another norm.
//
// Only the part of an error along the closed states is an error of the motion; the rest the right-hand side never sees
// (reference/rate.c). Near a singular position that rest is rounding divided by a small number, and a norm that
// counted it in full would cut the step to nothing. So it counts BR_LOOSE times.
//
//     e -> T e + BR_LOOSE (e - T e),   T = 1 - M^-1 J^T W^-1 J      (of positions and of velocities)
#include <stdlib.h>
#include <string.h>

#include "sim/stepper/reference/reference.h"

#define BR_LOOSE_BELOW 1e-2 // eigenvalue of the scaled W from which on the rest counts less, in proportion
#define BR_LOOSE_LEAST 1e-5

// A serial vector's content and, behind it, whose it is.
typedef struct content {
    struct _N_VectorContent_Serial serial;
    br_reference *owner;
} content;

static double norm(N_Vector x, N_Vector w);

static N_Vector clone_empty(N_Vector x) {
    N_Vector y = N_VNewEmpty(x->sunctx);
    content *c = y ? malloc(sizeof *c) : NULL;
    if (!c || N_VCopyOps(x, y) != 0) {
        free(c);
        if (y) N_VFreeEmpty(y);
        return NULL;
    }
    *c = *(content *)x->content;
    c->serial.own_data = SUNFALSE, c->serial.data = NULL;
    y->content = c;
    return y;
}

static N_Vector clone(N_Vector x) {
    N_Vector y = clone_empty(x);
    if (!y) return NULL;
    content *c = y->content;
    c->serial.data = malloc((size_t)c->serial.length * sizeof(double) + 1);
    c->serial.own_data = SUNTRUE;
    if (c->serial.data) return y;
    N_VDestroy(y);
    return NULL;
}

N_Vector br_reference_vector(br_reference *r) {
    N_Vector x = N_VNewEmpty_Serial(r->n, r->context);
    if (!x) return NULL;
    content *c = malloc(sizeof *c);
    if (!c) {
        N_VDestroy(x);
        return NULL;
    }
    c->serial = *(struct _N_VectorContent_Serial *)x->content;
    c->owner = r;
    free(x->content);
    x->content = c;
    x->ops->nvclone = clone, x->ops->nvcloneempty = clone_empty, x->ops->nvwrmsnorm = norm;
    N_Vector y = clone(x);
    N_VDestroy(x);
    return y;
}

// e := T e + loose (e - T e), with the factor of the last evaluation.
static void along_the_motion(br_reference *r, double *e) {
    br_sim *sim = r->sim;
    br_system *s = br_reference_system(r);
    const double loose = fmin(1.0, fmax(BR_LOOSE_LEAST, r->weakest / BR_LOOSE_BELOW));
    br_tree_twists(&sim->model->tree, &sim->work, e, sim->V);
    for (int g = 0; g < s->groups; g++)
        for (int i = 0; i < s->group[g]->rows; i++)
            s->rhs[s->first[g] + i] = br_group_velocity(s->group[g], i, sim->V, e);
    br_system_solve(sim, s, s->rhs, r->force, r->dv);
    br_tree_respond(&sim->model->tree, &sim->work, r->dv, r->dv, sim->V);
    for (int k = 0; k < r->nv; k++) e[k] -= (1.0 - loose) * r->dv[k];
}

// A difference of positions as small velocities: of a quaternion twice the vector part of conj(q) dq.
static void to_tangent(const br_reference *r, const double *dq, double *e) {
    const br_tree *tree = &r->sim->model->tree;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const int plain = link->kind->nq == link->kind->nv ? link->kind->nv : link->kind->nv - 3;
        for (int k = 0; k < plain; k++) e[link->v_at + k] = dq[link->q_at + k];
        if (plain == link->kind->nv) continue;
        const double *q = r->q_before + link->q_at + plain, *d = dq + link->q_at + plain;
        const br_quat turn =
            br_quat_mul(br_quat_of(q[0], -q[1], -q[2], -q[3]), br_quat_of(d[0], d[1], d[2], d[3]));
        double *o = e + link->v_at + plain;
        o[0] = 2.0 * turn.x, o[1] = 2.0 * turn.y, o[2] = 2.0 * turn.z;
    }
}

// Weights of positions, where the tangent has them.
static double weighted_positions(const br_reference *r, const double *e, const double *w) {
    const br_tree *tree = &r->sim->model->tree;
    double sum = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const int plain = link->kind->nq == link->kind->nv ? link->kind->nv : link->kind->nv - 3;
        for (int k = 0; k < link->kind->nv; k++) {
            const double x = e[link->v_at + k] * w[link->q_at + k] * (k < plain ? 1.0 : 0.5);
            sum += x * x;
        }
    }
    return sum;
}

static double norm(N_Vector x_vector, N_Vector w_vector) {
    const content *c = x_vector->content;
    br_reference *r = c->owner;
    const double *x = N_VGetArrayPointer(x_vector), *w = N_VGetArrayPointer(w_vector);
    const int nq = r->nq, nv = r->nv, n = r->n, rows = r->sim->exact.rows;
    const int count = rows > 0
                          ? 2 * (nv > rows ? nv - rows : 1) + r->books + r->states + r->bristles - r->unused
                          : n - r->unused; // the mean is over what is left to move
    double sum = 0.0;
    if (rows == 0 || !r->factored || r->weakest >= BR_LOOSE_BELOW) {
        for (int k = 0; k < n; k++) sum += x[k] * w[k] * x[k] * w[k];
        return sqrt(sum / count);
    }
    double *e = r->error;
    to_tangent(r, x, e);
    along_the_motion(r, e);
    sum = weighted_positions(r, e, w);
    memcpy(e, x + nq, (size_t)nv * sizeof *e);
    along_the_motion(r, e);
    for (int k = 0; k < nv; k++) sum += e[k] * w[nq + k] * e[k] * w[nq + k];
    for (int k = nq + nv; k < n; k++) sum += x[k] * w[k] * x[k] * w[k];
    return sqrt(sum / count);
}
