// Numbers that stand beside a verdict: what sticks does not walk, the ledger knows what a jump of a prescribed velocity takes, sections
// of beams agree with reactions and loads, and a slip is told only where something slips.
#include "bristle/statics.h"
#include "scene.h"

static scene open_text(const char *text) {
    scene s = {NULL, NULL};
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "inline.yaml", NULL, 0, NULL, &s.model, NULL, &error) !=
            BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail("inline", &error);
    return s;
}

// --- what sticks -------------------------------------------------------------------------------------------

#define WALK 1e-9 // m in two seconds: solver tolerances; a step's own error was 1e-6 to 1e-2

static const char *const joint_laws[] = {
    "{law: coulomb, mu: 1.2}",
    "{law: coulomb, mu_static: 1.3, mu_kinetic: 1.1}",
};
static const char *const contact_laws[] = {"cone", "bristle", "box", "polygon(8)"};
static const char *const thetas[] = {"0.5", "1"};

// On a base that is shaken along x, or on one that turns at a speed that changes. Where the block stands on it, in its axes.
static br_vec3 place_on_base(scene *s) {
    const br_pose X_WA = br_sim_body_pose(s->sim, scene_body(s, "base"));
    const br_pose X_WB = br_sim_body_pose(s->sim, scene_body(s, "block"));
    return br_quat_rotate(br_quat_conjugate(X_WA.rotation), br_vec3_sub(X_WB.position, X_WA.position));
}

static void rides(const char *text) {
    scene s = open_text(text);
    const br_vec3 start = place_on_base(&s);
    double walked = 0;
    for (int k = 1; k <= 20; k++) {
        scene_advance(&s, 0.1 * k);
        walked = fmax(walked, br_vec3_norm(br_vec3_sub(place_on_base(&s), start)));
    }
    const br_ledger l = br_sim_ledger(s.sim);
    if (!(walked <= WALK)) fail_msg("walks by %g m:\n%s", walked, text);
    if (!(l.creep <= WALK)) fail_msg("creep of %g m/s:\n%s", l.creep, text);
    if (!(fabs(l.friction) <= 1e-4))
        fail_msg("friction takes %g J of what does not slide:\n%s", l.friction, text);
    scene_close(&s);
}

#define BASES 2
static const char *const base_joint[BASES] = {"prismatic: [world, base], axis: x",
                                              "revolute: [world, base], axis: z, velocity: 4"};
static const char *const base_motion[BASES] = {"position: \"0.01*(1 - cos(20*t))\"",
                                               "velocity: \"4 + 0.8*sin(3*t)\""};

static void stuck_joints_do_not_walk_on_bases_that_accelerate(void **state) {
    (void)state;
    for (int base = 0; base < BASES; base++)
        for (int theta = 0; theta < 2; theta++)
            for (size_t law = 0; law < sizeof joint_laws / sizeof *joint_laws; law++) {
                char text[2000];
                snprintf(text, sizeof text,
                         "format: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                         "  base: {mass: 5, inertia: [1, 1, 1]}\n"
                         "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.3, 0, 0.1]}}\n"
                         "joints:\n  guide: {%s}\n  slide: {planar: [base, block], axis: z, friction: %s}\n"
                         "drives:\n  shaker: {joint: guide, %s}\nsolver: {theta: %s}\n",
                         base_joint[base], joint_laws[law], base_motion[base], thetas[theta]);
                rides(text);
            }
}

static void stuck_contacts_do_not_walk_on_bases_that_accelerate(void **state) {
    static const char *const start[BASES] = {"", ", velocity: {linear: [0, 1.2, 0], angular: [0, 0, 4]}"};
    (void)state;
    for (int base = 0; base < BASES; base++)
        for (int theta = 0; theta < 2; theta++)
            for (size_t law = 0; law < sizeof contact_laws / sizeof *contact_laws; law++) {
                char text[2000];
                snprintf(
                    text, sizeof text,
                    "format: 1\ngravity: [0, 0, -9.81]\nmaterials: {m: {}}\npairs: {m/m: {mu: 0.9}}\n"
                    "contact: {law: %s}\nbodies:\n"
                    "  base: {mass: 5, inertia: [1, 1, 1], shapes: [{box: {size: [2, 2, 0.1]}, material: "
                    "m}]}\n"
                    "  block: {mass: 1, inertia: {box: {size: [0.1, 0.1, 0.1]}}, pose: {position: [0.3, 0, "
                    "0.1]}%s, shapes: [{box: {size: [0.1, 0.1, 0.1]}, material: m}]}\n"
                    "joints:\n  guide: {%s}\ndrives:\n  shaker: {joint: guide, %s}\nsolver: {theta: %s}\n",
                    contact_laws[law], start[base], base_joint[base], base_motion[base], thetas[theta]);
                rides(text);
            }
}

