// Polytopes of points. Private to src/collide.
#ifndef BR_COLLIDE_HULL_H
#define BR_COLLIDE_HULL_H

#include "collide/collide.h"

// The polytope of a set of points, in the arena. Errors: "shape-hull".
br_status br_hull_make(const br_vec3 *points, int count, br_arena *arena, br_hull **out, br_error *error);

#endif
