// Bands around predictions: what noise of the start and distributions of parameters spread, and what other recordings show that no
// draw explains.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fit/bands/calibrate.h"
#include "fit/difference.h"
#include "fit/drawn.h"
#include "fit/predict.h"
#include "fit/shake.h"

enum { LEAST_DRAWS = 10, MOST_BAND_DRAWS = 10000 };
// A recording that is predicted to rounding still has a band: this part of how far it goes.
static const double LEAST_ERROR = 1e-12;
// Nine tenths of a normal distribution are nearer to its middle than this, in standard deviations.
static const double NINE_TENTHS = 1.6448536269514722;

br_band_options br_default_band_options(void) {
    br_band_options o;
    memset(&o, 0, sizeof o);
    o.threads = 1, o.draws = 40;
    return o;
}

typedef struct bands_work {
    const br_measured *m;
    const br_band_options *o;
    br_arena *arena; // of the report
    int groups;      // that are compared
    fit_drawn drawn;
    double *place, *rate; // [all groups]
    double **predicted;   // [recordings]
    // of one group
    const fit_group *group;
    calibrate_at **at;   // [recordings][rows]
    double **difference; // [recordings][rows]
    double *sorted;      // [draws]
    // of one fold of a fit
    br_override *fold;
    char (*fold_text)[96];
    int fold_values;
} bands_work;

static const double *numbers_of(const bands_work *w, const double *values, int row) {
    return values + (size_t)row * (size_t)w->m->columns;
}

static double band_length(const fit_group *g, const double *a, const double *b) {
    double e[4], sum = 0;
    const int n = br_fit_difference(g, a, b, e);
    for (int i = 0; i < n; i++) sum += e[i] * e[i];
    return sqrt(sum);
}

// --------------------------------------------------------------------------------------------------------- the fit's

// What the fit of the others says, for each recording.
static br_status take_folds(bands_work *w, br_error *error) {
    const br_fit_report *fit = w->o->fit;
    if (!fit) return BR_OK;
    if (fit->folds < 2)
        return br_fail(error, BR_INVALID, "fit-bands",
                       "no recordings were held out of the fit, so that there is nothing to make bands from");
    w->fold = BR_TAKE(w->arena, br_override, fit->folds * fit->estimates);
    w->fold_text = br_arena_take(w->arena, (size_t)(fit->folds * fit->estimates), sizeof *w->fold_text);
    if (!br_arena_ok(w->arena)) return br_no_memory(error, "no memory for bands");
    for (int k = 0; k < fit->estimates; k++) {
        const br_fit_estimate *e = &fit->estimate[k];
        if (strncmp(e->name, "noise(", 6) == 0) continue;
        if (strchr(e->name, '('))
            return br_fail(
                error, BR_INVALID, "fit-bands",
                "bands are made of fits of the model's own parameters; '%.80s' is of the sensor or "
                "of the start",
                e->name);
        for (int f = 0; f < fit->folds; f++) {
            const int at = f * fit->estimates + w->fold_values;
            snprintf(w->fold_text[at], sizeof *w->fold_text, "%.17g%s%s",
                     fit->fold_value[f * fit->estimates + k], *e->unit ? " " : "", e->unit);
            w->fold[at] = (br_override){e->name, w->fold_text[at]};
        }
        w->fold_values++;
    }
    return BR_OK;
}

static const br_override *fold_of(const bands_work *w, int recording) {
    const br_fit_report *fit = w->o->fit;
    return fit ? w->fold + (recording % fit->folds) * fit->estimates : NULL;
}

// ---------------------------------------------------------------------------------------------------------- draws

static br_status predict_plain(bands_work *w, br_arena *scratch, br_error *error) {
    const br_measured *m = w->m;
    fit_job *job = BR_TAKE(scratch, fit_job, m->recordings);
    w->predicted = BR_TAKE(w->arena, double *, m->recordings);
    for (int k = 0; k < m->recordings && job && w->predicted; k++) {
        w->predicted[k] = BR_TAKE(w->arena, double, (size_t)m->recording[k].rows *(size_t)m->columns);
        job[k] = (fit_job){.recording = k, .predicted = w->predicted[k]};
        job[k].one.override = fold_of(w, k), job[k].one.overrides = w->fold_values;
    }
    if (!br_arena_ok(w->arena) || !br_arena_ok(scratch)) return br_no_memory(error, "no memory for bands");
    br_fit_predict_all(m, job, m->recordings, w->o->threads);
    for (int k = 0; k < m->recordings; k++)
        if (job[k].error.status != BR_OK) {
            *error = job[k].error;
            if (!error->file[0]) snprintf(error->file, sizeof error->file, "%s", m->recording[k].path);
            return job[k].error.status;
        }
    double *room = BR_TAKE(scratch, double, br_fit_start_noise_room(m));
    w->place = BR_TAKE(w->arena, double, m->groups), w->rate = BR_TAKE(w->arena, double, m->groups);
    if (!br_arena_ok(w->arena) || !br_arena_ok(scratch)) return br_no_memory(error, "no memory for bands");
    br_fit_start_noise(m, (const double *const *)w->predicted, room, w->place, w->rate);
    return BR_OK;
}

