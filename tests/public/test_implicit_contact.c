// Shapes that touch under the implicit stepper: the motion of the contact stepper at its order, in every law; a ledger that closes and
// books blows and friction by name; beams and joints with play beside contacts.
#include "counting_allocator.h"
#include "scene.h"

#define LAWS 8
#define ROUNDING 1e-12 // J, of what rests

static void settings_of(const char *stepper, double step, const char *more, char *out, size_t size) {
    snprintf(out, size, "solver.stepper=%s;solver.step=%.17g%s%s", stepper, step, *more ? ";" : "", more);
}

static double off_by(const scene *a, const scene *b) {
    double off = 0.0;
    for (int k = 0; k < br_model_body_count(a->model); k++)
        off = fmax(off, br_vec3_distance(br_sim_body_pose(a->sim, k).position,
                                         br_sim_body_pose(b->sim, k).position));
    return off;
}

static double at_play(const br_ledger *l) {
    return l->start.kinetic + l->now.kinetic + fabs(l->now.potential - l->start.potential) + l->now.elastic +
           fabs(l->input) + fabs(l->friction) + fabs(l->impact) + l->damping;
}

static scene run_scene(const char *name, const char *stepper, double step, const char *more, double until) {
    char settings[300];
    settings_of(stepper, step, more, settings, sizeof settings);
    scene s = scene_open(name, settings);
    scene_advance(&s, until);
    const br_ledger l = br_sim_ledger(s.sim);
    if (!(fabs(l.unaccounted) <= 1e-8 * at_play(&l) + ROUNDING))
        fail_msg("%s, %s: %g J of %g J are unaccounted for", name, settings, l.unaccounted, at_play(&l));
    return s;
}

// --- the same motion ---------------------------------------------------------------------------------------

// Answers of the two steppers at 1 ms, and how far both move with half the step.
typedef struct same_motion {
    const char *scene;
    double until, apart; // m
} same_motion;

static void the_motion_is_that_of_the_contact_stepper(void **state) {
    (void)state;
    static const same_motion cases[] = {
        {"contact/box_on_plane.yaml", 1.0, 1e-9},
        {"templates/box_on_incline.yaml", 1.0, 1e-9},
        {"contact/bouncing_ball.yaml", 1.0, 1e-9},
        {"contact/box_tips.yaml", 1.5, 1e-5},
        {"contact/sphere_slide_to_roll.yaml", 1.0, 1e-9},
        {"contact/belt.yaml", 2.0, 1e-9},
        {"contact/two_spheres.yaml", 1.0, 1e-9},
        {"contact/soft_ball_slides.yaml", 1.0, 1e-9},
        {"bench/wheel.yaml", 1.0, 1e-5},
        {"contact/ellipsoid_rocks.yaml", 1.0, 1e-5},
        {"gallery/ladder.yaml", 0.5, 1e-9},
        {"gallery/spinning_ball.yaml", 1.0, 1e-9},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scene a = run_scene(cases[k].scene, "contact", 1e-3, "", cases[k].until),
              b = run_scene(cases[k].scene, "implicit", 1e-3, "", cases[k].until);
        const double apart = off_by(&a, &b);
        print_message("%-36s %.1e m apart\n", cases[k].scene, apart);
        if (!(apart <= cases[k].apart)) fail_msg("%s: %g m apart", cases[k].scene, apart);
        scene_close(&a), scene_close(&b);
    }
}

// What rolls and slides without an event converges at second order, and to the contact stepper's answer.
static void smooth_contact_is_of_second_order(void **state) {
    (void)state;
    static const char *const names[] = {"bench/wheel.yaml", "contact/ellipsoid_rocks.yaml"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        scene s[4];
        for (int i = 0; i < 4; i++) s[i] = run_scene(names[k], "implicit", 2e-3 / (1 << i), "", 1.0);
        scene c = run_scene(names[k], "contact", 2.5e-4, "", 1.0);
        const double d[3] = {off_by(&s[0], &s[1]), off_by(&s[1], &s[2]), off_by(&s[2], &s[3])};
        print_message("%-32s %.2e %.2e %.2e, off the contact stepper %.2e\n", names[k], d[0], d[1], d[2],
                      off_by(&s[3], &c));
        assert_true(d[0] > 3.7 * d[1] && d[1] > 3.7 * d[2]);
        assert_true(off_by(&s[3], &c) < 2.0 * d[2]);
        for (int i = 0; i < 4; i++) scene_close(&s[i]);
        scene_close(&c);
    }
}

