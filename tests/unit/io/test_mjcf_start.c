// What a MuJoCo model does at its start: keyframes, actuators at their controls, fixed tendons, couplings, sites, carried
// weight. Accelerations are held against MuJoCo 2.2.2's where it has the feature.
#include <math.h>
#include <sys/stat.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define ACTUATORS BRISTLE_SOURCE_DIR "/tests/data/robots/actuators/actuators.xml"
#define INERTIAL "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.1 0.1 0.1'/>"
#define WORLD(bodies, rest)                                                                                  \
    "<mujoco><compiler angle='radian'/><worldbody>" bodies "</worldbody>" rest "</mujoco>"
#define HINGE(name) "<body name='" name "'>" INERTIAL "<joint name='j" name "' axis='0 1 0'/></body>"

typedef struct world {
    br_model *model;
    br_sim *sim;
    br_import_report *report;
} world;

static world open_file(const char *path, const char *keyframe) {
    world w = {0};
    br_error error = {0};
    const br_override change = {"import.keyframe", keyframe};
    if (br_model_read_import(path, &change, keyframe ? 1 : 0, NULL, &w.model, NULL, &w.report, &error) !=
        BR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    if (br_sim_create(w.model, NULL, &w.sim, &error) != BR_OK) fail_msg("%s: %s", path, error.message);
    return w;
}

static world open_text(const char *text, const char *keyframe) {
    return open_file(temp_write("start.xml", text), keyframe);
}

static void close_world(world *w) {
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
    br_import_report_free(w->report);
}

static double channel(world *w, const char *name) {
    br_channel c;
    br_error error = {0};
    double value = NAN;
    if (br_sim_channel_find(w->sim, name, &c, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    assert_int_equal(br_sim_channel_read(w->sim, &c, &value, &error), BR_OK);
    return value;
}

static int is_noted(const world *w, const char *element, const char *says, br_import_effect effect) {
    for (int k = 0; k < br_import_report_count(w->report); k++) {
        const br_import_note *n = br_import_report_note(w->report, k);
        if (strcmp(n->element, element) == 0 && strstr(n->why, says) && n->effect == effect) return 1;
    }
    return 0;
}

static int moving_notes(const world *w) {
    int count = 0;
    for (int k = 0; k < br_import_report_count(w->report); k++)
        count += br_import_report_note(w->report, k)->effect == BR_IMPORT_MOTION;
    return count;
}

// Nothing of it is iterated: the difference is rounding, 1e-15 of the largest; 1e-9 has room for compilers.
static void actuators_and_tendons_accelerate_as_in_mujoco(void **state) {
    (void)state;
    static const double expected[14] = {13.00300940363689,
                                        9.997877889660888,
                                        33.74254164762376,
                                        1.9486136075933649,
                                        73.931294395420352,
                                        0.0,
                                        0.0,
                                        -9.8100000000000005,
                                        0.11538461538461564,
                                        -0.19199999999999992,
                                        0.1200000000000003,
                                        -11.254336325781324,
                                        12.596661872033659,
                                        -19.649373041103239};
    double vdot[14];
    br_error error = {0};
    world w = open_file(ACTUATORS, "k");
    assert_int_equal(br_model_nv(w.model), 14);
    if (br_sim_acceleration(w.sim, vdot, &error) != BR_OK) fail_msg("%s", error.message);
    for (int k = 0; k < 14; k++)
        if (!(fabs(vdot[k] - expected[k]) < 1e-9 * 74.0))
            fail_msg("%d: %.15g, expected %.15g", k, vdot[k], expected[k]);
    close_world(&w);
}

static void keyframes_give_positions_and_velocities(void **state) {
    (void)state;
    world w = open_file(ACTUATORS, "k");
    assert_near(channel(&w, "ja.position"), 0.3, 1e-15);
    assert_near(channel(&w, "je.velocity"), 0.5, 1e-15);
    assert_near(channel(&w, "f.position.x"), 0.1, 1e-15);
    close_world(&w);
    w = open_file(ACTUATORS, "0"); // by its number
    assert_near(channel(&w, "ja.position"), 0.3, 1e-15);
    close_world(&w);
    w = open_file(ACTUATORS, NULL);
    assert_near(channel(&w, "ja.position"), 0.2, 1e-15); // ref
    assert_true(
        is_noted(&w, "keyframe", "--set import.keyframe=NAME starts from one of: k", BR_IMPORT_NUMERICS));
    close_world(&w);
}

static void controls_stay_within_their_range(void **state) {
    (void)state;
    double vdot[1];
    br_error error = {0};
    // A range without zero: MuJoCo raises a control of zero to 0.5. 4 N m lift the rod's weight off: (4 x 0.5)/(0.1 + 2/4).
    world w = open_text(WORLD(HINGE("a"), "<option gravity='0 0 0'/><actuator><motor joint='ja' gear='4' "
                                          "ctrlrange='0.5 1'/></actuator>"),
                        NULL);
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 2.0 / 0.6, 1e-12);
    close_world(&w);
    w = open_text(WORLD("<body name='a'>" INERTIAL
                        "<joint name='ja' axis='0 1 0' actuatorfrcrange='-1 1'/></body>",
                        "<option gravity='0 0 0'/><actuator><position joint='ja' kp='100'/></actuator>"
                        "<keyframe><key ctrl='3'/></keyframe>"),
                  "0");
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 1.0 / 0.6, 1e-12);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

static void motors_stay_within_the_limits_of_their_joint(void **state) {
    (void)state;
    double vdot[1];
    br_error error = {0};
    world w = open_text(
        WORLD("<body name='a'>" INERTIAL "<joint name='ja' axis='0 1 0' actuatorfrcrange='-1 0.5'/></body>",
              "<option gravity='0 0 0'/><actuator><motor joint='ja'/></actuator><keyframe><key ctrl='3'/>"
              "</keyframe>"),
        "0");
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 0.5 / 0.6, 1e-12);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

// kv = 2 ratio sqrt(kp m), m of the joint alone with what hangs on it: 0.1 + 2 x 0.25 + armature 0.02.
static void damping_ratios_are_of_the_moved_mass(void **state) {
    (void)state;
    double vdot[1], v = 1.0, q = 0.0;
    br_error error = {0};
    world w =
        open_text(WORLD("<body name='a'>" INERTIAL "<joint name='ja' axis='0 1 0' armature='0.02'/></body>",
                        "<option gravity='0 0 0'/><actuator><position joint='ja' kp='50' dampratio='0.7'/>"
                        "</actuator>"),
                  NULL);
    assert_int_equal(br_sim_set_state(w.sim, 0.0, &q, &v, &error), BR_OK);
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], -2.0 * 0.7 * sqrt(50.0 * 0.62) / 0.62, 1e-12);
    close_world(&w);
}

