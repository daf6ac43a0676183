// Small vibrations at rest against closed forms: beams of Euler-Bernoulli and Timoshenko, rigid mechanisms, preload, damping.
#include "bristle/statics.h"
#include "counting_allocator.h"
#include "mode_model.h"

// Thin beams: EI 1 and 4 N m^2, 1 kg/m, 1 m. Shear and stretch are stiff enough not to be seen: what shear changes is about
// EI/GA (beta l)^2 = 1e-8 times 22 of the first frequency. No rotary inertia.
#define THIN "{EI: [1, 4], GJ: 1, EA: 1e8, kGA: 1e8, mass: 1}"

static const double clamped_free[] = {1.87510406871196, 4.69409113297418, 7.85475743823761};
static const double clamped_clamped[] = {4.73004074486270, 7.85320462409584};

static mode_model cantilever(int elements) {
    return mode_read(
        "gravity: [0, 0, 0]\n"
        "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, attach: {0: world}, section: " THIN "}}\n",
        elements);
}

// Pins about y at both ends: simply supported about y, clamped at both ends about z.
static mode_model supported(int elements) {
    return mode_read("gravity: [0, 0, 0]\n"
                     "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, section: " THIN "}}\n"
                     "joints:\n"
                     "  a: {revolute: [world, b.s0], axis: [0, 1, 0]}\n"
                     "  c: {revolute: [world, b.s1], axis: [0, 1, 0]}\n",
                     elements);
}

// The error of the n-th bending frequency about y, relative.
static double error_of(const br_modes *m, const mode_model *s, int n) {
    int seen = 0;
    for (int k = 0; k < m->count; k++) {
        const br_mode_point *p = mode_shape(s, m, k, "b.s1");
        if (fabs(p->move.z) > 0.5 && seen++ == n)
            return m->mode[k].imaginary / (clamped_free[n] * clamped_free[n]) - 1.0;
    }
    fail_msg("mode %d is missing", n);
    return 0.0;
}

static void cantilever_has_the_frequencies_of_euler_and_bernoulli(void **state) {
    (void)state;
    mode_model s = cantilever(40);
    br_modes m = mode_find(&s, 6);
    assert_int_equal(m.rigid, 0);
    assert_int_equal(m.count, 6);
    for (int n = 0; n < 3; n++)
        assert_near(error_of(&m, &s, n), 0.0, 3e-5); // third order, beta h = 0.2 of the third
    // About z it is four times as stiff: twice the frequency, in the other direction.
    assert_close(m.mode[1].imaginary, 2.0 * clamped_free[0] * clamped_free[0], 3e-6);
    assert_near(fabs(mode_shape(&s, &m, 1, "b.s1")->move.y), 1.0, 1e-12);
    assert_near(m.mode[0].frequency, m.mode[0].imaginary / (2.0 * BR_PI), 1e-15);
    assert_true(m.mode[0].rounding < 1e-6);
    // The shape at mid-span: sum of the known functions, x = 1/2.
    const double b = clamped_free[0], r = (cos(b) + cosh(b)) / (sin(b) + sinh(b)), x = 0.5 * b;
    const double mid = cosh(x) - cos(x) - r * (sinh(x) - sin(x)),
                 tip = cosh(b) - cos(b) - r * (sinh(b) - sin(b));
    assert_near(fabs(mode_shape(&s, &m, 0, "b.s0.5")->move.z), mid / tip, 1e-5);
    br_modes_free(&m);
    mode_close(&s);
}

