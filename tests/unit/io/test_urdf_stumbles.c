// What public URDF files have that no standard allows, and other programs take: read with a note, never refused and never dropped.
#include <math.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "model/build/builder.h"
#include "temp_file.h"

#define INERTIA(ixx, iyy, izz)                                                                               \
    "<inertial><mass value='1'/><inertia ixx='" ixx "' iyy='" iyy "' izz='" izz "'/></inertial>"
#define LINK(name, more) "<link name='" name "'>" more "</link>\n"
#define JOINT(name, type, parent, child, more)                                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more       \
    "</joint>\n"
#define ARM LINK("base", INERTIA("1", "1", "1")) LINK("arm", INERTIA("1", "1", "1"))
#define LIMIT "<limit lower='-1' upper='1' effort='1' velocity='1'/>"

typedef struct robot {
    br_model *model;
    br_builder *builder;
    br_import_report *report;
} robot;

static robot read_text(const char *text) {
    robot r = {0};
    br_error error = {0};
    if (br_model_read_import(temp_write("robot.urdf", text), NULL, 0, NULL, &r.model, &r.builder, &r.report,
                             &error) != BR_OK)
        fail_msg("%s:%d: %s: %s", error.file, error.line, error.code, error.message);
    return r;
}

static void let_go(robot *r) {
    br_builder_destroy(r->builder);
    br_model_destroy(r->model);
    br_import_report_free(r->report);
}

static int is_noted(const robot *r, const char *says) {
    for (int k = 0; k < br_import_report_count(r->report); k++) {
        const br_import_note *n = br_import_report_note(r->report, k);
        if (strstr(n->why, says) && n->effect == BR_IMPORT_MOTION) return 1;
    }
    return 0;
}

// Tiago's antenna has a moment of -3.5e-8 kg m^2, a head of iCub -2.4e-35.
static void moments_below_zero_are_taken_as_zero(void **state) {
    (void)state;
    robot r = read_text("<robot name='x'>" LINK("base", INERTIA("1", "1", "1")) LINK(
        "arm", INERTIA("-0.1", "1", "1")) JOINT("j", "continuous", "base", "arm", "") "</robot>");
    br_sim *sim = NULL;
    br_error error = {0};
    double M[1];
    assert_true(is_noted(&r, "one is below 0"));
    if (br_sim_create(r.model, NULL, &sim, &error) != BR_OK) fail_msg("%s", error.message);
    br_sim_mass_matrix(sim, M);
    assert_near(M[0], 0.0, 1e-12); // about x
    br_sim_destroy(sim);
    let_go(&r);
}

static void limits_in_the_wrong_order_are_none(void **state) {
    (void)state;
    robot r = read_text("<robot name='x'>" ARM JOINT(
        "j", "revolute", "base", "arm", "<limit lower='1' upper='0' effort='1' velocity='1'/>") "</robot>");
    assert_true(is_noted(&r, "no limits, as Bullet has it"));
    let_go(&r);
}

// A finger whose last link has no mass, and one joint that mimics it.
static void joints_of_links_without_mass_are_fixed(void **state) {
    (void)state;
    robot r = read_text("<robot name='x'>" ARM LINK("tip", "") JOINT("j", "revolute", "base", "arm", LIMIT)
                            JOINT("k", "revolute", "arm", "tip", LIMIT "<mimic joint='j'/>") "</robot>");
    assert_true(is_noted(&r, "it is fixed where it starts"));
    assert_int_equal(br_model_nv(r.model), 1);
    let_go(&r);
}

static void a_joint_that_mimics_nobody_moves_by_itself(void **state) {
    (void)state;
    robot r = read_text("<robot name='x'>" ARM JOINT("j", "revolute", "base", "arm",
                                                     LIMIT "<mimic joint='elsewhere'/>") "</robot>");
    assert_true(is_noted(&r, "there is no 'elsewhere'"));
    assert_int_equal(br_model_nv(r.model), 1);
    let_go(&r);
}

static void spherical_joints_are_read(void **state) {
    (void)state;
    robot r = read_text("<robot name='x'>" ARM JOINT("j", "spherical", "base", "arm", "") "</robot>");
    assert_int_equal(br_model_nv(r.model), 3);
    let_go(&r);
}

