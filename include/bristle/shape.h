// Shapes: what bodies and the ground collide with.
#ifndef BRISTLE_SHAPE_H
#define BRISTLE_SHAPE_H

#include "bristle/math.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_NAME 64 // characters in a name, with the terminating zero

typedef enum br_shape_type {
    BR_SHAPE_SPHERE = 0,
    BR_SHAPE_BOX,
    BR_SHAPE_CAPSULE,
    BR_SHAPE_CYLINDER,
    BR_SHAPE_DISK, // without thickness: touches with its rim
    BR_SHAPE_ELLIPSOID,
    BR_SHAPE_CONVEX, // the convex hull of points
    BR_SHAPE_PLANE,  // a half space; solid on the side away from its normal
    BR_SHAPE_HEIGHTFIELD,
    BR_SHAPE_TYPES
} br_shape_type;

// Fields that the type does not use are ignored.
typedef struct br_shape_def {
    br_shape_type type;
    // NULL: BODY.shapeK, world.shapeK for the ground
    const char *name;
    // NULL: none; touching it is then an error
    const char *material;
    // in the body frame (in the world for ground)
    br_pose pose;
    // box: full lengths; ellipsoid: radii; sphere, capsule, cylinder, disk: x is the radius
    br_vec3 size;
    // capsule (between the cap centres), cylinder
    double length;
    // capsule, cylinder, disk: unit; plane: its normal
    br_vec3 axis;
    // convex
    const br_vec3 *points;
    int point_count;
    // convex: where the points came from; only told, never opened
    const char *file;
    // heightfield: heights over x and y, 2 or more each
    int columns, rows;
    // heightfield: x and y distance of neighbours, m
    br_vec3 spacing;
    // heightfield: [rows * columns], row after row along y, m
    const double *heights;
    // collide when (a.category & b.mask) or (b.category & a.mask); both 0: as if both were 1
    unsigned category, mask;
} br_shape_def;

#ifdef __cplusplus
}
#endif

#endif