// All draws of one recording with the noise of the start times a factor. values: [draws * rows * columns].
static br_status draw_recording(bands_work *w, int k, double factor, double *values, br_arena *scratch,
                                br_error *error) {
    const br_measured *m = w->m;
    const int draws = w->o->draws, each = w->drawn.varied + w->fold_values;
    const size_t numbers = (size_t)m->recording[k].rows * (size_t)m->columns;
    fit_job *job = BR_TAKE(scratch, fit_job, draws);
    fit_shake *shake = BR_TAKE(scratch, fit_shake, draws);
    br_override *o = BR_TAKE(scratch, br_override, draws * each + 1);
    double *place = BR_COPY(scratch, w->place, m->groups), *rate = BR_COPY(scratch, w->rate, m->groups);
    if (!br_arena_ok(scratch)) return br_no_memory(error, "no memory for bands");
    for (int g = 0; g < m->groups; g++) place[g] *= factor, rate[g] *= factor;
    for (int d = 0; d < draws; d++) {
        br_override *own = o + d * each;
        shake[d] = (fit_shake){place, rate, (uint64_t)d};
        job[d] = (fit_job){.recording = k, .predicted = values + (size_t)d * numbers};
        // What is fitted comes last, and wins over its distribution.
        if (w->drawn.varied > 0)
            memcpy(own, w->drawn.override + (size_t)d * (size_t)w->drawn.varied,
                   (size_t)w->drawn.varied * sizeof *own);
        if (w->fold_values > 0)
            memcpy(own + w->drawn.varied, fold_of(w, k), (size_t)w->fold_values * sizeof *own);
        job[d].one = (fit_case){.override = own, .overrides = each, .shake = &shake[d]};
    }
    br_fit_predict_all(m, job, draws, w->o->threads);
    int failed = 0, last = 0;
    for (int d = 0; d < draws; d++)
        if (job[d].error.status != BR_OK) failed++, last = d;
    if (2 * failed <= draws) return BR_OK;
    *error = job[last].error;
    return job[last].error.status;
}

static int bands_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What nine draws of ten stay within at each row, and what the sensor adds to it.
static void reach_of(bands_work *w, int k, const double *values, int g, int factor, calibrate_at *at) {
    const br_measured *m = w->m;
    const fit_recording *r = &m->recording[k];
    const size_t numbers = (size_t)r->rows * (size_t)m->columns;
    const double sensor = NINE_TENTHS * br_calibrate_grid[factor] * w->place[g];
    for (int i = 0; i < r->rows; i++) {
        int n = 0;
        for (int d = 0; d < w->o->draws; d++) {
            const double x = band_length(&m->group[g], numbers_of(w, w->predicted[k], i),
                                         numbers_of(w, values + (size_t)d * numbers, i));
            if (isfinite(x)) w->sorted[n++] = x;
        }
        qsort(w->sorted, (size_t)n, sizeof *w->sorted, bands_order);
        const double nine = w->sorted[(9 * n) / 10];
        const double reach = sqrt(nine * nine + sensor * sensor);
        at[i].reach[factor] = factor > 0 ? fmax(at[i].reach[factor - 1], reach) : reach;
    }
}

// ----------------------------------------------------------------------------------------------------------- report

static void fill_row(bands_work *w, int k, int g, br_band_row *row) {
    const br_measured *m = w->m;
    const fit_recording *r = &m->recording[k];
    const fit_group *group = &m->group[g];
    const size_t n = (size_t)r->rows * (size_t)group->count;
    double *measured = BR_TAKE(w->arena, double, n), *predicted = BR_TAKE(w->arena, double, n);
    memset(row, 0, sizeof *row);
    row->recording = k, row->rows = r->rows, row->numbers = group->count, row->t = r->t;
    row->measured = measured, row->predicted = predicted;
    snprintf(row->quantity, sizeof row->quantity, "%s", group->name);
    snprintf(row->unit, sizeof row->unit, "%s", group->unit);
    for (int i = 0; i < r->rows && measured && predicted; i++)
        for (int c = 0; c < group->count; c++) {
            const int at = i * group->count + c;
            measured[at] = numbers_of(w, r->value, i)[group->column[c]];
            predicted[at] = numbers_of(w, w->predicted[k], i)[group->column[c]];
        }
}

