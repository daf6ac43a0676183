// What a fit predicts, row by row: for pages and plots.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/difference.h"
#include "fit/problem.h"

static void fill_series(const br_measured *m, int recording, int g, const double *predicted, br_arena *arena,
                        br_fit_series *out) {
    const fit_recording *r = &m->recording[recording];
    const fit_group *group = &m->group[g];
    const int parts = group->kind == FIT_ROTATION ? 3 : group->count;
    double *t = BR_COPY(arena, r->t, r->rows),
           *a = BR_TAKE(arena, double, (size_t)r->rows *(size_t)group->count),
           *b = BR_TAKE(arena, double, (size_t)r->rows *(size_t)group->count),
           *e = BR_TAKE(arena, double, (size_t)r->rows *(size_t)parts);
    if (!br_arena_ok(arena)) return;
    memset(out, 0, sizeof *out);
    out->recording = recording, out->rows = r->rows, out->numbers = group->count, out->parts = parts;
    snprintf(out->quantity, sizeof out->quantity, "%s", group->name);
    snprintf(out->unit, sizeof out->unit, "%s", group->unit);
    for (int c = 0; c < group->count; c++) out->name[c] = m->column[group->column[c]].channel;
    double sum = 0;
    for (int i = 0; i < r->rows; i++) {
        const size_t at = (size_t)i * (size_t)m->columns;
        double d[4];
        for (int c = 0; c < group->count; c++) {
            a[i * group->count + c] = r->value[at + (size_t)group->column[c]];
            b[i * group->count + c] = predicted[at + (size_t)group->column[c]];
        }
        br_fit_difference(group, r->value + at, predicted + at, d);
        for (int c = 0; c < parts; c++) {
            e[i * parts + c] = i == 0 ? NAN : d[c];
            if (i > 0) sum += d[c] * d[c];
        }
    }
    out->t = t, out->measured = a, out->predicted = b, out->residual = e;
    out->rms = r->rows > 1 ? sqrt(sum / (r->rows - 1)) : 0;
}

static br_status make_series(const br_measured *m, const br_fit_options *o, const br_fit_report *fit,
                             br_arena *arena, br_arena *scratch, br_fit_series_report *out, br_error *error) {
    fit_parameter *parameter = NULL, *free = NULL;
    fit_problem problem;
    double u[BR_MAX_FIT_PARAMETERS];
    int parameters = 0, p = 0, n = 0;
    memset(&problem, 0, sizeof problem);
    br_status status = br_fit_parameters_find(m, o->name, o->count, scratch, &parameter, &parameters, error);
    if (status != BR_OK) return status;
    if (parameters != fit->estimates)
        return br_fail(error, BR_INVALID, "fit-options", "%d parameters of a fit of %d", parameters,
                       fit->estimates);
    free = BR_TAKE(scratch, fit_parameter, parameters);
    const double **predicted = BR_TAKE(scratch, const double *, m->recordings);
    for (int g = 0; g < m->groups; g++) n += m->group[g].compared;
    out->series = BR_TAKE(arena, br_fit_series, m->recordings * n);
    if (!br_arena_ok(arena) || !br_arena_ok(scratch)) return br_no_memory(error, "no memory for a fit");
    for (int k = 0; k < parameters; k++) {
        if (parameter[k].kind == FIT_NOISE) continue;
        u[p] = br_fit_parameter_place(&parameter[k], fit->estimate[k].value);
        free[p++] = parameter[k];
    }
    status = br_problem_begin(&problem, m, free, p, o->threads, scratch, error);
    if (status == BR_OK) status = br_problem_predict(&problem, u, predicted, error);
    for (int k = 0; k < m->recordings && status == BR_OK; k++)
        for (int g = 0; g < m->groups; g++)
            if (m->group[g].compared) fill_series(m, k, g, predicted[k], arena, &out->series[out->count++]);
    return status == BR_OK && !br_arena_ok(arena) ? br_no_memory(error, "no memory for a fit") : status;
}

br_status br_fit_series_of(const br_measured *m, const br_fit_options *options, const br_fit_report *fit,
                           const br_allocator *allocator, br_fit_series_report *out, br_error *error) {
    br_fit_series_report found;
    br_arena first, scratch;
    br_error own;
    memset(&found, 0, sizeof found), memset(&own, 0, sizeof own);
    br_arena_init(&first, allocator), br_arena_init(&scratch, allocator);
    br_arena *memory = BR_TAKE(&first, br_arena, 1);
    if (!memory) return br_no_memory(error, "no memory for a fit");
    *memory = first; // it holds itself: nothing else may use `first` any more
    found.memory = memory;
    const io_locale locale = br_io_locale_enter();
    const br_status status = make_series(m, options, fit, memory, &scratch, &found, &own);
    br_io_locale_leave(locale);
    br_arena_free(&scratch);
    if (status == BR_OK)
        *out = found;
    else
        br_fit_series_free(&found);
    if (status != BR_OK && error) *error = own;
    return status;
}

void br_fit_series_free(br_fit_series_report *report) {
    if (!report->memory) return;
    br_arena arena = *(br_arena *)report->memory;
    br_arena_free(&arena);
    memset(report, 0, sizeof *report);
}
