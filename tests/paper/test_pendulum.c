// The simple pendulum against elliptic functions: exact at all times, and the orders of the contact stepper.
#include "elliptic.h"
#include "order.h"

static const double printed[3][3] = {{1, 0.9862917511318754, -0.165010853125541},
                                     {5, -0.9423054350437567, -0.3347543384140022},
                                     {10, -0.275087462576117, -0.961419205099125}};

// Largest error of the three times; 1e-8 is what a relative tolerance of 1e-11 leaves after four swings.
static void reference_is_exact(const char *settings) {
    scene s = scene_open("benchmark/pendulum.yaml", settings);
    for (int k = 0; k < 3; k++) {
        scene_advance(&s, printed[k][0]);
        const br_vec3 p = scene_point(&s, "bob", br_vec3_zero());
        print_message("t = %2g: error (%.1e, %.1e)\n", printed[k][0], p.x - printed[k][1],
                      p.y - printed[k][2]);
        assert_vec3_near(p, br_vec3_of(printed[k][1], printed[k][2], 0), 1e-8);
    }
    const br_ledger ledger = br_sim_ledger(s.sim);
    assert_near(ledger.unaccounted + ledger.scheme, 0, 1e-7);
    scene_close(&s);
}

static void pendulum_reference_reduced(void **state) {
    (void)state;
    reference_is_exact(SCENE_REFERENCE);
}

static void pendulum_reference_absolute(void **state) {
    (void)state;
    reference_is_exact(SCENE_REFERENCE ";coordinates=absolute");
}

// From 0.4 rad below the horizontal. (From the horizontal itself the leading error of the second-order step
// vanishes: its modified energy then equals the true one, and the order looks like four.)
static double error_at_1s(scene *s) {
    const double angle = pendulum_angle(BR_PI / 2 - 0.4, sqrt(9.81), 1.0);
    const br_vec3 p = scene_point(s, "bob", br_vec3_zero());
    return hypot(p.x + sin(angle), p.y + cos(angle));
}

static void pendulum_contact_is_first_order(void **state) {
    (void)state;
    order_check("benchmark/pendulum.yaml", "angle=0.4", 1.0, 1e-3, 1.0, error_at_1s, 1.0, 0.05, 1e-2);
}

static void pendulum_contact_is_second_order(void **state) {
    (void)state;
    order_check("benchmark/pendulum.yaml", "angle=0.4", 0.5, 2e-3, 1.0, error_at_1s, 2.0, 0.05, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum_reference_reduced),
                                       cmocka_unit_test(pendulum_reference_absolute),
                                       cmocka_unit_test(pendulum_contact_is_first_order),
                                       cmocka_unit_test(pendulum_contact_is_second_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
