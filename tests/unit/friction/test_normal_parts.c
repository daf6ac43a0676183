// Normal laws in their two parts: means over a step, losses, the table, Lankarani and Nikravesh's law.
#include <string.h>

#include "friction/normal.h"
#include "near.h"
#include "random.h"

static const double depth[] = {0.0, 1e-4, 3e-4, 1e-3}, force[] = {0.0, 50.0, 400.0, 500.0};

static const br_normal_law laws[] = {
    {.kind = BR_NORMAL_LINEAR, .stiffness = 15e6, .damping = 30.0, .exponent = 1.0},
    {.kind = BR_NORMAL_HERTZ, .stiffness = 1e10, .damping = 20.0, .exponent = 1.5},
    {.kind = BR_NORMAL_HUNT_CROSSLEY, .stiffness = 3e6, .damping = 3.0, .exponent = 2.2},
    {.kind = BR_NORMAL_HUNT_CROSSLEY, .stiffness = 15e6, .damping = 3.0, .exponent = 1.0},
    {.kind = BR_NORMAL_LANKARANI_NIKRAVESH, .stiffness = 1e10, .exponent = 1.5, .restitution = 0.8},
    {.kind = BR_NORMAL_TABLE, .points = 4, .depth = depth, .force = force},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void the_table_is_straight_between_its_points_and_beyond(void **state) {
    (void)state;
    const br_normal_law *t = &laws[5];
    assert_near(br_normal_elastic(t, 5e-5), 25.0, 1e-13);
    assert_near(br_normal_elastic(t, 1e-4), 50.0, 1e-13);
    assert_near(br_normal_elastic(t, 2e-4), 225.0, 1e-12);
    assert_near(br_normal_elastic(t, 1e-3), 500.0, 1e-12);
    assert_near(br_normal_elastic(t, 2.4e-3), 700.0, 1e-12); // with the last slope
    assert_near(br_normal_energy(t, 1e-4), 0.0025, 1e-17);
    assert_near(br_normal_energy(t, 3e-4), 0.0025 + 0.045, 1e-16);
    assert_near(br_normal_energy(t, 2.4e-3), 0.0475 + 0.315 + 0.84, 1e-15);
    double by_depth, by_rate;
    br_normal_tangent(t, 2e-4, 1.0, &by_depth, &by_rate);
    assert_near(by_depth, 350.0 / 2e-4, 1e-8);
    assert_true(by_rate == 0.0);
    br_normal_tangent(t, -1.0, 1.0, &by_depth, &by_rate);
    assert_near(by_depth, 5e5, 1e-9); // that of touch
    // Two points are the linear law.
    const double d[] = {0.0, 2.0}, f[] = {0.0, 30e6};
    const br_normal_law line = {.kind = BR_NORMAL_TABLE, .points = 2, .depth = d, .force = f};
    for (double x = 1e-9; x < 10.0; x *= 3.0) {
        assert_near(br_normal_force(&line, x, 0.0), br_normal_elastic(&laws[0], x), 1e-15 * 15e6 * x);
        assert_near(br_normal_energy(&line, x), br_normal_energy(&laws[0], x), 1e-15 * 15e6 * x * x);
        assert_near(br_normal_mean(&line, -x, 3 * x), br_normal_mean(&laws[0], -x, 3 * x), 1e-15 * 45e6 * x);
        assert_near(br_normal_mean_slope(&line, x, 3 * x), 7.5e6, 1e-8);
    }
}

// In long double the divided difference of V is a witness to 1e-15 where the depths are a thousandth apart or more.
static long double energy_wide(const br_normal_law *law, long double d) {
    long double sum = 0.0L;
    if (!(d > 0.0L)) return 0.0L;
    if (law->kind != BR_NORMAL_TABLE)
        return (long double)law->stiffness * powl(d, (long double)law->exponent + 1.0L) /
               ((long double)law->exponent + 1.0L);
    for (int k = 1; k < law->points; k++) {
        const long double from = law->depth[k - 1];
        const long double slope = ((long double)law->force[k] - law->force[k - 1]) / (law->depth[k] - from);
        const long double to = k == law->points - 1 ? d : fminl(d, law->depth[k]);
        if (to > from) sum += (to - from) * (law->force[k - 1] + 0.5L * slope * (to - from));
    }
    return sum;
}

static void means_are_the_divided_differences(void **state) {
    (void)state;
    rng r = {3};
    double worst = 0.0;
    for (int k = 0; k < 200000; k++) {
        const br_normal_law *law = &laws[k % LAWS];
        const double base = pow(10.0, rng_uniform(&r, -7.0, -2.0)),
                     apart = pow(10.0, rng_uniform(&r, -3.0, 1.0));
        const double side = rng_below(&r, 2) ? 1.0 : -1.0;
        const double d0 = base * (rng_below(&r, 4) ? 1.0 : -1.0), d1 = d0 + side * apart * base;
        const double mean = br_normal_mean(law, d0, d1), largest = br_normal_elastic(law, fmax(d0, d1));
        const double expected =
            (double)((energy_wide(law, d1) - energy_wide(law, d0)) / ((long double)d1 - (long double)d0));
        assert_near(mean, expected, 1e-13 * largest);
        assert_true(br_normal_mean(law, d1, d0) == mean ||
                    fabs(br_normal_mean(law, d1, d0) - mean) < 1e-14 * largest);
        if (largest > 0.0) worst = fmax(worst, fabs(mean - expected) / largest);
    }
    print_message("means within %.1e\n", worst);
}

// However near: to first order the mean is the force of the middle, at the same depth the force itself. V(d1) - V(d0) would
// have lost all digits at 1e-12 apart.
static void means_of_near_depths_do_not_cancel(void **state) {
    (void)state;
    for (int l = 0; l < LAWS; l++)
        for (double d = 1.5e-7; d < 1e-2; d *= 10.0) {
            const double f = br_normal_elastic(&laws[l], d);
            double by_depth, by_rate;
            br_normal_tangent(&laws[l], d, 0.0, &by_depth, &by_rate);
            assert_near(br_normal_mean(&laws[l], d, d), f, 1e-15 * f);
            assert_near(br_normal_mean_slope(&laws[l], d, d), 0.5 * by_depth, 1e-15 * by_depth);
            for (double part = 1e-15; part < 1e-7; part *= 10.0) {
                const double middle = br_normal_elastic(&laws[l], d * (1.0 + 0.5 * part));
                assert_near(br_normal_mean(&laws[l], d, d * (1.0 + part)), middle, 2e-15 * f);
                assert_near(br_normal_mean(&laws[l], d * (1.0 + part), d), middle, 2e-15 * f);
                assert_near(br_normal_mean_slope(&laws[l], d, d * (1.0 + part)), 0.5 * by_depth,
                            1e-6 * by_depth);
            }
        }
}

// Central differences of relative step 1e-5: truncation 1e-10, and 1e-5 of what bends within a few hundred steps of touch,
// nearer than which none is taken. A table's corners within the step cost the step itself.
static void slopes_of_means_are_derivatives(void **state) {
    (void)state;
    rng r = {5};
    for (int k = 0; k < 100000; k++) {
        const br_normal_law *law = &laws[k % LAWS];
        const double d0 = rng_uniform(&r, -1e-3, 2e-3);
        const double d1 =
            rng_below(&r, 2) ? rng_uniform(&r, -1e-3, 2e-3) : d0 * (1.0 + 0.6 * rng_uniform(&r, -1.0, 1.0));
        const double e = 1e-5 * (fabs(d1) + fabs(d1 - d0));
        if (fabs(d1) < 300.0 * e) continue;
        const double slope = (br_normal_mean(law, d0, d1 + e) - br_normal_mean(law, d0, d1 - e)) / (2.0 * e);
        const double largest = br_normal_elastic(law, fmax(d0, d1) + e) / (fabs(d1) + fabs(d0));
        assert_near(br_normal_mean_slope(law, d0, d1), slope,
                    (law->kind == BR_NORMAL_TABLE ? 1e-4 : 1e-5) * largest + 1e-8);
    }
    for (int l = 0; l < LAWS; l++) {
        assert_true(br_normal_mean(&laws[l], -1e-3, -2e-3) == 0.0 &&
                    br_normal_mean(&laws[l], 0.0, 0.0) == 0.0);
        assert_true(br_normal_mean_slope(&laws[l], -1e-3, -2e-3) == 0.0);
        assert_true(br_normal_mean_slope(&laws[l], 0.0, 0.0) == 0.0);
    }
}

// Steps down and up again give back what they took: the sum of mean times distance telescopes.
static void a_closed_path_of_means_does_no_work(void **state) {
    (void)state;
    rng r = {6};
    for (int l = 0; l < LAWS; l++) {
        const double start = -2e-4;
        double d = start, work = 0.0, taken = 0.0;
        for (int k = 0; k <= 1000; k++) {
            const double next = k == 1000 ? start : rng_uniform(&r, -3e-4, 1e-3);
            const double w = br_normal_mean(&laws[l], d, next) * (next - d);
            work += w;
            taken += fabs(w);
            d = next;
        }
        assert_near(work, 0.0, 1e-15 * taken);
    }
}

static void elastic_and_loss_make_the_force(void **state) {
    (void)state;
    rng r = {8};
    for (int k = 0; k < 20000; k++) {
        const br_normal_law *law = &laws[k % LAWS];
        const double d = rng_uniform(&r, -1e-4, 1e-3), rate = rng_uniform(&r, -1.0, 1.0);
        const double v0 = rng_uniform(&r, 0.05, 1.5), e = 1e-6;
        double by_depth, by_rate;
        const double loss = br_normal_loss(law, d, rate, v0, &by_depth, &by_rate);
        assert_true(loss * rate >= 0.0);
        assert_true(loss == br_normal_loss(law, d, rate, v0, NULL, NULL));
        if (!(d > 1e-6)) {
            assert_true(d > 0.0 || (loss == 0.0 && by_depth == 0.0 && by_rate == 0.0));
            continue;
        }
        const double spring = br_normal_elastic(law, d), tol = 1e-8 * spring;
        if (law->kind != BR_NORMAL_LANKARANI_NIKRAVESH)
            assert_near(fmax(0.0, spring + loss), br_normal_force(law, d, rate), 1e-13 * spring);
        if (fabs(fabs(rate) - 2.0 * v0) < 1e-5) continue; // the bound's corner
        assert_near(by_rate,
                    (br_normal_loss(law, d, rate + e, v0, NULL, NULL) -
                     br_normal_loss(law, d, rate - e, v0, NULL, NULL)) /
                        (2 * e),
                    10.0 * tol + 1e-6);
        const double s = 1e-5 * d;
        assert_near(by_depth,
                    (br_normal_loss(law, d + s, rate, v0, NULL, NULL) -
                     br_normal_loss(law, d - s, rate, v0, NULL, NULL)) /
                        (2 * s),
                    10.0 * tol / d + 1e-6);
    }
}

// A ball of 1 kg meets the surface at v0 and leaves at e_out v0. Midpoint, explicit; a hundred thousand steps or more.
static double rebound(const br_normal_law *law, double v0) {
    double d = 0.0, v = v0; // d' = v, closing
    const double h = 1e-8;
    do {
        const double f0 = br_normal_elastic(law, d) + br_normal_loss(law, d, v, v0, NULL, NULL);
        const double dm = d + 0.5 * h * v, vm = v - 0.5 * h * f0;
        const double f = br_normal_elastic(law, dm) + br_normal_loss(law, dm, vm, v0, NULL, NULL);
        d += h * vm;
        v -= h * f;
    } while (d > 0.0);
    return -v / v0;
}

// k d^n (1 + a d'/v0) integrates: a (1 + e_out) = ln((1 + a)/(1 - a e_out)), whatever k, n, mass and speed. With a = 3/4 (1 -
// e^2), e_out is e + 3/2 (1 - e)^2 - ...: the law is meant for restitutions near 1. The last step overshoots: 1e-6.
static void lankarani_and_nikravesh_rebound_by_their_closed_form(void **state) {
    (void)state;
    for (double e = 0.4; e < 1.01; e += 0.1) {
        const br_normal_law law = {
            .kind = BR_NORMAL_LANKARANI_NIKRAVESH, .stiffness = 1e10, .exponent = 1.5, .restitution = e};
        const double a = 0.75 * (1.0 - e * e), out = rebound(&law, 0.1);
        assert_near(a * (1.0 + out), log((1.0 + a) / (1.0 - a * out)), 1e-6);
        assert_near(rebound(&law, 0.5), out, 1e-6);
        assert_near(out, e, 1e-6 + 1.5 * (1.0 - e) * (1.0 - e));
    }
}

// Begun at rest there is no approach to compare with, and a tiny one must not make the contact rigid.
static void a_contact_begun_at_rest_is_not_stiffened(void **state) {
    (void)state;
    const br_normal_law *law = &laws[4];
    const double spring = br_normal_elastic(law, 1e-4), most = 0.75 * (1.0 - 0.64) * 2.0 * spring;
    assert_true(br_normal_loss(law, 1e-4, 0.5, 0.0, NULL, NULL) == 0.0);
    assert_true(br_normal_loss(law, 1e-4, 0.5, -1.0, NULL, NULL) == 0.0);
    assert_near(br_normal_loss(law, 1e-4, 0.5, 1e-9, NULL, NULL), most, 1e-12 * most);
    assert_near(br_normal_loss(law, 1e-4, -0.5, 1e-9, NULL, NULL), -most, 1e-12 * most);
    assert_near(br_normal_force(law, 1e-4, 0.5), spring, 1e-15 * spring);
}

static void new_names_are_known(void **state) {
    (void)state;
    const br_normal_law rigid = {.kind = BR_NORMAL_RIGID};
    assert_int_equal(br_normal_kind_from_name("lankarani_nikravesh"), BR_NORMAL_LANKARANI_NIKRAVESH);
    assert_int_equal(br_normal_kind_from_name("table"), BR_NORMAL_TABLE);
    assert_true(br_normal_elastic(&rigid, 1.0) == 0.0 && br_normal_mean(&rigid, 0.0, 1.0) == 0.0);
    assert_true(br_normal_mean_slope(&rigid, 0.0, 1.0) == 0.0);
    assert_true(br_normal_loss(&rigid, 1.0, 1.0, 1.0, NULL, NULL) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_straight_between_its_points_and_beyond),
        cmocka_unit_test(means_are_the_divided_differences),
        cmocka_unit_test(means_of_near_depths_do_not_cancel),
        cmocka_unit_test(slopes_of_means_are_derivatives),
        cmocka_unit_test(a_closed_path_of_means_does_no_work),
        cmocka_unit_test(elastic_and_loss_make_the_force),
        cmocka_unit_test(lankarani_and_nikravesh_rebound_by_their_closed_form),
        cmocka_unit_test(a_contact_begun_at_rest_is_not_stiffened),
        cmocka_unit_test(new_names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
