// Exponential, logarithm and their Jacobians, declared in math.h.
#include "bristle/math.h"
#include "math/elementary.h"

br_quat br_quat_from_mat3(br_mat3 R) {
    // 4 w^2 - 1, 4 x^2 - 1, ... ; they add to zero, so the largest is never below zero
    const double trace = br_mat3_trace(R);
    const double candidate[4] = {trace, 2.0 * R.m[0][0] - trace, 2.0 * R.m[1][1] - trace,
                                 2.0 * R.m[2][2] - trace};
    int largest = 0;
    for (int i = 1; i < 4; ++i)
        if (candidate[i] > candidate[largest]) largest = i;

    double q[4]; // four times the component found, times each component
    if (largest == 0) {
        q[0] = 1.0 + trace;
        q[1] = R.m[2][1] - R.m[1][2];
        q[2] = R.m[0][2] - R.m[2][0];
        q[3] = R.m[1][0] - R.m[0][1];
    } else {
        const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = R.m[k][j] - R.m[j][k];
        q[1 + i] = 1.0 + candidate[largest];
        q[1 + j] = R.m[i][j] + R.m[j][i];
        q[1 + k] = R.m[i][k] + R.m[k][i];
    }
    const br_quat r = br_quat_normalize(br_quat_of(q[0], q[1], q[2], q[3]));
    return r.w < 0.0 ? br_quat_of(-r.w, -r.x, -r.y, -r.z) : r;
}

br_quat br_quat_exp(br_vec3 r) {
    const double theta2 = br_vec3_norm_squared(r), theta = sqrt(theta2);
    double sine, cosine;
    br_sincos(0.5 * theta, &sine, &cosine);
    // sin(theta/2)/theta; two terms of its series are exact to rounding below theta = 1e-4
    const double s = theta < 1e-4 ? 0.5 - theta2 / 48.0 : sine / theta;
    return br_quat_of(cosine, s * r.x, s * r.y, s * r.z);
}

br_vec3 br_quat_log(br_quat q) {
    if (q.w < 0.0) q = br_quat_of(-q.w, -q.x, -q.y, -q.z);
    const br_vec3 u = br_quat_vector(q);
    const double s = br_vec3_norm(u); // sin(theta/2)
    return br_vec3_scale(s > 0.0 ? 2.0 * br_atan2(s, q.w) / s : 2.0 / q.w, u);
}

br_quat br_quat_from_axis_angle(br_vec3 axis, double angle) {
    double sine, cosine;
    br_sincos(0.5 * angle, &sine, &cosine);
    const br_vec3 u = br_vec3_scale(sine, br_vec3_normalize(axis));
    return br_quat_of(cosine, u.x, u.y, u.z);
}

// Below this theta^2 the closed forms cancel and a series is taken; above it they lose at most two digits.
#define SERIES_BELOW 0.25

// (theta - sin theta)/theta^3
static double third_order_sine(double theta2) {
    if (theta2 < SERIES_BELOW) {
        const double t = theta2; // 1/3! - t/5! + t^2/7! - ...
        return 1.0 / 6.0 *
               (1.0 - t / 20.0 * (1.0 - t / 42.0 * (1.0 - t / 72.0 * (1.0 - t / 110.0 * (1.0 - t / 156.0)))));
    }
    const double theta = sqrt(theta2);
    return (theta - br_sin(theta)) / (theta2 * theta);
}

// (1 - cos theta)/theta^2
static double second_order_cosine(double theta2) {
    if (theta2 < 1e-16) return 0.5;
    const double s = br_sin(0.5 * sqrt(theta2));
    return 2.0 * s * s / theta2;
}

// (1 - (theta/2) cot(theta/2))/theta^2
static double second_order_cotangent(double theta2) {
    if (theta2 < SERIES_BELOW) {
        const double t = theta2; // Bernoulli numbers: B_2n t^(n-1) / (2n)!
        return 1.0 / 12.0 +
               t * (1.0 / 720.0 +
                    t * (1.0 / 30240.0 +
                         t * (1.0 / 1209600.0 +
                              t * (1.0 / 47900160.0 + t * (691.0 / 1307674368000.0 + t / 74724249600.0)))));
    }
    const double half = 0.5 * sqrt(theta2);
    double sine, cosine;
    br_sincos(half, &sine, &cosine);
    return (1.0 - half * cosine / sine) / theta2;
}

// 1 + b [r]x + c [r]x^2
static br_mat3 skew_polynomial(br_vec3 r, double b, double c) {
    const br_mat3 S = br_mat3_skew(r);
    return br_mat3_add(br_mat3_identity(),
                       br_mat3_add(br_mat3_scale(b, S), br_mat3_scale(c, br_mat3_mul(S, S))));
}

br_mat3 br_rotation_jacobian(br_vec3 r) {
    const double theta2 = br_vec3_norm_squared(r);
    return skew_polynomial(r, second_order_cosine(theta2), third_order_sine(theta2));
}

br_mat3 br_rotation_jacobian_inverse(br_vec3 r) {
    return skew_polynomial(r, -0.5, second_order_cotangent(br_vec3_norm_squared(r)));
}

br_pose br_pose_exp(br_twist V) {
    return br_pose_of(br_quat_exp(V.angular), br_mat3_mul_vec(br_rotation_jacobian(V.angular), V.linear));
}

br_twist br_pose_log(br_pose X) {
    const br_vec3 r = br_quat_log(X.rotation);
    return br_twist_of(r, br_mat3_mul_vec(br_rotation_jacobian_inverse(r), X.position));
}
