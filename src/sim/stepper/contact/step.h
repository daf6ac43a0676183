// One step of the contact stepper. Private to this folder.
#ifndef BR_SIM_STEPPER_CONTACT_STEP_H
#define BR_SIM_STEPPER_CONTACT_STEP_H

#include "sim/core/sim.h"

// t_next: where it ends, to the last bit.
br_status br_step_contact_once(br_sim *sim, double h, double t_next, br_error *error);

#endif
