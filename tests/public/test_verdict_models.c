// Small models with their right verdict, each computed by hand in the comment beside it. Times of intervals: the contact stepper's step is
// 1 ms, so that what a run does is within 2 ms of what the calculation says; c* and forces of an instant are exact to 1e-6.
#include "bristle/trust.h"
#include "scene.h"

#define STEP 2e-3
#define MAX_TEXT 8192

typedef struct element {
    const char *name;
    br_element_state state;
    br_verdict verdict;
} element;

typedef struct span {
    double to;
    br_verdict verdict;
} span;

static scene open_text(const char *text) {
    scene s = {NULL, NULL};
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "model", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail("model", &error);
    return s;
}

static void check_element(const char *what, const br_trust_interval *x, const element *e) {
    for (int k = 0; k < x->forces; k++) {
        if (strncmp(x->force[k].name, e->name, strlen(e->name)) != 0) continue;
        if (x->force[k].state != e->state || x->force[k].verdict != e->verdict)
            fail_msg("%s: %s is %s, %s; expected %s, %s", what, x->force[k].name,
                     br_element_state_name(x->force[k].state), br_verdict_name(x->force[k].verdict),
                     br_element_state_name(e->state), br_verdict_name(e->verdict));
        return;
    }
    fail_msg("%s: no element %s", what, e->name);
}

// c_star NAN: not asked. elements end with a NULL name.
static void check_instant(const char *text, double t, br_verdict verdict, double c_star,
                          const element *elements) {
    scene s = open_text(text);
    br_trust_report report;
    br_error error = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    if (t > 0 && br_sim_advance(s.sim, t, &error) != BR_OK) scene_fail("model", &error);
    if (br_trust_instant(s.sim, &options, &report, &error) != BR_OK) scene_fail("model", &error);
    const br_trust_interval *x = &report.interval[0];
    const char *name = br_model_name(s.model);
    if (x->verdict != verdict)
        fail_msg("%s at %g s: %s (c* %.9g), expected %s", name, t, br_verdict_name(x->verdict), x->c_star,
                 br_verdict_name(verdict));
    if (!isnan(c_star)) assert_near(x->c_star, c_star, 1e-6);
    for (; elements && elements->name; elements++) check_element(name, x, elements);
    br_trust_report_free(&report);
    scene_close(&s);
}

// Intervals of no length are left out.
static void check_run(const char *text, double until, const span *spans, int credible) {
    scene s = open_text(text);
    br_trust_report report;
    br_error error = {0};
    if (br_trust_run(s.sim, until, NULL, &report, &error) != BR_OK) scene_fail("model", &error);
    const char *name = br_model_name(s.model);
    int k = 0;
    for (int i = 0; i < report.intervals; i++) {
        const br_trust_interval *x = &report.interval[i];
        if (x->to - x->from < STEP) continue;
        if (i + 1 < report.intervals && x[1].verdict == x->verdict) continue; // elements changed
        if (x->verdict != spans[k].verdict || fabs(x->to - spans[k].to) > STEP)
            fail_msg("%s: %s to %.6g s, expected %s to %.6g", name, br_verdict_name(x->verdict), x->to,
                     br_verdict_name(spans[k].verdict), spans[k].to);
        k++;
    }
    assert_near(spans[k - 1].to, until, 1e-9);
    if (report.credible != credible)
        fail_msg("%s: credible %d (%s)", name, report.credible,
                 report.reasons ? report.reason[0].text : "no reason");
    if (!report.credible) assert_true(report.reasons > 0 && report.reason[0].text[0]);
    br_trust_report_free(&report);
    scene_close(&s);
}

// --- one pad at rest does not decide for all ---------------------------------------------------------------------

#define STACK(pull)                                                                                          \
    "format: 1\nname: stack\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  low: {mass: 3 kg, inertia: [0.1, 0.1, 0.1]}\n"                                                        \
    "  up: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.1]}}\n"                          \
    "joints:\n"                                                                                              \
    "  lower: {prismatic: [world, low], axis: x, friction: {law: coulomb, mu_static: 0.5, mu_kinetic: "      \
    "0.5}}\n"                                                                                                \
    "  upper: {prismatic: [low, up], axis: x, friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.5}}\n"  \
    "loads: {pull: {body: up, force: [\"" pull "\", 0, 0]}}\n"                                               \
    "solver: {step: 1 ms}\nrun: {until: 2 s}\n"

