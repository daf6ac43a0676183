// Complementarity problems of a peer's own test suite, with their exact answers. The whole set is in test_larger_sets.c.
#include "problem_set.h"

// Exact answers agree to 1e-9 of the largest unknown: the residual asked for is 1e-8, the methods that solve these
// small problems end at rounding.
#define EXACT 1e-9

static int compare_exact(const char *name, const set_answer *a, FILE *expected) {
    char line[256], status[32] = "";
    int n = 0;
    while (fgets(line, sizeof line, expected) && sscanf(line, "z %d", &n) != 1)
        sscanf(line, "status %31s", status);
    if (strcmp(status, br_outcome_name(a->outcome)) != 0) {
        print_error("%s: %s, expected %s\n", name, br_outcome_name(a->outcome), status);
        return 0;
    }
    if (n == 0) return 1;
    double worst = 0, scale = 1;
    assert_int_equal(n, a->rows);
    for (int k = 0; k < n; k++) {
        double z;
        assert_int_equal(fscanf(expected, "%lf", &z), 1);
        scale = fmax(scale, fabs(z));
        worst = fmax(worst, fabs(z - a->p[k]));
    }
    if (worst <= EXACT * scale) return 1;
    print_error("%s: off the exact answer by %.3e (path %s)\n", name, worst, a->path);
    return 0;
}

static int check_known(const char *path, const char *name) {
    char answer_path[1024];
    snprintf(answer_path, sizeof answer_path, "%.*s.expected", (int)strlen(path) - 3, path);
    FILE *expected = fopen(answer_path, "r");
    if (!expected) fail_msg("%s is missing", answer_path);
    set_answer a = set_solve(path);
    const int good = set_is_as_expected(name, &a) && compare_exact(name, &a, expected);
    fclose(expected);
    free(a.p);
    return good;
}

static void known_problems_have_their_exact_answers(void **state) {
    (void)state;
    int files = 0;
    assert_int_equal(set_for_each(BRISTLE_SOURCE_DIR "/tests/data/complementarity", check_known, &files), 0);
    assert_true(files >= 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_problems_have_their_exact_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
