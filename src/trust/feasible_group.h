// Contacts whose slips hang together: those of two bodies on one plane slip by one planar motion (x, y and a turn), however many they are.
// The direction of that motion is patched, one for all of them, and gives each its sector of directions: two parameters instead of one
// for every contact. Found by rank, whatever the bodies are. Private to the feasible_*.c files and modes.c.
#ifndef BR_TRUST_FEASIBLE_GROUP_H
#define BR_TRUST_FEASIBLE_GROUP_H

#include "trust/feasible_search.h"

// Groups of the contacts with two directions in which they slip; of one alone there is none. After create. 0: no memory.
int br_group_find(br_region *region, br_arena *arena);

// The directions in which pad i slips while the motion of its group is in the patch.
typedef struct br_sector {
    int known;               // 0: any, or none at all
    double middle[2], kappa; // m . v <= |v| <= kappa m . v
    double low[2], high[2];  // unit, its ends
} br_sector;

br_sector br_group_sector(const br_region *region, int i, const br_region_patch *patch);

#endif
