// Whether a run may be believed, from its own books: docs/theory/judgement.md has the rules.
//
//     energy       the time stepping made or took more than 2 % of the energy at play, or that much is unaccounted for
//     impact, damping, friction   gave energy: each may only take it
//     penetration  rigid shapes are inside each other by more than a tenth of the thinner one
//     stiction     what friction holds does not follow from the model (bristle/trust.h)
//     error        a result is not known well enough
//     not_judged   a question that nobody asked, or that could not be answered
//
// The energy at play between two steps is the largest kinetic + elastic + |potential - its start| so far, plus what went
// through between them: |input| + friction + damping + impact.
#ifndef BRISTLE_JUDGEMENT_H
#define BRISTLE_JUDGEMENT_H

#include "bristle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum br_reason_kind {
    BR_REASON_ENERGY = 0,
    BR_REASON_IMPACT,
    BR_REASON_DAMPING,
    BR_REASON_FRICTION,
    BR_REASON_PENETRATION,
    BR_REASON_STICTION,
    BR_REASON_ERROR,
    BR_REASON_NOT_JUDGED,
    BR_REASON_KINDS
} br_reason_kind;

const char *br_reason_name(br_reason_kind what); // "energy", "impact", ...

#define BR_MAX_REASON_TEXT 512
#define BR_MAX_REASONS 16
#define BR_MAX_LOWER_ORDERS 6
#define BR_MAX_ORDER_TEXT 80

typedef struct br_reason {
    br_reason_kind what;
    // nonzero: the run is not credible for it; 0: told, as dissipation that the scheme is meant to have
    int fails;
    // s: when it was worst; NAN: of no time
    double t;
    // the body, joint, load or contact with the largest share; empty: none is known
    char element[BR_MAX_EVENT_NAME];
    // J; penetration: m; of other kinds as the text says. NAN: none
    double value, limit;
    // one or two sentences: what, when, where, what helps
    char text[BR_MAX_REASON_TEXT];
} br_reason;

// Steps that were of lower order than the rest.
typedef struct br_lower_order {
    int order;
    long steps;
    // s: ends of the first and of the last of them
    double first, last;
    // "something arrived, or met a limit"
    char why[BR_MAX_ORDER_TEXT];
} br_lower_order;

typedef enum br_credible { BR_NOT_CREDIBLE = 0, BR_CREDIBLE = 1, BR_CREDIBLE_OPEN = 2 } br_credible;

typedef struct br_judgement {
    br_credible credible;
    int reasons;
    // those that fail first
    br_reason reason[BR_MAX_REASONS];
    // J: energy at play of the window with the largest gain
    double size;
    // J that the time stepping made in that window, 0 or more
    double gain;
    // J: the same of what it took
    double loss_size, loss;
    // of gain/size and loss/size, a fraction
    double limit;
    // J: gains and losses below are not judged, as those of things at rest
    double least;
    // of the step on smooth motion: 1 or 2; 0: order and length follow from a tolerance
    int order;
    long steps;
    int lower_orders;
    br_lower_order lower_order[BR_MAX_LOWER_ORDERS];
} br_judgement;

// Of everything since the ledger started. Knows nothing of stiction: add that.
void br_sim_judge(const br_sim *sim, br_judgement *out);

// Adds a reason and what follows from it: one that fails makes the run not credible, one that says not_judged leaves a
// credible run not judged. Beyond BR_MAX_REASONS the reason is dropped; what follows from it is not.
void br_judgement_add(br_judgement *judgement, const br_reason *reason);

#ifdef __cplusplus
}
#endif

#endif
