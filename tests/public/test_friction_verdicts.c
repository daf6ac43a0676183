// Mechanisms that friction holds, each with its verdict on both sides of the value at which it changes, against a
// calculation of its own: closed forms, a search by hand, linear programs. Scenes are in scenes/friction.
//
// What the steppers compute must agree: forces lie in the intervals of the verdict, what sticks for certain stays where it
// is, what slides for certain accelerates as the closed form says.
//
// Tolerances: thresholds are tried 0.1 % off on either side. Feasible sets are found to 1e-7 or better of the loads; forces
// of steppers are held against them to 1e-3, relative.
#include "bristle/contact.h"
#include "bristle/trust.h"
#include "scene.h"

#define GRAVITY 9.81
#define NEAR_THRESHOLD 1e-3
#define INSIDE 1e-3  // of the largest force
#define ADVANCE 0.02 // s, for which steppers run

static const char *const both[] = {"solver.stepper=reference", "solver.stepper=contact"};

// --- verdicts ----------------------------------------------------------------------------------------------------

typedef struct told {
    br_trust_report report;
    const br_trust_interval *at;
} told;

static told tell(scene *s) {
    told t;
    br_error error = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    if (br_trust_instant(s->sim, &options, &t.report, &error) != BR_OK)
        scene_fail(br_model_name(s->model), &error);
    t.at = &t.report.interval[0];
    return t;
}

static told tell_scene(const char *name, const char *settings) {
    scene s = scene_open(name, settings);
    const told t = tell(&s);
    scene_close(&s);
    return t;
}

static void check_verdict(const char *name, const char *settings, br_verdict expected) {
    told t = tell_scene(name, settings);
    if (t.at->verdict != expected)
        fail_msg("%s with %s: %s (c* %.9g), expected %s", name, settings, br_verdict_name(t.at->verdict),
                 t.at->c_star, br_verdict_name(expected));
    br_trust_report_free(&t.report);
}

static double c_star(const char *name, const char *settings) {
    told t = tell_scene(name, settings);
    const double c = t.at->c_star;
    br_trust_report_free(&t.report);
    return c;
}

static const br_trust_force *force_of(const told *t, const char *name) {
    for (int k = 0; k < t->at->forces; k++)
        if (strcmp(t->at->force[k].name, name) == 0) return &t->at->force[k];
    fail_msg("no force %s", name);
    return NULL;
}

// --- steppers ----------------------------------------------------------------------------------------------------

// Every friction force of the state within the interval of the same state.
static void check_inside(const char *name, const char *settings, scene *s) {
    told t = tell(s);
    double largest = 0;
    for (int k = 0; k < t.at->forces; k++) largest = fmax(largest, fabs(t.at->force[k].force));
    for (int k = 0; k < t.at->forces; k++) {
        const br_trust_force *f = &t.at->force[k];
        if (f->friction_min > f->friction_max) continue; // it slides: nothing is balanced
        if (f->force < f->friction_min - INSIDE * largest || f->force > f->friction_max + INSIDE * largest)
            fail_msg("%s with %s: %s has %.9g, outside of %.9g .. %.9g", name, settings, f->name, f->force,
                     f->friction_min, f->friction_max);
    }
    br_trust_report_free(&t.report);
}

static scene advanced(const char *name, const char *stepper, const char *settings, double time) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s", stepper, settings[0] ? ";" : "", settings);
    scene s = scene_open(name, text);
    scene_advance(&s, time);
    return s;
}

// Stays under both steppers, with forces that are allowed. The reference stepper integrates to its tolerance; the contact
// stepper's bristles give next to nothing: both are at rest to far less than what sliding would show.
static void check_stays(const char *name, const char *settings, const char *channel, double scale) {
    for (int k = 0; k < 2; k++) {
        scene s = advanced(name, both[k], settings, ADVANCE);
        const double v = scene_read(&s, channel);
        if (!(fabs(v) < 1e-6 * scale))
            fail_msg("%s with %s;%s: %s is %g", name, both[k], settings, channel, v);
        check_inside(name, settings, &s);
        scene_close(&s);
    }
}

// Slides under both steppers with the acceleration given, constant over so short a time to `tolerance` (relative).
static void check_slides(const char *name, const char *settings, const char *channel, double acceleration,
                         double tolerance) {
    for (int k = 0; k < 2; k++) {
        scene s = advanced(name, both[k], settings, ADVANCE);
        const double v = scene_read(&s, channel), expected = acceleration * ADVANCE;
        if (!(fabs(v - expected) <= tolerance * fabs(expected)))
            fail_msg("%s with %s;%s: %s is %.9g, expected %.9g", name, both[k], settings, channel, v,
                     expected);
        scene_close(&s);
    }
}

static const char *set(char *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(text, 256, format, list);
    va_end(list);
    return text;
}

// --- drawer ------------------------------------------------------------------------------------------------------

enum { TEXT = 256 };

static double drawer_pull(double mu) { // smallest pull that moves it, mu < L/(2 e)
    const double e = 0.2, L = 0.3, W = 2 * GRAVITY;
    return mu * W / sqrt(1 - pow(2 * mu * e / L, 2));
}

static void drawer_slides_from_its_pull_on(void **state) {
    (void)state;
    char text[TEXT];
    static const double mus[] = {0.2, 0.5, 0.7};
    for (int k = 0; k < 3; k++) {
        const double P = drawer_pull(mus[k]);
        check_verdict("friction/drawer.yaml", set(text, "mu=%g;P=%.12g", mus[k], P * (1 - NEAR_THRESHOLD)),
                      BR_STICKS_ROBUST);
        check_verdict("friction/drawer.yaml", set(text, "mu=%g;P=%.12g", mus[k], P * (1 + NEAR_THRESHOLD)),
                      BR_SLIDES_CERTAIN);
        // mu_kinetic 10 % lower: between the two pulls it rests, but would not come to rest.
        const double P_k = drawer_pull(0.9 * mus[k]);
        check_verdict("friction/drawer.yaml",
                      set(text, "mu=%g;mu_k=%g;P=%.12g", mus[k], 0.9 * mus[k], P_k * (1 + NEAR_THRESHOLD)),
                      BR_STICKS_METASTABLE);
        check_verdict("friction/drawer.yaml",
                      set(text, "mu=%g;mu_k=%g;P=%.12g", mus[k], 0.9 * mus[k], P_k * (1 - NEAR_THRESHOLD)),
                      BR_STICKS_ROBUST);
    }
    const double P = 20, N = hypot(2 * GRAVITY, 2 * P * 0.2 / 0.3);
    check_slides("friction/drawer.yaml", "", "guide.velocity", (P - 0.5 * N) / 2,
                 1e-8); // constant: exact in a step
    check_stays("friction/drawer.yaml", "P=12", "guide.velocity", 1);
}

