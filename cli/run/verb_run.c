// bristle run MODEL: moves a model through time, keeps what happened, ends with the ledger.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { DEFAULT_DIRECTIONS = 8 }; // of friction polygons in --dump-lcp, as the figure of [TanLiu] has them

static const double MAX_ROWS = 1e12; // and steps: as the model's own `until` is checked

// ----------------------------------------------------------------------------------------------------- arguments

static int clash(const char *a, const char *b, const char *what) {
    if (!a || !b || !cli_same_target(a, b)) return 0;
    cli_usage_error("run", "%s: '%s'; give each a file of its own", what, a);
    return 1;
}

static int check_files(const run_request *r) {
    const char *all[] = {r->csv && strcmp(r->csv, "-") == 0 ? NULL : r->csv, r->output, r->events, r->dump};
    for (int k = 0; k < 4; k++)
        if (clash(all[k], r->report, "--report and another output are the same file")) return 0;
    for (int k = 0; k < 4; k++)
        if (clash(all[k], r->hash_log, "--hash-log and another output are the same file")) return 0;
    if (clash(r->report, r->hash_log, "--report and --hash-log are the same file")) return 0;
    if (clash(r->hash_log, r->path, "an output is the model file itself")) return 0;
    if (clash(r->report, r->path, "an output is the model file itself")) return 0;
    for (int k = 0; k < 3; k++)
        if (clash(all[k], r->dump, "--dump and another output are the same file")) return 0;
    for (int k = 0; k < 4; k++)
        if (clash(all[k], r->path, "an output is the model file itself")) return 0;
    return !clash(all[0], all[1], "--csv and -o are the same file") &&
           !clash(all[0], all[2], "--csv and --events are the same file") &&
           !clash(all[1], all[2], "-o and --events are the same file");
}

// STEP or FIRST..LAST.
static int parse_steps(const char *text, run_request *r) {
    const char *dots = strstr(text, "..");
    char first[24];
    snprintf(first, sizeof first, "%.*s", (int)(dots ? dots - text : (long)sizeof first), text);
    if (!cli_parse_whole("run", "--dump-lcp", first, 1, INT_MAX, &r->dump_step)) return 0;
    r->dump_last = r->dump_step;
    return !dots || cli_parse_whole("run", "--dump-lcp", dots + 2, r->dump_step, INT_MAX, &r->dump_last);
}

// Samples go into the folder of a sweep: what a single run writes has no place there.
static int check_samples(const run_request *r) {
    if (r->samples == 0 ||
        !(r->csv || r->events || r->with_report || r->hash || r->hash_log || r->dump_step || r->no_result ||
          r->trust || r->no_trust || r->budget > 0 || r->checkpoint > 0))
        return 1;
    cli_usage_error(
        "run",
        "--samples makes a sweep and takes --set, --until, -o DIR, --strict, --json and --quiet beside it");
    return 0;
}

static int check_request(const run_request *r) {
    if (!check_samples(r)) return 0;
    if (r->channels && !r->csv) {
        cli_usage_error("run", "--channels are the columns of --csv FILE, which is missing");
        return 0;
    }
    if (r->channels && (r->channels[0] == '\0' || strstr(r->channels, ",,") || r->channels[0] == ',' ||
                        r->channels[strlen(r->channels) - 1] == ',')) {
        cli_usage_error("run", "--channels is '%s', expected names with single commas between", r->channels);
        return 0;
    }
    if ((r->dump || r->dump_mixed || r->directions != DEFAULT_DIRECTIONS) && r->dump_step == 0) {
        cli_usage_error("run", "--dump, --form and --directions are about --dump-lcp STEP, which is missing");
        return 0;
    }
    if (r->dump && r->dump_last > r->dump_step) {
        cli_usage_error("run", "--dump names one file, and --dump-lcp %d..%d is several steps", r->dump_step,
                        r->dump_last);
        return 0;
    }
    if (r->dump_mixed && r->directions != DEFAULT_DIRECTIONS) {
        cli_usage_error("run", "--directions are of the polygons of --form tan_liu; --form peiret has none");
        return 0;
    }
    if (r->no_trust && (r->trust || r->strict)) {
        cli_usage_error("run", "--no-trust leaves out the verdicts that %s asks for",
                        r->trust ? "--trust" : "--strict");
        return 0;
    }
    if (r->no_trust && r->budget > 0) {
        cli_usage_error("run", "--no-trust leaves out the verdicts that --budget is for");
        return 0;
    }
    if (r->with_report && r->no_result) {
        cli_usage_error("run", "--report is made of the result, and --no-result asks for none");
        return 0;
    }
    if (r->checkpoint > 0 && r->no_result) {
        cli_usage_error("run", "--checkpoint is beside the result, and --no-result asks for none");
        return 0;
    }
    if (r->output && r->no_result) {
        cli_usage_error("run", "-o asks for a result and --no-result for none");
        return 0;
    }
    if (r->csv && strcmp(r->csv, "-") == 0 && r->json) {
        cli_usage_error("run", "--json and --csv - both write to standard output; give the table a file");
        return 0;
    }
    return check_files(r);
}

