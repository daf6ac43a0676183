#include "lcp/pivot/lemke.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct bench {
    br_arena arena;
    br_lemke *lemke;
    row_problem *p;
    double z[MAX_N], w[MAX_N];
    br_side side[MAX_N];
} bench;

static int start(void **out) {
    bench *b = calloc(1, sizeof *b);
    br_arena_init(&b->arena, NULL);
    b->lemke = br_lemke_create(&b->arena, MAX_N, MAX_N);
    b->p = malloc(sizeof *b->p);
    *out = b;
    return b->lemke && b->p ? 0 : -1;
}

static int stop(void **out) {
    bench *b = *out;
    br_arena_free(&b->arena);
    free(b->p);
    free(b);
    return 0;
}

static br_outcome run(bench *b, br_lemke_options options, double *residual) {
    const br_rows rows = rows_of(b->p);
    br_lemke_init(b->lemke, &rows, &options);
    while (br_lemke_iterate(b->lemke) == BR_RUNNING) {}
    const br_outcome outcome = br_lemke_test(b->lemke, b->z, b->side);
    *residual = br_rows_residual(&rows, b->z, b->w);
    return outcome;
}

static void must_solve(bench *b) {
    double residual;
    assert_int_equal(run(b, (br_lemke_options){0}, &residual), BR_CONVERGED);
    assert_true(residual <= 1e-8); // unpolished
}

static void monotone_problems_never_end_on_a_ray(void **data) {
    bench *b = *data;
    uint64_t state = 1;
    for (int k = 0; k < 300; k++) {
        const int n = integer(&state, 1, 40);
        monotone(b->p, &state, n, integer(&state, 0, n), k % 2, k % 3 == 0);
        must_solve(b);
    }
}

static void an_upper_bound_needs_no_row_of_its_own(void **data) {
    bench *b = *data;
    uint64_t state = 2;
    for (int k = 0; k < 300; k++) {
        start_lcp(b->p, integer(&state, 1, 30));
        add_gram(b->p, &state, integer(&state, 0, b->p->n), k % 2);
        for (int i = 0; i < b->p->n; i++) {
            b->p->lower[i] = integer(&state, 0, 3) ? integer(&state, -2, 0) : -INFINITY;
            b->p->upper[i] = integer(&state, 0, 3) ? integer(&state, 0, 2) : INFINITY;
        }
        plant_solution(b->p, &state, k % 2);
        must_solve(b);
    }
}

// diodeBridge: three free unknowns whose block has rank two, four diodes.
static void a_bridge_rectifier_with_a_singular_free_block(void **data) {
    bench *b = *data;
    static const double entries[][3] = {{0, 1, -0.001}, {0, 2, 0.001}, {0, 4, 1},
                                        {0, 6, 1},      {1, 1, 0.001}, {1, 2, -0.001},
                                        {1, 3, -1},     {1, 5, -1},    {2, 0, -1.0024999999999999},
                                        {2, 5, 10},     {2, 6, -10},   {3, 2, -1},
                                        {4, 1, 1},      {5, 0, 1},     {5, 2, -1},
                                        {6, 0, -1},     {6, 1, 1}};
    static const double answer[7] = {
        0.98518518518518527, 0.98518518518518527, 0, 0.00098518518518518523, 0, 0, 0.00098518518518518523};
    start_lcp(b->p, 7);
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        *entry(b->p, (int)entries[k][0], (int)entries[k][1]) = entries[k][2];
    b->p->q[2] = 0.99750000000000005;
    for (int i = 0; i < 3; i++) b->p->lower[i] = -INFINITY;
    must_solve(b);
    for (int i = 0; i < 7; i++) assert_true(fabs(b->z[i] - answer[i]) < 1e-12);
}

// Without the lexicographic rule ties on such data let Lemke cycle; with it the number of pivots stays small.
static void ties_everywhere_do_not_cycle(void **data) {
    bench *b = *data;
    for (int n = 2; n <= 40; n++) {
        start_lcp(b->p, n);
        for (int i = 0; i < n; i++) {
            b->p->q[i] = -1;
            for (int j = 0; j < n; j++) *entry(b->p, i, j) = (i + j) % 3 == 0 ? 2 : 1;
        }
        must_solve(b);
        assert_true(br_lemke_pivots(b->lemke) <= 4 * n);
    }
}

