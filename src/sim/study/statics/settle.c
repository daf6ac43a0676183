// An equilibrium by descent, for a mechanism that nothing but its loads holds, as a pendulum. See statics/statics.h.
//
//     Z^T (K + sigma W) Z dz = Z^T F,   dq = Z dz,   then back onto the rows
//
// Z spans what the rows leave free, F are the forces that are left, W is one in moves and turns times the length. sigma is
// the least that makes the matrix positive definite, so that dq goes along the forces; steps are bounded. Where K is
// definite these are Newton's steps. The loads' whole effect is in K, through the forces of rows that balance them here.
#include "sim/study/statics/statics.h"

#include <string.h>

#include <lapacke.h> // last: it brings complex.h

#define BR_MAX_SETTLE 400
#define BR_SETTLE_REACH 0.3    // of the length, rad: the longest step at first
#define BR_SETTLE_SIGMA 1e-6   // of the largest stiffness: the first sigma that is tried
#define BR_SETTLE_DONE 1e-9    // of the length, rad: Newton's method goes on from here
#define BR_SETTLE_FAR 100.0    // of the mechanism's size
#define BR_MAX_SETTLE_CLOSE 20 // steps back onto the rows

static double unit_of(const br_linear *l, int k) {
    return k % 6 >= 3 ? 1.0 / l->length : 1.0;
}

static void move_nodes(br_implicit *f, const double *d) {
    for (int i = 0; i < f->nodes; i++, d += 6) {
        br_node *n = &f->node[i];
        n->x1 = br_vec3_add(n->x1, br_vec3_of(d[0], d[1], d[2]));
        n->q1 = br_quat_normalize(br_quat_mul(br_quat_exp(br_vec3_of(d[3], d[4], d[5])), n->q1));
    }
}

// Largest move over the length, or turn.
static double size_of(const br_linear *l, const double *d) {
    double size = 0.0;
    for (int k = 0; k < l->n; k++) size = fmax(size, fabs(d[k]) / (unit_of(l, k) * l->length));
    return size;
}

