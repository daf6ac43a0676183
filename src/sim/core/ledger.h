// The energy ledger: powers of an evaluation, books of a step, energies of the state. Private to src/sim.
#ifndef BR_SIM_CORE_LEDGER_H
#define BR_SIM_CORE_LEDGER_H

#include "sim/core/sim.h"

br_powers br_sim_powers(br_sim *sim, const double *v);
void br_ledger_start(br_sim *sim);
void br_sim_update_energy(br_sim *sim); // of the state, whose velocities are in work
void br_ledger_step(br_sim *sim, double h, const br_powers *powers, br_energy before);

#endif
