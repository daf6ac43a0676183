// The interior-point method on an island.
#ifndef BR_LCP_BARRIER_INTERIOR_H
#define BR_LCP_BARRIER_INTERIOR_H

#include "lcp/island/method.h"

typedef struct br_lcp_barrier br_lcp_barrier; // barrier.h

typedef struct br_lcp_interior_style {
    double start;    // penalty weight of the first solve
    double centring; // theta: floor of kappa in units of the infeasibility
    double step;     // share of the way to the boundary
} br_lcp_interior_style;

typedef struct br_lcp_interior {
    br_lcp_island *island;
    const br_lcp_options *options;
    br_lcp_barrier *barrier;
    br_lcp_interior_style style;
    double residual, alpha;
    double checkpoint;
    int patience, short_steps, iteration;
    br_outcome outcome;
} br_lcp_interior;

void br_lcp_interior_init(br_lcp_interior *interior, br_lcp_island *island, br_lcp_barrier *barrier,
                          br_lcp_interior_style style, const br_lcp_options *options);
br_progress br_lcp_interior_iterate(br_lcp_interior *interior);

#endif
