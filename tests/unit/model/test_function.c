// Functions of time and state: values, exact derivatives, tables, and what is said of wrong expressions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/function/function.h"
#include "near.h"

// --- helpers -----------------------------------------------------------------------------------------------

// hinge has one coordinate (variables 0, 1), ball has two (2 .. 5).
static int resolve(void *context, const char *joint, const char *member, int coordinate) {
    (void)context;
    const int velocity = strcmp(member, "velocity") == 0;
    if (strcmp(joint, "hinge") == 0 && coordinate == 0) return velocity;
    if (strcmp(joint, "left-knee") == 0 && coordinate == 0) return velocity;
    if (strcmp(joint, "ball.free") == 0 && coordinate < 2) return 2 + 2 * coordinate + velocity;
    return -1;
}

static br_function *compile(br_arena *arena, const char *text) {
    br_function_def def = br_function_constant(0.0);
    br_error error = {0};
    br_function *f = NULL;
    def.kind = BR_FUNCTION_EXPRESSION;
    def.expression = text;
    if (br_function_create(&def, resolve, NULL, arena, &f, &error) != BR_OK) {
        print_error("%s: %s\n", text, error.message);
        fail();
    }
    return f;
}

static const double still[6] = {0.3, -0.7, 0.2, 0.5, -0.4, 1.5};

static double value_of(const char *text, double t) {
    br_arena arena;
    br_arena_init(&arena, NULL);
    const double r = br_function_value(compile(&arena, text), t, still);
    br_arena_free(&arena);
    return r;
}

static br_error error_of(const char *text) {
    br_arena arena;
    br_function_def def = br_function_constant(0.0);
    br_error error = {0};
    br_function *f = NULL;
    br_arena_init(&arena, NULL);
    def.kind = BR_FUNCTION_EXPRESSION;
    def.expression = text;
    const br_status status = br_function_create(&def, resolve, NULL, &arena, &f, &error);
    if (status == BR_OK) print_error("'%s' was accepted\n", text);
    assert_true(status != BR_OK);
    assert_null(f);
    br_arena_free(&arena);
    return error;
}

static void assert_error(const char *text, const char *code, int column, const char *part) {
    const br_error e = error_of(text);
    if (strcmp(e.code, code) != 0 || e.column != column || !strstr(e.message, part))
        print_error("'%s': %s at %d: %s\n", text, e.code, e.column, e.message);
    assert_string_equal(e.code, code);
    assert_int_equal(e.column, column);
    assert_non_null(strstr(e.message, part));
}

// --- values ------------------------------------------------------------------------------------------------

static void arithmetic_follows_the_usual_precedence(void **state) {
    (void)state;
    assert_near(value_of("1 + 2*3 - 4/2", 0), 5, 0);
    assert_near(value_of("2^3^2", 0), 512, 0);
    assert_near(value_of("-2^2", 0), -4, 0);
    assert_near(value_of("2^-1", 0), 0.5, 0);
    assert_near(value_of("2*-3", 0), -6, 0);
    assert_near(value_of("--3", 0), 3, 0);
    assert_near(value_of("8/4/2", 0), 1, 0);
    assert_near(value_of("10 - 3 - 2", 0), 5, 0);
    assert_near(value_of("(1 + 2)*t", 4), 12, 0);
    assert_near(value_of("-t^2", 3), -9, 0);
    assert_near(value_of("2*pi", 0), 6.283185307179586, 0);
    assert_near(value_of(" .5e1+5.e-1 ", 0), 5.5, 0);
    assert_near(value_of("1e3", 0), 1000, 0);
}