// Places of what follows stay: the fault is on line 4.
static void a_declaration_need_not_stand_first(void **state) {
    (void)state;
    br_model *model = NULL;
    br_error error = {0};
    robot r =
        read_text("\n<!-- made by hand -->\n<?xml version='1.0' encoding='utf-8'?>\n<robot name='x'>" LINK(
            "base", INERTIA("1", "1", "1")) "</robot>");
    let_go(&r);
    const char *path = temp_write("robot.urdf", "\n<!-- made by hand -->\n<?xml version='1.0'?>\n<robot/>");
    assert_int_equal(br_model_read(path, NULL, 0, NULL, &model, NULL, &error), BR_INVALID);
    assert_int_equal(error.line, 4);
}

#define DAE(body)                                                                                            \
    "<?xml version='1.0'?>\n<COLLADA><asset><unit "                                                          \
    "meter='0.01'/><up_axis>Y_UP</up_axis></asset><library_geometries>"                                      \
    "<geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>0 0 0  100 0 0\n 0 100 0  0 0 "    \
    "100 "                                                                                                   \
    "</float_array><technique_common><accessor source='#a' count='4' "                                       \
    "stride='3'/></technique_common></source>"                                                               \
    "<vertices id='v'><input semantic='POSITION' "                                                           \
    "source='#p'/></vertices></mesh></geometry></library_geometries>" body                                   \
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>"
#define MESHED                                                                                               \
    "<robot name='x'>" LINK("base",                                                                          \
                            INERTIA("1", "1", "1") "<collision><geometry><mesh filename='part.dae' "         \
                                                   "scale='2 2 2'/></geometry></collision>") "</robot>"

// A tetrahedron in centimetres, moved by (3, 0, 0) m and turned by 90 degrees about z: its corners are (3, 0, 0), (3, 1, 0), (2, 0, 0),
// (3, 0, 1) m, and twice that by the scale of the URDF file.
static void collision_shapes_are_read_from_collada(void **state) {
    (void)state;
    temp_write(
        "part.dae",
        DAE("<library_visual_scenes><visual_scene id='s'><node><translate>300 0 0</translate><node><rotate>0 "
            "0 1 "
            "90</rotate><instance_geometry url='#g'/></node></node></visual_scene></library_visual_scenes>"));
    robot r = read_text(MESHED);
    const br_shape_def *def = &r.builder->body[0].shapes[0];
    static const double expected[4][3] = {{6, 0, 0}, {6, 2, 0}, {4, 0, 0}, {6, 0, 2}};
    assert_int_equal(def->point_count, 4);
    for (int k = 0; k < 4; k++) {
        double nearest = INFINITY;
        for (int i = 0; i < 4; i++)
            nearest = fmin(nearest, fabs(def->points[i].x - expected[k][0]) +
                                        fabs(def->points[i].y - expected[k][1]) +
                                        fabs(def->points[i].z - expected[k][2]));
        assert_near(nearest, 0.0, 1e-14);
    }
    let_go(&r);
}

static void hostile_collada_is_refused_with_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"<!DOCTYPE COLLADA [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><COLLADA>&x;</COLLADA>", "xml-doctype"},
        {DAE("<library_visual_scenes><visual_scene id='s'><node><instance_geometry "
             "url='http://a/b.dae#g'/></node>"
             "</visual_scene></library_visual_scenes>"),
         "mesh-format"},
        {DAE("<library_visual_scenes><visual_scene id='s'><node id='n'><instance_node "
             "url='#n'/></node></visual_scene>"
             "</library_visual_scenes>"),
         "mesh-format"},
        {DAE("<library_visual_scenes><visual_scene id='s'><node><matrix>1 2 "
             "nan</matrix></node></visual_scene>"
             "</library_visual_scenes>"),
         "mesh-number"},
        {"<robot/>", "mesh-format"},
        {"<COLLADA/>", "mesh-empty"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        br_model *model = NULL;
        br_error error = {0};
        temp_write("part.dae", cases[k].text);
        const char *path = temp_write("robot.urdf", MESHED);
        assert_true(br_model_read(path, NULL, 0, NULL, &model, NULL, &error) != BR_OK);
        if (strcmp(error.code, cases[k].code) != 0) fail_msg("%zu: %s: %s", k, error.code, error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_below_zero_are_taken_as_zero),
        cmocka_unit_test(limits_in_the_wrong_order_are_none),
        cmocka_unit_test(joints_of_links_without_mass_are_fixed),
        cmocka_unit_test(a_joint_that_mimics_nobody_moves_by_itself),
        cmocka_unit_test(spherical_joints_are_read),
        cmocka_unit_test(a_declaration_need_not_stand_first),
        cmocka_unit_test(collision_shapes_are_read_from_collada),
        cmocka_unit_test(hostile_collada_is_refused_with_its_place),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
