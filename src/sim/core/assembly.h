// What closing the loops moved, coordinate by coordinate.
#ifndef BR_SIM_CORE_ASSEMBLY_H
#define BR_SIM_CORE_ASSEMBLY_H

#include "sim/core/sim.h"

// After the assembly of a new simulation: kept for br_sim_assembly_change.
br_status br_assembly_keep(br_sim *sim, br_error *error);

#endif
