// bristle validate SPEC|MODEL DATA...: measured motion beside the model's.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/fit.h"
#include "page.h"

enum { MOST_LINES = 40, USUAL_DRAWS = 200 };

typedef struct validate_request {
    const char *path;
    const char **data;
    int data_count;
    cli_overrides overrides;
    int threads, draws, json, quiet;
    int report;
    const char *page;
    const char *recording, *start;
    int bands, drawn;
} validate_request;

int fit_threads(const char *verb, const char *text, int *out) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *out = processors < 1 ? 1 : processors > 64 ? 64 : (int)processors;
    return !text || cli_parse_whole(verb, "--jobs", text, 1, 64, out);
}

void fit_put_number(FILE *out, double x, const char *unit) {
    fprintf(out, "%.4g%s%s", x, *unit && strcmp(unit, "1") != 0 ? " " : "",
            strcmp(unit, "1") != 0 ? unit : "");
}

void fit_print_notes(FILE *out, const br_measured *measured) {
    for (const char *p = br_measured_notes(measured); *p;) {
        const size_t n = strcspn(p, "\n");
        if (n > 0) fprintf(out, "note        %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
}

static int validate_parse(int argc, char **argv, validate_request *r) {
    const char *jobs = NULL, *draws = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    r->data = calloc((size_t)argc + 1, sizeof *r->data);
    if (!r->data) return 0;
    if (!cli_take_overrides("validate", &argc, argv, &r->overrides) ||
        !cli_take_report("validate", &argc, argv, &r->report, &r->page))
        return 0;
    const char *set = NULL;
    const cli_option options[] = {
        {"--jobs", &jobs, NULL},
        {"--draws", &draws, NULL},
        {"--json", NULL, &r->json},
        {"--set", &set, NULL},
        {"--recording", &r->recording, NULL},
        {"--quiet", NULL, &r->quiet},
        {"--start", &r->start, NULL},
        {"--bands", NULL, &r->bands},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), r->data, argc, &count))
        return 0;
    if (count == 0) {
        cli_usage_error("validate", "expected a spec or a model, and the files of recordings");
        return 0;
    }
    r->path = r->data[0];
    r->data_count = count - 1;
    r->draws = USUAL_DRAWS, r->drawn = draws != NULL;
    if (draws && !cli_parse_whole("validate", "--draws", draws, 0, 10000, &r->draws)) return 0;
    if (r->recording && !r->report) {
        cli_usage_error("validate", "--recording is the one that the page shows: give --report");
        return 0;
    }
    return fit_threads("validate", jobs, &r->threads);
}

// ------------------------------------------------------------------------------------------------------------- text

static void put_error(FILE *out, const br_validation_row *r) {
    if (isfinite(r->size)) fprintf(out, "%.2f %% of the size (", 100 * r->error / r->size);
    fit_put_number(out, r->error, r->unit);
    if (isfinite(r->size)) fputc(')', out);
}

static void print_recording(FILE *out, const br_measured *m, const br_validation_row *r) {
    char name[BR_MAX_FIT_NAME + 100];
    snprintf(name, sizeof name, "%.90s  %s", br_measured_name(m, r->recording), r->quantity);
    fprintf(out, "  %-44s ", name);
    if (r->numbers == 1) {
        fputs("at the end ", out);
        fit_put_number(out, r->predicted[0], "");
        fputs(" for ", out);
        fit_put_number(out, r->measured[0], r->unit);
        fputs(", ", out);
    }
    fputs("mean error ", out);
    put_error(out, r);
    if (isfinite(r->coverage)) fprintf(out, ", %.0f %% within the bands", 100 * r->coverage);
    fputc('\n', out);
}

static void print_total(FILE *out, const br_measured *m, const br_validation_row *r) {
    fprintf(out, "all         %s: mean error ", r->quantity);
    put_error(out, r);
    fprintf(out, " over %d recording%s", br_measured_count(m), br_measured_count(m) == 1 ? "" : "s");
    if (isfinite(r->standard_error)) {
        fputs(" (+- ", out);
        fit_put_number(out, isfinite(r->size) ? 100 * r->standard_error / r->size : r->standard_error,
                       isfinite(r->size) ? "%" : r->unit);
        fputs(" standard error, median ", out);
        fit_put_number(out, isfinite(r->size) ? 100 * r->median / r->size : r->median,
                       isfinite(r->size) ? "%" : r->unit);
        fputc(')', out);
    }
    fputs(", root of the mean square ", out);
    fit_put_number(out, r->rms, r->unit);
    fputc('\n', out);
}

