// Equality rows, joint friction, laws that touch nothing and problems of several islands, against closed forms.
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include <stdio.h>

#define TOL 1e-12
#define SAME 1e-10

static void solve(const br_problem *problem, solved *a) {
    builder_solve(problem, BR_SOLVER_AUTO, TOL, a);
    if (a->status) fail_msg("%s", a->error.message);
    if (!builder_is_solved(&a->report, TOL))
        fail_msg("%s by %s, residual %g", br_outcome_name(a->report.outcome), a->report.path,
                 a->report.residual);
    assert_true(a->report.residual <= TOL);
}

// ------------------------------------------------------------------------------------------------------ equality

// Six rows on three velocities, all satisfied by v = (1, 2, 3): the row space is all of it, p is not unique.
static void redundant_equality_rows_leave_v_right(void **state) {
    (void)state;
    const double J[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, target[3] = {1, 2, 3};
    const double masses[] = {1e-6, 1e-3, 1, 1e3, 1e6};
    for (int k = 0; k < 5; k++) {
        const double diagonal[3] = {masses[k], 1, 2 * masses[k]}, v[3] = {-1, 0.5, 4};
        builder *b = builder_new();
        const int node = builder_node(b, 3, diagonal, v);
        const int row = builder_law(b, builder_rows(BR_LAW_EQUALITY, 6));
        builder_entry(b, node, J);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 3; j++) b->offset[row + i] -= J[3 * i + j] * target[j];
        const br_problem problem = builder_problem(b);
        solved a;
        solve(&problem, &a);
        const double tol = 1e-11 * fmax(masses[k], 1 / masses[k]); // energy, seen from the lightest direction
        for (int i = 0; i < 3; i++) assert_near(a.v[i], target[i], tol + SAME);
        for (int i = 0; i < 6; i++) assert_near(a.w[i], 0, tol + SAME);
        builder_free(b);
    }
}

