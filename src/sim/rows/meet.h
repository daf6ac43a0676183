// Which groups of rows have a link in common, found by link and not by comparing every group with every other.
#ifndef BR_SIM_ROWS_MEET_H
#define BR_SIM_ROWS_MEET_H

#include "sim/core/sim.h"

typedef struct br_meet {
    const int *at, *link;  // [groups + 1]: the links of each group
    int *link_at, *member; // groups of each link, rising
    int *seen, *found;     // [groups]
} br_meet;

// at and link stay the caller's; BR_NO_MEMORY: nothing is left to free.
br_status br_meet_create(br_sim *sim, int groups, const int *at, const int *link, br_meet *out);
int br_meet_before(br_meet *meet, int group, const int **others); // those before it, rising; how many
void br_meet_free(br_sim *sim, br_meet *meet);

#endif
