// A step that was of a lower order than its stepper has: noted by whoever knows, told at the end of a run. Private to src/sim.
#ifndef BR_SIM_ROWS_ORDER_H
#define BR_SIM_ROWS_ORDER_H

#include "sim/core/sim.h"

// This step, which ends at the state's time, was of a lower order than the stepper's.
void br_sim_note_order(br_sim *sim, int order, const char *why);

#endif
