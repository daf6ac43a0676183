// bristle fit SPEC|MODEL DATA... --for A,B: parameters from measured motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/report.h"
#include "output.h"
#include "page.h"

typedef struct fit_request {
    const char *path;
    const char **data;
    int data_count;
    cli_overrides overrides;
    br_fit_options options;
    const char **name;
    char *names;
    const char *start, *output, *next;
    int json, laws, write, bands, report;
    const char *page;
} fit_request;

static int take_names(fit_request *r, const char *text) {
    int depth = 0;
    r->names = malloc(strlen(text) + 1);
    r->name = calloc(strlen(text) + 1, sizeof *r->name);
    if (!r->names || !r->name) return 0;
    strcpy(r->names, text);
    r->name[r->options.count++] = r->names;
    for (char *c = r->names; *c; c++) { // a comma within brackets is part of a name
        depth += (*c == '(') - (*c == ')');
        if (*c != ',' || depth > 0) continue;
        *c = '\0';
        r->name[r->options.count++] = c + 1;
    }
    for (int k = 0; k < r->options.count; k++)
        if (!*r->name[k]) {
            cli_usage_error(
                "fit", "--for %s: expected names with a comma between them, such as --for mu,restitution",
                text);
            return 0;
        }
    r->options.name = r->name;
    return 1;
}

static int fit_parse(int argc, char **argv, fit_request *r) {
    const char *jobs = NULL, *names = NULL, *starts = NULL, *evaluations = NULL, *set = NULL;
    int count = 0;
    r->options = br_default_fit_options();
    r->data = calloc((size_t)argc + 1, sizeof *r->data);
    if (!r->data || !cli_take_overrides("fit", &argc, argv, &r->overrides) ||
        !cli_take_report("fit", &argc, argv, &r->report, &r->page))
        return 0;
    const cli_option options[] = {
        {"--for", &names, NULL},
        {"--jobs", &jobs, NULL},
        {"--starts", &starts, NULL},
        {"--start", &r->start, NULL},
        {"--set", &set, NULL},
        {"--output|-o", &r->output, &r->write},
        {"--next", &r->next, NULL},
        {"--laws", NULL, &r->laws},
        {"--evaluations", &evaluations, NULL},
        {"--bands", NULL, &r->bands},
        {"--quick", NULL, &r->options.quick},
        {"--json", NULL, &r->json},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), r->data, argc, &count))
        return 0;
    if (count == 0) {
        cli_usage_error("fit", "expected a spec or a model, and the files of recordings");
        return 0;
    }
    r->path = r->data[0];
    r->data_count = count - 1;
    if (names && !take_names(r, names)) return 0;
    if (starts && !cli_parse_whole("fit", "--starts", starts, 0, 1000, &r->options.starts)) return 0;
    if (evaluations &&
        !cli_parse_whole("fit", "--evaluations", evaluations, 10, 10000000, &r->options.evaluations))
        return 0;
    if (r->output && (cli_same_target(r->output, r->path))) {
        cli_usage_error("fit", "-o would overwrite '%s'; name another file", r->path);
        return 0;
    }
    return fit_threads("fit", jobs, &r->options.threads);
}

// ------------------------------------------------------------------------------------------------------------- text

static void put_part(FILE *out, double error, double size, const char *unit) {
    if (isfinite(size))
        fprintf(out, "%.2f %% of the size", 100 * error / size);
    else
        fit_put_number(out, error, unit);
}

// Digits with which the ends of a narrow interval differ from the estimate in two places.
static int digits_of(const br_fit_estimate *e) {
    const double width = e->high - e->low, size = fmax(fabs(e->low), fabs(e->high));
    if (!isfinite(width) || !(width > 0) || !(size > 0)) return 4;
    const int digits = 3 + (int)ceil(log10(size / width));
    return digits < 4 ? 4 : digits > 15 ? 15 : digits;
}

static void print_estimate(const br_fit_estimate *e) {
    const int digits = digits_of(e), has_unit = *e->unit && strcmp(e->unit, "1") != 0;
    printf("  %-24s %.*g%s%s", e->name, digits, e->value, has_unit ? " " : "", has_unit ? e->unit : "");
    if (isfinite(e->low) && e->low < e->high)
        printf("   90 %% from %s%.*g to %s%.*g", e->open & 1 ? "the bound " : "", digits, e->low,
               e->open & 2 ? "the bound " : "", digits, e->high);
    if (isfinite(e->start)) printf("   (was %.4g)", e->start);
    putchar('\n');
}

