// From the state to t along the drives. Private to this folder.
#ifndef BR_SIM_STEPPER_KINEMATIC_STEP_H
#define BR_SIM_STEPPER_KINEMATIC_STEP_H

#include "sim/core/sim.h"

br_status br_step_kinematic(br_sim *sim, double t, br_error *error);

#endif
