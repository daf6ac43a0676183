// What becomes of a URDF file: the motion of every kind of joint against MuJoCo (tests/data/urdf), and, feature by
// feature, roots, mimicked joints, shapes, friction, notes.
#include <string.h>
#include <sys/stat.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "model/compile/touch.h"
#include "model/model.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define DATA BRISTLE_SOURCE_DIR "/tests/data/urdf/"

#define INERTIAL                                                                                             \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name, more) "<link name='" name "'>" INERTIAL more "</link>\n"
#define JOINT(name, type, parent, child, more)                                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more       \
    "</joint>\n"
#define ROBOT(inside) "<robot name='test'>\n" inside "</robot>\n"

typedef struct robot {
    br_builder *builder;
    br_import_report *report;
    br_model *model;
} robot;

static robot read_robot(const char *path, const br_import_options *options) {
    br_error error = {0};
    robot r = {0};
    br_status status = br_urdf_read(path, options, NULL, &r.builder, &r.report, &error);
    if (status == BR_OK) status = br_model_create(r.builder, &r.model, &error);
    if (status != BR_OK) fail_msg("%s:%d: %s: %s", error.file, error.line, error.code, error.message);
    return r;
}

static robot read_text(const char *text, const br_import_options *options) {
    return read_robot(temp_write("robot.urdf", text), options);
}

static void free_robot(robot *r) {
    br_model_destroy(r->model);
    br_builder_destroy(r->builder);
    br_import_report_free(r->report);
}

static const br_import_note *find_note(const robot *r, const char *element, const char *attribute,
                                       const char *says) {
    for (int k = 0; k < br_import_report_count(r->report); k++) {
        const br_import_note *n = br_import_report_note(r->report, k);
        if (strcmp(n->element, element) == 0 && strcmp(n->attribute, attribute) == 0 && strstr(n->why, says))
            return n;
    }
    return NULL;
}

static const br_model_joint *joint_of(const robot *r, const char *name) {
    const int k = br_model_joint_find(r->model, name);
    if (k < 0) fail_msg("there is no joint %s", name);
    return &r->model->joint[k];
}

// ------------------------------------------------------------------------------------------------ against MuJoCo

#define TOLERANCE                                                                                            \
    1e-9 // of the largest entry of each quantity; 5e-15 is seen, so this leaves room for other compilers only

enum { MOST = 1024 };

// The numbers of the first list of that name at or after `from`.
static int numbers(const char *from, const char *key, double *out) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\":[", key);
    const char *p = strstr(from, quoted);
    assert_non_null(p);
    int n = 0;
    for (p += strlen(quoted); *p != ']' && n < MOST; n++) {
        char *end;
        out[n] = strtod(p, &end);
        assert_true(end > p);
        p = end + (*end == ',');
    }
    return n;
}

static void compare(const char *state, const char *key, const double *found, int count) {
    double expected[MOST], scale = 0.0;
    assert_int_equal(numbers(state, key, expected), count);
    for (int k = 0; k < count; k++) scale = fmax(scale, fabs(expected[k]));
    for (int k = 0; k < count; k++)
        if (!(fabs(found[k] - expected[k]) <= TOLERANCE * scale))
            fail_msg("%s, entry %d: %.17g, expected %.17g", key, k, found[k], expected[k]);
}

