// Choosing a method for an island, see choose.h.
#include "lcp/choose.h"

#include "base/error.h"
#include "base/finite.h"
#include "lcp/capped.h"
#include "lcp/sheltered.h"

#include <math.h>
#include <string.h>

// Sizes up to which the dense methods are set up: as a fallback for flat laws, as the first choice for row problems
// in matrix form, and when a pivoting method is asked for by name.
#define FLAT_FALLBACK_ROWS 300
#define FLAT_FIRST_ROWS 600
#define FLAT_LATE_ROWS 150 // above this, only after Newton and the interior point
#define FLAT_ASKED_ROWS 2500
#define FLAT_ENUMERATE_ROWS 64

#define NEWTON_TRY_STEPS 8
#define NEWTON_TRY_LAWS 64 // up to here Newton is tried on a cold start too, before and after ...
#define SHAKE_SWEEPS 10    // ... so many sweeps
#define NEWTON_STEPS 40
#define PROXIMAL_STEPS 100
#define PROXIMAL_WARM_STEPS 12
#define CONTINUATION_STEPS 8 // of joint friction, from none to all of it
#define INTERIOR_STEPS 80
#define PORTFOLIO_FLOPS                                                                                      \
    1e11 // after this much work without a decade's gain nothing further is tried: ten seconds or so
#define DECADE 0.1
#define ENOUGH_FLOPS_ROWS                                                                                    \
    2e6                  // the same for joint limits and motors, of which pivoting could not solve the step
#define ENOUGH_FLOPS 5e7 // after this much work tol_enough is enough: ten milliseconds or so ...
#define DEAR_FLOPS 1e6   // ... or soon, where a single step takes this much; Newton then has ...
#define DEAR_PATIENCE 2  // ... so many steps at a time to be of use
#define FLOPS_PER_LAW 2000.0     // of a step, besides its factorization
#define DEAR_SWEEPS 200          // before anything slower is tried
#define PILE_STEP_SWEEPS 60.0    // where a step costs so many sweeps, Gauss-Seidel goes for tol_enough, ...
#define PILE_SWEEPS_LEAST 40     // ... at least so many, because what settles shall come to rest, ...
#define PILE_SWEEPS_MOST 1500    // ... and at most so many
#define GAUSS_SEIDEL_SWEEPS 60   // between two starts of the portfolio
#define GAUSS_SEIDEL_STEPS 10000 // when asked for by name
#define ACCELERATED_STEPS 30000  // same, and at most
#define LARGE_LAWS 256           // from here first-order sweeps come first, where a step costs as much as ...
#define LARGE_STEP_SWEEPS 30.0   // ... so many sweeps
#define LOOSE_TOL 1e-3 // the same for all where this much is asked for, and an exact answer costs ...
#define LOOSE_SWEEPS_LEAST 60.0 // ... so many sweeps
#define FLOPS_PER_VISIT 400.0   // of a sweep, in flops of a factorization, which are faster
#define EXACT_STEPS                                                                                          \
    12.0 // factorizations that what is left may be worth by first order: exact methods take 10 to 60
#define LOOSE_STEPS 12.0 // same, to LOOSE_TOL

// Adds a step to the path; a path that is full ends in ">...".
static void append(br_lcp_plan *plan, const char *text) {
    static const char more[] = ">...";
    const size_t used = strlen(plan->path), length = strlen(text), room = sizeof plan->path - sizeof more;
    if (used + 1 + length > room) {
        if (!plan->path_full) memcpy(plan->path + used, more, sizeof more);
        plan->path_full = 1;
    }
    if (plan->path_full) return;
    if (used) plan->path[used] = '>';
    memcpy(plan->path + used + (used > 0), text, length + 1);
}

