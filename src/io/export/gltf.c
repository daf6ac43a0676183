// Results as glTF 2.0: a node for each body with its shapes below it, moved by one animation. The sink gathers poses at
// even times while rows pass, and writes everything at the end.
#include "io/export/gltf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bristle/report.h"
#include "io/export/export.h"
#include "io/export/gltf_write.h"
#include "io/text/text.h"
#include "io/text/write.h"
#include "model/def/names.h"

enum { POSE = 7, MAX_FRAMES = 1000000 };
static const double MOST_POSES = 1.5e9; // bytes of all frames

typedef struct gltf_sink {
    br_arena arena;
    const char *path;
    gltf_scene scene;
    int *channel; // [bodies * POSE] in a row; -1: the result does not have it
    int time;
    double *before, *now; // [bodies * POSE] of the last two rows
    double t_before, t_now, start;
    long rows;
} gltf_sink;

// --------------------------------------------------------------------------------------------------------- scene

// Logs of before scenes were kept have their model.
static br_status scene_of_model(const br_result_header *h, br_arena *arena, const char **out,
                                br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    char *text = NULL;
    const char *native = h->model_native;
    br_status status = br_model_read_text(
        native ? native : h->model_text, native ? strlen(native) : h->model_size, h->model_path,
        native ? NULL : h->overrides, native ? 0 : h->override_count, NULL, &model, NULL, error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, error);
    if (status == BR_OK) status = br_scene_text(sim, &text, error);
    if (status == BR_OK) *out = br_copy_text(arena, text);
    if (status == BR_OK && !*out) status = br_no_memory(error, "not enough memory for the scene of a result");
    br_text_free(text);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status;
}

static br_status find_scene(gltf_sink *g, const br_result_header *h, br_error *error) {
    const char *text = h->scene;
    br_status status = BR_OK;
    if (!text && h->model_size == 0 && !h->model_native)
        return br_fail(
            error, BR_INVALID, "export-no-scene",
            "the result does not say what its bodies look like: a table carries no model; export the "
            "NAME.result that it came from");
    if (!text) status = scene_of_model(h, &g->arena, &text, error);
    if (status != BR_OK) return status;
    br_error why = {0};
    status = br_io_scene_read(text, &g->arena, &g->scene.scene, &why);
    if (status == BR_OK || status == BR_NO_MEMORY) {
        if (error && status != BR_OK) *error = why;
        return status;
    }
    // The scene is a part of the result, not a file of that name.
    return br_fail(error, status, "result-scene", "the scene of the result, line %d: %s",
                   why.line > 0 ? why.line : 1, why.message);
}

// ----------------------------------------------------------------------------------------------------- channels

static int find_channel(const br_names *names, const char *body, const char *rest) {
    char name[512];
    if (snprintf(name, sizeof name, "%s.%s", body, rest) >= (int)sizeof name) return -1;
    return br_names_find(names, name);
}

static br_status find_channels(gltf_sink *g, const br_result_header *h, br_error *error) {
    static const char *const parts[POSE] = {"position.x", "position.y", "position.z", "rotation.w",
                                            "rotation.x", "rotation.y", "rotation.z"};
    const int bodies = g->scene.scene.bodies;
    br_names names;
    int found = 0;
    memset(&names, 0, sizeof names);
    g->channel = BR_TAKE(&g->arena, int, (size_t)bodies *POSE);
    g->before = BR_TAKE(&g->arena, double, (size_t)bodies *POSE);
    g->now = BR_TAKE(&g->arena, double, (size_t)bodies *POSE);
    int whole = g->channel && g->before && g->now;
    for (int k = 0; k < h->channel_count && whole; k++)
        whole = br_names_find(&names, h->channels[k].name) >= 0 // never in a result of ours
                || br_names_add(&names, &g->arena, h->channels[k].name) == BR_OK;
    if (!whole || names.count != h->channel_count)
        return whole
                   ? br_fail(error, BR_INVALID, "export-no-scene", "two channels of the result have one name")
                   : br_no_memory(error, "not enough memory to write glTF");
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < POSE; k++) {
            const int c = find_channel(&names, g->scene.scene.body[b].name, parts[k]);
            g->channel[b * POSE + k] = c;
            if (c >= 0) found++;
        }
    g->time = br_names_find(&names, "t");
    if (bodies > 0 && found == 0)
        return br_fail(error, BR_INVALID, "export-no-scene",
                       "the result has no channels of where its bodies are, such as %s.position.x",
                       g->scene.scene.body[0].name);
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------- frames

static void read_poses(const gltf_sink *g, const double *row, double *out) {
    const int n = g->scene.scene.bodies * POSE;
    for (int k = 0; k < n; k++) {
        const int c = g->channel[k];
        out[k] = c >= 0 ? row[c] : k % POSE == 3 ? 1.0 : 0.0;
    }
}

