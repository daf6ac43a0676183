// What the default step owes where contact begins and ends in every cycle: a bounce off a floor that gives keeps its height and
// is of second order, and a block on a belt sticks and slips with the right period.
//
// Bounce. A ball that falls by H on a floor without damping leaves it as fast as it came, after a contact of
//     linear   2 (pi - atan(v w/g))/w              w = sqrt(k/m), v = sqrt(2 g H)
//     hertz    2 int_0^D dz/sqrt(v^2 + 2 g z - (4/5) (k/m) z^(5/2)), D where the root ends
// and flies on as if it had fallen for that long less. The error of one bounce depends on where in a step contact began, so
// that orders are those of the root mean square over heights.
//
// Belt. With w = sqrt(k/m), a = (mu_s - mu_k) g/w^2 and a belt of speed v, sticking lasts 2 a/v and sliding, a piece of a
// harmonic motion that begins and ends with speed v, 2 (pi - atan(a w/v))/w.
#include "scene.h"

#define GRAVITY 9.81

// --- bounce ------------------------------------------------------------------------------------------------

#define BALL_RADIUS 0.1   // m, of scenes/gallery/soft_ball.yaml, as the mass of 1 kg
#define HEIGHT_KEPT 0.99  // of the drop, at ten steps a contact
#define ORDER_LEAST 1.75  // of a method of second order, over eight heights and steps that are not yet small
#define LOOKS_AFTER 0.045 // s after the ball has left, on its way up, where its speed is not small

enum { HEIGHTS = 8, HALVINGS = 4 };

typedef struct bounce {
    const char *law;
    double stiffness; // N/m, N/m^1.5
} bounce;

// Contacts of about 10 ms, so that ten steps are of about 1 ms.
static const bounce linear = {"linear", 1e5}, hertz = {"hertz", 1.5e6};

static double contact_linear(const bounce *b, double v) {
    const double w = sqrt(b->stiffness);
    return 2 * (BR_PI - atan(v * w / GRAVITY)) / w;
}

// v^2 + 2 g z - (4/5) k z^(5/2): twice the kinetic energy at a depth z.
static double hertz_square(const bounce *b, double v, double z) {
    return v * v + 2 * GRAVITY * z - 0.8 * b->stiffness * pow(z, 2.5);
}

static double contact_hertz(const bounce *b, double v) {
    double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        const double middle = 0.5 * (low + high);
        *(hertz_square(b, v, middle) > 0 ? &low : &high) = middle;
    }
    // z = D (1 - s^2) takes the root's end out of the integrand; midpoint rule, whose error is then far below the steps'.
    const int n = 20000;
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const double s = (k + 0.5) / n;
        sum += 2 * s / sqrt(hertz_square(b, v, low * (1 - s * s)));
    }
    return 2 * low * sum / n;
}

static double contact_time(const bounce *b, double height) {
    const double v = sqrt(2 * GRAVITY * height);
    return strcmp(b->law, "linear") == 0 ? contact_linear(b, v) : contact_hertz(b, v);
}

static scene bounce_open(const bounce *b, double height, double step) {
    char settings[256];
    snprintf(settings, sizeof settings,
             "params.height=%.17g;params.k=%.17g;pairs.rubber/floor.compliance.law=%s;solver.step=%.17g;"
             "solver.stepper=contact",
             height, b->stiffness, b->law, step);
    return scene_open("gallery/soft_ball.yaml", settings);
}

static double bounce_height_of(scene *s) {
    return br_sim_body_pose(s->sim, 0).position.z - BALL_RADIUS;
}

static double drop_height(int k) {
    return 0.09 + 0.02 * k / HEIGHTS;
}

// The height that the ball comes back to, of the one that it fell from.
static double height_kept(const bounce *b, double height, double steps) {
    const double contact = contact_time(b, height), fall = sqrt(2 * height / GRAVITY), step = contact / steps;
    scene s = bounce_open(b, height, step);
    double highest = -INFINITY;
    scene_advance(&s, fall + contact);
    while (br_sim_time(s.sim) < 2 * fall + contact + 5 * step) {
        scene_advance(&s, br_sim_time(s.sim) + step);
        highest = fmax(highest, bounce_height_of(&s));
    }
    scene_close(&s);
    return highest / height;
}

static double position_error(const bounce *b, double height, double steps) {
    const double contact = contact_time(b, height), fall = sqrt(2 * height / GRAVITY), v = GRAVITY * fall;
    scene s = bounce_open(b, height, contact / steps);
    scene_advance(&s, fall + contact + LOOKS_AFTER);
    const double error = bounce_height_of(&s) - (v - 0.5 * GRAVITY * LOOKS_AFTER) * LOOKS_AFTER;
    scene_close(&s);
    return error;
}

static double error_over_heights(const bounce *b, double steps) {
    double sum = 0;
    for (int k = 0; k < HEIGHTS; k++) {
        const double e = position_error(b, drop_height(k), steps);
        sum += e * e;
    }
    return sqrt(sum / HEIGHTS);
}

static void check_height(const bounce *b) {
    double least = INFINITY, most = 0;
    for (int k = 0; k < HEIGHTS; k++) {
        const double kept = height_kept(b, drop_height(k), 10);
        least = fmin(least, kept);
        most = fmax(most, kept);
    }
    print_message("%s, 10 steps a contact: keeps %.6f to %.6f of the height\n", b->law, least, most);
    if (!(least > HEIGHT_KEPT)) fail_msg("%s: keeps %.4f of the height", b->law, least);
    if (!(most < 2 - HEIGHT_KEPT)) fail_msg("%s: rises to %.4f of the height", b->law, most);
}

