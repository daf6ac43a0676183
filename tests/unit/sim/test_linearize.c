// Eigenvalues about a state, against closed forms. Differences are of fourth order: nine digits and more.
#include "small_models.h"

enum { MOST = 24 };

typedef struct spectrum {
    double real[MOST], imaginary[MOST];
    int count;
} spectrum;

static spectrum eigenvalues(small_model *s) {
    spectrum x;
    br_error error = {0};
    const size_t nq = (size_t)br_model_nq(s->model), nv = (size_t)br_model_nv(s->model);
    double q[64], v[64];
    memcpy(q, br_sim_q(s->sim), nq * sizeof *q);
    memcpy(v, br_sim_v(s->sim), nv * sizeof *v);
    small_check(br_sim_linearize(s->sim, x.real, x.imaginary, MOST, &x.count, &error), &error);
    assert_memory_equal(q, br_sim_q(s->sim), nq * sizeof *q); // looking changes nothing
    assert_memory_equal(v, br_sim_v(s->sim), nv * sizeof *v);
    for (int k = 1; k < x.count; k++) assert_true(x.imaginary[k] >= x.imaginary[k - 1]);
    return x;
}

static small_model hanging(int count, br_coordinates coordinates) {
    static const char *const names[] = {"a", "b"};
    static const char *const pins[] = {"pin_a", "pin_b"};
    small_model s = small_begin(BR_STEPPER_CONTACT);
    s.settings.coordinates = coordinates;
    for (int k = 0; k < count; k++)
        small_rod(&s, names[k], br_vec3_of(0, -k - 1, 0), br_vec3_of(0, -k - 1, 0));
    for (int k = 0; k < count; k++) small_pin(&s, pins[k], k ? names[k - 1] : BR_WORLD, names[k], 0, -k);
    small_end(&s);
    return s;
}

static void pendulum_swings_at_sqrt_g_over_l(void **state) {
    (void)state;
    small_model s = hanging(1, BR_REDUCED);
    const spectrum x = eigenvalues(&s);
    assert_int_equal(x.count, 2);
    assert_near(x.imaginary[1], sqrt(9.81), 1e-9);
    assert_near(x.imaginary[0], -sqrt(9.81), 1e-9);
    assert_near(x.real[0], 0, 1e-9);
    small_free(&s);
    // Upright: one root grows as fast as the other decays.
    s = hanging(1, BR_REDUCED);
    br_error error = {0};
    const double q = BR_PI, v = 0;
    small_check(br_sim_set_state(s.sim, 0, &q, &v, &error), &error);
    const spectrum y = eigenvalues(&s);
    assert_near(fmax(y.real[0], y.real[1]), sqrt(9.81), 1e-9);
    assert_near(y.real[0] + y.real[1], 0, 1e-9);
    small_free(&s);
}

// Equal masses and lengths: omega^2 = (2 -+ sqrt 2) g/l.
static void double_pendulum_has_two_modes(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        small_model s = hanging(2, c ? BR_ABSOLUTE : BR_REDUCED);
        const spectrum x = eigenvalues(&s);
        assert_int_equal(x.count, 4);
        assert_near(x.imaginary[2], sqrt(9.81 * (2 - sqrt(2))), 1e-9);
        assert_near(x.imaginary[3], sqrt(9.81 * (2 + sqrt(2))), 1e-9);
        small_free(&s);
    }
}

static void spring_and_damper(void **state) {
    (void)state;
    static const double damping[] = {2, 50};
    for (int k = 0; k < 2; k++) {
        small_model s = small_begin(BR_STEPPER_REFERENCE);
        small_rod(&s, "block", br_vec3_zero(), br_vec3_zero());
        br_joint_def def = small_joint(&s, "slide", BR_JOINT_PRISMATIC, BR_WORLD, "block", br_vec3_zero(),
                                       br_vec3_of(1, 0, 0));
        def.stiffness[0] = 100, def.damping[0] = damping[k];
        small_add_joint(&s, &def);
        small_end(&s);
        const spectrum x = eigenvalues(&s);
        assert_int_equal(x.count, 2);
        if (k == 0) {
            assert_near(x.real[0], -1, 1e-9);
            assert_near(x.imaginary[1], sqrt(99), 1e-9);
        } else {
            assert_near(fmin(x.real[0], x.real[1]), -25 - sqrt(525), 1e-9);
            assert_near(fmax(x.real[0], x.real[1]), -25 + sqrt(525), 1e-9);
        }
        small_free(&s);
    }
}

