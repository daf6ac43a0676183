// Projections of the laws, their generalized Jacobians and their defects, law by law.
#include "near.h"
#include "random.h"

#include "lcp/problem/law.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 2000 };
#define STEP 1e-6 // of the finite differences; y is of order one
#define TOL_RATE                                                                                             \
    1e-8 // central differences of smooth pieces: STEP^2 times the curvature (at most 1e3), and rounding
#define KINK 1e-4 // distance from every kink, so that STEP stays within one piece
#define TOL_EXACT 1e-15

static br_lcp_law contact(br_law_kind kind, int rows, double mu, int sides) {
    br_lcp_law law = {.kind = kind, .rows = rows, .mu = mu, .scale = 1, .sides = sides};
    law.half_angle = sides ? BR_PI / sides : 0;
    return law;
}

static br_lcp_law box(int rows, double lower, double upper) {
    const br_lcp_law law = {.kind = BR_LAW_BOX, .rows = rows, .lower = lower, .upper = upper, .scale = 1};
    return law;
}

static const br_joint_bound guide[2] = {
    {.preload = 0.1, .terms = 2, .coefficient = {0.3, 0.2}, .rows = {3, 4}},
    {.preload = 0, .terms = 3, .coefficient = {0.5, 0.1, 0.2}, .rows = {1, 6, 7}},
};

static br_lcp_law joint(void) {
    const br_lcp_law law = {.kind = BR_LAW_JOINT_FRICTION,
                            .rows = 5,
                            .normal_rows = 3,
                            .bounds = guide,
                            .scale = 1.5,
                            .preload_scale = 1.5,
                            .share = 1};
    return law;
}

// Every contact law this file knows, planar and in space; returns how many.
static int contacts(br_lcp_law *law) {
    static const int sides[] = {4, 6, 8, 10, 12, 16, 64};
    int n = 0;
    for (int rows = 2; rows <= 3; rows++) {
        law[n++] = contact(BR_LAW_CONE, rows, 0.5, 0);
        law[n++] = contact(BR_LAW_CONE, rows, 0, 0);
        law[n++] = contact(BR_LAW_BOX_FRICTION, rows, 0.7, 0);
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
            law[n++] = contact(BR_LAW_POLYGON, rows, 0.6, sides[k]);
    }
    return n;
}

// ----------------------------------------------------------------------------------------------------- Jacobians

static double difference(const br_lcp_law *law, const double *y, int i, int j, double step) {
    double high[BR_MAX_LAW_ROWS], low[BR_MAX_LAW_ROWS], up[BR_MAX_LAW_ROWS], down[BR_MAX_LAW_ROWS];
    memcpy(high, y, sizeof high);
    memcpy(low, y, sizeof low);
    high[j] += step;
    low[j] -= step;
    br_lcp_law_project(law, high, up, NULL);
    br_lcp_law_project(law, low, down, NULL);
    return (up[i] - down[i]) / (2 * step);
}

// A kink is near where the Jacobian itself changes within KINK: seen by comparing G on both sides in every direction.
static int near_kink(const br_lcp_law *law, const double *y) {
    double p[BR_MAX_LAW_ROWS], G[BR_LCP_MAX_BLOCK], other[BR_LCP_MAX_BLOCK];
    br_lcp_law_project(law, y, p, G);
    for (int j = 0; j < law->rows; j++)
        for (int side = -1; side <= 1; side += 2) {
            double moved[BR_MAX_LAW_ROWS];
            memcpy(moved, y, sizeof moved);
            moved[j] += side * KINK;
            br_lcp_law_project(law, moved, p, other);
            for (int k = 0; k < law->rows * law->rows; k++)
                if (fabs(G[k] - other[k]) > 0.01) return 1;
        }
    return 0;
}

static void check_jacobian(const br_lcp_law *law, uint64_t seed, int *compared) {
    rng r = {seed};
    for (int s = 0; s < SAMPLES; s++) {
        double y[BR_MAX_LAW_ROWS] = {0}, p[BR_MAX_LAW_ROWS], same[BR_MAX_LAW_ROWS], G[BR_LCP_MAX_BLOCK];
        for (int i = 0; i < law->rows; i++) y[i] = rng_uniform(&r, -1, 1);
        if (near_kink(law, y)) continue;
        br_lcp_law_project(law, y, p, G);
        br_lcp_law_project(law, y, same, NULL);
        assert_memory_equal(p, same, (size_t)law->rows * sizeof *p); // G is asked for or not: the same bits
        for (int i = 0; i < law->rows; i++)
            for (int j = 0; j < law->rows; j++)
                assert_near(G[i * law->rows + j], difference(law, y, i, j, STEP), TOL_RATE);
        ++*compared;
    }
}

