// Sphere, box, capsule, ellipsoid, cylinder and polytope against a plane.
#include "shapes.h"

static const br_shape_type kinds[] = {BR_SHAPE_SPHERE,   BR_SHAPE_BOX,  BR_SHAPE_CAPSULE,
                                      BR_SHAPE_CYLINDER, BR_SHAPE_DISK, BR_SHAPE_ELLIPSOID};
enum { KINDS = sizeof kinds / sizeof *kinds };

static br_geometry example(int kind) {
    return shape_make(kinds[kind], br_vec3_of(0.7, 0.5, 0.3), 1.1);
}

// A polytope with vertices only, which is all a plane needs.
static br_geometry vertices_only(br_hull *hull, br_vec3 *vertex, int count) {
    br_geometry g = {0};
    hull->vertices = count;
    hull->vertex = vertex;
    g.type = BR_SHAPE_CONVEX;
    g.hull = hull;
    for (int k = 0; k < count; k++) g.size = fmax(g.size, br_vec3_max_abs(vertex[k]));
    return g;
}

static double height_over(const br_placement *P, br_vec3 point) {
    return br_vec3_dot(br_mat3_column(P->R, 2), br_vec3_sub(point, P->p));
}

// The smallest gap is the height of the support point; every point is as high as its gap says, and on the shape.
static void lowest_gap_is_the_height_of_the_support_point(void **state) {
    (void)state;
    rng r = {1};
    const br_geometry plane = plane_make();
    for (int kind = 0; kind < KINDS; kind++) {
        const br_geometry g = example(kind);
        for (int trial = 0; trial < 300; trial++) {
            const br_placement P = place_random(&r, 3.0), X = place_random(&r, 3.0);
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = br_collide(&g, &X, &plane, &P, INFINITY, c);
            check_points(c, count, INFINITY);
            assert_true(count > 0);
            const br_vec3 n = br_mat3_column(P.R, 2);
            const double lowest = -shape_height(&g, &X, P.p, br_vec3_neg(n));
            assert_near(least_gap(c, count), lowest, 4e-15 * 4);
            assert_near(br_collide_distance(&g, &X, &plane, &P), lowest, 4e-15 * 4);
            for (int k = 0; k < count; k++) {
                assert_vec3_near(c[k].normal, n, 0.0);
                assert_near(height_over(&P, c[k].point), c[k].gap, 4e-15 * 4);
                const br_vec3 local = br_mat3_tmul_vec(X.R, br_vec3_sub(c[k].point, X.p));
                assert_true(br_vec3_norm(local) <= g.reach + 1e-14);
            }
            // a smaller margin gives the same points but for those beyond it
            const double margin = lowest + rng_uniform(&r, 0.0, 0.5);
            br_contact_point d[BR_MAX_MANIFOLD];
            const int fewer = br_collide(&g, &X, &plane, &P, margin, d);
            check_points(d, fewer, margin);
            assert_near(least_gap(d, fewer), lowest, 4e-15 * 4);
            assert_int_equal(br_collide(&g, &X, &plane, &P, lowest - 1e-9, d), 0);
        }
    }
}

static void box_at_rest_has_its_four_corners(void **state) {
    (void)state;
    const br_geometry box = box_make(1.0, 0.6, 0.4), plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    for (int step = 0; step < 200; step++) { // sliding, turning, rocking by less than the margin allows
        const double t = 0.01 * step;
        const br_quat q = br_quat_mul(br_quat_exp(br_vec3_of(0, 0, t)),
                                      br_quat_exp(br_vec3_of(1e-4 * sin(9.0 * t), 1e-4 * cos(7.0 * t), 0)));
        const br_placement X = place_make(q, br_vec3_of(t, -2.0 * t, 0.2 + 1e-9 * sin(t)));
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&box, &X, &plane, &P, 1e-3, c);
        check_points(c, count, 1e-3);
        assert_int_equal(count, 4);
        for (uint32_t corner = 0; corner < 4; corner++)
            assert_non_null(find_feature(c, count, corner)); // all below
    }
}

