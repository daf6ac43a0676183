// Joint friction in the reference stepper: closed forms, events, what is at its maximum when it slips, and what it must report.
// Tolerances: tol is 1e-11 in most models, of each step a tenth of that; events are told by a slip of 1e-12 m/s or an excess of 1e-9 of
// a force, so instants are known to about 1e-8 s.
#include "scene.h"

#define GRAVITY 9.81
#define MAX_EVENTS 64

typedef struct event_log {
    br_event event[MAX_EVENTS];
    int count;
} event_log;

static void log_event(void *context, const br_event *event) {
    event_log *log = context;
    if (event->kind != BR_EVENT_LOAD_KNOT && log->count < MAX_EVENTS) log->event[log->count++] = *event;
}

static scene open_text(const char *text, event_log *log) {
    scene s = {NULL, NULL};
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "test.yaml", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail("test.yaml", &error);
    log->count = 0;
    br_sim_set_event(s.sim, log_event, log);
    return s;
}

static const br_event *find_event(const event_log *log, br_event_kind kind, const char *name, int n) {
    for (int k = 0; k < log->count; k++)
        if (log->event[k].kind == kind && strcmp(log->event[k].name, name) == 0 && n-- == 0)
            return &log->event[k];
    fail_msg("there is no such event of %s", name);
    return NULL;
}

// --- one joint -----------------------------------------------------------------------------------------------

#define INCLINE(mu)                                                                                          \
    "format: 1\n"                                                                                            \
    "bodies: {block: {mass: 2 kg, inertia: [1, 1, 1]}}\n"                                                    \
    "joints: {slide: {prismatic: [world, block], axis: [0.9396926207859084, 0, -0.3420201433256687], at: "   \
    "[0, 0, 0],\n"                                                                                           \
    "  friction: {law: coulomb, mu: " mu "}}}\n"                                                             \
    "solver: {stepper: reference, tol: 1e-11}\n"

static void block_on_an_incline_sticks_or_slides_as_coulomb_says(void **state) {
    (void)state;
    event_log log;
    scene s = open_text(INCLINE("0.3"), &log);
    scene_advance(&s, 2);
    // 20 degrees, mu 0.3: a = g (sin - mu cos) = 0.58970222 m/s^2
    const double a = GRAVITY * (0.3420201433256687 - 0.3 * 0.9396926207859084);
    assert_near(a, 0.58970222, 1e-8);
    assert_near(scene_read(&s, "slide.velocity"), 2 * a, 1e-10);
    assert_near(scene_read(&s, "slide.normal"), 2 * GRAVITY * 0.9396926207859084, 1e-9);
    assert_near(scene_read(&s, "slide.friction.force"), -0.3 * 2 * GRAVITY * 0.9396926207859084, 1e-9);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-9);
    scene_close(&s);
    s = open_text(INCLINE("0.364"), &log); // tan 20 degrees is 0.36397
    scene_advance(&s, 10);
    assert_true(scene_read(&s, "slide.velocity") == 0.0);
    assert_near(scene_read(&s, "slide.position"), 0, 1e-15);
    assert_int_equal(log.count, 0);
    scene_close(&s);
}

static void static_friction_is_overcome_when_the_load_says(void **state) {
    (void)state;
    event_log log;
    scene s = open_text("format: 1\n"
                        "gravity: [0, 0, -10]\n"
                        "bodies: {block: {mass: 2 kg, inertia: [1, 1, 1]}}\n"
                        "joints: {slide: {prismatic: [world, block], axis: x, at: [0, 0, 0],\n"
                        "  friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.2}}}\n"
                        "loads: {pull: {body: block, force: [\"4*t\", 0, 0]}}\n"
                        "solver: {stepper: reference, tol: 1e-11}\n",
                        &log);
    scene_advance(&s, 3);
    assert_int_equal(log.count, 1);
    assert_near(find_event(&log, BR_EVENT_SLIP, "slide", 0)->t, 2.5, 1e-8);
    assert_near(find_event(&log, BR_EVENT_SLIP, "slide", 0)->value, 10, 1e-7); // at its maximum
    // m dv/dt = 4 t - 4 from 2.5 s on
    assert_near(scene_read(&s, "slide.velocity"), 9.0 - 6.25 - 2 * 0.5, 1e-7);
    scene_close(&s);
}

