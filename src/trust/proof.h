// Proofs that need no search, tried before one. Two motions a, b of an instant with forces x, y obey
//
//     (a - b) . M (a - b) = sum over pads (f_a - f_b) . (slip_a - slip_b) + (N_a - N_b) (lift_a - lift_b)
//
// in which the last term is never positive, and the first neither but for what a changed load makes of friction: mu |N_a - N_b| |slip_a - slip_b|.
//
// - Forces that balance at rest without any friction: f_b = 0, and nothing is left to feed a motion, whatever the loads of the others are.
// - Loads that follow from the acceleration: N_a - N_b = P (a - b). Where sum mu |P v| |slip v| < v . M v for every v, two motions are one
//   (strong monotonicity). Rest, if the law allows it, is then all there is.
//
// See docs/theory/trust.md. 0 proves nothing.
#ifndef BR_TRUST_PROOF_H
#define BR_TRUST_PROOF_H

#include "trust/feasible.h"

// Nothing that rests can begin to move, what slides with mu_static or with mu_kinetic. Only of islands in which nothing slides yet.
int br_proof_rests(br_case *c, br_arena *arena, int kinetic);
// The law leaves one motion.
int br_proof_one_motion(const br_case *c, br_arena *arena);

#endif
