// The implicit stepper is borrowed to linearize the motion: what it held before, and the simulation's state, to be put back.
#ifndef BR_SIM_STUDY_BORROW_H
#define BR_SIM_STUDY_BORROW_H

#include "sim/stepper/implicit/implicit.h"

typedef struct br_borrowed {
    br_implicit kept;
    br_node *node; // NULL: nothing is kept
    br_implicit_control control;
    double *lambda, *state, *q, *v, *loop_q, *effort;
} br_borrowed;

int br_borrow(br_borrowed *b, br_arena *arena, br_sim *sim); // 0: no memory
void br_borrow_end(const br_borrowed *b, br_sim *sim);       // the stepper as it was, to be evaluated again
void br_borrow_state(const br_borrowed *b,
                     br_sim *sim); // the simulation's coordinates and efforts as they were

#endif
