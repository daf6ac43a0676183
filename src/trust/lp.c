// Dual simplex on an active set, see lp.h. With the active normals N, z = N^-1 b and -c = N^T lambda, lambda
// >= 0. A violated row g = N^T w enters; the row that leaves is the one whose lambda_k / w_k, w_k > 0, is
// smallest; if there is none, no z satisfies g [Farkas].
//
// What decides is polished: the inverse of N is off by the condition of rows that are nearly parallel, z and w with it. Residuals with
// more digits take that away, and two rows of one equation, one of them active, no longer break each other. The tolerance
// is then free between rounding and the law's own (0.3 BR_EPS_LAW): 1e-14 to 3e-11 give the same verdicts.
#include "trust/lp.h"

#include <math.h>
#include <string.h>

#define TOL_FEASIBLE 1e-12 // rows of length 1, data of order one; see above
#define TOL_ROUNDING 1e-14 // of the terms of a row
#define TOL_PIVOT 1e-10
#define TOL_PIVOT_DATA 1e-15 // of an edge: what the rounding of the rows makes of a pivot
#define SMALL_PIVOT 1e-5
#define TOL_TIE 1e-12
#define TOL_EMPTY_ROW 1e-13 // coefficients below this are rounding
#define TOL_LEANS 1e-9      // multiplier of the box, relative to |c|
#define POLISH_ROUNDS 2
#define REFACTOR_EVERY 40
#define BLAND_AFTER 30  // pivots without progress
#define LOOSEN_AFTER 90 // the same: rows that are nearly parallel take turns, each broken by rounding

// Four sums, so that none waits for the last.
static double dot(int n, const double *a, const double *b) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        s0 += a[j] * b[j];
        s1 += a[j + 1] * b[j + 1];
        s2 += a[j + 2] * b[j + 2];
        s3 += a[j + 3] * b[j + 3];
    }
    for (; j < n; j++) s0 += a[j] * b[j];
    return (s0 + s1) + (s2 + s3);
}

int br_lp_create(br_lp *lp, br_arena *arena, int n_max, int rows_max) {
    const size_t n = (size_t)n_max, rows = (size_t)rows_max;
    memset(lp, 0, sizeof *lp);
    lp->n_max = n_max;
    lp->rows_max = rows_max;
    lp->c = BR_TAKE(arena, double, n);
    lp->z = BR_TAKE(arena, double, n);
    lp->G = br_arena_take(arena, rows * n, sizeof(double));
    lp->h = BR_TAKE(arena, double, rows);
    lp->active = BR_TAKE(arena, int, n);
    lp->edge = BR_TAKE(arena, double, n *n);
    lp->normals = BR_TAKE(arena, double, n *n);
    lp->bound = BR_TAKE(arena, double, n);
    lp->lambda = BR_TAKE(arena, double, n);
    lp->w = BR_TAKE(arena, double, n);
    lp->row = BR_TAKE(arena, double, n);
    lp->left = BR_TAKE(arena, long double, n);
    return lp->c && lp->z && lp->G && lp->h && lp->active && lp->edge && lp->normals && lp->bound &&
           lp->lambda && lp->w && lp->row && lp->left;
}

void br_lp_begin(br_lp *lp, int n) {
    lp->n = n;
    lp->rows = 0;
    lp->impossible = lp->started = 0;
    lp->cutoff = INFINITY;
    lp->pivots = 0;
    memset(lp->c, 0, (size_t)n * sizeof *lp->c);
}

int br_lp_row(br_lp *lp, const double *g, double h) {
    double square = 0.0;
    for (int j = 0; j < lp->n; j++) square += g[j] * g[j];
    const double length = sqrt(square);
    if (length < TOL_EMPTY_ROW) { // 0 <= h
        if (h < -1e-10) lp->impossible = 1;
        return 1;
    }
    if (lp->rows >= lp->rows_max) return 0;
    double *row = lp->G + (size_t)lp->rows * (size_t)lp->n;
    for (int j = 0; j < lp->n; j++) row[j] = g[j] / length;
    lp->h[lp->rows++] = h / length;
    return 1;
}

