// Springs as rows of an instant. Private to this folder.
#ifndef BR_SIM_FRICTION_BALANCE_SPRINGS_H
#define BR_SIM_FRICTION_BALANCE_SPRINGS_H

#include "sim/friction/dense.h"

// A column for each spring from *column on, which goes on behind them; how many: br_balance_springs.
void br_balance_fill_springs(br_sim *sim, struct br_dense *dense, int *column);

#endif
