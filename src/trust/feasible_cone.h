// Where every pad rests under a load that is linear (contacts), what the law allows is convex: second-order cones |f| <= c mu N + t D
// and half-spaces. Such a search needs no branches, and cutting planes creep along curved limits: a barrier method goes through the
// inside instead, and its gap is a bound that holds. Private to the feasible_*.c files.
#ifndef BR_TRUST_FEASIBLE_CONE_H
#define BR_TRUST_FEASIBLE_CONE_H

#include "trust/feasible_search.h"

int br_cone_create(br_region *region, br_arena *arena); // 0: no memory
// 1: the search is answered. 0: it is of another kind, has no inside, or its answer lies far out; nothing is said.
int br_cone_search(br_region *region, br_search *search);

#endif
