// Example 5 of [Wojtyra2017] with real beams, whose mass goes to 0, comes to the example with springs: slide_1 slides at 1.900000 s and slide_2 at
// 1.923325 s (1.9233246 under the reference stepper). And what a verdict says of the friction forces is what the run has.
#include "bristle/trust.h"
#include "scene.h"

#define SPRINGS 1.9233246
#define LOOK 1.85 // s: from here on friction is watched

typedef struct ratio {
    double t, of_bound; // |friction| of mu_static N
} ratio;

// The cubic through the last four ratios before it slides, at 1.
static double reaches_one(const ratio *r) {
    double t = 0.0;
    for (int i = 0; i < 4; i++) {
        double part = 1.0;
        for (int j = 0; j < 4; j++)
            if (j != i) part *= (1.0 - r[j].of_bound) / (r[i].of_bound - r[j].of_bound);
        t += part * r[i].t;
    }
    return t;
}

static ratio look(scene *s, const char *joint) {
    char force[40], normal[40];
    snprintf(force, sizeof force, "%s.friction.force", joint),
        snprintf(normal, sizeof normal, "%s.normal", joint);
    return (ratio){br_sim_time(s->sim), fabs(scene_read(s, force)) / (0.5 * scene_read(s, normal))};
}

// When both slide; first may be NULL.
static double slides_at(const char *stepper, double h, double m, double EI, double *first) {
    char settings[120];
    ratio last[5] = {{0.0, 0.0}};
    snprintf(settings, sizeof settings, "solver.stepper=%s;solver.step=%.17g;params.m=%g;params.EI=%g",
             stepper, h, m, EI);
    scene s = scene_open("flexible/wojtyra_5_beam.yaml", settings);
    scene_advance(&s, LOOK);
    if (first) *first = NAN;
    for (int k = 1;; k++) {
        scene_advance(&s, LOOK + k * h);
        memmove(last, last + 1, 4 * sizeof *last);
        last[4] = look(&s, "slide_2");
        if (first && isnan(*first) && fabs(scene_read(&s, "slide_1.velocity")) > 1e-8)
            *first = br_sim_time(s.sim);
        if (last[4].of_bound > 1.0 - 1e-9 || fabs(scene_read(&s, "slide_2.velocity")) > 1e-5) break;
        assert_true(br_sim_time(s.sim) < 1.94);
    }
    scene_close(&s);
    return reaches_one(last);
}

// A step later by the step in which slide_1 breaks away, so of first order: two steps extrapolate it.
static double limit_of_steps(const char *stepper, double h, double m, double EI, double order[1]) {
    const double a = slides_at(stepper, h, m, EI, NULL), b = slides_at(stepper, 0.5 * h, m, EI, NULL);
    const double limit = 2.0 * b - a;
    *order = log2((a - limit) / (b - limit));
    return limit;
}

static void beams_without_mass_are_the_springs(void **state) {
    (void)state;
    static const double mass[] = {0.4, 0.2, 0.1}; // kg/m
    double limit[3], order, first[2];
    for (int k = 0; k < 3; k++) {
        const double a = slides_at("contact", 1e-3, mass[k], 1e7, k ? NULL : &first[0]),
                     b = slides_at("contact", 5e-4, mass[k], 1e7, k ? NULL : &first[1]),
                     c = slides_at("contact", 2.5e-4, mass[k], 1e7, NULL);
        order = log2((a - b) / (b - c)), limit[k] = 2.0 * c - b;
        print_message(
            "%g kg/m: slide_2 slides at %.8f, %.8f, %.8f s for 1, 0.5, 0.25 ms: order %.3f, limit %.8f s\n",
            mass[k], a, b, c, order, limit[k]);
        assert_near(order, 1.0, 0.01);
    }
    // The parabola through the three, at 0.
    const double t = limit[0] / 3.0 - 2.0 * limit[1] + 8.0 / 3.0 * limit[2];
    print_message("without mass at %.8f s, with springs at %.7f s; slide_1 at %.7f s\n", t, SPRINGS,
                  2.0 * first[1] - first[0]);
    assert_near(2.0 * first[1] - first[0], 1.9, 1e-9); // the end of the step in which it moves
    assert_near(t, SPRINGS, 1e-6);
    assert_near(t, 1.923325, 1e-6);
    // Under the implicit stepper waves of stiffer beams want shorter steps.
    const double contact = limit_of_steps("contact", 5e-4, 0.4, 1e6, &order),
                 implicit = limit_of_steps("implicit", 2.5e-4, 0.4, 1e6, &order);
    print_message("0.4 kg/m, EI 1e6: contact %.8f s, implicit %.8f s\n", contact, implicit);
    assert_near(contact, implicit, 2e-6);
}

static void verdicts_have_the_forces_of_the_run(void **state) {
    (void)state;
    static const char *const steppers[] = {"contact", "implicit", "reference"};
    static const char *const joint[] = {"slide_1", "slide_2"};
    for (int k = 0; k < 3; k++) {
        char settings[60];
        br_trust_report report;
        br_error error = {0};
        snprintf(settings, sizeof settings, "solver.stepper=%s", steppers[k]);
        scene s = scene_open("flexible/wojtyra_5_beam.yaml", settings);
        scene_advance(
            &s, k == 2 ? 0.9
                       : 1.8); // the knots of its loads cost the reference stepper too much beside such beams
        if (br_trust_instant(s.sim, NULL, &report, &error) != BR_OK) scene_fail("trust", &error);
        assert_int_equal(report.interval[0].nullity, 0);
        for (int j = 0; j < 2; j++) {
            char name[40];
            snprintf(name, sizeof name, "%s.friction.force", joint[j]);
            for (int i = 0; i < report.interval[0].forces; i++) {
                const br_trust_force *f = &report.interval[0].force[i];
                if (strcmp(f->name, joint[j]) != 0) continue;
                assert_true(f->unique);
                print_message("%s %s: verdict %.9f N, run %.9f N\n", steppers[k], joint[j], f->force,
                              scene_read(&s, name));
                assert_near(f->force, scene_read(&s, name), 1e-6 * 24.0);
            }
        }
        br_trust_report_free(&report);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_without_mass_are_the_springs),
        cmocka_unit_test(verdicts_have_the_forces_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