static void compare_state(br_sim *sim, const br_model *model, const char *state) {
    double q[MOST], v[MOST], vdot[MOST], out[MOST], angular[MOST];
    const int nv = br_model_nv(model), bodies = br_model_body_count(model);
    br_error error = {0};
    assert_int_equal(numbers(state, "qpos", q), br_model_nq(model));
    assert_int_equal(numbers(state, "qvel", v), nv);
    assert_int_equal(numbers(state, "qacc", vdot), nv);
    if (br_sim_set_state(sim, 0.0, q, v, &error) != BR_OK) fail_msg("%s", error.message);
    br_sim_mass_matrix(sim, out);
    compare(state, "M", out, nv * nv);
    br_sim_bias(sim, out);
    compare(state, "bias", out, nv);
    br_sim_inverse_dynamics(sim, vdot, out);
    compare(state, "tau_id", out, nv);
    br_sim_jacobian(sim, br_model_body_find(model, "blade"), br_vec3_zero(), out, angular);
    compare(state, "jacp", out, 3 * nv);
    compare(state, "jacr", angular, 3 * nv);
    out[0] = out[1] = out[2] = 0.0; // the world
    for (int k = 0; k < bodies; k++) {
        const br_vec3 p = br_sim_body_pose(sim, k).position;
        out[3 * k + 3] = p.x, out[3 * k + 4] = p.y, out[3 * k + 5] = p.z;
    }
    compare(state, "xpos", out, 3 * (bodies + 1));
}

static void compare_model(const br_model *model) {
    br_error error = {0};
    br_sim *sim = NULL;
    char *oracle = temp_read(DATA "oracle.json");
    assert_non_null(oracle);
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) fail_msg("%s", error.message);
    int states = 0;
    for (const char *p = oracle; (p = strstr(p, "{\"qpos\":")); p++, states++) compare_state(sim, model, p);
    assert_int_equal(states, 5);
    br_sim_destroy(sim);
    free(oracle);
}

static void every_kind_of_joint_agrees_with_mujoco(void **state) {
    (void)state;
    robot r = read_robot(DATA "everything.urdf", NULL);
    assert_int_equal(br_model_nq(r.model), 14);
    assert_int_equal(br_model_nv(r.model), 13);
    compare_model(r.model);
    free_robot(&r);
}

static void a_converted_robot_is_the_same(void **state) {
    (void)state;
    br_error error = {0};
    br_model *model = NULL;
    robot r = read_robot(DATA "everything.urdf", NULL);
    const char *path = temp_path("written.yaml");
    if (br_model_write_yaml(r.builder, "a test", path, &error) != BR_OK) fail_msg("%s", error.message);
    if (br_model_read(path, NULL, 0, NULL, &model, NULL, &error) != BR_OK) fail_msg("%s", error.message);
    compare_model(model);
    assert_int_equal(br_model_joint_count(model), br_model_joint_count(r.model));
    assert_int_equal(br_model_shape_count(model), br_model_shape_count(r.model));
    br_model_destroy(model);
    free_robot(&r);
}

// q and bodies in the order of a walk through the tree, children in the order of their joints in the file.
static void bodies_come_in_the_order_of_the_tree(void **state) {
    (void)state;
    static const char *const order[] = {"base", "stand", "upper", "fore", "rod",
                                        "tip",  "cart",  "drone", "blade"};
    robot r = read_robot(DATA "everything.urdf", NULL);
    assert_int_equal(br_model_body_count(r.model), 9);
    for (int k = 0; k < 9; k++) assert_string_equal(br_model_body_name(r.model, k), order[k]);
    assert_int_equal(joint_of(&r, "shoulder")->q_at, 0);
    assert_int_equal(joint_of(&r, "slide")->q_at, 2);
    assert_int_equal(joint_of(&r, "trolley")->q_at, 3);
    assert_int_equal(joint_of(&r, "flight")->q_at, 6);
    assert_int_equal(joint_of(&r, "rotor")->q_at, 13);
    free_robot(&r);
}

