// Bodies: mass, inertia, pose, velocity, frames, shapes. Poses first, because one may be given in another's frame.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text/text.h"
#include "io/yaml/fields.h"
#include "model/build/builder.h"
#include "model/build/builder_free.h"

static int is_imported(const yaml_reader *r, const yaml_node *body) {
    const int k = br_names_find(&r->builder->body_names, body->key->text);
    return k >= 0 && k < r->imported_bodies && !br_yaml_find(body, "mass");
}

// --------------------------------------------------------------------------------------------------------- poses

// Works out the pose of a body whose `in` leads to bodies that are not known yet. No recursion: a chain may be as long
// as there are bodies. chain: scratch for all of them.
static void resolve_pose(yaml_reader *r, const yaml_node *body, const yaml_node **chain) {
    int length = 0;
    const yaml_node *at = body;
    while (r->status == BR_OK && at && r->known[at->index] == 0) {
        char what[YAML_WHAT], pose_of[YAML_WHAT + 8];
        r->known[at->index] = 1;
        chain[length++] = at;
        br_pose *const X = r->pose + at->index;
        *X = br_pose_identity();
        br_yaml_what("body", at, what);
        snprintf(pose_of, sizeof pose_of, "pose of %s", what);
        const yaml_node *pose = br_yaml_find(at, "pose"), *in = br_yaml_find(pose, "in");
        if (is_imported(r, at) && !in) br_builder_start_pose(r->builder, at->key->text, X);
        br_yaml_pose(r, pose, pose_of, 1, X);
        const char *name = in ? br_yaml_body_name(r, in) : NULL;
        at = name && strcmp(name, BR_WORLD) != 0 ? br_yaml_index_find(&r->bodies, name) : NULL;
        if (r->status == BR_OK && at && r->known[at->index] == 1)
            br_yaml_fault(r, in, "yaml-pose-cycle",
                          "%s is placed in '%.40s', which is placed in it: a circle", pose_of, name);
    }
    // The last of the chain stands in the world or in a body that is known; the others in their follower.
    for (int k = length - 1; k >= 0 && r->status == BR_OK; k--) {
        const yaml_node *in = br_yaml_find(br_yaml_find(chain[k], "pose"), "in");
        const yaml_node *parent = in ? br_yaml_index_find(&r->bodies, in->text) : NULL;
        const int imported = in && !parent && strcmp(in->text, BR_WORLD) != 0;
        br_pose X_WP = parent ? r->pose[parent->index] : br_pose_identity();
        if (imported) br_builder_pose(r->builder, in->text, &X_WP);
        if (parent || imported) r->pose[chain[k]->index] = br_pose_mul(X_WP, r->pose[chain[k]->index]);
        r->known[chain[k]->index] = 2;
    }
}

static void resolve_poses(yaml_reader *r, const yaml_node *bodies) {
    const yaml_node **chain = BR_TAKE(r->arena, const yaml_node *, bodies->count);
    r->pose = BR_TAKE(r->arena, br_pose, bodies->count);
    r->known = BR_TAKE(r->arena, unsigned char, bodies->count);
    if (!chain || !r->pose || !r->known) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *body = bodies->first; body && r->status == BR_OK; body = body->next) {
        char what[YAML_WHAT];
        br_yaml_expect_map(r, body, br_yaml_what("body", body, what));
        resolve_pose(r, body, chain);
    }
}

br_pose br_yaml_body_pose(yaml_reader *r, const char *name) {
    const yaml_node *body = br_yaml_index_find(&r->bodies, name);
    br_pose X = body ? r->pose[body->index] : br_pose_identity();
    if (!body) br_builder_pose(r->builder, name, &X); // a station of a beam
    return X;
}

// ------------------------------------------------------------------------------------------------------- inertia

// About the axis `n` and across it.
static br_sym3 axial(br_vec3 n, double along, double across) {
    const double d = along - across;
    return br_sym3_of(across + d * n.x * n.x, across + d * n.y * n.y, across + d * n.z * n.z, d * n.x * n.y,
                      d * n.x * n.z, d * n.y * n.z);
}

typedef struct solid {
    const char *word;
    const char *keys[5]; // all but axis are needed
} solid;

