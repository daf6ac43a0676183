// Writes a moving scene as glTF 2.0. Nodes: bodies first, so that a body's number is its node's; then what is seen of
// them (shapes, boxes of inertia, pieces of beams); last the world, which turns z up into glTF's y up.
#include "io/export/gltf_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/text/json_write.h"
#include "io/text/text.h"
#include "io/text/write.h"

enum {
    POSE = 7,
    FLOAT = 5126,
    UINT32 = 5125,
    VERTICES = 34962,
    INDICES = 34963,
    DIGITS = 9,
    GROUND = 0,
    COLOURS = 12
};

// Something seen: below a body's node or the world's.
typedef struct seen {
    int body; // -1: the world
    int next; // of the same body; -1: none
    const io_scene_shape *shape;
    const io_scene_beam *beam; // and which of its nodes
    int node;
} seen;

typedef struct writing {
    const gltf_scene *g;
    seen *item;
    int items;
    int *first; // [bodies + 1] the first item of a body; of the world the last entry
    gltf_bytes bytes;
    gltf_mesh mesh;
    double extent;
    int material[1 + COLOURS]; // 1 + number in the file; 0: not used yet
    int used_colour[1 + COLOURS], materials;
    io_memory views, accessors, meshes, nodes, samplers, channels;
    int view_count, mesh_count, sampler_count, channel_count; // accessors and views are one to one
} writing;

// -------------------------------------------------------------------------------------------------------- items

static void add_item(writing *w, seen item) {
    int *first = &w->first[item.body < 0 ? w->g->scene.bodies : item.body];
    item.next = *first;
    *first = w->items;
    w->item[w->items++] = item;
}

static int list_items(writing *w, br_arena *arena) {
    const io_scene *s = &w->g->scene;
    size_t most = (size_t)s->shapes + (size_t)s->bodies;
    for (int k = 0; k < s->beams; k++) most += (size_t)s->beam[k].count;
    unsigned char *in_beam = BR_TAKE(arena, unsigned char, s->bodies + 1);
    w->item = BR_TAKE(arena, seen, most);
    w->first = BR_TAKE(arena, int, s->bodies + 1);
    if (!in_beam || !w->item || !w->first || most > (1 << 24)) return 0;
    for (int k = 0; k <= s->bodies; k++) w->first[k] = -1;
    for (int k = 0; k < s->shapes; k++) add_item(w, (seen){s->shape[k].body, -1, &s->shape[k], NULL, 0});
    for (int k = 0; k < s->beams; k++)
        for (int i = 0; i < s->beam[k].count; i++) {
            add_item(w, (seen){s->beam[k].node[i], -1, NULL, &s->beam[k], i});
            in_beam[s->beam[k].node[i]] = 1;
        }
    for (int k = 0; k < s->bodies; k++)
        if (s->body[k].has_box && s->body[k].shapes == 0 && !in_beam[k])
            add_item(w, (seen){k, -1, NULL, NULL, 0});
    return 1;
}

// ---------------------------------------------------------------------------------------------------- accessors

static void put_floats(FILE *f, const char *key, const float *x, int count) {
    double y[4];
    for (int k = 0; k < count; k++) y[k] = x[k];
    br_io_json_key(f, key, 0);
    br_io_json_numbers(f, y, count, DIGITS);
}

// Bytes as a view and an accessor of their own. All have components of four bytes, so everything is aligned.
static int add_accessor(writing *w, const gltf_bytes *b, int component, const char *type, size_t count,
                        int target, const float *low, const float *high, int numbers) {
    FILE *v = w->views.file, *a = w->accessors.file;
    const int k = w->view_count++;
    fprintf(v, "%s\n{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu", k ? "," : "", w->bytes.size,
            b->size);
    if (target) fprintf(v, ", \"target\": %d", target);
    fputs("}", v);
    fprintf(a, "%s\n{\"bufferView\": %d, \"componentType\": %d, \"count\": %zu, \"type\": \"%s\"",
            k ? "," : "", k, component, count, type);
    if (low) {
        put_floats(a, "min", low, numbers);
        put_floats(a, "max", high, numbers);
    }
    fputs("}", a);
    br_gltf_bytes_add(&w->bytes, b->data, b->size);
    return k;
}

