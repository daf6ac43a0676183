// Between what factors on one load the pads of an island hold it. Private to src/trust/hold.
//
// The load is a column of the balance without a row: its size is one more unknown beside the forces. What is asked of that number:
//
//     possible      least and most with all pads at rest staying and their friction within mu_static N: beyond, it slides for certain
//     undisturbed   from a factor at which nothing can move, the nearest ones at which a motion can begin, friction being mu_static
//     sure          the same with mu_kinetic, where that is smaller: inside, nothing moves it but force
//
// Coulomb friction is not associated: where loads on pads depend on forces that rows leave open, sure is less than possible.
#ifndef BR_TRUST_HOLD_RANGE_H
#define BR_TRUST_HOLD_RANGE_H

#include "trust/modes.h"

typedef struct br_hold_range {
    int rests;                                   // something that rubs is at rest
    int held;                                    // some size of the load holds it: `possible` is not empty
    double possible[2], undisturbed[2], sure[2]; // least, most; -INFINITY, INFINITY
    int certain;       // there is a factor at which nothing can move: `sure` is about it
    double from;       // that factor
    br_onset first[2]; // the motions that begin at the ends of `sure`
    int exhaustive;    // 0: a search ended at its caps
    double c_star;     // of the balance as it is; INFINITY
    double *alone;     // [pads] the least mu_static of this one that holds it as it is; NULL: not asked
} br_hold_range;

// b: an island of the balance as it is, Q with the load; load [n]: its part of Q. Memory from the arena. Where the work is used up
// out->exhaustive is 0 and ends are those found by then.
br_status br_hold_range_find(const br_balance *b, const double *load, int alone, br_arena *arena,
                             br_work *work, br_hold_range *out, br_error *error);

#endif
