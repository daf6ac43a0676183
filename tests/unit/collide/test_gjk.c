// Distances and depths between convex shapes of every kind (gjk.c, gjk_epa.c, convex_polish.c).
#include "surfaces.h"

#include "collide/convex.h"

static double distance(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, br_contact_point *c) {
    assert_int_equal(br_pair_convex_convex(a, X_A, b, X_B, INFINITY, c), 1);
    assert_true(isfinite(c->gap) && br_vec3_is_finite(c->point));
    assert_near(br_vec3_norm(c->normal), 1.0, 1e-13);
    return c->gap;
}

// Any direction gives a lower bound of the signed distance, by support points alone. The answer must reach it along its
// own normal (so it is not too large) and exceed the best one found by search (so it is not too small). Rounding of
// support points of shapes of about 1 m is 1e-15; 1e-12 leaves room for it and nothing else.
static void no_direction_separates_better(void **state) {
    (void)state;
    rng r = {11};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int trial = 0; trial < 8; trial++) {
                const br_geometry a = random_shape(&r, convex_kind[i], &arena);
                const br_geometry b = random_shape(&r, convex_kind[j], &arena);
                const br_placement X_A = place_random(&r, 0.0);
                const br_placement X_B = place_random(&r, trial % 2 ? 0.4 : 1.5);
                br_contact_point c;
                br_vec3 n;
                const double d = distance(&a, &X_A, &b, &X_B, &c);
                const double best = brute_distance(&r, &a, &X_A, &b, &X_B, &n);
                assert_true(d >= best - 1e-12);
                assert_near(d, brute_separation(&a, &X_A, &b, &X_B, c.normal), 1e-12);
                check_on_surfaces(&a, &X_A, &b, &X_B, &c, 1, 1e-6); // a polytope's faces are merged to 5e-7
            }
    br_arena_free(&arena);
}

// Moved along the normal until the gap is a given small number, on either side of touching: the distance is that.
static void touching_is_passed_smoothly(void **state) {
    (void)state;
    const double gap[] = {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3};
    rng r = {12};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int trial = 0; trial < 10; trial++) {
                const br_geometry a = random_shape(&r, convex_kind[i], &arena);
                const br_geometry b = random_shape(&r, convex_kind[j], &arena);
                const br_placement X_A = place_random(&r, 0.0), X_B = place_random(&r, 2.5);
                br_contact_point c, e;
                const double d = distance(&a, &X_A, &b, &X_B, &c);
                if (!(d > 0.0)) continue; // apart, the normal stays the same while they approach
                for (int k = 0; k < (int)(sizeof gap / sizeof *gap); k++) {
                    br_placement X = X_B;
                    X.p = br_vec3_add_scaled(X.p, d - gap[k], c.normal);
                    // 3e-12: two corners 1e-12 m apart have a direction only up to the rounding of their places.
                    // Deeper than touching another way out may be shorter, never longer.
                    const double got = distance(&a, &X_A, &b, &X, &e);
                    assert_true(got >= gap[k] - 3e-12);
                    if (a.type == BR_SHAPE_DISK || b.type == BR_SHAPE_DISK)
                        continue; // may be through already
                    assert_true(got <= fmax(gap[k], 0.0) + 3e-12);
                }
            }
    br_arena_free(&arena);
}

static void balls_and_boxes_have_closed_forms(void **state) {
    (void)state;
    rng r = {13};
    br_contact_point c;
    const br_geometry a = sphere_make(0.7), b = sphere_make(0.4), box = box_make(2.0, 1.0, 0.6);
    for (int trial = 0; trial < 200; trial++) {
        const br_placement X = place_random(&r, 1.5), Y = place_random(&r, 1.5);
        assert_near(distance(&a, &X, &b, &Y, &c), br_vec3_distance(X.p, Y.p) - 1.1, 1e-14);
        assert_near(distance(&a, &X, &box, &Y, &c), point_outside(&box, &Y, X.p) - 0.7, 1e-14);
        br_contact_point exact[BR_MAX_MANIFOLD];
        const br_geometry other = box_make(0.5, 0.9, 1.4);
        const int count = br_pair_box_box(&box, &X, &other, &Y, INFINITY, exact);
        // that one prefers faces by a little, so it may be below
        assert_true(distance(&box, &X, &other, &Y, &c) >= least_gap(exact, count) - 1e-13);
    }
}

static void far_from_the_origin_no_digit_is_lost_but_the_coordinates_own(void **state) {
    (void)state;
    rng r = {14};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++) {
            const br_geometry a = random_shape(&r, convex_kind[i], &arena);
            const br_geometry b = random_shape(&r, convex_kind[j], &arena);
            br_placement X_A = place_random(&r, 0.0), X_B = place_random(&r, 1.0);
            const br_vec3 far = br_vec3_of(8192.0, -16384.0, 4096.0); // powers of two
            X_B.p = br_vec3_of(round(X_B.p.x * 1024) / 1024, round(X_B.p.y * 1024) / 1024,
                               round(X_B.p.z * 1024) / 1024);
            br_contact_point near_by, away;
            const double d = distance(&a, &X_A, &b, &X_B, &near_by);
            X_A.p = br_vec3_add(X_A.p, far), X_B.p = br_vec3_add(X_B.p, far);
            assert_near(distance(&a, &X_A, &b, &X_B, &away), d, 0.0); // the difference of positions is exact
            assert_vec3_near(away.normal, near_by.normal, 0.0);
            assert_vec3_near(br_vec3_sub(away.point, far), near_by.point, 1e-11); // 16384 m to rounding
        }
    br_arena_free(&arena);
}

