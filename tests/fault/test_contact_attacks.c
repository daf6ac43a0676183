// Contact models that a hostile or a clumsy user writes: a step that cannot be taken is refused by name, one that can makes
// no energy, and nothing that is not a number comes out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/contact.h"
#include "bristle/io.h"
#include "near.h"

#define HEAD "format: 1\nmaterials: {m: {}}\n"
#define FLOOR "ground: [{plane: {normal: [0, 0, 1]}, material: m, name: floor}]\n"
#define BALL(z, extra)                                                                                       \
    "bodies:\n  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, " #z "]}, shapes: "     \
    "[{sphere: {radius: 0.1}, material: m}]" extra "}\n"

static br_model *read_model(const char *text) {
    br_model *model = NULL;
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "attack.yaml", NULL, 0, NULL, &model, NULL, &error) != BR_OK)
        fail_msg("%s: %s", error.code, error.message);
    return model;
}

static br_sim *start(const br_model *model) {
    br_sim *sim = NULL;
    br_error error = {0};
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) fail_msg("%s: %s", error.code, error.message);
    return sim;
}

static void assert_state_is_finite(const br_sim *sim) {
    const br_model *model = br_sim_model(sim);
    for (int k = 0; k < br_model_nq(model); k++) assert_true(isfinite(br_sim_q(sim)[k]));
    for (int k = 0; k < br_model_nv(model); k++) assert_true(isfinite(br_sim_v(sim)[k]));
}

// Steps until `until`; the ledger in between must not show more energy than there was, but for `made` joules.
static br_ledger run_without_gain(const char *text, double until, double made) {
    br_model *model = read_model(text);
    br_sim *sim = start(model);
    br_error error = {0};
    const double first = br_sim_energy(sim).total;
    while (br_sim_time(sim) < until) {
        if (br_sim_step(sim, &error) != BR_OK) fail_msg("%s: %s", error.code, error.message);
        if (br_sim_energy(sim).total > first + made)
            fail_msg("t = %g s: %.17g J of %.17g J", br_sim_time(sim), br_sim_energy(sim).total, first);
    }
    assert_state_is_finite(sim);
    const br_ledger ledger = br_sim_ledger(sim);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return ledger;
}

static void assert_step_fails(const char *text, const char *code, const char *name) {
    br_model *model = read_model(text);
    br_sim *sim = start(model);
    br_error error = {0};
    br_status status = BR_OK;
    for (int k = 0; k < 1000 && status == BR_OK; k++) status = br_sim_step(sim, &error);
    if (status != BR_NUMERICAL) fail_msg("%s: %s", error.code, error.message);
    if (strcmp(error.code, code) != 0 || !strstr(error.message, name))
        fail_msg("%s: %s", error.code, error.message);
    assert_non_null(br_explain(code));
    assert_state_is_finite(sim);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// --- what cannot be -----------------------------------------------------------------------------------------

// The plate is 10 mm above the ball and comes down at 0.1 m/s whatever it costs.
static void a_drive_through_a_body_is_infeasible(void **state) {
    (void)state;
    static const char *const laws[] = {"bristle", "cone", "box", "polygon(8)", "viscous(0.01)"};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            HEAD "pairs: {m/m: {mu: 0.5}}\n" BALL(
                0.1, "") "  plate: {mass: 10, inertia: [1, 1, 1], pose: {position: [0, 0, 0.26]}, shapes: "
                         "[{box: {size: [1, 1, 0.1]}, material: m}]}\n" FLOOR
                         "joints:\n  slide: {prismatic: [world, plate], axis: [0, 0, -1], at: [0, 0, 0.26]}\n"
                         "drives:\n  press: {joint: slide, velocity: 0.1}\ncontact: {law: %s}\n",
            laws[k]);
        assert_step_fails(text, "contact-infeasible", "ball.shape0~");
    }
}

