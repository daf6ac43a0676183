// Contact laws with flat sides written as a row problem [TanLiu eqs. 12-15].
//
// Each contact's friction is a sum of nonnegative impulses f_d along the corners d_k of its polygon, bounded together by
// mu f_n through a multiplier lambda, the sliding speed:
//
//     a = w_n                >= 0   with f_n    >= 0
//     b = D^T w_t + e lambda >= 0   with f_d    >= 0
//     c = mu f_n - e^T f_d   >= 0   with lambda >= 0
//
// box_friction does the same for each tangent on its own, with the two directions + and -. Equality, unilateral and box
// rows go over as they are. With p = S z, the matrix is A = S^T W S plus the rows and columns of lambda; it is copositive
// whatever the rank of W, so Lemke's method finds a solution.
#ifndef BR_LCP_PIVOT_POLYGON_LCP_H
#define BR_LCP_PIVOT_POLYGON_LCP_H

#include "lcp/pivot/rows.h"

// A column of S: p[row[0]] += factor[0] z, p[row[1]] += factor[1] z; row is -1 where there is none.
typedef struct br_polygon_column {
    int row[2];
    double factor[2];
    int lambda; // the multiplier's column for a direction, -1 for other unknowns
} br_polygon_column;

typedef struct br_polygon_lcp {
    int n_max;
    int n, free_rows;
    br_rows rows; // the expanded problem, in the arrays below
    double *A, *q, *lower, *upper;
    br_polygon_column *column;
} br_polygon_lcp;

// The most rows that the expanded problem and its free part can have, whatever mu and the bounds become. 0 when a law
// has no such form: a cone in three dimensions, joint friction.
int br_polygon_lcp_size(const br_law *law, int laws, int *n, int *free_rows);

// For expanded problems of at most n_max rows. 0 when out of memory.
int br_polygon_lcp_create(br_polygon_lcp *lcp, br_arena *arena, int n_max);

// W: row-major, over all rows of the laws, compliance included. lcp->rows is then the problem to solve.
void br_polygon_lcp_build(br_polygon_lcp *lcp, const br_law *law, int laws, const double *W, const double *q);

// p = S z.
void br_polygon_lcp_restore(const br_polygon_lcp *lcp, const double *z, int rows, double *p);

// A z that stands for p, with lambda from w = W p + q: to start warm from.
void br_polygon_lcp_guess(const br_polygon_lcp *lcp, const br_law *law, int laws, const double *p,
                          const double *w, double *z);

#endif
