// The one residual, of any p, against its formula written out once more: dense W, the natural map of each law.
#include "natural_map.h"
#include "near.h"
#include "problem_builder.h"
#include "random_problem.h"

#include <stdio.h>

enum { PROBLEMS = 300 };

// --------------------------------------------------------------------------------------------- the other formula

// From the matrix form: d_c = tr(A_cc)/rows, without C.
static double formula(const br_problem *matrix, const double *p) {
    double defect = 0, impulse = 0, load = 0, w[BUILDER_ROWS];
    const judge_mass none = {0, 0, NULL, NULL};
    judge_w(matrix, &none, p, w);
    for (int l = 0; l < matrix->laws; l++) {
        const br_law *law = &matrix->law[l];
        const int first = law->first_row;
        double trace = 0;
        for (int i = first; i < first + law->rows; i++)
            for (int k = matrix->matrix.row_start[i]; k < matrix->matrix.row_start[i + 1]; k++)
                if (matrix->matrix.column[k] == i) trace += matrix->matrix.value[k];
        const double d = trace / law->rows;
        defect += d * natural2(law, p + first, w + first, d);
        for (int i = first; i < first + law->rows; i++) {
            impulse += d * p[i] * p[i];
            load += matrix->offset[i] * matrix->offset[i] / d;
        }
    }
    return sqrt(defect / fmax(impulse, load));
}

static double residual_of(const br_problem *problem, const double *p, double *w, double *v) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    double residual = NAN;
    br_error error = {0};
    assert_int_equal(br_solver_create(&def, &solver, &error), BR_OK);
    if (br_solver_setup(solver, problem, &error)) fail_msg("setup: %s", error.message);
    if (br_solver_residual(solver, problem, p, w, v, &residual, &error)) fail_msg("%s", error.message);
    br_solver_destroy(solver);
    return residual;
}

static int has_other_than_rows(const builder *b) {
    int found = 0;
    for (int l = 0; l < b->laws; l++) found |= b->law[l].kind > BR_LAW_BOX;
    return found;
}

// ------------------------------------------------------------------------------------------------------ the tests

static void both_forms_agree_with_the_formula_written_out(void **state) {
    (void)state;
    rng r = {1};
    for (int k = 0; k < PROBLEMS; k++) {
        builder *b = random_problem(&r);
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        double p[BUILDER_ROWS], w[BUILDER_ROWS], other[BUILDER_ROWS], v[6 * BUILDER_NODES];
        for (int i = 0; i < b->rows; i++) p[i] = rng_uniform(&r, -0.5, 1);
        const double expected = formula(&matrix, p);
        assert_near(residual_of(&velocity, p, w, v), expected, 1e-11 * expected);
        if (has_other_than_rows(b)) // rows alone have their own formula in matrix form
            assert_near(residual_of(&matrix, p, other, NULL), expected, 1e-11 * expected);
        else
            residual_of(&matrix, p, other, NULL);
        judge_mass m = judge_factor(&velocity.velocity);
        double check[BUILDER_ROWS];
        judge_w(&velocity, &m, p, check);
        for (int i = 0; i < b->rows; i++) {
            assert_near(w[i], check[i], 1e-12);
            assert_near(other[i], check[i], 1e-12);
        }
        for (int i = 0; i < b->scalars; i++) check[i] = b->momentum[i];
        judge_jacobian(&velocity, m.first, p, check, 1);
        judge_solve(&m, check);
        for (int i = 0; i < b->scalars; i++) assert_near(v[i], check[i], 1e-12);
        free(m.L);
        free(m.first);
        builder_free(b);
    }
}

// max |z - clip(z - w)| / max(1, max|q|).
static void row_problems_in_matrix_form_use_the_largest_entry(void **state) {
    (void)state;
    const int start[] = {0, 2, 4, 5}, column[] = {0, 1, 0, 1, 2};
    const double value[] = {2, 1, 1, 2, 1}, offset[] = {-4, 3, -8};
    const br_law law[] = {{.kind = BR_LAW_UNILATERAL, .first_row = 0, .rows = 1},
                          {.kind = BR_LAW_EQUALITY, .first_row = 1, .rows = 1},
                          {.kind = BR_LAW_BOX, .first_row = 2, .rows = 1, .lower = -1, .upper = 5}};
    const br_problem problem = {.form = BR_FORM_MATRIX,
                                .matrix = {start, column, value},
                                .rows = 3,
                                .laws = 3,
                                .law = law,
                                .offset = offset};
    const double p[] = {1, 1, 5}; // w = (-1, 6, -3)
    double w[3];
    assert_near(residual_of(&problem, p, w, NULL), 6.0 / 8, 1e-15);
    const double origin[] = {0, -1.5, 5}; // w = (-5.5, 0, -3)
    assert_near(residual_of(&problem, origin, w, NULL), 5.5 / 8, 1e-15);
    const double exact[] = {11.0 / 3, -10.0 / 3, 5};
    assert_near(residual_of(&problem, exact, w, NULL), 0, 1e-15);
}

