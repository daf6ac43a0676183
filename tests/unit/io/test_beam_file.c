// Beams, clearances and steps that vary in a model file: every form and unit, overrides, and the same model when it is
// written and read again.
#include <math.h>
#include <string.h>

#include "bristle/io.h"
#include "model/build/builder.h"
#include "model/model.h"
#include "near.h"
#include "temp_file.h"

static void read_model(const char *text, const br_override *set, int sets, br_model **model,
                       br_builder **builder) {
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "beam.yaml", set, sets, NULL, model, builder, &error) != BR_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
}

static const char rotor[] =
    "format: 1\n"
    "params: {n: 24, gap: 0.8 mm}\n"
    "bodies:\n"
    "  disk: {mass: 5, inertia: [1e-3, 6e-4, 6e-4], pose: {position: [3, 0, 0]}}\n"
    "  slider: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], pose: {position: [9, 0.5, 0]}}\n"
    "beams:\n"
    "  shaft:\n"
    "    from: [0, 0, 0]\n"
    "    to: [6, 0, 0]\n"
    "    elements: $n\n"
    "    up: [0, 0, 1]\n"
    "    twist: 90 deg\n"
    "    section:\n"
    "      EI: [28.2e3, 28.7 kN m^2]\n"
    "      GJ: 22.1e3 N m^2\n"
    "      EA: 22.93e3 kN\n"
    "      kGA: 4.41e6\n"
    "      mass: 848 g/m\n"
    "      inertia: [2.12e-3 kg m, 1.06e-3, 1.06e-3]\n"
    "      offset: [0, 1 mm]\n"
    "    damping: 0.5 ms\n"
    "    attach: {start: world, 0.5: disk}\n"
    "    velocity: {linear: [0, 1 mm/s, 0], angular: [60 deg/s, 0, 0]}\n"
    "  bow:\n"
    "    arc: [[6, 0, 0], [7, 0, 0.4], [8, 0, 0]]\n"
    "    section: {E: 70 GPa, nu: 0.31, density: 2700 kg/m^3, tube: {outer: 50 mm, inner: 49 mm}}\n"
    "    attach: {0: shaft.s1}\n"
    "  wave:\n"
    "    spline: [[0, 1, 0], [1, 1, 0], [2, 1.5, 0]]\n"
    "    section: {E: 70e9, density: 2700, I: {height: 50 mm, width: 40 mm, web: 3 mm, flange: 4 mm}, "
    "offset: [1 mm, 0]}\n"
    "  frame:\n"
    "    points: [[0, 2, 0], [1, 2, 0], [1, 3, 0]]\n"
    "    section: {E: 70e9, density: 2700, rectangle: {size: [10 mm, 20 mm]}}\n"
    "  wire:\n"
    "    from: [0, 4, 0]\n"
    "    to: [0, 4, 1]\n"
    "    section: {EI: 1, GJ: 1, EA: 1e5, kGA: [1e4, 2e4], mass: 0.1, inertia: 2e-6}\n"
    "joints:\n"
    "  R: {revolute: [world, bow.s1], axis: [0, 1, 0]}\n"
    "  U: {universal: [world, wave.s0], axis: [1, 0, 0], axis_2: [0, 1, 0]}\n"
    "  H: {spherical: [slider, bow.s0.5], at: {bow.s0.5: [0, 0, 0.1]}}\n"
    "loads:\n"
    "  tip: {body: wave.s1, force: [0, 0, -1 N]}\n"
    "  rope: {spring: [wire.s1, slider], stiffness: 100}\n"
    "clearances:\n"
    "  T:\n"
    "    spatial: [world, shaft.s0.75]\n"
    "    axis: [1, 0, 0]\n"
    "    outer: 80 mm + $gap\n"
    "    inner: 80 mm\n"
    "    contact: {law: linear, stiffness: 15e6 N/m}\n"
    "    friction: {law: lugre, mu_static: 0.3, mu_kinetic: 0.3, sigma_0: 1e5 1/m, v_stribeck: 1 mm/s}\n"
    "  B:\n"
    "    spherical: [slider, disk]\n"
    "    at: {slider: [0.1, 0, 0], disk: [0, 0.2, 0]}\n"
    "    outer: 20.5 mm\n"
    "    inner: 20 mm\n"
    "    contact: {law: hunt_crossley, stiffness: 1e10, damping: 3 s/m}\n"
    "  P:\n"
    "    planar: [disk, wire.s0]\n"
    "    axis: z\n"
    "    outer: 20.5 mm\n"
    "    inner: 20 mm\n"
    "    contact: {law: lankarani_nikravesh, stiffness: 1e9, restitution: 0.8}\n"
    "  J:\n"
    "    journal: [slider, frame.s1]\n"
    "    axis: [1, 1, 0]\n"
    "    length: 30 mm\n"
    "    outer: 20.5 mm\n"
    "    inner: 20 mm\n"
    "    contact: {table: {depth: [0, 1e-3 mm, 2e-3 mm], force: [0, 10 N, 40 N]}}\n"
    "solver:\n"
    "  stepper: implicit\n"
    "  step: 0.1 ms\n"
    "  scheme: energy_decaying\n"
    "  adaptive: {smallest: 1e-7 ms, tolerance: 1e-6, contact: {epsilon_p: 3 um, q_min: 6, alpha: 1.3}, "
    "friction: off}\n";

