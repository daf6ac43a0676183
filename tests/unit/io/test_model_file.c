// Model files as they should be: what each way of writing something becomes in the definitions.
#include <string.h>

#include "bristle/io.h"
#include "counting_allocator.h"
#include "model/build/builder.h"
#include "temp_file.h"

typedef struct read_model {
    br_model *model;
    br_builder *builder;
} read_model;

static read_model read_with(const char *text, const br_override *overrides, int count) {
    read_model m = {NULL, NULL};
    br_error error;
    memset(&error, 0, sizeof error);
    const br_status status = br_model_read_text(text, strlen(text), "some.yaml", overrides, count, NULL,
                                                &m.model, &m.builder, &error);
    if (status != BR_OK) fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    return m;
}

static read_model read_yaml(const char *text) {
    return read_with(text, NULL, 0);
}

static void release(read_model *m) {
    br_model_destroy(m->model);
    br_builder_destroy(m->builder);
}

#define ONE "mass: 1, inertia: [1, 1, 1]"

static void the_example_of_the_architecture_is_read(void **state) {
    (void)state;
    read_model m =
        read_yaml("format: 1\n"
                  "params: {mu: 0.3}\n"
                  "materials: {rubber: {}, floor: {}}\n"
                  "pairs:\n"
                  "  rubber/floor: {mu: $mu, bristle: {stiffness: 1e10 N/m, v_threshold: 0.01 m/s}}\n"
                  "bodies:\n"
                  "  wheel:\n"
                  "    mass: 1 kg\n"
                  "    inertia: [0.3, 0.6, 0.3]\n"
                  "    pose: {position: [0, 0, 0.469846310393], euler_zxy: [0, 20 deg, 0]}\n"
                  "    velocity: {linear: [6, 0, 0], euler_rates_zxy: [-2, 0, 0]}\n"
                  "    shapes: [{disk: {radius: 0.5 m, axis: y}, material: rubber}]\n"
                  "ground: [{plane: {normal: [0, 0, 1]}, material: floor}]\n"
                  "contact: {law: bristle}          # bristle | cone | box | polygon(8)\n"
                  "solver: {stepper: contact, step: 1 ms}\n"
                  "run: {until: 3 s}\n");
    const br_body_def *wheel = m.builder->body;
    assert_near(wheel->mass, 1.0, 0.0);
    assert_near(wheel->inertia.yy, 0.6, 0.0);
    assert_vec3_near(br_quat_log(wheel->pose.rotation), br_vec3_of(20.0 * BR_PI / 180.0, 0, 0), 1e-15);
    assert_vec3_near(wheel->angular_velocity, br_vec3_of(0, 0, -2), 1e-15);
    assert_vec3_near(wheel->velocity, br_vec3_of(6, 0, 0), 0.0);
    assert_int_equal(wheel->shapes[0].type, BR_SHAPE_DISK);
    assert_string_equal(wheel->shapes[0].material, "rubber");
    assert_vec3_near(wheel->shapes[0].axis, br_vec3_unit(1), 0.0);
    assert_int_equal(m.builder->ground[0].type, BR_SHAPE_PLANE);
    assert_near(m.builder->pair[0].mu_static, 0.3, 0.0);
    assert_near(m.builder->pair[0].mu_kinetic, 0.3, 0.0);
    assert_near(m.builder->pair[0].bristle_stiffness, 1e10, 0.0);
    assert_near(br_model_settings(m.model)->solver.step, 1e-3, 1e-18);
    assert_near(br_model_settings(m.model)->until, 3.0, 0.0);
    assert_string_equal(br_model_settings(m.model)->contact_law, "bristle");
    assert_string_equal(br_model_name(m.model), "some");
    release(&m);
}

static void json_is_yaml(void **state) {
    (void)state;
    read_model m =
        read_yaml("{\"format\": 1, \"bodies\": {\"rod\": {\"mass\": \"2 kg\", \"inertia\": [1, 1, 1]}}}");
    assert_near(m.builder->body[0].mass, 2.0, 0.0);
    release(&m);
}

