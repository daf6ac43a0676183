// A motor within a largest torque drives an arm whose pin rubs against its stop: motor and stop act along the same coordinate, and only one of the two
// can hold. The motor comes to its bound and the stop carries the rest, for every law of the pin and under every stepper.
#include "scene.h"
#include "temp_file.h"

#define ARM                                                                                                  \
    "format: 1\nname: arm\nbodies:\n  a: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01], pose: "    \
    "{position: [0, 0, 0]}}\njoints:\n  h: {revolute: [world, a], axis: y, at: [0, 0, 0], limits: [-0.5, "   \
    "0.3], friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.3, pin_radius: 20 mm}}\n"                  \
    "drives: {m: {joint: h, velocity: 2, max_torque: 3}}\nsolver: {step: 1 ms}\n"

static scene at_stop(const char *settings) {
    scene s;
    br_error error = {0};
    if (scene_try(temp_write("model.yaml", ARM), settings, &s, &error) != BR_OK) scene_fail("model", &error);
    scene_advance(&s, 0.5);
    return s;
}

static void motor_comes_to_its_bound_and_the_stop_holds(void **state) {
    (void)state;
    static const char *const steppers[] = {"contact", "implicit", "reference"};
    static const char *const laws[] = {"coulomb", "smooth", "dahl", "lugre", "bristle"};
    for (int k = 0; k < 15; k++) {
        char settings[120];
        snprintf(settings, sizeof settings, "solver.stepper=%s;joints.h.friction.law=%s", steppers[k / 5],
                 laws[k % 5]);
        scene s = at_stop(settings);
        const br_ledger l = br_sim_ledger(s.sim);
        // 3 N m and the weight's 0.1 m against stop and friction, which share it as they like within mu r N of the pin.
        const double push = 3.0 + 9.81 * 0.1 * cos(0.3), stop = scene_read(&s, "h.stop"),
                     friction = scene_read(&s, "h.friction.torque");
        assert_near(scene_read(&s, "h.position"), 0.3, 1e-9);
        assert_near(scene_read(&s, "h.velocity"), 0.0, 1e-9);
        assert_near(scene_read(&s, "m.effort"), 3.0, 1e-6);
        assert_near(-stop - friction, push, 1e-6);
        assert_true(fabs(friction) < 0.5 * 0.02 * 9.81 * (1.0 + 1e-6));
        assert_true(fabs(l.unaccounted) < 1e-6);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(motor_comes_to_its_bound_and_the_stop_holds)};
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
