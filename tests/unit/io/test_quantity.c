// Numbers of model files: units, dimensions, parameters, degrees, and the words that are no numbers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml/quantity.h"
#include "near.h"

static const double degree = 3.14159265358979323846 / 180.0;

// --- helpers -----------------------------------------------------------------------------------------------

static br_arena arena;
static br_params params;

static int begin(void **state) {
    (void)state;
    br_arena_init(&arena, NULL);
    params = br_params_begin(&arena);
    static const char *const entries[][2] = {
        {"twice", "2*$L"}, {"L", "500 mm"},  {"mu", "0.3"},  {"a", "30"},           {"angle", "30 deg"},
        {"f", "5 Hz"},     {"k", "1e5 N/m"}, {"far", "inf"}, {"mix", "$mu * 2 mm"},
    };
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        assert_int_equal(br_params_add(&params, entries[k][0], entries[k][1], NULL), BR_OK);
    assert_int_equal(br_params_resolve(&params, NULL, NULL), BR_OK);
    return 0;
}

static int end(void **state) {
    (void)state;
    br_arena_free(&arena);
    return 0;
}

static double parse_with(const char *text, br_dimension expected, unsigned flags) {
    double x = -12345.0;
    br_error e = {0};
    if (br_quantity_parse(text, &params, expected, flags, &x, &e) != BR_OK) {
        print_error("'%s': %s\n", text, e.message);
        fail();
    }
    return x;
}

static double parse(const char *text, br_dimension expected) {
    return parse_with(text, expected, 0);
}

static void assert_fault(const char *text, br_dimension expected, unsigned flags, const char *code,
                         const char *part) {
    double x = 7.0;
    br_error e = {0};
    const br_status status = br_quantity_parse(text, &params, expected, flags, &x, &e);
    if (status == BR_OK || strcmp(e.code, code) != 0 || !strstr(e.message, part))
        print_error("'%s' (= %g): %s: %s\n", text, x, e.code ? e.code : "accepted", e.message);
    assert_int_not_equal(status, BR_OK);
    assert_string_equal(e.code, code);
    assert_non_null(strstr(e.message, part));
    assert_near(x, 7.0, 0);
    assert_true(e.column >= 1 && e.line == 0);
}

// --- units -------------------------------------------------------------------------------------------------

static void units_become_si(void **state) {
    (void)state;
    assert_near(parse("5 mm", BR_DIM_LENGTH), 0.005, 1e-18);
    assert_near(parse("5mm", BR_DIM_LENGTH), 0.005, 1e-18);
    assert_near(parse("-3 in", BR_DIM_LENGTH), -0.0762, 1e-16);
    assert_near(parse("1e3", BR_DIM_LENGTH), 1000, 0);
    assert_near(parse("20 deg", BR_DIM_ANGLE), 20 * degree, 1e-16);
    assert_near(parse("3000 rpm", BR_DIM_ANGULAR_VELOCITY), 314.1592653589793, 1e-12);
    assert_near(parse("1 rev/s", BR_DIM_ANGULAR_VELOCITY), 6.283185307179586, 1e-15);
    assert_near(parse("1e5 1/m", BR_DIM_PER_LENGTH), 1e5, 0);
    assert_near(parse("300 s/m", BR_DIM_TIME_PER_LENGTH), 300, 0);
    assert_near(parse("2 kg*m^2", BR_DIM_INERTIA), 2, 0);
    assert_near(parse("2 kg m^2", BR_DIM_INERTIA), 2, 0);
    assert_near(parse("2 g mm^2", BR_DIM_INERTIA), 2e-9, 1e-24);
    assert_near(parse("3 N m s/rad", BR_DIM_ANGULAR_DAMPING), 3, 0);
    assert_near(parse("3 N/(m/s)", BR_DIM_DAMPING), 3, 0);
    assert_near(parse("3 N s/m", BR_DIM_DAMPING), 3, 0);
    assert_near(parse("3 Nm", BR_DIM_TORQUE), 3, 0);
    assert_near(parse("3 N*m", BR_DIM_TORQUE), 3, 0);
    assert_near(parse("3 N m", BR_DIM_ANGULAR_STIFFNESS), 3, 0);
    assert_near(parse("3 N m/deg", BR_DIM_ANGULAR_STIFFNESS), 3 / degree, 1e-12);
    assert_near(parse("9.81 m/s^2", BR_DIM_ACCELERATION), 9.81, 0);
    assert_near(parse("210 GPa", BR_DIM_PRESSURE), 2.1e11, 1e-4);
    assert_near(parse("210 N/mm^2", BR_DIM_PRESSURE), 2.1e8, 1e-6);
    assert_near(parse("2 t", BR_DIM_MASS), 2000, 0);
    assert_near(parse("2 min", BR_DIM_TIME), 120, 0);
    assert_near(parse("7850 kg/m^3", BR_DIM_DENSITY), 7850, 0);
    assert_near(parse("7.85 kg*m^-1", BR_DIM_LINE_DENSITY), 7.85, 0);
    assert_near(parse("1 km/(h s)", BR_DIM_ACCELERATION), 1000.0 / 3600.0, 1e-15);
    assert_near(parse("10^3 N", BR_DIM_FORCE), 1000, 0);
    assert_near(parse("99999999999999999999999", BR_DIM_MASS), 1e23, 1e8);
}

