// Contact that must fail well: a model that starts inside itself, materials without a pair, shapes without material, a drive
// that pushes into the ground, Euler angles at their singular position, a step that diverges. Each has a name, and the last
// good state stays bit for bit. And contact that must not fail: steps from a microsecond to ten milliseconds, mass ratios of a
// million, huge speeds, random heaps of every shape.
#include "bristle/contact.h"
#include "random.h"
#include "scene.h"

#define HEAD "format: 1\nmaterials: {m: {}, f: {}, x: {}}\npairs: {m/f: {mu: 0.5}, m/m: {mu: 0.5}}\n"
#define REFUSE "start: {penetration: refuse}\n"
#define PUSH "start: {penetration: push}\n"
#define FLOOR "ground: [{plane: {}, material: f}]\n"
#define BALL(z, material)                                                                                    \
    "bodies:\n  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0, 0, " z                  \
    "]}, shapes: [{sphere: {radius: 0.1}" material "}]}\n"

static br_status try_text(const char *text, scene *out, br_error *error) {
    out->model = NULL, out->sim = NULL;
    br_status status =
        br_model_read_text(text, strlen(text), "fault", NULL, 0, NULL, &out->model, NULL, error);
    if (status == BR_OK) status = br_sim_create(out->model, NULL, &out->sim, error);
    return status;
}

static scene open_text(const char *text) {
    scene s;
    br_error error = {0};
    if (try_text(text, &s, &error) != BR_OK) scene_fail(text, &error);
    return s;
}

static int is_finite(const br_sim *sim) {
    const br_model *model = br_sim_model(sim);
    const br_ledger l = br_sim_ledger(sim);
    int finite = isfinite(l.now.total) && isfinite(l.friction) && isfinite(l.impact) && isfinite(l.scheme) &&
                 isfinite(l.unaccounted) && isfinite(l.residual) && isfinite(l.cone_violation) &&
                 isfinite(l.penetration);
    for (int k = 0; k < br_model_nq(model); k++) finite &= isfinite(br_sim_q(sim)[k]);
    for (int k = 0; k < br_model_nv(model); k++) finite &= isfinite(br_sim_v(sim)[k]);
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        finite &= isfinite(c.gap) && isfinite(c.normal_force) && br_vec3_is_finite(c.friction) &&
                  br_vec3_is_finite(c.slip) && br_vec3_is_finite(c.moment);
    }
    return finite;
}

static void *saved(const br_sim *sim) {
    void *bytes = malloc(br_sim_snapshot_size(sim));
    assert_non_null(bytes);
    br_sim_save(sim, bytes);
    return bytes;
}

static void refused_at_once(const char *text, const char *code) {
    scene s;
    br_error error = {0};
    const br_status status = try_text(text, &s, &error);
    if (status == BR_OK || !error.code || strcmp(error.code, code) != 0)
        fail_msg("%s: expected %s, got %s (%s)", text, code, error.code ? error.code : "nothing",
                 error.message);
    assert_non_null(br_explain(code));
    scene_close(&s);
}

// Steps until one fails. It is asked twice and says the same; the state is that before it.
static void fails_later(const char *text, br_status expected, const char *code, const char *words) {
    scene s = open_text(text);
    br_error error = {0};
    assert_non_null(br_explain(code));
    for (int k = 0; k < 3000; k++) {
        void *before = saved(s.sim);
        const size_t size = br_sim_snapshot_size(s.sim);
        const br_status status = br_sim_step(s.sim, &error);
        if (status == BR_OK) {
            assert_true(is_finite(s.sim));
            free(before);
            continue;
        }
        for (int again = 0; again < 2; again++) {
            void *after = saved(s.sim);
            assert_int_equal(br_sim_snapshot_size(s.sim), size);
            if (memcmp(before, after, size) != 0) fail_msg("%s: the state is not what it was", code);
            free(after);
            assert_int_equal(br_sim_step(s.sim, &error), expected);
            if (strcmp(error.code, code) != 0)
                fail_msg("'%s' (%s), expected %s", error.message, error.code, code);
            if (!strstr(error.message, words)) fail_msg("'%s' is not in '%s'", words, error.message);
        }
        free(before);
        scene_close(&s);
        return;
    }
    fail_msg("%s: no step failed with %s", text, code);
}

