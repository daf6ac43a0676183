// Which law fits best, and which experiment would tell most: the lists of the spec.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fit/derive.h"
#include "fit/work.h"
#include "linalg/dense.h"

br_status br_fit_law_of(const br_measured *m, int law, const br_fit_options *options,
                        const br_allocator *allocator, br_fit_law *out, br_error *error) {
    br_measured *with = NULL;
    br_fit_options o = *options;
    if (law < 0 || law >= m->laws)
        return br_fail(error, BR_INVALID, "fit-options", "law %d of %d", law, m->laws);
    const fit_law *l = &m->law[law];
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", l->name);
    br_status status = br_fit_derive(m, l->set, l->sets, &with, error);
    if (status != BR_OK) return status;
    if (l->wished_count > 0) o.name = l->wished, o.count = l->wished_count;
    memset(&out->error, 0, sizeof out->error);
    br_fit(with, &o, allocator, &out->fit, &out->error);
    br_measured_destroy(with);
    return BR_OK;
}

// -------------------------------------------------------------------------------------------------------- experiments

// Noise of each quantity as the data leave it over, wider by what rows depend on each other.
static void noise_of(fit_problem *problem, const double *u, double *r, double *sigma) {
    const br_measured *m = problem->m;
    double sum[FIT_MAX_GROUPS], count[FIT_MAX_GROUPS], cost = 0;
    br_problem_evaluate(problem, 1, u, r, &cost, NULL);
    br_noise_sums(problem, r, sum, count);
    const double share = br_noise_share(problem, r);
    for (int g = 0; g < m->groups; g++) {
        if (!m->group[g].fitted) continue;
        const double given = isfinite(m->group[g].noise) ? m->group[g].noise : sqrt(sum[g] / count[g]);
        sigma[g] = fmax(given, 1e-6 * br_noise_spread(m, &m->group[g])) / sqrt(share);
    }
}

// J'J of one set at the estimates, in u of their bounds. first: of the recordings themselves, which tell the noise.
static br_status information(const br_measured *m, const br_fit_options *o, const br_fit_report *fit,
                             int first, double *sigma, double *A, br_error *error) {
    br_arena arena;
    fit_problem problem;
    fit_parameter *p = NULL;
    const char *name[BR_MAX_FIT_PARAMETERS];
    double u[BR_MAX_FIT_PARAMETERS];
    int n = 0, found = 0;
    br_arena_init(&arena, m->allocator);
    memset(&problem, 0, sizeof problem);
    for (int k = 0; k < fit->estimates; k++)
        if (!strchr(fit->estimate[k].name, '(')) name[n++] = fit->estimate[k].name;
    br_status status = br_fit_parameters_find(m, name, n, &arena, &p, &found, error);
    if (status == BR_OK) status = br_problem_begin(&problem, m, p, found, o->threads, &arena, error);
    problem.most = o->evaluations;
    least l = {.p = found,
               .m = problem.residuals,
               .evaluate = br_problem_answer,
               .context = &problem,
               .difference = 1e-3};
    double *r = BR_TAKE(&arena, double, problem.residuals);
    if (status == BR_OK && (!r || !br_least_room(&l, &arena)))
        status = br_no_memory(error, "no memory for an experiment");
    if (status == BR_OK) {
        for (int k = 0, i = 0; k < fit->estimates; k++)
            if (!strchr(fit->estimate[k].name, '('))
                u[i] = br_fit_parameter_place(&p[i], fit->estimate[k].value), i++;
        if (first) noise_of(&problem, u, r, sigma);
        memcpy(problem.sigma, sigma, sizeof problem.sigma);
        if (!br_least_normal(&l, u, A) && problem.error.status == BR_OK)
            br_fail(&problem.error, BR_NUMERICAL, "fit-nowhere",
                    "the evaluations ended before the experiment was looked at");
        if (problem.error.status != BR_OK && error) *error = problem.error;
        status = problem.error.status;
    }
    br_arena_free(&arena);
    return status;
}

