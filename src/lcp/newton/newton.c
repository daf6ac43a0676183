// Primal-dual semismooth Newton on the Alart-Curnier function.
//
//     F(p) = p - P(y) = 0,  y = p - w(p) / rho                             rho = 1 + C, row by row (scaled)
//     (I - G + G (C + delta) / rho) dp + (G / rho) W dp = P(y) - p          G in the generalized Jacobian of P at y
//
// A soft row answers an impulse by C times it: with rho = 1 its y would leap over every bound.
//
// delta makes the matrix regular where W is singular, and costs nothing in accuracy: p is the iterate and w is
// recomputed from it, so delta is a proximal term that only slows the last digits by a factor delta. It falls while
// full steps succeed and rises when they fail.
#include "lcp/newton/newton.h"

#include <math.h>
#include <string.h>

#define NEWTON_DELTA_START 1e-8
#define NEWTON_DELTA_FLOOR 1e-8
#define NEWTON_DELTA_CEILING 1e-1
#define NEWTON_PATIENCE 5 // steps in which the residual must fall to a fifth
#define NEWTON_HALVINGS 4 // of a step that raises the residual ...
#define NEWTON_RISE 10.0  // ... by more than this

// R := P(y) - p, the right side alone.
static void right_side(br_lcp_island *s) {
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *p = s->p + law->row, *w = s->w + law->row;
        double y[BR_MAX_LAW_ROWS], give[BR_MAX_LAW_ROWS], *R = s->R + law->row;
        br_lcp_law_aim(law, s->compliance + law->row, p, w, y, give);
        br_lcp_law_project(law, y, R, NULL);
        br_lcp_law_gap(law->rows, p, w, y, give, R);
    }
}

static void linearize(br_lcp_island *s, double delta) {
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const int n = law->rows;
        const double *p = s->p + law->row, *w = s->w + law->row, *C = s->compliance + law->row;
        double *P = s->P + s->square[i], *G = s->Q + s->square[i], *R = s->R + law->row;
        double y[BR_MAX_LAW_ROWS], give[BR_MAX_LAW_ROWS];
        br_lcp_law_aim(law, C, p, w, y, give);
        br_lcp_law_project(law, y, R, G);
        br_lcp_law_gap(n, p, w, y, give, R);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++) {
                P[r * n + c] = (r == c) - G[r * n + c] * (1.0 - (C[c] + delta) * give[c]);
                G[r * n + c] *= give[c];
            }
    }
}

void br_lcp_newton_init(br_lcp_newton *newton, br_lcp_island *island, const br_lcp_options *options) {
    *newton = (br_lcp_newton){.island = island,
                              .options = options,
                              .delta = options->delta > 0.0 ? options->delta : NEWTON_DELTA_START,
                              .residual = br_lcp_island_residual(island),
                              .allowance = options->patience > 0 ? options->patience : NEWTON_PATIENCE,
                              .outcome = BR_MAX_ITERATIONS};
    newton->checkpoint = newton->residual;
    newton->patience = newton->allowance;
    br_lcp_island_keep_best(island, newton->residual);
}
// Moves p along step_p; on return w, v and newton->residual belong to the new p. The residual may rise for a while:
// the right active set is often found only behind a worse point, and the caller keeps the best one anyway.
static double search(br_lcp_newton *newton) {
    br_lcp_island *s = newton->island;
    const double most = NEWTON_RISE * newton->residual;
    double alpha = 1.0, taken = 0.0;
    for (int k = 0;; k++, alpha *= 0.5) {
        for (int i = 0; i < s->rows; i++) s->p[i] += (alpha - taken) * s->step_p[i];
        taken = alpha;
        br_lcp_island_evaluate(s);
        newton->residual = br_lcp_island_residual(s);
        if (newton->residual < most || k == NEWTON_HALVINGS) return taken;
    }
}

