// bristle report RESULT...: results as one page for a browser.
#include <limits.h>
#include <string.h>

#include "bristle/result.h"

#include "model.h"
#include "page.h"

typedef struct report_request {
    const char *path[BR_MAX_REPORT_RESULTS];
    const char *label[BR_MAX_REPORT_RESULTS];
    int count;
    const char *output, *title, *template_path;
    int points, frames, json;
} report_request;

// "cone,box": one label for each result.
static int split_labels(char *labels, report_request *r) {
    int count = 0;
    for (char *at = labels; at; count++) {
        char *comma = strchr(at, ',');
        if (comma) *comma = '\0';
        if (count < BR_MAX_REPORT_RESULTS) r->label[count] = at;
        at = comma ? comma + 1 : NULL;
    }
    if (count == r->count) return 1;
    cli_usage_error("report", "--labels has %d name%s for %d result%s, expected one for each", count,
                    count == 1 ? "" : "s", r->count, r->count == 1 ? "" : "s");
    return 0;
}

static int report_parse_request(int argc, char **argv, report_request *r) {
    const char *points = NULL, *frames = NULL, *labels = NULL;
    memset(r, 0, sizeof *r);
    const cli_option options[] = {
        {"--output|-o", &r->output, NULL}, {"--title", &r->title, NULL},
        {"--labels", &labels, NULL},       {"--points", &points, NULL},
        {"--frames", &frames, NULL},       {"--template", &r->template_path, NULL},
        {"--json", NULL, &r->json},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), r->path,
                   BR_MAX_REPORT_RESULTS, &r->count))
        return 0;
    if (r->count == 0) {
        cli_usage_error("report", "expected the result of a run; `bristle run MODEL` writes one");
        return 0;
    }
    if (points && !cli_parse_whole("report", "--points", points, 2, 1000000, &r->points)) return 0;
    if (frames && !cli_parse_whole("report", "--frames", frames, 1, 1000000, &r->frames)) return 0;
    // The option's value is an argument of main, and those may be changed.
    return !labels || split_labels((char *)labels, r);
}

static int refuse_overwriting(const report_request *r, const char *page) {
    for (int k = 0; k < r->count; k++)
        if (cli_same_target(page, r->path[k])) {
            cli_usage_error("report", "the page would overwrite the result '%s'; name another file with -o",
                            r->path[k]);
            return 1;
        }
    return 0;
}

// ------------------------------------------------------------------------------------------------------- output

static void report_print_text(const report_request *r, const char *page,
                              char missing[][BR_MAX_REPORT_MISSING]) {
    printf("report      %s\n", page);
    for (int k = 0; k < r->count; k++)
        if (missing[k][0]) printf("note        %s: %s\n", r->path[k], missing[k]);
}

static void print_json(const report_request *r, const char *page, char missing[][BR_MAX_REPORT_MISSING]) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "report", page);
    br_json_whole(&json, "results", r->count);
    br_json list = br_json_list(&json, "missing"); // one for each result, null where all is there
    for (int k = 0; k < r->count; k++) br_json_string(&list, NULL, missing[k][0] ? missing[k] : NULL);
    br_json_close_list(&list);
    br_json_end(&json);
}

static int verb_report(int argc, char **argv) {
    report_request r;
    char path[CLI_MAX_PATH];
    br_report_result results[BR_MAX_REPORT_RESULTS];
    char missing[BR_MAX_REPORT_RESULTS][BR_MAX_REPORT_MISSING];
    br_error error = {0};
    if (!report_parse_request(argc, argv, &r)) return EXIT_USAGE;
    const char *page = r.output;
    if (!page) {
        if (!cli_page_path(r.path[0], path)) {
            cli_usage_error("report", "the name of the result is too long; name the page with -o");
            return EXIT_USAGE;
        }
        page = path;
    }
    if (refuse_overwriting(&r, page)) return EXIT_USAGE;
    for (int k = 0; k < r.count; k++) {
        br_result *one = NULL; // a file that is no result is told before a page that is missing
        if (br_result_open(r.path[k], NULL, &one, &error) != BR_OK) return cli_fail(&error, r.path[k]);
        br_result_close(one);
        results[k] = (br_report_result){r.path[k], r.label[k]};
    }
    const br_report_options options = {
        .title = r.title, .points = r.points, .frames = r.frames, .missing = missing};
    if (cli_page_write(r.template_path, results, r.count, &options, page, &error) != BR_OK)
        return cli_fail(&error, r.path[0]);
    if (r.json)
        print_json(&r, page, missing);
    else
        report_print_text(&r, page, missing);
    return EXIT_FINE;
}

const cli_verb cli_verb_report = {
    .name = "report",
    .summary = "results as one page for a browser: the scene in motion, plots, ledger, verdicts",
    .help =
        "bristle report RESULT [RESULT2 ...] [options]\n\n"
        "Writes one HTML file that opens by a double click, without a network: the scene in motion with its "
        "contact\n"
        "forces, plots of any channel, events, the ledger, the verdicts of bristle trust where they are "
        "beside "
        "the result\n"
        "(NAME.trust.json), the model file. Several results are laid over each other. A result that ends "
        "early "
        "is shown as\n"
        "far as it goes, and the page says what is missing.\n\n"
        "  -o FILE              the page; default NAME.html beside the first result\n"
        "  --title TEXT         above it; default: the model's name\n"
        "  --labels A,B,...     names of the results in legends; default: their files'\n"
        "  --points N           of a plotted line at most; default 4000, fewer where there are many "
        "channels. "
        "Lines are\n"
        "                       thinned to the smallest and largest value of each group of rows\n"
        "  --frames N           of the animation at most; default 30 a second, at least 1000\n"
        "  --template FILE      another page to put the data into; default: share/bristle/report.html beside "
        "the program\n"
        "  --json               one JSON object on stdout\n\n"
        "Exit codes: 0 fine, 1 usage or a file that cannot be read.\n",
    .run = verb_report,
};
