#include "lcp/pivot/dantzig.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct bench {
    br_arena arena;
    br_dantzig *dantzig;
    row_problem *p;
    double z[MAX_N], w[MAX_N], residual;
    br_side side[MAX_N];
} bench;

static int start(void **out) {
    bench *b = calloc(1, sizeof *b);
    br_arena_init(&b->arena, NULL);
    b->dantzig = br_dantzig_create(&b->arena, MAX_N);
    b->p = malloc(sizeof *b->p);
    *out = b;
    return b->dantzig && b->p ? 0 : -1;
}

static int stop(void **out) {
    bench *b = *out;
    br_arena_free(&b->arena);
    free(b->p);
    free(b);
    return 0;
}

static br_outcome run(bench *b) {
    const br_rows rows = rows_of(b->p);
    br_dantzig_init(b->dantzig, &rows, 0);
    while (br_dantzig_iterate(b->dantzig) == BR_RUNNING) {}
    const br_outcome outcome = br_dantzig_test(b->dantzig, b->z, b->side);
    b->residual = br_rows_residual(&rows, b->z, b->w);
    return outcome;
}

static void symmetric_problems_with_bounds_take_about_one_exchange_a_row(void **data) {
    bench *b = *data;
    uint64_t state = 1;
    long rows = 0, pivots = 0;
    for (int k = 0; k < 300; k++) {
        start_lcp(b->p, integer(&state, 1, 40));
        add_gram(b->p, &state, b->p->n + 2, 0);
        for (int i = 0; i < b->p->n; i++) {
            b->p->q[i] = between(&state, -1, 1);
            b->p->lower[i] = k % 3 == 0 ? between(&state, -0.3, 0) : 0;
            if (k % 3 == 0) b->p->upper[i] = between(&state, 0, 0.3);
            if (k % 3 == 1 && uniform(&state) < 0.3) b->p->lower[i] = -INFINITY;
        }
        assert_int_equal(run(b), BR_CONVERGED);
        assert_true(b->residual < 1e-7); // unpolished, condition up to 1e6
        rows += b->p->n;
        pivots += br_dantzig_pivots(b->dantzig);
    }
    assert_true(pivots < 2 * rows);
}

static void redundant_rows_are_no_obstacle(void **data) {
    bench *b = *data;
    uint64_t state = 2;
    int solved = 0;
    for (int k = 0; k < 200; k++) {
        start_lcp(b->p, integer(&state, 2, 30));
        add_gram(b->p, &state, 1 + b->p->n / 3, 0);
        plant_solution(b->p, &state, 0);
        solved += run(b) == BR_CONVERGED && b->residual < 1e-7;
    }
    assert_true(solved >= 195);
}

static void an_impossible_row_is_a_ray(void **data) {
    bench *b = *data;
    start_lcp(b->p, 2);
    *entry(b->p, 0, 0) = 1;
    b->p->q[0] = 1;
    b->p->q[1] = -1;
    assert_int_equal(run(b), BR_RAY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_problems_with_bounds_take_about_one_exchange_a_row),
        cmocka_unit_test(redundant_rows_are_no_obstacle),
        cmocka_unit_test(an_impossible_row_is_a_ray),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
