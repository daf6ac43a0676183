// From a complementary basis to an accurate answer: a fresh factorization of the basis matrix of the problem as
// given, with refinement, so that nothing of a long run of pivots is left in the digits of z.
#ifndef BR_LCP_PIVOT_ROWS_POLISH_H
#define BR_LCP_PIVOT_ROWS_POLISH_H

#include "lcp/pivot/rows.h"

typedef struct br_rows_polish {
    int n_max;
    double *LU;                  // complete pivoting: singular but consistent bases are solved too
    double *x, *w, *z_try, *res; // scratch
    int *row, *column, *basic;
    br_side *side_try;
} br_rows_polish;

int br_rows_polish_create(br_rows_polish *polish, br_arena *arena, int n_max); // 0 when out of memory

// Rows not in BR_SIDE_BASIC are put on their bound, the basic ones solved for, starting from the z given (what a
// singular basis leaves open keeps its value). Rows that come out on the wrong side by a little are exchanged, a few
// times. z and side receive the best found, w = A z + q; returns its residual, which is never above the z given's.
double br_rows_polish_run(br_rows_polish *polish, const br_rows *rows, br_side *side, double *z, double *w);

#endif
