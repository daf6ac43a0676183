// Limits of large models have rows only while they push: the motion is that of one problem of all of them, a snapshot goes on with the same
// bits, and more than there is room for are an error.
#include <stdio.h>
#include <stdlib.h>

#include "bristle/io.h"
#include "mechanisms.h"
#include "sim/core/sim.h"

// A chain of n links along x that falls onto narrow stops, and a ball far from everything. Where it has a shape,
// contacts are possible, and all limits are one problem.
static br_model *falling_chain(int n, double limit, const char *more, int with_shapes) {
    const size_t size = 4096 + 400 * (size_t)n;
    char *text = malloc(size);
    assert_non_null(text);
    size_t at =
        (size_t)snprintf(text, size,
                         "format: 1\nname: chain\nsolver: {step: 1 ms}\nrun: {until: 1 s}\nbodies:\n"
                         "  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 50, 9000]}%s}\n",
                         with_shapes ? ", shapes: [{sphere: {radius: 0.1}, material: steel}]" : "");
    for (int i = 0; i < n; i++)
        at +=
            (size_t)snprintf(text + at, size - at,
                             "  b%d: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [%g, 0, 0]}}\n",
                             i, 0.1 * i + 0.05);
    at += (size_t)snprintf(text + at, size - at, "joints:\n");
    for (int i = 0; i < n; i++) {
        char first[32] = "world";
        if (i > 0) snprintf(first, sizeof first, "b%d", i - 1);
        at += (size_t)snprintf(
            text + at, size - at,
            "  j%d: {revolute: [%s, b%d], axis: [0, 1, 0], at: [%g, 0, 0], limits: [%g, %g]}\n", i, first, i,
            0.1 * i, -limit, limit * (1 + i % 3));
    }
    snprintf(
        text + at, size - at, "%s%s", more,
        with_shapes
            ? "materials: {steel: {}}\npairs: {steel/steel: {mu: 0.3}}\n"
              "ground: [{plane: {normal: [0, 0, 1]}, material: steel, pose: {position: [0, 0, -9000]}}]\n"
            : "");
    br_model *model = NULL;
    br_error error = {0};
    mech_check(br_model_read_text(text, strlen(text), "chain", NULL, 0, NULL, &model, NULL, &error), &error);
    free(text);
    return model;
}

static br_sim *begin(const br_model *model) {
    br_sim *sim = NULL;
    br_error error = {0};
    mech_check(br_sim_create(model, NULL, &sim, &error), &error);
    return sim;
}

static int pushing(const br_sim *sim) {
    int count = 0;
    for (int g = 0; g < sim->groups; g++)
        count += sim->group[g].bound == BR_BOUND_LOWER && sim->group[g].force[0] > 0.0;
    return count;
}

// Whether they are one problem or those that push are, forces and motion agree. The chain is stiff where it lies on its stops: rounding grows
// a thousandfold on the way.
static void as_one_problem(int n, double limit, const char *more, int steps) {
    br_model *few = falling_chain(n, limit, more, 0), *all = falling_chain(n, limit, more, 1);
    br_sim *a = begin(few), *b = begin(all);
    assert_true(a->limits_apart && !b->limits_apart);
    br_error error = {0};
    int most = 0;
    for (int k = 1; k <= steps; k++) {
        mech_check(br_sim_advance(a, 1e-3 * k, &error), &error);
        mech_check(br_sim_advance(b, 1e-3 * k, &error), &error);
        for (int j = 0; j < n; j++) {
            double p, q;
            br_sim_joint_position(a, j, &p);
            br_sim_joint_position(b, j, &q);
            assert_near(p, q, 1e-9);
            assert_true(p >= -limit - 1e-12 && p <= limit * (1 + j % 3) + 1e-12);
        }
        assert_int_equal(pushing(a), pushing(b));
        most = pushing(a) > most ? pushing(a) : most;
    }
    assert_true(most >= n / 8);
    br_sim_destroy(a), br_sim_destroy(b);
    br_model_destroy(few), br_model_destroy(all);
}

static void those_that_push_are_enough(void **state) {
    (void)state;
    as_one_problem(110, 0.02, "", 150);
}

// Couplings and bounded motors are in the problem whether limits push or not.
static void with_a_gear_and_a_motor(void **state) {
    (void)state;
    as_one_problem(104, 0.02,
                   "  tie: {gear: [j20, j40], ratio: -1}\n"
                   "drives: {motor: {joint: j0, velocity: 0.1 rad/s, max_torque: 2000 N*m}}\n",
                   150);
}

static void a_snapshot_goes_on_with_the_same_bits(void **state) {
    (void)state;
    br_model *model = falling_chain(110, 0.02, "", 0);
    br_sim *a = begin(model), *b = begin(model);
    br_error error = {0};
    mech_check(br_sim_advance(a, 0.12, &error), &error);
    assert_true(pushing(a) > 5);
    const size_t size = br_sim_snapshot_size(a);
    void *kept = malloc(size);
    assert_non_null(kept);
    br_sim_save(a, kept);
    mech_check(br_sim_load(b, kept, size, &error), &error);
    mech_check(br_sim_advance(a, 0.15, &error), &error);
    mech_check(br_sim_advance(b, 0.15, &error), &error);
    assert_memory_equal(br_sim_q(a), br_sim_q(b), (size_t)br_model_nq(model) * sizeof(double));
    assert_memory_equal(br_sim_v(a), br_sim_v(b), (size_t)br_model_nv(model) * sizeof(double));
    assert_true(br_sim_hash(a) == br_sim_hash(b));
    free(kept);
    br_sim_destroy(a), br_sim_destroy(b);
    br_model_destroy(model);
}

// 2,000 joints that all begin on their stops: refused in words, and memory stays small.
static void more_than_there_is_room_for(void **state) {
    (void)state;
    br_model *model = falling_chain(2000, 0.0, "", 0);
    br_sim *sim = begin(model);
    br_error error = {0};
    assert_int_equal(br_sim_advance(sim, 1e-3, &error), BR_TOO_LARGE);
    assert_string_equal(error.code, "limits-at-once");
    br_sim_destroy(sim);
    br_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_push_are_enough),
        cmocka_unit_test(with_a_gear_and_a_motor),
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
        cmocka_unit_test(more_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
