// MuJoCo models that must be refused, each with its code, line and message; attacks that must do nothing;
// files cut short and bytes changed at every place; and memory that runs out at every call.
#include <sys/stat.h>
#include <unistd.h>

#include "bristle/io.h"
#include "counting_allocator.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define HOSTILE BRISTLE_SOURCE_DIR "/tests/data/hostile/"
#define FEATURES BRISTLE_SOURCE_DIR "/tests/data/robots/features/features.xml"

// Reads and creates. The code of what went wrong, "" when nothing did.
static br_error attempt(const char *path, int strict) {
    br_error error = {0};
    br_builder *builder = NULL;
    br_import_report *report = NULL;
    br_model *model = NULL;
    const br_import_options options = {.strict = strict};
    br_status status = br_mjcf_read(path, &options, NULL, &builder, &report, &error);
    if (status != BR_OK) {
        assert_null(builder);
        assert_null(report);
    } else {
        status = br_model_create(builder, &model, &error);
        if (status != BR_OK) br_import_report_place(report, &error);
    }
    assert_int_equal(status, error.status);
    if (status != BR_OK) assert_true(error.code && error.code[0] && error.message[0]);
    br_model_destroy(model);
    br_builder_destroy(builder);
    br_import_report_free(report);
    if (!error.code) error.code = "";
    return error;
}

static void hostile_files_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *file, *code;
    } row[] = {
        {"axis_zero.xml", "mjcf-axis"},
        {"bom.xml", ""},
        {"deep_100.xml", ""},
        {"dup_names.xml", "mjcf-duplicate-name"},
        {"entity_bomb.xml", "xml-doctype"},
        {"eq_self.xml", "mjcf-structure"},
        {"friction_neg.xml", "mjcf-range"},
        {"hfield_huge.xml", ""}, // no shape is made of it, so its heights are never asked for
        {"include_b.xml", "mjcf-include"},
        {"include_passwd.xml", "mjcf-include-outside"},
        {"include_trav.xml", "mjcf-include-outside"},
        {"inertia_neg.xml", "body-inertia-indefinite"},
        {"iter_huge.xml", ""}, // settings of MuJoCo's solver and memory are not used
        {"mass_0.xml", "mjcf-range"},
        {"mass_1_0.xml", "mjcf-not-a-number"},
        {"mass_1e400.xml", "mjcf-not-finite"},
        {"mass_inf.xml", "mjcf-not-finite"},
        {"mass_mm1.xml", "mjcf-not-a-number"},
        {"mesh_dev.xml", "mjcf-mesh-mass"}, // a mass is never taken from a mesh
        {"mesh_missing.xml", "mjcf-mesh-mass"},
        {"mesh_zero.xml", "mjcf-mesh-mass"},
        {"nconmax_neg.xml", ""},
        {"nstack_huge.xml", ""},
        {"pos_long.xml", "mjcf-count"},
        {"pos_short.xml", "mjcf-count"},
        {"range_inverted.xml", "mjcf-range"},
        {"timestep_0.xml", "mjcf-range"},
        {"timestep_nan.xml", "mjcf-not-finite"},
        {"utf8_bad.xml", "xml-syntax"},
        {"xxe.xml", "xml-doctype"},
        {"u_cycle.urdf", "mjcf-urdf"},
        {"u_mass_nan.urdf", "mjcf-urdf"},
        {"u_missing_child.urdf", "mjcf-urdf"},
        {"u_selfjoint.urdf", "mjcf-urdf"},
        {"u_two_roots.urdf", "mjcf-urdf"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char path[512];
        snprintf(path, sizeof path, HOSTILE "%s", row[k].file);
        const br_error error = attempt(path, 0);
        if (strcmp(error.code, row[k].code) != 0)
            fail_msg("%s: %s (%s), expected %s", row[k].file, error.code, error.message, row[k].code);
        if (row[k].code[0]) assert_int_equal(error.line, 1);
    }
}

#define INERTIAL "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define BODY(inside)                                                                                         \
    "<mujoco>\n<worldbody>\n<body name='a'>\n" INERTIAL inside "</body>\n</worldbody>\n</mujoco>\n"

