// Factors of single mass blocks, see mass.h.
#include "lcp/island/mass.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BR_EPS_MASS 1e-14     // a pivot of M, relative to its diagonal entry, that is only rounding
#define BR_EPS_SYMMETRY 1e-10 // of M, relative to its diagonal

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
    double off = 0.0;
    for (int r = 0; r + 1 < n; r++) { // what lies between two diagonal entries is contiguous
        const double *from = M + r * n + r + 1;
        for (int k = 0; k < n; k++) off += fabs(from[k]);
    }
    return off == 0.0;
}

// Right-looking on the upper half: row k is final, the rows below it lose their share of it.
static br_lcp_mass_kind factor_dense(int n, const double *M, double *L) {
    if (!is_symmetric(n, M)) return BR_LCP_MASS_BAD;
    memcpy(L, M, (size_t)(n * n) * sizeof *L);
    for (int k = 0; k < n; k++) {
        double *restrict row = L + k * n;
        const double pivot = row[k];
        if (!(pivot > BR_EPS_MASS * M[k * n + k]) || !(pivot <= DBL_MAX)) return BR_LCP_MASS_BAD;
        const double inverse = 1.0 / sqrt(pivot);
        row[k] = inverse;
        for (int j = k + 1; j < n; j++) row[j] *= inverse;
        for (int i = k + 1; i < n; i++) {
            double *restrict other = L + i * n;
            const double l = row[i];
            if (l == 0.0) continue; // limbs that do not meet
            for (int j = i; j < n; j++) other[j] -= l * row[j];
        }
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) L[r * n + c] = L[c * n + r];
    return BR_LCP_MASS_DENSE;
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

static void solve_lower(int n, const double *L, double *restrict x) {
    for (int k = 0; k < n; k++) {
        const double *restrict row = L + k * n;
        const double y = x[k] *= row[k];
        for (int j = k + 1; j < n; j++) x[j] -= row[j] * y;
    }
}

void br_lcp_mass_solve_dense(int n, const double *L, double *restrict x) {
    solve_lower(n, L, x);
    for (int k = n - 1; k >= 0; k--) {
        const double *restrict row = L + k * n;
        const double y = x[k] *= row[k];
        for (int j = 0; j < k; j++) x[j] -= row[j] * y;
    }
}

double br_lcp_mass_norm2_dense(int n, const double *L, const double *row, double *scratch) {
    memcpy(scratch, row, (size_t)n * sizeof *scratch);
    solve_lower(n, L, scratch);
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += scratch[k] * scratch[k];
    return sum;
}