static const solid solids[] = {
    {"slender", {"length", "axis", NULL}},
    {"box", {"size", NULL}},
    {"sphere", {"radius", NULL}},
    {"cylinder", {"radius", "length", "axis", NULL}},
    {"disk", {"radius", "axis", NULL}},
    {"ellipsoid", {"radii", NULL}},
    {"tube", {"radius", "inner_radius", "length", "axis", NULL}},
};

static br_sym3 solid_inertia(int which, double m, double a, double b, double l, br_vec3 s, br_vec3 n) {
    switch (which) {
    case 0: // slender
        return axial(n, 0.0, m * l * l / 12.0);
    case 1: // box
        return br_sym3_of(m * (s.y * s.y + s.z * s.z) / 12.0, m * (s.x * s.x + s.z * s.z) / 12.0,
                          m * (s.x * s.x + s.y * s.y) / 12.0, 0.0, 0.0, 0.0);
    case 2: // sphere
        return axial(n, 0.4 * m * a * a, 0.4 * m * a * a);
    case 5: // ellipsoid
        return br_sym3_of(m * (s.y * s.y + s.z * s.z) / 5.0, m * (s.x * s.x + s.z * s.z) / 5.0,
                          m * (s.x * s.x + s.y * s.y) / 5.0, 0.0, 0.0, 0.0);
    default: // cylinder, disk (no length), tube
        return axial(n, 0.5 * m * (a * a + b * b), m * (3.0 * (a * a + b * b) + l * l) / 12.0);
    }
}

static void check_positive(yaml_reader *r, const yaml_node *node, double value, int zero) {
    if (r->status != BR_OK || !node || value > 0.0 || (zero && value == 0.0)) return;
    br_yaml_fault(r, node, "yaml-not-positive", "%s is %g, expected > 0", node->key->text, value);
}

static int is_plain_number(const yaml_node *item) {
    double value;
    const io_token token = {item->text, item->text + strlen(item->text)};
    return br_io_parse_double(token, &value) == IO_NUMBER_FINITE;
}

// [3.2 m, 40, 0.5]: millimetres that lost their unit. Told where one number alone is large and has none while the
// others are at most a tenth of it; writing 40 m ends the doubt, too.
static void note_mixed_units(yaml_reader *r, const yaml_node *list, const char *place, br_vec3 size) {
    static const double large = 10.0; // m, and times the others
    const yaml_node *doubt = NULL, *with_unit = NULL;
    double other = 0.0;
    for (const yaml_node *item = list->first; r->status == BR_OK && item; item = item->next) {
        const double value = br_vec3_get(size, item->index);
        if (!doubt && value >= large && is_plain_number(item)) {
            doubt = item;
            continue;
        }
        other = fmax(other, value);
        const size_t digits = strspn(item->text, "0123456789.+-eE");
        if (digits > 0 && item->text[digits] && !is_plain_number(item) && !strchr(item->text, '$'))
            with_unit = item;
    }
    if (r->status != BR_OK || !doubt || !with_unit) return;
    const double value = br_vec3_get(size, doubt->index);
    char line[BR_MAX_ERROR_TEXT], shown[YAML_SHOWN];
    if (!(value > large * other)) return;
    snprintf(line, sizeof line,
             "%s: %s[%d] is %.6g without a unit beside %s, and so %.6g m; write %.6g m or %.6g mm", place,
             list->key->text, doubt->index, value,
             br_yaml_show(with_unit->text, (size_t)with_unit->count, shown), value, value, value);
    r->status = br_builder_note(r->builder, line, r->error);
}