static void functions_have_their_values(void **state) {
    (void)state;
    assert_near(value_of("atan2(1, -1)", 0), 2.356194490192345, 1e-15);
    assert_near(value_of("min(3, t, 5) + max(1, 2)", 2), 4, 0);
    assert_near(value_of("mod(-1, 3)", 0), 2, 0);
    assert_near(value_of("step(t - 1)", 0.999), 0, 0);
    assert_near(value_of("step(t - 1)", 1), 1, 0);
    assert_near(value_of("sign(t)", -2), -1, 0);
    assert_near(value_of("if(t < 2, 10, 20)", 1), 10, 0);
    assert_near(value_of("if(t < 2, 10, 20)", 2), 20, 0);
    assert_near(value_of("if(t == 2, 10, sqrt(-t))", 2), 10, 0);
    assert_near(value_of("if(t >= 2, 1, 0) + if(t <= 2, 1, 0) + if(t > 2, 1, 0)", 2), 2, 0);
    assert_near(value_of("smoothstep(t, 1, 0, 3, 8)", 0), 0, 0);
    assert_near(value_of("smoothstep(t, 1, 0, 3, 8)", 2), 4, 0);
    assert_near(value_of("smoothstep(t, 1, 0, 3, 8)", 1.5), 8 * 0.25 * 0.25 * 2.5, 1e-15);
    assert_near(value_of("smoothstep(t, 1, 0, 3, 8)", 7), 8, 0);
    assert_near(value_of("pow(t, 3)", 2), 8, 0);
}

static void joints_are_read_by_name(void **state) {
    (void)state;
    assert_near(value_of("hinge.position + 10*hinge.velocity", 0), -6.7, 1e-15);
    assert_near(value_of("hinge.position.0", 0), 0.3, 0);
    assert_near(value_of("ball.free.position.1 + ball.free.velocity.1", 0), 1.1, 1e-15);
    assert_near(value_of("2*'left-knee'.velocity", 0), -1.4, 1e-15);
}

static void units_scale_what_they_follow(void **state) {
    (void)state;
    assert_near(value_of("5 mm * sin(t)", 1), 0.005 * 0.8414709848078965, 1e-18);
    assert_near(value_of("(1 + t) mm", 1), 0.002, 1e-18);
    assert_near(value_of("10 N * t", 2), 20, 0);
    assert_near(value_of("3000 rpm * t", 1), 314.1592653589793, 1e-12);
    assert_near(value_of("if(t < 500 ms, 1, 2)", 0.4), 1, 0);
}

static void scale_multiplies_everything(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_function_def def = br_function_constant(0.0);
    br_function *f = NULL;
    def.kind = BR_FUNCTION_EXPRESSION;
    def.expression = "t^2";
    def.scale = 1e-3;
    assert_int_equal(br_function_create(&def, NULL, NULL, &arena, &f, NULL), BR_OK);
    assert_near(br_function_value(f, 3, NULL), 9e-3, 1e-17);
    assert_near(br_function_jet(f, 3, NULL).second, 2e-3, 1e-18);
    br_arena_free(&arena);
}

static void constants_are_folded(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    assert_true(br_function_is_constant(compile(&arena, "2*sin(pi/6) + min(1, 2, 3) mm/1 mm")));
    assert_false(br_function_is_constant(compile(&arena, "2*t")));
    assert_true(br_function_uses_state(compile(&arena, "hinge.position")));
    assert_false(br_function_uses_state(compile(&arena, "sin(t)")));
    br_arena_free(&arena);
}

// --- derivatives -------------------------------------------------------------------------------------------

// Joint coordinates that move: q = sin(1.3 t + k), so that every derivative is known.
static void moving(double t, double *values, br_jet *jets) {
    for (int k = 0; k < 3; k++) {
        const double w = 1.3, x = w * t + k;
        const double q[4] = {sin(x), w * cos(x), -w * w * sin(x), -w * w * w * cos(x)};
        values[2 * k] = q[0];
        values[2 * k + 1] = q[1];
        const br_jet position = {q[0], q[1], q[2]}, velocity = {q[1], q[2], q[3]};
        jets[2 * k] = position;
        jets[2 * k + 1] = velocity;
    }
}

static double value_at(const br_function *f, double t) {
    double values[6];
    br_jet jets[6];
    moving(t, values, jets);
    return br_function_value(f, t, values);
}