// The second frequency: well above what shear and rounding leave.
static void frequencies_converge(void **state) {
    (void)state;
    double error[2][3];
    for (int k = 0; k < 3; k++) {
        mode_model s = cantilever(5 << k);
        br_modes m = mode_find(&s, 6);
        error[0][k] = fabs(error_of(&m, &s, 1));
        br_modes_free(&m);
        mode_close(&s);
        s = supported(5 << k);
        m = mode_find(&s, 2);
        error[1][k] = fabs(m.mode[1].imaginary / (4.0 * BR_PI * BR_PI) - 1.0);
        br_modes_free(&m);
        mode_close(&s);
    }
    for (int k = 0; k < 2; k++)
        print_message("second frequency, %s, 5, 10, 20 elements: errors %.2e %.2e %.2e\n",
                      k ? "pinned" : "clamped", error[k][0], error[k][1], error[k][2]);
    // Third order: the masses of the end nodes sit a sixth of an element inside (element_beam.c).
    for (int k = 0; k < 2; k++) assert_true(log2(error[k][1] / error[k][2]) > 2.9);
}

static void supported_beam_has_both_sets_of_frequencies(void **state) {
    (void)state;
    mode_model s = supported(40);
    br_modes m = mode_find(&s, 5);
    const double pi2 = BR_PI * BR_PI;
    const double expected[5] = {pi2, 4.0 * pi2, 2.0 * clamped_clamped[0] * clamped_clamped[0], 9.0 * pi2,
                                2.0 * clamped_clamped[1] * clamped_clamped[1]};
    for (int k = 0; k < 5; k++) assert_close(m.mode[k].imaginary, expected[k], 5e-5); // as for the cantilever
    br_modes_free(&m);
    mode_close(&s);
}

// m j w^4 - w^2 (m (EI k^2 + GA) + j GA k^2) + GA EI k^4 = 0 for w = sin(k x).
static double timoshenko(double k, double EI, double GA, double m, double j) {
    const double a = m * j, b = m * (EI * k * k + GA) + j * GA * k * k, c = GA * EI * k * k * k * k;
    return sqrt(2.0 * c / (b + sqrt(b * b - 4.0 * a * c)));
}

static void thick_beam_has_the_frequencies_of_timoshenko(void **state) {
    (void)state;
    const double EI = 1.0, GA = 60.0, j = 0.004;
    double error[2];
    for (int k = 0; k < 2; k++) {
        mode_model s = mode_read("gravity: [0, 0, 0]\n"
                                 "beams:\n  b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d,\n"
                                 "      section: {EI: [%g, 1e4], GJ: 1e4, EA: 1e6, kGA: [1e6, %g], mass: 1, "
                                 "inertia: [%g, %g, %g]}}\n"
                                 "joints:\n"
                                 "  a: {revolute: [world, b.s0], axis: [0, 1, 0]}\n"
                                 "  c: {revolute: [world, b.s1], axis: [0, 1, 0]}\n",
                                 k == 0 ? 20 : 40, EI, GA, 2.0 * j, j, j);
        br_modes m = mode_find(&s, 3);
        error[k] = 0.0;
        for (int n = 0; n < 3; n++)
            error[k] =
                fmax(error[k], fabs(m.mode[n].imaginary / timoshenko((n + 1) * BR_PI, EI, GA, 1.0, j) - 1.0));
        br_modes_free(&m);
        mode_close(&s);
    }
    print_message("Timoshenko, three frequencies, 20 and 40 elements: errors %.1e %.1e\n", error[0],
                  error[1]);
    // Shear makes the order 2: h^2 k^2/24 of the third, and a quarter of it with half the length.
    assert_true(error[0] < 6e-3 && error[1] < 0.3 * error[0]);
}

