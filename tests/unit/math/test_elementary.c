// sin, cos and the others of src/math: within 1 ulp of long double, and right where there is nothing to round. The long test asks
// quadruple precision. Where long double is no wider than double, the random arguments are not judged.
typedef long double wide;
#define WIDE(f) f##l

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/hash.h"
#include "elementary_check.h"

#define ELEMENTARY_BITS UINT64_C(0x4a0b4fd89f955df1)

enum { TRIALS = 40000 };

static void every_function_is_within_one_ulp_of_long_double(void **state) {
    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG) skip();
    int beyond = 0;
    elementary_worst worst = {0};
    for (int k = 0; k < ELEMENTARY_CASES; k++) {
        const elementary_case *c = &elementary_cases[k];
        const elementary_worst w = elementary_measure(c, TRIALS, 1 + (uint64_t)k);
        if (w.ulps > worst.ulps) worst = w;
        beyond += !(w.ulps <= 1.0);
        const bool last = k + 1 == ELEMENTARY_CASES || strcmp(c->name, c[1].name) != 0;
        if (!last) continue;
        print_message("%-6s %.3f ulp, at %a %a\n", c->name, worst.ulps, worst.x, worst.y);
        worst = (elementary_worst){0};
    }
    assert_int_equal(beyond, 0);
}

static void assert_same_bits(double a, double b) {
    if (isnan(b))
        assert_true(isnan(a));
    else
        assert_memory_equal(&a, &b, sizeof a);
}

static void zeros_infinities_and_nan_are_answered_as_the_standard_says(void **state) {
    (void)state;
    static const double x[] = {0.0, -0.0,  1.0,       -1.0,       2.0,       -2.0,
                               0.5, -0.5,  3.0,       -3.0,       INFINITY,  -INFINITY,
                               NAN, 1e308, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p54};
    enum { COUNT = sizeof x / sizeof *x };
    for (int i = 0; i < COUNT; i++) {
        if (x[i] != x[i] || isinf(x[i]) || x[i] == 0.0) {
            assert_same_bits(br_sin(x[i]), sin(x[i])), assert_same_bits(br_cos(x[i]), cos(x[i]));
            assert_same_bits(br_tan(x[i]), tan(x[i])), assert_same_bits(br_asin(x[i]), asin(x[i]));
            assert_same_bits(br_acos(x[i]), acos(x[i])), assert_same_bits(br_atan(x[i]), atan(x[i]));
            assert_same_bits(br_exp(x[i]), exp(x[i])), assert_same_bits(br_exp2(x[i]), exp2(x[i]));
            assert_same_bits(br_expm1(x[i]), expm1(x[i])), assert_same_bits(br_sinh(x[i]), sinh(x[i]));
            assert_same_bits(br_cosh(x[i]), cosh(x[i])), assert_same_bits(br_tanh(x[i]), tanh(x[i]));
            assert_same_bits(br_cbrt(x[i]), cbrt(x[i]));
        }
        assert_same_bits(br_log2(x[i] < 3.0 ? x[i] : INFINITY), log2(x[i] < 3.0 ? x[i] : INFINITY));
        assert_true((br_log(x[i]) == log(x[i])) || fabs(br_log(x[i]) - log(x[i])) < 1e-13 ||
                    isnan(log(x[i])));
        for (int j = 0; j < COUNT; j++) {
            const double power = pow(x[i], x[j]), angle = atan2(x[i], x[j]), length = hypot(x[i], x[j]);
            if (!isfinite(power) || power == 0.0 || fabs(power) == 1.0)
                assert_same_bits(br_pow(x[i], x[j]), power);
            if (isnan(angle) || angle == 0.0) assert_same_bits(br_atan2(x[i], x[j]), angle);
            assert_true(isnan(angle) || fabs(br_atan2(x[i], x[j]) - angle) <= 4.5e-16);
            if (!isfinite(length) || length == 0.0) assert_same_bits(br_hypot(x[i], x[j]), length);
        }
    }
}

static void what_is_exact_is_exact(void **state) {
    (void)state;
    for (int k = -1074; k <= 1023; k++) {
        assert_true(br_exp2(k) == ldexp(1.0, k));
        assert_true(br_log2(ldexp(1.0, k)) == k);
        assert_true(br_pow(2.0, k) == ldexp(1.0, k));
    }
    double ten = 1.0;
    for (int k = 0; k <= 22; k++, ten *= 10.0) {
        assert_true(br_log10(ten) == k);
        assert_true(br_pow(10.0, k) == ten);
    }
    for (double n = 1.0; n < 2000.0; n += 1.0) {
        assert_true(br_cbrt(n * n * n) == n);
        assert_true(br_hypot(3.0 * n, 4.0 * n) == 5.0 * n);
        assert_true(br_pow(n, 3.0) == n * n * n);
        assert_true(br_pow(-n, 3.0) == -n * n * n);
    }
    assert_true(br_exp(0.0) == 1.0 && br_cos(0.0) == 1.0 && br_cosh(0.0) == 1.0);
    assert_true(br_acos(-1.0) == BR_PI && br_atan2(0.0, -1.0) == BR_PI && br_atan2(1.0, 0.0) == 0.5 * BR_PI);
}

static void sine_and_cosine_together_are_those_apart(void **state) {
    (void)state;
    rng r = {9};
    for (int i = 0; i < TRIALS; i++) {
        const double x = elementary_draw(&r, i % 2 ? DRAW_POWERS : DRAW_UNIFORM, -30.0, 30.0);
        double s, c;
        br_sincos(x, &s, &c);
        assert_same_bits(s, br_sin(x)), assert_same_bits(c, br_cos(x));
        assert_same_bits(br_sin(-x), -s), assert_same_bits(br_cos(-x), c);
    }
}

// The same on every machine and by every compiler: a hash of many values, so that whoever compiles this elsewhere sees it.
static void values_have_their_known_bits(void **state) {
    (void)state;
    uint64_t hash = BR_HASH_START;
    for (int k = 0; k < ELEMENTARY_CASES; k++) {
        const elementary_case *c = &elementary_cases[k];
        rng r = {1000 + (uint64_t)k};
        for (int i = 0; i < 2000; i++) {
            const double x = elementary_draw(&r, c->how, c->low, c->high);
            const double y = c->two ? elementary_draw(&r, c->how_second, c->low_second, c->high_second) : 0.0;
            const double value = c->two ? c->two(x, y) : c->one(x);
            hash = br_hash_doubles(hash, &value, 1);
        }
    }
    print_message("bits: UINT64_C(0x%016llx)\n", (unsigned long long)hash);
    assert_true(hash == ELEMENTARY_BITS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_within_one_ulp_of_long_double),
        cmocka_unit_test(zeros_infinities_and_nan_are_answered_as_the_standard_says),
        cmocka_unit_test(what_is_exact_is_exact),
        cmocka_unit_test(sine_and_cosine_together_are_those_apart),
        cmocka_unit_test(values_have_their_known_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
