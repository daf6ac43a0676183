// Meshes: OBJ and STL, as points and as faces. The first byte says which.
#include "fuzz.h"
#include "io/import/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    br_arena arena;
    br_vec3 *points = NULL;
    br_error error;
    int count = 0;
    if (size == 0) return 0;
    const char *path = fuzz_file(bytes + 1, size - 1, bytes[0] & 1 ? ".obj" : ".stl");
    if (!path) return 0;
    br_arena_init(&arena, NULL);
    if (br_io_mesh_load(path, br_vec3_of(1, 1, 1), &arena, &points, &count, &error) == BR_OK)
        br_io_mesh_load_faces(path, &arena, &points, &count, &error);
    br_arena_free(&arena);
    return 0;
}
