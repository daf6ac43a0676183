// bristle sweep SPEC: many runs of a model over parameters, into a folder.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "page.h"
#include "sweep/sweep.h"

// ----------------------------------------------------------------------------------------------------- arguments

// K/N with K from 0 to N - 1.
static int parse_shard(const char *text, sweep_request *r) {
    const char *slash = strchr(text, '/');
    char first[24];
    if (!slash || (size_t)(slash - text) >= sizeof first) {
        cli_usage_error("sweep", "--shard is '%s', expected K/N, such as 0/4 for the first of four", text);
        return 0;
    }
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    if (!cli_parse_whole("sweep", "--shard", slash + 1, 1, SWEEP_MAX_SHARDS, &r->shards)) return 0;
    if (!cli_parse_whole("sweep", "--shard", first, 0, INT_MAX, &r->shard)) return 0;
    if (r->shard < r->shards) return 1;
    cli_usage_error("sweep", "--shard is '%s': shards count from 0, so the last of %d is %d/%d", text,
                    r->shards, r->shards - 1, r->shards);
    return 0;
}

static int environment_number(const char *name, long *out) {
    const char *text = getenv(name);
    char *end = NULL;
    if (!text || !*text) return 0;
    *out = strtol(text, &end, 10);
    return *end == '\0';
}

// A task of a Slurm array is a shard of the sweep: `sbatch --array=0-3` needs no option.
static int shard_of_slurm(sweep_request *r) {
    long id = 0, count = 0, first = 0, step = 1;
    if (!environment_number("SLURM_ARRAY_TASK_ID", &id) ||
        !environment_number("SLURM_ARRAY_TASK_COUNT", &count))
        return 1;
    environment_number("SLURM_ARRAY_TASK_MIN", &first);
    environment_number("SLURM_ARRAY_TASK_STEP", &step);
    const long shard = step > 0 ? (id - first) / step : -1;
    if (count < 1 || count > SWEEP_MAX_SHARDS || shard < 0 || shard >= count || (id - first) % step != 0) {
        cli_usage_error(
            "sweep",
            "SLURM_ARRAY_TASK_ID is %ld of %ld tasks from %ld in steps of %ld, which is no shard; give "
            "--shard K/N",
            id, count, first, step);
        return 0;
    }
    r->shard = (int)shard, r->shards = (int)count, r->shard_from = "Slurm's array";
    return 1;
}

static int default_jobs(const sweep_request *r) {
    long jobs = 0;
    if (environment_number("SLURM_CPUS_PER_TASK", &jobs) && jobs > 0)
        return jobs < SWEEP_MAX_JOBS ? (int)jobs : 1;
    if (r->shards > 1) return 1;
    jobs = sysconf(_SC_NPROCESSORS_ONLN);
    return jobs < 1 ? 1 : jobs > SWEEP_MAX_JOBS ? SWEEP_MAX_JOBS : (int)jobs;
}

// door.yaml -> door.sweep, in this folder.
static void default_folder(const char *spec, char out[CLI_MAX_PATH]) {
    const char *slash = strrchr(spec, '/'), *name = slash ? slash + 1 : spec, *dot = strrchr(name, '.');
    snprintf(out, CLI_MAX_PATH, "%.*s.sweep", (int)(dot && dot > name ? dot - name : (long)strlen(name)),
             name);
}

static int check_table(const sweep_request *r) {
    const char *dot = strrchr(r->table, '.');
    if (cli_same_target(r->table, r->path)) {
        cli_usage_error("sweep", "--table is the spec itself: '%s'; give another name", r->table);
        return 0;
    }
    if (dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0)) return 1;
    cli_usage_error("sweep", "--table is '%s', expected a name that ends in .csv, .h5 or .hdf5", r->table);
    return 0;
}

