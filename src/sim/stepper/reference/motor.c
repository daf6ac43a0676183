// Motors with a largest effort in the reference stepper. Such a motor holds its velocity as long as that needs no more than its largest
// effort, and gives that where it cannot: two modes, as of a joint that sticks or slides. Both changes are located like joint limits
// (limit.c), with the same rows.
//
//     holds        J v = u, J vdot = u', |force| <= largest
//     held back    force = +-largest, towards u;   u - J v has the sign of the force
//
// An effort that is bounded has no impulse: what strikes throws a motor off its velocity, and it comes back with its largest effort.
#include <math.h>

#include "sim/core/control.h"
#include "sim/rows/group.h"
#include "sim/stepper/reference/reference.h"

#define BR_EPS_REACHED 1e-9 // of the speeds: a velocity that is reached
#define BR_MIN_SPEED 1e-9   // rad/s, or m/s

int br_reference_is_motor(const br_group *g) {
    return g->bound == BR_BOUND_BOX && g->kind == &br_group_motion;
}

static br_jet wanted(br_sim *sim, const br_group *g) {
    return br_function_jet(br_drive_target(sim, g->element), sim->t_eval, sim->jets);
}

double br_reference_motor_lacks(br_sim *sim, br_group *g) {
    const br_coordinate c = g->coordinates[0];
    return wanted(sim, g).value - br_coordinate_velocity(sim, c.joint, c.k);
}

double br_reference_motor_gamma(br_sim *sim, const br_group *g) {
    return wanted(sim, g).rate + br_coordinate_gamma(sim, g->coordinates[0]);
}

static double reached(const br_sim *sim) {
    double largest = 0.0;
    for (int k = 0; k < sim->model->tree.nv; k++) largest = fmax(largest, fabs(sim->state.v[k]));
    return BR_EPS_REACHED * (largest + BR_MIN_SPEED);
}

// The simulation's state, to the right of a knot.
static void look_from_the_right(br_sim *sim) {
    br_sim_refresh(sim, 2);
    sim->t_eval = nextafter(sim->state.at->t, INFINITY);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->h = 0.0;
    br_sim_variables(sim);
}

void br_reference_motors_keep(br_reference *r) {
    for (int i = 0; i < r->limits; i++) {
        br_group *g = r->limit[i];
        if (!br_reference_is_motor(g)) continue;
        g->keeping = r->on[i] ? BR_KEEPS : BR_HELD_BACK;
        if (r->on[i]) r->sim->held_back[g->element] = 0.0;
    }
}

void br_reference_motor_give_up(br_reference *r, int i, double force) {
    br_group *g = r->limit[i];
    g->keeping = BR_HELD_BACK;
    r->sim->held_back[g->element] = copysign(g->limit, force);
}

void br_reference_motors_off(br_reference *r) {
    for (int i = 0; i < r->limits; i++) {
        if (!br_reference_is_motor(r->limit[i])) continue;
        r->active -= r->on[i];
        r->on[i] = 0;
    }
    br_reference_motors_keep(r);
}

void br_reference_motors_set_aside(br_reference *r) {
    for (int i = 0; i < r->limits; i++) {
        r->was_on[i] = r->on[i];
        if (br_reference_is_motor(r->limit[i])) r->was_back[i] = r->sim->held_back[r->limit[i]->element];
    }
    br_reference_motors_off(r);
}

void br_reference_motors_take_up(br_reference *r) {
    br_reference_motors_off(r);
    for (int i = 0; i < r->limits; i++) {
        if (!br_reference_is_motor(r->limit[i])) continue;
        r->on[i] = r->was_on[i];
        r->active += r->on[i];
        r->sim->held_back[r->limit[i]->element] = r->was_back[i];
    }
    br_reference_motors_keep(r);
}

void br_reference_motors_take(br_reference *r) {
    br_sim *sim = r->sim;
    if (r->motors == 0) return;
    const double enough = reached(sim);
    br_reference_motors_off(r);
    look_from_the_right(sim);
    for (int i = 0; i < r->limits; i++) {
        br_group *g = r->limit[i];
        if (!br_reference_is_motor(g)) continue;
        const double lacks = br_reference_motor_lacks(sim, g);
        r->on[i] = fabs(lacks) <= enough;
        r->active += r->on[i];
        if (!r->on[i]) br_reference_motor_give_up(r, i, lacks);
    }
    br_reference_motors_keep(r);
}

int br_reference_motor_overtakes(br_reference *r) {
    br_sim *sim = r->sim;
    const double enough = reached(sim);
    for (int i = 0; i < r->limits; i++) {
        br_group *g = r->limit[i];
        if (!br_reference_is_motor(g) || r->on[i] || fabs(br_reference_motor_lacks(sim, g)) > enough)
            continue;
        g->kind->fill(sim, g);
        const double rate = br_group_acceleration(sim, g, 0, sim->work.A, sim->vdot) -
                            br_coordinate_gamma(sim, g->coordinates[0]);
        br_group_clear(g);
        if (sim->held_back[g->element] * (rate - wanted(sim, g).rate) > 0.0) return i;
    }
    return -1;
}
