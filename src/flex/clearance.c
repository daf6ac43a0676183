// Clearance joints, see clearance.h. Theory: docs/theory/clearance.md.
//
// | paper | code | |
// |---|---|---|
// | rho^k, rho^l, u_0 + u | rho_k, rho_l, u | |
// | d_1^k, d_2^k [BauchauJu2006 eq. 8] | n, d2 | towards K's wall; around K's axis |
// | d_1^l [eq. 9] | rim | (d_1 - g_1 e_3^l)/h_1 |
// | g_1, h_1 [eqs. 12, 13] | g1, h1 | e_3^l . d_1, |d_1 x e_3^l| |
// | lambda [eq. 16] | arm_k | |
//
// Seen along K's axis the rim of L is an ellipse, and q is rho_k less the farthest distance of a point of it. In the
// ellipse's axes (A major, B minor, centre at (p, s), both made positive) the farthest point has its normal in the
// first quadrant, and t = tan of the normal's angle solves
//
//     t (p + (A^2 - B^2)/sqrt(A^2 + B^2 t^2)) = s                                   [eq. 12]
//
// The left side rises and is concave, so there is one root, and Newton's method from the left runs up to it without
// overshooting: no start is wrong, no step needs a guard.
#include "flex/clearance.h"

#include <stddef.h>
#include <string.h>

#include "math/elementary.h"

// Below this part of the radius the curvature of q over phi says nothing of where phi goes: n is kept still.
#define BR_EPS_RACE_CENTRED 1e-9
// Near the fork of the root (p = 0, s B = A^2 - B^2) t grows by half each time; 60 times pass 1e10.
#define BR_MAX_RACE_ITERATIONS 60

typedef struct direction { // unit, in the plane across K's axis
    double x, y;
} direction;

// --- where the rim is farthest out -----------------------------------------------------------------------------

// t for p + slope > 0, where slope is (A^2 - B^2)/A: at the start the root is taken to be small.
static double farthest_tangent(double A, double B, double p, double s, double difference) {
    double t = s / (p + difference / A);
    for (int k = 0; k < BR_MAX_RACE_ITERATIONS; k++) {
        const double r2 = A * A + B * B * t * t, r = sqrt(r2);
        const double missing = s - t * (p + difference / r), rise = p + difference / r * (A * A / r2);
        const double next = t + missing / rise;
        if (!(next > t * (1.0 + 2.0 * DBL_EPSILON)))
            break; // also where rise has vanished: t is as good as infinite
        t = next;
    }
    return t;
}

// a: centre of the ellipse; c: L's axis, across K's; cosine: between the axes. hint: what decides between equals.
static direction farthest_direction(double rho_l, direction a, direction c, double cosine, direction hint) {
    const double tilt = br_hypot(c.x, c.y);
    const direction minor = tilt > 0.0 ? (direction){c.x / tilt, c.y / tilt} : (direction){1.0, 0.0};
    const direction major = {-minor.y, minor.x};
    const double A = rho_l, B = rho_l * fabs(cosine), difference = A * A * tilt * tilt; // A^2 - B^2
    const double along = a.x * major.x + a.y * major.y, across = a.x * minor.x + a.y * minor.y;
    const double p = fabs(along), s = fabs(across);
    if (!(p + difference > 0.0) && !(s > 0.0)) return hint;
    const double sign = along != 0.0 ? along : hint.x * major.x + hint.y * major.y;
    double cos_t = 0.0, sin_t = 1.0;
    if (p > 0.0 || s * B < difference) { // else the minor axis itself
        const double t = farthest_tangent(A, B, p, s, difference), w = sqrt(1.0 + t * t);
        cos_t = t < 1e150 ? 1.0 / w : 0.0;
        sin_t = t < 1e150 ? t / w : 1.0;
    }
    cos_t = copysign(cos_t, sign);
    sin_t = copysign(sin_t, across);
    return (direction){cos_t * major.x + sin_t * minor.x, cos_t * major.y + sin_t * minor.y};
}