static void a_name_may_be_no(void **state) {
    (void)state;
    read_model m = read_yaml("\xEF\xBB\xBF"
                             "format: 1\r\nname: no\r\nbodies:\r\n  yes: {" ONE "}\r\n  ö: {" ONE "}\r\n");
    assert_string_equal(br_model_name(m.model), "no");
    assert_string_equal(br_model_body_name(m.model, 0), "yes");
    release(&m);
}

// ----------------------------------------------------------------------------------------------------------- bodies

static void poses_may_be_given_in_another_body_in_any_order(void **state) {
    (void)state;
    read_model m =
        read_yaml("format: 1\nunits: {angle: deg}\nbodies:\n"
                  "  c: {" ONE ", pose: {in: b, position: [1, 0, 0]}}\n"
                  "  a: {" ONE ", pose: {position: [0, 0, 5], euler_xyz: [0, 0, 90]}}\n"
                  "  b: {" ONE ", pose: {in: a, position: [1, 0, 0], rotation_vector: [0, 0, 90 deg]}}\n"
                  "  d: {" ONE ", pose: {in: world, quaternion: [0.70710678, 0, 0, 0.70710678]}}\n");
    assert_vec3_near(m.builder->body[2].pose.position, br_vec3_of(0, 1, 5), 1e-15);
    assert_vec3_near(m.builder->body[0].pose.position, br_vec3_of(-1, 1, 5), 1e-15);
    assert_vec3_near(br_quat_rotate(m.builder->body[0].pose.rotation, br_vec3_unit(0)), br_vec3_of(-1, 0, 0),
                     1e-15);
    assert_near(br_quat_norm(m.builder->body[3].pose.rotation), 1.0, 1e-15);
    release(&m);
}

static void inertias_of_solids(void **state) {
    (void)state;
    read_model m = read_yaml("format: 1\nbodies:\n"
                             "  slender: {mass: 12, inertia: {slender: {length: 2 m, axis: x}}}\n"
                             "  box: {mass: 12, inertia: {box: {size: [1, 2, 3]}}}\n"
                             "  sphere: {mass: 5, inertia: {sphere: {radius: 1}}}\n"
                             "  cylinder: {mass: 12, inertia: {cylinder: {radius: 1, length: 2, axis: y}}}\n"
                             "  tube: {mass: 2, inertia: {tube: {radius: 2, inner_radius: 1, length: 3}}}\n"
                             "  full: {mass: 1, inertia: [3, 4, 5, 0.1, 0.2, 0.3]}\n"
                             "joints: {pin: {revolute: [world, slender], axis: y}}\n");
    const br_body_def *b = m.builder->body;
    assert_near(b[0].inertia.xx, 0.0, 1e-15);
    assert_near(b[0].inertia.yy, 4.0, 1e-15);
    assert_near(b[1].inertia.xx, 13.0, 1e-15);
    assert_near(b[1].inertia.zz, 5.0, 1e-15);
    assert_near(b[2].inertia.yy, 2.0, 1e-15);
    assert_near(b[3].inertia.yy, 6.0, 1e-15);
    assert_near(b[3].inertia.xx, 7.0, 1e-15);
    assert_near(b[4].inertia.zz, 5.0, 1e-15);
    assert_near(b[4].inertia.xx, 2.5 + 1.5, 1e-15);
    assert_near(b[5].inertia.yz, 0.3, 0.0);
    release(&m);
}

static void a_planar_inertia_is_one_number(void **state) {
    (void)state;
    read_model m =
        read_yaml("format: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies: {a: {mass: 1, inertia: 0.25}}\n");
    assert_near(m.builder->body[0].inertia.zz, 0.25, 0.0);
    assert_int_equal(br_model_nv(m.model), 3);
    release(&m);
}

// ----------------------------------------------------------------------------------------------------------- joints

#define TWO                                                                                                  \
    "format: 1\nbodies:\n"                                                                                   \
    "  a: {" ONE                                                                                             \
    ", pose: {position: [1, 0, 0], euler_zxy: [90 deg, 0, 0]}, frames: {tip: {position: [0, 0, 2], "         \
    "euler_xyz: [90 deg, 0, 0]}}}\n"                                                                         \
    "  b: {" ONE ", pose: {position: [0, 3, 0]}, frames: {hole: {position: [0, 0, 1]}}}\n"                   \
    "joints:\n"