static void jacobians_of_contact_laws_match_finite_differences(void **state) {
    (void)state;
    br_lcp_law law[32];
    const int n = contacts(law);
    for (int k = 0; k < n; k++) {
        int compared = 0;
        check_jacobian(&law[k], (uint64_t)k, &compared);
        assert_true(compared > SAMPLES / 2);
    }
}

static void jacobians_of_rows_and_joints_match_finite_differences(void **state) {
    (void)state;
    const br_lcp_law law[] = {box(1, -0.3, 0.4),
                              box(6, -0.3, INFINITY),
                              {.kind = BR_LAW_UNILATERAL, .rows = 2, .scale = 1},
                              {.kind = BR_LAW_EQUALITY, .rows = 6, .scale = 1},
                              joint()};
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
        int compared = 0;
        check_jacobian(&law[k], k, &compared);
        assert_true(compared > SAMPLES / 2);
    }
}

static void the_gradient_of_a_joints_bound_matches_finite_differences(void **state) {
    (void)state;
    const br_lcp_law law = joint();
    rng r = {5};
    for (int s = 0; s < SAMPLES; s++) {
        double p[3], gradient[3];
        for (int i = 0; i < 3; i++) p[i] = rng_uniform(&r, 0.1, 1) * (rng_below(&r, 2) ? 1 : -1);
        for (int k = 0; k < 2; k++) {
            br_lcp_joint_bound(&law, k, p, gradient);
            for (int j = 0; j < 3; j++) {
                double high[3] = {p[0], p[1], p[2]}, low[3] = {p[0], p[1], p[2]};
                high[j] += STEP;
                low[j] -= STEP;
                const double rate =
                    (br_lcp_joint_bound(&law, k, high, NULL) - br_lcp_joint_bound(&law, k, low, NULL)) /
                    (2 * STEP);
                assert_near(gradient[j], rate, TOL_RATE);
            }
        }
        assert_near(br_lcp_joint_bound(&law, 0, p, NULL),
                    0.1 * law.scale + 0.3 * hypot(p[0], p[1]) + 0.2 * fabs(p[2]), 1e-14);
    }
}

// --------------------------------------------------------------------------------------------------- projections

// What has been projected stays where it is, to rounding: p_n is untouched the second time, so is the section.
static void projecting_twice_changes_nothing(void **state) {
    (void)state;
    br_lcp_law law[32];
    int n = contacts(law);
    law[n++] = box(3, -0.3, 0.4);
    law[n++] = joint();
    rng r = {7};
    for (int k = 0; k < n; k++)
        for (int s = 0; s < SAMPLES; s++) {
            double y[BR_MAX_LAW_ROWS], p[BR_MAX_LAW_ROWS], again[BR_MAX_LAW_ROWS];
            for (int i = 0; i < law[k].rows; i++) y[i] = rng_uniform(&r, -1, 1);
            br_lcp_law_project(&law[k], y, p, NULL);
            br_lcp_law_project(&law[k], p, again, NULL);
            for (int i = 0; i < law[k].rows; i++) assert_near(again[i], p[i], 1e-15);
        }
}

static void planar_contacts_are_one_law(void **state) {
    (void)state;
    const br_lcp_law cone = contact(BR_LAW_CONE, 2, 0.5, 0), polygon = contact(BR_LAW_POLYGON, 2, 0.5, 4),
                     faces = contact(BR_LAW_BOX_FRICTION, 2, 0.5, 0);
    rng r = {8};
    for (int s = 0; s < SAMPLES; s++) {
        const double y[2] = {rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1)};
        double a[2], b[2], c[2];
        br_lcp_law_project(&cone, y, a, NULL);
        br_lcp_law_project(&polygon, y, b, NULL);
        br_lcp_law_project(&faces, y, c, NULL);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_equal(a, c, sizeof a);
    }
}

// Turning t1 and t2 by any angle turns the answer with them.
static void the_cone_knows_no_tangent_axes(void **state) {
    (void)state;
    const br_lcp_law law = contact(BR_LAW_CONE, 3, 0.5, 0);
    rng r = {9};
    for (int s = 0; s < SAMPLES; s++) {
        const double angle = rng_uniform(&r, 0, 2 * BR_PI), c = cos(angle), d = sin(angle);
        double p[3], w[3], tp[3], tw[3], a[3], b[3];
        for (int i = 0; i < 3; i++) p[i] = rng_uniform(&r, -1, 1), w[i] = rng_uniform(&r, -1, 1);
        const double turned_p[3] = {p[0], c * p[1] + d * p[2], c * p[2] - d * p[1]};
        const double turned_w[3] = {w[0], c * w[1] + d * w[2], c * w[2] - d * w[1]};
        memcpy(tp, turned_p, sizeof tp);
        memcpy(tw, turned_w, sizeof tw);
        br_lcp_law_project(&law, p, a, NULL);
        br_lcp_law_project(&law, tp, b, NULL);
        assert_near(b[1], c * a[1] + d * a[2], 1e-15);
        assert_near(b[2], c * a[2] - d * a[1], 1e-15);
        br_lcp_law_defect(&law, p, w, a);
        br_lcp_law_defect(&law, tp, tw, b);
        assert_near(b[0], a[0], 2e-15);
        assert_near(b[1], c * a[1] + d * a[2], 2e-15);
        assert_near(b[2], c * a[2] - d * a[1], 2e-15);
    }
}

