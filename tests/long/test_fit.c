// Fits of many data sets: intervals that cover as often as they say, stick-slip from anywhere.
#include "bristle/fit.h"
#include "measured.h"

enum { SETS = 1000, STARTS = 20 };

static const char slider[] =
    "format: 1\nname: slider\n"
    "params: {mu: {value: 0.1, from: 0.02, to: 0.6}, c: {value: 2 N s/m, from: 0.1 N s/m, to: 12 N s/m}}\n"
    "bodies: {block: {mass: 1 kg}}\n"
    "joints:\n  rail: {prismatic: [world, block], axis: x, position: 0.3 m, damping: $c, spring: {stiffness: "
    "50 N/m},\n"
    "    friction: {law: coulomb, mu_static: $mu, mu_kinetic: $mu, load: reaction}}\n"
    "solver: {step: 4 ms}\nrun: {until: 1 s}\n";

static const char stick_slip[] =
    "format: 1\nname: stick_slip\n"
    "params: {mu_s: {value: 0.3, from: 0.05, to: 1.5}, mu_k: {value: 0.2, from: 0.03, to: 1}}\n"
    "bodies: {block: {mass: 1 kg}}\n"
    "joints:\n  rail: {prismatic: [world, block], axis: x,\n"
    "    friction: {law: coulomb, mu_static: \"max($mu_s, $mu_k)\", mu_kinetic: $mu_k, load: reaction}}\n"
    "drives: {pull: {joint: rail, servo: {position: 0.1 m/s * t, stiffness: 60 N/m, damping: 0 N s/m}}}\n"
    "solver: {step: 4 ms}\nrun: {until: 2 s}\n";

static br_fit_report fit_file(const char *path, const char *data, const br_override *set, int sets,
                              const char *const *names, const br_fit_options *options) {
    br_measured_def def = br_default_measured_def();
    br_measured *m = NULL;
    br_fit_options o = *options;
    br_fit_report fit;
    br_error error;
    memset(&error, 0, sizeof error), memset(&fit, 0, sizeof fit);
    def.path = path, def.data = &data, def.data_count = 1, def.start = "model", def.override = set,
    def.override_count = sets;
    o.name = names, o.count = 2;
    if (br_measured_read(&def, NULL, &m, &error) != BR_OK || br_fit(m, &o, NULL, &fit, &error) != BR_OK)
        fail_msg("%s", error.message);
    br_measured_destroy(m);
    return fit;
}

// 87 to 93 %: of 1,000 sets a correct 90 % lies outside of that one time in six hundred.
static void intervals_of_ninety_percent_cover_ninety_percent(void **state) {
    (void)state;
    static const char *const names[] = {"mu", "c"};
    static const double truth[] = {0.1, 2};
    int covered[2] = {0, 0}, sets = SETS;
    rng random = {2026};
    const char *few = getenv("BRISTLE_FIT_SETS"); // to try a part of it
    if (few) sets = atoi(few);
    measured_write("slider.yaml", slider);
    for (int k = 0; k < sets; k++) {
        br_fit_options o = br_default_fit_options();
        o.starts = 0, o.threads = 1;
        measured_make("slider.csv", slider, NULL, 0, "rail.position", 0.02, 51, 0.003, &random);
        br_fit_report fit = fit_file("slider.yaml", "slider.csv", NULL, 0, names, &o);
        for (int i = 0; i < 2; i++)
            covered[i] += fit.estimate[i].low <= truth[i] && truth[i] <= fit.estimate[i].high;
        br_fit_report_free(&fit);
    }
    for (int i = 0; i < 2; i++)
        print_message("%s: %.1f %% of %d\n", names[i], 100.0 * covered[i] / sets, sets);
    for (int i = 0; i < 2 && sets == SETS; i++) assert_in_range(covered[i], 870, 930);
}

static void stick_slip_is_found_from_nineteen_of_twenty_starts(void **state) {
    (void)state;
    static const char *const names[] = {"mu_s", "mu_k"};
    rng random = {7};
    int good = 0;
    measured_write("stick_slip.yaml", stick_slip);
    measured_make("stick_slip.csv", stick_slip, NULL, 0, "rail.position", 0.02, 81, 0, NULL);
    for (int k = 0; k < STARTS; k++) {
        char text[2][40];
        br_fit_options o = br_default_fit_options();
        o.quick = 1;
        snprintf(text[0], sizeof text[0], "%.6g", 0.05 * pow(30, rng_uniform(&random, 0, 1)));
        snprintf(text[1], sizeof text[1], "%.6g", 0.03 * pow(33, rng_uniform(&random, 0, 1)));
        const br_override set[] = {{"mu_s", text[0]}, {"mu_k", text[1]}};
        br_fit_report fit = fit_file("stick_slip.yaml", "stick_slip.csv", set, 2, names, &o);
        // 1 %: the instants of sticking and slipping lie on steps, so that the sum of squares has small jumps.
        good += fit.outcome == BR_FIT_CONVERGED && fabs(fit.estimate[0].value - 0.3) < 0.003 &&
                fabs(fit.estimate[1].value - 0.2) < 0.002;
        br_fit_report_free(&fit);
    }
    print_message("%d of %d starts\n", good, STARTS);
    assert_true(good >= 19);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_ninety_percent_cover_ninety_percent),
        cmocka_unit_test(stick_slip_is_found_from_nineteen_of_twenty_starts),
    };
    if (!measured_folder()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
