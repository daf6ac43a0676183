#include "io/text/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bristle/text.h"
#include "io/text/number.h"

int br_io_has_ending(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static br_status cannot_write(const char *path, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0, "cannot be written: %s", strerror(errno));
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
    const int failed = ferror(out->file), why = errno;
    if (fclose(out->file) != 0 || failed) {
        if (failed) errno = why;
        const br_status status = cannot_write(out->temporary.path, error);
        if (!out->in_place) br_io_abandon(&out->temporary);
        return status;
    }
    return out->in_place ? BR_OK : br_io_commit(&out->temporary, error);
}

struct br_output {
    io_output output;
    char path[];
};

br_status br_output_open(const char *path, br_output **out, br_error *error) {
    const size_t size = strlen(path) + 1;
    br_output *o = malloc(sizeof *o + size);
    if (!o) return br_no_memory_at(error, path, "not enough memory to write a file");
    memcpy(o->path, path, size);
    const br_status status = br_io_open_text(&o->output, o->path, error);
    const int why = errno;
    if (status == BR_OK)
        *out = o;
    else
        free(o);
    errno = why;
    return status;
}

FILE *br_output_file(br_output *output) {
    return output->output.file;
}

br_status br_output_close(br_output *output, int whole, br_error *error) {
    int why = errno;
    br_status status = BR_OK;
    if (whole) {
        status = br_io_close_text(&output->output, error);
        why = errno;
    } else {
        fclose(output->output.file);
        if (!output->output.in_place) br_io_abandon(&output->output.temporary);
        errno = why;
        status = cannot_write(output->path, error);
    }
    free(output);
    errno = why;
    return status;
}

br_status br_io_memory_open(io_memory *memory, br_error *error) {
    memset(memory, 0, sizeof *memory);
    memory->file = open_memstream(&memory->text, &memory->size);
    return memory->file ? BR_OK : br_no_memory(error, "not enough memory for a text");
}

br_status br_io_memory_close(io_memory *memory, br_status status, char **out, br_error *error) {
    const int failed = ferror(memory->file);
    if ((fclose(memory->file) != 0 || failed || !memory->text) && status == BR_OK)
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
