// Evaluating an island, and carrying impulses in and out of it.
//
//     v = M^-1 (f + J^T p)        w = J v + C p + b            velocity form
//     w = A p + C p + b                                         matrix form
#include "lcp/island/island.h"
#include "lcp/problem/contact_kernels.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

void br_lcp_island_solve_node(const br_lcp_island *s, int i, double *x) {
    const int n = s->node_dim[i];
    const double *L = s->mass_cholesky + s->cholesky_offset[i];
    br_lcp_mass_solve(s->mass_kind[i], n, L, x);
}

void br_lcp_island_solve_mass(const br_lcp_island *s, double *x) {
    if (s->coupled) {
        br_block_solve(s->mass_factor, x);
        return;
    }
    for (int i = 0; i < s->nodes; i++) br_lcp_island_solve_node(s, i, x + s->node_start[i]);
}

// ---------------------------------------------------------------------------------------------- evaluating

void br_lcp_island_add_law_jt(const br_lcp_island *s, int law, const double *p, double *out) {
    const int rows = s->law[law].rows;
    if (s->law[law].is_body_contact) {
        for (int e = s->entry_start[law]; e < s->entry_start[law + 1]; e++)
            br_lcp_add_jt(s->jacobian + s->entry_offset[e], p, out + s->node_start[s->entry_node[e]]);
        return;
    }
    for (int e = s->entry_start[law]; e < s->entry_start[law + 1]; e++) {
        const int node = s->entry_node[e], n = s->node_dim[node];
        const double *J = s->jacobian + s->entry_offset[e];
        double *x = out + s->node_start[node];
        br_lcp_add_block_jt(rows, n, J, p, x);
    }
}

void br_lcp_island_add_jt(const br_lcp_island *s, const double *p, double *out) {
    for (int i = 0; i < s->laws; i++) br_lcp_island_add_law_jt(s, i, p + s->law[i].row, out);
}

void br_lcp_island_apply_j(const br_lcp_island *s, const double *v, double *out) {
    for (int i = 0; i < s->laws; i++) {
        const int rows = s->law[i].rows;
        double *w = out + s->law[i].row;
        for (int r = 0; r < rows; r++) w[r] = 0.0;
        if (s->law[i].is_body_contact) {
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
                br_lcp_add_j(s->jacobian + s->entry_offset[e], v + s->node_start[s->entry_node[e]], w);
            continue;
        }
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
            const int node = s->entry_node[e], n = s->node_dim[node];
            const double *J = s->jacobian + s->entry_offset[e], *x = v + s->node_start[node];
            for (int r = 0; r < rows; r++) w[r] += br_lcp_dot(n, J + r * n, x);
        }
    }
}

void br_lcp_island_apply_a(const br_lcp_island *s, const double *p, double *out) {
    for (int i = 0; i < s->laws; i++) {
        const int rows = s->law[i].rows;
        double *w = out + s->law[i].row;
        for (int r = 0; r < rows; r++) w[r] = 0.0;
        for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
            const br_lcp_law *other = &s->law[s->block_law[e]];
            const double *A = s->block + s->block_offset[e], *x = p + other->row;
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < other->rows; c++) w[r] += A[r * other->rows + c] * x[c];
        }
    }
}

static void island_evaluate(br_lcp_island *s, int linear) {
    s->is_judged = 0;
    if (s->form == BR_FORM_VELOCITY) {
        if (linear)
            memset(s->v, 0, (size_t)s->scalars * sizeof *s->v);
        else
            memcpy(s->v, s->momentum, (size_t)s->scalars * sizeof *s->v);
        br_lcp_island_add_jt(s, s->p, s->v);
        br_lcp_island_solve_mass(s, s->v);
        br_lcp_island_apply_j(s, s->v, s->w);
    } else {
        br_lcp_island_apply_a(s, s->p, s->w);
    }
    for (int i = 0; i < s->rows; i++) s->w[i] += s->compliance[i] * s->p[i] + (linear ? 0.0 : s->offset[i]);
}

