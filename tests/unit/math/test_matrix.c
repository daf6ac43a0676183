#include "near.h"
#include "random.h"

enum { TRIALS = 500 };

static br_mat3 random_mat3(rng *r, double size) {
    const br_vec3 a = rng_vec3(r, size), b = rng_vec3(r, size), c = rng_vec3(r, size);
    return br_mat3_of_rows(a, b, c);
}

static void cross_product_is_the_skew_matrix_and_is_orthogonal(void **state) {
    (void)state;
    rng r = {1};
    for (int i = 0; i < TRIALS; ++i) {
        const br_vec3 a = rng_vec3(&r, 2.0), b = rng_vec3(&r, 2.0), c = br_vec3_cross(a, b);
        assert_vec3_near(br_mat3_mul_vec(br_mat3_skew(a), b), c, 1e-15);
        assert_vec3_near(br_mat3_unskew(br_mat3_skew(a)), a, 0.0);
        assert_near(br_vec3_dot(a, c), 0.0, 1e-14);
        assert_near(br_vec3_norm_squared(c) + pow(br_vec3_dot(a, b), 2.0),
                    br_vec3_norm_squared(a) * br_vec3_norm_squared(b), 1e-12); // Lagrange
    }
    assert_vec3_near(br_vec3_cross(br_vec3_unit(0), br_vec3_unit(1)), br_vec3_unit(2), 0.0);
}

static void normalizing_gives_length_one_and_leaves_zero_alone(void **state) {
    (void)state;
    rng r = {2};
    for (int i = 0; i < TRIALS; ++i) {
        const br_vec3 a = rng_vec3(&r, pow(10.0, rng_uniform(&r, -140.0, 140.0)));
        assert_near(br_vec3_norm(br_vec3_normalize(a)), 1.0, 4e-16);
    }
    assert_vec3_near(br_vec3_normalize(br_vec3_zero()), br_vec3_zero(), 0.0);
}

static void matrix_products_agree_with_their_transposes(void **state) {
    (void)state;
    rng r = {3};
    for (int i = 0; i < TRIALS; ++i) {
        const br_mat3 A = random_mat3(&r, 1.0), B = random_mat3(&r, 1.0);
        const br_vec3 x = rng_vec3(&r, 1.0);
        assert_mat3_near(br_mat3_transpose(br_mat3_mul(A, B)),
                         br_mat3_mul(br_mat3_transpose(B), br_mat3_transpose(A)), 0.0);
        assert_mat3_near(br_mat3_tmul(A, B), br_mat3_mul(br_mat3_transpose(A), B), 0.0);
        assert_mat3_near(br_mat3_mul_t(A, B), br_mat3_mul(A, br_mat3_transpose(B)), 0.0);
        assert_vec3_near(br_mat3_tmul_vec(A, x), br_mat3_mul_vec(br_mat3_transpose(A), x), 0.0);
        assert_vec3_near(br_mat3_mul_vec(br_mat3_mul(A, B), x), br_mat3_mul_vec(A, br_mat3_mul_vec(B, x)),
                         1e-15);
        assert_near(br_mat3_determinant(br_mat3_mul(A, B)), br_mat3_determinant(A) * br_mat3_determinant(B),
                    1e-14);
        assert_vec3_near(br_mat3_mul_vec(br_mat3_outer(x, br_mat3_row(A, 0)), x),
                         br_vec3_scale(br_vec3_dot(br_mat3_row(A, 0), x), x), 1e-15);
    }
}

static void inverse_undoes_the_matrix_at_any_scale(void **state) {
    (void)state;
    rng r = {4};
    for (int i = 0; i < TRIALS; ++i) {
        // a rotation times a stretch with a condition of at most 1e3, at sizes from 1e-30 to 1e30
        const br_mat3 Q = br_quat_to_mat3(rng_rotation(&r)), P = br_quat_to_mat3(rng_rotation(&r));
        const double scale = pow(10.0, rng_uniform(&r, -30.0, 30.0));
        const br_vec3 d =
            br_vec3_of(scale, scale * rng_uniform(&r, 1e-3, 1.0), scale * rng_uniform(&r, 1e-3, 1.0));
        const br_mat3 A = br_mat3_mul(br_mat3_mul(Q, br_mat3_diagonal(d)), P);
        br_mat3 B = br_mat3_identity();
        assert_int_equal(br_mat3_invert(A, &B), BR_OK);
        assert_mat3_near(br_mat3_mul(A, B), br_mat3_identity(), 1e-11);
        assert_mat3_near(br_mat3_mul(B, A), br_mat3_identity(), 1e-11);
    }
}

