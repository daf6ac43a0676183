// The `reference` stepper: SUNDIALS CVODE with error control, for answers to be trusted to nearly all their digits.
//
// The integrator runs ahead in steps of its own and the state asked for is interpolated from it, so output intervals
// cost nothing and change nothing. It starts anew at the knots of tables, at joint limits, and when the state was
// changed from outside. Adams' methods (orders to 12) are used until dampers, not the motion, are seen to dictate the
// step; from then on backward differences with Newton's method. See docs/theory/reference_stepper.md.
#include "math/elementary.h"
#include "sim/core/control.h"
#include "sim/core/ledger.h"
#include "sim/friction/friction.h"
#include "sim/stepper/reference/contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/hash.h"
#include "sim/rows/group.h"

#define BR_MAX_STEPS                                                                                         \
    20200 // internal steps in which the clock has not moved by a solver.step: something holds them up
#define BR_MAX_WORK 3.5e9      // multiplications of the same: some ten seconds of 2020
#define BR_WORK_OF_PAIRS 500.0 // of looking for contacts in a step, for each pair of links
#define BR_ATTRACTION 0.005 // rate at which loops close, times the step: Adams of order 12 bears little more
#define BR_ATTRACTION_GROWTH 1.002 // largest, from step to step
#define BR_STARTING_STEPS 20       // after which a step is as long as the motion allows
#define BR_MAX_STALLED 100         // steps that no longer move the clock
#define BR_MAX_STEP_RATIO 20.0     // longest step, of solver.step, where forces may come and go unannounced
#define BR_MAX_RELAXATION 1e3      // largest factor on the tolerance at a singular position
#define BR_UNRESISTED 1e-6         // of the inertia that a joint moved: it is resisted by next to nothing
#define BR_STOP_NEVER 1e300        // s
#define BR_MAX_BISECTIONS 100      // of a step: to the last digit
#define BR_MAX_SETTLING 8          // rounds of limits and contacts striking each other
#define BR_PAST 1e-6  // of solver.step: how far beyond the end of a solution one looks for another, and
#define BR_MAX_PAST 3 // how often ten times as far
// Smallest eigenvalue of the scaled W: a singular position is left, is near, is far.
#define BR_SINGULAR_LEFT 1e-6
#define BR_SINGULAR_NEAR 1e-4
#define BR_SINGULAR_FAR 1e-3

// --- state to integrator and back --------------------------------------------------------------------------

static int was_changed(const br_reference *r) {
    const br_sim *sim = r->sim;
    return r->outside != sim->outside || sim->last.at->t != sim->state.at->t ||
           memcmp(sim->last.q, sim->state.q, (size_t)r->nq * sizeof(double)) != 0 ||
           memcmp(sim->last.v, sim->state.v, (size_t)r->nv * sizeof(double)) != 0;
}

// The integrator's point becomes the simulation's state, without closing anything.
static void take(br_reference *r, double t) {
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(r->scratch);
    sim->state.at->t = sim->t_eval = t;
    memcpy(sim->state.q, y, (size_t)r->nq * sizeof *y);
    memcpy(sim->state.v, y + r->nq, (size_t)r->nv * sizeof *y);
    br_reference_friction_take(r, y);
    br_tree_normalize(&sim->model->tree, sim->state.q);
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->h = 0.0;
    br_sim_measure_loops(sim, r->loop_q, sim->state.loop_q);
}

// What is prescribed may jump at a knot: what holds there is what it goes on with.
static int has_knot(const br_function *f, double t);

static double side_of_knot(const br_sim *sim, double t) {
    const br_model *m = sim->model;
    int knot = 0;
    for (int i = 0; i < m->drives && !knot; i++) knot = has_knot(br_drive_target(sim, i), t);
    for (int i = 0; i < m->constraints && !knot; i++) knot = has_knot(m->constraint[i].value, t);
    return knot ? nextafter(t, INFINITY) : t;
}

