// What tells the friction laws apart, and what they share: bristles that give way by f/k_T and stay, a viscous law that creeps,
// redundant legs, bounds lagged, iterated and implicit, orders of convergence while sliding, the same motion in other frames,
// with bodies in another order, in the plane and in space, and energy that impacts never make.
#include "bristle/contact.h"
#include "contact_scene.h"
#include "random.h"
#include "scene.h"

#define CREEP 1e-9 // m/s
#define EXACT 1e-9

static br_vec3 velocity(const scene *s, const char *body) {
    return br_sim_body_twist(s->sim, scene_body(s, body)).linear;
}

static br_vec3 position(const scene *s, const char *body) {
    return br_sim_body_pose(s->sim, scene_body(s, body)).position;
}

// --- bristles -----------------------------------------------------------------------------------------------------

// The stuck box displaces f/k_T along the push and then stays. With 1e4 N/m it swings at 100 rad/s; theta 1 damps that by
// w^2 h/2 = 5 per second.
static void stuck_box_displaces_by_its_bristles_and_stays(void **state) {
    static const char *const k_T[] = {"1e10 N/m", "1e6 N/m", "1e4 N/m"};
    static const double stiffness[] = {1e10, 1e6, 1e4};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char settings[128];
        snprintf(settings, sizeof settings, "k_T=%s;push=2;mu=0.5;contact.law=bristle", k_T[k]);
        scene s = scene_open("papers/peiret_box.yaml", settings);
        scene_advance(&s, 8.0);
        const br_vec3 before = position(&s, "box");
        scene_advance(&s, 10.0);
        const br_vec3 p = position(&s, "box"), v = velocity(&s, "box");
        assert_near(hypot(p.x, p.y), 2 / stiffness[k],
                    1e-5 * 2 / stiffness[k] + 2e-13); // 1e4 steps, solved to 1e-10
        assert_near(p.x, p.y, 1e-6 * 2 / stiffness[k] + 2e-13);
        assert_true(br_vec3_norm(v) < CREEP && br_vec3_distance(p, before) / 2 < CREEP);
        scene_close(&s);
    }
}

// A law that is regularized in velocity creeps at push v0/(mu m g) for ever.
static void viscous_law_creeps(void **state) {
    (void)state;
    scene s = scene_open("papers/peiret_box.yaml", "push=2;mu=0.5;contact.law=viscous(0.01)");
    const double creep = 2 * 0.01 / (0.5 * BOX_GRAVITY);
    scene_advance(&s, 2.0);
    assert_near(br_vec3_norm(velocity(&s, "box")), creep, 1e-6 * creep);
    scene_close(&s);
}

// Bristles with damping are a damped oscillator: it overshoots by exp(-pi z/sqrt(1 - z^2)), z = c/(2 sqrt(k m)). theta 1 adds
// w h/2 to z, 0.05 % at w = 100 and 10 us.
static void damped_bristles_overshoot_as_an_oscillator(void **state) {
    static const double z[] = {0.2, 0.5};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char settings[256];
        snprintf(settings, sizeof settings,
                 "k_T=1e4 N/m;push=2;mu=0.5;contact.law=bristle;solver.step=10 "
                 "us;pairs.wood/floor.bristle.damping=%g N s/m",
                 2 * z[k] * 100);
        scene s = scene_open("papers/peiret_box.yaml", settings);
        double most = 0;
        while (br_sim_time(s.sim) < 0.06) {
            br_error error = {0};
            if (br_sim_step(s.sim, &error) != BR_OK) scene_fail("box", &error);
            most = fmax(most, hypot(position(&s, "box").x, position(&s, "box").y));
        }
        assert_near(most, 2e-4 * (1 + exp(-BR_PI * z[k] / sqrt(1 - z[k] * z[k]))), 2e-3 * 2e-4);
        scene_close(&s);
    }
}

// --- redundant contacts -------------------------------------------------------------------------------------------

// Four legs: D has eight rows of rank three. With bristles that give way every force is determined, with rigid ones it is not.
static void table_is_regular_with_finite_bristles(void **state) {
    (void)state;
    for (int finite = 0; finite < 2; finite++) {
        scene s = scene_open("papers/peiret_table.yaml", finite ? "k_T=1e6 N/m" : "k_T=.inf");
        br_contact_rank rank;
        br_error error = {0};
        char names[512];
        scene_advance(&s, 0.5);
        assert_int_equal(br_sim_contact_rank(s.sim, &rank, names, sizeof names, &error), BR_OK);
        assert_int_equal(rank.contacts, 4);
        assert_int_equal(rank.rows, 12);
        assert_int_equal(rank.tangent_rows, 8);
        assert_int_equal(rank.tangent_nullity, 5);
        assert_int_equal(rank.regular != 0, finite);
        for (int leg = 1; leg <= 4; leg++) {
            char word[16];
            snprintf(word, sizeof word, "leg_%d", leg);
            assert_int_equal(strstr(names, word) != NULL, !finite); // undetermined forces by name
        }
        assert_true(br_vec3_norm(velocity(&s, "table")) < 1e-7);
        br_vec3 friction = br_vec3_zero();
        for (int k = 0; k < 4; k++) {
            br_contact c;
            br_sim_contact(s.sim, k, &c);
            friction = br_vec3_add(friction, c.friction);
        }
        assert_vec3_near(friction, br_vec3_of(-15, -10, 0), 1e-5);
        scene_close(&s);
    }
}

