// glTF files hold together: what refers to something refers to something that is there, numbers lie within their bytes, the
// smallest and largest positions are those of the bytes, triangles face outwards, quaternions are unit.
#include <math.h>
#include <stdint.h>

#include "bristle/export.h"
#include "bristle/report.h"
#include "io/export/gltf.h"
#include "io/text/json_read.h"
#include "temp_file.h"

enum { MOST = 512 };

typedef struct view {
    double offset, length, target;
} view;

typedef struct accessor {
    double view, component, count, low[4], high[4];
    int low_count, high_count, numbers; // numbers: 1, 3, 4
} accessor;

typedef struct parsed {
    br_arena arena;
    view view[MOST];
    accessor accessor[MOST];
    int views, accessors, nodes, meshes, animations;
    double channel_node[MOST], sampler_input[MOST], sampler_output[MOST];
    int channels, samplers;
    double buffer_length;
    char node_name[MOST][64];
    const unsigned char *bytes;
    size_t size;
} parsed;

// -------------------------------------------------------------------------------------------------------------- walking

typedef void (*field)(json_reader *j, io_token key, parsed *p, int index);

static void object(json_reader *j, field f, parsed *p, int index) {
    br_error error;
    io_token key;
    assert_true(br_json_read_take(j, '{'));
    if (br_json_read_take(j, '}')) return;
    do {
        assert_int_equal(br_json_read_string(j, &key, &error), BR_OK);
        assert_true(br_json_read_take(j, ':'));
        f(j, key, p, index);
    } while (br_json_read_take(j, ','));
    assert_true(br_json_read_take(j, '}'));
}

static int list(json_reader *j, field f, parsed *p) {
    int n = 0;
    assert_true(br_json_read_take(j, '['));
    do {
        assert_true(n < MOST);
        object(j, f, p, n++);
    } while (br_json_read_take(j, ','));
    assert_true(br_json_read_take(j, ']'));
    return n;
}

static void skip_value(json_reader *j) {
    br_error error;
    assert_int_equal(br_json_read_skip(j, &error), BR_OK);
}

static double number(json_reader *j) {
    br_error error;
    double x = 0;
    assert_int_equal(br_json_read_number(j, &x, &error), BR_OK);
    return x;
}

static int numbers(json_reader *j, double *out, int most) {
    br_error error;
    int n = 0;
    assert_int_equal(br_json_read_numbers(j, out, most, &n, &error), BR_OK);
    return n;
}

static void view_field(json_reader *j, io_token key, parsed *p, int k) {
    if (br_io_token_is(key, "byteOffset"))
        p->view[k].offset = number(j);
    else if (br_io_token_is(key, "byteLength"))
        p->view[k].length = number(j);
    else if (br_io_token_is(key, "target"))
        p->view[k].target = number(j);
    else
        skip_value(j);
}

static void accessor_field(json_reader *j, io_token key, parsed *p, int k) {
    accessor *a = &p->accessor[k];
    br_error error;
    io_token word;
    if (br_io_token_is(key, "bufferView"))
        a->view = number(j);
    else if (br_io_token_is(key, "componentType"))
        a->component = number(j);
    else if (br_io_token_is(key, "count"))
        a->count = number(j);
    else if (br_io_token_is(key, "min"))
        a->low_count = numbers(j, a->low, 4);
    else if (br_io_token_is(key, "max"))
        a->high_count = numbers(j, a->high, 4);
    else if (br_io_token_is(key, "type")) {
        assert_int_equal(br_json_read_string(j, &word, &error), BR_OK);
        a->numbers = br_io_token_is(word, "SCALAR") ? 1 : br_io_token_is(word, "VEC3") ? 3 : 4;
    } else
        skip_value(j);
}

static void buffer_field(json_reader *j, io_token key, parsed *p, int k) {
    (void)k;
    if (br_io_token_is(key, "byteLength"))
        p->buffer_length = number(j);
    else
        skip_value(j);
}

