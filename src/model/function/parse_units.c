// Units of expressions: `5 mm`, `1e5 1/m`, `4 N m s/rad`, `N/(m s)`.
#include <ctype.h>
#include <string.h>

#include "bristle/base.h"
#include "model/function/parse.h"

typedef struct unit {
    const char *name;
    double factor;
    br_exponents dim; // m, kg, s, rad
} unit;

#define PI 3.14159265358979323846

static const unit units[] = {
    {"m", 1.0, {1, 0, 0, 0}},          {"mm", 1e-3, {1, 0, 0, 0}},
    {"cm", 1e-2, {1, 0, 0, 0}},        {"km", 1e3, {1, 0, 0, 0}},
    {"um", 1e-6, {1, 0, 0, 0}},        {"\xc2\xb5m", 1e-6, {1, 0, 0, 0}}, // micro sign
    {"\xce\xbcm", 1e-6, {1, 0, 0, 0}},                                    // Greek mu
    {"nm", 1e-9, {1, 0, 0, 0}},        {"in", 0.0254, {1, 0, 0, 0}},
    {"ft", 0.3048, {1, 0, 0, 0}},      {"kg", 1.0, {0, 1, 0, 0}},
    {"g", 1e-3, {0, 1, 0, 0}},         {"mg", 1e-6, {0, 1, 0, 0}},
    {"t", 1e3, {0, 1, 0, 0}},          {"lb", 0.45359237, {0, 1, 0, 0}},
    {"s", 1.0, {0, 0, 1, 0}},          {"ms", 1e-3, {0, 0, 1, 0}},
    {"us", 1e-6, {0, 0, 1, 0}},        {"min", 60.0, {0, 0, 1, 0}},
    {"h", 3600.0, {0, 0, 1, 0}},       {"N", 1.0, {1, 1, -2, 0}},
    {"mN", 1e-3, {1, 1, -2, 0}},       {"kN", 1e3, {1, 1, -2, 0}},
    {"MN", 1e6, {1, 1, -2, 0}},        {"lbf", 4.4482216152605, {1, 1, -2, 0}},
    {"Nm", 1.0, {2, 1, -2, 0}},        {"Nmm", 1e-3, {2, 1, -2, 0}},
    {"kNm", 1e3, {2, 1, -2, 0}},       {"Pa", 1.0, {-1, 1, -2, 0}},
    {"kPa", 1e3, {-1, 1, -2, 0}},      {"MPa", 1e6, {-1, 1, -2, 0}},
    {"GPa", 1e9, {-1, 1, -2, 0}},      {"bar", 1e5, {-1, 1, -2, 0}},
    {"J", 1.0, {2, 1, -2, 0}},         {"kJ", 1e3, {2, 1, -2, 0}},
    {"W", 1.0, {2, 1, -3, 0}},         {"kW", 1e3, {2, 1, -3, 0}},
    {"rad", 1.0, {0, 0, 0, 1}},        {"mrad", 1e-3, {0, 0, 0, 1}},
    {"deg", PI / 180.0, {0, 0, 0, 1}}, {"\xc2\xb0", PI / 180.0, {0, 0, 0, 1}}, // degree sign
    {"rev", 2.0 * PI, {0, 0, 0, 1}},   {"rpm", PI / 30.0, {0, 0, -1, 1}},
    {"Hz", 1.0, {0, 0, -1, 0}},        {"kHz", 1e3, {0, 0, -1, 0}},
    {"%", 1e-2, {0, 0, 0, 0}},
};
enum { UNITS = sizeof units / sizeof *units, MAX_UNIT = 16, MAX_POWER = 9, MAX_EXPONENT = 30 };

static size_t word_length(const char *at) {
    size_t n = 0;
    if (*at == '%') return 1;
    while (br_parser_is_letter(at[n])) n++;
    return n;
}

static const unit *unit_find(const char *at, size_t length) {
    for (size_t k = 0; k < UNITS; k++)
        if (strlen(units[k].name) == length && memcmp(units[k].name, at, length) == 0) return &units[k];
    return NULL;
}

