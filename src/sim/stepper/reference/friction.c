// Joint friction in the reference stepper. Set-valued laws act between events: modes are fixed, forces come from the balance of
// the instant (index-1, [Wojtyra2017 eq. 6]), and a mode that ends is located to the last digit. Laws with a function are part of
// the right-hand side, their states part of what is integrated.
//
// What sticks has its velocity taken away at events and in states that are handed out: the sum of what was taken is the drift,
// and `creep` in the ledger is the largest.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/core/ledger.h"
#include "sim/friction/friction.h"
#include "sim/stepper/reference/contact.h"
#include "tree/spatial.h"

#define BR_PACE 1e-3        // of solver.step: the clock has moved
#define BR_MAX_EVENTS 300   // until it does
#define BR_WORK_OF_BOX 60.0 // multiplications of a box of a proof, for each two friction forces
#define BR_MAX_SHARES 20    // of them, before what is at its limit stays there for a step

// --- states of the laws ------------------------------------------------------------------------------------

int br_reference_friction_states(const br_sim *sim) {
    int states = 0;
    for (int i = 0; sim->frictions && i < sim->frictions->count; i++)
        if (br_friction_has_state(&sim->frictions->rub[i].law))
            states += sim->frictions->rub[i].pad.directions;
    return states;
}

void br_reference_friction_take(br_reference *r, const double *y) {
    br_frictions *f = r->sim->frictions;
    br_bristles_take(r, y);
    const double *z = y + r->nq + r->nv + r->books;
    for (int i = 0; f && i < f->count; i++)
        if (br_friction_has_state(&f->rub[i].law))
            for (int d = 0; d < f->rub[i].pad.directions; d++) f->now[i].z[d] = *z++;
    br_plays_take(r, z);
}

void br_reference_friction_give(const br_reference *r, double *y) {
    const br_frictions *f = r->sim->frictions;
    br_bristles_give(r, y);
    double *z = y + r->nq + r->nv + r->books;
    for (int i = 0; f && i < f->count; i++)
        if (br_friction_has_state(&f->rub[i].law))
            for (int d = 0; d < f->rub[i].pad.directions; d++) *z++ = f->now[i].z[d];
    br_plays_give(r, z);
}

// Of a deflection: relative to that at the limit, so that forces are as good as the limit is. A hundredth of it asked more of bristles that
// stick than of the positions that bend them.
void br_reference_friction_tolerances(const br_reference *r, double rtol, double *absolute) {
    const br_frictions *f = r->sim->frictions;
    double *a = absolute + r->nq + r->nv + r->books;
    for (int i = 0; f && i < f->count; i++) {
        const br_friction_params *law = &f->rub[i].law;
        if (!br_friction_has_state(law)) continue;
        for (int d = 0; d < f->rub[i].pad.directions; d++)
            *a++ = rtol * br_friction_limit(law) / law->sigma_0;
    }
    br_plays_tolerances(r, rtol, a);
}

br_status br_reference_friction_forces(br_reference *r, br_error *error) {
    const br_status status = br_frictions_decide(r->sim, 0, error);
    if (status == BR_OK) br_frictions_apply(r->sim, 1.0);
    return status;
}

// The velocities of a tree joint that a rub at rest holds, all of them: nothing of them may be left to rounding.
static int held_velocities(const br_sim *sim, int i, int *first, int *count) {
    const br_rub *rub = &sim->frictions->rub[i];
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    const int mode = (int)sim->frictions->now[i].mode;
    if (joint->link < 0 || (mode != BR_RUB_STICKS && mode != BR_RUB_AT_LIMIT)) return 0;
    *first = joint->v_at + rub->first, *count = rub->pad.directions;
    return joint->type == BR_JOINT_UNIVERSAL || rub->pad.directions == joint->kind->nv;
}

// What is held does not move at all.
static void hold_still(const br_reference *r, double *ydot) {
    const br_sim *sim = r->sim;
    for (int i = 0; i < sim->frictions->count; i++) {
        const br_model_joint *joint = &sim->model->joint[sim->frictions->rub[i].joint];
        int first, count;
        if (!held_velocities(sim, i, &first, &count)) continue;
        for (int k = 0; k < count; k++) ydot[r->nq + first + k] = 0.0;
        if (joint->kind->nq == joint->kind->nv)
            for (int k = 0; k < count; k++) ydot[joint->q_at + (first - joint->v_at) + k] = 0.0;
        else
            for (int k = 0; k < joint->kind->nq; k++) ydot[joint->q_at + k] = 0.0;
    }
}

