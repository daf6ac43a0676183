// What a step of the contact stepper may make. Private to this folder.
#ifndef BR_SIM_STEPPER_CONTACT_GAIN_H
#define BR_SIM_STEPPER_CONTACT_GAIN_H

#include "sim/core/sim.h"

#define BR_MAX_HALVINGS 7 // of a step
#define BR_EPS_HIDDEN                                                                                        \
    1e-5 // of the energy at play: what stiff contacts may hide while the length of steps changes
#define BR_EPS_HIDES 1e-3 // and what a step may begin to hide

// Whether the step whose books are in the ledger made more than it may; before: the books at its start.
int br_step_gains(br_sim *sim, const br_ledger *before);

#endif
