// Barriers of the laws, see barrier.h. With u, psi the two sides of a pair, its Newton row is
//
//     u dpsi + psi du = kappa - u psi
//
// and eliminating the slacks leaves P dp + Q dw = R. A box row with distances m = p - l, q = u - p to its bounds:
//
//     (psi_l/m + psi_u/q) dp + dw = -w + kappa/m - kappa/q
//
// The cone pair x = (mu a, p_t), y = (psi, omega_t) is scaled by Nesterov and Todd: F = eta^2 (2 b b^T - J) with
// F y = x, and its row is dx + F dy = kappa y^-1 - x; psi is eliminated from its first component.
#include "lcp/barrier/barrier.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"

#define CONE_SLACKS 4        // s, psi, omega_1, omega_2
#define MU_TINY 1e-12        // below this friction is none and the tangent rows are held at zero
#define INSIDE 0.9           // of a bound: where an impulse on or beyond it is put
#define START_INSIDE 0.8     // of the friction bound: tangent impulses of a first guess are cut back to this
#define EQUALITY_WEIGHT 1e-8 // proximal, relative to d_c = 1: costs no accuracy, see newton.c

typedef struct br_lcp_barrier barrier;

static int is_cone(const br_lcp_law *law) {
    return law->kind == BR_LAW_CONE && law->rows == 3;
}
static int has_section(const br_lcp_law *law) {
    return law->kind == BR_LAW_CONE || law->kind == BR_LAW_POLYGON || law->kind == BR_LAW_BOX_FRICTION;
}

// ----------------------------------------------------------------------------------- faces of a friction section

// Face k: n_k . p_t <= h_k a. Box: two faces per tangent row; polygon: one per side.
static int face_count(br_law_kind kind, int rows, int sides) {
    return kind == BR_LAW_POLYGON && rows == 3 ? sides : 2 * (rows - 1);
}

static double face(const br_lcp_law *law, int k, double normal[2]) {
    if (law->kind == BR_LAW_POLYGON && law->rows == 3) {
        normal[0] = br_cos((2 * k + 1) * law->half_angle);
        normal[1] = br_sin((2 * k + 1) * law->half_angle);
        return law->mu * br_cos(law->half_angle);
    }
    normal[0] = k / 2 == 0 ? (k % 2 ? -1.0 : 1.0) : 0.0;
    normal[1] = k / 2 == 1 ? (k % 2 ? -1.0 : 1.0) : 0.0;
    return law->mu;
}

static double face_distance(const br_lcp_law *law, int k, const double *p, double normal[2], double *h) {
    *h = face(law, k, normal);
    return *h * p[0] - normal[0] * p[1] - (law->rows > 2 ? normal[1] * p[2] : 0.0);
}

// ------------------------------------------------------------------------------------------------ bounds of rows

static void row_bounds(const br_lcp_law *law, const double *p, int r, double *lower, double *upper) {
    if (law->kind == BR_LAW_JOINT_FRICTION && r >= law->normal_rows) {
        *upper = br_lcp_joint_bound(law, r - law->normal_rows, p,
                                    NULL); // lagged: Newton's polish makes it implicit
        *lower = -*upper;
    } else if (law->kind == BR_LAW_JOINT_FRICTION) {
        *lower = -INFINITY;
        *upper = INFINITY;
    } else {
        br_lcp_law_bounds(law, lower, upper);
    }
}

static double put_inside(double p, double lower, double upper, double room) {
    const double half = 0.5 * (upper - lower);
    const double margin = room < (1.0 - INSIDE) * half ? room : (1.0 - INSIDE) * half;
    if (p < lower + margin) return lower + margin;
    if (p > upper - margin) return upper - margin;
    return p;
}

// -------------------------------------------------------------------------------------------------------- create

static int slack_count(const br_law *law) {
    if (law->kind == BR_LAW_CONE && law->rows == 3) return CONE_SLACKS;
    if (law->kind == BR_LAW_CONE || law->kind == BR_LAW_POLYGON || law->kind == BR_LAW_BOX_FRICTION)
        return 1 + face_count(law->kind, law->rows, law->sides);
    return 2 * law->rows;
}

