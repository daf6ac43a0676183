// The report of an import: what the file says and the model does not represent, and where the model's elements stand in it.
#include "io/import/import_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/text/text.h"
#include "model/build/builder.h"
#include "model/def/names.h"

typedef struct element_place {
    const char *file;
    int line, column;
} element_place;

struct br_import_report {
    br_arena arena;
    const char *path;     // of the file itself, not of one it includes
    br_import_note *note; // [IO_IMPORT_MAX_NOTES]
    int notes;
    br_names names; // of the model's elements, "bodies/wheel"
    element_place *place;
    int place_capacity;
};

static const char no_memory[] = "not enough memory to read the model";

br_status br_io_import_report_create(const char *path, const br_allocator *allocator, br_import_report **out,
                                     br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_import_report *report = BR_TAKE(&arena, br_import_report, 1);
    br_import_note *note = BR_TAKE(&arena, br_import_note, IO_IMPORT_MAX_NOTES);
    if (!br_arena_ok(&arena)) {
        br_arena_free(&arena);
        return br_no_memory_at(error, path, "not enough memory to read it");
    }
    report->arena = arena;
    report->note = note;
    report->path = br_copy_text(&report->arena, path);
    if (!report->path) {
        br_import_report_free(report);
        return br_no_memory(error, no_memory);
    }
    *out = report;
    return BR_OK;
}

void br_import_report_free(br_import_report *report) {
    if (!report) return;
    br_arena arena = report->arena; // it holds the report itself
    br_arena_free(&arena);
}

int br_import_report_count(const br_import_report *report) {
    return report->notes;
}

const br_import_note *br_import_report_note(const br_import_report *report, int k) {
    return &report->note[k];
}

// ----------------------------------------------------------------------------------------------------- notes

static br_import_note *find_note(br_import_report *r, const char *element, const char *attribute,
                                 const char *why) {
    for (int k = 0; k < r->notes; k++) {
        br_import_note *n = &r->note[k];
        if (strcmp(n->element, element) == 0 && strcmp(n->attribute, attribute) == 0 &&
            strcmp(n->why, why) == 0)
            return n;
    }
    return NULL;
}

br_status br_io_import_note(br_import_report *r, const io_xml_node *node, const char *attribute,
                            br_import_effect effect, br_error *error, const char *format, va_list args) {
    char why[300], element[64];
    vsnprintf(why, sizeof why, format, args);
    snprintf(element, sizeof element, "%.60s", node->name);
    br_import_note *note = find_note(r, element, attribute ? attribute : "", why);
    if (note) {
        note->count++;
        return BR_OK;
    }
    if (r->notes >= IO_IMPORT_MAX_NOTES) { // the last one stands for all further ones
        note = &r->note[IO_IMPORT_MAX_NOTES - 1];
        note->why = "this, and further kinds of elements that are not listed";
        note->count++;
        if (note->effect < effect) note->effect = effect;
        return BR_OK;
    }
    br_import_note fresh = {effect,
                            br_copy_text(&r->arena, node->file),
                            node->line,
                            1,
                            br_copy_text(&r->arena, element),
                            br_copy_text(&r->arena, attribute ? attribute : ""),
                            br_copy_text(&r->arena, why)};
    if (!fresh.file || !fresh.element || !fresh.attribute || !fresh.why)
        return br_no_memory(error, no_memory);
    r->note[r->notes++] = fresh;
    return BR_OK;
}

static int by_effect(const void *a, const void *b) {
    const br_import_note *x = a, *y = b;
    if (x->effect != y->effect) return x->effect > y->effect ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->attribute, y->attribute);
}

br_status br_io_import_report_tell(const br_import_report *r, br_builder *builder, int with_file,
                                   br_error *error) {
    br_status status = BR_OK;
    for (int k = 0; k < r->notes && status == BR_OK && r->note[k].effect == BR_IMPORT_MOTION; k++) {
        const br_import_note *n = &r->note[k];
        char line[BR_MAX_ERROR_TEXT], times[40] = "", file[80] = "";
        const char *slash = strrchr(n->file, '/');
        if (with_file || strcmp(n->file, r->path) != 0)
            snprintf(file, sizeof file, " of %.70s", slash ? slash + 1 : n->file);
        if (n->count > 1) snprintf(times, sizeof times, " (%d times)", n->count);
        snprintf(line, sizeof line, "not imported: <%s>%s%s, line %d%s%s: %s", n->element,
                 n->attribute[0] ? " " : "", n->attribute, n->line, file, times, n->why);
        status = br_builder_note(builder, line, error);
    }
    return status;
}