static void drawer_jams_however_hard_it_is_pulled(void **state) {
    (void)state;
    char text[TEXT];
    static const double pulls[] = {1, 100, 1e4, 1e6};
    const double mu = 0.3 / (2 * 0.2); // L/(2 e)
    for (int k = 0; k < 4; k++) {
        const double above = mu * (1 + NEAR_THRESHOLD);
        check_verdict("friction/drawer.yaml", set(text, "mu=%.12g;P=%g", above, pulls[k]), BR_STICKS_ROBUST);
        check_stays("friction/drawer.yaml", set(text, "mu=%.12g;P=%g", above, pulls[k]), "guide.velocity",
                    pulls[k]);
    }
    // Just below, P = mu W/sqrt(1 - (mu 2 e/L)^2) moves it: 329 N.
    check_verdict("friction/drawer.yaml", set(text, "mu=%.12g;P=1e4", mu * (1 - NEAR_THRESHOLD)),
                  BR_SLIDES_CERTAIN);
    check_verdict("friction/drawer.yaml", set(text, "mu=%.12g;P=300", mu * (1 - NEAR_THRESHOLD)),
                  BR_STICKS_ROBUST);
}

// --- screw jack --------------------------------------------------------------------------------------------------

static void screw_jack_locks_itself_from_the_lead_on(void **state) {
    (void)state;
    char text[TEXT];
    static const double loads[] = {1, 500, 1e5};
    const double lead = 0.1;
    for (int k = 0; k < 3; k++) {
        check_verdict("friction/screw_jack.yaml",
                      set(text, "mu=%.12g;load=%g", lead * (1 + NEAR_THRESHOLD), loads[k]), BR_STICKS_ROBUST);
        check_verdict("friction/screw_jack.yaml",
                      set(text, "mu=%.12g;load=%g", lead * (1 - NEAR_THRESHOLD), loads[k]),
                      BR_SLIDES_CERTAIN);
        check_verdict("friction/screw_jack.yaml", set(text, "mu=0.11;mu_k=0.099;load=%g", loads[k]),
                      BR_STICKS_METASTABLE);
        assert_near(c_star("friction/screw_jack.yaml", set(text, "mu=0.2;load=%g", loads[k])), 0.5, 1e-8);
    }
    check_stays("friction/screw_jack.yaml", "mu=0.101", "thread.velocity", 1);
    // Coming down by itself. Along the helix, with F the axial force of the flank and f = mu F/cos(lead) the friction up it:
    // m (g - a) = F + f sin(lead), J a/rho = rho F - f r cos(lead).
    const double r = 0.01, rho = r * lead, mu = 0.05, cosine = r / hypot(r, rho), sine = rho / hypot(r, rho);
    const double m = 501, J = 0.5 * r * r;
    const double up = 1 + mu / cosine * sine, turn = rho - mu / cosine * r * cosine; // per F
    const double F = m * GRAVITY / (up + m * turn * rho / J), omega = F * turn / J;
    check_slides("friction/screw_jack.yaml", "mu=0.05", "thread.velocity", -omega, 1e-7);
}

// --- four-bar ----------------------------------------------------------------------------------------------------

// In the plane of x and z, torques positive from x to z, which is about -y. R is the force on the coupler at B; t[0 .. 3] are the
// torques of the pins A, B, C, D on their second bodies: tB - tA = k[0], tC - tB = k[1], tC + tD = k[2].
typedef struct bars {
    double T, mu, r;
} bars;

static const double bar_B[2] = {0.1, 0.2}, bar_C[2] = {0.5, 0.3}, bar_D[2] = {0.4, 0};
static const double bar_mass[3] = {2, 3, 2};

static double cross(double ax, double az, double bx, double bz) {
    return ax * bz - az * bx;
}

static void bars_balance(const bars *b, const double R[2], double *k, double *load) {
    const double W[3] = {bar_mass[0] * GRAVITY, bar_mass[1] * GRAVITY, bar_mass[2] * GRAVITY};
    const double S[2] = {R[0], R[1] - W[1]};
    k[0] = b->T + cross(bar_B[0], bar_B[1], -R[0], -R[1]) + cross(0.05, 0.1, 0, -W[0]);
    k[1] = cross(bar_C[0] - bar_B[0], bar_C[1] - bar_B[1], -S[0], -S[1]) + cross(0.2, 0.05, 0, -W[1]);
    k[2] = -cross(bar_C[0] - bar_D[0], bar_C[1], S[0], S[1]) - cross(0.05, 0.15, 0, -W[2]);
    load[0] = hypot(R[0], R[1] + W[0]);
    load[1] = hypot(R[0], R[1]);
    load[2] = hypot(S[0], S[1]);
    load[3] = hypot(S[0], S[1] - W[2]);
}

// Where tB may be by each of the four limits: an interval about a centre.
static void bars_intervals(const bars *b, const double R[2], double *centre, double *half) {
    double k[3], load[4];
    bars_balance(b, R, k, load);
    centre[0] = k[0], centre[1] = 0, centre[2] = -k[1], centre[3] = k[2] - k[1];
    for (int i = 0; i < 4; i++) half[i] = b->mu * b->r * load[i];
}

// Smallest factor on mu with which all four have a point in common.
static double bars_factor(const bars *b, const double R[2]) {
    double centre[4], half[4], most = 0;
    bars_intervals(b, R, centre, half);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) most = fmax(most, fabs(centre[i] - centre[j]) / (half[i] + half[j]));
    return most;
}

// Smallest of f over the plane: a grid that closes in on its best point. Of several valleys it may miss one: the grid begins
// with 200 x 200 points over 400 N, and weights are 70 N.
static double bars_least(const bars *b, double (*f)(const bars *, const double *), double *R) {
    double best = INFINITY, at[2] = {0, 0}, reach = 200;
    for (int round = 0; round < 60; round++) {
        const int n = round == 0 ? 100 : 10;
        const double middle[2] = {at[0], at[1]};
        for (int i = -n; i <= n; i++)
            for (int j = -n; j <= n; j++) {
                const double point[2] = {middle[0] + reach * i / n, middle[1] + reach * j / n};
                const double value = f(b, point);
                if (value < best) best = value, at[0] = point[0], at[1] = point[1];
            }
        reach *= round == 0 ? 0.05 : 0.6;
    }
    if (R) R[0] = at[0], R[1] = at[1];
    return best;
}

static double bars_c_star(double T, double mu, double *R) {
    const bars b = {T, mu, 0.015};
    return bars_least(&b, bars_factor, R);
}

