// Values: numbers with units, lists of them, words, directions, poses, functions of time.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "io/yaml/foreign.h"
#include "io/yaml/yaml.h"
#include "model/build/builder.h"
#include "model/build/station.h"

// A scalar that says something.
static int has_text(yaml_reader *r, const yaml_node *node, const char *expected) {
    if (r->status != BR_OK || !node) return 0;
    char name[YAML_SHOWN];
    if (node->kind != YAML_SCALAR)
        br_yaml_fault(r, node, "yaml-type", "%s is a %s, expected %s", br_yaml_field_name(node, name),
                      node->kind == YAML_LIST ? "list" : "map", expected);
    else if (node->count == 0)
        br_yaml_fault(r, node, "yaml-empty", "%s has no value, expected %s", br_yaml_field_name(node, name),
                      expected);
    return r->status == BR_OK;
}

static int parentheses(const char *text) {
    int depth = 0;
    for (; *text; text++) depth += (*text == '(') - (*text == ')');
    return depth;
}

static int is_cut(const yaml_node *node) {
    return node->kind == YAML_SCALAR && node->flow && !node->quoted && parentheses(node->text) != 0;
}

// Whether the parenthesis is closed, or was opened, in what stands behind or before a comma: there it was cut.
static int has_other_part(const yaml_node *part) {
    const int depth = parentheses(part->text);
    for (const yaml_node *other = part->parent ? part->parent->first : NULL; other; other = other->next) {
        const char *text = other->key && yaml_is_empty(other) ? other->key->text : other->text;
        if (other != part && (other->kind == YAML_SCALAR) && depth * parentheses(text) < 0) return 1;
    }
    return 0;
}

void br_yaml_expect_whole(yaml_reader *r, const yaml_node *node) {
    if (r->status != BR_OK || !node) return;
    const yaml_node *part = is_cut(node) ? node : NULL;
    for (const yaml_node *item = node->first; item && !part; item = item->next)
        if (is_cut(item)) part = item;
    char shown[YAML_SHOWN];
    if (part && !has_other_part(part))
        br_yaml_fault(r, part, "expression-syntax", "a parenthesis of '%s' has no partner",
                      br_yaml_show(part->text, (size_t)part->count, shown));
    else if (part)
        br_yaml_fault(r, part, "yaml-comma",
                      "'%s' is only a part; a value with a comma inside braces must be quoted",
                      br_yaml_show(part->text, (size_t)part->count, shown));
}

static int cut_at_comma(yaml_reader *r, const yaml_node *node) {
    br_yaml_expect_whole(r, node);
    return r->status != BR_OK;
}

// A quantity's error counts characters of its text: from there to the column in the file.
static void quantity_fault(yaml_reader *r, const yaml_node *node, br_status status) {
    if (status == BR_OK) return;
    char name[YAML_SHOWN], message[BR_MAX_ERROR_TEXT];
    const int column = r->error->column;
    const char *code = r->error->code;
    snprintf(message, sizeof message, "%s", r->error->message);
    r->status = br_fail(r->error, status, code, "%s: %s", br_yaml_field_name(node, name), message);
    br_yaml_locate(node, r->error);
    if (column > 1 && r->error->line > 0) r->error->column += column - 1 + (node->quoted ? 1 : 0);
}

void br_yaml_number(yaml_reader *r, const yaml_node *node, br_dimension dimension, unsigned flags,
                    double *out) {
    if (!has_text(r, node, "a number") || cut_at_comma(r, node)) return;
    quantity_fault(r, node,
                   br_quantity_parse(node->text, &r->params, dimension, flags | r->degrees, out, r->error));
}

void br_yaml_whole(yaml_reader *r, const yaml_node *node, int least, int most, int *out) {
    if (!has_text(r, node, "a whole number") || cut_at_comma(r, node)) return;
    quantity_fault(r, node, br_quantity_whole(node->text, &r->params, least, most, out, r->error));
}

