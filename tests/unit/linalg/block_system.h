// A block matrix kept twice for the tests: as pattern and dims for br_block_*, and as a dense row-major matrix.
#ifndef BLOCK_SYSTEM_H
#define BLOCK_SYSTEM_H

#include <stdlib.h>
#include <string.h>

#include "linalg/block_ldu.h"
#include "linalg/dense.h"
#include "near.h"
#include "random.h"

enum { MAX_NODES = 400, MAX_PAIRS = 4000 };

typedef struct block_system {
    int n, size, n_pairs;
    int dims[MAX_NODES], offset[MAX_NODES];
    int pairs[MAX_PAIRS][2];
    double *A; // size x size
} block_system;

static inline void system_start(block_system *s, int n, const int *dims, int dim) {
    memset(s, 0, sizeof *s);
    s->n = n;
    for (int i = 0; i < n; i++) {
        s->dims[i] = dims ? dims[i] : dim;
        s->offset[i] = s->size;
        s->size += s->dims[i];
    }
}

static inline void system_couple(block_system *s, int i, int j) {
    assert_true(s->n_pairs < MAX_PAIRS);
    s->pairs[s->n_pairs][0] = i;
    s->pairs[s->n_pairs++][1] = j;
}

static inline double *system_entry(block_system *s, int i, int r, int j, int c) {
    return &s->A[(size_t)(s->offset[i] + r) * (size_t)s->size + (size_t)(s->offset[j] + c)];
}

// Random entries in -1..1 on the pattern, then `diagonal` more on the diagonal.
static inline void system_fill(block_system *s, rng *r, int symmetric, double diagonal) {
    s->A = (double *)calloc((size_t)s->size * (size_t)s->size, sizeof(double));
    assert_non_null(s->A);
    for (int p = -s->n; p < s->n_pairs; p++) {
        const int i = p < 0 ? -1 - p : s->pairs[p][0], j = p < 0 ? i : s->pairs[p][1];
        for (int a = 0; a < s->dims[i]; a++) {
            for (int b = 0; b < s->dims[j]; b++) {
                *system_entry(s, i, a, j, b) = rng_uniform(r, -1, 1);
                if (i != j) *system_entry(s, j, b, i, a) = rng_uniform(r, -1, 1);
            }
        }
    }
    for (int i = 0; i < s->size; i++) {
        for (int j = 0; symmetric && j < i; j++)
            s->A[(size_t)j * (size_t)s->size + (size_t)i] = s->A[(size_t)i * (size_t)s->size + (size_t)j];
        s->A[(size_t)i * (size_t)s->size + (size_t)i] += diagonal;
    }
}

static inline void system_free(block_system *s) {
    free(s->A);
    s->A = NULL;
}

static inline br_block_ldu *system_analyze(br_arena *arena, const block_system *s) {
    br_block_ldu *f = NULL;
    br_error error = {0};
    assert_int_equal(br_block_analyze(arena, s->n, s->dims, s->n_pairs, s->pairs, &f, &error), BR_OK);
    assert_int_equal(br_block_scalar_size(f), s->size);
    return f;
}

static inline void system_put(block_system *s, br_block_ldu *f, br_block_symmetry symmetry, int i, int j) {
    const br_block_ref ref = br_block_at(f, symmetry, i, j);
    if (symmetry == BR_BLOCK_GENERAL || i == j) assert_true(ref.stored);
    if (!ref.stored) return;
    for (int r = 0; r < s->dims[i]; r++)
        for (int c = 0; c < s->dims[j]; c++)
            ref.value[r * ref.row_stride + c * ref.col_stride] = *system_entry(s, i, r, j, c);
}

static inline void system_assemble(block_system *s, br_block_ldu *f, br_block_symmetry symmetry) {
    br_block_clear(f);
    for (int i = 0; i < s->n; i++) system_put(s, f, symmetry, i, i);
    for (int p = 0; p < s->n_pairs; p++) {
        system_put(s, f, symmetry, s->pairs[p][0], s->pairs[p][1]);
        system_put(s, f, symmetry, s->pairs[p][1], s->pairs[p][0]);
    }
}

// Largest |A x - b| over (largest |A| |x| + |b| of that row): the componentwise backward error.
static inline double system_backward_error(const block_system *s, const double *x, const double *b) {
    double worst = 0;
    for (int i = 0; i < s->size; i++) {
        double sum = -b[i], scale = fabs(b[i]);
        for (int j = 0; j < s->size; j++) {
            const double term = s->A[(size_t)i * (size_t)s->size + (size_t)j] * x[j];
            sum += term;
            scale += fabs(term);
        }
        const double error = scale > 0 ? fabs(sum) / scale : fabs(sum);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

// Assembles, factors, solves for a random right-hand side twice, and returns the worse backward error.
static inline double system_solve_error(block_system *s, br_block_ldu *f, br_block_symmetry symmetry,
                                        rng *r) {
    double *x = (double *)malloc((size_t)s->size * sizeof *x),
           *b = (double *)malloc((size_t)s->size * sizeof *b);
    assert_true(x && b);
    double worst = 0;
    for (int round = 0; round < 2; round++) {
        system_assemble(s, f, symmetry);
        assert_int_equal(br_block_factor(f, symmetry, 1e-14, NULL), BR_OK);
        for (int i = 0; i < s->size; i++) x[i] = b[i] = rng_uniform(r, -1, 1);
        br_block_solve(f, x);
        const double error = system_backward_error(s, x, b);
        if (!(error <= worst)) worst = error;
    }
    free(x);
    free(b);
    return worst;
}

#endif
