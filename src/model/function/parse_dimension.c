// Dimensions of expressions. A plain number adopts what is expected of it, so what can be wrong is: adding a length and
// a mass, adding a plain number to a length, the sine of a mass.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/function/parse.h"

int br_exponents_equal(br_exponents a, br_exponents b) {
    return a.m == b.m && a.kg == b.kg && a.s == b.s;
}

static const struct {
    br_exponents dim;
    const char *text;
} named[] = {
    {{0, 0, 0, 0}, "1"},           {{1, 1, -2, 0}, "N"},        {{2, 1, -2, 0}, "N m"},
    {{0, 1, -2, 0}, "N/m"},        {{2, 1, -2, -1}, "N m/rad"}, {{0, 1, -1, 0}, "N s/m"},
    {{2, 1, -1, -1}, "N m s/rad"}, {{2, 1, -1, 0}, "N m s"},    {{-1, 1, -2, 0}, "Pa"},
    {{2, 1, -3, 0}, "W"},          {{0, -1, 2, 0}, "m/N"},
};

const char *br_exponents_text(br_exponents e, char out[48]) {
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (br_exponents_equal(named[k].dim, e) && named[k].dim.rad == e.rad) return named[k].text;
    static const char *const names[4] = {"kg", "m", "rad", "s"};
    const int n[4] = {e.kg, e.m, e.rad, e.s};
    int used = 0;
    for (int side = 1; side >= -1; side -= 2) {
        if (side < 0 && used == 0) used = snprintf(out, 48, "1");
        for (int k = 0; k < 4; k++) {
            const int power = side * n[k];
            if (power <= 0 || used > 36) continue;
            const char *join = side < 0 ? "/" : used > 0 ? " " : "";
            used += snprintf(out + used, 48 - (size_t)used, power == 1 ? "%s%s" : "%s%s^%d", join, names[k],
                             power);
        }
    }
    return out;
}

static int nothing(br_exponents e) {
    return e.m == 0 && e.kg == 0 && e.s == 0;
}

static void plain(br_term *out) {
    memset(&out->dim, 0, sizeof out->dim);
    out->has_unit = out->loose = 0;
}

// a and b are added, compared or alternatives: one dimension for both.
static int same(br_parser *p, const char *where, const br_term *a, const br_term *b, br_term *out) {
    char x[48], y[48];
    out->has_unit = a->has_unit || b->has_unit;
    if (a->has_unit && b->has_unit) {
        if (!a->loose && !b->loose && !br_exponents_equal(a->dim, b->dim))
            return br_parser_fail(p, where, "unit-dimension", "%s and %s do not go together",
                                  br_exponents_text(a->dim, x), br_exponents_text(b->dim, y));
        out->dim = a->loose ? b->dim : a->dim;
        out->loose = a->loose && b->loose;
        return 1;
    }
    if (!out->has_unit) {
        memset(&out->dim, 0, sizeof out->dim);
        out->loose = a->loose || b->loose;
        return 1;
    }
    const br_term *with = a->has_unit ? a : b, *without = a->has_unit ? b : a;
    const int zero = without->constant && without->value == 0.0;
    const int literal = !without->loose && !with->loose && !zero;
    if (literal && !nothing(with->dim))
        return br_parser_fail(p, where, "unit-dimension",
                              "a plain number and %s do not go together; give both a unit, or put both in "
                              "parentheses and the unit after them",
                              br_exponents_text(with->dim, x));
    if (with->dim.rad != 0 && !zero && (literal || p->names.degrees))
        return br_parser_fail(p, where, "unit-dimension",
                              "a number without unit and %s do not go together; write deg or rad after it",
                              br_exponents_text(with->dim, x));
    out->dim = with->dim;
    out->loose = with->loose;
    return 1;
}

static int dimension_product(br_parser *p, const char *where, const br_term *a, int sign, const br_term *b,
                             br_term *out) {
    enum { MAX_EXPONENT = 30 };
    const int n[4] = {a->dim.m + sign * b->dim.m, a->dim.kg + sign * b->dim.kg, a->dim.s + sign * b->dim.s,
                      a->dim.rad + sign * b->dim.rad};
    for (int k = 0; k < 4; k++)
        if (n[k] > MAX_EXPONENT || n[k] < -MAX_EXPONENT)
            return br_parser_fail(p, where, "unit-dimension", "the power of a unit is too high");
    const br_exponents dim = {(signed char)n[0], (signed char)n[1], (signed char)n[2], (signed char)n[3]};
    out->has_unit = a->has_unit || b->has_unit;
    out->loose = a->loose || b->loose;
    out->dim = dim;
    return 1;
}

