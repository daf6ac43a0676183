// The reference stepper: published and closed-form motions, events, books, and what it must refuse.
#include "small_models.h"

typedef struct event_log {
    br_event event[64];
    int count;
} event_log;

static void log_event(void *context, const br_event *event) {
    event_log *log = context;
    if (log->count < 64) log->event[log->count++] = *event;
}

static small_model pendulum(double tol) {
    small_model s = small_begin(BR_STEPPER_REFERENCE);
    s.settings.solver.tol = tol;
    small_rod(&s, "bob", br_vec3_of(-1, 0, 0), br_vec3_of(-1, 0, 0));
    small_pin(&s, "pin", BR_WORLD, "bob", 0, 0);
    small_end(&s);
    return s;
}

// Elliptic functions (IFToMM A01). The error grows with time: 1e-12 per step becomes 1e-10 in 10 s.
static void pendulum_follows_elliptic_functions(void **state) {
    (void)state;
    static const double t[] = {1, 5, 10}, x[] = {0.9862917511318754, -0.9423054350437567, -0.275087462576117},
                        y[] = {-0.165010853125541, -0.3347543384140022, -0.961419205099125};
    small_model s = pendulum(1e-13);
    for (int k = 0; k < 3; k++) {
        small_advance(&s, t[k]);
        const br_vec3 p = br_sim_body_pose(s.sim, 0).position;
        assert_near(p.x, x[k], 5e-10);
        assert_near(p.y, y[k], 5e-10);
    }
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-9);
    small_free(&s);
}

static void tighter_tolerance_is_nearer(void **state) {
    (void)state;
    double last = INFINITY;
    for (double tol = 1e-6; tol > 1e-12; tol *= 1e-2) {
        small_model s = pendulum(tol);
        small_advance(&s, 10);
        const double e = fabs(br_sim_body_pose(s.sim, 0).position.x + 0.275087462576117);
        assert_true(e < 0.3 * last);
        assert_true(e < 1e3 * tol);
        last = e;
        small_free(&s);
    }
}

static small_model four_bar(br_coordinates coordinates, double tol) {
    small_model s = small_begin(BR_STEPPER_REFERENCE);
    s.settings.coordinates = coordinates;
    s.settings.solver.tol = tol;
    small_four_bar(&s);
    small_end(&s);
    return s;
}

// The integrator's steps are its own: looking more often changes no bit.
static void output_interval_changes_no_bit(void **state) {
    (void)state;
    small_model a = four_bar(BR_REDUCED, 1e-10), b = four_bar(BR_REDUCED, 1e-10);
    for (int k = 1; k < 400; k++) small_advance(&a, k / 200.0);
    small_advance(&a, 2);
    small_advance(&b, 2);
    assert_memory_equal(br_sim_q(a.sim), br_sim_q(b.sim), (size_t)br_model_nq(a.model) * sizeof(double));
    assert_memory_equal(br_sim_v(a.sim), br_sim_v(b.sim), (size_t)br_model_nv(a.model) * sizeof(double));
    small_free(&a);
    small_free(&b);
}

static void loop_keeps_energy_and_stays_closed(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        small_model s = four_bar(c ? BR_ABSOLUTE : BR_REDUCED, 1e-11), fine = four_bar(BR_REDUCED, 1e-12);
        small_advance(&s, 5);
        small_advance(&fine, 5);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_near(l.unaccounted, 0, 1e-8);
        assert_near(l.loop_error, 0, 1e-9);
        assert_near(small_position(&s, "motor"), small_position(&fine, "motor"), 1e-7);
        small_free(&s);
        small_free(&fine);
    }
}

// Set from outside it starts anew; the motion is the same within the tolerance, not to the bit.
static void snapshot_continues_the_motion(void **state) {
    (void)state;
    small_model s = four_bar(BR_REDUCED, 1e-11), other = four_bar(BR_REDUCED, 1e-11);
    br_error error = {0};
    unsigned char bytes[4096];
    assert_true(br_sim_snapshot_size(s.sim) <= sizeof bytes);
    small_advance(&s, 1);
    br_sim_save(s.sim, bytes);
    small_check(br_sim_load(other.sim, bytes, br_sim_snapshot_size(other.sim), &error), &error);
    small_advance(&s, 2);
    small_advance(&other, 2);
    assert_near(small_position(&s, "motor"), small_position(&other, "motor"), 1e-8);
    assert_near(small_velocity(&s, "motor"), small_velocity(&other, "motor"), 1e-8);
    small_free(&s);
    small_free(&other);
}

