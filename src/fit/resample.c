// Intervals of real data: rows of a recording are not independent of each other, recordings are. So whole recordings are drawn again,
// as many as there are, and the fit is done for each draw; the interval goes from the 5 % to the 95 % quantile.
//
// A fit for each draw would take thousands of runs. Around the best each recording's sum of squares is a parabola in the parameters, fitted
// over a cloud of places, which also smooths the small jumps that sums of squares of motion with impacts have; the least of a
// draw's parabola follows without a run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "fit/interval.h"
#include "fit/resample.h"
#include "linalg/dense.h"
#include "sweep/philox.h"

enum {
    CLOUD_EACH = 24,
    CLOUD_LEAST = 24,
    MOST_TERMS = 1 + BR_MAX_FIT_PARAMETERS + BR_MAX_FIT_PARAMETERS * (BR_MAX_FIT_PARAMETERS + 1) / 2
};
// Half widths of the cloud, in u; and in half widths of the interval by sensitivities.
static const double CLOUD_FROM = 0.02, CLOUD_TO = 0.3, CLOUD_REACH = 4.0;

typedef struct resample {
    fit_work *w;
    int terms, places;
    double width[BR_MAX_FIT_PARAMETERS];
    double *x;     // [places * p] from the best, in half widths
    double *cost;  // [places * recordings]
    double *curve; // [recordings * terms]
    double *N, *b, *d;
} resample;

static int fill_terms(int p, const double *x, double *out) {
    int n = 0;
    out[n++] = 1;
    for (int a = 0; a < p; a++) out[n++] = x[a];
    for (int a = 0; a < p; a++)
        for (int b = 0; b <= a; b++) out[n++] = x[a] * x[b];
    return n;
}

// Latin: every parameter goes through all parts of its width once.
static void spread_cloud(resample *s, double *u) {
    const fit_work *w = s->w;
    const int p = w->p;
    for (int i = 0; i < s->places; i++)
        for (int k = 0; k < p; k++) {
            const uint64_t part =
                br_philox_permute(BR_HASH_START, (uint64_t)i, (uint64_t)s->places, (uint32_t)k);
            const double at = 2 * ((double)part + 0.5) / s->places - 1;
            u[i * p + k] = fmin(1, fmax(0, w->u[k] + s->width[k] * at));
            s->x[i * p + k] = (u[i * p + k] - w->u[k]) / s->width[k];
        }
}

// Each recording's parabola by least squares over the cloud. 0: it cannot be told.
static int fit_curves(resample *s) {
    const fit_work *w = s->w;
    const int n = s->terms, recordings = w->m->recordings;
    double term[MOST_TERMS];
    memset(s->N, 0, (size_t)(n * n) * sizeof *s->N);
    memset(s->curve, 0, (size_t)(recordings * n) * sizeof *s->curve);
    for (int i = 0; i < s->places; i++) {
        fill_terms(w->p, s->x + i * w->p, term);
        for (int r = 0; r < recordings; r++)
            if (!isfinite(s->cost[i * recordings + r])) return 0;
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) s->N[a * n + b] += term[a] * term[b];
            for (int r = 0; r < recordings; r++) s->curve[r * n + a] += term[a] * s->cost[i * recordings + r];
        }
    }
    for (int a = 0; a < n; a++) s->N[a * n + a] += 1e-10 * s->N[0];
    if (br_cholesky_factor(n, s->N, n) != 0) return 0;
    for (int r = 0; r < recordings; r++) br_cholesky_solve(n, s->N, n, s->curve + r * n);
    return 1;
}

// The least of a parabola within the cloud, coordinate by coordinate. *edge: bit k, it stands at the cloud's edge.
static void least_of(const resample *s, const double *curve, double *x, unsigned *edge) {
    const int p = s->w->p;
    memset(x, 0, (size_t)p * sizeof *x);
    for (int round = 0; round < 200; round++) {
        double moved = 0;
        for (int k = 0; k < p; k++) {
            double slope = curve[1 + k], bend = 0;
            int n = 1 + p;
            for (int a = 0; a < p; a++)
                for (int b = 0; b <= a; b++, n++) {
                    if (a == k && b == k)
                        bend = curve[n];
                    else if (a == k)
                        slope += curve[n] * x[b];
                    else if (b == k)
                        slope += curve[n] * x[a];
                }
            const double to = bend > 0 ? fmin(1, fmax(-1, -slope / (2 * bend))) : slope > 0 ? -1 : 1;
            moved = fmax(moved, fabs(to - x[k]));
            x[k] = to;
        }
        if (moved < 1e-6) break;
    }
    *edge = 0;
    for (int k = 0; k < p; k++) *edge |= fabs(x[k]) >= 1 ? 1u << k : 0;
}