static void values_of_joints_are_kept(void **state) {
    (void)state;
    robot r = read_robot(DATA "everything.urdf", NULL);
    const br_model_joint *shoulder = joint_of(&r, "shoulder"), *elbow = joint_of(&r, "elbow");
    const br_friction_def *slide = joint_of(&r, "slide")->friction;
    assert_true(shoulder->lower[0] == -2.0 && shoulder->upper[0] == 2.5 && shoulder->damping[0] == 0.4);
    assert_true(shoulder->friction->load_constant && shoulder->friction->load == 0.2);
    assert_true(elbow->lower[0] == -INFINITY && elbow->upper[0] == INFINITY && elbow->damping[0] == 0.1);
    assert_null(elbow->friction);
    assert_true(slide->law == BR_FRICTION_COULOMB && slide->mu_static == 1.0 && slide->load == 1.5);
    assert_int_equal(br_import_report_note(r.report, 0)->effect, BR_IMPORT_NUMERICS); // nothing that moves
    free_robot(&r);
}

// ----------------------------------------------------------------------------------------------------- the root

static void the_root_is_fixed_free_or_the_world(void **state) {
    (void)state;
    const char *text = ROBOT(LINK("a", "") LINK("b", "") JOINT("j", "continuous", "a", "b", ""));
    const br_import_options free_base = {.free_base = 1};
    robot r = read_text(text, NULL);
    assert_int_equal(joint_of(&r, "a_weld")->type, BR_JOINT_WELD);
    assert_int_equal(br_model_nv(r.model), 1);
    free_robot(&r);
    r = read_text(text, &free_base);
    assert_int_equal(joint_of(&r, "a.free")->type, BR_JOINT_FREE);
    assert_int_equal(br_model_nv(r.model), 7);
    free_robot(&r);
    text = ROBOT(
        "<link name='world'><collision><geometry><box size='1 1 1'/></geometry></collision></link>" LINK(
            "b", "") JOINT("j", "floating", "world", "b", "<origin xyz='0 0 2'/>"));
    r = read_text(text, &free_base);
    assert_int_equal(br_model_body_count(r.model), 1);
    assert_int_equal(br_model_shape_body(r.model, 0), -1);
    assert_int_equal(br_model_nv(r.model), 6);
    assert_non_null(find_note(&r, "link", "", "stays fixed"));
    free_robot(&r);
}

// A frame without mass: fixed it may stay, moving it may carry what has mass.
static void links_without_mass_may_be_frames(void **state) {
    (void)state;
    robot r = read_text(ROBOT("<link name='base'/>" LINK("arm", "") "<link name='tool'/>" JOINT(
                            "j", "continuous", "base", "arm", "") JOINT("k", "fixed", "arm", "tool", "")),
                        NULL);
    assert_int_equal(br_model_body_count(r.model), 3);
    free_robot(&r);
}

static void names_are_made_fit(void **state) {
    (void)state;
    robot r =
        read_text(ROBOT(LINK("a.b", "") LINK("a/b", "") JOINT("j 1", "continuous", "a.b", "a/b", "")), NULL);
    assert_string_equal(br_model_body_name(r.model, 0), "a_b");
    assert_string_equal(br_model_body_name(r.model, 1), "a_b_2");
    assert_true(br_model_joint_find(r.model, "j_1") >= 0);
    assert_non_null(find_note(&r, "link", "name", "'a/b' is called 'a_b_2' here"));
    free_robot(&r);
}

// --------------------------------------------------------------------------------------------------- mimic, start

#define FINGERS(mimic)                                                                                       \
    ROBOT("<link name='palm'/>" LINK("f1", "") LINK("f2", "") LINK("f3", "")                                 \
              JOINT("j1", "revolute", "palm", "f1", "<axis xyz='1 0 0'/><limit lower='0.25' upper='9'/>")    \
                  JOINT("j2", "prismatic", "palm", "f2",                                                     \
                        "<axis xyz='0 0 1'/><limit lower='-9' upper='9'/>" mimic)                            \
                      JOINT("j3", "continuous", "f1", "f3",                                                  \
                            "<axis xyz='1 0 0'/><mimic joint='j2' multiplier='2'/>"))

