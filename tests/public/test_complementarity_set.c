// The complementarity problems of a peer's own test suite: those in tests/data with their exact answers, and the whole
// set where it is at hand.
#include "problem_set.h"

// Exact answers agree to 1e-9 of the largest unknown: the residual asked for is 1e-8, the methods that solve these
// small problems end at rounding.
#define EXACT 1e-9

static int has_no_solution(const char *name) {
    return strncmp(name, "none_", 5) == 0 || strcmp(name, "Rectangular_mlcp.cp") == 0;
}

static int is_as_expected(const char *name, const set_answer *a) {
    if (!has_no_solution(name)) return set_is_solved(name, a);
    if (a->outcome == BR_INFEASIBLE) return 1;
    print_error("%s: %s with path %s, expected infeasible\n", name, br_outcome_name(a->outcome), a->path);
    return 0;
}

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
    const int good = is_as_expected(name, &a) && compare_exact(name, &a, expected);
    fclose(expected);
    free(a.p);
    return good;
}

static int check_any(const char *path, const char *name) {
    set_answer a = set_solve(path);
    const int good = is_as_expected(name, &a);
    free(a.p);
    return good;
}

static void known_problems_have_their_exact_answers(void **state) {
    (void)state;
    int files = 0;
    assert_int_equal(set_for_each(BRISTLE_SOURCE_DIR "/tests/data/complementarity", check_known, &files), 0);
    assert_true(files >= 40);
}

static void every_problem_of_the_shared_set_is_solved(void **state) {
    (void)state;
    int files = 0;
    const char *folder = set_shared("problems/complementarity");
    const int failures = set_for_each(folder, check_any, &files);
    if (failures < 0) {
        print_message("skipped: there is no folder %s\n", folder);
        skip();
    }
    print_message("%d of %d problems in %s\n", files - failures, files, folder);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_problems_have_their_exact_answers),
        cmocka_unit_test(every_problem_of_the_shared_set_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
