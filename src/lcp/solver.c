// The public solver: splits a problem into islands, solves each by its plan, puts the answers together and judges
// them by the one residual. Islands are independent, so threads cannot change a bit of the result.
#include "base/error.h"
#include "base/finite.h"
#include "base/threads.h"
#include "lcp/call.h"
#include "lcp/choose.h"
#include "lcp/finish.h"
#include "lcp/problem/partition.h"
#include "lcp/problem/pattern.h"
#include "lcp/problem/problem.h"
#include "lcp/solver.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Islands are solved a little tighter than asked: the whole residual mixes their scales, and another judge may round
// another way.
#define ISLAND_TOL_SHARE 0.5
#define RESERVE_ALIGN 64   // bytes
#define RESERVE_HEADER 256 // bytes: what an arena adds to its only chunk
// A factor that takes more than this is left out, unless a method that cannot do without is asked for by name: a pile of 20,000 spheres and
// more, where a single factorization takes as long as first-order methods for the answer.
#define MOST_FACTOR_BYTES ((size_t)3 << 28)
#define ROUNDING_MOST 4.0   // defects of so many times what rounding leaves are rounding
#define ROUNDING_LOAD 1e-12 // an island's load, relative to the whole problem's, that is only rounding

struct br_solver {
    br_solver_def def;
    br_allocator allocator;
    br_arena arena, scratch; // what setup keeps, what it needs meanwhile
    br_lcp_reserve *reserve; // [threads], in one piece with their memory
    size_t reserve_bytes;    // of each
    int ready;               // set up
    br_lcp_pattern pattern;
    int pattern_id; // as the problem gave it at setup
    int islands;
    br_lcp_plan *plan;   // [islands]
    double *certificate; // [rows]
    int largest;         // island with the most rows
    int row_problem;     // matrix form, row laws only
    int allowed;         // br_solver_allow
};

br_solver_def br_default_solver_def(void) {
    return (br_solver_def){.kind = BR_SOLVER_AUTO, .tol = 1e-8, .threads = 1};
}

br_status br_solver_create(const br_solver_def *def, br_solver **out, br_error *error) {
    if (!def) return br_lcp_call_missing("br_solver_create", "def", error);
    if (!out) return br_lcp_call_missing("br_solver_create", "out", error);
    if ((unsigned)def->kind >= BR_SOLVER_KINDS)
        return br_fail(error, BR_INVALID, "solver-kind", "solver kind %d does not exist", (int)def->kind);
    if (!(def->tol > 0.0) || !isfinite(def->tol))
        return br_fail(error, BR_INVALID, "solver-tol", "tolerance is %g, expected a finite number > 0",
                       def->tol);
    if (!(def->tol_enough >= 0.0) || !isfinite(def->tol_enough))
        return br_fail(error, BR_INVALID, "solver-tol", "tol_enough is %g, expected a finite number >= 0",
                       def->tol_enough);
    if (def->max_iterations < 0 || def->threads < 1 || def->threads > BR_MAX_THREADS)
        return br_fail(error, BR_INVALID, "solver-options",
                       "max_iterations %d and threads %d, expected >= 0 and 1 to %d", def->max_iterations,
                       def->threads, BR_MAX_THREADS);
    if (!(def->lemke_shift >= 0.0) || !isfinite(def->lemke_shift))
        return br_fail(error, BR_INVALID, "solver-options",
                       "lemke_shift is %g, expected a finite number >= 0", def->lemke_shift);
    if (!(def->lemke_scale >= 0.0) || !isfinite(def->lemke_scale))
        return br_fail(error, BR_INVALID, "solver-options",
                       "lemke_scale is %g, expected a finite number >= 0", def->lemke_scale);
    br_arena arena;
    br_arena_init(&arena, def->allocator);
    br_solver *solver = arena.allocator.allocate(arena.allocator.context, sizeof *solver);
    if (!solver) return br_no_memory(error, "out of memory while creating a solver");
    *solver = (br_solver){.def = *def, .allocator = arena.allocator, .arena = arena, .scratch = arena};
    solver->def.allocator = NULL; // copied above
    *out = solver;
    return BR_OK;
}

static void release_reserve(br_solver *solver) {
    for (int t = 0; solver->reserve && t < solver->def.threads; t++) br_arena_free(&solver->reserve[t].arena);
    solver->allocator.release(solver->allocator.context, solver->reserve);
    solver->reserve = NULL;
    solver->reserve_bytes = 0;
}

