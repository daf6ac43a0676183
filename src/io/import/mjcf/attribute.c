// Values of MJCF attributes: where they come from (the element or its default classes) and what they say.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/import/mjcf/mjcf.h"
#include "io/text/text.h"

br_status br_mjcf_fail(const mjcf *m, const io_xml_node *node, const char *code, const char *format, ...) {
    char message[BR_MAX_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return br_fail_at(m->error, BR_INVALID, code, node->file, node->line, node->column, "%s", message);
}

br_status br_mjcf_no_memory(const mjcf *m) {
    return br_no_memory(m->error, "not enough memory to read the model");
}

// ------------------------------------------------------------------------------------------- default classes

static int class_index(const mjcf *m, const char *name) {
    for (int k = 0; k < m->classes; k++)
        if (strcmp(m->class[k].name, name) == 0) return k;
    return -1;
}

br_status br_mjcf_class_find(const mjcf *m, const io_xml_node *node, const char *name, int *out) {
    const int k = class_index(m, name);
    if (k < 0) {
        const char *near[MJCF_MAX_CLASSES];
        for (int i = 0; i < m->classes; i++) near[i] = m->class[i].name;
        const char *word = br_nearest_word(name, near, (size_t)m->classes);
        return br_mjcf_fail(m, node, "mjcf-unknown-class", "there is no default class '%.60s'%s%.60s%s", name,
                            word ? "; did you mean '" : "", word ? word : "", word ? "'?" : "");
    }
    *out = k;
    return BR_OK;
}

static int is_one_of(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

// What has defaults.
static const char *const actuators[] = {"general",  "motor",  "position", "velocity", "intvelocity", "damper",
                                        "cylinder", "muscle", "adhesion", "dcmotor",  "plugin",      NULL};
static const char *const others[] = {"mesh",  "material", "joint",    "geom",   "site", "camera",
                                     "light", "pair",     "equality", "tendon", NULL};

// One <default>: of the main class, a class of its own, or more of a class that an earlier section began.
static br_status read_class(mjcf *m, const io_xml_node *node, int parent) {
    const char *name = br_io_xml_get(node, "class");
    if (!name && parent >= 0)
        return br_mjcf_fail(m, node, "mjcf-default", "a <default> within another needs a class");
    mjcf_scope *scope = &m->scope[node->scope];
    int k = name ? class_index(m, name) : scope->main_class;
    if (k < 0 && parent < 0) parent = scope->main_class; // a second section: below the main class
    if (k >= 0 && parent >= 0 && m->class[k].parent != parent)
        return br_mjcf_fail(m, node, "mjcf-default", "the default class '%.60s' was already given", name);
    if (k < 0) {
        if (m->classes >= MJCF_MAX_CLASSES)
            return br_mjcf_fail(m, node, "mjcf-default", "there are more than %d default classes",
                                MJCF_MAX_CLASSES);
        if (!BR_GROW(&m->arena, m->class, m->classes, m->class_capacity)) return br_mjcf_no_memory(m);
        k = m->classes++;
        m->class[k] = (mjcf_class){name ? name : "main", parent, NULL};
        if (parent < 0) scope->main_class = k;
    }
    mjcf_default *piece = BR_TAKE(&m->arena, mjcf_default, 1);
    if (!piece) return br_mjcf_no_memory(m);
    *piece = (mjcf_default){node, m->class[k].newest};
    m->class[k].newest = piece;
    br_status status = br_mjcf_check_text(m, node);
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "default") == 0)
            status = read_class(m, c, k);
        else if (!is_one_of(c->name, actuators) && !is_one_of(c->name, others))
            status = br_mjcf_note(m, c, NULL, BR_IMPORT_MOTION, "this reader knows no defaults of that name");
    }
    return status;
}

br_status br_mjcf_read_defaults(mjcf *m, const io_xml_node *section) {
    return read_class(m, section, -1);
}

