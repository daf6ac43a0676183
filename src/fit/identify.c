// What data can tell and what they cannot: correlations, and directions in which nothing changes beyond the noise.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/identify.h"
#include "fit/interval.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"

// Below this part of a direction a parameter is not named in it.
static const double NAMED = 0.15;
// A direction across all bounds that changes chi squared by less than this is not told. Where data have next to no noise the
// smallest eigenvalue is rounding: relative to the largest.
static const double ROUNDING = 1e-9;

// Whether a parameter alone may be anywhere within its bounds: at five places, the others as they are.
static int anywhere(const fit_work *w, int k) {
    double u[5 * BR_MAX_FIT_PARAMETERS], cost[5];
    for (int i = 0; i < 5; i++) {
        memcpy(u + i * w->p, w->u, (size_t)w->p * sizeof *u);
        u[i * w->p + k] = 0.25 * i;
    }
    w->least.evaluate(w->least.context, 5, u, NULL, cost);
    for (int i = 0; i < 5; i++)
        if (!(br_fit_rise(w, cost[i]) < FIT_THRESHOLD)) return 0;
    return 1;
}

static void describe(const fit_work *w, const double *v, br_fit_direction *out) {
    int named[BR_MAX_FIT_PARAMETERS], n = 0;
    size_t used = 0;
    for (int k = 0; k < w->p; k++)
        if (fabs(v[k]) >= NAMED) named[n++] = k;
    if (n == 1) {
        const fit_parameter *p = &w->free[named[0]];
        if (anywhere(w, named[0]))
            snprintf(out->text, sizeof out->text,
                     "the data cannot tell %s: anywhere within its bounds, %.4g to %.4g, they are predicted "
                     "equally well",
                     p->name, p->from, p->to);
        else
            snprintf(out->text, sizeof out->text,
                     "the data hardly tell %s near %.4g: by the slope there, changing it changes the "
                     "prediction by less than "
                     "the noise",
                     p->name, br_fit_parameter_value(p, w->u[named[0]]));
        return;
    }
    used = (size_t)snprintf(out->text, sizeof out->text, "the data cannot tell ");
    for (int k = 0; k < n && used < sizeof out->text - 80; k++)
        used += (size_t)snprintf(out->text + used, sizeof out->text - used, "%s%.60s",
                                 k == 0       ? ""
                                 : k == n - 1 ? " from "
                                              : ", ",
                                 w->free[named[k]].name);
    int same = 1, opposite = n == 2;
    for (int k = 1; k < n; k++) same = same && v[named[k]] * v[named[0]] > 0;
    opposite = opposite && !same;
    snprintf(out->text + used, sizeof out->text - used,
             same ? ": raised together, they change the prediction by less than the noise, by the slopes at "
                    "the estimate"
             : opposite ? ": raising one and lowering the other changes the prediction by less than the "
                          "noise, by the slopes at the estimate"
                        : ": changed together in one way, they change the prediction by less than the noise, "
                          "by the slopes at the estimate");
}

br_status br_fit_identify(fit_work *w, br_error *error) {
    const int p = w->p;
    double *S = BR_TAKE(w->scratch, double, p *p), *turn = BR_TAKE(w->scratch, double, p *p),
           *values = BR_TAKE(w->scratch, double, p), *column = BR_TAKE(w->scratch, double, p);
    w->out->direction = BR_TAKE(w->arena, br_fit_direction, p);
    w->out->correlation = BR_TAKE(w->arena, double, w->parameters * w->parameters);
    if (!br_arena_ok(w->scratch) || !br_arena_ok(w->arena)) return br_no_memory(error, "no memory for a fit");
    for (int k = 0; k < w->parameters * w->parameters; k++) w->out->correlation[k] = NAN;
    if (p == 0) return BR_OK;
    w->least.difference = 1e-4;
    if (!br_least_normal(&w->least, w->u, w->A)) return BR_OK; // runs fail nearby: nothing is said
    w->slopes = 1;
    memcpy(S, w->A, (size_t)(p * p) * sizeof *S);
    br_symmetric_eigen(p, S, turn, values);
    double largest = 0;
    for (int k = 0; k < p; k++) largest = fmax(largest, values[k]);
    for (int k = 0; k < p; k++) {
        const double told = w->share * fmax(0, values[k]);
        if (told >= FIT_THRESHOLD && values[k] > ROUNDING * largest) continue;
        br_fit_direction *d = &w->out->direction[w->out->directions++];
        memset(d, 0, sizeof *d);
        for (int i = 0; i < p; i++) column[i] = turn[k * p + i];
        for (int i = 0; i < p; i++) d->part[w->place[i]] = column[i];
        d->change = sqrt(told);
        describe(w, column, d);
    }
    // Correlations from the inverse, where there is one.
    memcpy(S, w->A, (size_t)(p * p) * sizeof *S);
    if (w->out->directions > 0 || br_cholesky_factor(p, S, p) != 0) return BR_OK;
    for (int k = 0; k < p; k++) {
        memset(column, 0, (size_t)p * sizeof *column);
        column[k] = 1;
        br_cholesky_solve(p, S, p, column);
        for (int i = 0; i < p; i++) turn[i * p + k] = column[i];
    }
    for (int i = 0; i < p; i++)
        for (int k = 0; k < p; k++)
            w->out->correlation[w->place[i] * w->parameters + w->place[k]] =
                turn[i * p + k] / sqrt(turn[i * p + i] * turn[k * p + k]);
    return BR_OK;
}
