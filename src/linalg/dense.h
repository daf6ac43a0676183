// Dense factorizations on row-major arrays with an explicit stride (doubles from one row to the next).
// Nothing here allocates. Sizes are small: a pivot block, a small island, a pivoting tableau.
#ifndef BR_LINALG_DENSE_H
#define BR_LINALG_DENSE_H

#include <math.h>

static inline double br_dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static inline double br_norm(int n, const double *a) {
    return n == 1 ? fabs(a[0]) : sqrt(br_dot(n, a, a));
}

// A = P^T L U in place, partial pivoting by rows. pivot[k] is the row exchanged with row k (LAPACK's way, 0-based).
// Returns 0, or k + 1 when column k has no pivot larger than tiny * max|A| (the factor is then unusable).
int br_lu_factor(int n, double *A, int stride, int *pivot, double tiny);
void br_lu_solve(int n, const double *LU, int stride, const int *pivot, double *x);            // x := A^-1 x
void br_lu_solve_transposed(int n, const double *LU, int stride, const int *pivot, double *x); // x := A^-T x

// A = P^T L D L^T P in place for symmetric A (lower triangle read and overwritten), Bunch-Kaufman pivoting with
// 1x1 and 2x2 pivots. Returns 0 or k + 1 at a zero pivot column. negative (may be NULL) counts negative eigenvalues.
int br_ldl_factor(int n, double *A, int stride, int *pivot, double tiny, int *negative);
void br_ldl_solve(int n, const double *LD, int stride, const int *pivot, double *x);

// A = L L^T in place, lower triangle. Returns 0 or k + 1 where the pivot is not positive.
int br_cholesky_factor(int n, double *A, int stride);
void br_cholesky_solve(int n, const double *L, int stride, double *x);

#endif
