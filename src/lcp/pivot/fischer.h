// Damped semismooth Newton on the Fischer-Burmeister function with bounds [Billups1995]: a method that does not pivot,
// for problems on which pivoting needs exponentially many steps or ends on rays. Levenberg-Marquardt steps where the
// Newton matrix is singular or its step does not descend. Global only in the sense of its line search: it may stop at
// a local minimum of the merit function.
#ifndef BR_LCP_PIVOT_FISCHER_H
#define BR_LCP_PIVOT_FISCHER_H

#include "lcp/pivot/rows.h"

#define BR_MAX_FISCHER_STEPS 100
#define BR_FISCHER_MEMORY 6 // merit values that the line search compares with

typedef struct br_fischer {
    int n_max;
    const br_rows *rows;
    double *z, *w, *phi, *dz, *dw; // Phi and its partial derivatives
    double *H, *step, *z_try, *w_try, *gradient;
    int *lu_pivot;
    double merit, memory[BR_FISCHER_MEMORY];
    int steps;
    br_progress progress;
    br_outcome outcome;
} br_fischer;

int br_fischer_create(br_fischer *fischer, br_arena *arena, int n_max);          // 0 when out of memory
void br_fischer_init(br_fischer *fischer, const br_rows *rows, const double *z); // z NULL: the origin
br_progress br_fischer_iterate(br_fischer *fischer);
br_outcome br_fischer_test(const br_fischer *fischer, double *z, br_side *side);

#endif
