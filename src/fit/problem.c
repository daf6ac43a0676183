#include "fit/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/difference.h"

enum { BATCH = 16 }; // places evaluated at a time: threads have enough to do, and memory stays small

static size_t all_numbers(const br_measured *m) {
    size_t n = 0;
    for (int k = 0; k < m->recordings; k++) n += (size_t)m->recording[k].rows * (size_t)m->columns;
    return n;
}

static int group_components(const fit_group *g) {
    return g->kind == FIT_ROTATION ? 3 : g->count;
}

static int counts_row(const fit_problem *s, const fit_recording *r, int row) {
    return row > 0 && r->t[row] >= s->skip;
}

br_status br_problem_begin(fit_problem *s, const br_measured *m, const fit_parameter *parameter, int p,
                           int threads, br_arena *arena, br_error *error) {
    const long most = s->most;
    memset(s, 0, sizeof *s);
    s->m = m, s->arena = arena, s->parameter = parameter, s->p = p, s->threads = threads, s->most = most;
    s->batch = BATCH;
    for (int k = 0; k < p; k++)
        if (parameter[k].kind == FIT_DELAY) s->skip = fmax(s->skip, parameter[k].to);
    s->first = BR_TAKE(arena, int, m->recordings + 1);
    s->predicted = BR_TAKE(arena, double, (size_t)BATCH *all_numbers(m));
    s->job = BR_TAKE(arena, fit_job, BATCH * m->recordings);
    s->override = BR_TAKE(arena, br_override, BATCH * (p + 1));
    s->text = br_arena_take(arena, (size_t)BATCH * (size_t)(p + 1), sizeof *s->text);
    s->shift = BR_TAKE(arena, fit_shift, (size_t)BATCH * (size_t)m->recordings * (size_t)(p + 1));
    s->gain = BR_TAKE(arena, double, BATCH * m->columns);
    s->bias = BR_TAKE(arena, double, BATCH * m->columns);
    if (!br_arena_ok(arena)) return br_no_memory(error, "no memory for a fit");
    for (int k = 0; k < p; k++)
        s->senses = s->senses || parameter[k].kind == FIT_GAIN || parameter[k].kind == FIT_BIAS;
    for (int k = 0; k < m->recordings; k++) {
        int rows = 0, n = 0;
        for (int i = 0; i < m->recording[k].rows; i++) rows += counts_row(s, &m->recording[k], i);
        for (int g = 0; g < m->groups; g++) n += m->group[g].fitted ? group_components(&m->group[g]) : 0;
        s->first[k + 1] = s->first[k] + rows * n;
        if (rows < 2)
            return s->skip > 0
                       ? br_fail_at(error, BR_INVALID, "fit-data", m->recording[k].path, 0, 0,
                                    "%d rows are left behind the longest delay, %g s, expected 2 or more",
                                    rows, s->skip)
                       : br_fail_at(error, BR_INVALID, "fit-data", m->recording[k].path, 0, 0,
                                    "%d row%s behind the first, where the model starts, expected 2 or more",
                                    rows, rows == 1 ? "" : "s");
    }
    s->residuals = s->first[m->recordings];
    for (int g = 0; g < m->groups; g++) s->sigma[g] = 1.0;
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------------- cases

static void make_case(fit_problem *s, int slot, int recording, const double *u, fit_case *out) {
    br_override *o = s->override + slot * (s->p + 1);
    fit_shift *shift =
        s->shift + ((size_t)slot * (size_t)s->m->recordings + (size_t)recording) * (size_t)(s->p + 1);
    memset(out, 0, sizeof *out);
    out->override = o, out->shift = shift;
    double *gain = s->gain + slot * s->m->columns, *bias = s->bias + slot * s->m->columns;
    for (int c = 0; c < s->m->columns; c++) gain[c] = 1, bias[c] = 0;
    if (s->senses) out->gain = gain, out->bias = bias;
    for (int k = 0; k < s->p; k++) {
        const fit_parameter *p = &s->parameter[k];
        const double value = br_fit_parameter_value(p, u[k]);
        char *text = s->text[slot * (s->p + 1) + k];
        if (p->kind == FIT_STARTS && p->recording == recording)
            shift[out->shifts++] = (fit_shift){p->target, value};
        if (p->kind == FIT_GAIN) gain[p->at] = value;
        if (p->kind == FIT_BIAS) bias[p->at] = value;
        if (p->kind != FIT_OF_MODEL) continue;
        snprintf(text, sizeof *s->text, *p->unit ? "%.17g %s" : "%.17g%s", value, p->unit);
        o[out->overrides++] = (br_override){p->name, text};
    }
}

// What the sensors make of it: gain x(t - delay) + bias.
static void sense(const fit_problem *s, const fit_recording *r, const double *u, double *predicted) {
    const size_t columns = (size_t)s->m->columns;
    for (int k = 0; k < s->p; k++) {
        const fit_parameter *p = &s->parameter[k];
        const double value = br_fit_parameter_value(p, u[k]);
        double *x = predicted + p->at;
        if (p->kind == FIT_DELAY)
            for (int i = r->rows - 1, j = i; i >= 0; i--) {
                const double t = r->t[i] - value;
                while (j > 0 && r->t[j] > t) j--;
                const int next = j + 1 < r->rows ? j + 1 : j;
                const double width = r->t[next] - r->t[j], part = width > 0 ? (t - r->t[j]) / width : 0;
                // Rows are worked from the end, and j <= i: what is read has not been written yet but for i itself.
                const double a = x[(size_t)j * columns], b = x[(size_t)next * columns];
                x[(size_t)i * columns] = t <= 0 ? x[0] : a + part * (b - a);
            }
    }
    for (int k = 0; k < s->p; k++) {
        const fit_parameter *p = &s->parameter[k];
        const double value = br_fit_parameter_value(p, u[k]);
        if (p->kind == FIT_GAIN)
            for (int i = 0; i < r->rows; i++) predicted[(size_t)i * columns + (size_t)p->at] *= value;
    }
    for (int k = 0; k < s->p; k++) {
        const fit_parameter *p = &s->parameter[k];
        const double value = br_fit_parameter_value(p, u[k]);
        if (p->kind == FIT_BIAS)
            for (int i = 0; i < r->rows; i++) predicted[(size_t)i * columns + (size_t)p->at] += value;
    }
}

static int takes_part(const fit_problem *s, int recording) {
    return !s->active || s->active[recording];
}

static int run_batch(fit_problem *s, int count, const double *u) {
    const br_measured *m = s->m;
    double *predicted = s->predicted;
    int jobs = 0;
    for (int c = 0; c < count; c++)
        for (int k = 0; k < m->recordings; k++) {
            if (!takes_part(s, k)) continue;
            fit_job *job = &s->job[jobs++];
            job->recording = k, job->predicted = predicted;
            make_case(s, c, k, u + (size_t)c * (size_t)s->p, &job->one);
            predicted += (size_t)m->recording[k].rows * (size_t)m->columns;
        }
    br_fit_predict_all(m, s->job, jobs, s->threads);
    for (int c = 0, n = 0; c < count; c++)
        for (int k = 0; k < m->recordings; k++) {
            if (!takes_part(s, k)) continue;
            const fit_job *job = &s->job[n++];
            if (job->error.status != BR_OK) s->error = job->error;
            sense(s, &m->recording[k], u + (size_t)c * (size_t)s->p, job->predicted);
        }
    s->evaluations += count;
    return jobs;
}

// With loss: distance a row counts 2 (sqrt(1 + d^2) - 1) in place of d^2: the square of a small distance, twice a large one. A body
// that came to lie on another face is far off, and says no more for it.
static double loss_weight(const br_measured *m, const double *e, int count, double sigma) {
    double square = 0;
    if (!m->robust) return 1.0;
    for (int c = 0; c < count; c++) square += e[c] * e[c] / (sigma * sigma);
    return sqrt(2 / (sqrt(1 + square) + 1));
}

static double recording_residuals(const fit_problem *s, const fit_job *job, double *r) {
    const br_measured *m = s->m;
    const fit_recording *rec = &m->recording[job->recording];
    double sum = 0;
    int n = 0;
    for (int i = 0; i < rec->rows; i++) {
        if (!counts_row(s, rec, i)) continue;
        for (int g = 0; g < m->groups; g++) {
            double e[4];
            if (!m->group[g].fitted) continue;
            const size_t at = (size_t)i * (size_t)m->columns;
            const int count = br_fit_difference(&m->group[g], rec->value + at, job->predicted + at, e);
            const double weight = loss_weight(m, e, count, s->sigma[g]);
            for (int c = 0; c < count; c++, n++) {
                const double x = weight * e[c] / s->sigma[g];
                sum += x * x;
                if (r) r[n] = x;
            }
        }
    }
    return isfinite(sum) ? sum : INFINITY;
}

void br_problem_evaluate(fit_problem *s, int count, const double *u, double *r, double *cost,
                         double *by_recording) {
    const int recordings = s->m->recordings;
    for (int from = 0; from < count; from += s->batch) {
        const int many = count - from < s->batch ? count - from : s->batch;
        run_batch(s, many, u + (size_t)from * (size_t)s->p);
        for (int c = from, n = 0; c < from + many; c++) {
            cost[c] = 0;
            for (int k = 0; k < recordings; k++) {
                double *at = r ? r + (size_t)c * (size_t)s->residuals + s->first[k] : NULL;
                double sum = 0;
                if (takes_part(s, k))
                    sum = recording_residuals(s, &s->job[n++], at);
                else if (at)
                    memset(at, 0, (size_t)(s->first[k + 1] - s->first[k]) * sizeof *at);
                cost[c] += sum;
                if (by_recording) by_recording[(size_t)c * (size_t)recordings + (size_t)k] = sum;
            }
        }
    }
}

void br_problem_answer(void *problem, int count, const double *u, double *r, double *cost) {
    fit_problem *s = problem;
    if (s->evaluations + count > s->most) {
        for (int k = 0; k < count; k++) cost[k] = INFINITY;
        return;
    }
    br_problem_evaluate(s, count, u, r, cost, NULL);
}

br_status br_problem_predict(fit_problem *s, const double *u, const double **predicted, br_error *error) {
    const int jobs = run_batch(s, 1, u);
    for (int n = 0; n < jobs; n++) {
        if (s->job[n].error.status != BR_OK) return *error = s->job[n].error, s->job[n].error.status;
        predicted[s->job[n].recording] = s->job[n].predicted;
    }
    return BR_OK;
}

void br_problem_errors(fit_problem *s, const double *u, int group, double *mean) {
    const br_measured *m = s->m;
    for (int k = 0; k < m->recordings; k++) mean[k] = NAN;
    const int jobs = run_batch(s, 1, u);
    for (int n = 0; n < jobs; n++) {
        const fit_recording *r = &m->recording[s->job[n].recording];
        double sum = 0;
        int rows = 0;
        for (int i = 0; i < r->rows; i++) {
            double e[4], d = 0;
            if (!counts_row(s, r, i)) continue;
            const size_t at = (size_t)i * (size_t)m->columns;
            const int count = br_fit_difference(&m->group[group], r->value + at, s->job[n].predicted + at, e);
            for (int c = 0; c < count; c++) d += e[c] * e[c];
            sum += sqrt(d), rows++;
        }
        mean[s->job[n].recording] = sum / rows;
    }
}
