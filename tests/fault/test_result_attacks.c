// Results in hostile hands, and disks that end too early: nothing crashes, nothing waits, nothing is written by half.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bristle/report.h"
#include "counting_allocator.h"
#include "random.h"
#include "result_sample.h"

enum { MANY = 40 }; // channels: enough that HDF5 keeps their names in a tree of its own

static const char template_text[] = "<html><!--bristle-data--></html>";

static void read_all(const char *path) {
    br_result *r = NULL;
    br_result_item item;
    br_error error;
    if (br_result_open(path, NULL, &r, &error) != BR_OK) return;
    while (br_result_next(r, &item, &error) == BR_OK)
        if (item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) break;
    br_result_close(r);
}

static const char *write_rows(const char *name, const br_result_header *h, const double *t, int rows) {
    const char *path = temp_path(name);
    double row[MANY] = {0};
    const br_result_end end = sample_end();
    br_result_writer *w = NULL;
    br_error error;
    assert_int_equal(br_result_create(path, h, NULL, &w, &error), BR_OK);
    for (int k = 0; k < rows; k++) {
        for (int i = 0; i < h->channel_count; i++) row[i] = t[k] + i;
        row[0] = t[k];
        assert_int_equal(br_result_row(w, row, &error), BR_OK);
    }
    assert_int_equal(br_result_finish(w, &end, &error), BR_OK);
    return path;
}

// A result of many channels. The names live as long as the program.
static br_result_header many_channels(void) {
    static char name[MANY][16];
    static br_result_channel channels[MANY];
    br_result_header h = sample_header();
    for (int k = 0; k < MANY; k++) {
        snprintf(name[k], sizeof name[k], k ? "part%d.x" : "t", k);
        channels[k] = (br_result_channel){name[k], "m"};
    }
    h.channels = channels;
    h.channel_count = MANY;
    return h;
}

static void export_to(const char *from, const char *to) {
    br_error error = {0};
    if (br_result_export(from, to, NULL, NULL, NULL, &error) != BR_OK) print_error("%s\n", error.message);
    assert_int_equal(error.status, BR_OK);
}

