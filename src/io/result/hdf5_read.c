// The reader of results in HDF5 files, see result/hdf5.h: gives the items of the log that the file was made from, in
// its order. Files come from anywhere: links that leave the file or go in circles are not followed, types, shapes and
// sizes are looked at before memory is taken, and rows are read in blocks.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/finite.h"
#include "io/result/hdf5.h"
#include "io/result/layout.h"
#include "io/result/result.h"
#include "io/text/json_read.h"
#include "model/def/names.h"

enum {
    EVENT_BLOCK = 1024,
    CONTACT_BLOCK = 4096,
    MAX_NAME = 255,
    MAX_PARAMETERS = 100000,
    MAX_CONTACTS = 1 << 20, // of one row
};

typedef struct h5_result {
    br_result base;
    hid_t file;
    io_h5_table channels, events, contacts, frames;
    io_h5_column event_column[IO_H5_EVENT_COLUMNS], contact_column[IO_H5_CONTACT_COLUMNS], frame_column;
    uint64_t row, event, contact, frame; // next of each
    const char **name;                   // of contacts
    uint64_t name_count;
    double *values; // a row
    br_result_contact *list;
    int list_room;
    br_result_end end;
    int cut; // there is no end
    br_status failed;
    br_error error;
} h5_result;

static br_status damaged(const h5_result *r, const char *name, const char *why, br_error *error) {
    if (why == br_io_h5_no_memory) return br_no_memory_at(error, r->base.path, "%s %s", name, why);
    return br_fail_at(error, BR_PARSE, "result-hdf5", r->base.path, 0, 0, "%s %s", name, why);
}

// ------------------------------------------------------------------------------------------------------ header

static br_status get_texts(h5_result *r, hid_t object, int count, const char *const *names,
                           const char **const *out, br_error *error) {
    for (int k = 0; k < count; k++) {
        const char *why = br_io_h5_get_text(object, names[k], &r->base.arena, out[k]);
        if (why) return damaged(r, names[k], why, error);
    }
    return BR_OK;
}

static br_status check_format(h5_result *r, br_error *error) {
    const char *format = NULL;
    long long layout = 0;
    const char *why = br_io_h5_get_text(r->file, "format", &r->base.arena, &format);
    if (why == br_io_h5_no_memory) return damaged(r, "format", why, error);
    if (why || strcmp(format, IO_H5_FORMAT) != 0)
        return br_fail_at(error, BR_PARSE, "result-not-one", r->base.path, 0, 0,
                          "is an HDF5 file, but not one that bristle export wrote: it has no attribute "
                          "format = \"" IO_H5_FORMAT "\"");
    why = br_io_h5_get_whole(r->file, "layout", &layout);
    if (why) return damaged(r, "layout", why, error);
    if (layout != IO_H5_LAYOUT)
        return br_fail_at(error, BR_PARSE, "result-format", r->base.path, 0, 0,
                          "has layout version %lld, and this program reads version %d", layout, IO_H5_LAYOUT);
    return BR_OK;
}

// A dataset that may be left out.
static br_status get_bytes(h5_result *r, hid_t group, const char *name, const char **out, size_t *size,
                           br_error *error) {
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0) return BR_OK;
    const char *why = br_io_h5_get_bytes(group, name, &r->base.arena, out, size);
    return why ? damaged(r, name, why, error) : BR_OK;
}

static br_status read_model(h5_result *r, br_error *error) {
    br_result_header *h = &r->base.header;
    const char *hash = "";
    size_t size = 0;
    const char *const names[] = {"name", "path", "hash"};
    const char **const out[] = {&h->model_name, &h->model_path, &hash};
    const hid_t g = br_io_h5_open_group(r->file, "model");
    if (g < 0) return damaged(r, "/model", "is not a group of this file", error);
    h->model_text = "";
    br_status status = get_texts(r, g, 3, names, out, error);
    if (status == BR_OK) status = get_bytes(r, g, "text", &h->model_text, &h->model_size, error);
    if (status == BR_OK) status = get_bytes(r, g, "native", &h->model_native, &size, error);
    if (status == BR_OK) status = get_bytes(r, g, "scene", &h->scene, &size, error);
    H5Gclose(g);
    char *end = NULL;
    h->model_hash = strtoull(hash, &end, 16);
    if (status == BR_OK && (*hash == '\0' || *end != '\0'))
        status = damaged(r, "hash", "is not a hexadecimal number", error);
    return status;
}