static void free_beam_has_six_rigid_motions(void **state) {
    (void)state;
    mode_model s =
        mode_read("gravity: [0, 0, 0]\n"
                  "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 40, section: " THIN "}}\n");
    br_modes m = mode_find(&s, 3);
    assert_int_equal(m.rigid, 6);
    for (int k = 0; k < 6; k++)
        assert_true(m.mode[k].imaginary == 0.0 && m.mode[k].real == 0.0 && m.mode[k].rigid);
    assert_close(m.mode[6].imaginary, clamped_clamped[0] * clamped_clamped[0], 3e-5);
    assert_close(m.mode[7].imaginary, 2.0 * clamped_clamped[0] * clamped_clamped[0], 3e-5);
    br_modes_free(&m);
    mode_close(&s);
    s = mode_read(
        "gravity: [0, 0, 0]\n"
        "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 200, section: {E: 200 GPa, nu: 0.3, density: "
        "7800 kg/m^3, circle: {radius: 5 mm}}}}\n");
    m = mode_find(&s, 2);
    assert_int_equal(m.rigid, 6);
    const double EI = 200e9 * BR_PI * pow(5e-3, 4) / 4.0, mass = 7800.0 * BR_PI * 25e-6;
    // Slender: shear and rotary inertia take 0.2 % ((beta r)^2 and a few).
    assert_close(m.mode[6].imaginary, clamped_clamped[0] * clamped_clamped[0] * sqrt(EI / mass), 2e-3);
    assert_close(m.mode[7].imaginary, m.mode[6].imaginary, 1e-6); // round: a pair; rounding of 200 elements
    br_modes_free(&m);
    mode_close(&s);
}

static void damping_ratio_is_half_kv_omega(void **state) {
    (void)state;
    mode_model s[2];
    br_modes m[2];
    for (int k = 0; k < 2; k++) {
        s[k] = mode_read(
            "gravity: [0, 0, 0]\n"
            "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 20, attach: {0: world}, section: " THIN
            ", damping: %g s}}\n",
            k == 0 ? 0.0 : 2e-3);
        m[k] = mode_find(&s[k], 6);
    }
    for (int k = 0; k < 6; k++) {
        const double undamped = m[0].mode[k].imaginary, zeta = 0.5 * 2e-3 * undamped;
        assert_near(m[0].mode[k].damping, 0.0, 1e-15);
        assert_close(m[1].mode[k].damping, zeta, 1e-6); // rounding of both problems
        assert_close(hypot(m[1].mode[k].real, m[1].mode[k].imaginary), undamped, 1e-6);
    }
    for (int k = 0; k < 2; k++) {
        br_modes_free(&m[k]);
        mode_close(&s[k]);
    }
}

static void modes_do_not_depend_on_axes(void **state) {
    (void)state;
    const br_quat q = br_quat_normalize(br_quat_of(0.3, -0.5, 0.7, 0.2));
    br_modes m[2];
    mode_model s[2];
    for (int k = 0; k < 2; k++) {
        const br_quat r = k == 0 ? br_quat_identity() : q;
        const br_vec3 x = br_quat_rotate(r, br_vec3_of(1, 0, 0)), z = br_quat_rotate(r, br_vec3_of(0, 0, 1)),
                      c = br_quat_rotate(r, br_vec3_of(1.2, 0.1, 0.05));
        s[k] = mode_read(
            "gravity: [0, 0, 0]\n"
            "bodies: {d: {mass: 0.3, inertia: [0.01, 0.01, 0.01], pose: {position: [%.17g, %.17g, %.17g]}}}\n"
            "beams:\n  b: {from: [0, 0, 0], to: [%.17g, %.17g, %.17g], up: [%.17g, %.17g, %.17g], elements: "
            "6,\n"
            "      attach: {0: world, 1: d}, damping: 1 ms,\n"
            "      section: {EI: [1, 3], GJ: 2, EA: 1e4, kGA: [500, 700], mass: 1, inertia: [0.002, 0.001, "
            "0.001],"
            " offset: [0.02, 0.01]}}\n",
            c.x, c.y, c.z, x.x, x.y, x.z, z.x, z.y, z.z);
        m[k] = mode_find(&s[k], 8);
    }
    for (int k = 0; k < 8; k++) {
        assert_close(m[1].mode[k].imaginary, m[0].mode[k].imaginary, 1e-9); // rounding
        assert_close(m[1].mode[k].damping, m[0].mode[k].damping, 1e-9);
    }
    for (int k = 0; k < 2; k++) {
        br_modes_free(&m[k]);
        mode_close(&s[k]);
    }
}

// --- without beams -----------------------------------------------------------------------------------------