// Loops closed to the last digit at the simulation's state. What they were open by goes into the ledger.
static br_status close(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (sim->exact.groups == 0) return BR_OK;
    sim->t_eval = side_of_knot(sim, sim->state.at->t);
    br_sim_variables(sim);
    br_sim_fill(sim, &sim->exact);
    for (int g = 0; g < sim->exact.groups; g++)
        if (sim->exact.group[g]->kind->target) sim->exact.group[g]->kind->target(sim, sim->exact.group[g]);
    sim->ledger->loop_error = fmax(sim->ledger->loop_error, br_loop_error(sim));
    sim->ledger->loop_velocity_error = fmax(sim->ledger->loop_velocity_error, br_loop_velocity_error(sim));
    br_status status = br_project_position(sim, sim->state.q, 1, error);
    if (status == BR_OK) status = br_project_velocity(sim, error);
    if (status == BR_OK) br_sim_measure_loops(sim, r->loop_q, sim->state.loop_q);
    return status;
}

static double sooner(const br_function *f, double t, double best) {
    return f ? fmin(best, br_function_next_knot(f, t)) : best;
}

static double next_stop(const br_sim *sim, double t) {
    const br_model *m = sim->model;
    double stop = BR_STOP_NEVER;
    const double after = t + 16.0 * DBL_EPSILON * fmax(fabs(t), 1e-3); // a knot this near is where we are
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++) stop = sooner(m->load[i].component[k], after, stop);
    for (int i = 0; i < m->drives; i++) stop = sooner(br_drive_target(sim, i), after, stop);
    for (int i = 0; i < m->constraints; i++) {
        stop = sooner(m->constraint[i].value, after, stop);
        for (int k = 0; k < m->constraint[i].terms; k++)
            stop = sooner(m->constraint[i].term[k].coefficient, after, stop);
    }
    return stop;
}

static void keep_safe(br_reference *r) {
    N_VScale(1.0, r->y, r->safe);
    r->t_safe = r->t;
    memcpy(r->loop_q_safe, r->loop_q, (size_t)r->sim->model->loop_nq * sizeof(double));
}

// Expressions and callbacks may act for a moment only; tables say when. A gap is looked at only at the ends of a step:
// one that closes and opens within it would not be seen, so limits are looked for once per solver.step.
static double longest_step(const br_reference *r) {
    const br_model *m = r->sim->model;
    if (r->limits > 0 || r->contact || r->sim->frictions) return m->settings.solver.step;
    int unannounced = r->sim->callback != NULL;
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++) {
            const br_function *f = m->load[i].component[k];
            unannounced |=
                f && !br_function_is_constant(f) && br_function_next_knot(f, -INFINITY) == INFINITY;
        }
    for (int i = 0; i < m->drives; i++)
        unannounced |= !br_function_is_constant(br_drive_target(r->sim, i)) &&
                       br_function_next_knot(br_drive_target(r->sim, i), -INFINITY) == INFINITY;
    return unannounced ? BR_MAX_STEP_RATIO * m->settings.solver.step : 0.0;
}

// The integrator without a past, at r->t and r->y.
static br_status begin(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    const br_status status = br_reference_choose_method(r, error);
    if (status != BR_OK) return status;
    r->stop = next_stop(sim, r->t);
    r->attraction = 0.0;
    r->factored = 0;
    memset(r->weak, 0, (size_t)sim->exact.rows * sizeof *r->weak);
    r->weakest = 1.0;
    r->at_stop = r->at_limit = r->at_switch = r->at_renewal = r->at_contact = r->at_friction = r->at_lost =
        r->passing = r->stalled = r->stiff = 0;
    r->steps = 0;
    if (br_reference_tolerances(r, r->memory) || CVodeReInit(r->memory, r->t, r->y) != CV_SUCCESS ||
        CVodeSetStopTime(r->memory, r->stop) != CV_SUCCESS ||
        CVodeSetMaxStep(r->memory, longest_step(r)) != CV_SUCCESS)
        return br_reference_no_memory(error);
    return BR_OK;
}

// Which limits are held, as a number.
static uint64_t held_limits(const br_reference *r) {
    uint64_t hash = BR_HASH_START;
    for (int i = 0; i < r->limits; i++) hash = br_hash_u64(hash, (uint64_t)r->on[i]);
    return hash;
}

// Limits at the simulation's state. Energy that they take is damping.
static br_status settle_limits(br_reference *r, double *books, br_error *error) {
    br_sim *sim = r->sim;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    const double before = sim->energy->total;
    const br_status status = br_reference_settle(r, error);
    if (status != BR_OK) return status;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    books[BR_INTEGRAL_DAMPING] += before - sim->energy->total;
    return BR_OK;
}

