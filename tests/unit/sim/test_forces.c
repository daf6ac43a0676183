// Forces under the contact stepper, each against its closed form: the user's own, tables, springs in their four
// forms, and drives. Limits, gears and planes are in test_bounds.c.
#include "mechanisms.h"

static const double thetas[] = {1.0, 0.5};
static const br_coordinates both[] = {BR_REDUCED, BR_ABSOLUTE};

#define EACH_SETTING                                                                                         \
    for (int ti = 0; ti < 2; ti++)                                                                           \
        for (int ci = 0; ci < 2; ci++)

static br_settings weightless(int ti, int ci, double h) {
    br_settings s = mech_settings(thetas[ti], both[ci], h);
    s.gravity = br_vec3_zero();
    return s;
}

// One body on a rail along x; the builder is left open for what acts on it.
static br_builder *slider(const br_settings *s, double mass, double x0, double v0) {
    br_builder *b = mech_builder(s);
    mech_add_body(b, mech_body("slider", mass, 0, 0, 0));
    br_joint_def rail =
        mech_joint(b, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "slider", br_vec3_zero(), br_vec3_unit(0));
    rail.has_position = rail.has_velocity = 1;
    rail.position[0] = x0;
    rail.velocity[0] = v0;
    mech_add_joint(b, rail);
    return b;
}

static void assert_books_close(const mechanism *m) {
    const br_ledger l = br_sim_ledger(m->sim);
    if (!(fabs(l.unaccounted) <= 1e-9 * mech_energy_scale(m->sim)))
        fail_msg("%g J of %g J are unaccounted for", l.unaccounted, mech_energy_scale(m->sim));
}

// --- the user's own forces ------------------------------------------------------------------------------------

typedef struct pusher {
    int body;
    double factor;
} pusher;

static void push_body(void *context, const br_force_view *view, br_wrench *wrench, double *effort) {
    const pusher *p = context;
    (void)effort;
    wrench[p->body].force = br_vec3_of(2 * view->t, p->factor, 1 - view->t * view->t);
    wrench[p->body].torque = br_vec3_of(0, 0.25 * view->t, 0);
}

static br_builder *arm(const br_settings *s, int with_loads) {
    br_builder *b = mech_builder(s);
    mech_chain(b);
    if (!with_loads) return b;
    br_load_def f = mech_load("force", BR_LOAD_FORCE, "b3", NULL);
    f.component[0] = mech_expression("2*t");
    f.component[1] = br_function_constant(3);
    f.component[2] = mech_expression("1 - t*t");
    mech_add_load(b, f);
    f = mech_load("torque", BR_LOAD_TORQUE, "b3", NULL);
    f.component[1] = mech_expression("0.25*t");
    mech_add_load(b, f);
    return b;
}

static void a_callback_equals_a_load(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
        mechanism load = mech_finish(arm(&s, 1)), own = mech_finish(arm(&s, 0));
        pusher p = {br_model_body_find(own.model, "b3"), 3};
        br_sim_set_force(own.sim, push_body, &p);
        mechanism_steps(&load, 200);
        mechanism_steps(&own, 200);
        for (int k = 0; k < br_model_nq(load.model); k++)
            assert_near(br_sim_q(load.sim)[k], br_sim_q(own.sim)[k], 1e-12);
        const br_ledger a = br_sim_ledger(load.sim), b = br_sim_ledger(own.sim);
        assert_near(a.input, b.input, 1e-12 * fabs(a.input));
        assert_true(fabs(a.input) > 0.1);
        assert_books_close(&own);
        for (int k = 0; k < 3; k++) { // reactions know the force too
            static const char *const names[] = {"j0.reaction.force.x", "j3.reaction.torque.z",
                                                "j5.reaction.force.y"};
            assert_near(mech_read(&load, names[k]), mech_read(&own, names[k]), 1e-9);
        }
        mechanism_free(&load);
        mechanism_free(&own);
    }
}

static void drag(void *context, const br_force_view *view, br_wrench *wrench, double *effort) {
    (void)wrench;
    effort[0] = -*(const double *)context * view->v[0] + 4;
}

