// Which function answers for which pair of kinds. Where a pair has no function of its own, any two convex bodies have one, and what
// is no convex body says who answers for it; kinds the other way round are exchanged before and after.
#include "collide/shape_kinds.h"

#define SPHERE BR_SHAPE_SPHERE
#define BOX BR_SHAPE_BOX
#define CAPSULE BR_SHAPE_CAPSULE

static const br_pair_function closed_forms[BR_SHAPE_TYPES][BR_SHAPE_TYPES] = {
    [SPHERE][SPHERE] = br_pair_sphere_sphere,   [SPHERE][BOX] = br_pair_sphere_box,
    [SPHERE][CAPSULE] = br_pair_sphere_capsule, [BOX][BOX] = br_pair_box_box,
    [BOX][CAPSULE] = br_pair_box_capsule,       [CAPSULE][CAPSULE] = br_pair_capsule_capsule,
};

// In this order: NULL where they never collide.
static br_pair_function pair_function(br_shape_type a, br_shape_type b) {
    const br_shape_kind *A = br_shape_kinds[a], *B = br_shape_kinds[b];
    if (closed_forms[a][b]) return closed_forms[a][b];
    if (!A->support) return NULL;
    if (B->support) return br_pair_convex_convex;
    return B->against ? B->against : A->on_plane;
}

// As br_shape_type has them, but first what is convex.
static int place_in_pair(br_shape_type type) {
    return br_shape_kinds[type]->support ? (int)type : (int)type + BR_SHAPE_TYPES;
}

int br_collide_order(br_shape_type a, br_shape_type b) {
    return place_in_pair(a) > place_in_pair(b);
}

int br_collide_possible(br_shape_type a, br_shape_type b) {
    return (br_collide_order(a, b) ? pair_function(b, a) : pair_function(a, b)) != NULL;
}

int br_collide_points(br_shape_type a, br_shape_type b) {
    const br_shape_kind *A = br_shape_kinds[a], *B = br_shape_kinds[b];
    if (!B->support && !B->against) return A->points_on_plane;
    return A->points < B->points ? A->points : B->points;
}

// The same contacts seen from the other shape.
static void collide_swap_sides(br_contact_point *points, int count) {
    for (int k = 0; k < count; k++) {
        points[k].point = br_vec3_add_scaled(points[k].point, -points[k].gap, points[k].normal);
        points[k].normal = br_vec3_neg(points[k].normal);
    }
}

int br_collide(const br_geometry *a, const br_placement *X_A, const br_geometry *b, const br_placement *X_B,
               double margin, br_contact_point *out) {
    if (!br_collide_order(a->type, b->type)) {
        const br_pair_function function = pair_function(a->type, b->type);
        return function ? function(a, X_A, b, X_B, margin, out) : 0;
    }
    const br_pair_function function = pair_function(b->type, a->type);
    const int count = function ? function(b, X_B, a, X_A, margin, out) : 0;
    collide_swap_sides(out, count);
    return count;
}

double br_collide_distance(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                           const br_placement *X_B) {
    br_contact_point points[BR_MAX_MANIFOLD];
    const int count = br_collide(a, X_A, b, X_B, INFINITY, points);
    double least = INFINITY;
    for (int k = 0; k < count; k++) least = fmin(least, points[k].gap);
    return least;
}
