// Row problems: the dense mixed LCP with bounds that every pivoting method works on.
//
//     w = A z + q,   lower <= z <= upper,   z = lower needs w >= 0, z = upper needs w <= 0, else w = 0
//
// lower = 0, upper = inf is a complementarity row, lower = -inf, upper = inf an equality row with a free unknown
// [Peiret2016 eqs. 28, 30, 31]. Each method is a struct created once (all its memory from an arena), then
// init / iterate / test. The methods expect equilibrated data (rows_scale.h) and leave accuracy to rows_polish.h;
// rows_choose.h puts the pieces together.
#ifndef BR_LCP_PIVOT_ROWS_H
#define BR_LCP_PIVOT_ROWS_H

#include "base/arena.h"
#include "bristle/solver.h"
#include "lcp/problem/progress.h"

typedef struct br_rows {
    int n;
    const double *A; // row-major, n x n
    const double *q;
    const double *lower, *upper; // may be infinite
} br_rows;

// Where a row's unknown stands in a complementary basis: at a bound, or basic with w = 0. One byte each.
typedef signed char br_side;
#define BR_SIDE_LOWER ((br_side)-1)
#define BR_SIDE_BASIC ((br_side)0)
#define BR_SIDE_UPPER ((br_side)1)

// max_i |z_i - clip(z_i - w_i, lower_i, upper_i)| / max(1, max|q|), w = A z + q returned in w. |w_i| on free rows.
double br_rows_residual(const br_rows *rows, const double *z, double *w);

// w = A z + q.
void br_rows_apply(const br_rows *rows, const double *z, double *w);

int br_rows_is_free(const br_rows *rows, int i);
int br_rows_is_fixed(const br_rows *rows, int i); // lower = upper: w is whatever it becomes

// Zero clipped into the bounds: where every method starts when it knows nothing.
void br_rows_origin(const br_rows *rows, double *z);

// The basis that (z, w) suggests: a row is at a bound when it is nearer to that bound than w is to zero.
void br_rows_sides(const br_rows *rows, const double *z, const double *w, br_side *side);

// z of a row that is not basic.
double br_rows_bound(const br_rows *rows, int i, br_side side);

#endif