static void node_field(json_reader *j, io_token key, parsed *p, int k) {
    br_error error;
    io_token name;
    if (br_io_token_is(key, "name")) {
        assert_int_equal(br_json_read_string(j, &name, &error), BR_OK);
        snprintf(p->node_name[k], sizeof p->node_name[k], "%s", br_json_read_plain(j, name));
    } else
        skip_value(j);
}

static void any_field(json_reader *j, io_token key, parsed *p, int k) {
    (void)key, (void)p, (void)k;
    skip_value(j);
}

static void target_field(json_reader *j, io_token key, parsed *p, int k) {
    if (br_io_token_is(key, "node"))
        p->channel_node[k] = number(j);
    else
        skip_value(j);
}

static void channel_field(json_reader *j, io_token key, parsed *p, int k) {
    if (br_io_token_is(key, "target"))
        object(j, target_field, p, k);
    else
        skip_value(j);
}

static void sampler_field(json_reader *j, io_token key, parsed *p, int k) {
    if (br_io_token_is(key, "input"))
        p->sampler_input[k] = number(j);
    else if (br_io_token_is(key, "output"))
        p->sampler_output[k] = number(j);
    else
        skip_value(j);
}

static void animation_field(json_reader *j, io_token key, parsed *p, int k) {
    (void)k;
    if (br_io_token_is(key, "channels"))
        p->channels = list(j, channel_field, p);
    else if (br_io_token_is(key, "samplers"))
        p->samplers = list(j, sampler_field, p);
    else
        skip_value(j);
}

static void top_field(json_reader *j, io_token key, parsed *p, int k) {
    (void)k;
    if (br_io_token_is(key, "bufferViews"))
        p->views = list(j, view_field, p);
    else if (br_io_token_is(key, "accessors"))
        p->accessors = list(j, accessor_field, p);
    else if (br_io_token_is(key, "buffers"))
        assert_int_equal(list(j, buffer_field, p), 1);
    else if (br_io_token_is(key, "nodes"))
        p->nodes = list(j, node_field, p);
    else if (br_io_token_is(key, "meshes"))
        p->meshes = list(j, any_field, p);
    else if (br_io_token_is(key, "animations"))
        p->animations = list(j, animation_field, p);
    else
        skip_value(j);
}

// ---------------------------------------------------------------------------------------------------------------- checks

static uint32_t u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float float_at(const parsed *p, const accessor *a, size_t k) {
    float x;
    memcpy(&x, p->bytes + (size_t)p->view[(int)a->view].offset + 4 * k, sizeof x);
    return x;
}

static void check_range(const parsed *p, const accessor *a) {
    assert_int_equal(a->low_count, a->numbers);
    assert_int_equal(a->high_count, a->numbers);
    for (int i = 0; i < a->numbers; i++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k < (size_t)a->count; k++) {
            low = fminf(low, float_at(p, a, k * (size_t)a->numbers + (size_t)i));
            high = fmaxf(high, float_at(p, a, k * (size_t)a->numbers + (size_t)i));
        }
        assert_true((float)a->low[i] == low && (float)a->high[i] == high);
    }
}

static void check_accessors(const parsed *p) {
    uint32_t vertices = 0;
    for (int k = 0; k < p->accessors; k++) {
        const accessor *a = &p->accessor[k];
        assert_true(a->view >= 0 && a->view < p->views);
        const view *v = &p->view[(int)a->view];
        assert_true(fmod(v->offset, 4) == 0);
        assert_true(a->count > 0 && 4 * a->count * a->numbers <= v->length);
        assert_true(v->offset + v->length <= p->buffer_length);
        if (a->low_count > 0) check_range(p, a);
        if (v->target == 34962 && a->low_count > 0)
            vertices = (uint32_t)a->count; // positions come before indices
        if (v->target == 34963)
            for (size_t i = 0; i < (size_t)a->count; i++)
                assert_true(u32(p->bytes + (size_t)v->offset + 4 * i) < vertices);
    }
}

