// An island: one independent part of a problem, copied, scaled and ready to be solved.
//
// Scaling is per law, by d_c = trace(W_cc) / rows with W = J M^-1 J^T (or A): impulses times sqrt(d_c), velocities
// over sqrt(d_c), so both are square roots of energy and rho = 1 in every formula. A uniform
// factor within a block leaves every law as it is.
//
// The solvers see an island through four calls: load values, evaluate w(p), take a Newton-like step, and judge.
#ifndef BR_LCP_ISLAND_ISLAND_H
#define BR_LCP_ISLAND_ISLAND_H

#include <float.h>

#include "base/arena.h"
#include "lcp/island/mass.h"
#include "lcp/problem/law.h"
#include "linalg/block_ldu.h"

// BR_EPS_SCALE: d_c never falls below this share of the island's largest, so a contact between two bodies that
// cannot move does not blow up its rows.
#define BR_EPS_SCALE 1e-12
#define BR_LCP_GROUP_ROWS 48 // of one group of laws
// BR_LCP_MAX_GROWTH: |p| over the natural size up to which the residual may be relative to |p|.
#define BR_LCP_MAX_GROWTH 1e3

// What one island adds to the one residual.
typedef struct br_lcp_judgement {
    double defect2;   // sum of squared defects
    double impulse2;  // |p|^2
    double free2;     // |w_free|^2
    double natural2;  // square of the size of impulse that load and bounds ask for
    double momentum2; // f^T M^-1 f: twice the kinetic energy of the motion without impulses
    double row_max;   // matrix form with row laws only: max |z - clip(z - w)|, unscaled ...
    double row_scale; // ... and max |q|
} br_lcp_judgement;

typedef struct br_lcp_island {
    br_form form;
    int index;                // which island, for the trace
    int laws, rows;           // of this island
    int nodes, scalars;       // velocity form; scalars = sum of node dims
    const int *global_law;    // [laws], rising
    const int *global_node;   // [nodes], rising
    const int *global_scalar; // first velocity of each of the problem's nodes in its v
    br_lcp_law *law;          // [laws]
    const int *square;        // [laws + 1], offset of each law's rows x rows block in block arrays
    int all_rows;             // every law is a box of fixed bounds
    int judged_by_rows;       // the whole problem is such, in matrix form: the row residual applies
    int has_joint_friction;

    // velocity form
    const int *node_dim, *node_start; // [nodes], [nodes + 1]
    int coupled;                      // M has blocks off the diagonal
    int mass_blocks;
    const int *mass_row, *mass_col; // [mass_blocks], local nodes
    const int *mass_offset;         // [mass_blocks], into mass; the diagonal block of node i is diagonal[i]
    const int *mass_source;         // [mass_blocks], into the problem's mass
    const int *diagonal;            // [nodes]
    double *mass;                   // dim_i x dim_j each
    br_lcp_mass_kind *mass_kind;    // [nodes]: of mass_cholesky; 0 before the first load
    double *mass_cholesky;          // per node, when not coupled: see mass.h
    const int *cholesky_offset;     // [nodes]
    br_block_ldu *mass_factor;      // when coupled
    br_block_ref *mass_factor_ref;  // [mass_blocks] in mass_factor
    int *mass_factor_transposed;    // [mass_blocks]: the ref is of M_ji
    br_block_ref *mass_ref, *mass_ref_t; // [mass_blocks] in factor: A_ij and A_ji
    const int *entry_start;              // [laws + 1]
    const int *entry_node;
    const int *entry_offset; // into jacobian
    const int *entry_source; // into the problem's jacobian
    double *jacobian;        // scaled, rows x dim each
    // Consecutive laws on the same nodes form a group: their blocks of one node follow each other in jacobian, so that
    // what they add to a block of the factor is one product.
    int groups;
    const int *group_start; // [groups + 1], laws
    const int *group_ref;   // [groups], into entry_ref: k x k refs for a group on k nodes
    br_block_ref *entry_ref;
    double *group_product,
        *group_packed; // G J of a group on its widest node, and an operand packed for the kernels
    double *momentum;  // f
    int prepared;      // jacobian and momentum belong to the problem at hand
    // nodes of many velocities: a panel of rows of J, the packed factor and its diagonal; NULL without such a node
    double *wide_panel, *wide_packed, *wide_inverse;

    // matrix form: A in blocks over laws
    const int *block_start; // [laws + 1]
    const int *block_law;   // column's law
    const int *block_offset;
    double *block; // scaled, rows_i x rows_j each
    br_block_ref *block_ref;
    const int *scatter; // [nonzeros of the island], where each entry of A goes in block
    const int *scatter_source;
    int nonzeros;

    br_block_ldu *factor; // NULL: too large, see br_lcp_island_create

    // values, scaled
    double *offset;     // b
    double *compliance; // C
    int compliant;      // some C is not zero
    double free_norm;   // |w_free|: w at p = 0
    double
        moved2; // its square, but of soft rows only the velocity that their impulse makes: see own_residual
    double momentum2; // f^T M^-1 f, velocity form: its rounding is in every w
    double unit;      // velocities and impulses are in this unit; 1 unless they would leave a double's range
    double natural;   // size of impulse that the load and the bounds ask for, square root of energy
    double growth;    // |p| counts for the residual's scale up to so many times `natural`
    double max_q;     // max |b| before scaling, for the row residual

    // answer and scratch, scaled
    double *v_free, *w_free; // at p = 0; after a probe only
    double *p, *w, *v;       // current iterate; w and v belong to p after br_lcp_island_evaluate
    double *best_p;          // best by residual so far
    double best_residual;
    int contradicts; // rows that all hold contradict each other by rounding: nothing comes nearer than best_residual
    double *step_p, *step_v, *step_w; // last step: dp, dv and W dp (without C)
    double *P, *Q, *R;                // linearized laws: P dp + Q dw = R, see br_lcp_island_step
    double *G, *c;                    // eliminated: dp = c - G J dv
    double *scratch;                  // [max(rows, scalars)]
    int iterations, factorizations;
    br_lcp_judgement judged; // of the last br_lcp_island_residual ...
    double largest;          // |p| of a row, when they were judged
    int is_judged;           // ... and whether p and w are still the same
} br_lcp_island;