static br_pose world_F(const read_model *m,
                       int joint) { // the first frame, in the world; the first body is the world or a
    const br_joint_def *j = m->builder->joint + joint;
    return strcmp(j->first, "a") == 0 ? br_pose_mul(m->builder->body[0].pose, j->X_AF) : j->X_AF;
}

static br_vec3 z_of(br_pose X) {
    return br_quat_rotate(X.rotation, br_vec3_unit(2));
}

static void joints_are_placed_where_it_is_said(void **state) {
    (void)state;
    read_model m = read_yaml(TWO "  ja: {revolute: [world, a], axis: {a: [1, 0, 0]}}\n"
                                 "  jb: {revolute: [a, b], axis: [0, 0, 2], at: [0, 1, 0]}\n");
    assert_vec3_near(world_F(&m, 0).position, br_vec3_of(1, 0, 0), 1e-15); // the second body's origin
    assert_vec3_near(z_of(world_F(&m, 0)), br_vec3_of(0, 1, 0), 1e-15);
    assert_vec3_near(world_F(&m, 1).position, br_vec3_of(0, 1, 0), 1e-15);
    assert_vec3_near(z_of(world_F(&m, 1)), br_vec3_of(0, 0, 1), 1e-15);
    assert_vec3_near(m.builder->joint[1].X_BM.position, br_vec3_of(0, -2, 0), 1e-15);
    release(&m);

    m = read_yaml(TWO "  ja: {revolute: [world, a], axis: x, at: {a: [0, 0, 2]}}\n"
                      "  jb: {spherical: [a, b], at: {a: [0, 0, 1], b: [7, 0, 0]}}\n");
    assert_vec3_near(world_F(&m, 0).position, br_vec3_of(1, 0, 2), 1e-15);
    assert_vec3_near(m.builder->joint[1].X_AF.position, br_vec3_of(0, 0, 1), 0.0);
    assert_vec3_near(m.builder->joint[1].X_BM.position, br_vec3_of(7, 0, 0), 0.0);
    release(&m);

    m = read_yaml(TWO "  ja: {revolute: [world, a], at: a.tip}\n"
                      "  jb: {spherical: [a, b], at: [a.tip, b.hole]}\n");
    assert_vec3_near(world_F(&m, 0).position, br_vec3_of(1, 0, 2), 1e-15);
    assert_vec3_near(z_of(world_F(&m, 0)), br_vec3_of(1, 0, 0),
                     1e-15); // tip's z is -y of a, which is x of the world
    assert_vec3_near(m.builder->joint[1].X_BM.position, br_vec3_of(0, 0, 1), 0.0);
    assert_near(m.builder->joint[1].X_BM.rotation.w, 1.0, 0.0);
    release(&m);

    m = read_yaml(TWO "  ja: {universal: [world, a], axis: z, axis_2: [1, 0, 0]}\n"
                      "  jb: {universal: [a, b], axes: [[0, 0, 1], [0, 1, 0]]}\n");
    assert_vec3_near(br_quat_rotate(world_F(&m, 0).rotation, br_vec3_unit(0)), br_vec3_unit(0), 1e-15);
    assert_vec3_near(br_quat_rotate(world_F(&m, 1).rotation, br_vec3_unit(0)), br_vec3_unit(1), 1e-15);
    release(&m);
}

