// The laws of a block of rows, in scaled variables (see island.h): what each solver needs to know of them.
//
//     project     y -> P(y), the Alart-Curnier map: p solves the law exactly when p = P(p - w)
//     linearize   its generalized Jacobian G
//     defect      p - natural map(p - w): what the one residual sums
//
// One row in law.c's table per kind; no solver switches on the kind.
#ifndef BR_LCP_PROBLEM_LAW_H
#define BR_LCP_PROBLEM_LAW_H

#include "bristle/solver.h"

#include <math.h>

// A law as an island holds it: local rows, values scaled by `scale` = sqrt(d_c).
typedef struct br_lcp_law {
    br_law_kind kind;
    int row, rows;        // first row inside the island, count
    int immovable;        // neither W nor C: w is b whatever happens
    int is_body_contact;  // 3 rows, and every node it touches has 6 velocities: the fast kernels apply
    double mu;            // friction coefficient, unscaled (it is a ratio)
    double lower, upper;  // impulse times scale
    double scale;         // sqrt(d_c): scaled p = scale * p, scaled w = w / scale
    double preload_scale; // joint friction: what its preload is multiplied by
    double share;         // joint friction: of its bound; 1 but for continuation
    int sides;
    double half_angle;            // polygon: pi / sides
    int normal_rows;              // joint friction
    const br_joint_bound *bounds; // joint friction, as given
} br_lcp_law;

#define BR_LCP_MAX_BLOCK (BR_MAX_LAW_ROWS * BR_MAX_LAW_ROWS)

// p := P(y). G (rows x rows, row-major; may be NULL) := dP/dy, one element of the generalized Jacobian at kinks.
void br_lcp_law_project(const br_lcp_law *law, const double *y, double *p, double *G);

// defect := p - natural map of p and w; zero exactly where the law holds. The cone's uses w_n + mu |w_t|, so that
// it is the projection onto a convex cone (De Saxce); the others use their own projection.
void br_lcp_law_defect(const br_lcp_law *law, const double *p, const double *w, double *defect);

// y := p - w / rho, the point that Newton projects, and give := 1 / rho with rho = 1 + C. Rows whose section is round or
// slanted share theirs.
static inline void br_lcp_law_aim(const br_lcp_law *law, const double *C, const double *p, const double *w,
                                  double *y, double *give) {
    for (int r = 0; r < law->rows; r++) give[r] = C[r] == 0.0 ? 1.0 : 1.0 / (1.0 + C[r]);
    if (law->rows == 3 && (law->kind == BR_LAW_CONE || law->kind == BR_LAW_POLYGON))
        give[1] = give[2] = give[1] < give[2] ? give[1] : give[2];
    for (int r = 0; r < law->rows; r++) y[r] = p[r] - w[r] * give[r];
}

// projected := P(y) - p. Where the projection leaves y alone that is -w / rho, written without p, whose last digit would
// hide it.
static inline void br_lcp_law_gap(int rows, const double *p, const double *w, const double *y,
                                  const double *give, double *projected) {
    for (int r = 0; r < rows; r++)
        projected[r] = projected[r] == y[r] ? -w[r] * give[r] : projected[r] - p[r];
}

// Bound of friction row k of a joint at equality impulses p (scaled). gradient (may be NULL): d bound / d p, one
// entry for each equality row.
double br_lcp_joint_bound(const br_lcp_law *law, int k, const double *p, double *gradient);

// 1 when the law couples its rows unsymmetrically (friction bounds that follow another row).
int br_lcp_law_is_friction(br_law_kind kind);
// 1 when each row is a box of fixed, maybe infinite, bounds: what the pivoting methods take directly.
int br_lcp_law_is_rows(br_law_kind kind);
void br_lcp_law_bounds(const br_lcp_law *law, double *lower, double *upper); // for such a law

// ------------------------------------------------------------------------------------- the cone in space, inlined
// Every contact of every step passes here, so these two are not behind the table.

// p := P(y) of the Alart-Curnier map with a disk of radius mu p_n, G := its generalized Jacobian.
static inline void br_lcp_cone_project(double mu, const double y[3], double p[3], double G[9]) {
    for (int i = 0; i < 9; i++) G[i] = 0.0;
    p[0] = p[1] = p[2] = 0.0;
    if (y[0] <= 0.0) return; // separates
    const double bound = mu * y[0], square = y[1] * y[1] + y[2] * y[2];
    p[0] = y[0];
    G[0] = 1.0;
    if (bound > 0.0 && square <= bound * bound) { // sticks
        p[1] = y[1];
        p[2] = y[2];
        G[4] = G[8] = 1.0;
        return;
    }
    if (square == 0.0) return;
    const double over = 1.0 / sqrt(square), t1 = y[1] * over, t2 = y[2] * over, k = bound * over;
    p[1] = bound * t1; // slides: d(bound y/|y|) = mu t dy_n + bound/|y| (I - t t^T) dy_t
    p[2] = bound * t2;
    G[3] = mu * t1;
    G[4] = k * (1.0 - t1 * t1);
    G[5] = G[7] = -k * t1 * t2;
    G[6] = mu * t2;
    G[8] = k * (1.0 - t2 * t2);
}

// p - P_K(p - w - mu |w_t| n), P_K the Euclidean projection onto the cone |p_t| <= mu p_n.
static inline void br_lcp_cone_defect(double mu, const double p[3], const double w[3], double defect[3]) {
    const double slip = sqrt(w[1] * w[1] + w[2] * w[2]), lift = w[0] + mu * slip;
    const double y0 = p[0] - lift, y1 = p[1] - w[1], y2 = p[2] - w[2], length = sqrt(y1 * y1 + y2 * y2);
    if (y0 >= 0.0 && length <= mu * y0) { // inside: written without p, which may be huge
        defect[0] = lift;
        defect[1] = w[1];
        defect[2] = w[2];
    } else if (mu * length <= -y0 || length == 0.0) {
        for (int i = 0; i < 3; i++) defect[i] = p[i];
    } else {
        const double outside = (length - mu * y0) / (1.0 + mu * mu), k = outside / length; // again without p
        defect[0] = lift - mu * outside;
        defect[1] = w[1] + k * y1;
        defect[2] = w[2] + k * y2;
    }
    if (mu <= 1.0)
        return; // else the cone is so wide that its defect hardly sees the normal: let that speak for itself
    const double normal = p[0] - w[0] > 0.0 ? w[0] : p[0];
    if (fabs(normal) > fabs(defect[0])) defect[0] = normal;
}

#endif
