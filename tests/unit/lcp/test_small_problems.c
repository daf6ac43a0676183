// Random small problems as steps of a simulation make them: one to six bodies, one to twenty-odd laws of every kind but
// joint friction, singular W, mass ratios to 1e6, compliance from none to 1e12, dependent joints. Cold, then warm with a
// slightly changed load, with a much changed one, and with impulses that belong to other rows.
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include <math.h>

enum { PROBLEMS = 400, MOST_BODIES = 6 };
#define TOL 1e-10

typedef struct scale {
    double mu, fall; // friction coefficient, gravity times step
    int compliance;  // 0: none, 1: up to the contact's own, 2: to 1e12 times that
    int family;      // 0: cone, 1: box friction, 2: polygon, 3: mixed
} scale;

static br_law random_contact(rng *r, const scale *s) {
    const int kind = s->family < 3 ? s->family : rng_below(r, 3);
    if (kind == 0) return builder_cone(s->mu);
    if (kind == 1) return builder_box_friction(s->mu);
    return builder_polygon(s->mu, 4 + 2 * rng_below(r, 7));
}

static void random_compliance(builder *b, rng *r, const scale *s, int first, int rows, double mass) {
    for (int i = first; i < first + rows && s->compliance; i++) {
        const double power = s->compliance == 1 ? rng_uniform(r, -12, 0) : rng_uniform(r, -12, 12);
        const double C = s->compliance == 2 && rng_below(r, 2) ? 0 : pow(10, power) / mass;
        builder_compliance(b, i, C);
        if (rng_below(r, 3))
            b->offset[i] -= C * mass * s->fall * rng_uniform(r, -1, 1); // bristles that are bent
    }
}

// Boxes on top of each other, four contacts each: resting, pushed, sliding, rocking or hit a million times their weight.
static builder *stack(rng *r, const scale *s, double ratio) {
    builder *b = builder_new();
    const int bodies = rng_below(r, 2) ? 1 : 1 + rng_below(r, MOST_BODIES), motion = rng_below(r, 5);
    const double angle = rng_below(r, 3) ? rng_uniform(r, 0, 6.3) : 0, hit = motion == 4 ? 1e6 : 1;
    const double push = motion == 0   ? 0
                        : motion == 2 ? rng_uniform(r, 0, 5)
                                      : rng_uniform(r, 0, 3) * s->mu * s->fall;
    for (int k = 0, below = -1; k < bodies; k++) {
        double v[6] = {push * cos(angle), push * sin(angle), -s->fall * (k + 1 == bodies ? hit : 1), 0, 0, 0};
        const double mass = pow(ratio, rng_uniform(r, 0, 1));
        for (int i = 3; i < 6 && motion == 3; i++) v[i] = rng_uniform(r, -5, 5) * s->fall;
        const br_law law = random_contact(r, s);
        const int first = b->rows;
        below = k ? builder_cube_on(b, law, below, mass, 1, v) : builder_cube(b, law, mass, 1, v);
        random_compliance(b, r, s, first, b->rows - first, mass);
    }
    return b;
}

// Bodies in mid-air, contacts anywhere with any normal, then joints and limits between them.
static builder *cluster(rng *r, const scale *s, double ratio) {
    builder *b = builder_new();
    const int bodies = 1 + rng_below(r, MOST_BODIES), contacts = 1 + rng_below(r, 12),
              joints = rng_below(r, 3);
    double mass[MOST_BODIES];
    for (int k = 0; k < bodies; k++) {
        double v[6];
        for (int i = 0; i < 6; i++) v[i] = rng_uniform(r, -2, 2) * s->fall;
        v[2] -= 3 * s->fall;
        mass[k] = pow(ratio, rng_uniform(r, 0, 1));
        const double m[6] = {mass[k], mass[k], mass[k], mass[k] / 6, mass[k] / 6, mass[k] / 6};
        builder_node(b, 6, m, v);
    }
    for (int k = 0; k < contacts + joints; k++) {
        const int a = rng_below(r, bodies), c = rng_below(r, bodies + 1) - 1, joint = k >= contacts;
        double J[BR_MAX_LAW_ROWS * 6];
        const int rows = joint ? 1 + rng_below(r, 3) : 3, twice = joint && rng_below(r, 2);
        const br_law kinds[] = {{.kind = BR_LAW_EQUALITY},
                                {.kind = BR_LAW_UNILATERAL},
                                {.kind = BR_LAW_BOX, .lower = -s->fall, .upper = s->fall}};
        br_law law = joint ? kinds[rng_below(r, 3)] : random_contact(r, s);
        law.rows = rows;
        for (int i = 0; i < rows * 6; i++) J[i] = rng_uniform(r, -1, 1);
        for (int copy = 0; copy <= twice; copy++) { // the same rows again: dependent
            const int first = builder_law(b, law);
            builder_entry(b, a, J);
            for (int i = 0; i < rows * 6; i++) J[i] = -J[i];
            if (c >= 0 && c != a) builder_entry(b, c, J);
            for (int i = 0; i < rows * 6; i++) J[i] = -J[i];
            if (!joint) random_compliance(b, r, s, first, rows, mass[a]);
        }
    }
    return b;
}

typedef struct tally {
    int solves, missed, short_of_load;
    double worst; // residual of any that missed
} tally;

