// The rows of a folder: of each run the line that counts.
#ifndef BR_SWEEP_ROWS_H
#define BR_SWEEP_ROWS_H

#include "sweep/spec.h"

typedef struct sweep_row {
    const char *text; // without its line end; NULL: the run is missing
    size_t size;
    br_sweep_state state;
} sweep_row;

// *out: [runs], in the arena with their texts.
br_status br_rows_read(const br_sweep *sweep, const char *folder, br_arena *arena, sweep_row **out,
                       br_error *error);

// Cell number k of a row, from 0, without its quotes; what is longer than the room is cut. 0: there is none.
int br_rows_cell(const sweep_row *row, int k, char *out, size_t size);

#endif
