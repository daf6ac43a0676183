// Piles that carry themselves in many ways, as time steps meet them: spheres on a lattice between walls, gaps and overlaps
// of rounding size between them. Whether their impulses can be found to the last digit is chance, and where overlaps
// contradict each other there are none; tol_enough is what a simulation asks for.
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { SIDE = 4, SPHERES = SIDE * SIDE * SIDE, STEPS = 60 };
#define RADIUS 0.05
#define FALL 0.02 // gravity times step, m/s
#define ENOUGH 1e-4

// A contact of a sphere on the side of `axis` (0..2) times `sign`: rows along the axis and two across, pushing away from it.
static void touch(builder *b, int node, int axis, double sign, double push) {
    const br_vec3 n = br_vec3_scale(push, br_vec3_unit(axis)),
                  arm = br_vec3_scale(sign * RADIUS, br_vec3_unit(axis));
    const br_vec3 row[3] = {n, br_vec3_scale(push, br_vec3_unit((axis + 1) % 3)),
                            br_vec3_scale(push, br_vec3_unit((axis + 2) % 3))};
    double J[18];
    for (int r = 0; r < 3; r++) {
        const br_vec3 m = br_vec3_cross(arm, row[r]);
        const double values[6] = {row[r].x, row[r].y, row[r].z, m.x, m.y, m.z};
        memcpy(J + 6 * r, values, sizeof values);
    }
    builder_entry(b, node, J);
}

static int at(const int *cell) {
    return (cell[2] * SIDE + cell[1]) * SIDE + cell[0];
}

// `error`: of the normal offsets, m/s.
static builder *lattice(double error, double mu, uint64_t seed) {
    builder *b = builder_new();
    rng r = {seed};
    const double fall[6] = {0, 0, -FALL, 0, 0, 0};
    for (int k = 0; k < SPHERES; k++) builder_body(b, 1, 0.4 * RADIUS * RADIUS, fall);
    for (int k = 0; k < SPHERES; k++)
        for (int axis = 0; axis < 3; axis++) {
            const int cell[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
            int next[3] = {cell[0], cell[1], cell[2]};
            const int last = ++next[axis] == SIDE;
            if (cell[axis] == 0) { // the wall before it, or the floor
                b->offset[builder_law(b, builder_cone(mu))] = rng_uniform(&r, -error, error);
                touch(b, k, axis, -1, 1);
            }
            if (last && axis == 2) continue; // nothing above
            b->offset[builder_law(b, builder_cone(mu))] = rng_uniform(&r, -error, error);
            touch(b, k, axis, 1, -1);
            if (!last) touch(b, at(next), axis, -1, 1);
        }
    return b;
}

static br_solver *solver_for(const br_problem *problem, double enough) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    def.tol = 1e-10;
    def.tol_enough = enough;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, problem, NULL), BR_OK);
    return solver;
}

// Steps of a simulation: what a contact's normal velocity leaves is the next step's gap. However the overlaps contradict each
// other, no step is given up and none takes a portfolio of methods (hundreds of steps of Newton), and the pile comes to rest.
static void a_jammed_pile_comes_to_rest(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        builder *b = lattice((const double[]){0, 1e-9, 1e-6}[k], 0.5, 7);
        const br_problem problem = builder_problem(b);
        br_solver *solver = solver_for(&problem, ENOUGH);
        static double p[BUILDER_ROWS], w[BUILDER_ROWS], v[6 * SPHERES];
        br_solution solution = {p, w, v, 0};
        br_solve_report report;
        for (int n = 0; n < STEPS; n++, solution.warm = 1) {
            assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
            if (!(report.residual <= ENOUGH) || (n > 0 && report.factorizations > 60))
                fail_msg("step %d: residual %g after %d factorizations, %s", n, report.residual,
                         report.factorizations, report.path);
            for (int l = 0; l < b->laws; l++) b->offset[b->law[l].first_row] = w[b->law[l].first_row];
            for (int i = 0; i < SPHERES; i++)
                for (int c = 0; c < 6; c++)
                    b->momentum[6 * i + c] = b->mass[36 * i + 7 * c] * (v[6 * i + c] - (c == 2 ? FALL : 0));
        }
        for (int i = 0; i < SPHERES; i++) // of the speed that one step of falling gives
            for (int c = 0; c < 3; c++) assert_near(v[6 * i + c], 0, 1e-3 * FALL);
        br_solver_destroy(solver);
        builder_free(b);
    }
}

// Where the answer is not dear the search goes on to tol.
static void enough_is_not_enough_for_what_is_easy(void **state) {
    (void)state;
    builder *b = builder_new();
    const double v[6] = {0.3, -0.1, -FALL, 0.1, 0, 0.2};
    for (int k = 0, below = -1; k < 6; k++)
        below = k ? builder_cube_on(b, builder_cone(0.4), below, 1 + k, 1, v)
                  : builder_cube(b, builder_cone(0.4), 1, 1, v);
    const br_problem problem = builder_problem(b);
    br_solver *solver = solver_for(&problem, ENOUGH);
    static double p[BUILDER_ROWS], w[BUILDER_ROWS];
    br_solution solution = {p, w, NULL, 0};
    br_solve_report report;
    for (int n = 0; n < 2; n++, solution.warm = 1) {
        assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
        assert_int_equal(report.outcome, BR_CONVERGED);
        for (int k = 0; k < 6; k++) b->momentum[6 * k] *= -1;
    }
    br_solver_destroy(solver);
    builder_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jammed_pile_comes_to_rest),
        cmocka_unit_test(enough_is_not_enough_for_what_is_easy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
