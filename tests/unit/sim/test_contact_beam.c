// Beams under the contact stepper: six compliant rows an element, in the step's own problem.
#include "bristle/judgement.h"
#include "scene.h"
#include "sim/core/sim.h"
#include "sim/rows/springs.h"
#include "temp_file.h"

#define SECTION "section: {E: 70 GPa, nu: 0.3, density: 2700 kg/m^3, rectangle: {size: [10 mm, 20 mm]}}"
#define CANTILEVER                                                                                           \
    "format: 1\nname: cantilever\nbeams:\n  rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 8, damping: "    \
    "1e-2, "                                                                                                 \
    "attach: {0: world}, " SECTION "}\nsolver: {stepper: contact, step: 1 ms}\n"

#define assert_near_rel(a, b, tol) assert_near(a, b, (tol)*fabs(b))

static scene open_text(const char *text, const char *settings) {
    scene s;
    br_error error = {0};
    if (scene_try(temp_write("model.yaml", text), settings, &s, &error) != BR_OK) scene_fail("model", &error);
    return s;
}

// --- statics and first frequency ---------------------------------------------------------------------------

// Its own weight at rest: q l^4/8EI, and q l^2/2GA for shear. What is left is the mesh's, of third order.
static void cantilever_comes_to_rest_where_statics_have_it(void **state) {
    (void)state;
    scene s = open_text(CANTILEVER, "");
    const double A = 2e-4, I = 0.01 * 0.02 * 0.02 * 0.02 / 12, G = 70e9 / 2.6, q = 2700 * A * 9.81,
                 k = 10 * 1.3 / (12 + 11 * 0.3);
    scene_advance(&s, 3.0);
    const double expected = q / (8 * 70e9 * I) + q / (2 * k * G * A);
    assert_near_rel(-scene_read(&s, "rod.s1.position.z"), expected, 1e-4);
    assert_near_rel(scene_read(&s, "rod.s0.moment.y"), 0.5 * q, 1e-5);
    assert_near_rel(scene_read(&s, "rod.s0.force.z"), -q, 1e-6);
    scene_close(&s);
}

// Time of the first extreme of the tip let go from straight: half a period.
static double half_period(double h) {
    char settings[64];
    snprintf(settings, sizeof settings, "solver.step=%.17g;beams.rod.damping=0", h);
    scene s = open_text(CANTILEVER, settings);
    double before[2] = {0.0, 0.0};
    for (int k = 1;; k++) {
        scene_advance(&s, k * h);
        const double z = scene_read(&s, "rod.s1.position.z");
        if (k > 1 && z > before[1]) { // of the parabola through three heights
            const double a = before[0], b = before[1], at = 0.5 * (a - z) / (a - 2 * b + z);
            scene_close(&s);
            return (k - 1 + at) * h;
        }
        before[0] = before[1], before[1] = z;
        assert_true(k < 1000);
    }
}

// 3.5160/2 pi sqrt(EI/m l^4) = 16.45 Hz. The load begins with a jump and higher modes ride on it, the second at 6.3 times the
// frequency with a fiftieth of the height: the extreme is theirs too, by some percent.
static void first_frequency_is_that_of_the_cantilever(void **state) {
    (void)state;
    const double EI = 70e9 * 0.01 * 0.02 * 0.02 * 0.02 / 12, mass = 2700 * 2e-4;
    const double half = 3.14159265358979 / (3.5160 * sqrt(EI / mass));
    assert_near_rel(half_period(1e-3), half, 0.05);
    assert_near_rel(half_period(0.5e-3), half, 0.05);
}

// --- against the implicit stepper --------------------------------------------------------------------------

// The rubber rod of the scene bends far. Against the implicit stepper at a tenth of the step the motion agrees, and the
// error falls with the step; what is left is the mass that elements share between nodes.
static double tip_error(double h, const br_vec3 *expected) {
    char settings[64];
    snprintf(settings, sizeof settings, "solver.stepper=contact;solver.step=%.17g", h);
    scene s = scene_open("flexible/swinging_beam.yaml", settings);
    scene_advance(&s, 0.5);
    const br_vec3 at = scene_point(&s, "rod.s1", br_vec3_zero());
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(fabs(l.unaccounted) < 1e-12);
    assert_true(fabs(l.scheme) < 1e-4);
    scene_close(&s);
    return br_vec3_distance(at, *expected);
}

static void swings_as_under_the_implicit_stepper(void **state) {
    (void)state;
    scene s = scene_open("flexible/swinging_beam.yaml", "solver.step=0.1 ms");
    scene_advance(&s, 0.5);
    const br_vec3 expected = scene_point(&s, "rod.s1", br_vec3_zero());
    scene_close(&s);
    const double coarse = tip_error(2e-3, &expected), fine = tip_error(1e-3, &expected);
    assert_true(coarse < 5e-4);
    assert_true(fine < 0.5 * coarse);
}

// A tension a hundred times what would buckle an element, nodes without rotary inertia to speak of: stable at any step.
static void rope_holds_its_weight(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("flexible/rope.yaml", k ? "solver.stepper=contact;solver.step=4 ms"
                                                     : "solver.stepper=contact;solver.step=1 ms");
        scene_advance(&s, 1.0);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_true(l.scheme > -0.01);
        assert_true(fabs(scene_read(&s, "rope.s0.5.force.x") - 49.0) < 2.0);
        scene_close(&s);
    }
}