br_status br_mjcf_element_of(const mjcf *m, const io_xml_node *node, int class, mjcf_element *out) {
    const char *own = br_io_xml_get(node, "class");
    if (own) {
        const br_status status = br_mjcf_class_find(m, node, own, &class);
        if (status != BR_OK) return status;
    } else if (class < 0) {
        class = br_mjcf_scope(m, node)->main_class;
    }
    *out = (mjcf_element){node, class};
    return BR_OK;
}

// Actuators of every kind are one to MuJoCo, and so are their defaults; but what makes a kind is its own.
static int speaks_for(const char *default_kind, const char *kind, const char *name) {
    static const char *const own[] = {"kp",      "kv",      "dampratio",    "timeconst",
                                      "gainprm", "biasprm", "gaintype",     "biastype",
                                      "dyntype", "dynprm",  "inheritrange", NULL};
    if (strcmp(default_kind, kind) == 0) return 1;
    return is_one_of(kind, actuators) && is_one_of(default_kind, actuators) && !is_one_of(name, own);
}

static const char *from_default(const mjcf_class *class, const char *kind, const char *name,
                                const io_xml_node **from) {
    for (const mjcf_default *d = class->newest; d; d = d->next) {
        const char *found = NULL;
        for (const io_xml_node *c = d->node->first; c; c = c->next) {
            const char *value = speaks_for(c->name, kind, name) ? br_io_xml_get(c, name) : NULL;
            if (value) found = value, *from = c;
        }
        if (found) return found;
    }
    return NULL;
}

const char *br_mjcf_get(const mjcf *m, mjcf_element e, const char *name, const io_xml_node **from) {
    const io_xml_node *place = e.node;
    const char *value = br_io_xml_get(e.node, name);
    for (int k = e.class; !value && k >= 0; k = m->class[k].parent)
        value = from_default(&m->class[k], e.node->name, name, &place);
    if (from) *from = place;
    return value;
}

// --------------------------------------------------------------------------------------------------- numbers

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') p++;
    return p;
}

static br_status bad_number(const mjcf *m, const io_xml_node *node, const char *name, io_token token,
                            io_number kind) {
    char shown[IO_SHOWN];
    br_io_show(token, shown);
    if (kind == IO_NUMBER_BAD)
        return br_mjcf_fail(m, node, "mjcf-not-a-number", "<%.40s> %s: '%s' is not a number", node->name,
                            name, shown);
    return br_mjcf_fail(m, node, "mjcf-not-finite", "<%.40s> %s is %s, expected a finite number", node->name,
                        name, shown);
}

static br_status bad_count(const mjcf *m, const io_xml_node *node, const char *name, int found, int least,
                           int most) {
    char expected[40];
    if (least == most)
        snprintf(expected, sizeof expected, "%d", least);
    else
        snprintf(expected, sizeof expected, "%d to %d", least, most);
    return br_mjcf_fail(m, node, "mjcf-count", "<%.40s> %s has %s%d number%s, expected %s", node->name, name,
                        found > most ? "more than " : "", found > most ? most : found,
                        (found > most ? most : found) == 1 ? "" : "s", expected);
}

br_status br_mjcf_numbers(const mjcf *m, mjcf_element e, const char *name, int least, int most, double *out,
                          int *count) {
    const io_xml_node *from;
    const char *p = br_mjcf_get(m, e, name, &from);
    if (count) *count = 0;
    if (!p) return BR_OK;
    double value[16];
    int n = 0;
    for (p = skip_blanks(p); *p; p = skip_blanks(p)) {
        io_token token = {p, p};
        while (*token.end && !strchr(" \t\r\n", *token.end)) token.end++;
        if (n >= most || n >= 16) return bad_count(m, from, name, most + 1, least, most);
        const io_number kind = br_io_parse_double(token, &value[n++]);
        if (kind != IO_NUMBER_FINITE) return bad_number(m, from, name, token, kind);
        p = token.end;
    }
    if (n < least) return bad_count(m, from, name, n, least, most);
    memcpy(out, value, (size_t)n * sizeof *out);
    if (count) *count = n;
    return BR_OK;
}

