// Every method by its name: the same answers as the automatic choice where it applies, a clear refusal where it does
// not, and never "converged" above the tolerance.
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include <stdio.h>

enum { TOWERS = 20, LEVELS = 3 };

// ------------------------------------------------------------------------------------------------------ problems

typedef enum family { ROWS, POLYGON, BOX_FRICTION, CONE, PLANAR_CONE, JOINT, COUPLED, FAMILIES } family;

static const char *const family_names[FAMILIES] = {"rows",        "polygon", "box_friction", "cone",
                                                   "planar_cone", "joint",   "coupled"};
static const br_joint_bound pin = {.preload = 0.05, .terms = 1, .coefficient = {0.2}, .rows = {3}};

static br_law law_of(family f, int level) {
    br_law law = builder_cone(0.4);
    const br_law joint = {.kind = BR_LAW_JOINT_FRICTION, .rows = 3, .normal_rows = 2, .bounds = &pin};
    switch (f) {
    case ROWS:
        return level == 0   ? builder_rows(BR_LAW_UNILATERAL, 3)
               : level == 1 ? builder_bounds(3, -0.3, 0.3)
                            : builder_rows(BR_LAW_EQUALITY, 3);
    case POLYGON:
        return builder_polygon(0.4, 4 + 2 * level);
    case BOX_FRICTION:
        return builder_box_friction(0.4);
    case PLANAR_CONE:
        law.rows = 2;
        return law;
    case JOINT:
        return level == 0 ? joint : law;
    default:
        return law;
    }
}

// A tower of particles: W is regular, so the answer of the row laws is unique, and of the others for such small mu.
static builder *tower(family f, rng *r) {
    static const double up[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, up_plane[4] = {0, 1, 1, 0};
    builder *b = builder_new();
    for (int i = 0; i < LEVELS; i++) {
        const br_law law = law_of(f, i);
        double v[3], down[9], coupling[9] = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1},
                              mass[9] = {1, 0, 0, 0, 2, 0, 0, 0, 1};
        const double *J = law.rows == 2 ? up_plane : up;
        for (int k = 0; k < 9; k++) down[k] = law.rows == 2 && k > 3 ? 0 : -J[k];
        for (int k = 0; k < 3; k++) v[k] = rng_uniform(r, -1, k == law.rows - 1 ? 0 : 1);
        const int node = f == COUPLED ? builder_coupled_node(b, 3, mass, i - 1, coupling)
                                      : builder_particle(b, law.rows, rng_uniform(r, 0.5, 2), v);
        for (int k = 0; f == COUPLED && k < 3; k++) b->momentum[3 * node + k] = v[k];
        builder_law(b, law);
        builder_entry(b, node, J);
        if (i > 0) builder_entry(b, node - 1, down);
    }
    return b;
}

// What solver.h promises of each method.
static int must_solve(br_solver_kind kind, family f) {
    switch (kind) {
    case BR_SOLVER_GAUSS_SEIDEL:
    case BR_SOLVER_ACCELERATED:
        return f != COUPLED;
    case BR_SOLVER_LEMKE:
        return f == ROWS || f == POLYGON || f == BOX_FRICTION;
    case BR_SOLVER_BLOCK_PIVOT:
    case BR_SOLVER_DANTZIG:
    case BR_SOLVER_ENUMERATE:
        return f == ROWS;
    default:
        return 1;
    }
}

static int must_refuse(br_solver_kind kind, family f) {
    if (kind == BR_SOLVER_GAUSS_SEIDEL || kind == BR_SOLVER_ACCELERATED) return f == COUPLED;
    return kind >= BR_SOLVER_LEMKE && (f == CONE || f == JOINT || f == COUPLED); // no flat sides
}

// --------------------------------------------------------------------------------------------------------- tests

