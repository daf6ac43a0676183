// Gyroscopic torques of a contact step, see gyroscope.c. Called by the contact stepper alone.
#ifndef BR_SIM_ROWS_GYROSCOPE_H
#define BR_SIM_ROWS_GYROSCOPE_H

#include "sim/core/sim.h"

void br_gyroscope_add(br_sim *sim); // after br_forces, velocities of the evaluation in work
double br_gyroscope_error(
    br_sim *sim); // after a solve: of the torques, beside what it found; above 1 it should be solved again
void br_gyroscope_correct(br_sim *sim);       // then: torques of what it found
void br_gyroscope_turn_back(br_sim *sim);     // the torques before the last correction
int br_gyroscope_tumbles(const br_sim *sim);  // the mean velocity that was found is worth another solve
double br_gyroscope_power(const br_sim *sim); // W, on the twists in work
double br_gyroscope_link_power(const br_sim *sim, int link);

#endif