barrier *br_lcp_barrier_create(br_arena *arena, const br_lcp_island *s, const br_problem *problem) {
    barrier *b = BR_TAKE(arena, barrier, 1);
    int *start = BR_TAKE(arena, int, s->laws + 1);
    if (!br_arena_ok(arena)) return NULL;
    for (int i = 0; i < s->laws; i++) start[i + 1] = start[i] + slack_count(&problem->law[s->global_law[i]]);
    b->start = start;
    b->slack = BR_TAKE(arena, double, start[s->laws]);
    b->dslack = BR_TAKE(arena, double, start[s->laws]);
    b->corr = BR_TAKE(arena, double, start[s->laws]);
    b->cone = BR_TAKE(arena, br_lcp_cone_pair, s->laws);
    return b->slack && b->dslack && b->corr && b->cone ? b : NULL;
}

// ---------------------------------------------------------------------------------------------------------- init

static int init_rows(const br_lcp_law *law, double *p, const double *w, double *slack, double a0) {
    int pairs = 0;
    for (int r = 0; r < law->rows; r++) {
        double lower, upper;
        row_bounds(law, p, r, &lower, &upper);
        p[r] = put_inside(p[r], lower, upper, a0);
        slack[2 * r] = isfinite(lower) ? fmax(w[r], a0) : 0.0;
        slack[2 * r + 1] = isfinite(upper) ? fmax(-w[r], a0) : 0.0;
        pairs += isfinite(lower) + isfinite(upper);
    }
    return pairs;
}

static int init_section(const br_lcp_law *law, double *p, const double *w, double *slack, double a0) {
    slack[0] = fmax(w[0], a0);
    p[0] = fmax(p[0], a0);
    if (law->mu <= MU_TINY) {
        for (int r = 1; r < law->rows; r++) p[r] = 0.0;
        return 1;
    }
    const double length = law->rows > 2 ? br_hypot(p[1], p[2]) : fabs(p[1]);
    const double round = law->kind == BR_LAW_POLYGON && law->rows > 2 ? br_cos(law->half_angle) : 1.0;
    const double most = START_INSIDE * law->mu * p[0] * round;
    if (length > most)
        for (int r = 1; r < law->rows; r++) p[r] *= most / length;
    if (is_cone(law)) {
        slack[1] = sqrt(w[1] * w[1] + w[2] * w[2] + a0 * a0);
        slack[2] = w[1];
        slack[3] = w[2];
        return 2;
    }
    const int faces = face_count(law->kind, law->rows, law->sides);
    for (int k = 0; k < faces; k++) {
        double normal[2];
        face(law, k, normal);
        const double along = -normal[0] * w[1] - (law->rows > 2 ? normal[1] * w[2] : 0.0);
        slack[1 + k] = fmax(along, a0);
    }
    return 1 + faces;
}

void br_lcp_barrier_init(barrier *b, br_lcp_island *s, double a0) {
    b->pairs = 0;
    b->equality_weight = EQUALITY_WEIGHT;
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        double *p = s->p + law->row, *slack = b->slack + b->start[i];
        const double *w = s->w + law->row;
        b->pairs += has_section(law) ? init_section(law, p, w, slack, a0) : init_rows(law, p, w, slack, a0);
    }
    if (b->pairs == 0) b->pairs = 1;
}

// ----------------------------------------------------------------------------------------------------- linearize

static void linearize_rows(const barrier *b, const br_lcp_law *law, const double *p, const double *slack,
                           double *P, double *Q) {
    const int n = law->rows;
    for (int r = 0; r < n; r++) {
        double lower, upper, stiffness = 0.0;
        row_bounds(law, p, r, &lower, &upper);
        if (isfinite(lower)) stiffness += slack[2 * r] / (p[r] - lower);
        if (isfinite(upper)) stiffness += slack[2 * r + 1] / (upper - p[r]);
        const int held = lower == upper;
        P[r * n + r] = held ? 1.0 : stiffness > 0.0 ? stiffness : b->equality_weight;
        Q[r * n + r] = held ? 0.0 : 1.0;
    }
}

