// Turning shafts against textbook rotors: gyroscopes, critical speeds, unstable zones, dampers within and without.
#include "mode_model.h"

// A shaft without mass (as good as: the disk has 1 kg) and without shear: 1 m, EI = 1000 and as given.
#define MASSLESS(EI_y, EI_z)                                                                                 \
    "{EI: [" EI_y ", " EI_z "], GJ: 1e3, EA: 1e8, kGA: 1e9, mass: 1e-9, inertia: [1e-12, 1e-12, 1e-12]}"

static br_modes_def about_x(double spin, int count) {
    br_modes_def def = br_default_modes_def();
    def.count = count, def.spin = spin, def.axis = br_vec3_of(1, 0, 0);
    return def;
}

// --- the overhung disk -------------------------------------------------------------------------------------

// Stiffness k against the disk's move and tilt: the inverse of l^3/3EI + l/GA, l^2/2EI, l/EI. Beside the shaft, forwards
// positive:
//     (k_11 - m w^2) (k_22 + J_p spin w - J_d w^2) - k_12^2 = 0
static double overhung(double w, double spin) {
    const double EI = 1000.0, GA = 1e9, m = 1.0, J_p = 0.08, J_d = 0.04;
    const double a = 1.0 / (3.0 * EI) + 1.0 / GA, b = 1.0 / (2.0 * EI), c = 1.0 / EI, d = a * c - b * b;
    return (c / d - m * w * w) * (a / d + J_p * spin * w - J_d * w * w) - b * b / (d * d);
}

static double root_near(double w, double spin) {
    for (int k = 0; k < 50; k++) {
        const double d = 1e-6 * (1.0 + fabs(w));
        w -= overhung(w, spin) * 2.0 * d / (overhung(w + d, spin) - overhung(w - d, spin));
    }
    return w;
}

static mode_model overhung_disk(void) {
    return mode_read(
        "gravity: [0, 0, 0]\n"
        "bodies: {disk: {mass: 1, inertia: [0.08, 0.04, 0.04], pose: {position: [1, 0, 0]}}}\n"
        "beams: {shaft: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, attach: {1: disk}, section: " MASSLESS(
            "1000", "1000") "}}\n"
                            "joints: {R: {revolute: [world, shaft.s0], axis: [1, 0, 0]}}\n");
}

static void overhung_disk_whirls_as_gyroscopes_do(void **state) {
    (void)state;
    mode_model s = overhung_disk();
    const double spins[3] = {20.0, 150.0, -400.0};
    for (int k = 0; k < 3; k++) {
        br_modes_def def = about_x(spins[k], 4);
        br_modes m = mode_find_by(&s, &def);
        int forward = 0, backward = 0;
        for (int n = 0; n < 4; n++) {
            const br_mode *q = &m.mode[n];
            assert_true(q->whirl != BR_WHIRL_NONE && q->circular > 0.999999);
            const double w = q->whirl == BR_WHIRL_FORWARD ? q->fixed : -q->fixed;
            assert_close(w, root_near(w, fabs(spins[k])), 1e-7); // the shaft's mass, 1e-9, and rounding
            assert_near(q->real, 0.0, 1e-7 * q->fixed);
            *(q->whirl == BR_WHIRL_FORWARD ? &forward : &backward) += 1;
        }
        assert_true(forward == 2 && backward == 2);
        // What turns with the shaft sees the difference.
        assert_near(
            m.mode[0].imaginary,
            fabs((m.mode[0].whirl == BR_WHIRL_FORWARD ? m.mode[0].fixed : -m.mode[0].fixed) - fabs(spins[k])),
            1e-6);
        br_modes_free(&m);
    }
    mode_close(&s);
}

// Forward whirl at the speed itself: w = spin. With J_p > J_d there is only one such speed.
static void overhung_disk_has_one_critical_speed(void **state) {
    (void)state;
    mode_model s = overhung_disk();
    br_modes_def def = br_default_modes_def(); // the axis is R's
    br_criticals c = {0};
    br_error error = {0};
    mode_check(br_modes_critical(s.sim, &def, &c, &error), &error);
    double w = 50.0;
    for (int k = 0; k < 50; k++) {
        const double d = 1e-5;
        w -= overhung(w, w) * 2.0 * d / (overhung(w + d, w + d) - overhung(w - d, w - d));
    }
    assert_true(c.count >= 1);
    print_message("overhung disk: critical at %.6f rad/s, expected %.6f\n", c.zone[0].from, w);
    assert_close(c.zone[0].from, w, 1e-7);
    assert_close(c.zone[0].to, w, 1e-7);
    if (c.count > 1) assert_true(c.zone[1].from > 1e3 * w); // of the shaft itself
    assert_vec3_near(c.axis, br_vec3_of(1, 0, 0), 1e-14);
    br_criticals_free(&c);
    mode_close(&s);
}