static void a_callbacks_effort_equals_a_drives(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = weightless(ti, ci, 1e-3);
        double c = 2;
        br_builder *b = slider(&s, 1, 0, 0.5);
        mech_add_drive(b,
                       mech_drive("pull", BR_DRIVE_EFFORT, "rail", mech_expression("4 - 2*rail.velocity")));
        mechanism drive = mech_finish(b), own = mech_finish(slider(&s, 1, 0, 0.5));
        br_sim_set_force(own.sim, drag, &c);
        mechanism_steps(&drive, 1000);
        mechanism_steps(&own, 1000);
        assert_near(mech_position(&drive, "rail"), mech_position(&own, "rail"), 1e-14);
        assert_near(mech_velocity(&own, "rail"), 2 - 1.5 * exp(-2), ti ? 1e-6 : 2e-3);
        assert_near(br_sim_ledger(own.sim).input, br_sim_ledger(drive.sim).input, 1e-13);
        assert_books_close(&own);
        mechanism_free(&drive);
        mechanism_free(&own);
    }
}

// --- tables ---------------------------------------------------------------------------------------------------

// Knots at steps: the midpoint rule takes the area under straight lines exactly.
static void a_table_gives_its_area(void **state) {
    (void)state;
    static const double times[] = {0.1, 0.2, 0.5, 0.6}, values[] = {0, 4, -2, 1};
    for (int ci = 0; ci < 2; ci++) {
        const br_settings s = weightless(1, ci, 1e-2);
        br_builder *b = slider(&s, 2, 0, 0);
        const br_function_def table = {BR_FUNCTION_TABLE, 0, NULL, 1, times, values, 4};
        mech_add_drive(b, mech_drive("pull", BR_DRIVE_EFFORT, "rail", table));
        mechanism m = mech_finish(b);
        mechanism_steps(&m, 100);
        const double area = 0.1 * 2 + 0.3 * 1 + 0.1 * -0.5 + 0.4 * 1;
        assert_near(mech_velocity(&m, "rail"), area / 2, 1e-14);
        assert_near(br_sim_ledger(m.sim).input, 0.5 * 2 * pow(area / 2, 2), 1e-13);
        mechanism_free(&m);
    }
}

static void a_smooth_table_does_not_overshoot(void **state) {
    (void)state;
    static const double times[] = {0, 0.5, 1}, values[] = {0, 1, 1};
    for (int ci = 0; ci < 2; ci++) {
        const br_settings s = weightless(1, ci, 5e-3);
        br_builder *b = slider(&s, 1, 0, 0);
        const br_function_def table = {BR_FUNCTION_SMOOTH, 0, NULL, 1, times, values, 3};
        mech_add_drive(b, mech_drive("move", BR_DRIVE_POSITION, "rail", table));
        mechanism m = mech_finish(b);
        double last = 0;
        for (int k = 0; k < 200; k++) {
            mechanism_steps(&m, 1);
            const double x = mech_position(&m, "rail");
            assert_true(x >= last - 1e-13 && x <= 1 + 1e-13);
            last = x;
        }
        assert_near(last, 1, 1e-13);
        assert_books_close(&m);
        mechanism_free(&m);
    }
}

// --- one spring in its four forms -----------------------------------------------------------------------------

typedef enum spring_form { JOINT_SPRING, POINT_SPRING, BUSHING, LOOP_SPRING, SPRING_FORMS } spring_form;

static const char *const spring_name[] = {"joint spring", "point spring", "bushing", "loop joint spring"};

// A mass on a rail along x with stiffness k and damping d about x = 0, let go at x0. With LOOP_SPRING the rail
// closes a loop: the body's own joint is free.
static mechanism oscillator(const br_settings *s, spring_form form, double mass, double k, double d,
                            double x0) {
    br_builder *b;
    if (form != LOOP_SPRING) {
        b = slider(s, mass, x0, 0);
    } else {
        b = mech_builder(s);
        mech_add_body(b, mech_body("slider", mass, 0, 0, 0));
    }
    if (form == JOINT_SPRING || form == LOOP_SPRING) {
        br_builder_destroy(b);
        b = mech_builder(s);
        mech_add_body(b, mech_body("slider", mass, form == LOOP_SPRING ? x0 : 0, 0, 0));
        br_joint_def rail =
            mech_joint(b, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "slider", br_vec3_zero(), br_vec3_unit(0));
        rail.stiffness[0] = k;
        rail.damping[0] = d;
        if (form == LOOP_SPRING) {
            rail.closes_loop = 1;
            rail.X_BM.position = br_vec3_zero(); // of the body, which stands at x0
        } else {
            rail.has_position = 1;
            rail.position[0] = x0;
        }
        mech_add_joint(b, rail);
    }
    br_load_def load =
        mech_load("spring", form == BUSHING ? BR_LOAD_BUSHING : BR_LOAD_SPRING, BR_WORLD, "slider");
    load.stiffness[0] = k;
    load.damping[0] = d;
    if (form == POINT_SPRING) {
        load.X_A.position = br_vec3_of(-2, 0, 0);
        load.length = 2;
    }
    if (form == POINT_SPRING || form == BUSHING) mech_add_load(b, load);
    return mech_finish(b);
}

