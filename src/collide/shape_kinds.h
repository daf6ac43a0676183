// What a kind of shape is: one table for each, from the file shape_NAME.c (private to src/collide). All are in br_shape_kinds,
// geometry.c. Functions are given points and directions in the geometry's frame.
#ifndef BR_COLLIDE_SHAPE_KINDS_H
#define BR_COLLIDE_SHAPE_KINDS_H

#include "collide/convex.h"

// A point of a smooth core and the Hessian of its support function there.
typedef struct br_jet {
    br_vec3 p;
    br_sym3 H;
} br_jet;

typedef struct br_shape_kind {
    int has_axis; // local z is along the definition's axis
    int is_round; // see br_geometry_is_round
    int points;   // that it touches another shape with at most, as channels list them
    int points_on_plane;
    br_status (*make)(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error);
    double (*thickness)(const br_shape_def *def); // smallest extent, m
    br_aabb (*bounds)(const br_geometry *g, const br_placement *X);
    br_pair_function on_plane; // the pair of it and a plane

    // Of what is not a convex body alone: the pair of a convex body and it; NULL: that body's `on_plane`.
    br_pair_function against;

    // Of convex bodies; NULL for others.
    br_vec3 (*support)(const br_geometry *g, br_vec3 d);
    double (*radius)(const br_geometry *g); // that the core is swept with, see gjk.h; NULL: 0
    br_core_point (*farthest)(const br_core *core, br_vec3 d);
    // Corners: all that a height field may touch (NULL: its part that faces the field); the i-th edge at a corner, along it to
    // the next one, whose number it returns (-1: no more edges).
    int (*corners)(const br_geometry *g);
    br_vec3 (*corner)(const br_geometry *g, int k);
    int (*edge)(const br_geometry *g, int corner, int i, br_vec3 *along);
    // Curved ones: the core near d, at the height z of a rim.
    br_jet (*jet)(const br_core *core, br_vec3 d, double z);
    int has_rim;  // what curves is a circle about z
    int has_side; // two of them, and lines along z between them
    // Flat faces: the one at the support point that faces d (pair's frame) best, its number (-1: none); whether a point is over
    // it; its corners. `part`: as br_face_of_core; NULL: a point.
    int (*face)(const br_core *core, br_vec3 d, br_vec3 *normal);
    int (*is_over_face)(const br_geometry *g, int face, br_vec3 p);
    void (*polygon)(const br_core *core, int face, br_face *out);
    void (*part)(const br_core *core, br_vec3 d, int flat, br_face *out);
} br_shape_kind;

extern const br_shape_kind br_shape_sphere, br_shape_box, br_shape_capsule, br_shape_cylinder, br_shape_disk,
    br_shape_ellipsoid, br_shape_convex, br_shape_plane, br_shape_field;

extern const br_shape_kind *const br_shape_kinds[BR_SHAPE_TYPES];

static inline const br_shape_kind *br_kind_of(const br_geometry *g) {
    return br_shape_kinds[g->type];
}

// --- for several kinds ---------------------------------------------------------------------------------------------

static inline br_aabb br_aabb_about(br_vec3 centre, br_vec3 extent) {
    const br_aabb r = {br_vec3_sub(centre, extent), br_vec3_add(centre, extent)};
    return r;
}

// |R| h: how far a box with half lengths h reaches along the world's axes.
static inline br_vec3 br_box_extent(const br_mat3 *R, br_vec3 h) {
    return br_vec3_of(fabs(R->m[0][0]) * h.x + fabs(R->m[0][1]) * h.y + fabs(R->m[0][2]) * h.z,
                      fabs(R->m[1][0]) * h.x + fabs(R->m[1][1]) * h.y + fabs(R->m[1][2]) * h.z,
                      fabs(R->m[2][0]) * h.x + fabs(R->m[2][1]) * h.y + fabs(R->m[2][2]) * h.z);
}

static inline br_vec3 br_ball_support(double radius, br_vec3 d) {
    const double norm = br_vec3_norm(d);
    return norm > 0.0 ? br_vec3_scale(radius / norm, d) : br_vec3_of(radius, 0.0, 0.0);
}

#endif
