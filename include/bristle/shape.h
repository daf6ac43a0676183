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
    const char *name;     // NULL: BODY.shapeK, world.shapeK for the ground
    const char *material; // NULL: none; touching it is then an error
    br_pose pose;         // in the body frame (in the world for ground)
    br_vec3 size;  // box: full lengths; ellipsoid: radii; sphere, capsule, cylinder, disk: x is the radius
    double length; // capsule (between the cap centres), cylinder
    br_vec3 axis;  // capsule, cylinder, disk: unit; plane: its normal
    const br_vec3 *points; // convex
    int point_count;
    const char *file;      // convex: where the points came from; only told, never opened
    int columns, rows;     // heightfield: heights over x and y, 2 or more each
    br_vec3 spacing;       // heightfield: x and y distance of neighbours, m
    const double *heights; // heightfield: [rows * columns], row after row along y, m
    unsigned category,
        mask; // collide when (a.category & b.mask) or (b.category & a.mask); both 0: as if both were 1
} br_shape_def;

#ifdef __cplusplus
}
#endif

#endif
