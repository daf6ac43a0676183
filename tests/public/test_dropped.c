// What a stepper is said to leave out it does leave out, and what it is said to follow changes the run: each key with and
// without, under every stepper that takes the model. Numbers are compared to the bit.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

// A ball that slides, and one that falls from a hand's breadth.
#define BALL(pair)                                                                                           \
    "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {" pair "}}\n"                                       \
    "bodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1]},\n"                    \
    "    velocity: {linear: [0.5, 0.1, -0.4]}, shapes: [{sphere: {radius: 0.1}, material: a}]}}\n"           \
    "ground: [{plane: {normal: [0, 0, 1]}, material: g}]\n"
// Two hinges of one axis share a load, which one motion prescribes.
#define HINGES(one)                                                                                          \
    "format: 1\nbodies: {b: {mass: 1, com: [0.2, 0.1, 0], inertia: [0.01, 0.01, 0.01]}}\njoints:\n"          \
    "  j: {revolute: [world, b], axis: y, at: [0, -1, 0]" one "}\n"                                          \
    "  k: {revolute: [world, b], axis: y, at: [0, 1, 0]}\n"                                                  \
    "drives: {d: {joint: j, position: \"0.1*t*t\"}}\n"
// A pendulum on a spring, under two exact hinges.
#define SWING                                                                                                \
    "format: 1\nbodies: {b: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}}\njoints:\n"            \
    "  j: {revolute: [world, b], axis: y, at: [0, 0, 0], spring: 50}\n"

typedef struct said {
    const char *with, *without; // a model but for solver and run
    const char *solver_with;    // settings of the solver with the key
    const char *element, *key;  // as br_dropped has them
    unsigned dropped;           // bit s: stepper s leaves it out; steppers that refuse the model do not count
    int shows;                  // nonzero: under each other stepper that takes it the run differs
    unsigned part;              // bit s: stepper s follows it in part, and says so
} said;

#define BIT(stepper) (1u << BR_STEPPER_##stepper)
#define BUT(stepper) (~(1u << BR_STEPPER_##stepper))

static const said table[] = {
    {BALL("mu: 0.9, bristle: {stiffness: 500}"), BALL("mu: 0.9"), "", "pair a/g", "bristle.stiffness", 0, 1,
     0},
    {BALL("mu: 0.9, bristle: {stiffness: 500, damping: 2}"), BALL("mu: 0.9, bristle: {stiffness: 500}"), "",
     "pair a/g", "bristle.damping", 0, 1, 0},
    {BALL("mu_static: 0.9, mu_kinetic: 0.1, bristle: {v_threshold: 2}"),
     BALL("mu_static: 0.9, mu_kinetic: 0.1"), "", "pair a/g", "bristle.v_threshold", BIT(REFERENCE), 1, 0},
    {BALL("mu: 0.2, restitution: 0.5, compliance: {law: linear, stiffness: 1e4}"),
     BALL("mu: 0.2, compliance: {law: linear, stiffness: 1e4}"), "", "pair a/g", "restitution", ~0u, 0, 0},
    {BALL("mu: 0.2") "contact: {paper: true}\n", BALL("mu: 0.2"), "", "contact", "paper", BIT(REFERENCE), 1,
     BIT(IMPLICIT)},
    {BALL("mu: 0.2") "contact: {bounds: lagged}\n", BALL("mu: 0.2"), "", "contact", "bounds", BIT(REFERENCE),
     1, 0},
    {SWING, SWING, ", theta: 1", "solver", "theta", BUT(CONTACT), 1, 0},
    {SWING, SWING, ", position_update: old", "solver", "position_update", BUT(CONTACT), 1, 0},
    {SWING, SWING, ", rho_infinity: 0.3, scheme: alpha", "solver", "rho_infinity", BUT(IMPLICIT), 1, 0},
    {SWING, SWING, ", scheme: alpha", "solver", "scheme", BUT(IMPLICIT), 1, 0},
    {HINGES(""), HINGES(""), ", tol: 1e-3", "solver", "tol", BIT(KINEMATIC), 0, 0},
    {SWING, SWING, ", max_iterations: 77", "solver", "max_iterations", BUT(CONTACT), 0, 0},
    {BALL("mu: 0.2, restitution: 0.5"), BALL("mu: 0.2, restitution: 0.5"), ", events: split", "solver",
     "events", BUT(CONTACT), 1, 0},
    {SWING, SWING, ", restart: 3 ms", "solver", "restart", BUT(REFERENCE), 1, 0},
    {HINGES(""), HINGES(""), ", redundancy: eliminate(k.force.y)", "solver", "redundancy", BIT(IMPLICIT), 1,
     0},
    {HINGES(", compliance: 1e-6 m/N"), HINGES(""), "", "joint j", "compliance", BIT(IMPLICIT), 1, 0},
};