static void pendulum_swings_and_falls(void **state) {
    (void)state;
    for (int up = 0; up < 2; up++) {
        mode_model s =
            mode_read("bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, %g]}}}\n"
                      "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}}\n",
                      up ? 0.5 : -0.5);
        br_modes m = mode_find(&s, 5);
        const double omega = sqrt(2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25));
        assert_int_equal(m.count, 1);
        assert_int_equal(m.freedom, 1);
        assert_close(up ? m.mode[0].real : m.mode[0].imaginary, omega, 1e-12);
        assert_near(up ? m.mode[0].imaginary : m.mode[0].real, 0.0, 0.0);
        assert_string_equal(m.notes, "");
        br_modes_free(&m);
        mode_close(&s);
    }
}

static void double_pendulum_with_springs(void **state) {
    (void)state;
    const double g = 9.81, k = 3.0, m1 = 1.0, l = 0.7;
    mode_model s = mode_read(
        "bodies:\n"
        "  a: {mass: 1, inertia: [0, 0, 0], pose: {position: [0, 0, -0.7]}}\n"
        "  b: {mass: 1, inertia: [0, 0, 0], pose: {position: [0, 0, -1.4]}}\n"
        "joints:\n"
        "  p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 3, rest: 0}}\n"
        "  q: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, -0.7], spring: {stiffness: 3, rest: 0}}\n");
    br_modes m = mode_find(&s, 5);
    // M = m l^2 [2 1; 1 1], K = m g l diag(2, 1) + k [2 -1; -1 1], angles against the vertical.
    const double M = m1 * l * l, a = 2 * m1 * g * l + 2 * k, b = m1 * g * l + k;
    // det(K - w2 M): (a - 2 M w2)(b - M w2) - (-k - M w2)^2 = 0
    const double A = M * M, B = -(a * M + 2 * M * b) - 2 * k * M, C = a * b - k * k;
    const double root = sqrt(B * B - 4 * A * C);
    assert_int_equal(m.count, 2);
    assert_close(m.mode[0].imaginary, sqrt((-B - root) / (2 * A)), 1e-11);
    assert_close(m.mode[1].imaginary, sqrt((-B + root) / (2 * A)), 1e-11);
    br_modes_free(&m);
    mode_close(&s);
}

// A joint damper: c/(2 sqrt(k J)); a redundant loop; a force that follows a joint's position, whose tangent is a difference.
static void dampers_loops_and_functions_of_state(void **state) {
    (void)state;
    mode_model s = mode_read(
        "gravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\n"
        "joints:\n"
        "  p: {revolute: [world, a], axis: [0, 0, 1], at: [0, 0, 0], spring: {stiffness: 8, rest: 0},"
        " damping: 0.4}\n"
        "  q: {revolute: [world, a], axis: [0, 0, 1], at: [0, 0, 1]}\n");
    br_modes m = mode_find(&s, 5);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.redundant, 5);
    assert_close(m.mode[0].damping, 0.4 / (2.0 * sqrt(8.0 * 0.5)), 1e-11);
    assert_close(hypot(m.mode[0].real, m.mode[0].imaginary), 4.0, 1e-11);
    br_modes_free(&m);
    mode_close(&s);
    s = mode_read("gravity: [0, 0, 0]\n"
                  "bodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
                  "joints: {p: {prismatic: [world, a], axis: [1, 0, 0]}}\n"
                  "drives: {d: {joint: p, force: \"-18*p.position - 1.2*p.velocity\"}}\n");
    m = mode_find(&s, 5);
    assert_int_equal(m.count, 1);
    assert_close(m.mode[0].damping, 1.2 / (2.0 * sqrt(18.0 * 2.0)), 1e-8); // differences
    assert_close(hypot(m.mode[0].real, m.mode[0].imaginary), 3.0, 1e-8);
    br_modes_free(&m);
    mode_close(&s);
}

