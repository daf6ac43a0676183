// Targets of drives: the model's own function of time and state, or the number that a program gave between two steps
// (br_sim_set_control). Whoever moves by a drive's target asks here, so that no element, row or stepper knows of controls.
#ifndef BR_SIM_CORE_CONTROL_H
#define BR_SIM_CORE_CONTROL_H

#include "sim/core/sim.h"

br_status br_controls_create(br_sim *sim);
void br_controls_follow(br_sim *sim);                         // the state was loaded
int br_control_jumps(const br_sim *sim, int drive, double t); // at t or later, up to the state's time

static inline const br_function *br_drive_target(const br_sim *sim, int drive) {
    return sim->target[drive];
}

#endif
