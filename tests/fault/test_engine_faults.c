// Steps that must fail: each says why by name, leaves the last good state bit for bit, and leaves no trace in what
// follows. And hundreds of random models, sane and insane: whatever a step returns, a state is finite.
#include "mechanisms.h"
#include "random.h"

static const double thetas[] = {1.0, 0.5};
static const br_coordinates both[] = {BR_REDUCED, BR_ABSOLUTE};

#define EACH_SETTING                                                                                         \
    for (int ti = 0; ti < 2; ti++)                                                                           \
        for (int ci = 0; ci < 2; ci++)

// --- a step that fails leaves everything as it was ------------------------------------------------------------

static void *saved(const br_sim *sim) {
    void *bytes = malloc(br_sim_snapshot_size(sim));
    assert_non_null(bytes);
    br_sim_save(sim, bytes);
    return bytes;
}

static int is_finite(const br_sim *sim) {
    const br_model *model = br_sim_model(sim);
    const br_energy e = br_sim_energy(sim);
    const br_ledger l = br_sim_ledger(sim);
    for (int k = 0; k < br_model_nq(model); k++)
        if (!isfinite(br_sim_q(sim)[k])) return 0;
    for (int k = 0; k < br_model_nv(model); k++)
        if (!isfinite(br_sim_v(sim)[k])) return 0;
    return isfinite(e.kinetic) && isfinite(e.potential) && isfinite(e.elastic) && isfinite(e.total) &&
           isfinite(l.input) && isfinite(l.damping) && isfinite(l.scheme) && isfinite(l.unaccounted) &&
           isfinite(l.loop_error) && isfinite(l.loop_velocity_error);
}

// Steps until one fails, at most `most`. The failing one is asked twice, and must say the same both times.
static void assert_fails(mechanism *m, int most, const char *code, const char *words) {
    br_error error = {0};
    for (int k = 0; k < most; k++) {
        void *before = saved(m->sim);
        if (br_sim_step(m->sim, &error) == BR_OK) {
            assert_true(is_finite(m->sim));
            free(before);
            continue;
        }
        for (int again = 0; again < 2; again++) {
            void *after = saved(m->sim);
            if (memcmp(before, after, br_sim_snapshot_size(m->sim)) != 0)
                fail_msg("%s: the state is not what it was before the step", error.code);
            free(after);
            assert_int_equal(br_sim_step(m->sim, &error), BR_NUMERICAL);
            if (strcmp(error.code, code) != 0)
                fail_msg("'%s' (%s), expected %s", error.message, error.code, code);
            if (!strstr(error.message, words)) fail_msg("'%s' is not in '%s'", words, error.message);
        }
        free(before);
        return;
    }
    fail_msg("no step failed with %s", code);
}

static void a_load_that_becomes_infinite(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = mech_settings(thetas[ti], both[ci], 1.0 / 64);
        br_builder *b = mech_builder(&s);
        mech_chain(b);
        br_load_def pull = mech_load("pull", BR_LOAD_FORCE, "b1", NULL);
        pull.component[0] = mech_expression(ti ? "1/(t - 65/128)" : "1/(t - 0.5)"); // where loads are taken
        mech_add_load(b, pull);
        mechanism m = mech_finish(b);
        assert_fails(&m, 80, "not-finite", "t = 0.5");
        assert_near(br_sim_time(m.sim), ti ? 0.5 : 31.0 / 64, 1e-12);
        mechanism_free(&m);
    }
}

// A crank of 0.5 m with a rod of 0.3 m: beyond some angle the piston cannot follow.
static void a_crank_that_the_loop_cannot_follow(void **state) {
    (void)state;
    EACH_SETTING {
        br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
        const br_vec3 z = br_vec3_unit(2), x = br_vec3_unit(0);
        s.planar = BR_PLANAR_XY;
        s.gravity = br_vec3_zero();
        br_builder *b = mech_builder(&s);
        mech_add_body(b, mech_body("crank", 1, 0.25, 0, 0));
        mech_add_body(b, mech_body("rod", 1, 0.65, 0, 0));
        mech_add_body(b, mech_body("piston", 1, 0.8, 0, 0));
        mech_add_joint(b, mech_joint(b, "main", BR_JOINT_REVOLUTE, BR_WORLD, "crank", br_vec3_zero(), z));
        mech_add_joint(b, mech_joint(b, "big", BR_JOINT_REVOLUTE, "crank", "rod", br_vec3_of(0.5, 0, 0), z));
        mech_add_joint(b,
                       mech_joint(b, "small", BR_JOINT_REVOLUTE, "rod", "piston", br_vec3_of(0.8, 0, 0), z));
        mech_add_joint(
            b, mech_joint(b, "rail", BR_JOINT_PRISMATIC, BR_WORLD, "piston", br_vec3_of(0.8, 0, 0), x));
        mech_add_drive(b, mech_drive("motor", BR_DRIVE_POSITION, "main", mech_expression("t")));
        mechanism m = mech_finish(b);
        assert_fails(&m, 600, "loop-open", "cannot be closed");
        assert_near(br_sim_time(m.sim), asin(0.6), 0.02);
        mechanism_free(&m);
    }
}