// Where the parts of a problem ended up, shared by all of its islands.
typedef struct br_lcp_numbering {
    const int *node;            // [nodes] number inside its island
    const int *node_scalar;     // [nodes] first velocity in the problem's v
    const int *law;             // [laws] number inside its island
    const int *law_of_row;      // [rows], matrix form
    const int *mass_offset;     // [mass blocks] into the problem's mass
    const int *jacobian_offset; // [jacobian blocks] into the problem's jacobian
} br_lcp_numbering;

// Builds the island of the given laws (and nodes, velocity form), both rising; everything comes from the arena and
// the lists are kept. scratch is reset and used. Velocity form: where the factor would take more than most_bytes there is none,
// and steps end as singular ones do.
br_status br_lcp_island_create(br_arena *arena, br_arena *scratch, const br_problem *problem,
                               const br_lcp_numbering *numbering, int index, int laws, const int *law_list,
                               int nodes, const int *node_list, size_t most_bytes, br_lcp_island **out,
                               br_error *error);

// Loading the values of a problem and a start (p, or NULL for zero), so that p, w, v and the residual are those of the
// start. Probing does it where nothing is unusual; else load does, for values that br_lcp_problem_check_values has
// passed: BR_NUMERICAL when M is not positive definite, *bad_node names the node.
typedef enum br_lcp_probe { BR_LCP_PROBED, BR_LCP_UNUSUAL } br_lcp_probe;
br_lcp_probe br_lcp_island_probe(br_lcp_island *island, const br_problem *problem, const double *start);
br_status br_lcp_island_load(br_lcp_island *island, const br_problem *problem, const double *start,
                             int *bad_node);
// After a probe and before any method: the scaled Jacobian. Does nothing after a load.
void br_lcp_island_prepare(br_lcp_island *island, const br_problem *problem);

// Pieces of them. Masses: 0 when one is not positive definite. Traces: d += trace(J M^-1 J^T) / rows of the nodes with
// many velocities, all rows of one node together.
int br_lcp_island_load_masses(br_lcp_island *island, const br_problem *problem, int *bad_node);
double br_lcp_island_natural_size(const br_lcp_island *island);
void br_lcp_island_wide_traces(br_lcp_island *island, const double *jacobian, double *d);

#define BR_LCP_WIDE 12       // velocities from which a node counts as wide
#define BR_LCP_PANEL_ROWS 32 // rows of J that its panel holds
static inline int br_lcp_is_wide(const br_lcp_island *s, int node) {
    return s->node_dim[node] >= BR_LCP_WIDE && s->mass_kind[node] == BR_LCP_MASS_DENSE;
}

// v := M^-1 (f + J^T p), w := J v + C p + b for the island's own p (scaled).
void br_lcp_island_evaluate(br_lcp_island *island);
// After p moved by alpha step_p: v and w by their own steps, cheaper than evaluate and good until it is called again.
void br_lcp_island_follow(br_lcp_island *island, double alpha);
// The linear part alone: w := (W + C) p; v is overwritten.
void br_lcp_island_evaluate_linear(br_lcp_island *island);

