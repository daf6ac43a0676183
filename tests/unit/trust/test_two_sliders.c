// Wojtyra's mechanism against the numbers of shared/reference/joints: null space, intervals, factors, and the
// verdicts in time.
#include "near.h"
#include "trust/verdict.h"

#include "balances.h"

// Reference numbers have six decimals.
#define PRINTED 1e-6

static br_trust_interval judge(br_arena *arena, const br_balance *b) {
    br_trust_interval t;
    br_error error;
    assert_int_equal(br_trust_judge(b, arena, NULL, &t, &error), BR_OK);
    return t;
}

static void null_vector_is_the_printed_one(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_balance b = two_sliders(&arena, -5, 20, 4);
    br_case c;
    assert_int_equal(br_case_make(&b, &arena, NULL, &c, NULL), BR_OK);
    assert_int_equal(c.family.unknowns, 1);
    assert_int_equal(c.permanent_nullity, 0);
    assert_int_equal(c.freedom, 1);
    const double *z = c.family.Z, scale = 1.0 / z[PIN_1_X];
    static const double printed[10] = {-1, 0, -5. / 12, 0, 1, -5. / 12, -1, 5. / 12, 5. / 12, 1};
    for (int k = 0; k < 10; k++) assert_near(z[k] * scale, printed[k], 1e-12); // rounding
    br_arena_free(&arena);
}

static void intervals_at_the_loads_of_example_1(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_balance b = two_sliders(&arena, -5, 20, 4);
    const br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.forces, 2);
    assert_near(t.force[0].friction_min, 14.736842, PRINTED);
    assert_near(t.force[0].friction_max, 23.448276, PRINTED);
    assert_near(t.force[1].friction_min, -12.631579, PRINTED);
    assert_near(t.force[1].friction_max, 8.275862, PRINTED);
    assert_near(t.force[0].coherent_min, 14.736842, PRINTED);
    assert_near(t.force[0].coherent_max, 20, PRINTED);
    assert_near(t.force[1].coherent_min, -12.631579, PRINTED);
    assert_near(t.force[1].coherent_max, 0, PRINTED);
    assert_near(t.c_star, 0.915534, PRINTED);
    assert_near(t.c_star_coherent, 40.0 / 43.0, PRINTED);
    assert_int_equal(t.exhaustive, 1);
    for (int i = 0; i < 2; i++) {
        assert_false(t.force[i].unique);
        assert_false(t.force[i].normal_unique);
    }
    assert_near(fabs(t.force[0].velocity_ratio), 1, 1e-12);
    assert_near(t.force[1].velocity_ratio, -5.0 / 12.0, 1e-12);
    assert_string_equal(t.not_unique, "slide_1.force.x, slide_2.force.y, pin_1.force.x, pin_1.force.y, "
                                      "pin_2.force.x, pin_2.force.y, slide_1.friction, slide_2.friction");
    br_arena_free(&arena);
}

static br_verdict verdict_at(double time) {
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_balance b = two_sliders_at(&arena, time);
    const br_trust_interval t = judge(&arena, &b);
    assert_true(t.exhaustive);
    assert_true(t.c_star <= 1);
    br_arena_free(&arena);
    return t.verdict;
}

static double boundary(double low, double high) {
    const br_verdict first = verdict_at(low);
    while (high - low > 1e-9) {
        const double middle = 0.5 * (low + high);
        if (verdict_at(middle) == first)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void verdicts_change_at_the_printed_times(void **state) {
    (void)state;
    assert_int_equal(verdict_at(0.0), BR_STICKS_ROBUST);
    assert_int_equal(verdict_at(0.3), BR_STICKS_ROBUST);
    assert_int_equal(verdict_at(1.2), BR_STICKS_METASTABLE);
    assert_int_equal(verdict_at(2.2), BR_UNDETERMINED);
    assert_int_equal(verdict_at(3.0), BR_STICKS_METASTABLE);
    assert_int_equal(verdict_at(4.0), BR_STICKS_METASTABLE);
    // An acceleration of 1e-9 of the loads is what counts as sliding, and the loads change by their own size
    // in about a second.
    assert_near(boundary(0.3, 1.2), 39.0 / 56.0, 1e-7);
    assert_near(boundary(1.2, 2.2), 1.0 + 127.0 / 150.0, 1e-7);
    assert_near(boundary(2.2, 3.0), 2.575, 1e-7);
}

static void sentence_names_the_joints(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_balance b = two_sliders_at(&arena, 2.2);
    const br_trust_interval t = judge(&arena, &b);
    assert_string_equal(t.settle,
                        "measure or model the compliance of pin_1 and pin_2: it decides how slide_1 and "
                        "slide_2 share the load, and with it whether they slide");
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_vector_is_the_printed_one),
        cmocka_unit_test(intervals_at_the_loads_of_example_1),
        cmocka_unit_test(verdicts_change_at_the_printed_times),
        cmocka_unit_test(sentence_names_the_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