static void campbell_lines_follow_the_whirls(void **state) {
    (void)state;
    mode_model s = overhung_disk();
    br_modes_def def = about_x(0.0, 4);
    br_campbell c = {0};
    br_error error = {0};
    mode_check(br_modes_campbell(s.sim, &def, 0.0, 300.0, 16, &c, &error), &error);
    assert_true(c.speeds == 16 && c.count == 4);
    assert_near(c.spin[15], 300.0, 0.0);
    for (int line = 0; line < 4; line++) {
        const br_whirl sense = c.mode[4 + line].whirl;
        for (int k = 1; k < 16; k++) {
            const br_mode *q = &c.mode[4 * k + line], *last = &c.mode[4 * (k - 1) + line];
            assert_int_equal(q->whirl, sense);
            const double w = sense == BR_WHIRL_FORWARD ? q->fixed : -q->fixed;
            assert_close(w, root_near(w, c.spin[k]), 1e-7);
            // Gyroscopes raise forward whirl and lower backward whirl.
            assert_true(sense == BR_WHIRL_FORWARD ? q->fixed > last->fixed : q->fixed < last->fixed);
        }
    }
    br_campbell_free(&c);
    mode_close(&s);
}

// --- the shaft of two stiffnesses --------------------------------------------------------------------------

// A disk at mid-span of a supported shaft: 48 EI/l^3. Seen from the shaft,
//     (s^2 + w_1^2 - spin^2)(s^2 + w_2^2 - spin^2) + 4 spin^2 s^2 = 0.
static void flat_shaft_runs_away_between_its_critical_speeds(void **state) {
    (void)state;
    mode_model s =
        mode_read("gravity: [0, 0, 0]\n"
                  "bodies: {disk: {mass: 1, inertia: [0.02, 0.01, 0.01], pose: {position: [0.5, 0, 0]}}}\n"
                  "beams: {shaft: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, attach: {0.5: disk}, "
                  "section: " MASSLESS("1000", "1500") "}}\n"
                                                       "joints:\n"
                                                       "  a: {spherical: [world, shaft.s0]}\n"
                                                       "  b: {spherical: [world, shaft.s1]}\n");
    const double shear = 1.0 / 4e9, w1 = sqrt(1.0 / (1.0 / 48e3 + shear)),
                 w2 = sqrt(1.0 / (1.0 / 72e3 + shear)); // 219, 268
    br_modes_def def = about_x(0.0, 3);
    br_criticals c = {0};
    br_error error = {0};
    mode_check(br_modes_critical(s.sim, &def, &c, &error), &error);
    assert_true(c.count >= 1);
    assert_close(c.zone[0].from, w1, 1e-7);
    assert_close(c.zone[0].to, w2, 1e-7);
    br_criticals_free(&c);
    const double spins[5] = {100.0, 215.0, 240.0, 265.0, 320.0};
    for (int k = 0; k < 5; k++) {
        const double O = spins[k] * spins[k], b = w1 * w1 + w2 * w2 + 2.0 * O,
                     d = (w1 * w1 - O) * (w2 * w2 - O);
        // s^4 + b s^2 + d = 0
        const double low = 0.5 * (-b + sqrt(b * b - 4.0 * d));
        def = about_x(spins[k], 6);
        br_modes m = mode_find_by(&s, &def);
        double grows = 0.0, slowest = INFINITY;
        for (int n = 0; n < m.count; n++) {
            grows = fmax(grows, m.mode[n].real);
            if (m.mode[n].whirl == BR_WHIRL_FORWARD) slowest = fmin(slowest, m.mode[n].imaginary);
        }
        const int inside = spins[k] > w1 && spins[k] < w2;
        assert_true(inside == (low > 0.0));
        if (inside)
            assert_close(grows, sqrt(low), 1e-6);
        else {
            assert_near(grows, 0.0, 1e-5);
            assert_close(slowest, sqrt(-low), 1e-6);
        }
        br_modes_free(&m);
    }
    mode_close(&s);
}

// --- a shaft with mass -------------------------------------------------------------------------------------

