#include "families.h"

#include "builder.h"
#include "pile.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_FALL 0.04905   // m/s: gravity times 5 ms
#define STEP_PUSH 0.01      // m/s: along x, so that friction has a direction to hold
#define VELOCITY_NOISE 0.02 // m/s and rad/s, standard deviation
#define TOWER_OFFSET 0.02   // m, standard deviation of a box from the tower's axis
#define JENGA_BRICKS 5      // in a layer
#define JENGA_WIDTH 0.96    // m: bricks of one layer do not touch
#define MAX_FAMILY_BODIES 200000

family_spec default_family_spec(void) {
    return (family_spec){.kind = "wall", .size = 4, .mass_ratio = 1, .mu = 0.5, .seed = 1, .points = 4};
}

typedef struct box {
    double half[3];
} box;

// Contact points where two boxes, already touching along `axis`, overlap in the other two directions; the ground
// takes the whole face.
static void add_face(builder *b, const box *boxes, int lower, int upper, int axis, int points) {
    const int side = (int)lround(sqrt(points)), t[2] = {(axis + 1) % 3, (axis + 2) % 3};
    double from[2], to[2], normal[3] = {0, 0, 0}, point[3];
    for (int k = 0; k < 2; k++) {
        const double centre = b->centre[3 * upper + t[k]], half = boxes[upper].half[t[k]];
        from[k] = centre - half;
        to[k] = centre + half;
        if (lower == GROUND) continue;
        const double other = b->centre[3 * lower + t[k]], other_half = boxes[lower].half[t[k]];
        from[k] = fmax(from[k], other - other_half);
        to[k] = fmin(to[k], other + other_half);
    }
    normal[axis] = 1;
    point[axis] = b->centre[3 * upper + axis] - boxes[upper].half[axis];
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            point[t[0]] = from[0] + (to[0] - from[0]) * i / (side - 1);
            point[t[1]] = from[1] + (to[1] - from[1]) * j / (side - 1);
            builder_contact(b, lower, upper, point, normal);
        }
    }
}

static void set_box(builder *b, box *boxes, int i, const double half[3], double x, double y, double z,
                    double mass) {
    memcpy(boxes[i].half, half, sizeof boxes[i].half);
    b->mass[i] = mass;
    for (int k = 0; k < 3; k++) {
        const double u = half[(k + 1) % 3], v = half[(k + 2) % 3];
        b->inertia[3 * i + k] = mass / 3 * (u * u + v * v);
    }
    b->centre[3 * i] = x;
    b->centre[3 * i + 1] = y;
    b->centre[3 * i + 2] = z;
}

static double random_mass(const family_spec *spec, uint64_t *state) {
    return pow(spec->mass_ratio, random_uniform(state));
}

static builder *make_tower(const family_spec *spec, uint64_t *state) {
    const int n = spec->size;
    const double half[3] = {0.5, 0.5, 0.5};
    builder *b = builder_create(n);
    box *boxes = bench_alloc(n, sizeof *boxes);
    for (int i = 0; i < n; i++) {
        const double mass = n > 1 ? pow(spec->mass_ratio, (double)i / (n - 1)) : 1;
        const double x = TOWER_OFFSET * random_normal(state), y = TOWER_OFFSET * random_normal(state);
        set_box(b, boxes, i, half, i ? x : 0, i ? y : 0, i + 0.5, mass);
        add_face(b, boxes, i ? i - 1 : GROUND, i, 2, spec->points);
    }
    free(boxes);
    return b;
}

// Row r is shifted by half a brick when r is odd, so brick k rests on k and its neighbour on the shifted side.
static builder *make_wall(const family_spec *spec, uint64_t *state) {
    const int n = spec->size;
    const double half[3] = {1, 0.5, 0.5};
    builder *b = builder_create(n * n);
    box *boxes = bench_alloc((long)n * n, sizeof *boxes);
    for (int r = 0; r < n; r++) {
        for (int k = 0; k < n; k++) {
            const int i = r * n + k, below = i - n, first = r % 2 ? k : k - 1;
            set_box(b, boxes, i, half, 2 * k + (r % 2), 0, r + 0.5, random_mass(spec, state));
            if (r == 0) add_face(b, boxes, GROUND, i, 2, spec->points);
            for (int j = first; r > 0 && j <= first + 1; j++) {
                if (j >= 0 && j < n) add_face(b, boxes, below - k + j, i, 2, spec->points);
            }
            if (k > 0) add_face(b, boxes, i - 1, i, 0, spec->points);
        }
    }
    free(boxes);
    return b;
}

