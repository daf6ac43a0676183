// Bimatrix games among LCPs: M = [[0, A], [B, 0]] after a renumbering, q < 0. Positive covering vectors all lead Lemke
// to a ray there; Lemke-Howson's path needs A and B positive, and gets them from the freedom of games to add a constant
// to all costs: with A' = A - c q 1^T a solution y' of the new game gives y = y' / (1 - c sum y') of the old one.
#ifndef BR_LCP_PIVOT_BIMATRIX_H
#define BR_LCP_PIVOT_BIMATRIX_H

// Whether (M, q) is such a game; player[i] receives 0 or 1. M row-major, m x m.
int br_bimatrix_recognize(int m, const double *M, const double *q, int *player);

// Adds to M what makes both games' costs positive; returns c.
double br_bimatrix_make_positive(int m, double *M, const double *q, const int *player);

// x of the game as it was; 0 when the equilibrium found has no finite counterpart (its value there is not positive).
int br_bimatrix_restore(int m, double c, const int *player, double *x);

#endif