static void print_correlations(const br_fit_report *f) {
    int n = 0;
    for (int i = 0; i < f->estimates; i++)
        for (int k = 0; k < i; k++) {
            const double c = f->correlation[i * f->estimates + k];
            if (!isfinite(c)) continue;
            printf("%s%s and %s %.2f", n++ ? ", " : "correlated  ", f->estimate[k].name, f->estimate[i].name,
                   c);
        }
    if (n > 0) putchar('\n');
}

// Beyond this correlation of neighbouring rows what is left is hardly noise.
static const double ALIKE = 0.6;

static void print_left_over(const br_measured *m, const br_fit_report *f) {
    const double r = f->row_correlation;
    if (!(r > ALIKE)) return;
    printf("left over   neighbouring rows are off alike (correlation %.2f), which is no noise of a sensor: "
           "the model leaves "
           "something out, or the start is off",
           r);
    if (strcmp(f->interval, "none") != 0 && br_measured_count(m) < 5)
        printf("; the intervals count one row of %.0f", (1 + r) / (1 - r));
    putchar('\n');
}

static void print_report(const br_measured *m, const br_fit_report *f) {
    printf("fit         %s", br_fit_outcome_name(f->outcome));
    if (f->outcome == BR_FIT_CONVERGED && f->starts > 0)
        printf(", %d of the %d best starts ended near there", f->agree, f->starts);
    printf("; %ld evaluations of %d recording%s\n", f->evaluations, br_measured_count(m),
           br_measured_count(m) == 1 ? "" : "s");
    if (*f->why) printf("why         %s\n", f->why);
    for (int k = 0; k < f->estimates; k++) print_estimate(&f->estimate[k]);
    if (strcmp(f->interval, "none") != 0)
        printf("intervals   90 %%, by %s\n", f->interval);
    else if (f->estimates > 0 && f->estimate[0].low == f->estimate[0].high)
        printf(
            "intervals   none: the fit goes through every row but for rounding, so the data have no noise\n");
    print_left_over(m, f);
    print_correlations(f);
    for (int k = 0; k < f->directions; k++) printf("not told    %s\n", f->direction[k].text);
    printf("error       %s: ", f->quantity);
    put_part(stdout, f->error, f->size, f->unit);
    fputs(" with the fit", stdout);
    if (isfinite(f->held_out_error)) {
        fputs(", held out ", stdout);
        put_part(stdout, f->held_out_error, f->size, f->unit);
        fputs(" (each recording predicted by a fit of others)", stdout);
    } else {
        fputs(br_measured_count(m) > 1 ? "; none was held out" : "; a single recording, so none was held out",
              stdout);
    }
    putchar('\n');
}

static void print_law(const br_fit_law *l, int best) {
    printf("  %-24s ", l->name);
    if (l->error.status != BR_OK) {
        printf("not fitted: %s\n", l->error.message);
        return;
    }
    fputs("held-out error ", stdout);
    put_part(stdout, l->fit.held_out_error, l->fit.size, l->fit.unit);
    fputs(", within ", stdout);
    put_part(stdout, l->fit.error, l->fit.size, l->fit.unit);
    printf("  %s%s\n", br_fit_outcome_name(l->fit.outcome), best ? "   <- the least" : "");
    for (int k = 0; k < l->fit.estimates; k++) {
        fputs("    ", stdout);
        print_estimate(&l->fit.estimate[k]);
    }
    for (int k = 0; k < l->fit.directions; k++) printf("    not told    %s\n", l->fit.direction[k].text);
}

// ------------------------------------------------------------------------------------------------------------- JSON