// --- a ball or a pin: the line of centres -----------------------------------------------------------------------

static void put_column(double M[3][9], int column, br_vec3 v) {
    M[0][column] = v.x;
    M[1][column] = v.y;
    M[2][column] = v.z;
}

static void put_gap_by(br_race_contact *out) { // (-n, m_k, m_l)
    const br_vec3 part[3] = {br_vec3_neg(out->n), out->m_k, out->m_l};
    for (int k = 0; k < 9; k++) out->gap_by[k] = br_vec3_get(part[k / 3], k % 3);
}

static void round_contact(const br_race_pair *pair, br_vec3 hint, int derivatives, br_race_contact *out) {
    const double length = br_vec3_norm(pair->u);
    const br_vec3 n = length > 0.0 ? br_vec3_scale(1.0 / length, pair->u) : hint;
    out->gap = pair->rho_k - pair->rho_l - length;
    out->n = n;
    out->arm_k = br_vec3_scale(pair->rho_k, n);
    out->arm_l = br_vec3_scale(pair->rho_l, n);
    if (!derivatives) return;
    put_gap_by(out);
    if (!(length > BR_EPS_RACE_CENTRED * pair->rho_k)) return;
    for (int j = 0; j < 3; j++) { // (I - n n^T)/|u|
        const br_vec3 d =
            br_vec3_scale(1.0 / length, br_vec3_add_scaled(br_vec3_unit(j), -br_vec3_get(n, j), n));
        put_column(out->n_by, j, d);
        put_column(out->arm_k_by, j, br_vec3_scale(pair->rho_k, d));
        put_column(out->arm_l_by, j, br_vec3_scale(pair->rho_l, d));
    }
}

// --- a disk in a cylinder --------------------------------------------------------------------------------------

typedef struct disk {
    br_vec3 d2, rim;   // d_2^k, d_1^l
    double g1, k2, h1; // k2: e_l . d2
} disk;

// Derivative of phi by (u, psi_k, psi_l), from d/d phi of eq. 13 staying zero.
static void turn_of_phi(const br_race_pair *pair, const br_race_contact *c, const disk *d, double turn[9]) {
    const br_vec3 e = pair->e_l;
    const double h3 = d->h1 * d->h1 * d->h1;
    const double curvature =
        pair->rho_l * (d->k2 * d->k2 / h3 - d->g1 * d->g1 / d->h1) + br_vec3_dot(c->n, pair->u);
    memset(turn, 0, 9 * sizeof *turn);
    if (!(curvature > BR_EPS_RACE_CENTRED * pair->rho_k)) return;
    const br_vec3 tilt = br_vec3_add_scaled(br_vec3_scale(pair->rho_l * d->k2 / h3, br_vec3_cross(c->n, e)),
                                            pair->rho_l * d->g1 / d->h1, br_vec3_cross(d->d2, e));
    const br_vec3 part[3] = {d->d2, br_vec3_sub(br_vec3_cross(d->d2, pair->u), tilt), tilt};
    for (int k = 0; k < 9; k++) turn[k] = br_vec3_get(part[k / 3], k % 3) / curvature;
}

