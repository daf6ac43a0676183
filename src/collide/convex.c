// Any two convex shapes: the axis of least separation, and the contact points about it.
#include "collide/convex.h"

#define BR_TOL_GJK_EXACT 1e-15 // polytopes: until no vertex is farther
#define BR_TOL_GJK_CURVED 1e-4 // curved shapes: the rest is Newton's
#define BR_TOL_GJK_CLOSE 1e-10 // or not, when it started too far away
#define BR_TOL_EPA_EXACT 1e-14
#define BR_TOL_EPA_CURVED 1e-6
#define BR_EPS_RIVAL 1e-7              // of the scale
#define BR_EPS_SEP (8.0 * DBL_EPSILON) // of the scale: what two ways to compute a separation differ by

// cosine: an n nearer than 0.01 rad to a face's normal is a contact of that face
#define BR_FACE_COSINE (1.0 - 5e-5)
// Of the size: a face's normal is taken even where another n separates by so much more. Resting faces are parallel up
// to rounding and to what a solver leaves, and which n is best there means nothing; a face against something curved has
// no such play, so there the preference only has to beat rounding.
#define BR_EPS_PREFER_FACES 1e-7
#define BR_EPS_PREFER_FACE 1e-12

// Inner faces that are farther than the depth known cannot be hiding a smaller one, and at depths below the tolerance
// it does not matter.
static void polish_rivals(const br_core core[2], const br_epa *epa, br_axis *axis) {
    for (int k = 0; k < epa->rivals; ++k) {
        if (!(epa->rival_depth[k] < -axis->sep - BR_EPS_RIVAL * axis->scale)) continue;
        br_axis other = {epa->rival[k], br_core_separation(core, epa->rival[k]), axis->scale};
        br_axis_polish(core, NULL, 0, &other);
        if (other.sep > axis->sep) *axis = other;
    }
}

int br_axis_find(const br_core core[2], double limit, br_axis *axis) {
    const int curved = br_core_is_curved(&core[0]) || br_core_is_curved(&core[1]);
    br_gjk gjk;
    br_gjk_run(core, limit, curved ? BR_TOL_GJK_CURVED : BR_TOL_GJK_EXACT, &gjk);
    if (gjk.far) return 0;
    axis->n = gjk.n;
    axis->sep = gjk.sep;
    axis->scale = gjk.scale;
    if (gjk.inside) {
        br_epa epa;
        br_epa_run(core, &gjk, curved ? BR_TOL_EPA_CURVED : BR_TOL_EPA_EXACT, &epa);
        axis->n = epa.n;
        axis->sep = br_core_separation(core, epa.n);
        if (curved || !(-axis->sep - epa.depth <= BR_EPS_SEP * axis->scale))
            br_axis_polish(core, epa.s, epa.count, axis);
        if (curved) polish_rivals(core, &epa, axis);
    } else if (!(fabs(br_vec3_norm(gjk.v) - gjk.sep) <= BR_EPS_SEP * axis->scale)) {
        // The bounds have not met yet, or have crossed: a v that is computed below a separation has lost its digits, and
        // the n that came from it is no better.
        if (!br_axis_polish(core, gjk.s, gjk.count, axis) && curved) {
            br_gjk_run(core, limit, BR_TOL_GJK_CLOSE, &gjk);
            br_axis other = {gjk.n, gjk.sep, gjk.scale};
            br_axis_polish(core, gjk.s, gjk.count, &other);
            if (other.sep > axis->sep) *axis = other;
        }
    }
    return axis->sep <= limit;
}

// Whether a face of either shape is what touches, and if so n is that face's normal.
static int prefer_faces(const br_core core[2], double size, int exact, br_axis *axis) {
    br_axis face[2];
    int facing[2];
    for (int side = 0; side < 2; ++side) {
        br_vec3 normal;
        facing[side] = 0;
        if (!br_core_face_normal(&core[side], side ? axis->n : br_vec3_neg(axis->n), &normal, NULL)) continue;
        face[side] = *axis;
        face[side].n = side ? normal : br_vec3_neg(normal);
        facing[side] = br_vec3_dot(face[side].n, axis->n) > BR_FACE_COSINE;
        if (facing[side]) face[side].sep = br_core_separation(core, face[side].n);
    }
    const double play =
        exact ? 0.0 : size * (facing[0] && facing[1] ? BR_EPS_PREFER_FACES : BR_EPS_PREFER_FACE);
    const double least = axis->sep - play;
    for (int side = 1; side >= 0; --side)
        if (facing[side] && face[side].sep >= least) {
            *axis = face[side];
            break;
        }
    return facing[0] || facing[1];
}

