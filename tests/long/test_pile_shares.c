// Sphere piles of new seeds: 30 to 1,000 spheres, masses 1 to 1e6, mu 0.05 to 1.5, all drawn log-uniformly. How many are solved is
// printed; the shares that are asserted are below what was measured when this was written (95 of 100 and 99 of 100 are the aim), so
// that a change that loses piles is seen. Judged by the judge of the tests, relative to |p| or the load.
#include <stdio.h>

#include "near.h"
#include "judge.h"
#include "sphere_pile.h"

enum { PILES = 60 };
#define FINE_SHARE 0.80 // at 1e-8
#define GOOD_SHARE 0.90 // at 1e-6

static double pile_residual(const sphere_pile *pile, double tol, br_solve_report *report) {
    const br_problem problem = sphere_pile_problem(pile);
    double *p = calloc((size_t)problem.rows + 1, sizeof *p), *w = calloc((size_t)problem.rows + 1, sizeof *w);
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    br_solution solution = {.p = p};
    def.tol = tol;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
    assert_int_equal(br_solver_solve(solver, &problem, &solution, report, NULL), BR_OK);
    const double residual = judge(&problem, p, w);
    br_solver_destroy(solver);
    free(p);
    free(w);
    return residual;
}

static void most_piles_are_solved(void **state) {
    (void)state;
    rng r = {20261118};
    int fine = 0, good = 0;
    for (int k = 0; k < PILES; k++) {
        const int spheres = (int)(30 * pow(1000.0 / 30, rng_uniform(&r, 0, 1)));
        const double ratio = pow(1e6, rng_uniform(&r, 0, 1)), mu = 0.05 * pow(30, rng_uniform(&r, 0, 1));
        sphere_pile *pile = sphere_pile_new(spheres, ratio, mu, rng_next(&r));
        br_solve_report report;
        const double residual = pile_residual(pile, 1e-8, &report);
        // converged is never claimed above the tolerance, by whose scale ever
        if (report.outcome == BR_CONVERGED) assert_true(residual <= 2e-8);
        fine += residual <= 1e-8;
        good += residual <= 1e-6;
        if (residual > 1e-8)
            printf("%d spheres, masses 1 to %.3g, mu %.3f: %.1e by %s\n", spheres, ratio, mu, residual,
                   report.path);
        sphere_pile_free(pile);
    }
    printf("%d of %d at 1e-8, %d at 1e-6\n", fine, PILES, good);
    assert_true(fine >= FINE_SHARE * PILES);
    assert_true(good >= GOOD_SHARE * PILES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(most_piles_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
