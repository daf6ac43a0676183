#include "compare/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "output.h"
#include "page.h"

enum { MAX_RESULTS = 16, MAX_PATTERNS = 256, SHOWN = 20 };

typedef struct results_request {
    const char *path[MAX_RESULTS];
    int count;
    const char *csv;
    int json, all;
    const char *pattern[MAX_PATTERNS];
    int pattern_count;
    char *patterns;
} results_request;

// ----------------------------------------------------------------------------------------------------- arguments

// By its first bytes; a file that is not there is judged by its name, so that the message is about results.
static int is_result(const char *path) {
    if (access(path, R_OK) == 0)
        return br_result_look(path) != BR_SOURCE_NONE; // a pipe is not opened: it would wait
    return cli_has_ending(path, ".result") || cli_has_ending(path, ".h5") || cli_has_ending(path, ".hdf5");
}

int compare_is_of_results(int argc, char **argv) {
    static const char *const with_value[] = {"--laws", "--against", "--steps", "--until",    "--at",
                                             "--csv",  "--series",  "--plots", "--channels", "--set"};
    int only_plain = 0;
    for (int k = 1; k < argc; k++) {
        if (!only_plain && strcmp(argv[k], "--") == 0) {
            only_plain = 1;
            continue;
        }
        if (only_plain || argv[k][0] != '-') {
            if (is_result(argv[k])) return 1;
            continue;
        }
        for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
            if (strcmp(argv[k], with_value[i]) == 0) {
                k++;
                break;
            }
    }
    return 0;
}

static int check_files(const results_request *r) {
    for (int k = 0; k < r->count; k++)
        if (!is_result(r->path[k])) {
            cli_usage_error(
                "compare",
                "'%s' is not a result, and '%s' is one; give one model to compare friction laws, or two "
                "and more results to compare them with the first",
                r->path[k], r->path[k == 0]);
            return 0;
        }
    for (int k = 0; k < r->count; k++)
        if (r->csv && cli_same_target(r->csv, r->path[k])) {
            cli_usage_error("compare", "--csv is one of the results: '%s'; give another name", r->csv);
            return 0;
        }
    return 1;
}

// Results side by side on a page are what report makes: the command for these.
static void refuse_page(int argc, char **argv, const char *page) {
    char next[2048] = "bristle report";
    size_t used = strlen(next);
    for (int k = 1; k < argc && argv[k][0] != '-' && used + strlen(argv[k]) + 2 < sizeof next; k++)
        used += (size_t)snprintf(next + used, sizeof next - used, " %s", argv[k]);
    if (page && used + strlen(page) + 5 < sizeof next)
        snprintf(next + used, sizeof next - used, " -o %s", page);
    cli_usage_error_next(
        "compare", NULL, next,
        "--report is for a model under several laws; results share a page by bristle report");
}

static int compare_results_parse_request(int argc, char **argv, results_request *r) {
    const char *channels = NULL, *page = NULL;
    int with_page = 0;
    memset(r, 0, sizeof *r);
    if (!cli_take_report("compare", &argc, argv, &with_page, &page)) return 0;
    if (with_page) {
        refuse_page(argc, argv, page);
        return 0;
    }
    const cli_option options[] = {
        {"--channels", &channels, NULL},
        {"--csv", &r->csv, NULL},
        {"--all", NULL, &r->all},
        {"--json", NULL, &r->json},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), r->path, MAX_RESULTS,
                   &r->count))
        return 0;
    if (r->count < 2) {
        cli_usage_error("compare",
                        "'%s' is a result, and one alone cannot be compared; give another result, or a model",
                        r->path[0]);
        return 0;
    }
    if (!check_files(r)) return 0;
    if (!channels) return 1;
    r->pattern_count = cli_split_channels("compare", channels, &r->patterns, r->pattern, MAX_PATTERNS);
    return r->pattern_count > 0;
}

// ---------------------------------------------------------------------------------------------------------- text

static void print_event(const char *who, const difference_events *list, long k) {
    if (k < list->count)
        printf("            %s: %s of %s at %g s\n", who, br_event_kind_name(list->item[k].kind),
               list->item[k].name, list->item[k].t);
    else
        printf("            %s: none\n", who);
}

