// Joint friction in files: units, the words of Adams, compliances, models that are written and read again, MuJoCo's frictionloss.
#include "bristle/io.h"
#include "model/build/builder.h"
#include "model/model.h"
#include "temp_file.h"

static br_builder *read_file(const char *path, uint64_t *hash) {
    br_model *model = NULL;
    br_builder *builder = NULL;
    br_error error = {0};
    if (br_model_read(path, NULL, 0, NULL, &model, &builder, &error) != BR_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    if (hash) *hash = br_model_hash(model);
    br_model_destroy(model);
    return builder;
}

#define A "format: 1\nname: a\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"

static void a_constant_load_is_a_force_or_a_torque(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double load;
    } row[] = {
        {"axis: x, prismatic: [world, a], friction: {law: coulomb, mu: 1, load: {constant: 2 kN}}", 2000.0},
        {"axis: x, revolute: [world, a], friction: {law: coulomb, mu: 1, load: {constant: 20 N mm}}", 0.02},
        {"axis: x, revolute: [world, a], friction: {law: coulomb, mu: 1, pin_radius: 1 cm, load: {constant: "
         "3 N}}",
         3.0},
        {"axis: x, cylindrical: [world, a], friction: {law: coulomb, mu: 1, load: {constant: 3 N}}", 3.0},
        {"spherical: [world, a], friction: {law: coulomb, mu: 1, load: {constant: 3 N m}}", 3.0}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[400];
        snprintf(text, sizeof text, A "  j: {%s}\n", row[k].text);
        br_builder *b = read_file(temp_write("a.yaml", text), NULL);
        assert_int_equal(b->joint[0].friction.load_constant, 1);
        assert_near(b->joint[0].friction.load, row[k].load, 1e-15);
        br_builder_destroy(b);
    }
}

// With units: {angle: deg} velocities of a torque-loaded pin are in deg/s like those of its joint.
static void velocities_of_a_torque_are_angular(void **state) {
    (void)state;
    br_builder *b = read_file(
        temp_write("a.yaml",
                   A "  j: {axis: x, revolute: [world, a], friction: {law: smooth, mu: 1, load: {constant: "
                     "1}, v_slope: 180 deg/s, v_stribeck: 0.5}}\n"),
        NULL);
    assert_near(b->joint[0].friction.v_slope, BR_PI, 1e-15);
    assert_near(b->joint[0].friction.v_stribeck, 0.5, 0.0);
    br_builder_destroy(b);
}

static void adams_has_two_more_words(void **state) {
    (void)state;
    br_builder *b = read_file(
        temp_write("a.yaml",
                   A "  j: {spherical: [world, a], friction: {law: coulomb, MU_STATIC: 0.4, MU_DYNAMIC: 0.2, "
                     "BALL_RADIUS: 15 mm, REACTION_ARM: 2 cm}}\n"),
        NULL);
    assert_near(b->joint[0].friction.pin_radius, 0.015, 1e-17);
    assert_near(b->joint[0].friction.friction_arm, 0.02, 1e-17);
    br_builder_destroy(b);
}

static void compliances_of_joints(void **state) {
    (void)state;
    br_builder *b = read_file(temp_write("a.yaml", A "  j: {weld: [world, a], compliance: 2 mm/kN}\n"), NULL);
    assert_near(b->joint[0].compliance_translation, 2e-6, 1e-20);
    assert_near(b->joint[0].compliance_rotation, 0.0, 0.0);
    br_builder_destroy(b);
    b = read_file(
        temp_write("a.yaml", A "  j: {weld: [world, a], compliance: {translation: 1e-6, rotation: 3e-4}}\n"),
        NULL);
    assert_near(b->joint[0].compliance_translation, 1e-6, 0.0);
    assert_near(b->joint[0].compliance_rotation, 3e-4, 0.0);
    br_builder_destroy(b);
}