// A parallelogram of three rods (1 kg, 1 m), its uprights at an angle from the vertical, turning at -2 rad/s. It moves as
// one pendulum: 5/3 w' = 2 g sin(angle), and is singular where the uprights lie down.
static small_model parallelogram(double angle, double tol, br_coordinates coordinates) {
    small_model s = small_begin(BR_STEPPER_REFERENCE);
    s.settings.solver.tol = tol;
    s.settings.coordinates = coordinates;
    const double x = -sin(angle), y = cos(angle);
    small_rod(&s, "left", br_vec3_zero(), br_vec3_of(x, y, 0));
    small_rod(&s, "right", br_vec3_of(1, 0, 0), br_vec3_of(1 + x, y, 0));
    small_rod(&s, "bar", br_vec3_of(x, y, 0), br_vec3_of(1 + x, y, 0));
    static const char *const first[] = {BR_WORLD, BR_WORLD, "left"},
                             *const second[] = {"left", "right", "bar"},
                             *const names[] = {"pin_left", "pin_right", "knee"};
    for (int k = 0; k < 3; k++) {
        br_joint_def def =
            small_joint(&s, names[k], BR_JOINT_REVOLUTE, first[k], second[k],
                        k == 2 ? br_vec3_of(x, y, 0) : br_vec3_of(k, 0, 0), br_vec3_of(0, 0, 1));
        def.has_velocity = 1, def.velocity[0] = k == 2 ? 2 : -2;
        small_add_joint(&s, &def);
    }
    small_pin(&s, "closing", "bar", "right", 1 + x, y);
    small_end(&s);
    return s;
}

// Energy gives the rate at every angle: that is checked at the end of each tenth of a second, over several passages.
static void singular_positions_are_passed(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++)
        for (double tol = 1e-8; tol > 1e-13; tol *= 1e-2) {
            small_model s = parallelogram(0.3, tol, c ? BR_ABSOLUTE : BR_REDUCED);
            for (int k = 1; k <= 50; k++) {
                small_advance(&s, 0.1 * k);
                const double angle = 0.3 + small_position(&s, "pin_left");
                assert_near(small_position(&s, "pin_right"), small_position(&s, "pin_left"), 1e-9);
                assert_near(small_position(&s, "knee"), -small_position(&s, "pin_left"), 1e-9);
                const double energy =
                    5.0 / 6.0 * pow(small_velocity(&s, "pin_left"), 2) + 2 * 9.81 * cos(angle);
                assert_near(energy, 10.0 / 3.0 + 2 * 9.81 * cos(0.3), fmax(3e3 * tol, 1e-7));
            }
            assert_true(fabs(small_position(&s, "pin_left")) > 3 * BR_PI);
            small_free(&s);
        }
}

// All bars in line from the beginning: it goes on as its velocities say.
static void singular_start_is_taken_as_it_is(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        small_model s = parallelogram(-0.5 * BR_PI, 1e-10, c ? BR_ABSOLUTE : BR_REDUCED);
        small_advance(&s, 1);
        const double angle = small_position(&s, "pin_left"), w = small_velocity(&s, "pin_left");
        assert_near(5.0 / 6.0 * w * w - 2 * 9.81 * sin(-angle), 10.0 / 3.0, 1e-6);
        assert_near(small_position(&s, "pin_right"), angle, 1e-9);
        small_free(&s);
    }
}

// --- sliders -----------------------------------------------------------------------------------------------

// 1 kg on a slide along +x from the origin, no gravity.
static small_model slider(const br_joint_def *changes, double v, br_settings *settings) {
    small_model s = small_begin(BR_STEPPER_REFERENCE);
    if (settings) s.settings = *settings;
    s.settings.gravity = br_vec3_zero();
    s.settings.solver.stepper = BR_STEPPER_REFERENCE;
    small_block(&s, "block", br_vec3_zero());
    br_joint_def def =
        small_joint(&s, "slide", BR_JOINT_PRISMATIC, BR_WORLD, "block", br_vec3_zero(), br_vec3_of(1, 0, 0));
    if (changes) {
        def.stiffness[0] = changes->stiffness[0], def.damping[0] = changes->damping[0],
        def.rest[0] = changes->rest[0];
        def.lower[0] = changes->lower[0], def.upper[0] = changes->upper[0];
    }
    def.has_velocity = 1, def.velocity[0] = v;
    small_add_joint(&s, &def);
    return s;
}

