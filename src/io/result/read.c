// The reader of result logs, see result.h and result/layout.h. A log may have been cut at any byte, and may come from
// anywhere: no size is believed before it was held against the bytes that are there.
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/hash.h"
#include "io/result/layout.h"
#include "io/result/result.h"
#include "io/text/json_read.h"
#include "io/text/write.h"

enum {
    LARGEST_FIXED = IO_RESULT_END_BYTES,
    MAX_CHANNEL_NAME = 255,
    ZEROS = 1 << 14,
    BLOCK = 1 << 16,
    MOST_FORMAT = 1000, // of any layout that there may be once
    OLDER_FORMAT = 2,   // without scene, native model and contacts. 3 has no judgement
};

typedef struct log_result {
    br_result base;
    FILE *file;
    long record;  // read so far, the header included
    long long at; // byte where the next one begins
    int ended;    // nonzero: last holds END or CUT
    br_result_kind last;
    br_result_end end;
    const char *judgement; // of the end, which comes after it; NULL: none
    br_status failed;      // sticky, with its error
    br_error error;
    long long size;       // of the file
    unsigned char *bytes; // of a record
    size_t capacity;      // of bytes
    double *row;
    const char **name; // [names] of contacts
    int names, name_capacity;
    br_result_contact *contact; // of a row
    int contact_capacity;
} log_result;

static br_status fail_read(const char *path, br_error *error) {
    return br_fail_at(error, BR_IO, errno == ENOENT ? "file-missing" : "file-unreadable", path, 0, 0,
                      "cannot be read: %s", strerror(errno));
}

static br_status not_a_result(const char *path, const char *why, br_error *error) {
    return br_fail_at(error, BR_PARSE, "result-not-one", path, 0, 0, "is not a result of bristle run: %s",
                      why);
}

// ------------------------------------------------------------------------------------------------------ header

// A cursor over the payload of the header. `bad` names the first field that did not fit.
typedef struct cursor {
    const unsigned char *at, *end;
    br_arena *arena;
    const char *bad;
    int no_memory;
    char nothing[1]; // instead of a text that could not be taken
} cursor;

static uint64_t take_whole(cursor *c, int size, const char *what) {
    if (c->bad || c->end - c->at < size) {
        if (!c->bad) c->bad = what;
        return 0;
    }
    c->at += size;
    return size == 4 ? io_get_u32(c->at - 4) : io_get_u64(c->at - 8);
}

static double take_double(cursor *c, const char *what) {
    const uint64_t bits = take_whole(c, 8, what);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!br_all_finite(1, &x) && !c->bad) c->bad = what;
    return x;
}

static char *take_text(cursor *c, size_t *size, const char *what) {
    const size_t n = (size_t)take_whole(c, 4, what);
    if (!c->bad && (size_t)(c->end - c->at) < n) c->bad = what;
    if (c->bad) return c->nothing;
    char *text = BR_TAKE(c->arena, char, n + 1);
    if (!text) {
        c->bad = what;
        c->no_memory = 1;
        return c->nothing;
    }
    memcpy(text, c->at, n);
    c->at += n;
    if (size) *size = n;
    return text;
}

static const char *take_string(cursor *c, const char *what) {
    size_t size = 0;
    const char *text = take_text(c, &size, what);
    if (strlen(text) != size && !c->bad) c->bad = what;
    return text;
}

// A name, which is printed: in a file from anywhere it must not steer the terminal.
static const char *take_name(cursor *c, const char *what) {
    size_t size = 0;
    char *text = take_text(c, &size, what);
    if (c->bad) return "";
    if (strlen(text) != size) c->bad = what;
    br_io_mask_controls(text);
    return text;
}

// A count of things that take at least 8 bytes each, so that it cannot be more than the bytes left allow.
static int take_count(cursor *c, const char *what) {
    const uint64_t n = take_whole(c, 4, what);
    if (!c->bad && n > (uint64_t)(c->end - c->at) / 8) c->bad = what;
    return c->bad ? 0 : (int)n;
}

