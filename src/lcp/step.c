// One Newton-like step for an island: the linear algebra under newton.c and interior.c.
//
//     laws, linearized:      P dp + Q dw = R,   dw = W dp   (C is folded into P by the caller)
//     velocity form:         G = P^-1 Q,  c = P^-1 R,  (M + J^T G J) dv = J^T c,  dp = c - G J dv
//     matrix form:           (P + Q A) dp = R
//
// In velocity form the matrix has the size of the velocities, whatever the number of contacts, and exists when W
// is singular.
#include "lcp/contact_kernels.h"
#include "lcp/island.h"

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

// H += J^T G J for a contact of one or two rigid bodies.
static void add_contact(br_lcp_island *s, int i) {
    const int first = s->entry_start[i], count = s->entry_start[i + 1] - first;
    const double *G = s->G + s->square[i];
    if (G[0] == 0.0 && G[3] == 0.0 && G[4] == 0.0 && G[6] == 0.0 && G[8] == 0.0) return; // it separates
    for (int b = 0; b < count; b++) {
        double GJ[18];
        br_lcp_multiply_gj(G, s->jacobian + s->entry_offset[first + b], GJ);
        for (int a = 0; a < count; a++) {
            const double *J = s->jacobian + s->entry_offset[first + a];
            const br_block_ref ref = s->entry_ref[s->ref_start[i] + a * count + b];
            if (ref.row_stride == 1)
                br_lcp_add_outer(J, GJ, ref.value, ref.col_stride);
            else
                br_lcp_add_outer(GJ, J, ref.value, ref.row_stride);
        }
    }
}

static void add_product(int rows, int m, const double *X, int n, const double *Y, br_block_ref ref) {
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            double sum = 0.0;
            for (int k = 0; k < rows; k++) sum += X[k * m + r] * Y[k * n + c];
            ref.value[r * ref.row_stride + c * ref.col_stride] += sum;
        }
}

// H += J^T G J for one law. GJ goes through a buffer of one node's width at a time.
static void add_law(br_lcp_island *s, int i, double *GJ) {
    const int rows = s->law[i].rows, first = s->entry_start[i], count = s->entry_start[i + 1] - first;
    const double *G = s->G + s->square[i];
    for (int b = 0; b < count; b++) {
        const double *J = s->jacobian + s->entry_offset[first + b];
        const int n = s->node_dim[s->entry_node[first + b]];
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < n; c++) {
                double sum = 0.0;
                for (int k = 0; k < rows; k++) sum += G[r * rows + k] * J[k * n + c];
                GJ[r * n + c] = sum;
            }
        for (int a = 0; a < count; a++) {
            const double *X = s->jacobian + s->entry_offset[first + a];
            const int m = s->node_dim[s->entry_node[first + a]];
            const br_block_ref ref = s->entry_ref[s->ref_start[i] + a * count + b];
            add_product(rows, m, X, n, GJ, ref);
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
        for (int i = 0; i < s->laws; i++) {
            if (s->law[i].is_body_contact)
                add_contact(s, i);
            else
                add_law(s, i, s->law_buffer);
        }
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
    const br_status status =
        s->form == BR_FORM_VELOCITY ? step_velocity(s, factor_again) : step_matrix(s, factor_again);
    if (status) return status;
    double sum = 0.0;
    for (int i = 0; i < s->rows; i++) sum += fabs(s->step_p[i]);
    return isfinite(sum) ? BR_OK : BR_NUMERICAL;
}
