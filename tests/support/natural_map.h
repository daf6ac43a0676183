// What an answer misses of every law, written out once more and apart from the library: natural maps, dense W, and the load's size.
#ifndef NATURAL_MAP_H
#define NATURAL_MAP_H

#include "judge.h"

#include "bristle/math.h"

static inline double natural_clip(double x, double lower, double upper) {
    return fmin(fmax(x, lower), upper);
}

// The nearest point to y of the polygon with corners at radius, one of them along t1; y itself when inside.
static inline void natural_in_polygon(int sides, double radius, const double *y, double *out) {
    double best = INFINITY;
    int inside = 1;
    for (int k = 0; k < sides; k++) {
        const double a = 2 * BR_PI * k / sides, b = 2 * BR_PI * (k + 1) / sides, m = (a + b) / 2;
        const double x0 = radius * cos(a), y0 = radius * sin(a), ex = radius * cos(b) - x0,
                     ey = radius * sin(b) - y0;
        const double t =
            radius > 0 ? natural_clip(((y[0] - x0) * ex + (y[1] - y0) * ey) / (ex * ex + ey * ey), 0, 1) : 0;
        const double distance = hypot(y[0] - x0 - t * ex, y[1] - y0 - t * ey);
        if (distance < best) best = distance, out[0] = x0 + t * ex, out[1] = y0 + t * ey;
        inside &= cos(m) * y[0] + sin(m) * y[1] <= radius * cos(BR_PI / sides);
    }
    if (inside) out[0] = y[0], out[1] = y[1];
}

// What a box row misses. Where the bounds are not met it is w/d itself: z - (z - w/d) would lose w behind a huge z.
static inline double natural_row(double z, double w, double lower, double upper) {
    if (z - w <= lower) return fabs(z - lower);
    return z - w >= upper ? fabs(z - upper) : fabs(w);
}

// Squared length of p - natural map(p - w/d).
static inline double natural2(const br_law *law, const double *p, const double *w, double d) {
    if (law->kind == BR_LAW_CONE) return judge_cone_squared(law, p, w, d);
    double sum = 0, e[BR_MAX_LAW_ROWS] = {0};
    const int normal_rows = law->kind == BR_LAW_JOINT_FRICTION ? law->normal_rows : 0;
    for (int i = 0; i < law->rows; i++) {
        double limit = INFINITY;
        switch (law->kind) {
        case BR_LAW_UNILATERAL:
            e[i] = natural_row(p[i], w[i] / d, 0, INFINITY);
            break;
        case BR_LAW_BOX:
            e[i] = natural_row(p[i], w[i] / d, law->lower, law->upper);
            break;
        case BR_LAW_BOX_FRICTION:
        case BR_LAW_POLYGON:
            if (i == 0)
                e[i] = natural_row(p[i], w[i] / d, 0, INFINITY);
            else
                e[i] = natural_row(p[i], w[i] / d, -law->friction_coefficient * fmax(p[0], 0),
                                   law->friction_coefficient * fmax(p[0], 0));
            break;
        case BR_LAW_JOINT_FRICTION:
            if (i >= normal_rows) {
                limit = law->bounds[i - normal_rows].preload;
                for (int t = 0; t < law->bounds[i - normal_rows].terms; t++) {
                    double square = 0;
                    for (int k = 0; k < normal_rows; k++)
                        if (law->bounds[i - normal_rows].rows[t] >> k & 1) square += p[k] * p[k];
                    limit += law->bounds[i - normal_rows].coefficient[t] * sqrt(square);
                }
            }
            e[i] = natural_row(p[i], w[i] / d, -limit, limit);
            break;
        default:
            e[i] = fabs(w[i] / d);
            break;
        }
    }
    if (law->kind == BR_LAW_POLYGON && law->rows == 3) {
        const double radius = law->friction_coefficient * fmax(p[0], 0),
                     y[2] = {p[1] - w[1] / d, p[2] - w[2] / d};
        double nearest[2] = {0, 0};
        natural_in_polygon(law->sides, radius, y, nearest);
        e[1] = p[1] - nearest[0];
        e[2] = p[2] - nearest[1];
    }
    for (int i = 0; i < law->rows; i++) sum += e[i] * e[i];
    return sum;
}

#endif