static void joints_have_numbers_for_each_coordinate(void **state) {
    (void)state;
    read_model m =
        read_yaml(TWO "  ja: {cylindrical: [world, a], axis: z, limits: [[-1 cm, inf], [-90 deg, 1]], "
                      "damping: [2 N s/m, 3], position: [5 mm, 30 deg], velocity: [1, 2]}\n"
                      "  jb: {screw: [a, b], axis: z, lead: 2 mm, limits: [-1, 1], spring: {stiffness: 5, "
                      "rest: 10 deg}, armature: 0.5, damping: 1}\n");
    const br_joint_def *j = m.builder->joint;
    assert_near(j[0].lower[0], -0.01, 1e-17);
    assert_true(j[0].upper[0] == INFINITY);
    assert_near(j[0].lower[1], -0.5 * BR_PI, 1e-15);
    assert_near(j[0].damping[0], 2.0, 0.0);
    assert_near(j[0].damping[1], 3.0, 0.0);
    assert_true(j[0].has_position && j[0].has_velocity);
    assert_near(j[0].position[0], 0.005, 1e-17);
    assert_near(j[0].position[1], BR_PI / 6.0, 1e-15);
    assert_near(j[0].velocity[1], 2.0, 0.0);
    assert_near(j[1].pitch, 0.002, 1e-17);
    assert_near(j[1].stiffness[0], 5.0, 0.0);
    assert_near(j[1].rest[0], BR_PI / 18.0, 1e-15);
    assert_near(j[1].armature[0], 0.5, 0.0);
    release(&m);
    m = read_yaml(TWO "  ja: {spherical: [world, a], damping: 2, position: [0, 1, 0, 0]}\n");
    assert_near(m.builder->joint[0].damping[2], 2.0, 0.0);
    assert_near(m.builder->joint[0].position[1], 1.0, 0.0);
    release(&m);
}

static void degrees_are_taken_where_units_say_so(void **state) {
    (void)state;
    read_model m =
        read_yaml("format: 1\nunits: {angle: deg}\nbodies: {a: {" ONE "}}\njoints:\n"
                  "  j: {revolute: [world, a], axis: z, limits: [-90, 90], position: 30, velocity: 180}\n");
    assert_near(m.builder->joint[0].lower[0], -0.5 * BR_PI, 1e-15);
    assert_near(m.builder->joint[0].position[0], BR_PI / 6.0, 1e-15);
    assert_near(m.builder->joint[0].velocity[0], BR_PI, 1e-15);
    release(&m);
}

static void friction_takes_the_words_of_adams(void **state) {
    (void)state;
    read_model m = read_yaml(
        TWO
        "  ja:\n    prismatic: [world, a]\n    axis: [0, 1, 0]\n"
        "    friction: {law: lugre, mu_static: 0.5, mu_kinetic: 0.3, sigma_0: 1e5 1/m, sigma_1: 300 s/m, "
        "v_stribeck: "
        "1 mm/s, load: reaction, shape: tanh}\n"
        "  jb:\n    revolute: [a, b]\n    axis: x\n"
        "    friction: {law: coulomb, MU_STATIC: 0.4, MU_DYNAMIC: 0.2, PIN_RADIUS: 1 cm, FRICTION_ARM: 2 cm, "
        "FRICTION_FORCE_PRELOAD: 5 N, load: {constant: 10 N}}\n");
    const br_friction_def *a = &m.builder->joint[0].friction, *b = &m.builder->joint[1].friction;
    assert_int_equal(a->law, BR_FRICTION_LUGRE);
    assert_near(a->sigma_0, 1e5, 0.0);
    assert_near(a->v_stribeck, 1e-3, 1e-18);
    assert_int_equal(a->load_constant, 0);
    assert_string_equal(a->shape, "tanh");
    assert_int_equal(b->law, BR_FRICTION_COULOMB);
    assert_near(b->mu_static, 0.4, 0.0);
    assert_near(b->mu_kinetic, 0.2, 0.0);
    assert_near(b->pin_radius, 0.01, 1e-17);
    assert_near(b->friction_arm, 0.02, 1e-17);
    assert_near(b->preload, 5.0, 0.0);
    assert_int_equal(b->load_constant, 1);
    assert_near(b->load, 10.0, 0.0);
    release(&m);
}

// --------------------------------------------------------------------------------- loads, drives and constraints