static void armature_is_inertia(void **state) {
    (void)state;
    mode_model s =
        mode_read("gravity: [0, 0, 0]\n"
                  "bodies: {a: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\n"
                  "joints: {p: {revolute: [world, a], axis: [0, 0, 1], at: [0, 0, 0], armature: 1.5,"
                  " spring: {stiffness: 8, rest: 0}}}\n");
    br_modes m = mode_find(&s, 5);
    assert_close(m.mode[0].imaginary, 2.0, 1e-12);
    br_modes_free(&m);
    mode_close(&s);
}

// --- preload -----------------------------------------------------------------------------------------------

// Pulled at its end, a supported beam has w^2 = (n pi)^4 + P (n pi)^2 (EI = m = l = 1): also where it is pressed.
static void axial_force_changes_the_frequencies(void **state) {
    (void)state;
    const double pull[2] = {20.0, -6.0}; // Euler's load is pi^2
    for (int k = 0; k < 2; k++) {
        mode_model s =
            mode_read("gravity: [0, 0, 0]\n"
                      "bodies: {slider: {mass: 1e-6, inertia: [1, 1, 1], pose: {position: [1, 0, 0]}}}\n"
                      "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 40, section: {EI: [1, 400], GJ: "
                      "100, EA: 1e7, kGA: 1e8, mass: 1, inertia: [1e-6, 0, 0]}}}\n"
                      "joints:\n"
                      "  a: {revolute: [world, b.s0], axis: [0, 1, 0]}\n"
                      "  c: {prismatic: [world, slider], axis: [1, 0, 0]}\n"
                      "  d: {revolute: [slider, b.s1], axis: [0, 1, 0]}\n"
                      "loads: {pull: {body: slider, force: [%g, 0, 0]}}\n"
                      "solver: {stepper: implicit}\n",
                      pull[k]);
        br_error error = {0};
        const br_static_settings settings = br_default_static_settings();
        mode_check(br_sim_static(s.sim, &settings, NULL, NULL, NULL, &error), &error);
        br_modes m = mode_find(&s, 2);
        assert_string_equal(m.notes, "");
        for (int n = 0; n < 2; n++) {
            const double b = (n + 1) * BR_PI * (n + 1) * BR_PI;
            assert_close(m.mode[n].imaginary, sqrt(b * b + pull[k] * b),
                         5e-5); // the mesh's error, as without the pull
        }
        br_modes_free(&m);
        // Without equilibrium, it says so.
        mode_model fresh = {s.model, NULL};
        mode_check(br_sim_create(s.model, NULL, &fresh.sim, &error), &error);
        m = mode_find(&fresh, 2);
        assert_non_null(strstr(m.notes, "no equilibrium"));
        assert_close(m.unbalanced, 0.5 * fabs(pull[k]), 1e-6); // shared by the two bodies that the pin joins
        br_modes_free(&m);
        br_sim_destroy(fresh.sim);
        mode_close(&s);
    }
}

