#include "base/arena.h"

#include <string.h>

#include "base/checked.h"
#include "counting_allocator.h"
#include "near.h"
#include "random.h"

static void pieces_are_aligned_zeroed_and_apart(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    rng r = {1};
    enum { PIECES = 500 };
    unsigned char *piece[PIECES];
    size_t size[PIECES];
    for (int i = 0; i < PIECES; ++i) {
        size[i] = (size_t)rng_below(&r, i % 50 == 0 ? 300000 : 700);
        piece[i] = BR_TAKE(&arena, unsigned char, size[i]);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        for (size_t j = 0; j < size[i]; ++j) assert_int_equal(piece[i][j], 0);
        memset(piece[i], 1 + i % 255, size[i]);
    }
    for (int i = 0; i < PIECES; ++i)
        for (size_t j = 0; j < size[i]; ++j) assert_int_equal(piece[i][j], 1 + i % 255);
    br_arena_free(&arena);
}

static void nothing_taken_gives_distinct_valid_pointers(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    void *a = br_arena_take(&arena, 0, 8), *b = br_arena_take(&arena, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    br_arena_free(&arena);
}

static void sizes_that_overflow_are_refused_before_the_allocator_is_asked(void **state) {
    (void)state;
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    br_arena arena;
    br_arena_init(&arena, &allocator);
    assert_null(br_arena_take(&arena, SIZE_MAX / 8 + 1, 8));
    assert_null(br_arena_take(&arena, SIZE_MAX, SIZE_MAX));
    assert_null(br_arena_take(&arena, SIZE_MAX, 1));
    assert_null(br_arena_take(&arena, SIZE_MAX - 63, 1));
    assert_null(br_arena_take(&arena, SIZE_MAX - 127, 1));
    assert_int_equal(counter.calls, 0);
    assert_non_null(br_arena_take(&arena, 10, 8)); // and the arena is none the worse
    br_arena_free(&arena);
    assert_int_equal(counter.live, 0);
}

static void a_failing_allocation_gives_null_and_leaves_the_arena_whole(void **state) {
    (void)state;
    for (long k = 1;; ++k) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_arena arena;
        br_arena_init(&arena, &allocator);
        double *first = NULL;
        for (int i = 0; i < 40; ++i) {
            double *piece = BR_TAKE(&arena, double, 5000);
            if (!piece) piece = BR_TAKE(&arena, double, 5000); // only call k fails
            assert_non_null(piece);
            piece[4999] = 1.0;
            if (!first) (first = piece)[0] = 42.0;
        }
        assert_near(first[0], 42.0, 0.0);
        br_arena_reset(&arena);
        assert_non_null(BR_TAKE(&arena, double, 5000));
        br_arena_free(&arena);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
    }
}

static void after_a_reset_the_same_work_asks_for_nothing(void **state) {
    (void)state;
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    br_arena arena;
    br_arena_init(&arena, &allocator);
    for (int i = 0; i < 100; ++i) BR_TAKE(&arena, double, 1000 + i);
    br_arena_reset(&arena);
    const long before = counter.calls;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 100; ++i) {
            double *piece = BR_TAKE(&arena, double, 1000 + i);
            assert_near(piece[i], 0.0, 0.0);
            piece[i] = 1.0;
        }
        br_arena_reset(&arena);
    }
    assert_int_equal(counter.calls, before);
    assert_int_equal(counter.live, 1);
    br_arena_free(&arena);
    assert_int_equal(counter.live, 0);
}

static void freeing_a_zeroed_or_freed_arena_is_safe(void **state) {
    (void)state;
    br_arena arena;
    memset(&arena, 0, sizeof arena);
    br_arena_free(&arena);
    br_arena_reset(&arena);
    br_arena_init(&arena, NULL);
    assert_non_null(br_arena_take(&arena, 1, 1));
    br_arena_free(&arena);
    br_arena_free(&arena);
    assert_non_null(br_arena_take(&arena, 1, 1)); // and may be used again
    br_arena_free(&arena);
}

static void a_failure_is_remembered_until_the_reset(void **state) {
    (void)state;
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 2);
    br_arena arena;
    br_arena_init(&arena, &allocator);
    assert_non_null(BR_TAKE(&arena, double, 10));
    assert_true(br_arena_ok(&arena));
    assert_null(BR_TAKE(&arena, double, 1000000));
    assert_non_null(BR_TAKE(&arena, double, 10));
    assert_false(br_arena_ok(&arena));
    br_arena_reset(&arena);
    assert_true(br_arena_ok(&arena));
    assert_null(br_arena_take(&arena, SIZE_MAX, 2));
    assert_false(br_arena_ok(&arena));
    br_arena_free(&arena);
}

static void an_array_that_grows_keeps_its_items(void **state) {
    (void)state;
    enum { ITEMS = 1000 };
    for (long fail_at = 0; fail_at < 4; fail_at++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, fail_at);
        br_arena arena;
        br_arena_init(&arena, &allocator);
        double *item = NULL;
        int count = 0, capacity = 0, failures = 0;
        while (count < ITEMS) {
            const double *before = item;
            const int room = capacity;
            if (BR_GROW(&arena, item, count, capacity)) {
                item[count] = (double)count;
                count++;
            } else {
                assert_ptr_equal(item, before);
                assert_int_equal(capacity, room);
                failures++;
            }
        }
        for (int k = 0; k < ITEMS; k++) assert_true(item[k] == (double)k);
        assert_int_equal(failures, counter.failed);
        const double *copy = BR_COPY(&arena, item, ITEMS);
        if (copy) assert_memory_equal(copy, item, ITEMS * sizeof *copy);
        assert_true(copy || fail_at > 0);
        br_arena_free(&arena);
    }
}

static void checked_sizes_do_not_wrap(void **state) {
    (void)state;
    size_t out = 7;
    assert_false(br_size_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(br_size_add(SIZE_MAX, 1, &out));
    assert_int_equal(out, 7);
    assert_true(br_size_mul(SIZE_MAX, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_true(br_size_mul(SIZE_MAX, 0, &out));
    assert_int_equal(out, 0);
    assert_true(br_size_add(SIZE_MAX - 1, 1, &out));
    assert_true(out == SIZE_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(nothing_taken_gives_distinct_valid_pointers),
        cmocka_unit_test(sizes_that_overflow_are_refused_before_the_allocator_is_asked),
        cmocka_unit_test(a_failing_allocation_gives_null_and_leaves_the_arena_whole),
        cmocka_unit_test(after_a_reset_the_same_work_asks_for_nothing),
        cmocka_unit_test(freeing_a_zeroed_or_freed_arena_is_safe),
        cmocka_unit_test(a_failure_is_remembered_until_the_reset),
        cmocka_unit_test(an_array_that_grows_keeps_its_items),
        cmocka_unit_test(checked_sizes_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