// A joint's rows turn within a step in which it is hit: contact closes on the links' own motion all the same.
static void linkages_that_touch_converge_to_the_reference_stepper(void **state) {
    (void)state;
    scene exact = run_scene("contact/pendulum_on_ground.yaml", "reference", 1e-3, "", 2.0);
    double error[3];
    for (int k = 0; k < 3; k++) {
        scene s = run_scene("contact/pendulum_on_ground.yaml", "implicit", 2e-3 / (1 << (2 * k)), "", 2.0);
        error[k] = off_by(&s, &exact);
        scene_close(&s);
    }
    print_message("pendulum on the ground: %.2e %.2e %.2e off the reference\n", error[0], error[1], error[2]);
    assert_true(error[2] < 0.3 * error[0] && error[2] < 3e-4);
    scene_close(&exact);
}

// Each law on a block that is pushed, turns and stops, against the contact stepper.
static void every_law_is_followed(void **state) {
    (void)state;
    static const char *const laws[LAWS][2] = {
        {"law: cone", "mu: 0.4"},
        {"law: bristle", "mu: 0.4"},
        {"law: box", "mu: 0.4"},
        {"law: polygon(8)", "mu: 0.4"},
        {"law: viscous(1e-3)", "mu: 0.4"},
        {"law: bristle", "mu: 0.4, bristle: {stiffness: 1e5, damping: 20}"},
        {"law: cone", "mu_static: 0.5, mu_kinetic: 0.3, torsion: 5 mm"},
        {"law: cone", "mu: 0.4, compliance: {law: linear, stiffness: 1e5, damping: 50}"}};
    for (int k = 0; k < LAWS; k++) {
        br_vec3 at[2];
        double turned[2];
        for (int implicit = 0; implicit < 2; implicit++) {
            char text[1200];
            br_error error = {0};
            br_model *model = NULL;
            br_sim *sim = NULL;
            snprintf(text, sizeof text,
                     "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {%s}}\nbodies:\n  b: {mass: 2, "
                     "inertia: {box: {size: [0.2, 0.1, 0.1]}}, pose: {position: [0, 0, 0.05]}, velocity: "
                     "{linear: [1, 0.5, 0], angular: [0, 0, 4]}, shapes: [{box: {size: [0.2, 0.1, 0.1]}, "
                     "material: a}]}\nground: [{plane: {normal: z}, material: g}]\ncontact: {%s}\nloads: "
                     "{push: {body: b, force: [\"4*sin(9*t)\", 0, 0]}}\nsolver: {stepper: %s}\n",
                     laws[k][1], laws[k][0], implicit ? "implicit" : "contact");
            if (br_model_read_text(text, strlen(text), "law", NULL, 0, NULL, &model, NULL, &error) != BR_OK ||
                br_sim_create(model, NULL, &sim, &error) != BR_OK ||
                br_sim_advance(sim, 0.6, &error) != BR_OK)
                fail_msg("%s: %s", laws[k][0], error.message);
            const br_ledger l = br_sim_ledger(sim);
            assert_true(fabs(l.unaccounted) <= 1e-8 * at_play(&l));
            assert_true(l.cone_violation <= 0.42); // of a box's corners, 1e-9 of the others
            const br_pose X = br_sim_body_pose(sim, 0);
            at[implicit] = X.position, turned[implicit] = 2.0 * asin(X.rotation.z);
            br_sim_destroy(sim), br_model_destroy(model);
        }
        const double apart = br_vec3_distance(at[0], at[1]), turn = fabs(turned[0] - turned[1]);
        print_message("%-20s %-56s %.1e m, %.1e rad apart\n", laws[k][0], laws[k][1], apart, turn);
        assert_true(apart <= 2e-5 && turn <= 2e-4);
    }
}

