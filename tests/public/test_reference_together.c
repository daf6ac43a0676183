// Everything that pushes one way, slides or is bounded, together in the reference stepper: answers in closed form, books that close, and the
// motion to which those of the contact stepper come as its steps become shorter.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

typedef struct together {
    double position, velocity; // of the first joint
    double effort;             // of the first drive
    br_ledger ledger;
} together;

static together run_together(const char *text, const char *solver, double until) {
    char whole[4096];
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    together a = {0};
    snprintf(whole, sizeof whole, "%ssolver: {%s}\n", text, solver);
    if (br_model_read_text(whole, strlen(whole), "together", NULL, 0, NULL, &model, NULL, &error) != BR_OK ||
        br_sim_create(model, NULL, &sim, &error) != BR_OK || br_sim_advance(sim, until, &error) != BR_OK)
        fail_msg("%s: %s", whole, error.message);
    double q[7], v[6];
    br_sim_joint_position(sim, 0, q), br_sim_joint_velocity(sim, 0, v);
    a.position = q[0], a.velocity = v[0];
    a.ledger = br_sim_ledger(sim);
    br_channel channel;
    if (strstr(text, "drives:") && (br_sim_channel_find(sim, "d.effort", &channel, &error) != BR_OK ||
                                    br_sim_channel_read(sim, &channel, &a.effort, &error) != BR_OK))
        fail_msg("%s", error.message);
    br_sim_destroy(sim), br_model_destroy(model);
    return a;
}

// What the contact stepper is off by at a first step and three halves of it. Events fall anywhere in its steps, so that errors are of first order with a factor
// of their own each: over three halvings they must fall by four.
static void comes_to_it_from(int first_us, const char *what, const char *text, double until, double most) {
    const together exact = run_together(text, "stepper: reference", until);
    double error[4];
    for (int k = 0; k < 4; k++) {
        char solver[64];
        snprintf(solver, sizeof solver, "stepper: contact, step: %d us", first_us >> k);
        error[k] = fabs(run_together(text, solver, until).position - exact.position);
    }
    print_message("%-28s %.2e %.2e %.2e %.2e off the reference stepper\n", what, error[0], error[1], error[2],
                  error[3]);
    assert_true(error[3] <= most);
    assert_true(error[3] <= 0.25 * error[0] || error[0] <= 1e-9);
}

static void comes_to_it(const char *what, const char *text, double until, double most) {
    comes_to_it_from(4000, what, text, until, most);
}

static void books_close(const together *a, double size) {
    assert_near(a->ledger.unaccounted, 0.0, 1e-8 * size);
}

// --- motors within a largest effort ------------------------------------------------------------------------

#define PUSHED_SLIDER(joint, gravity)                                                                        \
    "format: 1\ngravity: [0, 0, " gravity "]\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"         \
    "joints: {j: {prismatic: [world, b], axis: x" joint "}}\n"                                               \
    "drives: {d: {joint: j, velocity: 1, max_force: 2}}\n"

// 1 kg, 1 m/s, 2 N: it is up to speed at 0.5 s, 0.25 m. From 1 s on a load of 4 N/s comes against it, which is more than 2 N from 1.5 s on, is
// largest at 2 s and gone at 3 s: v = 1 - 2 s^2 from 1.5 s on, 0.5 - 2 s + 2 s^2 from 2 s on, 0.5 + 2 s from 3 s to 3.25 s.
static void a_motor_that_is_held_back_comes_back(void **state) {
    (void)state;
    static const char text[] = PUSHED_SLIDER(
        "", "0") "loads: {f: {body: b, force: [{table: [[0, 0], [1, 0], [2, -4], [3, 0]]}, 0, 0]}}\n";
    static const struct {
        double t, x, v, effort;
    } expected[] = {{0.25, 0.0625, 0.5, 2},       {0.75, 0.5, 1, 0}, {1.25, 1.0, 1, 1},
                    {2, 1.25 + 5.0 / 12, 0.5, 2}, {2.5, 1.75, 0, 2}, {3.1, 0, 0.7, 2},
                    {4, 2.0 + 37.0 / 48, 1, 0}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const together a = run_together(text, "stepper: reference", expected[k].t);
        if (expected[k].x > 0.0) assert_near(a.position, expected[k].x, 1e-9);
        assert_near(a.velocity, expected[k].v, 1e-9);
        assert_near(a.effort, expected[k].effort, 1e-9);
        books_close(&a, 1.0);
    }
    comes_to_it("motor held back", text, 4, 1e-3);
}

