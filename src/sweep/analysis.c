// What the runs of a sweep say together: probabilities of words, Sobol's indices of numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/text/text.h"
#include "sweep/rows.h"

static const double Z_99 = 2.5758293035489004,
                    Z_95 = 1.959963984540054; // quantiles of the normal distribution

enum { MAX_WORDS = 16 }; // there are seven verdicts

typedef struct analysis {
    const br_sweep *sweep;
    br_arena *arena;
    const sweep_row *row;
    br_sweep_analysis *out;
    int probability_room, index_room, band_room;
    double *values; // [runs] of one column
} analysis;

const char *br_sweep_column_name(const br_sweep *s, int column) {
    return s->column[column];
}

static int is_word(const char *column) {
    return strcmp(column, "verdict") == 0 || strcmp(column, "verdict.start") == 0 ||
           strcmp(column, "credible") == 0;
}

static int analysis_cell(const analysis *a, long long run, int column, char text[BR_MAX_COLUMN_TEXT]) {
    const sweep_row *row = &a->row[run];
    return row->text && row->state == BR_SWEEP_DONE &&
           br_rows_cell(row, 1 + a->sweep->vary_count + column, text, BR_MAX_COLUMN_TEXT);
}

// ------------------------------------------------------------------------------------------------------------- words

// Wilson's interval: where the true probability p has |count/n - p| within z standard deviations of itself.
static void wilson(br_sweep_probability *p) {
    const double n = (double)p->of, part = (double)p->count / n, z2 = Z_99 * Z_99 / n;
    const double middle = (part + 0.5 * z2) / (1 + z2),
                 half = Z_99 * sqrt((part * (1 - part) + 0.25 * z2) / n) / (1 + z2);
    p->value = part;
    p->low = fmax(0, middle - half);
    p->high = fmin(1, middle + half);
}

// Of sobol only the two points of a sample are independent draws.
static int is_draw(const br_sweep *s, long long run) {
    return s->design != SWEEP_SOBOL || run % (s->vary_count + 2) < 2;
}