// One point: where one shape has a single point, there; where two edges cross, there. Two points that do not face each
// other are no contact, unless there is no other: two circles that cross at a small angle can end here.
static void add_single(br_manifold *m, const br_axis *axis, const br_face *a, const br_face *b, double gap) {
    if (a->kind == BR_FACE_POINT && b->kind == BR_FACE_POINT && m->count > 0) {
        const br_vec3 w = br_vec3_sub(a->point[0], b->point[0]);
        if (br_vec3_norm(br_vec3_add_scaled(w, -axis->sep, axis->n)) > BR_EPS_OVER * m->size) return;
    }
    if (a->kind == BR_FACE_POINT)
        br_manifold_add(m, a->point[0], gap, br_feature_of(1, a->id[0], 0));
    else
        br_manifold_add(m, br_vec3_add_scaled(b->point[0], axis->sep, axis->n), gap,
                        br_feature_of(2, b->id[0], 0));
}

// What touches when no face does: points, edges, lines.
static void find_edges(const br_core core[2], const br_axis *axis, br_manifold *m) {
    br_face face[2];
    const double gap = axis->sep - m->offset;
    for (int side = 0; side < 2; ++side)
        br_face_of_core(&core[side], side ? axis->n : br_vec3_neg(axis->n), 0, &face[side]);
    if (face[0].kind == BR_FACE_POINT || face[1].kind == BR_FACE_POINT)
        add_single(m, axis, &face[0], &face[1], gap);
    else
        br_manifold_intersect(m, &face[0], &face[1], gap);
}

// `best` is the axis before a face was preferred.
static void find_faces(const br_core core[2], const br_axis *axis, const br_axis *best, br_manifold *m) {
    br_face face[2];
    const double gap = axis->sep - m->offset;
    for (int side = 0; side < 2; ++side)
        br_face_of_core(&core[side], side ? axis->n : br_vec3_neg(axis->n), 1, &face[side]);
    if (face[0].kind == BR_FACE_POINT || face[1].kind == BR_FACE_POINT) {
        add_single(m, axis, &face[0], &face[1], gap);
        return;
    }
    for (int side = 0; side < 2; ++side) {
        const br_face *other = &face[1 - side];
        const br_vec3 toward =
            other->kind == BR_FACE_SEGMENT ? (side ? br_vec3_neg(axis->n) : axis->n) : other->normal;
        if (face[side].kind == BR_FACE_CIRCLE) br_face_place_rim(&core[side], toward, &face[side]);
    }
    br_manifold_intersect(m, &face[0], &face[1], gap);
    // Two edges may be the nearest parts although a face is close to n: they need not belong to the faces taken.
    for (int k = 0; k < m->count; ++k)
        if (m->point[k].gap <= best->sep - m->offset + BR_EPS_OVER * m->size) return;
    m->n = best->n;
    find_edges(core, best, m);
}

int br_pair_convex_convex(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out) {
    br_core core[2];
    br_axis axis;
    br_core_pair(a, X_A, b, X_B, core);
    const double radii = core[0].radius + core[1].radius;
    if (!br_axis_find(core, margin + radii, &axis)) return 0;
    const double size = fmin(a->size, b->size);
    const br_axis best = axis;
    const int exact = !(margin < INFINITY), flat = prefer_faces(core, size, exact, &axis);
    br_contact_point found[BR_MAX_CANDIDATES];
    br_manifold m = {axis.n, margin, size, BR_EPS_OVER * size, radii, core[0].radius, 0, 0, found};
    if (flat)
        find_faces(core, &axis, &best, &m);
    else
        find_edges(core, &axis, &m);
    int count = br_manifold_reduce(found, m.count, BR_MAX_MANIFOLD, size);
    if (exact && count > 0) { // a distance is asked for: the nearest point alone
        for (int k = 1; k < count; ++k)
            if (found[k].gap < found[0].gap) found[0] = found[k];
        found[0].gap = best.sep - radii;
        count = 1;
    }
    for (int k = 0; k < count; ++k)
        br_emit(out, k, br_place_out(X_A, found[k].point), br_mat3_mul_vec(X_A->R, found[k].normal),
                found[k].gap, found[k].feature);
    return count;
}
