// Reading a model: choose the reader, fill a builder, create the model, and give every fault its place.
#include "io/model_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "io/foreign.h"
#include "io/text.h"
#include "io/yaml_model.h"

static br_status no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "not enough memory to read the model");
}

// --------------------------------------------------------------------------------------------------------- readers

typedef struct job {
    io_model_source source;
    const br_allocator *allocator;
    const void *places;       // YAML
    br_import_report *report; // MJCF, URDF
} job;

static br_status read_yaml(job *j) {
    const br_status status = br_builder_create(j->allocator, &j->source.builder, j->source.error);
    return status == BR_OK ? yaml_model_read(&j->source, &j->places) : status;
}

static void place_yaml(const job *j) {
    yaml_model_place(j->places, j->source.error);
}

static br_status read_urdf(job *j) {
    memset(j->source.error, 0, sizeof *j->source.error);
    const br_status status =
        br_urdf_read(j->source.path, NULL, j->allocator, &j->source.builder, &j->report, j->source.error);
    return status == BR_OK ? yaml_model_override(&j->source) : status;
}

// What MuJoCo would move by and bristle does not represent becomes notes of the model, which check and run show.
static br_status read_mjcf(job *j) {
    br_status status =
        br_mjcf_read(j->source.path, NULL, j->allocator, &j->source.builder, &j->report, j->source.error);
    if (status != BR_OK && strcmp(j->source.error->code, "mjcf-urdf") == 0) return read_urdf(j);
    return status == BR_OK ? yaml_model_override(&j->source) : status;
}

static void place_import(const job *j) {
    if (j->report) br_import_report_place(j->report, j->source.error);
}

typedef struct model_reader {
    const char *ending;
    int whole; // wants the text in memory
    br_status (*read)(job *j);
    void (*place)(const job *j); // of an error that has a path and no place; NULL: none
} model_reader;

// One row for each ending; the first is for every other one.
static const model_reader readers[] = {
    {".yaml", 1, read_yaml, place_yaml},   {".yml", 1, read_yaml, place_yaml},
    {".json", 1, read_yaml, place_yaml},   {".xml", 0, read_mjcf, place_import},
    {".mjcf", 0, read_mjcf, place_import}, {".urdf", 0, read_urdf, place_import},
};

static const model_reader *choose(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof readers / sizeof readers[0]; k++)
        if (strcasecmp(dot, readers[k].ending) == 0) return readers + k;
    return readers;
}

// -------------------------------------------------------------------------------------------------------- reading

// The file's own name without folder and ending.
static const char *model_name(const char *path, br_arena *arena) {
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path, *dot = strrchr(begin, '.');
    const size_t length = dot && dot != begin ? (size_t)(dot - begin) : strlen(begin);
    char *name = BR_TAKE(arena, char, length + 1);
    if (name) memcpy(name, begin, length);
    return name;
}

static br_status finish(const model_reader *reader, job *j, br_model **out, br_builder **builder) {
    br_model *model = NULL;
    br_status status = reader->read(j);
    if (status == BR_OK) status = br_model_create(j->source.builder, &model, j->source.error);
    if (status != BR_OK && reader->place && j->source.error->file[0] == '\0') reader->place(j);
    if (status != BR_OK && j->source.error->file[0] == '\0')
        snprintf(j->source.error->file, sizeof j->source.error->file, "%.*s",
                 (int)sizeof j->source.error->file - 1, j->source.path);
    br_import_report_free(j->report);
    if (status != BR_OK || !builder) br_builder_destroy(j->source.builder);
    if (status != BR_OK) return status;
    *out = model;
    if (builder) *builder = j->source.builder;
    return BR_OK;
}

static br_status read_source(const model_reader *reader, const char *path, const char *text, size_t size,
                             const br_override *overrides, int count, const br_allocator *allocator,
                             br_arena *arena, br_model **out, br_builder **builder, br_error *error) {
    br_error own; // readers need one to add places to
    memset(&own, 0, sizeof own);
    job j = {{path, model_name(path, arena), text, size, overrides, count, arena, NULL, &own},
             allocator,
             NULL,
             NULL};
    const io_locale locale = io_locale_enter();
    const br_status status = j.source.name ? finish(reader, &j, out, builder) : no_memory(&own);
    io_locale_leave(locale);
    if (status != BR_OK && error) *error = own;
    return status;
}

br_status br_model_read(const char *path, const br_override *overrides, int count,
                        const br_allocator *allocator, br_model **out, br_builder **builder,
                        br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    const model_reader *reader = choose(path);
    io_text text = {0};
    br_status status = BR_OK;
    if (reader->whole)
        status = io_text_load_up_to(&text, path, "a model file", BR_MAX_MODEL_BYTES, &arena, error);
    const io_kind *other =
        status == BR_OK && reader->whole ? io_kind_of(text.data, (size_t)(text.end - text.data)) : NULL;
    if (other) status = br_fail_at(error, BR_PARSE, other->code, path, 0, 0, "%s", other->message);
    if (status == BR_OK)
        status = read_source(reader, path, text.data, reader->whole ? (size_t)(text.end - text.data) : 0,
                             overrides, count, allocator, &arena, out, builder, error);
    br_arena_free(&arena);
    return status;
}

br_status br_model_read_text(const char *text, size_t size, const char *name, const br_override *overrides,
                             int count, const br_allocator *allocator, br_model **out, br_builder **builder,
                             br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    const br_status status = read_source(readers, name ? name : "model", text, size, overrides, count,
                                         allocator, &arena, out, builder, error);
    br_arena_free(&arena);
    return status;
}

void br_model_locate(const char *path, const br_override *overrides, int count, br_error *error) {
    if (error->path[0] == '\0' || error->file[0] != '\0' || choose(path)->read != read_yaml) return;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_error ignored;
    io_text text = {0};
    if (io_text_load_up_to(&text, path, "a model file", BR_MAX_MODEL_BYTES, &arena, &ignored) == BR_OK) {
        const io_model_source source = {.path = path,
                                        .text = text.data,
                                        .size = (size_t)(text.end - text.data),
                                        .overrides = overrides,
                                        .override_count = count,
                                        .arena = &arena,
                                        .error = &ignored};
        yaml_model_locate(&source, error);
    }
    br_arena_free(&arena);
}
