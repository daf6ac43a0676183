// Contact in files: MuJoCo's geoms as shapes and materials, meshes, and models that are written and read again.
#include "bristle/io.h"
#include "model/build/builder.h"
#include "model/compile/touch.h"
#include "model/model.h"
#include "temp_file.h"

typedef struct imported {
    br_builder *builder;
    br_import_report *report;
    br_model *model;
} imported;

static imported import(const char *text) {
    imported m = {NULL, NULL, NULL};
    br_error error = {0};
    if (br_mjcf_read(temp_write("in.xml", text), NULL, NULL, &m.builder, &m.report, &error) != BR_OK ||
        br_model_create(m.builder, &m.model, &error) != BR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    return m;
}

static void release(imported *m) {
    br_model_destroy(m->model);
    br_builder_destroy(m->builder);
    br_import_report_free(m->report);
}

static br_error refused(const char *text) {
    br_error error = {0};
    br_builder *builder = NULL;
    assert_int_not_equal(br_mjcf_read(temp_write("in.xml", text), NULL, NULL, &builder, NULL, &error), BR_OK);
    assert_null(builder);
    return error;
}

static int noted(const imported *m, const char *says, br_import_effect effect) {
    for (int k = 0; k < br_import_report_count(m->report); k++) {
        const br_import_note *note = br_import_report_note(m->report, k);
        if (strstr(note->why, says) && note->effect == effect) return 1;
    }
    return 0;
}

#define INERTIAL "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define FREE(name, inside) "<body name='" name "'><freejoint/>" INERTIAL inside "</body>"
#define WORLD(inside) "<mujoco><worldbody>" inside "</worldbody></mujoco>"

// ---------------------------------------------------------------------------------------------------------- shapes

static void every_kind_of_geom_has_its_shape(void **state) {
    (void)state;
    imported m = import(WORLD("<geom name='floor' type='plane' size='0 0 1' pos='0 0 -1'/>" FREE(
        "a", "<geom size='0.1'/><geom type='capsule' size='0.1 0.2' pos='1 0 0'/>"
             "<geom type='capsule' size='0.1' fromto='0 0 0 0 0.6 0.8'/>"
             "<geom type='cylinder' size='0.1 0.2'/><geom type='ellipsoid' size='1 2 3'/>"
             "<geom type='box' size='1 2 3' name='case' contype='2' conaffinity='4'/>"
             "<geom size='9' contype='0' conaffinity='0'/>")));
    const br_shape_def *s = m.builder->body[0].shapes;
    assert_int_equal(m.builder->body[0].shape_count, 6);
    assert_true(s[0].type == BR_SHAPE_SPHERE && s[0].size.x == 0.1);
    assert_true(s[1].type == BR_SHAPE_CAPSULE && s[1].length == 0.4 && s[1].pose.position.x == 1.0);
    assert_near(s[2].length, 1.0, 1e-15);
    const br_vec3 along = br_quat_rotate(s[2].pose.rotation, s[2].axis);
    assert_near(fabs(br_vec3_dot(along, br_vec3_of(0.0, 0.6, 0.8))), 1.0, 1e-15);
    assert_vec3_near(s[2].pose.position, br_vec3_of(0.0, 0.3, 0.4), 1e-16);
    assert_true(s[3].type == BR_SHAPE_CYLINDER && s[3].length == 0.4);
    assert_vec3_near(s[4].size, br_vec3_of(1.0, 2.0, 3.0), 0.0); // radii
    assert_vec3_near(s[5].size, br_vec3_of(2.0, 4.0, 6.0), 0.0); // full lengths
    assert_string_equal(s[5].name, "case");
    assert_true(s[5].category == 2 && s[5].mask == 4 && s[0].category == 0);
    assert_int_equal(m.builder->grounds, 1);
    assert_true(m.builder->ground[0].type == BR_SHAPE_PLANE && m.builder->ground[0].pose.position.z == -1.0);
    assert_true(noted(&m, "pictures", BR_IMPORT_LOOKS));
    release(&m);
}

static void friction_is_the_larger_unless_one_has_priority(void **state) {
    (void)state;
    // Two numbers of friction left out are those of the class, which itself leaves one as MuJoCo has it: 1e-4.
    imported m = import(
        "<mujoco><default><default class='grip'><geom friction='2 0.01' condim='4'/></default></default>"
        "<worldbody><geom name='floor' type='plane' size='0 0 1'/>" FREE(
            "a", "<geom class='grip' size='1' friction='3'/>") FREE("b", "<geom name='ice' size='1' "
                                                                         "friction='0.1' condim='1'/>")
            FREE("c", "<geom name='tar' size='1' friction='0.5 0.2 0.3' "
                      "condim='6' priority='1'/>") "</worldbody></mujoco>");
    static const struct {
        const char *first, *second;
        double mu, torsion, rolling;
    } row[] = {
        {"default", "default", 1.0, 0.0, 0.0}, {"default", "grip", 3.0, 0.01, 0.0},
        {"default", "ice", 1.0, 0.0, 0.0},     {"default", "tar", 0.5, 0.2, 0.3},
        {"grip", "grip", 3.0, 0.01, 0.0},      {"grip", "ice", 3.0, 0.01, 0.0},
        {"grip", "tar", 0.5, 0.2, 0.3},        {"ice", "ice", 0.0, 0.0, 0.0},
        {"ice", "tar", 0.5, 0.2, 0.3},         {"tar", "tar", 0.5, 0.2, 0.3},
    };
    assert_int_equal(m.builder->pairs, 10);
    for (int k = 0; k < 10; k++) {
        const br_pair_def *p = &m.builder->pair[k];
        assert_string_equal(p->first, row[k].first);
        assert_string_equal(p->second, row[k].second);
        assert_near(p->mu_static, row[k].mu, 0.0);
        assert_near(p->mu_kinetic, row[k].mu, 0.0);
        assert_near(p->torsion, row[k].torsion, 0.0);
        assert_near(p->rolling, row[k].rolling, 0.0);
    }
    assert_string_equal(br_model_notes(m.model), ""); // every pair is there
    release(&m);
}

static int pairs_of(const br_model *m) {
    int count = 0;
    for (int a = 0; a < br_model_shape_count(m); a++)
        for (int b = 0; b < a; b++) count += br_model_may_touch(m, a, b);
    return count;
}

// Numbers of pairs are those of MuJoCo 2.2.2's filters, counted with its library, but where a note says otherwise.
static void the_same_geoms_may_touch_as_in_mujoco(void **state) {
    (void)state;
    static const char two_joints[] = WORLD("<geom type='plane' size='0 0 1'/>" FREE(
        "a", "<geom size='1'/><body name='b'>" INERTIAL "<joint axis='1 0 0'/><joint axis='0 1 0'/><geom "
             "size='1'/><body name='c'>" INERTIAL "<geom size='1'/><body name='d'>" INERTIAL
             "<joint/><geom size='1'/></body></body></body>"));
    imported m = import(two_joints);
    assert_int_equal(pairs_of(m.model), 5); // each with the floor; a with d
    release(&m);
    m = import(
        "<mujoco><worldbody><geom type='plane' size='0 0 1'/>" FREE("a", "<geom size='1'/>")
            FREE("b", "<geom size='1'/>") FREE(
                "c", "<geom size='1' contype='2' conaffinity='2'/>") "</worldbody><contact><exclude "
                                                                     "body1='a' body2='b'/><exclude "
                                                                     "body1='world' body2='b'/></contact>"
                                                                     "</mujoco>");
    assert_int_equal(pairs_of(m.model), 1); // a with the floor
    release(&m);
    m = import(WORLD("<body name='base'><geom size='1'/><body name='arm'>" INERTIAL
                     "<joint/><geom size='1'/></body></body>"));
    assert_int_equal(pairs_of(m.model), 1); // the base does not move
    release(&m);
    m = import(
        "<mujoco><option><flag contact='disable'/></option><worldbody><geom type='plane' size='0 0 1'/>" FREE(
            "a", "<geom size='1'/>") "</worldbody></mujoco>");
    assert_int_equal(br_model_shape_count(m.model), 0);
    release(&m);
}

static void what_has_no_counterpart_is_noted(void **state) {
    (void)state;
    imported m = import(
        "<mujoco><asset><mesh name='m' file='nope.stl'/><mesh name='far' file='../far.stl'/>"
        "<hfield name='h' file='h.png' size='1 1 1 1'/></asset><worldbody>"
        "<geom type='hfield' hfield='h'/>" FREE(
            "a", "<geom name='x' size='1' solref='0.1 1' margin='0.1' gap='1'/>"
                 "<geom type='mesh' mesh='m'/><geom type='mesh' mesh='far'/>"
                 "<geom type='box' mesh='m'/>")
            FREE("b",
                 "<geom name='y' size='1'/>") "</worldbody><contact><pair geom1='x' geom2='y'/></contact>"
                                              "</mujoco>");
    assert_int_equal(br_model_shape_count(m.model), 2);
    assert_true(noted(&m, "contacts are rigid here", BR_IMPORT_NUMERICS));
    assert_true(noted(&m, "contacts act when the surfaces meet", BR_IMPORT_NUMERICS));
    assert_true(noted(&m, "'nope.stl' is not there", BR_IMPORT_MOTION));
    assert_true(noted(&m, "'../far.stl' is not there", BR_IMPORT_MOTION));
    assert_true(noted(&m, "not read from pictures", BR_IMPORT_MOTION));
    assert_true(noted(&m, "fitted to a mesh", BR_IMPORT_MOTION));
    assert_non_null(strstr(br_model_notes(m.model), "nope.stl"));
    release(&m);
}

static void mistakes_about_contact_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *code, *says;
    } row[] = {
        {WORLD(FREE("a", "<geom size='1' condim='2'/>")), "mjcf-range", "condim is 2, expected 1, 3, 4 or 6"},
        {WORLD(FREE("a", "<geom size='1' friction='-1'/>")), "mjcf-range", "friction is -1"},
        {WORLD(FREE("a", "<geom size='1' contype='-1'/>")), "mjcf-range", "contype is -1"},
        {WORLD(FREE("a", "<geom size='1' contype='1e300'/>")), "mjcf-range", "contype is 1e+300"},
        {WORLD(FREE("a", "<geom size='1' priority='0.5'/>")), "mjcf-range", "priority is 0.5"},
        {WORLD(FREE("a", "<geom type='plane' size='1 1 1'/>")), "mjcf-structure",
         "a plane belongs to a body that moves"},
        {WORLD(FREE("a", "<geom type='mesh' mesh='m'/>")), "mjcf-unknown-name", "mesh: there is no 'm'"},
        {WORLD(FREE("a", "<geom type='mesh'/>")), "mjcf-missing", "names no mesh"},
        {WORLD(FREE("a", "<geom name='g' size='1'/><geom name='g' size='1'/>")), "mjcf-duplicate-name",
         "'g'"},
        {"<mujoco><worldbody/><contact><exclude body1='a'/></contact></mujoco>", "mjcf-unknown-name", "'a'"},
        {"<mujoco><worldbody>" FREE(
             "arm", "") "</worldbody><contact><exclude body1='arm' body2='amr'/></contact></mujoco>",
         "mjcf-unknown-name", "did you mean 'arm'?"},
        {"<mujoco><asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset><worldbody>"
         "<geom type='hfield' hfield='h'/></worldbody></mujoco>",
         "mjcf-range", "100000 rows"},
        {"<mujoco><asset><hfield name='h' nrow='2' ncol='2' elevation='1 2 3' size='1 1 1 "
         "1'/></asset><worldbody>"
         "<geom type='hfield' hfield='h'/></worldbody></mujoco>",
         "mjcf-count", "3 numbers, expected 4"},
        {"<mujoco><asset><mesh name='m' vertex='0 0 0 1'/></asset><worldbody><geom type='mesh' "
         "mesh='m'/></worldbody>"
         "</mujoco>",
         "mjcf-count", "4 numbers"},
        {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 0 1'/></asset><worldbody>"
         "<geom type='mesh' mesh='m'/></worldbody></mujoco>",
         "mjcf-range", "scale is (1, 0, 1)"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const br_error error = refused(row[k].text);
        if (strcmp(error.code, row[k].code) != 0 || !strstr(error.message, row[k].says) || error.line != 1)
            fail_msg("%s\n%s, line %d: %s", row[k].text, error.code, error.line, error.message);
    }
}