static void check_animation(const parsed *p) {
    assert_true(p->animations == 1 && p->channels == p->samplers && p->channels > 0);
    for (int k = 0; k < p->channels; k++) {
        assert_true(p->channel_node[k] >= 0 && p->channel_node[k] < p->nodes);
        const accessor *t = &p->accessor[(int)p->sampler_input[k]],
                       *x = &p->accessor[(int)p->sampler_output[k]];
        assert_true(t->numbers == 1 && t->low_count == 1 && t->count == x->count);
        for (size_t i = 1; i < (size_t)t->count; i++) assert_true(float_at(p, t, i) > float_at(p, t, i - 1));
        assert_true(float_at(p, t, 0) == 0.0F);
        for (size_t i = 0; i < (size_t)x->count && x->numbers == 4; i++) {
            double norm = 0, dot = 0;
            for (size_t c = 0; c < 4; c++) {
                norm += pow((double)float_at(p, x, 4 * i + c), 2);
                if (i > 0) dot += (double)float_at(p, x, 4 * i + c) * (double)float_at(p, x, 4 * i - 4 + c);
            }
            assert_near(norm, 1.0, 1e-6); // of floats
            assert_true(i == 0 || dot >= 0);
        }
    }
}

static void parse(const char *json, parsed *p) {
    json_reader j;
    br_json_read_open_text(&j, "glTF", json, &p->arena);
    object(&j, top_field, p, 0);
    assert_int_equal(br_json_read_peek(&j), 0);
}

static void check_glb(const char *path, parsed *p) {
    char *file = temp_read(path);
    const unsigned char *b = (const unsigned char *)file;
    memset(p, 0, sizeof *p);
    br_arena_init(&p->arena, NULL);
    assert_memory_equal(b, "glTF\x02\0\0\0", 8);
    const uint32_t whole = u32(b + 8), text = u32(b + 12);
    assert_true(text % 4 == 0 && whole % 4 == 0);
    assert_memory_equal(b + 16, "JSON", 4);
    const uint32_t bytes = u32(b + 20 + text);
    assert_memory_equal(b + 24 + text, "BIN\0", 4);
    assert_int_equal(whole, 28 + text + bytes);
    char *json = calloc(1, text + 1);
    memcpy(json, b + 20, text);
    p->bytes = b + 28 + text;
    parse(json, p);
    assert_true(p->buffer_length == bytes);
    check_accessors(p);
    check_animation(p);
    br_arena_free(&p->arena);
    free(json);
    free(file);
}

// ---------------------------------------------------------------------------------------------------------------- results

// A run of a scene into a log: rows of every channel.
static void run_scene(const char *path, double until) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error;
    char *scene = NULL;
    memset(&error, 0, sizeof error);
    const br_status read = br_model_read(path, NULL, 0, NULL, &model, NULL, &error);
    if (read != BR_OK) print_error("%s\n", error.message);
    assert_int_equal(read, BR_OK);
    assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_OK);
    assert_int_equal(br_scene_text(sim, &scene, &error), BR_OK);
    const int n = br_sim_channel_count(sim);
    br_channel *channel = calloc((size_t)n, sizeof *channel);
    br_result_channel *list_of = calloc((size_t)n, sizeof *list_of);
    double *row = calloc((size_t)n, sizeof *row);
    char(*name)[256] = calloc((size_t)n, sizeof *name);
    for (int k = 0; k < n; k++) {
        br_sim_channel_name(sim, k, name[k], sizeof name[k]);
        assert_int_equal(br_sim_channel_find(sim, name[k], &channel[k], &error), BR_OK);
        list_of[k] = (br_result_channel){name[k], channel[k].unit};
    }
    br_result_header h;
    memset(&h, 0, sizeof h);
    h.model_name = br_model_name(model);
    h.channels = list_of;
    h.channel_count = n;
    h.scene = scene;
    br_result_writer *w = NULL;
    assert_int_equal(br_result_create(temp_path("run.result"), &h, NULL, &w, &error), BR_OK);
    for (int k = 0; k <= 20; k++) {
        assert_int_equal(br_sim_advance(sim, until * k / 20, &error), BR_OK);
        for (int i = 0; i < n; i++)
            assert_int_equal(br_sim_channel_read(sim, &channel[i], &row[i], &error), BR_OK);
        assert_int_equal(br_result_row(w, row, &error), BR_OK);
    }
    br_result_end end;
    memset(&end, 0, sizeof end);
    assert_int_equal(br_result_finish(w, &end, &error), BR_OK);
    br_text_free(scene);
    br_sim_destroy(sim);
    br_model_destroy(model);
    free(channel);
    free(list_of);
    free(row);
    free(name);
}