static void check_order(const bounce *b) {
    double error[HALVINGS];
    for (int k = 0; k < HALVINGS; k++) {
        error[k] = error_over_heights(b, 10 << k);
        print_message("%s, %d steps a contact: position off by %.2e m\n", b->law, 10 << k, error[k]);
    }
    const double order = log2(error[0] / error[HALVINGS - 1]) / (HALVINGS - 1);
    print_message("%s: order %.2f\n", b->law, order);
    if (!(order >= ORDER_LEAST)) fail_msg("%s: of order %.2f", b->law, order);
}

static void bounce_off_a_linear_floor_keeps_its_height(void **state) {
    (void)state;
    check_height(&linear);
}

static void bounce_off_a_hertzian_floor_keeps_its_height(void **state) {
    (void)state;
    check_height(&hertz);
}

static void bounce_off_a_linear_floor_is_of_second_order(void **state) {
    (void)state;
    check_order(&linear);
}

static void bounce_off_a_hertzian_floor_is_of_second_order(void **state) {
    (void)state;
    check_order(&hertz);
}

// --- belt --------------------------------------------------------------------------------------------------

// Of the period, per ms of step: half a per cent at the default, and less with less. Sticking begins and ends with a step, and
// the motion locks onto that: the period is a whole number of steps, so that the error may stay when a step is halved.
#define BELT_ERROR 0.005
#define BELT_CYCLES 6

typedef struct belt {
    double stiffness, speed, mu_static, mu_kinetic;
} belt;

// The first is scenes/contact/belt.yaml as it is (period 0.8008 s); in the second sticking takes most of the time, in the third
// sliding does.
static const belt belts[] = {{100, 0.1, 0.6, 0.4}, {200, 0.03, 0.5, 0.3}, {50, 0.3, 0.4, 0.25}};

static double belt_period(const belt *b) {
    const double w = sqrt(b->stiffness), a = (b->mu_static - b->mu_kinetic) * GRAVITY / (w * w);
    return 2 * a / b->speed + 2 * (BR_PI - atan(a * w / b->speed)) / w;
}

// From one turn of the block to the same one BELT_CYCLES later, over BELT_CYCLES: the velocity passes zero downwards once a
// cycle, while it slides, where it is smooth and interpolation in a step harmless. The first cycle is left out.
static double belt_measured(const belt *b, const char *law, const char *extra, double step) {
    char settings[320];
    snprintf(settings, sizeof settings,
             "params.k=%g;params.belt=%g;params.mu_s=%g;params.mu_k=%g;contact.law=%s;solver.step=%g;"
             "solver.stepper=contact%s",
             b->stiffness, b->speed, b->mu_static, b->mu_kinetic, law, step, extra);
    scene s = scene_open("contact/belt.yaml", settings);
    const int block = scene_body(&s, "block");
    const double until = (BELT_CYCLES + 3) * belt_period(b);
    double before = b->speed, first = 0, last = 0;
    int turns = 0;
    while (turns < BELT_CYCLES + 2 && br_sim_time(s.sim) < until) {
        br_error error = {0};
        if (br_sim_step(s.sim, &error) != BR_OK) scene_fail("belt", &error);
        const double v = br_sim_body_twist(s.sim, block).linear.x;
        if (before > 0 && v <= 0) {
            last = br_sim_time(s.sim) - step * v / (v - before);
            if (++turns == 2) first = last;
        }
        before = v;
    }
    scene_close(&s);
    if (turns < BELT_CYCLES + 2) fail_msg("%s, step %g s: %d cycles in %g s", law, step, turns, until);
    return (last - first) / BELT_CYCLES;
}

static void check_belt(const char *law, const char *extra) {
    static const double steps[] = {2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.125e-3};
    int bad = 0;
    for (size_t k = 0; k < sizeof belts / sizeof *belts; k++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            const double exact = belt_period(&belts[k]),
                         period = belt_measured(&belts[k], law, extra, steps[i]);
            const int good = fabs(period / exact - 1) <= BELT_ERROR * steps[i] / 1e-3;
            print_message("%s%s, belt %d, %g ms: period %.5f s, exact %.5f s, off by %+.3f %%%s\n", law,
                          extra, (int)k, 1e3 * steps[i], period, exact, 100 * (period / exact - 1),
                          good ? "" : ": too much");
            bad += !good;
        }
    assert_int_equal(bad, 0);
}

static void belt_has_its_period_under_the_bristle_law(void **state) {
    (void)state;
    check_belt("bristle", "");
}

static void belt_has_its_period_under_exact_friction(void **state) {
    (void)state;
    check_belt("cone", "");
}

// The speed below which mu_static once held is no part of the answer.
static void belt_has_its_period_whatever_the_threshold(void **state) {
    (void)state;
    check_belt("bristle", ";pairs.wood/rubber.bristle.v_threshold=0.05");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounce_off_a_linear_floor_keeps_its_height),
        cmocka_unit_test(bounce_off_a_hertzian_floor_keeps_its_height),
        cmocka_unit_test(bounce_off_a_linear_floor_is_of_second_order),
        cmocka_unit_test(bounce_off_a_hertzian_floor_is_of_second_order),
        cmocka_unit_test(belt_has_its_period_under_the_bristle_law),
        cmocka_unit_test(belt_has_its_period_under_exact_friction),
        cmocka_unit_test(belt_has_its_period_whatever_the_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
