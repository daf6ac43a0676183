// Going on to the load's own scale, see finish.h.
//
// Methods end where the defect is small beside |p|, which may be many times the load: levers, heavy on light, or impulses that
// press from two sides and move nothing. From there Newton goes on. Impulses of the last kind hide the load's digits
// behind their own, eps |p|, so they are reduced first: of
//
//     law(p, w(p) + delta p)          delta = 1e-6 of W's diagonal
//
// the answer is within delta |p| of the problem's, and of all such answers nearly the least: along directions that move
// nothing, W p = 0, only delta p holds p. The laws see to it that p stays in its cones, and Newton goes on from there to the
// problem itself.
#include "lcp/finish.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FINISH_STEPS 8
#define FINISH_DELTA 1e-13
#define FINISH_SHARE 0.5 // of the tolerance that the load needs, since impulses move meanwhile
#define FINISH_PROXIMAL_STEPS 100
#define FINISH_FLOPS 1e10 // of factorizations of proximal steps
#define FINISH_SWEEPS 5000
#define SHRINK_DELTA 1e-6
#define SHRINK_FROM 10.0 // |p| over the natural size from which impulses may be reduced, ...
#define SHRINK_TO 0.5    // ... kept where they fall to this share

static double of_load(br_lcp_island *s) {
    return br_lcp_judgement_of_load(br_lcp_island_judgement(s), s->judged_by_rows);
}

static double beside_impulses(br_lcp_island *s) {
    return br_lcp_judgement_residual(br_lcp_island_judgement(s), s->judged_by_rows);
}

static br_lcp_options finish_options(const br_lcp_plan *plan, int steps) {
    br_lcp_options options = plan->options;
    if (options.max_iterations == 0 || options.max_iterations > steps) options.max_iterations = steps;
    options.enough = 0.0;
    options.hasty = 0;
    return options;
}

// With Newton's own delta, and with one that stiff directions (light under heavy) do not feel, where W is regular enough.
static int finish_newton(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    br_lcp_options options = finish_options(plan, FINISH_STEPS);
    const int before = s->iterations;
    if (br_lcp_newton_run(s, &options) != BR_CONVERGED) {
        options.delta = FINISH_DELTA;
        br_lcp_newton_run(s, &options);
    }
    br_lcp_plan_note(plan, "newton", BR_SOLVER_NEWTON, s->iterations - before);
    return of_load(s) <= options.tol;
}

static int finish_by_sweeps(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    const br_lcp_options options = finish_options(plan, FINISH_SWEEPS);
    const int before = s->iterations;
    if (plan->accelerated && plan->kind != BR_SOLVER_GAUSS_SEIDEL)
        br_lcp_accelerated_run(plan->accelerated, &options, 0.0);
    else
        br_lcp_gauss_seidel_run(plan->gauss_seidel, &options);
    const br_solver_kind kind = plan->accelerated && plan->kind != BR_SOLVER_GAUSS_SEIDEL
                                    ? BR_SOLVER_ACCELERATED
                                    : BR_SOLVER_GAUSS_SEIDEL;
    br_lcp_plan_note(plan, br_solver_name(kind), kind, s->iterations - before);
    return of_load(s) <= options.tol;
}

// p := the least answer nearby. 0: nothing was gained, p is as it was.
static int shrink(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    const size_t bytes = (size_t)s->rows * sizeof *s->p;
    const br_lcp_options options = finish_options(plan, FINISH_STEPS);
    const double best = s->best_residual, large2 = br_lcp_island_judgement(s).impulse2;
    const int before = s->iterations;
    br_lcp_newton newton;
    memcpy(plan->saved, s->p, bytes);
    memcpy(plan->saved + s->rows, s->compliance, bytes);
    for (int i = 0; i < s->rows; i++) s->compliance[i] += SHRINK_DELTA;
    s->best_residual = 0.0; // those in there are another problem's
    br_lcp_island_evaluate(s);
    br_lcp_newton_init(&newton, s, &options);
    while (br_lcp_newton_iterate(&newton) == BR_RUNNING) {}
    memcpy(s->compliance, plan->saved + s->rows, bytes);
    s->best_residual = best;
    br_lcp_island_evaluate(s);
    br_lcp_plan_note(plan, "least", BR_SOLVER_NEWTON, s->iterations - before);
    if (br_lcp_island_judgement(s).impulse2 <= SHRINK_TO * SHRINK_TO * large2) return 1;
    memcpy(s->p, plan->saved, bytes);
    br_lcp_island_evaluate(s);
    return 0;
}

static int runs_away(br_lcp_island *s) {
    const br_lcp_judgement judged = br_lcp_island_judgement(s);
    return judged.impulse2 > SHRINK_FROM * SHRINK_FROM * judged.natural2;
}

// Interior points lead where Newton alone does not: with the tolerance that the load needs beside these impulses.
static int finish_anew(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    br_lcp_island_restore_best(s);
    const double tol = plan->options.tol * beside_impulses(s) / of_load(s);
    if (!(tol > DBL_EPSILON)) return 0;
    br_lcp_plan_go_on(plan, fmax(FINISH_SHARE * tol, DBL_EPSILON));
    br_lcp_island_restore_best(s);
    return of_load(s) <= plan->options.tol;
}