static void arithmetic_carries_dimensions(void **state) {
    (void)state;
    assert_near(parse("2*3 mm + 1 in", BR_DIM_LENGTH), 0.0314, 1e-16);
    assert_near(parse("10 m / 2 s", BR_DIM_VELOCITY), 5, 0);
    assert_near(parse("sqrt(4 m^2)", BR_DIM_LENGTH), 2, 0);
    assert_near(parse("(3 mm)^2", BR_DIM_AREA), 9e-6, 1e-20);
    assert_near(parse("(1/2) mm", BR_DIM_LENGTH), 0.0005, 1e-18);
    assert_near(parse("max(1 mm, 2 mm)", BR_DIM_LENGTH), 0.002, 0);
    assert_near(parse("5 m/2 m", BR_DIM_NONE), 2.5, 0);
    assert_near(parse("pi/2", BR_DIM_ANGLE), 1.5707963267948966, 0);
    assert_near(parse("3 m * sin(30 deg)", BR_DIM_LENGTH), 1.5, 1e-15);
    assert_near(parse("0 + 5 mm", BR_DIM_LENGTH), 0.005, 0);
    assert_near(parse("if(2 > 1, 3 kg, 4 kg)", BR_DIM_MASS), 3, 0);
}

static void parameters_carry_dimensions(void **state) {
    (void)state;
    assert_near(parse("$twice", BR_DIM_LENGTH), 1, 0);
    assert_near(parse("1.2*$mu", BR_DIM_NONE), 0.36, 1e-16);
    assert_near(parse("0.5*$L + 3 mm", BR_DIM_LENGTH), 0.253, 1e-16);
    assert_near(parse("$mu*$k*$L", BR_DIM_FORCE), 15000, 1e-11);
    assert_near(parse("${L}", BR_DIM_LENGTH), 0.5, 0);
    assert_near(parse("$mu mm", BR_DIM_LENGTH), 0.0003, 1e-18);
    assert_near(parse("$mu + 3 mm", BR_DIM_LENGTH), 0.303, 1e-16); // a parameter without unit is SI
    assert_near(parse("2*pi*$f", BR_DIM_ANGULAR_VELOCITY), 31.41592653589793, 1e-13);
    assert_near(parse("$mix", BR_DIM_LENGTH), 0.0006, 1e-18);
    assert_true(isinf(parse_with("$far", BR_DIM_LENGTH, BR_QUANTITY_INFINITE)));
    assert_fault("$k", BR_DIM_LENGTH, 0, "unit-dimension", "'$k' is in N/m, expected a length in m");
    assert_fault("$L + $k", BR_DIM_LENGTH, 0, "unit-dimension", "m and N/m do not go together");
    assert_fault("$L mm", BR_DIM_LENGTH, 0, "unit-dimension", "unit already");
    assert_fault("$Lx", BR_DIM_LENGTH, 0, "param-unknown", "there is no parameter 'Lx'");
    assert_fault("$twise", BR_DIM_LENGTH, 0, "param-unknown", "did you mean $twice?");
    assert_fault("$far", BR_DIM_LENGTH, 0, "quantity-not-finite", "$far is inf");
    assert_fault("2*L", BR_DIM_LENGTH, 0, "expression-name", "write $L");
    assert_fault("L", BR_DIM_LENGTH, 0, "quantity-text", "the parameter is $L");
}