static const char *meant_bool(const char *text) {
    static const char *const yes[] = {"true", "yes", "on", "y", "1"}, *const no[] = {"false", "no", "off",
                                                                                     "n", "0"};
    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++) {
        if (strcasecmp(text, yes[k]) == 0) return "; write true";
        if (strcasecmp(text, no[k]) == 0) return "; write false";
    }
    return "";
}

void br_yaml_bool(yaml_reader *r, const yaml_node *node, int *out) {
    if (!has_text(r, node, "true or false")) return;
    char name[YAML_SHOWN], shown[YAML_SHOWN];
    if (strcmp(node->text, "true") == 0)
        *out = 1;
    else if (strcmp(node->text, "false") == 0)
        *out = 0;
    else
        br_yaml_fault(r, node, "yaml-word", "%s is '%s', expected true or false%s",
                      br_yaml_field_name(node, name), br_yaml_show(node->text, (size_t)node->count, shown),
                      meant_bool(node->text));
}

void br_yaml_text(yaml_reader *r, const yaml_node *node, const char **out) {
    if (has_text(r, node, "a name")) *out = node->text;
}

void br_yaml_word(yaml_reader *r, const yaml_node *node, const char *const *words, int *out) {
    if (!has_text(r, node, "a word")) return;
    char name[YAML_SHOWN], shown[YAML_SHOWN], hint[YAML_HINT], list[256];
    size_t n = 0;
    list[0] = '\0';
    int count = 0;
    for (; words[count]; count++) {
        if (!words[count][0]) continue; // a value that has no word
        if (strcmp(words[count], node->text) == 0) {
            *out = count;
            return;
        }
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", count ? ", " : "", words[count]);
    }
    br_yaml_hint(node->text, words, count, hint);
    if (!hint[0]) br_io_foreign_value(node->text, words, count, hint, sizeof hint);
    br_yaml_fault(r, node, "yaml-word", "%s is '%s', expected one of %s%s", br_yaml_field_name(node, name),
                  br_yaml_show(node->text, (size_t)node->count, shown), list, hint);
}

void br_yaml_numbers(yaml_reader *r, const yaml_node *node, br_dimension dimension, unsigned flags, int count,
                     double *out) {
    br_yaml_expect_whole(r, node); // before its items are counted
    br_yaml_expect_list(r, node, count, "numbers");
    if (r->status != BR_OK || !node) return;
    int k = 0;
    for (const yaml_node *item = node->first; item && k < count; item = item->next)
        br_yaml_number(r, item, dimension, flags, out + k++);
}

void br_yaml_vec3(yaml_reader *r, const yaml_node *node, br_dimension dimension, br_vec3 *out) {
    double v[3];
    br_yaml_numbers(r, node, dimension, 0, 3, v);
    if (r->status == BR_OK && node) *out = br_vec3_of(v[0], v[1], v[2]);
}

void br_yaml_direction(yaml_reader *r, const yaml_node *node, br_vec3 *out) {
    if (r->status != BR_OK || !node) return;
    br_vec3 v = {0.0, 0.0, 0.0};
    char name[YAML_SHOWN];
    if (node->kind == YAML_SCALAR && node->count > 0) {
        const char *letter = node->text + (node->text[0] == '-' || node->text[0] == '+');
        const char *const at = letter[0] ? strchr("xyz", letter[0]) : NULL;
        if (!at || letter[1] != '\0') {
            char shown[YAML_SHOWN];
            br_yaml_fault(
                r, node, "yaml-direction", "%s is '%s', expected a direction [x, y, z] or one of x, y, z, -x",
                br_yaml_field_name(node, name), br_yaml_show(node->text, (size_t)node->count, shown));
            return;
        }
        v = br_vec3_unit((int)(at - "xyz"));
        if (node->text[0] == '-') v = br_vec3_neg(v);
    } else {
        br_yaml_vec3(r, node, BR_DIM_NONE, &v);
    }
    if (r->status != BR_OK) return;
    // Scaled first: a direction may be written in any size.
    const double size = br_vec3_max_abs(v);
    if (!(size > 0.0)) {
        br_yaml_fault(r, node, "yaml-direction", "%s is zero, which has no direction",
                      br_yaml_field_name(node, name));
        return;
    }
    // Of unit length already, as a converted model has it: the same bits again.
    *out = fabs(br_vec3_norm(v) - 1.0) <= BR_EPS_UNIT ? v : br_vec3_normalize(br_vec3_scale(1.0 / size, v));
}