// --- what must fail -----------------------------------------------------------------------------------------------

static void models_that_start_inside_themselves(void **state) {
    (void)state;
    fails_later(REFUSE HEAD FLOOR BALL("0.05", ", material: m"), BR_INVALID, "start-penetration",
                "0.05 m deep");
    fails_later(REFUSE HEAD FLOOR BALL("-0.3", ", material: m"), BR_INVALID, "start-penetration",
                "0.4 m deep");
    fails_later(REFUSE HEAD FLOOR BALL("-0.3", ", material: m") "solver: {theta: 0.5}\n", BR_INVALID,
                "start-penetration", "ball");
    scene s = open_text(PUSH HEAD FLOOR BALL("0.0999", ", material: m")); // a scratch is not
    scene_advance(&s, 0.5);
    assert_near(scene_read(&s, "ball.position.z"), 0.1, 1e-6);
    scene_close(&s);
}

static void wrong_laws_and_coefficients(void **state) {
    (void)state;
    refused_at_once(HEAD FLOOR BALL("0.1", ", material: m") "contact: {law: polygon(5)}\n", "contact-law");
    refused_at_once(HEAD FLOOR BALL("0.1", ", material: m") "contact: {law: sticky}\n", "yaml-word");
    refused_at_once("format: 1\nmaterials: {m: {}}\npairs: {m/m: {mu: -0.1}}\n" BALL("0.1", ", material: m"),
                    "model-negative");
}

static void materials_that_touch_without_a_pair(void **state) {
    (void)state;
    fails_later(HEAD FLOOR BALL("0.3", ", material: x"), BR_INVALID, "contact-pair", "x/f");
    fails_later(HEAD FLOOR BALL("0.3", ", material: x") "solver: {theta: 0.5}\n", BR_INVALID, "contact-pair",
                "x/f");
}

static void shapes_that_touch_without_a_material(void **state) {
    (void)state;
    fails_later(HEAD FLOOR BALL("0.3", ""), BR_INVALID, "contact-material", "no material");
}

// A press that follows its own will: the block cannot go through the floor.
static void drive_that_pushes_into_the_ground(void **state) {
    static const char *const theta[] = {"solver: {theta: 1}\n", "solver: {theta: 0.5}\n"};
    static const char *const law[] = {"contact: {law: cone}\n", "contact: {law: bristle}\n",
                                      "contact: {law: box}\n"};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 3; l++) {
            char text[1200];
            snprintf(text, sizeof text,
                     HEAD FLOOR
                     "bodies: {press: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.3]},"
                     " shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}}\n"
                     "joints: {slide: {prismatic: [world, press], axis: [0, 0, 1]}}\n"
                     "drives: {down: {joint: slide, position: \"-0.5*t\"}}\n%s%s",
                     law[l], theta[k]);
            fails_later(text, BR_NUMERICAL, "contact-infeasible", "press");
        }
}

// Nose down: psi and phi turn about the same axis.
static void euler_angles_at_their_singular_position(void **state) {
    (void)state;
    fails_later(HEAD FLOOR "bodies: {disk: {mass: 1, inertia: [0.01, 0.02, 0.01], pose: {position: [0, 0, "
                           "2], euler_zxy: [0, 90 deg, 0]},"
                           " shapes: [{sphere: {radius: 0.1}, material: m}]}}\n"
                           "solver: {rotation: euler_zxy, position_update: old}\n",
                BR_NUMERICAL, "euler-singular", "t = ");
}

static void step_that_diverges(void **state) {
    (void)state;
    fails_later(HEAD FLOOR BALL("0.1", ", material: m") "loads: {pull: {body: ball, force: [\"1/(0.05 - "
                                                        "t)\", 0, 0]}}\nsolver: {step: 10 ms, theta: 1}\n",
                BR_NUMERICAL, "not-finite", "t = ");
}

// --- what must not ------------------------------------------------------------------------------------------------