// Torque at which every pin is at its limit against a motion of the crank, up (+1) or down (-1).
static double bars_slip(double mu, double up) {
    // Velocities of the bars for a crank that turns by 1: v_C is the same from both sides.
    const double a = bar_C[0] - bar_B[0], c = bar_C[1] - bar_B[1], d = bar_C[0] - bar_D[0], e = bar_C[1];
    const double det = c * d - a * e; // w2 (-c, a) - w3 (-e, d) = (z_B, -x_B)
    const double w2 = (bar_B[0] * e - bar_B[1] * d) / det, w3 = (bar_B[0] * c - bar_B[1] * a) / det;
    const double slip[4] = {1, w2 - 1, w3 - w2, w3};
    bars b = {0, mu, 0.015};
    double half[4] = {0}, R[2] = {0, 0}, T = 0;
    for (int round = 0; round < 200; round++) {
        double t[4], k[3], load[4], J[3][3], rhs[3];
        for (int i = 0; i < 4; i++) t[i] = slip[i] * up > 0 ? -half[i] : half[i];
        const double wanted[3] = {t[1] - t[0], t[2] - t[1], t[2] + t[3]}, zero[2] = {0, 0};
        b.T = 0;
        bars_balance(&b, zero, k, load);
        for (int i = 0; i < 3; i++) rhs[i] = wanted[i] - k[i];
        for (int j = 0; j < 3; j++) { // linear in R and T
            const double unit[2] = {j == 0, j == 1};
            double more[3];
            b.T = j == 2;
            bars_balance(&b, unit, more, load);
            for (int i = 0; i < 3; i++) J[i][j] = more[i] - k[i];
        }
        const double D = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
                         J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
        double x[3];
        for (int j = 0; j < 3; j++) { // Cramer
            double C[3][3];
            for (int i = 0; i < 3; i++)
                for (int l = 0; l < 3; l++) C[i][l] = l == j ? rhs[i] : J[i][l];
            x[j] = (C[0][0] * (C[1][1] * C[2][2] - C[1][2] * C[2][1]) -
                    C[0][1] * (C[1][0] * C[2][2] - C[1][2] * C[2][0]) +
                    C[0][2] * (C[1][0] * C[2][1] - C[1][1] * C[2][0])) /
                   D;
        }
        R[0] = x[0], R[1] = x[1], T = x[2];
        bars_balance(&b, R, k, load);
        for (int i = 0; i < 4; i++) half[i] = b.mu * b.r * load[i];
    }
    return T;
}

// The torque on this side of the frictionless one at which the best balance needs just mu.
static double bars_hold(double mu, double up) {
    double held = bars_slip(0, 1), lost = held + 5 * up;
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (held + lost);
        *(bars_c_star(middle, mu, NULL) <= 1 ? &held : &lost) = middle;
    }
    return held;
}

static void four_bar_holds_what_its_pins_hold(void **state) {
    (void)state;
    char text[TEXT];
    for (double up = -1; up <= 1; up += 2) {
        const double hold = bars_hold(0.3, up), slip = bars_slip(0.3, up), slip_k = bars_slip(0.25, up);
        const double width = fabs(hold - bars_slip(0, 1));
        print_message("crank %s: holds %.6f N m, slips from %.6f (mu_static), %.6f (mu_kinetic)\n",
                      up > 0 ? "up" : "down", hold, slip, slip_k);
        const struct {
            double T;
            br_verdict verdict;
        } cases[] = {{hold + up * NEAR_THRESHOLD * width, BR_SLIDES_CERTAIN},
                     {slip_k + up * NEAR_THRESHOLD * width, BR_STICKS_METASTABLE},
                     {slip - up * NEAR_THRESHOLD * width, BR_STICKS_METASTABLE},
                     {slip_k - up * NEAR_THRESHOLD * width, BR_STICKS_ROBUST}};
        for (int k = 0; k < 4; k++) {
            set(text, "T=%.12g", cases[k].T);
            check_verdict("friction/four_bar.yaml", text, cases[k].verdict);
        }
        // What can be held is more than what slips: between them the rigid model cannot tell.
        assert_true((hold - slip) * up > -1e-6);
        if ((hold - slip) * up > 3 * NEAR_THRESHOLD * width)
            check_verdict("friction/four_bar.yaml", set(text, "T=%.12g", 0.5 * (hold + slip)),
                          BR_UNDETERMINED);
        check_stays("friction/four_bar.yaml", set(text, "T=%.12g", slip_k - up * NEAR_THRESHOLD * width),
                    "A.velocity", 1);
        for (int k = 0; k < 2; k++) {
            scene s =
                advanced("friction/four_bar.yaml", both[k], set(text, "T=%.12g", hold + up * 0.1), ADVANCE);
            assert_true(scene_read(&s, "A.velocity") * up < -1e-3); // the crank turns up about -y
            scene_close(&s);
        }
    }
    static const double torques[] = {0, 2.5, 3.4, 5};
    for (int k = 0; k < 4; k++)
        assert_near(c_star("friction/four_bar.yaml", set(text, "T=%g", torques[k])) /
                        bars_c_star(torques[k], 0.3, NULL),
                    1, 1e-6);
}

// Largest and smallest of what tB could be, of all R: two of the limits of the intervals' family.
static double bars_objective(const bars *b, const double R[2], int pin, double sign) {
    double centre[4], half[4], k[3], load[4], low = -INFINITY, high = INFINITY;
    bars_intervals(b, R, centre, half);
    bars_balance(b, R, k, load);
    for (int i = 0; i < 4; i++) low = fmax(low, centre[i] - half[i]), high = fmin(high, centre[i] + half[i]);
    if (low > high) return 1e3 * (low - high) + 1e3;               // outside, and the way in
    const double t_B = (pin == 3 ? -sign : sign) > 0 ? low : high; // tD falls with tB
    const double t[4] = {t_B - k[0], t_B, t_B + k[1], k[2] - (t_B + k[1])};
    return sign * t[pin];
}

#define BARS_OBJECTIVE(pin, name, sign)                                                                      \
    static double least_##name(const bars *b, const double *R) {                                             \
        return bars_objective(b, R, pin, sign);                                                              \
    }
BARS_OBJECTIVE(0, a_low, 1)
BARS_OBJECTIVE(0, a_high, -1)
BARS_OBJECTIVE(1, b_low, 1)
BARS_OBJECTIVE(1, b_high, -1)
BARS_OBJECTIVE(2, c_low, 1)
BARS_OBJECTIVE(2, c_high, -1)
BARS_OBJECTIVE(3, d_low, 1)
BARS_OBJECTIVE(3, d_high, -1)

static void four_bar_has_the_intervals_of_a_search_by_hand(void **state) {
    (void)state;
    static double (*const f[4][2])(const bars *, const double *) = {{least_a_low, least_a_high},
                                                                    {least_b_low, least_b_high},
                                                                    {least_c_low, least_c_high},
                                                                    {least_d_low, least_d_high}};
    static const char *const pins[] = {"A", "B", "C", "D"};
    told t = tell_scene("friction/four_bar.yaml", "T=4");
    const bars b = {4, 0.3, 0.015};
    assert_int_equal(t.at->nullity, 3);
    assert_int_equal(t.at->freedom, 1);
    for (int i = 0; i < 4; i++) {
        const br_trust_force *pin = force_of(&t, pins[i]);
        assert_false(pin->unique);
        // Torques about y are those from x to z with the other sign. The hand's search may end beside a corner: it is never better
        // than the interval, and 1 % worse at most.
        const double least = -(-bars_least(&b, f[i][1], NULL)), most = -bars_least(&b, f[i][0], NULL);
        const double tolerance = 0.01 * (most - least);
        assert_near(pin->friction_min, least, tolerance);
        assert_near(pin->friction_max, most, tolerance);
        assert_true(pin->friction_min <= least + 1e-6 && pin->friction_max >= most - 1e-6);
    }
    br_trust_report_free(&t.report);
}

