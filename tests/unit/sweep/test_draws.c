// Random numbers of sweeps: Philox against its published answers, permutations, quantiles of the normal distribution.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/normal.h"
#include "sweep/philox.h"

// The known answers that come with Random123, philox4x32 with 10 rounds.
static void philox_gives_the_published_answers(void **state) {
    static const struct {
        br_philox counter;
        uint64_t key;
        br_philox answer;
    } known[] = {
        {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
         UINT64_C(0xffffffffffffffff),
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         UINT64_C(0x299f31d0a4093822),
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const br_philox got = br_philox_block(known[k].key, known[k].counter);
        assert_memory_equal(&got, &known[k].answer, sizeof got);
    }
}

// Mean 1/2 and variance 1/12 within four standard errors of 100,000 numbers; two dimensions are not correlated.
static void uniform_numbers_have_their_moments(void **state) {
    enum { N = 100000 };
    double sum = 0, square = 0, product = 0;
    (void)state;
    for (uint64_t i = 0; i < N; i++) {
        const double x = br_philox_uniform(7, i, 0), y = br_philox_uniform(7, i, 1);
        assert_true(x > 0 && x < 1);
        sum += x, square += (x - 0.5) * (x - 0.5), product += (x - 0.5) * (y - 0.5);
    }
    assert_true(fabs(sum / N - 0.5) < 4 * sqrt(1.0 / 12 / N));
    assert_true(fabs(square / N - 1.0 / 12) < 4 * sqrt(1.0 / 180 / N));
    assert_true(fabs(product / N) < 4 * (1.0 / 12) / sqrt(N));
}

static void permutations_have_every_number_once(void **state) {
    enum { MOST = 1025 };
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 100, 1000, 1024, 1025};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint32_t d = 0; d < 3; d++) {
            unsigned char seen[MOST] = {0};
            for (uint64_t i = 0; i < sizes[k]; i++) {
                const uint64_t p = br_philox_permute(99, i, sizes[k], d);
                assert_true(p < sizes[k]);
                assert_int_equal(seen[p]++, 0);
            }
        }
    uint64_t same = 0;
    for (uint64_t i = 0; i < 1000; i++)
        same += br_philox_permute(99, i, 1000, 0) == br_philox_permute(99, i, 1000, 1);
    assert_true(same < 12); // one is expected to be, by chance
}

// erfc is the C library's, to about an ulp. d p/p = x phi(x)/p d x, so an error of 1e-15 |x| shows as |x| (|x| + 1) 1e-15 in p.
static void quantiles_are_those_of_the_error_function(void **state) {
    (void)state;
    for (int k = -400; k <= 400; k++) {
        const double p = k <= 0 ? 0.5 * pow(10, k / 4.0 * 0.3) : 1 - 0.5 * pow(10, -k / 40.0);
        if (!(p > 0 && p < 1)) continue;
        const double x = br_normal_quantile(p), q = p < 0.5 ? p : 1 - p, back = 0.5 * erfc(fabs(x) / sqrt(2));
        assert_true(fabs(back / q - 1) < 4e-15 * (1 + fabs(x)) * (1 + fabs(x)));
        assert_true(p == 0.5 ? x == 0 : (x < 0) == (p < 0.5));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(uniform_numbers_have_their_moments),
        cmocka_unit_test(permutations_have_every_number_once),
        cmocka_unit_test(quantiles_are_those_of_the_error_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