static void scenes_become_files_that_hold_together(void **state) {
    (void)state;
    static const char *const scenes[] = {"/scenes/gallery/resting_shapes.yaml",
                                         "/scenes/gallery/field_ball.yaml",
                                         "/scenes/templates/four_bar.yaml"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        char path[512];
        br_export_report report;
        br_error error;
        static parsed p;
        snprintf(path, sizeof path, BRISTLE_SOURCE_DIR "%s", scenes[k]);
        run_scene(path, 0.5);
        const br_status status =
            br_result_export(temp_path("run.result"), temp_path("run.glb"), NULL, NULL, &report, &error);
        if (status != BR_OK) print_error("%s\n", error.message);
        assert_int_equal(status, BR_OK);
        assert_int_equal(report.frames, 16); // 30 each second of half a second, and the last one
        check_glb(temp_path("run.glb"), &p);
        assert_true(p.nodes > report.bodies);
        assert_true(p.meshes > 0);
        assert_string_equal(p.node_name[p.nodes - 1], "world");
    }
}

static void base64_holds_the_same_bytes(void **state) {
    (void)state;
    br_error error;
    run_scene(BRISTLE_SOURCE_DIR "/scenes/templates/pendulum.yaml", 0.3);
    assert_int_equal(
        br_result_export(temp_path("run.result"), temp_path("run.glb"), NULL, NULL, NULL, &error), BR_OK);
    assert_int_equal(
        br_result_export(temp_path("run.result"), temp_path("run.gltf"), NULL, NULL, NULL, &error), BR_OK);
    char *glb = temp_read(temp_path("run.glb")), *gltf = temp_read(temp_path("run.gltf"));
    const unsigned char *b = (const unsigned char *)glb;
    const uint32_t text = u32(b + 12), bytes = u32(b + 20 + text);
    const unsigned char *data = b + 28 + text;
    const char *p = strstr(gltf, "base64,");
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_non_null(p);
    p += 7;
    for (uint32_t k = 0; k < bytes; k += 3, p += 4) {
        uint32_t x = 0;
        for (int i = 0; i < 4; i++)
            x = x << 6 | (p[i] == '=' ? 0 : (uint32_t)(strchr(digits, p[i]) - digits));
        for (uint32_t i = 0; i < 3 && k + i < bytes; i++)
            assert_int_equal(x >> (16 - 8 * i) & 255, data[k + i]);
    }
    assert_memory_equal(p, "\"}]", 3);
    free(glb);
    free(gltf);
}

// ---------------------------------------------------------------------------------------------------------------- shapes

static double volume_of(const gltf_mesh *m) {
    const float *x = (const float *)(const void *)m->position.data;
    const uint32_t *i = (const uint32_t *)(const void *)m->index.data;
    double volume = 0;
    for (uint32_t k = 0; k < m->indices; k += 3) {
        br_vec3 v[3];
        for (int c = 0; c < 3; c++)
            v[c] = br_vec3_of((double)x[3 * i[k + (uint32_t)c]], (double)x[3 * i[k + (uint32_t)c] + 1],
                              (double)x[3 * i[k + (uint32_t)c] + 2]);
        volume += br_vec3_dot(v[0], br_vec3_cross(v[1], v[2])) / 6.0;
    }
    return volume;
}

