// A capsule against a capsule and a box.
#include "shapes.h"

static const double ROUNDING =
    1e-13; // sizes near 1; nearest points of lines that cross at a small angle lose a digit

static const br_contact_point *lowest(const br_contact_point *c, int count) {
    int k = 0;
    for (int i = 1; i < count; i++)
        if (c[i].gap < c[k].gap) k = i;
    return &c[k];
}

static br_geometry other(int kind) {
    return kind == 0 ? capsule_make(0.15, 1.3) : box_make(1.0, 0.7, 0.4);
}

static void smallest_gap_is_the_signed_distance(void **state) {
    (void)state;
    rng r = {1};
    const br_geometry capsule = capsule_make(0.2, 1.0);
    for (int kind = 0; kind < 2; kind++) {
        const br_geometry b = other(kind);
        for (int trial = 0; trial < 150; trial++) {
            // near parallel, parallel, through each other, and anything
            br_placement A = place_random(&r, 0.7), B = place_random(&r, 0.7);
            if (trial % 5 == 1) A.R = B.R;
            if (trial % 5 == 2) A.R = br_mat3_mul(br_quat_to_mat3(br_quat_exp(rng_vec3(&r, 1e-4))), B.R);
            if (trial % 5 == 3) A.p = B.p;
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = br_collide(&capsule, &A, &b, &B, INFINITY, c);
            check_points(c, count, INFINITY);
            assert_true(count > 0);
            const br_contact_point *p = lowest(c, count);
            // A way out of a box is sought among its faces and edges with a preference of 1e-6 for faces.
            const double tol = kind == 1 && p->gap < -0.2 ? 3e-6 : ROUNDING;
            assert_near(brute_separation(&capsule, &A, &b, &B, p->normal), p->gap, tol);
            br_vec3 n;
            assert_true(brute_distance(&r, &capsule, &A, &b, &B, &n) <= p->gap + tol);
        }
    }
}

// The lowest point and its partner lie on the two surfaces. The others belong to end spheres, which are inside by at most
// r (1 - cos) of the largest angle between shapes that lie along each other, 0.1 rad: 1e-3 for r = 0.2.
static void points_lie_on_the_surfaces(void **state) {
    (void)state;
    rng r = {2};
    const br_geometry capsule = capsule_make(0.2, 1.0);
    int several = 0;
    for (int kind = 0; kind < 2; kind++) {
        const br_geometry b = other(kind);
        for (int trial = 0; trial < 400; trial++) {
            const br_placement B = place_random(&r, 0.8);
            br_placement A = place_random(&r, 0.8);
            if (trial % 2) A.R = br_mat3_mul(br_quat_to_mat3(br_quat_exp(rng_vec3(&r, 0.1))), B.R);
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = br_collide(&capsule, &A, &b, &B, INFINITY, c);
            if (least_gap(c, count) < -0.15)
                continue; // past the axis the surface along the normal is not the nearest
            several += count > 1;
            for (int k = 0; k < count; k++) {
                const br_vec3 partner = br_vec3_add_scaled(c[k].point, -c[k].gap, c[k].normal);
                const double tol = &c[k] == lowest(c, count) ? ROUNDING : 1.01e-3;
                assert_near(point_outside(&capsule, &A, c[k].point), 0.0, tol);
                assert_near(point_outside(&b, &B, partner), 0.0, tol);
            }
        }
    }
    assert_true(several > 100);
}

static void parallel_capsules_share_two_points(void **state) {
    (void)state;
    const br_geometry a = capsule_make(0.2, 1.0), b = capsule_make(0.1, 2.0);
    const br_placement B = place_at(0, 0, 0);
    for (int step = 0; step <= 400; step++) { // slides along B, from inside its length to beyond its end
        const double z = 0.005 * step - 0.5, tilt = 1e-9 * sin(0.1 * step);
        const br_placement A = place_make(br_quat_exp(br_vec3_of(tilt, tilt, 0)), br_vec3_of(0.3, 0, z));
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, 1e-2, c);
        check_points(c, count, 1e-2);
        if (z > 1.4999) continue; // the shared stretch ends
        assert_int_equal(count, 2);
        const br_contact_point *low = find_feature(c, count, 1), *high = find_feature(c, count, 2);
        assert_non_null(low);
        assert_non_null(high);
        assert_near(low->point.z, z - 0.5, 1e-8);
        assert_near(high->point.z, fmin(1.0, z + 0.5), 1e-8);
        assert_near(low->gap, 0.0, 1e-8);
        assert_near(high->gap, 0.0, 1e-8);
    }
}

static void flush_capsules_do_not_flicker(void **state) {
    (void)state;
    rng r = {3};
    const br_geometry a = capsule_make(0.2, 1.0);
    const br_placement B = place_at(0, 0, 0);
    for (int trial = 0; trial < 200; trial++) {
        const br_vec3 d = rng_vec3(&r, 1e-12);
        const br_placement A = place_make(br_quat_exp(rng_vec3(&r, 1e-12)), br_vec3_of(0.4 + d.x, d.y, d.z));
        br_contact_point c[BR_MAX_MANIFOLD];
        assert_int_equal(br_collide(&a, &A, &a, &B, 1e-3, c), 2);
        assert_non_null(find_feature(c, 2, 1));
        assert_non_null(find_feature(c, 2, 2));
    }
}

