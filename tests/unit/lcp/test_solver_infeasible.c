// Problems without a solution are never "converged", and problems with one are never "infeasible".
#include "near.h"
#include "random_problem.h"

#include <stdio.h>

enum { PROBLEMS = 1500 };

// One mass, two rows: v = -1 and v = 1, or a body driven into a wall, v = -1 and v >= 1.
static builder *contradiction(int wall) {
    const double one = 1;
    builder *b = builder_new();
    const int node = builder_node(b, 1, &one, NULL);
    builder_law(b, builder_rows(BR_LAW_EQUALITY, 1));
    builder_entry(b, node, &one);
    builder_law(b, builder_rows(wall ? BR_LAW_UNILATERAL : BR_LAW_EQUALITY, 1));
    builder_entry(b, node, &one);
    b->offset[0] = 1;
    b->offset[1] = -1;
    return b;
}

static void check_not_converged(const br_problem *problem, br_solver_kind kind, double tol, double *p) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    br_solve_report report;
    double w[2];
    br_solution solution = {p, w, NULL, p[0] != 0 || p[1] != 0};
    def.kind = kind;
    def.tol = tol;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, problem, NULL), BR_OK);
    assert_int_equal(br_solver_solve(solver, problem, &solution, &report, NULL), BR_OK);
    if (report.outcome == BR_CONVERGED)
        fail_msg("%s at tol %g in form %d, %s: residual %g, p = (%g, %g), w = (%g, %g), by %s",
                 br_solver_name(kind), tol, (int)problem->form, solution.warm ? "warm" : "cold",
                 report.residual, p[0], p[1], w[0], w[1], report.path);
    if (report.proof == BR_PROOF_CERTIFICATE) { // no allowed p can move r^T w, which is negative
        const double *r = report.certificate, size = hypot(r[0], r[1]);
        assert_true(size > 0 && fabs(r[0] + r[1]) <= 1e-6 * size); // J^T r = 0
        assert_true(r[0] - r[1] < 0);                              // b^T r
        if (problem->law[1].kind == BR_LAW_UNILATERAL) assert_true(r[1] >= 0);
    }
    br_solver_destroy(solver);
}

// However large p grows, w stays wrong: a residual relative to p must not take that for an answer.
static void contradictions_are_not_converged_by_default(void **state) {
    (void)state;
    for (int k = 0; k < 28; k++) {
        builder *b = contradiction(k & 2);
        const br_problem problem = k & 1 ? builder_matrix(b) : builder_problem(b);
        double p[2] = {0, 0};
        check_not_converged(&problem, BR_SOLVER_AUTO, pow(10, -3 - k / 4), p);
        builder_free(b);
    }
}

static void contradictions_are_not_converged_by_any_method(void **state) {
    (void)state;
    for (int k = 0; k < 28; k++)
        for (int kind = BR_SOLVER_NEWTON; kind < BR_SOLVER_KINDS; kind++) {
            builder *b = contradiction(k & 2);
            const br_problem problem = k & 1 ? builder_matrix(b) : builder_problem(b);
            double p[2] = {0, 0};
            check_not_converged(&problem, (br_solver_kind)kind, pow(10, -3 - k / 4), p);
            builder_free(b);
        }
}

// The next step of a simulation starts from what the last one left.
static void a_runaway_start_does_not_make_a_contradiction_converge(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        builder *b = contradiction(k & 2);
        const br_problem problem = k & 1 ? builder_matrix(b) : builder_problem(b);
        double p[2] = {0, 0}, huge[2] = {-1e12, 1e12};
        for (int step = 0; step < 3; step++) check_not_converged(&problem, BR_SOLVER_AUTO, 1e-8, p);
        check_not_converged(&problem, BR_SOLVER_AUTO, 1e-8, huge);
        builder_free(b);
    }
}

// The worst defect of an answer in the problem's own units.
static double largest_w_on_equalities(const builder *b, const solved *a) {
    double worst = 0;
    for (int l = 0; l < b->laws; l++)
        for (int i = 0; b->law[l].kind == BR_LAW_EQUALITY && i < b->law[l].rows; i++)
            worst = fmax(worst, fabs(a->w[b->law[l].first_row + i]));
    return worst;
}

// Data of order one: an answer that leaves w = 0.01 on an equality row is none.
static void random_answers_hold_their_equality_rows(void **state) {
    (void)state;
    rng r = {11};
    int wrong = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        builder *b = random_problem(&r);
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        for (int form = 0; form < 2; form++) {
            solved a;
            builder_solve(form ? &matrix : &velocity, BR_SOLVER_AUTO, 1e-8, &a);
            assert_int_equal(a.status, BR_OK);
            const double w = largest_w_on_equalities(b, &a);
            if (a.report.outcome != BR_CONVERGED || w < 0.01) continue;
            if (wrong++ < 5)
                print_error("problem %d in form %d: converged with residual %g and w = %g on an equality "
                            "row, by %s\n",
                            k, form, a.report.residual, w, a.report.path);
        }
        builder_free(b);
    }
    if (wrong) fail_msg("%d of %d answers", wrong, 2 * PROBLEMS);
}

