// A thin disk on a plane: the wheel and the coin.
#include "shapes.h"

static const double R = 0.5;

static br_geometry disk(void) {
    return shape_make(BR_SHAPE_DISK, br_vec3_of(R, 0, 0), 0.0);
}

// Rz(psi) Rx(theta) Ry(phi) with the axle along y at zero angles, as the wheel of the papers has it.
static br_placement wheel(double psi, double theta, double phi, double height) {
    const br_quat axle = br_quat_exp(br_vec3_of(-0.5 * BR_PI, 0, 0)); // local z to y
    const br_quat q = br_quat_mul(br_quat_from_euler(BR_EULER_ZXY, br_vec3_of(psi, theta, phi)), axle);
    return place_make(q, br_vec3_of(0, 0, height));
}

static void rim_point_is_the_lowest_of_the_rim(void **state) {
    (void)state;
    rng r = {1};
    const br_geometry d = disk(), plane = plane_make();
    for (int trial = 0; trial < 300; trial++) {
        const br_placement P = place_random(&r, 2.0), X = place_random(&r, 2.0);
        const br_vec3 n = br_mat3_column(P.R, 2);
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&d, &X, &plane, &P, INFINITY, c);
        const br_contact_point *lowest = find_feature(c, count, 0);
        assert_non_null(lowest);
        assert_near(br_vec3_distance(lowest->point, X.p), R, 1e-15);
        assert_near(br_vec3_dot(br_vec3_sub(lowest->point, X.p), br_mat3_column(X.R, 2)), 0.0, 1e-15);
        assert_near(br_vec3_dot(n, br_vec3_sub(lowest->point, P.p)), lowest->gap, 2e-15);
        for (int k = 0; k < 720; k++) {
            const double a = BR_PI * k / 360.0;
            const br_vec3 rim = br_vec3_of(R * cos(a), R * sin(a), 0.0);
            const double height =
                br_vec3_dot(n, br_vec3_sub(br_vec3_add(X.p, br_mat3_mul_vec(X.R, rim)), P.p));
            assert_true(height >= lowest->gap - 2e-15);
        }
    }
}

// Closed form: leaning by theta, the rim is at height - R cos(theta), below the centre and R sin(theta) to the side.
static void wheel_meets_its_closed_form(void **state) {
    (void)state;
    const br_geometry d = disk(), plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    for (double theta = -1.4; theta < 1.4; theta += 0.1) {
        for (double psi = 0.0; psi < 6.0; psi += 0.7) {
            const br_placement X = wheel(psi, theta, 3.0 * psi, 0.4);
            br_contact_point c[BR_MAX_MANIFOLD];
            assert_int_equal(br_collide(&d, &X, &plane, &P, 0.3999, c), 1);
            assert_near(c[0].gap, 0.4 - R * cos(theta), 4e-16);
            const br_vec3 expected =
                br_vec3_of(R * sin(theta) * -sin(psi), R * sin(theta) * cos(psi), c[0].gap);
            // Rx(theta) tips the wheel's lowest point towards +y for positive theta
            assert_vec3_near(c[0].point, expected, 1e-15);
            assert_int_equal(c[0].feature, 0);
        }
    }
}

static void contact_point_moves_smoothly_while_it_rolls(void **state) {
    (void)state;
    const br_geometry d = disk(), plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    br_vec3 before = br_vec3_zero();
    const double h = 1e-4;
    for (int step = 0; step < 2000;
         step++) { // a coin in its last turns: tilt 1e-4, the point runs around at 300 rad/s
        const double a = 300.0 * h * step;
        const br_placement X = place_make(br_quat_exp(br_vec3_of(1e-4 * cos(a), 1e-4 * sin(a), 0)),
                                          br_vec3_of(0, 0, R * sin(1e-4)));
        br_contact_point c[BR_MAX_MANIFOLD];
        const int count = br_collide(&d, &X, &plane, &P, 1e-6, c);
        const br_contact_point *lowest = find_feature(c, count, 0);
        assert_non_null(lowest);
        assert_near(lowest->gap, 0.0, 1e-16);
        // chord of the turn of one step, to the rounding of a direction given by a tilt of 1e-4
        if (step > 0)
            assert_near(br_vec3_distance(before, lowest->point), 2.0 * R * cos(1e-4) * sin(150.0 * h), 1e-11);
        before = lowest->point;
    }
}

static void flat_disk_has_four_points(void **state) {
    (void)state;
    const br_geometry d = disk(), plane = plane_make();
    const br_placement P = place_at(0, 0, 0);
    const double tilts[] = {0.0, 1e-15, 1e-11, 1e-8, 1e-4};
    for (int k = 0; k < 10; k++) {
        const double flip = k < 5 ? 0.0 : BR_PI; // either side down
        const br_placement X = place_make(br_quat_exp(br_vec3_of(flip + tilts[k % 5], 0, 0)), br_vec3_zero());
        br_contact_point c[BR_MAX_MANIFOLD];
        assert_int_equal(br_collide(&d, &X, &plane, &P, 1e-3, c), 4);
        check_points(c, 4, 1e-3);
        const br_contact_point *p[4];
        for (uint32_t f = 0; f < 4; f++) {
            p[f] = find_feature(c, 4, f);
            assert_non_null(p[f]);
            assert_near(br_vec3_distance(p[f]->point, X.p), R, 1e-9);
            assert_near(p[f]->point.z, p[f]->gap, R * 1e-10); // a rim that counts as flat is flat to this
        }
        assert_near(br_vec3_distance(p[0]->point, p[3]->point), 2.0 * R, 1e-9);
        assert_near(br_vec3_distance(p[1]->point, p[2]->point), 2.0 * R, 1e-9);
        assert_true(p[0]->gap <= p[1]->gap && p[1]->gap <= p[3]->gap);
    }
}

static void upright_disk_has_one_point_however_large_the_margin(void **state) {
    (void)state;
    const br_geometry d = disk(), plane = plane_make();
    const br_placement P = place_at(0, 0, 0), X = wheel(0.3, 0.1, 0.2, 0.4);
    br_contact_point c[BR_MAX_MANIFOLD];
    assert_int_equal(br_collide(&d, &X, &plane, &P, 100.0, c), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rim_point_is_the_lowest_of_the_rim),
        cmocka_unit_test(wheel_meets_its_closed_form),
        cmocka_unit_test(contact_point_moves_smoothly_while_it_rolls),
        cmocka_unit_test(flat_disk_has_four_points),
        cmocka_unit_test(upright_disk_has_one_point_however_large_the_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
