// Joints: what they connect, where, and the numbers of each coordinate.
#include <stdio.h>
#include <string.h>

#include "io/yaml/fields.h"
#include "io/yaml/points.h"
#include "io/yaml/tendon.h"
#include "model/build/builder.h"
#include "model/build/builder_free.h"
#include "tree/joint.h"

// Words of other programs for the same kinds.
static const struct {
    const char *word;
    br_joint_type type;
} synonyms[] = {
    {"hinge", BR_JOINT_REVOLUTE},   {"pin", BR_JOINT_REVOLUTE},     {"continuous", BR_JOINT_REVOLUTE},
    {"slider", BR_JOINT_PRISMATIC}, {"slide", BR_JOINT_PRISMATIC},  {"translational", BR_JOINT_PRISMATIC},
    {"ball", BR_JOINT_SPHERICAL},   {"fixed", BR_JOINT_WELD},       {"rigid", BR_JOINT_WELD},
    {"hooke", BR_JOINT_UNIVERSAL},  {"cardan", BR_JOINT_UNIVERSAL}, {"floating", BR_JOINT_FREE},
    {"rack", BR_JOINT_RACK_PINION}, {"rod", BR_JOINT_DISTANCE},
};

// ----------------------------------------------------------------------------------------- numbers of coordinates

// A number for a joint of one coordinate, or for all when they are alike; else a list with one for each.
static void read_coordinates(yaml_reader *r, const yaml_node *node, br_joint_type type, br_dimension d,
                             unsigned flags, double *out) {
    if (r->status != BR_OK || !node) return;
    const char *kinds = br_joint_type_coordinates(type);
    const int count = (int)strlen(kinds),
              alike = count > 0 && (int)strspn(kinds, kinds[0] == 'L' ? "L" : "AR") == count;
    if (count == 0) {
        br_yaml_fault(r, node, "joint-coordinates", "%s is given, but a %s joint has no coordinates",
                      node->key->text, br_joint_type_name(type));
        return;
    }
    if (node->kind == YAML_SCALAR && alike) {
        br_yaml_number(r, node, kinds[0] == 'L' ? d : br_dimension_turned(d), flags, out);
        for (int k = 1; k < count; k++) out[k] = out[0];
        return;
    }
    if (node->kind == YAML_SCALAR || node->kind == YAML_MAP || node->count != count)
        br_yaml_expect_list(r, node, count, "numbers");
    int k = 0;
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next, k++)
        br_yaml_number(r, item, kinds[k] == 'L' ? d : br_dimension_turned(d), flags, out + k);
}

static void read_position(yaml_reader *r, const yaml_node *node, br_joint_def *def) {
    if (r->status != BR_OK || !node) return;
    const char *kinds = br_joint_type_coordinates(def->type);
    const int nq = br_joint_type_positions(def->type), plain = (int)strspn(kinds, "LA");
    def->has_position = 1;
    if (nq == plain || nq == 0) {
        read_coordinates(r, node, def->type, BR_DIM_LENGTH, 0, def->position);
        return;
    }
    br_yaml_expect_list(r, node, nq, "numbers (a quaternion [w, x, y, z] last)");
    int k = 0;
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next, k++)
        br_yaml_number(r, item, k < plain ? BR_DIM_LENGTH : BR_DIM_NONE, 0, def->position + k);
}

static void read_limits(yaml_reader *r, const yaml_node *node, br_joint_def *def) {
    if (r->status != BR_OK || !node) return;
    const char *kinds = br_joint_type_coordinates(def->type);
    const int count = (int)strlen(kinds), single = count == 1;
    if (count == 0) {
        br_yaml_fault(r, node, "joint-coordinates", "limits is given, but a %s joint has no coordinates",
                      br_joint_type_name(def->type));
        return;
    }
    br_yaml_expect_list(r, node, single ? 2 : count, single ? "numbers" : "pairs [lower, upper]");
    const yaml_node *item = node->first;
    for (int k = 0; k < count && r->status == BR_OK; k++, item = single ? item : item->next) {
        const yaml_node *pair = single ? node : item;
        if (pair->kind != YAML_LIST || pair->count != 2) {
            br_yaml_fault(r, pair, "yaml-count", "limits[%d] is not a pair [lower, upper]", k);
            return;
        }
        const br_dimension d = kinds[k] == 'L' ? BR_DIM_LENGTH : BR_DIM_ANGLE;
        br_yaml_number(r, pair->first, d, BR_QUANTITY_INFINITE, def->lower + k);
        br_yaml_number(r, pair->last, d, BR_QUANTITY_INFINITE, def->upper + k);
    }
}

