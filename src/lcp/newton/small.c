// Newton for small islands: the method of newton.c with everything in one dense matrix and two passes over the laws
// per step, so that a box on four contacts costs a microsecond or two. Full steps only: where
// they do not converge at once, the caller falls back to newton.c and the interior point.
#include "lcp/newton/newton.h"
#include "lcp/problem/contact_kernels.h"

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
static void small_evaluate(br_lcp_island *s) {
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

// G := K^-1 G / rho, c := K^-1 c with K = I - G + G (C + delta) / rho.
static int eliminate_contact(const double *C, const double *give, double *K, double *G, double *c) {
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) {
            K[3 * r + k] = (r == k) - G[3 * r + k] * (1.0 - (C[k] + SMALL_DELTA) * give[k]);
            G[3 * r + k] *= give[k];
        }
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

static void set_diagonal(double *K, double value) {
    for (int k = 0; k < 9; k++) K[k] = k % 4 == 0 ? value : 0.0;
}

// Linearizes every law at the island's p and w into G and c, and assembles the dense system. 0: a law was singular.
static int assemble(br_lcp_island *s, double *H, double *right) {
    const int n = s->scalars;
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    memset(right, 0, (size_t)n * sizeof *right);
    add_mass(s, H, n);
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        double y[3], give[3] = {1.0, 1.0, 1.0}, *K = s->P + s->square[i], *G = s->G + s->square[i],
                     *c = s->c + law->row;
        const double *p = s->p + law->row, *w = s->w + law->row;
        if (s->compliant)
            br_lcp_law_aim(law, s->compliance + law->row, p, w, y, give);
        else
            for (int r = 0; r < 3; r++) y[r] = p[r] - w[r];
        if (law->kind == BR_LAW_CONE)
            br_lcp_cone_project(law->mu, y, c, G);
        else
            br_lcp_law_project(law, y, c, G);
        br_lcp_law_gap(3, p, w, y, give, c);
        if (y[0] <= 0.0 && law->kind == BR_LAW_CONE) { // separates: G = 0, c stays
            set_diagonal(K, 1.0);
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
                br_lcp_add_jt(s->jacobian + s->entry_offset[e], c, right + s->node_start[s->entry_node[e]]);
            continue;
        }
        const int sticks = G[0] == 1.0 && G[4] == 1.0 && G[8] == 1.0 && !s->compliant;
        if (sticks) { // K = delta
            set_diagonal(K, SMALL_DELTA);
            for (int r = 0; r < 3; r++) c[r] /= SMALL_DELTA;
            G[0] = G[4] = G[8] = 1.0 / SMALL_DELTA;
        } else if (!eliminate_contact(s->compliance + law->row, give, K, G, c)) {
            return 0;
        }
        assemble_contact(s, i, sticks, H, right);
    }
    return 1;
}

// The right side alone, for the K and G of the last assembly.
static void assemble_right(br_lcp_island *s, double *right) {
    memset(right, 0, (size_t)s->scalars * sizeof *right);
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *p = s->p + law->row, *w = s->w + law->row;
        double *c = s->c + law->row;
        double y[3] = {p[0] - w[0], p[1] - w[1], p[2] - w[2]}, give[3] = {1.0, 1.0, 1.0};
        if (s->compliant) br_lcp_law_aim(law, s->compliance + law->row, p, w, y, give);
        br_lcp_law_project(law, y, c, NULL);
        br_lcp_law_gap(3, p, w, y, give, c);
        br_lcp_solve_contact(s->P + s->square[i], 1, c); // regular, or assemble would have said so
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            br_lcp_add_jt(s->jacobian + s->entry_offset[e], c, right + s->node_start[s->entry_node[e]]);
    }
}

// p += c - G J dv, and v from p.
static void small_advance(br_lcp_island *s, const double *dv) {
    s->is_judged = 0;
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

// H := L U by elimination without exchanges, 1 / pivot on the diagonal: M + J^T G J has positive pivots unless friction is
// so strong that Newton needs more care than full steps anyway. 0: give up.
static int factor_dense(int n, double *restrict H) {
    for (int k = 0; k < n; k++) {
        double *row = H + k * n;
        if (!(row[k] > 0.0)) return 0;
        const double inverse = row[k] = 1.0 / row[k];
        for (int i = k + 1; i < n; i++) {
            double *other = H + i * n;
            const double l = other[k] *= inverse;
            for (int j = k + 1; j < n; j++) other[j] -= l * row[j];
        }
    }
    return 1;
}

static void solve_dense(int n, const double *restrict H, double *restrict x) {
    for (int i = 1; i < n; i++) {
        double sum = x[i];
        for (int j = 0; j < i; j++) sum -= H[i * n + j] * x[j];
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int j = i + 1; j < n; j++) sum -= H[i * n + j] * x[j];
        x[i] = sum * H[i * n + i];
    }
}

// What a step does once H is factored; returns the new residual.
static double small_move(br_lcp_island *s, const double *H, double *right) {
    solve_dense(s->scalars, H, right);
    small_advance(s, right);
    small_evaluate(s);
    const double residual = br_lcp_island_residual(s);
    br_lcp_island_keep_best(s, residual);
    return residual;
}

br_outcome br_lcp_small_run(br_lcp_island *s, const br_lcp_options *options) {
    double H[BR_LCP_SMALL_SCALARS * BR_LCP_SMALL_SCALARS], right[BR_LCP_SMALL_SCALARS];
    const int most = options->max_iterations < SMALL_STEPS ? options->max_iterations : SMALL_STEPS;
    double residual = br_lcp_island_residual(s);
    for (int k = 1; k <= most && isfinite(residual); k++) {
        double before = residual;
        if (!assemble(s, H, right) || !factor_dense(s->scalars, H)) {
            br_lcp_island_restore_best(s);
            return s->best_residual <= options->tol ? BR_CONVERGED : BR_SINGULAR;
        }
        residual = small_move(s, H, right);
        s->iterations++;
        s->factorizations++;
        for (int c = 0; c < BR_LCP_CHORDS && residual > BR_LCP_SETTLED; c++) { // see newton.c
            if (residual > (c ? BR_LCP_CHORD_FALL : BR_LCP_CHORD_START) * before) break;
            before = residual;
            assemble_right(s, right);
            residual = small_move(s, H, right);
        }
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, k, residual, 1.0, SMALL_DELTA);
        if (!(s->best_residual <= options->tol)) continue;
        if (residual > s->best_residual) br_lcp_island_restore_best(s);
        return BR_CONVERGED;
    }
    br_lcp_island_restore_best(s);
    return BR_STALLED;
}
