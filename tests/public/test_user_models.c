// Plain models as users write them, at the settings that they did not choose, held against hand computations: what a run says of
// its energy, its order and its shapes is true. Each was told wrongly once.
#include "bristle/judgement.h"
#include "scene.h"

#define USER_FOLDER BRISTLE_SOURCE_DIR "/tests/data/"

static scene user_open(const char *name, const char *settings) {
    char path[512];
    scene s;
    br_error error = {0};
    snprintf(path, sizeof path, "%s%.200s", USER_FOLDER, name);
    if (scene_try(path, settings, &s, &error) != BR_OK) scene_fail(name, &error);
    return s;
}

static br_judgement user_judge(scene *s) {
    br_judgement j;
    br_sim_judge(s->sim, &j);
    for (int k = 0; k < j.reasons; k++) print_message("  %s\n", j.reason[k].text);
    return j;
}

// --- soft contacts -----------------------------------------------------------------------------------------

static br_ledger soft_ball(double k, double ratio, br_judgement *judgement) {
    char settings[128];
    snprintf(settings, sizeof settings, "params.k=%g;params.ratio=%g", k, ratio);
    scene s = user_open("user_models/soft_ball.yaml", settings);
    scene_advance(&s, 1.0);
    *judgement = user_judge(&s);
    const br_ledger l = br_sim_ledger(s.sim);
    scene_close(&s);
    return l;
}

// 1e6 N/m: three steps a contact, 1e7: one. The bounce that the law asks for is lost, and nothing in the model takes it.
static void a_lost_rebound_is_the_schemes(void **state) {
    (void)state;
    const double stiffness[] = {1e6, 1e7, 1e9};
    for (int i = 0; i < 3; i++) {
        br_judgement j;
        const br_ledger l = soft_ball(stiffness[i], 0.0, &j);
        assert_true(fabs(l.impact) + fabs(l.damping) < 1e-9);
        assert_true(l.scheme > 0.09); // of the 0.0981 J that it fell with
        assert_int_equal(j.credible, BR_NOT_CREDIBLE);
        assert_true(j.lower_orders > 0);
        // The reference stepper has one compliant contact with friction at a time, so that it is no advice.
        assert_null(strstr(j.reason[0].text, "reference"));
    }
}

// 1e4 N/m: 31 steps a contact.
static void a_rebound_that_the_step_follows_is_kept(void **state) {
    (void)state;
    br_judgement j;
    const br_ledger l = soft_ball(1e4, 0.0, &j);
    assert_true(fabs(l.scheme) < 1e-4 * 0.0981); // 2e-5 of it were seen
    assert_int_not_equal(j.credible, BR_NOT_CREDIBLE);
    assert_int_equal(j.lower_orders, 0);
}

// Critically damped: nothing comes back by hand either, so that what a blow loses is the damper's, whatever the step.
static void a_dampers_loss_is_damping(void **state) {
    (void)state;
    const double stiffness[] = {1e4, 1e6, 1e8};
    for (int i = 0; i < 3; i++) {
        br_judgement j;
        const br_ledger l = soft_ball(stiffness[i], 1.0, &j);
        assert_true(l.impact == 0.0);
        assert_true(fabs(l.scheme) < 0.02 * 0.0981);
        assert_int_not_equal(j.credible, BR_NOT_CREDIBLE);
    }
}

// --- loads that jump ---------------------------------------------------------------------------------------

#define ON 0.10035  // s
#define OFF 0.20077 // s

static double cart_error(const char *model, const char *settings, double (*exact)(void)) {
    scene s = user_open(model, settings);
    scene_advance(&s, 0.5);
    const double error = fabs(scene_joint_position(&s, "slide") - exact());
    scene_close(&s);
    return error;
}

static double pushed_exactly(void) {
    const double v = 10.0 * (OFF - ON);
    return 0.5 * v * (OFF - ON) + v * (0.5 - OFF);
}

// x'' = -w^2 (x - target)
static double servo_exactly(void) {
    const double w = 20.0;
    return 0.1 * (1.0 - cos(w * (0.5 - ON))) - 0.04 * (1.0 - cos(w * (0.5 - OFF)));
}

static void a_load_that_jumps_within_a_step_gives_its_impulse(void **state) {
    (void)state;
    const char *const thetas[] = {"solver.theta=0.5", "solver.theta=1"};
    for (int i = 0; i < 2; i++) {
        scene s = user_open("user_models/jumping_load.yaml", thetas[i]);
        scene_advance(&s, 0.5);
        assert_near(scene_joint_velocity(&s, "slide"), 10.0 * (OFF - ON), 1e-12);
        scene_close(&s);
    }
    // A jump moved by half a step would be off by 10 N 0.4 s h/2: 2e-3 m at 1 ms. What is left is of the order h^2.
    assert_true(cart_error("user_models/jumping_load.yaml", "solver.step=1 ms", pushed_exactly) < 3e-6);
    assert_true(cart_error("user_models/jumping_load.yaml", "solver.step=0.25 ms", pushed_exactly) < 3e-7);
    // 1/12 (w h)^2 of the phase w t: 1.3e-4 m at 4 ms; late by half a step it would be 4e-3.
    assert_true(cart_error("user_models/jumping_servo.yaml", "solver.step=4 ms", servo_exactly) < 1e-3);
    assert_true(cart_error("user_models/jumping_servo.yaml", "solver.step=1 ms", servo_exactly) < 7e-5);
}