// A motor has no impulse. Into a wall: 0.5 m, of which it has 0.25 m at 1 m/s. With e = 0.5 it comes back against its own 2 N, which stop
// it and bring it on again: half the speed each time, so that all is over 1 s later; 0.5 J are left to the wall, and what it was fed since.
static void a_motor_pushes_against_a_wall(void **state) {
    (void)state;
    static const char wall[] =
        "materials: {s: {}}\npairs: {s/s: {mu: 0, restitution: %s}}\n"
        "ground: [{plane: {normal: [-1, 0, 0]}, pose: {position: [0.6, 0, 0]}, material: s}]\n";
    for (int bounces = 0; bounces < 2; bounces++) {
        char text[1024], of_wall[400];
        snprintf(of_wall, sizeof of_wall, wall, bounces ? "0.5" : "0");
        snprintf(
            text, sizeof text,
            "format: 1\ngravity: [0, 0, 0]\n%sbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], shapes: "
            "[{sphere: {radius: 0.1}, material: s}]}}\n"
            "joints: {j: {prismatic: [world, b], axis: x}}\n"
            "drives: {d: {joint: j, velocity: 1, max_force: 2}}\n",
            of_wall);
        const together before = run_together(text, "stepper: reference", 0.7),
                       after = run_together(text, "stepper: reference", 2);
        assert_near(before.position, 0.45, 1e-9);
        assert_near(before.effort, 0.0, 1e-9);
        assert_near(after.position, 0.5, 1e-9);
        assert_near(after.velocity, 0.0, 1e-9);
        assert_near(after.effort, 2.0, 1e-9);
        assert_near(after.ledger.impact, 0.5, 1e-8); // all bounces together: what it had
        books_close(&after, 1.0);
        if (bounces) assert_near(run_together(text, "stepper: reference", 1.0).position, 0.4375, 1e-9);
        comes_to_it(bounces ? "motor, wall, e = 0.5" : "motor, wall", text, bounces ? 1.0 : 0.74, 2e-3);
    }
}

// Friction of 0.981 N: 1.019 m/s^2 until 1 m/s, then an effort of 0.981 N. With mu = 0.3 friction of 2.943 N holds it for good.
static void a_motor_moves_a_joint_that_rubs(void **state) {
    (void)state;
    static const char slides[] = PUSHED_SLIDER(", friction: {law: coulomb, mu: 0.1}", "-9.81");
    const together up = run_together(slides, "stepper: reference", 0.5),
                   holds = run_together(slides, "stepper: reference", 2);
    assert_near(up.velocity, 0.5095, 1e-9);
    assert_near(up.effort, 2.0, 1e-9);
    assert_near(holds.position, 2 - 0.5 / 1.019, 1e-8);
    assert_near(holds.effort, 0.981, 1e-8);
    books_close(&holds, 2.0);
    comes_to_it("motor and joint friction", slides, 2, 1e-3);
    const together stuck =
        run_together(PUSHED_SLIDER(", friction: {law: coulomb, mu: 0.3}", "-9.81"), "stepper: reference", 1);
    assert_true(stuck.position == 0.0 && stuck.velocity == 0.0);
}

