// What every solver keeps to, whatever the mathematics: memory only at setup, failures that leave no trace, refusals
// that name the entry.
#include "counting_allocator.h"
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include <stdio.h>

static const br_joint_bound pin = {.preload = 0.1, .terms = 1, .coefficient = {0.2}, .rows = {1}};

// Three islands, laws of every flat kind; `cones` adds the others.
static builder *mixed(int cones, double speed) {
    const double v[6] = {speed, 0.1, -1, 0, 0.2, 0}, J[4] = {0, 1, 1, 0};
    const br_law joint = {.kind = BR_LAW_JOINT_FRICTION, .rows = 2, .normal_rows = 1, .bounds = &pin};
    builder *b = builder_new();
    const br_law law = cones ? builder_cone(0.4) : builder_box_friction(0.4);
    builder_cube_on(b, builder_polygon(0.4, 6), builder_cube(b, law, 1, 1, v), 2, 1, v);
    builder_particle_contact(b, law, 2, v);
    const int held = builder_particle(b, 2, 1, v);
    builder_law(b, cones ? joint : builder_bounds(2, -0.1, 0.1));
    builder_entry(b, held, J);
    return b;
}

// Rows alone: what every method takes.
static builder *rows_only(double speed) {
    const double v[3] = {speed, 0.1, -1}, J[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    builder *b = builder_new();
    for (int k = 0; k < 3; k++) {
        const int node = builder_particle(b, 3, 1 + k, v);
        builder_law(b, k == 0   ? builder_rows(BR_LAW_UNILATERAL, 3)
                       : k == 1 ? builder_bounds(3, -0.5, 0.5)
                                : builder_rows(BR_LAW_EQUALITY, 3));
        builder_entry(b, node, J);
        if (k > 0) builder_entry(b, node - 1, J);
    }
    return b;
}

static builder *problem_for(br_solver_kind kind, double speed) {
    return kind <= BR_SOLVER_GAUSS_SEIDEL ? mixed(1, speed)
           : kind == BR_SOLVER_LEMKE      ? mixed(0, speed)
                                          : rows_only(speed);
}

// -------------------------------------------------------------------------------------------------------- memory

static void solving_allocates_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 2 * BR_SOLVER_KINDS; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, 0);
        br_solver_def def = br_default_solver_def();
        br_solver *solver = NULL;
        br_error error = {0};
        builder *b = problem_for((br_solver_kind)(k / 2), 0.5);
        const br_problem problem = k % 2 ? builder_matrix(b) : builder_problem(b);
        def.kind = (br_solver_kind)(k / 2);
        def.allocator = &allocator;
        assert_int_equal(br_solver_create(&def, &solver, &error), BR_OK);
        if (br_solver_setup(solver, &problem, &error))
            fail_msg("%s: %s", br_solver_name(def.kind), error.message);
        const long calls = counter.calls, live = counter.live;
        for (int run = 0; run < 6; run++) {
            double p[BUILDER_ROWS], w[BUILDER_ROWS], v[6 * BUILDER_NODES], residual;
            br_solution solution = {p, w, k % 2 ? NULL : v, 0};
            br_solve_report report;
            for (int i = 0; k % 2 == 0 && i < b->scalars; i++) b->momentum[i] *= 1.1;
            assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, &error), BR_OK);
            solution.warm = 1;
            assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, &error), BR_OK);
            assert_int_equal(br_solver_residual(solver, &problem, p, w, NULL, &residual, &error), BR_OK);
        }
        assert_int_equal(counter.calls, calls);
        assert_int_equal(counter.live, live);
        br_solver_destroy(solver);
        assert_int_equal(counter.live, 0);
        builder_free(b);
    }
}

