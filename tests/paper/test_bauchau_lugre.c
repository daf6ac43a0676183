// LuGre's law [BauchauJu2006 Eqs. 22-29] as the implicit stepper has it in a joint, against values to 12 digits; the law alone is
// tested in tests/unit/friction.
#include "scene.h"

static double force_after(const char *joint, double t, const char *settings) {
    char name[64];
    scene s = scene_open("papers/bauchau_lugre.yaml", settings);
    snprintf(name, sizeof name, "%s.friction.force", joint);
    scene_advance(&s, t);
    const double f = scene_read(&s, name);
    scene_close(&s);
    return -f;
}

// Order 3: 4e-13 with the scene's steps.
static void a_constant_velocity_is_integrated_to_third_order(void **state) {
    (void)state;
    assert_near(force_after("constant", 4, ""), 1.153146458014, 1e-11);
    const double long_step = force_after("constant", 4, "solver.step=0.1") - 1.15314645801372;
    const double short_step = force_after("constant", 4, "solver.step=0.05") - 1.15314645801372;
    assert_near(log2(long_step / short_step), 3, 0.2);
}

// Order 2: 1.5e-9 with the scene's steps.
static void a_ramp_of_velocity_is_integrated_to_second_order(void **state) {
    (void)state;
    assert_near(force_after("ramp", 10, ""), 1.015300192700, 5e-9);
    const double long_step = force_after("ramp", 10, "solver.step=0.02") - 1.0153001926996;
    const double short_step = force_after("ramp", 10, "solver.step=0.01") - 1.0153001926996;
    assert_near(log2(long_step / short_step), 2, 0.1);
}

// Canudas de Wit's belt: 20 s with three times stick and slip. Steps of 1 and 0.5 ms are 2e-5 and 5e-6 m off, their extrapolation 2e-7.
static void stick_and_slip_converge_to_second_order(void **state) {
    static const char *const steps[] = {"solver.step=1e-3", "solver.step=5e-4"};
    const double wanted = 0.722825047649998;
    double u[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("papers/bauchau_belt.yaml", steps[k]);
        scene_advance(&s, 20);
        u[k] = 2 + scene_read(&s, "sliding.position");
        scene_close(&s);
    }
    assert_near(log2((u[0] - wanted) / (u[1] - wanted)), 2, 0.1);
    assert_near((4 * u[1] - u[0]) / 3, wanted, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_velocity_is_integrated_to_third_order),
        cmocka_unit_test(a_ramp_of_velocity_is_integrated_to_second_order),
        cmocka_unit_test(stick_and_slip_converge_to_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
