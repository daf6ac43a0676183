// Joint friction in the contact stepper: closed forms of sticking and sliding, loads that follow reactions, and the promises
// every stepper gives (restart, coordinates, energy).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "small_models.h"

static double channel(small_model *s, const char *name) {
    br_channel c;
    double value = 0.0;
    br_error error = {0};
    small_check(br_sim_channel_find(s->sim, name, &c, &error), &error);
    small_check(br_sim_channel_read(s->sim, &c, &value, &error), &error);
    return value;
}

static br_friction_def coulomb(double mu_static, double mu_kinetic) {
    return (br_friction_def){.law = BR_FRICTION_COULOMB, .mu_static = mu_static, .mu_kinetic = mu_kinetic};
}

static void load_force(small_model *s, const char *name, const char *body, br_function_def x,
                       br_function_def y) {
    br_load_def def = br_default_load_def();
    br_error error = {0};
    def.name = name, def.type = BR_LOAD_FORCE, def.first = body, def.component[0] = x, def.component[1] = y;
    small_check(br_builder_load(s->builder, &def, &error), &error);
}

// The largest part of the energy that the books do not explain, of what went through them.
static void assert_books_close(small_model *s) {
    const br_ledger l = br_sim_ledger(s->sim);
    const double through = fabs(l.input) + fabs(l.friction) + fabs(l.damping) + fabs(l.scheme) +
                           fabs(l.now.total - l.start.total) + 1e-12;
    assert_true(fabs(l.unaccounted) <= 1e-9 * through); // solves are exact to about 1e-11
}

// --- a block on an incline ---------------------------------------------------------------------------------

static small_model incline(double degrees, br_friction_def friction, double theta,
                           br_coordinates coordinates) {
    small_model s = small_begin(BR_STEPPER_CONTACT);
    const double a = degrees * BR_PI / 180.0;
    s.settings.solver.theta = theta;
    s.settings.solver.step = 1e-3;
    s.settings.coordinates = coordinates;
    small_block(&s, "block", br_vec3_of(0, 0, 0));
    br_joint_def slide = small_joint(&s, "slide", BR_JOINT_PRISMATIC, BR_WORLD, "block", br_vec3_of(0, 0, 0),
                                     br_vec3_of(cos(a), sin(a), 0));
    slide.friction = friction;
    small_add_joint(&s, &slide);
    small_end(&s);
    return s;
}

static void incline_sticks_below_mu_static(void **state) {
    (void)state;
    const double just = atan(0.5) * 180.0 / BR_PI;
    for (int k = 0; k < 2; k++) {
        small_model s = incline(just * (1.0 - 1e-6), coulomb(0.5, 0.3), k ? 0.5 : 1.0, BR_REDUCED);
        small_advance(&s, 1.0);
        // Bristles of next to no compliance bend by about 1e-9 of what the block would fall in a step, once.
        assert_true(fabs(small_position(&s, "slide")) < 1e-13);
        assert_true(fabs(small_velocity(&s, "slide")) < 1e-15);
        const double N = 9.81 * cos(just * BR_PI / 180.0);
        assert_near(channel(&s, "slide.normal"), N, 1e-5);
        assert_near(channel(&s, "slide.friction.force"), 0.5 * N, 1e-5);
        small_free(&s);
    }
}

static void incline_slides_above_with_mu_kinetic(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        small_model s = incline(28.0, coulomb(0.5, 0.3), k % 2 ? 0.5 : 1.0, k < 2 ? BR_REDUCED : BR_ABSOLUTE);
        small_advance(&s, 0.001);
        const double a = 28.0 * BR_PI / 180.0, first = -9.81 * (sin(a) - 0.5 * cos(a));
        assert_near(small_velocity(&s, "slide"), 1e-3 * first, 1e-12); // the step that breaks away: mu_static
        small_advance(&s, 1.0);
        const double rate = -9.81 * (sin(a) - 0.3 * cos(a));
        assert_near(small_velocity(&s, "slide"), 1e-3 * first + 0.999 * rate, 1e-9);
        assert_books_close(&s);
        small_free(&s);
    }
}

// --- pins --------------------------------------------------------------------------------------------------

static br_friction_def pin_friction(double mu, double radius) {
    br_friction_def f = coulomb(mu, mu);
    f.pin_radius = radius;
    return f;
}

// A uniform rod of 1 m, 1 kg on a pin of radius r, at an angle from hanging down.
static small_model pendulum(double angle, br_friction_def friction, double theta) {
    small_model s = small_begin(BR_STEPPER_CONTACT);
    s.settings.solver.theta = theta;
    s.settings.solver.step = 1e-3;
    small_rod(&s, "rod", br_vec3_of(0, 0, 0), br_vec3_of(sin(angle), -cos(angle), 0));
    br_joint_def pin =
        small_joint(&s, "pin", BR_JOINT_REVOLUTE, BR_WORLD, "rod", br_vec3_of(0, 0, 0), br_vec3_of(0, 0, 1));
    pin.friction = friction;
    small_add_joint(&s, &pin);
    small_end(&s);
    return s;
}

// At rest the pin carries m g: it holds while (l/2) sin(angle) <= mu r.
static void pendulum_stays_within_its_friction_angle(void **state) {
    (void)state;
    const double angle = asin(2.0 * 0.4 * 0.05);
    small_model s = pendulum(0.9999 * angle, pin_friction(0.4, 0.05), 1.0);
    small_advance(&s, 1.0);
    assert_near(small_position(&s, "pin"), 0.0, 1e-11);
    assert_near(channel(&s, "pin.normal"), 9.81, 1e-9);
    assert_near(channel(&s, "pin.friction.torque"), 9.81 * 0.5 * sin(0.9999 * angle), 1e-9);
    small_free(&s);
    s = pendulum(1.0001 * angle, pin_friction(0.4, 0.05), 1.0);
    small_advance(&s, 1.0);
    assert_near(small_position(&s, "pin"), -2e-4 * angle,
                1e-5 * angle); // past its friction angle, as far as it began beyond
    small_free(&s);
}

