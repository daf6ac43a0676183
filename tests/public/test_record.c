// Rows of channels and results of them, from any program: the same numbers as channel by channel, and what `bristle run` says
// of a model, whatever words stand in its text.
#include "bristle/record.h"
#include "counting_allocator.h"
#include "scene.h"
#include "temp_file.h"

// ----------------------------------------------------------------------------------------------------------- rows

// Contacts that come and go, joint friction, loops with reactions, drives and stops, beams, clearances, frames, steps that vary.
static const char *const scenes[] = {
    "contact/box_tips.yaml",    "gallery/resting_shapes.yaml", "friction/door.yaml",
    "friction/screw_jack.yaml", "benchmark/four_bar_2.yaml",   "friction/gripper.yaml",
    "clearance/journal.yaml",   "flexible/swinging_beam.yaml", "papers/peiret_wheel.yaml",
    "gallery/field_ball.yaml",  "flexible/four_bar.yaml",      "gallery/crank_on_floor.yaml",
};

static void rows_are_as_one_by_one(const char *name, scene *by_row, scene *by_one, br_channel_choice choice) {
    br_channels *row = NULL;
    br_error error = {0};
    assert_int_equal(br_channels_choose(by_row->sim, choice, NULL, &row, &error), BR_OK);
    const int count = br_channels_count(row);
    double *values = calloc((size_t)count, sizeof *values);
    assert_string_equal(br_channels_names(row)[0], "t");
    if (br_channels_read(row, by_row->sim, values, &error) != BR_OK) scene_fail(name, &error);
    for (int k = 0; k < count; k++) {
        br_channel c;
        double value;
        const char *channel = br_channels_names(row)[k];
        assert_int_equal(br_sim_channel_find(by_one->sim, channel, &c, &error), BR_OK);
        if (br_sim_channel_read(by_one->sim, &c, &value, &error) != BR_OK) scene_fail(channel, &error);
        assert_string_equal(c.unit, br_channels_unit(row, k));
        if (memcmp(&value, &values[k], sizeof value) != 0)
            fail_msg("%s: %s is %.17g in a row, %.17g alone", name, channel, values[k], value);
    }
    free(values);
    br_channels_destroy(row);
}

static void a_row_has_the_bits_of_its_channels(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene a = scene_open(scenes[i], ""), b = scene_open(scenes[i], "");
        for (int step = 0; step < 4; step++) {
            for (int choice = BR_CHANNELS_ALL; choice <= BR_CHANNELS_OUTPUTS; choice++)
                rows_are_as_one_by_one(scenes[i], &a, &b, (br_channel_choice)choice);
            const double t = 0.01 * (step + 1);
            scene_advance(&a, t);
            scene_advance(&b, t);
        }
        scene_close(&a);
        scene_close(&b);
    }
}

// ------------------------------------------------------------------------------------------------------- choosing

// A body, a frame and a joint may have any names: what a channel is of is not told by its name.
static const char awkward[] =
    "format: 1\n"
    "# a profile of files to import: a word in a comment names no file\n"
    "bodies:\n"
    "  energy: {mass: 1 kg, inertia: [1, 1, 1], frames: {reaction: {position: [1, 0, 0]}}}\n"
    "joints: {position: {revolute: [world, energy], axis: x}}\n"
    "run: {until: 20 ms, output: 10 ms}\n";

