// Scenes in tests: a model file read with a few settings changed, a simulation of it, quantities by name.
//
//     scene s = scene_open("benchmark/pendulum.yaml", "solver.stepper=reference;coordinates=absolute");
//     scene_advance(&s, 1.0);
//     double x = scene_read(&s, "bob.position.x");
//     scene_close(&s);
#ifndef SCENE_H
#define SCENE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

#define SCENE_FOLDER BRISTLE_SOURCE_DIR "/scenes/"

// What the tests of motion run under: error control tight enough that its own error does not matter, and the
// fixed step of second order.
#define SCENE_REFERENCE "solver.stepper=reference;solver.tol=1e-11"
#define SCENE_CONTACT "solver.stepper=contact;solver.theta=0.5"

typedef struct scene {
    br_model *model;
    br_sim *sim;
} scene;

static inline void scene_fail(const char *what, const br_error *error) {
    fail_msg("%s: %s:%d:%d: %s (%s)", what, error->file[0] ? error->file : error->path, error->line,
             error->column, error->message, error->code ? error->code : "no code");
}

// settings: "name=value;name=value", may be empty. BR_OK or what reading or creating said.
static inline br_status scene_try(const char *path, const char *settings, scene *out, br_error *error) {
    char text[512];
    br_override overrides[16];
    int count = 0;
    snprintf(text, sizeof text, "%s", settings);
    for (char *at = text; *at;) {
        char *end = strchr(at, ';'), *equal = strchr(at, '=');
        assert_non_null(equal);
        *equal = '\0';
        if (end) *end = '\0';
        overrides[count].name = at;
        overrides[count++].value = equal + 1;
        at = end ? end + 1 : equal + 1 + strlen(equal + 1);
    }
    out->model = NULL;
    out->sim = NULL;
    br_status status = br_model_read(path, overrides, count, NULL, &out->model, NULL, error);
    if (status == BR_OK) status = br_sim_create(out->model, NULL, &out->sim, error);
    return status;
}

static inline void scene_close(scene *s) {
    br_sim_destroy(s->sim);
    br_model_destroy(s->model);
}

// name: below scenes/.
static inline scene scene_open(const char *name, const char *settings) {
    char path[512];
    scene s;
    br_error error = {0};
    snprintf(path, sizeof path, "%s%.200s", SCENE_FOLDER, name);
    if (scene_try(path, settings, &s, &error) != BR_OK) scene_fail(name, &error);
    return s;
}

static inline void scene_advance(scene *s, double t) {
    br_error error = {0};
    if (br_sim_advance(s->sim, t, &error) != BR_OK) scene_fail(br_model_name(s->model), &error);
}

static inline double scene_read(scene *s, const char *channel) {
    br_error error = {0};
    br_channel c;
    double value = NAN;
    if (br_sim_channel_find(s->sim, channel, &c, &error) != BR_OK ||
        br_sim_channel_read(s->sim, &c, &value, &error) != BR_OK)
        scene_fail(channel, &error);
    return value;
}

static inline int scene_body(const scene *s, const char *name) {
    const int body = br_model_body_find(s->model, name);
    if (body < 0) fail_msg("no body %s", name);
    return body;
}

static inline int scene_joint(const scene *s, const char *name) {
    const int joint = br_model_joint_find(s->model, name);
    if (joint < 0) fail_msg("no joint %s", name);
    return joint;
}

static inline double scene_joint_position(const scene *s, const char *name) {
    double q[BR_MAX_JOINT_Q];
    br_sim_joint_position(s->sim, scene_joint(s, name), q);
    return q[0];
}

static inline double scene_joint_velocity(const scene *s, const char *name) {
    double v[BR_MAX_JOINT_V];
    br_sim_joint_velocity(s->sim, scene_joint(s, name), v);
    return v[0];
}

// Where a point fixed to a body is.
static inline br_vec3 scene_point(const scene *s, const char *body, br_vec3 point_B) {
    return br_pose_point(br_sim_body_pose(s->sim, scene_body(s, body)), point_B);
}

// The largest energy of the run so far that its ledger may be measured against.
static inline double scene_energy_scale(const scene *s) {
    const br_ledger l = br_sim_ledger(s->sim);
    return 1e-12 + fabs(l.start.kinetic) + fabs(l.now.kinetic) + fabs(l.now.potential - l.start.potential) +
           fabs(l.now.elastic) + fabs(l.input) + fabs(l.damping) + fabs(l.friction);
}

#endif