// Rayleigh's beam, pinned: EI k^4 - (m + j k^2) w^2 + 2 j spin k^2 w = 0, forwards positive.
static void round_shaft_whirls_as_rayleigh_says(void **state) {
    (void)state;
    const double EI = 1.0, mass = 1.0, j = 2e-3, spin = 15.0;
    mode_model s = mode_read(
        "gravity: [0, 0, 0]\n"
        "beams: {shaft: {from: [0, 0, 0], to: [1, 0, 0], elements: 40, section: {EI: 1, GJ: 1, EA: 1e6,"
        " kGA: 1e6, mass: 1, inertia: [4e-3, 2e-3, 2e-3]}}}\n"
        "joints:\n"
        "  a: {spherical: [world, shaft.s0]}\n"
        "  b: {spherical: [world, shaft.s1]}\n");
    br_modes_def def = about_x(spin, 4);
    br_modes m = mode_find_by(&s, &def);
    for (int n = 0; n < 4; n++) {
        const double k = (n / 2 + 1) * BR_PI, a = mass + j * k * k, b = j * spin * k * k;
        const double root = sqrt(b * b + a * EI * pow(k, 4));
        int found = 0;
        for (int i = 0; i < 4; i++) {
            const double w = m.mode[i].whirl == BR_WHIRL_FORWARD ? m.mode[i].fixed : -m.mode[i].fixed;
            const double expected = (b + (n % 2 ? root : -root)) / a;
            found |= fabs(w - expected) < 1e-4 * fabs(expected); // the mesh: as at rest
        }
        assert_true(found);
    }
    br_modes_free(&m);
    mode_close(&s);
}

// A blade on its hub: flapping along the axis, in units of sqrt(EI/m l^4) against the spin [Wright, Smith, Thresher, Wang,
// J. Applied Mechanics 49 (1982) 197]. In the plane of turning the square is less by that of the spin. No unbalance: two
// blades.
#define BLADE "{EI: [1, 1.5], GJ: 50, EA: 1e6, kGA: 1e6, mass: 1, inertia: [2e-6, 1e-6, 1e-6]}"

static void blades_are_stiffened_by_their_tension(void **state) {
    (void)state;
    static const double flap[][2] = {{1.0, 3.6816}, {3.0, 4.7973}, {6.0, 7.3604}, {12.0, 13.1702}};
    mode_model s = mode_read(
        "gravity: [0, 0, 0]\n"
        "bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\n"
        "beams:\n"
        "  a: {from: [0, 0, 0], to: [1, 0, 0], elements: 15, attach: {0: hub}, section: " BLADE "}\n"
        "  b: {from: [0, 0, 0], to: [-1, 0, 0], elements: 15, attach: {0: hub}, section: " BLADE "}\n"
        "joints: {R: {revolute: [world, hub], axis: [0, 0, 1]}}\n"
        "drives: {d: {joint: R, velocity: 0}}\n");
    for (int k = 0; k < 4; k++) {
        const double spin = flap[k][0];
        br_modes_def def = br_default_modes_def();
        def.spin = spin, def.count = 6;
        br_modes m = mode_find_by(&s, &def);
        double found[2] = {0.0, 0.0};
        int flaps = 0;
        for (int n = 0; n < m.count && flaps < 2; n++)
            if (m.mode[n].whirl == BR_WHIRL_NONE && m.mode[n].imaginary < 20.0)
                found[flaps++] = m.mode[n].imaginary;
        print_message("spin %g: flapping at %.4f, published %.4f\n", spin, found[0], flap[k][1]);
        assert_int_equal(flaps, 2);               // of both blades, together and against each other
        assert_close(found[0], flap[k][1], 1e-4); // printed to four digits; the mesh
        assert_close(found[1], flap[k][1], 1e-4);
        br_modes_free(&m);
    }
    mode_close(&s);
}

// --- dampers -----------------------------------------------------------------------------------------------

