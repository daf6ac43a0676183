// Smooth-Coulomb interior point. It brings a cold problem
// near its answer in a number of factorizations that hardly depends on its size; Newton takes the last digits.
//
// Each step aims at the point where every complementary product is kappa. A predictor (kappa = 0) tells how far the
// products can fall, sigma = (gap left)^3, and its second-order products correct the step (Mehrotra). kappa never
// falls below theta times the infeasibility: products that vanish before w = omega holds are a dead end. Both
// solves share one factorization.
#include "lcp/barrier/barrier.h"
#include "lcp/barrier/interior.h"

#include <math.h>
#include <string.h>

#define INTERIOR_PATIENCE 14      // steps in which the residual must halve; the path may turn on its way
#define INTERIOR_SHORT 0.05       // a step this short goes nowhere: the path folds ...
#define INTERIOR_SHORT_AFTER 12   // ... not at the beginning, where starts far from the path do the same ...
#define INTERIOR_SHORT_STEPS 4    // ... when so many follow each other
#define INTERIOR_SIGMA_LEAST 1e-3 // kappa over the mean product
#define INTERIOR_SIGMA_MOST 0.8

// A first guess: all rows as springs, (W + C + weight) p = -w_free.
static void penalty_start(br_lcp_island *s, double weight) {
    for (int i = 0; i < s->laws; i++) {
        const int n = s->law[i].rows;
        double *P = s->P + s->square[i], *Q = s->Q + s->square[i];
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++) {
                P[r * n + c] = r == c ? weight + s->compliance[s->law[i].row + r] : 0.0;
                Q[r * n + c] = r == c;
            }
    }
    memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
    br_lcp_island_evaluate(s);
    for (int i = 0; i < s->rows; i++) s->R[i] = -s->w[i];
    if (br_lcp_island_step(s, 1)) return;
    memcpy(s->p, s->step_p, (size_t)s->rows * sizeof *s->p);
    br_lcp_island_evaluate(s);
}

void br_lcp_interior_init(br_lcp_interior *interior, br_lcp_island *s, br_lcp_barrier *barrier,
                          br_lcp_interior_style style, const br_lcp_options *options) {
    *interior = (br_lcp_interior){.island = s,
                                  .options = options,
                                  .barrier = barrier,
                                  .style = style,
                                  .patience = INTERIOR_PATIENCE,
                                  .outcome = BR_MAX_ITERATIONS};
    penalty_start(s, style.start);
    const double a0 = s->rows > 0 ? s->free_norm / sqrt((double)s->rows) : 0.0;
    br_lcp_barrier_init(barrier, s, a0 > 0.0 ? a0 : 1.0);
    br_lcp_island_evaluate(s);
    interior->residual = interior->checkpoint = br_lcp_island_residual(s);
    interior->alpha = 0.0;
    br_lcp_island_keep_best(s, interior->residual);
}

// Steps to kappa with the corrections in the barrier; returns the longest step inside, or a negative number.
static double direction(br_lcp_interior *interior, double kappa, int factor_again) {
    br_lcp_island *s = interior->island;
    if (factor_again) br_lcp_barrier_linearize(interior->barrier, s);
    br_lcp_barrier_right_side(interior->barrier, s, kappa);
    if (br_lcp_island_step(s, factor_again)) return -1.0;
    return br_lcp_barrier_longest_step(interior->barrier, s, s->step_w, kappa);
}

// kappa never falls below the infeasibility's share, nor above the mean product.
static double floor_kappa(const br_lcp_interior *interior, double mean, double g) {
    const br_lcp_island *s = interior->island;
    double impulse2 = 0.0;
    for (int i = 0; i < s->rows; i++) impulse2 += s->p[i] * s->p[i];
    const double scale = fmax(s->free_norm, sqrt(impulse2));
    return fmin(interior->style.centring * scale * g / interior->barrier->pairs, mean);
}

br_progress br_lcp_interior_iterate(br_lcp_interior *interior) {
    br_lcp_island *s = interior->island;
    br_lcp_barrier *b = interior->barrier;
    if (interior->residual <= interior->options->tol) {
        interior->outcome = BR_CONVERGED;
        return BR_FINISHED;
    }
    if (interior->iteration >= interior->options->max_iterations) return BR_FINISHED;
    double g;
    const double gap = br_lcp_barrier_gap(b, s, &g), mean = gap / b->pairs;
    br_lcp_barrier_no_correction(b, s);
    double longest = direction(interior, 0.0, 1);
    if (longest < 0.0) {
        interior->outcome = BR_SINGULAR;
        return BR_FINISHED;
    }
    const double predicted = fmin(1.0, longest);
    const double left = (1.0 - predicted) + predicted * predicted * br_lcp_barrier_correct(b, s) / gap;
    const double sigma = fmin(INTERIOR_SIGMA_MOST, fmax(INTERIOR_SIGMA_LEAST, left * left * left));
    const double kappa = fmax(sigma * mean, floor_kappa(interior, mean, g));
    longest = direction(interior, kappa, 0);
    if (longest < 0.0) {
        interior->outcome = BR_SINGULAR;
        return BR_FINISHED;
    }
    interior->alpha = fmin(1.0, interior->style.step * longest);
    br_lcp_barrier_move(b, s, interior->alpha);
    br_lcp_island_follow(s, interior->alpha);
    interior->residual = br_lcp_island_residual(s);
    interior->iteration++;
    s->iterations++;
    br_lcp_island_keep_best(s, interior->residual);
    br_lcp_trace(interior->options, s, BR_SOLVER_INTERIOR, interior->iteration, interior->residual,
                 interior->alpha, kappa);
    const int late = interior->iteration > INTERIOR_SHORT_AFTER;
    interior->short_steps = late && interior->alpha < INTERIOR_SHORT ? interior->short_steps + 1 : 0;
    if (interior->residual <= 0.5 * interior->checkpoint) {
        interior->checkpoint = interior->residual;
        interior->patience = INTERIOR_PATIENCE;
    } else if (--interior->patience == 0 || interior->short_steps >= INTERIOR_SHORT_STEPS ||
               !isfinite(interior->residual)) {
        interior->outcome = BR_STALLED;
        return BR_FINISHED;
    }
    return BR_RUNNING;
}
