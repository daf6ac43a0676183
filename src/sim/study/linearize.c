// The motion linearized about the present state, on independent coordinates, see br_sim_linearize.
//
// N spans what the exact rows leave free. The state next to the present one is q moved along N x and closed, v + N y
// made consistent there; its acceleration by the full equations. With D the directional derivatives (central, extrapolated),
//
//     d/dt [x; y] = [ N^T (X N + D_x v)   1 ] [x]
//                   [ N^T D_x vdot   N^T D_y vdot ] [y]
//
// X is the turning of the axes in which small rotations of a moving body are counted: -omega x for a quaternion, else
// zero. At rest, and in steady motion of symmetric bodies, this is exact; elsewhere the eigenvalues are of the instant.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "sim/core/sim.h"
#include "sim/rows/freedom.h"

#include <lapacke.h> // last: it brings complex.h, whose I is nobody else's

#define BR_DIFFERENCE 1e-3 // of a length scale, or rad: with extrapolation the error is of its fourth power
#define BR_EPS_EIGENVALUE 1e-13 // parts this small, of the largest eigenvalue, are rounding

// --- derivatives -------------------------------------------------------------------------------------------

typedef struct linearization {
    br_sim *sim;
    br_freedom free;
    int n;                         // free directions
    double t, *q, *v, *loop_q;     // the state it is about
    double *direction;             // [nv]
    double *v_side[4], *a_side[4]; // at +h, -h, +2h, -2h
    double *A;                     // [2n * 2n] row-major
} linearization;

static void linearize_put_back(linearization *l) {
    br_sim *sim = l->sim;
    sim->state.at->t = sim->t_eval = l->t;
    memcpy(sim->state.q, l->q, (size_t)sim->model->tree.nq * sizeof(double));
    memcpy(sim->state.v, l->v, (size_t)sim->model->tree.nv * sizeof(double));
    memcpy(sim->state.loop_q, l->loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    sim->at = 0;
    sim->h = 0.0;
}

// Velocity and acceleration at the closed state beside the present one.
static br_status linearize_evaluate(linearization *l, double dq, double dv, double *v, double *a,
                                    br_error *error) {
    br_sim *sim = l->sim;
    const br_tree *tree = &sim->model->tree;
    br_status status = BR_OK;
    linearize_put_back(l);
    br_tree_advance(tree, l->q, l->direction, dq, sim->state.q);
    for (int k = 0; k < tree->nv; k++) sim->state.v[k] = l->v[k] + dv * l->direction[k];
    if (sim->exact.groups > 0) {
        status = br_project_position(sim, sim->state.q, 1, error);
        if (status == BR_OK) status = br_project_velocity(sim, error);
    }
    if (status == BR_OK) status = br_sim_acceleration(sim, a, error);
    if (status == BR_OK) memcpy(v, sim->state.v, (size_t)tree->nv * sizeof *v);
    return status;
}

// Along a direction the largest coordinate moves by one unit of its scale.
static double unit_of(const linearization *l) {
    const br_tree *tree = &l->sim->model->tree;
    double largest = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_joint_kind *kind = tree->link[i].kind;
        for (int k = 0; k < kind->nv; k++) {
            const int turns = kind->nq != kind->nv ? k >= kind->nv - 3 : (int)(kind->angles >> k & 1u);
            largest = fmax(largest,
                           fabs(l->direction[tree->link[i].v_at + k]) / (turns ? 1.0 : l->sim->length_scale));
        }
    }
    return largest > 0.0 ? 1.0 / largest : 1.0;
}

static double linearize_along(const linearization *l, int row, const double *x) {
    const int nv = l->sim->model->tree.nv;
    double sum = 0.0;
    for (int k = 0; k < nv; k++) sum += l->free.basis[(size_t)row * (size_t)nv + (size_t)k] * x[k];
    return sum;
}

// (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h
static double slope(double *const side[4], int k, double h) {
    return (8.0 * (side[0][k] - side[1][k]) - (side[2][k] - side[3][k])) / (12.0 * h);
}

// The columns of x (of_velocity 0) or y (1) along free direction c.
static br_status columns(linearization *l, int c, int of_velocity, br_error *error) {
    static const double at[] = {1.0, -1.0, 2.0, -2.0};
    const int nv = l->sim->model->tree.nv, n = l->n;
    memcpy(l->direction, l->free.basis + (size_t)c * (size_t)nv, (size_t)nv * sizeof(double));
    const double h = BR_DIFFERENCE * unit_of(l);
    for (int s = 0; s < 4; s++) {
        const double x = at[s] * h;
        const br_status status = linearize_evaluate(l, of_velocity ? 0.0 : x, of_velocity ? x : 0.0,
                                                    l->v_side[s], l->a_side[s], error);
        if (status != BR_OK) return status;
    }
    for (int k = 0; k < nv; k++) {
        const double dv = slope(l->v_side, k, h), da = slope(l->a_side, k, h);
        l->v_side[0][k] = dv, l->a_side[0][k] = da;
    }
    const size_t column = (size_t)(of_velocity ? n + c : c), width = (size_t)(2 * n);
    for (int r = 0; r < n; r++) {
        l->A[(size_t)r * width + column] += linearize_along(l, r, l->v_side[0]);
        l->A[(size_t)(n + r) * width + column] = linearize_along(l, r, l->a_side[0]);
    }
    return BR_OK;
}

