// Block Gauss-Seidel on an island: a sweep an iteration, alternating direction.
#ifndef BR_LCP_SWEEP_GAUSS_SEIDEL_H
#define BR_LCP_SWEEP_GAUSS_SEIDEL_H

#include "lcp/island/method.h"

typedef struct br_lcp_gauss_seidel br_lcp_gauss_seidel;
br_lcp_gauss_seidel *br_lcp_gauss_seidel_create(br_arena *arena, br_lcp_island *s);
void br_lcp_gauss_seidel_init(br_lcp_gauss_seidel *gs,
                              const br_lcp_options *options); // starts from the island's p
br_progress br_lcp_gauss_seidel_iterate(br_lcp_gauss_seidel *gs);
br_outcome br_lcp_gauss_seidel_run(br_lcp_gauss_seidel *gs, const br_lcp_options *options);

// Its parts, for methods that are made of sweeps: W_cc of every law from the island's values, and one sweep, which moves p
// and in velocity form v with it.
void br_lcp_gauss_seidel_prepare(br_lcp_gauss_seidel *gs);
void br_lcp_gauss_seidel_sweep(br_lcp_gauss_seidel *gs, int backwards);

#endif
