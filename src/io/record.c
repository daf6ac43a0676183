// Recording a simulation into a result, see record.h. The rows are read by src/sim/read; what is here makes a file of them.
#include "bristle/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "bristle/report.h"
#include "io/checkpoint.h"
#include "io/result/continue.h"
#include "io/result/write.h"
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
    double next;  // number of the next row
    int row_due;  // the present state has no row yet
    int mark_due; // it is one to be taken up from, once it has its row
    // Where the run can be taken up again.
    char *path;
    unsigned char *state; // [state_capacity]
    size_t state_size, state_capacity;
    uint64_t from;          // byte of the result
    double from_row;        // the next row then
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
    if (b->imported || b->controlled || names_files(b->ground, b->grounds)) return 0;
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
        const br_status status = br_channels_choose(
            r->sim, r->reduced ? BR_CHANNELS_RECORDED_FEW : BR_CHANNELS_RECORDED, allocator, &r->own, error);
        if (status != BR_OK) return status;
        r->channels = r->own;
    }
    r->row = BR_TAKE(&r->arena, double, br_channels_count(r->channels));
    return r->row ? BR_OK : recorder_no_memory(error);
}

static int has_a_past(const br_recorder *r) {
    return br_stepper_traits_of(br_model_settings(br_sim_model(r->sim))->solver.stepper)->remembers;
}

// The present state is one from which the run can be taken up again.
static br_status mark_state(br_recorder *r, br_error *error) {
    const size_t size = br_sim_snapshot_size(r->sim);
    if (size > r->state_capacity) {
        r->state = BR_TAKE(&r->arena, unsigned char, 2 * size);
        if (!r->state) return recorder_no_memory(error);
        r->state_capacity = 2 * size;
    }
    br_sim_save(r->sim, r->state);
    r->state_size = size;
    r->from = br_io_result_place(r->writer);
    r->from_row = r->next;
    return BR_OK;
}

static br_recorder *take_recorder(br_sim *sim, const char *path, double until, double interval,
                                  const br_allocator *allocator) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_recorder *r = BR_TAKE(&arena, br_recorder, 1);
    char *own = BR_TAKE(&arena, char, strlen(path) + 1);
    if (!br_arena_ok(&arena)) {
        br_arena_free(&arena);
        return NULL;
    }
    memcpy(own, path, strlen(path) + 1);
    *r = (br_recorder){
        .arena = arena, .sim = sim, .until = until, .interval = interval, .path = own, .row_due = 1};
    return r;
}

br_status br_recorder_create(br_sim *sim, const char *path, const br_record_options *options,
                             const br_allocator *allocator, br_recorder **out, br_error *error) {
    const br_record_options usual = br_default_record_options(sim), *o = options ? options : &usual;
    br_arena scratch;
    br_arena_init(&scratch, allocator);
    br_recorder *r = take_recorder(sim, path, o->until, o->interval, allocator);
    if (!r) return recorder_no_memory(error);
    br_status status = choose_channels(r, o, allocator, error);
    if (status == BR_OK) status = create_result(r, o, &scratch, path, allocator, error);
    br_arena_free(&scratch);
    if (status == BR_OK && has_a_past(r)) status = mark_state(r, error);
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
    br_status status = br_result_row(recorder->writer, recorder->row, error);
    if (status == BR_OK) status = write_contacts(recorder, error);
    if (status == BR_OK) recorder->next++, recorder->row_due = 0;
    return status;
}

void br_recorder_event(void *recorder, const br_event *event) {
    br_recorder *r = recorder;
    if (r->event_status == BR_OK) r->event_status = br_result_event(r->writer, event, &r->event_error);
}

double br_row_time(double k, double interval, double until) {
    const double t = k * interval;
    return t > until - 1e-9 * interval ? until : t;
}

double br_recorder_next(const br_recorder *recorder) {
    return recorder->next;
}

br_status br_recorder_advance(br_recorder *recorder, double t, br_error *error) {
    br_sim *sim = recorder->sim;
    const double every = br_model_settings(br_sim_model(sim))->solver.restart;
    br_status status = BR_OK;
    while (status == BR_OK && has_a_past(recorder)) {
        // A row at that very time is written before: what it reads may hang on more than the state, in its last digits.
        if (recorder->mark_due) status = mark_state(recorder, error);
        recorder->mark_due = 0;
        const double at = br_restart_time(br_sim_time(sim), every);
        if (status != BR_OK || at > t) break;
        status = br_sim_advance(sim, at, error);
        recorder->mark_due = 1;
        if (at == t) break;
    }
    return status == BR_OK && br_sim_time(sim) < t ? br_sim_advance(sim, t, error) : status;
}

