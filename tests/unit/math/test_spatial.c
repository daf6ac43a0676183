#include "near.h"
#include "random.h"

enum { TRIALS = 1000 };

static void assert_twist_near_at(br_twist a, br_twist b, double tol, const char *file, int line) {
    near_check_vec3(a.angular, b.angular, tol, "angular", file, line);
    near_check_vec3(a.linear, b.linear, tol, "linear", file, line);
}
#define assert_twist_near(a, b, tol) assert_twist_near_at((a), (b), (tol), __FILE__, __LINE__)

static void assert_wrench_near_at(br_wrench a, br_wrench b, double tol, const char *file, int line) {
    near_check_vec3(a.torque, b.torque, tol, "torque", file, line);
    near_check_vec3(a.force, b.force, tol, "force", file, line);
}
#define assert_wrench_near(a, b, tol) assert_wrench_near_at((a), (b), (tol), __FILE__, __LINE__)

static br_wrench random_wrench(rng *r, double size) {
    const br_vec3 torque = rng_vec3(r, size);
    return br_wrench_of(torque, rng_vec3(r, size));
}

// Of a real body: three points with mass.
static br_inertia random_inertia(rng *r) {
    br_inertia total = br_inertia_of(0.0, br_vec3_zero(), br_sym3_of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0));
    for (int i = 0; i < 3; ++i) {
        const double mass = rng_uniform(r, 0.5, 2.0);
        const br_inertia point =
            br_inertia_of(mass, rng_vec3(r, 1.0), br_sym3_of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0));
        total = br_inertia_add(total, point);
    }
    return total;
}

static void poses_compose_and_invert_like_the_motions_they_are(void **state) {
    (void)state;
    rng r = {1};
    for (int i = 0; i < TRIALS; ++i) {
        const br_pose X_AB = rng_pose(&r, 2.0), X_BC = rng_pose(&r, 2.0), X_AC = br_pose_mul(X_AB, X_BC);
        const br_vec3 p_C = rng_vec3(&r, 2.0);
        const br_vec3 p_A = br_pose_point(X_AB, br_pose_point(X_BC, p_C));
        assert_vec3_near(br_pose_point(X_AC, p_C), p_A, 1e-14);
        assert_vec3_near(br_pose_point_inverse(X_AC, p_A), p_C, 1e-14);
        assert_vec3_near(br_pose_point(br_pose_inverse(X_AC), p_A), p_C, 1e-14);
        assert_vec3_near(br_pose_vector(X_AB, br_pose_vector(X_BC, p_C)), br_pose_vector(X_AC, p_C), 1e-14);
        assert_vec3_near(br_pose_vector_inverse(X_AC, br_pose_vector(X_AC, p_C)), p_C, 1e-14);
        const br_pose back = br_pose_between(X_AB, X_AC);
        assert_vec3_near(back.position, X_BC.position, 1e-14);
        assert_rotation_near(back.rotation, X_BC.rotation, 1e-14);
        const br_pose none = br_pose_mul(X_AB, br_pose_inverse(X_AB));
        assert_vec3_near(none.position, br_vec3_zero(), 1e-14);
        assert_rotation_near(none.rotation, br_quat_identity(), 1e-14);
    }
}

static void pose_between_keeps_its_digits_far_from_the_origin(void **state) {
    (void)state;
    rng r = {2};
    const br_vec3 far = br_vec3_of(0x1p20, -0x1p20, 0x1p20);
    for (int i = 0; i < TRIALS; ++i) {
        const br_vec3 apart =
            br_vec3_scale(0x1p-20, br_vec3_of(1.0, (double)(i % 7), -3.0)); // exact in the sum
        const br_pose X_WA = br_pose_of(rng_rotation(&r), far),
                      X_WB = br_pose_of(rng_rotation(&r), br_vec3_add(far, apart));
        assert_vec3_near(br_pose_between(X_WA, X_WB).position, br_quat_rotate_inverse(X_WA.rotation, apart),
                         1e-20);
    }
}

static void pose_exp_then_log_is_identity(void **state) {
    (void)state;
    rng r = {3};
    for (int i = 0; i < TRIALS; ++i) {
        const double angle =
            i % 2 ? rng_uniform(&r, 0.0, BR_PI - 1e-9) : pow(10.0, rng_uniform(&r, -30.0, 0.0));
        const br_twist V = br_twist_of(br_vec3_scale(angle, rng_direction(&r)), rng_vec3(&r, 1.0));
        assert_twist_near(br_pose_log(br_pose_exp(V)), V, 1e-14);
    }
}

