// Small linear programs: against every corner tried, and the ones that have no answer.
#include "near.h"
#include "random.h"
#include "trust/lp.h"

#include "corners.h"

static void optimum_is_the_best_corner(void **state) {
    (void)state;
    br_arena arena;
    br_lp lp;
    rng random = {1};
    int feasible = 0, none = 0;
    br_arena_init(&arena, NULL);
    assert_true(br_lp_create(&lp, &arena, 5, 40));
    for (int trial = 0; trial < 3000; trial++) {
        corners c = {.n = 1 + rng_below(&random, 4)};
        const int rows = 3 + rng_below(&random, 9);
        br_lp_begin(&lp, c.n);
        for (int i = 0; i < rows; i++) {
            double g[CORNER_N];
            // Whole numbers make ties and parallel rows, which is where a simplex method goes wrong.
            for (int j = 0; j < c.n; j++)
                g[j] = trial % 2 ? rng_below(&random, 5) - 2 : rng_uniform(&random, -1, 1);
            const double h = trial % 2 ? rng_below(&random, 6) - 1 : rng_uniform(&random, -0.3, 1);
            corners_row(&c, g, h);
            br_lp_row(&lp, g, h);
        }
        for (int j = 0; j < c.n; j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double g[CORNER_N] = {0};
                g[j] = sign;
                br_lp_row(&lp, g, 10);
            }
        corners_box(&c, 10);
        double p = 0, q[1][CORNER_N] = {{0}}, low = INFINITY, high = -INFINITY;
        for (int j = 0; j < c.n; j++)
            lp.c[j] = q[0][j] = trial % 3 ? rng_uniform(&random, -1, 1) : rng_below(&random, 3) - 1;
        const long found = corners_extremes(&c, 1, &p, (const double(*)[CORNER_N])q, &low, &high);
        const br_lp_answer answer = br_lp_solve(&lp);
        assert_int_equal(answer, found ? BR_LP_OPTIMUM : BR_LP_INFEASIBLE);
        if (found) assert_near(lp.value, low, 1e-9); // rows hold to 1e-11, corners are no sharper than 1e-2
        feasible += found > 0;
        none += found == 0;
    }
    assert_true(feasible > 500 && none > 100);
    br_arena_free(&arena);
}

// Equations as pairs of rows, nearly parallel (2^-12 apart) and one of them twice, all exact at a point of eighths: there is that
// point and no other; with one equation moved by 2^-20 there is none.
static void equations_of_nearly_parallel_rows(void **state) {
    (void)state;
    enum { N = 6 };
    br_arena arena;
    br_lp lp;
    rng random = {7};
    br_arena_init(&arena, NULL);
    assert_true(br_lp_create(&lp, &arena, N, 4 * N));
    for (int trial = 0; trial < 400; trial++) {
        double z[N], base[N], rows[N + 1][N], h[N + 1];
        for (int j = 0; j < N; j++) z[j] = (rng_below(&random, 81) - 40) / 8.0;
        for (int j = 0; j < N; j++) base[j] = rng_below(&random, 9) - 4;
        for (int i = 0; i <= N; i++) {
            h[i] = 0.0;
            for (int j = 0; j < N; j++) {
                rows[i][j] = base[j] + ldexp(1 + rng_below(&random, 64), -12) * (rng_below(&random, 3) - 1);
                if (i == N) rows[i][j] = rows[0][j] + rows[1][j]; // says nothing new
                h[i] += rows[i][j] * z[j];
            }
        }
        for (int moved = 0; moved < 2; moved++) {
            br_lp_begin(&lp, N);
            for (int i = 0; i <= N; i++) {
                double other[N];
                const double right = h[i] + (i == N && moved ? ldexp(1, -20) : 0.0);
                for (int j = 0; j < N; j++) other[j] = -rows[i][j];
                br_lp_row(&lp, rows[i], right);
                br_lp_row(&lp, other, -right);
            }
            for (int j = 0; j < N; j++) lp.c[j] = rng_uniform(&random, -1, 1);
            const br_lp_answer answer = br_lp_solve(&lp);
            if (moved)
                assert_int_equal(answer, BR_LP_INFEASIBLE);
            else
                assert_true(answer == BR_LP_OPTIMUM || answer == BR_LP_UNBOUNDED); // of dependent rows
        }
    }
    br_arena_free(&arena);
}

static void unbounded_is_told(void **state) {
    (void)state;
    br_arena arena;
    br_lp lp;
    br_arena_init(&arena, NULL);
    assert_true(br_lp_create(&lp, &arena, 2, 4));
    br_lp_begin(&lp, 2); // x - y <= 1, nothing below
    br_lp_row(&lp, (double[]){1, -1}, 1);
    lp.c[0] = 1;
    assert_int_equal(br_lp_solve(&lp), BR_LP_UNBOUNDED);
    br_lp_begin(&lp, 2); // bounded along c though the set is not bounded
    br_lp_row(&lp, (double[]){1, -1}, 1);
    lp.c[0] = -1, lp.c[1] = 1;
    assert_int_equal(br_lp_solve(&lp), BR_LP_OPTIMUM);
    assert_near(lp.value, -1, 1e-9);
    br_arena_free(&arena);
}

static void rows_can_be_added_after_a_solve(void **state) {
    (void)state;
    br_arena arena;
    br_lp lp;
    br_arena_init(&arena, NULL);
    assert_true(br_lp_create(&lp, &arena, 2, 200));
    br_lp_begin(&lp, 2);
    lp.c[0] = -3, lp.c[1] = -4;
    br_lp_row(&lp, (double[]){1, 0}, 1);
    br_lp_row(&lp, (double[]){0, 1}, 1);
    assert_int_equal(br_lp_solve(&lp), BR_LP_OPTIMUM);
    for (int k = 0; k < 60; k++) { // tangents of the unit circle: the optimum of a disk is at (3, 4) / 5
        const double length = hypot(lp.z[0], lp.z[1]);
        if (length < 1 + 1e-11) break;
        br_lp_row(&lp, (double[]){lp.z[0] / length, lp.z[1] / length}, 1);
        assert_int_equal(br_lp_solve(&lp), BR_LP_OPTIMUM);
    }
    assert_near(lp.value, -5, 1e-9);
    br_lp_row(&lp, (double[]){-1, -1}, -2);
    assert_int_equal(br_lp_solve(&lp), BR_LP_INFEASIBLE);
    br_arena_free(&arena);
}

static void nothing_unknown_is_allowed(void **state) {
    (void)state;
    br_arena arena;
    br_lp lp;
    br_arena_init(&arena, NULL);
    assert_true(br_lp_create(&lp, &arena, 0, 2));
    br_lp_begin(&lp, 0);
    br_lp_row(&lp, NULL, 1);
    assert_int_equal(br_lp_solve(&lp), BR_LP_OPTIMUM);
    br_lp_row(&lp, NULL, -1);
    assert_int_equal(br_lp_solve(&lp), BR_LP_INFEASIBLE);
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimum_is_the_best_corner), cmocka_unit_test(equations_of_nearly_parallel_rows),
        cmocka_unit_test(unbounded_is_told),          cmocka_unit_test(rows_can_be_added_after_a_solve),
        cmocka_unit_test(nothing_unknown_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
