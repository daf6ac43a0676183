// Verdicts on models with beams and play, against balances by hand: elastic parts have the forces of their deflections.
#include "bristle/trust.h"
#include "scene.h"
#include "temp_file.h"

static scene open_text(const char *text, const char *settings) {
    scene s;
    br_error error = {0};
    if (scene_try(temp_write("model.yaml", text), settings, &s, &error) != BR_OK) scene_fail("model", &error);
    return s;
}

static br_trust_report judge(scene *s) {
    br_trust_report report;
    br_error error = {0};
    if (br_trust_instant(s->sim, NULL, &report, &error) != BR_OK) scene_fail("trust", &error);
    assert_false(report.not_judged);
    assert_int_equal(report.intervals, 1);
    return report;
}

static const br_trust_force *force_of(const br_trust_report *r, const char *name) {
    for (int k = 0; k < r->interval[0].forces; k++)
        if (strcmp(r->interval[0].force[k].name, name) == 0) return &r->interval[0].force[k];
    fail_msg("nothing is said of %s", name);
    return NULL;
}

static const char *const steppers[] = {"solver.stepper=contact", "solver.stepper=implicit"};

// --- a block on a cantilever, in a guide that holds 10 N ---------------------------------------------------

// Pulled by up to 25 N it slides until the beam, 3 EI/l^3 = 2400 N/m, carries the rest, and a little farther; let go to 12 N it
// sticks, and friction is what the beam's force leaves of the load. The verdict's force is the run's to 1e-6, its bound 10 N.
static void block_on_a_cantilever(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        scene s = open_text("format: 1\nname: hang\nplanar: xz\ngravity: [0, 0, 0]\n"
                            "bodies:\n  block: {mass: 2 kg, inertia: 0.01, pose: {position: [0.5, 0, 0]}}\n"
                            "beams:\n  rod: {from: [0, 0, 0], to: [0.5, 0, 0], elements: 4, damping: 1e-3, "
                            "attach: {0: world}, section: "
                            "{EI: 100, GJ: 100, EA: 1e6, kGA: 1e7, mass: 1e-3}}\n"
                            "joints:\n  eye: {planar: [rod.s1, block], axis: y}\n"
                            "  guide: {prismatic: [world, block], axis: [0, 0, 1], friction: {law: coulomb, "
                            "mu: 0.1, load: {constant: "
                            "100}}}\n"
                            "loads:\n  link: {bushing: [rod.s1, block], stiffness: [0, 0, 1e6, 0, 0, 0], "
                            "damping: [0, 0, 10, 0, 0, 0]}\n"
                            "  pull: {force: [0, 0, \"-25*min(t, 1)*if(t > 1.5, 0.48, 1)\"], body: block}\n"
                            "solver: {step: 1 ms}\n",
                            steppers[k]);
        // Before it slides the beam is straight and has no force: friction is the load.
        scene_advance(&s, 0.2);
        br_trust_report r = judge(&s);
        assert_int_equal(r.interval[0].verdict, BR_STICKS_ROBUST);
        assert_near(force_of(&r, "guide")->force, 5.0, 0.02); // the step's mean load
        assert_near(r.interval[0].c_star, 0.5, 0.002);
        br_trust_report_free(&r);
        scene_advance(&s, 0.8);
        r = judge(&s);
        assert_int_equal(r.interval[0].verdict, BR_MOVES);
        br_trust_report_free(&r);
        scene_advance(&s, 2.0);
        r = judge(&s);
        const double z = scene_read(&s, "block.position.z"), beam = -2400.0 * z;
        const br_trust_force *guide = force_of(&r, "guide");
        assert_int_equal(r.interval[0].verdict, BR_STICKS_ROBUST);
        assert_int_equal(r.interval[0].nullity, 0);
        assert_true(guide->unique && guide->state == BR_ELEMENT_STUCK);
        assert_near(guide->force, 12.0 - beam, 0.005 * beam); // the link's give, 1e-6 m/N, and shear
        assert_near(guide->force, scene_read(&s, "guide.friction.force"), 1e-6 * 12.0);
        assert_near(guide->friction_min, guide->force, 1e-6 * 12.0);
        assert_near(r.interval[0].c_star, fabs(guide->force) / 10.0, 1e-6);
        br_trust_report_free(&r);
        scene_close(&s);
    }
}

// --- two sliders, and what is between them -----------------------------------------------------------------

#define SLIDERS                                                                                              \
    "format: 1\nname: sliders\nplanar: xz\ngravity: [0, 0, 0]\nbodies:\n"                                    \
    "  a: {mass: 1, inertia: 0.01, pose: {position: [0, 0, 0]}}\n"                                           \
    "  b: {mass: 1, inertia: 0.01, pose: {position: [0.5, 0, 0]}}\n"                                         \
    "joints:\n  at_a: {prismatic: [world, a], axis: x, friction: {law: coulomb, mu: 0.1, load: {constant: "  \
    "100}}}\n"                                                                                               \
    "  at_b: {prismatic: [world, b], axis: x, friction: {law: coulomb, mu: 0.1, load: {constant: 100}}}\n"

