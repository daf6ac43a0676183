// The writer of result logs, see result.h and result/layout.h.
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/hash.h"
#include "io/result/layout.h"
#include "io/result/write.h"
#include "io/text/lock.h"

enum { BUFFER_BYTES = 1 << 16, BLOCK = 1 << 12 };
static const double flush_seconds = 1.0; // what a kill may cost at most, besides the row under way

const char *br_result_outcome_name(br_result_outcome outcome) {
    static const char *const names[] = {"complete", "failed", "interrupted"};
    return outcome >= 0 && outcome < BR_RESULT_OUTCOMES ? names[outcome] : "unknown";
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static br_status cannot_write(const br_result_writer *w, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", w->path, 0, 0, "cannot be written: %s",
                      strerror(errno));
}

// ------------------------------------------------------------------------------------------------------- bytes

// What a run that was taken up again gives once more must be what is there: the same program, model and bits.
static br_status compare(br_result_writer *w, const unsigned char *bytes, size_t count, br_error *error) {
    unsigned char there[BLOCK];
    while (count > 0) {
        const size_t most = count < sizeof there ? count : sizeof there;
        const ssize_t n = pread(w->file, there, most, (off_t)w->at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return cannot_write(w, error);
        size_t same = 0;
        while (same < (size_t)n && there[same] == bytes[same]) same++;
        if (same < (size_t)n)
            return br_fail_at(error, BR_INVALID, "result-differs", w->path, 0, 0,
                              "what is in it from byte %lld on is not what this program gives for its model: "
                              "it was written by another version or on another kind of machine; "
                              "run the model again",
                              w->at + (long long)same);
        bytes += n;
        count -= (size_t)n;
        w->at += n;
    }
    return BR_OK;
}

static br_status write_all(br_result_writer *w, const unsigned char *bytes, size_t count, br_error *error) {
    if (w->failed) errno = w->failure;
    if (w->at < w->known && !w->failed) {
        const long long left = w->known - w->at;
        const size_t again = (long long)count < left ? count : (size_t)left;
        const br_status status = compare(w, bytes, again, error);
        if (status != BR_OK) return status;
        bytes += again;
        count -= again;
    }
    while (count > 0 && !w->failed) {
        const ssize_t n = write(w->file, bytes, count);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            w->failed = 1;
            w->failure = n < 0 ? errno : EIO;
            break;
        }
        bytes += n;
        count -= (size_t)n;
        w->at += n;
    }
    return w->failed ? cannot_write(w, error) : BR_OK;
}

static br_status flush(br_result_writer *w, br_error *error) {
    const size_t count = w->used;
    w->used = 0;
    w->flushed = seconds_now();
    return write_all(w, w->buffer, count, error);
}

static br_status put(br_result_writer *w, const void *bytes, size_t count, br_error *error) {
    w->hash = br_hash_bytes(w->hash, bytes, count);
    if (count > BUFFER_BYTES - w->used) {
        const br_status status = flush(w, error);
        if (status != BR_OK) return status;
        if (count > BUFFER_BYTES) return write_all(w, bytes, count, error);
    }
    if (count > 0) memcpy(w->buffer + w->used, bytes, count);
    w->used += count;
    return BR_OK;
}

static br_status begin_record(br_result_writer *w, uint32_t kind, size_t length, br_error *error) {
    unsigned char head[IO_RESULT_HEAD_BYTES];
    io_put_u32(head, kind);
    io_put_u32(head + 4, (uint32_t)length);
    w->hash = BR_HASH_START;
    return put(w, head, sizeof head, error);
}

static br_status end_record(br_result_writer *w, br_error *error) {
    unsigned char check[IO_RESULT_CHECK_BYTES];
    io_put_u64(check, w->hash);
    br_status status = put(w, check, sizeof check, error);
    if (status == BR_OK && seconds_now() - w->flushed > flush_seconds) status = flush(w, error);
    return status;
}