// Loop, bounded motor, limit and a foot that jams on the floor, with steps that outputs cut in different ways: the same books, up to
// where in its step the foot lands (first order: 1 % of what friction takes).
static void limits_motors_and_contacts_are_beside_each_other(void **state) {
    (void)state;
    scene contact = run_scene("gallery/crank_on_floor.yaml", "contact", 1e-3, "", 2.0);
    const double friction = br_sim_ledger(contact.sim).friction;
    for (int k = 0; k < 3; k++) {
        scene s = scene_open("gallery/crank_on_floor.yaml", "solver.stepper=implicit");
        const int rows = 200 << k;
        for (int i = 1; i <= rows; i++) {
            scene_advance(&s, 2.0 * i / rows);
            assert_true(scene_read(&s, "D.position") > -0.3 - 1e-4);
        }
        const br_ledger l = br_sim_ledger(s.sim);
        print_message("friction took %.4f J, under the contact stepper %.4f J\n", l.friction, friction);
        assert_near(l.friction, friction, 0.02 * friction);
        assert_true(fabs(l.unaccounted) <= 1e-8 * at_play(&l) && l.penetration < 1e-6);
        assert_true(off_by(&s, &contact) < 2e-3);
        scene_close(&s);
    }
    scene_close(&contact);
}

static br_sim *sim_of(const char *text, br_model **model) {
    br_sim *sim = NULL;
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "text", NULL, 0, NULL, model, NULL, &error) != BR_OK ||
        br_sim_create(*model, NULL, &sim, &error) != BR_OK)
        fail_msg("%s: %s", text, error.message);
    return sim;
}

#define ON_FLOOR(joint, rest)                                                                                \
    "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {mu: 0}}\nbodies:\n  b: {mass: 2, inertia: [0.1, "   \
    "0.1, "                                                                                                  \
    "0.1], pose: {position: [0.3, 0, 0.1]}, shapes: [{sphere: {radius: 0.1}, pose: {position: [0.3, 0, "     \
    "0]}, "                                                                                                  \
    "material: a}]}\njoints: {j: {" joint "}}\nground: [{plane: {normal: z}, material: g}]\n" rest           \
    "solver: {stepper: implicit}\n"

// Half of the weight is the pin's before a step was taken.
static void forces_of_the_start_have_contacts_in_them(void **state) {
    (void)state;
    br_model *model = NULL;
    br_sim *sim = sim_of(ON_FLOOR("revolute: [world, b], at: [0, 0, 0.1], axis: y", ""), &model);
    scene s = {model, sim};
    assert_near(scene_read(&s, "j.reaction.force_world.z"), 9.81, 1e-9);
    scene_close(&s);
}

static void a_drive_into_the_floor_is_named(void **state) {
    (void)state;
    br_model *model = NULL;
    br_error error = {0};
    br_sim *sim =
        sim_of(ON_FLOOR("prismatic: [world, b], axis: z", "drives: {d: {joint: j, velocity: -1}}\n"), &model);
    assert_int_equal(br_sim_advance(sim, 0.1, &error), BR_NUMERICAL);
    assert_string_equal(error.code, "contact-infeasible");
    assert_non_null(strstr(error.message, "b.shape0~world.shape0#0 is entered"));
    assert_near(br_sim_body_pose(sim, 0).position.z, 0.1, 1e-6); // the last good state
    br_sim_destroy(sim), br_model_destroy(model);
}

// A ball on an arm falls on a slope and jams: the arm leaves the contact no motion along itself, so that forces along it are bounded by next to
// nothing. It comes to rest where the reference stepper has it.
static void an_arm_that_jams_comes_to_rest(void **state) {
    (void)state;
    static const char text[] = "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {mu: 0.665}}\nbodies:\n  "
                               "b: {mass: 2.68, inertia: "
                               "[0.004, 0.005, 0.006], pose: {position: [1.9, 0, 0.31]}, shapes: [{sphere: "
                               "{radius: 0.06}, material: "
                               "a}]}\njoints: {j: {spherical: [world, b], at: [1.5, 0, 0.31]}}\nground: "
                               "[{plane: {normal: [0.1, 0, 1]}, "
                               "material: g}]\n";
    br_vec3 at[2];
    for (int k = 0; k < 2; k++) {
        char whole[800];
        br_model *model = NULL;
        br_error error = {0};
        snprintf(whole, sizeof whole, "%ssolver: {step: 0.5 ms, stepper: %s}\n", text,
                 k ? "implicit" : "reference");
        br_sim *sim = sim_of(whole, &model);
        if (br_sim_advance(sim, 0.8, &error) != BR_OK) fail_msg("%s", error.message);
        const br_ledger l = br_sim_ledger(sim);
        print_message("friction %.3f J, impact %.3f J, both %.5f J\n", l.friction, l.impact,
                      l.friction + l.impact);
        assert_true(fabs(l.unaccounted) <= 1e-7 * at_play(&l));
        assert_true(l.friction > 0.0 && l.impact > 0.0);
        at[k] = br_sim_body_pose(sim, 0).position;
        br_sim_destroy(sim), br_model_destroy(model);
    }
    assert_true(br_vec3_distance(at[0], at[1]) < 1e-4);
}

