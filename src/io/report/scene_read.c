#include "io/report/scene_read.h"

#include <string.h>

#include "base/error.h"
#include "io/text/json_read.h"
#include "model/def/words.h"

enum { MAX_ITEMS = 1 << 20 };

typedef struct scene_reader {
    json_reader j;
    br_error *error;
} scene_reader;

static const char no_memory[] = "not enough memory for the scene of a result";

static br_status bad(const scene_reader *r, const char *expected) {
    return br_json_read_fail(&r->j, expected, r->error);
}

// ------------------------------------------------------------------------------------------------------- values

typedef br_status (*read_field)(scene_reader *r, io_token key, void *out);

// {"key": value, ...}, each value by `field`, which reads or skips it.
static br_status read_object(scene_reader *r, read_field field, void *out) {
    if (!br_json_read_take(&r->j, '{')) return bad(r, "'{'");
    if (br_json_read_take(&r->j, '}')) return BR_OK;
    do {
        io_token key;
        br_status status = br_json_read_string(&r->j, &key, r->error);
        if (status == BR_OK && !br_json_read_take(&r->j, ':')) status = bad(r, "':'");
        if (status == BR_OK) status = field(r, key, out);
        if (status != BR_OK) return status;
    } while (br_json_read_take(&r->j, ','));
    return br_json_read_take(&r->j, '}') ? BR_OK : bad(r, "',' or '}'");
}

static br_status count_items(scene_reader *r, int *count) {
    json_reader ahead = r->j;
    int n = 0;
    if (!br_json_read_take(&ahead, '[')) return bad(r, "a list");
    if (!br_json_read_take(&ahead, ']')) {
        do {
            const br_status status = br_json_read_skip(&ahead, r->error);
            if (status != BR_OK) return status;
            if (++n > MAX_ITEMS) return bad(r, "a shorter list");
        } while (br_json_read_take(&ahead, ','));
        if (!br_json_read_take(&ahead, ']')) return br_json_read_fail(&ahead, "',' or ']'", r->error);
    }
    *count = n;
    return BR_OK;
}

// [object, ...] into an array of its own, items of `each` bytes.
static br_status read_objects(scene_reader *r, read_field field, size_t each, void **out, int *count) {
    int n = 0;
    br_status status = count_items(r, &n);
    if (status != BR_OK) return status;
    unsigned char *items = br_arena_take(r->j.arena, (size_t)n, each);
    if (!items) return br_no_memory(r->error, no_memory);
    br_json_read_take(&r->j, '[');
    for (int k = 0; k < n && status == BR_OK; k++) {
        if (k > 0) br_json_read_take(&r->j, ',');
        status = read_object(r, field, items + each * (size_t)k);
    }
    if (status == BR_OK && !br_json_read_take(&r->j, ']')) status = bad(r, "']'");
    *out = items;
    *count = n;
    return status;
}

static br_status read_text(scene_reader *r, const char **out) {
    io_token token;
    const br_status status = br_json_read_string(&r->j, &token, r->error);
    if (status != BR_OK) return status;
    *out = br_json_read_plain(&r->j, token);
    return *out ? BR_OK : br_no_memory(r->error, no_memory);
}

static br_status read_fixed(scene_reader *r, double *out, int count) {
    int n = 0;
    const br_status status = br_json_read_numbers(&r->j, out, count, &n, r->error);
    return status == BR_OK && n != count ? bad(r, "a list of another length") : status;
}

static br_status read_vector(scene_reader *r, br_vec3 *out) {
    double x[3];
    const br_status status = read_fixed(r, x, 3);
    if (status == BR_OK) *out = br_vec3_of(x[0], x[1], x[2]);
    return status;
}

static br_status read_quat(scene_reader *r, br_quat *out) {
    double x[4];
    const br_status status = read_fixed(r, x, 4);
    if (status != BR_OK) return status;
    const br_quat q = {x[0], x[1], x[2], x[3]};
    if (!(br_quat_norm(q) > 1e-6 && br_quat_norm(q) < 1e6)) return bad(r, "a rotation before this");
    *out = br_quat_normalize(q);
    return BR_OK;
}

static br_status read_length(scene_reader *r, double *out) {
    const br_status status = br_json_read_number(&r->j, out, r->error);
    return status == BR_OK && *out < 0.0 ? bad(r, "a length that is not negative before this") : status;
}

