// Random scenes by family, each from (family, number) alone.
#ifndef SCEPTIC_FAMILIES_H
#define SCEPTIC_FAMILIES_H

#include <stdlib.h>

#include "random.h"
#include "sceptic_scene.h"

typedef enum sc_family {
    SC_STACK_LEVEL = 0,
    SC_STACK_STEEP,
    SC_STACK_EXTRAS,
    SC_STACK_LAWS,
    SC_STACK_SLIDING,
    SC_SHAKEN,
    SC_GEARED_SLIDES,
    SC_GEARED_SHAFTS,
    SC_RACKS,
    SC_GUIDES,
    SC_RODS,
    SC_TWIN_GUIDES,
    SC_BLOCK_ON_FLOOR,
    SC_BLOCK_ON_BLOCK,
    SC_BLOCK_ON_SLED,
    SC_BRACED,
    SC_GROOVE,
    SC_FAMILIES
} sc_family;

static const char *const sc_family_name[SC_FAMILIES] = {
    "stack_level",    "stack_steep",    "stack_extras",  "stack_laws", "stack_sliding", "shaken",
    "geared_slides",  "geared_shafts",  "racks",         "guides",     "rods",          "twin_guides",
    "block_on_floor", "block_on_block", "block_on_sled", "braced",     "groove",
};

static inline double sc_log(rng *r, double low, double high) {
    return exp(rng_uniform(r, log(low), log(high)));
}

// One coefficient for both in half of the pads.
static inline void sc_mus(rng *r, double *mu_static, double *mu_kinetic) {
    *mu_static = sc_log(r, 0.05, 1.2);
    *mu_kinetic = rng_below(r, 2) ? *mu_static : *mu_static * rng_uniform(r, 0.4, 1);
}

static inline void sc_rub_random(rng *r, sc_joint *j) {
    double mu_static, mu_kinetic;
    sc_mus(r, &mu_static, &mu_kinetic);
    sc_rub(j, mu_static, mu_kinetic);
}

static inline void sc_push(rng *r, sc_scene *s, int body, double size) {
    const double x = rng_uniform(r, -size, size), z = rng_below(r, 2) ? rng_uniform(r, -size, size) : 0;
    sc_add_load(s, body, x, z, 0);
}

// --- slides on slides

static inline void sc_stack(rng *r, sc_scene *s, int count, double steep) {
    for (int k = 0; k < count; k++) {
        const int b = sc_add_body(s, sc_log(r, 0.3, 10), rng_uniform(r, -0.2, 0.2), 0.1 * k);
        sc_joint *j = sc_add_joint(s, SC_SLIDE, k - 1, b, rng_uniform(r, -steep, steep));
        sc_rub_random(r, j);
        if (rng_below(r, 2) || k == count - 1) sc_push(r, s, b, 30);
    }
}

static inline void sc_extras(rng *r, sc_scene *s) {
    for (int k = 0; k < s->joints; k++) {
        sc_joint *j = &s->joint[k];
        if (j->kind > SC_PIN) continue;
        if (rng_below(r, 3) == 0) j->preload = sc_log(r, 1, 50);
        if (rng_below(r, 3) == 0) j->stiffness = sc_log(r, 10, 1000), j->rest = rng_uniform(r, -0.05, 0.05);
        if (rng_below(r, 4) == 0) j->limit = rng_below(r, 2) ? 1 : -1;
        if (rng_below(r, 4) == 0) j->force = rng_uniform(r, -20, 20);
    }
}

static inline void sc_shaken(rng *r, sc_scene *s) {
    const int base = sc_add_body(s, sc_log(r, 1, 10), 0, 0);
    sc_joint *j = sc_add_joint(s, SC_SLIDE, SC_WORLD, base, rng_below(r, 3) ? 0 : rng_uniform(r, -0.5, 0.5));
    j->driven = 1, j->acceleration = rng_uniform(r, -8, 8);
    const int count = 1 + rng_below(r, 3);
    for (int k = 0; k < count; k++) {
        const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0, 0.1 * (k + 1));
        sc_rub_random(r, sc_add_joint(s, SC_SLIDE, rng_below(r, 3) ? b - 1 : base, b,
                                      rng_below(r, 2) ? 0 : rng_uniform(r, -0.4, 0.4)));
        if (rng_below(r, 2)) sc_push(r, s, b, 20);
    }
}