void br_solver_allow(br_solver *solver, int factorizations) {
    solver->allowed = factorizations;
}

void br_solver_destroy(br_solver *solver) {
    if (!solver) return;
    release_reserve(solver);
    br_arena_free(&solver->scratch);
    br_arena_free(&solver->arena);
    solver->allocator.release(solver->allocator.context, solver);
}

// --------------------------------------------------------------------------------------------------------- setup

// Room for the largest dense fallback of any island, for each thread. Never touched unless it is needed.
static int grow_reserve(br_solver *solver) {
    const size_t threads = (size_t)solver->def.threads;
    size_t bytes = 0;
    for (int k = 0; k < solver->islands; k++)
        if (solver->plan[k].flat_bytes > bytes) bytes = solver->plan[k].flat_bytes;
    if (bytes == 0 || bytes <= solver->reserve_bytes) {
        if (solver->reserve) return 1;
        bytes = 0;
    } else {
        bytes = (bytes + RESERVE_HEADER + RESERVE_ALIGN - 1) / RESERVE_ALIGN * RESERVE_ALIGN;
    }
    release_reserve(solver);
    const size_t heads =
        (threads * sizeof *solver->reserve + RESERVE_ALIGN - 1) / RESERVE_ALIGN * RESERVE_ALIGN;
    solver->reserve = solver->allocator.allocate(solver->allocator.context, heads + threads * bytes);
    if (!solver->reserve) return 0;
    memset(solver->reserve, 0, heads);
    for (size_t t = 0; t < threads; t++) {
        solver->reserve[t].memory = (unsigned char *)solver->reserve + heads + t * bytes;
        solver->reserve[t].bytes = bytes;
    }
    solver->reserve_bytes = bytes > RESERVE_HEADER ? bytes - RESERVE_HEADER : 0;
    return 1;
}

static br_status setup_islands(br_solver *solver, const br_problem *problem, br_error *error) {
    br_lcp_partition part = {0};
    br_status status = br_lcp_partition_create(&solver->arena, problem, &part, error);
    if (status) return status;
    solver->islands = part.islands;
    solver->plan = BR_TAKE(&solver->arena, br_lcp_plan, part.islands);
    solver->certificate = BR_TAKE(&solver->arena, double, problem->rows);
    if (!br_arena_ok(&solver->arena))
        return br_no_memory(error, "out of memory while setting up a problem of %d rows", problem->rows);
    br_solver_def def = solver->def;
    def.tol *= ISLAND_TOL_SHARE;
    solver->largest = 0;
    solver->row_problem = problem->form == BR_FORM_MATRIX;
    const int by_name = def.kind == BR_SOLVER_NEWTON || def.kind == BR_SOLVER_INTERIOR;
    for (int k = 0; k < part.islands; k++) {
        const int law = part.law_start[k], node = part.node_start[k];
        br_lcp_island *island = NULL;
        status = br_lcp_island_create(&solver->arena, &solver->scratch, problem, &part.numbering, k,
                                      part.law_start[k + 1] - law, part.law_list + law,
                                      part.node_start[k + 1] - node, part.node_list + node,
                                      by_name ? SIZE_MAX : MOST_FACTOR_BYTES, &island, error);
        if (!status)
            status = br_lcp_plan_create(&solver->arena, problem, island, &def, solver->def.tol,
                                        &solver->plan[k], error);
        if (status) return status;
        solver->row_problem &= island->all_rows;
        if (island->rows > solver->plan[solver->largest].island->rows) solver->largest = k;
    }
    if (!grow_reserve(solver))
        return br_no_memory(error, "out of memory while setting up a problem of %d rows", problem->rows);
    for (int k = 0; k < part.islands; k++) solver->plan[k].island->judged_by_rows = solver->row_problem;
    return BR_OK;
}

