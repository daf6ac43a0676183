// What solver: redundancy becomes in a model, compliances of joints, and that friction and they are part of the hash.
#include <string.h>

#include "bristle/io.h"
#include "model/build/builder.h"
#include "model/model.h"
#include "near.h"

#define BODIES                                                                                               \
    "bodies:\n"                                                                                              \
    "  a: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0.5, 0]}}\n"                                    \
    "  b: {mass: 1, inertia: [1, 1, 1], pose: {position: [1.2, 0, 0]}}\n"                                    \
    "  rod: {mass: 1, inertia: [1, 1, 1], pose: {position: [0.6, 0.25, 0]}}\n"
#define SLIDER_CRANK(pin)                                                                                    \
    "format: 1\nplanar: xy\ngravity: [0, 0, 0]\n" BODIES "joints:\n"                                         \
    "  slide_1: {prismatic: [world, a], axis: y, friction: {law: coulomb, mu: 0.5}}\n"                       \
    "  slide_2: {prismatic: [world, b], axis: x, friction: {law: coulomb, mu: 0.5}}\n"                       \
    "  pin_1: {revolute: [a, rod], at: [0, 0.5, 0]" pin "}\n"                                                \
    "  pin_2: {revolute: [rod, b], at: [1.2, 0, 0]}\n"

