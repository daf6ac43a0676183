// Recording a simulation into a result, see record.h. The rows are read by src/sim/read; what is here makes a file of them.
#include "bristle/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "bristle/report.h"
#include "model/build/builder.h"

struct br_recorder {
    br_arena arena;
    br_sim *sim;
    double until, interval;
    const br_channels *channels;
    br_channels *own; // the same, where they are not the caller's
    int reduced;
    double *row;
    br_result_writer *writer;
    br_result_contact *contact; // of a row
    char (*contact_name)[BR_MAX_CONTACT_NAME];
    int contact_capacity;
    br_status event_status; // of the first event that could not be written
    br_error event_error;
};

static br_status recorder_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "not enough memory to record the run");
}

br_record_options br_default_record_options(const br_sim *sim) {
    const br_settings *s = br_model_settings(br_sim_model(sim));
    return (br_record_options){.until = s->until, .interval = s->output > 0 ? s->output : s->solver.step};
}

// --------------------------------------------------------------------------------------------------- what was run

// The text of the model goes into the result. A pipe was read once already and is gone: then there is none.
static br_status take_text(const char *path, br_arena *arena, const char **text, size_t *size,
                           br_error *error) {
    struct stat s;
    if (!path || stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return BR_OK;
    FILE *file = fopen(path, "rb");
    if (!file) return BR_OK;
    char *bytes = BR_TAKE(arena, char, s.st_size + 1);
    if (bytes) *size = fread(bytes, 1, (size_t)s.st_size, file);
    fclose(file);
    *text = bytes;
    return bytes ? BR_OK : recorder_no_memory(error);
}

static int names_files(const br_shape_def *shapes, int count) {
    for (int k = 0; k < count; k++)
        if (shapes[k].file) return 1;
    return 0;
}

// Whether the text of a model file is all there is to it: YAML that names no other file.
static int stands_alone(const br_builder *b) {
    if (b->imported || names_files(b->ground, b->grounds)) return 0;
    for (int k = 0; k < b->body_names.count; k++)
        if (names_files(b->body[k].shapes, b->body[k].shape_count)) return 0;
    return 1;
}

static br_status create_result(br_recorder *r, const br_record_options *o, br_arena *scratch,
                               const char *path, const br_allocator *allocator, br_error *error) {
    const br_model *model = br_sim_model(r->sim);
    const br_settings *s = br_model_settings(model);
    const int count = br_channels_count(r->channels);
    br_result_channel *list = BR_TAKE(scratch, br_result_channel, count);
    char *scene = NULL, *native = NULL;
    br_result_header h = {.model_name = br_model_name(model),
                          .model_path = o->model_path,
                          .model_text = o->model_text,
                          .model_size = o->model_size,
                          .model_hash = br_model_hash(model),
                          .overrides = o->overrides,
                          .override_count = o->override_count,
                          .stepper = br_stepper_name(s->solver.stepper),
                          .notes = o->notes,
                          .until = o->until,
                          .output = o->interval,
                          .step = s->solver.step,
                          .channels = list,
                          .channel_count = count};
    br_status status = list ? BR_OK : recorder_no_memory(error);
    for (int k = 0; list && k < count; k++)
        list[k] = (br_result_channel){br_channels_names(r->channels)[k], br_channels_unit(r->channels, k)};
    if (status == BR_OK && !h.model_text)
        status = take_text(o->model_path, scratch, &h.model_text, &h.model_size, error);
    if (status == BR_OK) status = br_scene_text(r->sim, &scene, error);
    if (status == BR_OK && o->builder && (!h.model_text || !stands_alone(o->builder)))
        status = br_model_write_text(o->builder, NULL, &native, error);
    h.scene = scene;
    h.model_native = native;
    if (status == BR_OK) status = br_result_create(path, &h, allocator, &r->writer, error);
    br_text_free(scene);
    br_text_free(native);
    return status;
}

static br_status choose_channels(br_recorder *r, const br_record_options *o, const br_allocator *allocator,
                                 br_error *error) {
    r->channels = o->channels;
    if (!o->channels) {
        r->reduced = br_sim_channel_count(r->sim) > BR_MAX_RECORDED_CHANNELS;
        const br_status status = br_channels_choose(r->sim, r->reduced ? BR_CHANNELS_BODIES : BR_CHANNELS_ALL,
                                                    allocator, &r->own, error);
        if (status != BR_OK) return status;
        r->channels = r->own;
    }
    r->row = BR_TAKE(&r->arena, double, br_channels_count(r->channels));
    return r->row ? BR_OK : recorder_no_memory(error);
}

br_status br_recorder_create(br_sim *sim, const char *path, const br_record_options *options,
                             const br_allocator *allocator, br_recorder **out, br_error *error) {
    const br_record_options usual = br_default_record_options(sim), *o = options ? options : &usual;
    br_arena arena, scratch;
    br_arena_init(&arena, allocator);
    br_arena_init(&scratch, allocator);
    br_recorder *r = BR_TAKE(&arena, br_recorder, 1);
    if (!r) return recorder_no_memory(error);
    *r = (br_recorder){.arena = arena, .sim = sim, .until = o->until, .interval = o->interval};
    br_status status = choose_channels(r, o, allocator, error);
    if (status == BR_OK) status = create_result(r, o, &scratch, path, allocator, error);
    br_arena_free(&scratch);
    if (status == BR_OK)
        *out = r;
    else
        br_recorder_abandon(r);
    return status;
}

const br_channels *br_recorder_channels(const br_recorder *recorder) {
    return recorder->channels;
}

int br_recorder_is_reduced(const br_recorder *recorder) {
    return recorder->reduced;
}

int br_recorder_is_locked(const br_recorder *recorder) {
    return br_result_is_locked(recorder->writer);
}

// ----------------------------------------------------------------------------------------------------------- rows

static br_status more_contacts(br_recorder *r, int count, br_error *error) {
    const int larger = count > 2 * r->contact_capacity ? count : 2 * r->contact_capacity;
    void *contact = br_arena_take(&r->arena, (size_t)larger, sizeof *r->contact);
    void *name = br_arena_take(&r->arena, (size_t)larger, sizeof *r->contact_name);
    if (!contact || !name) return recorder_no_memory(error);
    r->contact = contact;
    r->contact_name = name;
    r->contact_capacity = larger;
    return BR_OK;
}

// What touches at the time of the row, for pictures of it.
static br_status write_contacts(br_recorder *r, br_error *error) {
    const int count = br_sim_contact_count(r->sim);
    if (count == 0) return BR_OK;
    if (count > r->contact_capacity && more_contacts(r, count, error) != BR_OK) return BR_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        br_contact c;
        char *name = r->contact_name[k];
        br_sim_contact(r->sim, k, &c);
        br_sim_contact_name(r->sim, k, name, BR_MAX_CONTACT_NAME);
        r->contact[k] = (br_result_contact){name,       c.state, c.point,
                                            c.normal,   c.gap,   c.normal_force,
                                            c.friction, c.slip,  c.friction_coefficient};
    }
    return br_result_contacts(r->writer, r->contact, count, error);
}

