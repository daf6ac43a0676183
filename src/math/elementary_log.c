// log, log2, log10, pow: x = 2^k m, m c = 1 + r with c a 12-bit reciprocal from a table, so that r is exact in two parts and below
// 2^-7; log(x) = k log(2) - log(c) + log(1 + r), of which all but r^3/3 - ... is kept in two parts: 68 bits.
#include <math.h>
#include <stdbool.h>

#include "math/elementary.h"
#include "math/elementary_grow.h"
#include "math/elementary_tables.h"

#define LEAST_NORMAL 0x1p-1022
#define FIRST_MANTISSA UINT64_C(0x3fe6000000000000) // 0.6875, where interval 0 begins

// log(x) of a finite x > 0.
static inline parts log_parts(double x) {
    int k = 0;
    if (x < LEAST_NORMAL) x *= 0x1p54, k = -54;
    const uint64_t bits = bits_of(x), from = bits - FIRST_MANTISSA + (UINT64_C(1024) << 52); // not negative
    const int power = (int)(from >> 52) - 1024, j = (int)(from >> 45 & 127);
    const double m = double_of(bits - ((uint64_t)(int64_t)power << 52)), c = LOG_INVERSE[j];
    k += power;

    const double upper = double_of(bits_of(m) & ~UINT64_C(0x7ffffff)); // 26 bits
    const parts r = sum_ordered(upper * c - 1.0, (m - upper) * c);     // exact
    const parts rr = square_exact(r.hi);
    const parts two = sum_ordered(r.hi, -0.5 * rr.hi); // r - r^2/2
    const double small = (r.lo - r.hi * r.lo) - 0.5 * rr.lo +
                         rr.hi * r.hi * polynomial(LOG1P, sizeof LOG1P / sizeof *LOG1P, r.hi);
    const double t = k * LN2_HI + LOG_HI[j];  // exact: both are multiples of 2^-42, below 2^10
    const parts sum = sum_ordered(t, two.hi); // t = 0 or |t| > |r|
    return sum_ordered(sum.hi, sum.lo + (two.lo + (k * LN2_LO + LOG_LO[j] + small)));
}

// Zero, negative, infinite or no number: log's answer. False for all others.
static inline bool log_special(double x, double *out) {
    if (x > 0.0 && x < INFINITY) return false;
    *out = x == 0.0 ? -INFINITY : x > 0.0 ? x : NAN;
    return true;
}

double br_log(double x) {
    double special;
    if (log_special(x, &special)) return special;
    const parts l = log_parts(x);
    return l.hi + l.lo;
}

double br_log2(double x) {
    double special;
    if (log_special(x, &special)) return special;
    const parts l = product_of_parts(log_parts(x), (parts){LOG2E_HI, LOG2E_LO});
    return l.hi + l.lo;
}

double br_log10(double x) {
    double special;
    if (log_special(x, &special)) return special;
    const parts l = product_of_parts(log_parts(x), (parts){LOG10E_HI, LOG10E_LO});
    return l.hi + l.lo;
}

// 0: not whole, 1: odd, 2: even.
static int parity(double y) {
    const double a = fabs(y);
    if (a >= 0x1p53) return 2;
    if (floor(a) != a) return 0;
    return (int64_t)a & 1 ? 1 : 2;
}

// x = 0 or infinite, y any number but 0: the size is 0 or infinite.
static double pow_of_extreme(double x, double y) {
    const double size = (x == 0.0) == (y < 0.0) ? INFINITY : 0.0;
    return signbit(x) && parity(y) == 1 ? -size : size;
}

double br_pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (isnan(x) || isnan(y)) return NAN;
    const double a = fabs(x);
    if (isinf(y)) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    if (x == 0.0 || isinf(x)) return pow_of_extreme(x, y);
    double sign = 1.0;
    if (x < 0.0) {
        const int whole = parity(y);
        if (!whole) return NAN;
        sign = whole == 1 ? -1.0 : 1.0;
    }
    if (fabs(y) > 0x1p66) return sign * (a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? INFINITY : 0.0);
    if (fabs(y) < 0x1p-66) return sign;
    const parts l = log_parts(a), p = product_exact(y, l.hi);
    if (p.hi > 710.0) return sign * INFINITY;
    if (p.hi < -746.0) return sign * 0.0;
    return sign * br_scale(br_exp_parts(p.hi, p.lo + y * l.lo));
}