// Call k fails, for every k: BR_NO_MEMORY, nothing leaks, and the same solver can be set up and used afterwards.
static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int kind = 0; kind < BR_SOLVER_KINDS; kind++) {
        builder *b = problem_for((br_solver_kind)kind, 0.5);
        const br_problem problem = builder_problem(b);
        solved expected;
        builder_solve(&problem, (br_solver_kind)kind, 1e-8, &expected);
        int failures = 0;
        for (long fail_at = 1;; fail_at++) {
            counting_allocator counter;
            const br_allocator allocator = counting_allocator_start(&counter, fail_at);
            br_solver_def def = br_default_solver_def();
            br_solver *solver = NULL;
            br_error error = {0};
            def.kind = (br_solver_kind)kind;
            def.allocator = &allocator;
            br_status status = br_solver_create(&def, &solver, &error);
            if (!status) status = br_solver_setup(solver, &problem, &error);
            if (counter.failed) {
                failures++;
                assert_int_equal(status, BR_NO_MEMORY);
                assert_int_equal(error.status, BR_NO_MEMORY);
                assert_non_null(strstr(error.message, "out of memory"));
            } else {
                assert_int_equal(status, BR_OK);
            }
            if (!solver) {
                assert_int_equal(counter.live, 0);
                continue;
            }
            solved a = {0};
            br_solution solution = {a.p, a.w, a.v, 0};
            if (counter.failed) { // half set up: refused, then as good as new
                assert_int_equal(br_solver_solve(solver, &problem, &solution, &a.report, &error), BR_INVALID);
                assert_string_equal(error.code, "solver-setup");
                assert_int_equal(br_solver_setup(solver, &problem, &error), BR_OK);
            }
            assert_int_equal(br_solver_solve(solver, &problem, &solution, &a.report, &error), BR_OK);
            assert_memory_equal(a.p, expected.p, (size_t)b->rows * sizeof *a.p);
            br_solver_destroy(solver);
            assert_int_equal(counter.live, 0);
            if (!counter.failed) break;
        }
        assert_true(failures >= 2);
        builder_free(b);
    }
}

static void destroying_nothing_is_allowed(void **state) {
    (void)state;
    br_solver_destroy(NULL);
}

// ------------------------------------------------------------------------------------------------------ refusals

// A failing call touches none of its outputs.
static void check_refused(br_solver *solver, const br_problem *problem, int warm, double start,
                          const char *code, const char *entry) {
    solved a, before;
    br_error error = {0};
    memset(&a, 0x5a, sizeof a);
    for (int i = 0; warm && i < problem->rows; i++) a.p[i] = i == 1 ? start : 0;
    memcpy(&before, &a, sizeof a);
    br_solution solution = {a.p, a.w, a.v, warm};
    assert_int_equal(br_solver_solve(solver, problem, &solution, &a.report, &error), BR_INVALID);
    assert_string_equal(error.code, code);
    if (!strstr(error.message, entry)) fail_msg("\"%s\" does not name %s", error.message, entry);
    assert_memory_equal(&a, &before, sizeof a);
    if (warm) return;
    double residual = 42;
    assert_int_equal(br_solver_residual(solver, problem, before.p, a.w, a.v, &residual, &error), BR_INVALID);
    assert_string_equal(error.code, code);
    assert_memory_equal(&a, &before, sizeof a);
    assert_true(residual == 42);
}

static br_solver *ready(const br_problem *problem) {
    const br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, problem, NULL), BR_OK);
    return solver;
}

static void numbers_that_are_not_finite_are_named(void **state) {
    (void)state;
    builder *b = mixed(1, 0.5);
    builder_compliance(b, 2, 0);
    const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
    br_solver *by_velocity = ready(&velocity), *by_matrix = ready(&matrix);
    const struct {
        double *array;
        int count;
        const char *name;
        int in_matrix;
    } arrays[] = {{b->mass, b->mass_size, "mass entry", 0},
                  {b->momentum, b->scalars, "momentum entry", 0},
                  {b->jacobian, b->jacobian_size, "jacobian entry", 0},
                  {b->offset, b->rows, "offset entry", 0},
                  {b->compliance, b->rows, "compliance entry", 0},
                  {b->q, b->rows, "offset entry", 1},
                  {b->value, b->row_start[b->rows], "matrix entry", 1}};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        for (int i = 0; i < 3; i++) {
            const int entry = i == 0 ? 0 : i == 1 ? arrays[k].count / 2 : arrays[k].count - 1;
            const double kept = arrays[k].array[entry];
            char name[64];
            snprintf(name, sizeof name, "%s %d ", arrays[k].name, entry);
            arrays[k].array[entry] = bad[i];
            check_refused(arrays[k].in_matrix ? by_matrix : by_velocity,
                          arrays[k].in_matrix ? &matrix : &velocity, 0, 0, "problem-not-finite", name);
            arrays[k].array[entry] = kept;
        }
    for (int i = 0; i < 3; i++) {
        check_refused(by_velocity, &velocity, 1, bad[i], "solution-not-finite", "p[1]");
        b->law[1].friction_coefficient = bad[i];
        check_refused(by_velocity, &velocity, 0, 0, "law-mu", "law 1");
        b->law[1].friction_coefficient = 0.4;
    }
    br_solver_destroy(by_velocity);
    br_solver_destroy(by_matrix);
    builder_free(b);
}