static void couplings_hold_from_the_start(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_text(WORLD(HINGE("a") HINGE("b"),
                              "<equality><joint joint1='ja' joint2='jb' polycoef='0.1 2 0.5 0 0'/></equality>"
                              "<keyframe><key name='k' qpos='0 0.4' qvel='0 1'/></keyframe>"),
                        "k");
    assert_near(channel(&w, "ja.position"), 0.1 + 0.8 + 0.08, 1e-12);
    assert_near(channel(&w, "ja.velocity"), 2.4 * channel(&w, "jb.velocity"), 1e-9);
    for (int k = 0; k < 200; k++) assert_int_equal(br_sim_step(w.sim, &error), BR_OK);
    const double x = channel(&w, "jb.position");
    assert_true(fabs(x - 0.4) > 0.05);
    // Kept by its velocity: first order in the step of 2 ms.
    assert_near(channel(&w, "ja.position"), 0.1 + 2.0 * x + 0.5 * x * x, 5e-3);
    close_world(&w);
    w = open_text(WORLD(HINGE("a") HINGE("b"),
                        "<tendon><fixed name='t'><joint joint='ja' coef='1'/><joint joint='jb' "
                        "coef='-3'/></fixed></tendon><equality><tendon tendon1='t'/></equality>"
                        "<keyframe><key qpos='0.3 0.1'/></keyframe>"),
                  "0");
    for (int k = 0; k < 100; k++) assert_int_equal(br_sim_step(w.sim, &error), BR_OK);
    assert_near(channel(&w, "ja.position") - 3.0 * channel(&w, "jb.position"), 0.0, 1e-9);
    assert_true(fabs(channel(&w, "jb.position") - 0.1) > 1e-2);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

static void sites_are_frames_and_can_be_connected(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_text(
        WORLD("<body name='a'>" INERTIAL "<joint name='ja' axis='0 1 0'/><frame pos='0 0 -0.5'><site "
              "name='tip' pos='0 0 -0.5'/></frame></body><body name='b' pos='0 0 -1'>" INERTIAL
              "<freejoint/><site name='top'/></body>",
              "<equality><connect site1='tip' site2='top'/></equality>"),
        NULL);
    for (int k = 0; k < 50; k++) assert_int_equal(br_sim_step(w.sim, &error), BR_OK);
    assert_near(channel(&w, "b.position.z"), -1.0, 1e-9); // it hangs
    assert_int_equal(br_model_joint_closes_loop(w.model, br_model_joint_find(w.model, "connect")), 1);
    close_world(&w);
}

// A rotor: thrust along the site's z, and its drag about it.
static void actuators_of_sites_push_their_body(void **state) {
    (void)state;
    double vdot[6];
    br_error error = {0};
    world w = open_text(
        WORLD("<body name='x'><inertial pos='0 0 0' mass='2' diaginertia='.1 .2 .25'/><freejoint/><site "
              "name='r' pos='0.3 0 0' zaxis='1 0 0'/></body>",
              "<option gravity='0 0 0'/><actuator><motor name='m' site='r' gear='0 0 1 0 0 -0.5'/>"
              "</actuator><keyframe><key ctrl='4'/></keyframe>"),
        "0");
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 2.0, 1e-12);
    assert_near(vdot[3], -2.0 / 0.1, 1e-12);
    assert_near(vdot[4], 0.0, 1e-12);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

static void carried_weight_does_not_fall(void **state) {
    (void)state;
    double vdot[1];
    br_error error = {0};
    world w = open_text(
        WORLD("<body name='a' gravcomp='1'><inertial pos='0.5 0 0' mass='2' diaginertia='.1 .1 .1'/><joint "
              "name='ja' axis='0 1 0'/></body>",
              ""),
        NULL);
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 0.0, 1e-13);
    close_world(&w);
}

