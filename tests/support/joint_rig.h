// Two bodies and one kind of joint, for tests of what every kind owes: in the tree (world to arm, and from
// tip to arm, so that it carries its first body), or closing the loop of two bodies that hang on the world.
// Frames, inertias, positions and velocities are random; the whole can be turned and moved by X_WR.
#ifndef JOINT_RIG_H
#define JOINT_RIG_H

#include <string.h>

#include "bristle/sim.h"
#include "near.h"
#include "random.h"

enum { RIG_ARM = 0, RIG_TIP = 1, RIG_BODIES = 2, RIG_JOINTS = 3 };

typedef struct joint_rig {
    br_model *model;
    br_sim *sim;
    br_vec3 gravity;
    br_body_def body[RIG_BODIES];
    br_joint_def joint[RIG_JOINTS];
    int joints;
} joint_rig;

static inline void rig_check(br_status status, const br_error *error) {
    if (status != BR_OK) fail_msg("%s: %s", error->path, error->message);
}

static inline br_body_def rig_body(const char *name, rng *r) {
    br_body_def def = br_default_body_def();
    const br_vec3 moments = br_vec3_of(0.03, 0.04, 0.05);
    def.name = name;
    def.mass = rng_uniform(r, 1, 2);
    def.com = rng_vec3(r, 0.1);
    def.inertia = br_sym3_rotate(br_quat_to_mat3(rng_rotation(r)),
                                 br_sym3_of(moments.x, moments.y, moments.z, 0, 0, 0));
    def.pose = rng_pose(r, 0.5);
    return def;
}

// Frames that coincide at G (world, before X_WR) with both bodies at their poses; NULL body: the world.
static inline br_joint_def rig_joint(const char *name, br_joint_type type, const br_body_def *first,
                                     const br_body_def *second, br_pose G) {
    br_joint_def def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.first = first ? first->name : BR_WORLD;
    def.second = second ? second->name : BR_WORLD;
    def.X_AF = first ? br_pose_mul(br_pose_inverse(first->pose), G) : G;
    def.X_BM = second ? br_pose_mul(br_pose_inverse(second->pose), G) : G;
    def.pitch = 0.3;
    return def;
}

static inline void rig_random_velocity(br_joint_def *def, rng *r) {
    def->has_velocity = br_joint_type_velocities(def->type) > 0;
    for (int k = 0; k < br_joint_type_velocities(def->type); k++) def->velocity[k] = rng_uniform(r, -2, 2);
}

// Away from where the frames coincide, so that nothing vanishes by symmetry.
static inline void rig_random_position(br_joint_def *def, rng *r) {
    const int nq = br_joint_type_positions(def->type), nv = br_joint_type_velocities(def->type);
    def->has_position = nq > 0;
    for (int k = 0; k < nq; k++) def->position[k] = rng_uniform(r, -0.8, 0.8);
    if (nq > nv) { // ends in a quaternion
        const br_quat a = rng_rotation(r);
        double *q = def->position + nq - 4;
        q[0] = a.w, q[1] = a.x, q[2] = a.y, q[3] = a.z;
    }
}

static inline void rig_tree(joint_rig *rig, br_joint_type type, rng *r) {
    rig->joints = 2;
    rig->joint[0] = rig_joint("shoulder", type == BR_JOINT_WELD ? BR_JOINT_SPHERICAL : type, NULL,
                              &rig->body[RIG_ARM], rng_pose(r, 0.5));
    rig->joint[1] = rig_joint("elbow", type, &rig->body[RIG_TIP], &rig->body[RIG_ARM], rng_pose(r, 0.5));
    for (int k = 0; k < 2; k++) {
        rig_random_position(&rig->joint[k], r);
        rig_random_velocity(&rig->joint[k], r);
    }
}

