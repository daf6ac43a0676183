// The key import: what it brings, what the file adds and changes, where its faults are told.
#include <math.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#define ROBOT                                                                                                \
    "<mujoco model='arm'><compiler angle='radian'/><option timestep='0.004' gravity='0 0 -5'/>\n<worldbody>" \
    "<geom type='plane' size='1 1 1'/>\n<body name='link' pos='0 0 1'><inertial pos='0 0 -0.5' mass='2' "    \
    "diaginertia='0.1 0.1 0.1'/>\n<joint name='elbow' axis='0 1 0' damping='0.3'/><geom size='0.1'/>"        \
    "<site name='tip' pos='0 0 -1'/></body></worldbody>\n"                                                   \
    "<actuator><motor name='m' joint='elbow'/></actuator>"                                                   \
    "<keyframe><key name='up' qpos='1'/></keyframe></mujoco>\n"

static br_error read_model(const char *text, const br_override *changes, int count, br_model **model,
                           br_builder **builder) {
    br_error error = {0};
    temp_write("robot.xml", ROBOT);
    const br_status status =
        br_model_read(temp_write("model.yaml", text), changes, count, NULL, model, builder, &error);
    assert_int_equal(status, error.status);
    if (!error.code) error.code = "";
    return error;
}

static br_sim *start(const br_model *model) {
    br_sim *sim = NULL;
    br_error error = {0};
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) fail_msg("%s", error.message);
    return sim;
}

