// Mass blocks of single nodes: factored once per change of value, solved many times. Loops run along rows, over
// independent entries, so that they are vectors and no sum waits for its last term.
#ifndef BR_LCP_ISLAND_MASS_H
#define BR_LCP_ISLAND_MASS_H

typedef enum br_lcp_mass_kind {
    BR_LCP_MASS_BAD = 0,
    BR_LCP_MASS_DIAGONAL,
    BR_LCP_MASS_DENSE
} br_lcp_mass_kind;

// L (n x n) := the factor of M. Diagonal: its first n entries are 1 / M_ii. Dense: M = L L^T with L in the lower half,
// L^T in the upper one and 1 / L_ii on the diagonal. BAD: not symmetric or not positive definite.
br_lcp_mass_kind br_lcp_mass_factor(int n, const double *M, double *L);

void br_lcp_mass_solve_dense(int n, const double *L, double *x);                            // x := M^-1 x
double br_lcp_mass_norm2_dense(int n, const double *L, const double *row, double *scratch); // row M^-1 row^T

static inline void br_lcp_mass_solve(br_lcp_mass_kind kind, int n, const double *restrict L,
                                     double *restrict x) {
    if (kind == BR_LCP_MASS_DENSE)
        br_lcp_mass_solve_dense(n, L, x);
    else if (n == 6) // a free body
        for (int i = 0; i < 6; i++) x[i] *= L[i];
    else
        for (int i = 0; i < n; i++) x[i] *= L[i];
}

#endif