// The volume within triangles that face outwards is positive, and that of the shape: less by what a polygon lacks of a
// circle, 1.3 % of a sphere with 32 sides.
static void triangles_enclose_the_volume_of_their_shape(void **state) {
    (void)state;
    const struct {
        io_scene_shape shape;
        double volume;
    } cases[] = {
        {{.kind = BR_SHAPE_SPHERE, .radius = 0.5}, 4.0 / 3.0 * BR_PI * 0.125},
        {{.kind = BR_SHAPE_ELLIPSOID, .size = {0.5, 1.0, 2.0}}, 4.0 / 3.0 * BR_PI},
        {{.kind = BR_SHAPE_BOX, .size = {1.0, 2.0, 3.0}}, 6.0},
        {{.kind = BR_SHAPE_CYLINDER, .radius = 0.5, .length = 2.0}, BR_PI * 0.5},
        {{.kind = BR_SHAPE_CAPSULE, .radius = 0.5, .length = 2.0}, BR_PI * 0.5 + 4.0 / 3.0 * BR_PI * 0.125},
        {{.kind = BR_SHAPE_DISK, .radius = 0.5}, 0.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gltf_mesh m;
        memset(&m, 0, sizeof m);
        br_gltf_mesh_clear(&m);
        br_gltf_shape(&m, &cases[k].shape, 1.0);
        assert_true(m.vertices > 0 && m.indices % 3 == 0);
        const double volume = volume_of(&m);
        assert_true(volume <= cases[k].volume * (1.0 + 1e-6));
        assert_true(volume >= cases[k].volume * (1.0 - 0.025));
        br_gltf_mesh_free(&m);
    }
    gltf_mesh bar;
    memset(&bar, 0, sizeof bar);
    br_gltf_mesh_clear(&bar);
    const double size[2] = {0.1, 0.2};
    br_gltf_bar(&bar, br_vec3_of(1, 2, 3), br_vec3_of(1, 4, 3), br_vec3_of(0, 0, 1), size, 0);
    assert_near(volume_of(&bar), 0.1 * 0.2 * 2.0, 1e-6); // floats
    assert_near(bar.high[2] - bar.low[2], 0.2, 1e-6);    // `up` is along the second size
    assert_near(bar.high[0] - bar.low[0], 0.1, 1e-6);
    br_gltf_mesh_free(&bar);
}

// ----------------------------------------------------------------------------------------------------------------- scenes

static void scenes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"bodies\": 3}",
        "{\"bodies\": [{\"com\": [0, 0, 0]}]}",
        "{\"gravity\": [0, 0]}",
        "{\"bodies\": [], \"shapes\": [{\"name\": \"s\", \"body\": 0, \"kind\": \"box\"}]}",
        "{\"bodies\": [], \"shapes\": [{\"name\": \"s\", \"body\": -2, \"kind\": \"box\"}]}",
        "{\"bodies\": [], \"shapes\": [{\"name\": \"s\", \"body\": -1, \"kind\": \"blob\"}]}",
        "{\"bodies\": [], \"shapes\": [{\"name\": \"s\", \"body\": -1, \"kind\": \"sphere\", \"radius\": "
        "-1}]}",
        "{\"bodies\": [], \"shapes\": [{\"name\": \"s\", \"body\": -1, \"kind\": \"mesh\", \"vertices\": "
        "[0,0,0], "
        "\"triangles\": [0, 0, 1]}]}",
        "{\"bodies\": [], \"shapes\": [{\"name\": \"s\", \"body\": -1, \"kind\": \"box\", \"rotation\": [0, "
        "0, 0, 0]}]}",
        "{\"bodies\": [], \"beams\": [{\"name\": \"b\", \"nodes\": [0], \"size\": [1, 1], \"rest\": "
        "[0,0,0,1,0,0,0]}]}",
        "{\"bodies\": [], \"beams\": [{\"name\": \"b\", \"rest\": []}]}",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        io_scene scene;
        br_error error;
        if (br_io_scene_read(texts[k], &arena, &scene, &error) == BR_OK) fail_msg("accepted: %s", texts[k]);
        br_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_enclose_the_volume_of_their_shape),
        cmocka_unit_test(scenes_that_do_not_fit_are_refused),
        cmocka_unit_test(scenes_become_files_that_hold_together),
        cmocka_unit_test(base64_holds_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