// --- bounds, and the paper's preset -------------------------------------------------------------------------------

// Thrown and turning: four contacts, each with its own direction of slip.
static void throw_box(const char *law, const char *bounds, double theta, double h, double time, double *out) {
    box_case c = box_default(law);
    c.bounds = bounds;
    c.theta = theta;
    c.step = h;
    box_rig r = box_open(&c);
    const double q[] = {0, 0, 0.05, 1, 0, 0, 0}, v[] = {3, 0.5, 0, 0, 0, 12};
    br_error error = {0};
    box_check(br_sim_set_state(r.sim, 0, q, v, &error), &error);
    box_advance(&r, time);
    memcpy(out, br_sim_q(r.sim), 7 * sizeof *out);
    box_close(&r);
}

static double apart(const double *a, const double *b) {
    double most = 0;
    for (int k = 0; k < 7; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

// Bristle and cone are the same law while everything slides. Lagged and iterated bounds, with the paper's hybrid of kinetic
// bristles, differ from implicit ones by the change of f_n and of directions over a step.
static void bristle_and_cone_slide_alike(void **state) {
    double cone[7], other[7], half[7], cone_half[7];
    (void)state;
    throw_box("cone", NULL, 1, 1e-3, 0.3, cone);
    throw_box("cone", NULL, 1, 5e-4, 0.3, cone_half);
    throw_box("bristle", NULL, 1, 1e-3, 0.3, other);
    throw_box("bristle", NULL, 1, 5e-4, 0.3, half);
    assert_true(apart(cone, other) < 1e-9);
    assert_true(apart(cone_half, half) < 1e-9);
    static const char *const bounds[] = {"lagged", "iterated(2)", "iterated(5)"};
    for (int k = 0; k < 3; k++) {
        double with[7];
        throw_box("bristle", bounds[k], 1, 1e-3, 0.3, with);
        assert_true(apart(other, with) < 1e-2);
    }
}

static void paper_preset_moves_the_wheel(void **state) {
    (void)state;
    scene s = scene_open("papers/peiret_wheel.yaml", "");
    scene p = scene_open("papers/peiret_wheel.yaml", "contact.paper=true");
    scene_advance(&s, 0.5), scene_advance(&p, 0.5);
    const double *a = br_sim_q(s.sim), *b = br_sim_q(p.sim);
    for (int k = 0; k < br_model_nq(s.model); k++) assert_near(a[k], b[k], 2e-2); // both first order in 1 ms
    scene_close(&s), scene_close(&p);
}

// --- orders -------------------------------------------------------------------------------------------------------

// Before anything stops, so that the motion is smooth.
static void check_order(const char *law, double theta, double order) {
    double q[3][7];
    for (int k = 0; k < 3; k++) throw_box(law, NULL, theta, 2e-3 / (1 << k), 0.2, q[k]);
    const double observed = log2(apart(q[0], q[1]) / apart(q[1], q[2]));
    if (!(fabs(observed - order) < 0.3))
        fail_msg("%s, theta %g: order %g, expected %g", law, theta, observed, order);
}

static void sliding_converges_at_its_order(void **state) {
    (void)state;
    check_order("cone", 1, 1);
    check_order("bristle", 1, 1);
    check_order("cone", 0.5, 2);
}

// Rolling too: the whirling disk keeps its energy to second order (its own closed form is in the gallery).
static void rolling_converges_at_second_order(void **state) {
    double error[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "c=0 m;solver.step=%g ms", 0.2 / (1 << k));
        scene s = scene_open("gallery/euler_disk.yaml", settings);
        const double start = br_sim_energy(s.sim).total;
        scene_advance(&s, 0.5);
        error[k] = fabs(br_sim_energy(s.sim).total - start);
        scene_close(&s);
    }
    assert_near(log2(error[0] / error[1]), 2, 0.3);
    assert_near(log2(error[1] / error[2]), 2, 0.3);
}

// --- other frames, other orders -----------------------------------------------------------------------------------

// Impacts and sliding on faces, listed from the last to the first. The corners of a face share normal forces as they like,
// and with them the friction's moment about the normal: that much of the motion is open.
static void order_of_bodies_does_not_matter(void **state) {
    static const char head[] =
        "format: 1\nmaterials: {m: {}, f: {}}\npairs: {m/f: {mu: 0.4}, m/m: {mu: 0.3, restitution: 0.3}}\n"
        "ground: [{plane: {}, material: f}]\ncontact: {law: cone}\nbodies:\n";
    static const char *const body[] = {
        "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1]}, shapes: [{box: {size: "
        "[0.3, 0.3, 0.2]}, material: m}]}\n",
        "  b: {mass: 2, inertia: [0.01, 0.01, 0.01], pose: {position: [0.02, 0.01, 0.31]}, velocity: "
        "{linear: [0.5, 0, 0]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}\n",
        "  c: {mass: 0.5, inertia: [0.002, 0.002, 0.002], pose: {position: [-0.6, 0.02, 0.1]}, velocity: "
        "{linear: [2, 0, 0]}, shapes: [{sphere: {radius: 0.1}, material: m}]}\n"};
    br_vec3 at[2][3];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1600];
        br_model *model = NULL;
        br_sim *sim = NULL;
        br_error error = {0};
        snprintf(text, sizeof text, "%s%s%s%s", head, body[k ? 2 : 0], body[1], body[k ? 0 : 2]);
        box_check(br_model_read_text(text, strlen(text), "order", NULL, 0, NULL, &model, NULL, &error),
                  &error);
        box_check(br_sim_create(model, NULL, &sim, &error), &error);
        box_check(br_sim_advance(sim, 0.5, &error), &error);
        for (int i = 0; i < 3; i++) {
            const char name[2] = {(char)('a' + i), 0};
            at[k][i] = br_sim_body_pose(sim, br_model_body_find(model, name)).position;
        }
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
    for (int i = 0; i < 3; i++) assert_vec3_near(at[0][i], at[1][i], 1e-4);
}

