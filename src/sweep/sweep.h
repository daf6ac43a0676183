// The door of the sweep: the case of a run.
#ifndef BR_SWEEP_SWEEP_H
#define BR_SWEEP_SWEEP_H

#include "sweep/spec.h"

// What a run is: its overrides, in texts of their own.
typedef struct sweep_case {
    char text[BR_MAX_SWEEP_PARAMETERS][BR_MAX_SWEEP_VALUE];
    br_override override[BR_MAX_SWEEP_PARAMETERS + 256];
    int count;
} sweep_case;

void br_sweep_case(const br_sweep *sweep, long long run, sweep_case *out);

#endif
