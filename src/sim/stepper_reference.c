// The `reference` stepper: SUNDIALS CVODE with error control, for answers to be trusted to nearly all their digits.
//
// The integrator runs ahead in steps of its own and the state asked for is interpolated from it, so output intervals
// cost nothing and change nothing. It starts anew at the knots of tables, at joint limits, and when the state was
// changed from outside. Adams' methods (orders to 12) are used until dampers, not the motion, are seen to dictate the
// step; from then on backward differences with Newton's method. See docs/theory/reference_stepper.md.
#include "sim/stepper_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/groups.h"

#define BR_EPS_SMALL 1e-2        // absolute tolerances, of the relative one times the scale: small numbers matter less
#define BR_EPS_REFERENCE 1e-14   // the tightest relative tolerance that rounding leaves room for
#define BR_ATTRACTION 0.005      // rate at which loops close, times the step: Adams of order 12 bears little more
#define BR_MAX_STALLED 100       // steps that no longer move the clock
#define BR_MAX_STEP_RATIO 20.0   // longest step, of solver.step, where forces may come and go unannounced
#define BR_STIFF_INTERVAL 500    // Adams steps between looks at stiffness
#define BR_STIFF_PRODUCT 0.1     // damping rate times the mean step above which dampers dictate it
#define BR_STOP_NEVER 1e300
#define BR_SINGULAR_NEAR 1e-4    // below it errors across the closed states are let grow, above
#define BR_SINGULAR_FAR 1e-3     // it they are taken out
#define BR_SINGULAR_LEFT 1e-6    // eigenvalue of the scaled W above which a singular position is behind

// --- creation ----------------------------------------------------------------------------------------------

static br_status no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the reference stepper");
}

// What CVODE says is in its return value; it must not print.
static void quiet(int code, const char *module, const char *function, char *message, void *context) {
    (void)code, (void)module, (void)function, (void)message, (void)context;
}

// A motor that holds a velocity with a bounded effort sticks and slips like friction: no smooth right-hand side has it.
static br_status refuse(const br_model *m, br_error *error) {
    for (int i = 0; i < m->drives; i++)
        if ((m->drive[i].type == BR_DRIVE_VELOCITY || m->drive[i].type == BR_DRIVE_POSITION) &&
            isfinite(m->drive[i].max_effort))
            return br_fail(error, BR_INVALID, "reference-bounded-motor",
                           "drive '%s' holds a motion within a largest effort, which the reference stepper cannot "
                           "represent; use solver: {stepper: contact}, or a servo",
                           m->drive[i].name);
    return BR_OK;
}

static int does_work(const br_sim *sim) {
    const br_model *m = sim->model;
    if (m->loads > 0 || m->drives > 0 || m->constraints > 0 || sim->springs > 0) return 1;
    for (int i = 0; i < m->loops; i++)
        if (m->joint[m->loop[i].joint].sprung) return 1;
    return 0;
}

// Absolute tolerances: of lengths, of angles in rad, of a quaternion in full, of their rates per second, of energies.
static void set_tolerances(br_reference *r, double rtol) {
    const br_tree *tree = &r->sim->model->tree;
    double *a = N_VGetArrayPointer(r->absolute);
    const double length = r->sim->length_scale;
    double mass = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const int turning = link->kind->nq != link->kind->nv;
        mass += link->mass;
        for (int k = 0; k < link->kind->nq; k++) {
            const int quaternion = turning && k >= link->kind->nq - 4;
            const int angle = link->kind->angles >> k & 1u;
            a[link->q_at + k] = quaternion ? rtol : rtol * BR_EPS_SMALL * (angle ? 1.0 : length);
        }
        for (int k = 0; k < link->kind->nv; k++) {
            const int turns = turning ? k >= link->kind->nv - 3 : (int)(link->kind->angles >> k & 1u);
            a[r->nq + link->v_at + k] = rtol * BR_EPS_SMALL * (turns ? 1.0 : length);
        }
    }
    const double energy = fmax(mass * length * length, fabs(r->sim->energy.kinetic));
    a[r->nq + r->nv] = a[r->nq + r->nv + 1] = rtol * energy;
}