static void validate_text(const validate_request *r, const br_measured *m, const br_validation *v,
                          const br_band_report *bands) {
    fprintf(stdout, "model       %s\n", br_measured_model_path(m));
    const int one = br_measured_count(m) == 1;
    const char *start = br_measured_start(m);
    fprintf(stdout, "measured    %d recording%s of %s, predicted open loop from ", br_measured_count(m),
            one ? "" : "s", br_measured_set(m));
    if (strcmp(start, "first_row") == 0)
        puts(one ? "its first row" : "their first row");
    else
        puts(strcmp(start, "model") == 0 ? "where the model starts"
                                         : "the flight that fits all rows before the first touch");
    fit_print_notes(stdout, m);
    const int shown = r->quiet ? 0 : v->rows > MOST_LINES ? MOST_LINES : v->rows;
    for (int k = 0; k < shown; k++) print_recording(stdout, m, &v->row[k]);
    if (v->rows > shown && !r->quiet) fprintf(stdout, "  ... %d more; --json has all\n", v->rows - shown);
    for (int k = 0; k < v->totals; k++) print_total(stdout, m, &v->total[k]);
    if (r->bands) fit_print_bands(stdout, bands);
    if (r->draws == 0) return;
    if (v->draws == 0 && r->bands) return;
    if (v->draws == 0) {
        fputs("bands       none: no parameter of the model has a distribution, so how many measurements "
              "should lie "
              "within is not said\n",
              stdout);
        return;
    }
    for (int k = 0; k < v->totals; k++)
        if (isfinite(v->total[k].coverage))
            fprintf(stdout,
                    "bands       %s: %.1f %% of the measured numbers lie between the 5 %% and 95 %% "
                    "quantiles of %d draws (90 "
                    "%% would), mean width %.4g %s\n",
                    v->total[k].quantity, 100 * v->total[k].coverage, v->draws, v->total[k].width,
                    v->total[k].unit);
}

// ------------------------------------------------------------------------------------------------------------- JSON

static void put_values(br_json *o, const char *key, const double *x, int count) {
    if (count == 1)
        br_json_number(o, key, x[0]);
    else if (count > 1)
        br_json_numbers(o, key, x, count);
    else
        br_json_null(o, key);
}

static void json_row(br_json *list, const br_measured *m, const br_validation_row *r, const br_band_row *band,
                     const br_band_total *total, const br_band_report *b) {
    br_json o = br_json_object(list, NULL);
    br_json_string(&o, "set", br_measured_set(m));
    br_json_string(&o, "recording", r->recording < 0 ? NULL : br_measured_name(m, r->recording));
    br_json_string(&o, "quantity", r->quantity);
    br_json_string(&o, "unit", r->unit);
    put_values(&o, "measured", r->measured, r->numbers);
    put_values(&o, "predicted", r->predicted, r->numbers);
    br_json_number(&o, "error", r->error);
    br_json_number(&o, "relative_error", r->error / r->size);
    br_json_number(&o, "rms", r->rms);
    br_json_number(&o, "largest", r->largest);
    br_json_number(&o, "end_error", r->end);
    br_json_number(&o, "median", r->median);
    br_json_number(&o, "standard_error", r->standard_error);
    br_json_number(&o, "coverage", r->coverage);
    br_json_number(&o, "band_width", r->width);
    br_json_number(&o, "end_radius", band ? band->radius : NAN);
    br_json_number(&o, "end_radius_of_input", band ? band->input_radius : NAN);
    br_json_whole(&o, "rows", r->rows);
    if (total) fit_json_band(&o, "bands", total, b);
    br_json_close_object(&o);
}

// A list and nothing else: each quantity of each recording, then of all of them (recording null).
static void validate_json(const br_measured *m, const br_validation *v, const br_band_report *b) {
    br_json json = {.out = stdout};
    fputc('[', stdout);
    for (int k = 0; k < v->rows; k++) json_row(&json, m, &v->row[k], b->rows ? &b->row[k] : NULL, NULL, b);
    for (int k = 0; k < v->totals; k++)
        json_row(&json, m, &v->total[k], NULL, b->rows ? &b->total[k] : NULL, b);
    fputs("]\n", stdout);
}

// ------------------------------------------------------------------------------------------------------------- page

static int shown_recording(const validate_request *r, const br_measured *m) {
    for (int k = 0; k < br_measured_count(m) && r->recording; k++)
        if (strcmp(br_measured_name(m, k), r->recording) == 0) return k;
    return r->recording ? -1 : 0;
}

