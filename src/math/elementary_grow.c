// exp, exp2, expm1, sinh, cosh, tanh: e^x = 2^k 2^(j/32) e^r with |r| <= log(2)/64, 2^(j/32) from a table in two parts.
#include <math.h>

#include "math/elementary.h"
#include "math/elementary_grow.h"
#include "math/elementary_tables.h"

#define ROUND 0x1.8p52     // adding it rounds to a whole number
#define OVERFLOWS 709.79   // e^x is above the largest double
#define VANISHES (-745.14) // e^x is below half of the smallest
#define EXPM1_NEAR 0.35    // expm1 by its own polynomial
#define TANH_NEAR 0.5
#define TANH_ONE 20.0 // from here tanh(x) = 1 to rounding

static inline double exp_rest(double r) {
    const double rr = r * r;
    return r + rr * ((EXP[0] + r * EXP[1]) + rr * ((EXP[2] + r * EXP[3]) + rr * EXP[4]));
}

br_scaled br_exp_parts(double x, double tail) {
    const double n = (x * EXP_COUNT + ROUND) - ROUND;
    const int whole = (int)n, j = whole & 31;
    const double r = ((x - n * EXP_STEP_HI) - n * EXP_STEP_LO) + tail; // the first difference is exact
    return (br_scaled){{EXP2_HI[j], EXP2_LO[j] + EXP2_HI[j] * exp_rest(r)}, (whole - j) / 32};
}

// Rounded once where the result is normal, and once more where it is not.
double br_scale(br_scaled s) {
    const double y = s.value.hi + s.value.lo;
    if (s.power >= -1020 && s.power <= 1023) return y * power_of_two(s.power);
    if (s.power > 1023) return y * 0x1p1023 * power_of_two(s.power - 1023);
    return y * power_of_two(s.power + 300) * 0x1p-300;
}

double br_exp(double x) {
    if (!(x < OVERFLOWS)) return x + INFINITY; // NaN stays NaN
    if (x < VANISHES) return 0.0;
    return br_scale(br_exp_parts(x, 0.0));
}

double br_exp2(double x) {
    if (!(x < 1024.0)) return x + INFINITY;
    if (x < -1075.0) return 0.0;
    const double n = (x * 32.0 + ROUND) - ROUND;
    const int whole = (int)n, j = whole & 31;
    const double r = (x - n / 32.0) * LN2;
    return br_scale((br_scaled){{EXP2_HI[j], EXP2_LO[j] + EXP2_HI[j] * exp_rest(r)}, (whole - j) / 32});
}

double br_expm1(double x) {
    if (fabs(x) <= EXPM1_NEAR) {
        if (fabs(x) < 0x1p-54) return x;
        const double xx = x * x;
        return x + (0.5 * xx + xx * x * polynomial(EXPM1, sizeof EXPM1 / sizeof *EXPM1, x));
    }
    if (!(x < OVERFLOWS)) return x + INFINITY;
    if (x < -40.0) return -1.0;
    const br_scaled e = br_exp_parts(x, 0.0);
    if (e.power > 1000) return br_scale(e);
    const double unit = power_of_two(e.power);
    const parts d = sum_exact(e.value.hi * unit, -1.0);
    return d.hi + (d.lo + e.value.lo * unit);
}

// (e^x + sign e^-x)/2 for x >= 0, both in two parts.
static double half_sum(double x, double sign) {
    if (!(x < OVERFLOWS + 1.0)) return x + INFINITY;
    const br_scaled up = br_exp_parts(x, 0.0);
    if (x > 40.0) return br_scale((br_scaled){up.value, up.power - 1}); // the other is below its rounding
    const br_scaled down = br_exp_parts(-x, 0.0);
    const double a = power_of_two(up.power - 1), b = sign * power_of_two(down.power - 1);
    const parts sum = sum_exact(up.value.hi * a, down.value.hi * b);
    return sum.hi + (sum.lo + (up.value.lo * a + down.value.lo * b));
}

double br_cosh(double x) {
    return half_sum(fabs(x), 1.0);
}

double br_sinh(double x) {
    if (fabs(x) < 0x1p-27) return x;
    if (fabs(x) <= 1.0) {
        const double z = x * x;
        return x + x * z * polynomial(SINH, sizeof SINH / sizeof *SINH, z);
    }
    return copysign(half_sum(fabs(x), -1.0), x);
}

double br_tanh(double x) {
    const double a = fabs(x);
    if (a < 0x1p-27 || isnan(x)) return x;
    if (a <= TANH_NEAR) {
        const double z = x * x;
        return x + x * z * polynomial(TANH, sizeof TANH / sizeof *TANH, z);
    }
    if (a > TANH_ONE) return copysign(1.0, x);
    const br_scaled e = br_exp_parts(2.0 * a, 0.0); // tanh = 1 - 2/(e^2a + 1)
    const double unit = power_of_two(e.power);
    parts below = sum_ordered(e.value.hi * unit, 1.0);
    below = sum_ordered(below.hi, below.lo + e.value.lo * unit);
    const parts q = quotient_of_parts((parts){2.0, 0.0}, below), d = sum_ordered(1.0, -q.hi);
    return copysign(d.hi + (d.lo - q.lo), x);
}
