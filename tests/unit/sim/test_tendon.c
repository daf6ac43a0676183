// Tendons: lengths and rates against differences, forces against closed forms, energy, what is refused.
#include <math.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#define TWO_BODIES                                                                                           \
    "bodies:\n"                                                                                              \
    "  drum: {mass: 3 kg, com: [0.02, 0.03, 0.01], inertia: [0.05, 0.04, 0.03]}\n"                           \
    "  a: {mass: 1 kg, inertia: [0.01, 0.02, 0.015], pose: {position: [-0.2, 0.03, -0.5]}}\n"                \
    "  b: {mass: 1.5 kg, inertia: [0.01, 0.02, 0.03], pose: {position: [0.2, 0.05, -0.6]}}\n"
// A rope with everything: a shape on a body that turns and moves, a side, pulleys, several stretches.
#define ROPE(shape)                                                                                          \
    "  rope:\n    tendon:\n      - {point: a, at: [0.01, 0, 0.02]}\n      - " shape "\n"                     \
    "      - {point: b, at: [0, 0.02, 0.03]}\n      - {pulley: 2}\n      - {point: b}\n"                     \
    "      - {point: world, at: [0.3, -0.2, 0.1]}\n"
#define MOVING(shape, more)                                                                                  \
    "format: 1\n" TWO_BODIES "joints:\n"                                                                     \
    "  d: {spherical: [world, drum], at: [0, 0, 0], velocity: [0.3, 1.1, -0.4]}\n"                           \
    "  ja: {prismatic: [world, a], axis: [0.1, 0.2, 1], velocity: 0.4}\n"                                    \
    "  jb: {free: [world, b], velocity: [0.2, -0.1, 0.3, 0.5, -0.7, 0.2]}\n" ROPE(shape) more

typedef struct world {
    br_model *model;
    br_sim *sim;
} world;

static world open_with(const char *text, const char *set, const char *to) {
    world w = {0};
    br_error error = {0};
    const br_override change = {set, to};
    if (br_model_read(temp_write("tendon.yaml", text), &change, set ? 1 : 0, NULL, &w.model, NULL, &error) !=
        BR_OK)
        fail_msg("%d: %s", error.line, error.message);
    if (br_sim_create(w.model, NULL, &w.sim, &error) != BR_OK) fail_msg("%s", error.message);
    return w;
}

static world open_text(const char *text) {
    return open_with(text, NULL, NULL);
}

static void close_world(world *w) {
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
}

