// URDF files that must be refused, each with its code, line and message; chains as long as the file; files cut short and
// bytes changed at every place; and memory that runs out at every call.
#include "bristle/io.h"
#include "counting_allocator.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define EVERYTHING BRISTLE_SOURCE_DIR "/tests/data/urdf/everything.urdf"

// Reads and creates. The code of what went wrong, "" when nothing did.
static br_error attempt_with(const char *path, const br_import_options *options) {
    br_error error = {0};
    br_builder *builder = NULL;
    br_import_report *report = NULL;
    br_model *model = NULL;
    br_status status = br_urdf_read(path, options, NULL, &builder, &report, &error);
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

static br_error attempt(const char *path) {
    return attempt_with(path, NULL);
}

static const struct {
    const char *file, *code;
} hostile[] = {
    {"u_cycle.urdf", "urdf-tree"},
    {"u_mass_nan.urdf", "urdf-not-finite"},
    {"u_missing_child.urdf", "urdf-unknown-name"},
    {"u_selfjoint.urdf", "urdf-tree"},
    {"u_two_roots.urdf", "urdf-tree"},
};

// Through the reader that a user meets, too.
static void refused(const char *folder) {
    for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
        char path[600];
        br_model *model = NULL;
        br_error read = {0};
        snprintf(path, sizeof path, "%s/%s", folder, hostile[k].file);
        const br_error error = attempt(path);
        if (strcmp(error.code, hostile[k].code) != 0)
            fail_msg("%s: %s (%s), expected %s", hostile[k].file, error.code, error.message, hostile[k].code);
        assert_int_equal(error.line, 1);
        assert_string_equal(error.file, path);
        assert_int_equal(br_model_read(path, NULL, 0, NULL, &model, NULL, &read), BR_INVALID);
        assert_string_equal(read.code, hostile[k].code);
        assert_int_equal(read.line, 1);
    }
}

static void hostile_files_are_refused_by_name(void **state) {
    (void)state;
    refused(BRISTLE_SOURCE_DIR "/tests/data/hostile");
}

static void shared_hostile_files_are_refused_by_name(void **state) {
    (void)state;
    const char *shared = getenv("BRISTLE_SHARED");
    char folder[512];
    snprintf(folder, sizeof folder, "%.400s/problems/hostile",
             shared && shared[0] ? shared : BRISTLE_SOURCE_DIR "/../shared");
    if (access(folder, R_OK) != 0) skip();
    refused(folder);
}

// ------------------------------------------------------------------------------------------------------- mistakes

#define I6 "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"
#define INERTIAL "<inertial><mass value='1'/><inertia " I6 "/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>\n"
#define JOINT(name, type, parent, child, more)                                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>\n" more     \
    "</joint>\n"
#define ROBOT(inside) "<robot name='r'>\n" inside "</robot>\n"
#define ARM(type, more) ROBOT(LINK("base") LINK("arm") JOINT("hinge", type, "base", "arm", more))
#define BODY(more) ROBOT("<link name='b'>\n" more "</link>\n")
#define SHAPE(kind) BODY(INERTIAL "<collision>\n<geometry>" kind "</geometry></collision>")