static void mistakes_are_named_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *code;
        int line;
        const char *says;
    } row[] = {
        {"", "xml-syntax", 1, "no element found"},
        {"<mujoco>", "xml-syntax", 1, "it ends before </mujoco>, which closes the <mujoco> of line 1"},
        {"<mujoco>\n<worldbody>\n</mujoco>", "xml-syntax", 3,
         "</mujoco>, expected </worldbody>, which closes the <worldbody> of line 2"},
        {"<sdf/>", "mjcf-root", 1, "begins with <sdf>, expected <mujoco>"},
        {"<mujoco>&lol;</mujoco>", "xml-syntax", 1, "undefined entity"},
        {BODY("\n<geom type='box' sise='1 1 1'/>"), "mjcf-count", 5,
         "<geom> size has 0 numbers, expected 3 for a box; did you mean size for 'sise'?"},
        {BODY("\n<joint type='hnge'/>"), "mjcf-word", 5,
         "type is 'hnge', expected one of free, ball, slide, hinge; did you mean 'hinge'?"},
        {BODY("\n<joint axis='0 0'/>"), "mjcf-count", 5, "<joint> axis has 2 numbers, expected 3"},
        {BODY("\n<joint class='hip'/>"), "mjcf-unknown-class", 5, "there is no default class 'hip'"},
        {BODY("\n<joint limited='yes'/>"), "mjcf-word", 5,
         "limited is 'yes', expected one of false, true, auto"},
        {BODY("\n<joint damping='-1'/>"), "model-negative", 5, "damping"},
        {BODY("\n<joint/><body>" INERTIAL "<freejoint/></body>"), "mjcf-structure", 5,
         "only a body of <worldbody>"},
        {BODY("\n<joint/><freejoint/>"), "mjcf-structure", 5, "only joint of its body"},
        {BODY("<joint/><joint/><joint/><joint/><joint/><joint/>\n<joint/>"), "mjcf-structure", 5,
         "more than six joints"},
        {BODY("\n" INERTIAL), "mjcf-structure", 5, "a second <inertial>"},
        {BODY("\n<geom quat='1 0 0 0' euler='0 0 1'/>"), "mjcf-orientation", 5, "more than one of quat"},
        {BODY("\n<geom size='1' quat='0 0 0 0'/>"), "mjcf-axis", 5, "quat is zero"},
        {BODY("\n<geom size='1' xyaxes='1 0 0 2 0 0'/>"), "mjcf-axis", 5, "same direction"},
        {BODY("\n<geom type='box' size='1 2'/>"), "mjcf-count", 5,
         "size has 2 numbers, expected 3 for a box"},
        {BODY("\n<geom size='-1'/>"), "mjcf-range", 5, "size is -1"},
        {BODY("\n<geom size='1' density='-1'/>"), "mjcf-range", 5, "density is -1"},
        {"<mujoco><worldbody><body>\n<inertial pos='0 0 0'/></body></worldbody></mujoco>", "mjcf-missing", 2,
         "<inertial> has no mass"},
        {"<mujoco><worldbody>\n<joint/></worldbody></mujoco>", "mjcf-structure", 2,
         "the world does not move"},
        {"<mujoco>\n<compiler angle='grad'/><worldbody/></mujoco>", "mjcf-word", 2,
         "expected one of radian, degree"},
        {"<mujoco>\n<compiler coordinate='global'/><worldbody/></mujoco>", "mjcf-word", 2,
         "expected one of local"},
        {"<mujoco>\n<compiler eulerseq='xyq'/><worldbody/></mujoco>", "mjcf-word", 2, "three of x, y, z"},
        {"<mujoco>\n<default><default/></default><worldbody/></mujoco>", "mjcf-default", 2, "needs a class"},
        {BODY("<joint name='j'/>") "<x/>", "xml-syntax", 7, "junk after document element"},
        {"<mujoco><worldbody><body name='a'>" INERTIAL "<joint name='j'/></body></worldbody>\n<actuator>"
         "<motor joint='i'/></actuator></mujoco>",
         "mjcf-unknown-name", 2, "<motor> joint: there is no 'i'"},
        {"<mujoco><worldbody><body name='a'>" INERTIAL "<joint name='elbow'/></body></worldbody>\n<equality>"
         "<joint joint1='elbo'/></equality></mujoco>",
         "mjcf-unknown-name", 2, "there is no 'elbo'; did you mean 'elbow'?"},
        {"<mujoco><worldbody/>\n<equality><weld body1='x'/></equality></mujoco>", "mjcf-unknown-name", 2,
         "<weld> body1: there is no 'x'"},
        {"<mujoco>\n<include/></mujoco>", "mjcf-include", 2, "names no file"},
        {"<mujoco>\n<include file='/dev/zero'/></mujoco>", "mjcf-include-outside", 2,
         "outside the model's folder; --set import.outside=true allows it"},
        {"<mujoco>\n<include file='sub/../../x.xml'/></mujoco>", "mjcf-include-outside", 2,
         "outside the model's folder; --set import.outside=true allows it"},
        {"<mujoco>\n<include file='mistake.xml'/></mujoco>", "mjcf-include", 2, "already read once"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const br_error error = attempt(temp_write("mistake.xml", row[k].text), 0);
        if (strcmp(error.code, row[k].code) != 0 || error.line != row[k].line ||
            !strstr(error.message, row[k].says))
            fail_msg("%s\n%s, line %d: %s", row[k].text, error.code, error.line, error.message);
    }
}