static void box_keeps_the_lowest_corner_and_a_face_of_many(void **state) {
    (void)state;
    rng r = {2};
    const br_geometry plate = box_make(1.0, 1.0, 1e-4), plane = plane_make();
    const br_placement P = place_at(0, 0, 0), flat = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(br_collide(&plate, &flat, &plane, &P, 1e-2, c),
                     4); // eight are near, the lower face is kept
    for (uint32_t corner = 0; corner < 4; corner++) assert_non_null(find_feature(c, 4, corner));
    const br_geometry box = box_make(0.5, 0.7, 0.9);
    for (int trial = 0; trial < 200; trial++) {
        const br_placement X = place_random(&r, 0.1);
        const int count = br_collide(&box, &X, &plane, &P, INFINITY, c);
        assert_int_equal(count, 4);
    }
}

static void capsule_touches_with_both_ends(void **state) {
    (void)state;
    const br_geometry capsule = capsule_make(0.1, 1.0), plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    const br_placement X =
        place_make(br_quat_exp(br_vec3_of(0, 0.5 * BR_PI + 1e-3, 0)), br_vec3_of(0, 0, 0.1));
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(br_collide(&capsule, &X, &plane, &P, 1e-2, c), 2);
    // half a metre from the middle, tilted by 1 mrad
    assert_near(c[0].gap, 0.5 * sin(1e-3), 1e-15);
    assert_near(c[1].gap, -0.5 * sin(1e-3), 1e-15);
    assert_int_equal(c[0].feature, 0);
    assert_int_equal(c[1].feature, 1);
}

// Standing: four points a quarter turn apart; lying: two; on its rim: one.
static void cylinder_stands_lies_and_leans(void **state) {
    (void)state;
    const br_geometry cylinder = shape_make(BR_SHAPE_CYLINDER, br_vec3_of(0.3, 0, 0), 1.0),
                      plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    const double tilts[] = {0.0, 1e-12, 1e-9, 1e-5, 1e-3};
    for (int k = 0; k < 5; k++) {
        const br_placement X = place_make(br_quat_exp(br_vec3_of(tilts[k], 0, 0)), br_vec3_of(0, 0, 0.5));
        assert_int_equal(br_collide(&cylinder, &X, &plane, &P, 1e-2, c), 4);
        check_points(c, 4, 1e-2);
        br_vec3 middle = br_vec3_zero();
        for (int i = 0; i < 4; i++) middle = br_vec3_add_scaled(middle, 0.25, c[i].point);
        assert_vec3_near(br_vec3_of(middle.x, middle.y, 0), br_vec3_zero(), 1e-3);
        for (uint32_t f = 0; f < 4; f++) assert_non_null(find_feature(c, 4, f));
    }
    const br_placement lying = place_make(br_quat_exp(br_vec3_of(0.5 * BR_PI, 0, 0)), br_vec3_of(0, 0, 0.3));
    assert_int_equal(br_collide(&cylinder, &lying, &plane, &P, 1e-2, c), 2);
    assert_non_null(find_feature(c, 2, 0));
    assert_non_null(find_feature(c, 2, 4));
    const br_placement leaning = place_make(br_quat_exp(br_vec3_of(0.6, 0, 0)), br_vec3_of(0, 0, 0.58));
    assert_int_equal(br_collide(&cylinder, &leaning, &plane, &P, 1e-2, c), 1);
    const double lowest = 0.58 - 0.5 * cos(0.6) - 0.3 * sin(0.6);
    assert_near(c[0].gap, lowest, 1e-15);
}