// "newton:3", by hand: on a small island snprintf would be a tenth of the whole solve.
void br_lcp_plan_note(br_lcp_plan *plan, const char *name, br_solver_kind kind, int count) {
    char text[48], digits[12];
    size_t used = strlen(name), d = 0;
    memcpy(text, name, used);
    text[used++] = ':';
    do digits[d++] = (char)('0' + count % 10);
    while ((count /= 10) > 0);
    while (d > 0) text[used++] = digits[--d];
    text[used] = '\0';
    append(plan, text);
    plan->solver = kind;
}

static void note(br_lcp_plan *plan, br_solver_kind kind, int count) {
    br_lcp_plan_note(plan, br_solver_name(kind), kind, count);
}

static br_lcp_options with_cap(const br_lcp_plan *plan, int steps) {
    br_lcp_options options = plan->options;
    if (options.max_iterations == 0) options.max_iterations = steps;
    return options;
}

static int is_flat_method(br_solver_kind kind) {
    return kind == BR_SOLVER_LEMKE || kind == BR_SOLVER_BLOCK_PIVOT || kind == BR_SOLVER_DANTZIG ||
           kind == BR_SOLVER_ENUMERATE;
}

// ------------------------------------------------------------------------------------------------ single methods

static br_outcome newton(br_lcp_plan *plan, int steps) {
    const br_lcp_options options = with_cap(plan, steps);
    const int before = plan->island->iterations;
    const br_outcome outcome = br_lcp_newton_run(plan->island, &options);
    note(plan, BR_SOLVER_NEWTON, plan->island->iterations - before);
    return outcome;
}

static br_outcome small(br_lcp_plan *plan) {
    const br_lcp_options options = with_cap(plan, NEWTON_STEPS);
    const int before = plan->island->iterations;
    br_outcome outcome = BR_STALLED;
    if (plan->is_single) outcome = br_lcp_single_run(plan->island, &options);
    if (plan->is_small && outcome != BR_CONVERGED) outcome = br_lcp_small_run(plan->island, &options);
    note(plan, BR_SOLVER_NEWTON, plan->island->iterations - before);
    return outcome;
}

// Work of so many steps of Newton on the island.
static double flops(const br_lcp_island *s, int steps) {
    return steps * (br_block_factor_flops(s->factor) + FLOPS_PER_LAW * s->laws);
}

// An island on which tol_enough is enough as soon as the brief methods are through.
static int is_dear(const br_lcp_plan *plan) {
    return plan->options.enough > 0.0 && flops(plan->island, 1) > DEAR_FLOPS;
}

static int is_enough(const br_lcp_plan *plan) {
    const br_lcp_island *s = plan->island;
    const double most = s->all_rows && s->form == BR_FORM_MATRIX ? ENOUGH_FLOPS_ROWS : ENOUGH_FLOPS;
    return s->best_residual <= plan->options.enough &&
           (s->contradicts || is_dear(plan) || flops(s, s->factorizations) > most);
}

// What a step costs in sweeps.
static double step_sweeps(const br_lcp_plan *plan) {
    return flops(plan->island, 1) / (FLOPS_PER_VISIT * plan->island->laws);
}

static int is_large(const br_lcp_plan *plan) {
    return plan->gauss_seidel && plan->island->laws >= LARGE_LAWS && step_sweeps(plan) > LARGE_STEP_SWEEPS;
}

static int is_loose(const br_lcp_plan *plan) {
    return plan->asked >= LOOSE_TOL && plan->island->laws > NEWTON_TRY_LAWS &&
           LOOSE_STEPS * step_sweeps(plan) >= LOOSE_SWEEPS_LEAST;
}

static br_outcome newton_try(br_lcp_plan *plan, int warm) {
    if ((plan->is_single || plan->is_small) && small(plan) == BR_CONVERGED) return BR_CONVERGED;
    if (plan->is_small) return BR_STALLED;
    const int pays =
        warm && plan->island->laws >= LARGE_LAWS && !is_large(plan); // for each step, or is dropped
    if (!is_dear(plan) && !pays) return newton(plan, NEWTON_TRY_STEPS);
    const br_lcp_options asked = plan->options;
    plan->options.hasty = is_dear(plan);
    plan->options.patience = DEAR_PATIENCE;
    const br_outcome outcome = newton(plan, NEWTON_TRY_STEPS);
    plan->options = asked;
    return outcome;
}

