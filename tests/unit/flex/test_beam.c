// The beam element's kernel: strain, its derivatives, and what the discrete form keeps.
#include <string.h>

#include "flex/beam.h"
#include "near.h"
#include "random.h"

enum { TRIALS = 400 };

// --- random elements and configurations --------------------------------------------------------------------

static br_mat3 rotation_by(br_vec3 r) {
    return br_quat_to_mat3(br_quat_exp(r));
}

// Two nodes whose sections are turned by `angle` from each other, with some stretch and shear.
static br_beam_ends random_ends(rng *r, const br_beam_element *e, double angle) {
    br_beam_ends at;
    const br_mat3 A1 = br_quat_to_mat3(rng_rotation(r));
    const br_mat3 A2 = br_mat3_mul(A1, rotation_by(br_vec3_scale(angle, rng_direction(r))));
    at.R[0] = br_mat3_mul_t(A1, e->Q[0]);
    at.R[1] = br_mat3_mul_t(A2, e->Q[1]);
    at.x[0] = rng_vec3(r, 1.0);
    const br_vec3 along = br_vec3_add(br_vec3_unit(0), rng_vec3(r, 0.5));
    const br_vec3 X1 = br_vec3_add(at.x[0], br_mat3_mul_vec(at.R[0], e->p[0]));
    const br_vec3 X2 = br_vec3_add_scaled(X1, e->length, br_mat3_mul_vec(A1, along));
    at.x[1] = br_vec3_sub(X2, br_mat3_mul_vec(at.R[1], e->p[1]));
    return at;
}