// I a = -m g (l/2) sin(q) - mu r N, with N = |m (g + what the centre of mass accelerates)|: solved here by bisection.
static double swinging(double q, double w, double mu, double r) {
    const double g = 9.81, l = 0.5, I = 1.0 / 3.0;
    double low = -1000.0, high = 1000.0;
    for (int k = 0; k < 200; k++) {
        const double a = 0.5 * (low + high);
        const double along = w * w * l + g * cos(q), across = a * l + g * sin(q);
        const double N = hypot(along, across);
        if (I * a + g * l * sin(q) + mu * r * N > 0.0)
            high = a;
        else
            low = a;
    }
    return low;
}

static void pendulum_swings_as_its_pin_force_says(void **state) {
    (void)state;
    small_model s = pendulum(1.0, pin_friction(0.5, 0.2), 1.0);
    br_error error = {0};
    for (double w = 0.5; w < 20.0; w *= 3.0) {
        const double q = 0.0;
        small_check(br_sim_set_state(s.sim, 0.0, &q, &w, &error), &error);
        small_check(br_sim_step(s.sim, &error), &error);
        // One step of theta 1 takes forces at its start, but friction is that of its own acceleration.
        assert_near((small_velocity(&s, "pin") - w) / 1e-3, swinging(1.0, w, 0.5, 0.2), 1e-7 * (1.0 + w * w));
    }
    small_free(&s);
}

// A flywheel on a torsion spring, constant friction torque T: every half swing loses 2 T/k, then it stays.
static void constant_load_loses_the_same_each_half_swing(void **state) {
    (void)state;
    small_model s = small_begin(BR_STEPPER_CONTACT);
    s.settings.gravity = br_vec3_zero();
    s.settings.solver.theta = 0.5;
    s.settings.solver.step = 1e-3;
    small_block(&s, "wheel", br_vec3_of(0, 0, 0)); // 0.01 kg m^2
    br_joint_def pin = small_joint(&s, "pin", BR_JOINT_REVOLUTE, BR_WORLD, "wheel", br_vec3_of(0, 0, 0),
                                   br_vec3_of(0, 0, 1));
    pin.friction = coulomb(0.25, 0.25);
    pin.friction.load_constant = 1, pin.friction.load = 0.4; // without a radius: a torque of 0.1 N m
    pin.stiffness[0] = 1.0, pin.rest[0] = -1.05;
    small_add_joint(&s, &pin);
    small_end(&s);
    const double half = BR_PI / 10.0; // sqrt(k/I) = 10
    double from = 1.05;
    for (int k = 1; k <= 5; k++) {
        small_advance(&s, k * half);
        const double q = small_position(&s, "pin") + 1.05;
        from -= 0.2;
        assert_near(fabs(q), from, 3e-5); // second order: (10 h)^2/12 of the phase, and the turning step
    }
    small_advance(&s, 3.0);
    assert_near(small_position(&s, "pin") + 1.05, -0.05, 2e-4); // |0.05| < T/k: it stays
    assert_near(small_velocity(&s, "pin"), 0.0, 1e-15);
    assert_near(channel(&s, "pin.friction.torque"), -0.05, 2e-4);
    assert_books_close(&s);
    small_free(&s);
}

// --- several directions ------------------------------------------------------------------------------------

static small_model on_joint(br_joint_type type, br_friction_def friction, br_vec3 gravity, br_vec3 axis,
                            const double *velocity, double theta) {
    small_model s = small_begin(BR_STEPPER_CONTACT);
    s.settings.planar = BR_SPATIAL;
    s.settings.gravity = gravity;
    s.settings.solver.theta = theta;
    s.settings.solver.step = 1e-3;
    small_block(&s, "block", br_vec3_of(0, 0, 0)); // 1 kg, 0.01 kg m^2
    br_joint_def joint = small_joint(&s, "joint", type, BR_WORLD, "block", br_vec3_of(0, 0, 0), axis);
    joint.friction = friction;
    joint.has_velocity = velocity != NULL;
    for (int k = 0; velocity && k < br_joint_type_velocities(type); k++) joint.velocity[k] = velocity[k];
    small_add_joint(&s, &joint);
    small_end(&s);
    return s;
}

static br_friction_def constant_load(double mu, double load, double radius) {
    br_friction_def f = coulomb(mu, mu);
    f.load_constant = 1, f.load = load, f.pin_radius = radius;
    return f;
}

// r^2 m = I: slip along and about the axis loses speed at the same rate, in one direction, and both end together.
static void cylindrical_joint_slides_straight(void **state) {
    (void)state;
    const double start[] = {0.3, 4.0}; // m/s, and r omega = 0.4 m/s
    for (int k = 0; k < 2; k++) {
        small_model s = on_joint(BR_JOINT_CYLINDRICAL, constant_load(0.5, 2.0, 0.1), br_vec3_zero(),
                                 br_vec3_of(1, 2, 2), start, k ? 0.5 : 1.0);
        double v[BR_MAX_JOINT_V];
        small_advance(&s, 0.3);
        br_sim_joint_velocity(s.sim, 0, v);
        assert_near(v[0], 0.3 * 0.4, 1e-10); // 0.5 m/s less 1 m/s^2 times 0.3 s
        assert_near(v[1], 4.0 * 0.4, 1e-9);
        assert_near(channel(&s, "joint.friction.force"), -0.6, 1e-9);
        assert_near(channel(&s, "joint.friction.torque"), -0.08, 1e-10);
        small_advance(&s, 0.6);
        br_sim_joint_velocity(s.sim, 0, v);
        assert_near(v[0], 0.0, 1e-15);
        assert_near(v[1], 0.0, 1e-14);
        assert_near(small_position(&s, "joint"), 0.5 * 0.25 * 0.6, k ? 1e-9 : 2e-4); // first order: v0 h/2
        assert_books_close(&s);
        small_free(&s);
    }
}

