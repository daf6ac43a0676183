// One Newton-like step for an island: the linear algebra under newton.c and interior.c.
//
//     laws, linearized:      P dp + Q dw = R,   dw = W dp   (C is folded into P by the caller)
//     velocity form:         G = P^-1 Q,  c = P^-1 R,  (M + J^T G J) dv = J^T c,  dp = c - G J dv
//     matrix form:           (P + Q A) dp = R
//
// In velocity form the matrix has the size of the velocities, whatever the number of contacts, and exists when W
// is singular.
#include "lcp/island/island.h"
#include "lcp/problem/contact_kernels.h"

#include "linalg/block_kernels.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// BR_EPS_PIVOT: a pivot block smaller than this share of what was assembled there is singular to rounding.
#define BR_EPS_PIVOT 1e-15

// ------------------------------------------------------------------------------- eliminating dp, law by law

// X := P^-1 X for an n x m right-hand side; 0 when P is singular.
static int solve_left(int n, const double *P, int m, double *X) {
    double LU[BR_LCP_MAX_BLOCK], column[BR_MAX_LAW_ROWS];
    int pivot[BR_MAX_LAW_ROWS];
    memcpy(LU, P, (size_t)(n * n) * sizeof *LU);
    if (br_lu_factor(n, LU, n, pivot, 0.0)) return 0;
    for (int c = 0; c < m; c++) {
        for (int r = 0; r < n; r++) column[r] = X[r * m + c];
        br_lu_solve(n, LU, n, pivot, column);
        for (int r = 0; r < n; r++) X[r * m + c] = column[r];
    }
    return 1;
}

static int solve_law(int n, const double *P, int m, double *X) {
    if (n == 1) {
        if (P[0] == 0.0) return 0;
        for (int c = 0; c < m; c++) X[c] /= P[0];
        return 1;
    }
    return (n == 3 && br_lcp_solve_contact(P, m, X)) || solve_left(n, P, m, X);
}

static int eliminate(br_lcp_island *s, int i, int with_matrix) {
    const int n = s->law[i].rows;
    const double *P = s->P + s->square[i];
    double *G = s->G + s->square[i], *c = s->c + s->law[i].row;
    memcpy(c, s->R + s->law[i].row, (size_t)n * sizeof *c);
    if (!solve_law(n, P, 1, c)) return 0;
    if (!with_matrix) return 1;
    memcpy(G, s->Q + s->square[i], (size_t)(n * n) * sizeof *G);
    return solve_law(n, P, n, G);
}

// ------------------------------------------------------------------------------------------- velocity form

// out := -G J for the block J of n columns of one law.
static void multiply_law(const br_lcp_island *s, int i, const double *restrict J, int n,
                         double *restrict out) {
    const int rows = s->law[i].rows;
    const double *G = s->G + s->square[i];
    if (rows == 3) {
        for (int r = 0; r < 3; r++) {
            const double g0 = -G[3 * r], g1 = -G[3 * r + 1], g2 = -G[3 * r + 2];
            for (int c = 0; c < n; c++) out[r * n + c] = g0 * J[c] + g1 * J[n + c] + g2 * J[2 * n + c];
        }
        return;
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < n; c++) out[r * n + c] = 0.0;
        for (int k = 0; k < rows; k++) {
            const double g = -G[r * rows + k];
            if (g == 0.0) continue;
            for (int c = 0; c < n; c++) out[r * n + c] += g * J[k * n + c];
        }
    }
}

// A block -= X^T Y for X (k x m) and Y (k x n).
static void subtract_product(const br_lcp_island *s, int k, int m, const double *X, int n, const double *Y,
                             br_block_ref ref, const br_block_kernels *kernels) {
    const int transposed = ref.row_stride != 1, stride = transposed ? ref.row_stride : ref.col_stride;
    const int a = transposed ? n : m, b = transposed ? m : n;
    const double *A = transposed ? Y : X, *B = transposed ? X : Y;
    if (a == BR_STRIP && b == BR_STRIP) {
        kernels->subtract_bodies(k, A, B, ref.value, stride);
        return;
    }
    if (b != BR_STRIP) br_pack(b, k, B, 1, b, s->group_packed);
    kernels->subtract_product(a, b, k, A, a, b == BR_STRIP ? B : s->group_packed, ref.value, stride);
}

