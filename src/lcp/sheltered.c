// Proximal steps by the interior point, see sheltered.h.
//
//     law(p, w(p) + delta (p - p_k))           -> p_{k+1}
//
// Coulomb's law is not monotone, and the interior point's path to the problem itself often turns back (decision 1). With a compliance of
// delta it does so much later: it solves these problems from nothing, in some thirty factorizations, for a delta ten to a hundred times
// smaller than Newton can from p_k. From each p_{k+1} Newton is tried on the problem itself. A problem that is not solved gives
// the next centre too: the best points so far are where the other methods stand still, and another place is worth more than a small residual.
#include "lcp/sheltered.h"

#include <math.h>
#include <string.h>

#define SHELTERED_DELTA 1e-2 // of the first problem
#define SHELTERED_FALL 0.3   // delta after a problem that was solved ...
#define SHELTERED_RISE 3.0   // ... and after one that was not
#define SHELTERED_PROBLEMS 12
#define SHELTERED_INTERIOR_STEPS 80
#define SHELTERED_NEWTON_STEPS 30
#define SHELTERED_PATIENCE 8
#define SHELTERED_HANDOVER 1e-9 // residual of a shifted problem at which Newton takes over, ...
#define SHELTERED_INNER_TOL 1e-10
#define SHELTERED_TRY_STEPS 8 // ... and steps that it has on the problem itself

static const br_lcp_interior_style sheltered_style = {1e-4, 1.0, 0.95};

// Residual of the shifted problem that is loaded, from nothing; the best point is the island's p.
static double solve_loaded(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    br_lcp_options options = plan->options;
    br_lcp_interior method;
    options.max_iterations = SHELTERED_INTERIOR_STEPS;
    options.tol = SHELTERED_HANDOVER;
    s->best_residual = INFINITY;
    br_lcp_island_evaluate(s);
    br_lcp_interior_init(&method, s, plan->barrier, sheltered_style, &options);
    while (br_lcp_interior_iterate(&method) == BR_RUNNING) {}
    br_lcp_island_restore_best(s);
    options.max_iterations = SHELTERED_NEWTON_STEPS;
    options.patience = SHELTERED_PATIENCE;
    options.tol = SHELTERED_INNER_TOL;
    br_lcp_newton_run(s, &options);
    br_lcp_island_restore_best(s);
    return s->best_residual;
}

// 1: solved. The problem itself is put back bit by bit; p is the shifted problem's, and kept if it is the best.
static int solve_about_p(br_lcp_plan *plan, double delta) {
    br_lcp_island *s = plan->island;
    double *const values = plan->saved + s->rows, *const best_p = plan->saved;
    const size_t bytes = (size_t)s->rows * sizeof *s->p;
    const double best = s->best_residual; // those in there are another problem's
    const int compliant = s->compliant;
    memcpy(best_p, s->best_p, bytes);
    memcpy(values, s->offset, bytes);
    memcpy(values + s->rows, s->compliance, bytes);
    for (int i = 0; i < s->rows; i++) {
        s->compliance[i] += delta;
        s->offset[i] -= delta * s->p[i];
    }
    s->compliant = 1;
    const int solved = solve_loaded(plan) <= SHELTERED_HANDOVER;
    s->compliant = compliant;
    memcpy(s->offset, values, bytes);
    memcpy(s->compliance, values + s->rows, bytes);
    memcpy(s->best_p, best_p, bytes);
    s->best_residual = best;
    br_lcp_island_evaluate(s);
    br_lcp_island_keep_best(s, br_lcp_island_residual(s));
    return solved;
}

// Newton on the problem itself; p is put back where that does not end.
static br_outcome try_newton(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    br_lcp_options options = plan->options;
    options.max_iterations = SHELTERED_TRY_STEPS;
    memcpy(plan->saved, s->p, (size_t)s->rows * sizeof *s->p);
    if (br_lcp_newton_run(s, &options) == BR_CONVERGED) return BR_CONVERGED;
    memcpy(s->p, plan->saved, (size_t)s->rows * sizeof *s->p);
    br_lcp_island_evaluate(s);
    return BR_STALLED;
}

br_outcome br_lcp_sheltered_run(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    double delta = SHELTERED_DELTA;
    br_lcp_island_restore_best(s);
    for (int k = 0; k < SHELTERED_PROBLEMS; k++) {
        const int solved = solve_about_p(plan, delta);
        if (s->best_residual <= plan->options.tol || (solved && try_newton(plan) == BR_CONVERGED))
            return BR_CONVERGED;
        delta *= solved ? SHELTERED_FALL : SHELTERED_RISE;
    }
    br_lcp_island_restore_best(s);
    return BR_STALLED;
}
