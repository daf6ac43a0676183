// Newton for small islands: the method of newton.c with everything in one dense matrix and two passes over the laws
// per step, so that a box on four contacts costs a microsecond or two. Full steps only: where
// they do not converge at once, the caller falls back to newton.c and the interior point.
#include "lcp/contact_kernels.h"
#include "lcp/method.h"

#include <math.h>
#include <string.h>

#define SMALL_DELTA 1e-8 // proximal weight, see newton.c
#define SMALL_STEPS 8

int br_lcp_small_applies(const br_lcp_island *s) {
    if (s->form != BR_FORM_VELOCITY || s->coupled || s->laws > BR_LCP_SMALL_LAWS ||
        s->scalars > BR_LCP_SMALL_SCALARS)
        return 0;
    int bodies = 1;
    for (int i = 0; i < s->laws; i++)
        bodies &= s->law[i].is_body_contact && s->law[i].kind != BR_LAW_JOINT_FRICTION;
    return bodies;
}

// w = J v + C p + b of every contact.
static void evaluate(br_lcp_island *s) {
    for (int i = 0; i < s->laws; i++) {
        const int row = s->law[i].row;
        double *w = s->w + row;
        for (int r = 0; r < 3; r++) w[r] = s->offset[row + r] + s->compliance[row + r] * s->p[row + r];
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            br_lcp_add_j(s->jacobian + s->entry_offset[e], s->v + s->node_start[s->entry_node[e]], w);
    }
}

// H += J^T G J and right += J^T c for a contact; H is dense, n x n.
static void assemble_contact(const br_lcp_island *s, int i, int sticks, double *H, double *right) {
    const double *G = s->G + s->square[i], *c = s->c + s->law[i].row;
    const int n = s->scalars;
    for (int b = s->entry_start[i]; b < s->entry_start[i + 1]; b++) {
        const int col = s->node_start[s->entry_node[b]];
        const double *J = s->jacobian + s->entry_offset[b];
        double GJ[18];
        if (sticks)
            for (int k = 0; k < 18; k++) GJ[k] = G[0] * J[k]; // G = g I
        else
            br_lcp_multiply_gj(G, J, GJ);
        br_lcp_add_jt(J, c, right + col);
        for (int a = s->entry_start[i]; a < s->entry_start[i + 1]; a++)
            br_lcp_add_outer(GJ, s->jacobian + s->entry_offset[a],
                             H + s->node_start[s->entry_node[a]] * n + col, n);
    }
}

// G := K^-1 G, c := K^-1 c with K = (I - G) + G (C + delta).
static int eliminate_contact(const double *C, double *G, double *c) {
    double K[9];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) K[3 * r + k] = (r == k) - G[3 * r + k] * (1.0 - C[k] - SMALL_DELTA);
    return br_lcp_solve_contact(K, 3, G) && br_lcp_solve_contact(K, 1, c);
}

// ------------------------------------------------------------------------------------------------------- the method

static void add_mass(const br_lcp_island *s, double *H, int stride) {
    for (int i = 0; i < s->nodes; i++) {
        const double *M = s->mass + s->mass_offset[s->diagonal[i]];
        const int n = s->node_dim[i], at = s->node_start[i];
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++) H[(at + r) * stride + at + c] = M[r * n + c];
    }
}

