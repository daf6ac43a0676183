// Farkas certificates for row problems, see feasible.h.
#include "lcp/pivot/feasible.h"

#include <math.h>

void br_feasible_relax(br_box_lp *lp, const br_rows *rows, int i) {
    const int n = rows->n;
    const double l = rows->lower[i], u = rows->upper[i];
    lp->lower[i] = l;
    lp->upper[i] = u;
    lp->lower[n + i] = isinf(u) ? 0 : -INFINITY; // w < 0 needs an upper bound to stand at
    lp->upper[n + i] = isinf(l) ? 0 : INFINITY;
}

br_box_lp_answer br_feasible(br_box_lp *lp, const br_rows *rows) {
    lp->n = rows->n;
    lp->A = rows->A;
    lp->q = rows->q;
    for (int i = 0; i < rows->n; i++) br_feasible_relax(lp, rows, i);
    return br_box_lp_solve(lp);
}
