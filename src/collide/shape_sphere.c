// A ball: its core is its centre.
#include "collide/shape_kinds.h"

static br_status sphere_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    (void)arena, (void)error;
    g->radius = g->reach = g->size = def->size.x;
    return BR_OK;
}

static double sphere_thickness(const br_shape_def *def) {
    return 2.0 * def->size.x;
}

static br_aabb sphere_bounds(const br_geometry *g, const br_placement *X) {
    return br_aabb_about(X->p, br_vec3_of(g->radius, g->radius, g->radius));
}

static br_vec3 sphere_support(const br_geometry *g, br_vec3 d) {
    return br_ball_support(g->radius, d);
}

static double sphere_radius(const br_geometry *g) {
    return g->radius;
}

static br_core_point sphere_farthest(const br_core *core, br_vec3 d) {
    (void)core, (void)d;
    const br_core_point centre = {br_vec3_zero(), 0};
    return centre;
}

const br_shape_kind br_shape_sphere = {
    .is_round = 1,
    .points = 1,
    .points_on_plane = 1,
    .make = sphere_make,
    .thickness = sphere_thickness,
    .bounds = sphere_bounds,
    .on_plane = br_pair_sphere_plane,
    .support = sphere_support,
    .radius = sphere_radius,
    .farthest = sphere_farthest,
};
