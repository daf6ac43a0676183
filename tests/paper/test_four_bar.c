// N four-bar loops (IFToMM A02) against their one-DOF reduction, through the singular positions.
#include "order.h"

typedef struct upper_point {
    double t, x, y;
} upper_point;

static const upper_point two_at_1 = {1, -0.19502030194950, -0.98079920566216},
                         two_at_10 = {10, 0.3284581115337, 0.9445185381811},
                         forty_at_10 = {10, 0.1805122266811, 0.9835727405833};

static double distance_from(scene *s, upper_point right) {
    const br_vec3 p = scene_point(s, "up_0", br_vec3_of(0, 0.5, 0));
    return hypot(p.x - right.x, p.y - right.y);
}

static void reaches(scene *s, upper_point right, double tolerance) {
    scene_advance(s, right.t);
    const double error = distance_from(s, right);
    const br_ledger l = br_sim_ledger(s->sim);
    print_message("%s at %g s: error %.1e, unaccounted %.1e J, scheme %.1e J, loop error %.1e m, %ld steps\n",
                  br_model_name(s->model), right.t, error, l.unaccounted, l.scheme, l.loop_error, l.steps);
    assert_true(error <= tolerance);
    assert_true(l.loop_error < 1e-9);
}

// In ten seconds the two loops pass singular positions about twenty times: an error of 1e-11 per step grows
// to 1e-8.
static void two_loops(const char *name, const char *settings) {
    scene s = scene_open(name, settings);
    assert_near(br_sim_energy(s.sim).total - br_sim_energy(s.sim).potential, 1.5, 1e-12);
    assert_near(br_sim_energy(s.sim).total, 35.835, 1e-9);
    reaches(&s, two_at_1, 1e-8);
    reaches(&s, two_at_10, 1e-7);
    scene_close(&s);
}

static void two_loops_reference_reduced(void **state) {
    (void)state;
    two_loops("benchmark/four_bar_2.yaml", SCENE_REFERENCE);
}

static void two_loops_reference_absolute(void **state) {
    (void)state;
    two_loops("benchmark/four_bar_2.yaml", SCENE_REFERENCE ";coordinates=absolute");
}

static void two_loops_in_space_move_the_same(void **state) {
    (void)state;
    two_loops("benchmark/four_bar_2_spatial.yaml", SCENE_REFERENCE);
    two_loops("benchmark/four_bar_2_spatial.yaml", SCENE_REFERENCE ";coordinates=absolute");
}

static void forty_loops_reference(void **state) {
    (void)state;
    scene s = scene_open("benchmark/four_bar_40.yaml", SCENE_REFERENCE);
    assert_near(br_sim_energy(s.sim).total, 620.33833, 1e-4);
    reaches(&s, forty_at_10, 1e-6);
    scene_close(&s);
}

// Position of the upper point and its speed, which the energy gives: 3 w^2 / 2 + 3.5 g y is constant. (At 1 s
// the first-order step is exact to second order in position alone, because it starts where the uprights feel
// no torque.)
static double error_at_1(scene *s) {
    const double speed = sqrt(1 + 7.0 / 3 * 9.81 * (1 - two_at_1.y));
    return hypot(distance_from(s, two_at_1), fabs(scene_joint_velocity(s, "foot_0")) - speed);
}

static void four_bar_contact_orders(void **state) {
    (void)state;
    order_check("benchmark/four_bar_2.yaml", "", 1.0, 1e-3, 1.0, error_at_1, 1.0, 0.1, 2e-2);
    order_check("benchmark/four_bar_2.yaml", "", 0.5, 2e-3, 1.0, error_at_1, 2.0, 0.1, 1e-4);
}

// The fixed step goes through the singular positions too: forty loops for ten seconds.
static void forty_loops_contact(void **state) {
    (void)state;
    scene s = scene_open("benchmark/four_bar_40.yaml", SCENE_CONTACT ";solver.step=2 ms");
    reaches(&s, forty_at_10, 1e-2);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(fabs(l.now.total - l.start.total) < 2.5e-3 * fabs(l.start.total));
    scene_close(&s);
}

// Three rows of each loop are redundant in space: moving out of the plane twice, and along the plane's
// normal.
static void redundancy_in_space_is_named(void **state) {
    (void)state;
    char names[4096];
    br_mobility m;
    br_error error = {0};
    scene s = scene_open("benchmark/four_bar_2_spatial.yaml", "");
    assert_int_equal(br_sim_mobility(s.sim, &m, names, sizeof names, &error), BR_OK);
    print_message("degrees of freedom %d, rows %d, redundant %d:\n%s\n", m.degrees_of_freedom, m.rows,
                  m.redundant, names);
    assert_int_equal(m.degrees_of_freedom, 1);
    assert_int_equal(m.rows, 35);
    assert_int_equal(m.redundant, 6);
    assert_non_null(strstr(names, "left_0."));
    scene_close(&s);
    s = scene_open("benchmark/four_bar_2.yaml", "");
    assert_int_equal(br_sim_mobility(s.sim, &m, names, sizeof names, &error), BR_OK);
    assert_int_equal(m.degrees_of_freedom, 1);
    assert_int_equal(m.redundant, 0);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_loops_reference_reduced),      cmocka_unit_test(two_loops_reference_absolute),
        cmocka_unit_test(two_loops_in_space_move_the_same), cmocka_unit_test(forty_loops_reference),
        cmocka_unit_test(four_bar_contact_orders),          cmocka_unit_test(forty_loops_contact),
        cmocka_unit_test(redundancy_in_space_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
