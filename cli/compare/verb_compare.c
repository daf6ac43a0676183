// bristle compare MODEL: friction laws side by side, held against exact Coulomb friction.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/results.h"
#include "output.h"
#include "page.h"
#include "progress.h"

enum { MAX_LAWS = 12, MAX_STEPS = 4 };
static const double MAX_SAMPLES = 2e6; // of one law; beyond, memory and patience end
static const int COULOMB_PART = 10;    // the paper's reference: a tenth of the step
static const double WHOLE = 1e-9;      // how near a ratio of steps is to a whole number

typedef struct compare_request {
    const char *path, *laws, *against, *steps, *csv, *series, *plots;
    int json, quiet, has_until, has_at, with_report;
    const char *report;
    double until, at;
    cli_overrides overrides;
} compare_request;

// ----------------------------------------------------------------------------------------------------- arguments

// "1ms", "0.5 ms", "100us", "1e-3". Prints what is wrong and returns 0.
static int parse_time(const char *option, const char *text, double *out) {
    static const struct {
        const char *unit;
        double scale;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
    char *end;
    const double x = strtod(text, &end);
    if (end != text && x > 0 && isfinite(x)) {
        end += strspn(end, " ");
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            if (strcmp(end, units[k].unit) != 0) continue;
            *out = x * units[k].scale;
            return 1;
        }
    }
    cli_usage_error("compare", "%s: '%s' is no time; expected a number above 0 with s, ms or us, such as 1ms",
                    option, text);
    return 0;
}

// The words between commas, in place. Prints what is wrong and returns 0.
static int compare_split(const char *option, char *text, const char **words, int most, int *count) {
    *count = 0;
    for (char *p = text;;) {
        char *end = p + strcspn(p, ","), *last = end;
        const int more = *end == ',';
        p += strspn(p, " ");
        while (last > p && last[-1] == ' ') last--;
        if (last <= p || *count == most) {
            cli_usage_error("compare", "%s: expected 1 to %d words with single commas between", option, most);
            return 0;
        }
        *last = '\0';
        words[(*count)++] = p;
        if (!more) return 1;
        p = end + 1;
    }
}