static br_beam_element random_element(rng *r) {
    br_beam_element e;
    memset(&e, 0, sizeof e);
    e.length = rng_uniform(r, 0.2, 2.0);
    for (int k = 0; k < 2; ++k) {
        e.Q[k] = br_quat_to_mat3(rng_rotation(r));
        e.p[k] = rng_vec3(r, 0.5);
    }
    br_section section = {{1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, 1.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const br_beam_ends unstressed = random_ends(r, &e, rng_uniform(r, 0.0, 1.0));
    br_beam_prepare(&e, &section, &unstressed);
    return e;
}

// Moves the nodes by q = (x_1, psi_1, x_2, psi_2), the rotations as rotation vectors in world axes.
static br_beam_ends moved(const br_beam_ends *at, const double q[12]) {
    br_beam_ends to;
    for (int k = 0; k < 2; ++k) {
        const double *d = q + 6 * k;
        to.x[k] = br_vec3_add(at->x[k], br_vec3_of(d[0], d[1], d[2]));
        to.R[k] = br_mat3_mul(rotation_by(br_vec3_of(d[3], d[4], d[5])), at->R[k]);
    }
    return to;
}

static br_vec3 cayley(const br_mat3 *start, const br_mat3 *end) {
    const br_quat q = br_quat_from_mat3(br_mat3_mul_t(*end, *start));
    return br_vec3_scale(2.0 / q.w, br_quat_vector(q));
}

static void move_between(const br_beam_ends *start, const br_beam_ends *end, double q[12]) {
    for (int k = 0; k < 2; ++k) {
        const br_vec3 d = br_vec3_sub(end->x[k], start->x[k]), w = cayley(&start->R[k], &end->R[k]);
        const double both[6] = {d.x, d.y, d.z, w.x, w.y, w.z};
        memcpy(q + 6 * k, both, sizeof both);
    }
}

static void random_move(rng *r, double size, double q[12]) {
    for (int i = 0; i < 12; ++i) q[i] = rng_uniform(r, -size, size);
}

static void force_of(double D[6][12], const double stress[6], double f[12]) {
    for (int j = 0; j < 12; ++j) {
        f[j] = 0.0;
        for (int i = 0; i < 6; ++i) f[j] += D[i][j] * stress[i];
    }
}

// The half angle's cosine, by which rounding and derivatives grow towards a relative rotation of pi.
static double half_cosine(const br_beam_element *e, const br_beam_ends *at) {
    const br_mat3 A1 = br_mat3_mul(at->R[0], e->Q[0]), A2 = br_mat3_mul(at->R[1], e->Q[1]);
    return 0.5 * sqrt(fmax(1.0 + br_mat3_trace(br_mat3_tmul(A1, A2)), 0.0));
}

// --- strain ------------------------------------------------------------------------------------------------

static void strain_is_the_logarithm_of_the_relative_pose(void **state) {
    (void)state;
    rng r = {11};
    for (int i = 0; i < TRIALS; ++i) {
        br_beam_element e = random_element(&r);
        memset(e.strain_0, 0, sizeof e.strain_0);
        const double angle = i % 2 ? rng_uniform(&r, 0.0, 3.1) : pow(10.0, rng_uniform(&r, -12.0, 0.0));
        const br_beam_ends at = random_ends(&r, &e, angle);
        br_pose section[2];
        for (int k = 0; k < 2; ++k) {
            section[k].rotation = br_quat_from_mat3(br_mat3_mul(at.R[k], e.Q[k]));
            section[k].position = br_vec3_add(at.x[k], br_mat3_mul_vec(at.R[k], e.p[k]));
        }
        const br_twist log = br_pose_log(br_pose_mul(br_pose_inverse(section[0]), section[1]));
        double strain[6];
        br_beam_strain(&e, &at, strain);
        // On top of the logarithm: what the bending within the element lengthens the line.
        strain[0] -= 0.5 * (e.bend[0] * strain[1] * strain[1] + e.bend[1] * strain[2] * strain[2]);
        // Rounding of the trace, 1e-16, becomes 1e-16/cos(theta/2)^2 of a strain of size pi/l.
        const double tol = 1e-14 / pow(half_cosine(&e, &at), 2.0) / e.length;
        assert_vec3_near(br_vec3_of(strain[0], strain[1], strain[2]),
                         br_vec3_scale(1.0 / e.length, log.linear), tol);
        assert_vec3_near(br_vec3_of(strain[3], strain[4], strain[5]),
                         br_vec3_scale(1.0 / e.length, log.angular), tol);
    }
}

static void strain_is_zero_where_it_was_prepared(void **state) {
    (void)state;
    rng r = {12};
    for (int i = 0; i < TRIALS; ++i) {
        br_beam_element e = random_element(&r);
        br_section section = {{6.0, 5.0, 4.0, 3.0, 2.0, 1.0}, 1.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        const br_beam_ends at = random_ends(&r, &e, 1.0);
        br_beam_prepare(&e, &section, &at);
        double strain[6];
        br_beam_strain(&e, &at, strain);
        for (int j = 0; j < 6; ++j) assert_near(strain[j], 0.0, 0.0);
        assert_near(1.0 / e.C[1], 1.0 / 5.0 + e.length * e.length / 12.0, 1e-14);
        assert_near(1.0 / e.C[2], 1.0 / 4.0 + e.length * e.length / 24.0, 1e-14);
        assert_near(e.C[0], 6.0, 0.0);
    }
}

// Any two sections of a circle or a helix have the strain of the whole.
static void constant_curvature_is_exact(void **state) {
    (void)state;
    rng r = {13};
    for (int i = 0; i < TRIALS; ++i) {
        const br_twist rate = br_twist_of(rng_vec3(&r, 1.0), rng_vec3(&r, 1.0));
        br_beam_element e;
        memset(&e, 0, sizeof e);
        e.Q[0] = e.Q[1] = br_mat3_identity();
        e.length = rng_uniform(&r, 0.1, 1.5);
        const br_pose first = rng_pose(&r, 1.0);
        const br_twist step = {br_vec3_scale(e.length, rate.angular), br_vec3_scale(e.length, rate.linear)};
        const br_pose second = br_pose_mul(first, br_pose_exp(step));
        const br_beam_ends at = {{first.position, second.position},
                                 {br_quat_to_mat3(first.rotation), br_quat_to_mat3(second.rotation)}};
        double strain[6];
        br_beam_strain(&e, &at, strain);
        // 30 roundings over a length of 0.1 and a cosine not below 0.27
        assert_vec3_near(br_vec3_of(strain[0], strain[1], strain[2]), rate.linear, 1e-13);
        assert_vec3_near(br_vec3_of(strain[3], strain[4], strain[5]), rate.angular, 1e-13);
    }
}

static void strain_at_a_half_turn_is_finite(void **state) {
    (void)state;
    rng r = {14};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const double near[] = {0.0, 1e-16, 1e-12, 1e-9, 1e-8};
        const br_beam_ends at = random_ends(&r, &e, BR_PI - near[i % 5]), to = random_ends(&r, &e, BR_PI);
        double strain[6], D[6][12], K[12][12], stress[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
        br_beam_instant(&e, &at, strain, D);
        for (int j = 0; j < 72; ++j) assert_true(isfinite(strain[j % 6]) && isfinite(D[j / 12][j % 12]));
        br_beam_discrete(&e, &at, &to, D);
        for (int j = 0; j < 72; ++j) assert_true(isfinite(D[j / 12][j % 12]));
        br_beam_discrete_stiffness(&e, &at, &to, stress, K);
        for (int j = 0; j < 144; ++j) assert_true(isfinite(K[j / 12][j % 12]));
    }
}

// --- derivatives by finite differences ---------------------------------------------------------------------

// Central differences of step h: their error is h^2 of a third derivative plus rounding/h. With h = 2e-5 both are about
// 1e-10 of the values; derivatives grow by 1/c for each order, c the half angle's cosine.
#define STEP 2e-5

static double angle_of(rng *r, int i) {
    return i % 4 == 0 ? pow(10.0, rng_uniform(r, -9.0, -1.0)) : rng_uniform(r, 0.0, 2.6);
}

static void instant_gradient_is_the_slope_of_the_strain(void **state) {
    (void)state;
    rng r = {21};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends at = random_ends(&r, &e, angle_of(&r, i));
        double strain[6], D[6][12], check[6];
        br_beam_instant(&e, &at, strain, D);
        br_beam_strain(&e, &at, check);
        assert_memory_equal(strain, check, sizeof check);
        for (int j = 0; j < 12; ++j) {
            double q[12] = {0.0}, up[6], down[6];
            q[j] = STEP;
            br_beam_ends to = moved(&at, q);
            br_beam_strain(&e, &to, up);
            q[j] = -STEP;
            to = moved(&at, q);
            br_beam_strain(&e, &to, down);
            for (int k = 0; k < 6; ++k)
                assert_near(D[k][j], (up[k] - down[k]) / (2.0 * STEP), 1e-7 / e.length);
        }
    }
}

static void check_K(double K[12][12], int j, const double up[12], const double down[12], double scale) {
    for (int k = 0; k < 12; ++k) assert_near(K[k][j], (up[k] - down[k]) / (2.0 * STEP), 1e-6 * scale);
}

static void instant_stiffness_is_the_slope_of_the_force(void **state) {
    (void)state;
    rng r = {22};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends at = random_ends(&r, &e, angle_of(&r, i));
        double stress[6], strain[6], D[6][12], K[12][12];
        for (int k = 0; k < 6; ++k) stress[k] = rng_uniform(&r, -1.0, 1.0);
        br_beam_instant_stiffness(&e, &at, stress, K);
        for (int j = 0; j < 12; ++j) {
            double q[12] = {0.0}, up[12], down[12];
            q[j] = STEP;
            br_beam_ends to = moved(&at, q);
            br_beam_instant(&e, &to, strain, D);
            force_of(D, stress, up);
            q[j] = -STEP;
            to = moved(&at, q);
            br_beam_instant(&e, &to, strain, D);
            force_of(D, stress, down);
            check_K(K, j, up, down, 1.0 / (e.length * e.length));
        }
    }
}

static void discrete_stiffness_is_the_slope_of_the_force(void **state) {
    (void)state;
    rng r = {23};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends start = random_ends(&r, &e, angle_of(&r, i));
        double q[12], stress[6], D[6][12], K[12][12];
        random_move(&r, i % 3 == 0 ? 1e-7 : 0.4, q); // 2.6 + 2 * 0.4 sqrt 3 may pass pi, rarely
        const br_beam_ends end = moved(&start, q);
        if (half_cosine(&e, &end) < 0.2) continue;
        for (int k = 0; k < 6; ++k) stress[k] = rng_uniform(&r, -1.0, 1.0);
        br_beam_discrete_stiffness(&e, &start, &end, stress, K);
        for (int j = 0; j < 12; ++j) {
            double d[12] = {0.0}, up[12], down[12];
            d[j] = STEP;
            br_beam_ends to = moved(&end, d);
            br_beam_discrete(&e, &start, &to, D);
            force_of(D, stress, up);
            d[j] = -STEP;
            to = moved(&end, d);
            br_beam_discrete(&e, &start, &to, D);
            force_of(D, stress, down);
            check_K(K, j, up, down, 1.0 / (e.length * e.length));
        }
    }
}

