// Joint friction in the contact stepper: one group of bounded rows for each rub, whose bounds follow the reactions of the same
// step. Private to src/sim.
//
//     friction/step_rows.c      rows of one rub: what its law makes of them, and of an answer
//     friction/step.c       all of them in a step: what sticks is let stick first; what a step leaves
//     friction/step_response.c   without contacts: what friction does to slip and loads, as a small dense problem, and
//     friction/newton.c     its solution
//     friction/step_passes.c     with contacts, or hundreds of rubs: passes until loads, directions and velocities agree
#ifndef BR_SIM_FRICTION_STEP_H
#define BR_SIM_FRICTION_STEP_H

#include "sim/friction/friction.h"
#include "sim/friction/newton.h"

#define BR_EPS_RUBBING 1e-10 // of N mu: how well force and law agree when an answer stands

// One rub during one solve. Vectors are along the pad's directions D.
typedef struct br_rubbing {
    br_group *group;
    const br_group *loop; // whose rows carry its reaction; NULL: a tree joint
    int loop_row;         // its first among the rows without bounds
    int n;
    double basis[BR_MAX_SLIDING * BR_MAX_SLIDING]; // row r of the group is sum of basis[r][d] D[d]
    double wanted[BR_MAX_SLIDING];                 // J A that leaves no slip at the step's end, m/s^2
    double start[BR_MAX_SLIDING];                  // slip at the step's start, m/s
    double softness;                               // mean diagonal of J M^-1 J^T, 1/kg
    int set_valued, sliding;                       // sliding: it slid when the step began
    double mu;                                     // set-valued: of this step
    int mode;                                      // br_rub_mode after the step, and
    double moved;                                  // how far it has yielded, m
    double rigid;                                  // compliance of its bristles over h^2, 1/kg
    double soft, firm;                             // the same to choose from; firm: no rows are dependent
    int held;                                      // tried without a bound
    int turned, tries; // vectors: row 0 is along `ahead`; how often it was tried without
    double ahead[BR_MAX_SLIDING], speed, share; // share: of the step, at which its slip counts
    double point[BR_MAX_SLIDING]; // laws that are functions: velocity about which they are linearized, and
    double low, high;             // what encloses it, for one direction
    double before;                // N, of the last pass
    double normal;                // N, in use
    // of the answer
    double force[BR_MAX_SLIDING];    // N
    double velocity[BR_MAX_SLIDING]; // slip at the step's end, m/s
    double z[BR_MAX_SLIDING];        // m
    double load;                     // N, of its reactions
    int rests;                       // from the step's start to its end, and
    double allowed[BR_MAX_SLIDING];  // m, how far its law lets it move in the step
} br_rubbing;

typedef struct br_friction_step { // all of them
    br_rubbing *rubbing;          // [count]
    br_wrench *wrench;            // [links]
    br_rub_problem *problem;      // friction/step_response.c; NULL: passes
    br_system base;               // the rows that have no bounds: loops, drives, springs
    int base_ready;
    br_group **dense;               // [groups] of the problem's blocks, and
    int *listed;                    // [groups] whether a group is among them
    double *eta;                    // [nv]
    double *rhs, *row_force;        // [rows of base]
    double *H;                      // [count * count] Broyden's inverse
    double *F, *dx, *dF, *u, *best; // [count]
    int *growing;                   // [count] signs of the last changes
    int changed;                    // some rub sticks, slips or turns other than at the step's start
} br_rubbings;

br_status br_friction_step_create(br_sim *sim, br_error *error); // after the groups
// As br_sim_solve, rows filled and articulated.
br_status br_friction_solve(br_sim *sim, br_system *system, br_error *error);
void br_friction_note_rest(br_sim *sim); // solved: `rests` and `allowed` of all
void br_friction_keep(br_sim *sim);      // the step stands: `now`, events, ledger

br_status br_friction_response_create(br_sim *sim, br_error *error);
// Rubs being begun: forces, slip and loads of all, vdot and the forces of all rows. worst, off: see
// br_rub_problem_solve; worst may be beyond the rubs, a block of dense.
br_status br_friction_respond(br_sim *sim, int *worst, double *off, br_error *error);
br_status br_friction_pass(br_sim *sim, br_system *system, int *worst, double *off, br_error *error);
// The same by repeating N := Phi(N) alone; "friction-diverges" where that does not end.
br_status br_friction_fixed_point(br_sim *sim, br_system *system, double *off, br_error *error);
void br_friction_loads(br_sim *sim); // of the forces and accelerations at hand
br_wrench br_rub_tree_reaction(const br_sim *sim, const br_model_joint *joint, const br_relative *x,
                               const double *force);
br_wrench br_rub_loop_reaction(const br_model_joint *joint, const br_group *g, const br_relative *x,
                               const double *force);
void br_friction_wrenches(const br_sim *sim,
                          br_wrench *wrench); // on the links, from outside the tree's joints

// Of one rub, friction/step_rows.c. begin: positions and velocities in work, articulated.
void br_rubbing_begin(br_sim *sim, int i);
int br_rubbing_set(br_sim *sim, int i); // 1: its rows changed; 0: only its bound, if anything
double br_rubbing_read(br_sim *sim,
                       int i); // force, slip; how far from its law, of N mu; turns it for the next try
double br_rubbing_bound(const br_rubbing *r);

#endif