// Names of attributes or links. They are walked through as they lie in the file and sorted here: HDF5 1.10 asked for an order,
// or for the k-th, builds a table first, and frees what was never there when the file is damaged.
typedef struct listed_name {
    const char *name;
    int64_t made; // when, among the others
} listed_name;

typedef struct name_list {
    br_arena *arena;
    listed_name *item; // [room]
    int count, room;
    int unknown;     // nonzero: the file does not keep when they were made
    const char *why; // it ended early
} name_list;

static herr_t keep_name(name_list *list, const char *name, int known, int64_t made) {
    const size_t n = strlen(name);
    char *copy = NULL;
    if (n == 0 || n >= 2 * (size_t)MAX_NAME)
        list->why = "has a name that is empty or too long";
    else if (list->count == list->room)
        list->why = "has more entries than it says";
    else if (!(copy = br_copy_text(list->arena, name)))
        list->why = br_io_h5_no_memory;
    if (list->why) return -1;
    if (!known) list->unknown = 1;
    list->item[list->count++] = (listed_name){copy, made};
    return 0;
}

static herr_t keep_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context) {
    (void)object;
    return keep_name(context, name, info->corder_valid, info->corder);
}

static herr_t keep_link(hid_t group, const char *name, const H5L_info_t *info, void *context) {
    (void)group;
    return keep_name(context, name, info->corder_valid, info->corder);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const listed_name *)a)->name, ((const listed_name *)b)->name);
}

static int by_time(const void *a, const void *b) {
    const int64_t x = ((const listed_name *)a)->made, y = ((const listed_name *)b)->made;
    return x < y ? -1 : x > y ? 1 : by_name(a, b);
}

// By the time of their making where the file keeps that, else in alphabetical order.
static const char *list_names(hid_t object, int links, int count, br_arena *arena, name_list *out) {
    hsize_t at = 0;
    *out = (name_list){arena, BR_TAKE(arena, listed_name, count), 0, count, 0, NULL};
    if (!out->item) return br_io_h5_no_memory;
    const herr_t done = links ? H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, keep_link, out)
                              : H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, keep_attribute, out);
    if (out->why) return out->why;
    if (done < 0 || out->count != count) return "has entries that cannot be read";
    if (count > 0) qsort(out->item, (size_t)count, sizeof *out->item, out->unknown ? by_name : by_time);
    return NULL;
}

static br_status read_parameters(h5_result *r, br_error *error) {
    br_result_header *h = &r->base.header;
    const hid_t g = br_io_h5_open_group(r->file, "parameters");
    if (g < 0) return damaged(r, "/parameters", "is not a group of this file", error);
    const int n = H5Aget_num_attrs(g);
    const char *why = n < 0 || n > MAX_PARAMETERS ? "has too many entries" : NULL;
    br_override *list = BR_TAKE(&r->base.arena, br_override, why ? 0 : n);
    name_list names;
    if (!list) why = br_io_h5_no_memory;
    if (!why) why = list_names(g, 0, n, &r->base.arena, &names);
    for (int k = 0; k < n && !why; k++) {
        list[k].name = names.item[k].name;
        why = br_io_h5_get_text(g, names.item[k].name, &r->base.arena, &list[k].value);
    }
    H5Gclose(g);
    if (why) return damaged(r, "an entry of /parameters", why, error);
    h->overrides = list;
    h->override_count = n;
    return BR_OK;
}

