// A robot on four feet that resist rolling and turning, its joints held by servos and rubbing: it carries more than it needs to, and comes to
// rest all the same. What steps take is counted in steps of Newton, not in time.
#include "scene.h"

#define LEGS 4

static const char *const leg_name[LEGS] = {"fl", "fr", "hl", "hr"};
static const double leg_x[LEGS] = {0.2, 0.2, -0.2, -0.2}, leg_y[LEGS] = {0.15, -0.15, 0.15, -0.15};

#define RUBS                                                                                                 \
    "damping: 2, armature: 0.01, friction: {law: coulomb, mu_static: 1, mu_kinetic: 1, load: {constant: "    \
    "0.2}}}\n"

static char *write_bodies(char *at) {
    for (int k = 0; k < LEGS; k++) {
        const char *leg = leg_name[k];
        const double x = leg_x[k], y = leg_y[k];
        at += sprintf(
            at, "  %s_hip: {mass: 0.7, inertia: [5e-4, 9e-4, 6e-4], pose: {position: [%g, %g, 0.45]}}\n", leg,
            x, 0.8 * y);
        at += sprintf(
            at, "  %s_thigh: {mass: 1.1, inertia: [6e-3, 6e-3, 1e-3], pose: {position: [%g, %g, 0.35]}}\n",
            leg, x - 0.07, y);
        at += sprintf(
            at,
            "  %s_shin: {mass: 0.2, inertia: [2e-3, 2e-3, 5e-5], pose: {position: [%g, %g, 0.13]}, "
            "shapes: [{sphere: {radius: 0.02}, material: foot, pose: {position: [0.02, 0, -0.11]}}]}\n",
            leg, x - 0.07, y);
    }
    return at;
}

static char *write_joints(char *at) {
    for (int k = 0; k < LEGS; k++) {
        const char *leg = leg_name[k];
        const double x = leg_x[k], y = leg_y[k];
        at += sprintf(at, "  %s_1: {revolute: [trunk, %s_hip], axis: x, at: [%g, %g, 0.45], " RUBS, leg, leg,
                      x, 0.6 * y);
        at += sprintf(at, "  %s_2: {revolute: [%s_hip, %s_thigh], axis: y, at: [%g, %g, 0.45], " RUBS, leg,
                      leg, leg, x, y);
        at += sprintf(at, "  %s_3: {revolute: [%s_thigh, %s_shin], axis: y, at: [%g, %g, 0.26], " RUBS, leg,
                      leg, leg, x - 0.14, y);
    }
    at += sprintf(at, "drives:\n");
    for (int k = 0; k < LEGS; k++)
        for (int i = 1; i <= 3; i++)
            at += sprintf(at,
                          "  %s_servo_%d: {joint: %s_%d, servo: {position: 0, stiffness: 200, damping: 5}}\n",
                          leg_name[k], i, leg_name[k], i);
    return at;
}

static void write_robot(char *text) {
    char *at = text;
    at += sprintf(at, "format: 1\n"
                      "materials: {foot: {}, floor: {}}\n"
                      "pairs: {foot/floor: {mu: 0.8, torsion: 16 mm, rolling: 8 mm}}\n"
                      "ground: [{plane: {normal: [0, 0, 1]}, material: floor}]\n"
                      "bodies:\n"
                      "  trunk: {mass: 7, com: [0.02, 0, 0], inertia: [0.025, 0.1, 0.11], pose: {position: "
                      "[0, 0, 0.45]}}\n");
    at = write_bodies(at);
    at += sprintf(at, "joints:\n");
    at = write_joints(at);
    sprintf(at, "solver: {step: 2 ms}\nrun: {until: 2 s}\n");
}

static scene open_robot(void) {
    static char text[16384];
    scene s = {0};
    br_error error = {0};
    write_robot(text);
    if (br_model_read_text(text, strlen(text), "robot", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail("robot", &error);
    return s;
}

// Points that ask for the velocity in the middle of a step hand on what they have from step to step, while rolling friction asks for
// none at its end: 143 steps of Newton in each step, for ever, where none are needed in most.
static void at_rest_a_step_takes_one_step_of_newton_or_none(void **state) {
    (void)state;
    scene s = open_robot();
    scene_advance(&s, 1.0);
    const long before = br_sim_ledger(s.sim).iterations;
    const double height = scene_read(&s, "trunk.position.z");
    scene_advance(&s, 2.0);
    assert_true(br_sim_ledger(s.sim).iterations - before <= 500);
    assert_near(scene_read(&s, "trunk.position.z"), height, 1e-9);
    assert_true(br_sim_ledger(s.sim).residual <= 1e-10);
    scene_close(&s);
}

// 610; it had been 10,439.
static void coming_to_rest_takes_five_steps_of_newton_a_step(void **state) {
    (void)state;
    scene s = open_robot();
    scene_advance(&s, 0.4);
    assert_true(br_sim_ledger(s.sim).iterations <= 1000);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_a_step_takes_one_step_of_newton_or_none),
        cmocka_unit_test(coming_to_rest_takes_five_steps_of_newton_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
