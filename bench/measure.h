// Timing one solver on one problem, in a child process with a clock over it: a solver that hangs, crashes or prints
// spoils its own row and nothing else.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "judge.h"
#include "peer.h"

typedef enum run_state {
    RUN_NONE = 0,  // not asked for
    RUN_DONE,      // an answer came back; solved says what its solver thought of it
    RUN_TIMEOUT,   // the clock ended it
    RUN_CRASHED,   // a signal or an exit did
    RUN_TOO_LARGE, // not tried
    RUN_MISSING,   // not installed
} run_state;

typedef struct run {
    run_state state;
    int solved;     // the solver's own claim
    int iterations; // its own count, 0 where it gives none
    int repeats;
    double setup, solve; // s, best of the repeats
    verdict residual;
    char path[BR_MAX_PATH]; // bristle: methods; peers: the form that was best
    // bristle only: the momentum changed by 1 %, solved from the former answer and again from nothing.
    double warm, warm_cold; // s
    verdict warm_residual;
    char warm_path[BR_MAX_PATH];
} run;

typedef struct measure_options {
    int repeats;   // at least, while the time lasts
    double budget; // s spent repeating
    double cap;    // s until a solver is stopped
    double tol;    // asked of the solver
    int one_form;  // only the first of a peer's forms
} measure_options;

double clock_seconds(void); // monotonic: budgets

// What solves are timed with: the monotonic clock, or after use_cpu_time() the process's own processor time, which
// a busy machine disturbs less and which costs some 0.3 us to read.
double stopwatch_seconds(void);
void use_cpu_time(void);

// Whether to go round again: enough repeats and enough time for the clock's grain, or the budget is spent.
int measure_again(const measure_options *options, int done, double since);

// In each of the peer's forms; the best one counts.
run measure_peer(const peer *p, const delassus *W, judge *j, const measure_options *options);
run measure_bristle(const contact_problem *problem, judge *j, const measure_options *options);

// Runs job in a child whose output goes nowhere; it has cap seconds. The job fills *result as it goes, and sets
// result->state to RUN_DONE once there is something to show.
run measure_in_child(void (*job)(void *context, run *result), void *context, double cap, int silent);

#endif
