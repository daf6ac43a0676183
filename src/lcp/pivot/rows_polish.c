// From a basis to an accurate answer, see rows_polish.h.
#include "lcp/pivot/rows_polish.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REFINEMENTS 3
#define EXCHANGES 4      // rounds of repairing a nearly right basis
#define TINY_PIVOT 1e-13 // relative to the largest entry: below it the basis counts as singular

int br_rows_polish_create(br_rows_polish *p, br_arena *arena, int n_max) {
    p->n_max = n_max;
    p->LU = br_arena_take(arena, (size_t)n_max * (size_t)n_max, sizeof(double));
    p->x = BR_TAKE(arena, double, n_max);
    p->w = BR_TAKE(arena, double, n_max);
    p->z_try = BR_TAKE(arena, double, n_max);
    p->res = BR_TAKE(arena, double, n_max);
    p->row = BR_TAKE(arena, int, n_max);
    p->column = BR_TAKE(arena, int, n_max);
    p->basic = BR_TAKE(arena, int, n_max);
    p->side_try = BR_TAKE(arena, br_side, n_max);
    return br_arena_ok(arena);
}

static void swap_rows(double *LU, int m, int a, int b) {
    for (int j = 0; j < m && a != b; j++) {
        const double t = LU[(size_t)a * (size_t)m + (size_t)j];
        LU[(size_t)a * (size_t)m + (size_t)j] = LU[(size_t)b * (size_t)m + (size_t)j];
        LU[(size_t)b * (size_t)m + (size_t)j] = t;
    }
}

static void swap_columns(double *LU, int m, int a, int b) {
    for (int i = 0; i < m && a != b; i++) {
        const double t = LU[(size_t)i * (size_t)m + (size_t)a];
        LU[(size_t)i * (size_t)m + (size_t)a] = LU[(size_t)i * (size_t)m + (size_t)b];
        LU[(size_t)i * (size_t)m + (size_t)b] = t;
    }
}

static void swap_int(int *list, int a, int b) {
    const int t = list[a];
    list[a] = list[b];
    list[b] = t;
}

// LU with complete pivoting of A over the basic rows and columns; returns the rank found.
static int factor(br_rows_polish *p, const br_rows *rows, int m) {
    const size_t n = (size_t)rows->n, s = (size_t)m;
    double largest = 0;
    for (int i = 0; i < m; i++) {
        const double *a = rows->A + (size_t)p->basic[i] * n;
        for (int j = 0; j < m; j++) {
            p->LU[(size_t)i * s + (size_t)j] = a[p->basic[j]];
            largest = fmax(largest, fabs(a[p->basic[j]]));
        }
        p->row[i] = p->column[i] = i;
    }
    const double tiny = TINY_PIVOT * largest;
    double pivot = largest;
    int pr = 0, pc = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            if (fabs(p->LU[(size_t)i * s + (size_t)j]) == largest) pr = i, pc = j;
        }
    }
    for (int k = 0; k < m; k++) {
        if (!(pivot > tiny)) return k;
        swap_rows(p->LU, m, k, pr);
        swap_columns(p->LU, m, k, pc);
        swap_int(p->row, k, pr);
        swap_int(p->column, k, pc);
        // The next pivot is looked for while this one is eliminated: one pass over the matrix instead of two.
        const double *u = p->LU + (size_t)k * s;
        pivot = 0;
        for (int i = k + 1; i < m; i++) {
            double *a = p->LU + (size_t)i * s;
            const double f = a[k] /= u[k];
            for (int j = k + 1; j < m; j++) {
                a[j] -= f * u[j];
                if (fabs(a[j]) > pivot) pivot = fabs(a[j]), pr = i, pc = j;
            }
        }
    }
    return m;
}