static void wrong_dimensions_are_named(void **state) {
    (void)state;
    assert_fault("5 mm", BR_DIM_MASS, 0, "unit-dimension", "'5 mm' is in m, expected a mass in kg");
    assert_fault("5 N", BR_DIM_TORQUE, 0, "unit-dimension", "is in N, expected a torque in N m");
    assert_fault("20 deg", BR_DIM_NONE, 0, "unit-dimension", "is in rad, expected a plain number");
    assert_fault("1 + 2 mm", BR_DIM_LENGTH, 0, "unit-dimension", "a plain number and m");
    assert_fault("5 Hz", BR_DIM_ANGULAR_VELOCITY, 0, "unit-dimension", "Hz counts turns");
    assert_fault("5 t", BR_DIM_FORCE, 0, "unit-dimension", "t is the tonne");
    assert_fault("1/2 mm", BR_DIM_LENGTH, 0, "unit-ambiguous", "(1/2) mm or 1/(2 mm)");
    assert_fault("1 N/m s", BR_DIM_DAMPING, 0, "unit-ambiguous", "N s/m or N/(m s)");
    assert_fault("5 mmm", BR_DIM_LENGTH, 0, "unit-unknown", "'mmm' is no unit; did you mean 'mm'?");
    assert_fault("5 KG", BR_DIM_MASS, 0, "unit-unknown", "did you mean 'kg'?");
    assert_fault("5 bananas", BR_DIM_MASS, 0, "unit-unknown", "'bananas' is no unit");
    assert_fault("5 kg metre", BR_DIM_MASS, 0, "unit-unknown", "'metre' is no unit");
    assert_fault("log(5 m)", BR_DIM_NONE, 0, "unit-dimension", "log takes a plain number or an angle, not m");
    assert_fault("2^(3 m)", BR_DIM_NONE, 0, "unit-dimension", "an exponent takes");
    assert_fault("(2 m)^0.5", BR_DIM_NONE, 0, "unit-dimension", "this power of m");
}

static void words_are_not_numbers(void **state) {
    (void)state;
    assert_fault("no", BR_DIM_MASS, 0, "quantity-text", "'no' is a word here, expected a mass in kg");
    assert_fault("heavy", BR_DIM_MASS, 0, "quantity-text", "'heavy' is a word, expected a mass in kg");
    assert_fault("~", BR_DIM_MASS, 0, "quantity-text", "'~' is a word");
    assert_fault("", BR_DIM_MASS, 0, "quantity-text", "nothing here, expected a mass in kg");
    assert_fault("  ", BR_DIM_MASS, 0, "quantity-text", "nothing here");
    assert_fault("nan", BR_DIM_MASS, 0, "quantity-not-finite", "nan");
    assert_fault(".nan", BR_DIM_MASS, BR_QUANTITY_INFINITE, "quantity-not-finite", "nan");
    assert_fault("inf", BR_DIM_MASS, 0, "quantity-not-finite", "a finite number is expected");
    assert_fault("-.inf", BR_DIM_MASS, 0, "quantity-not-finite", "a finite number is expected");
    assert_fault("inf - inf", BR_DIM_MASS, BR_QUANTITY_INFINITE, "quantity-not-finite",
                 "not a finite number");
    assert_fault("1e400", BR_DIM_MASS, 0, "quantity-not-finite", "larger than");
    assert_fault("0x1F", BR_DIM_MASS, 0, "expression-syntax", "decimal");
    assert_fault("1_000", BR_DIM_MASS, 0, "expression-syntax", "'_' within a number");
    assert_fault("1,5", BR_DIM_MASS, 0, "expression-syntax", "comma");
    assert_fault("1 2", BR_DIM_MASS, 0, "expression-syntax", "no operator");
    assert_fault("2*t", BR_DIM_MASS, 0, "quantity-not-constant", "t is the time");
    assert_fault("hinge.position", BR_DIM_MASS, 0, "quantity-not-constant", "a constant is expected");
    assert_true(isinf(parse_with("inf", BR_DIM_STIFFNESS, BR_QUANTITY_INFINITE)));
    assert_true(parse_with("-.inf", BR_DIM_STIFFNESS, BR_QUANTITY_INFINITE) < 0);
    assert_true(isinf(parse_with("inf N/m", BR_DIM_STIFFNESS, BR_QUANTITY_INFINITE)));
}

