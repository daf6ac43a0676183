// Mechanisms with play: finer steps give the same motion with more digits until impacts multiply what is left, and the books
// close. scenes/clearance, scenes/flexible/four_bar.yaml.
#include "scene.h"

typedef struct story {
    const char *scene, *channel; // rad or m
    double until;
    double error; // of the middle tolerance, of the channel
} story;

// The four-bar is watched to 0.1 s, after 17 impacts, the slider-crank for half a turn, after nine, the flexible four-bar to
// 0.015 s, after five: its beams ring at 1 kHz and more, and a fine run of it is long.
static const story stories[] = {
    {"clearance/slider_crank.yaml", "bore.position", 0.05, 1e-7},
    {"clearance/four_bar.yaml", "A.position", 0.1, 2e-6},
    {"flexible/four_bar.yaml", "D.position", 0.015, 1e-6},
};

enum { SAMPLES = 50 };

typedef struct history {
    double value[SAMPLES];
    long steps;
} history;

static history history_of(const story *which, double tolerance) {
    char settings[80];
    history h;
    snprintf(settings, sizeof settings, "solver.adaptive.tolerance=%g", tolerance);
    scene s = scene_open(which->scene, settings);
    for (int k = 0; k < SAMPLES; k++) {
        scene_advance(&s, which->until * (k + 1) / SAMPLES);
        h.value[k] = scene_read(&s, which->channel);
    }
    const br_ledger l = br_sim_ledger(s.sim);
    const double scale = scene_energy_scale(&s);
    h.steps = l.steps;
    print_message("%s, tolerance %.0e: %ld steps, scheme %.1e, unaccounted %.1e of the energy\n",
                  which->scene, tolerance, l.steps, l.scheme / scale, l.unaccounted / scale);
    assert_true(fabs(l.unaccounted) < 1e-6 * scale);
    scene_close(&s);
    return h;
}

static double distance(const history *a, const history *b) {
    double worst = 0;
    for (int k = 0; k < SAMPLES; k++) worst = fmax(worst, fabs(a->value[k] - b->value[k]));
    return worst;
}

// Tolerances ten apart are 2.15 times as many steps where the error rules, and at second order 4.6 times less error;
// the contact and friction rules leave less to gain. Two of them together at least divide it by five.
static void mechanisms_converge(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof stories / sizeof *stories; k++) {
        const history coarse = history_of(&stories[k], 1e-8), middle = history_of(&stories[k], 1e-9),
                      fine = history_of(&stories[k], 1e-10), right = history_of(&stories[k], 1e-12);
        const double e[3] = {distance(&coarse, &right), distance(&middle, &right), distance(&fine, &right)};
        print_message("  %s up to %g s: errors %.1e, %.1e, %.1e\n", stories[k].channel, stories[k].until,
                      e[0], e[1], e[2]);
        assert_true(e[1] < stories[k].error);
        assert_true(e[2] < e[0] / 5);
    }
}

// drop.yaml: first contact in closed form, g = 9.81, m = 5 kg, k = 15 MN/m, 0.5 mm.
typedef struct first_contact {
    double on, off, speed;
} first_contact;

static void note(void *context, const br_event *event) {
    first_contact *c = context;
    if (event->kind == BR_EVENT_CONTACT_ON && c->on == 0) c->on = event->t, c->speed = event->value;
    if (event->kind == BR_EVENT_CONTACT_OFF && c->off == 0) c->off = event->t;
}

static void first_contact_of_the_drop(void **state) {
    (void)state;
    for (int decaying = 0; decaying < 2; decaying++) {
        first_contact c = {0};
        scene s = scene_open("clearance/drop.yaml",
                             decaying ? "solver.adaptive.tolerance=1e-16"
                                      : "solver.adaptive.tolerance=1e-16;solver.scheme=alpha");
        br_sim_set_event(s.sim, note, &c);
        scene_advance(&s, 0.0125);
        const double peak = 15e6 * br_sim_ledger(s.sim).penetration;
        print_message("contact at %.12f s with %.9f m/s for %.12g s, peak %.6f N\n", c.on, c.speed,
                      c.off - c.on, peak);
        // Moments are interpolated within steps of 1 us, the peak is the deepest end of a step: 1e-6 of all.
        assert_near(c.on, 0.010096375547, 1e-8);
        assert_near(c.off - c.on, 1.879757828170e-3, 2e-9);
        assert_near(peak, 908.209998, 1e-3);
        assert_near(c.speed, 0.099045444115, 3e-5); // at the start of the step of 3e-6 m that it is in
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_contact_of_the_drop),
        cmocka_unit_test(mechanisms_converge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
