// Loads, drives and constraints.
#include <stdio.h>
#include <string.h>

#include "io/yaml/fields.h"
#include "io/yaml/points.h"
#include "model/build/builder.h"

// ---------------------------------------------------------------------------------------------------------- loads

static void read_components(yaml_reader *r, const yaml_node *node, br_dimension dimension,
                            br_function_def out[3]) {
    br_yaml_expect_whole(r, node);
    br_yaml_expect_list(r, node, 3, "components");
    if (r->status != BR_OK) return;
    for (const yaml_node *item = node->first; item; item = item->next)
        br_yaml_function(r, item, dimension, out + item->index);
}

static void read_force(yaml_reader *r, const yaml_node *node, const char *what, int torque,
                       br_load_def *def) {
    yaml_points at;
    br_yaml_expect_def(r, node, what, &br_def_force);
    def->type = torque ? BR_LOAD_TORQUE : BR_LOAD_FORCE;
    const yaml_node *body = br_yaml_need(r, node, what, "body", "NAME");
    if (body) def->first = br_yaml_body_name(r, body);
    read_components(r, br_yaml_find(node, torque ? "torque" : "force"), torque ? BR_DIM_TORQUE : BR_DIM_FORCE,
                    def->component);
    br_yaml_read_fields(r, node, what, &br_def_force, 0, def);
    const yaml_node *point = br_yaml_find(node, "at");
    if (point && torque)
        br_yaml_fault(r, point->key, "yaml-key-kind", "a torque acts on the whole body and has no at (%s)",
                      what);
    br_yaml_read_points(r, point, what, def->first, NULL, &at);
    def->X_A.position = at.world ? at.point_W : at.X[0].position; // a plain point is in the body's frame here
}

static void read_ends(yaml_reader *r, const yaml_node *pair, br_load_def *def) {
    br_yaml_expect_list(r, pair, 2, "names of bodies");
    if (r->status != BR_OK) return;
    def->first = br_yaml_body_name(r, pair->first);
    def->second = br_yaml_body_name(r, pair->last);
}

static void read_spring(yaml_reader *r, const yaml_node *node, const char *what, br_load_def *def) {
    yaml_points at;
    br_yaml_expect_def(r, node, what, &br_def_spring);
    def->type = BR_LOAD_SPRING;
    read_ends(r, br_yaml_find(node, "spring"), def);
    br_yaml_read_points(r, br_yaml_find(node, "at"), what, def->first, def->second, &at);
    if (at.world)
        br_yaml_fault(r, br_yaml_find(node, "at"), "yaml-type",
                      "at of %s is one point, expected one on each body: {%.40s: [x, y, z], "
                      "%.40s: [x, y, z]}",
                      what, def->first, def->second);
    def->X_A.position = at.X[0].position;
    def->X_B.position = at.X[1].position;
    if (!br_yaml_find(node, "damping")) br_yaml_need(r, node, what, "stiffness", "NUMBER N/m");
    br_yaml_read_fields(r, node, what, &br_def_spring, 0, def);
    const yaml_node *length = br_yaml_find(node, "length");
    if (r->status == BR_OK && length && def->length < 0.0)
        br_yaml_fault(r, length, "yaml-range",
                      "length is %g, expected >= 0 (leave it out for the distance at the start)",
                      def->length);
}

// Six numbers, translations first, or three of each by name; one number is for all three translations.
static void read_six(yaml_reader *r, const yaml_node *node, br_dimension linear, br_dimension angular,
                     double out[6]) {
    static const char *const keys[] = {"translation", "rotation", NULL};
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_MAP) {
        br_yaml_expect_keys(r, node, node->key->text, keys);
        br_yaml_numbers(r, br_yaml_find(node, "translation"), linear, 0, 3, out);
        br_yaml_numbers(r, br_yaml_find(node, "rotation"), angular, 0, 3, out + 3);
        return;
    }
    br_yaml_expect_list(r, node, 6, "numbers");
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next)
        br_yaml_number(r, item, item->index < 3 ? linear : angular, 0, out + item->index);
}