// --- what rolls --------------------------------------------------------------------------------------------

static double coin_depth(const char *settings) {
    scene s = user_open("user_models/whirling_coin.yaml", settings);
    scene_advance(&s, 3.0);
    const double depth = br_sim_ledger(s.sim).penetration;
    scene_close(&s);
    print_message("coin, %s: %.3g mm deep\n", settings, 1e3 * depth);
    return depth;
}

static void a_whirling_coin_does_not_sink(void **state) {
    (void)state;
    const double coarse = coin_depth("solver.step=2 ms"), fine = coin_depth("solver.step=0.5 ms");
    // It came down 8.5 mm of its 12 mm at 1 ms. The blow of its landing is 0.3 m/s, so 0.3 mm in a step of 1 ms.
    assert_true(coin_depth("solver.step=1 ms") < 5e-4);
    assert_true(fine < 0.5 * coarse);
}

// --- the order that is told --------------------------------------------------------------------------------

static long steps_told(scene *s, const char *word) {
    const br_judgement j = user_judge(s);
    for (int k = 0; k < j.lower_orders; k++)
        if (strstr(j.lower_order[k].why, word)) return j.lower_order[k].steps;
    return 0;
}

static void steps_of_first_order_are_told(void **state) {
    (void)state;
    scene s = user_open("user_models/shaken_table.yaml", "");
    scene_advance(&s, 2.0);
    // By hand: it turns at 0.0831 s and breaks loose at 0.3098, 0.5716, ..., 1.8804 s.
    assert_int_equal(steps_told(&s, "turned"), 8);
    scene_close(&s);
    s = user_open("user_models/shaken_table.yaml", "contact.law=viscous(1 mm/s)");
    scene_advance(&s, 0.1);
    assert_true(steps_told(&s, "gives way") > 90);
    scene_close(&s);
    s = user_open("user_models/presliding.yaml", "");
    scene_advance(&s, 0.1);
    assert_int_equal(steps_told(&s, "gives way"), 100);
    scene_close(&s);
}

// --- friction that gives -----------------------------------------------------------------------------------

// 2.5^2/(2 sigma_0 N) = 32 uJ go into the bristles and come back, four times a period.
static void bristles_may_give_back_what_they_hold(void **state) {
    (void)state;
    const char *const settings[] = {"solver.stepper=contact", "solver.stepper=reference",
                                    "solver.stepper=implicit"};
    const char *const laws[] = {"bristle", "dahl", "lugre"};
    for (int i = 0; i < 9; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s;joints.slide.friction.law=%s", settings[i / 3], laws[i % 3]);
        scene s = user_open("user_models/presliding.yaml", text);
        scene_advance(&s, 0.2);
        assert_int_not_equal(user_judge(&s).credible, BR_NOT_CREDIBLE);
        scene_close(&s);
    }
}

// Without restitution a blow takes energy, but the friction in it, by itself, may give.
static void friction_in_a_blow_may_give(void **state) {
    (void)state;
    const char *const robots[] = {"robots/dropped_iiwa14.yaml", "robots/dropped_anymal_c.yaml"};
    for (int i = 0; i < 2; i++) {
        scene s = user_open(robots[i], "pairs.pad/floor.restitution=0");
        scene_advance(&s, 0.5);
        const br_judgement j = user_judge(&s);
        assert_int_not_equal(j.credible, BR_NOT_CREDIBLE);
        scene_close(&s);
    }
}

// --- Newton's cradle ---------------------------------------------------------------------------------------

// Four equal balls, the first strikes with 1 m/s. With gaps each blow is one of two balls, and the last one takes it all. Where three of
// them touch the law moves them on together, -1/2, 1/2, 1/2, 1/2 m/s: one answer of many, which is said.
static void a_blow_that_several_bodies_share_is_told(void **state) {
    (void)state;
    const double last[] = {1.0, 0.5};
    for (int touching = 0; touching < 2; touching++) {
        scene s = user_open("user_models/cradle.yaml", touching ? "params.gap=0" : "params.gap=0.1 mm");
        scene_advance(&s, 0.2);
        assert_near(scene_read(&s, "d.velocity.x"), last[touching], 1e-9);
        const br_judgement j = user_judge(&s);
        assert_int_equal(j.credible, touching ? BR_CREDIBLE_OPEN : BR_CREDIBLE);
        assert_int_equal(j.reasons, touching);
        if (touching) assert_non_null(strstr(j.reason[0].text, "a~b#0 and b~c#0"));
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_rebound_is_the_schemes),
        cmocka_unit_test(a_rebound_that_the_step_follows_is_kept),
        cmocka_unit_test(a_dampers_loss_is_damping),
        cmocka_unit_test(a_load_that_jumps_within_a_step_gives_its_impulse),
        cmocka_unit_test(a_whirling_coin_does_not_sink),
        cmocka_unit_test(steps_of_first_order_are_told),
        cmocka_unit_test(bristles_may_give_back_what_they_hold),
        cmocka_unit_test(friction_in_a_blow_may_give),
        cmocka_unit_test(a_blow_that_several_bodies_share_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
