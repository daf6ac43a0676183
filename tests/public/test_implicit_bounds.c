// Joint limits, motors within a largest effort and friction that jumps at rest under the implicit stepper: they come to the motion
// of the other steppers as steps become shorter, the ledger closes, and nothing passes its bound.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

#define ARM(joint, rest)                                                                                     \
    "format: 1\nbodies: {b: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"                     \
    "joints: {j: {revolute: [world, b], axis: y, at: [0, 0, 0]" joint "}}\n" rest
#define SLIDER(joint)                                                                                        \
    "format: 1\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"                                       \
    "joints: {j: {prismatic: [world, b], axis: x, at: [0, 0, 0], velocity: 0.3" joint "}}\n"                 \
    "loads: {push: {body: b, force: [8*sin(5*t), 0, 0]}}\n"

typedef struct answer {
    double position, velocity;
    br_ledger ledger;
    double beyond; // the farthest position
} answer;

static answer run_bounds(const char *text, const char *solver, double until) {
    char whole[2048];
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    answer a = {0};
    snprintf(whole, sizeof whole, "%ssolver: {%s}\n", text, solver);
    if (br_model_read_text(whole, strlen(whole), "bounds", NULL, 0, NULL, &model, NULL, &error) != BR_OK ||
        br_sim_create(model, NULL, &sim, &error) != BR_OK)
        fail_msg("%s: %s", whole, error.message);
    for (int k = 1; k <= 50; k++) {
        if (br_sim_advance(sim, until * k / 50, &error) != BR_OK) fail_msg("%s: %s", whole, error.message);
        br_sim_joint_position(sim, 0, &a.position);
        a.beyond = fmax(a.beyond, a.position);
    }
    br_sim_joint_velocity(sim, 0, &a.velocity);
    a.ledger = br_sim_ledger(sim);
    br_sim_destroy(sim), br_model_destroy(model);
    return a;
}

static double largest_energy(const answer *a) {
    return fabs(a->ledger.friction) + fabs(a->ledger.impact) + fabs(a->ledger.input) +
           fabs(a->ledger.now.potential - a->ledger.start.potential) + a->ledger.now.kinetic;
}

// Errors at 4, 2, 1 and 0.5 ms against the reference stepper. Events are not located within a step, so that errors are of first
// order with a factor that depends on where in its step each event falls: over three halvings they must fall by four.
static void against_reference(const char *what, const char *text, double until, double most) {
    const answer exact = run_bounds(text, "stepper: reference, tol: 1e-9", until);
    double error[4];
    for (int k = 0; k < 4; k++) {
        char solver[64];
        snprintf(solver, sizeof solver, "stepper: implicit, step: %d us", 4000 >> k);
        const answer a = run_bounds(text, solver, until);
        error[k] = fabs(a.position - exact.position);
        assert_true(fabs(a.ledger.unaccounted) <= 1e-8 * largest_energy(&a)); // Newton's tolerance
    }
    print_message("%-24s %.2e %.2e %.2e %.2e off the reference stepper\n", what, error[0], error[1], error[2],
                  error[3]);
    assert_true(error[3] <= most);
    assert_true(error[3] <= 0.25 * error[0]);
}

static void friction_that_jumps_comes_to_the_motion_of_the_reference_stepper(void **state) {
    (void)state;
    against_reference(
        "pendulum", ARM(", friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.3, pin_radius: 0.05}", ""),
        1.5, 1e-3);
    against_reference("slider", SLIDER(", friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.3}"), 2.0,
                      2e-3);
    against_reference("slider, rigid bristle", SLIDER(", friction: {law: bristle, mu: 0.3}"), 2.0, 2e-3);
}

// What rests does not creep at all.
static void friction_that_holds_holds(void **state) {
    (void)state;
    const answer a = run_bounds(ARM(", friction: {law: coulomb, mu: 5, pin_radius: 0.05}", ""),
                                "stepper: implicit, step: 2 ms", 1.0);
    assert_true(a.position == 0.0 && a.velocity == 0.0);
}