// N^T X N: a small rotation is counted in axes that turn with the body.
static void add_turning(linearization *l) {
    const br_tree *tree = &l->sim->model->tree;
    const int n = l->n, nv = tree->nv;
    for (int c = 0; c < n; c++) {
        const double *x = l->free.basis + (size_t)c * (size_t)nv;
        memset(l->direction, 0, (size_t)nv * sizeof(double));
        for (int i = 0; i < tree->links; i++) {
            if (tree->link[i].kind->nq == tree->link[i].kind->nv) continue;
            const int at = tree->link[i].v_at + tree->link[i].kind->nv - 3;
            const br_vec3 turned = br_vec3_cross(br_vec3_of(x[at], x[at + 1], x[at + 2]),
                                                 br_vec3_of(l->v[at], l->v[at + 1], l->v[at + 2]));
            for (int k = 0; k < 3; k++) l->direction[at + k] = br_vec3_get(turned, k);
        }
        for (int r = 0; r < n; r++)
            l->A[(size_t)r * (size_t)(2 * n) + (size_t)c] += linearize_along(l, r, l->direction);
    }
}

// --- eigenvalues -------------------------------------------------------------------------------------------

typedef struct eigenvalue {
    double real, imaginary;
} eigenvalue;

static int by_imaginary_then_real(const void *a, const void *b) {
    const eigenvalue *x = a, *y = b;
    if (x->imaginary != y->imaginary) return x->imaginary < y->imaginary ? -1 : 1;
    return (x->real > y->real) - (x->real < y->real);
}

static br_status eigenvalues(linearization *l, double *real, double *imaginary, br_error *error) {
    const int n = 2 * l->n;
    double *numbers = malloc((size_t)(2 * n) * sizeof *numbers);
    eigenvalue *found = malloc((size_t)n * sizeof *found);
    br_status status = BR_OK;
    if (!numbers || !found) status = br_no_memory(error, "no memory for %d eigenvalues", n);
    if (status == BR_OK &&
        LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, l->A, n, numbers, numbers + n, NULL, n, NULL, n) != 0)
        status = br_fail(error, BR_NUMERICAL, "linearize-failed",
                         "t = %.9g s: the eigenvalues were not found", l->t);
    double largest = 0.0;
    for (int k = 0; status == BR_OK && k < n; k++) {
        found[k] = (eigenvalue){numbers[k], numbers[n + k]};
        largest = fmax(largest, br_hypot(found[k].real, found[k].imaginary));
    }
    if (status == BR_OK) {
        for (int k = 0; k < n; k++) {
            if (fabs(found[k].real) < BR_EPS_EIGENVALUE * largest) found[k].real = 0.0;
            if (fabs(found[k].imaginary) < BR_EPS_EIGENVALUE * largest) found[k].imaginary = 0.0;
        }
        qsort(found, (size_t)n, sizeof *found, by_imaginary_then_real);
        for (int k = 0; k < n; k++) real[k] = found[k].real, imaginary[k] = found[k].imaginary;
    }
    free(numbers);
    free(found);
    return status;
}

static br_status linearize_take(linearization *l, double **memory, br_error *error) {
    const br_model *m = l->sim->model;
    const size_t nq = (size_t)m->tree.nq, nv = (size_t)m->tree.nv, loops = (size_t)m->loop_nq,
                 n = (size_t)l->n;
    double *at = calloc(nq + 10 * nv + loops + 4 * n * n + 1, sizeof *at);
    if (!at) return br_no_memory(error, "no memory to linearize %d directions", l->n);
    *memory = at;
    l->q = at, at += nq;
    l->v = at, at += nv;
    l->direction = at, at += nv;
    for (int s = 0; s < 4; s++) l->v_side[s] = at, l->a_side[s] = at + nv, at += 2 * nv;
    l->loop_q = at, at += loops;
    l->A = at;
    l->t = l->sim->state.at->t;
    memcpy(l->q, l->sim->state.q, nq * sizeof(double));
    memcpy(l->v, l->sim->state.v, nv * sizeof(double));
    memcpy(l->loop_q, l->sim->state.loop_q, loops * sizeof(double));
    return BR_OK;
}

br_status br_sim_linearize(br_sim *sim, double *real, double *imaginary, int capacity, int *count,
                           br_error *error) {
    linearization l = {.sim = sim};
    double *memory = NULL;
    br_status status = br_sim_freedom(sim, &l.free, error);
    if (status != BR_OK) return status;
    l.n = l.free.count;
    if (2 * l.n > capacity)
        status = br_fail(error, BR_INVALID, "linearize-capacity", "there are %d eigenvalues and room for %d",
                         2 * l.n, capacity);
    if (status == BR_OK) status = linearize_take(&l, &memory, error);
    const br_ledger ledger = *sim->ledger;
    for (int c = 0; c < l.n && status == BR_OK; c++) {
        status = columns(&l, c, 0, error);
        if (status == BR_OK) status = columns(&l, c, 1, error);
    }
    if (memory) {
        linearize_put_back(&l);
        br_sim_refresh(sim, 2);
        sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
        *sim->ledger = ledger;
        sim->reactions_valid = 0;
    }
    if (status == BR_OK && l.n > 0) {
        add_turning(&l);
        status = eigenvalues(&l, real, imaginary, error);
    }
    if (status == BR_OK) *count = 2 * l.n;
    free(memory);
    br_freedom_free(&l.free);
    return status;
}