// --- what the discrete form keeps --------------------------------------------------------------------------

static void discrete_gradient_gives_the_difference_of_strains(void **state) {
    (void)state;
    rng r = {31};
    double worst = 0.0;
    for (int i = 0; i < 20 * TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends start = random_ends(&r, &e, angle_of(&r, i));
        double q[12], D[6][12], s0[6], s1[6];
        random_move(&r, pow(10.0, rng_uniform(&r, -12.0, 0.0)), q);
        const br_beam_ends end = i % 5 ? moved(&start, q) : random_ends(&r, &e, rng_uniform(&r, 0.0, 2.6));
        const double c = fmin(half_cosine(&e, &start), half_cosine(&e, &end));
        move_between(&start, &end, q);
        double size = 1.0;
        for (int j = 0; j < 12; ++j) size = fmax(size, fabs(q[j]));
        if (c < 0.1 || size > 20.0) continue; // a turn near pi has no Cayley vector
        br_beam_strain(&e, &start, s0);
        br_beam_strain(&e, &end, s1);
        br_beam_discrete(&e, &start, &end, D);
        for (int k = 0; k < 6; ++k) {
            double sum = 0.0;
            for (int j = 0; j < 12; ++j) sum += D[k][j] * q[j];
            const double relative = fabs(sum - (s1[k] - s0[k])) * e.length * c * c / size;
            worst = fmax(worst, relative);
        }
    }
    // Sums of about 50 terms of size 1/(l c^2) times the largest move, each rounded to 1e-16.
    print_message("worst difference %.2g\n", worst);
    assert_true(worst < 2e-14);
}

