// Quantities: what a field expects against what its text says, see quantity.h.
#include "io/yaml/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/yaml/quantity_params.h"

#define DEGREE (3.14159265358979323846 / 180.0)
#define TURN (2.0 * 3.14159265358979323846)

typedef struct dimension {
    br_exponents dim; // m, kg, s, rad
    const char *unit, *what;
} dimension;

static const dimension table[BR_DIMENSIONS] = {
    [BR_DIM_ANY] = {{0, 0, 0, 0}, "any unit", "a number"},
    [BR_DIM_NONE] = {{0, 0, 0, 0}, "1", "a plain number"},
    [BR_DIM_LENGTH] = {{1, 0, 0, 0}, "m", "a length in m"},
    [BR_DIM_MASS] = {{0, 1, 0, 0}, "kg", "a mass in kg"},
    [BR_DIM_TIME] = {{0, 0, 1, 0}, "s", "a time in s"},
    [BR_DIM_ANGLE] = {{0, 0, 0, 1}, "rad", "an angle in rad"},
    [BR_DIM_VELOCITY] = {{1, 0, -1, 0}, "m/s", "a velocity in m/s"},
    [BR_DIM_ANGULAR_VELOCITY] = {{0, 0, -1, 1}, "rad/s", "an angular velocity in rad/s"},
    [BR_DIM_ACCELERATION] = {{1, 0, -2, 0}, "m/s^2", "an acceleration in m/s^2"},
    [BR_DIM_INERTIA] = {{2, 1, 0, 0}, "kg m^2", "an inertia in kg m^2"},
    [BR_DIM_FORCE] = {{1, 1, -2, 0}, "N", "a force in N"},
    [BR_DIM_TORQUE] = {{2, 1, -2, 0}, "N m", "a torque in N m"},
    [BR_DIM_STIFFNESS] = {{0, 1, -2, 0}, "N/m", "a stiffness in N/m"},
    [BR_DIM_ANGULAR_STIFFNESS] = {{2, 1, -2, -1}, "N m/rad", "a stiffness in N m/rad"},
    [BR_DIM_DAMPING] = {{0, 1, -1, 0}, "N s/m", "a damping in N s/m"},
    [BR_DIM_ANGULAR_DAMPING] = {{2, 1, -1, -1}, "N m s/rad", "a damping in N m s/rad"},
    [BR_DIM_PITCH] = {{1, 0, 0, 0}, "m", "a pitch in m per turn"},
    [BR_DIM_COMPLIANCE] = {{0, -1, 2, 0}, "m/N", "a compliance in m/N"},
    [BR_DIM_PER_LENGTH] = {{-1, 0, 0, 0}, "1/m", "a number in 1/m"},
    [BR_DIM_TIME_PER_LENGTH] = {{-1, 0, 1, 0}, "s/m", "a number in s/m"},
    [BR_DIM_PRESSURE] = {{-1, 1, -2, 0}, "Pa", "a pressure in Pa"},
    [BR_DIM_AREA] = {{2, 0, 0, 0}, "m^2", "an area in m^2"},
    [BR_DIM_DENSITY] = {{-3, 1, 0, 0}, "kg/m^3", "a density in kg/m^3"},
    [BR_DIM_LINE_DENSITY] = {{-1, 1, 0, 0}, "kg/m", "a mass per length in kg/m"},
    [BR_DIM_AREA_MOMENT] = {{4, 0, 0, 0}, "m^4", "a second moment of area in m^4"},
    [BR_DIM_BENDING] = {{3, 1, -2, 0}, "N m^2", "a stiffness in N m^2"},
    [BR_DIM_LINE_INERTIA] = {{1, 1, 0, 0}, "kg m", "an inertia per length in kg m"},
};

static int is_angle(br_dimension expected) {
    return expected == BR_DIM_ANGLE || expected == BR_DIM_ANGULAR_VELOCITY;
}

// --- words where numbers belong ----------------------------------------------------------------------------

// The whole text is one word that means nothing as a number: said as such, before the parser looks for a name.
static int is_lone_word(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    if (!br_parser_is_letter(*text) && *text != '~') return 0;
    const char *end = text;
    while (br_parser_is_word(*end) || *end == '-' || *end == '~') end++;
    const size_t length = (size_t)(end - text);
    while (isspace((unsigned char)*end)) end++;
    if (*end != '\0') return 0;
    static const char *const numbers[] = {"t", "pi", "inf", "Inf", "infinity", "nan", "NaN", "NAN"};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (strlen(numbers[k]) == length && memcmp(numbers[k], text, length) == 0) return 0;
    return 1;
}

static br_status refuse_word(const char *text, const br_params *params, br_dimension expected,
                             br_error *error) {
    static const char *const switches[] = {"no", "yes", "on", "off", "true", "false", "null", "~", "y", "n"};
    const char *what = table[expected].what;
    while (isspace((unsigned char)*text)) text++;
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
        if (strcmp(text, switches[k]) == 0)
            return br_fail_at(error, BR_INVALID, "quantity-text", NULL, 0, 1,
                              "'%s' is a word here, expected %s; write 0 for none", text, what);
    if (params && br_params_find(params, text) >= 0)
        return br_fail_at(error, BR_INVALID, "quantity-text", NULL, 0, 1,
                          "'%s' is a word, expected %s; the parameter is $%s", text, what, text);
    return br_fail_at(error, BR_INVALID, "quantity-text", NULL, 0, 1, "'%.40s' is a word, expected %s", text,
                      what);
}

// --- dimensions --------------------------------------------------------------------------------------------

static int fits(br_exponents have, br_dimension expected) {
    const br_exponents want = table[expected].dim;
    if (!br_exponents_equal(have, want)) return 0;
    return expected != BR_DIM_NONE || have.rad == 0; // 20 deg is no coefficient of friction
}