// Expressions and callbacks may act for a moment only; tables say when.
static double longest_step(const br_reference *r) {
    const br_model *m = r->sim->model;
    int unannounced = r->sim->callback != NULL;
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++) {
            const br_function *f = m->load[i].component[k];
            unannounced |= f && !br_function_is_constant(f) && br_function_next_knot(f, -INFINITY) == INFINITY;
        }
    for (int i = 0; i < m->drives; i++)
        unannounced |= !br_function_is_constant(m->drive[i].target) &&
                       br_function_next_knot(m->drive[i].target, -INFINITY) == INFINITY;
    return unannounced ? BR_MAX_STEP_RATIO * m->settings.solver.step : 0.0;
}

static int configure(br_reference *r, void *memory) {
    const double rtol = fmax(r->sim->model->settings.solver.tol, BR_EPS_REFERENCE);
    if (CVodeSetErrHandlerFn(memory, quiet, NULL) != CV_SUCCESS) return 1;
    if (CVodeInit(memory, br_reference_rate, r->t, r->y) != CV_SUCCESS) return 1;
    set_tolerances(r, rtol);
    if (CVodeSVtolerances(memory, rtol, r->absolute) != CV_SUCCESS) return 1;
    if (CVodeSetUserData(memory, r) != CV_SUCCESS || CVodeSetMaxHnilWarns(memory, -1) != CV_SUCCESS) return 1;
    if (r->limits == 0) return 0;
    for (int i = 0; i < r->limits; i++) r->on[i] = -1; // falling only
    const int failed = CVodeRootInit(memory, r->limits, br_reference_roots) != CV_SUCCESS ||
                       CVodeSetRootDirection(memory, r->on) != CV_SUCCESS ||
                       CVodeSetNoInactiveRootWarn(memory) != CV_SUCCESS;
    for (int i = 0; i < r->limits; i++) r->on[i] = 0;
    r->active = 0;
    return failed;
}

static br_status create_adams(br_reference *r, br_error *error) {
    r->adams = CVodeCreate(CV_ADAMS, r->context);
    r->fixed_point = SUNNonlinSol_FixedPoint(r->y, 0, r->context);
    if (!r->adams || !r->fixed_point || configure(r, r->adams) ||
        CVodeSetNonlinearSolver(r->adams, r->fixed_point) != CV_SUCCESS)
        return no_memory(error);
    return BR_OK;
}

// Only when it is needed: its matrix is as large as the square of the state.
static br_status create_bdf(br_reference *r, br_error *error) {
    const sunindextype n = r->nq + r->nv + 2;
    r->bdf = CVodeCreate(CV_BDF, r->context);
    r->matrix = SUNDenseMatrix(n, n, r->context);
    r->linear = r->matrix ? SUNLinSol_Dense(r->y, r->matrix, r->context) : NULL;
    if (!r->bdf || !r->linear || configure(r, r->bdf) ||
        CVodeSetLinearSolver(r->bdf, r->linear, r->matrix) != CV_SUCCESS)
        return no_memory(error);
    return BR_OK;
}

static br_status create(br_sim *sim, br_error *error) {
    const br_model *m = sim->model;
    br_status status = refuse(m, error);
    if (status != BR_OK) return status;
    br_reference *r = BR_TAKE(&sim->arena, br_reference, 1);
    if (!r) return no_memory(error);
    r->sim = sim;
    r->nq = m->tree.nq, r->nv = m->tree.nv;
    r->outside = sim->outside - 1;
    r->has_power = does_work(sim);
    sim->exact.sharp = r->held.sharp = 1; // nearly singular positions are avoided, see stepper_reference_rate.c
    status = br_reference_limits_create(r, error);
    if (status != BR_OK) return status;
    const int rows = sim->exact.rows + r->limits;
    r->q = BR_TAKE(&sim->arena, double, r->nq);
    r->v = BR_TAKE(&sim->arena, double, r->nv);
    r->weak = BR_TAKE(&sim->arena, double, sim->exact.rows);
    r->row_size = BR_TAKE(&sim->arena, double, sim->exact.rows);
    r->error = BR_TAKE(&sim->arena, double, r->nv);
    r->q_before = BR_TAKE(&sim->arena, double, r->nq);
    r->loop_q = BR_TAKE(&sim->arena, double, m->loop_nq);
    r->dv = BR_TAKE(&sim->arena, double, r->nv);
    r->force = BR_TAKE(&sim->arena, double, rows);
    r->delivered.q = BR_TAKE(&sim->arena, double, r->nq);
    r->delivered.v = BR_TAKE(&sim->arena, double, r->nv);
    r->delivered.loop_q = BR_TAKE(&sim->arena, double, m->loop_nq);
    if (!r->q || !r->v || !r->weak || !r->row_size || !r->error || !r->q_before || !r->loop_q || !r->dv || !r->force || !r->delivered.q || !r->delivered.v || !r->delivered.loop_q)
        return no_memory(error);
    sim->reference = r; // from here on br_sim_destroy gives back what was taken
    if (SUNContext_Create(NULL, &r->context) != 0) return no_memory(error);
    r->y = br_reference_vector(r);
    r->absolute = br_reference_vector(r);
    r->scratch = br_reference_vector(r);
    if (!r->y || !r->absolute || !r->scratch) return no_memory(error);
    N_VConst(0.0, r->y);
    r->t = sim->state.t;
    status = create_adams(r, error);
    return status;
}