void br_reference_friction_rates(br_reference *r, double *ydot) {
    const br_frictions *f = r->sim->frictions;
    hold_still(r, ydot);
    double *rate = ydot + r->nq + r->nv + r->books, mu[BR_MAX_SLIDING], power = 0.0;
    for (int i = 0; i < f->count; i++) {
        const br_rub *rub = &f->rub[i];
        power += br_rub_power(rub, &f->now[i]);
        if (!br_friction_has_state(&rub->law)) continue;
        br_friction_at(&rub->law, rub->pad.directions, rub->velocity, f->now[i].z, mu, rate);
        rate += rub->pad.directions;
    }
    ydot[r->nq + r->nv + BR_INTEGRAL_FRICTION] += power;
}

// --- events ------------------------------------------------------------------------------------------------

static int has_holds(const br_reference *r) {
    return r->contact && r->contact->count > 0;
}

// Known forces and rates at the simulation's state, without friction.
static void evaluate(br_reference *r) {
    br_sim *sim = r->sim;
    if (has_holds(r)) {
        const double stop = r->stop;
        r->stop = INFINITY; // of the instant, to the right of a knot
        br_reference_evaluate(r, sim->state.at->t, sim->state.q, sim->state.v);
        r->stop = stop;
        return;
    }
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->t_eval = sim->state.at->t, sim->h = 0.0;
    sim->q_eval = sim->state.q, sim->v_eval = sim->v_start = sim->state.v;
    br_forces(sim);
    if (sim->has_wrench) br_forces_springs(sim);
    br_forces_bounded(sim);
    br_reference_fill(r, br_reference_system(r));
}

// At rest, and not for a moment only: it sticks, or it has stopped and is about to go on from there.
static int has_stopped(const br_sim *sim, int i, int at_event) {
    const br_frictions *f = sim->frictions;
    const int mode = (int)f->now[i].mode;
    double square = 0.0;
    if (mode == BR_RUB_STICKS || mode == BR_RUB_AT_LIMIT) return 1;
    if (mode != BR_RUB_SLIDES || !at_event || f->waiting[i] == BR_RUB_SWEPT_ON) return 0;
    for (int d = 0; d < f->rub[i].pad.directions; d++)
        square += f->rub[i].velocity[d] * f->rub[i].velocity[d];
    return sqrt(square) <= BR_RUB_REST_SPEED;
}

// Velocities of rubs that are at rest, taken away with the least change of motion: the balance with gamma = -A^T v and no load
// gives the change as its acceleration.
static br_status stop_stuck(br_reference *r, int at_event, double *fastest, br_error *error) {
    br_sim *sim = r->sim;
    br_frictions *f = sim->frictions;
    const br_tree *tree = &sim->model->tree;
    br_balance *b;
    br_balance_work *work;
    br_held held;
    int stuck = 0;
    *fastest = 0.0;
    br_status status = br_friction_balance(sim, 0, &b, &work, error);
    if (status != BR_OK) return status;
    br_balance_take_holds(sim, f->state);
    for (int i = 0; i < f->count; i++) {
        f->state[i] = (br_pad_state){.mode = BR_PAD_OPEN};
        if (!has_stopped(sim, i, at_event)) continue;
        f->state[i].mode = BR_PAD_STUCK;
        stuck = 1;
        for (int d = 0; d < b->pad[i].directions; d++) *fastest = fmax(*fastest, fabs(f->rub[i].velocity[d]));
    }
    if (!stuck || *fastest == 0.0) return BR_OK;
    memset(b->Q, 0, (size_t)b->n * sizeof *b->Q);
    memset(b->gamma, 0, (size_t)b->columns * sizeof *b->gamma);
    for (int i = 0; i < f->count; i++)
        for (int d = 0; d < b->pad[i].directions; d++)
            b->gamma[b->pad[i].column + d] = -f->rub[i].velocity[d];
    if (br_balance_hold(b, f->state, work, &held) != BR_OK) return BR_OK;
    br_balance_twists(sim, held.a0, sim->V);
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        br_joint_motion motion;
        double change[BR_MAX_JOINT_V];
        for (int c = 0; c < link->kind->nv; c++) motion.S[c] = sim->work.S[link->v_at + c];
        br_twist V = sim->V[i];
        if (link->parent >= 0) V = br_twist_sub(V, br_twist_shift(sim->V[link->parent], sim->work.pose[i].r));
        br_joint_velocity(link->kind->nv, &motion, V, change);
        for (int c = 0; c < link->kind->nv; c++) sim->state.v[link->v_at + c] += change[c];
    }
    for (int i = 0; i < f->count; i++) {
        int first, count;
        if (held_velocities(sim, i, &first, &count))
            for (int k = 0; k < count; k++) sim->state.v[first + k] = 0.0;
    }
    return BR_OK;
}