static void methods_agree_with_the_automatic_choice(void **state) {
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        rng r = {(uint64_t)f};
        for (int k = 0; k < TOWERS; k++) {
            builder *b = tower((family)f, &r);
            const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
            solved automatic;
            builder_solve(&velocity, BR_SOLVER_AUTO, 1e-11, &automatic);
            if (automatic.report.outcome != BR_CONVERGED)
                fail_msg("auto on %s: %s by %s", family_names[f], br_outcome_name(automatic.report.outcome),
                         automatic.report.path);
            for (int m = BR_SOLVER_AUTO; m < 2 * BR_SOLVER_KINDS; m++) {
                const br_solver_kind kind = (br_solver_kind)(m / 2);
                if (f == COUPLED && m % 2) continue; // a matrix has no masses to couple
                const int sweeps =
                    kind == BR_SOLVER_GAUSS_SEIDEL || kind == BR_SOLVER_ACCELERATED; // low accuracy
                const double same = sweeps ? 1e-6 : 1e-8;
                solved a;
                builder_solve(m % 2 ? &matrix : &velocity, kind, sweeps ? 1e-9 : 1e-11, &a);
                if (a.status || must_refuse(kind, (family)f)) continue; // another test
                if (a.report.outcome != BR_CONVERGED && must_solve(kind, (family)f))
                    fail_msg("%s on %s, %s form: %s, residual %g, by %s", br_solver_name(kind),
                             family_names[f], m % 2 ? "matrix" : "velocity",
                             br_outcome_name(a.report.outcome), a.report.residual, a.report.path);
                for (int i = 0; i < b->rows && a.report.outcome == BR_CONVERGED; i++)
                    if (!(fabs(a.p[i] - automatic.p[i]) < same) || !(fabs(a.w[i] - automatic.w[i]) < same))
                        fail_msg("%s on %s, %s form, row %d: p %.12g and %.12g, w %.12g and %.12g, by %s",
                                 br_solver_name(kind), family_names[f], m % 2 ? "matrix" : "velocity", i,
                                 a.p[i], automatic.p[i], a.w[i], automatic.w[i], a.report.path);
            }
            builder_free(b);
        }
    }
}

static void methods_refuse_what_they_cannot_solve(void **state) {
    (void)state;
    rng r = {50};
    for (int f = 0; f < FAMILIES; f++) {
        builder *b = tower((family)f, &r);
        const br_problem problem = builder_problem(b);
        for (int kind = 0; kind < BR_SOLVER_KINDS; kind++) {
            solved a;
            builder_solve(&problem, (br_solver_kind)kind, 1e-8, &a);
            if (must_solve((br_solver_kind)kind, (family)f)) assert_int_equal(a.status, BR_OK);
            if (must_refuse((br_solver_kind)kind, (family)f)) assert_int_equal(a.status, BR_INVALID);
            if (!a.status) continue;
            assert_int_equal(a.status, BR_INVALID);
            assert_string_equal(a.error.code, "solver-does-not-apply");
            assert_non_null(strstr(a.error.message, br_solver_name((br_solver_kind)kind)));
        }
        builder_free(b);
    }
}

// Dense methods have a size they stop at, named with the rows found.
static void dense_methods_refuse_large_problems(void **state) {
    (void)state;
    enum { N = 2600 };
    int *start = calloc(N + 1, sizeof *start), *column = calloc(3 * N, sizeof *column), e = 0;
    double *value = calloc(3 * N, sizeof *value), *offset = calloc(N, sizeof *offset);
    br_law *law = calloc(N, sizeof *law);
    for (int i = 0; i < N; i++) {
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N) column[e] = j, value[e++] = i == j ? 2 : -1;
        start[i + 1] = e;
        offset[i] = -1;
        law[i] = builder_rows(BR_LAW_UNILATERAL, 1);
        law[i].first_row = i;
    }
    const br_problem problem = {.form = BR_FORM_MATRIX,
                                .matrix = {start, column, value},
                                .rows = N,
                                .laws = N,
                                .law = law,
                                .offset = offset};
    for (int kind = BR_SOLVER_LEMKE; kind <= BR_SOLVER_ENUMERATE; kind++) {
        br_solver_def def = br_default_solver_def();
        br_solver *solver = NULL;
        br_error error = {0};
        def.kind = (br_solver_kind)kind;
        assert_int_equal(br_solver_create(&def, &solver, &error), BR_OK);
        assert_int_equal(br_solver_setup(solver, &problem, &error), BR_TOO_LARGE);
        assert_non_null(strstr(error.message, "2600"));
        br_solver_destroy(solver);
    }
    free(start);
    free(column);
    free(value);
    free(offset);
    free(law);
}

