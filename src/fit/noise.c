// What is left over, quantity by quantity.
#include "fit/noise.h"

#include <math.h>

// Spread of a quantity about its mean in each recording: what an error is small against.
double br_noise_spread(const br_measured *m, const fit_group *g) {
    double sum = 0;
    long n = 0;
    for (int k = 0; k < m->recordings; k++) {
        const fit_recording *r = &m->recording[k];
        for (int i = 0; i < g->count; i++) {
            double mean = 0;
            for (int row = 0; row < r->rows; row++)
                mean += r->value[(size_t)row * (size_t)m->columns + (size_t)g->column[i]] / r->rows;
            for (int row = 0; row < r->rows; row++) {
                const double x = r->value[(size_t)row * (size_t)m->columns + (size_t)g->column[i]] - mean;
                sum += x * x, n++;
            }
        }
    }
    return n > 0 && sum > 0 ? sqrt(sum / (double)n) : 1.0;
}

// The sums of squares of each compared group in the residuals r, and how many there are.
void br_noise_sums(const fit_problem *s, const double *r, double *sum, double *count) {
    const br_measured *m = s->m;
    int group[4 * FIT_MAX_GROUPS], n = 0;
    for (int g = 0; g < m->groups; g++) {
        const int each = m->group[g].kind == FIT_ROTATION ? 3 : m->group[g].count;
        sum[g] = count[g] = 0;
        for (int i = 0; m->group[g].fitted && i < each; i++) group[n++] = g;
    }
    for (int i = 0; i < s->residuals; i++) {
        const int g = group[i % n];
        sum[g] += r[i] * r[i] * s->sigma[g] * s->sigma[g];
        count[g] += 1;
    }
}

// Rows follow each other: of a residual that keeps its sign over many rows only every so many counts. By the correlation of neighbours.
double br_noise_share(const fit_problem *s, const double *r) {
    const br_measured *m = s->m;
    double product = 0, square = 0;
    long n = 0;
    for (int k = 0; k < m->recordings; k++) {
        const int from = s->first[k], to = s->first[k + 1];
        int each = 0;
        for (int g = 0; g < m->groups; g++)
            each += !m->group[g].fitted ? 0 : m->group[g].kind == FIT_ROTATION ? 3 : m->group[g].count;
        for (int i = from; i < to; i++) {
            square += r[i] * r[i], n++;
            if (i + each < to) product += r[i] * r[i + each];
        }
    }
    const double rho = square > 0 ? product / square : 0, chance = 3 / sqrt((double)n);
    const double used = fmin(0.999, rho);
    return used > chance ? (1 - used) / (1 + used) : 1.0;
}
