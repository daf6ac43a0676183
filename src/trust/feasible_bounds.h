// Pieces of feasible_bounds.c that feasible_coherent.c shares. Private to the feasible_*.c files.
#ifndef BR_TRUST_FEASIBLE_BOUNDS_H
#define BR_TRUST_FEASIBLE_BOUNDS_H

#include "trust/feasible.h"

int br_bounds_take(br_bounds *out, br_arena *arena, int rest); // all empty; 0: no memory

// The smallest factor on mu_rest at which the region is not empty, or `below` when that is smaller; alpha is
// a point of it then.
double br_smallest_factor(br_region *r, double below, double *alpha, double *scratch, int *exhaustive);

// Widens the intervals (in the region's scale) to those of the region at factor 1; alpha is a point of it. widest: what they cannot
// pass, in the same scale; NULL: not known. scratch, q: [unknowns].
void br_widen_intervals(br_region *r, const double *alpha, double *low, double *high, const br_bounds *widest,
                        double *scratch, double *q, int *exhaustive);
void br_scale_intervals(const br_case *c, double *low, double *high); // to newtons

#endif
