// Implicit rows whose direction turns with the motion: dampers along a line, servos and motors on a joint that closes
// a loop. Steps of theta 1/2 are of second order on them too, and every stepper finds the same motion.
#include "mechanisms.h"

typedef enum element { LINE, BUSHING, SERVO, MOTOR, ELEMENTS } element;

static const char *const element_name[] = {"line", "bushing", "servo", "motor"};

static void add_element(br_builder *b, element what, int bounded) {
    if (what == LINE || what == BUSHING) {
        br_load_def load =
            mech_load("load", what == LINE ? BR_LOAD_SPRING : BR_LOAD_BUSHING, BR_WORLD, "bob");
        for (int k = 0; k < 6; k++) load.stiffness[k] = 10, load.damping[k] = 2;
        if (what == LINE) load.length = 0.6;
        mech_add_load(b, load);
        return;
    }
    br_drive_def drive = mech_drive("drive", what == SERVO ? BR_DRIVE_SERVO : BR_DRIVE_VELOCITY, "rail",
                                    mech_expression(what == SERVO ? "0.1" : "0.3*sin(4*t)"));
    if (what == SERVO) drive.stiffness = 200, drive.damping = 20;
    if (bounded) drive.max_effort = 1e4;
    mech_add_drive(b, drive);
}

// An arm on a spherical joint, and a bob on a rail along the arm; both swing.
static br_vec3 bob_after(const br_settings *s, element what, int loop, int bounded) {
    br_error error = {0};
    br_builder *b = mech_builder(s);
    br_body_def arm = mech_body("arm", 1, 0.3, 0, 0), bob = mech_body("bob", 1, 0.8, 0, 0);
    arm.has_velocity = bob.has_velocity = 1;
    arm.angular_velocity = bob.angular_velocity = br_vec3_of(0, -1, 2);
    arm.velocity = br_vec3_cross(arm.angular_velocity, arm.pose.position);
    bob.velocity = br_vec3_cross(bob.angular_velocity, bob.pose.position);
    mech_add_body(b, arm);
    mech_add_body(b, bob);
    mech_add_joint(
        b, mech_joint(b, "pin", BR_JOINT_SPHERICAL, BR_WORLD, "arm", br_vec3_zero(), br_vec3_unit(2)));
    br_joint_def rail =
        mech_joint(b, "rail", BR_JOINT_PRISMATIC, "arm", "bob", br_vec3_of(0.8, 0, 0), br_vec3_unit(0));
    rail.closes_loop = loop;
    mech_add_joint(b, rail);
    add_element(b, what, bounded);
    mechanism m = mech_finish(b);
    mech_check(br_sim_advance(m.sim, 0.5, &error), &error);
    const br_vec3 at = br_sim_body_pose(m.sim, br_model_body_find(m.model, "bob")).position;
    mechanism_free(&m);
    return at;
}

static br_vec3 reference(element what, int loop) {
    br_settings s = mech_settings(1.0, BR_REDUCED, 1e-3);
    s.solver.stepper = BR_STEPPER_REFERENCE;
    s.solver.tol = 1e-11;
    return bob_after(&s, what, loop, 0);
}

static void reference_finds_one_motion_whatever_closes(void **state) {
    (void)state;
    for (int what = 0; what < ELEMENTS; what++)
        if (!(br_vec3_distance(reference((element)what, 0), reference((element)what, 1)) < 1e-8))
            fail_msg("%s: the motion depends on which joint closes the loop", element_name[what]);
}

static void turning_dampers_are_of_second_order(void **state) {
    (void)state;
    static const br_coordinates both[] = {BR_REDUCED, BR_ABSOLUTE};
    for (int what = 0; what < ELEMENTS; what++) {
        const br_vec3 right = reference((element)what, 0);
        for (int c = 0; c < 2; c++) {
            const br_settings coarse = mech_settings(0.5, both[c], 5e-3),
                              fine = mech_settings(0.5, both[c], 2.5e-3);
            const double e = br_vec3_distance(bob_after(&coarse, (element)what, 1, 1), right),
                         e_half = br_vec3_distance(bob_after(&fine, (element)what, 1, 1), right);
            print_message("%s, %s: error %.2e m at 5 ms, order %.2f\n", element_name[what],
                          c ? "absolute" : "reduced", e, log2(e / e_half));
            assert_near(log2(e / e_half), 2, 0.15);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_finds_one_motion_whatever_closes),
        cmocka_unit_test(turning_dampers_are_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
