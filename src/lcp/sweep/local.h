// One law against its own W_cc, all others held: what a sweep does at each of its stops. p is a guess first, then the answer of
// law(p, W p + w_free).
#ifndef BR_LCP_SWEEP_LOCAL_H
#define BR_LCP_SWEEP_LOCAL_H

#include "lcp/problem/law.h"

void br_lcp_local_solve(const br_lcp_law *law, const double *W, const double *w_free, double *p);
void br_lcp_local_cone(const br_lcp_law *law, const double *W, const double *w_free,
                       double *p); // of three rows

#endif
