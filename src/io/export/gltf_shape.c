// Shapes as triangles for glTF, counter-clockwise from outside. Rounds have as many sides as look round on a screen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/export/gltf.h"
#include "math/elementary.h"

enum { SIDES = 32, RINGS = 16, BAR_SIDES = 16 };
static const size_t MOST_BYTES = (size_t)1 << 31; // a GLB's lengths are 32 bits

// -------------------------------------------------------------------------------------------------------- bytes

void br_gltf_bytes_add(gltf_bytes *b, const void *data, size_t size) {
    if (b->failed || size == 0) return;
    if (size > MOST_BYTES - b->size) {
        b->failed = GLTF_TOO_LARGE;
        return;
    }
    if (b->size + size > b->capacity) {
        const size_t twice = 2 * b->capacity, needed = b->size + size > 4096 ? b->size + size : 4096;
        const size_t room = twice > needed ? twice : needed;
        unsigned char *larger = realloc(b->data, room);
        if (!larger) {
            b->failed = GLTF_NO_MEMORY;
            return;
        }
        b->data = larger;
        b->capacity = room;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void br_gltf_bytes_free(gltf_bytes *b) {
    free(b->data);
    memset(b, 0, sizeof *b);
}

// --------------------------------------------------------------------------------------------------------- mesh

void br_gltf_mesh_clear(gltf_mesh *m) {
    m->position.size = m->normal.size = m->index.size = 0;
    m->vertices = m->indices = 0;
    for (int k = 0; k < 3; k++) {
        m->low[k] = INFINITY;
        m->high[k] = -INFINITY;
    }
}

void br_gltf_mesh_free(gltf_mesh *m) {
    br_gltf_bytes_free(&m->position);
    br_gltf_bytes_free(&m->normal);
    br_gltf_bytes_free(&m->index);
}

static void add_floats(gltf_bytes *b, const float x[3]) {
    br_gltf_bytes_add(b, x, 3 * sizeof *x);
}

static uint32_t add_vertex(gltf_mesh *m, br_vec3 p, br_vec3 n) {
    const double length = br_vec3_norm(n);
    const br_vec3 unit = length > 0.0 ? br_vec3_scale(1.0 / length, n) : br_vec3_of(0, 0, 1);
    const float x[3] = {(float)p.x, (float)p.y, (float)p.z};
    const float y[3] = {(float)unit.x, (float)unit.y, (float)unit.z};
    add_floats(&m->position, x);
    add_floats(&m->normal, y);
    for (int k = 0; k < 3; k++) {
        m->low[k] = x[k] < m->low[k] ? x[k] : m->low[k];
        m->high[k] = x[k] > m->high[k] ? x[k] : m->high[k];
    }
    return m->vertices++;
}

static void add_triangle(gltf_mesh *m, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t index[3] = {a, b, c};
    br_gltf_bytes_add(&m->index, index, sizeof index);
    m->indices += 3;
}

static void add_quad(gltf_mesh *m, br_vec3 centre, br_vec3 u, br_vec3 v) { // normal u x v
    const br_vec3 n = br_vec3_cross(u, v);
    uint32_t first = 0;
    static const double su[4] = {-1, 1, 1, -1}, sv[4] = {-1, -1, 1, 1};
    for (int k = 0; k < 4; k++) {
        const br_vec3 p = br_vec3_add(centre, br_vec3_add(br_vec3_scale(su[k], u), br_vec3_scale(sv[k], v)));
        const uint32_t i = add_vertex(m, p, n);
        if (k == 0) first = i;
    }
    add_triangle(m, first, first + 1, first + 2);
    add_triangle(m, first, first + 2, first + 3);
}

// A surface of revolution about z through a profile (r, z) with normals (nr, nz), from the bottom up.
static void add_turned(gltf_mesh *m, const double (*profile)[4], int points, int sides) {
    const uint32_t first = m->vertices;
    for (int i = 0; i < points; i++)
        for (int k = 0; k <= sides; k++) {
            const double angle = 2.0 * BR_PI * k / sides, c = br_cos(angle), s = br_sin(angle);
            add_vertex(m, br_vec3_of(profile[i][0] * c, profile[i][0] * s, profile[i][1]),
                       br_vec3_of(profile[i][2] * c, profile[i][2] * s, profile[i][3]));
        }
    for (int i = 0; i + 1 < points; i++)
        for (int k = 0; k < sides; k++) {
            const uint32_t a = first + (uint32_t)(i * (sides + 1) + k), b = a + (uint32_t)sides + 1;
            if (profile[i][0] > 0.0) add_triangle(m, a, a + 1, b + 1);
            if (profile[i + 1][0] > 0.0) add_triangle(m, a, b + 1, b);
        }
}

// ------------------------------------------------------------------------------------------------------- shapes

void br_gltf_box(gltf_mesh *m, br_vec3 size) {
    const br_vec3 x = br_vec3_of(size.x / 2, 0, 0), y = br_vec3_of(0, size.y / 2, 0),
                  z = br_vec3_of(0, 0, size.z / 2);
    add_quad(m, x, y, z);
    add_quad(m, br_vec3_scale(-1, x), z, y);
    add_quad(m, y, z, x);
    add_quad(m, br_vec3_scale(-1, y), x, z);
    add_quad(m, z, x, y);
    add_quad(m, br_vec3_scale(-1, z), y, x);
}

static void add_ellipsoid(gltf_mesh *m, br_vec3 radii) {
    const uint32_t first = m->vertices;
    for (int i = 0; i <= RINGS; i++)
        for (int k = 0; k <= SIDES; k++) {
            const double down = BR_PI * (double)i / RINGS - BR_PI / 2, around = 2.0 * BR_PI * k / SIDES;
            const double r = i == 0 || i == RINGS ? 0.0 : br_cos(down);
            const br_vec3 n = br_vec3_of(r * br_cos(around), r * br_sin(around), br_sin(down));
            add_vertex(m, br_vec3_of(radii.x * n.x, radii.y * n.y, radii.z * n.z),
                       br_vec3_of(n.x * radii.y * radii.z, n.y * radii.x * radii.z, n.z * radii.x * radii.y));
        }
    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k < SIDES; k++) {
            const uint32_t a = first + (uint32_t)(i * (SIDES + 1) + k), b = a + SIDES + 1;
            if (i > 0) add_triangle(m, a, a + 1, b + 1);
            if (i + 1 < RINGS) add_triangle(m, a, b + 1, b);
        }
}

static void add_capsule(gltf_mesh *m, double radius, double length) {
    double profile[RINGS + 2][4];
    for (int i = 0; i < RINGS + 2; i++) {
        const int upper = i > RINGS / 2, ring = upper ? i - 1 : i;
        const double angle = BR_PI * (double)ring / RINGS - BR_PI / 2;
        const double r = ring == 0 || ring == RINGS ? 0.0 : br_cos(angle);
        profile[i][0] = radius * r;
        profile[i][1] = radius * br_sin(angle) + (upper ? 0.5 : -0.5) * length;
        profile[i][2] = r;
        profile[i][3] = br_sin(angle);
    }
    add_turned(m, profile, RINGS + 2, SIDES);
}

static void add_cylinder(gltf_mesh *m, double radius, double length, int sides) {
    const double h = 0.5 * length;
    const double bottom[2][4] = {{0, -h, 0, -1}, {radius, -h, 0, -1}};
    const double side[2][4] = {{radius, -h, 1, 0}, {radius, h, 1, 0}};
    const double top[2][4] = {{radius, h, 0, 1}, {0, h, 0, 1}};
    add_turned(m, bottom, 2, sides);
    if (length > 0.0) add_turned(m, side, 2, sides);
    add_turned(m, top, 2, sides);
}

// Every triangle with its own vertices: a hull has edges.
static void add_mesh(gltf_mesh *m, const io_scene_shape *s) {
    for (int k = 0; k < s->triangle_count; k++) {
        br_vec3 p[3];
        for (int i = 0; i < 3; i++) {
            const double *x = s->vertices + 3 * (size_t)s->triangles[3 * k + i];
            p[i] = br_vec3_of(x[0], x[1], x[2]);
        }
        const br_vec3 n = br_vec3_cross(br_vec3_sub(p[1], p[0]), br_vec3_sub(p[2], p[0]));
        if (!(br_vec3_norm(n) > 0.0)) continue;
        const uint32_t first = add_vertex(m, p[0], n);
        add_vertex(m, p[1], n);
        add_vertex(m, p[2], n);
        add_triangle(m, first, first + 1, first + 2);
    }
}

void br_gltf_shape(gltf_mesh *m, const io_scene_shape *s, double extent) {
    switch (s->kind) {
    case BR_SHAPE_SPHERE:
        add_ellipsoid(m, br_vec3_of(s->radius, s->radius, s->radius));
        return;
    case BR_SHAPE_ELLIPSOID:
        add_ellipsoid(m, s->size);
        return;
    case BR_SHAPE_BOX:
        br_gltf_box(m, s->size);
        return;
    case BR_SHAPE_CAPSULE:
        add_capsule(m, s->radius, s->length);
        return;
    case BR_SHAPE_CYLINDER:
        add_cylinder(m, s->radius, s->length, SIDES);
        return;
    case BR_SHAPE_DISK:
        add_cylinder(m, s->radius, 0.0, SIDES);
        return;
    case BR_SHAPE_PLANE:
        add_quad(m, br_vec3_of(0, 0, 0), br_vec3_of(extent, 0, 0), br_vec3_of(0, extent, 0));
        return;
    case BR_SHAPE_CONVEX:
        add_mesh(m, s);
        return;
    case BR_SHAPE_HEIGHTFIELD: // is a mesh
    case BR_SHAPE_TYPES:
        break;
    }
}

// --------------------------------------------------------------------------------------------------------- bars

static void move_vertices(gltf_mesh *m, uint32_t first, br_mat3 R, br_vec3 p) {
    for (uint32_t k = first; k < m->vertices; k++) {
        float *x = (float *)(void *)m->position.data + 3 * (size_t)k;
        float *n = (float *)(void *)m->normal.data + 3 * (size_t)k;
        const br_vec3 at = br_vec3_add(p, br_mat3_mul_vec(R, br_vec3_of(x[0], x[1], x[2])));
        const br_vec3 to = br_mat3_mul_vec(R, br_vec3_of(n[0], n[1], n[2]));
        const double position[3] = {at.x, at.y, at.z}, normal[3] = {to.x, to.y, to.z};
        for (int i = 0; i < 3; i++) {
            x[i] = (float)position[i];
            n[i] = (float)normal[i];
            m->low[i] = x[i] < m->low[i] ? x[i] : m->low[i];
            m->high[i] = x[i] > m->high[i] ? x[i] : m->high[i];
        }
    }
}

void br_gltf_bar(gltf_mesh *m, br_vec3 a, br_vec3 b, br_vec3 up, const double size[2], int is_round) {
    const br_vec3 along = br_vec3_sub(b, a);
    const double length = br_vec3_norm(along);
    if (!(length > 0.0)) return;
    const br_vec3 z = br_vec3_scale(1.0 / length, along);
    br_vec3 y = br_vec3_sub(up, br_vec3_scale(br_vec3_dot(up, z), z));
    if (!(br_vec3_norm(y) > 1e-6)) return;
    y = br_vec3_scale(1.0 / br_vec3_norm(y), y);
    const br_vec3 x = br_vec3_cross(y, z);
    const br_mat3 R = br_mat3_of_columns(x, y, z);
    float low[3], high[3];
    memcpy(low, m->low, sizeof low);
    memcpy(high, m->high, sizeof high);
    const uint32_t first = m->vertices;
    if (is_round)
        add_cylinder(m, 0.5 * size[0], length, BAR_SIDES);
    else
        br_gltf_box(m, br_vec3_of(size[0], size[1], length));
    memcpy(m->low, low, sizeof low); // those of the vertices before they were moved do not count
    memcpy(m->high, high, sizeof high);
    if (!m->position.failed && !m->normal.failed)
        move_vertices(m, first, R, br_vec3_scale(0.5, br_vec3_add(a, b)));
}
