// A linear program with bounds on both sides, phase 1 only, see box_lp.h.
#include "lcp/pivot/box_lp.h"

#include "lcp/pivot/dictionary.h"

#include <math.h>
#include <string.h>

#define TOL_FEASIBLE 1e-10 // bounds, for data of order one
#define TOL_CHECK 1e-9     // bounds, of the answer recomputed from A
#define TOL_COST 1e-10     // reduced costs
#define TOL_PIVOT 1e-9
#define TOL_ZERO 1e-12  // rounding in a sum, relative to its terms
#define TOL_MARGIN 1e-9 // of a certificate
#define BLAND_AFTER 40  // pivots without progress
#define PIVOTS_PER_ROW 40

int br_box_lp_create(br_box_lp *lp, br_arena *arena, int n_max) {
    const size_t n = (size_t)n_max;
    lp->n_max = n_max;
    lp->lower = BR_TAKE(arena, double, 2 * n);
    lp->upper = BR_TAKE(arena, double, 2 * n);
    lp->z = BR_TAKE(arena, double, n);
    lp->certificate = BR_TAKE(arena, double, n);
    lp->D = br_arena_take(arena, n * n, sizeof(double));
    lp->value = BR_TAKE(arena, double, 2 * n);
    lp->cost = BR_TAKE(arena, double, n);
    lp->r = BR_TAKE(arena, double, n);
    lp->basic = BR_TAKE(arena, int, n);
    lp->nonbasic = BR_TAKE(arena, int, n);
    return br_arena_ok(arena);
}

static double *box_lp_row_of(const br_box_lp *lp, int i) {
    return lp->D + (size_t)i * (size_t)lp->n;
}

static void box_lp_start(br_box_lp *lp) {
    const int n = lp->n;
    memcpy(lp->D, lp->A, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        lp->nonbasic[j] = j;
        lp->basic[j] = n + j;
        lp->value[j] = fmin(fmax(0, lp->lower[j]), lp->upper[j]);
        // A nonbasic variable must stand at a bound, unless it has none.
        if (lp->value[j] > lp->lower[j] && lp->value[j] < lp->upper[j]) {
            if (!isinf(lp->lower[j]))
                lp->value[j] = lp->lower[j];
            else if (!isinf(lp->upper[j]))
                lp->value[j] = lp->upper[j];
        }
    }
    for (int i = 0; i < n; i++) {
        const double *d = box_lp_row_of(lp, i);
        double sum = lp->q[i];
        for (int j = 0; j < n; j++) sum += d[j] * lp->value[j];
        lp->value[n + i] = sum;
    }
    lp->pivots = 0;
}

// -1 below its lower bound, +1 above its upper one, 0 within.
static int outside(const br_box_lp *lp, int variable, double tol) {
    const double x = lp->value[variable];
    return x < lp->lower[variable] - tol ? -1 : x > lp->upper[variable] + tol ? 1 : 0;
}

// cost_j = d(sum of infeasibilities)/d(nonbasic j); returns the sum.
static double price(br_box_lp *lp) {
    const int n = lp->n;
    double sum = 0;
    memset(lp->cost, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        const int v = lp->basic[i], s = outside(lp, v, TOL_FEASIBLE);
        if (s == 0) continue;
        sum += s < 0 ? lp->lower[v] - lp->value[v] : lp->value[v] - lp->upper[v];
        const double *d = box_lp_row_of(lp, i);
        for (int j = 0; j < n; j++) lp->cost[j] += s * d[j];
    }
    return sum;
}

// A column whose variable can move so that the sum falls; -1 when there is none.
static int choose_column(const br_box_lp *lp, int bland) {
    int best = -1;
    for (int j = 0; j < lp->n; j++) {
        const int v = lp->nonbasic[j];
        const double c = lp->cost[j];
        const int can =
            c < -TOL_COST ? lp->value[v] < lp->upper[v] : c > TOL_COST && lp->value[v] > lp->lower[v];
        if (!can) continue;
        if (best < 0 || (bland ? v < lp->nonbasic[best] : fabs(c) > fabs(lp->cost[best]))) best = j;
    }
    return best;
}

// How far basic variable v may go at this speed: to the bound ahead, or, when it is outside, to the bound it violates.
static double box_lp_reach(const br_box_lp *lp, int v, double speed) {
    const int s = outside(lp, v, TOL_FEASIBLE);
    if (s * speed > 0) return INFINITY;
    const double bound = s < 0       ? lp->lower[v]
                         : s > 0     ? lp->upper[v]
                         : speed > 0 ? lp->upper[v]
                                     : lp->lower[v];
    return fmax((bound - lp->value[v]) / speed, 0);
}

static int choose_row(const br_box_lp *lp, int column, double direction, int bland, double *step) {
    int best = -1;
    double shortest = INFINITY;
    for (int pass = 0; pass < 2;
         pass++) { // the shortest step, then among the nearly shortest the safest pivot
        for (int i = 0; i < lp->n; i++) {
            const double d = box_lp_row_of(lp, i)[column], a = fabs(d);
            if (a <= TOL_PIVOT) continue;
            const double t = box_lp_reach(lp, lp->basic[i], direction * d);
            if (pass == 0) shortest = fmin(shortest, t);
            if (pass == 0 || isinf(t) || t > shortest + TOL_ZERO) continue;
            if (best < 0 ||
                (bland ? lp->basic[i] < lp->basic[best] : a > fabs(box_lp_row_of(lp, best)[column])))
                best = i;
        }
    }
    *step = shortest;
    return best;
}