static void mistakes_are_named_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *code;
        int line;
        const char *says;
    } row[] = {
        {"", "xml-syntax", 1, "no element found"},
        {"<robot>", "xml-syntax", 1, "it ends before </robot>, which closes the <robot> of line 1"},
        {"<robot>\n<link>\n</robot>", "xml-syntax", 3,
         "</robot>, expected </link>, which closes the <link> of line 2"},
        {"<sdf/>", "urdf-root", 1, "begins with <sdf>, expected <robot>"},
        {"<!DOCTYPE robot [<!ENTITY x 'y'>]><robot/>", "xml-doctype", 1, "document type"},
        {"<robot>\n</robot>", "urdf-missing", 1, "<robot> has no <link>"},
        {"<robot xmlns:xacro='x'>\n<xacro:macro name='m'/></robot>", "urdf-xacro", 2,
         "xacro robot.urdf.xacro > robot.urdf"},
        {BODY("<inertial><mass value='${m}'/></inertial>"), "urdf-xacro", 3, "xacro"},
        {BODY("<inertial><mass valu='1'/></inertial>"), "urdf-missing", 3,
         "<mass> has no value; did you mean value for 'valu'?"},
        {ROBOT("<link/>\n"), "urdf-missing", 2, "<link> has no name"},
        {ROBOT(LINK("a") LINK("a")), "urdf-duplicate-name", 3, "named 'a' was already given on line 2"},
        {ROBOT(LINK("a") LINK("b")), "urdf-tree", 3,
         "links 'a' (line 2) and 'b' are no joint's child, expected one root"},
        {ROBOT(LINK("a") LINK("b") LINK("c")), "urdf-tree", 3, "and others"},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")),
         "urdf-tree", 6, "joint 'k' closes a cycle: link 'a' is above and below link 'b'"},
        {ROBOT(LINK("r") LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "")
                   JOINT("k", "fixed", "b", "a", "")),
         "urdf-tree", 7, "closes a cycle"},
        {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "c", "")
                   JOINT("k", "fixed", "b", "c", "")),
         "urdf-tree", 7, "'c' is the child of joint 'k' and of joint 'j' (line 5), expected one"},
        {ROBOT(LINK("a") JOINT("j", "fixed", "a", "a", "")), "urdf-tree", 3, "connects link 'a' to itself"},
        {ROBOT(LINK("arm") JOINT("j", "fixed", "arn", "arm", "")), "urdf-unknown-name", 3,
         "<parent> link: there is no 'arn'; did you mean 'arm'?"},
        {ROBOT(LINK("a") "<joint name='j' type='fixed'><child link='a'/></joint>"), "urdf-missing", 3,
         "joint 'j' has no <parent>"},
        {ROBOT(LINK("a") "<joint name='j' type='fixed'><parent link='a'/></joint>"), "urdf-missing", 3,
         "joint 'j' has no <child>"},
        {ROBOT(LINK("a") "<joint type='fixed'/>"), "urdf-missing", 3, "<joint> has no name"},
        {ROBOT(LINK("a") "<joint name='j'/>"), "urdf-missing", 3, "<joint> has no type"},
        {ARM("hinge", ""), "urdf-word", 4,
         "expected revolute, continuous, prismatic, fixed, floating, planar or spherical"},
        {ARM("revolut", ""), "urdf-word", 4, "did you mean 'revolute'?"},
        {ARM("revolute", ""), "urdf-missing", 4, "has no <limit>, expected <limit lower="},
        {ARM("prismatic", ""), "urdf-missing", 4, "prismatic joint 'hinge' has no <limit>"},
        {ARM("revolute", "<limit lower='nan' upper='1'/>"), "urdf-not-finite", 5, "lower is nan"},
        {ARM("revolute", "<limit lower='-1' upper='1'/><limit/>"), "urdf-repeated", 5, "a second <limit>"},
        {ARM("continuous", "<axis xyz='0 0 0'/>"), "urdf-axis", 5, "has no length, expected a direction"},
        {ARM("continuous", "<axis xyz='0,0,1'/>"), "urdf-not-a-number", 5, "separated by blanks, not commas"},
        {ARM("continuous", "<axis xyz='0 1'/>"), "urdf-count", 5, "<axis> xyz has 2 numbers, expected 3"},
        {ARM("continuous", "<origin xyz='0 1 2 3'/>"), "urdf-count", 5, "has more than 3 numbers"},
        {ARM("continuous", "<origin rpy='0 1 1e999'/>"), "urdf-not-finite", 5, "<origin> rpy is 1e999"},
        {ARM("continuous", "<origin quat_xyzw='0 0 0 0'/>"), "urdf-axis", 5,
         "has length 0, expected about 1"},
        {ARM("continuous", "<dynamics damping='-1'/>"), "urdf-range", 5, "damping of joint 'hinge' is -1"},
        {ARM("continuous", "<dynamics friction='-2'/>"), "urdf-range", 5, "friction of joint 'hinge' is -2"},
        {ARM("continuous", "<mimic joint='hinge'/>"), "urdf-mimic", 5, "joint 'hinge' mimics itself"},
        {ARM("continuous", "<mimic joint='hing'/>"), "urdf-unknown-name", 5, "did you mean 'hinge'?"},
        {ARM("continuous", "<mimic/>"), "urdf-missing", 5, "<mimic> has no joint"},
        {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<mimic joint='k'/>")
                   JOINT("k", "continuous", "b", "c", "<mimic joint='j'/>")),
         "urdf-mimic", 6, "mimics it in turn"},
        {BODY("<inertial><inertia " I6 "/></inertial>"), "urdf-missing", 3, "<inertial> has no <mass>"},
        {BODY("<inertial><mass value='1'/></inertial>"), "urdf-missing", 3, "<inertial> has no <inertia>"},
        {BODY("<inertial><mass/><inertia " I6 "/></inertial>"), "urdf-missing", 3, "<mass> has no value"},
        {BODY("<inertial><mass value='-1'/></inertial>"), "urdf-range", 3,
         "value is -1 kg, expected 0 or more"},
        {BODY("<inertial><mass value='nan'/></inertial>"), "urdf-not-finite", 3, "value is nan"},
        {BODY("<inertial><mass value='inf'/></inertial>"), "urdf-not-finite", 3, "value is inf"},
        {BODY("<inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial>"), "urdf-missing", 3,
         "<inertia> has no izz"},
        {BODY("<inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' izz='-2'/></inertial>"),
         "body-inertia-indefinite", 4, "the inertia of link 'b' has the principal moment -2"},
        {BODY(INERTIAL "\n" INERTIAL), "urdf-repeated", 4, "a second <inertial> in the same <link>"},
        {BODY("<collision/>"), "urdf-missing", 3, "<collision> has no <geometry>"},
        {SHAPE(""), "urdf-missing", 4, "<geometry> is empty"},
        {SHAPE("<box/>"), "urdf-missing", 4, "<box> has no size"},
        {SHAPE("<box size='1 2'/>"), "urdf-count", 4, "<box> size has 2 numbers"},
        {SHAPE("<box size='1 -2 1'/>"), "urdf-range", 4, "a size of the <box> is -2 m"},
        {SHAPE("<sphere/>"), "urdf-missing", 4, "<sphere> has no radius"},
        {SHAPE("<cylinder radius='1'/>"), "urdf-missing", 4, "<cylinder> has no length"},
        {SHAPE("<mesh/>"), "urdf-missing", 4, "<mesh> has no filename"},
        {SHAPE("<mesh filename='x.stl' scale='1 0 1'/>"), "urdf-range", 4, "expected none of them 0"},
        {SHAPE("<sphere radius='1'/><box size='1 1 1'/>"), "urdf-repeated", 4, "a <sphere> and a <box>"},
        {ROBOT(LINK("a") "<gazebo reference='a'>\n<mu1>-1</mu1></gazebo>"), "urdf-range", 4, "<mu1> is -1"},
        {ROBOT(LINK("a") "<gazebo reference='a'>\n<mu1>much</mu1></gazebo>"), "urdf-not-a-number", 4,
         "'much'"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const char *path = temp_write("mistake.urdf", row[k].text);
        const br_error error = attempt(path);
        if (strcmp(error.code, row[k].code) != 0 || error.line != row[k].line ||
            !strstr(error.message, row[k].says))
            fail_msg("%s\n%s, line %d: %s", row[k].text, error.code, error.line, error.message);
        assert_string_equal(error.file, path);
    }
}