static void take_overrides(cursor *c, br_result_header *h) {
    const int n = take_count(c, "overrides");
    br_override *list = BR_TAKE(c->arena, br_override, n);
    if (!list) c->bad = "overrides", c->no_memory = 1;
    for (int k = 0; k < n && !c->bad; k++) {
        list[k].name = take_string(c, "overrides");
        list[k].value = take_string(c, "overrides");
    }
    h->overrides = list;
    h->override_count = n;
}

static int is_name(const char *text) {
    const size_t n = strlen(text);
    if (n == 0 || n > MAX_CHANNEL_NAME) return 0;
    for (size_t k = 0; k < n; k++)
        if ((unsigned char)text[k] < 0x20 || text[k] == 0x7f) return 0;
    return 1;
}

static void take_channels(cursor *c, br_result_header *h) {
    const int n = take_count(c, "channels");
    if (!c->bad && (n < 1 || n > BR_MAX_RESULT_CHANNELS)) c->bad = "channels";
    br_result_channel *list = BR_TAKE(c->arena, br_result_channel, c->bad ? 0 : n);
    if (!list) c->bad = "channels", c->no_memory = 1;
    for (int k = 0; k < n && !c->bad; k++) {
        list[k].name = take_name(c, "channels");
        list[k].unit = take_name(c, "channels");
        if (!c->bad && !is_name(list[k].name)) c->bad = "channels";
    }
    h->channels = list;
    h->channel_count = n;
}

static const char *none_if_empty(const char *text) {
    return text[0] ? text : NULL;
}

static br_status decode_header(log_result *r, const unsigned char *payload, size_t length, br_error *error) {
    cursor c = {payload, payload + length, &r->base.arena, NULL, 0, ""};
    br_result_header *h = &r->base.header;
    const unsigned format = (unsigned)take_whole(&c, 4, "format");
    if (!c.bad && (format > BR_RESULT_FORMAT || format < OLDER_FORMAT))
        return br_fail_at(error, BR_PARSE, "result-format", r->base.path, 0, 0,
                          "has layout version %u, and this program reads versions %d to %d", format,
                          OLDER_FORMAT, BR_RESULT_FORMAT);
    h->program_version = take_name(&c, "program version");
    h->model_name = take_name(&c, "model name");
    h->model_path = take_name(&c, "model path");
    h->model_text = take_text(&c, &h->model_size, "model text");
    h->model_hash = take_whole(&c, 8, "model hash");
    h->stepper = take_name(&c, "stepper");
    h->notes = take_string(&c, "notes");
    h->until = take_double(&c, "until");
    h->output = take_double(&c, "output");
    h->step = take_double(&c, "step");
    if (!c.bad) take_overrides(&c, h);
    if (!c.bad) take_channels(&c, h);
    if (!c.bad && format != OLDER_FORMAT) {
        h->scene = none_if_empty(take_string(&c, "scene"));
        h->model_native = none_if_empty(take_string(&c, "native model"));
    }
    if (!c.bad && c.at != c.end) c.bad = "end of the header";
    if (c.no_memory) return br_no_memory_at(error, r->base.path, "not enough memory for its header");
    if (c.bad)
        return br_fail_at(error, BR_PARSE, "result-damaged", r->base.path, 0, 0,
                          "its header is damaged: %s does not fit", c.bad);
    return BR_OK;
}

static br_status damaged_header(const log_result *r, br_error *error) {
    return br_fail_at(error, BR_PARSE, "result-damaged", r->base.path, 0, 0,
                      "its header is damaged: the checksum does not agree");
}