static builder *make_jenga(const family_spec *spec, uint64_t *state) {
    const double along = JENGA_BRICKS / 2.0, across = JENGA_WIDTH / 2;
    const double half[2][3] = {{along, across, 0.5}, {across, along, 0.5}};
    const int n = spec->size * JENGA_BRICKS;
    builder *b = builder_create(n);
    box *boxes = bench_alloc(n, sizeof *boxes);
    for (int i = 0; i < n; i++) {
        const int layer = i / JENGA_BRICKS, turned = layer % 2;
        const double place = i % JENGA_BRICKS - (JENGA_BRICKS - 1) / 2.0;
        set_box(b, boxes, i, half[turned], turned ? place : 0, turned ? 0 : place, layer + 0.5,
                random_mass(spec, state));
        if (layer == 0) add_face(b, boxes, GROUND, i, 2, spec->points);
        for (int k = 0; layer > 0 && k < JENGA_BRICKS; k++)
            add_face(b, boxes, (layer - 1) * JENGA_BRICKS + k, i, 2, spec->points);
    }
    free(boxes);
    return b;
}

static builder *make_pile(const family_spec *spec, uint64_t *state) {
    builder *b = builder_create(spec->size);
    double *radius = bench_alloc(spec->size, sizeof *radius);
    pile_settle(spec->size, radius, b->centre, state);
    for (int i = 0; i < spec->size; i++) {
        b->mass[i] = random_mass(spec, state);
        for (int k = 0; k < 3; k++) b->inertia[3 * i + k] = 0.4 * b->mass[i] * radius[i] * radius[i];
    }
    pile_contacts(b, radius);
    free(radius);
    return b;
}

static const struct {
    const char *kind;
    builder *(*make)(const family_spec *, uint64_t *);
    int power; // bodies grow as size to this
} families[] = {
    {"tower", make_tower, 1}, {"wall", make_wall, 2}, {"jenga", make_jenga, 1}, {"sph", make_pile, 1}};

contact_problem *family_generate(const family_spec *spec) {
    const int side = (int)lround(sqrt(spec->points > 0 ? spec->points : 0));
    const int count = (int)(sizeof families / sizeof *families);
    int f = 0;
    while (f < count && strcmp(families[f].kind, spec->kind)) f++;
    if (f == count || spec->size < 1 || side < 2 || side * side != spec->points || !(spec->mass_ratio > 0) ||
        !(spec->mu >= 0) || pow(spec->size, families[f].power) > MAX_FAMILY_BODIES)
        return NULL;
    uint64_t state = spec->seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    builder *b = families[f].make(spec, &state);
    double *v = bench_alloc((long)b->bodies * BODY_DIM, sizeof *v);
    for (long k = 0; k < (long)b->bodies * BODY_DIM; k++) {
        const double mean = k % BODY_DIM == 0 ? STEP_PUSH : k % BODY_DIM == 2 ? -STEP_FALL : 0;
        v[k] = mean + VELOCITY_NOISE * random_normal(&state);
    }
    contact_problem *problem = builder_finish(b, v, spec->mu);
    free(v);
    builder_destroy(b);
    return problem;
}

const char *const family_named[] = {"box1",     "tower3",  "sph10",    "tower10m",  "tower10k3", "wall4",
                                    "tower60m", "sph100",  "jenga6",   "sph300mu8", "wall10",    "wall10m",
                                    "wall16",   "jenga30", "jenga30m", "sph1000",   NULL};

// tower15, wall10m (mass ratio 1e4), tower10k3 (3 x 3 points), sph300mu8 (mu 0.8, ratio 100), wall6_r100_mu0.5_s2.
int family_by_name(const char *name, family_spec *spec) {
    char kind[16], tail[32] = "";
    int size;
    if (!strcmp(name, "box1")) name = "tower1";
    if (sscanf(name, "%15[a-z]%d%31s", kind, &size, tail) < 2) return 0;
    *spec = default_family_spec();
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (strcmp(families[f].kind, kind)) continue;
        spec->kind = families[f].kind;
        spec->size = size;
        spec->mu = strcmp(kind, "sph") ? 0.5 : 0.3;
        unsigned long seed;
        if (sscanf(tail, "_r%lf_mu%lf_s%lu", &spec->mass_ratio, &spec->mu, &seed) == 3)
            spec->seed = seed;
        else if (!strcmp(tail, "m"))
            spec->mass_ratio = 1e4;
        else if (!strcmp(tail, "k3"))
            spec->points = 9;
        else if (!strcmp(tail, "mu8")) {
            spec->mu = 0.8;
            spec->mass_ratio = 100;
        } else if (tail[0])
            return 0;
        return 1;
    }
    return 0;
}