static void inverting_a_singular_or_nonfinite_matrix_is_refused(void **state) {
    (void)state;
    rng r = {5};
    const br_mat3 marked = br_mat3_diagonal(br_vec3_of(1.0, 2.0, 3.0));
    for (int i = 0; i < TRIALS; ++i) {
        const br_vec3 a = rng_vec3(&r, 1.0), b = rng_vec3(&r, 1e5);
        const br_vec3 c = br_vec3_add_scaled(a, rng_uniform(&r, -1.0, 1.0) * 1e-5, b);
        br_mat3 B = marked;
        assert_int_equal(br_mat3_invert(br_mat3_of_rows(a, b, c), &B), BR_NUMERICAL);
        assert_mat3_near(B, marked, 0.0);
    }
    br_mat3 B = marked;
    assert_int_equal(br_mat3_invert(br_mat3_zero(), &B), BR_NUMERICAL);
    assert_int_equal(br_mat3_invert(br_mat3_diagonal(br_vec3_of(1.0, NAN, 1.0)), &B), BR_NUMERICAL);
    assert_int_equal(br_mat3_invert(br_mat3_diagonal(br_vec3_of(1.0, INFINITY, 1.0)), &B), BR_NUMERICAL);
    assert_mat3_near(B, marked, 0.0);
}

static void check_eigen(br_sym3 s, double scale) {
    br_vec3 d;
    br_mat3 V;
    br_sym3_eigen(s, &d, &V);
    assert_true(d.x <= d.y && d.y <= d.z);
    assert_mat3_near(br_mat3_tmul(V, V), br_mat3_identity(), 2e-15);
    assert_near(br_mat3_determinant(V), 1.0, 4e-15);
    assert_mat3_near(br_mat3_mul_t(br_mat3_mul(V, br_mat3_diagonal(d)), V), br_sym3_to_mat3(s),
                     4e-15 * scale);
}

static void symmetric_eigenvectors_diagonalize_also_when_eigenvalues_cluster(void **state) {
    (void)state;
    rng r = {6};
    const double gaps[] = {1.0, 1e-3, 1e-8, 1e-15, 0.0};
    for (int i = 0; i < TRIALS; ++i) {
        const double gap = gaps[rng_below(&r, 5)], gap2 = gaps[rng_below(&r, 5)];
        const double scale = pow(10.0, rng_uniform(&r, -20.0, 20.0));
        const br_vec3 d = br_vec3_scale(scale, br_vec3_of(1.0, 1.0 + gap, 1.0 + gap + gap2));
        const br_mat3 Q = br_quat_to_mat3(rng_rotation(&r));
        const br_sym3 s = br_sym3_rotate(Q, br_sym3_of(d.x, d.y, d.z, 0.0, 0.0, 0.0));
        check_eigen(s, 3.0 * scale);
        br_vec3 values;
        br_sym3_eigen(s, &values, NULL);
        assert_vec3_near(values, d, 1e-14 * scale);
    }
    check_eigen(br_sym3_of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1.0);
    check_eigen(br_sym3_of(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), 2.0);
    check_eigen(br_sym3_of(3.0, -2.0, 1.0, 0.0, 0.0, 0.0), 3.0);
}

static void symmetric_products_agree_with_the_full_matrix(void **state) {
    (void)state;
    rng r = {7};
    for (int i = 0; i < TRIALS; ++i) {
        const br_sym3 s = br_sym3_from_mat3(random_mat3(&r, 1.0));
        const br_mat3 A = br_sym3_to_mat3(s), R = br_quat_to_mat3(rng_rotation(&r));
        const br_vec3 x = rng_vec3(&r, 1.0);
        assert_vec3_near(br_sym3_mul_vec(s, x), br_mat3_mul_vec(A, x), 1e-15);
        assert_mat3_near(br_sym3_to_mat3(br_sym3_rotate(R, s)), br_mat3_mul_t(br_mat3_mul(R, A), R), 1e-15);
        assert_mat3_near(br_sym3_to_mat3(br_sym3_of_point(x)), br_mat3_tmul(br_mat3_skew(x), br_mat3_skew(x)),
                         1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_product_is_the_skew_matrix_and_is_orthogonal),
        cmocka_unit_test(normalizing_gives_length_one_and_leaves_zero_alone),
        cmocka_unit_test(matrix_products_agree_with_their_transposes),
        cmocka_unit_test(inverse_undoes_the_matrix_at_any_scale),
        cmocka_unit_test(inverting_a_singular_or_nonfinite_matrix_is_refused),
        cmocka_unit_test(symmetric_eigenvectors_diagonalize_also_when_eigenvalues_cluster),
        cmocka_unit_test(symmetric_products_agree_with_the_full_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