// Contacts, and joint friction beside them: their modes are one problem, see contact_decide.c.
static br_status settle_friction(br_reference *r, int fresh, int *struck, double *books, br_error *error) {
    br_status status = BR_OK;
    if (r->contact) {
        status = br_reference_contact_settle(r, fresh, struck, error);
        books[BR_INTEGRAL_FRICTION] += r->contact->friction_jump;
        r->contact->friction_jump = 0.0;
    } else if (r->sim->frictions) {
        status = br_reference_friction_choose(r, error);
    }
    if (status != BR_OK || !r->sim->frictions) return status;
    double lost = 0.0;
    status = br_reference_friction_stop(r, &lost, error);
    books[BR_INTEGRAL_FRICTION] += lost;
    return status;
}

// Limits, and all that rubs, at the simulation's state in turn, until neither changes the other.
static br_status settle(br_reference *r, int fresh, double *books, br_error *error) {
    br_sim *sim = r->sim;
    uint64_t held = 0;
    int struck = 0;
    br_status status = sim->frictions ? br_reference_friction_begin(r, fresh, error) : BR_OK;
    for (int round = 0; status == BR_OK && round < BR_MAX_SETTLING; round++) {
        status = settle_limits(r, books, error);
        if (status != BR_OK) return status;
        if (round > 0 && !struck && held_limits(r) == held) break;
        held = held_limits(r);
        status = settle_friction(r, fresh && round == 0, &struck, books, error);
        if (r->contact ? r->limits == 0 : r->motors == 0) break;
    }
    if (status != BR_OK) return status;
    if (sim->frictions && !fresh) br_reference_friction_tell(r);
    sim->at = 0;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    return BR_OK;
}

// The simulation's state, settled at its limits and contacts, becomes the integrator's.
static br_status start(br_reference *r, int fresh, double *books, br_error *error) {
    br_sim *sim = r->sim;
    r->t = sim->state.at->t;
    r->stop = next_stop(sim, r->t);
    memcpy(r->loop_q, sim->state.loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    const br_status status = settle(r, fresh, books, error);
    if (status != BR_OK) return status;
    double *y = N_VGetArrayPointer(r->y);
    memcpy(y, sim->state.q, (size_t)r->nq * sizeof *y);
    memcpy(y + r->nq, sim->state.v, (size_t)r->nv * sizeof *y);
    memcpy(y + r->nq + r->nv, books, (size_t)r->books * sizeof *y);
    br_reference_friction_give(r, y);
    keep_safe(r);
    return begin(r, error);
}

// --- events ------------------------------------------------------------------------------------------------

static int has_knot(const br_function *f, double t) {
    return f && br_function_next_knot(f, nextafter(t, -INFINITY)) == t;
}

static void announce_knot(const br_reference *r, const char *name, const br_function *f) {
    br_sim *sim = r->sim;
    br_event event = {
        .t = r->stop, .kind = BR_EVENT_LOAD_KNOT, .value = br_function_value(f, r->stop, sim->values)};
    snprintf(event.name, sizeof event.name, "%s", name);
    sim->event(sim->event_context, &event);
}

static void announce_knots(const br_reference *r) {
    const br_model *m = r->sim->model;
    if (!r->sim->event) return;
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++)
            if (has_knot(m->load[i].component[k], r->stop)) {
                announce_knot(r, m->load[i].name, m->load[i].component[k]);
                break;
            }
    for (int i = 0; i < m->drives; i++)
        if (has_knot(br_drive_target(r->sim, i), r->stop))
            announce_knot(r, m->drive[i].name, br_drive_target(r->sim, i));
    for (int i = 0; i < m->constraints; i++)
        if (has_knot(m->constraint[i].value, r->stop))
            announce_knot(r, m->constraint[i].name, m->constraint[i].value);
}

// Where friction forces end (two solutions meet and are gone, or the last share of a load at rest is), the instant itself is neither with a
// solution nor without one, to any number of digits. So it is looked at a little later, the motion going on as it was: there either other
// forces agree, or it can be proved that none do.
static void step_past(br_reference *r) {
    const double step = r->sim->model->settings.solver.step;
    if (r->t - r->t_past > 1e3 * BR_PAST * step || r->t < r->t_past) r->past = 0;
    const double ahead = BR_PAST * step * br_pow(10.0, r->past);
    const double by = fmin(ahead, 0.5 * (r->stop - r->t));
    if (r->past < BR_MAX_PAST) r->past++;
    if (br_reference_rate(r->t, r->y, r->scratch, r) != 0) {
        const double *y = N_VGetArrayPointer(r->y);
        N_VConst(0.0, r->scratch);
        br_tree_rate(&r->sim->model->tree, y, y + r->nq, N_VGetArrayPointer(r->scratch));
    }
    N_VLinearSum(1.0, r->y, by, r->scratch, r->y);
    r->t_past = r->t += by;
}