// --------------------------------------------------------------------------------------------------------- poses

static void read_quaternion(yaml_reader *r, const yaml_node *node, br_quat *out) {
    double q[4];
    br_yaml_numbers(r, node, BR_DIM_NONE, 0, 4, q);
    if (r->status != BR_OK) return;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 1e-150 && norm < 1e150)) {
        br_yaml_fault(r, node, "yaml-quaternion",
                      "quaternion is zero, expected [w, x, y, z], [1, 0, 0, 0] for no turn");
        return;
    }
    *out = br_quat_of(q[0], q[1], q[2], q[3]);
    if (fabs(br_quat_norm(*out) - 1.0) > BR_EPS_UNIT) *out = br_quat_normalize(*out);
}

// More than a turn is no orientation that anybody writes down: degrees without their unit.
static void note_degrees(yaml_reader *r, const char *what, const char *key, br_vec3 angles) {
    const double most = br_vec3_max_abs(angles);
    char line[BR_MAX_ERROR_TEXT];
    if (r->status != BR_OK || most <= 2.0 * BR_PI * (1.0 + 1e-6) || most > 1000.0) return;
    snprintf(line, sizeof line,
             "%s: %s has %.6g rad, %.3g turns; plain angles are radians, write %.6g deg for degrees", what,
             key, most, most / (2.0 * BR_PI), most);
    r->status = br_builder_note(r->builder, line, r->error);
}

void br_yaml_pose(yaml_reader *r, const yaml_node *node, const char *what, int relative, br_pose *out) {
    static const char *const keys[] = {"position",  "quaternion",      "euler_zxy", "euler_xyz",
                                       "euler_zyx", "rotation_vector", "in",        NULL};
    static const char *const keys_alone[] = {"position",  "quaternion",      "euler_zxy", "euler_xyz",
                                             "euler_zyx", "rotation_vector", NULL};
    if (!node) return;
    if (node->kind == YAML_LIST)
        br_yaml_fault(r, node, "yaml-type", "%s is a list, expected a map; write {position: [x, y, z]}",
                      what);
    br_yaml_expect_keys(r, node, what, relative ? keys : keys_alone);
    static const char *const rotations[] = {"euler_zxy",  "euler_xyz",       "euler_zyx",
                                            "quaternion", "rotation_vector", NULL};
    int which = 0;
    br_vec3 angles = {0.0, 0.0, 0.0};
    const yaml_node *rotation = br_yaml_one_of(r, node, what, rotations, &which);
    br_yaml_vec3(r, br_yaml_find(node, "position"), BR_DIM_LENGTH, &out->position);
    if (!rotation) return;
    if (which == 3) {
        read_quaternion(r, rotation, &out->rotation);
        return;
    }
    br_yaml_vec3(r, rotation, BR_DIM_ANGLE, &angles);
    if (relative) note_degrees(r, what, rotation->key->text, angles);
    if (r->status == BR_OK)
        out->rotation = which == 4 ? br_quat_exp(angles) : br_quat_from_euler((br_euler_order)which, angles);
}

static int imported_frame(const yaml_reader *r, const char *body, const char *frame, const char **name,
                          br_pose *X_BF) {
    const int k = br_names_find(&r->builder->body_names, body);
    for (int i = 0; k >= 0 && i < r->builder->body[k].frame_count; i++) {
        const br_frame_def *f = &r->builder->body[k].frames[i];
        if (strcmp(f->name, frame) != 0) continue;
        *name = r->builder->body[k].name;
        *X_BF = f->pose;
        return 1;
    }
    return 0;
}

