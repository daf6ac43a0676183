// Steps that are split where something meets. Private to this folder.
#ifndef BR_SIM_STEPPER_CONTACT_MEET_H
#define BR_SIM_STEPPER_CONTACT_MEET_H

#include "sim/core/sim.h"

// t_next: where it ends, to the last bit. BR_NUMERICAL: parts of it may stand; the state's time says up to where.
br_status br_step_contact_parts(br_sim *sim, double h, double t_next, br_error *error);

#endif