static br_status count_words(analysis *a, int column, br_error *error) {
    br_sweep_probability found[MAX_WORDS];
    int words = 0;
    long long of = 0;
    for (long long run = 0; run < a->sweep->count; run++) {
        char text[BR_MAX_COLUMN_TEXT];
        int k = 0;
        if (!is_draw(a->sweep, run) || !analysis_cell(a, run, column, text)) continue;
        while (k < words && strcmp(found[k].word, text) != 0) k++;
        if (k == MAX_WORDS) continue;
        if (k == words) {
            found[words] = (br_sweep_probability){.column = column};
            memcpy(found[words++].word, text, strlen(text) + 1);
        }
        found[k].count++;
        of++;
    }
    for (int k = 0; k < words; k++) {
        br_sweep_analysis *out = a->out;
        if (!BR_GROW(a->arena, out->probability, out->probabilities, a->probability_room))
            return br_no_memory(error, "no memory for the analysis of a sweep");
        found[k].of = of;
        wilson(&found[k]);
        out->probability[out->probabilities++] = found[k];
    }
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------------ indices

// The numbers of a sample, its D + 2 runs; 0: one is missing.
static int read_sample(const analysis *a, long long sample, int column, double *f) {
    const int runs = a->sweep->vary_count + 2;
    for (int k = 0; k < runs; k++) {
        char text[BR_MAX_COLUMN_TEXT];
        if (!analysis_cell(a, sample * runs + k, column, text)) return 0;
        if (br_io_parse_double((io_token){text, text + strlen(text)}, &f[k]) != IO_NUMBER_FINITE) return 0;
    }
    return 1;
}

// Both are ratios of means, p/v and q/v, over samples: the error of a ratio r is that of the mean of p - r v, over v
// [Saltelli2010, table 2 b and f, the first with the mean taken off].
typedef struct index_sums {
    double p, q, pp, qq, pv, qv;
} index_sums;

static double ratio_error(double r, double pp, double pv, double vv, double v, double n) {
    const double spread = fmax(0, pp - 2 * r * pv + r * r * vv) / n;
    return Z_95 * sqrt(spread / n) / (v / n);
}

static br_status add_index(analysis *a, const br_sweep_index *index, br_error *error) {
    br_sweep_analysis *out = a->out;
    if (!BR_GROW(a->arena, out->index, out->indices, a->index_room))
        return br_no_memory(error, "no memory for the analysis of a sweep");
    out->index[out->indices++] = *index;
    return BR_OK;
}

static br_status find_indices(analysis *a, int column, br_error *error) {
    const int D = a->sweep->vary_count;
    const long long samples = a->sweep->count / (D + 2);
    double f[BR_MAX_SWEEP_PARAMETERS + 2], mean = 0, v = 0, vv = 0;
    index_sums sum[BR_MAX_SWEEP_PARAMETERS];
    long long n = 0;
    memset(sum, 0, sizeof sum);
    for (long long j = 0; j < samples; j++)
        if (read_sample(a, j, column, f)) mean += 0.5 * (f[0] + f[1]), n++;
    if (n < SWEEP_LEAST_SAMPLES) return BR_OK; // of fewer the errors themselves are not known
    mean /= (double)n;
    for (long long j = 0; j < samples; j++) {
        if (!read_sample(a, j, column, f)) continue;
        const double A = f[0] - mean, B = f[1] - mean, here = 0.5 * (A * A + B * B);
        v += here, vv += here * here;
        for (int k = 0; k < D; k++) {
            const double change = f[2 + k] - f[0], p = B * change, q = 0.5 * change * change;
            index_sums *s = &sum[k];
            s->p += p, s->q += q, s->pp += p * p, s->qq += q * q, s->pv += p * here, s->qv += q * here;
        }
    }
    if (!(v > 1e-24 * (double)n * mean * mean)) return BR_OK; // it does not vary beyond rounding
    // Errors come from the spread between samples. A variance that a few of them carry tells neither an index nor its error.
    const int carried = v * v >= SWEEP_LEAST_CARRIERS * vv;
    for (int k = 0; k < D; k++) {
        const index_sums *s = &sum[k];
        br_sweep_index x = {
            .column = column, .parameter = k, .samples = n, .first = s->p / v, .total = s->q / v};
        x.first_error = ratio_error(x.first, s->pp, s->pv, vv, v, (double)n);
        x.total_error = ratio_error(x.total, s->qq, s->qv, vv, v, (double)n);
        if (!carried) x.first = x.first_error = x.total = x.total_error = NAN;
        const br_status status = add_index(a, &x, error);
        if (status != BR_OK) return status;
    }
    return BR_OK;
}

// -------------------------------------------------------------------------------------------------------------- bands

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A quantile between two of the sorted values lies on a straight line between them.
static double quantile(const double *x, long long n, double part) {
    const double at = part * (double)(n - 1);
    const long long k = (long long)at;
    return k + 1 < n ? x[k] + (at - (double)k) * (x[k + 1] - x[k]) : x[n - 1];
}

static br_status find_band(analysis *a, int column, const char *at, br_error *error) {
    static const double part[BR_SWEEP_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    br_sweep_analysis *out = a->out;
    const char *name = a->sweep->column[column], *number = at + strlen(".at(");
    br_sweep_band band = {.column = column, .channel = (int)(at - name)};
    br_io_parse_double((io_token){number, number + strcspn(number, ")")}, &band.t);
    for (long long run = 0; run < a->sweep->count; run++) {
        char text[BR_MAX_COLUMN_TEXT];
        double x;
        if (!is_draw(a->sweep, run) || !analysis_cell(a, run, column, text)) continue;
        if (br_io_parse_double((io_token){text, text + strlen(text)}, &x) == IO_NUMBER_FINITE)
            a->values[band.of++] = x;
    }
    if (band.of == 0) return BR_OK;
    qsort(a->values, (size_t)band.of, sizeof *a->values, by_size);
    for (int k = 0; k < BR_SWEEP_QUANTILES; k++) band.quantile[k] = quantile(a->values, band.of, part[k]);
    if (!BR_GROW(a->arena, out->band, out->bands, a->band_room))
        return br_no_memory(error, "no memory for the analysis of a sweep");
    out->band[out->bands++] = band;
    return BR_OK;
}

// -------------------------------------------------------------------------------------------------------------- all

static br_status analyse(analysis *a, br_error *error) {
    const br_sweep *s = a->sweep;
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && s->design >= SWEEP_LATIN && k < s->column_count; k++) {
        const char *at = strstr(s->column[k], ".at(");
        if (at)
            status = find_band(a, k, at, error);
        else if (is_word(s->column[k]))
            status = count_words(a, k, error);
        else if (s->design == SWEEP_SOBOL)
            status = find_indices(a, k, error);
    }
    return status;
}

br_status br_sweep_analyse(const br_sweep *s, const char *folder, const br_allocator *allocator,
                           br_sweep_analysis *out, br_error *error) {
    br_arena rows, first;
    sweep_row *row = NULL;
    br_sweep_analysis found;
    memset(&found, 0, sizeof found);
    br_arena_init(&rows, allocator);
    br_arena_init(&first, allocator);
    br_arena *memory = BR_TAKE(&first, br_arena, 1);
    if (!memory) return br_no_memory(error, "no memory for the analysis of a sweep");
    *memory = first; // it holds itself: nothing else may use `first` any more
    found.memory = memory;
    analysis a = {.sweep = s, .arena = memory, .out = &found};
    const io_locale locale = br_io_locale_enter();
    br_status status = br_rows_read(s, folder, &rows, &row, error);
    a.row = row;
    a.values = BR_TAKE(&rows, double, s->count);
    if (status == BR_OK && !a.values) status = br_no_memory(error, "no memory for the analysis of a sweep");
    if (status == BR_OK) status = analyse(&a, error);
    br_io_locale_leave(locale);
    br_arena_free(&rows);
    if (status == BR_OK)
        *out = found;
    else
        br_sweep_analysis_free(&found);
    return status;
}

void br_sweep_analysis_free(br_sweep_analysis *a) {
    if (!a->memory) return;
    br_arena arena = *(br_arena *)a->memory;
    br_arena_free(&arena);
    memset(a, 0, sizeof *a);
}
