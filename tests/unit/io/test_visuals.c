// What a model of another program has for pictures: in the scene of a result, with its colour, and in nothing else.
#include <math.h>

#include "bristle/io.h"
#include "bristle/report.h"
#include "bristle/sim.h"
#include "io/report/simplify.h"
#include "temp_file.h"

#define BODY(inner)                                                                                          \
    "<mujoco model='arm'><asset><mesh name='part' file='part.obj' scale='0.1 0.1 0.1'/><mesh "               \
    "file='lost.stl'/>\n"                                                                                    \
    "<mesh name='broken' file='broken.obj'/><material name='red' rgba='0.8 0.1 0.1 1'/></asset>\n"           \
    "<worldbody><body name='link'><inertial pos='0 0 -0.5' mass='2' diaginertia='0.1 0.1 0.1'/>\n"           \
    "<joint name='elbow' axis='0 1 0'/>" inner "</body></worldbody></mujoco>\n"
#define PICTURE(what) "<geom contype='0' conaffinity='0' " what "/>"
#define PART "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

// The scene of a model, to be freed; *hash of the model.
static char *scene_of(const char *text, uint64_t *hash) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    char *scene = NULL;
    temp_write("part.obj", PART);
    temp_write("broken.obj", "v 0 0 0\nf 1 2 3\n");
    if (br_model_read(temp_write(strncmp(text, "<robot", 6) == 0 ? "arm.urdf" : "arm.xml", text), NULL, 0,
                      NULL, &model, NULL, &error) != BR_OK ||
        br_sim_create(model, NULL, &sim, &error) != BR_OK || br_scene_text(sim, &scene, &error) != BR_OK)
        fail_msg("%s", error.message);
    if (hash) *hash = br_model_hash(model);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return scene;
}

static void assert_has(const char *scene, const char *text) {
    if (!strstr(scene, text)) fail_msg("'%s' is not in %s", text, scene);
}

static void a_mesh_is_drawn_once_for_all_its_places_with_its_colour(void **state) {
    (void)state;
    char *scene = scene_of(BODY(PICTURE("type='mesh' mesh='part' material='red'")
                                    PICTURE("type='mesh' mesh='part' pos='0 0 1' rgba='0 1 0 0.5'")),
                           NULL);
    assert_has(scene, "\"meshes\": [\n{\"vertices\": [0,0,0,0,1,0,1,0,0,0,0,1], \"triangles\": "
                      "[0,1,2,0,2,3,0,3,1,2,1,3]}]");
    assert_has(scene,
               "\"colour\": [0.8, 0.1, 0.1, 1], \"kind\": \"file\", \"mesh\": 0, \"scale\": [0.1, 0.1, 0.1]");
    assert_has(scene, "\"position\": [0, 0, 1], \"rotation\": [1, 0, 0, 0], \"colour\": [0, 1, 0, 0.5]");
    br_text_free(scene);
}

static void solids_are_drawn_too(void **state) {
    (void)state;
    char *scene = scene_of(
        BODY(PICTURE("type='box' size='0.1 0.2 0.3'") PICTURE("type='capsule' size='0.1 0.2'")), NULL);
    assert_has(scene, "\"body\": 0, \"position\": [0, 0, 0], \"rotation\": [1, 0, 0, 0], \"colour\": null, "
                      "\"kind\": \"box\", "
                      "\"size\": [0.2, 0.4, 0.6]");
    assert_has(scene, "\"kind\": \"capsule\", \"radius\": 0.1, \"length\": 0.4");
    br_text_free(scene);
}

