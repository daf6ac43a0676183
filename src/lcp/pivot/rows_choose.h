// The row problem's solver: equilibrates, tries what is cheapest first, polishes every answer against the problem as
// given, and says which way it went. Nothing is called converged unless br_rows_residual says so.
#ifndef BR_LCP_PIVOT_ROWS_CHOOSE_H
#define BR_LCP_PIVOT_ROWS_CHOOSE_H

#include "lcp/pivot/rows.h"

typedef struct br_rows_options {
    br_solver_kind method; // AUTO, LEMKE, BLOCK_PIVOT, DANTZIG or ENUMERATE
    double tol;            // residual to reach
    int brief;             // nonzero: no dear method is tried
    int max_iterations;    // pivots or steps of one attempt; 0: each method's own cap
    double lemke_shift;    // see br_solver_def
    void (*trace)(void *context, const br_trace *trace); // NULL: none
    void *trace_context;
    int island; // for the trace
} br_rows_options;

br_rows_options br_default_rows_options(void); // AUTO, 1e-8, no shift

typedef struct br_rows_report {
    br_outcome outcome;
    double residual;       // br_rows_residual of the z returned
    int iterations;        // of all attempts
    br_solver_kind solver; // of the answer; NEWTON for a Fischer-Burmeister answer
    char path[BR_MAX_PATH];
    br_proof proof;
    const double *certificate; // [n], owned by the solver; NULL unless proof is BR_PROOF_CERTIFICATE
} br_rows_report;

typedef struct br_rows_solver br_rows_solver;

// For problems of at most n_max rows of which at most free_max are free. Takes about 7 n_max^2 + 3 (n_max + free_max)^2
// doubles; NULL when out of memory.
br_rows_solver *br_rows_solver_create(br_arena *arena, int n_max, int free_max);

// z and w: [n] of the caller. warm: z holds a guess. Allocates nothing.
void br_rows_solve(br_rows_solver *solver, const br_rows *rows, const br_rows_options *options, int warm,
                   double *z, double *w, br_rows_report *report);

#endif
