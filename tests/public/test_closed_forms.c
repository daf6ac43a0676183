// Scenes whose motion is known in closed form: loads, drives, couplings, a nonholonomic constraint, a
// distance.
#include "elliptic.h"
#include "scene.h"

#define EXACT 1e-7 // of order one: what a relative tolerance of 1e-11 leaves, with room

static const char *const both[] = {SCENE_REFERENCE, SCENE_REFERENCE ";coordinates=absolute"};

// A point mass on a massless rod, let go from the horizontal.
static void distance_is_a_pendulum(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene s = scene_open("adams/distance.yaml", both[c]);
        for (int k = 1; k <= 10; k++) {
            scene_advance(&s, 0.5 * k);
            const double angle = pendulum_angle(BR_PI / 2, sqrt(9.80665 / 2), 0.5 * k);
            const br_vec3 p = br_sim_body_pose(s.sim, 0).position;
            assert_vec3_near(p, br_vec3_of(0, 2 * sin(angle), -2 * cos(angle)), EXACT);
            assert_near(br_vec3_norm(br_sim_body_twist(s.sim, 0).angular), 0, 1e-9);
        }
        scene_close(&s);
    }
}

static void rack_falls_with_the_pinion(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene s = scene_open("adams/rack_pinion.yaml", both[c]);
        scene_advance(&s, 2.0);
        const double a = 9.80665 / 41;
        assert_near(br_sim_body_pose(s.sim, scene_body(&s, "rack")).position.z, -0.5 * a * 4, EXACT);
        assert_near(br_sim_body_twist(s.sim, scene_body(&s, "pinion")).angular.x, a / 0.05 * 2, EXACT);
        scene_close(&s);
    }
}

// Chaplygin's sleigh: u = u* tanh(x), w = w* / cosh(x), x = l t + x0; heading = w*/l (gd(x) - gd(x0)).
static void sleigh_straightens_out(void **state) {
    (void)state;
    const double m = 2, a = 0.2, J = m / 12 * (0.8 * 0.8 + 0.3 * 0.3) + m * a * a, u0 = 0.5, w0 = 3;
    const double u_end = sqrt(u0 * u0 + J / m * w0 * w0), w_end = u_end * sqrt(m / J);
    const double l = m * a / J * u_end, x0 = atanh(u0 / u_end);
    for (int c = 0; c < 2; c++) {
        scene s = scene_open("loads/sleigh.yaml", both[c]);
        for (int k = 1; k <= 5; k++) {
            const double t = 0.4 * k, x = l * t + x0;
            scene_advance(&s, t);
            const br_pose X = br_sim_body_pose(s.sim, 0);
            const br_twist V = br_sim_body_twist(s.sim, 0); // at the blade
            const double heading = w_end / l * (atan(sinh(x)) - atan(sinh(x0)));
            assert_near(V.angular.z, w_end / cosh(x), EXACT);
            assert_near(br_vec3_dot(V.linear, br_pose_vector(X, br_vec3_unit(0))), u_end * tanh(x), EXACT);
            assert_near(br_vec3_dot(V.linear, br_pose_vector(X, br_vec3_unit(1))), 0, 1e-9);
            assert_near(br_quat_angle(X.rotation, br_quat_from_axis_angle(br_vec3_unit(2), heading)), 0,
                        EXACT);
        }
        scene_close(&s);
    }
}

static void table_force_integrates(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene s = scene_open("loads/tables.yaml", both[c]);
        scene_advance(&s, 4.0);
        assert_near(scene_joint_velocity(&s, "rail_a"), 4, EXACT);
        assert_near(scene_joint_position(&s, "rail_a"), 10, EXACT);
        scene_close(&s);
    }
}

// x'' + c x' + k x = A sin(2 t) from rest.
static void expression_force_is_a_driven_oscillator(void **state) {
    (void)state;
    const double c = 0.5, k = 20, A = 3, r = k - 4, d = 2 * c;
    const double sine = A * r / (r * r + d * d), cosine = -A * d / (r * r + d * d); // steady part
    const double w = sqrt(k - c * c / 4), p = -cosine, q = (-2 * sine + c / 2 * p) / w;
    for (int m = 0; m < 2; m++) {
        scene s = scene_open("loads/expressions.yaml", both[m]);
        for (int i = 1; i <= 5; i++) {
            const double t = i;
            scene_advance(&s, t);
            assert_near(scene_joint_position(&s, "guide"),
                        sine * sin(2 * t) + cosine * cos(2 * t) +
                            exp(-c / 2 * t) * (p * cos(w * t) + q * sin(w * t)),
                        EXACT);
        }
        scene_close(&s);
    }
}