static int sweep_parse_request(int argc, char **argv, sweep_request *r, char folder[CLI_MAX_PATH]) {
    const char *plain[1] = {NULL}, *jobs = NULL, *shard = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    r->shards = 1;
    const cli_option options[] = {
        {"--output|-o", &r->folder, NULL}, {"--jobs", &jobs, NULL},        {"--shard", &shard, NULL},
        {"--merge", NULL, &r->merge},      {"--retry", NULL, &r->retry},   {"--json", NULL, &r->json},
        {"--quiet", NULL, &r->quiet},      {"--strict", NULL, &r->strict}, {"--report", &r->report, NULL},
        {"--table", &r->table, NULL},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("sweep", "expected the spec of a sweep");
        return 0;
    }
    r->path = plain[0];
    if (!r->folder) {
        default_folder(r->path, folder);
        r->folder = folder;
    }
    if (r->table && !check_table(r)) return 0;
    if (r->merge && (jobs || shard || r->retry)) {
        cli_usage_error("sweep", "--merge runs nothing, so it goes without --jobs, --shard and --retry");
        return 0;
    }
    if (shard ? !parse_shard(shard, r) : !r->merge && !shard_of_slurm(r)) return 0;
    if (shard) r->shard_from = "--shard";
    r->jobs = default_jobs(r);
    return !jobs || cli_parse_whole("sweep", "--jobs", jobs, 1, SWEEP_MAX_JOBS, &r->jobs);
}

// ------------------------------------------------------------------------------------------------------- the runs

typedef struct sweep_told {
    long long runs, states[BR_SWEEP_DONE + 1];
    long long missing_here; // of this shard
    long cut;
    long long rows; // of the table; -1: it was not written
} sweep_told;

static long long *list_todo(const sweep_request *r, const br_sweep *sweep, const br_sweep_folder *folder,
                            long long *count) {
    const long long runs = br_sweep_count(sweep);
    long long *todo = malloc((size_t)(runs / r->shards + 1) * sizeof *todo);
    *count = 0;
    for (long long i = r->shard; todo && i < runs; i += r->shards) {
        const br_sweep_state state = br_sweep_run_state(folder, i);
        if (state == BR_SWEEP_MISSING || (r->retry && state == BR_SWEEP_CRASHED)) todo[(*count)++] = i;
    }
    return todo;
}

static void count_states(const br_sweep_folder *folder, sweep_told *told) {
    for (int k = BR_SWEEP_MISSING; k <= BR_SWEEP_DONE; k++)
        told->states[k] = br_sweep_folder_count(folder, (br_sweep_state)k);
}

// Does what is missing, looks again, and goes on while that is more than nothing: a worker that was killed between taking a run and
// saying so leaves it over.
static br_status do_missing(sweep_request *r, const br_sweep *sweep, sweep_told *told, sweep_outcome *outcome,
                            br_error *error) {
    long long before = LLONG_MAX;
    for (int pass = 0;; pass++) {
        br_sweep_folder *folder = NULL;
        long long count = 0;
        br_status status = br_sweep_open(sweep, r->folder, NULL, &folder, error);
        if (status != BR_OK) return status;
        long long *todo = list_todo(r, sweep, folder, &count);
        count_states(folder, told);
        if (pass == 0) told->cut = br_sweep_cut_lines(folder);
        br_sweep_close(folder);
        told->missing_here = count;
        const int over = count == 0 || outcome->interrupted || outcome->status != BR_OK || count >= before;
        if (todo && !over) sweep_perform(r, sweep, todo, count, outcome);
        free(todo);
        if (!todo) return cli_no_memory(error, "not enough memory");
        if (over) return BR_OK;
        before = count;
        r->retry = 0; // once
    }
}

// ------------------------------------------------------------------------------------------------------- telling

static void print_told(const sweep_request *r, const sweep_told *t, const sweep_outcome *o) {
    printf("sweep       %lld runs: %lld ok", t->runs, t->states[BR_SWEEP_DONE]);
    if (t->states[BR_SWEEP_FAILED]) printf(", %lld failed", t->states[BR_SWEEP_FAILED]);
    if (t->states[BR_SWEEP_CRASHED]) printf(", %lld crashed", t->states[BR_SWEEP_CRASHED]);
    if (t->states[BR_SWEEP_MISSING]) printf(", %lld to do", t->states[BR_SWEEP_MISSING]);
    printf("\n");
    if (r->shard_from)
        printf("shard       %d of %d by %s: %lld of its runs to do\n", r->shard, r->shards, r->shard_from,
               t->missing_here);
    if (!r->merge)
        printf("now         %lld runs by %d %s\nseconds     %.3g\n", o->performed, r->jobs,
               r->jobs == 1 ? "worker" : "workers", o->seconds);
    if (t->cut > 0)
        printf("note        %ld %s of the logs not whole and %s not counted\n", t->cut,
               t->cut == 1 ? "line is" : "lines are", t->cut == 1 ? "was" : "were");
    if (o->replaced > 0)
        printf("note        %d %s ended by a crash or a signal and %s replaced\n", o->replaced,
               o->replaced == 1 ? "worker was" : "workers were", o->replaced == 1 ? "was" : "were");
    if (t->rows >= 0)
        printf("table       %s/table.csv%s%s, %lld rows; page %s/index.html\n", r->folder,
               r->table ? " and " : "", r->table ? r->table : "", t->rows, r->folder);
    else
        printf("table       is written once every run is there; --merge writes one of those that are\n");
}