// --- the rows themselves -----------------------------------------------------------------------------------

// d strain/dt by a difference of strains, d2 strain/dt2 at fixed twists by a difference of rates, on a beam that bends and turns.
static void rows_are_rates_of_the_strains(void **state) {
    (void)state;
    scene s = scene_open("flexible/free_beam.yaml", "solver.stepper=contact");
    scene_advance(&s, 0.1);
    br_sim *sim = s.sim;
    const br_tree *tree = &sim->model->tree;
    const double e = 1e-6;
    double *q = malloc((size_t)tree->nq * sizeof *q);
    br_spring_rows at, less, more;
    br_sim_refresh(sim, 2);
    for (int i = 0; i < sim->model->beam_elements; i++) {
        br_spring_of_beam(sim, i, 1, &at);
        for (int side = 0; side < 2; side++) {
            br_tree_advance(tree, sim->state.q, sim->state.v, side ? e : -e, q);
            br_tree_position(tree, q, &sim->work);
            br_spring_of_beam(sim, i, 0, side ? &more : &less);
        }
        br_tree_position(tree, sim->state.q, &sim->work);
        for (int r = 0; r < 6; r++)
            assert_near((more.deflection[r] - less.deflection[r]) / (2 * e), at.rate[r], 1e-7);
    }
    free(q);
    scene_close(&s);
}

// --- beside what pushes one way ----------------------------------------------------------------------------

// A ball at the end of a thin rod falls on a floor, jumps with the rod's waves and comes to rest: nothing is gained, and at
// rest the floor carries what the lever leaves.
static void beam_slaps_a_floor_and_rests(void **state) {
    (void)state;
    scene s = open_text(
        "format: 1\nname: slap\nmaterials: {a: {}, g: {}}\npairs: {a/g: {mu: 0.3}}\nbodies:\n"
        "  tip: {mass: 0.05, inertia: [1e-5, 1e-5, 1e-5], pose: {position: [0.5, 0, 0]}, shapes: [{sphere: "
        "{radius: 10 mm}, material: a}]}\n"
        "ground: [{plane: {normal: [0, 0, 1], point: [0, 0, -0.05]}, material: g}]\nbeams:\n"
        "  rod: {from: [0, 0, 0], to: [0.5, 0, 0], elements: 6, damping: 1e-3, attach: {1: tip}, section: "
        "{E: "
        "70 GPa, nu: 0.3, density: 2700, rectangle: {size: [10 mm, 2 mm]}}}\n"
        "joints:\n  pin: {revolute: [world, rod.s0], axis: [0, 1, 0]}\n"
        "solver: {stepper: contact, step: 1 ms}\n",
        "");
    scene_advance(&s, 2.0);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(fabs(l.unaccounted) < 1e-12);
    assert_true(l.scheme > -1e-3 * l.impact);
    assert_true(l.now.kinetic < 1e-9);
    // The tip's weight and half of the rod's, of the lever's 0.5 m; it hangs by atan(0.04/0.5), the same on both sides.
    const double rod = 2700 * 2e-5 * 0.5;
    assert_near_rel(scene_read(&s, "tip.shape0~world.shape0#0.force.normal"), 9.81 * (0.05 + 0.5 * rod),
                    1e-2);
    scene_close(&s);
}

// --- steps that are split ----------------------------------------------------------------------------------

// From rest there is nothing at play yet, and loads bend it from the first step on (decision 66): what a step may make is measured by what they bring. A
// moment at the tip of ten elements at 1 ms makes energy without end where steps are not split; a force on 64 of them none.
static void beams_bent_from_rest_run_to_their_end(void **state) {
    (void)state;
    static const char *const name[] = {"beams/roll_up.yaml", "beams/elastica.yaml"};
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(name[k], "solver.stepper=contact");
        br_judgement judgement;
        br_error error = {0};
        if (br_sim_advance(s.sim, 0.4, &error) != BR_OK) scene_fail(name[k], &error);
        br_sim_judge(s.sim, &judgement);
        assert_int_equal(judgement.credible, BR_CREDIBLE);
        scene_close(&s);
    }
}

// Rows each 1.5 ms cut steps of 1 ms into 1 and 0.5 ms. Waves that a step cannot follow are damped by that step's own length: by the
// model's, the short ones fed them, elastica took 9,176 parts in 0.2 s and made 3.6 % of its energy.
static void rows_between_steps_do_not_shake_a_beam(void **state) {
    (void)state;
    scene s = scene_open("beams/elastica.yaml", "solver.stepper=contact;solver.step=1 ms");
    br_judgement judgement;
    for (int k = 1; k <= 100; k++) scene_advance(&s, 1.5e-3 * k);
    br_sim_judge(s.sim, &judgement);
    assert_int_equal(judgement.credible, BR_CREDIBLE);
    assert_true(br_sim_ledger(s.sim).steps < 2 * 200);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_comes_to_rest_where_statics_have_it),
        cmocka_unit_test(first_frequency_is_that_of_the_cantilever),
        cmocka_unit_test(swings_as_under_the_implicit_stepper),
        cmocka_unit_test(rope_holds_its_weight),
        cmocka_unit_test(rows_are_rates_of_the_strains),
        cmocka_unit_test(beam_slaps_a_floor_and_rests),
        cmocka_unit_test(beams_bent_from_rest_run_to_their_end),
        cmocka_unit_test(rows_between_steps_do_not_shake_a_beam),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