static void what_is_not_represented_is_reported_and_strict_refuses_it(void **state) {
    (void)state;
    const char *path = temp_write(
        "notes.xml", "<mujoco><worldbody><body name='a'>" INERTIAL
                     "<joint springdamper='1 1' dampng='3'/><geom size='1' rgba='1 0 0 1' solref='0.1 1'/>"
                     "<geom size='1' contype='0' conaffinity='0'/></body></worldbody>"
                     "<tendon><rope/></tendon><visual><map/></visual></mujoco>");
    static const struct {
        const char *element, *attribute, *says;
        br_import_effect effect;
    } row[] = {{"joint", "springdamper", "give stiffness and damping", BR_IMPORT_MOTION},
               {"joint", "dampng", "did you mean 'damping'?", BR_IMPORT_MOTION},
               {"geom", "solref", "rigid", BR_IMPORT_NUMERICS},
               {"geom", "", "pictures", BR_IMPORT_LOOKS},
               {"geom", "rgba", "pictures", BR_IMPORT_LOOKS},
               {"rope", "", "does not know", BR_IMPORT_MOTION},
               {"visual", "", "pictures", BR_IMPORT_LOOKS}};
    br_error error = {0};
    br_builder *builder = NULL;
    br_import_report *report = NULL;
    br_model *model = NULL;
    assert_int_equal(br_mjcf_read(path, NULL, NULL, &builder, &report, &error), BR_OK);
    assert_int_equal(br_import_report_count(report), 7);
    for (size_t k = 0; k < 7; k++) {
        int found = 0;
        for (int i = 0; i < 7; i++) {
            const br_import_note *n = br_import_report_note(report, i);
            found |= strcmp(n->element, row[k].element) == 0 && strcmp(n->attribute, row[k].attribute) == 0 &&
                     strstr(n->why, row[k].says) && n->effect == row[k].effect && n->line == 1 &&
                     n->count == 1;
        }
        if (!found) fail_msg("<%s> %s is not noted", row[k].element, row[k].attribute);
    }
    assert_int_equal(br_model_create(builder, &model, &error), BR_OK);
    assert_non_null(
        strstr(br_model_notes(model), "not imported: <joint> springdamper, line 1: give stiffness"));
    br_model_destroy(model);
    br_builder_destroy(builder);
    br_import_report_free(report);
    error = attempt(path, 1);
    assert_string_equal(error.code, "import-not-represented");
    assert_non_null(strstr(error.message, "and 2 more like it"));
    assert_int_equal(error.line, 1);
    assert_string_equal(attempt(HOSTILE "iter_huge.xml", 1).code, "");
}

