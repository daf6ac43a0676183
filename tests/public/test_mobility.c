// Freedoms, idle freedoms and redundant rows of mechanisms whose numbers are known by hand; what check names can be eliminated; and the
// default stepper moves them as the reference does.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

enum { MOST_NAMES = 8192, MOST_TEXT = 4096 };

#define TOL_MOTION 1e-3 // m after half a second: the default step's own error is below 1e-4

#define PLANAR "format: 1\nplanar: xz\ngravity: [0, 0, -9.81]\nbodies:\n"
#define SPATIAL "format: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
#define BODY(name, x, z)                                                                                     \
    "  " name ": {mass: 1, inertia: [0.1, 0.11, 0.12], pose: {position: [" #x ", 0, " #z "]}}\n"
#define HINGE(name, a, b, x, z)                                                                              \
    "  " name ": {revolute: [" a ", " b "], axis: [0, 1, 0], at: [" #x ", 0, " #z "]}\n"
#define TILTED(name, a, b, x, y, z)                                                                          \
    "  " name ": {revolute: [" a ", " b "], axis: [1, 2, 2], at: [" #x ", " #y ", " #z "]}\n"

// Version 14 of clang-format never settles on these.
// clang-format off
#define FOUR_BAR                                                                                             \
    BODY("crank", 0.3, 0.4)                                                                                  \
    BODY("coupler", 1.4, 1.2)                                                                                \
    BODY("rocker", 2.4, 0.8) "joints:\n" HINGE("a", "world", "crank", 0, 0)                                  \
        HINGE("b", "crank", "coupler", 0.6, 0.8) HINGE("c", "coupler", "rocker", 2.2, 1.7)                   \
            HINGE("d", "world", "rocker", 2.5, 0)
#define FIVE_BAR                                                                                             \
    BODY("l1", 0, 0.5)                                                                                       \
    BODY("l2", 0.3, 1.4)                                                                                     \
    BODY("l3", 1.7, 1.5) BODY("l4", 2.2, 0.5) "joints:\n" HINGE("a", "world", "l1", 0, 0)                    \
        HINGE("b", "l1", "l2", -0.3, 1) HINGE("c", "l2", "l3", 1, 2) HINGE("d", "l4", "l3", 2.4, 1.1)        \
            HINGE("e", "world", "l4", 2, 0)
#define SIX_BAR                                                                                              \
    BODY("crank", 0.3, 0.4)                                                                                  \
    BODY("coupler", 1.4, 1.6) BODY("rocker", 2.6, 1.2) BODY("l5", 2, 3) BODY("l6", 3, 2.8)
#define WATT                                                                                                 \
    SIX_BAR "joints:\n" HINGE("a", "world", "crank", 0, 0) HINGE("b", "crank", "coupler", 0.6, 0.8)          \
        HINGE("c", "coupler", "rocker", 2.2, 1.7) HINGE("d", "world", "rocker", 2.5, 0)                      \
            HINGE("e", "coupler", "l5", 1.7, 2.6) HINGE("f", "rocker", "l6", 3, 2.3)                         \
                HINGE("g", "l5", "l6", 2.6, 3.5)
#define STEPHENSON                                                                                           \
    SIX_BAR "joints:\n" HINGE("a", "world", "crank", 0, 0) HINGE("b", "crank", "coupler", 0.6, 0.8)          \
        HINGE("c", "coupler", "rocker", 2.2, 1.7) HINGE("d", "world", "rocker", 2.5, 0)                      \
            HINGE("e", "coupler", "l5", 1.7, 2.6) HINGE("g", "l5", "l6", 3.2, 2.4)                           \
                HINGE("h", "world", "l6", 4, 1)
#define TINY_CRANK                                                                                           \
    BODY("crank", 0.00003, 0.00004)                                                                          \
    BODY("coupler", 1.1, 0.8)                                                                                \
    BODY("rocker", 2.4, 0.8) "joints:\n" HINGE("a", "world", "crank", 0, 0)                                  \
        HINGE("b", "crank", "coupler", 0.00006, 0.00008) HINGE("c", "coupler", "rocker", 2.2, 1.7)           \
            HINGE("d", "world", "rocker", 2.5, 0)
