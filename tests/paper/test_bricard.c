// Bricard's six-bar loop (IFToMM A04): overconstrained, and it moves.
//
// Reference: the loop's closure leaves hinge_2 as a function of hinge_1 (hinges 1, 3, 5 turn alike, and 2, 4,
// 6), hence an equation of one degree of freedom, integrated apart from this library (Chebyshev fit of its
// inertia and potential, fourth-order Runge-Kutta) to 1e-12. It swings to pi and back in 5.0 s.
#include "order.h"

typedef struct instant {
    double t, angle, x, y, z; // hinge_1; middle of rod_3
} instant;

static const instant instants[] = {
    {1, 1.0371631130603758, 0.39099933801942305, -1.2681855320016284, -0.16180447724321245},
    {2, 2.895583292026223, -0.8749196157890953, -1.100045385692093, 0.28031170933867466},
    {5, 0.00018389820216354406, 0.999908050897882, -1.0000919321959525, 0.4998161187050382},
    {10, 0.0007356603761407781, 0.9996321697456103, -1.00036755985512, 0.49926461008933914},
};

static double distance_from(scene *s, instant right) {
    return br_vec3_distance(scene_point(s, "rod_3", br_vec3_zero()), br_vec3_of(right.x, right.y, right.z));
}

static void bricard_moves(const char *settings, double tolerance, double energy) {
    scene s = scene_open("benchmark/bricard.yaml", settings);
    for (int k = 0; k < 4; k++) {
        scene_advance(&s, instants[k].t);
        const br_ledger l = br_sim_ledger(s.sim);
        print_message("t = %2g: error %.1e m, %.1e rad; energy %.1e J, loop error %.1e, %ld steps\n",
                      instants[k].t, distance_from(&s, instants[k]),
                      scene_joint_position(&s, "hinge_1") - instants[k].angle, l.now.total - l.start.total,
                      l.loop_error, l.steps);
        assert_true(distance_from(&s, instants[k]) < tolerance);
        assert_near(scene_joint_position(&s, "hinge_1"), instants[k].angle, 5 * tolerance);
        assert_near(l.now.total, l.start.total, energy);
        assert_true(l.loop_error < 1e-9);
    }
    scene_close(&s);
}

static void bricard_reference(void **state) {
    (void)state;
    bricard_moves(SCENE_REFERENCE, 1e-7, 1e-7);
    bricard_moves(SCENE_REFERENCE ";coordinates=absolute", 1e-7, 1e-7);
}

static void bricard_contact(void **state) {
    (void)state;
    bricard_moves(SCENE_CONTACT ";solver.step=1 ms", 1e-2, 1e-3);
}

static double error_at_2(scene *s) {
    return distance_from(s, instants[1]);
}

static void bricard_contact_is_second_order(void **state) {
    (void)state;
    order_check("benchmark/bricard.yaml", "", 0.5, 2e-3, 2.0, error_at_2, 2.0, 0.1, 1e-3);
}

// 30 rows on 30 velocities leave nothing to move by counting; the rank is 29.
static void bricard_redundancy_is_named(void **state) {
    (void)state;
    char names[4096];
    br_mobility m;
    br_error error = {0};
    scene s = scene_open("benchmark/bricard.yaml", "");
    assert_int_equal(br_sim_mobility(s.sim, &m, names, sizeof names, &error), BR_OK);
    print_message("degrees of freedom %d, rows %d, redundant %d:\n%s\n", m.degrees_of_freedom, m.rows,
                  m.redundant, names);
    assert_int_equal(m.degrees_of_freedom, 1);
    assert_int_equal(m.rows, 30);
    assert_int_equal(m.redundant, 1);
    for (int k = 1; k <= 6; k++) { // one self-stress runs through the whole loop
        char joint[16];
        snprintf(joint, sizeof joint, "hinge_%d.", k);
        if (!strstr(names, joint)) fail_msg("%s is not named", joint);
    }
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bricard_reference), cmocka_unit_test(bricard_contact),
                                       cmocka_unit_test(bricard_contact_is_second_order),
                                       cmocka_unit_test(bricard_redundancy_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
