// Block Gauss-Seidel: one law at a time, solved exactly against its own W_cc, sweeping to and fro. Linear convergence
// at best, none on stacks with large mass ratios; its use is low accuracy on large piles, and shaking an island out of
// a bad start.
#include "lcp/problem/contact_kernels.h"
#include "lcp/sweep/gauss_seidel.h"
#include "lcp/sweep/local.h"

#include <math.h>
#include <string.h>

#define SWEEPS_PER_TEST 5
#define PROGRESS 0.9 // the residual must fall by this ...
#define PATIENCE 500 // ... within so many sweeps

struct br_lcp_gauss_seidel {
    br_lcp_island *island;
    double *mass_jt; // M^-1 J^T, dim x rows for each entry, velocity form
    double *local;   // W_cc + C, rows x rows for each law
    const br_lcp_options *options;
    double checkpoint; // residual to beat, ...
    int sweep, since;  // ... and the sweep that reached it
    br_outcome outcome;
};

br_lcp_gauss_seidel *br_lcp_gauss_seidel_create(br_arena *arena, br_lcp_island *s) {
    if (s->coupled) return NULL; // M^-1 of one node would reach all of them
    br_lcp_gauss_seidel *gs = BR_TAKE(arena, br_lcp_gauss_seidel, 1);
    if (!gs) return NULL;
    int size = 0;
    for (int i = 0; s->form == BR_FORM_VELOCITY && i < s->laws; i++)
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            size += s->law[i].rows * s->node_dim[s->entry_node[e]];
    gs->island = s;
    gs->mass_jt = BR_TAKE(arena, double, size);
    gs->local = BR_TAKE(arena, double, s->square[s->laws]);
    return gs->mass_jt && gs->local ? gs : NULL;
}

static void prepare_velocity(br_lcp_gauss_seidel *gs, int i) {
    const br_lcp_island *s = gs->island;
    const int rows = s->law[i].rows;
    double *W = gs->local + s->square[i];
    for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
        const int node = s->entry_node[e], n = s->node_dim[node];
        const double *J = s->jacobian + s->entry_offset[e];
        double *X = gs->mass_jt + s->entry_offset[e];
        memcpy(X, J, (size_t)(rows * n) * sizeof *X); // row r of X is M^-1 of row r of J
        for (int r = 0; r < rows; r++) br_lcp_island_solve_node(s, node, X + r * n);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < rows; c++)
                for (int k = 0; k < n; k++) W[r * rows + c] += J[r * n + k] * X[c * n + k];
    }
}

void br_lcp_gauss_seidel_prepare(br_lcp_gauss_seidel *gs) {
    const br_lcp_island *s = gs->island;
    memset(gs->local, 0, (size_t)s->square[s->laws] * sizeof *gs->local);
    for (int i = 0; i < s->laws; i++) {
        const int n = s->law[i].rows;
        double *W = gs->local + s->square[i];
        if (s->form == BR_FORM_VELOCITY)
            prepare_velocity(gs, i);
        else
            memcpy(W, s->block + s->block_offset[s->block_start[i]], (size_t)(n * n) * sizeof *W);
        for (int r = 0; r < n; r++) W[r * n + r] += s->compliance[s->law[i].row + r];
    }
}

static void visit_body_cone(br_lcp_gauss_seidel *gs, int i) {
    br_lcp_island *s = gs->island;
    const br_lcp_law *law = &s->law[i];
    const int first = s->entry_start[i], end = s->entry_start[i + 1];
    const double *W = gs->local + s->square[i], *C = s->compliance + law->row, *b = s->offset + law->row;
    double w[3], p[3], *old = s->p + law->row;
    for (int r = 0; r < 3; r++) w[r] = b[r] + C[r] * old[r];
    for (int e = first; e < end; e++)
        br_lcp_add_j(s->jacobian + s->entry_offset[e], s->v + s->node_start[s->entry_node[e]], w);
    for (int r = 0; r < 3; r++) {
        w[r] -= W[3 * r] * old[0] + W[3 * r + 1] * old[1] + W[3 * r + 2] * old[2];
        p[r] = old[r];
    }
    br_lcp_local_cone(law, W, w, p);
    for (int r = 0; r < 3; r++) {
        w[r] = p[r] - old[r];
        old[r] = p[r];
    }
    for (int e = first; e < end; e++)
        br_lcp_add_jt(gs->mass_jt + s->entry_offset[e], w, s->v + s->node_start[s->entry_node[e]]);
}