static void read_solid(yaml_reader *r, const yaml_node *node, const char *what, double mass, br_sym3 *out) {
    static const char *const words[] = {"slender", "box",       "sphere", "cylinder",
                                        "disk",    "ellipsoid", "tube",   NULL};
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "inertia of %s", what);
    br_yaml_expect_keys(r, node, place, words);
    if (r->status != BR_OK) return;
    int which = 0;
    const yaml_node *form = br_yaml_one_of(r, node, place, words, &which);
    if (!form) br_yaml_fault(r, node, "yaml-empty", "%s is empty", place);
    br_yaml_expect_keys(r, form, words[which], solids[which].keys);
    double radius = 0.0, inner = 0.0, length = 0.0;
    br_vec3 size = {0.0, 0.0, 0.0}, axis = br_vec3_unit(2);
    for (int k = 0; r->status == BR_OK && solids[which].keys[k]; k++) {
        const char *key = solids[which].keys[k];
        const int vector = strcmp(key, "size") == 0 || strcmp(key, "radii") == 0;
        const yaml_node *value = br_yaml_find(form, key);
        if (strcmp(key, "axis") == 0) {
            br_yaml_direction(r, value, &axis);
        } else if (vector) {
            br_yaml_vec3(r, br_yaml_need(r, form, words[which], key, "[X m, Y m, Z m]"), BR_DIM_LENGTH,
                         &size);
            for (int i = 0; i < 3; i++) check_positive(r, value, br_vec3_get(size, i), 0);
            if (r->status == BR_OK) note_mixed_units(r, value, place, size);
        } else {
            double *const to = key[0] == 'r' ? &radius : key[0] == 'i' ? &inner : &length;
            br_yaml_number(r, br_yaml_need(r, form, words[which], key, "NUMBER m"), BR_DIM_LENGTH, 0, to);
            check_positive(r, value, *to, key[0] == 'i');
        }
    }
    if (r->status == BR_OK && inner >= radius && which == 6)
        br_yaml_fault(r, br_yaml_find(form, "inner_radius"), "yaml-range",
                      "inner_radius is %g, expected less than radius (%g)", inner, radius);
    if (r->status == BR_OK) *out = solid_inertia(which, mass, radius, inner, length, size, axis);
}

static void read_inertia(yaml_reader *r, const yaml_node *node, const char *what, double mass, br_sym3 *out) {
    double v[6] = {0.0};
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_MAP) {
        read_solid(r, node, what, mass, out);
        return;
    }
    if (node->kind == YAML_SCALAR && r->planar != BR_SPATIAL && !yaml_is_empty(node)) {
        // In a plane only the inertia about its normal matters; the same about every axis is a valid tensor.
        br_yaml_number(r, node, BR_DIM_INERTIA, 0, v);
        if (r->status == BR_OK) *out = br_sym3_of(v[0], v[0], v[0], 0.0, 0.0, 0.0);
        return;
    }
    br_yaml_expect_whole(r, node);
    if (node->kind == YAML_LIST && node->first && node->first->kind == YAML_LIST)
        br_yaml_fault(
            r, node, "yaml-type",
            "inertia is a matrix, expected its entries: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]");
    if (node->kind == YAML_LIST && node->count == 6)
        br_yaml_numbers(r, node, BR_DIM_INERTIA, 0, 6, v);
    else if (node->kind == YAML_LIST && node->count != 3 && node->count > 0)
        br_yaml_fault(r, node, "yaml-count",
                      "inertia has %d numbers, expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]",
                      node->count);
    else
        br_yaml_numbers(r, node, BR_DIM_INERTIA, 0, 3, v);
    if (r->status == BR_OK) *out = br_sym3_of(v[0], v[1], v[2], v[3], v[4], v[5]);
}

// ---------------------------------------------------------------------------------------------------- one body

static void read_velocity(yaml_reader *r, const yaml_node *body, const char *what, br_body_def *def) {
    static const char *const keys[] = {"linear", "angular", "euler_rates_zxy", NULL};
    static const char *const turns[] = {"angular", "euler_rates_zxy", NULL};
    const yaml_node *node = br_yaml_find(body, "velocity");
    if (!node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "velocity of %s", what);
    br_yaml_expect_keys(r, node, place, keys);
    int which = 0;
    br_vec3 rate = {0.0, 0.0, 0.0};
    const yaml_node *turn = br_yaml_one_of(r, node, place, turns, &which);
    br_yaml_vec3(r, br_yaml_find(node, "linear"), BR_DIM_VELOCITY, &def->velocity);
    br_yaml_vec3(r, turn, BR_DIM_ANGULAR_VELOCITY, &rate);
    if (r->status != BR_OK) return;
    def->has_velocity = 1;
    if (which == 0) {
        def->angular_velocity = rate;
        return;
    }
    // The angles as written where they are, so that rates at b = 90 deg mean what was written.
    br_vec3 angles = br_quat_to_euler(BR_EULER_ZXY, def->pose.rotation);
    const yaml_node *pose = br_yaml_find(body, "pose");
    if (!br_yaml_find(pose, "in")) br_yaml_vec3(r, br_yaml_find(pose, "euler_zxy"), BR_DIM_ANGLE, &angles);
    def->angular_velocity = br_mat3_mul_vec(br_euler_rate_map(BR_EULER_ZXY, angles), rate);
}

