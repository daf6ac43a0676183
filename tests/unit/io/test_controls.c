// controls: FILE.csv, targets of drives from a table beside the model.
#include <sys/stat.h>

#include "bristle/io.h"
#include "bristle/record.h"
#include "bristle/sim.h"
#include "temp_file.h"

#define ARM(target, rest)                                                                                    \
    "format: 1\nname: arm\ngravity: [0, 0, 0]\n"                                                             \
    "bodies: {link: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.3, 0, 0]}}, cart: {mass: 2, " \
    "inertia: [0.1, 0.1, 0.1]}}\n"                                                                           \
    "joints: {elbow: {revolute: [world, link], axis: y}, rail: {prismatic: [world, cart], axis: x}}\n"       \
    "drives: {servo: {joint: elbow, servo: {position: " target                                               \
    ", stiffness: 40, damping: 4}}, push: {joint: rail, force: 3}}\n"                                        \
    "solver: {step: 1 ms}\nrun: {until: 1, output: 0.1}\n" rest
#define MOVES "t,servo\n0,0\n0.5,1\n1,0.5\n"

static br_error read_text(const char *text, br_model **model, br_builder **builder) {
    br_error error = {0};
    const br_status status =
        br_model_read(temp_write("model.yaml", text), NULL, 0, NULL, model, builder, &error);
    assert_int_equal(status, error.status);
    if (!error.code) error.code = "";
    return error;
}

static br_model *read_good(const char *text) {
    br_model *model = NULL;
    const br_error error = read_text(text, &model, NULL);
    if (error.status != BR_OK) fail_msg("%s", error.message);
    return model;
}

static uint64_t run_hash(const br_model *model) {
    br_sim *sim = NULL;
    br_error error = {0};
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK || br_sim_advance(sim, 1.0, &error) != BR_OK)
        fail_msg("%s", error.message);
    const uint64_t hash = br_sim_hash(sim);
    br_sim_destroy(sim);
    return hash;
}

// The file says no more and no less than a table in the drive: the same bits, and the same number of the model.
static void a_file_is_a_table_of_the_drive(void **state) {
    (void)state;
    temp_write("moves.csv", MOVES);
    br_model *file = read_good(ARM("7", "controls: moves.csv\n")),
             *own = read_good(ARM("{table: [[0, 0], [0.5, 1], [1, 0.5]]}", ""));
    assert_true(br_model_hash(file) == br_model_hash(own));
    assert_true(run_hash(file) == run_hash(own));
    br_model_destroy(file);
    br_model_destroy(own);
    temp_write("moves.csv", "t,servo\r\n0,0\r\n\r\n 0.5 , 1\r\n1,0.5"); // of another program's making
    file = read_good(ARM("7", "controls: moves.csv\n"));
    own = read_good(ARM("{table: [[0, 0], [0.5, 1], [1, 0.5]]}", ""));
    assert_true(br_model_hash(file) == br_model_hash(own));
    br_model_destroy(file);
    br_model_destroy(own);
}

static void another_value_is_another_model(void **state) {
    (void)state;
    temp_write("moves.csv", MOVES);
    br_model *a = read_good(ARM("0", "controls: moves.csv\n"));
    temp_write("moves.csv", "t,servo\n0,0\n0.5,1\n1,0.25\n");
    br_model *b = read_good(ARM("0", "controls: moves.csv\n"));
    assert_true(br_model_hash(a) != br_model_hash(b));
    br_model_destroy(a);
    br_model_destroy(b);
}

// 2 kg pushed by a force that rises to 4 N in a second and stays: v = 2 t^2 / 2 at 1 s, and 2 m/s more a second later. All of the work
// is input. Second order takes a force that is linear in t exactly.
static void a_force_follows_straight_lines_and_is_input(void **state) {
    (void)state;
    temp_write("moves.csv", "t,push\n0,0\n1,4\n");
    br_model *model = read_good(ARM("0", "controls: moves.csv\n"));
    br_sim *sim = NULL;
    br_error error = {0};
    assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_OK);
    assert_int_equal(br_sim_advance(sim, 1.0, &error), BR_OK);
    assert_near(br_sim_v(sim)[1], 1.0, 1e-12);
    assert_int_equal(br_sim_advance(sim, 2.0, &error), BR_OK);
    assert_near(br_sim_v(sim)[1], 3.0, 1e-12);
    assert_near(br_sim_ledger(sim).input, 0.5 * 2 * 9, 1e-10);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// The table goes with a result: what takes it up again or reruns it does not need the file.
static void a_result_has_the_controls_in_it(void **state) {
    (void)state;
    br_model *model = NULL;
    br_builder *builder = NULL;
    br_sim *sim = NULL;
    br_recorder *recorder = NULL;
    br_result *result = NULL;
    br_error error = {0};
    temp_write("moves.csv", MOVES);
    assert_int_equal(read_text(ARM("7", "controls: moves.csv\n"), &model, &builder).status, BR_OK);
    assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_OK);
    br_record_options options = br_default_record_options(sim);
    options.model_path = temp_path("model.yaml"), options.builder = builder;
    assert_int_equal(br_recorder_create(sim, temp_path("arm.result"), &options, NULL, &recorder, &error),
                     BR_OK);
    assert_int_equal(br_recorder_run(recorder, &error), BR_OK);
    assert_int_equal(br_recorder_finish(recorder, BR_RESULT_COMPLETE, 1, NULL, &error), BR_OK);
    assert_int_equal(br_result_open(temp_path("arm.result"), NULL, &result, &error), BR_OK);
    const char *text = br_result_about(result)->model_native;
    assert_non_null(text);
    br_model *again = NULL;
    assert_int_equal(br_model_read_text(text, strlen(text), "again", NULL, 0, NULL, &again, NULL, &error),
                     BR_OK);
    assert_true(br_model_hash(again) == br_model_hash(model));
    br_model_destroy(again);
    br_result_close(result);
    br_sim_destroy(sim);
    br_model_destroy(model);
    br_builder_destroy(builder);
}

