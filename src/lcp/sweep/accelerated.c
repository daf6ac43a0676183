// Accelerated Gauss-Seidel: sweeps forth and back, and between two of them a stride beyond where they came to.
//
//     x_{k+1} = S(y_k),   y_{k+1} = x_{k+1} + beta_k (x_{k+1} - x_k)        S: one sweep forth, one back
//     beta_k = (theta_k - 1) / theta_{k+1},   theta_{k+1} = (1 + sqrt(1 + 4 theta_k^2)) / 2       [Nesterov1983]
//
// S forth and back is a step of a proximal gradient method in the metric of the sweep, where the laws are those of a convex
// problem: its error falls as 1 / k^2 and, with restarts, linearly at the square root of the sweep's own rate. A stride that
// turns back, (y - x+)^T (x+ - x) > 0, starts theta over [ODonoghueCandes2015]. Each stop solves Coulomb's law
// itself, without De Saxce's shift held from before: a fixed point of S is an answer, whatever mu is. S alone
// converges where strides do not, and a residual that rises starts them over too.
//
// A sweep of compact contacts (compact.h) is some 250 operations a contact, and its number hardly grows with the pile.
#include "lcp/sweep/accelerated.h"

#include "math/elementary.h"

#include <math.h>
#include <string.h>

#define ITERATIONS_PER_TEST 4
#define MAX_TESTS 8192
#define TESTS_BEFORE_PACE 6 // the first sweeps are faster than what follows
#define WORSE 3.0         // a residual of so many times the least since the strides started starts them over
#define MOST_PATIENCE 2.0 // all iterations together, in the patience for what is left
#define STALL 0.9         // the best residual must fall by this ...
#define STALL_TESTS 250   // ... within so many tests

struct br_lcp_accelerated {
    br_lcp_island *island;
    br_lcp_gauss_seidel *gauss_seidel;
    br_lcp_compact *compact;
    double *before, *last; // [rows] y, where the sweeps start, and x_k
    float *history;        // [MAX_TESTS] decades of the best residual at each test
    const br_lcp_options *options;
    double patience, theta;
    double least;   // residual since the strides started, ...
    int rose;       // ... and whether the last one is far above it
    int is_compact; // for the values at hand
    int iteration, tests;
    br_outcome outcome;
};

br_lcp_accelerated *br_lcp_accelerated_create(br_arena *arena, br_lcp_island *s, br_lcp_gauss_seidel *gs) {
    br_lcp_accelerated *m = BR_TAKE(arena, br_lcp_accelerated, 1);
    if (!m) return NULL;
    *m = (br_lcp_accelerated){.island = s, .gauss_seidel = gs, .compact = br_lcp_compact_create(arena, s)};
    m->before = BR_TAKE(arena, double, s->rows);
    m->last = BR_TAKE(arena, double, s->rows);
    m->history = BR_TAKE(arena, float, MAX_TESTS);
    return m->before && m->last && m->history ? m : NULL;
}

static void keep_last(br_lcp_accelerated *m) {
    const br_lcp_island *s = m->island;
    memcpy(m->last, s->p, (size_t)s->rows * sizeof *s->p);
    m->theta = 1.0;
}

void br_lcp_accelerated_init(br_lcp_accelerated *m, const br_lcp_options *options, double patience) {
    m->options = options;
    m->patience = patience;
    m->iteration = m->tests = m->rose = 0;
    m->least = INFINITY;
    m->outcome = BR_MAX_ITERATIONS;
    m->is_compact = m->compact && br_lcp_compact_prepare(m->compact);
    if (!m->is_compact) br_lcp_gauss_seidel_prepare(m->gauss_seidel);
    br_lcp_island_evaluate(m->island);
    keep_last(m);
}

static void sweep(br_lcp_accelerated *m, int backwards) {
    if (m->is_compact)
        br_lcp_compact_sweep(m->compact, backwards);
    else
        br_lcp_gauss_seidel_sweep(m->gauss_seidel, backwards);
}

