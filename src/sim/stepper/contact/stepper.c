// The contact stepper: steps of one length, each a problem of velocities and impulses (step.c).
#include <math.h>

#include "base/error.h"
#include "model/compile/touch.h"
#include "model/def/words.h"
#include "sim/core/clock.h"
#include "sim/stepper/contact/split.h"
#include "sim/stepper/refuse.h"
#include "sim/stepper/stepper.h"

// Pivoting needs bounds that are known before the step, and Lemke's method flat sides; in the plane every law of friction has
// them but those with a coefficient of their own to search for.
static br_status contact_refuse_method(const br_model *model, br_error *error) {
    const br_solver_kind method = model->settings.solver.method;
    const br_model_contact *contact = model->contact;
    int a = 0, b = 0;
    if (method == BR_SOLVER_AUTO) return BR_OK;
    const char *word = br_words_method[method], *law = model->settings.contact_law;
    if (!contact || !br_model_first_touch(model, &a, &b))
        return br_fail_path(
            error, BR_INVALID, "run-method", "solver/method",
            "method: %s solves contact problems, and nothing in this model can touch: leave it out", word);
    if (method != BR_SOLVER_LEMKE && method != BR_SOLVER_BLOCK_PIVOT) return BR_OK;
    const int bounds_law = contact->law == BR_CONTACT_BRISTLE || contact->law == BR_CONTACT_BOX;
    const int known = bounds_law && contact->bounds != BR_BOUNDS_IMPLICIT;
    const int flat = contact->law == BR_CONTACT_POLYGON || contact->law == BR_CONTACT_BOX ||
                     model->settings.planar != BR_SPATIAL;
    if (known || (method == BR_SOLVER_LEMKE && flat)) return BR_OK;
    if (method == BR_SOLVER_BLOCK_PIVOT)
        return br_fail_path(
            error, BR_INVALID, "run-method", "solver/method",
            "method: pivoting needs friction bounds that are known before the step, and contact.law: %s "
            "%s: use law bristle or box with contact.bounds: lagged or iterated(k)",
            law ? law : "bristle",
            bounds_law ? "with bounds: implicit finds them in the step" : "finds them in the step");
    return br_fail_path(
        error, BR_INVALID, "run-method", "solver/method",
        "method: lemke takes laws with flat sides, and contact.law: %s%s has round ones: use law "
        "polygon(n) or box, or bristle with contact.bounds: lagged or iterated(k)",
        law ? law : "bristle", bounds_law ? " with bounds: implicit" : "");
}

// The stabilizations of [TanLiu sec. 5]: of contact problems, and the second one of those that have E.
static br_status contact_refuse_stabilization(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    const br_model_contact *contact = model->contact;
    const char *key = solver->lcp_scale ? "lcp_scale" : "lcp_epsilon";
    const char *path = solver->lcp_scale ? "solver/lcp_scale" : "solver/lcp_epsilon";
    int a = 0, b = 0;
    if (!solver->lcp_scale && !(solver->lcp_epsilon > 0.0)) return BR_OK;
    if (!contact || !br_model_first_touch(model, &a, &b))
        return br_fail_path(error, BR_INVALID, "run-method", path,
                            "%s is about contact problems, and nothing in this model can touch: leave it out",
                            key);
    if (!solver->lcp_scale) return BR_OK;
    if (solver->method != BR_SOLVER_LEMKE)
        return br_fail_path(error, BR_INVALID, "run-method", path,
                            "lcp_scale scales the standard form that Lemke's method solves, and method is "
                            "%s: use method: lemke, or leave it out",
                            br_words_method[solver->method]);
    if (contact->bounds != BR_BOUNDS_IMPLICIT)
        return br_fail_path(error, BR_INVALID, "run-method", path,
                            "lcp_scale scales E and mu, and with contact.bounds: lagged or iterated(k) the "
                            "problem has neither: use law polygon(n), or leave it out");
    return BR_OK;
}