static int compare_parse_request(int argc, char **argv, compare_request *r) {
    const char *until = NULL, *at = NULL, *plain[1] = {NULL}, *set = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    if (!cli_take_overrides("compare", &argc, argv, &r->overrides)) return 0;
    if (!cli_take_report("compare", &argc, argv, &r->with_report, &r->report)) return 0;
    const cli_option options[] = {
        {"--laws", &r->laws, NULL},
        {"--against", &r->against, NULL},
        {"--steps", &r->steps, NULL},
        {"--until", &until, NULL},
        {"--at", &at, NULL},
        {"--csv", &r->csv, NULL},
        {"--series", &r->series, NULL},
        {"--plots", &r->plots, NULL},
        {"--json", NULL, &r->json},
        {"--quiet", NULL, &r->quiet},
        {"--set", &set, NULL}, // taken above; named for the nearest spelling
        {"--report", &set, NULL},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("compare", "expected a model file");
        return 0;
    }
    r->path = plain[0];
    r->has_until = until != NULL;
    r->has_at = at != NULL;
    if (!r->laws) r->laws = "bristle,cone,box,polygon:4";
    if (!r->against) r->against = "reference";
    if (until && !cli_parse_positive("compare", "--until", until, &r->until)) return 0;
    if (at && !cli_parse_positive("compare", "--at", at, &r->at)) return 0;
    const char *files[] = {r->csv, r->series, r->report};
    for (int k = 0; k < 3; k++)
        if (files[k] && cli_same_target(files[k], r->path)) {
            cli_usage_error("compare", "an output is the model file itself: '%s'", files[k]);
            return 0;
        }
    if (r->csv && r->series && cli_same_target(r->csv, r->series)) {
        cli_usage_error("compare", "--csv and --series are the same file: '%s'; give each its own", r->csv);
        return 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------ the cases

static void print_step(char *text, size_t size, double step) {
    snprintf(text, size, "%.4g ms", step * 1e3);
}

static compare_case *add_case(compare_job *j, const char *law, br_stepper stepper, double step,
                              int with_step) {
    char text[32];
    compare_case *c = &j->row[j->count++].c;
    snprintf(c->law, sizeof c->law, "%s", law);
    snprintf(c->label, sizeof c->label, "%s", law);
    c->stepper = stepper;
    c->step = step;
    if (!with_step) return c;
    print_step(text, sizeof text, step);
    snprintf(c->label, sizeof c->label, "%.24s, %s", law, text);
    return c;
}

// A sample is taken at every multiple of the largest step, so the others have to divide it.
static int check_steps(const compare_job *j) {
    for (int i = 0; i < j->count; i++) {
        const double parts = j->grid / j->row[i].c.step;
        if (j->row[i].c.stepper == BR_STEPPER_REFERENCE ||
            (parts > 1 - WHOLE && fabs(parts - round(parts)) <= WHOLE * parts))
            continue;
        cli_usage_error("compare", "a step of %g s does not divide the largest, %g s, into whole parts",
                        j->row[i].c.step, j->grid);
        return 0;
    }
    return 1;
}

// LAW@STEP or reference. Prints what is wrong and returns 0.
static int add_against(compare_job *j, char *text, double step) {
    if (strcmp(text, "reference") == 0) {
        j->reference = j->count;
        snprintf(add_case(j, "reference", BR_STEPPER_REFERENCE, step, 0)->label, COMPARE_MAX_LABEL,
                 "reference stepper");
        return 1;
    }
    char *at = strrchr(text, '@');
    double own;
    if (!at || at == text) {
        cli_usage_error("compare", "--against is '%s', expected reference or LAW@STEP, such as cone@0.1ms",
                        text);
        return 0;
    }
    *at = '\0';
    if (!parse_time("--against", at + 1, &own)) return 0;
    j->reference = j->coulomb; // the cone at a tenth is there already
    if (strcmp(text, "cone") == 0 && fabs(own - j->row[j->coulomb].c.step) <= WHOLE * own) return 1;
    j->reference = j->count;
    add_case(j, text, BR_STEPPER_CONTACT, own, 1);
    return 1;
}

static int list_cases(const compare_request *r, compare_job *j, char *laws, char *against, char *steps) {
    const char *law[MAX_LAWS], *word[MAX_STEPS];
    double step[MAX_STEPS] = {br_model_settings(j->source.model)->solver.step};
    int law_count, step_count = 1;
    if (!compare_split("--laws", laws, law, MAX_LAWS, &law_count)) return 0;
    if (r->steps && !compare_split("--steps", steps, word, MAX_STEPS, &step_count)) return 0;
    for (int k = 0; r->steps && k < step_count; k++)
        if (!parse_time("--steps", word[k], &step[k])) return 0;
    for (int k = 0; k < step_count; k++) j->grid = fmax(j->grid, step[k]);
    if (law_count * step_count + 2 > COMPARE_MAX_CASES) {
        cli_usage_error("compare", "%d laws at %d steps: at most %d together", law_count, step_count,
                        COMPARE_MAX_CASES - 2);
        return 0;
    }
    for (int i = 0; i < law_count; i++)
        for (int k = 0; k < step_count; k++) add_case(j, law[i], BR_STEPPER_CONTACT, step[k], step_count > 1);
    j->coulomb = j->count;
    compare_case *c = add_case(j, "cone", BR_STEPPER_CONTACT, j->grid / COULOMB_PART, 1);
    snprintf(c->law, sizeof c->law, "coulomb"); // a row of its own for whoever looks rows up by law
    return add_against(j, against, step[0]) && check_steps(j);
}

// The row of the paper's reference is the cone.
compare_case compare_runnable(const compare_case *c) {
    compare_case r = *c;
    if (strcmp(r.law, "coulomb") == 0) snprintf(r.law, sizeof r.law, "cone");
    return r;
}

// Every law is judged before the first one runs.
static br_status check_laws(const compare_job *j, br_error *error) {
    for (int i = 0; i < j->count; i++) {
        const compare_case c = compare_runnable(&j->row[i].c);
        br_model *model = NULL;
        if (c.stepper == BR_STEPPER_REFERENCE) continue;
        const br_status status = compare_variant(&j->source, &c, &model, error);
        br_model_destroy(model);
        if (status != BR_OK) {
            error->line = error->column = 0; // a law of the command line, not of the file
            return status;
        }
    }
    return BR_OK;
}

// -------------------------------------------------------------------------------------------------------- running

static void show(void *context, double t, double until, long steps) {
    cli_progress_show(context, t, until, steps);
}

static br_status run_row(const compare_request *r, compare_job *j, int i, br_error *error) {
    cli_progress progress = cli_progress_begin(!r->quiet);
    const compare_case c = compare_runnable(&j->row[i].c);
    const br_status status = compare_run(&j->source, &c, j->until, j->grid, progress.on ? show : NULL,
                                         &progress, &j->row[i].trace, error);
    cli_progress_end(&progress);
    return status;
}

// The reference stepper is for models of a few contacts. What it refuses, or does not reach the end of, is compared with
// the cone law at a tenth of the step, and the reader is told.
static br_status run_reference(const compare_request *r, compare_job *j, br_error *error) {
    compare_row *row = &j->row[j->reference];
    br_status status = run_row(r, j, j->reference, error);
    if (row->c.stepper != BR_STEPPER_REFERENCE) return status;
    const br_error *why = status != BR_OK ? error : row->trace.status != BR_OK ? &row->trace.error : NULL;
    if (!why || why->status == BR_NO_MEMORY) return status;
    snprintf(j->note, sizeof j->note, "the reference stepper does not run this: %s; compared with %s instead",
             why->message, j->row[j->coulomb].c.label);
    compare_trace_free(&row->trace);
    j->count--;
    j->reference = j->coulomb;
    return BR_OK;
}

static br_status run_all(const compare_request *r, compare_job *j, br_error *error) {
    br_status status = run_reference(r, j, error);
    for (int i = 0; i < j->count && status == BR_OK; i++)
        if (i != j->reference || !j->row[i].trace.sample) status = run_row(r, j, i, error);
    if (status != BR_OK) return status;
    const compare_trace *ref = &j->row[j->reference].trace, *coulomb = &j->row[j->coulomb].trace;
    j->at = r->has_at ? r->at : isnan(ref->stop) ? j->until : ref->stop;
    for (int i = 0; i < j->count; i++) {
        j->row[i].m = compare_measure(&j->row[i].trace, ref, j->at);
        j->row[i].coulomb = compare_measure(&j->row[i].trace, coulomb, j->at);
    }
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------------- output

static int write_file(const char *path, int (*write)(FILE *, const compare_job *), const compare_job *j) {
    cli_output out;
    errno = 0;
    const int done = cli_output_open(&out, path) && cli_output_close(&out, write(out.file, j));
    if (!done) cli_usage_error("compare", "%s cannot be written: %s", path, strerror(errno));
    return done;
}

// The page that was asked for, or NAME.compare.html in this folder, wherever the model's name would lead.
static void page_name(const compare_request *r, const compare_job *j, char path[CLI_MAX_PATH]) {
    snprintf(path, CLI_MAX_PATH, "%s%s", r->report ? r->report : br_model_name(j->source.model),
             r->report ? "" : ".compare.html");
    if (r->report) return;
    for (char *p = path; *p; p++)
        if (*p == '/' || (unsigned char)*p < 0x20 || (p == path && (*p == '.' || *p == '-'))) *p = '_';
}

static int report(const compare_request *r, const compare_job *j) {
    char page[CLI_MAX_PATH] = "";
    br_error error = {0};
    if (r->with_report) {
        page_name(r, j, page);
        if (compare_page(j, page, &error) != BR_OK) return cli_fail(&error, r->path);
    }
    if (r->csv && !write_file(r->csv, compare_report_csv, j)) return EXIT_USAGE;
    if (r->series && !write_file(r->series, compare_report_series, j)) return EXIT_USAGE;
    if (r->plots && !compare_plots(j, r->plots)) return EXIT_USAGE;
    if (r->json)
        compare_report_json(stdout, j);
    else if (!r->quiet)
        compare_report_text(stdout, j);
    if (!r->json && !r->quiet) {
        if (r->csv) printf("csv         %s\n", r->csv);
        if (r->series) printf("series      %s\n", r->series);
        for (int k = 0; r->plots && k < 4; k++)
            printf("%-11s %s/%s.svg\n", k ? "" : "plots", r->plots, compare_plot_names[k]);
        if (r->with_report) printf("report      %s\n", page);
        if (!r->plots && !r->with_report)
            cli_print_next_set(stdout, "next        ", "compare", j->path, " --report");
    }
    for (int i = 0; i < j->count; i++)
        if (j->row[i].trace.status != BR_OK) return EXIT_NUMERICAL;
    return EXIT_FINE;
}

// ------------------------------------------------------------------------------------------------ nothing to compare

// Two shapes that one body carries never touch each other.
static int can_touch(const br_model *model) {
    for (int k = 1; k < br_model_shape_count(model); k++)
        if (br_model_shape_body(model, k) != br_model_shape_body(model, 0)) return 1;
    return 0;
}

static int has_touched(const compare_job *j) {
    for (int i = 0; i < j->count; i++)
        if (j->row[i].trace.pair_count > 0) return 1;
    return 0;
}

static const char *joint_that_rubs(const br_model *model) {
    for (int k = 0; k < br_model_joint_count(model); k++)
        if (br_model_joint_friction(model, k)) return br_model_joint_name(model, k);
    return NULL;
}

// The laws are those of contacts: without any, all rows would be the same. Laws of joints are compared by results.
static int nothing_touches(const compare_request *r, const compare_job *j) {
    const char *joint = joint_that_rubs(j->source.model);
    char next[CLI_MAX_PATH + 3 * BR_MAX_NAME] = "bristle run";
    if (!joint) {
        cli_usage_error("compare", "nothing touches in '%s', so that the laws of contacts make no difference",
                        r->path);
        return EXIT_USAGE;
    }
    cli_put_word(next + strlen(next), CLI_MAX_PATH, r->path);
    snprintf(next + strlen(next), sizeof next - strlen(next),
             " --set joints.%.*s.friction.law=lugre -o lugre.result", BR_MAX_NAME, joint);
    cli_usage_error_next("compare", NULL, next,
                         "nothing touches in '%s', so that the laws of contacts make no difference; for the "
                         "laws of joints, run it "
                         "once for each with --set joints.%.*s.friction.law=LAW -o LAW.result, then bristle "
                         "compare A.result B.result",
                         r->path, BR_MAX_NAME, joint);
    return EXIT_USAGE;
}

static int compare(const compare_request *r, compare_job *j) {
    br_error error;
    memset(&error, 0, sizeof error);
    br_status status = r->with_report ? cli_page_check(NULL, &error) : BR_OK;
    if (status == BR_OK) status = compare_open(r->path, &r->overrides, &j->source, &error);
    if (status != BR_OK) return cli_fail(&error, r->path);
    if (!can_touch(j->source.model) && !r->steps) return nothing_touches(r, j);
    j->until = r->has_until ? r->until : br_model_settings(j->source.model)->until;
    char *laws = strdup(r->laws), *against = strdup(r->against), *steps = strdup(r->steps ? r->steps : "");
    const int listed = laws && against && steps && list_cases(r, j, laws, against, steps);
    free(laws);
    free(against);
    free(steps);
    if (!listed) return EXIT_USAGE;
    if (!(j->until / j->grid <= MAX_SAMPLES)) {
        cli_usage_error("compare", "%g s in steps of %g s: more than %g samples", j->until, j->grid,
                        MAX_SAMPLES);
        return EXIT_USAGE;
    }
    status = check_laws(j, &error);
    if (status == BR_OK) status = run_all(r, j, &error);
    if (status == BR_OK && !r->steps && !has_touched(j)) return nothing_touches(r, j);
    return status == BR_OK ? report(r, j) : cli_fail(&error, r->path);
}

static int verb_compare(int argc, char **argv) {
    if (compare_is_of_results(argc, argv)) return compare_results(argc, argv);
    compare_request r;
    if (!compare_parse_request(argc, argv, &r)) return EXIT_USAGE;
    compare_job *j = calloc(1, sizeof *j);
    if (!j) {
        cli_usage_error("compare", "not enough memory");
        return EXIT_USAGE;
    }
    j->path = r.path;
    const int code = compare(&r, j);
    for (int i = 0; i < j->count; i++) compare_trace_free(&j->row[i].trace);
    compare_close(&j->source);
    free(j);
    return code;
}

const cli_verb cli_verb_compare = {
    .name = "compare",
    .summary = "friction laws side by side, against exact Coulomb friction; or results side by side",
    .help =
        "bristle compare MODEL [options]\n"
        "bristle compare RESULT RESULT... [--channels A,B,...] [--all] [--csv FILE] [--json]\n\n"
        "Runs the model under several friction laws and says how far each is from exact Coulomb friction: "
        "the\n"
        "friction force (RMS of the difference of |f_t|/(mu f_n), percentage points), the angle between "
        "friction and\n"
        "slip (RMS, while sliding faster than 1e-3 m/s), positions (of the distance from the start, at the "
        "time --at\n"
        "and largest), energy (largest), slip while stuck, when sliding ends, and the time a step takes. A "
        "row of its\n"
        "own is the cone law at a tenth of the step, which papers use as ideal Coulomb friction.\n\n"
        "Results are compared with the first of them: of every channel that both have, the largest and the "
        "RMS "
        "difference\n"
        "over the times of the first, on straight lines between rows of the other, and the events. * in "
        "--channels stands for\n"
        "any part of a name. RESULT is a log, an HDF5 file of bristle export, or a table with a column t.\n\n"
        "  --laws A,B,...       of contact.law, an argument behind a colon; default "
        "bristle,cone,box,polygon:4\n"
        "  --against WHAT       reference (default: the event-locating stepper) or LAW@STEP, such as "
        "cone@0.1ms\n"
        "  --steps A,B,...      step sizes, such as 1ms,0.5ms; default: the model's\n"
        "  --until T            ends at T seconds instead of the model's end\n"
        "  --at T               time of the position error, s; default: when sliding ends under the "
        "reference\n"
        "  --set NAME=VALUE     changes a parameter or a key of the model; repeatable\n"
        "  --csv FILE           the table\n"
        "  --series FILE        the curves: force ratio, position error, energy error, misalignment over "
        "time\n"
        "  --plots FOLDER       the same as SVG figures: force, position_error, energy_error, misalignment\n"
        "  --report [FILE.html] a page for a browser with every law's run laid over the others; default "
        "NAME.compare.html\n"
        "  --json               a JSON list of rows on stdout instead of the text, also for an error\n"
        "  --quiet              no text and no progress\n\n"
        "Exit codes: 0 every law reached the end, 1 usage, model or file, 2 a step failed.\n",
    .run = verb_compare,
};
