// Gyroscopic torques of a contact step, see gyroscope.c. Called by the contact stepper alone.
#ifndef BR_SIM_GYROSCOPE_H
#define BR_SIM_GYROSCOPE_H

#include "sim/sim.h"

void br_gyroscope_add(br_sim *sim);           // after br_forces, velocities of the evaluation in work
int br_gyroscope_correct(br_sim *sim);        // after a solve: torques of what it found; 1: it must be solved again
double br_gyroscope_power(const br_sim *sim); // W, on the twists in work

#endif