// --- couplings

static inline void sc_geared_slides(rng *r, sc_scene *s) {
    const int count = 2 + rng_below(r, 3), loose = rng_below(r, 2) && count > 2;
    for (int k = 0; k < count; k++) {
        const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0.3 * k, 0);
        sc_rub_random(
            r, sc_add_joint(s, SC_SLIDE, SC_WORLD, b, rng_below(r, 2) ? 0 : rng_uniform(r, -0.6, 0.6)));
        sc_push(r, s, b, 30);
    }
    for (int k = 0; k + 1 < count - loose; k++)
        sc_add_joint(s, SC_GEAR, k, k + 1, 0)->ratio = (rng_below(r, 2) ? 1 : -1) * sc_log(r, 0.2, 5);
}

// A shaft whose centre of mass is on its pin: the load of the pin is the weight, whatever turns.
static inline int sc_shaft(rng *r, sc_scene *s, double x) {
    const int b = sc_add_body(s, sc_log(r, 0.3, 10), x, 0), k = s->joints;
    sc_joint *j = sc_add_joint(s, SC_PIN, SC_WORLD, b, 0);
    sc_rub_random(r, j);
    if (rng_below(r, 2)) {
        j->radius = sc_log(r, 0.005, 0.05), j->constant = sc_log(r, 1, 100);
    } else {
        j->constant = sc_log(r, 0.1, 5); // a torque
    }
    sc_add_load(s, b, 0, 0, rng_uniform(r, -3, 3));
    return k;
}

static inline void sc_geared_shafts(rng *r, sc_scene *s) {
    const int count = 2 + rng_below(r, 3), loose = rng_below(r, 2) && count > 2;
    for (int k = 0; k < count; k++) sc_shaft(r, s, 0.3 * k);
    for (int k = 0; k + 1 < count - loose; k++)
        sc_add_joint(s, SC_GEAR, k, k + 1, 0)->ratio = (rng_below(r, 2) ? 1 : -1) * sc_log(r, 0.2, 5);
}

static inline void sc_racks(rng *r, sc_scene *s) {
    const int pairs = 1 + rng_below(r, 2);
    for (int k = 0; k < pairs; k++) {
        const int pinion = sc_shaft(r, s, 0.5 * k);
        const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0.5 * k, 0.3), rack = s->joints;
        sc_rub_random(r, sc_add_joint(s, SC_SLIDE, SC_WORLD, b, rng_uniform(r, -0.5, 0.5)));
        sc_push(r, s, b, 40);
        sc_add_joint(s, SC_RACK, pinion, rack, 0)->ratio = (rng_below(r, 2) ? 1 : -1) * sc_log(r, 0.01, 0.3);
        if (k == 1 && rng_below(r, 2)) sc_add_joint(s, SC_GEAR, 0, pinion, 0)->ratio = sc_log(r, 0.3, 3);
    }
}

// --- loads of guides and open forces

// Guides with a length: loads beside the guide press both ends.
static inline void sc_guides(rng *r, sc_scene *s) {
    const int count = 1 + rng_below(r, 2);
    for (int k = 0; k < count; k++) {
        const int b = sc_add_body(s, sc_log(r, 0.3, 10), rng_uniform(r, -0.2, 0.2), 0.1 * k);
        sc_joint *j = sc_add_joint(s, SC_SLIDE, k - 1, b, rng_uniform(r, -1, 1));
        j->guide = sc_log(r, 0.05, 0.5);
        sc_rub_random(r, j);
        sc_push(r, s, b, 30);
        s->load[s->loads - 1].torque = rng_uniform(r, -3, 3);
    }
}

