#include "io/text/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/text/lock.h"

enum {
    ATTEMPTS = 100,      // at a name that nobody else is writing to
    MARK_BYTES = 32,     // of ".tmp-PID-ATTEMPT" at most
    MAX_NAME = NAME_MAX, // bytes of a name in a folder
    MAX_LOOKED_AT = 100000,
};

static const char mark[] = ".tmp-";

static br_status cannot_write_to(const char *path, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0, "cannot be written: %s", strerror(errno));
}

// A link is followed, so that it is the file behind it that gets replaced.
static void follow_links(const char *path, char target[IO_MAX_PATH]) {
    char *real = realpath(path, NULL);
    snprintf(target, IO_MAX_PATH, "%s", real ? real : path);
    free(real);
}

// Standard output sent to a file and the same file as -o: one would overwrite the other.
static int is_own_stream(const struct stat *s) {
    for (int fd = 0; fd < 3; fd++) {
        struct stat own;
        if (fstat(fd, &own) == 0 && own.st_dev == s->st_dev && own.st_ino == s->st_ino) return 1;
    }
    return 0;
}

static const char *name_in_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void folder_of(const char *path, char folder[IO_MAX_PATH]) {
    const char *name = name_in_folder(path);
    const size_t n = (size_t)(name - path);
    if (n == 0)
        snprintf(folder, IO_MAX_PATH, ".");
    else
        snprintf(folder, IO_MAX_PATH, "%.*s", n == 1 ? 1 : (int)n - 1, path);
}

// Bytes of the target's name that the temporary one begins with: all, unless the mark would make it too long.
static size_t kept_of_name(const char *name) {
    const size_t n = strlen(name), most = MAX_NAME - MARK_BYTES;
    if (n <= most || n > MAX_NAME) return n; // longer than any name: opening it says so
    size_t kept = most;
    while (kept > 1 && ((unsigned char)name[kept] & 0xc0) == 0x80) kept--; // between two characters
    return kept;
}

// ------------------------------------------------------------------------------------------------- left by others

static int is_mark(const char *text) {
    if (strncmp(text, mark, sizeof mark - 1) != 0) return 0;
    text += sizeof mark - 1;
    const size_t process = strspn(text, "0123456789");
    if (process == 0 || text[process] != '-') return 0;
    text += process + 1;
    const size_t attempt = strspn(text, "0123456789");
    return attempt > 0 && text[attempt] == '\0';
}

// Of a program that lives the lock is held, on this machine or another. Where there are no locks nothing is removed.
static void remove_if_left(const char *path) {
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat s;
    if (file < 0) return;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && br_io_lock(file) == IO_LOCK_OURS) unlink(path);
    close(file);
}

static void remove_left_behind(const char *target) {
    char folder[IO_MAX_PATH], path[2 * IO_MAX_PATH];
    const char *name = name_in_folder(target);
    const size_t kept = kept_of_name(name);
    folder_of(target, folder);
    DIR *dir = opendir(folder);
    struct dirent *entry;
    for (int k = 0; dir && k < MAX_LOOKED_AT && (entry = readdir(dir)) != NULL; k++) {
        if (strncmp(entry->d_name, name, kept) != 0 || !is_mark(entry->d_name + kept)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        remove_if_left(path);
    }
    if (dir) closedir(dir);
}

// -------------------------------------------------------------------------------------------------------- reserve

// Between its creation and its lock another program may take the file for one that was left behind, and remove it.
static int is_still_there(io_temporary *t) {
    const io_lock lock = br_io_lock(t->file);
    t->locked = lock == IO_LOCK_OURS;
    return lock != IO_LOCK_HELD && br_io_is_file_at(t->file, t->name);
}

static br_status make_temporary(io_temporary *t, br_error *error) {
    const char *name = name_in_folder(t->target);
    const int length = (int)((size_t)(name - t->target) + kept_of_name(name));
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const int size = snprintf(t->name, sizeof t->name, "%.*s%s%ld-%d", length, t->target, mark,
                                  (long)getpid(), attempt);
        if (size >= (int)sizeof t->name) {
            errno = ENAMETOOLONG;
            break;
        }
        t->file = open(t->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (t->file < 0 && errno != EEXIST) break;
        if (t->file >= 0 && is_still_there(t)) return BR_OK;
        if (t->file >= 0) close(t->file);
    }
    t->name[0] = '\0';
    t->file = -1;
    return cannot_write_to(t->path, error);
}

br_status br_io_reserve(io_temporary *t, const char *path, br_error *error) {
    struct stat s;
    t->path = path;
    t->name[0] = '\0';
    t->file = -1;
    t->locked = 0;
    if (strlen(path) >= sizeof t->target) {
        errno = ENAMETOOLONG;
        return cannot_write_to(path, error);
    }
    follow_links(path, t->target);
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return cannot_write_to(path, error);
    }
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0,
                          "is a device or a pipe, and this can only be written to a file");
    if (stat(path, &s) == 0 && is_own_stream(&s))
        return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0,
                          "is also a standard stream of this program, give a file of its own");
    remove_left_behind(t->target);
    return make_temporary(t, error);
}

// --------------------------------------------------------------------------------------------------------- commit

int br_io_sync(int file) {
    while (fsync(file) != 0) {
        if (errno == EINVAL || errno == EROFS || errno == ENOTSUP) return 1; // nothing to wait for
        if (errno != EINTR) return 0;
    }
    return 1;
}

int br_io_sync_folder(const char *path) {
    char folder[IO_MAX_PATH];
    folder_of(path, folder);
    const int file = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (file < 0) return 1; // a folder that may be written to but not read
    const int fine = br_io_sync(file);
    const int why = errno;
    close(file);
    errno = why;
    return fine;
}

static void close_temporary(io_temporary *t) {
    const int why = errno; // of what came before
    if (t->file >= 0) close(t->file);
    errno = why;
    t->file = -1;
    t->name[0] = '\0';
}

br_status br_io_commit(io_temporary *t, br_error *error) {
    if (br_io_sync(t->file) && rename(t->name, t->target) == 0) {
        const br_status status = br_io_sync_folder(t->target) ? BR_OK : cannot_write_to(t->path, error);
        close_temporary(t);
        return status;
    }
    const br_status status = cannot_write_to(t->path, error);
    br_io_abandon(t);
    return status;
}

void br_io_abandon(io_temporary *t) {
    const int why = errno;
    if (t->name[0]) unlink(t->name);
    errno = why;
    close_temporary(t);
}
