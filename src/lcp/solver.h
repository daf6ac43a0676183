// What the steps of a simulation ask of a solver beyond include/bristle/solver.h.
#ifndef BR_LCP_SOLVER_H
#define BR_LCP_SOLVER_H

#include "bristle/solver.h"

// The solves that follow take at most so many factorizations of each island and end with the best found; 0: as many as it takes.
void br_solver_allow(br_solver *solver, int factorizations);

#endif