static void what_is_not_a_file(void **state) {
    (void)state;
    assert_string_equal(attempt(temp_folder).code, "file-is-folder");
    assert_string_equal(attempt(temp_path("nowhere.urdf")).code, "file-missing");
    assert_string_equal(attempt("/dev/zero").code, "file-unreadable");
    const char *path = temp_write("large.urdf", "");
    assert_int_equal(truncate(path, 65L << 20), 0);
    assert_string_equal(attempt(path).code, "file-too-large");
    temp_write("bad.stl", "solid nothing");
    assert_string_equal(attempt(temp_write("mesh.urdf", SHAPE("<mesh filename='bad.stl'/>"))).code,
                        "mesh-cut");
    static const char *const away[] = {
        "/etc/passwd.stl", "file:///dev/zero.stl", "package://../../x.stl", "package://", "model://a", ".stl",
        "%s%n.stl",        "../../../../x.obj"};
    for (size_t k = 0; k < sizeof away / sizeof *away; k++)
        for (int outside = 0; outside < 2; outside++) {
            char text[600];
            const br_import_options options = {.outside = outside};
            snprintf(text, sizeof text,
                     "<robot><link name='a'><collision><geometry><mesh filename='%s'/></geometry>"
                     "</collision></link></robot>",
                     away[k]);
            assert_string_equal(attempt_with(temp_write("away.urdf", text), &options).code, ""); // a note
        }
}

// --------------------------------------------------------------------------------------------------- long and wide

static const char *chain(const char *name, int links, int mimic) {
    enum { EACH = 400 };
    char *text = malloc((size_t)links * EACH + 100), *at = text;
    at += sprintf(at, "<robot>");
    for (int k = 0; k < links; k++) at += sprintf(at, "<link name='l%d'>" INERTIAL "</link>\n", k);
    for (int k = links - 1; k > 0; k--) { // from the end, so that no order of the file helps
        at += sprintf(at, "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>", k,
                      k - 1, k);
        if (mimic && k > 1) at += sprintf(at, "<mimic joint='j%d'/>", k - 1);
        at += sprintf(at, "</joint>\n");
    }
    sprintf(at, "</robot>");
    const char *path = temp_write(name, text);
    free(text);
    return path;
}