// Of all recordings of one group: [recordings][rows] of what is known, and of the differences.
static void find_paths(bands_work *w, int g) {
    const br_measured *m = w->m;
    for (int k = 0; k < m->recordings; k++) {
        double path = 0;
        for (int i = 0; i < m->recording[k].rows; i++) {
            if (i > 0)
                path += band_length(&m->group[g], numbers_of(w, w->predicted[k], i - 1),
                                    numbers_of(w, w->predicted[k], i));
            w->at[k][i].path = path;
            w->difference[k][i] = band_length(&m->group[g], numbers_of(w, m->recording[k].value, i),
                                              numbers_of(w, w->predicted[k], i));
        }
    }
}

static void fill_total(const bands_work *w, int g, int nth, const br_band_report *report, double *sorted,
                       br_band_total *out) {
    const int n = w->m->recordings;
    int inside = 0, way = 0, input = 0;
    snprintf(out->quantity, sizeof out->quantity, "%s", w->m->group[g].name);
    snprintf(out->unit, sizeof out->unit, "%s", w->m->group[g].unit);
    out->size = w->m->group[g].size;
    out->place = w->place[g], out->rate = w->rate[g];
    for (int pass = 0; pass < 3; pass++) {
        for (int k = 0; k < n; k++) {
            const br_band_row *r = &report->row[k * w->groups + nth];
            sorted[k] = pass == 0 ? r->radius : pass == 1 ? r->input_radius : r->error;
            if (pass > 0) continue;
            inside += r->error <= r->radius, input += r->error <= r->input_radius, way += r->way_used <= 1;
        }
        qsort(sorted, (size_t)n, sizeof *sorted, bands_order);
        const double median = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
        if (pass == 0) out->radius = median;
        if (pass == 1) out->input_radius = median;
    }
    out->constant_radius = inside > 0 ? sorted[inside - 1] : 0;
    out->coverage = (double)inside / n, out->way_coverage = (double)way / n;
    out->input_coverage = (double)input / n;
}

