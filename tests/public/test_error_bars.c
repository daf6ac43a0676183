// Error bars of three runs (bristle/bars.h): the truth lies inside, and bars are not much wider than the error.
#include "bristle/bars.h"
#include "scene.h"

#define TINY 1e-10 // of the size of a quantity: errors below are rounding, and nobody asks for their bar

typedef struct barred {
    const char *path, *stepper, *theta;
    double step, until; // s: the coarse step, or the coarse tolerance of the reference stepper
} barred;

// Smooth mechanisms whose answers are published or closed forms, and motions that impacts and friction break up. Truth: the same
// equations with steps sixteen times as small as the finest of the three, whose own error is at least as many times smaller.
static const barred scenes[] = {
    {"benchmark/pendulum.yaml", "contact", NULL, 4e-3, 1},
    {"benchmark/heavy_top.yaml", "contact", NULL, 1e-3, 0.5},
    {"benchmark/heavy_top_precession.yaml", "contact", NULL, 1e-3, 0.5},
    {"benchmark/four_bar_2.yaml", "contact", NULL, 4e-3, 1},
    {"adams/revolute.yaml", "contact", NULL, 4e-3, 1},
    {"adams/prismatic.yaml", "contact", NULL, 4e-3, 1},
    {"adams/cylindrical.yaml", "contact", NULL, 4e-3, 1},
    {"adams/spherical.yaml", "contact", NULL, 4e-3, 1},
    {"adams/universal.yaml", "contact", NULL, 4e-3, 1},
    {"adams/rot_spring.yaml", "contact", NULL, 4e-3, 1},
    {"adams/trans_spring.yaml", "contact", NULL, 4e-3, 1},
    {"adams/rev_spherical_01.yaml", "contact", NULL, 4e-3, 1},
    {"adams/distance.yaml", "contact", NULL, 4e-3, 1},
    {"adams/rack_pinion.yaml", "contact", NULL, 4e-3, 1},
    {"contact/bouncing_ball.yaml", "contact", NULL, 1e-3, 1},
    {"contact/sphere_slide_to_roll.yaml", "contact", NULL, 2e-3, 0.5},
    {"contact/cylinder_slide_to_roll.yaml", "contact", NULL, 2e-3, 0.5},
    {"contact/box_on_plane.yaml", "contact", NULL, 2e-3, 0.3},
    {"bench/box_slide.yaml", "contact", NULL, 2e-3, 0.3},
    {"contact/two_spheres.yaml", "contact", NULL, 2e-3, 0.3},
    {"bench/wheel.yaml", "contact", NULL, 2e-3, 0.5},
    {"benchmark/pendulum.yaml", "contact", "1", 4e-3, 1},
    {"adams/rot_spring.yaml", "contact", "0.7", 4e-3, 1},
    {"benchmark/pendulum.yaml", "reference", NULL, 1e-6, 1},
    {"adams/rot_spring.yaml", "reference", NULL, 1e-6, 1},
    {"contact/two_spheres.yaml", "reference", NULL, 1e-6, 0.3},
    {"gallery/breakaway.yaml", "contact", NULL, 2e-3, 0.5},
};
enum { SCENES = sizeof scenes / sizeof *scenes, MOST = 20000 };

typedef struct tally {
    int all, large, inside, ratios;
    double ratio[MOST];
} tally;

static void finer_models(br_builder *builder, br_model *model[3]) {
    br_error error = {0};
    for (int k = 1; k < 3; k++) {
        const br_settings finer = br_bars_finer(model[0], k);
        assert_int_equal(br_builder_settings(builder, &finer, &error), BR_OK);
        assert_int_equal(br_model_create(builder, &model[k], &error), BR_OK);
    }
}

static br_bars_report bars_of_models(br_builder *builder, br_model *model[3], double until) {
    br_bars_report report;
    br_error error = {0};
    br_bars_options options = br_default_bars_options();
    finer_models(builder, model);
    br_bars_settings(model[0], &options);
    const br_model *const models[3] = {model[0], model[1], model[2]};
    if (br_bars(models, until, &options, &report, &error) != BR_OK) scene_fail("bars", &error);
    for (int k = 0; k < 3; k++) br_model_destroy(model[k]);
    br_builder_destroy(builder);
    return report;
}

// Of runs with steps h, h/2, h/4, or tolerances h, h/10, h/100; the finer ones as br_bars_finer has them.
static br_bars_report bars_of(const barred *b, double h) {
    br_model *model[3];
    br_builder *builder;
    br_error error = {0};
    char path[512], value[40];
    snprintf(path, sizeof path, SCENE_FOLDER "%s", b->path);
    snprintf(value, sizeof value, "%.17g", h);
    const br_override set[] = {{"solver.stepper", b->stepper},
                               {strcmp(b->stepper, "reference") == 0 ? "solver.tol" : "solver.step", value},
                               {"solver.theta", b->theta ? b->theta : "0.5"}};
    if (br_model_read(path, set, strcmp(b->stepper, "contact") == 0 ? 3 : 2, NULL, &model[0], &builder,
                      &error) != BR_OK)
        scene_fail(b->path, &error);
    return bars_of_models(builder, model, b->until);
}

