// Limits are reached, held and left without rebound; gears and loop joints count their turns; the three planes of planar
// models are one.
#include "mechanisms.h"

static const double thetas[] = {1.0, 0.5};
static const br_coordinates both[] = {BR_REDUCED, BR_ABSOLUTE};

#define EACH_SETTING                                                                                         \
    for (int ti = 0; ti < 2; ti++)                                                                           \
        for (int ci = 0; ci < 2; ci++)

// A body of 1 kg on a rail along x between two stops, pulled by `pull`.
static mechanism slider(int ti, int ci, double h, double lower, double upper, double v0, const char *pull) {
    br_settings s = mech_settings(thetas[ti], both[ci], h);
    s.gravity = br_vec3_zero();
    br_builder *b = mech_builder(&s);
    mech_add_body(b, mech_body("slider", 1, 0, 0, 0));
    br_joint_def rail =
        mech_joint(b, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "slider", br_vec3_zero(), br_vec3_unit(0));
    rail.lower[0] = lower;
    rail.upper[0] = upper;
    rail.has_velocity = 1;
    rail.velocity[0] = v0;
    mech_add_joint(b, rail);
    mech_add_drive(b, mech_drive("pull", BR_DRIVE_EFFORT, "rail", mech_expression(pull)));
    return mech_finish(b);
}

// --- limits ---------------------------------------------------------------------------------------------------

// Wherever within a step the stop is met.
static void a_limit_is_reached_and_not_passed(void **state) {
    (void)state;
    for (int place = 0; place < 8; place++) EACH_SETTING {
            mechanism m = slider(ti, ci, 1e-2, -1, 0.1 + 1.3e-3 * place, 1.7, "0");
            const double upper = 0.1 + 1.3e-3 * place;
            int arrived = 0;
            for (int k = 0; k < 40; k++) {
                mechanism_steps(&m, 1);
                const double x = mech_position(&m, "rail"), v = mech_velocity(&m, "rail");
                assert_true(x <= upper + 1e-14);
                if (!(v >= -1e-12)) fail_msg("theta %g: rebounds with %g m/s", thetas[ti], v);
                if (x >= upper - 1e-13) arrived++;
                if (arrived > 2) assert_near(v, 0, 1e-12);
            }
            assert_true(arrived > 20);
            const br_ledger l = br_sim_ledger(m.sim); // all of the motion's energy was taken by the limit
            assert_near(l.damping + l.scheme, 0.5 * 1.7 * 1.7, 1e-9);
            assert_near(l.unaccounted, 0, 1e-12);
            mechanism_free(&m);
        }
}

// Beyond its stop by 0.1 m at the start: pushed out it stays where it is, pulled in it comes back, and what it has come back by is
// kept when it is pushed out again. Within its range the stop is the given one.
static void a_start_beyond_a_limit_is_kept(void **state) {
    (void)state;
    EACH_SETTING {
        mechanism m = slider(ti, ci, 1e-2, 0.1, 1, 0, "-3");
        mechanism_steps(&m, 100);
        assert_near(mech_position(&m, "rail"), 0, 1e-12);
        assert_near(br_sim_ledger(m.sim).damping, 0, 1e-12);
        mechanism_free(&m);
        // It comes to 1.6/(2 pi)^2 = 0.0405 m and stands still at 0.5 s; from there it is pushed outwards.
        m = slider(ti, ci, 1e-2, 0.1, 1, 0, "0.8*cos(2*pi*t)");
        double furthest = 0.0;
        for (int k = 0; k < 75; k++) {
            mechanism_steps(&m, 1);
            const double x = mech_position(&m, "rail");
            assert_true(x >= fmin(furthest, 0.1) - 1e-8);
            furthest = fmax(furthest, x);
        }
        assert_true(furthest > 0.03 && furthest < 0.09);
        assert_near(mech_position(&m, "rail"), furthest, 1e-8);
        mechanism_free(&m);
    }
}

static void a_limit_holds_and_lets_go(void **state) {
    (void)state;
    EACH_SETTING {
        const double h = 1e-3;
        mechanism m = slider(ti, ci, h, -1, 0.2, 0, "4*cos(pi*t)"); // turns its direction at 0.5 s
        for (int k = 1; k <= 1000; k++) {
            mechanism_steps(&m, 1);
            const double t = br_sim_time(m.sim), x = mech_position(&m, "rail");
            assert_true(x <= 0.2 + 1e-14);
            if (t > 0.36 && t < 0.5) assert_near(x, 0.2, 1e-13);
            if (t > 0.5 + 2 * h) assert_true(mech_velocity(&m, "rail") < 0);
        }
        assert_near(mech_velocity(&m, "rail"), -4 / BR_PI, ti ? 1e-5 : 1e-2);
        mechanism_free(&m);
    }
}

