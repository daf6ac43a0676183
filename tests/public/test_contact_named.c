// Contact problems (towers, walls, crossed bricks, sphere piles): solved by the default choice to 1e-8. The largest
// are left to the benchmark, so that this stays a matter of seconds.
#include "problem_set.h"

enum { LARGEST = 400000 }; // bytes of a file

static int check(const char *path, const char *name) {
    struct stat s;
    if (stat(path, &s) == 0 && s.st_size > LARGEST) return 1;
    set_answer a = set_solve(path);
    const int good = set_is_solved(name, &a);
    free(a.p);
    return good;
}

static void named_contact_problems_are_solved(void **state) {
    (void)state;
    int files = 0;
    const char *folder = set_shared("problems/contact/named");
    const int failures = set_for_each(folder, check, &files);
    if (failures < 0) {
        print_message("skipped: there is no folder %s\n", folder);
        skip();
    }
    print_message("%d of %d problems in %s\n", files - failures, files, folder);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_contact_problems_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
