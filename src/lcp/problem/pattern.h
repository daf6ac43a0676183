// The pattern of a problem: what setup analyses and solve may not change.
#ifndef BR_LCP_PROBLEM_PATTERN_H
#define BR_LCP_PROBLEM_PATTERN_H

#include "base/arena.h"
#include "bristle/solver.h"

// A copy of a pattern, to hold later problems against.
typedef struct br_lcp_pattern {
    br_form form;
    int rows, laws, nodes;
    br_law *law; // kind, rows, sides and normal_rows count
    int *node_dim, *mass_start, *mass_node, *jacobian_start, *jacobian_node; // velocity form
    int *row_start, *column;                                                 // matrix form
    size_t scalars, mass_count, jacobian_count; // velocity form: numbers in momentum, mass and jacobian
} br_lcp_pattern;

br_status br_lcp_pattern_copy(br_arena *arena, const br_problem *problem, br_lcp_pattern *out,
                              br_error *error);

// NULL when the problem has this pattern, else what differs, as words for a message.
const char *br_lcp_pattern_difference(const br_lcp_pattern *pattern, const br_problem *problem);
// The same of sizes alone, and of arrays that are left out: what keeps every access inside.
const char *br_lcp_pattern_size_difference(const br_lcp_pattern *pattern, const br_problem *problem);

#endif