static void upper_of_two_slides_goes_and_lower_stays(void **state) {
    (void)state;
    // The upper holds 0.5 * 9.81 = 4.905 N: 10 N/s overcome it at 0.4905 s. The lower then carries 4.905 of 0.5 * 39.24 = 19.62 N.
    static const span spans[] = {{0.4905, BR_STICKS_ROBUST}, {2, BR_MOVES}};
    static const element after[] = {
        {"lower", BR_ELEMENT_STUCK, BR_STICKS_ROBUST}, {"upper", BR_ELEMENT_SLIDING, BR_MOVES}, {NULL, 0, 0}};
    check_run(STACK("10*t"), 2, spans, 1);
    check_instant(STACK("10*t"), 1, BR_MOVES, 0.25, after);
    // 50 N at once: 50/4.905 times its friction would hold the upper.
    static const element at_once[] = {{"lower", BR_ELEMENT_STUCK, BR_STICKS_ROBUST},
                                      {"upper", BR_ELEMENT_STUCK, BR_SLIDES_CERTAIN},
                                      {NULL, 0, 0}};
    check_instant(STACK("50"), 0, BR_SLIDES_CERTAIN, 50 / 4.905, at_once);
}

// --- slow sliding is sliding -------------------------------------------------------------------------------------

static void a_block_held_on_a_slow_belt_slides(void **state) {
    (void)state;
    static const char belt[] =
        "format: 1\nname: belt\nplanar: xz\nmaterials: {a: {}, b: {}}\npairs: {a/b: {mu: 0.3}}\ncontact: "
        "{law: cone}\n"
        "bodies:\n"
        "  belt: {mass: 5, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, -0.05]}, shapes: [{box: {size: "
        "[4, 1, 0.1]}, material: a}]}\n"
        "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.05]}, shapes: [{box: "
        "{size: [0.2, 0.2, 0.1]}, material: b}]}\n"
        "joints: {run: {prismatic: [world, belt], axis: x}, hold: {prismatic: [world, block], axis: z}}\n"
        "drives: {go: {joint: run, velocity: 5 mm/s}}\nsolver: {step: 1 ms}\nrun: {until: 0.2 s}\n";
    static const span spans[] = {{0.2, BR_MOVES}};
    static const element after[] = {{"belt", BR_ELEMENT_SLIDING, BR_MOVES}, {NULL, 0, 0}};
    check_run(belt, 0.2, spans, 1);
    check_instant(belt, 0.1, BR_MOVES, NAN, after);
}

static void laws_with_bristles_slide_at_their_limit(void **state) {
    (void)state;
    static const char *const laws[] = {"dahl", "lugre", "bristle", "smooth", "coulomb"};
    static const element slides[] = {{"s", BR_ELEMENT_SLIDING, BR_MOVES}, {NULL, 0, 0}};
    char text[MAX_TEXT];
    for (int k = 0; k < 5; k++) {
        // Driven at 20 mm/s, 0.1 s: 2 mm, of bristles that bend by 0.3/1e5 = 3 micrometres; below v_stribeck and v_slope.
        snprintf(text, sizeof text,
                 "format: 1\nname: driven_%s\nbodies: {c: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {s: {prismatic: [world, c], axis: x, friction: {law: %s, mu_static: 0.3, "
                 "mu_kinetic: 0.3, "
                 "sigma_0: 1e5 1/m, v_stribeck: 50 mm/s, v_slope: 50 mm/s}}}\n"
                 "drives: {go: {joint: s, velocity: 20 mm/s}}\nsolver: {step: 1 ms}\nrun: {until: 0.2 s}\n",
                 laws[k], laws[k]);
        check_instant(text, 0.1, BR_MOVES, NAN, slides);
        if (k == 3) continue; // a smooth law towed at less than v_slope creeps
        // Towed: 1000 N/m * 0.02 t + 20 * 0.02 reaches 0.3 * 9.81 at 0.12715 s; from then on it follows at 20 mm/s.
        snprintf(
            text, sizeof text,
            "format: 1\nname: towed_%s\nbodies:\n  t: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: "
            "[1, 0, 0]}}\n"
            "  c: {mass: 1, inertia: [0.1, 0.1, 0.1]}\njoints:\n  tug: {prismatic: [world, t], axis: x}\n"
            "  s: {prismatic: [world, c], axis: x, friction: {law: %s, mu_static: 0.3, mu_kinetic: 0.3, "
            "sigma_0: 1e5 1/m, v_stribeck: 50 mm/s}}\n"
            "drives: {go: {joint: tug, velocity: 20 mm/s}}\n"
            "loads: {k: {spring: [t, c], stiffness: 1000, damping: 20, length: 1}}\n"
            "solver: {step: 1 ms}\nrun: {until: 1 s}\n",
            laws[k], laws[k]);
        static const element stuck[] = {{"s", BR_ELEMENT_STUCK, BR_STICKS_ROBUST}, {NULL, 0, 0}};
        check_instant(text, 0.1, BR_STICKS_ROBUST, NAN, stuck);
        check_instant(text, 0.8, BR_MOVES, NAN, slides);
    }
}

