// The pieces around the methods: residual, scaling, reduction, polishing, the Fischer-Burmeister Newton.
#include "lcp/pivot/fischer.h"
#include "lcp/pivot/rows_polish.h"
#include "lcp/pivot/rows_reduce.h"
#include "lcp/pivot/rows_scale.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static int start(void **out) {
    br_arena *arena = calloc(1, sizeof *arena);
    br_arena_init(arena, NULL);
    *out = arena;
    return 0;
}

static int stop(void **out) {
    br_arena_free(*out);
    free(*out);
    return 0;
}

static void the_residual_is_the_natural_map(void **unused) {
    (void)unused;
    const double A[4] = {2, 0, 0, 1}, q[2] = {-4, 3}, lower[2] = {0, -INFINITY}, upper[2] = {1, INFINITY};
    const br_rows rows = {.n = 2, .A = A, .q = q, .lower = lower, .upper = upper};
    double w[2];
    assert_true(br_rows_residual(&rows, (const double[]){1, -3}, w) == 0); // at the upper bound with w = -2
    assert_true(w[0] == -2 && w[1] == 0);
    assert_true(br_rows_residual(&rows, (const double[]){0.5, -3}, w) == 0.5 / 4); // max|q| = 4
    assert_true(br_rows_residual(&rows, (const double[]){1, -1}, w) == 2.0 / 4);
    assert_true(isnan(br_rows_residual(&rows, (const double[]){NAN, -1}, w)));
}

static void scaling_is_undone_to_the_last_bit(void **data) {
    row_problem *p = malloc(sizeof *p);
    uint64_t state = 1;
    br_rows_scaled s;
    double z[MAX_N], back[MAX_N], scaled_z[MAX_N];
    assert_true(br_rows_scaled_create(&s, *data, MAX_N));
    dominant(p, &state, 30);
    spoil_scaling(p, &state);
    const br_rows rows = rows_of(p);
    br_rows_scale(&s, &rows);
    for (int i = 0; i < 30; i++) {
        double largest = 0;
        for (int j = 0; j < 30; j++) largest = fmax(largest, fabs(s.A[i * 30 + j]));
        assert_true(largest >= 0.25 && largest <= 4);
        z[i] = between(&state, -1, 1);
    }
    br_rows_scale_z(&s, z, scaled_z);
    br_rows_unscale_z(&s, scaled_z, back);
    assert_memory_equal(z, back, 30 * sizeof(double));
    free(p);
}

// Any x of the reduced problem gives a z with w = 0 on the free rows, and the same y.
static void the_reduced_problem_is_the_same_problem(void **data) {
    row_problem *p = malloc(sizeof *p);
    uint64_t state = 2;
    br_rows_reduced r;
    assert_true(br_rows_reduced_create(&r, *data, MAX_N, MAX_N));
    for (int k = 0; k < 100; k++) {
        double x[2 * MAX_N], z[MAX_N], w[MAX_N];
        br_side x_side[2 * MAX_N], side[MAX_N];
        if (k % 2)
            network(p, &state, 5, 6, 6);
        else {
            dominant(p, &state, 12);
            for (int i = 0; i < 12; i += 3) p->lower[i] = -INFINITY;
            for (int i = 1; i < 12; i += 3) p->upper[i] = 2;
            p->lower[5] = -INFINITY, p->upper[5] = 0.5;
            p->lower[8] = p->upper[8] = 0.25;
        }
        const br_rows rows = rows_of(p);
        br_rows_reduce(&r, &rows);
        for (int i = 0; i < r.m; i++) x[i] = uniform(&state), x_side[i] = BR_SIDE_BASIC;
        br_rows_restore(&r, &rows, x, x_side, z, side);
        br_rows_apply(&rows, z, w);
        for (int i = 0; i < p->n; i++) {
            // Free rows that could not be eliminated are rows of the reduced problem too.
            int left = 0;
            for (int j = 0; j < r.m; j++) left |= r.pair[j].kind >= BR_PAIR_PLUS;
            if (br_rows_is_free(&rows, i) && !left) assert_true(fabs(w[i]) < 1e-6);
        }
        for (int i = 0; i < r.m; i++) {
            double y = r.q[i];
            for (int j = 0; j < r.m; j++) y += r.M[i * r.m + j] * x[j];
            const int o = r.pair[i].index;
            const double distance = r.sign[o] * (z[o] - r.base[o]), force = r.sign[o] * w[o];
            if (r.pair[i].kind == BR_PAIR_PLAIN)
                assert_true(fabs(y - force) < 1e-6 && fabs(x[i] - distance) < 1e-6);
            if (r.pair[i].kind == BR_PAIR_SWAPPED)
                assert_true(fabs(y - distance) < 1e-6 && fabs(x[i] - force) < 1e-6);
        }
    }
    free(p);
}

static void polishing_restores_the_digits(void **data) {
    row_problem *p = malloc(sizeof *p);
    uint64_t state = 3;
    br_rows_polish polish;
    assert_true(br_rows_polish_create(&polish, *data, MAX_N));
    for (int k = 0; k < 100; k++) {
        double z[MAX_N], w[MAX_N];
        br_side side[MAX_N];
        start_lcp(p, 20);
        add_gram(p, &state, k % 2 ? 25 : 10, 0); // regular and singular
        plant_solution(p, &state, 0);
        const br_rows rows = rows_of(p);
        for (int i = 0; i < 20; i++) {
            side[i] = p->solution[i] > 0 ? BR_SIDE_BASIC : BR_SIDE_LOWER;
            z[i] = fmax(p->solution[i] + 1e-5 * between(&state, -1, 1), 0);
        }
        assert_true(br_rows_residual(&rows, z, w) > 1e-7);
        assert_true(br_rows_polish_run(&polish, &rows, side, z, w) < 1e-13);
    }
    free(p);
}

static void fischer_newton_solves_monotone_problems(void **data) {
    row_problem *p = malloc(sizeof *p);
    uint64_t state = 4;
    br_fischer f;
    int solved = 0;
    assert_true(br_fischer_create(&f, *data, MAX_N));
    for (int k = 0; k < 100; k++) {
        double z[MAX_N], w[MAX_N];
        br_side side[MAX_N];
        start_lcp(p, 20);
        add_gram(p, &state, 22, 0);
        if (k % 2) add_skew(p, &state, 0);
        for (int i = 0; i < 20; i++) {
            if (i % 4 == 0) p->lower[i] = -INFINITY;
            if (i % 3 == 0) p->upper[i] = 1;
        }
        plant_solution(p, &state, 0);
        const br_rows rows = rows_of(p);
        br_fischer_init(&f, &rows, NULL);
        while (br_fischer_iterate(&f) == BR_RUNNING) {}
        solved += br_fischer_test(&f, z, side) == BR_CONVERGED && br_rows_residual(&rows, z, w) < 1e-9;
    }
    assert_true(solved >= 90); // degenerate rows make some converge slowly
    free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_residual_is_the_natural_map, start, stop),
        cmocka_unit_test_setup_teardown(scaling_is_undone_to_the_last_bit, start, stop),
        cmocka_unit_test_setup_teardown(the_reduced_problem_is_the_same_problem, start, stop),
        cmocka_unit_test_setup_teardown(polishing_restores_the_digits, start, stop),
        cmocka_unit_test_setup_teardown(fischer_newton_solves_monotone_problems, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
