// Model files that were made to do harm, or that something went wrong with: refused with a named error, without a
// crash, without memory or time beyond their size.
#include <sys/stat.h>

#include "bristle/io.h"
#include "random.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define HOSTILE BRISTLE_SOURCE_DIR "/tests/data/hostile/"

static br_status read_file(const char *path, br_error *error) {
    br_model *model = NULL;
    memset(error, 0, sizeof *error);
    const br_status status = br_model_read(path, NULL, 0, NULL, &model, NULL, error);
    br_model_destroy(model);
    return status;
}

static br_status read_bytes(const char *bytes, size_t size, br_error *error) {
    br_model *model = NULL;
    memset(error, 0, sizeof *error);
    const br_status status =
        br_model_read_text(bytes, size, "hostile.yaml", NULL, 0, NULL, &model, NULL, error);
    if (status != BR_OK) assert_null(model);
    if (status != BR_OK) assert_non_null(br_explain(error->code));
    br_model_destroy(model);
    return status;
}

static void files_of_the_collection(void **state) {
    (void)state;
    static const struct {
        const char *file, *code;
    } row[] = {{"y_cycle.yaml", "yaml-alias"},
               {"y_hugeint.yaml", "yaml-format"},
               {"y_norway.yaml", "yaml-format"},
               {"y_tag.yaml", "yaml-tag"},
               {"y_utf16.yaml", "yaml-encoding"}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        char path[512];
        br_error error;
        snprintf(path, sizeof path, HOSTILE "%s", row[k].file);
        assert_int_not_equal(read_file(path, &error), BR_OK);
        assert_string_equal(error.code, row[k].code);
        assert_string_equal(error.file, path);
        assert_true(error.line >= 1 && error.column >= 1);
    }
}

// `count` times `piece`, read as a model.
static void refuse_repeated(const char *begin, const char *piece, size_t count, const char *code) {
    const size_t length = strlen(piece), head = strlen(begin);
    char *text = malloc(head + count * length + 1);
    assert_non_null(text);
    memcpy(text, begin, head);
    for (size_t k = 0; k < count; k++) memcpy(text + head + k * length, piece, length);
    br_error error;
    assert_int_not_equal(read_bytes(text, head + count * length, &error), BR_OK);
    if (strcmp(error.code, code) != 0) print_error("%.30s: %s\n", piece, error.message);
    assert_string_equal(error.code, code);
    assert_true(strlen(error.message) < 400);
    free(text);
}

static void nesting_is_refused_before_it_hurts(void **state) {
    (void)state;
    refuse_repeated("", "{a: ", 20000, "yaml-depth");
    refuse_repeated("", "[", 1000000, "yaml-depth");
    refuse_repeated("", "- ", 100000, "yaml-depth");
    refuse_repeated("", "? ", 100000, "yaml-key");
    refuse_repeated("format: 1\nbodies:\n  a:\n    mass: ", "(", 100000, "expression-too-long");
    refuse_repeated("format: 1\nbodies:\n  a:\n    mass: ", "-", 1000, "expression-too-deep");
}

static void long_words_are_cut_in_the_message(void **state) {
    (void)state;
    refuse_repeated("", "x", 3000000, "yaml-type");
    refuse_repeated("format: 1\n\"", "y", 100000, "yaml-syntax");
    refuse_repeated("format: ", "1", 100000, "yaml-format");
    refuse_repeated("format: 1\nbodies: {a: {mass: ", "9", 100000, "yaml-syntax");
}

static void a_bomb_of_aliases(void **state) {
    (void)state;
    static const char text[] =
        "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
        "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c]\n";
    br_error error;
    assert_int_equal(read_bytes(text, sizeof text - 1, &error), BR_PARSE);
    assert_string_equal(error.code, "yaml-alias");
    assert_int_equal(error.line, 1);
}

