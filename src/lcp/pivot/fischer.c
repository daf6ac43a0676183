// Fischer-Burmeister Newton for row problems, see fischer.h.
#include "lcp/pivot/fischer.h"

#include "linalg/dense.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

#define TOL_MERIT 1e-22 // half the square of |Phi|: the polishing step does the rest
#define MAX_HALVINGS 24

int br_fischer_create(br_fischer *f, br_arena *arena, int n_max) {
    double **vectors[] = {&f->z,    &f->w,     &f->phi,   &f->dz,      &f->dw,
                          &f->step, &f->z_try, &f->w_try, &f->gradient};
    f->n_max = n_max;
    f->H = br_arena_take(arena, (size_t)n_max * (size_t)n_max, sizeof(double));
    f->lu_pivot = BR_TAKE(arena, int, n_max);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = BR_TAKE(arena, double, n_max);
    return br_arena_ok(arena);
}

// phi(a, b) = sqrt(a^2 + b^2) - a - b and its partial derivatives; at the origin an element of the generalized ones.
static double burmeister(double a, double b, double *da, double *db) {
    const double r = br_hypot(a, b);
    *da = (r > 0 ? a / r : 0.70710678118654752) - 1;
    *db = (r > 0 ? b / r : 0.70710678118654752) - 1;
    // Where a, b > 0 the difference cancels: phi = -2 a b / (r + a + b).
    return a > 0 && b > 0 ? -2 * a * b / (r + a + b) : r - a - b;
}

// Phi_i and its derivatives by z_i and w_i: phi(z - l, phi(u - z, -w)), with infinite bounds taken to their limits.
static double row_phi(const br_rows *rows, int i, double z, double w, double *dz, double *dw) {
    const double l = rows->lower[i], u = rows->upper[i];
    double inner = w, inner_z = 0, inner_w = 1, a, b;
    if (l == u) {
        *dz = 1;
        *dw = 0;
        return z - l;
    }
    if (!isinf(u)) {
        inner = burmeister(u - z, -w, &a, &b);
        inner_z = -a;
        inner_w = -b;
    }
    if (isinf(l)) {
        *dz = -inner_z;
        *dw = -inner_w;
        return -inner;
    }
    const double phi = burmeister(z - l, inner, &a, &b);
    *dz = a + b * inner_z;
    *dw = b * inner_w;
    return phi;
}

static double merit_at(const br_rows *rows, const double *z, double *w) {
    double sum = 0, dz, dw;
    br_rows_apply(rows, z, w);
    for (int i = 0; i < rows->n; i++) {
        const double phi = row_phi(rows, i, z[i], w[i], &dz, &dw);
        sum += phi * phi;
    }
    return 0.5 * sum;
}

void br_fischer_init(br_fischer *f, const br_rows *rows, const double *z) {
    f->rows = rows;
    if (z)
        memcpy(f->z, z, (size_t)rows->n * sizeof(double));
    else
        br_rows_origin(rows, f->z);
    f->merit = merit_at(rows, f->z, f->w);
    for (int k = 0; k < BR_FISCHER_MEMORY; k++) f->memory[k] = f->merit;
    f->steps = 0;
    f->progress = BR_RUNNING;
    f->outcome = BR_MAX_ITERATIONS;
}

// H = diag(dz) + diag(dw) A.
static void newton_matrix(br_fischer *f) {
    const int n = f->rows->n;
    for (int i = 0; i < n; i++) {
        const double *a = f->rows->A + (size_t)i * (size_t)n;
        double *h = f->H + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) h[j] = f->dw[i] * a[j];
        h[i] += f->dz[i];
    }
}

static int newton_step(br_fischer *f) {
    const int n = f->rows->n;
    newton_matrix(f);
    for (int i = 0; i < n; i++) f->step[i] = -f->phi[i];
    if (br_lu_factor(n, f->H, n, f->lu_pivot, 1e-14)) return 0;
    br_lu_solve(n, f->H, n, f->lu_pivot, f->step);
    double slope = 0, length = 0;
    for (int i = 0; i < n; i++) {
        slope += f->gradient[i] * f->step[i];
        length += f->step[i] * f->step[i];
    }
    return isfinite(length) && slope <= -1e-10 * br_pow(length, 1.05);
}

