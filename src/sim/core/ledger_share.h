// Whose doing a step's gains and losses are: the part of each element. Private to src/sim.
#ifndef BR_SIM_CORE_LEDGER_SHARE_H
#define BR_SIM_CORE_LEDGER_SHARE_H

#include "sim/core/sim.h"

// After br_sim_powers, with the velocities that it leaves in work: who gives where only taking is allowed. It counts once the
// step stands.
void br_judge_givers(br_sim *sim, double h, const struct br_powers *powers);
void br_culprit_name(const br_sim *sim, const br_culprit *who, char name[BR_MAX_EVENT_NAME]);
// The shares of a step of length h whose powers these were; positions and velocities of the state in work.
void br_shares_step(br_sim *sim, double h, const struct br_powers *powers);
void br_shares_start(br_sim *sim);
void br_shares_add(br_sim *sim, int k, double part); // J, of one step. k: a link, or br_shares_elastic
int br_shares_elastic(const br_sim *sim); // of contacts; implicit stepper: of everything that stores energy
int br_shares_count(const br_sim *sim);
// The element with the largest gain (or loss) of its own, and how much that is; empty: none is known.
double br_shares_largest(const br_sim *sim, int loss, char name[BR_MAX_EVENT_NAME]);

#endif
