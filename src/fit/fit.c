// The fit: starts from many places, the best of them made sharp, then what it is worth.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "fit/first_row.h"
#include "fit/identify.h"
#include "fit/interval.h"
#include "fit/resample.h"
#include "sweep/philox.h"

// Steps of differences, in parts of the bounds: wide enough to see over the small jumps of motion with impacts, then sharp.
static const double COARSE = 2e-3, FINE = 2e-5;
// A round of the first search that gains less is the last.
static const double COARSE_ENOUGH = 2e-3;
// Relative to the spread of what is measured: below it what is left is rounding; and with less noise than this nothing is weighed.
static const double EXACT = 1e-9, LEAST_NOISE = 1e-6;
// Starts that end nearer than this, in u, ended in the same place.
static const double SAME_PLACE = 0.05;
enum { FOLLOWED = 3, COARSE_ROUNDS = 25, FINE_ROUNDS = 40, FOLD_ROUNDS = 15 };
// Numbers of a quantity beyond as many as there are parameters, from which its noise is told.
enum { LEAST_SPARE = 4 };

br_fit_options br_default_fit_options(void) {
    br_fit_options o;
    memset(&o, 0, sizeof o);
    o.threads = 1, o.starts = 15, o.resamples = 400, o.held_out = 0.2, o.evaluations = 10000;
    return o;
}

const char *br_fit_outcome_name(br_fit_outcome outcome) {
    static const char *const names[] = {"converged", "flat", "not_best", "exhausted"};
    return outcome < BR_FIT_OUTCOMES ? names[outcome] : "unknown";
}

// ------------------------------------------------------------------------------------------------------------- noise

static void first_noise(fit_work *w) {
    w->known = 1;
    for (int g = 0; g < w->m->groups; g++) {
        const fit_group *group = &w->m->group[g];
        if (!group->fitted) continue;
        const int given = isfinite(group->noise);
        w->problem.sigma[g] = given ? group->noise : br_noise_spread(w->m, group);
        w->known = w->known && given;
    }
}

// From what is left over at the best, and r as it was weighed there. Returns 1 where that moves the best: quantities were weighed
// otherwise than before by more than a tenth; with loss: distance also where one alone was.
static int noise_of_rest(fit_work *w, const double *r) {
    double sum[FIT_MAX_GROUPS], count[FIT_MAX_GROUPS];
    double low = INFINITY, high = 0;
    br_noise_sums(&w->problem, r, sum, count);
    for (int g = 0; g < w->m->groups; g++) {
        const fit_group *group = &w->m->group[g];
        if (!group->fitted || isfinite(group->noise)) continue;
        const double floor = LEAST_NOISE * br_noise_spread(w->m, group);
        const double before = w->problem.sigma[g], now = fmax(floor, sqrt(sum[g] / count[g]));
        low = fmin(low, now / before), high = fmax(high, now / before);
        w->problem.sigma[g] = now;
    }
    return high > 1.1 * low || (w->m->robust && (high > 1.1 || low < 1 / 1.1));
}

// ------------------------------------------------------------------------------------------------------------ search

typedef struct fit_place {
    double u[BR_MAX_FIT_PARAMETERS], cost;
    least_end end;
} fit_place;

static int by_cost(const void *a, const void *b) {
    const double x = ((const fit_place *)a)->cost, y = ((const fit_place *)b)->cost;
    return (x > y) - (x < y);
}

static double distance_between(int p, const double *a, const double *b) {
    double d = 0;
    for (int k = 0; k < p; k++) d = fmax(d, fabs(a[k] - b[k]));
    return d;
}

static void find_starts(fit_work *w, fit_place *place, int count) {
    const int p = w->p;
    double *u = w->least.places, *cost = w->least.cost;
    for (int k = 0; k < p; k++) place[0].u[k] = br_fit_parameter_place(&w->free[k], w->free[k].start);
    for (int i = 1; i < count; i++)
        for (int k = 0; k < p; k++) {
            const uint64_t part =
                br_philox_permute(BR_HASH_START, (uint64_t)(i - 1), (uint64_t)(count - 1), (uint32_t)k);
            place[i].u[k] =
                ((double)part + br_philox_uniform(BR_HASH_START, (uint64_t)i, (uint32_t)k)) / (count - 1);
        }
    for (int i = 0; i < count; i++) memcpy(u + i * p, place[i].u, (size_t)p * sizeof *u);
    br_problem_answer(&w->problem, count, u, NULL, cost);
    for (int i = 0; i < count; i++) place[i].cost = cost[i];
}

