// Choosing a method for an island, see choose.h.
#include "lcp/choose.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALL_LAWS 16
#define SMALL_NODES 4
#define WARM_NEWTON_STEPS 8
#define NEWTON_STEPS 40
#define INTERIOR_STEPS 80

void lcp_trace(const lcp_options *options, const lcp_island *island, br_solver_kind solver, int iteration,
               double residual, double step, double measure) {
    if (!options->trace) return;
    const br_trace line = {solver, island->index, iteration, residual, step, measure};
    options->trace(options->trace_context, &line);
}

static void note(lcp_plan *plan, br_solver_kind kind, int count) {
    const size_t used = strlen(plan->path);
    snprintf(plan->path + used, sizeof plan->path - used, "%s%s:%d", used ? ">" : "", br_solver_name(kind), count);
    plan->solver = kind;
}

static br_outcome newton(lcp_plan *plan, int steps) {
    lcp_options options = plan->options;
    if (options.max_iterations == 0) options.max_iterations = steps;
    const int before = plan->island->iterations;
    const br_outcome outcome = lcp_newton_run(plan->island, &options);
    note(plan, BR_SOLVER_NEWTON, plan->island->iterations - before);
    return outcome;
}

// Interior point, handing over to Newton at 1e-5 and, where that fails, going on to smaller targets.
static br_outcome interior(lcp_plan *plan, lcp_interior_style style) {
    lcp_island *s = plan->island;
    lcp_options options = plan->options;
    if (options.max_iterations == 0) options.max_iterations = INTERIOR_STEPS;
    const double handover[] = {1e-5, 1e-6, 1e-7};
    lcp_interior method;
    lcp_interior_init(&method, s, plan->barrier, style, &options);
    br_outcome outcome = BR_STALLED;
    for (int k = 0; k < 3; k++) {
        options.tol = fmax(handover[k], plan->options.tol);
        const int before = method.iteration;
        while (lcp_interior_iterate(&method) == BR_RUNNING) {}
        note(plan, BR_SOLVER_INTERIOR, method.iteration - before);
        const int stopped = method.outcome != BR_CONVERGED;
        if (!stopped && method.residual <= plan->options.tol) return BR_CONVERGED;
        memcpy(plan->saved, s->p, (size_t)s->rows * sizeof *s->p);
        outcome = newton(plan, NEWTON_STEPS);
        if (outcome == BR_CONVERGED || stopped) return outcome;
        memcpy(s->p, plan->saved, (size_t)s->rows * sizeof *s->p);
        lcp_island_evaluate(s);
    }
    return outcome;
}

static br_outcome contact(lcp_plan *plan, int warm) {
    lcp_island *s = plan->island;
    const int small = s->laws <= SMALL_LAWS && s->nodes <= SMALL_NODES;
    if (warm || small) {
        const br_outcome outcome = newton(plan, WARM_NEWTON_STEPS);
        if (outcome == BR_CONVERGED) return outcome;
    }
    static const lcp_interior_style styles[] = {
        {1e-4, 1.0, 0.95}, {1.0, 3.0, 0.95}, {1e-2, 0.3, 0.9}, {0.1, 1.0, 0.8}, {1e-3, 10.0, 0.9}};
    br_outcome outcome = BR_STALLED;
    for (size_t k = 0; k < sizeof styles / sizeof *styles; k++) {
        outcome = interior(plan, styles[k]);
        if (outcome == BR_CONVERGED) return outcome;
    }
    lcp_island_restore_best(s);
    return BR_STALLED;
}

void lcp_plan_solve(lcp_plan *plan, int warm) {
    lcp_island *s = plan->island;
    plan->path[0] = '\0';
    plan->solver = BR_SOLVER_NEWTON;
    plan->proof = BR_PROOF_NONE;
    plan->certificate = NULL;
    lcp_island_evaluate(s);
    if (lcp_island_residual(s) <= plan->options.tol) {
        plan->outcome = BR_CONVERGED;
        note(plan, BR_SOLVER_NEWTON, 0);
        return;
    }
    plan->outcome = contact(plan, warm);
    if (plan->outcome != BR_CONVERGED) lcp_island_restore_best(s);
}

br_status lcp_plan_create(br_arena *arena, const br_problem *problem, lcp_island *island, const br_solver_def *def,
                          lcp_plan *plan, br_error *error) {
    *plan = (lcp_plan){.island = island, .kind = def->kind};
    plan->options = (lcp_options){def->tol, def->max_iterations, def->trace, def->trace_context};
    plan->barrier = lcp_barrier_create(arena, island, problem);
    plan->saved = BR_TAKE(arena, double, island->rows);
    if (!plan->barrier || !plan->saved)
        return br_fail(error, BR_NO_MEMORY, "out-of-memory", "out of memory while setting up a problem of %d rows",
                       problem->rows);
    return BR_OK;
}
