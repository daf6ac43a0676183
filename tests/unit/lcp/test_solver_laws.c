// Contact problems whose answers are known on paper, through the public calls: what each friction law does to a
// particle, a cube and a stack.
#include "near.h"
#include "problem_builder.h"
#include "random.h"

#include <stdio.h>

#define MU 0.5
#define GH 0.1     // gravity times step, m/s: what a body at rest falls by
#define TOL 1e-12  // asked of the solver
#define SAME 1e-10 // of answers of order one

static void solve(const br_problem *problem, solved *a) {
    builder_solve(problem, BR_SOLVER_AUTO, TOL, a);
    if (a->status) fail_msg("%s", a->error.message);
    if (a->report.outcome != BR_CONVERGED)
        fail_msg("%s by %s, residual %g", br_outcome_name(a->report.outcome), a->report.path,
                 a->report.residual);
    assert_true(a->report.residual <= TOL);
}

static int all_laws(double mu, br_law *law) {
    const br_law list[] = {builder_cone(mu), builder_polygon(mu, 4), builder_polygon(mu, 8),
                           builder_polygon(mu, 64), builder_box_friction(mu)};
    memcpy(law, list, sizeof list);
    return (int)(sizeof list / sizeof *list);
}

// Solves a particle of mass m in both forms; p and w of the velocity form.
static void solve_particle(br_law law, double m, const double *velocity, double *p, double *w) {
    builder *b = builder_new();
    builder_particle_contact(b, law, m, velocity);
    const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
    solved a, other;
    solve(&problem, &a);
    solve(&matrix, &other);
    for (int i = 0; i < law.rows; i++) {
        assert_near(a.p[i], other.p[i], SAME * m);
        assert_near(a.w[i], other.w[i], SAME);
        p[i] = a.p[i];
        w[i] = a.w[i];
    }
    builder_free(b);
}

// ----------------------------------------------------------------------------------------------------- particles

// Free velocity (1, 1, -1), mass m: p_n = m, and friction at 45 degrees. The cone gives mu p_n along it. So do
// polygons with a corner there (8, 64); the square has the middle of an edge there, cos(pi/4) of it, and the box a
// corner, sqrt(2) of it.
static void friction_at_45_degrees_is_what_each_law_says(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    const double share[] = {1, cos(BR_PI / 4), 1, 1, sqrt(2.0)}, m = 3, v[3] = {1, 1, -1};
    for (int k = 0; k < n; k++) {
        double p[3], w[3];
        solve_particle(law[k], m, v, p, w);
        const double slowed = 1 - share[k] * MU / sqrt(2.0);
        assert_near(p[0], m, SAME);
        assert_near(p[1], -share[k] * MU * m / sqrt(2.0), SAME);
        assert_near(p[2], p[1], SAME);
        assert_near(w[0], 0, SAME);
        assert_near(w[1], slowed, SAME);
        assert_near(w[2], slowed, SAME);
    }
}

// Across the middle of an edge of polygon(n) friction is cos(pi/n) of Coulomb's, its largest error; at a corner none.
static void polygons_lose_at_most_the_cosine_of_half_a_sector(void **state) {
    (void)state;
    for (int sides = 4; sides <= BR_MAX_POLYGON_SIDES; sides += 6)
        for (int k = 0; k < 2 * sides; k++) {
            const double angle = BR_PI * k / sides, v[3] = {cos(angle), sin(angle), -0.5};
            double p[3], w[3];
            solve_particle(builder_polygon(MU, sides), 1, v, p, w);
            const double friction = MU * 0.5 * (k % 2 ? cos(BR_PI / sides) : 1);
            assert_near(p[1], -friction * cos(angle), SAME);
            assert_near(p[2], -friction * sin(angle), SAME);
        }
}