void br_reference_destroy(br_reference *r) {
    if (!r) return;
    if (r->adams) CVodeFree(&r->adams);
    if (r->bdf) CVodeFree(&r->bdf);
    if (r->fixed_point) SUNNonlinSolFree(r->fixed_point);
    if (r->linear) SUNLinSolFree(r->linear);
    if (r->matrix) SUNMatDestroy(r->matrix);
    if (r->y) N_VDestroy(r->y);
    if (r->absolute) N_VDestroy(r->absolute);
    if (r->scratch) N_VDestroy(r->scratch);
    if (r->context) SUNContext_Free(&r->context);
}

// --- state to integrator and back --------------------------------------------------------------------------

static void copy_state(const br_model *m, const br_sim_state *from, br_sim_state *to) {
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)m->tree.nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)m->tree.nv * sizeof(double));
    memcpy(to->loop_q, from->loop_q, (size_t)m->loop_nq * sizeof(double));
}

static int was_changed(const br_reference *r) {
    const br_sim *sim = r->sim;
    return r->outside != sim->outside || r->delivered.t != sim->state.t ||
           memcmp(r->delivered.q, sim->state.q, (size_t)r->nq * sizeof(double)) != 0 ||
           memcmp(r->delivered.v, sim->state.v, (size_t)r->nv * sizeof(double)) != 0;
}

// The integrator's point becomes the simulation's state, without closing anything.
static void take(br_reference *r, double t) {
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(r->scratch);
    sim->state.t = sim->t_eval = t;
    memcpy(sim->state.q, y, (size_t)r->nq * sizeof *y);
    memcpy(sim->state.v, y + r->nq, (size_t)r->nv * sizeof *y);
    br_tree_normalize(&sim->model->tree, sim->state.q);
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->h = 0.0;
    br_sim_measure_loops(sim, r->loop_q, sim->state.loop_q);
}

// Loops closed to the last digit at the simulation's state. What they were open by goes into the ledger.
static br_status close(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (sim->exact.groups == 0) return BR_OK;
    br_sim_variables(sim);
    br_sim_fill(sim, &sim->exact);
    for (int g = 0; g < sim->exact.groups; g++)
        if (sim->exact.group[g]->kind->target) sim->exact.group[g]->kind->target(sim, sim->exact.group[g]);
    sim->ledger.loop_error = fmax(sim->ledger.loop_error, br_loop_error(sim));
    sim->ledger.loop_velocity_error = fmax(sim->ledger.loop_velocity_error, br_loop_velocity_error(sim));
    br_status status = br_project_position(sim, sim->state.q, 1, error);
    if (status == BR_OK) status = br_project_velocity(sim, error);
    if (status == BR_OK) br_sim_measure_loops(sim, r->loop_q, sim->state.loop_q);
    return status;
}

static double sooner(const br_function *f, double t, double best) {
    return f ? fmin(best, br_function_next_knot(f, t)) : best;
}

static double next_stop(const br_model *m, double t) {
    double stop = BR_STOP_NEVER;
    const double after = t + 16.0 * DBL_EPSILON * fmax(fabs(t), 1e-3); // a knot this near is where we are
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++) stop = sooner(m->load[i].component[k], after, stop);
    for (int i = 0; i < m->drives; i++) stop = sooner(m->drive[i].target, after, stop);
    for (int i = 0; i < m->constraints; i++) {
        stop = sooner(m->constraint[i].value, after, stop);
        for (int k = 0; k < m->constraint[i].terms; k++) stop = sooner(m->constraint[i].term[k].coefficient, after, stop);
    }
    return stop;
}