// Sliders joined by rods: with friction holding, the rods may pull the sliders against each other.
static inline void sc_rods(rng *r, sc_scene *s) {
    const int count = 2 + rng_below(r, 2);
    for (int k = 0; k < count; k++) {
        const int b = sc_add_body(s, sc_log(r, 0.3, 5), 0.4 * k, rng_uniform(r, -0.2, 0.2));
        sc_rub_random(r, sc_add_joint(s, SC_SLIDE, SC_WORLD, b, rng_uniform(r, -1.2, 1.2)));
        sc_push(r, s, b, 30);
    }
    for (int k = 0; k + 1 < count; k++) {
        const sc_body *a = &s->body[k], *c = &s->body[k + 1];
        const double ax = a->x, az = a->z, cx = c->x, cz = c->z;
        const int rod = sc_add_body(s, sc_log(r, 0.05, 1), 0.5 * (ax + cx), 0.5 * (az + cz));
        sc_joint *p = sc_add_joint(s, SC_PIN, k, rod, 0);
        p->x = ax, p->z = az;
        p = sc_add_joint(s, SC_PIN, rod, k + 1, 0);
        p->x = cx, p->z = cz;
    }
}

// One body on two parallel guides that may press against each other as they like.
static inline void sc_twin_guides(rng *r, sc_scene *s) {
    const double angle = rng_uniform(r, -1, 1);
    const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0, 0), count = 2 + rng_below(r, 2);
    for (int k = 0; k < count; k++) {
        sc_joint *j = sc_add_joint(s, SC_SLIDE, SC_WORLD, b, angle);
        j->z = 0.1 * k;
        sc_rub_random(r, j);
    }
    sc_push(r, s, b, 30);
}

// --- contacts

static inline void sc_foot_random(rng *r, sc_scene *s, int body, int on, int floor, double x, double z) {
    double mu_static, mu_kinetic;
    sc_mus(r, &mu_static, &mu_kinetic);
    sc_add_foot(s, body, on, floor, x, z, mu_static, mu_kinetic);
}

// A floor through the far side of the last foot.
static inline void sc_floor_below(sc_scene *s, double nx, double nz) {
    const sc_foot *f = &s->foot[s->feet - 1];
    const sc_body *b = &s->body[f->body];
    s->floor[s->floors++] = (sc_floor){nx, nz, b->x + f->x - f->radius * nx, b->z + f->z - f->radius * nz};
}

static inline int sc_block(rng *r, sc_scene *s, int on, double x, double z) {
    const int b = sc_add_body(s, sc_log(r, 0.3, 10), x, z);
    for (int side = -1; side <= 1; side += 2)
        sc_foot_random(r, s, b, on, 0, side * rng_uniform(r, 0.1, 0.2), -0.05);
    return b;
}

static inline void sc_block_on_floor(rng *r, sc_scene *s) {
    const double tilt = rng_below(r, 2) ? 0 : rng_uniform(r, -0.6, 0.6);
    const int b = sc_block(r, s, SC_WORLD, 0, 0);
    s->floor[s->floors++] = (sc_floor){0, 1, 0, -0.07};
    // an incline is gravity along x
    sc_add_load(s, b, s->body[b].mass * 9.81 * sin(tilt) + rng_uniform(r, -10, 10), rng_uniform(r, -10, 5),
                rng_uniform(r, -0.5, 0.5));
}

static inline void sc_block_on_block(rng *r, sc_scene *s) {
    const int low = sc_block(r, s, SC_WORLD, 0, 0);
    s->floor[s->floors++] = (sc_floor){0, 1, 0, -0.07};
    s->body[low].box = 0.5;
    const int high = sc_block(r, s, low, rng_uniform(r, -0.05, 0.05), 0.12);
    sc_push(r, s, low, 15);
    if (rng_below(r, 2)) sc_push(r, s, high, 15);
}

// A block on a sled that is driven, or rubs in a joint itself.
static inline void sc_block_on_sled(rng *r, sc_scene *s) {
    const int sled = sc_add_body(s, sc_log(r, 0.5, 10), 0, 0);
    s->body[sled].box = 0.5;
    sc_joint *j = sc_add_joint(s, SC_SLIDE, SC_WORLD, sled, 0);
    if (rng_below(r, 2)) {
        j->driven = 1, j->acceleration = rng_uniform(r, -6, 6);
    } else {
        sc_rub_random(r, j);
        sc_push(r, s, sled, 40);
    }
    const int b = sc_block(r, s, sled, 0, 0.12);
    if (rng_below(r, 2)) sc_push(r, s, b, 15);
}

