// The products of one contact (3 rows) with one rigid body (6 velocities), which every step makes by the thousand. The
// fixed sizes and `restrict` let the compiler use vectors; sums are written out, so their order is the same everywhere.
#ifndef BR_LCP_PROBLEM_CONTACT_KERNELS_H
#define BR_LCP_PROBLEM_CONTACT_KERNELS_H

#include <math.h>

// w += J x
static inline void br_lcp_add_j(const double *restrict J, const double *restrict x, double *restrict w) {
    for (int r = 0; r < 3; r++) {
        const double *j = J + 6 * r;
        w[r] += ((j[0] * x[0] + j[1] * x[1]) + (j[2] * x[2] + j[3] * x[3])) + (j[4] * x[4] + j[5] * x[5]);
    }
}

// x += J^T p
static inline void br_lcp_add_jt(const double *restrict J, const double *restrict p, double *restrict x) {
    const double p0 = p[0], p1 = p[1], p2 = p[2];
    for (int c = 0; c < 6; c++) x[c] += J[c] * p0 + J[6 + c] * p1 + J[12 + c] * p2;
}

// out := G J, 3 x 6
static inline void br_lcp_multiply_gj(const double *restrict G, const double *restrict J,
                                      double *restrict out) {
    for (int r = 0; r < 3; r++) {
        const double g0 = G[3 * r], g1 = G[3 * r + 1], g2 = G[3 * r + 2];
        for (int c = 0; c < 6; c++) out[6 * r + c] = g0 * J[c] + g1 * J[6 + c] + g2 * J[12 + c];
    }
}

// A 6 x 6 block += near^T far, stored with `stride` from one index of far to the next and 1 along near's.
static inline void br_lcp_add_outer(const double *restrict near, const double *restrict far,
                                    double *restrict value, int stride) {
    for (int j = 0; j < 6; j++) {
        const double f0 = far[j], f1 = far[6 + j], f2 = far[12 + j];
        double *restrict out = value + j * stride;
        for (int k = 0; k < 6; k++) out[k] += near[k] * f0 + near[6 + k] * f1 + near[12 + k] * f2;
    }
}

// X := P^-1 X (3 x m) for the P of a contact law, whose friction rows follow the normal row and never lead it: its first
// row is (P_0, 0, 0). Returns 0 when P is singular or not of that kind.
static inline int br_lcp_solve_contact(const double *P, int m, double *X) {
    const double det = P[4] * P[8] - P[5] * P[7];
    if (P[1] != 0.0 || P[2] != 0.0 || P[0] == 0.0 || det == 0.0) return 0;
    const double over_0 = 1.0 / P[0], over = 1.0 / det;
    for (int c = 0; c < m; c++) {
        const double x = X[c] * over_0, r1 = X[m + c] - P[3] * x, r2 = X[2 * m + c] - P[6] * x;
        X[c] = x;
        X[m + c] = (P[8] * r1 - P[5] * r2) * over;
        X[2 * m + c] = (P[4] * r2 - P[7] * r1) * over;
    }
    return 1;
}

// x := K^-1 x for three rows by Cramer's rule. Returns 0 where the determinant is below `tiny` of its terms.
static inline int br_lcp_solve_three(const double *K, double tiny, double *x) {
    const double a = K[4] * K[8] - K[5] * K[7], b = K[5] * K[6] - K[3] * K[8], c = K[3] * K[7] - K[4] * K[6];
    const double det = K[0] * a + K[1] * b + K[2] * c;
    const double size = fabs(K[0] * a) + fabs(K[1] * b) + fabs(K[2] * c);
    if (!(fabs(det) > tiny * size)) return 0;
    const double over = 1.0 / det, x0 = x[0], x1 = x[1], x2 = x[2];
    x[0] = (a * x0 + (K[2] * K[7] - K[1] * K[8]) * x1 + (K[1] * K[5] - K[2] * K[4]) * x2) * over;
    x[1] = (b * x0 + (K[0] * K[8] - K[2] * K[6]) * x1 + (K[2] * K[3] - K[0] * K[5]) * x2) * over;
    x[2] = (c * x0 + (K[1] * K[6] - K[0] * K[7]) * x1 + (K[0] * K[4] - K[1] * K[3]) * x2) * over;
    return 1;
}

#endif
