// Steps of the contact stepper, in parts where they must be. Private to this folder.
#ifndef BR_SIM_STEPPER_CONTACT_SPLIT_H
#define BR_SIM_STEPPER_CONTACT_SPLIT_H

#include "sim/core/sim.h"

// t_next: where it ends, to the last bit.
br_status br_step_contact(br_sim *sim, double h, double t_next, br_error *error);

#endif