static br_status put_record(br_result_writer *w, uint32_t kind, const unsigned char *payload, size_t length,
                            br_error *error) {
    br_status status = begin_record(w, kind, length, error);
    if (status == BR_OK) status = put(w, payload, length, error);
    return status == BR_OK ? end_record(w, error) : status;
}

// ------------------------------------------------------------------------------------------------------ header

// Where the header goes: to a file, or, with writer NULL, only into the count of its bytes.
typedef struct sink {
    br_result_writer *writer;
    size_t count;
    br_status status;
    br_error *error;
} sink;

static void sink_bytes(sink *s, const void *bytes, size_t count) {
    s->count += count;
    if (s->writer && s->status == BR_OK) s->status = put(s->writer, bytes, count, s->error);
}

static void sink_u32(sink *s, uint32_t x) {
    unsigned char bytes[4];
    io_put_u32(bytes, x);
    sink_bytes(s, bytes, sizeof bytes);
}

static void sink_double(sink *s, double x) {
    unsigned char bytes[8];
    io_put_double(bytes, x);
    sink_bytes(s, bytes, sizeof bytes);
}

static void sink_text(sink *s, const char *text, size_t size) {
    sink_u32(s, (uint32_t)size);
    sink_bytes(s, text, size);
}

static void sink_string(sink *s, const char *text) {
    sink_text(s, text ? text : "", text ? strlen(text) : 0);
}

static void header_put(sink *s, const br_result_header *h) {
    unsigned char hash[8];
    io_put_u64(hash, h->model_hash);
    sink_u32(s, BR_RESULT_FORMAT);
    sink_string(s, h->program_version ? h->program_version : br_version());
    sink_string(s, h->model_name);
    sink_string(s, h->model_path);
    sink_text(s, h->model_text ? h->model_text : "", h->model_text ? h->model_size : 0);
    sink_bytes(s, hash, sizeof hash);
    sink_string(s, h->stepper);
    sink_string(s, h->notes);
    sink_double(s, h->until);
    sink_double(s, h->output);
    sink_double(s, h->step);
    sink_u32(s, (uint32_t)h->override_count);
    for (int k = 0; k < h->override_count; k++) {
        sink_string(s, h->overrides[k].name);
        sink_string(s, h->overrides[k].value);
    }
    sink_u32(s, (uint32_t)h->channel_count);
    for (int k = 0; k < h->channel_count; k++) {
        sink_string(s, h->channels[k].name);
        sink_string(s, h->channels[k].unit);
    }
    sink_string(s, h->scene);
    sink_string(s, h->model_native);
}

static br_status write_header(br_result_writer *w, const br_result_header *h, br_error *error) {
    sink measure = {NULL, 0, BR_OK, error};
    header_put(&measure, h);
    if (measure.count > IO_RESULT_MAX_HEADER)
        return br_fail_at(error, BR_TOO_LARGE, "result-too-large", w->path, 0, 0,
                          "the model's text of %zu bytes is more than a result can hold", h->model_size);
    br_status status = put(w, IO_RESULT_MARK, IO_RESULT_MARK_BYTES, error);
    if (status == BR_OK) status = begin_record(w, IO_RECORD_HEADER, measure.count, error);
    if (status != BR_OK) return status;
    sink out = {w, 0, BR_OK, error};
    header_put(&out, h);
    if (out.status == BR_OK) out.status = end_record(w, error);
    return out.status == BR_OK ? flush(w, error) : out.status;
}

// ------------------------------------------------------------------------------------------------------ create

static br_status check_header(const br_result_header *h, const char *path, br_error *error) {
    if (h->channel_count < 1 || h->channel_count > BR_MAX_RESULT_CHANNELS)
        return br_fail_at(error, BR_INVALID, "result-channels", path, 0, 0,
                          "a result of %d channels was asked for, expected 1 to %d", h->channel_count,
                          BR_MAX_RESULT_CHANNELS);
    const double times[] = {h->until, h->output, h->step};
    if (!br_all_finite(3, times))
        return br_fail_at(error, BR_INVALID, "result-not-finite", path, 0, 0,
                          "until, output and step are %g, %g and %g, expected finite numbers", h->until,
                          h->output, h->step);
    return BR_OK;
}