static void the_cone_opposes_slip_in_every_direction(void **state) {
    (void)state;
    rng r = {1};
    for (int k = 0; k < 100; k++) {
        const double angle = rng_uniform(&r, 0, 2 * BR_PI), speed = rng_uniform(&r, 0, 2);
        const double v[3] = {speed * cos(angle), speed * sin(angle), rng_uniform(&r, -2, 0.2)};
        const double m = exp(rng_uniform(&r, -10, 10)), mu = rng_uniform(&r, 0, 1);
        const double normal = fmax(0, -v[2]), friction = fmin(mu * normal, speed);
        double p[3], w[3];
        solve_particle(builder_cone(mu), m, v, p, w);
        assert_near(p[0] / m, normal, SAME);
        assert_near(p[1] / m, -friction * cos(angle), SAME);
        assert_near(p[2] / m, -friction * sin(angle), SAME);
        assert_near(w[0], fmax(0, v[2]), SAME);
    }
}

static void planar_contacts_stick_slip_and_separate(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    static const struct {
        double v[2], p[2], w[2]; // v = (along, up); p and w = (n, t)
    } cases[] = {
        {{0.2, -1}, {1, -0.2}, {0, 0}},
        {{-3, -1}, {1, 0.5}, {0, -2.5}},
        {{-3, 1}, {0, 0}, {1, -3}},
        {{0, -1}, {1, 0}, {0, 0}},
    };
    for (int k = 0; k < n; k++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            double p[2], w[2];
            law[k].rows = 2;
            solve_particle(law[k], 1, cases[c].v, p, w);
            for (int i = 0; i < 2; i++) {
                assert_near(p[i], cases[c].p[i], SAME);
                assert_near(w[i], cases[c].w[i], SAME);
            }
        }
}

// As large as people choose it to say "never slips"; a residual that falls with 1/mu would call free flight an answer.
static void a_huge_coefficient_sticks(void **state) {
    (void)state;
    const double v[3] = {1, 0.5, -1};
    for (int power = 2; power <= 12; power += 2) {
        br_law law[8];
        const int n = all_laws(pow(10, power), law);
        for (int k = 0; k < n; k++) {
            builder *b = builder_new();
            builder_particle_contact(b, law[k], 1, v);
            const br_problem problem = builder_problem(b);
            solved a;
            builder_solve(&problem, BR_SOLVER_AUTO, 1e-8, &a);
            assert_int_equal(a.report.outcome, BR_CONVERGED);
            for (int i = 0; i < 3; i++)
                if (!(fabs(a.w[i]) < 1e-6))
                    fail_msg("kind %d, mu 1e%d: w[%d] = %g with residual %g", law[k].kind, power, i, a.w[i],
                             a.report.residual);
            builder_free(b);
        }
    }
}

// Squares of these velocities overflow or vanish. No answer is fine, a wrong one is not.
static void enormous_and_tiny_loads_are_not_taken_for_rest(void **state) {
    (void)state;
    const int powers[] = {-300, -200, -160, -100, 100, 150, 160, 200, 300};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        const double scale = pow(10, powers[k]), v[3] = {scale, 0.5 * scale, -scale};
        builder *b = builder_new();
        builder_particle_contact(b, builder_cone(MU), 1, v);
        const br_problem problem = builder_problem(b);
        solved a;
        builder_solve(&problem, BR_SOLVER_AUTO, 1e-8, &a);
        if (a.status == BR_OK && a.report.outcome == BR_CONVERGED && !(fabs(a.p[0] / scale - 1) < 1e-6))
            fail_msg("v = 1e%d: p_n = %g with residual %g", powers[k], a.p[0], a.report.residual);
        builder_free(b);
    }
}

// Bounds of the last step, as in Peiret's lagged scheme: rows of their own, clipped one by one.
static void lagged_bounds_clip_each_direction_alone(void **state) {
    (void)state;
    const double m = 2, v[3] = {0.8, -0.1, -1}, bound = 0.6;
    const double normal[3] = {0, 0, 1}, tangent[6] = {1, 0, 0, 0, 1, 0};
    builder *b = builder_new();
    const int node = builder_particle(b, 3, m, v);
    builder_law(b, builder_rows(BR_LAW_UNILATERAL, 1));
    builder_entry(b, node, normal);
    builder_law(b, builder_bounds(2, -bound, bound));
    builder_entry(b, node, tangent);
    const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
    for (int form = 0; form < 2; form++) {
        solved a;
        solve(form ? &matrix : &problem, &a);
        assert_near(a.p[0], 2, SAME);
        assert_near(a.p[1], -0.6, SAME); // wants -1.6
        assert_near(a.p[2], 0.2, SAME);
        assert_near(a.w[1], 0.5, SAME);
        assert_near(a.w[2], 0, SAME);
    }
    builder_free(b);
}

