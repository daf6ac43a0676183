// Static equilibrium (implicit_static*.c): closed forms, limit points and branches, what is free to move, what
// is left behind. Published beams are in tests/paper/test_beams.c.
#include "bristle/statics.h"
#include "scene.h"

static scene open_text(const char *text) {
    scene s = {NULL, NULL};
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "test", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail("test", &error);
    return s;
}

static br_static_settings to(double until, int steps, int arc) {
    br_static_settings s = br_default_static_settings();
    s.until = until, s.steps = steps, s.arc = arc;
    return s;
}

static br_static_report find(scene *s, br_static_settings settings) {
    br_static_report r;
    br_error error = {0};
    if (br_sim_static(s->sim, &settings, NULL, NULL, &r, &error) != BR_OK) scene_fail("static", &error);
    assert_true(r.reached);
    return r;
}

static br_error fails(scene *s, br_static_settings settings, br_status wanted, const char *code) {
    br_error error = {0};
    assert_int_equal(br_sim_static(s->sim, &settings, NULL, NULL, NULL, &error), wanted);
    assert_string_equal(error.code, code);
    return error;
}

// --- closed forms ------------------------------------------------------------------------------------------

static const char weighed_arm[] =
    "format: 1\n"
    "bodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}}\n"
    "joints: {pin: {revolute: [world, arm], axis: [0, -1, 0], at: [0, 0, 0], spring: {stiffness: 20}}}\n"
    "solver: {stepper: implicit}\n";

static void spring_carries_the_weight(void **state) {
    (void)state;
    scene s = open_text(weighed_arm);
    const br_static_report r = find(&s, to(1.0, 10, 0));
    const double angle = scene_joint_position(&s, "pin");
    assert_near(20.0 * angle, -2.0 * 9.81 * 0.5 * cos(angle), 1e-13); // Newton's method to rounding
    assert_near(scene_read(&s, "pin.reaction.force_world.z"), 2.0 * 9.81, 1e-12);
    assert_near(r.last.displacement, sin(0.5 * fabs(angle)), 1e-13);
    assert_near(br_sim_time(s.sim), 0.0, 0.0);
    assert_near(br_sim_energy(s.sim).elastic, 10.0 * angle * angle, 1e-13);
    scene_close(&s);
}

// w L^4/(8 EI) + w L^2/(2 kGA), small; consistent weights make the nodes of the line exact but for the
// distributed part.
static void cantilever_sags_under_its_weight(void **state) {
    (void)state;
    scene s = open_text("format: 1\n"
                        "beams: {rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 20, attach: {0: world},\n"
                        "  section: {EI: 1e5, GJ: 1e5, EA: 1e8, kGA: 1e6, mass: 1}}}\n"
                        "solver: {stepper: implicit}\n");
    find(&s, to(1.0, 1, 0));
    const double exact = 9.81 / 8e5 + 9.81 / 2e6, moment = 9.81 / 2;
    assert_near(-scene_read(&s, "rod.s1.position.z"), exact, 2e-3 * exact);
    assert_near(-scene_read(&s, "rod.attach_0.reaction.torque_world.y"), moment, 1e-8);
    assert_near(scene_read(&s, "rod.attach_0.reaction.force_world.z"), 9.81, 1e-8);
    scene_close(&s);
}

// Two springs to a slider: F(z) = 2 k (L_0/L - 1) z, largest where L^3 = L_0 b^2.
static void spring_toggle_turns_at_its_closed_form(void **state) {
    (void)state;
    const double b = 1.0, h = 0.3, k = 1000.0, L0 = hypot(b, h), L = cbrt(L0 * b * b),
                 z = sqrt(L * L - b * b);
    const double limit = 2.0 * k * (L0 / L - 1.0) * z;
    scene s = open_text(
        "format: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {slider: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 0.3]}}}\n"
        "joints: {guide: {prismatic: [world, slider], axis: [0, 0, 1]}}\n"
        "loads:\n"
        "  a: {spring: [world, slider], at: {world: [-1, 0, 0], slider: [0, 0, 0]}, stiffness: 1000}\n"
        "  b: {spring: [world, slider], at: {world: [1, 0, 0], slider: [0, 0, 0]}, stiffness: 1000}\n"
        "  push: {body: slider, force: [0, 0, -1]}\n"
        "solver: {stepper: implicit}\n");
    const br_static_report r = find(&s, to(3.0 * limit, 60, 1));
    assert_int_equal(r.events, 2);
    assert_int_equal(r.event[0].kind, BR_STATIC_MAXIMUM);
    assert_int_equal(r.event[1].kind, BR_STATIC_MINIMUM);
    assert_near(r.event[0].factor, limit, 1e-9 * limit); // 1e-5 of the slope, squared
    assert_near(r.event[1].factor, -limit, 1e-9 * limit);
    assert_true(scene_read(&s, "slider.position.z") < -0.3); // beyond
    assert_int_equal(r.last.unstable, 0);
    scene_close(&s);
}

