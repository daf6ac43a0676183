// Box against box.
#include "collide/convex.h"
#include "collide/pair.h"

#include "shapes.h"

static const double ROUNDING = 1e-13;
// Relative to the size: how far rules against flicker may move a choice of axis, and a point over the edge of a face.
static const double FLUSH = 1.01e-6;

static const br_contact_point *lowest(const br_contact_point *c, int count) {
    int k = 0;
    for (int i = 1; i < count; i++)
        if (c[i].gap < c[k].gap) k = i;
    return &c[k];
}

static br_placement turned(br_vec3 rotation, br_vec3 p) {
    return place_make(br_quat_exp(rotation), p);
}

// Anything, parallel, nearly parallel, turned about one axis, one inside the other.
static void place_two(rng *r, int trial, br_placement *A, br_placement *B) {
    *A = place_random(r, 0.6);
    *B = place_random(r, 0.6);
    if (trial % 5 == 1) A->R = B->R;
    if (trial % 5 == 2) A->R = br_mat3_mul(B->R, br_quat_to_mat3(br_quat_exp(rng_vec3(r, 1e-4))));
    if (trial % 5 == 3)
        A->R = br_mat3_mul(B->R, br_quat_to_mat3(br_quat_exp(br_vec3_of(0, 0, rng_uniform(r, -1, 1)))));
    if (trial % 5 == 4) A->p = br_vec3_add(B->p, rng_vec3(r, 0.1));
}

static void smallest_gap_is_the_signed_distance(void **state) {
    (void)state;
    rng r = {1};
    const br_geometry a = box_make(1.0, 0.7, 0.4), b = box_make(0.5, 0.9, 0.3);
    for (int trial = 0; trial < 500; trial++) {
        br_placement A, B;
        place_two(&r, trial, &A, &B);
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, INFINITY, c);
        check_points(c, count, INFINITY);
        assert_true(count > 0);
        const br_contact_point *p = lowest(c, count);
        const double tol = FLUSH;
        // Nearly parallel faces are taken as parallel. That moves the gap by half the square of their angle, but a
        // corner beyond the other face's edge is then lower than any point of the overlap.
        assert_near(brute_separation(&a, &A, &b, &B, p->normal), p->gap, trial % 5 == 2 ? 2e-4 : tol);
        br_contact_point general[BR_MAX_MANIFOLD];
        const int found = br_pair_convex_convex(&a, &A, &b, &B, INFINITY, general);
        assert_near(least_gap(general, found), p->gap, tol);
        br_vec3 n;
        assert_true(brute_distance(&r, &a, &A, &b, &B, &n) <= p->gap + tol);
        assert_int_equal(br_collide(&a, &A, &b, &B, p->gap - 2.0 * tol, c), 0);
    }
}

// Away from ties the answer has all its digits.
static void gap_has_all_digits_away_from_ties(void **state) {
    (void)state;
    rng r = {2};
    const br_geometry a = box_make(1.0, 0.7, 0.4), b = box_make(0.5, 0.9, 0.3);
    int exact = 0;
    for (int trial = 0; trial < 500; trial++) {
        const br_placement A = place_random(&r, 0.6), B = place_random(&r, 0.6);
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, INFINITY, c);
        const br_contact_point *p = lowest(c, count);
        exact += fabs(brute_separation(&a, &A, &b, &B, p->normal) - p->gap) < ROUNDING;
    }
    assert_true(exact >= 499); // a random pair is within 1e-6 of a tie less than once in 500
}

static void points_lie_on_the_surfaces(void **state) {
    (void)state;
    rng r = {3};
    const br_geometry a = box_make(1.0, 0.7, 0.4), b = box_make(0.5, 0.9, 0.3);
    for (int trial = 0; trial < 1000; trial++) {
        br_placement A, B;
        place_two(&r, trial, &A, &B);
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, INFINITY, c);
        for (int k = 0; k < count; k++) {
            const br_vec3 partner = br_vec3_add_scaled(c[k].point, -c[k].gap, c[k].normal);
            const double on_a = point_outside(&a, &A, c[k].point), on_b = point_outside(&b, &B, partner);
            // deep inside, a corner's partner across the box is on the surface along the normal
            assert_near(on_a, 0.0, FLUSH);
            assert_near(on_b, 0.0, FLUSH);
        }
    }
}

