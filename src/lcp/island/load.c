// Loading an island: copying a problem's values and scaling them, whatever they are. island/probe.c does the same for
// the usual case, cheaper.
#include "lcp/island/island.h"

#include <math.h>
#include <string.h>

// BR_LEAST_LOAD: below this, or above its reciprocal, squares of velocities leave the range of a double.
#define BR_LEAST_LOAD 1e-100
#define BR_MAX_EXACT_SCALES 2e7 // rows times velocities up to which d_c of a coupled M is computed exactly

static br_status factor_coupled_mass(br_lcp_island *s, int *bad_node) {
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

static br_status load_mass(br_lcp_island *s, const br_problem *problem, int *bad_node) {
    if (!s->coupled) return br_lcp_island_load_masses(s, problem, bad_node) ? BR_OK : BR_NUMERICAL;
    const double *mass = problem->velocity.mass;
    for (int k = 0; k < s->mass_blocks; k++) {
        const int size = s->node_dim[s->mass_row[k]] * s->node_dim[s->mass_col[k]];
        memcpy(s->mass + s->mass_offset[k], mass + s->mass_source[k], (size_t)size * sizeof *mass);
    }
    for (int i = 0; i < s->nodes; i++) {
        s->mass_kind[i] = br_lcp_mass_factor(s->node_dim[i], s->mass + s->mass_offset[s->diagonal[i]],
                                             s->mass_cholesky + s->cholesky_offset[i]);
        if (s->mass_kind[i]) continue;
        *bad_node = s->global_node[i];
        return BR_NUMERICAL;
    }
    return factor_coupled_mass(s, bad_node);
}

// trace(J_c M^-1 J_c^T) / rows, from |L^-1 J^T|^2 node by node when M is block diagonal.
static double velocity_scale(br_lcp_island *s, int law) {
    const int rows = s->law[law].rows;
    double trace = 0.0;
    for (int r = 0; r < rows; r++) {
        if (s->coupled && (double)s->rows * s->scalars <= BR_MAX_EXACT_SCALES) { // else each node on its own
            double unit[BR_MAX_LAW_ROWS] = {0};
            unit[r] = 1.0;
            memset(s->step_v, 0, (size_t)s->scalars * sizeof *s->step_v);
            br_lcp_island_add_law_jt(s, law, unit, s->step_v);
            memcpy(s->v, s->step_v, (size_t)s->scalars * sizeof *s->v);
            br_lcp_island_solve_mass(s, s->v);
            for (int i = 0; i < s->scalars; i++) trace += s->v[i] * s->step_v[i];
            continue;
        }
        for (int e = s->entry_start[law]; e < s->entry_start[law + 1]; e++) {
            const int node = s->entry_node[e], n = s->node_dim[node];
            const double *L = s->mass_cholesky + s->cholesky_offset[node];
            const double *row = s->jacobian + s->entry_offset[e] + r * n;
            if (s->mass_kind[node] == BR_LCP_MASS_DENSE) {
                trace += br_lcp_mass_norm2_dense(n, L, row, s->scratch);
                continue;
            }
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += row[i] * row[i] * L[i];
            trace += sum;
        }
    }
    return trace / rows;
}

static void load_jacobian(br_lcp_island *s, const br_problem *problem) {
    for (int i = 0; i < s->laws; i++)
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            memcpy(s->jacobian + s->entry_offset[e], problem->velocity.jacobian + s->entry_source[e],
                   (size_t)(s->law[i].rows * s->node_dim[s->entry_node[e]]) * sizeof(double));
}

static void load_blocks(br_lcp_island *s, const br_problem *problem) {
    const int last = s->block_start[s->laws] - 1, law = s->laws - 1;
    const int size = s->block_offset[last] + s->law[law].rows * s->law[s->block_law[last]].rows;
    memset(s->block, 0, (size_t)size * sizeof *s->block);
    for (int k = 0; k < s->nonzeros; k++)
        s->block[s->scatter[k]] = problem->matrix.value[s->scatter_source[k]];
}

static double matrix_scale(const br_lcp_island *s, int law) {
    const double *diagonal = s->block + s->block_offset[s->block_start[law]]; // create put it first
    const int rows = s->law[law].rows;
    double trace = 0.0;
    for (int r = 0; r < rows; r++) trace += fabs(diagonal[r * rows + r]);
    return trace / rows;
}

static double mean_compliance(const br_lcp_island *s, const br_problem *problem, int i) {
    const br_law *law = &problem->law[s->global_law[i]];
    double sum = 0.0;
    for (int r = 0; problem->compliance && r < law->rows; r++) sum += problem->compliance[law->first_row + r];
    return sum / law->rows;
}

static void load_law(br_lcp_island *s, const br_problem *problem, int i, double d) {
    const br_law *source = &problem->law[s->global_law[i]];
    br_lcp_law *law = &s->law[i];
    const double scale = sqrt(d);
    law->scale = scale;
    law->mu = source->friction_coefficient;
    law->lower = source->lower * scale / s->unit;
    law->upper = source->upper * scale / s->unit;
    law->preload_scale = scale / s->unit;
    law->share = 1.0;
    law->bounds = source->bounds;
    for (int r = 0; r < law->rows; r++) {
        const int row = source->first_row + r;
        const double b = problem->offset[row];
        s->offset[law->row + r] = b / scale / s->unit;
        s->compliance[law->row + r] = problem->compliance ? problem->compliance[row] / d : 0.0;
        s->compliant |= s->compliance[law->row + r] > 0.0;
        if (fabs(b) > s->max_q) s->max_q = fabs(b);
    }
}

static void scale_operator(br_lcp_island *s) {
    for (int i = 0; i < s->laws; i++) {
        const double over = 1.0 / s->law[i].scale;
        if (s->form == BR_FORM_VELOCITY) {
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
                const int size = s->law[i].rows * s->node_dim[s->entry_node[e]];
                double *restrict J = s->jacobian + s->entry_offset[e];
                for (int k = 0; k < size; k++) J[k] *= over;
            }
        } else {
            for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
                const br_lcp_law *other = &s->law[s->block_law[e]];
                const int size = s->law[i].rows * other->rows;
                for (int k = 0; k < size; k++) s->block[s->block_offset[e] + k] *= over / other->scale;
            }
        }
    }
}

