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

// Beside closed forms, which see what all steps share. Until a time; names of channels and what they are then.
typedef struct closed {
    const char *path, *text; // a scene, or a model's own text
    double step, until;
    const char *name[6];
    double wanted[6];
} closed;

// x0 e^(-t c/2m) ...
static const char damped[] =
    "format: 1\nname: damped\nbodies: {block: {mass: 2 kg}}\n"
    "joints: {rail: {prismatic: [world, block], axis: x, position: 0.3 m, damping: 3 N s/m,\n"
    "    spring: {stiffness: 80 N/m}}}\nsolver: {stepper: contact}\nrun: {until: 1 s}\n";
// Dry friction of 0.981 N: arcs of a cosine about +- F/k.
static const char dry[] =
    "format: 1\nname: dry\nbodies: {block: {mass: 1 kg}}\n"
    "joints: {rail: {prismatic: [world, block], axis: x, position: 0.3 m, spring: {stiffness: 50 N/m},\n"
    "    friction: {law: coulomb, mu_static: 0.1, mu_kinetic: 0.1, load: reaction}}}\n"
    "solver: {stepper: contact}\nrun: {until: 1 s}\n";
// No force, two equal moments of inertia: the angular velocity turns about the angular momentum at its size over them.
static const char free_top[] =
    "format: 1\nname: free_top\ngravity: [0, 0, 0]\n"
    "bodies: {top: {mass: 1 kg, inertia: [0.02, 0.02, 0.03],\n"
    "    velocity: {angular: [1, 0, 8]}}}\nsolver: {stepper: contact}\nrun: {until: 1 s}\n";
// Two masses and a spring between them: w^2 = k (1/m + 1/M).
static const char pair[] =
    "format: 1\nname: pair\nbodies: {a: {mass: 2 kg}, b: {mass: 1 kg}}\njoints:\n"
    "  rail: {prismatic: [world, a], axis: x}\n"
    "  slide: {prismatic: [a, b], axis: x, position: 0.2 m, spring: {stiffness: 60 N/m}}\n"
    "solver: {stepper: contact}\nrun: {until: 1 s}\n";

static void count_closed(const closed *c, tally *all) {
    br_model *model[3];
    br_builder *builder;
    br_error error = {0};
    char path[512], value[40];
    snprintf(path, sizeof path, SCENE_FOLDER "%s", c->path);
    snprintf(value, sizeof value, "%.17g", c->step);
    const br_override set[] = {{"solver.stepper", "contact"}, {"solver.step", value}};
    const br_status status = c->text ? br_model_read_text(c->text, strlen(c->text), c->path, set, 2, NULL,
                                                          &model[0], &builder, &error)
                                     : br_model_read(path, set, 2, NULL, &model[0], &builder, &error);
    if (status != BR_OK) scene_fail(c->path, &error);
    br_bars_report report = bars_of_models(builder, model, c->until);
    for (int k = 0; k < 6 && c->name[k]; k++) {
        int found = 0;
        for (int i = 0; i < report.bars && !found; i++) {
            const br_bar truth = {.value = c->wanted[k]}, *x = &report.bar[i];
            if (strcmp(x->name, c->name[k]) != 0) continue;
            br_bar named = truth;
            snprintf(named.name, sizeof named.name, "%s", x->name);
            tally own = {0};
            count(x, 1, &named, 1, &own, all);
            all->all += own.all, all->large += own.large, all->inside += own.inside;
            found = 1;
        }
        if (!found) fail_msg("%s: no %s", c->path, c->name[k]);
    }
    br_bars_report_free(&report);
}