static void ball_joint_stops_about_its_axis(void **state) {
    (void)state;
    const double start[] = {3.0, -2.0, 6.0}; // 7 rad/s
    small_model s = on_joint(BR_JOINT_SPHERICAL, constant_load(0.5, 2.0, 0.1), br_vec3_zero(),
                             br_vec3_of(0, 0, 1), start, 0.5);
    double v[BR_MAX_JOINT_V];
    small_advance(&s, 0.4); // 0.1 N m on 0.01 kg m^2: 10 rad/s^2
    br_sim_joint_velocity(s.sim, 0, v);
    for (int k = 0; k < 3; k++) assert_near(v[k], start[k] * 3.0 / 7.0, 1e-9);
    small_advance(&s, 0.8);
    br_sim_joint_velocity(s.sim, 0, v);
    for (int k = 0; k < 3; k++) assert_near(v[k], 0.0, 1e-14);
    assert_books_close(&s);
    small_free(&s);
}

// A block on a plane: the disk of friction holds alike in every direction.
static void planar_joint_has_a_disk(void **state) {
    (void)state;
    const double stays = atan(0.5) - 1e-5, goes = atan(0.5) + 1e-2;
    for (double heading = 0.0; heading < 1.6; heading += 0.26) {
        for (int k = 0; k < 2; k++) {
            const double a = k ? goes : stays;
            const br_vec3 g =
                br_vec3_of(9.81 * sin(a) * cos(heading), 9.81 * sin(a) * sin(heading), -9.81 * cos(a));
            small_model s = on_joint(BR_JOINT_PLANAR, coulomb(0.5, 0.5), g, br_vec3_of(0, 0, 1), NULL, 1.0);
            double v[BR_MAX_JOINT_V];
            small_advance(&s, 0.5);
            br_sim_joint_velocity(s.sim, 0, v);
            const double rate = k ? 9.81 * (sin(a) - 0.5 * cos(a)) : 0.0;
            const double speed = br_vec3_norm(br_sim_body_twist(s.sim, 0).linear);
            assert_near(speed, 0.5 * rate, k ? 1e-9 : 1e-14);
            if (k) {
                const br_vec3 d = br_vec3_normalize(br_sim_body_twist(s.sim, 0).linear);
                assert_near(d.x, cos(heading), 1e-9);
                assert_near(d.y, sin(heading), 1e-9);
            }
            assert_true(br_sim_ledger(s.sim).cone_violation < 1e-8);
            small_free(&s);
        }
    }
}

// Across the slope at first, it turns downhill: friction opposes the slip at every moment. d(heading)/dt and the speed are known
// for mu = tan(slope): v (1 + cos(heading)) stays, so it ends straight downhill at half its speed.
static void planar_joint_turns_downhill(void **state) {
    (void)state;
    const double a = atan(0.5);
    const br_vec3 g = br_vec3_of(0.0, -9.81 * sin(a), -9.81 * cos(a));
    const double start[] = {1.0, 0.0, 0.0};
    small_model s = on_joint(BR_JOINT_PLANAR, coulomb(0.5, 0.5), g, br_vec3_of(0, 0, 1), start, 0.5);
    for (double t = 0.05; t < 3.0; t += 0.2) {
        small_advance(&s, t);
        const br_vec3 v = br_sim_body_twist(s.sim, 0).linear;
        const double speed = br_vec3_norm(v);
        // Velocity downhill is -v.y; the start is across the slope, so the constant is its speed.
        assert_near(speed - v.y, br_vec3_norm(br_vec3_of(1, 0, 0)), 2e-5); // second order in h g/v
    }
    assert_books_close(&s);
    small_free(&s);
}

// A nut of 1 kg on a vertical thread of radius r: it stays where the lead angle is below atan(mu).
static void screw_locks_itself_below_its_lead_angle(void **state) {
    (void)state;
    const double r = 0.01, lead = atan(0.2);
    for (int k = 0; k < 2; k++) {
        small_model s = small_begin(BR_STEPPER_CONTACT);
        s.settings.planar = BR_SPATIAL;
        s.settings.gravity = br_vec3_of(0, 0, -9.81);
        s.settings.solver.step = 1e-3;
        small_block(&s, "nut", br_vec3_of(0, 0, 0));
        br_joint_def screw = small_joint(&s, "screw", BR_JOINT_SCREW, BR_WORLD, "nut", br_vec3_of(0, 0, 0),
                                         br_vec3_of(0, 0, 1));
        screw.pitch = 2.0 * BR_PI * r * tan(lead);
        screw.friction = pin_friction(k ? 0.2 * 0.999 : 0.2 * 1.001, r);
        small_add_joint(&s, &screw);
        small_end(&s);
        small_advance(&s, 1.0);
        if (k)
            assert_true(fabs(small_position(&s, "screw")) > 1e-5);
        else
            assert_true(fabs(small_position(&s, "screw")) < 1e-8);
        small_free(&s);
    }
}

// --- laws --------------------------------------------------------------------------------------------------