static br_status judge_group(bands_work *w, int g, int nth, br_band_report *out, br_arena *scratch,
                             br_error *error) {
    const br_measured *m = w->m;
    const calibrate_band input = {1, 0, 0};
    const int n = m->recordings;
    int *rows = BR_TAKE(scratch, int, n);
    double *sorted = BR_TAKE(scratch, double, n);
    if (!br_arena_ok(scratch)) return br_no_memory(error, "no memory for bands");
    for (int k = 0; k < n; k++) {
        rows[k] = m->recording[k].rows;
        for (int i = 0; i < rows[k]; i++)
            w->difference[k][i] = fmax(w->difference[k][i], LEAST_ERROR * w->at[k][i].path);
    }
    calibrate_fit fit;
    const br_status status = br_calibrate(n, rows, w->at, w->difference, scratch, &fit, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < n; k++) {
        br_band_row *row = &out->row[k * w->groups + nth];
        const int last = rows[k] - 1;
        double *way = BR_TAKE(w->arena, double, rows[k]);
        if (!way) return br_no_memory(error, "no memory for bands");
        row->error = w->difference[k][last];
        row->radius = br_calibrate_radius(&fit.band[k], &w->at[k][last], fit.end[k]);
        row->input_radius = br_calibrate_radius(&input, &w->at[k][last], 1);
        for (int i = 1; i <= last; i++) {
            way[i] = br_calibrate_radius(&fit.band[k], &w->at[k][i], fit.way[k]);
            if (w->difference[k][i] > 0) row->way_used = fmax(row->way_used, w->difference[k][i] / way[i]);
        }
        way[0] = way[last > 0];
        row->way = way;
    }
    br_band_total *total = &out->total[nth];
    fill_total(w, g, nth, out, sorted, total);
    total->factor = fit.all.start ? fit.all_end : 0;
    total->path = fit.all_end * fit.all.path, total->constant = fit.all_end * fit.all.constant;
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------------- all

// Everything that the draws say, for every group: at[g][k][i].
static br_status draw_all(bands_work *w, calibrate_at ***at, br_error *error) {
    const br_measured *m = w->m;
    br_status status = BR_OK;
    for (int k = 0; k < m->recordings && status == BR_OK; k++)
        for (int f = 0; f < CALIBRATE_FACTORS && status == BR_OK; f++) {
            const size_t numbers = (size_t)m->recording[k].rows * (size_t)m->columns;
            br_arena of_draws;
            br_arena_init(&of_draws, m->allocator);
            double *values = BR_TAKE(&of_draws, double, numbers *(size_t)w->o->draws);
            status = values ? draw_recording(w, k, br_calibrate_grid[f], values, &of_draws, error)
                            : br_no_memory(error, "no memory for bands");
            for (int g = 0, nth = 0; g < m->groups && status == BR_OK; g++) {
                if (!m->group[g].compared) continue;
                reach_of(w, k, values, g, f, at[nth++][k]);
            }
            br_arena_free(&of_draws);
        }
    return status;
}

static br_status make_bands(bands_work *w, br_band_report *out, br_arena *scratch, br_error *error) {
    const br_measured *m = w->m;
    for (int g = 0; g < m->groups; g++) w->groups += m->group[g].compared;
    br_status status = take_folds(w, error);
    if (status == BR_OK) status = predict_plain(w, scratch, error);
    if (status == BR_OK) status = br_fit_draw(m, w->o->draws, w->arena, &w->drawn, error);
    if (status != BR_OK) return status;
    out->rows = m->recordings * w->groups, out->totals = w->groups;
    out->recordings = m->recordings, out->draws = w->o->draws;
    out->row = BR_TAKE(w->arena, br_band_row, out->rows);
    out->total = BR_TAKE(w->arena, br_band_total, out->totals);
    w->sorted = BR_TAKE(scratch, double, w->o->draws);
    calibrate_at ***at = BR_TAKE(scratch, calibrate_at **, w->groups);
    w->difference = BR_TAKE(scratch, double *, m->recordings);
    for (int n = 0; n < w->groups && at; n++) {
        at[n] = BR_TAKE(scratch, calibrate_at *, m->recordings);
        for (int k = 0; k < m->recordings && at[n]; k++)
            at[n][k] = BR_TAKE(scratch, calibrate_at, m->recording[k].rows);
    }
    for (int k = 0; k < m->recordings && w->difference; k++)
        w->difference[k] = BR_TAKE(scratch, double, m->recording[k].rows);
    if (!br_arena_ok(w->arena) || !br_arena_ok(scratch)) return br_no_memory(error, "no memory for bands");
    for (int k = 0; k < m->recordings; k++)
        for (int g = 0, nth = 0; g < m->groups; g++)
            if (m->group[g].compared) fill_row(w, k, g, &out->row[k * w->groups + nth++]);
    if (!br_arena_ok(w->arena)) return br_no_memory(error, "no memory for bands");
    status = draw_all(w, at, error);
    for (int g = 0, nth = 0; g < m->groups && status == BR_OK; g++) {
        if (!m->group[g].compared) continue;
        w->at = at[nth];
        find_paths(w, g);
        status = judge_group(w, g, nth++, out, scratch, error);
    }
    return status;
}

br_status br_measured_bands(const br_measured *m, const br_band_options *options,
                            const br_allocator *allocator, br_band_report *out, br_error *error) {
    const br_band_options o = options ? *options : br_default_band_options();
    br_band_report found;
    br_arena first, scratch;
    br_error own;
    memset(&found, 0, sizeof found), memset(&own, 0, sizeof own);
    if (o.threads < 1 || o.draws < LEAST_DRAWS || o.draws > MOST_BAND_DRAWS)
        return br_fail(error, BR_INVALID, "fit-options",
                       "%d threads and %d draws, expected 1 or more and %d to %d", o.threads, o.draws,
                       LEAST_DRAWS, MOST_BAND_DRAWS);
    if (m->recordings < CALIBRATE_LEAST)
        return br_fail(error, BR_INVALID, "fit-bands",
                       "bands are made from how far other recordings were from their predictions: with %d "
                       "recording%s nine of ten cannot be told, %d are the least",
                       m->recordings, m->recordings == 1 ? "" : "s", CALIBRATE_LEAST);
    br_arena_init(&first, allocator), br_arena_init(&scratch, allocator);
    br_arena *memory = BR_TAKE(&first, br_arena, 1);
    if (!memory) return br_no_memory(error, "no memory for bands");
    *memory = first; // it holds itself: nothing else may use `first` any more
    found.memory = memory;
    bands_work w = {.m = m, .o = &o, .arena = memory};
    const io_locale locale = br_io_locale_enter();
    const br_status status = make_bands(&w, &found, &scratch, &own);
    br_io_locale_leave(locale);
    br_arena_free(&scratch);
    if (status == BR_OK)
        *out = found;
    else
        br_band_report_free(&found);
    if (status != BR_OK && error) *error = own;
    return status;
}

void br_band_report_free(br_band_report *report) {
    if (!report->memory) return;
    br_arena arena = *(br_arena *)report->memory;
    br_arena_free(&arena);
    memset(report, 0, sizeof *report);
}
