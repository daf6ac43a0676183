// The inner loops of the block factorization, on column-major panels.
//
// Every entry is summed in the same order in every version (vectors run over independent entries, never over the
// summation index; no fused multiply-add), so the version picked at run time does not change a bit.
#ifndef BR_LINALG_BLOCK_KERNELS_H
#define BR_LINALG_BLOCK_KERNELS_H

#include <stddef.h>

enum {
    BR_STRIP = 6, // columns per strip of a packed operand: one body
    BR_ROWS =
        8, // rows per tile; panel strides are multiples of it, so a tile never leaves its panel's column
};

typedef struct br_block_kernels {
    // C (m x n) -= A (m x k) B^T, B packed. Reads up to BR_ROWS - 1 doubles past the last row of A.
    void (*subtract_product)(int m, int n, int k, const double *A, int lda, const double *B, double *C,
                             int ldc);
    // C = A B^T in whole tiles: C has room for m rounded up to BR_ROWS and n rounded up to BR_STRIP.
    void (*product)(int m, int n, int k, const double *A, int lda, const double *B, double *C, int ldc);
    // X (m x n) := X T^-T for the lower triangle T packed by br_pack_triangle; scale is NULL for a unit diagonal,
    // else 1 / diagonal. Rows are done in tiles: the stride of X is a multiple of BR_ROWS, its padding is written.
    void (*solve)(int m, int n, double *X, int ldx, const double *T, const double *scale);
    // C (6 x 6) -= A^T B for A and B of k x 6, row-major; entry (r, c) of C is C[c * ldc + r].
    void (*subtract_bodies)(int k, const double *A, const double *B, double *C, int ldc);
    // y -= A x and y -= A^T x for the m x n panel A. Rows are done in fours: the padding rows of A are zero, the
    // vector of rows has room and is finite there. A^T x has four partial sums per entry, of rows 0, 4, 8.., of
    // rows 1, 5, 9.. and so on.
    void (*subtract_matvec)(int m, int n, const double *A, int lda, const double *x, double *y);
    void (*subtract_matvec_transposed)(int m, int n, const double *A, int lda, const double *x, double *y);
} br_block_kernels;

const br_block_kernels *br_block_kernels_pick(void); // the fastest for this processor
const br_block_kernels *br_block_kernels_plain(void);

// Doubles that a packed operand of n rows and k columns takes.
static inline size_t br_packed_size(int n, int k) {
    return ((size_t)n + BR_STRIP - 1) / BR_STRIP * BR_STRIP * (size_t)k;
}

// Strip s holds rows 6 s .. 6 s + 5 of B, all k columns, row index fastest; rows past n are zero.
void br_pack(int n, int k, const double *B, int row_stride, int col_stride, double *packed);
// As br_pack for the strict lower triangle of the n x n T: entries on and above the diagonal become zero.
void br_pack_triangle(int n, const double *T, int row_stride, int col_stride, double *packed);

// y -= a x, on n entries
void br_subtract_multiple(int n, double a, const double *x, double *y);
// y -= x
void br_subtract(int n, const double *x, double *y);

#endif
