// <attach>: what is put together from several files is the same model as the one that has it all in one file, by its accelerations;
// attachments without an end, without a file or without a name are errors with their place.
#include <math.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#define BODY "<inertial pos='0.02 0.01 -0.5' mass='2' diaginertia='0.1 0.12 0.05'/>"

static br_status try_file(const char *path, br_sim **sim, br_model **model, br_error *error) {
    br_status status = br_model_read(path, NULL, 0, NULL, model, NULL, error);
    if (status == BR_OK && sim) status = br_sim_create(*model, NULL, sim, error);
    return status;
}

// An arm in radians, with classes, a tendon and motors, of which a part is left behind: what names it does not come along.
static const char arm[] =
    "<mujoco><compiler angle='radian' eulerseq='zyx'/><default><joint damping='0.3'/><default "
    "class='stiff'><joint stiffness='5'/>"
    "</default></default><option gravity='0 0 -1'/><worldbody><geom name='floor' type='plane' size='1 1 "
    "1'/><body name='post'>" BODY
    "<joint name='left_behind'/><body name='upper' pos='0 0 1' euler='0.1 0.2 0.3'>" BODY
    "<joint name='s' axis='0 1 0' range='-2 2'/><site name='a' pos='0.1 0 0.1'/><body name='fore' pos='0 0 "
    "-1'>" BODY "<joint name='e' class='stiff' axis='1 0 0'/><site name='b' pos='0 0.1 "
    "-0.2'/></body></body></body></worldbody>"
    "<tendon><spatial name='t' stiffness='20' springlength='0.5'><site site='a'/><site "
    "site='b'/></spatial></tendon>"
    "<actuator><motor name='m' joint='e' gear='3' ctrlrange='0.5 1' ctrllimited='true'/><motor name='gone' "
    "joint='left_behind'/></actuator></mujoco>";
#define ARM(p, place)                                                                                        \
    "<body name='" p "upper' " place ">" BODY "<joint name='" p                                              \
    "s' axis='0 1 0' damping='0.3' range='-114.59155902616465 114.59155902616465'/>"                         \
    "<site name='" p "a' pos='0.1 0 0.1'/><body name='" p "fore' pos='0 0 -1'>" BODY "<joint name='" p       \
    "e' axis='1 0 0' damping='0.3' stiffness='5'/><site name='" p "b' pos='0 0.1 -0.2'/></body></body>"
#define PULL(p)                                                                                              \
    "<spatial name='" p "t' stiffness='20' springlength='0.5'><site site='" p "a'/><site site='" p           \
    "b'/></spatial>"
#define MOTOR(p) "<motor name='" p "m' joint='" p "e' gear='3' ctrlrange='0.5 1' ctrllimited='true'/>"

