// Solving an island within a bound of work, see capped.c.
#ifndef BR_LCP_CAPPED_H
#define BR_LCP_CAPPED_H

#include "lcp/choose.h"

// plan->allowed factorizations at most; the loaded island keeps its best answer, which the caller restores.
br_outcome br_lcp_capped_run(br_lcp_plan *plan);

#endif