// Files that are not there or are broken, groups that are not shown, what cannot be seen: left out, and the rest is there.
static void what_cannot_be_drawn_is_left_out_of_the_picture_alone(void **state) {
    (void)state;
    char *scene =
        scene_of(BODY(PICTURE("type='mesh' mesh='lost'") PICTURE("type='mesh' mesh='broken'") PICTURE(
                     "type='sphere' size='0.1' group='3'") PICTURE("type='sphere' size='0.1' rgba='1 1 1 0'")
                          PICTURE("type='mesh' mesh='none'") PICTURE("type='sphere' size='0.25'")),
                 NULL);
    const char *visuals = strstr(scene, "\"visuals\": [");
    assert_non_null(visuals);
    assert_has(visuals, "\"radius\": 0.25");
    assert_has(scene,
               "\"undrawn\": [\"broken.obj:2 is not drawn: '2' is none of the 1 vertices before it\"]");
    assert_null(strstr(visuals + 14, "},\n{"));
    br_text_free(scene);
}

static void pictures_are_no_part_of_a_models_number(void **state) {
    (void)state;
    uint64_t bare, drawn;
    br_text_free(scene_of(BODY(""), &bare));
    br_text_free(scene_of(BODY(PICTURE("type='mesh' mesh='part'")), &drawn));
    assert_true(bare == drawn);
}

static void urdf_links_are_drawn_with_the_materials_of_the_robot(void **state) {
    (void)state;
    static const char text[] =
        "<robot name='arm'><material name='steel'><color rgba='0.5 0.6 0.7 1'/></material>\n"
        "<link name='base'><visual><geometry><cylinder radius='0.1' "
        "length='0.2'/></geometry></visual></link>\n"
        "<link name='link'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial>\n"
        "<visual><origin xyz='0 0 0.5' rpy='0 0 0'/><geometry><mesh filename='package://arm/part.obj' "
        "scale='2 2 "
        "2'/></geometry><material name='steel'/></visual>\n"
        "<visual><geometry><mesh filename='lost.dae'/></geometry></visual><visual/></link>\n"
        "<joint name='elbow' type='continuous'><parent link='base'/><child link='link'/></joint></robot>\n";
    char *scene = scene_of(text, NULL);
    assert_has(scene, "\"kind\": \"cylinder\", \"radius\": 0.1, \"length\": 0.2");
    assert_has(
        scene,
        "\"body\": 1, \"position\": [0, 0, 0.5], \"rotation\": [1, 0, 0, 0], \"colour\": [0.5, 0.6, 0.7, "
        "1], \"kind\": \"file\", \"mesh\": 0, \"scale\": [2, 2, 2]");
    assert_null(strstr(scene, "\"mesh\": 1"));
    br_text_free(scene);
}