// q_2 = 0.3 - 0.5 q_1 and q_3 = 2 q_2, at the start and while the weight of f2 pulls the three along.
static void mimicked_joints_are_followed(void **state) {
    (void)state;
    br_error error = {0};
    br_sim *sim = NULL;
    robot r = read_text(FINGERS("<mimic joint='j1' multiplier='-0.5' offset='0.3'/>"), NULL);
    assert_int_equal(joint_of(&r, "j2_mimic")->type, BR_JOINT_GEAR);
    if (br_sim_create(r.model, NULL, &sim, &error) != BR_OK) fail_msg("%s", error.message);
    double q[3];
    const double start[3] = {0.25, 0.175, 0.35}; // j1 at the limit nearest to 0
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            br_sim_joint_position(sim, br_model_joint_find(r.model, ((const char *[]){"j1", "j2", "j3"})[i]),
                                  &q[i]);
        assert_near(q[1], 0.3 - 0.5 * q[0], 1e-9); // positions are corrected in each step to rounding
        assert_near(q[2], 2.0 * q[1], 1e-9);
        for (int i = 0; i < 3 && k == 0; i++) assert_near(q[i], start[i], 1e-15);
        if (br_sim_advance(sim, 0.3, &error) != BR_OK) fail_msg("%s", error.message);
    }
    assert_true(q[1] < 0.17); // it fell
    br_sim_destroy(sim);
    free_robot(&r);
}

// j1 within 0.25 .. 9 keeps j2 within -4.2 .. 0.175 by the first relation, within 0.5 .. 18 by the second.
static void limits_that_follow_from_the_leader_are_left_to_it(void **state) {
    (void)state;
    robot r = read_text(FINGERS("<mimic joint='j1' multiplier='-0.5' offset='0.3'/>"), NULL);
    assert_true(joint_of(&r, "j2")->lower[0] == -INFINITY && joint_of(&r, "j2")->upper[0] == INFINITY);
    assert_non_null(find_note(&r, "joint", "", "the limits of 'j2' follow from those of 'j1'"));
    free_robot(&r);
    r = read_text(FINGERS("<mimic joint='j1' multiplier='2'/>"), NULL);
    assert_true(joint_of(&r, "j2")->lower[0] == -9.0 && joint_of(&r, "j2")->upper[0] == 9.0);
    assert_null(find_note(&r, "joint", "", "follow from"));
    free_robot(&r);
}

static void a_multiplier_of_zero_holds_the_joint(void **state) {
    (void)state;
    robot r = read_text(FINGERS("<mimic joint='j1' multiplier='0' offset='0.3'/>"), NULL);
    assert_int_equal(r.model->drives, 1);
    assert_int_equal(r.model->drive[0].type, BR_DRIVE_POSITION);
    assert_near(r.model->q_start[joint_of(&r, "j2")->q_at], 0.3, 0.0);
    assert_non_null(find_note(&r, "joint", "", "'j1' starts at its limit 0.25"));
    free_robot(&r);
}

// ------------------------------------------------------------------------------------------------------- inertia

// Principal moments 1, 1, 5 have 3 too much; the nearest tensor of a body has 2, 2, 4.
static void impossible_tensors_are_replaced_and_said(void **state) {
    (void)state;
    const char *text = ROBOT("<link name='b'/><link name='a'><inertial><mass value='2'/>\n"
                             "<inertia ixx='1' iyy='5' izz='1'/></inertial></link>" JOINT(
                                 "j", "continuous", "b", "a", "<axis xyz='0 1 0'/>"));
    br_error error = {0};
    br_sim *sim = NULL;
    double M = 0.0;
    robot r = read_text(text, NULL);
    const br_import_note *note = find_note(&r, "inertia", "", "taken as 2, 2, 4");
    assert_non_null(note);
    assert_int_equal(note->line, 3);
    assert_int_equal(note->effect, BR_IMPORT_MOTION);
    if (br_sim_create(r.model, NULL, &sim, &error) != BR_OK) fail_msg("%s", error.message);
    br_sim_mass_matrix(sim, &M);
    assert_near(M, 4.0, 1e-14);
    br_sim_destroy(sim);
    free_robot(&r);
}

