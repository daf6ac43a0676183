// Imported models that must be refused by name and place, or read, and never hang: keyframes, tendons, meshes that are
// pipes or devices, elements that would make a thousand bodies. And memory that runs out at every call.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bristle/io.h"
#include "counting_allocator.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

static br_error attempt(const char *path, const br_override *changes, int count) {
    br_error error = {0};
    br_model *model = NULL;
    const br_status status = br_model_read(path, changes, count, NULL, &model, NULL, &error);
    assert_int_equal(status, error.status);
    br_model_destroy(model);
    if (!error.code) error.code = "";
    return error;
}

#define INERTIAL "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define MODEL(rest)                                                                                          \
    "<mujoco>\n<worldbody><body name='a'>" INERTIAL "<joint name='j'/></body><body name='b'>" INERTIAL       \
    "<joint name='k' type='ball'/></body></worldbody>\n" rest "</mujoco>"
#define WRAPPED(path)                                                                                        \
    "<mujoco>\n<worldbody><site name='s'/><body name='a'>" INERTIAL "<joint name='j'/>"                      \
    "<geom name='g' size='0.1'/></body></worldbody>\n<tendon><spatial springlength='-1' "                    \
    "stiffness='1'>\n" path "</spatial></tendon></mujoco>"
#define BODY(inside)                                                                                         \
    "<mujoco>\n<worldbody><body name='a'>" INERTIAL "<joint/>\n" inside "</body></worldbody></mujoco>"
#define MESH(file)                                                                                           \
    "<mujoco>\n<asset><mesh name='m' file='" file "'/></asset><worldbody><body name='a'><joint/>\n"          \
    "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"

