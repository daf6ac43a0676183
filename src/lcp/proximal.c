// Proximal point method around Newton, for islands on which Newton alone wanders: each outer step solves
//
//     law(p, w(p) + delta (p - p_k))           -> p_{k+1}
//
// to some accuracy. A delta of the size of W's own diagonal (1, after scaling) makes the problem nearly uncoupled, so
// Newton converges; the answer of the last problem has residual delta |p_{k+1} - p_k|, which shrinks as p settles, and
// delta is lowered while Newton finds that easy. The fixed point is exact whatever delta is.
#include "lcp/method.h"

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

static void shift(br_lcp_island *s, double delta, const double *centre) {
    for (int i = 0; i < s->rows; i++) {
        s->compliance[i] += delta;
        s->offset[i] -= delta * centre[i];
    }
}

br_outcome br_lcp_proximal_run(br_lcp_island *s, double *centre, double *values,
                               const br_lcp_options *options) {
    double delta = PROXIMAL_DELTA_START, least = PROXIMAL_DELTA_FLOOR;
    double *const offset = values, *const compliance =
                                       values + s->rows; // as loaded, to be put back bit by bit
    memcpy(offset, s->offset, (size_t)s->rows * sizeof *offset);
    memcpy(compliance, s->compliance, (size_t)s->rows * sizeof *compliance);
    br_lcp_island_evaluate(s);
    double residual = br_lcp_island_residual(s);
    for (int k = 0; k < options->max_iterations && s->factorizations < options->max_factorizations; k++) {
        if (residual <= options->tol || delta > PROXIMAL_DELTA_CEILING) break;
        br_lcp_options inner = *options;
        inner.tol = fmax(PROXIMAL_INNER_SHARE * residual, 0.1 * options->tol);
        inner.max_iterations = PROXIMAL_INNER_STEPS;
        inner.patience = PROXIMAL_PATIENCE;
        memcpy(centre, s->p, (size_t)s->rows * sizeof *centre);
        const double best = s->best_residual; // inner residuals are of another problem: keep them apart
        s->best_residual = 0.0;
        shift(s, delta, centre);
        br_lcp_island_evaluate(s);
        br_lcp_newton newton;
        br_lcp_newton_init(&newton, s, &inner);
        while (br_lcp_newton_iterate(&newton) == BR_RUNNING) {}
        memcpy(s->offset, offset, (size_t)s->rows * sizeof *offset);
        memcpy(s->compliance, compliance, (size_t)s->rows * sizeof *compliance);
        s->best_residual = best;
        const int fine = newton.outcome == BR_CONVERGED;
        if (!fine) memcpy(s->p, centre, (size_t)s->rows * sizeof *centre);
        br_lcp_island_evaluate(s);
        residual = br_lcp_island_residual(s);
        br_lcp_island_keep_best(s, residual);
        br_lcp_trace(options, s, BR_SOLVER_NEWTON, k, residual, NAN, delta);
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