// Normal and bound of an active row.
static double row_at(const br_lp *lp, int id, double *g) {
    const int n = lp->n;
    if (id < lp->rows_max) {
        memcpy(g, lp->G + (size_t)id * (size_t)n, (size_t)n * sizeof *g);
        return lp->h[id];
    }
    memset(g, 0, (size_t)n * sizeof *g);
    g[(id - lp->rows_max) / 2] = (id - lp->rows_max) % 2 ? -1.0 : 1.0;
    return BR_LP_REACH;
}

static void start(br_lp *lp) {
    const int n = lp->n;
    memset(lp->edge, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        const int low = lp->c[j] > 0.0;
        lp->active[j] = lp->rows_max + 2 * j + low;
        lp->edge[(size_t)j * (size_t)n + (size_t)j] = low ? -1.0 : 1.0;
        lp->bound[j] = BR_LP_REACH;
        lp->z[j] = low ? -BR_LP_REACH : BR_LP_REACH;
        lp->lambda[j] = fabs(lp->c[j]);
    }
    lp->started = 1;
}

// The inverse of N, by Gauss-Jordan elimination with row exchanges. 0: singular.
static int invert(int n, double *N, double *inverse) {
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) inverse[j * n + j] = 1.0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(N[i * n + k]) > fabs(N[best * n + k])) best = i;
        if (!(fabs(N[best * n + k]) > 1e-13)) return 0;
        for (int j = 0; j < n && best != k; j++) {
            const double a = N[k * n + j], b = inverse[k * n + j];
            N[k * n + j] = N[best * n + j], N[best * n + j] = a;
            inverse[k * n + j] = inverse[best * n + j], inverse[best * n + j] = b;
        }
        const double scale = 1.0 / N[k * n + k];
        for (int j = 0; j < n; j++) N[k * n + j] *= scale, inverse[k * n + j] *= scale;
        for (int i = 0; i < n; i++) {
            const double l = N[i * n + k];
            if (i == k || l == 0.0) continue;
            for (int j = 0; j < n; j++) {
                N[i * n + j] -= l * N[k * n + j];
                inverse[i * n + j] -= l * inverse[k * n + j];
            }
        }
    }
    return 1;
}

// z onto the active rows, by what they are off with more digits.
static void polish_point(br_lp *lp) {
    const int n = lp->n;
    for (int round = 0; round < POLISH_ROUNDS; round++) {
        memset(lp->w, 0, (size_t)n * sizeof *lp->w);
        for (int k = 0; k < n; k++) {
            long double off = -(long double)row_at(lp, lp->active[k], lp->row);
            for (int j = 0; j < n; j++) off += (long double)lp->row[j] * lp->z[j];
            for (int i = 0; i < n && off != 0.0L; i++) lp->w[i] += (double)off * lp->edge[k * n + i];
        }
        for (int i = 0; i < n; i++) lp->z[i] -= lp->w[i];
    }
}

// left := g - N^T w, of all w or of the negative ones; returns their sum of w_k b_k.
static long double leave_out(br_lp *lp, const double *g, int negative) {
    const int n = lp->n;
    long double sum = 0.0L;
    for (int j = 0; j < n; j++) lp->left[j] = g[j];
    for (int k = 0; k < n; k++) {
        if (negative && !(lp->w[k] < 0.0)) continue;
        sum += (long double)lp->w[k] * row_at(lp, lp->active[k], lp->row);
        for (int j = 0; j < n; j++) lp->left[j] -= (long double)lp->w[k] * lp->row[j];
    }
    return sum;
}

// Whether g . z <= h contradicts the active rows everywhere in the box: g . z >= sum w_k b_k over w_k < 0, but for what those leave of g.
// w is polished on the way.
static int is_refuted(br_lp *lp, const double *g, double h) {
    const int n = lp->n;
    for (int round = 0; round < POLISH_ROUNDS; round++) {
        leave_out(lp, g, 0);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) lp->w[k] += (double)lp->left[j] * lp->edge[k * n + j];
    }
    long double margin = leave_out(lp, g, 1) - h;
    for (int j = 0; j < n; j++) margin -= BR_LP_REACH * fabsl(lp->left[j]);
    return margin > 0.0L;
}