static br_outcome brief(br_lcp_plan *plan) {
    const int before = plan->island->iterations;
    const br_outcome outcome =
        br_lcp_proximal_brief(plan->island, plan->saved, plan->saved + plan->island->rows, &plan->options);
    br_lcp_plan_note(plan, "brief", BR_SOLVER_NEWTON, plan->island->iterations - before);
    return outcome;
}

// Whether more starts or steps are worth their time: large islands get fewer of them, and each decade of the residual that was gained
// buys as many again.
static int affordable(br_lcp_plan *plan) {
    const br_lcp_island *s = plan->island;
    const double work = s->factorizations * br_block_factor_flops(s->factor);
    if (!s->factor) return 0;
    if (s->best_residual <= DECADE * plan->mark) {
        plan->mark = s->best_residual;
        plan->mark_work = work;
    }
    return work - plan->mark_work < PORTFOLIO_FLOPS;
}

static br_outcome proximal(br_lcp_plan *plan, int steps) {
    if (!affordable(plan)) return BR_STALLED;
    br_lcp_options options = with_cap(plan, steps);
    options.persists = options.enough == 0.0 && !plan->island->all_rows; // rows have pivoting methods to come
    options.max_factorizations =
        plan->island->factorizations +
        (int)fmin(1e6, PORTFOLIO_FLOPS / br_block_factor_flops(plan->island->factor));
    const int before = plan->island->iterations;
    const br_outcome outcome =
        br_lcp_proximal_run(plan->island, plan->saved, plan->saved + plan->island->rows, &options);
    br_lcp_plan_note(plan, "proximal", BR_SOLVER_NEWTON, plan->island->iterations - before);
    return outcome;
}

// Not in the steps of a simulation, which have no time for it, nor for rows, which have pivoting methods to come.
static br_outcome sheltered(br_lcp_plan *plan) {
    const br_lcp_island *s = plan->island;
    if (plan->options.enough > 0.0 || s->all_rows || s->has_joint_friction || !affordable(plan))
        return BR_STALLED;
    const int before = plan->island->iterations;
    const br_outcome outcome = br_lcp_sheltered_run(plan);
    br_lcp_plan_note(plan, "sheltered", BR_SOLVER_INTERIOR, plan->island->iterations - before);
    return outcome;
}

// A bound that follows norms of reactions of either sign is not convex: Newton may miss a solution that it finds when the
// friction is raised step by step from none.
static br_outcome continuation(br_lcp_plan *plan) {
    br_lcp_island *s = plan->island;
    const br_lcp_options options = with_cap(plan, NEWTON_STEPS);
    const int before = s->iterations;
    br_outcome outcome = BR_STALLED;
    memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
    for (int k = 0; k <= CONTINUATION_STEPS; k++) {
        for (int i = 0; i < s->laws; i++) s->law[i].share = (double)k / CONTINUATION_STEPS;
        const double best = s->best_residual; // of the problem itself: others do not count
        if (k < CONTINUATION_STEPS) s->best_residual = 0.0;
        br_lcp_island_evaluate(s);
        br_lcp_newton method;
        br_lcp_newton_init(&method, s, &options);
        while (br_lcp_newton_iterate(&method) == BR_RUNNING) {}
        if (k < CONTINUATION_STEPS) s->best_residual = best;
        outcome = method.outcome;
    }
    br_lcp_plan_note(plan, "continuation", BR_SOLVER_NEWTON, s->iterations - before);
    return outcome;
}

static br_outcome gauss_seidel(br_lcp_plan *plan, int sweeps) {
    if (!plan->gauss_seidel) return BR_STALLED;
    const br_lcp_options options = with_cap(plan, sweeps);
    const int before = plan->island->iterations;
    const br_outcome outcome = br_lcp_gauss_seidel_run(plan->gauss_seidel, &options);
    note(plan, BR_SOLVER_GAUSS_SEIDEL, plan->island->iterations - before);
    return outcome;
}