#define TILTED_FOUR_BAR                                                                                      \
    BODY("crank", 0.3, 0.4)                                                                                  \
    BODY("coupler", 1.4, 1.2)                                                                                \
    BODY("rocker", 2.4, 0.8) "joints:\n" TILTED("a", "world", "crank", 0, 0, 0)                              \
        TILTED("b", "crank", "coupler", 0.6, 0.1, 0.8) TILTED("c", "coupler", "rocker", 2.2, 0.3, 1.7)       \
            TILTED("d", "world", "rocker", 2.5, -0.4, 0)
#define ROD_BETWEEN_BALLS                                                                                    \
    BODY("crank", 0, 0.4)                                                                                    \
    BODY("coupler", 1, 1.2)                                                                                  \
    BODY("rocker", 2, 0.8)                                                                                   \
    "joints:\n  a: {revolute: [world, crank], axis: [1, 0, 0], at: [0, 0, 0]}\n"                             \
    "  b: {spherical: [crank, coupler], at: [0, 0.5, 0.9]}\n  c: {spherical: "                               \
    "[coupler, rocker], at: [2, 0.5, 1.5]}\n"                                                                \
    "  d: {revolute: [world, rocker], axis: [0, 1, 0], at: [2, 0.3, 0]}\n"
// The rod is two bodies that are welded together.
#define WELDED_ROD                                                                                           \
    BODY("crank", 0, 0.4)                                                                                    \
    BODY("half", 0.5, 1.2)                                                                                   \
    BODY("other", 1.5, 1.2)                                                                                  \
        BODY("rocker", 2, 0.8) "joints:\n  a: {revolute: [world, crank], axis: [1, 0, 0], at: [0, 0, 0]}\n"  \
                               "  b: {spherical: [crank, half], at: [0, 0.5, 0.9]}\n  w: {weld: [half, "     \
                               "other], at: [1, 0.5, 1.2]}\n"                                                \
                               "  c: {spherical: [other, rocker], at: [2, 0.5, 1.5]}\n"                      \
                               "  d: {revolute: [world, rocker], axis: [0, 1, 0], at: [2, 0.3, 0]}\n"
#define WHEELS                                                                                               \
    BODY("w0", 0, 0)                                                                                         \
    BODY("w1", 1, 0)                                                                                         \
    BODY("w2", 2, 0) "joints:\n  h0: {revolute: [world, w0], axis: [0, 1, 0], at: [0, 0, 0], velocity: 1}\n" \
                     "  h1: {revolute: [world, w1], axis: [0, 1, 0], at: [1, 0, 0]}\n"                       \
                     "  h2: {revolute: [world, w2], axis: [0, 1, 0], at: [2, 0, 0]}\n"                       \
                     "  g01: {gear: [h0, h1], ratio: -1}\n  g12: {gear: [h1, h2], ratio: -2}\n"
#define RACKS                                                                                                \
    BODY("pinion", 0, 0)                                                                                     \
    BODY("r1", 0, 0.2)                                                                                       \
    BODY("r2", 0, -0.2) BODY(                                                                                \
        "r3", 0,                                                                                             \
        0.2) "joints:\n  h: {revolute: [world, pinion], axis: [0, 1, 0], at: [0, 0, 0], velocity: 1}\n"      \
             "  s1: {prismatic: [world, r1], axis: [1, 0, 0]}\n  s2: {prismatic: [world, r2], axis: [1, 0, " \
             "0]}\n"                                                                                         \
             "  s3: {prismatic: [world, r3], axis: [1, 0, 0]}\n  k1: {rack_pinion: [h, s1], radius: 0.2}\n"  \
             "  k2: {rack_pinion: [h, s2], radius: -0.2}\n  k3: {rack_pinion: [h, s3], radius: 0.2}\n"       \
             "  join: {weld: [r1, r3], at: [0, 0.5, 0.2]}\n"