br_status br_recorder_read(br_recorder *recorder, br_error *error) {
    if (recorder->event_status == BR_OK)
        return br_channels_read(recorder->channels, recorder->sim, recorder->row, error);
    if (error) *error = recorder->event_error;
    return recorder->event_status;
}

br_status br_recorder_write(br_recorder *recorder, br_error *error) {
    const br_status status = br_result_row(recorder->writer, recorder->row, error);
    return status == BR_OK ? write_contacts(recorder, error) : status;
}

void br_recorder_event(void *recorder, const br_event *event) {
    br_recorder *r = recorder;
    if (r->event_status == BR_OK) r->event_status = br_result_event(r->writer, event, &r->event_error);
}

double br_row_time(double k, double interval, double until) {
    const double t = k * interval;
    return t > until - 1e-9 * interval ? until : t;
}

br_status br_recorder_run(br_recorder *recorder, br_error *error) {
    br_sim *sim = recorder->sim;
    double k = floor(br_sim_time(sim) / recorder->interval + 1e-9);
    br_status status = br_recorder_read(recorder, error);
    if (status == BR_OK) status = br_recorder_write(recorder, error);
    while (status == BR_OK && br_sim_time(sim) < recorder->until) {
        status = br_sim_advance(sim, br_row_time(++k, recorder->interval, recorder->until), error);
        if (status == BR_OK) status = br_recorder_read(recorder, error);
        if (status == BR_OK) status = br_recorder_write(recorder, error);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------------------ end

br_status br_recorder_finish(br_recorder *recorder, br_result_outcome outcome, double seconds,
                             const char *message, br_error *error) {
    const br_sim *sim = recorder->sim;
    br_result_end end = {
        .outcome = outcome, .t = br_sim_time(sim), .seconds = seconds, .ledger = br_sim_ledger(sim)};
    if (message) snprintf(end.message, sizeof end.message, "%s", message);
    char *judgement = NULL;
    br_judgement judged;
    br_sim_judge(sim, &judged);
    br_status status = br_judgement_text(&judged, &judgement, error);
    end.judgement = judgement;
    if (status == BR_OK) {
        status = br_result_finish(recorder->writer, &end, error);
        recorder->writer = NULL;
    }
    br_text_free(judgement);
    br_recorder_abandon(recorder);
    return status;
}

void br_recorder_abandon(br_recorder *recorder) {
    if (!recorder) return;
    br_result_abandon(recorder->writer);
    br_channels_destroy(recorder->own);
    br_arena arena = recorder->arena;
    br_arena_free(&arena);
}
