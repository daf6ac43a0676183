// Random numbers by counting: Philox4x32-10 [Salmon2011]. The numbers of a run follow from a key and its number alone, whatever
// was computed before and wherever.
#ifndef BR_SWEEP_PHILOX_H
#define BR_SWEEP_PHILOX_H

#include <stdint.h>

typedef struct br_philox {
    uint32_t word[4];
} br_philox;

br_philox br_philox_block(uint64_t key, br_philox counter);

// Of run i, dimension d: a number within (0, 1), never 0 or 1.
double br_philox_uniform(uint64_t key, uint64_t i, uint32_t d);

// Where i of 0 .. n - 1 goes in a permutation of them, another one for each d. n from 1 to 2^40.
uint64_t br_philox_permute(uint64_t key, uint64_t i, uint64_t n, uint32_t d);

#endif
