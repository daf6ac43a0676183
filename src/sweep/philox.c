#include "sweep/philox.h"

enum { ROUNDS = 10, FEISTEL_ROUNDS = 6 };
enum { PURPOSE_UNIFORM = 1, PURPOSE_PERMUTE = 2 }; // the last word of the counter: streams never meet

br_philox br_philox_block(uint64_t key, br_philox c) {
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int r = 0; r < ROUNDS; r++) {
        const uint64_t a = UINT64_C(0xD2511F53) * c.word[0], b = UINT64_C(0xCD9E8D57) * c.word[2];
        c = (br_philox){{(uint32_t)(b >> 32) ^ c.word[1] ^ k0, (uint32_t)b,
                         (uint32_t)(a >> 32) ^ c.word[3] ^ k1, (uint32_t)a}};
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    return c;
}

double br_philox_uniform(uint64_t key, uint64_t i, uint32_t d) {
    const br_philox x =
        br_philox_block(key, (br_philox){{(uint32_t)i, (uint32_t)(i >> 32), d, PURPOSE_UNIFORM}});
    const uint64_t bits = ((uint64_t)x.word[0] << 32 | x.word[1]) >> 12; // 52, so that the half fits below 1
    return ((double)bits + 0.5) * 0x1p-52;
}

// A Feistel network on the next power of 4, walked until it lands below n: a permutation of 0 .. n - 1 without a table of them.
uint64_t br_philox_permute(uint64_t key, uint64_t i, uint64_t n, uint32_t d) {
    unsigned half = 1;
    while ((UINT64_C(1) << 2 * half) < n) half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint32_t r = 0; r < FEISTEL_ROUNDS; r++) {
            const br_philox x = br_philox_block(key, (br_philox){{(uint32_t)right, r, d, PURPOSE_PERMUTE}});
            const uint64_t next = left ^ (x.word[0] & mask);
            left = right, right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}
