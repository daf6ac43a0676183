// The core has no convex hulls of points, which need qhull: a shape that asks for one is refused.
#include "base/error.h"
#include "collide/hull.h"

br_status br_hull_make(const br_vec3 *points, int count, br_arena *arena, br_hull **out, br_error *error) {
    (void)points, (void)arena, (void)out;
    return br_fail(error, BR_INVALID, "shape-hull",
                   "the convex hull of %d points is not in this build of bristle, which has no qhull; use "
                   "boxes, spheres, "
                   "capsules or disks, or the whole library",
                   count);
}