// Read once through before memory is taken for it: a file may claim gigabytes, and a disk may hold them as nothing.
static br_status check_header(log_result *r, const unsigned char *head, size_t length, br_error *error) {
    unsigned char bytes[BLOCK];
    uint64_t hash = br_hash_bytes(BR_HASH_START, head, IO_RESULT_HEAD_BYTES);
    const long begin = ftell(r->file);
    for (size_t left = length; left > 0;) {
        const size_t n = left < sizeof bytes ? left : sizeof bytes;
        if (fread(bytes, 1, n, r->file) != n) return fail_read(r->base.path, error);
        const unsigned format = n >= 4 && left == length ? io_get_u32(bytes) : 1;
        if (format < 1 || format > MOST_FORMAT) return damaged_header(r, error);
        hash = br_hash_bytes(hash, bytes, n);
        left -= n;
    }
    if (fread(bytes, 1, IO_RESULT_CHECK_BYTES, r->file) != IO_RESULT_CHECK_BYTES || begin < 0)
        return fail_read(r->base.path, error);
    if (io_get_u32(head) != IO_RECORD_HEADER || hash != io_get_u64(bytes)) return damaged_header(r, error);
    return fseek(r->file, begin, SEEK_SET) == 0 ? BR_OK : fail_read(r->base.path, error);
}

static br_status read_header(log_result *r, long long size, br_error *error) {
    unsigned char head[IO_RESULT_MARK_BYTES + IO_RESULT_HEAD_BYTES];
    const size_t got = fread(head, 1, sizeof head, r->file);
    if (got == 0) return not_a_result(r->base.path, "it is empty", error);
    const size_t mark = got < IO_RESULT_MARK_BYTES ? got : IO_RESULT_MARK_BYTES;
    if (memcmp(head, IO_RESULT_MARK, mark) != 0)
        return not_a_result(r->base.path, "it begins with other bytes", error);
    const size_t length = io_get_u32(head + IO_RESULT_MARK_BYTES + 4);
    const long long whole = (long long)sizeof head + (long long)length + IO_RESULT_CHECK_BYTES;
    if (got < sizeof head || whole > size)
        return br_fail_at(error, BR_PARSE, "result-truncated", r->base.path, 0, 0,
                          "ends inside its header, after %lld bytes", size);
    const br_status status = check_header(r, head + IO_RESULT_MARK_BYTES, length, error);
    if (status != BR_OK) return status;
    unsigned char *payload = BR_TAKE(&r->base.arena, unsigned char, length + IO_RESULT_CHECK_BYTES);
    if (!payload) return br_no_memory_at(error, r->base.path, "not enough memory for its header");
    if (fread(payload, 1, length + IO_RESULT_CHECK_BYTES, r->file) != length + IO_RESULT_CHECK_BYTES)
        return fail_read(r->base.path, error);
    r->at = whole;
    r->size = size;
    r->record = 1;
    return decode_header(r, payload, length, error);
}

// -------------------------------------------------------------------------------------------------------- open

static br_status open_file(const char *path, FILE **out, long long *size, br_error *error) {
    struct stat s;
    if (stat(path, &s) != 0) return fail_read(path, error);
    if (S_ISDIR(s.st_mode))
        return br_fail_at(error, BR_IO, "file-is-folder", path, 0, 0, "is a folder, expected a result file");
    if (!S_ISREG(s.st_mode))
        return br_fail_at(error, BR_IO, "file-unreadable", path, 0, 0,
                          "is a device or a pipe, expected a result file");
    *out = fopen(path, "rb");
    if (!*out) return fail_read(path, error);
    *size = (long long)s.st_size;
    return BR_OK;
}

static void close_log(br_result *result) {
    log_result *r = (log_result *)(void *)result;
    fclose(r->file);
    br_arena arena = r->base.arena;
    br_arena_free(&arena);
}

static br_status next_item(br_result *result, br_result_item *item, br_error *error);

static const io_result_ops log_ops = {BR_SOURCE_LOG, next_item, close_log};

