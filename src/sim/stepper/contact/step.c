// The `contact` stepper on smooth motion: fixed step, velocity level, first order (theta 1) or second (theta 1/2).
//
//     q_M = q + (1 - theta) h v                    where forces and rows are evaluated, at t + theta h
//     v_next = v + h vdot(q_M, v_M)                v_M = v for theta 1, else predicted
//     q_next = q_M + theta h v_next                then loops are closed in position and in velocity
//
// theta 1 is the step of [Peiret2016 eqs. 7, 21] with the new velocity; position_update: old is eq. 7 as printed. With
// theta 1/2 it is the midpoint rule: second order, because every term is taken at the middle to second order. Where the
// acceleration of the last step does not go on (the first step, after a limit or a motor's bound was reached, stiff
// springs that ring from step to step), v_M is found by a solve of its own.
//
// What arrives (at a limit, at another body) is asked for its velocity at the step's end, row by row: the midpoint rule would have
// to leave as fast as it came. Nothing else in the step changes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/contact/apart.h"
#include "sim/contact/stick.h"
#include "sim/core/instant.h"
#include "sim/core/judgement.h"
#include "sim/core/ledger.h"
#include "sim/core/ledger_share.h"
#include "sim/friction/step.h"
#include "sim/rows/accelerate.h"
#include "sim/rows/group.h"
#include "sim/rows/gyroscope.h"
#include "sim/rows/springs.h"
#include "sim/stepper/contact/gain.h"
#include "sim/stepper/contact/order.h"
#include "sim/stepper/contact/step.h"

#define BR_EPS_ROUGH                                                                                         \
    0.25 // change of acceleration, times h, of the velocity: beyond, the last one predicts nothing
#define BR_EPS_PASSED 0.1       // of the way to the evaluation: a contact passed by less is only curved
#define BR_EPS_WAY 1e-9         // of a size: shorter ways are rounding
#define BR_MAX_TURNING_SOLVES 4 // of a step with fast spins in constrained bodies
#define BR_TURNING_GAIN 0.5     // of its error: a correction that leaves more is taken back
#define BR_TUMBLING_SOLVES                                                                                   \
    2 // more, where bodies tumble: one leaves the case RevSpherical 01 off by 15 %, three change nothing
#define BR_EPS_NOISE 1e-6  // of the largest acceleration: changes below are not looked at
#define BR_EPS_STILL 1e-12 // rad, or of a length, in a step: what changes by less rests
#define BR_EPS_LENGTH 1e-9 // of a step: lengths that differ by less are one

// Rows at the evaluation's positions, and the twists of the step's start there.
static void prepare_rows(br_sim *sim) {
    if (sim->groups == 0) return;
    for (int g = 0; g < sim->groups; g++) sim->group[g].kind->fill(sim, &sim->group[g]);
    br_sim_start_twists(sim);
}

