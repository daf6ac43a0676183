// The friction cone's side of the interior point: the pair x = (mu a, p_t), y = (psi, omega_t) in the second-order cone
// of dimension 3, with x o y = kappa e on the central path. Used by barrier.c only; inline because it is its inner loop.
//
//     Nesterov-Todd scaling   F = eta^2 (2 b b^T - J), F y = x, J = diag(1, -1, -1);   W = F^(1/2),  lambda = W y
//     Newton's row            dx + F dy = W (lambda \ (kappa e - corr)) - x = r       corr: second-order products
//     psi eliminated          dp_t - mu e_t da + (F_tt - e_t F_0t) d omega_t = r_t - e_t r_0,   e_t = F_t0 / F_00
#ifndef BR_LCP_BARRIER_CONE_PAIR_H
#define BR_LCP_BARRIER_CONE_PAIR_H

#include <math.h>

typedef struct br_lcp_cone_pair {
    double x[3];         // mu a, p_1, p_2
    double det_x, det_y; // x_0^2 - |x_t|^2 and the same of y
    double b[3], eta;    // scaling point
    double F00, F10, F20, e1, e2;
    double r0; // first component of the last right-hand side
} br_lcp_cone_pair;

// The difference of squares, without cancellation near the boundary.
static inline double br_lcp_cone_det(const double x[3]) {
    const double length = sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - length) * (x[0] + length);
}

// sign 1: out = W x, sign -1: out = W^-1 x; W = eta (b_0, b^T; b, I + b b^T / (1 + b_0)).
static inline void br_lcp_cone_scale(const br_lcp_cone_pair *c, double sign, const double x[3],
                                     double out[3]) {
    const double *b = c->b, dot = b[1] * x[1] + b[2] * x[2], f = sign > 0.0 ? c->eta : 1.0 / c->eta;
    const double k = sign * x[0] + dot / (1.0 + b[0]);
    out[0] = f * (b[0] * x[0] + sign * dot);
    out[1] = f * (x[1] + k * b[1]);
    out[2] = f * (x[2] + k * b[2]);
}

// Scaling of the pair, and the law's blocks P and Q (3 x 3, normal row and column untouched but for P's).
static inline void br_lcp_cone_linearize(br_lcp_cone_pair *c, double mu, const double *p, const double y[3],
                                         double *P, double *Q) {
    const double *x = c->x;
    double *b = c->b;
    c->x[0] = mu * p[0];
    c->x[1] = p[1];
    c->x[2] = p[2];
    c->det_x = br_lcp_cone_det(x);
    c->det_y = br_lcp_cone_det(y);
    const double root_x = sqrt(c->det_x), root_y = sqrt(c->det_y), over = 1.0 / (root_x * root_y);
    const double over_x = root_y * over, over_y = root_x * over, eta2 = root_x * over_y;
    const double dot = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) * over;
    const double k = sqrt(0.5 / (1.0 + dot)); // 1 / (2 gamma), gamma^2 = (1 + dot) / 2
    b[0] = (x[0] * over_x + y[0] * over_y) * k;
    b[1] = (x[1] * over_x - y[1] * over_y) * k;
    b[2] = (x[2] * over_x - y[2] * over_y) * k;
    c->eta = sqrt(eta2);
    const double denominator = 2.0 * b[0] * b[0] - 1.0, twice = 2.0 / denominator;
    c->F00 = eta2 * denominator;
    c->F10 = 2.0 * eta2 * b[0] * b[1];
    c->F20 = 2.0 * eta2 * b[0] * b[2];
    c->e1 = twice * b[0] * b[1];
    c->e2 = twice * b[0] * b[2];
    P[3] = -mu * c->e1;
    P[6] = -mu * c->e2;
    P[4] = P[8] = 1.0;
    Q[4] = eta2 * (1.0 - twice * b[1] * b[1]);
    Q[5] = Q[7] = -eta2 * twice * b[1] * b[2];
    Q[8] = eta2 * (1.0 - twice * b[2] * b[2]);
}

// R_1, R_2 at kappa, for slacks y and the true tangent velocities w_t (g = w_t - omega_t goes to the right side).
static inline void br_lcp_cone_right_side(br_lcp_cone_pair *c, const double y[3], const double *corr,
                                          double kappa, const double *Q, const double *w, double *R) {
    double r[3] = {0.0, 0.0, 0.0};
    if (kappa != 0.0) {
        double lambda[3], z[3];
        const double v[3] = {kappa - corr[0], -corr[1], -corr[2]};
        br_lcp_cone_scale(c, 1.0, y, lambda); // z with lambda o z = v; det(lambda)^2 = det_x det_y
        const double over = 1.0 / sqrt(c->det_x * c->det_y), over_0 = 1.0 / lambda[0];
        z[0] = (lambda[0] * v[0] - lambda[1] * v[1] - lambda[2] * v[2]) * over;
        z[1] = (v[1] - z[0] * lambda[1]) * over_0;
        z[2] = (v[2] - z[0] * lambda[2]) * over_0;
        br_lcp_cone_scale(c, 1.0, z, r);
    }
    for (int i = 0; i < 3; i++) r[i] -= c->x[i];
    const double g1 = w[1] - y[1], g2 = w[2] - y[2];
    R[1] = r[1] - c->e1 * r[0] - Q[4] * g1 - Q[5] * g2;
    R[2] = r[2] - c->e2 * r[0] - Q[7] * g1 - Q[8] * g2;
    c->r0 = r[0];
}

// Largest step, at most alpha, that keeps x + step dx in the cone; det: of x. Most pairs pass the first test.
static inline double br_lcp_cone_limit(double alpha, const double x[3], const double dx[3], double det) {
    const double a = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2];
    const double b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    if (x[0] + alpha * dx[0] > 0.0 && det + alpha * (2.0 * b + alpha * a) > 0.0) return alpha;
    double root = alpha; // det + 2 b t + a t^2 = 0: first positive root, in the form that does not cancel
    const double disc = b * b - a * det;
    if (disc >= 0.0) {
        const double q = sqrt(disc);
        if (b < 0.0)
            root = det / (q - b);
        else if (a < 0.0)
            root = (b + q) / -a;
    }
    if (root > alpha) root = alpha;
    return x[0] + root * dx[0] < 0.0 ? x[0] / -dx[0] : root;
}

// Second-order products of a predictor step, in the scaled space: (W^-1 dx) o (W dy).
static inline void br_lcp_cone_correct(const br_lcp_cone_pair *c, const double dx[3], const double dy[3],
                                       double *corr) {
    double a[3], d[3];
    br_lcp_cone_scale(c, -1.0, dx, a);
    br_lcp_cone_scale(c, 1.0, dy, d);
    corr[0] = a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    corr[1] = a[0] * d[1] + d[0] * a[1];
    corr[2] = a[0] * d[2] + d[0] * a[2];
}

#endif
