// MJCF attributes that change the motion, each in a file of its own, against numbers of MuJoCo 2.2.2 (qacc at the start, without
// constraints unless said otherwise). The differences are rounding, some 1e-14 of the largest; 1e-9 leaves room for compilers.
#include <math.h>

#include "bristle/contact.h"
#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#define BODY "<inertial pos='0.02 0.01 -0.5' mass='2' diaginertia='0.1 0.12 0.05'/>"
#define FILE_OF(option, world, rest)                                                                         \
    "<mujoco><compiler angle='radian'/>" option "<worldbody>" world "</worldbody>" rest "</mujoco>"
#define TWO(attributes)                                                                                      \
    "<body name='a'>" BODY "<joint name='ja' axis='0 1 0' " attributes "/><body name='b' pos='0 0 -1'>" BODY \
    "<joint name='jb' axis='0 1 0'/></body></body>"
#define BALL "<body name='a'>" BODY "<joint name='ja' type='ball'/></body>"
#define FREE "<body name='a' pos='0 0 2'><freejoint name='ja'/>" BODY "</body>"
#define TWO_KEY "<keyframe><key name='k' qpos='0.3 -0.5' qvel='0.2 -0.7' ctrl='5'/></keyframe>"
#define BALL_KEY "<keyframe><key name='k' qpos='0.9 0.1 0.2 0.3' qvel='0.3 0.2 0.1' ctrl='1.5'/></keyframe>"
#define FREE_KEY                                                                                             \
    "<keyframe><key name='k' qpos='0.2 0.1 1.4 0.9 0.1 0.2 0.3' qvel='1 2 3 0.3 0.2 0.1' "                   \
    "ctrl='1.5'/></keyframe>"
#define MOTOR "<actuator><motor joint='ja' ctrlrange='-1 1' ctrllimited='true' gear='2'/></actuator>"
#define EQUALITY "<equality><joint joint1='jb' joint2='ja' polycoef='0.2 1 0 0 0'/></equality>"
#define STATEFUL(actuator)                                                                                   \
    FILE_OF("", "<body name='a'>" BODY "<joint name='ja' axis='0 1 0'/></body>",                             \
            "<actuator>" actuator                                                                            \
            "</actuator><keyframe><key name='k' qpos='0.3' qvel='0.2' ctrl='1.5' act='.6'/></keyframe>")
#define WITHOUT(flag) "<option><flag " flag "='disable'/></option>"

typedef struct world {
    br_model *model;
    br_sim *sim;
    br_import_report *report;
} world;

