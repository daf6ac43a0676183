// Controls: targets of drives that a program sets between steps (br_sim_set_control), under every stepper that takes the drive.
#include "scene.h"

#define SLIDER                                                                                               \
    "format: 1\nname: slider\ngravity: [0, 0, 0]\nbodies: {cart: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"     \
    "joints: {rail: {prismatic: [world, cart], axis: x}}\nsolver: {step: 1 ms, tol: 1e-11}\nrun: {until: "   \
    "1}\n"
#define PUSH SLIDER "drives: {motor: {joint: rail, force: 1}}\n"
#define BELT SLIDER "drives: {motor: {joint: rail, velocity: 0}}\n"
#define RAIL SLIDER "drives: {motor: {joint: rail, position: 0}}\n"
#define ARM                                                                                                  \
    "format: 1\nname: arm\ngravity: [0, 0, -9.81]\nbodies: {link: {mass: 1, inertia: [0.02, 0.02, 0.02], "   \
    "pose: "                                                                                                 \
    "{position: [0.3, 0, 0]}}}\n"                                                                            \
    "joints: {elbow: {revolute: [world, link], axis: y}}\n"                                                  \
    "drives: {servo: {joint: elbow, servo: {position: %s, stiffness: 40, damping: 4}}}\nsolver: {step: 1 "   \
    "ms}\nrun: "                                                                                             \
    "{until: 1}\n"

static const char *const steppers[] = {"contact", "implicit", "reference"};
#define EACH_STEPPER for (int w = 0; w < 3; w++)

