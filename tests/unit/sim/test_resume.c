// A snapshot goes on with the same bits: what was saved at the end of a step and loaded by a fresh simulation of the same model moves
// on as the one that it was saved from, in every channel, event, line of the ledger and word of the judgement, and ends in the
// same bytes. Scenes with contacts, bristles, joint friction with states of its own, beams, clearances, adaptive steps, robots.
//
// The reference stepper is left out: the history of its integrator is not part of the state.
#include "bristle/judgement.h"
#include "scene.h"

enum { STEPS = 48, SAVES = 3 };

static const int save_at[SAVES] = {1, 13, 30};

typedef struct trace {
    br_channels *channels;
    int count;
    double *rows; // [STEPS + 1][count]
    br_ledger ledger[STEPS + 1];
    uint64_t events[STEPS + 1];
    char words[STEPS + 1][160];
    uint64_t heard; // of all events so far
} trace;

static void hear(void *context, const br_event *event) {
    trace *t = context;
    char line[BR_MAX_EVENT_NAME + 80];
    const int length = snprintf(line, sizeof line, "%.17g %d %s %.17g", event->t, (int)event->kind,
                                event->name, event->value);
    for (int k = 0; k < length; k++) t->heard = (t->heard ^ (unsigned char)line[k]) * UINT64_C(1099511628211);
}

static void note(trace *t, br_sim *sim, int step) {
    br_error error = {0};
    br_judgement judged;
    if (br_channels_read(t->channels, sim, t->rows + (size_t)step * (size_t)t->count, &error) != BR_OK)
        scene_fail("channels", &error);
    br_sim_judge(sim, &judged);
    const br_step_info info = br_sim_step_info(sim);
    t->ledger[step] = br_sim_ledger(sim);
    t->events[step] = t->heard;
    snprintf(t->words[step], sizeof t->words[step], "%d %d %.17g %.17g %d %.17g %.17g %ld %.20s",
             (int)judged.credible, judged.reasons, judged.gain, judged.loss, judged.lower_orders,
             info.smallest, info.largest, info.rejected, info.limit);
}

static trace trace_of(const br_sim *sim) {
    trace t = {0};
    br_error error = {0};
    if (br_channels_choose(sim, BR_CHANNELS_ALL, NULL, &t.channels, &error) != BR_OK)
        scene_fail("channels", &error);
    t.count = br_channels_count(t.channels);
    t.rows = calloc((size_t)(STEPS + 1) * (size_t)t.count, sizeof *t.rows);
    assert_non_null(t.rows);
    return t;
}

static void trace_free(trace *t) {
    br_channels_destroy(t->channels);
    free(t->rows);
}

static void assert_same(const char *what, const trace *a, const trace *b, int saved, int step) {
    const double *x = a->rows + (size_t)step * (size_t)a->count,
                 *y = b->rows + (size_t)step * (size_t)a->count;
    for (int k = 0; k < a->count; k++)
        if (memcmp(&x[k], &y[k], sizeof *x) != 0)
            fail_msg("%s, saved after %d steps, step %d: %s is %.17g and %.17g", what, saved, step,
                     br_channels_names(a->channels)[k], x[k], y[k]);
    if (memcmp(&a->ledger[step], &b->ledger[step], sizeof a->ledger[step]) != 0)
        fail_msg("%s, saved after %d steps, step %d: the ledgers differ", what, saved, step);
    if (a->events[step] != b->events[step])
        fail_msg("%s, saved after %d steps, step %d: the events differ", what, saved, step);
    if (strcmp(a->words[step], b->words[step]) != 0)
        fail_msg("%s, saved after %d steps, step %d: %s and %s", what, saved, step, a->words[step],
                 b->words[step]);
}

typedef struct bits {
    size_t size;
    unsigned char *bytes;
} bits;

static bits save(const br_sim *sim) {
    bits b = {br_sim_snapshot_size(sim), NULL};
    b.bytes = malloc(b.size);
    assert_non_null(b.bytes);
    br_sim_save(sim, b.bytes);
    return b;
}

// From a snapshot to as many steps as the first run took.
static void resume(const char *what, const scene *s, const trace *first, int saved, bits from, int steps,
                   bits end) {
    br_error error = {0};
    br_sim *sim = NULL;
    if (br_sim_create(s->model, NULL, &sim, &error) != BR_OK) scene_fail(what, &error);
    trace t = trace_of(sim);
    t.heard = first->events[saved];
    br_sim_set_event(sim, hear, &t);
    if (br_sim_load(sim, from.bytes, from.size, &error) != BR_OK) scene_fail(what, &error);
    for (int k = saved + 1; k <= steps; k++) {
        if (br_sim_step(sim, &error) != BR_OK) scene_fail(what, &error);
        note(&t, sim, k);
        assert_same(what, first, &t, saved, k);
    }
    const bits last = save(sim);
    if (last.size != end.size || memcmp(last.bytes, end.bytes, end.size) != 0)
        fail_msg("%s, saved after %d steps: the states at the end differ", what, saved);
    assert_true(br_sim_hash(sim) == br_sim_hash(s->sim));
    free(last.bytes);
    trace_free(&t);
    br_sim_destroy(sim);
}

