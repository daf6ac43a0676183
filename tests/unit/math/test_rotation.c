#include "near.h"
#include "random.h"

enum { TRIALS = 2000 };

static void rotating_by_a_quaternion_is_rotating_by_its_matrix(void **state) {
    (void)state;
    rng r = {1};
    for (int i = 0; i < TRIALS; ++i) {
        const br_quat p = rng_rotation(&r), q = rng_rotation(&r);
        const br_mat3 P = br_quat_to_mat3(p), Q = br_quat_to_mat3(q);
        const br_vec3 a = rng_vec3(&r, 1.0);
        assert_vec3_near(br_quat_rotate(q, a), br_mat3_mul_vec(Q, a), 2e-15);
        assert_vec3_near(br_quat_rotate_inverse(q, br_quat_rotate(q, a)), a, 2e-15);
        assert_mat3_near(br_quat_to_mat3(br_quat_mul(p, q)), br_mat3_mul(P, Q), 2e-15);
        assert_mat3_near(br_mat3_tmul(Q, Q), br_mat3_identity(), 2e-15);
        assert_near(br_mat3_determinant(Q), 1.0, 2e-15);
    }
}

static void a_quarter_turn_about_z_takes_x_to_y(void **state) {
    (void)state;
    const br_quat q = br_quat_from_axis_angle(br_vec3_of(0.0, 0.0, 5.0), 0.5 * BR_PI);
    assert_vec3_near(br_quat_rotate(q, br_vec3_unit(0)), br_vec3_unit(1), 4e-16);
    assert_vec3_near(br_quat_rotate(q, br_vec3_unit(1)), br_vec3_of(-1.0, 0.0, 0.0), 4e-16);
}

static void quat_from_matrix_is_the_quat_the_matrix_came_from(void **state) {
    (void)state;
    rng r = {2};
    for (int i = 0; i < TRIALS; ++i) {
        br_quat q = rng_rotation(&r);
        if (i % 4 == 0) { // half turns and near half turns: w = 0, where the trace rule alone breaks down
            const double tiny[] = {0.0, 1e-16, 1e-9, 1e-5};
            const br_vec3 u = i % 8 ? br_vec3_unit(i / 8 % 3) : rng_direction(&r);
            q = br_quat_normalize(br_quat_of(tiny[rng_below(&r, 4)], u.x, u.y, u.z));
        }
        const br_quat back = br_quat_from_mat3(br_quat_to_mat3(q));
        assert_rotation_near(back, q, 2e-15);
        assert_true(back.w >= 0.0);
        assert_near(br_quat_norm(back), 1.0, 4e-16);
    }
}

static void check_exp_then_log(br_vec3 r, double relative) {
    const br_quat q = br_quat_exp(r);
    assert_near(br_quat_norm(q), 1.0, 5e-16);
    assert_vec3_near(br_quat_log(q), r, relative * br_vec3_norm(r));
}

static void quat_exp_then_log_is_identity_for_tiny_angles(void **state) {
    (void)state;
    rng r = {3};
    for (int i = 0; i < TRIALS; ++i) {
        const double angle = pow(10.0, rng_uniform(&r, -140.0, 0.0));
        check_exp_then_log(br_vec3_scale(angle, rng_direction(&r)), 2e-15);
    }
    // around the place where the series takes over
    for (int i = -5; i <= 5; ++i)
        check_exp_then_log(br_vec3_scale(1e-4 * (1.0 + i * 1e-10), rng_direction(&r)), 2e-15);
    assert_vec3_near(br_quat_log(br_quat_exp(br_vec3_zero())), br_vec3_zero(), 0.0);
    assert_vec3_near(br_quat_log(br_quat_identity()), br_vec3_zero(), 0.0);
    const br_vec3 below_squaring = br_vec3_of(0.0, 1e-200, 0.0); // its norm underflows to zero
    assert_near(br_quat_log(br_quat_exp(below_squaring)).y, 1e-200, 1e-214);
}

static void quat_exp_then_log_is_identity_near_pi(void **state) {
    (void)state;
    rng r = {4};
    for (int i = 0; i < TRIALS; ++i) {
        const double below = pow(10.0, rng_uniform(&r, -14.0, 0.0));
        check_exp_then_log(br_vec3_scale(BR_PI - below, rng_direction(&r)), 2e-15);
    }
}