static void smooth_law_creeps_and_coulomb_does_not(void **state) {
    (void)state;
    br_friction_def smooth = {
        .law = BR_FRICTION_SMOOTH, .mu_static = 0.5, .mu_kinetic = 0.3, .v_slope = 1e-4};
    const double a = 20.0 * BR_PI / 180.0;
    small_model s = incline(20.0, smooth, 1.0, BR_REDUCED);
    small_advance(&s, 1.0);
    assert_near(small_velocity(&s, "slide"), -1e-4 * tan(a) / 0.5, 1e-14);
    assert_near(br_sim_ledger(s.sim).creep, 1e-4 * tan(a) / 0.5, 1e-10);
    small_free(&s);
    s = incline(20.0, coulomb(0.5, 0.3), 1.0, BR_REDUCED);
    small_advance(&s, 1.0);
    assert_true(br_sim_ledger(s.sim).creep <
                1e-9); // what bristles of next to no compliance bend in the first step
    assert_near(small_velocity(&s, "slide"), 0.0, 1e-18);
    small_free(&s);
}

static void every_law_slides_with_its_coefficient(void **state) {
    (void)state;
    const double a = 35.0 * BR_PI / 180.0, rate = -9.81 * (sin(a) - 0.3 * cos(a));
    const br_friction_def laws[] = {
        {.law = BR_FRICTION_COULOMB, .mu_static = 0.5, .mu_kinetic = 0.3},
        {.law = BR_FRICTION_SMOOTH, .mu_static = 0.5, .mu_kinetic = 0.3, .v_slope = 1e-4},
        {.law = BR_FRICTION_SMOOTH,
         .shape = "stribeck_smooth",
         .mu_static = 0.5,
         .mu_kinetic = 0.3,
         .v_slope = 1e-4},
        {.law = BR_FRICTION_SMOOTH, .shape = "tanh", .mu_static = 0.3, .mu_kinetic = 0.3, .v_slope = 1e-4},
        {.law = BR_FRICTION_SMOOTH, .shape = "arctan", .mu_static = 0.3, .mu_kinetic = 0.3, .v_slope = 1e-6},
        {.law = BR_FRICTION_SMOOTH,
         .shape = "saturation",
         .mu_static = 0.3,
         .mu_kinetic = 0.3,
         .v_slope = 1e-4},
        {.law = BR_FRICTION_SMOOTH,
         .shape = "exponential",
         .mu_static = 0.5,
         .mu_kinetic = 0.3,
         .v_slope = 1e-4},
        {.law = BR_FRICTION_DAHL, .mu_static = 0.3, .mu_kinetic = 0.3, .sigma_0 = 1e5},
        {.law = BR_FRICTION_LUGRE, .mu_static = 0.5, .mu_kinetic = 0.3, .sigma_0 = 1e5, .sigma_1 = 100.0},
        {.law = BR_FRICTION_BRISTLE, .mu_static = 0.5, .mu_kinetic = 0.3, .sigma_0 = 1e5},
        {.law = BR_FRICTION_BRISTLE, .mu_static = 0.5, .mu_kinetic = 0.3},
    };
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        small_model s = incline(35.0, laws[k], k % 2 ? 0.5 : 1.0, BR_REDUCED);
        small_advance(&s, 0.5);
        const double v = small_velocity(&s, "slide");
        small_advance(&s, 1.0);
        // Sliding for half a second: arctan is still 2/pi v_slope/v from its limit, 3e-7 of it here.
        assert_near(small_velocity(&s, "slide") - v, 0.5 * rate, 2e-6);
        assert_books_close(&s);
        small_free(&s);
    }
}

// Pushed by a force below its limit, a bristle bends and no more: F/(N sigma_0).
static void bristles_bend_before_they_slide(void **state) {
    (void)state;
    const double a = 10.0 * BR_PI / 180.0;
    const br_friction_def bristle = {
        .law = BR_FRICTION_BRISTLE, .mu_static = 0.5, .mu_kinetic = 0.3, .sigma_0 = 1e4};
    const br_friction_def lugre = {
        .law = BR_FRICTION_LUGRE, .mu_static = 0.5, .mu_kinetic = 0.3, .sigma_0 = 1e4, .sigma_1 = 200.0};
    const br_friction_def dahl = {
        .law = BR_FRICTION_DAHL, .mu_static = 0.5, .mu_kinetic = 0.5, .sigma_0 = 1e4};
    br_friction_def compliant = coulomb(0.5, 0.3);
    compliant.compliance = 1e-5;
    small_model s = incline(10.0, bristle, 1.0, BR_REDUCED);
    small_advance(&s, 2.0);
    assert_near(small_position(&s, "slide"), -tan(a) / 1e4, 1e-9);
    small_free(&s);
    s = incline(10.0, compliant, 1.0, BR_REDUCED);
    small_advance(&s, 2.0);
    assert_near(small_position(&s, "slide"), -9.81 * sin(a) * 1e-5, 1e-9);
    small_free(&s);
    // mu = mu_k (1 - exp(-sigma x/mu_k)) on the way there; it overshoots, and a loop through a state of rest wears bristles a
    // little: a tenth is what is left of the precision.
    s = incline(10.0, dahl, 1.0, BR_REDUCED);
    small_advance(&s, 0.5);
    assert_true(small_position(&s, "slide") < -tan(a) / 1e4);
    small_free(&s);
    s = incline(10.0, lugre, 1.0, BR_REDUCED);
    small_advance(&s, 0.2);
    assert_true(small_position(&s, "slide") < -tan(a) / 1e4 &&
                small_position(&s, "slide") > -2.0 * tan(a) / 1e4);
    small_free(&s);
}

// --- the two-slider mechanism [Wojtyra2017] -----------------------------------------------------------------