static void long_chains_are_read(void **state) {
    (void)state;
    assert_string_equal(attempt(chain("thousand.urdf", 1000, 0)).code, "");
    br_builder *builder = NULL;
    br_error error = {0};
    for (int mimic = 0; mimic < 2; mimic++) {
        const char *path = chain("long.urdf", 10000, mimic);
        if (br_urdf_read(path, NULL, NULL, &builder, NULL, &error) != BR_OK) fail_msg("%s", error.message);
        br_builder_destroy(builder);
    }
}

// Names that are cut to the same letters, references to nothing: each costs about as much as the first.
static void many_alike_are_read(void **state) {
    (void)state;
    enum { LINKS = 20000, EACH = 500 };
    char *text = malloc((size_t)LINKS * EACH + 100), *at = text;
    at += sprintf(at, "<robot>");
    for (int k = 0; k < LINKS; k++)
        at += sprintf(
            at, "<link name='a_name_that_is_longer_than_names_can_be_here_and_differs_at_its_end_%d'/>\n", k);
    for (int k = 1; k < LINKS; k++)
        at += sprintf(
            at,
            "<joint name='j.%d' type='fixed'><parent link='a_name_that_is_longer_than_names_can_be_here_and_"
            "differs_at_its_end_0'/><child link='a_name_that_is_longer_than_names_can_be_here_and_differs_"
            "at_its_end_%d'/></joint><gazebo reference='nobody%d'/>\n",
            k, k, k);
    sprintf(at, "</robot>");
    const char *path = temp_write("alike.urdf", text);
    free(text);
    br_builder *builder = NULL;
    br_error error = {0};
    if (br_urdf_read(path, NULL, NULL, &builder, NULL, &error) != BR_OK) fail_msg("%s", error.message);
    br_builder_destroy(builder);
}

static void nesting_has_an_end(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc((size_t)DEPTH * 3 + 100), *at = text;
    at += sprintf(at, "<robot><gazebo>");
    for (int k = 0; k < DEPTH; k++) at += sprintf(at, "<a>");
    const char *path = temp_write("abyss.urdf", text);
    free(text);
    assert_string_equal(attempt(path).code, "xml-too-deep");
}

// ---------------------------------------------------------------------------------------------------------- damage

// Every beginning of a good file, and one byte changed at every place: an error or a model, and never a crash.
static void damaged_files_do_no_harm(void **state) {
    (void)state;
    char *text = temp_read(EVERYTHING);
    assert_non_null(text);
    const size_t size = strlen(text);
    unsigned seed = 1;
    for (size_t k = 0; k + 10 < size; k += 7)
        assert_string_not_equal(attempt(temp_write_bytes("cut.urdf", text, k)).code, "");
    for (size_t k = 0; k < size; k += 3) {
        const char before = text[k];
        seed = 1664525u * seed + 1013904223u;
        text[k] = "0-9.e<>\"'&/ x\n\xff"[(seed >> 24) % 15];
        attempt(temp_write_bytes("bent.urdf", text, size));
        text[k] = before;
    }
    free(text);
}

static const char rich[] =
    "<robot name='a robot'>\n<link name='a.b'>" INERTIAL
    "<collision name='s'><geometry><mesh filename='part.obj'/></geometry></collision>"
    "<collision name='s'><geometry><box size='1 1 1'/></geometry></collision></link>\n"
    "<link name='c'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
    "izz='5'/></inertial><visual/></link>\n" LINK("d")
        JOINT("j", "revolute", "a.b", "c", "<limit lower='1' upper='2' effort='1'/><dynamics friction='1'/>")
            JOINT("k", "prismatic", "c", "d",
                  "<limit upper='9'/><mimic joint='j' offset='1'/>") "<gazebo "
                                                                     "reference='a.b'><mu1>0.5</mu1><kp>1</"
                                                                     "kp></gazebo>\n</robot>\n";

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    char path[2][200];
    temp_write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    snprintf(path[0], sizeof path[0], "%s", EVERYTHING);
    snprintf(path[1], sizeof path[1], "%s", temp_write("rich.urdf", rich));
    for (int file = 0; file < 2; file++)
        for (long k = 1;; k++) {
            counting_allocator counter;
            const br_allocator allocator = counting_allocator_start(&counter, k);
            br_error error = {0};
            br_builder *builder = NULL;
            br_import_report *report = NULL;
            const br_status status = br_urdf_read(path[file], NULL, &allocator, &builder, &report, &error);
            if (counter.failed) {
                assert_int_equal(status, BR_NO_MEMORY);
                assert_null(builder);
            } else if (status != BR_OK) {
                fail_msg("%s", error.message);
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
        cmocka_unit_test(shared_hostile_files_are_refused_by_name),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(what_is_not_a_file),
        cmocka_unit_test(long_chains_are_read),
        cmocka_unit_test(many_alike_are_read),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