br_result_writer *br_io_writer_take(const char *path, const br_result_header *h,
                                    const br_allocator *allocator) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_result_writer *w = BR_TAKE(&arena, br_result_writer, 1);
    const size_t n = (size_t)h->channel_count;
    unsigned char *buffer = BR_TAKE(&arena, unsigned char, BUFFER_BYTES);
    unsigned char *row = BR_TAKE(&arena, unsigned char, 8 * n);
    const char **names = BR_TAKE(&arena, const char *, n);
    int whole = w && buffer && row && names;
    for (size_t k = 0; whole && k < n; k++) {
        const size_t size = strlen(h->channels[k].name) + 1;
        char *name = BR_TAKE(&arena, char, size);
        if (name) memcpy(name, h->channels[k].name, size);
        names[k] = name;
        whole = name != NULL;
    }
    if (!whole) {
        br_arena_free(&arena);
        return NULL;
    }
    *w = (br_result_writer){.arena = arena, .file = -1, .channel_count = h->channel_count, .channel = names};
    w->buffer = buffer;
    w->row = row;
    w->flushed = seconds_now();
    w->claim.older = w->temporary.file = -1;
    snprintf(w->path, sizeof w->path, "%s", path);
    return w;
}

void br_io_writer_release(br_result_writer *w) {
    br_io_claim_drop(&w->claim);
    br_io_abandon(&w->temporary); // nothing is left to remove of one that was placed
    br_arena arena = w->arena;
    br_arena_free(&arena);
}

void br_result_abandon(br_result_writer *writer) {
    if (!writer) return;
    if (writer->used > 0) flush(writer, NULL);
    br_io_writer_release(writer);
}

int br_result_is_locked(const br_result_writer *writer) {
    return writer->claim.locked;
}

br_status br_io_result_begin(const char *path, const br_result_header *header, int at_end,
                             const br_allocator *allocator, br_result_writer **out, br_error *error) {
    br_status status = check_header(header, path, error);
    if (status != BR_OK) return status;
    br_result_writer *w = br_io_writer_take(path, header, allocator);
    if (!w)
        return br_no_memory_at(error, path, "not enough memory for a result of %d channels",
                               header->channel_count);
    w->at_end = at_end;
    status = br_io_reserve(&w->temporary, w->path, error);
    w->file = w->temporary.file;
    if (status == BR_OK) status = br_io_claim(&w->claim, &w->temporary, error);
    if (status == BR_OK) status = write_header(w, header, error);
    if (status != BR_OK) {
        br_io_writer_release(w);
        return status;
    }
    *out = w;
    return BR_OK;
}

br_status br_result_create(const char *path, const br_result_header *header, const br_allocator *allocator,
                           br_result_writer **out, br_error *error) {
    return br_io_result_begin(path, header, 0, allocator, out, error);
}

br_status br_io_result_settle(br_result_writer *w, br_error *error) {
    const br_status status = flush(w, error);
    if (status != BR_OK) return status;
    return br_io_sync(w->file) ? BR_OK : cannot_write(w, error);
}

uint64_t br_io_result_place(const br_result_writer *writer) {
    return (uint64_t)writer->at + writer->used;
}

// From here on the older result is gone.
static br_status result_place(br_result_writer *w, br_error *error) {
    br_status status = flush(w, error);
    if (status == BR_OK) status = br_io_claim_take(&w->claim, &w->temporary, error);
    w->placed = status == BR_OK;
    return status;
}

// ----------------------------------------------------------------------------------------------------- records

static br_status not_finite(const br_result_writer *w, const double *values, br_error *error) {
    int k = 0;
    while (k < w->channel_count && values[k] * 0.0 == 0.0) k++;
    return br_fail_at(error, BR_NUMERICAL, "result-not-finite", w->path, 0, 0,
                      "channel %s is %g, and only finite numbers are kept in a result", w->channel[k],
                      values[k]);
}

