// What exp and pow share: e^(x + tail) with 60 bits, before it is rounded.
#ifndef BR_MATH_ELEMENTARY_GROW_H
#define BR_MATH_ELEMENTARY_GROW_H

#include "math/elementary_parts.h"

typedef struct br_scaled {
    parts value; // in [1, 2) but for rounding
    int power;   // of two, that it is to be multiplied by
} br_scaled;

br_scaled br_exp_parts(double x, double tail); // |x| <= 1500, |tail| below 2^-40
double br_scale(br_scaled s);

#endif
