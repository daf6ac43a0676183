// Cylinders and disks against convex shapes: standing, lying, on the rim, across.
#include "collide/convex.h"
#include "surfaces.h"

static br_geometry cylinder(double radius, double length) {
    return shape_make(BR_SHAPE_CYLINDER, br_vec3_of(radius, 0, 0), length);
}

static br_geometry disk(double radius) {
    return shape_make(BR_SHAPE_DISK, br_vec3_of(radius, 0, 0), 0.0);
}

static int collide(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                   const br_placement *X_B, double margin, br_contact_point *c) {
    const int count = br_pair_convex_convex(a, X_A, b, X_B, margin, c);
    check_points(c, count, margin);
    return count;
}

static br_quat about(int axis, double angle) {
    return br_quat_from_axis_angle(br_vec3_unit(axis), angle);
}

static void standing_on_a_box_it_has_four_points_on_its_rim(void **state) {
    (void)state;
    const br_geometry a = cylinder(0.3, 1.0), b = box_make(2.0, 2.0, 1.0);
    const br_placement X_A = place_make(about(2, 0.4), br_vec3_of(0.2, 0.1, 0.5 + 1e-6)),
                       X_B = place_at(0, 0, -0.5);
    br_contact_point c[BR_MAX_MANIFOLD];
    const int count = collide(&b, &X_B, &a, &X_A, 1e-3, c); // the order of the table: the box is A
    assert_int_equal(count, 4);
    br_vec3 middle = br_vec3_zero();
    for (int k = 0; k < 4; k++) {
        assert_near(c[k].gap, 1e-6, 1e-15);
        assert_vec3_near(c[k].normal, br_vec3_of(0, 0, -1), 1e-15);
        assert_near(br_vec3_distance(c[k].point, br_vec3_of(0.2, 0.1, 0.0)), 0.3, 1e-14);
        middle = br_vec3_add_scaled(middle, 0.25, c[k].point);
    }
    assert_vec3_near(middle, br_vec3_of(0.2, 0.1, 0.0), 1e-14); // evenly around
}

// Over a box's corner the standing circle is bounded by the box's edges as well.
static void standing_over_an_edge_the_outline_is_the_overlap(void **state) {
    (void)state;
    const br_geometry a = cylinder(0.3, 1.0), b = box_make(2.0, 2.0, 1.0);
    const br_placement X_A = place_at(0.9, 0.9, 0.5), X_B = place_at(0, 0, -0.5);
    br_contact_point c[BR_MAX_MANIFOLD];
    const int count = collide(&b, &X_B, &a, &X_A, 1e-3, c);
    int corner = 0, crossings = 0;
    for (int k = 0; k < count; k++) {
        corner |= br_vec3_distance(c[k].point, br_vec3_of(1, 1, 0)) < 1e-14;
        const double across = br_vec3_distance(c[k].point, br_vec3_of(0.9, 0.9, 0));
        assert_true(across <= 0.3 + 1e-14 && c[k].point.x <= 1.0 + 1e-14 && c[k].point.y <= 1.0 + 1e-14);
        crossings += fabs(across - 0.3) < 1e-14 &&
                     (fabs(c[k].point.x - 1.0) < 1e-14 || fabs(c[k].point.y - 1.0) < 1e-14);
    }
    assert_true(corner);
    assert_int_equal(crossings, 2);
}

static void lying_it_has_two_points_and_one_across_an_edge(void **state) {
    (void)state;
    const br_geometry a = cylinder(0.3, 1.0), b = box_make(2.0, 2.0, 1.0);
    const br_placement X_B = place_at(0, 0, -0.5);
    br_placement X_A =
        place_make(br_quat_mul(about(2, 0.3), about(1, 0.5 * BR_PI)), br_vec3_of(0, 0, 0.3 + 1e-6));
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(collide(&b, &X_B, &a, &X_A, 1e-3, c), 2);
    assert_near(br_vec3_distance(c[0].point, c[1].point), 1.0, 1e-14);
    for (int k = 0; k < 2; k++) assert_near(c[k].gap, 1e-6, 1e-15);
    // half beyond the box: one end and the edge
    X_A = place_make(about(1, 0.5 * BR_PI), br_vec3_of(0.9, 0, 0.3));
    assert_int_equal(collide(&b, &X_B, &a, &X_A, 1e-3, c), 2);
    assert_near(fmax(c[0].point.x, c[1].point.x), 1.0, 1e-14);
    assert_near(fmin(c[0].point.x, c[1].point.x), 0.4, 1e-14);
    // across another cylinder
    const br_geometry log = cylinder(0.2, 2.0);
    const br_placement X_log = place_make(about(0, 0.5 * BR_PI), br_vec3_of(0.1, 0, -0.2));
    X_A.p = br_vec3_of(0.3, 0.05, 0.3 + 1e-7);
    assert_int_equal(collide(&a, &X_A, &log, &X_log, 1e-3, c), 1);
    assert_vec3_near(c[0].point, br_vec3_of(0.1, 0.05, 1e-7), 1e-14);
    assert_near(c[0].gap, 1e-7, 1e-15);
    // along it
    const br_placement beside = place_make(about(1, 0.5 * BR_PI), br_vec3_of(0.2, 0, -0.2));
    X_A.p = br_vec3_of(0.3, 0.0, 0.3 + 1e-7);
    assert_int_equal(collide(&a, &X_A, &log, &beside, 1e-3, c), 2);
    assert_near(fabs(c[0].point.x - c[1].point.x), 1.0, 1e-14);
}

