// Solving an island within a bound of work, see capped.c.
#ifndef BR_LCP_CAPPED_H
#define BR_LCP_CAPPED_H

#include "lcp/choose.h"

#define BR_LCP_STEP_PATIENCE                                                                                 \
    2 // steps in which the residual of Newton must fall to a fifth: what follows gains more by as many

// The proximal point method from the best point so far, until the island has taken `most` factorizations.
void br_lcp_capped_proximal(br_lcp_plan *plan, int most);

// plan->allowed factorizations at most; the loaded island keeps its best answer, which the caller restores.
br_outcome br_lcp_capped_run(br_lcp_plan *plan);

#endif