// --- what sticks on what moves -----------------------------------------------------------------------------------

static void a_block_sticks_on_a_shaken_base_while_it_can(void **state) {
    (void)state;
    // Base: 4 mm (1 - cos 10 pi t), acceleration 3.948 cos(10 pi t) against 0.3 g = 2.943 m/s2. The block slides at once; it has 2.943 t, the
    // base 0.12566 sin(10 pi t): equal at 0.04102 s. Then it sticks until cos(10 pi t) = -0.7454, t = 0.07678 s.
    static const span spans[] = {{0.04102, BR_MOVES}, {0.07678, BR_STICKS_ROBUST}, {0.12, BR_MOVES}};
    check_run("format: 1\nname: shaken_joint\nbodies:\n  base: {mass: 5, inertia: [0.1, 0.1, 0.1]}\n"
              "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.05]}}\njoints:\n"
              "  run: {prismatic: [world, base], axis: x}\n"
              "  s: {prismatic: [base, block], axis: x, friction: {law: coulomb, mu_static: 0.3, mu_kinetic: "
              "0.3}}\n"
              "drives: {go: {joint: run, position: \"4 mm*(1-cos(10*pi*t))\"}}\nsolver: {step: 1 ms}\nrun: "
              "{until: 0.12 s}\n",
              0.12, spans, 1);
    check_run("format: 1\nname: shaken_contact\nplanar: xz\nmaterials: {a: {}, b: {}}\npairs: {a/b: {mu: "
              "0.3}}\ncontact: {law: cone}\n"
              "bodies:\n"
              "  base: {mass: 5, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, -0.05]}, shapes: [{box: "
              "{size: [4, 1, 0.1]}, material: a}]}\n"
              "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.05]}, shapes: "
              "[{box: {size: [0.2, 0.2, 0.1]}, material: b}]}\n"
              "joints: {run: {prismatic: [world, base], axis: x}}\n"
              "drives: {go: {joint: run, position: \"4 mm*(1-cos(10*pi*t))\"}}\nsolver: {step: 1 ms}\nrun: "
              "{until: 0.12 s}\n",
              0.12, spans, 1);
}

static void a_ball_that_rolls_is_stuck_at_its_contact(void **state) {
    (void)state;
    static const element rolls[] = {{"ball", BR_ELEMENT_ROLLING, BR_STICKS_ROBUST}, {NULL, 0, 0}};
    // Rolling on a level plane takes no friction: c* is 0.
    check_instant("format: 1\nname: ball\nmaterials: {a: {}}\npairs: {a/a: {mu: 0.3}}\nbodies:\n"
                  "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0, 0, 0.1]}, "
                  "velocity: {linear: [1, 0, 0], angular: [0, 10, 0]}, shapes: [{sphere: {radius: 0.1}, "
                  "material: a}]}\n"
                  "ground: [{plane: {}, material: a}]\nsolver: {step: 1 ms}\nrun: {until: 0.5 s}\n",
                  0.1, BR_MOVES, 0, rolls);
}

// --- contacts that open ------------------------------------------------------------------------------------------

static void a_body_braced_between_walls_may_fall(void **state) {
    (void)state;
    // Two walls may press as they like: with mu N >= m g/2 each it hangs; with no force at all it falls. Walls that open downwards by 10
    // degrees: rest takes friction of tan 10 of the normal force, c* = 0.1763/0.3; with both contacts open it falls freely.
    check_instant("format: 1\nname: braced\nplanar: xz\nmaterials: {a: {}}\npairs: {a/a: {mu: 0.8}}\n"
                  "bodies: {b: {mass: 1, inertia: [0.005, 0.005, 0.005], shapes: [{sphere: {radius: 0.1}, "
                  "material: a}]}}\n"
                  "ground: [{plane: {normal: [1, 0, 0], point: [-0.1, 0, 0]}, material: a}, "
                  "{plane: {normal: [-1, 0, 0], point: [0.1, 0, 0]}, material: a}]\nsolver: {step: 1 "
                  "ms}\nrun: {until: 0.1 s}\n",
                  0, BR_UNDETERMINED, 0, NULL);
    check_instant("format: 1\nname: disk\nplanar: xz\nmaterials: {a: {}}\npairs: {a/a: {mu: 0.3}}\n"
                  "bodies: {b: {mass: 1, inertia: [0.005, 0.005, 0.005], shapes: [{sphere: {radius: 0.1}, "
                  "material: a}]}}\n"
                  "ground: [{plane: {normal: [\"cos(10 deg)\", 0, \"-sin(10 deg)\"], point: [\"-0.1*cos(10 "
                  "deg)\", 0, \"0.1*sin(10 deg)\"]}, material: a}, "
                  "{plane: {normal: [\"-cos(10 deg)\", 0, \"-sin(10 deg)\"], point: [\"0.1*cos(10 deg)\", 0, "
                  "\"0.1*sin(10 deg)\"]}, material: a}]\n"
                  "solver: {step: 1 ms}\nrun: {until: 0.1 s}\n",
                  0, BR_UNDETERMINED, 0.17632698070846498 / 0.3, NULL);
}

