// Whether a run may be believed: its own books, and the verdicts on what friction holds.
#include <math.h>
#include <string.h>

#include "run.h"

static const double FACTOR =
    2; // a parameter that nobody measured may be off by that much, see bristle/trust.h

static void add(br_judgement *to, br_reason_kind what, int fails, double t, const char *element,
                const char *text) {
    br_reason r;
    memset(&r, 0, sizeof r);
    r.what = what, r.fails = fails, r.t = t, r.value = r.limit = NAN;
    snprintf(r.element, sizeof r.element, "%s", element);
    snprintf(r.text, sizeof r.text, "%s", text);
    br_judgement_add(to, &r);
}

// The rules of br_trust_report.credible, one interval at a time. NULL: nothing is wrong with it.
static const char *doubt(const br_trust_report *report, int k) {
    const br_trust_interval *x = &report->interval[k];
    if (x->verdict == BR_UNDETERMINED || x->verdict == BR_SLIDES_NOT_UNIQUE) return trust_words(x->verdict);
    if (k + 1 < report->intervals && x[1].verdict == BR_MOVES && x->verdict != BR_MOVES && x->nullity > 0 &&
        x->c_star < 1)
        return "it slid where other forces would have held it";
    for (int s = 0; s < x->sensitivities; s++)
        if (fabs(log(x->sensitivity[s].flips_at)) < log(FACTOR))
            return "a parameter that is off by a factor of two turns sticking into sliding, or back";
    return NULL;
}

static const char *open_force(const br_trust_interval *x) {
    for (int k = 0; k < x->forces; k++)
        if (!x->force[k].unique) return x->force[k].name;
    return x->forces > 0 ? x->force[0].name : "";
}

static void add_stiction(run_job *j) {
    char text[BR_MAX_REASON_TEXT];
    for (int k = 0; k < j->trust.intervals; k++) {
        const br_trust_interval *x = &j->trust.interval[k];
        const char *why = doubt(&j->trust, k);
        if (!why) continue;
        snprintf(text, sizeof text, "%s, %.6g to %.6g s", why, x->from, x->to);
        add(&j->judgement, BR_REASON_STICTION, 1, x->from, open_force(x), text);
    }
}

// What rubs and was not judged, and the command that does. "": nothing rubs.
static const char *not_judged(const run_request *r, const run_job *j) {
    const int joints = trust_has_joint_friction(j->sim);
    if (br_model_beam_count(j->model) > 0 || br_model_clearance_count(j->model) > 0)
        return "stiction: the verdicts know rigid mechanisms only, and this model has beams or clearances";
    if (!joints && !j->rubs) return "";
    if (joints && br_model_settings(j->model)->solver.stepper == BR_STEPPER_IMPLICIT)
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
        add(&j->judgement, BR_REASON_NOT_JUDGED, 0, br_sim_time(j->sim), "", "the run did not reach its end");
    else if (j->trusted)
        add_stiction(j);
    else if (j->trust_error.status != BR_OK)
        add(&j->judgement, BR_REASON_NOT_JUDGED, 0, NAN, "", j->trust_error.message);
    else if ((open = not_judged(r, j))[0])
        add(&j->judgement, BR_REASON_NOT_JUDGED, 0, NAN, "", open);
}

// What was not judged is not known to be credible.
int run_is_credible(const run_job *j) {
    return j->outcome == BR_RESULT_COMPLETE && j->judgement.credible == BR_CREDIBLE;
}