// A small step's difference is found to the rounding of the strain itself, not of the step.
static void discrete_gradient_has_no_noise_for_small_steps(void **state) {
    (void)state;
    rng r = {32};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends start = random_ends(&r, &e, angle_of(&r, i));
        double q[12], D[6][12], exact[6][12], strain[6];
        const double size = pow(10.0, rng_uniform(&r, -15.0, -6.0));
        random_move(&r, size, q);
        const br_beam_ends end = moved(&start, q);
        double half[12];
        for (int j = 0; j < 12; ++j) half[j] = 0.5 * q[j];
        const br_beam_ends middle = moved(&start, half);
        br_beam_discrete(&e, &start, &end, D);
        br_beam_instant(&e, &middle, strain, exact);
        // second order in the step, and rounding
        const double tol = (1e-13 + 100.0 * size * size) / e.length;
        for (int k = 0; k < 6; ++k)
            for (int j = 0; j < 12; ++j) assert_near(D[k][j], exact[k][j], tol);
    }
}

static void discrete_form_without_a_step_is_the_instant_one(void **state) {
    (void)state;
    rng r = {33};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends at = random_ends(&r, &e, angle_of(&r, i));
        double strain[6], D[6][12], D_instant[6][12], K[12][12], K_instant[12][12], stress[6];
        for (int k = 0; k < 6; ++k) stress[k] = rng_uniform(&r, -1.0, 1.0);
        br_beam_instant(&e, &at, strain, D_instant);
        br_beam_discrete(&e, &at, &at, D);
        for (int k = 0; k < 6; ++k)
            for (int j = 0; j < 12; ++j) assert_near(D[k][j], D_instant[k][j], 1e-14 / e.length);
        // The end is half of the mean that the force depends on.
        br_beam_instant_stiffness(&e, &at, stress, K_instant);
        br_beam_discrete_stiffness(&e, &at, &at, stress, K);
        for (int k = 0; k < 12; ++k)
            for (int j = 0; j < 12; ++j)
                assert_near(2.0 * K[k][j], K_instant[k][j], 1e-12 / (e.length * e.length));
    }
}

// No net force, and no net moment about the origin with the mean positions: momentum is kept by every step.
static void internal_forces_are_in_balance(void **state) {
    (void)state;
    rng r = {34};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends start = random_ends(&r, &e, angle_of(&r, i));
        const br_beam_ends end = random_ends(&r, &e, angle_of(&r, i));
        double D[6][12], stress[6], f[12], size = 0.0;
        for (int k = 0; k < 6; ++k) stress[k] = rng_uniform(&r, -1.0, 1.0);
        br_beam_discrete(&e, &start, &end, D);
        force_of(D, stress, f);
        for (int j = 0; j < 12; ++j) size = fmax(size, fabs(f[j]));
        br_vec3 force = br_vec3_zero(), moment = br_vec3_zero();
        for (int k = 0; k < 2; ++k) {
            const br_vec3 F = br_vec3_of(f[6 * k], f[6 * k + 1], f[6 * k + 2]);
            const br_vec3 M = br_vec3_of(f[6 * k + 3], f[6 * k + 4], f[6 * k + 5]);
            const br_vec3 x = br_vec3_scale(0.5, br_vec3_add(start.x[k], end.x[k]));
            force = br_vec3_add(force, F);
            moment = br_vec3_add(moment, br_vec3_add(M, br_vec3_cross(x, F)));
        }
        assert_vec3_near(force, br_vec3_zero(), 1e-15 * size);
        assert_vec3_near(moment, br_vec3_zero(), 2e-14 * size);
    }
}

