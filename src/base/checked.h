// Size arithmetic that cannot wrap: each returns 0 on overflow, leaving *out untouched, and 1 otherwise.
#ifndef BR_BASE_CHECKED_H
#define BR_BASE_CHECKED_H

#include <stddef.h>
#include <stdint.h>

static inline int br_size_mul(size_t a, size_t b, size_t *out) {
    if (b != 0 && a > SIZE_MAX / b) return 0;
    *out = a * b;
    return 1;
}

static inline int br_size_add(size_t a, size_t b, size_t *out) {
    if (a > SIZE_MAX - b) return 0;
    *out = a + b;
    return 1;
}

#endif