static void moving_the_world_and_exchanging_the_shapes_change_nothing(void **state) {
    (void)state;
    rng r = {15};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int trial = 0; trial < 10; trial++) {
                const br_geometry a = random_shape(&r, convex_kind[i], &arena);
                const br_geometry b = random_shape(&r, convex_kind[j], &arena);
                const br_placement X_A = place_random(&r, 0.0), X_B = place_random(&r, 1.2);
                const br_placement W = place_random(&r, 3.0), Y_A = place_moved(&W, &X_A),
                                   Y_B = place_moved(&W, &X_B);
                br_contact_point c, moved, swapped;
                const double d = distance(&a, &X_A, &b, &X_B, &c);
                assert_near(distance(&a, &Y_A, &b, &Y_B, &moved), d, 2e-12);
                assert_near(distance(&b, &X_B, &a, &X_A, &swapped), d, 2e-12);
            }
    br_arena_free(&arena);
}

// Coincident, concentric, nested, aligned: whatever comes out is finite, and a depth that shifting along the normal
// resolves.
static void degenerate_placements_have_an_answer(void **state) {
    (void)state;
    rng r = {16};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int k = 0; k < 8; k++) {
                const br_geometry a = k % 2 ? random_shape(&r, convex_kind[i], &arena)
                                      : convex_kind[i] == BR_SHAPE_CONVEX
                                          ? box_hull(br_vec3_of(0.5, 0.5, 0.5), &arena)
                                          : shape_make(convex_kind[i], br_vec3_of(1.0, 1.0, 1.0), 1.0);
                const br_geometry b = k % 2 ? random_shape(&r, convex_kind[j], &arena)
                                      : convex_kind[j] == BR_SHAPE_CONVEX
                                          ? box_hull(br_vec3_of(0.5, 0.5, 0.5), &arena)
                                          : shape_make(convex_kind[j], br_vec3_of(1.0, 1.0, 1.0), 1.0);
                const br_placement X = place_at(0.0, 0.0, 0.0);
                const br_quat quarter =
                    br_quat_from_axis_angle(br_vec3_unit(k / 2 % 3), k < 4 ? 0.0 : 0.5 * BR_PI);
                br_placement Y = place_make(quarter, br_vec3_zero());
                br_contact_point c, apart, some[BR_MAX_MANIFOLD];
                const double d = distance(&a, &X, &b, &Y, &c);
                if (k % 2 == 0) assert_true(d <= 1e-12); // a random polytope need not hold its origin
                check_points(some, br_pair_convex_convex(&a, &X, &b, &Y, 0.1, some), 0.1);
                Y.p = br_vec3_add_scaled(Y.p, d - 1e-3, c.normal);
                assert_near(distance(&a, &X, &b, &Y, &apart), 1e-3, 1e-12);
            }
    br_arena_free(&arena);
}

// Each of 1 m or so against one a thousand times as large or small, and slivers.
static void sizes_may_differ_by_a_thousand(void **state) {
    (void)state;
    rng r = {17};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS - 1; i++)
        for (int j = 0; j < CONVEX_KINDS - 1; j++)
            for (int trial = 0; trial < 4; trial++) {
                const br_vec3 thin = br_vec3_of(1e-3, 0.7, trial % 2 ? 0.02 : 0.4);
                const br_geometry a = shape_make(convex_kind[i], thin, 1.0);
                const br_geometry b = shape_make(convex_kind[j], br_vec3_of(1.3, 0.9, 0.8), 2.0);
                const br_placement X = place_random(&r, 0.0), Y = place_random(&r, 1.5);
                br_contact_point c;
                br_vec3 n;
                const double d = distance(&a, &X, &b, &Y, &c);
                assert_true(d >= brute_distance(&r, &a, &X, &b, &Y, &n) - 1e-12);
                assert_near(d, brute_separation(&a, &X, &b, &Y, c.normal), 1e-12);
            }
    br_arena_free(&arena);
}

static void beyond_the_margin_there_is_nothing(void **state) {
    (void)state;
    rng r = {18};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int trial = 0; trial < 30; trial++) {
            const br_geometry a = random_shape(&r, convex_kind[i], &arena);
            const br_geometry b = random_shape(&r, convex_kind[trial % CONVEX_KINDS], &arena);
            const br_placement X = place_random(&r, 0.0), Y = place_random(&r, 2.0);
            br_contact_point c, some[BR_MAX_MANIFOLD];
            const double d = distance(&a, &X, &b, &Y, &c);
            assert_int_equal(br_pair_convex_convex(&a, &X, &b, &Y, d - 1e-9, some), 0);
            const int count = br_pair_convex_convex(&a, &X, &b, &Y, d + 1e-3, some);
            assert_true(count > 0);
            check_points(some, count, d + 1e-3);
        }
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_direction_separates_better),
        cmocka_unit_test(touching_is_passed_smoothly),
        cmocka_unit_test(balls_and_boxes_have_closed_forms),
        cmocka_unit_test(far_from_the_origin_no_digit_is_lost_but_the_coordinates_own),
        cmocka_unit_test(moving_the_world_and_exchanging_the_shapes_change_nothing),
        cmocka_unit_test(degenerate_placements_have_an_answer),
        cmocka_unit_test(sizes_may_differ_by_a_thousand),
        cmocka_unit_test(beyond_the_margin_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