// The theta scheme on x'' = -w^2 x with theta 1/2 turns (x, v/w) by 2 atan(w h/2) each step: energy is conserved
// and the position known to the last digits.
static void linear_springs_are_turned_exactly(void **state) {
    (void)state;
    const double k = 250, mass = 2.5, x0 = 0.3, h = 5e-3, turn = 2 * atan(sqrt(k / mass) * h / 2);
    for (int form = 0; form < SPRING_FORMS; form++)
        for (int ci = 0; ci < 2; ci++) {
            const br_settings s = weightless(1, ci, h);
            mechanism m = oscillator(&s, (spring_form)form, mass, k, 0, x0);
            const double energy = br_sim_energy(m.sim).total;
            assert_near(energy, 0.5 * k * x0 * x0, 1e-13);
            for (int n = 1; n <= 2000; n++) {
                mechanism_steps(&m, 1);
                const double x = mech_position(&m, "rail");
                if (!(fabs(x - x0 * cos(n * turn)) <= 2e-12) ||
                    !(fabs(br_sim_energy(m.sim).total - energy) <= 1e-12 * energy))
                    fail_msg("%s, %s, step %d: off by %g, energy by %g", spring_name[form],
                             ci ? "absolute" : "reduced", n, x - x0 * cos(n * turn),
                             br_sim_energy(m.sim).total - energy);
            }
            assert_books_close(&m);
            assert_near(br_sim_ledger(m.sim).scheme, 0, 1e-12 * energy);
            mechanism_free(&m);
        }
}

// theta 1: (x, v) is multiplied by the inverse of a matrix of determinant 1 + w^2 h^2 each step.
static void first_order_springs_decay_as_they_should(void **state) {
    (void)state;
    const double k = 250, mass = 2.5, x0 = 0.3, h = 5e-3, w = sqrt(k / mass);
    for (int form = 0; form < SPRING_FORMS; form++)
        for (int ci = 0; ci < 2; ci++) {
            const br_settings s = weightless(0, ci, h);
            mechanism m = oscillator(&s, (spring_form)form, mass, k, 0, x0);
            const double energy = br_sim_energy(m.sim).total;
            for (int n = 1; n <= 400; n++) {
                mechanism_steps(&m, 1);
                const double left = energy * pow(1 + w * w * h * h, -n);
                if (!(fabs(br_sim_energy(m.sim).total - left) <= 1e-12 * energy))
                    fail_msg("%s: energy %g, expected %g", spring_name[form], br_sim_energy(m.sim).total,
                             left);
            }
            assert_near(br_sim_ledger(m.sim).scheme, energy - br_sim_energy(m.sim).total, 1e-12 * energy);
            assert_books_close(&m);
            mechanism_free(&m);
        }
}

static void dampers_take_what_they_should(void **state) {
    (void)state;
    const double k = 250, mass = 2.5, d = 4, x0 = 0.3, h = 1e-3;
    const double decay = d / (2 * mass), w = sqrt(k / mass - decay * decay);
    for (int form = 0; form < SPRING_FORMS; form++) EACH_SETTING {
            const br_settings s = weightless(ti, ci, h);
            mechanism m = oscillator(&s, (spring_form)form, mass, k, d, x0);
            mechanism_steps(&m, 1000);
            const double exact = x0 * exp(-decay) * (cos(w) + decay / w * sin(w));
            assert_near(mech_position(&m, "rail"), exact, ti ? 3e-5 : 2e-2);
            assert_true(br_sim_ledger(m.sim).damping > 0);
            assert_books_close(&m);
            mechanism_free(&m);
        }
}