static void bars_hold_closed_forms(void **state) {
    (void)state;
    static tally all;
    const double g = 9.81, mu = 0.3, v0 = 3, r = 0.1;
    const double fall = sqrt(2 / g), since = 0.8 - fall, up = 0.5 * sqrt(2 * g);
    const double roll = 2 * v0 / (7 * mu * g), tumble = v0 / (3 * mu * g);
    const double c = 30 * 3.141592653589793 / 180, slid = v0 * v0 / (2 * 0.5 * g);
    const double d = 3.0 / 4, w = sqrt(40 - d * d), e = 0.3 * exp(-d);
    const double wd = sqrt(50), s = 0.981 / 50, half = 3.141592653589793 / wd, tau = 0.8 - half;
    const double L[] = {0.02, 0, 0.24}, size = sqrt(L[0] * L[0] + L[2] * L[2]), turn = size / 0.02 * 0.5;
    const double n[] = {L[0] / size, 0, L[2] / size}, along = n[0] + 8 * n[2];
    const double wp = sqrt(90);
    const closed forms[] = {
        {"contact/bouncing_ball.yaml",
         NULL,
         1e-3,
         0.8,
         {"ball.position.z", "ball.velocity.z"},
         {r + up * since - 0.5 * g * since * since, up - g * since}},
        {"contact/sphere_slide_to_roll.yaml",
         NULL,
         2e-3,
         0.5,
         {"ball.position.x", "ball.velocity.x", "ball.angular_velocity.y"},
         {12 * v0 * v0 / (49 * mu * g) + 5 * v0 / 7 * (0.5 - roll), 5 * v0 / 7, 5 * v0 / 7 / r}},
        {"contact/cylinder_slide_to_roll.yaml",
         NULL,
         2e-3,
         0.5,
         {"roller.position.x", "roller.velocity.x", "roller.angular_velocity.y"},
         {5 * v0 * v0 / (18 * mu * g) + 2 * v0 / 3 * (0.5 - tumble), 2 * v0 / 3, 2 * v0 / 3 / r}},
        {"bench/box_slide.yaml",
         NULL,
         2e-3,
         0.7,
         {"box.position.x", "box.position.y"},
         {slid * cos(c), slid * sin(c)}},
        {"damped",
         damped,
         4e-3,
         1,
         {"rail.position", "rail.velocity"},
         {e * (cos(w) + d / w * sin(w)), -e * (w + d * d / w) * sin(w)}},
        {"dry",
         dry,
         4e-3,
         0.8,
         {"rail.position", "rail.velocity"},
         {-(0.3 - 3 * s) * cos(wd * tau) - s, (0.3 - 3 * s) * wd * sin(wd * tau)}},
        {"free_top",
         free_top,
         2e-3,
         0.5,
         {"top.angular_velocity.x", "top.angular_velocity.y", "top.angular_velocity.z"},
         {n[0] * along + (1 - n[0] * along) * cos(turn), (n[2] * 1 - n[0] * 8) * sin(turn),
          n[2] * along + (8 - n[2] * along) * cos(turn)}},
        {"pair",
         pair,
         4e-3,
         1,
         {"slide.position", "slide.velocity", "rail.position", "rail.velocity"},
         {0.2 * cos(wp), -0.2 * wp * sin(wp), -(0.2 * cos(wp) - 0.2) / 3, 0.2 * wp * sin(wp) / 3}},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) count_closed(&forms[k], &all);
    qsort(all.ratio, (size_t)all.ratios, sizeof *all.ratio, compare_doubles);
    print_message("%d quantities, %d with an error: %d inside; bars %.2f times the error in the median\n",
                  all.all, all.large, all.inside, all.ratio[all.ratios / 2]);
    assert_true(all.inside >= 0.95 * all.large && all.large >= 12);
    assert_true(all.ratio[all.ratios / 2] <= 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_lies_inside_and_bars_are_not_wide),
        cmocka_unit_test(chaotic_motion_says_from_when_on),
        cmocka_unit_test(what_rests_is_to_rounding),
        cmocka_unit_test(bars_hold_closed_forms),
        cmocka_unit_test(pendulum_is_where_elliptic_functions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