static void what_one_form_proves_impossible_the_other_does_not_solve(void **state) {
    (void)state;
    rng r = {12};
    int wrong = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        builder *b = random_problem(&r);
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        solved a, other;
        builder_solve(&velocity, BR_SOLVER_AUTO, 1e-8, &a);
        builder_solve(&matrix, BR_SOLVER_AUTO, 1e-8, &other);
        const br_outcome x = a.report.outcome, y = other.report.outcome;
        if ((x == BR_INFEASIBLE && y == BR_CONVERGED) || (x == BR_CONVERGED && y == BR_INFEASIBLE))
            if (wrong++ < 5)
                print_error("problem %d: %s by %s, but %s by %s in matrix form\n", k, br_outcome_name(x),
                            a.report.path, br_outcome_name(y), other.report.path);
        builder_free(b);
    }
    if (wrong) fail_msg("%d of %d problems", wrong, PROBLEMS);
}

static void problems_with_an_answer_are_never_infeasible(void **state) {
    (void)state;
    rng r = {13};
    int solved_count = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        builder *b = random_problem(&r);
        random_plant(b, &r);
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        for (int form = 0; form < 2; form++) {
            solved a;
            builder_solve(form ? &matrix : &velocity, BR_SOLVER_AUTO, 1e-8, &a);
            if (a.status) fail_msg("%s", a.error.message);
            if (a.report.outcome == BR_INFEASIBLE || a.report.outcome == BR_SINGULAR)
                fail_msg("problem %d in form %d is %s by %s, residual %g, proof %d", k, form,
                         br_outcome_name(a.report.outcome), a.report.path, a.report.residual,
                         (int)a.report.proof);
            solved_count += a.report.outcome == BR_CONVERGED;
        }
        builder_free(b);
    }
    print_message("%d of %d solved\n", solved_count, 2 * PROBLEMS);
    assert_true(solved_count >= 2 * PROBLEMS * 98 / 100);
}

// W = 0 and a normal that approaches: no impulse changes it. All of W, or the row alone.
static void a_row_that_cannot_move_and_is_violated_is_infeasible(void **state) {
    (void)state;
    const double empty[1] = {0}, normal_only[3] = {1, 1, 0};
    const int none[] = {0, 0, 0, 0}, tangents[] = {0, 0, 1, 2}, column[] = {1, 2};
    const br_solver_kind kinds[] = {BR_SOLVER_AUTO, BR_SOLVER_NEWTON, BR_SOLVER_INTERIOR,
                                    BR_SOLVER_GAUSS_SEIDEL};
    for (int k = 0; k < 16; k++) {
        const double offset[] = {k & 1 ? -1 : 1, 0.2, 0};
        const br_law law = builder_cone(k & 2 ? 0 : 0.5);
        const int coupled = k >= 8;
        const br_problem problem = {
            .form = BR_FORM_MATRIX,
            .rows = 3,
            .laws = 1,
            .law = &law,
            .offset = offset,
            .matrix = {coupled ? tangents : none, column, coupled ? normal_only : empty}};
        for (int m = 0; m < 4; m++) {
            br_solver_def def = br_default_solver_def();
            br_solver *solver = NULL;
            br_solve_report report;
            double p[3], w[3];
            br_solution solution = {p, w, NULL, 0};
            def.kind = kinds[m];
            assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
            assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
            assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
            assert_true(isfinite(report.residual));
            assert_int_equal(report.outcome, k & 1 ? BR_INFEASIBLE : BR_CONVERGED);
            if (k & 1) {
                assert_int_equal(report.proof, BR_PROOF_CERTIFICATE);
                assert_true(report.certificate[0] > 0 && report.certificate[1] == 0);
            }
            br_solver_destroy(solver);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_cannot_move_and_is_violated_is_infeasible),
        cmocka_unit_test(contradictions_are_not_converged_by_default),
        cmocka_unit_test(contradictions_are_not_converged_by_any_method),
        cmocka_unit_test(a_runaway_start_does_not_make_a_contradiction_converge),
        cmocka_unit_test(random_answers_hold_their_equality_rows),
        cmocka_unit_test(what_one_form_proves_impossible_the_other_does_not_solve),
        cmocka_unit_test(problems_with_an_answer_are_never_infeasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