br_status br_solver_setup(br_solver *solver, const br_problem *problem, br_error *error) {
    if (!solver) return br_lcp_call_missing("br_solver_setup", "solver", error);
    br_status status = br_problem_check(problem, error);
    if (status) return status;
    solver->ready = 0;
    br_arena_reset(&solver->arena);
    status = br_lcp_pattern_copy(&solver->arena, problem, &solver->pattern, error);
    if (!status) status = setup_islands(solver, problem, error);
    if (status) return status;
    solver->pattern_id = problem->pattern_id;
    solver->ready = 1;
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------------- solve

static br_status check_call(const br_solver *solver, const br_problem *problem, br_error *error) {
    if (!solver->ready)
        return br_fail(error, BR_INVALID, "solver-setup",
                       "the solver is not set up: call br_solver_setup first");
    const int trusted = problem->pattern_id != 0 && problem->pattern_id == solver->pattern_id;
    return br_lcp_call_pattern(&solver->pattern, problem, trusted, error);
}

static br_status check_impulses(const br_problem *problem, const double *p, br_error *error) {
    if (br_all_finite(problem->rows, p)) return BR_OK;
    for (int i = 0; i < problem->rows; i++)
        if (!isfinite(p[i]))
            return br_fail(error, BR_INVALID, "solution-not-finite", "p[%d] is %g, expected a finite number",
                           i, p[i]);
    return BR_OK;
}

typedef struct worker {
    br_solver *solver;
    const br_problem *problem;
    const double *start;     // p of a warm start, or NULL
    int first, stride;       // islands first, first + stride, ...
    int bad_node;            // -1, or a node whose mass is not positive definite
    int bad_values;          // br_lcp_problem_check_values has an error to tell
    br_lcp_reserve *reserve; // this thread's
} worker;

// Loads an island with its start. What is unusual is checked in full first, and may be wrong; 0 then.
static int solver_load(worker *w, br_lcp_island *island) {
    if (br_lcp_island_probe(island, w->problem, w->start) == BR_LCP_PROBED) return 1;
    w->bad_values = br_lcp_problem_check_values(w->problem, NULL) != BR_OK;
    return !w->bad_values && !br_lcp_island_load(island, w->problem, w->start, &w->bad_node);
}

static void work(void *argument) {
    worker *w = argument;
    w->bad_node = -1;
    for (int k = w->first; k < w->solver->islands; k += w->stride) {
        br_lcp_plan *plan = &w->solver->plan[k];
        if (!solver_load(w, plan->island)) return;
        plan->allowed = w->solver->allowed;
        br_lcp_plan_solve(plan, w->problem, w->reserve, w->start != NULL);
        if (br_lcp_island_into_cones(plan->island, w->problem)) plan->accepted = 0;
    }
}

static void finish_work(void *argument) {
    worker *w = argument;
    for (int k = w->first; k < w->solver->islands; k += w->stride) {
        br_lcp_plan *plan = &w->solver->plan[k];
        if (!br_lcp_plan_finish(plan, w->problem)) continue;
        br_lcp_island_into_cones(plan->island, w->problem);
        plan->accepted = 0;
    }
}

static br_status worker_status(const worker *w, br_error *error) {
    if (w->bad_values) return br_lcp_problem_check_values(w->problem, error);
    if (w->bad_node >= 0)
        return br_fail(error, BR_INVALID, "problem-mass",
                       "the mass matrix of node %d is not symmetric or not positive definite", w->bad_node);
    return BR_OK;
}

// Fills `workers` and runs them; returns how many.
static int run_workers(br_solver *solver, const br_problem *problem, const double *start, void (*job)(void *),
                       worker *workers) {
    const int threads = solver->def.threads < solver->islands ? solver->def.threads : solver->islands;
    const int n = threads > 1 ? threads : 1;
    for (int t = 0; t < n; t++)
        workers[t] = (worker){solver, problem, start, t, n, -1, 0, solver->reserve + t};
    br_run_jobs(n, workers, sizeof *workers, job);
    return n;
}

static br_status solve_islands(br_solver *solver, const br_problem *problem, const double *start,
                               br_error *error) {
    worker workers[BR_MAX_THREADS];
    const int n = run_workers(solver, problem, start, work, workers);
    worker all = workers[0]; // the smallest bad node, so that it does not depend on the number of threads
    for (int t = 1; t < n; t++) {
        all.bad_values |= workers[t].bad_values;
        if (workers[t].bad_node >= 0 && (all.bad_node < 0 || workers[t].bad_node < all.bad_node))
            all.bad_node = workers[t].bad_node;
    }
    return worker_status(&all, error);
}

static br_lcp_judgement judge_all(const br_solver *solver) {
    br_lcp_judgement total = {0};
    for (int k = 0; k < solver->islands; k++)
        total = br_lcp_judgement_add(total, br_lcp_island_judgement(solver->plan[k].island));
    return total;
}

// What rounding leaves in the defect, relative to the load as the residual is.
static double rounding_of_load(const br_solver *solver, br_lcp_judgement total) {
    double rounding2 = 0.0;
    for (int k = 0; k < solver->islands; k++) rounding2 += br_lcp_island_rounding2(solver->plan[k].island);
    total.defect2 = rounding2;
    return br_lcp_judgement_of_load(total, solver->row_problem);
}

// Answers that are near beside their impulses, or as near as rounding of these allows, and not beside the load are finished. The
// steps of a simulation (tol_enough) are served by what they have: p is their start for the next one, and the ledger has the residual.
static void finish_islands(br_solver *solver, const br_problem *problem) {
    worker workers[BR_MAX_THREADS];
    if (solver->row_problem || solver->def.tol_enough > 0.0) return;
    const br_lcp_judgement total = judge_all(solver);
    const double tol = solver->def.tol, of_load = br_lcp_judgement_of_load(total, 0);
    if (of_load <= tol) return;
    if (br_lcp_judgement_residual(total, 0) <= tol ||
        of_load <= ROUNDING_MOST * rounding_of_load(solver, total))
        run_workers(solver, problem, NULL, finish_work, workers);
}

// The plan to report: one that failed, above all one without a solution; else the largest.
static const br_lcp_plan *hardest(const br_solver *solver) {
    const br_lcp_plan *worst = &solver->plan[solver->largest];
    for (int k = 0; k < solver->islands; k++) {
        const br_lcp_plan *plan = &solver->plan[k];
        if ((plan->outcome != BR_CONVERGED) > (worst->outcome != BR_CONVERGED)) worst = plan;
        if (plan->outcome == BR_INFEASIBLE && worst->outcome != BR_INFEASIBLE) worst = plan;
    }
    return worst;
}

static void copy_certificate(br_solver *solver, const br_problem *problem, const br_lcp_plan *plan) {
    const br_lcp_island *s = plan->island;
    memset(solver->certificate, 0, (size_t)solver->pattern.rows * sizeof *solver->certificate);
    for (int i = 0; i < s->laws; i++)
        memcpy(solver->certificate + problem->law[s->global_law[i]].first_row,
               plan->certificate + s->law[i].row, (size_t)s->law[i].rows * sizeof *solver->certificate);
}

// An island that missed its own, tighter tolerance but is good enough for what was asked, or whose load is rounding
// beside that of the whole problem: a body at rest, say.
static int good_enough(const br_solver *solver, const br_lcp_plan *plan, br_lcp_judgement total) {
    if (plan->outcome == BR_CONVERGED) return 1;
    if (plan->outcome == BR_INFEASIBLE) return 0;
    const double tol = solver->def.tol;
    return br_lcp_island_residual(plan->island) <= tol ||
           (!solver->row_problem &&
            br_lcp_island_judgement(plan->island).free2 <= ROUNDING_LOAD * ROUNDING_LOAD * total.free2);
}

static int answer_is_finite(const br_solver *solver, const br_solution *solution) {
    int fine = br_all_finite(solver->pattern.rows, solution->p);
    if (solution->w) fine = fine && br_all_finite(solver->pattern.rows, solution->w);
    for (int k = 0; fine && k < solver->islands; k++)
        fine = br_all_finite(solver->plan[k].island->scalars, solver->plan[k].island->v);
    return fine;
}

static br_outcome overall(const br_solver *solver, const br_solution *solution, const br_lcp_plan *worst,
                          br_lcp_judgement total, double residual) {
    if (!answer_is_finite(solver, solution)) return BR_STALLED;
    if (!(residual <= solver->def.tol)) // the promise: never "converged" above the tolerance
        return worst->outcome == BR_CONVERGED ? BR_STALLED : worst->outcome;
    for (int k = 0; k < solver->islands; k++)
        if (!good_enough(solver, &solver->plan[k], total)) return worst->outcome;
    return BR_CONVERGED;
}

// Converged beside the impulses, and beside the load? Where not, whether rounding is why.
static void judge_by_load(const br_solver *solver, br_lcp_judgement total, br_solve_report *report) {
    if (solver->row_problem || report->residual_of_load <= solver->def.tol) return;
    if (report->outcome != BR_CONVERGED && report->outcome != BR_STALLED &&
        report->outcome != BR_MAX_ITERATIONS)
        return;
    if (!(solver->def.tol_enough > 0.0)) // nobody asks in the steps of a simulation, of which it would be 3 %
        report->rounding_of_load = rounding_of_load(solver, total);
    if (report->residual_of_load <= ROUNDING_MOST * report->rounding_of_load)
        report->outcome = BR_ROUNDING;
    else if (report->outcome == BR_CONVERGED)
        report->outcome = BR_STALLED;
}

static void fill_report(br_solver *solver, const br_problem *problem, const br_solution *solution,
                        br_solve_report *report) {
    *report = (br_solve_report){.islands = solver->islands};
    const br_lcp_judgement total = judge_all(solver);
    report->residual = br_lcp_judgement_residual(total, solver->row_problem);
    report->residual_of_load = br_lcp_judgement_of_load(total, solver->row_problem);
    if (solver->islands == 0) return;
    const br_lcp_plan *plan = hardest(solver);
    report->outcome = overall(solver, solution, plan, total, report->residual);
    report->solver = plan->solver;
    memcpy(report->path, plan->path, sizeof report->path);
    for (int k = 0; k < solver->islands; k++) {
        const br_lcp_island *s = solver->plan[k].island;
        if (s->iterations > report->iterations) report->iterations = s->iterations;
        if (s->factorizations > report->factorizations) report->factorizations = s->factorizations;
    }
    // the promise: never "converged" above the tolerance
    if (report->outcome == BR_CONVERGED && !(report->residual <= solver->def.tol))
        report->outcome = BR_STALLED;
    judge_by_load(solver, total, report);
    if (plan->outcome == BR_INFEASIBLE) {
        report->proof = plan->proof;
        if (plan->certificate) {
            copy_certificate(solver, problem, plan);
            report->certificate = solver->certificate;
        }
    }
}

br_status br_solver_solve(br_solver *solver, const br_problem *problem, br_solution *solution,
                          br_solve_report *report, br_error *error) {
    static const char call[] = "br_solver_solve";
    if (!solver) return br_lcp_call_missing(call, "solver", error);
    if (!problem) return br_lcp_call_missing(call, "problem", error);
    if (!solution) return br_lcp_call_missing(call, "solution", error);
    if (!report) return br_lcp_call_missing(call, "report", error);
    br_status status = check_call(solver, problem, error);
    if (!status && problem->rows > 0 && !solution->p) status = br_lcp_call_missing(call, "p", error);
    if (!status)
        status = br_lcp_call_apart(&solver->pattern, problem, solution->p, solution->w, solution->v, error);
    if (status) return status;
    if (solution->warm) status = check_impulses(problem, solution->p, error);
    if (status) return status;
    status = solve_islands(solver, problem, solution->warm ? solution->p : NULL, error);
    if (status) return status;
    finish_islands(solver, problem);
    for (int k = 0; k < solver->islands; k++) // a start that is the answer stays as it is, to the bit
        br_lcp_island_unload(solver->plan[k].island, problem,
                             solution->warm && solver->plan[k].accepted ? NULL : solution->p, solution->w,
                             solution->v);
    fill_report(solver, problem, solution, report);
    return BR_OK;
}

br_status br_solver_residual(br_solver *solver, const br_problem *problem, const double *p, double *w,
                             double *v, double *residual, br_error *error) {
    static const char call[] = "br_solver_residual";
    if (!solver) return br_lcp_call_missing(call, "solver", error);
    if (!problem) return br_lcp_call_missing(call, "problem", error);
    if (!residual) return br_lcp_call_missing(call, "residual", error);
    br_status status = check_call(solver, problem, error);
    if (!status && problem->rows > 0 && !p) status = br_lcp_call_missing(call, "p", error);
    if (!status) status = br_lcp_call_apart(&solver->pattern, problem, p, w, v, error);
    if (!status) status = check_impulses(problem, p, error);
    if (status) return status;
    worker reader = {solver, problem, p, 0, 1, -1, 0, NULL};
    for (int k = 0; k < solver->islands; k++)
        if (!solver_load(&reader, solver->plan[k].island)) return worker_status(&reader, error);
    *residual = br_lcp_judgement_residual(judge_all(solver), solver->row_problem);
    for (int k = 0; k < solver->islands; k++)
        br_lcp_island_unload(solver->plan[k].island, problem, NULL, w, v);
    return BR_OK;
}