static void read_frames(yaml_reader *r, const yaml_node *node, const char *what, br_body_def *def) {
    if (!node) return;
    char place[YAML_WHAT + 16], frame_what[YAML_WHAT];
    snprintf(place, sizeof place, "frames of %s", what);
    br_yaml_expect_map(r, node, place);
    if (r->status != BR_OK) return;
    br_frame_def *frames = BR_TAKE(r->arena, br_frame_def, node->count);
    if (!frames) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *frame = node->first; frame && r->status == BR_OK; frame = frame->next) {
        frames[frame->index].name = frame->key->text;
        frames[frame->index].pose = br_pose_identity();
        br_yaml_pose(r, frame, br_yaml_what("frame", frame, frame_what), 0, &frames[frame->index].pose);
    }
    def->frames = frames;
    def->frame_count = node->count;
}

// A body of an imported file that moves freely is placed; everything else of it stays.
static void amend_body(yaml_reader *r, const yaml_node *body, const char *what) {
    static const char *const keys[] = {"pose", "velocity", NULL};
    const char *name = body->key->text, *holder = br_builder_holder(r->builder, name);
    br_body_def def = br_default_body_def();
    br_yaml_expect_keys(r, body, what, keys);
    if (r->status == BR_OK && holder)
        br_yaml_fault(r, body, "import-held",
                      "%s hangs on joint '%.60s', which places it; write joints: {%.60s: {position: ...}}",
                      what, holder, holder);
    def.pose = r->pose[body->index];
    read_velocity(r, body, what, &def);
    const br_vec3 velocity[2] = {def.velocity, def.angular_velocity};
    if (r->status == BR_OK)
        br_yaml_built(r, br_builder_place_free(r->builder, name, &def.pose,
                                               def.has_velocity ? velocity : NULL, r->error));
}

static void read_body(yaml_reader *r, const yaml_node *body) {
    char what[YAML_WHAT];
    if (is_imported(r, body)) {
        amend_body(r, body, br_yaml_what("body", body, what));
        return;
    }
    br_yaml_expect_def(r, body, br_yaml_what("body", body, what), &br_def_body);
    if (r->status != BR_OK) return;
    br_body_def def = br_default_body_def();
    br_shape_def *shapes = NULL;
    def.name = body->key->text;
    def.pose = r->pose[body->index];
    br_yaml_read_fields(r, body, what, &br_def_body, 0, &def);
    read_inertia(r, br_yaml_find(body, "inertia"), what, def.mass, &def.inertia);
    read_velocity(r, body, what, &def);
    read_frames(r, br_yaml_find(body, "frames"), what, &def);
    br_yaml_read_shapes(r, br_yaml_find(body, "shapes"), what, &shapes, &def.shape_count);
    def.shapes = shapes;
    if (r->status == BR_OK) br_yaml_built(r, br_builder_body(r->builder, &def, r->error));
}

void br_yaml_read_bodies(yaml_reader *r) {
    const yaml_node *bodies = br_yaml_find(r->root, "bodies"), *ground = br_yaml_find(r->root, "ground");
    if (bodies && !yaml_is_empty(bodies)) {
        br_yaml_expect_map(r, bodies, "bodies");
        if (r->status == BR_OK) resolve_poses(r, bodies);
        for (const yaml_node *body = bodies->first; body && r->status == BR_OK; body = body->next)
            read_body(r, body);
    }
    br_shape_def *shapes = NULL;
    int count = 0;
    br_yaml_read_shapes(r, ground, "the ground", &shapes, &count);
    const yaml_node *item = count > 0 ? ground->first : NULL;
    for (int k = 0; k < count && r->status == BR_OK; k++, item = item->next) {
        const br_status status = br_builder_ground(r->builder, shapes + k, r->error);
        if (status != BR_OK) br_yaml_locate(item, r->error); // the builder does not count them
        br_yaml_built(r, status);
    }
}
