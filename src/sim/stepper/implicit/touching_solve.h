// Forces of contacts within Newton's method, see touching_solve.c. Private to the implicit stepper.
#ifndef BR_SIM_STEPPER_IMPLICIT_TOUCHING_SOLVE_H
#define BR_SIM_STEPPER_IMPLICIT_TOUCHING_SOLVE_H

#include "sim/stepper/implicit/touching.h"

// f->solution gets what contacts make of it; factored: the factors are new. Their impulses are those that go with it.
br_status br_touching_correct(br_implicit *f, int factored);
br_status br_touching_list(br_implicit *f); // laws and rows of the contacts at hand. BR_NO_MEMORY
// After a problem without an answer: the contact that is entered fastest though nothing moves there but by prescription; -1: none.
int br_touching_culprit(const br_implicit *f, double *inwards);
void br_touching_results(br_implicit *f); // forces and states of the contacts

#endif
