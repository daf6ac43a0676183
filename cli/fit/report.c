// What was fitted as one HTML file: what came out beside what was measured. The data are an object, the script draws it.
#include "fit/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/report_script.h"
#include "output.h"

enum { MOST_SERIES = 60, MOST_ROWS = 1200 };

static void put_estimates(br_json *json, const br_fit_report *f) {
    br_json list = br_json_list(json, "estimates");
    for (int k = 0; k < f->estimates; k++) {
        const br_fit_estimate *e = &f->estimate[k];
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", e->name);
        br_json_string(&o, "unit", e->unit);
        br_json_number(&o, "value", e->value);
        br_json_number(&o, "low", e->low);
        br_json_number(&o, "high", e->high);
        br_json_number(&o, "start", e->start);
        br_json_number(&o, "from", e->from);
        br_json_number(&o, "to", e->to);
        br_json_bool(&o, "below", e->open & 1);
        br_json_bool(&o, "above", e->open >> 1 & 1);
        if (e->points > 0) {
            br_json profile = br_json_list(&o, "profile");
            br_json_numbers(&profile, NULL, e->at, e->points);
            br_json_numbers(&profile, NULL, e->fall, e->points);
            br_json_close_list(&profile);
        }
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void put_told(br_json *json, const br_fit_report *f) {
    br_json list = br_json_list(json, "notTold");
    for (int k = 0; k < f->directions; k++) br_json_string(&list, NULL, f->direction[k].text);
    br_json_close_list(&list);
}

static void put_correlations(br_json *json, const br_fit_report *f) {
    br_json list = br_json_list(json, "correlations");
    for (int i = 0; i < f->estimates; i++)
        for (int k = 0; k < i; k++) {
            br_json one = br_json_list(&list, NULL);
            br_json_string(&one, NULL, f->estimate[k].name);
            br_json_string(&one, NULL, f->estimate[i].name);
            br_json_number(&one, NULL, f->correlation[i * f->estimates + k]);
            br_json_close_list(&one);
        }
    br_json_close_list(&list);
}

// One column of a table of rows, each `every` row of it and the last.
static void put_column(br_json *json, const char *key, const double *x, int rows, int step, int at,
                       int every) {
    br_json list = br_json_list(json, key);
    for (int i = 0; i < rows; i += i + every < rows || i == rows - 1 ? every : rows - 1 - i)
        br_json_number(&list, NULL, x[i * step + at]);
    br_json_close_list(&list);
}

static void put_columns(br_json *json, const char *key, const double *x, int rows, int step, int every) {
    br_json list = br_json_list(json, key);
    for (int c = 0; c < step; c++) put_column(&list, NULL, x, rows, step, c, every);
    br_json_close_list(&list);
}

static void put_series(br_json *json, const fit_page *p) {
    const int all = p->series ? p->series->count : 0, shown = all < MOST_SERIES ? all : MOST_SERIES;
    br_json list = br_json_list(json, "series");
    for (int k = 0; k < shown; k++) {
        const br_fit_series *s = &p->series->series[k];
        const int every = 1 + (s->rows - 1) / MOST_ROWS;
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "recording", br_measured_name(p->measured, s->recording));
        br_json_string(&o, "quantity", s->quantity);
        br_json_string(&o, "unit", s->unit);
        br_json names = br_json_list(&o, "names");
        for (int c = 0; c < s->numbers; c++) br_json_string(&names, NULL, s->name[c]);
        br_json_close_list(&names);
        br_json_number(&o, "rms", s->rms);
        put_column(&o, "t", s->t, s->rows, 1, 0, every);
        put_columns(&o, "measured", s->measured, s->rows, s->numbers, every);
        put_columns(&o, "predicted", s->predicted, s->rows, s->numbers, every);
        put_columns(&o, "residual", s->residual, s->rows, s->parts, every);
        if (p->bands && p->bands->rows == all && s->numbers == s->parts)
            put_column(&o, "radius", p->bands->row[k].way, s->rows, 1, 0, every);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    br_json_whole(json, "left", all - shown);
}

static void put_laws(br_json *json, const fit_page *p) {
    br_json list = br_json_list(json, "laws");
    for (int k = 0; k < p->laws; k++) {
        const br_fit_law *l = &p->law[k];
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", l->name);
        br_json_string(&o, "failed", l->error.status == BR_OK ? NULL : l->error.message);
        br_json_number(&o, "heldOut", l->error.status == BR_OK ? l->fit.held_out_error : NAN);
        br_json_number(&o, "size", l->fit.size);
        br_json_string(&o, "unit", l->fit.unit);
        br_json_string(&o, "outcome", br_fit_outcome_name(l->fit.outcome));
        put_estimates(&o, &l->fit);
        put_told(&o, &l->fit);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void put_bands(br_json *json, const fit_page *p) {
    br_json list = br_json_list(json, "bands");
    for (int k = 0; p->bands && k < p->bands->totals; k++) {
        const br_band_total *t = &p->bands->total[k];
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "quantity", t->quantity);
        br_json_string(&o, "unit", t->unit);
        br_json_number(&o, "size", t->size);
        br_json_number(&o, "coverage", t->coverage);
        br_json_number(&o, "radius", t->radius);
        br_json_number(&o, "constant", t->constant_radius);
        br_json_number(&o, "inputCoverage", t->input_coverage);
        br_json_number(&o, "input", t->input_radius);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void put_data(FILE *out, const fit_page *p) {
    const br_fit_report *f = p->fit;
    const int fitted = f->estimates > 0;
    br_json json = br_json_begin(out);
    br_json_string(&json, "set", br_measured_set(p->measured));
    br_json_string(&json, "model", br_measured_model_path(p->measured));
    br_json_whole(&json, "recordings", br_measured_count(p->measured));
    br_json_lines(&json, "notes", br_measured_notes(p->measured));
    br_json_string(&json, "outcome", fitted ? br_fit_outcome_name(f->outcome) : NULL);
    br_json_string(&json, "why", f->why);
    br_json_whole(&json, "agree", f->agree);
    br_json_whole(&json, "starts", f->starts);
    br_json_whole(&json, "evaluations", f->evaluations);
    br_json_string(&json, "interval", fitted ? f->interval : "none");
    put_estimates(&json, f);
    put_correlations(&json, f);
    put_told(&json, f);
    br_json_string(&json, "quantity", f->quantity);
    br_json_string(&json, "unit", f->unit);
    br_json_number(&json, "size", fitted ? f->size : NAN);
    br_json_number(&json, "error", fitted ? f->error : NAN);
    br_json_number(&json, "heldOut", fitted ? f->held_out_error : NAN);
    put_series(&json, p);
    put_laws(&json, p);
    put_bands(&json, p);
    br_json_string(&json, "wished", p->wished);
    br_json next = br_json_list(&json, "next");
    for (int k = 0; k < p->nexts; k++) br_json_string(&next, NULL, p->next[k].text);
    br_json_close_list(&next);
    br_json_end(&json);
}

// What is written within a script must not end it: '<' is only in texts, and JSON has another form for it.
static int put_script_data(FILE *out, const fit_page *p) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return 0;
    put_data(memory, p);
    if (fclose(memory) != 0) return free(text), 0;
    fputs("const fit=", out);
    for (size_t k = 0; k < size; k++)
        if (text[k] == '<')
            fputs("\\u003c", out);
        else
            fputc(text[k], out);
    fputs(";\n", out);
    free(text);
    return 1;
}

br_status fit_write_page(const fit_page *p, const char *path, br_error *error) {
    cli_output out;
    if (!cli_output_open(&out, path)) return cli_unwritable(error, path);
    fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\"><title>Fit</title>\n<style>",
          out.file);
    for (size_t k = 0; k < sizeof FIT_PAGE_STYLE / sizeof *FIT_PAGE_STYLE; k++)
        fprintf(out.file, "%s\n", FIT_PAGE_STYLE[k]);
    fputs("</style>\n<main id=\"page\"></main>\n<script>\n", out.file);
    const int good = put_script_data(out.file, p);
    for (size_t k = 0; k < sizeof FIT_PAGE_SCRIPT / sizeof *FIT_PAGE_SCRIPT; k++)
        fprintf(out.file, "%s\n", FIT_PAGE_SCRIPT[k]);
    fputs("</script></html>\n", out.file);
    return cli_output_close(&out, good) ? BR_OK : cli_unwritable(error, path);
}
