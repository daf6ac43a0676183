// Block principal pivoting with bounds [JudicePires]: guess for each row whether it is at its lower bound, at its upper
// one, or between them; solve; exchange all rows on the wrong side at once. Few steps and one factorization each on
// P-matrices. After ten block steps without fewer infeasibilities it exchanges one row at a time, the first one, by
// Murty's rule, at most fifty times: beyond that, on hyperstatic stacks, it would be thousands.
//
// With delta > 0 the diagonal is raised by delta |A_ii| around the last iterate (a proximal term, refined away while
// the basis stays), so that singular monotone problems are solved exactly as well.
#ifndef BR_LCP_PIVOT_BLOCK_PIVOT_H
#define BR_LCP_PIVOT_BLOCK_PIVOT_H

#include "lcp/pivot/rows.h"

#define BR_MAX_BLOCK_WAIT 10    // block steps without fewer infeasibilities
#define BR_MAX_SINGLE_PIVOTS 50 // Murty steps
#define BR_MAX_PROXIMAL 60      // refinements of the proximal term

typedef struct br_block_pivot {
    int n_max;
    const br_rows *rows;
    br_side *side;
    double *z, *w, *center, *LU, *right;
    int *basic, *lu_pivot;
    double delta;
    int steps, singles, wait, fewest, proximal;
    double last_move;
    br_progress progress;
    br_outcome outcome;
} br_block_pivot;

int br_block_pivot_create(br_block_pivot *pivot, br_arena *arena, int n_max); // 0 when out of memory

// side (may be NULL) is a basis to start from, z (may be NULL) the centre of the first proximal step.
void br_block_pivot_init(br_block_pivot *pivot, const br_rows *rows, const br_side *side, const double *z,
                         double delta);
br_progress br_block_pivot_iterate(br_block_pivot *pivot); // one factorization
br_outcome br_block_pivot_test(const br_block_pivot *pivot, double *z, br_side *side);

#endif
