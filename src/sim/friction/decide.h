// An instant with joint friction while its modes are decided. Private to src/sim.
//
//     friction/decide.c   from the modes at hand, one change after the other
//     friction/decide_search.c   where that ends in a contradiction: every way in which what rests can begin to move
//     friction/decide_prove.c    where that finds nothing: a proof that there is nothing, or "not decided"
#ifndef BR_SIM_FRICTION_DECIDE_H
#define BR_SIM_FRICTION_DECIDE_H

#include "sim/friction/friction.h"

typedef struct br_rub_instant {
    br_sim *sim;
    br_balance *b;
    br_balance_work *work;
    br_pad_state *state; // [pads] in sim->frictions->state
    br_held held;
    double *g; // [limits]
} br_rub_instant;

double br_instant_rest_speed(const br_sim *sim); // m/s: slower is at rest
void br_instant_take_states(br_rub_instant *at); // states of the balance's pads for the modes at hand
// Rate of a pad's slip at the accelerations at hand, beyond what holds it: A_c^T a - gamma.
void br_instant_slip_rate(const br_balance *b, int pad, double *rate);
// What the forces at hand could make of a pad's slip, and what its rate is the difference of: below a part of it, a rate is rounding.
double br_instant_rate_scale(const br_rub_instant *at, int pad);
double br_instant_force_scale(const br_rub_instant *at);
// How far a force that sticks is beyond its limit, of the limit; <= 0: it is not.
double br_instant_beyond(const br_balance *b, int pad, double mu, double scale);
int br_instant_runs_away(const br_rub_instant *at); // forces that only rounding can have made
void br_instant_set_limit(br_frictions *f, const br_balance *b, int i);

// Whether the forces and accelerations at hand agree with the modes. worst: the rub that sticks furthest beyond its limit, -1: none does.
int br_instant_agrees(const br_rub_instant *at, int *worst);
// Modes and forces that agree with each other, among all ways in which the rubs at rest can begin to move: `now`, b->x, b->a and at->g.
// solutions: how many were found with the least motion; exactly one is taken.
br_status br_instant_search(br_rub_instant *at, int *solutions, br_error *error);

// Where the search finds nothing: a share of the loads with which everything stays at rest (BR_OK, as the search), or the proof that there is no
// solution, or a solution that its boxes led to, or the sentence that it is not decided.
br_status br_instant_none(br_rub_instant *at, br_error *error);

#endif
