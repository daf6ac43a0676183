// Proximal point method around Newton, for islands on which Newton alone wanders: each outer step solves
//
//     law(p, w(p) + delta (p - p_k))           -> p_{k+1}
//
// to some accuracy. A delta of the size of W's own diagonal (1, after scaling) makes the problem nearly uncoupled, so
// Newton converges; the answer of the last problem has residual delta |p_{k+1} - p_k|, which shrinks as p settles, and
// delta is lowered while Newton finds that easy. The fixed point is exact whatever delta is.
//
// In a pile that carries itself in many ways the impulses hardly know where to go: offsets of 1e-10 decide between answers
// far apart, and some have no answer at all (jammed bodies). A simulation does not need one: with p_k the last step's
// impulses, a step that is solved for delta leaves w = delta (p_k - p), and the sum of that over all steps is bounded by
// delta p: a deflection, not a creep. br_lcp_proximal_brief is that step.
#include "lcp/newton/newton.h"

#include <math.h>
#include <string.h>

#define PROXIMAL_DELTA_START 0.1
#define PROXIMAL_DELTA_FLOOR 1e-6
#define PROXIMAL_DELTA_CEILING 10.0
#define PROXIMAL_INNER_SHARE 0.05 // an inner problem is solved to this share of the outer residual
#define PROXIMAL_INNER_STEPS 15
#define PROXIMAL_PATIENCE 8  // of the inner Newton
#define PROXIMAL_EASY 6      // an inner problem of at most so many steps lets delta fall ...
#define PROXIMAL_FALL 0.3    // ... by this, but not below ...
#define PROXIMAL_RETREAT 2.0 // ... so many times the last one that failed, an edge that is forgotten slowly
#define PROXIMAL_RISE 3.0    // delta after a failure
#define PROXIMAL_STUCK                                                                                       \
    4 // steps with the least delta after which a residual that does not fall has no reason to
#define PROXIMAL_LONGEST 4  // what gets nearer goes on, up to so many times max_iterations
#define PROXIMAL_FALLS 0.9  // of the residual before: more is not falling
#define PROXIMAL_NEAR 100.0 // of tol: what rounding in redundant rows explains

// The brief variant, for steps of a simulation: a few problems, one after the other, with smaller and smaller delta.
#define BRIEF_DELTA 1e-2 // of the first ...
#define BRIEF_PROBLEMS 3 // ... of so many
#define BRIEF_NEAR 1e-4  // a start with a residual below this needs only one, ...
#define BRIEF_DELTA_NEAR 5e-4
#define BRIEF_FALL 0.2 // delta after a problem that was solved ...
#define BRIEF_RISE 5.0 // ... and after one that was not
#define BRIEF_MOST 6   // problems while the residual is above what is enough ...
#define BRIEF_MOST_FALLING 12
#define BRIEF_PROGRESS 0.3 // ... or falls to this share each time: then tol is in reach
#define BRIEF_INNER_STEPS 8
#define BRIEF_PATIENCE 4

// The variant that may take so many factorizations and no more.
#define CAPPED_INNER_SHARE 0.1
#define CAPPED_FALL 0.1
#define CAPPED_STUCK 2

static void shift(br_lcp_island *s, double delta, const double *centre) {
    for (int i = 0; i < s->rows; i++) {
        s->compliance[i] += delta;
        s->offset[i] -= delta * centre[i];
    }
}

// Solves the problem of one delta about the island's p, which goes to `centre`; the problem itself is put back bit by bit
// from `values`. On return p is evaluated.
static br_lcp_newton solve_shifted(br_lcp_island *s, double delta, double *centre, const double *values,
                                   const br_lcp_options *inner) {
    const size_t bytes = (size_t)s->rows * sizeof *s->p;
    const double best = s->best_residual; // residuals in there are of another problem: keep them apart
    br_lcp_newton newton;
    memcpy(centre, s->p, bytes);
    s->best_residual = 0.0;
    shift(s, delta, centre);
    br_lcp_island_evaluate(s);
    br_lcp_newton_init(&newton, s, inner);
    const int most = inner->max_factorizations; // 0: as many as it takes
    while ((most == 0 || s->factorizations < most) && br_lcp_newton_iterate(&newton) == BR_RUNNING) {}
    memcpy(s->offset, values, bytes);
    memcpy(s->compliance, values + s->rows, bytes);
    s->best_residual = best;
    br_lcp_island_evaluate(s);
    return newton;
}

static void go_back(br_lcp_island *s, const double *centre) {
    memcpy(s->p, centre, (size_t)s->rows * sizeof *centre);
    br_lcp_island_evaluate(s);
}

static double proximal_begin(br_lcp_island *s, double *values) {
    memcpy(values, s->offset, (size_t)s->rows * sizeof *values);
    memcpy(values + s->rows, s->compliance, (size_t)s->rows * sizeof *values);
    br_lcp_island_evaluate(s);
    return br_lcp_island_residual(s);
}

// Whether another problem is tried. What wanders may get nearer for hundreds of problems, and a new start has to do it all again: it goes
// on while the best residual has halved within the last max_iterations.
static int goes_on(const br_lcp_options *options, int problems, int since_halved) {
    if (problems < options->max_iterations) return 1;
    return options->persists && since_halved < options->max_iterations &&
           problems < PROXIMAL_LONGEST * options->max_iterations;
}

