// The path of a tendon: a list of points, pulleys, and shapes that it goes around, or of joints.
#include <stdio.h>
#include <string.h>

#include "io/yaml/tendon.h"
#include "model/def/words.h"

// The other words of a part, by its kind; the first is the kind's own.
static const char *const part_keys[][7] = {
    {"point", "at", NULL},
    {"pulley", NULL},
    {"sphere", "on", "at", "side", NULL},
    {"cylinder", "on", "at", "axis", "side", NULL},
    {"joint", "coordinate", "factor", NULL},
};

// NAME of a body, whose frame's origin it is, or BODY.FRAME.
static void read_place(yaml_reader *r, const yaml_node *name, const char **body, br_pose *X) {
    *X = br_pose_identity();
    if (r->status != BR_OK || !name) return;
    if (name->kind == YAML_SCALAR && !br_yaml_has_body(r, name->text) && strcmp(name->text, BR_WORLD) != 0 &&
        br_yaml_frame_of(r, name, body, X))
        return;
    *body = br_yaml_body_name(r, name);
}

// side: BODY.FRAME, or {BODY: [x, y, z]}.
static void read_side(yaml_reader *r, const yaml_node *node, const char *place, br_tendon_part_def *p) {
    br_pose X = br_pose_identity();
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_SCALAR) {
        read_place(r, node, &p->side_of, &X);
        p->side = X.position;
        return;
    }
    if (node->kind != YAML_MAP || node->count != 1) {
        br_yaml_fault(r, node, "yaml-type",
                      "side of %s is not one point, expected {BODY: [x, y, z]} or BODY.FRAME", place);
        return;
    }
    p->side_of = br_yaml_body_name(r, node->first->key);
    br_yaml_vec3(r, node->first, BR_DIM_LENGTH, &p->side);
}

static void read_part(yaml_reader *r, const yaml_node *node, const char *what, br_tendon_part_def *p) {
    char place[YAML_WHAT + 24];
    int kind = 0;
    br_vec3 axis = br_vec3_unit(2);
    snprintf(place, sizeof place, "part %d of %.90s", node->index + 1, what);
    br_yaml_expect_map(r, node, place);
    if (r->status != BR_OK) return;
    const yaml_node *own = br_yaml_one_of(r, node, place, br_words_tendon, &kind);
    if (!own)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no kind; write point: BODY, or pulley, sphere, cylinder, joint", place);
    br_yaml_expect_keys(r, node, place, part_keys[kind]);
    if (r->status != BR_OK) return;
    p->kind = (br_tendon_part)kind;
    p->pose = br_pose_identity();
    p->factor = 1.0;
    if (kind == BR_TENDON_PULLEY) {
        br_yaml_number(r, own, BR_DIM_NONE, 0, &p->factor);
        return;
    }
    if (kind == BR_TENDON_JOINT) {
        p->of = br_yaml_joint_name(r, own);
        br_yaml_whole(r, br_yaml_find(node, "coordinate"), 0, BR_MAX_JOINT_V - 1, &p->coordinate);
        br_yaml_number(r, br_yaml_find(node, "factor"), BR_DIM_ANY, 0, &p->factor);
        return;
    }
    if (kind != BR_TENDON_POINT) br_yaml_number(r, own, BR_DIM_LENGTH, 0, &p->radius);
    read_place(r, kind == BR_TENDON_POINT ? own : br_yaml_need(r, node, place, "on", "BODY"), &p->of,
               &p->pose);
    br_vec3 at = p->pose.position;
    br_yaml_vec3(r, br_yaml_find(node, "at"), BR_DIM_LENGTH, &at);
    p->pose.position = at;
    if (br_yaml_find(node, "axis")) {
        br_yaml_direction(r, br_yaml_find(node, "axis"), &axis);
        p->pose.rotation = br_quat_from_mat3(br_tangent_basis(axis));
    }
    read_side(r, br_yaml_find(node, "side"), place, p);
}

void br_yaml_read_tendon(yaml_reader *r, const yaml_node *path, const char *what, br_joint_def *def) {
    br_yaml_expect_list(r, path, -1, "points, shapes and pulleys, or joints");
    if (r->status != BR_OK || !path) return;
    br_tendon_part_def *part = BR_TAKE(r->arena, br_tendon_part_def, path->count);
    if (!part) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *node = path->first; node && r->status == BR_OK; node = node->next)
        read_part(r, node, what, &part[node->index]);
    def->path = part;
    def->path_count = path->count;
}
