// What pushes one way or up to a bound, see element_bounded.c. Private to the implicit stepper.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_BOUNDED_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_BOUNDED_H

#include "sim/stepper/implicit/implicit.h"

extern const br_element_kind br_element_limit, br_element_motor;

// Whether the model is the implicit stepper's own, and bounds count. Equilibrium and vibrations of other models are without.
int br_bounds_count(const br_implicit *f);
br_status br_elements_bounded(br_implicit *f, br_error *error);
// A row that may be off in the next step: what the projection of velocities took from it is not given back.
int br_element_switches(const br_element *e);
// ... and that is a blow.
int br_element_strikes(const br_element *e);
// Forces of stops, to the groups that channels read, and the events of those that were reached.
void br_bounded_tell(br_implicit *f);

#endif