static void finish_exactly(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    if (finish_newton(plan)) return;
    if (runs_away(s) && shrink(plan)) {
        s->best_residual =
            fmax(s->best_residual, br_lcp_island_residual(s)); // a start that is further off, but leads on
        if (finish_newton(plan)) return;
    }
    if (finish_anew(plan)) return;
    const br_lcp_options options = finish_options(plan, FINISH_PROXIMAL_STEPS);
    const int before = s->iterations;
    br_lcp_options few = options;
    few.max_factorizations =
        s->factorizations + 4 +
        (int)fmin(4.0 * FINISH_PROXIMAL_STEPS, FINISH_FLOPS / br_block_factor_flops(s->factor));
    br_lcp_proximal_run(s, plan->saved, plan->saved + s->rows, &few);
    br_lcp_plan_note(plan, "proximal", BR_SOLVER_NEWTON, s->iterations - before);
}

int br_lcp_plan_finish(br_lcp_plan *plan, const br_problem *problem) {
    br_lcp_island *s = plan->island;
    if (s->judged_by_rows || plan->outcome == BR_INFEASIBLE || of_load(s) <= plan->options.tol) return 0;
    const double beside = beside_impulses(s);
    double *const came = plan->saved + 3 * (size_t)s->rows;
    const size_t bytes = (size_t)s->rows * sizeof *s->p;
    br_lcp_island_prepare(s, problem);
    memcpy(came, s->p, bytes);
    s->growth = 1.0;
    s->best_residual = INFINITY;
    br_lcp_island_evaluate(s);
    br_lcp_island_keep_best(s, br_lcp_island_residual(s));
    const int by_sweeps = plan->kind == BR_SOLVER_GAUSS_SEIDEL || plan->kind == BR_SOLVER_ACCELERATED;
    int done = 0;
    if (plan->accelerated || by_sweeps || (!s->factor && plan->gauss_seidel)) done = finish_by_sweeps(plan);
    if (!done && !by_sweeps && s->factor) finish_exactly(plan);
    br_lcp_island_restore_best(s);
    if (beside_impulses(s) <= fmax(plan->asked, beside)) return 1;
    memcpy(s->p, came, bytes); // no nearer, and beside impulses that were reduced it is further off
    br_lcp_island_evaluate(s);
    return 0;
}

// ------------------------------------------------------------------------------------------------------- rounding

// |J_c M^-1 J_c^T| of one node's part of a law: how much of an impulse's size its velocity is.
static double entry_norm(br_lcp_island *s, int law, int entry) {
    const int node = s->entry_node[entry], n = s->node_dim[node], rows = s->law[law].rows;
    const double *J = s->jacobian + s->entry_offset[entry], *M = s->mass + s->mass_offset[s->diagonal[node]];
    double sum = 0.0;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < n; k++) sum += J[r * n + k] * J[r * n + k] / M[k * (n + 1)];
    return sqrt(sum);
}

static double law_size(const br_lcp_island *s, int law) {
    double sum = 0.0;
    for (int r = 0; r < s->law[law].rows; r++) sum += s->p[s->law[law].row + r] * s->p[s->law[law].row + r];
    return sqrt(sum);
}

// Node by node: what the law's impulses and the node's own momentum add up to, whatever cancels.
static double rounding2_velocity(br_lcp_island *s) {
    double *const size = s->scratch, sum = 0.0;
    for (int i = 0; i < s->nodes; i++) {
        const int n = s->node_dim[i];
        const double *f = s->momentum + s->node_start[i], *M = s->mass + s->mass_offset[s->diagonal[i]];
        double own = 0.0;
        for (int k = 0; k < n; k++) own += f[k] * f[k] / M[k * (n + 1)];
        size[i] = sqrt(own);
    }
    for (int i = 0; i < s->laws; i++)
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            size[s->entry_node[e]] += entry_norm(s, i, e) * law_size(s, i);
    for (int i = 0; i < s->laws; i++) {
        double w = law_size(s, i); // p itself is rounded, and the laws are judged by p - w
        for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++)
            w += entry_norm(s, i, e) * size[s->entry_node[e]];
        sum += w * w;
    }
    return sum;
}

static double rounding2_matrix(const br_lcp_island *s) {
    double sum = 0.0;
    for (int i = 0; i < s->laws; i++) {
        const int rows = s->law[i].rows;
        for (int r = 0; r < rows; r++) {
            double w = fabs(s->offset[s->law[i].row + r]) + fabs(s->p[s->law[i].row + r]);
            for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
                const br_lcp_law *other = &s->law[s->block_law[e]];
                const double *A = s->block + s->block_offset[e], *p = s->p + other->row;
                for (int c = 0; c < other->rows; c++) w += fabs(A[r * other->rows + c] * p[c]);
            }
            sum += w * w;
        }
    }
    return sum;
}

double br_lcp_island_rounding2(br_lcp_island *s) {
    const double sum = s->form == BR_FORM_VELOCITY ? rounding2_velocity(s) : rounding2_matrix(s);
    double soft = 0.0;
    for (int i = 0; i < s->rows; i++) soft += s->compliance[i] * s->p[i] * s->compliance[i] * s->p[i];
    return DBL_EPSILON * DBL_EPSILON * (sum + soft);
}