// Rows across the plane change nothing for pins that feel forces across their axis only.
static void four_bar_in_space_has_the_verdicts_of_the_plane(void **state) {
    (void)state;
    char text[TEXT];
    static const double torques[] = {2.5, 3.9, 4.3, 5};
    for (int k = 0; k < 4; k++) {
        told plane = tell_scene("friction/four_bar.yaml", set(text, "T=%g", torques[k]));
        told space = tell_scene("friction/four_bar_spatial.yaml", text);
        assert_int_equal(space.at->verdict, plane.at->verdict);
        assert_int_equal(space.at->permanent_nullity, 3);
        assert_int_equal(space.at->nullity, plane.at->nullity + 3);
        assert_near(space.at->c_star / plane.at->c_star, 1, 1e-5);
        br_trust_report_free(&plane.report);
        br_trust_report_free(&space.report);
    }
    check_stays("friction/four_bar_spatial.yaml", "T=3.9", "A.velocity", 1);
    check_verdict("friction/four_bar_spatial.yaml", "speed=1;L=0.05", BR_SLIDES_NOT_UNIQUE);
    check_verdict("friction/four_bar_spatial.yaml", "speed=1", BR_MOVES);
}

// --- doors -------------------------------------------------------------------------------------------------------

static void door_moves_from_its_torque_on(void **state) {
    (void)state;
    char text[TEXT];
    const double W = 37.5 * GRAVITY, mu = 0.2, T = mu * (2 * 0.008 * W * 0.45 / 1 + 0.01 * W);
    check_verdict("friction/door.yaml", set(text, "T=%.12g", T * (1 - NEAR_THRESHOLD)), BR_STICKS_ROBUST);
    check_verdict("friction/door.yaml", set(text, "T=%.12g", T * (1 + NEAR_THRESHOLD)), BR_SLIDES_CERTAIN);
    check_verdict("friction/door.yaml", set(text, "T=%.12g", -T * (1 + NEAR_THRESHOLD)), BR_SLIDES_CERTAIN);
    check_verdict("friction/door.yaml", set(text, "mu_k=0.15;T=%.12g", 0.75 * T * (1 + NEAR_THRESHOLD)),
                  BR_STICKS_METASTABLE);
    check_verdict("friction/door.yaml", set(text, "mu_k=0.15;T=%.12g", 0.75 * T * (1 - NEAR_THRESHOLD)),
                  BR_STICKS_ROBUST);
    assert_near(c_star("friction/door.yaml", "T=1"), 1 / T, 1e-9);
    check_stays("friction/door.yaml", "T=1.2", "hinge.velocity", 1);
    check_slides("friction/door.yaml", "T=2", "hinge.velocity",
                 (2 - T) / (37.5 * (0.9 * 0.9 + 0.04 * 0.04) / 12 + 37.5 * 0.45 * 0.45),
                 1e-4); // omega^2 m x across: 1e-5
}

static void door_on_two_rigid_hinges_is_undetermined(void **state) {
    (void)state;
    told t = tell_scene("friction/door_two_hinges.yaml", "");
    assert_int_equal(t.at->verdict, BR_UNDETERMINED);
    assert_int_equal(t.at->permanent_nullity, 5);
    assert_int_equal(t.at->nullity, 6);
    assert_true(t.at->c_star < 1e-6); // hinges that squeeze each other hold with any friction
    assert_false(t.report.credible);
    assert_false(force_of(&t, "lower")->normal_unique);
    br_trust_report_free(&t.report);
    check_verdict("friction/door_two_hinges.yaml", "T=100", BR_UNDETERMINED);
    check_verdict("friction/door_two_hinges.yaml", "T=0", BR_STICKS_ROBUST);
    check_verdict("friction/door_two_hinges.yaml", "speed=1", BR_SLIDES_NOT_UNIQUE);
    check_verdict("friction/door_two_hinges.yaml", "mu=0",
                  BR_SLIDES_CERTAIN); // nothing holds, and nothing is open in the motion
}

// --- ladder, bracket, wedge --------------------------------------------------------------------------------------

static double ladder_height(double mu_f, double mu_w) { // as a fraction of its length
    const double W = 10 * GRAVITY, P = 700, floor = (W + P) / (1 + mu_f * mu_w);
    return (mu_f * floor * (tan(BR_PI / 3) + mu_w) - W / 2) / P;
}

static void ladder_bears_a_man_up_to_a_height(void **state) {
    (void)state;
    char text[TEXT];
    static const double mus[][2] = {{0.35, 0.25}, {0.3, 0.5}, {0.4, 0.01}};
    for (int k = 0; k < 3; k++) {
        const double f = mus[k][0], w = mus[k][1], s = ladder_height(f, w);
        check_verdict("friction/ladder.yaml",
                      set(text, "mu_f=%g;mu_w=%g;s=%.12g", f, w, s * (1 - NEAR_THRESHOLD)), BR_STICKS_ROBUST);
        check_verdict("friction/ladder.yaml",
                      set(text, "mu_f=%g;mu_w=%g;s=%.12g", f, w, s * (1 + NEAR_THRESHOLD)),
                      BR_SLIDES_CERTAIN);
        const double s_k = ladder_height(0.9 * f, 0.9 * w);
        check_verdict("friction/ladder.yaml",
                      set(text, "mu_f=%g;mu_w=%g;mu_fk=%g;mu_wk=%g;s=%.12g", f, w, 0.9 * f, 0.9 * w,
                          s_k * (1 + NEAR_THRESHOLD)),
                      BR_STICKS_METASTABLE);
    }
    check_stays("friction/ladder.yaml", "s=0.65", "ladder.velocity.x", 1);
    for (int k = 0; k < 2; k++) {
        scene s = advanced("friction/ladder.yaml", both[k], "s=0.7", ADVANCE);
        assert_true(scene_read(&s, "ladder.velocity.x") > 1e-3);
        scene_close(&s);
    }
    // Nothing of it is unique but the sum: the wall may hold by friction, or the floor alone.
    told t = tell_scene("friction/ladder.yaml", "s=0.5");
    assert_int_equal(t.at->nullity, 1);
    assert_false(force_of(&t, "foot~floor#0")->unique);
    assert_false(force_of(&t, "top~wall#0")->unique);
    br_trust_report_free(&t.report);
}