static void what_is_written_is_read_again(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nname: a\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, "
        "1]}\n"
        "  c: {mass: 1, inertia: [1, 1, 1]}\n  d: {mass: 1, inertia: [1, 1, 1]}\n  e: {mass: 1, inertia: [1, "
        "1, 1]}\n"
        "joints:\n"
        "  pin: {revolute: [world, a], axis: z, compliance: {translation: 1e-6, rotation: 2e-5}, friction: "
        "{law: lugre, "
        "mu_static: 0.5, mu_kinetic: 0.3, sigma_0: 1e5, sigma_1: 300, sigma_2: 0.1, v_stribeck: 2 mm/s, "
        "stribeck_exponent: 1, pin_radius: 1 cm, friction_arm: 2 cm, guide_length: 5 cm, preload: 3 N, "
        "compliance: "
        "1e-7}}\n"
        "  slide: {prismatic: [world, b], axis: z, compliance: 1e-6, friction: {law: smooth, shape: "
        "exponential, "
        "mu_static: 0.2, mu_kinetic: 0.1, v_slope: 1e-4, load: {constant: 5}}}\n"
        "  ball: {spherical: [world, c], friction: {law: bristle, mu: 0.3, sigma_0: .inf, load: {constant: "
        "0.1}}}\n"
        "  guide: {prismatic: [world, d], axis: z, friction: {law: dahl, mu: 0, sigma_0: 2e4}}\n"
        "solver: {redundancy: \"eliminate(pin.force.x, ball.friction.1)\"}\n";
    uint64_t hash = 0, again = 1;
    br_error error = {0};
    br_builder *b = read_file(temp_write("a.yaml", text), &hash);
    const char *second = temp_path("b.yaml");
    if (br_model_write_yaml(b, NULL, second, &error) != BR_OK) fail_msg("%s", error.message);
    br_builder_destroy(b);
    br_builder_destroy(read_file(second, &again));
    assert_true(hash == again);
}

// --- MuJoCo ------------------------------------------------------------------------------------------------------

#define INERTIAL "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

static br_builder *import(const char *joint, int *notes) {
    char text[600];
    br_builder *b = NULL;
    br_import_report *report = NULL;
    br_error error = {0};
    snprintf(text, sizeof text,
             "<mujoco><default><joint frictionloss='0.1'/></default><worldbody><body name='a'>%s" INERTIAL
             "</body></worldbody></mujoco>",
             joint);
    if (br_mjcf_read(temp_write("in.xml", text), NULL, NULL, &b, &report, &error) != BR_OK)
        fail_msg("%s", error.message);
    *notes = br_import_report_count(report);
    br_import_report_free(report);
    return b;
}

static void frictionloss_is_a_constant_load(void **state) {
    (void)state;
    static const struct {
        const char *joint;
        double load;
        int notes;
    } row[] = {{"<joint name='j' type='hinge'/>", 0.1, 0},
               {"<joint name='j' type='slide' frictionloss='7'/>", 7.0, 0},
               {"<joint name='j' frictionloss='0'/>", 0.0, 0},
               {"<joint name='j' type='ball'/>", 0.1, 1},
               {"<joint name='j' type='free'/>", 0.0, 1},
               {"<freejoint name='j'/>", 0.0, 0}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int notes = 0;
        br_builder *b = import(row[k].joint, &notes);
        const br_friction_def *f = &b->joint[0].friction;
        assert_int_equal(f->law, row[k].load > 0.0 ? BR_FRICTION_COULOMB : BR_FRICTION_NONE);
        assert_near(f->load, row[k].load, 0.0);
        assert_int_equal(f->load_constant, row[k].load > 0.0);
        assert_near(f->mu_static, row[k].load > 0.0 ? 1.0 : 0.0, 0.0);
        assert_near(f->mu_kinetic, f->mu_static, 0.0);
        assert_int_equal(notes, row[k].notes);
        br_builder_destroy(b);
    }
    br_builder *b = NULL;
    br_error error = {0};
    assert_int_not_equal(
        br_mjcf_read(temp_write("in.xml", "<mujoco><worldbody><body><joint frictionloss='-1'/>" INERTIAL
                                          "</body></worldbody></mujoco>"),
                     NULL, NULL, &b, NULL, &error),
        BR_OK);
    assert_string_equal(error.code, "mjcf-range");
    assert_non_null(strstr(error.message, "frictionloss is -1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_load_is_a_force_or_a_torque),
        cmocka_unit_test(velocities_of_a_torque_are_angular),
        cmocka_unit_test(adams_has_two_more_words),
        cmocka_unit_test(compliances_of_joints),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(frictionloss_is_a_constant_load),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