// Linearizes every law at the island's p and w into G and c, and assembles the dense system. 0: a law was singular.
static int assemble(br_lcp_island *s, double *H, double *right) {
    const int n = s->scalars;
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    memset(right, 0, (size_t)n * sizeof *right);
    add_mass(s, H, n);
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        double y[3], *G = s->G + s->square[i], *c = s->c + law->row;
        const double *p = s->p + law->row, *w = s->w + law->row;
        for (int r = 0; r < 3; r++) y[r] = p[r] - w[r];
        if (law->kind == BR_LAW_CONE)
            br_lcp_cone_project(law->mu, y, c, G);
        else
            br_lcp_law_project(law, y, c, G);
        for (int r = 0; r < 3; r++) c[r] -= p[r];
        if (y[0] <= 0.0 && law->kind == BR_LAW_CONE) { // separates: G = 0, c stays
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
                br_lcp_add_jt(s->jacobian + s->entry_offset[e], c, right + s->node_start[s->entry_node[e]]);
            continue;
        }
        const int sticks = G[0] == 1.0 && G[4] == 1.0 && G[8] == 1.0 && !s->compliant;
        if (sticks) { // K = delta
            for (int r = 0; r < 3; r++) c[r] /= SMALL_DELTA;
            G[0] = G[4] = G[8] = 1.0 / SMALL_DELTA;
        } else if (!eliminate_contact(s->compliance + law->row, G, c)) {
            return 0;
        }
        assemble_contact(s, i, sticks, H, right);
    }
    return 1;
}

// p += c - G J dv, and v from p.
static void advance(br_lcp_island *s, const double *dv) {
    memcpy(s->v, s->momentum, (size_t)s->scalars * sizeof *s->v);
    for (int i = 0; i < s->laws; i++) {
        const double *G = s->G + s->square[i], *c = s->c + s->law[i].row;
        double dw[3] = {0.0, 0.0, 0.0}, *p = s->p + s->law[i].row;
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            br_lcp_add_j(s->jacobian + s->entry_offset[e], dv + s->node_start[s->entry_node[e]], dw);
        for (int r = 0; r < 3; r++)
            p[r] += c[r] - (G[3 * r] * dw[0] + G[3 * r + 1] * dw[1] + G[3 * r + 2] * dw[2]);
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            br_lcp_add_jt(s->jacobian + s->entry_offset[e], p, s->v + s->node_start[s->entry_node[e]]);
    }
    for (int i = 0; i < s->nodes; i++) br_lcp_island_solve_node(s, i, s->v + s->node_start[i]);
}

// right := H^-1 right by elimination without exchanges: M + J^T G J has positive pivots unless friction is so strong that
// Newton needs more care than full steps anyway. 0: give up.
static int solve_dense(int n, double *restrict H, double *restrict right) {
    double inverse[BR_LCP_SMALL_SCALARS];
    for (int k = 0; k < n; k++) {
        const double *row = H + k * n;
        if (!(row[k] > 0.0)) return 0;
        inverse[k] = 1.0 / row[k];
        for (int i = k + 1; i < n; i++) {
            double *other = H + i * n;
            const double l = other[k] * inverse[k];
            for (int j = k + 1; j < n; j++) other[j] -= l * row[j];
            right[i] -= l * right[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = right[k];
        for (int j = k + 1; j < n; j++) sum -= H[k * n + j] * right[j];
        right[k] = sum * inverse[k];
    }
    return 1;
}

br_outcome br_lcp_small_run(br_lcp_island *s, const br_lcp_options *options) {
    double H[BR_LCP_SMALL_SCALARS * BR_LCP_SMALL_SCALARS], right[BR_LCP_SMALL_SCALARS];
    const int n = s->scalars,
              most = options->max_iterations < SMALL_STEPS ? options->max_iterations : SMALL_STEPS;
    for (int k = 1; k <= most; k++) {
        if (!assemble(s, H, right) || !solve_dense(n, H, right)) {
            br_lcp_island_restore_best(s);
            return BR_SINGULAR;
        }
        advance(s, right);
        evaluate(s);
        s->iterations++;
        s->factorizations++;
        const double residual = br_lcp_island_residual(s);
        br_lcp_island_keep_best(s, residual);
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, k, residual, 1.0, SMALL_DELTA);
        if (residual <= options->tol) return BR_CONVERGED;
        if (!isfinite(residual)) break;
    }
    br_lcp_island_restore_best(s);
    return BR_STALLED;
}