// ---------------------------------------------------------------------------------------------- meshes and fields

static void meshes_are_moved_turned_and_scaled(void **state) {
    (void)state;
    temp_write("part.obj",
               "v 1 0 0\nv 3 0 0\nv 1 2 0\nv 1 0 2\nv 1.5 0.5 0.5\nv 1 0 0\n"); // one inside, one twice
    // A quarter turn about z takes y to -x; turning back takes it to x.
    imported m =
        import("<mujoco><asset><mesh file='part.obj' refpos='1 0 0' refquat='0.70710678118654757 0 0 "
               "0.70710678118654757' scale='1 10 100'/></asset><worldbody>" FREE(
                   "a", "<geom type='mesh' mesh='part' pos='5 0 0'/>") "</worldbody></mujoco>");
    const br_shape_def *s = m.builder->body[0].shapes;
    assert_int_equal(s->type, BR_SHAPE_CONVEX);
    assert_int_equal(s->point_count, 4);
    static const double expected[4][3] = {{0, 0, 0}, {0, 0, 200}, {2, 0, 0}, {0, -20, 0}};
    for (int i = 0; i < 4; i++) {
        double nearest = INFINITY;
        for (int k = 0; k < 4; k++)
            nearest = fmin(nearest, br_vec3_distance(s->points[k], br_vec3_of(expected[i][0], expected[i][1],
                                                                              expected[i][2])));
        assert_true(nearest < 1e-14); // rounding of one rotation, times 10
    }
    assert_near(s->pose.position.x, 5.0, 0.0);
    release(&m);
}