#define FRAME                                                                                                \
    BODY("b0", 0, 0)                                                                                         \
    BODY("b1", 1, 0)                                                                                         \
    BODY("b2", 1, 1) BODY("b3", 0, 1) "joints:\n" HINGE(                                                     \
        "hang", "world", "b0", 0, 0) "  w0: {weld: [b0, b1], at: [0.5, 0, 0]}\n"                             \
                                     "  w1: {weld: [b1, b2], at: [1, 0, 0.5]}\n  w2: {weld: [b2, b3], at: "  \
                                     "[0.5, 0, 1]}\n  w3: {weld: [b3, b0], at: [0, 0, 0.5]}\n"
// clang-format on

typedef struct mechanism {
    const char *name, *text;
    int freedom, idle, redundant; // redundant: rows minus coordinates of all bodies plus freedom
    const char *watched;          // channel; NULL: it does not run
} mechanism;

static const mechanism mechanisms[] = {
    {"four-bar, planar", PLANAR FOUR_BAR, 1, 0, 0, "rocker.position.z"},
    {"four-bar, spatial", SPATIAL FOUR_BAR, 1, 0, 3, "rocker.position.z"},
    {"four-bar, tilted", SPATIAL TILTED_FOUR_BAR, 1, 0, 3, "rocker.position.z"},
    {"five-bar, planar", PLANAR FIVE_BAR, 2, 0, 0, "l2.position.z"},
    {"five-bar, spatial", SPATIAL FIVE_BAR, 2, 0, 3, "l2.position.z"},
    {"Watt, planar", PLANAR WATT, 1, 0, 0, "l5.position.z"},
    {"Watt, spatial", SPATIAL WATT, 1, 0, 6, "l5.position.z"},
    {"Stephenson, planar", PLANAR STEPHENSON, 1, 0, 0, "l5.position.z"},
    {"Stephenson, spatial", SPATIAL STEPHENSON, 1, 0, 6, "l5.position.z"},
    {"crank of 1e-4, planar", PLANAR TINY_CRANK, 1, 0, 0, "rocker.position.z"},
    {"crank of 1e-4, spatial", SPATIAL TINY_CRANK, 1, 0, 3, "rocker.position.z"},
    {"rod between balls", SPATIAL ROD_BETWEEN_BALLS, 2, 1, 0, "rocker.position.z"},
    {"welded rod between balls", SPATIAL WELDED_ROD, 2, 1, 0, "rocker.position.z"},
    {"ring of gears", SPATIAL WHEELS "  g20: {gear: [h2, h0], ratio: -0.5}\n", 1, 0, 1, "h2.position"},
    {"ring of gears that locks", SPATIAL WHEELS "  g20: {gear: [h2, h0], ratio: 0.5}\n", 0, 0, 0,
     "h2.position"},
    {"racks, two of them welded", SPATIAL RACKS, 1, 0, 6, "s2.position"},
    {"welded frame", SPATIAL FRAME, 1, 0, 6, "b2.position.z"},
};

static br_model *read(const mechanism *m, const char *setting, const char *value) {
    br_model *model = NULL;
    br_error error = {0};
    const br_override set = {setting, value};
    if (br_model_read_text(m->text, strlen(m->text), m->name, &set, setting ? 1 : 0, NULL, &model, NULL,
                           &error) != BR_OK)
        fail_msg("%s, %s: %s", m->name, value ? value : "", error.message);
    return model;
}

static br_sim *start(const mechanism *m, const br_model *model) {
    br_sim *sim = NULL;
    br_error error = {0};
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) fail_msg("%s: %s", m->name, error.message);
    return sim;
}

static void freedoms_are_those_of_a_hand_count(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof mechanisms / sizeof *mechanisms; k++) {
        const mechanism *m = &mechanisms[k];
        br_model *model = read(m, NULL, NULL);
        br_sim *sim = start(m, model);
        br_mobility found;
        br_error error = {0};
        assert_int_equal(br_sim_mobility(sim, &found, NULL, 0, &error), BR_OK);
        print_message("%-28s %d freedoms, %d idle %s, %d of %d rows redundant\n", m->name,
                      found.degrees_of_freedom, found.idle, found.idle_of, found.redundant, found.rows);
        assert_int_equal(found.degrees_of_freedom, m->freedom);
        assert_int_equal(found.idle, m->idle);
        assert_int_equal(found.redundant, m->redundant);
        assert_int_equal(found.degrees_of_freedom_here, m->freedom);
        assert_true(found.contradiction == 0.0);
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
}