// The residual of the current p, w; call after evaluate.
br_lcp_judgement br_lcp_island_judge(const br_lcp_island *island);
br_lcp_judgement br_lcp_island_judgement(br_lcp_island *island); // the same, remembered where nothing changed
// Of this island alone, as methods use it: the same, but for a loose tolerance |p| counts less in its scale. Impulses that
// run away along directions that move nothing would make the relative residual small without being an answer.
double br_lcp_island_residual(br_lcp_island *island);
// The same with |p| counted further: what rounding of p leaves is rest. Of rows in matrix form, beside those that carry a force.
double br_lcp_island_unrest(br_lcp_island *island);
void br_lcp_island_cap_scale(
    br_lcp_island *island,
    double tol); // so that a defect above 1e-5 of `natural` (10 tol, if more) never passes
br_lcp_judgement br_lcp_judgement_add(br_lcp_judgement a, br_lcp_judgement b);
double br_lcp_judgement_residual(br_lcp_judgement total, int rows_in_matrix_form);
double br_lcp_judgement_of_load(br_lcp_judgement total, int rows_in_matrix_form); // |p| does not count

// Keeps p as the best if its residual is lower than the best so far.
void br_lcp_island_keep_best(br_lcp_island *island, double residual);
void br_lcp_island_restore_best(br_lcp_island *island); // p := best_p, evaluated

// Solves P dp + Q (W dp) = R for dp in step_p, block by block laws (W without C: fold C into P). In velocity form
// dp = c - G J dv with G = P^-1 Q, c = P^-1 R, (M + J^T G J) dv = J^T c, and step_v = dv.
// factor_again 0 reuses the last factorization and P, Q with a new R. BR_NUMERICAL when singular.
br_status br_lcp_island_step(br_lcp_island *island, int factor_again);

// Impulses of contacts that are outside of their cone, polygons of the cone around them and boxes of themselves, by what the
// tolerance allows, go onto it; v and w follow. The defect is then in the velocities. 1: some were.
int br_lcp_island_into_cones(br_lcp_island *island, const br_problem *problem);

// p, w, v (each may be NULL) of the island into the problem's arrays.
void br_lcp_island_unload(const br_lcp_island *island, const br_problem *problem, double *p, double *w,
                          double *v);

void br_lcp_island_solve_mass(const br_lcp_island *island, double *x); // x := M^-1 x
void br_lcp_island_solve_node(const br_lcp_island *island, int node,
                              double *x); // x := M_ii^-1 x, M not coupled
void br_lcp_island_add_law_jt(const br_lcp_island *island, int law, const double *p,
                              double *out); // of one law
#if defined(__GNUC__)
typedef double br_lcp_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline double br_lcp_dot(int n, const double *a,
                                const double *b) { // four sums, so that none waits for the last
    br_lcp_pair low = {0.0, 0.0}, high = {0.0, 0.0};
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        low += *(const br_lcp_pair *)(a + k) * *(const br_lcp_pair *)(b + k);
        high += *(const br_lcp_pair *)(a + k + 2) * *(const br_lcp_pair *)(b + k + 2);
    }
    for (; k < n; k++) low[0] += a[k] * b[k];
    return (low[0] + low[1]) + (high[0] + high[1]);
}
#else
static inline double br_lcp_dot(int n, const double *a, const double *b) { // the same sums
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < n; k++) s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}
#endif

// A sum of squares as a scale: rounding may leave it below 0, and one that overflowed must not make all else vanish.
static inline double br_lcp_finite_square(double sum) {
    return !(sum > 0.0) ? 0.0 : sum < DBL_MAX ? sum : DBL_MAX;
}

// x += J^T p for one rows x n block.
static inline void br_lcp_add_block_jt(int rows, int n, const double *restrict J, const double *restrict p,
                                       double *restrict x) {
    if (rows == 3 && n == 6) { // a contact of a free body
        for (int c = 0; c < 6; c++) x[c] += J[c] * p[0] + J[6 + c] * p[1] + J[12 + c] * p[2];
        return;
    }
    if (rows == 3) {
        for (int c = 0; c < n; c++) x[c] += J[c] * p[0] + J[n + c] * p[1] + J[2 * n + c] * p[2];
        return;
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < n; c++) x[c] += J[r * n + c] * p[r];
}

// Pieces of evaluate: out += J^T p, out := J v, out := A p.
void br_lcp_island_add_jt(const br_lcp_island *island, const double *p, double *out);
void br_lcp_island_apply_j(const br_lcp_island *island, const double *v, double *out);
void br_lcp_island_apply_a(const br_lcp_island *island, const double *p, double *out);

#endif