// However stiff: h w = 1e4 and more.
static void stiff_springs_stay_bounded(void **state) {
    (void)state;
    for (int form = 0; form < SPRING_FORMS; form++)
        for (int damped = 0; damped < 2; damped++) EACH_SETTING {
                const br_settings s = mech_settings(thetas[ti], both[ci], 1e-2);
                const double x0 = 1e-3;
                mechanism m = oscillator(&s, (spring_form)form, 1, 1e12, damped ? 1e9 : 0, x0);
                const double energy = br_sim_energy(m.sim).total;
                for (int n = 0; n < 300; n++) {
                    mechanism_steps(&m, 1);
                    const double x = mech_position(&m, "rail");
                    const br_ledger l = br_sim_ledger(m.sim);
                    if (!(fabs(x) <= x0 * (1 + 1e-9)) || !(l.now.total <= energy * (1 + 1e-9)) ||
                        !(fabs(l.unaccounted) <= 1e-9 * energy))
                        fail_msg("%s, theta %g, %s, %s, step %d: x %g, energy %g of %g, unaccounted %g",
                                 spring_name[form], thetas[ti], ci ? "absolute" : "reduced",
                                 damped ? "damped" : "undamped", n, x, l.now.total, energy, l.unaccounted);
                }
                mechanism_free(&m);
            }
}

// The same in a mechanism that turns: a stiff spring holds a swinging body to within what its load asks for.
static void stiff_springs_hold_swinging_bodies(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = mech_settings(thetas[ti], both[ci], 1e-2);
        br_builder *b = mech_builder(&s);
        mech_add_body(b, mech_body("bob", 1, 1, 0, 0));
        br_load_def line = mech_load("line", BR_LOAD_SPRING, BR_WORLD, "bob");
        line.stiffness[0] = 1e12;
        line.length = 1;
        mech_add_load(b, line);
        mechanism m = mech_finish(b);
        for (int n = 0; n < 300; n++) {
            mechanism_steps(&m, 1);
            const double r = br_vec3_norm(br_sim_body_pose(m.sim, 0).position);
            const br_ledger l = br_sim_ledger(m.sim);
            if (!(fabs(r - 1) < 0.05) || !(l.now.kinetic < 60))
                fail_msg("theta %g, %s, step %d: length %.9g, kinetic %g, elastic %g", thetas[ti],
                         ci ? "absolute" : "reduced", n, r, l.now.kinetic, l.now.elastic);
            assert_books_close(&m);
        }
        mechanism_free(&m);
    }
}

// --- drives ---------------------------------------------------------------------------------------------------

static void a_servo_saturates_exactly(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = weightless(ti, ci, 1e-3);
        br_builder *b = slider(&s, 2, 0, 0);
        br_drive_def servo = mech_drive("servo", BR_DRIVE_SERVO, "rail", br_function_constant(1));
        servo.stiffness = 1e5;
        servo.damping = 8e4;
        servo.max_effort = 3;
        mech_add_drive(b, servo);
        mechanism m = mech_finish(b);
        for (int n = 1; n <= 500; n++) {
            mechanism_steps(&m, 1);
            assert_near(mech_velocity(&m, "rail"), 1.5e-3 * n, 1e-13);
            assert_true(mech_read(&m, "servo.effort") == 3);
        }
        assert_near(br_sim_ledger(m.sim).input, br_sim_energy(m.sim).kinetic, 1e-12);
        mechanism_steps(&m, 6000); // arrives and stays, never pulling harder
        assert_near(mech_position(&m, "rail"), 1, 1e-3);
        assert_true(fabs(mech_read(&m, "servo.effort")) <= 3);
        assert_books_close(&m);
        mechanism_free(&m);
    }
}

// Speeds up with its largest force, holds the speed exactly, gives way to a load that is larger.
static void a_bounded_motor_gives_what_it_can(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = weightless(ti, ci, 1e-3);
        static const double times[] = {1, 1.0001}, values[] = {-1, -6};
        br_builder *b = slider(&s, 2, 0, 0);
        br_drive_def motor = mech_drive("motor", BR_DRIVE_VELOCITY, "rail", br_function_constant(1));
        motor.max_effort = 4;
        mech_add_drive(b, motor);
        const br_function_def table = {BR_FUNCTION_TABLE, 0, NULL, 1, times, values, 2};
        mech_add_drive(b, mech_drive("load", BR_DRIVE_EFFORT, "rail", table));
        mechanism m = mech_finish(b);
        for (int n = 1; n <= 1000; n++) {
            mechanism_steps(&m, 1);
            assert_near(mech_velocity(&m, "rail"), fmin(1.5e-3 * n, 1), 1e-12);
        }
        mechanism_steps(&m, 500);
        assert_near(mech_velocity(&m, "rail"), 1 - 0.5, 2e-3);
        assert_books_close(&m);
        mechanism_free(&m);
    }
}

