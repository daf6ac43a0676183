// What the friction laws are known to do, in motion: closed forms of Dahl and of the elastic-plastic law, the
// phenomena that LuGre's authors list (hysteresis in presliding and in velocity, break-away, stick-slip,
// spring and damper at rest), creep. Every law acts under a load of 1 N, so coefficients are forces.
#include <string.h>

#include "friction/law.h"
#include "near.h"

// The parameters of LuGre's first paper (Canudas de Wit, Olsson, Astrom, Lischinsky, 1995).
static const br_friction_params lugre = {.law = BR_FRICTION_LUGRE,
                                         .mu_static = 1.5,
                                         .mu_kinetic = 1.0,
                                         .v_slope = 1e-3,
                                         .sigma_0 = 1e5,
                                         .sigma_1 = 316.22776601683793,
                                         .sigma_2 = 0.4,
                                         .v_stribeck = 1e-3,
                                         .stribeck_exponent = 2.0};

static const br_friction_params dahl = {.law = BR_FRICTION_DAHL,
                                        .mu_static = 1.5,
                                        .mu_kinetic = 1.0,
                                        .sigma_0 = 1e5,
                                        .v_stribeck = 1e-3,
                                        .stribeck_exponent = 2};

static const br_friction_params bristle = {.law = BR_FRICTION_BRISTLE,
                                           .mu_static = 1.0,
                                           .mu_kinetic = 1.0,
                                           .sigma_0 = 1e5,
                                           .v_stribeck = 1e-3,
                                           .stribeck_exponent = 2};

// --- an integrator: Dormand and Prince's pair of orders 5 and 4, with the step controlled
// ---------------------

enum { STATES = 3 };
typedef struct system_of {
    const br_friction_params *law;
    void (*rate)(const struct system_of *s, double t, const double *y, double *dy);
    double parameter[4];
    double scale[STATES]; // absolute tolerances are tol times these
    double tol, step;     // step: what the next one begins with
} system_of;

