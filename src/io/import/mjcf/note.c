// What the attributes of an element mean to this reader, and the notes about those that are not represented.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/import/mjcf/mjcf.h"
#include "io/text/text.h"

br_status br_mjcf_note(mjcf *m, const io_xml_node *node, const char *attribute, br_import_effect effect,
                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    const br_status status = br_io_import_note(m->report, node, attribute, effect, m->error, format, args);
    va_end(args);
    return status;
}

br_status br_mjcf_place(mjcf *m, const char *group, const char *name, const io_xml_node *node) {
    return br_io_import_place(m->report, group, name, node, m->error);
}

br_status br_mjcf_placed(const mjcf *m, const io_xml_node *node, br_status status) {
    return br_io_import_placed(node, status, m->error);
}

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
    br_io_show((io_token){name, name + strlen(name)}, shown);
    return br_mjcf_note(m, node, shown, BR_IMPORT_MOTION, "this reader does not know the attribute%s%s%s",
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

br_status br_mjcf_check(mjcf *m, mjcf_element e, const mjcf_known *known) {
    br_status status = br_mjcf_check_text(m, e.node);
    for (int k = 0; k < e.node->attributes && status == BR_OK; k++)
        if (!find_known(known, e.node->attribute[k].name))
            status = note_unknown(m, e.node, e.node->attribute[k].name, known);
    for (const mjcf_known *a = known; a->name && status == BR_OK; a++) {
        if (a->effect == MJCF_USED) continue;
        const io_xml_node *from;
        const char *value = br_mjcf_get(m, e, a->name, &from);
        if (value && !says_nothing(value))
            status = br_mjcf_note(m, from, a->name, (br_import_effect)a->effect, "%s", a->why);
    }
    return status;
}

br_status br_mjcf_check_text(mjcf *m, const io_xml_node *node) {
    if (node->text_line == 0) return BR_OK;
    io_xml_node place = *node;
    place.line = node->text_line;
    return br_mjcf_note(m, &place, NULL, BR_IMPORT_MOTION,
                        "there is text between its tags, which means nothing in MJCF");
}