// Flat on one another, anyhow turned and shifted: the points span the overlap, all of it and nothing else.
static void points_span_the_overlap_of_two_faces(void **state) {
    (void)state;
    rng r = {4};
    for (int trial = 0; trial < 300; trial++) {
        const br_geometry a = box_make(rng_uniform(&r, 0.3, 2), rng_uniform(&r, 0.3, 2), 0.4),
                          b = box_make(rng_uniform(&r, 0.3, 2), rng_uniform(&r, 0.3, 2), 0.2);
        const double yaw = trial % 3 == 0 ? 0.0 : rng_uniform(&r, -3, 3), tilt = trial % 2 ? 1e-5 : 0.0;
        const br_placement A = place_at(0, 0, 0);
        const br_vec3 shift = rng_vec3(&r, 0.6);
        const br_placement B = place_make(
            br_quat_mul(br_quat_exp(br_vec3_of(tilt, -tilt, 0)), br_quat_exp(br_vec3_of(0, 0, yaw))),
            br_vec3_of(shift.x, shift.y, 0.3));
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, 1e-2, c);
        check_points(c, count, 1e-2);
        br_vec3 sample[200];
        int samples = 0;
        for (int k = 0; k < 2000 && samples < 200; k++) {
            const br_vec3 p =
                br_vec3_of(rng_uniform(&r, -a.half.x, a.half.x), rng_uniform(&r, -a.half.y, a.half.y), 0.2);
            if (point_outside(&b, &B, br_vec3_of(p.x, p.y, 0.3)) < 0.0) sample[samples++] = p;
        }
        if (samples == 0) continue; // beside one another
        assert_true(count >= 3);
        for (int k = 0; k < 40; k++) {
            const br_vec3 d = br_vec3_of(cos(k * BR_PI / 20), sin(k * BR_PI / 20), 0.0);
            double most = -INFINITY, have = -INFINITY;
            for (int s = 0; s < samples; s++) most = fmax(most, br_vec3_dot(d, sample[s]));
            for (int i = 0; i < count; i++) have = fmax(have, br_vec3_dot(d, c[i].point));
            assert_true(have >= most - 1e-5);
        }
        for (int i = 0; i < count; i++) {
            assert_near(fabs(c[i].normal.z), 1.0, 1e-9);
            assert_true(c[i].normal.z < 0.0); // from B, above, to A
            assert_true(fabs(c[i].point.x) <= a.half.x + 2.0 * FLUSH &&
                        fabs(c[i].point.y) <= a.half.y + 2.0 * FLUSH);
            assert_true(point_outside(&b, &B, br_vec3_of(c[i].point.x, c[i].point.y, 0.3)) <= 1e-5);
        }
    }
}

static uint32_t features_sum(const br_contact_point *c, int count) {
    uint32_t sum = 0; // of squares: the set, whatever the order
    for (int k = 0; k < count; k++) sum += c[k].feature * c[k].feature;
    return sum;
}

// Equal boxes in a tower are flush on four sides. Rounding, and drift and tilt below what a solver leaves, must not
// change what touches what.
static void flush_boxes_keep_four_points(void **state) {
    (void)state;
    rng r = {5};
    const br_geometry box = box_make(1.0, 1.0, 1.0);
    const br_placement A = place_random(&r, 1.0);
    uint32_t set = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const double noise = pow(10.0, rng_uniform(&r, -17, -8));
        const br_placement local =
            turned(rng_vec3(&r, noise), br_vec3_add(br_vec3_of(0, 0, 1), rng_vec3(&r, noise)));
        const br_placement B = place_moved(&A, &local);
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&box, &A, &box, &B, 1e-3, c);
        check_points(c, count, 1e-3);
        assert_int_equal(count, 4);
        if (trial == 0) set = features_sum(c, count);
        assert_int_equal(features_sum(c, count), set);
        for (int k = 0; k < 4; k++) assert_near(c[k].gap, 0.0, 5e-8);
    }
}

// Shifted by half a width as in a wall, and turned by any angle.
static void resting_boxes_keep_their_features(void **state) {
    (void)state;
    rng r = {6};
    const br_geometry lower = box_make(1.0, 1.0, 1.0), upper = box_make(1.0, 0.8, 0.5);
    const br_placement A = place_at(0, 0, 0);
    for (int pose = 0; pose < 20; pose++) {
        const br_vec3 yaw = br_vec3_of(0, 0, pose < 2 ? 0.0 : 0.3 * pose);
        const br_vec3 p = br_vec3_of(pose == 1 ? 0.0 : 0.5, pose < 2 ? 0.0 : 0.05 * pose, 0.75);
        uint32_t set = 0;
        for (int trial = 0; trial < 200; trial++) {
            const br_vec3 d = rng_vec3(&r, 1e-8);
            const br_placement B =
                place_make(br_quat_mul(br_quat_exp(rng_vec3(&r, 1e-8)), br_quat_exp(yaw)), br_vec3_add(p, d));
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = br_collide(&lower, &A, &upper, &B, 1e-3, c);
            assert_true(count >= 3);
            if (trial == 0) set = features_sum(c, count);
            assert_int_equal(features_sum(c, count), set);
        }
    }
}

