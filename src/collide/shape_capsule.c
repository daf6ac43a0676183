// A cylinder with round caps: its core is the segment between their centres.
#include "collide/shape_kinds.h"

static br_status capsule_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    (void)arena, (void)error;
    g->radius = def->size.x;
    g->half_length = 0.5 * def->length;
    g->reach = g->half_length + g->radius;
    g->size = fmax(g->radius, g->half_length);
    return BR_OK;
}

static double capsule_thickness(const br_shape_def *def) {
    return 2.0 * def->size.x;
}

static br_aabb capsule_bounds(const br_geometry *g, const br_placement *X) {
    const double r = g->radius, l = g->half_length;
    return br_aabb_about(
        X->p, br_vec3_of(fabs(X->R.m[0][2]) * l + r, fabs(X->R.m[1][2]) * l + r, fabs(X->R.m[2][2]) * l + r));
}

static br_vec3 capsule_support(const br_geometry *g, br_vec3 d) {
    return br_vec3_add(br_vec3_of(0.0, 0.0, copysign(g->half_length, d.z)), br_ball_support(g->radius, d));
}

static double capsule_radius(const br_geometry *g) {
    return g->radius;
}

static br_vec3 capsule_end(const br_geometry *g, int k) {
    return br_vec3_of(0.0, 0.0, k ? g->half_length : -g->half_length);
}

static br_core_point capsule_farthest(const br_core *core, br_vec3 d) {
    const int end = d.z < 0.0 ? 0 : 1;
    const br_core_point r = {capsule_end(core->g, end), end};
    return r;
}

static int capsule_ends(const br_geometry *g) {
    (void)g;
    return 2;
}

static int capsule_edge(const br_geometry *g, int corner, int i, br_vec3 *along) {
    if (i > 0 || !(g->half_length > 0.0)) return -1;
    *along = br_vec3_of(0.0, 0.0, (corner ? -2.0 : 2.0) * g->half_length);
    return !corner;
}

// The lower end's cap touches at its core's end; the upper end of the side is level with the axis, not with n, and is
// given as the core's point that would have it beneath.
static void capsule_part(const br_core *core, br_vec3 d, int flat, br_face *out) {
    const double z = core->g->half_length, r = core->g->radius;
    const br_vec3 l = br_core_turn_in(core, d);
    const double slope = fabs(l.z), across = sqrt(l.x * l.x + l.y * l.y);
    const uint32_t end = l.z < 0.0 ? 0 : 1;
    const int line = z > 0.0 && (slope <= BR_EPS_LINE || (flat && slope <= across));
    out->kind = line ? BR_FACE_SEGMENT : BR_FACE_POINT;
    out->ends_only = slope > BR_EPS_LINE;
    for (uint32_t k = 0; k < 2; ++k) {
        br_vec3 p = br_vec3_of(0.0, 0.0, k ? z : -z);
        if (k != end && !line) continue;
        if (k != end) p = br_vec3_add_scaled(p, r, br_vec3_of(l.x / across - l.x, l.y / across - l.y, -l.z));
        br_face_add(out, br_core_out(core, p), k);
    }
}

const br_shape_kind br_shape_capsule = {
    .has_axis = 1,
    .is_round = 1,
    .points = 2,
    .points_on_plane = 2,
    .make = capsule_make,
    .thickness = capsule_thickness,
    .bounds = capsule_bounds,
    .on_plane = br_pair_capsule_plane,
    .support = capsule_support,
    .radius = capsule_radius,
    .farthest = capsule_farthest,
    .corners = capsule_ends,
    .corner = capsule_end,
    .edge = capsule_edge,
    .part = capsule_part,
};
