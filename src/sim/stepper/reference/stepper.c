// The reference stepper: SUNDIALS with located events (reference.c).
#include "base/error.h"
#include "model/compile/touch.h"
#include "model/def/words.h"
#include "sim/stepper/reference/reference.h"
#include "sim/stepper/refuse.h"
#include "sim/stepper/stepper.h"

// Laws and moments of contacts.
static br_status reference_refuse_contact(const br_model *model, br_error *error) {
    const br_model_contact *m = model->contact;
    int a = 0, b = 0;
    if (!m || !br_model_first_touch(model, &a, &b)) return BR_OK;
    // In a plane friction has one direction, and every limit is the same one.
    if (!m->traits->coulomb && !m->traits->creeps && model->settings.planar == BR_SPATIAL)
        return br_fail_path(
            error, BR_INVALID, "reference-law", "contact/law",
            "the reference stepper has exact Coulomb friction; law %s is an approximation to it that the "
            "contact and implicit steppers have. Write law: cone",
            br_calls_contact_law[m->law].word);
    for (int k = 0; m->traits->creeps && k < m->pairs; k++)
        if (m->pair[k].mu_static > m->pair[k].mu_kinetic)
            return br_fail(
                error, BR_INVALID, "reference-law",
                "pair %s/%s has mu_static above mu_kinetic, and law %s is a function of the speed, in "
                "which the reference stepper has one mu; write mu, or use the contact stepper",
                m->pair[k].first, m->pair[k].second, br_calls_contact_law[m->law].word);
    for (int k = 0; k < m->pairs; k++)
        if (m->pair[k].rolling > 0.0 || m->pair[k].torsion > 0.0)
            return br_fail(
                error, BR_INVALID, "reference-rolling",
                "pair %s/%s has %s friction, a moment that holds or gives way beside a force that sticks or "
                "slides, and the reference stepper locates changes of the force alone; use the contact or "
                "implicit stepper, or set it to 0",
                m->pair[k].first, m->pair[k].second, m->pair[k].rolling > 0.0 ? "rolling" : "torsional");
    return BR_OK;
}

static br_status reference_refuse(const br_model *model, br_error *error) {
    br_status status = br_refuse_adaptive(model, error);
    if (status == BR_OK) status = reference_refuse_contact(model, error);
    return status == BR_OK ? br_refuse_loop_armature(model, error) : status;
}

static void destroy(br_sim *sim) {
    br_reference_destroy(sim->reference);
}

static int reference_order(const br_solver_settings *solver) {
    (void)solver;
    return 0;
}

static const char *reference_remedy(const br_model *model, int loss) {
    (void)model, (void)loss;
    return "a smaller solver.tol";
}

static const char *reference_takes_energy(const br_model *model) {
    (void)model;
    return "";
}

const br_stepper_ops br_stepper_reference = {
    .refuse = reference_refuse,
    .advance = br_step_reference,
    .order = reference_order,
    .remedy = reference_remedy,
    .takes_energy = reference_takes_energy,
    .destroy = destroy,
};
