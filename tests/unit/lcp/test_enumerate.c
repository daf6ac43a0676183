#include "lcp/pivot/enumerate.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct bench {
    br_arena arena;
    br_box_lp lp;
    br_enumerate enumerate;
    row_problem *p;
    double z[MAX_N], w[MAX_N], residual;
    br_side side[MAX_N];
} bench;

static int start(void **out) {
    bench *b = calloc(1, sizeof *b);
    br_arena_init(&b->arena, NULL);
    b->p = malloc(sizeof *b->p);
    *out = b;
    return br_box_lp_create(&b->lp, &b->arena, MAX_N) &&
                   br_enumerate_create(&b->enumerate, &b->arena, MAX_N, &b->lp)
               ? 0
               : -1;
}

static int stop(void **out) {
    bench *b = *out;
    br_arena_free(&b->arena);
    free(b->p);
    free(b);
    return 0;
}

static br_outcome run(bench *b, long max_work) {
    const br_rows rows = rows_of(b->p);
    br_enumerate_init(&b->enumerate, &rows, max_work);
    while (br_enumerate_iterate(&b->enumerate) == BR_RUNNING) {}
    const br_outcome outcome = br_enumerate_test(&b->enumerate, b->z, b->side);
    b->residual = br_rows_residual(&rows, b->z, b->w);
    return outcome;
}

// The solutions of w = 0 z + 0 in one basis are a half line; of M = e e^T a whole face. No basis matrix is regular.
static void singular_bases_are_decided(void **data) {
    bench *b = *data;
    start_lcp(b->p, 3);
    for (int i = 0; i < 9; i++) b->p->A[i] = 1;
    for (int i = 0; i < 3; i++) b->p->q[i] = -1;
    assert_int_equal(run(b, 0), BR_CONVERGED);
    assert_true(b->residual < 1e-12);
    start_lcp(b->p, 1);
    assert_int_equal(run(b, 0), BR_CONVERGED);
    b->p->q[0] = -1;
    assert_int_equal(run(b, 0), BR_INFEASIBLE);
}

static void feasible_conditions_without_a_complementary_point_are_infeasible(void **data) {
    bench *b = *data;
    start_lcp(b->p, 2); // z2 >= 1, so w2 = z1 + z2 + 1 must vanish and cannot
    *entry(b->p, 0, 1) = *entry(b->p, 1, 0) = *entry(b->p, 1, 1) = 1;
    b->p->q[0] = -1;
    b->p->q[1] = 1;
    assert_int_equal(run(b, 0), BR_INFEASIBLE);
}

static void planted_solutions_of_fourteen_rows_are_found(void **data) {
    bench *b = *data;
    uint64_t state = 1;
    for (int k = 0; k < 100; k++) {
        start_lcp(b->p, 14);
        for (int i = 0; i < 14 * 14; i++) b->p->A[i] = integer(&state, -2, 2);
        for (int i = 0; i < 14; i++) {
            if (k % 2 == 0 && i % 3 == 0) b->p->upper[i] = integer(&state, 1, 3);
        }
        plant_solution(b->p, &state, 1);
        assert_int_equal(run(b, 0), BR_CONVERGED);
        assert_true(b->residual < 1e-8);
    }
}

static void the_cap_on_work_holds(void **data) {
    bench *b = *data;
    uint64_t state = 2;
    start_lcp(b->p, 40);
    for (int i = 0; i < 1600; i++) b->p->A[i] = integer(&state, -2, 2);
    plant_solution(b->p, &state, 1);
    assert_int_equal(run(b, 1), BR_MAX_ITERATIONS);
    assert_int_equal(b->enumerate.nodes, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_bases_are_decided),
        cmocka_unit_test(feasible_conditions_without_a_complementary_point_are_infeasible),
        cmocka_unit_test(planted_solutions_of_fourteen_rows_are_found),
        cmocka_unit_test(the_cap_on_work_holds),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
