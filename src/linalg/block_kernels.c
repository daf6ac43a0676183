// Inner loops of the block factorization and their versions, see block_kernels.h.
#include "linalg/block_kernels.h"

#include <string.h>

// Four doubles at a time where the compiler has vector types; it lowers them to what the target offers. The plain
// versions below do the same operations on each entry in the same order.
#if defined(__GNUC__)
#define VECTORS 1
#define ALWAYS_INLINE static inline __attribute__((always_inline))
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#else
#define VECTORS 0
#define ALWAYS_INLINE static inline
#endif
#if VECTORS && defined(__x86_64__) && !defined(BR_PLAIN_KERNELS)
#define HAS_AVX2_VERSION 1 // chosen at run time; "avx2" does not include fused multiply-add
#else
#define HAS_AVX2_VERSION 0
#endif

#if VECTORS

#pragma GCC diagnostic ignored "-Wpsabi" // how such vectors are passed does not matter: everything is inlined

ALWAYS_INLINE four load(const double *p) {
    return *(const four *)p;
}
ALWAYS_INLINE four splat(double a) {
    return (four){a, a, a, a};
}

ALWAYS_INLINE void put(int subtract, double *p, four v) {
    if (subtract)
        *(four *)p -= v;
    else
        *(four *)p = v;
}

// C (8 x 6) = A B^T or C -= A B^T, one strip of B, summed over k in ascending order. Twelve sums, two vectors of A
// and one of B fill the sixteen registers of AVX2; hence the written-out form.
ALWAYS_INLINE void tile_8(int subtract, int k, const double *A, int lda, const double *B, double *C,
                          int ldc) {
    four l0 = splat(0), l1 = l0, l2 = l0, l3 = l0, l4 = l0, l5 = l0; // rows 0 to 3
    four h0 = l0, h1 = l0, h2 = l0, h3 = l0, h4 = l0, h5 = l0;       // rows 4 to 7
    for (int p = 0; p < k; p++, A += lda, B += BR_STRIP) {
        const four l = load(A), h = load(A + 4);
        four b = splat(B[0]);
        l0 += l * b, h0 += h * b;
        b = splat(B[1]);
        l1 += l * b, h1 += h * b;
        b = splat(B[2]);
        l2 += l * b, h2 += h * b;
        b = splat(B[3]);
        l3 += l * b, h3 += h * b;
        b = splat(B[4]);
        l4 += l * b, h4 += h * b;
        b = splat(B[5]);
        l5 += l * b, h5 += h * b;
    }
    put(subtract, C, l0), put(subtract, C + 4, h0), C += ldc;
    put(subtract, C, l1), put(subtract, C + 4, h1), C += ldc;
    put(subtract, C, l2), put(subtract, C + 4, h2), C += ldc;
    put(subtract, C, l3), put(subtract, C + 4, h3), C += ldc;
    put(subtract, C, l4), put(subtract, C + 4, h4), C += ldc;
    put(subtract, C, l5), put(subtract, C + 4, h5);
}

ALWAYS_INLINE void tile_4(int subtract, int k, const double *A, int lda, const double *B, double *C,
                          int ldc) {
    four l0 = splat(0), l1 = l0, l2 = l0, l3 = l0, l4 = l0, l5 = l0;
    for (int p = 0; p < k; p++, A += lda, B += BR_STRIP) {
        const four l = load(A);
        l0 += l * splat(B[0]), l1 += l * splat(B[1]), l2 += l * splat(B[2]);
        l3 += l * splat(B[3]), l4 += l * splat(B[4]), l5 += l * splat(B[5]);
    }
    put(subtract, C, l0), C += ldc;
    put(subtract, C, l1), C += ldc;
    put(subtract, C, l2), C += ldc;
    put(subtract, C, l3), C += ldc;
    put(subtract, C, l4), C += ldc;
    put(subtract, C, l5);
}