// -------------------------------------------------------------------------------------------------------- shapes

#define SHAPE(kind) "<collision><origin xyz='1 2 3'/><geometry>" kind "</geometry></collision>"

static void shapes_are_read(void **state) {
    (void)state;
    robot r = read_text(
        ROBOT(LINK("a", SHAPE("<box size='1 2 3'/>") SHAPE("<sphere radius='0.5'/>")
                            SHAPE("<cylinder radius='0.1' length='2'/>")
                                SHAPE("<capsule radius='0.2' length='1'/>") SHAPE("<box size='0 1 1'/>"))),
        NULL);
    const br_model_shape *shape = r.model->contact->shape;
    assert_int_equal(br_model_shape_count(r.model), 4);
    assert_int_equal(shape[0].def.type, BR_SHAPE_BOX);
    assert_vec3_near(shape[0].def.size, br_vec3_of(1.0, 2.0, 3.0), 0.0);
    assert_vec3_near(shape[0].def.pose.position, br_vec3_of(1.0, 2.0, 3.0), 0.0);
    assert_int_equal(shape[1].def.type, BR_SHAPE_SPHERE);
    assert_near(shape[1].def.size.x, 0.5, 0.0);
    assert_int_equal(shape[2].def.type, BR_SHAPE_CYLINDER);
    assert_near(shape[2].def.length, 2.0, 0.0);
    assert_int_equal(shape[3].def.type, BR_SHAPE_CAPSULE);
    assert_non_null(find_note(&r, "box", "", "size 0"));
    assert_non_null(find_note(&r, "collision", "", "friction coefficient is 1"));
    free_robot(&r);
}

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";

// The mesh lies beside the model, is found by its package's name, and is scaled.
static void meshes_beside_the_model_are_read(void **state) {
    (void)state;
    temp_write("part.obj", tetrahedron);
    robot r = read_text(
        ROBOT(LINK("a", SHAPE("<mesh filename='package://my_robot/part.obj' scale='2 3 -4'/>")
                            SHAPE("<mesh filename='part.obj'/>") SHAPE("<mesh filename='meshes/none.stl'/>")
                                SHAPE("<mesh filename='../part.obj'/>") SHAPE("<mesh filename='part.ply'/>")
                                    SHAPE("<mesh filename='part.obj' scale='2 3 -4'/>"))),
        NULL);
    assert_int_equal(br_model_shape_count(r.model), 3);
    const br_shape_def *def = &r.model->contact->shape[0].def;
    assert_int_equal(def->type, BR_SHAPE_CONVEX);
    assert_int_equal(def->point_count, 4);
    br_vec3 sum = br_vec3_zero();
    for (int k = 0; k < 4; k++) sum = br_vec3_add(sum, def->points[k]);
    assert_vec3_near(sum, br_vec3_of(2.0, 3.0, -4.0), 0.0);
    assert_memory_equal(r.model->contact->shape[2].def.points, def->points, 4 * sizeof *def->points);
    assert_near(r.model->contact->shape[1].def.points[3].x, 1.0, 0.0); // sorted
    assert_non_null(find_note(&r, "mesh", "filename", "a file of 'meshes' is not in the model's folder"));
    assert_non_null(find_note(&r, "mesh", "filename", "a file of '..' is not in the model's folder"));
    assert_non_null(find_note(&r, "mesh", "filename", "STL, OBJ and DAE files, not from .ply"));
    free_robot(&r);
    remove(temp_path("part.obj"));
}