int br_reference_is_friction_lost(const br_error *why) {
    return why->code &&
           (strcmp(why->code, "friction-lost") == 0 || strcmp(why->code, "friction-undecided") == 0);
}

// The state at r->t, its events passed, becomes the integrator's again; where friction is not decided there, that of a little later.
static br_status start_past(br_reference *r, double *books, br_error *error) {
    br_error why = {0};
    br_status status = start(r, 0, books, &why);
    for (int k = 0; k < BR_MAX_PAST && status == BR_NUMERICAL && br_reference_is_friction_lost(&why) &&
                    r->work <= r->most_work;
         k++) {
        br_error later = {0};
        step_past(r);
        N_VScale(1.0, r->y, r->scratch);
        take(r, r->t);
        status = start(r, 0, books, &later);
        if (status != BR_NUMERICAL || !br_reference_is_friction_lost(&later)) why = later;
    }
    if (status != BR_OK && error) *error = why;
    return status;
}

// At a knot a prescribed velocity may jump: the drive's impulse does work. At a limit the velocity jumps.
static br_status pass_event(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(r->y);
    double books[BR_INTEGRALS] = {0.0};
    memcpy(books, y + r->nq + r->nv, (size_t)r->books * sizeof *books);
    if (r->at_switch && !r->bdf) {
        const br_status status = br_reference_create_bdf(r, error);
        if (status != BR_OK) return status;
    }
    if (r->at_switch) r->memory = r->bdf;
    if (r->at_renewal) r->relaxation = 1.0;
    if (r->at_lost) step_past(r);
    N_VScale(1.0, r->y, r->scratch);
    take(r, r->t);
    if (r->at_stop) announce_knots(r);
    if (r->at_stop || r->at_renewal) {
        br_sim_update_energy(sim);
        const double before = sim->energy->total;
        const br_status status = close(r, error);
        if (status != BR_OK) return status;
        br_sim_update_energy(sim);
        if (r->at_stop) books[BR_INTEGRAL_INPUT] += sim->energy->total - before;
    }
    return start_past(r, books, error);
}

br_status br_reference_bisect(br_reference *r, double low, double high, br_reference_check check,
                              br_error *error) {
    int over = 0;
    br_status status = BR_OK;
    for (int k = 0; k < BR_MAX_BISECTIONS && status == BR_OK; k++) {
        const double middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high)) break;
        status = check(r, middle, &over, error);
        *(over ? &high : &low) = middle;
    }
    if (status == BR_OK) status = check(r, high, &over, error);
    if (status != BR_OK) return status;
    N_VScale(1.0, r->scratch, r->y);
    r->t = high;
    return BR_OK;
}

// --- moving ------------------------------------------------------------------------------------------------

static br_status failed(br_reference *r, int flag, br_error *error) {
    double h = 0.0;
    char *name = CVodeGetReturnFlagName(flag);
    CVodeGetCurrentStep(r->memory, &h);
    const br_status status =
        br_fail(error, BR_NUMERICAL, "reference-failed",
                "t = %.9g s: the integrator gave up at a step of %.3g s (%s)%s%s", r->t, h, name ? name : "?",
                r->cause.code ? ": " : "", r->cause.code ? r->cause.message : "");
    free(name);
    return status;
}

// Rounding, magnified by a singular position, can exceed a tight tolerance: steps then shrink without end. Back to where
// all was well, and once more with a tolerance ten times as large.
static int can_retreat(br_reference *r) {
    return r->weakest < BR_SINGULAR_FAR && r->relaxation < BR_MAX_RELAXATION;
}

static br_status retreat(br_reference *r, br_error *error) {
    r->relaxation *= 10.0;
    r->shy = 1;
    N_VScale(1.0, r->safe, r->y);
    r->t = r->t_safe;
    memcpy(r->loop_q, r->loop_q_safe, (size_t)r->sim->model->loop_nq * sizeof(double));
    return begin(r, error);
}