static br_outcome accelerated(br_lcp_plan *plan, int iterations, double patience) {
    if (!plan->accelerated) return BR_STALLED;
    const br_lcp_options options = with_cap(plan, iterations);
    const int before = plan->island->iterations;
    const br_outcome outcome = br_lcp_accelerated_run(plan->accelerated, &options, patience);
    note(plan, BR_SOLVER_ACCELERATED, plan->island->iterations - before);
    return outcome;
}

// First order first, where steps are dear or little is asked for, as long as its pace promises the answer for less than exact
// methods take. These go on from its best point otherwise.
static br_outcome first_order(br_lcp_plan *plan) {
    if (!is_large(plan) && !is_loose(plan)) return BR_STALLED;
    return accelerated(plan, ACCELERATED_STEPS, 0.5 * EXACT_STEPS * step_sweeps(plan));
}

// Where factorizations are too dear for the steps of a simulation: large piles of spheres, whose graphs have no small
// separators.
static int is_pile(const br_lcp_plan *plan) {
    const br_lcp_island *s = plan->island;
    return is_dear(plan) && flops(s, 1) > PILE_STEP_SWEEPS * FLOPS_PER_VISIT * s->laws;
}

static br_outcome pile_sweeps(br_lcp_plan *plan, int sweeps) {
    return is_large(plan) ? accelerated(plan, sweeps / 2, 0.0) : gauss_seidel(plan, sweeps);
}

// Sweeps until tol_enough is reached.
static void settle(br_lcp_plan *plan, int sweeps) {
    if (plan->island->best_residual <= plan->options.enough) return;
    const double tol = plan->options.tol;
    plan->options.tol = plan->options.enough;
    br_lcp_island_restore_best(plan->island);
    pile_sweeps(plan, sweeps);
    plan->options.tol = tol;
}

static br_outcome flat(br_lcp_plan *plan, br_solver_kind method, int warm, int brief) {
    br_lcp_island *s = plan->island;
    br_rows_options options = br_default_rows_options();
    br_rows_report report;
    options.method = method;
    options.tol = plan->options.tol;
    options.brief = brief;
    options.max_iterations = plan->options.max_iterations;
    options.lemke_shift = plan->lemke_shift;
    options.trace = plan->options.trace;
    options.trace_context = plan->options.trace_context;
    options.island = s->index;
    br_lcp_flat_solve(plan->flat, s, &options, method == BR_SOLVER_LEMKE ? plan->lemke_scale : 0.0, warm,
                      &report);
    s->iterations += report.iterations;
    append(plan, report.path);
    plan->solver = report.solver;
    const double residual = br_lcp_island_residual(s);
    br_lcp_island_keep_best(s, residual);
    if (report.outcome == BR_INFEASIBLE) {
        plan->proof = report.proof;
        if (report.certificate) { // kept here: the flat problem's memory may serve another island next
            plan->certificate = plan->saved;
            if (plan->flat->expanded) // its friction rows are zero: lambda is free to grow
                br_polygon_lcp_restore(&plan->flat->polygon, report.certificate, s->rows, plan->saved);
            else
                memcpy(plan->saved, report.certificate, (size_t)s->rows * sizeof *plan->saved);
        }
        return BR_INFEASIBLE;
    }
    if (residual <= plan->options.tol) return BR_CONVERGED;
    if (report.outcome == BR_RAY && plan->flat->expanded) return BR_STALLED; // a ray there is rounding
    return report.outcome == BR_CONVERGED ? newton(plan, NEWTON_TRY_STEPS)
                                          : report.outcome; // scales may differ
}

static void *reserve_allocate(void *context, size_t bytes) {
    br_lcp_reserve *reserve = context;
    return bytes <= reserve->bytes ? reserve->memory : NULL; // one chunk is all that is ever asked for
}

static void reserve_release(void *context, void *memory) {
    (void)context, (void)memory;
}