static void spring_and_damper_keep_books(void **state) {
    (void)state;
    br_joint_def def = br_default_joint_def();
    def.stiffness[0] = 100, def.damping[0] = 2;
    small_model s = slider(&def, 1, NULL);
    small_end(&s);
    small_advance(&s, 3);
    const double w = sqrt(99.0), x = exp(-3.0) * sin(3 * w) / w;
    assert_near(small_position(&s, "slide"), x, 1e-10);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.damping, 0.5 - l.now.total, 1e-8); // 100 steps and more, each good to 1e-10 of 0.5 J
    assert_near(l.unaccounted, 0, 1e-8);
    assert_near(l.scheme, 0, 0);
    small_free(&s);
}

// x'' = -c x' + c u(t) with c = 1e6: x' follows the slow table. Adams alone would need c T/2 = 1e6 steps.
static void strong_damper_does_not_dictate_the_step(void **state) {
    (void)state;
    br_joint_def def = br_default_joint_def();
    def.damping[0] = 1e6;
    small_model s = slider(&def, 0, NULL);
    small_drive(&s, BR_DRIVE_EFFORT, "slide", small_expression("1e6*sin(t)"));
    small_end(&s);
    small_advance(&s, 4);
    assert_near(small_velocity(&s, "slide"), sin(4.0) - 1e-6 * cos(4.0), 1e-8);
    assert_near(small_position(&s, "slide"), 1 - cos(4.0) - 1e-6 * sin(4.0), 1e-8);
    assert_true(br_sim_ledger(s.sim).steps < 10000);
    small_free(&s);
}

// The same in a loop: the crank is pulled through a damper of 1e4 N m s by a torque, and follows it slowly.
static void strong_damper_in_a_loop(void **state) {
    (void)state;
    small_model s = small_begin(BR_STEPPER_REFERENCE);
    s.settings.gravity = br_vec3_zero();
    const br_vec3 o = br_vec3_zero(), a = br_vec3_of(0, 0.3, 0),
                  b = br_vec3_of(0.749129576830, 0.580722063825, 0), d = br_vec3_of(0.9, 0, 0);
    small_rod(&s, "crank", o, a);
    small_rod(&s, "coupler", a, b);
    small_rod(&s, "rocker", d, b);
    br_joint_def motor =
        small_joint(&s, "motor", BR_JOINT_REVOLUTE, BR_WORLD, "crank", o, br_vec3_of(0, 0, 1));
    motor.damping[0] = 1e4;
    small_add_joint(&s, &motor);
    small_pin(&s, "elbow", "crank", "coupler", a.x, a.y);
    small_pin(&s, "anchor", BR_WORLD, "rocker", d.x, d.y);
    small_pin(&s, "closing", "coupler", "rocker", b.x, b.y);
    small_drive(&s, BR_DRIVE_EFFORT, "motor", br_function_constant(1e4));
    small_end(&s);
    small_advance(&s, 3);
    assert_near(small_velocity(&s, "motor"), 1, 1e-3); // inertia torques are below 1 N m
    assert_near(small_position(&s, "motor"), 3, 1e-3);
    assert_true(br_sim_ledger(s.sim).steps < 8000);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-5); // of 3e4 J that pass through
    small_free(&s);
}

// A triangular force pulse: 4 N at 1 s. v is 0.5 * 2 s * 4 N / 1 kg; x at 2 s is that of the same area at 1 s.
static void knots_of_tables_are_met_exactly(void **state) {
    (void)state;
    static const double t[] = {0.25, 1, 1.75}, f[] = {0, 4, 0};
    small_model s = slider(NULL, 0, NULL);
    small_drive(&s, BR_DRIVE_EFFORT, "slide", small_table(t, f, 3));
    small_end(&s);
    event_log log = {.count = 0};
    br_sim_set_event(s.sim, log_event, &log);
    small_advance(&s, 1);
    small_advance(&s, 2);
    assert_near(small_velocity(&s, "slide"), 3, 1e-9); // tolerance 1e-10 a step
    assert_near(small_position(&s, "slide"), 3, 1e-9);
    assert_near(br_sim_ledger(s.sim).input, 4.5, 1e-8);
    assert_int_equal(log.count, 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(log.event[k].kind, BR_EVENT_LOAD_KNOT);
        assert_string_equal(log.event[k].name, "drive");
        assert_true(log.event[k].t == t[k]);
        assert_near(log.event[k].value, f[k], 0);
    }
    small_free(&s);
}