static br_status read_header(h5_result *r, br_error *error) {
    br_result_header *h = &r->base.header;
    size_t size = 0;
    static const char *const text_name[] = {"program_version", "stepper"};
    static const char *const number_name[] = {"step", "until", "output"};
    const char **const text[] = {&h->program_version, &h->stepper};
    double *const number[] = {&h->step, &h->until, &h->output};
    br_status status = check_format(r, error);
    if (status == BR_OK) status = get_texts(r, r->file, 2, text_name, text, error);
    for (int k = 0; k < 3 && status == BR_OK; k++) {
        const char *why = br_io_h5_get_double(r->file, number_name[k], number[k]);
        if (why) status = damaged(r, number_name[k], why, error);
    }
    h->notes = "";
    if (status == BR_OK) status = get_bytes(r, r->file, "notes", &h->notes, &size, error);
    if (status == BR_OK) status = read_model(r, error);
    if (status == BR_OK) status = read_parameters(r, error);
    if (status == BR_OK) status = get_bytes(r, r->file, "trust", &h->trust, &size, error);
    if (status == BR_OK && h->trust &&
        !br_json_read_is_whole(h->trust, size, &r->base.arena)) // it goes into pages as it is
        status = damaged(r, "trust", "is not JSON", error);
    return status;
}

// ----------------------------------------------------------------------------------------------------- channels

// The link's name, which is the channel's unless an attribute has that.
static const char *channel_name(h5_result *r, hid_t group, const char *link, io_h5_column *c,
                                br_result_channel *out) {
    *c = (io_h5_column){link, NULL, NULL, IO_H5_DOUBLE, 1, NULL};
    *out = (br_result_channel){link, "1"};
    const hid_t set = br_io_h5_open_set(group, link);
    if (set < 0) return "has an entry that is not a dataset of this file";
    const char *why = NULL;
    if (br_io_h5_has_attribute(set, "name")) why = br_io_h5_get_text(set, "name", &r->base.arena, &out->name);
    if (!why && br_io_h5_has_attribute(set, "unit"))
        why = br_io_h5_get_text(set, "unit", &r->base.arena, &out->unit);
    H5Dclose(set);
    if (!why && (strlen(out->name) > MAX_NAME || out->name[0] == '\0'))
        why = "has a name that is empty or too long";
    for (const char *p = why ? "" : out->name; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f) why = "has a name with control characters";
    return why;
}

static const char *list_channels(h5_result *r, hid_t group, int n) {
    br_result_channel *list = BR_TAKE(&r->base.arena, br_result_channel, n);
    io_h5_column *column = BR_TAKE(&r->base.arena, io_h5_column, n);
    r->values = BR_TAKE(&r->base.arena, double, n);
    if (!br_arena_ok(&r->base.arena)) return br_io_h5_no_memory;
    name_list names;
    const char *why = list_names(group, 1, n, &r->base.arena, &names);
    for (int k = 0; k < n && !why; k++)
        why = channel_name(r, group, names.item[k].name, &column[k], &list[k]);
    if (why) return why;
    r->base.header.channels = list;
    r->base.header.channel_count = n;
    r->channels = (io_h5_table){group, column, n, br_io_h5_block(n), 0, 0, 0};
    return NULL;
}

static br_status open_table(h5_result *r, io_h5_table *t, br_error *error) {
    int bad = 0;
    const char *why = br_io_h5_table_check(t, &bad);
    if (why) return damaged(r, t->column[bad].name, why, error);
    // A short table does not take the memory of a long one.
    if (t->total < (uint64_t)t->capacity) t->capacity = t->total > 0 ? (int)t->total : 1;
    return br_io_h5_table_take(t, &r->base.arena) ? BR_OK : damaged(r, "it", br_io_h5_no_memory, error);
}

