// Probing an island: the scales, the start's p, w and v and the size of the load, read straight from the problem's
// arrays in one pass over J. Most steps of a simulation need no more: the last step's impulses are the answer again. What
// the methods need besides, J scaled, is copied only when one of them runs (br_lcp_island_prepare).
//
//     v_free = M^-1 f,  v = M^-1 (f + J^T p)
//     per law: d = trace(J M^-1 J^T) / rows,  w_free = J v_free + b,  w = J v + C p + b,  then all scaled by sqrt(d)
//
// Anything unusual (a mass matrix with blocks off the diagonal, values that are not finite, a law that cannot move, loads
// at the ends of a double's range) is left to island/load.c: the answer BR_LCP_UNUSUAL says so.
#include "lcp/island/island.h"
#include "lcp/island/mass.h"

#include <float.h>
#include <math.h>
#include <string.h>

// MOST_LOAD2: of |w_free|^2, above which, or below whose reciprocal, island/load.c changes the unit of velocity.
#define MOST_LOAD2 1e200

// ------------------------------------------------------------------------------------------------------ the masses

// Blocks with the bits of the last solve keep their factor.
int br_lcp_island_load_masses(br_lcp_island *s, const br_problem *problem, int *bad_node) {
    for (int i = 0; i < s->nodes; i++) {
        const int n = s->node_dim[i];
        const size_t bytes = (size_t)(n * n) * sizeof(double);
        const double *M = problem->velocity.mass + s->mass_source[i];
        double *own = s->mass + s->mass_offset[i];
        if (s->mass_kind[i] && memcmp(own, M, bytes) == 0) continue;
        memcpy(own, M, bytes);
        s->mass_kind[i] = br_lcp_mass_factor(n, own, s->mass_cholesky + s->cholesky_offset[i]);
        if (s->mass_kind[i]) continue;
        *bad_node = s->global_node[i];
        return 0;
    }
    return 1;
}

// --------------------------------------------------------------------------------------------------------- J's pass

static double trace_of(const br_lcp_island *s, int node, int rows, const double *J) {
    const int n = s->node_dim[node];
    const double *L = s->mass_cholesky + s->cholesky_offset[node];
    double trace = 0.0;
    for (int r = 0; r < rows; r++, J += n) {
        if (s->mass_kind[node] == BR_LCP_MASS_DENSE) {
            trace += br_lcp_mass_norm2_dense(n, L, J, s->scratch);
            continue;
        }
        double sum = 0.0;
        for (int k = 0; k < n; k++) sum += J[k] * J[k] * L[k];
        trace += sum;
    }
    return trace;
}

// Even and odd ones apart, in the two lanes of a register where the compiler has vector types; the sums are the same without.
#if defined(__GNUC__)
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline double triple(const pair *a, const pair *b) {
    const pair sum = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
    return sum[0] + sum[1];
}

static inline double weighted(const pair *a, const pair *b) {
    const pair sum = (a[0] * a[0] * b[0] + a[1] * a[1] * b[1]) + a[2] * a[2] * b[2];
    return sum[0] + sum[1];
}
#else
typedef struct pair {
    double x[2];
} pair;

static inline double triple(const pair *a, const pair *b) {
    double sum[2];
    for (int k = 0; k < 2; k++)
        sum[k] = (a[0].x[k] * b[0].x[k] + a[1].x[k] * b[1].x[k]) + a[2].x[k] * b[2].x[k];
    return sum[0] + sum[1];
}

static inline double weighted(const pair *a, const pair *b) {
    double sum[2];
    for (int k = 0; k < 2; k++)
        sum[k] = (a[0].x[k] * a[0].x[k] * b[0].x[k] + a[1].x[k] * a[1].x[k] * b[1].x[k]) +
                 a[2].x[k] * a[2].x[k] * b[2].x[k];
    return sum[0] + sum[1];
}
#endif

// One contact on one free body with a diagonal mass: w += J v, w_free += J v_free, returns the trace.
static inline double visit_body(const double *restrict J, const double *restrict inverse,
                                const double *restrict v, const double *restrict v_free, double *restrict w,
                                double *restrict w_free) {
    const pair *x = (const pair *)v, *y = (const pair *)v_free, *d = (const pair *)inverse;
    double trace = 0.0;
    for (int r = 0; r < 3; r++, J += 6) {
        const pair *j = (const pair *)J;
        w[r] += triple(j, x);
        w_free[r] += triple(j, y);
        trace += weighted(j, d);
    }
    return trace;
}

