// Verdicts and credibility of one run, see judge.h.
#include "batch/judge.h"

#include <math.h>
#include <string.h>

#include "bristle/contact.h"

int br_judge_rubs(const br_sim *sim) {
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        if (c.normal_force > 0 && c.friction_coefficient > 0) return 1;
    }
    return 0;
}

static int is_friction(void *context, const char *name, const br_channel *channel) {
    (void)context, (void)channel;
    return strstr(name, ".friction.") != NULL && strchr(name, '~') == NULL;
}

// A joint or a clearance rubs.
static int judge_joints_rub(const br_sim *sim) {
    const br_model *model = br_sim_model(sim);
    int parts = br_model_clearance_count(model);
    for (int k = 0; parts == 0 && k < br_model_joint_count(model); k++)
        parts += br_model_joint_friction(model, k) != NULL;
    return parts > 0 && br_sim_channel_each(sim, is_friction, NULL) != 0;
}

static void judge_reason(br_judgement *j, br_reason_kind what, int fails) {
    br_reason r;
    memset(&r, 0, sizeof r);
    r.what = what, r.fails = fails, r.t = r.value = r.limit = NAN;
    br_judgement_add(j, &r);
}

static void add_report(br_judgement *j, const br_trust_report *report, batch_judged *out) {
    for (int k = 0; k < report->reasons; k++) {
        const int open = strcmp(report->reason[k].what, "not_judged") == 0;
        judge_reason(j, open ? BR_REASON_NOT_JUDGED : BR_REASON_STICTION, !open);
    }
    if (report->intervals == 0) return;
    out->start = report->interval[0].verdict;
    out->end = report->interval[report->intervals - 1].verdict;
}

br_status br_judge_run(const br_sim *sim, br_sim *fresh, double until, int verdicts, int rubbed,
                       const br_allocator *allocator, batch_judged *out, br_error *error) {
    const br_model *model = br_sim_model(sim);
    const int joints = judge_joints_rub(sim),
              smooth = br_stepper_traits_of(br_model_settings(model)->solver.stepper)->smooth_friction;
    br_trust_options options = br_default_trust_options();
    br_trust_report report;
    br_judgement judgement;
    br_error why;
    *out = (batch_judged){BR_NOT_JUDGED, BR_NOT_JUDGED, BR_CREDIBLE_OPEN};
    memset(&report, 0, sizeof report);
    memset(&why, 0, sizeof why);
    br_sim_judge(sim, &judgement);
    if (verdicts || (joints && !smooth)) {
        options.budget = br_trust_budget(sim);
        options.allocator = allocator;
        options.quick = 1; // among many runs one look more says little: this halves the time of a door
        const br_status status = until > br_sim_time(fresh)
                                     ? br_trust_run(fresh, until, &options, &report, &why)
                                     : br_trust_instant(fresh, &options, &report, &why);
        if (status == BR_NO_MEMORY) {
            *error = why;
            return status;
        }
        if (status == BR_OK)
            add_report(&judgement, &report, out);
        else
            judge_reason(&judgement, BR_REASON_NOT_JUDGED, 0);
        br_trust_report_free(&report);
    } else if (joints || rubbed || br_model_beam_count(model) > 0 || br_model_clearance_count(model) > 0) {
        judge_reason(&judgement, BR_REASON_NOT_JUDGED, 0);
    }
    out->credible = judgement.credible;
    return BR_OK;
}
