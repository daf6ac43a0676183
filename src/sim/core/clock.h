// Times that are whole steps stay so. Private to src/sim.
#ifndef BR_SIM_CORE_CLOCK_H
#define BR_SIM_CORE_CLOCK_H

#include <float.h>
#include <math.h>

// What rounding of the clock makes of a number of steps, in steps.
static inline double br_clock_slack(double t, double h) {
    return fmin(0.25, fmax(1e-9, 16.0 * DBL_EPSILON * fabs(t) / h));
}

#endif