// (v, r omega) with m = I/r^2: one speed, slowed by mu g, straight until it stops.
static void sleeve_slides_and_turns_as_one(void **state) {
    (void)state;
    event_log log;
    scene s = open_text("format: 1\n"
                        "bodies: {sleeve: {mass: 2 kg, inertia: [0.005, 0.02, 0.02], velocity: {linear: [1, "
                        "0, 0], angular: [20, 0, 0]}}}\n"
                        "joints: {rod: {cylindrical: [world, sleeve], axis: [1, 0, 0], at: [0, 0, 0],\n"
                        "  friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.25, pin_radius: 50 mm}}}\n"
                        "solver: {stepper: reference, tol: 1e-11}\n",
                        &log);
    const double stop = sqrt(2.0) / (0.25 * GRAVITY);
    scene_advance(&s, 0.5 * stop);
    assert_near(scene_read(&s, "rod.velocity.0"), 0.5, 1e-9);
    assert_near(scene_read(&s, "rod.velocity.1"), 10, 1e-8);
    scene_advance(&s, 1);
    assert_near(find_event(&log, BR_EVENT_STICK, "rod", 0)->t, stop, 1e-8);
    assert_near(scene_read(&s, "rod.position.0"), 0.5 * stop, 1e-8);
    assert_near(br_sim_ledger(s.sim).friction, 2.0, 1e-8);
    scene_close(&s);
}

static void ball_turns_about_one_axis_until_it_stops(void **state) {
    (void)state;
    event_log log;
    // Centre of mass at the ball: a plain deceleration mu m g r/I.
    scene s = open_text("format: 1\n"
                        "bodies: {top: {mass: 2 kg, inertia: [0.02, 0.02, 0.02], velocity: {linear: [0, 0, "
                        "0], angular: [3, 4, 0]}}}\n"
                        "joints: {ball: {spherical: [world, top], at: [0, 0, 0],\n"
                        "  friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.25, pin_radius: 20 mm}}}\n"
                        "solver: {stepper: reference, tol: 1e-11}\n",
                        &log);
    const double stop = 5 / (0.25 * 2 * GRAVITY * 0.02 / 0.02);
    scene_advance(&s, 2);
    assert_near(find_event(&log, BR_EVENT_STICK, "ball", 0)->t, stop, 1e-7);
    assert_near(br_sim_ledger(s.sim).friction, 0.5 * 0.02 * 25, 1e-8);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-8);
    scene_close(&s);
}

// tan(lead) = 0.01/(2 pi 0.01) = 0.15915: locks above, runs down below.
static void screw_locks_itself(void **state) {
    (void)state;
    static const char *const jack =
        "format: 1\n"
        "bodies: {nut: {mass: 100 kg, inertia: [1, 1, 0.5]}}\n"
        "joints: {thread: {screw: [world, nut], pitch: 10 mm, axis: z, at: [0, 0, 0],\n"
        "  friction: {law: coulomb, mu: %s, pin_radius: 10 mm}}}\n"
        "solver: {stepper: reference, tol: 1e-11, step: 10 ms}\n";
    const double rho = 0.01 / (2 * BR_PI), lead = atan(rho / 0.01);
    char text[600];
    event_log log;
    snprintf(text, sizeof text, jack, "0.1592");
    scene s = open_text(text, &log);
    scene_advance(&s, 1);
    assert_true(scene_read(&s, "thread.velocity") == 0.0);
    scene_close(&s);
    snprintf(text, sizeof text, jack, "0.1");
    s = open_text(text, &log);
    scene_advance(&s, 1);
    // Along the thread, with N = (m g + m a)/(cos + mu sin) on it, a = rho alpha < 0:
    // I alpha = -N sin r + mu N cos r, m rho alpha = N cos + mu N sin - m g
    const double up = cos(lead) + 0.1 * sin(lead), turn = 0.01 * (0.1 * cos(lead) - sin(lead));
    const double alpha = 100 * GRAVITY * turn / (0.5 * up - 100 * rho * turn);
    assert_near(scene_read(&s, "thread.velocity"), alpha, 1e-8);
    scene_close(&s);
}

