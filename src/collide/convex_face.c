// The part of a convex shape that faces a direction: a face, an edge or line, a point.
#include "collide/shape_kinds.h"

#define BR_STEEP_FACE 0.05 // cosine: a face that turns away more than this is seen as its nearest edge
// sine: where the lowest point of a circle that is flatter than this lies is rounding
#define BR_EPS_FLAT_RIM 1e-8

int br_core_face_normal(const br_core *core, br_vec3 d, br_vec3 *normal, int *face) {
    const br_shape_kind *kind = br_kind_of(core->g);
    const int number = kind->face ? kind->face(core, d, normal) : -1;
    if (face) *face = number;
    return number >= 0;
}

int br_core_is_over_face(const br_core *core, int face, br_vec3 point) {
    return br_kind_of(core->g)->is_over_face(core->g, face,
                                             br_core_turn_in(core, br_vec3_sub(point, core->p)));
}

// --- parts ---------------------------------------------------------------------------------------------------------

void br_face_add(br_face *f, br_vec3 p, uint32_t id) {
    if (f->count >= BR_MAX_FACE_POINTS) return;
    f->point[f->count] = p;
    f->id[f->count++] = id;
}

// The edge at the support corner that is most nearly perpendicular to d, if one is; else the corner.
static void corner_part(const br_core *core, br_vec3 d, br_face *out) {
    const br_core_point at = br_core_support(core, d);
    const br_shape_kind *kind = br_kind_of(core->g);
    int best = -1;
    double least = BR_EPS_LINE;
    br_vec3 local;
    for (int i = 0, next = 0; (next = kind->edge(core->g, at.vertex, i, &local)) >= 0; ++i) {
        const br_vec3 along = br_vec3_sub(br_core_out(core, kind->corner(core->g, next)), at.p);
        const double slope = fabs(br_vec3_dot(d, along)) / br_vec3_norm(along);
        if (slope < least) least = slope, best = next;
    }
    out->kind = BR_FACE_POINT;
    br_face_add(out, at.p, (uint32_t)at.vertex);
    if (best < 0) return;
    out->kind = BR_FACE_SEGMENT;
    br_face_add(out, br_core_out(core, kind->corner(core->g, best)), (uint32_t)best);
}

void br_face_of_polytope(const br_core *core, br_vec3 d, int flat, br_face *out) {
    br_vec3 normal;
    int face;
    if (!flat || !br_core_face_normal(core, d, &normal, &face) || br_vec3_dot(normal, d) < BR_STEEP_FACE) {
        corner_part(core, d, out);
        return;
    }
    out->kind = BR_FACE_POLYGON;
    out->normal = normal;
    br_kind_of(core->g)->polygon(core, face, out);
}

void br_face_of_core(const br_core *core, br_vec3 d, int flat, br_face *out) {
    out->kind = BR_FACE_POINT;
    out->count = 0;
    out->radius = 0.0;
    out->ends_only = 0;
    out->normal = d;
    if (br_kind_of(core->g)->part)
        br_kind_of(core->g)->part(core, d, flat, out);
    else
        br_face_add(out, br_core_support(core, d).p, 0);
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
        br_face_add(face, br_core_out(core, br_vec3_of(r * turn[k][0], r * turn[k][1], z)),
                    end + 2 * k + (fixed ? 16u : 0u));
}