static void advance_well(scene *s, double time, const char *what) {
    br_error error = {0};
    if (br_sim_advance(s->sim, time, &error) != BR_OK) scene_fail(what, &error);
    if (!is_finite(s->sim)) fail_msg("%s: not finite", what);
}

// A box that is thrown and stops, whatever the step: the way is right to v h/2.
static void steps_from_a_microsecond_to_ten_milliseconds(void **state) {
    static const double step[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int theta = 0; theta < 2; theta++) {
            char settings[128];
            snprintf(settings, sizeof settings,
                     "solver.stepper=contact;v0=0.3;mu=0.5;solver.step=%g;solver.theta=%s", step[k],
                     theta ? "0.5" : "1");
            scene s = scene_open("contact/box_on_plane.yaml", settings);
            advance_well(&s, 0.1, settings);
            assert_near(scene_read(&s, "box.position.x"), 0.3 * 0.3 / (2 * 0.5 * 9.81),
                        0.51 * 0.3 * step[k] + 1e-9);
            assert_near(scene_read(&s, "box.velocity.x"), 0, 1e-9);
            scene_close(&s);
        }
}

// A light box under or on a heavy one: both stand.
static void mass_ratios_of_a_million(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 HEAD FLOOR "bodies:\n"
                            "  low: {mass: %g, inertia: {box: {size: [0.2, 0.2, 0.2]}}, pose: {position: [0, "
                            "0, 0.1]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}\n"
                            "  high: {mass: %g, inertia: {box: {size: [0.2, 0.2, 0.2]}}, pose: {position: "
                            "[0.01, 0.02, 0.3]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}\n",
                 k ? 1e-3 : 1e3, k ? 1e3 : 1e-3);
        scene s = open_text(text);
        advance_well(&s, 1, "stack");
        assert_near(scene_read(&s, "high.position.z"), 0.3, 1e-7);
        assert_near(scene_read(&s, "high.velocity.x"), 0, 2e-7); // the residual of a millionth of the mass
        scene_close(&s);
    }
}

// Ten kilometres per second onto the ground, and along it: caught by the step that would pass it.
static void huge_speeds(void **state) {
    (void)state;
    for (int theta = 0; theta < 2; theta++) {
        scene s = open_text(theta ? HEAD FLOOR BALL("50", ", material: m") "solver: {theta: 0.5}\n"
                                  : HEAD FLOOR BALL("50", ", material: m"));
        const double q[] = {0, 0, 50, 1, 0, 0, 0}, v[] = {1e4, 0, -1e4, 0, 1e3, 0};
        br_error error = {0};
        assert_int_equal(br_sim_set_state(s.sim, 0, q, v, &error), BR_OK);
        advance_well(&s, 1, "fast ball");
        assert_near(scene_read(&s, "ball.position.z"), 0.1, 1e-4);
        assert_true(br_sim_ledger(s.sim).now.kinetic < 1e8);
        scene_close(&s);
    }
}

// Random heaps: every shape, sane and silly sizes, masses, speeds and steps. A step may be refused by name; a state is finite.
static int add_shape(rng *r, char *text, size_t size) {
    const double a = rng_uniform(r, 0.03, 0.2), b = rng_uniform(r, 0.03, 0.2), c = rng_uniform(r, 0.03, 0.2);
    switch (rng_below(r, 7)) {
    case 0:
        return snprintf(text, size, "sphere: {radius: %g}", a);
    case 1:
        return snprintf(text, size, "box: {size: [%g, %g, %g]}", a, b, c);
    case 2:
        return snprintf(text, size, "capsule: {radius: %g, length: %g, axis: x}", a, b);
    case 3:
        return snprintf(text, size, "cylinder: {radius: %g, length: %g, axis: y}", a, b);
    case 4:
        return snprintf(text, size, "ellipsoid: {radii: [%g, %g, %g]}", a, b, c);
    case 5:
        return snprintf(text, size, "disk: {radius: %g, axis: z}", a);
    default:
        return snprintf(
            text, size,
            "convex: {points: [[%g, 0, 0], [-%g, %g, 0], [-%g, -%g, 0], [0, 0, %g], [0, 0, -%g]]}", a, a, b,
            a, b, c, c);
    }
}