static void bracket_holds_itself_on_a_pole(void **state) {
    (void)state;
    char text[TEXT];
    static const double pulls[] = {20, 100, 1e5};
    const double W = GRAVITY, own = 0.02, h = 0.2, mu = 0.4;
    for (int k = 0; k < 3; k++) {
        const double x = h / (2 * mu) * (1 + W * (1 - 2 * mu * own / h) / pulls[k]);
        check_verdict("friction/pole_clamp.yaml",
                      set(text, "P=%g;x=%.12g", pulls[k], x * (1 + NEAR_THRESHOLD)), BR_STICKS_ROBUST);
        check_verdict("friction/pole_clamp.yaml",
                      set(text, "P=%g;x=%.12g", pulls[k], x * (1 - NEAR_THRESHOLD)), BR_SLIDES_CERTAIN);
    }
    check_stays("friction/pole_clamp.yaml", "", "bracket.velocity.z", 1);
    // 2 mu N = 2 mu (W own + P x)/h with inertia at `own`: m a (1 - 2 mu own/h) = W + P - 2 mu (W own + P x)/h.
    const double x = 0.25, P = 100;
    check_slides("friction/pole_clamp.yaml", "x=0.25", "bracket.velocity.z",
                 -(W + P - 2 * mu * (W * own + P * x) / h) / (1 - 2 * mu * own / h), 1e-4); // falls with h^3
    // Its own weight far out: it may hold, and it may fall freely without any force.
    check_verdict("friction/pole_clamp.yaml", "P=0;own=0.251", BR_UNDETERMINED);
    check_verdict("friction/pole_clamp.yaml", "P=0;own=0.249", BR_SLIDES_CERTAIN);
}

static double wedge_excess(double mu) { // > 0: it is driven out
    return tan(BR_PI / 6 - atan(mu)) - mu * (1 + 1.0 / 100);
}

static void wedge_stays_below_twice_its_angle_of_friction(void **state) {
    (void)state;
    char text[TEXT];
    double low = 0.1, high = 0.5;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        *(wedge_excess(middle) > 0 ? &low : &high) = middle;
    }
    assert_near(low, tan(BR_PI / 12), 0.005 * low); // without its own weight
    check_verdict("friction/wedge.yaml", set(text, "mu=%.12g", low * (1 + NEAR_THRESHOLD)), BR_STICKS_ROBUST);
    check_verdict("friction/wedge.yaml", set(text, "mu=%.12g", low * (1 - NEAR_THRESHOLD)),
                  BR_SLIDES_CERTAIN);
    check_verdict("friction/wedge.yaml",
                  set(text, "mu=%.12g;mu_k=%.12g", low * 1.1, low * (1 - NEAR_THRESHOLD)),
                  BR_STICKS_METASTABLE);
    assert_near(c_star("friction/wedge.yaml", "mu=0.3"), low / 0.3, 1e-7);
    check_stays("friction/wedge.yaml", "", "wedge.velocity.x", 1);
    // Driven out: the wedge by a, the block down by a tan(alpha). With phi = atan(mu): V = M (g - a tan(alpha)) is what the block
    // presses with, V tan(alpha - phi) drives it, mu (V + w) brakes it.
    const double mu = 0.2, alpha = BR_PI / 6, drive = tan(alpha - atan(mu)) - mu, M = 100;
    const double a = (M * GRAVITY * drive - mu * GRAVITY) / (1 + M * tan(alpha) * drive);
    check_slides("friction/wedge.yaml", "mu=0.2", "wedge.velocity.x", a, 1e-6);
}

// --- linear programs ---------------------------------------------------------------------------------------------

// Least cost . w over A w = b, w >= 0, by the simplex method on a dense tableau, Bland's rule; INFINITY: there are none.
enum { LP_ROWS = 6, LP_COLUMNS = 1600 };

typedef struct program {
    int rows, columns;
    double A[LP_ROWS][LP_COLUMNS], b[LP_ROWS];
} program;

static void lp_pivot(double (*t)[LP_COLUMNS + LP_ROWS + 1], int rows, int width, int row, int column) {
    const double p = t[row][column];
    for (int k = 0; k < width; k++) t[row][k] /= p;
    for (int i = 0; i <= rows; i++) {
        const double factor = t[i][column];
        if (i == row || factor == 0) continue;
        for (int k = 0; k < width; k++) t[i][k] -= factor * t[row][k];
        t[i][column] = 0;
    }
}

static void lp_phase(double (*t)[LP_COLUMNS + LP_ROWS + 1], int rows, int columns, int width, int *basis) {
    for (int turn = 0; turn < 5000; turn++) {
        int column = -1;
        double least = -1e-9;
        for (int k = 0; k < columns; k++) // the steepest; after many turns the first, which does not cycle
            if (t[rows][k] < least) {
                column = k;
                if (turn > 1000) break;
                least = t[rows][k];
            }
        if (column < 0) return;
        int row = -1;
        for (int i = 0; i < rows; i++)
            if (t[i][column] > 1e-9 &&
                (row < 0 || t[i][width - 1] * t[row][column] < t[row][width - 1] * t[i][column]))
                row = i;
        if (row < 0) fail_msg("a linear program without bounds");
        lp_pivot(t, rows, width, row, column);
        basis[row] = column;
    }
    fail_msg("a linear program that does not end");
}

static double lp_least(const program *p, const double *cost) {
    static double t[LP_ROWS + 1][LP_COLUMNS + LP_ROWS + 1];
    const int m = p->rows, n = p->columns, width = n + m + 1;
    int basis[LP_ROWS];
    memset(t, 0, sizeof t);
    for (int i = 0; i < m; i++) {
        const double sign = p->b[i] < 0 ? -1 : 1;
        for (int k = 0; k < n; k++) t[i][k] = sign * p->A[i][k], t[m][k] -= t[i][k];
        t[i][n + i] = 1, t[i][width - 1] = sign * p->b[i], t[m][width - 1] -= t[i][width - 1];
        basis[i] = n + i;
    }
    lp_phase(t, m, n, width, basis);
    if (t[m][width - 1] < -1e-7) return INFINITY;
    for (int i = 0; i < m; i++) // what is left of the first phase goes out at zero, or its row says nothing
        for (int k = 0; basis[i] >= n && k < n; k++)
            if (fabs(t[i][k]) > 1e-7) lp_pivot(t, m, width, i, k), basis[i] = k;
    memset(t[m], 0, sizeof t[m]);
    for (int k = 0; k < n; k++) t[m][k] = cost[k];
    for (int i = 0; i < m; i++)
        if (basis[i] < n) {
            const double factor = t[m][basis[i]];
            for (int k = 0; k < width; k++) t[m][k] -= factor * t[i][k];
        }
    lp_phase(t, m, n, width, basis);
    return -t[m][width - 1];
}

