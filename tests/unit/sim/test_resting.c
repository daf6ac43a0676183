// Reactions of a mechanism that rests on a limit: the stop carries its part, of the instant, under every stepper.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bristle/bristle.h"
#include "bristle/io.h"

// A bar of 2 kg, its centre of mass 0.5 m from the hinge, lies on the stop at zero: the hinge carries the weight, the stop
// the moment, nothing moves.
static const char model_text[] =
    "format: 1\n"
    "bodies: {bar: {mass: 2, inertia: [0.01, 0.2, 0.2], pose: {position: [0.5, 0, 0]}}}\n"
    "joints:\n"
    "  hinge: {revolute: [world, bar], at: [0, 0, 0], axis: [0, 1, 0], limits: [-0.5, 0]}\n"
    "solver: {stepper: STEPPER, step: 1 ms, theta: 0.5}\n";

static void check_stepper(const char *stepper) {
    br_error error;
    memset(&error, 0, sizeof error);
    br_model *model = NULL;
    br_sim *sim = NULL;
    const br_override change = {"solver.stepper", stepper};
    char text[sizeof model_text];
    memcpy(text, model_text, sizeof text);
    char *word = strstr(text, "STEPPER");
    memcpy(word, "contact", strlen("contact"));
    assert_int_equal(
        br_model_read_text(text, strlen(text), "resting", &change, 1, NULL, &model, NULL, &error), BR_OK);
    assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_OK);
    assert_int_equal(br_sim_advance(sim, 0.05, &error), BR_OK);
    br_wrench in_W;
    double vdot = 1.0;
    assert_int_equal(br_sim_joint_reaction(sim, br_model_joint_find(model, "hinge"), NULL, &in_W, &error),
                     BR_OK);
    assert_true(fabs(in_W.force.z - 2.0 * 9.81) < 1e-9);
    assert_true(fabs(in_W.force.x) < 1e-9);
    assert_int_equal(br_sim_acceleration(sim, &vdot, &error), BR_OK);
    assert_true(fabs(vdot) < 1e-9);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void stop_carries_its_part_under_contact(void **state) {
    (void)state;
    check_stepper("contact");
}

static void stop_carries_its_part_under_reference(void **state) {
    (void)state;
    check_stepper("reference");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop_carries_its_part_under_contact),
        cmocka_unit_test(stop_carries_its_part_under_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
