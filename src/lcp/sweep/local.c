// One law by itself, see local.h.
#include "lcp/sweep/local.h"

#include "lcp/problem/contact_kernels.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define LOCAL_STEPS 12   // Newton steps of one local problem
#define LOCAL_TOL 1e-12  // relative to its impulse
#define LOCAL_TINY 1e-14 // determinants of this share are singular

// p with law(p, W p + free): Newton on the Alart-Curnier map, and where it wanders a projected step, which is safe.
void br_lcp_local_solve(const br_lcp_law *law, const double *W, const double *w_free, double *p) {
    const int n = law->rows;
    double trace = 0.0;
    for (int r = 0; r < n; r++) trace += W[r * n + r];
    for (int k = 0; k < LOCAL_STEPS; k++) {
        double y[BR_MAX_LAW_ROWS] = {0.0}, target[BR_MAX_LAW_ROWS], G[BR_LCP_MAX_BLOCK], K[BR_LCP_MAX_BLOCK];
        double error = 0.0, size = 0.0;
        int pivot[BR_MAX_LAW_ROWS];
        for (int r = 0; r < n; r++) {
            double w = w_free[r];
            for (int c = 0; c < n; c++) w += W[r * n + c] * p[c];
            y[r] = p[r] - w / trace;
        }
        br_lcp_law_project(law, y, target, G);
        for (int r = 0; r < n; r++) {
            error += fabs(target[r] - p[r]);
            size += fabs(p[r]) + fabs(w_free[r]);
            for (int c = 0; c < n; c++) { // (I - G (I - W / trace)) dp = P(y) - p
                double sum = r == c;
                for (int m = 0; m < n; m++) sum -= G[r * n + m] * ((m == c) - W[m * n + c] / trace);
                K[r * n + c] = sum;
            }
        }
        if (error <= LOCAL_TOL * size) return;
        const int newton = k + 3 < LOCAL_STEPS && br_lu_factor(n, K, n, pivot, 1e-14) == 0;
        for (int r = 0; r < n; r++) y[r] = target[r] - p[r];
        if (newton) br_lu_solve(n, K, n, pivot, y);
        for (int r = 0; r < n; r++) p[r] += y[r];
    }
}

// The same for a cone of three rows: separates or sticks, at once, or slides, by Newton.
void br_lcp_local_cone(const br_lcp_law *law, const double *W, const double *w_free, double *p) {
    const double mu = law->mu;
    if (w_free[0] >= 0.0) {
        p[0] = p[1] = p[2] = 0.0;
        return;
    }
    double x[3] = {-w_free[0], -w_free[1], -w_free[2]};
    if (br_lcp_solve_three(W, LOCAL_TINY, x) && x[0] > 0.0 &&
        x[1] * x[1] + x[2] * x[2] <= mu * mu * x[0] * x[0]) {
        memcpy(p, x, sizeof x);
        return;
    }
    const double over = 1.0 / (W[0] + W[4] + W[8]);
    for (int k = 0; k < LOCAL_STEPS; k++) {
        double y[3], gap[3], G[9], K[9];
        for (int r = 0; r < 3; r++)
            y[r] = p[r] - (w_free[r] + W[3 * r] * p[0] + W[3 * r + 1] * p[1] + W[3 * r + 2] * p[2]) * over;
        br_lcp_cone_project(mu, y, gap, G);
        for (int r = 0; r < 3; r++) gap[r] -= p[r];
        const double error = fabs(gap[0]) + fabs(gap[1]) + fabs(gap[2]);
        if (error <= LOCAL_TOL * (fabs(p[0]) + fabs(w_free[0]))) return;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) // I - G (I - W / trace)
                K[3 * r + c] = (r == c) - G[3 * r + c] +
                               (G[3 * r] * W[c] + G[3 * r + 1] * W[3 + c] + G[3 * r + 2] * W[6 + c]) * over;
        if (k + 3 < LOCAL_STEPS)
            br_lcp_solve_three(K, LOCAL_TINY, gap); // else a projected step, which is safe
        for (int r = 0; r < 3; r++) p[r] += gap[r];
    }
}
