// What every method on an island shares: what is asked of it, when it may stop, and the trace it leaves. A method is
// run by init, then iterate until it is finished, then a look at its outcome.
#ifndef BR_LCP_ISLAND_METHOD_H
#define BR_LCP_ISLAND_METHOD_H

#include "lcp/island/island.h"
#include "lcp/problem/progress.h"

// What the caller asks for, shared by every method.
typedef struct br_lcp_options {
    double tol;             // residual to reach
    double enough;          // residual at which nothing slow is tried any more; 0: tol alone counts
    int max_iterations;     // cap for this run
    int max_factorizations; // of the island, all runs together; only the proximal method looks at it
    int persists;           // the proximal method goes on beyond max_iterations while it gets nearer
    int hasty;              // Newton gives up at the first step that raises the residual tenfold
    int patience;           // steps in which Newton's residual must fall to a fifth; 0: its own
    double delta;           // Newton's proximal weight at its start and at least; 0: its own
    void (*trace)(void *context, const br_trace *trace);
    void *trace_context;
} br_lcp_options;

void br_lcp_trace(const br_lcp_options *options, const br_lcp_island *island, br_solver_kind solver,
                  int iteration, double residual, double step, double measure);

// BR_LCP_SETTLED: the residual at which refining stops. Below it lies rounding, above it a body at rest would creep.
#define BR_LCP_SETTLED 3e-13
#define BR_LCP_AT_REST                                                                                       \
    2e-11 // a start is the answer below this: gaps of standing towers are rounded so coarsely; below tol it is one after a step of polish
#define BR_LCP_CHORDS 3         // steps with one factorization, after its own ...
#define BR_LCP_CHORD_START 0.01 // ... if that lowered the residual to this share ...
#define BR_LCP_CHORD_FALL 0.1   // ... and as long as each lowers it to this one

#endif
