// Small fixed-size mathematics: vectors, rotations, poses, twists, wrenches, inertias. Value types, passed
// and returned by value. SI units, angles in radians.
//
// Frames are in the names: R_AB takes components in B to components in A; p_AB_W is the position of B's
// origin from A's, in the axes of W; X_AB is the pose of B in A (R_AB and p_AB_A); V_AB_C is the twist of B
// relative to A in the axes and at the origin of C. Products read like the frames: X_AC = X_AB X_BC.
#ifndef BRISTLE_MATH_H
#define BRISTLE_MATH_H

#include <float.h>
#include <math.h>

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_PI 3.14159265358979323846

typedef struct br_vec3 {
    double x, y, z;
} br_vec3;

typedef struct br_mat3 {
    // m[row][column]
    double m[3][3];
} br_mat3;

// A symmetric matrix, in the order in which the model file writes an inertia tensor.
typedef struct br_sym3 {
    double xx, yy, zz, xy, xz, yz;
} br_sym3;

// A unit quaternion is a rotation; q and -q are the same one. Hamilton's product, scalar first.
typedef struct br_quat {
    double w, x, y, z;
} br_quat;

typedef struct br_pose {
    // R_AB
    br_quat rotation;
    // p_AB_A, m
    br_vec3 position;
} br_pose;

// Velocity of a rigid body: `linear` is that of the body's point at the origin of the frame it is expressed
// in.
typedef struct br_twist {
    // rad/s
    br_vec3 angular;
    // m/s
    br_vec3 linear;
} br_twist;

// Force on a rigid body, or its momentum: `torque` is about the origin of the frame it is expressed in.
typedef struct br_wrench {
    // N m; as momentum kg m^2/s
    br_vec3 torque;
    // N; as momentum kg m/s
    br_vec3 force;
} br_wrench;

// Inertia of a rigid body about the origin of the frame it is expressed in. All ten numbers add.
typedef struct br_inertia {
    // kg
    double mass;
    // mass times the position of the centre of mass, kg m
    br_vec3 moment;
    // tensor about the frame's origin, not about the centre of mass, kg m^2
    br_sym3 rotational;
} br_inertia;

// --- vectors -----------------------------------------------------------------------------------------------

static inline br_vec3 br_vec3_of(double x, double y, double z) {
    br_vec3 r = {x, y, z};
    return r;
}

static inline br_vec3 br_vec3_zero(void) {
    return br_vec3_of(0.0, 0.0, 0.0);
}

