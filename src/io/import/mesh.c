// See mesh.h. Binary STL: 80 bytes that say nothing, the number of facets, then 50 bytes for each: normal, three vertices
// (little-endian floats), two bytes of no meaning. MSH, MuJoCo's own: the numbers of vertices, normals, texture places and triangles
// (four little-endian integers), then all of them: three, three and two floats, three integers each.
#include "io/import/mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "collide/collide.h"
#include "io/text/text.h"

enum { STL_HEADER = 84, STL_FACET = 50, STL_NORMAL = 12, MSH_HEADER = 16 }; // bytes

typedef struct mesh {
    io_text text;
    br_arena *arena;
    br_error *error;
    br_vec3 *point;
    int points, capacity;
} mesh;

// --------------------------------------------------------------------------------------------------------- binary

static uint32_t word_at(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double float_at(const unsigned char *p) {
    const uint32_t bits = word_at(p);
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static br_status read_binary(mesh *m) {
    const unsigned char *data = (const unsigned char *)m->text.data;
    const size_t size = (size_t)(m->text.end - m->text.data);
    const size_t facets = word_at(data + STL_HEADER - 4);
    const size_t there = (size - STL_HEADER) / STL_FACET;
    if (facets > there)
        return br_fail_at(m->error, BR_PARSE, "mesh-cut", m->text.path, 0, 0,
                          "byte 80: the file says it has %zu facets, which need %zu bytes; it has %zu",
                          facets, STL_HEADER + facets * STL_FACET, size);
    m->point = BR_TAKE(m->arena, br_vec3, 3 * facets);
    if (!m->point) return br_no_memory_at(m->error, m->text.path, "not enough memory to read it");
    for (size_t k = 0; k < 3 * facets; k++) {
        const size_t at = STL_HEADER + k / 3 * STL_FACET + STL_NORMAL * (1 + k % 3);
        const br_vec3 p = br_vec3_of(float_at(data + at), float_at(data + at + 4), float_at(data + at + 8));
        if (!br_vec3_is_finite(p))
            return br_fail_at(m->error, BR_INVALID, "mesh-number", m->text.path, 0, 0,
                              "byte %zu: vertex %zu of facet %zu is (%g, %g, %g), expected finite numbers",
                              at, k % 3, k / 3, p.x, p.y, p.z);
        m->point[m->points++] = p;
    }
    return BR_OK;
}

static br_status read_msh_faces(mesh *m, mesh *faces, size_t at, size_t triangles) {
    const unsigned char *data = (const unsigned char *)m->text.data;
    faces->point = BR_TAKE(m->arena, br_vec3, 3 * triangles);
    if (!faces->point) return br_no_memory_at(m->error, m->text.path, "not enough memory to read it");
    for (size_t k = 0; k < 3 * triangles; k++) {
        const uint32_t corner = word_at(data + at + 4 * k);
        if (corner >= (uint32_t)m->points)
            return br_fail_at(m->error, BR_INVALID, "mesh-face", m->text.path, 0, 0,
                              "byte %zu: corner %zu of triangle %zu is %u, which is none of the %d vertices",
                              at + 4 * k, k % 3, k / 3, corner, m->points);
        faces->point[faces->points++] = m->point[corner];
    }
    return BR_OK;
}

static br_status read_msh(mesh *m, mesh *faces) {
    const unsigned char *data = (const unsigned char *)m->text.data;
    const size_t size = (size_t)(m->text.end - m->text.data);
    size_t count[4] = {0}, needed = MSH_HEADER;
    for (int k = 0; k < 4 && size >= MSH_HEADER; k++) {
        count[k] = word_at(data + 4 * k);
        needed += count[k] * (k == 2 ? 8 : 12);
    }
    if (size != needed)
        return br_fail_at(m->error, BR_PARSE, "mesh-cut", m->text.path, 0, 0,
                          "byte 0: %zu vertices, %zu normals, %zu texture places and %zu triangles need %zu "
                          "bytes; the file has %zu",
                          count[0], count[1], count[2], count[3], needed, size);
    m->point = BR_TAKE(m->arena, br_vec3, count[0]);
    if (!m->point) return br_no_memory_at(m->error, m->text.path, "not enough memory to read it");
    for (size_t k = 0; k < count[0]; k++) {
        const size_t at = MSH_HEADER + 12 * k;
        const br_vec3 p = br_vec3_of(float_at(data + at), float_at(data + at + 4), float_at(data + at + 8));
        if (!br_vec3_is_finite(p))
            return br_fail_at(m->error, BR_INVALID, "mesh-number", m->text.path, 0, 0,
                              "byte %zu: vertex %zu is (%g, %g, %g), expected finite numbers", at, k, p.x,
                              p.y, p.z);
        m->point[m->points++] = p;
    }
    return faces ? read_msh_faces(m, faces, size - 12 * count[3], count[3]) : BR_OK;
}

// ----------------------------------------------------------------------------------------------------------- text

static br_status add_point(mesh *m, br_vec3 p) {
    if (!BR_GROW(m->arena, m->point, m->points, m->capacity))
        return br_no_memory_at(m->error, m->text.path, "not enough memory to read it");
    m->point[m->points++] = p;
    return BR_OK;
}

static br_status read_vertex(mesh *m, io_token word) {
    double x[3];
    for (int k = 0; k < 3; k++) {
        io_token token;
        char shown[IO_SHOWN];
        if (!br_io_text_token(&m->text, &token))
            return br_io_text_fail(&m->text, word, m->error, BR_PARSE, "mesh-number",
                                   "a vertex has %d number%s, expected 3", k, k == 1 ? "" : "s");
        const io_number kind = br_io_parse_double(token, &x[k]);
        if (kind == IO_NUMBER_BAD)
            return br_io_text_fail(&m->text, token, m->error, BR_PARSE, "mesh-number", "'%s' is not a number",
                                   br_io_show(token, shown));
        if (kind != IO_NUMBER_FINITE)
            return br_io_text_fail(&m->text, token, m->error, BR_INVALID, "mesh-number",
                                   "a coordinate is %s, expected a finite number", br_io_show(token, shown));
    }
    return add_point(m, br_vec3_of(x[0], x[1], x[2]));
}

static br_status read_ascii_stl(mesh *m) {
    static const char *const words[] = {"solid", "facet", "outer", "endloop", "endfacet", "endsolid"};
    br_status status = BR_OK;
    int ended = 0;
    while (status == BR_OK && br_io_text_next_line(&m->text)) {
        io_token token;
        char shown[IO_SHOWN];
        if (!br_io_text_token(&m->text, &token)) continue;
        if (br_io_token_is(token, "vertex")) {
            status = read_vertex(m, token);
            continue;
        }
        size_t k = 0;
        while (k < sizeof words / sizeof *words && !br_io_token_is(token, words[k])) k++;
        if (k == sizeof words / sizeof *words)
            return br_io_text_fail(&m->text, token, m->error, BR_PARSE, "mesh-format",
                                   "'%s' begins no line of an STL file", br_io_show(token, shown));
        ended = br_io_token_is(token, "endsolid");
    }
    if (status == BR_OK && !ended)
        return br_fail_at(m->error, BR_PARSE, "mesh-cut", m->text.path, 0, 0,
                          "the file ends without endsolid, after %d vertices", m->points);
    return status;
}

// A corner of a face, `7`, `7/2/3` or `-1`: the index of its vertex; negative ones count from the last.
static br_status read_corner(const mesh *m, io_token token, int *out) {
    char shown[IO_SHOWN];
    long k = 0;
    const int negative = token.begin < token.end && *token.begin == '-';
    const char *p = token.begin + negative;
    for (; p < token.end && *p >= '0' && *p <= '9' && k < 100000000; p++) k = 10 * k + (*p - '0');
    k = negative ? m->points - k : k - 1;
    if (p == token.begin + negative || (p < token.end && *p != '/') || k < 0 || k >= m->points)
        return br_io_text_fail(&m->text, token, m->error, BR_INVALID, "mesh-face",
                               "'%s' is none of the %d vertices before it", br_io_show(token, shown),
                               m->points);
    *out = (int)k;
    return BR_OK;
}

// A polygon as a fan of triangles.
static br_status read_face(mesh *m, mesh *faces) {
    io_token token;
    int first = 0, before = 0, corners = 0;
    while (br_io_text_token(&m->text, &token)) {
        int k = 0;
        br_status status = read_corner(m, token, &k);
        if (status != BR_OK) return status;
        if (corners == 0) first = k;
        const int fan[3] = {first, before, k};
        for (int i = 0; corners >= 2 && i < 3 && status == BR_OK; i++)
            status = add_point(faces, m->point[fan[i]]);
        if (status != BR_OK) return status;
        before = k;
        corners++;
    }
    return BR_OK;
}

// faces: where their corners go; NULL: they are not looked at.
static br_status read_obj(mesh *m, mesh *faces) {
    br_status status = BR_OK;
    while (status == BR_OK && br_io_text_next_line(&m->text)) {
        io_token token;
        if (!br_io_text_token(&m->text, &token)) continue;
        if (br_io_token_is(token, "v"))
            status = read_vertex(m, token);
        else if (faces && br_io_token_is(token, "f"))
            status = read_face(m, faces);
    }
    return status;
}

// A binary file may begin with "solid" too, so what its size says comes first.
static br_status read_stl(mesh *m) {
    const size_t size = (size_t)(m->text.end - m->text.data);
    const int solid = size >= 5 && memcmp(m->text.data, "solid", 5) == 0;
    if (size >= STL_HEADER) {
        const size_t facets = word_at((const unsigned char *)m->text.data + STL_HEADER - 4);
        if (!solid || size == STL_HEADER + facets * STL_FACET) return read_binary(m);
    }
    if (solid) return read_ascii_stl(m);
    return br_fail_at(
        m->error, BR_PARSE, "mesh-cut", m->text.path, 0, 0,
        "the file has %zu bytes; a binary STL file has %d or more, an ASCII one begins with solid", size,
        STL_HEADER);
}

// ---------------------------------------------------------------------------------------------------------- whole

static int compare(const void *a, const void *b) {
    const br_vec3 *p = (const br_vec3 *)a, *q = (const br_vec3 *)b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

// An STL file has every vertex about six times.
static void keep_different(mesh *m) {
    int kept = 0;
    if (!m->point) return;
    qsort(m->point, (size_t)m->points, sizeof *m->point, compare);
    for (int k = 0; k < m->points; k++)
        if (kept == 0 || compare(&m->point[kept - 1], &m->point[k]) != 0) m->point[kept++] = m->point[k];
    m->points = kept;
}

static br_status scale_points(mesh *m, br_vec3 scale) {
    for (int k = 0; k < m->points; k++) {
        br_vec3 *p = &m->point[k];
        *p = br_vec3_of(scale.x * p->x + 0.0, scale.y * p->y + 0.0, scale.z * p->z + 0.0); // + 0: no -0
        if (!br_vec3_is_finite(*p))
            return br_fail_at(m->error, BR_INVALID, "mesh-number", m->text.path, 0, 0,
                              "a vertex times the scale (%g, %g, %g) is not finite", scale.x, scale.y,
                              scale.z);
    }
    return BR_OK;
}

// Only the corners of the hull matter, of which a scan of a million points has a few hundred.
static br_status keep_corners(mesh *m) {
    const br_shape_def def = {
        .type = BR_SHAPE_CONVEX, .pose = br_pose_identity(), .points = m->point, .point_count = m->points};
    br_geometry geometry;
    br_error fault = {0};
    const br_status status = br_geometry_make(&def, m->arena, &geometry, &fault);
    if (status == BR_NO_MEMORY)
        return br_no_memory_at(m->error, m->text.path, "not enough memory to read it");
    if (status != BR_OK)
        return br_fail_at(m->error, status, fault.code ? fault.code : "shape-hull", m->text.path, 0, 0, "%s",
                          fault.message);
    if (m->point) memcpy(m->point, geometry.hull->vertex, (size_t)geometry.hull->vertices * sizeof *m->point);
    m->points = geometry.hull->vertices;
    return BR_OK;
}

// The file as it is: vertices, and corners of faces where they are asked for.
static br_status mesh_load(mesh *m, mesh *faces, const char *path) {
    const char *dot = strrchr(path, '.');
    const int stl = dot && strcasecmp(dot, ".stl") == 0, obj = dot && strcasecmp(dot, ".obj") == 0,
              msh = dot && strcasecmp(dot, ".msh") == 0;
    struct stat s;
    if (!stl && !obj && !msh)
        return br_fail_at(m->error, BR_INVALID, "mesh-format", path, 0, 0,
                          "a mesh is read from a file that ends in .stl or .obj (or .msh)");
    if (stat(path, &s) == 0 && S_ISFIFO(s.st_mode)) // it would be waited for
        return br_fail_at(m->error, BR_IO, "file-unreadable", path, 0, 0, "is a pipe, expected a file");
    br_status status =
        br_io_text_load_up_to(&m->text, path, "a mesh file", BR_MAX_MESH_BYTES, m->arena, m->error);
    if (status == BR_OK) status = stl ? read_stl(m) : obj ? read_obj(m, faces) : read_msh(m, faces);
    if (status == BR_OK && m->points == 0)
        status = br_fail_at(m->error, BR_INVALID, "mesh-empty", path, 0, 0, "there is no vertex in it");
    if (status == BR_OK && faces && stl) *faces = *m;
    return status;
}

br_status br_io_mesh_load(const char *path, br_vec3 scale, br_arena *arena, br_vec3 **points, int *count,
                          br_error *error) {
    mesh m = {.arena = arena, .error = error};
    const br_status status = mesh_load(&m, NULL, path);
    if (status != BR_OK) return status;
    return br_io_mesh_corners(path, m.point, m.points, scale, arena, points, count, error);
}

br_status br_io_mesh_corners(const char *path, br_vec3 *point, int given, br_vec3 scale, br_arena *arena,
                             br_vec3 **points, int *count, br_error *error) {
    mesh m = {.arena = arena, .error = error, .point = point, .points = given, .capacity = given};
    m.text.path = path;
    br_status status = scale_points(&m, scale);
    if (status != BR_OK) return status;
    keep_different(&m);
    status = keep_corners(&m);
    if (status != BR_OK) return status;
    keep_different(&m); // in the order of the numbers, whatever the hull's is
    *points = m.point;
    *count = m.points;
    return BR_OK;
}

br_status br_io_mesh_load_faces(const char *path, br_arena *arena, br_vec3 **corners, int *count,
                                br_error *error) {
    mesh m = {.arena = arena, .error = error}, faces = m;
    const br_status status = mesh_load(&m, &faces, path);
    if (status != BR_OK) return status;
    *corners = faces.point;
    *count = faces.points - faces.points % 3;
    return BR_OK;
}