static void linearize_faces(const br_lcp_law *law, const double *p, const double *slack, double *P,
                            double *Q) {
    const int n = law->rows, faces = face_count(law->kind, law->rows, law->sides);
    for (int r = 1; r < n; r++) Q[r * n + r] = 1.0;
    for (int k = 0; k < faces; k++) {
        double normal[2], h;
        const double u = face_distance(law, k, p, normal, &h), t = slack[k] / u;
        for (int r = 1; r < n; r++) {
            for (int c = 1; c < n; c++) P[r * n + c] += t * normal[r - 1] * normal[c - 1];
            P[r * n] -= t * h * normal[r - 1];
        }
    }
}

void br_lcp_barrier_linearize(barrier *b, br_lcp_island *s) {
    memset(s->P, 0, (size_t)s->square[s->laws] * sizeof *s->P);
    memset(s->Q, 0, (size_t)s->square[s->laws] * sizeof *s->Q);
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const int n = law->rows;
        const double *p = s->p + law->row, *slack = b->slack + b->start[i], *C = s->compliance + law->row;
        double *P = s->P + s->square[i], *Q = s->Q + s->square[i];
        if (!has_section(law)) {
            linearize_rows(b, law, p, slack, P, Q);
        } else {
            P[0] = slack[0] / p[0];
            Q[0] = 1.0;
            if (law->mu <= MU_TINY)
                for (int r = 1; r < n; r++) P[r * n + r] = 1.0; // held at zero
            else if (is_cone(law))
                br_lcp_cone_linearize(&b->cone[i], law->mu, p, slack + 1, P, Q);
            else
                linearize_faces(law, p, slack + 1, P, Q);
        }
        if (s->compliant)
            for (int r = 0; r < n; r++)
                for (int c = 0; c < n; c++) P[r * n + c] += Q[r * n + c] * C[c];
    }
}

// --------------------------------------------------------------------------------------------------- right side

static void right_rows(const br_lcp_law *law, const double *p, const double *w, const double *corr,
                       double kappa, double *R) {
    for (int r = 0; r < law->rows; r++) {
        double lower, upper;
        row_bounds(law, p, r, &lower, &upper);
        R[r] = lower == upper ? lower - p[r] : -w[r];
        if (lower == upper) continue;
        if (isfinite(lower)) R[r] += (kappa - corr[2 * r]) / (p[r] - lower);
        if (isfinite(upper)) R[r] -= (kappa - corr[2 * r + 1]) / (upper - p[r]);
    }
}

static void right_faces(const br_lcp_law *law, const double *p, const double *w, const double *corr,
                        double kappa, double *R) {
    const int faces = face_count(law->kind, law->rows, law->sides);
    for (int r = 1; r < law->rows; r++) R[r] = -w[r];
    for (int k = 0; k < faces; k++) {
        double normal[2], h;
        const double u = face_distance(law, k, p, normal, &h), force = (kappa - corr[k]) / u;
        for (int r = 1; r < law->rows; r++) R[r] -= force * normal[r - 1];
    }
}

void br_lcp_barrier_right_side(barrier *b, br_lcp_island *s, double kappa) {
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *p = s->p + law->row, *w = s->w + law->row;
        const double *slack = b->slack + b->start[i], *corr = b->corr + b->start[i];
        double *R = s->R + law->row;
        if (!has_section(law)) {
            right_rows(law, p, w, corr, kappa, R);
            continue;
        }
        R[0] = (kappa - corr[0]) / p[0] - w[0];
        if (law->mu <= MU_TINY)
            for (int r = 1; r < law->rows; r++) R[r] = -p[r];
        else if (is_cone(law))
            br_lcp_cone_right_side(&b->cone[i], slack + 1, corr + 1, kappa, s->Q + s->square[i], w, R);
        else
            right_faces(law, p, w, corr + 1, kappa, R);
    }
}

// ---------------------------------------------------------------------------------------------------- step length

// Largest step, at most alpha, that keeps x + step dx >= 0.
static double limit(double alpha, double x, double dx) {
    return alpha * -dx > x ? x / -dx : alpha;
}