static br_status open_channels(h5_result *r, br_error *error) {
    H5G_info_t info;
    const hid_t g = br_io_h5_open_group(r->file, "channels");
    if (g < 0) return damaged(r, "/channels", "is not a group of this file", error);
    r->channels.group = g;
    if (H5Gget_info(g, &info) < 0 || info.nlinks < 1 || info.nlinks > BR_MAX_RESULT_CHANNELS)
        return damaged(r, "/channels", "has no channels, or too many", error);
    const char *why = list_channels(r, g, (int)info.nlinks);
    if (why) return damaged(r, "/channels", why, error);
    return open_table(r, &r->channels, error);
}

static br_status open_events(h5_result *r, br_error *error) {
    io_h5_event_columns(r->event_column);
    r->events = (io_h5_table){
        br_io_h5_open_group(r->file, "events"), r->event_column, IO_H5_EVENT_COLUMNS, EVENT_BLOCK, 0, 0, 0};
    if (r->events.group < 0) return damaged(r, "/events", "is not a group of this file", error);
    return open_table(r, &r->events, error);
}

// ----------------------------------------------------------------------------------------------------- contacts

static br_status read_names(h5_result *r, br_error *error) {
    io_h5_column column = {"names", NULL, NULL, IO_H5_TEXT, BR_MAX_CONTACT_NAME, NULL};
    io_h5_table t = {r->contacts.group, &column, 1, EVENT_BLOCK, 0, 0, 0};
    br_status status = open_table(r, &t, error);
    if (status != BR_OK) return status;
    r->name = BR_TAKE(&r->base.arena, const char *, t.total);
    if (!r->name) return damaged(r, "names", br_io_h5_no_memory, error);
    for (uint64_t k = 0; k < t.total; k++) {
        int at = 0, bad = 0;
        const char *why = br_io_h5_table_load(&t, k, &at, &bad);
        char *name = why ? NULL : BR_TAKE(&r->base.arena, char, BR_MAX_CONTACT_NAME + 1);
        if (!why && !name) why = br_io_h5_no_memory;
        if (why) return damaged(r, "names", why, error);
        memcpy(name, io_h5_cell(&t, 0, at), BR_MAX_CONTACT_NAME);
        name[BR_MAX_CONTACT_NAME - 1] = '\0';
        r->name[k] = name;
    }
    r->name_count = t.total;
    return BR_OK;
}

static br_status open_contacts(h5_result *r, br_error *error) {
    const hid_t g = br_io_h5_open_group(r->file, "contacts");
    io_h5_contact_columns(r->contact_column);
    r->frame_column = (io_h5_column){"frames", NULL, NULL, IO_H5_U64, 1, NULL};
    r->contacts = (io_h5_table){g, r->contact_column, IO_H5_CONTACT_COLUMNS, CONTACT_BLOCK, 0, 0, 0};
    r->frames = (io_h5_table){g, &r->frame_column, 1, CONTACT_BLOCK, 0, 0, 0};
    if (g < 0) return damaged(r, "/contacts", "is not a group of this file", error);
    br_status status = open_table(r, &r->contacts, error);
    if (status == BR_OK) status = open_table(r, &r->frames, error);
    return status == BR_OK ? read_names(r, error) : status;
}

// --------------------------------------------------------------------------------------------------------- end

static br_status read_ledger(h5_result *r, br_error *error) {
    static const char *const number_name[IO_LEDGER_NUMBERS] = IO_H5_LEDGER_NAMES;
    static const char *const count_name[IO_LEDGER_COUNTS] = IO_H5_COUNT_NAMES;
    br_ledger *l = &r->end.ledger;
    long *const count[IO_LEDGER_COUNTS] = {&l->steps, &l->iterations, &l->evaluations, &l->contacts};
    double *number[IO_LEDGER_NUMBERS];
    const char *why = NULL, *name = "";
    io_ledger_numbers(l, number);
    const hid_t g = br_io_h5_open_group(r->file, "ledger");
    if (g < 0) return damaged(r, "/ledger", "is not a group of this file", error);
    for (int k = 0; k < IO_LEDGER_NUMBERS && !why; k++)
        why = br_io_h5_get_any_double(g, name = number_name[k],
                                      number[k]); // of a run that overflowed, as the log has it
    for (int k = 0; k < IO_LEDGER_COUNTS && !why; k++) {
        long long x = 0;
        why = br_io_h5_get_whole(g, name = count_name[k], &x);
        *count[k] = (long)x;
    }
    H5Gclose(g);
    return why ? damaged(r, name, why, error) : BR_OK;
}

