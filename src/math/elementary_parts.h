// Sums of two doubles, for what needs more than 53 bits on the way. Only + - * / in the order that is written; see [Dekker1971].
#ifndef BR_MATH_ELEMENTARY_PARTS_H
#define BR_MATH_ELEMENTARY_PARTS_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "doubles must be rounded to double at every operation (on 32-bit x86: -msse2 -mfpmath=sse)"
#endif

typedef struct parts {
    double hi, lo; // the value is hi + lo, |lo| well below |hi|
} parts;

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^k, -1022 <= k <= 1023.
static inline double power_of_two(int k) {
    return double_of((uint64_t)(k + 1023) << 52);
}

// a + b exactly, |a| >= |b| or a = 0.
static inline parts sum_ordered(double a, double b) {
    const double s = a + b;
    return (parts){s, b - (s - a)};
}

// a + b exactly.
static inline parts sum_exact(double a, double b) {
    const double s = a + b, b_seen = s - a;
    return (parts){s, (a - (s - b_seen)) + (b - b_seen)};
}

// The leading 26 bits of x and the rest, |x| < 2^996.
static inline parts split(double x) {
    const double c = 134217729.0 * x, hi = c - (c - x); // 2^27 + 1
    return (parts){hi, x - hi};
}

// a b exactly, where it neither overflows nor underflows.
static inline parts product_exact(double a, double b) {
    const double p = a * b;
    const parts x = split(a), y = split(b);
    return (parts){p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

static inline parts square_exact(double a) {
    const double p = a * a;
    const parts x = split(a);
    return (parts){p, ((x.hi * x.hi - p) + 2.0 * (x.hi * x.lo)) + x.lo * x.lo};
}

static inline parts product_of_parts(parts a, parts b) {
    const parts p = product_exact(a.hi, b.hi);
    return sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// a/b to about 100 bits.
static inline parts quotient_of_parts(parts a, parts b) {
    const double q = a.hi / b.hi;
    const parts p = product_exact(q, b.hi);
    return (parts){q, (((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo)) / b.hi};
}

static inline double polynomial_3(const double c[3], double x) {
    return c[0] + x * (c[1] + x * c[2]);
}

// In pairs: shorter to wait for than Horner's order.
static inline double polynomial_6(const double c[6], double x) {
    const double xx = x * x;
    return (c[0] + x * c[1]) + xx * ((c[2] + x * c[3]) + xx * (c[4] + x * c[5]));
}

static inline double polynomial(const double *c, int count, double x) {
    double sum = c[count - 1];
    for (int k = count - 2; k >= 0; k--) sum = c[k] + x * sum;
    return sum;
}

#endif