// Corners at 2 pi k / sides, the first along t1, on the circle of radius mu p_n; and the nearest point of the polygon,
// found by looking at every edge.
static void polygons_are_inscribed_with_a_corner_along_t1(void **state) {
    (void)state;
    rng r = {10};
    for (int sides = 4; sides <= BR_MAX_POLYGON_SIDES; sides += 2) {
        const br_lcp_law law = contact(BR_LAW_POLYGON, 3, 0.5, sides);
        const double normal = 2, radius = 1;
        for (int k = 0; k < sides; k++) {
            const double angle = 2 * BR_PI * k / sides;
            const double far[3] = {normal, 10 * cos(angle), 10 * sin(angle)};
            double p[3];
            br_lcp_law_project(&law, far, p, NULL);
            assert_near(p[1], radius * cos(angle), 1e-14);
            assert_near(p[2], radius * sin(angle), 1e-14);
        }
        for (int s = 0; s < 100; s++) {
            const double y[3] = {normal, rng_uniform(&r, -3, 3), rng_uniform(&r, -3, 3)};
            double p[3], best = INFINITY;
            int inside = 1;
            br_lcp_law_project(&law, y, p, NULL);
            for (int k = 0; k < sides; k++) {
                const double a = 2 * BR_PI * k / sides, b = 2 * BR_PI * (k + 1) / sides, m = (a + b) / 2;
                const double x0 = cos(a), y0 = sin(a), ex = cos(b) - x0, ey = sin(b) - y0;
                double t = ((y[1] - x0) * ex + (y[2] - y0) * ey) / (ex * ex + ey * ey);
                t = t < 0 ? 0 : t > 1 ? 1 : t;
                best = fmin(best, hypot(y[1] - x0 - t * ex, y[2] - y0 - t * ey));
                inside &= cos(m) * y[1] + sin(m) * y[2] <= cos(BR_PI / sides);
                assert_true(cos(m) * p[1] + sin(m) * p[2] <= cos(BR_PI / sides) + 1e-14);
            }
            assert_near(hypot(y[1] - p[1], y[2] - p[2]), inside ? 0 : best, 1e-14);
        }
    }
}

// ------------------------------------------------------------------------------------------------------- defects

static double defect_of(const br_lcp_law *law, const double *p, const double *w) {
    double defect[BR_MAX_LAW_ROWS], sum = 0;
    br_lcp_law_defect(law, p, w, defect);
    for (int i = 0; i < law->rows; i++) sum += defect[i] * defect[i];
    return sqrt(sum);
}

// Numbers that are exact in binary, so that zero means zero: mu = 1/2, and 3-4-5 for the slip.
static void defects_vanish_exactly_at_solutions(void **state) {
    (void)state;
    const br_lcp_law cone = contact(BR_LAW_CONE, 3, 0.5, 0), flat = contact(BR_LAW_BOX_FRICTION, 3, 0.5, 0);
    const br_lcp_law square = contact(BR_LAW_POLYGON, 3, 0.5, 4), line = contact(BR_LAW_CONE, 2, 0.5, 0);
    const br_lcp_law *all[] = {&cone, &flat, &square};
    const double stick_p[3] = {4, 1, -0.5}, still[3] = {0, 0, 0}, apart[3] = {2, 3, -7};
    for (int k = 0; k < 3; k++) {
        assert_true(defect_of(all[k], stick_p, still) == 0); // sticks inside its section
        assert_true(defect_of(all[k], still, apart) == 0);   // separates, sliding as it likes
        assert_true(defect_of(all[k], still, still) == 0);   // touches
    }
    const double slip_p[3] = {10, 3, -4}, slip_w[3] = {0, -6, 8}; // |p_t| = 5 = mu p_n, against w_t
    assert_near(defect_of(&cone, slip_p, slip_w), 0, TOL_EXACT * 20);
    const double corner_p[3] = {10, 5, -5}, corner_w[3] = {0, -1, 7};
    assert_true(defect_of(&flat, corner_p, corner_w) == 0);
    const double along_p[3] = {10, 5, 0},
                 along_w[3] = {0, -6, 2}; // the corner along t1 takes |w_t2| <= |w_t1|
    assert_near(defect_of(&square, along_p, along_w), 0, TOL_EXACT * 20);
    const double plane_p[2] = {10, -5}, plane_w[2] = {0, 3};
    assert_near(defect_of(&line, plane_p, plane_w), 0, TOL_EXACT * 20);
    const br_lcp_law rows = box(3, -1, 2), pin = joint();
    const double box_p[3] = {-1, 2, 0.5}, box_w[3] = {4, -4, 0};
    assert_true(defect_of(&rows, box_p, box_w) == 0);
    const double normal[3] = {3, -4, 2}, bound = br_lcp_joint_bound(&pin, 0, normal, NULL);
    const double pin_p[5] = {3, -4, 2, bound, 0.25}, pin_w[5] = {0, 0, 0, -2, 0};
    assert_true(defect_of(&pin, pin_p, pin_w) == 0);
}

