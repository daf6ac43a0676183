// The report of an import: what the file says and the model does not represent.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/mjcf.h"
#include "io/text.h"

typedef struct element_place {
    const char *file;
    int line, column;
} element_place;

struct br_import_report {
    br_arena arena;
    br_import_note *note; // [MJCF_MAX_NOTES]
    int notes;
    br_names names; // of the model's elements, "bodies/wheel"
    element_place *place;
    int place_capacity;
};

br_status mjcf_report_create(const char *path, const br_allocator *allocator, br_import_report **out,
                             br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_import_report *report = BR_TAKE(&arena, br_import_report, 1);
    br_import_note *note = BR_TAKE(&arena, br_import_note, MJCF_MAX_NOTES);
    if (!report || !note) {
        br_arena_free(&arena);
        return br_fail_at(error, BR_NO_MEMORY, "out-of-memory", path, 0, 0, "not enough memory to read it");
    }
    report->arena = arena;
    report->note = note;
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

br_status mjcf_note(mjcf *m, const io_xml_node *node, const char *attribute, br_import_effect effect,
                    const char *format, ...) {
    char why[300], element[64];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    snprintf(element, sizeof element, "%.60s", node->name);
    br_import_report *r = m->report;
    br_import_note *note = find_note(r, element, attribute ? attribute : "", why);
    if (note) {
        note->count++;
        return BR_OK;
    }
    if (r->notes >= MJCF_MAX_NOTES) { // the last one stands for all further ones
        note = &r->note[MJCF_MAX_NOTES - 1];
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
    if (!fresh.file || !fresh.element || !fresh.attribute || !fresh.why) return mjcf_no_memory(m);
    r->note[r->notes++] = fresh;
    return BR_OK;
}

static int by_effect(const void *a, const void *b) {
    const br_import_note *x = a, *y = b;
    if (x->effect != y->effect) return x->effect > y->effect ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->attribute, y->attribute);
}

br_status mjcf_report_finish(mjcf *m) {
    br_import_report *r = m->report;
    br_status status = BR_OK;
    qsort(r->note, (size_t)r->notes, sizeof *r->note, by_effect);
    for (int k = 0; k < r->notes && status == BR_OK && r->note[k].effect == BR_IMPORT_MOTION; k++) {
        const br_import_note *n = &r->note[k];
        char line[BR_MAX_ERROR_TEXT], times[40] = "";
        if (n->count > 1) snprintf(times, sizeof times, " (%d times)", n->count);
        snprintf(line, sizeof line, "not imported: <%s>%s%s, line %d%s: %s", n->element,
                 n->attribute[0] ? " " : "", n->attribute, n->line, times, n->why);
        status = br_builder_note(m->builder, line, m->error);
    }
    return status;
}

br_status mjcf_strict(const mjcf *m) {
    const br_import_report *r = m->report;
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
    return br_fail_at(m->error, BR_INVALID, "mjcf-not-represented", first->file, first->line, 0,
                      "<%s>%s%s: %s%s", first->element, first->attribute[0] ? " " : "", first->attribute,
                      first->why, more);
}

// ------------------------------------------------------------------------------------------------ attributes

// Zeros, false, auto, nothing: what an attribute says when it asks for nothing.
static int says_nothing(const char *value) {
    if (strcmp(value, "false") == 0 || strcmp(value, "auto") == 0 || strcmp(value, "disable") == 0) return 1;
    return strspn(value, " \t\r\n0.+-") == strlen(value);
}

static const mjcf_known *find_known(const mjcf_known *known, const char *name) {
    for (; known->name; known++)
        if (strcmp(known->name, name) == 0) return known;
    return NULL;
}

static br_status note_unknown(mjcf *m, const io_xml_node *node, const char *name, const mjcf_known *known) {
    const char *words[64];
    size_t count = 0;
    for (; known->name && count < 64; known++) words[count++] = known->name;
    const char *near = br_nearest_word(name, words, count);
    char shown[IO_SHOWN];
    io_show((io_token){name, name + strlen(name)}, shown);
    return mjcf_note(m, node, shown, BR_IMPORT_MOTION, "this reader does not know the attribute%s%s%s",
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

br_status mjcf_check(mjcf *m, mjcf_element e, const mjcf_known *known) {
    br_status status = mjcf_check_text(m, e.node);
    for (int k = 0; k < e.node->attributes && status == BR_OK; k++)
        if (!find_known(known, e.node->attribute[k].name))
            status = note_unknown(m, e.node, e.node->attribute[k].name, known);
    for (const mjcf_known *a = known; a->name && status == BR_OK; a++) {
        if (a->effect == MJCF_USED) continue;
        const io_xml_node *from;
        const char *value = mjcf_get(m, e, a->name, &from);
        if (value && !says_nothing(value))
            status = mjcf_note(m, from, a->name, (br_import_effect)a->effect, "%s", a->why);
    }
    return status;
}

br_status mjcf_check_text(mjcf *m, const io_xml_node *node) {
    if (node->text_line == 0) return BR_OK;
    io_xml_node place = *node;
    place.line = node->text_line;
    return mjcf_note(m, &place, NULL, BR_IMPORT_MOTION,
                     "there is text between its tags, which means nothing in MJCF");
}

// ---------------------------------------------------------------------------------------------------- places

static void key_of(char *key, size_t size, const char *group, int group_length, const char *name,
                   int length) {
    snprintf(key, size, "%.*s/%.*s", group_length, group, length, name);
}

br_status mjcf_place(mjcf *m, const char *group, const char *name, const io_xml_node *node) {
    br_import_report *r = m->report;
    char key[2 * BR_MAX_NAME];
    key_of(key, sizeof key, group, 20, name, BR_MAX_NAME);
    if (r->names.count >= r->place_capacity) {
        const int larger = r->place_capacity > 0 ? 2 * r->place_capacity : 64;
        element_place *place = BR_TAKE(&r->arena, element_place, larger);
        if (!place) return mjcf_no_memory(m);
        if (r->names.count > 0) memcpy(place, r->place, (size_t)r->names.count * sizeof *place);
        r->place = place;
        r->place_capacity = larger;
    }
    const char *file = br_copy_text(&r->arena, node->file), *own = br_copy_text(&r->arena, key);
    if (!file || !own || br_names_add(&r->names, &r->arena, own) != BR_OK) return mjcf_no_memory(m);
    r->place[r->names.count - 1] = (element_place){file, node->line, node->column};
    return BR_OK;
}

br_status mjcf_placed(const mjcf *m, const io_xml_node *node, br_status status) {
    if (status == BR_OK || status == BR_NO_MEMORY || !m->error || m->error->line > 0) return status;
    snprintf(m->error->file, sizeof m->error->file, "%s", node->file);
    m->error->line = node->line;
    m->error->column = node->column;
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