static void joints_in_frames_are_placed_by_them(void **state) {
    (void)state;
    double M[1];
    world w = open_text(
        WORLD("<body name='a'>" INERTIAL
              "<frame pos='0 0 0.5' euler='0 0 1.5707963267948966'><joint name='ja' axis='1 0 0'/></frame>"
              "</body>",
              ""),
        NULL);
    br_sim_mass_matrix(w.sim, M);
    assert_near(M[0], 0.1 + 2.0 * 1.0, 1e-12); // about y, a metre above the mass
    close_world(&w);
}

// A tetrahedron with its corner at the origin: V = abc/6, com a quarter in, I_xx about com = V (b^2 + c^2) 3/80.
static void meshes_have_the_mass_that_their_faces_enclose(void **state) {
    (void)state;
    temp_write("t.obj",
               "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1/1 2/1 4/1\nf 1//1 4//2 3//3\nf -3 -2 -1\n");
    static const char *const scale[] = {"1 1 1", "-1 1 1"};
    for (int k = 0; k < 2; k++) {
        char text[700];
        double M[1];
        snprintf(text, sizeof text,
                 WORLD("<body name='a'><joint name='ja' axis='1 0 0'/><geom type='mesh' mesh='t' density='2' "
                       "contype='0' conaffinity='0'/></body>",
                       "<asset><mesh name='t' file='t.obj' inertia='exact' scale='%s'/></asset>"),
                 scale[k]);
        world w = open_text(text, NULL);
        assert_near(br_model_body_mass(w.model, 0), 2.0, 1e-14);
        br_sim_mass_matrix(w.sim, M);
        // Principal axes are found as MuJoCo's compiler finds them, which stops at 1e-6 rad.
        assert_near(M[0], 2.0 * 13.0 * 3.0 / 80.0 + 2.0 * 13.0 / 16.0, 1e-6);
        close_world(&w);
    }
}