static void pose_exp_is_a_flow(void **state) {
    (void)state;
    rng r = {4};
    for (int i = 0; i < TRIALS; ++i) {
        const br_twist V = rng_twist(&r, 3.0);
        const double t = rng_uniform(&r, -1.0, 2.0);
        const br_pose whole = br_pose_exp(V);
        const br_pose parts =
            br_pose_mul(br_pose_exp(br_twist_scale(t, V)), br_pose_exp(br_twist_scale(1.0 - t, V)));
        assert_vec3_near(parts.position, whole.position, 1e-13);
        assert_rotation_near(parts.rotation, whole.rotation, 1e-13);
    }
}

// The velocity field of the moved body is that of the twist: at every point Q, v_Q = linear + angular x Q.
static void pose_exp_moves_points_with_the_twist(void **state) {
    (void)state;
    rng r = {5};
    const double h = 1e-5;
    for (int i = 0; i < TRIALS; ++i) {
        const br_twist V = rng_twist(&r, 1.0);
        const br_vec3 Q = rng_vec3(&r, 1.0);
        const br_vec3 plus = br_pose_point(br_pose_exp(br_twist_scale(h, V)), Q);
        const br_vec3 minus = br_pose_point(br_pose_exp(br_twist_scale(-h, V)), Q);
        assert_vec3_near(br_vec3_scale(0.5 / h, br_vec3_sub(plus, minus)), br_twist_at_point(V, Q), 1e-9);
    }
}

static void a_twist_in_another_frame_moves_every_point_the_same(void **state) {
    (void)state;
    rng r = {6};
    for (int i = 0; i < TRIALS; ++i) {
        const br_pose X_AB = rng_pose(&r, 2.0), X_BC = rng_pose(&r, 2.0);
        const br_twist V_B = rng_twist(&r, 1.0), V_A = br_twist_transform(X_AB, V_B);
        const br_vec3 Q_B = rng_vec3(&r, 1.0);
        assert_vec3_near(br_twist_at_point(V_A, br_pose_point(X_AB, Q_B)),
                         br_pose_vector(X_AB, br_twist_at_point(V_B, Q_B)), 2e-14);
        assert_twist_near(br_twist_transform_inverse(X_AB, V_A), V_B, 2e-14);
        assert_twist_near(br_twist_transform(br_pose_inverse(X_AB), V_A), V_B, 2e-14);
        const br_twist V_C = rng_twist(&r, 1.0);
        assert_twist_near(br_twist_transform(br_pose_mul(X_AB, X_BC), V_C),
                          br_twist_transform(X_AB, br_twist_transform(X_BC, V_C)), 5e-14);
    }
}

static void power_is_the_same_in_every_frame(void **state) {
    (void)state;
    rng r = {7};
    for (int i = 0; i < TRIALS; ++i) {
        const br_pose X_AB = rng_pose(&r, 2.0);
        const br_twist V_B = rng_twist(&r, 1.0);
        const br_wrench F_B = random_wrench(&r, 1.0), F_A = br_wrench_transform(X_AB, F_B);
        assert_near(br_twist_dot(br_twist_transform(X_AB, V_B), F_A), br_twist_dot(V_B, F_B), 1e-13);
        assert_wrench_near(br_wrench_transform_inverse(X_AB, F_A), F_B, 2e-14);
        assert_wrench_near(br_wrench_transform(br_pose_inverse(X_AB), F_A), F_B, 2e-14);
    }
}

static void a_force_at_a_point_works_on_the_velocity_of_that_point(void **state) {
    (void)state;
    rng r = {8};
    for (int i = 0; i < TRIALS; ++i) {
        const br_twist V = rng_twist(&r, 1.0);
        const br_vec3 f = rng_vec3(&r, 1.0), p = rng_vec3(&r, 1.0);
        assert_near(br_twist_dot(V, br_wrench_of_force(f, p)), br_vec3_dot(f, br_twist_at_point(V, p)),
                    1e-14);
    }
}

static void spatial_cross_is_the_rate_of_the_transform(void **state) {
    (void)state;
    rng r = {9};
    const double h = 1e-5;
    for (int i = 0; i < TRIALS; ++i) {
        const br_twist V = rng_twist(&r, 1.0), W = rng_twist(&r, 1.0);
        const br_wrench F = random_wrench(&r, 1.0);
        const br_pose plus = br_pose_exp(br_twist_scale(h, V)), minus = br_pose_exp(br_twist_scale(-h, V));
        const br_twist dW =
            br_twist_scale(0.5 / h, br_twist_sub(br_twist_transform(plus, W), br_twist_transform(minus, W)));
        const br_wrench dF = br_wrench_scale(
            0.5 / h, br_wrench_sub(br_wrench_transform(plus, F), br_wrench_transform(minus, F)));
        assert_twist_near(br_twist_cross(V, W), dW, 1e-9);
        assert_wrench_near(br_twist_cross_wrench(V, F), dF, 1e-9);
        // d/dt of the power W.F, both carried along, is zero
        assert_near(br_twist_dot(br_twist_cross(V, W), F) + br_twist_dot(W, br_twist_cross_wrench(V, F)), 0.0,
                    1e-14);
    }
}