// 8 N on one of two sliders. Welded together, any split of it obeys the law; with a beam between them that is not stretched the
// one that is pulled holds all of it, and nothing is open.
static void compliance_makes_stiction_determinate(void **state) {
    (void)state;
    scene rigid =
        open_text(SLIDERS "  together: {weld: [a, b]}\nloads: {pull: {force: [-8, 0, 0], body: a}}\n"
                          "solver: {step: 1 ms}\n",
                  "solver.stepper=contact");
    br_trust_report r = judge(&rigid);
    assert_true(r.interval[0].nullity > 0);
    assert_false(force_of(&r, "at_a")->unique);
    br_trust_report_free(&r);
    scene_close(&rigid);
    for (size_t k = 0; k < 2; k++) {
        scene s = open_text(
            SLIDERS
            "beams:\n  rod: {from: [0, 0, 0], to: [0.5, 0, 0], elements: 2, attach: {0: a, 1: b}, section: "
            "{EI: 100, GJ: 100, EA: 1e5, kGA: 1e5, mass: 0.01}}\n"
            "loads: {pull: {force: [-8, 0, 0], body: a}}\nsolver: {step: 1 ms}\n",
            steppers[k]);
        scene_advance(&s, 0.05);
        r = judge(&s);
        assert_int_equal(r.interval[0].verdict, BR_STICKS_ROBUST);
        assert_true(force_of(&r, "at_a")->unique && force_of(&r, "at_b")->unique);
        assert_near(force_of(&r, "at_a")->force, 8.0, 1e-6);
        assert_near(force_of(&r, "at_b")->force, 0.0, 1e-6);
        assert_near(r.interval[0].c_star, 0.8, 1e-6);
        br_trust_report_free(&r);
        scene_close(&s);
    }
}

// --- a pin in its hole -------------------------------------------------------------------------------------

// A disc lies in a hole, turned by 0.5 N m: it leans until weight and torque balance, so that friction is tau/r and the normal force
// what is left of the weight. mu 0.3: N^2 + f^2 = (m g)^2, c* = f/(0.3 N).
static void pin_leans_in_its_hole(void **state) {
    (void)state;
    const double m = 5, g = 9.81, radius = 0.0495, tau = 0.5, f = tau / radius,
                 N = sqrt(m * m * g * g - f * f);
    static const char *const law[] = {"coulomb", "lugre"};
    for (int k = 0; k < 2; k++) {
        char text[1400];
        const double u = 0.5e-3 + N / 15e6, lean = asin(f / (m * g));
        snprintf(
            text, sizeof text,
            "format: 1\nname: pin\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n"
            "  disc: {mass: 5, inertia: {disk: {radius: 49.5 mm, axis: z}}, pose: {position: [%.17g, %.17g, "
            "0]}}\n"
            "clearances:\n  hole: {planar: [world, disc], at: {world: [0, 0, 0], disc: [0, 0, 0]}, outer: 50 "
            "mm, "
            "inner: 49.5 mm, contact: {law: hunt_crossley, stiffness: 15e6, exponent: 1, damping: 30 s/m}, "
            "friction: {law: %s, mu: 0.3}}\n"
            "loads: {turn: {torque: [0, 0, %.17g], body: disc}}\n"
            "solver: {stepper: contact, step: 0.2 ms}\n",
            -u * sin(lean), -u * cos(lean), law[k], tau);
        scene s = open_text(text, "");
        scene_advance(&s, 0.02);
        br_trust_report r = judge(&s);
        const br_trust_force *hole = force_of(&r, "hole");
        assert_int_equal(r.interval[0].verdict, BR_STICKS_ROBUST);
        assert_int_equal(hole->state, BR_ELEMENT_STUCK);
        // Bristles of 1e5 1/m give way by f/(sigma_0 N) first, and swing about that: they have the run's own force.
        const double held = k ? scene_read(&s, "hole.force.friction") : f,
                     pressed = k ? scene_read(&s, "hole.force.normal") : N;
        assert_near(fabs(hole->force), held, 1e-3 * held);
        assert_near(scene_read(&s, "hole.force.normal"), pressed, 1e-3 * N);
        assert_near(r.interval[0].c_star, f / (0.3 * N), 2e-3);
        br_trust_report_free(&r);
        scene_close(&s);
    }
}

// The journal of the scene slides at first and is stopped by its bristles near 0.0868 s.
static void journal_slides_and_sticks(void **state) {
    (void)state;
    scene s = scene_open("clearance/journal.yaml", "");
    for (int part = 0; part < 2; part++) {
        scene_advance(&s, part ? 0.15 : 0.05);
        br_trust_report r = judge(&s);
        assert_int_equal(force_of(&r, "bearing")->state, part ? BR_ELEMENT_STUCK : BR_ELEMENT_SLIDING);
        br_trust_report_free(&r);
    }
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_a_cantilever),
        cmocka_unit_test(compliance_makes_stiction_determinate),
        cmocka_unit_test(pin_leans_in_its_hole),
        cmocka_unit_test(journal_slides_and_sticks),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