static br_status read_end(h5_result *r, br_error *error) {
    const char *outcome = "", *message = "";
    if (br_io_h5_has_attribute(r->file, "truncated")) {
        r->cut = 1;
        return BR_OK;
    }
    static const char *const names[] = {"outcome", "message"};
    const char **const out[] = {&outcome, &message};
    br_status status = get_texts(r, r->file, 2, names, out, error);
    const char *why = status == BR_OK ? br_io_h5_get_double(r->file, "t_end", &r->end.t) : NULL;
    if (why) return damaged(r, "t_end", why, error);
    why = status == BR_OK ? br_io_h5_get_double(r->file, "seconds", &r->end.seconds) : NULL;
    if (why) return damaged(r, "seconds", why, error);
    if (status != BR_OK) return status;
    int k = 0;
    while (k < BR_RESULT_OUTCOMES && strcmp(outcome, br_result_outcome_name((br_result_outcome)k)) != 0) k++;
    if (k == BR_RESULT_OUTCOMES) return damaged(r, "outcome", "is of no known kind", error);
    r->end.outcome = (br_result_outcome)k;
    memcpy(r->end.message, message, strnlen(message, BR_MAX_ERROR_TEXT - 1));
    size_t size = 0;
    status = get_bytes(r, r->file, "judgement", &r->end.judgement, &size, error);
    if (status == BR_OK && r->end.judgement && !br_json_read_is_whole(r->end.judgement, size, &r->base.arena))
        status = damaged(r, "judgement", "is not JSON", error);
    return status == BR_OK ? read_ledger(r, error) : status;
}

// -------------------------------------------------------------------------------------------------------- items

static br_status h5_read_load(h5_result *r, io_h5_table *t, uint64_t entry, int *at, br_error *error) {
    int bad = 0;
    const char *why = br_io_h5_table_load(t, entry, at, &bad);
    return why ? damaged(r, t->column[bad].name, why, error) : BR_OK;
}

static br_status give_row(h5_result *r, br_result_item *item, br_error *error) {
    int at = 0;
    const br_status status = h5_read_load(r, &r->channels, r->row, &at, error);
    if (status != BR_OK) return status;
    const int n = r->channels.count;
    for (int k = 0; k < n; k++) memcpy(&r->values[k], io_h5_cell(&r->channels, k, at), sizeof(double));
    if (!br_all_finite(n, r->values)) return damaged(r, "a row", "has a number that is not finite", error);
    r->row++;
    item->kind = BR_RESULT_ROW;
    item->row = r->values;
    return BR_OK;
}

static int event_kind(const char *word, br_event_kind *out) {
    for (int k = 0; k <= BR_EVENT_LOAD_KNOT; k++) {
        if (strncmp(word, br_event_kind_name((br_event_kind)k), IO_H5_EVENT_KIND_BYTES) != 0) continue;
        *out = (br_event_kind)k;
        return 1;
    }
    return 0;
}

