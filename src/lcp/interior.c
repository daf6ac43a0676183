// Smooth-Coulomb interior point [SOLVER.md decision 4 and "The mathematics that worked"]. It brings a cold problem
// near its answer in a number of factorizations that hardly depends on its size; Newton takes the last digits.
//
// Each step aims at the point where every complementary product is kappa. kappa follows the mean product, but never
// falls below theta times the infeasibility: products that vanish before w = omega holds are a dead end.
#include "lcp/barrier.h"
#include "lcp/method.h"

#include <math.h>
#include <string.h>

#define INTERIOR_PATIENCE 8

// A first guess: all rows as springs, (W + C + weight) p = -w_free.
static void penalty_start(lcp_island *s, double weight) {
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
    lcp_island_evaluate(s);
    for (int i = 0; i < s->rows; i++) s->R[i] = -s->w[i];
    if (lcp_island_step(s, 1)) return;
    memcpy(s->p, s->step_p, (size_t)s->rows * sizeof *s->p);
    lcp_island_evaluate(s);
}

void lcp_interior_init(lcp_interior *interior, lcp_island *s, lcp_barrier *barrier, lcp_interior_style style,
                       const lcp_options *options) {
    *interior = (lcp_interior){.island = s,
                               .options = options,
                               .barrier = barrier,
                               .style = style,
                               .patience = INTERIOR_PATIENCE,
                               .outcome = BR_MAX_ITERATIONS};
    penalty_start(s, style.start);
    const double a0 = s->rows > 0 ? s->free_norm / sqrt((double)s->rows) : 0.0;
    lcp_barrier_init(barrier, s, a0 > 0.0 ? a0 : 1.0);
    lcp_island_evaluate(s);
    interior->residual = interior->checkpoint = lcp_island_residual(s);
    interior->alpha = 0.0;
    lcp_island_keep_best(s, interior->residual);
}

static double choose_kappa(const lcp_interior *interior) {
    const lcp_island *s = interior->island;
    double g, impulse2 = 0.0;
    const double gap = lcp_barrier_gap(interior->barrier, s, &g);
    for (int i = 0; i < s->rows; i++) impulse2 += s->p[i] * s->p[i];
    const double scale = fmax(s->free_norm, sqrt(impulse2));
    const double mean = gap / interior->barrier->pairs;
    const double missed = 1.0 - interior->alpha;
    const double sigma = fmin(0.8, fmax(0.05, missed * missed));
    return fmax(sigma * mean, fmin(interior->style.centring * scale * g / interior->barrier->pairs, mean));
}

br_progress lcp_interior_iterate(lcp_interior *interior) {
    lcp_island *s = interior->island;
    if (interior->residual <= interior->options->tol) {
        interior->outcome = BR_CONVERGED;
        return BR_FINISHED;
    }
    if (interior->iteration >= interior->options->max_iterations) return BR_FINISHED;
    const double kappa = interior->kappa = choose_kappa(interior);
    lcp_barrier_linearize(interior->barrier, s, kappa);
    if (lcp_island_step(s, 1)) {
        interior->outcome = BR_SINGULAR;
        return BR_FINISHED;
    }
    if (s->form == BR_FORM_VELOCITY)
        lcp_island_apply_j(s, s->step_v, s->scratch);
    else
        lcp_island_apply_a(s, s->step_p, s->scratch);
    const double longest = lcp_barrier_longest_step(interior->barrier, s, s->scratch, kappa);
    interior->alpha = fmin(1.0, interior->style.step * longest);
    lcp_barrier_move(interior->barrier, s, interior->alpha);
    lcp_island_evaluate(s);
    interior->residual = lcp_island_residual(s);
    interior->iteration++;
    s->iterations++;
    lcp_island_keep_best(s, interior->residual);
    lcp_trace(interior->options, s, BR_SOLVER_INTERIOR, interior->iteration, interior->residual,
              interior->alpha, kappa);
    if (interior->residual <= 0.5 * interior->checkpoint) {
        interior->checkpoint = interior->residual;
        interior->patience = INTERIOR_PATIENCE;
    } else if (--interior->patience == 0 || !isfinite(interior->residual)) {
        interior->outcome = BR_STALLED;
        return BR_FINISHED;
    }
    return BR_RUNNING;
}