// As packages are laid out: package/urdf/robot.urdf and package/meshes/part.obj.
static void meshes_above_the_model_need_permission(void **state) {
    (void)state;
    static const char text[] = ROBOT(LINK("a", SHAPE("<mesh filename='package://pack/meshes/part.obj'/>")
                                                   SHAPE("<mesh filename='../meshes/part.obj'/>")
                                                       SHAPE("<mesh filename='package://no/x.obj'/>")));
    const br_import_options outside = {.outside = 1};
    char folder[3][200], model[256], mesh[256];
    static const char *const name[] = {"pack", "pack/urdf", "pack/meshes"};
    for (int k = 0; k < 3; k++) {
        snprintf(folder[k], sizeof folder[k], "%s/%s", temp_folder, name[k]);
        assert_int_equal(mkdir(folder[k], 0700), 0);
    }
    snprintf(mesh, sizeof mesh, "%s", temp_write("pack/meshes/part.obj", tetrahedron));
    snprintf(model, sizeof model, "%s", temp_write("pack/urdf/robot.urdf", text));
    robot r = {0};
    br_error error = {0};
    assert_int_equal(br_urdf_read(model, NULL, NULL, &r.builder, &r.report, &error), BR_INVALID);
    assert_string_equal(error.code, "import-outside"); // it is there, and not ours to read
    assert_int_equal(error.line, 2);
    r = read_robot(model, &outside);
    assert_int_equal(br_model_shape_count(r.model), 2);
    assert_non_null(find_note(&r, "mesh", "filename", "a file of 'package://no' is not"));
    free_robot(&r);
    remove(mesh);
    remove(model);
    for (int k = 2; k >= 0; k--) rmdir(folder[k]);
}

#define GAZEBO(link, inside) "<gazebo reference='" link "'>" inside "</gazebo>\n"
#define BALL SHAPE("<sphere radius='1'/>")

// Two links rub with the smaller of their coefficients; links that a joint connects do not touch.
static void friction_comes_from_gazebo(void **state) {
    (void)state;
    robot r = read_text(
        ROBOT(LINK("a", BALL) LINK("b", BALL) LINK("c", BALL) JOINT("j", "continuous", "a", "b", "") JOINT(
            "k", "continuous", "b", "c", "") GAZEBO("a", "<mu1>0.25</mu1><mu2> 0.25 </mu2><kp>1e6</kp>")
                  GAZEBO("c", "<mu1 value='0.5'/><mu2>0.75</mu2><turnGravityOff>true</turnGravityOff>")
                      GAZEBO("d", "<material>Gazebo/Red</material>") "<gazebo><plugin name='p'/></gazebo>"),
        NULL);
    const br_model_contact *contact = r.model->contact;
    static const double mu[3][3] = {{0.25, 0.25, 0.25}, {0.25, 1.0, 0.5}, {0.25, 0.5, 0.5}};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            assert_near(contact->pair[br_model_pair(r.model, a, b)].mu_static, mu[a][b], 0.0);
    assert_false(br_model_may_touch(r.model, 0, 1));
    assert_true(br_model_may_touch(r.model, 0, 2));
    assert_non_null(find_note(&r, "kp", "", "Gazebo's solver"));
    assert_non_null(find_note(&r, "gazebo", "mu2", "mu1 is used"));
    assert_non_null(find_note(&r, "turnGravityOff", "", "gravity acts on every body"));
    assert_non_null(find_note(&r, "gazebo", "reference", "there is no link or joint 'd'"));
    assert_non_null(find_note(&r, "plugin", "", "not imported"));
    free_robot(&r);
}

// --------------------------------------------------------------------------------------------------------- notes