enum { MOST = 400 };

static br_model *read_model(const char *text, const char *settings, br_stepper stepper) {
    char whole[2048];
    br_model *model = NULL;
    br_error error = {0};
    snprintf(whole, sizeof whole, "%ssolver: {stepper: %s, step: 1 ms%s}\n", text, br_stepper_name(stepper),
             settings);
    if (br_model_read_text(whole, strlen(whole), "said", NULL, 0, NULL, &model, NULL, &error) != BR_OK)
        fail_msg("%s: %s", whole, error.message);
    return model;
}

// Every channel after 20 steps.
static int run_model(const br_model *model, double out[MOST]) {
    br_sim *sim = NULL;
    br_error error = {0};
    br_channels *channels = NULL;
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK || br_sim_advance(sim, 0.02, &error) != BR_OK ||
        br_channels_choose(sim, BR_CHANNELS_ALL, NULL, &channels, &error) != BR_OK)
        fail_msg("%s stepper: %s", br_stepper_name(br_model_settings(model)->solver.stepper), error.message);
    const int count = br_channels_count(channels);
    assert_true(count > 0 && count <= MOST);
    assert_int_equal(br_channels_read(channels, sim, out, &error), BR_OK);
    br_channels_destroy(channels);
    br_sim_destroy(sim);
    return count;
}

static int is_said_of(const br_model *model, const said *s) {
    br_dropped dropped;
    for (int k = 0; br_model_dropped(model, k, &dropped); k++) {
        if (strcmp(dropped.key, s->key) != 0) continue;
        assert_string_equal(dropped.element, s->element);
        assert_non_null(strstr(dropped.text, s->element));
        assert_non_null(strstr(dropped.text, br_stepper_name(dropped.stepper)));
        for (int b = 0; b < BR_STEPPERS; b++)
            if (dropped.followed >> b & 1u && b != BR_STEPPER_KINEMATIC)
                assert_non_null(strstr(dropped.text, br_stepper_name((br_stepper)b)));
        return 1;
    }
    return 0;
}

static void what_is_left_out_changes_no_bit_and_what_is_followed_shows(void **state) {
    (void)state;
    double with[MOST], without[MOST];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const said *s = &table[i];
        int taken = 0;
        for (int k = 0; k < BR_STEPPERS; k++) {
            br_error error = {0};
            br_model *one = read_model(s->with, s->solver_with, (br_stepper)k);
            br_model *other = read_model(s->without, "", (br_stepper)k);
            const int moves = br_model_runnable(one, &error) == BR_OK &&
                              (k != BR_STEPPER_KINEMATIC || strstr(s->with, "drives:") != NULL);
            if (moves) {
                const int left_out = s->dropped >> k & 1u;
                if (is_said_of(one, s) != (left_out || s->part >> k & 1u))
                    fail_msg("%s of %s under %s", s->key, s->element, br_stepper_name((br_stepper)k));
                const int count = run_model(one, with);
                assert_int_equal(run_model(other, without), count);
                const int same = memcmp(with, without, (size_t)count * sizeof *with) == 0;
                if (left_out ? !same : s->shows && same)
                    fail_msg("%s under %s: %s", s->key, br_stepper_name((br_stepper)k),
                             same ? "nothing moves" : "the run moves");
                assert_false(is_said_of(other, s));
                taken++;
            }
            br_model_destroy(one);
            br_model_destroy(other);
        }
        assert_true(taken >= 2);
    }
}

static void a_pair_of_materials_that_never_meet_says_nothing(void **state) {
    (void)state;
    br_model *model =
        read_model(BALL("mu: 0.9, bristle: {stiffness: 500}") "contact: {exclude: [[b, world]]}\n", "",
                   BR_STEPPER_REFERENCE);
    assert_false(br_model_dropped(model, 0, NULL));
    br_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_changes_no_bit_and_what_is_followed_shows),
        cmocka_unit_test(a_pair_of_materials_that_never_meet_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
