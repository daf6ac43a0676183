#include "lcp/pivot/block_pivot.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct bench {
    br_arena arena;
    br_block_pivot pivot;
    row_problem *p;
    double z[MAX_N], w[MAX_N], residual;
    br_side side[MAX_N];
} bench;

static int start(void **out) {
    bench *b = calloc(1, sizeof *b);
    br_arena_init(&b->arena, NULL);
    b->p = malloc(sizeof *b->p);
    *out = b;
    return br_block_pivot_create(&b->pivot, &b->arena, MAX_N) && b->p ? 0 : -1;
}

static int stop(void **out) {
    bench *b = *out;
    br_arena_free(&b->arena);
    free(b->p);
    free(b);
    return 0;
}

static br_outcome run(bench *b, const br_side *side, double delta) {
    const br_rows rows = rows_of(b->p);
    br_block_pivot_init(&b->pivot, &rows, side, NULL, delta);
    while (br_block_pivot_iterate(&b->pivot) == BR_RUNNING) {}
    const br_outcome outcome = br_block_pivot_test(&b->pivot, b->z, b->side);
    b->residual = br_rows_residual(&rows, b->z, b->w);
    return outcome;
}

static void a_few_steps_solve_p_matrices(void **data) {
    bench *b = *data;
    uint64_t state = 1;
    for (int k = 0; k < 300; k++) {
        dominant(b->p, &state, integer(&state, 1, 60));
        assert_int_equal(run(b, NULL, 0), BR_CONVERGED);
        assert_true(b->residual < 1e-10 && b->pivot.steps <= 10);
    }
}

static void boxes_are_kept(void **data) {
    bench *b = *data;
    uint64_t state = 2;
    for (int k = 0; k < 200; k++) {
        dominant(b->p, &state, integer(&state, 1, 40));
        for (int i = 0; i < b->p->n; i++) {
            b->p->lower[i] = between(&state, -0.1, 0);
            b->p->upper[i] = uniform(&state) < 0.3 ? INFINITY : between(&state, 0, 0.1);
        }
        assert_int_equal(run(b, NULL, 0), BR_CONVERGED);
        assert_true(b->residual < 1e-10);
        for (int i = 0; i < b->p->n; i++) {
            assert_true(b->z[i] >= b->p->lower[i] - 1e-10 && b->z[i] <= b->p->upper[i] + 1e-10);
        }
    }
}

static void the_right_basis_is_confirmed_in_one_step(void **data) {
    bench *b = *data;
    uint64_t state = 3;
    br_side side[MAX_N];
    dominant(b->p, &state, 50);
    assert_int_equal(run(b, NULL, 0), BR_CONVERGED);
    memcpy(side, b->side, sizeof side);
    assert_int_equal(run(b, side, 0), BR_CONVERGED);
    assert_int_equal(b->pivot.steps, 1);
}

static void a_singular_basis_is_reported(void **data) {
    bench *b = *data;
    start_lcp(b->p, 3);
    for (int i = 0; i < 9; i++) b->p->A[i] = 1;
    for (int i = 0; i < 3; i++) b->p->q[i] = -1;
    assert_int_equal(run(b, NULL, 0), BR_SINGULAR);
}

// The proximal term makes the basis regular, and leaves nothing of itself in the answer.
static void the_proximal_term_is_refined_away(void **data) {
    bench *b = *data;
    uint64_t state = 4;
    int solved = 0;
    for (int k = 0; k < 100; k++) {
        start_lcp(b->p, integer(&state, 3, 30));
        add_gram(b->p, &state, 1 + b->p->n / 2, 0);
        plant_solution(b->p, &state, 0);
        if (run(b, NULL, 1e-6) != BR_CONVERGED) continue; // fifty single pivots were not enough
        solved++;
        assert_true(b->residual < 1e-10);
    }
    assert_true(solved >= 85); // measured 89
}

static void murtys_phase_is_capped(void **data) {
    bench *b = *data;
    uint64_t state = 5;
    int stalled = 0;
    for (int k = 0; k < 20; k++) { // indefinite: nothing is guaranteed, except to stop
        start_lcp(b->p, 60);
        for (int i = 0; i < 3600; i++) b->p->A[i] = between(&state, -1, 1);
        for (int i = 0; i < 60; i++) b->p->q[i] = between(&state, -1, 1);
        stalled += run(b, NULL, 0) == BR_STALLED;
        assert_true(b->pivot.singles <= BR_MAX_SINGLE_PIVOTS + 1 && b->pivot.steps < 200);
    }
    assert_true(stalled > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_steps_solve_p_matrices),
        cmocka_unit_test(boxes_are_kept),
        cmocka_unit_test(the_right_basis_is_confirmed_in_one_step),
        cmocka_unit_test(a_singular_basis_is_reported),
        cmocka_unit_test(the_proximal_term_is_refined_away),
        cmocka_unit_test(murtys_phase_is_capped),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
