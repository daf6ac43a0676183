// Verdicts on a run. The model is moved a second time, with fewer looks than bristle trust takes and without sensitivities:
// boundaries between verdicts are found by going back and forth, which the run itself, writing its rows, cannot do.
#include <string.h>

#include "run.h"

enum { LOOKS = 50 };

void run_judge(const run_request *r, run_job *j) {
    br_trust_options options = br_default_trust_options();
    br_sim *sim = NULL;
    if (r->no_trust || !(r->trust || r->strict || trust_has_joint_friction(j->sim))) return;
    options.sensitivities = 0;
    options.sample = j->until / LOOKS;
    br_status status = br_sim_create(j->model, NULL, &sim, &j->trust_error);
    if (status == BR_OK && j->until > 0)
        status = br_trust_run(sim, j->until, &options, &j->trust, &j->trust_error);
    else if (status == BR_OK)
        status = br_trust_instant(sim, &options, &j->trust, &j->trust_error);
    j->trusted = status == BR_OK;
    br_sim_destroy(sim);
}

// What was not judged is not known to be credible.
int run_is_credible(const run_job *j) {
    return j->outcome == BR_RESULT_COMPLETE && j->trusted && j->trust.credible;
}
