// The kinematic stepper: positions from drives, forces from the motion, refusal of what drives leave open.
#include "small_models.h"

// A slider-crank: crank r = 0.2 m, rod l = 0.7 m, the slider on the x axis.
static small_model slider_crank(br_stepper stepper, br_coordinates coordinates, br_drive_type type,
                                br_function_def target) {
    small_model s = small_begin(stepper);
    s.settings.coordinates = coordinates;
    s.settings.solver.step = 5e-3;
    small_rod(&s, "crank", br_vec3_zero(), br_vec3_of(0.2, 0, 0));
    small_rod(&s, "rod", br_vec3_of(0.2, 0, 0), br_vec3_of(0.9, 0, 0));
    small_block(&s, "slider", br_vec3_of(0.9, 0, 0));
    small_pin(&s, "motor", BR_WORLD, "crank", 0, 0);
    small_pin(&s, "big_end", "crank", "rod", 0.2, 0);
    br_joint_def guide =
        small_joint(&s, "guide", BR_JOINT_PRISMATIC, BR_WORLD, "slider", br_vec3_zero(), br_vec3_of(1, 0, 0));
    small_add_joint(&s, &guide);
    small_pin(&s, "small_end", "rod", "slider", 0.9, 0);
    if (type != BR_DRIVE_TYPES) small_drive(&s, type, "motor", target);
    small_end(&s);
    return s;
}

static double slider_at(double angle) {
    return 0.2 * cos(angle) + sqrt(0.49 - 0.04 * sin(angle) * sin(angle)) - 0.9;
}

static void positions_and_velocities_are_those_of_the_linkage(void **state) {
    (void)state;
    small_model s =
        slider_crank(BR_STEPPER_KINEMATIC, BR_REDUCED, BR_DRIVE_POSITION, small_expression("3*t + t^2"));
    for (int k = 1; k <= 20; k++) {
        const double t = 0.2 * k, angle = 3 * t + t * t, rate = 3 + 2 * t;
        small_advance(&s, t);
        assert_true(br_sim_time(s.sim) == t);
        assert_near(small_position(&s, "motor"), angle, 1e-12);
        assert_near(small_position(&s, "guide"), slider_at(angle), 1e-12);
        const double h = 1e-5, dx = (slider_at(angle + h) - slider_at(angle - h)) / (2 * h);
        assert_near(small_velocity(&s, "guide"), dx * rate, 1e-8);
    }
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.unaccounted, 0, 1e-6 * (fabs(l.input) + l.now.kinetic));
    small_free(&s);
}

// A whole turn within one output interval, and many in the next.
static void long_intervals_are_divided(void **state) {
    (void)state;
    small_model s =
        slider_crank(BR_STEPPER_KINEMATIC, BR_REDUCED, BR_DRIVE_POSITION, small_expression("100*t"));
    small_advance(&s, 0.0628);
    assert_near(small_position(&s, "big_end"), -6.28 - asin(0.2 / 0.7 * sin(6.28)), 1e-11);
    small_advance(&s, 1);
    assert_near(small_position(&s, "guide"), slider_at(100), 1e-11);
    assert_near(small_position(&s, "big_end"), -100 - asin(0.2 / 0.7 * sin(100)), 1e-10);
    small_free(&s);
}

// Forces found from the motion are those of the simulation of forces.
static void reactions_agree_with_the_dynamic_run(void **state) {
    (void)state;
    static const char *const joints[] = {"motor", "big_end", "guide", "small_end"};
    for (int c = 0; c < 2; c++) {
        const br_coordinates coordinates = c ? BR_ABSOLUTE : BR_REDUCED;
        small_model a = slider_crank(BR_STEPPER_KINEMATIC, coordinates, BR_DRIVE_POSITION,
                                     small_expression("2*t + sin(3*t)")),
                    b = slider_crank(BR_STEPPER_REFERENCE, coordinates, BR_DRIVE_POSITION,
                                     small_expression("2*t + sin(3*t)"));
        small_advance(&a, 1.3);
        small_advance(&b, 1.3);
        for (int j = 0; j < 4; j++) {
            br_wrench x, y;
            br_error error = {0};
            const int joint = br_model_joint_find(a.model, joints[j]);
            small_check(br_sim_joint_reaction(a.sim, joint, NULL, &x, &error), &error);
            small_check(br_sim_joint_reaction(b.sim, joint, NULL, &y, &error), &error);
            assert_vec3_near(x.force, y.force, 1e-7);
            assert_vec3_near(x.torque, y.torque, 1e-7);
        }
        assert_near(br_sim_ledger(a.sim).input, br_sim_ledger(b.sim).input, 1e-6);
        small_free(&a);
        small_free(&b);
    }
}

// A prescribed velocity has no position to return to: it is integrated, to fourth order.
static void prescribed_velocity_is_integrated(void **state) {
    (void)state;
    small_model s =
        slider_crank(BR_STEPPER_KINEMATIC, BR_REDUCED, BR_DRIVE_VELOCITY, small_expression("cos(t)"));
    small_advance(&s, 2);
    assert_near(small_position(&s, "motor"), sin(2.0), 1e-11);
    assert_near(small_position(&s, "guide"), slider_at(sin(2.0)), 1e-11);
    small_free(&s);
    // Of the state too: q' = -q.
    s = slider_crank(BR_STEPPER_KINEMATIC, BR_REDUCED, BR_DRIVE_VELOCITY,
                     small_expression("1 - motor.position"));
    small_advance(&s, 2);
    assert_near(small_position(&s, "motor"), 1 - exp(-2.0), 1e-10);
    small_free(&s);
}

static void what_is_left_free_is_named(void **state) {
    (void)state;
    br_error error = {0};
    small_model s = slider_crank(BR_STEPPER_KINEMATIC, BR_REDUCED, BR_DRIVE_TYPES, br_function_constant(0));
    assert_int_equal(br_sim_advance(s.sim, 1, &error), BR_INVALID);
    assert_string_equal(error.code, "kinematic-free");
    assert_non_null(strstr(error.message, "1 degree of freedom"));
    assert_non_null(strstr(error.message, "motor"));
    assert_near(br_sim_time(s.sim), 0, 0);
    small_free(&s);
}

// A position that the linkage cannot reach: named, and the last good state stays.
static void unreachable_position_is_a_named_failure(void **state) {
    (void)state;
    br_error error = {0};
    small_model s = small_begin(BR_STEPPER_KINEMATIC);
    small_four_bar(&s);
    small_drive(&s, BR_DRIVE_POSITION, "anchor", small_expression("-t"));
    small_end(&s);
    assert_int_equal(br_sim_advance(s.sim, 10, &error), BR_NUMERICAL);
    assert_true(strcmp(error.code, "loop-open") == 0 || strcmp(error.code, "velocities-contradict") == 0);
    assert_true(br_sim_time(s.sim) > 0.1 && br_sim_time(s.sim) < 2);
    assert_near(small_position(&s, "anchor"), -br_sim_time(s.sim), 1e-9);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_and_velocities_are_those_of_the_linkage),
        cmocka_unit_test(long_intervals_are_divided),
        cmocka_unit_test(reactions_agree_with_the_dynamic_run),
        cmocka_unit_test(prescribed_velocity_is_integrated),
        cmocka_unit_test(what_is_left_free_is_named),
        cmocka_unit_test(unreachable_position_is_a_named_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