// A weight on an arm: the motor is held back at every turn, at instants that no table has.
static void a_motor_swings_an_arm(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nbodies: {b: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"
        "joints: {j: {revolute: [world, b], axis: y, limits: [-1, 0.05]}}\n"
        "drives: {d: {joint: j, velocity: 3*sin(20*t), max_torque: 3}}\n";
    const together a = run_together(text, "stepper: reference", 0.4);
    books_close(&a, 1.0);
    comes_to_it("motor, arm and limit", text, 0.4, 1e-3);
}

// --- joint friction beside contact -------------------------------------------------------------------------

#define PUSHER(joint)                                                                                        \
    "format: 1\nmaterials: {smooth: {}, rough: {}, floor: {}}\n"                                             \
    "pairs: {smooth/rough: {mu: 0}, rough/floor: {mu: 0.3}, smooth/floor: {mu: 0}}\n"                        \
    "ground: [{plane: {normal: [0, 0, 1]}, material: floor}]\nbodies:\n"                                     \
    "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1]}, "                            \
    "shapes: [{sphere: {radius: 0.05}, material: smooth}]}\n"                                                \
    "  box: {mass: 2, inertia: {box: {size: [0.2, 0.2, 0.2]}}, pose: {position: [0.15, 0, 0.1]}, "           \
    "shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: rough}]}\n"                                           \
    "joints: {j: {prismatic: [world, a], axis: x, at: [0, 0, 0.1]" joint "}}\n"                              \
    "loads: {f: {body: a, force: [20*t, 0, 0]}}\n"

// A slider in a guide that rubs pushes a box on a floor: 20 N/s against 0.2 m g + 0.3 M g = 7.848 N, which of them bears how much before that
// being open. From t = 0.3924 s on x = (20/3) u^3/6.
static void a_slider_that_rubs_pushes_a_box(void **state) {
    (void)state;
    static const char text[] = PUSHER(", friction: {law: coulomb, mu: 0.2}");
    const together rests = run_together(text, "stepper: reference", 0.392),
                   moves = run_together(text, "stepper: reference", 0.7924);
    assert_true(fabs(rests.position) < 1e-12);
    assert_near(moves.velocity, 10.0 / 3 * 0.16, 1e-8);
    assert_near(moves.position, 20.0 / 18 * 0.064, 1e-8);
    assert_near(moves.ledger.friction, 7.848 * 20.0 / 18 * 0.064, 1e-7);
    books_close(&moves, 1.0);
    comes_to_it("slider pushes box", text, 0.7924,
                1e-6); // with contradicting rows at rest: 1911 m at 2 ms once
}

// Into a wall at 45 degrees at 1 m/s, e = 0.5: 1.5 N s of the wall along the guide, which the guide's own friction takes a part of. p c = 1.5 + mu
// p s, so that p c = 1.875 N s; of them the wall takes p c (1 - 0.5)/2, and friction, which opposes what comes after, gives mu p s (1 - 0.5)/2 back.
static void a_blow_rubs_in_the_guide(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\ngravity: [0, 0, 0]\nmaterials: {s: {}}\npairs: {s/s: {mu: 0, restitution: 0.5}}\n"
        "ground: [{plane: {normal: [-1, 0, 1]}, pose: {position: [0.5, 0, 0]}, material: s}]\n"
        "bodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], shapes: [{sphere: {radius: 0.1}, material: "
        "s}]}}\n"
        "joints: {j: {prismatic: [world, b], axis: x, velocity: 1, friction: {law: coulomb, mu: 0.2}}}\n";
    const together a = run_together(text, "stepper: reference", 1);
    const double gap = 0.5 - 0.1 * sqrt(2.0);
    assert_near(a.velocity, -0.5, 1e-9);
    assert_near(a.position, gap - 0.5 * (1 - gap), 1e-9);
    assert_near(a.ledger.impact, 0.46875, 1e-8);
    assert_near(a.ledger.friction, -0.09375, 1e-8);
    books_close(&a, 1.0);
}

// It falls in its guide, held by 4 N for good, lands and stays: g - 4 m/s^2, 0.3 m.
static void a_weight_that_is_braked_lands(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nmaterials: {s: {}}\npairs: {s/s: {mu: 0.5}}\n"
        "ground: [{plane: {normal: [0, 0, 1]}, material: s}]\n"
        "bodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.4]}, "
        "shapes: [{sphere: {radius: 0.1}, material: s}]}}\n"
        "joints: {j: {prismatic: [world, b], axis: z, at: [0, 0, 0.4], friction: {law: coulomb, mu: 0.4, "
        "preload: 10}}}\n";
    const double a = 9.81 - 4;
    const together falls = run_together(text, "stepper: reference", 0.3),
                   lies = run_together(text, "stepper: reference", 0.5);
    assert_near(falls.position, -0.5 * a * 0.09, 1e-9);
    assert_near(lies.position, -0.3, 1e-9);
    assert_near(lies.ledger.impact, 0.3 * a, 1e-8);
    assert_near(lies.ledger.friction, 0.3 * 4, 1e-8);
    books_close(&lies, 1.0);
    comes_to_it("braked weight", text, 0.3, 1e-3);
}

// --- bristles of finite stiffness --------------------------------------------------------------------------

// 2 kg that move along x, of which 1 kg stands on the floor: mu N = 4.905 N.
#define FOOT(pair, load)                                                                                     \
    "format: 1\nmaterials: {s: {}}\npairs: {s/s: {" pair "}}\n"                                              \
    "ground: [{plane: {normal: [0, 0, 1]}, material: s}]\nbodies:\n"                                         \
    "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1]}}\n"                           \
    "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1]}, "                            \
    "shapes: [{sphere: {radius: 0.1}, material: s}]}\n"                                                      \
    "joints: {j: {prismatic: [world, a], axis: x, at: [0, 0, 0.1]}, "                                        \
    "up: {prismatic: [a, b], axis: z, at: [0, 0, 0.1]}}\n"                                                   \
    "loads: {f: {body: a, force: [" load ", 0, 0]}}\n"

// k = 20 N/mm: 2 N swing by 0.1 mm, x = 0.1 mm (1 - cos 100 t), and with dampers come to rest at 0.1 mm. 10 N bend them to 4.905 N, at
// cos 100 t = 0.5095... and then the foot slides.
static void bristles_bend_before_they_slide(void **state) {
    (void)state;
    static const char rests[] = FOOT("mu: 0.5, bristle: {stiffness: 2e4}", "2"),
                      damped[] = FOOT("mu: 0.5, bristle: {stiffness: 2e4, damping: 200}", "2"),
                      slides[] = FOOT("mu: 0.5, bristle: {stiffness: 2e4}", "10");
    const together swings = run_together(rests, "stepper: reference", 0.123);
    assert_near(swings.position, 1e-4 * (1 - cos(12.3)), 1e-11);
    assert_near(swings.ledger.friction, 0.0, 1e-11);
    assert_near(swings.ledger.now.elastic, 1e4 * swings.position * swings.position, 1e-11);
    books_close(&swings, 1e-3);
    const together still = run_together(damped, "stepper: reference", 1);
    assert_near(still.position, 1e-4, 1e-11);
    assert_near(still.ledger.friction, 1e-4, 1e-10); // half of the work: the other half is in the bristles
    const double cosine = 1 - 0.4905, t1 = acos(cosine) / 100, v1 = 0.05 * sqrt(1 - cosine * cosine),
                 u = 0.3 - t1;
    const together gone = run_together(slides, "stepper: reference", 0.3);
    assert_near(gone.position, 2.4525e-4 + v1 * u + 0.5 * 5.095 / 2 * u * u, 1e-9);
    assert_near(gone.ledger.friction, 4.905 * (gone.position - 2.4525e-4), 1e-8);
    books_close(&gone, 1.0);
    comes_to_it("bristles bend", slides, 0.3, 2e-4);
}

// To and fro, and back to rest: it slides, stops, is let go by bent bristles, and slides back.
static void bristles_spring_back(void **state) {
    (void)state;
    static const char text[] = FOOT("mu: 0.5, bristle: {stiffness: 2e4, damping: 100}", "10*sin(9*t)");
    const together a = run_together(text, "stepper: reference", 1.1);
    books_close(&a, 1.0);
    const together again = run_together(text, "stepper: reference, restart: 37 ms", 1.1);
    assert_near(again.position, a.position, 1e-9); // all that it needs is in the state
    comes_to_it_from(2000, "bristles spring back", text, 1.1, 1e-3);
}

// Compliant feet that stick cannot all be exact; with bristles that bend they can.
static void compliant_feet_stand_on_bristles(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nmaterials: {s: {}}\n"
        "pairs: {s/s: {mu: 0.5, bristle: {stiffness: 1e4, damping: 60}, compliance: {law: linear, stiffness: "
        "1e4, damping: 60}}}\n"
        "ground: [{plane: {normal: [0, 0, 1]}, material: s}]\n"
        "bodies: {b: {mass: 1, inertia: {box: {size: [0.2, 0.2, 0.2]}}, pose: {position: [0, 0, 0.1]}, "
        "shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: s}]}}\n"
        "loads: {f: {body: b, force: [2, 0, 0]}}\n";
    const together a = run_together(text, "stepper: reference, tol: 1e-8", 0.5);
    books_close(&a, 1.0);
    comes_to_it("compliant feet", text, 0.5, 1e-4);
}

// --- law viscous -------------------------------------------------------------------------------------------

// v0 = 0.1 m/s: 2 N against 4.905 N v/v0, so that v = 2/49.05 (1 - exp(-24.525 t)).
static void viscous_friction_creeps(void **state) {
    (void)state;
    static const char text[] = FOOT("mu: 0.5", "2") "contact: {law: viscous(0.1 m/s)}\n";
    const together a = run_together(text, "stepper: reference", 0.2);
    const double v = 2 / 49.05, grown = 1 - exp(-24.525 * 0.2);
    assert_near(a.velocity, v * grown, 1e-9);
    assert_near(a.position, v * (0.2 - grown / 24.525), 1e-9);
    books_close(&a, 1.0);
    comes_to_it("viscous, creeps", text, 0.2, 1e-5);
    comes_to_it("viscous, slides", FOOT("mu: 0.5", "10*sin(9*t)") "contact: {law: viscous(0.1 m/s)}\n", 1,
                1e-4);
}

// It lands with sqrt(2 g 0.05 m) and 0.05 m/s along the floor: 2 kg v + mu p v/v0 = 0.1 N s, as v < v0.
static void viscous_friction_takes_part_in_a_blow(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nmaterials: {s: {}}\npairs: {s/s: {mu: 0.5}}\ncontact: {law: viscous(0.1 m/s)}\n"
        "ground: [{plane: {normal: [0, 0, 1]}, material: s}]\nbodies:\n"
        "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.15]}}\n"
        "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.15]}, "
        "shapes: [{sphere: {radius: 0.1}, material: s}]}\n"
        "joints: {j: {prismatic: [world, a], axis: x, at: [0, 0, 0.15], velocity: 0.05}, "
        "up: {prismatic: [a, b], axis: z, at: [0, 0, 0.15]}}\n";
    const double landing = sqrt(2 * 0.05 / 9.81), p = sqrt(2 * 9.81 * 0.05);
    const together a = run_together(text, "stepper: reference", landing + 1e-9);
    assert_near(a.velocity, 0.1 / (2 + 0.5 * p / 0.1), 1e-8);
    books_close(&a, 1.0);
}

// In a plane every limit of friction is the same: 1 m/s, mu = 0.5, braked by mu g.
static void in_a_plane_box_and_polygon_are_exact(void **state) {
    (void)state;
    static const char *const law[] = {"cone", "box", "polygon(6)"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "format: 1\nplanar: xz\nmaterials: {s: {}}\npairs: {s/s: {mu: 0.5}}\ncontact: {law: %s}\n"
            "ground: [{plane: {normal: [0, 0, 1]}, material: s}]\n"
            "bodies: {b: {mass: 1, inertia: {box: {size: [0.2, 0.2, 0.2]}}, pose: {position: [0, 0, 0.1]}, "
            "velocity: {linear: [1, 0, 0]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: s}]}}\n",
            law[k]);
        const together slides = run_together(text, "stepper: reference", 0.1),
                       rests = run_together(text, "stepper: reference", 0.5);
        assert_near(slides.ledger.friction, 0.5 * (1 - 0.5095 * 0.5095), 1e-9);
        assert_near(rests.ledger.friction, 0.5, 1e-9);
        books_close(&rests, 1.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_that_is_held_back_comes_back),
        cmocka_unit_test(a_motor_pushes_against_a_wall),
        cmocka_unit_test(a_motor_moves_a_joint_that_rubs),
        cmocka_unit_test(a_motor_swings_an_arm),
        cmocka_unit_test(a_slider_that_rubs_pushes_a_box),
        cmocka_unit_test(a_blow_rubs_in_the_guide),
        cmocka_unit_test(a_weight_that_is_braked_lands),
        cmocka_unit_test(bristles_bend_before_they_slide),
        cmocka_unit_test(bristles_spring_back),
        cmocka_unit_test(compliant_feet_stand_on_bristles),
        cmocka_unit_test(viscous_friction_creeps),
        cmocka_unit_test(viscous_friction_takes_part_in_a_blow),
        cmocka_unit_test(in_a_plane_box_and_polygon_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
