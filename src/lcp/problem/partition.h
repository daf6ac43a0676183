// Splitting a problem into islands: parts that share no node (velocity form) or no matrix entry (matrix form).
#ifndef BR_LCP_PROBLEM_PARTITION_H
#define BR_LCP_PROBLEM_PARTITION_H

#include "lcp/island/island.h"

typedef struct br_lcp_partition {
    int islands;
    br_lcp_numbering numbering;
    const int *law_start, *law_list;   // [islands + 1], laws by island, rising
    const int *node_start, *node_list; // same for nodes; nodes that no law touches share the last island
} br_lcp_partition;

br_status br_lcp_partition_create(br_arena *arena, const br_problem *problem, br_lcp_partition *out,
                                  br_error *error);

#endif
