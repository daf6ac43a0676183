// The result log: what is written is read back, cut or damaged files fail well, tables are exact; state files.
#include <math.h>
#include <stdint.h>

#include "base/hash.h"
#include "bristle/result.h"
#include "counting_allocator.h"
#include "near.h"
#include "temp_file.h"

enum { CHANNELS = 3, ROWS = 5 };

static const br_result_channel channels[CHANNELS] = {
    {"t", "s"}, {"arm.position", "rad"}, {"energy.total", "J"}};
static const br_override overrides[] = {{"mu", "0.3"}, {"solver.step", "2 ms"}};

static br_result_header sample_header(void) {
    br_result_header h;
    memset(&h, 0, sizeof h);
    h.model_name = "pendulum";
    h.model_path = "scenes/pendulum.yaml";
    h.model_text = "format: 1\n\0hidden";
    h.model_size = 17;
    h.model_hash = UINT64_C(0x123456789abcdef0);
    h.overrides = overrides;
    h.override_count = 2;
    h.stepper = "contact";
    h.notes = "body a was moved\n";
    h.until = 1.5;
    h.output = 0.1;
    h.step = 0.001;
    h.channels = channels;
    h.channel_count = CHANNELS;
    h.scene = "{\"bodies\": []}";
    h.model_native = "format: 1\n";
    return h;
}

static void sample_row(int k, double row[CHANNELS]) {
    row[0] = 0.1 * k;
    row[1] = sin(1.0 + k);
    row[2] = k == 0 ? -0.0 : 1e-308 / k;
}

static br_result_end sample_end(void) {
    br_result_end end;
    memset(&end, 0, sizeof end);
    end.outcome = BR_RESULT_FAILED;
    end.t = 0.4;
    end.seconds = 0.25;
    end.ledger.start.potential = -3.5;
    end.ledger.now.total = 1.25;
    end.ledger.unaccounted = 1e-12;
    end.ledger.residual = 7;
    end.ledger.steps = 400;
    end.ledger.evaluations = 1234567890123;
    snprintf(end.message, sizeof end.message, "the step diverged");
    return end;
}

static const br_event sample_event = {0.25, BR_EVENT_LIMIT, "elbow", -2.5};

static br_result_contact sample_contact(const char *name, int k) {
    br_result_contact c = {.name = name, .state = k % 2 ? BR_CONTACT_SLIPS : BR_CONTACT_STICKS};
    c.point = br_vec3_of(k, -0.0, 1e-300);
    c.normal = br_vec3_of(0, 0, 1);
    c.gap = -1e-9 * k;
    c.normal_force = 9.81;
    c.friction = br_vec3_of(0.1, 0.2, 0.3);
    c.slip = br_vec3_of(4, 5, 6);
    c.friction_coefficient = 0.7;
    return c;
}

// Rows, an event after row 2, contacts after rows 3 and 4, and, with `finish`, the end.
static const char *write_sample(const char *name, int finish) {
    const char *path = temp_path(name);
    const br_result_header header = sample_header();
    const br_result_end end = sample_end();
    br_result_writer *w = NULL;
    br_error error;
    assert_int_equal(br_result_create(path, &header, NULL, &w, &error), BR_OK);
    for (int k = 0; k < ROWS; k++) {
        double row[CHANNELS];
        sample_row(k, row);
        assert_int_equal(br_result_row(w, row, &error), BR_OK);
        if (k == 2) assert_int_equal(br_result_event(w, &sample_event, &error), BR_OK);
        const br_result_contact contacts[] = {sample_contact("foot~floor#0", k),
                                              sample_contact("a~b#1", k + 1)};
        if (k >= 3) assert_int_equal(br_result_contacts(w, contacts, k - 2, &error), BR_OK);
    }
    if (finish)
        assert_int_equal(br_result_finish(w, &end, &error), BR_OK);
    else
        br_result_abandon(w);
    return path;
}

