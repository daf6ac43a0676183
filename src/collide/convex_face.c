// The part of a convex shape that faces a direction: a face, an edge or line, a point.
#include "collide/convex.h"

// of the size: a corner this near a face's plane belongs to it (hull.c merges to 5e-7)
#define BR_EPS_ON_FACE 2e-6
#define BR_EPS_LINE 1e-3   // sine: an edge or a side this near to perpendicular to n touches along its length
#define BR_STEEP_FACE 0.05 // cosine: a face that turns away more than this is seen as its nearest edge
// sine: where the lowest point of a circle that is flatter than this lies is rounding
#define BR_EPS_FLAT_RIM 1e-8

static int box_face(const br_core *core, br_vec3 d, br_vec3 *normal) {
    const br_vec3 l = br_core_turn_in(core, d);
    int i = 0;
    if (fabs(l.y) > fabs(l.x)) i = 1;
    if (fabs(l.z) > fabs(br_vec3_get(l, i))) i = 2;
    const double sign = br_vec3_get(l, i) < 0.0 ? -1.0 : 1.0;
    *normal = br_core_turn(core, br_vec3_scale(sign, br_vec3_unit(i)));
    return 2 * i + (sign > 0.0);
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

int br_core_face_normal(const br_core *core, br_vec3 d, br_vec3 *normal, int *face) {
    int number = -1;
    switch (core->g->type) {
    case BR_SHAPE_BOX:
        number = box_face(core, d, normal);
        break;
    case BR_SHAPE_CONVEX:
        number = hull_face(core, d, normal);
        break;
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISK: {
        const br_vec3 axis = br_core_turn(core, br_vec3_unit(2));
        number = br_vec3_dot(axis, d) < 0.0 ? 0 : 1;
        *normal = number ? axis : br_vec3_neg(axis);
        break;
    }
    default:
        break;
    }
    if (face) *face = number;
    return number >= 0;
}

static int is_over_hull_face(const br_hull *hull, int face, br_vec3 p) {
    const int *loop = hull->face_vertex + hull->face_start[face],
              n = hull->face_start[face + 1] - hull->face_start[face];
    for (int k = 0; k < n; ++k) {
        const br_vec3 a = hull->vertex[loop[k]], e = br_vec3_sub(hull->vertex[loop[(k + 1) % n]], a);
        if (br_vec3_dot(br_vec3_cross(e, br_vec3_sub(p, a)), hull->face_normal[face]) < 0.0) return 0;
    }
    return 1;
}

int br_core_is_over_face(const br_core *core, int face, br_vec3 point) {
    const br_geometry *g = core->g;
    const br_vec3 p = br_core_turn_in(core, br_vec3_sub(point, core->p));
    if (g->type == BR_SHAPE_CONVEX) return is_over_hull_face(g->hull, face, p);
    if (g->type != BR_SHAPE_BOX) return p.x * p.x + p.y * p.y <= g->radius * g->radius;
    for (int i = 0; i < 3; ++i)
        if (i != face / 2 && !(fabs(br_vec3_get(p, i)) <= br_vec3_get(g->half, i))) return 0;
    return 1;
}

// --- parts ---------------------------------------------------------------------------------------------------------

static void add_point(br_face *f, br_vec3 p, uint32_t id) {
    if (f->count >= BR_MAX_FACE_POINTS) return;
    f->point[f->count] = p;
    f->id[f->count++] = id;
}

static br_vec3 box_corner(const br_core *core, int vertex) {
    const br_vec3 h = core->g->half;
    return br_core_out(core,
                       br_vec3_of(vertex & 1 ? h.x : -h.x, vertex & 2 ? h.y : -h.y, vertex & 4 ? h.z : -h.z));
}

static void box_polygon(const br_core *core, int face, br_face *out) {
    static const int around[4] = {0, 1, 3, 2}; // bits along the two axes after the face's own, anticlockwise
    const int i = face / 2, u = (i + 1) % 3, v = (i + 2) % 3, up = face % 2;
    for (int k = 0; k < 4; ++k) {
        const int turn = around[up ? k : 3 - k];
        const int vertex = (up << i) | ((turn & 1) << u) | ((turn >> 1) << v);
        add_point(out, box_corner(core, vertex), (uint32_t)vertex);
    }
}

// A face with more corners than fit loses every other one, or more.
static void hull_polygon(const br_core *core, int face, br_face *out) {
    const br_hull *hull = core->g->hull;
    const int start = hull->face_start[face], n = hull->face_start[face + 1] - start;
    const int stride = (n + BR_MAX_FACE_POINTS - 1) / BR_MAX_FACE_POINTS;
    for (int k = 0; k < n; k += stride) {
        const int vertex = hull->face_vertex[start + k];
        add_point(out, br_core_out(core, hull->vertex[vertex]), (uint32_t)vertex);
    }
}

// The edge at the support corner that is most nearly perpendicular to d, if one is; else the corner.
static void corner_part(const br_core *core, br_vec3 d, br_face *out) {
    const br_core_point at = br_core_support(core, d);
    const br_geometry *g = core->g;
    int best = -1;
    double least = BR_EPS_LINE;
    const int from = g->type == BR_SHAPE_CONVEX ? g->hull->near_start[at.vertex] : 0;
    const int to = g->type == BR_SHAPE_CONVEX ? g->hull->near_start[at.vertex + 1] : 3;
    for (int k = from; k < to; ++k) {
        const int vertex = g->type == BR_SHAPE_CONVEX ? g->hull->near[k] : at.vertex ^ (1 << k);
        const br_vec3 p = g->type == BR_SHAPE_CONVEX ? br_core_out(core, g->hull->vertex[vertex])
                                                     : box_corner(core, vertex);
        const br_vec3 along = br_vec3_sub(p, at.p);
        const double slope = fabs(br_vec3_dot(d, along)) / br_vec3_norm(along);
        if (slope < least) least = slope, best = vertex;
    }
    out->kind = BR_FACE_POINT;
    add_point(out, at.p, (uint32_t)at.vertex);
    if (best < 0) return;
    out->kind = BR_FACE_SEGMENT;
    add_point(out,
              g->type == BR_SHAPE_CONVEX ? br_core_out(core, g->hull->vertex[best]) : box_corner(core, best),
              (uint32_t)best);
}

static void polytope_part(const br_core *core, br_vec3 d, int flat, br_face *out) {
    br_vec3 normal;
    int face;
    if (!flat || !br_core_face_normal(core, d, &normal, &face) || br_vec3_dot(normal, d) < BR_STEEP_FACE) {
        corner_part(core, d, out);
        return;
    }
    out->kind = BR_FACE_POLYGON;
    out->normal = normal;
    if (core->g->type == BR_SHAPE_BOX)
        box_polygon(core, face, out);
    else
        hull_polygon(core, face, out);
}

// Rims: named by the end of the axis that they are at (0 or 1), the lowest point first. The side is the line between
// the lowest points of both rims, so that a cylinder that rolls over its rim keeps the name of the point it turns about.
static void cylinder_part(const br_core *core, br_vec3 d, int flat, br_face *out) {
    const br_geometry *g = core->g;
    const br_vec3 l = br_core_turn_in(core, d);
    const double across = sqrt(l.x * l.x + l.y * l.y), z = g->half_length;
    const uint32_t end = l.z < 0.0 ? 0 : 1;
    if (flat && fabs(l.z) >= across) {
        out->kind = BR_FACE_CIRCLE;
        out->normal = br_core_turn(core, br_vec3_of(0.0, 0.0, end ? 1.0 : -1.0));
        out->centre = br_core_out(core, br_vec3_of(0.0, 0.0, end ? z : -z));
        out->radius = g->radius;
        return;
    }
    const double c = across > 0.0 ? l.x / across : 1.0, s = across > 0.0 ? l.y / across : 0.0;
    out->kind = z > 0.0 && (flat || fabs(l.z) <= BR_EPS_LINE) ? BR_FACE_SEGMENT : BR_FACE_POINT;
    for (uint32_t k = 0; k < 2; ++k)
        if (out->kind == BR_FACE_SEGMENT || k == end)
            add_point(out, br_core_out(core, br_vec3_of(g->radius * c, g->radius * s, k ? z : -z)),
                      z > 0.0 ? k : 0);
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
        add_point(out, br_core_out(core, p), k);
    }
}

