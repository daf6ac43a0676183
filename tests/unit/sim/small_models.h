// Models of a few bodies built by calls, for tests of steppers: a builder with its settings, bodies and joints that are
// placed where they are in the world, and a simulation of it.
#ifndef SMALL_MODELS_H
#define SMALL_MODELS_H

#include <string.h>

#include "bristle/sim.h"
#include "near.h"

typedef struct small_model {
    br_settings settings;
    br_builder *builder;
    br_model *model;
    br_sim *sim;
} small_model;

static inline void small_check(br_status status, const br_error *error) {
    if (status != BR_OK)
        fail_msg("%s: %s (%s)", error->path, error->message, error->code ? error->code : "no code");
}

// Planar xy with gravity along -y, unless settings are changed before the first body.
static inline small_model small_begin(br_stepper stepper) {
    small_model s = {.settings = br_default_settings()};
    br_error error = {0};
    s.settings.planar = BR_PLANAR_XY;
    s.settings.gravity = br_vec3_of(0, -9.81, 0);
    s.settings.solver.stepper = stepper;
    small_check(br_builder_create(NULL, &s.builder, &error), &error);
    return s;
}

// A slender rod of mass 1 kg/m from a to b, or a point when they are equal (1 kg).
static inline void small_rod(small_model *s, const char *name, br_vec3 a, br_vec3 b) {
    br_error error = {0};
    small_check(br_builder_settings(s->builder, &s->settings, &error), &error);
    br_body_def def = br_default_body_def();
    const double length = br_vec3_distance(a, b);
    const double I = length * length * length / 12.0;
    def.name = name;
    def.mass = length > 0.0 ? length : 1.0;
    const br_vec3 d = br_vec3_normalize(br_vec3_sub(b, a));
    def.inertia = br_sym3_of(I * (1 - d.x * d.x), I * (1 - d.y * d.y), I * (1 - d.z * d.z), -I * d.x * d.y,
                             -I * d.x * d.z, -I * d.y * d.z);
    def.pose.position = br_vec3_scale(0.5, br_vec3_add(a, b));
    small_check(br_builder_body(s->builder, &def, &error), &error);
}

// 1 kg with inertia 0.01 kg m^2 about every axis.
static inline void small_block(small_model *s, const char *name, br_vec3 at) {
    br_error error = {0};
    small_check(br_builder_settings(s->builder, &s->settings, &error), &error);
    br_body_def def = br_default_body_def();
    def.name = name, def.mass = 1.0;
    def.inertia = br_sym3_of(0.01, 0.01, 0.01, 0, 0, 0);
    def.pose.position = at;
    small_check(br_builder_body(s->builder, &def, &error), &error);
}

static inline br_joint_def small_joint(small_model *s, const char *name, br_joint_type type,
                                       const char *first, const char *second, br_vec3 at, br_vec3 axis) {
    br_joint_def def = br_default_joint_def();
    br_error error = {0};
    def.name = name, def.type = type, def.first = first, def.second = second;
    small_check(br_builder_place_joint(s->builder, &def, at, &axis, NULL, &error), &error);
    return def;
}

static inline void small_add_joint(small_model *s, const br_joint_def *def) {
    br_error error = {0};
    small_check(br_builder_joint(s->builder, def, &error), &error);
}

static inline void small_pin(small_model *s, const char *name, const char *first, const char *second,
                             double x, double y) {
    const br_joint_def def =
        small_joint(s, name, BR_JOINT_REVOLUTE, first, second, br_vec3_of(x, y, 0), br_vec3_of(0, 0, 1));
    small_add_joint(s, &def);
}

static inline void small_drive(small_model *s, br_drive_type type, const char *joint,
                               br_function_def target) {
    br_drive_def def = br_default_drive_def();
    br_error error = {0};
    def.name = "drive", def.type = type, def.joint = joint, def.target = target;
    small_check(br_builder_drive(s->builder, &def, &error), &error);
}

static inline br_function_def small_expression(const char *text) {
    br_function_def f = br_function_constant(0);
    f.kind = BR_FUNCTION_EXPRESSION, f.expression = text;
    return f;
}

static inline br_function_def small_table(const double *times, const double *values, int count) {
    br_function_def f = br_function_constant(0);
    f.kind = BR_FUNCTION_TABLE, f.times = times, f.values = values, f.count = count;
    return f;
}

static inline void small_end(small_model *s) {
    br_error error = {0};
    small_check(br_model_create(s->builder, &s->model, &error), &error);
    br_builder_destroy(s->builder);
    small_check(br_sim_create(s->model, NULL, &s->sim, &error), &error);
}

static inline void small_advance(small_model *s, double t) {
    br_error error = {0};
    small_check(br_sim_advance(s->sim, t, &error), &error);
}

static inline double small_position(const small_model *s, const char *joint) {
    double q[BR_MAX_JOINT_Q];
    br_sim_joint_position(s->sim, br_model_joint_find(s->model, joint), q);
    return q[0];
}

static inline double small_velocity(const small_model *s, const char *joint) {
    double v[BR_MAX_JOINT_V];
    br_sim_joint_velocity(s->sim, br_model_joint_find(s->model, joint), v);
    return v[0];
}

static inline void small_free(small_model *s) {
    br_sim_destroy(s->sim);
    br_model_destroy(s->model);
}

// A four-bar linkage: crank 0.3 m at the origin, coupler 0.8 m, rocker 0.6 m, frame 0.9 m; the crank along +y.
static inline void small_four_bar(small_model *s) {
    const double cx = 0.749129576830, cy = 0.580722063825; // where coupler and rocker meet
    const br_vec3 o = br_vec3_of(0, 0, 0), a = br_vec3_of(0, 0.3, 0), b = br_vec3_of(cx, cy, 0),
                  d = br_vec3_of(0.9, 0, 0);
    small_rod(s, "crank", o, a);
    small_rod(s, "coupler", a, b);
    small_rod(s, "rocker", d, b);
    small_pin(s, "motor", BR_WORLD, "crank", 0, 0);
    small_pin(s, "elbow", "crank", "coupler", 0, 0.3);
    small_pin(s, "anchor", BR_WORLD, "rocker", 0.9, 0);
    small_pin(s, "closing", "coupler", "rocker", cx, cy);
}

#endif
