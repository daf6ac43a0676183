// A row of the table: run, parameters, columns, status, hash, error.
#ifndef BR_SWEEP_ROW_H
#define BR_SWEEP_ROW_H

#include <stdio.h>

#include "sweep/spec.h"

void br_row_names(const br_sweep *sweep, FILE *out); // the first line of the table

// Does the run. The row has no line end; to be freed by br_text_free. Fails only where there is no memory for it.
br_status br_row_run(const br_sweep *sweep, long long run, br_sweep_state *state, char **row,
                     br_error *error);
br_status br_row_crashed(const br_sweep *sweep, long long run, const char *why, char **row, br_error *error);

#endif
