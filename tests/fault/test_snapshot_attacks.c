// Bytes that are not those of a snapshot are refused, whatever was done to them, and nothing is read behind their end: each copy is
// given in memory of just its length, so that AddressSanitizer sees a byte too many.
#include "scene.h"

enum { FLIPS = 7500 };

static const struct {
    const char *path, *settings;
} models[] = {
    {"gallery/dominoes.yaml", ""},
    {"templates/two_sliders.yaml", "solver.stepper=contact"},
    {"flexible/four_bar.yaml", ""},
};
enum { MODELS = sizeof models / sizeof *models };

static scene open_and_run(int k) {
    scene s = scene_open(models[k].path, models[k].settings);
    br_error error = {0};
    for (int i = 0; i < 25; i++)
        if (br_sim_step(s.sim, &error) != BR_OK) scene_fail(models[k].path, &error);
    return s;
}

static void *exactly(const void *bytes, size_t size) {
    void *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void assert_refused(br_sim *sim, const void *bytes, size_t size, const char *what, size_t which) {
    br_error error = {0};
    void *copy = exactly(bytes, size);
    if (br_sim_load(sim, copy, size, &error) == BR_OK) fail_msg("%s %zu was accepted", what, which);
    assert_true(error.code && strncmp(error.code, "snapshot-", 9) == 0 && error.message[0]);
    free(copy);
}

static void turned_and_cut_bytes_are_refused(void **state) {
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        scene s = open_and_run(k);
        const size_t size = br_sim_snapshot_size(s.sim);
        unsigned char *bytes = malloc(size), *after = malloc(size);
        assert_true(bytes && after);
        br_sim_save(s.sim, bytes);
        unsigned random = 2026u;
        for (int trial = 0; trial < FLIPS; trial++) {
            random = random * 1664525u + 1013904223u;
            const size_t bit = (size_t)(((uint64_t)random << 16 ^ random) % (size * 8));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_refused(s.sim, bytes, size, "a turned bit", bit);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        for (size_t length = 0; length < size; length++)
            assert_refused(s.sim, bytes, length, "a cut at", length);
        unsigned char *longer = calloc(1, size + 8);
        assert_non_null(longer);
        memcpy(longer, bytes, size);
        assert_refused(s.sim, longer, size + 8, "something behind it,", 8);
        free(longer);
        assert_int_equal(br_sim_snapshot_size(s.sim), size);
        br_sim_save(s.sim, after);
        assert_memory_equal(after, bytes, size); // and nothing changed
        br_error error = {0};
        assert_int_equal(br_sim_load(s.sim, bytes, size, &error), BR_OK);
        free(bytes);
        free(after);
        scene_close(&s);
    }
}

static void snapshots_of_others_are_refused(void **state) {
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        scene a = open_and_run(k), b = open_and_run((k + 1) % MODELS);
        br_error error = {0};
        const size_t size = br_sim_snapshot_size(a.sim);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        br_sim_save(a.sim, bytes);
        assert_int_equal(br_sim_load(b.sim, bytes, size, &error), BR_INVALID);
        assert_string_equal(error.code, "snapshot-other");
        free(bytes);
        scene_close(&a);
        scene_close(&b);
    }
}

// The bytes may lie anywhere.
static void a_snapshot_need_not_be_aligned(void **state) {
    (void)state;
    scene s = open_and_run(0);
    br_error error = {0};
    const size_t size = br_sim_snapshot_size(s.sim);
    unsigned char *bytes = malloc(size + 3);
    assert_non_null(bytes);
    br_sim_save(s.sim, bytes + 3);
    assert_int_equal(br_sim_load(s.sim, bytes + 3, size, &error), BR_OK);
    free(bytes);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_and_cut_bytes_are_refused),
        cmocka_unit_test(snapshots_of_others_are_refused),
        cmocka_unit_test(a_snapshot_need_not_be_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
