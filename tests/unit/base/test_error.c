#include "base/error.h"

#include <string.h>

#include "near.h"

static void an_error_carries_its_status_code_message_and_place(void **state) {
    (void)state;
    br_error error;
    memset(&error, 0xff, sizeof error);
    const br_status status =
        br_fail_at(&error, BR_PARSE, "cp-index-range", "wall.cp", 12, 3, "row %d is outside 0..%d", 7, 5);
    assert_int_equal(status, BR_PARSE);
    assert_int_equal(error.status, BR_PARSE);
    assert_string_equal(error.code, "cp-index-range");
    assert_string_equal(error.message, "row 7 is outside 0..5");
    assert_string_equal(error.file, "wall.cp");
    assert_int_equal(error.line, 12);
    assert_int_equal(error.column, 3);

    assert_int_equal(br_fail(&error, BR_NO_MEMORY, "out-of-memory", "%s", "out"), BR_NO_MEMORY);
    assert_string_equal(error.file, ""); // nothing of the earlier place is left
    assert_int_equal(error.line, 0);
}

static void no_error_wanted_is_fine(void **state) {
    (void)state;
    assert_int_equal(br_fail(NULL, BR_INVALID, "x", "%d", 1), BR_INVALID);
    assert_int_equal(br_fail_at(NULL, BR_IO, "x", "f", 1, 1, "%d", 1), BR_IO);
}

static void a_long_message_is_cut_and_says_so(void **state) {
    (void)state;
    struct {
        br_error error;
        char guard[16];
    } it;
    memset(&it, 0x55, sizeof it);
    char text[3 * BR_MAX_ERROR_TEXT];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    br_fail(&it.error, BR_INVALID, "long", "%s", text);
    assert_int_equal(strlen(it.error.message), BR_MAX_ERROR_TEXT - 1);
    assert_string_equal(it.error.message + BR_MAX_ERROR_TEXT - 4, "...");
    for (size_t i = 0; i < sizeof it.guard; ++i) assert_int_equal(it.guard[i], 0x55);

    text[BR_MAX_ERROR_TEXT - 1] = '\0'; // the longest that fits is not touched
    br_fail(&it.error, BR_INVALID, "long", "%s", text);
    assert_string_equal(it.error.message, text);
}

static void a_long_path_keeps_its_end(void **state) {
    (void)state;
    char path[2 * BR_MAX_ERROR_PATH];
    memset(path, 'd', sizeof path);
    memcpy(path + sizeof path - 9, "/wall.cp", 9);
    br_error error;
    br_fail_at(&error, BR_IO, "open", path, 0, 0, "cannot be opened");
    assert_int_equal(strlen(error.file), BR_MAX_ERROR_PATH - 1);
    assert_memory_equal(error.file, "...d", 4);
    assert_string_equal(error.file + BR_MAX_ERROR_PATH - 9, "/wall.cp");
}

static void a_message_may_quote_the_error_it_replaces(void **state) {
    (void)state;
    br_error error;
    br_fail_at(&error, BR_INVALID, "inner", "a.cp", 1, 2, "mu is negative");
    br_fail_at(&error, BR_INVALID, "outer", error.file, error.line, error.column, "law 3: %s", error.message);
    assert_string_equal(error.message, "law 3: mu is negative");
    assert_string_equal(error.file, "a.cp");
}

static void every_status_has_a_name_of_its_own(void **state) {
    (void)state;
    for (int i = BR_OK; i <= BR_NUMERICAL; ++i) {
        assert_string_not_equal(br_status_name((br_status)i), "unknown");
        for (int j = BR_OK; j < i; ++j)
            assert_string_not_equal(br_status_name((br_status)i), br_status_name((br_status)j));
    }
    assert_string_equal(br_status_name((br_status)999), "unknown");
    assert_string_equal(br_version(), BR_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_carries_its_status_code_message_and_place),
        cmocka_unit_test(no_error_wanted_is_fine),
        cmocka_unit_test(a_long_message_is_cut_and_says_so),
        cmocka_unit_test(a_long_path_keeps_its_end),
        cmocka_unit_test(a_message_may_quote_the_error_it_replaces),
        cmocka_unit_test(every_status_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
