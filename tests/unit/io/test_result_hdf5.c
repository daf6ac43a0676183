// Results in HDF5 files and tables: what goes out comes back, as a log of the same bytes; parts of a result; tables.
#include <hdf5.h>

#include "counting_allocator.h"
#include "result_sample.h"

static void export_fine(const char *from, const char *to, const br_export_options *options,
                        br_export_report *report) {
    br_error error;
    memset(&error, 0, sizeof error);
    const br_status status = br_result_export(from, to, options, NULL, report, &error);
    if (status != BR_OK) print_error("%s: %s\n", error.code, error.message);
    assert_int_equal(status, BR_OK);
}

// The sample's run failed: its result has an end, and is not complete all the same.
static void ends_early(const br_export_report *report, int has_end) {
    assert_int_equal(report->complete, 0);
    assert_int_equal(strstr(report->missing, "stopped by a failure") != NULL, has_end);
}

static void there_and_back(const br_result_header *h, int rows, int finish) {
    br_export_report report;
    const char *log = sample_write("one.result", h, rows, finish), *h5 = temp_path("one.h5");
    export_fine(log, h5, NULL, &report);
    ends_early(&report, finish);
    assert_int_equal(report.rows, rows);
    assert_int_equal(br_result_look(h5), BR_SOURCE_HDF5);
    const char *again = temp_path("two.result");
    export_fine(h5, again, NULL, &report);
    ends_early(&report, finish);
    assert_same_files(log, again);
}

static void hdf5_and_back_gives_the_same_log(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    there_and_back(&h, 0 + 1, 1);
    there_and_back(&h, 7, 1);
    there_and_back(&h, 7, 0);
    there_and_back(&h, 10000, 1); // more than a block of rows, of events and of contacts
}

// 64 kB is what an object's header in HDF5 holds; models are larger.
static void large_texts_and_many_parameters_come_back(void **state) {
    (void)state;
    enum { SIZE = 300000, MANY = 500 };
    br_result_header h = sample_header();
    char *text = calloc(1, SIZE + 1);
    static char names[MANY][24];
    static br_override list[MANY];
    for (int k = 0; k < SIZE; k++) text[k] = (char)('a' + k % 26);
    for (int k = 0; k < MANY; k++) {
        snprintf(names[k], sizeof names[k], "bodies.link%d.mass", MANY - k);
        list[k] = (br_override){names[k], "1.5 kg"};
    }
    h.model_text = h.scene = h.model_native = h.notes = text;
    h.model_size = SIZE;
    h.overrides = list;
    h.override_count = MANY;
    there_and_back(&h, 3, 1);
    free(text);
}

static void names_that_hdf5_cannot_hold_come_back(void **state) {
    (void)state;
    static const br_result_channel odd[SAMPLE_CHANNELS] = {
        {"t", "s"}, {".", "m"}, {"a/b", "m"}, {"a|b", ""}, {"a/b", "1"}};
    br_result_header h = sample_header();
    h.channels = odd;
    there_and_back(&h, 4, 1);
}

static void verdicts_travel(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    br_export_report report;
    const char *log = sample_write("v.result", &h, 3, 1);
    static const char verdicts[] = "[{\"model\": \"023456789abcdef0\", \"verdict\": \"sticks\"}]\n";
    temp_write("v.trust.json", verdicts);
    export_fine(log, temp_path("v.h5"), NULL, NULL);
    br_result *r = NULL;
    br_error error;
    assert_int_equal(br_result_open(temp_path("v.h5"), NULL, &r, &error), BR_OK);
    assert_string_equal(br_result_about(r)->trust, verdicts);
    br_result_close(r);
    export_fine(temp_path("v.h5"), temp_path("w.result"), NULL, &report);
    assert_string_equal(report.trust_path, temp_path("w.trust.json"));
    assert_same_files(temp_path("v.trust.json"), temp_path("w.trust.json"));
}

