// Compliant normal laws: derivatives by differences, energy as an integral, signs and clamps.
#include <string.h>

#include "friction/normal.h"
#include "near.h"

static const br_normal_law laws[] = {
    {.kind = BR_NORMAL_LINEAR, .stiffness = 2e4, .damping = 30.0, .exponent = 1.0},
    {.kind = BR_NORMAL_HERTZ, .stiffness = 3e6, .damping = 20.0, .exponent = 1.5},
    {.kind = BR_NORMAL_HERTZ, .stiffness = 5e5, .exponent = 2.2},
    {.kind = BR_NORMAL_HUNT_CROSSLEY, .stiffness = 3e6, .damping = 0.4, .exponent = 1.5},
    {.kind = BR_NORMAL_HUNT_CROSSLEY, .stiffness = 4e4, .damping = 0.8, .exponent = 1.0},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void forces_follow_their_formulas(void **state) {
    (void)state;
    const double d = 2e-3, rate = 0.7;
    assert_near(br_normal_force(&laws[0], d, rate), 2e4 * d + 30.0 * rate, 1e-12);
    assert_near(br_normal_force(&laws[1], d, rate), 3e6 * d * sqrt(d) + 20.0 * rate, 1e-11);
    assert_near(br_normal_force(&laws[3], d, rate), 3e6 * d * sqrt(d) * (1.0 + 0.4 * rate), 1e-11);
}

// Central differences of relative step 1e-6: their error is 1e-12 of the third derivative's part and 1e-10 of rounding.
static void tangents_are_the_derivatives(void **state) {
    (void)state;
    static const double depths[] = {1e-5, 1e-3, 0.03}, rates[] = {-0.2, 0.0, 0.5};
    for (int l = 0; l < LAWS; l++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                const double d = depths[i], rate = rates[k], e = 1e-6 * d, h = 1e-6;
                double by_depth, by_rate;
                if (!(br_normal_force(&laws[l], d, rate) > 0.0)) continue; // clamped
                br_normal_tangent(&laws[l], d, rate, &by_depth, &by_rate);
                const double slope =
                    (br_normal_force(&laws[l], d + e, rate) - br_normal_force(&laws[l], d - e, rate)) /
                    (2 * e);
                const double change =
                    (br_normal_force(&laws[l], d, rate + h) - br_normal_force(&laws[l], d, rate - h)) /
                    (2 * h);
                const double size = br_normal_force(&laws[l], d, rate);
                assert_near(by_depth, slope, 1e-8 * (by_depth + size / d));
                assert_near(by_rate, change, 1e-8 * (by_rate + size));
            }
}

// Simpson's rule on d = u^4, smooth enough for any exponent here; 2000 intervals leave 1e-11.
static void energy_is_the_integral_of_the_force_at_rest(void **state) {
    (void)state;
    const double depth = 0.02;
    for (int l = 0; l < LAWS; l++) {
        const int n = 2000;
        const double end = pow(depth, 0.25);
        double sum = 0.0;
        for (int k = 0; k <= n; k++) {
            const double u = end * k / n, f = br_normal_force(&laws[l], u * u * u * u, 0.0) * 4 * u * u * u;
            sum += f * (k == 0 || k == n ? 1 : k % 2 ? 4 : 2);
        }
        const double energy = br_normal_energy(&laws[l], depth);
        assert_near(sum * end / n / 3, energy, 1e-9 * energy);
    }
}

static void nothing_pulls_and_nothing_acts_apart(void **state) {
    (void)state;
    for (int l = 0; l < LAWS; l++)
        for (double rate = -1e3; rate <= 1e3; rate += 250.0) {
            assert_true(br_normal_force(&laws[l], 0.0, rate) == 0.0);
            assert_true(br_normal_force(&laws[l], -1e-3, rate) == 0.0);
            assert_true(br_normal_force(&laws[l], NAN, rate) == 0.0);
            for (double d = 1e-9; d < 1.0; d *= 10.0) {
                double by_depth, by_rate;
                assert_true(br_normal_force(&laws[l], d, rate) >= 0.0);
                br_normal_tangent(&laws[l], d, rate, &by_depth, &by_rate);
                assert_true(by_depth >= 0.0 && by_rate >= 0.0); // steps divide by them
            }
        }
    // Opens faster than 1/c: Hunt and Crossley's law would pull.
    assert_true(br_normal_force(&laws[3], 1e-3, -1.0 / 0.4 - 1e-9) == 0.0);
    assert_true(br_normal_force(&laws[3], 1e-3, -1.0 / 0.4 + 1e-9) > 0.0);
    assert_true(br_normal_energy(&laws[0], -1.0) == 0.0);
}

// Hunt and Crossley's force begins at zero however fast the surfaces meet; the others jump by c d'.
static void only_hunt_crossley_meets_without_a_jump(void **state) {
    (void)state;
    const double rate = 3.0;
    assert_near(br_normal_force(&laws[0], 1e-15, rate), 30.0 * rate, 1e-9);
    assert_near(br_normal_force(&laws[1], 1e-15, rate), 20.0 * rate, 1e-9);
    assert_near(br_normal_force(&laws[3], 1e-15, rate), 0.0, 1e-9);
}

// A contact that has just opened has the slope of touch, so that a step can close it again.
static void apart_the_tangent_is_that_of_touch(void **state) {
    (void)state;
    for (int l = 0; l < LAWS; l++) {
        double at[2], apart[2];
        br_normal_tangent(&laws[l], 0.0, 0.1, &at[0], &at[1]);
        br_normal_tangent(&laws[l], -0.5, 0.1, &apart[0], &apart[1]);
        assert_true(at[0] == apart[0] && at[1] == apart[1]);
        assert_true(at[0] == (laws[l].exponent > 1.0             ? 0.0
                              : laws[l].kind == BR_NORMAL_LINEAR ? laws[l].stiffness
                                                                 : laws[l].stiffness * (1.0 + 0.8 * 0.1)));
    }
}

// In a cycle of the depth, work is only taken; none without damping.
static void a_cycle_dissipates(void **state) {
    (void)state;
    for (int l = 0; l < LAWS; l++) {
        const int n = 4000;
        double work = 0.0, stored = 0.0;
        for (int k = 0; k < n; k++) { // depth from -1 to 3 mm, 5 Hz
            const double phase = 2 * M_PI * (k + 0.5) / n, d = 1e-3 - 2e-3 * cos(phase),
                         rate = 10 * M_PI * 2e-3 * sin(phase);
            work += br_normal_force(&laws[l], d, rate) * rate * (0.2 / n);
            stored = fmax(stored, br_normal_energy(&laws[l], d));
        }
        if (laws[l].damping > 0.0)
            assert_true(work > 1e-6 * stored);
        else
            assert_near(work, 0.0, 1e-12 * stored); // the sum is antisymmetric
    }
}

static void names_and_the_rigid_law(void **state) {
    (void)state;
    const br_normal_law rigid = {.stiffness = 1e5, .damping = 1.0, .exponent = 1.0};
    double by_depth = 1.0, by_rate = 1.0;
    assert_int_equal(br_normal_kind_from_name(NULL), BR_NORMAL_RIGID);
    assert_int_equal(br_normal_kind_from_name("linear"), BR_NORMAL_LINEAR);
    assert_int_equal(br_normal_kind_from_name("hertz"), BR_NORMAL_HERTZ);
    assert_int_equal(br_normal_kind_from_name("hunt_crossley"), BR_NORMAL_HUNT_CROSSLEY);
    assert_int_equal(br_normal_kind_from_name("Hertz"), BR_NORMAL_KINDS);
    assert_int_equal(br_normal_kind_from_name(""), BR_NORMAL_KINDS);
    assert_true(br_normal_force(&rigid, 1.0, 1.0) == 0.0 && br_normal_energy(&rigid, 1.0) == 0.0);
    br_normal_tangent(&rigid, 1.0, 1.0, &by_depth, &by_rate);
    assert_true(by_depth == 0.0 && by_rate == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_follow_their_formulas),
        cmocka_unit_test(tangents_are_the_derivatives),
        cmocka_unit_test(energy_is_the_integral_of_the_force_at_rest),
        cmocka_unit_test(nothing_pulls_and_nothing_acts_apart),
        cmocka_unit_test(only_hunt_crossley_meets_without_a_jump),
        cmocka_unit_test(apart_the_tangent_is_that_of_touch),
        cmocka_unit_test(a_cycle_dissipates),
        cmocka_unit_test(names_and_the_rigid_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
