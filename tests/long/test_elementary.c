// The elementary functions against quadruple precision (libquadmath, where the compiler has it): a million arguments a case, and
// the arguments next to multiples of pi/2, where sine, cosine and tangent cancel most.
#if defined __GNUC__ && !defined __clang__ && defined __SIZEOF_FLOAT128__ && __has_include(<quadmath.h>)
#include <quadmath.h>

__extension__ typedef __float128 wide;
#define WIDE(f) f##q
#else
typedef long double wide;
#define WIDE(f) f##l
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "elementary_check.h"

enum { TRIALS = 1000000, MULTIPLES = 1000000 };

static void every_function_is_within_one_ulp_of_quadruple_precision(void **state) {
    (void)state;
    int beyond = 0;
    for (int k = 0; k < ELEMENTARY_CASES; k++) {
        const elementary_case *c = &elementary_cases[k];
        const elementary_worst w = elementary_measure(c, TRIALS, 77 + (uint64_t)k);
        print_message("%-6s [%g, %g]  %.4f ulp  at %a %a\n", c->name, c->low, c->high, w.ulps, w.x, w.y);
        beyond += !(w.ulps <= 1.0);
    }
    assert_int_equal(beyond, 0);
}

static void turns_are_within_one_ulp_beside_every_multiple_of_a_quarter(void **state) {
    (void)state;
    double worst = 0.0;
    rng r = {5};
    for (int k = 1; k <= MULTIPLES; k++) {
        const double n =
            k < MULTIPLES / 2 ? k : floor(ldexp(1.0, rng_below(&r, 1020)) * rng_uniform(&r, 1.0, 2.0));
        const double x = n * (0.5 * BR_PI);
        if (!isfinite(x)) continue;
        worst = fmax(worst, elementary_ulps(br_sin(x), WIDE(sin)(x)));
        worst = fmax(worst, elementary_ulps(br_cos(x), WIDE(cos)(x)));
        worst = fmax(worst, elementary_ulps(br_tan(x), WIDE(tan)(x)));
    }
    print_message("beside multiples of pi/2: %.4f ulp\n", worst);
    assert_true(worst <= 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_within_one_ulp_of_quadruple_precision),
        cmocka_unit_test(turns_are_within_one_ulp_beside_every_multiple_of_a_quarter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
