// An island's values: loading and scaling them, evaluating w(p), judging an answer.
//
//     v = M^-1 (f + J^T p)        w = J v + C p + b            velocity form
//     w = A p + C p + b                                         matrix form
#include "lcp/contact_kernels.h"
#include "lcp/island.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static void add_jt(const lcp_island *s, int law, const double *p, double *out);

// ------------------------------------------------------------------------------------------------- loading

static int load_node_mass(lcp_island *s, int i) {
    const int n = s->node_dim[i];
    const double *M = s->mass + s->mass_offset[s->diagonal[i]];
    double *L = s->mass_cholesky + s->cholesky_offset[i], off = 0.0;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) off += fabs(M[r * n + c]) + fabs(M[c * n + r]);
    s->mass_is_diagonal[i] = off == 0.0;
    if (off > 0.0) {
        memcpy(L, M, (size_t)(n * n) * sizeof *L);
        return br_cholesky_factor(n, L, n) == 0;
    }
    for (int r = 0; r < n; r++) {
        if (!(M[r * n + r] > 0.0)) return 0;
        L[r] = 1.0 / M[r * n + r];
    }
    return 1;
}

static br_status factor_coupled_mass(lcp_island *s, int *bad_node) {
    br_block_clear(s->mass_factor);
    for (int k = 0; k < s->mass_blocks; k++) {
        const int m = s->node_dim[s->mass_row[k]], n = s->node_dim[s->mass_col[k]];
        const double *block = s->mass + s->mass_offset[k];
        const br_block_ref ref = s->mass_factor_ref[k];
        // only one of M_ij and M_ji is stored: create kept that one, and whether it is the transposed
        const int rs = s->mass_factor_transposed[k] ? ref.col_stride : ref.row_stride;
        const int cs = s->mass_factor_transposed[k] ? ref.row_stride : ref.col_stride;
        for (int r = 0; r < m; r++)
            for (int c = 0; c < n; c++) ref.value[r * rs + c * cs] = block[r * n + c];
    }
    int node = 0;
    const br_status status = br_block_factor(s->mass_factor, BR_BLOCK_SYMMETRIC, 1e-14, &node);
    if (status)
        *bad_node = s->global_node[node];
    else if (br_block_negative_pivots(s->mass_factor) > 0)
        *bad_node = s->global_node[0];
    else
        return BR_OK;
    return BR_NUMERICAL;
}

static br_status load_mass(lcp_island *s, const br_problem *problem, int *bad_node) {
    const double *mass = problem->velocity.mass;
    for (int k = 0; k < s->mass_blocks; k++) {
        const int size = s->node_dim[s->mass_row[k]] * s->node_dim[s->mass_col[k]];
        memcpy(s->mass + s->mass_offset[k], mass + s->mass_source[k], (size_t)size * sizeof *mass);
    }
    for (int i = 0; i < s->nodes; i++) {
        const int n = s->node_dim[i], global = s->global_node[i];
        memcpy(s->momentum + s->node_start[i], problem->velocity.momentum + s->global_scalar[global],
               (size_t)n * sizeof(double));
        if (!load_node_mass(s, i)) {
            *bad_node = global;
            return BR_NUMERICAL;
        }
    }
    return s->coupled ? factor_coupled_mass(s, bad_node) : BR_OK;
}

void lcp_island_solve_node(const lcp_island *s, int i, double *x) {
    const int n = s->node_dim[i];
    const double *L = s->mass_cholesky + s->cholesky_offset[i];
    if (s->mass_is_diagonal[i])
        for (int r = 0; r < n; r++) x[r] *= L[r];
    else
        br_cholesky_solve(n, L, n, x);
}

void lcp_island_solve_mass(const lcp_island *s, double *x) {
    if (s->coupled) {
        br_block_solve(s->mass_factor, x);
        return;
    }
    for (int i = 0; i < s->nodes; i++) lcp_island_solve_node(s, i, x + s->node_start[i]);
}

// trace(J_c M^-1 J_c^T) / rows, from |L^-1 J^T|^2 node by node when M is block diagonal.
static double velocity_scale(lcp_island *s, int law) {
    const int rows = s->law[law].rows;
    double trace = 0.0;
    for (int r = 0; r < rows; r++) {
        if (s->coupled) {
            double unit[BR_MAX_LAW_ROWS] = {0};
            unit[r] = 1.0;
            memset(s->step_v, 0, (size_t)s->scalars * sizeof *s->step_v);
            add_jt(s, law, unit, s->step_v);
            memcpy(s->v, s->step_v, (size_t)s->scalars * sizeof *s->v);
            lcp_island_solve_mass(s, s->v);
            for (int i = 0; i < s->scalars; i++) trace += s->v[i] * s->step_v[i];
            continue;
        }
        for (int e = s->entry_start[law]; e < s->entry_start[law + 1]; e++) {
            const int node = s->entry_node[e], n = s->node_dim[node];
            const double *L = s->mass_cholesky + s->cholesky_offset[node];
            const double *row = s->jacobian + s->entry_offset[e] + r * n;
            double *x = s->scratch;
            if (s->mass_is_diagonal[node]) {
                for (int i = 0; i < n; i++) trace += row[i] * row[i] * L[i];
                continue;
            }
            for (int i = 0; i < n; i++) {
                double sum = row[i];
                for (int j = 0; j < i; j++) sum -= L[i * n + j] * x[j];
                x[i] = sum / L[i * n + i];
                trace += x[i] * x[i];
            }
        }
    }
    return trace / rows;
}