static void box_lp_exchange(br_box_lp *lp, int row, int column) {
    br_dictionary_exchange(lp->D, lp->n, lp->n, lp->n, row, column);
    const int v = lp->basic[row];
    lp->basic[row] = lp->nonbasic[column];
    lp->nonbasic[column] = v;
}

// One step of the entering column; 0 when the sum could fall for ever, which only rounding can cause.
static int box_lp_move(br_box_lp *lp, int column, int bland) {
    const int v = lp->nonbasic[column];
    const double direction = lp->cost[column] < 0 ? 1 : -1;
    const double span = direction > 0 ? lp->upper[v] - lp->value[v] : lp->value[v] - lp->lower[v];
    double step;
    const int row = choose_row(lp, column, direction, bland, &step);
    const int flip = span <= step;
    if (flip) step = span;
    if (isinf(step)) return 0;
    for (int i = 0; i < lp->n; i++)
        lp->value[lp->basic[i]] += direction * step * box_lp_row_of(lp, i)[column];
    lp->value[v] = flip ? (direction > 0 ? lp->upper[v] : lp->lower[v]) : lp->value[v] + direction * step;
    if (flip) return 1;
    const int leaving = lp->basic[row];
    const double x = lp->value[leaving];
    lp->value[leaving] = fabs(x - lp->lower[leaving]) <= fabs(x - lp->upper[leaving]) ? lp->lower[leaving]
                                                                                      : lp->upper[leaving];
    box_lp_exchange(lp, row, column);
    return 1;
}

// ---------------------------------------------------------------------------------------------- the answers

static br_box_lp_answer confirm_point(br_box_lp *lp) {
    const int n = lp->n;
    for (int i = 0; i < n; i++) lp->z[i] = fmin(fmax(lp->value[i], lp->lower[i]), lp->upper[i]);
    for (int i = 0; i < n; i++) {
        const double *a = lp->A + (size_t)i * (size_t)n;
        double sum = lp->q[i], size = 1;
        for (int j = 0; j < n; j++) {
            sum += a[j] * lp->z[j];
            size = fmax(size, fabs(a[j] * lp->z[j]));
        }
        if (sum < lp->lower[n + i] - TOL_CHECK * size || sum > lp->upper[n + i] + TOL_CHECK * size)
            return BR_LP_DOUBT;
    }
    return BR_LP_FEASIBLE;
}

// The sum of infeasibilities is a combination of the nonbasic variables whose every term is at its least: its
// coefficients on the r variables are the certificate.
static br_box_lp_answer confirm_certificate(br_box_lp *lp) {
    const int n = lp->n;
    double *c = lp->certificate, largest = 0;
    memset(c, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        const int v = lp->basic[i];
        if (v >= n) c[v - n] = -outside(lp, v, TOL_FEASIBLE);
    }
    for (int j = 0; j < n; j++) {
        const int v = lp->nonbasic[j];
        if (v >= n) c[v - n] = lp->cost[j];
    }
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(c[i]));
    if (largest == 0) return BR_LP_DOUBT;
    for (int i = 0; i < n; i++) {
        c[i] /= largest;
        const int wrong = (c[i] > 0 && isinf(lp->lower[n + i])) || (c[i] < 0 && isinf(lp->upper[n + i]));
        if (fabs(c[i]) <= (wrong ? 10 * TOL_COST : TOL_ZERO)) c[i] = 0;
    }
    return br_box_lp_proves(lp, c) ? BR_LP_EMPTY : BR_LP_DOUBT;
}

// Adds the least value of coefficient x over [lower, upper] to *least; 0 when that is minus infinity.
static int add_least(double coefficient, double lower, double upper, double noise, double *least,
                     double *size) {
    const double bound = coefficient > 0 ? lower : upper;
    if (fabs(coefficient) <= noise && isinf(bound)) return 1;
    if (isinf(bound)) return 0;
    *least += coefficient * bound;
    *size += fabs(coefficient * bound);
    return 1;
}

int br_box_lp_proves(const br_box_lp *lp, const double *c) {
    const int n = lp->n;
    double least = 0, right = 0, size = 0;
    for (int i = 0; i < n; i++) {
        right += c[i] * lp->q[i];
        size += fabs(c[i] * lp->q[i]);
        if (c[i] != 0 && !add_least(c[i], lp->lower[n + i], lp->upper[n + i], 0, &least, &size)) return 0;
    }
    for (int j = 0; j < n; j++) {
        double g = 0, terms = 0;
        for (int i = 0; i < n; i++) {
            const double t = lp->A[(size_t)i * (size_t)n + (size_t)j] * c[i];
            g += t;
            terms += fabs(t);
        }
        if (!add_least(-g, lp->lower[j], lp->upper[j], TOL_ZERO * terms, &least, &size)) return 0;
    }
    return least - right > TOL_MARGIN * size && size > 0;
}

br_box_lp_answer br_box_lp_solve(br_box_lp *lp) {
    box_lp_start(lp);
    const long cap = 200 + (long)PIVOTS_PER_ROW * lp->n;
    double best = INFINITY;
    int idle = 0;
    for (; lp->pivots < cap; lp->pivots++) {
        const double sum = price(lp);
        if (sum == 0) return confirm_point(lp);
        idle = sum < best * (1 - 1e-12) ? 0 : idle + 1;
        best = fmin(best, sum);
        const int bland = idle > BLAND_AFTER, column = choose_column(lp, bland);
        if (column < 0) return confirm_certificate(lp);
        if (!box_lp_move(lp, column, bland)) return BR_LP_DOUBT;
    }
    return BR_LP_DOUBT;
}