// Each wrong in one way; the least of these defects is 0.1.
static void defects_show_every_way_to_be_wrong(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double p[3], w[3];
    } wrong[] = {
        {"pulls", {-1, 0, 0}, {0, 0, 0}},
        {"penetrates", {0, 0, 0}, {-1, 0, 0}},
        {"pushes while apart", {1, 0, 0}, {1, 0, 0}},
        {"slips without friction", {4, 0, 0}, {0, 1, 0}},
        {"slips with too little friction", {4, -1, 0}, {0, 1, 0}},
        {"outside its section", {4, 3, 0}, {0, 0, 0}},
        {"pushed by friction", {4, 2, 0}, {0, 1, 0}},
        {"friction without a normal impulse", {0, 1, 0}, {1, 0, 0}},
    };
    br_lcp_law law[32];
    const int n = contacts(law);
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            if (law[k].mu == 0 && i == 3) continue; // nothing wrong there
            const double defect = defect_of(&law[k], wrong[i].p, wrong[i].w);
            if (!(defect > 0.1))
                fail_msg("%s, kind %d with %d rows and mu %g: defect %g", wrong[i].what, law[k].kind,
                         law[k].rows, law[k].mu, defect);
        }
    const br_lcp_law rows = box(1, -1, 2), pin = joint();
    const double inside = 1, moving = 0.5, above = 3, none = 0;
    assert_near(defect_of(&rows, &inside, &moving), 0.5, 0);
    assert_near(defect_of(&rows, &above, &none), 1, 0);
    const double pin_p[5] = {3, -4, 2, 0, 0}, loose[5] = {0.5, 0, 0, 0, 0}, slips[5] = {0, 0, 0, 1, 0};
    assert_near(defect_of(&pin, pin_p, loose), 0.5, 0);
    assert_near(defect_of(&pin, pin_p, slips), 1, 0);
}

static void a_huge_impulse_does_not_hide_a_velocity(void **state) {
    (void)state;
    br_lcp_law law[32];
    int n = contacts(law);
    for (int k = 0; k < n; k++) {
        const double p[3] = {1e20, 0, 0}, apart[3] = {1, 0, 0}, slips[3] = {0, 1, 0};
        if (!(defect_of(&law[k], p, apart) >= 0.5))
            fail_msg("w_n = 1 is hidden by kind %d with %d rows, mu %g", law[k].kind, law[k].rows, law[k].mu);
        if (law[k].mu > 0 && !(defect_of(&law[k], p, slips) >= 0.5))
            fail_msg("w_t = 1 is hidden by kind %d with %d rows", law[k].kind, law[k].rows);
    }
    const br_lcp_law rows[] = {{.kind = BR_LAW_EQUALITY, .rows = 1, .scale = 1},
                               {.kind = BR_LAW_UNILATERAL, .rows = 1, .scale = 1},
                               box(1, -INFINITY, INFINITY),
                               box(1, -1e21, 1e21)};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double p = 1e20, w = 1;
        assert_near(defect_of(&rows[k], &p, &w), 1, 0);
    }
    const br_lcp_law pin = joint();
    const double p[5] = {1e20, 1e20, 1e20, 1e19, 0}, loose[5] = {1, 0, 0, 0, 0}, slips[5] = {0, 0, 0, 1, 0};
    assert_near(defect_of(&pin, p, loose), 1, 0);
    assert_near(defect_of(&pin, p, slips), 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_of_contact_laws_match_finite_differences),
        cmocka_unit_test(jacobians_of_rows_and_joints_match_finite_differences),
        cmocka_unit_test(the_gradient_of_a_joints_bound_matches_finite_differences),
        cmocka_unit_test(projecting_twice_changes_nothing),
        cmocka_unit_test(planar_contacts_are_one_law),
        cmocka_unit_test(the_cone_knows_no_tangent_axes),
        cmocka_unit_test(polygons_are_inscribed_with_a_corner_along_t1),
        cmocka_unit_test(defects_vanish_exactly_at_solutions),
        cmocka_unit_test(defects_show_every_way_to_be_wrong),
        cmocka_unit_test(a_huge_impulse_does_not_hide_a_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