static double rows_limit(const br_lcp_law *law, const double *p, const double *dp, const double *slack,
                         const double *corr, double *dslack, double kappa, double alpha) {
    for (int r = 0; r < law->rows; r++) {
        double lower, upper;
        row_bounds(law, p, r, &lower, &upper);
        dslack[2 * r] = dslack[2 * r + 1] = 0.0;
        if (lower == upper) continue;
        if (isfinite(lower)) {
            const double m = p[r] - lower;
            dslack[2 * r] = (kappa - corr[2 * r] - slack[2 * r] * dp[r]) / m - slack[2 * r];
            alpha = limit(limit(alpha, m, dp[r]), slack[2 * r], dslack[2 * r]);
        }
        if (isfinite(upper)) {
            const double q = upper - p[r];
            dslack[2 * r + 1] = (kappa - corr[2 * r + 1] + slack[2 * r + 1] * dp[r]) / q - slack[2 * r + 1];
            alpha = limit(limit(alpha, q, -dp[r]), slack[2 * r + 1], dslack[2 * r + 1]);
        }
    }
    return alpha;
}

static double faces_limit(const br_lcp_law *law, const double *p, const double *dp, const double *slack,
                          const double *corr, double *dslack, double kappa, double alpha) {
    const int faces = face_count(law->kind, law->rows, law->sides);
    for (int k = 0; k < faces; k++) {
        double normal[2], h;
        const double u = face_distance(law, k, p, normal, &h);
        const double du = h * dp[0] - normal[0] * dp[1] - (law->rows > 2 ? normal[1] * dp[2] : 0.0);
        dslack[k] = (kappa - corr[k] - slack[k] * du) / u - slack[k];
        alpha = limit(limit(alpha, u, du), slack[k], dslack[k]);
    }
    return alpha;
}

// slack, dslack: psi, omega_1, omega_2.
static double cone_limits(const br_lcp_cone_pair *c, const br_lcp_law *law, const double *dp, const double *w,
                          const double *dw, const double *slack, double *dslack, double alpha) {
    dslack[1] = dw[1] + w[1] - slack[1];
    dslack[2] = dw[2] + w[2] - slack[2];
    dslack[0] = (c->r0 - law->mu * dp[0] - c->F10 * dslack[1] - c->F20 * dslack[2]) / c->F00;
    const double dx[3] = {law->mu * dp[0], dp[1], dp[2]};
    return br_lcp_cone_limit(br_lcp_cone_limit(alpha, c->x, dx, c->det_x), slack, dslack, c->det_y);
}

double br_lcp_barrier_longest_step(barrier *b, br_lcp_island *s, const double *dw, double kappa) {
    double alpha = 1e3; // "no limit": the caller caps it at a full step
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *p = s->p + law->row, *dp = s->step_p + law->row, *w = s->w + law->row;
        const double *slack = b->slack + b->start[i], *corr = b->corr + b->start[i];
        double *dslack = b->dslack + b->start[i], dw_c[BR_MAX_LAW_ROWS];
        if (!has_section(law)) {
            alpha = rows_limit(law, p, dp, slack, corr, dslack, kappa, alpha);
            continue;
        }
        for (int r = 0; r < law->rows; r++) dw_c[r] = dw[law->row + r] + s->compliance[law->row + r] * dp[r];
        dslack[0] = dw_c[0] + w[0] - slack[0];
        alpha = limit(limit(alpha, p[0], dp[0]), slack[0], dslack[0]);
        if (law->mu <= MU_TINY) continue;
        alpha = is_cone(law) ? cone_limits(&b->cone[i], law, dp, w, dw_c, slack + 1, dslack + 1, alpha)
                             : faces_limit(law, p, dp, slack + 1, corr + 1, dslack + 1, kappa, alpha);
    }
    return alpha;
}

// ------------------------------------------------------------------------------------------------ second order

static void correct_rows(const br_lcp_law *law, const double *dp, const double *dslack, double *corr) {
    for (int r = 0; r < law->rows; r++) {
        corr[2 * r] = dp[r] * dslack[2 * r];
        corr[2 * r + 1] = -dp[r] * dslack[2 * r + 1];
    }
}

