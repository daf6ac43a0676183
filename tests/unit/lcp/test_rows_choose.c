// The default choice on the families that are hard for one method or another.
#include "lcp/pivot/rows_choose.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define TOL 1e-11 // what a basis solved afresh gives with room to spare; the families are of order one

typedef struct bench {
    br_arena arena;
    br_rows_solver *solver;
    row_problem *p;
    double z[MAX_N], w[MAX_N];
    br_rows_report report;
    uint64_t state;
} bench;

static int start(void **out) {
    bench *b = calloc(1, sizeof *b);
    br_arena_init(&b->arena, NULL);
    b->solver = br_rows_solver_create(&b->arena, MAX_N, MAX_N);
    b->p = malloc(sizeof *b->p);
    b->state = 2024;
    *out = b;
    return b->solver && b->p ? 0 : -1;
}

static int stop(void **out) {
    bench *b = *out;
    br_arena_free(&b->arena);
    free(b->p);
    free(b);
    return 0;
}

static br_outcome solve(bench *b, double tol) {
    const br_rows rows = rows_of(b->p);
    br_rows_options options = br_default_rows_options();
    options.tol = tol;
    br_rows_solve(b->solver, &rows, &options, 0, b->z, b->w, &b->report);
    if (b->report.outcome == BR_CONVERGED) assert_true(br_rows_residual(&rows, b->z, b->w) <= tol);
    return b->report.outcome;
}

static void must_solve(bench *b) {
    const br_outcome outcome = solve(b, TOL);
    if (outcome != BR_CONVERGED)
        print_message("n %d: outcome %d, %s\n", b->p->n, (int)outcome, b->report.path);
    assert_int_equal(outcome, BR_CONVERGED);
}

static void must_be(const bench *b, const double *z, double tol) {
    for (int i = 0; i < b->p->n; i++) assert_true(fabs(b->z[i] - z[i]) <= tol * fmax(1, fabs(z[i])));
}

// z = e_1 solves Murty's problem and Fathi's, z = e_n the transposed one [Murty1978, Fathi1979].
static void exponential_families_are_solved(void **data) {
    bench *b = *data;
    double last[MAX_N] = {0}, first[MAX_N] = {1};
    for (int n = 2; n <= MAX_N; n += n < 20 ? 1 : 16) {
        memset(last, 0, sizeof last);
        memset(first, 0, sizeof first);
        last[n - 1] = first[0] = 1;
        murty(b->p, n);
        must_solve(b);
        must_be(b, first, 1e-12);
        murty_transposed(b->p, n);
        must_solve(b);
        must_be(b, last, 1e-12);
        fathi(b->p, n);
        must_solve(b);
        must_be(b, first, 1e-12);
        if (n > 40) continue;
        steepen(b->p); // exponential for Murty's least-index rule
        must_solve(b);
        murty(b->p, n);
        steepen(b->p);
        must_solve(b);
        murty_transposed(b->p, n);
        steepen(b->p);
        must_solve(b);
    }
}

static void bimatrix_games_are_solved(void **data) {
    bench *b = *data;
    for (int k = 0; k < 120; k++) {
        bimatrix_game(b->p, &b->state, k < 100 ? 40 : 80, k % 2);
        must_solve(b);
    }
}

static void monotone_problems_of_any_rank_are_solved(void **data) {
    bench *b = *data;
    for (int k = 0; k < 400; k++) {
        const int n = integer(&b->state, 2, k % 20 ? 40 : 100);
        monotone(b->p, &b->state, n, integer(&b->state, 0, n), k % 2, k % 3 == 0);
        must_solve(b);
    }
}

static void scaling_over_twelve_decades_does_not_matter(void **data) {
    bench *b = *data;
    for (int k = 0; k < 200; k++) {
        dominant(b->p, &b->state, integer(&b->state, 2, 40));
        assert_int_equal(solve(b, TOL), BR_CONVERGED);
        double z[MAX_N], factor[MAX_N];
        memcpy(z, b->z, sizeof z);
        for (int i = 0; i < b->p->n; i++) factor[i] = *entry(b->p, i, i);
        spoil_scaling(b->p, &b->state);
        for (int i = 0; i < b->p->n; i++) factor[i] = sqrt(*entry(b->p, i, i) / factor[i]);
        must_solve(b);
        for (int i = 0; i < b->p->n; i++)
            assert_true(fabs(b->z[i] * factor[i] - z[i]) <= 1e-9 * fmax(1, fabs(z[i])));
    }
}

