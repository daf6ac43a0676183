// Pivot blocks, column-major, factored in place six columns at a time and kept factored.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/block.h"

// Also refuses what is not a number: every comparison with it is false.
static int usable(double pivot, double limit) {
    const double size = fabs(pivot);
    return size > limit && size <= DBL_MAX;
}

static void swap_rows(int columns, double *A, int stride, int i, int j) {
    for (int c = 0; c < columns; c++, A += stride) {
        const double a = A[i];
        A[i] = A[j];
        A[j] = a;
    }
}

// LU of columns j .. j + b - 1, rows j .. n - 1, with row exchanges confined to those columns.
static int factor_lu_columns(int n, int j, int b, double *A, int stride, const double *limit, double *weight,
                             int *exchange, double *inverse) {
    for (int c = j; c < j + b; c++) {
        double *column = A + (size_t)c * (size_t)stride;
        int best = c;
        double largest = weight[c] * fabs(column[c]);
        for (int r = c + 1; r < n; r++) {
            const double size = weight[r] * fabs(column[r]);
            if (size > largest) {
                largest = size;
                best = r;
            }
        }
        if (!usable(column[best], limit[c])) return c + 1;
        exchange[c] = best;
        if (best != c) {
            swap_rows(b, A + (size_t)j * (size_t)stride, stride, c, best);
            swap_rows(1, weight, 0, c, best);
        }
        const double scale = inverse[c] = 1.0 / column[c];
        for (int r = c + 1; r < n; r++) column[r] *= scale;
        for (int k = c + 1; k < j + b; k++) {
            double *other = A + (size_t)k * (size_t)stride;
            br_subtract_multiple(n - c - 1, other[c], column + c + 1, other + c + 1);
        }
    }
    return 0;
}

int br_pivot_lu(const br_block_kernels *kernels, int n, double *A, int stride, const double *limit,
                double *weight, int *exchange, double *inverse, double *packed) {
    for (int j = 0; j < n; j += BR_STRIP) {
        const int b = n - j < BR_STRIP ? n - j : BR_STRIP, rest = n - j - b;
        const int bad = factor_lu_columns(n, j, b, A, stride, limit, weight, exchange, inverse);
        if (bad) return bad;
        double *right = A + (size_t)(j + b) * (size_t)stride;
        for (int c = j; c < j + b; c++) {
            if (exchange[c] == c) continue;
            swap_rows(j, A, stride, c, exchange[c]);
            swap_rows(rest, right, stride, c, exchange[c]);
        }
        if (rest == 0) break;
        for (int k = 0; k < rest; k++) { // U_jk = L_jj^-1 A_jk
            double *column = right + (size_t)k * (size_t)stride + j;
            for (int c = 0; c < b; c++)
                for (int r = c + 1; r < b; r++)
                    column[r] -= A[(size_t)(j + c) * (size_t)stride + (size_t)(j + r)] * column[c];
        }
        br_pack(rest, b, right + j, stride, 1, packed);
        kernels->subtract_product(rest, rest, b, A + (size_t)j * (size_t)stride + j + b, stride, packed,
                                  right + j + b, stride);
    }
    return 0;
}

// LDL^T of columns j .. j + b - 1, rows j .. n - 1. On return the rows under the b x b triangle hold L; packed, where
// it is needed, holds L D of those rows.
static int factor_ldl_columns(int n, int j, int b, double *A, int stride, const double *limit,
                              double *inverse, double *packed) {
    const int rest = n - j - b;
    for (int c = j; c < j + b; c++) {
        double *column = A + (size_t)c * (size_t)stride;
        if (!usable(column[c], limit[c])) return c + 1;
        const double scale = inverse[c] = 1.0 / column[c];
        for (int k = c + 1; k < j + b; k++) {
            double *other = A + (size_t)k * (size_t)stride;
            br_subtract_multiple(n - k, column[k] * scale, column + k, other + k);
        }
    }
    if (rest > 0) br_pack(rest, b, A + (size_t)j * (size_t)stride + j + b, 1, stride, packed);
    for (int c = j; c < j + b; c++) {
        double *column = A + (size_t)c * (size_t)stride;
        for (int r = c + 1; r < n; r++) column[r] *= inverse[c];
    }
    return 0;
}

int br_pivot_ldl(const br_block_kernels *kernels, int n, double *A, int stride, const double *limit,
                 double *inverse, double *packed) {
    for (int j = 0; j < n; j += BR_STRIP) {
        const int b = n - j < BR_STRIP ? n - j : BR_STRIP;
        const int bad = factor_ldl_columns(n, j, b, A, stride, limit, inverse, packed);
        if (bad) return bad;
        const double *strip = packed; // only the lower half: each strip of columns from its own diagonal down
        for (int k = j + b; k < n; k += BR_STRIP, strip += (size_t)BR_STRIP * (size_t)b) {
            const int columns = n - k < BR_STRIP ? n - k : BR_STRIP;
            kernels->subtract_product(n - k, columns, b, A + (size_t)j * (size_t)stride + k, stride, strip,
                                      A + (size_t)k * (size_t)stride + k, stride);
        }
    }
    return 0;
}

void br_pivot_lu_lower(int n, const double *LU, int stride, const int *exchange, double *x) {
    for (int k = 0; k < n; k++) {
        const double swapped = x[exchange[k]];
        x[exchange[k]] = x[k];
        x[k] = swapped;
    }
    br_pivot_ldl_lower(n, LU, stride, x);
}

void br_pivot_lu_upper(int n, const double *LU, int stride, const double *inverse, double *x) {
    for (int k = n - 1; k >= 0; k--) {
        x[k] *= inverse[k];
        br_subtract_multiple(k, x[k], LU + (size_t)k * (size_t)stride, x);
    }
}

void br_pivot_ldl_lower(int n, const double *LD, int stride, double *x) {
    for (int k = 0; k < n; k++)
        br_subtract_multiple(n - k - 1, x[k], LD + (size_t)k * (size_t)stride + k + 1, x + k + 1);
}

void br_pivot_ldl_upper(int n, const double *LD, int stride, const double *inverse, double *x) {
    for (int k = n - 1; k >= 0; k--) {
        const double *column = LD + (size_t)k * (size_t)stride;
        double sum = x[k] * inverse[k];
        for (int r = k + 1; r < n; r++) sum -= column[r] * x[r];
        x[k] = sum;
    }
}
