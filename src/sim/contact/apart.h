// What is apart when a part of a step begins takes no part in it: solver.events: split. Private to src/sim.
//
// A step that is split at its meetings (stepper/contact/meet.c) moves on as if what is apart never met. Its end then shows by their gaps
// whether anything did, and the step is taken again up to there. What touches already has its rows as ever.
#ifndef BR_SIM_CONTACT_APART_H
#define BR_SIM_CONTACT_APART_H

#include "sim/contact/contact.h"

typedef enum br_apart_phase {
    BR_APART_WHOLE = 0, // nothing is left out: a step as ever
    BR_APART_FREE,      // what is apart is left out
    BR_APART_STRIKE,    // the same, and what meets is a blow: velocities change, positions hardly
} br_apart_phase;

// Touches of one look at the simulation's positions, with what br_contacts_find writes beside them.
typedef struct br_apart_look {
    br_touch *touch;
    int *left;
    int count, capacity;
} br_apart_look;

struct br_apart {
    br_apart_phase phase;
    int probing;          // only a part that ends where something meets stands
    int last_try;         // or this one, wherever it ends
    int passed;           // the part that was just taken back ended beyond a meeting, or, probing, elsewhere
    int let_go;           // something let go in it, and it was long
    int strikes;          // at the part's start something that touches is coming on
    double least;         // smallest gap of what is left out, in tolerances: at the last look
    unsigned char *limit; // [groups] this limit is left out
    br_apart_look start, end;
    br_touch *out; // what the last find left out, in its order
    int outs, out_capacity;
};

br_status br_apart_create(br_sim *sim, br_error *error); // NULL stays where the model does not ask for it
void br_apart_destroy(br_sim *sim);
// At the start of a part: what is apart, how near, and whether something strikes.
br_status br_apart_look_at_start(br_sim *sim, br_error *error);
// At its end: whether it stands. 0: it does not, and `passed` or `let_go` is set; *status is an error of its own.
int br_apart_stands(br_sim *sim, br_status *status, br_error *error);
br_status br_apart_leave_out(br_sim *sim, br_error *error); // at the end of a find
// A blow is short, and its forces are large: what the next step starts from, and what events tell, is not these.
void br_apart_spread_blow(br_sim *sim);
void br_apart_forget_blow(br_sim *sim);
void br_apart_forget_rubs(br_sim *sim);
void br_apart_keep(br_sim *sim); // br_contacts_keep, with what was left out

static inline int br_apart_strikes(const br_sim *sim) {
    return sim->apart && sim->apart->phase == BR_APART_STRIKE;
}

// A limit that takes no part in the step at hand.
static inline int br_limit_is_apart(const br_sim *sim, const br_group *limit) {
    return sim->apart && sim->apart->phase != BR_APART_WHOLE && sim->apart->limit[limit - sim->group];
}

// Length over which a contact or a limit that is inside comes out, s: parts of a step may be as short as they like.
static inline double br_apart_step(const br_sim *sim) {
    return sim->apart ? sim->model->settings.solver.step : sim->h;
}
#endif
