// atan2, atan, asin, acos: all are the angle of a pair (x, y), whose smaller ratio is taken in two parts. Above 1/8 the angle of the
// nearest j/64 is taken away, from a table. And hypot and cbrt, which need the same care.
#include <math.h>
#include <stdbool.h>

#include "math/elementary.h"
#include "math/elementary_parts.h"
#include "math/elementary_tables.h"

#define ATAN_SMALL 0.125
#define LARGE 0x1p500 // beyond it, or below its inverse, pairs are scaled before they are squared or split

// atan(q), 0 <= q <= 1.
static inline parts atan_parts(parts q) {
    if (q.hi < ATAN_SMALL) {
        const double z = q.hi * q.hi;
        return (parts){q.hi, q.lo + q.hi * z * polynomial(ATAN, sizeof ATAN / sizeof *ATAN, z)};
    }
    const int j = (int)(q.hi * 64.0 + 0.5);
    const double c = j / 64.0, u = ((q.hi - c) + q.lo) / (1.0 + q.hi * c), z = u * u;
    return (parts){ATAN_HI[j], ATAN_LO[j] + (u + u * z * polynomial_3(ATAN_NEAR, z))};
}

// The angle of the pair, y >= 0 and |x| in parts, neither far from the other nor from 1.
static inline double angle_of(parts y, parts x, bool left) {
    const bool steep = y.hi > x.hi;
    const parts a = steep ? atan_parts(quotient_of_parts(x, y)) : atan_parts(quotient_of_parts(y, x));
    if (!steep && !left) return a.hi + a.lo;
    // pi/2 -+ a, or pi - a
    const double turns = steep ? 1.0 : 2.0, sign = steep && left ? 1.0 : -1.0;
    const parts sum = sum_ordered(turns * PIO2_HI, sign * a.hi);
    return sum.hi + (sum.lo + (turns * PIO2_LO + sign * a.lo));
}

// Zero or infinite y or x, or one of them above 2^100 times the other.
static double angle_extreme(double y, double x, bool left) {
    if (isinf(y) && isinf(x)) return left ? 1.5 * PIO2_HI : 0.5 * PIO2_HI;
    if (isinf(y) || (y > 0.0 && y * 0x1p-50 > x * 0x1p50) || (y > x && x == 0.0)) return PIO2_HI;
    if (left) return 2.0 * PIO2_HI;
    return isinf(x) || y == 0.0 ? 0.0 : y / x;
}

double br_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) return NAN;
    double b = fabs(y), a = fabs(x);
    const bool left = signbit(x);
    const double most = a > b ? a : b, least = a > b ? b : a;
    if (!(most * 0x1p-50 < least * 0x1p50) || isinf(most)) return copysign(angle_extreme(b, a, left), y);
    if (most > LARGE) a *= 0x1p-600, b *= 0x1p-600;
    if (most < 1.0 / LARGE) a *= 0x1p600, b *= 0x1p600;
    return copysign(angle_of((parts){b, 0.0}, (parts){a, 0.0}, left), y);
}

double br_atan(double x) {
    const double a = fabs(x);
    if (a < 0x1p-27 || isnan(x)) return x;
    if (a > 0x1p60) return copysign(PIO2_HI, x);
    if (a <= 1.0) {
        const parts t = atan_parts((parts){a, 0.0});
        return copysign(t.hi + t.lo, x);
    }
    return copysign(angle_of((parts){a, 0.0}, (parts){1.0, 0.0}, false), x);
}

// sqrt(s)
static inline parts root_of_parts(parts s) {
    const double r = sqrt(s.hi);
    if (!(r > 0.0)) return (parts){r, 0.0};
    const parts rr = square_exact(r);
    return (parts){r, (((s.hi - rr.hi) - rr.lo) + s.lo) / (2.0 * r)};
}

// sqrt(1 - x^2), |x| <= 1
static inline parts other_side(double x) {
    const parts xx = square_exact(x), d = sum_ordered(1.0, -xx.hi);
    return root_of_parts(sum_ordered(d.hi, d.lo - xx.lo));
}

double br_asin(double x) {
    const double a = fabs(x);
    if (a < 0x1p-27) return x;
    if (!(a <= 1.0)) return NAN;
    return copysign(angle_of((parts){a, 0.0}, other_side(a), false), x);
}

double br_acos(double x) {
    const double a = fabs(x);
    if (!(a <= 1.0)) return NAN;
    if (a < 0x1p-60) return PIO2_HI;
    return angle_of(other_side(a), (parts){a, 0.0}, x < 0.0);
}

// sqrt(x^2 + y^2): the squares exactly, their sum and its root in two parts.
double br_hypot(double x, double y) {
    double a = fabs(x), b = fabs(y);
    if (isinf(a) || isinf(b)) return INFINITY;
    if (isnan(a) || isnan(b)) return NAN;
    if (a < b) {
        const double c = a;
        a = b, b = c;
    }
    double back = 1.0;
    if (a > LARGE) a *= 0x1p-600, b *= 0x1p-600, back = 0x1p600;
    if (a < 1.0 / LARGE) a *= 0x1p600, b *= 0x1p600, back = 0x1p-600;
    if (b <= a * 0x1p-54) return (a + b) * back;
    const parts aa = square_exact(a), bb = square_exact(b), sum = sum_ordered(aa.hi, bb.hi);
    const parts root = root_of_parts((parts){sum.hi, sum.lo + (aa.lo + bb.lo)});
    return (root.hi + root.lo) * back;
}

// x = m 2^3k, m in [1, 8): a polynomial, Halley's step to 29 bits, cut to 26 so that its cube is exact in two parts, Halley again.
double br_cbrt(double x) {
    if (x == 0.0 || !isfinite(x)) return x;
    double a = fabs(x), back = 1.0;
    if (a < 0x1p-1022) a *= 0x1p54, back = 0x1p-18;
    const int e = (int)(bits_of(a) >> 52) - 1023, k = (e + 1200) / 3 - 400; // rounded down
    const double m = double_of(bits_of(a) - ((uint64_t)(int64_t)(3 * k) << 52));
    double t = polynomial(CBRT, sizeof CBRT / sizeof *CBRT, m);
    for (int i = 0; i < 2; i++) {
        const double ttt = t * t * t;
        t *= (ttt + 2.0 * m) / (2.0 * ttt + m);
    }
    t = double_of(bits_of(t) & ~UINT64_C(0x7ffffff));
    const parts ttt = product_exact(t * t, t);
    const double d = (m - ttt.hi) - ttt.lo;
    return copysign((t + t * d / (2.0 * ttt.hi + m)) * (power_of_two(k) * back), x);
}
