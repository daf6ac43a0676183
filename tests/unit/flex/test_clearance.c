// Clearance joints at one configuration: reference poses, brute force, derivatives by differences, centred races.
#include <stdio.h>
#include <string.h>

#include "flex/clearance.h"
#include "near.h"
#include "random.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

static br_race_contact contact_of(const br_race_pair *pair, int derivatives) {
    br_race_contact c;
    br_race_contact_of(pair, br_mat3_column(pair->E_k, 0), derivatives, &c);
    return c;
}

// --- reference poses ---------------------------------------------------------------------------------------

static br_vec3 vec3(const double *x) {
    return br_vec3_of(x[0], x[1], x[2]);
}

// Fifteen digits in the file; lengths of 0.1 m and below.
static void reference_poses_are_met(void **state) {
    (void)state;
    FILE *file = fopen(BRISTLE_SOURCE_DIR "/tests/data/flexible/spatial_reference.csv", "r");
    char line[1024];
    int rows = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (;;) {
        double x[28];
        int count = 0;
        while (count < 28 && fscanf(file, count < 27 ? "%lf," : "%lf", &x[count]) == 1) count++;
        if (count < 28) break;
        const br_mat3 E_k = br_quat_to_mat3(br_quat_exp(vec3(&x[5])));
        const br_mat3 E_l = br_quat_to_mat3(br_quat_exp(vec3(&x[11])));
        const br_race_pair pair = {
            BR_CLEARANCE_SPATIAL,  x[0], x[1], br_vec3_sub(vec3(&x[8]), vec3(&x[2])), E_k,
            br_mat3_column(E_l, 2)};
        const br_race_contact c = contact_of(&pair, 0);
        assert_near(remainder(c.phi - x[14], 2.0 * BR_PI), 0.0, 1e-10);
        assert_near(c.gap, x[15], 1e-13);
        assert_vec3_near(c.m_k, vec3(&x[16]), 1e-12);
        assert_vec3_near(c.m_l, vec3(&x[19]), 1e-12);
        assert_vec3_near(c.n, vec3(&x[22]), 1e-10);
        assert_vec3_near(c.arm_k, vec3(&x[25]), 1e-11);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 6);
}

// --- brute force -------------------------------------------------------------------------------------------

static double log_uniform(rng *r, double low, double high) {
    return exp(rng_uniform(r, log(low), log(high)));
}

// Tilts from none to a right angle, offsets from a millionth of the radius to beyond it.
static br_race_pair random_pair(rng *r, br_clearance_type type) {
    const double rho = log_uniform(r, 1e-3, 1.0), clearance = rho * log_uniform(r, 1e-4, 0.3);
    const int kind = rng_below(r, 3);
    const double tilt = kind == 0 ? rng_uniform(r, 0.0, 0.5 * BR_PI) : log_uniform(r, 1e-5, 0.5);
    const double offset = kind == 1 ? clearance * rng_uniform(r, 0.5, 1.5) : rho * log_uniform(r, 1e-6, 2.0);
    br_race_pair pair = {.type = type, .rho_k = rho + clearance, .rho_l = rho};
    pair.E_k = br_quat_to_mat3(rng_rotation(r));
    const double a = rng_uniform(r, 0.0, 2.0 * BR_PI), b = rng_uniform(r, 0.0, 2.0 * BR_PI);
    const double slide = rng_uniform(r, -1.0, 1.0), flip = rng_below(r, 2) ? 1.0 : -1.0;
    pair.e_l =
        br_mat3_mul_vec(pair.E_k, br_vec3_of(sin(tilt) * cos(a), sin(tilt) * sin(a), flip * cos(tilt)));
    pair.u = br_mat3_mul_vec(pair.E_k, br_vec3_of(offset * cos(b), offset * sin(b), rho * slide));
    return pair;
}

typedef struct rim { // of L, in K's axes, seen along K's axis
    double u[2], f[2], g[2];
} rim;

static double squared_distance(const rim *p, double angle) {
    const double c = cos(angle), s = sin(angle);
    const double x = p->u[0] + c * p->f[0] + s * p->g[0], y = p->u[1] + c * p->f[1] + s * p->g[1];
    return x * x + y * y;
}

