// Accelerated Gauss-Seidel: closed forms, the same velocities as exact methods, the same in a turned frame, for contacts that are
// not compact and from any number of threads; and where auto begins with it.
#include "near.h"
#include "problem_builder.h"
#include "sphere_pile.h"

typedef struct answer {
    double *p, *w, *v;
    br_solve_report report;
} answer;

static answer solve_start(const br_problem *problem, br_solver_kind kind, double tol, const double *start) {
    int scalars = 0;
    for (int i = 0; i < problem->velocity.nodes; i++) scalars += problem->velocity.node_dim[i];
    answer a = {calloc((size_t)problem->rows + 1, sizeof(double)),
                calloc((size_t)problem->rows + 1, sizeof(double)),
                calloc((size_t)scalars + 1, sizeof(double)),
                {0}};
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    def.kind = kind;
    def.tol = tol;
    br_solution solution = {a.p, a.w, a.v, start != NULL};
    if (start) memcpy(a.p, start, (size_t)problem->rows * sizeof *start);
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, problem, NULL), BR_OK);
    assert_int_equal(br_solver_solve(solver, problem, &solution, &a.report, NULL), BR_OK);
    br_solver_destroy(solver);
    return a;
}

static answer solve_by(const br_problem *problem, br_solver_kind kind, double tol) {
    return solve_start(problem, kind, tol, NULL);
}

static void free_answer(answer *a) {
    free(a->p);
    free(a->w);
    free(a->v);
}

// A cube on four contacts: it sticks, or slides on by v - mu g h.
static void a_cube_sticks_or_slides_on(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        const double push = slides ? 1.0 : 0.02, fall = 0.05, mu = 0.5;
        const double v[6] = {push, 0, -fall, 0, 0, 0};
        builder *b = builder_new();
        builder_cube(b, builder_cone(mu), 2, 0.001, v); // so flat that it does not tip
        const br_problem problem = builder_problem(b);
        answer a = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-11);
        assert_int_equal(a.report.outcome, BR_CONVERGED);
        assert_int_equal(a.report.factorizations, 0);
        // of the free velocity; tol times the impulse's scale, of some units
        for (int k = 0; k < 4; k++) assert_near(a.w[3 * k], 0, 1e-8);
        assert_near(a.v[0], slides ? push - mu * fall : 0, 1e-8);
        free_answer(&a);
        builder_free(b);
    }
}

// Judged by a judge that shares no code with the library, whatever masses and friction are. Nearly frictionless, equal balls have one
// motion: there exact methods find the same. With more friction a ball may be wedged or slide, and both are answers.
static void piles_are_solved_as_the_judge_sees_it(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        const int plain = k % 2 == 0;
        sphere_pile *pile = sphere_pile_new(40, plain ? 1 : 100, plain ? 0.01 : 0.2 * k, (uint64_t)k);
        const br_problem problem = sphere_pile_problem(pile);
        answer a = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-9),
               exact = solve_by(&problem, BR_SOLVER_AUTO, 1e-9); // too small for sweeps first
        double *w = calloc((size_t)problem.rows, sizeof *w), before = judge(&problem, exact.p, w);
        if (a.report.outcome == BR_CONVERGED) // with some roundings of its own scale
            assert_true(judge(&problem, a.p, w) <= 2e-9);
        else
            assert_true(judge(&problem, a.p, w) > 0.5e-9 && a.report.outcome == BR_STALLED);
        if (plain && a.report.outcome == BR_CONVERGED && before <= 1e-9)
            for (int i = 0; i < 6 * pile->spheres; i++)
                assert_near(a.v[i], exact.v[i], 5e-5); // on the edge of opening: to the residual's root
        if (plain) assert_int_equal(a.report.outcome, BR_CONVERGED);
        free(w);
        free_answer(&a);
        free_answer(&exact);
        sphere_pile_free(pile);
    }
}