// Edges, point and multipliers afresh from the active rows.
static int refresh(br_lp *lp) {
    const int n = lp->n;
    for (int k = 0; k < n; k++) { // the transpose is inverted: its inverse has the edges as rows
        lp->bound[k] = row_at(lp, lp->active[k], lp->w);
        for (int i = 0; i < n; i++) lp->normals[i * n + k] = lp->w[i];
    }
    if (!invert(n, lp->normals, lp->edge)) return 0;
    memset(lp->z, 0, (size_t)n * sizeof *lp->z);
    for (int k = 0; k < n; k++) {
        const double *edge = lp->edge + (size_t)k * (size_t)n;
        lp->lambda[k] = fmax(-dot(n, edge, lp->c), 0.0);
        for (int i = 0; i < n; i++) lp->z[i] += lp->bound[k] * edge[i];
    }
    polish_point(lp);
    return 1;
}

// How far z breaks a row, 0 when it does not by more than rounding.
static double excess(const br_lp *lp, int row) {
    const double *g = lp->G + (size_t)row * (size_t)lp->n;
    const double by = dot(lp->n, g, lp->z) - lp->h[row];
    if (!(by > TOL_FEASIBLE)) return 0.0;
    double size = fabs(lp->h[row]);
    for (int j = 0; j < lp->n; j++) size += fabs(g[j] * lp->z[j]);
    return by > lp->loose * (TOL_FEASIBLE + TOL_ROUNDING * size) ? by : 0.0;
}

// An active row holds by construction; what it seems to be off is the conditioning of the others.
static int is_active(const br_lp *lp, int id) {
    for (int k = 0; k < lp->n; k++)
        if (lp->active[k] == id) return 1;
    return 0;
}

// The row that is broken most, or the first one under Bland's rule; -1: none.
static int find_broken(const br_lp *lp, int first) {
    int found = -1;
    double most = 0.0;
    for (int i = 0; i < lp->rows; i++) {
        const double by = excess(lp, i);
        if (by > most && !is_active(lp, i)) {
            most = by;
            found = i;
            if (first) return i;
        }
    }
    for (int j = 0; j < lp->n; j++) {
        const double by = fabs(lp->z[j]) - BR_LP_REACH;
        if (by > 1e-9 * BR_LP_REACH && by > most) {
            most = by;
            found = lp->rows_max + 2 * j + (lp->z[j] < 0.0);
            if (first) return found;
        }
    }
    return found;
}

// Pivots below are nothing; of `small` ones, with w polished, those that the rounding of the rows could make.
static double least_pivot(const br_lp *lp, int k, int small) {
    double size = 0.0;
    for (int i = 0; i < lp->n && small; i++) size += fabs(lp->edge[k * lp->n + i]);
    return small ? TOL_PIVOT_DATA * size : TOL_PIVOT;
}

// Which active row gives way: of those whose multiplier gets to zero first, up to rounding, the one with the
// largest pivot [Harris]; under Bland's rule the smallest name. -1: none can.
static int find_leaving(const br_lp *lp, int first, int small) {
    double least = INFINITY;
    const double slack = first ? 0.0 : TOL_TIE;
    for (int k = 0; k < lp->n; k++)
        if (lp->w[k] > least_pivot(lp, k, small)) least = fmin(least, (lp->lambda[k] + slack) / lp->w[k]);
    int leaving = -1;
    for (int k = 0; k < lp->n; k++) {
        if (!(lp->w[k] > least_pivot(lp, k, small)) ||
            lp->lambda[k] / lp->w[k] > least + (first ? TOL_TIE : 0.0))
            continue;
        if (leaving < 0 || (first ? lp->active[k] < lp->active[leaving] : lp->w[k] > lp->w[leaving]))
            leaving = k;
    }
    return leaving;
}