// Builds the dense fallback in the reserve. 0: there is none.
static int build_flat(br_lcp_plan *plan, const br_problem *problem, br_lcp_reserve *reserve) {
    if (plan->flat) return 1;
    if (plan->flat_bytes == 0) return 0;
    const br_allocator allocator = {reserve_allocate, reserve_release, reserve};
    br_arena_free(&reserve->arena);
    br_arena_init(&reserve->arena, &allocator);
    if (!br_arena_take(&reserve->arena, plan->flat_bytes, 1)) return 0; // one chunk for everything ...
    br_arena_reset(&reserve->arena);                                    // ... used from its start
    plan->flat = br_lcp_flat_create(&reserve->arena, problem, plan->island);
    return plan->flat != NULL;
}

// Interior point, handing over to Newton at 1e-5 and, where that fails, going on to smaller targets.
static br_outcome interior(br_lcp_plan *plan, br_lcp_interior_style style) {
    static const double handover[] = {1e-5, 1e-6, 1e-7};
    br_lcp_island *s = plan->island;
    br_lcp_options options = with_cap(plan, INTERIOR_STEPS);
    br_lcp_interior method;
    br_lcp_interior_init(&method, s, plan->barrier, style, &options);
    br_outcome outcome = BR_STALLED;
    for (size_t k = 0; k < sizeof handover / sizeof *handover; k++) {
        options.tol = fmax(handover[k], plan->options.tol);
        const int before = method.iteration;
        while (br_lcp_interior_iterate(&method) == BR_RUNNING) {}
        note(plan, BR_SOLVER_INTERIOR, method.iteration - before);
        br_lcp_island_evaluate(s);
        const int stopped = method.outcome != BR_CONVERGED;
        if (!stopped && method.residual <= plan->options.tol) return BR_CONVERGED;
        memcpy(plan->saved, s->p, (size_t)s->rows * sizeof *s->p);
        outcome = newton(plan, NEWTON_STEPS);
        if (outcome == BR_CONVERGED || stopped) return outcome;
        memcpy(s->p, plan->saved, (size_t)s->rows * sizeof *s->p);
        br_lcp_island_evaluate(s);
    }
    return outcome;
}

// --------------------------------------------------------------------------------------------------- the choices

static const br_lcp_interior_style first_style = {1e-4, 1.0, 0.95};

static int prove_infeasible(br_lcp_plan *plan) {
    if (!br_lcp_island_infeasible(plan->island, plan->saved)) return 0;
    plan->proof = BR_PROOF_CERTIFICATE;
    plan->certificate = plan->saved;
    return 1;
}

// On large islands a start that Newton does not take at once costs as much as an answer from nothing.
static br_outcome warm_proximal(br_lcp_plan *plan) {
    if (plan->island->laws < LARGE_LAWS) return proximal(plan, PROXIMAL_WARM_STEPS);
    return BR_STALLED;
}

