// The broad phase against all pairs of boxes.
#include "shapes.h"

#include <stdlib.h>

#include "counting_allocator.h"

enum { MANY = 400 };

static int different_pairs(const void *context, int a,
                           int b) { // leaves out every pair whose sum divides by 7
    (void)context;
    assert_true(a < b);
    return (a + b) % 7 != 0;
}

static br_aabb box_at(br_vec3 centre, br_vec3 half) {
    const br_aabb box = {br_vec3_sub(centre, half), br_vec3_add(centre, half)};
    return box;
}

static int overlap(br_aabb a, br_aabb b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

static void check(br_broad *broad, int n, const br_aabb *box, const unsigned char *fixed,
                  br_broad_filter filter) {
    const br_broad_pair *pairs;
    int count, k = 0;
    assert_int_equal(br_broad_update(broad, box, &pairs, &count, NULL), BR_OK);
    for (int a = 0; a < n; a++) {
        for (int b = a + 1; b < n; b++) {
            if (!overlap(box[a], box[b]) || (fixed && fixed[a] && fixed[b])) continue;
            if (filter && !filter(NULL, a, b)) continue;
            assert_true(k < count);
            assert_int_equal(pairs[k].a, a);
            assert_int_equal(pairs[k].b, b);
            k++;
        }
    }
    assert_int_equal(k, count);
}

static br_aabb everywhere(void) {
    const br_vec3 far = br_vec3_of(INFINITY, INFINITY, INFINITY);
    const br_aabb box = {br_vec3_neg(far), far};
    return box;
}

typedef enum crowd { PILE, ROW, LAYER, MIXED, ONE_PLACE, CROWDS } crowd;

static br_aabb member(rng *r, crowd kind, int k) {
    const br_vec3 half =
        br_vec3_of(rng_uniform(r, 0.3, 0.6), rng_uniform(r, 0.3, 0.6), rng_uniform(r, 0.3, 0.6));
    switch (kind) {
    case ROW:
        return box_at(br_vec3_of(0.0, 0.9 * k, 0.0), half);
    case LAYER:
        return box_at(br_vec3_of(0.9 * (k % 20), 0.9 * (k / 20), 0.0), half);
    case MIXED:
        return box_at(rng_vec3(r, 8.0), br_vec3_scale(pow(10.0, rng_uniform(r, -2.0, 1.0)), half));
    case ONE_PLACE:
        return box_at(br_vec3_zero(), half);
    default:
        return box_at(rng_vec3(r, 4.0), half);
    }
}

static void finds_what_all_pairs_finds(void **state) {
    (void)state;
    rng r = {1};
    br_aabb box[MANY];
    unsigned char fixed[MANY];
    for (int kind = 0; kind < CROWDS; kind++) {
        const int n = kind == ONE_PLACE ? 60 : MANY;
        for (int k = 0; k < n; k++) box[k] = member(&r, (crowd)kind, k), fixed[k] = k % 5 == 0;
        for (int which = 0; which < 2; which++) {
            br_broad *broad;
            const br_broad_filter filter = which ? different_pairs : NULL;
            assert_int_equal(br_broad_create(n, fixed, filter, NULL, NULL, &broad, NULL), BR_OK);
            check(broad, n, box, fixed, filter);
            check(broad, n, box, fixed, filter);
            br_broad_destroy(broad);
        }
    }
}

// A few move far, all move a little, all move far, one comes and goes out of bounds, boxes shrink and grow: every path
// through the candidates.
static void follows_boxes_that_move(void **state) {
    (void)state;
    rng r = {2};
    br_aabb box[MANY];
    for (int k = 0; k < MANY; k++) box[k] = member(&r, PILE, k);
    br_broad *broad;
    assert_int_equal(br_broad_create(MANY, NULL, NULL, NULL, NULL, &broad, NULL), BR_OK);
    for (int step = 0; step < 200; step++) {
        const int few = step % 3 == 0, far = step % 10 == 9;
        for (int k = 0; k < MANY; k++) {
            if (few && k % 40 != step % 40) continue;
            const br_vec3 d = rng_vec3(&r, far ? 3.0 : few ? 0.5 : 0.02);
            box[k] = box_at(br_vec3_add(br_vec3_scale(0.5, br_vec3_add(box[k].low, box[k].high)), d),
                            br_vec3_scale(0.5, br_vec3_sub(box[k].high, box[k].low)));
        }
        if (step % 25 == 5) box[17] = everywhere();
        if (step % 25 == 10) box[17] = member(&r, PILE, 17);
        if (step % 20 == 15)
            for (int k = 0; k < MANY; k += 11) box[k] = member(&r, step % 40 == 15 ? MIXED : PILE, k);
        check(broad, MANY, box, NULL, NULL);
    }
    br_broad_destroy(broad);
}

static void unbounded_boxes_meet_everything(void **state) {
    (void)state;
    rng r = {3};
    for (int n = 2; n <= 120; n += 59) { // as a list and as trees
        br_aabb box[MANY];
        unsigned char fixed[MANY] = {0};
        for (int k = 0; k < n; k++) box[k] = member(&r, PILE, k);
        box[0] = box[n / 2] = everywhere();
        fixed[0] = fixed[n / 2] = 1;
        br_broad *broad;
        assert_int_equal(br_broad_create(n, fixed, NULL, NULL, NULL, &broad, NULL), BR_OK);
        check(broad, n, box, fixed, NULL);
        br_broad_destroy(broad);
    }
}

static void few_shapes_and_none(void **state) {
    (void)state;
    rng r = {4};
    for (int n = 0; n < 20; n++) {
        br_aabb box[20];
        br_broad *broad;
        assert_int_equal(br_broad_create(n, NULL, different_pairs, NULL, NULL, &broad, NULL), BR_OK);
        for (int step = 0; step < 5; step++) {
            for (int k = 0; k < n; k++) box[k] = box_at(rng_vec3(&r, 1.0), br_vec3_of(0.4, 0.4, 0.4));
            check(broad, n, box, NULL, different_pairs);
        }
        br_broad_destroy(broad);
    }
    br_broad_destroy(NULL);
}

static void boxes_that_are_not_numbers_meet_nothing(void **state) {
    (void)state;
    rng r = {5};
    br_aabb box[100];
    for (int k = 0; k < 100; k++) box[k] = member(&r, PILE, k);
    br_broad *broad;
    assert_int_equal(br_broad_create(100, NULL, NULL, NULL, NULL, &broad, NULL), BR_OK);
    check(broad, 100, box, NULL, NULL);
    box[3].low.y = NAN;
    box[50].high.z = NAN;
    check(broad, 100, box, NULL, NULL); // `overlap` is false for them
    br_broad_destroy(broad);
}

static void allocates_only_to_hold_more_pairs(void **state) {
    (void)state;
    rng r = {6};
    static br_aabb box[MANY];
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    br_broad *broad;
    const br_broad_pair *pairs;
    int count;
    for (int k = 0; k < MANY; k++) box[k] = member(&r, LAYER, k);
    assert_int_equal(br_broad_create(MANY, NULL, NULL, NULL, &allocator, &broad, NULL), BR_OK);
    const long calls = counter.calls;
    for (int step = 0; step < 50; step++) {
        for (int k = 0; k < MANY; k++) box[k] = member(&r, LAYER, k);
        assert_int_equal(br_broad_update(broad, box, &pairs, &count, NULL), BR_OK);
    }
    assert_int_equal(counter.calls, calls);
    for (int k = 0; k < MANY; k++) box[k] = member(&r, ONE_PLACE, k);
    assert_int_equal(br_broad_update(broad, box, &pairs, &count, NULL), BR_OK);
    assert_int_equal(count, MANY * (MANY - 1) / 2);
    assert_true(counter.calls > calls);
    br_broad_destroy(broad);
    assert_int_equal(counter.live, 0);
}

static void recovers_from_every_failed_allocation(void **state) {
    (void)state;
    rng r = {7};
    static br_aabb spread[100], together[100];
    for (int k = 0; k < 100; k++) spread[k] = member(&r, ROW, k), together[k] = member(&r, ONE_PLACE, k);
    for (long fail_at = 1;; fail_at++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, fail_at);
        br_broad *broad = NULL;
        br_error error = {0};
        const br_status created = br_broad_create(100, NULL, NULL, NULL, &allocator, &broad, &error);
        if (created == BR_OK) {
            const br_broad_pair *pairs = NULL;
            int count = -1;
            assert_int_equal(br_broad_update(broad, spread, &pairs, &count, &error), BR_OK);
            const br_status grown = br_broad_update(broad, together, &pairs, &count, &error);
            if (grown != BR_OK) {
                assert_int_equal(grown, BR_NO_MEMORY);
                check(broad, 100, together, NULL, NULL); // the call after it has memory again
            }
            check(broad, 100, spread, NULL, NULL);
        } else {
            assert_int_equal(created, BR_NO_MEMORY);
            assert_null(broad);
        }
        br_broad_destroy(broad);
        assert_int_equal(counter.live, 0);
        if (counter.failed == 0) break;
    }
}