static void impulses_to_judge_must_be_finite(void **state) {
    (void)state;
    builder *b = mixed(1, 0.5);
    const br_problem problem = builder_problem(b);
    br_solver *solver = ready(&problem);
    double p[BUILDER_ROWS] = {0}, residual = 42;
    br_error error = {0};
    p[3] = NAN;
    assert_int_equal(br_solver_residual(solver, &problem, p, NULL, NULL, &residual, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "p[3]"));
    assert_true(residual == 42);
    br_solver_destroy(solver);
    builder_free(b);
}

static void a_mass_that_is_not_positive_definite_is_named(void **state) {
    (void)state;
    builder *b = mixed(1, 0.5);
    const br_problem problem = builder_problem(b);
    br_solver *solver = ready(&problem);
    const double bad[] = {0, -1};
    for (int k = 0; k < 2; k++) { // node 1 is the cube above, its third velocity
        const double kept = b->mass[36 + 14];
        b->mass[36 + 14] = bad[k];
        check_refused(solver, &problem, 0, 0, "problem-mass", "node 1 ");
        b->mass[36 + 14] = kept;
    }
    br_solver_destroy(solver);
    builder_free(b);
}

static void a_coupled_mass_that_is_not_positive_definite_is_refused(void **state) {
    (void)state;
    const double M[1] = {1}, coupling[1] = {2}, J[1] = {1}; // [1 2; 2 1]
    builder *b = builder_new();
    const int first = builder_coupled_node(b, 1, M, -1, NULL),
              second = builder_coupled_node(b, 1, M, first, coupling);
    builder_law(b, builder_rows(BR_LAW_UNILATERAL, 1));
    builder_entry(b, second, J);
    const br_problem coupled = builder_problem(b);
    br_solver *solver = ready(&coupled);
    check_refused(solver, &coupled, 0, 0, "problem-mass", "node");
    br_solver_destroy(solver);
    builder_free(b);
}

static void another_size_needs_another_setup(void **state) {
    (void)state;
    builder *b = mixed(1, 0.5), *other = rows_only(0.5);
    const br_problem problem = builder_problem(b), small = builder_problem(other), matrix = builder_matrix(b);
    const br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    check_refused(solver, &problem, 0, 0, "solver-setup", "br_solver_setup"); // none yet
    assert_int_equal(br_solver_setup(solver, &small, NULL), BR_OK);
    check_refused(solver, &problem, 0, 0, "solver-setup", "9 rows");
    assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
    check_refused(solver, &small, 0, 0, "solver-setup", "not for 9");
    check_refused(solver, &matrix, 0, 0, "solver-setup", "nodes"); // the other form
    br_problem broken = problem;
    broken.rows = -1;
    assert_int_equal(br_solver_setup(solver, &broken, NULL), BR_INVALID);
    double p[BUILDER_ROWS], w[BUILDER_ROWS]; // a refused problem leaves the last setup as it was
    br_solution solution = {p, w, NULL, 0};
    br_solve_report report;
    assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
    br_solver_destroy(solver);
    builder_free(b);
    builder_free(other);
}

