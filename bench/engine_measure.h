// Timing one engine on one mechanism, in a child process with a clock over it: an engine that hangs, crashes
// or prints spoils its own cell and nothing else.
#ifndef BENCH_ENGINE_MEASURE_H
#define BENCH_ENGINE_MEASURE_H

#include "engine_bench.h"

typedef enum engine_task { TASK_FORWARD, TASK_STEP, TASK_FOURBAR } engine_task;

typedef enum engine_state {
    ENGINE_CANNOT = 0, // it has no way to build this
    ENGINE_ABSENT,     // not installed when the build was configured
    ENGINE_DONE,
    ENGINE_STOPPED, // by the clock
    ENGINE_CRASHED,
} engine_state;

typedef struct engine_run {
    engine_state state;
    double seconds;  // median of one call or one step
    int samples;     // that it is the median of
    double residual; // forward: of the equations of motion, relative
    double energy;   // steps: largest error, relative to the start's; of chains to m g l n^2 / 2
    double loop;     // four-bars: largest opening of a loop, m
} engine_run;

double engine_clock(void); // s, monotonic

// Samples count processor time from now on, for a machine that has other work. It costs 0.3 us to read, which
// is taken off but shows in the spread.
void engine_use_cpu_time(void);

// simulated: seconds of four-bar motion. cap: seconds of the clock until the engine is stopped.
engine_run engine_measure(const engine *e, engine_task task, int size, double simulated, double cap);

#endif
