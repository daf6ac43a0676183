// The verdict on one instant: everything of a br_trust_interval that the equations of one instant decide.
// Sensitivities, `from`, `to` and the slopes of smooth laws come from elsewhere.
//
//     slides_not_unique   slides, or must start to, under a load that redundant rows leave open
//     slides_certain      F empty: c_star > 1
//     undetermined        F not empty, and sliding from rest is consistent at mu_static
//     sticks_metastable   F not empty, and sliding from rest is consistent only at mu_kinetic
//     sticks_robust       F not empty, and it is not
//     moves               nothing that rubs is at rest
//     not_judged          the work was used up before one of these was found
//
// Quasi-static: rate effects and transients can defeat "metastable".
#ifndef BR_TRUST_VERDICT_H
#define BR_TRUST_VERDICT_H

#include "trust/feasible.h"
#include "trust/onset.h"

// Memory of *out and all scratch come from the arena.
// Where the work is used up on the way the verdict is BR_NOT_JUDGED, and nothing else is said. NULL: no end.
br_status br_trust_judge(const br_balance *b, br_arena *arena, br_work *work, br_trust_interval *out,
                         br_error *error);

// verdict_settle.c: out->of, out->not_unique, and out->settle from the verdict; onset is the one at mu_kinetic.
void br_trust_name_pads(const br_case *c, br_trust_interval *out);
void br_trust_name_not_unique(const br_case *c, br_trust_interval *out);
void br_trust_settle(const br_case *c, const br_onset *onset, br_trust_interval *out);

#endif
