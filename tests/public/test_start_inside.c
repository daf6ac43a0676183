// Shapes that start inside each other: each contact keeps its depth, nothing moves, nothing is gained, and what opens is open.
#include "bristle/contact.h"
#include "scene.h"

#define HEAD                                                                                                 \
    "format: 1\nmaterials: {m: {}, f: {}}\npairs: {m/f: {mu: 0.5}, m/m: {mu: 0.5}}\nground: [{plane: {}, "   \
    "material: f}]\n"
#define CRATE(pose)                                                                                          \
    "bodies: {crate: {mass: 3, inertia: {box: {size: [0.3, 0.2, 0.1]}}, pose: {" pose                        \
    "}, shapes: [{box: {size: [0.3, 0.2, 0.1]}, material: m}]}}\n"
#define BALL                                                                                                 \
    "bodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0, 0, 0.07]}, shapes: "      \
    "[{sphere: {radius: 0.1}, material: m}]}}\n"

static scene open_with(const char *text, const char *stepper) {
    scene s = {NULL, NULL};
    br_error error = {0};
    const br_override set = {"solver.stepper", stepper};
    br_status status =
        br_model_read_text(text, strlen(text), "inside", &set, 1, NULL, &s.model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(s.model, NULL, &s.sim, &error);
    if (status != BR_OK) scene_fail(text, &error);
    return s;
}

static double deepest(const scene *s) {
    double depth = 0.0;
    for (int k = 0; k < br_sim_contact_count(s->sim); k++) {
        br_contact c;
        br_sim_contact(s->sim, k, &c);
        depth = fmax(depth, c.start_depth);
    }
    return depth;
}

// A crate 12 mm in the floor and tilted by 2 degrees: its corners have four depths, and none of them gives.
static void a_tilted_crate_stays(void **state) {
    (void)state;
    static const char *const steppers[] = {"contact", "reference"};
    for (int w = 0; w < 2; w++) {
        scene s = open_with(HEAD CRATE("position: [0, 0, 0.038], euler_xyz: [2 deg, 1 deg, 0]"), steppers[w]);
        const double z = scene_read(&s, "crate.position.z");
        assert_true(deepest(&s) > 0.012);
        scene_advance(&s, 1.0);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_near(scene_read(&s, "crate.position.z"), z, 2e-7);
        assert_near(scene_read(&s, "crate.position.x"), 0, 1e-7);
        assert_near(l.now.total, l.start.total, 1e-5);
        assert_true(l.penetration < 1e-6 && l.input == 0.0);
        scene_close(&s);
    }
}

// Lifted by 5 mm of the 12 and let go, it stays there: the depth shrank with it. Lifted out, it stands on the floor.
static void what_opens_does_not_sink_again(void **state) {
    (void)state;
    static const double up[] = {0.005, 0.02};
    static const double stands[] = {0.043, 0.05};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text, "%s%s%g%s", HEAD CRATE("position: [0, 0, 0.038]"),
            "joints: {rail: {prismatic: [world, crate], axis: z}}\n"
            "drives: {lift: {joint: rail, max_force: 500, servo: {stiffness: 1e6, damping: 1e4, position: ",
            up[k], "}}}\n");
        scene s = open_with(text, "contact");
        scene_advance(&s, 1.0);
        assert_near(scene_read(&s, "crate.position.z"), 0.038 + up[k], 5e-5);
        br_error error = {0};
        assert_int_equal(br_sim_set_control(s.sim, "lift", 0.0, &error), BR_OK); // pulled down with 500 N
        scene_advance(&s, 2.0);
        assert_near(scene_read(&s, "crate.position.z"), stands[k], 5e-5);
        scene_close(&s);
    }
}

// It rolls and slides as it would on the surface.
static void a_ball_rolls_at_its_depth(void **state) {
    (void)state;
    scene s = open_with(HEAD BALL "loads: {push: {body: ball, force: [1, 0, 0]}}\n", "contact");
    scene_advance(&s, 1.0);
    assert_near(scene_read(&s, "ball.position.z"), 0.07, 1e-6);
    // Forces act on the ball's own surface: a = F/(m + I/r^2).
    assert_near(scene_read(&s, "ball.velocity.x"), 1.0 / (1.0 + 0.004 / 0.01), 1e-9);
    scene_close(&s);
}

static void a_snapshot_carries_the_depth(void **state) {
    (void)state;
    scene a = open_with(HEAD BALL, "contact"), b = open_with(HEAD BALL, "contact");
    br_error error = {0};
    scene_advance(&a, 0.1);
    const size_t size = br_sim_snapshot_size(a.sim);
    void *bytes = malloc(size);
    br_sim_save(a.sim, bytes);
    assert_int_equal(br_sim_load(b.sim, bytes, size, &error), BR_OK);
    free(bytes);
    assert_near(deepest(&b), 0.03, 1e-6);
    scene_advance(&a, 0.2);
    scene_advance(&b, 0.2);
    assert_true(br_sim_hash(a.sim) == br_sim_hash(b.sim));
    scene_close(&a);
    scene_close(&b);
}

static void the_other_ways_are_there(void **state) {
    (void)state;
    br_error error = {0};
    scene s = open_with("start: {penetration: push}\n" HEAD BALL, "contact");
    scene_advance(&s, 5.0);
    assert_near(scene_read(&s, "ball.position.z"), 0.1, 1e-5);
    scene_close(&s);
    s = open_with("start: {penetration: push, speed: 40 mm/s}\n" HEAD BALL, "contact"); // 30 mm deep
    scene_advance(&s, 0.5);
    assert_near(scene_read(&s, "ball.position.z"), 0.09, 1e-3); // within a step or two of the speed
    scene_close(&s);
    s = open_with("start: {penetration: refuse}\n" HEAD BALL, "contact");
    assert_int_equal(br_sim_step(s.sim, &error), BR_INVALID);
    assert_string_equal(error.code, "start-penetration");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tilted_crate_stays),      cmocka_unit_test(what_opens_does_not_sink_again),
        cmocka_unit_test(a_ball_rolls_at_its_depth), cmocka_unit_test(a_snapshot_carries_the_depth),
        cmocka_unit_test(the_other_ways_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