// A prescribed velocity in pieces: its rate jumps at knots, and each side must see its own.
static void prescribed_velocity_may_have_corners(void **state) {
    (void)state;
    static const double t[] = {0, 1, 3}, v[] = {0, 2, 1};
    small_model s = slider(NULL, 0, NULL);
    small_drive(&s, BR_DRIVE_VELOCITY, "slide", small_table(t, v, 3));
    small_end(&s);
    small_advance(&s, 2);
    assert_near(small_velocity(&s, "slide"), 1.5, 1e-12);
    assert_near(small_position(&s, "slide"), 1 + 1.75, 1e-9);
    small_advance(&s, 4);
    assert_near(small_position(&s, "slide"), 1 + 3 + 1, 1e-9);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-8);
    small_free(&s);
}

// A prescribed position whose velocity jumps: the drive's impulse does work.
static void jump_of_prescribed_velocity_is_input(void **state) {
    (void)state;
    static const double t[] = {0, 1, 2}, x[] = {0, 0, 3};
    small_model s = slider(NULL, 0, NULL);
    small_drive(&s, BR_DRIVE_POSITION, "slide", small_table(t, x, 3));
    small_end(&s);
    small_advance(&s, 1.5);
    assert_near(small_velocity(&s, "slide"), 3, 1e-12);
    assert_near(small_position(&s, "slide"), 1.5, 1e-12);
    assert_near(br_sim_ledger(s.sim).input, 4.5, 1e-10);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-10);
    small_free(&s);
}

static void servo_stays_within_its_largest_effort(void **state) {
    (void)state;
    small_model s = slider(NULL, 0, NULL);
    br_drive_def def = br_default_drive_def();
    br_error error = {0};
    def.name = "servo", def.type = BR_DRIVE_SERVO, def.joint = "slide";
    def.target = br_function_constant(100), def.stiffness = 10, def.damping = 1, def.max_effort = 2;
    small_check(br_builder_drive(s.builder, &def, &error), &error);
    small_end(&s);
    small_advance(&s, 3);
    assert_near(small_velocity(&s, "slide"), 6, 1e-10);
    assert_near(br_sim_ledger(s.sim).input, 18, 1e-8);
    small_free(&s);
}

static void unbounded_pulse_is_not_stepped_over(void **state) {
    (void)state;
    small_model s = slider(NULL, 0, NULL);
    small_drive(&s, BR_DRIVE_EFFORT, "slide", small_expression("exp(-((t - 50)/0.05)^2)"));
    small_end(&s);
    small_advance(&s, 60);
    assert_near(small_velocity(&s, "slide"), 0.05 * sqrt(BR_PI), 1e-8);
    small_free(&s);
}

// --- limits ------------------------------------------------------------------------------------------------

// Falls 0.5 m to its limit, rests, is pulled off at 3 s when the force has risen to its weight, and rises.
static void limit_is_hit_held_and_left(void **state) {
    (void)state;
    static const double t[] = {2, 4}, f[] = {0, -20};
    br_joint_def def = br_default_joint_def();
    def.upper[0] = 0.5;
    for (int c = 0; c < 2; c++) {
        br_settings settings = br_default_settings();
        settings.coordinates = c ? BR_ABSOLUTE : BR_REDUCED;
        small_model s = slider(&def, 0, &settings);
        br_load_def load = br_default_load_def();
        br_error error = {0};
        load.name = "weight", load.type = BR_LOAD_FORCE, load.first = "block";
        load.component[0] = br_function_constant(10);
        small_check(br_builder_load(s.builder, &load, &error), &error);
        load.name = "rope";
        load.component[0] = small_table(t, f, 2);
        small_check(br_builder_load(s.builder, &load, &error), &error);
        small_end(&s);
        event_log log = {.count = 0};
        br_sim_set_event(s.sim, log_event, &log);
        small_advance(&s, 1);
        assert_int_equal(log.count, 1);
        assert_int_equal(log.event[0].kind, BR_EVENT_LIMIT);
        assert_string_equal(log.event[0].name, "slide");
        assert_near(log.event[0].t, sqrt(0.1), 1e-10);
        assert_near(log.event[0].value, 10 * sqrt(0.1), 1e-8); // the impulse
        assert_near(small_position(&s, "slide"), 0.5, 1e-11);
        assert_near(small_velocity(&s, "slide"), 0, 1e-12);
        assert_near(br_sim_ledger(s.sim).damping, 5, 1e-8);
        small_advance(&s, 3);
        assert_near(small_position(&s, "slide"), 0.5, 1e-9);
        small_advance(&s, 4); // x'' = -10 (t - 3)
        assert_near(small_position(&s, "slide"), 0.5 - 10.0 / 6.0, 1e-8);
        assert_near(small_velocity(&s, "slide"), -5, 1e-8);
        assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-7);
        small_free(&s);
    }
}