// Ranges shorter than what a step covers, down to none at all.
static void narrow_ranges_are_kept(void **state) {
    (void)state;
    static const double widths[] = {0.05, 1e-3, 0};
    for (int w = 0; w < 3; w++)
        for (int way = -1; way <= 1; way += 2) EACH_SETTING {
                mechanism m =
                    slider(ti, ci, 1e-2, -0.3 * widths[w], 0.7 * widths[w], way * 100.0, "300*sin(40*t)");
                for (int k = 0; k < 200; k++) {
                    mechanism_steps(&m, 1);
                    const double x = mech_position(&m, "rail");
                    if (!(x >= -0.3 * widths[w] - 1e-12 && x <= 0.7 * widths[w] + 1e-12))
                        fail_msg("theta %g, width %g, step %d: %g is outside", thetas[ti], widths[w], k, x);
                }
                mechanism_free(&m);
            }
}

// Two links fall onto their stops: what is not allowed never happens, energy only falls, and it ends at rest.
static void falling_onto_stops(void **state) {
    (void)state;
    EACH_SETTING {
        mechanism m = mechanism_make(MECHANISM_LIMITS, thetas[ti], both[ci], 2e-3);
        double last = br_sim_energy(m.sim).total;
        for (int k = 0; k < 1000; k++) {
            mechanism_steps(&m, 1);
            const double p = mech_position(&m, "shoulder"), q = mech_position(&m, "elbow");
            const double energy = br_sim_energy(m.sim).total;
            assert_true(p >= -0.3 - 1e-12 && p <= 0.7 + 1e-12);
            assert_true(q >= -0.2 - 1e-12 && q <= 0.4 + 1e-12);
            if (ti && !(energy <= last + 2e-4))
                fail_msg("step %d: the energy rises from %g to %g J", k, last, energy);
            last = energy;
        }
        // It does not swing about the stops either: what a force of the last step leaves is solved for in this one.
        assert_near(mech_position(&m, "shoulder"), 0.7, 1e-13);
        assert_near(mech_velocity(&m, "shoulder"), 0, 1e-10);
        assert_near(mech_position(&m, "elbow"), 0.4, 1e-13);
        mechanism_free(&m);
    }
}

// While a limit is held the step stays of second order: the elbow rests on its stop, the arm swings as one.
static void a_held_limit_keeps_the_order(void **state) {
    (void)state;
    double x[3];
    for (int k = 0; k < 3; k++) {
        br_settings s = mech_settings(0.5, BR_REDUCED, 4e-3 / (1 << k));
        br_builder *b = mech_builder(&s);
        const br_vec3 y = br_vec3_unit(1);
        mech_add_body(b, mech_body("upper", 1, 0.25, 0, 0));
        mech_add_body(b, mech_body("lower", 0.7, 0.75, 0, 0));
        mech_add_joint(b, mech_joint(b, "p", BR_JOINT_REVOLUTE, BR_WORLD, "upper", br_vec3_zero(), y));
        br_joint_def j = mech_joint(b, "q", BR_JOINT_REVOLUTE, "upper", "lower", br_vec3_of(0.5, 0, 0), y);
        j.lower[0] = 0;
        mech_add_joint(b, j);
        br_load_def lift = mech_load("lift", BR_LOAD_TORQUE, "lower", NULL);
        lift.component[1] = br_function_constant(-10); // against the stop, always
        mech_add_load(b, lift);
        mechanism m = mech_finish(b);
        mechanism_steps(&m, 100 << k);
        assert_near(mech_position(&m, "q"), 0, 1e-13);
        x[k] = mech_position(&m, "p");
        mechanism_free(&m);
    }
    const double order = log2(fabs(x[0] - x[1]) / fabs(x[1] - x[2]));
    if (!(order > 1.8)) fail_msg("order %g", order);
}

