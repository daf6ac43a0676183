// Contact problems (a box, a tower, a wall, piles of spheres): solved by the default choice to 1e-8.
#include "problem_set.h"

static int check(const char *path, const char *name) {
    set_answer a = set_solve(path);
    const int good = set_is_solved(name, &a);
    free(a.p);
    return good;
}

static void named_contact_problems_are_solved(void **state) {
    (void)state;
    int files = 0;
    assert_int_equal(set_for_each(BRISTLE_SOURCE_DIR "/tests/data/contact", check, &files), 0);
    assert_true(files >= 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_contact_problems_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
