#include "linalg/rank.h"

#include "counting_allocator.h"
#include "near.h"
#include "random.h"

enum { MAX = 12 };

// Random matrix of the given rank, as a sum of outer products.
static void fill(rng *r, int rows, int cols, int rank, double *A) {
    for (int i = 0; i < rows * cols; i++) A[i] = 0;
    for (int k = 0; k < rank; k++) {
        double u[MAX], v[MAX];
        for (int i = 0; i < MAX; i++) u[i] = rng_uniform(r, -1, 1), v[i] = rng_uniform(r, -1, 1);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) A[i * cols + j] += u[i] * v[j];
    }
}

static void null_space_is_orthonormal_and_annihilated(void **state) {
    (void)state;
    rng r = {1};
    double A[MAX * MAX], singular[MAX], null_space[MAX * MAX];
    for (int rows = 1; rows <= MAX; rows += 2) {
        for (int cols = 1; cols <= MAX; cols++) {
            const int least = rows < cols ? rows : cols;
            for (int wanted = 0; wanted <= least; wanted++) {
                int rank = -1;
                fill(&r, rows, cols, wanted, A);
                assert_int_equal(br_rank(rows, cols, A, 1e-10, &rank, singular, null_space, NULL, NULL),
                                 BR_OK);
                assert_int_equal(rank, wanted);
                for (int k = 1; k < least; k++) assert_true(singular[k] <= singular[k - 1]);
                for (int a = 0; a < cols - rank; a++) {
                    for (int i = 0; i < rows; i++) {
                        double sum = 0;
                        for (int j = 0; j < cols; j++) sum += A[i * cols + j] * null_space[a * cols + j];
                        assert_near(sum, 0, 1e-12);
                    }
                    for (int b = 0; b < cols - rank; b++) {
                        double sum = 0;
                        for (int j = 0; j < cols; j++)
                            sum += null_space[a * cols + j] * null_space[b * cols + j];
                        assert_near(sum, a == b, 1e-12);
                    }
                }
            }
        }
    }
}

static void singular_values_are_the_known_ones(void **state) {
    (void)state;
    const double A[6] = {3, 0, 0, 0, -4, 0};
    double singular[2];
    int rank;
    assert_int_equal(br_rank(2, 3, A, 0, &rank, singular, NULL, NULL, NULL), BR_OK);
    assert_int_equal(rank, 2);
    assert_near(singular[0], 4, 1e-14);
    assert_near(singular[1], 3, 1e-14);
    assert_int_equal(br_rank(2, 3, A, 0.8, &rank, singular, NULL, NULL, NULL), BR_OK);
    assert_int_equal(rank, 1);
}

static void empty_matrices_have_rank_zero_and_a_full_null_space(void **state) {
    (void)state;
    double null_space[9];
    int rank = -1;
    assert_int_equal(br_rank(0, 3, NULL, 0, &rank, NULL, null_space, NULL, NULL), BR_OK);
    assert_int_equal(rank, 0);
    for (int i = 0; i < 9; i++) assert_near(null_space[i], i % 4 == 0, 0);
    assert_int_equal(br_rank(3, 0, NULL, 0, &rank, NULL, null_space, NULL, NULL), BR_OK);
    assert_int_equal(rank, 0);
}

static void bad_input_and_failing_allocations_leave_the_outputs(void **state) {
    (void)state;
    rng r = {2};
    double A[MAX * MAX], singular[MAX] = {7}, null_space[MAX * MAX];
    int rank = 7;
    br_error error = {0};
    fill(&r, MAX, MAX, 5, A);
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        const br_status status = br_rank(MAX, MAX, A, 1e-10, &rank, singular, null_space, &allocator, &error);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
        assert_int_equal(status, BR_NO_MEMORY);
        assert_int_equal(rank, 7);
        assert_near(singular[0], 7, 0);
    }
    assert_int_equal(rank, 5);
    A[17] = INFINITY;
    assert_int_equal(br_rank(MAX, MAX, A, 0, &rank, singular, NULL, NULL, &error), BR_NUMERICAL);
    assert_string_equal(error.code, "rank-not-finite");
    assert_int_equal(br_rank(-1, 2, A, 0, &rank, singular, NULL, NULL, &error), BR_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_space_is_orthonormal_and_annihilated),
        cmocka_unit_test(singular_values_are_the_known_ones),
        cmocka_unit_test(empty_matrices_have_rank_zero_and_a_full_null_space),
        cmocka_unit_test(bad_input_and_failing_allocations_leave_the_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
