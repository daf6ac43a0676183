// A thousand random tumbles (tumble.h) under both laws whose friction is within a disk; public.cone_kept runs the first hundred.
#include "tumble.h"

enum { TUMBLES = 1000 };

static void bristles_stay_in_their_cone(void **state) {
    (void)state;
    assert_int_equal(tumble_check(0, TUMBLES, "bristle"), 0);
}

static void exact_friction_stays_in_its_cone(void **state) {
    (void)state;
    assert_int_equal(tumble_check(0, TUMBLES, "cone"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bristles_stay_in_their_cone),
        cmocka_unit_test(exact_friction_stays_in_its_cone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