static int is_drawable(const gltf_mesh *m) {
    if (m->indices == 0 || m->position.failed || m->normal.failed || m->index.failed) return 0;
    for (int k = 0; k < 3; k++)
        if (!isfinite(m->low[k]) || !isfinite(m->high[k])) return 0;
    return 1;
}

// The mesh that was gathered; -1 when there is nothing to draw.
static int add_mesh(writing *w, const char *name, int colour) {
    const gltf_mesh *m = &w->mesh;
    const int failed = m->position.failed | m->normal.failed | m->index.failed;
    if (failed && !w->bytes.failed) w->bytes.failed = failed; // a shape must not be missing without a word
    if (!is_drawable(m)) return -1;
    if (w->material[colour] == 0) {
        w->used_colour[w->materials] = colour;
        w->material[colour] = ++w->materials;
    }
    const int material = w->material[colour] - 1;
    const int p = add_accessor(w, &m->position, FLOAT, "VEC3", m->vertices, VERTICES, m->low, m->high, 3);
    const int n = add_accessor(w, &m->normal, FLOAT, "VEC3", m->vertices, VERTICES, NULL, NULL, 0);
    const int i = add_accessor(w, &m->index, UINT32, "SCALAR", m->indices, INDICES, NULL, NULL, 0);
    FILE *f = w->meshes.file;
    fprintf(f, "%s\n{\"name\": ", w->mesh_count ? "," : "");
    br_io_json_text(f, name);
    fprintf(f,
            ", \"primitives\": [{\"attributes\": {\"POSITION\": %d, \"NORMAL\": %d}, \"indices\": %d, "
            "\"material\": %d}]}",
            p, n, i, material);
    return w->mesh_count++;
}

// -------------------------------------------------------------------------------------------------------- nodes

static void put_pose(FILE *f, br_pose X) {
    const double p[3] = {X.position.x, X.position.y, X.position.z};
    const double q[4] = {X.rotation.x, X.rotation.y, X.rotation.z, X.rotation.w};
    br_io_json_key(f, "translation", 0);
    br_io_json_numbers(f, p, 3, DIGITS);
    br_io_json_key(f, "rotation", 0);
    br_io_json_numbers(f, q, 4, DIGITS);
}

static void put_children(FILE *f, const writing *w, int body, int bodies_too) {
    const int bodies = w->g->scene.bodies;
    int count = 0;
    for (int k = 0; bodies_too && k < bodies; k++)
        fprintf(f, "%s%d", count++ ? ", " : ", \"children\": [", k);
    for (int k = w->first[body]; k >= 0; k = w->item[k].next)
        fprintf(f, "%s%d", count++ ? ", " : ", \"children\": [", bodies + k);
    if (count > 0) fputs("]", f);
}

static void put_bodies(writing *w) {
    FILE *f = w->nodes.file;
    const io_scene *s = &w->g->scene;
    const float *pose = (const float *)(const void *)w->g->pose.data;
    for (int k = 0; k < s->bodies; k++) {
        fprintf(f, "%s\n{\"name\": ", k ? "," : "");
        br_io_json_text(f, s->body[k].name);
        const float *x = w->g->frames > 0 ? pose + (size_t)k * POSE : NULL;
        if (x) put_pose(f, br_pose_of(br_quat_of(x[3], x[4], x[5], x[6]), br_vec3_of(x[0], x[1], x[2])));
        put_children(f, w, k, 0);
        fputs("}", f);
    }
}

// Half of the element to each side of a node, in the node's frame.
static void build_beam(writing *w, const seen *item) {
    const io_scene_beam *b = item->beam;
    const br_pose X = b->rest[item->node];
    for (int side = -1; side <= 1; side += 2) {
        const int other = item->node + side;
        if (other < 0 || other >= b->count) continue;
        const br_vec3 half = br_vec3_scale(0.5, br_pose_point_inverse(X, b->rest[other].position));
        const br_vec3 origin = br_vec3_zero();
        br_gltf_bar(&w->mesh, side < 0 ? half : origin, side < 0 ? origin : half, br_vec3_of(0, 0, 1),
                    b->size, b->is_round);
    }
}

