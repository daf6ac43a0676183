// Private to src/collide: one function per pair of kinds of shapes, gathered in one table (collide.c). Those of any two convex
// shapes and of height fields are in convex.h and field.h.
//
// A pair function is called with kinds in the order of br_shape_type (br_collide_order), never otherwise, so a plane
// or a height field is always B. It writes the points with gap <= margin and returns their number, at most
// BR_MAX_MANIFOLD. margin may be INFINITY: then the nearest points come out however far they are, and the smallest gap
// is the distance. Work relative to one of the two shapes: world positions may be large.
#ifndef BR_COLLIDE_PAIR_H
#define BR_COLLIDE_PAIR_H

#include "collide/collide.h"

typedef int (*br_pair_function)(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                                const br_placement *X_B, double margin, br_contact_point *out);

// Against a plane: pair_plane.c, pair_disk.c (cylinder and disk).
int br_pair_sphere_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                         const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_box_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                      const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_capsule_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_cylinder_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                           const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_disk_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_ellipsoid_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                            const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_hull_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, double margin, br_contact_point *out);

// Closed forms: pair_sphere.c, pair_capsule.c, pair_box.c.
int br_pair_sphere_sphere(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_sphere_box(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_sphere_capsule(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                           const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_box_box(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                    const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_box_capsule(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                        const br_placement *X_B, double margin, br_contact_point *out);
int br_pair_capsule_capsule(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                            const br_placement *X_B, double margin, br_contact_point *out);

// A pair with a better answer than br_pair_convex_convex (sphere-cylinder, sphere-ellipsoid, ...) is declared here and
// takes its cell of the table in collide.c.

// Shorter vectors, m, have no direction: their squares are on the way to underflow.
#define BR_EPS_DIRECTION 1e-100

// --- for every pair function ---------------------------------------------------------------------------------------

static inline br_vec3 br_place_out(const br_placement *X, br_vec3 local) { // to world
    return br_vec3_add(X->p, br_mat3_mul_vec(X->R, local));
}

static inline br_vec3 br_place_in(const br_placement *X, br_vec3 world) { // to the geometry's frame
    return br_mat3_tmul_vec(X->R, br_vec3_sub(world, X->p));
}

static inline int br_emit(br_contact_point *out, int count, br_vec3 point, br_vec3 normal, double gap,
                          uint32_t feature) {
    const br_contact_point r = {point, normal, gap, feature};
    out[count] = r;
    return count + 1;
}

#endif
