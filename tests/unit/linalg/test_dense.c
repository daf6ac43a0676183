#include "linalg/dense.h"

#include <string.h>

#include "near.h"
#include "random.h"

enum { MAX = 24, STRIDE = MAX + 3 };

static void fill(rng *r, int n, int symmetric, double A[MAX * STRIDE]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * STRIDE + j] = symmetric && j < i ? A[j * STRIDE + i] : rng_uniform(r, -1, 1);
}

// Largest |A x - b| (or |A^T x - b|) over |A||x| + |b|.
static double error_of(int n, const double *A, int transposed, const double *x, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i], scale = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            const double term = (transposed ? A[j * STRIDE + i] : A[i * STRIDE + j]) * x[j];
            sum += term;
            scale += fabs(term);
        }
        if (!(fabs(sum) / scale <= worst)) worst = fabs(sum) / scale;
    }
    return worst;
}

static void lu_solves_both_ways(void **state) {
    (void)state;
    rng r = {1};
    double A[MAX * STRIDE], F[MAX * STRIDE], x[MAX], b[MAX];
    int pivot[MAX];
    for (int trial = 0; trial < 500; trial++) {
        const int n = 1 + trial % MAX;
        fill(&r, n, 0, A);
        memcpy(F, A, sizeof A);
        assert_int_equal(br_lu_factor(n, F, STRIDE, pivot, 1e-15), 0);
        for (int transposed = 0; transposed < 2; transposed++) {
            for (int i = 0; i < n; i++) x[i] = b[i] = rng_uniform(&r, -1, 1);
            if (transposed)
                br_lu_solve_transposed(n, F, STRIDE, pivot, x);
            else
                br_lu_solve(n, F, STRIDE, pivot, x);
            assert_true(error_of(n, A, transposed, x, b) < 1e-11);
        }
    }
}

static void ldl_solves_indefinite_matrices_and_counts_negative_eigenvalues(void **state) {
    (void)state;
    rng r = {2};
    double A[MAX * STRIDE], F[MAX * STRIDE], x[MAX], b[MAX];
    int pivot[MAX];
    for (int trial = 0; trial < 500; trial++) {
        const int n = 2 + trial % (MAX - 1), half = n / 2;
        fill(&r, n, 1, A);
        if (trial % 2) { // a saddle point: [M, J^T; J, 0] with M > 0 has one negative eigenvalue per row of J
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    if (i < n - half && j < n - half)
                        A[i * STRIDE + j] = i == j ? 1.0 + i : 0;
                    else if (i >= n - half && j >= n - half)
                        A[i * STRIDE + j] = 0;
        }
        memcpy(F, A, sizeof A);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) F[i * STRIDE + j] = NAN; // the upper half is not read
        int negative = -1;
        assert_int_equal(br_ldl_factor(n, F, STRIDE, pivot, 1e-15, &negative), 0);
        if (trial % 2) assert_int_equal(negative, half);
        for (int i = 0; i < n; i++) x[i] = b[i] = rng_uniform(&r, -1, 1);
        br_ldl_solve(n, F, STRIDE, pivot, x);
        assert_true(error_of(n, A, 0, x, b) < 1e-11);
    }
}

static void ldl_takes_a_pair_where_the_diagonal_is_zero(void **state) {
    (void)state;
    double A[4] = {0, 0, 2, 0}, x[2] = {6, 4};
    int pivot[2], negative;
    assert_int_equal(br_ldl_factor(2, A, 2, pivot, 1e-15, &negative), 0);
    assert_int_equal(negative, 1);
    br_ldl_solve(2, A, 2, pivot, x);
    assert_near(x[0], 2, 0);
    assert_near(x[1], 3, 0);
}

static void cholesky_solves_positive_definite_matrices(void **state) {
    (void)state;
    rng r = {3};
    double A[MAX * STRIDE], F[MAX * STRIDE], x[MAX], b[MAX];
    for (int trial = 0; trial < 200; trial++) {
        const int n = 1 + trial % MAX;
        fill(&r, n, 1, A);
        for (int i = 0; i < n; i++) A[i * STRIDE + i] += n;
        memcpy(F, A, sizeof A);
        assert_int_equal(br_cholesky_factor(n, F, STRIDE), 0);
        for (int i = 0; i < n; i++) x[i] = b[i] = rng_uniform(&r, -1, 1);
        br_cholesky_solve(n, F, STRIDE, x);
        assert_true(error_of(n, A, 0, x, b) < 1e-14);
    }
}

static void singular_matrices_are_reported_with_their_column(void **state) {
    (void)state;
    int pivot[3];
    double lu[9] = {1, 2, 3, 2, 4, 6, 1, 1, 1}, zero[9] = {0};
    assert_int_equal(br_lu_factor(3, lu, 3, pivot, 1e-14), 3);
    assert_int_equal(br_lu_factor(3, zero, 3, pivot, 1e-14), 1);
    assert_int_equal(br_ldl_factor(3, zero, 3, pivot, 1e-14, NULL), 1);
    double rank_one[4] = {1, 1, 1, 1}, negative[4] = {1, 0, 2, 1}, nan[1] = {NAN};
    assert_int_equal(br_ldl_factor(2, rank_one, 2, pivot, 1e-14, NULL), 2);
    assert_int_equal(br_cholesky_factor(2, negative, 2), 2);
    assert_int_equal(br_cholesky_factor(1, nan, 1), 1);
    assert_int_equal(br_lu_factor(1, nan, 1, pivot, 1e-14), 1);
    assert_int_equal(br_ldl_factor(1, nan, 1, pivot, 1e-14, NULL), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves_both_ways),
        cmocka_unit_test(ldl_solves_indefinite_matrices_and_counts_negative_eigenvalues),
        cmocka_unit_test(ldl_takes_a_pair_where_the_diagonal_is_zero),
        cmocka_unit_test(cholesky_solves_positive_definite_matrices),
        cmocka_unit_test(singular_matrices_are_reported_with_their_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