static void loads_in_all_their_forms(void **state) {
    (void)state;
    read_model m = read_yaml(
        TWO "  ja: {revolute: [world, a], axis: z}\n"
            "loads:\n"
            "  push: {body: a, force: [1 kN, \"2*max(t, 1)\", {table: [[0, 0], [1 s, 5 N]], interpolation: "
            "smooth}], "
            "at: [1, 2, 3], axes: body}\n"
            "  turn: {body: b, torque: [0, 0, 3 N m]}\n"
            "  pull: {spring: [a, b], at: {a: [0, 0, 1]}, stiffness: 100 N/m, damping: 2, length: 10 cm}\n"
            "  rest: {spring: [world, b], stiffness: 1}\n"
            "  soft: {bushing: [world, b], stiffness: {translation: [1, 2, 3], rotation: [4, 5, 6]}, "
            "damping: [1, 1, 1, 2, 2, 2]}\n");
    const br_load_def *l = m.builder->load;
    assert_near(l[0].component[0].constant, 1000.0, 0.0);
    assert_int_equal(l[0].component[1].kind, BR_FUNCTION_EXPRESSION);
    assert_int_equal(l[0].component[2].kind, BR_FUNCTION_SMOOTH);
    assert_int_equal(l[0].component[2].count, 2);
    assert_near(l[0].component[2].values[1], 5.0, 0.0);
    assert_vec3_near(l[0].X_A.position, br_vec3_of(1, 2, 3), 0.0);
    assert_int_equal(l[0].in_body_axes, 1);
    assert_int_equal(l[1].type, BR_LOAD_TORQUE);
    assert_near(l[1].component[2].constant, 3.0, 0.0);
    assert_vec3_near(l[2].X_A.position, br_vec3_of(0, 0, 1), 0.0);
    assert_near(l[2].length, 0.1, 1e-17);
    assert_true(l[3].length < 0.0); // the distance at the start
    assert_near(l[4].stiffness[4], 5.0, 0.0);
    assert_near(l[4].damping[3], 2.0, 0.0);
    assert_vec3_near(l[4].X_A.position, br_vec3_of(0, 3, 0), 1e-15);
    assert_vec3_near(l[4].X_B.position, br_vec3_zero(), 1e-15);
    release(&m);
}

static void drives_and_constraints(void **state) {
    (void)state;
    read_model m =
        read_yaml(TWO "  ja: {revolute: [world, a], axis: z}\n  jb: {prismatic: [world, b], axis: x}\n"
                      "drives:\n"
                      "  motor: {joint: ja, velocity: 3000 rpm, max_torque: 5 N m}\n"
                      "  press: {joint: jb, servo: {position: 5 mm, stiffness: 1 kN/m, damping: 3}, "
                      "max_force: 1 kN}\n"
                      "constraints:\n"
                      "  link: {terms: [{joint: ja}, {joint: jb, coefficient: -2}], value: 0}\n"
                      "  blade: {terms: [{body: b, at: [1, 0, 0], direction: y, axes: world}]}\n");
    assert_int_equal(m.builder->drive[0].type, BR_DRIVE_VELOCITY);
    assert_near(m.builder->drive[0].target.constant, 100.0 * BR_PI, 1e-12);
    assert_near(m.builder->drive[0].max_effort, 5.0, 0.0);
    assert_int_equal(m.builder->drive[1].type, BR_DRIVE_SERVO);
    assert_near(m.builder->drive[1].stiffness, 1000.0, 0.0);
    assert_near(m.builder->constraint[0].terms[0].coefficient.constant, 1.0, 0.0);
    assert_near(m.builder->constraint[0].terms[1].coefficient.constant, -2.0, 0.0);
    assert_int_equal(m.builder->constraint[1].terms[0].in_world_axes, 1);
    release(&m);
}

// --------------------------------------------------------------------------------------------- settings, overrides

static void settings_of_steppers_not_selected_are_kept(void **state) {
    (void)state;
    read_model m =
        read_yaml("format: 1\nname: x\nbodies: {a: {" ONE "}}\ncoordinates: absolute\n"
                  "contact: {law: polygon(8), bounds: iterated(3)}\n"
                  "solver: {stepper: reference, theta: 0.5, rho_infinity: 0.6, scheme: energy_decaying, "
                  "position_update: old, redundancy: pseudoinverse, max_iterations: 50, tol: 1e-8}\n"
                  "run: {until: 2 min, output: 10 ms}\noutputs: [a.position.x, energy.total]\n");
    const br_settings *s = br_model_settings(m.model);
    assert_int_equal(s->coordinates, BR_ABSOLUTE);
    assert_int_equal(s->solver.stepper, BR_STEPPER_REFERENCE);
    assert_near(s->solver.rho_infinity, 0.6, 0.0);
    assert_int_equal(s->solver.energy_decaying, 1);
    assert_int_equal(s->solver.position_old, 1);
    assert_int_equal(s->solver.rotation_euler, 0);
    assert_int_equal(s->contact_paper, 0);
    assert_string_equal(s->contact_law, "polygon(8)");
    assert_string_equal(s->contact_bounds, "iterated(3)");
    assert_string_equal(s->solver.redundancy, "pseudoinverse");
    assert_near(s->until, 120.0, 0.0);
    assert_int_equal(s->output_count, 2);
    assert_string_equal(s->outputs[1], "energy.total");
    release(&m);
}