// Both frames coincide at the poses as given, with the axes of the first body or of the frame that is named, unless a
// point is given on each body.
static void read_bushing(yaml_reader *r, const yaml_node *node, const char *what, br_load_def *def) {
    yaml_points at;
    br_yaml_expect_def(r, node, what, &br_def_bushing);
    def->type = BR_LOAD_BUSHING;
    read_ends(r, br_yaml_find(node, "bushing"), def);
    br_yaml_read_points(r, br_yaml_find(node, "at"), what, def->first, def->second, &at);
    br_yaml_need(r, node, what, "stiffness", "[kx, ky, kz, rx, ry, rz]");
    read_six(r, br_yaml_find(node, "stiffness"), BR_DIM_STIFFNESS, BR_DIM_ANGULAR_STIFFNESS, def->stiffness);
    read_six(r, br_yaml_find(node, "damping"), BR_DIM_DAMPING, BR_DIM_ANGULAR_DAMPING, def->damping);
    if (r->status != BR_OK) return;
    const br_pose X_WA = br_yaml_body_pose(r, def->first), X_WB = br_yaml_body_pose(r, def->second);
    br_pose X_WJ = br_pose_of(X_WA.rotation, X_WB.position);
    if (at.given[0])
        X_WJ = br_pose_mul(X_WA, at.X[0]);
    else if (at.given[1] && at.frame[1])
        X_WJ = br_pose_mul(X_WB, at.X[1]);
    else if (at.given[1])
        X_WJ.position = br_pose_point(X_WB, at.X[1].position);
    if (at.world) X_WJ.position = at.point_W;
    def->X_A = br_pose_between(X_WA, X_WJ);
    def->X_B = br_pose_between(X_WB, X_WJ);
    if (at.given[0] && at.given[1]) def->X_B.position = at.X[1].position;
    if (at.frame[0] && at.frame[1]) def->X_B.rotation = at.X[1].rotation;
}

// Those of all kinds: of forces, the other kinds, what those have.
static void list_keys(const char *keys[BR_MAX_FIELDS]) {
    static const br_def *const others[] = {&br_def_spring, &br_def_bushing};
    int n = 0;
    br_def_keys(&br_def_force, 0, keys);
    while (keys[n]) n++;
    for (int pass = 0; pass < 2; pass++)
        for (size_t d = 0; d < sizeof others / sizeof others[0]; d++)
            for (int k = 0; k < others[d]->fields; k++) {
                const br_def_field *f = &others[d]->field[k];
                if ((f->type == BR_FIELD_KIND) == (pass == 0) && br_word_find(keys, f->key) < 0)
                    keys[n++] = f->key, keys[n] = NULL;
            }
}

void br_yaml_read_loads(yaml_reader *r) {
    const char *keys[BR_MAX_FIELDS];
    list_keys(keys);
    const yaml_node *loads = br_yaml_find(r->root, "loads");
    if (!loads || yaml_is_empty(loads)) return;
    br_yaml_expect_map(r, loads, "loads");
    for (const yaml_node *node = loads->first; node && r->status == BR_OK; node = node->next) {
        char what[YAML_WHAT];
        int kind = -1;
        br_yaml_expect_keys(r, node, br_yaml_what("load", node, what), keys);
        if (r->status != BR_OK) return;
        br_load_def def = br_default_load_def();
        def.name = node->key->text;
        br_yaml_one_of(r, node, what, br_words_load, &kind);
        if (kind < 0)
            br_yaml_fault(r, node, "yaml-missing-key",
                          "%s has no kind; write force: [x, y, z], or torque, spring, bushing", what);
        if (r->status != BR_OK) return;
        if (kind == 2)
            read_spring(r, node, what, &def);
        else if (kind == 3)
            read_bushing(r, node, what, &def);
        else
            read_force(r, node, what, kind == 1, &def);
        if (r->status != BR_OK) return;
        const int imported = br_names_find(&r->builder->load_names, def.name);
        if (imported >= 0 && imported < r->imported_loads)
            br_yaml_built(r, br_builder_replace_load(r->builder, imported, &def, r->error));
        else
            br_yaml_built(r, br_builder_load(r->builder, &def, r->error));
    }
}

