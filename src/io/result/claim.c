#include "io/result/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/text/lock.h"

enum { CLAIM_ATTEMPTS = 100 }; // while others replace the file

static br_status claim_in_use(const io_temporary *t, long process, br_error *error) {
    char who[48] = "another run";
    if (process > 0) snprintf(who, sizeof who, "process %ld", process);
    return br_fail_at(error, BR_IO, "result-in-use", t->path, 0, 0,
                      "is being written by %s; wait until it ends, or name another file with -o", who);
}

static br_status claim_unwritable(const io_temporary *t, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", t->path, 0, 0, "cannot be written: %s",
                      strerror(errno));
}

void br_io_claim_drop(io_claim *c) {
    if (c->older >= 0) close(c->older);
    c->older = -1;
}

// Some file systems lock only what is open for writing; a file that must not be written to may still be replaced.
static int claim_open(const char *target) {
    const int file = open(target, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    return file >= 0 ? file : open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

br_status br_io_claim(io_claim *c, const io_temporary *t, br_error *error) {
    c->older = -1;
    c->locked = t->locked;
    for (int attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        c->older = claim_open(t->target);
        if (c->older < 0) return BR_OK; // nothing there, or nothing that can be opened: renaming decides
        const io_lock lock = br_io_lock(c->older);
        const long process = lock == IO_LOCK_HELD ? br_io_lock_holder(c->older) : 0;
        const int current = br_io_is_file_at(c->older, t->target);
        if (current && lock != IO_LOCK_HELD) return BR_OK;
        br_io_claim_drop(c);
        if (current) return claim_in_use(t, process, error);
    }
    return claim_in_use(t, 0, error); // replaced again and again
}

// Where nothing is there, two runs may come at the same time: a link is made by one of them only.
static int claim_link(const io_temporary *t) {
    if (link(t->name, t->target) != 0) return 0;
    unlink(t->name);
    return 1;
}

br_status br_io_claim_take(io_claim *c, io_temporary *t, br_error *error) {
    if (!br_io_sync(t->file)) return claim_unwritable(t, error);
    int taken = c->older < 0 && claim_link(t);
    if (!taken && (c->older >= 0 ? !br_io_is_file_at(c->older, t->target) : errno == EEXIST)) {
        br_io_claim_drop(c);
        const br_status status = br_io_claim(c, t, error);
        if (status != BR_OK) return status;
    }
    if (!taken) taken = rename(t->name, t->target) == 0;
    if (!taken || !br_io_sync_folder(t->target)) return claim_unwritable(t, error);
    t->name[0] = '\0';
    br_io_claim_drop(c);
    return BR_OK;
}

int br_io_claim_has_older(const io_claim *c) {
    struct stat s;
    return c->older >= 0 && fstat(c->older, &s) == 0 && s.st_size > 0;
}