static void a_limit_in_a_loop_joint(void **state) {
    (void)state;
    EACH_SETTING {
        br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
        s.planar = BR_PLANAR_XY;
        s.gravity = br_vec3_of(0, -9.81, 0);
        br_builder *b = mech_builder(&s);
        const br_vec3 z = br_vec3_unit(2);
        mech_add_body(b, mech_body("crank", 1, 0.0, 0.15, 0));
        mech_add_body(b, mech_body("coupler", 2, 0.4, 0.4, 0));
        mech_add_body(b, mech_body("rocker", 1.5, 0.8, 0.25, 0));
        br_joint_def crank = mech_joint(b, "A", BR_JOINT_REVOLUTE, BR_WORLD, "crank", br_vec3_zero(), z);
        crank.has_velocity = 1;
        crank.velocity[0] = 2;
        mech_add_joint(b, crank);
        mech_add_joint(b,
                       mech_joint(b, "B", BR_JOINT_REVOLUTE, "crank", "coupler", br_vec3_of(0, 0.3, 0), z));
        mech_add_joint(b,
                       mech_joint(b, "D", BR_JOINT_REVOLUTE, BR_WORLD, "rocker", br_vec3_of(0.8, 0, 0), z));
        br_joint_def c =
            mech_joint(b, "C", BR_JOINT_REVOLUTE, "coupler", "rocker", br_vec3_of(0.8, 0.5, 0), z);
        c.closes_loop = 1;
        c.lower[0] = -0.15;
        c.upper[0] = 0.15;
        mech_add_joint(b, c);
        mechanism m = mech_finish(b);
        int at_limit = 0;
        for (int k = 0; k < 500; k++) {
            mechanism_steps(&m, 1);
            const double q = mech_position(&m, "C");
            // A loop joint's angle is not a coordinate: the step that arrives ends on the limit to second order.
            if (!(fabs(q) <= 0.15 + (at_limit > 5 ? 1e-9 : 2e-5)))
                fail_msg("theta %g, step %d: %.12g is outside", thetas[ti], k, q);
            at_limit += fabs(q) > 0.15 - 1e-5;
        }
        assert_true(at_limit > 50);
        assert_true(br_sim_ledger(m.sim).loop_error < 1e-11);
        mechanism_free(&m);
    }
}

typedef struct hits {
    int count;
    char last[BR_MAX_EVENT_NAME];
} hits;

static void count_hits(void *context, const br_event *event) {
    hits *h = context;
    if (event->kind != BR_EVENT_LIMIT) return;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", event->name);
}

static void a_hit_is_told_once(void **state) {
    (void)state;
    EACH_SETTING {
        mechanism m = slider(ti, ci, 1e-2, -1, 0.1, 1, "1");
        hits h = {0, ""};
        br_sim_set_event(m.sim, count_hits, &h);
        mechanism_steps(&m, 100);
        assert_int_equal(h.count, 1);
        assert_string_equal(h.last, "rail");
        mechanism_free(&m);
    }
}

static void a_weak_motor_stands_at_a_limit(void **state) {
    (void)state;
    EACH_SETTING {
        br_settings s = mech_settings(thetas[ti], both[ci], 1e-3);
        br_builder *b = mech_builder(&s);
        mech_limits(b);
        br_drive_def motor = mech_drive("motor", BR_DRIVE_VELOCITY, "shoulder", br_function_constant(-2));
        motor.max_effort = 30;
        mech_add_drive(b, motor);
        mechanism m = mech_finish(b);
        mechanism_steps(&m, 600);
        double nearest =
            1; // pressed against the lower stop, but for when the elbow strikes its own and kicks it off
        for (int k = 0; k < 400; k++) {
            mechanism_steps(&m, 1);
            assert_true(mech_position(&m, "shoulder") >= -0.3 - 1e-12);
            nearest = fmin(nearest,
                           fabs(mech_position(&m, "shoulder") + 0.3) + fabs(mech_velocity(&m, "shoulder")));
        }
        assert_near(nearest, 0, 1e-9);
        const br_ledger l = br_sim_ledger(m.sim);
        assert_near(l.unaccounted, 0, 1e-9 * mech_energy_scale(m.sim));
        mechanism_free(&m);
    }
}

// --- turns ----------------------------------------------------------------------------------------------------