static void read_spring(yaml_reader *r, const yaml_node *node, const char *what, br_joint_def *def) {
    static const char *const keys[] = {"stiffness", "rest", NULL};
    static const char *const tendon_keys[] = {"stiffness", "rest", "slack", NULL};
    if (r->status != BR_OK || !node) return;
    if (node->kind != YAML_MAP) {
        read_coordinates(r, node, def->type, BR_DIM_STIFFNESS, 0, def->stiffness);
        return;
    }
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "spring of %s", what);
    br_yaml_expect_keys(r, node, place, def->type == BR_JOINT_TENDON ? tendon_keys : keys);
    br_yaml_number(r, br_yaml_find(node, "slack"), BR_DIM_LENGTH, BR_QUANTITY_INFINITE, &def->slack);
    read_coordinates(r, br_yaml_need(r, node, place, "stiffness", "NUMBER"), def->type, BR_DIM_STIFFNESS, 0,
                     def->stiffness);
    read_coordinates(r, br_yaml_find(node, "rest"), def->type, BR_DIM_LENGTH, 0, def->rest);
}

// Of the joint's reaction: m/N along its forces, or both kinds by name.
static void read_compliance(yaml_reader *r, const yaml_node *node, const char *what, br_joint_def *def) {
    if (r->status != BR_OK || !node) return;
    if (node->kind != YAML_MAP) {
        br_yaml_number(r, node, BR_DIM_COMPLIANCE, 0, &def->compliance_translation);
        return;
    }
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "compliance of %s", what);
    br_yaml_expect_def(r, node, place, &br_def_joint_compliance);
    br_yaml_read_fields(r, node, place, &br_def_joint_compliance, 0, def);
}

static void read_numbers(yaml_reader *r, const yaml_node *node, const char *what, br_joint_def *def) {
    const yaml_node *v = br_yaml_find(node, "velocity");
    read_limits(r, br_yaml_find(node, "limits"), def);
    read_spring(r, br_yaml_find(node, "spring"), what, def);
    for (const br_def_field *f = br_def_joint.field; f < br_def_joint.field + br_def_joint.fields; f++)
        if (f->type == BR_FIELD_COORDINATES)
            read_coordinates(r, br_yaml_find(node, f->key), def->type, f->dimension, 0,
                             (double *)((char *)def + f->offset));
    read_position(r, br_yaml_find(node, "position"), def);
    read_coordinates(r, v, def->type, BR_DIM_VELOCITY, 0, def->velocity);
    def->has_velocity = v != NULL;
    read_compliance(r, br_yaml_find(node, "compliance"), what, def);
    br_yaml_read_friction(r, br_yaml_find(node, "friction"), what, def->type, &def->friction);
}

// Keys that only some kinds have a use for: given to another kind they would be lost without a word.
static void read_parameters(yaml_reader *r, const yaml_node *node, const char *what, br_joint_def *def) {
    enum { NUMBERS, AXES, MISSING, PASSES }; // what is told first
    const char *const kind = br_joint_type_name(def->type);
    for (int pass = 0; pass < PASSES; pass++)
        for (const br_def_field *f = br_def_joint.field; f < br_def_joint.field + br_def_joint.fields; f++) {
            if (!f->only) continue;
            const yaml_node *value = br_yaml_find(node, f->key);
            const int own = strcmp(f->only, kind) == 0;
            if (value && !own && pass == (f->type == BR_FIELD_KEY ? AXES : NUMBERS))
                br_yaml_fault(r, value->key, "yaml-key-kind", "%s belongs to %s joints, and %s is %s", f->key,
                              f->only, what, kind);
            if (own && pass == MISSING && f->example &&
                !br_yaml_field_entry(r, node, what, &br_def_joint, f->key))
                br_yaml_need(r, node, what, f->key, f->example);
        }
    br_yaml_read_fields(r, node, what, &br_def_joint, 0, def);
}

// ------------------------------------------------------------------------------------------------------ placement

typedef struct axis_pair {
    int given[2];    // the axis seen from the first and from the second body
    br_vec3 axis[2]; // world, at the poses as given
} axis_pair;

