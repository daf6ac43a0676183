// The acceleration of everything, within a step and at an instant. Private to src/sim and src/trust.
#ifndef BR_SIM_CORE_INSTANT_H
#define BR_SIM_CORE_INSTANT_H

#include "friction/balance.h"
#include "sim/core/sim.h"

// vdot, forces of the groups and work->A at (t_eval, q_eval, v_eval), positions and velocities being in work.
br_status br_sim_solve(br_sim *sim, br_system *system, int refactor, br_error *error);
// At the state: explicit forces, exact rows, limits rested on.
br_status br_sim_instant(br_sim *sim, br_error *error);
// The balance of the instant with x and a and contacts, for diagnostics. what: BR_BALANCE_CONTACTS, BR_BALANCE_SPRINGS.
br_status br_sim_balance(br_sim *sim, unsigned what, br_balance **out, br_balance_work **work,
                         br_error *error);

#endif