// --------------------------------------------------------------------------------------------------------- drives

// Whether the driven coordinate is a length: -1 when the fault is recorded.
static int driven_length(yaml_reader *r, const yaml_node *node, const br_drive_def *def) {
    const br_joint_type type = br_yaml_joint_type(r, def->joint);
    if (r->status != BR_OK || type == BR_JOINT_TYPES) return -1;
    const char *kinds = br_joint_type_coordinates(type);
    const int count = (int)strlen(kinds);
    if (count == 0) {
        br_yaml_fault(r, br_yaml_find(node, "joint"), "joint-coordinates",
                      "joint '%.40s' is a %s, which has no coordinates to drive", def->joint,
                      br_joint_type_name(type));
        return -1;
    }
    if (def->coordinate >= count) {
        const yaml_node *place = br_yaml_find(node, "coordinate");
        br_yaml_fault(r, place, "joint-coordinates", "coordinate is %d, but joint '%.40s' has %d (from 0)",
                      def->coordinate, def->joint, count);
        return -1;
    }
    return kinds[def->coordinate] == 'L';
}

// force on what turns and torque on what slides are taken for a slip.
static void check_effort_word(yaml_reader *r, const yaml_node *value, const char *joint, int length) {
    if (!value) return;
    const char *wrong = length ? "torque" : "force", *right = length ? "force" : "torque";
    if (!strstr(value->key->text, wrong)) return;
    const int most = strncmp(value->key->text, "max_", 4) == 0;
    br_yaml_fault(r, value->key, "yaml-key-kind", "joint '%.40s' %s: write %s%s", joint,
                  length ? "slides" : "turns", most ? "max_" : "", right);
}

static void read_servo(yaml_reader *r, const yaml_node *node, unsigned turns, br_drive_def *def) {
    br_yaml_expect_def(r, node, "servo", &br_def_servo);
    const br_def_field *position = br_def_find(&br_def_servo, "position");
    br_yaml_function(r, br_yaml_need(r, node, "servo", "position", position->example),
                     turns ? BR_DIM_ANGLE : BR_DIM_LENGTH, &def->target);
    br_yaml_read_fields(r, node, "servo", &br_def_servo, turns, def);
}

static void read_drive(yaml_reader *r, const yaml_node *node) {
    static const char *const targets[] = {"torque", "force", "velocity", "position", "servo", NULL};
    static const br_dimension dimensions[] = {BR_DIM_FORCE, BR_DIM_FORCE, BR_DIM_VELOCITY, BR_DIM_LENGTH};
    static const br_drive_type types[] = {BR_DRIVE_EFFORT, BR_DRIVE_EFFORT, BR_DRIVE_VELOCITY,
                                          BR_DRIVE_POSITION, BR_DRIVE_SERVO};
    char what[YAML_WHAT];
    br_yaml_expect_def(r, node, br_yaml_what("drive", node, what), &br_def_drive);
    if (r->status != BR_OK) return;
    br_drive_def def = br_default_drive_def();
    def.name = node->key->text;
    const yaml_node *joint = br_yaml_need(r, node, what, "joint", "NAME");
    if (joint) def.joint = br_yaml_joint_name(r, joint);
    br_yaml_whole(r, br_yaml_find(node, "coordinate"), 0, BR_MAX_JOINT_V - 1, &def.coordinate);
    int which = 0;
    const yaml_node *target = br_yaml_one_of(r, node, what, targets, &which),
                    *limit = br_yaml_field_entry(r, node, what, &br_def_drive, "max_torque");
    if (!target)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no target; write torque, force, velocity, position or servo", what);
    if (r->status != BR_OK) return;
    const int length = driven_length(r, node, &def);
    if (r->status != BR_OK || length < 0) return;
    check_effort_word(r, target, def.joint, length);
    check_effort_word(r, limit, def.joint, length);
    const unsigned turns = length ? 0 : BR_FIELD_TURNS;
    def.type = types[which];
    if (def.type == BR_DRIVE_SERVO)
        read_servo(r, target, turns, &def);
    else
        br_yaml_function(r, target, turns ? br_dimension_turned(dimensions[which]) : dimensions[which],
                         &def.target);
    br_yaml_read_fields(r, node, what, &br_def_drive, turns, &def);
    if (r->status != BR_OK) return;
    const int imported = br_names_find(&r->builder->drive_names, def.name);
    if (imported >= 0 && imported < r->imported_drives)
        br_yaml_built(r, br_builder_replace_drive(r->builder, imported, &def, r->error));
    else
        br_yaml_built(r, br_builder_drive(r->builder, &def, r->error));
}