static inline br_vec3 br_vec3_add(br_vec3 a, br_vec3 b) {
    return br_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline br_vec3 br_vec3_sub(br_vec3 a, br_vec3 b) {
    return br_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline br_vec3 br_vec3_neg(br_vec3 a) {
    return br_vec3_of(-a.x, -a.y, -a.z);
}

static inline br_vec3 br_vec3_scale(double s, br_vec3 a) {
    return br_vec3_of(s * a.x, s * a.y, s * a.z);
}

// a + s b
static inline br_vec3 br_vec3_add_scaled(br_vec3 a, double s, br_vec3 b) {
    return br_vec3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double br_vec3_dot(br_vec3 a, br_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline br_vec3 br_vec3_cross(br_vec3 a, br_vec3 b) {
    return br_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double br_vec3_norm_squared(br_vec3 a) {
    return br_vec3_dot(a, a);
}

// Right for lengths from 1e-150 to 1e150, which is every length here; not rescaled beyond.
static inline double br_vec3_norm(br_vec3 a) {
    return sqrt(br_vec3_dot(a, a));
}

static inline double br_vec3_distance(br_vec3 a, br_vec3 b) {
    return br_vec3_norm(br_vec3_sub(a, b));
}

static inline double br_vec3_max_abs(br_vec3 a) {
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

// The zero vector has no direction and stays zero.
static inline br_vec3 br_vec3_normalize(br_vec3 a) {
    const double norm = br_vec3_norm(a);
    return norm > 0.0 ? br_vec3_scale(1.0 / norm, a) : br_vec3_zero();
}

static inline int br_vec3_is_finite(br_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Component 0, 1 or 2.
static inline double br_vec3_get(br_vec3 a, int i) {
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static inline br_vec3 br_vec3_unit(int i) {
    return br_vec3_of(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0);
}

// --- matrices ----------------------------------------------------------------------------------------------

static inline br_mat3 br_mat3_of_rows(br_vec3 a, br_vec3 b, br_vec3 c) {
    br_mat3 r = {{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
    return r;
}

static inline br_mat3 br_mat3_of_columns(br_vec3 a, br_vec3 b, br_vec3 c) {
    br_mat3 r = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    return r;
}

static inline br_mat3 br_mat3_diagonal(br_vec3 d) {
    br_mat3 r = {{{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
    return r;
}

static inline br_mat3 br_mat3_zero(void) {
    return br_mat3_diagonal(br_vec3_zero());
}

static inline br_mat3 br_mat3_identity(void) {
    return br_mat3_diagonal(br_vec3_of(1.0, 1.0, 1.0));
}

static inline br_vec3 br_mat3_row(br_mat3 A, int i) {
    return br_vec3_of(A.m[i][0], A.m[i][1], A.m[i][2]);
}

static inline br_vec3 br_mat3_column(br_mat3 A, int j) {
    return br_vec3_of(A.m[0][j], A.m[1][j], A.m[2][j]);
}

static inline br_mat3 br_mat3_transpose(br_mat3 A) {
    return br_mat3_of_rows(br_mat3_column(A, 0), br_mat3_column(A, 1), br_mat3_column(A, 2));
}

static inline br_mat3 br_mat3_add(br_mat3 A, br_mat3 B) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) A.m[i][j] += B.m[i][j];
    return A;
}

static inline br_mat3 br_mat3_sub(br_mat3 A, br_mat3 B) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) A.m[i][j] -= B.m[i][j];
    return A;
}

static inline br_mat3 br_mat3_scale(double s, br_mat3 A) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) A.m[i][j] *= s;
    return A;
}

// A b
static inline br_vec3 br_mat3_mul_vec(br_mat3 A, br_vec3 b) {
    return br_vec3_of(br_vec3_dot(br_mat3_row(A, 0), b), br_vec3_dot(br_mat3_row(A, 1), b),
                      br_vec3_dot(br_mat3_row(A, 2), b));
}

// A^T b
static inline br_vec3 br_mat3_tmul_vec(br_mat3 A, br_vec3 b) {
    return br_vec3_of(br_vec3_dot(br_mat3_column(A, 0), b), br_vec3_dot(br_mat3_column(A, 1), b),
                      br_vec3_dot(br_mat3_column(A, 2), b));
}

// A B
static inline br_mat3 br_mat3_mul(br_mat3 A, br_mat3 B) {
    return br_mat3_of_columns(br_mat3_mul_vec(A, br_mat3_column(B, 0)),
                              br_mat3_mul_vec(A, br_mat3_column(B, 1)),
                              br_mat3_mul_vec(A, br_mat3_column(B, 2)));
}

// A^T B
static inline br_mat3 br_mat3_tmul(br_mat3 A, br_mat3 B) {
    return br_mat3_mul(br_mat3_transpose(A), B);
}

// A B^T
static inline br_mat3 br_mat3_mul_t(br_mat3 A, br_mat3 B) {
    return br_mat3_mul(A, br_mat3_transpose(B));
}

// a b^T
static inline br_mat3 br_mat3_outer(br_vec3 a, br_vec3 b) {
    return br_mat3_of_rows(br_vec3_scale(a.x, b), br_vec3_scale(a.y, b), br_vec3_scale(a.z, b));
}

// [a]x, so that br_mat3_mul_vec(br_mat3_skew(a), b) = a x b
static inline br_mat3 br_mat3_skew(br_vec3 a) {
    br_mat3 r = {{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
    return r;
}

// The vector of the skew part (A - A^T)/2: the inverse of br_mat3_skew.
static inline br_vec3 br_mat3_unskew(br_mat3 A) {
    return br_vec3_of(0.5 * (A.m[2][1] - A.m[1][2]), 0.5 * (A.m[0][2] - A.m[2][0]),
                      0.5 * (A.m[1][0] - A.m[0][1]));
}

static inline double br_mat3_trace(br_mat3 A) {
    return A.m[0][0] + A.m[1][1] + A.m[2][2];
}

static inline double br_mat3_determinant(br_mat3 A) {
    return br_vec3_dot(br_mat3_row(A, 0), br_vec3_cross(br_mat3_row(A, 1), br_mat3_row(A, 2)));
}

// Determinant over the product of the row lengths: 1 for orthogonal rows, 0 for dependent ones, whatever the
// units of each row. Below this a matrix counts as singular.
#define BR_EPS_MAT3_SINGULAR (8.0 * DBL_EPSILON)

// BR_NUMERICAL, and *inverse untouched, when A is singular to working precision or not finite.
static inline br_status br_mat3_invert(br_mat3 A, br_mat3 *inverse) {
    const br_vec3 a = br_mat3_row(A, 0), b = br_mat3_row(A, 1), c = br_mat3_row(A, 2);
    const br_vec3 bc = br_vec3_cross(b, c), ca = br_vec3_cross(c, a), ab = br_vec3_cross(a, b);
    const double det = br_vec3_dot(a, bc);
    const double volume = br_vec3_norm(a) * br_vec3_norm(b) * br_vec3_norm(c);
    if (!(fabs(det) > BR_EPS_MAT3_SINGULAR * volume) || !isfinite(1.0 / det)) return BR_NUMERICAL;
    *inverse = br_mat3_scale(1.0 / det, br_mat3_of_columns(bc, ca, ab)); // adj(A) / det(A)
    return BR_OK;
}

// --- symmetric matrices ------------------------------------------------------------------------------------

static inline br_sym3 br_sym3_of(double xx, double yy, double zz, double xy, double xz, double yz) {
    br_sym3 r = {xx, yy, zz, xy, xz, yz};
    return r;
}

static inline br_sym3 br_sym3_add(br_sym3 a, br_sym3 b) {
    return br_sym3_of(a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz);
}

static inline br_sym3 br_sym3_scale(double s, br_sym3 a) {
    return br_sym3_of(s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz);
}

static inline br_vec3 br_sym3_mul_vec(br_sym3 a, br_vec3 b) {
    return br_vec3_of(a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
                      a.xz * b.x + a.yz * b.y + a.zz * b.z);
}

static inline br_mat3 br_sym3_to_mat3(br_sym3 a) {
    br_mat3 r = {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
    return r;
}

// The symmetric part (A + A^T)/2.
static inline br_sym3 br_sym3_from_mat3(br_mat3 A) {
    return br_sym3_of(A.m[0][0], A.m[1][1], A.m[2][2], 0.5 * (A.m[0][1] + A.m[1][0]),
                      0.5 * (A.m[0][2] + A.m[2][0]), 0.5 * (A.m[1][2] + A.m[2][1]));
}

// R A R^T: the same tensor, from the axes of B to those of A when R is R_AB.
static inline br_sym3 br_sym3_rotate(br_mat3 R, br_sym3 a) {
    return br_sym3_from_mat3(br_mat3_mul_t(br_mat3_mul(R, br_sym3_to_mat3(a)), R));
}

// |a|^2 1 - a a^T = [a]x^T [a]x: the tensor of a unit mass at a.
static inline br_sym3 br_sym3_of_point(br_vec3 a) {
    return br_sym3_of(a.y * a.y + a.z * a.z, a.x * a.x + a.z * a.z, a.x * a.x + a.y * a.y, -a.x * a.y,
                      -a.x * a.z, -a.y * a.z);
}

// Eigenvalues in rising order and a right-handed orthonormal basis of eigenvectors, one per column, so that
// symmetric = vectors diag(values) vectors^T. Accurate for clustered and repeated eigenvalues. Either output
// may be NULL.
void br_sym3_eigen(br_sym3 symmetric, br_vec3 *values, br_mat3 *vectors);

// --- rotations ---------------------------------------------------------------------------------------------

static inline br_quat br_quat_of(double w, double x, double y, double z) {
    br_quat r = {w, x, y, z};
    return r;
}

static inline br_quat br_quat_identity(void) {
    return br_quat_of(1.0, 0.0, 0.0, 0.0);
}

static inline br_vec3 br_quat_vector(br_quat q) {
    return br_vec3_of(q.x, q.y, q.z);
}

// The inverse rotation, q being of unit length.
static inline br_quat br_quat_conjugate(br_quat q) {
    return br_quat_of(q.w, -q.x, -q.y, -q.z);
}

static inline double br_quat_dot(br_quat a, br_quat b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double br_quat_norm(br_quat q) {
    return sqrt(br_quat_dot(q, q));
}

// A quaternion of length zero becomes the identity.
static inline br_quat br_quat_normalize(br_quat q) {
    const double norm = br_quat_norm(q);
    if (!(norm > 0.0)) return br_quat_identity();
    const double s = 1.0 / norm;
    return br_quat_of(s * q.w, s * q.x, s * q.y, s * q.z);
}

// q_AC = q_AB q_BC
static inline br_quat br_quat_mul(br_quat a, br_quat b) {
    return br_quat_of(
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

// a_A = R_AB a_B
static inline br_vec3 br_quat_rotate(br_quat q_AB, br_vec3 a_B) {
    const br_vec3 u = br_quat_vector(q_AB);
    const br_vec3 t = br_vec3_scale(2.0, br_vec3_cross(u, a_B));
    return br_vec3_add(br_vec3_add_scaled(a_B, q_AB.w, t), br_vec3_cross(u, t));
}

// a_B = R_AB^T a_A
static inline br_vec3 br_quat_rotate_inverse(br_quat q_AB, br_vec3 a_A) {
    return br_quat_rotate(br_quat_conjugate(q_AB), a_A);
}

static inline br_mat3 br_quat_to_mat3(br_quat q) {
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return br_mat3_of_rows(br_vec3_of(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
                           br_vec3_of(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)),
                           br_vec3_of(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)));
}

// R must be a rotation up to rounding. The largest of the four components is found first, so that no small
// number is ever divided by (Shepperd's rule); the result is normalized and has w >= 0.
br_quat br_quat_from_mat3(br_mat3 R);

// The rotation by |r| about r.
br_quat br_quat_exp(br_vec3 r);

// The rotation vector r with |r| <= pi and exp(r) = q or -q. From the half-angle's tangent, so that neither
// tiny angles nor those near pi lose digits (acos(w) would lose both).
br_vec3 br_quat_log(br_quat q);

br_quat br_quat_from_axis_angle(br_vec3 axis, double angle);

// The angle in [0, pi] of the rotation from a to b.
static inline double br_quat_angle(br_quat a, br_quat b) {
    return br_vec3_norm(br_quat_log(br_quat_mul(br_quat_conjugate(a), b)));
}

// Along the shorter arc from a (t = 0) to b (t = 1), at constant speed.
static inline br_quat br_quat_slerp(br_quat a, br_quat b, double t) {
    const br_vec3 r = br_quat_log(br_quat_mul(br_quat_conjugate(a), b));
    return br_quat_normalize(br_quat_mul(a, br_quat_exp(br_vec3_scale(t, r))));
}

// dq/dt of q_WB, from the angular velocity in world axes: 1/2 (0, w_WB_W) q
static inline br_quat br_quat_rate(br_quat q_WB, br_vec3 w_W) {
    return br_quat_mul(br_quat_of(0.0, 0.5 * w_W.x, 0.5 * w_W.y, 0.5 * w_W.z), q_WB);
}

// dq/dt of q_WB, from the angular velocity in body axes: 1/2 q (0, w_WB_B)
static inline br_quat br_quat_rate_from_body(br_quat q_WB, br_vec3 w_B) {
    return br_quat_mul(q_WB, br_quat_of(0.0, 0.5 * w_B.x, 0.5 * w_B.y, 0.5 * w_B.z));
}

// The angular velocity in world axes, from dq/dt; the inverse of br_quat_rate.
static inline br_vec3 br_quat_angular_velocity(br_quat q_WB, br_quat rate) {
    return br_vec3_scale(2.0, br_quat_vector(br_quat_mul(rate, br_quat_conjugate(q_WB))));
}

// q_WB after turning with the constant angular velocity w_W (world axes) for a time h.
static inline br_quat br_quat_advance(br_quat q_WB, br_vec3 w_W, double h) {
    return br_quat_normalize(br_quat_mul(br_quat_exp(br_vec3_scale(h, w_W)), q_WB));
}

// Differential of the exponential, for r(t) with R = exp(r): w_W = J(r) dr/dt, where w_W is in world axes.
// The one for body axes is its transpose, J(-r).
br_mat3 br_rotation_jacobian(br_vec3 r);

// Its inverse: dr/dt = J^-1(r) w_W. Singular at |r| = 2 pi; use with |r| <= pi.
br_mat3 br_rotation_jacobian_inverse(br_vec3 r);

// Euler angles (a, b, c), each turn about the axes already turned: BR_EULER_ZXY is Rz(a) Rx(b) Ry(c), and so
// on. BR_EULER_ZYX is the (yaw, pitch, roll) of vehicles, which URDF lists backwards.
typedef enum br_euler_order {
    BR_EULER_ZXY = 0,
    BR_EULER_XYZ,
    BR_EULER_ZYX,
} br_euler_order;

br_quat br_quat_from_euler(br_euler_order order, br_vec3 angles);

// a and c in [-pi, pi], b in [-pi/2, pi/2]. At b = +-pi/2 only a +- c is determined; there a = 0 is taken,
// and near there the three together still give back q to rounding.
br_vec3 br_quat_to_euler(br_euler_order order, br_quat q);

// E with w_W = E (da/dt, db/dt, dc/dt), the angular velocity in world axes. Its determinant is +-cos(b).
br_mat3 br_euler_rate_map(br_euler_order order, br_vec3 angles);

// Two tangents t1 (first column) and t2 to the unit normal n (third column), right-handed: the shortest
// rotation that takes the z axis to n. So n = z gives t1 = x, t2 = y. Continuous in n everywhere but at n =
// -z, where no continuous choice exists and the half turn about x is taken.
static inline br_mat3 br_tangent_basis(br_vec3 n) {
    const double rho2 = n.x * n.x + n.y * n.y;
    // 1/(1 + n.z), for n.z < 0 in a form without cancellation
    double a;
    if (n.z >= 0.0)
        a = 1.0 / (1.0 + n.z);
    else if (rho2 > DBL_MIN)
        a = (1.0 - n.z) / rho2;
    else
        return br_mat3_diagonal(br_vec3_of(1.0, -1.0, -1.0));
    return br_mat3_of_columns(br_vec3_of(1.0 - a * n.x * n.x, -a * n.x * n.y, -n.x),
                              br_vec3_of(-a * n.x * n.y, 1.0 - a * n.y * n.y, -n.y), n);
}

// --- poses -------------------------------------------------------------------------------------------------

static inline br_pose br_pose_of(br_quat rotation, br_vec3 position) {
    br_pose r = {rotation, position};
    return r;
}

static inline br_pose br_pose_identity(void) {
    return br_pose_of(br_quat_identity(), br_vec3_zero());
}

// p_AQ_A, from p_BQ_B
static inline br_vec3 br_pose_point(br_pose X_AB, br_vec3 p_BQ_B) {
    return br_vec3_add(X_AB.position, br_quat_rotate(X_AB.rotation, p_BQ_B));
}

// p_BQ_B, from p_AQ_A
static inline br_vec3 br_pose_point_inverse(br_pose X_AB, br_vec3 p_AQ_A) {
    return br_quat_rotate_inverse(X_AB.rotation, br_vec3_sub(p_AQ_A, X_AB.position));
}

// a_A, from a_B: a direction, which does not see the position
static inline br_vec3 br_pose_vector(br_pose X_AB, br_vec3 a_B) {
    return br_quat_rotate(X_AB.rotation, a_B);
}

// a_B, from a_A
static inline br_vec3 br_pose_vector_inverse(br_pose X_AB, br_vec3 a_A) {
    return br_quat_rotate_inverse(X_AB.rotation, a_A);
}

// X_AC = X_AB X_BC
static inline br_pose br_pose_mul(br_pose X_AB, br_pose X_BC) {
    return br_pose_of(br_quat_mul(X_AB.rotation, X_BC.rotation), br_pose_point(X_AB, X_BC.position));
}

// X_BA
static inline br_pose br_pose_inverse(br_pose X_AB) {
    const br_quat q_BA = br_quat_conjugate(X_AB.rotation);
    return br_pose_of(q_BA, br_vec3_neg(br_quat_rotate(q_BA, X_AB.position)));
}

// X_AB = X_WA^-1 X_WB, without forming the inverse: two poses far from the origin and close to each other
// keep their digits.
static inline br_pose br_pose_between(br_pose X_WA, br_pose X_WB) {
    return br_pose_of(br_quat_mul(br_quat_conjugate(X_WA.rotation), X_WB.rotation),
                      br_pose_point_inverse(X_WA, X_WB.position));
}

// --- twists and wrenches -----------------------------------------------------------------------------------

static inline br_twist br_twist_of(br_vec3 angular, br_vec3 linear) {
    br_twist r = {angular, linear};
    return r;
}

static inline br_twist br_twist_add(br_twist a, br_twist b) {
    return br_twist_of(br_vec3_add(a.angular, b.angular), br_vec3_add(a.linear, b.linear));
}

static inline br_twist br_twist_sub(br_twist a, br_twist b) {
    return br_twist_of(br_vec3_sub(a.angular, b.angular), br_vec3_sub(a.linear, b.linear));
}

static inline br_twist br_twist_scale(double s, br_twist a) {
    return br_twist_of(br_vec3_scale(s, a.angular), br_vec3_scale(s, a.linear));
}

static inline br_wrench br_wrench_of(br_vec3 torque, br_vec3 force) {
    br_wrench r = {torque, force};
    return r;
}

static inline br_wrench br_wrench_add(br_wrench a, br_wrench b) {
    return br_wrench_of(br_vec3_add(a.torque, b.torque), br_vec3_add(a.force, b.force));
}

static inline br_wrench br_wrench_sub(br_wrench a, br_wrench b) {
    return br_wrench_of(br_vec3_sub(a.torque, b.torque), br_vec3_sub(a.force, b.force));
}

static inline br_wrench br_wrench_scale(double s, br_wrench a) {
    return br_wrench_of(br_vec3_scale(s, a.torque), br_vec3_scale(s, a.force));
}

// The wrench about the frame's origin of a force at the point p.
static inline br_wrench br_wrench_of_force(br_vec3 force, br_vec3 p) {
    return br_wrench_of(br_vec3_cross(p, force), force);
}

// Power, W; with a momentum, twice the kinetic energy. The same in every frame.
static inline double br_twist_dot(br_twist V, br_wrench F) {
    return br_vec3_dot(V.angular, F.torque) + br_vec3_dot(V.linear, F.force);
}

// Velocity of the body's point at p.
static inline br_vec3 br_twist_at_point(br_twist V, br_vec3 p) {
    return br_vec3_add(V.linear, br_vec3_cross(V.angular, p));
}

// Ad(X_AB) V: the same motion, from the axes and origin of B to those of A.
static inline br_twist br_twist_transform(br_pose X_AB, br_twist V_B) {
    const br_vec3 w = br_quat_rotate(X_AB.rotation, V_B.angular);
    const br_vec3 v = br_quat_rotate(X_AB.rotation, V_B.linear);
    return br_twist_of(w, br_vec3_add(v, br_vec3_cross(X_AB.position, w)));
}

// Ad(X_AB)^-1 V: from A to B.
static inline br_twist br_twist_transform_inverse(br_pose X_AB, br_twist V_A) {
    const br_vec3 v = br_twist_at_point(V_A, X_AB.position);
    return br_twist_of(br_quat_rotate_inverse(X_AB.rotation, V_A.angular),
                       br_quat_rotate_inverse(X_AB.rotation, v));
}

// Ad(X_AB)^-T F: the same force, from the axes and origin of B to those of A.
static inline br_wrench br_wrench_transform(br_pose X_AB, br_wrench F_B) {
    const br_vec3 f = br_quat_rotate(X_AB.rotation, F_B.force);
    const br_vec3 t = br_quat_rotate(X_AB.rotation, F_B.torque);
    return br_wrench_of(br_vec3_add(t, br_vec3_cross(X_AB.position, f)), f);
}

// Ad(X_AB)^T F: from A to B.
static inline br_wrench br_wrench_transform_inverse(br_pose X_AB, br_wrench F_A) {
    const br_vec3 t = br_vec3_sub(F_A.torque, br_vec3_cross(X_AB.position, F_A.force));
    return br_wrench_of(br_quat_rotate_inverse(X_AB.rotation, t),
                        br_quat_rotate_inverse(X_AB.rotation, F_A.force));
}

// ad(V) W: the rate of a twist W that is carried along by V.
static inline br_twist br_twist_cross(br_twist V, br_twist W) {
    return br_twist_of(br_vec3_cross(V.angular, W.angular),
                       br_vec3_add(br_vec3_cross(V.angular, W.linear), br_vec3_cross(V.linear, W.angular)));
}

// -ad(V)^T F: the rate of a wrench or momentum F that is carried along by V.
static inline br_wrench br_twist_cross_wrench(br_twist V, br_wrench F) {
    return br_wrench_of(br_vec3_add(br_vec3_cross(V.angular, F.torque), br_vec3_cross(V.linear, F.force)),
                        br_vec3_cross(V.angular, F.force));
}

// The pose reached from the identity by the constant twist V in one unit of time, a screw motion.
br_pose br_pose_exp(br_twist V);

// The twist with |angular| <= pi that br_pose_exp takes to X.
br_twist br_pose_log(br_pose X);

// --- spatial inertia ---------------------------------------------------------------------------------------

// From the mass, the centre of mass and the tensor about the centre of mass, as data sheets give them.
static inline br_inertia br_inertia_of(double mass, br_vec3 com, br_sym3 about_com) {
    br_inertia r = {mass, br_vec3_scale(mass, com),
                    br_sym3_add(about_com, br_sym3_scale(mass, br_sym3_of_point(com)))};
    return r;
}

static inline br_inertia br_inertia_add(br_inertia a, br_inertia b) {
    br_inertia r = {a.mass + b.mass, br_vec3_add(a.moment, b.moment),
                    br_sym3_add(a.rotational, b.rotational)};
    return r;
}

// Momentum: I V.
static inline br_wrench br_inertia_mul(br_inertia I, br_twist V) {
    return br_wrench_of(
        br_vec3_add(br_sym3_mul_vec(I.rotational, V.angular), br_vec3_cross(I.moment, V.linear)),
        br_vec3_sub(br_vec3_scale(I.mass, V.linear), br_vec3_cross(I.moment, V.angular)));
}

// J.
static inline double br_inertia_kinetic_energy(br_inertia I, br_twist V) {
    return 0.5 * br_twist_dot(V, br_inertia_mul(I, V));
}

// The same body, from the axes and origin of B to those of A.
static inline br_inertia br_inertia_transform(br_pose X_AB, br_inertia I_B) {
    const br_vec3 p = X_AB.position, h = br_quat_rotate(X_AB.rotation, I_B.moment);
    const double m = I_B.mass;
    // Parallel axes: m [c + p]^T[c + p] - m [c]^T[c], with h = m c, so that a body without mass needs no
    // case.
    const br_sym3 shift = br_sym3_of(
        2.0 * (h.y * p.y + h.z * p.z) + m * (p.y * p.y + p.z * p.z),
        2.0 * (h.x * p.x + h.z * p.z) + m * (p.x * p.x + p.z * p.z),
        2.0 * (h.x * p.x + h.y * p.y) + m * (p.x * p.x + p.y * p.y), -(h.x * p.y + h.y * p.x + m * p.x * p.y),
        -(h.x * p.z + h.z * p.x + m * p.x * p.z), -(h.y * p.z + h.z * p.y + m * p.y * p.z));
    br_inertia r = {m, br_vec3_add_scaled(h, m, p),
                    br_sym3_add(br_sym3_rotate(br_quat_to_mat3(X_AB.rotation), I_B.rotational), shift)};
    return r;
}

#ifdef __cplusplus
}
#endif

#endif