static double without_sign_of_zero(double x) {
    return x < 0 && x > -5e-5 ? 0 : x;
}

// Which parameter moves a column most: by its total index.
static void print_indices(const br_sweep *sweep, const br_sweep_analysis *a) {
    for (int k = 0; k < a->indices; k++) {
        const br_sweep_index *x = &a->index[k];
        if (k == 0 || a->index[k - 1].column != x->column)
            printf(
                "variance    %s, from %lld samples: the part of each parameter alone, and with the others\n",
                br_sweep_column_name(sweep, x->column), x->samples);
        if (x->total != x->total) {
            printf("  %-20s not known: fewer than ten samples carry the variance; take more\n",
                   br_sweep_parameter_name(sweep, x->parameter));
            continue;
        }
        printf("  %-20s %7.4f +- %.4f   %7.4f +- %.4f\n", br_sweep_parameter_name(sweep, x->parameter),
               without_sign_of_zero(x->first), x->first_error, x->total, x->total_error);
    }
}

// Of each column with indices: the parameter of the largest total, and those that its error does not tell from it.
static void print_most(const br_sweep *sweep, const br_sweep_analysis *a) {
    for (int k = 0; k < a->indices;) {
        const int column = a->index[k].column;
        const br_sweep_index *most = &a->index[k];
        const int first = k;
        for (; k < a->indices && a->index[k].column == column; k++)
            if (a->index[k].total > most->total) most = &a->index[k];
        if (most->total != most->total) continue; // not known
        printf("moved most  %s by %s", br_sweep_column_name(sweep, column),
               br_sweep_parameter_name(sweep, most->parameter));
        int beside = 0;
        for (int i = first; i < k; i++) {
            const br_sweep_index *x = &a->index[i];
            if (x == most || x->total + x->total_error < most->total - most->total_error) continue;
            printf("%s%s", beside++ ? ", " : "; not told apart from ",
                   br_sweep_parameter_name(sweep, x->parameter));
        }
        printf("\n");
    }
}

static int same_channel(const br_sweep *sweep, const br_sweep_band *a, const br_sweep_band *b) {
    return a->channel == b->channel &&
           memcmp(br_sweep_column_name(sweep, a->column), br_sweep_column_name(sweep, b->column),
                  (size_t)a->channel) == 0;
}

// Of each channel the band at its last time; the page draws all of it.
static void print_bands(const br_sweep *sweep, const br_sweep_analysis *a) {
    for (int k = 0; k < a->bands; k++) {
        const br_sweep_band *b = &a->band[k];
        if (k + 1 < a->bands && same_channel(sweep, b, &a->band[k + 1])) continue;
        printf("band        %.*s at %.6g s: 90 %% of %lld runs within %.6g to %.6g, median %.6g\n",
               b->channel, br_sweep_column_name(sweep, b->column), b->t, b->of, b->quantile[0],
               b->quantile[BR_SWEEP_QUANTILES - 1], b->quantile[2]);
    }
}

static void print_analysis(const br_sweep *sweep, const br_sweep_analysis *a) {
    for (int k = 0; k < a->probabilities; k++) {
        const br_sweep_probability *p = &a->probability[k];
        if (k == 0 || a->probability[k - 1].column != p->column)
            printf("probability %s, from %lld runs, with its interval at 99 %%\n",
                   br_sweep_column_name(sweep, p->column), p->of);
        printf("  %-20s %7.4f   %.4f to %.4f\n", p->word, p->value, p->low, p->high);
    }
    print_indices(sweep, a);
    print_most(sweep, a);
    print_bands(sweep, a);
}