// A ball thrown with spin over a plane that is turned and far away. cone and bristle have no axes of their own.
static void turned_frames_move_alike(void **state) {
    static const char *const law[] = {"cone", "bristle"};
    rng r = {11};
    (void)state;
    for (int l = 0; l < 2; l++)
        for (int theta = 0; theta < 2; theta++) {
            br_vec3 first = br_vec3_zero();
            for (int k = 0; k < 4; k++) {
                const br_pose X = k ? br_pose_of(rng_rotation(&r), rng_vec3(&r, 10)) : br_pose_identity();
                const br_vec3 n = br_pose_vector(X, br_vec3_unit(2)), g = br_vec3_scale(-9.81, n),
                              p = br_pose_point(X, br_vec3_of(0, 0, 0.1)),
                              v = br_pose_vector(X, br_vec3_of(2, 0.3, 0)),
                              w = br_pose_vector(X, br_vec3_of(3, -10, 8));
                char text[1200];
                br_model *model = NULL;
                br_sim *sim = NULL;
                br_error error = {0};
                snprintf(text, sizeof text,
                         "format: 1\ngravity: [%.17g, %.17g, %.17g]\nmaterials: {m: {}, f: {}}\n"
                         "pairs: {m/f: {mu: 0.3, rolling: 1 mm, torsion: 1 mm}}\n"
                         "ground: [{plane: {normal: [%.17g, %.17g, %.17g], point: [%.17g, %.17g, %.17g]}, "
                         "material: f}]\n"
                         "bodies:\n  b:\n    mass: 1\n    inertia: [0.004, 0.004, 0.004]\n    pose: "
                         "{position: [%.17g, %.17g, %.17g]}\n"
                         "    velocity: {linear: [%.17g, %.17g, %.17g], angular: [%.17g, %.17g, %.17g]}\n"
                         "    shapes: [{sphere: {radius: 0.1}, material: m}]\ncontact: {law: %s}\nsolver: "
                         "{step: 1 ms, theta: %s}\n",
                         g.x, g.y, g.z, n.x, n.y, n.z, X.position.x, X.position.y, X.position.z, p.x, p.y,
                         p.z, v.x, v.y, v.z, w.x, w.y, w.z, law[l], theta ? "0.5" : "1");
                box_check(
                    br_model_read_text(text, strlen(text), "frame", NULL, 0, NULL, &model, NULL, &error),
                    &error);
                box_check(br_sim_create(model, NULL, &sim, &error), &error);
                box_check(br_sim_advance(sim, 1.5, &error), &error);
                const br_vec3 at = br_pose_point_inverse(X, br_sim_body_pose(sim, 0).position);
                if (k == 0) first = at;
                assert_vec3_near(at, first, theta ? 1e-6 : 1e-7); // bounds of rolling and torsion lag by 1e-7
                br_sim_destroy(sim);
                br_model_destroy(model);
            }
        }
}