br_status br_result_row(br_result_writer *writer, const double *values, br_error *error) {
    if (!br_all_finite(writer->channel_count, values)) return not_finite(writer, values, error);
    for (int k = 0; k < writer->channel_count; k++) io_put_double(writer->row + 8 * (size_t)k, values[k]);
    const br_status status =
        put_record(writer, IO_RECORD_ROW, writer->row, 8 * (size_t)writer->channel_count, error);
    return status == BR_OK && !writer->placed && !writer->at_end ? result_place(writer, error) : status;
}

// The number of a contact's name; a name that is new goes into the file first.
static br_status name_number(br_result_writer *w, const char *name, uint32_t *out, br_error *error) {
    unsigned char bytes[4 + BR_MAX_CONTACT_NAME];
    const size_t length = strnlen(name, BR_MAX_CONTACT_NAME - 1);
    int k = br_names_find(&w->contact_names, name);
    if (k < 0) {
        k = w->contact_names.count;
        const char *own = br_copy_text(&w->arena, name);
        if (!own || br_names_add(&w->contact_names, &w->arena, own) != BR_OK)
            return br_no_memory_at(error, w->path, "not enough memory for the name of a contact");
        io_put_u32(bytes, (uint32_t)k);
        memcpy(bytes + 4, name, length);
        const br_status status = put_record(w, IO_RECORD_NAME, bytes, 4 + length, error);
        if (status != BR_OK) return status;
    }
    *out = (uint32_t)k;
    return BR_OK;
}

static br_status put_contact(br_result_writer *w, const br_result_contact *contact, br_error *error) {
    unsigned char bytes[IO_RESULT_CONTACT_BYTES];
    br_result_contact c = *contact;
    double *numbers[IO_CONTACT_NUMBERS];
    io_contact_numbers(&c, numbers);
    io_put_u32(bytes, (uint32_t)br_names_find(&w->contact_names, c.name));
    io_put_u32(bytes + 4, (uint32_t)c.state);
    for (int k = 0; k < IO_CONTACT_NUMBERS; k++) io_put_double(bytes + 8 + 8 * (size_t)k, *numbers[k]);
    return put(w, bytes, sizeof bytes, error);
}

static int is_finite_contact(const br_result_contact *contact) {
    br_result_contact c = *contact;
    double *numbers[IO_CONTACT_NUMBERS];
    io_contact_numbers(&c, numbers);
    for (int k = 0; k < IO_CONTACT_NUMBERS; k++)
        if (!br_all_finite(1, numbers[k])) return 0;
    return 1;
}

br_status br_result_contacts(br_result_writer *writer, const br_result_contact *contacts, int count,
                             br_error *error) {
    unsigned char head[4];
    uint32_t number;
    br_status status = BR_OK;
    if (count > IO_RESULT_MAX_CONTACTS)
        return br_fail_at(error, BR_TOO_LARGE, "result-too-large", writer->path, 0, 0,
                          "%d contacts at once, and a row keeps at most %d", count, IO_RESULT_MAX_CONTACTS);
    for (int k = 0; k < count && status == BR_OK; k++) {
        if (!is_finite_contact(&contacts[k]))
            return br_fail_at(error, BR_NUMERICAL, "result-not-finite", writer->path, 0, 0,
                              "contact %.180s has a number that is not finite", contacts[k].name);
        status = name_number(writer, contacts[k].name, &number, error);
    }
    const size_t length = sizeof head + (size_t)count * IO_RESULT_CONTACT_BYTES;
    io_put_u32(head, (uint32_t)count);
    if (status == BR_OK) status = begin_record(writer, IO_RECORD_CONTACTS, length, error);
    if (status == BR_OK) status = put(writer, head, sizeof head, error);
    for (int k = 0; k < count && status == BR_OK; k++) status = put_contact(writer, &contacts[k], error);
    return status == BR_OK ? end_record(writer, error) : status;
}

