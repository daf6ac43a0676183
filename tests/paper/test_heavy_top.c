// Heavy tops: the steady precession and the nutation of a symmetric top in closed form, and the fast top of
// the literature against an independent integration.
#include "order.h"

// scenes/benchmark/heavy_top_precession.yaml
static const double mass = 1, length = 0.5, i1 = 0.3, i3 = 0.03, spin = 100, gravity = 9.81, tilt = BR_PI / 6;

// Roots of i1 cos(tilt) p^2 - i3 spin p + m g l = 0.
static double precession(int branch) {
    const double a = i1 * cos(tilt), b = i3 * spin, c = mass * gravity * length;
    return (b + branch * sqrt(b * b - 4 * a * c)) / (2 * a);
}

static void precesses(int branch, const char *settings, double tolerance) {
    char text[256];
    snprintf(text, sizeof text, "branch=%d;%s", branch, settings);
    scene s = scene_open("benchmark/heavy_top_precession.yaml", text);
    double worst = 0;
    for (int k = 1; k <= 20; k++) {
        const double t = 0.1 * k, angle = precession(branch) * t;
        scene_advance(&s, t);
        const br_vec3 com = scene_point(&s, "top", br_vec3_of(0, 0, length));
        const br_vec3 right =
            br_vec3_scale(length, br_vec3_of(sin(tilt) * sin(angle), -sin(tilt) * cos(angle), cos(tilt)));
        worst = fmax(worst, br_vec3_distance(com, right));
    }
    print_message("precession of %.4f rad/s, %s: error %.1e m in 2 s\n", precession(branch), settings, worst);
    assert_true(worst < tolerance);
    scene_close(&s);
}

static void steady_precession_is_kept(void **state) {
    (void)state;
    for (int branch = -1; branch <= 1; branch += 2) {
        precesses(branch, SCENE_REFERENCE, 1e-8);
        precesses(branch, SCENE_REFERENCE ";coordinates=absolute", 1e-8);
        precesses(branch, SCENE_CONTACT ";solver.step=0.25 ms", 1e-2);
    }
}

// Let go without precession at u0 = cos(tilt), the top nutates down to the root of
// 2 m g l i1 (1 - u^2) = (i3 spin)^2 (u0 - u).
static double lowest(void) {
    const double a = 2 * mass * gravity * length * i1, b = i3 * spin * i3 * spin, u0 = cos(tilt);
    return (b - sqrt(b * b - 4 * a * (b * u0 - a))) / (2 * a);
}

static void nutation_stays_between_its_limits(void **state) {
    (void)state;
    scene s = scene_open("benchmark/heavy_top_precession.yaml", "precession=0;" SCENE_REFERENCE);
    double low = 1, high = -1;
    for (int k = 0; k <= 4000; k++) {
        scene_advance(&s, 5e-4 * k);
        const double u = scene_point(&s, "top", br_vec3_of(0, 0, 1)).z;
        low = fmin(low, u);
        high = fmax(high, u);
    }
    print_message("cos(tilt) from %.9f (%.9f) to %.9f (%.9f)\n", low, lowest(), high, cos(tilt));
    assert_near(high, cos(tilt), 1e-9); // it starts there
    assert_true(low >= lowest() - 1e-9);
    assert_near(low, lowest(), 1e-6); // sampled every 0.5 ms: at most 2e-7 above the turning point
    scene_close(&s);
}

// Fourth-order Runge-Kutta in body axes with quaternions at 10 us, apart from this library; with 20 us it
// differs by 8e-10 at most, so these digits are good to 1e-10. Centre of mass at 0.5, 1, 1.5 and 2 s.
static const double published[4][4] = {
    {0.5, -0.7024682970571159, -0.02116518470088935, -0.711400257651242},
    {1.0, 0.17334396409816233, 0.6400885920694341, -0.7484907911346035},
    {1.5, -0.9681657156375674, 0.2503060621349732, -0.0014220838512745597},
    {2.0, -0.15041682274831164, -0.7241655916383025, -0.6730222695583331},
};

static void published_top(const char *settings) {
    scene s = scene_open("benchmark/heavy_top.yaml", settings);
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        scene_advance(&s, published[k][0]);
        const br_vec3 com = scene_point(&s, "top", br_vec3_of(0, 1, 0));
        worst =
            fmax(worst, br_vec3_distance(com, br_vec3_of(published[k][1], published[k][2], published[k][3])));
    }
    const br_ledger l = br_sim_ledger(s.sim);
    print_message("published top, %s: error %.1e m, energy %.1e of %.0f J\n", settings, worst,
                  l.now.total - l.start.total, l.start.total);
    assert_true(worst < 1e-7);
    assert_true(fabs(l.now.total - l.start.total) < 1e-8 * l.start.total);
    scene_close(&s);
}

static void published_top_reference(void **state) {
    (void)state;
    published_top(SCENE_REFERENCE);
    published_top(SCENE_REFERENCE ";coordinates=absolute");
}

static double error_at_half(scene *s) {
    const br_vec3 com = scene_point(s, "top", br_vec3_of(0, 1, 0));
    return br_vec3_distance(com, br_vec3_of(published[0][1], published[0][2], published[0][3]));
}

static void published_top_contact_is_second_order(void **state) {
    (void)state;
    order_check("benchmark/heavy_top.yaml", "", 0.5, 1e-4, 0.5, error_at_half, 2.0, 0.1, 1e-2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_precession_is_kept), cmocka_unit_test(nutation_stays_between_its_limits),
        cmocka_unit_test(published_top_reference), cmocka_unit_test(published_top_contact_is_second_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