static void a_law_beyond_doubles_names_its_contact(void **state) {
    (void)state;
    assert_step_fails(
        HEAD
        "pairs: {m/m: {mu: 0.3, compliance: {law: hertz, stiffness: 1e6, exponent: 100}}}\n" BALL(0.11, "")
            FLOOR,
        "not-finite", "ball.shape0~floor#0");
    assert_step_fails(
        HEAD
        "pairs: {m/m: {mu: 0.3, compliance: {law: hunt_crossley, stiffness: 1e15, damping: 1e300}}}\n" BALL(
            0.11, "") FLOOR,
        "not-finite", "ball.shape0~floor#0");
}

static void shapes_whose_squares_are_no_doubles_are_refused(void **state) {
    (void)state;
    static const char *const shapes[] = {"sphere: {radius: 1e308}", "ellipsoid: {radii: [1, 1e-300, 1]}",
                                         "capsule: {radius: 1, length: 1e60}"};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char text[400];
        br_model *model = NULL;
        br_error error = {0};
        snprintf(text, sizeof text,
                 HEAD "bodies:\n  b: {mass: 1, inertia: [1, 1, 1], shapes: [{%s, material: m}]}\n",
                 shapes[k]);
        assert_int_equal(
            br_model_read_text(text, strlen(text), "a.yaml", NULL, 0, NULL, &model, NULL, &error),
            BR_INVALID);
        assert_string_equal(error.code, "shape-size");
        assert_int_equal(error.line, 4);
    }
}

// --- what makes no energy ----------------------------------------------------------------------------------

// A hull falls among spikes 1 m high and 0.1 m apart: its contacts turn round from step to step and start deep inside.
static void a_body_caught_between_spikes_makes_no_energy(void **state) {
    (void)state;
    char text[6000];
    int n = snprintf(text, sizeof text,
                     HEAD
                     "pairs: {m/m: {mu: 0.5}}\nbodies:\n  hull: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: "
                     "{position: [1, 1, 1.3]}, velocity: {linear: [0.3, 0.2, 0]}, shapes: [{convex: {points: "
                     "[[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [0.1, 0.1, 0.1]]}, material: m}]}\n"
                     "ground: [{heightfield: {spacing: [0.1, 0.1], heights: [");
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%d%s", x == 0 ? "[" : "",
                          (x * 7 + y * 13) % 5 == 0,
                          x < 19   ? ", "
                          : y < 19 ? "], "
                                   : "]");
    snprintf(text + n, sizeof text - (size_t)n, "]}, material: m}]\n");
    // Coming out of a spike at 0.01 m/s is allowed: 0.05 mJ for each contact that begins inside.
    const br_ledger l = run_without_gain(text, 1.0, 0.05);
    assert_true(fabs(l.impact) < 20.0 && fabs(l.friction) < 20.0); // of 12.8 J
}

// 0.2 mm too narrow: the box cannot come out of both walls, and no force is the way to try.
static void a_slot_too_narrow_makes_no_forces(void **state) {
    (void)state;
    static const char *const laws[] = {"bristle", "cone", "box", "polygon(8)"};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 HEAD
                 "pairs: {m/m: {mu: 0.5}}\nbodies:\n  box: {mass: 1, inertia: [0.01, 0.01, 0.01], shapes: "
                 "[{box: {size: [0.1, 0.1, 0.1]}, material: m}]}\n"
                 "ground: [{plane: {normal: [1, 0, 0], point: [-0.0499, 0, 0]}, material: m}, "
                 "{plane: {normal: [-1, 0, 0], point: [0.0499, 0, 0]}, material: m}]\ncontact: {law: %s}\n",
                 laws[k]);
        const br_ledger l = run_without_gain(text, 0.05, 1e-6);
        assert_true(fabs(l.impact) < 1.0 && fabs(l.friction) < 1.0);
    }
}