static void options_out_of_range_are_refused(void **state) {
    (void)state;
    for (int k = 0; k < 11; k++) {
        br_solver_def def = br_default_solver_def();
        br_solver *solver = NULL;
        br_error error = {0};
        if (k < 4) def.tol = (const double[]){0, -1, NAN, INFINITY}[k];
        if (k == 4) def.kind = BR_SOLVER_KINDS;
        if (k == 5) def.max_iterations = -1;
        if (k == 6) def.threads = 0;
        if (k == 7) def.threads = 100000;
        if (k == 8) def.lemke_shift = NAN;
        if (k > 8) def.tol_enough = (const double[]){-1, NAN}[k - 9];
        assert_int_equal(br_solver_create(&def, &solver, &error), BR_INVALID);
        assert_int_equal(strncmp(error.code, "solver-", 7), 0);
        assert_null(solver);
    }
}

// --------------------------------------------------------------------------------------------------- warm starts

static void an_answer_is_its_own_best_start(void **state) {
    (void)state;
    for (int k = 0; k < 2 * BR_SOLVER_KINDS; k++) {
        builder *b = problem_for((br_solver_kind)(k / 2), 0.5);
        const br_problem problem = k % 2 ? builder_matrix(b) : builder_problem(b);
        br_solver_def def = br_default_solver_def();
        br_solver *solver = NULL;
        double p[BUILDER_ROWS], w[BUILDER_ROWS], first[BUILDER_ROWS];
        br_solution solution = {p, w, NULL, 0};
        br_solve_report report;
        def.kind = (br_solver_kind)(k / 2);
        assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
        assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
        assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
        if (report.outcome != BR_CONVERGED)
            fail_msg("%s: %s by %s", br_solver_name(def.kind), br_outcome_name(report.outcome), report.path);
        memcpy(first, p, sizeof first);
        solution.warm = 1;
        assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
        assert_int_equal(report.outcome, BR_CONVERGED);
        assert_true(report.iterations <= 2);
        for (int i = 0; i < b->rows; i++) assert_near(p[i], first[i], 1e-6);
        br_solver_destroy(solver);
        builder_free(b);
    }
}

// ------------------------------------------------------------------------------------------------------ wrong calls

static void refused(br_status status, const br_error *error, const char *words) {
    assert_int_equal(status, BR_INVALID);
    if (!strstr(error->message, words)) fail_msg("'%s' does not say '%s'", error->message, words);
}

// Fewer rows under the number that was set up would be written past the caller's arrays.
static void fewer_rows_under_the_same_pattern_id_are_refused(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        br_solver *solver = NULL;
        br_error error = {0};
        builder *large = mixed(1, 0.5), *small = rows_only(0.5);
        br_problem first = form ? builder_matrix(large) : builder_problem(large);
        br_problem second = form ? builder_matrix(small) : builder_problem(small);
        const br_solver_def def = br_default_solver_def();
        first.pattern_id = second.pattern_id = 7;
        assert_int_equal(br_solver_create(&def, &solver, &error), BR_OK);
        assert_int_equal(br_solver_setup(solver, &first, &error), BR_OK);
        assert_true(second.rows < first.rows);
        double p[64], w[64], v[64], residual;
        br_solution solution = {p, w, v, 0};
        br_solve_report report;
        memset(p, 0, sizeof p);
        refused(br_solver_solve(solver, &second, &solution, &report, &error), &error,
                "br_solver_setup again");
        refused(br_solver_residual(solver, &second, p, w, v, &residual, &error), &error, "not for 9");
        second = first; // the same sizes, but an array is missing
        second.offset = NULL;
        refused(br_solver_solve(solver, &second, &solution, &report, &error), &error, "arrays given");
        assert_int_equal(br_solver_solve(solver, &first, &solution, &report, &error), BR_OK);
        br_solver_destroy(solver);
        builder_free(large);
        builder_free(small);
    }
}

