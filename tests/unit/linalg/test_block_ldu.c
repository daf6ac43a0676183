#include "linalg/block_ldu.h"

#include "block_system.h"

// Backward errors of a stable elimination stay within a small multiple of the rounding unit.
static const double TOL = 1e-13;

static void check_both(block_system *s, rng *r, double diagonal) {
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        br_block_ldu *f = system_analyze(&arena, s);
        system_fill(s, r, symmetric, diagonal);
        if (symmetric) assert_true(system_solve_error(s, f, BR_BLOCK_SYMMETRIC, r) < TOL);
        assert_true(system_solve_error(s, f, BR_BLOCK_GENERAL, r) <
                    TOL); // on storage that the other has used
        system_free(s);
        br_arena_free(&arena);
    }
}

static void random_patterns_of_mixed_dims_are_solved(void **state) {
    (void)state;
    rng r = {1};
    for (int trial = 0; trial < 300; trial++) {
        static block_system s;
        int dims[40];
        const int n = 1 + rng_below(&r, trial % 10 == 0 ? 40 : 10);
        for (int i = 0; i < n; i++) dims[i] = trial % 4 == 0 ? 6 : 1 + rng_below(&r, 12);
        system_start(&s, n, dims, 0);
        for (int p = rng_below(&r, 3 * n); p > 0; p--) {
            const int i = rng_below(&r, n), j = rng_below(&r, n);
            if (i != j) system_couple(&s, i, j); // repeats happen
        }
        check_both(&s, &r, 60);
    }
}

static void answer_is_the_dense_one(void **state) {
    (void)state;
    rng r = {2};
    static block_system s;
    system_start(&s, 12, NULL, 6);
    for (int p = 0; p < 30; p++) {
        const int i = rng_below(&r, 12), j = rng_below(&r, 12);
        if (i != j) system_couple(&s, i, j);
    }
    system_fill(&s, &r, 0, 10);
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_block_ldu *f = system_analyze(&arena, &s);
    system_assemble(&s, f, BR_BLOCK_GENERAL);
    assert_int_equal(br_block_factor(f, BR_BLOCK_GENERAL, 1e-14, NULL), BR_OK);
    double x[72], y[72];
    int pivot[72];
    for (int i = 0; i < 72; i++) x[i] = y[i] = rng_uniform(&r, -1, 1);
    br_block_solve(f, x);
    assert_int_equal(br_lu_factor(72, s.A, 72, pivot, 1e-14), 0);
    br_lu_solve(72, s.A, 72, pivot, y);
    for (int i = 0; i < 72; i++) assert_near(x[i], y[i], 1e-13);
    system_free(&s);
    br_arena_free(&arena);
}

static void one_node_two_nodes_and_none(void **state) {
    (void)state;
    rng r = {3};
    for (int dim = 1; dim <= 100; dim += dim < 12 ? 1 : 29) { // wider than any supernode, too
        static block_system s;
        system_start(&s, 1, NULL, dim);
        check_both(&s, &r, 20 + dim);
        system_start(&s, 2, NULL, dim);
        system_couple(&s, 1, 0);
        check_both(&s, &r, 20 + 2 * dim);
    }
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_block_ldu *f = NULL;
    assert_int_equal(br_block_analyze(&arena, 0, NULL, 0, NULL, &f, NULL), BR_OK);
    assert_int_equal(br_block_factor(f, BR_BLOCK_GENERAL, 1e-14, NULL), BR_OK);
    br_block_clear(f);
    br_block_solve(f, NULL);
    br_arena_free(&arena);
}

static void chains_arrows_grids_and_separate_parts_are_solved(void **state) {
    (void)state;
    rng r = {4};
    static block_system s;
    system_start(&s, 60, NULL, 6);
    for (int i = 0; i + 1 < 60; i++) system_couple(&s, i, i + 1);
    check_both(&s, &r, 20);
    system_start(&s, 60, NULL, 5);
    for (int i = 1; i < 60; i++) system_couple(&s, 0, i);
    check_both(&s, &r, 300);
    system_start(&s, 100, NULL, 3);
    for (int i = 0; i < 100; i++) {
        if (i % 10 < 9) system_couple(&s, i, i + 1);
        if (i < 90) system_couple(&s, i, i + 10);
    }
    check_both(&s, &r, 20);
    system_start(&s, 50, NULL, 6); // ten rings of five
    for (int i = 0; i < 50; i++) system_couple(&s, i, i % 5 == 4 ? i - 4 : i + 1);
    check_both(&s, &r, 20);
    system_start(&s, 9, NULL, 6); // no couple at all
    check_both(&s, &r, 20);
}

