// Linear programs of few rows and many columns: against the other solver (lp.h), which has them by their dual, and those without an answer.
#include <string.h>

#include "near.h"
#include "random.h"
#include "trust/lp.h"
#include "trust/cells/tableau.h"

enum { ROWS = 5, COLUMNS = 14 };

static void answers_are_those_of_the_dual_method(void **state) {
    (void)state;
    br_arena arena;
    br_tableau t;
    br_lp lp;
    rng random = {3};
    int count[4] = {0};
    br_arena_init(&arena, NULL);
    assert_true(br_tableau_create(&t, &arena, ROWS, COLUMNS));
    assert_true(br_lp_create(&lp, &arena, COLUMNS, 2 * ROWS + COLUMNS));
    for (int trial = 0; trial < 4000; trial++) {
        const int rows = 1 + rng_below(&random, ROWS),
                  columns = rows + rng_below(&random, COLUMNS - rows + 1);
        br_tableau_begin(&t, rows);
        br_lp_begin(&lp, columns);
        for (int j = 0; j < columns; j++) { // whole numbers make ties
            const double cost = trial % 2 ? rng_below(&random, 4) : rng_uniform(&random, -0.2, 1);
            double *column = br_tableau_column(&t, cost);
            lp.c[j] = cost;
            for (int i = 0; i < rows; i++)
                column[i] = trial % 2 ? rng_below(&random, 5) - 2 : rng_uniform(&random, -1, 1);
        }
        for (int i = 0; i < rows; i++)
            t.b[i] = trial % 2 ? rng_below(&random, 5) - 2 : rng_uniform(&random, -1, 1);
        if (rows > 2 && trial % 5 == 0) { // a row that says nothing new
            t.b[1] = -2 * t.b[0];
            for (int j = 0; j < columns; j++) t.A[j * ROWS + 1] = -2 * t.A[j * ROWS];
        }
        double g[COLUMNS];
        for (int i = 0; i < rows; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                for (int j = 0; j < columns; j++) g[j] = sign * t.A[j * ROWS + i];
                br_lp_row(&lp, g, sign * t.b[i]);
            }
        for (int j = 0; j < columns; j++) {
            memset(g, 0, sizeof g);
            g[j] = -1;
            br_lp_row(&lp, g, 0);
        }
        const br_tableau_answer answer = br_tableau_solve(&t);
        const br_lp_answer other = br_lp_solve(&lp);
        count[answer]++;
        assert_int_equal(answer, other == BR_LP_OPTIMUM      ? BR_TABLEAU_OPTIMUM
                                 : other == BR_LP_INFEASIBLE ? BR_TABLEAU_INFEASIBLE
                                                             : BR_TABLEAU_UNBOUNDED);
        if (answer != BR_TABLEAU_OPTIMUM) continue;
        assert_near(t.value, lp.value, 1e-9 * (1 + fabs(lp.value)));
        for (int i = 0; i < rows; i++) {
            double sum = -t.b[i];
            for (int j = 0; j < columns; j++) sum += t.A[j * ROWS + i] * t.z[j];
            assert_near(sum, 0, 1e-9 * (1 + fabs(t.value)));
        }
        for (int j = 0; j < columns; j++) assert_true(t.z[j] >= -1e-12);
    }
    print_message("%d optima, %d infeasible, %d unbounded\n", count[0], count[1], count[2]);
    assert_true(count[0] > 500 && count[1] > 500 && count[2] > 50);
    br_arena_free(&arena);
}

static void work_ends_it(void **state) {
    (void)state;
    br_arena arena;
    br_tableau t;
    br_work work = {.most = 10};
    br_arena_init(&arena, NULL);
    assert_true(br_tableau_create(&t, &arena, ROWS, COLUMNS));
    br_tableau_begin(&t, 1);
    t.work = &work, t.b[0] = 1;
    br_tableau_column(&t, 1)[0] = 1;
    assert_int_equal(br_tableau_solve(&t), BR_TABLEAU_GAVE_UP);
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_dual_method),
        cmocka_unit_test(work_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
