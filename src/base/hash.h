// A 64-bit hash of bytes (FNV-1a), the same on every machine and run: for golden states and cache keys, not
// for secrets. Start from BR_HASH_START and feed piece after piece; the result depends on the bytes, not on
// how they were cut.
#ifndef BR_BASE_HASH_H
#define BR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define BR_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t br_hash_bytes(uint64_t hash, const void *bytes, size_t count);

// As integers and doubles rather than as memory: the byte order of the machine does not matter. Doubles are
// hashed by their bits, so -0.0 and 0.0 differ, and every NaN counts as one and the same.
uint64_t br_hash_u64(uint64_t hash, uint64_t value);
uint64_t br_hash_doubles(uint64_t hash, const double *values, size_t count);

#endif