// (H^T H + mu I) step = -gradient.
static int levenberg_step(br_fischer *f) {
    const int n = f->rows->n;
    const double mu = 1e-3 * sqrt(2 * f->merit) + 1e-12;
    double *N = f->H;
    // Row by row of H = diag(dz) + diag(dw) A: N = A^T diag(dw^2) A + A^T diag(dw dz) + (..)^T + diag(dz^2) + mu I.
    memset(N, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++) {
        const double *a = f->rows->A + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) {
            const double hi = f->dw[k] * a[i] + (i == k ? f->dz[k] : 0);
            if (hi == 0) continue;
            double *row = N + (size_t)i * (size_t)n;
            for (int j = 0; j <= i; j++) row[j] += hi * (f->dw[k] * a[j]);
            if (k <= i) row[k] += hi * f->dz[k];
        }
    }
    for (int i = 0; i < n; i++) {
        N[(size_t)i * (size_t)n + (size_t)i] += mu;
        f->step[i] = -f->gradient[i];
    }
    if (br_cholesky_factor(n, N, n)) return 0;
    br_cholesky_solve(n, N, n, f->step);
    return 1;
}

static double reference_merit(const br_fischer *f) {
    double largest = 0;
    for (int k = 0; k < BR_FISCHER_MEMORY; k++) largest = fmax(largest, f->memory[k]);
    return largest;
}

// Armijo against the largest of the last merits; 0 when no length gives descent.
static int line_search(br_fischer *f) {
    const int n = f->rows->n;
    const double reference = reference_merit(f);
    double slope = 0;
    for (int i = 0; i < n; i++) slope += f->gradient[i] * f->step[i];
    double length = 1;
    for (int k = 0; k < MAX_HALVINGS; k++, length *= 0.5) {
        for (int i = 0; i < n; i++) f->z_try[i] = f->z[i] + length * f->step[i];
        const double merit = merit_at(f->rows, f->z_try, f->w_try);
        if (!(merit <= reference + 1e-4 * length * slope)) continue;
        memcpy(f->z, f->z_try, (size_t)n * sizeof(double));
        memcpy(f->w, f->w_try, (size_t)n * sizeof(double));
        f->merit = f->memory[f->steps % BR_FISCHER_MEMORY] = merit;
        return 1;
    }
    return 0;
}

static void fischer_finish(br_fischer *f, br_outcome outcome) {
    f->outcome = outcome;
    f->progress = BR_FINISHED;
}

br_progress br_fischer_iterate(br_fischer *f) {
    if (f->progress == BR_FINISHED) return BR_FINISHED;
    const int n = f->rows->n;
    double gradient = 0;
    if (f->merit <= TOL_MERIT)
        fischer_finish(f, BR_CONVERGED);
    else if (f->steps >= BR_MAX_FISCHER_STEPS)
        fischer_finish(f, BR_MAX_ITERATIONS);
    else if (!isfinite(f->merit))
        fischer_finish(f, BR_STALLED);
    if (f->progress == BR_FINISHED) return BR_FINISHED;
    for (int i = 0; i < n; i++) f->phi[i] = row_phi(f->rows, i, f->z[i], f->w[i], &f->dz[i], &f->dw[i]);
    for (int j = 0; j < n; j++) f->gradient[j] = f->dz[j] * f->phi[j];
    for (int i = 0; i < n; i++) {
        const double *a = f->rows->A + (size_t)i * (size_t)n, s = f->dw[i] * f->phi[i];
        for (int j = 0; j < n; j++) f->gradient[j] += a[j] * s;
    }
    for (int j = 0; j < n; j++) gradient = fmax(gradient, fabs(f->gradient[j]));
    f->steps++;
    const int moved = (newton_step(f) && line_search(f)) || (levenberg_step(f) && line_search(f));
    if (!moved || gradient <= 1e-13 * sqrt(2 * f->merit)) fischer_finish(f, BR_STALLED);
    return f->progress;
}

br_outcome br_fischer_test(const br_fischer *f, double *z, br_side *side) {
    memcpy(z, f->z, (size_t)f->rows->n * sizeof(double));
    br_rows_sides(f->rows, z, f->w, side);
    return f->outcome;
}
