// Parts of a balance that share nothing: no coordinate, no row and no load. Each is judged by itself.
#ifndef BR_TRUST_ISLANDS_H
#define BR_TRUST_ISLANDS_H

#include "friction/balance.h"

typedef struct br_islands {
    int count; // those with pads, in the order of their first pad; then one of all that has none, if there is anything left
    int *of_row; // [n] island of each equation
    int *of_column, *of_pad;
} br_islands;

br_status br_islands_find(const br_balance *b, br_arena *arena, br_islands *out); // BR_NO_MEMORY
// A balance of its own, pads and columns in their order; column [its columns]: which of b it is.
br_status br_islands_take(const br_balance *b, const br_islands *islands, int which, br_arena *arena,
                          br_balance *out, int **column);

#endif