static scene open_text(const char *text, const char *stepper) {
    scene s = {NULL, NULL};
    br_error error = {0};
    const br_override set = {"solver.stepper", stepper};
    br_status status =
        br_model_read_text(text, strlen(text), "controls", &set, 1, NULL, &s.model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(s.model, NULL, &s.sim, &error);
    if (status != BR_OK) scene_fail(stepper, &error);
    return s;
}

static void set(const scene *s, const char *drive, double value) {
    br_error error = {0};
    if (br_sim_set_control(s->sim, drive, value, &error) != BR_OK) scene_fail(drive, &error);
}

static double control_of(const scene *s, const char *drive) {
    br_error error = {0};
    double value;
    if (br_sim_control(s->sim, drive, &value, &error) != BR_OK) scene_fail(drive, &error);
    return value;
}

static void check_ledger(const scene *s, double input, double tolerance) {
    const br_ledger l = br_sim_ledger(s->sim);
    assert_near(l.input, input, tolerance);
    assert_near(l.unaccounted, 0, tolerance);
    assert_near(l.scheme, 0, tolerance);
}

// x = t^2/4 for a second with 1 N, then 2 kg go on with 5 N: v = 1/2 + 5/2 t.
static void a_force_acts_from_the_step_on(void **state) {
    (void)state;
    EACH_STEPPER {
        scene s = open_text(PUSH, steppers[w]);
        assert_near(control_of(&s, "motor"), 1, 0);
        scene_advance(&s, 1.0);
        set(&s, "motor", 5);
        assert_near(control_of(&s, "motor"), 5, 0);
        scene_advance(&s, 2.0);
        assert_near(scene_read(&s, "rail.velocity"), 3.0, 1e-9);
        assert_near(scene_read(&s, "rail.position"), 0.25 + 0.5 + 1.25, 1e-9);
        check_ledger(&s, 0.25 + 5 * 1.75, 1e-8);
        scene_close(&s);
    }
}

// A velocity may jump: 2 kg at 1 m/s are 1 J of input.
static void a_velocity_jumps_and_its_work_is_input(void **state) {
    (void)state;
    EACH_STEPPER {
        scene s = open_text(BELT, steppers[w]);
        scene_advance(&s, 0.5);
        set(&s, "motor", 1);
        scene_advance(&s, 1.5);
        assert_near(scene_read(&s, "rail.velocity"), 1, 1e-9);
        assert_near(scene_read(&s, "rail.position"), 1, w == 2 ? 1e-9 : 0.5001e-3); // it starts within a step
        check_ledger(&s, 1, 1e-9);
        set(&s, "motor", 0);
        scene_advance(&s, 2.0);
        check_ledger(&s, 0, 1e-9);
        scene_close(&s);
    }
}

// What a motor within a largest effort is read to exert has what its target's acceleration takes in it: 2 kg x d/dt 3 sin(20 t).
static void a_motor_s_effort_follows_its_target(void **state) {
    (void)state;
    scene s = open_text(SLIDER "drives: {motor: {joint: rail, velocity: \"3*sin(20*t)\", max_force: 500}}\n",
                        "contact");
    for (int k = 1; k <= 10; k++) {
        scene_advance(&s, 0.01 * k);
        assert_near(scene_read(&s, "motor.effort"), 120 * cos(0.2 * k), 1e-9);
    }
    scene_close(&s);
}

// Set at the start, it is the model with that target, to the last bit.
static void a_servo_holds_what_it_is_told(void **state) {
    (void)state;
    char given[600], told[600];
    snprintf(given, sizeof given, ARM, "0.4 rad");
    snprintf(told, sizeof told, ARM, "\"1 rad*sin(3*t)\"");
    EACH_STEPPER {
        scene a = open_text(given, steppers[w]), b = open_text(told, steppers[w]);
        set(&b, "servo", 0.4);
        scene_advance(&a, 0.7), scene_advance(&b, 0.7);
        assert_true(br_sim_q(a.sim)[0] == br_sim_q(b.sim)[0]);
        assert_true(br_sim_ledger(a.sim).input == br_sim_ledger(b.sim).input);
        br_error error = {0};
        assert_int_equal(br_sim_release_control(b.sim, "servo", &error), BR_OK);
        assert_near(control_of(&b, "servo"), sin(3 * 0.7), 1e-15);
        scene_close(&a), scene_close(&b);
    }
}

// A snapshot has the control of its time, and goes on with the same bits, in a simulation that was never told.
static void snapshots_carry_controls(void **state) {
    (void)state;
    char text[600];
    snprintf(text, sizeof text, ARM, "0 rad");
    for (int w = 0; w < 2; w++) {
        scene a = open_text(text, steppers[w]), b = open_text(text, steppers[w]);
        br_error error = {0};
        set(&a, "servo", 0.4);
        scene_advance(&a, 0.2);
        const size_t size = br_sim_snapshot_size(a.sim);
        char *bytes = malloc(size);
        assert_non_null(bytes);
        br_sim_save(a.sim, bytes);
        assert_int_equal(br_sim_load(b.sim, bytes, size, &error), BR_OK);
        assert_near(control_of(&b, "servo"), 0.4, 0);
        assert_true(br_sim_hash(a.sim) == br_sim_hash(b.sim));
        scene_advance(&a, 0.4), scene_advance(&b, 0.4);
        assert_true(br_sim_q(a.sim)[0] == br_sim_q(b.sim)[0]);
        set(&a, "servo", 0.5);
        assert_false(br_sim_hash(a.sim) == br_sim_hash(b.sim));
        free(bytes);
        scene_close(&a), scene_close(&b);
    }
}

static void check_refused(const char *text, const char *drive, double value, const char *code) {
    scene s = open_text(text, "contact");
    br_error error = {0};
    assert_int_equal(br_sim_set_control(s.sim, drive, value, &error), BR_INVALID);
    assert_string_equal(error.code, code);
    scene_advance(&s, 0.1); // nothing was lost
    scene_close(&s);
}

static void what_cannot_be_controlled_is_refused(void **state) {
    (void)state;
    check_refused(PUSH, "moter", 1, "control-unknown");
    check_refused(SLIDER, "motor", 1, "control-unknown");
    check_refused(PUSH, "motor", NAN, "control-not-finite");
    check_refused(PUSH, "motor", INFINITY, "control-not-finite");
    check_refused(RAIL, "motor", 1, "control-position");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_acts_from_the_step_on),
        cmocka_unit_test(a_velocity_jumps_and_its_work_is_input),
        cmocka_unit_test(a_motor_s_effort_follows_its_target),
        cmocka_unit_test(a_servo_holds_what_it_is_told),
        cmocka_unit_test(snapshots_carry_controls),
        cmocka_unit_test(what_cannot_be_controlled_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