static void correct_faces(const br_lcp_law *law, const double *dp, const double *dslack, double *corr) {
    const int faces = face_count(law->kind, law->rows, law->sides);
    for (int k = 0; k < faces; k++) {
        double normal[2], h;
        corr[k] = face_distance(law, k, dp, normal, &h) * dslack[k];
    }
}

double br_lcp_barrier_correct(barrier *b, const br_lcp_island *s) {
    double sum = 0.0;
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *dp = s->step_p + law->row, *dslack = b->dslack + b->start[i];
        double *corr = b->corr + b->start[i];
        if (!has_section(law)) {
            correct_rows(law, dp, dslack, corr);
            for (int r = 0; r < 2 * law->rows; r++) sum += corr[r];
            continue;
        }
        corr[0] = dp[0] * dslack[0];
        sum += corr[0];
        if (law->mu <= MU_TINY) continue;
        if (is_cone(law)) {
            const double dx[3] = {law->mu * dp[0], dp[1], dp[2]};
            br_lcp_cone_correct(&b->cone[i], dx, dslack + 1, corr + 1);
            sum += corr[1];
        } else {
            correct_faces(law, dp, dslack + 1, corr + 1);
            for (int k = face_count(law->kind, law->rows, law->sides); k > 0; k--) sum += corr[k];
        }
    }
    return sum;
}

void br_lcp_barrier_no_correction(barrier *b, const br_lcp_island *s) {
    memset(b->corr, 0, (size_t)b->start[s->laws] * sizeof *b->corr);
}

void br_lcp_barrier_move(barrier *b, br_lcp_island *s, double alpha) {
    for (int i = 0; i < s->rows; i++) s->p[i] += alpha * s->step_p[i];
    for (int k = 0; k < b->start[s->laws]; k++) b->slack[k] += alpha * b->dslack[k];
    for (int i = 0; i < s->laws;
         i++) { // bounds that moved with the equality rows may have overtaken the friction
        const br_lcp_law *law = &s->law[i];
        if (law->kind != BR_LAW_JOINT_FRICTION) continue;
        double *p = s->p + law->row;
        for (int r = law->normal_rows; r < law->rows; r++) {
            double lower, upper;
            row_bounds(law, p, r, &lower, &upper);
            p[r] = put_inside(p[r], lower, upper, upper);
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- gap

double br_lcp_barrier_gap(const barrier *b, const br_lcp_island *s, double *infeasibility) {
    double gap = 0.0, g2 = 0.0;
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *p = s->p + law->row, *w = s->w + law->row, *slack = b->slack + b->start[i];
        if (!has_section(law)) {
            for (int r = 0; r < law->rows; r++) {
                double lower, upper, g = w[r];
                row_bounds(law, p, r, &lower, &upper);
                if (lower == upper) continue;
                if (isfinite(lower)) {
                    gap += slack[2 * r] * (p[r] - lower);
                    g -= slack[2 * r];
                }
                if (isfinite(upper)) {
                    gap += slack[2 * r + 1] * (upper - p[r]);
                    g += slack[2 * r + 1];
                }
                g2 += g * g;
            }
            continue;
        }
        gap += p[0] * slack[0];
        g2 += (w[0] - slack[0]) * (w[0] - slack[0]);
        if (law->mu <= MU_TINY) continue;
        double g[2] = {w[1], law->rows > 2 ? w[2] : 0.0};
        if (is_cone(law)) {
            gap += law->mu * p[0] * slack[1] + p[1] * slack[2] + p[2] * slack[3];
            g[0] -= slack[2];
            g[1] -= slack[3];
        } else {
            const int faces = face_count(law->kind, law->rows, law->sides);
            for (int k = 0; k < faces; k++) {
                double normal[2], h;
                gap += slack[1 + k] * face_distance(law, k, p, normal, &h);
                g[0] += normal[0] * slack[1 + k];
                g[1] += normal[1] * slack[1 + k];
            }
        }
        g2 += g[0] * g[0] + g[1] * g[1];
    }
    *infeasibility = sqrt(g2);
    return gap;
}
