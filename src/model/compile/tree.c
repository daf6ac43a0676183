// Which bodies each joint connects, and the spanning tree: breadth first from the world, joints in the order
// of the file, so that chains between a body and the world are as short as they can be
// (docs/theory/spanning_tree.md).
#include <stdio.h>
#include <string.h>

#include "model/build/station.h"
#include "model/compile/compile.h"

br_status br_compile_find_body(br_compile *c, const br_place *place, const char *field, const char *name,
                               int *out) {
    const int index = br_builder_find_body(c->builder, name);
    if (index < 0 && strcmp(name, BR_WORLD) != 0) return br_fail_unknown_body(place, field, name, c->builder);
    *out = index;
    return BR_OK;
}

static int names_bodies(br_joint_type type) {
    return type != BR_JOINT_GEAR && type != BR_JOINT_RACK_PINION && type != BR_JOINT_TENDON;
}

// What moves in a plane. Others would be planar only by luck of their axes, and their redundant rows are what
// a planar model is there to avoid.
static br_status check_planar_kind(const br_compile *c, const br_joint_def *def, const br_place *place) {
    if (!br_compile_is_planar(c)) return BR_OK;
    const br_joint_kind *kind = br_joint_kind_of(def->type);
    if (!kind || !kind->in_plane) return BR_OK;
    return br_fail_place(place, "planar-joint-kind", br_joint_type_name(def->type),
                         "joint %s is %s, which leaves the plane of a planar model: %s", def->name,
                         kind->name, kind->in_plane);
}

br_status br_compile_ends(br_compile *c) {
    const br_builder *b = c->builder;
    c->joints = b->joint_names.count;
    br_status status = BR_OK;
    for (int j = 0; status == BR_OK && j < c->joints; j++) {
        const br_joint_def *def = &b->joint[j];
        const br_place place = {"joints", def->name, c->error};
        c->def[j] = def;
        c->first[j] = c->second[j] = -1;
        c->X_AF[j] = def->X_AF;
        c->X_BM[j] = def->X_BM;
        if (!names_bodies(def->type)) continue;
        const char *kind = br_joint_type_name(def->type);
        status = br_compile_find_body(c, &place, kind, def->first, &c->first[j]);
        if (status == BR_OK) status = br_compile_find_body(c, &place, kind, def->second, &c->second[j]);
        if (status == BR_OK && c->first[j] >= 0 && c->first[j] == c->second[j]) // two names of one station
            status = br_fail_place(&place, "joint-same-body", kind, "joint %s connects %.80s to itself",
                                   def->name, def->first);
        if (status == BR_OK) status = check_planar_kind(c, def, &place);
    }
    return status;
}

// --- the search --------------------------------------------------------------------------------------------

// Joints at each node; node 0 is the world, node 1 + b body b. Those of node n are joint[start[n] .. start[n
// + 1]), in the order of the file.
typedef struct search {
    int *start, *joint;
    int *queue, head, tail;
    int *reached; // [nodes]
} search;

static int can_carry(const br_joint_def *def) {
    return br_joint_kind_of(def->type) && !def->closes_loop && def->type != BR_JOINT_TENDON;
}

static br_status list_joints(br_compile *c, search *s) {
    const int nodes = c->bodies + 1, joints = c->joints;
    int *at = BR_TAKE(&c->scratch, int, nodes);
    s->start = BR_TAKE(&c->scratch, int, nodes + 1);
    s->joint = BR_TAKE(&c->scratch, int, 2 * (size_t)joints);
    s->queue = BR_TAKE(&c->scratch, int, nodes);
    s->reached = BR_TAKE(&c->scratch, int, nodes);
    if (!br_arena_ok(&c->scratch)) return br_compile_no_memory(c);
    for (int j = 0; j < joints; j++)
        if (can_carry(c->def[j])) s->start[c->first[j] + 2]++, s->start[c->second[j] + 2]++;
    for (int n = 0; n < nodes; n++) s->start[n + 1] += s->start[n];
    for (int n = 0; n < nodes; n++) at[n] = s->start[n];
    for (int j = 0; j < joints; j++)
        if (can_carry(c->def[j])) {
            s->joint[at[c->first[j] + 1]++] = j;
            s->joint[at[c->second[j] + 1]++] = j;
        }
    return BR_OK;
}

static void tree_reach(br_compile *c, search *s, int body, int parent, int joint) {
    s->reached[body + 1] = 1;
    s->queue[s->tail++] = body + 1;
    if (body < 0) return;
    c->parent[body] = parent;
    c->carrier[body] = joint;
    c->reversed[body] = c->first[joint] == body;
}

static void spread(br_compile *c, search *s) {
    while (s->head < s->tail) {
        const int node = s->queue[s->head++], body = node - 1;
        for (int k = s->start[node]; k < s->start[node + 1]; k++) {
            const int j = s->joint[k];
            const int other = c->first[j] == body ? c->second[j] : c->first[j];
            if (!s->reached[other + 1]) tree_reach(c, s, other, body, j);
        }
    }
}

// The joint of a body that no joint connects to the world: it comes after the joints of the file.
static br_status add_free_joint(br_compile *c, int body) {
    br_joint_def *def = BR_TAKE(&c->scratch, br_joint_def, 1);
    char name[BR_MAX_NAME + 8];
    snprintf(name, sizeof name, "%s.free", c->builder->body[body].name);
    char *copy = br_copy_text(&c->scratch, name);
    if (!def || !copy) return br_compile_no_memory(c);
    *def = br_default_joint_def();
    def->name = copy;
    def->type = br_compile_is_planar(c) ? BR_JOINT_PLANAR : BR_JOINT_FREE;
    def->first = BR_WORLD;
    def->second = c->builder->body[body].name;
    const int j = c->joints++;
    c->def[j] = def;
    c->first[j] = -1;
    c->second[j] = body;
    c->X_AF[j] = c->X_BM[j] = br_pose_identity();
    if (br_compile_is_planar(c)) br_compile_planar_frames(c, body, &c->X_AF[j], &c->X_BM[j]);
    return BR_OK;
}

br_status br_compile_tree(br_compile *c) {
    search s = {0};
    br_status status = list_joints(c, &s);
    if (status != BR_OK) return status;
    tree_reach(c, &s, -1, -1, -1);
    spread(c, &s);
    for (int body = 0; body < c->bodies; body++) {
        if (s.reached[body + 1]) continue;
        status = add_free_joint(c, body);
        if (status != BR_OK) return status;
        tree_reach(c, &s, body, -1, c->joints - 1);
        spread(c, &s);
    }
    return BR_OK;
}
