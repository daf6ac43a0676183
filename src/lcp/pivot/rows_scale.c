// Equilibration by powers of two, see rows_scale.h.
#include "lcp/pivot/rows_scale.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"

#define SWEEPS 6 // Ruiz sweeps; the largest entries are then within a factor of two of one

int br_rows_scaled_create(br_rows_scaled *s, br_arena *arena, int n_max) {
    s->n_max = n_max;
    s->A = br_arena_take(arena, (size_t)n_max * (size_t)n_max, sizeof(double));
    double **vectors[] = {&s->q, &s->lower, &s->upper, &s->row, &s->column, &s->z, &s->w};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = BR_TAKE(arena, double, n_max);
    return br_arena_ok(arena);
}

// The power of two nearest to x^-1/2, or 1 for a row or column of zeros.
static double inverse_root(double x) {
    return x > 0 ? br_exp2(-round(0.5 * br_log2(x))) : 1;
}

static void equilibrate(br_rows_scaled *s) {
    const int n = s->rows.n;
    double *row_max = s->w, *column_max = s->z;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memset(row_max, 0, (size_t)n * sizeof(double));
        memset(column_max, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const double a = fabs(s->A[(size_t)i * (size_t)n + (size_t)j]);
                row_max[i] = fmax(row_max[i], a);
                column_max[j] = fmax(column_max[j], a);
            }
        }
        int settled = 1;
        for (int i = 0; i < n; i++) {
            row_max[i] = inverse_root(row_max[i]);
            column_max[i] = inverse_root(column_max[i]);
            s->row[i] *= row_max[i];
            s->column[i] *= column_max[i];
            settled = settled && row_max[i] == 1 && column_max[i] == 1;
        }
        if (settled) return;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) s->A[(size_t)i * (size_t)n + (size_t)j] *= row_max[i] * column_max[j];
        }
    }
}

// How far the origin is from a solution. Rows that it satisfies do not count: a large q on an inactive row says
// nothing about the size of z.
static double origin_violation(br_rows_scaled *s) {
    double sigma = 0;
    br_rows_origin(&s->rows, s->z);
    br_rows_apply(&s->rows, s->z, s->w);
    for (int i = 0; i < s->rows.n; i++) {
        const int at_lower = s->z[i] == s->lower[i], at_upper = s->z[i] == s->upper[i];
        const double w = s->w[i];
        if ((at_lower && w >= 0) || (at_upper && w <= 0) || (at_lower && at_upper)) continue;
        sigma = fmax(sigma, fabs(w));
    }
    return sigma;
}

void br_rows_scale(br_rows_scaled *s, const br_rows *rows) {
    const int n = rows->n;
    s->rows = (br_rows){.n = n, .A = s->A, .q = s->q, .lower = s->lower, .upper = s->upper};
    memcpy(s->A, rows->A, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) s->row[i] = s->column[i] = 1;
    equilibrate(s);
    for (int i = 0; i < n; i++) {
        s->q[i] = s->row[i] * rows->q[i];
        s->lower[i] = rows->lower[i] / s->column[i];
        s->upper[i] = rows->upper[i] / s->column[i];
    }
    const double violation = origin_violation(s);
    s->sigma = violation > 0 && isfinite(violation) ? br_exp2(round(br_log2(violation))) : 1;
    for (int i = 0; i < n; i++) {
        s->q[i] /= s->sigma;
        s->lower[i] /= s->sigma;
        s->upper[i] /= s->sigma;
    }
}

void br_rows_unscale_z(const br_rows_scaled *s, const double *z_scaled, double *z) {
    for (int i = 0; i < s->rows.n; i++) z[i] = z_scaled[i] * (s->sigma * s->column[i]);
}

void br_rows_scale_z(const br_rows_scaled *s, const double *z, double *z_scaled) {
    for (int i = 0; i < s->rows.n; i++) z_scaled[i] = z[i] / (s->sigma * s->column[i]);
}
