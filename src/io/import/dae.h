// Points of a COLLADA file (.dae), for the convex hull of them.
#ifndef BR_IO_IMPORT_DAE_H
#define BR_IO_IMPORT_DAE_H

#include "base/arena.h"
#include "bristle/math.h"

// The corners of the hull of all geometries that the scene shows, each where its nodes put it, in metres by the file's unit, times
// scale; in the arena. The direction that the file calls up is not looked at: coordinates are taken as written. Entities and
// external references are refused. Codes: mesh-empty, mesh-number, mesh-format, shape-hull, those of XML and of files.
br_status br_io_dae_load(const char *path, br_vec3 scale, br_arena *arena, br_vec3 **points, int *count,
                         br_error *error);

#endif