// The end of the path is just below the limit, and the step that comes to it would go over the top and down again.
static void path_ends_before_a_limit_that_is_near(void **state) {
    (void)state;
    scene s = scene_open("beams/lee_frame.yaml", "");
    const br_static_report r = find(&s, to(18.547, 5, 1)); // the limit is at 18.54747
    assert_int_equal(r.events, 0);
    assert_near(r.last.factor, 18.547, 0.0);
    assert_int_equal(r.last.unstable, 0);
    scene_close(&s);
}

static const char column[] =
    "format: 1\n"
    "gravity: [0, 0, 0]\n"
    "params: {across: 0}\n"
    "beams: {mast: {from: [0, 0, 0], to: [0, 0, 1], elements: 16, attach: {0: world},\n"
    "  section: {EI: [1, 4], GJ: 1, EA: 1e6, kGA: 1e6, mass: 1}}}\n"
    "loads: {top: {body: mast.s1, force: [$across, $across, -1]}}\n"
    "solver: {stepper: implicit}\n";

// Euler: pi^2 EI/(4 L^2), of both directions.
static void column_buckles_at_eulers_loads(void **state) {
    (void)state;
    for (int arc = 0; arc < 2; arc++) {
        scene s = open_text(column);
        const br_static_report r = find(&s, to(12.0, 12, arc));
        const double euler = BR_PI * BR_PI / 4.0;
        assert_int_equal(r.events, 2);
        for (int k = 0; k < 2; k++) {
            print_message("branch between %.6f and %.6f, Euler %.6f\n", r.event[k].from, r.event[k].factor,
                          euler * (k ? 4 : 1));
            assert_int_equal(r.event[k].kind, BR_STATIC_BRANCH);
            // EA, kGA and 16 elements leave 1e-5 of it
            assert_near(r.event[k].factor, euler * (k ? 4 : 1), 1e-5 * euler * (k ? 4 : 1));
            assert_near(r.event[k].from, r.event[k].factor, 1e-6);
        }
        assert_int_equal(r.last.unstable, 2);
        scene_close(&s);
    }
}

// As stiff one way as the other: both motions turn at once, and the determinant keeps its sign.
static void round_column_buckles_both_ways_at_once(void **state) {
    (void)state;
    const br_override round = {"beams.mast.section.EI", "1"};
    br_error error = {0};
    scene s = {NULL, NULL};
    assert_int_equal(
        br_model_read_text(column, strlen(column), "test", &round, 1, NULL, &s.model, NULL, &error), BR_OK);
    assert_int_equal(br_sim_create(s.model, NULL, &s.sim, &error), BR_OK);
    const br_static_report r = find(&s, to(4.0, 4, 0));
    print_message("round: %d events, unstable %d\n", r.events, r.last.unstable);
    assert_true(r.events >= 1); // rounding may part them
    assert_near(r.event[0].factor, BR_PI * BR_PI / 4.0, 1e-5);
    assert_near(r.event[r.events - 1].factor, BR_PI * BR_PI / 4.0, 1e-5);
    assert_int_equal(r.last.unstable, 2);
    scene_close(&s);
}