static inline void rig_loop(joint_rig *rig, br_joint_type type, rng *r) {
    const int weld = type == BR_JOINT_WELD, gear = type == BR_JOINT_GEAR, rack = type == BR_JOINT_RACK_PINION;
    const br_joint_type left = gear || rack ? BR_JOINT_REVOLUTE : weld ? BR_JOINT_FREE : BR_JOINT_SPHERICAL;
    const br_joint_type right = gear || weld ? BR_JOINT_REVOLUTE
                                : rack       ? BR_JOINT_PRISMATIC
                                             : BR_JOINT_SPHERICAL;
    br_joint_def *j = rig->joint;
    rig->joints = 3;
    j[0] = rig_joint("left", left, NULL, &rig->body[RIG_ARM], rng_pose(r, 0.5));
    j[1] = rig_joint("right", right, NULL, &rig->body[RIG_TIP], rng_pose(r, 0.5));
    j[2] = rig_joint("closing", type, &rig->body[RIG_ARM], &rig->body[RIG_TIP], rng_pose(r, 0.5));
    if (type == BR_JOINT_DISTANCE) j[2].X_BM.position = rng_vec3(r, 0.4);
    if (gear || rack) {
        j[2].first = "left";
        j[2].second = "right";
        j[2].ratio = 0.7;
        j[2].radius = 0.3;
    }
    rig_random_velocity(&j[0], r);
    rig_random_velocity(&j[1], r);
}

// X_WR moves everything: poses, gravity, and the frames that are fixed to the world.
// stiffness: of a spring, with half as much damping, in the first joint.
static inline joint_rig rig_make(br_joint_type type, int loop, br_coordinates coordinates, br_pose X_WR,
                                 uint64_t seed, double stiffness) {
    joint_rig rig = {0};
    rng r = {seed};
    br_error error = {0};
    br_builder *builder = NULL;
    br_settings settings = br_default_settings();
    rig.body[RIG_ARM] = rig_body("arm", &r);
    rig.body[RIG_TIP] = rig_body("tip", &r);
    if (loop)
        rig_loop(&rig, type, &r);
    else
        rig_tree(&rig, type, &r);
    rig.gravity = settings.gravity = br_pose_vector(X_WR, br_vec3_of(1, 2, -9));
    rig.joint[0].stiffness[0] = stiffness;
    rig.joint[0].damping[0] = stiffness / 2;
    settings.coordinates = coordinates;
    settings.solver.theta = 0.5;
    rig_check(br_builder_create(NULL, &builder, &error), &error);
    rig_check(br_builder_settings(builder, &settings, &error), &error);
    for (int k = 0; k < RIG_BODIES; k++) {
        rig.body[k].pose = br_pose_mul(X_WR, rig.body[k].pose);
        rig_check(br_builder_body(builder, &rig.body[k], &error), &error);
    }
    for (int k = 0; k < rig.joints; k++) {
        br_joint_def *j = &rig.joint[k];
        if (strcmp(j->first, BR_WORLD) == 0) j->X_AF = br_pose_mul(X_WR, j->X_AF);
        rig_check(br_builder_joint(builder, j, &error), &error);
    }
    rig_check(br_model_create(builder, &rig.model, &error), &error);
    br_builder_destroy(builder);
    rig_check(br_sim_create(rig.model, NULL, &rig.sim, &error), &error);
    return rig;
}

static inline void rig_free(joint_rig *rig) {
    br_sim_destroy(rig->sim);
    br_model_destroy(rig->model);
}

// q moved along v for a time h: quaternions by their rotation vector.
static inline void rig_move(const br_model *model, const double *q, const double *v, double h, double *out) {
    for (int j = 0; j < br_model_joint_count(model); j++) {
        const br_joint_type type = br_model_joint_type(model, j);
        const int at = br_model_joint_q(model, j), from = br_model_joint_v(model, j);
        const int nq = br_joint_type_positions(type), nv = br_joint_type_velocities(type);
        if (at < 0) continue;
        const int plain = nq > nv ? nv - 3 : nv; // coordinates before the quaternion
        for (int k = 0; k < plain; k++) out[at + k] = q[at + k] + h * v[from + k];
        if (nq > nv) {
            const double *a = q + at + plain, *w = v + from + plain;
            const br_quat turn = br_quat_exp(br_vec3_scale(h, br_vec3_of(w[0], w[1], w[2])));
            const br_quat b = br_quat_mul(br_quat_of(a[0], a[1], a[2], a[3]), turn);
            double *o = out + at + plain;
            o[0] = b.w, o[1] = b.x, o[2] = b.y, o[3] = b.z;
        }
    }
}

#endif