// X (8 x n) := X T^-T for one strip's own triangle, n <= 6 columns; T is that triangle, 6 doubles per column.
ALWAYS_INLINE void triangle_8(int n, double *X, int ldx, const double *T, const double *scale) {
    for (int c = 0; c < n; c++) {
        double *x = X + (size_t)c * (size_t)ldx;
        four l = load(x), h = load(x + 4);
        for (int b = 0; b < c; b++) {
            const double *y = X + (size_t)b * (size_t)ldx;
            const four t = splat(T[b * BR_STRIP + c]);
            l -= load(y) * t, h -= load(y + 4) * t;
        }
        if (scale) l *= splat(scale[c]), h *= splat(scale[c]);
        put(0, x, l), put(0, x + 4, h);
    }
}

// As the tiles above for a whole 6 x 6 block, rows 0 to 3 and rows 4 and 5.
ALWAYS_INLINE void subtract_bodies(int k, const double *A, const double *B, double *C, int ldc) {
    four l0 = splat(0), l1 = l0, l2 = l0, l3 = l0, l4 = l0, l5 = l0;
    pair h0 = {0, 0}, h1 = h0, h2 = h0, h3 = h0, h4 = h0, h5 = h0;
    for (int p = 0; p < k; p++, A += BR_STRIP, B += BR_STRIP) {
        const four l = load(A);
        const pair h = *(const pair *)(A + 4);
        l0 += l * splat(B[0]), h0 += h * (pair){B[0], B[0]};
        l1 += l * splat(B[1]), h1 += h * (pair){B[1], B[1]};
        l2 += l * splat(B[2]), h2 += h * (pair){B[2], B[2]};
        l3 += l * splat(B[3]), h3 += h * (pair){B[3], B[3]};
        l4 += l * splat(B[4]), h4 += h * (pair){B[4], B[4]};
        l5 += l * splat(B[5]), h5 += h * (pair){B[5], B[5]};
    }
    *(four *)C -= l0, *(pair *)(C + 4) -= h0, C += ldc;
    *(four *)C -= l1, *(pair *)(C + 4) -= h1, C += ldc;
    *(four *)C -= l2, *(pair *)(C + 4) -= h2, C += ldc;
    *(four *)C -= l3, *(pair *)(C + 4) -= h3, C += ldc;
    *(four *)C -= l4, *(pair *)(C + 4) -= h4, C += ldc;
    *(four *)C -= l5, *(pair *)(C + 4) -= h5;
}

void br_subtract_multiple(int n, double a, const double *x, double *y) {
    int i = 0;
    for (; i + 4 <= n; i += 4) put(1, y + i, splat(a) * load(x + i));
    if (i + 2 <= n) { // the rest by hand: as a loop it would be made one of vectors, with all that this takes
        *(pair *)(y + i) -= (pair){a, a} * *(const pair *)(x + i);
        i += 2;
    }
    if (i < n) y[i] -= a * x[i];
}

void br_subtract(int n, const double *x, double *y) {
    int i = 0;
    for (; i + 4 <= n; i += 4) put(1, y + i, load(x + i));
    if (i + 2 <= n) {
        *(pair *)(y + i) -= *(const pair *)(x + i);
        i += 2;
    }
    if (i < n) y[i] -= x[i];
}

// y -= A x for four columns, in ascending order
ALWAYS_INLINE void subtract_four_columns(int m, const double *A, int lda, const double *x, double *y) {
    const double *a = A, *b = a + lda, *c = b + lda, *d = c + lda;
    for (int i = 0; i < m; i += 4) {
        four sum = load(y + i);
        sum -= load(a + i) * splat(x[0]);
        sum -= load(b + i) * splat(x[1]);
        sum -= load(c + i) * splat(x[2]);
        sum -= load(d + i) * splat(x[3]);
        put(0, y + i, sum);
    }
}

ALWAYS_INLINE double sum_of(four v) {
    return (v[0] + v[1]) + (v[2] + v[3]);
}