static void quat_log_of_both_signs_is_the_same_shorter_turn(void **state) {
    (void)state;
    rng r = {5};
    for (int i = 0; i < TRIALS; ++i) {
        const br_quat q = rng_rotation(&r), minus = br_quat_of(-q.w, -q.x, -q.y, -q.z);
        const br_vec3 a = br_quat_log(q);
        assert_vec3_near(a, br_quat_log(minus), 0.0);
        assert_true(br_vec3_norm(a) <= BR_PI * (1.0 + 1e-15));
        assert_rotation_near(br_quat_exp(a), q, 4e-15);
    }
    // more than half a turn comes back as the rest of the turn, the other way
    assert_vec3_near(br_quat_log(br_quat_exp(br_vec3_of(0.0, 0.0, BR_PI + 0.5))),
                     br_vec3_of(0.0, 0.0, 0.5 - BR_PI), 2e-15);
}

static void slerp_turns_at_constant_speed_between_its_ends(void **state) {
    (void)state;
    rng r = {6};
    for (int i = 0; i < TRIALS; ++i) {
        const br_quat a = rng_rotation(&r), b = rng_rotation(&r);
        const double t = rng_uniform(&r, 0.0, 1.0), whole = br_quat_angle(a, b);
        assert_rotation_near(br_quat_slerp(a, b, 0.0), a, 2e-15);
        assert_rotation_near(br_quat_slerp(a, b, 1.0), b, 5e-15);
        assert_near(br_quat_angle(a, br_quat_slerp(a, b, t)), t * whole, 1e-14);
        assert_near(br_quat_angle(br_quat_slerp(a, b, t), b), (1.0 - t) * whole, 1e-14);
    }
}

static void quat_rate_agrees_with_differences_of_the_turning_quat(void **state) {
    (void)state;
    rng r = {7};
    const double h = 1e-5;
    for (int i = 0; i < TRIALS; ++i) {
        const br_quat q = rng_rotation(&r);
        const br_vec3 w = rng_vec3(&r, 1.0);
        const br_quat plus = br_quat_advance(q, w, h), minus = br_quat_advance(q, w, -h);
        const br_quat rate = br_quat_rate(q, w);
        assert_near(rate.w, (plus.w - minus.w) / (2.0 * h), 1e-10);
        assert_near(rate.x, (plus.x - minus.x) / (2.0 * h), 1e-10);
        assert_near(rate.y, (plus.y - minus.y) / (2.0 * h), 1e-10);
        assert_near(rate.z, (plus.z - minus.z) / (2.0 * h), 1e-10);
        assert_near(br_quat_dot(q, rate), 0.0, 1e-15); // the length stays
        assert_vec3_near(br_quat_angular_velocity(q, rate), w, 4e-15);
        const br_quat from_body = br_quat_rate_from_body(q, br_quat_rotate_inverse(q, w));
        assert_vec3_near(br_quat_angular_velocity(q, from_body), w, 4e-15);
    }
}

// A point fixed in the body moves with w x p.
static void advancing_a_quat_moves_points_with_the_angular_velocity(void **state) {
    (void)state;
    rng r = {8};
    const double h = 1e-5;
    for (int i = 0; i < TRIALS; ++i) {
        const br_quat q = rng_rotation(&r);
        const br_vec3 w = rng_vec3(&r, 1.0), p_B = rng_vec3(&r, 1.0), p_W = br_quat_rotate(q, p_B);
        const br_vec3 plus = br_quat_rotate(br_quat_advance(q, w, h), p_B);
        const br_vec3 minus = br_quat_rotate(br_quat_advance(q, w, -h), p_B);
        assert_vec3_near(br_vec3_scale(0.5 / h, br_vec3_sub(plus, minus)), br_vec3_cross(w, p_W), 1e-9);
    }
}

static void rotation_jacobian_agrees_with_differences_of_exp(void **state) {
    (void)state;
    rng r = {9};
    const double h = 1e-5;
    for (int i = 0; i < TRIALS; ++i) {
        const br_vec3 a = br_vec3_scale(rng_uniform(&r, 0.0, 2.0 * BR_PI), rng_direction(&r)),
                      da = rng_vec3(&r, 1.0);
        const br_quat plus = br_quat_exp(br_vec3_add_scaled(a, h, da));
        const br_quat minus = br_quat_exp(br_vec3_add_scaled(a, -h, da));
        const br_vec3 w = br_vec3_scale(0.5 / h, br_quat_log(br_quat_mul(plus, br_quat_conjugate(minus))));
        assert_vec3_near(br_mat3_mul_vec(br_rotation_jacobian(a), da), w, 1e-9);
        // in body axes: the transpose
        assert_vec3_near(br_mat3_tmul_vec(br_rotation_jacobian(a), da),
                         br_quat_rotate_inverse(br_quat_exp(a), w), 1e-9);
    }
}

