// Pieces of br_trust_run: trust.c moves and finds where verdicts change, trust_look.c judges an instant, trust_survey.c finds
// sensitivities, trust_report.c makes intervals and reasons of it. Private to these files.
#ifndef BR_TRUST_TRUST_H
#define BR_TRUST_TRUST_H

#include "bristle/trust.h"
#include "sim/core/sim.h"
#include "trust/sensitivity.h"
#include "trust/work.h"

#define BR_MAX_PARAMETERS 64
#define BR_EPS_BOUNDARY                                                                                      \
    1e-4 // of a step: to what the ends of intervals are bisected, 1e-7 s with steps of a millisecond

#define BR_MAX_WATCH_LOOKS 300 // of a run, for what its motion shows
#define BR_LOOKS_OF_AN_END 4.0 // what finding the end of an interval takes, in looks

typedef struct br_look {
    double t;
    br_trust_interval judged;
    br_share share;   // sharing 0: none
    int knot;         // of a table of the loads
    int supposed;     // the share is of a mechanism that stayed at rest, which this one did not
    double edge;      // s: where its verdict ends, when that of the next look is another
    double edge_star; // c_star there at rest under the loads that come next, and
    int edge_nullity;
} br_look;

typedef struct br_snapshot {
    char *bytes;
    size_t size, capacity; // of the state in it; of the memory
} br_snapshot;

typedef struct br_watch { // what the motion itself shows between two looks
    int changes;          // something stuck, slipped, came or went
    int looks;            // taken for such a reason
    double used;          // of the limits of contacts that stick, by the fullest
    double start;         // the same at the last look
    double low, high;     // and since then
    double top;           // the largest of any look
    int rises;            // 1, or -1: falls
    int doubtful;         // at the last look it did not stick robustly
} br_watch;

typedef struct br_trust_state {
    br_sim *sim;
    br_watch watch;
    br_trust_options options;
    br_work work;
    br_arena *arena;  // of the report
    br_arena scratch; // of one look
    br_friction_params *law;
    int laws;
    double from, until; // of the run, s
    int wanted, taken;  // looks at times of their own: of a full search, and those that were taken
    double look_work;   // of the last look
    double motion_work; // of all steps so far
    double *last;       // numbers of the last look's balance, and what was said of it
    size_t last_count, last_capacity;
    br_trust_interval judged;
    int brief; // it was judged briefly
    br_snapshot here, main,
        rest;             // state of the last look; of the motion; of the last look with something at rest
    int no_sensitivities; // the budget ended in the search for them
} br_trust_state;

br_status br_trust_no_memory(br_error *error);
double br_trust_located(const br_trust_state *run); // s: to what the ends of intervals are known

// trust_look.c. Where the work is used up the verdict is BR_NOT_JUDGED.
typedef enum br_look_kind {
    BR_LOOK_BRIEF, // verdicts and c_star only
    BR_LOOK_PLAIN, // intervals of forces too
    BR_LOOK_SHARE  // and what shares the forces
} br_look_kind;
br_status br_trust_look(br_trust_state *run, br_look_kind kind, br_look *out, br_error *error);

// trust_watch.c: from after the last look on to t, or to the first end of a step before it that asks for a look: the state of something that rubs has changed, or
// contacts that stick have been nearest to their limit. grid: how far those ends are apart, s.
br_status br_trust_go_on(br_trust_state *run, double last, double t, double grid, br_error *error);
br_status br_trust_go_to(br_trust_state *run, double t, br_error *error); // trust.c

// trust_survey.c: parameters of secondary importance, and where they flip the run.
typedef struct br_trust_parameters {
    int count;
    br_share_parameter parameter[BR_MAX_PARAMETERS];
    double flips_at[BR_MAX_PARAMETERS];
    int undecided[BR_MAX_PARAMETERS];     // flips_at is not known
    double break_away[BR_MAX_PARAMETERS]; // d t / d ln parameter; NAN: it never breaks away
} br_trust_parameters;

// A work large enough for every share; NULL: nothing is shared.
br_balance_work *br_trust_survey(br_trust_state *run, br_look *looks, int count, br_trust_parameters *p);
br_status br_trust_differentiate(br_trust_state *run, br_look *at, const br_trust_parameters *p,
                                 br_balance_work *work, br_trust_interval *out, br_error *error);

// trust_report.c
int br_trust_same(const br_look *a, const br_look *b); // the same verdict
br_status br_trust_make_report(br_trust_state *run, br_look *looks, int count, br_trust_report *report,
                               br_error *error);
// One interval, BR_NOT_JUDGED because of what the model has; 0: nothing of that kind.
int br_trust_cannot(const br_model *model, char *element, size_t size, char *text, size_t room);

#endif
