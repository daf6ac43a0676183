// The operations of an expression on jets: value, first and second time derivative by exact rules.
//
// At a corner (abs, min, max, if, step, smoothstep) the derivatives are those of the branch that the value is of;
// jumps have none, so their derivative is zero on both sides.
#include <math.h>

#include "math/elementary.h"
#include "model/function/ops.h"

// An infinite slope of a function whose argument stands still is no slope at all: sqrt(0) at rest.
static double times(double slope, double rate) {
    return rate == 0.0 ? 0.0 : slope * rate;
}

// f(u(t)): f' u' and f'' u'^2 + f' u''.
static br_jet chain(br_jet u, double value, double first, double second) {
    const br_jet r = {value, times(first, u.rate), times(second, u.rate * u.rate) + times(first, u.second)};
    return r;
}

static br_jet constant(double value) {
    const br_jet r = {value, 0.0, 0.0};
    return r;
}

static br_jet jet_add(br_jet a, double sign, br_jet b) {
    const br_jet r = {a.value + sign * b.value, a.rate + sign * b.rate, a.second + sign * b.second};
    return r;
}

static br_jet multiply(br_jet a, br_jet b) {
    const br_jet r = {a.value * b.value, a.rate * b.value + a.value * b.rate,
                      a.second * b.value + 2.0 * a.rate * b.rate + a.value * b.second};
    return r;
}

// y = a / b from a = y b and its derivatives.
static br_jet divide(br_jet a, br_jet b) {
    br_jet y;
    y.value = a.value / b.value;
    y.rate = (a.rate - y.value * b.rate) / b.value;
    y.second = (a.second - 2.0 * y.rate * b.rate - y.value * b.second) / b.value;
    return y;
}

static br_jet power(br_jet u, br_jet w) {
    const double y = br_pow(u.value, w.value), n = w.value;
    if (w.rate == 0.0 && w.second == 0.0) {
        const double first = n == 0.0 ? 0.0 : n * br_pow(u.value, n - 1.0);
        const double second = n == 0.0 || n == 1.0 ? 0.0 : n * (n - 1.0) * br_pow(u.value, n - 2.0);
        return chain(u, y, first, second);
    }
    // y = exp(w log u), for u > 0: y'/y = w' log u + w u'/u.
    const double log_u = br_log(u.value), rate_u = u.rate / u.value;
    const double ratio = w.rate * log_u + n * rate_u;
    const double ratio_rate =
        w.second * log_u + 2.0 * w.rate * rate_u + n * (u.second / u.value - rate_u * rate_u);
    const br_jet r = {y, y * ratio, y * (ratio * ratio + ratio_rate)};
    return r;
}

static br_jet arc_tangent(br_jet y, br_jet x) {
    const double r2 = x.value * x.value + y.value * y.value;
    const double rate = (x.value * y.rate - y.value * x.rate) / r2;
    const double r2_rate = 2.0 * (x.value * x.rate + y.value * y.rate);
    const br_jet r = {br_atan2(y.value, x.value), rate,
                      (x.value * y.second - y.value * x.second - rate * r2_rate) / r2};
    return r;
}

// a - b n with n = floor(a/b), which stands still between jumps.
static br_jet modulo(br_jet a, br_jet b) {
    return jet_add(a, -floor(a.value / b.value), b);
}

static br_jet smoothstep(const br_jet *x) {
    const br_jet u = x[0], u0 = x[1], y0 = x[2], u1 = x[3], y1 = x[4];
    if (u.value < u0.value || (u.value == u0.value && u1.value > u0.value)) return y0;
    if (u.value >= u1.value) return y1;
    const br_jet d = divide(jet_add(u, -1.0, u0), jet_add(u1, -1.0, u0));
    const br_jet s = chain(d, d.value * d.value * (3.0 - 2.0 * d.value), 6.0 * d.value * (1.0 - d.value),
                           6.0 - 12.0 * d.value);
    return jet_add(y0, 1.0, multiply(jet_add(y1, -1.0, y0), s));
}

