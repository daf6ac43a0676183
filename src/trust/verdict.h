// The verdict on one instant: everything of a br_trust_interval that the equations of one instant decide; what each verdict means, and
// which search decides it, is in docs/theory/trust.md. Sensitivities, `from`, `to` and the slopes of smooth laws come from elsewhere.
#ifndef BR_TRUST_VERDICT_H
#define BR_TRUST_VERDICT_H

#include "trust/feasible.h"
#include "trust/onset.h"

// Memory of *out and all scratch come from the arena.
// Where the work is used up on the way the verdict is BR_NOT_JUDGED, and nothing else is said. NULL: no end.
br_status br_trust_judge(const br_balance *b, br_arena *arena, br_work *work, br_trust_interval *out,
                         br_error *error);
// The same verdicts and c_star, without the intervals of the forces, which take most of the work: to find where verdicts change.
br_status br_trust_judge_briefly(const br_balance *b, br_arena *arena, br_work *work, br_trust_interval *out,
                                 br_error *error);

// verdict_settle.c: out->of; out->not_unique with what one island adds (column: of its columns in the whole); and out->settle from the
// verdict of the island that says most, onset being the one at mu_kinetic; several: motions without open loads.
void br_trust_name_pads(const br_balance *b, br_trust_interval *out);
void br_trust_name_not_unique(const br_balance *b, const br_case *c, const int *column,
                              br_trust_interval *out);
void br_trust_settle(const br_case *c, const br_onset *onset, int several, const br_trust_interval *of,
                     br_trust_interval *out);

// Creeping pads that a prescribed motion drags slide, however slowly. Before judging. Memory from the arena.
br_status br_trust_find_dragged(br_balance *b, br_arena *arena, br_work *work, br_error *error);
// Whether a prescribed motion alone decides the slip of the pad with this force: no forces could hold it.
br_status br_trust_is_driven(const br_balance *b, br_arena *arena, const char *force, int *driven,
                             br_error *error);

#endif