static void jets_agree_with_finite_differences(void **state) {
    (void)state;
    static const char *const texts[] = {
        "3 + 2*t - t*t/4",
        "sin(2*t)*cos(t)",
        "tan(t/3)",
        "asin(t/5) + acos(t/4)",
        "atan(2*t)",
        "atan2(sin(t) + 2, t)",
        "sinh(t) - cosh(t/2) + tanh(t)",
        "exp(-t)*t^2",
        "log(1 + t) + log10(2 + t^2)",
        "sqrt(1 + t^3)",
        "abs(t - 5)*t",
        "min(t^2, 3) + max(t, t^2)",
        "mod(t^2, 0.7)",
        "t^1.5",
        "t^t",
        "pow(1 + sin(t)^2, -2)",
        "2^t",
        "(1 + t)^(sin(t))",
        "smoothstep(t, 0, 1, 3, 7)",
        "smoothstep(t^2, 0.1*t, t, 5 + t, 3*t)",
        "if(t > 1, t^3, t^2)",
        "1/(1 + t^2)",
        "t/(3 + cos(t))",
        "-(t^3)",
        "hinge.position^2 + t*hinge.velocity",
        "sin(ball.free.position.0)*exp(ball.free.velocity.1)",
        "ball.free.position.1/(2 + hinge.position)",
        "step(t)*t^2 + sign(t)*t",
    };
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const br_function *f = compile(&arena, texts[i]);
        for (int k = 0; k < 5; k++) {
            const double t = 0.37 + 0.411 * k, h = 1e-3;
            double values[6];
            br_jet jets[6];
            moving(t, values, jets);
            const br_jet j = br_function_jet(f, t, jets);
            // Fourth order, so that h need not be small enough for rounding to show.
            const double a = value_at(f, t - 2 * h), b = value_at(f, t - h), c = value_at(f, t),
                         d = value_at(f, t + h), e = value_at(f, t + 2 * h);
            assert_near(j.value, c, 1e-15 * (1 + fabs(c)));
            assert_near(j.rate, (a - 8 * b + 8 * d - e) / (12 * h), 1e-8 * (1 + fabs(j.rate)));
            assert_near(j.second, (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h),
                        1e-6 * (1 + fabs(j.second)));
        }
    }
    br_arena_free(&arena);
}

static void a_slope_at_rest_is_zero_even_where_it_is_infinite(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_jet rest[2] = {{0, 0, 0}, {0, 0, 0}};
    const br_jet j = br_function_jet(compile(&arena, "sqrt(hinge.position)"), 0, rest);
    assert_near(j.value, 0, 0);
    assert_near(j.rate, 0, 0);
    assert_near(j.second, 0, 0);
    br_arena_free(&arena);
}

static void knots_of_expressions_are_where_t_switches_them(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_function *f =
        compile(&arena, "smoothstep(t, 1, 0, 3, 8) + if(2*t < 5, 1, 0) + step(t - 4)*abs(6 - t)");
    static const double knots[] = {1, 2.5, 3, 4, 6};
    double t = 0;
    for (int k = 0; k < 5; k++) {
        t = br_function_next_knot(f, t);
        assert_near(t, knots[k], 0);
    }
    assert_true(isinf(br_function_next_knot(f, t)));
    assert_true(isinf(br_function_next_knot(compile(&arena, "sin(t)"), 0)));
    br_arena_free(&arena);
}

// --- tables ------------------------------------------------------------------------------------------------

static br_function *make_table(br_arena *arena, br_function_kind kind, const double *t, const double *y,
                               int n) {
    br_function_def def = br_function_constant(0.0);
    br_function *f = NULL;
    def.kind = kind;
    def.times = t;
    def.values = y;
    def.count = n;
    assert_int_equal(br_function_create(&def, NULL, NULL, arena, &f, NULL), BR_OK);
    return f;
}

