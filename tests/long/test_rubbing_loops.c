// Random rubbing loops under the reference stepper, until a thousand of them have reversed: no "no solution" without a proof, few undecided.
#include "rubbing_survey.h"

#define REVERSED 1000
#define MOST 2000 // loops: some stick all the time

static void no_solution_is_said_only_with_a_proof(void **state) {
    (void)state;
    rubbing_survey s = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (uint64_t seed = 0; seed < MOST && s.reversed < REVERSED; seed++) survey_one(&s, seed, 1);
    survey_tell(&s);
    assert_true(s.ended >= 0.9 * s.count);
    assert_true(survey_of(&s, "friction-undecided") <= 0.03 * s.count); // 34 of 1483
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_solution_is_said_only_with_a_proof)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