static void sliding_box_keeps_its_corners(void **state) {
    (void)state;
    const br_geometry table = box_make(4.0, 4.0, 1.0), box = box_make(0.5, 0.3, 0.2);
    const br_placement A = place_at(0, 0, 0);
    for (int step = 0; step < 300; step++) {
        const double t = 0.01 * step, rock = 1e-5 * sin(5.0 * t);
        const br_placement B = place_make(
            br_quat_mul(br_quat_exp(br_vec3_of(rock, 2.0 * rock, 0)), br_quat_exp(br_vec3_of(0, 0, t))),
            br_vec3_of(-1.4 + t, 0.5 * t, 0.6));
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&table, &A, &box, &B, 1e-3, c);
        assert_int_equal(count, 4);
        for (uint32_t k = 0; k < 4; k++) assert_non_null(find_feature(c, 4, 0x200 | k)); // B's lower corners
    }
}

static void crossing_edges_meet_their_closed_form(void **state) {
    (void)state;
    const br_geometry box = box_make(1.0, 1.0, 1.0);
    const double s = sqrt(0.5); // half the diagonal of a face
    const br_placement A = turned(br_vec3_of(0.25 * BR_PI, 0, 0), br_vec3_zero()); // an edge along x on top
    const br_quat roll = br_quat_exp(br_vec3_of(0, 0.25 * BR_PI, 0));              // one along y below
    const double gaps[] = {0.01, 1e-9, 0.0, -1e-9, -0.01};
    for (int k = 0; k < 5; k++) {
        for (double yaw = -0.5; yaw <= 0.5; yaw += 0.1) {
            const br_placement B = place_make(br_quat_mul(br_quat_exp(br_vec3_of(0, 0, yaw)), roll),
                                              br_vec3_of(0.1, -0.2, 2.0 * s + gaps[k]));
            br_contact_point c[BR_MAX_MANIFOLD];
            assert_int_equal(br_collide(&box, &A, &box, &B, 0.02, c), 1);
            assert_near(c[0].gap, gaps[k], 1e-15);
            assert_vec3_near(c[0].normal, br_vec3_of(0, 0, -1), 1e-15);
            // A's edge is y = 0; B's passes (0.1, -0.2) along (-sin yaw, cos yaw)
            assert_vec3_near(c[0].point, br_vec3_of(0.1 - 0.2 * tan(yaw), 0.0, s), 1e-14);
        }
    }
}

static void boxes_apart_corner_to_corner_have_the_true_distance(void **state) {
    (void)state;
    const br_geometry box = box_make(1.0, 1.0, 1.0);
    const br_placement A = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    const br_placement corner = place_at(1.1, 1.2, 1.2); // 0.1, 0.2, 0.2 from corner to corner: 0.3
    assert_int_equal(br_collide(&box, &A, &box, &corner, 0.29, c), 0);
    int count = br_collide(&box, &A, &box, &corner, 0.31, c);
    assert_true(count > 0);
    assert_near(least_gap(c, count), 0.3, 1e-12);
    assert_vec3_near(c[0].normal, br_vec3_of(-1.0 / 3, -2.0 / 3, -2.0 / 3), 1e-12);
    const br_placement edge = place_at(1.3, 1.4, 0.2); // 0.3, 0.4: edge to edge, parallel
    count = br_collide(&box, &A, &box, &edge, 0.6, c);
    assert_true(count > 0);
    assert_near(least_gap(c, count), 0.5, 1e-12);
    assert_near(br_collide_distance(&box, &A, &box, &edge), 0.5, 1e-12);
}

static void degenerate_placements_have_answers(void **state) {
    (void)state;
    const br_geometry box = box_make(1.0, 1.0, 1.0), small = box_make(0.2, 0.2, 0.2);
    const br_placement O = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    int count = br_collide(&box, &O, &box, &O, 0.0, c); // the same place
    assert_true(count > 0);
    check_points(c, count, 0.0);
    assert_near(least_gap(c, count), -1.0, 1e-15);
    count = br_collide(&box, &O, &small, &O, 0.0, c); // one in the other
    assert_true(count > 0);
    check_points(c, count, 0.0);
    assert_near(least_gap(c, count), -0.6, 1e-15);
    for (int dims = 1; dims <= 3; dims++) { // face, edge, corner just touching
        const br_placement B = place_at(1.0, dims > 1 ? 1.0 : 0.0, dims > 2 ? 1.0 : 0.0);
        count = br_collide(&box, &O, &box, &B, 1e-6, c);
        assert_true(count > 0);
        check_points(c, count, 1e-6);
        assert_near(least_gap(c, count), 0.0, 1e-15);
    }
    for (int axis = 0; axis < 3; axis++) { // 45 and 90 degrees: ties among faces
        for (int eighths = 1; eighths < 8; eighths++) {
            const br_placement B =
                turned(br_vec3_scale(0.25 * BR_PI * eighths, br_vec3_unit(axis)), br_vec3_of(0.9, 0.2, 0.1));
            count = br_collide(&box, &O, &box, &B, 0.1, c);
            assert_true(count > 0);
            check_points(c, count, 0.1);
        }
    }
}

