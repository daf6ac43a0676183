// Coordinates of joints, for elements that act along them. Private to the implicit stepper.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_COORDINATE_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_COORDINATE_H

#include "sim/stepper/implicit/implicit.h"

typedef struct br_along {
    int joint, k;
    br_ends ends;
    br_measured what;
} br_along;

// Coordinate k of a joint; 0: it has none.
int br_along_of(const br_implicit *f, int joint, int k, br_along *out);
// As the state counts it.
double br_along_counted(const br_implicit *f, const br_along *c);
void br_along_push(br_implicit *f, const br_along *c, const br_measure *m, double force, br_book book);

#endif