// A planar model is the spatial one with nothing out of the plane.
static void planar_and_spatial_models_agree(void **state) {
    static const struct {
        const char *name, *body;
        double time;
    } row[] = {{"gallery/chain.yaml", "d", 0.6},
               {"gallery/rolling_ball.yaml", "ball", 5},
               {"gallery/dropped_box.yaml", "box", 1}};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int theta = 0; theta < 2; theta++) {
            scene s = scene_open(row[k].name, theta ? "solver.theta=0.5" : "solver.theta=1");
            scene p =
                scene_open(row[k].name, theta ? "solver.theta=0.5;planar=xz" : "solver.theta=1;planar=xz");
            scene_advance(&s, row[k].time), scene_advance(&p, row[k].time);
            assert_vec3_near(position(&s, row[k].body), position(&p, row[k].body), 1e-7);
            scene_close(&s), scene_close(&p);
        }
}

// --- loops, limits, motors and contact in one problem -------------------------------------------------------------

static void crank_jams_on_the_floor_comes_free_and_meets_its_stop(void **state) {
    static const char *const settings[] = {"", "coordinates=absolute", "solver.theta=0.5",
                                           "contact.law=bristle"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        scene s = scene_open("gallery/crank_on_floor.yaml", settings[k]);
        scene_advance(&s, 0.25); // the motor gives 8 N m and does not move it
        assert_near(scene_joint_velocity(&s, "A"), 0, 1e-7);
        assert_near(scene_read(&s, "coupler.shape0~world.shape0#0.gap"), 0, 1e-9);
        scene_advance(&s, 0.6); // free: it follows the motor
        assert_near(scene_joint_velocity(&s, "A"), 6 * cos(4 * 0.6),
                    1e-4);      // closing the loop turns the crank by h^2
        scene_advance(&s, 1.0); // against the stop
        assert_near(scene_joint_position(&s, "D"), -0.3, 1e-9);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_true(l.loop_error < 1e-12 && l.penetration < 1e-6); // at the middle of a step: of h^2
        scene_close(&s);
    }
}

// --- impacts do not make energy -----------------------------------------------------------------------------------

// A box thrown to the ground in any attitude: restitution on one to four contacts at once. Poisson's law never gains, Newton's
// does not without friction. (With it Newton's may, where friction reverses the slip while the normal velocity is
// prescribed.) What a step of flight gains is the gyroscopic error of theta 1.
static void tumbling_boxes_never_gain(void **state) {
    rng r = {3};
    (void)state;
    for (int k = 0; k < 40; k++) {
        char settings[160];
        const double e = rng_uniform(&r, 0, 1), mu = k % 2 ? rng_uniform(&r, 0, 1) : 0;
        snprintf(settings, sizeof settings,
                 "height=1 m;e=%g;pairs.rubber/floor.restitution_law=%s;pairs.rubber/floor.mu=%g", e,
                 k % 2 ? "poisson" : "newton", mu);
        scene s = scene_open("gallery/dropped_box.yaml", settings);
        const br_quat R = rng_rotation(&r);
        const br_vec3 v = rng_vec3(&r, 2), w = rng_vec3(&r, 3);
        const double q[] = {0, 0, 1, R.w, R.x, R.y, R.z}, u[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        br_error error = {0};
        box_check(br_sim_set_state(s.sim, 0, q, u, &error), &error);
        const double start = br_sim_energy(s.sim).total;
        double before = start;
        for (int i = 0; i < 2000; i++) {
            if (br_sim_step(s.sim, &error) != BR_OK) scene_fail(settings, &error);
            const double now = br_sim_energy(s.sim).total;
            if (!(now <= before + 3e-4 * start))
                fail_msg("%s, t = %g: %g J of %g J come from nowhere", settings, br_sim_time(s.sim),
                         now - before, start);
            before = now;
        }
        assert_true(before < start * 1.001);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stuck_box_displaces_by_its_bristles_and_stays),
        cmocka_unit_test(viscous_law_creeps),
        cmocka_unit_test(damped_bristles_overshoot_as_an_oscillator),
        cmocka_unit_test(table_is_regular_with_finite_bristles),
        cmocka_unit_test(bristle_and_cone_slide_alike),
        cmocka_unit_test(paper_preset_moves_the_wheel),
        cmocka_unit_test(sliding_converges_at_its_order),
        cmocka_unit_test(rolling_converges_at_second_order),
        cmocka_unit_test(order_of_bodies_does_not_matter),
        cmocka_unit_test(turned_frames_move_alike),
        cmocka_unit_test(planar_and_spatial_models_agree),
        cmocka_unit_test(crank_jams_on_the_floor_comes_free_and_meets_its_stop),
        cmocka_unit_test(tumbling_boxes_never_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
