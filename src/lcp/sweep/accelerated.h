// Accelerated Gauss-Seidel on an island: first order, no matrix but J's own numbers. An iteration is two sweeps, forth and back.
#ifndef BR_LCP_SWEEP_ACCELERATED_H
#define BR_LCP_SWEEP_ACCELERATED_H

#include "lcp/sweep/compact.h"
#include "lcp/sweep/gauss_seidel.h"

typedef struct br_lcp_accelerated br_lcp_accelerated;

// On an island with Gauss-Seidel's memory, which serves laws that are not contacts of free bodies at points. NULL: no memory.
br_lcp_accelerated *br_lcp_accelerated_create(br_arena *arena, br_lcp_island *s, br_lcp_gauss_seidel *gs);

// Starts from the island's p. patience: iterations that what is left may take, by the pace so far; 0: until it stalls.
void br_lcp_accelerated_init(br_lcp_accelerated *method, const br_lcp_options *options, double patience);
br_progress br_lcp_accelerated_iterate(br_lcp_accelerated *method);
br_outcome br_lcp_accelerated_run(br_lcp_accelerated *method, const br_lcp_options *options, double patience);

#endif