// An event that belongs before the next row. *given: it is in item.
static br_status give_event(h5_result *r, br_result_item *item, int *given, br_error *error) {
    int at = 0;
    uint64_t row = 0;
    if (r->event >= r->events.total) return BR_OK;
    const br_status status = h5_read_load(r, &r->events, r->event, &at, error);
    if (status != BR_OK) return status;
    memcpy(&row, io_h5_cell(&r->events, IO_H5_EVENT_ROW, at), sizeof row);
    if (row > r->row && r->row < r->channels.total) return BR_OK;
    br_event *e = &item->event;
    memset(e, 0, sizeof *e);
    memcpy(&e->t, io_h5_cell(&r->events, IO_H5_EVENT_T, at), sizeof e->t);
    memcpy(&e->value, io_h5_cell(&r->events, IO_H5_EVENT_VALUE, at), sizeof e->value);
    memcpy(e->name, io_h5_cell(&r->events, IO_H5_EVENT_NAME, at), BR_MAX_EVENT_NAME - 1);
    const double numbers[] = {e->t, e->value};
    if (!br_all_finite(2, numbers) || !event_kind(io_h5_cell(&r->events, IO_H5_EVENT_KIND, at), &e->kind))
        return damaged(r, "/events", "has an entry of no known kind", error);
    r->event++;
    item->kind = BR_RESULT_EVENT;
    *given = 1;
    return BR_OK;
}

static br_vec3 vector_at(const io_h5_table *t, int column, int at) {
    double v[3];
    memcpy(v, io_h5_cell(t, column, at), sizeof v);
    return (br_vec3){v[0], v[1], v[2]};
}

static double double_at(const io_h5_table *t, int column, int at) {
    double x;
    memcpy(&x, io_h5_cell(t, column, at), sizeof x);
    return x;
}

static int decode_contact(const h5_result *r, int at, br_result_contact *c) {
    const io_h5_table *t = &r->contacts;
    uint32_t name = 0;
    memcpy(&name, io_h5_cell(t, IO_H5_CONTACT_NAME, at), sizeof name);
    const unsigned state = *(const unsigned char *)io_h5_cell(t, IO_H5_CONTACT_STATE, at);
    if (name >= r->name_count || state >= BR_CONTACT_STATES) return 0;
    c->name = r->name[name];
    c->state = (br_contact_state)state;
    c->point = vector_at(t, IO_H5_CONTACT_POINT, at);
    c->normal = vector_at(t, IO_H5_CONTACT_NORMAL, at);
    c->gap = double_at(t, IO_H5_CONTACT_GAP, at);
    c->normal_force = double_at(t, IO_H5_CONTACT_NORMAL_FORCE, at);
    c->friction = vector_at(t, IO_H5_CONTACT_FRICTION, at);
    c->slip = vector_at(t, IO_H5_CONTACT_SLIP, at);
    c->friction_coefficient = double_at(t, IO_H5_CONTACT_MU, at);
    const double numbers[] = {
        c->point.x,  c->point.y,    c->point.z,    c->normal.x,     c->normal.y,
        c->normal.z, c->friction.x, c->friction.y, c->friction.z,   c->slip.x,
        c->slip.y,   c->slip.z,     c->gap,        c->normal_force, c->friction_coefficient};
    return br_all_finite(sizeof numbers / sizeof *numbers, numbers);
}

static int make_room(h5_result *r, int count) {
    if (count < r->list_room) return 1;
    const int room = r->list_room > 0 ? 2 * r->list_room : 64;
    br_result_contact *list = BR_TAKE(&r->base.arena, br_result_contact, room);
    if (!list) return 0;
    if (count > 0) memcpy(list, r->list, (size_t)count * sizeof *list);
    r->list = list;
    r->list_room = room;
    return 1;
}

// Every entry of the row that was given last.
static br_status collect_contacts(h5_result *r, uint64_t row, br_result_item *item, br_error *error) {
    int n = 0;
    for (; r->contact < r->contacts.total; r->contact++, n++) {
        int at = 0;
        uint64_t own = 0;
        const br_status status = h5_read_load(r, &r->contacts, r->contact, &at, error);
        if (status != BR_OK) return status;
        memcpy(&own, io_h5_cell(&r->contacts, IO_H5_CONTACT_ROW, at), sizeof own);
        if (own > row) break;
        if (own < row || n == MAX_CONTACTS)
            return damaged(r, "/contacts", "has entries that are not in the order of rows", error);
        if (!make_room(r, n)) return damaged(r, "/contacts", br_io_h5_no_memory, error);
        if (!decode_contact(r, at, &r->list[n]))
            return damaged(r, "/contacts", "has an entry that is no contact", error);
    }
    item->kind = BR_RESULT_CONTACTS;
    item->contacts = r->list;
    item->contact_count = n;
    return BR_OK;
}

