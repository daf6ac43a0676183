// Our own singular value decomposition against LAPACK's and against what defines one.
#include "linalg/svd.h"

#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "random.h"

#include <lapacke.h> // last: it brings complex.h

enum { MAX = 40, SIZE = MAX * MAX };

typedef struct decomposition {
    double A[SIZE], singular[MAX], V[SIZE];
    double lapack[MAX], W[SIZE]; // the same by LAPACK
} decomposition;

static void decompose(decomposition *d, int rows, int cols) {
    static double copy[SIZE], U[SIZE];
    br_arena scratch;
    br_arena_init(&scratch, NULL);
    assert_int_equal(br_svd(&scratch, rows, cols, d->A, d->singular, d->V), BR_OK);
    br_arena_free(&scratch);
    memcpy(copy, d->A, sizeof copy);
    // Row-major A is column-major A^T: its left vectors are the right ones of A, one after the other.
    assert_int_equal(
        LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', cols, rows, copy, cols, d->lapack, d->W, cols, U, rows), 0);
}

// sum of outer products with factors 10^0 ... 10^-decades: values spread over as many decades
static void fill(rng *r, int rows, int cols, int rank, double decades, double *A) {
    memset(A, 0, SIZE * sizeof *A);
    for (int k = 0; k < rank; k++) {
        const double factor = pow(10.0, rank > 1 ? -decades * k / (rank - 1) : 0.0);
        double u[MAX], v[MAX];
        for (int i = 0; i < MAX; i++) u[i] = rng_uniform(r, -1, 1), v[i] = rng_uniform(r, -1, 1);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) A[i * cols + j] += factor * u[i] * v[j];
    }
}

// Both are backward stable: values differ by rounding of the largest, times the size.
static void values_are_those_of_lapack(const decomposition *d, int rows, int cols) {
    const int least = rows < cols ? rows : cols;
    const double tolerance = 4e-16 * (rows + cols) * d->lapack[0];
    for (int k = 0; k < least; k++) {
        assert_near(d->singular[k], d->lapack[k], tolerance);
        assert_true(k == 0 || d->singular[k] <= d->singular[k - 1]);
    }
}

// V is orthogonal, and A takes its rows to orthogonal vectors of the lengths that are the values.
static void vectors_define_them(const decomposition *d, int rows, int cols) {
    const int least = rows < cols ? rows : cols;
    const double size = 1e-15 * (rows + cols), scale = d->singular[0];
    for (int a = 0; a < cols; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0.0, images = 0.0;
            for (int k = 0; k < cols; k++) sum += d->V[a * cols + k] * d->V[b * cols + k];
            assert_near(sum, a == b, size);
            for (int i = 0; i < rows; i++) {
                double x = 0.0, y = 0.0;
                for (int k = 0; k < cols; k++)
                    x += d->A[i * cols + k] * d->V[a * cols + k],
                        y += d->A[i * cols + k] * d->V[b * cols + k];
                images += x * y;
            }
            const double value = a < least ? d->singular[a] : 0.0;
            assert_near(images, a == b ? value * value : 0.0, size * scale * scale);
        }
}

// |P - Q| of the projections on the null space: the basis itself is anybody's choice.
static void null_space_is_that_of_lapack(const decomposition *d, int cols, int rank) {
    for (int i = 0; i < cols; i++)
        for (int j = 0; j < cols; j++) {
            double ours = 0.0, theirs = 0.0;
            for (int k = rank; k < cols; k++)
                ours += d->V[k * cols + i] * d->V[k * cols + j],
                    theirs += d->W[k * cols + i] * d->W[k * cols + j];
            // As far as rounding is from the smallest value that is none.
            const double apart = rank > 0 ? d->lapack[0] / d->lapack[rank - 1] : 1.0;
            assert_near(ours, theirs, 1e-14 * cols * apart);
        }
}

