// Pads of joints as the implicit stepper evaluates them.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_FRICTION_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_FRICTION_H

#include "sim/friction/friction.h"
#include "sim/stepper/implicit/implicit.h"

// N, and its derivative by the force of each of the joint's rows.
double br_rub_load_by(const br_pad *pad, br_wrench R, const br_joint_rows *rows, double *by);
br_pad br_rub_pad(br_implicit *f, const br_rub *rub, const br_span *s);
// What a unit along D does to the two nodes.
void br_rub_wrenches(const br_span *s, br_wrench D, br_wrench *on_a, br_wrench *on_b);

#endif
