// The convex hull of points.
#include "collide/hull.h"
#include "collide/shape_kinds.h"

// Up to this many vertices a polytope is scanned; above, the walk from neighbour to neighbour is shorter.
#define BR_MAX_HULL_SCAN 32
#define BR_MAX_CORE_SCAN 24
// of the size: a corner this near a face's plane belongs to it (hull.c merges to 5e-7)
#define BR_EPS_ON_FACE 2e-6

// About the points, each turned by R; R NULL: as they are.
static br_aabb hull_box(const br_vec3 *point, int count, const br_mat3 *R) {
    br_aabb r = {point[0], point[0]};
    if (R) r.low = r.high = br_mat3_mul_vec(*R, point[0]);
    for (int k = 1; k < count; k++) {
        const br_vec3 v = R ? br_mat3_mul_vec(*R, point[k]) : point[k];
        r.low = br_vec3_of(fmin(r.low.x, v.x), fmin(r.low.y, v.y), fmin(r.low.z, v.z));
        r.high = br_vec3_of(fmax(r.high.x, v.x), fmax(r.high.y, v.y), fmax(r.high.z, v.z));
    }
    return r;
}

static br_status hull_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    br_hull *hull = NULL;
    const br_status status = br_hull_make(def->points, def->point_count, arena, &hull, error);
    if (status != BR_OK) return status;
    const br_aabb box = hull_box(hull->vertex, hull->vertices, NULL);
    g->hull = hull;
    g->half = br_vec3_scale(0.5, br_vec3_sub(box.high, box.low));
    g->centre = br_vec3_add(box.low, g->half);
    for (int k = 0; k < hull->vertices; k++)
        g->reach = fmax(g->reach, br_vec3_distance(hull->vertex[k], g->centre));
    g->size = br_vec3_max_abs(g->half);
    return BR_OK;
}

static double hull_thickness(const br_shape_def *def) {
    if (!def->points || def->point_count <= 0) return INFINITY;
    const br_aabb box = hull_box(def->points, def->point_count, NULL);
    return fmin(box.high.x - box.low.x, fmin(box.high.y - box.low.y, box.high.z - box.low.z));
}

static br_aabb hull_bounds(const br_geometry *g, const br_placement *X) {
    if (g->hull->vertices > BR_MAX_HULL_SCAN) // a little larger than need be
        return br_aabb_about(br_place_out(X, g->centre), br_box_extent(&X->R, g->half));
    const br_aabb turned = hull_box(g->hull->vertex, g->hull->vertices, &X->R);
    const br_aabb r = {br_vec3_add(X->p, turned.low), br_vec3_add(X->p, turned.high)};
    return r;
}

// On a convex polytope a vertex that no neighbour exceeds is the farthest of all.
static int farthest_vertex(const br_hull *hull, br_vec3 d, int scan) {
    int best = 0;
    double most = br_vec3_dot(hull->vertex[0], d);
    if (hull->vertices <= scan) {
        for (int k = 1; k < hull->vertices; k++) {
            const double height = br_vec3_dot(hull->vertex[k], d);
            if (height > most) most = height, best = k;
        }
        return best;
    }
    for (int from = -1; from != best;) {
        from = best;
        for (int k = hull->near_start[from]; k < hull->near_start[from + 1]; k++) {
            const double height = br_vec3_dot(hull->vertex[hull->near[k]], d);
            if (height > most) most = height, best = hull->near[k];
        }
    }
    return best;
}

static br_vec3 hull_support(const br_geometry *g, br_vec3 d) {
    return g->hull->vertex[farthest_vertex(g->hull, d, BR_MAX_HULL_SCAN)];
}

static br_core_point hull_farthest(const br_core *core, br_vec3 d) {
    const int k = farthest_vertex(core->g->hull, d, BR_MAX_CORE_SCAN);
    const br_core_point r = {core->g->hull->vertex[k], k};
    return r;
}

static int hull_corners(const br_geometry *g) {
    return g->hull->vertices;
}

static br_vec3 hull_corner(const br_geometry *g, int k) {
    return g->hull->vertex[k];
}

static int hull_edge(const br_geometry *g, int corner, int i, br_vec3 *along) {
    const br_hull *hull = g->hull;
    if (hull->near_start[corner] + i >= hull->near_start[corner + 1]) return -1;
    const int next = hull->near[hull->near_start[corner] + i];
    *along = br_vec3_sub(hull->vertex[next], hull->vertex[corner]);
    return next;
}

static int hull_face(const br_core *core, br_vec3 d, br_vec3 *normal) {
    const br_hull *hull = core->g->hull;
    const br_vec3 l = br_core_turn_in(core, d), corner = hull->vertex[br_core_support(core, d).vertex];
    int best = -1;
    double most = -1.0;
    for (int f = 0; f < hull->faces; ++f) {
        const double facing = br_vec3_dot(l, hull->face_normal[f]);
        if (!(facing > most)) continue;
        const double below = hull->face_offset[f] - br_vec3_dot(hull->face_normal[f], corner);
        if (below > BR_EPS_ON_FACE * core->g->size) continue;
        most = facing, best = f;
    }
    if (best >= 0) *normal = br_core_turn(core, hull->face_normal[best]);
    return best;
}

static int hull_is_over_face(const br_geometry *g, int face, br_vec3 p) {
    const br_hull *hull = g->hull;
    const int *loop = hull->face_vertex + hull->face_start[face],
              n = hull->face_start[face + 1] - hull->face_start[face];
    for (int k = 0; k < n; ++k) {
        const br_vec3 a = hull->vertex[loop[k]], e = br_vec3_sub(hull->vertex[loop[(k + 1) % n]], a);
        if (br_vec3_dot(br_vec3_cross(e, br_vec3_sub(p, a)), hull->face_normal[face]) < 0.0) return 0;
    }
    return 1;
}

// A face with more corners than fit loses every other one, or more.
static void hull_polygon(const br_core *core, int face, br_face *out) {
    const br_hull *hull = core->g->hull;
    const int start = hull->face_start[face], n = hull->face_start[face + 1] - start;
    const int stride = (n + BR_MAX_FACE_POINTS - 1) / BR_MAX_FACE_POINTS;
    for (int k = 0; k < n; k += stride) {
        const int vertex = hull->face_vertex[start + k];
        br_face_add(out, br_core_out(core, hull->vertex[vertex]), (uint32_t)vertex);
    }
}

const br_shape_kind br_shape_convex = {
    .points = 4,
    .points_on_plane = 4,
    .make = hull_make,
    .thickness = hull_thickness,
    .bounds = hull_bounds,
    .on_plane = br_pair_hull_plane,
    .support = hull_support,
    .farthest = hull_farthest,
    .corners = hull_corners,
    .corner = hull_corner,
    .edge = hull_edge,
    .face = hull_face,
    .is_over_face = hull_is_over_face,
    .polygon = hull_polygon,
    .part = br_face_of_polytope,
};