static void print_events(const results_request *r, int which, const difference *d) {
    const long a = d->events[0].count, b = d->events[1].count;
    if (!d->has_events || (a == 0 && b == 0)) return;
    printf("events      %ld and %ld; ", a, b);
    if (d->same_events == a && a == b) {
        printf("the same ones, at times that differ by at most %.3g s\n", d->event_dt);
        return;
    }
    printf("the first %ld agree, at times that differ by at most %.3g s; then\n", d->same_events,
           d->event_dt);
    print_event(r->path[0], &d->events[0], d->same_events);
    print_event(r->path[which], &d->events[1], d->same_events);
}

static void print_channels(const results_request *r, const difference *d) {
    const int differing = d->count - d->same - (r->all ? 0 : d->noise),
              shown = r->all || differing < SHOWN ? differing : SHOWN;
    int width = 8;
    for (int k = 0; k < shown; k++) width = (int)fmax(width, (double)strlen(d->channel[k].name));
    if (shown > 0)
        printf("\n%-*s %11s %11s %11s %11s  unit\n", width, "channel", "largest", "at t, s", "RMS",
               "of range");
    for (int k = 0; k < shown; k++) {
        const difference_channel *c = &d->channel[k];
        printf("%-*s %11.4g %11.6g %11.4g %10.3g%%  %s\n", width, c->name, c->largest, c->t,
               difference_rms(d, c), 100.0 * difference_relative(c), c->unit);
    }
    if (shown < differing) printf("... and %d more: --all\n", differing - shown);
    if (shown > 0) putchar('\n');
}

static void compare_results_print_text(const results_request *r, int which, const difference *d) {
    printf("%sresult      %s\nagainst     %s\n", which > 1 ? "\n" : "", r->path[which], r->path[0]);
    for (int i = 0; i < 2; i++)
        if (d->missing[i][0])
            printf("note        %s ends early: %s\n", r->path[i == 0 ? 0 : which], d->missing[i]);
    if (d->rows == 0) {
        printf("rows        none: the two have no times in common\n");
        return;
    }
    printf("rows        %ld from t = %g to %g s", d->rows, d->from, d->to);
    if (d->interpolated > 0) printf(", %ld of them between two rows of %s", d->interpolated, r->path[which]);
    printf("\nchannels    %d in both, %d of them the same in every row", d->count, d->same);
    if (d->noise > 0) printf(", %d more but for rounding", d->noise);
    if (d->only_first > 0) printf("; %d only in %s", d->only_first, r->path[0]);
    if (d->only_second > 0) printf("; %d only in %s", d->only_second, r->path[which]);
    putchar('\n');
    print_channels(r, d);
    print_events(r, which, d);
}

// ------------------------------------------------------------------------------------------------ JSON and tables

static void json_event(br_json *json, const char *key, const difference_events *list, long k) {
    if (k >= list->count) {
        br_json_null(json, key);
        return;
    }
    br_json o = br_json_object(json, key);
    br_json_number(&o, "t", list->item[k].t);
    br_json_string(&o, "kind", br_event_kind_name(list->item[k].kind));
    br_json_string(&o, "name", list->item[k].name);
    br_json_close_object(&o);
}

static void json_events(br_json *json, const difference *d) {
    const long a = d->events[0].count, b = d->events[1].count;
    if (!d->has_events) {
        br_json_null(json, "events");
        return;
    }
    br_json o = br_json_object(json, "events");
    br_json_whole(&o, "reference", a);
    br_json_whole(&o, "result", b);
    br_json_whole(&o, "same", d->same_events);
    br_json_number(&o, "largest_time_difference", d->event_dt);
    if (d->same_events == a && a == b) {
        br_json_null(&o, "first_difference");
    } else {
        br_json f = br_json_object(&o, "first_difference");
        json_event(&f, "reference", &d->events[0], d->same_events);
        json_event(&f, "result", &d->events[1], d->same_events);
        br_json_close_object(&f);
    }
    br_json_close_object(&o);
}