// Steps taken; 0: the stepper does not take the scene.
static int check(const char *path, const char *settings) {
    char file[512], what[600];
    br_error error = {0};
    scene s;
    snprintf(file, sizeof file, "%s%s", SCENE_FOLDER, path);
    snprintf(what, sizeof what, "%s %s", path, settings);
    if (scene_try(file, settings, &s, &error) != BR_OK) {
        scene_close(&s);
        return 0;
    }
    trace t = trace_of(s.sim);
    bits kept[SAVES] = {{0, NULL}};
    int steps = 0;
    br_sim_set_event(s.sim, hear, &t);
    for (; steps < STEPS && br_sim_step(s.sim, &error) == BR_OK; steps++) {
        note(&t, s.sim, steps + 1);
        for (int k = 0; k < SAVES; k++)
            if (save_at[k] == steps + 1) kept[k] = save(s.sim);
    }
    bits end = save(s.sim);
    for (int k = 0; k < SAVES && steps == STEPS; k++) resume(what, &s, &t, save_at[k], kept[k], steps, end);
    for (int k = 0; k < SAVES; k++) free(kept[k].bytes);
    free(end.bytes);
    trace_free(&t);
    scene_close(&s);
    return steps;
}

static void check_all(const char *const *path, int count, const char *settings, int least) {
    int taken = 0;
    for (int k = 0; k < count; k++) taken += check(path[k], settings) == STEPS;
    if (taken < least) fail_msg("%s: only %d of %d scenes were run", settings, taken, count);
}

static void contact_goes_on(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "gallery/dominoes.yaml",
        "gallery/chain.yaml",
        "gallery/gripper.yaml",
        "gallery/rattleback.yaml",
        "gallery/soft_ball.yaml",
        "gallery/crank_on_floor.yaml",
        "contact/belt.yaml",
        "contact/four_bar_foot.yaml",
        "contact/bouncing_ball.yaml",
        "contact/box_tips.yaml",
        "templates/two_sliders.yaml",
        "templates/robot_arm.yaml",
        "templates/four_bar.yaml",
        "templates/door.yaml",
        "friction/drawer.yaml",
        "robots/h1.yaml",
        "robots/panda.yaml",
        "benchmark/bricard.yaml",
        "benchmark/four_bar_40.yaml",
        "papers/wojtyra_example_4.yaml",
        "adams/tran_spring_cb_03.yaml",
    };
    const int count = sizeof scenes / sizeof *scenes;
    check_all(scenes, count, "solver.stepper=contact", count - 3);
    check_all(scenes, count, "solver.stepper=contact;solver.theta=0.5", count - 3);
}

static void implicit_goes_on(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "flexible/four_bar.yaml",      "flexible/swinging_beam.yaml",
        "flexible/rope.yaml",          "flexible/free_beam.yaml",
        "gallery/gripper.yaml",        "gallery/soft_ball.yaml",
        "gallery/crank_on_floor.yaml", "contact/bouncing_ball.yaml",
        "contact/box_tips.yaml",       "papers/wojtyra_example_4.yaml",
        "benchmark/andrews.yaml",      "templates/four_bar.yaml",
        "robots/panda.yaml",           "adams/tran_spring_cb_03.yaml",
        "friction/drawer.yaml",
    };
    const int count = sizeof scenes / sizeof *scenes;
    check_all(scenes, count, "solver.stepper=implicit;solver.scheme=alpha", 6);
    check_all(scenes, count, "solver.stepper=implicit;solver.scheme=energy_decaying", 6);
    check_all(scenes, count, "solver.stepper=implicit;solver.adaptive.tolerance=1e-6", 6);
}

static void kinematic_goes_on(void **state) {
    (void)state;
    static const char *const scenes[] = {"templates/four_bar.yaml", "templates/slider_crank.yaml",
                                         "templates/gears.yaml", "benchmark/four_bar_2.yaml"};
    check_all(scenes, sizeof scenes / sizeof *scenes, "solver.stepper=kinematic", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_goes_on),
        cmocka_unit_test(implicit_goes_on),
        cmocka_unit_test(kinematic_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