static void disk_derivatives(const br_race_pair *pair, const disk *d, br_race_contact *c) {
    const br_vec3 e = pair->e_l, n = c->n;
    double turn[9];
    put_gap_by(c);
    turn_of_phi(pair, c, d, turn);
    for (int k = 0; k < 9; k++) {
        const br_vec3 axis = br_vec3_unit(k % 3), none = br_vec3_zero();
        const br_vec3 u_by = k < 3 ? axis : none, e_by = k >= 6 ? br_vec3_cross(axis, e) : none;
        br_vec3 n_by = br_vec3_scale(turn[k], d->d2);
        if (k >= 3 && k < 6) n_by = br_vec3_add(n_by, br_vec3_cross(axis, n));
        const double g1_by = br_vec3_dot(n_by, e) + br_vec3_dot(n, e_by);
        // rim h_1 = n - g_1 e and h_1 dh_1 = -g_1 dg_1
        br_vec3 rim_by = br_vec3_add_scaled(br_vec3_add_scaled(n_by, -g1_by, e), -d->g1, e_by);
        rim_by = br_vec3_scale(1.0 / d->h1, br_vec3_add_scaled(rim_by, d->g1 * g1_by / d->h1, d->rim));
        const br_vec3 l_by = br_vec3_scale(pair->rho_l, rim_by);
        const br_vec3 k_by = br_vec3_add(
            u_by, br_vec3_add(l_by, br_vec3_add_scaled(br_vec3_scale(c->gap_by[k], n), c->gap, n_by)));
        put_column(c->n_by, k, n_by);
        put_column(c->arm_l_by, k, l_by);
        put_column(c->arm_k_by, k, k_by);
        put_column(c->m_k_by, k, br_vec3_add(br_vec3_cross(k_by, n), br_vec3_cross(c->arm_k, n_by)));
        put_column(c->m_l_by, k, br_vec3_add(br_vec3_cross(n, l_by), br_vec3_cross(n_by, c->arm_l)));
    }
}

// A hint along K's axis says nothing: its first axis does.
static direction plane_hint(br_vec3 hint_K) {
    const double length = br_hypot(hint_K.x, hint_K.y);
    return length > 0.0 ? (direction){hint_K.x / length, hint_K.y / length} : (direction){1.0, 0.0};
}

static void disk_contact(const br_race_pair *pair, br_vec3 hint, int derivatives, br_race_contact *out) {
    const br_vec3 e1 = br_mat3_column(pair->E_k, 0), e2 = br_mat3_column(pair->E_k, 1), e = pair->e_l;
    const br_vec3 u_K = br_mat3_tmul_vec(pair->E_k, pair->u), e_K = br_mat3_tmul_vec(pair->E_k, e);
    const direction a = {u_K.x, u_K.y}, c = {e_K.x, e_K.y};
    const direction f =
        farthest_direction(pair->rho_l, a, c, e_K.z, plane_hint(br_mat3_tmul_vec(pair->E_k, hint)));
    const br_vec3 n = br_vec3_add_scaled(br_vec3_scale(f.x, e1), f.y, e2);
    disk d;
    d.d2 = br_vec3_add_scaled(br_vec3_scale(-f.y, e1), f.x, e2);
    d.g1 = c.x * f.x + c.y * f.y;
    d.k2 = c.y * f.x - c.x * f.y;
    d.h1 = br_hypot(e_K.z, d.k2); // not sqrt(1 - g_1^2), which cancels
    d.rim = br_vec3_scale(1.0 / d.h1, br_vec3_add_scaled(n, -d.g1, e));
    out->phi = br_atan2(f.y, f.x);
    out->gap = pair->rho_k - pair->rho_l * d.h1 - (a.x * f.x + a.y * f.y); // [eq. 13]
    out->n = n;
    out->arm_l = br_vec3_scale(pair->rho_l, d.rim);
    out->arm_k = br_vec3_add_scaled(br_vec3_add(pair->u, out->arm_l), out->gap, n); // lambda [eq. 16]
    out->m_k = br_vec3_cross(out->arm_k, n); // [eq. 14]: moments of n at K's point and of -n at L's
    out->m_l = br_vec3_cross(n, out->arm_l);
    if (derivatives) disk_derivatives(pair, &d, out);
}

void br_race_contact_of(const br_race_pair *pair, br_vec3 hint, int derivatives, br_race_contact *out) {
    if (derivatives)
        memset(out, 0, sizeof *out);
    else
        memset(out, 0, offsetof(br_race_contact, gap_by));
    if (pair->type == BR_CLEARANCE_PLANAR || pair->type == BR_CLEARANCE_SPHERICAL)
        round_contact(pair, hint, derivatives, out);
    else
        disk_contact(pair, hint, derivatives, out);
}