// A power that units cannot have stays an error unless parameters without unit are in it.
static int power(br_parser *p, const char *where, const br_term *a, double n, int known, br_term *out) {
    char x[48];
    const double e[4] = {a->dim.m * n, a->dim.kg * n, a->dim.s * n, a->dim.rad * n};
    int whole = known;
    for (int k = 0; k < 4 && whole; k++) whole = fabs(e[k]) < 30.0 && e[k] == floor(e[k]);
    out->has_unit = a->has_unit;
    out->loose = a->loose;
    out->dim = a->dim;
    if (!a->has_unit) return 1;
    if (!whole && !a->loose && !nothing(a->dim))
        return br_parser_fail(p, where, "unit-dimension", "this power of %s has no unit",
                              br_exponents_text(a->dim, x));
    const br_exponents dim = {(signed char)e[0], (signed char)e[1], (signed char)e[2], (signed char)e[3]};
    if (whole) out->dim = dim;
    out->loose = a->loose || !whole;
    return 1;
}

// Arguments of exp, sin, an exponent: plain numbers, or angles.
static int plain_argument(br_parser *p, const char *where, const br_term *x, const char *what) {
    char text[48];
    if (!x->has_unit || x->loose || nothing(x->dim)) return 1;
    return br_parser_fail(p, where, "unit-dimension", "%s takes a plain number or an angle, not %s", what,
                          br_exponents_text(x->dim, text));
}

static const char *call_name(br_op_code code) {
    int count;
    const br_call *calls = br_call_list(&count);
    for (int k = 0; k < count; k++)
        if (calls[k].code == code) return calls[k].name;
    return "this";
}

static int smoothstep(br_parser *p, const char *where, const br_term *x, br_term *out) {
    br_term ignored = x[0];
    if (!same(p, where, &x[0], &x[1], &ignored) || !same(p, where, &x[1], &x[3], &ignored)) return 0;
    return same(p, where, &x[2], &x[4], out);
}

int br_dimension_apply(br_parser *p, const char *where, br_op_code code, const br_term *x, int n,
                       br_term *out) {
    br_term ignored = x[0];
    switch (code) {
    case BR_OP_NEGATE:
    case BR_OP_ABS:
        out->has_unit = x[0].has_unit;
        out->loose = x[0].loose;
        out->dim = x[0].dim;
        return 1;
    case BR_OP_ADD:
    case BR_OP_SUBTRACT:
    case BR_OP_MIN:
    case BR_OP_MAX:
    case BR_OP_MOD:
        return same(p, where, &x[0], &x[1], out);
    case BR_OP_MULTIPLY:
        return dimension_product(p, where, &x[0], 1, &x[1], out);
    case BR_OP_DIVIDE:
        return dimension_product(p, where, &x[0], -1, &x[1], out);
    case BR_OP_POWER:
        if (!plain_argument(p, where, &x[1], "an exponent")) return 0;
        return power(p, where, &x[0], x[1].value, x[1].constant, out);
    case BR_OP_SQRT:
        return power(p, where, &x[0], 0.5, 1, out);
    case BR_OP_SMOOTHSTEP:
        return smoothstep(p, where, x, out);
    case BR_OP_IF:
        return same(p, where, &x[1], &x[2], out);
    case BR_OP_ATAN2:
    case BR_OP_LESS:
    case BR_OP_LESS_EQUAL:
    case BR_OP_GREATER:
    case BR_OP_GREATER_EQUAL:
    case BR_OP_EQUAL:
        if (!same(p, where, &x[0], &x[1], &ignored)) return 0;
        break;
    case BR_OP_STEP:
    case BR_OP_SIGN:
        break;
    default:
        for (int k = 0; k < n; k++)
            if (!plain_argument(p, where, &x[k], call_name(code))) return 0;
    }
    plain(out);
    // Radians, even where plain angles are degrees; loose, since 5*atan(t) is as good a force.
    if (code == BR_OP_ASIN || code == BR_OP_ACOS || code == BR_OP_ATAN || code == BR_OP_ATAN2) {
        out->has_unit = out->loose = 1;
        out->dim.rad = 1;
    }
    return 1;
}