static void put_item(writing *w, const seen *item) {
    FILE *f = w->nodes.file;
    const io_scene_body *body = item->body < 0 ? NULL : &w->g->scene.body[item->body];
    br_pose X = br_pose_identity();
    char own[256];
    const char *name = own;
    br_gltf_mesh_clear(&w->mesh);
    if (item->shape) {
        name = item->shape->name;
        X = item->shape->pose;
        br_gltf_shape(&w->mesh, item->shape, w->extent);
    } else if (item->beam) {
        snprintf(own, sizeof own, "%.200s piece %d", item->beam->name, item->node);
        build_beam(w, item);
    } else {
        snprintf(own, sizeof own, "%.200s inertia", body->name);
        X = br_pose_of(body->box_rotation, body->com);
        br_gltf_box(&w->mesh, body->box);
    }
    const int mesh = add_mesh(w, name, item->body < 0 ? GROUND : 1 + item->body % COLOURS);
    fputs(item == w->item && w->g->scene.bodies == 0 ? "\n{\"name\": " : ",\n{\"name\": ", f);
    br_io_json_text(f, name);
    put_pose(f, X);
    if (mesh >= 0) fprintf(f, ", \"mesh\": %d", mesh);
    fputs("}", f);
}

// The direction against gravity becomes y.
static br_quat upright(br_vec3 gravity) {
    const double h = 0.70710678118654752;
    const double x = fabs(gravity.x), y = fabs(gravity.y), z = fabs(gravity.z);
    if (y > x && y > z) return gravity.y < 0.0 ? br_quat_identity() : br_quat_of(0, 1, 0, 0);
    if (x > y && x > z) return br_quat_of(h, 0, 0, gravity.x < 0.0 ? h : -h);
    return br_quat_of(h, z > 0.0 && gravity.z > 0.0 ? h : -h, 0, 0);
}

static void put_nodes(writing *w) {
    FILE *f = w->nodes.file;
    put_bodies(w);
    for (int k = 0; k < w->items; k++) put_item(w, &w->item[k]);
    fputs(w->g->scene.bodies + w->items > 0 ? ",\n{\"name\": \"world\"" : "\n{\"name\": \"world\"", f);
    put_pose(f, br_pose_of(upright(w->g->scene.gravity), br_vec3_zero()));
    put_children(f, w, w->g->scene.bodies, 1);
    fputs("}", f);
}

// ---------------------------------------------------------------------------------------------------- animation

static void add_channel(writing *w, int body, int time, const gltf_bytes *values, const char *path,
                        const char *type) {
    const int output = add_accessor(w, values, FLOAT, type, (size_t)w->g->frames, 0, NULL, NULL, 0);
    fprintf(w->samplers.file, "%s\n{\"input\": %d, \"interpolation\": \"LINEAR\", \"output\": %d}",
            w->sampler_count ? "," : "", time, output);
    fprintf(w->channels.file, "%s\n{\"sampler\": %d, \"target\": {\"node\": %d, \"path\": \"%s\"}}",
            w->channel_count ? "," : "", w->sampler_count, body, path);
    w->sampler_count++;
    w->channel_count++;
}

static int moves(const gltf_scene *g, int body, int from, int count) {
    const float *x = (const float *)(const void *)g->pose.data;
    const size_t stride = (size_t)g->scene.bodies * POSE;
    for (int k = 1; k < g->frames; k++)
        if (memcmp(x + (size_t)k * stride + (size_t)body * POSE + from, x + (size_t)body * POSE + from,
                   (size_t)count * sizeof *x) != 0)
            return 1;
    return 0;
}

// A quaternion and its negative are one rotation; samplers go straight from one to the next, so neighbours must be near.
static void gather(const gltf_scene *g, int body, int rotation, gltf_bytes *out) {
    const float *x = (const float *)(const void *)g->pose.data;
    float last[4] = {0, 0, 0, 1};
    out->size = 0;
    for (int k = 0; k < g->frames; k++) {
        const float *p = x + ((size_t)k * (size_t)g->scene.bodies + (size_t)body) * POSE;
        if (!rotation) {
            br_gltf_bytes_add(out, p, 3 * sizeof *p);
            continue;
        }
        float q[4] = {p[4], p[5], p[6], p[3]};
        const float dot = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3];
        for (int i = 0; i < 4; i++) last[i] = q[i] = k > 0 && dot < 0.0F ? -q[i] : q[i];
        br_gltf_bytes_add(out, q, sizeof q);
    }
}