static void random_matrices_of_every_shape_and_rank_agree_with_lapack(void **state) {
    (void)state;
    static decomposition d;
    rng r = {1};
    for (int rows = 1; rows <= MAX; rows += 3)
        for (int cols = 1; cols <= MAX; cols += 3) {
            const int least = rows < cols ? rows : cols;
            for (int rank = 1; rank <= least; rank += 1 + least / 4) {
                fill(&r, rows, cols, rank, rank % 2 ? 0.0 : 4.0, d.A);
                decompose(&d, rows, cols);
                values_are_those_of_lapack(&d, rows, cols);
                vectors_define_them(&d, rows, cols);
                null_space_is_that_of_lapack(&d, cols, rank);
            }
        }
}

// What mechanisms give: rows of a few entries, rows twice, rows and columns of zeros, values that are equal.
static void rows_of_mechanisms_agree_with_lapack(void **state) {
    (void)state;
    static decomposition d;
    rng r = {2};
    for (int rows = 2; rows <= MAX; rows += 7)
        for (int cols = 6; cols <= MAX; cols += 5) {
            memset(d.A, 0, sizeof d.A);
            for (int i = 0; i < rows; i++)
                for (int k = 0; k < 6; k++)
                    d.A[i * cols + (i * 3 + k) % cols] =
                        i % 5 == 4   ? 0.0 // a row of zeros
                        : i % 3 == 1 ? d.A[(i - 1) * cols + ((i - 1) * 3 + k) % cols]
                        : i % 2 == 0 ? (k == 0) // unit rows: values that are equal
                                     : rng_uniform(&r, -1, 1);
            decompose(&d, rows, cols);
            values_are_those_of_lapack(&d, rows, cols);
            vectors_define_them(&d, rows, cols);
        }
}

static void a_power_of_two_scales_the_values_and_nothing_else(void **state) {
    (void)state;
    static decomposition plain, scaled;
    rng r = {3};
    br_arena scratch;
    br_arena_init(&scratch, NULL);
    fill(&r, 12, 9, 7, 3.0, plain.A);
    assert_int_equal(br_svd(&scratch, 12, 9, plain.A, plain.singular, plain.V), BR_OK);
    for (int exponent = -900; exponent <= 900;
         exponent += 300) { // squares of the entries would overflow and vanish
        for (int k = 0; k < SIZE; k++) scaled.A[k] = ldexp(plain.A[k], exponent);
        assert_int_equal(br_svd(&scratch, 12, 9, scaled.A, scaled.singular, scaled.V), BR_OK);
        for (int k = 0; k < 9; k++) assert_true(scaled.singular[k] == ldexp(plain.singular[k], exponent));
        assert_memory_equal(scaled.V, plain.V, 81 * sizeof(double));
    }
    br_arena_free(&scratch);
}

// Orthogonal rows of lengths over ten decades keep the digits of each.
static void small_values_keep_their_digits(void **state) {
    (void)state;
    enum { N = 6 };
    double A[N * N] = {0.0}, singular[N], V[N * N];
    for (int k = 0; k < N; k++) A[k * N + (k + 2) % N] = pow(10.0, -2.0 * k);
    br_arena scratch;
    br_arena_init(&scratch, NULL);
    assert_int_equal(br_svd(&scratch, N, N, A, singular, V), BR_OK);
    for (int k = 0; k < N; k++) {
        assert_near(singular[k] / pow(10.0, -2.0 * k), 1.0, 1e-15);
        assert_near(fabs(V[k * N + (k + 2) % N]), 1.0, 1e-15);
    }
    br_arena_free(&scratch);
}

static void zeros_have_values_of_zero_and_any_basis(void **state) {
    (void)state;
    double A[12] = {0.0}, singular[3], V[16];
    br_arena scratch;
    br_arena_init(&scratch, NULL);
    assert_int_equal(br_svd(&scratch, 3, 4, A, singular, V), BR_OK);
    for (int k = 0; k < 3; k++) assert_true(singular[k] == 0.0);
    for (int k = 0; k < 16; k++) assert_true(V[k] == (k % 5 == 0));
    br_arena_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_of_every_shape_and_rank_agree_with_lapack),
        cmocka_unit_test(rows_of_mechanisms_agree_with_lapack),
        cmocka_unit_test(a_power_of_two_scales_the_values_and_nothing_else),
        cmocka_unit_test(small_values_keep_their_digits),
        cmocka_unit_test(zeros_have_values_of_zero_and_any_basis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
