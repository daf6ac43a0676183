// Collision: gaps, normals and contact points between shapes, and which pairs are near. Nothing here knows a mass, a
// velocity, a material or time.
//
//     br_geometry_make   a shape definition -> geometry, once
//     br_broad_update    boxes around all shapes -> pairs that may be near
//     br_collide         one pair -> up to BR_MAX_MANIFOLD contact points
//
// Conventions: a normal is a unit vector from B to A (it pushes A away); gap < 0 is penetration; `point` lies on A's
// surface, point - gap normal on B's. A plane, a height field and anything else that cannot be A comes second:
// br_collide_order says which way round a pair goes.
//
// A feature is a number that stays the same while the same parts of two shapes face each other: warm starts and bristle
// forces are carried by it from step to step.
#ifndef BR_COLLIDE_COLLIDE_H
#define BR_COLLIDE_COLLIDE_H

#include "base/arena.h"
#include "bristle/shape.h"

#define BR_MAX_MANIFOLD 8 // contact points of one pair of convex shapes; of a height field, per call

// A rotation and an origin: where a geometry's frame is in the world.
typedef struct br_placement {
    br_mat3 R; // columns: its axes in world axes
    br_vec3 p;
} br_placement;

typedef struct br_aabb {
    br_vec3 low, high;
} br_aabb;

// A convex polytope: vertices, faces as loops of vertices (anticlockwise from outside), neighbours of each vertex.
typedef struct br_hull {
    int vertices, faces, edges;
    br_vec3 *vertex;
    br_vec3 *face_normal; // outward, unit
    double *face_offset;  // face_normal . x = face_offset
    int *face_start;      // [faces + 1] into face_vertex
    int *face_vertex;
    int *near_start; // [vertices + 1] into near: vertices joined by an edge
    int *near;
} br_hull;

// z = height[row * columns + column] over x = column spacing_x, y = row spacing_y, from the frame's origin; two
// triangles per cell, split from (column, row) to (column + 1, row + 1). Solid below.
typedef struct br_field {
    int columns, rows;
    double spacing_x, spacing_y;
    const double *height;
    double lowest, highest;
} br_field;

// A shape ready for use. The frame: its axis (capsule, cylinder, disk) and a plane's normal are local z, boxes and
// ellipsoids have their axes along x, y, z; a capsule's, cylinder's and disk's centre is the origin.
typedef struct br_geometry {
    br_shape_type type;
    br_vec3 half;        // box: half lengths; ellipsoid: radii
    double radius;       // sphere, capsule, cylinder, disk
    double half_length;  // capsule (between the cap centres), cylinder; 0: disk
    const br_hull *hull; // convex
    const br_field *field;
    double reach; // radius of a ball about `centre` that holds it; INFINITY for planes
    br_vec3 centre;
    double size;     // a typical length, m: tolerances are relative to it
    br_pose X_shape; // of the geometry's frame in the frame that the definition's pose is relative to
} br_geometry;

// Makes geometry of a valid definition (br_check_shape). Hulls come from qhull, fields are copied; both live in the
// arena. The error names what is wrong with the points (flat, too few, not finite), code "shape-hull".
br_status br_geometry_make(const br_shape_def *def, br_arena *arena, br_geometry *out, br_error *error);

int br_geometry_is_round(
    const br_geometry *g); // it can roll: what touches is not a corner, an edge or a face for good
br_aabb br_geometry_bounds(const br_geometry *g, const br_placement *X); // infinite for planes
// Farthest point in a direction (both in the geometry's frame); not for planes and fields.
br_vec3 br_geometry_support(const br_geometry *g, br_vec3 direction);

// Smallest extent of a shape, m. INFINITY: none, as of half spaces. A disk has no thickness: its radius counts.
double br_shape_thickness(const br_shape_def *def);

typedef struct br_contact_point {
    br_vec3 point;  // on A, world
    br_vec3 normal; // from B to A, world
    double gap;     // m
    uint32_t feature;
} br_contact_point;

// Nonzero: the pair goes (b, a) into br_collide, which otherwise exchanges the two itself and turns the answer round. A
// pair of two planes, two fields, or a plane and a field never collides: br_collide_possible is 0.
int br_collide_order(br_shape_type a, br_shape_type b);
int br_collide_possible(br_shape_type a, br_shape_type b);
int br_collide_points(br_shape_type a, br_shape_type b); // at most, as channels list them; in that order

// Contact points with gap <= margin, at most BR_MAX_MANIFOLD, deepest kept; their number. Flat contacts give enough
// points to carry every moment (a box on a plane: its corners). Deterministic; allocates nothing.
int br_collide(const br_geometry *a, const br_placement *X_A, const br_geometry *b, const br_placement *X_B,
               double margin, br_contact_point *out);

// The distance between two shapes whatever it is (negative: penetration depth along the best direction).
double br_collide_distance(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                           const br_placement *X_B);

// --- broad phase -------------------------------------------------------------------------------------------

typedef struct br_broad_pair {
    int a, b; // a < b
} br_broad_pair;

typedef struct br_broad br_broad;

// Whether shapes a < b may collide at all: different bodies, not both fixed, not excluded. The answer for a pair must
// not change: it is asked when the two come near, not at every update.
typedef int (*br_broad_filter)(const void *context, int a, int b);

// `fixed[i]`: never moves (the ground); may be NULL. For few shapes every admissible pair is listed once and only their
// boxes are compared; for many, trees of boxes with room to move in say which pairs to compare. Memory for 8 pairs per
// shape is taken at once and grows when that is not enough.
br_status br_broad_create(int shapes, const unsigned char *fixed, br_broad_filter filter, const void *context,
                          const br_allocator *allocator, br_broad **out, br_error *error);
void br_broad_destroy(br_broad *broad); // accepts NULL
// Pairs whose boxes (already grown by any margin) overlap, sorted by (a, b). The list is the broad phase's own.
br_status br_broad_update(br_broad *broad, const br_aabb *box, const br_broad_pair **pairs, int *count,
                          br_error *error);

#endif
