// What a builder refuses, one definition at a time, and where it says the fault is.
#include "counting_allocator.h"
#include "models.h"

typedef struct outcome {
    br_status status;
    br_error error;
} outcome;

static void assert_fault(outcome o, const char *code, const char *path, const char *words) {
    assert_int_equal(o.status, BR_INVALID);
    assert_string_equal(o.error.code, code);
    assert_string_equal(o.error.path, path);
    if (!strstr(o.error.message, words)) fail_msg("'%s' is not in '%s'", words, o.error.message);
}

// Each fresh: an element that was accepted by mistake does not disturb the next.
static outcome try_body(br_body_def def) {
    outcome o;
    memset(&o, 0, sizeof o);
    br_builder *b = new_builder();
    o.status = br_builder_body(b, &def, &o.error);
    br_builder_destroy(b);
    return o;
}

static outcome try_joint(br_joint_def def) {
    outcome o;
    memset(&o, 0, sizeof o);
    br_builder *b = new_builder();
    o.status = br_builder_joint(b, &def, &o.error);
    br_builder_destroy(b);
    return o;
}

static outcome try_load(br_load_def def) {
    outcome o;
    memset(&o, 0, sizeof o);
    br_builder *b = new_builder();
    o.status = br_builder_load(b, &def, &o.error);
    br_builder_destroy(b);
    return o;
}

static outcome try_drive(br_drive_def def) {
    outcome o;
    memset(&o, 0, sizeof o);
    br_builder *b = new_builder();
    o.status = br_builder_drive(b, &def, &o.error);
    br_builder_destroy(b);
    return o;
}

static outcome try_settings(br_settings settings) {
    outcome o;
    memset(&o, 0, sizeof o);
    br_builder *b = new_builder();
    o.status = br_builder_settings(b, &settings, &o.error);
    br_builder_destroy(b);
    return o;
}