br_status br_io_result_open_log(const char *path, const br_allocator *allocator, br_result **out,
                                br_error *error) {
    FILE *file = NULL;
    long long size = 0;
    br_status status = open_file(path, &file, &size, error);
    if (status != BR_OK) return status;
    br_arena arena;
    br_arena_init(&arena, allocator);
    log_result *r = BR_TAKE(&arena, log_result, 1);
    if (!r) {
        fclose(file);
        return br_no_memory_at(error, path, "not enough memory to read it");
    }
    r->base.ops = &log_ops;
    r->base.arena = arena;
    r->file = file;
    snprintf(r->base.path, sizeof r->base.path, "%s", path);
    status = read_header(r, size, error);
    if (status == BR_OK) {
        const size_t n = (size_t)r->base.header.channel_count, row = 8 * n;
        r->row = BR_TAKE(&r->base.arena, double, n);
        r->capacity = (row > LARGEST_FIXED ? row : LARGEST_FIXED) + IO_RESULT_CHECK_BYTES;
        r->bytes = BR_TAKE(&r->base.arena, unsigned char, r->capacity);
        if (!br_arena_ok(&r->base.arena))
            status = br_no_memory_at(error, path, "not enough memory for its rows");
    }
    if (status != BR_OK) {
        close_log(&r->base);
        return status;
    }
    *out = &r->base;
    return BR_OK;
}

// ----------------------------------------------------------------------------------------------------- records

static br_status damaged(log_result *r, const char *what, br_error *error) {
    r->failed = br_fail_at(&r->error, BR_PARSE, "result-damaged", r->base.path, 0, 0,
                           "record %ld at byte %lld is damaged: %s; the records before it are good",
                           r->record, r->at, what);
    if (error) *error = r->error;
    return r->failed;
}

static br_status finished(log_result *r, br_result_kind kind, br_result_item *item) {
    r->ended = 1;
    r->last = kind;
    item->kind = kind;
    item->end = r->end;
    return BR_OK;
}

// A machine that lost power may leave a file longer than what was written, with zeros where nothing arrived.
static int only_zeros_follow(log_result *r) {
    static const unsigned char zeros[ZEROS];
    unsigned char bytes[ZEROS]; // by blocks: a sparse file may have billions
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, r->file)) > 0;)
        if (memcmp(bytes, zeros, n) != 0) return 0;
    return 1;
}

// Whether a record of that kind can be that long. *known: there is such a kind.
static int length_fits(const log_result *r, uint32_t kind, size_t length, int *known) {
    *known = 1;
    switch (kind) {
    case IO_RECORD_ROW:
        return length == 8 * (size_t)r->base.header.channel_count;
    case IO_RECORD_EVENT:
        return length == IO_RESULT_EVENT_BYTES;
    case IO_RECORD_END:
        return length == IO_RESULT_END_BYTES;
    case IO_RECORD_NAME:
        return length > 4 && length < 4 + BR_MAX_CONTACT_NAME;
    case IO_RECORD_JUDGEMENT:
        return length > 0 && length <= IO_RESULT_MAX_JUDGEMENT;
    case IO_RECORD_CONTACTS:
        return length >= 4 && (length - 4) % IO_RESULT_CONTACT_BYTES == 0 &&
               (length - 4) / IO_RESULT_CONTACT_BYTES <= IO_RESULT_MAX_CONTACTS;
    default:
        *known = 0;
        return 0;
    }
}

static br_status no_room(log_result *r, br_error *error) {
    return br_no_memory_at(error, r->base.path, "not enough memory for record %ld at byte %lld", r->record,
                           r->at);
}

// Room for the bytes of a record that is known to be in the file.
static int grow_bytes(log_result *r, size_t needed) {
    if (needed <= r->capacity) return 1;
    const size_t larger = needed > 2 * r->capacity ? needed : 2 * r->capacity;
    unsigned char *bytes = BR_TAKE(&r->base.arena, unsigned char, larger);
    if (!bytes) return 0;
    r->bytes = bytes;
    r->capacity = larger;
    return 1;
}

static br_status decode_row(log_result *r, br_result_item *item, br_error *error) {
    const int n = r->base.header.channel_count;
    for (int k = 0; k < n; k++) r->row[k] = io_get_double(r->bytes + 8 * (size_t)k);
    if (!br_all_finite(n, r->row)) return damaged(r, "a number of the row is not finite", error);
    item->kind = BR_RESULT_ROW;
    item->row = r->row;
    return BR_OK;
}

