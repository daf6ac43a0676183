#include "io/report/simplify.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FINEST = 1 << 20, COARSEST = 4 }; // cells along the longest side

typedef struct grid {
    const br_vec3 *corner;
    int corners;
    br_vec3 low;
    double cell;
    uint64_t *key;  // [slots] of the cell + 1; 0: free
    int *vertex_of; // [slots]
    unsigned mask;  // slots - 1
    int *index;     // [corners] vertex of each
    br_vec3 *sum;   // [corners] of the corners in each cell
    int *count;
    int vertices;
} grid;

static uint64_t cell_of(const grid *g, br_vec3 p) {
    const br_vec3 d = br_vec3_scale(1.0 / g->cell, br_vec3_sub(p, g->low));
    return ((uint64_t)d.x << 42 | (uint64_t)d.y << 21 | (uint64_t)d.z) + 1;
}

static int vertex_of(grid *g, br_vec3 p) {
    const uint64_t key = cell_of(g, p);
    unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15u) >> 32) & g->mask;
    while (g->key[at] != 0 && g->key[at] != key) at = (at + 1) & g->mask;
    if (g->key[at] == 0) {
        g->key[at] = key;
        g->vertex_of[at] = g->vertices;
        g->sum[g->vertices] = br_vec3_zero();
        g->count[g->vertices++] = 0;
    }
    const int v = g->vertex_of[at];
    g->sum[v] = br_vec3_add(g->sum[v], p);
    g->count[v]++;
    return v;
}

// How many triangles stay on a grid of so many cells.
static int cluster(grid *g, double size, double cells) {
    int triangles = 0;
    g->cell = size / cells;
    g->vertices = 0;
    memset(g->key, 0, ((size_t)g->mask + 1) * sizeof *g->key);
    for (int k = 0; k < g->corners; k++) g->index[k] = vertex_of(g, g->corner[k]);
    for (int k = 0; k < g->corners; k += 3) {
        const int *v = g->index + k;
        triangles += v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    }
    return triangles;
}

static int keep_triangles(const grid *g, int triangles, br_arena *arena, io_triangles *out) {
    *out = (io_triangles){.vertices = g->vertices};
    out->vertex = BR_TAKE(arena, br_vec3, g->vertices);
    out->corner = BR_TAKE(arena, int, 3 * (size_t)triangles);
    if (!out->vertex || !out->corner) return 0;
    for (int k = 0; k < g->vertices; k++) out->vertex[k] = br_vec3_scale(1.0 / g->count[k], g->sum[k]);
    for (int k = 0; k < g->corners; k += 3) {
        const int *v = g->index + k;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        memcpy(out->corner + 3 * (size_t)out->triangles++, v, 3 * sizeof *v);
    }
    return 1;
}

int br_io_simplify(const br_vec3 *corner, int corners, int most, br_arena *arena, io_triangles *out) {
    grid g = {.corner = corner, .corners = corners - corners % 3};
    unsigned slots = 64;
    while (slots < 2u * (unsigned)g.corners) slots *= 2;
    g.mask = slots - 1;
    g.key = BR_TAKE(arena, uint64_t, slots);
    g.vertex_of = BR_TAKE(arena, int, slots);
    g.index = BR_TAKE(arena, int, g.corners);
    g.sum = BR_TAKE(arena, br_vec3, g.corners);
    g.count = BR_TAKE(arena, int, g.corners);
    if (!g.key || !g.vertex_of || !g.index || !g.sum || !g.count) return 0;
    br_vec3 high = g.low = g.corners > 0 ? corner[0] : br_vec3_zero();
    for (int k = 0; k < g.corners; k++) {
        const br_vec3 p = corner[k];
        g.low = br_vec3_of(fmin(g.low.x, p.x), fmin(g.low.y, p.y), fmin(g.low.z, p.z));
        high = br_vec3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const double size = br_vec3_max_abs(br_vec3_sub(high, g.low)) * (1 + 1e-9);
    if (!(size > 0.0) || !isfinite(size)) return *out = (io_triangles){NULL, NULL, 0, 0}, 1;
    double cells = FINEST;
    int triangles = cluster(&g, size, cells);
    // Of a surface the number goes with the square of the cells.
    for (int first = 1; triangles > most && cells > COARSEST; first = 0) {
        const double guess = first ? sqrt(0.6 * most) : cells * fmin(0.9, sqrt((double)most / triangles));
        cells = fmax(COARSEST, fmin(guess, 0.95 * cells));
        triangles = cluster(&g, size, cells);
    }
    return keep_triangles(&g, triangles, arena, out);
}