// The exact rows' own factor, where the step's solve was of more rows or in absolute coordinates.
static br_status renew_exact(br_sim *sim, br_error *error) {
    br_status status = BR_OK;
    if (sim->exact.groups == 0) return BR_OK;
    if (sim->model->settings.coordinates == BR_ABSOLUTE || sim->touching)
        status = br_system_factor(sim, &sim->exact);
    else if (sim->step != &sim->exact)
        status = br_system_factor_swept(&sim->exact);
    if (status != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    return BR_OK;
}

// Contacts at the positions of the evaluation. Each solve finds them anew, so that it starts from the forces of the last step.
static br_status find_contacts(br_sim *sim, br_error *error) {
    return sim->contacts ? br_contacts_find(sim, sim->h, 0.0, error) : BR_OK;
}

// Dependent rows that all stay contradict each other unless positions and velocities agree with all of them.
static int all_rows_stay(const br_sim *sim) {
    return sim->redundant && !sim->exact.usually_idle;
}

// Velocity products of v at the midpoint.
static void take_velocities(br_sim *sim, double *v) {
    br_tree_velocity(&sim->model->tree, sim->q_mid, v, &sim->work);
    sim->v_eval = v;
    if (!all_rows_stay(sim)) return;
    br_correct_velocity(sim, v);
    br_tree_velocity(&sim->model->tree, sim->q_mid, v, &sim->work);
}

// Positions of the midpoint. By h^2 it is off the loops' manifold, which dependent rows that all stay do not allow.
static br_status go_to_midpoint(br_sim *sim, double h, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    br_tree_advance(tree, sim->state.q, sim->state.v, (1.0 - sim->theta) * h, sim->q_mid);
    sim->at = 0;
    sim->q_eval = sim->q_mid;
    if (all_rows_stay(sim)) return br_project_position(sim, sim->q_mid, 1, error);
    br_tree_position(tree, sim->q_mid, &sim->work);
    return BR_OK;
}

// Accelerations with the velocity of the step's start: of everything, or, where contacts are near, of the known forces alone.
// A contact problem only for a guess of velocity products would double the cost of every step in which something changes.
static br_status accelerate_from_start(br_sim *sim, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    memcpy(sim->v_mid, sim->state.v, (size_t)tree->nv * sizeof(double));
    take_velocities(sim, sim->v_mid);
    br_forces(sim);
    br_gyroscope_add(sim);
    prepare_rows(sim);
    const br_status status = find_contacts(sim, error);
    if (status != BR_OK) return status;
    if (!sim->contacts || sim->contacts->count == 0) return br_sim_solve(sim, sim->step, 1, error);
    int bad = 0;
    if (br_tree_articulate(tree, sim->armature, &sim->work, &bad) != BR_OK)
        return br_sim_no_inertia(sim, bad, error);
    br_sim_accelerate_freely(sim);
    return BR_OK;
}

// Rows cut time into steps whose lengths differ by rounding.
static int is_as_before(const br_sim *sim, double h) {
    const double before = sim->state.at->h_before;
    return fabs(h - before) <= BR_EPS_LENGTH * before;
}

// The velocity at the middle: from the accelerations of the last two steps, else of the last one, else of this step's start.
// On gyroscopic motion of frequency w, v' = i w v, the weight c given to their difference makes the amplitude grow by
// (1/4 - 3 c/4) (w h)^4 per step: fed for c = 0, neither fed nor damped for 1/3.
static br_status predict(br_sim *sim, double h, br_error *error) {
    const double *a = sim->state.vdot;
    if (!sim->state.at->has_vdot) {
        const br_status status = accelerate_from_start(sim, error);
        if (status != BR_OK) return status;
        a = sim->vdot;
    }
    const double c = sim->state.at->has_vdot > 1 && is_as_before(sim, h) ? 1.0 / 3.0 : 0.0;
    const double *v = sim->state.v, *b = sim->state.vdot_before;
    double *restrict v_mid = sim->v_mid;
    for (int k = 0; k < sim->model->tree.nv; k++) v_mid[k] = v[k] + 0.5 * h * (a[k] + c * (a[k] - b[k]));
    return BR_OK;
}

// At a singular position the rows cannot tell the acceleration: what they ask for is error divided by almost nothing. The
// motion itself passes it smoothly, so there the acceleration goes on as in the last two steps, to second order.
static void pass_singular_position(br_sim *sim, double h) {
    const br_sim_state *state = &sim->state;
    sim->passing = !sim->touching && sim->exact.damped && !all_rows_stay(sim) && state->at->has_vdot > 1 &&
                   is_as_before(sim, h);
    if (!sim->passing) return;
    for (int k = 0; k < sim->model->tree.nv; k++) sim->vdot[k] = 2.0 * state->vdot[k] - state->vdot_before[k];
    br_tree_inverse_dynamics(&sim->model->tree, &sim->work, sim->model->settings.gravity, sim->vdot, NULL,
                             sim->transmitted, sim->eta); // for the links' accelerations
}

// One solve, contacts being found; more where its rows changed a fast turning so much that the gyroscopic torques would do work. A
// correction that makes it worse is taken back: turns of more than a radian a step do not settle.
static br_status solve_turning(br_sim *sim, int refactor, br_error *error) {
    double before = INFINITY;
    for (int k = 1, last = 0;; k++, refactor = 0) {
        br_status status = k > 1 ? find_contacts(sim, error) : BR_OK;
        if (status == BR_OK) status = br_sim_solve(sim, sim->step, refactor, error);
        if (status != BR_OK || last || k == BR_MAX_TURNING_SOLVES) return status;
        const double off = br_gyroscope_error(sim);
        if (!(off > 1.0)) return status;
        last = off > BR_TURNING_GAIN * before;
        if (last)
            br_gyroscope_turn_back(sim);
        else
            br_gyroscope_correct(sim);
        before = off;
    }
}

// Whether the evaluation has passed a contact or a limit that the step's start has not: what lands keeps the next evaluation
// from that, but not the first one, nor one after a blow or a change from outside sent a body towards another.
static int passed(double gap, double approach, double h, double size) {
    const double way = -0.5 * h * approach;
    return way > BR_EPS_WAY * size && gap < -BR_EPS_PASSED * way && gap + way >= -BR_EPS_WAY * size;
}

static int evaluation_overshoots(br_sim *sim) {
    for (int k = 0; sim->contacts && k < sim->contacts->count; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        if (t->was != BR_CONTACT_OPEN || !(t->gap < 0.0) ||
            sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID)
            continue;
        br_sim_start_twists(sim);
        if (passed(t->gap, br_vec3_dot(br_touch_velocity(sim, t, sim->V_start), t->normal), sim->h, t->size))
            return 1;
    }
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (group->bound != BR_BOUND_LOWER || !(group->phi[0] < 0.0)) continue;
        br_sim_start_twists(sim);
        if (passed(group->phi[0], br_group_velocity(group, 0, sim->V_start, sim->v_start), sim->h,
                   fmax(1.0, sim->length_scale)))
            return 1;
    }
    return 0;
}