static void count(const br_bar *bar, int bars, const br_bar *truth, int truths, tally *own, tally *all) {
    for (int k = 0; k < bars; k++) {
        const br_bar *x = &bar[k], *y = NULL;
        for (int i = 0; i < truths && !y; i++)
            if (strcmp(truth[i].name, x->name) == 0) y = &truth[i];
        if (x->state == BR_BAR_UNMATCHED) continue; // it has no bar, and says so
        assert_non_null(y);
        const double error = fabs(x->value - y->value);
        own->all++;
        if (!(error > TINY * x->size)) continue;
        own->large++, own->inside += error <= x->bar;
        if (all->ratios < MOST) all->ratio[all->ratios++] = x->bar / error;
        if (error > x->bar)
            print_message("    %-30s %.9g +- %.2g, off by %.2g, order %.2f %s\n", x->name, x->value, x->bar,
                          error, x->order, br_bar_state_name(x->state));
    }
}

static void compare(const barred *b, tally *all) {
    tally own = {0};
    br_bars_report report = bars_of(b, b->step),
                   truth = bars_of(b, b->step / (strcmp(b->stepper, "reference") == 0 ? 1e4 : 16));
    count(report.bar, report.bars, truth.bar, truth.bars, &own, all);
    count(report.event, report.events, truth.event, truth.events, &own, all);
    print_message("%-36s %3d quantities, %3d with an error, %3d inside\n", b->path, own.all, own.large,
                  own.inside);
    all->all += own.all, all->large += own.large, all->inside += own.inside;
    assert_true(isinf(report.diverges_after));
    br_bars_report_free(&report);
    br_bars_report_free(&truth);
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void truth_lies_inside_and_bars_are_not_wide(void **state) {
    (void)state;
    static tally all;
    for (int k = 0; k < SCENES; k++) compare(&scenes[k], &all);
    qsort(all.ratio, (size_t)all.ratios, sizeof *all.ratio, compare_doubles);
    const double median = all.ratio[all.ratios / 2];
    print_message(
        "%d quantities of %d runs, %d with an error above 1e-10: %d inside, %.1f %%; bars %.2f times the "
        "error in the median\n",
        all.all, SCENES, all.large, all.inside, 100.0 * all.inside / all.large, median);
    assert_true(all.all >= 400 && SCENES >= 20);
    assert_true(all.inside >= 0.95 * all.large);
    assert_true(median <= 5.0);
}

static const char two_rods[] =
    "format: 1\nname: two_rods\nplanar: xz\n"
    "bodies:\n  a: {mass: 1, inertia: {slender: {length: 1, axis: x}}, pose: {position: [0.5, 0, 0]}}\n"
    "  b: {mass: 1, inertia: {slender: {length: 1, axis: x}}, pose: {position: [1.5, 0, 0]}}\n"
    "joints:\n  p: {revolute: [world, a], axis: y, at: [0, 0, 0]}\n  q: {revolute: [a, b], axis: y, at: [1, "
    "0, 0]}\n"
    "solver: {step: 2 ms}\nrun: {until: 20}\n";

static br_bars_report two_rods_until(double until) {
    br_model *model[3];
    br_builder *builder;
    br_error error = {0};
    if (br_model_read_text(two_rods, strlen(two_rods), "two_rods.yaml", NULL, 0, NULL, &model[0], &builder,
                           &error) != BR_OK)
        scene_fail("two_rods", &error);
    return bars_of_models(builder, model, until);
}

static void chaotic_motion_says_from_when_on(void **state) {
    (void)state;
    br_bars_report report = two_rods_until(20);
    print_message("two rods diverge after %g s\n", report.diverges_after);
    assert_true(report.diverges_after > 1 && report.diverges_after < 19);
    br_bars_report_free(&report);
    report = two_rods_until(1);
    assert_true(isinf(report.diverges_after));
    br_bars_report_free(&report);
}

// What rests converges: its velocities of 1e-20 m/s are rounding.
static void what_rests_is_to_rounding(void **state) {
    (void)state;
    static const barred rests[] = {{"gallery/resting_shapes.yaml", "contact", NULL, 1e-3, 0.1},
                                   {"friction/table_four.yaml", "contact", NULL, 1e-3, 0.1}};
    for (int i = 0; i < 2; i++) {
        br_bars_report report = bars_of(&rests[i], rests[i].step);
        for (int k = 0; k < report.bars; k++)
            if (report.bar[k].state == BR_BAR_NOT_CONVERGED && strstr(report.bar[k].name, "velocity"))
                fail_msg("%s: %s is %g, %g, %g", rests[i].path, report.bar[k].name, report.bar[k].at[0],
                         report.bar[k].at[1], report.bar[k].at[2]);
        br_bars_report_free(&report);
    }
}

// A pendulum from the horizontal: elliptic functions.
static void pendulum_is_where_elliptic_functions_say(void **state) {
    (void)state;
    const barred b = {"benchmark/pendulum.yaml", "contact", "1", 4e-3,
                      1}; // of first order, so that there is an error
    const double wanted[] = {0.9862917511318754, -0.165010853125541};
    static const char *const names[] = {"bob.position.x", "bob.position.y"};
    br_bars_report report = bars_of(&b, b.step);
    assert_near(report.formal, 1, 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < report.bars; i++)
            if (strcmp(report.bar[i].name, names[k]) == 0) {
                assert_true(fabs(report.bar[i].value - wanted[k]) <= report.bar[i].bar);
                assert_true(fabs(report.bar[i].value - wanted[k]) > 1e-10);
                assert_near(report.bar[i].order, 1, 0.2);
            }
    br_bars_report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_lies_inside_and_bars_are_not_wide),
        cmocka_unit_test(chaotic_motion_says_from_when_on),
        cmocka_unit_test(what_rests_is_to_rounding),
        cmocka_unit_test(pendulum_is_where_elliptic_functions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
