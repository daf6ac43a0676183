// Friction of joints that jumps at rest, see element_stick.c. Private to the implicit stepper.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_STICK_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_STICK_H

#include "sim/stepper/implicit/implicit.h"

extern const br_element_kind br_element_stick;

br_status br_elements_sticks(br_implicit *f, br_error *error);

#endif