// --- a jump of what is prescribed --------------------------------------------------------------------------

// 6 kg are brought to 1 m/s at once, and carry 1 kg that friction takes along: 3.5 J less what friction takes.
static void jump_of_a_prescribed_velocity_is_input(void **state) {
    static const char *const steppers[] = {"contact", "reference", "kinematic", "implicit",
                                           "implicit, step: 0.8 ms"};
    static const char *const motions[] = {"velocity: \"step(t - 0.5)\"",
                                          "velocity: \"max(0, sign(t - 0.5))\"",
                                          "position: \"max(0, t - 0.5)\"", "velocity: \"step(t - 0.5005)\""};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 4; i++) {
            char text[800];
            snprintf(
                text, sizeof text,
                "format: 1\ngravity: [0, 0, 0]\nbodies:\n  cart: {mass: 6, inertia: [1, 1, 1]}\n"
                "joints:\n  rail: {prismatic: [world, cart], axis: x}\ndrives:\n  motor: {joint: rail, %s}\n"
                "solver: {stepper: %s}\n",
                motions[i], steppers[k]);
            scene s = open_text(text);
            for (int n = 1; n <= 10; n++) scene_advance(&s, 0.1 * n);
            const br_ledger l = br_sim_ledger(s.sim);
            assert_near(l.input, 3, 1e-9);
            assert_near(l.scheme, 0, 1e-9);
            assert_near(l.unaccounted, 0, 1e-9);
            scene_close(&s);
        }
}

// A disc that comes to the wall of its hole at the very end of a step, where the damper's force begins with a jump.
static void touch_at_the_edge_of_a_step_leaves_nothing_unaccounted(void **state) {
    static const char *const schemes[] = {"alpha", "energy_decaying"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 "format: 1\nplanar: xy\ngravity: [0, 0, 0]\nbodies:\n"
                 "  disc: {mass: 5, inertia: [0.01, 0.01, 0.01], velocity: {linear: [0, -0.05, 0]}}\n"
                 "clearances:\n  hole: {planar: [world, disc], at: [0, 0, 0], outer: 50 mm, inner: 49.5 mm, "
                 "contact: "
                 "{law: linear, stiffness: 15e6, damping: 1000}}\n"
                 "solver: {stepper: implicit, step: 1e-4, scheme: %s%s}\n",
                 schemes[k % 2], k < 2 ? "" : ", adaptive: {tolerance: 1e-6}");
        scene s = open_text(text);
        for (int n = 1; n <= 20; n++) scene_advance(&s, 1e-3 * n);
        assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-11);
        assert_true(br_sim_ledger(s.sim).damping > 1e-3);
        scene_close(&s);
    }
}

// --- sections of beams -------------------------------------------------------------------------------------

static void sections_agree_with_reaction_and_load(void **state) {
    static const int elements[] = {1, 3, 10, 40};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "format: 1\ngravity: [0, 0, 0]\nbeams:\n  strip:\n    from: [0, 0, 0]\n    to: [1, 0, 0]\n"
                 "    elements: %d\n    section: {EI: 30, GJ: 20, EA: 1e6, kGA: 1e5, mass: 2}\n"
                 "    attach: {0: world}\nloads:\n  tip: {body: strip.s1, force: [-100, 0, 40]}\n"
                 "solver: {stepper: implicit, step: 10 ms}\n",
                 elements[k]);
        scene s = open_text(text);
        br_error error = {0};
        const br_static_settings settings = br_default_static_settings();
        br_static_report report;
        if (br_sim_static(s.sim, &settings, NULL, NULL, &report, &error) != BR_OK)
            scene_fail("static", &error);
        static const char *const axis[] = {"x", "y", "z"};
        double root[3], tip[3];
        for (int i = 0; i < 3; i++) {
            char name[80];
            snprintf(name, sizeof name, "strip.s0.force.%s", axis[i]);
            root[i] = scene_read(&s, name);
            snprintf(name, sizeof name, "strip.s1.force.%s", axis[i]);
            tip[i] = scene_read(&s, name);
        }
        assert_near(root[0], -100, 1e-7);
        assert_near(root[1], 0, 1e-7);
        assert_near(root[2], 40, 1e-7);
        const br_quat R = br_sim_body_pose(s.sim, scene_body(&s, "strip.s1")).rotation;
        const br_vec3 load = br_quat_rotate(br_quat_conjugate(R), br_vec3_of(-100, 0, 40));
        assert_near(tip[0], load.x, 1e-7);
        assert_near(tip[1], load.y, 1e-7);
        assert_near(tip[2], load.z, 1e-7);
        assert_near(scene_read(&s, "strip.s1.moment.y"), 0, 1e-7);
        const double arm_x = scene_read(&s, "strip.s1.position.x"),
                     arm_z = scene_read(&s, "strip.s1.position.z");
        assert_near(scene_read(&s, "strip.s0.moment.y"), arm_z * -100 - arm_x * 40, 1e-6);
        scene_close(&s);
    }
}

