// Judging the ledger while it is written. Private to src/sim; the rules are in docs/theory/judgement.md.
//
//     ledger_judge.c   largest gains and losses between any two steps, penetration, order, the guard
//     ledger_share.c   which element they came from
//     judgement.c      what is said of it
#ifndef BR_SIM_CORE_LEDGER_JUDGE_H
#define BR_SIM_CORE_LEDGER_JUDGE_H

#include "bristle/judgement.h"
#include "sim/state/state.h"

#define BR_JUDGE_TOLD                                                                                        \
    0.01 // of the energy at play: a gain of the time stepping that is told, though it does not fail
#define BR_JUDGE_LIMIT 0.02      // of the energy at play: what the books may be wrong by
#define BR_JUDGE_PENETRATION 0.1 // of the thinner shape
#define BR_JUDGE_RUNAWAY 100.0   // times the energy that there can be: a step has diverged
// Of the model's size: what its weight gains by falling so far is too little to be judged, whatever it is compared with.
#define BR_JUDGE_FLOOR 1e-6
// Residual, relative to the load, that solver.max_work may leave in a step of a credible run: a hundredth of what its forces do.
#define BR_JUDGE_CUT 0.01
#define BR_JUDGE_WATCH 0.1     // of the limit: from here on the elements are watched one by one
#define BR_JUDGE_ROUNDING 1e-9 // of the model's size in one step: velocities below are rounding

// What is judged. The first three of them give where they may only take.
typedef enum br_judged {
    BR_JUDGED_IMPACT = 0,
    BR_JUDGED_DAMPING,
    BR_JUDGED_FRICTION,
    BR_JUDGED_CONTACT,  // impact and friction together
    BR_JUDGED_GAIN,     // scheme
    BR_JUDGED_LOSS,     // scheme
    BR_JUDGED_APPEARED, // unaccounted
    BR_JUDGED_VANISHED, // unaccounted
    BR_JUDGED_TERMS,
    BR_JUDGED_SIGNS = 3
} br_judged;

// The largest fall of a term of the books between any two steps, measured by what went through between them.
typedef struct br_extreme {
    double peak;                    // of term + limit * through so far
    double peak_term, peak_through; // J, there
    double peak_t;                  // s
    double highest;                 // J, of the term alone so far: for the guard
    double worst;                   // largest peak - (term + limit * through) so far
    double change, through;         // J: fall of the term and what went through, of that window
    double from, to;                // s
} br_extreme;

// A contact, or a spring or group of rows, by number: a name is made of it when somebody asks.
typedef struct br_culprit {
    int known;                    // 0: nobody
    int row;                      // of springs, then groups of rows; -1: a contact
    int shape_a, shape_b, number; // of the contact
} br_culprit;

// The step in which a term gave most, and who gave.
typedef struct br_giver {
    double given;        // J
    int newton, poisson; // some contact of that step bounced by this restitution, with friction
    int blow;            // some contact of that step was struck, with friction
    br_culprit who;
} br_giver;

// Steps of lower order, as br_lower_order has them.
typedef struct br_order_note {
    double first, last;
    int64_t steps;
    int order;
    char why[BR_MAX_ORDER_TEXT + 4];
} br_order_note;
BR_NO_PADDING(br_order_note, 3 * 8 + sizeof(int) + BR_MAX_ORDER_TEXT + 4);

// Part of the block of the state; no pointers.
typedef struct br_judge {
    double floor;                   // J: less than this is not judged
    double reach;                   // J that the model's weight has by its own size: for the guard
    double stored;                  // J: largest kinetic + elastic + |potential - its start| so far
    double fallen;                  // J: largest |potential - its start| so far
    double input_least, input_most; // J: the range that the input has had
    double through; // J: growth of that range + friction + damping + impact so far, each increment that takes
    double input, given; // of the ledger when last looked at, J; sum of |input|
    double taken[BR_JUDGED_SIGNS];
    br_extreme extreme[BR_JUDGED_TERMS];
    br_giver giver[BR_JUDGED_SIGNS];
    double cut, cut_t;                  // largest residual that solver.max_work left, and when, s; ...
    int64_t cut_steps;                  // ... in so many steps
    double depth, depth_limit, depth_t; // m, m, s: of the contact that is deepest beside its limit
    double shared_t;      // s: the first blow with restitution that went through several bodies at once, and
    br_culprit shared[2]; // two of its contacts
    br_culprit deepest;
    int watching; // the elements are watched
    int lower_orders;
    int none; // fills up the word
    br_order_note lower_order[BR_MAX_LOWER_ORDERS];
} br_judge;
BR_NO_PADDING(br_judge, 15 * sizeof(double) + sizeof(int64_t) +
                            BR_JUDGED_SIGNS * (sizeof(double) + sizeof(br_giver)) +
                            BR_JUDGED_TERMS * sizeof(br_extreme) + 3 * sizeof(br_culprit) + 3 * sizeof(int) +
                            BR_MAX_LOWER_ORDERS * sizeof(br_order_note));
BR_NO_PADDING(br_giver, sizeof(double) + 3 * sizeof(int) + sizeof(br_culprit));

// What the time stepping made of one element, since they are watched: its own part of `scheme`.
typedef struct br_scheme_share {
    double stored; // J, of the element at the state
    double sum;    // J
    double high, low, gain,
        loss; // J: largest and smallest sum so far, largest fall and rise between any two steps
} br_scheme_share;
BR_NO_PADDING(br_scheme_share, 6 * sizeof(double));

struct br_sim;
struct br_powers;

br_status br_judge_create(struct br_sim *sim);
void br_judge_start(struct br_sim *sim); // with the ledger
// After a step's books are written and it stands, of any stepper. What the contact stepper adds is below.
void br_judge_step(struct br_sim *sim);
// J, at the state: kinetic, elastic and what has fallen; *fallen: that part alone.
double br_judge_stored(const struct br_sim *sim, double *fallen);
// Nonzero: `scheme` as it stands, of the contact stepper, has fallen or risen by a good part of the limit.
int br_judge_is_suspicious(const struct br_sim *sim);
void br_judge_cut(struct br_sim *sim);     // what solver.max_work left
void br_judge_touches(struct br_sim *sim); // how deep rigid contacts are, and which blows they share
// Nonzero: the step just booked, not yet judged, has made energy far beyond what there can be. *gain: J of it, *source: J.
int br_judge_runs_away(const struct br_sim *sim, double *gain, double *source);

#endif