static void rotation_jacobian_times_its_inverse_is_identity_up_to_pi(void **state) {
    (void)state;
    rng r = {10};
    for (int i = 0; i < TRIALS; ++i) {
        const double angle = i % 2 ? rng_uniform(&r, 0.0, BR_PI) : pow(10.0, rng_uniform(&r, -20.0, 0.0));
        const br_vec3 a = br_vec3_scale(angle, rng_direction(&r));
        assert_mat3_near(br_mat3_mul(br_rotation_jacobian(a), br_rotation_jacobian_inverse(a)),
                         br_mat3_identity(), 2e-14);
    }
    // no step where the series takes over, at |r| = 1/2
    const br_vec3 u = rng_direction(&r);
    const br_vec3 below = br_vec3_scale(0.5 * (1.0 - 1e-13), u),
                  above = br_vec3_scale(0.5 * (1.0 + 1e-13), u);
    assert_mat3_near(br_rotation_jacobian(below), br_rotation_jacobian(above), 5e-13);
    assert_mat3_near(br_rotation_jacobian_inverse(below), br_rotation_jacobian_inverse(above), 5e-13);
}

static void tangent_basis_is_a_rotation_with_the_normal_last(void **state) {
    (void)state;
    rng r = {11};
    for (int i = 0; i < TRIALS; ++i) {
        br_vec3 n = rng_direction(&r);
        if (i % 2) { // close to the one singular point
            const double tilt = pow(10.0, rng_uniform(&r, -170.0, 0.0)),
                         turn = rng_uniform(&r, 0.0, 2.0 * BR_PI);
            n = br_vec3_normalize(br_vec3_of(tilt * cos(turn), tilt * sin(turn), -1.0));
        }
        const br_mat3 R = br_tangent_basis(n);
        assert_mat3_near(br_mat3_tmul(R, R), br_mat3_identity(), 4e-15);
        assert_near(br_mat3_determinant(R), 1.0, 4e-15);
        assert_vec3_near(br_mat3_column(R, 2), n, 1e-15);
    }
    assert_mat3_near(br_tangent_basis(br_vec3_unit(2)), br_mat3_identity(), 0.0);
    assert_mat3_near(br_tangent_basis(br_vec3_of(0.0, 0.0, -1.0)),
                     br_mat3_diagonal(br_vec3_of(1.0, -1.0, -1.0)), 0.0);
    assert_mat3_near(br_tangent_basis(br_vec3_of(-0.0, -0.0, -1.0)),
                     br_mat3_diagonal(br_vec3_of(1.0, -1.0, -1.0)), 0.0);
}

static void tangent_basis_is_continuous_away_from_minus_z(void **state) {
    (void)state;
    rng r = {12};
    const double step = 1e-7;
    for (int i = 0; i < TRIALS; ++i) {
        br_vec3 n = rng_direction(&r);
        if (i % 4 == 0) n = br_vec3_normalize(br_vec3_of(n.x, n.y, 1e-9 * n.z)); // across the equator
        if (n.z < -0.99) continue;
        const br_vec3 m = br_vec3_normalize(br_vec3_add_scaled(n, step, rng_direction(&r)));
        // the tangents turn about n at most tan(angle from z / 2) times as fast as n itself turns
        assert_mat3_near(br_tangent_basis(n), br_tangent_basis(m), 20.0 * step);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotating_by_a_quaternion_is_rotating_by_its_matrix),
        cmocka_unit_test(a_quarter_turn_about_z_takes_x_to_y),
        cmocka_unit_test(quat_from_matrix_is_the_quat_the_matrix_came_from),
        cmocka_unit_test(quat_exp_then_log_is_identity_for_tiny_angles),
        cmocka_unit_test(quat_exp_then_log_is_identity_near_pi),
        cmocka_unit_test(quat_log_of_both_signs_is_the_same_shorter_turn),
        cmocka_unit_test(slerp_turns_at_constant_speed_between_its_ends),
        cmocka_unit_test(quat_rate_agrees_with_differences_of_the_turning_quat),
        cmocka_unit_test(advancing_a_quat_moves_points_with_the_angular_velocity),
        cmocka_unit_test(rotation_jacobian_agrees_with_differences_of_exp),
        cmocka_unit_test(rotation_jacobian_times_its_inverse_is_identity_up_to_pi),
        cmocka_unit_test(tangent_basis_is_a_rotation_with_the_normal_last),
        cmocka_unit_test(tangent_basis_is_continuous_away_from_minus_z),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