static void json_report(br_json *json, const br_fit_report *f) {
    br_json_string(json, "outcome", br_fit_outcome_name(f->outcome));
    br_json_string(json, "why", *f->why ? f->why : NULL);
    br_json estimates = br_json_object(json, "estimates");
    for (int k = 0; k < f->estimates; k++) {
        const br_fit_estimate *e = &f->estimate[k];
        br_json o = br_json_object(&estimates, e->name);
        br_json_number(&o, "value", e->value);
        br_json_number(&o, "low", e->low);
        br_json_number(&o, "high", e->high);
        br_json_string(&o, "unit", e->unit);
        br_json_number(&o, "start", e->start);
        br_json_number(&o, "from", e->from);
        br_json_number(&o, "to", e->to);
        br_json_bool(&o, "open_below", e->open & 1);
        br_json_bool(&o, "open_above", e->open >> 1 & 1);
        br_json_close_object(&o);
    }
    br_json_close_object(&estimates);
    br_json_string(json, "interval", f->interval);
    br_json rows = br_json_list(json, "correlations");
    for (int k = 0; k < f->estimates; k++)
        br_json_numbers(&rows, NULL, f->correlation + k * f->estimates, f->estimates);
    br_json_close_list(&rows);
    br_json list = br_json_list(json, "unidentifiable");
    for (int k = 0; k < f->directions; k++) {
        br_json o = br_json_object(&list, NULL);
        br_json direction = br_json_object(&o, "direction");
        for (int i = 0; i < f->estimates; i++)
            if (f->direction[k].part[i] != 0)
                br_json_number(&direction, f->estimate[i].name, f->direction[k].part[i]);
        br_json_close_object(&direction);
        br_json_number(&o, "change", f->direction[k].change);
        br_json_string(&o, "text", f->direction[k].text);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    br_json_string(json, "quantity", f->quantity);
    br_json_string(json, "quantity_unit", f->unit);
    br_json_number(json, "error", f->error);
    br_json_number(json, "held_out_error", f->held_out_error);
    br_json_number(json, "relative_error", f->error / f->size);
    br_json_number(json, "relative_held_out_error", f->held_out_error / f->size);
    br_json_number(json, "misfit", f->misfit);
    br_json_number(json, "misfit_before", f->misfit_before);
    br_json_number(json, "row_correlation", f->row_correlation);
    br_json_whole(json, "evaluations", f->evaluations);
    br_json_whole(json, "starts", f->starts);
    br_json_whole(json, "starts_that_agree", f->agree);
}

// ------------------------------------------------------------------------------------------------------------- verb

typedef struct fit_job_done {
    br_fit_report fit;
    br_fit_law *law;
    int laws, best; // -1: none was fitted
    br_fit_next *next;
    int nexts;
    char wished[BR_MAX_FIT_NAME];
    br_band_report bands;
    br_fit_series_report series;
    char page[CLI_MAX_PATH];
} fit_job_done;

static br_status fit_laws(const fit_request *r, const br_measured *m, fit_job_done *d, br_error *error) {
    const int n = br_measured_law_count(m);
    if (n == 0)
        return cli_error(
            error, BR_INVALID, "fit-options", r->path, 0,
            "the spec has no laws to choose from, such as laws: {coulomb: {set: {...}, for: [mu]}}");
    d->law = calloc((size_t)n, sizeof *d->law);
    if (!d->law) return cli_no_memory(error, "no memory for laws");
    d->best = -1;
    for (; d->laws < n; d->laws++) {
        const br_status status = br_fit_law_of(m, d->laws, &r->options, NULL, &d->law[d->laws], error);
        if (status != BR_OK) return status;
        const br_fit_law *l = &d->law[d->laws];
        if (l->error.status == BR_OK && isfinite(l->fit.held_out_error) &&
            (d->best < 0 || l->fit.held_out_error < d->law[d->best].fit.held_out_error))
            d->best = d->laws;
    }
    return BR_OK;
}

// The parameter that is wished, or the one with the widest interval.
static const char *wished_name(const fit_request *r, const br_fit_report *f) {
    double widest = -1;
    const char *name = "";
    if (r->next) return r->next;
    for (int k = 0; k < f->estimates; k++) {
        const br_fit_estimate *e = &f->estimate[k];
        const double width = e->open ? INFINITY : isfinite(e->low) ? (e->high - e->low) / fabs(e->value) : 0;
        if (strchr(e->name, '(') || !(width > widest)) continue;
        widest = width, name = e->name;
    }
    return name;
}

static br_status fit_next_experiment(const fit_request *r, const br_measured *m, fit_job_done *d,
                                     br_error *error) {
    const int n = br_measured_experiment_count(m);
    if (n == 0 && !r->next) return BR_OK;
    if (n == 0)
        return cli_error(error, BR_INVALID, "fit-options", r->path, 0,
                         "the spec has no experiments to choose from, such as experiments: {heavier: {set: "
                         "{mass: 2 kg}}}");
    d->next = calloc((size_t)n, sizeof *d->next);
    if (!d->next) return cli_no_memory(error, "no memory for experiments");
    snprintf(d->wished, sizeof d->wished, "%s", wished_name(r, &d->fit));
    const br_status status = br_fit_experiments(m, &r->options, &d->fit, d->wished, d->next, error);
    if (status == BR_OK) d->nexts = n;
    return status;
}

static br_status write_model(const fit_request *r, const br_measured *m, const fit_job_done *d,
                             br_error *error) {
    char *text = NULL;
    cli_output out;
    const br_status status = br_fit_model_text(m, &d->fit, &text, error);
    if (status != BR_OK) return status;
    int good = cli_output_open(&out, r->output);
    if (good) {
        fputs(text, out.file);
        good = cli_output_close(&out, 1);
    }
    br_text_free(text);
    return good ? BR_OK : cli_unwritable(error, r->output);
}

static void fit_text(const fit_request *r, const br_measured *m, const fit_job_done *d) {
    printf("model       %s\n", br_measured_model_path(m));
    fit_print_notes(stdout, m);
    if (!r->laws) print_report(m, &d->fit);
    fit_print_bands(stdout, &d->bands);
    if (r->laws) puts("laws        each fitted, then judged by recordings that its fit did not see");
    for (int k = 0; k < d->laws; k++) print_law(&d->law[k], k == d->best);
    if (r->laws && d->best >= 0)
        printf("law         %s has the least held-out error\n", d->law[d->best].name);
    for (int k = 0; k < d->nexts; k++)
        printf("%s%s\n", k == 0 ? "next        " : "            ", d->next[k].text);
    if (r->output) printf("written     %s\n", r->output);
    if (r->report) printf("page        %s\n", d->page);
}

static void fit_json(const fit_request *r, const br_measured *m, const fit_job_done *d) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "model", br_measured_model_path(m));
    br_json_string(&json, "set", br_measured_set(m));
    br_json_whole(&json, "recordings", br_measured_count(m));
    br_json_lines(&json, "notes", br_measured_notes(m));
    if (!r->laws) json_report(&json, &d->fit);
    if (d->bands.totals == 0) {
        br_json_null(&json, "bands");
    } else {
        br_json bands = br_json_list(&json, "bands");
        for (int k = 0; k < d->bands.totals; k++) fit_json_band(&bands, NULL, &d->bands.total[k], &d->bands);
        br_json_close_list(&bands);
    }
    br_json_string(&json, "law", d->best >= 0 && d->laws > 0 ? d->law[d->best].name : NULL);
    br_json list = br_json_list(&json, "laws");
    for (int k = 0; k < d->laws; k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", d->law[k].name);
        br_json_string(&o, "failed", d->law[k].error.status == BR_OK ? NULL : d->law[k].error.message);
        if (d->law[k].error.status == BR_OK) json_report(&o, &d->law[k].fit);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    if (d->nexts == 0) {
        br_json_null(&json, "next");
    } else {
        br_json next = br_json_object(&json, "next");
        br_json_string(&next, "experiment", d->next[0].name);
        br_json_string(&next, "text", d->next[0].text);
        br_json_string(&next, "for", d->wished);
        br_json all = br_json_list(&next, "all");
        for (int k = 0; k < d->nexts; k++) {
            br_json o = br_json_object(&all, NULL);
            br_json_string(&o, "experiment", d->next[k].name);
            br_json_number(&o, "before", d->next[k].before);
            br_json_number(&o, "after", d->next[k].after);
            br_json_close_object(&o);
        }
        br_json_close_list(&all);
        br_json_close_object(&next);
    }
    br_json_end(&json);
}

