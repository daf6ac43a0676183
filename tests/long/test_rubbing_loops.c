// A thousand random rubbing loops that reverse, under the reference stepper: no "no solution" without a proof, few undecided.
#include "rubbing_survey.h"

#define LOOPS 1000

static void no_solution_is_said_only_with_a_proof(void **state) {
    (void)state;
    rubbing_survey s = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (uint64_t seed = 0; seed < LOOPS; seed++) survey_one(&s, seed, 1);
    survey_tell(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_solution_is_said_only_with_a_proof)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