static int run_parse_request(int argc, char **argv, run_request *r) {
    const char *until = NULL, *plain[1] = {NULL}, *set = NULL, *dump = NULL, *directions = NULL, *form = NULL,
               *budget = NULL, *checkpoint = NULL, *samples = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    r->directions = DEFAULT_DIRECTIONS;
    if (!cli_take_overrides("run", &argc, argv, &r->overrides)) return 0;
    if (!cli_take_report("run", &argc, argv, &r->with_report, &r->report)) return 0;
    const cli_option options[] = {
        {"--csv", &r->csv, NULL},
        {"--channels", &r->channels, NULL},
        {"--output|-o", &r->output, NULL},
        {"--events", &r->events, NULL},
        {"--until", &until, NULL},
        {"--json", NULL, &r->json},
        {"--quiet", NULL, &r->quiet},
        {"--hash", NULL, &r->hash},
        {"--hash-log", &r->hash_log, NULL},
        {"--no-result", NULL, &r->no_result},
        {"--trust", NULL, &r->trust},
        {"--no-trust", NULL, &r->no_trust},
        {"--strict", NULL, &r->strict},
        {"--error", NULL, &r->error},
        {"--budget", &budget, NULL},
        {"--checkpoint", &checkpoint, NULL},
        {"--samples", &samples, NULL},
        {"--dump-lcp", &dump, NULL},
        {"--directions", &directions, NULL},
        {"--form", &form, NULL},
        {"--dump", &r->dump, NULL},
        {"--set", &set, NULL}, // taken above; named here for the nearest spelling
        {"--report", &set, NULL},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("run", "expected a model file");
        return 0;
    }
    r->path = plain[0];
    r->has_until = until != NULL;
    if (until && !cli_parse_not_negative("run", "--until", until, &r->until)) return 0;
    if (budget && !cli_parse_positive("run", "--budget", budget, &r->budget)) return 0;
    if (checkpoint && !run_parse_checkpoint("run", checkpoint, &r->checkpoint)) return 0;
    if (samples && !cli_parse_whole("run", "--samples", samples, 30, 1000000, &r->samples)) return 0;
    if (dump && !parse_steps(dump, r)) return 0;
    if (form && strcmp(form, "tan_liu") != 0 && strcmp(form, "peiret") != 0) {
        cli_usage_error("run", "--form is '%s', expected tan_liu or peiret", form);
        return 0;
    }
    r->dump_mixed = form && strcmp(form, "peiret") == 0;
    if (directions && !cli_parse_whole("run", "--directions", directions, 1, INT_MAX, &r->directions))
        return 0;
    return check_request(r);
}

// ------------------------------------------------------------------------------------------------------- the verb

static br_status run_prepare(const run_request *r, run_job *j, br_error *error) {
    br_status status = r->with_report ? cli_page_check(NULL, error) : BR_OK;
    if (status == BR_OK)
        status = br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &j->model, &j->builder,
                               error);
    if (status == BR_OK) status = br_model_runnable(j->model, error);
    if (status == BR_OK && r->strict) status = cli_refuse_dropped(j->model, error);
    if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status != BR_OK) return status;
    const br_settings *s = br_model_settings(j->model);
    j->until = r->has_until ? r->until : s->until;
    j->interval = s->output > 0 ? s->output : s->solver.step;
    const double finest =
        cli_traits(j->model)->chooses_steps ? j->interval : fmin(j->interval, s->solver.step);
    if (r->dump_step > 0 && (r->dump_last - 1) * s->solver.step > j->until * (1 - 1e-12)) {
        return cli_error(error, BR_INVALID, "run-dump-step", NULL, 0,
                         "--dump-lcp %d: the run ends at %g s, before that step of %g s begins", r->dump_last,
                         j->until, s->solver.step);
    }
    if (r->has_until && !(j->until / finest <= MAX_ROWS)) {
        return cli_error(error, BR_INVALID, "run-too-long", NULL, 0,
                         "--until %g with steps of %g s and a row every %g s: more than %g of them", j->until,
                         s->solver.step, j->interval, MAX_ROWS);
    }
    j->notes = cli_notes(j->model, j->sim, 1);
    if (!j->notes) return cli_no_memory(error, "not enough memory");
    return run_open_files(r, j, error);
}