static br_beam_ends turned(const br_beam_ends *at, br_pose X) {
    const br_mat3 R = br_quat_to_mat3(X.rotation);
    br_beam_ends to;
    for (int k = 0; k < 2; ++k) {
        to.x[k] = br_vec3_add(X.position, br_mat3_mul_vec(R, at->x[k]));
        to.R[k] = br_mat3_mul(R, at->R[k]);
    }
    return to;
}

static void strain_and_forces_do_not_see_rigid_motion(void **state) {
    (void)state;
    rng r = {35};
    for (int i = 0; i < TRIALS; ++i) {
        const br_beam_element e = random_element(&r);
        const br_beam_ends start = random_ends(&r, &e, angle_of(&r, i));
        const br_beam_ends end = random_ends(&r, &e, angle_of(&r, i));
        const br_pose X = rng_pose(&r, 1.0);
        const br_mat3 R = br_quat_to_mat3(X.rotation);
        const br_beam_ends start_2 = turned(&start, X), end_2 = turned(&end, X);
        double s[6], s_2[6], D[6][12], D_2[6][12];
        br_beam_strain(&e, &end, s);
        br_beam_strain(&e, &end_2, s_2);
        br_beam_discrete(&e, &start, &end, D);
        br_beam_discrete(&e, &start_2, &end_2, D_2);
        // 1e-16/cos(1.3)^3 times some tens of operations
        for (int k = 0; k < 6; ++k) assert_near(s[k], s_2[k], 1e-13 / e.length);
        for (int k = 0; k < 6; ++k)
            for (int b = 0; b < 4; ++b) {
                const br_vec3 row = br_vec3_of(D[k][3 * b], D[k][3 * b + 1], D[k][3 * b + 2]);
                const br_vec3 row_2 = br_vec3_of(D_2[k][3 * b], D_2[k][3 * b + 1], D_2[k][3 * b + 2]);
                assert_vec3_near(br_mat3_mul_vec(R, row), row_2, 2e-13 / e.length);
            }
    }
}

// Read from its other end the element is the same one: y and z turn their signs with x, so use the half turn about z.
static void neither_node_comes_first(void **state) {
    (void)state;
    rng r = {36};
    const br_mat3 half_turn = br_mat3_diagonal(br_vec3_of(-1.0, -1.0, 1.0));
    const double sign[6] = {1.0, 1.0, -1.0, 1.0, 1.0, -1.0};
    for (int i = 0; i < TRIALS; ++i) {
        br_beam_element e = random_element(&r);
        memset(e.strain_0, 0, sizeof e.strain_0);
        br_beam_element back = e;
        for (int k = 0; k < 2; ++k) {
            back.Q[k] = br_mat3_mul(e.Q[1 - k], half_turn);
            back.p[k] = e.p[1 - k];
        }
        const br_beam_ends start = random_ends(&r, &e, angle_of(&r, i));
        const br_beam_ends end = random_ends(&r, &e, angle_of(&r, i));
        const br_beam_ends start_b = {{start.x[1], start.x[0]}, {start.R[1], start.R[0]}};
        const br_beam_ends end_b = {{end.x[1], end.x[0]}, {end.R[1], end.R[0]}};
        double s[6], s_b[6], D[6][12], D_b[6][12];
        br_beam_strain(&e, &end, s);
        br_beam_strain(&back, &end_b, s_b);
        br_beam_discrete(&e, &start, &end, D);
        br_beam_discrete(&back, &start_b, &end_b, D_b);
        for (int k = 0; k < 6; ++k) {
            assert_near(s[k], sign[k] * s_b[k], 1e-13 / e.length);
            for (int j = 0; j < 12; ++j)
                assert_near(D[k][j], sign[k] * D_b[k][(j + 6) % 12], 2e-13 / e.length);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_is_the_logarithm_of_the_relative_pose),
        cmocka_unit_test(strain_is_zero_where_it_was_prepared),
        cmocka_unit_test(constant_curvature_is_exact),
        cmocka_unit_test(strain_at_a_half_turn_is_finite),
        cmocka_unit_test(instant_gradient_is_the_slope_of_the_strain),
        cmocka_unit_test(instant_stiffness_is_the_slope_of_the_force),
        cmocka_unit_test(discrete_stiffness_is_the_slope_of_the_force),
        cmocka_unit_test(discrete_gradient_gives_the_difference_of_strains),
        cmocka_unit_test(discrete_gradient_has_no_noise_for_small_steps),
        cmocka_unit_test(discrete_form_without_a_step_is_the_instant_one),
        cmocka_unit_test(internal_forces_are_in_balance),
        cmocka_unit_test(strain_and_forces_do_not_see_rigid_motion),
        cmocka_unit_test(neither_node_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