// A body between walls that lean any way; what it needs to be balanced is there in half of the cases.
static inline void sc_braced(rng *r, sc_scene *s) {
    const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0, 0), feet = 2 + rng_below(r, 2);
    const int parallel = feet == 2 && rng_below(r, 2);
    double fx = 0, fz = 0, torque = 0;
    for (int k = 0; k < feet; k++) {
        const double at = 6.283185307179586 * (k + rng_uniform(r, -0.2, 0.2)) / feet,
                     lean = at + rng_uniform(r, -0.6, 0.6);
        const double x = 0.3 * cos(at), z = 0.3 * sin(at), nx = parallel ? (k ? 0.96 : -0.96) : -cos(lean),
                     nz = parallel ? (k ? 0.28 : -0.28) : -sin(lean);
        sc_foot_random(r, s, b, SC_WORLD, k, x, z);
        sc_floor_below(s, nx, nz);
        const sc_foot *f = &s->foot[s->feet - 1];
        const double n = rng_uniform(r, 0, 20), t = rng_uniform(r, -0.9, 0.9) * f->mu_static * n;
        const double gx = n * nx + t * nz, gz = n * nz - t * nx, px = x - f->radius * nx,
                     pz = z - f->radius * nz;
        fx -= gx, fz -= gz, torque -= pz * gx - px * gz;
    }
    if (rng_below(r, 4) == 0) {
        sc_push(r, s, b, 20);
        return;
    }
    sc_add_load(s, b, fx, fz + s->body[b].mass * s->gravity, torque);
}

// A disk between two planes, a valley or a floor and a wall: each holds it, and lifting from one it rolls on the other.
static inline void sc_groove(rng *r, sc_scene *s) {
    const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0, 0);
    const double left = rng_uniform(r, 0.1, 1.5), right = rng_uniform(r, 0.1, 1.5);
    for (int k = 0; k < 2; k++) {
        sc_foot_random(r, s, b, SC_WORLD, k, 0, 0);
        s->foot[k].shape = 0, s->foot[k].radius = 0.1;
        sc_floor_below(s, k ? -sin(right) : sin(left), k ? cos(right) : cos(left));
    }
    sc_add_load(s, b, rng_uniform(r, -20, 20), rng_uniform(r, -40, 5),
                rng_below(r, 2) ? rng_uniform(r, -2, 2) : 0);
}

// --- all of them

static inline void sc_fill(rng *r, sc_scene *s, sc_family family) {
    switch (family) {
    case SC_STACK_LEVEL:
        sc_stack(r, s, 2 + rng_below(r, 3), 0);
        break;
    case SC_STACK_STEEP:
        sc_stack(r, s, 2 + rng_below(r, 2), 0.8);
        break;
    case SC_STACK_EXTRAS:
        sc_stack(r, s, 1 + rng_below(r, 3), 0.8), sc_extras(r, s);
        break;
    case SC_STACK_LAWS:
        sc_stack(r, s, 1 + rng_below(r, 3), 0);
        for (int k = 0; k < s->joints; k++) s->joint[k].law = (sc_law)rng_below(r, SC_LAWS);
        break;
    case SC_STACK_SLIDING:
        sc_stack(r, s, 2 + rng_below(r, 2), 0.5);
        for (int k = 0, n = 0; k < s->joints; k++)
            if (rng_below(r, 2) || (k == s->joints - 1 && n == 0))
                s->joint[k].velocity = (rng_below(r, 2) ? 1 : -1) * sc_log(r, 0.002, 2), n++;
        break;
    case SC_SHAKEN:
        sc_shaken(r, s);
        break;
    case SC_GEARED_SLIDES:
        sc_geared_slides(r, s);
        break;
    case SC_GEARED_SHAFTS:
        sc_geared_shafts(r, s);
        break;
    case SC_RACKS:
        sc_racks(r, s);
        break;
    case SC_GUIDES:
        sc_guides(r, s);
        break;
    case SC_RODS:
        sc_rods(r, s);
        break;
    case SC_TWIN_GUIDES:
        sc_twin_guides(r, s);
        break;
    case SC_BLOCK_ON_FLOOR:
        sc_block_on_floor(r, s);
        break;
    case SC_BLOCK_ON_BLOCK:
        sc_block_on_block(r, s);
        break;
    case SC_BLOCK_ON_SLED:
        sc_block_on_sled(r, s);
        break;
    case SC_BRACED:
        sc_braced(r, s);
        break;
    default:
        sc_groove(r, s);
        break;
    }
}

