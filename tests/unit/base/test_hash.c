#include "base/hash.h"

#include "near.h"

// Vectors published with the FNV-1a algorithm.
static void hash_gives_the_published_values(void **state) {
    (void)state;
    assert_true(br_hash_bytes(BR_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(br_hash_bytes(BR_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(br_hash_bytes(BR_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void hash_does_not_depend_on_how_the_bytes_are_cut(void **state) {
    (void)state;
    const uint64_t whole = br_hash_bytes(BR_HASH_START, "foobar", 6);
    assert_true(br_hash_bytes(br_hash_bytes(BR_HASH_START, "fo", 2), "obar", 4) == whole);
}

static void hash_of_an_integer_is_that_of_its_little_endian_bytes(void **state) {
    (void)state;
    const unsigned char bytes[8] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};
    assert_true(br_hash_u64(BR_HASH_START, UINT64_C(0x0123456789abcdef)) ==
                br_hash_bytes(BR_HASH_START, bytes, 8));
}

static void hash_of_doubles_sees_every_bit_but_one_nan(void **state) {
    (void)state;
    const double a[2] = {1.0, 0.0}, b[2] = {1.0, -0.0}, c[2] = {1.0, 0x1p-1074}, n[2] = {NAN, -NAN};
    assert_true(br_hash_doubles(BR_HASH_START, a, 2) != br_hash_doubles(BR_HASH_START, b, 2));
    assert_true(br_hash_doubles(BR_HASH_START, a, 2) != br_hash_doubles(BR_HASH_START, c, 2));
    assert_true(br_hash_doubles(BR_HASH_START, n, 1) == br_hash_doubles(BR_HASH_START, n + 1, 1));
    assert_true(br_hash_doubles(BR_HASH_START, a, 0) == BR_HASH_START);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_gives_the_published_values),
        cmocka_unit_test(hash_does_not_depend_on_how_the_bytes_are_cut),
        cmocka_unit_test(hash_of_an_integer_is_that_of_its_little_endian_bytes),
        cmocka_unit_test(hash_of_doubles_sees_every_bit_but_one_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