// ---------------------------------------------------------------------------------------------------- compliance

// Peiret2016 eq. 25 in stick: 0 = w_free + (W + C) p - C p~; the bristles keep p~ and give way by C.
static void bristles_stick_by_their_closed_form(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    const double m = 2, v[3] = {0.1, -0.06, -1}, C[3] = {0.25, 0.5, 1}, old[3] = {0, 0.3, -0.2};
    const double order[3] = {v[2], v[0], v[1]};
    for (int k = 0; k < n; k++) {
        builder *b = builder_new();
        const int row = builder_particle_contact(b, law[k], m, v);
        for (int i = 0; i < 3; i++) {
            builder_compliance(b, row + i, C[i]);
            b->offset[row + i] = -C[i] * old[i];
        }
        const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
        for (int form = 0; form < 2; form++) {
            solved a;
            solve(form ? &matrix : &problem, &a);
            for (int i = 0; i < 3; i++) {
                assert_near(a.p[i], (C[i] * old[i] - order[i]) / (1 / m + C[i]), SAME);
                assert_near(a.w[i], 0, SAME);
            }
        }
        builder_free(b);
    }
}

// The same pulled until it slips: friction at its bound, w = w_free + (W + C) p - C p~ against it.
static void bristles_slip_at_their_bound(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    const double m = 2, v[3] = {5, 0, -1}, C = 0.5, old = -0.4;
    for (int k = 0; k < n; k++) {
        builder *b = builder_new();
        const int row = builder_particle_contact(b, law[k], m, v);
        builder_compliance(b, row + 1, C);
        b->offset[row + 1] = -C * old;
        const br_problem problem = builder_problem(b);
        solved a;
        solve(&problem, &a);
        assert_near(a.p[0], m, SAME);
        assert_near(a.p[1], -MU * m, SAME);
        assert_near(a.w[1], v[0] - (1 / m + C) * MU * m - C * old, SAME);
        assert_near(a.v[0], v[0] - MU, SAME);
        builder_free(b);
    }
}

// Compliance from nothing to as soft as a spring that is not there: the impulse follows 1 / (1/m + C).
static void compliance_spans_twenty_orders(void **state) {
    (void)state;
    for (int power = -14; power <= 6; power += 2) {
        const double C = pow(10, power), v[3] = {0, 0, -1};
        builder *b = builder_new();
        const int row = builder_particle_contact(b, builder_cone(MU), 1, v);
        builder_compliance(b, row, C);
        const br_problem problem = builder_problem(b);
        solved a;
        solve(&problem, &a);
        assert_near(a.p[0] * (1 + C), 1, 1e-9);
        builder_free(b);
    }
}

// --------------------------------------------------------------------------------------------------------- cubes

// Four contacts, twelve rows, six velocities: p is not unique, its sum and v are.
static void check_cube(br_law law, double m, double speed, double friction) {
    const double v[6] = {speed, 0, -GH, 0, 0, 0};
    builder *b = builder_new();
    builder_cube(b, law, m, 1, v);
    const br_problem problem = builder_problem(b), matrix = builder_matrix(b);
    for (int form = 0; form < 2; form++) {
        solved a;
        solve(form ? &matrix : &problem, &a);
        double sum[3] = {0};
        for (int i = 0; i < 12; i++) sum[i % 3] += a.p[i];
        assert_near(sum[0] / m, GH, SAME);
        assert_near(sum[1] / m, -friction, SAME);
        assert_near(sum[2] / m, 0, SAME);
        for (int i = 0; i < 12; i++) assert_near(a.w[i], i % 3 == 1 ? speed - friction : 0, SAME);
        for (int i = 0; form == 0 && i < 6; i++) assert_near(a.v[i], i == 0 ? speed - friction : 0, SAME);
    }
    builder_free(b);
}