// A joint of massless bodies in a position in which what they carry does not resist it (a universal joint whose first axis lies along the
// link): it turns as fast as rounding lets it, and no step is short enough. 0: there is none.
static int is_unresisted(const br_reference *r, br_error *error) {
    const br_model *m = r->sim->model;
    double part;
    const int link = br_reference_least_resisted(r, &part);
    if (link < 0 || !(part < BR_UNRESISTED)) return 0;
    br_fail(
        error, BR_NUMERICAL, "reference-stalled",
        "t = %.9g s: next to nothing resists joint '%s' of body '%s' here: %.1g of the inertia that it moved "
        "before. In this position it turns faster than steps can follow. Other axes for this joint, or a "
        "moment of inertia for '%s', or the contact stepper, goes on",
        r->t, m->joint[m->link_joint[link]].name, m->body[m->link_body[link]].name, part,
        m->body[m->link_body[link]].name);
    return 1;
}

static br_status stalled(const br_reference *r, br_error *error) {
    if (is_unresisted(r, error)) return BR_NUMERICAL;
    return br_fail(
        error, BR_NUMERICAL, "reference-stalled",
        "t = %.9g s: the steps have become too short to move the clock: does a force jump, or grow without "
        "end?",
        r->t);
}

static br_status too_many(const br_reference *r, long first, br_error *error) {
    if (is_unresisted(r, error)) return BR_NUMERICAL;
    return br_fail(
        error, BR_NUMERICAL, "reference-stalled",
        "t = %.9g s: %ld steps have not moved the clock by a solver.step: a singular position, or a ratio of "
        "masses "
        "or "
        "stiffnesses, holds them up. If the motion really is that fast, a smaller solver.step allows more",
        r->t, r->sim->ledger->steps - first);
}

// Named by its work, which is the same on every machine.
static br_status too_slow(const br_reference *r, br_error *error) {
    const br_sim *sim = r->sim;
    const int touching = r->contact ? r->contact->count : 0;
    double h = 0.0;
    CVodeGetLastStep(r->memory, &h);
    return br_fail(
        error, BR_NUMERICAL, "reference-slow",
        "t = %.9g s: %.2g multiplications since t = %.9g s have not moved the clock by a solver.step (%d "
        "links, %d "
        "contact points closed, the last step %.2g s long): "
        "steps or exact events are too many, or too costly, here. The contact stepper goes on: --set "
        "solver.stepper=contact",
        r->t, r->work, r->t_looked, sim->model->tree.links, touching, h);
}

// What a step shows about singular positions, stiffness and the rate at which loops should close.
static void take_stock(br_reference *r) {
    double h = 0.0;
    CVodeGetLastStep(r->memory, &h);
    r->shy |= r->weakest > BR_SINGULAR_LEFT;
    r->passing |= r->weakest < BR_SINGULAR_NEAR;
    r->at_renewal = r->passing && r->weakest > BR_SINGULAR_FAR;
    r->at_switch = br_reference_is_stiff(r, h);
    // Down at once when the step grows, for stability. Up only slowly, and not in the short steps of a start: the error
    // of a step has a part in attraction times step, which would not shrink with the step.
    if (r->attraction > 0.0)
        r->attraction = fmin(BR_ATTRACTION / h, BR_ATTRACTION_GROWTH * r->attraction);
    else if (r->steps >= BR_STARTING_STEPS)
        r->attraction = BR_ATTRACTION / h;
    if (r->sim->model->loops > 0) {
        N_VScale(1.0, r->y, r->scratch);
        take(r, r->t);
        memcpy(r->loop_q, r->sim->state.loop_q, (size_t)r->sim->model->loop_nq * sizeof(double));
    }
    if (r->weakest > BR_SINGULAR_FAR) keep_safe(r);
}

// Steps that shrink without end because the friction forces that they go on with are about to end: not if that was tried just now.
static int ends_in_friction(const br_reference *r, int is_it) {
    const double step = r->sim->model->settings.solver.step;
    return is_it && (r->past < BR_MAX_PAST || r->t - r->t_past > 1e3 * BR_PAST * step || r->t < r->t_past);
}

