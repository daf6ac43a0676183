// The laws of a block of rows, in scaled variables (see island.h): what each solver needs to know of them.
//
//     project     y -> P(y), the Alart-Curnier map: p solves the law exactly when p = P(p - w)
//     linearize   its generalized Jacobian G
//     defect      p - natural map(p - w): what the one residual sums
//
// One row in law.c's table per kind; no solver switches on the kind.
#ifndef BR_LCP_LAW_H
#define BR_LCP_LAW_H

#include "bristle/solver.h"

// A law as an island holds it: local rows, values scaled by `scale` = sqrt(d_c).
typedef struct lcp_law {
    br_law_kind kind;
    int row, rows;       // first row inside the island, count
    int bodies;          // 3 rows, and every node it touches has 6 velocities: the fast kernels apply
    double mu;           // friction coefficient, unscaled (it is a ratio)
    double lower, upper; // impulse times scale
    double scale;        // sqrt(d_c): scaled p = scale * p, scaled w = w / scale
    int sides;
    double half_angle;            // polygon: pi / sides
    int normal_rows;              // joint friction
    const br_joint_bound *bounds; // joint friction, unscaled: preload is multiplied by scale where it is used
} lcp_law;

#define LCP_MAX_BLOCK (BR_MAX_LAW_ROWS * BR_MAX_LAW_ROWS)

// p := P(y). G (rows x rows, row-major; may be NULL) := dP/dy, one element of the generalized Jacobian at kinks.
void lcp_law_project(const lcp_law *law, const double *y, double *p, double *G);

// defect := p - natural map of p and w; zero exactly where the law holds. The cone's uses w_n + mu |w_t|, so that
// it is the projection onto a convex cone (De Saxce); the others use their own projection.
void lcp_law_defect(const lcp_law *law, const double *p, const double *w, double *defect);

// Bound of friction row k of a joint at equality impulses p (scaled). gradient (may be NULL): d bound / d p, one
// entry for each equality row.
double lcp_joint_bound(const lcp_law *law, int k, const double *p, double *gradient);

// 1 when the law couples its rows unsymmetrically (friction bounds that follow another row).
int lcp_law_is_friction(br_law_kind kind);
// 1 when each row is a box of fixed, maybe infinite, bounds: what the pivoting methods take directly.
int lcp_law_is_rows(br_law_kind kind);
void lcp_law_bounds(const lcp_law *law, double *lower, double *upper); // for such a law

#endif
