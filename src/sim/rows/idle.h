// Freedoms that move nothing but a body about its own axis. Private to src/sim.
#ifndef BR_SIM_ROWS_IDLE_H
#define BR_SIM_ROWS_IDLE_H

#include "sim/core/sim.h"

// Bodies that can turn about the line through their ball joints while nothing else moves: how many, and one line for each,
// "BODY (JOINT, JOINT)". At the positions in work.
br_status br_sim_idle_freedoms(br_sim *sim, int *count, char *names, size_t size, br_error *error);

#endif
