// What an imported file starts from, placed by the model file that imports it and by --set: floating bases, joints, lifting.
#include <math.h>

#include "bristle/contact.h"
#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

// A base that moves freely (with a joint of its own name or without), an arm on it, a floor. The lowest point is 0.1 m below the base.
#define ROBOT(free)                                                                                          \
    "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='1 1 1'/>"                         \
    "<body name='base' pos='0 0 0.05' quat='0.6 0 0 0.8'>" free                                              \
    "<inertial pos='0.1 0 0' mass='2' diaginertia='0.1 0.2 0.3'/><geom name='foot' size='0.1'/>"             \
    "<body name='arm' pos='0.3 0 0'><joint name='elbow' axis='0 1 0'/>"                                      \
    "<inertial pos='0 0 0.2' mass='1' diaginertia='0.1 0.1 0.1'/></body></body></worldbody></mujoco>"

static br_error last;

static br_sim *try_open(const char *robot, const char *model, const char *name, const char *value,
                        br_model **out) {
    const br_override change = {name, value};
    br_sim *sim = NULL;
    memset(&last, 0, sizeof last);
    const char *path = temp_write("robot.xml", robot);
    if (model) path = temp_write("model.yaml", model);
    if (br_model_read(path, &change, name ? 1 : 0, NULL, out, NULL, &last) != BR_OK) return NULL;
    if (br_sim_create(*out, NULL, &sim, &last) != BR_OK) fail_msg("%s", last.message);
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

static const char *const robots[] = {ROBOT("<freejoint/>"), ROBOT("<freejoint name='root'/>")};

static void a_free_body_is_placed_with_what_hangs_on_it(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        br_model *model = NULL;
        br_sim *sim =
            try_open(robots[k],
                     "format: 1\nimport: robot.xml\nbodies:\n  base: {pose: {position: [1, 2, 3]}, velocity: "
                     "{linear: [1, 0, 0], angular: [0, 0, 2]}}\n",
                     NULL, NULL, &model);
        if (!sim) fail_msg("%s", last.message);
        assert_near(channel(sim, "base.position.y"), 2.0, 1e-15);
        assert_near(channel(sim, "base.rotation.z"), 0.8, 1e-15); // what is not given stays
        // The base's x axis is (-0.28, 0.96): twice the angle whose cosine is 0.6.
        assert_near(channel(sim, "arm.position.x"), 1.0 - 0.28 * 0.3, 1e-14);
        // Of the centre of mass, as in a model file: 0.1 m along (-0.28, 0.96), so that the origin goes by 2 x 0.096 m/s faster.
        assert_near(channel(sim, "base.velocity.x"), 1.192, 1e-14);
        assert_near(channel(sim, "base.angular_velocity.z"), 2.0, 1e-14);
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
}

static void a_free_joint_without_a_name_is_placed_too(void **state) {
    (void)state;
    br_model *model = NULL;
    br_sim *sim = try_open(
        robots[0],
        "format: 1\nimport: robot.xml\njoints:\n  base.free: {position: [0, 0, 2, 1, 0, 0, 0], velocity: "
        "[0, 3, 0, 0, 0, 1]}\n  elbow: {position: 0.3}\n",
        NULL, NULL, &model);
    if (!sim) fail_msg("%s", last.message);
    assert_near(channel(sim, "base.position.z"), 2.0, 0.0);
    assert_near(channel(sim, "arm.position.x"), 0.3, 1e-15);
    assert_near(channel(sim, "base.free.velocity.1"), 3.0, 1e-14);
    assert_near(channel(sim, "elbow.position"), 0.3, 0.0);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void an_imported_file_is_placed_from_the_command_line(void **state) {
    (void)state;
    static const struct {
        const char *model, *name, *value, *channel;
        double expected;
    } cases[] = {
        {NULL, "joints.elbow.position", "0.4", "elbow.position", 0.4},
        {NULL, "bodies.base.pose.position", "[0, 0, 2]", "base.position.z", 2.0},
        {"format: 1\nimport: robot.xml\n", "joints.elbow.position", "0.4", "elbow.position", 0.4},
        {"format: 1\nimport: robot.xml\n", "bodies.base.pose.position", "[0, 0, 2]", "base.position.z", 2.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        br_model *model = NULL;
        br_sim *sim = try_open(robots[0], cases[k].model, cases[k].name, cases[k].value, &model);
        if (!sim) fail_msg("%s", last.message);
        assert_near(channel(sim, cases[k].channel), cases[k].expected, 0.0);
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
}

static void what_cannot_be_placed_is_named(void **state) {
    (void)state;
    br_model *model = NULL;
    assert_null(try_open(robots[0], NULL, "joints.elbo.position", "0.4", &model));
    assert_non_null(strstr(last.message, "did you mean 'elbow'?"));
    assert_null(try_open(robots[0], NULL, "bodies.arm.pose.position", "[0, 0, 1]", &model));
    assert_string_equal(last.code, "import-held");
    assert_non_null(strstr(last.message, "joints: {elbow: {position: ...}}"));
    assert_null(try_open(
        robots[0],
        "format: 1\nimport: robot.xml\nbodies: {base: {pose: {position: [0, 0, 1]}, com: [0, 0, 0]}}\n", NULL,
        NULL, &model));
}

// A ball of radius 0.1 m whose centre stands 0.05 m above a floor is raised by 0.05 m, no further; one in the air stays.
static void lifting_ends_where_it_touches(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        br_model *model = NULL;
        br_sim *sim = try_open(robots[k], NULL, "import.lift", "true", &model);
        if (!sim) fail_msg("%s", last.message);
        assert_near(channel(sim, "base.position.z"), 0.1, 1e-12);
        br_sim_destroy(sim);
        br_model_destroy(model);
        sim = try_open(robots[k],
                       "format: 1\nimport: {file: robot.xml, lift: true}\nbodies: {base: {pose: {position: "
                       "[0, 0, 0.7]}}}\n",
                       NULL, NULL, &model);
        if (!sim) fail_msg("%s", last.message);
        assert_near(channel(sim, "base.position.z"), 0.7, 0.0);
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_is_placed_with_what_hangs_on_it),
        cmocka_unit_test(a_free_joint_without_a_name_is_placed_too),
        cmocka_unit_test(an_imported_file_is_placed_from_the_command_line),
        cmocka_unit_test(what_cannot_be_placed_is_named),
        cmocka_unit_test(lifting_ends_where_it_touches),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
