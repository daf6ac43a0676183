// The operations of an expression on numbers, and the table of names that may be called.
#include <math.h>

#include "math/elementary.h"
#include "model/function/ops.h"

static const br_call calls[] = {
    {"sin", BR_OP_SIN, 1},     {"cos", BR_OP_COS, 1},
    {"tan", BR_OP_TAN, 1},     {"asin", BR_OP_ASIN, 1},
    {"acos", BR_OP_ACOS, 1},   {"atan", BR_OP_ATAN, 1},
    {"atan2", BR_OP_ATAN2, 2}, {"sinh", BR_OP_SINH, 1},
    {"cosh", BR_OP_COSH, 1},   {"tanh", BR_OP_TANH, 1},
    {"exp", BR_OP_EXP, 1},     {"log", BR_OP_LOG, 1},
    {"log10", BR_OP_LOG10, 1}, {"sqrt", BR_OP_SQRT, 1},
    {"abs", BR_OP_ABS, 1},     {"sign", BR_OP_SIGN, 1},
    {"min", BR_OP_MIN, 2},     {"max", BR_OP_MAX, 2},
    {"mod", BR_OP_MOD, 2},     {"pow", BR_OP_POWER, 2},
    {"step", BR_OP_STEP, 1},   {"smoothstep", BR_OP_SMOOTHSTEP, 5},
    {"if", BR_OP_IF, 3},       {"lambert", BR_OP_LAMBERT, 1},
};

const br_call *br_call_list(int *count) {
    *count = (int)(sizeof calls / sizeof *calls);
    return calls;
}

int br_op_arguments(br_op_code code) {
    if (code <= BR_OP_VARIABLE) return 0;
    if (code == BR_OP_NEGATE) return 1;
    if (code <= BR_OP_EQUAL) return 2;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (calls[k].code == code) return calls[k].arguments;
    return 0;
}

// The cubic of Adams' STEP: y0 before x0, y1 after x1. Without room between them it is a jump at x0.
static double smoothstep(const double *x) {
    if (x[0] < x[1] || (x[0] == x[1] && x[3] > x[1])) return x[2];
    if (x[0] >= x[3]) return x[4];
    const double d = (x[0] - x[1]) / (x[3] - x[1]);
    return x[2] + (x[4] - x[2]) * d * d * (3.0 - 2.0 * d);
}

// Halley's method from above or below: monotone on this branch, three to six rounds. At its end W = -1 to the square root of rounding.
double br_op_lambert(double x) {
    const double least = -0.36787944117144233;
    if (!(x >= least)) return NAN;
    double w = x < 0.0 ? -1.0 + sqrt(fmax(0.0, 2.0 * (1.0 + x / -least))) : br_log(1.0 + x);
    for (int k = 0; k < 50 && w > -1.0; k++) {
        const double e = br_exp(w), f = w * e - x, slope = e * (w + 1.0);
        const double step = f / (slope - 0.5 * (w + 2.0) * f / (w + 1.0));
        w -= step;
        if (!(fabs(step) > 1e-16 * fabs(w))) break;
    }
    return w;
}

static double sign(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; // keeps a NaN
}

double br_op_value(br_op_code code, const double *x) {
    switch (code) {
    case BR_OP_NEGATE:
        return -x[0];
    case BR_OP_ADD:
        return x[0] + x[1];
    case BR_OP_SUBTRACT:
        return x[0] - x[1];
    case BR_OP_MULTIPLY:
        return x[0] * x[1];
    case BR_OP_DIVIDE:
        return x[0] / x[1];
    case BR_OP_POWER:
        return br_pow(x[0], x[1]);
    case BR_OP_LESS:
        return x[0] < x[1];
    case BR_OP_LESS_EQUAL:
        return x[0] <= x[1];
    case BR_OP_GREATER:
        return x[0] > x[1];
    case BR_OP_GREATER_EQUAL:
        return x[0] >= x[1];
    case BR_OP_EQUAL:
        return x[0] == x[1];
    case BR_OP_SIN:
        return br_sin(x[0]);
    case BR_OP_COS:
        return br_cos(x[0]);
    case BR_OP_TAN:
        return br_tan(x[0]);
    case BR_OP_ASIN:
        return br_asin(x[0]);
    case BR_OP_ACOS:
        return br_acos(x[0]);
    case BR_OP_ATAN:
        return br_atan(x[0]);
    case BR_OP_ATAN2:
        return br_atan2(x[0], x[1]);
    case BR_OP_SINH:
        return br_sinh(x[0]);
    case BR_OP_COSH:
        return br_cosh(x[0]);
    case BR_OP_TANH:
        return br_tanh(x[0]);
    case BR_OP_EXP:
        return br_exp(x[0]);
    case BR_OP_LOG:
        return br_log(x[0]);
    case BR_OP_LOG10:
        return br_log10(x[0]);
    case BR_OP_SQRT:
        return sqrt(x[0]);
    case BR_OP_ABS:
        return fabs(x[0]);
    case BR_OP_SIGN:
        return sign(x[0]);
    case BR_OP_MIN:
        return x[1] < x[0] ? x[1] : x[0];
    case BR_OP_MAX:
        return x[1] > x[0] ? x[1] : x[0];
    case BR_OP_MOD:
        return x[0] - x[1] * floor(x[0] / x[1]);
    case BR_OP_STEP:
        return x[0] < 0.0 ? 0.0 : 1.0;
    case BR_OP_SMOOTHSTEP:
        return smoothstep(x);
    case BR_OP_LAMBERT:
        return br_op_lambert(x[0]);
    case BR_OP_IF:
        return x[0] != 0.0 ? x[1] : x[2];
    default:
        return NAN;
    }
}