// Reads all that is there. Returns rows, or -1 when the file cannot be opened; *last is what it ended with.
static int read_rows(const char *path, br_result_kind *last, br_status *status, br_error *error) {
    br_result *r = NULL;
    br_result_item item;
    int rows = 0;
    *status = br_result_open(path, NULL, &r, error);
    if (*status != BR_OK) return -1;
    while ((*status = br_result_next(r, &item, error)) == BR_OK) {
        *last = item.kind;
        if (item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) break;
        if (item.kind == BR_RESULT_ROW) {
            double row[CHANNELS];
            sample_row(rows++, row);
            assert_memory_equal(row, item.row, sizeof row); // the bits, -0.0 too
        }
    }
    br_result_close(r);
    return rows;
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    const char *path = write_sample("whole.result", 1);
    br_result *r = NULL;
    br_error error;
    br_result_item item;
    assert_int_equal(br_result_open(path, NULL, &r, &error), BR_OK);
    const br_result_header *h = br_result_about(r), expected = sample_header();
    assert_string_equal(h->program_version, br_version());
    assert_string_equal(h->model_name, "pendulum");
    assert_string_equal(h->model_path, expected.model_path);
    assert_int_equal(h->model_size, expected.model_size);
    assert_memory_equal(h->model_text, expected.model_text, expected.model_size);
    assert_true(h->model_hash == expected.model_hash);
    assert_int_equal(h->override_count, 2);
    assert_string_equal(h->overrides[1].value, "2 ms");
    assert_string_equal(h->notes, expected.notes);
    assert_true(h->until == 1.5 && h->output == 0.1 && h->step == 0.001);
    assert_int_equal(h->channel_count, CHANNELS);
    assert_string_equal(h->channels[1].name, "arm.position");
    assert_string_equal(h->channels[1].unit, "rad");
    assert_string_equal(h->scene, expected.scene);
    assert_string_equal(h->model_native, expected.model_native);
    static const br_result_kind kinds[] = {BR_RESULT_ROW,   BR_RESULT_ROW,     BR_RESULT_ROW,
                                           BR_RESULT_EVENT, BR_RESULT_ROW,     BR_RESULT_CONTACTS,
                                           BR_RESULT_ROW,   BR_RESULT_CONTACTS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        assert_int_equal(br_result_next(r, &item, &error), BR_OK);
        assert_int_equal(item.kind, kinds[k]);
        if (k == 3) assert_string_equal(item.event.name, "elbow");
        if (k == 3) assert_true(item.event.t == 0.25 && item.event.value == -2.5);
        if (item.kind != BR_RESULT_CONTACTS) continue;
        assert_int_equal(item.contact_count, k == 5 ? 1 : 2);
        const br_result_contact wanted = sample_contact(item.contacts[0].name, k == 5 ? 3 : 4);
        assert_memory_equal(&item.contacts[0].point, &wanted.point,
                            sizeof wanted.point); // the bits, -0.0 too
        assert_memory_equal(&item.contacts[0].slip, &wanted.slip, sizeof wanted.slip);
        assert_int_equal(item.contacts[0].state, wanted.state);
        assert_true(item.contacts[0].gap == wanted.gap && item.contacts[0].normal_force == 9.81);
        assert_true(item.contacts[0].friction_coefficient == 0.7);
        assert_string_equal(item.contacts[item.contact_count - 1].name, k == 5 ? "foot~floor#0" : "a~b#1");
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(br_result_next(r, &item, &error), BR_OK);
        assert_int_equal(item.kind, BR_RESULT_END);
        const br_result_end end = sample_end();
        assert_memory_equal(&item.end.ledger, &end.ledger, sizeof end.ledger);
        assert_int_equal(item.end.outcome, BR_RESULT_FAILED);
        assert_string_equal(item.end.message, end.message);
        assert_true(item.end.t == 0.4 && item.end.seconds == 0.25);
    }
    br_result_close(r);
}

static void a_log_cut_at_any_byte_gives_its_whole_records(void **state) {
    (void)state;
    const char *path = write_sample("cut.result", 1);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    char *bytes = temp_read(path);
    int last_rows = -1;
    for (long n = 0; n < size; n++) {
        br_error error;
        br_status status;
        br_result_kind last = BR_RESULT_END;
        memset(&error, 0, sizeof error);
        const int rows = read_rows(temp_write_bytes("part.result", bytes, (size_t)n), &last, &status, &error);
        if (rows < 0) {
            assert_int_equal(status, BR_PARSE);
            assert_true(last_rows < 0);
            assert_string_equal(error.code, n == 0 ? "result-not-one" : "result-truncated");
        } else {
            assert_int_equal(status, BR_OK);
            assert_int_equal(last, BR_RESULT_CUT);
            assert_true(rows == last_rows || rows == last_rows + 1);
        }
        last_rows = rows < 0 ? -1 : rows;
    }
    assert_int_equal(last_rows, ROWS);
    free(bytes);
}

