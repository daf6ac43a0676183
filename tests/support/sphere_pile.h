// Spheres at rest on each other in a square bin, one step under gravity: the contact problem of a pile, from a seed.
//
//     sphere_pile *pile = sphere_pile_new(300, 100.0, 0.5, 7); // spheres, heaviest over lightest, mu, seed
//     const br_problem problem = sphere_pile_problem(pile);    // borrows the pile
//
// They sink together into the bin, pushed apart wherever they overlap, by less and less from sweep to sweep; about three
// contacts a sphere are left. The free velocity is that of 5 ms of gravity, a slight push along x, and noise, so that some
// contacts open and some slide. Masses are drawn log-uniformly.
#ifndef SPHERE_PILE_H
#define SPHERE_PILE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/math.h"
#include "bristle/solver.h"
#include "random.h"

enum { PILE_SWEEPS = 900, PILE_PASSES = 4, PILE_MOST_CONTACTS = 8 }; // contacts a sphere, at most
#define PILE_PITCH 1.05 // m: width of the bin for each sphere side by side, radii are 0.45 to 0.55
#define PILE_CELL 1.2   // m: no touching pair is further apart
#define PILE_TOUCH 6e-4 // m: a gap up to this counts as contact

typedef struct sphere_pile {
    int spheres, contacts, blocks;
    double width, *radius;
    br_vec3 *centre;
    int *node_dim, *mass_start, *mass_node, *jacobian_start, *jacobian_node;
    double *mass, *momentum, *jacobian, *offset;
    br_law *law;
    double mu;
    int *head, *next, side, height; // cells
} sphere_pile;

static inline void *pile_take(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) abort();
    return memory;
}

static inline int pile_cell(const sphere_pile *s, br_vec3 x, int dx, int dy, int dz) {
    const int i = (int)floor(x.x / PILE_CELL) + dx, j = (int)floor(x.y / PILE_CELL) + dy,
              k = (int)floor(x.z / PILE_CELL) + dz;
    if (i < 0 || j < 0 || k < 0 || i >= s->side || j >= s->side || k >= s->height) return -1;
    return (k * s->side + j) * s->side + i;
}

static inline void pile_sort(sphere_pile *s) {
    for (int c = 0; c < s->side * s->side * s->height; c++) s->head[c] = -1;
    for (int i = 0; i < s->spheres; i++) {
        const int c = pile_cell(s, s->centre[i], 0, 0, 0);
        s->next[i] = s->head[c];
        s->head[c] = i;
    }
}

