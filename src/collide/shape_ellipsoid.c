// An ellipsoid: its core is what is left of it without a ball of its least radius of curvature.
#include "collide/shape_kinds.h"

static br_status ellipsoid_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    (void)arena, (void)error;
    g->half = def->size;
    g->reach = g->size = br_vec3_max_abs(g->half);
    return BR_OK;
}

static double ellipsoid_thickness(const br_shape_def *def) {
    return 2.0 * fmin(def->size.x, fmin(def->size.y, def->size.z));
}

static double ellipsoid_extent(const br_geometry *g, const double *row) {
    return br_vec3_norm(br_vec3_of(row[0] * g->half.x, row[1] * g->half.y, row[2] * g->half.z));
}

static br_aabb ellipsoid_bounds(const br_geometry *g, const br_placement *X) {
    return br_aabb_about(X->p, br_vec3_of(ellipsoid_extent(g, X->R.m[0]), ellipsoid_extent(g, X->R.m[1]),
                                          ellipsoid_extent(g, X->R.m[2])));
}

static br_vec3 ellipsoid_support(const br_geometry *g, br_vec3 d) { // D d / sqrt(d^T D d), D = diag(radii^2)
    const br_vec3 r = g->half, e = br_vec3_of(r.x * d.x, r.y * d.y, r.z * d.z);
    const double norm = br_vec3_norm(e);
    if (!(norm > 0.0)) return br_vec3_of(r.x, 0.0, 0.0);
    return br_vec3_of(r.x * (e.x / norm), r.y * (e.y / norm), r.z * (e.z / norm));
}

static double ellipsoid_radius(const br_geometry *g) {
    const double least = fmin(g->half.x, fmin(g->half.y, g->half.z)), most = br_vec3_max_abs(g->half);
    return least * least / most; // the least radius of curvature
}

// D d/sqrt(d^T D d) - radius d/|d|
static br_core_point ellipsoid_farthest(const br_core *core, br_vec3 d) {
    const br_vec3 h = core->g->half, e = br_vec3_of(h.x * d.x, h.y * d.y, h.z * d.z);
    const double norm = br_vec3_norm(e), length = br_vec3_norm(d);
    br_core_point r = {br_vec3_of(h.x - core->radius, 0.0, 0.0), -1};
    if (!(norm > 0.0)) return r;
    const double s = core->radius / length;
    r.p =
        br_vec3_of(h.x * (e.x / norm) - s * d.x, h.y * (e.y / norm) - s * d.y, h.z * (e.z / norm) - s * d.z);
    return r;
}

static br_jet ellipsoid_jet(const br_core *core, br_vec3 d, double z) {
    (void)z;
    const br_vec3 h = core->g->half, D = br_vec3_of(h.x * h.x, h.y * h.y, h.z * h.z);
    const br_vec3 q = br_vec3_of(D.x * d.x, D.y * d.y, D.z * d.z);
    const double k = sqrt(br_vec3_dot(d, q)), ball = core->radius;
    const br_vec3 u = br_vec3_scale(1.0 / k, q);
    const br_sym3 H = br_sym3_of((D.x - u.x * u.x) / k, (D.y - u.y * u.y) / k, (D.z - u.z * u.z) / k,
                                 -u.x * u.y / k, -u.x * u.z / k, -u.y * u.z / k);
    const br_jet r = {br_vec3_add_scaled(u, -ball, d), // of the core: the sweeping ball is left out of both
                      br_sym3_add(H, br_sym3_of(-ball, -ball, -ball, 0.0, 0.0, 0.0))};
    return r;
}

const br_shape_kind br_shape_ellipsoid = {
    .is_round = 1,
    .points = 1,
    .points_on_plane = 1,
    .make = ellipsoid_make,
    .thickness = ellipsoid_thickness,
    .bounds = ellipsoid_bounds,
    .on_plane = br_pair_ellipsoid_plane,
    .support = ellipsoid_support,
    .radius = ellipsoid_radius,
    .farthest = ellipsoid_farthest,
    .jet = ellipsoid_jet,
};
