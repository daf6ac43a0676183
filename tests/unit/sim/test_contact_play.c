// Joints with play under the contact stepper: pin and hole are a compliant contact of the step's own problem.
#include "scene.h"
#include "temp_file.h"

static scene open_text(const char *text, const char *settings) {
    scene s;
    br_error error = {0};
    if (scene_try(temp_write("model.yaml", text), settings, &s, &error) != BR_OK) scene_fail("model", &error);
    return s;
}

// A scene of the folder under the contact stepper: adaptive steps are the implicit stepper's alone.
static scene open_scene(const char *name, const char *settings) {
    char path[256], all[300];
    snprintf(path, sizeof path, SCENE_FOLDER "clearance/%s", name);
    char *text = temp_read(path), *solver = strstr(text, "\nsolver:");
    assert_non_null(solver);
    memset(solver + 1, ' ', strcspn(solver + 1, "\n"));
    snprintf(all, sizeof all, "solver.stepper=contact;%s", settings);
    scene s = open_text(text, all);
    free(text);
    return s;
}

// --- impacts -----------------------------------------------------------------------------------------------

// Half a swing of a disc on the spring of its hole: no friction, no loss. Depth and force of the first landing are known,
// m g d + m v^2/2 = k d^2/2, and energy comes back.
static void disc_bounces_in_its_hole(void **state) {
    (void)state;
    scene s = open_scene("drop.yaml", "solver.step=0.05 ms");
    const double m = 5, g = 9.81, k = 15e6, v2 = 2 * g * 0.5e-3,
                 d = (m * g + sqrt(m * m * g * g + k * m * v2)) / k;
    double deepest = 0.0, hardest = 0.0;
    for (int i = 1; i <= 260; i++) {
        scene_advance(&s, 0.05e-3 * i);
        deepest = fmax(deepest, -scene_read(&s, "hole.gap"));
        hardest = fmax(hardest, scene_read(&s, "hole.force.normal"));
    }
    assert_near(deepest, d, 2e-3 * d); // of the nearest step
    assert_near(hardest, k * d, 2e-3 * k * d);
    scene_advance(&s, 0.1);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(fabs(l.scheme) < 1e-3 * m * v2 && fabs(l.unaccounted) < 1e-12);
    scene_close(&s);
}

// A step far too long for the contact's 1.9 ms: the blow is taken, nothing is gained.
static void long_steps_gain_nothing(void **state) {
    (void)state;
    static const char *const name[] = {"drop.yaml",     "journal.yaml",         "pendulum.yaml",
                                       "four_bar.yaml", "journal_bearing.yaml", "slider_crank.yaml"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        scene s = open_scene(name[k], "solver.step=1 ms");
        scene_advance(&s, 0.2);
        const br_ledger l = br_sim_ledger(s.sim);
        const double size = scene_energy_scale(&s);
        if (!(l.scheme > -1e-3 * size) || !(fabs(l.unaccounted) < 1e-9 * size))
            fail_msg("%s: scheme %g, unaccounted %g of %g J", name[k], l.scheme, l.unaccounted, size);
        scene_close(&s);
    }
}

// --- the same motion as under the reference stepper --------------------------------------------------------

static double turned_by(const char *settings) {
    scene s = open_scene("journal.yaml", settings);
    scene_advance(&s, 0.1);
    const double w = scene_read(&s, "journal.angular_velocity.z");
    scene_close(&s);
    return w;
}

// It climbs, slides and is stopped by bristles. Longer steps are cut to 0.1 ms, in which the pin moves by a tenth of its play; the
// error is of second order (6.1e-4, 1.5e-4, 3.9e-5, 1.0e-5 rad/s at 100, 50, 25, 12.5 us).
static void journal_stops_as_under_the_reference_stepper(void **state) {
    (void)state;
    const double expected = turned_by("solver.stepper=reference"),
                 coarse = fabs(turned_by("solver.step=0.05 ms") - expected),
                 fine = fabs(turned_by("solver.step=0.025 ms") - expected);
    assert_true(fabs(turned_by("solver.step=0.4 ms") - expected) < 0.001); // of 10 rad/s
    assert_true(coarse < 5e-4 && fine < 0.3 * coarse);
}