// The same with the velocity products of the mean velocity that was found, in place of the predicted one.
static br_status solve_again(br_sim *sim, double h, br_error *error) {
    for (int k = 0; k < sim->model->tree.nv; k++) sim->v_mid[k] = sim->state.v[k] + 0.5 * h * sim->vdot[k];
    take_velocities(sim, sim->v_mid);
    br_forces(sim);
    br_gyroscope_add(sim);
    prepare_rows(sim);
    const br_status status = find_contacts(sim, error);
    return status == BR_OK ? solve_turning(sim, 1, error) : status;
}

static br_status solve_at_midpoint(br_sim *sim, double h, br_error *error) {
    br_status status = go_to_midpoint(sim, h, error);
    sim->v_start = sim->state.v, sim->start_known = 0;
    if (status == BR_OK) status = predict(sim, h, error);
    if (status == BR_OK && all_rows_stay(sim) && !sim->state.at->has_vdot) status = renew_exact(sim, error);
    if (status != BR_OK) return status;
    const int known = !sim->state.at->has_vdot; // rows and factors, from the first solve
    take_velocities(sim, sim->v_mid);
    br_forces(sim);
    br_gyroscope_add(sim);
    if (!known) prepare_rows(sim);
    sim->overshoots = 0;
    if (sim->contacts || sim->bounded) {
        // Those of the first solve are at the same positions, and where it had contacts it left them as they were found.
        if (!known || !sim->contacts || sim->contacts->count == 0) status = find_contacts(sim, error);
        if (status != BR_OK || (sim->overshoots = evaluation_overshoots(sim))) return status;
    }
    status = solve_turning(sim, !known, error);
    for (int k = 0; status == BR_OK && k < BR_TUMBLING_SOLVES && br_gyroscope_tumbles(sim); k++)
        status = solve_again(sim, h, error);
    return status;
}

static br_status solve_at_start(br_sim *sim, br_error *error) {
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q;
    sim->v_eval = sim->v_start = sim->state.v, sim->start_known = 0;
    br_forces(sim);
    br_gyroscope_add(sim);
    prepare_rows(sim);
    br_status status = sim->turn ? br_euler_begin(sim, error) : BR_OK;
    if (status == BR_OK) status = find_contacts(sim, error);
    return status == BR_OK ? solve_turning(sim, 1, error) : status;
}

// Whether the acceleration a is near enough to b, that of the step before, to predict the next one; b zero: there was
// none. Not where springs ring from step to step: there it would feed them.
static int goes_on(const br_sim *sim, double h, const double *a, const double *b) {
    const int nv = sim->model->tree.nv;
    double largest = 0.0, before = 0.0;
    for (int k = 0; k < nv; k++) {
        if (fabs(a[k]) > largest) largest = fabs(a[k]);
        if (fabs(b[k]) > before) before = fabs(b[k]);
    }
    if (!(before > 0.0)) return 1;
    const double still = BR_EPS_STILL * fmin(1.0, sim->length_scale);
    const double *v_from = sim->last.v, *v_to = sim->state.v;
    for (int k = 0; k < nv; k++) {
        const double change = fabs(a[k] - b[k]), from = fabs(v_from[k]), to = fabs(v_to[k]);
        if (!(change > BR_EPS_NOISE * largest) || !(h * h * change > still)) continue;
        if (h * change > BR_EPS_ROUGH * (from > to ? from : to)) return 0;
    }
    return 1;
}