static void every_form_is_read(void **state) {
    (void)state;
    br_model *m = NULL;
    br_builder *b = NULL;
    read_model(rotor, NULL, 0, &m, &b);
    assert_int_equal(b->beam_names.count, 5);
    const br_beam_def *shaft = &b->beam[0];
    assert_int_equal(shaft->elements, 24);
    assert_near(shaft->twist, 0.5 * BR_PI, 1e-15);
    assert_near(shaft->section.EI_y, 28200.0, 0.0);
    assert_near(shaft->section.EI_z, 28700.0, 1e-11);
    assert_near(shaft->section.EA, 22.93e6, 1e-8);
    assert_near(shaft->section.GA_z, 4.41e6, 0.0);
    assert_near(shaft->section.mass, 0.848, 1e-16);
    assert_near(shaft->section.inertia[0], 2.12e-3, 0.0);
    assert_near(shaft->section.offset_z, 1e-3, 0.0);
    assert_near(shaft->damping, 5e-4, 1e-19);
    assert_int_equal(shaft->attach_count, 2);
    assert_near(shaft->attach[0].station, 0.0, 0.0);
    assert_string_equal(shaft->attach[1].body, "disk");
    assert_near(shaft->velocity.y, 1e-3, 0.0);
    assert_near(shaft->angular_velocity.x, BR_PI / 3.0, 1e-15);
    assert_int_equal(b->beam[1].line, BR_LINE_ARC);
    assert_int_equal(b->beam[1].elements, 10);
    assert_int_equal(b->beam[1].section.shape, BR_SECTION_TUBE);
    assert_near(b->beam[1].section.E, 70e9, 0.0);
    assert_near(b->beam[1].section.size[1], 0.049, 0.0);
    assert_int_equal(b->beam[2].line, BR_LINE_SPLINE);
    assert_near(b->beam[2].section.nu, 0.3, 0.0);
    assert_near(b->beam[2].section.size[3], 0.004, 0.0);
    assert_near(b->beam[3].section.size[1], 0.02, 0.0);
    assert_near(b->beam[4].section.GA_z, 2e4, 0.0);
    assert_near(b->beam[4].section.inertia[2], 1e-6, 1e-21); // half the polar one
    assert_int_equal(b->clearance_names.count, 4);
    assert_near(b->clearance[0].outer_radius, 0.0808, 1e-17);
    assert_near(b->clearance[1].damping, 3.0, 0.0);
    assert_near(b->clearance[1].exponent, 1.5, 0.0);
    assert_near(b->clearance[1].X_BM.position.y, 0.2, 0.0);
    assert_near(b->clearance[2].restitution, 0.8, 0.0);
    assert_string_equal(b->clearance[3].law, "table");
    assert_near(b->clearance[3].table_depth[2], 2e-6, 1e-21);
    const br_solver_settings *s = &br_model_settings(m)->solver;
    assert_int_equal(s->energy_decaying, 1);
    assert_int_equal(s->adaptive.on && s->adaptive.contact && !s->adaptive.friction, 1);
    assert_near(s->adaptive.smallest, 1e-10, 1e-25);
    assert_near(s->adaptive.q_min, 6.0, 0.0);
    assert_near(s->adaptive.v_min, 5.0, 0.0);
    assert_int_equal(br_model_clearance_count(m), 5); // the journal is two
    assert_int_equal(m->clearance[4].law.kind, BR_NORMAL_TABLE);
    assert_int_equal(m->clearance[4].law.points, 3);
    br_model_destroy(m);
    br_builder_destroy(b);
}

static void steps_are_fixed_unless_said_otherwise(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int on, contact;
    } form[] = {{"", 0, 1},
                {"solver: {stepper: implicit}\n", 0, 1},
                {"solver: {stepper: implicit, adaptive: on}\n", 1, 1},
                {"solver: {stepper: implicit, adaptive: {}}\n", 1, 1},
                {"solver: {stepper: implicit, adaptive: off}\n", 0, 1},
                {"solver: {stepper: implicit, adaptive: {contact: off}}\n", 1, 0}};
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        char text[256];
        br_model *m = NULL;
        snprintf(text, sizeof text, "format: 1\n%s", form[k].text);
        read_model(text, NULL, 0, &m, NULL);
        const br_adaptive_settings a = br_model_settings(m)->solver.adaptive;
        assert_int_equal(a.on, form[k].on);
        assert_int_equal(a.contact, form[k].contact);
        // The values of [BauchauJu2006].
        assert_near(a.epsilon_p, 3e-6, 0.0);
        assert_near(a.q_min, 5.0, 0.0);
        assert_near(a.alpha, 1.2, 0.0);
        assert_near(a.dtau_min, 0.02, 0.0);
        assert_near(a.friction_alpha, 1.2, 0.0);
        br_model_destroy(m);
    }
}

