// Taking up a result that a run left unfinished, see continue.h. The records that are there are read once through: the names of contacts
// that the caller will refer to are in them, and the first that is cut or altered ends what can be kept.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/result/continue.h"
#include "io/result/layout.h"
#include "io/result/write.h"
#include "io/text/lock.h"

enum { CONTINUE_BLOCK = 1 << 14 };

typedef struct walk {
    br_result_writer *writer;
    FILE *file;
    uint64_t from; // where the caller goes on; 0: after the header
    long long at;  // byte of the record under way
    br_error *error;
} walk;

static br_status continue_unreadable(const char *path, br_error *error) {
    return br_fail_at(error, BR_IO, errno == ENOENT ? "file-missing" : "file-unreadable", path, 0, 0,
                      "cannot be continued: %s", strerror(errno));
}

static br_status continue_in_use(const br_result_writer *w, br_error *error) {
    char who[48] = "another run";
    const long process = br_io_lock_holder(w->file);
    if (process > 0) snprintf(who, sizeof who, "process %ld", process);
    return br_fail_at(error, BR_IO, "result-in-use", w->path, 0, 0,
                      "is being written by %s; wait until it ends", who);
}

// The payload of a record and its check; 0: it was cut, or altered. A name is kept in `text`, which has room for one.
static int pass_record(walk *x, const unsigned char head[IO_RESULT_HEAD_BYTES], char *text) {
    unsigned char bytes[CONTINUE_BLOCK], check[IO_RESULT_CHECK_BYTES];
    const uint32_t kind = io_get_u32(head);
    size_t left = io_get_u32(head + 4);
    uint64_t hash = br_hash_bytes(BR_HASH_START, head, IO_RESULT_HEAD_BYTES);
    if (kind == IO_RECORD_NAME && (left <= 4 || left >= 4 + BR_MAX_CONTACT_NAME)) return 0;
    while (left > 0) {
        const size_t n = left < sizeof bytes ? left : sizeof bytes;
        if (fread(bytes, 1, n, x->file) != n) return 0;
        if (kind == IO_RECORD_NAME) {
            memcpy(text, bytes + 4, n - 4);
            text[n - 4] = '\0';
        }
        hash = br_hash_bytes(hash, bytes, n);
        left -= n;
    }
    return fread(check, 1, sizeof check, x->file) == sizeof check && io_get_u64(check) == hash;
}

static br_status keep_name(walk *x, const char *text) {
    br_result_writer *w = x->writer;
    const char *own = br_copy_text(&w->arena, text);
    if (own && br_names_add(&w->contact_names, &w->arena, own) == BR_OK) return BR_OK;
    return br_no_memory_at(x->error, w->path, "not enough memory for the names of its contacts");
}

// To the end of what can be kept: the last whole record before a judgement, an end, or a cut.
static br_status pass_records(walk *x, long long *whole) {
    unsigned char head[IO_RESULT_HEAD_BYTES];
    char text[BR_MAX_CONTACT_NAME];
    *whole = x->at;
    while (fread(head, 1, sizeof head, x->file) == sizeof head) {
        const uint32_t kind = io_get_u32(head);
        if (kind == IO_RECORD_JUDGEMENT || kind == IO_RECORD_END || !pass_record(x, head, text)) break;
        const long long next = *whole + IO_RESULT_HEAD_BYTES + io_get_u32(head + 4) + IO_RESULT_CHECK_BYTES;
        if (kind == IO_RECORD_HEADER && x->from == 0) x->from = (uint64_t)next;
        if (kind == IO_RECORD_NAME && (uint64_t)*whole < x->from && keep_name(x, text) != BR_OK)
            return BR_NO_MEMORY;
        *whole = next;
    }
    return BR_OK;
}

static br_status take_up(br_result_writer *w, uint64_t from, br_error *error) {
    long long whole = 0;
    walk x = {.writer = w, .from = from, .error = error, .at = IO_RESULT_MARK_BYTES};
    const int copy = dup(w->file);
    x.file = copy >= 0 ? fdopen(copy, "rb") : NULL;
    if (!x.file) {
        if (copy >= 0) close(copy);
        return continue_unreadable(w->path, error);
    }
    br_status status = fseek(x.file, x.at, SEEK_SET) == 0 ? BR_OK : continue_unreadable(w->path, error);
    if (status == BR_OK) status = pass_records(&x, &whole);
    fclose(x.file);
    if (status != BR_OK) return status;
    if ((uint64_t)whole < x.from)
        return br_fail_at(error, BR_INVALID, "checkpoint-ahead", w->path, 0, 0,
                          "ends at byte %lld, before the %llu bytes that its checkpoint was made with", whole,
                          (unsigned long long)x.from);
    if (ftruncate(w->file, (off_t)whole) != 0 || lseek(w->file, (off_t)whole, SEEK_SET) < 0)
        return br_fail_at(error, BR_IO, "file-unwritable", w->path, 0, 0, "cannot be written: %s",
                          strerror(errno));
    w->at = (long long)x.from;
    w->known = whole;
    return BR_OK;
}

static br_status open_for_more(br_result_writer *w, br_error *error) {
    io_temporary *t = &w->temporary;
    char *real = realpath(w->path, NULL);
    t->path = w->path;
    snprintf(t->target, sizeof t->target, "%s", real ? real : w->path);
    free(real);
    w->file = t->file = open(t->target, O_RDWR | O_CLOEXEC);
    if (w->file < 0) return continue_unreadable(w->path, error);
    const io_lock lock = br_io_lock(w->file);
    if (lock == IO_LOCK_HELD) return continue_in_use(w, error);
    w->claim.locked = t->locked = lock == IO_LOCK_OURS;
    w->placed = 1;
    return BR_OK;
}

br_status br_io_result_continue(const char *path, uint64_t from, const br_allocator *allocator,
                                br_result_writer **out, br_error *error) {
    br_result *result = NULL;
    br_status status = br_io_result_open_log(path, allocator, &result, error);
    if (status != BR_OK) return status;
    br_result_writer *w = br_io_writer_take(path, br_result_about(result), allocator);
    br_result_close(result);
    if (!w) return br_no_memory_at(error, path, "not enough memory to continue it");
    status = open_for_more(w, error);
    if (status == BR_OK) status = take_up(w, from, error);
    if (status == BR_OK)
        *out = w;
    else
        br_io_writer_release(w);
    return status;
}