static void a_prescribed_motion_past_a_limit(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
        br_builder *b = mech_builder(&s);
        mech_limits(b);
        mech_add_drive(b, mech_drive("turn", BR_DRIVE_POSITION, "shoulder", mech_expression("2*t")));
        mechanism m = mech_finish(b);
        assert_fails(&m, 400, "bounded-rows", "limit");
        assert_near(br_sim_time(m.sim), 0.35, 0.01);
        mechanism_free(&m);
    }
}

static void contradictory_drives(void **state) {
    (void)state;
    for (int ci = 0; ci < 2; ci++) {
        br_settings s = mech_settings(1, both[ci], 2e-3);
        s.planar = BR_PLANAR_XY;
        br_builder *b = mech_builder(&s);
        mech_four_bar(b);
        mech_add_drive(b, mech_drive("one", BR_DRIVE_VELOCITY, "A", br_function_constant(1)));
        mech_add_drive(b, mech_drive("two", BR_DRIVE_VELOCITY, "D", br_function_constant(1)));
        br_model *model = mech_model(b);
        br_sim *sim = NULL;
        br_error error = {0};
        assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_NUMERICAL);
        assert_string_equal(error.code, "velocities-contradict");
        assert_null(sim);
        br_model_destroy(model);
    }
}

// They agree at the start, where both are zero, and never again.
static void drives_that_come_to_contradict(void **state) {
    (void)state;
    EACH_SETTING {
        br_settings s = mech_settings(thetas[ti], both[ci], 2e-3);
        s.planar = BR_PLANAR_XY;
        br_builder *b = mech_builder(&s);
        mech_four_bar(b);
        mech_add_drive(b, mech_drive("one", BR_DRIVE_VELOCITY, "A", mech_expression("t")));
        mech_add_drive(b, mech_drive("two", BR_DRIVE_VELOCITY, "D", mech_expression("2*t")));
        mechanism m = mech_finish(b);
        assert_fails(&m, 5, "velocities-contradict", "drives");
        mechanism_free(&m);
    }
}

static void forces_beyond_the_range_of_doubles(void **state) {
    (void)state;
    EACH_SETTING {
        const br_settings s = mech_settings(thetas[ti], both[ci], 1e-2);
        br_builder *b = mech_builder(&s);
        mech_add_body(b, mech_body("stone", 1, 0, 0, 0));
        br_load_def pull = mech_load("pull", BR_LOAD_FORCE, "stone", NULL);
        pull.component[0] = mech_expression("10^(300*t)");
        mech_add_load(b, pull);
        mechanism m = mech_finish(b);
        assert_fails(&m, 200, "step-diverged", "energy");
        mechanism_free(&m);
    }
}

// --- a step that failed leaves no trace -----------------------------------------------------------------------

typedef struct saboteur {
    int armed;
    int effort; // else a wrench
    double value;
} saboteur;

static void sabotage(void *context, const br_force_view *view, br_wrench *wrench, double *effort) {
    const saboteur *s = context;
    effort[0] = 0.1 * sin(view->t);
    if (!s->armed) return;
    if (s->effort)
        effort[0] = s->value;
    else
        wrench[0].force = br_vec3_of(s->value, s->value, s->value);
}

static void failed_steps_leave_no_trace(void **state) {
    (void)state;
    static const double values[] = {NAN, INFINITY, 1e306, 1e200};
    for (int kind = 0; kind < MECHANISMS; kind++) EACH_SETTING {
            mechanism good = mechanism_make((mechanism_kind)kind, thetas[ti], both[ci], 2e-3);
            mechanism bad = {good.model, mech_sim(good.model)};
            saboteur quiet = {0, 0, 0}, loud = {0, 0, 0};
            int failures = 0;
            br_sim_set_force(good.sim, sabotage, &quiet);
            br_sim_set_force(bad.sim, sabotage, &loud);
            for (int k = 0; k < 120; k++) {
                br_error error = {0};
                mechanism_steps(&good, 1);
                void *before = saved(bad.sim);
                loud.armed = 1, loud.effort = k / 4 & 1, loud.value = values[k % 4];
                if (br_sim_step(bad.sim, &error) == BR_OK) {
                    if (!is_finite(bad.sim))
                        fail_msg("%s, theta %g, %d: a force of %g gives ok and a state that is not finite",
                                 mechanism_name[kind], thetas[ti], ci, loud.value);
                    br_error unused;
                    mech_check(br_sim_load(bad.sim, before, br_sim_snapshot_size(bad.sim), &unused), &unused);
                } else {
                    assert_non_null(error.code);
                    failures++;
                }
                loud.armed = 0;
                mechanism_steps(&bad, 1);
                void *a = saved(good.sim), *b = saved(bad.sim);
                if (memcmp(a, b, br_sim_snapshot_size(good.sim)) != 0)
                    fail_msg("%s, theta %g, %s, step %d: a step that failed (%s, force %g) left a trace",
                             mechanism_name[kind], thetas[ti], ci ? "absolute" : "reduced", k,
                             error.code ? error.code : "none", loud.value);
                free(a);
                free(b);
                free(before);
            }
            assert_true(failures >= 60); // NaN and infinity always
            br_sim_destroy(bad.sim);
            mechanism_free(&good);
        }
}

