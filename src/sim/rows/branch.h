// The branch of closed positions that a mechanism is assembled on: how many of its exact rows are independent along it. The
// rank in one position may be less (a singular position), or be decided by rounding near one, so closed positions are
// reached by moving along the kernel and their singular values are compared. Diagnostics at the start, never in a step.
#ifndef BR_SIM_ROWS_BRANCH_H
#define BR_SIM_ROWS_BRANCH_H

#include "sim/core/sim.h"

// After assembly. q_best [nq] receives the position in which the rows are held best.
br_status br_branch_find(br_sim *sim, br_branch *out, double *q_best, br_error *error);

// At the state: the rank, and the singular value that decides between it and the branch's.
br_status br_branch_rank_here(br_sim *sim, int *rank, double *grip, br_error *error);

// How far from the reference point of its link an entry of a group acts, m.
double br_branch_arm(const br_sim *sim, const br_group *group, int entry);

// The exact rows at the positions in work: J [rows * nv], and in G the size each entry has before parts of it cancel.
void br_branch_rows(const br_sim *sim, double *J, double *G);

#endif