// H += J^T G J for a group of laws on the same nodes.
static void add_group(br_lcp_island *s, int g, const br_block_kernels *kernels) {
    const int first = s->group_start[g], end = s->group_start[g + 1];
    const int entry = s->entry_start[first], count = s->entry_start[first + 1] - entry;
    const int rows = s->law[end - 1].row + s->law[end - 1].rows - s->law[first].row;
    for (int b = 0; b < count; b++) {
        const int n = s->node_dim[s->entry_node[entry + b]];
        double *out = s->group_product;
        for (int i = first; i < end; i++, out += s->law[i - 1].rows * n)
            multiply_law(s, i, s->jacobian + s->entry_offset[s->entry_start[i] + b], n, out);
        for (int a = 0; a < count; a++) {
            const int m = s->node_dim[s->entry_node[entry + a]];
            subtract_product(s, rows, m, s->jacobian + s->entry_offset[entry + a], n, s->group_product,
                             s->entry_ref[s->group_ref[g] + a * count + b], kernels);
        }
    }
}

static void add_mass(br_lcp_island *s) {
    for (int k = 0; k < s->mass_blocks; k++) {
        const int m = s->node_dim[s->mass_row[k]], n = s->node_dim[s->mass_col[k]];
        const double *block = s->mass + s->mass_offset[k];
        const br_block_ref ref = s->mass_ref[k], t = s->mass_ref_t[k];
        for (int r = 0; r < m; r++)
            for (int c = 0; c < n; c++)
                ref.value[r * ref.row_stride + c * ref.col_stride] += block[r * n + c];
        if (s->mass_row[k] == s->mass_col[k]) continue;
        for (int r = 0; r < m; r++)
            for (int c = 0; c < n; c++) t.value[c * t.row_stride + r * t.col_stride] += block[r * n + c];
    }
}

static br_status step_velocity(br_lcp_island *s, int factor_again) {
    for (int i = 0; i < s->laws; i++)
        if (!eliminate(s, i, factor_again)) return BR_NUMERICAL;
    if (factor_again) {
        br_block_clear(s->factor);
        add_mass(s);
        const br_block_kernels *kernels = br_block_kernels_pick();
        for (int g = 0; g < s->groups; g++) add_group(s, g, kernels);
        s->factorizations++;
        const br_status status = br_block_factor(s->factor, BR_BLOCK_GENERAL, BR_EPS_PIVOT, NULL);
        if (status) return status;
    }
    memset(s->step_v, 0, (size_t)s->scalars * sizeof *s->step_v);
    br_lcp_island_add_jt(s, s->c, s->step_v);
    br_block_solve(s->factor, s->step_v);
    br_lcp_island_apply_j(s, s->step_v, s->step_w);
    for (int i = 0; i < s->laws; i++) { // dp = c - G J dv
        const int n = s->law[i].rows;
        const double *G = s->G + s->square[i], *c = s->c + s->law[i].row, *w = s->step_w + s->law[i].row;
        double *p = s->step_p + s->law[i].row;
        for (int r = 0; r < n; r++) {
            double sum = c[r];
            for (int k = 0; k < n; k++) sum -= G[r * n + k] * w[k];
            p[r] = sum;
        }
    }
    return BR_OK;
}

// --------------------------------------------------------------------------------------------- matrix form

static void add_block_row(br_lcp_island *s, int i) {
    const int n = s->law[i].rows;
    const double *P = s->P + s->square[i], *Q = s->Q + s->square[i];
    for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
        const int m = s->law[s->block_law[e]].rows;
        const double *A = s->block + s->block_offset[e];
        const br_block_ref ref = s->block_ref[e];
        for (int r = 0; r < n; r++)
            for (int c = 0; c < m; c++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++) sum += Q[r * n + k] * A[k * m + c];
                if (s->block_law[e] == i) sum += P[r * n + c];
                ref.value[r * ref.row_stride + c * ref.col_stride] += sum;
            }
    }
}

static br_status step_matrix(br_lcp_island *s, int factor_again) {
    if (factor_again) {
        br_block_clear(s->factor);
        for (int i = 0; i < s->laws; i++) add_block_row(s, i);
        s->factorizations++;
        const br_status status = br_block_factor(s->factor, BR_BLOCK_GENERAL, BR_EPS_PIVOT, NULL);
        if (status) return status;
    }
    memcpy(s->step_p, s->R, (size_t)s->rows * sizeof *s->step_p);
    br_block_solve(s->factor, s->step_p);
    br_lcp_island_apply_a(s, s->step_p, s->step_w);
    return BR_OK;
}

br_status br_lcp_island_step(br_lcp_island *s, int factor_again) {
    if (!s->factor) return BR_NUMERICAL;
    const br_status status =
        s->form == BR_FORM_VELOCITY ? step_velocity(s, factor_again) : step_matrix(s, factor_again);
    if (status) return status;
    double sum = 0.0;
    for (int i = 0; i < s->rows; i++) sum += fabs(s->step_p[i]);
    return isfinite(sum) ? BR_OK : BR_NUMERICAL;
}
