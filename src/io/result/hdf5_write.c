// The writer of results as HDF5 files, see result/hdf5.h. Rows, events and contacts go through blocks, so that memory
// does not grow with the length of the result.
#include "io/result/hdf5.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/result/hdf5_file.h"
#include "io/result/layout.h"
#include "io/text/write.h"
#include "io/yaml/yaml.h"
#include "model/def/names.h"

enum { EVENT_BLOCK = 1024, CONTACT_BLOCK = 4096, NAME_BYTES = BR_MAX_CONTACT_NAME, LINK_ROOM = 16 };

struct io_h5_writer {
    br_arena arena;
    io_h5_file out;
    int channel_count;
    char **link; // [channel_count] names of their datasets
    uint64_t rows;
    io_h5_table channels, events, contacts, frames, name_table;
    io_h5_column event_column[IO_H5_EVENT_COLUMNS], contact_column[IO_H5_CONTACT_COLUMNS], frame_column;
    io_h5_column name_column;
    br_names names; // of contacts
};

// ------------------------------------------------------------------------------------------------------ header

// What the model itself calls by name, as it is written there; what a run changed is in /parameters. For readers of the file:
// nothing is read back from it.
static int put_params(hid_t model, const br_result_header *h, br_arena *arena) {
    yaml_node *root = NULL;
    br_error ignored;
    const hid_t g = br_io_h5_create_group(model, "params");
    int done = g >= 0;
    if (h->model_text && strlen(h->model_text) == h->model_size &&
        br_yaml_parse(h->model_text, h->model_size, "model", arena, &root, &ignored) != BR_OK)
        root = NULL; // no YAML: such a model has none
    const yaml_node *params = root ? br_yaml_find(root, "params") : NULL;
    for (const yaml_node *p = params && params->kind == YAML_MAP ? params->first : NULL; p && done;
         p = p->next)
        if (p->kind == YAML_SCALAR && p->key->text[0]) done = br_io_h5_put_text(g, p->key->text, p->text);
    return g >= 0 && H5Gclose(g) >= 0 && done;
}

static int put_model(hid_t file, const br_result_header *h, br_arena *arena) {
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, h->model_hash);
    const hid_t g = br_io_h5_create_group(file, "model");
    if (g < 0) return 0;
    const int done =
        br_io_h5_put_text(g, "name", h->model_name ? h->model_name : "") &&
        br_io_h5_put_text(g, "path", h->model_path ? h->model_path : "") &&
        br_io_h5_put_text(g, "hash", hash) && br_io_h5_put_bytes(g, "text", h->model_text, h->model_size) &&
        br_io_h5_put_bytes(g, "native", h->model_native, h->model_native ? strlen(h->model_native) : 0) &&
        br_io_h5_put_bytes(g, "scene", h->scene, h->scene ? strlen(h->scene) : 0) && put_params(g, h, arena);
    return H5Gclose(g) >= 0 && done;
}

// Of two changes to one name the later holds, so the earlier is left out: an object has one attribute of a name.
static int find_overridden(const br_result_header *h, br_arena *arena, unsigned char *out) {
    br_names later = {0};
    for (int k = h->override_count - 1; k >= 0; k--) {
        const char *name = h->overrides[k].name;
        out[k] = name[0] == '\0' || br_names_find(&later, name) >= 0;
        if (!out[k] && br_names_add(&later, arena, name) != BR_OK) return 0;
    }
    return 1;
}

static int put_parameters(hid_t file, const br_result_header *h, br_arena *arena) {
    const hid_t g = br_io_h5_create_group(file, "parameters");
    unsigned char *overridden = BR_TAKE(arena, unsigned char, h->override_count);
    int done = g >= 0 && overridden && find_overridden(h, arena, overridden);
    for (int k = 0; k < h->override_count && done; k++)
        if (!overridden[k]) done = br_io_h5_put_text(g, h->overrides[k].name, h->overrides[k].value);
    return g >= 0 && H5Gclose(g) >= 0 && done;
}

static int put_header(hid_t file, const br_result_header *h, br_arena *arena) {
    return br_io_h5_put_text(file, "format", IO_H5_FORMAT) &&
           br_io_h5_put_whole(file, "layout", IO_H5_LAYOUT) &&
           br_io_h5_put_text(file, "program_version",
                             h->program_version ? h->program_version : br_version()) &&
           br_io_h5_put_text(file, "stepper", h->stepper ? h->stepper : "") &&
           br_io_h5_put_double(file, "step", h->step) && br_io_h5_put_double(file, "until", h->until) &&
           br_io_h5_put_double(file, "output", h->output) &&
           br_io_h5_put_bytes(file, "notes", h->notes, h->notes ? strlen(h->notes) : 0) &&
           put_model(file, h, arena) && put_parameters(file, h, arena) &&
           br_io_h5_put_bytes(file, "trust", h->trust, h->trust ? strlen(h->trust) : 0);
}