static void linear_tables_pass_through_their_points(void **state) {
    (void)state;
    const double t[] = {0, 1, 3}, y[] = {2, 4, 0};
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_function *f = make_table(&arena, BR_FUNCTION_TABLE, t, y, 3);
    assert_near(br_function_value(f, -1, NULL), 2, 0);
    assert_near(br_function_value(f, 0.25, NULL), 2.5, 1e-15);
    assert_near(br_function_value(f, 2, NULL), 2, 1e-15);
    assert_near(br_function_value(f, 9, NULL), 0, 0);
    assert_near(br_function_jet(f, 1, NULL).rate, -2, 1e-15);
    assert_near(br_function_jet(f, 3, NULL).rate, 0, 0);
    assert_near(br_function_next_knot(f, -5), 0, 0);
    assert_near(br_function_next_knot(f, 0), 1, 0);
    assert_near(br_function_next_knot(f, 1.5), 3, 0);
    assert_true(isinf(br_function_next_knot(f, 3)));
    br_arena_free(&arena);
}

static void smooth_tables_never_overshoot_and_have_continuous_slopes(void **state) {
    (void)state;
    const double t[] = {0, 1, 2, 2.5, 4, 5}, y[] = {0, 0, 1, 5, 5, 2};
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_function *f = make_table(&arena, BR_FUNCTION_SMOOTH, t, y, 6);
    for (int k = 0; k < 5; k++) {
        const double low = fmin(y[k], y[k + 1]), high = fmax(y[k], y[k + 1]);
        for (int i = 0; i <= 50; i++) {
            const double at = t[k] + (t[k + 1] - t[k]) * i / 50.0, v = br_function_value(f, at, NULL);
            assert_true(v >= low - 1e-14 && v <= high + 1e-14);
            if (i == 0 || i == 50) continue;
            const double h = 1e-5;
            const br_jet j = br_function_jet(f, at, NULL), a = br_function_jet(f, at - h, NULL),
                         b = br_function_jet(f, at + h, NULL);
            assert_near(j.rate, (b.value - a.value) / (2 * h), 1e-7);
            assert_near(j.second, (b.rate - a.rate) / (2 * h), 1e-6);
        }
        if (k > 0)
            assert_near(br_function_jet(f, t[k] - 1e-9, NULL).rate, br_function_jet(f, t[k], NULL).rate,
                        1e-6);
    }
    assert_near(br_function_value(f, 2.5, NULL), 5, 0);
    br_arena_free(&arena);
}

static void wrong_tables_are_refused(void **state) {
    (void)state;
    const double t[] = {0, 1, 1}, y[] = {2, 4, INFINITY};
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_function_def def = br_function_constant(0.0);
    br_function *f = NULL;
    br_error error;
    def.kind = BR_FUNCTION_TABLE;
    assert_int_equal(br_function_create(&def, NULL, NULL, &arena, &f, &error), BR_INVALID);
    assert_string_equal(error.code, "table-empty");
    def.times = def.values = t;
    def.count = 3;
    assert_int_equal(br_function_create(&def, NULL, NULL, &arena, &f, &error), BR_INVALID);
    assert_string_equal(error.code, "table-not-rising");
    assert_non_null(strstr(error.message, "point 3"));
    def.values = y;
    def.times = y;
    assert_int_equal(br_function_create(&def, NULL, NULL, &arena, &f, &error), BR_INVALID);
    assert_string_equal(error.code, "table-not-finite");
    assert_null(f);
    br_arena_free(&arena);
}

// --- mistakes ----------------------------------------------------------------------------------------------

