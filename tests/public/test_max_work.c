// What a step of a loop may cost: solver.max_work.
#include "bristle/judgement.h"
#include "scene.h"

#define SCENE "gallery/pick_and_place.yaml"
#define STEPS 3400 // three landings of the cube

static void command(scene *s, const char *drive, double value) {
    br_error error = {0};
    if (br_sim_set_control(s->sim, drive, value, &error) != BR_OK) scene_fail(drive, &error);
}

// The cube is gripped with 6 N, lifted by 40 mm and put down again, once a second, as in bench/loop_bench.c. Returns the Newton steps of
// the dearest step.
static long lift_and_lower(scene *s, int steps) {
    br_error error = {0};
    long most = 0;
    for (int k = 0; k < steps; k++) {
        const double t = 1e-3 * k, lift = t < 0.2 ? 0.0 : 0.02 * (1.0 - cos(6.283185307179586 * (t - 0.2)));
        command(s, "grip_l", 6.0);
        command(s, "grip_r", 6.0);
        if (k % 10 == 0) command(s, "raise", lift);
        const long before = br_sim_ledger(s->sim).iterations;
        if (br_sim_step(s->sim, &error) != BR_OK) scene_fail("step", &error);
        const long took = br_sim_ledger(s->sim).iterations - before;
        most = took > most ? took : most;
    }
    return most;
}

static int has_reason(const scene *s, br_judgement *out, br_reason *found) {
    br_sim_judge(s->sim, out);
    for (int k = 0; k < out->reasons; k++)
        if (out->reason[k].what == BR_REASON_ERROR) {
            *found = out->reason[k];
            return 1;
        }
    return 0;
}

// 1e-9 m: residuals of 1e-8 of a load whose impulses change velocities by 1e-2 m/s a step.
static void six_newton_steps_a_step_are_enough_to_lift_and_lower(void **state) {
    (void)state;
    scene bound = scene_open(SCENE, "solver.max_work=6"), open = scene_open(SCENE, "");
    br_judgement judgement;
    br_reason reason;
    assert_true(lift_and_lower(&bound, STEPS) <= 6);
    lift_and_lower(&open, STEPS);
    assert_true(br_sim_ledger(bound.sim).residual < 1e-7);
    assert_near(scene_read(&bound, "cube.position.z"), scene_read(&open, "cube.position.z"), 1e-9);
    if (has_reason(&bound, &judgement, &reason)) assert_int_equal(reason.fails, 0);
    scene_close(&bound);
    scene_close(&open);
}

// Each further solve of a step may take one where the first has used up what is allowed; of bodies that tumble there are up to four.
static void what_two_newton_steps_leave_is_told_and_is_not_credible(void **state) {
    (void)state;
    scene s = scene_open(SCENE, "solver.max_work=2"), again = scene_open(SCENE, "solver.max_work=2");
    br_judgement judgement;
    br_reason reason;
    assert_true(lift_and_lower(&s, 1400) <= 2 + 4);
    assert_true(has_reason(&s, &judgement, &reason));
    assert_non_null(strstr(reason.text, "solver.max_work: 2 ended the contact problem of "));
    assert_true(reason.fails && reason.value > reason.limit);
    assert_int_equal(judgement.credible, BR_NOT_CREDIBLE);
    assert_near(reason.value, br_sim_ledger(s.sim).residual, 0.0);
    // The books are those of the forces that were taken, so they close all the same. 1e-9 J of 10 J.
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.input,
                l.now.total - l.start.total + l.friction + l.impact + l.damping + l.scheme + l.unaccounted,
                1e-9);
    lift_and_lower(&again, 1400);
    const double a = scene_read(&s, "cube.position.z"), b = scene_read(&again, "cube.position.z");
    assert_memory_equal(&a, &b, sizeof a);
    scene_close(&s);
    scene_close(&again);
}

static void it_goes_on_from_a_snapshot_with_the_same_bits(void **state) {
    (void)state;
    scene s = scene_open(SCENE, "solver.max_work=3"), other = scene_open(SCENE, "solver.max_work=3");
    br_error error = {0};
    lift_and_lower(&s, 1150);
    const size_t size = br_sim_snapshot_size(s.sim);
    void *bytes = malloc(size);
    br_sim_save(s.sim, bytes);
    assert_int_equal(br_sim_load(other.sim, bytes, size, &error), BR_OK);
    free(bytes);
    scene_advance(&s, 1.25);
    scene_advance(&other, 1.25);
    br_judgement a, b;
    br_reason from_a = {0}, from_b = {0};
    assert_true(has_reason(&s, &a, &from_a) && has_reason(&other, &b, &from_b));
    assert_string_equal(from_a.text, from_b.text);
    const double x = scene_read(&s, "cube.position.z"), y = scene_read(&other, "cube.position.z");
    assert_memory_equal(&x, &y, sizeof x);
    scene_close(&s);
    scene_close(&other);
}

static void where_it_bounds_nothing_it_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "solver.max_work=6;solver.method=newton", "solver.max_work=6;solver.stepper=implicit",
        "solver.max_work=6;solver.stepper=reference", "solver.max_work=-1", "solver.max_work=2.5"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        scene s = {NULL, NULL};
        br_error error = {0};
        br_status status = scene_try(SCENE_FOLDER SCENE, bad[k], &s, &error);
        if (status == BR_OK) status = br_model_runnable(s.model, &error);
        assert_int_not_equal(status, BR_OK);
        assert_non_null(strstr(error.message, "max_work"));
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_newton_steps_a_step_are_enough_to_lift_and_lower),
        cmocka_unit_test(what_two_newton_steps_leave_is_told_and_is_not_credible),
        cmocka_unit_test(it_goes_on_from_a_snapshot_with_the_same_bits),
        cmocka_unit_test(where_it_bounds_nothing_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