// A parallelogram of three rods of 1 kg and 1 m hanging from two points swings as one pendulum: I = 2/3 + 1, and the
// weight's moment is (2/2 + 1) g.
static void parallelogram_swings_as_one(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        small_model s = small_begin(BR_STEPPER_CONTACT);
        s.settings.coordinates = c ? BR_ABSOLUTE : BR_REDUCED;
        small_rod(&s, "left", br_vec3_of(0, 0, 0), br_vec3_of(0, -1, 0));
        small_rod(&s, "right", br_vec3_of(1, 0, 0), br_vec3_of(1, -1, 0));
        small_rod(&s, "bar", br_vec3_of(0, -1, 0), br_vec3_of(1, -1, 0));
        small_pin(&s, "pin_left", BR_WORLD, "left", 0, 0);
        small_pin(&s, "pin_right", BR_WORLD, "right", 1, 0);
        small_pin(&s, "knee", "left", "bar", 0, -1);
        small_pin(&s, "closing", "bar", "right", 1, -1);
        small_end(&s);
        const spectrum x = eigenvalues(&s);
        assert_int_equal(x.count, 2);
        assert_near(x.imaginary[1], sqrt(2 * 9.81 / (5.0 / 3.0)), 1e-8);
        assert_near(x.real[1], 0, 1e-8);
        small_free(&s);
    }
}

// A sleeping top in body axes: A th'' = m g l th + (2 A - C) s J th' + (C - A) s^2 th, so that with z = x + iy the roots
// are i (p - s), p the precessions of A p^2 - C s p + m g l = 0; and a pair of zeros for the spin itself.
static void sleeping_top_precesses(void **state) {
    (void)state;
    const double A = 0.5, C = 0.4, m = 2, l = 0.3, g = 9.81, spin = 20;
    small_model s = small_begin(BR_STEPPER_CONTACT);
    br_error error = {0};
    s.settings.planar = BR_SPATIAL;
    s.settings.gravity = br_vec3_of(0, 0, -g);
    small_check(br_builder_settings(s.builder, &s.settings, &error), &error);
    br_body_def body = br_default_body_def();
    body.name = "top", body.mass = m;
    body.com = br_vec3_of(0, 0, l);
    body.inertia = br_sym3_of(A - m * l * l, A - m * l * l, C, 0, 0, 0);
    small_check(br_builder_body(s.builder, &body, &error), &error);
    br_joint_def tip = br_default_joint_def();
    tip.name = "tip", tip.type = BR_JOINT_SPHERICAL, tip.first = BR_WORLD, tip.second = "top";
    tip.has_velocity = 1, tip.velocity[2] = spin;
    small_add_joint(&s, &tip);
    small_end(&s);
    const spectrum x = eigenvalues(&s);
    assert_int_equal(x.count, 6);
    const double root = sqrt(C * C * spin * spin - 4 * A * m * g * l);
    const double slow = (C * spin - root) / (2 * A) - spin, fast = (C * spin + root) / (2 * A) - spin;
    assert_near(x.imaginary[5], fmax(fabs(slow), fabs(fast)), 1e-7);
    assert_near(x.imaginary[4], fmin(fabs(slow), fabs(fast)), 1e-7);
    assert_near(x.imaginary[3], 0, 1e-5);
    for (int k = 0; k < 6; k++) assert_near(x.real[k], 0, 1e-5);
    small_free(&s);
}

static void driven_joint_has_no_mode(void **state) {
    (void)state;
    small_model s = small_begin(BR_STEPPER_CONTACT);
    small_four_bar(&s);
    small_drive(&s, BR_DRIVE_POSITION, "motor", small_expression("2*t"));
    small_end(&s);
    assert_int_equal(eigenvalues(&s).count, 0);
    small_free(&s);
}

static void too_little_room_is_refused(void **state) {
    (void)state;
    small_model s = hanging(2, BR_REDUCED);
    double x[4];
    int count = -1;
    br_error error = {0};
    assert_int_equal(br_sim_linearize(s.sim, x, x, 3, &count, &error), BR_INVALID);
    assert_string_equal(error.code, "linearize-capacity");
    assert_int_equal(count, -1);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_swings_at_sqrt_g_over_l),
        cmocka_unit_test(double_pendulum_has_two_modes),
        cmocka_unit_test(spring_and_damper),
        cmocka_unit_test(parallelogram_swings_as_one),
        cmocka_unit_test(sleeping_top_precesses),
        cmocka_unit_test(driven_joint_has_no_mode),
        cmocka_unit_test(too_little_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