// Thrown up against a limit that it would pass and leave again within the long steps of a parabola.
static void limit_is_not_stepped_over(void **state) {
    (void)state;
    br_joint_def def = br_default_joint_def();
    br_error error = {0};
    def.lower[0] = -100, def.upper[0] = 1;
    small_model s = slider(&def, 6, NULL);
    br_load_def load = br_default_load_def();
    load.name = "weight", load.type = BR_LOAD_FORCE, load.first = "block";
    load.component[0] = br_function_constant(-9.81);
    small_check(br_builder_load(s.builder, &load, &error), &error);
    small_end(&s);
    event_log log = {.count = 0};
    br_sim_set_event(s.sim, log_event, &log);
    for (int k = 1; k <= 100; k++) small_advance(&s, 0.01 * k);
    const double v = sqrt(36 - 2 * 9.81), t = (6 - v) / 9.81; // at the limit
    assert_int_equal(log.count, 1);
    assert_near(log.event[0].t, t, 1e-9);
    assert_near(br_sim_ledger(s.sim).damping, 0.5 * v * v, 1e-7);
    assert_near(small_position(&s, "slide"), 1 - 0.5 * 9.81 * (1 - t) * (1 - t), 1e-8);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-7);
    small_free(&s);
}

// Pushed off the limit on which it starts. Reactions are asked for first, since they leave forces in the limits' rows.
static void limit_left_at_once_does_no_work(void **state) {
    (void)state;
    br_joint_def def = br_default_joint_def();
    br_error error = {0};
    br_wrench in_joint, in_world;
    def.lower[0] = 0, def.upper[0] = 0.1;
    for (int c = 0; c < 2; c++) {
        small_model s = slider(&def, 0, NULL);
        small_drive(&s, BR_DRIVE_EFFORT, "slide", br_function_constant(50));
        small_end(&s);
        if (c) small_check(br_sim_joint_reaction(s.sim, 0, &in_joint, &in_world, &error), &error);
        small_advance(&s, 0.05); // x = 25 t^2
        assert_near(small_position(&s, "slide"), 0.0625, 1e-10);
        assert_near(br_sim_ledger(s.sim).damping, 0, 1e-9);
        assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-8);
        small_advance(&s, 0.2);
        assert_near(br_sim_ledger(s.sim).input, 5, 1e-8);
        assert_near(br_sim_ledger(s.sim).damping, 5, 1e-8);
        assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-8);
        small_free(&s);
    }
}

// A linkage against a stop: the impulse is that of the whole mechanism, and the loop stays closed through it.
static void linkage_hits_a_stop(void **state) {
    (void)state;
    small_model s = small_begin(BR_STEPPER_REFERENCE);
    small_rod(&s, "left", br_vec3_of(0, 0, 0), br_vec3_of(0, 1, 0));
    small_rod(&s, "right", br_vec3_of(1, 0, 0), br_vec3_of(1, 1, 0));
    small_rod(&s, "bar", br_vec3_of(0, 1, 0), br_vec3_of(1, 1, 0));
    br_joint_def foot =
        small_joint(&s, "foot", BR_JOINT_REVOLUTE, BR_WORLD, "left", br_vec3_zero(), br_vec3_of(0, 0, 1));
    foot.lower[0] = -0.5, foot.has_velocity = 1, foot.velocity[0] = -1;
    small_add_joint(&s, &foot);
    small_pin(&s, "other", BR_WORLD, "right", 1, 0);
    small_pin(&s, "knee", "left", "bar", 0, 1);
    small_pin(&s, "closing", "bar", "right", 1, 1);
    small_end(&s);
    const double start = br_sim_energy(s.sim).total;
    small_advance(&s, 2);
    assert_near(small_position(&s, "foot"), -0.5, 1e-9);
    assert_near(small_position(&s, "other"), -0.5, 1e-9);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.now.total, 2 * 9.81 * cos(0.5), 1e-8); // nothing moves any more
    assert_near(l.damping, start - l.now.total, 1e-7);
    assert_near(l.now.kinetic, 0, 1e-12);
    small_free(&s);
}

