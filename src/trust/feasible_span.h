// What the columns of a matrix span: rank, the combinations that give nothing, and least squares. Columns are
// compared at length 1, so that forces and torques count alike. Diagnostics only (LAPACK inside).
#ifndef BR_TRUST_FEASIBLE_SPAN_H
#define BR_TRUST_FEASIBLE_SPAN_H

#include "base/arena.h"

#define BR_EPS_RANK 1e-9   // singular values below this, of columns of length 1, are zero
#define BR_EPS_UNIQUE 1e-8 // of a unit null vector: a part smaller than this is rounding

typedef struct br_span {
    int rows, cols, rank, nullity;
    double *length; // [cols], 1 for a column of zeros
    double *Z;      // [nullity * cols] orthonormal in length_c x_c: A z = 0
    double *base;   // [rank * cols] the other directions of length_c x_c, and
    double *image;  // [rank * rows] where they go: orthogonal
    double *scaled; // [rows * cols] columns of length 1
} br_span;

br_status br_span_make(br_span *span, br_arena *arena, int rows, int cols, const double *A, br_error *error);
// Columns as they are, of like size: a column that is next to nothing stays so.
br_status br_span_make_plain(br_span *span, br_arena *arena, int rows, int cols, const double *A,
                             br_error *error);
// The smallest x (in length_c x_c) of those with the smallest |A x - r|. scratch: [rows].
void br_span_solve(const br_span *span, const double *r, double *x, double *scratch);

#endif
