// Accelerations of bodies and joints for readers; br_sim_body_acceleration and br_sim_joint_acceleration are public.
#ifndef BR_SIM_CORE_ACCELERATION_H
#define BR_SIM_CORE_ACCELERATION_H

#include "sim/core/sim.h"

// After br_sim_instant: what it found is kept until the state changes.
void br_acceleration_of_instant(br_sim *sim);

#endif