static void mistakes_are_named_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *code;
        int line;
        const char *says;
    } row[] = {
        {MODEL("<keyframe><key qpos='0 1 0 0'/></keyframe>"), "mjcf-count", 3,
         "<key> qpos has 4 numbers, expected 5, as many as the model has position coordinates"},
        {MODEL("<keyframe><key qvel='0 1 0 0 2'/></keyframe>"), "mjcf-count", 3, "expected 4"},
        {MODEL("<keyframe><key ctrl='0'/></keyframe>"), "mjcf-count", 3, "has 1 number, expected 0"},
        {MODEL("<keyframe><key qpos='0 nan 0 0 1'/></keyframe>"), "mjcf-not-finite", 3, "nan"},
        {MODEL("<keyframe><key qpos='0 1e999 0 0 1'/></keyframe>"), "mjcf-not-finite", 3,
         "expected a finite"},
        {MODEL("<keyframe><key name='x' qpos='0 0 0 0 0'/></keyframe>"), "mjcf-axis", 3,
         "the quaternion of 'k' is zero"},
        {MODEL("<tendon><fixed/></tendon>"), "mjcf-structure", 3, "<fixed> has no joints"},
        {MODEL("<tendon><fixed><joint joint='i' coef='1'/></fixed></tendon>"), "mjcf-unknown-name", 3,
         "there is no 'i'"},
        {MODEL("<tendon><fixed><joint joint='k' coef='1'/></fixed></tendon>"), "mjcf-structure", 3,
         "'k' is not a hinge or slide joint"},
        {MODEL("<tendon><fixed><joint joint='j'/></fixed></tendon>"), "mjcf-missing", 3, "has no coef"},
        {MODEL("<tendon><fixed stiffness='-1'><joint joint='j' coef='1'/></fixed></tendon>"), "mjcf-range", 3,
         "stiffness is -1"},
        {MODEL("<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><fixed name='t'><joint joint='j' "
               "coef='1'/></fixed></tendon>"),
         "mjcf-duplicate-name", 3, "a tendon named 't'"},
        {MODEL("<tendon><spatial/></tendon>"), "mjcf-structure", 3, "<spatial> has no sites"},
        {MODEL("<tendon><spatial><site site='s'/></spatial></tendon>"), "mjcf-unknown-name", 3,
         "there is no 's'"},
        {MODEL("<tendon><spatial><site/></spatial></tendon>"), "mjcf-missing", 3, "names no site"},
        {MODEL("<tendon><spatial><geom geom='none'/></spatial></tendon>"), "mjcf-unknown-name", 3,
         "there is no 'none'"},
        {MODEL("<tendon><spatial><pulley divisor='0'/></spatial></tendon>"), "tendon-path", 3, "divisor"},
        {MODEL("<tendon><spatial><pulley divisor='nan'/></spatial></tendon>"), "mjcf-not-finite", 3,
         "divisor"},
        {MODEL("<tendon><spatial><body/></spatial></tendon>"), "mjcf-structure", 3,
         "expected <site>, <geom> or <pulley>"},
        {WRAPPED("<site site='s'/><geom geom='g'/>"), "mjcf-structure", 4, "stands between two <site>s"},
        {WRAPPED("<geom geom='g'/><site site='s'/>"), "mjcf-structure", 4, "stands between two <site>s"},
        {WRAPPED("<site site='s'/><geom geom='g'/><pulley divisor='2'/><site site='s'/><site site='s'/>"),
         "mjcf-structure", 4, "stands between two <site>s"},
        {MODEL("<actuator><motor tendon='t'/></actuator>"), "mjcf-unknown-name", 3, "<motor> tendon"},
        {MODEL("<actuator><motor joint='j' ctrlrange='1 -1' ctrllimited='true'/></actuator>"), "mjcf-range",
         3, "ctrlrange is 1 to -1"},
        {MODEL("<actuator><position joint='j' kp='-1'/></actuator>"), "mjcf-range", 3, "kp is negative"},
        {MODEL("<actuator><position joint='j' kv='1' dampratio='1'/></actuator>"), "mjcf-structure", 3,
         "both kv and dampratio"},
        {MODEL("<equality><connect site1='s' site2='t'/></equality>"), "mjcf-unknown-name", 3, "site1"},
        {MODEL("<equality><tendon tendon1='t'/></equality>"), "mjcf-unknown-name", 3, "tendon1"},
        {BODY("<replicate count='1000000000' offset='1 0 0'><body/></replicate>"), "mjcf-range", 3,
         "count is 1e+09, expected a whole number from 1 to 100000"},
        {BODY("<replicate count='99999'><replicate count='99999'><body/></replicate></replicate>"),
         "mjcf-range", 3, "makes more than 1048576 elements"},
        {BODY("<replicate offset='1 0 0'><body/></replicate>"), "mjcf-missing", 3, "has no count"},
        {BODY("<attach model='x'/>"), "mjcf-missing", 3, "<attach>"},
        {BODY("<composite type='particle' count='9 9 9'/>"), "mjcf-not-read", 3, "<composite>"},
        {BODY("<flexcomp name='f'/>"), "mjcf-not-read", 3, "<flexcomp>"},
        {BODY("<site name='s'/><site name='s'/>"), "mjcf-duplicate-name", 3, "a <site> named 's'"},
        {BODY("<site name='s' pos='1 2'/>"), "mjcf-count", 3, "pos has 2"},
        {MESH("nowhere.stl"), "mjcf-mesh-mass", 3, "a mesh that is not there or not read (nowhere.stl)"},
        {MESH("pipe.stl"), "file-unreadable", 0, "is a pipe"},
        {MESH("folder.stl"), "file-is-folder", 0, ""},
        {MESH("flat.obj"), "mjcf-mesh-mass", 2, "its 0 faces enclose 0 m^3"},
        {MESH("inside.obj' inertia='exact"), "mjcf-mesh-mass", 2, "turned inside out"},
        {MESH("wrong.obj"), "mesh-face", 5, "'9' is none of the 4 vertices before it"},
        {"<mujoco>\n<include file='pipe.xml'/></mujoco>", "mjcf-include", 2, "it is a pipe"},
    };
    static const char points[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    char text[200];
    assert_int_equal(mkfifo(temp_path("pipe.stl"), 0600), 0);
    assert_int_equal(mkfifo(temp_path("pipe.xml"), 0600), 0);
    assert_int_equal(mkdir(temp_path("folder.stl"), 0700), 0);
    temp_write("flat.obj", points);
    snprintf(text, sizeof text, "%sf 1 2 3\nf 1 4 2\nf 1 3 4\nf 4 3 2\n", points);
    temp_write("inside.obj", text);
    snprintf(text, sizeof text, "%sf 1 2 9\n", points);
    temp_write("wrong.obj", text);
    alarm(60); // a pipe that is waited for
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        static const br_override chosen = {"import.keyframe", "x"};
        const int keyed = strstr(row[k].text, "name='x'") != NULL;
        const br_error error = attempt(temp_write("mistake.xml", row[k].text), &chosen, keyed);
        if (strcmp(error.code, row[k].code) != 0 || error.line != row[k].line || !error.file[0] ||
            !strstr(error.message, row[k].says))
            fail_msg("%s\n%s:%d: %s [%s]", row[k].text, error.file, error.line, error.message, error.code);
    }
    alarm(0);
    rmdir(temp_path("folder.stl"));
}