static br_status write_fit_page(const fit_request *r, const br_measured *m, fit_job_done *d,
                                br_error *error) {
    const fit_page page = {m, &d->fit, &d->series, &d->bands, d->law, d->laws, d->next, d->nexts, d->wished};
    br_status status = BR_OK;
    if (!r->report) return BR_OK;
    if (!r->laws) status = br_fit_series_of(m, &r->options, &d->fit, NULL, &d->series, error);
    if (r->page)
        snprintf(d->page, sizeof d->page, "%s", r->page);
    else
        snprintf(d->page, sizeof d->page, "%.500s.fit.html", br_measured_set(m));
    return status == BR_OK ? fit_write_page(&page, d->page, error) : status;
}

static br_status fit_all(fit_request *r, br_measured **m, fit_job_done *d, br_error *error) {
    br_measured_def def = br_default_measured_def();
    def.path = r->path, def.data = r->data + 1, def.data_count = r->data_count, def.start = r->start;
    def.override = r->overrides.item, def.override_count = r->overrides.count;
    br_status status = br_measured_read(&def, NULL, m, error);
    if (status != BR_OK) return status;
    const int wished = br_measured_wished_count(*m);
    if (r->options.count == 0 && wished > 0) {
        r->name = calloc((size_t)wished, sizeof *r->name);
        if (!r->name) return cli_no_memory(error, "no memory for names");
        for (int k = 0; k < wished; k++) r->name[k] = br_measured_wished(*m, k);
        r->options.name = r->name, r->options.count = wished;
    }
    if (r->laws) {
        status = fit_laws(r, *m, d, error);
        return status == BR_OK ? write_fit_page(r, *m, d, error) : status;
    }
    status = br_fit(*m, &r->options, NULL, &d->fit, error);
    if (status == BR_OK) status = fit_next_experiment(r, *m, d, error);
    if (status == BR_OK && r->bands) {
        br_band_options how = br_default_band_options();
        how.threads = r->options.threads, how.fit = &d->fit;
        status = br_measured_bands(*m, &how, NULL, &d->bands, error);
    }
    if (status == BR_OK && r->output) status = write_model(r, *m, d, error);
    return status == BR_OK ? write_fit_page(r, *m, d, error) : status;
}