static void an_unsolvable_row_ends_on_a_ray(void **data) {
    bench *b = *data;
    double residual;
    start_lcp(b->p, 1);
    b->p->q[0] = -1;
    assert_int_equal(run(b, (br_lemke_options){0}, &residual), BR_RAY);
    assert_true(residual > 0.5);
}

static void the_cap_on_pivots_holds(void **data) {
    bench *b = *data;
    double residual;
    uint64_t state = 4;
    dominant(b->p, &state, 40);
    for (int i = 0; i < 40; i++) b->p->q[i] = -1 - i;
    assert_int_equal(run(b, (br_lemke_options){.max_pivots = 3}, &residual), BR_MAX_ITERATIONS);
    assert_int_equal(br_lemke_pivots(b->lemke), 3);
}

static void another_covering_vector_is_another_path_to_the_same_answer(void **data) {
    bench *b = *data;
    double residual, z[MAX_N];
    uint64_t state = 5;
    int differs = 0;
    for (int k = 0; k < 20; k++) {
        start_lcp(b->p, 30);
        add_gram(b->p, &state, 35, 0);
        for (int i = 0; i < 30; i++) b->p->q[i] = between(&state, -1, 1);
        must_solve(b);
        const int pivots = br_lemke_pivots(b->lemke);
        memcpy(z, b->z, sizeof z);
        assert_int_equal(run(b, (br_lemke_options){.seed = 7}, &residual), BR_CONVERGED);
        differs += pivots != br_lemke_pivots(b->lemke);
        for (int i = 0; i < 30; i++) assert_true(fabs(z[i] - b->z[i]) < 1e-9);
    }
    assert_true(differs > 0);
}

static void games_need_howsons_start(void **data) {
    bench *b = *data;
    double residual;
    uint64_t state = 6;
    for (int k = 0; k < 40; k++) {
        bimatrix_game(b->p, &state, 40, k % 2);
        assert_int_equal(run(b, (br_lemke_options){0}, &residual), BR_RAY);
        for (int label = 1; label <= 3; label++) {
            assert_int_equal(run(b, (br_lemke_options){.label = label * 13}, &residual), BR_CONVERGED);
            assert_true(residual < 1e-9);
        }
    }
    dominant(b->p, &state, 10);
    assert_int_equal(run(b, (br_lemke_options){.label = 1}, &residual), BR_RAY);
    assert_false(br_lemke_is_game(b->lemke));
}

// Thousands of pivots on an indefinite matrix: the dictionary is built anew when it drifts.
static void long_runs_stay_accurate(void **data) {
    bench *b = *data;
    uint64_t state = 8;
    int most = 0;
    for (int k = 0; k < 5; k++) {
        double residual;
        start_lcp(b->p, 50);
        for (int i = 0; i < 50; i++) {
            b->p->lower[i] = -1;
            b->p->upper[i] = 1;
            b->p->q[i] = between(&state, -2, 2);
            for (int j = 0; j < 50; j++) *entry(b->p, i, j) = between(&state, -1, 1);
        }
        assert_int_equal(run(b, (br_lemke_options){.max_pivots = 100000}, &residual), BR_CONVERGED);
        assert_true(residual < 1e-9);
        most = br_lemke_pivots(b->lemke) > most ? br_lemke_pivots(b->lemke) : most;
    }
    assert_true(most > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotone_problems_never_end_on_a_ray),
        cmocka_unit_test(an_upper_bound_needs_no_row_of_its_own),
        cmocka_unit_test(a_bridge_rectifier_with_a_singular_free_block),
        cmocka_unit_test(ties_everywhere_do_not_cycle),
        cmocka_unit_test(an_unsolvable_row_ends_on_a_ray),
        cmocka_unit_test(the_cap_on_pivots_holds),
        cmocka_unit_test(another_covering_vector_is_another_path_to_the_same_answer),
        cmocka_unit_test(games_need_howsons_start),
        cmocka_unit_test(long_runs_stay_accurate),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