static br_outcome smooth(br_lcp_plan *plan, int warm) {
    static const br_lcp_interior_style styles[] = {
        {1e-4, 1.0, 0.95}, {1.0, 3.0, 0.95}, {1e-2, 0.3, 0.9}, {0.1, 1.0, 0.8}, {1e-3, 10.0, 0.9}};
    br_lcp_island *s = plan->island;
    if (is_pile(plan)) {
        if (pile_sweeps(plan, PILE_SWEEPS_LEAST) == BR_CONVERGED) return BR_CONVERGED;
        settle(plan, PILE_SWEEPS_MOST);
        if (is_enough(plan)) return BR_STALLED;
    } else if (first_order(plan) == BR_CONVERGED) {
        return BR_CONVERGED;
    }
    if (!s->factor) return BR_STALLED;
    if (warm || s->all_rows || s->laws <= NEWTON_TRY_LAWS) {
        if (newton_try(plan, warm) == BR_CONVERGED) return BR_CONVERGED;
        if (s->laws <= NEWTON_TRY_LAWS && gauss_seidel(plan, SHAKE_SWEEPS) == BR_CONVERGED)
            return BR_CONVERGED;
        if (s->laws <= NEWTON_TRY_LAWS && plan->gauss_seidel && newton_try(plan, warm) == BR_CONVERGED)
            return BR_CONVERGED;
    }
    if (s->has_joint_friction && continuation(plan) == BR_CONVERGED) return BR_CONVERGED;
    if (warm && is_dear(plan)) {
        if (brief(plan) == BR_CONVERGED) return BR_CONVERGED;
        settle(plan, DEAR_SWEEPS);
    }
    if (is_enough(plan)) return BR_STALLED;
    if (warm && warm_proximal(plan) == BR_CONVERGED) return BR_CONVERGED;
    if (is_enough(plan)) return BR_STALLED;
    for (size_t k = 0; k < sizeof styles / sizeof *styles && (k == 0 || affordable(plan)); k++) {
        if (interior(plan, styles[k]) == BR_CONVERGED) return BR_CONVERGED;
        if (is_enough(plan)) return BR_STALLED;
        if (k == 0 && prove_infeasible(plan)) return BR_INFEASIBLE;
        br_lcp_island_restore_best(s);
        if (is_large(plan) && accelerated(plan, ACCELERATED_STEPS, 0.0) == BR_CONVERGED) return BR_CONVERGED;
        if (proximal(plan, PROXIMAL_STEPS) == BR_CONVERGED) return BR_CONVERGED;
        if (is_enough(plan)) return BR_STALLED;
        if (sheltered(plan) == BR_CONVERGED) return BR_CONVERGED;
        if (gauss_seidel(plan, GAUSS_SEIDEL_SWEEPS) == BR_CONVERGED) return BR_CONVERGED;
        if (plan->gauss_seidel && newton(plan, NEWTON_TRY_STEPS) == BR_CONVERGED) return BR_CONVERGED;
    }
    return BR_STALLED;
}

static br_outcome automatic(br_lcp_plan *plan, const br_problem *problem, br_lcp_reserve *reserve, int warm) {
    const br_lcp_island *s = plan->island;
    const int rows_first = s->all_rows && s->form == BR_FORM_MATRIX && plan->flat;
    br_outcome outcome = BR_STALLED;
    if (rows_first &&
        s->rows > FLAT_LATE_ROWS) { // pivoting takes seconds here, and these often need milliseconds
        if (newton(plan, NEWTON_TRY_STEPS) == BR_CONVERGED) return BR_CONVERGED;
        if (interior(plan, first_style) == BR_CONVERGED) return BR_CONVERGED;
    }
    // The dear ones of the flat methods take seconds: in time steps what is enough is looked for elsewhere first.
    const int brief = plan->options.enough > 0.0;
    if (rows_first) outcome = flat(plan, BR_SOLVER_AUTO, warm, brief);
    if (outcome == BR_CONVERGED || outcome == BR_INFEASIBLE) return outcome;
    const br_outcome found = smooth(plan, warm);
    if (found == BR_CONVERGED || found == BR_INFEASIBLE) return found;
    if (rows_first && !brief) return outcome;
    if (rows_first && s->best_residual <= plan->options.enough) return BR_STALLED;
    return !rows_first && !build_flat(plan, problem, reserve) ? outcome : flat(plan, BR_SOLVER_AUTO, 0, 0);
}

br_outcome br_lcp_plan_go_on(br_lcp_plan *plan, double tol) {
    const br_lcp_options options = plan->options;
    const double asked = plan->asked;
    if (!plan->island->factor || is_pile(plan)) return BR_STALLED;
    plan->options.tol = plan->asked = tol;
    plan->options.enough = 0.0;
    plan->mark = INFINITY;
    const br_outcome outcome = smooth(plan, 0);
    plan->options = options, plan->asked = asked;
    return outcome == BR_INFEASIBLE ? BR_STALLED : outcome; // there is an answer already, only not as near
}