// Rows that are named are taken by eliminate(JOINT.ROW).
static void named_rows_can_be_eliminated(void **state) {
    (void)state;
    static char names[MOST_NAMES];
    int taken = 0;
    for (size_t k = 0; k < sizeof mechanisms / sizeof *mechanisms; k++) {
        br_model *model = read(&mechanisms[k], NULL, NULL);
        br_sim *sim = start(&mechanisms[k], model);
        br_mobility found;
        br_error error = {0};
        assert_int_equal(br_sim_mobility(sim, &found, names, sizeof names, &error), BR_OK);
        for (char *row = strtok(names, "\n"); row; row = strtok(NULL, "\n")) {
            char rule[MOST_TEXT];
            if (!strstr(row, ".force.") && !strstr(row, ".torque.")) continue;
            snprintf(rule, sizeof rule, "eliminate(%s)", row);
            br_model_destroy(read(&mechanisms[k], "solver.redundancy", rule));
            taken++;
        }
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
    print_message("%d rows\n", taken);
    assert_true(taken > 50);
}

// A hinge that is turned by 90 degrees has its rows in the axes of the first body: the bar slides along x and holds along y.
static void turned_hinges_name_the_row_that_is_open(void **state) {
    (void)state;
    static const mechanism door = {
        "door",
        SPATIAL "  door: {mass: 20, com: [0.4, 0, 0], inertia: {box: {size: [0.8, 0.04, 2]}}}\n" BODY(
            "bar", 0,
            0) "joints:\n  low: {revolute: [world, door], at: [0, 0, -0.8], axis: z, position: 90 deg}\n"
               "  rod: {prismatic: [world, bar], axis: x}\n  pin: {revolute: [bar, door], at: [0, 0, 0], "
               "axis: z}\n",
        1,
        0,
        4,
        NULL};
    static char names[MOST_NAMES];
    br_model *model = read(&door, NULL, NULL);
    br_sim *sim = start(&door, model);
    br_mobility found;
    br_error error = {0};
    assert_int_equal(br_sim_mobility(sim, &found, names, sizeof names, &error), BR_OK);
    print_message("%s", names);
    assert_int_equal(found.degrees_of_freedom, door.freedom);
    assert_int_equal(found.redundant, door.redundant);
    assert_true(found.turned);
    assert_non_null(strstr(names, "low.force.y\n"));
    assert_null(strstr(names, "low.force.x\n"));
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static double watch(const mechanism *m, const char *stepper) {
    br_model *model = read(m, "solver.stepper", stepper);
    br_sim *sim = start(m, model);
    br_channel channel;
    br_error error = {0};
    double value = NAN;
    if (br_sim_advance(sim, 0.5, &error) != BR_OK) fail_msg("%s, %s: %s", m->name, stepper, error.message);
    if (br_sim_channel_find(sim, m->watched, &channel, &error) != BR_OK)
        fail_msg("%s: %s", m->name, error.message);
    assert_int_equal(br_sim_channel_read(sim, &channel, &value, &error), BR_OK);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return value;
}

static void the_default_step_moves_as_the_reference_does(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof mechanisms / sizeof *mechanisms; k++) {
        const double by_default = watch(&mechanisms[k], "contact"),
                     right = watch(&mechanisms[k], "reference");
        print_message("%-28s %s %.9g, reference %.9g\n", mechanisms[k].name, mechanisms[k].watched,
                      by_default, right);
        assert_true(fabs(by_default - right) < TOL_MOTION);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freedoms_are_those_of_a_hand_count),
        cmocka_unit_test(named_rows_can_be_eliminated),
        cmocka_unit_test(turned_hinges_name_the_row_that_is_open),
        cmocka_unit_test(the_default_step_moves_as_the_reference_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