// One to three iterations and a tolerance that rounding may not allow: whatever comes back, it says what it is.
static void no_method_claims_more_than_it_has(void **state) {
    (void)state;
    rng r = {99};
    const double tolerances[] = {1e-4, 1e-8, 1e-14};
    int converged = 0, not_converged = 0;
    for (int k = 0; k < 150; k++) {
        builder *b = tower((family)(k % FAMILIES), &r);
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        for (int m = 0; m < 2 * BR_SOLVER_KINDS; m++) {
            const br_problem *problem = m % 2 ? &matrix : &velocity;
            br_solver_def def = br_default_solver_def();
            br_solver *solver = NULL;
            br_error error = {0};
            br_solve_report report;
            double p[BUILDER_ROWS], w[BUILDER_ROWS], v[6 * BUILDER_NODES], residual;
            br_solution solution = {p, w, v, 0};
            def.kind = (br_solver_kind)(m / 2);
            def.tol = tolerances[rng_below(&r, 3)];
            def.max_iterations = 1 + rng_below(&r, 3);
            assert_int_equal(br_solver_create(&def, &solver, &error), BR_OK);
            if (br_solver_setup(solver, problem, &error) == BR_OK) {
                memset(&report, 0xff, sizeof report);
                assert_int_equal(br_solver_solve(solver, problem, &solution, &report, &error), BR_OK);
                assert_int_equal(br_solver_residual(solver, problem, p, NULL, NULL, &residual, &error),
                                 BR_OK);
                if (report.outcome == BR_CONVERGED &&
                    !(report.residual <= def.tol && residual <= 1.01 * def.tol + 1e-15))
                    fail_msg("%s on %s: converged with residual %g, judged %g, tolerance %g",
                             br_solver_name(def.kind), family_names[k % FAMILIES], report.residual, residual,
                             def.tol);
                assert_near(report.residual, residual, 1e-13 + 1e-6 * residual);
                assert_true((unsigned)report.outcome < BR_OUTCOMES && isfinite(report.residual));
                assert_true((unsigned)report.solver < BR_SOLVER_KINDS && report.solver != BR_SOLVER_AUTO);
                assert_true(report.iterations >= 0 && report.factorizations >= 0 && report.islands == 1);
                assert_true(report.path[0] != '\0' && strlen(report.path) < BR_MAX_PATH);
                for (int i = 0; i < b->rows; i++) assert_true(isfinite(p[i]) && isfinite(w[i]));
                converged += report.outcome == BR_CONVERGED;
                not_converged += report.outcome != BR_CONVERGED;
            }
            br_solver_destroy(solver);
        }
        builder_free(b);
    }
    assert_true(converged > 100 && not_converged > 100); // both were seen
}

// A single method stops at the cap it was given.
static void the_cap_on_iterations_holds(void **state) {
    (void)state;
    rng r = {7};
    for (int k = 0; k < 20; k++) {
        builder *b = tower(CONE, &r);
        const br_problem problem = builder_problem(b);
        for (int cap = 1; cap <= 3; cap++) {
            br_solver_def def = br_default_solver_def();
            br_solver *solver = NULL;
            br_solve_report report;
            double p[BUILDER_ROWS], w[BUILDER_ROWS];
            br_solution solution = {p, w, NULL, 0};
            def.kind = BR_SOLVER_NEWTON;
            def.max_iterations = cap;
            def.tol = 1e-14;
            assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
            assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
            assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
            assert_true(report.iterations <= cap);
            if (report.outcome != BR_CONVERGED && report.iterations == cap)
                assert_int_equal(report.outcome, BR_MAX_ITERATIONS);
            br_solver_destroy(solver);
        }
        builder_free(b);
    }
}

typedef struct trace_log {
    int lines, last;
    br_solver_kind solver;
} trace_log;

static void log_line(void *context, const br_trace *trace) {
    trace_log *log = context;
    if (log->lines > 0 && trace->solver == log->solver) assert_true(trace->iteration > log->last);
    log->lines++;
    log->last = trace->iteration;
    log->solver = trace->solver;
}

static void iterative_methods_tell_every_iteration(void **state) {
    (void)state;
    rng r = {8};
    builder *b = tower(POLYGON, &r);
    const br_problem problem = builder_problem(b);
    for (int kind = BR_SOLVER_NEWTON; kind <= BR_SOLVER_GAUSS_SEIDEL; kind++) {
        trace_log log = {0};
        br_solver_def def = br_default_solver_def();
        br_solver *solver = NULL;
        br_solve_report report;
        double p[BUILDER_ROWS], w[BUILDER_ROWS];
        br_solution solution = {p, w, NULL, 0};
        def.kind = (br_solver_kind)kind;
        def.trace = log_line;
        def.trace_context = &log;
        assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
        assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
        assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
        assert_true(log.lines > 0);
        br_solver_destroy(solver);
    }
    builder_free(b);
}

static void names_go_to_and_fro(void **state) {
    (void)state;
    for (int kind = 0; kind < BR_SOLVER_KINDS; kind++)
        assert_int_equal(br_solver_from_name(br_solver_name((br_solver_kind)kind)), kind);
    assert_int_equal(br_solver_from_name("simplex"), BR_SOLVER_KINDS);
    assert_int_equal(br_solver_from_name(""), BR_SOLVER_KINDS);
    assert_string_equal(br_outcome_name(BR_CONVERGED), "converged");
    assert_string_equal(br_outcome_name(BR_RAY), "ray");
    assert_string_equal(br_outcome_name((br_outcome)99), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree_with_the_automatic_choice),
        cmocka_unit_test(methods_refuse_what_they_cannot_solve),
        cmocka_unit_test(dense_methods_refuse_large_problems),
        cmocka_unit_test(no_method_claims_more_than_it_has),
        cmocka_unit_test(the_cap_on_iterations_holds),
        cmocka_unit_test(iterative_methods_tell_every_iteration),
        cmocka_unit_test(names_go_to_and_fro),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
