// Digits of a double, exactly.
//
//     x = m 2^e,   m below 2^53
//     x 10^p = m 5^p 2^(e + p),   p such that this has `digits` digits before the point
//
// For p from 0 to 54, 5^p has at most 126 bits and m 5^p at most 179: three words hold the product without any error, and what is
// cut off decides the rounding, half to even, as printf does. That covers numbers from 1e-38 to 1e17 with 17 digits, which
// is nearly all that is written; the rest is left to printf. A table of results spends most of its time here.
#include "io/text/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FIVES = 28, MAX_POWER = 2 * (FIVES - 1), MOST_DIGITS = 17 };

static const uint64_t five[FIVES] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

static const uint64_t ten[MOST_DIGITS + 2] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

typedef struct product {
    uint64_t high, low;
} product;

static product wide_product(uint64_t a, uint64_t b) {
    const uint64_t mask = 0xffffffff, a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
    const uint64_t cross = a1 * b0 + (a0 * b0 >> 32), middle = a0 * b1 + (cross & mask);
    return (product){a1 * b1 + (cross >> 32) + (middle >> 32), a * b};
}

// m 5^p 2^shift to the nearest whole number, half to even; it has at most 19 digits.
static uint64_t scaled(uint64_t m, int p, int shift) {
    const product power = wide_product(five[p < FIVES ? p : FIVES - 1], five[p < FIVES ? 0 : p - FIVES + 1]);
    const product a = wide_product(m, power.low), b = wide_product(m, power.high);
    uint64_t word[4] = {a.low, a.high + b.low, b.high + (a.high + b.low < a.high), 0};
    if (shift >= 0) return word[0] << shift;
    const int cut = -shift, at = cut / 64, bits = cut % 64;
    if (at > 2) return 0;
    const uint64_t whole = bits ? word[at] >> bits | word[at + 1] << (64 - bits) : word[at];
    const int half_at = (cut - 1) / 64, half_bit = (cut - 1) % 64;
    const uint64_t half = word[half_at] >> half_bit & 1;
    uint64_t below = half_bit ? word[half_at] << (64 - half_bit) : 0;
    for (int k = 0; k < half_at; k++) below |= word[k];
    return whole + (half && (below || (whole & 1)));
}

// The digits of |x| as a whole number, and the power of ten of the first. 0: this is not for here.
static uint64_t digits_of(double x, int digits, int *exponent) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int biased = (int)(bits >> 52 & 0x7ff), e = biased - 1075, log2 = e + 52;
    const uint64_t m = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;
    if (biased == 0 || biased == 0x7ff) return 0;
    // floor(log2 * log10(2)) is the power of ten, or one less.
    int k = (log2 * 78913 - (log2 < 0 ? (1 << 18) - 1 : 0)) / (1 << 18);
    for (int tries = 0; tries < 2; tries++, k++) {
        const int p = digits - 1 - k;
        if (p < 0 || p > MAX_POWER) return 0;
        const uint64_t n = scaled(m, p, e + p);
        if (n > ten[digits]) continue;
        *exponent = n == ten[digits] ? k + 1 : k;
        return n == ten[digits] ? n / 10 : n;
    }
    return 0;
}

// As %g: with an exponent where it is below -4 or beyond the digits that were asked for, without zeros at the end.
static size_t lay_out(char *out, uint64_t n, int asked, int exponent, int negative) {
    char digit[MOST_DIGITS], *at = out;
    int count = asked;
    for (int k = asked - 1; k >= 0; k--, n /= 10) digit[k] = (char)('0' + n % 10);
    while (count > 1 && digit[count - 1] == '0') count--;
    const int plain = exponent >= -4 && exponent < asked;
    const int before = !plain ? 1 : exponent < 0 ? 0 : exponent + 1; // digits ahead of the point
    if (negative) *at++ = '-';
    if (before == 0) *at++ = '0';
    for (int k = 0; k < before; k++) *at++ = k < count ? digit[k] : '0';
    if (count > before) *at++ = '.';
    for (int k = exponent + 1; plain && k < 0; k++) *at++ = '0';
    for (int k = before; k < count; k++) *at++ = digit[k];
    if (!plain) { // two digits at least, and never more here
        const int size = exponent < 0 ? -exponent : exponent;
        *at++ = 'e', *at++ = exponent < 0 ? '-' : '+';
        *at++ = (char)('0' + size / 10), *at++ = (char)('0' + size % 10);
    }
    *at = '\0';
    return (size_t)(at - out);
}

size_t br_io_format_number(char out[IO_MAX_NUMBER], double x, int digits) {
    int exponent = 0;
    const int negative = signbit(x) != 0;
    if (x == 0.0) return memcpy(out, negative ? "-0" : "0", (size_t)negative + 2), (size_t)negative + 1;
    const uint64_t n = digits_of(x, digits, &exponent);
    if (n > 0) return lay_out(out, n, digits, exponent, negative);
    const int length = snprintf(out, IO_MAX_NUMBER, "%.*g", digits, x);
    char *comma = strchr(out, ',');
    if (comma) *comma = '.';
    return (size_t)length;
}
