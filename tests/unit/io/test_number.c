// Numbers as text: the same bytes as printf, for every kind of number that is.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text/number.h"
#include "near.h"

static void assert_as_printf(double x, int digits) {
    char ours[IO_MAX_NUMBER], theirs[64];
    const size_t length = br_io_format_number(ours, x, digits);
    snprintf(theirs, sizeof theirs, "%.*g", digits, x);
    if (strcmp(ours, theirs) != 0 || length != strlen(ours))
        fail_msg("%a with %d digits: %s, printf has %s", x, digits, ours, theirs);
}

static void assert_all_digits(double x) {
    for (int digits = 1; digits <= 17; digits++) {
        assert_as_printf(x, digits);
        assert_as_printf(-x, digits);
    }
}

static void plain_numbers_are_as_printf_has_them(void **state) {
    (void)state;
    static const double numbers[] = {
        0.0,    1.0,     0.1,       0.5,    0.25,     1e-4,    9.9999e-5, 1e-5,  123456.0,
        9.81,   1e16,    1e17,      1e18,   1e22,     1e23,    1e300,     1e-38, 1e-39,
        1e-300, DBL_MIN, DBL_MAX,   5e-324, INFINITY, 99999.5, 9.5,       0.95,  9007199254740993.0,
        2.5,    3.5,     1.0 / 3.0,
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) assert_all_digits(numbers[k]);
    for (int k = -45; k < 30; k++) { // powers of ten and their neighbours: where the count of digits changes
        const double x = pow(10.0, k);
        assert_all_digits(x);
        assert_all_digits(nextafter(x, 0.0));
        assert_all_digits(nextafter(x, INFINITY));
    }
    for (int k = -1074; k < 1024; k += 3) assert_all_digits(ldexp(1.0, k));
}

// Halves of the last digit are ties, which go to the even one: whole numbers over powers of two have them at every length.
static void ties_go_to_the_even_digit(void **state) {
    (void)state;
    for (int k = 1; k < 40; k++)
        for (int n = 1; n < 400; n += 2) assert_all_digits(ldexp((double)n, -k));
}

static void random_numbers_are_as_printf_has_them(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int k = 0; k < 100000; k++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = seed ^ seed >> 29;
        double any, usual;
        memcpy(&any, &bits, sizeof any);
        usual = ldexp((double)(bits >> 11), -53 - (int)(bits & 127) + 60); // 1e-20 .. 1e18
        if (isfinite(any)) assert_as_printf(any, 17);
        assert_as_printf(usual, 17);
        assert_as_printf(usual, 1 + (int)(bits >> 40) % 17);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers_are_as_printf_has_them),
        cmocka_unit_test(ties_go_to_the_even_digit),
        cmocka_unit_test(random_numbers_are_as_printf_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