// Parts are of second order where the step is, and friction whose bounds are the last step's would follow a blow by that of the blow.
static br_status contact_refuse_events(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    if (!solver->split_events) return BR_OK;
    if (model->settings.contact_paper)
        return br_fail_path(
            error, BR_INVALID, "run-method", "solver/events",
            "events: split is for steps of second order, and contact.paper is the step of the "
            "paper, of first: leave one of them out");
    if (solver->theta > 0.5 || solver->position_old || solver->rotation_euler)
        return br_fail_path(
            error, BR_INVALID, "run-method", "solver/events",
            "events: split is for steps of second order, and theta: %g, position_update: old "
            "or rotation: euler_zxy makes them of first: use theta: 0.5 alone, or leave it out",
            solver->theta);
    if (model->contact && model->contact->bounds != BR_BOUNDS_IMPLICIT)
        return br_fail_path(error, BR_INVALID, "run-method", "solver/events",
                            "events: split needs contact.bounds: implicit: lagged bounds would follow a blow "
                            "by friction of the blow");
    return BR_OK;
}

static br_status contact_refuse(const br_model *model, br_error *error) {
    br_status status = br_refuse_adaptive(model, error);
    if (status == BR_OK) status = contact_refuse_method(model, error);
    if (status == BR_OK) status = contact_refuse_stabilization(model, error);
    if (status == BR_OK) status = contact_refuse_events(model, error);
    return status == BR_OK ? br_refuse_loop_armature(model, error) : status;
}

// Steps of the model's length from where the call begins; the last one ends at `time` to the bit, and is shorter when
// the interval is not a multiple. A multiple but for rounding is one, also none: then only the clock is set.
static br_status contact_advance(br_sim *sim, double time, br_error *error) {
    const double start = sim->state.at->t, h = sim->model->settings.solver.step, steps = (time - start) / h,
                 slack = br_clock_slack(fmax(fabs(start), fabs(time)), h);
    if (steps <= slack) {
        sim->state.at->t = sim->t_eval = time;
        return BR_OK;
    }
    const double whole = fmax(1.0, ceil(steps - slack));
    // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter) whole numbers, and more of them than an int may hold
    for (double k = 1.0; k <= whole; k++) {
        const double t_next = k < whole ? start + k * h : time;
        const double length = k < whole || fabs(steps - whole) < slack ? h : time - sim->state.at->t;
        const br_status status = br_step_contact(sim, length, t_next, error);
        if (status != BR_OK) return status;
    }
    return BR_OK;
}

static int contact_order(const br_solver_settings *solver) {
    return solver->theta > 0.5 || solver->position_old ? 1 : 2;
}

// Whether the reference stepper takes the model, as far as it is known before a run. Of compliant contacts with friction it has
// one at a time, and who knows how many come.
static int reference_takes(const br_model *model) {
    const br_model_contact *contact = model->contact;
    br_error ignored = {0};
    int a = 0, b = 0;
    if (model->beams > 0 || br_stepper_reference.refuse(model, &ignored) != BR_OK) return 0;
    if (!contact || !br_model_first_touch(model, &a, &b)) return 1;
    for (int k = 0; k < contact->pairs; k++) {
        const br_pair_def *pair = &contact->pair[k];
        if (pair->compliance && pair->mu_static > 0.0) return 0;
    }
    return 1;
}

// theta 1/2 keeps the energy of smooth motion, theta 1 takes from what rings.
static const char *contact_remedy(const br_model *model, int loss) {
    const double theta = model->settings.solver.theta;
    if (!reference_takes(model))
        return theta > 0.5 ? "a smaller solver.step or solver.theta: 0.5"
               : loss      ? "a smaller solver.step"
                           : "a smaller solver.step or solver.theta: 1 (it damps)";
    return theta > 0.5 ? "a smaller solver.step, solver.theta: 0.5 or solver.stepper: reference"
           : loss      ? "a smaller solver.step or solver.stepper: reference"
                       : "a smaller solver.step, solver.theta: 1 (it damps) or solver.stepper: reference";
}

static const char *contact_takes_energy(const br_model *model) {
    const br_settings *settings = &model->settings;
    return settings->contact_paper        ? "the step of `paper: true` takes energy"
           : settings->solver.theta > 0.5 ? "a solver.theta above 0.5 takes energy"
                                          : "";
}

const br_stepper_ops br_stepper_contact = {
    .refuse = contact_refuse,
    .advance = contact_advance,
    .order = contact_order,
    .remedy = contact_remedy,
    .takes_energy = contact_takes_energy,
};
