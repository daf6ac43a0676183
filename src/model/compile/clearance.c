// Clearances of the model: bodies, frames in the links, laws.
#include <string.h>

#include "math/elementary.h"
#include "model/compile/compile.h"

// Axes typed with the digits of a double are parallel to this.
#define BR_EPS_PARALLEL 1e-9

static br_pose in_link(const br_compile *c, int body, br_pose X_BF) {
    if (body < 0) return X_BF;
    br_pose X = br_pose_mul(c->model->body[body].X_LB, X_BF);
    X.rotation = br_quat_normalize(X.rotation);
    return X;
}

static br_status fill_law(br_compile *c, const br_clearance_def *def, br_normal_law *law) {
    memset(law, 0, sizeof *law);
    law->kind = br_normal_kind_from_name(def->law);
    law->stiffness = def->stiffness;
    law->damping = def->damping;
    law->exponent = def->exponent;
    law->restitution = def->restitution;
    law->points = def->table_count;
    if (def->table_count == 0) return BR_OK;
    const size_t count = (size_t)def->table_count;
    double *depth = BR_TAKE(&c->model->arena, double, count),
           *force = BR_TAKE(&c->model->arena, double, count);
    if (!br_arena_ok(&c->model->arena)) return br_compile_no_memory(c);
    memcpy(depth, def->table_depth, count * sizeof *depth);
    memcpy(force, def->table_force, count * sizeof *force);
    law->depth = depth;
    law->force = force;
    return BR_OK;
}

// In a planar model the axes of both races are the plane's normal.
static br_status check_axis(br_compile *c, const br_clearance_def *def, int body, br_pose X_BF) {
    const br_place place = {"clearances", def->name, c->error};
    const br_vec3 n = c->model->normal,
                  z = br_pose_vector(br_pose_mul(br_compile_given(c, body), X_BF), br_vec3_unit(2));
    const double off = br_vec3_norm(br_vec3_cross(z, n));
    if (!br_compile_is_planar(c) || def->type != BR_CLEARANCE_PLANAR || off <= BR_EPS_PARALLEL) return BR_OK;
    return br_fail_place(
        &place, "planar-axis", "axis",
        "the axis (%g, %g, %g) of clearance %s is %.3g deg off the plane's normal, as a planar "
        "model needs it",
        z.x, z.y, z.z, def->name, br_asin(fmin(off, 1.0)) * 180.0 / BR_PI);
}

static br_status fill_clearance(br_compile *c, int k) {
    br_model *m = c->model;
    const br_clearance_def *def = &c->builder->clearance[k];
    const br_place place = {"clearances", def->name, c->error};
    const char *kind = br_clearance_type_name(def->type);
    br_model_clearance *out = &m->clearance[k];
    int first = -1, second = -1;
    br_status status = br_compile_find_body(c, &place, kind, def->first, &first);
    if (status == BR_OK) status = br_compile_find_body(c, &place, kind, def->second, &second);
    if (status == BR_OK) status = check_axis(c, def, first, def->X_AF);
    if (status == BR_OK) status = check_axis(c, def, second, def->X_BM);
    if (status != BR_OK) return status;
    if (first == second) // two names of one station
        return br_fail_place(&place, "joint-same-body", kind, "clearance %s connects %.80s to itself",
                             def->name, def->first);
    out->name = br_copy_text(&m->arena, def->name);
    if (!out->name) return br_compile_no_memory(c);
    out->type = def->type;
    out->first = first < 0 ? -1 : m->body[first].link;
    out->second = second < 0 ? -1 : m->body[second].link;
    out->X_AF = in_link(c, first, def->X_AF);
    out->X_BM = in_link(c, second, def->X_BM);
    out->outer_radius = def->outer_radius;
    out->inner_radius = def->inner_radius;
    out->friction = br_friction_params_of(&def->friction);
    return fill_law(c, def, &out->law);
}

br_status br_compile_clearances(br_compile *c) {
    br_model *m = c->model;
    m->clearances = c->builder->clearance_names.count;
    m->clearance = BR_TAKE(&m->arena, br_model_clearance, m->clearances);
    if (!m->clearance) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < m->clearances; k++) status = fill_clearance(c, k);
    return status;
}