// The same by trying every corner: `rows` columns of A at a time.
static double lp_least_of_corners(const program *p, const double *cost) {
    int chosen[LP_ROWS];
    const int m = p->rows;
    double best = INFINITY;
    for (int i = 0; i < m; i++) chosen[i] = i;
    for (;;) {
        double a[LP_ROWS][LP_ROWS + 1];
        int regular = 1;
        for (int i = 0; i < m; i++) {
            for (int k = 0; k < m; k++) a[i][k] = p->A[i][chosen[k]];
            a[i][m] = p->b[i];
        }
        for (int k = 0; k < m && regular; k++) {
            int pivot = k;
            for (int i = k; i < m; i++)
                if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
            regular = fabs(a[pivot][k]) > 1e-9;
            for (int l = 0; l <= m && regular; l++) {
                const double swap = a[k][l];
                a[k][l] = a[pivot][l], a[pivot][l] = swap;
            }
            for (int i = 0; i < m && regular; i++) {
                const double factor = i == k ? 0 : a[i][k] / a[k][k];
                for (int l = k; l <= m; l++) a[i][l] -= factor * a[k][l];
            }
        }
        double value = 0;
        for (int k = 0; k < m && regular; k++) {
            const double w = a[k][m] / a[k][k];
            regular = w >= -1e-9;
            value += w * cost[chosen[k]];
        }
        if (regular) best = fmin(best, value);
        int i = m - 1; // the next combination
        while (i >= 0 && chosen[i] == p->columns - m + i) i--;
        if (i < 0) return best;
        chosen[i]++;
        for (int k = i + 1; k < m; k++) chosen[k] = chosen[k - 1] + 1;
    }
}

// --- tables ------------------------------------------------------------------------------------------------------

