// Every error code of the library has an entry in the catalogue, and the catalogue can be searched.
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/io.h"
#include "near.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

// A code is the only kind of string literal in the library of the form "word-word" in small letters: it is found by
// its look, so that codes handed through helper functions count too.
static int is_code(const char *s, size_t n) {
    int dashes = 0;
    for (size_t k = 0; k < n; k++) {
        if (s[k] == '-' && k > 0 && k + 1 < n)
            dashes++;
        else if (!islower((unsigned char)s[k]) && !isdigit((unsigned char)s[k]))
            return 0;
    }
    return dashes > 0;
}

static int check_file(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[1024];
    int missing = 0, in_call = 0;
    while (fgets(line, sizeof line, file)) {
        if (strstr(line, "fail")) in_call = 3; // the literal is on this line or soon after
        for (const char *p = strchr(line, '"'); in_call > 0 && p; p = strchr(p, '"')) {
            const char *end = strchr(++p, '"');
            if (!end) break;
            char code[64];
            snprintf(code, sizeof code, "%.*s", (int)(end - p), p);
            if (is_code(p, (size_t)(end - p)) && !br_explain(code)) {
                print_error("%s uses the code %s, which src/io/explain.c does not explain\n", path, code);
                missing++;
            }
            p = end + 1;
        }
        in_call--;
    }
    fclose(file);
    return missing;
}

static void every_code_in_the_library_is_explained(void **state) {
    (void)state;
    int missing = 0, files = 0;
    DIR *src = opendir(BRISTLE_SOURCE_DIR "/src");
    if (!src) skip();
    for (const struct dirent *folder; (folder = readdir(src));) {
        char path[512];
        if (folder->d_name[0] == '.') continue;
        snprintf(path, sizeof path, BRISTLE_SOURCE_DIR "/src/%.100s", folder->d_name);
        DIR *dir = opendir(path);
        for (const struct dirent *e; dir && (e = readdir(dir));) {
            const size_t n = strlen(e->d_name);
            if (n < 3 || strcmp(e->d_name + n - 2, ".c") != 0) continue;
            snprintf(path, sizeof path, BRISTLE_SOURCE_DIR "/src/%.100s/%.100s", folder->d_name, e->d_name);
            missing += check_file(path);
            files++;
        }
        if (dir) closedir(dir);
    }
    closedir(src);
    assert_true(files > 0);
    assert_int_equal(missing, 0);
}

static void catalogue_is_sorted_and_complete(void **state) {
    (void)state;
    size_t count;
    const br_explanation *all = br_explanation_list(&count);
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
        assert_true(is_code(all[k].code, strlen(all[k].code)));
        assert_true(strlen(all[k].meaning) > 10 && strlen(all[k].example) > 3 && strlen(all[k].remedy) > 10);
        if (k > 0) assert_true(strcmp(all[k - 1].code, all[k].code) < 0);
        assert_ptr_equal(br_explain(all[k].code), &all[k]);
    }
    assert_null(br_explain("no-such-code"));
}

static void nearest_word_forgives_typing_errors_only(void **state) {
    (void)state;
    static const char *const words[] = {"MATRIX", "VECTOR", "nc", "law"};
    assert_string_equal(br_nearest_word("MATRX", words, 4), "MATRIX");
    assert_string_equal(br_nearest_word("matrix", words, 4), "MATRIX");
    assert_string_equal(br_nearest_word("VETCOR", words, 4), "VECTOR");
    assert_null(br_nearest_word("banana", words, 4));
    assert_null(br_nearest_word("", words, 4));
    assert_null(br_nearest_word("a_word_of_more_than_thirty_two_letters_MATRIX", words, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_in_the_library_is_explained),
        cmocka_unit_test(catalogue_is_sorted_and_complete),
        cmocka_unit_test(nearest_word_forgives_typing_errors_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