static void names_follow_the_rules(void **state) {
    (void)state;
    static const char *const bad[] = {"", "a.b", "a/b", "a~b", "a#b", "a,b", "a:b", "a b", "a\tb", "world"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const outcome o = try_body(a_body(bad[k], 0, 0, 0));
        assert_int_equal(o.status, BR_INVALID);
        assert_string_equal(o.error.code, "name-invalid");
    }
    char name[BR_MAX_NAME + 1];
    memset(name, 'n', BR_MAX_NAME);
    name[BR_MAX_NAME] = '\0';
    assert_fault(try_body(a_body(name, 0, 0, 0)), "name-invalid",
                 "bodies/nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "63");
    name[BR_MAX_NAME - 1] = '\0';
    assert_int_equal(try_body(a_body(name, 0, 0, 0)).status, BR_OK);
    assert_int_equal(try_body(a_body("Größe-2_b", 0, 0, 0)).status, BR_OK);
    assert_string_equal(try_body(a_body(NULL, 0, 0, 0)).error.code, "name-invalid");
}

static void a_name_is_given_once(void **state) {
    (void)state;
    br_builder *b = new_builder();
    char name[16];
    for (int k = 0; k < 100; k++) { // through several sizes of the table
        snprintf(name, sizeof name, "body_%d", k);
        put_body(b, a_body(name, k, 0, 0));
    }
    const br_body_def again = a_body("body_41", 0, 0, 0);
    outcome o;
    memset(&o, 0, sizeof o);
    o.status = br_builder_body(b, &again, &o.error);
    assert_fault(o, "name-duplicate", "bodies/body_41", "number 42 and number 101");
    put_joint(b, a_joint("body_41", BR_JOINT_REVOLUTE, "world", "body_41")); // another kind, another list
    br_pose X;
    assert_true(br_builder_pose(b, "body_77", &X));
    assert_near(X.position.x, 77.0, 0.0);
    assert_false(br_builder_pose(b, "body_100", &X));
    assert_true(br_builder_pose(b, "world", &X));
    br_builder_destroy(b);
}

static void bodies_are_physical(void **state) {
    (void)state;
    br_body_def def = a_body("wheel", 0, 0, 0);
    def.mass = -1.0;
    assert_fault(try_body(def), "body-mass", "bodies/wheel/mass", "-1 kg");
    def.mass = NAN;
    assert_fault(try_body(def), "model-not-finite", "bodies/wheel/mass", "nan");
    def = a_body("wheel", 0, 0, 0);
    def.inertia = br_sym3_of(1, 1, -0.5, 0, 0, 0);
    assert_fault(try_body(def), "body-inertia-indefinite", "bodies/wheel/inertia", "-0.5");
    def.inertia = br_sym3_of(1, 1, 3, 0, 0, 0);
    assert_fault(try_body(def), "body-inertia-triangle", "bodies/wheel/inertia", "3");
    def.inertia = br_sym3_of(1, 1, 1, 2, 0, 0); // indefinite through its products alone
    assert_fault(try_body(def), "body-inertia-indefinite", "bodies/wheel/inertia", "-1");
    def.inertia = br_sym3_of(1, 1, 2, 0, 0, 0); // a plate
    assert_int_equal(try_body(def).status, BR_OK);
    def.inertia = br_sym3_of(0, 1, 1, 0, 0, 0); // a rod
    assert_int_equal(try_body(def).status, BR_OK);
    def.inertia = br_sym3_of(0, 0, 0, 0, 0, 0); // a point
    assert_int_equal(try_body(def).status, BR_OK);
    def.pose.rotation = br_quat_of(0, 0, 0, 0);
    assert_fault(try_body(def), "model-quaternion", "bodies/wheel/pose", "length 0");
    def = a_body("wheel", INFINITY, 0, 0);
    assert_fault(try_body(def), "model-not-finite", "bodies/wheel/pose", "inf");
    def = a_body("wheel", 0, 0, 0);
    def.com.y = NAN;
    assert_fault(try_body(def), "model-not-finite", "bodies/wheel/com", "nan");
    def = a_body("wheel", 0, 0, 0);
    def.has_velocity = 1;
    def.angular_velocity.z = INFINITY;
    assert_fault(try_body(def), "model-not-finite", "bodies/wheel/velocity", "inf");
}

static void frames_and_shapes_are_checked(void **state) {
    (void)state;
    br_frame_def frame[2] = {{"tip", br_pose_identity()}, {"tip", br_pose_identity()}};
    br_body_def def = a_body("arm", 0, 0, 0);
    def.frames = frame;
    def.frame_count = 2;
    assert_fault(try_body(def), "name-duplicate", "bodies/arm/frames", "tip");
    frame[1].name = "a.b";
    assert_fault(try_body(def), "name-invalid", "bodies/arm/frames", "a.b");
    def.frame_count = 0;
    br_shape_def shape;
    memset(&shape, 0, sizeof shape);
    shape.type = BR_SHAPE_CYLINDER;
    shape.pose = br_pose_identity();
    shape.size.x = 0.2;
    shape.length = 1.0;
    def.shapes = &shape;
    def.shape_count = 1;
    assert_fault(try_body(def), "shape-axis", "bodies/arm/shapes/0", "cylinder");
    shape.axis = br_vec3_unit(2);
    assert_int_equal(try_body(def).status, BR_OK);
    shape.size.x = 0.0;
    assert_fault(try_body(def), "shape-size", "bodies/arm/shapes/0", "0 m");
}

static void joints_are_checked(void **state) {
    (void)state;
    br_joint_def def = a_joint("crank", BR_JOINT_REVOLUTE, "world", "arm");
    assert_int_equal(try_joint(def).status, BR_OK);
    def.second = "world";
    assert_fault(try_joint(def), "joint-same-body", "joints/crank/revolute", "itself");
    def.second = NULL;
    assert_fault(try_joint(def), "model-missing", "joints/crank/revolute", "two names");
    def = a_joint("crank", BR_JOINT_REVOLUTE, "world", "arm");
    def.lower[0] = 1.0, def.upper[0] = -1.0;
    assert_fault(try_joint(def), "joint-limits", "joints/crank/limits", "lower limit 1");
    def.upper[0] = 1.0;
    assert_int_equal(try_joint(def).status, BR_OK);
    def.upper[1] = 4.0;
    assert_fault(try_joint(def), "joint-coordinates", "joints/crank/limits", "coordinate 1");
    def = a_joint("crank", BR_JOINT_REVOLUTE, "world", "arm");
    def.stiffness[0] = -1.0;
    assert_fault(try_joint(def), "model-negative", "joints/crank/spring", "-1");
    def.stiffness[0] = 0.0, def.damping[0] = -2.0;
    assert_fault(try_joint(def), "model-negative", "joints/crank/damping", "-2");
    def.damping[0] = 0.0, def.armature[0] = -3.0;
    assert_fault(try_joint(def), "model-negative", "joints/crank/armature", "-3");
    def.armature[0] = 0.0, def.rest[0] = NAN;
    assert_fault(try_joint(def), "model-not-finite", "joints/crank/spring", "nan");
    def = a_joint("crank", (br_joint_type)77, "world", "arm");
    assert_fault(try_joint(def), "model-kind", "joints/crank", "77");
}

static void joint_parameters_are_checked(void **state) {
    (void)state;
    br_joint_def def = a_joint("nut", BR_JOINT_SCREW, "world", "arm");
    assert_fault(try_joint(def), "joint-pitch", "joints/nut/pitch", "0 m per turn");
    def.pitch = -0.01; // left-handed
    assert_int_equal(try_joint(def).status, BR_OK);
    def = a_joint("g", BR_JOINT_GEAR, "a", "b");
    assert_fault(try_joint(def), "joint-ratio", "joints/g/ratio", "0");
    def.ratio = -2.0;
    assert_int_equal(try_joint(def).status, BR_OK);
    def.has_position = 1;
    assert_fault(try_joint(def), "joint-coordinates", "joints/g/position", "gear");
    def = a_joint("rack", BR_JOINT_RACK_PINION, "a", "b");
    assert_fault(try_joint(def), "joint-ratio", "joints/rack/radius", "0 m");
    def = a_joint("rod", BR_JOINT_DISTANCE, "a", "b");
    def.length = -1.0;
    assert_fault(try_joint(def), "model-negative", "joints/rod/length", "-1");
    def = a_joint("ball", BR_JOINT_SPHERICAL, "a", "b");
    def.lower[0] = -1.0;
    assert_fault(try_joint(def), "joint-coordinates", "joints/ball/limits", "spherical");
    def = a_joint("ball", BR_JOINT_SPHERICAL, "a", "b");
    def.has_position = 1;
    assert_fault(try_joint(def), "model-quaternion", "joints/ball/position", "length 0");
    def.position[0] = 1.0;
    assert_int_equal(try_joint(def).status, BR_OK);
    def = a_joint("w", BR_JOINT_WELD, "a", "b");
    def.friction.law = BR_FRICTION_COULOMB;
    assert_fault(try_joint(def), "joint-coordinates", "joints/w/friction", "weld");
}

static void friction_is_checked(void **state) {
    (void)state;
    br_joint_def def = a_joint("pin", BR_JOINT_REVOLUTE, "a", "b");
    def.friction.law = BR_FRICTION_LUGRE;
    def.friction.pin_radius = 0.1;
    def.friction.mu_static = 0.2, def.friction.mu_kinetic = 0.3;
    assert_fault(try_joint(def), "friction-order", "joints/pin/friction/mu_kinetic", "0.3");
    def.friction.mu_static = 0.0; // not given
    assert_int_equal(try_joint(def).status, BR_OK);
    def.friction.pin_radius = -0.1;
    assert_fault(try_joint(def), "model-negative", "joints/pin/friction/pin_radius", "-0.1");
    def.friction.pin_radius = 0.1, def.friction.shape = "tan";
    assert_fault(try_joint(def), "friction-shape", "joints/pin/friction/shape", "tanh");
}

static void loads_drives_and_constraints_are_checked(void **state) {
    (void)state;
    br_load_def load = br_default_load_def();
    load.name = "pull";
    load.type = BR_LOAD_SPRING;
    load.first = "a";
    assert_fault(try_load(load), "model-missing", "loads/pull/spring", "two bodies");
    load.second = "a";
    assert_fault(try_load(load), "load-same-body", "loads/pull/spring", "itself");
    load.second = "b", load.stiffness[0] = -5.0;
    assert_fault(try_load(load), "model-negative", "loads/pull/stiffness", "-5");
    load = br_default_load_def();
    load.name = "pull";
    load.first = "world";
    assert_fault(try_load(load), "load-on-world", "loads/pull/body", "world");
    const double times[] = {0.0, 1.0, 1.0}, values[] = {1.0, 2.0, 3.0};
    load.first = "a";
    load.component[2] = (br_function_def){BR_FUNCTION_TABLE, 0, NULL, 1, times, values, 3};
    assert_fault(try_load(load), "table-not-rising", "loads/pull/force", "1 comes after 1");

    br_drive_def drive = br_default_drive_def();
    drive.name = "motor";
    assert_fault(try_drive(drive), "model-missing", "drives/motor/joint", "joint");
    drive.joint = "crank", drive.max_effort = 0.0;
    assert_fault(try_drive(drive), "drive-effort", "drives/motor/max_torque", "more than 0");
    drive.max_effort = 5.0, drive.type = BR_DRIVE_POSITION;
    assert_fault(try_drive(drive), "drive-effort", "drives/motor/max_torque", "servo");
    drive.type = BR_DRIVE_SERVO;
    assert_fault(try_drive(drive), "drive-servo", "drives/motor/servo/stiffness", "neither");
    drive.type = BR_DRIVE_VELOCITY, drive.target = br_function_constant(NAN);
    assert_fault(try_drive(drive), "model-not-finite", "drives/motor/velocity", "nan");

    br_builder *b = new_builder();
    br_term_def term;
    memset(&term, 0, sizeof term);
    term.coefficient = br_function_constant(1.0);
    term.body = "a";
    br_constraint_def constraint = {"blade", &term, 1, br_function_constant(0.0)};
    outcome o;
    memset(&o, 0, sizeof o);
    o.status = br_builder_constraint(b, &constraint, &o.error);
    assert_fault(o, "constraint-term", "constraints/blade/terms/0", "direction");
    term.joint = "crank";
    o.status = br_builder_constraint(b, &constraint, &o.error);
    assert_fault(o, "constraint-term", "constraints/blade/terms/0", "both");
    br_builder_destroy(b);
}

static void materials_and_pairs_are_checked(void **state) {
    (void)state;
    br_builder *b = new_builder();
    outcome o;
    memset(&o, 0, sizeof o);
    assert_int_equal(br_builder_material(b, "rubber", NULL), BR_OK);
    o.status = br_builder_material(b, "rubber", &o.error);
    assert_fault(o, "name-duplicate", "materials/rubber", "rubber");
    br_pair_def pair = br_default_pair_def();
    pair.first = "rubber", pair.second = "floor";
    pair.mu_static = -0.1;
    o.status = br_builder_pair(b, &pair, &o.error);
    assert_fault(o, "model-negative", "pairs/rubber/floor/mu_static", "-0.1");
    pair.mu_static = 0.3, pair.restitution = 1.5;
    o.status = br_builder_pair(b, &pair, &o.error);
    assert_fault(o, "pair-restitution", "pairs/rubber/floor/restitution", "1.5");
    pair.restitution = 0.5;
    assert_int_equal(br_builder_pair(b, &pair, NULL), BR_OK);
    pair.first = "floor", pair.second = "rubber";
    o.status = br_builder_pair(b, &pair, &o.error);
    assert_fault(o, "name-duplicate", "pairs/floor/rubber", "order");
    br_builder_destroy(b);
}

static void settings_are_checked(void **state) {
    (void)state;
    br_settings s = br_default_settings();
    assert_int_equal(try_settings(s).status, BR_OK);
    s.solver.step = 0.0;
    assert_fault(try_settings(s), "solver-setting", "solver/step", "0 s");
    s = br_default_settings(), s.solver.theta = 0.4;
    assert_fault(try_settings(s), "solver-setting", "solver/theta", "0.4");
    s = br_default_settings(), s.until = -1.0;
    assert_fault(try_settings(s), "run-setting", "run/until", "-1");
    s = br_default_settings(), s.gravity.z = NAN;
    assert_fault(try_settings(s), "model-not-finite", "gravity", "nan");
    static const char *const good[] = {"bristle", "cone", "box", "polygon(8)", "viscous(1e-3)"};
    static const char *const bad[] = {"polygon(5)", "polygon", "viscous(0)",
                                      "viscous(1",  "cones",   "polygon(8) "};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        s = br_default_settings(), s.contact_law = good[k];
        assert_int_equal(try_settings(s).status, BR_OK);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        s = br_default_settings(), s.contact_law = bad[k];
        assert_fault(try_settings(s), "contact-law", "contact/law", bad[k]);
    }
    s = br_default_settings(), s.solver.redundancy = "eliminate(hinge.force.x)";
    assert_int_equal(try_settings(s).status, BR_OK);
    s.solver.redundancy = "guess";
    assert_fault(try_settings(s), "solver-setting", "solver/redundancy", "guess");
}

