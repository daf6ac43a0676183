// Beams that touch, under the contact stepper, against what waves and statics say.
#include "bristle/contact.h"
#include "scene.h"

// --- a bar that hits a wall --------------------------------------------------------------------------------

typedef struct blow {
    double on, off;
    int times;
} blow;

static void note(void *context, const br_event *event) {
    blow *b = context;
    if (event->kind == BR_EVENT_CONTACT_ON && b->times++ == 0) b->on = event->t;
    if (event->kind == BR_EVENT_CONTACT_OFF) b->off = event->t;
}

// Speed of the centre of mass after the blow, of 1 m/s; how long it lasted, of 2 L/c.
static double leaves_with(int elements, double *lasted) {
    char settings[40], body[32];
    blow b = {0.0, 0.0, 0};
    snprintf(settings, sizeof settings, "params.n=%d", elements);
    scene s = scene_open("flexible/bar_wall.yaml", settings);
    br_sim_set_event(s.sim, note, &b);
    scene_advance(&s, 0.8e-3);
    double sum = 0.0;
    for (int k = 0; k <= elements; k++) {
        snprintf(body, sizeof body, "rod.s%.10g", (double)k / elements);
        const double share = k == 0 || k == elements ? 0.5 : 1.0;
        sum += share / elements * br_sim_body_twist(s.sim, scene_body(&s, body)).linear.x;
    }
    const br_ledger l = br_sim_ledger(s.sim);
    assert_true(fabs(l.scheme) < 1e-6 && fabs(l.unaccounted) < 1e-12);
    assert_int_equal(b.times, 1);
    *lasted = (b.off - b.on) / (2.0 * sqrt(2700 / 70e9));
    scene_close(&s);
    return sum;
}

// A mesh spreads the front of a wave over some N^(1/3) elements of the N: N^(-2/3) of the bar is late. 200 elements: 0.9912, 1.0044.
static void bar_leaves_the_wall_as_fast_as_it_came(void **state) {
    (void)state;
    double lasted[3], lost[3];
    for (int k = 0; k < 3; k++) lost[k] = 1.0 - leaves_with(25 << k, &lasted[k]);
    assert_true(lost[2] > 0.0 && lost[2] < 0.025);
    assert_near(lasted[2], 1.0, 0.01);
    for (int k = 0; k < 2; k++) assert_true(lost[k + 1] < pow(2.0, -2.0 / 3.0) * lost[k]);
}

// --- fingers that hold a box -------------------------------------------------------------------------------

static double slips_by(double mu) {
    char settings[40];
    snprintf(settings, sizeof settings, "params.mu=%g", mu);
    scene s = scene_open("flexible/fingers.yaml", settings);
    scene_advance(&s, 0.6);
    const double z = scene_read(&s, "box.position.z"), N = scene_read(&s, "left~box#0.force.normal");
    assert_near(N, 4.8, 0.005 * 4.8); // 3 EI/l^3 times 2 mm
    scene_close(&s);
    return -z;
}

// 2 mu N against 0.3 kg: mu 0.3076 by the fingers' own 4.784 N.
static void fingers_hold_from_the_right_mu_on(void **state) {
    (void)state;
    assert_true(slips_by(0.3060) > 0.5e-3);
    assert_true(slips_by(0.3085) < 0.05e-3); // what it sinks by is the fingers' bending
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_leaves_the_wall_as_fast_as_it_came),
        cmocka_unit_test(fingers_hold_from_the_right_mu_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
