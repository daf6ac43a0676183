// A proof that a row problem has no solution, by its linear conditions alone: w = A z + q with w >= 0 on rows bounded
// below only, w <= 0 above only, w = 0 on free rows, nothing on boxes, and z within its bounds. If no z does that,
// Farkas' certificate r shows it: r^T (A z + q) < 0 for every z allowed, although the rows ask for >= 0.
#ifndef BR_LCP_PIVOT_FEASIBLE_H
#define BR_LCP_PIVOT_FEASIBLE_H

#include "lcp/pivot/box_lp.h"
#include "lcp/pivot/rows.h"

// Bounds of z and r in lp for the linear conditions of row i when nothing is known about its side.
void br_feasible_relax(br_box_lp *lp, const br_rows *rows, int i);

// BR_LP_EMPTY: lp->certificate is the proof. BR_LP_FEASIBLE: lp->z satisfies the linear conditions.
br_box_lp_answer br_feasible(br_box_lp *lp, const br_rows *rows);

#endif