static void overrides_reach_beams_and_clearances(void **state) {
    (void)state;
    static const br_override set[] = {{"beams.shaft.elements", "6"},
                                      {"beams.shaft.section.mass", "1 kg/m"},
                                      {"beams.shaft.attach.0.5", "slider"},
                                      {"clearances.T.contact.stiffness", "1e7"},
                                      {"clearances.T.contact.damping", "5"},
                                      {"solver.adaptive.contact.q_min", "7"},
                                      {"gap", "1 mm"}};
    br_model *m = NULL;
    br_builder *b = NULL;
    read_model(rotor, set, 7, &m, &b);
    // 6 elements, cut at 0.5 and 0.75: 3, and 1.5 on either side of 0.75, which are 2 each.
    assert_int_equal(br_model_beam_elements(m, 0), 7);
    assert_near(b->beam[0].section.mass, 1.0, 0.0);
    assert_string_equal(b->beam[0].attach[1].body, "slider");
    assert_near(b->clearance[0].stiffness, 1e7, 0.0);
    assert_near(b->clearance[0].damping, 5.0, 0.0);
    assert_near(b->clearance[0].outer_radius, 0.081, 1e-16);
    assert_near(br_model_settings(m)->solver.adaptive.q_min, 7.0, 0.0);
    br_model_destroy(m);
    br_builder_destroy(b);
}

// --- writing -----------------------------------------------------------------------------------------------

static void assert_same_pose(br_pose a, br_pose b) {
    assert_near(br_vec3_distance(a.position, b.position), 0.0, 1e-13); // products of poses
    // The axis; which way x points decides nothing.
    const br_vec3 z = br_vec3_unit(2);
    assert_near(br_vec3_distance(br_pose_vector(a, z), br_pose_vector(b, z)), 0.0, 1e-13);
}

static void what_is_written_reads_as_the_same_model(void **state) {
    (void)state;
    br_model *first = NULL, *second = NULL;
    br_builder *b = NULL, *again = NULL;
    br_error error = {0};
    read_model(rotor, NULL, 0, &first, &b);
    if (br_model_write_yaml(b, "a test", temp_path("beam.yaml"), &error) != BR_OK)
        fail_msg("%s", error.message);
    char *text = temp_read(temp_path("beam.yaml"));
    read_model(text, NULL, 0, &second, &again);
    assert_int_equal(br_model_body_count(second), br_model_body_count(first));
    assert_int_equal(br_model_joint_count(second), br_model_joint_count(first));
    for (int k = 0; k < br_model_body_count(first); k++) {
        assert_string_equal(br_model_body_name(second, k), br_model_body_name(first, k));
        assert_true(br_model_body_mass(second, k) == br_model_body_mass(first, k));
    }
    for (int k = 0; k < b->beam_names.count; k++) { // to the bit
        assert_memory_equal(&b->beam[k].section, &again->beam[k].section, sizeof(br_section_def));
        assert_int_equal(b->beam[k].point_count, again->beam[k].point_count);
        assert_memory_equal(b->beam[k].points, again->beam[k].points,
                            (size_t)b->beam[k].point_count * sizeof(br_vec3));
        assert_true(b->beam[k].twist == again->beam[k].twist && b->beam[k].damping == again->beam[k].damping);
        assert_true(br_vec3_distance(b->beam[k].angular_velocity, again->beam[k].angular_velocity) == 0.0);
        assert_int_equal(b->beam[k].attach_count, again->beam[k].attach_count);
    }
    for (int k = 0; k < b->clearance_names.count; k++) {
        const br_clearance_def *c = &b->clearance[k], *d = &again->clearance[k];
        assert_int_equal(c->type, d->type);
        assert_same_pose(c->X_AF, d->X_AF);
        assert_same_pose(c->X_BM, d->X_BM);
        assert_true(c->outer_radius == d->outer_radius && c->inner_radius == d->inner_radius &&
                    c->length == d->length && c->stiffness == d->stiffness && c->damping == d->damping &&
                    c->exponent == d->exponent && c->restitution == d->restitution);
        assert_string_equal(c->law, d->law);
        assert_int_equal(c->table_count, d->table_count);
        assert_int_equal(c->friction.law, d->friction.law);
        assert_true(c->friction.sigma_0 == d->friction.sigma_0);
    }
    const br_adaptive_settings x = b->settings.solver.adaptive, y = again->settings.solver.adaptive;
    assert_true(x.smallest == y.smallest && x.tolerance == y.tolerance && x.contact == y.contact &&
                x.friction == y.friction && x.epsilon_p == y.epsilon_p && x.q_min == y.q_min &&
                x.alpha == y.alpha);
    free(text);
    br_model_destroy(first);
    br_model_destroy(second);
    br_builder_destroy(b);
    br_builder_destroy(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(steps_are_fixed_unless_said_otherwise),
        cmocka_unit_test(overrides_reach_beams_and_clearances),
        cmocka_unit_test(what_is_written_reads_as_the_same_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
