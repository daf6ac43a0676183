// Singular values and right singular vectors of a dense matrix. No BLAS: the same bits on every machine.
#ifndef BR_LINALG_SVD_H
#define BR_LINALG_SVD_H

#include "base/arena.h"

// A = U S V^T of row-major A (rows x cols, stride cols, entries finite, both sizes > 0; not changed).
// singular: min(rows, cols) values in falling order, each to rounding of the largest. V (may be NULL): cols x cols
// row-major, row k is the vector of value k, and all its rows are orthonormal.
// BR_NUMERICAL: the iteration did not converge.
br_status br_svd(br_arena *scratch, int rows, int cols, const double *A, double *singular, double *V);

#endif