// A force that turns with the tip: the section there has it as it is in its own axes, the root turned as the tip is, and the
// moments between balance it, for any mesh.
static void sections_agree_with_a_follower(void **state) {
    static const int elements[] = {4, 10, 40};
    static const char *const names[] = {"strip.s1.force.x", "strip.s1.force.y", "strip.s1.force.z",
                                        "strip.s0.force.x", "strip.s0.force.y", "strip.s0.force.z"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1000];
        double got[6];
        snprintf(
            text, sizeof text,
            "format: 1\ngravity: [0, 0, 0]\nbeams:\n  strip:\n    from: [0, 0, 0]\n    to: [1, 0, 0]\n"
            "    elements: %d\n    section: {EI: 30, GJ: 20, EA: 1e6, kGA: 1e5, mass: 2}\n"
            "    attach: {0: world}\nloads:\n  tip: {body: strip.s1, force: [-12, 0, -81.7], axes: body}\n"
            "solver: {stepper: implicit, step: 10 ms}\n",
            elements[k]);
        scene s = open_text(text);
        br_error error = {0};
        const br_static_settings settings = br_default_static_settings();
        br_static_report report;
        if (br_sim_static(s.sim, &settings, NULL, NULL, &report, &error) != BR_OK)
            scene_fail("static", &error);
        for (int i = 0; i < 6; i++) got[i] = scene_read(&s, names[i]);
        const br_quat R = br_sim_body_pose(s.sim, scene_body(&s, "strip.s1")).rotation;
        const br_vec3 load = br_vec3_of(-12, 0, -81.7), at_root = br_quat_rotate(R, load);
        for (int i = 0; i < 3; i++) {
            assert_near(got[i], br_vec3_get(load, i), 1e-7);
            assert_near(got[3 + i], br_vec3_get(at_root, i), 1e-7);
        }
        assert_near(scene_read(&s, "strip.s1.moment.y"), 0, 1e-7);
        const double arm_x = scene_read(&s, "strip.s1.position.x"),
                     arm_z = scene_read(&s, "strip.s1.position.z");
        assert_true(arm_z < -0.5); // it bends far
        assert_near(scene_read(&s, "strip.s0.moment.y"), arm_z * at_root.x - arm_x * at_root.z, 1e-6);
        scene_close(&s);
    }
}

// --- events ------------------------------------------------------------------------------------------------

typedef struct slips {
    double first[2]; // s, of sa and sb
} slips;

static void note_slip(void *context, const br_event *event) {
    slips *x = context;
    const int k = strcmp(event->name, "sb") == 0;
    if (event->kind == BR_EVENT_SLIP && isnan(x->first[k])) x->first[k] = event->t;
}

// 0.5 N m hold one shaft, 2 N m the other, which turns a quarter as fast: both slip at 1 N m, and neither before.
static void shaft_that_a_gear_holds_does_not_slip(void **state) {
    scene s = open_text(
        "format: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  a: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}\njoints:\n"
        "  sa: {revolute: [world, a], axis: y, friction: {law: coulomb, mu: 1, pin_radius: 1, load: "
        "{constant: 0.5}}}\n"
        "  sb: {revolute: [world, b], axis: y, friction: {law: coulomb, mu_static: 1, mu_kinetic: "
        "0.8, pin_radius: 1, load: {constant: 2}}}\n"
        "  pair: {gear: [sa, sb], ratio: 4}\n"
        "drives:\n  t: {joint: sa, torque: \"1 N m/s*t\"}\n");
    slips x = {{NAN, NAN}};
    (void)state;
    br_sim_set_event(s.sim, note_slip, &x);
    scene_advance(&s, 1.2);
    for (int k = 0; k < 2; k++) assert_near(x.first[k], 1, 2e-3);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stuck_joints_do_not_walk_on_bases_that_accelerate),
        cmocka_unit_test(stuck_contacts_do_not_walk_on_bases_that_accelerate),
        cmocka_unit_test(jump_of_a_prescribed_velocity_is_input),
        cmocka_unit_test(touch_at_the_edge_of_a_step_leaves_nothing_unaccounted),
        cmocka_unit_test(sections_agree_with_reaction_and_load),
        cmocka_unit_test(sections_agree_with_a_follower),
        cmocka_unit_test(shaft_that_a_gear_holds_does_not_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
