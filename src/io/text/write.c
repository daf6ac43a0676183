#include "io/text/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/text/number.h"

enum { ATTEMPTS = 100 }; // at a name that nobody else is writing to

int br_io_has_ending(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static br_status cannot_write(const char *path, br_error *error) {
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

static br_status make_temporary(io_temporary *t, br_error *error) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const int length =
            snprintf(t->name, sizeof t->name, "%s.tmp-%ld-%d", t->target, (long)getpid(), attempt);
        if (length >= (int)sizeof t->name) {
            errno = ENAMETOOLONG;
            break;
        }
        const int fd = open(t->name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd >= 0) {
            close(fd);
            return BR_OK;
        }
        if (errno != EEXIST) break;
    }
    t->name[0] = '\0';
    return cannot_write(t->path, error);
}

br_status br_io_reserve(io_temporary *t, const char *path, br_error *error) {
    struct stat s;
    t->path = path;
    t->name[0] = '\0';
    if (strlen(path) >= sizeof t->target) {
        errno = ENAMETOOLONG;
        return cannot_write(path, error);
    }
    follow_links(path, t->target);
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return cannot_write(path, error);
    }
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0,
                          "is a device or a pipe, and this can only be written to a file");
    if (stat(path, &s) == 0 && is_own_stream(&s))
        return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0,
                          "is also a standard stream of this program, give a file of its own");
    return make_temporary(t, error);
}

br_status br_io_commit(const io_temporary *t, br_error *error) {
    if (rename(t->name, t->target) == 0) return BR_OK;
    const br_status status = cannot_write(t->path, error);
    unlink(t->name);
    return status;
}

void br_io_abandon(const io_temporary *t) {
    unlink(t->name);
}

// A terminal or a pipe cannot be replaced: it is written in place.
static int writes_in_place(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && (S_ISCHR(s.st_mode) || S_ISFIFO(s.st_mode));
}

br_status br_io_open_text(io_output *out, const char *path, br_error *error) {
    out->in_place = writes_in_place(path);
    out->temporary.path = path;
    if (!out->in_place) {
        const br_status status = br_io_reserve(&out->temporary, path, error);
        if (status != BR_OK) return status;
    }
    out->file = fopen(out->in_place ? path : out->temporary.name, "w");
    if (out->file) return BR_OK;
    const br_status status = cannot_write(path, error);
    if (!out->in_place) br_io_abandon(&out->temporary);
    return status;
}

br_status br_io_close_text(io_output *out, br_error *error) {
    const int failed = ferror(out->file);
    if (fclose(out->file) != 0 || failed) {
        const br_status status = cannot_write(out->temporary.path, error);
        if (!out->in_place) br_io_abandon(&out->temporary);
        return status;
    }
    return out->in_place ? BR_OK : br_io_commit(&out->temporary, error);
}

br_status br_io_memory_open(io_memory *memory, br_error *error) {
    memset(memory, 0, sizeof *memory);
    memory->file = open_memstream(&memory->text, &memory->size);
    return memory->file ? BR_OK : br_no_memory(error, "not enough memory for a text");
}

br_status br_io_memory_close(io_memory *memory, br_status status, char **out, br_error *error) {
    const int failed = ferror(memory->file);
    if ((fclose(memory->file) != 0 || failed) && status == BR_OK)
        status = br_no_memory(error, "not enough memory for a text");
    if (status == BR_OK)
        *out = memory->text;
    else
        free(memory->text);
    return status;
}

void br_text_free(char *text) {
    free(text);
}

void br_io_print_number(FILE *file, double x) {
    char text[IO_MAX_NUMBER];
    fwrite(text, 1, br_io_format_number(text, x, 17), file);
}