static void polytope_keeps_eight_that_spread_out(void **state) {
    (void)state;
    enum { SIDES = 60 };
    br_vec3 vertex[2 * SIDES];
    br_hull hull = {0};
    for (int k = 0; k < SIDES; k++) {
        const double a = 2.0 * BR_PI * k / SIDES;
        vertex[k] = br_vec3_of(cos(a), sin(a), -0.5);
        vertex[k + SIDES] = br_vec3_of(cos(a), sin(a), 0.5);
    }
    const br_geometry prism = vertices_only(&hull, vertex, 2 * SIDES), plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
    const br_placement X = place_at(0, 0, 0.5);
    assert_int_equal(br_collide(&prism, &X, &plane, &P, 1e-2, c), 8);
    check_points(c, 8, 1e-2);
    for (int k = 0; k < 8; k++) { // no gap between neighbours wider than twice that of a regular octagon
        double next = 2.0 * BR_PI;
        for (int j = 0; j < 8; j++) {
            const double turn = atan2(c[j].point.y, c[j].point.x) - atan2(c[k].point.y, c[k].point.x);
            const double ahead = turn > 1e-9 ? turn : turn + 2.0 * BR_PI;
            if (j != k) next = fmin(next, ahead);
        }
        assert_true(next <= 0.5 * BR_PI + 1e-9);
    }
    rng r = {3};
    for (int trial = 0; trial < 100; trial++) { // the same eight whatever the rounding
        const br_vec3 rock = rng_vec3(&r, 1e-14);
        const br_placement Y = place_make(br_quat_exp(rock), br_vec3_of(0.01 * trial, 0, 0.5));
        assert_int_equal(br_collide(&prism, &Y, &plane, &P, 1e-2, d), 8);
        for (int k = 0; k < 8; k++) assert_non_null(find_feature(d, 8, c[k].feature));
    }
    for (int trial = 0; trial < 200; trial++) { // and always the deepest
        const br_placement Y = place_random(&r, 1.0);
        const int count = br_collide(&prism, &Y, &plane, &P, 1.0, d);
        double deepest = INFINITY;
        for (int k = 0; k < 2 * SIDES; k++)
            deepest = fmin(deepest, Y.p.z + br_mat3_mul_vec(Y.R, vertex[k]).z);
        if (deepest > 1.0) continue;
        assert_near(least_gap(d, count), deepest, 1e-12 * 2);
    }
}

static void same_answer_in_a_rotated_world(void **state) {
    (void)state;
    rng r = {4};
    const br_geometry plane = plane_make();
    for (int kind = 0; kind < KINDS; kind++) {
        const br_geometry g = example(kind);
        for (int trial = 0; trial < 100; trial++) {
            const br_placement P = place_random(&r, 1.0), X = place_random(&r, 1.0),
                               move = place_random(&r, 10.0);
            const br_placement P2 = place_moved(&move, &P), X2 = place_moved(&move, &X);
            br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
            const int count = br_collide(&g, &X, &plane, &P, 0.3, c);
            const int again = br_collide(&g, &X2, &plane, &P2, 0.3, d);
            check_moved(c, count, d, again, &move, 1e-13); // positions of size 10
        }
    }
}

static void far_from_the_origin_loses_only_what_positions_lose(void **state) {
    (void)state;
    const br_geometry box = box_make(1.0, 1.0, 1.0), plane = plane_make();
    const br_placement P = place_at(1e4, 1e4, 1e4), X = place_at(1e4 + 3.0, 1e4 - 2.0, 1e4 + 0.5);
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(br_collide(&box, &X, &plane, &P, 1e-3, c), 4);
    for (int k = 0; k < 4; k++) assert_near(c[k].gap, 0.0, 0.0); // 1e4 + 0.5 is exact
}

static void the_other_order_is_the_same_contact(void **state) {
    (void)state;
    rng r = {5};
    const br_geometry plane = plane_make();
    for (int kind = 0; kind < KINDS; kind++) {
        const br_geometry g = example(kind);
        const br_placement P = place_random(&r, 0.3), X = place_random(&r, 0.3);
        br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
        const int count = br_collide(&g, &X, &plane, &P, 1.0, c);
        assert_int_equal(br_collide(&plane, &P, &g, &X, 1.0, d), count);
        for (int k = 0; k < count; k++) {
            assert_vec3_near(d[k].normal, br_vec3_neg(c[k].normal), 0.0);
            assert_near(height_over(&P, d[k].point), 0.0, 1e-15 * 4); // on the plane now
            assert_near(d[k].gap, c[k].gap, 0.0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowest_gap_is_the_height_of_the_support_point),
        cmocka_unit_test(box_at_rest_has_its_four_corners),
        cmocka_unit_test(box_keeps_the_lowest_corner_and_a_face_of_many),
        cmocka_unit_test(capsule_touches_with_both_ends),
        cmocka_unit_test(cylinder_stands_lies_and_leans),
        cmocka_unit_test(polytope_keeps_eight_that_spread_out),
        cmocka_unit_test(same_answer_in_a_rotated_world),
        cmocka_unit_test(far_from_the_origin_loses_only_what_positions_lose),
        cmocka_unit_test(the_other_order_is_the_same_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