static void the_paper_preset_sets_what_the_paper_prints(void **state) {
    (void)state;
    read_model m = read_yaml("format: 1\nbodies: {a: {" ONE "}}\ncontact: {paper: true}\n");
    const br_settings *s = br_model_settings(m.model);
    assert_int_equal(s->contact_paper, 1);
    assert_string_equal(s->contact_bounds, "lagged");
    assert_int_equal(s->solver.position_old, 1);
    assert_int_equal(s->solver.rotation_euler, 1);
    release(&m);
    // The rotation has no influence on the equations, so another one may be chosen.
    m = read_yaml("format: 1\nbodies: {a: {" ONE "}}\ncontact: {paper: true, bounds: lagged}\n"
                  "solver: {position_update: old, rotation: quaternion}\n");
    assert_int_equal(br_model_settings(m.model)->solver.rotation_euler, 0);
    release(&m);
}

static void arguments_of_laws_are_quantities(void **state) {
    (void)state;
    read_model m = read_yaml("format: 1\nparams: {n: 6, v: 2 mm/s}\nbodies: {a: {" ONE "}}\n"
                             "contact: {law: polygon(2*$n), bounds: iterated($n)}\n");
    assert_string_equal(br_model_settings(m.model)->contact_law, "polygon(12)");
    assert_string_equal(br_model_settings(m.model)->contact_bounds, "iterated(6)");
    release(&m);
    m = read_yaml("format: 1\nparams: {v: 2 mm/s}\nbodies: {a: {" ONE "}}\ncontact: {law: viscous($v)}\n");
    assert_string_equal(br_model_settings(m.model)->contact_law, "viscous(0.002)");
    release(&m);
}

static void shapes_and_pairs_in_all_their_forms(void **state) {
    (void)state;
    read_model m = read_yaml(
        "format: 1\nmaterials: {a: {}, b: {}}\npairs:\n"
        "  a/b: {mu: 0.5, restitution: 0.4, restitution_law: poisson, compliance: {law: linear, stiffness: 2 "
        "kN/m}}\n"
        "  b/b: {mu_static: 0.5, mu_kinetic: 0.4, rolling: 1 mm, torsion: 2 mm, compliance: {law: hertz, "
        "stiffness: 1e9}}\n"
        "  a/a: {mu: 0, compliance: {law: hunt_crossley, stiffness: 1e9, damping: 0.3, exponent: 2}}\n"
        "bodies:\n  x:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n"
        "      - {convex: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 20 cm]]}, material: a, category: "
        "2}\n"
        "      - {sphere: {radius: 1}, name: ball, material: b, category: 4, mask: 3}\n"
        "ground:\n  - {heightfield: {spacing: [10 cm, 0.2], heights: [[0, 1, 2], [3, 4, 5 mm]]}, material: "
        "a}\n"
        "contact: {exclude: [[x, world]]}\n");
    const br_builder *b = m.builder;
    assert_int_equal(b->pair[0].restitution_poisson, 1);
    assert_near(b->pair[0].compliance_stiffness, 2000.0, 0.0);
    assert_near(b->pair[0].compliance_exponent, 1.0, 0.0);
    assert_near(b->pair[1].compliance_exponent, 1.5, 0.0);
    assert_near(b->pair[1].rolling, 0.001, 0.0);
    assert_near(b->pair[1].torsion, 0.002, 0.0);
    assert_near(b->pair[2].compliance_exponent, 2.0, 0.0);
    const br_shape_def *shape = b->body[0].shapes;
    assert_int_equal(shape[0].point_count, 4);
    assert_near(shape[0].points[3].z, 0.2, 0.0);
    assert_true(shape[0].category == 2 && shape[0].mask == 1); // a mask of its own default
    assert_true(shape[1].category == 4 && shape[1].mask == 3);
    assert_int_equal(b->ground[0].columns, 3);
    assert_int_equal(b->ground[0].rows, 2);
    assert_near(b->ground[0].spacing.x, 0.1, 1e-17);
    assert_near(b->ground[0].heights[3], 3.0, 0.0);
    assert_near(b->ground[0].heights[5], 0.005, 0.0);
    assert_int_equal(b->settings.contact_exclude_count, 1);
    assert_string_equal(b->settings.contact_exclude[0][1], "world");
    release(&m);
}

