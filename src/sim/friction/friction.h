// Joint friction inside a simulation. Private to src/sim and src/trust.
//
//     friction.c                     the rubs of a model: where they slide, how fast, what their forces do
//     friction/balance.c             an instant as dense equations, see friction/balance.h
//     friction/state.c               which pads of it are at rest, and what the others are dragged by
//     friction/decide.c, _search.c, _prove.c   what sticks, what is at its limit, what slides [Wojtyra2017 eqs. 6-10, 20]
//     friction/step.c                in the contact stepper: bounded rows whose bounds follow the reactions
//     reference/friction.c   in the reference stepper: forces between events, events
//
// A `rub` is one pad of one joint (tree/pad.h). Its forces are along the pad's directions D, in N, on the second body.
#ifndef BR_SIM_FRICTION_FRICTION_H
#define BR_SIM_FRICTION_FRICTION_H

#include "friction/balance.h"
#include "friction/law.h"
#include "friction/refutation.h"
#include "sim/core/sim.h"
#include "tree/pad.h"

#define BR_MAX_BESIDE 100      // contacts that the reference stepper can have closed
#define BR_RUB_REST_SPEED 1e-9 // m/s: a rub of a set-valued law that is slower is at rest

typedef enum br_rub_mode {
    BR_RUB_STICKS = 0, // set-valued laws: its rows hold
    BR_RUB_AT_LIMIT,   // at rest, at its largest static force, resisting motion along `ahead`
    BR_RUB_SLIDES,     // along `ahead`
    BR_RUB_FOLLOWS,    // laws that are functions of velocity and state: always
} br_rub_mode;

typedef enum br_rub_known {
    BR_RUB_UNKNOWN = 0, // forces and modes: nothing was computed yet
    BR_RUB_OF_INSTANT,  // of the state
    BR_RUB_STEPPED,     // that a step left
} br_rub_known;

// What a step leaves for the next. Numbers only: part of the state and of snapshots.
typedef struct br_rub_state {
    double z[BR_MAX_SLIDING];     // the law's own, m
    double force[BR_MAX_SLIDING]; // N, along D
    double ahead[BR_MAX_SLIDING]; // unit: where it slides, or would; zero: not known
    double normal;                // N
    br_rub_mode mode;
    br_rub_known known;
} br_rub_state;
BR_NO_PADDING(br_rub_state, (3 * BR_MAX_SLIDING + 1) * sizeof(double) + 2 * sizeof(int));

// What decisions leave for the next, of all rubs together. Part of the state: a run that is taken up again decides as it would have.
typedef struct br_rub_past {
    double largest; // N, the largest force of the run so far: what rounding is measured by where loads vanish
    double t_paced; // reference stepper: when the clock last moved, and
    double t_quiet; // how long what is at its limit stays there,
    int events;     // after so many changes of modes since;
    int quiet;      // whether it does
} br_rub_past;
BR_NO_PADDING(br_rub_past, 3 * sizeof(double) + 2 * sizeof(int));

typedef struct br_rub {
    int joint, which; // pad `which` of the joint
    int first;        // of its directions, counted over the joint's pads
    char name[BR_MAX_NAME + 4];
    br_friction_params law;
    double compliance; // m/N, of the sliding direction
    br_pad pad;        // F axes, at the positions of the last look (constant but for universal joints)
    double velocity[BR_MAX_SLIDING]; // m/s, of the last look
} br_rub;

typedef struct br_frictions {
    int count, directions; // rubs; their directions together
    br_rub *rub;
    br_rub_state *now, *last; // [count] of the state; of the step's start. In the block
    int set_valued, follows;  // how many are of each sort
    int slots;                // of decisions: count, and contacts beside
    br_pad_state *state;      // [slots] scratch of decisions, and
    double *roots;            // [slots]
    br_rub_past *past;        // of the decisions so far, and
    double
        *g; // [slots] magnitudes of the last balance's pads at their limit, what the next search starts from,
    double *peak;        // [count] N, the static force at which the last slide began. In the block, all three
    int *waiting;        // [count] of the last decision: BR_RUB_SWEPT_ON, or how often a mode was tried again
    br_rub_mode *before; // [count] modes before an event
    long boxes;          // of proofs that were tried, for whoever counts work
    struct br_rub_refutation
        *proof; // friction/decide_prove.c: that an instant had no solution; NULL but for runs that ended so
    struct br_friction_step *step; // friction/step.c; NULL but for the contact stepper
} br_frictions;

br_status br_frictions_create(br_sim *sim,
                              br_error *error); // sim->frictions stays NULL where no joint has friction