// A sphere of 40,000 triangles in at most 3,000: every vertex is within a cell of the surface, whose side follows from the count: n
// cells along the diameter meet about pi n^2 of them, two triangles each.
static void many_triangles_become_few_near_the_surface(void **state) {
    (void)state;
    enum { ALONG = 200, AROUND = 100, MOST = 3000 };
    br_arena arena;
    io_triangles t;
    br_arena_init(&arena, NULL);
    br_vec3 *corner = BR_TAKE(&arena, br_vec3, 6 * ALONG * AROUND);
    int n = 0;
    for (int i = 0; i < ALONG; i++)
        for (int k = 0; k < AROUND; k++) {
            br_vec3 p[4];
            for (int c = 0; c < 4; c++) {
                const double a = 2 * BR_PI * (i + (c == 1 || c == 2)) / ALONG,
                             b = BR_PI * (k + c / 2) / AROUND;
                p[c] = br_vec3_of(sin(b) * cos(a), sin(b) * sin(a), cos(b));
            }
            const int fan[] = {0, 1, 2, 0, 2, 3};
            for (int c = 0; c < 6; c++) corner[n++] = p[fan[c]];
        }
    assert_int_equal(br_io_simplify(corner, n, MOST, &arena, &t), 1);
    assert_in_range(t.triangles, MOST / 3, MOST);
    for (int k = 0; k < 3 * t.triangles; k++) assert_in_range(t.corner[k], 0, t.vertices - 1);
    const double cell = 2 * sqrt(2 * BR_PI / t.triangles) * 1.5;
    for (int k = 0; k < t.vertices; k++) assert_near(br_vec3_norm(t.vertex[k]), 1.0, cell);
    // Few are kept as they are, but for those without area.
    assert_int_equal(br_io_simplify(corner + 6 * 40, 6, 100, &arena, &t), 1);
    assert_int_equal(t.vertices, 4);
    const br_vec3 flat[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    assert_int_equal(br_io_simplify(flat, 3, 100, &arena, &t), 1);
    assert_int_equal(t.triangles, 0);
    br_arena_free(&arena);
}

// Two triangles of one material, a square of another, turned by a quarter about z and 2 up, in centimetres.
#define COLLADA(corners, counts)                                                                             \
    "<COLLADA><asset><unit meter='0.01'/></asset>"                                                           \
    "<library_effects><effect id='fr'><profile_COMMON><technique sid='t'><phong><diffuse>"                   \
    "<color>0.9 0.1 0 1</color></diffuse></phong></technique></profile_COMMON></effect>"                     \
    "<effect id='ft'><profile_COMMON><technique sid='t'><phong><diffuse><texture texture='a'/>"              \
    "</diffuse></phong></technique></profile_COMMON></effect></library_effects>"                             \
    "<library_materials><material id='mr'><instance_effect url='#fr'/></material>"                           \
    "<material id='mt'><instance_effect url='#ft'/></material></library_materials>"                          \
    "<library_geometries><geometry id='g'><mesh><source id='s'><float_array count='12'>"                     \
    "0 0 0 100 0 0 100 100 0 0 100 0</float_array></source>"                                                 \
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"                                   \
    "<triangles material='red' count='2'><input semantic='NORMAL' source='#s' offset='1'/>"                  \
    "<input semantic='VERTEX' source='#v' offset='0'/><p>" corners "</p></triangles>"                        \
    "<polylist material='wood' count='1'><input semantic='VERTEX' source='#v' offset='0'/>"                  \
    "<vcount>" counts "</vcount><p>0 1 2 3</p></polylist></mesh></geometry></library_geometries>"            \
    "<library_visual_scenes><visual_scene id='w'><node><translate>0 0 200</translate>"                       \
    "<rotate>0 0 1 90</rotate><instance_geometry url='#g'><bind_material><technique_common>"                 \
    "<instance_material symbol='red' target='#mr'/><instance_material symbol='wood' target='#mt'/>"          \
    "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"  \
    "<scene><instance_visual_scene url='#w'/></scene></COLLADA>"
#define ROBOT                                                                                                \
    "<robot name='arm'><link name='base'/><link name='link'><inertial><mass value='1'/>"                     \
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"                                  \
    "<visual><geometry><mesh filename='part.dae'/></geometry></visual></link>"                               \
    "<joint name='elbow' type='continuous'><parent link='base'/><child link='link'/></joint></robot>"

static int times_in(const char *text, const char *what) {
    int count = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) count++;
    return count;
}

// By their materials: what has a texture has no colour of its own.
static void collada_is_drawn_in_the_colours_of_its_materials(void **state) {
    (void)state;
    temp_write("part.dae", COLLADA("0 0 1 0 2 0 0 0 2 0 3 0", "4"));
    char *scene = scene_of(ROBOT, NULL);
    assert_int_equal(times_in(scene, "\"triangles\": [0,1,2"), 2);
    assert_has(scene, "\"colour\": [0.9, 0.1, 0, 1], \"kind\": \"file\", \"mesh\": 0");
    assert_has(scene, "\"colour\": null, \"kind\": \"file\", \"mesh\": 1");
    assert_has(scene, "0,1,2,"); // (1, 0) of the square, turned and raised
    br_text_free(scene);
}

static void collada_that_lies_is_not_drawn(void **state) {
    (void)state;
    static const char *const wrong[] = {
        COLLADA("0 0 1 0 2 0 0 0 2 0 4 0", "4"), // no fifth point
        COLLADA("0 0 1 0 2 0 0 0 2", "4"),       // ends within a corner
        COLLADA("0 0 1 0 2 0", "1000000000"),    // more corners than there are
        COLLADA("0 0 1 0 2 0", "2 0"),           // fewer
        COLLADA("0 0 1 0 -2 0", "4"),            // below none
        "<!DOCTYPE COLLADA [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><COLLADA>&x;</COLLADA>",
        "<COLLADA><scene><instance_visual_scene url='http://a/b#w'/></scene></COLLADA>",
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        temp_write("part.dae", wrong[k]);
        char *scene = scene_of(ROBOT, NULL);
        assert_has(scene, "\"visuals\": []");
        br_text_free(scene);
    }
}