static int by_number(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Draws; *cut: bit k, more than one in twenty ended at the edge of the cloud in parameter k.
static void draw_recordings(resample *s, double *found, unsigned *cut) {
    const fit_work *w = s->w;
    const int n = s->terms, recordings = w->m->recordings, draws = w->o->resamples;
    int at_edge[BR_MAX_FIT_PARAMETERS] = {0};
    double curve[MOST_TERMS], x[BR_MAX_FIT_PARAMETERS], whole[BR_MAX_FIT_PARAMETERS];
    unsigned edge = 0;
    memset(curve, 0, sizeof curve);
    for (int r = 0; r < recordings; r++)
        for (int a = 0; a < n; a++) curve[a] += s->curve[r * n + a];
    least_of(s, curve, whole, &edge);
    for (int d = 0; d < draws; d++) {
        memset(curve, 0, sizeof curve);
        for (int i = 0; i < recordings; i++) {
            const double at = br_philox_uniform(BR_HASH_START, (uint64_t)d, (uint32_t)i) * recordings;
            const int r = at < recordings - 1 ? (int)at : recordings - 1;
            for (int a = 0; a < n; a++) curve[a] += s->curve[r * n + a];
        }
        least_of(s, curve, x, &edge);
        for (int k = 0; k < w->p; k++) {
            found[k * draws + d] = w->u[k] + s->width[k] * (x[k] - whole[k]);
            at_edge[k] += (int)(edge >> k & 1);
        }
    }
    *cut = 0;
    for (int k = 0; k < w->p; k++) *cut |= at_edge[k] * 20 > draws ? 1u << k : 0;
}

static void first_widths(resample *s) {
    const fit_work *w = s->w;
    const int p = w->p;
    memcpy(s->N, w->A, (size_t)(p * p) * sizeof *s->N);
    const int good = br_cholesky_factor(p, s->N, p) == 0;
    for (int k = 0; k < p; k++) {
        double wide = CLOUD_TO;
        if (good) {
            memset(s->d, 0, (size_t)p * sizeof *s->d);
            s->d[k] = 1;
            br_cholesky_solve(p, s->N, p, s->d);
            wide = CLOUD_REACH * sqrt(FIT_THRESHOLD * s->d[k] / w->share);
        }
        s->width[k] = fmin(CLOUD_TO, fmax(CLOUD_FROM, wide));
    }
}

br_status br_fit_resample(fit_work *w, br_error *error) {
    resample s = {.w = w};
    const int p = w->p, recordings = w->m->recordings, draws = w->o->resamples;
    unsigned cut = 0;
    s.terms = 1 + p + p * (p + 1) / 2;
    s.places = CLOUD_EACH * p > 3 * s.terms ? CLOUD_EACH * p : 3 * s.terms;
    if (s.places < CLOUD_LEAST) s.places = CLOUD_LEAST;
    double *u = BR_TAKE(w->scratch, double, s.places *p), *sum = BR_TAKE(w->scratch, double, s.places);
    double *found = BR_TAKE(w->scratch, double, (size_t)p *(size_t)draws);
    s.x = BR_TAKE(w->scratch, double, s.places *p);
    s.cost = BR_TAKE(w->scratch, double, s.places *recordings);
    s.curve = BR_TAKE(w->scratch, double, recordings *s.terms);
    s.N = BR_TAKE(w->scratch, double, s.terms *s.terms + p * p);
    s.d = BR_TAKE(w->scratch, double, s.terms + p);
    if (!br_arena_ok(w->scratch)) return br_no_memory(error, "no memory for intervals");
    first_widths(&s);
    for (int round = 0; round < 4; round++) {
        spread_cloud(&s, u);
        br_problem_evaluate(&w->problem, s.places, u, NULL, sum, s.cost);
        if (!fit_curves(&s)) return br_fit_profile(w, error);
        draw_recordings(&s, found, &cut);
        int wider = 0;
        for (int k = 0; k < p; k++)
            if (cut >> k & 1 && s.width[k] < 1) s.width[k] = fmin(1, 2 * s.width[k]), wider = 1;
        if (!wider) break;
    }
    for (int k = 0; k < p; k++) {
        br_fit_estimate *e = &w->out->estimate[w->place[k]];
        double *x = found + k * draws;
        qsort(x, (size_t)draws, sizeof *x, by_number);
        const double low = x[(int)(0.05 * (draws - 1))], high = x[(int)ceil(0.95 * (draws - 1))];
        e->open = (low <= 1e-9 ? 1 : 0) | (high >= 1 - 1e-9 ? 2 : 0);
        e->low = br_fit_parameter_value(&w->free[k], fmax(0, low));
        e->high = br_fit_parameter_value(&w->free[k], fmin(1, high));
    }
    w->out->interval = "resampling of recordings";
    return BR_OK;
}
