// A string pulled tight around a circle: the plane part of tendons that go round spheres and cylinders.
#ifndef BR_TREE_WRAP_H
#define BR_TREE_WRAP_H

#include "bristle/math.h"

typedef enum br_wrap_way {
    BR_WRAP_NONE = 0, // it passes by
    BR_WRAP_CLOCKWISE,
    BR_WRAP_COUNTER,
    BR_WRAP_INSIDE, // it touches the inside at one point
} br_wrap_way;

typedef struct br_wrap {
    br_wrap_way way;
    br_vec3 meet, leave; // where it meets the surface coming from a, and leaves it for b; frame of the shape
    double arc;          // between them along the surface
} br_wrap;

// From a to b around a sphere of this radius about the origin, or a cylinder about the z axis. side NULL: the shorter way,
// where the straight line goes through; else the way that is nearer to that point, and inside for a point nearer to the origin
// than the radius. Ends inside the shape do not wrap.
br_wrap br_wrap_round(br_vec3 a, br_vec3 b, double radius, int cylinder, const br_vec3 *side);

#endif
