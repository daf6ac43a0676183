// Vertices of a mesh file, for the convex hull of them, and its triangles, for its mass: STL (binary and ASCII), OBJ and
// MuJoCo's MSH.
// Normals and colours are not looked at. Nothing in the file is trusted: counts are held against the bytes that are there.
#ifndef BR_IO_IMPORT_MESH_H
#define BR_IO_IMPORT_MESH_H

#include "base/arena.h"
#include "bristle/math.h"

#define BR_MAX_MESH_BYTES (64L << 20) // of one file: 1.3 million facets in binary

// The corners of the hull, each once, sorted, times scale; in the arena. Outputs are untouched on failure. Codes:
// mesh-format, mesh-cut, mesh-number, mesh-empty, shape-hull, and those of files.
br_status br_io_mesh_load(const char *path, br_vec3 scale, br_arena *arena, br_vec3 **points, int *count,
                          br_error *error);

// The triangles of the file as corners, three for each, as written; polygons of an OBJ file are cut into fans. *count:
// corners, 0 where there are vertices only. Memory and codes as above, and mesh-face.
br_status br_io_mesh_load_faces(const char *path, br_arena *arena, br_vec3 **corners, int *count,
                                br_error *error);

// The corners of the hull of points, as br_io_mesh_load gives them; the points are changed.
br_status br_io_mesh_corners(const char *path, br_vec3 *point, int points, br_vec3 scale, br_arena *arena,
                             br_vec3 **corners, int *count, br_error *error);

#endif
