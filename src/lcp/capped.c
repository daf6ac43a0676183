// A solve that may take no longer than so many steps of Newton, for steps of a simulation that must be done in time
// (solver.max_work). It ends with the best answer found, and the residual says how good that is.
//
// Newton takes one or two steps while nothing changes, and about five where something does; it is given so long as it falls. Where a
// body comes down on points that carry it in many ways it wanders among active sets. There the proximal point method does most
// with little: its first problems are almost uncoupled, each takes two or three steps, and each brings a decade. Cut off anywhere
// it leaves w = delta (p_k - p): bodies that are still a little way from where they are to come to rest (proximal.c).
#include "lcp/capped.h"

#include <string.h>

#define CAPPED_PATIENCE                                                                                      \
    2 // steps in which the residual of Newton must fall to a fifth: what follows gains more by as many
#define CAPPED_SWEEPS 10 // of Gauss and Seidel take about as long as a step of Newton

static int left(const br_lcp_plan *plan) {
    return plan->allowed - plan->island->factorizations;
}

static int is_done(const br_lcp_plan *plan) {
    return plan->island->best_residual <= plan->asked || left(plan) <= 0;
}

static void run_small(br_lcp_plan *plan) {
    br_lcp_options options = plan->options;
    options.max_iterations = left(plan);
    if (plan->is_single) br_lcp_single_run(plan->island, &options);
    if (plan->is_small && !is_done(plan)) {
        options.max_iterations = left(plan);
        br_lcp_small_run(plan->island, &options);
    }
}

static void run_newton(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    br_lcp_options options = plan->options;
    br_lcp_newton method;
    options.max_iterations = left(plan);
    options.patience = CAPPED_PATIENCE;
    br_lcp_newton_init(&method, s, &options);
    while (left(plan) > 0 && br_lcp_newton_iterate(&method) == BR_RUNNING) {}
    if (s->best_residual < method.residual) br_lcp_island_restore_best(s);
}

// Where no factor fits: as many sweeps as their flops make of it.
static void run_sweeps(br_lcp_plan *plan) {
    br_lcp_options options = plan->options;
    options.max_iterations = CAPPED_SWEEPS * plan->allowed;
    if (plan->gauss_seidel) br_lcp_gauss_seidel_run(plan->gauss_seidel, &options);
}

// From the best point so far, until the island has taken what is allowed.
static void run_proximal(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    br_lcp_options options = plan->options;
    options.tol = plan->asked;
    options.max_factorizations = plan->allowed;
    br_lcp_proximal_capped(s, plan->saved, plan->saved + s->rows, &options);
}

br_outcome br_lcp_capped_run(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    if (!s->factor) {
        run_sweeps(plan);
    } else {
        run_small(plan);
        if (!plan->is_small && !is_done(plan)) run_newton(plan);
        if (!is_done(plan)) run_proximal(plan);
    }
    static const char name[] = "capped";
    memcpy(plan->path, name, sizeof name);
    plan->solver = s->factor ? BR_SOLVER_NEWTON : BR_SOLVER_GAUSS_SEIDEL;
    return s->best_residual <= plan->options.tol ? BR_CONVERGED : BR_MAX_ITERATIONS;
}