// Springs that are pressed at the start hold their energy from the start: k depth^2/2 = 1e4 0.05^2/2 J.
static void a_soft_contact_that_starts_inside_stores_its_energy(void **state) {
    (void)state;
    const char *text =
        HEAD "pairs: {m/m: {mu: 0.3, compliance: {law: linear, stiffness: 1e4}}}\n" BALL(0.05, "") FLOOR;
    const br_ledger l = run_without_gain(text, 0.1, 1e-9);
    assert_near(l.start.elastic, 12.5, 1e-12);
    assert_near(l.unaccounted, 0.0, 1e-9);
}

// --- numbers at the edge -----------------------------------------------------------------------------------

static void no_friction_may_be_written_as_minus_zero(void **state) {
    (void)state;
    run_without_gain(HEAD "pairs: {m/m: {mu: -0.0}}\n" BALL(0.1, ", velocity: {linear: [1, 0, 0]}") FLOOR,
                     0.01, 1e-9);
}

static void a_step_longer_than_the_run_arrives(void **state) {
    (void)state;
    br_model *model =
        read_model(HEAD "pairs: {m/m: {mu: 0.5}}\n" BALL(0.1, "") FLOOR "solver: {step: 1e300}\n");
    br_sim *sim = start(model);
    br_error error = {0};
    assert_int_equal(br_sim_advance(sim, 1.0, &error), BR_OK);
    assert_true(br_sim_time(sim) == 1.0);
    assert_near(br_sim_q(sim)[2], 0.1, 1e-9);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// --- snapshots ---------------------------------------------------------------------------------------------

static void a_damaged_snapshot_is_refused_or_harmless(void **state) {
    (void)state;
    br_model *model = read_model(
        HEAD "pairs: {m/m: {mu: 0.5}}\nbodies:\n  box: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: "
             "{position: [0, 0, 0.05]}, velocity: {linear: [1, 0.5, 0]}, shapes: [{box: {size: "
             "[0.1, 0.1, 0.1]}, material: m}]}\n" FLOOR);
    br_sim *sim = start(model), *other = start(model);
    br_error error = {0};
    for (int k = 0; k < 50; k++) assert_int_equal(br_sim_step(sim, &error), BR_OK);
    const size_t size = br_sim_snapshot_size(sim);
    unsigned char *bytes = malloc(size), *damaged = malloc(size);
    br_sim_save(sim, bytes);
    assert_int_equal(br_sim_load(other, bytes, size, &error), BR_OK);
    for (int k = 0; k < 50; k++) {
        assert_int_equal(br_sim_step(sim, &error), BR_OK);
        assert_int_equal(br_sim_step(other, &error), BR_OK);
    }
    assert_memory_equal(br_sim_q(sim), br_sim_q(other), (size_t)br_model_nq(model) * sizeof(double));
    // Any byte may be wrong: the load says so, or a step is taken or refused, without a NaN and without a crash.
    for (size_t at = 0; at < size; at++) {
        memcpy(damaged, bytes, size);
        damaged[at] ^= 0xff;
        if (br_sim_load(other, damaged, size, &error) != BR_OK) continue;
        (void)br_sim_step(other, &error);
        assert_state_is_finite(other);
    }
    free(bytes);
    free(damaged);
    br_sim_destroy(sim);
    br_sim_destroy(other);
    br_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drive_through_a_body_is_infeasible),
        cmocka_unit_test(a_law_beyond_doubles_names_its_contact),
        cmocka_unit_test(shapes_whose_squares_are_no_doubles_are_refused),
        cmocka_unit_test(a_body_caught_between_spikes_makes_no_energy),
        cmocka_unit_test(a_slot_too_narrow_makes_no_forces),
        cmocka_unit_test(a_soft_contact_that_starts_inside_stores_its_energy),
        cmocka_unit_test(no_friction_may_be_written_as_minus_zero),
        cmocka_unit_test(a_step_longer_than_the_run_arrives),
        cmocka_unit_test(a_damaged_snapshot_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
