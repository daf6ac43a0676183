// FNV-1a, see hash.h.
#include "base/hash.h"

#include <string.h>

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t br_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *b = (const unsigned char *)bytes;
    for (; count >= 4; count -= 4, b += 4) { // four at a time: a result hashes every byte of its rows
        hash = (hash ^ b[0]) * FNV_PRIME;
        hash = (hash ^ b[1]) * FNV_PRIME;
        hash = (hash ^ b[2]) * FNV_PRIME;
        hash = (hash ^ b[3]) * FNV_PRIME;
    }
    for (; count > 0; --count, ++b) hash = (hash ^ *b) * FNV_PRIME;
    return hash;
}

uint64_t br_hash_u64(uint64_t hash, uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ ((value >> shift) & 0xff)) * FNV_PRIME;
    return hash;
}

uint64_t br_hash_doubles(uint64_t hash, const double *values, size_t count) {
    const uint64_t quiet_nan = UINT64_C(0x7ff8000000000000);
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = br_hash_u64(hash, values[i] == values[i] ? bits : quiet_nan);
    }
    return hash;
}