// People with h5py and MATLAB: names, units, the same dataset as /t, attributes.
static void layout_is_as_the_guide_says(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    export_fine(sample_write("l.result", &h, 5, 1), temp_path("l.h5"), NULL, NULL);
    const hid_t file = H5Fopen(temp_path("l.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static const char *const paths[] = {"/t",
                                        "/channels/arm.position",
                                        "/channels/a|b.x",
                                        "/events/kind",
                                        "/events/name",
                                        "/contacts/point",
                                        "/contacts/names",
                                        "/model/text",
                                        "/model/scene",
                                        "/parameters",
                                        "/ledger"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        if (H5Oexists_by_name(file, paths[k], H5P_DEFAULT) <= 0) fail_msg("%s is missing", paths[k]);
    assert_true(H5Aexists(file, "outcome") > 0 && H5Aexists(file, "truncated") == 0);
    assert_true(H5Aexists_by_name(file, "/channels/arm.position", "unit", H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/channels/a|b.x", "name", H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/parameters", "solver.step", H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/ledger", "unaccounted", H5P_DEFAULT) > 0);
    double t[5];
    const hid_t set = H5Dopen2(file, "/t", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t) >= 0);
    for (int k = 0; k < 5; k++) assert_true(t[k] == 0.1 * k);
    H5Dclose(set);
    H5Fclose(file);
}

// ------------------------------------------------------------------------------------------------------------ parts

static void parts_of_a_result_are_what_was_asked_for(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    static const char *const patterns[] = {"energy.*", "*.x"};
    br_export_options o = br_default_export_options();
    br_export_report report;
    o.channels = patterns;
    o.channel_count = 2;
    o.from = 0.35;
    o.to = 2.05;
    o.every = 4;
    const char *events = temp_path("events.csv");
    o.events = events;
    export_fine(sample_write("p.result", &h, 40, 1), temp_path("p.csv"), &o, &report);
    assert_int_equal(report.channels, 4);
    assert_int_equal(report.rows, 5); // 4, 8, 12, 16, 20
    char *text = temp_read(temp_path("p.csv"));
    assert_memory_equal(text, "t,energy.total,a/b.x,block.velocity.x\n", 38);
    assert_non_null(strstr(text, "\n1.6"));
    assert_null(strstr(text, "\n0.5"));
    free(text);
    text = temp_read(events);
    assert_non_null(strstr(text, "\"elbow, \"\"left\"\"\""));
    free(text);
}

static void what_is_not_there_is_named(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    const char *log = sample_write("n.result", &h, 4, 1);
    static const char *const patterns[] = {"energy.totl"};
    br_export_options o = br_default_export_options();
    br_error error;
    o.channels = patterns;
    o.channel_count = 1;
    assert_int_equal(br_result_export(log, temp_path("n.csv"), &o, NULL, NULL, &error), BR_INVALID);
    assert_string_equal(error.code, "channel-unknown");
    assert_non_null(strstr(error.message, "energy.total"));
    o = br_default_export_options();
    o.from = 100;
    assert_int_equal(br_result_export(log, temp_path("n.h5"), &o, NULL, NULL, &error), BR_INVALID);
    assert_string_equal(error.code, "export-nothing");
    assert_int_equal(br_result_export(log, temp_path("n.xlsx"), NULL, NULL, NULL, &error), BR_INVALID);
    assert_string_equal(error.code, "export-ending");
    FILE *none = fopen(temp_path("n.h5"), "rb"); // nothing is left of what failed
    assert_null(none);
    none = fopen(temp_path("n.csv"), "rb");
    assert_null(none);
}

// ----------------------------------------------------------------------------------------------------------- tables

static void a_table_is_a_result_without_a_model(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    export_fine(sample_write("c.result", &h, 9, 1), temp_path("c.csv"), NULL, NULL);
    br_result *r = NULL;
    br_error error;
    br_result_item item;
    assert_int_equal(br_result_open(temp_path("c.csv"), NULL, &r, &error), BR_OK);
    assert_int_equal(br_result_source_of(r), BR_SOURCE_CSV);
    const br_result_header *got = br_result_about(r);
    assert_int_equal(got->channel_count, SAMPLE_CHANNELS);
    assert_int_equal(got->model_size, 0);
    assert_string_equal(got->channels[2].name, "a/b.x");
    assert_string_equal(got->channels[0].unit, "s");
    assert_string_equal(got->channels[1].unit, "1"); // a joint turns or slides, the name does not say
    assert_string_equal(got->channels[4].unit, "m/s");
    for (int k = 0; k < 9; k++) {
        double row[SAMPLE_CHANNELS];
        sample_row(k, row);
        assert_int_equal(br_result_next(r, &item, &error), BR_OK);
        assert_int_equal(item.kind, BR_RESULT_ROW);
        assert_memory_equal(item.row, row, sizeof row); // %.17g gives the bits back
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(br_result_next(r, &item, &error), BR_OK);
        assert_int_equal(item.kind, BR_RESULT_END);
        assert_true(item.end.t == 0.1 * 8 && item.end.ledger.steps == 0);
    }
    br_result_close(r);
}

// How many rows a table has; what it ends with.
static int table_rows(const char *text, br_result_kind *last, br_status *status, br_error *error) {
    br_result *r = NULL;
    br_result_item item;
    int rows = 0;
    memset(error, 0, sizeof *error);
    *status = br_result_open(temp_write("x.csv", text), NULL, &r, error);
    while (*status == BR_OK && (*status = br_result_next(r, &item, error)) == BR_OK) {
        *last = item.kind;
        if (item.kind != BR_RESULT_ROW) break;
        rows++;
    }
    br_result_close(r);
    return rows;
}

static void tables_of_others_are_read_or_refused_by_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int rows;
        br_result_kind last;
        const char *code; // NULL: fine
        const char *says;
        int line;
    } cases[] = {
        {"t,x\r\n0,1\r\n1,2\r\n", 2, BR_RESULT_END, NULL, "", 0},
        {"\xef\xbb\xbft,x\n0, 1\n\n1,2\n", 2, BR_RESULT_END, NULL, "", 0},
        {"x,\"a, \"\"b\"\"\",t\n0,1,2\n", 1, BR_RESULT_END, NULL, "", 0},
        {"t,x\n0,1\n1,2", 1, BR_RESULT_CUT, NULL, "", 0},
        {"t,x\n0,1\n1", 1, BR_RESULT_CUT, NULL, "", 0},
        {"t,x\n0,1\n1,\n", 1, BR_RESULT_ROW, "result-table", "column x", 3},
        {"t,x\n0,1\n1,2,3\n", 1, BR_RESULT_ROW, "result-table", "has 3 numbers, expected 2", 3},
        {"t,x\n0,nan\n", 0, BR_RESULT_ROW, "result-table", "not a finite number", 2},
        {"t,x\n0,1e999\n", 0, BR_RESULT_ROW, "result-table", "not a finite number", 2},
        {"t,kind,name,value\n0.1,stick,a,0\n", 0, BR_RESULT_ROW, "result-table", "'stick'", 2},
        {"t,,x\n0,1,2\n", 0, BR_RESULT_ROW, "result-table", "column 2 has no name", 1},
        {"time,x\n0,1\n", 0, BR_RESULT_ROW, "result-not-one", "", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        br_result_kind last = BR_RESULT_ROW;
        br_status status;
        br_error error;
        const int rows = table_rows(cases[k].text, &last, &status, &error);
        if (rows != cases[k].rows || last != cases[k].last)
            print_error("case %zu: %d rows, %s\n", k, rows, error.message);
        assert_int_equal(rows, cases[k].rows);
        assert_int_equal(last, cases[k].last);
        assert_int_equal(status == BR_OK, cases[k].code == NULL);
        if (!cases[k].code) continue;
        assert_string_equal(error.code, cases[k].code);
        assert_non_null(strstr(error.message, cases[k].says));
        assert_int_equal(error.line, cases[k].line);
    }
}

// ---------------------------------------------------------------------------------------------------------- memory

static void memory_that_is_refused_is_said_and_nothing_stays(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    const char *endings[] = {"m.h5", "m.csv", "m2.result"};
    sample_write("m.result", &h, 30, 1);
    for (int i = 0; i < 3; i++)
        for (long k = 1;; k++) {
            counting_allocator counter;
            const br_allocator allocator = counting_allocator_start(&counter, k);
            br_error error;
            const char *out = temp_path(endings[i]);
            unlink(out);
            const int before = temp_folder_count();
            const br_status status = br_result_export(temp_path(i == 2 ? "m.h5" : "m.result"), out, NULL,
                                                      &allocator, NULL, &error);
            assert_int_equal(counter.live, 0);
            if (counter.failed == 0) {
                assert_int_equal(status, BR_OK);
                break;
            }
            assert_int_equal(status, BR_NO_MEMORY);
            assert_int_equal(temp_folder_count(), before); // no half file
        }
    assert_same_files(temp_path("m.result"), temp_path("m2.result"));
}

// Rows are read in blocks: what is taken does not depend on how many there are.
static void memory_does_not_grow_with_the_rows(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    size_t taken[2];
    for (int i = 0; i < 2; i++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, 0);
        br_error error;
        export_fine(sample_write("g.result", &h, i ? 60000 : 20000, 1), temp_path("g.h5"), NULL, NULL);
        assert_int_equal(
            br_result_export(temp_path("g.h5"), temp_path("g2.result"), NULL, &allocator, NULL, &error),
            BR_OK);
        taken[i] = counter.bytes;
    }
    assert_true(taken[1] < taken[0] + taken[0] / 10); // a tenth: more names of contacts, chunks of the arena
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hdf5_and_back_gives_the_same_log),
        cmocka_unit_test(large_texts_and_many_parameters_come_back),
        cmocka_unit_test(names_that_hdf5_cannot_hold_come_back),
        cmocka_unit_test(verdicts_travel),
        cmocka_unit_test(layout_is_as_the_guide_says),
        cmocka_unit_test(parts_of_a_result_are_what_was_asked_for),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(a_table_is_a_result_without_a_model),
        cmocka_unit_test(tables_of_others_are_read_or_refused_by_line),
        cmocka_unit_test(memory_that_is_refused_is_said_and_nothing_stays),
        cmocka_unit_test(memory_does_not_grow_with_the_rows),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
