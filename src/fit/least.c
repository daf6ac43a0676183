#include "fit/least.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

// Relative to the cost: what is no gain any more, and what the model of first order must still promise for another round.
static const double NO_GAIN = 1e-13, NO_PROMISE = 1e-10, NO_STEP = 1e-10;
static const double FIRST_DAMPING = 1e-3, LAST_DAMPING = 1e8, LEAST_DAMPING = 1e-12;
static const double SEARCH_FROM = 0.02, SEARCH_TO = 1e-5, SEARCH_SHRINKS = 0.3;
enum { TRIES = 3, SEARCH_ROUNDS = 200 };

int br_least_room(least *s, br_arena *arena) {
    const size_t p = (size_t)s->p, m = (size_t)s->m, many = 2 * p > TRIES ? 2 * p : TRIES;
    s->J = BR_TAKE(arena, double, m *p);
    s->A = BR_TAKE(arena, double, p *p);
    s->g = BR_TAKE(arena, double, p), s->d = BR_TAKE(arena, double, TRIES *p);
    s->r = BR_TAKE(arena, double, m * 2), s->many = BR_TAKE(arena, double, m * 2);
    s->cost = BR_TAKE(arena, double, many), s->places = BR_TAKE(arena, double, many *p);
    return br_arena_ok(arena);
}

static int stays_put(const least *s, int k) {
    return s->fixed && s->fixed[k];
}

// Column by column: two places a column, so that memory does not grow with p. 0: there is no answer near u.
static int find_jacobian(least *s, const double *u) {
    const size_t p = (size_t)s->p, m = (size_t)s->m;
    for (int k = 0; k < s->p; k++) {
        double *a = s->places, *b = s->places + p;
        memcpy(a, u, p * sizeof *a), memcpy(b, u, p * sizeof *b);
        a[k] = fmax(0, u[k] - s->difference), b[k] = fmin(1, u[k] + s->difference);
        const double width = b[k] - a[k];
        if (stays_put(s, k)) {
            for (size_t i = 0; i < m; i++) s->J[i * p + (size_t)k] = 0;
            continue;
        }
        s->evaluate(s->context, 2, s->places, s->many, s->cost);
        if (!isfinite(s->cost[0]) || !isfinite(s->cost[1])) return 0;
        for (size_t i = 0; i < m; i++) s->J[i * p + (size_t)k] = (s->many[m + i] - s->many[i]) / width;
    }
    return 1;
}

static void normal_matrix(const least *s, double *A) {
    const size_t p = (size_t)s->p, m = (size_t)s->m;
    memset(A, 0, p * p * sizeof *A);
    for (size_t i = 0; i < m; i++) {
        const double *row = s->J + i * p;
        for (size_t a = 0; a < p; a++)
            for (size_t b = 0; b <= a; b++) A[a * p + b] += row[a] * row[b];
    }
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < a; b++) A[b * p + a] = A[a * p + b];
}

int br_least_normal(least *s, const double *u, double *A) {
    if (find_jacobian(s, u)) {
        normal_matrix(s, A);
        return 1;
    }
    memset(A, 0, (size_t)s->p * (size_t)s->p * sizeof *A);
    return 0;
}

// (A + damping diag A) d = -g over the parameters that are not held at a bound. Returns what the model promises.
static double least_step(const least *s, const double *u, double damping, double *d) {
    const int p = s->p;
    double *B = s->J; // its rows are done with: p * p <= m * p numbers of it
    double promise = 0, largest = 0;
    for (int a = 0; a < p; a++) largest = fmax(largest, s->A[a * p + a]);
    for (int a = 0; a < p; a++) {
        const int held = stays_put(s, a) || (u[a] <= 0 && s->g[a] > 0) || (u[a] >= 1 && s->g[a] < 0);
        d[a] = held ? 0 : -s->g[a];
        for (int b = 0; b < p; b++) {
            const int other = stays_put(s, b) || (u[b] <= 0 && s->g[b] > 0) || (u[b] >= 1 && s->g[b] < 0);
            B[a * p + b] = held || other ? (a == b) : s->A[a * p + b];
        }
        if (!held) B[a * p + a] += damping * (s->A[a * p + a] + 1e-9 * largest) + 1e-300;
    }
    if (br_cholesky_factor(p, B, p) != 0) {
        memset(d, 0, (size_t)p * sizeof *d);
        return 0;
    }
    br_cholesky_solve(p, B, p, d);
    for (int a = 0; a < p; a++) promise -= s->g[a] * d[a];
    return promise;
}