static world open_text(const char *text) {
    world w = {0};
    br_error error = {0};
    const br_override change = {"import.keyframe", "k"};
    const char *path = temp_write("sweep.xml", text);
    if (br_model_read_import(path, &change, strstr(text, "<key ") ? 1 : 0, NULL, &w.model, NULL, &w.report,
                             &error) != BR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    if (br_sim_create(w.model, NULL, &w.sim, &error) != BR_OK) fail_msg("%s", error.message);
    return w;
}

static void close_world(world *w) {
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
    br_import_report_free(w->report);
}

static int moving_notes(const world *w) {
    int count = 0;
    for (int k = 0; k < br_import_report_count(w->report); k++)
        count += br_import_report_note(w->report, k)->effect == BR_IMPORT_MOTION;
    return count;
}

static double channel(world *w, const char *name) {
    br_channel c;
    br_error error = {0};
    double value = NAN;
    if (br_sim_channel_find(w->sim, name, &c, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    assert_int_equal(br_sim_channel_read(w->sim, &c, &value, &error), BR_OK);
    return value;
}

static const struct {
    const char *name, *text;
    int nv;
    double expected[6];
} cases[] = {
    {"without gravity",
     FILE_OF(WITHOUT("gravity"), TWO("damping='0.7' stiffness='3'"), MOTOR TWO_KEY),
     2,
     {0.55996844211719965, -1.3011070688717816}},
    {"without passive",
     FILE_OF(WITHOUT("passive"), TWO("damping='0.7' stiffness='3'"), MOTOR TWO_KEY),
     2,
     {-6.7692242123877087, 19.921358525607634}},
    {"without actuation",
     FILE_OF(WITHOUT("actuation"), TWO("damping='0.7' stiffness='3'"), MOTOR TWO_KEY),
     2,
     {-8.8893937997089036, 24.973173280825154}},
    {"without clampctrl",
     FILE_OF(WITHOUT("clampctrl"), TWO("damping='0.7' stiffness='3'"), MOTOR TWO_KEY),
     2,
     {-1.9151517361523405, 8.3553615860306714}},
    {"without equality",
     FILE_OF(WITHOUT("equality"), TWO("damping='0.7' stiffness='3'"), MOTOR TWO_KEY EQUALITY),
     2,
     {-7.4945453869975909, 21.649610941866257}},
    {"without limit",
     FILE_OF(WITHOUT("limit"), TWO("damping='0.7' stiffness='3' range='-1 0.1' limited='true'"),
             MOTOR TWO_KEY),
     2,
     {-7.4945453869975909, 21.649610941866257}},
    {"without frictionloss",
     FILE_OF(WITHOUT("frictionloss"), TWO("damping='0.7' stiffness='3' frictionloss='0.4'"), MOTOR TWO_KEY),
     2,
     {-7.4945453869975909, 21.649610941866257}},
    {"without constraint",
     FILE_OF(WITHOUT("constraint"),
             TWO("damping='0.7' stiffness='3' frictionloss='0.4' range='-1 0.1' limited='true'"),
             MOTOR TWO_KEY EQUALITY),
     2,
     {-7.4945453869975909, 21.649610941866257}},
    {"intvelocity", STATEFUL("<intvelocity joint='ja' kp='20' actrange='-1 1'/>"), 1, {5.5989381620250391}},
    {"cylinder",
     STATEFUL("<cylinder joint='ja' timeconst='.1' area='3' bias='1 -2 -.5'/>"),
     1,
     {-0.68327833282031947}},
    {"filter",
     STATEFUL("<general joint='ja' dyntype='filter' dynprm='.1' gainprm='3' biastype='affine' biasprm='1 -2 "
              "-.5'/>"),
     1,
     {-0.68327833282031947}},
    {"integrator",
     STATEFUL("<general joint='ja' dyntype='integrator' gainprm='3' biastype='affine' biasprm='1 -2 -.5' "
              "actrange='-1 1' actlimited='true'/>"),
     1,
     {-0.68327833282031947}},
    {"motor joint ball",
     FILE_OF("", BALL, "<actuator><motor joint='ja' gear='2 1 .5'/></actuator>" BALL_KEY),
     3,
     {-0.8338706890555968, -2.2220081955388533, 11.802113951489677}},
    {"motor joint free",
     FILE_OF("", FREE, "<actuator><motor joint='ja' gear='2 1 .5 .3 .7 .2'/></actuator>" FREE_KEY),
     6,
     {10.715564315789459, 5.0647317894736767, -13.346118947368417, 5.1132105263157799, 20.962499999999963,
      6.6107368421052595}},
    {"motor jointinparent ball",
     FILE_OF("", BALL, "<actuator><motor jointinparent='ja' gear='2 1 .5'/></actuator>" BALL_KEY),
     3,
     {-1.8591048994332604, -5.2734171898732249, 35.403101267141921}},
    {"motor jointinparent free",
     FILE_OF("", FREE, "<actuator><motor jointinparent='ja' gear='2 1 .5 .3 .7 .2'/></actuator>" FREE_KEY),
     6,
     {10.720593678670342, 2.4574719556786682, -13.647587091412737, 9.3447894736841874, 17.936184210526278,
      8.6317894736842042}},
    {"motor jointinparent ball on a turned base",
     FILE_OF("",
             "<body name='base' euler='.4 .2 .7'><body name='a' euler='.1 .5 .3'>" BODY
             "<joint name='ja' type='ball'/></body></body>",
             "<actuator><motor jointinparent='ja' gear='2 1 .5'/></actuator>" BALL_KEY),
     3,
     {-9.4458770299894379, -0.66508974498671636, 35.017359214052036}},
};

static void attributes_accelerate_as_in_mujoco(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double vdot[6];
        br_error error = {0};
        world w = open_text(cases[k].text);
        assert_int_equal(br_model_nv(w.model), cases[k].nv);
        if (br_sim_acceleration(w.sim, vdot, &error) != BR_OK)
            fail_msg("%s: %s", cases[k].name, error.message);
        for (int i = 0; i < cases[k].nv; i++)
            if (!(fabs(vdot[i] - cases[k].expected[i]) < 1e-9 * 100.0))
                fail_msg("%s, %d: %.15g, expected %.15g", cases[k].name, i, vdot[i], cases[k].expected[i]);
        assert_int_equal(moving_notes(&w), 0);
        close_world(&w);
    }
}

// A motor behind a filter of 0.1 s whose control is 1.5 from the start: its effort is 2 x 1.5 (1 - e^(-t/0.1)), and what a piston pushes is
// full after a while. An integrator's ends at its range.
static void states_of_actuators_follow_their_control(void **state) {
    (void)state;
    static const struct {
        const char *actuator;
        double early, late; // N m, 0.05 s and 3 s after the start
    } delayed[] = {
        {"<general name='m' joint='ja' dyntype='filterexact' dynprm='.1' gainprm='2'/>",
         3.0 * (1.0 - 0.60653065971263342), 3.0},
        {"<general name='m' joint='ja' dyntype='integrator' gainprm='2' actlimited='true' actrange='-1 1'/>",
         0.15, 2.0},
    };
    for (size_t k = 0; k < sizeof delayed / sizeof *delayed; k++) {
        char text[900];
        br_error error = {0};
        snprintf(text, sizeof text,
                 FILE_OF("<option timestep='0.001'/>",
                         "<body name='a'>" BODY "<joint name='ja' axis='0 1 0' damping='5'/></body>",
                         "<actuator>%s</actuator><keyframe><key name='k' ctrl='1.5'/></keyframe>"),
                 delayed[k].actuator);
        world w = open_text(text);
        if (br_sim_advance(w.sim, 0.05, &error) != BR_OK) fail_msg("%s", error.message);
        assert_near(channel(&w, "m.effort"), delayed[k].early,
                    2e-3); // at the middle of the last step, 0.5 ms before
        if (br_sim_advance(w.sim, 3.0, &error) != BR_OK) fail_msg("%s", error.message);
        assert_near(channel(&w, "m.effort"), delayed[k].late, 1e-9);
        close_world(&w);
    }
}

// An arm that falls onto its limit rests a margin before it; MuJoCo 2.2.2 ends at 0.8014 (its limit is soft).
static void joints_rest_a_margin_before_their_limit(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_text(FILE_OF("",
                                "<body name='a'>" BODY
                                "<joint name='ja' axis='0 1 0' pos='0 0 -1' damping='3' range='-1 1' "
                                "limited='true' margin='0.2'/></body>",
                                ""));
    if (br_sim_advance(w.sim, 4.0, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(fabs(channel(&w, "ja.position")), 0.8, 1e-9);
    close_world(&w);
}

// A mesh with a hollow, by MuJoCo's rules. It keeps corners in single precision: 1e-6 is some roundings of that.
static void masses_of_meshes_follow_the_rule_that_the_file_has(void **state) {
    (void)state;
    static const struct {
        const char *compiler, *rule;
        double expected;
    } rules[] = {{"", "", 11.074446504},
                 {"exactmeshinertia='true'", "", 10.910693625},
                 {"", "inertia='exact'", 10.910693625}};
    for (int k = 0; k < 3; k++) {
        char text[900];
        double vdot[1];
        br_error error = {0};
        snprintf(text, sizeof text,
                 "<mujoco><compiler angle='radian' %s/><worldbody><body><joint name='ja' axis='1 2 0'/>"
                 "<geom type='mesh' mesh='m'/></body></worldbody><asset><mesh name='m' %s vertex='0 0 0  1 0 "
                 "0  0 1 0  "
                 "0 0 1  .2 .2 .2' face='0 2 1  0 1 3  0 3 2  1 2 4  2 3 4  3 1 4'/></asset>"
                 "<keyframe><key name='k' qpos='.3' qvel='.2'/></keyframe></mujoco>",
                 rules[k].compiler, rules[k].rule);
        world w = open_text(text);
        assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
        assert_near(vdot[0], rules[k].expected, 1e-6 * 11.0);
        const int told = strstr(br_model_notes(w.model), "MuJoCo's older rule") != NULL;
        assert_int_equal(told, k == 0);
        close_world(&w);
    }
}

// A cube on a floor that a <pair> alone lets touch: it slides with the pair's friction, v' = -mu g.
static void a_pair_of_geoms_touches_with_its_own_friction(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_text(FILE_OF(
        "",
        "<geom name='floor' type='plane' size='1 1 1' contype='0' conaffinity='0'/>"
        "<body name='a' pos='0 0 0.1'><freejoint/><geom name='cube' type='box' size='.1 .1 .1' "
        "contype='0' conaffinity='0'/></body>"
        "<body name='b' pos='3 0 0.1'><freejoint/><geom name='other' type='box' size='.1 .1 .1'/></body>",
        "<contact><pair geom1='floor' geom2='cube' friction='.3 .3' condim='3'/></contact>"
        "<keyframe><key name='k' qpos='0 0 .1 1 0 0 0 3 0 .1 1 0 0 0' qvel='1 0 0 0 0 0 0 0 0 0 0 0'/>"
        "</keyframe>"));
    if (br_sim_advance(w.sim, 0.1, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(channel(&w, "a.velocity.x"), 1.0 - 0.3 * 9.81 * 0.1, 1e-6);
    assert_near(channel(&w, "b.velocity.z"), -0.981, 1e-9); // nothing lets it touch the floor
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

static int touches(const char *option, const char *fixed) {
    char text[1200];
    br_error error = {0};
    snprintf(text, sizeof text,
             FILE_OF("%s",
                     "<body name='a' pos='0 0 1'>%s<geom size='.1' mass='1'/><body name='b' pos='.3 0 0'>"
                     "<joint name='jb' axis='0 1 0' pos='-.3 0 0'/><geom size='.25' mass='1'/></body></body>",
                     ""),
             option, fixed);
    world w = open_text(text);
    if (br_sim_step(w.sim, &error) != BR_OK) fail_msg("%s", error.message);
    const int count = br_sim_contact_count(w.sim);
    close_world(&w);
    return count;
}

// MuJoCo keeps a body off its parent where that moves, and nowhere else.
static void a_body_touches_its_parent_where_that_is_fixed(void **state) {
    (void)state;
    assert_int_equal(touches("", ""), 1);
    assert_int_equal(touches("", "<joint name='ja' axis='0 1 0'/>"), 0);
    assert_int_equal(touches(WITHOUT("filterparent"), "<joint name='ja' axis='0 1 0'/>"), 1);
}

static void meshes_are_called_by_their_file_without_its_last_ending(void **state) {
    (void)state;
    temp_write("link_3.0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    temp_write("link_3.0_tip.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    world w = open_text(
        FILE_OF("", "<body name='a'>" BODY "<joint name='ja'/><geom type='mesh' mesh='link_3.0_tip'/></body>",
                "<asset><mesh file='link_3.0.obj'/><mesh file='link_3.0_tip.obj'/></asset>"));
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

static void groups_that_are_off_do_not_act(void **state) {
    (void)state;
    double vdot[2];
    br_error error = {0};
    world w = open_text(FILE_OF(
        "<option gravity='0 0 0' actuatorgroupdisable='1 4'/>",
        "<body name='a'>" BODY "<joint name='ja' axis='0 1 0'/></body>",
        "<actuator><motor joint='ja' group='4'/></actuator><keyframe><key name='k' ctrl='1'/></keyframe>"));
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 0.0, 0.0);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

// A parallelogram: its rocker closes a loop, and the file has steps of first order; without the constraint of second.
static void files_with_loops_step_at_first_order(void **state) {
    (void)state;
    static const char bodies[] = FILE_OF(
        "", TWO("") "<body name='c' pos='1 0 -1'>" BODY "<joint name='jc' axis='0 1 0'/></body>", "%s");
    static const char *const rest[] = {"",
                                       "<equality><connect body1='b' body2='c' anchor='0 0 0'/></equality>"};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(text, sizeof text, bodies, rest[k]);
        world w = open_text(text);
        assert_near(br_model_settings(w.model)->solver.theta, k ? 1.0 : 0.5, 0.0);
        close_world(&w);
    }
}

// Two joints that turn as one and have the same stops: one of them has them here, and it is met without a word. (aero_hand's fingers.)
static void coupled_joints_have_one_stop(void **state) {
    (void)state;
    br_error error = {0};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 FILE_OF("", TWO("range='-0.1 0.4' limited='true' frictionloss='0.1'") "%s", "%s"),
                 "<body name='c' pos='1 0 0'>" BODY
                 "<joint name='jc' axis='0 1 0' range='-0.1 0.4' limited='true' frictionloss='0.1'/></body>",
                 k ? "<equality><joint joint1='jc' joint2='ja' polycoef='0 1 0 0 0'/></equality>"
                     "<keyframe><key name='k' qpos='0.4 0 0.4' qvel='2 0 2'/></keyframe>"
                   : "<equality><joint joint1='ja' joint2='jc' polycoef='0 1 0 0 0'/></equality>"
                     "<keyframe><key name='k' qpos='0.4 0 0.4' qvel='2 0 2'/></keyframe>");
        world w = open_text(text);
        if (br_sim_advance(w.sim, 0.3, &error) != BR_OK) fail_msg("%s", error.message);
        assert_near(channel(&w, "ja.position") - channel(&w, "jc.position"), 0.0, 1e-9);
        assert_true(channel(&w, "ja.position") >= -0.1 - 1e-9 && channel(&w, "ja.position") <= 0.4 + 1e-9);
        assert_int_equal(moving_notes(&w), 0);
        close_world(&w);
    }
}

// Twelve pegs on a spiral: each 0.1 m higher and 30 degrees further than the one before; their names end in as many digits as the count has.
static void replicas_stand_where_each_leads(void **state) {
    (void)state;
    world w = open_text(
        "<mujoco><worldbody><replicate count='12' offset='0 0 .1' euler='0 0 30' sep='_'><body name='peg' "
        "pos='1 0 0'>" BODY
        "<joint name='jp' axis='0 1 0'/><replicate count='2' offset='0 .2 0'><geom name='g' size='.01'/>"
        "</replicate></body></replicate></worldbody></mujoco>");
    assert_int_equal(br_model_body_count(w.model), 12);
    assert_int_equal(br_model_shape_count(w.model), 24);
    assert_string_equal(br_model_body_name(w.model, 3), "peg_03");
    assert_int_equal(br_model_joint_find(w.model, "jp_11") >= 0, 1);
    assert_near(channel(&w, "peg_03.position.x"), 0.0, 1e-14);
    assert_near(channel(&w, "peg_03.position.y"), 1.0, 1e-14);
    assert_near(channel(&w, "peg_03.position.z"), 0.3, 1e-14);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

// What is welded to a body of mocap starts, and stays, where the keyframe puts that.
static void keyframes_place_bodies_of_mocap(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_text(FILE_OF(
        "",
        "<body name='hand' mocap='true' pos='0 0 1'/><body name='a' pos='0 0 1'><freejoint/>" BODY "</body>",
        "<equality><weld body1='hand' body2='a'/></equality>"
        "<keyframe><key name='k' mpos='1 2 3' qpos='1 2 3 1 0 0 0'/></keyframe>"));
    if (br_sim_advance(w.sim, 0.1, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(channel(&w, "hand.position.y"), 2.0, 1e-12);
    assert_near(channel(&w, "a.position.y"), 2.0, 1e-9);
    assert_near(channel(&w, "a.position.z"), 3.0, 1e-9);
    assert_int_equal(moving_notes(&w), 0);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_accelerate_as_in_mujoco),
        cmocka_unit_test(states_of_actuators_follow_their_control),
        cmocka_unit_test(joints_rest_a_margin_before_their_limit),
        cmocka_unit_test(masses_of_meshes_follow_the_rule_that_the_file_has),
        cmocka_unit_test(a_pair_of_geoms_touches_with_its_own_friction),
        cmocka_unit_test(a_body_touches_its_parent_where_that_is_fixed),
        cmocka_unit_test(meshes_are_called_by_their_file_without_its_last_ending),
        cmocka_unit_test(groups_that_are_off_do_not_act),
        cmocka_unit_test(files_with_loops_step_at_first_order),
        cmocka_unit_test(coupled_joints_have_one_stop),
        cmocka_unit_test(replicas_stand_where_each_leads),
        cmocka_unit_test(keyframes_place_bodies_of_mocap),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