// The blow is booked as impact: the arm falls by a known height and stays, so all of its energy is in it.
// A sled that friction holds, then lets go: rounding of a state at rest is no loss that shorter steps would avoid, so that each step is taken
// once. It starts at 0.3 m g/(10 N/s) = 0.2943 s and has v = 5 u^2 + (0.3 - 0.2) g u at u = 0.5 - 0.2943 s.
static void rest_takes_whole_steps(void **state) {
    (void)state;
    const answer a = run_bounds("format: 1\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
                                "joints: {j: {prismatic: [world, b], axis: x, at: [0, 0, 0], friction: {law: "
                                "coulomb, mu_static: 0.3, "
                                "mu_kinetic: 0.2}}}\nloads: {push: {body: b, force: [10*t, 0, 0]}}\n",
                                "stepper: implicit, step: 1 ms", 0.5);
    const double u = 0.5 - 0.2943;
    assert_int_equal(a.ledger.steps, 500);
    assert_near(a.velocity, 5 * u * u + 0.981 * u, 2e-3);
}

static void a_stop_is_reached_and_not_passed(void **state) {
    (void)state;
    const answer a = run_bounds(ARM(", limits: [-0.5, 0.4]", ""), "stepper: implicit, step: 1 ms", 0.6);
    assert_near(a.position, 0.4, 1e-12);
    assert_near(a.velocity, 0.0, 1e-12);
    assert_true(a.beyond <= 0.4 + 1e-12);
    assert_near(a.ledger.impact, 9.81 * 0.2 * sin(0.4), 1e-5); // the scheme's own share is of second order
    against_reference("stop and spring", ARM(", limits: [-0.5, 0.3], spring: {stiffness: 4, rest: -0.2}", ""),
                      0.9, 1e-3);
}

static void a_bounded_motor_gives_no_more_and_follows_the_contact_stepper(void **state) {
    (void)state;
    static const char text[] = ARM("", "drives: {d: {joint: j, velocity: 3*sin(20*t), max_torque: 3}}\n");
    const answer fine = run_bounds(text, "stepper: contact, step: 0.05 ms", 0.4);
    double error[2];
    for (int k = 0; k < 2; k++) {
        const answer a =
            run_bounds(text, k ? "stepper: implicit, step: 1 ms" : "stepper: implicit, step: 4 ms", 0.4);
        error[k] = fabs(a.position - fine.position);
        assert_true(fabs(a.ledger.unaccounted) <= 1e-8 * largest_energy(&a));
    }
    print_message("motor: %.2e at 4 ms, %.2e at 1 ms off the contact stepper\n", error[0], error[1]);
    assert_true(error[1] <= 2e-5 && error[1] < error[0]);
}

// A top on a ball joint with a rotor, carried by an arm that turns: both schemes at second order to the answer of the contact stepper.
#define TOP                                                                                                  \
    "format: 1\nbodies:\n  top: {mass: 0.5, com: [0, 0, 0.15], inertia: [0.004, 0.005, 0.002], pose: "       \
    "{position: [0.5, 0, 0]}}\n  arm: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.03]}\njoints:\n  " \
    "j: {revolute: [world, arm], at: [0, 0, 0], axis: [0, 1, 0.3], velocity: 2}\n  b: {spherical: [arm, "    \
    "top], at: [0.5, 0, 0], armature: 0.02, velocity: [1, 2, 8]}\n"

static void armature_of_a_ball_joint_is_carried(void **state) {
    (void)state;
    static const char *const schemes[] = {"energy_decaying", "alpha"};
    const answer exact = run_bounds(TOP, "stepper: contact, step: 31.25 us", 1.0);
    for (int s = 0; s < 2; s++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            char solver[96];
            snprintf(solver, sizeof solver, "stepper: implicit, scheme: %s, step: %d us", schemes[s],
                     2000 >> k);
            const answer a = run_bounds(TOP, solver, 1.0);
            error[k] = fabs(a.position - exact.position);
            assert_true(fabs(a.ledger.unaccounted) <= 1e-8 * largest_energy(&a));
            assert_true(fabs(a.ledger.scheme) <= 1e-4 * largest_energy(&a));
        }
        print_message("%-16s %.2e %.2e %.2e rad off the contact stepper\n", schemes[s], error[0], error[1],
                      error[2]);
        assert_true(error[0] > 3.0 * error[1] && error[1] > 3.0 * error[2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_that_jumps_comes_to_the_motion_of_the_reference_stepper),
        cmocka_unit_test(friction_that_holds_holds),
        cmocka_unit_test(rest_takes_whole_steps),
        cmocka_unit_test(a_stop_is_reached_and_not_passed),
        cmocka_unit_test(a_bounded_motor_gives_no_more_and_follows_the_contact_stepper),
        cmocka_unit_test(armature_of_a_ball_joint_is_carried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
