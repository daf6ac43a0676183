// Newton for an island of one law: a wheel, a ball, a foot of a mechanism. With so few rows the step is taken in the
// impulses,
//
//     (I - G + G (C + W) / rho) dp = P(y) - p,       W = J M^-1 J^T, rows x rows
//
// and w follows by (W + C) dp: no pass over J until the answer is there. Full steps only: where they do not converge at
// once, or the answer does not stand when w is computed from scratch, the caller goes on as with any other island.
#include "lcp/newton/newton.h"
#include "lcp/problem/contact_kernels.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define SINGLE_STEPS 10
#define SINGLE_TINY 1e-13 // pivots of this share are singular

int br_lcp_single_applies(const br_lcp_island *s) {
    return s->form == BR_FORM_VELOCITY && !s->coupled && s->laws == 1 && !s->has_joint_friction;
}

// W of the island's only law, by M^-1 J^T a row at a time.
static void single_fill(br_lcp_island *s, double *W) {
    const int n = s->law[0].rows;
    memset(W, 0, (size_t)(n * n) * sizeof *W);
    for (int e = 0; e < s->entry_start[1]; e++) {
        const int node = s->entry_node[e], dim = s->node_dim[node];
        const double *J = s->jacobian + s->entry_offset[e];
        for (int r = 0; r < n; r++) {
            double *x = s->step_v;
            memcpy(x, J + r * dim, (size_t)dim * sizeof *x);
            br_lcp_island_solve_node(s, node, x);
            for (int c = 0; c <= r; c++) W[r * n + c] += br_lcp_dot(dim, J + c * dim, x);
        }
    }
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < r; c++) W[c * n + r] = W[r * n + c];
        W[r * n + r] += s->compliance[r];
    }
}

static int single_solve(int n, double *K, double *x) {
    int pivot[BR_MAX_LAW_ROWS];
    if (n == 3) return br_lcp_solve_three(K, SINGLE_TINY, x);
    if (br_lu_factor(n, K, n, pivot, SINGLE_TINY)) return 0;
    br_lu_solve(n, K, n, pivot, x);
    return 1;
}

// One full step of p and w for a law of n rows. 0: singular.
static inline int step(br_lcp_island *s, int n, const double *restrict W) {
    const br_lcp_law *law = &s->law[0];
    double y[BR_MAX_LAW_ROWS], give[BR_MAX_LAW_ROWS], dp[BR_MAX_LAW_ROWS], G[BR_LCP_MAX_BLOCK],
        K[BR_LCP_MAX_BLOCK];
    br_lcp_law_aim(law, s->compliance, s->p, s->w, y, give);
    br_lcp_law_project(law, y, dp, G);
    br_lcp_law_gap(n, s->p, s->w, y, give, dp);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            double sum = (r == c) - G[r * n + c];
            for (int k = 0; k < n; k++) sum += G[r * n + k] * give[k] * W[k * n + c];
            K[r * n + c] = sum;
        }
    if (!single_solve(n, K, dp)) return 0;
    for (int r = 0; r < n; r++) {
        s->p[r] += dp[r];
        for (int c = 0; c < n; c++) s->w[r] += W[r * n + c] * dp[c];
    }
    s->is_judged = 0;
    return 1;
}

br_outcome br_lcp_single_run(br_lcp_island *s, const br_lcp_options *options) {
    double W[BR_LCP_MAX_BLOCK];
    const int most = options->max_iterations < SINGLE_STEPS ? options->max_iterations : SINGLE_STEPS;
    double residual = br_lcp_island_residual(s);
    single_fill(s, W);
    for (int k = 1; k <= most && residual > BR_LCP_SETTLED; k++) {
        const double before = residual;
        if (!(s->law[0].rows == 3 ? step(s, 3, W) : step(s, s->law[0].rows, W))) break; // 3: loops unrolled
        residual = br_lcp_island_residual(s);
        s->iterations++;
        s->factorizations++;
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, k, residual, 1.0, 0.0);
        if (!isfinite(residual) || (residual <= options->tol && residual > BR_LCP_CHORD_FALL * before)) break;
    }
    br_lcp_island_evaluate(s); // what counts is w from scratch
    residual = br_lcp_island_residual(s);
    br_lcp_island_keep_best(s, residual);
    if (!(residual <= s->best_residual)) br_lcp_island_restore_best(s);
    return s->best_residual <= options->tol ? BR_CONVERGED : BR_STALLED;
}
