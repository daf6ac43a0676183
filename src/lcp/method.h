// How a method is run on an island: init, then iterate until it is finished, then look at its outcome.
#ifndef BR_LCP_METHOD_H
#define BR_LCP_METHOD_H

#include "lcp/island/island.h"
#include "lcp/pivot/rows.h"

// What the caller asks for, shared by every method.
typedef struct br_lcp_options {
    double tol;             // residual to reach
    double enough;          // residual at which nothing slow is tried any more; 0: tol alone counts
    int max_iterations;     // cap for this run
    int max_factorizations; // of the island, all runs together; only the proximal method looks at it
    int hasty;              // Newton gives up at the first step that raises the residual tenfold
    int patience;           // steps in which Newton's residual must fall to a fifth; 0: its own
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

// Semismooth Newton (newton.c). Needs p evaluated. Gives up when the residual has not fallen to a fifth within five
// steps: the caller has something better to do by then.
typedef struct br_lcp_newton {
    br_lcp_island *island;
    const br_lcp_options *options;
    double delta;      // proximal weight
    double residual;   // of the current p
    double checkpoint; // residual to beat, and ...
    int patience;      // ... the steps left to do so
    int allowance;     // ... of so many each time
    int iteration;
    br_outcome outcome;
} br_lcp_newton;

void br_lcp_newton_init(br_lcp_newton *newton, br_lcp_island *island, const br_lcp_options *options);
br_progress br_lcp_newton_iterate(br_lcp_newton *newton);
br_outcome br_lcp_newton_run(br_lcp_island *island, const br_lcp_options *options);
void br_lcp_newton_polish(br_lcp_island *island,
                          const br_lcp_options *options); // one step from a p that is good already

// Newton for small islands of rigid bodies in contact (small.c), dense. Needs p evaluated.
#define BR_LCP_SMALL_LAWS 16
#define BR_LCP_SMALL_SCALARS 24
int br_lcp_small_applies(const br_lcp_island *island); // by its pattern
br_outcome br_lcp_small_run(br_lcp_island *island, const br_lcp_options *options);

// Newton for islands of one law (single.c), in the impulses. Needs p evaluated.
int br_lcp_single_applies(const br_lcp_island *island); // by its pattern
br_outcome br_lcp_single_run(br_lcp_island *island, const br_lcp_options *options);

// Proximal point around Newton (proximal.c). centre: [rows], values: [2 rows] of scratch.
br_outcome br_lcp_proximal_run(br_lcp_island *island, double *centre, double *values,
                               const br_lcp_options *options);
// A few of its steps, to options->enough: for the steps of a simulation.
br_outcome br_lcp_proximal_brief(br_lcp_island *island, double *centre, double *values,
                                 const br_lcp_options *options);

// Interior point (interior.c).
typedef struct br_lcp_barrier br_lcp_barrier; // barrier.h

typedef struct br_lcp_interior_style {
    double start;    // penalty weight of the first solve
    double centring; // theta: floor of kappa in units of the infeasibility
    double step;     // share of the way to the boundary
} br_lcp_interior_style;

typedef struct br_lcp_interior {
    br_lcp_island *island;
    const br_lcp_options *options;
    br_lcp_barrier *barrier;
    br_lcp_interior_style style;
    double residual, alpha;
    double checkpoint;
    int patience, short_steps, iteration;
    br_outcome outcome;
} br_lcp_interior;

void br_lcp_interior_init(br_lcp_interior *interior, br_lcp_island *island, br_lcp_barrier *barrier,
                          br_lcp_interior_style style, const br_lcp_options *options);
br_progress br_lcp_interior_iterate(br_lcp_interior *interior);

// 1 when the island provably has no solution; certificate [rows] is then the proof, in the problem's units
// (infeasible.c). The island's p, v and w are scratch afterwards.
int br_lcp_island_infeasible(br_lcp_island *island, double *certificate);

// Block Gauss-Seidel (gauss_seidel.c): a sweep an iteration, alternating direction.
typedef struct br_lcp_gauss_seidel br_lcp_gauss_seidel;
br_lcp_gauss_seidel *br_lcp_gauss_seidel_create(br_arena *arena, br_lcp_island *island);
void br_lcp_gauss_seidel_init(br_lcp_gauss_seidel *gs,
                              const br_lcp_options *options); // starts from the island's p
br_progress br_lcp_gauss_seidel_iterate(br_lcp_gauss_seidel *gs);
br_outcome br_lcp_gauss_seidel_run(br_lcp_gauss_seidel *gs, const br_lcp_options *options);

#endif