br_status br_mjcf_list(mjcf *m, mjcf_element e, const char *name, double **out, int *count) {
    const io_xml_node *from;
    const char *text = br_mjcf_get(m, e, name, &from);
    int n = 0;
    *count = 0;
    for (const char *p = text ? skip_blanks(text) : ""; *p; p = skip_blanks(p), n++)
        p += strcspn(p, " \t\r\n");
    *out = BR_TAKE(&m->arena, double, n);
    if (!*out) return br_mjcf_no_memory(m);
    for (const char *p = text ? skip_blanks(text) : ""; *p; p = skip_blanks(p)) {
        const io_token token = {p, p + strcspn(p, " \t\r\n")};
        const io_number kind = br_io_parse_double(token, &(*out)[(*count)++]);
        if (kind != IO_NUMBER_FINITE) return bad_number(m, from, name, token, kind);
        p = token.end;
    }
    return BR_OK;
}

br_status br_mjcf_number(const mjcf *m, mjcf_element e, const char *name, double *out) {
    return br_mjcf_numbers(m, e, name, 1, 1, out, NULL);
}

br_status br_mjcf_vector(const mjcf *m, mjcf_element e, const char *name, br_vec3 *out) {
    double x[3];
    int count;
    const br_status status = br_mjcf_numbers(m, e, name, 3, 3, x, &count);
    if (status == BR_OK && count > 0) *out = br_vec3_of(x[0], x[1], x[2]);
    return status;
}

// ----------------------------------------------------------------------------------------------------- words

br_status br_mjcf_word(const mjcf *m, mjcf_element e, const char *name, const char *const *words,
                       int words_count, int *out) {
    const io_xml_node *from;
    const char *value = br_mjcf_get(m, e, name, &from);
    if (!value) return BR_OK;
    for (int k = 0; k < words_count; k++)
        if (strcmp(value, words[k]) == 0) {
            *out = k;
            return BR_OK;
        }
    char list[200] = "", shown[IO_SHOWN];
    for (int k = 0; k < words_count; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k == 0 ? "" : ", ", words[k]);
    }
    const char *near = br_nearest_word(value, words, (size_t)words_count);
    br_io_show((io_token){value, value + strlen(value)}, shown);
    return br_mjcf_fail(m, from, "mjcf-word", "<%.40s> %s is '%s', expected one of %s%s%s%s", from->name,
                        name, shown, list, near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
}

br_status br_mjcf_flag(const mjcf *m, mjcf_element e, const char *name, int allow_auto, int *out) {
    static const char *const words[] = {"false", "true", "auto"};
    return br_mjcf_word(m, e, name, words, allow_auto ? 3 : 2, out);
}

// ---------------------------------------------------------------------------------------------- orientations

br_status br_mjcf_unit(const mjcf *m, const io_xml_node *node, const char *what, br_vec3 *axis) {
    const double size = br_vec3_max_abs(*axis);
    if (!(size > 1e-150))
        return br_mjcf_fail(m, node, "mjcf-axis", "<%.40s> %s has no length, expected a direction",
                            node->name, what);
    *axis = br_vec3_normalize(
        br_vec3_scale(1.0 / size, *axis)); // first to size 1: squares neither vanish nor overflow
    return BR_OK;
}

static br_quat from_euler(const char *sequence, double unit, const double *angle) {
    br_quat q = br_quat_identity();
    for (int k = 0; k < 3; k++) {
        const int lower = sequence[k] >= 'a';
        const int axis = sequence[k] - (lower ? 'x' : 'X');
        const br_quat turn = br_quat_from_axis_angle(br_vec3_unit(axis), unit * angle[k]);
        q = lower ? br_quat_mul(q, turn)
                  : br_quat_mul(turn, q); // small letters: axes that turn with the body
    }
    return q;
}