static void imperfect_column_stays_on_its_path(void **state) {
    (void)state;
    br_static_report r;
    br_error error = {0};
    scene s = {NULL, NULL};
    const br_static_settings settings = to(4.0, 4, 0);
    br_override across = {"across", "0.001"};
    assert_int_equal(
        br_model_read_text(column, strlen(column), "test", &across, 1, NULL, &s.model, NULL, &error), BR_OK);
    assert_int_equal(br_sim_create(s.model, NULL, &s.sim, &error), BR_OK);
    assert_int_equal(br_sim_static(s.sim, &settings, NULL, NULL, &r, &error), BR_OK);
    assert_int_equal(r.events, 0);
    assert_int_equal(r.last.unstable, 0);
    // far over: at 4/2.4674 of Euler's load the elastica's top is 0.7 L aside and more
    assert_true(hypot(scene_read(&s, "mast.s1.position.x"), scene_read(&s, "mast.s1.position.y")) > 0.7);
    scene_close(&s);
}

// The same cantilever turned anyhow: the same distances.
static void answer_does_not_depend_on_the_frame(void **state) {
    (void)state;
    double found[2];
    static const char *const line[2] = {"from: [0, 0, 0], to: [1, 0, 0], up: [0, 0, 1]",
                                        "from: [3, 1, 2], to: [3, 1.6, 2.8], up: [1, 0, 0]"};
    static const char *const load[2] = {"[0, 1, 2]", "[2, 0.8, -0.6]"}; // section y, z: 1, 2
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "format: 1\ngravity: [0, 0, 0]\n"
                 "beams: {rod: {%s, attach: {0: world}, section: {EI: [1, 2], GJ: 1.5, EA: 1e3, kGA: 1e3, "
                 "mass: 1}}}\n"
                 "loads: {tip: {body: rod.s1, force: %s}}\nsolver: {stepper: implicit}\n",
                 line[k], load[k]);
        scene s = open_text(text);
        found[k] = find(&s, to(1.0, 5, 0)).last.displacement;
        scene_close(&s);
    }
    print_message("displacement %.15f and %.15f\n", found[0], found[1]);
    assert_near(found[0], found[1], 1e-12);
}

// --- joints ------------------------------------------------------------------------------------------------

static const char four_bar[] =
    "format: 1\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}\n"
    "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 1]}}\n"
    "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 0.5]}}\n"
    "joints:\n"
    "  A: {revolute: [world, crank], axis: [0, 1, 0], at: [0, 0, 0]%s}\n"
    "  B: {revolute: [crank, coupler], axis: [0, 1, 0], at: [0, 0, 1]}\n"
    "  C: {revolute: [coupler, rocker], axis: [0, 1, 0], at: [1, 0, 1]}\n"
    "  D: {revolute: [rocker, world], axis: [0, 1, 0], at: [1, 0, 0]}\n"
    "loads: {push: {body: coupler, force: [50, 0, 0]}}\n"
    "solver: {stepper: implicit}\n";

// Rigid bars in space: most have no stiffness of their own, and the loop's rows are redundant.
static void rigid_loop_hangs_on_one_spring(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, four_bar, ", spring: {stiffness: 200}");
    scene s = open_text(text);
    find(&s, to(1.0, 10, 0));
    const double a = scene_joint_position(&s, "A");
    // work: 50 cos a of the push, (1/2 + 1 + 1/2) g sin a of the weights, against 200 a
    assert_near(50.0 * cos(a) + 2.0 * 9.81 * sin(a), 200.0 * a, 1e-9);
    const double x = scene_read(&s, "A.reaction.force_world.x") - scene_read(&s, "D.reaction.force_world.x");
    const double z = scene_read(&s, "A.reaction.force_world.z") - scene_read(&s, "D.reaction.force_world.z");
    assert_near(x, -50.0, 1e-6); // rows that redundant ones share are known to 1e-8
    assert_near(z, 3.0 * 9.81, 1e-6);
    scene_close(&s);
}

static void drives_hold(void **state) {
    (void)state;
    scene s = open_text("format: 1\n"
                        "bodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}}\n"
                        "joints: {pin: {revolute: [world, arm], axis: [0, -1, 0], at: [0, 0, 0]}}\n"
                        "drives: {motor: {joint: pin, velocity: 3}}\n"
                        "solver: {stepper: implicit}\n");
    find(&s, to(1.0, 2, 0));
    assert_near(scene_joint_position(&s, "pin"), 0.0, 1e-14);
    assert_near(scene_joint_velocity(&s, "pin"), 0.0, 0.0); // at rest, though it is to turn
    assert_near(scene_read(&s, "motor.effort"), 2.0 * 9.81 * 0.5, 1e-12);
    scene_close(&s);
}