static void elevations_begin_at_the_far_end_and_are_stretched(void **state) {
    (void)state;
    imported m =
        import("<mujoco><asset><hfield name='h' nrow='3' ncol='2' size='1 2 0.5 0.1' elevation='0 1  2 3  4 "
               "5'/></asset><worldbody><geom type='hfield' hfield='h' pos='0 0 1'/></worldbody></mujoco>");
    const br_shape_def *s = m.builder->ground;
    assert_int_equal(s->type, BR_SHAPE_HEIGHTFIELD);
    assert_true(s->rows == 3 && s->columns == 2);
    static const double expected[6] = {0.4, 0.5, 0.2, 0.3, 0.0, 0.1};
    for (int k = 0; k < 6; k++) assert_near(s->heights[k], expected[k], 1e-16);
    assert_near(s->spacing.x, 2.0, 0.0);
    assert_near(s->spacing.y, 2.0, 0.0);
    assert_vec3_near(s->pose.position, br_vec3_of(-1.0, -2.0, 1.0), 0.0);
    release(&m);
}

static void a_file_of_heights_is_held_against_its_bytes(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><asset><hfield name='h' file='h.bin' size='1 1 1 1'/></asset><worldbody><geom "
        "type='hfield' hfield='h'/></worldbody></mujoco>";
    struct {
        int32_t rows, columns;
        float height[6];
    } file = {2, 3, {0, 1, 2, 3, 4, 8}};
    temp_write_bytes("h.bin", &file, sizeof file);
    imported m = import(text);
    assert_near(m.builder->ground->heights[5], 1.0, 0.0);
    assert_near(m.builder->ground->heights[1], 0.125, 0.0);
    release(&m);
    temp_write_bytes("h.bin", &file, sizeof file - 1);
    assert_string_equal(refused(text).code, "mesh-cut");
    temp_write_bytes("h.bin", &file, 3);
    assert_string_equal(refused(text).code, "mjcf-range");
    file.rows = file.columns = INT32_MAX;
    temp_write_bytes("h.bin", &file, sizeof file);
    assert_string_equal(refused(text).code, "mjcf-range");
    file.rows = 2, file.columns = 3, file.height[2] = NAN;
    temp_write_bytes("h.bin", &file, sizeof file);
    assert_string_equal(refused(text).code, "mesh-number");
}