br_quat br_mjcf_euler(const mjcf *m, const io_xml_node *node, const double *angle) {
    return from_euler(br_mjcf_scope(m, node)->euler, br_mjcf_scope(m, node)->angle, angle);
}

static br_status from_xy(const mjcf *m, const io_xml_node *node, const double *x, br_quat *out) {
    br_vec3 a = br_vec3_of(x[0], x[1], x[2]), b = br_vec3_of(x[3], x[4], x[5]);
    br_status status = br_mjcf_unit(m, node, "xyaxes: the x axis", &a);
    if (status == BR_OK) status = br_mjcf_unit(m, node, "xyaxes: the y axis", &b);
    b = br_vec3_add_scaled(b, -br_vec3_dot(a, b), a);
    if (status == BR_OK && br_vec3_norm(b) < 1e-12)
        return br_mjcf_fail(m, node, "mjcf-axis", "<%.40s> xyaxes: both axes have the same direction",
                            node->name);
    if (status != BR_OK) return status;
    b = br_vec3_normalize(b);
    *out = br_quat_from_mat3(br_mat3_of_columns(a, b, br_vec3_cross(a, b)));
    return BR_OK;
}

enum { QUAT = 0, AXISANGLE, EULER, XYAXES, ZAXIS, ORIENTATIONS };
static const char *const orientation_name[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};

static br_status convert(const mjcf *m, const io_xml_node *node, int kind, const double *x, br_quat *out) {
    br_vec3 axis = br_vec3_of(x[0], x[1], x[2]);
    br_status status = BR_OK;
    switch (kind) {
    case QUAT: {
        const double size = fmax(br_vec3_max_abs(axis), fabs(x[3]));
        if (!(size > 1e-150))
            return br_mjcf_fail(m, node, "mjcf-axis", "<%.40s> quat is zero, expected a rotation",
                                node->name);
        *out = br_quat_normalize(br_quat_of(x[0] / size, x[1] / size, x[2] / size, x[3] / size));
        return BR_OK;
    }
    case AXISANGLE:
        status = br_mjcf_unit(m, node, "axisangle", &axis);
        if (status == BR_OK) *out = br_quat_from_axis_angle(axis, br_mjcf_scope(m, node)->angle * x[3]);
        return status;
    case EULER:
        *out = br_mjcf_euler(m, node, x);
        return BR_OK;
    case XYAXES:
        return from_xy(m, node, x, out);
    default:
        status = br_mjcf_unit(m, node, "zaxis", &axis);
        if (status == BR_OK) *out = br_quat_from_mat3(br_tangent_basis(axis));
        return status;
    }
}

br_status br_mjcf_orientation(const mjcf *m, mjcf_element e, br_quat *out, int *given) {
    static const int size[] = {4, 4, 3, 6, 3};
    int kind = -1, own = 0;
    for (int k = 0; k < ORIENTATIONS; k++)
        if (br_io_xml_get(e.node, orientation_name[k])) kind = k, own++;
    if (own > 1)
        return br_mjcf_fail(m, e.node, "mjcf-orientation",
                            "<%.40s> has more than one of quat, axisangle, euler, xyaxes, "
                            "zaxis",
                            e.node->name);
    for (int k = 0; kind < 0 && k < ORIENTATIONS; k++)
        if (br_mjcf_get(m, e, orientation_name[k], NULL)) kind = k;
    *out = br_quat_identity();
    if (given) *given = kind >= 0;
    if (kind < 0) return BR_OK;
    double x[6] = {0.0};
    const br_status status = br_mjcf_numbers(m, e, orientation_name[kind], size[kind], size[kind], x, NULL);
    return status == BR_OK ? convert(m, e.node, kind, x, out) : status;
}

br_status br_mjcf_pose(const mjcf *m, mjcf_element e, br_pose *out) {
    out->position = br_vec3_zero();
    const br_status status = br_mjcf_vector(m, e, "pos", &out->position);
    return status == BR_OK ? br_mjcf_orientation(m, e, &out->rotation, NULL) : status;
}