// The load's, and that of boxes which exclude zero.
static double square_of(double x) {
    return x * x;
}

double br_lcp_island_natural_size(const br_lcp_island *s) {
    double square = s->free_norm * s->free_norm;
    for (int i = 0; i < s->laws; i++) {
        double lower, upper;
        if (s->law[i].kind != BR_LAW_BOX) continue;
        br_lcp_law_bounds(&s->law[i], &lower, &upper);
        const double least = lower > 0.0 ? lower : upper < 0.0 ? upper : 0.0;
        square += s->law[i].rows * least * least;
    }
    return sqrt(square);
}

// d_c of every law: trace(W_cc) / rows, with a floor. Where nothing can move W_cc is 0: C decides then, and without C
// the law is immovable, a fact about b that must not set the scale for its neighbours.
static void find_scales(br_lcp_island *s, const br_problem *problem, double *d) {
    double largest = 0.0;
    for (int i = 0; i < s->laws; i++) {
        d[i] = s->form == BR_FORM_VELOCITY ? velocity_scale(s, i) : matrix_scale(s, i);
        largest = fmax(largest, d[i]);
    }
    for (int i = 0; i < s->laws; i++) {
        const double give = d[i] > 0.0 ? d[i] : mean_compliance(s, problem, i);
        s->law[i].immovable = give == 0.0;
        d[i] = give > 0.0 ? fmax(give, BR_EPS_SCALE * largest) : largest > 0.0 ? largest : 1.0;
    }
}

static void load_values(br_lcp_island *s, const br_problem *problem, const double *d) {
    s->max_q = 0.0;
    s->compliant = 0;
    for (int i = 0; i < s->laws; i++) load_law(s, problem, i, d[i]);
    for (int i = 0; i < s->nodes; i++)
        for (int k = 0; k < s->node_dim[i]; k++)
            s->momentum[s->node_start[i] + k] =
                problem->velocity.momentum[s->global_scalar[s->global_node[i]] + k] / s->unit;
    memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
}

static double largest_entry(int n, const double *x) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

static void load_start(br_lcp_island *s, const br_problem *problem, const double *p) {
    for (int i = 0; i < s->laws; i++) {
        const int first = problem->law[s->global_law[i]].first_row;
        for (int r = 0; r < s->law[i].rows; r++)
            s->p[s->law[i].row + r] = p[first + r] * s->law[i].scale / s->unit;
    }
    br_lcp_island_evaluate(s);
}

br_status br_lcp_island_load(br_lcp_island *s, const br_problem *problem, const double *start,
                             int *bad_node) {
    s->prepared = 1;
    s->iterations = s->factorizations = 0;
    s->best_residual = INFINITY;
    s->contradicts = 0;
    s->growth = BR_LCP_MAX_GROWTH;
    s->unit = 1.0;
    if (s->form == BR_FORM_VELOCITY) {
        const br_status status = load_mass(s, problem, bad_node);
        if (status) return status;
        load_jacobian(s, problem);
    } else {
        load_blocks(s, problem);
    }
    double *const d = s->best_p; // free until a method keeps something there
    find_scales(s, problem, d);
    load_values(s, problem, d);
    scale_operator(s);
    br_lcp_island_evaluate(s);
    // Squares of loads beyond 1e+-100 leave the range of a double: change the unit of velocity. Row problems in matrix
    // form are judged in their own units, without squares.
    const double load = largest_entry(s->rows, s->w);
    if (load > 0.0 && !(load > BR_LEAST_LOAD && load < 1.0 / BR_LEAST_LOAD) && !s->judged_by_rows) {
        s->unit = load;
        load_values(s, problem, d);
        br_lcp_island_evaluate(s);
    }
    double sum = 0.0, moved2 = 0.0;
    for (int i = 0; i < s->laws; i++)
        for (int r = s->law[i].row; r < s->law[i].row + s->law[i].rows && !s->law[i].immovable; r++)
            sum += s->w[r] * s->w[r], moved2 += square_of(s->w[r] / (1.0 + s->compliance[r]));
    s->free_norm = sqrt(sum);
    s->moved2 = moved2;
    s->momentum2 = br_lcp_finite_square(br_lcp_dot(s->scalars, s->momentum, s->v)); // v is that of p = 0
    s->natural = br_lcp_island_natural_size(s);
    if (start) load_start(s, problem, start);
    return BR_OK;
}