// Calls visit for every pair j < i in neighbouring cells, in a fixed order.
static inline void pile_pairs(sphere_pile *s, void (*visit)(sphere_pile *, int, int)) {
    for (int i = 0; i < s->spheres; i++)
        for (int n = 0; n < 27; n++) {
            const int c = pile_cell(s, s->centre[i], n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            for (int j = c < 0 ? -1 : s->head[c]; j >= 0; j = s->next[j])
                if (j < i) visit(s, j, i);
        }
}

static inline void pile_separate(sphere_pile *s, int j, int i) {
    const br_vec3 d = br_vec3_sub(s->centre[i], s->centre[j]);
    const double length = br_vec3_norm(d), gap = length - s->radius[i] - s->radius[j];
    if (gap >= 0 || length == 0) return;
    s->centre[i] = br_vec3_add_scaled(s->centre[i], -0.5 * gap / length, d);
    s->centre[j] = br_vec3_add_scaled(s->centre[j], 0.5 * gap / length, d);
}

static inline void pile_settle(sphere_pile *s) {
    double drop = 0.02; // m, down to 0.0005
    for (int n = 0; n < PILE_SWEEPS; n++, drop *= pow(0.025, 1.0 / PILE_SWEEPS)) {
        for (int i = 0; i < s->spheres; i++) s->centre[i].z -= drop;
        for (int pass = 0; pass < PILE_PASSES; pass++) {
            for (int i = 0; i < s->spheres; i++) {
                const double r = s->radius[i];
                br_vec3 *x = &s->centre[i];
                x->x = fmin(fmax(x->x, r), s->width - r);
                x->y = fmin(fmax(x->y, r), s->width - r);
                x->z = fmax(x->z, r);
            }
            if (pass == 0) pile_sort(s);
            pile_pairs(s, pile_separate);
        }
    }
}

// A contact at `point` whose normal pushes sphere i, and sphere j < i the other way (-1: the bin).
static inline void pile_contact(sphere_pile *s, int j, int i, br_vec3 normal) {
    if (s->contacts == PILE_MOST_CONTACTS * s->spheres) abort();
    const br_vec3 t1 = br_vec3_normalize(
                      br_vec3_cross(normal, fabs(normal.x) < 0.7 ? br_vec3_unit(0) : br_vec3_unit(1))),
                  t2 = br_vec3_cross(normal, t1), row[3] = {normal, t1, t2};
    s->law[s->contacts] =
        (br_law){.kind = BR_LAW_CONE, .first_row = 3 * s->contacts, .rows = 3, .friction_coefficient = s->mu};
    for (int k = 0; k < 2; k++) {
        const int body = k ? i : j;
        const double sign = k ? 1 : -1;
        if (body < 0) continue;
        const br_vec3 arm = br_vec3_scale(-sign * s->radius[body], normal);
        s->jacobian_node[s->blocks] = body;
        for (int r = 0; r < 3; r++) {
            const br_vec3 m = br_vec3_cross(arm, row[r]);
            const double J[6] = {row[r].x, row[r].y, row[r].z, m.x, m.y, m.z};
            for (int c = 0; c < 6; c++) s->jacobian[18 * s->blocks + 6 * r + c] = sign * J[c];
        }
        s->blocks++;
    }
    s->jacobian_start[++s->contacts] = s->blocks;
}

static inline void pile_touch(sphere_pile *s, int j, int i) {
    const br_vec3 d = br_vec3_sub(s->centre[i], s->centre[j]);
    const double length = br_vec3_norm(d);
    if (length - s->radius[i] - s->radius[j] <= PILE_TOUCH)
        pile_contact(s, j, i, br_vec3_scale(1 / length, d));
}

static inline void pile_walls(sphere_pile *s) {
    for (int i = 0; i < s->spheres; i++) {
        const br_vec3 x = s->centre[i];
        const double r = s->radius[i] + PILE_TOUCH;
        if (x.z <= r) pile_contact(s, -1, i, br_vec3_of(0, 0, 1));
        if (x.x <= r) pile_contact(s, -1, i, br_vec3_of(1, 0, 0));
        if (x.y <= r) pile_contact(s, -1, i, br_vec3_of(0, 1, 0));
        if (x.x >= s->width - r) pile_contact(s, -1, i, br_vec3_of(-1, 0, 0));
        if (x.y >= s->width - r) pile_contact(s, -1, i, br_vec3_of(0, -1, 0));
    }
}

static inline void pile_load(sphere_pile *s, double ratio, rng *r) {
    for (int i = 0; i < s->spheres; i++) {
        const double m = pow(ratio, rng_uniform(r, 0, 1)), mean[6] = {0.01, 0, -0.049, 0, 0, 0};
        for (int c = 0; c < 6; c++) {
            const double own = c < 3 ? m : 0.4 * m * s->radius[i] * s->radius[i];
            double noise = 0; // about normal, of deviation 0.02
            for (int k = 0; k < 12; k++) noise += rng_uniform(r, -0.01, 0.01);
            s->mass[36 * i + 7 * c] = own;
            s->momentum[6 * i + c] = own * (mean[c] + noise);
        }
        s->node_dim[i] = 6;
        s->mass_node[i] = s->mass_start[i] = i;
    }
    s->mass_start[s->spheres] = s->spheres;
}

static inline sphere_pile *sphere_pile_new(int spheres, double ratio, double mu, uint64_t seed) {
    sphere_pile *s = pile_take(1, sizeof *s);
    const size_t n = (size_t)spheres, most = PILE_MOST_CONTACTS * n;
    rng r = {seed};
    int across = 1;
    while (across * across * across < spheres) across++;
    s->spheres = spheres, s->mu = mu, s->width = PILE_PITCH * across;
    s->side = 2 + (int)(s->width / PILE_CELL), s->height = 8 + 2 * across;
    s->head = pile_take((size_t)(s->side * s->side * s->height), sizeof(int));
    s->next = pile_take(n, sizeof(int));
    s->radius = pile_take(n, sizeof(double)), s->centre = pile_take(n, sizeof(br_vec3));
    s->node_dim = pile_take(n, sizeof(int)), s->mass_start = pile_take(n + 1, sizeof(int));
    s->mass_node = pile_take(n, sizeof(int)), s->jacobian_start = pile_take(most + 1, sizeof(int));
    s->jacobian_node = pile_take(2 * most, sizeof(int)), s->mass = pile_take(36 * n, sizeof(double));
    s->momentum = pile_take(6 * n, sizeof(double)), s->jacobian = pile_take(36 * most, sizeof(double));
    s->offset = pile_take(3 * most, sizeof(double)), s->law = pile_take(most, sizeof(br_law));
    for (int i = 0; i < spheres; i++) {
        const int place[3] = {i % across, i / across % across, i / across / across};
        s->radius[i] = rng_uniform(&r, 0.45, 0.55);
        s->centre[i] =
            br_vec3_of((place[0] + 0.5) * PILE_PITCH, (place[1] + 0.5) * PILE_PITCH, (place[2] + 0.5) * 1.1);
        s->centre[i] = br_vec3_add(s->centre[i], rng_vec3(&r, 0.05));
    }
    pile_settle(s);
    pile_sort(s);
    pile_walls(s);
    pile_pairs(s, pile_touch);
    pile_load(s, ratio, &r);
    return s;
}

static inline void sphere_pile_free(sphere_pile *s) {
    void *const all[] = {s->head,       s->next,      s->radius,         s->centre,        s->node_dim,
                         s->mass_start, s->mass_node, s->jacobian_start, s->jacobian_node, s->mass,
                         s->momentum,   s->jacobian,  s->offset,         s->law,           s};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static inline br_problem sphere_pile_problem(const sphere_pile *s) {
    const br_problem problem = {.form = BR_FORM_VELOCITY,
                                .velocity = {s->spheres, s->node_dim, s->mass_start, s->mass_node, s->mass,
                                             s->momentum, s->jacobian_start, s->jacobian_node, s->jacobian},
                                .rows = 3 * s->contacts,
                                .laws = s->contacts,
                                .law = s->law,
                                .offset = s->offset};
    return problem;
}

#endif