// ------------------------------------------------------------------------------------------------------ tables

// The dataset of a channel: HDF5 has no slashes in names, no name "." and no name twice. The channel's own then goes
// into an attribute.
static int create_channel(io_h5_writer *w, int k) {
    io_h5_column *c = &w->channels.column[k];
    const char *own = c->name;
    char *link = w->link[k];
    const size_t n = strlen(own), room = n + LINK_ROOM;
    memcpy(link, own, n + 1);
    for (char *p = link; *p; p++)
        if (*p == '/') *p = '|';
    if (strcmp(link, ".") == 0) link[0] = '_';
    // By its place among the channels, so that a thousand of one name are not tried with each number.
    for (int again = k + 1; H5Lexists(w->channels.group, link, H5P_DEFAULT) > 0; again += w->channel_count) {
        snprintf(link, room, "%s (%d)", own, again);
        for (char *p = link; *p; p++)
            if (*p == '/') *p = '|';
    }
    c->full = strcmp(link, own) == 0 ? NULL : own;
    c->name = link;
    if (!br_io_h5_column_create(&w->channels, k)) return 0;
    if (strcmp(link, "t") != 0) return 1;
    return H5Lcreate_hard(w->channels.group, "t", w->out.file, "t", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static int take_channels(io_h5_writer *w, const br_result_header *h) {
    io_h5_table *t = &w->channels;
    t->column = BR_TAKE(&w->arena, io_h5_column, h->channel_count);
    t->count = h->channel_count;
    t->capacity = br_io_h5_block(t->count);
    w->link = BR_TAKE(&w->arena, char *, h->channel_count);
    for (int k = 0; t->column && w->link && k < t->count; k++) {
        const char *name = br_copy_text(&w->arena, h->channels[k].name);
        const char *unit = br_copy_text(&w->arena, h->channels[k].unit ? h->channels[k].unit : "");
        w->link[k] = name ? BR_TAKE(&w->arena, char, strlen(name) + LINK_ROOM) : NULL;
        if (!w->link[k] || !unit) return 0;
        t->column[k] = (io_h5_column){name, unit, NULL, IO_H5_DOUBLE, 1, NULL};
    }
    return t->column && w->link && br_io_h5_table_take(t, &w->arena);
}

static int take_tables(io_h5_writer *w, const br_result_header *h) {
    io_h5_event_columns(w->event_column);
    io_h5_contact_columns(w->contact_column);
    w->frame_column = (io_h5_column){"frames", NULL, NULL, IO_H5_U64, 1, NULL};
    w->events = (io_h5_table){-1, w->event_column, IO_H5_EVENT_COLUMNS, EVENT_BLOCK, 0, 0, 0};
    w->contacts = (io_h5_table){-1, w->contact_column, IO_H5_CONTACT_COLUMNS, CONTACT_BLOCK, 0, 0, 0};
    w->frames = (io_h5_table){-1, &w->frame_column, 1, CONTACT_BLOCK, 0, 0, 0};
    w->name_column = (io_h5_column){"names", NULL, NULL, IO_H5_TEXT, NAME_BYTES, NULL};
    w->name_table = (io_h5_table){-1, &w->name_column, 1, EVENT_BLOCK, 0, 0, 0};
    return take_channels(w, h) && br_io_h5_table_take(&w->events, &w->arena) &&
           br_io_h5_table_take(&w->contacts, &w->arena) && br_io_h5_table_take(&w->frames, &w->arena) &&
           br_io_h5_table_take(&w->name_table, &w->arena);
}

static int create_tables(io_h5_writer *w) {
    w->channels.group = br_io_h5_create_group(w->out.file, "channels");
    w->events.group = br_io_h5_create_group(w->out.file, "events");
    w->contacts.group = w->frames.group = br_io_h5_create_group(w->out.file, "contacts");
    int done = w->channels.group >= 0 && w->events.group >= 0 && w->contacts.group >= 0;
    for (int k = 0; k < w->channel_count && done; k++) done = create_channel(w, k);
    return done && br_io_h5_table_create(&w->events) && br_io_h5_table_create(&w->contacts) &&
           br_io_h5_table_create(&w->frames) &&
           br_io_h5_put_text(w->contacts.group, "states", "0 open, 1 sticks, 2 slips");
}

static void close_groups(io_h5_writer *w) {
    if (w->channels.group >= 0) H5Gclose(w->channels.group);
    if (w->events.group >= 0) H5Gclose(w->events.group);
    if (w->contacts.group >= 0) H5Gclose(w->contacts.group);
    w->channels.group = w->events.group = w->contacts.group = w->frames.group = -1;
}

static void h5_writer_release(io_h5_writer *w) {
    br_arena arena = w->arena;
    br_arena_free(&arena);
}

void br_io_h5_writer_abandon(io_h5_writer *w) {
    if (!w) return;
    const io_h5_silence quiet = br_io_h5_silence_begin();
    close_groups(w);
    br_io_h5_silence_end(quiet);
    br_io_h5_file_abandon(&w->out);
    h5_writer_release(w);
}

br_status br_io_h5_writer_create(const char *path, const br_result_header *header,
                                 const br_allocator *allocator, io_h5_writer **out, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    io_h5_writer *w = BR_TAKE(&arena, io_h5_writer, 1);
    char *kept = w ? br_copy_text(&arena, path) : NULL;
    if (!w || !kept) {
        br_arena_free(&arena);
        return br_no_memory_at(error, path, "not enough memory to write a result as HDF5");
    }
    w->arena = arena;
    w->channel_count = header->channel_count;
    if (!take_tables(w, header)) {
        h5_writer_release(w);
        return br_no_memory_at(error, path, "not enough memory to write a result as HDF5");
    }
    w->channels.group = w->events.group = w->contacts.group = -1;
    br_status status = br_io_h5_file_create(&w->out, kept, error);
    if (status != BR_OK) {
        h5_writer_release(w);
        return status;
    }
    const io_h5_silence quiet = br_io_h5_silence_begin();
    if (!put_header(w->out.file, header, &w->arena) || !create_tables(w) || w->out.failure)
        status = br_io_h5_not_stored(&w->out, "the header", error);
    br_io_h5_silence_end(quiet);
    if (status != BR_OK)
        br_io_h5_writer_abandon(w);
    else
        *out = w;
    return status;
}

// ----------------------------------------------------------------------------------------------------- records

static br_status push(io_h5_writer *w, io_h5_table *t, const char *what, br_error *error) {
    const io_h5_silence quiet = br_io_h5_silence_begin();
    const int done = br_io_h5_table_push(t);
    br_io_h5_silence_end(quiet);
    return done && !w->out.failure ? BR_OK : br_io_h5_not_stored(&w->out, what, error);
}

br_status br_io_h5_writer_row(io_h5_writer *w, const double *values, br_error *error) {
    io_h5_table *t = &w->channels;
    for (int k = 0; k < t->count; k++) ((double *)(void *)t->column[k].data)[t->used] = values[k];
    w->rows++;
    return push(w, t, "rows", error);
}

static void put_text(io_h5_table *t, int column, const char *text) {
    const size_t room = br_io_h5_entry_bytes(&t->column[column]);
    char *cell = io_h5_cell(t, column, t->used);
    memset(cell, 0, room);
    memcpy(cell, text, strnlen(text, room - 1));
}

static void put_double(io_h5_table *t, int column, double x) {
    memcpy(io_h5_cell(t, column, t->used), &x, sizeof x);
}

static void put_vector(io_h5_table *t, int column, br_vec3 x) {
    const double v[3] = {x.x, x.y, x.z};
    memcpy(io_h5_cell(t, column, t->used), v, sizeof v);
}

static void put_u64(io_h5_table *t, int column, uint64_t x) {
    memcpy(io_h5_cell(t, column, t->used), &x, sizeof x);
}

br_status br_io_h5_writer_event(io_h5_writer *w, const br_event *event, br_error *error) {
    io_h5_table *t = &w->events;
    put_double(t, IO_H5_EVENT_T, event->t);
    put_text(t, IO_H5_EVENT_KIND, br_event_kind_name(event->kind));
    put_text(t, IO_H5_EVENT_NAME, event->name);
    put_double(t, IO_H5_EVENT_VALUE, event->value);
    put_u64(t, IO_H5_EVENT_ROW, w->rows);
    return push(w, t, "events", error);
}

static int number_of(io_h5_writer *w, const char *name, uint32_t *out) {
    int k = br_names_find(&w->names, name);
    if (k < 0) {
        const char *own = br_copy_text(&w->arena, name);
        k = w->names.count;
        if (!own || br_names_add(&w->names, &w->arena, own) != BR_OK) return 0;
    }
    *out = (uint32_t)k;
    return 1;
}

static br_status put_contact(io_h5_writer *w, const br_result_contact *c, br_error *error) {
    io_h5_table *t = &w->contacts;
    uint32_t number = 0;
    if (!number_of(w, c->name, &number))
        return br_no_memory_at(error, w->out.temporary.path, "not enough memory to write a result as HDF5");
    put_u64(t, IO_H5_CONTACT_ROW, w->rows - 1);
    memcpy(io_h5_cell(t, IO_H5_CONTACT_NAME, t->used), &number, sizeof number);
    *(unsigned char *)io_h5_cell(t, IO_H5_CONTACT_STATE, t->used) = (unsigned char)c->state;
    put_vector(t, IO_H5_CONTACT_POINT, c->point);
    put_vector(t, IO_H5_CONTACT_NORMAL, c->normal);
    put_double(t, IO_H5_CONTACT_GAP, c->gap);
    put_double(t, IO_H5_CONTACT_NORMAL_FORCE, c->normal_force);
    put_vector(t, IO_H5_CONTACT_FRICTION, c->friction);
    put_vector(t, IO_H5_CONTACT_SLIP, c->slip);
    put_double(t, IO_H5_CONTACT_MU, c->friction_coefficient);
    return push(w, t, "contacts", error);
}

br_status br_io_h5_writer_contacts(io_h5_writer *w, const br_result_contact *contacts, int count,
                                   br_error *error) {
    if (w->rows == 0) return BR_OK; // contacts belong to the row before them
    put_u64(&w->frames, 0, w->rows - 1);
    br_status status = push(w, &w->frames, "contacts", error);
    for (int k = 0; k < count && status == BR_OK; k++) status = put_contact(w, &contacts[k], error);
    return status;
}

// --------------------------------------------------------------------------------------------------------- end

static int put_names(io_h5_writer *w) {
    io_h5_table *t = &w->name_table;
    t->group = w->contacts.group;
    int done = br_io_h5_table_create(t);
    for (int k = 0; k < w->names.count && done; k++) {
        put_text(t, 0, w->names.name[k]);
        done = br_io_h5_table_push(t);
    }
    return done && br_io_h5_table_flush(t);
}

static int put_ledger(hid_t file, const br_ledger *ledger) {
    static const char *const number_name[IO_LEDGER_NUMBERS] = IO_H5_LEDGER_NAMES;
    static const char *const count_name[IO_LEDGER_COUNTS] = IO_H5_COUNT_NAMES;
    br_ledger l = *ledger;
    const long count[IO_LEDGER_COUNTS] = {l.steps, l.iterations, l.evaluations, l.contacts};
    double *number[IO_LEDGER_NUMBERS];
    io_ledger_numbers(&l, number);
    const hid_t g = br_io_h5_create_group(file, "ledger");
    int done = g >= 0;
    for (int k = 0; k < IO_LEDGER_NUMBERS && done; k++)
        done = br_io_h5_put_double(g, number_name[k], *number[k]);
    for (int k = 0; k < IO_LEDGER_COUNTS && done; k++) done = br_io_h5_put_whole(g, count_name[k], count[k]);
    return g >= 0 && H5Gclose(g) >= 0 && done;
}

static int put_end(hid_t file, const br_result_end *end, const char *missing) {
    if (!end) return br_io_h5_put_text(file, "truncated", missing ? missing : "the result has no end");
    return br_io_h5_put_text(file, "outcome", br_result_outcome_name(end->outcome)) &&
           br_io_h5_put_text(file, "message", end->message) && br_io_h5_put_double(file, "t_end", end->t) &&
           br_io_h5_put_double(file, "seconds", end->seconds) &&
           br_io_h5_put_bytes(file, "judgement", end->judgement,
                              end->judgement ? strlen(end->judgement) : 0) &&
           put_ledger(file, &end->ledger);
}

br_status br_io_h5_writer_finish(io_h5_writer *w, const br_result_end *end, const char *missing,
                                 br_error *error) {
    const io_h5_silence quiet = br_io_h5_silence_begin();
    int done = br_io_h5_table_flush(&w->channels) && br_io_h5_table_flush(&w->events) &&
               br_io_h5_table_flush(&w->contacts) && br_io_h5_table_flush(&w->frames) && put_names(w) &&
               put_end(w->out.file, end, missing);
    close_groups(w);
    br_io_h5_silence_end(quiet);
    const br_status status = br_io_h5_file_finish(&w->out, done, "everything", error);
    h5_writer_release(w);
    return status;
}
