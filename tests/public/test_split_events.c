// solver.events: split: runs with blows are of second order, and of first without; what bounces to rest ends; nothing else changes.
//
// Errors are differences to a run with a step 16 times finer than the finest, so that an order of 2 shows as such to 0.02. One halving of
// the first-order runs says little (where a blow falls in its step is chance), so they are measured over all halvings together.
#include <stdio.h>

#include "bristle/judgement.h"
#include "scene.h"

#define HALVINGS 4
#define MAX_READ 3

typedef struct split_case {
    const char *name, *text; // of a model without solver and run
    double until, step;      // s; step: the coarsest
    const char *read[MAX_READ];
} split_case;

#define SHAPES(pair) "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {" pair "}}\n"
#define FLOOR "ground: [{plane: {normal: [0, 0, 1]}, material: g}]\n"

// A ball on a spring that bounces twice.
#define BALL                                                                                                 \
    SHAPES("mu: 0.3, restitution: 0.7")                                                                      \
    "bodies: {b: {mass: 0.2, inertia: [8e-5, 8e-5, 8e-5], pose: {position: [0, 0, 0.5]},\n"                  \
    "  velocity: {linear: [1, 0.3, 0]}, shapes: [{sphere: {radius: 0.03}, material: a}]}}\n" FLOOR           \
    "loads: {pull: {spring: [world, b], at: {world: [0.3, 0, 1], b: [0, 0, 0.01]}, stiffness: 1.5, length: " \
    "0.2}}\n"
// A block that slides on a floor into a wall, off its middle: two corners hit, and it turns back.
#define BLOCK(pair)                                                                                          \
    "format: 1\nmaterials: {a: {}, g: {}, w: {}}\npairs: {a/g: {mu: 0.2}, a/w: {" pair "}}\n"                \
    "bodies: {b: {mass: 2, inertia: [0.01, 0.01, 0.02], pose: {position: [0, 0, 0.05]},\n"                   \
    "  velocity: {linear: [2, 0, 0]}, shapes: [{box: {size: [0.2, 0.2, 0.1]}, material: a}]}}\n"             \
    "ground: [{plane: {normal: [0, 0, 1]}, material: g}, {plane: {normal: [-1, 0, 0], point: [0.61234, 0, "  \
    "0]}, material: w}]\n"                                                                                   \
    "loads: {pull: {spring: [world, b], at: {world: [0.3, 0.1, 0.05], b: [0, 0, 0]}, stiffness: 40, "        \
    "length: 0.1}}\n"
// A double pendulum whose first arm falls on a stop, rests there and is thrown off again by the second.
#define PENDULUM                                                                                             \
    "format: 1\nbodies:\n"                                                                                   \
    "  arm: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.5, 0, 0]}}\n"                         \
    "  tip: {mass: 0.5, inertia: [0.01, 0.01, 0.01], pose: {position: [0.9, 0, 0]}}\n"                       \
    "joints:\n"                                                                                              \
    "  pin: {revolute: [world, arm], axis: y, at: [0, 0, 0], limits: [-10, 2]}\n"                            \
    "  elbow: {revolute: [arm, tip], axis: y, at: [0.7, 0, 0]}\n"
// A cart that rubs slides into the stop of its guide, with a pendulum on it.
#define CART                                                                                                 \
    "format: 1\nbodies:\n"                                                                                   \
    "  cart: {mass: 2, inertia: [0.02, 0.02, 0.02]}\n"                                                       \
    "  bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, -0.3]}}\n"                      \
    "joints:\n"                                                                                              \
    "  guide: {prismatic: [world, cart], axis: x, velocity: 2, limits: [-1, 0.4321], friction: {law: "       \
    "coulomb, mu: 0.1}}\n"                                                                                   \
    "  pin: {revolute: [cart, bob], axis: y, at: [0, 0, 0]}\n"
// A ball on a platform that falls away from under it faster than it can follow, and is met again.
#define PLATFORM                                                                                             \
    SHAPES("mu: 0.3, restitution: 0.4")                                                                      \
    "bodies:\n"                                                                                              \
    "  b: {mass: 0.2, inertia: [8e-5, 8e-5, 8e-5], pose: {position: [0.1, 0, 0.08]},\n"                      \
    "    shapes: [{sphere: {radius: 0.03}, material: a}]}\n"                                                 \
    "  plate: {mass: 1, inertia: [0.1, 0.1, 0.1], shapes: [{box: {size: [1, 1, 0.1]}, material: g}]}\n"      \
    "joints: {lift: {prismatic: [world, plate], axis: z, at: [0, 0, 0]}}\n"                                  \
    "drives: {shake: {joint: lift, position: \"0.1*(1-cos(9*t))*(1+t)\"}}\n"

