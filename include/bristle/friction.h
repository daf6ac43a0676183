// The friction laws of joints by themselves, without a model that moves.
#ifndef BRISTLE_FRICTION_H
#define BRISTLE_FRICTION_H

#include "bristle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Coefficient of friction at the steady sliding velocity v (m/s), with v's sign: bristles at rest against it, viscous parts
// included. Set-valued laws (coulomb, and laws with rigid bristles) give 0 at v = 0.
double br_friction_steady(const br_friction_def *def, double v);

// Nonzero: at rest the law takes any coefficient of either sign up to br_friction_holds. 0: its curve passes through 0.
int br_friction_jumps(const br_friction_def *def);
// The coefficient that it holds at rest, for long: mu_static, of laws without one mu_kinetic.
double br_friction_holds(const br_friction_def *def);
// m/s: the speed within which the law makes its turns; 0: it has none.
double br_friction_turn_speed(const br_friction_def *def);

#ifdef __cplusplus
}
#endif

#endif
