// Checkpoints of a run, see checkpoint.h.
#include "io/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/result/layout.h"
#include "io/text/temporary.h"

#define CHECKPOINT_MARK                                                                                      \
    "\x8f"                                                                                                   \
    "BRCHK\r\n"

enum {
    CHECKPOINT_MARK_BYTES = 8,
    CHECKPOINT_HEAD_BYTES = CHECKPOINT_MARK_BYTES + 5 * 8,
    CHECKPOINT_CHECK_BYTES = 8,
};

static const char *const endings[IO_CHECKPOINTS] = {".checkpoint", ".checkpoint.older"};

static int checkpoint_path(const char *result, int k, char path[IO_MAX_PATH]) {
    return snprintf(path, IO_MAX_PATH, "%s%s", result, endings[k]) < IO_MAX_PATH;
}

static br_status checkpoint_unwritable(const char *path, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0, "cannot be written: %s", strerror(errno));
}

static int write_bytes(int file, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    while (count > 0) {
        const ssize_t n = write(file, at, count);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n;
        count -= (size_t)n;
    }
    return 1;
}

static void put_head(const io_checkpoint *c, unsigned char head[CHECKPOINT_HEAD_BYTES]) {
    unsigned char *p = head + CHECKPOINT_MARK_BYTES;
    memcpy(head, CHECKPOINT_MARK, CHECKPOINT_MARK_BYTES);
    io_put_u64(p, c->model_hash);
    io_put_u64(p + 8, c->from);
    io_put_double(p + 16, c->row);
    io_put_double(p + 24, c->seconds);
    io_put_u64(p + 32, c->size);
}

br_status br_io_checkpoint_write(const char *result, const io_checkpoint *c, br_error *error) {
    char path[IO_MAX_PATH], older[IO_MAX_PATH];
    unsigned char head[CHECKPOINT_HEAD_BYTES], check[CHECKPOINT_CHECK_BYTES];
    io_temporary t;
    if (!checkpoint_path(result, 0, path) || !checkpoint_path(result, 1, older)) {
        errno = ENAMETOOLONG;
        return checkpoint_unwritable(result, error);
    }
    const br_status status = br_io_reserve(&t, path, error);
    if (status != BR_OK) return status;
    put_head(c, head);
    io_put_u64(check, br_hash_bytes(br_hash_bytes(BR_HASH_START, head, sizeof head), c->state, c->size));
    const int fine = write_bytes(t.file, head, sizeof head) && write_bytes(t.file, c->state, c->size) &&
                     write_bytes(t.file, check, sizeof check) && br_io_sync(t.file);
    if (!fine || (rename(t.target, older) != 0 && errno != ENOENT)) {
        const br_status failed = checkpoint_unwritable(path, error);
        br_io_abandon(&t);
        return failed;
    }
    return br_io_commit(&t, error);
}

// 0: it is not there, or not whole.
static int read_one(const char *path, br_arena *arena, io_checkpoint *out) {
    struct stat s;
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    const size_t rest = CHECKPOINT_HEAD_BYTES + CHECKPOINT_CHECK_BYTES;
    unsigned char *bytes = NULL;
    if (fstat(fileno(file), &s) == 0 && S_ISREG(s.st_mode) && (size_t)s.st_size >= rest)
        bytes = BR_TAKE(arena, unsigned char, (size_t)s.st_size);
    const size_t got = bytes ? fread(bytes, 1, (size_t)s.st_size, file) : 0;
    fclose(file);
    if (!bytes || got != (size_t)s.st_size || memcmp(bytes, CHECKPOINT_MARK, CHECKPOINT_MARK_BYTES) != 0)
        return 0;
    const unsigned char *p = bytes + CHECKPOINT_MARK_BYTES;
    if (io_get_u64(p + 32) != got - rest) return 0;
    if (br_hash_bytes(BR_HASH_START, bytes, got - CHECKPOINT_CHECK_BYTES) !=
        io_get_u64(bytes + got - CHECKPOINT_CHECK_BYTES))
        return 0;
    *out = (io_checkpoint){.model_hash = io_get_u64(p),
                           .from = io_get_u64(p + 8),
                           .row = io_get_double(p + 16),
                           .seconds = io_get_double(p + 24),
                           .size = got - rest,
                           .state = bytes + CHECKPOINT_HEAD_BYTES};
    return 1;
}

br_status br_io_checkpoint_read(const char *result, br_arena *arena, io_checkpoint out[IO_CHECKPOINTS],
                                int *count, br_error *error) {
    char path[IO_MAX_PATH];
    *count = 0;
    for (int k = 0; k < IO_CHECKPOINTS; k++)
        if (checkpoint_path(result, k, path)) *count += read_one(path, arena, &out[*count]);
    return br_arena_ok(arena) ? BR_OK
                              : br_no_memory_at(error, result, "not enough memory for its checkpoint");
}

void br_io_checkpoint_remove(const char *result) {
    char path[IO_MAX_PATH];
    io_temporary t;
    int some = 0;
    for (int k = 0; k < IO_CHECKPOINTS; k++)
        if (checkpoint_path(result, k, path)) some |= remove(path) == 0;
    // Reserving a name beside it clears away what kills left there.
    if (some && checkpoint_path(result, 0, path) && br_io_reserve(&t, path, NULL) == BR_OK) br_io_abandon(&t);
}