static void bytes_that_are_no_text(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *code;
        int line, column;
    } row[] = {
        {"a: x\0y\n", 7, "yaml-control", 1, 5},       {"a: 1\nb: \xff\xfe\n", 11, "yaml-encoding", 2, 4},
        {"a: \"x\\0y\"\n", 10, "yaml-control", 1, 5}, {"\xc3\xb6: \xc0\xaf\n", 7, "yaml-encoding", 1, 4},
        {"a: \x1b[2J\n", 8, "yaml-control", 1, 4},    {"\0\0\xfe\xff", 4, "yaml-encoding", 1, 1},
        {"\xed\xa0\x80", 3, "yaml-encoding", 1, 1},   {"", 0, "yaml-empty", 1, 1},
        {"# nothing\n", 10, "yaml-empty", 1, 1},      {"\xEF\xBB\xBF", 3, "yaml-empty", 1, 1},
    };
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        br_error error;
        assert_int_equal(read_bytes(row[k].bytes, row[k].size, &error), BR_PARSE);
        assert_string_equal(error.code, row[k].code);
        assert_int_equal(error.line, row[k].line);
        assert_int_equal(error.column, row[k].column);
    }
}

static void what_is_not_a_file(void **state) {
    (void)state;
    br_error error;
    assert_int_equal(read_file(temp_folder, &error), BR_IO);
    assert_string_equal(error.code, "file-is-folder");
    assert_int_equal(read_file(temp_path("nothing.yaml"), &error), BR_IO);
    assert_string_equal(error.code, "file-missing");
    assert_int_equal(read_file("/dev/zero", &error), BR_IO);
    assert_string_equal(error.code, "file-unreadable");
    assert_int_equal(read_file("", &error), BR_IO);
    const char *path = temp_write("large.yaml", "");
    assert_int_equal(truncate(path, 65L << 20), 0);
    assert_int_equal(read_file(path, &error), BR_TOO_LARGE);
    assert_string_equal(error.code, "file-too-large");
    assert_int_equal(read_file(temp_write("robot.urdf", "<robot/>"), &error), BR_INVALID);
    assert_string_equal(error.code, "urdf-missing");
}

// Chains as long as the model: nothing recurses over them.
static void a_long_chain_of_poses(void **state) {
    (void)state;
    enum { BODIES = 50000, LINE = 100 };
    char *text = malloc((size_t)BODIES * LINE + 100);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "format: 1\nbodies:\n  b0: {mass: 1, inertia: [1, 1, 1]}\n");
    for (int k = BODIES - 1; k > 0; k--)
        n += (size_t)sprintf(text + n,
                             "  b%d: {mass: 1, inertia: [1, 1, 1], pose: {in: b%d, position: [1, 0, 0]}}\n",
                             k, k - 1);
    br_error error;
    assert_int_equal(read_bytes(text, n, &error), BR_OK);
    n += (size_t)sprintf(text + n, "  b0: {mass: 1}\n");
    assert_int_equal(read_bytes(text, n, &error), BR_PARSE);
    assert_string_equal(error.code, "yaml-duplicate-key");
    assert_int_equal(error.line, BODIES + 3);
    free(text);
}

static void numbers_that_are_none(void **state) {
    (void)state;
    static const char *const value[] = {"1e400",         "nan", ".nan", "inf",      ".inf",     "-.inf",
                                        "1e99999999999", "1/0", "0/0",  "\"\"",     "0x1F",     "1_000",
                                        "1e3 kg kg",     "$",   "$$m",  "sqrt(-1)", "9^9^9^9^9"};
    for (size_t k = 0; k < sizeof value / sizeof value[0]; k++) {
        char text[128];
        br_error error;
        const int n = snprintf(text, sizeof text, "format: 1\nbodies:\n  a:\n    mass: %s\n", value[k]);
        const br_status status = read_bytes(text, (size_t)n, &error);
        if (status == BR_OK) print_error("%s was taken for a mass\n", value[k]);
        assert_int_not_equal(status, BR_OK);
        assert_int_equal(error.line, 4);
    }
    br_error error;
    static const char huge[] =
        "format: 1\nbodies:\n  a: {mass: 99999999999999999999999, inertia: [1e3, 1e3, 1e3]}\n";
    assert_int_equal(read_bytes(huge, sizeof huge - 1, &error), BR_OK);
}

// ---------------------------------------------------------------------------------------------------- mutations

