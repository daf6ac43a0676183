// Reading a model: choose the reader, fill a builder, create the model, and give every fault its place.
#include "io/model_file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/import/import.h"
#include "io/import/lift.h"
#include "io/text/text.h"
#include "io/yaml/foreign.h"
#include "io/yaml/model.h"

// --------------------------------------------------------------------------------------------------------- readers

typedef struct job {
    io_model_source source;
    const void *places; // YAML
} job;

static br_status read_yaml(job *j) {
    return br_yaml_model_read(&j->source, &j->places);
}

static void place_yaml(const job *j) {
    br_yaml_model_place(&j->source, j->places);
}

// What the other program would move by and bristle does not represent becomes notes of the model, which check and run
// show.
static br_status read_import(job *j) {
    return br_yaml_model_import(&j->source);
}

static void place_import(const job *j) {
    if (j->source.report) br_import_report_place(j->source.report, j->source.error);
}

typedef struct model_reader {
    int whole; // wants the text in memory
    br_status (*read)(job *j);
    void (*place)(const job *j); // of an error that has a path and no place
} model_reader;

static const model_reader own_format = {1, read_yaml, place_yaml}, imported = {0, read_import, place_import};

// -------------------------------------------------------------------------------------------------------- reading

// The file's own name without folder and ending.
static const char *model_name(const char *path, br_arena *arena) {
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path, *dot = strrchr(begin, '.');
    const size_t length = dot && dot != begin ? (size_t)(dot - begin) : strlen(begin);
    char *name = BR_TAKE(arena, char, length + 1);
    if (name) memcpy(name, begin, length);
    return name;
}

static br_status model_file_finish(const model_reader *reader, job *j, br_model **out, br_builder **builder,
                                   br_import_report **report) {
    br_model *model = NULL;
    br_status status = reader->read(j);
    if (status == BR_OK && j->source.lift)
        status = br_io_lift(j->source.builder, j->source.allocator, j->source.error);
    if (status == BR_OK) status = br_model_create(j->source.builder, &model, j->source.error);
    if (status != BR_OK && j->source.error->file[0] == '\0') reader->place(j);
    if (status != BR_OK && j->source.error->file[0] == '\0')
        snprintf(j->source.error->file, sizeof j->source.error->file, "%.*s",
                 (int)sizeof j->source.error->file - 1, j->source.path);
    if (status != BR_OK || !report) br_import_report_free(j->source.report);
    if (status != BR_OK || !builder) br_builder_destroy(j->source.builder);
    if (status != BR_OK) return status;
    *out = model;
    if (builder) *builder = j->source.builder;
    if (report) *report = j->source.report;
    return BR_OK;
}

static br_status read_source(const model_reader *reader, io_model_source *source, br_model **out,
                             br_builder **builder, br_import_report **report, br_error *error) {
    br_error own; // readers need one to add places to
    memset(&own, 0, sizeof own);
    source->error = &own;
    source->name = model_name(source->path, source->arena);
    job j = {*source, NULL};
    const io_locale locale = br_io_locale_enter();
    const br_status status = j.source.name ? model_file_finish(reader, &j, out, builder, report)
                                           : br_no_memory(&own, "not enough memory to read the model");
    br_io_locale_leave(locale);
    if (status != BR_OK && error) *error = own;
    return status;
}

br_status br_model_read_import(const char *path, const br_override *overrides, int count,
                               const br_allocator *allocator, br_model **out, br_builder **builder,
                               br_import_report **report, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    const model_reader *reader = br_io_import_takes(path) ? &imported : &own_format;
    io_text text = {0};
    br_status status = BR_OK;
    if (reader->whole)
        status = br_io_text_load_up_to(&text, path, "a model file", BR_MAX_MODEL_BYTES, &arena, error);
    const io_kind *other =
        status == BR_OK && reader->whole ? br_io_kind_of(text.data, (size_t)(text.end - text.data)) : NULL;
    if (other) status = br_fail_at(error, BR_PARSE, other->code, path, 0, 0, "%s", other->message);
    io_model_source source = {.path = path,
                              .text = text.data,
                              .size = reader->whole ? (size_t)(text.end - text.data) : 0,
                              .overrides = overrides,
                              .override_count = count,
                              .allocator = allocator,
                              .arena = &arena};
    if (status == BR_OK) status = read_source(reader, &source, out, builder, report, error);
    br_arena_free(&arena);
    return status;
}

br_status br_model_read(const char *path, const br_override *overrides, int count,
                        const br_allocator *allocator, br_model **out, br_builder **builder,
                        br_error *error) {
    return br_model_read_import(path, overrides, count, allocator, out, builder, NULL, error);
}

br_status br_model_read_text(const char *text, size_t size, const char *name, const br_override *overrides,
                             int count, const br_allocator *allocator, br_model **out, br_builder **builder,
                             br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    io_model_source source = {.path = name ? name : "model",
                              .text = text,
                              .size = size,
                              .overrides = overrides,
                              .override_count = count,
                              .allocator = allocator,
                              .arena = &arena};
    const br_status status = read_source(&own_format, &source, out, builder, NULL, error);
    br_arena_free(&arena);
    return status;
}

void br_model_locate(const char *path, const br_override *overrides, int count, br_error *error) {
    if (error->path[0] == '\0' || error->file[0] != '\0' || br_io_import_takes(path)) return;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_error ignored;
    io_text text = {0};
    if (br_io_text_load_up_to(&text, path, "a model file", BR_MAX_MODEL_BYTES, &arena, &ignored) == BR_OK) {
        const io_model_source source = {.path = path,
                                        .text = text.data,
                                        .size = (size_t)(text.end - text.data),
                                        .overrides = overrides,
                                        .override_count = count,
                                        .arena = &arena,
                                        .error = &ignored};
        br_yaml_model_locate(&source, error);
    }
    br_arena_free(&arena);
}