static void announce(const br_sim *sim, br_event_kind kind, const br_rub *rub, const char *suffix,
                     double value) {
    if (!sim->event) return;
    br_event event = {.t = sim->state.at->t, .kind = kind, .value = value};
    snprintf(event.name, sizeof event.name, "%s%s", rub->name, suffix);
    sim->event(sim->event_context, &event);
}

// Events of the modes: stick and slip by the joint's name (slip with the static force that it began at, which was the largest
// possible), a force at its limit as "limit" of JOINT.friction.
static void announce_modes(const br_sim *sim) {
    const br_frictions *f = sim->frictions;
    for (int i = 0; i < f->count; i++) {
        const br_rub *rub = &f->rub[i];
        const int was = (int)f->before[i], is = (int)f->now[i].mode;
        double force = 0.0;
        for (int d = 0; d < rub->pad.directions; d++) force += f->now[i].force[d] * f->now[i].force[d];
        force = sqrt(force);
        if (was == is) continue;
        if (is == BR_RUB_SLIDES) announce(sim, BR_EVENT_SLIP, rub, "", f->peak[i]);
        if (was == BR_RUB_SLIDES) announce(sim, BR_EVENT_STICK, rub, "", force);
        if (is == BR_RUB_AT_LIMIT) announce(sim, BR_EVENT_LIMIT, rub, ".friction", force);
    }
}

// Modes that change again and again while the clock hardly moves will not come to an end.
static br_status check_pace(br_reference *r, br_error *error) {
    const br_sim *sim = r->sim;
    const br_frictions *f = sim->frictions;
    br_rub_past *past = f->past;
    if (sim->state.at->t - past->t_paced > BR_PACE * sim->model->settings.solver.step ||
        sim->state.at->t < past->t_paced)
        past->t_paced = sim->state.at->t, past->events = 0;
    past->events++;
    if (sim->state.at->t > past->t_quiet) past->quiet = 0;
    if (past->events > BR_MAX_SHARES && !past->quiet)
        past->quiet = 1, past->t_quiet = sim->state.at->t + sim->model->settings.solver.step;
    if (past->events <= BR_MAX_EVENTS) return BR_OK;
    int which = 0;
    for (int i = 0; i < f->count; i++)
        if (f->now[i].mode == BR_RUB_AT_LIMIT || f->before[i] != f->now[i].mode) which = i;
    return br_fail(error, BR_NUMERICAL, "friction-chatter",
                   "t = %.9g s: joint '%s' goes to and fro between sticking and sliding without end. A "
                   "singular position, or loads "
                   "that redundant joints leave open? The contact stepper goes on",
                   sim->state.at->t, f->rub[which].name);
}

br_status br_reference_friction_begin(br_reference *r, int fresh, br_error *error) {
    br_frictions *f = r->sim->frictions;
    if (fresh) f->past->events = f->past->quiet = 0;
    const br_status status = check_pace(r, error);
    for (int i = 0; i < f->count; i++) f->before[i] = f->now[i].mode;
    return status;
}

br_status br_reference_friction_choose(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_frictions *f = sim->frictions;
    evaluate(r);
    f->boxes = 0;
    const br_status status = br_frictions_decide(sim, 1, error);
    r->work += BR_WORK_OF_BOX * (double)f->boxes * f->directions * f->directions;
    return status;
}