static void put_animation(writing *w) {
    const gltf_scene *g = w->g;
    const float *t = (const float *)(const void *)g->t.data;
    gltf_bytes values = {0};
    int time = -1;
    for (int body = 0; body < g->scene.bodies && g->frames > 1; body++)
        for (int rotation = 0; rotation < 2; rotation++) {
            if (!moves(g, body, rotation ? 3 : 0, rotation ? 4 : 3)) continue;
            if (time < 0)
                time = add_accessor(w, &g->t, FLOAT, "SCALAR", (size_t)g->frames, 0, &t[0], &t[g->frames - 1],
                                    1);
            gather(g, body, rotation, &values);
            if (values.failed) w->bytes.failed = 1;
            if (values.failed) break;
            add_channel(w, body, time, &values, rotation ? "rotation" : "translation",
                        rotation ? "VEC4" : "VEC3");
        }
    br_gltf_bytes_free(&values);
}

// --------------------------------------------------------------------------------------------------------- JSON

static void put_materials(FILE *f, const writing *w) {
    static const double colour[1 + COLOURS][3] = {
        {0.55, 0.56, 0.58}, {0.12, 0.38, 0.70}, {0.88, 0.42, 0.10}, {0.16, 0.55, 0.24}, {0.74, 0.16, 0.18},
        {0.46, 0.32, 0.68}, {0.42, 0.26, 0.20}, {0.84, 0.36, 0.64}, {0.34, 0.36, 0.38}, {0.62, 0.62, 0.10},
        {0.08, 0.60, 0.70}, {0.95, 0.70, 0.30}, {0.50, 0.72, 0.88}};
    if (w->materials == 0) return;
    fputs(",\n\"materials\": [", f);
    for (int i = 0; i < w->materials; i++) {
        const int k = w->used_colour[i];
        fprintf(f, "%s\n{\"name\": \"%s%d\", \"pbrMetallicRoughness\": {\"baseColorFactor\": [", i ? "," : "",
                k ? "body " : "ground ", k);
        for (int c = 0; c < 3; c++) {
            br_io_json_number(f, colour[k][c], 4);
            fputs(", ", f);
        }
        fputs("1], \"metallicFactor\": 0.1, \"roughnessFactor\": 0.7}, \"doubleSided\": true}", f);
    }
    fputs("]", f);
}

static void put_list(FILE *f, const char *key, const char *items) {
    if (items && items[0]) fprintf(f, ",\n\"%s\": [%s]", key, items);
}

static void put_json(FILE *f, const writing *w, const char *const text[6]) {
    const gltf_scene *g = w->g;
    fprintf(f, "{\"asset\": {\"version\": \"2.0\", \"generator\": \"bristle %s\", \"extras\": {\"model\": ",
            br_version());
    br_io_json_text(f, g->name);
    fputs(", \"length\": \"m\", \"start\": ", f);
    br_io_json_number(f, g->start, 17);
    fprintf(f, "}},\n\"scene\": 0,\n\"scenes\": [{\"nodes\": [%d]}]", g->scene.bodies + w->items);
    put_list(f, "nodes", text[3]);
    put_list(f, "meshes", text[2]);
    put_materials(f, w);
    put_list(f, "accessors", text[1]);
    put_list(f, "bufferViews", text[0]);
    if (w->channel_count > 0)
        fprintf(f, ",\n\"animations\": [{\"name\": \"motion\", \"samplers\": [%s],\n\"channels\": [%s]}]",
                text[4], text[5]);
}

static void put_u32(FILE *f, size_t x) {
    for (int k = 0; k < 4; k++) putc((int)(x >> (8 * k) & 0xff), f);
}

static void put_base64(FILE *f, const unsigned char *p, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < n; k += 3) {
        const unsigned a = p[k], b = k + 1 < n ? p[k + 1] : 0, c = k + 2 < n ? p[k + 2] : 0;
        const unsigned x = a << 16 | b << 8 | c;
        putc(digits[x >> 18], f);
        putc(digits[x >> 12 & 63], f);
        putc(k + 1 < n ? digits[x >> 6 & 63] : '=', f);
        putc(k + 2 < n ? digits[x & 63] : '=', f);
    }
}

static void put_gltf(FILE *f, const writing *w, const char *json) {
    fputs(json, f);
    if (w->bytes.size > 0) {
        fprintf(f, ",\n\"buffers\": [{\"byteLength\": %zu, \"uri\": \"data:application/octet-stream;base64,",
                w->bytes.size);
        put_base64(f, w->bytes.data, w->bytes.size);
        fputs("\"}]", f);
    }
    fputs("}\n", f);
}

