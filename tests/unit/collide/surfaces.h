// Random convex shapes of every kind, and where a point is relative to their surfaces, for the tests of src/collide.
#ifndef SURFACES_H
#define SURFACES_H

#include "shapes.h"

#include "collide/pair.h"

enum { CONVEX_KINDS = 7 };

static const br_shape_type convex_kind[CONVEX_KINDS] = {BR_SHAPE_SPHERE,   BR_SHAPE_BOX,  BR_SHAPE_CAPSULE,
                                                        BR_SHAPE_CYLINDER, BR_SHAPE_DISK, BR_SHAPE_ELLIPSOID,
                                                        BR_SHAPE_CONVEX};

static inline br_geometry hull_of(const br_vec3 *points, int count, br_arena *arena) {
    br_shape_def def = {0};
    def.type = BR_SHAPE_CONVEX;
    def.pose = br_pose_identity();
    def.points = points;
    def.point_count = count;
    br_geometry g;
    assert_int_equal(br_geometry_make(&def, arena, &g, NULL), BR_OK);
    return g;
}

// Sizes of 0.2 to 1.2.
static inline br_geometry random_shape(rng *r, br_shape_type type, br_arena *arena) {
    // One draw after another: the order of evaluation of arguments is the compiler's.
    const double z = rng_uniform(r, 0.2, 1.2), y = rng_uniform(r, 0.2, 1.2), x = rng_uniform(r, 0.2, 1.2);
    const br_vec3 size = br_vec3_of(x, y, z);
    if (type != BR_SHAPE_CONVEX) return shape_make(type, size, rng_uniform(r, 0.2, 2.0));
    br_vec3 points[32];
    const int count = 5 + (int)rng_uniform(r, 0.0, 27.0);
    for (int k = 0; k < count; k++) {
        const br_vec3 direction = rng_direction(r);
        points[k] = br_vec3_scale(rng_uniform(r, 0.3, 1.2), direction);
    }
    return hull_of(points, count, arena);
}

// A box of half lengths h as a polytope; its corners are numbered as a box's are.
static inline br_geometry box_hull(br_vec3 h, br_arena *arena) {
    br_vec3 p[8];
    for (int k = 0; k < 8; k++) p[k] = br_vec3_of(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
    return hull_of(p, 8, arena);
}

// Zero on the surface, about the distance near it, positive outside.
static inline double off_surface(const br_geometry *g, const br_placement *X, br_vec3 point) {
    const br_vec3 p = br_place_in(X, point), h = g->half;
    const double across = sqrt(p.x * p.x + p.y * p.y);
    switch (g->type) {
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISK:
        return fmax(across - g->radius, fabs(p.z) - g->half_length);
    case BR_SHAPE_ELLIPSOID: {
        const double level = br_vec3_norm(br_vec3_of(p.x / h.x, p.y / h.y, p.z / h.z));
        return (level - 1.0) * fmin(h.x, fmin(h.y, h.z));
    }
    case BR_SHAPE_CONVEX: {
        double most = -INFINITY;
        for (int f = 0; f < g->hull->faces; f++)
            most = fmax(most, br_vec3_dot(g->hull->face_normal[f], p) - g->hull->face_offset[f]);
        return most;
    }
    default:
        return point_outside(g, X, point);
    }
}

// Every point is on A's surface, and point - gap normal on B's.
static inline void check_on_surfaces(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                                     const br_placement *X_B, const br_contact_point *c, int count,
                                     double tol) {
    for (int k = 0; k < count; k++) {
        assert_near(off_surface(a, X_A, c[k].point), 0.0, tol);
        assert_near(off_surface(b, X_B, br_vec3_add_scaled(c[k].point, -c[k].gap, c[k].normal)), 0.0, tol);
    }
}

#endif