// Bodies' axes turned: every force and velocity turns with them. The sweeps see the same numbers but for rounding.
static void a_turned_pile_has_turned_velocities(void **state) {
    (void)state;
    const br_quat q = br_quat_exp(br_vec3_of(0.3, -0.8, 0.5));
    sphere_pile *pile = sphere_pile_new(30, 10, 0.4, 11);
    const br_problem problem = sphere_pile_problem(pile);
    answer a = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-10);
    for (int i = 0; i < 2 * pile->spheres; i++) {
        double *f = pile->momentum + 3 * i;
        const br_vec3 x = br_quat_rotate(q, br_vec3_of(f[0], f[1], f[2]));
        f[0] = x.x, f[1] = x.y, f[2] = x.z;
    }
    for (int i = 0; i < 6 * pile->blocks; i++) {
        double *J = pile->jacobian + 3 * i;
        const br_vec3 x = br_quat_rotate(q, br_vec3_of(J[0], J[1], J[2]));
        J[0] = x.x, J[1] = x.y, J[2] = x.z;
    }
    answer turned = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-10);
    assert_int_equal(a.report.outcome, BR_CONVERGED);
    assert_int_equal(turned.report.outcome, BR_CONVERGED);
    for (int i = 0; i < 2 * pile->spheres; i++) {
        const double *v = a.v + 3 * i, *w = turned.v + 3 * i;
        const br_vec3 x = br_quat_rotate(q, br_vec3_of(v[0], v[1], v[2]));
        assert_near(w[0], x.x, 1e-6); // two answers to 1e-10 of |p|, on bodies of 0.1 of the mean mass
        assert_near(w[1], x.y, 1e-6);
        assert_near(w[2], x.z, 1e-6);
    }
    free_answer(&a);
    free_answer(&turned);
    sphere_pile_free(pile);
}

// A mass that is not (m 1, I) is none of a compact contact's: J itself is used then, with the same answer.
static void other_masses_take_the_general_way(void **state) {
    (void)state;
    sphere_pile *pile = sphere_pile_new(30, 1, 0.4, 5);
    const br_problem problem = sphere_pile_problem(pile);
    answer a = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-10);
    pile->mass[7] *= 1 + 1e-15; // m differs in its last digit along one axis
    answer general = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-10);
    assert_int_equal(a.report.outcome, BR_CONVERGED);
    assert_int_equal(general.report.outcome, BR_CONVERGED);
    int differ = 0;
    for (int i = 0; i < 6 * pile->spheres; i++) {
        assert_near(a.v[i], general.v[i], 1e-7); // two answers to 1e-10 of |p|
        differ |= a.v[i] != general.v[i];
    }
    assert_true(differ); // it did go another way
    free_answer(&a);
    free_answer(&general);
    sphere_pile_free(pile);
}

static void the_same_bits_every_time(void **state) {
    (void)state;
    sphere_pile *pile = sphere_pile_new(120, 10, 0.3, 3);
    const br_problem problem = sphere_pile_problem(pile);
    answer first = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-6),
           again = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-6);
    assert_memory_equal(first.p, again.p, (size_t)problem.rows * sizeof(double));
    assert_memory_equal(first.v, again.v, (size_t)(6 * pile->spheres) * sizeof(double));
    assert_int_equal(first.report.iterations, again.report.iterations);
    free_answer(&first);
    free_answer(&again);
    sphere_pile_free(pile);
}

// The answer as a start is the answer, to the bit and without a sweep.
static void an_answer_is_kept(void **state) {
    (void)state;
    sphere_pile *pile = sphere_pile_new(60, 1, 0.3, 9);
    const br_problem problem = sphere_pile_problem(pile);
    answer a = solve_by(&problem, BR_SOLVER_ACCELERATED, 1e-7),
           again = solve_start(&problem, BR_SOLVER_ACCELERATED, 1e-7, a.p);
    assert_int_equal(a.report.outcome, BR_CONVERGED);
    assert_int_equal(again.report.iterations, 0);
    assert_memory_equal(a.p, again.p, (size_t)problem.rows * sizeof(double));
    free_answer(&a);
    free_answer(&again);
    sphere_pile_free(pile);
}

// Large piles, whose factorizations are dear, and whoever asks for little: sweeps first. Small islands: exact methods first.
static void auto_begins_with_it_where_steps_are_dear(void **state) {
    (void)state;
    static const struct {
        int spheres;
        double tol;
        int sweeps;
    } cases[] = {{400, 1e-6, 1}, {400, 1e-3, 1}, {150, 1e-3, 1}, {60, 1e-8, 0}, {5, 1e-3, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sphere_pile *pile = sphere_pile_new(cases[k].spheres, 1, 0.3, 21);
        const br_problem problem = sphere_pile_problem(pile);
        answer a = solve_by(&problem, BR_SOLVER_AUTO, cases[k].tol);
        assert_int_equal(a.report.outcome, BR_CONVERGED);
        if ((strncmp(a.report.path, "accelerated", 11) == 0) != cases[k].sweeps)
            fail_msg("%d spheres to %g: by %s", cases[k].spheres, cases[k].tol, a.report.path);
        free_answer(&a);
        sphere_pile_free(pile);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_sticks_or_slides_on),
        cmocka_unit_test(piles_are_solved_as_the_judge_sees_it),
        cmocka_unit_test(a_turned_pile_has_turned_velocities),
        cmocka_unit_test(other_masses_take_the_general_way),
        cmocka_unit_test(the_same_bits_every_time),
        cmocka_unit_test(an_answer_is_kept),
        cmocka_unit_test(auto_begins_with_it_where_steps_are_dear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
