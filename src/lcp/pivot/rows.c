// The residual of row problems, see rows.h.
#include "lcp/pivot/rows.h"

#include <math.h>

static double clip(double x, double lower, double upper) {
    return x < lower ? lower : x > upper ? upper : x;
}

void br_rows_apply(const br_rows *rows, const double *z, double *w) {
    const int n = rows->n;
    for (int i = 0; i < n; i++) {
        const double *a = rows->A + (size_t)i * (size_t)n;
        double sum = rows->q[i];
        for (int j = 0; j < n; j++) sum += a[j] * z[j];
        w[i] = sum;
    }
}

double br_rows_residual(const br_rows *rows, const double *z, double *w) {
    double scale = 1, worst = 0;
    br_rows_apply(rows, z, w);
    for (int i = 0; i < rows->n; i++) {
        const double l = rows->lower[i], u = rows->upper[i];
        // A free row is judged by |w| itself: z - clip(z - w) would lose w's digits below those of z.
        double r = fabs(w[i]);
        if (!br_rows_is_free(rows, i)) {
            // The three cases of the projection written apart, so that nothing cancels inside the bounds.
            const double y = z[i] - w[i];
            r = y <= l ? fabs(z[i] - l) : y >= u ? fabs(z[i] - u) : fabs(w[i]);
        }
        if (!(r <= worst)) worst = r; // a NaN wins
        scale = fmax(scale, fabs(rows->q[i]));
    }
    return worst / scale;
}

int br_rows_is_free(const br_rows *rows, int i) {
    return isinf(rows->lower[i]) && isinf(rows->upper[i]);
}

int br_rows_is_fixed(const br_rows *rows, int i) {
    return rows->lower[i] == rows->upper[i];
}

void br_rows_origin(const br_rows *rows, double *z) {
    for (int i = 0; i < rows->n; i++) z[i] = clip(0, rows->lower[i], rows->upper[i]);
}

void br_rows_sides(const br_rows *rows, const double *z, const double *w, br_side *side) {
    for (int i = 0; i < rows->n; i++) {
        const double l = rows->lower[i], u = rows->upper[i], y = z[i] - w[i];
        side[i] = l == u ? BR_SIDE_LOWER : y <= l ? BR_SIDE_LOWER : y >= u ? BR_SIDE_UPPER : BR_SIDE_BASIC;
    }
}

double br_rows_bound(const br_rows *rows, int i, br_side side) {
    return side == BR_SIDE_LOWER ? rows->lower[i] : rows->upper[i];
}
