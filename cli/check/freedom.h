// What bristle check says of freedoms and redundant rows.
#ifndef CHECK_FREEDOM_H
#define CHECK_FREEDOM_H

#include "bristle/sim.h"

// rows: whose reaction is not determined, one per line, as br_sim_mobility names them.
void check_print_freedom(const br_mobility *m, const char *rows);

#endif