static void visit(br_lcp_gauss_seidel *gs, int i) {
    br_lcp_island *s = gs->island;
    const br_lcp_law *law = &s->law[i];
    const int n = law->rows;
    const double *W = gs->local + s->square[i];
    double w_free[BR_MAX_LAW_ROWS], p[BR_MAX_LAW_ROWS], *old = s->p + law->row;
    for (int r = 0; r < n; r++) w_free[r] = s->offset[law->row + r] + s->compliance[law->row + r] * old[r];
    if (s->form == BR_FORM_VELOCITY) {
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
            const int node = s->entry_node[e], m = s->node_dim[node];
            const double *J = s->jacobian + s->entry_offset[e], *v = s->v + s->node_start[node];
            for (int r = 0; r < n; r++)
                for (int c = 0; c < m; c++) w_free[r] += J[r * m + c] * v[c];
        }
    } else {
        for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
            const br_lcp_law *other = &s->law[s->block_law[e]];
            const double *A = s->block + s->block_offset[e], *x = s->p + other->row;
            for (int r = 0; r < n; r++)
                for (int c = 0; c < other->rows; c++) w_free[r] += A[r * other->rows + c] * x[c];
        }
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) w_free[r] -= W[r * n + c] * old[c];
    if (law->immovable) return;
    memcpy(p, old, (size_t)n * sizeof *p);
    br_lcp_local_solve(law, W, w_free, p);
    if (s->form == BR_FORM_VELOCITY)
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
            const int node = s->entry_node[e], m = s->node_dim[node];
            const double *X = gs->mass_jt + s->entry_offset[e];
            double *v = s->v + s->node_start[node];
            for (int r = 0; r < n; r++)
                for (int c = 0; c < m; c++) v[c] += X[r * m + c] * (p[r] - old[r]);
        }
    memcpy(old, p, (size_t)n * sizeof *p);
}

void br_lcp_gauss_seidel_init(br_lcp_gauss_seidel *gs, const br_lcp_options *options) {
    gs->options = options;
    gs->sweep = gs->since = 0;
    gs->checkpoint = INFINITY;
    gs->outcome = BR_MAX_ITERATIONS;
    br_lcp_gauss_seidel_prepare(gs);
    br_lcp_island_evaluate(gs->island);
}

// Judges the current p; every few sweeps is enough.
static br_progress test(br_lcp_gauss_seidel *gs) {
    br_lcp_island *s = gs->island;
    br_lcp_island_evaluate(s);
    const double residual = br_lcp_island_residual(s);
    br_lcp_island_keep_best(s, residual);
    br_lcp_trace(gs->options, s, BR_SOLVER_GAUSS_SEIDEL, gs->sweep, residual, NAN, NAN);
    if (residual < PROGRESS * gs->checkpoint) {
        gs->checkpoint = residual;
        gs->since = gs->sweep;
    }
    if (residual <= gs->options->tol)
        gs->outcome = BR_CONVERGED;
    else if (gs->sweep - gs->since >= PATIENCE || !isfinite(residual))
        gs->outcome = BR_STALLED;
    return gs->outcome == BR_MAX_ITERATIONS ? BR_RUNNING : BR_FINISHED;
}

void br_lcp_gauss_seidel_sweep(br_lcp_gauss_seidel *gs, int backwards) {
    const br_lcp_island *s = gs->island;
    for (int k = 0; k < s->laws; k++) {
        const int i = backwards ? s->laws - 1 - k : k;
        if (s->law[i].is_body_contact && s->law[i].kind == BR_LAW_CONE && !s->law[i].immovable)
            visit_body_cone(gs, i);
        else
            visit(gs, i);
    }
}

br_progress br_lcp_gauss_seidel_iterate(br_lcp_gauss_seidel *gs) {
    if (gs->sweep >= gs->options->max_iterations) return BR_FINISHED;
    gs->sweep++;
    gs->island->iterations++;
    br_lcp_gauss_seidel_sweep(gs, gs->sweep % 2 == 0);
    const int last = gs->sweep >= gs->options->max_iterations;
    return gs->sweep % SWEEPS_PER_TEST == 0 || last ? test(gs) : BR_RUNNING;
}

br_outcome br_lcp_gauss_seidel_run(br_lcp_gauss_seidel *gs, const br_lcp_options *options) {
    br_lcp_gauss_seidel_init(gs, options);
    while (br_lcp_gauss_seidel_iterate(gs) == BR_RUNNING) {}
    return gs->outcome;
}
