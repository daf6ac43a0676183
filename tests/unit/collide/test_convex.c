// Contact points of convex shapes (convex.c, convex_face.c, convex_manifold.c).
#include "collide/convex.h"
#include "surfaces.h"

#define SLOPE 1e-9 // rad: what a solver leaves on a body at rest

static int collide(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                   const br_placement *X_B, double margin, br_contact_point *c) {
    const int count = br_pair_convex_convex(a, X_A, b, X_B, margin, c);
    check_points(c, count, margin);
    return count;
}

static br_placement tilted(br_vec3 p, br_vec3 axis, double angle) {
    return place_make(br_quat_from_axis_angle(axis, angle), p);
}

// Whether forces along the normals at the points, all positive, can have any resultant point in a given rectangle.
static int spans(const br_contact_point *c, int count, double x, double y) {
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (int k = 0; k < count; k++) {
        low_x = fmin(low_x, c[k].point.x), high_x = fmax(high_x, c[k].point.x);
        low_y = fmin(low_y, c[k].point.y), high_y = fmax(high_y, c[k].point.y);
    }
    return low_x <= -x && high_x >= x && low_y <= -y && high_y >= y;
}

static int same_features(const br_contact_point *a, int m, const br_contact_point *b, int n) {
    if (m != n) return 0;
    for (int k = 0; k < m; k++)
        if (!find_feature(b, n, a[k].feature)) return 0;
    return 1;
}

// Random placements: each point is on both surfaces. 1e-5: corners up to 1e-6 beyond an outline count as over it, and
// faces of polytopes are merged to 5e-7.
static void points_are_on_both_surfaces(void **state) {
    (void)state;
    rng r = {21};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int trial = 0; trial < 100; trial++) {
                const br_geometry a = random_shape(&r, convex_kind[i], &arena);
                const br_geometry b = random_shape(&r, convex_kind[j], &arena);
                br_placement X_A = place_random(&r, 0.0), X_B = place_random(&r, 1.5);
                if (trial % 2) X_A.R = X_B.R = br_mat3_identity(); // many parallel faces and edges
                br_contact_point c[BR_MAX_MANIFOLD], e;
                assert_int_equal(br_pair_convex_convex(&a, &X_A, &b, &X_B, INFINITY, &e), 1);
                X_B.p = br_vec3_add_scaled(X_B.p, e.gap - rng_uniform(&r, -1e-3, 1e-3), e.normal);
                const int count = collide(&a, &X_A, &b, &X_B, 0.01, c);
                assert_true(count > 0);
                check_on_surfaces(&a, &X_A, &b, &X_B, c, count, 3e-5);
                assert_int_equal(br_pair_convex_convex(&a, &X_A, &b, &X_B, INFINITY, &e), 1);
                if (e.gap > 0.0) assert_near(least_gap(c, count), e.gap, 2e-6);
            }
    br_arena_free(&arena);
}

// A polytope on a larger one, both boxes: four corners with the box's numbers. Overhanging: still over the edge.
static void a_polytope_rests_on_its_corners(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_geometry a = box_hull(br_vec3_of(0.5, 0.4, 0.3), &arena),
                      b = box_hull(br_vec3_of(2, 2, 1), &arena);
    const br_placement X_B = place_at(0.0, 0.0, -1.0);
    br_contact_point c[BR_MAX_MANIFOLD];
    br_placement X_A = place_at(0.1, 0.2, 0.3);
    int count = collide(&a, &X_A, &b, &X_B, 0.01, c);
    assert_int_equal(count, 4);
    for (int k = 0; k < 4; k++) {
        assert_vec3_near(c[k].normal, br_vec3_unit(2), 1e-15);
        assert_near(c[k].gap, 0.0, 1e-15);
        assert_near(fabs(c[k].point.x - 0.1), 0.5, 1e-15);
        assert_near(fabs(c[k].point.y - 0.2), 0.4, 1e-15);
    }
    X_A = place_at(1.8, 0.0, 0.3);
    count = collide(&a, &X_A, &b, &X_B, 0.01, c);
    assert_int_equal(count, 4);
    double most = 0.0;
    for (int k = 0; k < 4; k++) most = fmax(most, c[k].point.x);
    assert_near(most, 2.0, 1e-14);
    br_arena_free(&arena);
}