static int verb_fit(int argc, char **argv) {
    fit_request r;
    fit_job_done d;
    br_error error;
    br_measured *m = NULL;
    memset(&r, 0, sizeof r), memset(&d, 0, sizeof d), memset(&error, 0, sizeof error);
    d.best = -1;
    int code = EXIT_USAGE;
    if (fit_parse(argc, argv, &r)) {
        code = fit_all(&r, &m, &d, &error) == BR_OK ? EXIT_FINE : cli_fail(&error, r.path);
        if (code == EXIT_FINE) (r.json ? fit_json : fit_text)(&r, m, &d);
        if (code == EXIT_FINE && !r.laws && d.fit.outcome != BR_FIT_CONVERGED) code = EXIT_NUMERICAL;
    }
    for (int k = 0; k < d.laws; k++) br_fit_report_free(&d.law[k].fit);
    br_fit_report_free(&d.fit);
    br_band_report_free(&d.bands), br_fit_series_free(&d.series);
    br_measured_destroy(m);
    free(d.law), free(d.next);
    free(r.data), free(r.name), free(r.names);
    return code;
}

const cli_verb cli_verb_fit = {
    .name = "fit",
    .summary = "parameters from measured motion: estimates, intervals, what the data cannot tell",
    .help = "bristle fit SPEC|MODEL [DATA...] --for A,B [options]\n\n"
            "Finds the parameters with which the model predicts the recordings best, in least squares, "
            "within their bounds. A\n"
            "parameter of the model has its bounds there, mu: {value: 0.3, from: 0.05, to: 1}; without any "
            "they are a tenth and\n"
            "ten times its value. Told are estimates with 90 % intervals (by profile likelihood, of five "
            "recordings or more by\n"
            "drawing whole recordings again), correlations, what the data cannot tell, and the error on "
            "recordings that the\n"
            "fit did not see. Recordings and specs: `bristle validate --help` and docs/guide/fit.md.\n\n"
            "  --for A,B            names of the model's params, dotted paths of numbers, or "
            "noise(QUANTITY), delay(COLUMN),\n"
            "                       gain(COLUMN), bias(COLUMN), start(CHANNEL); default: fit: {for: [...]} "
            "of the spec\n"
            "  -o, --output FILE    the model with the estimates in place\n"
            "  --report [FILE.html] a page: estimates, profiles, what the data cannot tell, the fit beside "
            "the data, residuals, laws,\n"
            "                       the next experiment\n"
            "  --start WORD         where the model starts: first_row, model, or free_flight: all rows "
            "before the first touch\n"
            "  --laws               fits each of the spec's laws, and compares their errors on recordings "
            "they did not see\n"
            "  --next NAME          of the spec's experiments: which narrows the interval of NAME most; "
            "default: the widest\n"
            "  --bands              a band around the prediction of each recording, made with what the "
            "others say, and how often it\n"
            "                       holds what was measured; from ten recordings on\n"
            "  --starts N           places within the bounds from which it starts besides the model's own "
            "(default 15)\n"
            "  --evaluations N      of all recordings, at most (default 10000)\n"
            "  --quick              estimates without intervals\n"
            "  --set NAME=VALUE     changes a parameter or a key of the model; repeatable\n"
            "  --jobs N             recordings at a time; default: one on each processor\n"
            "  --json               one JSON object on stdout\n\n"
            "Exit codes: 0 fine, 1 usage, model or file, 2 did not converge, or a step failed.\n",
    .run = verb_fit,
};
