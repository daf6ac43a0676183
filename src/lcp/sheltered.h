// Proximal steps by the interior point: for islands on which Newton wanders whatever the proximal weight.
#ifndef BR_LCP_SHELTERED_H
#define BR_LCP_SHELTERED_H

#include "lcp/choose.h"

// From the island's best point. The path is told by the caller.
br_outcome br_lcp_sheltered_run(br_lcp_plan *plan);

#endif