void br_yaml_read_drives(yaml_reader *r) {
    const yaml_node *drives = br_yaml_find(r->root, "drives");
    if (!drives || yaml_is_empty(drives)) return;
    br_yaml_expect_map(r, drives, "drives");
    for (const yaml_node *node = drives->first; node && r->status == BR_OK; node = node->next)
        read_drive(r, node);
}

// ---------------------------------------------------------------------------------------------------- constraints

static void read_term(yaml_reader *r, const yaml_node *node, const char *what, br_term_def *term) {
    static const char *const joint_keys[] = {"joint", "coordinate", "coefficient", NULL};
    static const char *const body_keys[] = {"body", "at", "direction", "axes", "coefficient", NULL};
    static const char *const kinds[] = {"joint", "body", NULL};
    char place[YAML_WHAT + 24];
    snprintf(place, sizeof place, "term %d of %s", node->index, what);
    br_yaml_expect_map(r, node, place);
    if (r->status != BR_OK) return;
    int which = 0;
    const yaml_node *of = br_yaml_one_of(r, node, place, kinds, &which);
    if (!of)
        br_yaml_fault(r, node, "yaml-missing-key", "%s names neither a joint nor a body; write joint: NAME",
                      place);
    br_yaml_expect_keys(r, node, place, which ? body_keys : joint_keys);
    term->coefficient = br_function_constant(1.0);
    br_yaml_function(r, br_yaml_find(node, "coefficient"), BR_DIM_ANY, &term->coefficient);
    if (r->status != BR_OK) return;
    if (which == 0) {
        term->joint = br_yaml_joint_name(r, of);
        br_yaml_whole(r, br_yaml_find(node, "coordinate"), 0, BR_MAX_JOINT_V - 1, &term->coordinate);
        return;
    }
    yaml_points at;
    term->body = br_yaml_body_name(r, of);
    br_yaml_read_points(r, br_yaml_find(node, "at"), place, term->body, NULL, &at);
    term->point = at.world ? at.point_W : at.X[0].position;
    br_yaml_direction(r, br_yaml_need(r, node, place, "direction", "[x, y, z]"), &term->direction);
    br_yaml_word(r, br_yaml_find(node, "axes"), br_words_term_axes, &term->in_world_axes);
}

void br_yaml_read_constraints(yaml_reader *r) {
    const yaml_node *constraints = br_yaml_find(r->root, "constraints");
    if (!constraints || yaml_is_empty(constraints)) return;
    br_yaml_expect_map(r, constraints, "constraints");
    for (const yaml_node *node = constraints->first; node && r->status == BR_OK; node = node->next) {
        char what[YAML_WHAT];
        br_yaml_expect_def(r, node, br_yaml_what("constraint", node, what), &br_def_constraint);
        const yaml_node *terms =
            r->status == BR_OK ? br_yaml_need(r, node, what, "terms", "[{joint: NAME, coefficient: 1}, ...]")
                               : NULL;
        br_yaml_expect_list(r, terms, -1, "terms");
        if (r->status != BR_OK || !terms) return;
        br_term_def *list = BR_TAKE(r->arena, br_term_def, terms->count);
        if (!list) {
            br_yaml_no_memory(r);
            return;
        }
        for (const yaml_node *term = terms->first; term && r->status == BR_OK; term = term->next)
            read_term(r, term, what, list + term->index);
        br_constraint_def def = {node->key->text, list, terms->count, br_function_constant(0.0)};
        br_yaml_read_fields(r, node, what, &br_def_constraint, 0, &def);
        if (r->status == BR_OK) br_yaml_built(r, br_builder_constraint(r->builder, &def, r->error));
    }
}
