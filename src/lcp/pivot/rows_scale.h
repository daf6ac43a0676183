// Equilibration of a row problem: A' = R A C, z = sigma C z', q' = R q / sigma, with R and C positive diagonals of
// powers of two, so that scaling itself rounds nothing. Positive row and column factors change neither signs nor
// complementarity; for Lemke they amount to another covering vector [CottlePangStone sec. 4.4].
#ifndef BR_LCP_PIVOT_ROWS_SCALE_H
#define BR_LCP_PIVOT_ROWS_SCALE_H

#include "lcp/pivot/rows.h"

typedef struct br_rows_scaled {
    br_rows rows; // the scaled problem, in the arrays below
    int n_max;
    double *A, *q, *lower, *upper;
    double *row, *column; // R and C
    double sigma;         // the violation at the origin: scaled unknowns are of order one
    double *z, *w;        // scratch
} br_rows_scaled;

int br_rows_scaled_create(br_rows_scaled *scaled, br_arena *arena, int n_max); // 0 when out of memory
void br_rows_scale(br_rows_scaled *scaled, const br_rows *rows);

void br_rows_unscale_z(const br_rows_scaled *scaled, const double *z_scaled, double *z);
void br_rows_scale_z(const br_rows_scaled *scaled, const double *z, double *z_scaled);

#endif
