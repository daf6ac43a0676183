// Springs between two links, whoever owns them: deflections, directions, stiffness. Used as rows (contact stepper) and
// as forces (reference stepper), so that both see one law.
#ifndef BR_SIM_SPRINGS_H
#define BR_SIM_SPRINGS_H

#include "sim/sim.h"

typedef struct br_spring_rows {
    int first, second; // links, -1: the world
    br_relative x;
    int rows;
    br_wrench T[6];                // direction on the second body, F axes, at M
    double deflection[6], rate[6]; // rate only with velocity
    double wanted[6];              // relative acceleration along T at which d2l/dt2 = 0
    double stiffness[6], damping[6];
} br_spring_rows;

void br_spring_of_load(const br_sim *sim, int load, int with_velocity, br_spring_rows *out);
void br_spring_of_loop(const br_sim *sim, int loop, int with_velocity, br_spring_rows *out);

#endif