static br_status read_list(scene_reader *r, double **out, int *count) {
    json_reader ahead = r->j;
    int n = 0;
    const br_status status = br_json_read_numbers(&ahead, NULL, 0, &n, r->error);
    if (status != BR_OK) return status;
    *out = BR_TAKE(r->j.arena, double, n);
    if (!*out) return br_no_memory(r->error, no_memory);
    return br_json_read_numbers(&r->j, *out, n, count, r->error);
}

// Whole numbers from 0; held against what they index once that is known.
static br_status read_indices(scene_reader *r, int **out, int *count) {
    double *x = NULL;
    const br_status status = read_list(r, &x, count);
    if (status != BR_OK) return status;
    *out = BR_TAKE(r->j.arena, int, *count);
    if (!*out) return br_no_memory(r->error, no_memory);
    for (int k = 0; k < *count; k++) {
        if (!(x[k] >= 0.0 && x[k] < 2147483647.0)) return bad(r, "whole numbers before this");
        (*out)[k] = (int)x[k];
    }
    return BR_OK;
}

static br_status read_index(scene_reader *r, int *out) {
    double x = 0;
    const br_status status = br_json_read_number(&r->j, &x, r->error);
    if (status == BR_OK && !(x >= -1.0 && x < 2147483647.0)) return bad(r, "an index before this");
    *out = (int)x;
    return status;
}

// ------------------------------------------------------------------------------------------------------- things

static br_status box_field(scene_reader *r, io_token key, void *out) {
    io_scene_body *b = out;
    if (br_io_token_is(key, "size")) return read_vector(r, &b->box);
    if (br_io_token_is(key, "rotation")) return read_quat(r, &b->box_rotation);
    return br_json_read_skip(&r->j, r->error);
}

static br_status body_field(scene_reader *r, io_token key, void *out) {
    io_scene_body *b = out;
    if (br_io_token_is(key, "name")) return read_text(r, &b->name);
    if (br_io_token_is(key, "com")) return read_vector(r, &b->com);
    if (br_io_token_is(key, "box") && br_json_read_peek(&r->j) == '{') {
        b->has_box = 1;
        b->box_rotation = br_quat_identity();
        return read_object(r, box_field, b);
    }
    return br_json_read_skip(&r->j, r->error);
}

static br_status read_kind(scene_reader *r, br_shape_type *out) {
    const char *word = NULL;
    const br_status status = read_text(r, &word);
    if (status != BR_OK) return status;
    const int kind = br_word_find(br_words_shape, word), mesh = strcmp(word, IO_SCENE_MESH) == 0;
    if (!mesh && (kind < 0 || kind == BR_SHAPE_CONVEX || kind == BR_SHAPE_HEIGHTFIELD))
        return bad(r, "a known kind of shape before this");
    *out = mesh ? BR_SHAPE_CONVEX : (br_shape_type)kind;
    return BR_OK;
}

static br_status shape_field(scene_reader *r, io_token key, void *out) {
    io_scene_shape *s = out;
    br_status status = BR_OK;
    if (br_io_token_is(key, "name")) return read_text(r, &s->name);
    if (br_io_token_is(key, "body")) return read_index(r, &s->body);
    if (br_io_token_is(key, "kind")) return read_kind(r, &s->kind);
    if (br_io_token_is(key, "position")) return read_vector(r, &s->pose.position);
    if (br_io_token_is(key, "rotation")) return read_quat(r, &s->pose.rotation);
    if (br_io_token_is(key, "radius")) return read_length(r, &s->radius);
    if (br_io_token_is(key, "length")) return read_length(r, &s->length);
    if (br_io_token_is(key, "size") || br_io_token_is(key, "radii")) return read_vector(r, &s->size);
    if (br_io_token_is(key, "vertices")) {
        status = read_list(r, &s->vertices, &s->vertex_count);
        s->vertex_count /= 3;
        return status;
    }
    if (br_io_token_is(key, "triangles")) {
        status = read_indices(r, &s->triangles, &s->triangle_count);
        s->triangle_count /= 3;
        return status;
    }
    return br_json_read_skip(&r->j, r->error);
}

