// The elementary functions of src/math against wider ones: random arguments over the ranges where each does different things, the
// worst distance in ulps of the exact value. `wide` and its functions come from the file that includes this.
#ifndef ELEMENTARY_CHECK_H
#define ELEMENTARY_CHECK_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "math/elementary.h"
#include "random.h"

typedef enum draw { // how arguments are drawn
    DRAW_UNIFORM,   // between low and high
    DRAW_POWERS,    // any sign, the exponent of two uniform between low and high
} draw;

typedef struct elementary_case {
    const char *name;
    double (*one)(double), (*two)(double, double);
    wide (*exact_one)(wide), (*exact_two)(wide, wide);
    draw how;
    double low, high;
    draw how_second;
    double low_second, high_second;
} elementary_case;

static double elementary_draw(rng *r, draw how, double low, double high) {
    if (how == DRAW_UNIFORM) return rng_uniform(r, low, high);
    const double m = 1.0 + (double)(rng_next(r) >> 12) * 0x1p-52;
    const int e = (int)floor(rng_uniform(r, low, high));
    return (rng_next(r) & 1 ? -1.0 : 1.0) * ldexp(m, e);
}

// |y - exact| in units of the last place of exact, which near 0 are those of the smallest doubles.
static double elementary_ulps(double y, wide exact) {
    const double near = (double)exact;
    if (isnan(near) || isinf(near)) return (isnan(near) && isnan(y)) || near == y ? 0.0 : INFINITY;
    if (!isfinite(y)) return INFINITY;
    const int e = (near == 0.0 || ilogb(near) < -1022 ? -1022 : ilogb(near)) - 52;
    const wide d = ((wide)y - exact) * (wide)ldexp(1.0, -e / 2) *
                   (wide)ldexp(1.0, -e + e / 2); // d alone may be below every double
    return (double)(d < 0 ? -d : d);
}

typedef struct elementary_worst {
    double ulps, x, y;
} elementary_worst;

static elementary_worst elementary_measure(const elementary_case *c, int trials, uint64_t seed) {
    rng r = {seed};
    elementary_worst worst = {0};
    for (int i = 0; i < trials; i++) {
        const double x = elementary_draw(&r, c->how, c->low, c->high);
        const double y = c->two ? elementary_draw(&r, c->how_second, c->low_second, c->high_second) : 0.0;
        const double got = c->two ? c->two(x, y) : c->one(x);
        const wide exact = c->two ? c->exact_two(x, y) : c->exact_one(x);
        const double ulps = elementary_ulps(got, exact);
        if (!(ulps <= worst.ulps)) worst = (elementary_worst){ulps, x, y};
    }
    return worst;
}

#define ONE(f, ...)                                                                                          \
    { #f, br_##f, NULL, WIDE(f), NULL, __VA_ARGS__, DRAW_UNIFORM, 0.0, 0.0 }
#define TWO(f, ...)                                                                                          \
    { #f, NULL, br_##f, NULL, WIDE(f), __VA_ARGS__ }
#define ANY DRAW_POWERS, -1074.0, 1024.0
#define NEAR_ONE DRAW_POWERS, -10.0, 10.0

static const elementary_case elementary_cases[] = {
    ONE(sin, DRAW_UNIFORM, -7.0, 7.0),
    ONE(sin, DRAW_UNIFORM, -2e6, 2e6),
    ONE(sin, ANY),
    ONE(cos, DRAW_UNIFORM, -7.0, 7.0),
    ONE(cos, DRAW_UNIFORM, -2e6, 2e6),
    ONE(cos, ANY),
    ONE(tan, DRAW_UNIFORM, -7.0, 7.0),
    ONE(tan, DRAW_UNIFORM, -2e6, 2e6),
    ONE(tan, ANY),
    ONE(asin, DRAW_UNIFORM, -1.0, 1.0),
    ONE(asin, DRAW_POWERS, -1074.0, 0.0),
    ONE(acos, DRAW_UNIFORM, -1.0, 1.0),
    ONE(acos, DRAW_UNIFORM, 0.999999, 1.0),
    ONE(acos, DRAW_POWERS, -1074.0, 0.0),
    ONE(atan, DRAW_UNIFORM, -2.0, 2.0),
    ONE(atan, NEAR_ONE),
    ONE(atan, ANY),
    TWO(atan2, DRAW_UNIFORM, -1.0, 1.0, DRAW_UNIFORM, -1.0, 1.0),
    TWO(atan2, NEAR_ONE, NEAR_ONE),
    TWO(atan2, DRAW_POWERS, 900.0, 1024.0, DRAW_POWERS, 900.0, 1024.0),
    TWO(atan2, DRAW_POWERS, -1074.0, -950.0, DRAW_POWERS, -1074.0, -950.0),
    TWO(atan2, ANY, ANY),
    ONE(exp, DRAW_UNIFORM, -1.0, 1.0),
    ONE(exp, DRAW_UNIFORM, -750.0, 711.0),
    ONE(exp, ANY),
    ONE(exp2, DRAW_UNIFORM, -1080.0, 1025.0),
    ONE(exp2, DRAW_POWERS, -80.0, 11.0),
    ONE(expm1, DRAW_UNIFORM, -1.0, 1.0),
    ONE(expm1, DRAW_UNIFORM, -50.0, 50.0),
    ONE(expm1, ANY),
    ONE(sinh, DRAW_UNIFORM, -2.0, 2.0),
    ONE(sinh, DRAW_UNIFORM, -712.0, 712.0),
    ONE(sinh, ANY),
    ONE(cosh, DRAW_UNIFORM, -2.0, 2.0),
    ONE(cosh, DRAW_UNIFORM, -712.0, 712.0),
    ONE(tanh, DRAW_UNIFORM, -2.0, 2.0),
    ONE(tanh, DRAW_UNIFORM, -25.0, 25.0),
    ONE(tanh, ANY),
    ONE(log, DRAW_UNIFORM, 0.5, 2.0),
    ONE(log, DRAW_UNIFORM, 0.9999, 1.0001),
    ONE(log, ANY),
    ONE(log2, DRAW_UNIFORM, 0.5, 2.0),
    ONE(log2, ANY),
    ONE(log10, DRAW_UNIFORM, 0.5, 2.0),
    ONE(log10, ANY),
    TWO(pow, DRAW_UNIFORM, 0.0, 10.0, DRAW_UNIFORM, -5.0, 5.0),
    TWO(pow, DRAW_UNIFORM, 0.9, 1.1, DRAW_UNIFORM, -7000.0, 7000.0),
    TWO(pow, ANY, DRAW_UNIFORM, -2.0, 2.0),
    TWO(pow, DRAW_UNIFORM, 0.0, 1e-150, DRAW_UNIFORM, 2.0, 2.2), // subnormal results
    TWO(pow, ANY, ANY),
    TWO(hypot, DRAW_UNIFORM, -1.0, 1.0, DRAW_UNIFORM, -1.0, 1.0),
    TWO(hypot, DRAW_POWERS, -1074.0, -1000.0, DRAW_POWERS, -1074.0, -1000.0),
    TWO(hypot, DRAW_POWERS, 990.0, 1024.0, DRAW_POWERS, 990.0, 1024.0),
    TWO(hypot, ANY, ANY),
    ONE(cbrt, DRAW_UNIFORM, -8.0, 8.0),
    ONE(cbrt, ANY),
};

enum { ELEMENTARY_CASES = sizeof elementary_cases / sizeof *elementary_cases };

#endif