// [x, y, z] in the world, {BODY: [x, y, z]} in a body's axes, or one for each body.
static void read_axis(yaml_reader *r, const yaml_node *node, const char *what, const br_joint_def *def,
                      axis_pair *out) {
    char name[YAML_SHOWN]; // axis, or axes[0]
    if (r->status != BR_OK || !node) return;
    if (node->kind != YAML_MAP) {
        br_yaml_direction(r, node, &out->axis[0]);
        out->axis[1] = out->axis[0];
        out->given[0] = out->given[1] = 1;
        return;
    }
    for (const yaml_node *entry = node->first; entry && r->status == BR_OK; entry = entry->next) {
        const int second = strcmp(entry->key->text, def->second) == 0;
        if (!second && strcmp(entry->key->text, def->first) != 0) {
            br_yaml_fault(r, entry->key, "yaml-reference",
                          "%s names '%.40s', expected '%.40s' or '%.40s' (%s)",
                          br_yaml_field_name(node, name), entry->key->text, def->first, def->second, what);
            return;
        }
        br_vec3 axis = {0.0, 0.0, 0.0};
        br_yaml_direction(r, entry, &axis);
        out->axis[second] = br_pose_vector(br_yaml_body_pose(r, second ? def->second : def->first), axis);
        out->given[second] = 1;
    }
    if (node->count == 0)
        br_yaml_fault(r, node, "yaml-empty", "%s of %s is empty", br_yaml_field_name(node, name), what);
    for (int k = 0; k < 2; k++)
        if (!out->given[k] && out->given[1 - k]) out->axis[k] = out->axis[1 - k], out->given[k] = 1;
}

static int needs_axis(const yaml_reader *r, br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    if (!kind || kind->axis == BR_AXIS_NONE) return 0;
    return kind->axis != BR_AXIS_NORMAL || r->planar == BR_SPATIAL; // in a plane its normal
}

static void read_axes(yaml_reader *r, const yaml_node *node, const char *what, const br_joint_def *def,
                      int framed, axis_pair *z, axis_pair *x) {
    static const char *const forms[] = {"axes", "axis", NULL};
    static const char *const second_forms[] = {"axes", "axis_2", NULL};
    int which = 0;
    br_yaml_one_of(r, node, what, forms, &which);
    br_yaml_one_of(r, node, what, second_forms, &which);
    const yaml_node *axes = br_yaml_find(node, "axes"), *axis = br_yaml_find(node, "axis"),
                    *other = br_yaml_find(node, "axis_2");
    // axis: [[..], [..]] is the same as axes.
    if (!axes && !other && def->type == BR_JOINT_UNIVERSAL && axis && axis->kind == YAML_LIST &&
        axis->first && axis->first->kind == YAML_LIST)
        axes = axis;
    if (axes) {
        br_yaml_expect_list(r, axes, 2, "directions [x, y, z]");
        if (r->status != BR_OK) return;
        axis = axes->first;
        other = axes->last;
    }
    if (!axis && needs_axis(r, def->type) && !framed)
        br_yaml_fault(r, node, "yaml-missing-key", "%s has no axis; write axis: [x, y, z]", what);
    if (axis && !other && def->type == BR_JOINT_UNIVERSAL)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no axis_2; write axis_2: [x, y, z], fixed on its second body", what);
    read_axis(r, axis, what, def, z);
    read_axis(r, other, what, def, x);
}

// The frame of side k at its own point, with its own axes where the two sides differ.
static void place_side(yaml_reader *r, br_joint_def *def, int k, const yaml_points *at, br_vec3 point_W,
                       const axis_pair *z, const axis_pair *x) {
    const br_pose X_WB = br_yaml_body_pose(r, k ? def->second : def->first);
    br_vec3 axis = z->axis[k], across = x->axis[k];
    int has_axis = z->given[k], has_across = x->given[k];
    const int from = at->frame[k] ? k : at->frame[1 - k] ? 1 - k : -1;
    if (!has_axis && from >= 0) {
        const br_quat R =
            br_quat_mul(br_yaml_body_pose(r, from ? def->second : def->first).rotation, at->X[from].rotation);
        axis = br_quat_rotate(R, br_vec3_unit(2));
        across = br_quat_rotate(R, br_vec3_unit(0));
        has_axis = has_across = 1;
    }
    const br_vec3 point = at->given[k] ? br_pose_point(X_WB, at->X[k].position) : point_W;
    br_joint_def placed = *def;
    br_yaml_built(r, br_builder_place_joint(r->builder, &placed, point, has_axis ? &axis : NULL,
                                            has_across ? &across : NULL, r->error));
    if (r->status != BR_OK) return;
    if (k == 0)
        def->X_AF = placed.X_AF;
    else
        def->X_BM = placed.X_BM;
    // To the last bit what was written.
    if (at->given[k]) (k ? &def->X_BM : &def->X_AF)->position = at->X[k].position;
    if (at->frame[k] && !z->given[k]) (k ? &def->X_BM : &def->X_AF)->rotation = at->X[k].rotation;
}