static void networks_with_a_singular_free_block_are_solved(void **data) {
    bench *b = *data;
    for (int k = 0; k < 200; k++) {
        const int nodes = integer(&b->state, 2, 12);
        network(b->p, &b->state, nodes, nodes - 1 + integer(&b->state, 0, 10), integer(&b->state, 1, 12));
        must_solve(b);
    }
}

static void boxes_are_solved_whatever_the_matrix(void **data) {
    bench *b = *data;
    for (int k = 0; k < 200; k++) { // bounded sets: a solution always exists
        start_lcp(b->p, integer(&b->state, 2, 30));
        for (int i = 0; i < b->p->n; i++) {
            b->p->lower[i] = between(&b->state, -1, 0);
            b->p->upper[i] = between(&b->state, 0, 1);
            b->p->q[i] = between(&b->state, -2, 2);
            for (int j = 0; j < b->p->n; j++) *entry(b->p, i, j) = between(&b->state, -1, 1);
        }
        must_solve(b);
    }
}

// Indefinite whole-numbered data with a solution planted in it: no method is guaranteed anything here.
static void indefinite_problems_of_twenty_rows_are_solved(void **data) {
    bench *b = *data;
    for (int k = 0; k < 100; k++) {
        start_lcp(b->p, 20);
        for (int i = 0; i < b->p->n * b->p->n; i++) b->p->A[i] = integer(&b->state, -2, 2);
        plant_solution(b->p, &b->state, 1);
        must_solve(b);
    }
}

// Larger ones without any structure: where every pivoting method ends on a ray, the enumeration is the last to try.
static void most_unstructured_problems_of_fifty_rows_are_solved(void **data) {
    bench *b = *data;
    int solved = 0;
    for (int k = 0; k < 20; k++) {
        start_lcp(b->p, 50);
        for (int i = 0; i < b->p->n * b->p->n; i++) b->p->A[i] = between(&b->state, -1, 1);
        plant_solution(b->p, &b->state, 0);
        solved += solve(b, 1e-8) == BR_CONVERGED;
    }
    assert_true(solved >=
                16); // of 118 with 41 to 60 rows 30 were without it, 110 with it; its work is capped
}

// The cyclic matrix on which exchanging single rows by simple rules goes round for ever, and rows that are all alike.
static void degenerate_problems_do_not_cycle(void **data) {
    bench *b = *data;
    static const double cycling[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1};
    start_lcp(b->p, 3);
    memcpy(b->p->A, cycling, sizeof cycling);
    for (int i = 0; i < 3; i++) b->p->q[i] = -1;
    must_solve(b);
    for (int n = 2; n <= 60; n++) {
        start_lcp(b->p, n);
        for (int i = 0; i < n; i++) {
            b->p->q[i] = -1;
            for (int j = 0; j < n; j++) *entry(b->p, i, j) = 1 + (i == j && n % 2);
        }
        must_solve(b);
    }
}

static void a_problem_without_solution_is_proved_infeasible(void **data) {
    bench *b = *data;
    for (int k = 0; k < 200; k++) {
        // y >= 0 with A^T y <= 0 and q^T y < 0 is planted: no z >= 0 has A z + q >= 0.
        const int n = integer(&b->state, 1, 60);
        double y[MAX_N], sum = 0;
        start_lcp(b->p, n);
        for (int i = 0; i < n; i++) y[i] = i == 0 ? 1 : uniform(&b->state) < 0.5 ? 0 : uniform(&b->state);
        for (int i = 1; i < n; i++) {
            b->p->q[i] = between(&b->state, -1, 1);
            sum += y[i] * b->p->q[i];
            for (int j = 0; j < n; j++) *entry(b->p, i, j) = between(&b->state, -1, 1);
        }
        b->p->q[0] = -sum - 0.1;
        for (int j = 0; j < n; j++) {
            double column = 0;
            for (int i = 1; i < n; i++) column += y[i] * *entry(b->p, i, j);
            *entry(b->p, 0, j) = -column - (uniform(&b->state) < 0.5 ? 0.01 : uniform(&b->state));
        }
        assert_int_equal(solve(b, 1e-8), BR_INFEASIBLE);
        assert_int_equal(b->report.proof, BR_PROOF_CERTIFICATE);
        double right = 0;
        for (int i = 0; i < n; i++) {
            const double r = b->report.certificate[i];
            assert_true(r >= 0);
            right += r * b->p->q[i];
        }
        assert_true(right < 0);
        for (int j = 0; j < n; j++) {
            double column = 0;
            for (int i = 0; i < n; i++) column += b->report.certificate[i] * *entry(b->p, i, j);
            assert_true(column <= 1e-10);
        }
    }
}