// Raw w and w_free of a law, and its trace except for wide nodes, which come together afterwards.
static double visit_law(br_lcp_island *s, const br_law *law, int i, const double *jacobian, double *w,
                        double *w_free) {
    double trace = 0.0;
    const int rows = law->rows;
    for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
        const int node = s->entry_node[e], n = s->node_dim[node], at = s->node_start[node];
        const double *J = jacobian + s->entry_source[e];
        if (n == 6 && rows == 3 && s->mass_kind[node] == BR_LCP_MASS_DIAGONAL) {
            trace += visit_body(J, s->mass_cholesky + s->cholesky_offset[node], s->v + at, s->v_free + at, w,
                                w_free);
            continue;
        }
        for (int r = 0; r < rows; r++) {
            w[r] += br_lcp_dot(n, J + r * n, s->v + at);
            w_free[r] += br_lcp_dot(n, J + r * n, s->v_free + at);
        }
        if (!br_lcp_is_wide(s, node)) trace += trace_of(s, node, rows, J);
    }
    return trace;
}

// v_free, and v for the start's impulses.
static void find_velocities(br_lcp_island *s, const br_problem *problem, const double *p) {
    for (int i = 0; i < s->nodes; i++) {
        const double *f = problem->velocity.momentum + s->global_scalar[s->global_node[i]];
        memcpy(s->v_free + s->node_start[i], f, (size_t)s->node_dim[i] * sizeof *f);
    }
    if (p) {
        memcpy(s->v, s->v_free, (size_t)s->scalars * sizeof *s->v);
        for (int i = 0; i < s->laws; i++) {
            const br_law *law = &problem->law[s->global_law[i]];
            const double *impulse = p + law->first_row;
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
                br_lcp_add_block_jt(law->rows, s->node_dim[s->entry_node[e]],
                                    problem->velocity.jacobian + s->entry_source[e], impulse,
                                    s->v + s->node_start[s->entry_node[e]]);
        }
        for (int i = 0; i < s->nodes; i++) br_lcp_island_solve_node(s, i, s->v + s->node_start[i]);
    }
    for (int i = 0; i < s->nodes; i++) br_lcp_island_solve_node(s, i, s->v_free + s->node_start[i]);
    if (!p) memcpy(s->v, s->v_free, (size_t)s->scalars * sizeof *s->v);
}

// f^T M^-1 f
static double momentum_squared(const br_lcp_island *s, const br_problem *problem) {
    double sum = 0.0;
    for (int i = 0; i < s->nodes; i++)
        sum += br_lcp_dot(s->node_dim[i], problem->velocity.momentum + s->global_scalar[s->global_node[i]],
                          s->v_free + s->node_start[i]);
    return br_lcp_finite_square(sum);
}

static int law_is_plain(const br_law *law) {
    if (law->kind == BR_LAW_BOX)
        return law->lower <= law->upper && law->lower < INFINITY && law->upper > -INFINITY;
    if (law->kind == BR_LAW_JOINT_FRICTION) return 0;
    return !br_lcp_law_is_friction(law->kind) ||
           (law->friction_coefficient >= 0.0 && law->friction_coefficient <= DBL_MAX);
}

// Raw d, w and w_free of every law. 0: something is not as usual.
static int visit_laws(br_lcp_island *s, const br_problem *problem, const double *p, double *d) {
    int plain = 1;
    for (int i = 0; i < s->laws; i++) {
        const br_law *law = &problem->law[s->global_law[i]];
        const int row = s->law[i].row, rows = law->rows;
        const double *from = problem->offset + law->first_row, *start = p ? p + law->first_row : NULL,
                     *soft = problem->compliance ? problem->compliance + law->first_row : NULL;
        double *w = s->w + row, *w_free = s->w_free + row, *offset = s->offset + row,
               *compliance = s->compliance + row;
        for (int r = 0; r < rows; r++) {
            const double b = from[r], C = soft ? soft[r] : 0.0;
            w_free[r] = offset[r] = b;
            w[r] = start ? b + C * start[r] : b;
            compliance[r] = C;
            plain &= C >= 0.0 && C <= DBL_MAX;
        }
        d[i] = visit_law(s, law, i, problem->velocity.jacobian, w, w_free) / law->rows;
        plain &= law_is_plain(law);
    }
    if (s->wide_panel) br_lcp_island_wide_traces(s, problem->velocity.jacobian, d);
    return plain;
}

