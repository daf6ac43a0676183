// A moving scene as a glTF file.
#ifndef BR_IO_EXPORT_GLTF_WRITE_H
#define BR_IO_EXPORT_GLTF_WRITE_H

#include "io/export/gltf.h"

typedef struct gltf_scene {
    const char *name;
    io_scene scene;
    gltf_bytes pose; // floats [frames][bodies][7]: x y z, quaternion w x y z
    gltf_bytes t;    // floats [frames], the first is 0
    int frames;
    double start; // time of the first frame, s
} gltf_scene;

// .glb in one piece, anything else as JSON with its bytes in base64. Renamed into place.
br_status br_gltf_write(const gltf_scene *scene, const char *path, br_arena *arena, br_error *error);

#endif