// y -= A^T x for four columns
ALWAYS_INLINE void subtract_four_products(int m, const double *A, int lda, const double *x, double *y) {
    const double *a = A, *b = a + lda, *c = b + lda, *d = c + lda;
    four p = splat(0), q = p, r = p, s = p;
    for (int i = 0; i < m; i += 4) {
        const four v = load(x + i);
        p += load(a + i) * v, q += load(b + i) * v, r += load(c + i) * v, s += load(d + i) * v;
    }
    y[0] -= sum_of(p), y[1] -= sum_of(q), y[2] -= sum_of(r), y[3] -= sum_of(s);
}

#else

static void subtract_four_columns(int m, const double *A, int lda, const double *x, double *y) {
    for (int c = 0; c < 4; c++) br_subtract_multiple((m + 3) / 4 * 4, x[c], A + (size_t)c * (size_t)lda, y);
}

static void subtract_four_products(int m, const double *A, int lda, const double *x, double *y) {
    for (int c = 0; c < 4; c++, A += lda) {
        double sum[4] = {0, 0, 0, 0};
        for (int i = 0; i < (m + 3) / 4 * 4; i++) sum[i % 4] += A[i] * x[i];
        y[c] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

static void tile(int rows, int subtract, int k, const double *A, int lda, const double *B, double *C,
                 int ldc) {
    for (int c = 0; c < BR_STRIP; c++) {
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int p = 0; p < k; p++) sum += A[(size_t)p * (size_t)lda + (size_t)r] * B[p * BR_STRIP + c];
            double *entry = &C[(size_t)c * (size_t)ldc + (size_t)r];
            *entry = subtract ? *entry - sum : sum;
        }
    }
}

static void subtract_bodies(int k, const double *A, const double *B, double *C, int ldc) {
    for (int c = 0; c < BR_STRIP; c++)
        for (int r = 0; r < BR_STRIP; r++) {
            double sum = 0;
            for (int p = 0; p < k; p++) sum += A[p * BR_STRIP + r] * B[p * BR_STRIP + c];
            C[(size_t)c * (size_t)ldc + (size_t)r] -= sum;
        }
}

static void tile_8(int subtract, int k, const double *A, int lda, const double *B, double *C, int ldc) {
    tile(8, subtract, k, A, lda, B, C, ldc);
}

static void tile_4(int subtract, int k, const double *A, int lda, const double *B, double *C, int ldc) {
    tile(4, subtract, k, A, lda, B, C, ldc);
}

static void triangle_8(int n, double *X, int ldx, const double *T, const double *scale) {
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < 8; r++) {
            double x = X[(size_t)c * (size_t)ldx + (size_t)r];
            for (int b = 0; b < c; b++) x -= X[(size_t)b * (size_t)ldx + (size_t)r] * T[b * BR_STRIP + c];
            X[(size_t)c * (size_t)ldx + (size_t)r] = scale ? x * scale[c] : x;
        }
    }
}

void br_subtract_multiple(int n, double a, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] -= a * x[i];
}

void br_subtract(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] -= x[i];
}

#endif

// Subtracts the part of a tile that lies inside an m x n corner.
static void subtract_corner(int m, int n, const double *tile, double *C, int ldc) {
    for (int c = 0; c < n; c++, tile += BR_ROWS, C += ldc) br_subtract(m, tile, C);
}

