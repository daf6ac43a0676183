// A sphere against a sphere, a capsule and a box.
#include "shapes.h"

static const double ROUNDING = 1e-14; // of sizes near 1 and positions below 10

static br_geometry other(int kind) {
    return kind == 0 ? sphere_make(0.3) : kind == 1 ? box_make(1.0, 0.7, 0.4) : capsule_make(0.2, 0.9);
}

// The gap is attained along the normal, and no other direction separates more.
static void gap_is_the_signed_distance(void **state) {
    (void)state;
    rng r = {1};
    const br_geometry ball = sphere_make(0.4);
    for (int kind = 0; kind < 3; kind++) {
        const br_geometry b = other(kind);
        for (int trial = 0; trial < 60; trial++) {
            const br_placement A = place_random(&r, 0.7), B = place_random(&r, 0.7);
            br_contact_point c[BR_MAX_MANIFOLD];
            assert_int_equal(br_collide(&ball, &A, &b, &B, INFINITY, c), 1);
            check_points(c, 1, INFINITY);
            assert_near(brute_separation(&ball, &A, &b, &B, c[0].normal), c[0].gap, ROUNDING);
            br_vec3 n;
            assert_true(brute_distance(&r, &ball, &A, &b, &B, &n) <= c[0].gap + ROUNDING);
            assert_near(br_vec3_distance(c[0].point, A.p), 0.4, ROUNDING);
            assert_near(br_collide_distance(&ball, &A, &b, &B), c[0].gap, 0.0);
            assert_int_equal(br_collide(&ball, &A, &b, &B, c[0].gap - 1e-9, c), 0);
        }
    }
}

static void same_answer_in_a_rotated_world(void **state) {
    (void)state;
    rng r = {2};
    const br_geometry ball = sphere_make(0.4);
    for (int kind = 0; kind < 3; kind++) {
        const br_geometry b = other(kind);
        for (int trial = 0; trial < 100; trial++) {
            const br_placement A = place_random(&r, 0.7), B = place_random(&r, 0.7),
                               move = place_random(&r, 5.0);
            const br_placement A2 = place_moved(&move, &A), B2 = place_moved(&move, &B);
            br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
            const int count = br_collide(&ball, &A, &b, &B, 1.0, c),
                      again = br_collide(&ball, &A2, &b, &B2, 1.0, d);
            check_moved(c, count, d, again, &move,
                        10.0 * ROUNDING); // a direction from a short vector loses a digit
        }
    }
}

static void coincident_centres_have_a_normal(void **state) {
    (void)state;
    rng r = {3};
    const br_geometry ball = sphere_make(0.4);
    for (int kind = 0; kind < 3; kind++) {
        const br_geometry b = other(kind);
        const double distances[] = {0.0, 1e-300, 1e-120, 1e-30};
        for (int k = 0; k < 4; k++) {
            const br_placement B = place_random(&r, 0.0);
            br_placement A = B;
            A.p.x += distances[k];
            br_contact_point c[BR_MAX_MANIFOLD];
            assert_int_equal(br_collide(&ball, &A, &b, &B, 0.0, c), 1);
            check_points(c, 1, 0.0);
            const double depth = kind == 0   ? 0.7
                                 : kind == 1 ? 0.2 + 0.4
                                             : 0.6; // way out through the box's 0.4
            assert_near(c[0].gap, -depth, ROUNDING);
        }
    }
}

// Over a face the normal is the face's to the last bit, whatever the position over it: a sphere rolls on a box as on a
// plane.
static void normal_over_a_face_is_exact(void **state) {
    (void)state;
    rng r = {4};
    const br_geometry ball = sphere_make(0.1), box = box_make(2.0, 2.0, 1.0);
    const br_placement B = place_at(0, 0, 0);
    for (int trial = 0; trial < 200; trial++) {
        const double deep = trial % 2 ? -0.15 : 0.05; // centre inside and outside
        const br_placement A = place_at(rng_uniform(&r, -0.8, 0.8), rng_uniform(&r, -0.8, 0.8), 0.5 + deep);
        br_contact_point c[BR_MAX_MANIFOLD];
        assert_int_equal(br_collide(&ball, &A, &box, &B, 0.1, c), 1);
        assert_vec3_near(c[0].normal, br_vec3_unit(2), 0.0);
        assert_near(c[0].gap, A.p.z - 0.6, 1e-16);
        assert_int_equal(c[0].feature, 0);
    }
}

static void far_from_the_origin_keeps_digits(void **state) {
    (void)state;
    const br_geometry ball = sphere_make(0.5);
    const br_placement A = place_at(1e4, 1e4, 1e4 + 0.75), B = place_at(1e4, 1e4, 1e4); // both exact
    for (int kind = 0; kind < 3; kind++) {
        const br_geometry b = kind == 0   ? sphere_make(0.25)
                              : kind == 1 ? box_make(0.5, 0.5, 0.5)
                                          : capsule_make(0.125, 0.25);
        br_contact_point c[BR_MAX_MANIFOLD];
        assert_int_equal(br_collide(&ball, &A, &b, &B, 1e-3, c), 1);
        assert_near(c[0].gap, 0.0, 0.0);
        assert_vec3_near(c[0].normal, br_vec3_unit(2), 0.0);
    }
}

static void the_other_order_is_the_same_contact(void **state) {
    (void)state;
    rng r = {5};
    const br_geometry ball = sphere_make(0.4);
    for (int kind = 0; kind < 3; kind++) {
        const br_geometry b = other(kind);
        const br_placement A = place_random(&r, 0.4), B = place_random(&r, 0.4);
        br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
        assert_int_equal(br_collide(&ball, &A, &b, &B, 1.0, c), 1);
        assert_int_equal(br_collide(&b, &B, &ball, &A, 1.0, d), 1);
        assert_near(d[0].gap, c[0].gap, ROUNDING);
        assert_vec3_near(d[0].normal, br_vec3_neg(c[0].normal), ROUNDING);
        assert_vec3_near(d[0].point, br_vec3_add_scaled(c[0].point, -c[0].gap, c[0].normal), ROUNDING);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_is_the_signed_distance),
        cmocka_unit_test(same_answer_in_a_rotated_world),
        cmocka_unit_test(coincident_centres_have_a_normal),
        cmocka_unit_test(normal_over_a_face_is_exact),
        cmocka_unit_test(far_from_the_origin_keeps_digits),
        cmocka_unit_test(the_other_order_is_the_same_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
