// bristle trust MODEL: is a stiction result unique, how far could its forces be others, what would make it slide.
#include <math.h>
#include <string.h>

#include "bristle/export.h"
#include "page.h"
#include "progress.h"
#include "trust/trust.h"

typedef struct trust_request {
    const char *path;
    int json, strict, at_rest, no_sensitivity;
    int has_until, has_at;
    double until, at, sample;
    double budget; // million counted operations; 0: the usual
    cli_overrides overrides;
} trust_request;

typedef struct trust_job {
    br_model *model;
    br_sim *sim;
    double until;
    br_trust_report report;
} trust_job;

// ----------------------------------------------------------------------------------------------------- arguments

static int trust_parse_request(int argc, char **argv, trust_request *r) {
    const char *until = NULL, *at = NULL, *sample = NULL, *set = NULL, *budget = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    if (!cli_take_overrides("trust", &argc, argv, &r->overrides)) return 0;
    const cli_option options[] = {
        {"--at-rest", NULL, &r->at_rest},
        {"--until", &until, &r->has_until},
        {"--at", &at, &r->has_at},
        {"--sample", &sample, NULL},
        {"--budget", &budget, NULL},
        {"--no-sensitivity", NULL, &r->no_sensitivity},
        {"--json", NULL, &r->json},
        {"--strict", NULL, &r->strict},
        {"--set", &set, NULL}, // taken above; named here for the nearest spelling
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), &r->path, 1, &count))
        return 0;
    if (count == 0) {
        cli_usage_error("trust", "expected a model file, or the result of a run");
        return 0;
    }
    if (until && !cli_parse_not_negative("trust", "--until", until, &r->until)) return 0;
    if (at && !cli_parse_not_negative("trust", "--at", at, &r->at)) return 0;
    if (sample && !cli_parse_positive("trust", "--sample", sample, &r->sample)) return 0;
    if (budget && !cli_parse_positive("trust", "--budget", budget, &r->budget)) return 0;
    if (at && (until || sample)) {
        cli_usage_error("trust",
                        "--at is about one instant, --until and --sample are about a run; give one of them");
        return 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------ the model

// A result carries the text of its model and what was changed in it; --set comes on top.
static br_status read_result(const trust_request *r, br_result *result, trust_job *j, br_error *error) {
    const br_result_header *h = br_result_about(result);
    cli_overrides all = {.count = 0};
    if (!h->model_native && (!h->model_text || h->model_size == 0)) {
        return cli_error(
            error, BR_INVALID, "trust-result", NULL, 0,
            br_result_source_of(result) == BR_SOURCE_CSV
                ? "is a table, which does not carry its model; give the model file, or the NAME.result that "
                  "the run wrote"
                : "this result does not carry the text of its model, which came through a pipe; give the "
                  "model file");
    }
    for (int k = 0; k < h->override_count && all.count < CLI_MAX_OVERRIDES; k++)
        all.item[all.count++] = h->overrides[k];
    for (int k = 0; k < r->overrides.count && all.count < CLI_MAX_OVERRIDES; k++)
        all.item[all.count++] = r->overrides.item[k];
    j->until = h->until;
    if (h->model_native) // the overrides of the run are in it already
        return br_model_read_text(h->model_native, strlen(h->model_native), h->model_path, r->overrides.item,
                                  r->overrides.count, NULL, &j->model, NULL, error);
    return br_model_read_text(h->model_text, h->model_size, h->model_path, all.item, all.count, NULL,
                              &j->model, NULL, error);
}

static br_status read_model(const trust_request *r, trust_job *j, br_error *error) {
    if (br_result_look(r->path) == BR_SOURCE_NONE) {
        const br_status status =
            br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &j->model, NULL, error);
        if (status == BR_OK) j->until = br_model_settings(j->model)->until;
        return status;
    }
    br_result *result = NULL;
    br_status status = br_result_open(r->path, NULL, &result, error);
    if (status == BR_OK) status = read_result(r, result, j, error);
    br_result_close(result);
    return status;
}

// ----------------------------------------------------------------------------------------------------- the report

// --at-rest: the mechanism stays as it starts, only time goes on.
static br_status go_to(const trust_request *r, trust_job *j, br_error *error) {
    if (!r->at_rest) return br_sim_advance(j->sim, r->at, error);
    return br_sim_set_state(j->sim, r->at, br_sim_q(j->sim), br_sim_v(j->sim), error);
}

static br_status judge(const trust_request *r, trust_job *j, cli_progress *progress, br_error *error) {
    br_trust_options options = br_default_trust_options();
    options.at_rest = r->at_rest;
    options.budget = r->budget * TRUST_MILLION;
    options.progress = progress->on ? cli_progress_judging : NULL;
    options.progress_context = progress;
    options.sensitivities = !r->no_sensitivity;
    if (r->sample > 0) options.sample = r->sample;
    br_status status = read_model(r, j, error);
    if (status == BR_OK && r->has_until) j->until = r->until;
    if (status == BR_OK) status = br_model_runnable(j->model, error);
    if (status == BR_OK && r->strict) status = cli_refuse_dropped(j->model, error);
    if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status != BR_OK) return status;
    if (!r->has_at && j->until > 0) return br_trust_run(j->sim, j->until, &options, &j->report, error);
    status = r->has_at && r->at > 0 ? go_to(r, j, error) : BR_OK;
    return status == BR_OK ? br_trust_instant(j->sim, &options, &j->report, error) : status;
}

