// Reports: what stands on the page is what the result holds; nothing of a model can leave its place on it; results that end
// early are shown as far as they go.
#include <math.h>

#include "base/hash.h"
#include "bristle/bristle.h"
#include "counting_allocator.h"
#include "near.h"
#include "temp_file.h"

static const char template_text[] = "<html><body><!--bristle-data--><p>after</p></body></html>";

static const char crate[] =
    "format: 1\n"
    "name: crate\n"
    "materials: {wood: {}, stone: {}}\n"
    "pairs: {wood/stone: {mu: 0.5}}\n"
    "bodies:\n"
    "  crate: {mass: 3, inertia: [0.0125, 0.025, 0.0325], pose: {position: [0, 0, 0.05]},\n"
    "    velocity: {linear: [2, 0, 0]}, shapes: [{name: box, box: {size: [0.3, 0.2, 0.1]}, material: "
    "wood}]}\n"
    "ground: [{name: floor, plane: {}, material: stone}]\n";

// ---------------------------------------------------------------------------------------------------- a result

enum { CHANNELS = 8, ROWS = 10001 };
static const br_result_channel channels[CHANNELS] = {{"t", "s"},
                                                     {"a.position.x", "m"},
                                                     {"a.position.y", "m"},
                                                     {"a.position.z", "m"},
                                                     {"a.rotation.w", "1"},
                                                     {"a.rotation.x", "1"},
                                                     {"a.rotation.y", "1"},
                                                     {"a.rotation.z", "1"}};

// Long, with one peak that lasts a single row.
enum { PEAK_ROW = 4321 };
static void row_at(int k, double row[CHANNELS]) {
    const double t = 1e-3 * k;
    const double values[CHANNELS] = {t, sin(t), k == PEAK_ROW ? 77.0 : 0.0, t, 1, 0, 0, 0};
    memcpy(row, values, sizeof values);
}

static br_result_header header_of(const char *model_text) {
    br_result_header h;
    memset(&h, 0, sizeof h);
    h.model_name = "long";
    h.model_path = "long.yaml";
    h.model_text = model_text;
    h.model_size = strlen(model_text);
    h.stepper = "contact";
    h.notes = "";
    h.until = 10;
    h.output = h.step = 1e-3;
    h.channels = channels;
    h.channel_count = CHANNELS;
    h.scene = "{\"format\": 1, \"bodies\": [{\"name\": \"a\"}], \"shapes\": []}";
    return h;
}

static const char *write_long(const char *name, const char *model_text, const char *event_name, int finish) {
    const br_result_header h = header_of(model_text);
    static char path[512]; // temp_path's own are taken in turns
    snprintf(path, sizeof path, "%s", temp_path(name));
    br_result_writer *w = NULL;
    br_event event = {0.5, BR_EVENT_SLIP, "", 1};
    br_result_end end = {.outcome = BR_RESULT_COMPLETE, .t = 10};
    snprintf(event.name, sizeof event.name, "%s", event_name);
    assert_int_equal(br_result_create(path, &h, NULL, &w, NULL), BR_OK);
    for (int k = 0; k < ROWS; k++) {
        double row[CHANNELS];
        row_at(k, row);
        assert_int_equal(br_result_row(w, row, NULL), BR_OK);
        if (k == 500) assert_int_equal(br_result_event(w, &event, NULL), BR_OK);
    }
    if (finish)
        assert_int_equal(br_result_finish(w, &end, NULL), BR_OK);
    else
        br_result_abandon(w);
    return path;
}

static char *page_of(const char *const *results, int count, const br_report_options *options) {
    br_report_result list[4];
    br_error error = {0};
    const char *page = temp_path("page.html");
    for (int k = 0; k < count; k++) list[k] = (br_report_result){results[k], NULL};
    const br_status status =
        br_report_write(temp_write("template.html", template_text), list, count, options, NULL, page, &error);
    if (status != BR_OK) print_message("%s\n", error.message);
    assert_int_equal(status, BR_OK);
    return temp_read(page);
}

// ------------------------------------------------------------------------------------------ reading the page back

static int digit(char c) {
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(base64, c);
    assert_non_null(at);
    return (int)(at - base64);
}

