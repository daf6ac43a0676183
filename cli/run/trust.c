// Verdicts on a run, as bristle trust gives them. The model is moved a second time: boundaries between verdicts are found by going back
// and forth, which the run itself, writing its rows, cannot do.
#include "output.h"
#include "progress.h"
#include "run/run.h"

static br_status write_trust(const char *path, const br_model *model, const br_trust_report *report,
                             br_error *error) {
    cli_output out;
    if (cli_output_open(&out, path)) {
        trust_json_file(out.file, model, report);
        if (cli_output_close(&out, 1)) return BR_OK;
    }
    return cli_unwritable(error, path);
}

// Asked for, the budget is the user's; else about what the run itself took, so that a run never looks hung for what nobody asked.
static double budget(const run_request *r, const run_job *j) {
    if (r->budget > 0.0) return r->budget * TRUST_MILLION;
    return r->trust || r->strict ? BR_TRUST_BUDGET : br_trust_budget(j->sim);
}

br_status run_judge(const run_request *r, run_job *j, br_error *error) {
    br_trust_options options = br_default_trust_options();
    br_sim *sim = NULL;
    // Where friction is a function of velocity and bristles nothing rests that could also slide: a verdict is no part of
    // the answer. It can still be asked for.
    const int wanted = !cli_traits(j->model)->smooth_friction && trust_has_joint_friction(j->sim);
    if (r->no_trust || !(r->trust || r->strict || wanted)) return BR_OK;
    cli_progress progress = cli_progress_begin(!r->quiet);
    options.budget = budget(r, j);
    options.progress = progress.on ? cli_progress_judging : NULL;
    options.progress_context = &progress;
    br_status status = br_sim_create(j->model, NULL, &sim, &j->trust_error);
    if (status == BR_OK && j->until > 0)
        status = br_trust_run(sim, j->until, &options, &j->trust, &j->trust_error);
    else if (status == BR_OK)
        status = br_trust_instant(sim, &options, &j->trust, &j->trust_error);
    cli_progress_end(&progress);
    j->trusted = status == BR_OK;
    br_sim_destroy(sim);
    return j->trusted && j->trust_path ? write_trust(j->trust_path, j->model, &j->trust, error) : BR_OK;
}