static small_model two_sliders(br_friction_def first, br_friction_def second, br_coordinates coordinates,
                               double theta) {
    static const double t_p[] = {0, 1}, p_x[] = {0, 48}, p_y[] = {0, -20};
    static const double t_1[] = {1, 2}, s_1[] = {5, -5}, t_2[] = {1, 3}, s_2[] = {-60, -20};
    small_model s = small_begin(BR_STEPPER_CONTACT);
    br_error error = {0};
    s.settings.gravity = br_vec3_zero();
    s.settings.coordinates = coordinates;
    s.settings.solver.step = 1e-3;
    s.settings.solver.theta = theta;
    small_check(br_builder_settings(s.builder, &s.settings, &error), &error);
    const char *names[] = {"slider_1", "slider_2", "rod"};
    const double mass[] = {20, 20, 10}, inertia[] = {1, 1, 2}, x[] = {0, 1.2, 0.6}, y[] = {0.5, 0, 0.25};
    for (int k = 0; k < 3; k++) {
        br_body_def def = br_default_body_def();
        def.name = names[k], def.mass = mass[k];
        def.inertia = br_sym3_of(inertia[k], inertia[k], inertia[k], 0, 0, 0);
        def.pose.position = br_vec3_of(x[k], y[k], 0);
        small_check(br_builder_body(s.builder, &def, &error), &error);
    }
    for (int k = 0; k < 2; k++) {
        br_joint_def slide =
            small_joint(&s, k ? "slide_2" : "slide_1", BR_JOINT_PRISMATIC, BR_WORLD, names[k],
                        br_vec3_of(x[k], y[k], 0), k ? br_vec3_of(1, 0, 0) : br_vec3_of(0, 1, 0));
        slide.friction = k ? second : first;
        small_add_joint(&s, &slide);
    }
    small_pin(&s, "pin_1", "slider_1", "rod", 0, 0.5);
    small_pin(&s, "pin_2", "rod", "slider_2", 1.2, 0);
    load_force(&s, "P", "rod", small_table(t_p, p_x, 2), small_table(t_p, p_y, 2));
    load_force(&s, "S1", "slider_1", small_table(t_1, s_1, 2), br_function_constant(0));
    load_force(&s, "S2", "slider_2", br_function_constant(0), small_table(t_2, s_2, 2));
    small_end(&s);
    return s;
}

// F1 = 5 a, N1 = -(12 a + s1), F2 = -12 b, N2 = s2 + 5 b with a + b = p, at rest.
static void assert_balance(small_model *s, double p, double s1, double s2, double mu) {
    const double F1 = channel(s, "slide_1.friction.force"), F2 = channel(s, "slide_2.friction.force");
    const double a = F1 / 5.0, b = -F2 / 12.0;
    assert_near(a + b, p, 1e-6);
    assert_near(channel(s, "slide_1.normal"), fabs(12.0 * a + s1), 1e-5);
    assert_near(channel(s, "slide_2.normal"), fabs(s2 + 5.0 * b), 1e-5);
    assert_true(fabs(F1) <= mu * channel(s, "slide_1.normal") * (1.0 + 1e-8));
    assert_true(fabs(F2) <= mu * channel(s, "slide_2.normal") * (1.0 + 1e-8));
}

// Bristles of equal stiffness share the load so that F1^2 + F2^2 is least: a/b = 144/25, which sticks all the time.
static void two_sliders_with_equal_bristles_stick(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        small_model s = two_sliders(coulomb(0.5, 0.3), coulomb(0.5, 0.3), k ? BR_ABSOLUTE : BR_REDUCED, 1.0);
        for (double t = 0.2; t < 4.1; t += 0.2) {
            const double p = 4.0 * fmin(t, 1.0), s1 = fmax(-5.0, fmin(5.0, 15.0 - 10.0 * t)),
                         s2 = fmax(20.0, fmin(60.0, 80.0 - 20.0 * t));
            small_advance(&s, t);
            assert_balance(&s, p, s1, s2, 0.5);
            assert_near(channel(&s, "slide_1.friction.force"), 5.0 * p * 144.0 / 169.0, 1e-4);
        }
        assert_near(small_position(&s, "slide_1"), 0.0, 1e-10);
        small_free(&s);
    }
}

// Slip acceleration of slider 1 for forces as they are, from the one-degree-of-freedom equation of the mechanism at its start:
// v2 = -5/12 v1, the rod turns with v1/1.2, its centre moves with (v2, v1)/2 [Wojtyra2017 eq. 6].
static double slip_acceleration(double p, double F1, double F2) {
    const double ratio = -5.0 / 12.0, turn = 1.0 / 1.2;
    const double m = 20.0 + 20.0 * ratio * ratio + 10.0 * 0.25 * (1.0 + ratio * ratio) + 2.0 * turn * turn;
    return (F1 + F2 * ratio + p * (12.0 * 0.5 * ratio - 5.0 * 0.5)) / m;
}

static void two_sliders_slide_by_equation_6(void **state) {
    (void)state;
    br_friction_def first = coulomb(0.5, 0.3), second = coulomb(0.5, 0.3);
    first.compliance = 5.76e-9, second.compliance = 1e-9; // a = b: joint 1 reaches its limit at 1.9 s
    for (int k = 0; k < 2; k++) {
        small_model s = two_sliders(first, second, k ? BR_ABSOLUTE : BR_REDUCED, k ? 0.5 : 1.0);
        small_advance(&s, 1.8);
        const double t = k ? 1.7995 : 1.8; // theta 1/2: forces are those of the middle of the step
        assert_balance(&s, 4.0, 15.0 - 10.0 * t, 80.0 - 20.0 * t, 0.5);
        assert_near(small_position(&s, "slide_1"), 0.0, 1e-7); // what the bristles bend
        small_advance(&s, 1.9);
        assert_near(small_velocity(&s, "slide_1"), 0.0, 1e-9);
        small_advance(&s, 1.915);
        const double v = small_velocity(&s, "slide_1");
        assert_true(v < -1e-3);
        assert_true(small_velocity(&s, "slide_2") > 0.0);
        // Kinetic friction now, along the slip, of the loads of the same step.
        const double F1 = channel(&s, "slide_1.friction.force"), F2 = channel(&s, "slide_2.friction.force");
        assert_near(F1, 0.3 * channel(&s, "slide_1.normal"), 1e-6);
        assert_near(F2, -0.3 * channel(&s, "slide_2.normal"), 1e-6);
        small_advance(&s, 1.916);
        const double a = (small_velocity(&s, "slide_1") - v) / 1e-3;
        assert_true(a < -0.1984 && a > -0.2405); // between those of 1.8467 and of 2.575 s
        // Slider 1 has moved by 2e-5 m, slip is 3e-3 m/s: products of velocities are of 1e-5 m/s^2.
        assert_near(a,
                    slip_acceleration(4.0, channel(&s, "slide_1.friction.force"),
                                      channel(&s, "slide_2.friction.force")),
                    1e-4);
        assert_books_close(&s);
        small_free(&s);
    }
}