// wide: tiles of 8 rows, for targets with 16 vector registers of 4; else 4 rows, which fit 16 registers of 2.
ALWAYS_INLINE void subtract_product(int wide, int m, int n, int k, const double *A, int lda, const double *B,
                                    double *C, int ldc) {
    double corner[BR_STRIP * BR_ROWS];
    const int step = wide ? 8 : 4;
    for (int i = 0; i < m; i += step) {
        const double *strip = B;
        const int rows = m - i < step ? m - i : step;
        for (int j = 0; j < n; j += BR_STRIP, strip += (size_t)BR_STRIP * (size_t)k) {
            double *target = C + (size_t)j * (size_t)ldc + i;
            const int columns = n - j < BR_STRIP ? n - j : BR_STRIP;
            if (columns == BR_STRIP && rows == 8) {
                tile_8(1, k, A + i, lda, strip, target, ldc);
            } else if (columns == BR_STRIP && rows == 4) {
                tile_4(1, k, A + i, lda, strip, target, ldc);
            } else {
                if (wide && rows > 4)
                    tile_8(0, k, A + i, lda, strip, corner, BR_ROWS);
                else
                    tile_4(0, k, A + i, lda, strip, corner, BR_ROWS);
                subtract_corner(rows, columns, corner, target, ldc);
            }
        }
    }
}

ALWAYS_INLINE void product(int wide, int m, int n, int k, const double *A, int lda, const double *B,
                           double *C, int ldc) {
    const int step = wide ? 8 : 4;
    for (int i = 0; i < m; i += step) {
        const double *strip = B;
        for (int j = 0; j < n; j += BR_STRIP, strip += (size_t)BR_STRIP * (size_t)k) {
            double *target = C + (size_t)j * (size_t)ldc + i;
            if (wide && m - i > 4)
                tile_8(0, k, A + i, lda, strip, target, ldc);
            else
                tile_4(0, k, A + i, lda, strip, target, ldc);
        }
    }
}

ALWAYS_INLINE void solve(int wide, int m, int n, double *X, int ldx, const double *T, const double *scale) {
    double corner[BR_STRIP * BR_ROWS];
    for (int i = 0; i < m; i += BR_ROWS) {
        double *x = X + i;
        const double *strip = T;
        for (int j = 0; j < n; j += BR_STRIP, strip += (size_t)BR_STRIP * (size_t)n) {
            double *target = x + (size_t)j * (size_t)ldx;
            const int columns = n - j < BR_STRIP ? n - j : BR_STRIP;
            if (j > 0 && columns == BR_STRIP) {
                if (wide) {
                    tile_8(1, j, x, ldx, strip, target, ldx);
                } else {
                    tile_4(1, j, x, ldx, strip, target, ldx);
                    tile_4(1, j, x + 4, ldx, strip, target + 4, ldx);
                }
            } else if (j > 0) {
                tile_4(0, j, x, ldx, strip, corner, BR_ROWS);
                tile_4(0, j, x + 4, ldx, strip, corner + 4, BR_ROWS);
                subtract_corner(BR_ROWS, columns, corner, target, ldx);
            }
            triangle_8(columns, target, ldx, strip + (size_t)BR_STRIP * (size_t)j, scale ? scale + j : NULL);
        }
    }
}

ALWAYS_INLINE void subtract_matvec(int m, int n, const double *A, int lda, const double *x, double *y) {
    int c = 0;
    for (; c + 4 <= n; c += 4) subtract_four_columns(m, A + (size_t)c * (size_t)lda, lda, x + c, y);
    for (; c < n; c++) br_subtract_multiple(m, x[c], A + (size_t)c * (size_t)lda, y);
}

// A last group of fewer than four columns repeats its first column instead of reading past the panel.
ALWAYS_INLINE void subtract_matvec_transposed(int m, int n, const double *A, int lda, const double *x,
                                              double *y) {
    int c = 0;
    for (; c + 4 <= n; c += 4) subtract_four_products(m, A + (size_t)c * (size_t)lda, lda, x, y + c);
    for (; c < n; c++) {
        double one[4] = {y[c], 0, 0, 0};
        subtract_four_products(m, A + (size_t)c * (size_t)lda, 0, x, one);
        y[c] = one[0];
    }
}

static void subtract_product_plain(int m, int n, int k, const double *A, int lda, const double *B, double *C,
                                   int ldc) {
    subtract_product(0, m, n, k, A, lda, B, C, ldc);
}