// Of four kinds of friction on one pendulum the losses are those of the law's sliding coefficient, 0.3 all of them.
static void laws_agree_where_they_slide(void **state) {
    (void)state;
    static const char *const law[] = {"lugre", "dahl", "bristle", "coulomb", "smooth"};
    double taken[5];
    for (int k = 0; k < 5; k++) {
        char settings[120];
        snprintf(settings, sizeof settings, "solver.step=0.2 ms;clearances.pin.friction.law=%s", law[k]);
        scene s = open_scene("pendulum.yaml", settings);
        scene_advance(&s, 1.0);
        taken[k] = br_sim_ledger(s.sim).friction;
        scene_close(&s);
        assert_near(taken[k], taken[0], 0.01 * taken[0]);
    }
}

// --- rest --------------------------------------------------------------------------------------------------

// A disc that lies in its hole and is turned by a torque: below mu N r it stays to the last bit of its angle, above it goes.
static void coulomb_pin_holds_up_to_its_bound(void **state) {
    (void)state;
    for (int goes = 0; goes < 2; goes++) {
        char text[1024];
        // The disc rolls up the wall until weight and torque balance; what it cannot hold is 0.3 m g r cos(lean).
        snprintf(
            text, sizeof text,
            "format: 1\nname: pin\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n"
            "  disc: {mass: 5, inertia: {disk: {radius: 49.5 mm, axis: z}}, pose: {position: [0, -0.50327 "
            "mm, 0]}}\n"
            "clearances:\n  hole: {planar: [world, disc], at: {world: [0, 0, 0], disc: [0, 0, 0]}, outer: 50 "
            "mm, "
            "inner: 49.5 mm, contact: {law: hunt_crossley, stiffness: 15e6, exponent: 1, damping: 30 s/m}, "
            "friction: {law: coulomb, mu: 0.3}}\n"
            "loads: {turn: {torque: [0, 0, %g], body: disc}}\n"
            "solver: {stepper: contact, step: 0.2 ms}\n",
            goes ? 0.8 : 0.5); // m g r sin(atan 0.3) = 0.6976 N m
        scene s = open_text(text, "");
        scene_advance(&s, 1.0);
        const double w = scene_read(&s, "disc.angular_velocity.z");
        assert_true(goes ? w > 5.0 : fabs(w) < 2.0);
        scene_close(&s);
    }
}

// --- state -------------------------------------------------------------------------------------------------

static void snapshots_go_on_with_the_same_bits(void **state) {
    (void)state;
    scene a = open_scene("four_bar.yaml", "solver.step=0.5 ms"),
          b = open_scene("four_bar.yaml", "solver.step=0.5 ms");
    br_error error = {0};
    scene_advance(&a, 0.1);
    const size_t size = br_sim_snapshot_size(a.sim);
    void *bytes = malloc(size);
    br_sim_save(a.sim, bytes);
    assert_int_equal(br_sim_load(b.sim, bytes, size, &error), BR_OK);
    scene_advance(&a, 0.2), scene_advance(&b, 0.2);
    assert_true(br_sim_hash(a.sim) == br_sim_hash(b.sim));
    free(bytes);
    scene_close(&a), scene_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_bounces_in_its_hole),
        cmocka_unit_test(long_steps_gain_nothing),
        cmocka_unit_test(journal_stops_as_under_the_reference_stepper),
        cmocka_unit_test(laws_agree_where_they_slide),
        cmocka_unit_test(coulomb_pin_holds_up_to_its_bound),
        cmocka_unit_test(snapshots_go_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