// Looking for modes leaves a run as it was.
static void a_run_goes_on_with_the_same_bits(void **state) {
    (void)state;
    double end[2][2];
    for (int look = 0; look < 2; look++) {
        mode_model s =
            mode_read("beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 6, attach: {0: world}, section: "
                      "{E: 5 MPa, nu: 0.3, density: 1000 kg/m^3, circle: {radius: 10 mm}}}}\n"
                      "solver: {stepper: implicit, step: 2 ms}\n");
        br_error error = {0};
        mode_check(br_sim_advance(s.sim, 0.1, &error), &error);
        if (look) {
            br_modes m = mode_find(&s, 3);
            br_modes_free(&m);
        }
        mode_check(br_sim_advance(s.sim, 0.2, &error), &error);
        const br_pose X = br_sim_body_pose(s.sim, br_model_body_find(s.model, "b.s1"));
        end[look][0] = X.position.x, end[look][1] = X.position.z;
        mode_close(&s);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

// Every allocation fails once: no memory, nothing lost, and the next question is answered.
static void no_memory_is_an_error_and_nothing_else(void **state) {
    (void)state;
    mode_model s =
        mode_read("gravity: [0, 0, 0]\n"
                  "bodies: {disk: {mass: 1, inertia: [0.02, 0.01, 0.01], pose: {position: [1, 0, 0]}}}\n"
                  "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, attach: {1: disk}, damping: 1 ms,"
                  " section: {EI: 1, GJ: 1, EA: 1e4, kGA: 1e4, mass: 1}}}\n"
                  "joints: {R: {revolute: [world, b.s0], axis: [1, 0, 0]}}\n");
    for (int question = 0; question < 3; question++) {
        long failures = 0;
        for (long k = 1;; k++) {
            counting_allocator counter;
            const br_allocator allocator = counting_allocator_start(&counter, k);
            br_modes_def def = br_default_modes_def();
            br_modes m = {0};
            br_criticals c = {0};
            br_campbell t = {0};
            br_error error = {0};
            def.allocator = &allocator, def.spin = question == 0 ? 2.0 : 0.0;
            const br_status status = question == 0 ? br_modes_find(s.sim, &def, &m, &error)
                                     : question == 1
                                         ? br_modes_critical(s.sim, &def, &c, &error)
                                         : br_modes_campbell(s.sim, &def, 0.0, 2.0, 2, &t, &error);
            const long failed = counter.failed;
            // An arena that cannot grow when it is emptied goes on with what it has: that failure does no harm.
            if (!failed || status != BR_OK) assert_int_equal(status, failed ? BR_NO_MEMORY : BR_OK);
            failures += status != BR_OK;
            br_modes_free(&m), br_criticals_free(&c), br_campbell_free(&t);
            assert_int_equal(counter.live, 0);
            if (!failed) break;
        }
        assert_true(failures > 1);
    }
    mode_close(&s);
}

static void bad_questions_are_named(void **state) {
    (void)state;
    mode_model s = cantilever(4);
    br_modes m = {0};
    br_error error = {0};
    br_modes_def def = br_default_modes_def();
    def.count = 0;
    assert_int_equal(br_modes_find(s.sim, &def, &m, &error), BR_INVALID);
    assert_string_equal(error.code, "mode-count");
    def = br_default_modes_def();
    const char *const pin[] = {"T"};
    def.pinned = pin, def.pinned_count = 1;
    assert_int_equal(br_modes_find(s.sim, &def, &m, &error), BR_INVALID);
    assert_string_equal(error.code, "mode-pin");
    def = br_default_modes_def();
    def.spin = 1.0;
    assert_int_equal(br_modes_find(s.sim, &def, &m, &error), BR_INVALID);
    assert_string_equal(error.code, "mode-axis");
    def.axis = br_vec3_of(1, 0, 0); // clamped: cannot turn
    assert_int_equal(br_modes_find(s.sim, &def, &m, &error), BR_INVALID);
    assert_string_equal(error.code, "mode-spin");
    assert_non_null(strstr(error.message, "b.attach_0"));
    assert_null(m.memory);
    mode_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_has_the_frequencies_of_euler_and_bernoulli),
        cmocka_unit_test(frequencies_converge),
        cmocka_unit_test(supported_beam_has_both_sets_of_frequencies),
        cmocka_unit_test(thick_beam_has_the_frequencies_of_timoshenko),
        cmocka_unit_test(free_beam_has_six_rigid_motions),
        cmocka_unit_test(damping_ratio_is_half_kv_omega),
        cmocka_unit_test(modes_do_not_depend_on_axes),
        cmocka_unit_test(pendulum_swings_and_falls),
        cmocka_unit_test(double_pendulum_with_springs),
        cmocka_unit_test(dampers_loops_and_functions_of_state),
        cmocka_unit_test(armature_is_inertia),
        cmocka_unit_test(axial_force_changes_the_frequencies),
        cmocka_unit_test(a_run_goes_on_with_the_same_bits),
        cmocka_unit_test(no_memory_is_an_error_and_nothing_else),
        cmocka_unit_test(bad_questions_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
