// Ellipsoids against everything with a support function: exact nearest points.
#include "collide/convex.h"
#include "surfaces.h"

static br_geometry ellipsoid(double x, double y, double z) {
    return shape_make(BR_SHAPE_ELLIPSOID, br_vec3_of(x, y, z), 0.0);
}

static br_vec3 outward(const br_geometry *g, const br_placement *X, br_vec3 point) { // D^-1 x
    const br_vec3 p = br_place_in(X, point), h = g->half;
    return br_mat3_mul_vec(
        X->R, br_vec3_normalize(br_vec3_of(p.x / (h.x * h.x), p.y / (h.y * h.y), p.z / (h.z * h.z))));
}

static void round_ellipsoids_are_spheres(void **state) {
    (void)state;
    rng r = {31};
    const br_geometry a = ellipsoid(0.7, 0.7, 0.7), b = ellipsoid(0.4, 0.4, 0.4), s = sphere_make(0.4);
    for (int trial = 0; trial < 200; trial++) {
        const br_placement X = place_random(&r, 1.5), Y = place_random(&r, 1.5);
        br_contact_point c;
        const double exact = br_vec3_distance(X.p, Y.p) - 1.1;
        assert_int_equal(br_pair_convex_convex(&a, &X, &b, &Y, INFINITY, &c), 1);
        assert_near(c.gap, exact, 1e-14);
        assert_vec3_near(c.normal, br_vec3_normalize(br_vec3_sub(X.p, Y.p)), 1e-13);
        assert_int_equal(br_pair_convex_convex(&s, &Y, &a, &X, INFINITY, &c), 1);
        assert_near(c.gap, exact, 1e-14);
    }
}

// The conditions of a nearest pair: both points on their surfaces, and both surfaces' normals along the line between.
// Together with no crossing they are sufficient. Radii from 1:1 to 1:100; normals are right to 1e-9 even at a flat
// ellipsoid's rim, where the radius of curvature is 1e-4 of the size.
static void nearest_points_satisfy_the_conditions(void **state) {
    (void)state;
    rng r = {32};
    for (int trial = 0; trial < 3000; trial++) {
        const double flat = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.01;
        const br_geometry a =
            ellipsoid(rng_uniform(&r, 0.3, 1.0), rng_uniform(&r, 0.3, 1.0), flat * rng_uniform(&r, 0.5, 1.0));
        const br_geometry b =
            ellipsoid(rng_uniform(&r, 0.3, 1.0), flat * rng_uniform(&r, 0.5, 1.0), rng_uniform(&r, 0.3, 1.0));
        const br_placement X = place_random(&r, 0.0);
        br_placement Y = place_random(&r, 1.6);
        br_contact_point c;
        assert_int_equal(br_pair_convex_convex(&a, &X, &b, &Y, INFINITY, &c), 1);
        if (c.gap < -1e-3 * flat * flat) continue; // deeper: the other test
        if (trial % 2) {                           // to a gap of about the least that matters
            Y.p = br_vec3_add_scaled(Y.p, c.gap - 1e-8, c.normal);
            assert_int_equal(br_pair_convex_convex(&a, &X, &b, &Y, INFINITY, &c), 1);
            assert_near(c.gap, 1e-8, 1e-14);
        }
        const br_vec3 q = br_vec3_add_scaled(c.point, -c.gap, c.normal);
        assert_near(off_surface(&a, &X, c.point), 0.0, 1e-13);
        assert_near(off_surface(&b, &Y, q), 0.0, 1e-13);
        assert_vec3_near(outward(&a, &X, c.point), br_vec3_neg(c.normal), 1e-9);
        assert_vec3_near(outward(&b, &Y, q), c.normal, 1e-9);
    }
}

static void no_direction_separates_better_when_deep(void **state) {
    (void)state;
    rng r = {33};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int trial = 0; trial < 120; trial++) {
        const br_geometry a =
            ellipsoid(rng_uniform(&r, 0.3, 1.0), rng_uniform(&r, 0.3, 1.0), rng_uniform(&r, 0.05, 1.0));
        const br_geometry b = random_shape(&r, convex_kind[trial % CONVEX_KINDS], &arena);
        const br_placement X = place_random(&r, 0.0), Y = place_random(&r, 0.3);
        br_contact_point c;
        br_vec3 n;
        assert_int_equal(br_pair_convex_convex(&a, &X, &b, &Y, INFINITY, &c), 1);
        assert_true(c.gap >= brute_distance(&r, &a, &X, &b, &Y, &n) - 1e-10);
        assert_near(c.gap, brute_separation(&a, &X, &b, &Y, c.normal), 1e-12);
    }
    br_arena_free(&arena);
}

// Rolling over a box's face and on over its edge: gap, normal and point change continuously, one point, one name.
static void rolling_off_an_edge_is_continuous(void **state) {
    (void)state;
    const br_geometry a = ellipsoid(0.3, 0.2, 0.1), b = box_make(2.0, 2.0, 1.0);
    const br_placement X_B = place_at(0.0, 0.0, -0.5);
    br_contact_point last = {0};
    for (int step = 0; step <= 4000; step++) {
        const double t = 0.3 * step / 4000.0;
        const br_placement X =
            place_make(br_quat_from_axis_angle(br_vec3_unit(1), 2.0 * t), br_vec3_of(0.85 + t, 0.1, 0.2));
        br_contact_point c[BR_MAX_MANIFOLD];
        assert_int_equal(br_pair_convex_convex(&a, &X, &b, &X_B, 0.5, c), 1);
        if (step > 0) { // 7.5e-5 m and 1.5e-4 rad per step, radii of curvature up to 0.9 m, gap 0.1 m
            assert_near(c[0].gap, last.gap, 2e-4);
            assert_vec3_near(c[0].normal, last.normal, 5e-3);
            assert_vec3_near(c[0].point, last.point, 2e-3);
            assert_int_equal(c[0].feature, last.feature);
        }
        last = c[0];
    }
    assert_true(last.normal.x > 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_ellipsoids_are_spheres),
        cmocka_unit_test(nearest_points_satisfy_the_conditions),
        cmocka_unit_test(no_direction_separates_better_when_deep),
        cmocka_unit_test(rolling_off_an_edge_is_continuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
