// Tables for other programs, see result.h.
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/finite.h"
#include "bristle/result.h"
#include "io/text/write.h"

struct br_csv {
    br_arena arena;
    int count;
    int is_stream;
    FILE *file;
    io_output output; // of a file
};

static const char *shown_path(const br_csv *csv) {
    return csv->is_stream ? "standard output" : csv->output.temporary.path;
}

static br_status cannot_write(const br_csv *csv, br_error *error) {
    return br_fail_at(error, BR_IO, "file-unwritable", shown_path(csv), 0, 0, "cannot be written");
}

// A name with a comma, a quote or a line end would move every column after it: quoted as spreadsheets do. One that a
// spreadsheet would take for a formula gets an apostrophe before it, which readers of tables take off again.
static void put_name(FILE *file, const char *name) {
    const int formula = br_io_csv_is_formula(name);
    if (!strpbrk(name, ",\"\r\n")) {
        fprintf(file, "%s%s", formula ? "'" : "", name);
        return;
    }
    fputs(formula ? "\"'" : "\"", file);
    for (; *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static br_status csv_writer_start(const char *path, FILE *stream, const char *const *names, int count,
                                  const br_allocator *allocator, br_csv **out, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_csv *csv = BR_TAKE(&arena, br_csv, 1);
    char *kept = BR_TAKE(&arena, char, path ? strlen(path) + 1 : 1);
    if (!br_arena_ok(&arena)) {
        br_arena_free(&arena);
        return br_no_memory(error, "not enough memory for a table");
    }
    csv->arena = arena;
    csv->count = count;
    csv->is_stream = stream != NULL;
    csv->file = stream;
    if (!stream) {
        memcpy(kept, path, strlen(path) + 1);
        const br_status status = br_io_open_text(&csv->output, kept, error);
        if (status != BR_OK) {
            br_arena_free(&arena);
            return status;
        }
        csv->file = csv->output.file;
    }
    for (int k = 0; k < count; k++) {
        if (k > 0) fputc(',', csv->file);
        put_name(csv->file, names[k]);
    }
    fputc('\n', csv->file);
    *out = csv;
    return BR_OK;
}

br_status br_csv_create(const char *path, const char *const *names, int count, const br_allocator *allocator,
                        br_csv **out, br_error *error) {
    return csv_writer_start(path, NULL, names, count, allocator, out, error);
}

br_status br_csv_attach(FILE *stream, const char *const *names, int count, const br_allocator *allocator,
                        br_csv **out, br_error *error) {
    return csv_writer_start(NULL, stream, names, count, allocator, out, error);
}

br_status br_csv_row(br_csv *csv, const double *values, br_error *error) {
    if (!br_all_finite(csv->count, values))
        return br_fail_at(error, BR_NUMERICAL, "result-not-finite", shown_path(csv), 0, 0,
                          "a number of the row is not finite, and such rows are not written");
    for (int k = 0; k < csv->count; k++) {
        if (k > 0) fputc(',', csv->file);
        br_io_print_number(csv->file, values[k]);
    }
    fputc('\n', csv->file);
    return ferror(csv->file) ? cannot_write(csv, error) : BR_OK;
}

br_status br_csv_event(br_csv *csv, const br_event *event, br_error *error) {
    br_io_print_number(csv->file, event->t);
    fprintf(csv->file, ",%s,", br_event_kind_name(event->kind));
    put_name(csv->file, event->name);
    fputc(',', csv->file);
    br_io_print_number(csv->file, event->value);
    fputc('\n', csv->file);
    return ferror(csv->file) ? cannot_write(csv, error) : BR_OK;
}

static void csv_writer_release(br_csv *csv) {
    br_arena arena = csv->arena;
    br_arena_free(&arena);
}

br_status br_csv_close(br_csv *csv, br_error *error) {
    br_status status = BR_OK;
    if (!csv->is_stream)
        status = br_io_close_text(&csv->output, error);
    else if (fflush(csv->file) != 0 || ferror(csv->file))
        status = cannot_write(csv, error);
    csv_writer_release(csv);
    return status;
}

void br_csv_abandon(br_csv *csv) {
    if (!csv) return;
    if (!csv->is_stream) {
        fclose(csv->file);
        if (!csv->output.in_place) br_io_abandon(&csv->output.temporary);
    }
    csv_writer_release(csv);
}