// v of the impulses at hand: what sweeps carry along loses digits by every stride.
static void find_velocities(br_lcp_accelerated *m) {
    br_lcp_island *s = m->island;
    if (m->is_compact) {
        br_lcp_compact_velocities(m->compact);
    } else if (s->form == BR_FORM_VELOCITY) {
        memcpy(s->v, s->momentum, (size_t)s->scalars * sizeof *s->v);
        br_lcp_island_add_jt(s, s->p, s->v);
        br_lcp_island_solve_mass(s, s->v);
    }
}

// Iterations that are left to tol, by how the second half of all so far went. INFINITY: it stands still.
static double what_is_left(const br_lcp_accelerated *m) {
    const int now = m->tests - 1, half = now / 2;
    const double fell = (double)m->history[half] - (double)m->history[now];
    const double left = (double)m->history[now] - br_log10(m->options->tol);
    return fell > 0.0 ? left / fell * (now - half) * ITERATIONS_PER_TEST : INFINITY;
}

static int takes_too_long(const br_lcp_accelerated *m) {
    const double left = what_is_left(m);
    return left > m->patience || m->iteration + left > MOST_PATIENCE * m->patience;
}

static br_progress accelerated_test(br_lcp_accelerated *m) {
    br_lcp_island *s = m->island;
    br_lcp_island_evaluate(s);
    const double residual = br_lcp_island_residual(s);
    br_lcp_island_keep_best(s, residual);
    br_lcp_trace(m->options, s, BR_SOLVER_ACCELERATED, m->iteration, residual, NAN, m->theta);
    if (residual <= m->options->tol) {
        m->outcome = BR_CONVERGED;
        return BR_FINISHED;
    }
    m->history[m->tests++] = (float)br_log10(s->best_residual);
    const int since = m->tests - 1 - STALL_TESTS;
    if (!isfinite(residual) || m->tests == MAX_TESTS ||
        (since >= 0 && m->history[m->tests - 1] > m->history[since] + (float)br_log10(STALL)) ||
        (m->patience > 0.0 && m->tests > TESTS_BEFORE_PACE && takes_too_long(m))) {
        m->outcome = BR_STALLED;
        return BR_FINISHED;
    }
    if (m->theta == 1.0) m->least = residual;
    m->rose = residual > WORSE * m->least; // since the strides started
    if (residual < m->least) m->least = residual;
    return BR_RUNNING;
}

// y := x + beta (x - x_k), and x_k := x
static void stride(br_lcp_accelerated *m, double beta) {
    br_lcp_island *s = m->island;
    for (int i = 0; i < s->rows; i++) {
        const double x = s->p[i];
        s->p[i] = x + beta * (x - m->last[i]);
        m->last[i] = x;
    }
}

br_progress br_lcp_accelerated_iterate(br_lcp_accelerated *m) {
    br_lcp_island *s = m->island;
    if (m->iteration >= m->options->max_iterations) return BR_FINISHED;
    m->iteration++;
    s->iterations++;
    memcpy(m->before, s->p, (size_t)s->rows * sizeof *s->p);
    find_velocities(m);
    sweep(m, 0);
    sweep(m, 1);
    double turn = 0.0;
    for (int i = 0; i < s->rows; i++) turn += (m->before[i] - s->p[i]) * (s->p[i] - m->last[i]);
    const int last = m->iteration >= m->options->max_iterations;
    if ((m->iteration % ITERATIONS_PER_TEST == 0 || last) && accelerated_test(m) == BR_FINISHED)
        return BR_FINISHED;
    if (turn > 0.0 || m->rose) {
        keep_last(m);
        m->rose = 0;
        m->least = INFINITY;
        return BR_RUNNING;
    }
    const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * m->theta * m->theta));
    stride(m, (m->theta - 1.0) / next);
    m->theta = next;
    return BR_RUNNING;
}

br_outcome br_lcp_accelerated_run(br_lcp_accelerated *m, const br_lcp_options *options, double patience) {
    br_lcp_accelerated_init(m, options, patience);
    while (br_lcp_accelerated_iterate(m) == BR_RUNNING) {}
    if (m->outcome != BR_CONVERGED) br_lcp_island_restore_best(m->island);
    return m->outcome;
}