static void a_log_with_one_changed_byte_is_never_read_as_good(void **state) {
    (void)state;
    const char *path = write_sample("flip.result", 1);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    char *bytes = temp_read(path);
    for (long n = 0; n < size; n++) {
        br_error error;
        br_status status;
        br_result_kind last = BR_RESULT_ROW;
        bytes[n] ^= 0x40;
        const int rows =
            read_rows(temp_write_bytes("part.result", bytes, (size_t)size), &last, &status, &error);
        bytes[n] ^= 0x40;
        assert_true(rows <= ROWS);
        assert_false(status == BR_OK && last == BR_RESULT_END);
        assert_true(status == BR_PARSE || (status == BR_OK && last == BR_RESULT_CUT));
    }
    free(bytes);
}

static void zeros_after_a_power_loss_are_a_cut(void **state) {
    (void)state;
    char *bytes = temp_read(write_sample("zeros.result", 0));
    FILE *file = fopen(temp_path("zeros.result"), "rb");
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    fclose(file);
    char *longer = calloc(1, size + 100);
    memcpy(longer, bytes, size);
    br_error error;
    br_status status;
    br_result_kind last = BR_RESULT_END;
    assert_int_equal(read_rows(temp_write_bytes("z.result", longer, size + 100), &last, &status, &error),
                     ROWS);
    assert_int_equal(status, BR_OK);
    assert_int_equal(last, BR_RESULT_CUT);
    free(bytes);
    free(longer);
}

// A header with a right checksum and counts that promise more than there is.
static void huge_counts_are_refused_before_memory_is_taken(void **state) {
    (void)state;
    const char *path = write_sample("huge.result", 0);
    FILE *file = fopen(path, "rb");
    unsigned char bytes[4096];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint32_t length;
    memcpy(&length, bytes + 12, 4); // this test is for little-endian machines
    int refused = 0;
    for (size_t at = 16; at + 4 <= 16 + length; at++) {
        unsigned char copy[4096];
        memcpy(copy, bytes, size);
        memset(copy + at, 0xff, 4);
        const uint64_t hash = br_hash_bytes(BR_HASH_START, copy + 8, 8 + length);
        memcpy(copy + 16 + length, &hash, 8);
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, 0);
        br_result *r = NULL;
        br_error error;
        const br_status status =
            br_result_open(temp_write_bytes("h.result", copy, size), &allocator, &r, &error);
        refused += status != BR_OK;
        assert_true(status == BR_OK || status == BR_PARSE);
        if (status == BR_OK) br_result_close(r);
        assert_int_equal(counter.live, 0);
        assert_true(counter.largest < 1 << 20);
    }
    assert_true(refused > 20);
}

static void other_files_are_not_results(void **state) {
    (void)state;
    br_error error;
    br_result *r = NULL;
    assert_int_equal(br_result_open(temp_path("none.result"), NULL, &r, &error), BR_IO);
    assert_string_equal(error.code, "file-missing");
    assert_int_equal(br_result_open(temp_folder, NULL, &r, &error), BR_IO);
    assert_string_equal(error.code, "file-is-folder");
    assert_int_equal(br_result_open(temp_write("text.result", "format: 1\n"), NULL, &r, &error), BR_PARSE);
    assert_string_equal(error.code, "result-not-one");
    assert_int_equal(br_result_open("/dev/zero", NULL, &r, &error), BR_IO);
    assert_null(r);
}

static void only_finite_numbers_enter_a_result(void **state) {
    (void)state;
    const br_result_header header = sample_header();
    br_result_writer *w = NULL;
    br_error error;
    const double bad[CHANNELS] = {0.0, NAN, 1.0};
    assert_int_equal(br_result_create(temp_path("nan.result"), &header, NULL, &w, &error), BR_OK);
    assert_int_equal(br_result_row(w, bad, &error), BR_NUMERICAL);
    assert_string_equal(error.code, "result-not-finite");
    assert_non_null(strstr(error.message, "arm.position"));
    const br_event event = {INFINITY, BR_EVENT_SLIP, "x", 0};
    assert_int_equal(br_result_event(w, &event, &error), BR_NUMERICAL);
    br_result_abandon(w);
}

static void a_result_that_cannot_be_written_is_said_at_once(void **state) {
    (void)state;
    const br_result_header header = sample_header();
    br_result_writer *w = NULL;
    br_error error;
    assert_int_equal(br_result_create(temp_folder, &header, NULL, &w, &error), BR_IO);
    assert_string_equal(error.code, "file-unwritable");
    assert_int_equal(br_result_create("/no/such/folder/x.result", &header, NULL, &w, &error), BR_IO);
    const int before = temp_folder_count();
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        const br_status status = br_result_create(temp_path("mem.result"), &header, &allocator, &w, &error);
        if (status == BR_OK) br_result_abandon(w);
        assert_int_equal(counter.live, 0);
        if (status == BR_OK && counter.failed == 0) break;
        assert_int_equal(status, BR_NO_MEMORY);
        assert_int_equal(temp_folder_count(), before); // no temporary is left
    }
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_result *r = NULL;
        const br_status status = br_result_open(temp_path("mem.result"), &allocator, &r, &error);
        br_result_close(r);
        assert_int_equal(counter.live, 0);
        if (counter.failed == 0) break;
        assert_int_equal(status, BR_NO_MEMORY);
    }
}