static void json_bands(br_json *json, const br_sweep *sweep, const br_sweep_analysis *a) {
    br_json list = br_json_list(json, "bands");
    for (int k = 0; k < a->bands; k++) {
        const br_sweep_band *b = &a->band[k];
        char channel[CLI_MAX_CHANNEL_NAME];
        snprintf(channel, sizeof channel, "%.*s", b->channel, br_sweep_column_name(sweep, b->column));
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "channel", channel);
        br_json_number(&o, "t", b->t);
        br_json_whole(&o, "of", b->of);
        br_json_numbers(&o, "quantiles", b->quantile, BR_SWEEP_QUANTILES); // 5, 25, 50, 75, 95 %
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_analysis(br_json *json, const br_sweep *sweep, const br_sweep_analysis *a) {
    br_json list = br_json_list(json, "probabilities");
    for (int k = 0; k < a->probabilities; k++) {
        const br_sweep_probability *p = &a->probability[k];
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "column", br_sweep_column_name(sweep, p->column));
        br_json_string(&o, "word", p->word);
        br_json_whole(&o, "count", p->count);
        br_json_whole(&o, "of", p->of);
        br_json_number(&o, "probability", p->value);
        br_json_number(&o, "low", p->low);
        br_json_number(&o, "high", p->high);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    list = br_json_list(json, "indices");
    for (int k = 0; k < a->indices; k++) {
        const br_sweep_index *x = &a->index[k];
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "column", br_sweep_column_name(sweep, x->column));
        br_json_string(&o, "parameter", br_sweep_parameter_name(sweep, x->parameter));
        br_json_whole(&o, "samples", x->samples);
        br_json_number(&o, "first", x->first);
        br_json_number(&o, "first_error", x->first_error);
        br_json_number(&o, "total", x->total);
        br_json_number(&o, "total_error", x->total_error);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    json_bands(json, sweep, a);
}

static void json_told(const sweep_request *r, const sweep_told *t, const sweep_outcome *o,
                      const br_sweep *sweep, const br_sweep_analysis *a) {
    char table[CLI_MAX_PATH];
    snprintf(table, sizeof table, "%s/table.csv", r->folder);
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "folder", r->folder);
    br_json_whole(&json, "runs", t->runs);
    br_json_whole(&json, "ok", t->states[BR_SWEEP_DONE]);
    br_json_whole(&json, "failed", t->states[BR_SWEEP_FAILED]);
    br_json_whole(&json, "crashed", t->states[BR_SWEEP_CRASHED]);
    br_json_whole(&json, "missing", t->states[BR_SWEEP_MISSING]);
    br_json_whole(&json, "shard", r->shard);
    br_json_whole(&json, "shards", r->shards);
    br_json_whole(&json, "jobs", r->jobs);
    br_json_whole(&json, "performed", o->performed);
    br_json_whole(&json, "workers_replaced", o->replaced);
    br_json_whole(&json, "cut_lines", t->cut);
    br_json_number(&json, "seconds", o->seconds);
    br_json_bool(&json, "interrupted", o->interrupted);
    br_json_string(&json, "table", t->rows >= 0 ? table : NULL);
    json_analysis(&json, sweep, a);
    br_json_end(&json);
}

static int conclude(const sweep_request *r, const sweep_told *t, const sweep_outcome *o,
                    const br_sweep *sweep, const br_sweep_analysis *a) {
    if (r->json)
        json_told(r, t, o, sweep, a);
    else if (!r->quiet)
        print_told(r, t, o), print_analysis(sweep, a);
    if (o->interrupted) {
        fprintf(stderr, "bristle: interrupted; %lld runs are kept\n", t->runs - t->states[BR_SWEEP_MISSING]);
        char again[2 * CLI_MAX_PATH];
        if (cli_typed_with(r->path, r->path, again, sizeof again)) fprintf(stderr, "  next: %s\n", again);
        return EXIT_NUMERICAL;
    }
    const long long bad = t->states[BR_SWEEP_FAILED] + t->states[BR_SWEEP_CRASHED];
    return r->strict && bad > 0 ? EXIT_DOUBTFUL : EXIT_FINE;
}