static br_status give_contacts(h5_result *r, br_result_item *item, int *given, br_error *error) {
    int at = 0;
    uint64_t row = 0;
    if (r->frame >= r->frames.total || r->row == 0) return BR_OK;
    const br_status status = h5_read_load(r, &r->frames, r->frame, &at, error);
    if (status != BR_OK) return status;
    memcpy(&row, io_h5_cell(&r->frames, 0, at), sizeof row);
    if (row >= r->row) return BR_OK;
    if (row < r->row - 1) return damaged(r, "frames", "is not in the order of rows", error);
    r->frame++;
    *given = 1;
    return collect_contacts(r, row, item, error);
}

static br_status give_next(h5_result *r, br_result_item *item, br_error *error) {
    int given = 0;
    br_status status = give_contacts(r, item, &given, error);
    if (status == BR_OK && !given) status = give_event(r, item, &given, error);
    if (status != BR_OK || given) return status;
    if (r->row < r->channels.total) return give_row(r, item, error);
    if (r->contact != r->contacts.total || r->frame != r->frames.total)
        return damaged(r, "/contacts", "has entries of rows that are not there", error);
    item->kind = r->cut ? BR_RESULT_CUT : BR_RESULT_END;
    item->end = r->end;
    return BR_OK;
}

static br_status next_item(br_result *result, br_result_item *item, br_error *error) {
    h5_result *r = (h5_result *)(void *)result;
    if (r->failed == BR_OK) {
        const io_h5_silence quiet = br_io_h5_silence_begin();
        r->failed = give_next(r, item, &r->error);
        br_io_h5_silence_end(quiet);
    }
    if (r->failed != BR_OK && error) *error = r->error;
    return r->failed;
}

static void close_file(br_result *result) {
    h5_result *r = (h5_result *)(void *)result;
    const io_h5_silence quiet = br_io_h5_silence_begin();
    if (r->channels.group > 0) H5Gclose(r->channels.group);
    if (r->events.group > 0) H5Gclose(r->events.group);
    if (r->contacts.group > 0) H5Gclose(r->contacts.group);
    if (r->file > 0) H5Fclose(r->file);
    br_io_h5_silence_end(quiet);
    br_arena arena = r->base.arena;
    br_arena_free(&arena);
}

// Without locks, which some file systems do not have: a reader disturbs nobody.
static hid_t open_file(const char *path) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return -1;
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1);
#endif
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

static const io_result_ops hdf5_ops = {BR_SOURCE_HDF5, next_item, close_file};

br_status br_io_result_open_hdf5(const char *path, const br_allocator *allocator, br_result **out,
                                 br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    h5_result *r = BR_TAKE(&arena, h5_result, 1);
    if (!r) return br_no_memory_at(error, path, "not enough memory to read it");
    r->base.ops = &hdf5_ops;
    r->base.arena = arena;
    snprintf(r->base.path, sizeof r->base.path, "%s", path);
    const io_h5_silence quiet = br_io_h5_silence_begin();
    r->file = open_file(path);
    br_status status = BR_OK;
    if (r->file < 0) status = damaged(r, "it", "cannot be opened by HDF5: damaged or cut short", error);
    if (status == BR_OK) status = read_header(r, error);
    if (status == BR_OK) status = open_channels(r, error);
    if (status == BR_OK) status = open_events(r, error);
    if (status == BR_OK) status = open_contacts(r, error);
    if (status == BR_OK) status = read_end(r, error);
    br_io_h5_silence_end(quiet);
    if (status != BR_OK)
        close_file(&r->base);
    else
        *out = &r->base;
    return status;
}