void br_yaml_place_joint(yaml_reader *r, const yaml_node *node, const char *what, br_joint_def *def) {
    yaml_points at;
    axis_pair z = {0}, x = {0};
    br_yaml_read_points(r, br_yaml_find(node, "at"), what, def->first, def->second, &at);
    if (r->status != BR_OK) return;
    read_axes(r, node, what, def, at.frame[0] || at.frame[1], &z, &x);
    if (r->status != BR_OK) return;
    br_vec3 point = br_yaml_body_pose(r, def->second).position;
    for (int k = 0; k < 2; k++)
        if (at.given[k])
            point = br_pose_point(br_yaml_body_pose(r, k ? def->second : def->first), at.X[k].position);
    if (at.world) point = at.point_W;
    for (int k = 0; k < 2; k++) place_side(r, def, k, &at, point, &z, &x);
}

// ------------------------------------------------------------------------------------------------------ one joint

// The two names of `KIND: [A, B]`.
static void read_ends(yaml_reader *r, const yaml_node *pair, const char *what, br_joint_def *def) {
    const int coupling = def->type == BR_JOINT_GEAR || def->type == BR_JOINT_RACK_PINION;
    if (def->type == BR_JOINT_TENDON) {
        br_yaml_read_tendon(r, pair, what, def);
        return;
    }
    br_yaml_expect_list(r, pair, 2, coupling ? "names of joints" : "names of bodies");
    if (r->status != BR_OK || !pair) return;
    for (int k = 0; k < 2; k++) {
        const yaml_node *item = k ? pair->last : pair->first;
        const char **const out = k ? &def->second : &def->first;
        br_yaml_text(r, item, out);
        if (r->status != BR_OK) return;
        if (!coupling)
            br_yaml_body_name(r, item);
        else if (!br_yaml_has_body(r, *out))
            br_yaml_joint_name(r, item);
    }
}

static void unknown_kind(yaml_reader *r, const yaml_node *node, const char *what) {
    for (const yaml_node *value = node->first; value; value = value->next)
        for (size_t k = 0; k < sizeof synonyms / sizeof synonyms[0]; k++)
            if (strcmp(value->key->text, synonyms[k].word) == 0)
                br_yaml_fault(r, value->key, "yaml-unknown-key",
                              "'%s' is not a kind of joint here; write %s: [A, B]", synonyms[k].word,
                              br_joint_type_name(synonyms[k].type));
    br_yaml_expect_def(r, node, what, &br_def_joint);
    const char *near =
        r->imported_joints > 0 ? br_names_nearest(&r->builder->joint_names, node->key->text) : NULL;
    if (near)
        br_yaml_fault(
            r, node, "yaml-missing-key",
            "%s has no kind, and the imported file has no joint of that name; did you mean '%.60s'?", what,
            near);
    br_yaml_fault(r, node, "yaml-missing-key",
                  "%s has no kind; write revolute: [BODY, BODY], or prismatic, spherical, ...", what);
}

br_joint_type br_yaml_joint_type(yaml_reader *r, const char *name) {
    const yaml_node *joint = br_yaml_index_find(&r->joints, name);
    const int imported = br_names_find(&r->builder->joint_names, name);
    if (imported >= 0 && imported < r->imported_joints) return r->builder->joint[imported].type;
    if (!joint) return r->planar == BR_SPATIAL ? BR_JOINT_FREE : BR_JOINT_PLANAR; // BODY.free
    for (int k = 0; k < BR_JOINT_TYPES; k++)
        if (br_yaml_find(joint, br_joint_type_name((br_joint_type)k))) return (br_joint_type)k;
    return BR_JOINT_TYPES;
}

// A joint of an imported file keeps its kind and place; what is given here is changed.
static void amend_joint(yaml_reader *r, const yaml_node *node, const char *what, int imported) {
    const char *keys[BR_MAX_FIELDS];
    br_joint_def def = r->builder->joint[imported];
    const int had_velocity = def.has_velocity;
    br_def_keys(&br_def_joint, BR_FIELD_IMPORTED, keys);
    br_yaml_expect_keys(r, node, what, keys);
    if (br_yaml_find(node, "friction")) def.friction = br_default_joint_def().friction;
    read_numbers(r, node, what, &def);
    def.has_velocity |= had_velocity;
    if (r->status == BR_OK) br_yaml_built(r, br_builder_replace_joint(r->builder, imported, &def, r->error));
}