// --- couplings ---------------------------------------------------------------------------------------------------

// Limits 0.5 N m on the fast shaft, 2 N m (kinetic 1.6) on the slow one, ratio 4: together 4 * 0.5 + 2 = 4 N m on the slow one, 3.6 while
// sliding. 4 N m/s: metastable from 0.9, slides from 1 s; at 0.533 s c* is 0.533. With mu_kinetic 0.3 on the fast one, 1.2 + 1.6 = 2.8: metastable
// from 0.7, and still held up to 1 s.
#define SHAFTS(kinetic)                                                                                      \
    "format: 1\nname: shafts\ngravity: [0, 0, 0]\nbodies:\n"                                                 \
    "  a: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"                                                          \
    "  b: {mass: 2, inertia: [0.05, 0.05, 0.05], pose: {position: [1, 0, 0]}}\njoints:\n"                    \
    "  fast: {revolute: [world, a], axis: z, friction: {law: coulomb, mu_static: 0.5, mu_kinetic: " kinetic  \
    ", pin_radius: 10 mm, load: {constant: 100}}}\n"                                                         \
    "  slow: {revolute: [world, b], axis: z, at: [1, 0, 0], friction: {law: coulomb, mu_static: 1, "         \
    "mu_kinetic: 0.8, "                                                                                      \
    "pin_radius: 20 mm, load: {constant: 100}}}\n"                                                           \
    "  mesh: {gear: [fast, slow], ratio: 4}\n"                                                               \
    "loads: {m: {body: b, torque: [0, 0, \"4*t\"]}}\nsolver: {step: 1 ms}\nrun: {until: 1.2 s}\n"

static void geared_shafts_hold_together(void **state) {
    (void)state;
    static const span spans[] = {{0.9, BR_STICKS_ROBUST}, {1, BR_STICKS_METASTABLE}, {1.2, BR_MOVES}};
    static const span weaker[] = {{0.7, BR_STICKS_ROBUST}, {1, BR_STICKS_METASTABLE}, {1.2, BR_MOVES}};
    check_run(SHAFTS("0.5"), 1.2, spans, 1);
    check_run(SHAFTS("0.3"), 1.2, weaker, 1);
    check_instant(SHAFTS("0.5"), 0.533, BR_STICKS_ROBUST, 0.533, NULL);
    check_instant(SHAFTS("0.5"), 0.97, BR_STICKS_METASTABLE, 0.97, NULL);
}

static void geared_slides_under_a_ramp_are_credible(void **state) {
    (void)state;
    // 3 N and 8 N at ratio 1: 10 N/s move them at 1.1 s. Whoever reaches its limit first is held by the other.
    static const span spans[] = {{1.1, BR_STICKS_ROBUST}, {1.5, BR_MOVES}};
    check_run("format: 1\nname: slides\ngravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
              "  b: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 1, 0]}}\njoints:\n"
              "  s: {prismatic: [world, a], axis: x, friction: {law: coulomb, mu_static: 0.3, mu_kinetic: "
              "0.3, load: {constant: 10}}}\n"
              "  u: {prismatic: [world, b], axis: x, friction: {law: coulomb, mu_static: 0.8, mu_kinetic: "
              "0.8, load: {constant: 10}}}\n"
              "  mesh: {gear: [s, u], ratio: 1}\nloads: {f: {body: a, force: [\"10*t\", 0, 0]}}\n"
              "solver: {step: 1 ms}\nrun: {until: 1.5 s}\n",
              1.5, spans, 1);
}

// --- what is certain ---------------------------------------------------------------------------------------------

