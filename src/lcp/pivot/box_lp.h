// Is there a z with   z_lower <= z <= z_upper   and   r_lower <= A z + q <= r_upper ?
//
// Phase one of the simplex method on a dictionary with bounded variables, minimizing the sum of infeasibilities;
// Bland's rule once it stops making progress, so it always ends. When the answer is no it comes with Farkas'
// certificate c, checked afresh from the data: over all z and r within their bounds c^T r - (A^T c)^T z stays above
// c^T q, although r = A z + q makes them equal.
#ifndef BR_LCP_PIVOT_BOX_LP_H
#define BR_LCP_PIVOT_BOX_LP_H

#include "base/arena.h"

typedef enum br_box_lp_answer {
    BR_LP_FEASIBLE = 0, // z is a point, checked
    BR_LP_EMPTY,        // certificate is a proof, checked
    BR_LP_DOUBT         // neither could be confirmed in floating point, or the pivot cap was reached
} br_box_lp_answer;

typedef struct br_box_lp {
    int n_max;
    // Set by the caller before each solve; data of order one (rows_scale.h).
    int n;
    const double *A, *q;
    double *lower, *upper; // [2 n]: of z, then of r
    // Answers.
    double *z;           // [n]
    double *certificate; // [n]
    long pivots;         // of the last solve
    // Working space: basic variables = value, d(basic)/d(nonbasic) = D.
    double *D, *value, *cost, *r;
    int *basic, *nonbasic;
} br_box_lp;

int br_box_lp_create(br_box_lp *lp, br_arena *arena, int n_max); // 0 when out of memory
br_box_lp_answer br_box_lp_solve(br_box_lp *lp);

// Whether c proves that there is no such z, with a margin of 1e-9 of the terms compared. Signs that are wrong, and
// entries of A^T c that should be zero, may be off by rounding: 1e-12 of the terms that make them up.
int br_box_lp_proves(const br_box_lp *lp, const double *c);

#endif
