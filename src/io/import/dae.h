// Points of a COLLADA file (.dae), for the convex hull of them, and its triangles with their colours, for pictures.
#ifndef BR_IO_IMPORT_DAE_H
#define BR_IO_IMPORT_DAE_H

#include "base/arena.h"
#include "bristle/math.h"

// The corners of the hull of all geometries that the scene shows, each where its nodes put it, in metres by the file's unit, times
// scale; in the arena. The direction that the file calls up is not looked at: coordinates are taken as written. Entities and
// external references are refused. Codes: mesh-empty, mesh-number, mesh-format, shape-hull, those of XML and of files.
br_status br_io_dae_load(const char *path, br_vec3 scale, br_arena *arena, br_vec3 **points, int *count,
                         br_error *error);

#define BR_MAX_DAE_COLOURS 32 // of a file; further ones are drawn in the last

// Triangles of one colour: corners first to first + count - 1. colour[0] < 0: the file gives none, or a texture.
typedef struct io_dae_part {
    int first, count;
    double colour[4];
} io_dae_part;

// The triangles as corners, three for each, in metres and where the nodes put them; polygons are cut into fans, and what lists no
// triangles (lines, strips) is left out. parts: by the diffuse colours of their materials. All in the arena. Codes as above, and mesh-face.
br_status br_io_dae_load_faces(const char *path, br_arena *arena, br_vec3 **corners, int *count,
                               io_dae_part **parts, int *part_count, br_error *error);

#endif
