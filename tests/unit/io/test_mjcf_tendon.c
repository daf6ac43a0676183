// Tendons of MJCF against MuJoCo 2.2.2: lengths, rates and accelerations at a keyframe, each kind of path in a file of its own with a
// spring, a damper, a motor, a servo and a servo that only pulls (tests/data/robots/tendons). The differences are rounding, 1e-14 of the
// largest; 1e-9 leaves room for compilers. Inside a shape MuJoCo ends its iteration at 1e-6, which is where the two differ by 1e-7.
#include <math.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define FOLDER BRISTLE_SOURCE_DIR "/tests/data/robots/tendons/"
#define BODY "<inertial pos='0.02 0.01 -0.5' mass='2' diaginertia='0.1 0.12 0.05'/>"

typedef struct world {
    br_model *model;
    br_sim *sim;
    br_import_report *report;
} world;

static world open_file(const char *path, int keyed) {
    world w = {0};
    br_error error = {0};
    const br_override change = {"import.keyframe", "k"};
    if (br_model_read_import(path, &change, keyed, NULL, &w.model, NULL, &w.report, &error) != BR_OK)
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
    const char *name;
    double length, rate, expected[12];
} paths[] = {
    {"plain",
     1.676221875145085,
     -0.62141498547886731,
     {96.430525529796114, 68.430981172601108, 7.3496760872758546, 156.87376693687128, -137.42642125928126,
      -109.87007409839978, -29.469629086095591, 5.3537780622209592, -8.859856001538855, -20.909894415533149,
      -26.822745450242959, 3.4577865047491443}},
    {"sphere",
     1.2378261293403416,
     -0.59685235456152497,
     {-174.09958890190038, -189.27200225044143, -5.6907044094807473, 175.71986445136329, -252.25144151098104,
      -8.2015400377579226, -15.801941412511946, -5.287788827520056, -9.451462217289734, -7.9795274296423919,
      -79.064910078953176, 37.714812559708747}},
    {"sphere_side",
     2.0420621998023094,
     -0.6449066688180245,
     {-0.89621891435594969, 30.895514901168017, 103.06618750621604, 30.257946124977035, -73.643901472973823,
      -6.6114581070864844, -52.88384968998173, 3.3959729173744124, -43.008749675244218, -102.94211215183475,
      -37.510455197904008, 147.48712565182524}},
    {"cylinder",
     1.4360894643415369,
     0.59104638052298464,
     {14.591756524554485, -24.717146492150487, -0.42833873780692311, 42.231651346586581, 21.79591946674573,
      13.847400492598, -10.485790054544385, -2.8515895070979296, -12.911668370666266, 0.10424455917481001,
      -26.437525738502568, -12.790686213361806}},
    {"cylinder_side",
     1.4689308821829672,
     0.37108919478028335,
     {-3.2902197865899168, 2.6933965754384492, -2.7551733434533285, 10.872283587810729, 12.726328451999692,
      12.897065550207845, -10.539159631658205, -2.8661072025711882, -12.927167326078337, 0.10503992542817109,
      -26.57214246658468, -12.856120283839292}},
    {"inside",
     1.7925937168739743,
     -0.7669009028435253,
     {55.076474575564035, -60.668346323576927, 93.906597466368126, 124.33312293871973, -86.285231102456663,
      -25.967060713554304, -46.368170792006879, 2.9742908002751882, -38.916882876510378, -90.247741189461451,
      -32.885575932379822, 129.31242681054849}},
};

static void tendons_pull_as_in_mujoco(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        char path[512];
        double vdot[12], largest = 0.0;
        br_error error = {0};
        snprintf(path, sizeof path, FOLDER "%s.xml", paths[k].name);
        world w = open_file(path, 1);
        const double tolerance = strcmp(paths[k].name, "inside") == 0 ? 1e-6 : 1e-9;
        assert_int_equal(br_model_nv(w.model), 12);
        if (br_sim_acceleration(w.sim, vdot, &error) != BR_OK)
            fail_msg("%s: %s", paths[k].name, error.message);
        for (int i = 0; i < 12; i++) largest = fmax(largest, fabs(paths[k].expected[i]));
        for (int i = 0; i < 12; i++)
            if (!(fabs(vdot[i] - paths[k].expected[i]) < tolerance * largest))
                fail_msg("%s, %d: %.15g, expected %.15g", paths[k].name, i, vdot[i], paths[k].expected[i]);
        assert_near(channel(&w, "t.position"), paths[k].length, 1e-12);
        assert_near(channel(&w, "t.velocity"), paths[k].rate, tolerance);
        assert_int_equal(moving_notes(&w), 0);
        close_world(&w);
    }
}

