#include "near.h"
#include "random.h"

enum { TRIALS = 1000, ORDERS = 3 };

static br_quat about(int axis, double angle) {
    return br_quat_from_axis_angle(br_vec3_unit(axis), angle);
}

static void zxy_xyz_and_zyx_are_the_products_their_names_say(void **state) {
    (void)state;
    rng r = {1};
    for (int i = 0; i < TRIALS; ++i) {
        const br_vec3 a = rng_vec3(&r, 4.0);
        const br_quat zxy = br_quat_mul(about(2, a.x), br_quat_mul(about(0, a.y), about(1, a.z)));
        const br_quat xyz = br_quat_mul(about(0, a.x), br_quat_mul(about(1, a.y), about(2, a.z)));
        const br_quat zyx = br_quat_mul(about(2, a.x), br_quat_mul(about(1, a.y), about(0, a.z)));
        assert_rotation_near(br_quat_from_euler(BR_EULER_ZXY, a), zxy, 4e-15);
        assert_rotation_near(br_quat_from_euler(BR_EULER_XYZ, a), xyz, 4e-15);
        assert_rotation_near(br_quat_from_euler(BR_EULER_ZYX, a), zyx, 4e-15);
    }
}

static void euler_angles_come_back_from_the_rotation(void **state) {
    (void)state;
    rng r = {2};
    for (int i = 0; i < TRIALS; ++i) {
        const br_euler_order order = (br_euler_order)(i % ORDERS);
        const br_vec3 a =
            br_vec3_of(rng_uniform(&r, -3.1, 3.1), rng_uniform(&r, -1.5, 1.5), rng_uniform(&r, -3.1, 3.1));
        assert_vec3_near(br_quat_to_euler(order, br_quat_from_euler(order, a)), a, 1e-13);
    }
}

static void euler_angles_of_any_rotation_give_it_back_also_at_gimbal_lock(void **state) {
    (void)state;
    rng r = {3};
    const double from_lock[] = {0.0, 1e-16, 1e-15, 1e-12, 1e-8, 1e-4};
    for (int i = 0; i < TRIALS; ++i) {
        const br_euler_order order = (br_euler_order)(i % ORDERS);
        br_quat q = rng_rotation(&r);
        if (i % 2) {
            const double b = (rng_below(&r, 2) ? 1.0 : -1.0) * (0.5 * BR_PI - from_lock[rng_below(&r, 6)]);
            q = br_quat_from_euler(order,
                                   br_vec3_of(rng_uniform(&r, -3.0, 3.0), b, rng_uniform(&r, -3.0, 3.0)));
        }
        const br_vec3 a = br_quat_to_euler(order, q);
        assert_rotation_near(br_quat_from_euler(order, a), q, 1e-14);
        assert_true(fabs(a.y) <= 0.5 * BR_PI);
    }
}

static void euler_rate_map_agrees_with_differences_of_the_rotation(void **state) {
    (void)state;
    rng r = {4};
    const double h = 1e-5;
    for (int i = 0; i < TRIALS; ++i) {
        const br_euler_order order = (br_euler_order)(i % ORDERS);
        const br_vec3 a = rng_vec3(&r, 3.0), rates = rng_vec3(&r, 1.0);
        const br_quat plus = br_quat_from_euler(order, br_vec3_add_scaled(a, h, rates));
        const br_quat minus = br_quat_from_euler(order, br_vec3_add_scaled(a, -h, rates));
        const br_vec3 w = br_vec3_scale(0.5 / h, br_quat_log(br_quat_mul(plus, br_quat_conjugate(minus))));
        const br_mat3 E = br_euler_rate_map(order, a);
        assert_vec3_near(br_mat3_mul_vec(E, rates), w, 1e-9);
        assert_near(fabs(br_mat3_determinant(E)), fabs(cos(a.y)), 1e-15 + 1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zxy_xyz_and_zyx_are_the_products_their_names_say),
        cmocka_unit_test(euler_angles_come_back_from_the_rotation),
        cmocka_unit_test(euler_angles_of_any_rotation_give_it_back_also_at_gimbal_lock),
        cmocka_unit_test(euler_rate_map_agrees_with_differences_of_the_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
