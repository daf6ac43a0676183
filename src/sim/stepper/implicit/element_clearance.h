// What others ask of clearance joints, see element_clearance.c.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_CLEARANCE_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_CLEARANCE_H

#include "sim/stepper/implicit/implicit.h"

typedef struct br_clearance_reading {
    double gap, normal; // m, N
    br_vec3 friction;   // on the inner race, world axes, N
    double slip;        // m/s
} br_clearance_reading;

br_clearance_reading br_clearance_read(const br_element *e); // of the last evaluation

#endif
