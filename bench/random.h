// Random numbers that are the same on every machine (splitmix64), for data that has to be.
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline double random_uniform(uint64_t *state) // in [0, 1)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline double random_normal(uint64_t *state) {
    const double u = 1 - random_uniform(state), angle = 6.283185307179586 * random_uniform(state);
    return sqrt(-2 * log(u)) * cos(angle);
}

#endif