static void devices_are_no_models(void **state) {
    (void)state;
    assert_int_equal(mkfifo(temp_path("tube.urdf"), 0600), 0);
    alarm(60);
    assert_string_equal(attempt(temp_write("tube.yaml", "format: 1\nimport: tube.urdf\n"), NULL, 0).code,
                        "import-missing");
    static const br_override outside = {"import.outside", "true"};
    static const char *const texts[] = {MESH("/dev/zero"), "<mujoco><include file='/dev/zero'/></mujoco>",
                                        "<mujoco><include file='/dev/stdin'/></mujoco>"};
    alarm(60);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const br_error error = attempt(temp_write("device.xml", texts[k]), &outside, 1);
        assert_string_not_equal(error.code, "");
    }
    alarm(0);
}

// A thousand classes within each other, which is one more than there may be; and as many that stand side by side.
static void default_classes_have_an_end(void **state) {
    (void)state;
    for (int depth = 990; depth <= 1010; depth += 20) {
        char *text = malloc((size_t)depth * 60 + 500), *at = text;
        at += sprintf(at, "<mujoco><default>");
        for (int k = 0; k < depth; k++) at += sprintf(at, "<default class='c%d'><joint damping='%d'/>", k, k);
        for (int k = 0; k < depth; k++) at += sprintf(at, "</default>");
        sprintf(at,
                "</default><worldbody><body name='a'>" INERTIAL
                "<joint class='c%d'/></body></worldbody></mujoco>",
                depth - 1);
        const br_error error = attempt(temp_write("classes.xml", text), NULL, 0);
        assert_string_equal(error.code, depth < 1000 ? "" : "mjcf-default");
        free(text);
    }
}

// Files kept with the project's reference data; each is refused with its place, or read.
static void shared_hostile_files_are_refused_or_read(void **state) {
    (void)state;
    static const char folder[] = BRISTLE_SOURCE_DIR "/../shared/problems/hostile";
    DIR *dir = opendir(folder);
    int count = 0, refused = 0;
    if (!dir) skip();
    alarm(120);
    for (const struct dirent *e; (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        char path[600];
        if (!dot || strcmp(dot, ".xml") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        const br_error error = attempt(path, NULL, 0);
        count++;
        refused += error.code[0] != '\0';
        if (error.code[0] && (!error.file[0] || error.line < 1))
            fail_msg("%s: %s [%s] has no place", e->d_name, error.message, error.code);
    }
    alarm(0);
    closedir(dir);
    print_message("%d files, %d refused\n", count, refused);
    assert_true(count > 20);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    static const br_override keyframe = {"import.keyframe", "k"};
    temp_write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    temp_write(
        "robot.xml",
        "<mujoco><asset><mesh name='t' file='t.obj'/></asset><worldbody><body name='a'><joint "
        "name='j'/><geom "
        "type='mesh' mesh='t'/><site name='s'/><body name='c' pos='0 1 0' gravcomp='1'>" INERTIAL
        "<joint name='k'/></body></body></worldbody><tendon><fixed name='t' stiffness='1'><joint joint='j' "
        "coef='1'/><joint joint='k' coef='2'/></fixed></tendon><equality><joint joint1='j' joint2='k' "
        "polycoef='0 1 1'/></equality><actuator><position tendon='t' "
        "dampratio='1'/></actuator><keyframe><key "
        "name='k' qpos='0 0' ctrl='1'/></keyframe></mujoco>");
    const char *path = temp_write(
        "model.yaml",
        "format: 1\nimport: robot.xml\njoints:\n  j: {damping: 1}\npairs: {default/default: {mu: 1}}\n");
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_error error = {0};
        br_model *model = NULL;
        const br_status status = br_model_read(path, &keyframe, 1, &allocator, &model, NULL, &error);
        if (counter.failed)
            assert_int_equal(status, BR_NO_MEMORY);
        else if (status != BR_OK)
            fail_msg("%s:%d: %s", error.file, error.line, error.message);
        br_model_destroy(model);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(devices_are_no_models),
        cmocka_unit_test(default_classes_have_an_end),
        cmocka_unit_test(shared_hostile_files_are_refused_or_read),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