static void mistakes_have_their_row_and_column(void **state) {
    (void)state;
    static const struct {
        const char *table, *code, *says;
        int line, column;
    } wrong[] = {
        {"", "controls-table", "the file is empty", 1, 1},
        {"\n\n", "controls-table", "the file is empty", 2, 1},
        {"t\n0\n", "controls-table", "no drive beside t", 1, 1},
        {"t,servo\n", "controls-table", "no row below", 1, 1},
        {"time,servo\n0,1\n", "controls-table", "the first column is 'time', expected t", 1, 1},
        {"t,servo,servo\n0,1,1\n", "controls-table", "'servo' has two columns", 1, 9},
        {"t,push, sevro\n0,1,1\n", "controls-drive", "'sevro' in the model; did you mean servo?", 1, 9},
        {"t,\n0,1\n", "controls-drive", "no drive ''", 1, 3},
        {"t,servo\n0,1\n0.1,\n", "controls-table", "the value of servo is missing", 3, 5},
        {"t,servo\n0,1\n,2\n", "controls-table", "the value of t is missing", 3, 1},
        {"t,servo\n0,1\n0.1\n", "controls-table", "fewer cells than the heading, which has 2", 3, 4},
        {"t,servo\n0,1\n0.1,2,3\n", "controls-table", "more cells than the heading", 3, 7},
        {"t,servo\n0,1\n0.1,nan\n", "controls-number", "servo is 'nan', expected a finite number", 3, 5},
        {"t,servo\n0,1\n0.1,1e999\n", "controls-number", "servo is '1e999'", 3, 5},
        {"t,servo\n0,1\ninf,1\n", "controls-number", "t is 'inf'", 3, 1},
        {"t,servo\n0,1\n0.1,2;3\n", "controls-number", "servo is '2;3'", 3, 5},
        {"t,servo\n0.2,1\n0.2,2\n", "controls-time", "t is 0.2, after 0.2 s in line 2", 3, 1},
        {"t,servo\n0.2,1\n\n0.1,2\n", "controls-time", "t is 0.1, after 0.2 s in line 2", 4, 1},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        br_model *model = NULL;
        temp_write("moves.csv", wrong[k].table);
        const br_error error = read_text(ARM("0", "controls: moves.csv\n"), &model, NULL);
        assert_null(model);
        assert_string_equal(error.code, wrong[k].code);
        if (!strstr(error.message, wrong[k].says)) fail_msg("%s", error.message);
        assert_non_null(strstr(error.file, "moves.csv"));
        assert_int_equal(error.line, wrong[k].line);
        assert_int_equal(error.column, wrong[k].column);
    }
}

// A model that came from elsewhere reads what is beside it and nothing else: no path out, no link out, nothing that is no file.
static void nothing_is_read_outside_of_the_folder(void **state) {
    (void)state;
    static const struct {
        const char *name, *code;
    } wrong[] = {{"/etc/passwd", "controls-outside"},
                 {"../moves.csv", "controls-outside"},
                 {"link.csv", "controls-outside"},
                 {"none.csv", "controls-missing"},
                 {"/dev/zero", "controls-outside"}};
    symlink("/etc/passwd", temp_path("link.csv"));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[1024];
        br_model *model = NULL;
        snprintf(text, sizeof text, ARM("0", "controls: \"%s\"\n"), wrong[k].name);
        const br_error error = read_text(text, &model, NULL);
        assert_string_equal(error.code, wrong[k].code);
        assert_int_equal(error.line, 9);
    }
    unlink(temp_path("link.csv"));
}

static void sizes_are_refused_before_they_are_kept(void **state) {
    (void)state;
    br_model *model = NULL;
    char *wide = calloc(1, 8192);
    wide[0] = 't';
    memset(wide + 1, ',', 4000);
    temp_write("moves.csv", wide);
    br_error error = read_text(ARM("0", "controls: moves.csv\n"), &model, NULL);
    assert_string_equal(error.code, "controls-size");
    assert_non_null(strstr(error.message, "4001 columns, expected at most 1000"));
    free(wide);
    // 65 MiB that take no room on the disk
    assert_int_equal(truncate(temp_path("moves.csv"), 65L << 20), 0);
    error = read_text(ARM("0", "controls: moves.csv\n"), &model, NULL);
    assert_int_equal(error.status, BR_TOO_LARGE);
    assert_null(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_a_table_of_the_drive),
        cmocka_unit_test(another_value_is_another_model),
        cmocka_unit_test(a_force_follows_straight_lines_and_is_input),
        cmocka_unit_test(a_result_has_the_controls_in_it),
        cmocka_unit_test(mistakes_have_their_row_and_column),
        cmocka_unit_test(nothing_is_read_outside_of_the_folder),
        cmocka_unit_test(sizes_are_refused_before_they_are_kept),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