static void mistakes_are_named_with_their_character(void **state) {
    (void)state;
    assert_error("2*sinn(t)", "expression-name", 3, "there is no function 'sinn'; did you mean 'sin'?");
    assert_error("2*sinn(t)", "expression-name", 3, "(character 3 of '2*sinn(t)')");
    assert_error("hinge.positoin", "expression-name", 7, "did you mean 'position'?");
    assert_error("1 + elbow.position", "expression-name", 5, "there is no joint 'elbow'");
    assert_error("hinge.position.4", "expression-name", 1, "with a coordinate 4");
    assert_error("2*time", "expression-name", 3, "there is no name 'time'");
    assert_error("cos", "expression-name", 1, "cos is a function");
    assert_error("2*(t + 1", "expression-syntax", 3, "never closed");
    assert_error("2*t)", "expression-syntax", 4, "no '(' for this ')'");
    assert_error("2*", "expression-syntax", 3, "ends too early");
    assert_error("", "expression-syntax", 1, "nothing here");
    assert_error("2**t", "expression-syntax", 2, "written with ^");
    assert_error("if(t = 2, 1, 0)", "expression-syntax", 6, "==");
    assert_error("1,5*t", "expression-syntax", 2, "comma");
    assert_error("2 (t)", "expression-syntax", 3, "no operator");
    assert_error("2 sin(t)", "expression-syntax", 3, "write *");
    assert_error("2 pi", "expression-syntax", 3, "write *");
    assert_error("t(2)", "expression-syntax", 2, "no function");
    assert_error("0x1F*t", "expression-syntax", 1, "decimal");
    assert_error("1.2.3", "expression-syntax", 4, "'.' within a number");
    assert_error("sin(t, 2)", "expression-syntax", 7, "sin takes 1 argument, not 2");
    assert_error("atan2(t)", "expression-syntax", 1, "atan2 takes 2 arguments, not 1");
    assert_error("sin()", "expression-syntax", 1, "not 0");
    assert_error("smoothstep(t, 3, 0, 1, 1)", "expression-syntax", 1, "x0 < x1");
    assert_error("t/0 + 1/0", "quantity-not-finite", 8, "not a finite number");
    assert_error("1e999*t", "quantity-not-finite", 1, "larger than");
    assert_error("sqrt(-1)*t", "quantity-not-finite", 1, "not a finite number");
    assert_error("$a*t", "param-unknown", 1, "no parameter 'a'");
    assert_error("(5 mm + 2 kg)*t", "unit-dimension", 7, "m and kg");
    assert_error("sin(5 mm)*t", "unit-dimension", 1, "not m");
    assert_error("t/2 mm", "unit-ambiguous", 2, "(1/2) mm");
    assert_error("5 mn*t", "unit-unknown", 3, "did you mean 'm");
    assert_error("t & 1", "expression-syntax", 3, "'&'");
}

static void hostile_depth_and_length_are_refused(void **state) {
    (void)state;
    enum { LONG = 100000 };
    char *text = malloc(LONG + 1);
    static const char *const parts[] = {"(", "-", "2^", "sin(", "max(1,2,if(1,2,"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (int length = 4000; length <= LONG; length *= 5) {
            size_t n = 0, part = strlen(parts[i]);
            while (n + part < (size_t)length) {
                memcpy(text + n, parts[i], part);
                n += part;
            }
            text[n] = '\0';
            const br_error e = error_of(text);
            assert_int_equal(e.status, BR_TOO_LARGE);
        }
    }
    // Long but flat is fine up to the cap.
    size_t n = 0;
    while (n + 2 < 4000) {
        memcpy(text + n, "t+", 2);
        n += 2;
    }
    strcpy(text + n, "1");
    assert_near(value_of(text, 1), 2000.0, 0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_follows_the_usual_precedence),
        cmocka_unit_test(functions_have_their_values),
        cmocka_unit_test(joints_are_read_by_name),
        cmocka_unit_test(units_scale_what_they_follow),
        cmocka_unit_test(scale_multiplies_everything),
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(jets_agree_with_finite_differences),
        cmocka_unit_test(a_slope_at_rest_is_zero_even_where_it_is_infinite),
        cmocka_unit_test(knots_of_expressions_are_where_t_switches_them),
        cmocka_unit_test(linear_tables_pass_through_their_points),
        cmocka_unit_test(smooth_tables_never_overshoot_and_have_continuous_slopes),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(mistakes_are_named_with_their_character),
        cmocka_unit_test(hostile_depth_and_length_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
