// Sensors of MJCF against MuJoCo 2.2.2 at a keyframe, and touch against the weight that rests.
#include <math.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

typedef struct world {
    br_model *model;
    br_sim *sim;
} world;

static world open_file(const char *path, int keyed) {
    world w = {0};
    br_error error = {0};
    const br_override change = {"import.keyframe", "k"};
    if (br_model_read(path, &change, keyed, NULL, &w.model, NULL, &error) != BR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    if (br_sim_create(w.model, NULL, &w.sim, &error) != BR_OK) fail_msg("%s", error.message);
    return w;
}

static void close_world(world *w) {
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
}

static double channel(world *w, const char *name, const char *unit) {
    br_channel c;
    br_error error = {0};
    double value = NAN;
    if (br_sim_channel_find(w->sim, name, &c, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    if (br_sim_channel_read(w->sim, &c, &value, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    if (unit) assert_string_equal(c.unit, unit);
    return value;
}

static const struct {
    const char *name;
    double value;
} expected[] = {{"acc.x", 2.0719815187850523},
                {"acc.y", 0.1427560797513322},
                {"acc.z", 0.99195447736003783},
                {"vel.x", 0.34928193019385323},
                {"vel.y", 2.7857145601696693},
                {"vel.z", 2.4701899770055675},
                {"gyro.x", 0.2847399524750982},
                {"gyro.y", 0.16738681472411565},
                {"gyro.z", 0.17579764993023517},
                {"acc_u.x", -1.4880858288178991},
                {"acc_u.y", 3.1256470361226114},
                {"acc_u.z", 2.3689355283230307},
                {"f_u.x", -3.7676842902651444},
                {"f_u.y", 2.2701930469879787},
                {"f_u.z", -2.7393522805623705},
                {"t_u.x", 1.2621872024810279},
                {"t_u.y", 0.33678218709226038},
                {"t_u.z", -0.93664672528978188},
                {"f_w.x", -1.5773481055188652},
                {"f_w.y", 0.44134980094660381},
                {"f_w.z", -1.0951942449384204},
                {"t_w.x", 0.29294392304634453},
                {"t_w.y", 1.1687285041638322},
                {"t_w.z", 0.067775439623631792},
                {"p.x", 0.34174689545149339},
                {"p.y", 0.42959389535039272},
                {"p.z", 1.4537702108939725},
                {"q.w", 0.40763221316097747},
                {"q.x", 0.52173054639829153},
                {"q.y", 0.48283897691971478},
                {"q.z", 0.57314896677525917},
                {"pb.x", 0.45648948508378151},
                {"pb.y", 0.44796755359841173},
                {"pb.z", 1.2721206944975303},
                {"px.x", 0.42279490987259249},
                {"px.y", 0.25476446298638689},
                {"px.z", 1.3364420858016621},
                {"qx.w", 0.67648210728751546},
                {"qx.x", 0.18235702631943465},
                {"qx.y", 0.48949312125457628},
                {"qx.z", 0.51914772244153029},
                {"pg.x", 0.57168082490064465},
                {"pg.y", 0.50020320109809335},
                {"pg.z", 1.5764271064600208},
                {"qg.w", 0.52824561490103217},
                {"qg.x", 0.25017474101638876},
                {"qg.y", 0.5475600531517022},
                {"qg.z", 0.59878807393577804},
                {"pr.x", 0.1838572486765471},
                {"pr.y", 0.13255764531625247},
                {"pr.z", 0.10883084702188411},
                {"qr.w", 0.86989173620623361},
                {"qr.x", 0.25720441292683827},
                {"qr.y", 0.10113325623444747},
                {"qr.z", 0.40854170134085849},
                {"lv.x", 0.99407618611538895},
                {"lv.y", 1.9302995509750271},
                {"lv.z", 3.0719515439675709},
                {"av.x", -0.14711544580182301},
                {"av.y", 0.93673824325260424},
                {"av.z", 0.65388477045610605},
                {"aa.x", -13.602122753180449},
                {"aa.y", 20.874263346605073},
                {"aa.z", 18.881376462255819},
                {"jp", 0.40000000000000002},
                {"jv", 0.90000000000000002},
                {"af", 1.5}};

// Nothing of it is iterated: the difference is rounding, 1e-14 of the largest.
static void sensors_read_what_mujoco_reads(void **state) {
    (void)state;
    world w = open_file(BRISTLE_SOURCE_DIR "/tests/data/robots/sensors/sensors.xml", 1);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        if (!(fabs(channel(&w, expected[k].name, NULL) - expected[k].value) < 1e-10))
            fail_msg("%s: %.15g, expected %.15g", expected[k].name, channel(&w, expected[k].name, NULL),
                     expected[k].value);
    // MuJoCo takes gravity off this one too; here it is what it is called.
    assert_near(channel(&w, "la.z", "m/s^2"), -6.7700091938665121, 1e-10);
    close_world(&w);
}

// A box on a floor with zones of every kind: below a corner, around the whole, beside it. The line from a contact into the box is looked at.
static void touch_is_the_force_in_the_zone(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_file(
        temp_write(
            "touch.xml",
            "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='0 0 "
            ".1'><freejoint/><geom type='box' "
            "size='.2 .2 .1' mass='4'/><site name='ball' type='sphere' size='.5'/><site name='corner' "
            "type='box' pos='.2 .2 "
            "-.1' size='.02 .02 .02'/><site name='left' type='box' pos='-.2 0 0' size='.1 .3 .01'/><site "
            "name='none' pos='1 1 1' "
            "size='.1'/><site name='can' type='cylinder' size='.4 .15'/><site name='pill' type='capsule' "
            "size='.4 .05'/>"
            "<site name='egg' type='ellipsoid' size='.4 .4 .2'/></body></worldbody><sensor><touch "
            "name='ball' site='ball'/>"
            "<touch name='corner' site='corner'/><touch name='left' site='left'/><touch name='none' "
            "site='none'/><touch name='can' "
            "site='can'/><touch name='pill' site='pill'/><touch name='egg' site='egg'/></sensor></mujoco>"),
        0);
    if (br_sim_advance(w.sim, 0.5, &error) != BR_OK) fail_msg("%s", error.message);
    const double weight = 4.0 * 9.81;
    static const char *const whole[] = {"ball", "can", "pill", "egg"};
    for (size_t k = 0; k < 4; k++) assert_near(channel(&w, whole[k], "N"), weight, 1e-6);
    assert_near(channel(&w, "corner", "N"), 0.25 * weight, 1e-6);
    assert_near(channel(&w, "left", "N"), 0.5 * weight, 1e-6);
    assert_near(channel(&w, "none", "N"), 0.0, 0.0);
    close_world(&w);
}

// The same in a model file, under every stepper that moves it: a pendulum's accelerometer at rest shows g against the string, its force
// the weight.
static void sensors_of_a_model_file_read_under_every_stepper(void **state) {
    (void)state;
    static const char *const steppers[] = {"contact", "reference", "implicit"};
    for (int s = 0; s < 3; s++) {
        char text[900];
        br_error error = {0};
        snprintf(text, sizeof text,
                 "format: 1\nbodies:\n  bob: {mass: 2 kg, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1], frames: "
                 "{imu: {position: [0, 0, -1]}}}\n"
                 "joints:\n  pin: {revolute: [world, bob], axis: y}\nsolver: {stepper: %s}\nsensors:\n  acc: "
                 "{accelerometer: bob.imu}\n"
                 "  f: {force: bob, at: [0, 0, 0]}\n  where: {position: bob.imu, seen_from: world, seen_at: "
                 "[0, 0, 1]}\n"
                 "  angle: {joint_position: pin, factor: 2}\n",
                 steppers[s]);
        world w = open_file(temp_write("sensors.yaml", text), 0);
        if (br_sim_advance(w.sim, 0.05, &error) != BR_OK) fail_msg("%s", error.message);
        assert_near(channel(&w, "acc.z", "m/s^2"), 9.81, 1e-9);
        assert_near(channel(&w, "f.z", "N"), 2.0 * 9.81, 1e-9);
        assert_near(channel(&w, "where.z", "m"), -2.0, 1e-12);
        assert_near(channel(&w, "angle", "rad"), 0.0, 1e-12);
        close_world(&w);
    }
}

static void mistakes_in_sensors_are_named(void **state) {
    (void)state;
    static const struct {
        const char *sensor, *code, *says;
    } bad[] = {
        {"s: {gyro: nobody}", "yaml-reference", "'nobody'"},
        {"s: {gyro: bob, force: bob}", NULL, ""},
        {"s: {gyroscope: bob}", NULL, ""},
        {"s: {gyro: bob, seen_from: world}", "yaml-unknown-key", "seen_from"},
        {"s: {force: world}", "sensor-frame", "fixed to the world"},
        {"s: {joint_position: pin, coordinate: 3}", "sensor-coordinate", "coordinate 3"},
        {"s: {drive_effort: motor}", "unknown-drive", "motor"},
        {"s: {touch: bob, zone: {plane: [1, 1, 1]}}", "yaml-unknown-key", "plane"},
        {"s: {touch: bob, zone: {sphere: [-1, 1, 1]}}", NULL, "-1"},
        {"t: {gyro: bob}", "name-duplicate", "the time"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[600];
        br_error error = {0};
        br_model *model = NULL;
        snprintf(text, sizeof text,
                 "format: 1\nbodies:\n  bob: {mass: 2 kg, com: [0, 0, -1], inertia: [0.1, 0.1, "
                 "0.1]}\njoints:\n  pin: {revolute: [world, bob], "
                 "axis: y}\nsensors:\n  %s\n",
                 bad[k].sensor);
        assert_true(br_model_read(temp_write("bad.yaml", text), NULL, 0, NULL, &model, NULL, &error) !=
                    BR_OK);
        if ((bad[k].code && strcmp(error.code, bad[k].code) != 0) || !strstr(error.message, bad[k].says) ||
            error.line != 7)
            fail_msg("%s: %d: %s: %s", bad[k].sensor, error.line, error.code, error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_read_what_mujoco_reads),
        cmocka_unit_test(touch_is_the_force_in_the_zone),
        cmocka_unit_test(sensors_of_a_model_file_read_under_every_stepper),
        cmocka_unit_test(mistakes_in_sensors_are_named),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
