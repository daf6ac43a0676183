// Position-based settling: every sweep lowers all spheres a little and pushes overlapping ones apart, and the little
// shrinks from sweep to sweep. Without friction a pile comes to rest with about three contacts a sphere.
#include "pile.h"

#include "random.h"

#include <math.h>
#include <stdlib.h>

#define BIN_PER_SPHERE 1.05 // bin width over spheres side by side
#define CELL 1.2            // m: no touching pair is further apart
#define FIRST_DROP 0.02     // m lowered in the first sweep
#define LAST_DROP 1e-3      // m lowered in the last
#define PASSES 6            // corrections in one sweep
#define TOUCH 6e-4          // m: a gap up to this counts as contact

typedef struct grid {
    int side, height, *head, *next;
} grid;

static int spheres_side_by_side(int count) {
    int side = 1;
    while (side * side * side < count) side++;
    return side;
}

static int cell_of(const grid *g, const double *x) {
    int index[3];
    for (int k = 0; k < 3; k++) {
        const int last = (k < 2 ? g->side : g->height) - 1;
        index[k] = (int)floor(x[k] / CELL);
        index[k] = index[k] < 0 ? 0 : index[k] > last ? last : index[k];
    }
    return (index[2] * g->side + index[1]) * g->side + index[0];
}

static grid grid_build(int count, const double *centre) {
    const int side = spheres_side_by_side(count);
    grid g = {.side = 2 + (int)(BIN_PER_SPHERE * side / CELL), .height = 4 + 2 * side};
    const long cells = (long)g.side * g.side * g.height;
    g.head = bench_alloc(cells, sizeof(int));
    g.next = bench_alloc(count, sizeof(int));
    for (long c = 0; c < cells; c++) g.head[c] = -1;
    for (int i = 0; i < count; i++) {
        const int c = cell_of(&g, centre + 3 * i);
        g.next[i] = g.head[c];
        g.head[c] = i;
    }
    return g;
}

typedef struct pairs {
    int count, capacity, *pair;
} pairs;

static void pairs_add(pairs *list, int i, int j) {
    if (list->count == list->capacity) {
        const int more = list->capacity ? 2 * list->capacity : 256;
        int *pair = bench_alloc(2L * more, sizeof(int));
        for (int k = 0; k < 2 * list->count; k++) pair[k] = list->pair[k];
        free(list->pair);
        list->pair = pair;
        list->capacity = more;
    }
    list->pair[2 * list->count] = j;
    list->pair[2 * list->count++ + 1] = i;
}

// Pairs j < i in neighbouring cells, ordered by i, then by cell.
static void pairs_find(pairs *list, int count, const double *centre) {
    const grid g = grid_build(count, centre);
    list->count = 0;
    for (int i = 0; i < count; i++) {
        const int c = cell_of(&g, centre + 3 * i), x = c % g.side, y = c / g.side % g.side,
                  z = c / g.side / g.side;
        for (int n = 0; n < 27; n++) {
            const int u = x + n % 3 - 1, v = y + n / 3 % 3 - 1, w = z + n / 9 - 1;
            if (u < 0 || v < 0 || w < 0 || u >= g.side || v >= g.side || w >= g.height) continue;
            for (int j = g.head[(w * g.side + v) * g.side + u]; j >= 0; j = g.next[j]) {
                if (j < i) pairs_add(list, i, j);
            }
        }
    }
    free(g.head);
    free(g.next);
}

static double distance(const double *a, const double *b) {
    const double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return sqrt(x * x + y * y + z * z);
}

static void separate(const pairs *list, const double *radius, double *centre) {
    for (int k = 0; k < list->count; k++) {
        const int j = list->pair[2 * k], i = list->pair[2 * k + 1];
        const double length = distance(centre + 3 * j, centre + 3 * i), gap = length - radius[i] - radius[j];
        if (gap >= 0 || length == 0) continue;
        for (int a = 0; a < 3; a++) {
            const double push = -gap / 2 * (centre[3 * i + a] - centre[3 * j + a]) / length;
            centre[3 * i + a] += push;
            centre[3 * j + a] -= push;
        }
    }
}

static void keep_inside(int count, double width, const double *radius, double *centre) {
    for (int i = 0; i < count; i++) {
        double *x = centre + 3 * i;
        for (int a = 0; a < 2; a++) x[a] = fmin(fmax(x[a], radius[i]), width - radius[i]);
        x[2] = fmax(x[2], radius[i]);
    }
}

void pile_settle(int count, double *radius, double *centre, uint64_t *state) {
    const int side = spheres_side_by_side(count), sweeps = 1500 + 40 * side;
    const double width = BIN_PER_SPHERE * side;
    for (int i = 0; i < count; i++) {
        const int place[3] = {i % side, i / side % side, i / side / side};
        radius[i] = 0.45 + 0.1 * random_uniform(state);
        for (int a = 0; a < 3; a++) {
            const double spacing = a < 2 ? BIN_PER_SPHERE : 1.1;
            centre[3 * i + a] = (place[a] + 0.5) * spacing + 0.1 * (random_uniform(state) - 0.5);
        }
    }
    pairs list = {0};
    double drop = FIRST_DROP;
    for (int s = 0; s < sweeps; s++) {
        if (s % 4 == 0) pairs_find(&list, count, centre);
        for (int i = 0; i < count; i++) centre[3 * i + 2] -= drop;
        for (int pass = 0; pass < PASSES; pass++) {
            separate(&list, radius, centre);
            keep_inside(count, width, radius, centre);
        }
        drop *= pow(LAST_DROP / FIRST_DROP, 1.0 / sweeps);
    }
    free(list.pair);
}

static void wall_contacts(builder *b, int i, double radius, double width) {
    const double *x = b->centre + 3L * i;
    for (int wall = 0; wall < 5; wall++) { // -x, +x, -y, +y, floor
        const int axis = wall / 2, far = wall % 2;
        const double gap = (far ? width - x[axis] : x[axis]) - radius;
        if (gap > TOUCH) continue;
        double point[3] = {x[0], x[1], x[2]}, normal[3] = {0, 0, 0};
        point[axis] = far ? width : 0;
        normal[axis] = far ? -1 : 1;
        builder_contact(b, GROUND, i, point, normal);
    }
}

void pile_contacts(builder *b, const double *radius) {
    const double width = BIN_PER_SPHERE * spheres_side_by_side(b->bodies);
    pairs list = {0};
    pairs_find(&list, b->bodies, b->centre);
    int k = 0;
    for (int i = 0; i < b->bodies; i++) {
        wall_contacts(b, i, radius[i], width);
        for (; k < list.count && list.pair[2 * k + 1] == i; k++) {
            const int j = list.pair[2 * k];
            const double *from = b->centre + 3L * j, *to = b->centre + 3L * i, length = distance(from, to);
            const double gap = length - radius[i] - radius[j];
            if (gap > TOUCH) continue;
            double point[3], normal[3];
            for (int a = 0; a < 3; a++) {
                normal[a] = (to[a] - from[a]) / length;
                point[a] = from[a] + normal[a] * (radius[j] + gap / 2);
            }
            builder_contact(b, j, i, point, normal);
        }
    }
    free(list.pair);
}
