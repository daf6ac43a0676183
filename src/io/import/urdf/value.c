// Attributes of URDF elements, and the notes about what is not represented.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/import/name.h"
#include "io/import/urdf/urdf.h"
#include "io/text/text.h"

static const char blanks[] = " \t\r\n";

br_status br_urdf_fail(const urdf *u, const io_xml_node *node, const char *code, const char *format, ...) {
    char message[BR_MAX_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return br_fail_at(u->error, BR_INVALID, code, node->file, node->line, node->column, "%s", message);
}

br_status br_urdf_no_memory(const urdf *u) {
    return br_no_memory(u->error, "not enough memory to read the model");
}

// ------------------------------------------------------------------------------------------------------------ notes

br_status br_urdf_note(urdf *u, const io_xml_node *node, const char *attribute, br_import_effect effect,
                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    const br_status status = br_io_import_note(u->report, node, attribute, effect, u->error, format, args);
    va_end(args);
    return status;
}

static const urdf_known *find_known(const urdf_known *known, const char *name) {
    for (; known->name; known++)
        if (strcmp(known->name, name) == 0) return known;
    return NULL;
}

static br_status note_unknown(urdf *u, const io_xml_node *node, const char *attribute,
                              const urdf_known *known) {
    const char *words[40], *name = attribute ? attribute : node->name;
    size_t count = 0;
    for (; known->name && count < 40; known++) words[count++] = known->name;
    const char *near = br_nearest_word(name, words, count);
    char shown[IO_SHOWN];
    br_io_show((io_token){name, name + strlen(name)}, shown);
    return br_urdf_note(u, node, attribute ? shown : NULL, BR_IMPORT_MOTION,
                        "this reader does not know the %s%s%s%s", attribute ? "attribute" : "element",
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

br_status br_urdf_check(urdf *u, const io_xml_node *node, const urdf_known *attributes,
                        const urdf_known *children) {
    br_status status = BR_OK;
    if (node->text_line > 0) {
        io_xml_node place = *node;
        place.line = node->text_line;
        status = br_urdf_note(u, &place, NULL, BR_IMPORT_MOTION,
                              "there is text between its tags, which means nothing in URDF");
    }
    for (int k = 0; k < node->attributes && status == BR_OK; k++) {
        const char *name = node->attribute[k].name;
        const urdf_known *a = find_known(attributes, name);
        if (!a && strncmp(name, "xmlns", 5) != 0) // declarations of name spaces are nobody's attributes
            status = note_unknown(u, node, name, attributes);
        else if (a && a->effect != URDF_USED)
            status = br_urdf_note(u, node, name, (br_import_effect)a->effect, "%s", a->why);
    }
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        const urdf_known *a = find_known(children, c->name);
        if (!a)
            status = note_unknown(u, c, NULL, children);
        else if (a->effect != URDF_USED)
            status = br_urdf_note(u, c, NULL, (br_import_effect)a->effect, "%s", a->why);
    }
    return status;
}

br_status br_urdf_child(const urdf *u, const io_xml_node *node, const char *name, const io_xml_node **out) {
    *out = NULL;
    for (const io_xml_node *c = node->first; c; c = c->next) {
        if (strcmp(c->name, name) != 0) continue;
        if (*out)
            return br_urdf_fail(u, c, "urdf-repeated",
                                "a second <%s> in the same <%.40s>; the first is on line %d", name,
                                node->name, (*out)->line);
        *out = c;
    }
    return BR_OK;
}

br_status br_urdf_need(const urdf *u, const io_xml_node *node, const char *attribute, const char **out) {
    *out = br_io_xml_get(node, attribute);
    if (*out && (*out)[0]) return BR_OK;
    char hint[IO_XML_HINT];
    return br_urdf_fail(u, node, "urdf-missing", "<%.40s> has no %s%s", node->name, attribute,
                        *out ? "" : br_io_xml_hint(node, attribute, hint));
}

br_status br_urdf_unknown(const urdf *u, const io_xml_node *node, const char *attribute, const char *name,
                          const br_names *names) {
    const char *near = br_names_nearest(names, name);
    char shown[IO_SHOWN];
    br_io_show((io_token){name, name + strlen(name)}, shown);
    return br_urdf_fail(u, node, "urdf-unknown-name", "<%.40s> %s: there is no '%s'%s%.60s%s", node->name,
                        attribute, shown, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

br_status br_urdf_name(urdf *u, br_names *taken, const io_xml_node *node, const char *given,
                       const char **out) {
    if (br_io_import_name(&u->arena, taken, given, out) != BR_OK) return br_urdf_no_memory(u);
    if (strcmp(*out, given) == 0) return BR_OK;
    return br_urdf_note(u, node, "name", BR_IMPORT_LOOKS, "'%.60s' is called '%s' here", given, *out);
}

// ---------------------------------------------------------------------------------------------------------- numbers

static br_status bad_number(const urdf *u, const io_xml_node *node, const char *name, io_token token,
                            io_number kind) {
    char shown[IO_SHOWN];
    br_io_show(token, shown);
    if (kind != IO_NUMBER_BAD)
        return br_urdf_fail(u, node, "urdf-not-finite", "<%.40s> %s is %s, expected a finite number",
                            node->name, name, shown);
    const int comma = memchr(token.begin, ',', (size_t)(token.end - token.begin)) != NULL;
    return br_urdf_fail(u, node, "urdf-not-a-number", "<%.40s> %s: '%s' is not a number%s", node->name, name,
                        shown, comma ? "; numbers have a point and are separated by blanks, not commas" : "");
}

static br_status bad_count(const urdf *u, const io_xml_node *node, const char *name, int found, int least,
                           int most) {
    char expected[40];
    if (least == most)
        snprintf(expected, sizeof expected, "%d", least);
    else
        snprintf(expected, sizeof expected, "%d to %d", least, most);
    return br_urdf_fail(u, node, "urdf-count", "<%.40s> %s has %s%d number%s, expected %s", node->name, name,
                        found > most ? "more than " : "", found > most ? most : found,
                        (found > most ? most : found) == 1 ? "" : "s", expected);
}

static br_status parse(const urdf *u, const io_xml_node *node, const char *name, const char *p, int least,
                       int most, int may_be_infinite, double *out, int *count) {
    double value[6];
    int n = 0;
    for (p += strspn(p, blanks); *p; p += strspn(p, blanks)) {
        const io_token token = {p, p + strcspn(p, blanks)};
        if (n >= most || n >= 6) return bad_count(u, node, name, most + 1, least, most);
        const io_number kind = br_io_parse_double(token, &value[n++]);
        if (kind != IO_NUMBER_FINITE && !(may_be_infinite && kind == IO_NUMBER_INFINITE))
            return bad_number(u, node, name, token, kind);
        p = token.end;
    }
    if (n < least) return bad_count(u, node, name, n, least, most);
    memcpy(out, value, (size_t)n * sizeof *out);
    if (count) *count = n;
    return BR_OK;
}

br_status br_urdf_numbers(const urdf *u, const io_xml_node *node, const char *name, int least, int most,
                          double *out, int *count) {
    const char *text = node ? br_io_xml_get(node, name) : NULL;
    if (count) *count = 0;
    return text ? parse(u, node, name, text, least, most, 0, out, count) : BR_OK;
}

br_status br_urdf_number(const urdf *u, const io_xml_node *node, const char *name, double *out) {
    return br_urdf_numbers(u, node, name, 1, 1, out, NULL);
}

br_status br_urdf_bound(const urdf *u, const io_xml_node *node, const char *name, double *out) {
    const char *text = node ? br_io_xml_get(node, name) : NULL;
    return text ? parse(u, node, name, text, 1, 1, 1, out, NULL) : BR_OK;
}

br_status br_urdf_vector(const urdf *u, const io_xml_node *node, const char *name, br_vec3 *out) {
    double x[3] = {out->x, out->y, out->z};
    const br_status status = br_urdf_numbers(u, node, name, 3, 3, x, NULL);
    if (status == BR_OK) *out = br_vec3_of(x[0], x[1], x[2]);
    return status;
}

br_status br_urdf_text_number(const urdf *u, const io_xml_node *node, double *out) {
    const char *text = br_io_xml_get(node, "value") ? br_io_xml_get(node, "value") : node->text;
    return parse(u, node, "value", text ? text : "", 1, 1, 0, out, NULL);
}

// ------------------------------------------------------------------------------------------------------------ poses

static const urdf_known origin_known[] = {
    {"xyz", URDF_USED, 0}, {"rpy", URDF_USED, 0}, {"quat_xyzw", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known nothing[] = {{NULL, 0, NULL}};

br_status br_urdf_origin(urdf *u, const io_xml_node *node, br_pose *out) {
    const io_xml_node *origin;
    double q[4];
    int turned = 0;
    br_vec3 angle = br_vec3_zero();
    *out = br_pose_identity();
    br_status status = br_urdf_child(u, node, "origin", &origin);
    if (status != BR_OK || !origin) return status;
    status = br_urdf_check(u, origin, origin_known, nothing);
    if (status == BR_OK) status = br_urdf_vector(u, origin, "xyz", &out->position);
    if (status == BR_OK) status = br_urdf_vector(u, origin, "rpy", &angle);
    if (status == BR_OK) status = br_urdf_numbers(u, origin, "quat_xyzw", 4, 4, q, &turned);
    if (status != BR_OK) return status;
    out->rotation = br_quat_from_euler(BR_EULER_ZYX, br_vec3_of(angle.z, angle.y, angle.x));
    if (!turned) return BR_OK;
    const br_quat given = br_quat_of(q[3], q[0], q[1], q[2]);
    if (br_io_xml_get(origin, "rpy"))
        return br_urdf_fail(u, origin, "urdf-repeated",
                            "<origin> has rpy and quat_xyzw, expected one of them");
    if (!(br_quat_norm(given) > 1e-6) || !isfinite(br_quat_norm(given)))
        return br_urdf_fail(u, origin, "urdf-axis", "<origin> quat_xyzw has length %g, expected about 1",
                            br_quat_norm(given));
    out->rotation = br_quat_normalize(given);
    return BR_OK;
}
