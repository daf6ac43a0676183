// sin, cos, exp and the others, written here so that a result has the same bits on every machine: the ones of a C library round
// differently from one library to the next, and within glibc with and without FMA. These use +, -, *, / and sqrt alone, which
// IEEE 754 rounds in one way, in the order in which they are written (the library is compiled with -ffp-contract=off).
//
// Each is within 1 ulp everywhere (unit.math.elementary measures it against quadruple precision; most are within 0.6), and answers
// infinities, NaN and signed zeros as C's Annex F says. Nothing sets errno; flags of the floating-point unit are not kept.
// What is exact in every library stays the library's: sqrt, fabs, floor, ceil, round, fmod, ldexp, copysign, nextafter.
//
// check.elementary sees to it that what a step or a verdict uses calls these. docs/theory/elementary.md says how they work.
#ifndef BR_MATH_ELEMENTARY_H
#define BR_MATH_ELEMENTARY_H

double br_sin(double x);
double br_cos(double x);
double br_tan(double x);
void br_sincos(double x, double *sine,
               double *cosine); // the same bits as br_sin and br_cos, at little more than one of them

double br_asin(double x);
double br_acos(double x);
double br_atan(double x);
double br_atan2(double y, double x);

double br_exp(double x);
double br_exp2(double x); // exact for whole x
double br_expm1(double x);
double br_sinh(double x);
double br_cosh(double x);
double br_tanh(double x);

double br_log(double x);
double br_log2(double x);  // exact for powers of 2
double br_log10(double x); // exact for powers of 10
double br_pow(double x, double y);

double br_hypot(double x, double y); // sqrt(x^2 + y^2), without overflow or underflow on the way
double br_cbrt(double x);

static inline double br_square(double x) {
    return x * x;
}

#endif
