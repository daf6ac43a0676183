// Factors of single mass blocks, see mass.h.
#include "lcp/island/mass.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BR_EPS_MASS 1e-14     // a pivot of M, relative to its diagonal entry, that is only rounding
#define BR_EPS_SYMMETRY 1e-10 // of M, relative to its diagonal

// Four doubles at a time where the compiler has vector types, in registers of four where the processor has them. Every entry sees the
// same operations in the same order either way.
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

// to[from .. n - 1] -= a x[from .. n - 1]
ALWAYS_INLINE void subtract_multiple(int from, int n, double a, const double *x, double *to) {
    const four factor = {a, a, a, a};
    int j = from;
    for (; j + 4 <= n; j += 4) *(four *)(to + j) -= factor * *(const four *)(x + j);
    if (j + 2 <= n) {
        *(pair *)(to + j) -= (pair){a, a} * *(const pair *)(x + j);
        j += 2;
    }
    if (j < n) to[j] -= a * x[j];
}

ALWAYS_INLINE void scale_row(int from, int n, double a, double *row) {
    const four factor = {a, a, a, a};
    int j = from;
    for (; j + 4 <= n; j += 4) *(four *)(row + j) *= factor;
    if (j + 2 <= n) {
        *(pair *)(row + j) *= (pair){a, a};
        j += 2;
    }
    if (j < n) row[j] *= a;
}
#else
#define ALWAYS_INLINE static inline
ALWAYS_INLINE void scale_row(int from, int n, double a, double *row) {
    for (int j = from; j < n; j++) row[j] *= a;
}
ALWAYS_INLINE void subtract_multiple(int from, int n, double a, const double *x, double *to) {
    for (int j = from; j < n; j++) to[j] -= a * x[j];
}
#endif

static int is_symmetric(int n, const double *M) {
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++)
            if (M[r * n + c] != M[c * n + r] && // most are the same bits
                !(fabs(M[r * n + c] - M[c * n + r]) <=
                  BR_EPS_SYMMETRY * sqrt(fabs(M[r * n + r] * M[c * n + c]))))
                return 0;
    return 1;
}

static int is_diagonal(int n, const double *M) {
    for (int r = 0; r + 1 < n; r++) { // what lies between two diagonal entries is contiguous
        const double *from = M + r * n + r + 1;
        double off = 0.0;
        for (int k = 0; k < n; k++) off += fabs(from[k]);
        if (!(off == 0.0)) return 0;
    }
    return 1;
}

// Right-looking on the upper half: row k is final, the rows below it lose their share of it. Fours begin a little left of the
// diagonal: what they spoil there is overwritten at the end.
ALWAYS_INLINE br_lcp_mass_kind factor_rows(int n, const double *M, double *L) {
    for (int k = 0; k < n; k++) {
        double *row = L + k * n;
        const double pivot = row[k];
        if (!(pivot > BR_EPS_MASS * M[k * n + k]) || !(pivot <= DBL_MAX)) return BR_LCP_MASS_BAD;
        const double inverse = 1.0 / sqrt(pivot);
        row[k] = inverse;
        scale_row(k + 1, n, inverse, row);
        for (int i = k + 1; i < n; i++) {
            const double l = row[i];
            if (l == 0.0) continue; // limbs that do not meet
            subtract_multiple(i & ~3, n, l, row, L + i * n);
        }
    }
    return BR_LCP_MASS_DENSE;
}

ALWAYS_INLINE void solve_lower(int n, const double *L, double *x) {
    for (int k = 0; k < n; k++) {
        const double *row = L + k * n;
        const double y = x[k] *= row[k];
        subtract_multiple(k + 1, n, y, row, x);
    }
}

ALWAYS_INLINE void solve_upper(int n, const double *L, double *x) {
    for (int k = n - 1; k >= 0; k--) {
        const double *row = L + k * n;
        const double y = x[k] *= row[k];
        subtract_multiple(0, k, y, row, x);
    }
}

static br_lcp_mass_kind factor_plain(int n, const double *M, double *L) {
    return factor_rows(n, M, L);
}

static void solve_plain(int n, const double *L, double *x) {
    solve_lower(n, L, x), solve_upper(n, L, x);
}

#if defined(__GNUC__) && defined(__x86_64__) && !defined(BR_PLAIN_KERNELS)
#define HAS_AVX2 __builtin_cpu_supports("avx2") // which does not include fused multiply-add
#define AVX2 __attribute__((target("avx2")))

AVX2 static br_lcp_mass_kind factor_avx2(int n, const double *M, double *L) {
    return factor_rows(n, M, L);
}

AVX2 static void solve_avx2(int n, const double *L, double *x) {
    solve_lower(n, L, x), solve_upper(n, L, x);
}
#else
#define HAS_AVX2 0
#define factor_avx2 factor_plain
#define solve_avx2 solve_plain
#endif

static br_lcp_mass_kind factor_dense(int n, const double *M, double *L) {
    if (!is_symmetric(n, M)) return BR_LCP_MASS_BAD;
    memcpy(L, M, (size_t)(n * n) * sizeof *L);
    const br_lcp_mass_kind kind = HAS_AVX2 ? factor_avx2(n, M, L) : factor_plain(n, M, L);
    if (kind == BR_LCP_MASS_BAD) return kind;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) L[r * n + c] = L[c * n + r];
    return kind;
}

br_lcp_mass_kind br_lcp_mass_factor(int n, const double *M, double *L) {
    if (!is_diagonal(n, M)) return factor_dense(n, M, L);
    for (int r = 0; r < n; r++) {
        const double m = M[r * n + r];
        if (!(m > 0.0) || !(m <= DBL_MAX)) return BR_LCP_MASS_BAD;
        L[r] = 1.0 / m;
    }
    return BR_LCP_MASS_DIAGONAL;
}

void br_lcp_mass_solve_dense(int n, const double *L, double *x) {
    if (HAS_AVX2)
        solve_avx2(n, L, x);
    else
        solve_plain(n, L, x);
}

double br_lcp_mass_norm2_dense(int n, const double *L, const double *row, double *scratch) {
    memcpy(scratch, row, (size_t)n * sizeof *scratch);
    solve_lower(n, L, scratch);
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += scratch[k] * scratch[k];
    return sum;
}