static void a_cube_sticks_below_the_friction_angle_and_slides_above(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    for (int k = 0; k < n; k++)
        for (int power = -6; power <= 6; power += 2) {
            const double m = pow(10, power);
            check_cube(law[k], m, 0, 0);
            check_cube(law[k], m, 0.9 * MU * GH, 0.9 * MU * GH);
            check_cube(law[k], m, 1.1 * MU * GH, MU * GH);
            check_cube(law[k], m, 20 * MU * GH, MU * GH);
        }
}

// In energy norm an answer is good to the tolerance; as a velocity that is the tolerance times the mass ratio.
static void stacks_of_unequal_cubes_stay_at_rest(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    for (int k = 0; k < n; k++)
        for (int power = -6; power <= 6; power += 2) {
            const double ratio = pow(10, power), v[6] = {0, 0, -GH, 0, 0, 0};
            builder *b = builder_new();
            builder_cube_on(b, law[k], builder_cube(b, law[k], 1, 1, v), ratio, 1, v);
            const br_problem problem = builder_problem(b);
            solved a;
            builder_solve(&problem, BR_SOLVER_AUTO, 1e-10, &a);
            if (!builder_is_solved(&a.report, 1e-10))
                fail_msg("kind %d, ratio %g: %s, residual %g, by %s", law[k].kind, ratio,
                         br_outcome_name(a.report.outcome), a.report.residual, a.report.path);
            const double tol = fmin(1e-9 * fmax(ratio, 1 / ratio), 1e-3);
            double base = 0;
            for (int i = 0; i < 12; i += 3) base += a.p[i];
            assert_near(base / (1 + ratio), GH, tol);
            for (int i = 0; i < 12; i++) assert_near(a.v[i], 0, tol);
            builder_free(b);
        }
}

// --------------------------------------------------------------------------------------------------------- forms

// A tower of particles has a regular W: p itself is the same in both forms.
static void both_forms_give_the_same_impulses(void **state) {
    (void)state;
    br_law law[8];
    const int n = all_laws(MU, law);
    rng r = {2};
    for (int k = 0; k < 10 * n; k++) {
        static const double down[9] = {0, 0, -1, -1, 0, 0, 0, -1, 0}, up[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
        builder *b = builder_new();
        for (int i = 0; i < 5; i++) {
            const double v[3] = {rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 0)};
            const int node = builder_particle(b, 3, rng_uniform(&r, 0.5, 2), v);
            const int row = builder_law(b, law[k % n]);
            builder_entry(b, node, up);
            if (i > 0) builder_entry(b, node - 1, down);
            if (k % 2) builder_compliance(b, row + 1, 0.1);
        }
        const br_problem velocity = builder_problem(b), matrix = builder_matrix(b);
        solved a, other;
        solve(&velocity, &a);
        solve(&matrix, &other);
        for (int i = 0; i < b->rows; i++) {
            assert_near(a.p[i], other.p[i], 1e-9);
            assert_near(a.w[i], other.w[i], 1e-9);
        }
        builder_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_at_45_degrees_is_what_each_law_says),
        cmocka_unit_test(polygons_lose_at_most_the_cosine_of_half_a_sector),
        cmocka_unit_test(the_cone_opposes_slip_in_every_direction),
        cmocka_unit_test(planar_contacts_stick_slip_and_separate),
        cmocka_unit_test(a_huge_coefficient_sticks),
        cmocka_unit_test(enormous_and_tiny_loads_are_not_taken_for_rest),
        cmocka_unit_test(lagged_bounds_clip_each_direction_alone),
        cmocka_unit_test(bristles_stick_by_their_closed_form),
        cmocka_unit_test(bristles_slip_at_their_bound),
        cmocka_unit_test(compliance_spans_twenty_orders),
        cmocka_unit_test(a_cube_sticks_below_the_friction_angle_and_slides_above),
        cmocka_unit_test(stacks_of_unequal_cubes_stay_at_rest),
        cmocka_unit_test(both_forms_give_the_same_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