// For the next step's prediction.
static void keep_acceleration(br_sim *sim, double h) {
    br_sim_state *state = &sim->state;
    const size_t bytes = (size_t)sim->model->tree.nv * sizeof(double);
    const int good = !sim->bounds_active && goes_on(sim, h, sim->vdot, state->vdot);
    memcpy(state->vdot_before, state->vdot, bytes);
    memcpy(state->vdot, sim->vdot, bytes);
    state->at->has_vdot = !good ? 0 : state->at->has_vdot > 0 && is_as_before(sim, h) ? 2 : 1;
    state->at->h_before = h;
}

static void report_limits(br_sim *sim) {
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (group->bound != BR_BOUND_LOWER) continue;
        const int active = group->force[0] > 0.0;
        if (active && !sim->limit_active[g] && sim->event) {
            br_event event = {.t = sim->state.at->t, .kind = BR_EVENT_LIMIT, .value = group->force[0]};
            if (sim->apart) event.value *= sim->h / br_apart_step(sim);
            snprintf(event.name, sizeof event.name, "%s", br_group_name(sim, group));
            sim->event(sim->event_context, &event);
        }
        sim->limit_active[g] = active;
    }
}

// Far beyond what there can be, a step feeds itself.
static br_status out_of_nothing(const br_sim *sim, double t, br_error *error) {
    double gain, source;
    if (sim->energy->kinetic <= BR_JUDGE_RUNAWAY * sim->judge->reach) return BR_OK; // the source at its least
    if (!br_judge_runs_away(sim, &gain, &source)) return BR_OK;
    return br_fail(error, BR_NUMERICAL, "step-diverged",
                   "t = %.9g s: %.3g J came out of nothing, more than %g times the %.3g J that were there at "
                   "the start, were put in or can fall; %s may help",
                   t, gain, BR_JUDGE_RUNAWAY, source, br_judge_remedy(sim, 0));
}

static void find_velocities(br_sim *sim, double h) {
    const double *v = sim->state.v, *a = sim->vdot, *turn = sim->turn;
    double *restrict v_next = sim->v_next, *restrict v_mid = sim->v_mid;
    for (int k = 0; k < sim->model->tree.nv; k++) {
        v_next[k] = v[k] + h * (turn ? a[k] + turn[k] : a[k]);
        v_mid[k] = 0.5 * (v[k] + v_next[k]);
    }
}