static void choose_run(br_lcp_plan *plan, const br_problem *problem, br_lcp_reserve *reserve, int warm) {
    switch (plan->kind) {
    case BR_SOLVER_AUTO:
        plan->outcome = automatic(plan, problem, reserve, warm);
        break;
    case BR_SOLVER_NEWTON:
        plan->outcome = newton(plan, 5 * NEWTON_STEPS);
        break;
    case BR_SOLVER_INTERIOR:
        plan->outcome = interior(plan, first_style);
        break;
    case BR_SOLVER_GAUSS_SEIDEL:
        plan->outcome = gauss_seidel(plan, GAUSS_SEIDEL_STEPS);
        break;
    case BR_SOLVER_ACCELERATED:
        plan->outcome = accelerated(plan, ACCELERATED_STEPS, 0.0);
        break;
    default:
        plan->outcome = flat(plan, plan->kind, warm, 0);
        break;
    }
}

// A start within tol may still let a contact that sticks creep, or a joint swing about its stop, by tol times the load, step after
// step. One step of Newton, or the pivoting method asked for, brings it to rounding; from there on the same load finds it at rest.
static int polishes(const br_lcp_plan *plan) {
    return (plan->kind == BR_SOLVER_AUTO || plan->kind == BR_SOLVER_NEWTON || is_flat_method(plan->kind)) &&
           (plan->island->form == BR_FORM_VELOCITY || plan->island->judged_by_rows) &&
           plan->asked < LOOSE_TOL && plan->island->factor;
}

static void polish(br_lcp_plan *plan, int warm) {
    br_lcp_island *s = plan->island;
    if (is_flat_method(plan->kind)) { // a basis is exact: one that is still right takes no pivot
        if (flat(plan, plan->kind, warm, 0) != BR_CONVERGED) br_lcp_island_restore_best(s);
        plan->outcome = BR_CONVERGED;
        return;
    }
    br_lcp_options options = plan->options;
    options.max_iterations = 1;
    if (plan->is_single)
        br_lcp_single_run(s, &options);
    else if (plan->is_small)
        br_lcp_small_run(s, &options);
    else
        br_lcp_newton_polish(s, &options);
    note(plan, BR_SOLVER_NEWTON, s->iterations);
    plan->outcome = BR_CONVERGED;
}

static void choose_accept(br_lcp_plan *plan) {
    note(plan, plan->kind == BR_SOLVER_AUTO ? BR_SOLVER_NEWTON : plan->kind, 0);
    plan->accepted = 1;
    plan->outcome = BR_CONVERGED;
}

void br_lcp_plan_solve(br_lcp_plan *plan, const br_problem *problem, br_lcp_reserve *reserve, int warm) {
    br_lcp_island *s = plan->island;
    plan->path[0] = '\0';
    if (plan->flat_bytes) plan->flat = NULL;
    plan->path_full = plan->accepted = 0;
    plan->mark = INFINITY;
    plan->mark_work = 0.0;
    plan->solver = BR_SOLVER_NEWTON;
    plan->proof = BR_PROOF_NONE;
    plan->certificate = NULL;
    br_lcp_island_cap_scale(s, plan->options.tol);
    const double residual = br_lcp_island_residual(s);
    const int good = residual <= plan->options.tol;
    if (good && (!polishes(plan) || br_lcp_island_unrest(s) <= BR_LCP_AT_REST)) {
        choose_accept(plan);
        return;
    }
    br_lcp_island_prepare(s, problem);
    br_lcp_island_keep_best(s, residual);
    if (good)
        polish(plan, warm);
    else if (plan->allowed > 0)
        plan->outcome = br_lcp_capped_run(plan);
    else
        choose_run(plan, problem, reserve, warm);
    if (plan->outcome == BR_CONVERGED) return;
    if (plan->allowed == 0 && plan->outcome != BR_INFEASIBLE && !is_enough(plan) && prove_infeasible(plan))
        plan->outcome = BR_INFEASIBLE;
    br_lcp_island_restore_best(s);
    if (br_all_finite(s->rows, s->p)) return;
    memset(s->p, 0, (size_t)s->rows * sizeof *s->p); // nothing was ever kept: no answer, but no NaN either
    br_lcp_island_evaluate(s);
}