static least_end refine(fit_work *w, double *u, double *cost, double difference, int rounds) {
    w->least.difference = difference, w->least.rounds = rounds;
    w->least.enough = difference >= COARSE ? COARSE_ENOUGH : 0;
    return br_least_solve(&w->least, u, cost);
}

static br_status explain_failure(const fit_work *w, br_error *error) {
    if (w->problem.evaluations + 2 * w->p + 3 > w->problem.most)
        return br_fail(
            error, BR_INVALID, "fit-options",
            "the %d evaluations ended before the search from %d starts did; give more, or fewer starts",
            w->o->evaluations, 1 + w->o->starts);
    if (error) *error = w->problem.error;
    if (w->problem.error.status != BR_OK) return w->problem.error.status;
    return br_fail(error, BR_NUMERICAL, "fit-nowhere", "no run within the bounds came to its end");
}

// From every place that is worth it; the best is w->u.
static br_status search(fit_work *w, br_error *error) {
    const int count = 1 + (w->o->starts > 0 ? w->o->starts : 0), p = w->p;
    br_fit_report *out = w->out;
    fit_place *place = BR_TAKE(w->scratch, fit_place, count);
    if (!place) return br_no_memory(error, "no memory for a fit");
    find_starts(w, place, count);
    fit_place own = place[0];
    double lowest = INFINITY, highest = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(place[i].cost))
            lowest = fmin(lowest, place[i].cost), highest = fmax(highest, place[i].cost);
    if (!isfinite(lowest)) return explain_failure(w, error);
    if (count > 1 && highest - lowest <= 1e-9 * highest) {
        out->outcome = BR_FIT_FLAT;
        snprintf(out->why, sizeof out->why,
                 "%d places within the bounds predict the data equally well: nothing that was asked for "
                 "moves what is compared",
                 count);
    }
    qsort(place, (size_t)count, sizeof *place, by_cost);
    int followed = count < FOLLOWED ? count : FOLLOWED;
    if (isfinite(own.cost))
        place[followed < count ? followed++ : followed - 1] = own; // the model's own as well
    for (int i = 0; i < followed; i++)
        place[i].end = refine(w, place[i].u, &place[i].cost, COARSE, COARSE_ROUNDS);
    qsort(place, (size_t)followed, sizeof *place, by_cost);
    memcpy(w->u, place[0].u, (size_t)p * sizeof *w->u);
    w->cost = place[0].cost;
    out->starts = followed, out->agree = 0;
    for (int i = 0; i < followed; i++) out->agree += distance_between(p, place[i].u, w->u) < SAME_PLACE;
    return BR_OK;
}

// Sharp, with each quantity weighed by what is left of it.
static br_status sharpen(fit_work *w, double *r, br_error *error) {
    least_end end = LEAST_CONVERGED;
    for (int round = 0; round < 4; round++) {
        end = refine(w, w->u, &w->cost, FINE, FINE_ROUNDS);
        if (end == LEAST_NOWHERE) return explain_failure(w, error);
        br_problem_evaluate(&w->problem, 1, w->u, r, &w->cost, NULL);
        w->exact = w->cost <= EXACT * EXACT * w->problem.residuals;
        if (round == 0 && w->exact) break; // relative to the spread, as long as the weights are that
        if (w->known) break;
        const int moved = noise_of_rest(w, r);
        br_problem_evaluate(&w->problem, 1, w->u, r, &w->cost, NULL); // r goes with the weights from here on
        if (!moved) break;
    }
    if (end == LEAST_EXHAUSTED && w->out->outcome == BR_FIT_CONVERGED) {
        w->out->outcome = BR_FIT_EXHAUSTED;
        snprintf(w->out->why, sizeof w->out->why,
                 "%s after %ld evaluations of all recordings, and the sum of squares was still falling",
                 w->problem.evaluations >= w->problem.most ? "the evaluations ended" : "the search ended",
                 w->problem.evaluations);
    }
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------------- held out

static int first_compared(const br_measured *m) {
    int g = 0;
    while (!m->group[g].fitted) g++;
    return g;
}

static double mean_of(const double *x, int n, const unsigned char *take) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < n; k++)
        if (!take || take[k]) sum += x[k], count++;
    return count > 0 ? sum / count : NAN;
}

