// What is said of a judged ledger. br_sim_judge is public. Private to src/sim.
#ifndef BR_SIM_CORE_JUDGEMENT_H
#define BR_SIM_CORE_JUDGEMENT_H

#include "sim/core/sim.h"

// "a smaller solver.step or ...": what may help against gains, or losses.
const char *br_judge_remedy(const br_sim *sim, int loss);

#endif