static br_status write_page(const validate_request *r, const br_measured *m, br_error *error) {
    char measured[CLI_MAX_PATH], predicted[CLI_MAX_PATH], page[CLI_MAX_PATH];
    const int k = shown_recording(r, m);
    if (k < 0)
        return cli_error(error, BR_INVALID, "fit-options", NULL, 0,
                         "there is no recording '%.80s'; the first is '%.80s'", r->recording,
                         br_measured_name(m, 0));
    snprintf(measured, sizeof measured, "%.500s.measured.result", br_measured_name(m, k));
    snprintf(predicted, sizeof predicted, "%.500s.predicted.result", br_measured_name(m, k));
    snprintf(page, sizeof page, "%.500s.validate.html", br_measured_set(m));
    br_status status = br_measured_record(m, k, measured, predicted, error);
    const br_report_result results[] = {{predicted, "predicted"}, {measured, "measured"}};
    br_report_options options;
    memset(&options, 0, sizeof options);
    options.title = br_measured_name(m, k);
    if (status == BR_OK) status = cli_page_write(NULL, results, 2, &options, r->page ? r->page : page, error);
    if (status == BR_OK && !r->json)
        fprintf(stdout, "page        %s   (%s: both motions)\n", r->page ? r->page : page,
                br_measured_name(m, k));
    return status;
}

static int verb_validate(int argc, char **argv) {
    validate_request r;
    br_error error;
    br_measured *m = NULL;
    br_validation v;
    br_band_report bands;
    int code = EXIT_USAGE;
    memset(&error, 0, sizeof error);
    memset(&v, 0, sizeof v), memset(&bands, 0, sizeof bands);
    if (!validate_parse(argc, argv, &r)) {
        free(r.data);
        return EXIT_USAGE;
    }
    br_measured_def def = br_default_measured_def();
    def.start = r.start;
    def.path = r.path, def.data = r.data + 1, def.data_count = r.data_count;
    def.override = r.overrides.item, def.override_count = r.overrides.count;
    br_validate_options options = br_default_validate_options();
    options.threads = r.threads, options.draws = r.draws;
    br_status status = r.report ? cli_page_check(NULL, &error) : BR_OK;
    if (status == BR_OK) status = br_measured_read(&def, NULL, &m, &error);
    if (status == BR_OK) status = br_validate(m, &options, NULL, &v, &error);
    if (status == BR_OK && r.bands) {
        br_band_options how = br_default_band_options();
        how.threads = r.threads;
        if (r.drawn) how.draws = r.draws;
        status = br_measured_bands(m, &how, NULL, &bands, &error);
    }
    if (status == BR_OK) r.json ? validate_json(m, &v, &bands) : validate_text(&r, m, &v, &bands);
    if (status == BR_OK && r.report) status = write_page(&r, m, &error);
    code = status == BR_OK ? EXIT_FINE : cli_fail(&error, r.path);
    br_validation_free(&v);
    br_band_report_free(&bands);
    br_measured_destroy(m);
    free(r.data);
    return code;
}

const cli_verb cli_verb_validate = {
    .name = "validate",
    .summary =
        "measured motion beside the model's: errors of each recording and of all, what the bands cover",
    .help = "bristle validate SPEC|MODEL [DATA...] [options]\n\n"
            "The model starts at the first row of each recording and runs open loop to the last. A recording "
            "is a CSV file with\n"
            "a column t of the time and columns with the names of channels, units in brackets "
            "(hinge.position [deg]), or JSON\n"
            "with a list of rows, `entries`. A spec is a file that names the model, what the columns are, "
            "where the model\n"
            "starts, what is compared and its size (docs/guide/fit.md). Told is the mean distance of "
            "prediction and\n"
            "measurement over the rows; nothing is predicted beyond the last row.\n\n"
            "  --report [FILE.html] a page with both motions of a recording in one scene\n"
            "  --recording NAME     which recording the page shows; default: the first\n"
            "  --bands              a band around each prediction, made from how far the other recordings "
            "were from theirs, and\n"
            "                       how often it holds what was measured; from ten recordings on\n"
            "  --draws N            draws of the distributions of the model's params for bands (default 200; "
            "0: no bands),\n"
            "                       with --bands of the noise of the start as well (default 40)\n"
            "  --start WORD         where the model starts: first_row, model, or free_flight: all rows "
            "before the first touch\n"
            "  --set NAME=VALUE     changes a parameter or a key of the model; repeatable\n"
            "  --jobs N             recordings at a time; default: one on each processor\n"
            "  --quiet              no line for each recording\n"
            "  --json               a list on stdout: set, recording, quantity, measured, predicted (at the "
            "last row), error\n\n"
            "Exit codes: 0 fine, 1 usage, model or file, 2 a step failed.\n",
    .run = verb_validate,
};
