// bristle sweep SPEC -o DIR --report I: one run of the sweep, with its report.
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "model.h"
#include "page.h"
#include "sweep/sweep.h"

extern const cli_verb cli_verb_run;

enum { SET_TEXT = BR_MAX_SWEEP_VALUE + 256 };

typedef struct report_words {
    char set[CLI_MAX_OVERRIDES][SET_TEXT];
    char *word[2 * CLI_MAX_OVERRIDES + 16];
    int count;
} report_words;

static void report_add_set(report_words *w, int k, const char *name, const char *value, const char *unit) {
    snprintf(w->set[k], SET_TEXT, "%s=%s%s", name, value, unit);
    w->word[w->count++] = "--set";
    w->word[w->count++] = w->set[k];
}

// As --set has it: what `set` fixes, then the parameters of the run.
static int report_sets(report_words *w, const br_sweep *sweep, int run) {
    const int fixed = br_sweep_fixed_count(sweep), count = br_sweep_parameter_count(sweep);
    if (fixed + count > CLI_MAX_OVERRIDES) return 0;
    for (int k = 0; k < fixed; k++)
        report_add_set(w, k, br_sweep_fixed(sweep, k).name, br_sweep_fixed(sweep, k).value, "");
    for (int k = 0; k < count; k++) {
        char value[BR_MAX_SWEEP_VALUE];
        br_sweep_value(sweep, run, k, value);
        report_add_set(w, fixed + k, br_sweep_parameter_name(sweep, k), value, "");
    }
    return 1;
}

int sweep_report(const sweep_request *r, const br_sweep *sweep) {
    report_words words;
    char folder[CLI_MAX_PATH], result[CLI_MAX_PATH], page[CLI_MAX_PATH + 16], until[40], model[CLI_MAX_PATH];
    br_sweep_folder *runs = NULL;
    br_error error;
    int run = 0;
    memset(&error, 0, sizeof error);
    memset(&words, 0, sizeof words);
    const long long most = br_sweep_count(sweep) - 1;
    if (!cli_parse_whole("sweep", "--report", r->report, 0, most < INT_MAX ? (int)most : INT_MAX, &run))
        return EXIT_USAGE;
    if (br_sweep_open(sweep, r->folder, NULL, &runs, &error) != BR_OK) return cli_fail(&error, r->path);
    br_sweep_close(runs); // it is the folder of this sweep
    snprintf(folder, sizeof folder, "%s/reports", r->folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cli_unwritable(&error, folder);
        return cli_fail(&error, r->path);
    }
    snprintf(result, sizeof result, "%.*s/%d.result", CLI_MAX_PATH - 32, folder, run);
    snprintf(page, sizeof page, "--report=%.*s/%d.html", CLI_MAX_PATH - 32, folder, run);
    snprintf(model, sizeof model, "%s", br_sweep_model_path(sweep));
    words.word[words.count++] = "run";
    words.word[words.count++] = model;
    if (!report_sets(&words, sweep, run)) {
        cli_usage_error("sweep", "the run has more than %d settings, too many for one command",
                        CLI_MAX_OVERRIDES);
        return EXIT_USAGE;
    }
    if (br_sweep_until(sweep) >= 0) {
        snprintf(until, sizeof until, "%.17g", br_sweep_until(sweep));
        words.word[words.count++] = "--until";
        words.word[words.count++] = until;
    }
    words.word[words.count++] = "-o";
    words.word[words.count++] = result;
    words.word[words.count++] = page;
    if (r->quiet) words.word[words.count++] = "--quiet";
    if (r->json) words.word[words.count++] = "--json";
    const int code = cli_verb_run.run(words.count, words.word);
    char table[CLI_MAX_PATH];
    snprintf(table, sizeof table, "%s/table.csv", r->folder);
    struct stat about;
    if (code != EXIT_USAGE && stat(table, &about) == 0 &&
        sweep_write_page(sweep, r->path, r->folder, &error) != BR_OK)
        return cli_fail(&error, r->path);
    return code;
}