static void grid_fill_is_near_that_of_a_good_order(void **state) {
    (void)state;
    enum { SIDE = 20 };
    static block_system s;
    system_start(&s, SIDE * SIDE, NULL, 6);
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (i % SIDE < SIDE - 1) system_couple(&s, i, i + 1);
        if (i < SIDE * (SIDE - 1)) system_couple(&s, i, i + SIDE);
    }
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_block_ldu *f = system_analyze(&arena, &s);
    // A band order has n * side blocks in each half; both halves of a good order have well below that in total.
    assert_true(br_block_factor_nonzeros(f) < 36L * SIDE * SIDE * SIDE * 9 / 5);
    assert_true(br_block_factor_flops(f) > 0);
    br_arena_free(&arena);
}

static void pivots_far_from_positive_definite_are_found(void **state) {
    (void)state;
    rng r = {5};
    for (int trial = 0; trial < 100; trial++) { // zero diagonals: exchanges inside the pivot block are needed
        static block_system s;
        system_start(&s, 5, NULL, 6);
        for (int i = 0; i < 4; i++) system_couple(&s, i, i + 1);
        system_fill(&s, &r, 0, 0);
        for (int i = 0; i < 5; i++) {
            for (int a = 0; a < 6; a++) {
                *system_entry(&s, i, a, i, a) = 0;
                *system_entry(&s, i, a, i, (a + 1) % 6) = a % 2 ? 20 : -20;
            }
        }
        br_arena arena;
        br_arena_init(&arena, NULL);
        br_block_ldu *f = system_analyze(&arena, &s);
        assert_true(system_solve_error(&s, f, BR_BLOCK_GENERAL, &r) < TOL);
        system_free(&s);
        br_arena_free(&arena);
    }
}

static void symmetric_indefinite_pivots_are_accepted(void **state) {
    (void)state;
    rng r = {6};
    static block_system s;
    system_start(&s, 20, NULL, 4);
    for (int i = 0; i + 1 < 20; i++) system_couple(&s, i, i + 1);
    system_fill(&s, &r, 1, 0);
    for (int i = 0; i < s.size; i++) s.A[i * s.size + i] = i / 4 % 2 ? -20 : 20; // quasi-definite
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_block_ldu *f = system_analyze(&arena, &s);
    assert_true(system_solve_error(&s, f, BR_BLOCK_SYMMETRIC, &r) < TOL);
    system_free(&s);
    br_arena_free(&arena);
}

static void singular_pivot_names_its_node(void **state) {
    (void)state;
    rng r = {7};
    for (int bad = 0; bad < 8; bad++) {
        for (int symmetry = 0; symmetry < 2; symmetry++) {
            static block_system s;
            system_start(&s, 8, NULL, 6);
            for (int i = 0; i < 8; i++) // node `bad` stands alone, with a rank of five
                if (i != bad && (i + 1) % 8 != bad) system_couple(&s, i, (i + 1) % 8);
            system_fill(&s, &r, 1, 20);
            for (int a = 0; a < 6; a++) {
                *system_entry(&s, bad, a, bad, 3) = *system_entry(&s, bad, a, bad, 1);
                *system_entry(&s, bad, 3, bad, a) = *system_entry(&s, bad, 1, bad, a);
            }
            *system_entry(&s, bad, 3, bad, 3) = *system_entry(&s, bad, 1, bad, 1);
            br_arena arena;
            br_arena_init(&arena, NULL);
            br_block_ldu *f = system_analyze(&arena, &s);
            int node = -1;
            system_assemble(&s, f, (br_block_symmetry)symmetry);
            assert_int_equal(br_block_factor(f, (br_block_symmetry)symmetry, 1e-12, &node), BR_NUMERICAL);
            assert_int_equal(node, bad);
            *system_entry(&s, bad, 3, bad, 3) = NAN;
            system_assemble(&s, f, (br_block_symmetry)symmetry);
            assert_int_equal(br_block_factor(f, (br_block_symmetry)symmetry, 1e-12, NULL), BR_NUMERICAL);
            system_free(&s);
            br_arena_free(&arena);
        }
    }
}