// A sticker: a square of two triangles, which encloses nothing. About x through its middle: m a^2/12.
static void shells_have_their_mass_in_the_faces(void **state) {
    (void)state;
    double M[1];
    temp_write("s.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n");
    world w = open_text(
        WORLD("<body name='a'><joint name='ja' axis='1 0 0' pos='0 1 0'/><geom type='mesh' mesh='s' mass='3' "
              "shellinertia='true' contype='0' conaffinity='0'/></body>",
              "<asset><mesh name='s' file='s.obj'/></asset>"),
        NULL);
    br_sim_mass_matrix(w.sim, M);
    assert_near(M[0], 3.0 * 4.0 / 12.0, 1e-12);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

// A parallelogram linkage of parallel hinges that is given slightly open: rows across its plane are rounding alone.
static void open_planar_linkages_are_closed_at_the_start(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_text(
        WORLD("<body name='crank'>" INERTIAL
              "<joint name='jc' axis='0 1 0'/><body name='rod' pos='0 0 -0.2'>" INERTIAL
              "<joint name='jr' axis='0 1 0'/></body></body><body name='rocker' pos='1 0 0'>" INERTIAL
              "<joint name='jk' axis='0 1 0'/></body>",
              "<equality><connect body1='rod' body2='rocker' anchor='1 0 0'/></equality>"
              "<keyframe><key name='k' qpos='0.3 -0.301 0.302'/></keyframe>"),
        "k");
    for (int k = 0; k < 20; k++) assert_int_equal(br_sim_step(w.sim, &error), BR_OK);
    close_world(&w);
}

// kv and dampratio are one number to MuJoCo: what stands nearer to the actuator holds. With kp 100, kv 8 and the joint turning at 1 rad/s
// the effort is -8 N m more than at rest.
static double damping_of(const char *defaults, const char *attributes) {
    char text[1024];
    double effort[2];
    br_error error = {0};
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><default><position %s/></default><worldbody>" HINGE(
                 "b") "</worldbody><actuator><position name='a' joint='jb' kp='100' %s/></actuator></mujoco>",
             defaults, attributes);
    world w = open_text(text, NULL);
    for (int k = 0; k < 2; k++) {
        const double q = 0.0, v = k;
        assert_int_equal(br_sim_set_state(w.sim, 0, &q, &v, &error), BR_OK);
        effort[k] = channel(&w, "a.effort");
    }
    close_world(&w);
    return effort[0] - effort[1];
}

// Defaults of one kind are those of every other: <position kp> is a gain and a bias, which <general> and <velocity> take on.
static void an_actuator_takes_the_defaults_of_other_kinds(void **state) {
    (void)state;
    static const struct {
        const char *defaults, *actuator;
        double effort; // at q = 0.1 rad and 1 rad/s
    } cases[] = {
        {"<position kp='50' kv='3'/>", "<general", -5.0 - 3.0},
        {"<velocity kv='4'/>", "<general", -4.0},
        {"<general gainprm='20'/>", "<position", -2.0},
        {"<general gainprm='20'/>", "<velocity", -20.0},
        {"<position kp='50'/>", "<motor", 0.0},
        {"<position kp='50'/>", "<general biastype='none'", 0.0},
        {"<general gainprm='7' biastype='affine' biasprm='0 -7 -2'/>", "<position kp='10'", -1.0 - 2.0},
        {"<general biastype='affine' gainprm='35 0 0 0 0 0 0 0 0 0' biasprm='0 -35 -0.65 0 0 0 0 0 0 0' "
         "dynprm='1 0 0 0 0 0 0 0 0 0'/>",
         "<general", -3.5 - 0.65},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        const double q = 0.1, v = 1.0;
        br_error error = {0};
        snprintf(text, sizeof text,
                 "<mujoco><compiler angle='radian'/><default>%s</default><worldbody>" HINGE(
                     "b") "</worldbody><actuator>%s name='a' joint='jb'/></actuator></mujoco>",
                 cases[k].defaults, cases[k].actuator);
        world w = open_text(text, NULL);
        assert_int_equal(br_sim_set_state(w.sim, 0, &q, &v, &error), BR_OK);
        if (cases[k].effort != 0.0) assert_near(channel(&w, "a.effort"), cases[k].effort, 1e-12);
        close_world(&w);
    }
}

