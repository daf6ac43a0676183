// Contacts of free bodies at points, as little memory as they need: a sweep over a large pile is as fast as its data comes from
// memory. A contact's 3 x 12 Jacobian is a frame and two arms,
//
//     J dv = R (v_a + omega_a x r_a - v_b - omega_b x r_b),        M^-1 J^T dp = (q / m, I^-1 (r x q)),  q = R^T dp
//
// which is 15 numbers instead of 36, and no M^-1 J^T is stored. Rounding differs from J's in the last digit; whoever sweeps
// so evaluates with J itself now and then.
#ifndef BR_LCP_SWEEP_COMPACT_H
#define BR_LCP_SWEEP_COMPACT_H

#include "lcp/island/island.h"

typedef struct br_lcp_compact br_lcp_compact;

// NULL where the island's pattern does not fit (or there is no memory: ask the arena).
br_lcp_compact *br_lcp_compact_create(br_arena *arena, br_lcp_island *island);

// From the island's values, after br_lcp_island_prepare. 0: they are not of this form (centres of mass beside the nodes, rows that
// are no point's).
int br_lcp_compact_prepare(br_lcp_compact *compact);

// v := M^-1 (f + J^T p)
void br_lcp_compact_velocities(br_lcp_compact *compact);

// One sweep of block Gauss-Seidel: p, and v with it.
void br_lcp_compact_sweep(br_lcp_compact *compact, int backwards);

#endif