static br_model *read_yaml(const char *text) {
    br_model *model = NULL;
    br_error error;
    memset(&error, 0, sizeof error);
    if (br_model_read_text(text, strlen(text), "some.yaml", NULL, 0, NULL, &model, NULL, &error) != BR_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return model;
}

static br_redundancy_kind kind_of(const char *text) {
    br_model *m = read_yaml(text);
    const br_redundancy_kind kind = m->redundancy.kind;
    br_model_destroy(m);
    return kind;
}

static void the_default_is_compliance_where_a_joint_has_one(void **state) {
    (void)state;
    assert_int_equal(kind_of(SLIDER_CRANK("")), BR_REDUNDANCY_PSEUDOINVERSE);
    assert_int_equal(kind_of(SLIDER_CRANK(", compliance: 1e-6 m/N")), BR_REDUNDANCY_COMPLIANCE);
    assert_int_equal(kind_of(SLIDER_CRANK(", compliance: {rotation: 1e-3}")), BR_REDUNDANCY_COMPLIANCE);
    assert_int_equal(
        kind_of(SLIDER_CRANK(", friction: {law: coulomb, mu: 0.1, pin_radius: 1 cm, compliance: 1e-7}")),
        BR_REDUNDANCY_COMPLIANCE);
    assert_int_equal(kind_of(SLIDER_CRANK(", compliance: 1e-6") "solver: {redundancy: pseudoinverse}\n"),
                     BR_REDUNDANCY_PSEUDOINVERSE);
    assert_int_equal(kind_of(SLIDER_CRANK(", compliance: 1e-6") "solver: {redundancy: compliance}\n"),
                     BR_REDUNDANCY_COMPLIANCE);
}

static void rows_are_found_by_their_names(void **state) {
    (void)state;
    br_model *m = read_yaml(SLIDER_CRANK(
        "") "solver: {redundancy: \"eliminate(pin_2.force.y, slide_1.friction, slide_2.torque.x)\"}\n");
    const br_redundancy *r = &m->redundancy;
    assert_int_equal(r->kind, BR_REDUNDANCY_ELIMINATE);
    assert_int_equal(r->count, 3);
    assert_int_equal(r->row[0].joint, br_model_joint_find(m, "pin_2"));
    assert_int_equal(r->row[0].part, 1);
    assert_int_equal(r->row[0].row, 1);
    assert_int_equal(r->row[1].joint, br_model_joint_find(m, "slide_1"));
    assert_int_equal(r->row[1].part, BR_ROW_FRICTION);
    assert_int_equal(r->row[1].row, -1);
    assert_int_equal(r->row[2].joint, br_model_joint_find(m, "slide_2"));
    assert_int_equal(r->row[2].part, 3); // x of a slide's frame is the plane's normal
    br_model_destroy(m);
}

// In space every row is there; several directions of sliding are numbered over the pads.
static void rows_in_space(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, "
        "c: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  ball: {spherical: [world, a], friction: {law: coulomb, mu: 0.1, pin_radius: 1 cm}}\n"
        "  cross: {universal: [world, b], axis: z, axis_2: x, friction: {law: coulomb, mu: 0.1, pin_radius: "
        "1 cm}}\n"
        "  thread: {screw: [world, c], axis: z, pitch: 5 mm}\n"
        "solver: {redundancy: \"eliminate(ball.friction.2, cross.friction.1, cross.torque.y, "
        "thread.force.z)\"}\n";
    br_model *m = read_yaml(text);
    const br_redundancy *r = &m->redundancy;
    assert_int_equal(r->count, 4);
    assert_int_equal(r->row[0].part, BR_ROW_FRICTION + 2);
    assert_int_equal(r->row[1].part, BR_ROW_FRICTION + 1);
    assert_int_equal(r->row[2].part, 4);
    assert_int_equal(r->row[2].row, 3);
    assert_int_equal(r->row[3].part, 2);
    assert_int_equal(r->row[3].row, 2);
    br_model_destroy(m);
}

static void planar_models_note_what_their_friction_leaves_out(void **state) {
    (void)state;
    br_model *m =
        read_yaml(SLIDER_CRANK(", friction: {law: coulomb, mu: 0.1, pin_radius: 1 cm, friction_arm: 2 cm}"));
    assert_non_null(strstr(br_model_notes(m), "pin_1 counts the part of its reaction that is in the plane"));
    br_model_destroy(m);
    m = read_yaml(SLIDER_CRANK(", friction: {law: coulomb, mu: 0.1, pin_radius: 1 cm}"));
    assert_string_equal(br_model_notes(m), "");
    br_model_destroy(m);
    m = read_yaml("format: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                  "joints: {j: {cylindrical: [world, a], axis: z, friction: {law: coulomb, mu: 1, "
                  "friction_arm: 1}}}\n");
    assert_non_null(strstr(br_model_notes(m), "turns freely"));
    assert_non_null(strstr(br_model_notes(m), "friction_arm, which a cylindrical joint has no use for"));
    br_model_destroy(m);
}

static uint64_t hash_of(const br_joint_def *joint) {
    br_builder *builder = NULL;
    br_model *model = NULL;
    br_error error;
    memset(&error, 0, sizeof error);
    assert_int_equal(br_builder_create(NULL, &builder, &error), BR_OK);
    br_body_def body = br_default_body_def();
    body.name = "a", body.mass = 1.0, body.inertia = br_sym3_of(1.0, 1.0, 1.0, 0.0, 0.0, 0.0);
    assert_int_equal(br_builder_body(builder, &body, &error), BR_OK);
    if (br_builder_joint(builder, joint, &error) != BR_OK) fail_msg("%s", error.message);
    assert_int_equal(br_model_create(builder, &model, &error), BR_OK);
    const uint64_t hash = br_model_hash(model);
    br_model_destroy(model);
    br_builder_destroy(builder);
    return hash;
}

// Every number of friction decides results, so each changes the hash.
static void the_hash_knows_every_number_of_friction(void **state) {
    (void)state;
    br_joint_def base = br_default_joint_def();
    base.name = "j", base.type = BR_JOINT_REVOLUTE, base.first = BR_WORLD, base.second = "a";
    base.friction.law = BR_FRICTION_COULOMB;
    base.friction.mu_static = base.friction.mu_kinetic = 0.3, base.friction.pin_radius = 0.01;
    const uint64_t hash = hash_of(&base);
    const size_t number[] = {
        offsetof(br_joint_def, friction.mu_static),     offsetof(br_joint_def, friction.mu_kinetic),
        offsetof(br_joint_def, friction.v_slope),       offsetof(br_joint_def, friction.sigma_0),
        offsetof(br_joint_def, friction.sigma_1),       offsetof(br_joint_def, friction.sigma_2),
        offsetof(br_joint_def, friction.v_stribeck),    offsetof(br_joint_def, friction.stribeck_exponent),
        offsetof(br_joint_def, friction.load),          offsetof(br_joint_def, friction.pin_radius),
        offsetof(br_joint_def, friction.friction_arm),  offsetof(br_joint_def, friction.guide_length),
        offsetof(br_joint_def, friction.preload),       offsetof(br_joint_def, friction.compliance),
        offsetof(br_joint_def, compliance_translation), offsetof(br_joint_def, compliance_rotation)};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        br_joint_def def = base;
        double *x = (double *)((char *)&def + number[k]);
        *x = *x == 0.3 ? 0.2 : *x + 0.5; // a coefficient goes down where both must stay in order
        if (number[k] == offsetof(br_joint_def, friction.mu_static)) *x = 0.4;
        assert_true(hash_of(&def) != hash);
    }
    br_joint_def def = base;
    def.friction.load_constant = 1;
    assert_true(hash_of(&def) != hash);
    def = base, def.friction.shape = "tanh";
    assert_true(hash_of(&def) != hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_compliance_where_a_joint_has_one),
        cmocka_unit_test(rows_are_found_by_their_names),
        cmocka_unit_test(rows_in_space),
        cmocka_unit_test(planar_models_note_what_their_friction_leaves_out),
        cmocka_unit_test(the_hash_knows_every_number_of_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