static void includes_stay_in_the_folder(void **state) {
    (void)state;
    temp_write("arm.xml", "<mujocoinclude><body name='b'>" INERTIAL "<joint/></body></mujocoinclude>");
    const char *path =
        temp_write("main.xml", "<mujoco><worldbody><body name='a'>" INERTIAL
                               "<joint/><include file='arm.xml'/></body></worldbody></mujoco>");
    assert_string_equal(attempt(path, 0).code, "");
    path = temp_write("twice.xml",
                      "<mujoco><worldbody><include file='arm.xml'/><include file='arm.xml'/></worldbody>"
                      "</mujoco>");
    assert_string_equal(attempt(path, 0).code, "mjcf-include");
    temp_write("one.xml", "<mujoco><include file='two.xml'/></mujoco>");
    temp_write("two.xml", "<mujoco><include file='one.xml'/></mujoco>");
    assert_string_equal(attempt(temp_path("one.xml"), 0).code, "mjcf-include");
    assert_int_equal(symlink("/etc/hostname", temp_path("link.xml")), 0);
    path = temp_write("out.xml", "<mujoco><include file='link.xml'/></mujoco>");
    assert_string_equal(attempt(path, 0).code, "mjcf-include-outside");
    temp_write("bad.xml", "<mujoco>\n\n<body></mujoco>");
    path = temp_write("far.xml", "<mujoco><include file='bad.xml'/></mujoco>");
    const br_error error = attempt(path, 0);
    assert_string_equal(error.code, "xml-syntax");
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.file, "bad.xml"));
    assert_string_equal(attempt(temp_folder, 0).code, "file-is-folder");
    assert_string_equal(attempt(temp_path("nowhere.xml"), 0).code, "file-missing");
    assert_string_equal(attempt("/dev/zero", 0).code, "file-unreadable");
}

static const char *nest(const char *name, int depth) {
    static const char open[] = "<body>" INERTIAL "<joint/>", close[] = "</body>";
    char *text = malloc((size_t)depth * (sizeof open + sizeof close) + 100), *at = text;
    at += sprintf(at, "<mujoco><worldbody>");
    for (int k = 0; k < depth; k++) at += sprintf(at, "%s", open);
    for (int k = 0; k < depth; k++) at += sprintf(at, "%s", close);
    sprintf(at, "</worldbody></mujoco>");
    const char *path = temp_write(name, text);
    free(text);
    return path;
}

static void nesting_has_an_end(void **state) {
    (void)state;
    assert_string_equal(attempt(nest("chain.xml", 1500), 0).code, "");
    assert_string_equal(attempt(nest("abyss.xml", 100000), 0).code, "xml-too-deep");
}

// Every beginning of a good file, and one byte changed at every place: an error or a model, and never a
// crash.
static void damaged_files_do_no_harm(void **state) {
    (void)state;
    char *text = temp_read(FEATURES);
    assert_non_null(text);
    const size_t size = strlen(text);
    unsigned seed = 1;
    for (size_t k = 0; k < size; k += 7) {
        const br_error error = attempt(temp_write_bytes("cut.xml", text, k), 0);
        assert_string_not_equal(error.code, "");
    }
    for (size_t k = 0; k < size; k += 3) {
        const char before = text[k];
        seed = 1664525u * seed + 1013904223u;
        text[k] = "0-9.e<>\"'&/ x\n\xff"[(seed >> 24) % 15];
        attempt(temp_write_bytes("bent.xml", text, size), 0);
        text[k] = before;
    }
    free(text);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_error error = {0};
        br_builder *builder = NULL;
        br_import_report *report = NULL;
        const br_status status = br_mjcf_read(FEATURES, NULL, &allocator, &builder, &report, &error);
        if (counter.failed) {
            assert_int_equal(status, BR_NO_MEMORY);
            assert_null(builder);
        }
        br_builder_destroy(builder);
        br_import_report_free(report);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_are_refused_by_name),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(what_is_not_represented_is_reported_and_strict_refuses_it),
        cmocka_unit_test(includes_stay_in_the_folder),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