// ---------------------------------------------------------------------------------------------------------- tables

static void a_table_holds_every_digit(void **state) {
    (void)state;
    const char *const names[] = {"t", "a,b", "say \"x\""};
    const double rows[2][3] = {{0.0, 1.0 / 3.0, -1e300}, {0.1, -0.0, 5e-324}};
    br_csv *csv = NULL;
    br_error error;
    assert_int_equal(br_csv_create(temp_path("a.csv"), names, 3, NULL, &csv, &error), BR_OK);
    for (int k = 0; k < 2; k++) assert_int_equal(br_csv_row(csv, rows[k], &error), BR_OK);
    const double bad[] = {0, NAN, 0};
    assert_int_equal(br_csv_row(csv, bad, &error), BR_NUMERICAL);
    assert_int_equal(access(temp_path("a.csv"), F_OK), -1); // it gets its name when closed
    assert_int_equal(br_csv_close(csv, &error), BR_OK);
    char *text = temp_read(temp_path("a.csv"));
    assert_string_equal(text, "t,\"a,b\",\"say \"\"x\"\"\"\n0,0.33333333333333331,-1.0000000000000001e+300\n"
                              "0.10000000000000001,-0,4.9406564584124654e-324\n");
    free(text);
    assert_int_equal(br_csv_create(temp_path("b.csv"), names, 3, NULL, &csv, &error), BR_OK);
    br_csv_abandon(csv);
    assert_int_equal(access(temp_path("b.csv"), F_OK), -1);
}

static void events_are_listed_by_name(void **state) {
    (void)state;
    const char *const names[] = {"t", "kind", "name", "value"};
    br_csv *csv = NULL;
    br_error error;
    assert_int_equal(br_csv_create(temp_path("e.csv"), names, 4, NULL, &csv, &error), BR_OK);
    assert_int_equal(br_csv_event(csv, &sample_event, &error), BR_OK);
    assert_int_equal(br_csv_close(csv, &error), BR_OK);
    char *text = temp_read(temp_path("e.csv"));
    assert_string_equal(text, "t,kind,name,value\n0.25,limit,elbow,-2.5\n");
    free(text);
}

// ----------------------------------------------------------------------------------------------------- state files

static void states_come_alone_in_lists_or_under_a_key(void **state) {
    (void)state;
    static const char *const good[] = {
        "{\"qpos\": [1, -2.5e-1], \"qvel\": [3]}",
        "\n [ {\"qvel\":[3],\"qpos\":[1,-0.25]} ] ",
        "{\"nq\": 2, \"x\": {\"deep\": [[], {}, [1, {\"a\": null}], \"s\\\"t\"]}, \"states\": [{\"M\": [1, "
        "2], "
        "\"qpos\":[1,-0.25],\"qvel\":[3]}], \"after\": true}",
        "\xEF\xBB\xBF[{\"qpos\":[1.0,-25E-2],\"qvel\":[3],\"qacc\":[7],\"jac_body\":\"arm\"},"
        "{\"qpos\":[0,0],\"qvel\":[0]}]",
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        br_state_file *file = NULL;
        br_error error;
        const br_status status = br_state_file_read(temp_write("s.json", good[k]), 2, 1, NULL, &file, &error);
        if (status != BR_OK) print_error("%s\n", error.message);
        assert_int_equal(status, BR_OK);
        assert_int_equal(br_state_file_count(file), k == 3 ? 2 : 1);
        const br_state_entry e = br_state_file_entry(file, 0);
        assert_true(e.q[0] == 1.0 && e.q[1] == -0.25 && e.v[0] == 3.0);
        if (k == 3) assert_true(e.vdot[0] == 7.0 && strcmp(e.body, "arm") == 0);
        if (k != 3) assert_true(!e.vdot && !e.body);
        br_state_file_free(file);
    }
}