static void a_feasible_problem_without_solution_is_proved_by_enumeration(void **data) {
    bench *b = *data;
    start_lcp(b->p, 2); // w1 = z2 - 1 >= 0 needs z2 > 0, so w2 = z1 + z2 + 1 = 0: impossible
    *entry(b->p, 0, 1) = 1;
    *entry(b->p, 1, 0) = *entry(b->p, 1, 1) = 1;
    b->p->q[0] = -1;
    b->p->q[1] = 1;
    assert_int_equal(solve(b, 1e-8), BR_INFEASIBLE);
    assert_int_equal(b->report.proof, BR_PROOF_ENUMERATION);
}

static void a_warm_start_takes_one_step(void **data) {
    bench *b = *data;
    for (int k = 0; k < 50; k++) {
        dominant(b->p, &b->state, 30);
        must_solve(b);
        double z[MAX_N];
        memcpy(z, b->z, sizeof z);
        const br_rows rows = rows_of(b->p);
        const br_rows_options options = br_default_rows_options();
        br_rows_solve(b->solver, &rows, &options, 1, b->z, b->w, &b->report);
        assert_int_equal(b->report.outcome, BR_CONVERGED);
        assert_string_equal(b->report.path, "block_pivot:1");
        must_be(b, z, 1e-13);
    }
}

static void count_calls(void *context, const br_trace *trace) {
    (void)trace;
    ++*(int *)context;
}

static void the_same_problem_gives_the_same_bits_and_a_trace(void **data) {
    bench *b = *data;
    bimatrix_game(b->p, &b->state, 40, 0);
    must_solve(b);
    double z[MAX_N];
    memcpy(z, b->z, sizeof z);
    const br_rows rows = rows_of(b->p);
    br_rows_options options = br_default_rows_options();
    int calls = 0;
    options.tol = TOL;
    options.trace = count_calls;
    options.trace_context = &calls;
    br_rows_solve(b->solver, &rows, &options, 0, b->z, b->w, &b->report);
    assert_memory_equal(z, b->z, 40 * sizeof(double));
    assert_true(calls > 0);
}

static void nothing_is_solved_at_once(void **data) {
    bench *b = *data;
    b->p->n = 0;
    must_solve(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_families_are_solved),
        cmocka_unit_test(bimatrix_games_are_solved),
        cmocka_unit_test(monotone_problems_of_any_rank_are_solved),
        cmocka_unit_test(scaling_over_twelve_decades_does_not_matter),
        cmocka_unit_test(networks_with_a_singular_free_block_are_solved),
        cmocka_unit_test(boxes_are_solved_whatever_the_matrix),
        cmocka_unit_test(indefinite_problems_of_twenty_rows_are_solved),
        cmocka_unit_test(most_unstructured_problems_of_fifty_rows_are_solved),
        cmocka_unit_test(degenerate_problems_do_not_cycle),
        cmocka_unit_test(a_problem_without_solution_is_proved_infeasible),
        cmocka_unit_test(a_feasible_problem_without_solution_is_proved_by_enumeration),
        cmocka_unit_test(a_warm_start_takes_one_step),
        cmocka_unit_test(the_same_problem_gives_the_same_bits_and_a_trace),
        cmocka_unit_test(nothing_is_solved_at_once),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