static void load_jacobian(lcp_island *s, const br_problem *problem) {
    for (int i = 0; i < s->laws; i++)
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            memcpy(s->jacobian + s->entry_offset[e], problem->velocity.jacobian + s->entry_source[e],
                   (size_t)(s->law[i].rows * s->node_dim[s->entry_node[e]]) * sizeof(double));
}

static void load_blocks(lcp_island *s, const br_problem *problem) {
    const int last = s->block_start[s->laws] - 1, law = s->laws - 1;
    const int size = s->block_offset[last] + s->law[law].rows * s->law[s->block_law[last]].rows;
    memset(s->block, 0, (size_t)size * sizeof *s->block);
    for (int k = 0; k < s->nonzeros; k++)
        s->block[s->scatter[k]] = problem->matrix.value[s->scatter_source[k]];
}

static double matrix_scale(const lcp_island *s, int law) {
    const double *diagonal = s->block + s->block_offset[s->block_start[law]]; // create put it first
    const int rows = s->law[law].rows;
    double trace = 0.0;
    for (int r = 0; r < rows; r++) trace += fabs(diagonal[r * rows + r]);
    return trace / rows;
}

static double mean_compliance(const lcp_island *s, const br_problem *problem, int i) {
    const br_law *law = &problem->law[s->global_law[i]];
    double sum = 0.0;
    for (int r = 0; problem->compliance && r < law->rows; r++) sum += problem->compliance[law->first_row + r];
    return sum / law->rows;
}

static void load_law(lcp_island *s, const br_problem *problem, int i, double d) {
    const br_law *source = &problem->law[s->global_law[i]];
    lcp_law *law = &s->law[i];
    const double scale = sqrt(d);
    law->scale = scale;
    law->mu = source->friction_coefficient;
    law->lower = source->lower * scale;
    law->upper = source->upper * scale;
    law->sides = source->sides;
    law->half_angle = law->kind == BR_LAW_POLYGON ? acos(-1.0) / source->sides : 0.0;
    law->normal_rows = source->normal_rows;
    law->bounds = source->bounds;
    for (int r = 0; r < law->rows; r++) {
        const int row = source->first_row + r;
        const double b = problem->offset[row];
        s->offset[law->row + r] = b / scale;
        s->compliance[law->row + r] = problem->compliance ? problem->compliance[row] / d : 0.0;
        s->compliant |= s->compliance[law->row + r] > 0.0;
        if (fabs(b) > s->max_q) s->max_q = fabs(b);
    }
}

static void scale_operator(lcp_island *s) {
    for (int i = 0; i < s->laws; i++) {
        const double over = 1.0 / s->law[i].scale;
        if (s->form == BR_FORM_VELOCITY) {
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
                const int size = s->law[i].rows * s->node_dim[s->entry_node[e]];
                for (int k = 0; k < size; k++) s->jacobian[s->entry_offset[e] + k] *= over;
            }
        } else {
            for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
                const lcp_law *other = &s->law[s->block_law[e]];
                const int size = s->law[i].rows * other->rows;
                for (int k = 0; k < size; k++) s->block[s->block_offset[e] + k] *= over / other->scale;
            }
        }
    }
}

br_status lcp_island_load(lcp_island *s, const br_problem *problem, int *bad_node) {
    s->max_q = 0.0;
    s->compliant = 0;
    s->iterations = s->factorizations = 0;
    s->best_residual = INFINITY;
    if (s->form == BR_FORM_VELOCITY) {
        const br_status status = load_mass(s, problem, bad_node);
        if (status) return status;
        load_jacobian(s, problem);
    } else {
        load_blocks(s, problem);
    }
    double largest = 0.0; // d_c waits in R's first row of each law until the floor is known
    for (int i = 0; i < s->laws; i++) {
        const double d = s->form == BR_FORM_VELOCITY ? velocity_scale(s, i) : matrix_scale(s, i);
        s->R[s->law[i].row] = d;
        if (d > largest) largest = d;
    }
    const double least = BR_EPS_SCALE * largest;
    for (int i = 0; i < s->laws; i++) {
        double d = s->R[s->law[i].row];
        if (d <= least)
            d = fmax(least, mean_compliance(s, problem, i)); // nothing here can move: C decides, if anything
        load_law(s, problem, i, d > 0.0 ? d : 1.0);
    }
    scale_operator(s);

    memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
    lcp_island_evaluate(s);
    double sum = 0.0;
    for (int i = 0; i < s->rows; i++) sum += s->w[i] * s->w[i];
    s->free_norm = sqrt(sum);
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------- evaluating

static void add_jt(const lcp_island *s, int law, const double *p, double *out) {
    const int rows = s->law[law].rows;
    if (s->law[law].bodies) {
        for (int e = s->entry_start[law]; e < s->entry_start[law + 1]; e++)
            lcp_add_jt(s->jacobian + s->entry_offset[e], p, out + s->node_start[s->entry_node[e]]);
        return;
    }
    for (int e = s->entry_start[law]; e < s->entry_start[law + 1]; e++) {
        const int node = s->entry_node[e], n = s->node_dim[node];
        const double *J = s->jacobian + s->entry_offset[e];
        double *x = out + s->node_start[node];
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < n; c++) x[c] += J[r * n + c] * p[r];
    }
}

