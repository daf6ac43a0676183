// A box. Corner k is at +x where its bit 1 is set, at +y for bit 2, at +z for bit 4; face 2 i + 1 is at the plus end of axis i.
#include "collide/shape_kinds.h"

static br_status box_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    (void)arena, (void)error;
    g->half = br_vec3_scale(0.5, def->size);
    g->reach = br_vec3_norm(g->half);
    g->size = br_vec3_max_abs(g->half);
    return BR_OK;
}

static double box_thickness(const br_shape_def *def) {
    return fmin(def->size.x, fmin(def->size.y, def->size.z));
}

static br_aabb box_bounds(const br_geometry *g, const br_placement *X) {
    return br_aabb_about(X->p, br_box_extent(&X->R, g->half));
}

static br_vec3 box_support(const br_geometry *g, br_vec3 d) {
    return br_vec3_of(copysign(g->half.x, d.x), copysign(g->half.y, d.y), copysign(g->half.z, d.z));
}

static int box_corners(const br_geometry *g) {
    (void)g;
    return 8;
}

static br_vec3 box_corner(const br_geometry *g, int k) {
    const br_vec3 h = g->half;
    return br_vec3_of(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
}

static br_core_point box_farthest(const br_core *core, br_vec3 d) {
    const int k = (d.x < 0.0 ? 0 : 1) + (d.y < 0.0 ? 0 : 2) + (d.z < 0.0 ? 0 : 4);
    const br_core_point r = {box_corner(core->g, k), k};
    return r;
}

static int box_edge(const br_geometry *g, int corner, int i, br_vec3 *along) {
    if (i > 2) return -1;
    const double length = 2.0 * br_vec3_get(g->half, i);
    *along = br_vec3_scale(corner >> i & 1 ? -length : length, br_vec3_unit(i));
    return corner ^ (1 << i);
}

static int box_face(const br_core *core, br_vec3 d, br_vec3 *normal) {
    const br_vec3 l = br_core_turn_in(core, d);
    int i = 0;
    if (fabs(l.y) > fabs(l.x)) i = 1;
    if (fabs(l.z) > fabs(br_vec3_get(l, i))) i = 2;
    const double sign = br_vec3_get(l, i) < 0.0 ? -1.0 : 1.0;
    *normal = br_core_turn(core, br_vec3_scale(sign, br_vec3_unit(i)));
    return 2 * i + (sign > 0.0);
}

static int box_is_over_face(const br_geometry *g, int face, br_vec3 p) {
    for (int i = 0; i < 3; ++i)
        if (i != face / 2 && !(fabs(br_vec3_get(p, i)) <= br_vec3_get(g->half, i))) return 0;
    return 1;
}

static void box_polygon(const br_core *core, int face, br_face *out) {
    static const int around[4] = {0, 1, 3, 2}; // bits along the two axes after the face's own, anticlockwise
    const int i = face / 2, u = (i + 1) % 3, v = (i + 2) % 3, up = face % 2;
    for (int k = 0; k < 4; ++k) {
        const int turn = around[up ? k : 3 - k];
        const int vertex = (up << i) | ((turn & 1) << u) | ((turn >> 1) << v);
        br_face_add(out, br_core_out(core, box_corner(core->g, vertex)), (uint32_t)vertex);
    }
}

const br_shape_kind br_shape_box = {
    .points = 4,
    .points_on_plane = 4,
    .make = box_make,
    .thickness = box_thickness,
    .bounds = box_bounds,
    .on_plane = br_pair_box_plane,
    .support = box_support,
    .farthest = box_farthest,
    .corners = box_corners,
    .corner = box_corner,
    .edge = box_edge,
    .face = box_face,
    .is_over_face = box_is_over_face,
    .polygon = box_polygon,
    .part = br_face_of_polytope,
};