static void product_plain(int m, int n, int k, const double *A, int lda, const double *B, double *C,
                          int ldc) {
    product(0, m, n, k, A, lda, B, C, ldc);
}

static void solve_plain(int m, int n, double *X, int ldx, const double *T, const double *scale) {
    solve(0, m, n, X, ldx, T, scale);
}

static void subtract_bodies_plain(int k, const double *A, const double *B, double *C, int ldc) {
    subtract_bodies(k, A, B, C, ldc);
}

static void matvec_plain(int m, int n, const double *A, int lda, const double *x, double *y) {
    subtract_matvec(m, n, A, lda, x, y);
}

static void matvec_transposed_plain(int m, int n, const double *A, int lda, const double *x, double *y) {
    subtract_matvec_transposed(m, n, A, lda, x, y);
}

static const br_block_kernels plain = {subtract_product_plain, product_plain, solve_plain,
                                       subtract_bodies_plain,  matvec_plain,  matvec_transposed_plain};

const br_block_kernels *br_block_kernels_plain(void) {
    return &plain;
}

#if HAS_AVX2_VERSION
#define AVX2 __attribute__((target("avx2")))

AVX2 static void subtract_product_avx2(int m, int n, int k, const double *A, int lda, const double *B,
                                       double *C, int ldc) {
    subtract_product(1, m, n, k, A, lda, B, C, ldc);
}

AVX2 static void product_avx2(int m, int n, int k, const double *A, int lda, const double *B, double *C,
                              int ldc) {
    product(1, m, n, k, A, lda, B, C, ldc);
}

AVX2 static void solve_avx2(int m, int n, double *X, int ldx, const double *T, const double *scale) {
    solve(1, m, n, X, ldx, T, scale);
}

AVX2 static void subtract_bodies_avx2(int k, const double *A, const double *B, double *C, int ldc) {
    subtract_bodies(k, A, B, C, ldc);
}

AVX2 static void matvec_avx2(int m, int n, const double *A, int lda, const double *x, double *y) {
    subtract_matvec(m, n, A, lda, x, y);
}

AVX2 static void matvec_transposed_avx2(int m, int n, const double *A, int lda, const double *x, double *y) {
    subtract_matvec_transposed(m, n, A, lda, x, y);
}

static const br_block_kernels avx2 = {subtract_product_avx2, product_avx2, solve_avx2,
                                      subtract_bodies_avx2,  matvec_avx2,  matvec_transposed_avx2};
#endif

const br_block_kernels *br_block_kernels_pick(void) {
#if HAS_AVX2_VERSION
    if (__builtin_cpu_supports("avx2")) return &avx2;
#endif
    return &plain;
}

void br_pack(int n, int k, const double *B, int row_stride, int col_stride, double *packed) {
    for (int i = 0; i < n; i += BR_STRIP) {
        const double *from = B + (size_t)i * (size_t)row_stride;
        const int rows = n - i < BR_STRIP ? n - i : BR_STRIP;
        if (rows == BR_STRIP && row_stride == 1) {
            for (int p = 0; p < k; p++, packed += BR_STRIP, from += col_stride)
                memcpy(packed, from, BR_STRIP * sizeof *packed);
            continue;
        }
        for (int p = 0; p < k; p++, packed += BR_STRIP, from += col_stride) {
            int r = 0;
            for (; r < rows; r++) packed[r] = from[(size_t)r * (size_t)row_stride];
            for (; r < BR_STRIP; r++) packed[r] = 0;
        }
    }
}

void br_pack_triangle(int n, const double *T, int row_stride, int col_stride, double *packed) {
    br_pack(n, n, T, row_stride, col_stride, packed);
    for (int i = 0; i < n; i += BR_STRIP, packed += (size_t)BR_STRIP * (size_t)n)
        for (int p = i; p < i + BR_STRIP && p < n; p++)
            for (int r = 0; r <= p - i; r++) packed[(size_t)p * BR_STRIP + (size_t)r] = 0;
}