static void crank_moves_the_piston(void **state) {
    (void)state;
    static const char *const steppers[] = {SCENE_REFERENCE, SCENE_REFERENCE ";coordinates=absolute",
                                           "solver.stepper=kinematic", SCENE_CONTACT};
    const double r = 0.05, l = 0.15, speed = 3000 * 2 * BR_PI / 60;
    for (int m = 0; m < 4; m++) {
        scene s = scene_open("loads/crank.yaml", steppers[m]);
        for (int k = 1; k <= 8; k++) {
            const double t = 0.0025 * k, a = speed * t, root = sqrt(l * l - r * r * sin(a) * sin(a));
            scene_advance(&s, t);
            assert_near(scene_joint_position(&s, "main"), a, 1e-9 * a);
            assert_near(scene_joint_position(&s, "cylinder"), r * cos(a) + root - r - l, 1e-9);
            assert_near(scene_joint_velocity(&s, "cylinder"),
                        -speed * (r * sin(a) + r * r * sin(a) * cos(a) / root), 1e-7);
        }
        scene_close(&s);
    }
}

static void velocity_motors_are_followed(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        scene s = scene_open("loads/velocity_motor.yaml", both[m]);
        for (int k = 1; k <= 4; k++) {
            const double t = 0.5 * k;
            scene_advance(&s, t);
            assert_near(scene_joint_velocity(&s, "pivot"), 3 * (1 - exp(-2 * t)), 1e-9);
            assert_near(scene_joint_position(&s, "pivot"), 3 * (t - 0.5 * (1 - exp(-2 * t))), EXACT);
            assert_near(scene_joint_position(&s, "mast"), 1 - exp(-2 * t), EXACT);
        }
        scene_close(&s);
    }
}

static void gears_share_the_torque(void **state) {
    (void)state;
    const double c = 0.01, J = 4 * 0.00125 + 0.01 + 0.36 / 9; // as seen by shaft_2
    for (int m = 0; m < 2; m++) {
        scene s = scene_open("loads/gears.yaml", both[m]);
        scene_advance(&s, 2.0);
        const double w2 = -2 * 2 / c * (1 - exp(-c / J * 2));
        assert_near(scene_joint_velocity(&s, "shaft_2"), w2, 1e-6);
        assert_near(scene_joint_velocity(&s, "shaft_1"), -2 * w2, 1e-6);
        assert_near(scene_joint_velocity(&s, "shaft_3"), w2 / 3, 1e-6);
        scene_close(&s);
    }
}

static void screw_lifts(void **state) {
    (void)state;
    const double p = 0.005 / (2 * BR_PI), I = 0.5 * 4 * 0.03 * 0.03;
    const double acceleration = (0.06 - 4 * 9.81 * p) / (I + 4 * p * p);
    for (int m = 0; m < 2; m++) {
        scene s = scene_open("loads/screw.yaml", both[m]);
        scene_advance(&s, 1.0);
        assert_near(scene_joint_position(&s, "spindle"), 0.5 * acceleration, EXACT);
        assert_near(br_sim_body_pose(s.sim, 0).position.z, 0.5 * acceleration * p, EXACT);
        scene_close(&s);
    }
}

// Against a fourth-order Runge-Kutta of the one-DOF equation (2 m g cos a - k a - c a') / (4 m + I).
static void torsional_spring_pendulum(void **state) {
    (void)state;
    const double k = 180 / BR_PI, c = 0.05 * k, J = 4.1, h = 1e-4;
    double x[2] = {0, 0};
    for (int i = 0; i < 20000; i++) {
        double sum[2] = {0, 0}, y[2] = {x[0], x[1]};
        for (int stage = 0; stage < 4; stage++) {
            const double dy[2] = {y[1], (2 * 9.80665 * cos(y[0]) - k * y[0] - c * y[1]) / J};
            const double weight = stage == 0 || stage == 3 ? h / 6 : h / 3, next = stage == 2 ? h : h / 2;
            for (int j = 0; j < 2; j++) {
                sum[j] += weight * dy[j];
                y[j] = x[j] + next * dy[j];
            }
        }
        for (int j = 0; j < 2; j++) x[j] += sum[j];
    }
    for (int m = 0; m < 2; m++) {
        scene s = scene_open("adams/rot_spring.yaml", both[m]);
        scene_advance(&s, 2.0);
        assert_near(scene_joint_position(&s, "joint"), x[0], EXACT);
        assert_near(scene_joint_velocity(&s, "joint"), x[1], EXACT);
        scene_close(&s);
    }
}

static void limits_are_not_passed(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        scene s = scene_open("loads/limits.yaml", m ? "coordinates=absolute" : "");
        for (int k = 1; k <= 100; k++) {
            scene_advance(&s, 0.01 * k);
            const double a = scene_joint_position(&s, "pivot"), z = scene_joint_position(&s, "rail");
            assert_true(a > -50 * BR_PI / 180 - 1e-6 && a < 30 * BR_PI / 180 + 1e-6);
            assert_true(z > -0.4 - 1e-6 && z < 0.2 + 1e-6);
        }
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_a_pendulum),
        cmocka_unit_test(rack_falls_with_the_pinion),
        cmocka_unit_test(sleigh_straightens_out),
        cmocka_unit_test(table_force_integrates),
        cmocka_unit_test(expression_force_is_a_driven_oscillator),
        cmocka_unit_test(crank_moves_the_piston),
        cmocka_unit_test(velocity_motors_are_followed),
        cmocka_unit_test(gears_share_the_torque),
        cmocka_unit_test(screw_lifts),
        cmocka_unit_test(torsional_spring_pendulum),
        cmocka_unit_test(limits_are_not_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