// Between the last two rows. Quaternions of either sign are one rotation: the near one is taken.
static void add_frame(gltf_sink *g, double t) {
    const double span = g->t_now - g->t_before, s = span > 0.0 ? (t - g->t_before) / span : 1.0;
    for (int b = 0; b < g->scene.scene.bodies; b++) {
        const double *p = g->before + (size_t)b * POSE, *q = g->now + (size_t)b * POSE;
        double x[POSE], dot = 0.0, norm = 0.0;
        for (int k = 3; k < POSE; k++) dot += p[k] * q[k];
        for (int k = 0; k < POSE; k++) x[k] = (1.0 - s) * p[k] + s * (k >= 3 && dot < 0.0 ? -q[k] : q[k]);
        for (int k = 3; k < POSE; k++) norm += x[k] * x[k];
        norm = sqrt(norm);
        float pose[POSE];
        for (int k = 0; k < POSE; k++) {
            pose[k] = (float)(k < 3 ? x[k] : norm > 0.0 ? x[k] / norm : k == 3);
            if (!isfinite(pose[k])) pose[k] = 0.0F; // more than a float holds
        }
        br_gltf_bytes_add(&g->scene.pose, pose, sizeof pose);
    }
    const float at = (float)(t - g->start);
    br_gltf_bytes_add(&g->scene.t, &at, sizeof at);
    g->scene.frames++;
}

static br_status too_long(const gltf_sink *g, double frames, br_error *error) {
    return br_fail_at(error, BR_TOO_LARGE, "export-too-large", g->path, 0, 0,
                      "would have %.0f frames of %d bodies; export fewer of them with --fps, --from and --to",
                      frames, g->scene.scene.bodies);
}

static br_status take_row(export_sink *sink, const double *values, br_error *error) {
    gltf_sink *g = sink->self;
    const double fps = sink->options->fps > 0.0 ? sink->options->fps : BR_DEFAULT_FPS;
    double *swap = g->before;
    g->before = g->now;
    g->now = swap;
    g->t_before = g->t_now;
    g->t_now = values[g->time];
    read_poses(g, values, g->now);
    if (g->rows++ == 0) {
        g->start = g->t_before = g->t_now;
        memcpy(g->before, g->now, (size_t)g->scene.scene.bodies * POSE * sizeof *g->now);
    }
    if (g->t_now < g->t_before) return BR_OK; // a table that was put together: the first part is shown
    const double frames = (g->t_now - g->start) * fps;
    if (frames > MAX_FRAMES || frames * g->scene.scene.bodies * POSE * 4.0 > MOST_POSES)
        return too_long(g, frames, error);
    // Counted too: where times are large, a frame more may not change the time.
    for (double t; (t = g->start + g->scene.frames / fps) <= g->t_now && g->scene.frames <= frames + 1.0;)
        add_frame(g, t);
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------------- sink

static void gltf_sink_release(export_sink *sink) {
    gltf_sink *g = sink->self;
    if (!g) return;
    br_gltf_bytes_free(&g->scene.pose);
    br_gltf_bytes_free(&g->scene.t);
    br_arena arena = g->arena;
    br_arena_free(&arena);
    sink->self = NULL;
}

static br_status gltf_sink_begin(export_sink *sink, const char *path, const br_result_header *h,
                                 br_error *error) {
    br_arena arena;
    br_arena_init(&arena, sink->allocator);
    gltf_sink *g = BR_TAKE(&arena, gltf_sink, 1);
    if (!g) return br_no_memory(error, "not enough memory to write glTF");
    g->arena = arena;
    sink->self = g;
    g->path = br_copy_text(&g->arena, path);
    g->scene.name = br_copy_text(&g->arena, h->model_name ? h->model_name : "");
    br_status status = g->path && g->scene.name ? find_scene(g, h, error)
                                                : br_no_memory(error, "not enough memory to write glTF");
    if (status == BR_OK) status = find_channels(g, h, error);
    if (status != BR_OK) gltf_sink_release(sink);
    return status;
}

static br_status gltf_sink_finish(export_sink *sink, const br_result_end *end, const char *missing,
                                  br_error *error) {
    (void)end;
    (void)missing;
    gltf_sink *g = sink->self;
    const float last = (float)(g->t_now - g->start);
    const float *t = (const float *)(const void *)g->scene.t.data;
    if (g->rows > 0 && g->scene.frames > 0 && !g->scene.t.failed && last > t[g->scene.frames - 1])
        add_frame(g, g->t_now);
    g->scene.start = g->start;
    sink->report->bodies = g->scene.scene.bodies;
    sink->report->frames = g->scene.frames;
    const br_status status = br_gltf_write(&g->scene, g->path, &g->arena, error);
    gltf_sink_release(sink);
    return status;
}

const export_ops br_export_gltf = {
    {".glb", ".gltf"}, 1, gltf_sink_begin, take_row, NULL, NULL, gltf_sink_finish, gltf_sink_release};