// The numbers of the blob that follows `key` in the page, decoded from its own piece of the text. To be freed.
static void *blob(const char *page, const char *key, const char *type, size_t *count) {
    const char *at = strstr(page, key), *bytes = strstr(page, "id=\"bristle-bytes\">");
    size_t begin = 0;
    char found[3] = "";
    assert_non_null(at);
    assert_non_null(bytes);
    assert_int_equal(
        sscanf(at + strlen(key), ": {\"at\": %zu, \"count\": %zu, \"type\": \"%2s\"", &begin, count, found),
        3);
    assert_string_equal(found, type);
    assert_int_equal(begin % 24, 0);
    const size_t size = *count * (size_t)(type[1] - '0');
    const char *text = strchr(bytes, '>') + 1 + begin / 3 * 4;
    unsigned char *out = malloc(size + 4);
    for (size_t k = 0; k < size; k += 3, text += 4) {
        const int x = digit(text[0]) << 18 | digit(text[1]) << 12 | digit(text[2]) << 6 | digit(text[3]);
        out[k] = (unsigned char)(x >> 16), out[k + 1] = (unsigned char)(x >> 8),
        out[k + 2] = (unsigned char)x;
    }
    return out;
}

static void thinning_keeps_every_peak_and_the_ends(void **state) {
    (void)state;
    const char *path = write_long("long.result", "format: 1\n", "hinge", 1);
    char *page = page_of(&path, 1, NULL);
    size_t points, values, frames, poses;
    double *t = blob(page, "\"series\": {\"count\": 3334, \"rows_per_point\": 3, \"t\"", "f8", &points);
    float *y = blob(page, "\"name\": \"a.position.y\", \"unit\": \"m\", \"values\"", "f4", &values);
    assert_int_equal(points, values);
    float highest = 0;
    for (size_t k = 0; k < values; k++) highest = y[k] > highest ? y[k] : highest;
    assert_true(highest == 77.0F);
    for (size_t k = 1; k < points; k++) assert_true(t[k] >= t[k - 1]);
    assert_true(t[0] >= 0 && t[0] < 0.01 && t[points - 1] <= 10 && t[points - 1] > 9.98);
    double *frame_t = blob(page, "\"frames\": {\"count\": 1000, \"t\"", "f8", &frames);
    float *pose = blob(page, "\"pose\"", "f4", &poses);
    assert_int_equal(frames, 1000);
    assert_int_equal(poses, 7000);
    assert_true(frame_t[0] == 0 && fabs(frame_t[999] - 10) < 1e-12);
    for (size_t k = 0; k < frames; k++)
        assert_true(pose[7 * k] == (float)sin(frame_t[k])); // the row's own number
    free(t), free(y), free(frame_t), free(pose), free(page);
}

static void a_short_result_is_kept_row_by_row(void **state) {
    (void)state;
    const char *path = write_long("long.result", "format: 1\n", "hinge", 1);
    const br_report_options options = {.points = 20000, .frames = 5, .title = "five frames"};
    char *page = page_of(&path, 1, &options);
    size_t count;
    double *t = blob(page, "\"rows_per_point\": 1, \"t\"", "f8", &count);
    assert_int_equal(count, ROWS);
    for (int k = 0; k < ROWS; k++) assert_true(t[k] == 1e-3 * k);
    double *frame_t = blob(page, "\"frames\": {\"count\": 5, \"t\"", "f8", &count);
    for (int k = 0; k < 5; k++) assert_true(frame_t[k] == 1e-3 * (2500 * k));
    assert_non_null(strstr(page, "\"title\": \"five frames\""));
    assert_non_null(strstr(page, "<p>after</p>"));
    free(t), free(frame_t), free(page);
}

// The page is one script element per kind of data; whatever a model calls its parts must not end it.
static void nothing_in_a_model_leaves_its_place(void **state) {
    (void)state;
    const char *evil = "# </script><script>alert(1)</script> <!-- & %s %n \xff\xfe \xed\xa0\x80\n";
    const char *path = write_long("long.result", evil, "</script><b>%s</b>", 1);
    char *page = page_of(&path, 1, NULL);
    int scripts = 0;
    for (const char *p = page; (p = strstr(p, "<script")) != NULL; p++) scripts++;
    assert_int_equal(scripts, 2);
    assert_null(strstr(page, "<b>"));
    assert_null(strstr(page, "<!--"));
    assert_non_null(strstr(page, "\\u003c/script\\u003e\\u003cb\\u003e%s"));
    assert_non_null(strstr(page, "%n \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\n"));
    free(page);
}