static const char *skip(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

// Whether the word is a name of its own: a call, a joint's value.
static int other_use(const char *after) {
    return *after == '.' || *skip(after) == '(' || isdigit((unsigned char)*after);
}

// A unit that may follow * or /: there the time t is meant, not the tonne.
static const unit *factor_at(const char *at) {
    const size_t length = word_length(at);
    const unit *u = unit_find(at, length);
    return u && !other_use(at + length) && !(length == 1 && *at == 't') ? u : NULL;
}

static int one_over(const char *at) {
    return at[0] == '1' && *skip(at + 1) == '/';
}

int br_unit_starts(const br_parser *p) {
    const char *at = skip(p->at);
    return br_parser_is_letter(*at) || *at == '%' || (at > p->at && one_over(at));
}

static int unknown(br_parser *p, const char *at, size_t length) {
    const char *names[UNITS];
    char word[MAX_UNIT];
    for (size_t k = 0; k < UNITS; k++) names[k] = units[k].name;
    const int shown = (int)(length < 32 ? length : 32);
    if (other_use(at + length) || (length == 2 && memcmp(at, "pi", 2) == 0) ||
        (length == 3 && !memcmp(at, "inf", 3)))
        return br_parser_fail(p, at, "expression-syntax",
                              "there is no operator before '%.*s'; for a product write *", shown, at);
    const char *near = NULL;
    if (length < sizeof word) {
        memcpy(word, at, length);
        word[length] = '\0';
        near = br_nearest_word(word, names, UNITS);
    }
    if (near)
        return br_parser_fail(p, at, "unit-unknown", "'%.*s' is no unit; did you mean '%s'?", shown, at,
                              near);
    return br_parser_fail(p, at, "unit-unknown", "'%.*s' is no unit that is known here", shown, at);
}

static int multiply(br_parser *p, const char *where, double *factor, br_exponents *dim, double by,
                    br_exponents e, int power) {
    const int n[4] = {dim->m + power * e.m, dim->kg + power * e.kg, dim->s + power * e.s,
                      dim->rad + power * e.rad};
    for (int k = 0; k < 4; k++)
        if (n[k] > MAX_EXPONENT || n[k] < -MAX_EXPONENT)
            return br_parser_fail(p, where, "expression-syntax", "the power of a unit is too high");
    for (int k = 0; k < (power < 0 ? -power : power); k++) *factor = power < 0 ? *factor / by : *factor * by;
    dim->m = (signed char)n[0];
    dim->kg = (signed char)n[1];
    dim->s = (signed char)n[2];
    dim->rad = (signed char)n[3];
    return 1;
}

// name[^n] at p->at; sign -1 below a fraction bar.
static int one(br_parser *p, const unit *u, size_t length, int sign, double *factor, br_exponents *dim) {
    const char *where = p->at;
    p->at += length;
    if (strcmp(u->name, "Hz") == 0 || strcmp(u->name, "kHz") == 0) p->out->has_hertz = 1;
    int power = 1;
    const char *caret = skip(p->at);
    if (*caret == '^') {
        const char *digits = skip(caret + 1);
        const int minus = *digits == '-';
        digits += minus;
        if (!isdigit((unsigned char)digits[0]) || isdigit((unsigned char)digits[1]) || digits[1] == '.')
            return br_parser_fail(p, caret, "expression-syntax",
                                  "the power of a unit is a whole number up to %d", MAX_POWER);
        power = (digits[0] - '0') * (minus ? -1 : 1);
        p->at = digits + 1;
    }
    return multiply(p, where, factor, dim, u->factor, u->dim, sign * power);
}

// (m s) or (m/s) after a fraction bar. 0: not a unit at all (nothing is consumed), -1: failed.
static int group(br_parser *p, double *factor, br_exponents *dim) {
    const char *before = p->at;
    int units_seen = 0, sign = -1;
    p->at = skip(before + 1);
    while (*p->at != ')') {
        const unit *u = factor_at(p->at);
        if (!u) break;
        if (!one(p, u, word_length(p->at), sign, factor, dim)) return -1;
        units_seen++;
        p->at = skip(p->at);
        sign = *p->at == '/' ? 1 : -1;
        if (*p->at == '*' || *p->at == '/') p->at = skip(p->at + 1);
    }
    if (units_seen == 0 || *p->at != ')') {
        p->at = before;
        return 0;
    }
    p->at++;
    return 1;
}

// What follows a fraction bar. 1: taken, 0: it is a division of the expression, -1: failed.
static int denominator(br_parser *p, const char *bar, double *factor, br_exponents *dim) {
    const char *after = skip(bar + 1);
    const char *before = p->at;
    p->at = after;
    int taken = 0;
    if (*after == '(') {
        double f = *factor;
        br_exponents e = *dim;
        taken = group(p, &f, &e);
        if (taken == 1) {
            *factor = f;
            *dim = e;
        }
    } else {
        const unit *u = factor_at(after);
        if (u) taken = one(p, u, word_length(after), -1, factor, dim) ? 1 : -1;
    }
    if (taken == 0) p->at = before;
    return taken;
}

// A further factor of the numerator. 1: taken, 0: none, -1: failed.
static int numerator(br_parser *p, const char *next, int below, double *factor, br_exponents *dim) {
    const int star = *next == '*';
    const char *word = star ? skip(next + 1) : next;
    const size_t length = word_length(word);
    const unit *u = factor_at(word);
    if (!u && (star || length == 0)) return 0;
    if (!u) return unknown(p, word, length), -1;
    if (below) {
        br_parser_fail(p, word, "unit-ambiguous",
                       "'%.*s' after a fraction bar can be read in two ways: write N s/m or N/(m s)",
                       (int)length, word);
        return -1;
    }
    p->at = word;
    return one(p, u, length, 1, factor, dim) ? 1 : -1;
}

int br_unit_parse(br_parser *p, double *factor, br_exponents *dim) {
    p->at = skip(p->at);
    int below = 0, taken = 1;
    if (one_over(p->at)) {
        const char *bar = skip(p->at + 1);
        taken = denominator(p, bar, factor, dim);
        if (taken == 0) return unknown(p, skip(bar + 1), word_length(skip(bar + 1)));
        below = 1;
    } else {
        const size_t length = word_length(p->at);
        const unit *u = unit_find(p->at, length);
        if (!u || other_use(p->at + length)) return unknown(p, p->at, length);
        taken = one(p, u, length, 1, factor, dim) ? 1 : -1;
    }
    while (taken == 1) {
        const char *next = skip(p->at);
        if (*next == '/') {
            taken = denominator(p, next, factor, dim);
            below = 1;
        } else {
            taken = numerator(p, next, below, factor, dim);
        }
    }
    return taken == 0;
}