// A slider-crank whose main bearing closes the loop, geared to a wheel and to a rack, run for a dozen turns.
static void turns_are_counted_in_loops(void **state) {
    (void)state;
    EACH_SETTING {
        br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
        const br_vec3 z = br_vec3_unit(2), x = br_vec3_unit(0);
        s.planar = BR_PLANAR_XY;
        s.gravity = br_vec3_zero();
        br_builder *b = mech_builder(&s);
        mech_add_body(b, mech_body("crank", 1, 0.1, 0, 0));
        mech_add_body(b, mech_body("rod", 1, 0.5, 0, 0));
        mech_add_body(b, mech_body("piston", 1, 0.8, 0, 0));
        mech_add_body(b, mech_body("wheel", 2, -1, 0, 0));
        mech_add_body(b, mech_body("idler", 1, -2, 0, 0));
        br_joint_def main_bearing =
            mech_joint(b, "main", BR_JOINT_REVOLUTE, BR_WORLD, "crank", br_vec3_zero(), z);
        main_bearing.closes_loop = 1;
        mech_add_joint(b, main_bearing);
        mech_add_joint(b, mech_joint(b, "big", BR_JOINT_REVOLUTE, "crank", "rod", br_vec3_of(0.2, 0, 0), z));
        mech_add_joint(b,
                       mech_joint(b, "small", BR_JOINT_REVOLUTE, "rod", "piston", br_vec3_of(0.8, 0, 0), z));
        mech_add_joint(
            b, mech_joint(b, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "piston", br_vec3_of(0.8, 0, 0), x));
        mech_add_joint(b,
                       mech_joint(b, "axle", BR_JOINT_REVOLUTE, BR_WORLD, "wheel", br_vec3_of(-1, 0, 0), z));
        mech_add_joint(b,
                       mech_joint(b, "pin", BR_JOINT_REVOLUTE, BR_WORLD, "idler", br_vec3_of(-2, 0, 0), z));
        br_joint_def gear = br_default_joint_def();
        gear.name = "gear";
        gear.type = BR_JOINT_GEAR;
        gear.first = "main";
        gear.second = "axle";
        gear.ratio = 0.75;
        mech_add_joint(b, gear);
        gear.name = "gear_2"; // between two joints of the tree
        gear.first = "axle";
        gear.second = "pin";
        gear.ratio = -3;
        mech_add_joint(b, gear);
        mech_add_drive(b,
                       mech_drive("motor", BR_DRIVE_VELOCITY, "axle", mech_expression("30*(1 - exp(-t))")));
        mechanism m = mech_finish(b);
        assert_true(br_model_joint_closes_loop(m.model, br_model_joint_find(m.model, "main")));
        while (br_sim_time(m.sim) < 4.5) {
            mechanism_steps(&m, 1);
            assert_near(mech_position(&m, "main"), -0.75 * mech_position(&m, "axle"), 1e-10);
            assert_near(mech_position(&m, "pin"), mech_position(&m, "axle") / 3, 1e-10);
        }
        assert_true(mech_position(&m, "main") < -12 * 2 * BR_PI);
        const double t = br_sim_time(m.sim), axle = 30 * (t - 1 + exp(-t));
        assert_near(mech_position(&m, "axle"), axle, ti ? 1e-4 : 0.05);
        const double a = mech_position(&m, "main");
        assert_near(br_sim_body_pose(m.sim, br_model_body_find(m.model, "piston")).position.x,
                    0.2 * cos(a) + sqrt(0.36 - 0.04 * sin(a) * sin(a)), 1e-9);
        mechanism_free(&m);
    }
}

// --- planes ---------------------------------------------------------------------------------------------------

static br_vec3 turned(br_vec3 a, int by) { // x -> y -> z -> x
    return by == 0 ? a : by == 1 ? br_vec3_of(a.z, a.x, a.y) : br_vec3_of(a.y, a.z, a.x);
}

static br_body_def turned_body(const char *name, double mass, br_vec3 at, int by) {
    br_body_def def = mech_body(name, mass, 0, 0, 0);
    def.pose.position = turned(at, by);
    const br_vec3 moments = turned(br_vec3_of(0.01, 0.02, 0.03), by);
    def.inertia = br_sym3_of(moments.x, moments.y, moments.z, 0, 0, 0);
    return def;
}