// Pushed just beyond its limit, a puck that turns and slides: a_i (m_i + k) = Q_i with m = (m, J/arm^2) and k = mu N/|a|, by hand.
static void puck_starts_along_its_own_acceleration(void **state) {
    (void)state;
    static const struct {
        const char *inertia;
        double force, torque;
    } cases[] = {{"0.1", -2.442749, -0.145823}, {"0.001", -2.221107, -0.177768}};
    for (int k = 0; k < 2; k++) {
        char text[700];
        event_log log;
        snprintf(
            text, sizeof text,
            "format: 1\n"
            "bodies: {puck: {mass: 1 kg, inertia: [0.1, 0.1, %s]}}\n"
            "joints: {table: {planar: [world, puck], axis: z, at: [0, 0, 0],\n"
            "  friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.29, friction_arm: 0.1}}}\n"
            "loads: {push: {body: puck, force: [2.5, 0, 0]}, twist: {body: puck, torque: [0, 0, 0.18]}}\n"
            "solver: {stepper: reference, tol: 1e-10}\n",
            cases[k].inertia);
        scene s = open_text(text, &log);
        scene_advance(&s, 0.001);
        assert_near(scene_read(&s, "table.friction.force.0"), cases[k].force, 1e-6); // six decimals by hand
        assert_near(scene_read(&s, "table.friction.torque"), cases[k].torque, 1e-6);
        scene_close(&s);
    }
}

// 1 g carries 1e5 kg: rows that are independent although their matrix hardly shows it.
static void huge_ratio_of_masses_keeps_the_load(void **state) {
    (void)state;
    event_log log;
    scene s = open_text("format: 1\n"
                        "bodies: {cart: {mass: 1 g, inertia: [1e-6, 1e-6, 1e-6]}, load: {mass: 1e5 kg, "
                        "inertia: [1e3, 1e3, 1e3]}}\n"
                        "joints:\n"
                        "  guide: {prismatic: [world, cart], axis: x, at: [0, 0, 0], velocity: 1, friction: "
                        "{law: coulomb, mu: 0.2}}\n"
                        "  pin: {revolute: [cart, load], axis: z, at: [0, 0, 0]}\n"
                        "solver: {stepper: reference, tol: 1e-10}\n",
                        &log);
    scene_advance(&s, 0.001);
    assert_near(scene_read(&s, "guide.normal"), 100000.001 * GRAVITY, 1e-2);
    assert_near(scene_read(&s, "guide.velocity"), 1 - 0.2 * GRAVITY * 0.001, 1e-9);
    scene_close(&s);
}

// --- the two sliders -----------------------------------------------------------------------------------------