static void solve_once(br_solver *solver, const br_problem *problem, double *p, int warm, tally *t) {
    double w[BUILDER_ROWS], v[6 * BUILDER_NODES], again;
    br_solution solution = {p, w, v, warm};
    br_solve_report report;
    assert_int_equal(br_solver_solve(solver, problem, &solution, &report, NULL), BR_OK);
    assert_int_equal(br_solver_residual(solver, problem, p, NULL, NULL, &again, NULL), BR_OK);
    t->solves++;
    if (report.outcome == BR_CONVERGED) assert_true(again <= 1.01 * TOL); // another sum over the same numbers
    t->short_of_load += report.outcome != BR_CONVERGED;
    if (report.residual <= TOL) return; // beside the impulses, and that is what steps are served by
    t->missed++;
    t->worst = fmax(t->worst, report.residual);
}

// Cold, then three warm starts.
static void solve_all(builder *b, rng *r, tally *t) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    double p[BUILDER_ROWS] = {0};
    const br_problem problem = builder_problem(b);
    const double change[] = {1e-3, 0.3, 0};
    def.tol = TOL;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
    solve_once(solver, &problem, p, 0, t);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < b->scalars; i++) b->momentum[i] *= 1 + change[k] * rng_uniform(r, -1, 1);
        for (int i = 0; i < b->rows && k == 2; i++) p[i] = p[(7 * i + 3) % b->rows];
        solve_once(solver, &problem, p, 1, t);
    }
    br_solver_destroy(solver);
}

static tally solve_many(builder *(*make)(rng *, const scale *, double), uint64_t seed) {
    tally t = {0};
    rng r = {seed};
    for (int k = 0; k < PROBLEMS; k++) {
        const scale s = {rng_below(&r, 8) ? rng_uniform(&r, 0.05, 1.2) : 0, pow(10, rng_uniform(&r, -5, 0)),
                         rng_below(&r, 2) ? 0 : 1 + rng_below(&r, 2), rng_below(&r, 4)};
        builder *b = make(&r, &s, rng_below(&r, 2) ? 1 : pow(10, rng_uniform(&r, 0, 6)));
        solve_all(b, &r, &t);
        builder_free(b);
    }
    return t;
}

static void stacks_of_boxes_always_converge(void **state) {
    (void)state;
    const tally t = solve_many(stack, 11);
    if (t.missed) fail_msg("%d of %d, worst %g", t.missed, t.solves, t.worst);
    // 7 when this was written: up to a million times heavier on light, to 1e-9 of the load instead of 1e-10
    if (t.short_of_load > 0.01 * t.solves) fail_msg("%d of %d miss the load", t.short_of_load, t.solves);
}

// Bodies held by more joints and contacts than they have velocities. Where compliances of 1e-10 alone decide between
// redundant impulses, about two in a thousand end between 1e-10 and 1e-9, and say so; one is known at 5e-6.
static void clusters_with_dependent_joints_converge_but_for_one_in_a_hundred(void **state) {
    (void)state;
    const tally t = solve_many(cluster, 12);
    if (t.missed * 100 > t.solves || t.worst > 1e-5)
        fail_msg("%d of %d, worst %g", t.missed, t.solves, t.worst);
}

// A box that sticks, under a load that wanders by less than the tolerance: w is rounding, not tolerance, at every step
// size. 1e-13: a few sums of numbers of the size of the load.
static void what_sticks_does_not_creep_whatever_the_tolerance(void **state) {
    (void)state;
    const br_law laws[] = {builder_cone(0.5), builder_box_friction(0.5), builder_polygon(0.5, 8)};
    for (int l = 0; l < 3; l++)
        for (double fall = 1e-5; fall < 0.2; fall *= 10) {
            builder *b = builder_new();
            const double v[6] = {0.2 * fall, 0.1 * fall, -fall, 0, 0, 0};
            builder_cube(b, laws[l], 2, 1, v);
            const br_problem problem = builder_problem(b);
            br_solver_def def = br_default_solver_def(); // 1e-8
            br_solver *solver = NULL;
            double p[12] = {0}, w[12], out[6];
            assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
            assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
            for (int k = 0; k < 20; k++) {
                br_solution solution = {p, w, out, k > 0};
                br_solve_report report;
                b->momentum[0] = 2 * v[0] * (1 + 1e-9 * k);
                assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
                assert_int_equal(report.outcome, BR_CONVERGED);
                for (int i = 0; i < 12; i++) assert_near(w[i], 0, 2e-12 * fall);
            }
            br_solver_destroy(solver);
            builder_free(b);
        }
}

// The last answer under the same load is accepted as it is.
static void an_answer_given_back_stays_the_same_to_the_bit(void **state) {
    (void)state;
    builder *b = builder_new();
    const double v[6] = {0.3, -0.1, -0.01, 0.1, 0, 0.2};
    for (int k = 0; k < 3; k++) builder_cube(b, builder_cone(0.4), 1 + k, 1, v);
    const br_problem problem = builder_problem(b);
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    double p[36] = {0}, before[36], w[36], out[18];
    br_solution solution = {p, w, out, 0};
    br_solve_report report;
    assert_int_equal(br_solver_create(&def, &solver, NULL), BR_OK);
    assert_int_equal(br_solver_setup(solver, &problem, NULL), BR_OK);
    assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
    memcpy(before, p, sizeof p);
    solution.warm = 1;
    assert_int_equal(br_solver_solve(solver, &problem, &solution, &report, NULL), BR_OK);
    assert_int_equal(report.factorizations, 0);
    assert_memory_equal(before, p, sizeof p);
    br_solver_destroy(solver);
    builder_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_boxes_always_converge),
        cmocka_unit_test(clusters_with_dependent_joints_converge_but_for_one_in_a_hundred),
        cmocka_unit_test(what_sticks_does_not_creep_whatever_the_tolerance),
        cmocka_unit_test(an_answer_given_back_stays_the_same_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