static void four_legs_hold_a_push_of_mu_m_g(void **state) {
    (void)state;
    char text[TEXT];
    const double static_limit = 0.5 * 20 * GRAVITY, kinetic_limit = 0.4 * 20 * GRAVITY;
    const struct {
        double push;
        br_verdict verdict;
    } cases[] = {{0, BR_STICKS_ROBUST},
                 {kinetic_limit * (1 - NEAR_THRESHOLD), BR_STICKS_ROBUST},
                 {kinetic_limit * (1 + NEAR_THRESHOLD), BR_STICKS_METASTABLE},
                 {static_limit * (1 - NEAR_THRESHOLD), BR_STICKS_METASTABLE},
                 {static_limit * (1 + NEAR_THRESHOLD), BR_SLIDES_CERTAIN},
                 {-static_limit * (1 + NEAR_THRESHOLD), BR_SLIDES_CERTAIN}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_verdict("friction/table_four.yaml", set(text, "push=%.12g", cases[k].push), cases[k].verdict);
    told t = tell_scene("friction/table_four.yaml", "push=60");
    assert_int_equal(t.at->nullity, 6);
    assert_int_equal(t.at->permanent_nullity, 0);
    assert_near(t.at->c_star, 60 / static_limit, 1e-7);
    // The back legs are unloaded at most until the front ones carry all: each of them from nothing to half the push's own.
    for (int k = 0; k < t.at->forces; k++)
        assert_false(t.at->force[k].unique || t.at->force[k].normal_unique);
    br_trust_report_free(&t.report);
    check_stays("friction/table_four.yaml", "push=60", "table.velocity.x", 1);
    // Below v_threshold the contact stepper has mu_static: one coefficient for both, here.
    check_slides("friction/table_four.yaml", "push=110;mu_k=0.5", "table.velocity.x",
                 (110 - static_limit) / 20, 1e-6);
}

// Edges of a cone cut into J: forces on the leg at (x, y) per unit of normal force. outside: the cone is within them.
static void cone_columns(program *p, double x, double y, double z, double mu, int J, int outside) {
    const double reach = outside ? mu / cos(BR_PI / J) : mu;
    for (int j = 0; j < J; j++) {
        const double f[3] = {reach * cos(2 * BR_PI * j / J), reach * sin(2 * BR_PI * j / J), 1};
        double *column = &p->A[0][p->columns++];
        const double wrench[6] = {
            f[0], f[1], f[2], y * f[2] - z * f[1], z * f[0] - x * f[2], x * f[1] - y * f[0]};
        for (int i = 0; i < 6; i++) column[i * LP_COLUMNS] = wrench[i];
    }
}

static const double six_legs[6][2] = {{0.7, 0.4},    {0.05, 0.5}, {-0.6, 0.45},
                                      {-0.65, -0.4}, {0, -0.45},  {0.6, -0.5}};

static void six_legs_program(program *p, double mu, int J, int outside, double factor) {
    const double push[3] = {40 * factor, 25 * factor, 0}, W = 20 * GRAVITY;
    memset(p, 0, sizeof *p);
    p->rows = 6;
    for (int i = 0; i < 6; i++) cone_columns(p, six_legs[i][0], six_legs[i][1], -0.7, mu, J, outside);
    const double load[6] = {push[0], push[1], -W, 0, 0, 0.2 * push[1] - 0.1 * push[0] + 6 * factor};
    for (int i = 0; i < 6; i++) p->b[i] = -load[i];
}

// Smallest factor on push and twist with which all legs are at their limit against a turn about (x, y), over all shares of the weight.
static double six_legs_slip_about(double mu, double x, double y, double sense) {
    static program p, unit;
    double cost[7] = {0, 0, 0, 0, 0, 0, 1};
    memset(&p, 0, sizeof p);
    p.rows = 6, p.columns = 7;
    for (int i = 0; i < 6; i++) {
        const double a = six_legs[i][0], b = six_legs[i][1], reach = hypot(a - x, b - y);
        if (reach < 1e-9) return INFINITY;
        const double f[3] = {mu * sense * (b - y) / reach, -mu * sense * (a - x) / reach, 1}, z = -0.7;
        const double wrench[6] = {
            f[0], f[1], f[2], b * f[2] - z * f[1], z * f[0] - a * f[2], a * f[1] - b * f[0]};
        for (int r = 0; r < 6; r++) p.A[r][i] = wrench[r];
    }
    six_legs_program(&unit, mu, 4, 0, 1);
    for (int r = 0; r < 6; r++) p.A[r][6] = r == 2 ? 0 : -unit.b[r], p.b[r] = r == 2 ? unit.b[2] : 0;
    return lp_least(&p, cost);
}

// The same about a leg that stays: its friction is anything within its cone, cut into edges from inside.
static double six_legs_turn_about(double mu, int leg, double sense) {
    enum { EDGES = 128 };
    static program p, unit;
    static double cost[LP_COLUMNS];
    memset(&p, 0, sizeof p);
    memset(cost, 0, sizeof cost);
    p.rows = 6;
    for (int i = 0; i < 6; i++) {
        const double a = six_legs[i][0], b = six_legs[i][1], z = -0.7;
        const double x = six_legs[leg][0], y = six_legs[leg][1], reach = hypot(a - x, b - y);
        if (i == leg) {
            cone_columns(&p, a, b, z, mu, EDGES, 0);
            continue;
        }
        const double f[3] = {mu * sense * (b - y) / reach, -mu * sense * (a - x) / reach, 1};
        const double wrench[6] = {
            f[0], f[1], f[2], b * f[2] - z * f[1], z * f[0] - a * f[2], a * f[1] - b * f[0]};
        for (int r = 0; r < 6; r++) p.A[r][p.columns] = wrench[r];
        p.columns++;
    }
    six_legs_program(&unit, mu, 4, 0, 1);
    for (int r = 0; r < 6; r++) p.A[r][p.columns] = r == 2 ? 0 : -unit.b[r], p.b[r] = r == 2 ? unit.b[2] : 0;
    cost[p.columns++] = 1;
    return lp_least(&p, cost);
}

// Over all motions: centres from 1 cm to 1 km away, both senses, then closing in on the best.
static double six_legs_slip(double mu) {
    double best = INFINITY, at[2] = {0, 0}, sense = 1, reach[2] = {3.5, BR_PI};
    for (int round = 0; round < 25; round++) {
        const int n = round == 0 ? 60 : 4;
        const double middle[2] = {round == 0 ? 0.5 : at[0], at[1]};
        for (int i = -n; i <= n; i++)
            for (int j = -n; j <= n; j++)
                for (int k = -1; k <= 1; k += 2) {
                    const double r = middle[0] + reach[0] * i / n, angle = middle[1] + reach[1] * j / n;
                    if (round > 0 && k != sense) continue;
                    const double value =
                        six_legs_slip_about(mu, pow(10, r) * cos(angle), pow(10, r) * sin(angle), k);
                    if (value < best) best = value, at[0] = r, at[1] = angle, sense = k;
                }
        for (int k = 0; k < 2; k++) reach[k] *= round == 0 ? 0.05 : 0.6;
    }
    return best;
}

static void six_legs_have_the_intervals_of_their_linear_programs(void **state) {
    (void)state;
    static program inside, outside;
    static double cost[LP_COLUMNS];
    enum { J = 256 };
    told t = tell_scene("friction/table_six.yaml", "");
    assert_int_equal(t.at->nullity, 12);
    assert_int_equal(t.at->permanent_nullity, 0);
    assert_int_equal(t.at->verdict, BR_STICKS_ROBUST);
    assert_int_equal(t.at->forces, 12);
    six_legs_program(&inside, 0.5, J, 0, 1);
    six_legs_program(&outside, 0.5, J, 1, 1);
    double widest = 0;
    for (int leg = 0; leg < 6; leg++)
        for (int d = 0; d < 2; d++)
            for (int sign = -1; sign <= 1; sign += 2) {
                char name[64];
                snprintf(name, sizeof name, "leg_%d~floor#0.%d", leg + 1, d);
                const br_trust_force *f = force_of(&t, name);
                double bound[2];
                for (int k = 0; k < 2; k++) {
                    const program *p = k ? &outside : &inside;
                    memset(cost, 0, sizeof cost);
                    for (int j = 0; j < J; j++) cost[leg * J + j] = sign * p->A[d][leg * J + j];
                    bound[k] = lp_least(p, cost);
                }
                const double told_bound = sign > 0 ? f->friction_min : -f->friction_max;
                if (!(bound[1] - 1e-6 <= told_bound && told_bound <= bound[0] + 1e-6))
                    fail_msg("%s, %s: %.9g, linear programs %.9g .. %.9g", name, sign > 0 ? "least" : "-most",
                             told_bound, bound[1], bound[0]);
                widest = fmax(widest, bound[0] - bound[1]);
            }
    print_message("six legs: bounds from inside and outside are %.2g N apart at most\n", widest);
    assert_true(widest < 0.05); // 1 - cos(pi/256) of 100 N, and what the moments make of it
    // c*: the factor on mu at which the cones cease to hold a solution.
    double bracket[2];
    for (int k = 0; k < 2; k++) {
        double low = 0.01, high = 2;
        for (int turn = 0; turn < 40; turn++) {
            const double c = 0.5 * (low + high);
            six_legs_program(&inside, 0.5 * c, J, k, 1);
            memset(cost, 0, sizeof cost);
            *(lp_least(&inside, cost) < INFINITY ? &high : &low) = c;
        }
        bracket[k] = high;
    }
    print_message("six legs: c* %.9g, linear programs %.9g .. %.9g\n", t.at->c_star, bracket[1], bracket[0]);
    assert_true(bracket[1] - 1e-6 <= t.at->c_star && t.at->c_star <= bracket[0] + 1e-6);
    br_trust_report_free(&t.report);
    // How much more push and twist it holds.
    char text[TEXT];
    double held = 1, lost = 4;
    for (int turn = 0; turn < 40; turn++) {
        const double factor = 0.5 * (held + lost);
        six_legs_program(&inside, 0.5, J, 0, factor);
        memset(cost, 0, sizeof cost);
        *(lp_least(&inside, cost) < INFINITY ? &held : &lost) = factor;
    }
    // All legs sliding, or all but one that it turns about, the weight as it helps least: from there to `held` rest and sliding are
    // both consistent. Above, it slides, but how depends on which legs bear the weight.
    double slips = six_legs_slip(0.5);
    for (int leg = 0; leg < 6; leg++)
        for (int sense = -1; sense <= 1; sense += 2)
            slips = fmin(slips, six_legs_turn_about(0.5, leg, sense));
    print_message("six legs: hold %.6g times the push and the twist, can slip from %.6g times on\n", held,
                  slips);
    const struct {
        double factor;
        br_verdict verdict;
    } cases[] = {{held * (1 + NEAR_THRESHOLD), BR_SLIDES_NOT_UNIQUE},
                 {held * (1 - NEAR_THRESHOLD), BR_UNDETERMINED},
                 {0.5 * (held + slips), BR_UNDETERMINED},
                 {slips * 0.95, BR_STICKS_ROBUST}};
    for (int k = 0; k < 4; k++) {
        const double factor = cases[k].factor;
        set(text, "mu_k=0.5;push=%.12g;sideways=%.12g;twist=%.12g", 40 * factor, 25 * factor, 6 * factor);
        check_verdict("friction/table_six.yaml", text, cases[k].verdict);
    }
    check_stays("friction/table_six.yaml", "", "table.velocity.x", 1);
}

static const double bench_legs[6] = {-1.4, -0.9, -0.2, 0.3, 0.8, 1.3};

static void bench_program(program *p, double mu, double push) {
    memset(p, 0, sizeof *p);
    p->rows = 3;
    for (int i = 0; i < 6; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double f = side * mu, z = -0.45;
            p->A[0][p->columns] = f, p->A[1][p->columns] = 1, p->A[2][p->columns] = bench_legs[i] - z * f;
            p->columns++;
        }
    p->b[0] = -push, p->b[1] = 30 * GRAVITY, p->b[2] = 0;
}

static void bench_has_the_corners_of_its_linear_programs(void **state) {
    (void)state;
    static program p;
    static double cost[LP_COLUMNS];
    told t = tell_scene("friction/bench_six.yaml", "");
    assert_int_equal(t.at->nullity, 9);
    assert_int_equal(t.at->verdict, BR_STICKS_ROBUST);
    bench_program(&p, 0.5, 60);
    for (int leg = 0; leg < 6; leg++) {
        char name[64];
        snprintf(name, sizeof name, "leg_%d~floor#0", leg + 1);
        const br_trust_force *f = force_of(&t, name);
        for (int sign = -1; sign <= 1; sign += 2) {
            memset(cost, 0, sizeof cost);
            for (int j = 0; j < 2; j++) cost[2 * leg + j] = sign * p.A[0][2 * leg + j];
            const double least = lp_least_of_corners(&p, cost);
            assert_near(lp_least(&p, cost), least, 1e-8); // the two ways of the test itself
            assert_near(sign > 0 ? f->friction_min : -f->friction_max, least, 1e-7);
        }
    }
    br_trust_report_free(&t.report);
    char text[TEXT];
    const double limit = 0.5 * 30 * GRAVITY;
    check_verdict("friction/bench_six.yaml", set(text, "push=%.12g", limit * (1 + NEAR_THRESHOLD)),
                  BR_SLIDES_CERTAIN);
    check_verdict("friction/bench_six.yaml", set(text, "push=%.12g", limit * (1 - NEAR_THRESHOLD)),
                  BR_STICKS_METASTABLE);
    check_verdict("friction/bench_six.yaml", set(text, "push=%.12g", 0.8 * limit * (1 - NEAR_THRESHOLD)),
                  BR_STICKS_ROBUST);
    check_stays("friction/bench_six.yaml", "", "bench.velocity.x", 1);
    check_slides("friction/bench_six.yaml", "push=160;mu_k=0.5", "bench.velocity.x", (160 - limit) / 30,
                 1e-6);
}

// --- gripper -----------------------------------------------------------------------------------------------------

// Forces on the box: squeeze left and right, weight, moment about its middle. Each contact at (x, z) has two edges of its cone.
static void gripper_program(program *p, double mu, double F, scene *s) {
    memset(p, 0, sizeof *p);
    p->rows = 4;
    for (int k = 0; k < br_sim_contact_count(s->sim); k++) {
        br_contact c;
        br_sim_contact(s->sim, k, &c);
        const double x = c.point.x, z = c.point.z - 0.5, push = x < 0 ? 1 : -1;
        for (int side = -1; side <= 1; side += 2) {
            const double f = side * mu; // up, on the box
            p->A[0][p->columns] = x<0, p->A[1][p->columns] = x> 0, p->A[2][p->columns] = f;
            p->A[3][p->columns] = x * f - z * push;
            p->columns++;
        }
    }
    p->b[0] = p->b[1] = F, p->b[2] = GRAVITY, p->b[3] = 0;
}

static void gripper_holds_while_2_mu_f_is_the_weight(void **state) {
    (void)state;
    static program p;
    static double cost[LP_COLUMNS];
    char text[TEXT];
    const double F = GRAVITY / (2 * 0.5);
    check_verdict("friction/gripper.yaml", set(text, "F=%.12g", F * (1 + NEAR_THRESHOLD)), BR_STICKS_ROBUST);
    check_verdict("friction/gripper.yaml", set(text, "F=%.12g", F * (1 - NEAR_THRESHOLD)), BR_SLIDES_CERTAIN);
    check_verdict("friction/gripper.yaml", set(text, "mu_k=0.4;F=%.12g", F * (1 + NEAR_THRESHOLD)),
                  BR_STICKS_METASTABLE);
    check_verdict("friction/gripper.yaml", set(text, "mu_k=0.4;F=%.12g", 1.25 * F * (1 + NEAR_THRESHOLD)),
                  BR_STICKS_ROBUST);
    check_stays("friction/gripper.yaml", "F=10", "box.velocity.z", 1);
    check_slides("friction/gripper.yaml", "F=9", "box.velocity.z", -(GRAVITY - 2 * 0.5 * 9), 1e-6);

    scene s = scene_open("friction/gripper.yaml", "");
    told t = tell(&s);
    gripper_program(&p, 0.5, 12, &s);
    const int contacts = p.columns / 2;
    assert_int_equal(t.at->forces, contacts);
    assert_int_equal(t.at->nullity, 2 * contacts - 4);
    for (int k = 0; k < contacts; k++) {
        char name[BR_MAX_CONTACT_NAME];
        br_contact c;
        br_sim_contact(s.sim, k, &c);
        br_sim_contact_name(s.sim, k, name, sizeof name);
        const br_trust_force *f = force_of(&t, name);
        assert_false(f->unique);
        double bound[2];
        for (int most = 0; most < 2; most++) {
            memset(cost, 0, sizeof cost);
            for (int j = 0; j < 2; j++) cost[2 * k + j] = (most ? -1 : 1) * p.A[2][2 * k + j];
            bound[most] = (most ? -1 : 1) * lp_least(&p, cost);
        }
        // The contact's own direction is up or down; forces are on its first shape, a finger or the box.
        const double up_on_box = bound[1], down_on_box = bound[0], width = up_on_box - down_on_box;
        assert_near(f->friction_max - f->friction_min, width, 1e-7);
        assert_true(fabs(f->friction_max - up_on_box) < 1e-7 || fabs(f->friction_max + down_on_box) < 1e-7);
    }
    br_trust_report_free(&t.report);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawer_slides_from_its_pull_on),
        cmocka_unit_test(drawer_jams_however_hard_it_is_pulled),
        cmocka_unit_test(screw_jack_locks_itself_from_the_lead_on),
        cmocka_unit_test(four_bar_holds_what_its_pins_hold),
        cmocka_unit_test(four_bar_has_the_intervals_of_a_search_by_hand),
        cmocka_unit_test(four_bar_in_space_has_the_verdicts_of_the_plane),
        cmocka_unit_test(door_moves_from_its_torque_on),
        cmocka_unit_test(door_on_two_rigid_hinges_is_undetermined),
        cmocka_unit_test(ladder_bears_a_man_up_to_a_height),
        cmocka_unit_test(bracket_holds_itself_on_a_pole),
        cmocka_unit_test(wedge_stays_below_twice_its_angle_of_friction),
        cmocka_unit_test(four_legs_hold_a_push_of_mu_m_g),
        cmocka_unit_test(six_legs_have_the_intervals_of_their_linear_programs),
        cmocka_unit_test(bench_has_the_corners_of_its_linear_programs),
        cmocka_unit_test(gripper_holds_while_2_mu_f_is_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