br_status br_result_event(br_result_writer *writer, const br_event *event, br_error *error) {
    unsigned char bytes[IO_RESULT_EVENT_BYTES] = {0};
    const double numbers[] = {event->t, event->value};
    if (!br_all_finite(2, numbers))
        return br_fail_at(error, BR_NUMERICAL, "result-not-finite", writer->path, 0, 0,
                          "event %s of %.*s has t = %g and value %g, expected finite numbers",
                          br_event_kind_name(event->kind), BR_MAX_EVENT_NAME - 1, event->name, event->t,
                          event->value);
    io_put_double(bytes, event->t);
    io_put_double(bytes + 8, event->value);
    io_put_u32(bytes + 16, (uint32_t)event->kind);
    memcpy(bytes + 20, event->name, strnlen(event->name, BR_MAX_EVENT_NAME - 1));
    return put_record(writer, IO_RECORD_EVENT, bytes, sizeof bytes, error);
}

static void encode_end(const br_result_end *end, unsigned char bytes[IO_RESULT_END_BYTES]) {
    br_ledger ledger = end->ledger;
    double *numbers[IO_LEDGER_NUMBERS];
    const long counts[IO_LEDGER_COUNTS] = {ledger.steps, ledger.iterations, ledger.evaluations,
                                           ledger.contacts};
    io_ledger_numbers(&ledger, numbers);
    memset(bytes, 0, IO_RESULT_END_BYTES);
    io_put_u32(bytes, (uint32_t)end->outcome);
    io_put_double(bytes + 4, end->t);
    io_put_double(bytes + 12, end->seconds);
    unsigned char *p = bytes + 20;
    for (int k = 0; k < IO_LEDGER_NUMBERS; k++, p += 8) io_put_double(p, *numbers[k]);
    for (int k = 0; k < IO_LEDGER_COUNTS; k++, p += 8) io_put_u64(p, (uint64_t)counts[k]);
    memcpy(p, end->message, strnlen(end->message, BR_MAX_ERROR_TEXT - 1));
}

static br_status put_end(br_result_writer *w, const br_result_end *end, br_error *error) {
    unsigned char bytes[IO_RESULT_END_BYTES];
    encode_end(end, bytes);
    br_status status = BR_OK;
    const size_t length = end->judgement ? strlen(end->judgement) : 0;
    if (length > 0 && length <= IO_RESULT_MAX_JUDGEMENT)
        status = put_record(w, IO_RECORD_JUDGEMENT, (const unsigned char *)end->judgement, length, error);
    return status == BR_OK ? put_record(w, IO_RECORD_END, bytes, sizeof bytes, error) : status;
}

// The name must still lead to the file that was written, or the run's rows are where nobody looks for them.
static br_status check_place(const br_result_writer *w, br_error *error) {
    if (br_io_is_file_at(w->file, w->temporary.target)) return BR_OK;
    return br_fail_at(error, BR_IO, "result-lost", w->path, 0, 0,
                      "is no longer the file that this run wrote: it was removed, moved or replaced "
                      "meanwhile");
}

br_status br_io_result_close(br_result_writer *writer, const br_result_end *end, br_error *error) {
    br_status status = writer->placed ? check_place(writer, error) : BR_OK;
    if (status == BR_OK && end) status = put_end(writer, end, error);
    if (status == BR_OK) status = flush(writer, error);
    // A run that failed before its first row has nothing that would be worth an older result.
    const int worthless =
        end && end->outcome == BR_RESULT_FAILED && !writer->at_end && br_io_claim_has_older(&writer->claim);
    if (status == BR_OK && !writer->placed && !worthless) status = result_place(writer, error);
    if (status == BR_OK && writer->placed && !br_io_sync(writer->file)) status = cannot_write(writer, error);
    if (status == BR_OK && writer->placed) status = check_place(writer, error);
    writer->used = 0;
    br_io_writer_release(writer);
    return status;
}

br_status br_result_finish(br_result_writer *writer, const br_result_end *end, br_error *error) {
    return br_io_result_close(writer, end, error);
}