// Memory is taken when more touches than before, and each time it may be refused: the error says so, the state is the last good one, and
// nothing is lost.
static void every_allocation_may_fail(void **state) {
    (void)state;
    scene s = scene_open("contact/box_tips.yaml", "solver.stepper=implicit");
    long refused = 0;
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_sim *sim = NULL;
        br_error error = {0};
        br_status status = br_sim_create(s.model, &allocator, &sim, &error);
        if (status == BR_OK) status = br_sim_advance(sim, 0.05, &error);
        // Looking at what touches for readers may do without memory: then nothing failed that anyone asked for.
        if (status != BR_OK) {
            assert_int_equal(status, BR_NO_MEMORY);
            if (sim && br_sim_advance(sim, 0.05, &error) != BR_OK)
                fail_msg("%s", error.message); // and goes on
            refused++;
        }
        br_sim_destroy(sim);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
    }
    print_message("%ld allocations refused\n", refused);
    scene_close(&s);
}

// --- beams and play ----------------------------------------------------------------------------------------

typedef struct touch_times {
    double on, off;
} touch_times;

static void hear_touch(void *context, const br_event *event) {
    touch_times *t = context;
    if (event->kind == BR_EVENT_CONTACT_ON && t->on == 0.0) t->on = event->t;
    if (event->kind == BR_EVENT_CONTACT_OFF) t->off = event->t;
}

// The momentum that a bar of 0.8 kg has left, of 0.8 N s: by the wall's impulse, which its force over all steps is.
static double speed_that_it_leaves_with(int elements, double *lasts) {
    char settings[40];
    snprintf(settings, sizeof settings, "n=%d", elements);
    scene s = scene_open("flexible/bar_hits_wall.yaml", settings);
    touch_times times = {0};
    br_sim_set_event(s.sim, hear_touch, &times);
    const double h = 0.25 / (elements * 5000.0), mass = 0.8 + 1e-6;
    const int steps = (int)lround(6e-4 / h);
    double impulse = 0.0;
    for (int k = 1; k <= steps; k++) {
        scene_advance(&s, k * h);
        impulse += h * scene_read(&s, "tip.shape0~world.shape0#0.force.normal");
    }
    *lasts = times.off - times.on;
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(fabs(l.unaccounted) <= 1e-8 * at_play(&l) && fabs(l.scheme) <= 1e-8 * at_play(&l));
    scene_close(&s);
    return impulse / mass - 1.0;
}

// Contact lasts 2 L/c = 0.4 ms and the bar leaves with its speed; with 25, 50, 100 and 200 elements the error of the speed falls at least
// as N^(-2/3).
static void a_bar_leaves_a_wall_with_its_speed(void **state) {
    (void)state;
    double error[4], lasts[4];
    for (int k = 0; k < 4; k++) {
        error[k] = 1.0 - speed_that_it_leaves_with(25 << k, &lasts[k]);
        print_message("%3d elements: contact lasts %.4f of 2 L/c, the speed is off by %.3f %%\n", 25 << k,
                      lasts[k] / 4e-4, 100.0 * error[k]);
        if (k > 0) assert_true(error[k] < error[k - 1] * pow(0.5, 2.0 / 3.0));
    }
    assert_true(fabs(lasts[2] / 4e-4 - 1.0) <= 0.01 && fabs(lasts[3] / 4e-4 - 1.0) <= 0.01);
    assert_true(error[2] <= 0.025);
}

