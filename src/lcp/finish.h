// The last step of a solve: an answer that is near beside its own impulses, but not beside the load, is brought nearer.
#ifndef BR_LCP_FINISH_H
#define BR_LCP_FINISH_H

#include "lcp/choose.h"

// Goes on from the plan's answer until its residual relative to the load is within the island's tolerance, or nothing helps. What
// comes out is never further off than what came in. 1: p changed.
int br_lcp_plan_finish(br_lcp_plan *plan, const br_problem *problem);

// What the rounding of p, of the sum J^T p and of w leaves in w, squared: as large as defects can be told apart from zero.
double br_lcp_island_rounding2(br_lcp_island *island);

#endif