// Header, a chunk of JSON padded with blanks, a chunk of bytes; everything in multiples of four.
static void put_glb(FILE *f, const writing *w, const char *json) {
    char end[96] = "}";
    if (w->bytes.size > 0)
        snprintf(end, sizeof end, ",\n\"buffers\": [{\"byteLength\": %zu}]}", w->bytes.size);
    const size_t plain = strlen(json) + strlen(end), text = (plain + 3) / 4 * 4;
    const size_t bytes = w->bytes.size; // of floats and indices: a multiple of four
    fputs("glTF", f);
    put_u32(f, 2);
    put_u32(f, 12 + 8 + text + (bytes > 0 ? 8 + bytes : 0));
    put_u32(f, text);
    fputs("JSON", f);
    fputs(json, f);
    fputs(end, f);
    for (size_t k = plain; k < text; k++) putc(' ', f);
    if (bytes == 0) return;
    put_u32(f, bytes);
    fwrite("BIN", 1, 4, f);
    fwrite(w->bytes.data, 1, bytes, f);
}

// -------------------------------------------------------------------------------------------------------- whole

// A plane reaches well beyond whatever moves over it.
static double gltf_write_reach(const gltf_scene *g) {
    const float *x = (const float *)(const void *)g->pose.data;
    double most = 2.0;
    for (size_t k = 0; k < (size_t)g->frames * (size_t)g->scene.bodies; k++)
        for (int i = 0; i < 3; i++) most = fmax(most, fabs((double)x[k * POSE + (size_t)i]));
    return 1.5 * most;
}

static br_status write_file(const writing *w, const char *const text[6], const char *path, br_error *error) {
    io_output out;
    io_memory json;
    char *whole = NULL;
    br_status status = br_io_memory_open(&json, error);
    if (status != BR_OK) return status;
    put_json(json.file, w, text);
    status = br_io_memory_close(&json, BR_OK, &whole, error);
    if (status == BR_OK && strlen(whole) + w->bytes.size > 0xf0000000UL)
        status = br_fail_at(error, BR_TOO_LARGE, "export-too-large", path, 0, 0, "would be larger than 4 GB");
    if (status == BR_OK) status = br_io_open_text(&out, path, error);
    if (status == BR_OK) {
        if (br_io_has_ending(path, ".glb"))
            put_glb(out.file, w, whole);
        else
            put_gltf(out.file, w, whole);
        status = br_io_close_text(&out, error);
    }
    br_text_free(whole);
    return status;
}

br_status br_gltf_write(const gltf_scene *scene, const char *path, br_arena *arena, br_error *error) {
    writing w;
    memset(&w, 0, sizeof w);
    w.g = scene;
    io_memory *const stream[6] = {&w.views, &w.accessors, &w.meshes, &w.nodes, &w.samplers, &w.channels};
    char *text[6] = {NULL};
    int opened = 0;
    br_status status = BR_OK;
    while (opened < 6 && status == BR_OK) {
        status = br_io_memory_open(stream[opened], error);
        if (status == BR_OK) opened++;
    }
    if (status == BR_OK && (scene->pose.failed || scene->t.failed || !list_items(&w, arena)))
        status = br_no_memory_at(error, path, "not enough memory for its frames");
    if (status == BR_OK) {
        const io_locale locale = br_io_locale_enter();
        w.extent = gltf_write_reach(scene);
        put_nodes(&w);
        put_animation(&w);
        br_io_locale_leave(locale);
        if (w.bytes.failed & GLTF_NO_MEMORY)
            status = br_no_memory_at(error, path, "not enough memory for its shapes and frames");
        else if (w.bytes.failed)
            status = br_fail_at(error, BR_TOO_LARGE, "export-too-large", path, 0, 0,
                                "would be larger than 2 GB; export less of it with --fps, --from and --to");
    }
    for (int k = 0; k < opened; k++) {
        br_status closed = br_io_memory_close(stream[k], status, &text[k], error);
        if (status == BR_OK) status = closed;
    }
    if (status == BR_OK) status = write_file(&w, (const char *const *)text, path, error);
    for (int k = 0; k < 6; k++) br_text_free(text[k]);
    br_gltf_bytes_free(&w.bytes);
    br_gltf_mesh_free(&w.mesh);
    return status;
}
