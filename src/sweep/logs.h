// The logs of a folder: a line for each run, "CHECKSUM STATE ROW". The checksum is over the rest and the hash of the sweep, so that
// a line that was cut, altered or is of another sweep does not count.
#ifndef BR_SWEEP_LOGS_H
#define BR_SWEEP_LOGS_H

#include <stdio.h>

#include "sweep/spec.h"

enum { SWEEP_CHECKSUM = 16, SWEEP_PREFIX = SWEEP_CHECKSUM + 3 }; // bytes of it, and of all before the row

uint64_t br_log_checksum(const br_sweep *sweep, const char *rest, size_t size);

// A whole line. row, size: what the table has, without its line end; it lives as long as the arena that was given.
typedef void (*sweep_visit)(void *context, long long run, br_sweep_state state, const char *row, size_t size);

// Every whole line of every log, in the order of the logs' names and of the lines. *cut: how many are not whole. Without logs
// there is nothing to visit.
br_status br_logs_visit(const br_sweep *sweep, const char *folder, br_arena *arena, sweep_visit visit,
                        void *context, long *cut, br_error *error);

#endif
