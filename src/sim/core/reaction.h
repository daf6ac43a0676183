// Efforts of stops and drives at an instant; br_sim_joint_reaction is public. Private to src/sim.
#ifndef BR_SIM_CORE_REACTION_H
#define BR_SIM_CORE_REACTION_H

#include "sim/core/sim.h"

br_status br_sim_stop_effort(br_sim *sim, int joint, int k, double *effort, br_error *error);
br_status br_sim_drive_effort(br_sim *sim, int drive, double *effort, br_error *error);

// What pulls the ends of a tendon together: its spring and damper, drives, stops and couplings; of the instant.
br_status br_sim_tension(br_sim *sim, int joint, double *tension, br_error *error);

#endif