// The independent program's forces, /work/shared/reference/joints/README.md: gamma equal at 1.5 and 4 s, to 1e-3 N.
static void two_sliders_creep_with_the_piecewise_law(void **state) {
    (void)state;
    const br_friction_def law = {
        .law = BR_FRICTION_SMOOTH, .mu_static = 0.5, .mu_kinetic = 0.3, .v_slope = 1e-5};
    small_model s = two_sliders(law, law, BR_REDUCED, 1.0);
    small_advance(&s, 1.5);
    assert_near(channel(&s, "slide_1.friction.force"), 16.100996, 1e-5);
    assert_near(channel(&s, "slide_1.normal"), 38.642836, 1e-5);
    assert_near(channel(&s, "slide_2.friction.force"), -9.357141, 1e-5);
    assert_near(channel(&s, "slide_2.normal"), 53.898950, 1e-5);
    small_advance(&s, 4.0);
    assert_near(channel(&s, "slide_1.friction.force"), 18.220712, 1e-5);
    assert_near(channel(&s, "slide_2.friction.force"), -4.268773, 1e-5);
    assert_near(small_velocity(&s, "slide_1"), -9.4088e-6, 1e-10);
    assert_near(small_position(&s, "slide_1"), -0.032784e-3, 1e-8); // first order in h: 5e-9 m
    small_free(&s);
}

// --- with other rows ---------------------------------------------------------------------------------------

static void friction_goes_with_limits_and_motors(void **state) {
    (void)state;
    // A block falls along a guide with friction onto its stop, and rests there: friction carries what it did when it stopped, or
    // less, the stop the rest.
    small_model s = small_begin(BR_STEPPER_CONTACT);
    s.settings.solver.step = 1e-3;
    small_block(&s, "block", br_vec3_of(0, 0, 0));
    br_joint_def slide = small_joint(&s, "slide", BR_JOINT_PRISMATIC, BR_WORLD, "block", br_vec3_of(0, 0, 0),
                                     br_vec3_of(0, 1, 0));
    slide.friction = constant_load(0.5, 4.0, 0.0);
    slide.lower[0] = -0.1;
    small_add_joint(&s, &slide);
    small_end(&s);
    small_advance(&s, 0.1);
    assert_near(small_velocity(&s, "slide"), -0.1 * (9.81 - 2.0), 1e-9);
    small_advance(&s, 1.0);
    assert_near(small_position(&s, "slide"), -0.1, 1e-9);
    assert_near(small_velocity(&s, "slide"), 0.0, 1e-12);
    assert_true(fabs(channel(&s, "slide.friction.force")) <= 2.0 + 1e-9);
    assert_books_close(&s);
    small_free(&s);
    // A motor of at most 3 N against 2 N of friction.
    s = small_begin(BR_STEPPER_CONTACT);
    s.settings.gravity = br_vec3_zero();
    s.settings.solver.step = 1e-3;
    small_block(&s, "block", br_vec3_of(0, 0, 0));
    slide = small_joint(&s, "slide", BR_JOINT_PRISMATIC, BR_WORLD, "block", br_vec3_of(0, 0, 0),
                        br_vec3_of(0, 1, 0));
    slide.friction = constant_load(0.5, 4.0, 0.0);
    small_add_joint(&s, &slide);
    br_drive_def motor = br_default_drive_def();
    br_error error = {0};
    motor.name = "motor", motor.type = BR_DRIVE_VELOCITY, motor.joint = "slide";
    motor.target = br_function_constant(0.5), motor.max_effort = 3.0;
    small_check(br_builder_drive(s.builder, &motor, &error), &error);
    small_end(&s);
    small_advance(&s, 0.3);
    assert_near(small_velocity(&s, "slide"), 0.3 * 1.0, 1e-9);
    small_advance(&s, 1.0);
    assert_near(small_velocity(&s, "slide"), 0.5, 1e-9);
    assert_near(channel(&s, "slide.friction.force"), -2.0, 1e-9);
    assert_books_close(&s);
    small_free(&s);
}