static void joints_are_placed_at_a_point_of_the_world(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_body_def arm = a_body("arm", 1.0, 2.0, 3.0);
    arm.pose.rotation = br_quat_from_axis_angle(br_vec3_of(1, 2, 3), 0.7);
    put_body(b, arm);
    br_joint_def def = a_joint("j", BR_JOINT_REVOLUTE, "world", "arm");
    const br_vec3 axis = br_vec3_of(0, 3, 4), point = br_vec3_of(5, 6, 7);
    assert_int_equal(br_builder_place_joint(b, &def, point, &axis, NULL, NULL), BR_OK);
    const br_pose X_WM = br_pose_mul(arm.pose, def.X_BM);
    assert_vec3_near(def.X_AF.position, point, 1e-14);
    assert_vec3_near(X_WM.position, point, 1e-14);
    assert_rotation_near(X_WM.rotation, def.X_AF.rotation, 1e-14);
    assert_vec3_near(br_pose_vector(X_WM, br_vec3_unit(2)), br_vec3_of(0, 0.6, 0.8), 1e-14);
    def.type = BR_JOINT_SPHERICAL; // no axis: those of the second body
    assert_int_equal(br_builder_place_joint(b, &def, point, NULL, NULL, NULL), BR_OK);
    assert_rotation_near(def.X_BM.rotation, br_quat_identity(), 1e-14);

    outcome o;
    memset(&o, 0, sizeof o);
    def.type = BR_JOINT_UNIVERSAL;
    const br_vec3 skew = br_vec3_of(1, 1, 0), zero = br_vec3_zero();
    o.status = br_builder_place_joint(b, &def, point, &axis, &skew, &o.error);
    assert_fault(o, "joint-axis", "joints/j/axis_2", "90");
    o.status = br_builder_place_joint(b, &def, point, &zero, NULL, &o.error);
    assert_fault(o, "joint-axis", "joints/j/axis", "length 0");
    def.second = "armm";
    o.status = br_builder_place_joint(b, &def, point, &axis, NULL, &o.error);
    assert_fault(o, "unknown-body", "joints/j/universal", "did you mean arm?");
    br_builder_destroy(b);
}