void br_frictions_forget(br_sim *sim);          // the state was changed from outside
// J in the bristles of joints, sigma_0 N z^2/2: the ledger has it under friction.
double br_frictions_stored(const br_sim *sim);

// Pads and sliding velocities at the positions and velocities in work (or of the twists V, where not NULL).
void br_frictions_look(br_sim *sim);
void br_rub_velocity(const br_sim *sim, const br_rub *rub, const br_twist *V, double *velocity);
// What a unit force along direction d does: on the joint's second body at its link's reference point, world axes, and on the first.
void br_rub_wrench(const br_sim *sim, const br_rub *rub, int d, br_wrench *second, br_wrench *first);
// The same along the velocities of a tree joint: effort[k] for velocity k of the joint.
void br_rub_effort(const br_sim *sim, const br_rub *rub, int d, double *effort);
// Adds factor times the forces of `now` to tau and wrench, as known ones.
void br_frictions_apply(br_sim *sim, double factor);
double br_rub_load(const br_rub *rub,
                   br_wrench R_F); // N for the reaction R (F axes, at M, without friction and efforts)
double br_rub_power(const br_rub *rub, const br_rub_state *s); // dissipated at rub->velocity, W

// --- the dense instant -------------------------------------------------------------------------------------

enum { BR_BALANCE_CONTACTS = 1, BR_BALANCE_SPRINGS = 2 };

// At the evaluation at hand (positions and velocities in work, br_forces done without friction): everything of the balance but x
// and a. With CONTACTS, contacts that touch and stops that are leant on are pads too; with SPRINGS, springs are rows whose
// weights are their compliances. Memory is kept from call to call.
br_status br_friction_balance(br_sim *sim, unsigned what, br_balance **out, br_balance_work **work,
                              br_error *error);
// After br_sim_instant: of the state itself, with x and a and contacts, for diagnostics. See br_sim_balance in core/instant.h.
br_status br_friction_balance_of_state(br_sim *sim, unsigned what, br_balance **out, br_balance_work **work,
                                       br_error *error);
int br_balance_springs(const br_sim *sim); // rows that SPRINGS adds
// tau and wrench, and nothing else, along the coordinates of the last balance: Q [n].
void br_balance_known(br_sim *sim, double *Q);
// friction/state.c: p->sliding, ->rolling, ->creeps and ->drag of a rub, and of a touch whose columns are filled.
struct br_touch;
void br_rub_motion(const br_sim *sim, int rub, br_balance_pad *p);
void br_touch_motion(const br_sim *sim, const struct br_touch *t, const br_balance *b, br_balance_pad *p);
void br_play_motion(const br_sim *sim, const struct br_touch *t, br_balance_pad *p); // of a joint with play
// Where two bodies roll on each other their contact wanders over both: what its rows ask for follows from how both are curved there. The
// simulation knows: where it holds the contact with force to spare its own acceleration, b->a, keeps the rows. Sets gamma.
void br_balance_roll_on(br_balance *b);
// Of the pads of the reference stepper's closed contacts, which come after those of the rubs: as their modes are.
void br_balance_take_holds(const br_sim *sim, br_pad_state *state);
double *br_dense_lines(const br_sim *sim); // [4 * columns] scratch of decisions
void br_dense_destroy(br_sim *sim);
void br_balance_twists(const br_sim *sim, const double *a,
                       br_twist *V); // from the coordinates of a balance to the links
// What the first columns of the last balance are: rows of the absolute form. Returns their count.
int br_balance_rows(br_sim *sim, const br_absolute_row **rows);

// --- decisions ---------------------------------------------------------------------------------------------

// Modes and forces of all rubs at the evaluation at hand, from those of `now`. settle: modes may change (at an event, at the
// start); else they are kept and only forces are found. Errors name the joint. Of settling: "friction-several" where several modes and
// forces agree, "friction-none" where it is proved that none do, "friction-undecided" where neither could be shown; else "friction-lost".
br_status br_frictions_decide(br_sim *sim, int settle, br_error *error);
// The proof behind the last "friction-none" and its time; NULL: there was none.
const br_refutation *br_frictions_refutation(const br_sim *sim, double *t);
void br_rub_refutation_destroy(br_sim *sim);

// Of the state, known forces being in tau and wrench: forces are found where nothing is known of them yet, and added.
br_status br_frictions_instant(br_sim *sim, br_error *error);

#define BR_RUB_SWEPT_ON 1000 // at rest for a moment only: the rest of the mechanism moves it on

// Why a mode ended.
enum { BR_RUB_SLIPS = 1, BR_RUB_STOPS = 2, BR_RUB_RESTICKS = 4 };
// Bits of what is over at the forces of the last decision, for all rubs.
int br_frictions_over(br_sim *sim);

#endif