// A golden search between two neighbours of a grid point.
static double refine(const rim *p, double low, double high) {
    const double part = 0.61803398874989485;
    double a = high - part * (high - low), b = low + part * (high - low);
    double at_a = squared_distance(p, a), at_b = squared_distance(p, b);
    while (high - low > 1e-9) {
        if (at_a > at_b) {
            high = b, b = a, at_b = at_a;
            a = high - part * (high - low);
            at_a = squared_distance(p, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + part * (high - low);
            at_b = squared_distance(p, b);
        }
    }
    return fmax(at_a, at_b);
}

// rho_k less the farthest distance of the rim from K's axis: no phi, no equation of the paper.
static double gap_by_force(const br_race_pair *pair) {
    enum { GRID = 180 };
    const br_vec3 any = fabs(pair->e_l.x) < 0.7 ? br_vec3_unit(0) : br_vec3_unit(1);
    const br_vec3 f = br_vec3_normalize(br_vec3_cross(pair->e_l, any)), g = br_vec3_cross(pair->e_l, f);
    const br_vec3 u_K = br_mat3_tmul_vec(pair->E_k, pair->u), f_K = br_mat3_tmul_vec(pair->E_k, f),
                  g_K = br_mat3_tmul_vec(pair->E_k, g);
    const rim p = {{u_K.x, u_K.y},
                   {pair->rho_l * f_K.x, pair->rho_l * f_K.y},
                   {pair->rho_l * g_K.x, pair->rho_l * g_K.y}};
    double at[GRID], farthest = 0.0;
    for (int k = 0; k < GRID; k++) at[k] = squared_distance(&p, 2.0 * BR_PI * k / GRID);
    for (int k = 0; k < GRID; k++)
        if (at[k] >= at[(k + 1) % GRID] && at[k] >= at[(k + GRID - 1) % GRID])
            farthest = fmax(farthest, refine(&p, 2.0 * BR_PI * (k - 1) / GRID, 2.0 * BR_PI * (k + 1) / GRID));
    return pair->rho_k - sqrt(farthest);
}

// The search leaves 1e-18 of a parabola; both sides round at a few 1e-16.
static void hundred_thousand_poses_agree_with_brute_force(void **state) {
    (void)state;
    rng r = {12};
    double worst = 0.0;
    for (int k = 0; k < 100000; k++) {
        const br_race_pair pair = random_pair(&r, BR_CLEARANCE_SPATIAL);
        const br_race_contact c = contact_of(&pair, 0);
        worst = fmax(worst, fabs(c.gap - gap_by_force(&pair)) / pair.rho_k);
    }
    print_message("largest difference of the gap: %.1e rho\n", worst);
    assert_true(worst < 1e-12);
}

// What the fields say of each other.
static void points_gap_and_moments_belong_together(void **state) {
    (void)state;
    rng r = {13};
    for (int k = 0; k < 30000; k++) {
        const br_clearance_type type = k % 3 == 0   ? BR_CLEARANCE_PLANAR
                                       : k % 3 == 1 ? BR_CLEARANCE_SPHERICAL
                                                    : BR_CLEARANCE_SPATIAL;
        const br_race_pair pair = random_pair(&r, type);
        const br_race_contact c = contact_of(&pair, 1);
        const double tol = 1e-14 * (pair.rho_k + br_vec3_norm(pair.u));
        assert_near(br_vec3_norm(c.n), 1.0, 1e-14);
        assert_near(br_vec3_norm(c.arm_l), pair.rho_l, 1e-12 * pair.rho_l);
        // Z_k - Z_l = q n
        assert_vec3_near(br_vec3_sub(c.arm_k, br_vec3_add(pair.u, c.arm_l)), br_vec3_scale(c.gap, c.n), tol);
        // The moments of n at K's point and of -n at L's
        assert_vec3_near(c.m_k, br_vec3_cross(c.arm_k, c.n), tol);
        assert_vec3_near(c.m_l, br_vec3_cross(c.n, c.arm_l), tol);
        const double expected[9] = {-c.n.x,  -c.n.y,  -c.n.z,  c.m_k.x, c.m_k.y,
                                    c.m_k.z, c.m_l.x, c.m_l.y, c.m_l.z};
        for (int j = 0; j < 9; j++) assert_true(c.gap_by[j] == expected[j]);
        if (type != BR_CLEARANCE_SPATIAL) continue;
        assert_near(br_vec3_dot(c.n, br_mat3_column(pair.E_k, 2)), 0.0, 1e-15);
        assert_near(br_vec3_dot(c.arm_l, pair.e_l), 0.0, tol);
        // Eq. 12: the line from K's wall to L's rim is across d_2, the direction around the axis
        const br_vec3 d2 = br_vec3_cross(br_mat3_column(pair.E_k, 2), c.n);
        assert_near(br_vec3_dot(d2, br_vec3_add(pair.u, c.arm_l)), 0.0, tol);
    }
}

// --- derivatives -------------------------------------------------------------------------------------------

enum { VALUES = 16 }; // gap, n, arm_k, arm_l, m_k, m_l

static void values_of(const br_race_contact *c, double x[VALUES]) {
    const br_vec3 v[5] = {c->n, c->arm_k, c->arm_l, c->m_k, c->m_l};
    x[0] = c->gap;
    for (int k = 0; k < 15; k++) x[1 + k] = br_vec3_get(v[k / 3], k % 3);
}

static void columns_of(const br_race_contact *c, int j, double x[VALUES]) {
    x[0] = c->gap_by[j];
    for (int i = 0; i < 3; i++) {
        x[1 + i] = c->n_by[i][j];
        x[4 + i] = c->arm_k_by[i][j];
        x[7 + i] = c->arm_l_by[i][j];
        x[10 + i] = c->m_k_by[i][j];
        x[13 + i] = c->m_l_by[i][j];
    }
}

static br_race_pair moved(br_race_pair pair, int j, double by) {
    const br_vec3 d = br_vec3_scale(by, br_vec3_unit(j % 3));
    const br_quat turn = br_quat_exp(d);
    if (j < 3)
        pair.u = br_vec3_add(pair.u, d);
    else if (j < 6)
        pair.E_k = br_mat3_mul(br_quat_to_mat3(turn), pair.E_k);
    else
        pair.e_l = br_quat_rotate(turn, pair.e_l);
    return pair;
}

// d2q/dphi2 by differences of q's own formula: the length that decides how fast phi turns. For the round kinds |u|.
static double turning_length(const br_race_pair *pair, const br_race_contact *c) {
    if (pair->type != BR_CLEARANCE_SPATIAL) return br_vec3_norm(pair->u);
    double q[3];
    for (int k = 0; k < 3; k++) {
        const double e = 1e-3 * (k - 1);
        const br_vec3 d2 = br_vec3_cross(br_mat3_column(pair->E_k, 2), c->n);
        const br_vec3 d1 = br_vec3_add_scaled(br_vec3_scale(cos(e), c->n), sin(e), d2);
        q[k] = -pair->rho_l * br_vec3_norm(br_vec3_cross(d1, pair->e_l)) - br_vec3_dot(d1, pair->u);
    }
    return (q[0] - 2.0 * q[1] + q[2]) / 1e-6;
}

// Differences of fourth order over 1e-3 of the turning length: 2e-8 at most are left, near forks. A value's difference
// is measured against the largest derivative of its kind. Poses within 1e-3 of a fork are left out: phi runs there. So are
// those whose two farthest points, either side of the minor axis, are alike to within the step: n jumps.
static void derivatives_are_differences(void **state) {
    (void)state;
    rng r = {14};
    double worst = 0.0;
    int columns = 0;
    for (int k = 0; k < 6000; k++) {
        const br_clearance_type type = k % 3 == 0   ? BR_CLEARANCE_PLANAR
                                       : k % 3 == 1 ? BR_CLEARANCE_SPHERICAL
                                                    : BR_CLEARANCE_SPATIAL;
        const br_race_pair pair = random_pair(&r, type);
        const br_race_contact c = contact_of(&pair, 1);
        const double length = turning_length(&pair, &c), size = br_vec3_norm(pair.u) + pair.rho_l;
        if (!(length > 1e-3 * size)) continue;
        for (int j = 0; j < 9; j++) {
            const double h = (j < 3 ? 1e-3 : 1e-3 / size) * length * length / size;
            double at[4][VALUES], expected[VALUES];
            static const double sides[4] = {-2.0, -1.0, 1.0, 2.0};
            int jumps = 0;
            for (int s = 0; s < 4; s++) {
                const br_race_pair near_by = moved(pair, j, sides[s] * h);
                br_race_contact d;
                br_race_contact_of(&near_by, c.n, 0, &d);
                values_of(&d, at[s]);
                jumps |= br_vec3_dot(d.n, c.n) < 0.5;
            }
            if (jumps) continue;
            columns++;
            columns_of(&c, j, expected);
            for (int i = 0; i < VALUES; i++) {
                const double slope = (8.0 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12.0 * h);
                const double scale = (j < 3 ? 1.0 / length : size / length) * (i > 0 && i < 4 ? 1.0 : size);
                worst = fmax(worst, fabs(slope - expected[i]) / scale);
                assert_near(slope, expected[i], 1e-7 * scale);
            }
        }
    }
    print_message("%d derivatives, largest difference %.1e\n", columns, worst);
    assert_true(columns > 5000 * 9);
}

// --- symmetry and special places -------------------------------------------------------------------------------

static void a_turned_world_turns_the_answer(void **state) {
    (void)state;
    rng r = {15};
    for (int k = 0; k < 1000; k++) {
        br_race_pair pair = random_pair(&r, k % 2 ? BR_CLEARANCE_SPATIAL : BR_CLEARANCE_PLANAR);
        const br_race_contact a = contact_of(&pair, 0);
        const br_mat3 R = br_quat_to_mat3(rng_rotation(&r));
        pair.u = br_mat3_mul_vec(R, pair.u);
        pair.e_l = br_mat3_mul_vec(R, pair.e_l);
        pair.E_k = br_mat3_mul(R, pair.E_k);
        const br_race_contact b = contact_of(&pair, 0);
        assert_near(a.gap, b.gap, 1e-14 * (pair.rho_k + br_vec3_norm(pair.u)));
        // How far n turns for a rounding of u depends on d2q/dphi2.
        const double loose =
            1e-14 * (pair.rho_k + br_vec3_norm(pair.u)) / fmax(turning_length(&pair, &b), 1e-9 * pair.rho_k);
        assert_vec3_near(br_mat3_mul_vec(R, a.n), b.n, fmin(2.0, 1e-14 + loose));
    }
}

// Parallel axes: the disk is a pin.
static void an_upright_disk_is_a_pin(void **state) {
    (void)state;
    rng r = {16};
    for (int k = 0; k < 1000; k++) {
        br_race_pair pair = random_pair(&r, BR_CLEARANCE_SPATIAL);
        const br_vec3 e3 = br_mat3_column(pair.E_k, 2);
        pair.e_l = e3;
        pair.u = br_vec3_add_scaled(pair.u, -br_vec3_dot(pair.u, e3), e3);
        const br_race_contact disk = contact_of(&pair, 1);
        pair.type = BR_CLEARANCE_PLANAR;
        const br_race_contact pin = contact_of(&pair, 1);
        assert_near(disk.gap, pin.gap, 1e-14 * pair.rho_k + 1e-15 * br_vec3_norm(pair.u));
        assert_vec3_near(disk.n, pin.n, 1e-9); // offsets down to 1e-6 rho, rounded at 1e-16 rho
        assert_vec3_near(disk.arm_k, pin.arm_k, 1e-9 * pair.rho_k);
        assert_vec3_near(disk.m_l, br_vec3_zero(), 1e-14);
    }
}

static void everything_is_finite(const br_race_contact *c) {
    double x[VALUES];
    values_of(c, x);
    for (int i = 0; i < VALUES; i++) assert_true(isfinite(x[i]));
    for (int j = 0; j < 9; j++) {
        columns_of(c, j, x);
        for (int i = 0; i < VALUES; i++) assert_true(isfinite(x[i]));
    }
}

static void centred_the_hint_decides(void **state) {
    (void)state;
    const double rho_k = 0.0808, rho_l = 0.08;
    const br_vec3 hint = br_vec3_of(0.6, -0.8, 0.0);
    br_race_pair pair = {BR_CLEARANCE_PLANAR, rho_k,          rho_l, {0.0, 0.0, 0.0},
                         br_mat3_identity(),  {0.0, 0.0, 1.0}};
    for (int type = BR_CLEARANCE_PLANAR; type <= BR_CLEARANCE_SPATIAL; type++) {
        br_race_contact c;
        pair.type = (br_clearance_type)type;
        br_race_contact_of(&pair, hint, 1, &c);
        everything_is_finite(&c);
        assert_vec3_near(c.n, hint, 1e-16);
        assert_near(c.gap, rho_k - rho_l, 1e-17);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) assert_true(c.n_by[i][j] == 0.0);
        pair.u = br_vec3_of(1e-300, 0.0, 0.0); // nearer than any rounding, and still a direction
        br_race_contact_of(&pair, hint, 1, &c);
        everything_is_finite(&c);
        pair.u = br_vec3_zero();
    }
    // Tilted and centred: both ends of the major axis touch alike, and the hint's side is taken.
    for (int side = -1; side <= 1; side += 2) {
        br_race_contact c;
        pair.e_l = br_vec3_of(sin(0.05), 0.0, cos(0.05));
        br_race_contact_of(&pair, br_vec3_of(0.1, 0.9 * side, 0.0), 1, &c);
        everything_is_finite(&c);
        assert_vec3_near(c.n, br_vec3_of(0.0, side, 0.0), 1e-16);
        assert_near(c.gap, rho_k - rho_l, 1e-17);
    }
    // A hint along the axis is no direction in the plane.
    br_race_contact c;
    pair.e_l = br_vec3_unit(2);
    br_race_contact_of(&pair, br_vec3_unit(2), 1, &c);
    everything_is_finite(&c);
    assert_near(br_vec3_norm(c.n), 1.0, 1e-15);
}

