// Larger public problem sets, where they are at hand: skipped otherwise. The largest files are left to the benchmark, so
// that this stays a matter of seconds.
#include "problem_set.h"

enum { LARGEST = 400000 }; // bytes of a contact problem

static int skipped;

static int check_complementarity(const char *path, const char *name) {
    set_answer a = set_solve(path);
    const int good = set_is_as_expected(name, &a);
    free(a.p);
    return good;
}

static int check_contact(const char *path, const char *name) {
    struct stat s;
    if (stat(path, &s) == 0 && s.st_size > LARGEST) return 1;
    set_answer a = set_solve(path);
    const int good = set_is_solved(name, &a);
    free(a.p);
    return good;
}

static void every_complementarity_problem_is_solved(void **state) {
    (void)state;
    set_check_optional("problems/complementarity", check_complementarity, &skipped);
}

static void every_named_contact_problem_is_solved(void **state) {
    (void)state;
    set_check_optional("problems/contact/named", check_contact, &skipped);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_complementarity_problem_is_solved),
        cmocka_unit_test(every_named_contact_problem_is_solved),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    return set_exit_code(failures, skipped, (int)(sizeof tests / sizeof *tests));
}