// Two links, both prescribed: they follow, and the efforts are those of inverse dynamics.
static void prescribed_motion_is_followed(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = mech_settings(thetas[ti], both[ci], 5e-3);
        const br_vec3 y = br_vec3_unit(1);
        br_builder *b = mech_builder(&s);
        mech_add_body(b, mech_body("upper", 1, 0.25, 0, 0));
        mech_add_body(b, mech_body("lower", 0.7, 0.75, 0, 0));
        mech_add_joint(b, mech_joint(b, "p", BR_JOINT_REVOLUTE, BR_WORLD, "upper", br_vec3_zero(), y));
        mech_add_joint(b, mech_joint(b, "q", BR_JOINT_REVOLUTE, "upper", "lower", br_vec3_of(0.5, 0, 0), y));
        mech_add_drive(b, mech_drive("P", BR_DRIVE_POSITION, "p", mech_expression("0.7*sin(3*t)")));
        mech_add_drive(b, mech_drive("Q", BR_DRIVE_VELOCITY, "q", mech_expression("cos(2*t)")));
        mechanism m = mech_finish(b);
        for (int n = 1; n <= 300; n++) {
            mechanism_steps(&m, 1);
            const double t = br_sim_time(m.sim), vdot[2] = {-6.3 * sin(3 * t), -2 * sin(2 * t)};
            double tau[2];
            assert_near(mech_position(&m, "p"), 0.7 * sin(3 * t), 1e-12);
            assert_near(mech_velocity(&m, "p"), 2.1 * cos(3 * t), 5e-12);
            assert_near(mech_velocity(&m, "q"), cos(2 * t), 5e-12);
            br_sim_inverse_dynamics(m.sim, vdot, tau);
            assert_near(mech_read(&m, "P.effort"), tau[0], 1e-10);
            assert_near(mech_read(&m, "Q.effort"), tau[1], 1e-10);
            assert_books_close(&m);
        }
        mechanism_free(&m);
    }
}

static void a_driven_loop_follows_too(void **state) {
    (void)state;
    EACH_SETTING {
        mechanism m = mechanism_make(MECHANISM_DRIVEN, thetas[ti], both[ci], 2e-3);
        for (int n = 1; n <= 500; n++) {
            mechanism_steps(&m, 1);
            const double t = br_sim_time(m.sim), a = 7 * t + 0.3 * sin(9 * t);
            const double x = 0.2 * cos(a) + sqrt(0.36 - 0.04 * sin(a) * sin(a));
            assert_near(mech_position(&m, "main"), a, 1e-12);
            assert_near(br_sim_body_pose(m.sim, br_model_body_find(m.model, "piston")).position.x, x, 1e-12);
            const int sleigh = br_model_body_find(m.model, "sleigh"); // its blade never moves sideways
            const br_vec3 side = br_pose_vector(br_sim_body_pose(m.sim, sleigh), br_vec3_unit(1));
            assert_near(br_vec3_dot(side, br_sim_body_twist(m.sim, sleigh).linear), 0, 1e-12);
        }
        mechanism_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_equals_a_load),
        cmocka_unit_test(a_callbacks_effort_equals_a_drives),
        cmocka_unit_test(a_table_gives_its_area),
        cmocka_unit_test(a_smooth_table_does_not_overshoot),
        cmocka_unit_test(linear_springs_are_turned_exactly),
        cmocka_unit_test(first_order_springs_decay_as_they_should),
        cmocka_unit_test(dampers_take_what_they_should),
        cmocka_unit_test(stiff_springs_stay_bounded),
        cmocka_unit_test(stiff_springs_hold_swinging_bodies),
        cmocka_unit_test(a_servo_saturates_exactly),
        cmocka_unit_test(a_bounded_motor_gives_what_it_can),
        cmocka_unit_test(prescribed_motion_is_followed),
        cmocka_unit_test(a_driven_loop_follows_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
