// Choosing a method for an island, falling back, and telling the path.
#ifndef BR_LCP_CHOOSE_H
#define BR_LCP_CHOOSE_H

#include "lcp/barrier/barrier.h"
#include "lcp/barrier/interior.h"
#include "lcp/newton/newton.h"
#include "lcp/pivot/flat.h"
#include "lcp/sweep/accelerated.h"
#include "lcp/sweep/gauss_seidel.h"

// Memory that the dense fallback is built in when a solve comes to that: setup only makes sure that there is enough. One
// for each thread; what is built lasts until the next island needs it.
typedef struct br_lcp_reserve {
    void *memory;
    size_t bytes;
    br_arena arena;
} br_lcp_reserve;

// An island with the memory of every method that may be tried on it.
typedef struct br_lcp_plan {
    br_lcp_island *island;
    br_lcp_barrier *barrier;
    br_lcp_gauss_seidel *gauss_seidel; // NULL where it does not apply
    br_lcp_accelerated *accelerated;   // same; NULL too where sweeps cannot gain anything
    br_lcp_flat *flat;                 // NULL where it does not apply, or is not built yet:
    size_t flat_bytes;                 // 0, or what building it takes of the reserve
    double lemke_shift, lemke_scale;
    int is_small;        // the dense path of small.c applies
    int is_single;       // and that of single.c
    br_solver_kind kind; // asked for; BR_SOLVER_AUTO chooses
    br_lcp_options options;
    double asked;  // tolerance of the whole problem: islands are solved tighter
    double *saved; // [4 rows], scratch of methods; the last quarter is the finish's
    int allowed; // factorizations of the next solves, which then end with the best found; 0: as many as it takes

    // what happened
    double mark;      // best residual when a decade was last gained, ...
    double mark_work; // ... and the flops of factorizations by then
    int accepted;     // the start was the answer
    br_outcome outcome;
    br_solver_kind solver;
    char path[BR_MAX_PATH];
    int path_full; // and ends in ">..."
    br_proof proof;
    const double *certificate; // [island rows], unscaled
} br_lcp_plan;

// asked: the tolerance of the whole problem; def's is the island's.
br_status br_lcp_plan_create(br_arena *arena, const br_problem *problem, br_lcp_island *island,
                             const br_solver_def *def, double asked, br_lcp_plan *plan, br_error *error);

// Adds "name:count" to the path.
// The methods of the usual choice again, from nothing, for a residual of tol. The island keeps its best answer.
br_outcome br_lcp_plan_go_on(br_lcp_plan *plan, double tol);
void br_lcp_plan_note(br_lcp_plan *plan, const char *name, br_solver_kind kind, int count);

// Solves the loaded island; warm: p holds a guess.
void br_lcp_plan_solve(br_lcp_plan *plan, const br_problem *problem, br_lcp_reserve *reserve, int warm);

#endif