static void same_answer_in_a_rotated_world(void **state) {
    (void)state;
    rng r = {7};
    const br_geometry a = box_make(1.0, 0.7, 0.4), b = box_make(0.5, 0.9, 0.3);
    for (int trial = 0; trial < 500; trial++) {
        const br_placement A = place_random(&r, 0.5), B = place_random(&r, 0.5), move = place_random(&r, 5.0);
        const br_placement A2 = place_moved(&move, &A), B2 = place_moved(&move, &B);
        br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, 0.05, c), again = br_collide(&a, &A2, &b, &B2, 0.05, d);
        check_moved(c, count, d, again, &move, 1e-11); // crossings of edges at a small angle lose digits
    }
}

static void the_other_order_is_the_same_contact(void **state) {
    (void)state;
    rng r = {8};
    const br_geometry a = box_make(1.0, 0.7, 0.4), b = box_make(0.5, 0.9, 0.3);
    for (int trial = 0; trial < 300; trial++) {
        const br_placement A = place_random(&r, 0.5), B = place_random(&r, 0.5);
        br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, 0.05, c), swapped = br_collide(&b, &B, &a, &A, 0.05, d);
        assert_int_equal(count > 0, swapped > 0);
        if (count == 0) continue;
        assert_near(least_gap(c, count), least_gap(d, swapped), FLUSH);
    }
}

// Turning about z only, all in one plane: no normal may leave it, not by rounding either.
static void planar_boxes_have_planar_normals(void **state) {
    (void)state;
    rng r = {9};
    const br_geometry a = box_make(1.0, 0.7, 2.0), b = box_make(0.5, 0.9, 2.0);
    for (int trial = 0; trial < 500; trial++) {
        const br_vec3 p = rng_vec3(&r, 0.8);
        const br_placement A = turned(br_vec3_of(0, 0, rng_uniform(&r, -3, 3)), br_vec3_zero());
        const br_placement B = turned(br_vec3_of(0, 0, rng_uniform(&r, -3, 3)), br_vec3_of(p.x, p.y, 0.0));
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&a, &A, &b, &B, 0.05, c);
        for (int k = 0; k < count; k++)
            assert_near(c[k].normal.z, 0.0, (c[k].feature & 0x800) ? ROUNDING : 0.0);
    }
}

static void far_from_the_origin_keeps_digits(void **state) {
    (void)state;
    const br_geometry box = box_make(1.0, 1.0, 1.0);
    const br_placement A = place_at(1e4, -1e4, 1e4),
                       B = place_at(1e4 + 0.25, -1e4 + 0.125, 1e4 + 1.0); // exact
    br_contact_point c[BR_MAX_MANIFOLD];
    const int count = br_collide(&box, &A, &box, &B, 1e-3, c);
    assert_int_equal(count, 4);
    for (int k = 0; k < 4; k++) {
        assert_near(c[k].gap, 0.0, 0.0);
        assert_vec3_near(c[k].normal, br_vec3_of(0, 0, -1), 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_gap_is_the_signed_distance),
        cmocka_unit_test(gap_has_all_digits_away_from_ties),
        cmocka_unit_test(points_lie_on_the_surfaces),
        cmocka_unit_test(points_span_the_overlap_of_two_faces),
        cmocka_unit_test(flush_boxes_keep_four_points),
        cmocka_unit_test(resting_boxes_keep_their_features),
        cmocka_unit_test(sliding_box_keeps_its_corners),
        cmocka_unit_test(crossing_edges_meet_their_closed_form),
        cmocka_unit_test(boxes_apart_corner_to_corner_have_the_true_distance),
        cmocka_unit_test(degenerate_placements_have_answers),
        cmocka_unit_test(same_answer_in_a_rotated_world),
        cmocka_unit_test(the_other_order_is_the_same_contact),
        cmocka_unit_test(planar_boxes_have_planar_normals),
        cmocka_unit_test(far_from_the_origin_keeps_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