static br_status read_rest(scene_reader *r, io_scene_beam *b) {
    double *x = NULL;
    int n = 0;
    const br_status status = read_list(r, &x, &n);
    if (status != BR_OK) return status;
    b->rest = BR_TAKE(r->j.arena, br_pose, n / 7 + 1);
    if (!b->rest) return br_no_memory(r->error, no_memory);
    for (int k = 0; k < n / 7; k++, x += 7) {
        const br_quat q = {x[3], x[4], x[5], x[6]};
        if (!(br_quat_norm(q) > 1e-6 && br_quat_norm(q) < 1e6)) return bad(r, "a rotation before this");
        b->rest[k] = br_pose_of(br_quat_normalize(q), br_vec3_of(x[0], x[1], x[2]));
    }
    if (b->count > n / 7) b->count = n / 7;
    return BR_OK;
}

static br_status beam_field(scene_reader *r, io_token key, void *out) {
    io_scene_beam *b = out;
    if (br_io_token_is(key, "name")) return read_text(r, &b->name);
    if (br_io_token_is(key, "size")) return read_fixed(r, b->size, 2);
    if (br_io_token_is(key, "round")) {
        b->is_round = br_json_read_peek(&r->j) == 't';
        return br_json_read_skip(&r->j, r->error);
    }
    if (br_io_token_is(key, "nodes")) {
        b->rest = NULL; // what was read for others
        return read_indices(r, &b->node, &b->count);
    }
    if (br_io_token_is(key, "rest")) return b->node ? read_rest(r, b) : bad(r, "the nodes before rest");
    return br_json_read_skip(&r->j, r->error);
}

static br_status scene_field(scene_reader *r, io_token key, void *out) {
    io_scene *s = out;
    void *items = NULL;
    br_status status = BR_OK;
    if (br_io_token_is(key, "gravity")) return read_vector(r, &s->gravity);
    if (br_io_token_is(key, "bodies")) {
        status = read_objects(r, body_field, sizeof *s->body, &items, &s->bodies);
        s->body = items;
        return status;
    }
    if (br_io_token_is(key, "shapes")) {
        status = read_objects(r, shape_field, sizeof *s->shape, &items, &s->shapes);
        s->shape = items;
        return status;
    }
    if (br_io_token_is(key, "beams")) {
        status = read_objects(r, beam_field, sizeof *s->beam, &items, &s->beams);
        s->beam = items;
        return status;
    }
    return br_json_read_skip(&r->j, r->error);
}

// ------------------------------------------------------------------------------------------------------- checks

static br_status inconsistent(const char *what, int k, br_error *error) {
    return br_fail(error, BR_PARSE, "result-scene", "%s %d of the scene does not fit the rest of it", what,
                   k);
}

static int is_zero(br_quat q) {
    return q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
}

static br_status check(io_scene *s, br_error *error) {
    for (int k = 0; k < s->bodies; k++)
        if (!s->body[k].name) return inconsistent("body", k, error);
    for (int k = 0; k < s->shapes; k++) {
        io_scene_shape *p = &s->shape[k];
        int fits = p->body < s->bodies && p->name;
        for (int i = 0; i < 3 * p->triangle_count && fits; i++) fits = p->triangles[i] < p->vertex_count;
        if (!fits) return inconsistent("shape", k, error);
        if (is_zero(p->pose.rotation)) p->pose.rotation = br_quat_identity();
        if (p->body >= 0) s->body[p->body].shapes++;
    }
    for (int k = 0; k < s->beams; k++) {
        const io_scene_beam *b = &s->beam[k];
        int fits = b->name && b->node && b->rest && b->size[0] >= 0.0 && b->size[1] >= 0.0;
        for (int i = 0; i < b->count && fits; i++) fits = b->node[i] < s->bodies;
        if (!fits) return inconsistent("beam", k, error);
    }
    return BR_OK;
}

br_status br_io_scene_read(const char *text, br_arena *arena, io_scene *out, br_error *error) {
    io_scene scene;
    memset(&scene, 0, sizeof scene);
    scene_reader r = {.error = error};
    br_json_read_open_text(&r.j, "scene", text, arena);
    const io_locale locale = br_io_locale_enter();
    br_status status = read_object(&r, scene_field, &scene);
    br_io_locale_leave(locale);
    if (status == BR_OK) status = check(&scene, error);
    if (status == BR_OK) *out = scene;
    return status;
}
