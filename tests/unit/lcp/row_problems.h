// Row problems for the tests of the pivoting methods: a number generator that is the same everywhere, and the families.
#ifndef ROW_PROBLEMS_H
#define ROW_PROBLEMS_H

#include "lcp/pivot/rows.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MAX_N 100

typedef struct row_problem {
    int n;
    double A[MAX_N * MAX_N], q[MAX_N], lower[MAX_N], upper[MAX_N];
    double solution[MAX_N]; // where the family has one that it knows
} row_problem;

static inline br_rows rows_of(const row_problem *p) {
    return (br_rows){.n = p->n, .A = p->A, .q = p->q, .lower = p->lower, .upper = p->upper};
}

static inline double *entry(row_problem *p, int i, int j) {
    return &p->A[(size_t)i * (size_t)p->n + (size_t)j];
}

static inline double uniform(uint64_t *state) { // xorshift64*
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) * 0x1p-53;
}

static inline double between(uint64_t *state, double low, double high) {
    return low + (high - low) * uniform(state);
}

static inline int integer(uint64_t *state, int low, int high) { // low .. high
    return low + (int)(uniform(state) * (high - low + 1));
}

static inline void start_lcp(row_problem *p, int n) {
    p->n = n;
    memset(p->A, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        p->q[i] = p->lower[i] = p->solution[i] = 0;
        p->upper[i] = INFINITY;
    }
}

// A = scale * F F^T with F n x rank: positive semidefinite.
static inline void add_gram(row_problem *p, uint64_t *state, int rank, int whole) {
    for (int k = 0; k < rank; k++) {
        double f[MAX_N];
        for (int i = 0; i < p->n; i++) f[i] = whole ? integer(state, -2, 2) : between(state, -1, 1);
        for (int i = 0; i < p->n; i++) {
            for (int j = 0; j < p->n; j++) *entry(p, i, j) += f[i] * f[j];
        }
    }
}

static inline void add_skew(row_problem *p, uint64_t *state, int whole) {
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < i; j++) {
            const double s = whole ? integer(state, -2, 2) : between(state, -1, 1);
            *entry(p, i, j) += s;
            *entry(p, j, i) -= s;
        }
    }
}

// q such that a random z, on bounds or between them, solves the problem; degenerate rows included.
static inline void plant_solution(row_problem *p, uint64_t *state, int whole) {
    double w[MAX_N];
    for (int i = 0; i < p->n; i++) {
        const double l = p->lower[i], u = p->upper[i], step = whole ? integer(state, 0, 3) : uniform(state);
        const int at_lower = !isinf(l) && uniform(state) < 0.4,
                  at_upper = !at_lower && !isinf(u) && uniform(state) < 0.5;
        const double push = uniform(state) < 0.2 ? 0 : whole ? integer(state, 0, 3) : uniform(state);
        p->solution[i] = at_lower   ? l
                         : at_upper ? u
                         : isinf(l) ? (isinf(u) ? step - 0.5 : u - step)
                                    : fmin(l + step, u);
        w[i] = at_lower ? push : at_upper ? -push : 0;
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i] = w[i];
        for (int j = 0; j < p->n; j++) p->q[i] -= *entry(p, i, j) * p->solution[j];
    }
}

// Murty's: Lemke-like single pivots visit all 2^n bases from the last row on.
static inline void murty(row_problem *p, int n) {
    start_lcp(p, n);
    for (int i = 0; i < n; i++) {
        p->q[i] = -1;
        for (int j = 0; j <= i; j++) *entry(p, i, j) = i == j ? 1 : 2;
    }
}

static inline void murty_transposed(row_problem *p, int n) {
    start_lcp(p, n);
    for (int i = 0; i < n; i++) {
        p->q[i] = -1;
        for (int j = i; j < n; j++) *entry(p, i, j) = i == j ? 1 : 2;
    }
}

// Fathi's symmetric positive definite variant: Murty's matrix times its transpose.
static inline void fathi(row_problem *p, int n) {
    start_lcp(p, n);
    for (int i = 0; i < n; i++) {
        p->q[i] = -1;
        for (int j = 0; j < n; j++) *entry(p, i, j) = i == j ? 1 + 4 * i : 2 + 4 * (i < j ? i : j);
    }
}

// q_i = -2^(n-i), for which the path of Murty's least-index rule is longest.
static inline void steepen(row_problem *p) {
    for (int i = 0; i < p->n; i++) {
        p->q[i] = 0;
        for (int k = i; k < p->n; k++) p->q[i] -= exp2(k);
    }
}

static inline void bimatrix_game(row_problem *p, uint64_t *state, int n, int whole) {
    start_lcp(p, n);
    for (int i = 0; i < n; i++) {
        p->q[i] = -1;
        for (int j = 0; j < n; j++) {
            if ((i < n / 2) != (j < n / 2))
                *entry(p, i, j) = whole ? integer(state, 1, 4) : between(state, 0.1, 1.1);
        }
    }
}

static inline void monotone(row_problem *p, uint64_t *state, int n, int rank, int skew, int whole) {
    start_lcp(p, n);
    add_gram(p, state, rank, whole);
    if (skew) add_skew(p, state, whole);
    plant_solution(p, state, whole);
}

// Diagonally dominant: a P-matrix, not symmetric.
static inline void dominant(row_problem *p, uint64_t *state, int n) {
    start_lcp(p, n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            if (i == j) continue;
            *entry(p, i, j) = between(state, -1, 1);
            sum += fabs(*entry(p, i, j));
        }
        *entry(p, i, i) = sum + between(state, 0.1, 1);
        p->q[i] = between(state, -1, 1);
    }
}

// A network of resistors, batteries and ideal diodes in tableau form. Unknowns: the potential of every node (free, known
// only up to a constant, one Kirchhoff row redundant), the current of every resistor and battery (free), and of every
// diode (complementary to its blocking voltage). The free block is singular; monotone, and always solvable since every
// battery has a resistance.
static inline void network(row_problem *p, uint64_t *state, int nodes, int branches, int diodes) {
    const int n = nodes + branches + diodes;
    start_lcp(p, n);
    for (int k = nodes; k < n; k++) {
        const int from =
            k - nodes < nodes - 1 ? k - nodes : integer(state, 0, nodes - 1); // a chain joins the nodes
        int to = k - nodes < nodes - 1 ? from + 1 : integer(state, 0, nodes - 1);
        if (to == from) to = (from + 1) % nodes;
        const double sign = k < nodes + branches ? 1 : -1; // row of a diode: w = e_to - e_from
        *entry(p, from, k) += 1;
        *entry(p, to, k) -= 1;
        *entry(p, k, from) += sign;
        *entry(p, k, to) -= sign;
        if (k >= nodes + branches) continue;
        *entry(p, k, k) = -pow(10, between(state, -3, 5));
        if (uniform(state) < 0.5) p->q[k] = -between(state, -10, 10);
    }
    for (int i = 0; i < nodes + branches; i++) p->lower[i] = -INFINITY;
}

// D A D with factors over twelve decades, q with them.
static inline void spoil_scaling(row_problem *p, uint64_t *state) {
    double factor[MAX_N];
    for (int i = 0; i < p->n; i++) factor[i] = pow(10, between(state, -6, 6));
    for (int i = 0; i < p->n; i++) {
        p->q[i] *= factor[i];
        for (int j = 0; j < p->n; j++) *entry(p, i, j) *= factor[i] * factor[j];
    }
}

#endif