static int verb_sweep(int argc, char **argv) {
    sweep_request r;
    sweep_outcome outcome;
    sweep_told told = {.rows = -1};
    br_sweep_analysis analysis;
    br_sweep *sweep = NULL;
    br_error error;
    char folder[CLI_MAX_PATH];
    memset(&outcome, 0, sizeof outcome);
    memset(&analysis, 0, sizeof analysis);
    memset(&error, 0, sizeof error);
    if (!sweep_parse_request(argc, argv, &r, folder)) return EXIT_USAGE;
    if (r.merge) outcome.interrupted = 1; // nothing is run
    br_status status = br_sweep_read(r.path, NULL, &sweep, &error);
    if (status == BR_OK) told.runs = br_sweep_count(sweep);
    if (status == BR_OK && r.report) {
        const int code = sweep_report(&r, sweep);
        br_sweep_destroy(sweep);
        return code;
    }
    if (status == BR_OK) status = do_missing(&r, sweep, &told, &outcome, &error);
    if (r.merge) outcome.interrupted = 0;
    if (status == BR_OK && outcome.status != BR_OK) status = outcome.status, error = outcome.error;
    if (status == BR_OK && (r.merge || told.states[BR_SWEEP_MISSING] == 0))
        status = br_sweep_table(sweep, r.folder, NULL, NULL, &told.rows, &error);
    if (status == BR_OK && told.rows >= 0 && r.table)
        status = br_sweep_table(sweep, r.folder, r.table, NULL, NULL, &error);
    if (status == BR_OK && told.rows >= 0) status = sweep_write_page(sweep, r.path, r.folder, &error);
    if (status == BR_OK && told.rows >= 0)
        status = br_sweep_analyse(sweep, r.folder, NULL, &analysis, &error);
    const int code =
        status == BR_OK ? conclude(&r, &told, &outcome, sweep, &analysis) : cli_fail(&error, r.path);
    br_sweep_analysis_free(&analysis);
    br_sweep_destroy(sweep);
    return code;
}

const cli_verb cli_verb_sweep = {
    .name = "sweep",
    .summary = "many runs of a model over parameters, on all processors; a table of what was asked",
    .help = "bristle sweep SPEC.yaml [options]\n\n"
            "Runs a model once for each point of a design and writes DIR/table.csv: a row for each run with "
            "its parameters and\n"
            "what it was asked for. The spec:\n\n"
            "  model: door.yaml\n"
            "  vary: {mu: {from: 0.1, to: 0.3, steps: 21}, contact.law: [bristle, cone], T: {normal: [1.2, "
            "0.1]}}\n"
            "  design: grid | list | latin(N) | random(N) | sobol(N)\n"
            "  seed: 1\n"
            "  columns: [hinge.position.end, hinge.velocity.max, \"event(stick, hinge, 1).t\", verdict, "
            "credible]\n\n"
            "  -o DIR               the folder of its runs (default: NAME.sweep in this one). Where a part "
            "of them is there\n"
            "                       already, only what is missing is done\n"
            "  --jobs N             how many runs at a time, each in a process of its own; default: one for "
            "each processor,\n"
            "                       with shards 1 or SLURM_CPUS_PER_TASK\n"
            "  --shard K/N          only the runs i with i mod N = K, for N such commands anywhere that "
            "share the folder;\n"
            "                       within a Slurm array without being asked for. The last that ends writes "
            "the table\n"
            "  --merge              runs nothing: writes the table of the runs that are there\n"
            "  --table FILE         the table there too: .csv, or .h5 with a dataset for each column\n"
            "  --retry              does runs that crashed once more\n"
            "  --report I           does run I once more with a report, DIR/reports/I.html, to which the "
            "page then "
            "links\n"
            "  --strict             exit code 3 when a run failed or crashed\n"
            "  --json               one JSON object on stdout instead of the text, also for an error\n"
            "  --quiet              neither progress nor summary\n\n"
            "Run i depends on the spec and i alone, so the table has the same bytes for any number of jobs "
            "and shards. Ctrl-C\n"
            "or a kill at any time leaves a folder that the same command goes on with. A run whose process "
            "ends is tried once\n"
            "more, then booked as crashed.\n"
            "Exit codes: 0 every run of the shard is there, 1 usage, spec, model or file, 2 interrupted, 3 a "
            "run failed\n"
            "(--strict only).\n",
    .run = verb_sweep,
};