static double channel(world *w, const char *name) {
    br_channel c;
    br_error error = {0};
    double value = NAN;
    if (br_sim_channel_find(w->sim, name, &c, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    if (br_sim_channel_read(w->sim, &c, &value, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    return value;
}

static void advance(world *w, double t) {
    br_error error = {0};
    if (br_sim_advance(w->sim, t, &error) != BR_OK) fail_msg("%s", error.message);
}

static const char *const shapes[] = {
    ("{cylinder: 0.1 m, on: drum, at: [0.02, 0, 0], axis: [0.1, 1, 0.2]}"),
    ("{cylinder: 0.1 m, on: drum, at: [0.02, 0, 0], axis: [0.1, 1, 0.2], side: {world: [0, 0, 1]}}"),
    ("{cylinder: 0.1 m, on: drum, at: [0.02, 0, -0.3], axis: [0.1, 1, 0.2], side: {drum: [0.02, 0.01, "
     "-0.29]}}"),
    ("{sphere: 0.12 m, on: drum, at: [0.02, 0.05, -0.45], side: {world: [0, 0, 1]}}"),
    ("{sphere: 0.05 m, on: drum, at: [0.02, 0.05, 0.2], side: {drum: [0.02, 0.05, 0.21]}}"),
    ("{point: drum, at: [0.05, 0.02, 0.1]}"),
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static world moving(int shape, const char *more, const char *set, const char *to) {
    char text[4000];
    snprintf(text, sizeof text, MOVING("%s", "%s"), shapes[shape], more);
    return open_with(text, set, to);
}

// Positions h later along the velocities of the state: a step without forces does it to the order of its free flight, so the tolerance
// is that of a central difference over 1e-5 s.
static void rates_are_those_of_lengths(void **state) {
    (void)state;
    const double h = 1e-5;
    for (int k = 0; k < SHAPES; k++) {
        world w = moving(k, "solver: {stepper: reference, tol: 1e-12}\n", NULL, NULL);
        double length[3], rate[3];
        for (int i = 0; i < 3; i++) {
            length[i] = channel(&w, "rope.position"), rate[i] = channel(&w, "rope.velocity");
            if (i < 2) advance(&w, (i + 1) * h);
        }
        // Simpson's rule over both steps has an error of h^5.
        assert_near((length[2] - length[0]) / (2.0 * h), (rate[0] + 4.0 * rate[1] + rate[2]) / 6.0, 1e-9);
        close_world(&w);
    }
}

static void second_rates_are_those_of_rates(void **state) {
    (void)state;
    const double h = 1e-4;
    for (int k = 0; k < SHAPES; k++) {
        world w = moving(k, "solver: {stepper: reference, tol: 1e-12}\n", NULL, NULL);
        double rate[3], second[3];
        for (int i = 0; i < 3; i++) {
            rate[i] = channel(&w, "rope.velocity"), second[i] = channel(&w, "rope.acceleration");
            if (i < 2) advance(&w, (i + 1) * h);
        }
        // 1e-8 of the difference of rates on the way, of which the integrator leaves 1e-12/1e-4.
        assert_near((rate[2] - rate[0]) / (2.0 * h), (second[0] + 4.0 * second[1] + second[2]) / 6.0,
                    3e-8 * (1.0 + fabs(second[1])));
        close_world(&w);
    }
}

// M (vdot with the spring - vdot without) = -J^T f, J by differences of the length over each velocity, through br_sim_set_state.
static void forces_are_the_gradient_of_the_length(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        world with = moving(k, "    spring: {stiffness: 100, rest: 0.3}\n", NULL, NULL),
              without = moving(k, "", NULL, NULL);
        const int nv = br_model_nv(with.model), nq = br_model_nq(with.model);
        double a[16], b[16], M[256], q[20], v[16] = {0.0};
        br_error error = {0};
        memcpy(q, br_sim_q(with.sim), (size_t)nq * sizeof *q);
        for (world *w = &with; w; w = w == &with ? &without : NULL) {
            assert_int_equal(br_sim_set_state(w->sim, 0.0, q, v, &error), BR_OK);
            assert_int_equal(br_sim_acceleration(w->sim, w == &with ? a : b, &error), BR_OK);
        }
        const double f = 100.0 * (channel(&with, "rope.position") - 0.3);
        br_sim_mass_matrix(with.sim, M);
        for (int i = 0; i < nv; i++) {
            double pull = 0.0, rate;
            for (int j = 0; j < nv; j++) pull += M[i * nv + j] * (a[j] - b[j]);
            memset(v, 0, sizeof v), v[i] = 1.0;
            assert_int_equal(br_sim_set_state(without.sim, 0.0, q, v, &error), BR_OK);
            rate = channel(&without, "rope.velocity");
            assert_near(pull, -rate * f, 1e-9 * f);
        }
        close_world(&with), close_world(&without);
    }
}

// Energy of an undamped run: the error of a step of second order falls four times with its half.
static double energy_error(int shape, const char *step, const char *coordinates) {
    char more[400];
    snprintf(more, sizeof more,
             "    spring: {stiffness: 300, rest: 0.9}\ncoordinates: %s\nsolver: {step: %s}\n", coordinates,
             step);
    world w = moving(shape, more, NULL, NULL);
    double most = 0.0;
    const double start = br_sim_energy(w.sim).total;
    for (int k = 1; k <= 10; k++) { // later it slips off, which shortens it at once
        advance(&w, 0.005 * k);
        most = fmax(most, fabs(br_sim_energy(w.sim).total - start));
    }
    // All of it is the scheme's.
    assert_near(br_sim_ledger(w.sim).unaccounted, 0.0, 1e-10 * (1.0 + fabs(start)));
    close_world(&w);
    return most;
}

static void energy_is_kept_to_second_order(void **state) {
    (void)state;
    static const int smooth[] = {1, 3, 5}; // those that stay on their shape
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++)
        for (int c = 0; c < 2; c++) {
            const char *coordinates = c ? "absolute" : "reduced";
            const double coarse = energy_error(smooth[i], "2 ms", coordinates),
                         fine = energy_error(smooth[i], "1 ms", coordinates);
            if (!(fine < coarse / 3.0 && coarse < 0.1)) // of 97 J
                fail_msg("shape %d, %s: %g J at 2 ms, %g J at 1 ms", smooth[i], coordinates, coarse, fine);
        }
}

#define ATWOOD(path, more)                                                                                   \
    "format: 1\nbodies:\n"                                                                                   \
    "  a: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [-0.2, 0, 0]}}\n"                       \
    "  b: {mass: 2 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [0.2, 0, 0]}}\n"                        \
    "joints:\n"                                                                                              \
    "  ja: {prismatic: [world, a], axis: [0, 0, 1]}\n"                                                       \
    "  jb: {prismatic: [world, b], axis: [0, 0, 1]}\n"                                                       \
    "  rope:\n    tendon: " path "\n" more

static const char *const steppers[] = {"contact", "reference"};

// Two weights on a rope that does not stretch: g/3, and the tension 2 m1 m2 g/(m1 + m2).
static void a_rope_of_fixed_length_pulls_and_does_not_push(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        world w = open_with(
            ATWOOD(
                "[{point: a}, {point: world, at: [-0.2, 0, 1]}, {point: world, at: [0.2, 0, 1]}, {point: b}]",
                "    limits: [0, 2.4 m]\n"),
            "solver.stepper", steppers[s]);
        advance(&w, 0.3);
        assert_near(channel(&w, "ja.position"), 0.5 * 9.81 / 3.0 * 0.09, 1e-9);
        assert_near(channel(&w, "rope.tension"), 4.0 / 3.0 * 9.81, 1e-6);
        close_world(&w);
        // Lifted above what its rope would hold: it falls freely until the rope is taut.
        w = open_with(ATWOOD("[{point: world, at: [0.2, 0, 1]}, {point: b}]", "    limits: [0, 1.1 m]\n"),
                      "solver.stepper", steppers[s]);
        advance(&w, 0.1);
        assert_near(channel(&w, "jb.position"), -0.5 * 9.81 * 0.01, 1e-9);
        assert_near(channel(&w, "rope.tension"), 0.0, 1e-12);
        advance(&w, 0.5);
        assert_near(channel(&w, "jb.position"), -0.1, 1e-6);
        assert_near(channel(&w, "rope.tension"), 2.0 * 9.81, 1e-6);
        close_world(&w);
    }
}

// A tackle: b hangs on two stretches of one rope, which a holds with half of b's weight. Then a pulley that halves what b takes part
// in: T/m1 + T/(4 m2) = 3/2 g, as the length L_a + L_b/2 stays.
static void stretches_add_up_and_pulleys_divide(void **state) {
    (void)state;
    br_error error = {0};
    double vdot[2];
    world w = open_text(
        ATWOOD("[{point: a}, {point: world, at: [-0.2, 0, 1]}, {point: world, at: [0.2, 0, 1]}, {point: b}, "
               "{point: world, at: [0.2, 0, 1]}]",
               "    limits: [0, 3.4 m]\n"));
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(vdot[0], 0.0, 1e-12);
    assert_near(vdot[1], 0.0, 1e-12);
    assert_near(channel(&w, "rope.tension"), 9.81, 1e-9);
    close_world(&w);
    w = open_text(ATWOOD("[{point: a}, {point: world, at: [-0.2, 0, 1]}, {pulley: 2}, {point: world, at: "
                         "[0.2, 0, 1]}, {point: b}]",
                         "    limits: [0, 1.5 m]\n"));
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    const double T = 1.5 * 9.81 / (1.0 + 1.0 / 8.0);
    assert_near(channel(&w, "rope.tension"), T, 1e-9);
    assert_near(vdot[0], T - 9.81, 1e-12);
    assert_near(vdot[1], T / 4.0 - 9.81, 1e-12);
    close_world(&w);
}

static void an_elastic_rope_is_slack_below_its_length(void **state) {
    (void)state;
    // 2 kg fall 0.1 m and stretch the rope by x: m g (0.1 + x) = k x^2/2.
    const double k = 4000.0, mg = 2.0 * 9.81, x = (mg + sqrt(mg * mg + 2.0 * k * mg * 0.1)) / k;
    for (int s = 0; s < 2; s++) {
        world w = open_with(
            ATWOOD("[{point: world, at: [0.2, 0, 1]}, {point: b}]",
                   "    spring: {stiffness: 4000, rest: 0, slack: 1.1 m}\nsolver: {step: 0.2 ms}\n"),
            "solver.stepper", steppers[s]);
        double lowest = 0.0;
        for (int i = 1; i <= 300; i++) {
            advance(&w, 0.001 * i);
            lowest = fmin(lowest, channel(&w, "jb.position"));
        }
        // Rows each millisecond miss the lowest point by a g h^2/8, some 1e-5 m; becoming taut is of the first order in contact steps.
        assert_near(lowest, -0.1 - x, 3e-5 + (s ? 0.0 : 3e-4));
        close_world(&w);
    }
}

static void a_winch_winds_exactly(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        world w = open_with(ATWOOD("[{point: world, at: [-0.3, 0, 0]}, {cylinder: 0.1 m, on: world, at: [0, "
                                   "0, 1], axis: y, side: "
                                   "{world: [0, 0, 2]}}, {point: b}]",
                                   "drives:\n  winch: {joint: rope, position: 2.4 - 0.1*t*t}\n"),
                            "solver.stepper", steppers[s]);
        advance(&w, 0.5);
        assert_near(channel(&w, "rope.position"), 2.375, 1e-9);
        assert_near(channel(&w, "winch.effort"), -channel(&w, "rope.tension"), 1e-9);
        close_world(&w);
    }
}

static void a_tendon_of_joints_is_their_weighted_sum(void **state) {
    (void)state;
    world w =
        open_text(ATWOOD("[{joint: ja, factor: 2}, {joint: jb, factor: -0.5}]",
                         "    spring: {stiffness: 50, rest: 0.1}\n    damping: 3\ngravity: [0, 0, 0]\n"));
    const double q[2] = {0.3, 0.2}, v[2] = {0.1, -0.4};
    double vdot[2];
    br_error error = {0};
    assert_int_equal(br_sim_set_state(w.sim, 0.0, q, v, &error), BR_OK);
    assert_near(channel(&w, "rope.position"), 0.5, 1e-15);
    assert_near(channel(&w, "rope.velocity"), 0.4, 1e-15);
    assert_int_equal(br_sim_acceleration(w.sim, vdot, &error), BR_OK);
    assert_near(channel(&w, "rope.tension"), 50.0 * 0.4 + 3.0 * 0.4, 1e-12);
    assert_near(vdot[0], -2.0 * 21.2, 1e-12);
    assert_near(vdot[1], 0.5 * 21.2 / 2.0, 1e-12);
    close_world(&w);
}

static void another_steppers_refusal_names_the_tendon(void **state) {
    (void)state;
    br_error error = {0};
    world w = open_with(ATWOOD("[{point: a}, {point: b}]", ""), "solver.stepper", "implicit");
    assert_int_equal(br_model_runnable(w.model, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "tendon 'rope'"));
    assert_non_null(strstr(error.message, "{stepper: contact}"));
    close_world(&w);
}

static void bad_paths_are_named(void **state) {
    (void)state;
    static const struct {
        const char *path, *code, *says;
    } bad[] = {
        {"[{point: a}]", "tendon-path", "one point only"},
        {"[{point: a}, {pulley: 0}, {point: b}]", "tendon-path", "divisor"},
        {"[{point: a}, {pulley: 2}, {point: b}]", "tendon-path", "one point only before a pulley"},
        {"[{sphere: 0.1, on: world}, {point: b}]", "tendon-path", "a point must come before and after"},
        {"[{point: a}, {sphere: 0, on: world}, {point: b}]", "tendon-path", "radius"},
        {"[{point: a}, {sphere: -1, on: world}, {point: b}]", "tendon-path", "radius"},
        {"[{point: a}, {joint: jb}]", "tendon-path", "one or the other"},
        {"[{point: a}, {point: a, at: [0, 0, 1]}]", "tendon-path", "cannot change"},
        {"[{point: a}, {point: world, at: [-0.2, 0, 0]}]", "tendon-path", "no direction"},
        {"[{joint: rope}]", "tendon-path", "a tendon itself"},
        {"[{joint: ja, coordinate: 1}]", "tendon-path", "coordinate 1"},
        {"[{point: a}, {point: c}]", "yaml-reference", "'c'"},
        {"[{point: a, on: b}, {point: b}]", "yaml-unknown-key", "'on'"},
        {"[{at: [0, 0, 0]}, {point: b}]", "yaml-missing-key", "no kind"},
        {"[a, b]", "yaml-type", "part 1"},
        {"[{point: a}, {point: b, at: [1e999, 0, 0]}]", NULL, "1e999"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[2000];
        br_error error = {0};
        br_model *model = NULL;
        snprintf(text, sizeof text, ATWOOD("%s", ""), bad[k].path);
        assert_true(br_model_read(temp_write("bad.yaml", text), NULL, 0, NULL, &model, NULL, &error) !=
                    BR_OK);
        if ((bad[k].code && strcmp(error.code, bad[k].code) != 0) || !strstr(error.message, bad[k].says) ||
            error.line < 1)
            fail_msg("%s: %d: %s: %s", bad[k].path, error.line, error.code, error.message);
    }
}

// The point inside the wrap radius is said, and the rope goes straight.
static void an_end_inside_a_shape_is_said(void **state) {
    (void)state;
    world w = open_text(
        ATWOOD("[{point: a}, {sphere: 0.5 m, on: world, at: [0, 0, 0]}, {point: b, at: [1, 0, 0]}]", ""));
    assert_non_null(strstr(br_model_notes(w.model), "goes straight past part 2"));
    assert_near(channel(&w, "rope.position"), 1.4, 1e-12);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_lengths),
        cmocka_unit_test(second_rates_are_those_of_rates),
        cmocka_unit_test(forces_are_the_gradient_of_the_length),
        cmocka_unit_test(energy_is_kept_to_second_order),
        cmocka_unit_test(a_rope_of_fixed_length_pulls_and_does_not_push),
        cmocka_unit_test(stretches_add_up_and_pulleys_divide),
        cmocka_unit_test(an_elastic_rope_is_slack_below_its_length),
        cmocka_unit_test(a_winch_winds_exactly),
        cmocka_unit_test(a_tendon_of_joints_is_their_weighted_sum),
        cmocka_unit_test(another_steppers_refusal_names_the_tendon),
        cmocka_unit_test(bad_paths_are_named),
        cmocka_unit_test(an_end_inside_a_shape_is_said),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
