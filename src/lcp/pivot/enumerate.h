// Every complementary basis, by branching: a row that the linear conditions leave undecided is tried at its lower
// bound, between its bounds and at its upper bound, and a branch ends where the linear conditions of what is decided
// have no point (box_lp.h, with its checked certificate). Singular bases need no special care that way. Finds a
// solution if there is one, and proves that there is none; the work may double with each row.
#ifndef BR_LCP_PIVOT_ENUMERATE_H
#define BR_LCP_PIVOT_ENUMERATE_H

#include "lcp/pivot/box_lp.h"
#include "lcp/pivot/rows.h"

typedef struct br_enumerate {
    int n_max;
    br_box_lp *lp;
    const br_rows *rows;
    br_side *side;     // BR_SIDE_OPEN where undecided
    int *row, *branch; // the path from the root: which row, and which of its three branches is open
    double *w;
    int depth;
    int doubt; // a branch was left whose emptiness could not be confirmed: then nothing is proved
    long nodes, work, max_work; // work: pivots times rows squared
    br_progress progress;
    br_outcome outcome;
} br_enumerate;

int br_enumerate_create(br_enumerate *e, br_arena *arena, int n_max,
                        br_box_lp *lp); // shares lp; 0: out of memory

void br_enumerate_init(br_enumerate *e, const br_rows *rows, long max_work); // max_work 0: about a second
br_progress br_enumerate_iterate(br_enumerate *e);                           // one node

// CONVERGED: z and side hold the solution. INFEASIBLE: proved. STALLED: no solution met, but not proved.
// MAX_ITERATIONS: the work cap was reached.
br_outcome br_enumerate_test(const br_enumerate *e, double *z, br_side *side);

#endif
