// A robot on four feet that resist rolling and turning, its joints held by servos and rubbing: it carries more than it needs to, and comes to
// rest all the same. What steps take is counted in steps of Newton, not in time.
#include "scene.h"

#define LEGS 4

static const char *const leg_name[LEGS] = {"fl", "fr", "hl", "hr"};
static const double leg_x[LEGS] = {0.2, 0.2, -0.2, -0.2}, leg_y[LEGS] = {0.15, -0.15, 0.15, -0.15};

static void write_robot(char *text) {
    char *at = text;
    at += sprintf(at, "format: 1\n"
                      "materials: {foot: {}, floor: {}}\n"
                      "pairs: {foot/floor: {mu: 0.8, torsion: 20 mm, rolling: 10 mm}}\n"
                      "ground: [{plane: {normal: [0, 0, 1]}, material: floor}]\n"
                      "bodies:\n"
                      "  trunk: {mass: 7, inertia: [0.03, 0.1, 0.12], pose: {position: [0, 0, 0.5]}}\n");
    for (int k = 0; k < LEGS; k++)
        at += sprintf(
            at,
            "  %s_thigh: {mass: 1, inertia: [5e-3, 5e-3, 1e-3], pose: {position: [%g, %g, 0.35]}}\n"
            "  %s_shin: {mass: 0.2, inertia: [1e-3, 1e-3, 1e-4], pose: {position: [%g, %g, 0.12]}, shapes: "
            "[{sphere: {radius: 0.02}, material: foot, pose: {position: [0, 0, -0.1]}}]}\n",
            leg_name[k], leg_x[k], leg_y[k], leg_name[k], leg_x[k], leg_y[k]);
    at += sprintf(at, "joints:\n");
    for (int k = 0; k < LEGS; k++) {
        static const char friction[] = "damping: 2, armature: 0.01, friction: {law: coulomb, mu_static: 1, "
                                       "mu_kinetic: 1, load: {constant: 0.2}}}\n";
        at += sprintf(at, "  %s_hip: {revolute: [trunk, %s_thigh], axis: y, at: [%g, %g, 0.45], %s",
                      leg_name[k], leg_name[k], leg_x[k], leg_y[k], friction);
        at += sprintf(at, "  %s_knee: {revolute: [%s_thigh, %s_shin], axis: y, at: [%g, %g, 0.22], %s",
                      leg_name[k], leg_name[k], leg_name[k], leg_x[k], leg_y[k], friction);
    }
    at += sprintf(at, "drives:\n");
    for (int k = 0; k < LEGS; k++) {
        at += sprintf(at, "  %s_1: {joint: %s_hip, servo: {position: 0.02, stiffness: 200, damping: 5}}\n",
                      leg_name[k], leg_name[k]);
        at += sprintf(at, "  %s_2: {joint: %s_knee, servo: {position: -0.03, stiffness: 200, damping: 5}}\n",
                      leg_name[k], leg_name[k]);
    }
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
// none at its end: 17 steps of Newton in each step for ever, and a residual that no step brought below 1e-9.
static void at_rest_a_step_takes_one_step_of_newton_or_none(void **state) {
    (void)state;
    scene s = open_robot();
    scene_advance(&s, 1.0);
    const long before = br_sim_ledger(s.sim).iterations;
    const double height = scene_read(&s, "trunk.position.z");
    scene_advance(&s, 2.0);
    assert_true(br_sim_ledger(s.sim).iterations - before <= 500);
    assert_near(scene_read(&s, "trunk.position.z"), height, 1e-9);
    scene_close(&s);
}

// Bounds of rolling and torsion that follow the normal forces went to and fro between two answers for all of their passes: 47,000 in these
// hundred steps.
static void coming_to_rest_takes_a_third_of_what_it_did(void **state) {
    (void)state;
    scene s = open_robot();
    scene_advance(&s, 0.2);
    assert_true(br_sim_ledger(s.sim).iterations <= 18000);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_a_step_takes_one_step_of_newton_or_none),
        cmocka_unit_test(coming_to_rest_takes_a_third_of_what_it_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