br_status br_reference_friction_stop(br_reference *r, double *lost, br_error *error) {
    br_sim *sim = r->sim;
    double fastest = 0.0;
    if (has_holds(r)) evaluate(r);
    br_sim_update_energy(sim);
    const double before = sim->energy->total;
    const br_status status = stop_stuck(r, 1, &fastest, error);
    if (status != BR_OK) return status;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    *lost = before - sim->energy->total;
    return BR_OK;
}

void br_reference_friction_tell(const br_reference *r) {
    announce_modes(r->sim);
}

// Slip of laws that creep where they should stick.
static void note_creep(br_sim *sim) {
    const br_frictions *f = sim->frictions;
    for (int i = 0; i < f->count; i++) {
        const br_rub *rub = &f->rub[i];
        double square = 0.0;
        for (int d = 0; d < rub->pad.directions; d++) square += rub->velocity[d] * rub->velocity[d];
        if (f->now[i].mode == BR_RUB_FOLLOWS && sqrt(square) <= br_friction_rest_speed(&rub->law))
            sim->ledger->creep = fmax(sim->ledger->creep, sqrt(square));
    }
}

// --- locating ----------------------------------------------------------------------------------------------

static br_status check_at(br_reference *r, double t, int *over, br_error *error) {
    br_sim *sim = r->sim;
    if (t < r->t) {
        if (CVodeGetDky(r->memory, t, 0, r->scratch) != CV_SUCCESS)
            return br_fail(error, BR_NUMERICAL, "reference-failed",
                           "t = %.9g s: the last step cannot be looked into", t);
    } else {
        N_VScale(1.0, r->y, r->scratch);
    }
    const double *y = N_VGetArrayPointer(r->scratch);
    if (!br_all_finite(r->n, y))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a position is not a finite number", t);
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    memcpy(r->v, y + r->nq, (size_t)r->nv * sizeof *y);
    br_reference_friction_take(r, y);
    br_tree_normalize(&sim->model->tree, r->q);
    if (has_holds(r)) {
        br_reference_evaluate(r, t, r->q, r->v);
        *over = br_frictions_over(sim);
        return BR_OK;
    }
    br_tree_position(&sim->model->tree, r->q, &sim->work);
    br_tree_velocity(&sim->model->tree, r->q, r->v, &sim->work);
    sim->at = 0, sim->h = 0.0, sim->theta = 1.0;
    sim->t_eval = t < r->stop ? t : nextafter(r->stop, -INFINITY);
    sim->q_eval = r->q, sim->v_eval = sim->v_start = r->v;
    br_forces(sim);
    if (sim->has_wrench) br_forces_springs(sim);
    br_forces_bounded(sim);
    br_reference_fill(r, br_reference_system(r));
    *over = br_frictions_over(sim);
    return BR_OK;
}

// Where vectors slide, the way is that of the last step.
static void go_on(br_sim *sim) {
    br_frictions *f = sim->frictions;
    for (int i = 0; i < f->count; i++) {
        const int n = f->rub[i].pad.directions;
        double square = 0.0;
        for (int d = 0; d < n; d++) square += f->rub[i].velocity[d] * f->rub[i].velocity[d];
        if (f->now[i].mode != BR_RUB_SLIDES || n == 1 || !(square > 0.0)) continue;
        for (int d = 0; d < n; d++) f->now[i].ahead[d] = f->rub[i].velocity[d] / sqrt(square);
    }
}

br_status br_reference_friction_locate(br_reference *r, double before, int *ended, br_error *error) {
    const double high = r->t;
    int over = 0;
    *ended = 0;
    note_creep(r->sim);
    if (r->sim->frictions->set_valued == 0) return BR_OK;
    br_status status = check_at(r, high, &over, error);
    if (status != BR_OK || !over) {
        if (status == BR_OK) go_on(r->sim);
        return status;
    }
    *ended = 1;
    return br_reference_bisect(r, before, high, check_at, error);
}

br_status br_reference_friction_deliver(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    double fastest = 0.0;
    evaluate(r);
    br_status status = stop_stuck(r, 0, &fastest, error);
    if (status != BR_OK) return status;
    sim->ledger->creep = fmax(sim->ledger->creep, fastest);
    if (fastest > 0.0) evaluate(r);
    status = br_frictions_decide(sim, 0, error);
    if (status != BR_OK) return status;
    note_creep(sim);
    return BR_OK;
}
