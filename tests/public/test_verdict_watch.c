// Intervals of a run follow the motion's own states: what sticks for three steps, and what is nearest to sliding twice in thirty, falls
// between looks that are evenly spaced (eight of a run with four contacts).
#include "bristle/trust.h"
#include "scene.h"

#define WATCH_FOLDER BRISTLE_SOURCE_DIR "/tests/data/user_models/"

static br_trust_report judge(const char *path, double until) {
    scene s;
    br_error error = {0};
    br_trust_report report;
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    if (scene_try(path, "", &s, &error) != BR_OK) scene_fail(path, &error);
    if (br_trust_run(s.sim, until, &options, &report, &error) != BR_OK) scene_fail(path, &error);
    scene_close(&s);
    return report;
}

// mu g = 3.924 m/s^2, the table 7.2 sin(12 t): its velocity is followed through slip and stick by steps of a microsecond.
static void short_sticking_is_found(void **state) {
    (void)state;
    const double sticks[] = {0.301761, 0.568899, 0.830698}, slips[] = {0.309832, 0.571632, 0.833431};
    br_trust_report report = judge(WATCH_FOLDER "shaken_table.yaml", 1.0);
    assert_int_equal(report.intervals, 7);
    for (int k = 0; k < 7; k++) {
        const br_trust_interval *i = &report.interval[k];
        assert_int_equal(i->verdict, k % 2 ? BR_STICKS_ROBUST : BR_MOVES);
        if (k % 2 == 0) continue;
        assert_near(i->from, sticks[k / 2], 1e-4); // a tenth of a step
        assert_near(i->to, slips[k / 2], 1e-6);
    }
    assert_true(report.credible);
    br_trust_report_free(&report);
}

// 0.4 (9.81 - 5 sin(100 t)) < 2 while sin(100 t) > 0.962.
static void peaks_of_a_vibration_are_found(void **state) {
    (void)state;
    br_trust_report report = judge(WATCH_FOLDER "vibrating_table.yaml", 0.1);
    assert_int_equal(report.intervals, 5);
    for (int k = 0; k < 5; k++) {
        const br_trust_interval *i = &report.interval[k];
        assert_int_equal(i->verdict, k % 2 ? BR_STICKS_METASTABLE : BR_STICKS_ROBUST);
        if (k % 2 == 0) continue;
        assert_near(i->from, (asin(0.962) + k / 2 * 2.0 * BR_PI) / 100.0, 1e-5);
        assert_near(i->to, (BR_PI - asin(0.962) + k / 2 * 2.0 * BR_PI) / 100.0, 1e-5);
    }
    br_trust_report_free(&report);
}

static void what_is_driven_is_not_free_to_be_held(void **state) {
    (void)state;
    br_trust_report report = judge(WATCH_FOLDER "driven_cart.yaml", 1.0);
    assert_int_equal(report.intervals, 2);
    assert_int_equal(report.interval[0].verdict, BR_STICKS_ROBUST);
    assert_near(report.interval[0].to, 0.5, 1e-6);
    assert_int_equal(report.interval[1].verdict, BR_MOVES);
    assert_int_equal(report.reasons, 0);
    assert_true(report.credible);
    br_trust_report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_sticking_is_found),
        cmocka_unit_test(peaks_of_a_vibration_are_found),
        cmocka_unit_test(what_is_driven_is_not_free_to_be_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
