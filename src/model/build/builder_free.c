// Bodies of imported files that move freely, placed from outside: those without any joint by their own pose, those with a free joint of
// their own by its position. What hangs on them moves along.
#include <string.h>

#include "model/build/builder.h"
#include "model/build/builder_free.h"

// The joint that holds a body in the tree; -1: none.
static int holder_of(const br_builder *b, const char *body) {
    for (int j = 0; j < b->joint_names.count; j++) {
        const br_joint_def *def = &b->joint[j];
        const int couples = def->type == BR_JOINT_GEAR || def->type == BR_JOINT_RACK_PINION;
        if (!couples && !def->closes_loop && strcmp(def->second, body) == 0) return j;
    }
    return -1;
}

static int is_free(const br_joint_def *def) {
    return def->type == BR_JOINT_FREE && strcmp(def->first, BR_WORLD) == 0;
}

const char *br_builder_holder(const br_builder *b, const char *body) {
    const int j = holder_of(b, body);
    return j < 0 || is_free(&b->joint[j]) ? NULL : b->joint[j].name;
}

int br_builder_start_pose(const br_builder *b, const char *body, br_pose *X_WB) {
    const int j = holder_of(b, body), k = br_names_find(&b->body_names, body);
    if (k < 0) return 0;
    *X_WB = b->body[k].pose;
    if (j < 0 || !is_free(&b->joint[j]) || !b->joint[j].has_position) return 1;
    const double *q = b->joint[j].position;
    *X_WB = br_pose_of(br_quat_normalize(br_quat_of(q[3], q[4], q[5], q[6])), br_vec3_of(q[0], q[1], q[2]));
    return 1;
}

// Joints may stand in any order, so passes until nothing more is found to hang on it.
static br_status move_along(br_builder *b, int root, br_pose X, br_error *error) {
    const int bodies = b->body_names.count;
    unsigned char *moves = BR_TAKE(&b->arena, unsigned char, bodies);
    if (!moves) return br_builder_no_memory(error);
    moves[root] = 1;
    for (int found = 1; found;) {
        found = 0;
        for (int j = 0; j < b->joint_names.count; j++) {
            const br_joint_def *def = &b->joint[j];
            if (def->type == BR_JOINT_GEAR || def->type == BR_JOINT_RACK_PINION || def->closes_loop) continue;
            const int first = br_names_find(&b->body_names, def->first),
                      second = br_names_find(&b->body_names, def->second);
            if (first >= 0 && second >= 0 && moves[first] && !moves[second]) found = moves[second] = 1;
        }
    }
    for (int k = 0; k < bodies; k++)
        if (moves[k]) b->body[k].pose = br_pose_mul(X, b->body[k].pose);
    return BR_OK;
}

br_status br_builder_place_free(br_builder *b, const char *body, const br_pose *X_WB,
                                const br_vec3 velocity[2], br_error *error) {
    const int j = holder_of(b, body), k = br_names_find(&b->body_names, body);
    br_body_def *def = &b->body[k];
    if (j < 0) {
        const br_status status = move_along(b, k, br_pose_mul(*X_WB, br_pose_inverse(def->pose)), error);
        if (status != BR_OK) return status;
        def->pose = *X_WB; // to the bit
        if (velocity) def->has_velocity = 1, def->velocity = velocity[0], def->angular_velocity = velocity[1];
        return BR_OK;
    }
    br_joint_def joint = b->joint[j];
    const br_vec3 p = X_WB->position;
    const br_quat q = X_WB->rotation;
    const double position[] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    joint.has_position = 1;
    memcpy(joint.position, position, sizeof position);
    if (velocity) { // the joint's is of the frame's origin, and turns in the body's axes
        const br_vec3 com = br_quat_rotate(q, def->com);
        const br_vec3 v = br_vec3_sub(velocity[0], br_vec3_cross(velocity[1], com)),
                      w = br_quat_rotate(br_quat_conjugate(q), velocity[1]);
        const double rates[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        joint.has_velocity = 1;
        memcpy(joint.velocity, rates, sizeof rates);
    }
    return br_builder_replace_joint(b, j, &joint, error);
}