// The same rows as six laws, each several times over, and in matrix form too.
static void repeated_equality_laws_are_no_obstacle(void **state) {
    (void)state;
    const double rows[3][3] = {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, v[3] = {-1, 0.5, 4};
    builder *b = builder_new();
    const int node = builder_particle(b, 3, 2, v);
    for (int k = 0; k < 9; k++) {
        const int row = builder_law(b, builder_rows(BR_LAW_EQUALITY, 1));
        builder_entry(b, node, rows[k % 3]);
        b->offset[row] = k % 3 == 1 ? -3 : k % 3 == 0 ? -1 : -2; // v = (1, 2, free)
    }
    const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
    for (int form = 0; form < 2; form++) {
        solved a;
        solve(form ? &matrix : &problem, &a);
        for (int i = 0; i < 9; i++) assert_near(a.w[i], 0, SAME);
        const double x = a.p[0] + a.p[3] + a.p[6] + a.p[1] + a.p[4] + a.p[7];
        const double y = a.p[2] + a.p[5] + a.p[8] + a.p[1] + a.p[4] + a.p[7];
        assert_near(x, 2 * (1 - -1), SAME);
        assert_near(y, 2 * (2 - 0.5), SAME);
    }
    builder_free(b);
}

// A pendulum row on a mass matrix with a coupling block: v by hand.
static void coupled_masses_share_an_equality_row(void **state) {
    (void)state;
    const double M[1] = {2}, coupling[1] = {1}, J[1] = {1};
    builder *b = builder_new();
    const int first = builder_coupled_node(b, 1, M, -1, NULL);
    const int second = builder_coupled_node(b, 1, M, first, coupling); // M = [2 1; 1 2]
    b->momentum[0] = 1;
    builder_law(b, builder_rows(BR_LAW_EQUALITY, 1));
    builder_entry(b, second, J); // holds the second still: v = (1/2, 0), p = M_21 v_1
    const br_problem problem = builder_problem(b);
    solved a;
    solve(&problem, &a);
    assert_near(a.v[0], 0.5, SAME);
    assert_near(a.v[1], 0, SAME);
    assert_near(a.p[0], 0.5, SAME);
    builder_free(b);
}

// ------------------------------------------------------------------------------------------------ joint friction

static br_law joint(int rows, int normal_rows, const br_joint_bound *bounds) {
    const br_law law = {
        .kind = BR_LAW_JOINT_FRICTION, .rows = rows, .normal_rows = normal_rows, .bounds = bounds};
    return law;
}

// A slider: held in y (equality), rubbing in x with preload + mu |p_y|.
static void a_slider_sticks_and_slides_at_its_bound(void **state) {
    (void)state;
    const double J[4] = {0, 1, 1, 0}, m = 2;
    static const struct {
        double preload, mu, x, y; // free velocities
    } cases[] = {
        {0, 0.5, 0.3, -1},   {0, 0.5, 3, -1},     {0, 0.5, -3, 1}, {0.4, 0, 1, 5},
        {0.4, 0.25, -9, -2}, {0.4, 0.25, 0.1, 2}, {0, 0.5, 1, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const br_joint_bound bound = {
            .preload = cases[k].preload, .terms = 1, .coefficient = {cases[k].mu}, .rows = {1}};
        const double v[2] = {cases[k].x, cases[k].y};
        builder *b = builder_new();
        const int node = builder_particle(b, 2, m, v);
        builder_law(b, joint(2, 1, &bound));
        builder_entry(b, node, J);
        const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
        const double most = cases[k].preload + cases[k].mu * fabs(m * cases[k].y);
        const double friction = fmin(fmax(-m * cases[k].x, -most), most);
        for (int form = 0; form < 2; form++) {
            solved a;
            solve(form ? &matrix : &problem, &a);
            assert_near(a.p[0], -m * cases[k].y, SAME);
            assert_near(a.p[1], friction, SAME);
            assert_near(a.w[0], 0, SAME);
            assert_near(a.w[1], cases[k].x + friction / m, SAME);
        }
        builder_free(b);
    }
}

// Two terms: a force of two rows and a moment of one, each with its own arm; two friction rows.
static void bounds_sum_the_norms_of_their_rows(void **state) {
    (void)state;
    const br_joint_bound bounds[2] = {{.preload = 0.1, .terms = 2, .coefficient = {0.2, 0.5}, .rows = {3, 4}},
                                      {.terms = 1, .coefficient = {0.3}, .rows = {7}}};
    const double v[5] = {3, -4, 2, 9, -9};
    double J[25] = {0};
    for (int i = 0; i < 5; i++) J[6 * i] = 1;
    builder *b = builder_new();
    const int node = builder_particle(b, 5, 1, v);
    builder_law(b, joint(5, 3, bounds));
    builder_entry(b, node, J);
    const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
    for (int form = 0; form < 2; form++) {
        solved a;
        solve(form ? &matrix : &problem, &a);
        for (int i = 0; i < 3; i++) assert_near(a.p[i], -v[i], SAME);
        assert_near(a.p[3], -(0.1 + 0.2 * 5 + 0.5 * 2), SAME);
        assert_near(a.p[4], 0.3 * sqrt(29.0), SAME);
    }
    builder_free(b);
}

// Friction that loads its own bearing: W is not diagonal, p_n = -q_n / (a + c s mu), s the sign of p_f p_n.
static void friction_and_reaction_are_solved_together(void **state) {
    (void)state;
    const double M[4] = {2, 0.5, 0.5, 1}, J[4] = {0, 1, 1, 0}, det = 1.75;
    const double a11 = M[0] / det, c = -M[1] / det; // W in the rows (y, x)
    const br_joint_bound bound = {.terms = 1, .coefficient = {0.3}, .rows = {1}};
    for (int k = 0; k < 2; k++) {
        builder *b = builder_new();
        const int node = builder_coupled_node(b, 2, M, -1, NULL);
        builder_law(b, joint(2, 1, &bound));
        builder_entry(b, node, J);
        const double x = k ? -5 : 5, y = -1; // free velocities
        b->momentum[0] = M[0] * x + M[1] * y;
        b->momentum[1] = M[2] * x + M[3] * y;
        const br_problem problem = builder_problem(b);
        const double sign = k ? 1 : -1, normal = -y / (a11 + c * sign * 0.3);
        solved a;
        solve(&problem, &a);
        assert_near(a.p[0], normal, SAME);
        assert_near(a.p[1], sign * 0.3 * normal, SAME);
        assert_near(a.w[0], 0, SAME);
        assert_true(a.w[1] * sign < 0);
        builder_free(b);
    }
}

// --------------------------------------------------------------------------------------------- islands and edges

static void islands_do_not_see_each_other(void **state) {
    (void)state;
    const double v[6] = {0.5, 0.2, -1, 0, 0, 0}, flat_v[2] = {2, -1}, alone[3] = {7, 8, 9}, J[3] = {0, 0, 1};
    builder *b = builder_new();
    builder_cube(b, builder_cone(0.3), 1, 1, v); // rows 0..11
    builder_particle(b, 3, 5, alone);            // no law at all
    br_law plane = builder_polygon(0.5, 4);
    plane.rows = 2;
    builder_particle_contact(b, plane, 3, flat_v); // rows 12, 13
    const int held = builder_particle(b, 3, 2, v);
    builder_law(b, builder_rows(BR_LAW_EQUALITY, 1)); // row 14
    builder_entry(b, held, J);
    builder_cube(b, builder_box_friction(0.3), 1e4, 1, v); // rows 15..26
    const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
    for (int form = 0; form < 2; form++) {
        solved a;
        solve(form ? &matrix : &problem, &a);
        assert_true(a.report.islands >= 4);
        double cone = 0, box = 0;
        for (int k = 0; k < 4; k++) {
            cone += a.p[3 * k];
            box += a.p[15 + 3 * k];
            assert_true(hypot(a.p[3 * k + 1], a.p[3 * k + 2]) <= 0.3 * a.p[3 * k] + 1e-9);
        }
        assert_near(cone, 1, SAME);
        assert_near(box / 1e4, 1, SAME);
        assert_near(a.p[12], 3, SAME);
        assert_near(a.p[13], -1.5, SAME);
        assert_near(a.w[13], 1.5, SAME);
        assert_near(a.p[14], 2, SAME);
        if (form) continue;
        for (int i = 0; i < 3; i++) assert_near(a.v[6 + i], alone[i], 0);
        assert_near(a.v[0], 0.5 - 0.3 * 0.5 / hypot(0.5, 0.2), 1e-9); // slides as it did
        assert_near(a.v[1], 0.2 - 0.3 * 0.2 / hypot(0.5, 0.2), 1e-9);
        assert_near(a.v[14], 0.2, SAME); // by each axis alone: 0.5 - 0.3 along x, held along y
        assert_near(a.v[15], 0, SAME);
    }
    builder_free(b);
}

static void a_problem_without_laws_returns_the_free_velocities(void **state) {
    (void)state;
    const double v[6] = {1, 2, 3, 4, 5, 6};
    builder *b = builder_new();
    builder_body(b, 3, 2, v);
    builder_body(b, 5, 1, v);
    const br_problem problem = builder_problem(b);
    solved a;
    solve(&problem, &a);
    assert_true(a.report.residual == 0);
    for (int i = 0; i < 12; i++) assert_near(a.v[i], v[i % 6], 1e-15);
    const int start[1] = {0};
    const br_problem empty = {.form = BR_FORM_MATRIX, .matrix = {.row_start = start}};
    solve(&empty, &a);
    assert_true(a.report.residual == 0);
    builder_free(b);
}

// w = C p + b alone.
static void laws_that_touch_no_node_are_solved_by_their_compliance(void **state) {
    (void)state;
    const double v[3] = {0.5, 0, -1};
    for (int company = 0; company < 2; company++) {
        builder *b = builder_new();
        if (company)
            builder_particle_contact(b, builder_cone(0.3), 2, v);
        else
            builder_particle(b, 3, 2, v);
        const int row = builder_law(b, builder_rows(BR_LAW_EQUALITY, 1));
        builder_law(b, builder_rows(BR_LAW_UNILATERAL, 2));
        builder_law(b, builder_bounds(1, -1, 1));
        const double offset[4] = {-3, 1, -1, 8}, C[4] = {2, 0.5, 0.5, 4}, p[4] = {1.5, 0, 2, -1};
        for (int i = 0; i < 4; i++) {
            b->offset[row + i] = offset[i];
            builder_compliance(b, row + i, C[i]);
        }
        const br_problem problem = builder_problem(b);
        solved a;
        solve(&problem, &a);
        for (int i = 0; i < 4; i++) {
            assert_near(a.p[row + i], p[i], SAME);
            assert_near(a.w[row + i], C[i] * p[i] + offset[i], SAME);
        }
        if (company) assert_near(a.p[0], 2, SAME);
        builder_free(b);
    }
}

// Neither a node nor compliance: w = b, whatever p is. Fine where b allows p = 0, impossible otherwise.
static void laws_that_nothing_moves_are_judged_by_their_offset(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double v[3] = {0.5, 0, -1};
        builder *b = builder_new();
        const int company = k & 1, wrong = k & 2;
        if (company)
            builder_particle_contact(b, builder_cone(0.3), 2, v);
        else
            builder_particle(b, 3, 2, v);
        const int row = builder_law(b, builder_rows(BR_LAW_UNILATERAL, 1));
        builder_law(b, builder_rows(BR_LAW_EQUALITY, 1));
        builder_law(b, builder_cone(0.5));
        b->offset[row] = wrong ? -1 : 1;
        b->offset[row + 2] = 2;
        b->offset[row + 3] = 0.5;
        const br_problem problem = builder_problem(b);
        solved a;
        builder_solve(&problem, BR_SOLVER_AUTO, 1e-8, &a);
        assert_int_equal(a.status, BR_OK);
        if (wrong) {
            assert_true(a.report.outcome != BR_CONVERGED);
        } else {
            assert_int_equal(a.report.outcome, BR_CONVERGED);
            for (int i = row; i < b->rows; i++) assert_near(a.w[i], b->offset[i], SAME);
            assert_near(a.p[row], 0, SAME);
            assert_near(a.p[row + 2], 0, SAME);
            if (company) assert_near(a.p[0], 2, 1e-7); // its offset is no measure for the others
        }
        builder_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_equality_rows_leave_v_right),
        cmocka_unit_test(repeated_equality_laws_are_no_obstacle),
        cmocka_unit_test(coupled_masses_share_an_equality_row),
        cmocka_unit_test(a_slider_sticks_and_slides_at_its_bound),
        cmocka_unit_test(bounds_sum_the_norms_of_their_rows),
        cmocka_unit_test(friction_and_reaction_are_solved_together),
        cmocka_unit_test(islands_do_not_see_each_other),
        cmocka_unit_test(a_problem_without_laws_returns_the_free_velocities),
        cmocka_unit_test(laws_that_touch_no_node_are_solved_by_their_compliance),
        cmocka_unit_test(laws_that_nothing_moves_are_judged_by_their_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
