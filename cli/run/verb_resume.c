// bristle resume RESULT: goes on with a run that was stopped or killed. The model is the one that the result carries.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/export.h"
#include "run/run.h"

static int resume_parse(int argc, char **argv, run_request *r) {
    const char *plain[1] = {NULL}, *budget = NULL, *checkpoint = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    if (!cli_take_report("resume", &argc, argv, &r->with_report, &r->report)) return 0;
    const cli_option options[] = {
        {"--json", NULL, &r->json},          {"--quiet", NULL, &r->quiet},   {"--trust", NULL, &r->trust},
        {"--no-trust", NULL, &r->no_trust},  {"--strict", NULL, &r->strict}, {"--budget", &budget, NULL},
        {"--checkpoint", &checkpoint, NULL},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("resume", "expected the result of a run that was stopped");
        return 0;
    }
    if (r->no_trust && (r->trust || r->strict || budget)) {
        cli_usage_error("resume", "--no-trust leaves out the verdicts that %s",
                        budget     ? "--budget is for"
                        : r->trust ? "--trust asks for"
                                   : "--strict asks for");
        return 0;
    }
    r->path = plain[0];
    if (budget && !cli_parse_positive("resume", "--budget", budget, &r->budget)) return 0;
    return !checkpoint || run_parse_checkpoint("resume", checkpoint, &r->checkpoint);
}

// Why there is nothing to go on with; BR_OK: there is.
static br_status check_end(br_result *result, int *complete, br_error *error) {
    br_result_item item = {.kind = BR_RESULT_CUT};
    br_status status;
    do status = br_result_next(result, &item, error);
    while (status == BR_OK && item.kind != BR_RESULT_END && item.kind != BR_RESULT_CUT);
    if (status != BR_OK && error->status == BR_PARSE) return BR_OK; // what is good before the damage is kept
    if (status != BR_OK) return status;
    *complete = item.kind == BR_RESULT_END && item.end.outcome == BR_RESULT_COMPLETE;
    if (item.kind == BR_RESULT_END && item.end.outcome == BR_RESULT_FAILED)
        return cli_error(error, BR_INVALID, "resume-failed-run", NULL, 0,
                         "its run failed, and would fail again: %s. Change the model and run it anew",
                         item.end.message);
    return BR_OK;
}

static br_status other_model(const br_result_header *h, br_error *error) {
    return cli_error(
        error, BR_INVALID, "resume-other-model", NULL, 0,
        "its model %s cannot be made again as it was: another version of bristle wrote this result, or "
        "files that the model names have changed. Run the model anew",
        h->model_path);
}

static int is_the_model(const br_result_header *h, run_job *j) {
    if (j->model && br_model_hash(j->model) == h->model_hash) return 1;
    br_model_destroy(j->model);
    br_builder_destroy(j->builder);
    j->model = NULL, j->builder = NULL;
    return 0;
}

// As the result carries it; where that is not all of it, from its file.
static br_status make_model(const br_result_header *h, run_job *j, br_error *error) {
    br_error ignored;
    if (h->model_text && h->model_size > 0)
        (void)br_model_read_text(h->model_text, h->model_size, h->model_path, h->overrides, h->override_count,
                                 NULL, &j->model, &j->builder, &ignored);
    if (is_the_model(h, j)) return BR_OK;
    if (h->model_native)
        (void)br_model_read_text(h->model_native, strlen(h->model_native), h->model_path, NULL, 0, NULL,
                                 &j->model, &j->builder, &ignored);
    if (is_the_model(h, j)) return BR_OK;
    const br_status status =
        br_model_read(h->model_path, h->overrides, h->override_count, NULL, &j->model, &j->builder, error);
    if (is_the_model(h, j)) return BR_OK;
    return status == BR_OK ? other_model(h, error) : status;
}

static br_status resume_prepare(const run_request *r, run_job *j, int *complete, br_error *error) {
    br_result *result = NULL;
    br_status status = r->with_report ? cli_page_check(NULL, error) : BR_OK;
    if (status == BR_OK) status = br_result_open(r->path, NULL, &result, error);
    if (status != BR_OK) return status;
    if (br_result_source_of(result) != BR_SOURCE_LOG)
        status = cli_error(error, BR_INVALID, "resume-not-a-log", NULL, 0,
                           "was exported; the NAME.result that bristle run wrote can be continued");
    if (status == BR_OK) status = check_end(result, complete, error);
    if (status == BR_OK && !*complete) {
        const br_result_header *h = br_result_about(result);
        status = make_model(h, j, error);
        j->until = h->until;
        j->interval = h->output;
        j->result_path = strdup(r->path);
        if (status == BR_OK && !j->result_path) status = cli_no_memory(error, "not enough memory");
        if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    }
    br_result_close(result);
    if (status != BR_OK || *complete) return status;
    j->notes = cli_notes(j->model, j->sim, 1);
    if (!j->notes) return cli_no_memory(error, "not enough memory");
    return run_continue_files(j, error);
}

static int verb_resume(int argc, char **argv) {
    run_request r;
    run_job j;
    br_error error;
    int complete = 0;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!resume_parse(argc, argv, &r)) return EXIT_USAGE;
    const br_status status = resume_prepare(&r, &j, &complete, &error);
    if (status == BR_OK && !complete) {
        if (!r.quiet)
            fprintf(stderr, "resumed at t = %.12g s of %g s%s\n", br_sim_time(j.sim), j.until,
                    j.next == 0 ? ", from the start" : "");
        return run_perform(&r, &j);
    }
    if (status == BR_OK && !r.quiet) printf("%s is complete: nothing is left to run\n", r.path);
    const int code = status == BR_OK ? EXIT_FINE : cli_fail(&error, r.path);
    run_free(&j);
    return code;
}

const cli_verb cli_verb_resume = {
    .name = "resume",
    .summary = "go on with a run that was stopped or killed",
    .help =
        "bristle resume RESULT [options]\n\n"
        "Goes on from the last checkpoint of the run that wrote RESULT (bristle run --checkpoint 10s writes "
        "them; a "
        "run\n"
        "that was stopped by Ctrl-C or SIGTERM has left one). Without any it begins at the start. Rows that "
        "the "
        "result\n"
        "has already are computed again from there and compared, then new ones follow: rows, events and "
        "ledger are\n"
        "those of a run that was never stopped, bit by bit. The model is the one that RESULT carries.\n"
        "The reference stepper goes on from the start, or from the last multiple of solver.restart.\n\n"
        "  --checkpoint T       writes checkpoints every T seconds of the clock (10s), as bristle run does\n"
        "  --report [FILE.html] a page for a browser; default NAME.html beside the result\n"
        "  --trust              verdicts on what friction holds, as bristle run has them\n"
        "  --no-trust           none\n"
        "  --strict             exit code 3 when the run is not credible\n"
        "  --budget N           ends the search for verdicts after N million counted operations\n"
        "  --json               one JSON object on stdout instead of the text, also for an error\n"
        "  --quiet              neither progress nor ledger\n\n"
        "Exit codes: 0 reached its end, or was there already, 1 usage, model or file, 2 a step failed or the "
        "run\n"
        "was interrupted, 3 not credible (--strict only).\n",
    .run = verb_resume,
};
