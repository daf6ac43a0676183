// Timing one engine on one scene, in a child process with a clock over it: an engine that hangs, crashes or prints spoils
// its own cell and nothing else.
#ifndef BENCH_CONTACT_MEASURE_H
#define BENCH_CONTACT_MEASURE_H

#include "contact_bench.h"

typedef enum contact_outcome {
    CONTACT_CANNOT = 0, // it has no way to build this
    CONTACT_ABSENT,     // not installed when the build was configured
    CONTACT_DONE,
    CONTACT_STOPPED, // it took too long
    CONTACT_CRASHED,
} contact_outcome;

typedef struct contact_run {
    contact_outcome outcome;
    double seconds; // of one step: the mean of all but the slowest hundredth
    int samples;    // steps that were timed
    int contacts;   // at the end
    contact_verdict verdict;
} contact_run;

double contact_clock(void); // s, monotonic

// Samples count processor time from now on, for a machine that has other work.
void contact_use_cpu_time(void);

// cap: seconds of processor time until the engine is stopped. aloud: what it says to stderr is let through.
contact_run contact_measure(const contact_engine *engine, contact_case kind, double cap, int aloud);

#endif