// A cart on a rail that rubs (2 N) carries a leg whose ball slides on the floor (0.2 of its weight), pushed with 10 N: contacts and
// joint friction in one problem.
static void friction_goes_with_contacts(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        small_model s = small_begin(BR_STEPPER_CONTACT);
        br_error error = {0};
        s.settings.planar = BR_SPATIAL;
        s.settings.gravity = br_vec3_of(0, 0, -9.81);
        s.settings.solver.step = 1e-3;
        s.settings.solver.theta = k ? 0.5 : 1.0;
        small_block(&s, "cart", br_vec3_of(0, 0, 1));
        small_check(br_builder_material(s.builder, "steel", &error), &error);
        br_pair_def pair = br_default_pair_def();
        pair.first = pair.second = "steel", pair.mu_static = pair.mu_kinetic = 0.2;
        small_check(br_builder_pair(s.builder, &pair, &error), &error);
        const br_shape_def ball = {.type = BR_SHAPE_SPHERE,
                                   .material = "steel",
                                   .pose = br_pose_identity(),
                                   .size = br_vec3_of(0.1, 0, 0)};
        const br_shape_def plane = {
            .type = BR_SHAPE_PLANE, .material = "steel", .pose = br_pose_identity(), .axis = br_vec3_unit(2)};
        br_body_def leg = br_default_body_def();
        leg.name = "leg", leg.mass = 1.0, leg.inertia = br_sym3_of(0.01, 0.01, 0.01, 0, 0, 0);
        leg.pose.position = br_vec3_of(0, 0, 0.1);
        leg.shapes = &ball, leg.shape_count = 1;
        small_check(br_builder_body(s.builder, &leg, &error), &error);
        small_check(br_builder_ground(s.builder, &plane, &error), &error);
        br_joint_def rail = small_joint(&s, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "cart", br_vec3_of(0, 0, 1),
                                        br_vec3_of(1, 0, 0));
        rail.friction = constant_load(0.5, 4.0, 0.0);
        small_add_joint(&s, &rail);
        const br_joint_def slide = small_joint(&s, "slide", BR_JOINT_PRISMATIC, "cart", "leg",
                                               br_vec3_of(0, 0, 0.5), br_vec3_of(0, 0, 1));
        small_add_joint(&s, &slide);
        load_force(&s, "push", "cart", br_function_constant(10), br_function_constant(0));
        small_end(&s);
        small_advance(&s, 1.0);
        assert_near(small_velocity(&s, "rail"), 0.5 * (10.0 - 2.0 - 0.2 * 9.81), 1e-7);
        assert_books_close(&s);
        small_free(&s);
    }
}

// A drawer pulled e beside its guide of length L: N = 2 F e/L, so it does not move, however hard it is pulled, where 2 mu e/L > 1.
static void drawer_wedges(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double e = k % 2 ? 0.99 : 1.01, pull = k < 2 ? 10.0 : 1e4;
        small_model s = small_begin(BR_STEPPER_CONTACT);
        br_error error = {0};
        s.settings.gravity = br_vec3_zero();
        s.settings.solver.step = 1e-3;
        small_block(&s, "drawer", br_vec3_of(0, 0, 0));
        br_joint_def guide = small_joint(&s, "guide", BR_JOINT_PRISMATIC, BR_WORLD, "drawer",
                                         br_vec3_of(0, 0, 0), br_vec3_of(1, 0, 0));
        guide.friction = coulomb(0.25, 0.25);
        guide.friction.guide_length = 0.5; // 2 mu/L = 1
        small_add_joint(&s, &guide);
        br_load_def def = br_default_load_def();
        def.name = "pull", def.type = BR_LOAD_FORCE, def.first = "drawer";
        def.component[0] = br_function_constant(pull), def.X_A.position = br_vec3_of(0, e, 0);
        small_check(br_builder_load(s.builder, &def, &error), &error);
        small_end(&s);
        small_advance(&s, 0.1);
        if (k % 2)
            assert_near(small_velocity(&s, "guide"), 0.1 * pull * (1.0 - e), 1e-9 * pull);
        else
            assert_near(small_position(&s, "guide"), 0.0, 1e-13 * pull);
        small_free(&s);
    }
}

// Hundreds of rubs go by passes: a hanging chain whose joints rub comes to rest as the small problem has it, link by link alike.
static void long_chain_settles(void **state) {
    (void)state;
    enum { LINKS = 140 };
    small_model s = small_begin(BR_STEPPER_CONTACT);
    char name[LINKS][8], joint[8];
    s.settings.solver.step = 2e-3;
    for (int k = 0; k < LINKS; k++) {
        snprintf(name[k], sizeof name[k], "l%d", k), snprintf(joint, sizeof joint, "j%d", k);
        const br_vec3 a = br_vec3_of(0.03 * k, -0.04 * k, 0),
                      b = br_vec3_of(0.03 * (k + 1), -0.04 * (k + 1), 0);
        small_rod(&s, name[k], a, b);
        br_joint_def pin = small_joint(&s, joint, BR_JOINT_REVOLUTE, k ? name[k - 1] : BR_WORLD, name[k], a,
                                       br_vec3_of(0, 0, 1));
        pin.friction = pin_friction(0.3, 0.01);
        small_add_joint(&s, &pin);
    }
    small_end(&s);
    small_advance(&s, 0.1);
    assert_true(br_sim_ledger(s.sim).friction > 0.0);
    assert_true(br_sim_ledger(s.sim).cone_violation < 1e-6);
    assert_books_close(&s);
    small_free(&s);
}

// --- promises ----------------------------------------------------------------------------------------------

static small_model rubbing_four_bar(br_coordinates coordinates, double theta) {
    small_model s = small_begin(BR_STEPPER_CONTACT);
    const double cx = 0.749129576830, cy = 0.580722063825;
    const br_vec3 o = br_vec3_of(0, 0, 0), a = br_vec3_of(0, 0.3, 0), b = br_vec3_of(cx, cy, 0),
                  d = br_vec3_of(0.9, 0, 0);
    s.settings.coordinates = coordinates;
    s.settings.solver.step = 1e-3;
    s.settings.solver.theta = theta;
    small_rod(&s, "crank", o, a);
    small_rod(&s, "coupler", a, b);
    small_rod(&s, "rocker", d, b);
    const struct {
        const char *name, *first, *second;
        br_vec3 at;
    } pins[] = {{"motor", BR_WORLD, "crank", o},
                {"elbow", "crank", "coupler", a},
                {"anchor", BR_WORLD, "rocker", d},
                {"closing", "coupler", "rocker", b}};
    for (int k = 0; k < 4; k++) {
        br_joint_def pin = small_joint(&s, pins[k].name, BR_JOINT_REVOLUTE, pins[k].first, pins[k].second,
                                       pins[k].at, br_vec3_of(0, 0, 1));
        pin.friction = pin_friction(0.3, 0.02);
        small_add_joint(&s, &pin);
    }
    small_end(&s);
    return s;
}