static void attached_parts_move_as_if_written_out(void **state) {
    (void)state;
    char whole[6000];
    double vdot[2][8];
    br_error error = {0};
    temp_write("arm.xml", arm);
    const char *parts = temp_write(
        "parts.xml", "<mujoco><default><joint damping='7'/></default><asset><model name='arm' "
                     "file='arm.xml'/></asset><worldbody>"
                     "<body name='cart'><freejoint/>" BODY
                     "<attach model='arm' body='upper' prefix='l_'/><frame pos='1 0 0'>"
                     "<attach model='arm' body='upper' prefix='r_'/></frame></body></worldbody></mujoco>");
    snprintf(whole, sizeof whole,
             "<mujoco><worldbody><body name='cart'><freejoint/>" BODY
             "%s<frame pos='1 0 0'>%s</frame></body></worldbody>"
             "<tendon>" PULL("l_") PULL("r_") "</tendon><actuator>" MOTOR("l_")
                 MOTOR("r_") "</actuator></mujoco>",
             ARM("l_", "pos='0 0 1' euler='EULER'"), ARM("r_", "pos='0 0 1' euler='EULER'"));
    // euler zyx of radians: 0.1 about z, 0.2 about y, 0.3 about x.
    const double z = 0.05, y = 0.1, x = 0.15;
    char text[7000], quat[200];
    const double w = cos(x) * cos(y) * cos(z) + sin(x) * sin(y) * sin(z),
                 i = sin(x) * cos(y) * cos(z) - cos(x) * sin(y) * sin(z),
                 j = cos(x) * sin(y) * cos(z) + sin(x) * cos(y) * sin(z),
                 k = cos(x) * cos(y) * sin(z) - sin(x) * sin(y) * cos(z);
    snprintf(quat, sizeof quat, "quat='%.17g %.17g %.17g %.17g'", w, i, j, k);
    char *out = text;
    for (const char *p = whole; *p;) {
        const int here = strncmp(p, "euler='EULER'", 13) == 0;
        if (here)
            out += snprintf(out, sizeof quat, "%s", quat), p += 13;
        else
            *out++ = *p++;
    }
    *out = '\0';
    const char *paths[2] = {parts, temp_write("whole.xml", text)};
    for (int f = 0; f < 2; f++) {
        br_model *model = NULL;
        br_sim *sim = NULL;
        if (try_file(paths[f], &sim, &model, &error) != BR_OK)
            fail_msg("%s:%d: %s", error.file, error.line, error.message);
        assert_int_equal(br_model_nv(model), 10);
        assert_true(br_model_joint_find(model, "l_e") >= 0 && br_model_joint_find(model, "r_t") >= 0);
        assert_int_equal(br_model_joint_find(model, "l_left_behind"), -1);
        double all[10];
        if (br_sim_acceleration(sim, all, &error) != BR_OK) fail_msg("%s", error.message);
        memcpy(vdot[f], all + 2, sizeof vdot[f]);
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
    // The order of bodies is the same, so that sums differ by the rounding of one rotation.
    for (int n = 0; n < 8; n++) assert_near(vdot[0][n], vdot[1][n], 1e-12 * (1.0 + fabs(vdot[1][n])));
}

static void a_part_of_the_same_file_is_attached_again(void **state) {
    (void)state;
    br_model *model = NULL;
    br_error error = {0};
    const char *path = temp_write(
        "self.xml", "<mujoco><worldbody><body name='leg' pos='1 0 0'>" BODY
                    "<joint name='j'/></body><frame pos='0 2 0'><attach body='leg' prefix='other_'/></frame>"
                    "</worldbody><actuator><motor name='m' joint='j'/></actuator></mujoco>");
    if (try_file(path, NULL, &model, &error) != BR_OK) fail_msg("%d: %s", error.line, error.message);
    assert_int_equal(br_model_nv(model), 2);
    assert_true(br_model_joint_find(model, "other_j") >= 0);
    br_model_destroy(model);
}

static void hostile_attachments_are_errors_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *world, *assets, *code, *says;
    } row[] = {
        {"<attach model='x' prefix='p'/>", "", "mjcf-unknown-name", "no <model> 'x'"},
        {"<attach prefix='p'/>", "", "mjcf-missing", "names no model"},
        {"<attach model='x'/>", "", "mjcf-missing", "no prefix"},
        {"<attach model='x' body='b' frame='f' prefix='p'/>", "<model name='x' file='part.xml'/>",
         "mjcf-structure", "one of them"},
        {"<attach model='x' body='none' prefix='p'/>", "<model name='x' file='part.xml'/>",
         "mjcf-unknown-name", "there is no 'none'"},
        {"<attach model='x' prefix='p'/>", "<model name='x' file='nowhere.xml'/>", "mjcf-include",
         "no such file"},
        {"<attach model='x' prefix='p'/>", "<model name='x' file='../../etc/passwd'/>",
         "mjcf-include-outside", "outside"},
        {"<attach model='x' prefix='p'/>", "<model name='x' file='/dev/zero'/>", "mjcf-include-outside",
         "outside"},
        {"<attach model='x' prefix='p'/>", "<model name='x' file='hostile.xml'/>", "mjcf-attach-cycle",
         "no end"},
        {"<attach model='x' prefix='p'/>", "<model name='x' file='loop.xml'/>", "mjcf-attach-cycle",
         "no end"},
        {"<body name='a'><attach body='a' prefix='p'/></body>", "", "mjcf-attach-cycle",
         "inside of what it attaches"},
        {"<body name='a'><attach body='b' prefix='p'/></body><body name='b'><attach body='a' "
         "prefix='q'/></body>",
         "", NULL, ""},
        {"<attach model='part' prefix='p'/><attach model='part' prefix='p'/>", "<model file='part.xml'/>",
         "mjcf-duplicate-name", "'pb'"},
        {"<attach model='x' prefix='p'><body/></attach>", "<model name='x' file='part.xml'/>",
         "mjcf-structure", "must be empty"},
    };
    temp_write("part.xml", "<mujoco><worldbody><body name='b'>" BODY "</body></worldbody></mujoco>");
    temp_write(
        "loop.xml",
        "<mujoco><asset><model name='y' file='loop2.xml'/></asset><worldbody><attach model='y' prefix='p'/>"
        "</worldbody></mujoco>");
    temp_write(
        "loop2.xml",
        "<mujoco><asset><model name='y' file='loop.xml'/></asset><worldbody><attach model='y' prefix='p'/>"
        "</worldbody></mujoco>");
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[900];
        br_error error = {0};
        br_model *model = NULL;
        snprintf(text, sizeof text, "<mujoco><asset>%s</asset>\n<worldbody>%s</worldbody></mujoco>",
                 row[k].assets, row[k].world);
        const br_status status = try_file(temp_write("hostile.xml", text), NULL, &model, &error);
        if (status == BR_OK || (row[k].code && strcmp(error.code, row[k].code) != 0) ||
            !strstr(error.message, row[k].says) || error.line < 1)
            fail_msg("%s: %d, line %d: %s: %s", row[k].world, status, error.line, error.code, error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attached_parts_move_as_if_written_out),
        cmocka_unit_test(a_part_of_the_same_file_is_attached_again),
        cmocka_unit_test(hostile_attachments_are_errors_with_their_place),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