static br_status finish(br_sim *sim, double h, double t_next, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    const double theta = sim->theta;
    find_velocities(sim, h);
    const br_energy before = *sim->energy;
    br_powers powers = br_sim_powers(sim, sim->v_mid);
    br_judge_givers(sim, h, &powers);
    // Whatever the rows did not say, the loops' forces did.
    if (sim->passing) powers.loops = powers.inertia - powers.input + powers.damping - powers.elastic;
    br_status status = sim->passing ? BR_OK : renew_exact(sim, error);
    if (status == BR_OK && sim->frictions) br_friction_note_rest(sim);
    if (status == BR_OK) status = br_sticks_note(sim, error);
    if (status != BR_OK) return status;
    const int old = sim->model->settings.solver.position_old;
    if (old)
        br_tree_advance(tree, sim->state.q, sim->state.v, h, sim->state.q);
    else
        br_tree_advance(tree, sim->q_eval, sim->v_next, theta * h, sim->state.q);
    memcpy(sim->state.v, sim->v_next, (size_t)tree->nv * sizeof(double));
    if (sim->turn) br_euler_finish(sim, sim->last.q, sim->last.v, h, old, sim->state.q, sim->state.v);
    if (sim->contacts)
        sim->state.at->contact_elastic = br_contacts_stored(sim, sim->contacts->touch, sim->contacts->count);
    sim->state.at->t = sim->t_eval = t_next;
    sim->at = 0;
    if (!br_all_finite(tree->nq, sim->state.q))
        status = br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a position is not a finite number",
                         t_next);
    if (status == BR_OK) status = br_project_position(sim, sim->state.q, sim->passing, error);
    if (status == BR_OK) status = br_sticks_hold(sim, error);
    if (status == BR_OK) status = br_project_velocity(sim, error);
    if (status != BR_OK) return status;
    br_sim_update_energy(sim);
    sim->h = h;
    const br_ledger books = *sim->ledger;
    br_ledger_step(sim, h, &powers, before);
    const br_ledger *l = sim->ledger;
    if (!isfinite(sim->energy->total) || !isfinite(l->input + l->damping + l->scheme + l->unaccounted))
        return br_fail(error, BR_NUMERICAL, "step-diverged",
                       "t = %.9g s: the energy is no longer a finite number; a smaller solver.step may help",
                       t_next);
    if (br_step_gains(sim, &books)) return BR_NUMERICAL; // two halves take its place, see split.c
    if (!br_apart_stands(sim, &status, error)) return status != BR_OK ? status : BR_NUMERICAL; // see meet.c
    sim->state.at->work_done += fabs(h * powers.input);
    sim->lagging = powers.lagging;
    status = out_of_nothing(sim, t_next, error);
    if (status != BR_OK) return status;
    br_shares_step(sim, h, &powers);
    if (sim->model->loops > 0) br_sim_count_turns(sim, h);
    if (sim->exact.groups > 0) {
        sim->ledger->loop_error = fmax(sim->ledger->loop_error, br_loop_error(sim));
        sim->ledger->loop_velocity_error = fmax(sim->ledger->loop_velocity_error, sim->velocity_left);
    }
    return BR_OK;
}

br_status br_step_contact_once(br_sim *sim, double h, double t_next, br_error *error) {
    br_state_remember(&sim->block);
    br_sticks_begin(sim);
    sim->h = h, sim->overshoots = 0;
    if (sim->contacts) sim->contacts->work = 0, sim->contacts->cut = 0.0;
    sim->theta = br_apart_strikes(sim) ? 1.0 : sim->model->settings.solver.theta;
    sim->t_next = t_next;
    sim->t_eval = sim->theta < 1.0 ? sim->state.at->t + sim->theta * h : t_next;
    if (sim->theta < 1.0) br_springs_find_drift(sim);
    br_status status = sim->theta < 1.0 ? solve_at_midpoint(sim, h, error) : solve_at_start(sim, error);
    if (status == BR_OK && sim->overshoots) {
        sim->theta = 1.0;
        sim->t_eval = t_next;
        status = solve_at_start(sim, error);
    }
    sim->meets_limit = status == BR_OK && sim->bounded && br_step_meets_limit(sim);
    sim->start_known = 0;
    if (status == BR_OK && sim->contacts) status = br_contacts_make_room(sim, error);
    if (status == BR_OK) pass_singular_position(sim, h);
    if (status == BR_OK) status = finish(sim, h, t_next, error);
    if (status != BR_OK) {
        br_state_put_back(&sim->block);
        sim->at = 0;
        return status;
    }
    sim->ledger->steps++;
    // Predictions of a midpoint, and passing singular positions of loops, are all that asks for it.
    if (sim->model->settings.solver.theta < 1.0 || sim->exact.groups > 0) keep_acceleration(sim, h);
    if (sim->bounded) report_limits(sim);
    br_limits_keep(sim);
    if (sim->frictions) br_friction_keep(sim);
    if (br_apart_strikes(sim)) br_apart_forget_rubs(sim);
    br_beams_keep(sim);
    br_judge_step(sim); // with the bristles as the step leaves them
    if (sim->contacts) br_judge_touches(sim), br_judge_cut(sim);
    if (sim->model->settings.solver.theta < 1.0 && !br_apart_strikes(sim))
        br_step_note_order(sim, sim->lagging);
    if (br_apart_strikes(sim)) br_apart_spread_blow(sim);
    if (sim->contacts) {
        br_contact_maxima(sim);
        br_contact_events(sim);
    }
    if (br_apart_strikes(sim)) br_apart_forget_blow(sim);
    if (sim->contacts) {
        br_contacts_keep(sim);
        if (!br_apart_strikes(sim)) br_contacts_keep_groups(sim);
    }
    return BR_OK;
}