void lcp_island_add_jt(const lcp_island *s, const double *p, double *out) {
    for (int i = 0; i < s->laws; i++) add_jt(s, i, p + s->law[i].row, out);
}

void lcp_island_apply_j(const lcp_island *s, const double *v, double *out) {
    for (int i = 0; i < s->laws; i++) {
        const int rows = s->law[i].rows;
        double *w = out + s->law[i].row;
        for (int r = 0; r < rows; r++) w[r] = 0.0;
        if (s->law[i].bodies) {
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
                lcp_add_j(s->jacobian + s->entry_offset[e], v + s->node_start[s->entry_node[e]], w);
            continue;
        }
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
            const int node = s->entry_node[e], n = s->node_dim[node];
            const double *J = s->jacobian + s->entry_offset[e], *x = v + s->node_start[node];
            for (int r = 0; r < rows; r++) {
                double sum = 0.0;
                for (int c = 0; c < n; c++) sum += J[r * n + c] * x[c];
                w[r] += sum;
            }
        }
    }
}

void lcp_island_apply_a(const lcp_island *s, const double *p, double *out) {
    for (int i = 0; i < s->laws; i++) {
        const int rows = s->law[i].rows;
        double *w = out + s->law[i].row;
        for (int r = 0; r < rows; r++) w[r] = 0.0;
        for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
            const lcp_law *other = &s->law[s->block_law[e]];
            const double *A = s->block + s->block_offset[e], *x = p + other->row;
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < other->rows; c++) w[r] += A[r * other->rows + c] * x[c];
        }
    }
}

static void evaluate(lcp_island *s, int linear) {
    if (s->form == BR_FORM_VELOCITY) {
        if (linear)
            memset(s->v, 0, (size_t)s->scalars * sizeof *s->v);
        else
            memcpy(s->v, s->momentum, (size_t)s->scalars * sizeof *s->v);
        lcp_island_add_jt(s, s->p, s->v);
        lcp_island_solve_mass(s, s->v);
        lcp_island_apply_j(s, s->v, s->w);
    } else {
        lcp_island_apply_a(s, s->p, s->w);
    }
    for (int i = 0; i < s->rows; i++) s->w[i] += s->compliance[i] * s->p[i] + (linear ? 0.0 : s->offset[i]);
}

void lcp_island_evaluate(lcp_island *s) {
    evaluate(s, 0);
}
void lcp_island_evaluate_linear(lcp_island *s) {
    evaluate(s, 1);
}

void lcp_island_follow(lcp_island *s, double alpha) {
    for (int i = 0; i < s->scalars; i++) s->v[i] += alpha * s->step_v[i];
    for (int i = 0; i < s->rows; i++) s->w[i] += alpha * (s->step_w[i] + s->compliance[i] * s->step_p[i]);
}

// ----------------------------------------------------------------------------------------- starts and answers

void lcp_island_start(lcp_island *s, const br_problem *problem, const double *p) {
    if (!p) return;
    for (int i = 0; i < s->laws; i++) {
        const int first = problem->law[s->global_law[i]].first_row;
        for (int r = 0; r < s->law[i].rows; r++) s->p[s->law[i].row + r] = p[first + r] * s->law[i].scale;
    }
    lcp_island_evaluate(s);
}

void lcp_island_unload(const lcp_island *s, const br_problem *problem, double *p, double *w, double *v) {
    for (int i = 0; i < s->laws; i++) {
        const int first = problem->law[s->global_law[i]].first_row;
        for (int r = 0; r < s->law[i].rows; r++) {
            if (p) p[first + r] = s->p[s->law[i].row + r] / s->law[i].scale;
            if (w) w[first + r] = s->w[s->law[i].row + r] * s->law[i].scale;
        }
    }
    if (!v) return;
    for (int i = 0; i < s->nodes; i++)
        memcpy(v + s->global_scalar[s->global_node[i]], s->v + s->node_start[i],
               (size_t)s->node_dim[i] * sizeof *v);
}

void lcp_island_keep_best(lcp_island *s, double residual) {
    if (!(residual < s->best_residual)) return;
    s->best_residual = residual;
    memcpy(s->best_p, s->p, (size_t)s->rows * sizeof *s->p);
}

void lcp_island_restore_best(lcp_island *s) {
    if (!(s->best_residual < INFINITY)) return;
    memcpy(s->p, s->best_p, (size_t)s->rows * sizeof *s->p);
    lcp_island_evaluate(s);
}