static double channel(br_sim *sim, const char *name) {
    br_channel c;
    br_error error = {0};
    double value = NAN;
    if (br_sim_channel_find(sim, name, &c, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    assert_int_equal(br_sim_channel_read(sim, &c, &value, &error), BR_OK);
    return value;
}

static void an_imported_model_keeps_its_settings_but_for_those_of_the_file(void **state) {
    (void)state;
    br_model *model = NULL;
    br_error error = read_model("format: 1\nimport: robot.xml\nrun: {until: 3 s}\n", NULL, 0, &model, NULL);
    if (error.status != BR_OK) fail_msg("%s", error.message);
    const br_settings *s = br_model_settings(model);
    assert_string_equal(br_model_name(model), "model"); // as a model file without a name is called
    assert_near(s->solver.step, 0.004, 0.0);
    assert_near(s->gravity.z, -5.0, 0.0);
    assert_near(s->until, 3.0, 0.0);
    br_model_destroy(model);
    error = read_model("format: 1\nimport: robot.xml\ngravity: [0, 0, -1]\nsolver: {step: 1 ms}\n", NULL, 0,
                       &model, NULL);
    assert_int_equal(error.status, BR_OK);
    assert_near(br_model_settings(model)->gravity.z, -1.0, 0.0);
    assert_near(br_model_settings(model)->solver.step, 0.001, 0.0);
    br_model_destroy(model);
}

static void options_are_written_or_set(void **state) {
    (void)state;
    static const br_override keyframe = {"import.keyframe", "up"};
    static const char *const texts[] = {"format: 1\nimport: {file: robot.xml, keyframe: up}\n",
                                        "format: 1\nimport: {file: robot.xml}\n",
                                        "format: 1\nimport: robot.xml\n"};
    for (int k = 0; k < 3; k++) {
        br_model *model = NULL;
        const br_error error = read_model(texts[k], &keyframe, k > 0, &model, NULL);
        if (error.status != BR_OK) fail_msg("%s", error.message);
        br_sim *sim = start(model);
        assert_near(channel(sim, "elbow.position"), 1.0, 0.0);
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
    br_model *model = NULL; // the same for a file that is given itself
    br_error error = {0};
    assert_int_equal(br_model_read(temp_path("robot.xml"), &keyframe, 1, NULL, &model, NULL, &error), BR_OK);
    br_sim *sim = start(model);
    assert_near(channel(sim, "elbow.position"), 1.0, 0.0);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void the_file_adds_to_what_is_imported(void **state) {
    (void)state;
    br_model *model = NULL;
    br_builder *builder = NULL;
    const br_error error =
        read_model("format: 1\nimport: robot.xml\nbodies:\n  weight: {mass: 1, inertia: [1, 1, "
                   "1], pose: {in: link, position: "
                   "[0, 0, -1]}, shapes: [{sphere: {radius: 0.05}, material: "
                   "default}]}\njoints:\n  hook: {spherical: [link, "
                   "weight], at: link.tip}\nloads:\n  push: {body: link, force: [1, 0, "
                   "0]}\npairs:\n  default/default: {mu: "
                   "0.25}\n",
                   NULL, 0, &model, &builder);
    if (error.status != BR_OK) fail_msg("%s:%d: %s", error.file, error.line, error.message);
    assert_int_equal(br_model_body_count(model), 2);
    br_sim *sim = start(model);
    assert_near(channel(sim, "weight.position.z"), 0.0, 1e-15);
    br_sim_destroy(sim);
    br_model_destroy(model);
    // One file of all of it, which is the same model.
    br_error fault = {0};
    assert_int_equal(br_model_write_yaml(builder, NULL, temp_path("whole.yaml"), &fault), BR_OK);
    br_builder_destroy(builder);
    char *text = temp_read(temp_path("whole.yaml"));
    assert_non_null(strstr(text, "0.25"));
    assert_null(strstr(text, "import"));
    free(text);
    assert_int_equal(br_model_read(temp_path("whole.yaml"), NULL, 0, NULL, &model, NULL, &fault), BR_OK);
    br_model_destroy(model);
}

static void joints_and_drives_that_were_imported_can_be_changed(void **state) {
    (void)state;
    br_model *model = NULL;
    double vdot[1];
    br_error error = read_model(
        "format: 1\nimport: robot.xml\ngravity: [0, 0, 0]\njoints:\n  elbow: {velocity: 2, friction: {law: "
        "coulomb, mu: 1, load: {constant: 0.5}}}\ndrives:\n  m: {joint: elbow, torque: 3}\n",
        NULL, 0, &model, NULL);
    if (error.status != BR_OK) fail_msg("%s:%d: %s", error.file, error.line, error.message);
    assert_non_null(br_model_joint_friction(model, br_model_joint_find(model, "elbow")));
    br_sim *sim = start(model);
    assert_int_equal(br_sim_acceleration(sim, vdot, &error), BR_OK);
    assert_near(vdot[0], (3.0 - 0.5 - 0.3 * 2.0) / 0.6, 1e-9); // its own damping is still there
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void faults_are_told_where_they_are(void **state) {
    (void)state;
    static const struct {
        const char *text, *code, *file;
        int line;
        const char *says;
    } row[] = {
        {"format: 1\nimport: robot.xml\nloads:\n  p: {body: lnik, force: [1, 0, 0]}\n", "yaml-reference",
         "model.yaml", 4, "did you mean 'link'?"},
        {"format: 1\nimport: robot.xml\njoints:\n  elbow: {revolute: [world, link], axis: y}\n",
         "name-duplicate", "model.yaml", 4, "two joints named elbow"},
        {"format: 1\nimport: robot.xml\njoints:\n  elbow: {damping: -1}\n", "model-negative", "model.yaml", 4,
         "damping"},
        {"format: 1\nimport: robot.xml\ndrives:\n  d: {joint: elbo, torque: 1}\n", "yaml-reference",
         "model.yaml", 4, "did you mean 'elbow'?"},
        {"format: 1\nimport: robot.xml\npairs: {default/steel: {mu: 1}}\n", "yaml-reference", "model.yaml", 3,
         "no material 'steel'"},
        {"format: 1\nimport: {file: robot.xml, keyframe: down}\n", "import-keyframe", "robot.xml", 5,
         "there are: up"},
        {"format: 1\nimport: broken.xml\n", "mjcf-not-a-number", "broken.xml", 2, "'x' is not a number"},
        {"format: 1\nimport: loop.xml\n", "", "", 0, ""},
        {"format: 1\nimport: [robot.xml]\n", "yaml-type", "model.yaml", 2, "list"},
        {"format: 1\nimport: {file: robot.xml, strict: maybe}\n", "yaml-word", "model.yaml", 2, "strict"},
    };
    temp_write("broken.xml", "<mujoco>\n<worldbody><body pos='0 0 x'/></worldbody></mujoco>");
    temp_write("loop.xml",
               "<mujoco><worldbody><body name='a'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
               "</body></worldbody></mujoco>");
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        br_model *model = NULL;
        const br_error error = read_model(row[k].text, NULL, 0, &model, NULL);
        br_model_destroy(model);
        if (strcmp(error.code, row[k].code) != 0 || error.line != row[k].line ||
            !strstr(error.file, row[k].file) || !strstr(error.message, row[k].says))
            fail_msg("%s\n%s:%d: %s [%s]", row[k].text, error.file, error.line, error.message, error.code);
    }
}

static void files_elsewhere_are_read_when_that_is_allowed(void **state) {
    (void)state;
    static const br_override allowed = {"import.outside", "true"};
    char text[400];
    br_model *model = NULL;
    temp_write("robot.xml", ROBOT);
    snprintf(text, sizeof text, "format: 1\nimport: %s\n", temp_path("robot.xml")); // an absolute name
    assert_string_equal(read_model(text, NULL, 0, &model, NULL).code, "import-outside");
    assert_string_equal(read_model(text, &allowed, 1, &model, NULL).code, "");
    br_model_destroy(model);
    model = NULL;
    snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", temp_path("robot.xml"));
    br_error error = {0};
    const char *path = temp_write("outer.xml", text);
    assert_int_equal(br_model_read(path, NULL, 0, NULL, &model, NULL, &error), BR_INVALID);
    assert_string_equal(error.code, "mjcf-include-outside");
    assert_non_null(strstr(error.message, "--set import.outside=true"));
    assert_int_equal(br_model_read(path, &allowed, 1, NULL, &model, NULL, &error), BR_OK);
    br_model_destroy(model);
}

// A URDF robot, by its ending and by its root element; free_base lets it fall.
static void urdf_is_imported_too(void **state) {
    (void)state;
    static const char robot[] = "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia "
                                "ixx='1' iyy='1' izz='1' ixy='0' "
                                "ixz='0' iyz='0'/></inertial></link></robot>";
    static const br_override free_base = {"import.free_base", "true"};
    static const char *const names[] = {"r.urdf", "r.xml"};
    for (int k = 0; k < 2; k++) {
        char text[100];
        br_model *model = NULL;
        temp_write(names[k], robot);
        snprintf(text, sizeof text, "format: 1\nimport: %s\n", names[k]);
        br_error error = read_model(text, NULL, 0, &model, NULL);
        if (error.status != BR_OK) fail_msg("%s", error.message);
        assert_int_equal(br_model_nv(model), 0);
        br_model_destroy(model);
        error = read_model(text, &free_base, 1, &model, NULL);
        if (error.status != BR_OK) fail_msg("%s", error.message);
        assert_int_equal(br_model_nv(model), 6);
        br_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_imported_model_keeps_its_settings_but_for_those_of_the_file),
        cmocka_unit_test(options_are_written_or_set),
        cmocka_unit_test(the_file_adds_to_what_is_imported),
        cmocka_unit_test(joints_and_drives_that_were_imported_can_be_changed),
        cmocka_unit_test(faults_are_told_where_they_are),
        cmocka_unit_test(urdf_is_imported_too),
        cmocka_unit_test(files_elsewhere_are_read_when_that_is_allowed),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