static br_status write_row(br_recorder *r, br_error *error) {
    const br_status status = br_recorder_read(r, error);
    return status == BR_OK ? br_recorder_write(r, error) : status;
}

br_status br_recorder_run(br_recorder *recorder, br_error *error) {
    br_sim *sim = recorder->sim;
    br_status status = BR_OK;
    if (recorder->row_due) {
        recorder->next = floor(br_sim_time(sim) / recorder->interval + 1e-9);
        status = write_row(recorder, error);
    }
    while (status == BR_OK && br_sim_time(sim) < recorder->until) {
        const double t = br_row_time(recorder->next, recorder->interval, recorder->until);
        status = br_recorder_advance(recorder, t, error);
        if (status == BR_OK) status = write_row(recorder, error);
    }
    return status;
}

// ----------------------------------------------------------------------------------------------------- checkpoints

br_status br_recorder_checkpoint(br_recorder *recorder, double seconds, br_error *error) {
    br_status status = has_a_past(recorder) ? BR_OK : mark_state(recorder, error);
    if (status == BR_OK) status = br_io_result_settle(recorder->writer, error);
    if (status != BR_OK) return status;
    const io_checkpoint c = {.model_hash = br_model_hash(br_sim_model(recorder->sim)),
                             .from = recorder->from,
                             .row = recorder->from_row,
                             .seconds = seconds,
                             .size = recorder->state_size,
                             .state = recorder->state};
    return br_io_checkpoint_write(recorder->path, &c, error);
}

// The channels of the result, which a resumed run must have too.
static br_status same_channels(br_recorder *r, const br_result_header *h, const br_allocator *allocator,
                               br_error *error) {
    br_arena scratch;
    br_arena_init(&scratch, allocator);
    const char **names = BR_TAKE(&scratch, const char *, h->channel_count);
    for (int k = 0; names && k < h->channel_count; k++) names[k] = h->channels[k].name;
    br_status status = names ? br_channels_named(r->sim, names, h->channel_count, allocator, &r->own, error)
                             : recorder_no_memory(error);
    br_arena_free(&scratch);
    if (status != BR_OK) return status;
    r->channels = r->own;
    r->row = BR_TAKE(&r->arena, double, br_channels_count(r->channels));
    return r->row ? BR_OK : recorder_no_memory(error);
}

// From the newest checkpoint that belongs to the result as it is; else from the start.
static br_status take_up(br_recorder *r, const br_allocator *allocator, double *seconds, br_error *error) {
    io_checkpoint c[IO_CHECKPOINTS];
    br_arena scratch;
    int count = 0;
    br_arena_init(&scratch, allocator);
    br_status status = br_io_checkpoint_read(r->path, &scratch, c, &count, error);
    const uint64_t hash = br_model_hash(br_sim_model(r->sim));
    *seconds = 0.0;
    for (int k = 0; status == BR_OK && k < count && !r->writer; k++) {
        br_error ignored;
        if (c[k].model_hash != hash ||
            br_io_result_continue(r->path, c[k].from, allocator, &r->writer, &ignored) != BR_OK)
            continue;
        status = br_sim_load(r->sim, c[k].state, c[k].size, error);
        r->next = c[k].row;
        r->row_due = c[k].row == 0.0;
        *seconds = c[k].seconds;
    }
    br_arena_free(&scratch);
    if (status == BR_OK && !r->writer)
        status = br_io_result_continue(r->path, 0, allocator, &r->writer, error);
    if (status == BR_OK && has_a_past(r)) status = mark_state(r, error);
    return status;
}

static br_status other_model(const char *path, br_error *error) {
    return br_fail_at(error, BR_INVALID, "resume-other-model", path, 0, 0,
                      "was made by another model than the one that it is to be continued with");
}

br_status br_recorder_resume(br_sim *sim, const char *path, const br_allocator *allocator, br_recorder **out,
                             double *seconds, br_error *error) {
    br_result *result = NULL;
    br_status status = br_io_result_open_log(path, allocator, &result, error);
    if (status != BR_OK) return status;
    const br_result_header *h = br_result_about(result);
    br_recorder *r = take_recorder(sim, path, h->until, h->output, allocator);
    status = r ? BR_OK : recorder_no_memory(error);
    if (status == BR_OK && h->model_hash != br_model_hash(br_sim_model(sim)))
        status = other_model(path, error);
    if (status == BR_OK) status = same_channels(r, h, allocator, error);
    br_result_close(result);
    if (status == BR_OK) status = take_up(r, allocator, seconds, error);
    if (status == BR_OK)
        *out = r;
    else
        br_recorder_abandon(r);
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
    if (status == BR_OK && outcome != BR_RESULT_INTERRUPTED) br_io_checkpoint_remove(recorder->path);
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