static void crossing_capsules_touch_once(void **state) {
    (void)state;
    const br_geometry a = capsule_make(0.2, 1.0);
    const br_placement B = place_at(0, 0, 0);
    const br_placement A = place_make(br_quat_exp(br_vec3_of(1.0, 0, 0)), br_vec3_of(0.4, 0, 0));
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(br_collide(&a, &A, &a, &B, 1e-3, c), 1);
    assert_near(c[0].gap, 0.0, 1e-16);
    assert_vec3_near(c[0].normal, br_vec3_unit(0), 1e-16);
    assert_vec3_near(c[0].point, br_vec3_of(0.2, 0, 0), 1e-15);
}

// On a face: two points at its ends, or where the box ends; leaning over the edge; along an edge, also two.
static void capsule_lies_on_a_box(void **state) {
    (void)state;
    const br_geometry box = box_make(2.0, 1.0, 0.5), capsule = capsule_make(0.1, 1.0);
    const br_placement A = place_at(0, 0, 0);
    const br_quat along_x = br_quat_exp(br_vec3_of(0, 0.5 * BR_PI, 0));
    br_contact_point c[BR_MAX_MANIFOLD];
    for (int step = 0; step <= 100; step++) {
        const double x = 0.012 * step, tilt = 1e-10 * sin(step);
        const br_placement B =
            place_make(br_quat_mul(br_quat_exp(br_vec3_of(0, tilt, 0)), along_x), br_vec3_of(x, 0.2, 0.35));
        assert_int_equal(br_collide(&box, &A, &capsule, &B, 1e-3, c), 2);
        check_points(c, 2, 1e-3);
        const br_contact_point *low = find_feature(c, 2, 1), *high = find_feature(c, 2, 2);
        assert_non_null(low);
        assert_non_null(high);
        assert_near(low->point.x, x - 0.5, 1e-9);
        assert_near(high->point.x, fmin(1.0, x + 0.5), 1e-9);
        assert_near(low->gap, 0.0, 1e-9);
        assert_vec3_near(low->normal, br_vec3_of(0, 0, -1), 1e-9);
    }
    // along the upper edge y = 0.5, 45 degrees outwards: line contact
    const double s = 0.1 * sqrt(0.5);
    const br_placement edge = place_make(along_x, br_vec3_of(0.1, 0.5 + s, 0.25 + s));
    assert_int_equal(br_collide(&box, &A, &capsule, &edge, 1e-3, c), 2);
    assert_near(c[0].gap, 0.0, 1e-15);
    assert_near(c[1].gap, 0.0, 1e-15);
    assert_vec3_near(c[0].normal, br_vec3_of(0, -sqrt(0.5), -sqrt(0.5)), 1e-14);
}

// One point while it stands, whatever it stands on.
static void standing_capsule_touches_once(void **state) {
    (void)state;
    const br_geometry box = box_make(2.0, 1.0, 0.5), capsule = capsule_make(0.1, 1.0);
    const br_placement A = place_at(0, 0, 0), B = place_make(br_quat_exp(br_vec3_of(0.2, 0, 0)),
                                                             br_vec3_of(0, 0, 0.25 + 0.1 + 0.5 * cos(0.2)));
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(br_collide(&box, &A, &capsule, &B, 1e-3, c), 1);
    assert_near(c[0].gap, 0.0, 1e-15);
    assert_near(c[0].point.z, 0.25, 1e-15);
}

static void degenerate_placements_have_answers(void **state) {
    (void)state;
    const br_geometry capsule = capsule_make(0.2, 1.0), box = box_make(1, 1, 1);
    const br_placement O = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    const int same = br_collide(&capsule, &O, &capsule, &O, 0.0, c);
    assert_true(same > 0);
    check_points(c, same, 0.0);
    assert_near(least_gap(c, same), -0.4, 1e-15);
    const int inside = br_collide(&box, &O, &capsule, &O, 0.0, c);
    assert_true(inside > 0);
    check_points(c, inside, 0.0);
    assert_near(least_gap(c, inside), -0.7, 1e-15);
    for (int axis = 0; axis < 3; axis++) { // its axis on a face, on an edge, through a corner
        br_vec3 p = br_vec3_of(0.5, axis > 0 ? 0.5 : 0.0, axis > 1 ? 1.0 : 0.0);
        const br_placement B = place_make(br_quat_identity(), p);
        const int count = br_collide(&box, &O, &capsule, &B, 0.0, c);
        assert_true(count > 0);
        check_points(c, count, 0.0);
        assert_near(least_gap(c, count), -0.2, 1e-8);
    }
}

static void same_answer_in_a_rotated_world(void **state) {
    (void)state;
    rng r = {4};
    const br_geometry capsule = capsule_make(0.2, 1.0);
    for (int kind = 0; kind < 2; kind++) {
        const br_geometry b = other(kind);
        for (int trial = 0; trial < 200; trial++) {
            const br_placement A = place_random(&r, 0.7), B = place_random(&r, 0.7),
                               move = place_random(&r, 5.0);
            const br_placement A2 = place_moved(&move, &A), B2 = place_moved(&move, &B);
            br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
            const int count = br_collide(&b, &B, &capsule, &A, 0.5, c);
            const int again = br_collide(&b, &B2, &capsule, &A2, 0.5, d);
            check_moved(c, count, d, again, &move, 1e-11); // a normal from a short distance loses digits
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_gap_is_the_signed_distance),
        cmocka_unit_test(points_lie_on_the_surfaces),
        cmocka_unit_test(parallel_capsules_share_two_points),
        cmocka_unit_test(flush_capsules_do_not_flicker),
        cmocka_unit_test(crossing_capsules_touch_once),
        cmocka_unit_test(capsule_lies_on_a_box),
        cmocka_unit_test(standing_capsule_touches_once),
        cmocka_unit_test(degenerate_placements_have_answers),
        cmocka_unit_test(same_answer_in_a_rotated_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
