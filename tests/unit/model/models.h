// Small definitions for the tests of models.
#ifndef MODELS_H
#define MODELS_H

#include <stdio.h>
#include <string.h>

#include "bristle/model.h"
#include "near.h"

static inline br_builder *new_builder(void) {
    br_builder *builder = NULL;
    assert_int_equal(br_builder_create(NULL, &builder, NULL), BR_OK);
    return builder;
}

static inline br_body_def a_body(const char *name, double x, double y, double z) {
    br_body_def def = br_default_body_def();
    def.name = name;
    def.mass = 2.0;
    def.inertia = br_sym3_of(0.1, 0.2, 0.25, 0.0, 0.0, 0.0);
    def.pose.position = br_vec3_of(x, y, z);
    return def;
}

static inline br_joint_def a_joint(const char *name, br_joint_type type, const char *first,
                                   const char *second) {
    br_joint_def def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.first = first;
    def.second = second;
    return def;
}

static inline void put_body(br_builder *builder, br_body_def def) {
    br_error error = {0};
    if (br_builder_body(builder, &def, &error) != BR_OK) fail_msg("%s", error.message);
}

static inline void put_joint(br_builder *builder, br_joint_def def) {
    br_error error = {0};
    if (br_builder_joint(builder, &def, &error) != BR_OK) fail_msg("%s", error.message);
}

// A joint with both frames at a point of the world, z along the axis.
static inline void put_joint_at(br_builder *builder, br_joint_def def, br_vec3 point, br_vec3 axis) {
    br_error error = {0};
    if (br_builder_place_joint(builder, &def, point, &axis, NULL, &error) != BR_OK)
        fail_msg("%s", error.message);
    put_joint(builder, def);
}

static inline br_model *compiled(br_builder *builder) {
    br_error error = {0};
    br_model *model = NULL;
    if (br_model_create(builder, &model, &error) != BR_OK) fail_msg("%s: %s", error.path, error.message);
    br_builder_destroy(builder);
    return model;
}

// The model is refused with this code at this path; the message has `words` in it. Destroys the builder.
static inline void assert_refused(br_builder *builder, const char *code, const char *path,
                                  const char *words) {
    br_error error = {0};
    br_model *model = NULL;
    assert_int_equal(br_model_create(builder, &model, &error), BR_INVALID);
    assert_null(model);
    assert_string_equal(error.code, code);
    assert_string_equal(error.path, path);
    if (!strstr(error.message, words)) fail_msg("'%s' is not in '%s'", words, error.message);
    br_builder_destroy(builder);
}

// Crank, coupler and rocker in the plane xy, ground at the origin; the joint between coupler and rocker is third.
static inline br_builder *four_bar(br_planar planar) {
    br_builder *b = new_builder();
    br_settings settings = br_default_settings();
    settings.planar = planar;
    settings.gravity = br_vec3_of(0.0, -9.81, 0.0);
    assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
    put_body(b, a_body("crank", 0.0, 0.5, 0.0));
    put_body(b, a_body("coupler", 1.0, 1.0, 0.0));
    put_body(b, a_body("rocker", 2.0, 0.5, 0.0));
    const br_vec3 z = br_vec3_unit(2);
    put_joint_at(b, a_joint("A", BR_JOINT_REVOLUTE, "world", "crank"), br_vec3_of(0, 0, 0), z);
    put_joint_at(b, a_joint("B", BR_JOINT_REVOLUTE, "crank", "coupler"), br_vec3_of(0, 1, 0), z);
    put_joint_at(b, a_joint("C", BR_JOINT_REVOLUTE, "coupler", "rocker"), br_vec3_of(2, 1, 0), z);
    put_joint_at(b, a_joint("D", BR_JOINT_REVOLUTE, "rocker", "world"), br_vec3_of(2, 0, 0), z);
    return b;
}

#endif