static void what_is_not_represented_is_reported_and_strict_refuses_it(void **state) {
    (void)state;
    static const char text[] = ROBOT(LINK("a", "<visual/>") LINK("b", "<colision/>") JOINT(
        "j", "revolute", "a", "b",
        "<limit lower='-1' upper='1' effort='5' velocity='1'/><safety_controller k_velocity='1'/>"
        "<dynamics dampng='3'/><calibration rising='0'/>") "<transmission name='t'>text</transmission>");
    static const struct {
        const char *element, *attribute, *says;
        br_import_effect effect;
        int line;
    } row[] = {{"visual", "", "pictures", BR_IMPORT_LOOKS, 2},
               {"colision", "", "did you mean 'collision'?", BR_IMPORT_MOTION, 3},
               {"limit", "effort", "max_torque", BR_IMPORT_NUMERICS, 4},
               {"limit", "velocity", "controller", BR_IMPORT_NUMERICS, 4},
               {"safety_controller", "", "controllers", BR_IMPORT_NUMERICS, 4},
               {"dynamics", "dampng", "did you mean 'damping'?", BR_IMPORT_MOTION, 4},
               {"calibration", "", "real robot", BR_IMPORT_LOOKS, 4},
               {"transmission", "", "drives", BR_IMPORT_NUMERICS, 5}};
    robot r = read_text(text, NULL);
    const int rows = (int)(sizeof row / sizeof *row);
    assert_int_equal(br_import_report_count(r.report), rows);
    for (int k = 0; k < rows; k++) {
        const br_import_note *n = find_note(&r, row[k].element, row[k].attribute, row[k].says);
        if (!n) fail_msg("<%s> %s is not noted", row[k].element, row[k].attribute);
        assert_int_equal(n->effect, row[k].effect);
        assert_int_equal(n->line, row[k].line);
    }
    assert_non_null(strstr(br_model_notes(r.model), "not imported: <colision>, line 3"));
    free_robot(&r);
    br_error error = {0};
    br_builder *builder = NULL;
    const br_import_options strict = {.strict = 1};
    assert_int_equal(br_urdf_read(temp_path("robot.urdf"), &strict, NULL, &builder, NULL, &error),
                     BR_INVALID);
    assert_null(builder);
    assert_string_equal(error.code, "import-not-represented");
    assert_int_equal(error.line, 3);
    assert_int_equal(br_urdf_read(DATA "everything.urdf", &strict, NULL, &builder, NULL, &error), BR_OK);
    br_builder_destroy(builder);
}

// The ending says .xml, the file says <robot>.
static void an_xml_file_may_be_a_robot(void **state) {
    (void)state;
    br_error error = {0};
    br_model *model = NULL;
    const char *path = temp_write("robot.xml", ROBOT(LINK("a", "")));
    if (br_model_read(path, NULL, 0, NULL, &model, NULL, &error) != BR_OK) fail_msg("%s", error.message);
    assert_string_equal(br_model_name(model), "test");
    br_model_destroy(model);
    const br_override set = {"gravity", "[0, 0, -1.62]"};
    if (br_model_read(path, &set, 1, NULL, &model, NULL, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(br_model_settings(model)->gravity.z, -1.62, 0.0);
    br_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_joint_agrees_with_mujoco),
        cmocka_unit_test(a_converted_robot_is_the_same),
        cmocka_unit_test(bodies_come_in_the_order_of_the_tree),
        cmocka_unit_test(values_of_joints_are_kept),
        cmocka_unit_test(the_root_is_fixed_free_or_the_world),
        cmocka_unit_test(links_without_mass_may_be_frames),
        cmocka_unit_test(names_are_made_fit),
        cmocka_unit_test(mimicked_joints_are_followed),
        cmocka_unit_test(limits_that_follow_from_the_leader_are_left_to_it),
        cmocka_unit_test(a_multiplier_of_zero_holds_the_joint),
        cmocka_unit_test(impossible_tensors_are_replaced_and_said),
        cmocka_unit_test(shapes_are_read),
        cmocka_unit_test(meshes_beside_the_model_are_read),
        cmocka_unit_test(meshes_above_the_model_need_permission),
        cmocka_unit_test(friction_comes_from_gazebo),
        cmocka_unit_test(what_is_not_represented_is_reported_and_strict_refuses_it),
        cmocka_unit_test(an_xml_file_may_be_a_robot),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