int br_yaml_frame_of(yaml_reader *r, const yaml_node *node, const char **body, br_pose *X_BF) {
    if (r->status != BR_OK || !node || node->kind != YAML_SCALAR) return 0;
    int beam;
    double station;
    if (br_station_find(r->builder, node->text, &beam, &station) == BR_STATION_GOOD) { // its own frame
        *body = node->text;
        *X_BF = br_pose_identity();
        return 1;
    }
    // The body is what fits before a dot; body names with dots of their own are tried too.
    for (const char *dot = strchr(node->text, '.'); dot; dot = strchr(dot + 1, '.')) {
        char name[BR_MAX_NAME], what[YAML_WHAT], hint[YAML_HINT];
        const size_t length = (size_t)(dot - node->text);
        if (length >= sizeof name) return 0;
        memcpy(name, node->text, length);
        name[length] = '\0';
        const yaml_node *element = br_yaml_index_find(&r->bodies, name);
        if (!element && imported_frame(r, name, dot + 1, body, X_BF)) return 1;
        if (!element) continue;
        const yaml_node *frames = br_yaml_find(element, "frames"), *frame = br_yaml_find(frames, dot + 1);
        if (!frame) {
            br_yaml_hint_key(dot + 1, frames, hint);
            br_yaml_list_names(frames, "frames", NULL, hint);
            if (!frames)
                snprintf(hint, sizeof hint, "; it has none, write frames: {NAME: {position: [x, y, z]}}");
            br_yaml_fault(r, node, "yaml-reference", "%s has no frame '%.40s'%s",
                          br_yaml_what("body", element, what), dot + 1, hint);
            return 0;
        }
        *body = element->key->text;
        *X_BF = br_pose_identity();
        br_yaml_pose(r, frame, "a frame", 0, X_BF);
        return r->status == BR_OK;
    }
    return 0;
}

// ----------------------------------------------------------------------------------------------------- functions

static void read_table(yaml_reader *r, const yaml_node *node, br_dimension dimension, br_function_def *out) {
    static const char *const keys[] = {"table", "interpolation", NULL};
    static const char *const kinds[] = {"linear", "smooth", NULL};
    br_yaml_expect_keys(r, node, "a function of time", keys);
    if (r->status != BR_OK) return;
    const yaml_node *table = br_yaml_need(r, node, "a function of time", "table", "[[0, 0], [1 s, 5]]");
    int smooth = 0;
    br_yaml_word(r, br_yaml_find(node, "interpolation"), kinds, &smooth);
    br_yaml_expect_list(r, table, -1, "pairs [time, value]");
    if (r->status != BR_OK) return;
    double *times = BR_TAKE(r->arena, double, table->count),
           *values = BR_TAKE(r->arena, double, table->count);
    if (!times || !values) {
        br_yaml_no_memory(r);
        return;
    }
    if (table->count == 0)
        br_yaml_fault(r, table, "yaml-count", "table has no points, expected at least one");
    int k = 0;
    for (const yaml_node *row = table->first; row && r->status == BR_OK; row = row->next, k++) {
        if (row->kind != YAML_LIST || row->count != 2) {
            br_yaml_fault(r, row, "yaml-count", "table[%d] is not a pair [time, value]", k);
            return;
        }
        br_yaml_number(r, row->first, BR_DIM_TIME, 0, times + k);
        br_yaml_number(r, row->last, dimension, 0, values + k);
        if (r->status == BR_OK && k > 0 && !(times[k] > times[k - 1]))
            br_yaml_fault(r, row->first, "yaml-table",
                          "table[%d] is at %g s, expected later than the one before (%g s)", k, times[k],
                          times[k - 1]);
    }
    if (r->status != BR_OK) return;
    *out = br_function_constant(0.0);
    out->kind = smooth ? BR_FUNCTION_SMOOTH : BR_FUNCTION_TABLE;
    out->times = times;
    out->values = values;
    out->count = table->count;
}

void br_yaml_function(yaml_reader *r, const yaml_node *node, br_dimension dimension, br_function_def *out) {
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_MAP) {
        read_table(r, node, dimension, out);
        return;
    }
    if (!has_text(r, node, "a number, an expression or {table: [[t, v], ...]}") || cut_at_comma(r, node))
        return;
    quantity_fault(
        r, node,
        br_quantity_function(node->text, &r->params, dimension, r->degrees, r->arena, out, r->error));
}
