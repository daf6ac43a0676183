// A program that links the core alone (libc, libm, AMD): it reads a scene from a tree that is given, runs it under two steppers, and
// asks for the verdict. What the core leaves out is refused by name.
#include "bristle/io.h"
#include "bristle/sim.h"
#include "bristle/trust.h"

#include "flow.h"
#include "near.h"

// A box thrown up an incline of 20 degrees, with another on a hinge beside it that its friction holds.
static const char scene[] =
    "{format: 1, name: core, params: {slope: 20 deg, mu: 0.5}, materials: {wood: {}, stone: {}},"
    " pairs: {wood/stone: {mu: $mu}},"
    " bodies: {box: {mass: 3 kg, inertia: {box: {size: [0.3, 0.2, 0.1]}},"
    "  pose: {position: [-50 mm*sin($slope), 0, 50 mm*cos($slope)], euler_xyz: [0, -$slope, 0]},"
    "  velocity: {linear: [2 m/s*cos($slope), 0, 2 m/s*sin($slope)]},"
    "  shapes: [{name: box, box: {size: [0.3, 0.2, 0.1]}, material: wood}]},"
    " door: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [5.1, 5, 5]}}},"
    " joints: {hinge: {revolute: [world, door], at: [5, 5, 5], axis: [0, 1, 0],"
    "  friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.4, pin_radius: 0.5 m, load: reaction}}},"
    " ground: [{name: incline, plane: {normal: [-sin($slope), 0, cos($slope)]}, material: stone}],"
    " contact: {law: cone}, solver: {stepper: contact, step: 1 ms}, run: {until: 1 s}}";

static br_model *read_with(const char *text, const br_override *overrides, int count, br_error *error) {
    br_model *model = NULL;
    const br_status status =
        br_model_read_text(text, strlen(text), "core", overrides, count, NULL, &model, NULL, error);
    assert_int_equal(status == BR_OK, model != NULL);
    return model;
}

static br_sim *start(const br_model *model) {
    br_sim *sim = NULL;
    br_error error = {0};
    if (!model || br_sim_create(model, NULL, &sim, &error) != BR_OK) print_error("%s\n", error.message);
    assert_non_null(sim);
    return sim;
}

// Coulomb's law in closed form: it slides v^2 / (2 a), a = g (sin + mu cos), and stays, because mu > tan(slope).
static void a_scene_from_a_tree_moves_as_coulomb_says(void **state) {
    (void)state;
    br_error error = {0};
    br_model *model = read_with(scene, NULL, 0, &error);
    if (!model) print_error("%s\n", error.message);
    br_sim *sim = start(model);
    assert_int_equal(br_sim_advance(sim, 1.0, &error), BR_OK);
    const double slope = 20.0 * acos(-1.0) / 180.0, a = 9.80665 * (sin(slope) + 0.5 * cos(slope));
    const br_vec3 p = br_sim_body_pose(sim, br_model_body_find(model, "box")).position;
    const double way = p.x * cos(slope) + p.z * sin(slope);
    assert_near(way, 2.0 * 2.0 / (2.0 * a), 2.5e-3); // a step of 1 ms at 2 m/s, of first order
    for (int k = 0; k < br_model_nv(model); k++) assert_near(br_sim_v(sim)[k], 0.0, 1e-12);

    br_trust_report report = {0};
    const br_trust_options options = br_default_trust_options();
    assert_int_equal(br_trust_instant(sim, &options, &report, &error), BR_OK);
    assert_true(report.intervals > 0 && report.interval[0].verdict == BR_STICKS_ROBUST);
    br_trust_report_free(&report);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// A pendulum under the implicit stepper keeps its energy, and `--set` reaches the tree through the same parser.
static void the_implicit_stepper_is_in_the_core(void **state) {
    (void)state;
    static const char pendulum[] =
        "{format: 1, bodies: {bob: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0]}}},"
        " joints: {pivot: {revolute: [world, bob], at: [0, 0, 0], axis: [0, 1, 0]}},"
        " solver: {stepper: contact, step: 1 ms}, run: {until: 1 s}}";
    const br_override implicit = {"solver.stepper", "implicit"};
    br_error error = {0};
    br_model *model = read_with(pendulum, &implicit, 1, &error);
    if (!model) print_error("%s\n", error.message);
    br_sim *sim = start(model);
    const br_ledger before = br_sim_ledger(sim);
    assert_int_equal(br_sim_advance(sim, 0.5, &error), BR_OK);
    const br_ledger after = br_sim_ledger(sim);
    assert_true(after.now.kinetic > 1.0);
    assert_near(after.now.kinetic + after.now.potential, before.now.kinetic + before.now.potential, 1e-3);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void what_the_core_leaves_out_is_refused_by_name(void **state) {
    (void)state;
    const br_override reference = {"solver.stepper", "reference"};
    br_error error = {0};
    br_model *model =
        read_with("{format: 1, bodies: {ball: {mass: 1 kg, inertia: [1, 1, 1]}}, run: {until: 1 s}}",
                  &reference, 1, &error);
    br_sim *sim = start(model);
    assert_int_equal(br_sim_advance(sim, 0.1, &error), BR_INVALID);
    assert_string_equal(error.code, "stepper-not-here");
    assert_string_equal(error.path, "solver/stepper");
    assert_near(br_sim_time(sim), 0.0, 0.0);
    br_sim_destroy(sim);
    br_model_destroy(model);

    assert_null(read_with("{format: 1, import: robot.urdf}", NULL, 0, &error));
    assert_string_equal(error.code, "import-format");
    assert_null(read_with(
        "{format: 1, materials: {wood: {}}, bodies: {stone: {mass: 1 kg, inertia: [1, 1, 1], shapes: "
        "[{convex: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, material: wood}]}}}",
        NULL, 0, &error));
    assert_string_equal(error.code, "shape-hull");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_from_a_tree_moves_as_coulomb_says),
        cmocka_unit_test(the_implicit_stepper_is_in_the_core),
        cmocka_unit_test(what_the_core_leaves_out_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