// --- random models --------------------------------------------------------------------------------------------

enum { MOST = 7 };

static const char *const names[] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6"};
static const char *const joints[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6"};

static double log_uniform(rng *r, double low, double high) {
    return exp(rng_uniform(r, log(low), log(high)));
}

static br_joint_type some_kind(rng *r) {
    static const br_joint_type kinds[] = {BR_JOINT_REVOLUTE,  BR_JOINT_REVOLUTE,  BR_JOINT_REVOLUTE,
                                          BR_JOINT_PRISMATIC, BR_JOINT_SCREW,     BR_JOINT_CYLINDRICAL,
                                          BR_JOINT_UNIVERSAL, BR_JOINT_SPHERICAL, BR_JOINT_PLANAR,
                                          BR_JOINT_FREE,      BR_JOINT_WELD};
    return kinds[rng_below(r, 11)];
}

static void random_joint_extras(rng *r, br_joint_def *j, double inertia) {
    const int nv = br_joint_type_velocities(j->type);
    const int angles = br_joint_type_positions(j->type) == nv; // no quaternion
    j->pitch = 0.3;
    for (int k = 0; k < nv; k++) {
        if (rng_below(r, 4) == 0) j->damping[k] = log_uniform(r, 1e-3, 1e6) * inertia;
        if (rng_below(r, 4) == 0 && angles) j->stiffness[k] = log_uniform(r, 1e-2, 1e12) * inertia;
        if (rng_below(r, 5) == 0 && angles)
            j->lower[k] = -rng_uniform(r, 0, 1), j->upper[k] = rng_uniform(r, 0, 1);
        j->velocity[k] = rng_uniform(r, -3, 3);
    }
    j->has_velocity = nv > 0;
}

// Sane springs start at rest; others begin with more energy than any machine has.
static void random_load(rng *r, br_builder *b, int body, double mass, int sane, int k) {
    static const char *const loads[] = {"l0", "l1", "l2"};
    static const char *const force[] = {"5*sin(30*t)", "0.5", "1/(0.2 - t)", "exp(20*t)", "sqrt(0.05 - t)"};
    br_load_def l = mech_load(loads[k], (br_load_type)rng_below(r, 4), names[body], BR_WORLD);
    br_pose X_WB;
    if (l.type == BR_LOAD_FORCE || l.type == BR_LOAD_TORQUE) l.second = NULL;
    br_builder_pose(b, names[body], &X_WB);
    l.X_A = rng_pose(r, 0.3);
    l.X_B = rng_pose(r, 0.5);
    if (sane && l.type == BR_LOAD_BUSHING) l.X_B = br_pose_mul(X_WB, l.X_A);
    l.component[rng_below(r, 3)] = mech_expression(force[rng_below(r, sane ? 2 : 5)]);
    for (int i = 0; i < 6; i++) {
        l.stiffness[i] = log_uniform(r, 1e-2, sane ? 1e5 : 1e10) * mass;
        l.damping[i] = rng_below(r, 2) ? log_uniform(r, 1e-2, 1e4) * mass : 0;
    }
    l.length = sane || rng_below(r, 2) ? -1 : rng_uniform(r, 0, 1);
    mech_add_load(b, l);
}

static void random_drive(rng *r, br_builder *b, int joint) {
    br_drive_def d =
        mech_drive("drive", (br_drive_type)rng_below(r, 4), joints[joint], mech_expression("sin(5*t)"));
    d.stiffness = log_uniform(r, 1, 1e8);
    d.damping = log_uniform(r, 1e-2, 1e4);
    if (d.type == BR_DRIVE_VELOCITY || d.type == BR_DRIVE_SERVO)
        d.max_effort = rng_below(r, 2) ? INFINITY : log_uniform(r, 1e-2, 1e3);
    mech_add_drive(b, d);
}

// spread: the largest ratio of masses; sane models have masses alike, springs that start at rest, no drive against a
// limit. NULL when the builder or the compiler refuses the model.
static br_model *random_model(uint64_t seed, double spread) {
    const int sane = spread < 1e3;
    rng r = {seed};
    const int bodies = 1 + rng_below(&r, MOST), loops = rng_below(&r, 3) ? 0 : 1;
    br_settings s =
        mech_settings(thetas[rng_below(&r, 2)], both[rng_below(&r, 2)], log_uniform(&r, 1e-6, 1e-2));
    br_builder *b = mech_builder(&s);
    br_error error = {0};
    double mass[MOST];
    int limited[MOST];
    for (int k = 0; k < bodies; k++) {
        mass[k] = log_uniform(&r, 1 / sqrt(spread), sqrt(spread));
        br_body_def body = mech_body(names[k], mass[k], 0, 0, 0);
        body.com = rng_vec3(&r, 0.2);
        body.pose = rng_pose(&r, 1);
        mech_add_body(b, body);
        br_joint_def j = mech_joint(b, joints[k], some_kind(&r), k ? names[rng_below(&r, k)] : BR_WORLD,
                                    names[k], rng_vec3(&r, 1), rng_direction(&r));
        random_joint_extras(&r, &j, 0.02 * mass[k]);
        limited[k] = isfinite(j.lower[0]);
        mech_add_joint(b, j);
    }
    if (loops && bodies > 1) {
        br_joint_def j = mech_joint(b, "loop", some_kind(&r), BR_WORLD, names[bodies - 1], rng_vec3(&r, 1),
                                    rng_direction(&r));
        random_joint_extras(&r, &j, 0.02 * mass[bodies - 1]);
        j.has_velocity = 0;
        j.closes_loop = 1;
        mech_add_joint(b, j);
    }
    for (int k = 0; k < 3; k++) {
        const int on = rng_below(&r, bodies);
        if (rng_below(&r, 2)) random_load(&r, b, on, mass[on], sane, k);
    }
    const int driven = rng_below(&r, 3 * bodies);
    if (driven < bodies && !(sane && limited[driven])) random_drive(&r, b, driven);
    br_model *model = NULL;
    if (br_model_create(b, &model, &error) != BR_OK) model = NULL;
    br_builder_destroy(b);
    return model;
}

static void run_random(uint64_t seed, double spread, int steps, int *ran, int *failed, int verbose) {
    br_error error = {0};
    br_sim *sim = NULL;
    br_model *model = random_model(seed, spread);
    if (!model) return;
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) {
        assert_non_null(error.code);
        br_model_destroy(model);
        return;
    }
    ++*ran;
    void *before = saved(sim), *after = saved(sim);
    for (int k = 0; k < steps; k++) {
        br_sim_save(sim, before);
        const br_status status = br_sim_step(sim, &error);
        if (status == BR_OK) {
            if (!is_finite(sim))
                fail_msg("model %llu, step %d: ok, and not finite", (unsigned long long)seed, k);
            continue;
        }
        ++*failed;
        assert_int_equal(status, BR_NUMERICAL);
        assert_non_null(error.code);
        br_sim_save(sim, after);
        if (memcmp(before, after, br_sim_snapshot_size(sim)) != 0)
            fail_msg("model %llu, step %d: %s, and another state", (unsigned long long)seed, k, error.code);
        if (verbose)
            print_message("model %llu, step %d of %g s: %s (%s)\n", (unsigned long long)seed, k,
                          br_model_settings(model)->solver.step, error.message, error.code);
        break;
    }
    free(before);
    free(after);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// Sane ones must run: what makes them fail is a fault of the stepper. (Second-order steps may gain energy from bushings
// that are 1e8 times stiffer in one direction than in another and swing far within a step; none is among these.)
static void sane_random_models_run(void **state) {
    (void)state;
    int ran = 0, failed = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) run_random(seed, 1, 300, &ran, &failed, 1);
    assert_true(ran > 130);
    assert_int_equal(failed, 0);
}

static void random_models_end_finite_or_named(void **state) {
    (void)state;
    static const double spreads[] = {1e6, 1e18};
    for (int s = 0; s < 2; s++) {
        int ran = 0, failed = 0;
        for (uint64_t seed = 1; seed <= 150; seed++)
            run_random(seed + 1000 * (uint64_t)(s + 1), spreads[s], 200, &ran, &failed, 0);
        assert_true(ran > 100);
        assert_true(failed > 10); // some must: their loads become infinite
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_that_becomes_infinite),
        cmocka_unit_test(a_crank_that_the_loop_cannot_follow),
        cmocka_unit_test(a_prescribed_motion_past_a_limit),
        cmocka_unit_test(contradictory_drives),
        cmocka_unit_test(drives_that_come_to_contradict),
        cmocka_unit_test(forces_beyond_the_range_of_doubles),
        cmocka_unit_test(failed_steps_leave_no_trace),
        cmocka_unit_test(sane_random_models_run),
        cmocka_unit_test(random_models_end_finite_or_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