void br_lcp_island_evaluate(br_lcp_island *s) {
    island_evaluate(s, 0);
}
void br_lcp_island_evaluate_linear(br_lcp_island *s) {
    island_evaluate(s, 1);
}

void br_lcp_island_follow(br_lcp_island *s, double alpha) {
    s->is_judged = 0;
    for (int i = 0; i < s->scalars; i++) s->v[i] += alpha * s->step_v[i];
    for (int i = 0; i < s->rows; i++) s->w[i] += alpha * (s->step_w[i] + s->compliance[i] * s->step_p[i]);
}

// ----------------------------------------------------------------------------------------- starts and answers

void br_lcp_island_unload(const br_lcp_island *s, const br_problem *problem, double *p, double *w,
                          double *v) {
    for (int i = 0; i < s->laws; i++) {
        const int first = problem->law[s->global_law[i]].first_row;
        for (int r = 0; r < s->law[i].rows; r++) {
            if (p) p[first + r] = s->p[s->law[i].row + r] / s->law[i].scale * s->unit;
            if (w) w[first + r] = s->w[s->law[i].row + r] * s->law[i].scale * s->unit;
        }
    }
    if (!v) return;
    for (int i = 0; i < s->nodes; i++) {
        double *to = v + s->global_scalar[s->global_node[i]];
        for (int k = 0; k < s->node_dim[i]; k++) to[k] = s->v[s->node_start[i] + k] * s->unit;
    }
}

#define ROUNDING_OUTSIDE 1e-12 // of the bound: an impulse that is no further outside stays, to the bit

// 1: p was outside.
static int into_cone(double mu, int rows, double *p) {
    const double t2 = p[1] * p[1] + (rows == 3 ? p[2] * p[2] : 0.0),
                 enough = (1.0 + ROUNDING_OUTSIDE) * mu * p[0];
    if (p[0] >= 0.0 && t2 <= enough * enough && enough * enough > DBL_MIN && t2 < INFINITY) return 0;
    const double t = rows == 3 ? br_hypot(p[1], p[2]) : fabs(p[1]), most = mu * fmax(0.0, p[0]);
    if (p[0] >= 0.0 && t <= (1.0 + ROUNDING_OUTSIDE) * most) return 0;
    const double k = t > most ? most / t : 1.0;
    p[0] = fmax(0.0, p[0]);
    for (int r = 1; r < rows; r++) p[r] *= k;
    return 1;
}

// The same for the box about the cone, each direction by itself.
static int into_box(double mu, int rows, double *p) {
    const double most = mu * fmax(0.0, p[0]);
    int outside = p[0] < 0.0;
    p[0] = fmax(0.0, p[0]);
    for (int r = 1; r < rows; r++) {
        if (fabs(p[r]) <= (1.0 + ROUNDING_OUTSIDE) * most) continue;
        p[r] = p[r] > 0.0 ? most : -most;
        outside = 1;
    }
    return outside;
}

// Polygons have their corners on the cone's rim. A pivoting method leaves contacts that carry nothing with rounding in every row, and
// friction of rounding may be hundreds of times mu N of rounding.
int br_lcp_island_into_cones(br_lcp_island *s, const br_problem *problem) {
    int outside = 0;
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        if (law->kind == BR_LAW_CONE || law->kind == BR_LAW_POLYGON)
            outside |= into_cone(law->mu, law->rows, s->p + law->row);
        else if (law->kind == BR_LAW_BOX_FRICTION)
            outside |= into_box(law->mu, law->rows, s->p + law->row);
    }
    if (!outside) return 0;
    br_lcp_island_prepare(s, problem);
    br_lcp_island_evaluate(s);
    s->is_judged = 0;
    return 1;
}

void br_lcp_island_keep_best(br_lcp_island *s, double residual) {
    if (!(residual < s->best_residual)) return;
    s->best_residual = residual;
    memcpy(s->best_p, s->p, (size_t)s->rows * sizeof *s->p);
}

void br_lcp_island_restore_best(br_lcp_island *s) {
    if (!(s->best_residual < INFINITY)) return;
    memcpy(s->p, s->best_p, (size_t)s->rows * sizeof *s->p);
    br_lcp_island_evaluate(s);
}
