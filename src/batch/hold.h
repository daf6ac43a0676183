// How far loads may grow from the state that a run of a batch starts from.
#ifndef BR_BATCH_HOLD_H
#define BR_BATCH_HOLD_H

#include "batch/column.h"

// Fills the values of hold(...) columns; the others stay. NAN: no factor holds, or nothing at rest feels the load. The simulation's
// state is put back.
br_status br_hold_values(const batch_columns *columns, br_sim *fresh, const br_allocator *allocator,
                         double *values, br_error *error);

#endif