static br_status decode_name(log_result *r, size_t length, br_error *error) {
    if (io_get_u32(r->bytes) != (uint32_t)r->names) return damaged(r, "a name out of its order", error);
    char *text = BR_TAKE(&r->base.arena, char, length - 3);
    if (!text || !BR_GROW(&r->base.arena, r->name, r->names, r->name_capacity)) return no_room(r, error);
    memcpy(text, r->bytes + 4, length - 4);
    if (!is_name(text) || strlen(text) != length - 4) return damaged(r, "a name that is none", error);
    r->name[r->names++] = text;
    return BR_OK;
}

static br_status decode_contacts(log_result *r, size_t length, br_result_item *item, br_error *error) {
    const int count = (int)((length - 4) / IO_RESULT_CONTACT_BYTES);
    if (io_get_u32(r->bytes) != (uint32_t)count) return damaged(r, "a wrong count of contacts", error);
    if (count > r->contact_capacity) {
        const int larger = count > 2 * r->contact_capacity ? count : 2 * r->contact_capacity;
        br_result_contact *contact = BR_TAKE(&r->base.arena, br_result_contact, larger);
        if (!contact) return no_room(r, error);
        r->contact = contact;
        r->contact_capacity = larger;
    }
    const unsigned char *b = r->bytes + 4;
    for (int i = 0; i < count; i++, b += IO_RESULT_CONTACT_BYTES) {
        br_result_contact *c = &r->contact[i];
        double *numbers[IO_CONTACT_NUMBERS];
        const uint32_t name = io_get_u32(b), state = io_get_u32(b + 4);
        int fine = name < (uint32_t)r->names && state < BR_CONTACT_STATES;
        io_contact_numbers(c, numbers);
        for (int k = 0; k < IO_CONTACT_NUMBERS; k++) {
            *numbers[k] = io_get_double(b + 8 + 8 * (size_t)k);
            fine = fine && br_all_finite(1, numbers[k]);
        }
        if (!fine) return damaged(r, "a contact that cannot be", error);
        c->name = r->name[name];
        c->state = (br_contact_state)state;
    }
    item->kind = BR_RESULT_CONTACTS;
    item->contacts = r->contact;
    item->contact_count = count;
    return BR_OK;
}

static br_status decode_event(log_result *r, br_result_item *item, br_error *error) {
    const unsigned char *b = r->bytes;
    br_event e = {io_get_double(b), BR_EVENT_STICK, "", io_get_double(b + 8)};
    const uint32_t kind = io_get_u32(b + 16);
    const double numbers[] = {e.t, e.value};
    memcpy(e.name, b + 20, BR_MAX_EVENT_NAME);
    if (!br_all_finite(2, numbers) || kind > BR_EVENT_LOAD_KNOT || e.name[BR_MAX_EVENT_NAME - 1] != '\0')
        return damaged(r, "an event of no known kind", error);
    e.kind = (br_event_kind)kind;
    item->kind = BR_RESULT_EVENT;
    item->event = e;
    return BR_OK;
}

static br_status decode_end(log_result *r, br_result_item *item, br_error *error) {
    const unsigned char *b = r->bytes;
    br_result_end end;
    double *numbers[IO_LEDGER_NUMBERS];
    memset(&end, 0, sizeof end);
    end.judgement = r->judgement;
    const uint32_t outcome = io_get_u32(b);
    end.t = io_get_double(b + 4);
    end.seconds = io_get_double(b + 12);
    io_ledger_numbers(&end.ledger, numbers);
    const unsigned char *p = b + 20;
    for (int k = 0; k < IO_LEDGER_NUMBERS; k++, p += 8) *numbers[k] = io_get_double(p);
    long *const counts[IO_LEDGER_COUNTS] = {&end.ledger.steps, &end.ledger.iterations,
                                            &end.ledger.evaluations, &end.ledger.contacts};
    for (int k = 0; k < IO_LEDGER_COUNTS; k++, p += 8) *counts[k] = (long)io_get_u64(p);
    memcpy(end.message, p, BR_MAX_ERROR_TEXT);
    if (outcome >= BR_RESULT_OUTCOMES || end.message[BR_MAX_ERROR_TEXT - 1] != '\0')
        return damaged(r, "an end of no known kind", error);
    if (getc(r->file) != EOF) return damaged(r, "something follows the end", error);
    end.outcome = (br_result_outcome)outcome;
    r->end = end;
    return finished(r, BR_RESULT_END, item);
}

