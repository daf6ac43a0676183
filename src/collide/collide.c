// Which function answers for which pair of kinds. The table's upper triangle in the order of br_shape_type is all there
// is: kinds the other way round are exchanged before and after. A new shape is one row and one column.
#include "collide/convex.h"
#include "collide/field.h"
#include "collide/pair.h"

#define SPHERE BR_SHAPE_SPHERE
#define BOX BR_SHAPE_BOX
#define CAPSULE BR_SHAPE_CAPSULE
#define CYLINDER BR_SHAPE_CYLINDER
#define DISK BR_SHAPE_DISK
#define ELLIPSOID BR_SHAPE_ELLIPSOID
#define CONVEX BR_SHAPE_CONVEX
#define PLANE BR_SHAPE_PLANE
#define FIELD BR_SHAPE_HEIGHTFIELD

static const br_pair_function pair_table[BR_SHAPE_TYPES][BR_SHAPE_TYPES] = {
    [SPHERE][SPHERE] = br_pair_sphere_sphere,
    [SPHERE][BOX] = br_pair_sphere_box,
    [SPHERE][CAPSULE] = br_pair_sphere_capsule,
    [SPHERE][CYLINDER] = br_pair_convex_convex,
    [SPHERE][DISK] = br_pair_convex_convex,
    [SPHERE][ELLIPSOID] = br_pair_convex_convex,
    [SPHERE][CONVEX] = br_pair_convex_convex,
    [SPHERE][PLANE] = br_pair_sphere_plane,
    [SPHERE][FIELD] = br_pair_convex_field,

    [BOX][BOX] = br_pair_box_box,
    [BOX][CAPSULE] = br_pair_box_capsule,
    [BOX][CYLINDER] = br_pair_convex_convex,
    [BOX][DISK] = br_pair_convex_convex,
    [BOX][ELLIPSOID] = br_pair_convex_convex,
    [BOX][CONVEX] = br_pair_convex_convex,
    [BOX][PLANE] = br_pair_box_plane,
    [BOX][FIELD] = br_pair_convex_field,

    [CAPSULE][CAPSULE] = br_pair_capsule_capsule,
    [CAPSULE][CYLINDER] = br_pair_convex_convex,
    [CAPSULE][DISK] = br_pair_convex_convex,
    [CAPSULE][ELLIPSOID] = br_pair_convex_convex,
    [CAPSULE][CONVEX] = br_pair_convex_convex,
    [CAPSULE][PLANE] = br_pair_capsule_plane,
    [CAPSULE][FIELD] = br_pair_convex_field,

    [CYLINDER][CYLINDER] = br_pair_convex_convex,
    [CYLINDER][DISK] = br_pair_convex_convex,
    [CYLINDER][ELLIPSOID] = br_pair_convex_convex,
    [CYLINDER][CONVEX] = br_pair_convex_convex,
    [CYLINDER][PLANE] = br_pair_cylinder_plane,
    [CYLINDER][FIELD] = br_pair_convex_field,

    [DISK][DISK] = br_pair_convex_convex,
    [DISK][ELLIPSOID] = br_pair_convex_convex,
    [DISK][CONVEX] = br_pair_convex_convex,
    [DISK][PLANE] = br_pair_disk_plane,
    [DISK][FIELD] = br_pair_convex_field,

    [ELLIPSOID][ELLIPSOID] = br_pair_convex_convex,
    [ELLIPSOID][CONVEX] = br_pair_convex_convex,
    [ELLIPSOID][PLANE] = br_pair_ellipsoid_plane,
    [ELLIPSOID][FIELD] = br_pair_convex_field,

    [CONVEX][CONVEX] = br_pair_convex_convex,
    [CONVEX][PLANE] = br_pair_hull_plane,
    [CONVEX][FIELD] = br_pair_convex_field,
};

int br_collide_order(br_shape_type a, br_shape_type b) {
    return a > b;
}

int br_collide_possible(br_shape_type a, br_shape_type b) {
    return pair_table[a < b ? a : b][a < b ? b : a] != NULL;
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
        const br_pair_function function = pair_table[a->type][b->type];
        return function ? function(a, X_A, b, X_B, margin, out) : 0;
    }
    const br_pair_function function = pair_table[b->type][a->type];
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