static int verb_run(int argc, char **argv) {
    run_request r;
    run_job j;
    br_error error;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!run_parse_request(argc, argv, &r)) return EXIT_USAGE;
    if (r.samples > 0) return run_samples(&r);
    if (run_prepare(&r, &j, &error) == BR_OK) {
        run_tell_bars(&r, j.model);
        return run_perform(&r, &j);
    }
    const int code = cli_fail(&error, r.path);
    run_free(&j);
    return code;
}

const cli_verb cli_verb_run = {
    .name = "run",
    .summary = "move a model through time; writes a result, a CSV table, the ledger",
    .help =
        "bristle run MODEL [options]\n\n"
        "Moves the model from its start to `run: until`, and ends with the ledger: where the energy "
        "went, how far\n"
        "loops opened. Rows are kept at t = 0, at every multiple of `run: output` (default: solver.step), "
        "and at the\n"
        "end.\n\n"
        "  --set NAME=VALUE     changes a parameter (mu=0.5) or a key of the file (\"solver.step=2 "
        "ms\"); repeatable\n"
        "  --until T            ends at T seconds instead\n"
        "  --csv FILE           a table: a line of channel names, then a line of numbers for each row; - "
        "is stdout\n"
        "  --channels A,B,...   its columns, after t; default: `outputs` of the model, else the motion "
        "of all;\n"
        "                       * stands for any part of a name: 'cube~finger_*.force.normal'\n"
        "  --events FILE        a table t,kind,name,value of what happened between rows\n"
        "  -o FILE              the result (default: NAME.result in this folder); readable up to its "
        "last row even\n"
        "                       when the run is killed\n"
        "  --no-result          writes none\n"
        "  --checkpoint T       every T seconds of the clock (10s) the state goes into RESULT.checkpoint, so "
        "that "
        "bristle\n"
        "                       resume can go on after a kill; a run that is stopped leaves one anyway\n"
        "  --report [FILE.html] a page for a browser, as bristle report makes it; default NAME.html beside "
        "the "
        "result\n"
        "  --trust              verdicts on what friction holds, as bristle trust gives them; without being "
        "asked for "
        "where\n"
        "                       a joint rubs. They go to NAME.trust.json beside the result. Only when "
        "asked for under\n                       the implicit stepper\n"
        "  --budget N           ends the search for verdicts after N million counted operations, about N ms; "
        "default: about\n"
        "                       what the run itself took, and 100000 with --trust or --strict\n"
        "  --no-trust           none, which saves a second run\n"
        "  --strict             exit code 3 when the run is not credible: energy out of nothing or lost, "
        "shapes "
        "inside each\n                       other, undetermined, not unique; or when it was not judged. "
        "What the "
        "stepper leaves\n                       out of the model, else a line at the top, is an error\n"
        "  --error              error bars: the model is moved three times more, with steps h, h/2 and h/4 "
        "(tolerances 1, 1/10,\n"
        "                       1/100 where the stepper chooses its steps), about seven times the run. "
        "Every channel at the\n"
        "                       end, every event and the ledger as value +- bar; `check: {error: 1 %}` in "
        "the "
        "model makes a\n"
        "                       larger bar not credible\n"
        "  --dump-lcp STEP      writes the contact problem of that step (1: the first; 21..30: of ten) in "
        "standard form:\n"
        "                       NAME.stepSTEP.cp for bristle solve, and NAME.stepSTEP.json with M, N, B, E, "
        "A, q and the\n"
        "                       answer\n"
        "  --form F             tan_liu: the standard form, the default; peiret: what the step itself "
        "solved, velocities\n"
        "                       and impulses with bounds, for contact.bounds lagged or iterated(k)\n"
        "  --directions D       of the friction polygons of tan_liu, even; default 8\n"
        "  --dump FILE          its .cp file instead\n"
        "  --samples N          instead of one run N samples of the distributions in params: how likely each "
        "verdict "
        "is, which\n                       parameter moves each output. A sweep, in NAME.samples with "
        "NAME.samples.yaml\n"
        "  --hash               prints one number of 64 bits over all rows, events and verdicts: runs that "
        "computed the same\n"
        "                       bits share it; with --quiet it is all that is printed\n"
        "  --hash-log FILE      a table row,t,hash: the first line in which two differ is where two runs "
        "part\n"
        "  --json               one JSON object on stdout instead of the text, also for an error\n"
        "  --quiet              neither progress nor ledger; a run that is not credible still says so\n\n"
        "Ctrl-C ends the run at its next row and keeps the files; twice, or when that row takes longer than "
        "3 s, ends it\nat once. bristle resume goes on with it.\n"
        "Exit codes: 0 reached its end, 1 usage, model or file, 2 a step failed or the run was "
        "interrupted, 3 not\ncredible (--strict only).\n",
    .run = verb_run,
};