void br_face_of_core(const br_core *core, br_vec3 d, int flat, br_face *out) {
    out->kind = BR_FACE_POINT;
    out->count = 0;
    out->radius = 0.0;
    out->ends_only = 0;
    out->normal = d;
    switch (core->g->type) {
    case BR_SHAPE_BOX:
    case BR_SHAPE_CONVEX:
        polytope_part(core, d, flat, out);
        break;
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISK:
        cylinder_part(core, d, flat, out);
        break;
    case BR_SHAPE_CAPSULE:
        capsule_part(core, d, flat, out);
        break;
    default:
        add_point(out, br_core_support(core, d).p, 0);
    }
}

void br_face_place_rim(const br_core *core, br_vec3 other, br_face *face) {
    const br_vec3 l = br_core_turn_in(core, other), up = br_core_turn_in(core, face->normal);
    const double tilt = sqrt(l.x * l.x + l.y * l.y),
                 z = br_core_turn_in(core, br_vec3_sub(face->centre, core->p)).z;
    const uint32_t end = up.z > 0.0 && core->g->half_length > 0.0;
    const int fixed = tilt < BR_EPS_FLAT_RIM;
    // `other` faces this circle; its part in the circle's plane points away from where the two are nearest.
    const double c = fixed ? 1.0 : -l.x / tilt, s = fixed ? 0.0 : -l.y / tilt, r = face->radius;
    const double turn[4][2] = {{c, s}, {-s, c}, {s, -c}, {-c, -s}};
    face->count = 0;
    for (uint32_t k = 0; k < 4; ++k) // lowest, its sides, highest
        add_point(face, br_core_out(core, br_vec3_of(r * turn[k][0], r * turn[k][1], z)),
                  end + 2 * k + (fixed ? 16u : 0u));
}
