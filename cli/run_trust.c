// Verdicts on a run. The model is moved a second time, with fewer looks than bristle trust takes and without sensitivities:
// boundaries between verdicts are found by going back and forth, which the run itself, writing its rows, cannot do.
#include <errno.h>
#include <string.h>

#include "output.h"
#include "run.h"

static br_status write_trust(const char *path, const br_trust_report *report, br_error *error) {
    cli_output out;
    if (cli_output_open(&out, path)) {
        trust_json_file(out.file, report);
        if (cli_output_close(&out, 1)) return BR_OK;
    }
    *error = (br_error){.status = BR_IO, .code = "file-unwritable"};
    snprintf(error->file, sizeof error->file, "%s", path);
    snprintf(error->message, sizeof error->message, "cannot be written: %s", strerror(errno));
    return BR_IO;
}

static int is_implicit(const run_job *j) {
    return br_model_settings(j->model)->solver.stepper == BR_STEPPER_IMPLICIT;
}

// The balance behind the verdicts is that of a rigid mechanism.
static int is_flexible(const run_job *j) {
    return br_model_beam_count(j->model) > 0 || br_model_clearance_count(j->model) > 0;
}

static void cannot_judge(br_error *error) {
    *error = (br_error){.status = BR_INVALID, .code = "trust-flexible"};
    snprintf(
        error->message, sizeof error->message,
        "verdicts are about friction in the joints of rigid mechanisms, and this model has beams or "
        "clearances, which their balance of forces does not know; look at the friction forces themselves");
}

// The search for what else could move grows with every joint that rubs: of a hand with twenty it takes minutes, which are only
// spent when they are asked for.
enum { MOST_JUDGED = 12 };

static int is_long(const run_job *j, br_error *error) {
    int count = 0;
    for (int k = 0; k < br_model_joint_count(j->model); k++)
        count += br_model_joint_friction(j->model, k) != NULL;
    if (count <= MOST_JUDGED) return 0;
    *error = (br_error){.status = BR_INVALID, .code = "trust-many"};
    snprintf(error->message, sizeof error->message,
             "%d joints rub, and verdicts on more than %d may take minutes; ask for them with --trust", count,
             MOST_JUDGED);
    return 1;
}

br_status run_judge(const run_request *r, run_job *j, br_error *error) {
    br_trust_options options = br_default_trust_options();
    br_sim *sim = NULL;
    // Friction in the implicit stepper is a function of velocity and bristles: nothing rests that could also slide, so a
    // verdict is no part of its answer. It can still be asked for.
    const int wanted = !is_implicit(j) && trust_has_joint_friction(j->sim);
    if (r->no_trust || !(r->trust || r->strict || wanted)) return BR_OK;
    if (is_flexible(j)) {
        cannot_judge(&j->trust_error);
        return BR_OK;
    }
    if (!r->trust && !r->strict && is_long(j, &j->trust_error)) return BR_OK;
    options.sensitivities = 0;
    options.quick = 1;
    br_status status = br_sim_create(j->model, NULL, &sim, &j->trust_error);
    if (status == BR_OK && j->until > 0)
        status = br_trust_run(sim, j->until, &options, &j->trust, &j->trust_error);
    else if (status == BR_OK)
        status = br_trust_instant(sim, &options, &j->trust, &j->trust_error);
    j->trusted = status == BR_OK;
    br_sim_destroy(sim);
    return j->trusted && j->trust_path ? write_trust(j->trust_path, &j->trust, error) : BR_OK;
}
