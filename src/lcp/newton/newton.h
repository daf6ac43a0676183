// Newton's methods on an island: semismooth, dense for small islands, in the impulses for single laws, inside a proximal
// iteration; and the proof that an island has no solution.
#ifndef BR_LCP_NEWTON_NEWTON_H
#define BR_LCP_NEWTON_NEWTON_H

#include "lcp/island/method.h"

// Semismooth Newton (newton.c). Needs p evaluated. Gives up when the residual has not fallen to a fifth within five
// steps: the caller has something better to do by then.
typedef struct br_lcp_newton {
    br_lcp_island *island;
    const br_lcp_options *options;
    double delta;      // proximal weight
    double residual;   // of the current p
    double checkpoint; // residual to beat, and ...
    int patience;      // ... the steps left to do so
    int allowance;     // ... of so many each time
    int iteration;
    br_outcome outcome;
} br_lcp_newton;

void br_lcp_newton_init(br_lcp_newton *newton, br_lcp_island *island, const br_lcp_options *options);
br_progress br_lcp_newton_iterate(br_lcp_newton *newton);
br_outcome br_lcp_newton_run(br_lcp_island *island, const br_lcp_options *options);
void br_lcp_newton_polish(br_lcp_island *s,
                          const br_lcp_options *options); // one step from a p that is good already

// Newton for small islands of rigid bodies in contact (small.c), dense. Needs p evaluated.
#define BR_LCP_SMALL_LAWS 16
#define BR_LCP_SMALL_SCALARS 24
int br_lcp_small_applies(const br_lcp_island *island); // by its pattern
br_outcome br_lcp_small_run(br_lcp_island *island, const br_lcp_options *options);

// Newton for islands of one law (single.c), in the impulses. Needs p evaluated.
int br_lcp_single_applies(const br_lcp_island *island); // by its pattern
br_outcome br_lcp_single_run(br_lcp_island *island, const br_lcp_options *options);

// Proximal point around Newton (proximal.c). centre: [rows], values: [2 rows] of scratch.
br_outcome br_lcp_proximal_run(br_lcp_island *island, double *centre, double *values,
                               const br_lcp_options *options);
// A few of its steps, to options->enough: for the steps of a simulation.
br_outcome br_lcp_proximal_brief(br_lcp_island *island, double *centre, double *values,
                                 const br_lcp_options *options);
// As many of its steps as options->max_factorizations of the island leave: the best point is kept.
void br_lcp_proximal_capped(br_lcp_island *island, double *centre, double *values,
                            const br_lcp_options *options);

// 1 when the island provably has no solution; certificate [rows] is then the proof, in the problem's units
// (infeasible.c). The island's p, v and w are scratch afterwards.
int br_lcp_island_infeasible(br_lcp_island *island, double *certificate);

#endif
