// UTF-8 by brute force, and JSON that is JSON whatever the bytes of a name are.
#include <stdlib.h>
#include <string.h>

#include "bristle/text.h"
#include "near.h"

// Every sequence of up to four bytes whose first two decide: what decodes is what encodes to the same bytes.
static void what_decodes_is_what_encodes_to_it(void **state) {
    (void)state;
    for (unsigned code = 0; code <= 0x10ffff; code++) {
        char bytes[4];
        unsigned back = 0;
        const size_t n = br_utf8_encode(code, bytes);
        const int surrogate = code >= 0xd800 && code < 0xe000;
        const size_t read = br_utf8_decode(bytes, n, &back);
        if (surrogate ? read != 0 : read != n || back != code) fail_msg("U+%04x", code);
        if (n > 1 && br_utf8_decode(bytes, n - 1, NULL) != 0) fail_msg("U+%04x cut short", code);
    }
    static const char tail[] = {'\x80', '\xbf', 'a', '\xc2', '\0'};
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++)
            for (int k = 0; k < 25; k++) {
                const char bytes[4] = {(char)first, (char)second, tail[k / 5], tail[k % 5]};
                char again[4];
                unsigned code = 0;
                const size_t n = br_utf8_decode(bytes, 4, &code);
                if (n > 0 && (br_utf8_encode(code, again) != n || memcmp(bytes, again, n) != 0))
                    fail_msg("%02x %02x: not the shortest form", (unsigned)first, (unsigned)second);
            }
    assert_int_equal(br_utf8_decode("", 0, NULL), 0);
}

static void json_is_written_key_by_key(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const double numbers[] = {0.1, -2.0};
    br_json json = br_json_begin(out);
    br_json_string(&json, "a\"b", "x\\\n\x7f<\xff\xc3\xa4");
    br_json_number(&json, "n", 1.0 / 0.0);
    br_json_numbers(&json, "m", numbers, 2);
    br_json_lines(&json, "l", "one\n\ntwo");
    br_json list = br_json_list(&json, "list");
    br_json object = br_json_object(&list, NULL);
    br_json_bool(&object, "yes", 1);
    br_json_close_object(&object);
    br_json_whole(&list, NULL, -7);
    br_json_string(&list, NULL, NULL);
    br_json_close_list(&list);
    br_json_end(&json);
    fclose(out);
    assert_string_equal(text, "{\"a\\\"b\": \"x\\\\\\u000a\\u007f<\\ufffd\xc3\xa4\", \"n\": null, \"m\": "
                              "[0.10000000000000001, -2], \"l\": [\"one\", \"two\"], \"list\": "
                              "[{\"yes\": true}, -7, null]}\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_decodes_is_what_encodes_to_it),
        cmocka_unit_test(json_is_written_key_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