static void bad_state_files_are_faulted_in_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *code;
        int line, column;
        const char *says;
    } bad[] = {
        {"", "json-syntax", 1, 1, "the file ends where an object or a list was expected"},
        {"{\"qpos\": [1], \"qvel\": [3]}", "state-length", 1, 10,
         "qpos has 1 number, expected 2: the model has nq = 2"},
        {"{\"qpos\": [1, 2],\n \"qvel\": [3, 4]}", "state-length", 2, 10, "qvel has 2 numbers, expected 1"},
        {"{\"qpos\": [1, 2,]}", "json-syntax", 1, 16, "found ']' where a number was expected"},
        {"{\"qpos\": [1, nan]}", "json-syntax", 1, 14, "found 'nan' where a number"},
        {"{\"qpos\": [1, 0x10]}", "json-syntax", 1, 14, "found '0x10'"},
        {"{\"qpos\": [1, 1e999]}", "json-number", 1, 14, "1e999 is more than a number can hold"},
        {"{\"qpos\": [1, \"2\"]}", "json-syntax", 1, 14, "where a number was expected"},
        {"{\"qpos\": 1}", "json-syntax", 1, 10, "a list of numbers"},
        {"{\"qpos\": [1, 2]", "json-syntax", 1, 16, "the file ends where ',' or '}'"},
        {"{qpos: [1, 2]}", "json-syntax", 1, 2, "a text in double quotes"},
        {"{\"qpos\": [1, 2]}", "state-missing", 1, 1, "no \"qvel\""},
        {"{\"qpos\": [1, 2], \"qvell\": [1]}", "state-missing", 1, 1, "is \"qvell\" misspelt?"},
        {"{\"a\": 1}", "state-missing", 1, 1, "no \"qpos\" and no \"states\""},
        {"{\"states\": []}", "state-missing", 0, 0, "no state"},
        {"[1]", "json-syntax", 1, 2, "a state"},
        {"{\"qpos\": [1, 2], \"qpos\": [1, 2]}", "state-repeated", 1, 19, "given twice"},
        {"{\"qpos\": [1, 2], \"qvel\": [1], \"states\": []}", "state-repeated", 1, 1, "both"},
        {"{\"qpos\": [1, 2], \"qvel\": [1]} x", "json-syntax", 1, 31, "the end of the file"},
        {"{\"a\": \"open\n\"}", "json-syntax", 1, 7, "no closing quote"},
        {"{\"a\": tru}", "json-syntax", 1, 7, "a value"},
        {"{\"a\": [1}", "json-syntax", 1, 9, "',' or ']'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        br_state_file *file = NULL;
        br_error error;
        const br_status status =
            br_state_file_read(temp_write("b.json", bad[k].text), 2, 1, NULL, &file, &error);
        assert_true(status == BR_PARSE || status == BR_INVALID);
        if (strcmp(error.code, bad[k].code) != 0 || error.line != bad[k].line ||
            error.column != bad[k].column || !strstr(error.message, bad[k].says))
            print_error("%s\n  %s %d:%d %s\n", bad[k].text, error.code, error.line, error.column,
                        error.message);
        assert_string_equal(error.code, bad[k].code);
        assert_int_equal(error.line, bad[k].line);
        assert_int_equal(error.column, bad[k].column);
        assert_non_null(strstr(error.message, bad[k].says));
        assert_null(file);
    }
}

static void deep_json_does_not_exhaust_the_stack(void **state) {
    (void)state;
    enum { N = 200000 };
    char *text = malloc(N + 8);
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', N);
    text[N + 5] = '\0';
    br_state_file *file = NULL;
    br_error error;
    assert_int_equal(br_state_file_read(temp_write("deep.json", text), 1, 1, NULL, &file, &error),
                     BR_TOO_LARGE);
    assert_string_equal(error.code, "json-too-deep");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_log_cut_at_any_byte_gives_its_whole_records),
        cmocka_unit_test(a_log_with_one_changed_byte_is_never_read_as_good),
        cmocka_unit_test(zeros_after_a_power_loss_are_a_cut),
        cmocka_unit_test(huge_counts_are_refused_before_memory_is_taken),
        cmocka_unit_test(other_files_are_not_results),
        cmocka_unit_test(only_finite_numbers_enter_a_result),
        cmocka_unit_test(a_result_that_cannot_be_written_is_said_at_once),
        cmocka_unit_test(a_table_holds_every_digit),
        cmocka_unit_test(events_are_listed_by_name),
        cmocka_unit_test(states_come_alone_in_lists_or_under_a_key),
        cmocka_unit_test(bad_state_files_are_faulted_in_their_place),
        cmocka_unit_test(deep_json_does_not_exhaust_the_stack),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