static scene awkward_scene(br_builder **builder) {
    scene s = {0};
    br_error error = {0};
    if (br_model_read_text(awkward, sizeof awkward - 1, "awkward", NULL, 0, NULL, &s.model, builder,
                           &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail("awkward", &error);
    return s;
}

static int has(const br_channels *list, const char *name) {
    for (int k = 0; k < br_channels_count(list); k++)
        if (strcmp(br_channels_names(list)[k], name) == 0) return 1;
    return 0;
}

static void choices_go_by_what_a_channel_is_of(void **state) {
    (void)state;
    br_channels *motion = NULL, *bodies = NULL;
    br_error error = {0};
    scene s = awkward_scene(NULL);
    assert_int_equal(br_channels_choose(s.sim, BR_CHANNELS_MOTION, NULL, &motion, &error), BR_OK);
    assert_int_equal(br_channels_choose(s.sim, BR_CHANNELS_BODIES, NULL, &bodies, &error), BR_OK);
    assert_true(has(motion, "energy.position.x") && has(motion, "energy.reaction.position.x"));
    assert_true(has(motion, "position.position") && !has(motion, "position.reaction.force.x"));
    assert_true(!has(motion, "energy.total") && !has(motion, "energy.acceleration.x"));
    assert_true(has(bodies, "energy.total") && has(bodies, "ledger.loop_error"));
    assert_true(has(bodies, "energy.velocity.z") && !has(bodies, "position.position"));
    br_channels_destroy(motion);
    br_channels_destroy(bodies);
    scene_close(&s);
}

static void names_that_are_none_are_told_with_the_nearest(void **state) {
    (void)state;
    const char *const names[] = {"energy.total", "position.positon"};
    br_channels *list = NULL;
    br_error error = {0};
    scene s = awkward_scene(NULL);
    assert_int_equal(br_channels_named(s.sim, names, 2, NULL, &list, &error), BR_INVALID);
    assert_null(list);
    assert_non_null(strstr(error.message, "did you mean position.position?"));
    assert_int_equal(br_channels_named(s.sim, names, 1, NULL, &list, &error), BR_OK);
    assert_int_equal(br_channels_count(list), 2);
    assert_string_equal(br_channels_names(list)[0], "t");
    br_channels_destroy(list);
    scene_close(&s);
}

// -------------------------------------------------------------------------------------------------------- results

static void record(scene *s, const br_record_options *options, const char *path) {
    br_recorder *recorder = NULL;
    br_error error = {0};
    if (br_recorder_create(s->sim, path, options, NULL, &recorder, &error) != BR_OK)
        scene_fail("create", &error);
    br_sim_set_event(s->sim, br_recorder_event, recorder);
    if (br_recorder_run(recorder, &error) != BR_OK) scene_fail("run", &error);
    if (br_recorder_finish(recorder, BR_RESULT_COMPLETE, 0.5, NULL, &error) != BR_OK)
        scene_fail("finish", &error);
    br_sim_set_event(s->sim, NULL, NULL);
}

static void a_recorded_run_is_read_back(void **state) {
    (void)state;
    br_result *result = NULL;
    br_result_item item;
    br_error error = {0};
    int rows = 0, contacts = 0;
    scene s = scene_open("contact/box_tips.yaml", "run.until=35 ms;run.output=10 ms");
    record(&s, NULL, temp_path("box.result"));
    assert_int_equal(br_result_open(temp_path("box.result"), NULL, &result, &error), BR_OK);
    const br_result_header *h = br_result_about(result);
    assert_int_equal(h->channel_count, br_sim_channel_count(s.sim) + 4); // box~*.force.normal, .x, .y, .z
    assert_true(h->model_hash == br_model_hash(s.model) && h->model_size == 0);
    do {
        assert_int_equal(br_result_next(result, &item, &error), BR_OK);
        rows += item.kind == BR_RESULT_ROW;
        contacts += item.kind == BR_RESULT_CONTACTS;
        static const double times[] = {0.0, 0.01, 0.02, 0.03, 0.035};
        if (item.kind == BR_RESULT_ROW) assert_true(item.row[0] == times[rows - 1]);
    } while (item.kind != BR_RESULT_END);
    assert_int_equal(rows, 5);
    assert_true(contacts > 0 && item.end.outcome == BR_RESULT_COMPLETE && item.end.seconds == 0.5);
    assert_true(item.end.t == br_sim_time(s.sim) && item.end.ledger.steps == br_sim_ledger(s.sim).steps);
    assert_non_null(item.end.judgement);
    br_result_close(result);
    scene_close(&s);
}

// The model goes into a result a second time where its own text is not all of it, and only there.
static void assert_written_twice(const char *path, int twice) {
    br_result *result = NULL;
    br_error error = {0};
    assert_int_equal(br_result_open(path, NULL, &result, &error), BR_OK);
    const br_result_header *h = br_result_about(result);
    assert_int_equal(h->model_native != NULL && h->model_native[0] != '\0', twice);
    br_result_close(result);
}

static void a_word_in_a_text_names_no_file(void **state) {
    (void)state;
    br_builder *builder = NULL;
    scene s = awkward_scene(&builder);
    br_record_options options = br_default_record_options(s.sim);
    options.builder = builder;
    options.model_text = awkward;
    options.model_size = sizeof awkward - 1;
    record(&s, &options, temp_path("awkward.result"));
    assert_written_twice(temp_path("awkward.result"), 0);
    options.model_text = NULL; // the text is gone: then the definitions are all there is
    record(&s, &options, temp_path("awkward.result"));
    assert_written_twice(temp_path("awkward.result"), 1);
    br_builder_destroy(builder);
    scene_close(&s);
}

static void a_model_of_other_files_is_written_into_its_result(void **state) {
    (void)state;
    static const char *const models[] = {BRISTLE_SOURCE_DIR "/tests/data/robots/dropped_ur5e.yaml",
                                         BRISTLE_SOURCE_DIR "/tests/data/robots/features/features.xml"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        br_error error = {0};
        br_builder *builder = NULL;
        scene s = {0};
        if (br_model_read(models[k], NULL, 0, NULL, &s.model, &builder, &error) != BR_OK ||
            br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
            scene_fail(models[k], &error);
        br_record_options options = br_default_record_options(s.sim);
        options.builder = builder;
        options.model_path = models[k];
        options.until = 0;
        record(&s, &options, temp_path("other.result"));
        assert_written_twice(temp_path("other.result"), 1);
        br_builder_destroy(builder);
        scene_close(&s);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_recorder *recorder = NULL;
        br_error error = {0};
        scene s = scene_open("contact/box_tips.yaml", "run.until=2 ms");
        const char *path = temp_path("fails.result");
        br_status status = br_recorder_create(s.sim, path, NULL, &allocator, &recorder, &error);
        if (status == BR_OK) {
            status = br_recorder_run(recorder, &error);
            assert_int_equal(br_recorder_finish(recorder, BR_RESULT_FAILED, 0, NULL, &error), BR_OK);
        }
        scene_close(&s);
        assert_int_equal(counter.live, 0);
        assert_int_equal(status, counter.failed ? BR_NO_MEMORY : BR_OK);
        if (!counter.failed) break;
        assert_true(k < 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_the_bits_of_its_channels),
        cmocka_unit_test(choices_go_by_what_a_channel_is_of),
        cmocka_unit_test(names_that_are_none_are_told_with_the_nearest),
        cmocka_unit_test(a_recorded_run_is_read_back),
        cmocka_unit_test(a_word_in_a_text_names_no_file),
        cmocka_unit_test(a_model_of_other_files_is_written_into_its_result),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
