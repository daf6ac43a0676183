// Linear programs by trying every corner: independent of the simplex method, for a few unknowns and tens of
// rows.
#ifndef BR_TESTS_TRUST_CORNERS_H
#define BR_TESTS_TRUST_CORNERS_H

#include <math.h>
#include <string.h>

enum { CORNER_N = 7, CORNER_ROWS = 80 };

typedef struct corners {
    int n, rows;
    double g[CORNER_ROWS][CORNER_N], h[CORNER_ROWS]; // g . z <= h
} corners;

static inline void corners_row(corners *c, const double *g, double h) {
    double length = 0;
    for (int j = 0; j < c->n; j++) length += g[j] * g[j];
    length = length > 1e-24 ? sqrt(length) : 1; // 0 <= h stays what it is
    for (int j = 0; j < c->n; j++) c->g[c->rows][j] = g[j] / length;
    c->h[c->rows++] = h / length;
}

static inline void corners_box(corners *c, double reach) {
    for (int j = 0; j < c->n; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double g[CORNER_N] = {0};
            g[j] = sign;
            corners_row(c, g, reach);
        }
}

// Where the chosen rows meet; 0: nowhere in particular.
static inline int corner_at(const corners *c, const int *chosen, double *z) {
    double a[CORNER_N][CORNER_N + 1];
    const int n = c->n;
    for (int i = 0; i < n; i++) {
        memcpy(a[i], c->g[chosen[i]], sizeof(double) * (size_t)n);
        a[i][n] = c->h[chosen[i]];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (fabs(a[best][k]) < 1e-9) return 0;
        for (int j = 0; j <= n; j++) {
            const double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        for (int i = 0; i < n; i++) {
            const double l = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = 0; j <= n && l != 0; j++) a[i][j] -= l * a[k][j];
        }
    }
    for (int k = 0; k < n; k++) z[k] = a[k][n] / a[k][k];
    return 1;
}

static inline int corner_allowed(const corners *c, const double *z, double tolerance) {
    for (int i = 0; i < c->rows; i++) {
        double sum = -c->h[i], size = 1;
        for (int j = 0; j < c->n; j++) sum += c->g[i][j] * z[j], size += fabs(c->g[i][j] * z[j]);
        if (sum > tolerance * size) return 0;
    }
    return 1;
}

// Smallest and largest of each of `count` forms p + q . z (widening *low and *high); returns the number of
// corners. The rows must include a box, so that a set that is not empty has corners.
static inline long corners_extremes(const corners *c, int count, const double *p, const double (*q)[CORNER_N],
                                    double *low, double *high) {
    int chosen[CORNER_N];
    long found = 0;
    const int n = c->n;
    for (int i = 0; i < n; i++) chosen[i] = i;
    for (;;) {
        double z[CORNER_N] = {0};
        if (corner_at(c, chosen, z) && corner_allowed(c, z, 1e-11)) {
            found++;
            for (int k = 0; k < count; k++) {
                double v = p[k];
                for (int j = 0; j < n; j++) v += q[k][j] * z[j];
                low[k] = fmin(low[k], v);
                high[k] = fmax(high[k], v);
            }
        }
        int i = n - 1; // the next combination
        while (i >= 0 && chosen[i] == c->rows - n + i) i--;
        if (i < 0) return found;
        chosen[i]++;
        for (int k = i + 1; k < n; k++) chosen[k] = chosen[k - 1] + 1;
    }
}

#endif