// Every recording once among those that are kept out.
static br_status hold_out(fit_work *w, br_error *error) {
    const int n = w->m->recordings, group = first_compared(w->m);
    br_fit_report *out = w->out;
    double *mean = BR_TAKE(w->scratch, double, n), *u = BR_TAKE(w->scratch, double, w->p + 1);
    unsigned char *in = BR_TAKE(w->scratch, unsigned char, n), *kept = BR_TAKE(w->scratch, unsigned char, n);
    if (!br_arena_ok(w->scratch)) return br_no_memory(error, "no memory for a fit");
    br_problem_errors(&w->problem, w->u, group, mean);
    out->error = mean_of(mean, n, NULL);
    snprintf(out->quantity, sizeof out->quantity, "%s", w->m->group[group].name);
    snprintf(out->unit, sizeof out->unit, "%s", w->m->group[group].unit);
    out->size = w->m->group[group].size;
    out->held_out_error = NAN;
    int folds = w->o->held_out > 0 ? (int)(1 / w->o->held_out + 0.5) : 0;
    if (folds > n) folds = n;
    if (folds < 2) return BR_OK;
    double sum = 0;
    out->fold_value = BR_TAKE(w->arena, double, folds * w->parameters);
    if (!out->fold_value) return br_no_memory(error, "no memory for a fit");
    for (int f = 0; f < folds; f++) {
        double cost = 0;
        for (int k = 0; k < n; k++) kept[k] = k % folds == f, in[k] = !kept[k];
        memcpy(u, w->u, (size_t)w->p * sizeof *u);
        w->problem.active = in;
        if (w->p > 0) refine(w, u, &cost, COARSE, FOLD_ROUNDS);
        for (int k = 0; k < w->parameters; k++)
            out->fold_value[f * w->parameters + k] = out->estimate[k].value;
        for (int k = 0; k < w->p; k++)
            out->fold_value[f * w->parameters + w->place[k]] = br_fit_parameter_value(&w->free[k], u[k]);
        w->problem.active = kept;
        br_problem_errors(&w->problem, u, group, mean);
        w->problem.active = NULL;
        for (int k = 0; k < n; k++) sum += kept[k] ? mean[k] : 0;
    }
    // Where the evaluations ended the last fits are not of the others alone.
    const int whole = w->problem.evaluations < w->problem.most - 2 * w->p - 3;
    out->held_out_error = whole ? sum / n : (double)NAN;
    out->folds = whole ? folds : 0;
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------------ report

static void fill_estimates(fit_work *w) {
    br_fit_report *out = w->out;
    for (int k = 0; k < w->parameters; k++) {
        const fit_parameter *p = &w->parameter[k];
        br_fit_estimate *e = &out->estimate[k];
        snprintf(e->name, sizeof e->name, "%s", p->name);
        snprintf(e->unit, sizeof e->unit, "%s", p->unit);
        e->start = p->start, e->from = p->from, e->to = p->to;
        e->value = e->low = e->high = NAN;
    }
    for (int k = 0; k < w->p; k++) {
        br_fit_estimate *e = &out->estimate[w->place[k]];
        e->value = br_fit_parameter_value(&w->free[k], w->u[k]);
    }
}

static void fill_noise(fit_work *w, const double *r) {
    double sum[FIT_MAX_GROUPS], count[FIT_MAX_GROUPS];
    br_noise_sums(&w->problem, r, sum, count);
    for (int k = 0; k < w->parameters; k++)
        if (w->parameter[k].kind == FIT_NOISE)
            br_fit_noise_interval(w, &w->out->estimate[k], count[w->parameter[k].at],
                                  sum[w->parameter[k].at]);
}

// A noise that is told from hardly more numbers than there are parameters is what the parameters left of it.
static int noise_is_told(fit_work *w, const double *r) {
    double sum[FIT_MAX_GROUPS], count[FIT_MAX_GROUPS];
    br_noise_sums(&w->problem, r, sum, count);
    for (int g = 0; g < w->m->groups; g++) {
        const fit_group *group = &w->m->group[g];
        if (!group->fitted || isfinite(group->noise) || count[g] >= w->p + LEAST_SPARE) continue;
        if (!w->o->quick && !*w->out->why)
            snprintf(
                w->out->why, sizeof w->out->why,
                "no intervals: %.0f numbers of %.60s are too few for its noise beside %d parameter%s; give "
                "noise: {%.60s: ...} in a spec, or more rows",
                count[g], group->name, w->p, w->p == 1 ? "" : "s", group->name);
        return 0;
    }
    return 1;
}

static br_status intervals(fit_work *w, const double *r, br_error *error) {
    br_fit_report *out = w->out;
    out->interval = "none";
    if (w->exact)
        for (int k = 0; k < w->p; k++) {
            br_fit_estimate *e = &out->estimate[w->place[k]];
            e->low = e->high = e->value;
        }
    if (w->o->quick || w->p == 0 || w->exact || out->outcome == BR_FIT_FLAT || !noise_is_told(w, r))
        return BR_OK;
    w->better_cost = w->cost * (1 - 1e-9);
    const double before = w->better_cost;
    const br_status status = w->m->recordings >= FIT_LEAST_RECORDINGS && w->o->resamples > 0
                                 ? br_fit_resample(w, error)
                                 : br_fit_profile(w, error);
    if (status == BR_OK && w->problem.evaluations >= w->problem.most - 2 * w->p - 3) {
        out->outcome = BR_FIT_EXHAUSTED;
        snprintf(out->why, sizeof out->why,
                 "the %d evaluations ended while intervals were looked for; give more", w->o->evaluations);
        for (int k = 0; k < w->p; k++) out->estimate[w->place[k]].low = out->estimate[w->place[k]].high = NAN;
        out->interval = "none";
        return BR_OK;
    }
    if (status == BR_OK && w->better_cost < before && br_fit_rise(w, w->better_cost) < -0.1 &&
        out->outcome == BR_FIT_CONVERGED) {
        out->outcome = BR_FIT_NOT_BEST;
        snprintf(out->why, sizeof out->why,
                 "while its interval was looked for a better place was found; give more starts (now %d)",
                 w->o->starts);
    }
    return status;
}

// Of the model's own numbers, weighed as the best is.
static double misfit_of_model(fit_work *w) {
    double u[BR_MAX_FIT_PARAMETERS] = {0}, cost = 0;
    for (int k = 0; k < w->p; k++) u[k] = br_fit_parameter_place(&w->free[k], w->free[k].start);
    br_problem_evaluate(&w->problem, 1, u, NULL, &cost, NULL);
    return isfinite(cost) ? sqrt(cost / w->problem.residuals) : NAN;
}

static br_status conduct(fit_work *w, br_error *error) {
    const br_measured *m = w->m;
    br_status status = br_problem_begin(&w->problem, m, w->free, w->p, w->o->threads, w->scratch, error);
    if (status != BR_OK) return status;
    w->problem.most = w->o->evaluations;
    if (w->problem.residuals < w->p + 1)
        return br_fail(error, BR_INVALID, "fit-data",
                       "%d numbers are measured, fewer than what %d parameters need", w->problem.residuals,
                       w->p);
    const int places = 1 + (w->o->starts > 0 ? w->o->starts : 0);
    if (w->p > 0 && w->o->evaluations < places + 2 * w->p)
        return br_fail(error, BR_INVALID, "fit-options",
                       "%d evaluations, where %d starts and the slopes of %d take %d; give more, or fewer "
                       "starts",
                       w->o->evaluations, places, w->p, places + 2 * w->p);
    w->least =
        (least){.p = w->p, .m = w->problem.residuals, .evaluate = br_problem_answer, .context = &w->problem};
    w->least.floor = 1e-22 * w->problem.residuals;
    w->u = BR_TAKE(w->scratch, double, w->p + 1), w->better = BR_TAKE(w->scratch, double, w->p + 1);
    w->A = BR_TAKE(w->scratch, double, w->p * w->p + 1);
    double *r = BR_TAKE(w->scratch, double, w->problem.residuals);
    if (!br_arena_ok(w->scratch) || !br_least_room(&w->least, w->scratch))
        return br_no_memory(error, "no memory for a fit");
    if (places > 2 * w->p) { // the starts are evaluated at once
        w->least.places = BR_TAKE(w->scratch, double, (places + 3) * (w->p + 1));
        w->least.cost = BR_TAKE(w->scratch, double, places + 3);
        if (!br_arena_ok(w->scratch)) return br_no_memory(error, "no memory for a fit");
    }
    first_noise(w);
    if (w->p > 0) status = search(w, error);
    if (status == BR_OK) status = sharpen(w, r, error);
    if (status != BR_OK) return status;
    w->share = w->exact ? 1.0 : br_noise_share(&w->problem, r);
    w->freedom = fmax(1, w->problem.residuals - w->p);
    w->out->misfit = sqrt(w->cost / w->problem.residuals);
    w->out->misfit_before = misfit_of_model(w);
    fill_estimates(w);
    if (w->exact) // as if measured to a millionth of what it spreads over
        for (int g = 0; g < m->groups; g++)
            w->problem.sigma[g] = LEAST_NOISE * br_noise_spread(m, &m->group[g]);
    // What the data tell is looked for even where the search took all evaluations.
    const long least_left = w->problem.evaluations + 20 * (w->p + 1);
    if (w->problem.most < least_left) w->problem.most = least_left;
    status = br_fit_identify(w, error);
    if (status == BR_OK) status = br_fit_first_row(w, r, error);
    w->out->row_correlation = (1 - w->rest_share) / (1 + w->rest_share);
    if (status == BR_OK) fill_noise(w, r);
    if (status == BR_OK) status = intervals(w, r, error);
    if (status == BR_OK) status = hold_out(w, error);
    w->out->evaluations = w->problem.evaluations;
    return status;
}

static br_status split_parameters(fit_work *w, br_error *error) {
    w->free = BR_TAKE(w->scratch, fit_parameter, w->parameters);
    w->out->estimate = BR_TAKE(w->arena, br_fit_estimate, w->parameters);
    if (!w->free || !w->out->estimate) return br_no_memory(error, "no memory for a fit");
    w->out->estimates = w->parameters;
    for (int k = 0; k < w->parameters; k++) {
        if (w->parameter[k].kind == FIT_NOISE) continue;
        w->place[w->p] = k;
        w->free[w->p++] = w->parameter[k];
    }
    return BR_OK;
}

br_status br_fit(const br_measured *m, const br_fit_options *options, const br_allocator *allocator,
                 br_fit_report *out, br_error *error) {
    br_fit_report found;
    br_arena first, scratch;
    br_error own;
    memset(&found, 0, sizeof found), memset(&own, 0, sizeof own);
    if (options->threads < 1 || options->starts < 0 || options->starts > 1000 || options->resamples < 0 ||
        options->held_out < 0 || options->held_out > 0.5 || options->evaluations < 10)
        return br_fail(
            error, BR_INVALID, "fit-options",
            "expected 1 thread or more, 0 to 1000 starts, resamples of 0 or more, held_out from 0 to 0.5 "
            "and 10 evaluations or more");
    br_arena_init(&first, allocator), br_arena_init(&scratch, allocator);
    br_arena *memory = BR_TAKE(&first, br_arena, 1);
    if (!memory) return br_no_memory(error, "no memory for a fit");
    *memory = first; // it holds itself: nothing else may use `first` any more
    found.memory = memory;
    fit_work *w = BR_TAKE(&scratch, fit_work, 1);
    br_status status = w ? BR_OK : br_no_memory(&own, "no memory for a fit");
    const io_locale locale = br_io_locale_enter();
    if (w) {
        w->m = m, w->o = options, w->arena = memory, w->scratch = &scratch, w->out = &found;
        status = br_fit_parameters_find(m, options->name, options->count, memory, &w->parameter,
                                        &w->parameters, &own);
        if (status == BR_OK) status = split_parameters(w, &own);
        if (status == BR_OK) status = conduct(w, &own);
    }
    br_io_locale_leave(locale);
    br_arena_free(&scratch);
    if (status == BR_OK)
        *out = found;
    else
        br_fit_report_free(&found);
    if (status != BR_OK && error) *error = own;
    return status;
}

void br_fit_report_free(br_fit_report *report) {
    if (!report->memory) return;
    br_arena arena = *(br_arena *)report->memory;
    br_arena_free(&arena);
    memset(report, 0, sizeof *report);
}