static const split_case cases[] = {
    {"ball", BALL, 1.0, 2e-3, {"b.position.x", "b.position.z", "b.angular_velocity.y"}},
    {"block, plastic", BLOCK("mu: 0.2"), 0.35, 2e-3, {"b.position.x", "b.position.y", "b.velocity.y"}},
    {"block, rebounds",
     BLOCK("mu: 0.2, restitution: 0.5"),
     0.35,
     2e-3,
     {"b.position.x", "b.position.y", NULL}},
    {"pendulum", PENDULUM, 1.6, 2e-3, {"pin.position", "elbow.position", "elbow.velocity"}},
    {"cart", CART, 0.5, 2e-3, {"guide.position", "pin.position", "pin.velocity"}},
    {"platform", PLATFORM, 0.565, 2e-3, {"b.position.z", "b.velocity.z", NULL}},
};

static scene split_open(const char *model, double step, const char *solver) {
    scene s = {NULL, NULL};
    br_error error = {0};
    char text[4096];
    snprintf(text, sizeof text, "%.3600ssolver: {step: %.17g%s}\n", model, step, solver);
    if (br_model_read_text(text, strlen(text), "split", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail(model, &error);
    return s;
}

static void split_end(const split_case *c, double step, const char *solver, double *value) {
    scene s = split_open(c->text, step, solver);
    scene_advance(&s, c->until);
    for (int k = 0; k < MAX_READ && c->read[k]; k++) value[k] = scene_read(&s, c->read[k]);
    scene_close(&s);
}

// Largest error of what is read at each step; the order over all halvings together.
static double order_of(const split_case *c, const char *solver, const double *exact, double error[HALVINGS]) {
    double value[MAX_READ];
    for (int h = 0; h < HALVINGS; h++) {
        split_end(c, ldexp(c->step, -h), solver, value);
        error[h] = 0.0;
        for (int k = 0; k < MAX_READ && c->read[k]; k++) error[h] = fmax(error[h], fabs(value[k] - exact[k]));
    }
    const double order = log2(error[0] / error[HALVINGS - 1]) / (HALVINGS - 1);
    print_message("%-16s%-16s errors %.2e %.2e %.2e %.2e, order %.2f\n", c->name, solver, error[0], error[1],
                  error[2], error[3], order);
    return order;
}

static void blows_leave_the_second_order(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double exact[MAX_READ], whole[HALVINGS], split[HALVINGS];
        split_end(&cases[k], ldexp(cases[k].step, -HALVINGS - 3), ", events: split", exact);
        order_of(&cases[k], "", exact, whole);
        assert_true(order_of(&cases[k], ", events: split", exact, split) >= 1.8);
        assert_true(split[HALVINGS - 1] < 0.05 * whole[HALVINGS - 1]);
    }
}

// --- what bounces to rest ----------------------------------------------------------------------------------

static long split_steps(const scene *s, int order, const char *why) {
    br_judgement j;
    br_sim_judge(s->sim, &j);
    for (int k = 0; k < j.lower_orders; k++)
        if (j.lower_order[k].order == order && strstr(j.lower_order[k].why, why))
            return j.lower_order[k].steps;
    return 0;
}

static void check_books(const scene *s) {
    const br_ledger l = br_sim_ledger(s->sim);
    br_judgement j;
    br_sim_judge(s->sim, &j);
    assert_near(l.input,
                l.now.total - l.start.total + l.friction + l.impact + l.damping + l.scheme + l.unaccounted,
                1e-12 * (1.0 + fabs(l.input) + l.start.kinetic + l.start.potential));
    assert_true(fabs(l.unaccounted) <= 1e-9 * (l.start.kinetic + fabs(l.start.potential) + l.impact));
    assert_true(l.impact > 0.0 && j.credible != BR_NOT_CREDIBLE);
}

#define DROP(restitution, turn)                                                                              \
    SHAPES("mu: 0.4, restitution: " restitution)                                                             \
    "bodies: {b: {mass: 1, inertia: [2e-3, 2e-3, 2e-3], pose: {position: [0, 0, 0.3], rotation_vector: "     \
    "[" turn "]},\n  shapes: [{box: {size: [0.1, 0.1, 0.1]}, material: a}]}}\n" FLOOR

// Infinitely many blows in finite time: a ball with e = 1/2, which is at rest after 3 sqrt(2 H/g), and boxes that fall on an edge and on a
// corner and rattle on theirs.
static void what_bounces_to_rest_ends(void **state) {
    (void)state;
    scene s = split_open(
        SHAPES("mu: 0.3, restitution: 0.5") "bodies: {b: {mass: 1, inertia: [4e-3, 4e-3, 4e-3], pose: "
                                            "{position: [0, 0, 0.6]},\n"
                                            "  shapes: [{sphere: {radius: 0.1}, material: a}]}}\n" FLOOR,
        1e-3, ", events: split");
    scene_advance(&s, 1.5);
    assert_near(scene_read(&s, "b.position.z"), 0.1, 1e-8);
    assert_near(scene_read(&s, "b.velocity.z"), 0.0, 1e-6);
    // Blows whose approach is faster than two steps of free fall: 3.13 m/s 2^-n > 0.0196 m/s, and the one that comes to rest.
    assert_in_range(split_steps(&s, 2, "met or let go"), 8, 9);
    check_books(&s);
    assert_near(br_sim_ledger(s.sim).impact, 9.81 * 0.5, 1e-6 * 9.81 * 0.5);
    scene_close(&s);
    static const char *const boxes[] = {DROP("0", "0.3, 0, 0"), DROP("0.6", "0.3, 0, 0"),
                                        DROP("0", "0.3, 0.4, 0.2"), DROP("0.6", "0.3, 0.4, 0.2")};
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        s = split_open(boxes[k], 1e-3, ", events: split");
        scene_advance(&s, 2.5);
        assert_near(scene_read(&s, "b.position.z"), 0.05, 1e-6);
        assert_near(br_sim_energy(s.sim).kinetic, 0.0, 1e-9);
        assert_true(split_steps(&s, 2, "met or let go") > 0);
        check_books(&s);
        scene_close(&s);
    }
}