static void plain_angles_follow_the_units_of_the_file(void **state) {
    (void)state;
    const unsigned deg = BR_QUANTITY_DEGREES;
    assert_near(parse_with("90", BR_DIM_ANGLE, deg), 90 * degree, 0);
    assert_near(parse_with("90", BR_DIM_ANGULAR_VELOCITY, deg), 90 * degree, 0);
    assert_near(parse_with("90", BR_DIM_LENGTH, deg), 90, 0);
    assert_near(parse_with("1 rad", BR_DIM_ANGLE, deg), 1, 0);
    assert_near(parse_with("$a", BR_DIM_ANGLE, deg), 30 * degree, 1e-16);
    assert_near(parse_with("$angle", BR_DIM_ANGLE, deg), 30 * degree, 1e-16);
    assert_near(parse_with("2*$angle", BR_DIM_ANGLE, deg), 60 * degree, 1e-15);
    assert_near(parse_with("atan2(1, 1)", BR_DIM_ANGLE, deg), 45 * degree, 1e-15);
    assert_fault("5 deg + $a", BR_DIM_ANGLE, deg, "unit-dimension", "write deg or rad after it");
    assert_near(parse_with("5 deg + $a deg", BR_DIM_ANGLE, deg), 35 * degree, 1e-15);
}

static void pitch_is_per_turn(void **state) {
    (void)state;
    assert_near(parse("5 mm", BR_DIM_PITCH), 0.005, 1e-18);
    assert_near(parse("5 mm/rev", BR_DIM_PITCH), 0.005, 1e-17);
    assert_near(parse("1 mm/rad", BR_DIM_PITCH), 0.006283185307179586, 1e-17);
}

static void whole_numbers_are_whole(void **state) {
    (void)state;
    int n = -1;
    br_error e = {0};
    assert_int_equal(br_quantity_whole("2*3", &params, 0, 10, &n, &e), BR_OK);
    assert_int_equal(n, 6);
    assert_int_equal(br_quantity_whole("2.5", &params, 0, 10, &n, &e), BR_INVALID);
    assert_string_equal(e.code, "quantity-not-whole");
    assert_int_equal(br_quantity_whole("11", &params, 0, 10, &n, &e), BR_INVALID);
    assert_int_equal(n, 6);
}

// --- functions ---------------------------------------------------------------------------------------------

static double function_value(const char *text, br_dimension expected, unsigned flags, double t) {
    br_function_def def;
    br_function *f = NULL;
    br_error e = {0};
    if (br_quantity_function(text, &params, expected, flags, &arena, &def, &e) != BR_OK ||
        br_function_create(&def, NULL, NULL, &arena, &f, &e) != BR_OK) {
        print_error("'%s': %s\n", text, e.message);
        fail();
    }
    return br_function_value(f, t, NULL);
}

static void functions_keep_units_and_parameters(void **state) {
    (void)state;
    br_function_def def;
    assert_near(function_value("5 N*sin($f*t)", BR_DIM_FORCE, 0, 0.1), 5 * sin(0.5), 1e-15);
    assert_near(function_value("$L + 2 mm*t", BR_DIM_LENGTH, 0, 2), 0.504, 1e-15);
    assert_near(function_value("$mu + 2 mm*t", BR_DIM_LENGTH, 0, 2), 0.304, 1e-15);
    assert_near(function_value("(1 + t) kN", BR_DIM_FORCE, 0, 2), 3000, 1e-12);
    assert_near(function_value("90*t", BR_DIM_ANGLE, BR_QUANTITY_DEGREES, 2), 180 * degree, 1e-15);
    assert_near(function_value("90*t rad", BR_DIM_ANGLE, BR_QUANTITY_DEGREES, 2), 180, 0);
    assert_near(function_value("12 N", BR_DIM_FORCE, 0, 0), 12, 0);
    assert_int_equal(br_quantity_function("12 N", &params, BR_DIM_FORCE, 0, &arena, &def, NULL), BR_OK);
    assert_int_equal(def.kind, BR_FUNCTION_CONSTANT);
    assert_near(def.constant, 12, 0);
    assert_true(br_quantity_is_function("2*t", NULL));
    assert_true(br_quantity_is_function("hinge.velocity*$mu", &params));
    assert_false(br_quantity_is_function("2 t", NULL));
    assert_false(br_quantity_is_function("tan(1)", NULL));
    assert_false(br_quantity_is_function("2*(", NULL));
}

static void functions_check_what_can_be_known(void **state) {
    (void)state;
    br_function_def def = br_function_constant(3.0);
    br_error e = {0};
    assert_int_equal(br_quantity_function("5 mm*sin(t)", &params, BR_DIM_FORCE, 0, &arena, &def, &e),
                     BR_INVALID);
    assert_string_equal(e.code, "unit-dimension");
    assert_int_equal(br_quantity_function("1 + 2*t mm", &params, BR_DIM_LENGTH, 0, &arena, &def, &e),
                     BR_INVALID);
    assert_string_equal(e.code, "unit-dimension");
    assert_int_equal(br_quantity_function("2*hinge.position", &params, BR_DIM_ANGLE, BR_QUANTITY_DEGREES,
                                          &arena, &def, &e),
                     BR_INVALID);
    assert_string_equal(e.code, "unit-ambiguous");
    assert_near(def.constant, 3.0, 0);
    assert_int_equal(
        br_quantity_function("10 N/m * slider.position", &params, BR_DIM_FORCE, 0, &arena, &def, &e), BR_OK);
    assert_int_equal(
        br_quantity_function("inf*t", &params, BR_DIM_FORCE, BR_QUANTITY_INFINITE, &arena, &def, &e),
        BR_INVALID);
}