static void random_heaps_stay_finite(void **state) {
    static const char *const laws[] = {"cone", "bristle", "box", "polygon(6)", "viscous(0.01)"};
    rng r = {2024};
    int refused = 0, deep = 0;
    (void)state;
    for (int k = 0; k < 60; k++) {
        char text[6000];
        int used = snprintf(text, sizeof text,
                            "format: 1\nmaterials: {m: {}}\npairs: {m/m: {mu: %g, restitution: %g, rolling: "
                            "%g, torsion: %g}}\n"
                            "ground: [{plane: {}, material: m}, {plane: {normal: [1, 0, 0.1], point: [-1, 0, "
                            "0]}, material: m}]\n"
                            "contact: {law: %s}\nsolver: {step: %g, theta: %s}\nbodies:\n",
                            rng_uniform(&r, 0, 1.5), k % 3 ? 0 : rng_uniform(&r, 0, 1), k % 4 ? 0 : 1e-3,
                            k % 5 ? 0 : 1e-3, laws[k % 5], k % 7 ? 1e-3 : 1e-2, k % 2 ? "0.5" : "1");
        for (int i = 0; i < 5; i++) {
            const br_quat R = rng_rotation(&r);
            // theta 1 takes gyroscopic moments at the step's start: spins of more than a tenth of a radian per step feed it.
            const int fast = k % 6 == 0 && k % 7 != 0;
            const br_vec3 v = rng_vec3(&r, fast ? 50 : 2), w = rng_vec3(&r, fast ? 20 : 3);
            const double m = pow(10, rng_uniform(&r, k % 4 ? -1 : -4, k % 4 ? 1 : 3));
            used += snprintf(
                text + used, sizeof text - (size_t)used,
                "  b%d:\n    mass: %g\n    inertia: [%g, %g, %g]\n    pose: {position: [%g, %g, %g], "
                "quaternion: [%g, %g, %g, %g]}\n"
                "    velocity: {linear: [%g, %g, %g], angular: [%g, %g, %g]}\n    shapes: [{material: m, ",
                i, m, 0.004 * m, 0.005 * m, 0.006 * m, 0.3 * (i % 3) - 0.3, 0.1 * i, 0.4 + 0.45 * i, R.w, R.x,
                R.y, R.z, v.x, v.y, v.z, w.x, w.y, w.z);
            used += add_shape(&r, text + used, sizeof text - (size_t)used);
            used += snprintf(text + used, sizeof text - (size_t)used, "}]\n");
        }
        scene s = open_text(text);
        br_error error = {0};
        const double start = br_sim_energy(s.sim).total;
        for (int i = 0; i < 600; i++) {
            const br_status status = br_sim_step(s.sim, &error);
            if (!is_finite(s.sim)) fail_msg("heap %d, step %d: not finite", k, i);
            if (status == BR_OK) continue;
            assert_true(status == BR_NUMERICAL && error.code && br_explain(error.code));
            print_message("heap %d, step %d: %s\n", k, i, error.message);
            refused++;
            break;
        }
        const br_ledger l = br_sim_ledger(s.sim);
        if (l.penetration > 0.02) print_message("heap %d: %g m deep\n", k, l.penetration), deep++;
        if (!(l.now.total <= 1.1 * start + 1))
            print_message("heap %d: %g J of %g J\n", k, l.now.total, start);
        scene_close(&s);
    }
    print_message("%d of 60 heaps are refused, %d go deep\n", refused, deep);
    assert_true(refused <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_that_start_inside_themselves),
        cmocka_unit_test(wrong_laws_and_coefficients),
        cmocka_unit_test(materials_that_touch_without_a_pair),
        cmocka_unit_test(shapes_that_touch_without_a_material),
        cmocka_unit_test(drive_that_pushes_into_the_ground),
        cmocka_unit_test(euler_angles_at_their_singular_position),
        cmocka_unit_test(step_that_diverges),
        cmocka_unit_test(steps_from_a_microsecond_to_ten_milliseconds),
        cmocka_unit_test(mass_ratios_of_a_million),
        cmocka_unit_test(huge_speeds),
        cmocka_unit_test(random_heaps_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