static void json_result(br_json *list, const results_request *r, int which, const difference *d) {
    br_json o = br_json_object(list, NULL);
    br_json_string(&o, "result", r->path[which]);
    br_json_string(&o, "reference", r->path[0]);
    br_json_string(&o, "missing", d->missing[1][0] ? d->missing[1] : NULL);
    br_json_string(&o, "reference_missing", d->missing[0][0] ? d->missing[0] : NULL);
    br_json_whole(&o, "rows", d->rows);
    br_json_whole(&o, "interpolated", d->interpolated);
    br_json_number(&o, "from", d->rows > 0 ? d->from : NAN);
    br_json_number(&o, "to", d->rows > 0 ? d->to : NAN);
    br_json_whole(&o, "same", d->same);
    br_json_whole(&o, "only_reference", d->only_first);
    br_json_whole(&o, "only_result", d->only_second);
    json_events(&o, d);
    br_json channels = br_json_list(&o, "channels");
    for (int k = 0; k < d->count; k++) {
        const difference_channel *c = &d->channel[k];
        br_json one = br_json_object(&channels, NULL);
        br_json_string(&one, "name", c->name);
        br_json_string(&one, "unit", c->unit);
        br_json_number(&one, "largest", c->largest);
        br_json_number(&one, "t", c->t);
        br_json_number(&one, "rms", difference_rms(d, c));
        br_json_number(&one, "range", d->rows > 0 ? c->high - c->low : 0.0);
        br_json_number(&one, "relative", difference_relative(c));
        br_json_bool(&one, "rounding", c->is_noise);
        br_json_close_object(&one);
    }
    br_json_close_list(&channels);
    br_json_close_object(&o);
}

// Quoted as spreadsheets do.
static void put_text(FILE *out, const char *text) {
    const int quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    if (quoted) putc('"', out);
}

static void put_table(FILE *out, const results_request *r, int which, const difference *d) {
    for (int k = 0; k < d->count; k++) {
        const difference_channel *c = &d->channel[k];
        put_text(out, r->path[which]);
        putc(',', out);
        put_text(out, c->name);
        putc(',', out);
        put_text(out, c->unit);
        fprintf(out, ",%.17g,%.17g,%.17g,%.17g,%.17g\n", c->largest, c->t, difference_rms(d, c),
                d->rows > 0 ? c->high - c->low : 0.0, difference_relative(c));
    }
}

// --------------------------------------------------------------------------------------------------------- whole

static int measure_all(const results_request *r, difference *d) {
    br_error error;
    for (int k = 1; k < r->count; k++) {
        memset(&error, 0, sizeof error);
        if (difference_measure(r->path[0], r->path[k], r->pattern, r->pattern_count, &d[k], &error) != BR_OK)
            return cli_fail(&error, r->path[k]);
    }
    for (int k = 1; k < r->count && r->pattern_count > 0; k++)
        if (d[k].count == 0) {
            cli_usage_error("compare", "no channel that '%s' and '%s' both have is meant by --channels",
                            r->path[0], r->path[k]);
            return EXIT_USAGE;
        }
    return EXIT_FINE;
}

static int write_table(const results_request *r, const difference *d) {
    cli_output out;
    errno = 0;
    int done = cli_output_open(&out, r->csv);
    if (done) {
        fputs("result,channel,unit,largest,t,rms,range,relative\n", out.file);
        for (int k = 1; k < r->count; k++) put_table(out.file, r, k, &d[k]);
        done = cli_output_close(&out, 1);
    }
    if (!done) cli_usage_error("compare", "%s cannot be written: %s", r->csv, strerror(errno));
    return done;
}

static void compare_results_tell(const results_request *r, const difference *d) {
    if (!r->json) {
        for (int k = 1; k < r->count; k++) compare_results_print_text(r, k, &d[k]);
        if (r->csv) printf("csv         %s\n", r->csv);
        return;
    }
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "ok");
    br_json list = br_json_list(&json, "results");
    for (int k = 1; k < r->count; k++) json_result(&list, r, k, &d[k]);
    br_json_close_list(&list);
    br_json_end(&json);
}

int compare_results(int argc, char **argv) {
    results_request r;
    difference d[MAX_RESULTS];
    memset(d, 0, sizeof d);
    int code = EXIT_USAGE;
    if (compare_results_parse_request(argc, argv, &r)) {
        code = measure_all(&r, d);
        if (code == EXIT_FINE && r.csv && !write_table(&r, d)) code = EXIT_USAGE;
        if (code == EXIT_FINE) compare_results_tell(&r, d);
    }
    for (int k = 0; k < MAX_RESULTS; k++) difference_free(&d[k]);
    free(r.patterns);
    return code;
}