static void a_problem_at_rest_without_load_has_residual_zero(void **state) {
    (void)state;
    const br_law law[] = {builder_cone(0.5), builder_polygon(0.5, 8), builder_box_friction(0.5)};
    for (int k = 0; k < 3; k++) {
        builder *b = builder_new();
        builder_cube_on(b, law[k], builder_cube(b, law[k], 1, 1, NULL), 2, 1, NULL);
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        const double p[BUILDER_ROWS] = {0};
        assert_true(residual_of(&velocity, p, NULL, NULL) == 0);
        assert_true(residual_of(&matrix, p, NULL, NULL) == 0);
        solved a;
        builder_solve(&velocity, BR_SOLVER_AUTO, 0, &a);
        assert_int_equal(a.report.outcome, BR_CONVERGED);
        assert_true(a.report.residual == 0);
        builder_free(b);
    }
}

// Masses and impulses a million times larger, or velocities: the same residual.
static void the_residual_knows_no_units(void **state) {
    (void)state;
    const double factors[] = {1e-6, 1e6};
    for (int f = 0; f < 2; f++) {
        rng r = {2};
        const double factor = factors[f];
        for (int k = 0; k < PROBLEMS / 3; k++) {
            builder *b = random_problem(&r);
            double p[BUILDER_ROWS], preload[2];
            br_joint_bound bounds[2] = {random_pin[0], random_pin[1]};
            for (int i = 0; i < b->rows; i++) p[i] = rng_uniform(&r, -0.5, 1);
            br_problem problem = builder_problem(b);
            const double before = residual_of(&problem, p, NULL, NULL);
            for (int i = 0; i < 2; i++) preload[i] = bounds[i].preload, bounds[i].preload *= factor;
            for (int l = 0; l < b->laws; l++) {
                b->law[l].lower *= factor;
                b->law[l].upper *= factor;
                if (b->law[l].bounds) b->law[l].bounds = bounds;
            }
            for (int i = 0; i < b->mass_size; i++) b->mass[i] *= factor;
            for (int i = 0; i < b->scalars; i++) b->momentum[i] *= factor;
            for (int i = 0; i < b->rows; i++) p[i] *= factor, b->compliance[i] /= factor;
            assert_near(residual_of(&problem, p, NULL, NULL), before, 1e-10 * before);
            for (int i = 0; i < 2; i++) bounds[i].preload = preload[i] * factor * factor;
            for (int l = 0; l < b->laws; l++) b->law[l].lower *= factor, b->law[l].upper *= factor;
            for (int i = 0; i < b->scalars; i++) b->momentum[i] *= factor; // now the velocities
            for (int i = 0; i < b->rows; i++) p[i] *= factor, b->offset[i] *= factor;
            assert_near(residual_of(&problem, p, NULL, NULL), before, 1e-10 * before);
            builder_free(b);
        }
    }
}

// Frictionless contacts may not pull, whatever the law that says so.
static void a_pulling_contact_is_never_an_answer(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double mu = 0.5 * k, away[3] = {0, 0, 1}; // flies off; p = -1 would hold it back
        const br_law law[] = {builder_cone(mu), builder_polygon(mu, 4), builder_box_friction(mu)};
        for (int l = 0; l < 3; l++) {
            builder *b = builder_new();
            builder_particle_contact(b, law[l], 1, away);
            const br_problem problem = builder_problem(b);
            const double p[3] = {-1, 0, 0};
            double w[3];
            const double residual = residual_of(&problem, p, w, NULL);
            if (!(residual > 0.1)) fail_msg("kind %d, mu %g: residual %g", law[l].kind, mu, residual);
            builder_free(b);
        }
    }
}

