#include "io/problem/cp_write.h"
#include "io/problem/problem_file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/problem/assemble.h"
#include "io/problem/cp_read.h"
#include "io/problem/fclib.h"
#include "io/text/write.h"

// ------------------------------------------------------------------------------------------------------ reading

static const char *own_name(const char *path, br_arena *arena) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *name = BR_TAKE(arena, char, length + 1);
    if (name) snprintf(name, length + 1, "%s", base);
    return name;
}

// The text and the triplets are needed until the problem is assembled: a fault found late still names its line.
static br_status read_text(br_problem_file *file, const char *path, const br_allocator *allocator,
                           br_error *error) {
    br_arena text_memory, scratch;
    br_arena_init(&text_memory, allocator);
    br_arena_init(&scratch, allocator);
    io_text text;
    io_data *d = &file->data;
    br_status status = br_io_text_load(&text, path, &text_memory, error);
    if (status == BR_OK) status = br_io_cp_read(&text, &file->arena, &scratch, d, error);
    if (status == BR_OK) status = br_io_data_check(d, error);
    if (status == BR_OK)
        status = br_io_assemble(d, &file->arena, &scratch, &file->problem, &file->node_dim, error);
    for (int k = 0; k < IO_MATRICES; k++) d->matrix[k].place.entries = NULL;
    for (int k = 0; k < IO_VECTORS; k++) d->vector[k].place.entries = NULL;
    d->path = NULL;
    d->text_end = NULL;
    br_arena_free(&scratch);
    br_arena_free(&text_memory);
    return status;
}

static br_status read_fclib(br_problem_file *file, const char *path, const br_allocator *allocator,
                            br_error *error) {
    br_arena scratch;
    br_arena_init(&scratch, allocator);
    br_status status = br_io_fclib_read(path, &file->arena, &scratch, &file->data, error);
    if (status == BR_OK) status = br_io_data_check(&file->data, error);
    if (status == BR_OK)
        status = br_io_assemble(&file->data, &file->arena, &scratch, &file->problem, &file->node_dim, error);
    file->data.path = NULL;
    br_arena_free(&scratch);
    return status;
}

static br_status read_any(br_problem_file *file, const char *path, const br_allocator *allocator,
                          br_error *error) {
    if (br_io_is_hdf5(path)) return read_fclib(file, path, allocator, error);
    if (br_io_has_ending(path, ".hdf5") || br_io_has_ending(path, ".h5")) {
        FILE *there = fopen(path, "rb");
        if (there) {
            fclose(there);
            return br_fail_at(error, BR_PARSE, "fclib-not-hdf5", path, 0, 0,
                              "does not begin with the HDF5 signature, so it is no FCLIB file");
        }
    }
    return read_text(file, path, allocator, error);
}

br_status br_problem_file_read(const char *path, const br_allocator *allocator, br_problem_file **out,
                               br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_problem_file *file = BR_TAKE(&arena, br_problem_file, 1);
    if (!file) return br_no_memory_at(error, path, "not enough memory to read it");
    file->arena = arena;
    const io_locale locale = br_io_locale_enter();
    br_status status = read_any(file, path, allocator, error);
    br_io_locale_leave(locale);
    if (status == BR_OK) {
        file->name = own_name(path, &file->arena);
        if (!file->name) status = br_no_memory_at(error, path, "not enough memory to read it");
    }
    if (status != BR_OK) {
        br_problem_file_free(file);
        return status;
    }
    *out = file;
    return BR_OK;
}

void br_problem_file_free(br_problem_file *file) {
    if (!file) return;
    br_arena arena = file->arena; // the struct itself lives in it
    br_arena_free(&arena);
}

// --------------------------------------------------------------------------------------------------- what it holds

const br_problem *br_problem_file_problem(const br_problem_file *file) {
    return &file->problem;
}

br_problem_info br_problem_file_info(const br_problem_file *file) {
    const io_data *d = &file->data;
    const int friction = io_type_has_friction(d->type);
    br_problem_info info = {
        .type = d->type,
        .name = file->name,
        .rows = br_io_data_rows(d),
        .unknowns = file->problem.rows,
        .contacts = friction ? d->count[IO_NC] : 0,
        .dimension = io_type_dimension(d->type),
        .velocities = io_type_is_global(d->type) ? d->matrix[IO_M].a.rows : 0,
        .node_dim = file->node_dim,
        .law = friction ? d->law : BR_LAW_KINDS,
        .sides = d->sides,
    };
    for (int k = 0; k < file->problem.laws; k++)
        if (file->problem.law[k].kind == BR_LAW_EQUALITY && file->problem.law[k].first_row < info.rows)
            info.equalities += file->problem.law[k].rows;
    for (int k = 0; k < IO_MATRICES; k++) info.entries += (size_t)d->matrix[k].a.entries;
    return info;
}

// ------------------------------------------------------------------------------------------------------ writing

br_status br_problem_file_write(const br_problem_file *file, const char *path, br_error *error) {
    if (br_io_has_ending(path, ".cp")) return br_io_cp_write(&file->data, file->name, path, error);
    if (br_io_has_ending(path, ".hdf5") || br_io_has_ending(path, ".h5"))
        return br_io_fclib_write(&file->data, file->name, path, error);
    return br_fail_at(error, BR_INVALID, "file-ending", path, 0, 0,
                      "has no known ending, expected .cp (text), .hdf5 or .h5 (FCLIB)");
}