// Everything that starts to slide was at mu_static N just before, which the channels say too.
static void whatever_slips_was_at_its_maximum(void **state) {
    (void)state;
    event_log log;
    static const struct {
        const char *rule;
        double limit, slip;
        const char *first;
    } cases[] = {
        {"solver.redundancy=eliminate(pin_1.force.x)", 15.0 / 19, 1 + 127.0 / 150, "slide_2.friction"},
        {"solver.redundancy=pseudoinverse", 1 + 547.0 / 560, 2.575, "slide_1.friction"},
    };
    for (size_t k = 0; k < 2; k++) {
        scene s = scene_open("papers/wojtyra_example_2.yaml", cases[k].rule);
        log.count = 0;
        br_sim_set_event(s.sim, log_event, &log);
        scene_advance(&s, cases[k].slip - 1e-6);
        for (int j = 0; j < 2; j++) {
            const double f = scene_read(&s, j ? "slide_2.friction.force" : "slide_1.friction.force");
            const double n = scene_read(&s, j ? "slide_2.normal" : "slide_1.normal");
            assert_near(fabs(f) / (0.5 * n), 1, 1e-5); // 1e-6 s before
        }
        scene_advance(&s, cases[k].slip + 0.1);
        assert_int_equal(log.count, 3);
        assert_near(find_event(&log, BR_EVENT_LIMIT, cases[k].first, 0)->t, cases[k].limit, 1e-7);
        assert_near(find_event(&log, BR_EVENT_SLIP, "slide_1", 0)->t, cases[k].slip, 1e-7);
        assert_near(find_event(&log, BR_EVENT_SLIP, "slide_2", 0)->t, cases[k].slip, 1e-7);
        scene_close(&s);
    }
}

static void stiction_row_can_be_eliminated(void **state) {
    (void)state;
    scene s = scene_open("papers/wojtyra_example_2.yaml", "solver.redundancy=eliminate(slide_1.friction)");
    scene_advance(&s, 0.5); // all of P on slide 2, as without the pin's row
    assert_near(scene_read(&s, "slide_1.friction.force"), 0, 1e-10);
    assert_near(scene_read(&s, "slide_2.friction.force"), -24, 1e-9);
    scene_close(&s);
}

static void coordinates_do_not_matter(void **state) {
    (void)state;
    double v[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("papers/wojtyra_example_2.yaml",
                             k ? "solver.redundancy=pseudoinverse;coordinates=absolute"
                               : "solver.redundancy=pseudoinverse");
        scene_advance(&s, 3);
        v[k] = scene_read(&s, "slide_1.velocity");
        scene_close(&s);
    }
    assert_true(v[0] < -0.05);
    assert_near(v[0], v[1], 1e-8);
}

// --- what cannot be decided ----------------------------------------------------------------------------------

static void several_solutions_are_reported_with_the_joint(void **state) {
    (void)state;
    br_error error = {0};
    scene s;
    char path[512];
    snprintf(path, sizeof path, "%spapers/wojtyra_example_2.yaml", SCENE_FOLDER);
    const char *settings = "joints.slide_1.friction.mu_static=3;joints.slide_1.friction.mu_kinetic=3;"
                           "joints.slide_2.friction.mu_static=3;joints.slide_2.friction.mu_kinetic=3;"
                           "joints.slide_1.velocity=-0.5 m/s";
    if (scene_try(path, settings, &s, &error) != BR_OK) scene_fail("high friction", &error);
    assert_int_equal(br_sim_advance(s.sim, 0.1, &error), BR_NUMERICAL);
    assert_string_equal(error.code, "friction-several");
    assert_non_null(strstr(error.message, "slide_"));
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_an_incline_sticks_or_slides_as_coulomb_says),
        cmocka_unit_test(static_friction_is_overcome_when_the_load_says),
        cmocka_unit_test(sleeve_slides_and_turns_as_one),
        cmocka_unit_test(ball_turns_about_one_axis_until_it_stops),
        cmocka_unit_test(screw_locks_itself),
        cmocka_unit_test(puck_starts_along_its_own_acceleration),
        cmocka_unit_test(huge_ratio_of_masses_keeps_the_load),
        cmocka_unit_test(whatever_slips_was_at_its_maximum),
        cmocka_unit_test(stiction_row_can_be_eliminated),
        cmocka_unit_test(coordinates_do_not_matter),
        cmocka_unit_test(several_solutions_are_reported_with_the_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