static void exchange(br_lp *lp, int leaving, int id, double h, double by) {
    const int n = lp->n;
    const double pivot = lp->w[leaving], theta = lp->lambda[leaving] / pivot;
    double *along = lp->edge + (size_t)leaving * (size_t)n;
    for (int i = 0; i < n; i++) {
        along[i] /= pivot;
        lp->z[i] -= by * along[i];
    }
    for (int k = 0; k < n; k++) {
        double *edge = lp->edge + (size_t)k * (size_t)n;
        if (k == leaving) continue;
        for (int i = 0; i < n; i++) edge[i] -= lp->w[k] * along[i];
        lp->lambda[k] = fmax(lp->lambda[k] - theta * lp->w[k], 0.0);
    }
    lp->lambda[leaving] = theta;
    lp->active[leaving] = id;
    lp->bound[leaving] = h;
}

static br_lp_answer finish(br_lp *lp) {
    double size = 0.0;
    for (int j = 0; j < lp->n; j++) size = fmax(size, fabs(lp->c[j]));
    lp->value = dot(lp->n, lp->c, lp->z);
    for (int k = 0; k < lp->n; k++)
        if (lp->active[k] >= lp->rows_max && lp->lambda[k] > TOL_LEANS * size) return BR_LP_UNBOUNDED;
    return BR_LP_OPTIMUM;
}

// Every row is looked at, every edge changed, and now and then all edges are found afresh.
static double pivot_work(const br_lp *lp) {
    const double n = lp->n;
    return 50.0 + n * (lp->rows + 3.0 * n) + 2.0 * n * n * n / REFACTOR_EVERY;
}

br_lp_answer br_lp_solve(br_lp *lp) {
    const int n = lp->n;
    if (lp->impossible) return BR_LP_INFEASIBLE;
    if (!lp->started) start(lp);
    const long cap = lp->pivots + 50 * (long)(n + 10) + 4 * (long)lp->rows;
    int since = 0, stalled = 0;
    lp->loose = 1.0;
    double best = -INFINITY;
    double *g = lp->normals; // scratch between refreshes
    for (;;) {
        const int first = stalled > BLAND_AFTER;
        const int entering = n ? find_broken(lp, first) : -1;
        int leaving = -1;
        double h = 0.0, by = 0.0;
        if (entering >= 0) {
            h = row_at(lp, entering, g);
            for (int k = 0; k < n; k++) lp->w[k] = dot(n, g, lp->edge + (size_t)k * (size_t)n);
            by = dot(n, g, lp->z) - h;
            leaving = find_leaving(lp, first, 0);
            if (leaving < 0 && since == 0 && !is_refuted(lp, g, h)) leaving = find_leaving(lp, first, 1);
        }
        // An answer, if it is one without the rounding of the updates too. A small pivot may be nothing but
        // that rounding.
        const int answer = entering < 0 || leaving < 0;
        if (answer || (lp->w[leaving] < SMALL_PIVOT && since > 0)) {
            if (since == 0) return entering < 0 ? finish(lp) : BR_LP_INFEASIBLE;
            if (!refresh(lp)) return BR_LP_GAVE_UP;
            since = 0;
            continue;
        }
        exchange(lp, leaving, entering, h, by);
        lp->pivots++;
        if (lp->pivots >= cap || !br_work_spend(lp->work, pivot_work(lp))) return BR_LP_GAVE_UP;
        if (++since >= REFACTOR_EVERY) {
            if (!refresh(lp)) return BR_LP_GAVE_UP;
            since = 0;
        }
        const double value = dot(lp->n, lp->c, lp->z);
        stalled = value > best + 1e-12 * (1.0 + fabs(best)) ? 0 : stalled + 1;
        best = fmax(best, value);
        if (stalled == LOOSEN_AFTER && lp->loose < 500.0) lp->loose *= 10.0, stalled = 0;
        if (value >= lp->cutoff && since == 0) return BR_LP_CUTOFF;
        if (value >= lp->cutoff) { // believe it only of fresh numbers
            if (!refresh(lp)) return BR_LP_GAVE_UP;
            since = 0;
            if (dot(lp->n, lp->c, lp->z) >= lp->cutoff) return BR_LP_CUTOFF;
        }
    }
}
