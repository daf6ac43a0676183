// Intervals by profile likelihood: each parameter is moved away from the best, the others follow, until the likelihood has fallen by
// the threshold. Brackets only: where friction begins or ends to slip within the data the profile has kinks and small jumps.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/interval.h"
#include "linalg/dense.h"
#include "math/elementary.h"

static const double SHARP = 0.01;    // of the distance from the best
static const double AT_BOUND = 1e-9; // in u
// A parameter that has this part of a direction is named by it; one that goes this far with another is told of with it.
static const double SAID = 0.15, FOLLOWED_FAR = 0.02;
// A round of the others that gains less of the cost: far below what the threshold is of it.
static const double FOLLOW_ENOUGH = 1e-6;
enum { DOUBLINGS = 40, HALVINGS = 20, FOLLOW_ROUNDS = 10, MOST_POINTS = 2 * (DOUBLINGS + HALVINGS) + 1 };

// part: of the rise of the cost what counts, since noise of the first row moves the estimate as well.
static double rise_with(const fit_work *w, double share, double part, double cost) {
    if (!isfinite(cost)) return INFINITY;
    const double rise = part * (cost - w->cost);
    return share * (w->known ? rise : w->freedom * br_log(1 + rise / w->cost));
}

double br_fit_rise(const fit_work *w, double cost) {
    return rise_with(w, w->share, 1, cost);
}

typedef struct profile {
    fit_work *w;
    int k;
    unsigned char fixed[BR_MAX_FIT_PARAMETERS];
    double *u;    // the others followed to there
    double *near; // and to the last place that fits as well
    // what was evaluated, in the order of evaluation
    int points;
    double at[MOST_POINTS], fall[MOST_POINTS];
} profile;

static double profile_rise(profile *s, double place) {
    fit_work *w = s->w;
    double cost = INFINITY;
    s->u[s->k] = place;
    if (w->p == 1) {
        w->least.evaluate(w->least.context, 1, s->u, NULL, &cost);
    } else {
        w->least.fixed = s->fixed, w->least.no_search = 1;
        w->least.rounds = FOLLOW_ROUNDS, w->least.enough = FOLLOW_ENOUGH;
        br_least_solve(&w->least, s->u, &cost);
        w->least.fixed = NULL, w->least.no_search = 0;
    }
    if (cost < w->better_cost) {
        w->better_cost = cost;
        memcpy(w->better, s->u, (size_t)w->p * sizeof *w->better);
    }
    const double rise = rise_with(w, w->profile_share, w->part_of[s->k], cost);
    if (isfinite(rise) && s->points < MOST_POINTS) s->at[s->points] = place, s->fall[s->points++] = rise;
    return rise;
}

// What was evaluated, by its place, with the estimate itself.
static br_status keep_profile(profile *s, br_fit_estimate *e, br_error *error) {
    const fit_work *w = s->w;
    double *at = BR_TAKE(w->arena, double, s->points + 1), *fall = BR_TAKE(w->arena, double, s->points + 1);
    if (!at || !fall) return br_no_memory(error, "no memory for intervals");
    at[0] = w->u[s->k], fall[0] = 0;
    for (int k = 0; k < s->points; k++) {
        int i = k + 1;
        for (; i > 0 && at[i - 1] > s->at[k]; i--) at[i] = at[i - 1], fall[i] = fall[i - 1];
        at[i] = s->at[k], fall[i] = s->fall[k];
    }
    for (int k = 0; k <= s->points; k++) at[k] = br_fit_parameter_value(&w->free[s->k], at[k]);
    e->points = s->points + 1, e->at = at, e->fall = fall;
    return BR_OK;
}

// Whether a direction that the slopes have shown names it.
static int is_said(const fit_work *w, int k) {
    for (int i = 0; i < w->out->directions; i++)
        if (fabs(w->out->direction[i].part[w->place[k]]) >= SAID) return 1;
    return 0;
}

// The profile came to a bound: with what the others did on the way there.
static void say_open(profile *s, int up) {
    fit_work *w = s->w;
    const fit_parameter *p = &w->free[s->k];
    if (is_said(w, s->k) || w->out->directions == w->p) return;
    br_fit_direction *d = &w->out->direction[w->out->directions++];
    memset(d, 0, sizeof *d);
    if (fabs(w->u[s->k] - (up ? 1 : 0)) < AT_BOUND) {
        d->part[w->place[s->k]] = 1;
        snprintf(d->text, sizeof d->text,
                 "%s ends at its bound, %.4g: whether the data would have it beyond was not looked for",
                 p->name, up ? p->to : p->from);
        return;
    }
    size_t used =
        (size_t)snprintf(d->text, sizeof d->text,
                         "the data do not bound %s %s: %s to its bound, %.4g, they are predicted as well",
                         p->name, up ? "above" : "below", up ? "up" : "down", up ? p->to : p->from);
    for (int k = 0, n = 0; k < w->p; k++) {
        const double moved = s->u[k] - w->u[k];
        d->part[w->place[k]] = moved;
        if (k == s->k || fabs(moved) < FOLLOWED_FAR || used + 90 > sizeof d->text) continue;
        used += (size_t)snprintf(d->text + used, sizeof d->text - used, "%s%.40s goes from %.4g to %.4g",
                                 n++ ? ", " : " if ", w->free[k].name,
                                 br_fit_parameter_value(&w->free[k], w->u[k]),
                                 br_fit_parameter_value(&w->free[k], s->u[k]));
    }
    d->change = sqrt(fmax(0, s->fall[s->points - 1]));
}