// A disk at mid-span of a massless shaft: it does not tilt. Within the shaft the damper
// c_i = kv k turns with it, c_e does not:  m r'' + (c_e + c_i) r' + (k - i spin c_i) r = 0, beside the shaft. It is stable
// below spin = w (1 + c_e/c_i).
static void damping_within_the_shaft_makes_it_whirl(void **state) {
    (void)state;
    const double kv = 1e-3, c_e = 6.0;
    mode_model s = mode_read(
        "gravity: [0, 0, 0]\n"
        "bodies: {disk: {mass: 1, inertia: [0.02, 0.01, 0.01], pose: {position: [0.5, 0, 0]}}}\n"
        "beams: {shaft: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, attach: {0.5: disk}, damping: 1 ms,"
        " section: " MASSLESS("1000", "1000") "}}\n"
                                              "joints:\n"
                                              "  a: {spherical: [world, shaft.s0]}\n"
                                              "  b: {spherical: [world, shaft.s1]}\n"
                                              "loads: {oil: {bushing: [world, disk], at: [0.5, 0, 0], "
                                              "stiffness: {translation: [0, 0, 0]},"
                                              " damping: {translation: [6, 6, 6]}}}\n");
    const double k = 1.0 / (1.0 / 48e3 + 1.0 / 4e9), w = sqrt(k), c_i = kv * k, limit = w * (1.0 + c_e / c_i);
    for (int n = 0; n < 2; n++) {
        const double spin = limit * (n == 0 ? 0.98 : 1.02);
        br_modes_def def = about_x(spin, 4);
        br_modes m = mode_find_by(&s, &def);
        // (s^2 + (c_e + c_i) s + k)^2 = -(spin c_i)^2: s = -c/2 + sqrt(c^2/4 - k + i spin c_i)
        const double c = c_e + c_i, re = 0.25 * c * c - k, im = spin * c_i;
        const double real = -0.5 * c + sqrt(0.5 * (hypot(re, im) + re)),
                     beside = sqrt(0.5 * (hypot(re, im) - re));
        int found = 0;
        for (int i = 0; i < m.count; i++)
            if (m.mode[i].whirl == BR_WHIRL_FORWARD && fabs(m.mode[i].fixed - beside) < 1e-5 * beside) {
                assert_near(m.mode[i].real, real, 1e-4 * fabs(real) + 1e-6 * w);
                assert_true((m.mode[i].real > 0.0) == (n == 1));
                found = 1;
            }
        assert_true(found);
        br_modes_free(&m);
    }
    mode_close(&s);
}

// --- what cannot turn --------------------------------------------------------------------------------------

static void refuse(const char *joints, const char *name) {
    mode_model s = mode_read("gravity: [0, 0, 0]\n"
                             "bodies: {disk: {mass: 1, inertia: [0.02, 0.01, 0.01]}}\n%s",
                             joints);
    br_modes_def def = about_x(10.0, 3);
    br_modes m = {0};
    br_error error = {0};
    if (br_modes_find(s.sim, &def, &m, &error) != BR_INVALID) fail_msg("%s turns", name);
    assert_string_equal(error.code, "mode-spin");
    assert_non_null(strstr(error.message, name));
    mode_close(&s);
}

static void what_does_not_turn_is_named(void **state) {
    (void)state;
    refuse("joints: {rail: {prismatic: [world, disk], axis: [0, 1, 0]}}\n", "joint 'rail'");
    refuse("joints: {hook: {universal: [world, disk], axis: [0, 1, 0], axis_2: [1, 0, 0]}}\n",
           "joint 'hook'");
    refuse("joints: {off: {revolute: [world, disk], axis: [1, 0, 0], at: [0, 0.2, 0]}}\n", "joint 'off'");
    refuse("joints: {R: {revolute: [world, disk], axis: [1, 0, 0], spring: {stiffness: 3, rest: 0}}}\n",
           "joint 'R'");
    refuse("loads: {mount: {bushing: [world, disk], at: [0, 0, 0], stiffness: {translation: [1, 2, 3]}}}\n",
           "bushing 'mount'");
}

static void what_stands_still_is_left_out(void **state) {
    (void)state;
    mode_model s =
        mode_read("gravity: [0, 0, -9.81]\n"
                  "bodies: {disk: {mass: 1, inertia: [0.03, 0.02, 0.02]}}\n"
                  "loads:\n"
                  "  mount: {bushing: [world, disk], at: [0, 0, 0], stiffness: {translation: [5, 4, 4]}}\n"
                  "  wind: {body: disk, force: [0, 1, 0], at: [0.1, 0, 0]}\n");
    br_modes_def def = about_x(1.0, 8);
    br_modes m = mode_find_by(&s, &def);
    assert_non_null(strstr(m.notes, "gravity does not turn"));
    assert_non_null(strstr(m.notes, "wind"));
    int whirls = 0;
    for (int k = 0; k < m.count; k++)
        whirls += m.mode[k].whirl != BR_WHIRL_NONE && fabs(m.mode[k].fixed - 2.0) < 1e-9;
    assert_int_equal(whirls, 2); // sqrt(k/m) both ways
    br_modes_free(&m);
    mode_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overhung_disk_whirls_as_gyroscopes_do),
        cmocka_unit_test(overhung_disk_has_one_critical_speed),
        cmocka_unit_test(campbell_lines_follow_the_whirls),
        cmocka_unit_test(flat_shaft_runs_away_between_its_critical_speeds),
        cmocka_unit_test(round_shaft_whirls_as_rayleigh_says),
        cmocka_unit_test(blades_are_stiffened_by_their_tension),
        cmocka_unit_test(damping_within_the_shaft_makes_it_whirl),
        cmocka_unit_test(what_does_not_turn_is_named),
        cmocka_unit_test(what_stands_still_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