// Tipping over the rim: the lowest rim point is followed exactly, under one name.
static void on_its_rim_the_lowest_point_is_exact(void **state) {
    (void)state;
    const br_geometry shape[2] = {cylinder(0.3, 1.0), disk(0.3)}, b = box_make(4.0, 4.0, 1.0);
    const br_placement X_B = place_at(0, 0, -0.5);
    for (int kind = 0; kind < 2; kind++) {
        uint32_t name = 0;
        for (int step = 1; step < 300; step++) {
            const double tilt = step * 0.5 * BR_PI / 300.0, turn = 0.01 * step, h = shape[kind].half_length;
            const br_quat q = br_quat_mul(about(2, turn), about(1, tilt));
            const br_placement X = place_make(q, br_vec3_of(0, 0, h * cos(tilt) + 0.3 * sin(tilt) + 1e-5));
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = collide(&b, &X_B, &shape[kind], &X, 2e-5, c);
            assert_true(count >= 1);
            int low = 0;
            for (int k = 1; k < count; k++)
                if (c[k].gap < c[low].gap) low = k;
            assert_near(c[low].gap, 1e-5, 1e-14);
            const br_vec3 rim = br_place_out(&X, br_vec3_of(0.3, 0, -h));
            assert_vec3_near(c[low].point, br_vec3_of(rim.x, rim.y, 0.0), 1e-12);
            if (step == 1) name = c[low].feature;
            assert_int_equal(c[low].feature, name);
        }
    }
}

static void disks_face_to_face_carry_moments(void **state) {
    (void)state;
    const br_geometry a = disk(0.4), b = disk(0.5);
    const br_placement X_B = place_at(0, 0, 0);
    for (int k = 0; k < 4; k++) { // concentric, inside, overlapping, both coplanar
        const br_placement X_A = place_at(k == 1 ? 0.08 : k >= 2 ? 0.5 : 0.0, 0, k == 3 ? 0.0 : 1e-5);
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = collide(&a, &X_A, &b, &X_B, 1e-3, c);
        assert_true(count >= 3);
        double area = 0.0; // of some triangle of them
        for (int i = 2; i < count; i++)
            area = fmax(area, br_vec3_norm(br_vec3_cross(br_vec3_sub(c[i].point, c[0].point),
                                                         br_vec3_sub(c[1].point, c[0].point))));
        assert_true(area > 0.05);
        for (int i = 0; i < count; i++) {
            assert_near(fabs(c[i].normal.z), 1.0, 1e-15);
            assert_near(c[i].gap, k == 3 ? 0.0 : 1e-5, 1e-15);
        }
        check_on_surfaces(&a, &X_A, &b, &X_B, c, count, 1e-6);
    }
}

// A ball over a disk: above its inside as over a plane, beyond its rim as over a circle.
static void a_ball_meets_a_disk_in_closed_form(void **state) {
    (void)state;
    rng r = {41};
    const br_geometry ball = sphere_make(0.2), b = disk(0.5), can = cylinder(0.5, 0.6);
    for (int trial = 0; trial < 500; trial++) {
        const br_placement X_B = place_random(&r, 1.0);
        const br_vec3 p = rng_vec3(&r, 0.9);
        const br_placement X = place_make(br_quat_identity(), br_place_out(&X_B, p));
        const double across = sqrt(p.x * p.x + p.y * p.y), out = fmax(across - 0.5, 0.0);
        br_contact_point c;
        assert_int_equal(br_pair_convex_convex(&ball, &X, &b, &X_B, INFINITY, &c), 1);
        assert_near(c.gap, sqrt(out * out + p.z * p.z) - 0.2, 1e-14);
        const double above = fabs(p.z) - 0.3;
        const double exact = across <= 0.5 && above <= 0.0
                                 ? fmax(across - 0.5, above)
                                 : sqrt(out * out + fmax(above, 0.0) * fmax(above, 0.0));
        assert_int_equal(br_pair_convex_convex(&ball, &X, &can, &X_B, INFINITY, &c), 1);
        assert_near(c.gap, exact - 0.2, 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standing_on_a_box_it_has_four_points_on_its_rim),
        cmocka_unit_test(standing_over_an_edge_the_outline_is_the_overlap),
        cmocka_unit_test(lying_it_has_two_points_and_one_across_an_edge),
        cmocka_unit_test(on_its_rim_the_lowest_point_is_exact),
        cmocka_unit_test(disks_face_to_face_carry_moments),
        cmocka_unit_test(a_ball_meets_a_disk_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