// The work, counted, not timed: how many pairs the filter is asked about stays near the number of pairs there are.
static int count_calls(const void *context, int a, int b) {
    (void)a, (void)b;
    ++*(long *)(uintptr_t)context;
    return 1;
}

static void looks_at_few_pairs_that_are_not_near(void **state) {
    (void)state;
    enum { N = 10000 };
    br_aabb *box = malloc(N * sizeof *box);
    assert_non_null(box);
    for (int kind = 0; kind < 2; kind++) {
        rng r = {8};
        for (int k = 0; k < N; k++)
            box[k] = kind == 0
                         ? box_at(br_vec3_of(k, 0.0, 0.0), br_vec3_of(0.51, 0.51, 0.51))
                         : box_at(rng_vec3(&r, 40.0), br_vec3_scale(pow(1000.0, -rng_uniform(&r, 0.0, 1.0)),
                                                                    br_vec3_of(0.5, 0.5, 0.5)));
        long calls = 0;
        br_broad *broad;
        const br_broad_pair *pairs;
        int count;
        assert_int_equal(br_broad_create(N, NULL, count_calls, &calls, NULL, &broad, NULL), BR_OK);
        calls = 0;
        assert_int_equal(br_broad_update(broad, box, &pairs, &count, NULL), BR_OK);
        assert_true(calls <= 4 * count + 100); // wide boxes have 1.2^3 = 1.7 times the volume
        calls = 0;
        assert_int_equal(br_broad_update(broad, box, &pairs, &count, NULL), BR_OK);
        assert_int_equal(calls, 0);
        br_broad_destroy(broad);
    }
    free(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_all_pairs_finds),
        cmocka_unit_test(follows_boxes_that_move),
        cmocka_unit_test(unbounded_boxes_meet_everything),
        cmocka_unit_test(few_shapes_and_none),
        cmocka_unit_test(boxes_that_are_not_numbers_meet_nothing),
        cmocka_unit_test(allocates_only_to_hold_more_pairs),
        cmocka_unit_test(recovers_from_every_failed_allocation),
        cmocka_unit_test(looks_at_few_pairs_that_are_not_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