// Resting shapes under rocking of 1e-9 rad and sinking of 1e-10 m, to and fro: the same features every time, the normal
// within 1e-8, and the gap of each point off by no more than the motion.
static void rest_does_not_flicker(void **state) {
    (void)state;
    rng r = {22};
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_vec3 prism[12];
    for (int k = 0; k < 12; k++)
        prism[k] =
            br_vec3_of(0.5 * cos(k % 6 * BR_PI / 3), 0.5 * sin(k % 6 * BR_PI / 3), k < 6 ? 0.25 : -0.25);
    const br_geometry top[] = {box_hull(br_vec3_of(0.3, 0.4, 0.25), &arena), hull_of(prism, 12, &arena),
                               shape_make(BR_SHAPE_CYLINDER, br_vec3_of(0.4, 0, 0), 0.5),
                               shape_make(BR_SHAPE_BOX, br_vec3_of(0.6, 0.8, 0.5), 0.0)};
    const br_geometry under[] = {box_hull(br_vec3_of(1, 1, 0.5), &arena),
                                 shape_make(BR_SHAPE_CYLINDER, br_vec3_of(1.2, 0, 0), 1.0),
                                 shape_make(BR_SHAPE_BOX, br_vec3_of(0.7, 0.7, 1.0), 0.0),
                                 shape_make(BR_SHAPE_DISK, br_vec3_of(0.9, 0, 0), 0.0)};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const br_placement X_B = place_at(0.0, 0.0, j == 3 ? 0.0 : -0.5);
            const br_vec3 p = br_vec3_of(0.11, 0.07, 0.25);
            br_contact_point first[BR_MAX_MANIFOLD], c[BR_MAX_MANIFOLD];
            br_placement X_A = place_at(p.x, p.y, p.z);
            const int m = collide(&top[i], &X_A, &under[j], &X_B, 1e-3, first);
            assert_true(m >= 3 && spans(first, m, 0.0, 0.0));
            for (int step = 0; step < 200; step++) {
                const br_vec3 q = br_vec3_add(p, rng_vec3(&r, 1e-10));
                X_A = tilted(q, rng_direction(&r), rng_uniform(&r, 0.0, SLOPE));
                const int n = collide(&top[i], &X_A, &under[j], &X_B, 1e-3, c);
                assert_true(same_features(first, m, c, n));
                for (int k = 0; k < n; k++) {
                    assert_vec3_near(c[k].normal, br_vec3_unit(2), 1e-8);
                    assert_near(c[k].gap, 0.0, 3e-9); // 1e-10 + 1e-9 rad times 1.4 m
                }
            }
        }
    br_arena_free(&arena);
}

// A polytope slides and turns on another: the names of its corners stay while they stay over it.
static void features_last_along_a_smooth_motion(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_geometry a = box_hull(br_vec3_of(0.3, 0.4, 0.25), &arena),
                      b = box_hull(br_vec3_of(2, 2, 0.5), &arena);
    const br_placement X_B = place_at(0.0, 0.0, -0.5);
    br_contact_point first[BR_MAX_MANIFOLD], c[BR_MAX_MANIFOLD];
    int m = 0;
    for (int step = 0; step <= 1000; step++) {
        const double t = 1e-3 * step;
        const br_placement X_A = tilted(br_vec3_of(-1.0 + 2.0 * t, 0.5 * t, 0.25 + 1e-4 * sin(20.0 * t)),
                                        br_vec3_unit(2), 3.0 * t);
        const int n = collide(&a, &X_A, &b, &X_B, 1e-3, c);
        if (step == 0) {
            m = n;
            for (int k = 0; k < n; k++) first[k] = c[k];
        }
        assert_int_equal(m, 4);
        assert_true(same_features(first, m, c, n));
        for (int k = 0; k < n; k++) assert_near(c[k].gap, 1e-4 * sin(20.0 * t), 1e-14);
    }
    br_arena_free(&arena);
}

// Tilted by more and more the far corners rise above the margin; the gap of each is its height, and the lowest is there
// at every angle.
static void tilting_lifts_corners_by_their_height(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_geometry a = box_hull(br_vec3_of(0.3, 0.4, 0.25), &arena),
                      b = box_hull(br_vec3_of(2, 2, 0.5), &arena);
    const br_placement X_B = place_at(0.0, 0.0, -0.5);
    for (int step = 0; step < 200; step++) {
        const double angle = pow(10.0, -10.0 + 0.0485 * step);
        br_placement X_A = tilted(br_vec3_zero(), br_vec3_normalize(br_vec3_of(1.0, 0.5, 0.0)), angle);
        const br_vec3 down = br_mat3_tmul_vec(X_A.R, br_vec3_of(0.0, 0.0, -1.0));
        X_A.p.z = br_vec3_dot(down, br_geometry_support(&a, down)) + 1e-6;
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = collide(&a, &X_A, &b, &X_B, 1e-3, c);
        assert_near(least_gap(c, count), 1e-6, 1e-12);
        for (int k = 0; k < count; k++)
            assert_near(c[k].gap, br_vec3_dot(c[k].normal, c[k].point), 1e-12 + 1e-4 * angle * angle);
        if (angle < 1e-4) assert_int_equal(count, 4);
    }
    br_arena_free(&arena);
}

