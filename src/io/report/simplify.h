// Triangles for pictures: corners that are in one cell of a grid become one vertex.
#ifndef BR_IO_REPORT_SIMPLIFY_H
#define BR_IO_REPORT_SIMPLIFY_H

#include "base/arena.h"
#include "bristle/math.h"

typedef struct io_triangles {
    br_vec3 *vertex; // [vertices]
    int *corner;     // [3 * triangles]
    int vertices, triangles;
} io_triangles;

// Of triangles with three corners each, not more than `most` of them, in the arena: as they are where there are fewer, else on the finest
// grid that is tried. Those that shrink to a line are dropped. 0: no memory.
int br_io_simplify(const br_vec3 *corner, int corners, int most, br_arena *arena, io_triangles *out);

#endif
