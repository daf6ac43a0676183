// Least-norm solutions of dependent rows: the four conditions of Moore and Penrose, for every rank.
#include "near.h"
#include "random.h"
#include "sim/stepper/reference/contact.h"

#define MOST 12

typedef struct memory {
    double B[MOST * MOST], tau[MOST], zeta[MOST], y[MOST];
    int order[MOST];
} memory;

static br_pinv pinv_in(memory *m) {
    const br_pinv p = {.B = m->B, .tau = m->tau, .zeta = m->zeta, .y = m->y, .order = m->order};
    return p;
}

// A of the given rank, its singular values near 1.
static void random_of_rank(rng *random, int n, int rank, double *A) {
    double x[MOST], y[MOST];
    for (int i = 0; i < n * n; i++) A[i] = 0;
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < n; i++) x[i] = rng_uniform(random, -1, 1), y[i] = rng_uniform(random, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) A[i * n + j] += x[i] * y[j];
    }
}

static void multiply(int n, const double *A, const double *B, double *C) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (int k = 0; k < n; k++) C[i * n + j] += A[i * n + k] * B[k * n + j];
        }
}

static void invert(const br_pinv *p, int n, double *X) {
    double b[MOST], x[MOST];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) b[i] = i == j;
        br_pinv_solve(p, b, x);
        for (int i = 0; i < n; i++) X[i * n + j] = x[i];
    }
}

static void dependent_rows_have_their_shortest_solution(void **state) {
    (void)state;
    rng random = {7};
    double A[MOST * MOST], X[MOST * MOST], AX[MOST * MOST], XA[MOST * MOST], check[MOST * MOST];
    memory m;
    for (int n = 1; n <= MOST; n++)
        for (int rank = 0; rank <= n; rank++) {
            br_pinv p = pinv_in(&m);
            random_of_rank(&random, n, rank, A);
            br_pinv_factor(&p, n, A);
            assert_int_equal(p.rank, rank);
            invert(&p, n, X);
            multiply(n, A, X, AX);
            multiply(n, X, A, XA);
            double size = 1;
            for (int i = 0; i < n * n; i++) size = fmax(size, fabs(X[i]));
            multiply(n, AX, A, check);
            for (int i = 0; i < n * n; i++) assert_near(check[i], A[i], 1e-11 * size);
            multiply(n, XA, X, check);
            for (int i = 0; i < n * n; i++) assert_near(check[i], X[i], 1e-11 * size * size);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    assert_near(AX[i * n + j], AX[j * n + i], 1e-11 * size);
                    assert_near(XA[i * n + j], XA[j * n + i], 1e-11 * size);
                }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dependent_rows_have_their_shortest_solution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
