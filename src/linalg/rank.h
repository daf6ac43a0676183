// Rank, null space and singular values by the decomposition of svd.h. For diagnostics, not for a step: its work is
// cubic.
#ifndef BR_LINALG_RANK_H
#define BR_LINALG_RANK_H

#include "bristle/base.h"

// Singular value decomposition of row-major A (rows x cols, stride cols). singular: min(rows, cols) values in
// falling order. rank counts those above tolerance * singular[0] (tolerance <= 0: max(rows, cols) * 2.2e-16).
// null_space (may be NULL): cols x cols row-major, its first cols - rank rows are an orthonormal basis of
// {x : A x = 0}. A is not changed.
br_status br_rank(int rows, int cols, const double *A, double tolerance, int *rank, double *singular,
                  double *null_space, const br_allocator *allocator, br_error *error);

#endif