static const char good[] =
    "format: 1\nname: everything\nunits: {angle: deg}\nparams: {m: 1 kg, l: \"max(1, 2) m\"}\n"
    "gravity: [0, 0, -9.81]\ncoordinates: reduced\nmaterials: {steel: {}, rubber: {}}\n"
    "pairs:\n  steel/rubber: {mu_static: 0.5, mu_kinetic: 0.3, restitution: 0.1, bristle: {stiffness: inf}}\n"
    "bodies:\n  a: {mass: $m, inertia: {box: {size: [1, 2, $l]}}, pose: {position: [0, 0, 1], euler_zxy: [0, "
    "20, 0]}}\n"
    "  b:\n    mass: 2*$m\n    inertia: [1, 1, 1, 0, 0, 0]\n    pose: {in: a, position: [0, 1, 0]}\n"
    "    frames: {tip: {position: [0, 0, 1]}}\n    shapes: [{sphere: {radius: 5 cm}, material: rubber}]\n"
    "joints:\n  ja: {revolute: [world, a], axis: [0, 1, 0], at: {a: [0, 0, 0]}, limits: [-90, 90], damping: "
    "0.1}\n"
    "  jb: {universal: [a, b], axes: [[1, 0, 0], [0, 1, 0]], at: b.tip, spring: {stiffness: [1, 2], rest: "
    "[0, 0]}}\n"
    "loads:\n  push: {body: b, force: [1, \"5*sin(t) + ja.position\", {table: [[0, 0], [1, 2]]}], at: "
    "b.tip}\n"
    "  pull: {spring: [world, b], at: {b: [0, 0, 1]}, stiffness: 10}\n"
    "drives:\n  motor: {joint: ja, servo: {position: 10*t, stiffness: 5, damping: 1}, max_torque: 3}\n"
    "constraints:\n  link: {terms: [{joint: ja}, {joint: jb, coordinate: 1, coefficient: -2}], value: 0}\n"
    "contact: {law: polygon(8)}\nsolver: {stepper: contact, step: 1 ms}\nrun: {until: 3 s}\noutputs: "
    "[a.position.x]\n";

static void the_good_one_is_good(void **state) {
    (void)state;
    br_error error;
    const br_status status = read_bytes(good, sizeof good - 1, &error);
    if (status != BR_OK) print_error("%d:%d: %s\n", error.line, error.column, error.message);
    assert_int_equal(status, BR_OK);
}

static void every_truncation(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof good; n++) {
        br_error error;
        read_bytes(good, n, &error);
    }
}

static void random_bytes(void **state) {
    (void)state;
    rng random = {11};
    char text[300];
    for (int run = 0; run < 3000; run++) {
        const size_t n = (size_t)rng_below(&random, sizeof text);
        static const char likely[] = "{}[]:,-? \n\"'#&*!|>%@`$()0a\t\\~";
        for (size_t k = 0; k < n; k++)
            text[k] = run % 2 ? (char)rng_below(&random, 256) : likely[rng_below(&random, sizeof likely - 1)];
        br_error error;
        assert_int_not_equal(read_bytes(text, n, &error), BR_OK);
    }
}

// Bytes changed, pieces cut, repeated and moved.
static void mutations_of_a_good_file(void **state) {
    (void)state;
    rng random = {7};
    char text[2 * sizeof good];
    for (int run = 0; run < 4000; run++) {
        size_t n = sizeof good - 1;
        memcpy(text, good, n);
        for (int k = 1 + rng_below(&random, 4); k > 0; k--) {
            const size_t at = (size_t)rng_below(&random, (int)n);
            const size_t length = 1 + (size_t)rng_below(&random, 12);
            switch (rng_below(&random, 4)) {
            case 0:
                text[at] = (char)(1 + rng_below(&random, 255));
                break;
            case 1:
                text[at] = "{}[]:, \n\"'&*-0"[rng_below(&random, 14)];
                break;
            case 2:
                if (at + length <= n) {
                    memmove(text + at, text + at + length, n - at - length);
                    n -= length;
                }
                break;
            default:
                if (at + length <= n && n + length < sizeof text) {
                    memmove(text + at + length, text + at, n - at);
                    n += length;
                }
                break;
            }
        }
        br_error error;
        read_bytes(text, n, &error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_collection),
        cmocka_unit_test(nesting_is_refused_before_it_hurts),
        cmocka_unit_test(long_words_are_cut_in_the_message),
        cmocka_unit_test(a_bomb_of_aliases),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(what_is_not_a_file),
        cmocka_unit_test(a_long_chain_of_poses),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(the_good_one_is_good),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(mutations_of_a_good_file),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
