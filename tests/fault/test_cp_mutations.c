// Valid files with a few bytes changed, lines swapped or cut: read or refused, never a crash, and every refusal has
// a place and an explained code. Meant to run under the address and undefined sanitizers too.
#include "bristle/io.h"
#include "random.h"
#include "temp_file.h"

enum { RUNS = 4000, ROOM = 4096 };

static const char *const seeds[] = {
    "TYPE LCP\nMATRIX M 2 2 3\n1 1 0.1\n0 0 1e-300\n1 0 0\nVECTOR q 2\n-0.3333333333333333\n2\n",
    "TYPE RELAY\nMATRIX M 2 2 1\n0 1 -1\nVECTOR q 2\n1\n2\nVECTOR lb 2\n-inf\n-1\nVECTOR ub 2\n1\ninf\n",
    "TYPE MLCP\nneq 1\nncomp 1\nMATRIX M 3 2 2\n0 0 1\n2 1 7\nVECTOR q 3\n1\n2\n3\nVECTOR is_complementarity "
    "3\n0\n1\n0\n",
    "TYPE FC2D\nnc 1\ndim 2\nlaw polygon(6)\nMATRIX W 2 2 3\n0 0 1\n0 1 0.2\n1 1 1\nVECTOR q "
    "2\n-1\n0.1\nVECTOR mu 1\n0.7\n",
    "TYPE GFC2D\nnc 1\nneq 1\nMATRIX M 3 3 3\n0 0 1\n1 1 1\n2 2 0.1\nMATRIX H 3 2 3\n1 0 1\n0 1 1\n2 1 "
    "-0.5\nMATRIX G 3 1 1\n2 0 1\n"
    "VECTOR q 3\n0\n-1\n0\nVECTOR g 1\n3\nVECTOR mu 1\n0.5\n",
};

static const char *const words[] = {"nan",       "inf",     "-1",         "99999999999999999999",
                                    "134217728", "MATRIX",  "VECTOR q 3", "\n",
                                    "#",         "0 0 0\n", "1e309",      "\r\n"};

static size_t mutate(char *text, size_t size, rng *r) {
    const size_t at = rng_next(r) % (size + 1);
    switch (rng_next(r) % 5) {
    case 0: // another byte
        if (at < size) text[at] = (char)rng_next(r);
        return size;
    case 1: { // a word in between
        const char *word = words[rng_next(r) % (sizeof words / sizeof *words)];
        const size_t length = strlen(word);
        if (size + length >= ROOM) return size;
        memmove(text + at + length, text + at, size - at);
        memcpy(text + at, word, length);
        return size + length;
    }
    case 2: { // a piece less
        const size_t length = rng_next(r) % 12 < size - at ? rng_next(r) % (size - at + 1) % 12 : 0;
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    }
    case 3: // another digit
        for (size_t k = at; k < size; k++)
            if (text[k] >= '0' && text[k] <= '9') {
                text[k] = (char)('0' + rng_next(r) % 10);
                break;
            }
        return size;
    default:
        return at > 0 && rng_next(r) % 8 == 0 ? at : size; // cut, now and then
    }
}

static void changed_files_are_read_or_refused(void **state) {
    (void)state;
    rng r = {2024};
    int accepted = 0;
    static char text[ROOM];
    for (int run = 0; run < RUNS; run++) {
        const char *seed = seeds[rng_next(&r) % (sizeof seeds / sizeof *seeds)];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        for (uint64_t k = rng_next(&r) % 4 + 1; k > 0; k--) size = mutate(text, size, &r);
        br_problem_file *file = NULL;
        br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
        const br_status status =
            br_problem_file_read(temp_write_bytes("m.cp", text, size), NULL, &file, &error);
        if (status == BR_OK) {
            accepted++;
            assert_int_equal(br_problem_file_problem(file)->rows, br_problem_file_info(file).unknowns);
            br_problem_file_free(file);
        } else {
            assert_non_null(br_explain(error.code));
            assert_true(error.message[0] != '\0');
            assert_true(error.line > 0 || size == 0);
        }
    }
    assert_true(accepted > RUNS / 50 && accepted < RUNS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_files_are_read_or_refused)};
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
