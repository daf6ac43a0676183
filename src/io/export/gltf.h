// glTF 2.0 files: the bytes of meshes and animations, and shapes as triangles. gltf.c writes results with them.
#ifndef BR_IO_EXPORT_GLTF_H
#define BR_IO_EXPORT_GLTF_H

#include <stdint.h>

#include "io/report/scene_read.h"

// Bytes that grow. `failed` is sticky.
enum { GLTF_TOO_LARGE = 1, GLTF_NO_MEMORY }; // more than a GLB can hold

typedef struct gltf_bytes {
    unsigned char *data;
    size_t size, capacity;
    int failed;
} gltf_bytes;

void br_gltf_bytes_add(gltf_bytes *b, const void *data, size_t size);
void br_gltf_bytes_free(gltf_bytes *b);

// Triangles with a normal at each vertex.
typedef struct gltf_mesh {
    gltf_bytes position, normal; // three floats each
    gltf_bytes index;            // uint32_t
    float low[3], high[3];       // of positions
    uint32_t vertices, indices;
} gltf_mesh;

void br_gltf_mesh_clear(gltf_mesh *mesh); // keeps the memory
void br_gltf_mesh_free(gltf_mesh *mesh);

// A shape in its own frame. extent: half the side of the square that stands for a plane, m.
void br_gltf_shape(gltf_mesh *mesh, const io_scene_shape *shape, double extent);
void br_gltf_box(gltf_mesh *mesh, br_vec3 size);
// The piece of a beam from a to b, with the section across it: `up` is its z axis.
void br_gltf_bar(gltf_mesh *mesh, br_vec3 a, br_vec3 b, br_vec3 up, const double size[2], int is_round);

#endif