static least_end levenberg(least *s, double *u, double *cost) {
    const size_t p = (size_t)s->p, m = (size_t)s->m;
    double damping = FIRST_DAMPING;
    s->evaluate(s->context, 1, u, s->r, cost);
    if (!isfinite(*cost)) return LEAST_NOWHERE;
    for (int round = 0; round < s->rounds; round++) {
        if (*cost <= s->floor) return LEAST_CONVERGED;
        if (!find_jacobian(s, u)) return LEAST_EXHAUSTED;
        normal_matrix(s, s->A);
        for (size_t a = 0; a < p; a++) {
            s->g[a] = 0;
            for (size_t i = 0; i < m; i++) s->g[a] += s->J[i * p + a] * s->r[i];
        }
        for (int better = 0; !better;) {
            double promise = 0, longest = 0;
            for (int k = 0; k < TRIES; k++) {
                const double at = damping * (k == 0 ? 1 : k == 1 ? 0.03 : 30);
                const double all = least_step(s, u, at, s->d + (size_t)k * p);
                if (k == 1) promise = all; // the least damped
                for (size_t a = 0; a < p; a++) {
                    double *x = &s->places[(size_t)k * p + a];
                    *x = fmin(1, fmax(0, u[a] + s->d[(size_t)k * p + a]));
                    longest = fmax(longest, fabs(*x - u[a]));
                }
            }
            if (promise <= NO_PROMISE * *cost || longest < NO_STEP) return LEAST_CONVERGED;
            int best = -1;
            s->evaluate(s->context, TRIES, s->places, NULL, s->cost);
            for (int k = 0; k < TRIES; k++)
                if (s->cost[k] < *cost * (1 - NO_GAIN) && (best < 0 || s->cost[k] < s->cost[best])) best = k;
            better = best >= 0;
            if (!better && damping > (s->enough > 0 ? 1 : LAST_DAMPING)) return LEAST_EXHAUSTED;
            damping = better ? fmax(LEAST_DAMPING, damping * (best == 1   ? 0.03
                                                              : best == 2 ? 30
                                                                          : 0.3))
                             : damping * 300;
            if (better && *cost - s->cost[best] < s->enough * *cost) {
                memcpy(u, s->places + (size_t)best * p, p * sizeof *u);
                *cost = s->cost[best];
                return LEAST_CONVERGED;
            }
            if (better) memcpy(u, s->places + (size_t)best * p, p * sizeof *u);
        }
        s->evaluate(s->context, 1, u, s->r, cost);
    }
    return LEAST_EXHAUSTED;
}

// Along each coordinate, both ways, ever nearer: no derivative, so kinks and small jumps do not matter.
static least_end compass(least *s, double *u, double *cost, double from) {
    const size_t p = (size_t)s->p;
    double reach = from;
    for (int round = 0; round < SEARCH_ROUNDS; round++) {
        int n = 0, best = -1;
        for (int k = 0; k < 2 * s->p; k++) {
            double *x = s->places + (size_t)n * p;
            if (stays_put(s, k / 2)) continue;
            memcpy(x, u, p * sizeof *x);
            x[k / 2] = fmin(1, fmax(0, x[k / 2] + (k % 2 ? reach : -reach)));
            n += x[k / 2] != u[k / 2];
        }
        s->evaluate(s->context, n, s->places, NULL, s->cost);
        for (int k = 0; k < n; k++)
            if (s->cost[k] < *cost * (1 - NO_GAIN - 0.1 * s->enough) &&
                (best < 0 || s->cost[k] < s->cost[best]))
                best = k;
        if (best >= 0) {
            memcpy(u, s->places + (size_t)best * p, p * sizeof *u);
            *cost = s->cost[best];
            continue;
        }
        reach *= SEARCH_SHRINKS;
        if (reach < SEARCH_TO || reach < s->enough) return LEAST_CONVERGED;
    }
    return LEAST_EXHAUSTED;
}

least_end br_least_solve(least *s, double *u, double *cost) {
    least_end end = levenberg(s, u, cost);
    if (end == LEAST_NOWHERE || s->no_search || end == LEAST_CONVERGED) return end;
    const double before = *cost;
    end = compass(s, u, cost, SEARCH_FROM);
    if (*cost < 0.999 * before) { // there was something to find: perhaps the slope leads on from here
        const least_end again = levenberg(s, u, cost);
        if (again == LEAST_CONVERGED) return again;
    }
    return end;
}
