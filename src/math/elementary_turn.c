// sin, cos, tan. The argument is brought to |y| <= pi/4 by taking away a multiple of pi/2: with pi/2 in three parts below 2^20, by
// integers otherwise, and wherever the difference cancels so far that the three parts would show. Then two polynomials.
#include <math.h>
#include <stdbool.h>

#include "math/elementary.h"
#include "math/elementary_parts.h"
#include "math/elementary_tables.h"

#define QUARTER 0x1.921fb54442d18p-1 // pi/4
#define TINY 0x1p-27                 // below it sin(x) = x, cos(x) = 1 to rounding
#define NEAR 0x1p20                  // up to here n PIO2_1 and n PIO2_2 are exact: n has 20 bits, they 33
#define CANCELS 0x1p-30 // the error of the three parts is below 2^-99, so below 2^-69 of what is larger
#define ROUND 0x1.8p52  // adding it rounds to a whole number, whose last bits are then those of the double

typedef struct reduced {
    double y, tail; // x = y + tail + quadrant pi/2 up to whole turns
    unsigned quadrant;
} reduced;

enum { WINDOW = 8 }; // words of 2/pi that matter for one argument, and of the product that are kept

// product = (m times the window of 2/pi that begins at word `first`) mod 2^(32 WINDOW), the last word first.
static void window_times(uint64_t m, int first, uint32_t product[WINDOW]) {
    const uint64_t low = m & 0xffffffff, high = m >> 32;
    uint64_t carry = 0, before = 0; // the word one place lower, for the upper half of m
    for (int k = 0; k < WINDOW; k++) {
        const int at = first + WINDOW - 1 - k;
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) the words reach to the exponent of the largest double
        const uint64_t word = at >= 0 ? TWO_OVER_PI_WORDS[at] : 0;
        const uint64_t a = word * low, b = before * high; // below 2^64 and 2^53
        const uint64_t sum = (a & 0xffffffff) + (b & 0xffffffff) + (carry & 0xffffffff);
        product[k] = (uint32_t)sum;
        carry = (sum >> 32) + (a >> 32) + (b >> 32) + (carry >> 32);
        before = word;
    }
}

// The fraction sum of word k times 2^-32(k + 1), as a double and a rest.
static parts fraction_of(const uint32_t word[WINDOW]) {
    int k = 0;
    while (k < WINDOW - 3 && !word[k]) k++;
    const double unit = power_of_two(-32 * (k + 1));
    const parts two = sum_ordered(word[k] * unit, word[k + 1] * (unit * 0x1p-32));
    return sum_ordered(two.hi, two.lo + (word[k + 2] * (unit * 0x1p-64) +
                                         (k + 3 < WINDOW ? word[k + 3] * (unit * 0x1p-96) : 0.0)));
}