// Functions of one argument that have slopes.
static br_jet unary(br_op_code code, br_jet u) {
    const double x = u.value;
    double y, c;
    switch (code) {
    case BR_OP_SIN:
        return chain(u, br_sin(x), br_cos(x), -br_sin(x));
    case BR_OP_COS:
        return chain(u, br_cos(x), -br_sin(x), -br_cos(x));
    case BR_OP_TAN:
        y = br_tan(x);
        return chain(u, y, 1.0 + y * y, 2.0 * y * (1.0 + y * y));
    case BR_OP_ASIN:
        c = 1.0 / sqrt(1.0 - x * x);
        return chain(u, br_asin(x), c, x * c * c * c);
    case BR_OP_ACOS:
        c = 1.0 / sqrt(1.0 - x * x);
        return chain(u, br_acos(x), -c, -x * c * c * c);
    case BR_OP_ATAN:
        c = 1.0 / (1.0 + x * x);
        return chain(u, br_atan(x), c, -2.0 * x * c * c);
    case BR_OP_SINH:
        return chain(u, br_sinh(x), br_cosh(x), br_sinh(x));
    case BR_OP_COSH:
        return chain(u, br_cosh(x), br_sinh(x), br_cosh(x));
    case BR_OP_TANH:
        y = br_tanh(x);
        return chain(u, y, 1.0 - y * y, -2.0 * y * (1.0 - y * y));
    case BR_OP_EXP:
        return chain(u, br_exp(x), br_exp(x), br_exp(x));
    case BR_OP_LOG:
        return chain(u, br_log(x), 1.0 / x, -1.0 / (x * x));
    case BR_OP_LOG10:
        c = 1.0 / (x * br_log(10.0));
        return chain(u, br_log10(x), c, -c / x);
    case BR_OP_SQRT:
        y = sqrt(x);
        return chain(u, y, 0.5 / y, -0.25 / (y * x));
    case BR_OP_LAMBERT:
        y = br_op_lambert(x);
        c = br_exp(-y) / (1.0 + y);
        return chain(u, y, c, -c * c * (y + 2.0) / (1.0 + y));
    default:
        return constant(NAN);
    }
}

br_jet br_op_jet(br_op_code code, const br_jet *x) {
    switch (code) {
    case BR_OP_NEGATE:
        return jet_add(constant(0.0), -1.0, x[0]);
    case BR_OP_ADD:
        return jet_add(x[0], 1.0, x[1]);
    case BR_OP_SUBTRACT:
        return jet_add(x[0], -1.0, x[1]);
    case BR_OP_MULTIPLY:
        return multiply(x[0], x[1]);
    case BR_OP_DIVIDE:
        return divide(x[0], x[1]);
    case BR_OP_POWER:
        return power(x[0], x[1]);
    case BR_OP_ATAN2:
        return arc_tangent(x[0], x[1]);
    case BR_OP_ABS:
        return x[0].value < 0.0 ? jet_add(constant(0.0), -1.0, x[0]) : x[0];
    case BR_OP_MIN:
        return x[1].value < x[0].value ? x[1] : x[0];
    case BR_OP_MAX:
        return x[1].value > x[0].value ? x[1] : x[0];
    case BR_OP_MOD:
        return modulo(x[0], x[1]);
    case BR_OP_SMOOTHSTEP:
        return smoothstep(x);
    case BR_OP_IF:
        return x[0].value != 0.0 ? x[1] : x[2];
    default:
        break;
    }
    if (code <= BR_OP_EQUAL || code == BR_OP_SIGN || code == BR_OP_STEP) {
        const double values[2] = {x[0].value, br_op_arguments(code) == 2 ? x[1].value : 0.0};
        return constant(br_op_value(code, values));
    }
    return unary(code, x[0]);
}