// --- what is free ------------------------------------------------------------------------------------------

static void what_can_move_freely_is_named(void **state) {
    (void)state;
    scene rod = open_text("format: 1\n"
                          "beams: {rod: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: 1, GJ: 1, EA: 1e4, "
                          "kGA: 1e4, mass: 1}}}\n"
                          "solver: {stepper: implicit}\n");
    const br_error e = fails(&rod, to(1.0, 10, 0), BR_NUMERICAL, "static-free");
    assert_non_null(strstr(e.message, "[0, 0, 1] without any force against it, and the loads push it"));
    scene_close(&rod);
}

// A parallelogram that nothing but its loads holds goes where they are in balance: tan a = -50/(2 m g), from upright.
static void loop_without_springs_hangs_on_its_loads(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, four_bar, "");
    scene s = open_text(text);
    const br_static_report r = find(&s, to(1.0, 10, 0));
    const double a = scene_joint_position(&s, "A");
    assert_near(50.0 * cos(a) + 2.0 * 9.81 * sin(a), 0.0, 1e-9);
    assert_true(cos(a) < 0.0); // below its hinges
    assert_int_equal(r.last.unstable, 0);
    assert_int_equal(r.last.neutral, 0);
    assert_non_null(strstr(r.start, "without the loads nothing holds it"));
    scene_close(&s);
}

// A rod between ball joints spins freely and nothing spins it: its sag is that of hinges, and the spin is told.
static void idle_freedom_is_left_alone(void **state) {
    (void)state;
    double sag[2];
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "format: 1\nbeams: {rod: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: 1, GJ: 1, EA: 1e4, "
                 "kGA: 1e4, mass: "
                 "0.1}}}\njoints: {a: {%s: [world, rod.s0]%s}, b: {spherical: [world, rod.s1]}}\nsolver: "
                 "{stepper: implicit}\n",
                 k ? "revolute" : "spherical", k ? ", axis: [0, 1, 0]" : "");
        scene s = open_text(text);
        const br_static_report r = find(&s, to(1.0, 10, 0));
        sag[k] = scene_read(&s, "rod.s0.5.position.z");
        if (k)
            assert_string_equal(r.free, "");
        else
            assert_non_null(strstr(r.free, "turns about"));
        scene_close(&s);
    }
    assert_near(sag[0], sag[1], 1e-9); // 1e-9 of the stiffness was added and iterated away
}

static void element_that_turns_too_far_is_named(void **state) {
    (void)state;
    scene s = scene_open("beams/roll_up.yaml", "beams.strip.elements=2");
    const br_error e = fails(&s, to(1.0, 10, 0), BR_NUMERICAL, "static-mesh");
    assert_non_null(strstr(e.message, "beam 'strip'"));
    // The last good point, factor 0.7, is what can be read.
    assert_near(scene_read(&s, "strip.s0.5.moment.y"), -0.7 * 2.0 * BR_PI, 1e-9);
    scene_close(&s);
}

static void mistakes_of_the_call_are_named(void **state) {
    (void)state;
    scene s = open_text(weighed_arm);
    fails(&s, to(0.0, 10, 0), BR_INVALID, "static-settings");
    fails(&s, to(1.0, 0, 0), BR_INVALID, "static-settings");
    fails(&s, to(NAN, 10, 0), BR_INVALID, "static-settings");
    scene_close(&s);
    scene contact = scene_open("benchmark/pendulum.yaml", "solver.stepper=contact");
    fails(&contact, to(1.0, 10, 0), BR_INVALID, "static-stepper");
    scene_close(&contact);
    scene idle = scene_open("beams/roll_up.yaml", "turns=0");
    fails(&idle, to(1.0, 10, 1), BR_INVALID, "static-no-load");
    find(&idle, to(1.0, 2, 0));
    scene_close(&idle);
}

// --- the path, and what is left ----------------------------------------------------------------------------

typedef struct visits {
    scene *s;
    int count;
    double factor[16], x[16];
} visits;