static void slides_of_planar_models_have_x_along_the_normal(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_settings settings = br_default_settings();
    settings.planar = BR_PLANAR_XZ;
    assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
    put_body(b, a_body("slider", 0, 0, 0));
    br_joint_def def = a_joint("j", BR_JOINT_PRISMATIC, "world", "slider");
    const br_vec3 axis = br_vec3_of(1, 0, 1);
    assert_int_equal(br_builder_place_joint(b, &def, br_vec3_zero(), &axis, NULL, NULL), BR_OK);
    assert_vec3_near(br_pose_vector(def.X_AF, br_vec3_unit(0)), br_vec3_unit(1), 1e-14);
    def.type = BR_JOINT_REVOLUTE; // the normal is the axis when none is given
    assert_int_equal(br_builder_place_joint(b, &def, br_vec3_zero(), NULL, NULL, NULL), BR_OK);
    assert_vec3_near(br_pose_vector(def.X_AF, br_vec3_unit(2)), br_vec3_unit(1), 1e-14);
    br_builder_destroy(b);
}

static void words_are_the_same_both_ways(void **state) {
    (void)state;
    for (int k = 0; k < BR_JOINT_TYPES; k++)
        assert_int_equal(br_joint_type_from_name(br_joint_type_name((br_joint_type)k)), k);
    assert_int_equal(br_joint_type_from_name("hinge"), BR_JOINT_TYPES);
    assert_int_equal(br_joint_type_velocities(BR_JOINT_FREE), 6);
    assert_int_equal(br_joint_type_positions(BR_JOINT_FREE), 7);
    assert_int_equal(br_joint_type_velocities(BR_JOINT_GEAR), 0);
    assert_string_equal(br_stepper_name(BR_STEPPER_REFERENCE), "reference");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_the_rules),
        cmocka_unit_test(a_name_is_given_once),
        cmocka_unit_test(bodies_are_physical),
        cmocka_unit_test(frames_and_shapes_are_checked),
        cmocka_unit_test(joints_are_checked),
        cmocka_unit_test(joint_parameters_are_checked),
        cmocka_unit_test(friction_is_checked),
        cmocka_unit_test(loads_drives_and_constraints_are_checked),
        cmocka_unit_test(materials_and_pairs_are_checked),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(joints_are_placed_at_a_point_of_the_world),
        cmocka_unit_test(slides_of_planar_models_have_x_along_the_normal),
        cmocka_unit_test(words_are_the_same_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
