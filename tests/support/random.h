// Random numbers for tests: the same on every machine (splitmix64), the state in the caller's hand.
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

#include "bristle/math.h"

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r) {
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double rng_uniform(rng *r, double low, double high) {
    return low + (high - low) * (double)(rng_next(r) >> 11) * 0x1p-53;
}

static inline int rng_below(rng *r, int count) {
    return (int)(rng_next(r) % (uint64_t)count);
}

static inline br_vec3 rng_vec3(rng *r, double size) {
    const double x = rng_uniform(r, -size, size), y = rng_uniform(r, -size, size),
                 z = rng_uniform(r, -size, size);
    return br_vec3_of(x, y, z);
}

// Uniform on the unit sphere.
static inline br_vec3 rng_direction(rng *r) {
    for (;;) {
        const br_vec3 v = rng_vec3(r, 1.0);
        const double n = br_vec3_norm(v);
        if (n > 0.1 && n <= 1.0) return br_vec3_normalize(v);
    }
}

// Uniform on the rotations (Shoemake).
static inline br_quat rng_rotation(rng *r) {
    const double u = rng_uniform(r, 0.0, 1.0), a = rng_uniform(r, 0.0, 2.0 * BR_PI),
                 b = rng_uniform(r, 0.0, 2.0 * BR_PI);
    return br_quat_of(sqrt(1.0 - u) * sin(a), sqrt(1.0 - u) * cos(a), sqrt(u) * sin(b), sqrt(u) * cos(b));
}

static inline br_pose rng_pose(rng *r, double size) {
    const br_quat q = rng_rotation(r);
    return br_pose_of(q, rng_vec3(r, size));
}

static inline br_twist rng_twist(rng *r, double size) {
    const br_vec3 w = rng_vec3(r, size);
    return br_twist_of(w, rng_vec3(r, size));
}

#endif