static void edges_that_cross_touch_in_one_point(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    // two boxes on edge, crossing at 70 degrees
    const br_geometry a = box_hull(br_vec3_of(1.0, 0.2, 0.2), &arena),
                      b = box_hull(br_vec3_of(1.0, 0.3, 0.3), &arena);
    const br_quat edge = br_quat_from_axis_angle(br_vec3_unit(0), 0.25 * BR_PI);
    const br_quat turn = br_quat_from_axis_angle(br_vec3_unit(2), 70.0 * BR_PI / 180.0);
    const br_placement X_A =
        place_make(br_quat_mul(turn, edge), br_vec3_of(0.1, 0.05, 0.5 * sqrt(2.0) + 1e-4));
    const br_placement X_B = place_make(edge, br_vec3_zero());
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(collide(&a, &X_A, &b, &X_B, 0.01, c), 1);
    assert_near(c[0].gap, 1e-4, 1e-15);
    assert_vec3_near(c[0].normal, br_vec3_unit(2), 1e-14);
    assert_vec3_near(c[0].point,
                     br_vec3_of(0.1 - 0.05 / tan(70.0 * BR_PI / 180.0), 0.0, 0.3 * sqrt(2.0) + 1e-4), 1e-14);
    br_arena_free(&arena);
}

static void a_polytope_of_many_sides_keeps_eight_points_spread_out(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    enum { SIDES = 50 };
    br_vec3 p[2 * SIDES];
    for (int k = 0; k < 2 * SIDES; k++) {
        const double t = 2.0 * BR_PI * (k % SIDES) / SIDES;
        p[k] = br_vec3_of(cos(t), sin(t), k < SIDES ? 0.2 : -0.2);
    }
    const br_geometry a = hull_of(p, 2 * SIDES, &arena), b = box_hull(br_vec3_of(3, 3, 1), &arena);
    const br_placement X_A = place_at(0.0, 0.0, 0.2), X_B = place_at(0.0, 0.0, -1.0);
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(a.hull->faces, SIDES + 2);
    assert_int_equal(collide(&a, &X_A, &b, &X_B, 0.01, c), 8);
    assert_true(spans(c, 8, 0.9, 0.9));
    br_arena_free(&arena);
}

// The same in a moved world, features and all; and, exchanged, the same gaps.
static void moving_the_world_moves_the_points(void **state) {
    (void)state;
    rng r = {23};
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_geometry a = box_hull(br_vec3_of(0.3, 0.4, 0.25), &arena),
                      b = box_hull(br_vec3_of(0.5, 0.2, 0.5), &arena);
    for (int trial = 0; trial < 200; trial++) {
        const br_placement X_A = tilted(br_vec3_of(0.1, 0.1, 0.25 + rng_uniform(&r, -1e-3, 1e-3)),
                                        br_vec3_unit(2), rng_uniform(&r, 0.1, 1.4));
        const br_placement X_B = place_at(0.0, 0.0, -0.5), W = place_random(&r, 2.0);
        const br_placement Y_A = place_moved(&W, &X_A), Y_B = place_moved(&W, &X_B);
        br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD], e[BR_MAX_MANIFOLD];
        const int m = collide(&a, &X_A, &b, &X_B, 0.01, c), n = collide(&a, &Y_A, &b, &Y_B, 0.01, d);
        check_moved(c, m, d, n, &W, 1e-14 * 4);
        const int k = collide(&b, &X_B, &a, &X_A, 0.01, e);
        assert_int_equal(k, m);
        assert_near(least_gap(e, k), least_gap(c, m), 1e-14);
    }
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_on_both_surfaces),
        cmocka_unit_test(a_polytope_rests_on_its_corners),
        cmocka_unit_test(rest_does_not_flicker),
        cmocka_unit_test(features_last_along_a_smooth_motion),
        cmocka_unit_test(tilting_lifts_corners_by_their_height),
        cmocka_unit_test(edges_that_cross_touch_in_one_point),
        cmocka_unit_test(a_polytope_of_many_sides_keeps_eight_points_spread_out),
        cmocka_unit_test(moving_the_world_moves_the_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