// x := the solution of the leading rank x rank system for the right side x, zero for what the rank leaves open.
static void polish_rows_solve(const br_rows_polish *p, int m, int rank, const double *right, double *x) {
    double *y = p->res;
    for (int i = 0; i < rank; i++) {
        const double *a = p->LU + (size_t)i * (size_t)m;
        double sum = right[p->row[i]];
        for (int j = 0; j < i; j++) sum -= a[j] * y[j];
        y[i] = sum;
    }
    for (int i = rank - 1; i >= 0; i--) {
        const double *a = p->LU + (size_t)i * (size_t)m;
        for (int j = i + 1; j < rank; j++) y[i] -= a[j] * y[j];
        y[i] /= a[i];
    }
    for (int i = 0; i < m; i++) x[p->column[i]] = i < rank ? y[i] : 0;
}

static double residual_of_clipped(const br_rows *rows, const double *z, double *z_clipped, double *w) {
    for (int i = 0; i < rows->n; i++) z_clipped[i] = fmin(fmax(z[i], rows->lower[i]), rows->upper[i]);
    return br_rows_residual(rows, z_clipped, w);
}

static void keep_if_better(br_rows_polish *p, const br_rows *rows, const br_side *side, double *best,
                           double *z_best, br_side *side_best) {
    double *clipped = p->x;
    const double residual = residual_of_clipped(rows, p->z_try, clipped, p->res);
    if (!(residual < *best)) return;
    *best = residual;
    memcpy(z_best, clipped, (size_t)rows->n * sizeof(double));
    memcpy(side_best, side, (size_t)rows->n * sizeof(br_side));
}

// Exchanges what stands on the wrong side by more than rounding; returns how many.
static int polish_rows_exchange(const br_rows *rows, const double *z, const double *w, br_side *side) {
    int count = 0;
    for (int i = 0; i < rows->n; i++) {
        const double l = rows->lower[i], u = rows->upper[i];
        const br_side old = side[i];
        if (l == u) continue;
        if (old == BR_SIDE_BASIC)
            side[i] = z[i] < l ? BR_SIDE_LOWER : z[i] > u ? BR_SIDE_UPPER : BR_SIDE_BASIC;
        if (old == BR_SIDE_LOWER && w[i] < 0) side[i] = BR_SIDE_BASIC;
        if (old == BR_SIDE_UPPER && w[i] > 0) side[i] = BR_SIDE_BASIC;
        count += side[i] != old;
    }
    return count;
}

// Newton on the equations of one basis: the first step solves, the others refine.
static void refine(br_rows_polish *p, const br_rows *rows, const br_side *side, double *best, double *z_best,
                   br_side *side_best) {
    int m = 0;
    for (int i = 0; i < rows->n; i++) {
        if (side[i] == BR_SIDE_BASIC)
            p->basic[m++] = i;
        else
            p->z_try[i] = br_rows_bound(rows, i, side[i]);
    }
    const int rank = factor(p, rows, m);
    for (int step = 0; step < REFINEMENTS; step++) {
        br_rows_apply(rows, p->z_try, p->w);
        for (int i = 0; i < m; i++) p->x[i] = -p->w[p->basic[i]];
        polish_rows_solve(p, m, rank, p->x, p->x);
        for (int i = 0; i < m; i++) p->z_try[p->basic[i]] += p->x[i];
        keep_if_better(p, rows, side, best, z_best, side_best);
    }
    br_rows_apply(rows, p->z_try, p->w);
}

double br_rows_polish_run(br_rows_polish *p, const br_rows *rows, br_side *side, double *z, double *w) {
    const size_t n = (size_t)rows->n;
    memcpy(p->z_try, z, n * sizeof(double));
    memcpy(p->side_try, side, n * sizeof(br_side));
    double best = INFINITY;
    keep_if_better(p, rows, side, &best, z, side);
    for (int round = 0; round < EXCHANGES; round++) {
        refine(p, rows, p->side_try, &best, z, side);
        if (best <= DBL_EPSILON || !polish_rows_exchange(rows, p->z_try, p->w, p->side_try)) break;
    }
    return br_rows_residual(rows, z, w);
}