static void four_bar_settles_and_is_the_same_in_both_coordinates(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        small_model r = rubbing_four_bar(BR_REDUCED, k ? 0.5 : 1.0),
                    a = rubbing_four_bar(BR_ABSOLUTE, k ? 0.5 : 1.0);
        const double start = br_sim_energy(r.sim).total;
        for (double t = 0.1; t < 8.0; t += 0.5) {
            small_advance(&r, t), small_advance(&a, t);
            assert_near(small_position(&r, "motor"), small_position(&a, "motor"), 1e-7);
            assert_near(channel(&r, "closing.normal"), channel(&a, "closing.normal"), 1e-5);
        }
        assert_near(small_velocity(&r, "motor"), 0.0, 1e-12); // it has come to rest
        assert_near(start - br_sim_energy(r.sim).total,
                    br_sim_ledger(r.sim).friction + br_sim_ledger(r.sim).scheme, 1e-9);
        assert_true(br_sim_ledger(r.sim).cone_violation < 1e-6);
        assert_books_close(&r);
        small_free(&r), small_free(&a);
    }
}

static void snapshot_goes_on_to_the_same_bits(void **state) {
    (void)state;
    small_model s = rubbing_four_bar(BR_REDUCED, 0.5);
    br_error error = {0};
    for (double t = 0.25; t < 3.0; t += 0.5) {
        small_advance(&s, t);
        void *bytes = malloc(br_sim_snapshot_size(s.sim));
        br_sim_save(s.sim, bytes);
        small_advance(&s, t + 0.25);
        const double q = small_position(&s, "motor"), v = small_velocity(&s, "motor");
        const double force = channel(&s, "closing.friction.torque");
        small_check(br_sim_load(s.sim, bytes, br_sim_snapshot_size(s.sim), &error), &error);
        small_advance(&s, t + 0.25);
        assert_true(q == small_position(&s, "motor") && v == small_velocity(&s, "motor"));
        assert_true(force == channel(&s, "closing.friction.torque"));
        free(bytes);
    }
    small_free(&s);
}

static void reading_does_not_change_a_run(void **state) {
    (void)state;
    small_model a = rubbing_four_bar(BR_REDUCED, 1.0), b = rubbing_four_bar(BR_REDUCED, 1.0);
    channel(&a, "closing.normal");
    channel(&a, "closing.reaction.force.x");
    for (double t = 0.1; t < 1.0; t += 0.1) {
        small_advance(&a, t), small_advance(&b, t);
        channel(&a, "closing.reaction.force.x");
        assert_true(small_position(&a, "motor") == small_position(&b, "motor"));
    }
    small_free(&a), small_free(&b);
}

typedef struct told {
    int sticks, slips;
    double t_slip, t_stick;
} told;

static void hear(void *context, const br_event *e) {
    told *t = context;
    if (strcmp(e->name, "slide") != 0) return;
    if (e->kind == BR_EVENT_STICK) t->sticks++, t->t_stick = e->t;
    if (e->kind == BR_EVENT_SLIP) t->slips++, t->t_slip = e->t;
}

static void stick_and_slip_are_told(void **state) {
    (void)state;
    told t = {0};
    small_model s = incline(0.0, coulomb(0.5, 0.5), 1.0, BR_REDUCED);
    const double q = 0.0, v = 1.0;
    br_error error = {0};
    small_check(br_sim_set_state(s.sim, 0.0, &q, &v, &error), &error);
    br_sim_set_event(s.sim, hear, &t);
    small_advance(&s, 1.0);
    assert_int_equal(t.sticks, 1);
    assert_int_equal(t.slips, 0);
    assert_near(t.t_stick, 1.0 / (0.5 * 9.81), 1e-3); // the end of the step in which it stops
    small_free(&s);
    s = incline(30.0, coulomb(0.5, 0.3), 1.0, BR_REDUCED);
    t = (told){0};
    br_sim_set_event(s.sim, hear, &t);
    small_advance(&s, 1.0);
    assert_int_equal(t.sticks, 0);
    assert_int_equal(t.slips, 1);
    assert_near(t.t_slip, 1e-3, 1e-12);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incline_sticks_below_mu_static),
        cmocka_unit_test(incline_slides_above_with_mu_kinetic),
        cmocka_unit_test(pendulum_stays_within_its_friction_angle),
        cmocka_unit_test(pendulum_swings_as_its_pin_force_says),
        cmocka_unit_test(constant_load_loses_the_same_each_half_swing),
        cmocka_unit_test(cylindrical_joint_slides_straight),
        cmocka_unit_test(ball_joint_stops_about_its_axis),
        cmocka_unit_test(planar_joint_has_a_disk),
        cmocka_unit_test(planar_joint_turns_downhill),
        cmocka_unit_test(screw_locks_itself_below_its_lead_angle),
        cmocka_unit_test(smooth_law_creeps_and_coulomb_does_not),
        cmocka_unit_test(every_law_slides_with_its_coefficient),
        cmocka_unit_test(bristles_bend_before_they_slide),
        cmocka_unit_test(two_sliders_with_equal_bristles_stick),
        cmocka_unit_test(two_sliders_slide_by_equation_6),
        cmocka_unit_test(two_sliders_creep_with_the_piecewise_law),
        cmocka_unit_test(friction_goes_with_limits_and_motors),
        cmocka_unit_test(friction_goes_with_contacts),
        cmocka_unit_test(drawer_wedges),
        cmocka_unit_test(long_chain_settles),
        cmocka_unit_test(four_bar_settles_and_is_the_same_in_both_coordinates),
        cmocka_unit_test(snapshot_goes_on_to_the_same_bits),
        cmocka_unit_test(reading_does_not_change_a_run),
        cmocka_unit_test(stick_and_slip_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