static br_status one_step(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    const double before = r->t, tout = before + 100.0 * sim->model->settings.solver.step;
    r->cause.code = NULL;
    memcpy(sim->state.loop_q, r->loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    if (r->contact) {
        r->work += BR_WORK_OF_PAIRS * sim->model->tree.links * sim->model->tree.links;
        const br_status status = br_reference_contact_watch(r, error);
        if (status != BR_OK) return status;
    }
    int flag = CVode(r->memory, tout, r->y, &r->t, CV_ONE_STEP);
    if (flag < 0 && r->work > r->most_work) {
        r->t = before;
        return too_slow(r, error);
    }
    if (flag < 0 && can_retreat(r)) return retreat(r, error);
    if (flag < 0 && r->shy && r->cause.code) {
        // A singular position that no step length avoids: it starts there, or stays. Then it is taken as it is.
        r->shy = 0;
        r->t = before;
        if (CVodeReInit(r->memory, r->t, r->y) == CV_SUCCESS)
            flag = CVode(r->memory, tout, r->y, &r->t, CV_ONE_STEP);
    }
    if (flag < 0) {
        r->t = before;
        r->at_lost = ends_in_friction(r, br_reference_is_friction_lost(&r->cause));
        return r->at_lost ? BR_OK : failed(r, flag, error);
    }
    r->at_stop = flag == CV_TSTOP_RETURN || r->t >= r->stop;
    r->at_limit = flag == CV_ROOT_RETURN;
    sim->ledger->steps++;
    r->steps++;
    r->stalled = r->t - before > 4.0 * DBL_EPSILON * fabs(r->t) ? 0 : r->stalled + 1;
    if (r->stalled > BR_MAX_STALLED) {
        r->at_lost = ends_in_friction(r, sim->frictions && sim->frictions->set_valued > 0);
        if (r->at_lost) return BR_OK;
        return can_retreat(r) ? retreat(r, error) : stalled(r, error);
    }
    if (r->contact) {
        const br_status status = br_reference_contact_locate(r, before, &r->at_contact, error);
        if (status != BR_OK) return status;
        if (r->at_contact) r->at_stop = r->t >= r->stop, r->at_limit = 0;
    }
    if (sim->frictions) {
        const br_status status = br_reference_friction_locate(r, before, &r->at_friction, error);
        if (status != BR_OK) return status;
        if (r->at_friction) r->at_stop = r->t >= r->stop, r->at_limit = 0;
    }
    take_stock(r);
    return br_reference_method_has_changed(r) ? begin(r, error) : BR_OK;
}

// The state at t <= r->t, closed, with its books.
static br_status deliver(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    if (t < r->t && r->steps == 0) { // the end of a solution was stepped past: back, by as little
        if (br_reference_rate(r->t, r->y, r->scratch, r) != 0) N_VConst(0.0, r->scratch);
        N_VLinearSum(1.0, r->y, t - r->t, r->scratch, r->scratch);
    } else if (t < r->t) {
        const int flag = CVodeGetDky(r->memory, t, 0, r->scratch);
        if (flag != CV_SUCCESS) return failed(r, flag, error);
    } else {
        N_VScale(1.0, r->y, r->scratch);
    }
    double books[BR_INTEGRALS] = {0.0};
    const double *y = N_VGetArrayPointer(r->scratch);
    memcpy(books, y + r->nq + r->nv, (size_t)r->books * sizeof *books); // projections use the same memory
    if (!br_all_finite(r->n, y))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a position is not a finite number", t);
    take(r, t);
    br_status status = close(r, error);
    if (status != BR_OK) return status;
    if (r->contact) status = br_reference_contact_deliver(r, error);
    if (status == BR_OK && sim->frictions) status = br_reference_friction_deliver(r, error);
    if (status != BR_OK) return status;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    br_ledger *l = sim->ledger;
    l->now = *sim->energy;
    l->input = books[BR_INTEGRAL_INPUT], l->damping = books[BR_INTEGRAL_DAMPING], l->scheme = 0.0;
    l->friction = books[BR_INTEGRAL_FRICTION];
    if (r->contact) l->impact = r->contact->impact;
    l->unaccounted = l->input - l->damping - l->friction - l->impact - (sim->energy->total - l->start.total);
    br_state_remember(&sim->block);
    r->outside = sim->outside;
    br_judge_step(sim);
    return BR_OK;
}

// From a state that came from outside. Its loops are closed first, as every step leaves them.
static br_status restart(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    r->shy = 1;
    r->relaxation = 1.0;
    r->past = 0, r->t_past = 0.0;
    memset(r->row_size, 0, (size_t)sim->exact.rows * sizeof *r->row_size);
    memcpy(r->loop_q, sim->state.loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->t_eval = sim->state.at->t, sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->h = 0.0;
    br_sim_update_energy(sim);
    const double before = sim->energy->total;
    const br_status status = close(r, error);
    double books[BR_INTEGRALS] = {sim->ledger->input, sim->ledger->damping, sim->ledger->friction};
    int controlled = 0; // a velocity that was set anew jumps, as at a knot
    for (int i = 0; i < sim->model->drives; i++) controlled |= br_control_jumps(sim, i, sim->state.at->t);
    if (controlled) {
        br_sim_update_energy(sim);
        books[BR_INTEGRAL_INPUT] += sim->energy->total - before;
    }
    if (r->contact) r->contact->impact = sim->ledger->impact;
    return status == BR_OK ? start(r, 1, books, error) : status;
}

static br_status move(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    br_status status = BR_OK;
    if (was_changed(r)) {
        br_state_remember(&sim->block);
        r->memory = r->adams;
        r->untried = 1;
        if (r->contact) {
            r->contact->implicit = 0, r->contact->turning_idle = 0.0;
            status = br_reference_contact_remember(r, error);
        }
        if (status == BR_OK) status = restart(r, error);
        r->outside = sim->outside;
    }
    const double step = sim->model->settings.solver.step;
    long first = sim->ledger->steps;
    r->work = 0.0, r->most_work = BR_MAX_WORK, r->t_looked = r->t;
    while (status == BR_OK && r->t <= t) {
        // However far t is, and however often rows are wanted: the clock has to move.
        if (r->t - r->t_looked >= step) first = sim->ledger->steps, r->work = 0.0, r->t_looked = r->t;
        if (sim->ledger->steps - first > BR_MAX_STEPS) return too_many(r, first, error);
        if (r->work > r->most_work) return too_slow(r, error);
        if (r->at_stop || r->at_limit || r->at_switch || r->at_renewal || r->at_contact || r->at_friction ||
            r->at_lost)
            status = pass_event(r, error);
        else if (r->t < t)
            status = one_step(r, error);
        else
            break;
    }
    return status;
}

// To t, without beginning anew on the way.
static br_status go_to(br_sim *sim, double t, br_error *error) {
    if (!sim->reference) {
        const br_status status = br_reference_create(sim, error);
        if (status != BR_OK) {
            br_reference_destroy(sim->reference);
            sim->reference = NULL;
            return status;
        }
    }
    br_reference *r = sim->reference;
    r->moving = 1;
    br_status status = move(r, t, error);
    if (status == BR_OK) status = deliver(r, t, error);
    r->moving = 0;
    if (status == BR_OK) return BR_OK;
    br_state_put_back(&sim->block);
    sim->at = 0;
    if (r->contact) br_reference_contact_put_back(r);
    r->outside = sim->outside - 1; // the next call starts anew
    br_motors_forget(sim);
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_sim_update_energy(sim);
    return status;
}

// The integrator and all that it remembers are made anew from the saved state, as in another simulation that loads it.
static br_status begin_anew(br_sim *sim, br_error *error) {
    const size_t size = br_sim_snapshot_size(sim);
    void *bytes = br_sim_take(sim, size);
    if (!bytes) return br_reference_no_memory(error);
    br_sim_save(sim, bytes);
    br_reference_destroy(sim->reference);
    sim->reference = NULL;
    const br_status status = br_sim_load(sim, bytes, size, error);
    br_sim_give(sim, bytes);
    return status;
}

// At multiples of solver.restart nothing is left of the past: the state there is all that the rest depends on.
br_status br_step_reference(br_sim *sim, double t, br_error *error) {
    const double every = sim->model->settings.solver.restart;
    for (double at; (at = br_restart_time(br_sim_time(sim), every)) <= t;) {
        br_status status = go_to(sim, at, error);
        if (status == BR_OK) status = begin_anew(sim, error);
        if (status != BR_OK) return status;
    }
    return br_sim_time(sim) < t ? go_to(sim, t, error) : BR_OK;
}