// The simulation's state, settled at its limits, becomes the integrator's. Energy that limits take is damping.
static br_status start(br_reference *r, double input, double damping, br_error *error) {
    br_sim *sim = r->sim;
    r->t = sim->state.t;
    r->stop = next_stop(sim->model, r->t);
    r->attraction = 0.0;
    r->factored = 0;
    memset(r->weak, 0, (size_t)sim->exact.rows * sizeof *r->weak);
    memset(r->row_size, 0, (size_t)sim->exact.rows * sizeof *r->row_size);
    r->weakest = 1.0;
    r->at_stop = r->at_limit = r->at_switch = r->at_renewal = r->passing = r->stalled = 0;
    r->steps = 0;
    memcpy(r->loop_q, sim->state.loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    const double before = sim->energy.total;
    br_status status = br_reference_settle(r, error);
    if (status != BR_OK) return status;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    double *y = N_VGetArrayPointer(r->y);
    memcpy(y, sim->state.q, (size_t)r->nq * sizeof *y);
    memcpy(y + r->nq, sim->state.v, (size_t)r->nv * sizeof *y);
    y[r->nq + r->nv] = input;
    y[r->nq + r->nv + 1] = damping + before - sim->energy.total;
    if (CVodeReInit(r->memory, r->t, r->y) != CV_SUCCESS || CVodeSetStopTime(r->memory, r->stop) != CV_SUCCESS ||
        CVodeSetMaxStep(r->memory, longest_step(r)) != CV_SUCCESS)
        return no_memory(error);
    return BR_OK;
}

// --- events ------------------------------------------------------------------------------------------------

static int has_knot(const br_function *f, double t) {
    return f && br_function_next_knot(f, nextafter(t, -INFINITY)) == t;
}

static void announce_knot(const br_reference *r, const char *name, const br_function *f) {
    br_sim *sim = r->sim;
    br_event event = {.t = r->stop, .kind = BR_EVENT_LOAD_KNOT, .value = br_function_value(f, r->stop, sim->values)};
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
        if (has_knot(m->drive[i].target, r->stop)) announce_knot(r, m->drive[i].name, m->drive[i].target);
    for (int i = 0; i < m->constraints; i++)
        if (has_knot(m->constraint[i].value, r->stop))
            announce_knot(r, m->constraint[i].name, m->constraint[i].value);
}

// At a knot a prescribed velocity may jump: the drive's impulse does work. At a limit the velocity jumps.
static br_status pass_event(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(r->y);
    double input = y[r->nq + r->nv], damping = y[r->nq + r->nv + 1];
    if (r->at_switch && !r->bdf) {
        const br_status status = create_bdf(r, error);
        if (status != BR_OK) return status;
    }
    if (r->at_switch) r->memory = r->bdf;
    N_VScale(1.0, r->y, r->scratch);
    take(r, r->t);
    if (r->at_stop) announce_knots(r);
    if (r->at_stop || r->at_renewal) {
        br_sim_update_energy(sim);
        const double before = sim->energy.total;
        const br_status status = close(r, error);
        if (status != BR_OK) return status;
        br_sim_update_energy(sim);
        if (r->at_stop) input += sim->energy.total - before;
    }
    return start(r, input, damping, error);
}

// --- moving ------------------------------------------------------------------------------------------------

static br_status failed(br_reference *r, int flag, br_error *error) {
    double h = 0.0;
    char *name = CVodeGetReturnFlagName(flag);
    CVodeGetCurrentStep(r->memory, &h);
    const br_status status = br_fail(
        error, BR_NUMERICAL, "reference-failed", "t = %.9g s: the integrator gave up at a step of %.3g s (%s)%s%s", r->t,
        h, name ? name : "?", r->cause.code ? ": " : "", r->cause.code ? r->cause.message : "");
    free(name);
    return status;
}

// Adams' steps cannot be longer than about 1/(damping rate), however slow the motion. A decaying transient has such
// steps too, but is over before it is looked for.
static int is_stiff(br_reference *r, double h) {
    if (r->memory != r->adams || r->steps % BR_STIFF_INTERVAL != 0) return 0;
    return h * br_reference_damping_rate(r) >= BR_STIFF_PRODUCT;
}

static br_status one_step(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    const double before = r->t, tout = before + 100.0 * sim->model->settings.solver.step;
    r->cause.code = NULL;
    memcpy(sim->state.loop_q, r->loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    int flag = CVode(r->memory, tout, r->y, &r->t, CV_ONE_STEP);
    if (flag < 0 && r->shy && r->cause.code) {
        // A singular position that no step length avoids: it starts there, or stays. Then it is taken as it is.
        r->shy = 0;
        r->t = before;
        if (CVodeReInit(r->memory, r->t, r->y) == CV_SUCCESS)
            flag = CVode(r->memory, tout, r->y, &r->t, CV_ONE_STEP);
    }
    if (flag < 0) {
        r->t = before;
        return failed(r, flag, error);
    }
    r->shy |= r->weakest > BR_SINGULAR_LEFT;
    r->passing |= r->weakest < BR_SINGULAR_NEAR;
    r->at_renewal = r->passing && r->weakest > BR_SINGULAR_FAR;
    r->at_stop = flag == CV_TSTOP_RETURN || r->t >= r->stop;
    r->at_limit = flag == CV_ROOT_RETURN;
    sim->ledger.steps++;
    r->steps++;
    r->stalled = r->t - before > 4.0 * DBL_EPSILON * fabs(r->t) ? 0 : r->stalled + 1;
    if (r->stalled > BR_MAX_STALLED)
        return br_fail(error, BR_NUMERICAL, "reference-stalled",
                       "t = %.9g s: the steps have become too short to move the clock: does a force jump, or grow "
                       "without end?",
                       r->t);
    double h = 0.0;
    CVodeGetLastStep(r->memory, &h);
    r->at_switch = is_stiff(r, h);
    if (h > 0.0 && (r->attraction * h > 2.0 * BR_ATTRACTION || r->attraction * h < 0.25 * BR_ATTRACTION))
        r->attraction = BR_ATTRACTION / h;
    if (sim->model->loops > 0) {
        N_VScale(1.0, r->y, r->scratch);
        take(r, r->t);
        memcpy(r->loop_q, sim->state.loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    }
    return BR_OK;
}

// The state at t <= r->t, closed, with its books.
static br_status deliver(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    const int n = r->nq + r->nv + 2;
    if (t < r->t) {
        const int flag = CVodeGetDky(r->memory, t, 0, r->scratch);
        if (flag != CV_SUCCESS) return failed(r, flag, error);
    } else {
        N_VScale(1.0, r->y, r->scratch);
    }
    const double *y = N_VGetArrayPointer(r->scratch);
    if (!br_all_finite(n, y))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a position is not a finite number", t);
    take(r, t);
    br_status status = close(r, error);
    if (status != BR_OK) return status;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    br_ledger *l = &sim->ledger;
    l->now = sim->energy;
    l->input = y[n - 2], l->damping = y[n - 1], l->scheme = 0.0;
    l->unaccounted = l->input - l->damping - (sim->energy.total - l->start.total);
    copy_state(sim->model, &sim->state, &r->delivered);
    r->outside = sim->outside;
    return BR_OK;
}

// From a state that came from outside. Its loops are closed first, as every step leaves them.
static br_status restart(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    r->shy = 1;
    memcpy(r->loop_q, sim->state.loop_q, (size_t)sim->model->loop_nq * sizeof(double));
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->t_eval = sim->state.t, sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->h = 0.0;
    const br_status status = close(r, error);
    return status == BR_OK ? start(r, sim->ledger.input, sim->ledger.damping, error) : status;
}

static br_status move(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    br_status status = BR_OK;
    if (was_changed(r)) {
        copy_state(sim->model, &sim->state, &r->delivered);
        r->memory = r->adams;
        status = restart(r, error);
        r->outside = sim->outside;
    }
    while (status == BR_OK && r->t <= t) {
        if (r->at_stop || r->at_limit || r->at_switch || r->at_renewal)
            status = pass_event(r, error);
        else if (r->t < t)
            status = one_step(r, error);
        else
            break;
    }
    return status;
}

br_status br_step_reference(br_sim *sim, double t, br_error *error) {
    if (!sim->reference) {
        const br_status status = create(sim, error);
        if (status != BR_OK) {
            br_reference_destroy(sim->reference);
            sim->reference = NULL;
            return status;
        }
    }
    br_reference *r = sim->reference;
    const br_ledger ledger = sim->ledger;
    br_status status = move(r, t, error);
    if (status == BR_OK) status = deliver(r, t, error);
    if (status == BR_OK) return BR_OK;
    copy_state(sim->model, &r->delivered, &sim->state);
    sim->at = 0;
    sim->ledger = ledger;
    r->outside = sim->outside - 1; // the next call starts anew
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_sim_update_energy(sim);
    return status;
}