br_outcome br_lcp_proximal_run(br_lcp_island *s, double *centre, double *values,
                               const br_lcp_options *options) {
    double delta = PROXIMAL_DELTA_START, least = PROXIMAL_DELTA_FLOOR, residual = proximal_begin(s, values);
    br_lcp_options inner = *options;
    inner.max_iterations = PROXIMAL_INNER_STEPS;
    inner.max_factorizations = 0;
    inner.patience = PROXIMAL_PATIENCE;
    double mark = residual;
    int stuck = 0, since = 0;
    for (int k = 0; goes_on(options, k, since) && s->factorizations < options->max_factorizations;
         k++, since++) {
        if (residual <= options->tol || delta > PROXIMAL_DELTA_CEILING) break;
        inner.tol = fmax(PROXIMAL_INNER_SHARE * residual, 0.1 * options->tol);
        const br_lcp_newton newton = solve_shifted(s, delta, centre, values, &inner);
        const int fine = newton.outcome == BR_CONVERGED;
        if (!fine) go_back(s, centre);
        const double before = residual;
        residual = br_lcp_island_residual(s);
        br_lcp_island_keep_best(s, residual);
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, k, residual, NAN, delta);
        if (residual <= 0.5 * mark) {
            mark = residual;
            since = 0;
        }
        stuck = delta <= PROXIMAL_DELTA_FLOOR && residual > PROXIMAL_FALLS * before ? stuck + 1 : 0;
        s->contradicts = stuck == PROXIMAL_STUCK && residual <= PROXIMAL_NEAR * options->tol;
        if (s->contradicts) break;
        if (!fine) {
            least = PROXIMAL_RETREAT * delta;
            delta *= PROXIMAL_RISE;
        } else {
            if (newton.iteration <= PROXIMAL_EASY) delta = fmax(PROXIMAL_FALL * delta, least);
            least = fmax(0.7 * least, PROXIMAL_DELTA_FLOOR);
        }
    }
    return residual <= options->tol ? BR_CONVERGED : BR_STALLED;
}

br_outcome br_lcp_proximal_brief(br_lcp_island *s, double *centre, double *values,
                                 const br_lcp_options *options) {
    double residual = proximal_begin(s, values);
    const int near = residual < BRIEF_NEAR;
    double delta = near ? BRIEF_DELTA_NEAR : BRIEF_DELTA;
    int left = near ? 1 : BRIEF_PROBLEMS, falls = 1;
    br_lcp_options inner = *options;
    inner.max_iterations = BRIEF_INNER_STEPS;
    inner.max_factorizations = 0;
    inner.patience = BRIEF_PATIENCE;
    for (int k = 0; k < (falls ? BRIEF_MOST_FALLING : BRIEF_MOST); k++) {
        if (residual <= options->tol || (left <= 0 && !falls && residual <= options->enough)) break;
        inner.tol = fmax(PROXIMAL_INNER_SHARE * residual, 0.1 * options->tol);
        const br_lcp_newton newton = solve_shifted(s, delta, centre, values, &inner);
        const double now = br_lcp_island_residual(s);
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, k, now, NAN, delta);
        left--;
        falls = now <= BRIEF_PROGRESS * residual;
        if (newton.outcome == BR_CONVERGED || now < residual) {
            residual = now;
            br_lcp_island_keep_best(s, residual);
            delta = fmax(BRIEF_FALL * delta, PROXIMAL_DELTA_FLOOR);
            continue;
        }
        go_back(s, centre);
        delta *= BRIEF_RISE;
        left = 0; // smaller ones would not be any easier
    }
    return residual <= options->tol ? BR_CONVERGED : BR_STALLED;
}

// Each problem goes on from where the last one was left, solved or not. A residual that does not fall with the least delta has no reason
// to: what is left contradicts itself.
void br_lcp_proximal_capped(br_lcp_island *s, double *centre, double *values, const br_lcp_options *options) {
    double residual = proximal_begin(s, values), delta = PROXIMAL_DELTA_START;
    br_lcp_options inner = *options;
    inner.patience = PROXIMAL_PATIENCE;
    for (int stuck = 0; residual > options->tol && s->factorizations < options->max_factorizations;) {
        inner.tol = fmax(CAPPED_INNER_SHARE * residual, 0.1 * options->tol);
        inner.max_iterations = options->max_factorizations - s->factorizations;
        const br_lcp_newton newton = solve_shifted(s, delta, centre, values, &inner);
        const double now = br_lcp_island_residual(s);
        br_lcp_island_keep_best(s, now);
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, newton.iteration, now, NAN, delta);
        if (newton.iteration == 0) break; // singular
        const int falls = !(newton.outcome == BR_CONVERGED && now > PROXIMAL_FALLS * residual);
        stuck = !falls && delta <= PROXIMAL_DELTA_FLOOR ? stuck + 1 : 0;
        s->contradicts = stuck == CAPPED_STUCK && s->best_residual <= PROXIMAL_NEAR * options->tol;
        if (stuck == CAPPED_STUCK) break;
        delta = falls ? fmax(CAPPED_FALL * delta, PROXIMAL_DELTA_FLOOR) : PROXIMAL_DELTA_FLOOR;
        residual = now;
    }
}