// How far from the best, in one direction. 1: it was found; 0: the bound came first.
static int profile_side(profile *s, double sign, double guess, double *end) {
    const fit_work *w = s->w;
    const size_t size = (size_t)w->p * sizeof *s->u;
    const double best = w->u[s->k], most = sign > 0 ? 1 - best : best;
    double near = 0, near_rise = 0, far = guess < most ? guess : most, far_rise = 0;
    memcpy(s->u, w->u, size), memcpy(s->near, w->u, size);
    for (int k = 0; k < DOUBLINGS; k++) {
        far_rise = profile_rise(s, best + sign * far);
        if (far_rise >= FIT_THRESHOLD || far >= most) break;
        near = far, near_rise = far_rise;
        memcpy(s->near, s->u, size);
        far = 2 * far < most ? 2 * far : most;
    }
    *end = best + sign * far;
    if (!(far_rise >= FIT_THRESHOLD)) return 0;
    for (int k = 0; k < HALVINGS && far - near > SHARP * far; k++) {
        // A parabola through both would reach the threshold here; the middle where that does not help.
        const double a = sqrt(fmax(0, near_rise)), b = sqrt(far_rise), c = sqrt(FIT_THRESHOLD);
        double part = isfinite(b) && b > a ? (c - a) / (b - a) : 0.5;
        part = k % 3 == 2 ? 0.5 : fmin(0.95, fmax(0.05, part));
        // From where the others followed to last: beyond the end they may have gone astray.
        memcpy(s->u, s->near, size);
        const double at = near + part * (far - near), rise = profile_rise(s, best + sign * at);
        if (rise >= FIT_THRESHOLD) {
            far = at, far_rise = rise;
        } else {
            near = at, near_rise = rise;
            memcpy(s->near, s->u, size);
        }
    }
    const double a = sqrt(fmax(0, near_rise)), b = sqrt(far_rise);
    const double part = isfinite(b) && b > a ? fmin(1, fmax(0, (sqrt(FIT_THRESHOLD) - a) / (b - a))) : 1;
    *end = best + sign * (near + part * (far - near));
    return 1;
}

// Half width as the sensitivities have it; where they have none, a part of the bounds.
static void guess_widths(const fit_work *w, double *width) {
    const int p = w->p;
    double *L = BR_TAKE(w->scratch, double, p *p), *e = BR_TAKE(w->scratch, double, p);
    for (int k = 0; k < p; k++) width[k] = 0.05;
    if (!L || !e) return;
    memcpy(L, w->A, (size_t)(p * p) * sizeof *L);
    if (br_cholesky_factor(p, L, p) != 0) return;
    for (int k = 0; k < p; k++) {
        memset(e, 0, (size_t)p * sizeof *e);
        e[k] = 1;
        br_cholesky_solve(p, L, p, e);
        width[k] = fmin(0.3, fmax(1e-7, sqrt(FIT_THRESHOLD * e[k] / (w->profile_share * w->part_of[k]))));
    }
}

br_status br_fit_profile(fit_work *w, br_error *error) {
    double width[BR_MAX_FIT_PARAMETERS];
    profile s = {.w = w};
    s.u = BR_TAKE(w->scratch, double, w->p), s.near = BR_TAKE(w->scratch, double, w->p);
    if (!s.u || !s.near) return br_no_memory(error, "no memory for intervals");
    guess_widths(w, width);
    w->least.difference = 1e-4;
    for (int k = 0; k < w->p; k++) {
        br_fit_estimate *e = &w->out->estimate[w->place[k]];
        double low = 0, high = 0;
        s.k = k, s.points = 0;
        memset(s.fixed, 0, sizeof s.fixed);
        s.fixed[k] = 1;
        e->open = profile_side(&s, -1, width[k], &low) ? 0 : 1;
        if (e->open & 1) say_open(&s, 0);
        if (!profile_side(&s, 1, width[k], &high)) {
            e->open |= 2;
            say_open(&s, 1);
        }
        e->low = br_fit_parameter_value(&w->free[k], low);
        e->high = br_fit_parameter_value(&w->free[k], high);
        const br_status status = keep_profile(&s, e, error);
        if (status != BR_OK) return status;
    }
    w->out->interval = w->first_row
                           ? "profile likelihood, with the noise of the first row, where the model starts"
                           : "profile likelihood";
    return BR_OK;
}

// n ln s^2 + sum/s^2 of a quantity whose squares sum up to that: the same threshold.
void br_fit_noise_interval(fit_work *w, br_fit_estimate *out, double n, double sum) {
    const double best = sqrt(sum / n), all = n * w->rest_share;
    double end[2];
    for (int side = 0; side < 2; side++) {
        double near = 1, far = side ? 2 : 0.5;
        while (all * (2 * br_log(far) + 1 / (far * far) - 1) < FIT_THRESHOLD && far > 1e-6 && far < 1e6)
            near = far, far *= side ? 2 : 0.5;
        for (int k = 0; k < 60; k++) {
            const double at = 0.5 * (near + far);
            if (all * (2 * br_log(at) + 1 / (at * at) - 1) < FIT_THRESHOLD)
                near = at;
            else
                far = at;
        }
        end[side] = best * far;
    }
    out->value = best, out->low = end[0], out->high = end[1], out->open = 0;
    out->from = 0, out->to = INFINITY;
}