// What counts is that the child gets to its end.
static void expect_end(pid_t child) {
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// --------------------------------------------------------------------------------------------------------------- HDF5

static void read_spoiled(const unsigned char *bytes, size_t size) {
    static unsigned char spoiled[1 << 20];
    rng r = {7};
    for (int trial = 0; trial < 400; trial++) {
        memcpy(spoiled, bytes, size);
        for (uint64_t k = 0; k <= rng_next(&r) % 3; k++)
            spoiled[8 + rng_next(&r) % (size - 8)] ^= (unsigned char)(1u << rng_next(&r) % 8);
        read_all(temp_write_bytes("flip.h5", spoiled, size));
    }
}

// HDF5 1.10 asked for the k-th name of a damaged tree frees memory that it never had.
static void damaged_names_of_many_channels_do_not_end_the_program(void **state) {
    (void)state;
    static unsigned char bytes[1 << 20];
    static const double t[] = {0, 0.1, 0.2};
    const br_result_header h = many_channels();
    char log[256];
    snprintf(log, sizeof log, "%s", write_rows("many.result", &h, t, 3));
    export_to(log, temp_path("many.h5"));
    FILE *in = fopen(temp_path("many.h5"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    const pid_t child = fork();
    if (child == 0) {
        read_spoiled(bytes, size);
        _exit(0);
    }
    expect_end(child);
}

static void channels_keep_their_order_through_hdf5(void **state) {
    (void)state;
    static const double t[] = {0};
    const br_result_header h = many_channels();
    char log[256];
    br_result *r = NULL;
    br_error error;
    snprintf(log, sizeof log, "%s", write_rows("order.result", &h, t, 1));
    export_to(log, temp_path("order.h5"));
    assert_int_equal(br_result_open(temp_path("order.h5"), NULL, &r, &error), BR_OK);
    for (int k = 0; k < MANY; k++)
        assert_string_equal(br_result_about(r)->channels[k].name, h.channels[k].name);
    br_result_close(r);
}

// Exits as a program does, with all that HDF5 wants to do then.
static void export_within(const char *from, const char *to, rlim_t bytes) {
    const struct rlimit limit = {bytes, bytes};
    br_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const br_status status = br_result_export(from, to, NULL, NULL, NULL, &error);
    struct stat s;
    const int whole = stat(to, &s) == 0;
    exit(status == BR_OK ? !whole : whole || strcmp(error.code, "file-unwritable") != 0);
}

// HDF5 1.10 cannot close a file that has no room for its last bytes; it crashes when the program ends.
static void a_full_disk_leaves_no_half_of_a_file(void **state) {
    (void)state;
    static const double t[] = {0, 0.1, 0.2};
    const br_result_header h = many_channels();
    char log[256], to[256];
    snprintf(log, sizeof log, "%s", write_rows("full.result", &h, t, 3));
    snprintf(to, sizeof to, "%s", temp_path("full.h5"));
    export_to(log, to);
    const size_t size = sample_size(to);
    for (size_t room = 0; room < size; room += 4096) {
        unlink(to);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) export_within(log, to, (rlim_t)room);
        expect_end(child);
        assert_int_not_equal(access(to, F_OK), 0);
    }
}

// -------------------------------------------------------------------------------------------------------------- glTF

// Where a frame more does not change the time, frames have to be counted, or there is no end of them.
static void frames_end_where_times_are_large(void **state) {
    (void)state;
    static const double t[] = {1e17, 1e17 + 64, 1e17 + 128};
    static const br_result_channel channels[] = {{"t", "s"}, {"b.position.x", "m"}};
    br_result_header h = sample_header();
    br_export_report report;
    br_error error;
    h.channels = channels;
    h.channel_count = 2;
    h.scene = "{\"bodies\": [{\"name\": \"b\"}], \"shapes\": []}";
    char log[256];
    snprintf(log, sizeof log, "%s", write_rows("late.result", &h, t, 3));
    alarm(60); // of a loop without end nothing else would be seen
    assert_int_equal(br_result_export(log, temp_path("late.glb"), NULL, NULL, &report, &error), BR_OK);
    alarm(0);
    assert_true(report.frames <= 128 * 30 + 2);
}

static void a_wrong_scene_is_told_of_the_result(void **state) {
    (void)state;
    static const double t[] = {0, 1};
    br_result_header h = sample_header();
    br_error error = {0};
    h.scene = "{\"bodies\": [\n";
    char log[256];
    snprintf(log, sizeof log, "%s", write_rows("wrong.result", &h, t, 2));
    assert_int_not_equal(br_result_export(log, temp_path("wrong.glb"), NULL, NULL, NULL, &error), BR_OK);
    assert_string_equal(error.code, "result-scene");
    assert_string_equal(error.file, "");
    assert_non_null(strstr(error.message, "the scene of the result, line 2"));
}

// -------------------------------------------------------------------------------------------------------------- pages

static char *page_of(const char *log) {
    const br_report_result list = {log, NULL};
    br_error error = {0};
    char template_path[256];
    snprintf(template_path, sizeof template_path, "%s", temp_write("template.html", template_text));
    assert_int_equal(br_report_write(template_path, &list, 1, NULL, NULL, temp_path("page.html"), &error),
                     BR_OK);
    return temp_read(temp_path("page.html"));
}

// A page reads its data as JSON: one escape that is none would leave it empty.
static void texts_with_wrong_escapes_do_not_reach_a_page(void **state) {
    (void)state;
    static const double t[] = {0, 1};
    static const char *const wrong[] = {"{\"bodies\": [], \"x\": \"\\q\"}",
                                        "{\"bodies\": [], \"x\": \"\\u12\"}",
                                        "{\"bodies\": [], \"x\": \"\\u12g4\"}"};
    for (int k = 0; k < 3; k++) {
        br_result_header h = sample_header();
        h.scene = wrong[k];
        char log[256];
        snprintf(log, sizeof log, "%s", write_rows("escape.result", &h, t, 2));
        temp_write("escape.trust.json", wrong[k]);
        char *page = page_of(log);
        assert_non_null(strstr(page, "\"scene\": null"));
        assert_non_null(strstr(page, "\"trust\": null"));
        free(page);
    }
}

// The page walks through them as a list of objects.
static void verdicts_that_are_none_do_not_reach_a_page(void **state) {
    (void)state;
    static const double t[] = {0, 1};
    static const char *const wrong[] = {"5", "{\"a\": 1}", "[5]", "[null]", "[{}, []]"};
    const br_result_header h = sample_header();
    char log[256];
    snprintf(log, sizeof log, "%s", write_rows("verdict.result", &h, t, 2));
    for (int k = 0; k < 5; k++) {
        temp_write("verdict.trust.json", wrong[k]);
        char *page = page_of(log);
        assert_non_null(strstr(page, "\"trust\": null"));
        free(page);
    }
    temp_write("verdict.trust.json", "[{\"verdict\": \"unique\", \"model\": \"023456789abcdef0\"}]");
    char *page = page_of(log);
    assert_non_null(strstr(page, "\"trust\": [{"));
    free(page);
}

// Files are copied and renamed: a verdict on one model is not shown beside the motion of another.
static void verdicts_of_another_model_do_not_reach_a_page(void **state) {
    (void)state;
    static const double t[] = {0, 1};
    static const char *const other[] = {
        "[{\"model\": \"123456789abcdef0\", \"verdict\": \"unique\"}]",
        "[{\"verdict\": \"unique\"}]",
        "[{\"model\": 5, \"verdict\": \"unique\"}]",
        "[{\"model\": \"023456789abcdef0\"}, {\"model\": \"023456789abcdef1\"}]",
    };
    const br_result_header h = sample_header();
    char log[256];
    snprintf(log, sizeof log, "%s", write_rows("other.result", &h, t, 2));
    for (int k = 0; k < 4; k++) {
        temp_write("other.trust.json", other[k]);
        char *page = page_of(log);
        assert_non_null(strstr(page, "\"trust\": null"));
        free(page);
    }
}

static void verdicts_that_are_a_pipe_are_not_waited_for(void **state) {
    (void)state;
    static const double t[] = {0, 1};
    const br_result_header h = sample_header();
    char log[256];
    snprintf(log, sizeof log, "%s", write_rows("pipe.result", &h, t, 2));
    assert_int_equal(mkfifo(temp_path("pipe.trust.json"), 0600), 0);
    alarm(60);
    free(page_of(log));
    export_to(log, temp_path("pipe.h5"));
    alarm(0);
}

static void names_of_a_table_have_no_control_characters(void **state) {
    (void)state;
    br_result *r = NULL;
    br_error error = {0};
    assert_int_not_equal(br_result_open(temp_write("x.csv", "t,a\x7f"
                                                            "b\n0,1\n"),
                                        NULL, &r, &error),
                         BR_OK);
    assert_string_equal(error.code, "result-table");
    assert_int_equal(error.line, 1);
}

// What a machine that lost power leaves: zeros where nothing arrived. The file is sparse and takes no room.
static br_result_kind end_with_zeros(const char *path, off_t size) {
    br_result *r = NULL;
    br_result_item item;
    br_error error = {0};
    assert_int_equal(truncate(path, size), 0);
    assert_int_equal(br_result_open(path, NULL, &r, &error), BR_OK);
    do assert_int_equal(br_result_next(r, &item, &error), BR_OK);
    while (item.kind != BR_RESULT_END && item.kind != BR_RESULT_CUT);
    br_result_close(r);
    return item.kind;
}

static void zeros_at_the_end_are_a_cut(void **state) {
    (void)state;
    const br_result_header h = sample_header();
    const off_t size = (off_t)64 << 20;
    assert_int_equal(end_with_zeros(sample_write("zeros.result", &h, 3, 0), size), BR_RESULT_CUT);
    assert_int_equal(end_with_zeros(temp_write("zeros.csv", "t,x\n0,1\n"), size), BR_RESULT_CUT);
    assert_int_equal(end_with_zeros(temp_write("zeros.csv", "t,x\n0,1\n1,"), size), BR_RESULT_CUT);
}

// Two gigabytes of header in a file that has them, as holes: no memory is taken before its checksum agrees.
static void a_header_that_is_all_holes_takes_no_memory(void **state) {
    (void)state;
    static const unsigned char begin[] = {0x8f, 'B', 'R', 'L', 'O', 'G', '\r', '\n',
                                          1,    0,   0,   0,   0,   0,   0,    0x10};
    const char *path = temp_write_bytes("holes.result", begin, sizeof begin);
    br_result *r = NULL;
    br_error error = {0};
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    assert_int_equal(truncate(path, (off_t)300 << 20), 0);
    assert_int_not_equal(br_result_open(path, &allocator, &r, &error), BR_OK);
    assert_string_equal(error.code, "result-damaged");
    assert_true(counter.largest < 1 << 20);
    assert_int_equal(counter.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_names_of_many_channels_do_not_end_the_program),
        cmocka_unit_test(channels_keep_their_order_through_hdf5),
        cmocka_unit_test(a_full_disk_leaves_no_half_of_a_file),
        cmocka_unit_test(frames_end_where_times_are_large),
        cmocka_unit_test(a_wrong_scene_is_told_of_the_result),
        cmocka_unit_test(texts_with_wrong_escapes_do_not_reach_a_page),
        cmocka_unit_test(verdicts_that_are_none_do_not_reach_a_page),
        cmocka_unit_test(verdicts_of_another_model_do_not_reach_a_page),
        cmocka_unit_test(verdicts_that_are_a_pipe_are_not_waited_for),
        cmocka_unit_test(names_of_a_table_have_no_control_characters),
        cmocka_unit_test(zeros_at_the_end_are_a_cut),
        cmocka_unit_test(a_header_that_is_all_holes_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