// -------------------------------------------------------------------------------------------------------- create

// Memory for it is taken only where it may run.
static int wants_accelerated(const br_lcp_plan *plan) {
    return plan->kind == BR_SOLVER_ACCELERATED ||
           (plan->kind == BR_SOLVER_AUTO && (is_large(plan) || is_loose(plan)));
}

static br_status check_applies(const br_lcp_plan *plan, int flat_rows, br_error *error) {
    const char *name = br_solver_name(plan->kind);
    if ((plan->kind == BR_SOLVER_GAUSS_SEIDEL || plan->kind == BR_SOLVER_ACCELERATED) &&
        plan->island->coupled)
        return br_fail(
            error, BR_INVALID, "solver-does-not-apply",
            "solver %s needs a block-diagonal mass matrix, and this one has blocks off the diagonal", name);
    if (!is_flat_method(plan->kind) || plan->island->laws == 0) return BR_OK;
    if (flat_rows == 0)
        return br_fail(
            error, BR_INVALID, "solver-does-not-apply",
            "solver %s takes laws with flat sides, and this problem has friction cones or joint friction: "
            "use auto, newton or interior, or the laws polygon or box",
            name);
    const int most = plan->kind == BR_SOLVER_ENUMERATE ? FLAT_ENUMERATE_ROWS : FLAT_ASKED_ROWS;
    if (flat_rows > most)
        return br_fail(error, BR_TOO_LARGE, "solver-too-large",
                       "solver %s is dense: %d rows are above its limit of %d", name, flat_rows,
                       FLAT_ASKED_ROWS);
    return BR_OK;
}

br_status br_lcp_plan_create(br_arena *arena, const br_problem *problem, br_lcp_island *island,
                             const br_solver_def *def, double asked, br_lcp_plan *plan, br_error *error) {
    *plan = (br_lcp_plan){.island = island,
                          .kind = def->kind,
                          .asked = asked,
                          .lemke_shift = def->lemke_shift,
                          .lemke_scale = def->lemke_scale};
    plan->options = (br_lcp_options){.tol = def->tol,
                                     .enough = def->tol_enough,
                                     .max_iterations = def->max_iterations,
                                     .trace = def->trace,
                                     .trace_context = def->trace_context};
    plan->is_small = br_lcp_small_applies(island);
    plan->is_single = br_lcp_single_applies(island);
    int free_rows;
    const int flat_rows = br_lcp_flat_size(problem, island, &free_rows);
    const br_status status = check_applies(plan, flat_rows, error);
    if (status) return status;
    const int first = island->all_rows && island->form == BR_FORM_MATRIX;
    const int most = def->kind == BR_SOLVER_AUTO ? (first ? FLAT_FIRST_ROWS : FLAT_FALLBACK_ROWS)
                     : is_flat_method(def->kind) ? FLAT_ASKED_ROWS
                                                 : 0;
    if (flat_rows > 0 && flat_rows <= most) {
        if (first || is_flat_method(def->kind))
            plan->flat = br_lcp_flat_create(arena, problem, island);
        else
            plan->flat_bytes = br_lcp_flat_bytes(island, flat_rows, free_rows);
    }
    if (!island->coupled) plan->gauss_seidel = br_lcp_gauss_seidel_create(arena, island);
    if (plan->gauss_seidel && wants_accelerated(plan))
        plan->accelerated = br_lcp_accelerated_create(arena, island, plan->gauss_seidel);
    plan->barrier = br_lcp_barrier_create(arena, island, problem);
    plan->saved = BR_TAKE(arena, double, 4 * (size_t)island->rows);
    return br_arena_ok(arena)
               ? BR_OK
               : br_no_memory(error, "out of memory while setting up a problem of %d rows", problem->rows);
}
