// Dantzig's incremental principal pivoting with bounds [CottlePangStone sec. 4.2; Baraff1994]: rows are taken up one
// after the other; each is driven to w = 0 or to a bound by moving its z, while the rows taken up before keep their
// conditions, exchanging one at a time when they reach a bound or w = 0. For symmetric positive semidefinite A; finite
// there, about one exchange per row and n^2 operations each, which makes it quick on small problems.
#ifndef BR_LCP_PIVOT_DANTZIG_H
#define BR_LCP_PIVOT_DANTZIG_H

#include "lcp/pivot/rows.h"

typedef struct br_dantzig br_dantzig;

br_dantzig *br_dantzig_create(br_arena *arena, int n_max);                      // NULL when out of memory
void br_dantzig_init(br_dantzig *dantzig, const br_rows *rows, int max_pivots); // 0: 50 n + 100
br_progress br_dantzig_iterate(br_dantzig *dantzig);                            // one exchange or bound

// CONVERGED, RAY (a row cannot be satisfied while the earlier ones are), SINGULAR (A was not semidefinite) or
// MAX_ITERATIONS.
br_outcome br_dantzig_test(const br_dantzig *dantzig, double *z, br_side *side);
int br_dantzig_pivots(const br_dantzig *dantzig);

#endif
