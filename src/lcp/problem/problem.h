// Whether a problem is one.
#ifndef BR_LCP_PROBLEM_PROBLEM_H
#define BR_LCP_PROBLEM_PROBLEM_H

#include "bristle/solver.h"

br_status br_lcp_problem_check_pattern(const br_problem *problem, br_error *error);
br_status br_lcp_problem_check_values(const br_problem *problem,
                                      br_error *error); // of a problem with a sound pattern

#endif
