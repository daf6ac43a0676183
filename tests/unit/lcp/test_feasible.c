#include "lcp/pivot/feasible.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct bench {
    br_arena arena;
    br_box_lp lp;
    row_problem *p;
} bench;

static int start(void **out) {
    bench *b = calloc(1, sizeof *b);
    br_arena_init(&b->arena, NULL);
    b->p = malloc(sizeof *b->p);
    *out = b;
    return br_box_lp_create(&b->lp, &b->arena, MAX_N) && b->p ? 0 : -1;
}

static int stop(void **out) {
    bench *b = *out;
    br_arena_free(&b->arena);
    free(b->p);
    free(b);
    return 0;
}

static void a_planted_point_is_found(void **data) {
    bench *b = *data;
    uint64_t state = 1;
    for (int k = 0; k < 200; k++) {
        start_lcp(b->p, integer(&state, 1, 60));
        for (int i = 0; i < b->p->n * b->p->n; i++)
            b->p->A[i] = k % 2 ? integer(&state, -2, 2) : between(&state, -1, 1);
        for (int i = 0; i < b->p->n; i++) {
            if (integer(&state, 0, 4) == 0) b->p->lower[i] = -INFINITY;
            if (integer(&state, 0, 4) == 0) b->p->upper[i] = 1;
        }
        plant_solution(b->p, &state, k % 2);
        const br_rows rows = rows_of(b->p);
        assert_int_equal(br_feasible(&b->lp, &rows), BR_LP_FEASIBLE);
    }
}

static void equations_that_contradict_each_other_have_a_certificate(void **data) {
    bench *b = *data;
    uint64_t state = 2;
    for (int k = 0; k < 100; k++) {
        const int n = integer(&state, 2, 40);
        start_lcp(b->p, n);
        for (int i = 0; i < n; i++) {
            b->p->lower[i] = -INFINITY;
            b->p->q[i] = between(&state, -1, 1);
            for (int j = 0; j < n; j++) *entry(b->p, i, j) = between(&state, -1, 1);
        }
        for (int j = 0; j < n; j++) *entry(b->p, n - 1, j) = 2 * *entry(b->p, 0, j);
        b->p->q[n - 1] = 2 * b->p->q[0] + (k % 2 ? 0.01 : -0.01);
        const br_rows rows = rows_of(b->p);
        assert_int_equal(br_feasible(&b->lp, &rows), BR_LP_EMPTY);
        const double *c = b->lp.certificate; // proportional to (2, 0, .., 0, -1)
        assert_true(fabs(c[0] + 2 * c[n - 1]) < 1e-9);
        for (int i = 1; i < n - 1; i++) assert_true(fabs(c[i]) < 1e-9);
    }
}

// z <= 1 allows z1 + z2 up to 2, and 3 is asked for: the finite bounds are part of the proof.
static void bounds_take_part_in_a_proof(void **data) {
    bench *b = *data;
    start_lcp(b->p, 3);
    *entry(b->p, 2, 0) = *entry(b->p, 2, 1) = 1;
    b->p->q[2] = -3;
    b->p->upper[0] = b->p->upper[1] = 1;
    const br_rows rows = rows_of(b->p);
    assert_int_equal(br_feasible(&b->lp, &rows), BR_LP_EMPTY);
    b->p->q[2] = -2;
    assert_int_equal(br_feasible(&b->lp, &rows), BR_LP_FEASIBLE);
}

static void a_wrong_certificate_proves_nothing(void **data) {
    bench *b = *data;
    start_lcp(b->p, 2);
    *entry(b->p, 0, 0) = *entry(b->p, 1, 1) = 1;
    b->p->q[0] = -1;
    const br_rows rows = rows_of(b->p);
    assert_int_equal(br_feasible(&b->lp, &rows), BR_LP_FEASIBLE);
    assert_false(br_box_lp_proves(&b->lp, (const double[]){1, 0}));
    assert_false(br_box_lp_proves(&b->lp, (const double[]){-1, 0}));
    assert_false(br_box_lp_proves(&b->lp, (const double[]){0, 0}));
}

// A contradiction of the size of rounding is neither confirmed nor denied.
static void rounding_is_no_contradiction(void **data) {
    bench *b = *data;
    start_lcp(b->p, 2);
    for (int i = 0; i < 2; i++) {
        b->p->lower[i] = -INFINITY;
        for (int j = 0; j < 2; j++) *entry(b->p, i, j) = 1;
        b->p->q[i] = 1;
    }
    b->p->q[1] += 1e-12;
    const br_rows rows = rows_of(b->p);
    assert_int_not_equal(br_feasible(&b->lp, &rows), BR_LP_EMPTY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_point_is_found),
        cmocka_unit_test(equations_that_contradict_each_other_have_a_certificate),
        cmocka_unit_test(bounds_take_part_in_a_proof),
        cmocka_unit_test(a_wrong_certificate_proves_nothing),
        cmocka_unit_test(rounding_is_no_contradiction),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