// BODY.free of an imported body that has no joint: position and velocity as a free joint has them.
static int places_free_body(yaml_reader *r, const yaml_node *node, const char *what) {
    static const char *const keys[] = {"position", "velocity", NULL};
    const char *dot = strrchr(node->key->text, '.');
    char name[BR_MAX_NAME];
    if (!dot || strcmp(dot, ".free") != 0 || dot - node->key->text >= BR_MAX_NAME) return 0;
    snprintf(name, sizeof name, "%.*s", (int)(dot - node->key->text), node->key->text);
    const int k = br_names_find(&r->builder->body_names, name);
    br_pose X = br_pose_identity();
    if (k < 0 || k >= r->imported_bodies || br_builder_holder(r->builder, name)) return 0;
    br_joint_def def = br_default_joint_def();
    def.type = BR_JOINT_FREE;
    br_yaml_expect_keys(r, node, what, keys);
    read_numbers(r, node, what, &def);
    br_builder_start_pose(r->builder, name, &X);
    const double *q = def.position, *v = def.velocity;
    if (def.has_position) X = br_pose_of(br_quat_of(q[3], q[4], q[5], q[6]), br_vec3_of(q[0], q[1], q[2]));
    if (r->status == BR_OK && !(br_quat_norm(X.rotation) > 1e-6))
        br_yaml_fault(r, node, "yaml-range",
                      "%s: the quaternion of its position is zero, expected a rotation", what);
    if (r->status != BR_OK) return 1;
    X.rotation = br_quat_normalize(X.rotation);
    const br_vec3 w = br_quat_rotate(X.rotation, br_vec3_of(v[3], v[4], v[5]));
    const br_vec3 com = br_quat_rotate(X.rotation, r->builder->body[k].com);
    const br_vec3 rates[2] = {br_vec3_add(br_vec3_of(v[0], v[1], v[2]), br_vec3_cross(w, com)), w};
    br_yaml_built(r, br_builder_place_free(r->builder, name, &X, def.has_velocity ? rates : NULL, r->error));
    return 1;
}

static void read_joint(yaml_reader *r, const yaml_node *node) {
    char what[YAML_WHAT];
    br_yaml_expect_map(r, node, br_yaml_what("joint", node, what));
    if (r->status != BR_OK) return;
    int type = 0;
    const yaml_node *pair = br_yaml_one_of(r, node, what, br_words_joint, &type);
    const int imported = br_names_find(&r->builder->joint_names, node->key->text);
    if (!pair && imported >= 0 && imported < r->imported_joints) {
        amend_joint(r, node, what, imported);
        return;
    }
    if (!pair && places_free_body(r, node, what)) return;
    if (!pair) unknown_kind(r, node, what);
    br_yaml_expect_def(r, node, what, &br_def_joint);
    if (r->status != BR_OK) return;
    br_joint_def def = br_default_joint_def();
    def.name = node->key->text;
    def.type = (br_joint_type)type;
    read_ends(r, pair, what, &def);
    read_parameters(r, node, what, &def);
    if (type == BR_JOINT_GEAR || type == BR_JOINT_RACK_PINION || type == BR_JOINT_TENDON) {
        static const char *const places[] = {"at", "axis", NULL};
        int which = 0;
        const yaml_node *given = br_yaml_find(node, "at") ? br_yaml_find(node, "at")
                                                          : br_yaml_one_of(r, node, what, places, &which);
        if (given)
            br_yaml_fault(r, given->key, "yaml-key-kind", "%s has no place of its own: %s %s",
                          given->key->text, what,
                          type == BR_JOINT_TENDON ? "says for each part where it is" : "couples two joints");
    } else {
        br_yaml_place_joint(r, node, what, &def);
    }
    read_numbers(r, node, what, &def);
    if (r->status == BR_OK) br_yaml_built(r, br_builder_joint(r->builder, &def, r->error));
}

void br_yaml_read_joints(yaml_reader *r) {
    const yaml_node *joints = br_yaml_find(r->root, "joints");
    if (!joints || yaml_is_empty(joints)) return;
    br_yaml_expect_map(r, joints, "joints");
    for (const yaml_node *node = joints->first; node && r->status == BR_OK; node = node->next)
        read_joint(r, node);
}