static double half_width(int p, const double *A, int k, double *L, double *e) {
    memcpy(L, A, (size_t)(p * p) * sizeof *L);
    // What nothing tells is not infinitely unknown: its bounds hold it, with a half width of half of them.
    for (int i = 0; i < p; i++) L[i * p + i] += 4 * FIT_THRESHOLD;
    if (br_cholesky_factor(p, L, p) != 0) return INFINITY;
    memset(e, 0, (size_t)p * sizeof *e);
    e[k] = 1;
    br_cholesky_solve(p, L, p, e);
    return sqrt(FIT_THRESHOLD * e[k]);
}

static int by_after(const void *a, const void *b) {
    const double x = ((const br_fit_next *)a)->after, y = ((const br_fit_next *)b)->after;
    return (x > y) - (x < y);
}

// From u to the estimate's own unit, about the estimate.
static double in_unit(const br_fit_estimate *e, double half) {
    fit_parameter p = {.from = e->from, .to = e->to};
    p.logarithmic = e->from > 0 && e->to >= 5 * e->from;
    const double at = br_fit_parameter_place(&p, e->value);
    if (!isfinite(half)) return INFINITY;
    return 0.5 *
           (br_fit_parameter_value(&p, fmin(1, at + half)) - br_fit_parameter_value(&p, fmax(0, at - half)));
}

static void describe_next(const br_fit_estimate *e, br_fit_next *next) {
    if (next->after > 0.9 * next->before)
        snprintf(next->text, sizeof next->text, "%.60s would tell next to nothing more of %.60s", next->name,
                 e->name);
    else
        snprintf(next->text, sizeof next->text,
                 "%.60s narrows the interval of %.60s from +- %.3g to +- %.3g%s%s", next->name, e->name,
                 next->before, next->after, *e->unit ? " " : "", e->unit);
}

br_status br_fit_experiments(const br_measured *m, const br_fit_options *options, const br_fit_report *fit,
                             const char *wished, br_fit_next *next, br_error *error) {
    double *A[2], *L, *e, sigma[FIT_MAX_GROUPS];
    br_arena arena;
    int p = 0, k = -1, own = -1;
    for (int i = 0; i < fit->estimates; i++) {
        if (strchr(fit->estimate[i].name, '(')) continue;
        if (strcmp(fit->estimate[i].name, wished) == 0) k = p, own = i;
        p++;
    }
    if (k < 0)
        return br_fail(error, BR_INVALID, "fit-name", "'%.80s' is no parameter of the model that was fitted",
                       wished);
    br_arena_init(&arena, m->allocator);
    for (int g = 0; g < FIT_MAX_GROUPS; g++) sigma[g] = 1;
    for (int i = 0; i < 2; i++) A[i] = BR_TAKE(&arena, double, p *p);
    L = BR_TAKE(&arena, double, p *p), e = BR_TAKE(&arena, double, p);
    br_status status = br_arena_ok(&arena) ? information(m, options, fit, 1, sigma, A[0], error)
                                           : br_no_memory(error, "no memory for experiments");
    const double before = status == BR_OK ? half_width(p, A[0], k, L, e) : 0;
    for (int x = 0; x < m->experiments && status == BR_OK; x++) {
        br_measured *with = NULL;
        status = br_fit_derive(m, m->experiment[x].set, m->experiment[x].sets, &with, error);
        if (status == BR_OK) status = information(with, options, fit, 0, sigma, A[1], error);
        br_measured_destroy(with);
        for (int i = 0; i < p * p && status == BR_OK; i++) A[1][i] += A[0][i];
        if (status != BR_OK) break;
        snprintf(next[x].name, sizeof next[x].name, "%s", m->experiment[x].name);
        next[x].before = in_unit(&fit->estimate[own], before);
        next[x].after = in_unit(&fit->estimate[own], half_width(p, A[1], k, L, e));
        describe_next(&fit->estimate[own], &next[x]);
    }
    if (status == BR_OK) qsort(next, (size_t)m->experiments, sizeof *next, by_after);
    br_arena_free(&arena);
    return status;
}
