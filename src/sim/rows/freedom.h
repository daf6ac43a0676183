// What the exact rows leave free, as a basis. Private to src/sim.
#ifndef BR_SIM_ROWS_FREEDOM_H
#define BR_SIM_ROWS_FREEDOM_H

#include "sim/core/sim.h"

// Directions of v that the exact rows leave free, orthonormal [count * nv]. Diagnostics, by singular values.
typedef struct br_freedom {
    int count;
    double *basis;
} br_freedom;

br_status br_sim_freedom(br_sim *sim, br_freedom *out, br_error *error);
void br_freedom_free(br_freedom *freedom);

#endif