// The command that goes on where the budget ended.
static void print_more_budget(const trust_request *r, const trust_job *j) {
    enum { MORE = 10 };
    const double used = r->budget > 0 ? r->budget : BR_TRUST_BUDGET / TRUST_MILLION;
    int ended = 0;
    for (int k = 0; k < j->report.reasons; k++)
        ended |= strcmp(j->report.reason[k].what, "not_judged") == 0 && isfinite(j->report.reason[k].limit);
    if (!ended) return;
    char word[CLI_MAX_PATH + 8], text[CLI_MAX_PATH];
    cli_put_word(word, sizeof word, r->path);
    printf("            more: bristle trust%s", word);
    for (int k = 0; k < r->overrides.count; k++) {
        snprintf(text, sizeof text, "%s=%s", r->overrides.item[k].name, r->overrides.item[k].value);
        cli_put_word(word, sizeof word, text);
        printf(" --set%s", word);
    }
    if (r->has_at) printf(" --at %.12g", r->at);
    if (r->has_until) printf(" --until %.12g", r->until);
    if (r->sample > 0) printf(" --sample %.12g", r->sample);
    printf("%s%s --budget %.6g\n", r->at_rest ? " --at-rest" : "",
           r->no_sensitivity ? " --no-sensitivity" : "", MORE * used);
}

static void trust_print_text(const trust_request *r, const trust_job *j) {
    const br_settings *s = br_model_settings(j->model);
    printf("model       %s (%s), %s stepper", br_model_name(j->model), r->path,
           br_stepper_name(s->solver.stepper));
    printf("%s\n", r->at_rest ? ", at rest: only the loads move on" : "");
    printf("verdicts    are quasi-static: they say which forces can balance the loads. Rates and shocks can "
           "defeat\n"
           "            \"metastable\". least .. most: over all balanced forces within the limits of "
           "friction; coherent:\n"
           "            over those that oppose one common motion\n");
    trust_text(stdout, &j->report, j->model);
    printf("\ncredible    %s\n", j->report.credible ? "yes" : j->report.not_judged ? "not judged" : "no");
    if (!j->report.credible) trust_credible(stdout, "", &j->report);
    print_more_budget(r, j);
}

static int verb_trust(int argc, char **argv) {
    trust_request r;
    trust_job j;
    br_error error;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!trust_parse_request(argc, argv, &r)) return EXIT_USAGE;
    int code = EXIT_FINE;
    cli_progress progress = cli_progress_begin(1);
    const br_status status = judge(&r, &j, &progress, &error);
    cli_progress_end(&progress);
    if (status != BR_OK) {
        code = cli_fail(&error, r.path);
    } else {
        if (r.json)
            trust_json_file(stdout, j.model, &j.report);
        else
            trust_print_text(&r, &j);
        if (r.strict && !j.report.credible) code = EXIT_DOUBTFUL;
    }
    br_trust_report_free(&j.report);
    br_sim_destroy(j.sim);
    br_model_destroy(j.model);
    return code;
}

const cli_verb cli_verb_trust = {
    .name = "trust",
    .summary = "is a stiction result unique, how far could its forces be others, what would make it slide",
    .help = "bristle trust MODEL [options]\n\n"
            "Moves the model as run does and gives, interval by interval, a verdict on what friction holds: "
            "sticks "
            "robustly,\n"
            "sticks metastably, undetermined, slides for certain, slides but not uniquely, moves. With it: "
            "which forces "
            "are\n"
            "not unique, between what bounds each friction force could lie, how far mu_static could fall "
            "(c*), which "
            "parameters\n"
            "of secondary importance decide, and what would settle it. The verdicts are quasi-static. MODEL "
            "may be the "
            "result\n"
            "of a run: it carries its model.\n\n"
            "  --set NAME=VALUE     changes a parameter (mu=0.5) or a key of the file; repeatable\n"
            "  --until T            ends at T seconds instead of `run: until`\n"
            "  --at T               one instant instead\n"
            "  --at-rest            the mechanism stays as it starts, only the loads move on in time\n"
            "  --sample S           looks every S seconds (default: 200 times); verdicts change at times "
            "found to 1e-7 s\n"
            "  --budget N           ends the search after N million counted operations (pivots and nodes by "
            "their size, steps),\n"
            "                       about N ms; the verdict is the same on every machine. Default 100000\n"
            "  --no-sensitivity     leaves out sensitivities, which take most of the time\n"
            "  --json               a JSON list on stdout, one object for each interval\n"
            "  --strict             exit code 3 when the result is not credible, or not judged\n\n"
            "Exit codes: 0 fine, 1 usage or model, 2 a step failed, 3 not credible or not judged (--strict "
            "only).\n",
    .run = verb_trust,
};