// --- parameters --------------------------------------------------------------------------------------------

static br_status resolve(const char *const entries[][2], int count, int *at, br_error *error) {
    br_params p = br_params_begin(&arena);
    for (int k = 0; k < count; k++)
        assert_int_equal(br_params_add(&p, entries[k][0], entries[k][1], error), BR_OK);
    return br_params_resolve(&p, at, error);
}

static void cycles_are_spelt_out(void **state) {
    (void)state;
    static const char *const three[][2] = {{"x", "1"}, {"a", "$b + 1"}, {"b", "2*$c"}, {"c", "$x*$a"}};
    static const char *const self[][2] = {{"a", "$a + 1"}};
    int at = -1;
    br_error e = {0};
    assert_int_equal(resolve(three, 4, &at, &e), BR_INVALID);
    assert_string_equal(e.code, "param-cycle");
    assert_string_equal(e.message, "the parameter 'a' needs itself: a -> b -> c -> a");
    assert_int_equal(at, 3);
    assert_int_equal(resolve(self, 1, &at, &e), BR_INVALID);
    assert_string_equal(e.message, "the parameter 'a' needs itself: a -> a");
    assert_int_equal(at, 0);
}

static void faults_of_parameters_name_the_one_at_fault(void **state) {
    (void)state;
    static const char *const wrong[][2] = {{"a", "$b + 1"}, {"b", "2*$cc"}, {"c", "1"}};
    int at = -1;
    br_error e = {0};
    assert_int_equal(resolve(wrong, 3, &at, &e), BR_INVALID);
    assert_string_equal(e.code, "param-unknown");
    assert_int_equal(at, 1);
    assert_int_equal(e.column, 3);
    br_params p = br_params_begin(&arena);
    assert_int_equal(br_params_add(&p, "2a", "1", &e), BR_INVALID);
    assert_string_equal(e.code, "param-name");
    assert_int_equal(br_params_add(&p, "stiffness", "1", &e), BR_OK);
    assert_int_equal(br_params_add(&p, "stiffness", "1", &e), BR_INVALID);
    assert_string_equal(e.code, "param-repeated");
    assert_int_equal(br_params_set(&p, "stifness", "2", &e), BR_INVALID);
    assert_non_null(strstr(e.message, "did you mean 'stiffness'?"));
    assert_int_equal(br_params_set(&p, "stiffness", "2 kN/m", &e), BR_OK);
    assert_int_equal(br_params_resolve(&p, &at, &e), BR_OK);
    assert_near(br_params_value(&p, 0), 2000, 0);
}

static void long_chains_of_parameters_resolve(void **state) {
    (void)state;
    enum { CHAIN = 20000 };
    br_params p = br_params_begin(&arena);
    char name[32], text[64];
    for (int k = 0; k < CHAIN; k++) {
        snprintf(name, sizeof name, "p%d", k);
        snprintf(text, sizeof text, k + 1 < CHAIN ? "$p%d + 1" : "1", k + 1);
        assert_int_equal(br_params_add(&p, name, text, NULL), BR_OK);
    }
    assert_int_equal(br_params_resolve(&p, NULL, NULL), BR_OK);
    assert_near(br_params_value(&p, 0), CHAIN, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_become_si),
        cmocka_unit_test(arithmetic_carries_dimensions),
        cmocka_unit_test(parameters_carry_dimensions),
        cmocka_unit_test(wrong_dimensions_are_named),
        cmocka_unit_test(words_are_not_numbers),
        cmocka_unit_test(plain_angles_follow_the_units_of_the_file),
        cmocka_unit_test(pitch_is_per_turn),
        cmocka_unit_test(whole_numbers_are_whole),
        cmocka_unit_test(functions_keep_units_and_parameters),
        cmocka_unit_test(functions_check_what_can_be_known),
        cmocka_unit_test(cycles_are_spelt_out),
        cmocka_unit_test(faults_of_parameters_name_the_one_at_fault),
        cmocka_unit_test(long_chains_of_parameters_resolve),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