static void scale_does_not_matter(void **state) {
    (void)state;
    rng r = {8};
    for (int power = -12; power <= 12; power += 6) {
        for (int graded = 0; graded < 2; graded++) { // graded: each node has its own scale, S A S
            static block_system s;
            system_start(&s, 30, NULL, 6);
            for (int i = 0; i + 1 < 30; i++) system_couple(&s, i, i + 1);
            for (int i = 0; i + 7 < 30; i++) system_couple(&s, i, i + 7);
            system_fill(&s, &r, 1, 60);
            for (int i = 0; i < s.size; i++) {
                for (int j = 0; j < s.size; j++) {
                    const double spread = graded ? (i / 6 % 5 - 2 + j / 6 % 5 - 2) / 4.0 : 1.0;
                    s.A[i * s.size + j] *= pow(10.0, power * spread);
                }
            }
            br_arena arena;
            br_arena_init(&arena, NULL);
            br_block_ldu *f = system_analyze(&arena, &s);
            assert_true(system_solve_error(&s, f, BR_BLOCK_SYMMETRIC, &r) < TOL);
            assert_true(system_solve_error(&s, f, BR_BLOCK_GENERAL, &r) < TOL);
            system_free(&s);
            br_arena_free(&arena);
        }
    }
}

static void repeated_runs_give_the_same_bits(void **state) {
    (void)state;
    rng r = {9};
    static block_system s;
    static double first[MAX_NODES * 6], again[MAX_NODES * 6];
    system_start(&s, 100, NULL, 6);
    for (int p = 0; p < 250; p++) {
        const int i = rng_below(&r, 100), j = rng_below(&r, 100);
        if (i != j) system_couple(&s, i, j);
    }
    system_fill(&s, &r, 1, 40);
    for (int run = 0; run < 4; run++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        br_block_ldu *f = system_analyze(&arena, &s);
        const br_block_symmetry symmetry = run < 2 ? BR_BLOCK_SYMMETRIC : BR_BLOCK_GENERAL;
        double *x = run % 2 ? again : first;
        for (int round = 0; round < 2; round++) { // the second round meets used storage
            system_assemble(&s, f, symmetry);
            assert_int_equal(br_block_factor(f, symmetry, 1e-14, NULL), BR_OK);
            for (int i = 0; i < s.size; i++) x[i] = sin(i);
            br_block_solve(f, x);
        }
        if (run % 2) assert_memory_equal(first, again, (size_t)s.size * sizeof *first);
        br_arena_free(&arena);
    }
    system_free(&s);
}

static void only_the_stored_orientation_and_the_lower_half_are_read(void **state) {
    (void)state;
    rng r = {10};
    static block_system s;
    system_start(&s, 10, NULL, 6);
    for (int i = 0; i < 10; i++) system_couple(&s, i, (i + 3) % 10);
    system_fill(&s, &r, 1, 20);
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_block_ldu *f = system_analyze(&arena, &s);
    double x[2][60];
    for (int poisoned = 0; poisoned < 2; poisoned++) {
        system_assemble(&s, f, BR_BLOCK_SYMMETRIC);
        for (int p = 0; p < s.n_pairs; p++) {
            const int i = s.pairs[p][0], j = s.pairs[p][1];
            assert_int_equal(br_block_at(f, BR_BLOCK_SYMMETRIC, i, j).stored +
                                 br_block_at(f, BR_BLOCK_SYMMETRIC, j, i).stored,
                             1);
        }
        for (int i = 0; poisoned && i < s.n; i++) {
            const br_block_ref ref = br_block_at(f, BR_BLOCK_SYMMETRIC, i, i);
            for (int a = 0; a < 6; a++)
                for (int b = a + 1; b < 6; b++) ref.value[a * ref.row_stride + b * ref.col_stride] = 1e30;
        }
        assert_int_equal(br_block_factor(f, BR_BLOCK_SYMMETRIC, 1e-14, NULL), BR_OK);
        for (int i = 0; i < 60; i++) x[poisoned][i] = cos(i);
        br_block_solve(f, x[poisoned]);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    system_free(&s);
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns_of_mixed_dims_are_solved),
        cmocka_unit_test(answer_is_the_dense_one),
        cmocka_unit_test(one_node_two_nodes_and_none),
        cmocka_unit_test(chains_arrows_grids_and_separate_parts_are_solved),
        cmocka_unit_test(grid_fill_is_near_that_of_a_good_order),
        cmocka_unit_test(pivots_far_from_positive_definite_are_found),
        cmocka_unit_test(symmetric_indefinite_pivots_are_accepted),
        cmocka_unit_test(singular_pivot_names_its_node),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(repeated_runs_give_the_same_bits),
        cmocka_unit_test(only_the_stored_orientation_and_the_lower_half_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
