// Random closed loops with a null space that is known because it was planted: each redundant column is a
// combination of others.
#ifndef BR_TESTS_TRUST_RANDOM_LOOPS_H
#define BR_TESTS_TRUST_RANDOM_LOOPS_H

#include "balances.h"
#include "random.h"

enum { LOOP_NULLITY = 3, LOOP_COLUMNS = 24 };

typedef struct loop_kind {
    int nullity;    // planted
    int most_forms; // of a norm; 1: signs only
    int most_directions;
    int most_pads;
} loop_kind;

typedef struct random_loop {
    br_balance b;
    int nullity;
    double z[LOOP_NULLITY][LOOP_COLUMNS]; // A z = 0
    double x[LOOP_COLUMNS];               // forces within their limits, most of the time
} random_loop;

static inline double *random_form(br_arena *arena, rng *random, const random_loop *l) {
    const br_balance *b = &l->b;
    double *form = BR_TAKE(arena, double, b->columns);
    const int p = rng_below(random, b->bilateral), q = rng_below(random, b->bilateral);
    form[p] = rng_uniform(random, 0.3, 2);
    if (rng_below(random, 3) == 0) form[q] += rng_uniform(random, -1, 1);
    // Some are unique although their columns are not: what changes along the first null vector cancels.
    if (l->nullity == 1 && rng_below(random, 3) == 0 && p != q && l->z[0][p] != 0 && l->z[0][q] != 0)
        form[q] = -form[p] * l->z[0][p] / l->z[0][q];
    return form;
}

static inline void random_pads(br_arena *arena, rng *random, random_loop *l, const loop_kind *kind, int count,
                               const int *directions) {
    br_balance *b = &l->b;
    int column = b->bilateral;
    for (int i = 0; i < count; i++) {
        br_balance_pad *p = &b->pad[i];
        p->directions = directions[i];
        p->column = column;
        column += directions[i];
        p->norms = 1 + rng_below(random, 2);
        p->preload = rng_below(random, 3) == 0 ? rng_uniform(random, 0, 3) : 0;
        for (int k = 0; k < p->norms; k++) {
            p->norm[k].forms = 1 + rng_below(random, kind->most_forms);
            for (int j = 0; j < p->norm[k].forms; j++) p->norm[k].form[j] = random_form(arena, random, l);
        }
        p->mu_kinetic = rng_uniform(random, 0.05, 0.5);
        p->mu_static = p->mu_kinetic * rng_uniform(random, 1, 1.6);
    }
}

// Friction of the chosen forces brought within its limits, but for one case in four.
static inline void random_forces(rng *random, random_loop *l) {
    br_balance *b = &l->b;
    for (int c = 0; c < b->columns; c++) l->x[c] = rng_uniform(random, -10, 10);
    const int wild = rng_below(random, 4) == 0;
    for (int i = 0; i < b->pads && !wild; i++) {
        const br_balance_pad *p = &b->pad[i];
        double length = 0;
        for (int k = 0; k < p->directions; k++) length += l->x[p->column + k] * l->x[p->column + k];
        const double allowed = p->mu_static * br_balance_load(b, i, l->x) * rng_uniform(random, 0, 1);
        for (int k = 0; k < p->directions; k++) l->x[p->column + k] *= allowed / sqrt(length);
    }
}

static inline void random_masses(rng *random, br_balance *b) {
    const int n = b->n;
    for (int i = 0; i < n; i++) b->M[i * n + i] = rng_uniform(random, 0.5, 20);
    for (int i = 0; i + 1 < n; i += 2) { // some coupling, still positive definite
        const double m = 0.5 * fmin(b->M[i * n + i], b->M[(i + 1) * n + i + 1]);
        b->M[i * n + i + 1] = b->M[(i + 1) * n + i] = rng_uniform(random, -m, m);
    }
}

static inline random_loop random_loop_make(br_arena *arena, rng *random, loop_kind kind) {
    random_loop l = {.nullity = kind.nullity};
    const int pads = 1 + rng_below(random, kind.most_pads);
    int directions[8], friction = 0;
    for (int i = 0; i < pads; i++) friction += directions[i] = 1 + rng_below(random, kind.most_directions);
    const int base = friction + 2 + rng_below(random, 5), columns = base + kind.nullity;
    const int n = base + rng_below(random, 3);
    l.b = balance_new(arena, n, columns, columns - friction, pads);
    br_balance *b = &l.b;
    int order[LOOP_COLUMNS];
    for (int c = 0; c < columns; c++) order[c] = c;
    for (int c = columns - 1; c > 0; c--) {
        const int o = rng_below(random, c + 1), t = order[c];
        order[c] = order[o], order[o] = t;
    }
    for (int k = 0; k < base; k++) {
        const double unit = pow(10, rng_uniform(random, -1, 1)); // forces and torques
        for (int i = 0; i < n; i++) b->A[i * columns + order[k]] = unit * rng_uniform(random, -1, 1);
    }
    for (int d = 0; d < kind.nullity; d++) {
        const int dependent = order[base + d];
        l.z[d][dependent] = 1;
        for (int k = 0; k < base; k++) {
            if (rng_below(random, 2) == 0 && k > 1) continue;
            const double share = rng_uniform(random, 0.2, 1.5) * (rng_below(random, 2) ? 1 : -1);
            l.z[d][order[k]] = -share;
            for (int i = 0; i < n; i++) b->A[i * columns + dependent] += share * b->A[i * columns + order[k]];
        }
    }
    random_pads(arena, random, &l, &kind, pads, directions);
    random_masses(random, b);
    random_forces(random, &l);
    for (int i = 0; i < n; i++) b->a[i] = rng_uniform(random, -1, 1);
    for (int c = 0; c < columns; c++) {
        b->x[c] = l.x[c];
        for (int i = 0; i < n; i++) b->gamma[c] += b->A[i * columns + c] * b->a[i];
    }
    for (int i = 0; i < n; i++) { // Q = M a - A x
        for (int j = 0; j < n; j++) b->Q[i] += b->M[i * n + j] * b->a[j];
        for (int c = 0; c < columns; c++) b->Q[i] -= b->A[i * columns + c] * l.x[c];
    }
    return l;
}

#endif
