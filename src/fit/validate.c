// Measured beside predicted: errors per recording and in all, bands of the model's distributions and how much they cover.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bristle/record.h"
#include "fit/difference.h"
#include "fit/drawn.h"
#include "fit/predict.h"

enum { MOST_DRAWS = 10000 };

br_validate_options br_default_validate_options(void) {
    br_validate_options options;
    memset(&options, 0, sizeof options);
    options.threads = 1;
    return options;
}

typedef struct validate_work {
    const br_measured *m;
    fit_drawn drawn;
    double *sorted; // [draws]
} validate_work;

// ------------------------------------------------------------------------------------------------------------ errors

static const double *row_of(const br_measured *m, const double *values, int row) {
    return values + (size_t)row * (size_t)m->columns;
}

static void judge_group(const br_measured *m, int recording, int g, const double *predicted,
                        br_validation_row *out) {
    const fit_recording *r = &m->recording[recording];
    const fit_group *group = &m->group[g];
    memset(out, 0, sizeof *out);
    out->recording = recording;
    snprintf(out->quantity, sizeof out->quantity, "%s", group->name);
    snprintf(out->unit, sizeof out->unit, "%s", group->unit);
    out->size = group->size;
    out->coverage = out->width = out->median = out->standard_error = NAN;
    for (int k = 1; k < r->rows; k++) {
        double e[3] = {0}, sum = 0;
        const int n = br_fit_difference(group, row_of(m, r->value, k), row_of(m, predicted, k), e);
        for (int i = 0; i < n; i++) sum += e[i] * e[i];
        const double d = sqrt(sum);
        out->error += d, out->rms += sum, out->largest = fmax(out->largest, d), out->end = d;
        out->rows++;
    }
    out->error /= (double)out->rows;
    out->rms = sqrt(out->rms / (double)out->rows);
    out->numbers = group->count;
    for (int i = 0; i < group->count; i++) {
        out->measured[i] = row_of(m, r->value, r->rows - 1)[group->column[i]];
        out->predicted[i] = row_of(m, predicted, r->rows - 1)[group->column[i]];
    }
}

static int band_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of all recordings: each counts once, however long it is.
static void judge_total(const br_validation_row *row, int recordings, int groups, int g, double *sorted,
                        br_validation_row *out) {
    double sum = 0, squares = 0, covered = 0, width = 0;
    *out = row[g];
    out->recording = -1, out->numbers = 0;
    out->rows = 0, out->rms = out->largest = out->end = 0;
    for (int k = 0; k < recordings; k++) {
        const br_validation_row *r = &row[k * groups + g];
        sorted[k] = r->error;
        sum += r->error, squares += r->rms * r->rms * (double)r->rows, out->rows += r->rows;
        covered += r->coverage * (double)r->rows, width += r->width * (double)r->rows;
        out->largest = fmax(out->largest, r->largest), out->end += r->end / recordings;
    }
    const double mean = sum / recordings;
    double spread = 0;
    for (int k = 0; k < recordings; k++) spread += (sorted[k] - mean) * (sorted[k] - mean);
    qsort(sorted, (size_t)recordings, sizeof *sorted, band_order);
    out->error = mean, out->rms = sqrt(squares / (double)out->rows);
    out->median = 0.5 * (sorted[(recordings - 1) / 2] + sorted[recordings / 2]);
    out->standard_error = recordings > 1 ? sqrt(spread / (recordings - 1) / recordings) : NAN;
    out->coverage = covered / (double)out->rows, out->width = width / (double)out->rows;
}

// ------------------------------------------------------------------------------------------------------------- bands

static double band_quantile(const double *x, int n, double part) {
    const double at = part * (n - 1);
    const int k = (int)at;
    return k + 1 < n ? x[k] + (at - k) * (x[k + 1] - x[k]) : x[n - 1];
}

static void cover_group(validate_work *w, int recording, const double *const *draw, br_validation_row *out) {
    const br_measured *m = w->m;
    const fit_recording *r = &m->recording[recording];
    const fit_group *g = NULL;
    long inside = 0, all = 0;
    double width = 0;
    for (int k = 0; k < m->groups; k++)
        if (strcmp(m->group[k].name, out->quantity) == 0) g = &m->group[k];
    for (int k = 1; g && k < r->rows; k++)
        for (int i = 0; i < g->count; i++) {
            const size_t at = (size_t)k * (size_t)m->columns + (size_t)g->column[i];
            int n = 0;
            for (int d = 0; d < w->drawn.draws; d++)
                if (isfinite(draw[d][at])) w->sorted[n++] = draw[d][at];
            if (n < 20) continue;
            qsort(w->sorted, (size_t)n, sizeof *w->sorted, band_order);
            const double low = band_quantile(w->sorted, n, 0.05), high = band_quantile(w->sorted, n, 0.95);
            inside += r->value[at] >= low && r->value[at] <= high;
            width += high - low, all++;
        }
    if (all > 0) out->coverage = (double)inside / (double)all, out->width = width / (double)all;
}