// Joints from 0 to 1 each let a tendon of both go from 0 to 3: a range from 0 to 3 is never met, one to 2.5 stops it.
static void tendons_stop_at_their_range(void **state) {
    (void)state;
    static const double most[] = {3.0, 2.5};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        br_error error = {0};
        snprintf(
            text, sizeof text,
            "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body name='a'>" BODY
            "<joint name='ja' axis='0 1 0' range='0 1' limited='true' damping='1'/><body name='b' pos='0 0 "
            "-1'>" BODY
            "<joint name='jb' axis='0 1 0' range='0 1' limited='true' damping='1'/></body></body></worldbody>"
            "<tendon><fixed name='t' limited='true' range='0 %g'><joint joint='ja' coef='1'/><joint "
            "joint='jb' coef='2'/>"
            "</fixed></tendon><actuator><motor tendon='t' gear='5'/></actuator><keyframe><key name='k' "
            "ctrl='1'/>"
            "</keyframe></mujoco>",
            most[k]);
        world w = open_file(temp_write("range.xml", text), 1);
        assert_int_equal(moving_notes(&w), 0);
        if (br_sim_advance(w.sim, 6.0, &error) != BR_OK) fail_msg("%s", error.message);
        assert_near(channel(&w, "t.position"), most[k], 1e-6);
        close_world(&w);
    }
}

// A range of springlength (MuJoCo 2.2.2 has none): no force within it.
static void springs_of_ropes_are_slack_within_springlength(void **state) {
    (void)state;
    static const double expected[] = {0.0, 0.0, 100.0 * 0.2};
    static const double at[] = {-0.3, -0.1, 0.0}; // of the slide: lengths 0.7, 0.9, 1
    for (int k = 0; k < 3; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><site name='s'/><body name='a' pos='0 0 1'>" BODY
                 "<joint name='ja' type='slide'/>"
                 "<site name='e'/></body></worldbody><tendon><spatial name='t' stiffness='100' "
                 "springlength='0 %g'>"
                 "<site site='s'/><site site='e'/></spatial></tendon><keyframe><key name='k' "
                 "qpos='%g'/></keyframe></mujoco>",
                 k == 2 ? 0.8 : 1.0, at[k]);
        world w = open_file(temp_write("slack.xml", text), 1);
        assert_near(channel(&w, "t.tension"), expected[k], 1e-12);
        assert_int_equal(moving_notes(&w), 0);
        close_world(&w);
    }
}

// Tendons that an equality couples, at their speeds.
static void coupled_tendons_move_together(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_file(
        temp_write(
            "equal.xml",
            "<mujoco><worldbody><site name='s' pos='0 0 2'/><body name='a' pos='0 0 1'>" BODY
            "<joint name='ja' type='slide'/><site name='e'/></body><body name='b' pos='1 0 1'>" BODY
            "<joint name='jb' type='slide' damping='30'/><site name='f' pos='-1 0 0'/></body></worldbody>"
            "<tendon><spatial name='t'><site site='s'/><site site='e'/></spatial><spatial name='u'>"
            "<site site='s'/><site site='f'/></spatial></tendon><equality><tendon tendon1='t' tendon2='u' "
            "polycoef='0 2 0 0 0'/></equality></mujoco>"),
        0);
    if (br_sim_advance(w.sim, 0.2, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(channel(&w, "t.velocity"), 2.0 * channel(&w, "u.velocity"), 1e-9);
    assert_true(fabs(channel(&w, "u.velocity")) > 0.05);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tendons_pull_as_in_mujoco),
        cmocka_unit_test(tendons_stop_at_their_range),
        cmocka_unit_test(springs_of_ropes_are_slack_within_springlength),
        cmocka_unit_test(coupled_tendons_move_together),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
