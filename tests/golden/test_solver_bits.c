// The same bits on every run, from a used solver and a fresh one, and for any number of threads. Hashes are compared
// within this run only: libm may differ from machine to machine.
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include "base/hash.h"

enum { CUBES = 50 };

// Independent cubes of masses from 1e-3 to 1e3 kg, resting, sliding, spinning and flying; every law in turn.
static builder *cubes(void) {
    builder *b = builder_new();
    rng r = {2024};
    const br_law law[] = {builder_cone(0.5), builder_polygon(0.3, 8), builder_box_friction(0.6),
                          builder_cone(0.1)};
    for (int k = 0; k < CUBES; k++) {
        const double mass = exp(rng_uniform(&r, -7, 7)), side = rng_uniform(&r, 0.1, 2);
        double v[6];
        for (int i = 0; i < 6; i++) v[i] = rng_uniform(&r, -1, 1);
        v[2] = rng_uniform(&r, -1, 0.1);
        builder_cube(b, law[k % 4], mass, side, v);
    }
    return b;
}

// The same cubes in towers of five: few islands, larger ones.
static builder *towers(void) {
    builder *b = builder_new();
    rng r = {7};
    for (int k = 0; k < 6; k++) {
        const double v[6] = {rng_uniform(&r, -0.1, 0.1), 0, -0.1, 0, 0, 0.1};
        int node = builder_cube(b, builder_cone(0.5), 1, 1, v);
        for (int i = 0; i < 4; i++) node = builder_cube_on(b, builder_cone(0.5), node, 1 + i, 1, v);
    }
    return b;
}

static uint64_t hash_report(uint64_t hash, const br_solve_report *report) {
    hash = br_hash_u64(hash, (uint64_t)report->outcome);
    hash = br_hash_doubles(hash, &report->residual, 1);
    hash = br_hash_u64(hash, (uint64_t)report->iterations);
    hash = br_hash_u64(hash, (uint64_t)report->factorizations);
    hash = br_hash_u64(hash, (uint64_t)report->islands);
    hash = br_hash_u64(hash, (uint64_t)report->solver);
    return br_hash_bytes(hash, report->path, strlen(report->path));
}

// Cold, then warm with other loads, then cold again as at first.
static void run(br_solver *solver, const br_problem *problem, double *momentum, int scalars, uint64_t *hash) {
    double *p = calloc(2 * BUILDER_ROWS + 6 * BUILDER_NODES, sizeof *p);
    double *w = p + BUILDER_ROWS, *v = w + BUILDER_ROWS;
    for (int pass = 0; pass < 3; pass++) {
        br_solution solution = {p, w, v, pass == 1};
        br_solve_report report;
        for (int i = 0; pass == 1 && i < scalars; i += 5) momentum[i] *= 2; // exact, and undone below
        assert_int_equal(br_solver_solve(solver, problem, &solution, &report, NULL), BR_OK);
        for (int i = 0; pass == 1 && i < scalars; i += 5) momentum[i] /= 2;
        uint64_t h = br_hash_doubles(BR_HASH_START, p, (size_t)problem->rows);
        h = br_hash_doubles(h, w, (size_t)problem->rows);
        if (problem->form == BR_FORM_VELOCITY) h = br_hash_doubles(h, v, (size_t)scalars);
        hash[pass] = hash_report(h, &report);
    }
    free(p);
}

static br_solver *fresh(const br_problem *problem, br_solver_kind kind, int threads) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    def.kind = kind;
    def.threads = threads;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, problem, NULL), BR_OK);
    return solver;
}

static void check(builder *b, const br_problem *problem, br_solver_kind kind) {
    uint64_t first[3], other[3];
    double *momentum = malloc((size_t)b->scalars * sizeof *momentum);
    br_problem own = *problem;
    memcpy(momentum, b->momentum, (size_t)b->scalars * sizeof *momentum);
    if (own.form == BR_FORM_VELOCITY) own.velocity.momentum = momentum;
    br_solver *solver = fresh(&own, kind, 1);
    run(solver, &own, momentum, b->scalars, first);
    assert_true(first[0] == first[2]); // a used solver remembers nothing
    for (int again = 0; again < 2; again++) {
        memcpy(momentum, b->momentum, (size_t)b->scalars * sizeof *momentum);
        run(solver, &own, momentum, b->scalars, other);
        assert_memory_equal(first, other, sizeof first);
    }
    br_solver_destroy(solver);
    static const int threads[] = {1, 2, 3, 8, 64};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        memcpy(momentum, b->momentum, (size_t)b->scalars * sizeof *momentum);
        solver = fresh(&own, kind, threads[t]);
        run(solver, &own, momentum, b->scalars, other);
        assert_memory_equal(first, other, sizeof first);
        br_solver_destroy(solver);
    }
    free(momentum);
}

static void many_islands_give_the_same_bits_on_any_threads(void **state) {
    (void)state;
    builder *b = cubes();
    const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
    for (int kind = BR_SOLVER_AUTO; kind <= BR_SOLVER_GAUSS_SEIDEL; kind++) {
        check(b, &velocity, (br_solver_kind)kind);
        if (kind <= BR_SOLVER_NEWTON) check(b, &matrix, (br_solver_kind)kind);
    }
    builder_free(b);
}

static void large_islands_give_the_same_bits_on_any_threads(void **state) {
    (void)state;
    builder *b = towers();
    const br_problem velocity = builder_problem(b);
    check(b, &velocity, BR_SOLVER_AUTO);
    check(b, &velocity, BR_SOLVER_INTERIOR);
    builder_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_islands_give_the_same_bits_on_any_threads),
        cmocka_unit_test(large_islands_give_the_same_bits_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