// ------------------------------------------------------------------------------------------------- written and read

static uint64_t hash_of(const char *path, br_builder **builder) {
    br_model *model = NULL;
    br_error error = {0};
    if (br_model_read(path, NULL, 0, NULL, &model, builder, &error) != BR_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    const uint64_t hash = br_model_hash(model);
    br_model_destroy(model);
    return hash;
}

static void a_written_model_is_the_same_model(void **state) {
    (void)state;
    temp_write("part.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.3 0\nv 0 0 0.7\n");
    const char *first = temp_write(
        "first.yaml",
        "format: 1\nname: all\nmaterials: {a: {}, b: {}}\npairs:\n"
        "  a/b: {mu: 0.5, restitution: 0.4, restitution_law: poisson, compliance: {law: linear, stiffness: 2 "
        "kN/m}}\n"
        "  b/b: {mu_static: 0.5, mu_kinetic: 0.4, rolling: 1 mm, torsion: 2 mm, bristle: {stiffness: 1e6, "
        "damping: 3, "
        "v_threshold: 2 mm/s}, compliance: {law: hunt_crossley, stiffness: 1e9, damping: 0.1}}\n"
        "bodies:\n  x:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n"
        "      - {convex: {file: part.obj, scale: 0.3}, material: a, category: 2}\n"
        "      - {sphere: {radius: 1}, name: ball, material: b, category: 4, mask: 3, pose: {position: [0.1, "
        "0, 0], "
        "euler_xyz: [10 deg, 20 deg, 31 deg]}}\n"
        "      - {capsule: {radius: 1, length: 2, axis: [1, 2, 3]}, material: a}\n"
        "      - {cylinder: {radius: 1, length: 2, axis: -y}}\n      - {disk: {radius: 1, axis: [1, 1, 7]}}\n"
        "      - {ellipsoid: {radii: [1, 2, 3]}}\n      - {box: {size: [1, 2, 3]}, pose: {rotation_vector: "
        "[0.1, 0.2, "
        "0.7]}}\n"
        "ground:\n  - {heightfield: {spacing: [10 cm, 0.2], heights: [[0, 1, 2], [3, 4, 5 mm]]}, material: "
        "a}\n"
        "  - {plane: {normal: [0, 1, 3], point: [0, 0, -1]}, material: b}\n"
        "contact: {exclude: [[x, world]], law: viscous(1 mm/s), paper: true}\nsolver: {rotation: "
        "quaternion}\n");
    br_builder *builder = NULL;
    br_error error = {0};
    const uint64_t hash = hash_of(first, &builder);
    const char *second = temp_path("second.yaml");
    if (br_model_write_yaml(builder, NULL, second, &error) != BR_OK) fail_msg("%s", error.message);
    br_builder_destroy(builder);
    assert_int_equal(unlink(temp_path("part.obj")), 0); // the points are in the model now
    assert_true(hash_of(second, NULL) == hash);
}

static void a_converted_model_stays_as_it_is(void **state) {
    (void)state;
    imported m = import(WORLD("<geom name='floor' type='plane' size='0 0 1' friction='0.7'/>" FREE(
        "a", "<geom type='capsule' size='0.1' fromto='0 0 0 0.1 0.2 0.3'/><geom type='box' size='1 2 3' "
             "euler='10 20 30'/>"
             "<body name='b' pos='0 0 1'>" INERTIAL
             "<joint axis='1 1 0'/><geom size='0.3' contype='2'/></body>")));
    const char *one = temp_path("one.yaml"), *two = temp_path("two.yaml");
    br_builder *builder = NULL;
    assert_int_equal(br_model_write_yaml(m.builder, NULL, one, NULL), BR_OK);
    release(&m);
    const uint64_t hash = hash_of(one, &builder);
    assert_int_equal(br_model_write_yaml(builder, NULL, two, NULL), BR_OK);
    br_builder_destroy(builder);
    assert_true(hash_of(two, NULL) == hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_geom_has_its_shape),
        cmocka_unit_test(friction_is_the_larger_unless_one_has_priority),
        cmocka_unit_test(the_same_geoms_may_touch_as_in_mujoco),
        cmocka_unit_test(what_has_no_counterpart_is_noted),
        cmocka_unit_test(mistakes_about_contact_are_named),
        cmocka_unit_test(meshes_are_moved_turned_and_scaled),
        cmocka_unit_test(elevations_begin_at_the_far_end_and_are_stretched),
        cmocka_unit_test(a_file_of_heights_is_held_against_its_bytes),
        cmocka_unit_test(a_written_model_is_the_same_model),
        cmocka_unit_test(a_converted_model_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