static void overrides_change_parameters_and_keys(void **state) {
    (void)state;
    const br_override set[] = {
        {"m", "2.5 kg"},       {"solver.step", "2 ms"},        {"coordinates", "absolute"},
        {"run.until", "3 s"},  {"gravity", "[0, 0, -1]"},      {"bodies.rod.com", "[0, 0, $l]"},
        {"params.l", "40 cm"}, {"bodies.rod.inertia.0", "0.7"}};
    read_model m = read_with(
        "format: 1\nparams: {m: 1 kg, l: 1}\nbodies:\n  rod: {mass: $m, inertia: [1, 1, 1]}\nsolver:\n", set,
        8);
    assert_near(m.builder->body[0].mass, 2.5, 0.0);
    assert_near(m.builder->body[0].com.z, 0.4, 1e-17);
    assert_near(m.builder->body[0].inertia.xx, 0.7, 0.0);
    assert_near(br_model_settings(m.model)->solver.step, 2e-3, 1e-18);
    assert_near(br_model_settings(m.model)->until, 3.0, 0.0);
    assert_near(br_model_settings(m.model)->gravity.z, -1.0, 0.0);
    assert_int_equal(br_model_settings(m.model)->coordinates, BR_ABSOLUTE);
    release(&m);
}

// -------------------------------------------------------------------------------------------------------- the file

static void a_file_gives_the_model_its_name(void **state) {
    (void)state;
    br_model *model = NULL;
    br_error error;
    const char *path = temp_write("my.pendulum.yaml", "format: 1\nbodies: {a: {" ONE "}}\n");
    assert_int_equal(br_model_read(path, NULL, 0, NULL, &model, NULL, &error), BR_OK);
    assert_string_equal(br_model_name(model), "my.pendulum");
    br_model_destroy(model);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const char text[] = TWO "  ja: {revolute: [world, a], at: a.tip}\nparams: {m: 1}\n"
                                   "loads: {push: {body: a, force: [1, {table: [[0, 0], [1, 1]]}, 0]}}\n"
                                   "outputs: [a.position.x]\n";
    const br_override set[] = {{"m", "2"}, {"run.until", "3"}};
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_model *model = NULL;
        br_error error;
        const br_status status =
            br_model_read_text(text, sizeof text - 1, "x.yaml", set, 2, &allocator, &model, NULL, &error);
        if (status == BR_OK) br_model_destroy(model);
        assert_int_equal(counter.live, 0);
        if (counter.failed == 0) {
            assert_int_equal(status, BR_OK);
            break;
        }
        assert_int_equal(status, BR_NO_MEMORY);
        assert_null(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_architecture_is_read),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(a_name_may_be_no),
        cmocka_unit_test(poses_may_be_given_in_another_body_in_any_order),
        cmocka_unit_test(inertias_of_solids),
        cmocka_unit_test(a_planar_inertia_is_one_number),
        cmocka_unit_test(joints_are_placed_where_it_is_said),
        cmocka_unit_test(joints_have_numbers_for_each_coordinate),
        cmocka_unit_test(degrees_are_taken_where_units_say_so),
        cmocka_unit_test(friction_takes_the_words_of_adams),
        cmocka_unit_test(loads_in_all_their_forms),
        cmocka_unit_test(drives_and_constraints),
        cmocka_unit_test(settings_of_steppers_not_selected_are_kept),
        cmocka_unit_test(the_paper_preset_sets_what_the_paper_prints),
        cmocka_unit_test(arguments_of_laws_are_quantities),
        cmocka_unit_test(shapes_and_pairs_in_all_their_forms),
        cmocka_unit_test(overrides_change_parameters_and_keys),
        cmocka_unit_test(a_file_gives_the_model_its_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