// It goes into pages as it is.
static br_status decode_judgement(log_result *r, size_t length, br_error *error) {
    char *text = BR_TAKE(&r->base.arena, char, length + 1);
    if (!text) return no_room(r, error);
    memcpy(text, r->bytes, length);
    if (!br_json_read_is_whole(text, length, &r->base.arena))
        return damaged(r, "a judgement that is not JSON", error);
    r->judgement = text;
    return BR_OK;
}

static br_status decode(log_result *r, uint32_t kind, size_t length, br_result_item *item, br_error *error) {
    switch (kind) {
    case IO_RECORD_ROW:
        return decode_row(r, item, error);
    case IO_RECORD_EVENT:
        return decode_event(r, item, error);
    case IO_RECORD_NAME:
        return decode_name(r, length, error);
    case IO_RECORD_CONTACTS:
        return decode_contacts(r, length, item, error);
    case IO_RECORD_JUDGEMENT:
        return decode_judgement(r, length, error);
    default:
        return decode_end(r, item, error);
    }
}

// One record. *more: it was a name or a judgement, which are the reader's own affair.
static br_status next_record(log_result *r, br_result_item *item, int *more, br_error *error) {
    unsigned char head[IO_RESULT_HEAD_BYTES];
    int known;
    *more = 0;
    if (fread(head, 1, sizeof head, r->file) != sizeof head) return finished(r, BR_RESULT_CUT, item);
    const uint32_t kind = io_get_u32(head);
    const size_t length = io_get_u32(head + 4), whole = length + IO_RESULT_CHECK_BYTES;
    if (kind == 0 && length == 0 && only_zeros_follow(r)) return finished(r, BR_RESULT_CUT, item);
    const int fits = length_fits(r, kind, length, &known);
    if (!known) return damaged(r, "it is of no known kind", error);
    if (!fits) return damaged(r, "its length is not that of its kind", error);
    // Held against the file before memory is taken for it.
    if (length > LARGEST_FIXED && (kind == IO_RECORD_CONTACTS || kind == IO_RECORD_JUDGEMENT) &&
        r->at + (long long)(sizeof head + whole) > r->size)
        return finished(r, BR_RESULT_CUT, item);
    if (!grow_bytes(r, whole)) return no_room(r, error);
    if (fread(r->bytes, 1, whole, r->file) != whole) return finished(r, BR_RESULT_CUT, item);
    const uint64_t hash = br_hash_bytes(br_hash_bytes(BR_HASH_START, head, sizeof head), r->bytes, length);
    if (hash != io_get_u64(r->bytes + length)) return damaged(r, "its checksum does not agree", error);
    const br_status status = decode(r, kind, length, item, error);
    if (status != BR_OK) return status;
    r->at += (long long)(sizeof head + whole);
    r->record++;
    *more = kind == IO_RECORD_NAME || kind == IO_RECORD_JUDGEMENT;
    return BR_OK;
}

static br_status next_item(br_result *result, br_result_item *item, br_error *error) {
    log_result *r = (log_result *)(void *)result;
    int more = 1;
    if (r->failed != BR_OK) {
        if (error) *error = r->error;
        return r->failed;
    }
    if (r->ended) return finished(r, r->last, item);
    br_status status = BR_OK;
    while (status == BR_OK && more) status = next_record(r, item, &more, error);
    return status;
}