static void write_msh(const char *name, int triangles, int last, size_t cut) {
    const int head[4] = {4, 1, 1, triangles};
    const float vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, other[5] = {0};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, last};
    char bytes[200];
    size_t size = 0;
    const struct {
        const void *from;
        size_t size;
    } part[] = {{head, sizeof head}, {vertex, sizeof vertex}, {other, sizeof other}, {face, sizeof face}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        memcpy(bytes + size, part[k].from, part[k].size);
        size += part[k].size;
    }
    FILE *file = fopen(temp_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size - cut, file), size - cut);
    fclose(file);
}

#define MSH_BODY(geom)                                                                                       \
    "<mujoco><asset><mesh name='part' file='part.msh' inertia='exact'/></asset><worldbody><body "            \
    "name='link'>"                                                                                           \
    "<joint name='elbow' axis='0 1 0'/>" geom "</body></worldbody></mujoco>"

// MuJoCo's own files: pictures, contact shapes and masses come from them as from any other.
static void msh_files_are_read(void **state) {
    (void)state;
    br_model *model = NULL;
    br_error error = {0};
    write_msh("part.msh", 4, 3, 0);
    char *scene = scene_of(MSH_BODY("<geom type='mesh' mesh='part' density='600'/>" PICTURE(
                               "type='mesh' mesh='part' rgba='1 0 0 1' density='0'")),
                           NULL);
    assert_has(scene, "\"colour\": [1, 0, 0, 1], \"kind\": \"file\", \"mesh\": 0");
    br_text_free(scene);
    assert_int_equal(br_model_read(temp_path("arm.xml"), NULL, 0, NULL, &model, NULL, &error), BR_OK);
    const double mass = br_model_body_mass(model, br_model_body_find(model, "link"));
    if (!(fabs(mass - 100.0) < 1e-6)) fail_msg("%.9g kg", mass); // a sixth of a cubic metre
    br_model_destroy(model);
}

static void msh_files_that_lie_are_refused(void **state) {
    (void)state;
    static const struct {
        int triangles, last;
        size_t cut;
        const char *code;
    } wrong[] = {{4, 3, 1, "mesh-cut"},
                 {5, 3, 0, "mesh-cut"},
                 {4, 4, 0, "mesh-face"},
                 {1 << 30, 3, 0, "mesh-cut"},
                 {4, 3, 120, "mesh-cut"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        br_model *model = NULL;
        br_error error = {0};
        write_msh("part.msh", wrong[k].triangles, wrong[k].last, wrong[k].cut);
        const char *path = temp_write("arm.xml", MSH_BODY("<geom type='mesh' mesh='part'/>"));
        assert_true(br_model_read(path, NULL, 0, NULL, &model, NULL, &error) != BR_OK);
        assert_string_equal(error.code, wrong[k].code);
        assert_non_null(strstr(error.file, "part.msh"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_is_drawn_once_for_all_its_places_with_its_colour),
        cmocka_unit_test(solids_are_drawn_too),
        cmocka_unit_test(what_cannot_be_drawn_is_left_out_of_the_picture_alone),
        cmocka_unit_test(pictures_are_no_part_of_a_models_number),
        cmocka_unit_test(urdf_links_are_drawn_with_the_materials_of_the_robot),
        cmocka_unit_test(many_triangles_become_few_near_the_surface),
        cmocka_unit_test(collada_is_drawn_in_the_colours_of_its_materials),
        cmocka_unit_test(collada_that_lies_is_not_drawn),
        cmocka_unit_test(msh_files_are_read),
        cmocka_unit_test(msh_files_that_lie_are_refused),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
