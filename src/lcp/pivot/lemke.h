// Lemke's complementary pivoting with implicit bounds and a lexicographic ratio test [CottlePangStone sec. 4.4].
//
// Works on the reduced problem (rows_reduce.h): y = M x + q + d t. An artificial t > 0 makes every row feasible; each
// pivot brings in the complement of what just left, until t leaves (solved) or nothing limits the entering variable
// (a secondary ray). A finite upper bound needs no row of its own: x that reaches u stays there and y < 0 takes over.
// In exact arithmetic it solves every copositive-plus (hence every monotone) problem that is feasible, and P-matrices;
// in the worst case after 2^m pivots.
//
// Bimatrix games end on a ray at once with any positive covering vector. For them (bimatrix.h) Lemke-Howson's start: x_i
// and its best answer x_j enter first, and t is what y_i is too large by (d = -e_i), so that the path leads from
// strategy i to an equilibrium.
#ifndef BR_LCP_PIVOT_LEMKE_H
#define BR_LCP_PIVOT_LEMKE_H

#include "lcp/pivot/rows_reduce.h"

typedef struct br_lemke_options {
    int max_pivots; // 0: BR_MAX_LEMKE_PIVOTS(m)
    unsigned seed;  // 0: covering vector of ones, else a random positive one, the same for the same seed
    double shift;   // each diagonal entry times 1 + shift [TanLiu sec. 5] ...
    double lift; // ... and plus lift: makes a nonnegative matrix strictly semimonotone, so that no ray exists
    int label; // 0: none, else Lemke-Howson's start from strategy label - 1; a ray at once if M is not a game
} br_lemke_options;

#define BR_MAX_LEMKE_PIVOTS(m) (50 * (m) + 1000)

typedef struct br_lemke br_lemke;

br_lemke *br_lemke_create(br_arena *arena, int n_max, int free_max); // NULL when out of memory

// rows should be equilibrated (rows_scale.h): tolerances are those of data of order one.
void br_lemke_init(br_lemke *lemke, const br_rows *rows, const br_lemke_options *options);
br_progress br_lemke_iterate(br_lemke *lemke);

// CONVERGED (of the shifted problem, if it was shifted), RAY, SINGULAR or MAX_ITERATIONS; z and side are the point
// reached, with t left out. Accuracy is that of the pivots: polish it.
br_outcome br_lemke_test(const br_lemke *lemke, double *z, br_side *side);
int br_lemke_pivots(const br_lemke *lemke);
int br_lemke_size(const br_lemke *lemke);    // m
int br_lemke_is_game(const br_lemke *lemke); // whether a label was of use

#endif