// dq of the head of this file into step [n]; 0: it failed.
static int descend(br_static_look *k, double *step, double *work) {
    br_linear *l = &k->l;
    const size_t n = (size_t)l->n, at = (size_t)l->rank * (n + 1);
    double *A = BR_TAKE(&k->scratch, double, n *n + 1), *P = BR_TAKE(&k->scratch, double, n *n + 1);
    double largest = 0.0, force = 0.0, sigma = 0.0;
    if (!A || !P || l->free == 0 || !br_linear_reduced(l, BR_MODE_K, 0.0, A)) return 0;
    for (int i = 0; i < l->n; i++) step[i] = l->unbalanced[i] * unit_of(l, i);
    if (l->rank > 0 &&
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', l->n, 1, l->rank, l->Q, l->n, l->tau, step, l->n) != 0)
        return 0;
    memset(step, 0, (size_t)l->rank * sizeof *step);
    for (int r = l->rank; r < l->n; r++) {
        force = fmax(force, fabs(step[r]));
        for (int c = l->rank; c < l->n; c++) largest = fmax(largest, fabs(A[(size_t)c * n + (size_t)r]));
    }
    largest = fmax(largest, force / l->length);
    for (int tries = 0; tries < 40; tries++) {
        memcpy(P, A, n * n * sizeof *P);
        for (int r = l->rank; r < l->n; r++) P[(size_t)r * (n + 1)] += sigma;
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', l->free, P + at, l->n) == 0) break;
        sigma = sigma > 0.0 ? 4.0 * sigma : BR_SETTLE_SIGMA * largest;
        if (tries == 39) return 0;
    }
    if (!(largest > 0.0)) return 1; // nothing pushes, nothing holds
    if (LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', l->free, 1, P + at, l->n, step + l->rank, l->n) != 0) return 0;
    if (l->rank > 0 &&
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', l->n, 1, l->rank, l->Q, l->n, l->tau, step, l->n) != 0)
        return 0;
    *work = 0.0;
    for (int i = 0; i < l->n; i++) step[i] *= unit_of(l, i), *work += step[i] * l->unbalanced[i];
    return 1;
}

// Back onto the rows by the shortest moves; the largest of them, over the length.
static double close_rows(br_static_look *k) {
    br_linear *l = &k->l;
    br_implicit *f = l->f;
    const size_t n = (size_t)l->n, rows = (size_t)l->rows, longest = n > rows ? n : rows;
    if (l->rows == 0) return 0.0;
    double *A = BR_TAKE(&k->scratch, double, n *rows + 1), *x = BR_TAKE(&k->scratch, double, longest + 1);
    lapack_int *pivot = BR_TAKE(&k->scratch, lapack_int, n + 1), rank = 0;
    if (!A || !x || !pivot) return INFINITY;
    int row = 0;
    for (int q = 0; q < f->elements; q++)
        for (int r = 0; r < f->element[q].rows; r++, row++)
            x[row] = -f->residual[f->element[q].slot[f->element[q].slots - 1].at + r] / l->row_size[row];
    memcpy(A, l->B, n * rows * sizeof *A);
    if (LAPACKE_dgelsy(LAPACK_ROW_MAJOR, l->rows, l->n, 1, A, l->n, x, 1, pivot, 1e-9, &rank) != 0)
        return INFINITY;
    for (int i = 0; i < l->n; i++) x[i] *= unit_of(l, i);
    const double size = size_of(l, x);
    if (isfinite(size)) move_nodes(f, x);
    return size;
}

// 0: the rows cannot be met from here.
static int close_all(br_static *s) {
    for (int tries = 0; tries < BR_MAX_SETTLE_CLOSE; tries++) {
        br_static_look k;
        br_error ignored;
        double size = INFINITY;
        if (br_static_look_open(&k, s, &ignored) == BR_OK) {
            br_linear_rows(&k.l, &ignored); // the values of rows, of the last evaluation
            size = close_rows(&k);
            for (int i = 0; isfinite(size) && i < s->f->nodes; i++)
                k.borrowed.node[i].x1 = s->f->node[i].x1, k.borrowed.node[i].q1 = s->f->node[i].q1;
        }
        br_static_look_close(&k, s);
        if (!(size < 3.0)) return 0;
        if (size <= 1e-12) return 1;
    }
    return 1; // rounding of rows
}

// Forces of rows that balance the loads where the nodes are.
static int take_forces(br_static *s) {
    br_static_look k;
    br_error ignored;
    const int ok = br_static_look_open(&k, s, &ignored) == BR_OK;
    double *lambda = k.borrowed.lambda;
    if (ok && s->f->row_count > 0) memcpy(lambda, s->f->lambda, (size_t)s->f->row_count * sizeof *lambda);
    br_static_look_close(&k, s);
    return ok;
}

int br_static_settle(br_static *s) {
    br_implicit *f = s->f;
    const size_t n = 6 * (size_t)f->nodes;
    double *step = br_sim_take(f->sim, (2 * n + 1) * sizeof *step), *last = step + n, reach = BR_SETTLE_REACH;
    int found = 0;
    if (!step || br_static_is_large(s)) {
        br_sim_give(f->sim, step);
        return 0;
    }
    memset(last, 0, n * sizeof *last);
    for (int k = 0; k < BR_MAX_SETTLE && !found; k++) {
        br_static_look look;
        br_error ignored;
        double work = 0.0, size = 0.0, against = 0.0;
        int ok = br_static_look_open(&look, s, &ignored) == BR_OK;
        if (ok) {
            for (size_t i = 0; i < n; i++) against += last[i] * look.l.unbalanced[i];
            ok = descend(&look, step, &work);
            size = size_of(&look.l, step);
        }
        br_static_look_close(&look, s);
        if (!ok || !isfinite(size)) break;
        if (against < 0.0) reach *= 0.5; // the last step went too far
        const double part = size > reach ? reach / size : 1.0;
        for (size_t i = 0; i < n; i++) last[i] = step[i] *= part;
        move_nodes(f, step);
        if (!close_all(s)) break;
        double far = 0.0;
        for (int i = 0; i < f->nodes; i++)
            far = fmax(far, br_vec3_distance(f->node[i].x1, f->node[i].start->x));
        if (far > BR_SETTLE_FAR * s->span) break;
        found = size <= BR_SETTLE_DONE;
        if (against >= 0.0) reach = fmin(1.3 * reach, BR_SETTLE_REACH);
        if (reach < BR_SETTLE_DONE) break;
    }
    br_sim_give(f->sim, step);
    return found && take_forces(s);
}