static int visit(void *context, const br_static_point *p) {
    visits *v = context;
    assert_int_equal(p->step, v->count);
    v->factor[v->count] = p->factor;
    v->x[v->count++] = scene_read(v->s, "strip.s1.position.x");
    return p->factor > 0.45;
}

static void callback_sees_every_point_and_ends_the_path(void **state) {
    (void)state;
    scene s = scene_open("beams/roll_up.yaml", "");
    visits v = {.s = &s};
    br_static_report r;
    br_error error = {0};
    const br_static_settings settings = to(1.0, 10, 0);
    assert_int_equal(br_sim_static(s.sim, &settings, visit, &v, &r, &error), BR_OK);
    assert_int_equal(v.count, 6);
    assert_int_equal(r.points, 6);
    assert_false(r.reached);
    for (int k = 1; k < 6; k++) {
        const double angle = 2.0 * BR_PI * v.factor[k];
        assert_near(v.factor[k], 0.1 * k, 1e-15);
        assert_near(v.x[k], sin(angle) / angle, 1e-13);
    }
    assert_near(scene_read(&s, "strip.s1.position.x"), v.x[5], 1e-13);
    scene_close(&s);
}

// The stepper, under both schemes, goes on from an equilibrium without moving.
static void stepper_stays_at_the_equilibrium(void **state) {
    (void)state;
    static const char *const scheme[2] = {"alpha", "energy_decaying"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "format: 1\nbeams: {rod: {from: [0, 0, 0], to: [1, 0, 0], attach: {0: world}, section: {EI: 1, "
            "GJ: 1, EA: "
            "1e4, kGA: 1e4, mass: 1, inertia: 1e-4}}}\nsolver: {stepper: implicit, step: 1 ms, scheme: %s}\n",
            scheme[k]);
        scene s = open_text(text);
        find(&s, to(1.0, 10, 0));
        const br_vec3 tip = scene_point(&s, "rod.s1", br_vec3_zero());
        scene_advance(&s, 0.1);
        print_message("%s: moved by %.1e m in 0.1 s\n", scheme[k],
                      br_vec3_distance(tip, scene_point(&s, "rod.s1", br_vec3_zero())));
        // forces are known to 1e-12 of EA/l, and the tip is 1e-4 of it
        assert_vec3_near(scene_point(&s, "rod.s1", br_vec3_zero()), tip, 1e-8);
        scene_close(&s);
    }
}

// From a factor that is not 1, steps begin with the whole load.
static void steps_after_a_part_of_the_load_have_all_of_it(void **state) {
    (void)state;
    scene s = open_text(weighed_arm);
    find(&s, to(0.5, 5, 0));
    const double half = scene_joint_position(&s, "pin");
    assert_near(20.0 * half, -0.5 * 2.0 * 9.81 * 0.5 * cos(half), 1e-13);
    scene_advance(&s, 0.01);
    assert_true(scene_joint_velocity(&s, "pin") < -0.01); // it falls on
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_carries_the_weight),
        cmocka_unit_test(cantilever_sags_under_its_weight),
        cmocka_unit_test(spring_toggle_turns_at_its_closed_form),
        cmocka_unit_test(path_ends_before_a_limit_that_is_near),
        cmocka_unit_test(column_buckles_at_eulers_loads),
        cmocka_unit_test(round_column_buckles_both_ways_at_once),
        cmocka_unit_test(imperfect_column_stays_on_its_path),
        cmocka_unit_test(answer_does_not_depend_on_the_frame),
        cmocka_unit_test(rigid_loop_hangs_on_one_spring),
        cmocka_unit_test(drives_hold),
        cmocka_unit_test(what_can_move_freely_is_named),
        cmocka_unit_test(loop_without_springs_hangs_on_its_loads),
        cmocka_unit_test(idle_freedom_is_left_alone),
        cmocka_unit_test(element_that_turns_too_far_is_named),
        cmocka_unit_test(mistakes_of_the_call_are_named),
        cmocka_unit_test(callback_sees_every_point_and_ends_the_path),
        cmocka_unit_test(stepper_stays_at_the_equilibrium),
        cmocka_unit_test(steps_after_a_part_of_the_load_have_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