// Whether the tonne may have been taken for the time.
static const char *tonne_hint(const char *text) {
    for (const char *c = text; (c = strchr(c, 't')); c++)
        if (c > text && (c[-1] == ' ' || isdigit((unsigned char)c[-1])) && !br_parser_is_word(c[1]))
            return "; after a number t is the tonne, for the time write *t";
    return "";
}

static br_status check_dimension(const char *text, const br_expression *e, br_dimension expected,
                                 br_error *error) {
    char have[48];
    const br_term *x = &e->term;
    if (expected == BR_DIM_ANY || !x->has_unit) return BR_OK;
    if (e->has_hertz && table[expected].dim.rad != 0 && x->dim.rad == 0)
        return br_fail_at(error, BR_INVALID, "unit-dimension", NULL, 0, 1,
                          "'%.60s': Hz counts turns, expected %s; write rpm, rev/s or 2*pi*...", text,
                          table[expected].what);
    if (x->loose || fits(x->dim, expected)) return BR_OK;
    return br_fail_at(error, BR_INVALID, "unit-dimension", NULL, 0, 1, "'%.60s' is in %s, expected %s%s",
                      text, br_exponents_text(x->dim, have), table[expected].what, tonne_hint(text));
}

// The factor that turns the text's number into what the field holds.
static double conversion(const br_expression *e, br_dimension expected, unsigned flags) {
    if ((flags & BR_QUANTITY_DEGREES) && is_angle(expected) && !e->term.has_unit) return DEGREE;
    if (expected == BR_DIM_PITCH && e->term.has_unit && e->term.dim.rad == -1) return TURN;
    return 1.0;
}

// --- parsing -----------------------------------------------------------------------------------------------

static br_status parse(const char *text, const br_params *params, br_dimension expected, unsigned flags,
                       int constant_only, br_expression *out, br_error *error) {
    if (is_lone_word(text)) return refuse_word(text, params, expected, error);
    const char *c = text;
    while (isspace((unsigned char)*c)) c++;
    if (*c == '\0')
        return br_fail_at(error, BR_INVALID, "quantity-text", NULL, 0, 1,
                          "there is nothing here, expected %s", table[expected].what);
    br_expression_names names;
    memset(&names, 0, sizeof names);
    const char *words[BR_MAX_SUGGESTED_PARAMS];
    br_params_names(params, words, &names);
    names.constant_only = constant_only;
    names.allow_infinite = (flags & BR_QUANTITY_INFINITE) != 0;
    names.degrees = (flags & BR_QUANTITY_DEGREES) != 0;
    const br_status status = br_expression_parse(text, &names, NULL, out, error);
    if (status != BR_OK) return status;
    return check_dimension(text, out, expected, error);
}

static br_status constant_value(const char *text, const br_expression *e, br_dimension expected,
                                unsigned flags, double *out, br_error *error) {
    const double value = e->term.value * conversion(e, expected, flags);
    if (!isfinite(value) && !((flags & BR_QUANTITY_INFINITE) && isinf(value)))
        return br_fail_at(error, BR_INVALID, "quantity-not-finite", NULL, 0, 1, "'%.60s' is %g, expected %s",
                          text, value, table[expected].what);
    *out = value;
    return BR_OK;
}

br_status br_quantity_parse(const char *text, const br_params *params, br_dimension expected, unsigned flags,
                            double *out, br_error *error) {
    br_expression e;
    const br_status status = parse(text, params, expected, flags, 1, &e, error);
    return status != BR_OK ? status : constant_value(text, &e, expected, flags, out, error);
}

br_status br_quantity_whole(const char *text, const br_params *params, int least, int most, int *out,
                            br_error *error) {
    double x;
    const br_status status = br_quantity_parse(text, params, BR_DIM_NONE, 0, &x, error);
    if (status != BR_OK) return status;
    if (x != floor(x) || x < least || x > most)
        return br_fail_at(error, BR_INVALID, "quantity-not-whole", NULL, 0, 1,
                          "'%.60s' is %.10g, expected a whole number from %d to %d", text, x, least, most);
    *out = (int)x;
    return BR_OK;
}

int br_quantity_is_function(const char *text, const br_params *params) {
    br_expression e;
    if (parse(text, params, BR_DIM_ANY, 0, 0, &e, NULL) != BR_OK) return 0;
    return e.uses_time || e.uses_state;
}

br_status br_quantity_function(const char *text, const br_params *params, br_dimension expected,
                               unsigned flags, br_arena *arena, br_function_def *out, br_error *error) {
    br_expression e;
    const unsigned finite = flags & ~(unsigned)BR_QUANTITY_INFINITE;
    br_status status = parse(text, params, expected, finite, 0, &e, error);
    if (status != BR_OK) return status;
    br_function_def def = br_function_constant(0.0);
    if (e.term.constant) {
        status = constant_value(text, &e, expected, finite, &def.constant, error);
        if (status == BR_OK) *out = def;
        return status;
    }
    def.kind = BR_FUNCTION_EXPRESSION;
    def.scale = conversion(&e, expected, flags);
    // Joint angles are radians; scaling them as degrees with the rest would be wrong, leaving the rest would be too.
    if (def.scale == DEGREE && e.uses_state)
        return br_fail_at(error, BR_INVALID, "unit-ambiguous", NULL, 0, 1,
                          "'%.60s': joint angles are in rad here while plain angles are in deg; put it in "
                          "parentheses and write rad or deg after it",
                          text);
    status = br_params_substitute(text, params, arena, &def.expression, error);
    if (status == BR_OK) *out = def;
    return status;
}