// Brute force: points with mass, each with its own velocity.
static void inertia_gives_momentum_and_energy_of_its_points(void **state) {
    (void)state;
    rng r = {10};
    for (int i = 0; i < TRIALS; ++i) {
        const br_twist V = rng_twist(&r, 1.0);
        br_inertia I = br_inertia_of(0.0, br_vec3_zero(), br_sym3_of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0));
        br_wrench momentum = br_wrench_of(br_vec3_zero(), br_vec3_zero());
        double energy = 0.0;
        for (int k = 0; k < 5; ++k) {
            const double m = rng_uniform(&r, 0.1, 1.0);
            const br_vec3 c = rng_vec3(&r, 1.0), v = br_twist_at_point(V, c);
            I = br_inertia_add(I, br_inertia_of(m, c, br_sym3_of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)));
            momentum = br_wrench_add(momentum, br_wrench_of_force(br_vec3_scale(m, v), c));
            energy += 0.5 * m * br_vec3_norm_squared(v);
        }
        assert_wrench_near(br_inertia_mul(I, V), momentum, 2e-14);
        assert_near(br_inertia_kinetic_energy(I, V), energy, 2e-14);
    }
}

static void inertia_in_another_frame_is_the_same_body(void **state) {
    (void)state;
    rng r = {11};
    for (int i = 0; i < TRIALS; ++i) {
        const br_pose X_AB = rng_pose(&r, 2.0);
        const br_inertia I_B = random_inertia(&r), I_A = br_inertia_transform(X_AB, I_B);
        const br_twist V_B = rng_twist(&r, 1.0), V_A = br_twist_transform(X_AB, V_B);
        assert_near(br_inertia_kinetic_energy(I_A, V_A), br_inertia_kinetic_energy(I_B, V_B), 1e-12);
        assert_wrench_near(br_inertia_mul(I_A, V_A), br_wrench_transform(X_AB, br_inertia_mul(I_B, V_B)),
                           1e-12);
        const br_inertia back = br_inertia_transform(br_pose_inverse(X_AB), I_A);
        assert_mat3_near(br_sym3_to_mat3(back.rotational), br_sym3_to_mat3(I_B.rotational), 1e-12);
        assert_vec3_near(back.moment, I_B.moment, 1e-13);
    }
}

static void inertia_of_a_box_about_its_corner_is_the_textbook_one(void **state) {
    (void)state;
    const double m = 3.0, a = 1.0, b = 2.0, c = 4.0;
    const br_sym3 about_com = br_sym3_of(m / 12.0 * (b * b + c * c), m / 12.0 * (a * a + c * c),
                                         m / 12.0 * (a * a + b * b), 0.0, 0.0, 0.0);
    const br_inertia I = br_inertia_of(m, br_vec3_of(0.5 * a, 0.5 * b, 0.5 * c), about_com);
    assert_near(I.rotational.xx, m / 3.0 * (b * b + c * c), 1e-14);
    assert_near(I.rotational.yy, m / 3.0 * (a * a + c * c), 1e-14);
    assert_near(I.rotational.zz, m / 3.0 * (a * a + b * b), 1e-14);
    assert_near(I.rotational.xy, -m * a * b / 4.0, 1e-14);
    assert_near(I.rotational.xz, -m * a * c / 4.0, 1e-14);
    assert_near(I.rotational.yz, -m * b * c / 4.0, 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_compose_and_invert_like_the_motions_they_are),
        cmocka_unit_test(pose_between_keeps_its_digits_far_from_the_origin),
        cmocka_unit_test(pose_exp_then_log_is_identity),
        cmocka_unit_test(pose_exp_is_a_flow),
        cmocka_unit_test(pose_exp_moves_points_with_the_twist),
        cmocka_unit_test(a_twist_in_another_frame_moves_every_point_the_same),
        cmocka_unit_test(power_is_the_same_in_every_frame),
        cmocka_unit_test(a_force_at_a_point_works_on_the_velocity_of_that_point),
        cmocka_unit_test(spatial_cross_is_the_rate_of_the_transform),
        cmocka_unit_test(inertia_gives_momentum_and_energy_of_its_points),
        cmocka_unit_test(inertia_in_another_frame_is_the_same_body),
        cmocka_unit_test(inertia_of_a_box_about_its_corner_is_the_textbook_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