static void stages(const system_of *s, double t, double h, const double *y, double k[7][STATES],
                   double *out) {
    static const double c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static const double a[7][6] = {{0},
                                   {1.0 / 5},
                                   {3.0 / 40, 9.0 / 40},
                                   {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                   {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                   {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                   {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < STATES; j++) {
            double sum = 0.0;
            for (int l = 0; l < i; l++) sum += a[i][l] * k[l][j];
            out[j] = y[j] + h * sum;
        }
        s->rate(s, t + c[i] * h, out, k[i]);
    }
}

static void integrate(system_of *s, double t, double t_end, double *y) {
    static const double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    while (t < t_end) {
        double k[7][STATES], next[STATES], error = 0.0;
        const double h = fmin(s->step, t_end - t);
        stages(s, t, h, y, k, next);
        for (int j = 0; j < STATES; j++) {
            double d = 0.0;
            for (int i = 0; i < 7; i++) d += e[i] * k[i][j];
            error = fmax(error, fabs(h * d) / (s->tol * s->scale[j]));
        }
        const double factor = fmin(5.0, fmax(0.2, 0.9 * pow(fmax(error, 1e-30), -0.2)));
        if (error <= 1.0) {
            memcpy(y, next, sizeof next);
            t = h < t_end - t ? t + h : t_end;
            if (h < s->step && factor > 1.0) continue; // cut by the end, says nothing of the step
        }
        s->step = h * factor;
    }
}

static double force_at(const br_friction_params *p, double v, double z) {
    double mu;
    br_friction_at(p, 1, &v, &z, &mu, NULL);
    return mu;
}

// --- stick-slip
// -----------------------------------------------------------------------------------------------

// A mass of 1 kg on a spring of 2 N/m whose end moves at 0.1 m/s. y = x, v, z.
static void pulled_mass(const system_of *s, double t, const double *y, double *dy) {
    double mu;
    br_friction_at(s->law, 1, &y[1], &y[2], &mu, &dy[2]);
    dy[0] = y[1];
    dy[1] = 2.0 * (0.1 * t - y[0]) - mu;
}

// Reference values of an independent program, given to 12 digits. Tolerances of 1e-11, 1e-12 and 1e-13 here
// differ by 4e-12 m.
static void lugre_sticks_and_slips(void **state) {
    (void)state;
    static const double t[3] = {10, 20, 25}, expected[3] = {0.627583128981, 1.272596412324, 1.90883919922};
    system_of s = {&lugre, pulled_mass, {0}, {1, 1, 1e-5}, 1e-12, 1e-5};
    double y[STATES] = {0}, from = 0.0;
    for (int k = 0; k < 3; k++) {
        integrate(&s, from, t[k], y);
        from = t[k];
        print_message("x(%g) = %.12f, off by %.1e\n", t[k], y[0], y[0] - expected[k]);
        assert_near(y[0], expected[k], 5e-11);
    }
}

// --- steady sliding
// -------------------------------------------------------------------------------------------

static void driven(const system_of *s, double t, const double *y,
                   double *dy) { // parameter: mean, amplitude, frequency
    const double v = s->parameter[0] + s->parameter[1] * sin(s->parameter[2] * t);
    double mu;
    dy[0] = v;
    dy[1] = 0.0;
    br_friction_at(s->law, 1, &v, &y[2], &mu, &dy[2]);
}

static void lugre_slides_steadily_at_g_and_viscosity(void **state) {
    (void)state;
    static const double speed[3] = {1e-3, 1e-2, 1e-1}, expected[3] = {1.1843397205857, 1.004, 1.04};
    for (int k = 0; k < 3; k++) {
        system_of s = {&lugre, driven, {speed[k]}, {1, 1, 1e-5}, 1e-13, 1e-8};
        double y[STATES] = {0};
        integrate(&s, 0.0, 4e-4 / speed[k], y); // 40 lengths mu_s/sigma_0 and more
        assert_near(force_at(&lugre, speed[k], y[2]), expected[k], 1e-11);
        double z = 0.0, mu; // and by steps of any length
        for (int i = 0; i < 60; i++) br_friction_step(&lugre, 1, &speed[k], &z, 1e-2, &z, &mu, NULL);
        assert_near(mu, expected[k], 1e-12);
    }
}

// --- dahl
// -----------------------------------------------------------------------------------------------------

// From rest, and back after a reversal at 2e-5 m: F depends on the way alone, not on the speed.
static void dahl_has_its_closed_form(void **state) {
    (void)state;
    for (double speed = 1e-6; speed < 1.0; speed *= 100) {
        const double turn = 2e-5;
        system_of s = {&dahl, driven, {speed}, {1e-5, 1, 1e-5}, 1e-13, 1e-8 / speed};
        double y[STATES] = {0};
        for (int k = 1; k <= 10; k++) {
            integrate(&s, (k - 1) * turn / 10 / speed, k * turn / 10 / speed, y);
            const double x = k * turn / 10;
            assert_near(force_at(&dahl, speed, y[2]), 1 - exp(-1e5 * x), 1e-11);
        }
        const double top = force_at(&dahl, speed, y[2]);
        s.parameter[0] = -speed;
        for (int k = 1; k <= 10; k++) {
            integrate(&s, 0.0, turn / 5 / speed, y);
            const double back = -k * turn / 5;
            assert_near(force_at(&dahl, -speed, y[2]), -1 + (1 + top) * exp(1e5 * back), 1e-11);
        }
    }
}

// --- loops in presliding
// --------------------------------------------------------------------------------------

// The last of so many cycles of x = -A cos(omega t): its area by the rule of midpoints in t, how far it is
// from closing, its top.
typedef struct loop {
    double area, gap, top;
} loop;

static loop presliding_loop(const br_friction_params *p, double amplitude, double omega, int cycles) {
    const int count = 4000;
    const double period = 2 * M_PI / omega, dt = period / count;
    system_of s = {p, driven, {0.0, amplitude * omega, omega}, {1e-5, 1, 1e-5}, 1e-12, dt};
    double y[STATES] = {0}, start[3] = {0};
    loop l = {0.0, 0.0, 0.0};
    for (int cycle = 0; cycle < cycles; cycle++) {
        memcpy(start, y, sizeof start);
        l.area = l.top = 0.0;
        for (int k = 0; k < count; k++) {
            const double t = k * dt, middle = t + 0.5 * dt, v = amplitude * omega * sin(omega * middle);
            integrate(&s, t, middle, y);
            l.area += force_at(p, v, y[2]) * v * dt;
            l.top = fmax(l.top, force_at(p, v, y[2]));
            integrate(&s, middle, t + dt, y);
        }
        l.gap = p->sigma_0 * fabs(y[2] - start[2]);
    }
    return l;
}

// Dahl's steady loop between -A and A: top Fc tanh(a), a = sigma A/Fc, area 4 Fc (A - Fc/sigma tanh(a)). The
// rule of midpoints leaves 1e-5 of it at the corners of F(t).
static void dahl_loop_has_its_area(void **state) {
    (void)state;
    for (double amplitude = 2e-6; amplitude < 1e-4; amplitude *= 3) {
        // Dahl forgets its start by exp(-4a) a cycle: exp(-24) is left.
        const double a = 1e5 * amplitude, area = 4 * (amplitude - 1e-5 * tanh(a));
        const loop l = presliding_loop(&dahl, amplitude, 1.0, 3 + (int)(6 / a));
        assert_near(l.area, area, 1e-5 * 4 * amplitude);
        assert_near(l.top, tanh(a), 1e-5);
        assert_near(l.gap, 0.0, 1e-9);
    }
}

// Driven slowly and not beyond break-away, LuGre describes a closed loop in force and displacement and takes
// work; below the Stribeck velocity it is nearly Dahl's with Fc = mu_static. Fast driving adds the damper's
// part.
static void lugre_presliding_loop_is_closed_and_has_an_area(void **state) {
    (void)state;
    br_friction_params like = dahl;
    like.mu_kinetic = 1.5;
    for (double amplitude = 5e-6; amplitude < 5e-5; amplitude *= 2) {
        const int cycles = 3 + (int)(9e-5 / amplitude); // as for dahl
        const loop slow = presliding_loop(&lugre, amplitude, 0.1, cycles),
                   near_by = presliding_loop(&like, amplitude, 0.1, cycles),
                   fast = presliding_loop(&lugre, amplitude, 3.0, cycles);
        assert_true(slow.area > 0.0 && slow.top < 1.5);
        assert_near(slow.gap, 0.0, 1e-9);
        // sigma_1 and sigma_2 give pi (sigma_1 + sigma_2) A^2 omega at most
        assert_near(slow.area, near_by.area, M_PI * 317 * amplitude * amplitude * 0.1 + 1e-4 * 6 * amplitude);
        assert_true(fast.area > slow.area);
    }
}

// Elastic below the limit: a straight line, no area. Above, a parallelogram of height 2 mu and width 2 (A -
// mu/sigma_0): area 4 mu (A - mu/sigma_0). The steps follow it to rounding but for the one that turns
// plastic.
static void bristle_loop_is_a_parallelogram(void **state) {
    (void)state;
    const int count = 20000;
    const double reach = bristle.mu_kinetic / bristle.sigma_0;
    for (double amplitude = 0.5 * reach; amplitude < 20 * reach; amplitude *= 1.9) {
        double z = 0.0, mu, area = 0.0, start = 0.0, h = 1.0 / count;
        for (int k = 1; k <= 3 * count; k++) {
            if (k == 2 * count + 1) {
                area = 0.0;
                start = z;
            }
            const double before = bristle.sigma_0 * z;
            const double v = -amplitude * (cos(2 * M_PI * k / count) - cos(2 * M_PI * (k - 1) / count)) / h;
            br_friction_step(&bristle, 1, &v, &z, h, &z, &mu, NULL);
            area += 0.5 * (before + mu) * v * h; // trapezia: exact on straight parts
            assert_true(fabs(mu) <= bristle.mu_static);
        }
        const double expected = amplitude > reach ? 4 * bristle.mu_kinetic * (amplitude - reach) : 0.0;
        assert_near(area, expected, 1e-3 * reach);
        assert_near(z, start, 1e-9 * reach);
    }
}

// The same in the plane: a straight path at any angle has that loop, and after a turn by a right angle on the
// edge the force turns along the circle: d angle/dx = -(sigma_0/mu) sin(angle), hence tan(angle/2) =
// exp(-sigma_0 x/mu) after the way x.
static void bristle_turns_its_force_along_the_circle(void **state) {
    (void)state;
    const double h = 1e-4, v[2] = {0.0, 1e-3};
    double z[2] = {bristle.mu_kinetic / bristle.sigma_0, 0.0}, mu[2];
    for (int k = 1; k <= 400; k++) { // steps of 1e-7 m, 1 % of the reach: first order
        br_friction_step(&bristle, 2, v, z, h, z, mu, NULL);
        const double angle = atan2(mu[0], mu[1]); // from the direction of motion
        assert_near(angle, 2 * atan(exp(-1e5 * k * 1e-7)), 5e-3);
        assert_near(hypot(mu[0], mu[1]), 1.0, 1e-14);
    }
}

// --- velocity loop, break-away
// --------------------------------------------------------------------------------

// Sliding in one direction with a velocity that goes up and down: friction is larger while it rises, and the
// faster it changes the wider the loop, over the frequencies of LuGre's first paper. (Far above them z hardly
// moves, and the loop is flat again.)
static void lugre_lags_behind_the_velocity(void **state) {
    (void)state;
    static const double omegas[3] = {1, 10, 25};
    const double mean = 1.5e-3, swing = 1.4e-3;
    double last = 0.0;
    for (int k = 0; k < 3; k++) {
        const double omega = omegas[k], period = 2 * M_PI / omega;
        system_of s = {&lugre, driven, {mean, swing, omega}, {1, 1, 1e-5}, 1e-12, 1e-6};
        double y[STATES] = {0}, force[400], area = 0.0;
        integrate(&s, 0.0, 3 * period, y);
        for (int i = 0; i < 400; i++) {
            const double t = 3 * period + i * period / 400;
            if (i) integrate(&s, t - period / 400, t, y);
            force[i] = force_at(&lugre, mean + swing * sin(omega * t), y[2]);
        }
        for (int i = 0; i < 400; i++) { // - closed integral of v dF, clockwise is positive
            const double v = mean + swing * sin(2 * M_PI * (i + 0.5) / 400);
            area += v * (force[(i + 1) % 400] - force[i]);
        }
        // i and 200 - i have the same velocity, rising (i < 100, i > 300) and falling
        for (int i = -90; i <= 90; i++) assert_true(force[(i + 400) % 400] > force[200 - i]);
        print_message("velocity loop at %g rad/s: %.4e W per N\n", omega, -area);
        assert_true(-area > last);
        last = -area;
    }
}

// A unit mass under a force that grows steadily, parameter[0] N/s.
static void ramped(const system_of *s, double t, const double *y, double *dy) {
    double mu;
    br_friction_at(s->law, 1, &y[1], &y[2], &mu, &dy[2]);
    dy[0] = y[1];
    dy[1] = s->parameter[0] * t - mu;
}

// The largest friction before the mass runs away.
static double break_away(double force_rate) {
    system_of s = {&lugre, ramped, {force_rate}, {1, 1, 1e-5}, 1e-10, 1e-5};
    double y[STATES] = {0}, top = 0.0;
    const double dt = 1e-3 / force_rate;
    for (double t = 0.0; y[1] < 1e-2 && t < 3 / force_rate; t += dt) {
        integrate(&s, t, t + dt, y);
        top = fmax(top, force_at(&lugre, y[1], y[2]));
    }
    return top;
}

static void lugre_breaks_away_earlier_under_fast_forces(void **state) {
    (void)state;
    static const double rates[7] = {0.1, 1, 2, 5, 10, 20, 50};
    double last = 1.5;
    for (int k = 0; k < 7; k++) {
        const double top = break_away(rates[k]);
        print_message("break-away at %g N/s: %.4f N\n", rates[k], top);
        assert_true(top < last && top > 1.0);
        last = top;
    }
}

// --- near rest
// ------------------------------------------------------------------------------------------------

// Spring sigma_0 and damper sigma_1 + sigma_2: the tangents say so, and a mass that is struck softly swings
// like that.
static void lugre_at_rest_is_a_spring_and_a_damper(void **state) {
    (void)state;
    const double rest = 0.0;
    double mu_v, mu_z, rate_v, rate_z;
    br_friction_tangent(&lugre, 1, &rest, &rest, &mu_v, &mu_z, &rate_v, &rate_z);
    assert_true(mu_z == lugre.sigma_0 && mu_v == lugre.sigma_1 + lugre.sigma_2 && rate_v == 1.0 &&
                rate_z == 0.0);
    assert_true(mu_v == br_friction_slope(&lugre));
    const double v0 = 1e-6, half = 0.5 * mu_v, omega = sqrt(lugre.sigma_0 - half * half);
    system_of s = {&lugre, ramped, {0.0}, {1e-6, 1e-6, 1e-6}, 1e-10, 1e-5};
    double y[STATES] = {0.0, v0, 0.0};
    for (int k = 1; k <= 40; k++) {
        integrate(&s, (k - 1) * 1e-3, k * 1e-3, y);
        const double x = v0 / omega * exp(-half * k * 1e-3) * sin(omega * k * 1e-3);
        // of second order in the motion: sigma_0 x/mu_s = v0 sqrt(sigma_0)/mu_s = 2e-4 of it is nonlinear
        assert_near(y[0], x, 3e-4 * v0 / omega);
    }
}

// Under a force of 0.8 of the limit smooth laws creep at the speed where they make that force; bristles stay
// bent.
static void smooth_laws_creep_and_bristles_do_not(void **state) {
    (void)state;
    for (int k = 0; k <= BR_SMOOTH_STRIBECK_SMOOTH; k++) {
        br_friction_params p = lugre;
        p.law = BR_FRICTION_SMOOTH;
        p.shape = (br_smooth_shape)k;
        p.v_stribeck = 1.0; // so that the exponential shape reaches that force
        const double force = 0.8 * br_friction_limit(&p);
        double v = force / br_friction_slope(&p), mu, mu_v, z = 0.0; // Newton's method
        for (int i = 0; i < 20; i++) {
            br_friction_step(&p, 1, &v, &z, 1e-3, &z, &mu, &mu_v);
            v -= (mu - force) / mu_v;
        }
        assert_near(mu, force, 1e-13);
        assert_true(v >= force / br_friction_slope(&p) * (1 - 1e-12) && v < 10 * p.v_slope);
    }
    static const br_friction_params *const held[3] = {&bristle, &dahl, &lugre};
    for (int k = 0; k < 3; k++) {
        const double force = 0.8 * br_friction_limit(held[k]), v = 0.0;
        double z = force / held[k]->sigma_0, mu;
        for (int i = 0; i < 1000; i++) br_friction_step(held[k], 1, &v, &z, 1.0, &z, &mu, NULL);
        assert_near(mu, force, 1e-15);
    }
}

// A force of (0.5 + 0.3 sin) of the limit, quasi-statically, 1000 s a cycle: the displacement of the third
// cycle. Each step solves mu(v) = force by Newton's method, which climbs a concave curve from its elastic
// guess.
static double drift_of(const br_friction_params *p) {
    const int count = 20000;
    const double h = 1e3 / count, limit = br_friction_limit(p);
    double z = 0.5 * limit / p->sigma_0, x = 0.0;
    for (int k = 1; k <= 3 * count; k++) {
        const double force = limit * (0.5 + 0.3 * sin(2 * M_PI * k / count));
        double v = (force - p->sigma_0 * z) / (p->sigma_0 * h), mu, mu_v, next = z;
        for (int i = 0; i < 12; i++) {
            br_friction_step(p, 1, &v, &z, h, &next, &mu, &mu_v);
            v += (force - mu) / mu_v;
        }
        z = next;
        if (k > 2 * count) x += h * v;
    }
    return x;
}

// Dahl and LuGre walk under a force that swings below their limit, because loading yields more than unloading
// gives back: by (Fc/sigma_0) ln((1 - a^2)/(1 - b^2)) a cycle between a Fc and b Fc. The elastic-plastic law
// stays where it is. 1e-3: first-order steps, and LuGre's g at the speed of 1e-7 m/s is mu_static to 1e-8.
static void dahl_and_lugre_walk_under_a_swinging_force_and_bristle_does_not(void **state) {
    (void)state;
    const double way = log((1 - 0.2 * 0.2) / (1 - 0.8 * 0.8));
    assert_near(drift_of(&dahl), 1e-5 * way, 1e-3 * 1e-5 * way);
    assert_near(drift_of(&lugre), 1.5e-5 * way, 1e-3 * 1.5e-5 * way);
    assert_near(drift_of(&bristle), 0.0, 1e-18);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lugre_sticks_and_slips),
        cmocka_unit_test(lugre_slides_steadily_at_g_and_viscosity),
        cmocka_unit_test(dahl_has_its_closed_form),
        cmocka_unit_test(dahl_loop_has_its_area),
        cmocka_unit_test(lugre_presliding_loop_is_closed_and_has_an_area),
        cmocka_unit_test(bristle_loop_is_a_parallelogram),
        cmocka_unit_test(bristle_turns_its_force_along_the_circle),
        cmocka_unit_test(lugre_lags_behind_the_velocity),
        cmocka_unit_test(lugre_breaks_away_earlier_under_fast_forces),
        cmocka_unit_test(lugre_at_rest_is_a_spring_and_a_damper),
        cmocka_unit_test(smooth_laws_creep_and_bristles_do_not),
        cmocka_unit_test(dahl_and_lugre_walk_under_a_swinging_force_and_bristle_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