static void arrays_that_share_memory_are_refused(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        br_solver *solver = NULL;
        br_error error = {0};
        builder *b = mixed(1, 0.5);
        const br_problem problem = form ? builder_matrix(b) : builder_problem(b);
        const br_solver_def def = br_default_solver_def();
        assert_int_equal(br_solver_create(&def, &solver, &error), BR_OK);
        assert_int_equal(br_solver_setup(solver, &problem, &error), BR_OK);
        double p[64], w[64], v[64], residual;
        double *offset = (double *)(uintptr_t)problem.offset;
        br_solve_report report;
        memset(p, 0, sizeof p);
        const br_solution wrong[] = {
            {p, p, v, 0}, {p, p + 1, v, 0}, {offset, w, v, 0}, {p, offset, v, 0}, {w + 1, w, v, 1}};
        static const char *const words[] = {"p and w", "p and w", "p and offset", "w and offset", "p and w"};
        for (int k = 0; k < 5; k++) {
            br_solution solution = wrong[k];
            refused(br_solver_solve(solver, &problem, &solution, &report, &error), &error, words[k]);
        }
        br_solution solution = {p, w, v, 0};
        if (!form) {
            solution.v = (double *)(uintptr_t)problem.velocity.momentum;
            refused(br_solver_solve(solver, &problem, &solution, &report, &error), &error, "v and momentum");
        } else {
            solution.w = (double *)(uintptr_t)problem.matrix.value;
            refused(br_solver_solve(solver, &problem, &solution, &report, &error), &error, "w and value");
        }
        refused(br_solver_residual(solver, &problem, p, p, v, &residual, &error), &error, "p and w");
        br_solver_destroy(solver);
        builder_free(b);
    }
}

static void arguments_left_out_are_refused(void **state) {
    (void)state;
    br_solver *solver = NULL;
    br_error error = {0};
    builder *b = mixed(1, 0.5);
    const br_problem problem = builder_problem(b);
    const br_solver_def def = br_default_solver_def();
    double p[64], w[64], v[64], residual;
    br_solution solution = {p, w, v, 0}, no_p = {NULL, w, v, 0}, p_only = {p, NULL, NULL, 0};
    br_solve_report report;
    memset(p, 0, sizeof p);
    refused(br_solver_create(NULL, &solver, &error), &error, "def is NULL");
    refused(br_solver_create(&def, NULL, &error), &error, "out is NULL");
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    refused(br_solver_setup(NULL, &problem, &error), &error, "solver is NULL");
    refused(br_solver_setup(solver, NULL, &error), &error, "problem is NULL");
    refused(br_problem_check(NULL, &error), &error, "problem is NULL");
    assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
    refused(br_solver_solve(NULL, &problem, &solution, &report, &error), &error, "solver is NULL");
    refused(br_solver_solve(solver, NULL, &solution, &report, &error), &error, "problem is NULL");
    refused(br_solver_solve(solver, &problem, NULL, &report, &error), &error, "solution is NULL");
    refused(br_solver_solve(solver, &problem, &solution, NULL, &error), &error, "report is NULL");
    refused(br_solver_solve(solver, &problem, &no_p, &report, &error), &error, "p is NULL");
    refused(br_solver_residual(NULL, &problem, p, w, v, &residual, &error), &error, "solver is NULL");
    refused(br_solver_residual(solver, NULL, p, w, v, &residual, &error), &error, "problem is NULL");
    refused(br_solver_residual(solver, &problem, NULL, w, v, &residual, &error), &error, "p is NULL");
    refused(br_solver_residual(solver, &problem, p, w, v, NULL, &error), &error, "residual is NULL");
    assert_int_equal(br_solver_solve(solver, &problem, &p_only, &report, NULL), BR_OK);
    assert_int_equal(br_solver_from_name(NULL), BR_SOLVER_KINDS);
    br_solver_destroy(solver);
    builder_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solving_allocates_nothing),
        cmocka_unit_test(fewer_rows_under_the_same_pattern_id_are_refused),
        cmocka_unit_test(arrays_that_share_memory_are_refused),
        cmocka_unit_test(arguments_left_out_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(destroying_nothing_is_allowed),
        cmocka_unit_test(numbers_that_are_not_finite_are_named),
        cmocka_unit_test(impulses_to_judge_must_be_finite),
        cmocka_unit_test(a_mass_that_is_not_positive_definite_is_named),
        cmocka_unit_test(a_coupled_mass_that_is_not_positive_definite_is_refused),
        cmocka_unit_test(another_size_needs_another_setup),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(an_answer_is_its_own_best_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