static void the_nearer_of_kv_and_dampratio_holds(void **state) {
    (void)state;
    br_error error = {0};
    br_model *model = NULL;
    assert_near(damping_of("dampratio='1'", "kv='8'"), 8, 1e-12);
    assert_near(damping_of("kv='8'", ""), 8, 1e-12);
    assert_true(fabs(damping_of("kv='8'", "dampratio='1'") - 8) > 1);
    const char *path = temp_write(
        "both.xml",
        WORLD(HINGE("b"), "<actuator><position joint='jb' kp='100' kv='8' dampratio='1'/></actuator>"));
    assert_int_equal(br_model_read_import(path, NULL, 0, NULL, &model, NULL, NULL, &error), BR_INVALID);
    assert_string_equal(error.code, "mjcf-structure");
}

// Beside the model first, then beside the file that names it.
static void an_included_file_includes_what_lies_beside_it(void **state) {
    (void)state;
    char folder[200], file[260];
    snprintf(folder, sizeof folder, "%s", temp_path("parts"));
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(file, sizeof file, "parts/arm.xml");
    temp_write(file, "<mujocoinclude><include file='hand.xml'/></mujocoinclude>");
    temp_write("parts/hand.xml", "<mujocoinclude>" HINGE("hand") "</mujocoinclude>");
    world w = open_text(WORLD("<include file='parts/arm.xml'/>", ""), NULL);
    assert_int_equal(br_model_body_count(w.model), 1);
    assert_string_equal(br_model_body_name(w.model, 0), "hand");
    close_world(&w);
    // So are the meshes that it names, be they a folder further up: parts/../shapes within the model's own.
    assert_int_equal(mkdir(temp_path("shapes"), 0700), 0);
    temp_write("shapes/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    temp_write(file, "<mujocoinclude><asset><mesh name='t' file='../shapes/t.obj'/></asset></mujocoinclude>");
    w = open_text("<mujoco><include file='parts/arm.xml'/><worldbody><body name='a'><joint/><geom "
                  "type='mesh' mesh='t'/></body>"
                  "</worldbody></mujoco>",
                  NULL);
    assert_int_equal(br_model_shape_count(w.model), 1);
    close_world(&w);
    assert_int_equal(unlink(temp_path("shapes/t.obj")), 0);
    assert_int_equal(rmdir(temp_path("shapes")), 0);
    assert_int_equal(unlink(temp_path("parts/arm.xml")), 0);
    assert_int_equal(unlink(temp_path("parts/hand.xml")), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_actuator_takes_the_defaults_of_other_kinds),
        cmocka_unit_test(the_nearer_of_kv_and_dampratio_holds),
        cmocka_unit_test(an_included_file_includes_what_lies_beside_it),
        cmocka_unit_test(actuators_and_tendons_accelerate_as_in_mujoco),
        cmocka_unit_test(keyframes_give_positions_and_velocities),
        cmocka_unit_test(controls_stay_within_their_range),
        cmocka_unit_test(motors_stay_within_the_limits_of_their_joint),
        cmocka_unit_test(damping_ratios_are_of_the_moved_mass),
        cmocka_unit_test(couplings_hold_from_the_start),
        cmocka_unit_test(sites_are_frames_and_can_be_connected),
        cmocka_unit_test(actuators_of_sites_push_their_body),
        cmocka_unit_test(carried_weight_does_not_fall),
        cmocka_unit_test(joints_in_frames_are_placed_by_them),
        cmocka_unit_test(meshes_have_the_mass_that_their_faces_enclose),
        cmocka_unit_test(shells_have_their_mass_in_the_faces),
        cmocka_unit_test(open_planar_linkages_are_closed_at_the_start),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