// ----------------------------------------------------------------------------------------------------------- scales

static void scale_law(br_lcp_island *s, const br_law *source, int i, double d, const double *p) {
    br_lcp_law *law = &s->law[i];
    const double scale = sqrt(d), over = 1.0 / scale, over_d = 1.0 / d;
    law->scale = scale;
    law->mu = source->friction_coefficient;
    law->immovable = 0;
    if (law->kind == BR_LAW_BOX) {
        law->lower = source->lower * scale;
        law->upper = source->upper * scale;
    }
    const double *start = p ? p + source->first_row : NULL;
    double *own = s->p + law->row, *w = s->w + law->row, *w_free = s->w_free + law->row,
           *offset = s->offset + law->row, *compliance = s->compliance + law->row;
    int compliant = 0;
    for (int r = 0; r < law->rows; r++) {
        own[r] = start ? start[r] * scale : 0.0;
        w[r] *= over;
        w_free[r] *= over;
        offset[r] *= over;
        compliance[r] *= over_d;
        compliant |= compliance[r] > 0.0;
    }
    s->compliant |= compliant;
}

br_lcp_probe br_lcp_island_probe(br_lcp_island *s, const br_problem *problem, const double *start) {
    if (s->form != BR_FORM_VELOCITY || s->coupled) return BR_LCP_UNUSUAL;
    s->iterations = s->factorizations = 0;
    s->best_residual = INFINITY;
    s->contradicts = 0;
    s->growth = BR_LCP_MAX_GROWTH;
    s->unit = 1.0;
    s->compliant = s->prepared = s->is_judged = 0;
    double *const d = s->best_p; // free until a method keeps something there
    int bad_node;
    if (!br_lcp_island_load_masses(s, problem, &bad_node)) return BR_LCP_UNUSUAL;
    find_velocities(s, problem, start);
    if (!visit_laws(s, problem, start, d)) return BR_LCP_UNUSUAL;
    double least = DBL_MAX, most = 0.0, load2 = 0.0, moved2 = 0.0, any = 0.0, sum = 0.0;
    for (int i = 0; i < s->laws; i++) {
        least = d[i] < least ? d[i] : least;
        most = d[i] > most ? d[i] : most;
        sum += d[i] * 0.0;
    }
    if (!(sum == 0.0) || !(least > BR_EPS_SCALE * most)) return BR_LCP_UNUSUAL;
    for (int i = 0; i < s->laws; i++) scale_law(s, &problem->law[s->global_law[i]], i, d[i], start);
    for (int r = 0; r < s->rows; r++) {
        load2 += s->w_free[r] * s->w_free[r];
        any += fabs(s->w_free[r]);
        sum += s->w[r] * 0.0;
    }
    for (int r = 0; s->compliant && r < s->rows; r++) { // else it is load2
        const double moved = s->w_free[r] / (1.0 + s->compliance[r]);
        moved2 += moved * moved;
    }
    for (int k = 0; k < s->scalars; k++) sum += s->v_free[k] * 0.0;
    s->momentum2 = momentum_squared(s, problem);
    if (!(sum == 0.0) || !(load2 < MOST_LOAD2) || (load2 < 1.0 / MOST_LOAD2 && any > 0.0))
        return BR_LCP_UNUSUAL;
    s->free_norm = sqrt(load2);
    s->moved2 = s->compliant ? moved2 : load2;
    s->natural = br_lcp_island_natural_size(s);
    return BR_LCP_PROBED;
}

void br_lcp_island_prepare(br_lcp_island *s, const br_problem *problem) {
    if (s->prepared) return;
    s->prepared = 1;
    for (int i = 0; i < s->laws; i++) {
        const double over = 1.0 / s->law[i].scale;
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
            const int size = s->law[i].rows * s->node_dim[s->entry_node[e]];
            const double *restrict from = problem->velocity.jacobian + s->entry_source[e];
            double *restrict to = s->jacobian + s->entry_offset[e];
            for (int k = 0; k < size; k++) to[k] = from[k] * over;
        }
    }
    for (int i = 0; i < s->nodes; i++)
        memcpy(s->momentum + s->node_start[i],
               problem->velocity.momentum + s->global_scalar[s->global_node[i]],
               (size_t)s->node_dim[i] * sizeof *s->momentum);
}