// At rest the floor carries the ball and half of the beam, and nothing moves.
static void a_beam_comes_to_rest_on_the_floor(void **state) {
    (void)state;
    scene s = run_scene("flexible/beam_slaps_floor.yaml", "implicit", 2e-4, "", 2.0);
    const double length = sqrt(0.5 * 0.5 + 0.1 * 0.1), beam = 2700.0 * 20e-3 * 2e-3 * length;
    const double hinge = scene_read(&s, "hinge.reaction.force_world.z"),
                 floor = scene_read(&s, "ball.shape0~world.shape0#0.force.normal");
    print_message("floor %.6f N of %.6f, hinge %.6f of %.6f\n", floor, 9.81 * (0.05 + 0.5 * beam), hinge,
                  9.81 * 0.5 * beam);
    assert_near(floor, 9.81 * (0.05 + 0.5 * beam), 2e-3 * floor);
    assert_near(floor + hinge, 9.81 * (0.05 + beam), 1e-5 * floor);
    assert_near(scene_read(&s, "ball.position.z"), 0.01, 1e-9);
    assert_true(fabs(scene_read(&s, "ball.velocity.z")) < 1e-6);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(l.impact > 0.5 * (l.start.potential - l.now.potential) && l.friction > 0.0 &&
                l.damping > 0.0);
    scene_close(&s);
}

// What is needed of the coefficient, from a run that holds: the largest of friction over normal force. With 3 % more the box is lifted,
// with 3 % less it is left behind.
static double lifted(double mu, double *needed) {
    char settings[64];
    snprintf(settings, sizeof settings, "mu=%.17g", mu);
    scene s = scene_open("flexible/flexible_gripper.yaml", settings);
    *needed = 0.0;
    for (int k = 1; k <= 240; k++) {
        scene_advance(&s, 0.005 * k);
        double up = 0.0, normal = 0.0;
        for (int i = 0; i < 4; i++) {
            char channel[80];
            snprintf(channel, sizeof channel, "pad_l.shape0~part.shape0#%d.force.normal", i);
            normal += scene_read(&s, channel);
            snprintf(channel, sizeof channel, "pad_l.shape0~part.shape0#%d.force.friction.z", i);
            up += scene_read(&s, channel);
        }
        if (scene_read(&s, "part.position.z") > 0.5001 && normal > 0.0)
            *needed = fmax(*needed, fabs(up) / normal);
    }
    const double by = scene_read(&s, "part.position.z") - 0.5;
    scene_close(&s);
    return by;
}

static void flexible_fingers_let_go_at_the_right_coefficient(void **state) {
    (void)state;
    double needed, unused;
    assert_true(lifted(0.5, &needed) > 0.0499);
    const double more = lifted(1.03 * needed, &unused), less = lifted(0.97 * needed, &unused);
    print_message("needed %.4f: lifted by %.2f mm with 3 %% more, by %.2f mm with 3 %% less\n", needed,
                  1e3 * more, 1e3 * less);
    assert_true(more > 0.0499 && less < 0.0495);
}

// Blows in the play multiply small differences, so the box's way is the same in figures that they leave.
static void a_piston_with_play_pushes_a_box(void **state) {
    (void)state;
    double way[3];
    for (int k = 0; k < 3; k++) {
        scene s = run_scene("flexible/piston_pushes_box.yaml", "implicit", 1e-4 / (1 << k), "", 1.0);
        way[k] = scene_read(&s, "box.position.x") - 0.12;
        scene_close(&s);
    }
    print_message("the box went %.6f %.6f %.6f m\n", way[0], way[1], way[2]);
    for (int k = 0; k < 3; k++) assert_near(way[k], 0.1459, 0.001 * 0.1459);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motion_is_that_of_the_contact_stepper),
        cmocka_unit_test(smooth_contact_is_of_second_order),
        cmocka_unit_test(linkages_that_touch_converge_to_the_reference_stepper),
        cmocka_unit_test(every_law_is_followed),
        cmocka_unit_test(limits_motors_and_contacts_are_beside_each_other),
        cmocka_unit_test(forces_of_the_start_have_contacts_in_them),
        cmocka_unit_test(a_drive_into_the_floor_is_named),
        cmocka_unit_test(an_arm_that_jams_comes_to_rest),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_bar_leaves_a_wall_with_its_speed),
        cmocka_unit_test(a_beam_comes_to_rest_on_the_floor),
        cmocka_unit_test(flexible_fingers_let_go_at_the_right_coefficient),
        cmocka_unit_test(a_piston_with_play_pushes_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
