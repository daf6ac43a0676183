#include "io/write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { ATTEMPTS = 100 }; // at a name that nobody else is writing to

int io_has_ending(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static br_status cannot_write(const char *path, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0, "cannot be written: %s", strerror(errno));
}

br_status io_reserve(const char *path, char temporary[IO_TEMPORARY_PATH], br_error *error) {
    struct stat s;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return cannot_write(path, error);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const int length =
            snprintf(temporary, IO_TEMPORARY_PATH, "%s.tmp-%ld-%d", path, (long)getpid(), attempt);
        if (length >= IO_TEMPORARY_PATH) {
            errno = ENAMETOOLONG;
            break;
        }
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd >= 0) {
            close(fd);
            return BR_OK;
        }
        if (errno != EEXIST) break;
    }
    return cannot_write(path, error);
}

br_status io_commit(const char *temporary, const char *path, br_error *error) {
    if (rename(temporary, path) == 0) return BR_OK;
    const br_status status = cannot_write(path, error);
    unlink(temporary);
    return status;
}

void io_abandon(const char *temporary) {
    unlink(temporary);
}

// A device or a pipe, such as /dev/stdout, cannot be replaced: it is written in place.
static int writes_in_place(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

br_status io_open_text(io_output *out, const char *path, br_error *error) {
    out->path = path;
    out->temporary[0] = '\0';
    if (!writes_in_place(path)) {
        const br_status status = io_reserve(path, out->temporary, error);
        if (status != BR_OK) return status;
    }
    out->file = fopen(out->temporary[0] ? out->temporary : path, "w");
    if (out->file) return BR_OK;
    const br_status status = cannot_write(path, error);
    if (out->temporary[0]) io_abandon(out->temporary);
    return status;
}

br_status io_close_text(io_output *out, br_error *error) {
    const int failed = ferror(out->file);
    if (fclose(out->file) != 0 || failed) {
        const br_status status = cannot_write(out->path, error);
        if (out->temporary[0]) io_abandon(out->temporary);
        return status;
    }
    return out->temporary[0] ? io_commit(out->temporary, out->path, error) : BR_OK;
}

void io_print_number(FILE *file, double x) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", x);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    fputs(text, file);
}
