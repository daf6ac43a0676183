// Whether a run may be believed: its own books, and the verdicts on what friction holds.
#include <math.h>
#include <string.h>

#include "run/run.h"

static void credible_add(br_judgement *to, br_reason_kind what, int fails, double t, const char *element,
                         const char *text) {
    br_reason r;
    memset(&r, 0, sizeof r);
    r.what = what, r.fails = fails, r.t = t, r.value = r.limit = NAN;
    snprintf(r.element, sizeof r.element, "%s", element);
    snprintf(r.text, sizeof r.text, "%s", text);
    br_judgement_add(to, &r);
}

// The reasons of the verdicts, as they are: those against it fail, what was not judged is left open.
static void add_verdicts(run_job *j) {
    for (int k = 0; k < j->trust.reasons; k++) {
        const br_trust_reason *x = &j->trust.reason[k];
        const int open = strcmp(x->what, "not_judged") == 0;
        credible_add(&j->judgement, open ? BR_REASON_NOT_JUDGED : BR_REASON_STICTION, !open, x->t, x->element,
                     x->text);
    }
}

// Whether the friction of some joint jumps at rest.
static int some_jumps(const br_model *model) {
    for (int k = 0; k < br_model_joint_count(model); k++) {
        const br_friction_def *f = br_model_joint_friction(model, k);
        if (!f || f->law == BR_FRICTION_SMOOTH) continue;
        if (f->law == BR_FRICTION_COULOMB || isinf(f->sigma_0) ||
            (f->law == BR_FRICTION_BRISTLE && f->sigma_0 == 0.0))
            return 1;
    }
    return 0;
}

// What rubs and was not judged, and the command that does. "": nothing rubs.
static const char *not_judged(const run_request *r, const run_job *j) {
    const int joints = trust_has_joint_friction(j->sim);
    if (!joints && !j->rubs) return "";
    if (joints && cli_traits(j->model)->smooth_friction && !some_jumps(j->model))
        return "friction in joints is a function of velocity here; what would stick by Coulomb's law was not "
               "asked "
               "for (--trust)";
    if (r->no_trust) return "what sticks and what slides: left out by --no-trust; bristle trust judges it";
    return joints ? "what sticks and what slides in joints; bristle trust judges it"
                  : "what sticks and what slides at contacts; bristle trust judges it";
}

void run_conclude(const run_request *r, run_job *j) {
    const char *open;
    br_sim_judge(j->sim, &j->judgement);
    if (j->outcome != BR_RESULT_COMPLETE)
        credible_add(&j->judgement, BR_REASON_NOT_JUDGED, 0, br_sim_time(j->sim), "",
                     "the run did not reach its end");
    else if (j->trusted)
        add_verdicts(j);
    else if (j->trust_error.status != BR_OK)
        credible_add(&j->judgement, BR_REASON_NOT_JUDGED, 0, NAN, "", j->trust_error.message);
    else if ((open = not_judged(r, j))[0])
        credible_add(&j->judgement, BR_REASON_NOT_JUDGED, 0, NAN, "", open);
    run_judge_bars(j);
}

// What was not judged is not known to be credible.
int run_is_credible(const run_job *j) {
    return j->outcome == BR_RESULT_COMPLETE && j->judgement.credible == BR_CREDIBLE;
}