// Feet that touch what they should not, or floors that cut the body: not this one.
static inline int sc_drawable(const sc_scene *s) {
    for (int f = 0; f < s->feet; f++)
        for (int k = 0; k < s->floors; k++) {
            const sc_foot *foot = &s->foot[f];
            const sc_body *b = &s->body[foot->body];
            const double gap = (b->x + foot->x - s->floor[k].x) * s->floor[k].nx +
                               (b->z + foot->z - s->floor[k].z) * s->floor[k].nz - foot->radius;
            int meant = 0;
            for (int e = 0; e < s->feet; e++)
                meant |= s->foot[e].shape == foot->shape && s->foot[e].floor == k;
            if (foot->on == SC_WORLD && !meant && gap < 0.01) return 0;
        }
    return 1;
}

static inline void sc_scale_mu(sc_scene *s, double c) {
    for (int k = 0; k < s->joints; k++) s->joint[k].mu_static *= c, s->joint[k].mu_kinetic *= c;
    for (int k = 0; k < s->feet; k++) s->foot[k].mu_static *= c, s->foot[k].mu_kinetic *= c;
}

static inline double sc_largest_mu(const sc_scene *s) {
    double mu = 0;
    for (int k = 0; k < s->joints; k++) mu = fmax(mu, s->joint[k].mu_static);
    for (int k = 0; k < s->feet; k++) mu = fmax(mu, s->foot[k].mu_static);
    return mu;
}

// A quarter is written in other units, a quarter in turned frames, an eighth in space.
static inline void sc_vary(rng *r, sc_scene *s) {
    if (rng_below(r, 4) == 0)
        s->L = ldexp(1, rng_below(r, 21) - 10), s->M = ldexp(1, rng_below(r, 21) - 10),
        s->T = ldexp(1, rng_below(r, 13) - 6);
    s->turned = rng_below(r, 4) == 0;
    int tree = s->feet == 0;
    for (int k = 0; k < s->joints; k++) tree &= s->joint[k].kind == SC_SLIDE;
    s->spatial = tree && s->joints <= s->bodies && rng_below(r, 4) == 0;
}

// SCEPTIC_SEED=N: other scenes of the same kinds.
static inline uint64_t sc_seed(void) {
    const char *text = getenv("SCEPTIC_SEED");
    return text ? strtoull(text, NULL, 10) : 0;
}

static inline uint64_t sc_spread(void) {
    return sc_seed() * UINT64_C(0x9E3779B97F4A7C15);
}

// Coefficients are moved so that two of three scenes stand near their threshold, on either side.
static inline sc_scene sc_make_seeded(sc_family family, int number, uint64_t seed) {
    for (int attempt = 0;; attempt++) {
        rng r = {(uint64_t)family * UINT64_C(1000003) + (uint64_t)number * UINT64_C(7919) +
                 (uint64_t)attempt * UINT64_C(104729) + 1 + seed * UINT64_C(0x9E3779B97F4A7C15)};
        char name[64];
        snprintf(name, sizeof name, "%s_%d", sc_family_name[family], number);
        sc_scene s = sc_empty(name);
        for (int k = 0; k < 8; k++) rng_next(&r);
        sc_fill(&r, &s, family);
        if (!sc_drawable(&s)) continue;
        if (rng_below(&r, 3)) {
            const sc_instant at = sc_equations(&s, 0);
            sc_problem p = sc_prepare(&at);
            const double c = sc_c_star(&p) * rng_uniform(&r, 0.6, 1.6);
            if (isfinite(c) && c > 0 && c * sc_largest_mu(&s) < 2.5) sc_scale_mu(&s, c);
        }
        sc_vary(&r, &s);
        return s;
    }
}

static inline sc_scene sc_make(sc_family family, int number) {
    return sc_make_seeded(family, number, sc_seed());
}

#endif