static void a_cut_result_says_what_is_missing(void **state) {
    (void)state;
    const char *path = write_long("long.result", "format: 1\n", "hinge", 0);
    char *page = page_of(&path, 1, NULL);
    assert_non_null(strstr(page, "\"outcome\": \"cut\", \"missing\": \"The result ends at t = 10 s of 10 s"));
    assert_non_null(strstr(page, "\"ledger\": null"));
    free(page);
    FILE *file = fopen(path, "r+b");
    fseek(file, 200000, SEEK_SET);
    fputc('x', file);
    fclose(file);
    page = page_of(&path, 1, NULL);
    assert_non_null(
        strstr(page, "\"outcome\": \"damaged\", \"missing\": \"The result can be read up to t = "));
    free(page);
}

static void two_results_have_labels_of_their_own(void **state) {
    (void)state;
    const char *path = write_long("long.result", "format: 1\n", "hinge", 1);
    const char *const both[] = {path, path};
    char *page = page_of(both, 2, NULL);
    assert_non_null(strstr(page, "\"label\": \"long\""));
    assert_non_null(strstr(page, "\"label\": \"long (2)\""));
    free(page);
}

static void a_template_without_its_mark_is_refused(void **state) {
    (void)state;
    const br_report_result list = {write_long("long.result", "format: 1\n", "hinge", 1), NULL};
    br_error error;
    assert_int_equal(br_report_write(temp_write("plain.html", "<html></html>"), &list, 1, NULL, NULL,
                                     temp_path("none.html"), &error),
                     BR_PARSE);
    assert_string_equal(error.code, "report-template");
    assert_int_equal(
        br_report_write(temp_path("missing.html"), &list, 1, NULL, NULL, temp_path("none.html"), &error),
        BR_IO);
    assert_int_equal(
        br_report_write(temp_path("plain.html"), &list, 0, NULL, NULL, temp_path("none.html"), &error),
        BR_INVALID);
    assert_string_equal(error.code, "report-count");
    FILE *file = fopen(temp_path("none.html"), "r");
    assert_null(file);
}

static void allocation_failing_at_every_call_is_survived(void **state) {
    (void)state;
    const br_report_result list = {write_long("long.result", "format: 1\n", "hinge", 1), NULL};
    char template_path[512];
    snprintf(template_path, sizeof template_path, "%s", temp_write("template.html", template_text));
    for (int k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_error error;
        const br_status status =
            br_report_write(template_path, &list, 1, NULL, &allocator, temp_path("page.html"), &error);
        assert_int_equal(counter.live, 0);
        if (status == BR_OK) break;
        assert_int_equal(status, BR_NO_MEMORY);
        assert_true(k < 1000);
    }
}

// ----------------------------------------------------------------------------------------------------------- scene

static void a_scene_has_what_a_picture_needs(void **state) {
    (void)state;
    br_model *model = NULL;
    br_sim *sim = NULL;
    char *scene = NULL;
    br_error error;
    assert_int_equal(br_model_read_text(crate, strlen(crate), "crate", NULL, 0, NULL, &model, NULL, &error),
                     BR_OK);
    assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_OK);
    assert_int_equal(br_scene_text(sim, &scene, &error), BR_OK);
    assert_non_null(strstr(scene, "\"name\": \"box\", \"body\": 0, \"material\": \"wood\""));
    assert_non_null(strstr(scene, "\"kind\": \"box\", \"size\": [0.3, 0.2, 0.1]"));
    assert_non_null(strstr(scene, "\"kind\": \"plane\""));
    // m (b^2 + c^2)/12 of the crate's own inertia: the box is the crate, its longest edge along the smallest moment
    assert_non_null(strstr(scene, "\"box\": {\"size\": [0.3, 0.2, 0.1]"));
    br_text_free(scene);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinning_keeps_every_peak_and_the_ends),
        cmocka_unit_test(a_short_result_is_kept_row_by_row),
        cmocka_unit_test(nothing_in_a_model_leaves_its_place),
        cmocka_unit_test(a_cut_result_says_what_is_missing),
        cmocka_unit_test(two_results_have_labels_of_their_own),
        cmocka_unit_test(a_template_without_its_mark_is_refused),
        cmocka_unit_test(allocation_failing_at_every_call_is_survived),
        cmocka_unit_test(a_scene_has_what_a_picture_needs),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
