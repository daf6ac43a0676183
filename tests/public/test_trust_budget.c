// Budgets of verdicts: counted, the same every time, and what they do not reach is said; what cannot be judged is not called credible.
#include "bristle/trust.h"
#include "scene.h"

static br_trust_report judge(const char *path, double budget, double until) {
    scene s = scene_open(path, "");
    br_trust_report report;
    br_error error = {0};
    br_trust_options options = br_default_trust_options();
    options.budget = budget;
    const br_status status = until > 0.0 ? br_trust_run(s.sim, until, &options, &report, &error)
                                         : br_trust_instant(s.sim, &options, &report, &error);
    if (status != BR_OK) scene_fail(path, &error);
    scene_close(&s);
    return report;
}

// Nothing of it is left out for its beams or play.
static void models_with_beams_or_play_are_judged(void **state) {
    (void)state;
    static const char *const scenes[] = {"flexible/four_bar.yaml", "clearance/slider_crank.yaml",
                                         "flexible/swinging_beam.yaml"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int instant = 0; instant < 2; instant++) {
            br_trust_report r = judge(scenes[k], 0.0, instant ? 0.0 : 0.01);
            assert_true(r.intervals >= 1);
            for (int i = 0; i < r.intervals; i++) assert_int_not_equal(r.interval[i].verdict, BR_NOT_JUDGED);
            assert_false(r.not_judged);
            br_trust_report_free(&r);
        }
}

// The intervals of a small budget are those of a large one, up to where it ends.
static void a_budget_ends_the_search_and_says_so(void **state) {
    (void)state;
    br_trust_report all = judge("papers/wojtyra_example_3.yaml", 0.0, 4.0);
    assert_int_equal(all.intervals, 4);
    assert_true(all.work > 0.0);
    for (double part = 0.02; part < 1.0; part *= 2.0) {
        br_trust_report r = judge("papers/wojtyra_example_3.yaml", part * all.work, 4.0);
        br_trust_report again = judge("papers/wojtyra_example_3.yaml", part * all.work, 4.0);
        assert_true(r.work == again.work && r.intervals == again.intervals && r.reasons == again.reasons);
        assert_false(r.credible);
        assert_true(r.reasons > 0);
        assert_string_equal(r.reason[r.reasons - 1].what, "not_judged");
        assert_true(r.interval[r.intervals - 1].to == 4.0);
        for (int k = 0; k < r.intervals; k++) {
            assert_true(r.interval[k].from == again.interval[k].from);
            if (r.interval[k].verdict != BR_NOT_JUDGED)
                assert_int_equal(r.interval[k].verdict, all.interval[k].verdict);
        }
        br_trust_report_free(&r);
        br_trust_report_free(&again);
    }
    br_trust_report_free(&all);
}

static void verdicts_name_what_they_are_about(void **state) {
    (void)state;
    br_trust_report r = judge("papers/wojtyra_example_2.yaml", 0.0, 4.0);
    assert_int_equal(r.intervals, 3); // neighbours have different verdicts
    for (int k = 0; k < r.intervals; k++) assert_string_equal(r.interval[k].of, "slide_1 and slide_2");
    assert_string_equal(r.reason[0].what, "slid_where_held");
    assert_int_equal(r.reason[0].interval, 1);
    assert_true(r.reason[0].value < r.reason[0].limit);
    br_trust_report_free(&r);
}

typedef struct heard {
    int calls;
    double part;
} heard;

static void hear(void *context, double t, double part) {
    heard *h = context;
    (void)t;
    h->calls++;
    assert_true(part >= h->part);
    h->part = part;
}

static void progress_is_told_and_only_rises(void **state) {
    (void)state;
    scene s = scene_open("papers/wojtyra_example_3.yaml", "");
    br_trust_report report;
    br_error error = {0};
    br_trust_options options = br_default_trust_options();
    heard h = {0, 0.0};
    options.progress = hear, options.progress_context = &h;
    assert_int_equal(br_trust_run(s.sim, 0.5, &options, &report, &error), BR_OK);
    assert_true(h.calls > 10 && h.part > 0.0 && h.part < 1.0);
    br_trust_report_free(&report);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_with_beams_or_play_are_judged),
        cmocka_unit_test(a_budget_ends_the_search_and_says_so),
        cmocka_unit_test(verdicts_name_what_they_are_about),
        cmocka_unit_test(progress_is_told_and_only_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