br_status br_io_import_report_finish(br_import_report *r, br_builder *builder, br_error *error) {
    qsort(r->note, (size_t)r->notes, sizeof *r->note, by_effect);
    return br_io_import_report_tell(r, builder, 0, error);
}

br_status br_io_import_strict(const br_import_report *r, br_error *error) {
    int others = -1;
    const br_import_note *first = NULL;
    for (int k = 0; k < r->notes; k++) {
        if (r->note[k].effect != BR_IMPORT_MOTION) continue;
        if (!first) first = &r->note[k];
        others++;
    }
    if (!first) return BR_OK;
    char more[60] = "";
    if (others > 0) snprintf(more, sizeof more, " (and %d more like it)", others);
    return br_fail_at(error, BR_INVALID, "import-not-represented", first->file, first->line, 0,
                      "<%s>%s%s: %s%s", first->element, first->attribute[0] ? " " : "", first->attribute,
                      first->why, more);
}

// ---------------------------------------------------------------------------------------------------- places

static void key_of(char *key, size_t size, const char *group, int group_length, const char *name,
                   int length) {
    snprintf(key, size, "%.*s/%.*s", group_length, group, length, name);
}

br_status br_io_import_place(br_import_report *r, const char *group, const char *name,
                             const io_xml_node *node, br_error *error) {
    char key[2 * BR_MAX_NAME];
    key_of(key, sizeof key, group, 20, name, BR_MAX_NAME);
    const char *file = br_copy_text(&r->arena, node->file), *own = br_copy_text(&r->arena, key);
    if (!file || !own || !BR_GROW(&r->arena, r->place, r->names.count, r->place_capacity) ||
        br_names_add(&r->names, &r->arena, own) != BR_OK)
        return br_no_memory(error, no_memory);
    r->place[r->names.count - 1] = (element_place){file, node->line, node->column};
    return BR_OK;
}

br_status br_io_import_placed(const io_xml_node *node, br_status status, br_error *error) {
    if (status == BR_OK || status == BR_NO_MEMORY || !error || error->line > 0) return status;
    snprintf(error->file, sizeof error->file, "%s", node->file);
    error->line = node->line;
    error->column = node->column;
    return status;
}

void br_import_report_place(const br_import_report *report, br_error *error) {
    if (!report || !error || error->line > 0) return;
    const char *slash = strchr(error->path, '/');
    if (!slash) return;
    const char *name = slash + 1, *end = strchr(name, '/');
    char key[2 * BR_MAX_NAME];
    key_of(key, sizeof key, error->path, (int)(slash - error->path), name,
           end ? (int)(end - name) : (int)strlen(name));
    const int k = br_names_find(&report->names, key);
    if (k < 0) return;
    snprintf(error->file, sizeof error->file, "%s", report->place[k].file);
    error->line = report->place[k].line;
    error->column = report->place[k].column;
}

// ------------------------------------------------------------------------------------------------------ reading

static br_status read_whole(io_import_job *j, br_status (*read)(const io_import_job *job)) {
    br_status status = br_io_import_report_create(j->path, j->allocator, &j->report, j->error);
    if (status == BR_OK) status = br_builder_create(j->allocator, &j->builder, j->error);
    if (status == BR_OK) j->builder->imported = 1;
    if (status == BR_OK) status = read(j);
    if (status == BR_OK && j->options.strict) status = br_io_import_strict(j->report, j->error);
    if (status == BR_OK) status = br_io_import_report_finish(j->report, j->builder, j->error);
    return status;
}

br_status br_io_import_read(const char *path, const br_import_options *options, const br_allocator *allocator,
                            br_status (*read)(const io_import_job *job), br_builder **out,
                            br_import_report **report, br_error *error) {
    io_import_job j = {.path = path, .allocator = allocator, .error = error};
    if (options) j.options = *options;
    const io_locale locale = br_io_locale_enter();
    const br_status status = read_whole(&j, read);
    br_io_locale_leave(locale);
    if (status != BR_OK || !report) br_import_report_free(j.report);
    if (status != BR_OK) {
        br_builder_destroy(j.builder);
        return status;
    }
    *out = j.builder;
    if (report) *report = j.report;
    return BR_OK;
}