// Any finite |x| >= 1/2: x 2/pi mod 4 in integers, good to 2^-170, then times pi/2. x = m 2^e; words of 2/pi whose product with it
// is a multiple of 4 are left out.
static reduced reduce_in_integers(double x) {
    const uint64_t bits = bits_of(x);
    const int e = (int)(bits >> 52 & 0x7ff) - 1075;
    const uint64_t m = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    const int first = (e - 2 + 32 * 4) / 32 - 4; // rounded down
    uint32_t product[WINDOW], word[WINDOW];
    window_times(m, first, product);

    // The fraction has 32 (first + WINDOW) - e bits, 223 to 254 of 256: `above` bits lie above it, the last two count quadrants.
    const int above = e - 32 * first; // 2 to 33
    uint64_t top = (uint64_t)product[WINDOW - 1] << 32 | product[WINDOW - 2];
    unsigned quadrant = (unsigned)(top >> (64 - above)) & 3;
    for (int k = 0; k < WINDOW; k++) {
        const int from = WINDOW - 1 - k - (above >= 32); // whole words, then bits
        const int shift = above & 31;
        const uint32_t here = from >= 0 ? product[from] : 0, next = from >= 1 ? product[from - 1] : 0;
        word[k] = shift ? here << shift | next >> (32 - shift) : here;
    }
    const bool up = word[0] >> 31; // half a quadrant or more: count from the next one, backwards
    if (up) {
        quadrant++;
        uint64_t carry = 1;
        for (int k = WINDOW - 1; k >= 0; k--) {
            carry += (uint32_t)~word[k];
            word[k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    const parts y = product_of_parts(fraction_of(word), (parts){PIO2_HI, PIO2_LO});
    const bool negative = bits >> 63;
    const double sign = up != negative ? -1.0 : 1.0;
    return (reduced){sign * y.hi, sign * y.lo, (negative ? 0u - quadrant : quadrant) & 3};
}

// |x| > pi/4, finite.
static inline reduced reduce(double x) {
    if (fabs(x) < NEAR) {
        const double t = x * TWO_OVER_PI + ROUND, n = t - ROUND;
        const double y_1 = x - n * PIO2_1, w = n * PIO2_2; // exact
        const double y_2 = y_1 - w;
        const double rest = ((y_1 - y_2) - w) - n * PIO2_3;
        const double y = y_2 + rest;
        if (fabs(y) > CANCELS) return (reduced){y, (y_2 - y) + rest, (unsigned)bits_of(t) & 3};
    }
    return reduce_in_integers(x);
}

// sin(y + tail)
static inline double sine(double y, double tail) {
    const double z = y * y;
    return y + (y * z * polynomial_6(SIN, z) + tail * (1.0 - 0.5 * z));
}

// cos(y + tail): 1 - z/2 is rounded once, and what it lost goes to the small terms.
static inline double cosine(double y, double tail) {
    const double z = y * y, half = 0.5 * z, w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * z * polynomial_6(COS, z) - y * tail));
}

double br_sin(double x) {
    if (fabs(x) <= QUARTER) return fabs(x) < TINY ? x : sine(x, 0.0);
    if (!isfinite(x)) return NAN;
    const reduced r = reduce(x);
    const double s = r.quadrant & 1 ? cosine(r.y, r.tail) : sine(r.y, r.tail);
    return r.quadrant & 2 ? -s : s;
}

double br_cos(double x) {
    if (fabs(x) <= QUARTER) return cosine(x, 0.0);
    if (!isfinite(x)) return NAN;
    const reduced r = reduce(x);
    const double c = r.quadrant & 1 ? sine(r.y, r.tail) : cosine(r.y, r.tail);
    return (r.quadrant + 1) & 2 ? -c : c;
}

void br_sincos(double x, double *sine_out, double *cosine_out) {
    if (fabs(x) <= QUARTER) {
        *sine_out = fabs(x) < TINY ? x : sine(x, 0.0);
        *cosine_out = cosine(x, 0.0);
        return;
    }
    if (!isfinite(x)) {
        *sine_out = *cosine_out = NAN;
        return;
    }
    const reduced r = reduce(x);
    const double s = sine(r.y, r.tail), c = cosine(r.y, r.tail);
    const double a = r.quadrant & 1 ? c : s, b = r.quadrant & 1 ? s : c;
    *sine_out = r.quadrant & 2 ? -a : a;
    *cosine_out = (r.quadrant + 1) & 2 ? -b : b;
}

// Sine and cosine of y + tail with the part that their rounding would lose: y^3 and y^2 are taken exactly.
static void turn_parts(double y, double tail, parts *s, parts *c) {
    const parts z = square_exact(y), cube = product_exact(y, z.hi), first = product_exact(cube.hi, SIN[0]);
    const double rest =
        polynomial_6(SIN, z.hi) - SIN[0]; // about z/120: what the difference loses does not matter
    *s = sum_ordered(y, first.hi);
    s->lo += first.lo + SIN[0] * (cube.lo + y * z.lo) + cube.hi * rest + tail * (1.0 - 0.5 * z.hi);
    *s = sum_ordered(s->hi, s->lo);
    *c = sum_ordered(1.0, -0.5 * z.hi);
    c->lo += z.hi * z.hi * polynomial_6(COS, z.hi) - 0.5 * z.lo - y * tail;
    *c = sum_ordered(c->hi, c->lo);
}

double br_tan(double x) {
    if (fabs(x) < TINY) return x;
    if (!isfinite(x)) return NAN;
    const reduced r = fabs(x) <= QUARTER ? (reduced){x, 0.0, 0} : reduce(x);
    parts s, c;
    turn_parts(r.y, r.tail, &s, &c);
    const parts t = r.quadrant & 1 ? quotient_of_parts((parts){-c.hi, -c.lo}, s) : quotient_of_parts(s, c);
    return t.hi + t.lo;
}