// Between two walls impulses P on both sides move nothing. With w wrong by 1e-4 of the load no P may hide it from a
// tolerance of 1e-8, in either form.
static void impulses_that_run_away_do_not_hide_a_defect(void **state) {
    (void)state;
    const double velocity[3] = {0, 0, -1}, left[3] = {0, 0, 1}, right[3] = {0, 0, -1};
    builder *b = builder_new();
    const int node = builder_particle(b, 3, 1, velocity);
    builder_law(b, builder_rows(BR_LAW_UNILATERAL, 1));
    builder_entry(b, node, left);
    builder_law(b, builder_cone(0));
    const double far[9] = {right[0], right[1], right[2], 1, 0, 0, 0, 1, 0};
    builder_entry(b, node, far);
    const br_problem velocity_form = builder_problem(b), matrix = builder_matrix(b);
    for (double P = 1; P < 1e10; P *= 10) {
        const double p[4] = {1 - 1e-4 + P, P, 0, 0};
        assert_true(residual_of(&velocity_form, p, NULL, NULL) > 1e-8);
        assert_true(residual_of(&matrix, p, NULL, NULL) > 1e-8);
    }
    builder_free(b);
}

// A particle pressed between two walls by impulses of a hundred times its load: the defect stands beside both scales. A step of
// a simulation is served by it, but it is not called converged.
static void both_scales_are_reported(void **state) {
    (void)state;
    const double v[3] = {0, 0, -1}, rows[2] = {1, -1}, P = 100, miss = 1e-7;
    builder *b = builder_new();
    const int node = builder_particle(b, 3, 1, v);
    for (int k = 0; k < 2; k++) {
        const double J[3] = {0, 0, rows[k]};
        builder_law(b, builder_rows(BR_LAW_UNILATERAL, 1));
        builder_entry(b, node, J);
    }
    const br_problem problem = builder_problem(b);
    double p[2] = {P + 1 + miss, P}; // J v = (miss, -miss), W has ones: d = 1
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    br_solution solution = {.p = p, .warm = 1};
    br_solve_report report;
    def.kind = BR_SOLVER_GAUSS_SEIDEL; // takes a start within tol as it is
    def.tol_enough = 1e-4;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
    assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
    assert_int_equal(report.iterations, 0);
    assert_true(report.residual <= def.tol);
    assert_int_equal(report.outcome, BR_STALLED);
    // defect miss sqrt(2); |w_free| = sqrt(2), |p| = P sqrt(2) to a hundredth
    assert_near(report.residual_of_load / miss, 1, 1e-6);
    assert_near(report.residual * P / miss, 1, 1e-2);
    br_solver_destroy(solver);
    builder_free(b);
}

// Balls that move together: their relative velocities are rounding, and rounding is no load that could be solved.
static void rounding_of_bodies_that_move_together_is_no_load(void **state) {
    (void)state;
    rng r = {7};
    for (int k = 0; k < PROBLEMS; k++) {
        const int balls = 2 + k % 7;
        const double speed = pow(10, rng_uniform(&r, -3, 3)), eps = 4 * DBL_EPSILON * speed;
        builder *b = builder_new();
        for (int i = 0; i < balls; i++) {
            double velocity[6] = {0, 0, speed, 0, 0, 0};
            for (int c = 0; c < 6; c++) velocity[c] += rng_uniform(&r, -eps, eps);
            const int node = builder_body(b, rng_uniform(&r, 0.5, 2), 0.01, velocity);
            if (i == 0) continue;
            builder_law(b, builder_cone(0.3));
            builder_contact_entry(b, node - 1, br_vec3_of(0, 0, 0.1), 0, -1);
            builder_contact_entry(b, node, br_vec3_of(0, 0, -0.1), 0, 1);
        }
        const br_problem problem = builder_problem(b);
        solved a;
        builder_solve(&problem, BR_SOLVER_AUTO, 1e-10, &a);
        if (a.report.outcome != BR_CONVERGED)
            fail_msg("%d balls at %g m/s: %s, residual %g", balls, speed, br_outcome_name(a.report.outcome),
                     a.report.residual);
        builder_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_agree_with_the_formula_written_out),
        cmocka_unit_test(row_problems_in_matrix_form_use_the_largest_entry),
        cmocka_unit_test(a_problem_at_rest_without_load_has_residual_zero),
        cmocka_unit_test(the_residual_knows_no_units),
        cmocka_unit_test(a_pulling_contact_is_never_an_answer),
        cmocka_unit_test(impulses_that_run_away_do_not_hide_a_defect),
        cmocka_unit_test(both_scales_are_reported),
        cmocka_unit_test(rounding_of_bodies_that_move_together_is_no_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
