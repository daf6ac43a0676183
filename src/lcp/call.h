// What a caller of the solver may get wrong: arguments left out, another problem than the one that was set up, arrays that
// lie in each other. Each is refused by name before anything is written.
#ifndef BR_LCP_CALL_H
#define BR_LCP_CALL_H

#include "lcp/problem/pattern.h"

// `name` is the argument's; `what` the call's.
br_status br_lcp_call_missing(const char *call, const char *name, br_error *error);

// The problem is of the pattern that was set up; trusted: its pattern_id says so, and only its sizes are compared.
br_status br_lcp_call_pattern(const br_lcp_pattern *known, const br_problem *problem, int trusted,
                              br_error *error);

// p, w and v (each may be NULL) lie apart from each other and from what the problem is read from.
br_status br_lcp_call_apart(const br_lcp_pattern *known, const br_problem *problem, const double *p,
                            const double *w, const double *v, br_error *error);

#endif