// A rope that is taut holds a limit of a curved path, which a step leaves by more than rounding: it lasts all the same. And a blow on a
// joint whose bristles follow its load stores nothing in them.
static void what_lasts_is_not_split(void **state) {
    (void)state;
    static const char *const models[] = {
        "format: 1\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.5, 0, 1]},\n"
        "  velocity: {linear: [0, 0.5, 0]}}}\n"
        "joints: {rope: {tendon: [{point: world, at: [0, 0, 1.5]}, {point: b, at: [0, 0, 0]}], limits: [0, "
        "1]}}\n",
        "format: 1\nbodies:\n  cart: {mass: 2, inertia: [0.02, 0.02, 0.02]}\n"
        "  bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, -0.3]}}\njoints:\n"
        "  guide: {prismatic: [world, cart], axis: x, velocity: 2, limits: [-0.1, 0.2], friction: {law: "
        "lugre,\n"
        "    mu_static: 0.3, mu_kinetic: 0.2, sigma_0: 1e5, sigma_1: 300, v_stribeck: 1e-3}}\n"
        "  pin: {revolute: [cart, bob], axis: y, at: [0, 0, 0]}\n"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        scene s = split_open(models[k], 1e-3, ", events: split");
        br_judgement j;
        scene_advance(&s, 1.0);
        br_sim_judge(s.sim, &j);
        assert_int_not_equal(j.credible, BR_NOT_CREDIBLE);
        assert_in_range(split_steps(&s, 2, "met or let go"), 1, 8);
        scene_close(&s);
    }
}

// --- what stays as it was ----------------------------------------------------------------------------------

static void bits_go_on_from_a_snapshot(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scene s = split_open(cases[k].text, 1e-3, ", events: split"),
              other = split_open(cases[k].text, 1e-3, ", events: split");
        br_error error = {0};
        for (int n = 1; n <= 10; n++) {
            scene_advance(&s, 0.1 * n * cases[k].until);
            const size_t size = br_sim_snapshot_size(s.sim);
            void *bytes = malloc(size);
            br_sim_save(s.sim, bytes);
            assert_int_equal(br_sim_load(other.sim, bytes, size, &error), BR_OK);
            free(bytes);
            scene_advance(&s, 0.1 * (n + 1) * cases[k].until);
            scene_advance(&other, 0.1 * (n + 1) * cases[k].until);
            assert_true(br_sim_hash(s.sim) == br_sim_hash(other.sim));
        }
        scene_close(&s);
        scene_close(&other);
    }
}

// Where nothing meets and nothing lets go each step is taken once, as ever.
static void smooth_motion_keeps_its_bits(void **state) {
    (void)state;
    static const char *const smooth[] = {PENDULUM, BALL};
    for (size_t k = 0; k < sizeof smooth / sizeof *smooth; k++) {
        scene s = split_open(smooth[k], 1e-3, ", events: split"), other = split_open(smooth[k], 1e-3, "");
        scene_advance(&s, 0.3);
        scene_advance(&other, 0.3);
        assert_memory_equal(br_sim_q(s.sim), br_sim_q(other.sim),
                            (size_t)br_model_nq(s.model) * sizeof(double));
        assert_memory_equal(br_sim_v(s.sim), br_sim_v(other.sim),
                            (size_t)br_model_nv(s.model) * sizeof(double));
        scene_close(&s);
        scene_close(&other);
    }
}

static void steps_of_first_order_are_not_split(void **state) {
    (void)state;
    static const char *const bad[] = {"theta: 1", "position_update: old", "rotation: euler_zxy"};
    br_error error;
    scene s;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char solver[80];
        snprintf(solver, sizeof solver, ", events: split, %s", bad[k]);
        s = split_open(BALL, 1e-3, solver);
        error = (br_error){0};
        assert_int_equal(br_sim_advance(s.sim, 0.1, &error), BR_INVALID);
        assert_string_equal(error.path, "solver/events");
        scene_close(&s);
    }
    s = split_open(BALL "contact: {bounds: lagged}\n", 1e-3, ", events: split");
    error = (br_error){0};
    assert_int_equal(br_sim_advance(s.sim, 0.1, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "contact.bounds: implicit"));
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blows_leave_the_second_order), cmocka_unit_test(what_bounces_to_rest_ends),
        cmocka_unit_test(what_lasts_is_not_split),      cmocka_unit_test(bits_go_on_from_a_snapshot),
        cmocka_unit_test(smooth_motion_keeps_its_bits), cmocka_unit_test(steps_of_first_order_are_not_split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