// A four-bar with springs and a limit in the plane that comes from xy by turning the axes.
static mechanism in_plane(int ti, int ci, int by) {
    static const br_planar planes[] = {BR_PLANAR_XY, BR_PLANAR_YZ, BR_PLANAR_XZ};
    br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
    s.planar = planes[by];
    s.gravity = turned(br_vec3_of(1, -9.81, 0), by);
    br_builder *b = mech_builder(&s);
    const br_vec3 n = turned(br_vec3_unit(2), by);
    mech_add_body(b, turned_body("crank", 1, br_vec3_of(0, 0.15, 0), by));
    mech_add_body(b, turned_body("coupler", 2, br_vec3_of(0.4, 0.4, 0), by));
    mech_add_body(b, turned_body("rocker", 1.5, br_vec3_of(0.8, 0.25, 0), by));
    br_body_def free_body = turned_body("puck", 1, br_vec3_of(0.2, 1, 0), by);
    free_body.has_velocity = 1;
    free_body.velocity = turned(br_vec3_of(0.4, 0.2, 0), by);
    free_body.angular_velocity = turned(br_vec3_of(0, 0, 2), by);
    mech_add_body(b, free_body);
    const br_vec3 points[] = {{0, 0, 0}, {0, 0.3, 0}, {0.8, 0.5, 0}, {0.8, 0, 0}};
    mech_add_joint(b, mech_joint(b, "A", BR_JOINT_REVOLUTE, BR_WORLD, "crank", turned(points[0], by), n));
    mech_add_joint(b, mech_joint(b, "B", BR_JOINT_REVOLUTE, "crank", "coupler", turned(points[1], by), n));
    mech_add_joint(b, mech_joint(b, "C", BR_JOINT_REVOLUTE, "coupler", "rocker", turned(points[2], by), n));
    br_joint_def d = mech_joint(b, "D", BR_JOINT_REVOLUTE, BR_WORLD, "rocker", turned(points[3], by), n);
    d.upper[0] = 0.4;
    d.damping[0] = 0.1;
    mech_add_joint(b, d);
    br_load_def line = mech_load("line", BR_LOAD_SPRING, "crank", "puck");
    line.X_A.position = turned(br_vec3_of(0.05, 0.1, 0), by);
    line.X_B.position = turned(br_vec3_of(-0.1, 0, 0), by);
    line.stiffness[0] = 300;
    mech_add_load(b, line);
    return mech_finish(b);
}

static void all_planes_are_alike(void **state) {
    (void)state;
    static const char *const bodies[] = {"crank", "coupler", "rocker", "puck"};
    static const char *const joints[] = {"A", "B", "C", "D"};
    EACH_SETTING {
        mechanism xy = in_plane(ti, ci, 0);
        mechanism_steps(&xy, 400);
        for (int by = 1; by < 3; by++) {
            mechanism other = in_plane(ti, ci, by);
            assert_int_equal(br_model_nv(other.model), br_model_nv(xy.model));
            mechanism_steps(&other, 400);
            for (int k = 0; k < 4; k++) {
                const int body = br_model_body_find(xy.model, bodies[k]);
                const br_pose a = br_sim_body_pose(xy.sim, body), b = br_sim_body_pose(other.sim, body);
                assert_vec3_near(turned(a.position, by), b.position, 1e-11);
                assert_near(mech_position(&xy, joints[k]), mech_position(&other, joints[k]), 1e-11);
                assert_near(mech_velocity(&xy, joints[k]), mech_velocity(&other, joints[k]), 1e-9);
            }
            const br_ledger l = br_sim_ledger(other.sim), l0 = br_sim_ledger(xy.sim);
            assert_near(l.now.total, l0.now.total, 1e-9);
            mechanism_free(&other);
        }
        mechanism_free(&xy);
    }
}

// 10 N are asked for and 2 N may be had, under each stepper.
static void an_effort_stays_within_its_largest(void **state) {
    (void)state;
    static const br_stepper steppers[] = {BR_STEPPER_CONTACT, BR_STEPPER_REFERENCE, BR_STEPPER_IMPLICIT};
    for (int k = 0; k < 3; k++) {
        br_settings s = mech_settings(1.0, BR_REDUCED, 1e-3);
        s.gravity = br_vec3_zero();
        s.solver.stepper = steppers[k];
        br_builder *b = mech_builder(&s);
        mech_add_body(b, mech_body("slider", 1, 0, 0, 0));
        mech_add_joint(b, mech_joint(b, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "slider", br_vec3_zero(),
                                     br_vec3_unit(0)));
        br_drive_def pull = mech_drive("pull", BR_DRIVE_EFFORT, "rail", br_function_constant(-10));
        pull.max_effort = 2;
        mech_add_drive(b, pull);
        mechanism m = mech_finish(b);
        mechanism_steps(&m, 100);
        assert_near(mech_velocity(&m, "rail"), -0.2, 1e-9);
        mechanism_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_reached_and_not_passed),
        cmocka_unit_test(a_start_beyond_a_limit_is_kept),
        cmocka_unit_test(a_limit_holds_and_lets_go),
        cmocka_unit_test(narrow_ranges_are_kept),
        cmocka_unit_test(falling_onto_stops),
        cmocka_unit_test(a_held_limit_keeps_the_order),
        cmocka_unit_test(a_limit_in_a_loop_joint),
        cmocka_unit_test(a_hit_is_told_once),
        cmocka_unit_test(a_weak_motor_stands_at_a_limit),
        cmocka_unit_test(an_effort_stays_within_its_largest),
        cmocka_unit_test(turns_are_counted_in_loops),
        cmocka_unit_test(all_planes_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