static void prescribed_motion_against_a_limit_is_refused(void **state) {
    (void)state;
    br_joint_def def = br_default_joint_def();
    br_error error = {0};
    def.upper[0] = 0.5;
    small_model s = slider(&def, 0, NULL);
    small_drive(&s, BR_DRIVE_VELOCITY, "slide", br_function_constant(1));
    small_end(&s);
    assert_int_equal(br_sim_advance(s.sim, 0.4, &error), BR_OK);
    assert_int_equal(br_sim_advance(s.sim, 1, &error), BR_NUMERICAL);
    assert_string_equal(error.code, "limit-contradicts");
    assert_near(br_sim_time(s.sim), 0.4, 0);
    assert_near(small_position(&s, "slide"), 0.4, 1e-11);
    small_free(&s);
}

// --- failures ----------------------------------------------------------------------------------------------

static void force_without_end_is_a_named_failure(void **state) {
    (void)state;
    br_error error = {0};
    small_model s = slider(NULL, 0, NULL);
    small_drive(&s, BR_DRIVE_EFFORT, "slide", small_expression("1/(1 - t)^3"));
    small_end(&s);
    small_advance(&s, 0.5);
    const double x = small_position(&s, "slide"), v = small_velocity(&s, "slide");
    assert_int_equal(br_sim_advance(s.sim, 2, &error), BR_NUMERICAL);
    assert_true(strncmp(error.code, "reference-", 10) == 0);
    assert_near(br_sim_time(s.sim), 0.5, 0);
    assert_true(small_position(&s, "slide") == x && small_velocity(&s, "slide") == v);
    small_advance(&s, 0.6); // and it can go on from there
    assert_near(small_velocity(&s, "slide"), 0.5 * (1 / 0.16 - 1), 1e-8);
    small_free(&s);
}

// The crank turns at a prescribed rate: what the motor puts in is what is stored.
static void driven_linkage_keeps_books(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        small_model s = small_begin(BR_STEPPER_REFERENCE);
        s.settings.coordinates = c ? BR_ABSOLUTE : BR_REDUCED;
        small_four_bar(&s);
        small_drive(&s, BR_DRIVE_POSITION, "motor", small_expression("2*t^2"));
        small_end(&s);
        small_advance(&s, 2);
        assert_near(small_position(&s, "motor"), 8, 1e-11);
        assert_near(small_velocity(&s, "motor"), 8, 1e-10);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_near(l.input, l.now.total - l.start.total, 1e-7);
        assert_true(fabs(l.input) > 0.1);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_follows_elliptic_functions),
        cmocka_unit_test(tighter_tolerance_is_nearer),
        cmocka_unit_test(output_interval_changes_no_bit),
        cmocka_unit_test(loop_keeps_energy_and_stays_closed),
        cmocka_unit_test(snapshot_continues_the_motion),
        cmocka_unit_test(singular_positions_are_passed),
        cmocka_unit_test(singular_start_is_taken_as_it_is),
        cmocka_unit_test(spring_and_damper_keep_books),
        cmocka_unit_test(strong_damper_does_not_dictate_the_step),
        cmocka_unit_test(strong_damper_in_a_loop),
        cmocka_unit_test(knots_of_tables_are_met_exactly),
        cmocka_unit_test(prescribed_velocity_may_have_corners),
        cmocka_unit_test(jump_of_prescribed_velocity_is_input),
        cmocka_unit_test(servo_stays_within_its_largest_effort),
        cmocka_unit_test(unbounded_pulse_is_not_stepped_over),
        cmocka_unit_test(limit_is_hit_held_and_left),
        cmocka_unit_test(limit_is_not_stepped_over),
        cmocka_unit_test(limit_left_at_once_does_no_work),
        cmocka_unit_test(linkage_hits_a_stop),
        cmocka_unit_test(prescribed_motion_against_a_limit_is_refused),
        cmocka_unit_test(force_without_end_is_a_named_failure),
        cmocka_unit_test(driven_linkage_keeps_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