// Offset along the minor axis: below s = rho sin^2/cos of the tilt there are two places alike, above one. At the fork
// itself q is flat to fourth order; q must be right on both sides and everything finite.
static void the_fork_is_passed_without_harm(void **state) {
    (void)state;
    const double tilt = 0.1, rho_l = 0.08, fork = rho_l * sin(tilt) * sin(tilt) / cos(tilt);
    static const double off[] = {0.0, 1e-300, 1e-18, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
    for (int i = 0; i < 8; i++)
        for (int side = -1; side <= 1; side += 2)
            for (int j = 0; j < 8; j++) {
                const br_race_pair pair = {BR_CLEARANCE_SPATIAL,
                                           0.0808,
                                           rho_l,
                                           {fork * (1.0 + side * off[i]), rho_l * off[j], 0.0},
                                           br_mat3_identity(),
                                           {sin(tilt), 0.0, cos(tilt)}};
                const br_race_contact c = contact_of(&pair, 1);
                everything_is_finite(&c);
                assert_near(c.gap, gap_by_force(&pair), 1e-15);
            }
}

// A disk on its edge (axes at right angles) and offsets far beyond any joint.
static void extremes_stay_finite(void **state) {
    (void)state;
    static const double offsets[] = {0.0, 1e-12, 0.01, 1.0, 1e6};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            const br_race_pair pair = {
                BR_CLEARANCE_SPATIAL, 0.05,           0.04, {offsets[i], offsets[j], 3.0},
                br_mat3_identity(),   {1.0, 0.0, 0.0}};
            const br_race_contact c = contact_of(&pair, 1);
            everything_is_finite(&c);
            assert_near(c.gap, gap_by_force(&pair), 1e-14 * (1.0 + offsets[i] + offsets[j]));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_poses_are_met),
        cmocka_unit_test(hundred_thousand_poses_agree_with_brute_force),
        cmocka_unit_test(points_gap_and_moments_belong_together),
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(a_turned_world_turns_the_answer),
        cmocka_unit_test(an_upright_disk_is_a_pin),
        cmocka_unit_test(centred_the_hint_decides),
        cmocka_unit_test(the_fork_is_passed_without_harm),
        cmocka_unit_test(extremes_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