static br_status cover_recording(validate_work *w, int recording, int threads, br_validation_row *rows,
                                 int groups, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, w->m->allocator);
    const size_t numbers = (size_t)w->m->recording[recording].rows * (size_t)w->m->columns;
    fit_job *job = BR_TAKE(&arena, fit_job, w->drawn.draws);
    const double **draw = BR_TAKE(&arena, const double *, w->drawn.draws);
    double *values = BR_TAKE(&arena, double, numbers *(size_t)w->drawn.draws);
    if (!br_arena_ok(&arena)) {
        br_arena_free(&arena);
        return br_no_memory(error, "no memory for bands");
    }
    for (int d = 0; d < w->drawn.draws; d++) {
        job[d] = (fit_job){.recording = recording, .predicted = values + (size_t)d * numbers};
        job[d].one.override = w->drawn.override + (size_t)d * (size_t)w->drawn.varied;
        job[d].one.overrides = w->drawn.varied;
        draw[d] = job[d].predicted;
    }
    br_fit_predict_all(w->m, job, w->drawn.draws, threads);
    for (int g = 0; g < groups; g++) cover_group(w, recording, draw, &rows[g]);
    br_arena_free(&arena);
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------------------- all

static br_status validate_all(const br_measured *m, const br_validate_options *o, br_arena *arena,
                              br_validation *out, br_error *error) {
    validate_work w = {.m = m};
    int groups = 0;
    for (int g = 0; g < m->groups; g++) groups += m->group[g].compared;
    fit_job *job = BR_TAKE(arena, fit_job, m->recordings);
    double *sorted = BR_TAKE(arena, double, m->recordings);
    out->row = BR_TAKE(arena, br_validation_row, m->recordings * groups);
    out->total = BR_TAKE(arena, br_validation_row, groups);
    for (int k = 0; k < m->recordings && job; k++) {
        job[k] = (fit_job){.recording = k};
        job[k].predicted = BR_TAKE(arena, double, (size_t)m->recording[k].rows *(size_t)m->columns);
    }
    if (!br_arena_ok(arena)) return br_no_memory(error, "no memory for a validation");
    br_fit_predict_all(m, job, m->recordings, o->threads);
    br_status status = BR_OK;
    for (int k = 0; k < m->recordings && status == BR_OK; k++) {
        if (job[k].error.status != BR_OK) {
            if (error) *error = job[k].error;
            if (error && !error->file[0])
                snprintf(error->file, sizeof error->file, "%s", m->recording[k].path);
            return job[k].error.status;
        }
        for (int g = 0; g < m->groups; g++)
            if (m->group[g].compared) judge_group(m, k, g, job[k].predicted, &out->row[out->rows++]);
    }
    if (o->draws > 0 && status == BR_OK) status = br_fit_draw(m, o->draws, arena, &w.drawn, error);
    if (status == BR_OK && w.drawn.varied > 0) {
        w.sorted = BR_TAKE(arena, double, o->draws);
        if (!w.sorted) return br_no_memory(error, "no memory for bands");
        out->draws = w.drawn.draws;
        for (int k = 0; k < m->recordings && status == BR_OK; k++)
            status = cover_recording(&w, k, o->threads, &out->row[k * groups], groups, error);
    }
    for (int g = 0; g < groups && status == BR_OK; g++)
        judge_total(out->row, m->recordings, groups, g, sorted, &out->total[out->totals++]);
    return status;
}

br_status br_validate(const br_measured *m, const br_validate_options *options, const br_allocator *allocator,
                      br_validation *out, br_error *error) {
    const br_validate_options o = options ? *options : br_default_validate_options();
    br_validation found;
    br_arena first;
    memset(&found, 0, sizeof found);
    if (o.threads < 1 || o.draws < 0 || o.draws > MOST_DRAWS)
        return br_fail(error, BR_INVALID, "fit-options",
                       "%d threads and %d draws, expected 1 or more and 0 to %d", o.threads, o.draws,
                       MOST_DRAWS);
    br_arena_init(&first, allocator);
    br_arena *memory = BR_TAKE(&first, br_arena, 1);
    if (!memory) return br_no_memory(error, "no memory for a validation");
    *memory = first; // it holds itself: nothing else may use `first` any more
    found.memory = memory;
    const io_locale locale = br_io_locale_enter();
    const br_status status = validate_all(m, &o, memory, &found, error);
    br_io_locale_leave(locale);
    if (status == BR_OK)
        *out = found;
    else
        br_validation_free(&found);
    return status;
}

void br_validation_free(br_validation *v) {
    if (!v->memory) return;
    br_arena arena = *(br_arena *)v->memory;
    br_arena_free(&arena);
    memset(v, 0, sizeof *v);
}
