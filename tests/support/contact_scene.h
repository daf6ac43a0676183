// A box on a plane, for tests of friction: thrown over it or left on it while gravity leans, and a second one on top of it
// where `load` is given. Everything is given in the
// surface's own frame S (the plane is z = 0), and the whole can be turned and moved by X_WS.
//
//     box_case c = box_default("cone");
//     c.slope = 20 * BOX_DEGREE;
//     box_rig r = box_open(&c);
//     box_advance(&r, 1.0);
//     br_vec3 p = box_moved(&r); // in S, from the start
//     box_close(&r);
#ifndef CONTACT_SCENE_H
#define CONTACT_SCENE_H

#include "bristle/contact.h"
#include "bristle/sim.h"
#include "near.h"

#define BOX_GRAVITY 9.81 // m/s^2
#define BOX_DEGREE (BR_PI / 180)

typedef struct box_case {
    const char *law, *bounds; // bounds: NULL for the default
    double mu, mass;
    double load; // kg: of a box like it on top, which grips it with mu_load; 0: none
    double mu_load;
    br_vec3 size;            // full lengths, m
    double slope, direction; // rad: how far gravity leans from -z, and towards which side of S, from x
    br_vec3 velocity;        // m/s, in S
    double step, theta;
    br_pose X_WS;
    br_planar planar;
} box_case;

typedef struct box_rig {
    br_model *model;
    br_sim *sim;
    br_pose X_WS;
    br_vec3 start; // in S
} box_rig;

static inline box_case box_default(const char *law) {
    const box_case c = {.law = law,
                        .mu = 0.5,
                        .mass = 1,
                        .mu_load = 0.8,
                        .size = br_vec3_of(0.2, 0.2, 0.1),
                        .step = 1e-3,
                        .theta = 1,
                        .X_WS = br_pose_identity()};
    return c;
}

static inline void box_check(br_status status, const br_error *error) {
    if (status != BR_OK)
        fail_msg("%s: %s (%s)", error->path, error->message, error->code ? error->code : "no code");
}

static inline br_vec3 box_gravity(const box_case *c) {
    const double level = BOX_GRAVITY * sin(c->slope);
    const br_vec3 g_S =
        br_vec3_of(level * cos(c->direction), level * sin(c->direction), -BOX_GRAVITY * cos(c->slope));
    return br_pose_vector(c->X_WS, g_S);
}

static inline void box_settings(br_builder *builder, const box_case *c) {
    br_error error = {0};
    br_settings settings = br_default_settings();
    br_pair_def pair = br_default_pair_def();
    settings.gravity = box_gravity(c);
    settings.planar = c->planar;
    settings.contact_law = c->law;
    settings.contact_bounds = c->bounds;
    settings.solver.step = c->step;
    settings.solver.theta = c->theta;
    box_check(br_builder_settings(builder, &settings, &error), &error);
    box_check(br_builder_material(builder, "box", &error), &error);
    box_check(br_builder_material(builder, "floor", &error), &error);
    pair.first = "box";
    pair.second = "floor";
    pair.mu_static = pair.mu_kinetic = c->mu;
    box_check(br_builder_pair(builder, &pair, &error), &error);
    pair.second = "box";
    pair.mu_static = pair.mu_kinetic = c->mu_load;
    box_check(br_builder_pair(builder, &pair, &error), &error);
}

static inline void box_body(br_builder *builder, const box_case *c, const char *name, double mass,
                            double height) {
    br_error error = {0};
    const br_shape_def shape = {
        .type = BR_SHAPE_BOX, .material = "box", .pose = br_pose_identity(), .size = c->size};
    const double m = mass / 12, x = c->size.x * c->size.x, y = c->size.y * c->size.y,
                 z = c->size.z * c->size.z;
    br_body_def body = br_default_body_def();
    body.name = name;
    body.mass = mass;
    body.inertia = br_sym3_of(m * (y + z), m * (x + z), m * (x + y), 0, 0, 0);
    body.pose = br_pose_mul(c->X_WS, br_pose_of(br_quat_identity(), br_vec3_of(0, 0, height)));
    body.has_velocity = 1;
    body.velocity = br_pose_vector(c->X_WS, c->velocity);
    body.shapes = &shape;
    body.shape_count = 1;
    box_check(br_builder_body(builder, &body, &error), &error);
}

static inline void box_bodies(br_builder *builder, const box_case *c) {
    br_error error = {0};
    const br_shape_def plane = {.type = BR_SHAPE_PLANE,
                                .material = "floor",
                                .pose = br_pose_of(br_quat_identity(), c->X_WS.position),
                                .axis = br_pose_vector(c->X_WS, br_vec3_unit(2))};
    box_body(builder, c, "box", c->mass, 0.5 * c->size.z);
    if (c->load > 0) box_body(builder, c, "load", c->load, 1.5 * c->size.z);
    box_check(br_builder_ground(builder, &plane, &error), &error);
}

static inline br_vec3 box_position(const box_rig *r) {
    return br_pose_point_inverse(r->X_WS, br_sim_body_pose(r->sim, 0).position);
}

static inline box_rig box_open(const box_case *c) {
    box_rig r = {.X_WS = c->X_WS};
    br_error error = {0};
    br_builder *builder = NULL;
    box_check(br_builder_create(NULL, &builder, &error), &error);
    box_settings(builder, c);
    box_bodies(builder, c);
    box_check(br_model_create(builder, &r.model, &error), &error);
    br_builder_destroy(builder);
    box_check(br_sim_create(r.model, NULL, &r.sim, &error), &error);
    r.start = box_position(&r);
    return r;
}

static inline void box_close(box_rig *r) {
    br_sim_destroy(r->sim);
    br_model_destroy(r->model);
}

static inline void box_advance(box_rig *r, double time) {
    br_error error = {0};
    box_check(br_sim_advance(r->sim, time, &error), &error);
}

static inline br_vec3 box_moved(const box_rig *r) { // since the start, in S
    return br_vec3_sub(box_position(r), r->start);
}

static inline br_vec3 box_velocity(const box_rig *r) { // in S
    return br_pose_vector_inverse(r->X_WS, br_sim_body_twist(r->sim, 0).linear);
}

// A bound on the speed of any point of the boxes: translation and rotation.
static inline double box_speed(const box_rig *r) {
    const double reach = 0.15; // m: farther than any corner of the default box
    double speed = 0;
    for (int k = 0; k < br_model_body_count(r->model); k++) {
        const br_twist V = br_sim_body_twist(r->sim, k);
        speed = fmax(speed, br_vec3_norm(V.linear) + reach * br_vec3_norm(V.angular));
    }
    return speed;
}

#endif