static void a_block_rides_on_a_sliding_block(void **state) {
    (void)state;
    // (12 - 0.2 * 29.43)/3 = 2.038 m/s2; the rider needs 2.038 of 4.905 N: c* 0.41549, and nothing else obeys the law.
    static const element rides[] = {{"low.shape0~up", BR_ELEMENT_STUCK, BR_STICKS_ROBUST},
                                    {"low.shape0~world", BR_ELEMENT_SLIDING, BR_MOVES},
                                    {NULL, 0, 0}};
    check_instant(
        "format: 1\nname: rider\nplanar: xz\nmaterials: {g: {}, w: {}, r: {}}\n"
        "pairs: {g/w: {mu: 0.2}, w/r: {mu: 0.5}, g/r: {mu: 0.2}}\ncontact: {law: cone}\nbodies:\n"
        "  low: {mass: 2, inertia: [0.02, 0.02, 0.02], pose: {position: [0, 0, 0.05]}, shapes: [{box: {size: "
        "[0.6, 0.4, 0.1]}, material: w}]}\n"
        "  up: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.15]}, shapes: [{box: {size: "
        "[0.2, 0.2, 0.1]}, material: r}]}\n"
        "ground: [{plane: {}, material: g}]\nloads: {p: {body: low, force: [12, 0, 0], at: [0, 0, -0.05]}}\n"
        "solver: {step: 1 ms}\nrun: {until: 0.5 s}\n",
        0.1, BR_MOVES, (12 - 0.2 * 29.43) / 3 / 4.905, rides);
}

static void a_little_beyond_the_limit_slides_for_certain(void **state) {
    (void)state;
    static const char *const laws[] = {"smooth", "bristle"};
    char text[MAX_TEXT];
    for (int k = 0; k < 2; k++) { // 1.001 of 0.3 * 9.81 N
        snprintf(text, sizeof text,
                 "format: 1\nname: beyond_%s\nbodies: {c: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {s: {prismatic: [world, c], axis: x, friction: {law: %s, mu_static: 0.3, "
                 "mu_kinetic: 0.3, sigma_0: 1e5 1/m}}}\n"
                 "loads: {f: {body: c, force: [%.12g, 0, 0]}}\nsolver: {step: 1 ms}\nrun: {until: 1 s}\n",
                 laws[k], laws[k], 1.001 * 0.3 * 9.81);
        check_instant(text, 0, BR_SLIDES_CERTAIN, 1.001, NULL);
        check_instant(text, 1e-3, BR_SLIDES_CERTAIN, 1.001, NULL);
        check_instant(text, 1, BR_MOVES, NAN, NULL);
    }
}

// --- times -------------------------------------------------------------------------------------------------------

static void a_load_that_jumps_is_told_when_it_does(void **state) {
    (void)state;
    // 1 N of 2.943, from 0.2503 s on 4 N: slides with 1.057 m/s2; at 0.4503 s, with 0.2114 m/s, back to 1 N: slows by 1.943, rests at 0.5591 s.
    static const span spans[] = {{0.2503, BR_STICKS_ROBUST}, {0.5591, BR_MOVES}, {0.8, BR_STICKS_ROBUST}};
    static const char text[] =
        "format: 1\nname: jumps\nbodies: {c: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {s: {prismatic: [world, c], axis: x, friction: {law: coulomb, mu_static: 0.3, mu_kinetic: "
        "0.3}}}\n"
        "loads: {f: {body: c, force: [\"1 + 3*step(t - 0.2503) - 3*step(t - 0.4503)\", 0, 0]}}\n"
        "solver: {step: 1 ms}\nrun: {until: 0.8 s}\n";
    check_run(text, 0.8, spans, 1);
    check_instant(text, 0.3, BR_MOVES, NAN, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upper_of_two_slides_goes_and_lower_stays),
        cmocka_unit_test(a_block_held_on_a_slow_belt_slides),
        cmocka_unit_test(laws_with_bristles_slide_at_their_limit),
        cmocka_unit_test(a_block_sticks_on_a_shaken_base_while_it_can),
        cmocka_unit_test(a_ball_that_rolls_is_stuck_at_its_contact),
        cmocka_unit_test(a_body_braced_between_walls_may_fall),
        cmocka_unit_test(geared_shafts_hold_together),
        cmocka_unit_test(geared_slides_under_a_ramp_are_credible),
        cmocka_unit_test(a_block_rides_on_a_sliding_block),
        cmocka_unit_test(a_little_beyond_the_limit_slides_for_certain),
        cmocka_unit_test(a_load_that_jumps_is_told_when_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