// Where a step has found the active set, further ones with the same factorization take away what delta and rounding
// left: a tenth of a step's cost, and w = 0 to the last digits where a contact sticks, whatever tol allows.
static void chords(br_lcp_newton *newton) {
    br_lcp_island *s = newton->island;
    double *const before = s->scratch;
    for (int k = 0; k < BR_LCP_CHORDS && newton->residual > BR_LCP_SETTLED; k++) {
        const double last = newton->residual;
        memcpy(before, s->p, (size_t)s->rows * sizeof *before);
        right_side(s);
        if (br_lcp_island_step(s, 0)) return;
        for (int i = 0; i < s->rows; i++) s->p[i] += s->step_p[i];
        br_lcp_island_evaluate(s);
        newton->residual = br_lcp_island_residual(s);
        if (newton->residual <= BR_LCP_CHORD_FALL * last) continue;
        if (newton->residual < last) return;
        memcpy(s->p, before, (size_t)s->rows * sizeof *before); // not any closer: as it was
        br_lcp_island_evaluate(s);
        newton->residual = br_lcp_island_residual(s);
        return;
    }
}

br_progress br_lcp_newton_iterate(br_lcp_newton *newton) {
    br_lcp_island *s = newton->island;
    if (newton->residual <= newton->options->tol) {
        newton->outcome = BR_CONVERGED;
        return BR_FINISHED;
    }
    if (newton->iteration >= newton->options->max_iterations) return BR_FINISHED;
    linearize(s, newton->delta);
    if (br_lcp_island_step(s, 1)) {
        newton->delta *= 100.0;
        newton->outcome = BR_SINGULAR;
        return newton->delta > NEWTON_DELTA_CEILING ? BR_FINISHED : BR_RUNNING;
    }
    const double before = newton->residual, alpha = search(newton);
    if (newton->options->hasty && newton->residual >= NEWTON_RISE * before) {
        newton->iteration++;
        s->iterations++;
        newton->outcome = BR_STALLED;
        return BR_FINISHED;
    }
    if (alpha == 1.0 && newton->residual <= BR_LCP_CHORD_START * before) chords(newton);
    newton->iteration++;
    s->iterations++;
    newton->outcome = BR_MAX_ITERATIONS;
    br_lcp_island_keep_best(s, newton->residual);
    br_lcp_trace(newton->options, s, BR_SOLVER_NEWTON, newton->iteration, newton->residual, alpha,
                 newton->delta);
    if (alpha == 1.0 && newton->residual < before)
        newton->delta = fmax(0.1 * newton->delta,
                             newton->options->delta > 0.0 ? newton->options->delta : NEWTON_DELTA_FLOOR);
    else
        newton->delta = fmin(10.0 * newton->delta, NEWTON_DELTA_CEILING);

    if (newton->residual <= 0.2 * newton->checkpoint) {
        newton->checkpoint = newton->residual;
        newton->patience = newton->allowance;
    } else if (--newton->patience == 0 || !isfinite(newton->residual)) {
        newton->outcome = BR_STALLED;
        return newton->residual <= newton->options->tol ? BR_RUNNING : BR_FINISHED;
    }
    return BR_RUNNING;
}

void br_lcp_newton_polish(br_lcp_island *s, const br_lcp_options *options) {
    br_lcp_newton newton;
    br_lcp_newton_init(&newton, s, options);
    linearize(s, newton.delta);
    if (br_lcp_island_step(s, 1) == BR_OK) {
        const double before = newton.residual, alpha = search(&newton);
        s->iterations++;
        if (alpha == 1.0 && newton.residual <= before) chords(&newton);
        br_lcp_island_keep_best(s, newton.residual);
    }
    if (!(newton.residual <= s->best_residual)) br_lcp_island_restore_best(s);
}

br_outcome br_lcp_newton_run(br_lcp_island *island, const br_lcp_options *options) {
    br_lcp_newton newton;
    br_lcp_newton_init(&newton, island, options);
    while (br_lcp_newton_iterate(&newton) == BR_RUNNING) {}
    if (newton.outcome != BR_CONVERGED) br_lcp_island_restore_best(island);
    return newton.outcome;
}
