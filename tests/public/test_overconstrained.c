// Mechanisms that counting rows calls rigid, and that move: freedoms and redundant rows are the mechanism's in every start position, also
// in a singular one and nearly there, and the motion keeps its energy or ends with a named error.
#include "bristle/io.h"
#include "bristle/sim.h"
#include "test_overconstrained_make.h"

enum { STARTS = 20 };

#define TOL_ENERGY                                                                                           \
    5e-3 // of the largest energy that went between kinetic and potential: the default step's own error is below

#define TOL_ANGLE 1e-3 // rad after 1.5 s: the implicit stepper's own error is 4e-5

typedef enum family { PARALLELOGRAM, BENNETT, BRICARD, SARRUS, WISHBONE } family;

typedef struct classic {
    const char *name;
    family family;
    int cranks, redundant;
} classic;

static const classic classics[] = {
    {"parallelogram, 3 cranks", PARALLELOGRAM, 3, 1},
    {"parallelogram, 4 cranks", PARALLELOGRAM, 4, 2},
    {"parallelogram, 5 cranks", PARALLELOGRAM, 5, 3},
    {"parallelogram, 6 cranks", PARALLELOGRAM, 6, 4},
    {"Bennett", BENNETT, 0, 3},
    {"Bricard", BRICARD, 0, 1},
    {"Sarrus", SARRUS, 0, 1},
    {"wishbone with a spare rod", WISHBONE, 0, 1},
};

typedef struct tally {
    int starts, singular, wrong, ran, errors;
    double worst;
} tally;

// The first ten are special: in a singular position, or 1e-9 to 1e-3 from it; the others are spread over the range.
static double start_angle(int k) {
    static const double near[] = {0.0, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, -1e-9, -1e-6, -1e-3};
    return k < 9 ? near[k] : k == 9 ? BR_PI : 0.13 + 2.9 * (k - 10) / 10.0;
}

static void make(text *t, const classic *c, int k) {
    const double x = start_angle(k);
    if (c->family == PARALLELOGRAM) make_parallelogram(t, c->cranks, x, k % 2 ? 3.0 : 0.0, 0.0, 1.0);
    if (c->family == BENNETT) make_bennett(t, k < 10 ? 0.3 + 0.25 * k : x); // it has no singular position
    if (c->family == SARRUS) make_sarrus(t, k < 9 ? 1.0 - fabs(x) : 0.05 + 0.09 * (k - 9));
    if (c->family == WISHBONE) make_wishbone(t, 0.4 * x);
    if (c->family == BRICARD) make_bricard(t, k < 9 ? x : k == 9 ? 2.0 : 0.13 + 0.19 * (k - 10));
}

static br_status open_text(const text *t, const char *setting, const char *value, br_model **model,
                           br_sim **sim, br_error *error) {
    const br_override set = {setting, value};
    *model = NULL, *sim = NULL;
    br_status status =
        br_model_read_text(t->s, t->used, "overconstrained", &set, setting ? 1 : 0, NULL, model, NULL, error);
    if (status != BR_OK) fail_msg("%s", error->message);
    return br_sim_create(*model, NULL, sim, error);
}

static void look(const classic *c, const text *t, int k, tally *n) {
    br_model *model;
    br_sim *sim;
    br_error error = {0};
    br_mobility m;
    if (open_text(t, NULL, NULL, &model, &sim, &error) != BR_OK ||
        br_sim_mobility(sim, &m, NULL, 0, &error) != BR_OK)
        fail_msg("%s, start %d: %s", c->name, k, error.message);
    n->starts++;
    n->singular += m.degrees_of_freedom_here > m.degrees_of_freedom;
    if (m.degrees_of_freedom != 1 || m.redundant != c->redundant || m.contradiction > 0.0) {
        print_message("%s, start %d: %d freedoms, %d redundant, contradiction %g\n", c->name, k,
                      m.degrees_of_freedom, m.redundant, m.contradiction);
        n->wrong++;
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// What the scheme made or took, of what went back and forth; -1: it ended with an error, which is printed.
static double run(const classic *c, const text *t, int k, const char *setting, const char *value,
                  double until) {
    br_model *model;
    br_sim *sim;
    br_error error = {0};
    br_status status = open_text(t, setting, value, &model, &sim, &error);
    double size = 0.0, off = 0.0;
    const double floor = status == BR_OK ? br_sim_ledger(sim).start.kinetic : 0.0;
    for (int i = 1; status == BR_OK && i <= 50; i++) {
        status = br_sim_advance(sim, until * i / 50, &error);
        const br_ledger l = br_sim_ledger(sim);
        size = fmax(size, l.now.kinetic + fabs(l.now.potential - l.start.potential) + floor);
        off = fmax(off, fabs(l.scheme) + fabs(l.unaccounted));
    }
    if (status != BR_OK) {
        print_message("    %s, start %d, %s: %s (%s)\n", c->name, k, value ? value : "contact", error.message,
                      error.code);
        assert_true(error.code && error.code[0]);
        assert_string_not_equal(error.code, "step-diverged");
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status != BR_OK ? -1.0 : off <= 1e-9 ? 0.0 : off / size;
}

// The angle of a parallelogram by its own equation, theta'' = -g cos(theta) (n/2 + 2)/(n/3 + 2), by Runge and Kutta.
static double exact_angle(int cranks, double angle, double rate, double until) {
    const double pull = 9.81 * (0.5 * cranks + 2.0) / (cranks / 3.0 + 2.0), h = 1e-4;
    const int steps = (int)lround(until / h);
    for (int i = 0; i < steps; i++) {
        double k[4], w[4];
        for (int j = 0; j < 4; j++) {
            const double part = j == 0 ? 0.0 : j == 3 ? h : 0.5 * h;
            w[j] = rate + (j ? part * k[j - 1] : 0.0);
            k[j] = -pull * cos(angle + (j ? part * w[j - 1] : 0.0));
        }
        angle += h / 6.0 * (w[0] + 2.0 * w[1] + 2.0 * w[2] + w[3]);
        rate += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]);
    }
    return angle;
}

static double read_channel(br_sim *sim, const char *name) {
    br_channel channel;
    br_error error = {0};
    double value = NAN;
    assert_int_equal(br_sim_channel_find(sim, name, &channel, &error), BR_OK);
    assert_int_equal(br_sim_channel_read(sim, &channel, &value, &error), BR_OK);
    return value;
}

// Energy alone would pass a mechanism that has jammed. Every crank must be where the equation has it.
static void parallelograms_follow_their_equation(void **state) {
    (void)state;
    static text t;
    static const char *const ways[][2] = {{NULL, NULL},
                                          {"coordinates", "absolute"},
                                          {"solver.stepper", "reference"},
                                          {"solver.stepper", "implicit"}};
    int wrong = 0;
    for (int cranks = 3; cranks <= 6; cranks++)
        for (int way = 0; way < 4; way++) {
            double worst = 0.0;
            int ran = 0, errors = 0, off_here = 0;
            for (int i = 0; i < 2 * STARTS; i++) { // each start at rest and turning
                const int k = i / 2;
                br_model *model;
                br_sim *sim;
                br_error error = {0};
                const double from = start_angle(k), rate = i % 2 ? 3.0 : 0.0, until = 1.5;
                make_parallelogram(&t, cranks, from, rate, 0.0, 1.0);
                br_status status = open_text(&t, ways[way][0], ways[way][1], &model, &sim, &error);
                const double at = status == BR_OK ? read_channel(sim, "base_1.position") : 0.0;
                if (status == BR_OK) status = br_sim_advance(sim, until, &error);
                if (status == BR_OK) {
                    const double right = exact_angle(cranks, from, rate, until) - from;
                    double off = fabs(fabs(read_channel(sim, "base_1.position") - at) - fabs(right));
                    off = fmax(off, fabs(read_channel(sim, "base_1.position") -
                                         read_channel(sim, "base_3.position")));
                    if (off > TOL_ANGLE)
                        print_message("    %d cranks, start %d (%g) at %g rad/s, %s: off by %.2e rad\n",
                                      cranks, k, from, rate, ways[way][1] ? ways[way][1] : "contact", off);
                    ran++, off_here += off > TOL_ANGLE, worst = fmax(worst, off);
                } else {
                    print_message("    %d cranks, start %d: %s (%s)\n", cranks, k, error.message, error.code);
                    errors++;
                }
                br_sim_destroy(sim);
                br_model_destroy(model);
            }
            print_message(
                "%d cranks, %-10s %2d ran, angle off by at most %.1e rad, %d wrong; %d named errors\n",
                cranks, ways[way][1] ? ways[way][1] : "contact", ran, worst, off_here, errors);
            wrong += off_here;
        }
    assert_int_equal(wrong, 0);
}

// Let go near the flat position it comes back to rest near it on the other side, where branches meet.
static void rest_near_a_singular_position_is_left_again(void **state) {
    (void)state;
    static text t;
    static const double angles[] = {1e-5, 3e-6, 1e-6, 3e-5, -1e-5, 2e-7};
    for (int cranks = 2; cranks <= 4; cranks++)
        for (int k = 0; k < 6; k++) {
            br_model *model;
            br_sim *sim;
            br_error error = {0};
            make_parallelogram(&t, cranks, angles[k], 0.0, 0.0, 1.0);
            if (open_text(&t, NULL, NULL, &model, &sim, &error) != BR_OK ||
                br_sim_advance(sim, 2.0, &error) != BR_OK)
                fail_msg("%d cranks from %g: %s", cranks, angles[k], error.message);
            const double right = fabs(exact_angle(cranks, angles[k], 0.0, 2.0) - angles[k]);
            const double off =
                fmax(fabs(fabs(read_channel(sim, "base_1.position")) - right),
                     fabs(read_channel(sim, "base_1.position") - read_channel(sim, "base_2.position")));
            print_message("%d cranks from %g: off by %.1e rad\n", cranks, angles[k], off);
            assert_true(off < TOL_ANGLE);
            br_sim_destroy(sim);
            br_model_destroy(model);
        }
}

static void count(tally *n, double off) {
    if (off < 0.0)
        n->errors++;
    else
        n->ran++, n->worst = fmax(n->worst, off);
}

static void freedoms_are_those_of_the_mechanism(void **state) {
    (void)state;
    int wrong = 0;
    static text t;
    for (size_t i = 0; i < sizeof classics / sizeof *classics; i++) {
        tally n = {0};
        for (int k = 0; k < STARTS; k++) make(&t, &classics[i], k), look(&classics[i], &t, k, &n);
        print_message("%-26s %2d starts, %2d in a singular position, %d wrong\n", classics[i].name, n.starts,
                      n.singular, n.wrong);
        wrong += n.wrong;
    }
    assert_int_equal(wrong, 0);
}

static void motion_keeps_its_energy(void **state) {
    (void)state;
    static text t;
    static const char *const ways[][2] = {{NULL, NULL},
                                          {"coordinates", "absolute"},
                                          {"solver.stepper", "reference"},
                                          {"solver.stepper", "implicit"}};
    for (size_t i = 0; i < sizeof classics / sizeof *classics; i++)
        for (int way = 0; way < 4; way++) {
            tally n = {0};
            for (int k = 0; k < STARTS; k++) {
                make(&t, &classics[i], k);
                count(&n, run(&classics[i], &t, k, ways[way][0], ways[way][1], way < 2 ? 3.0 : 1.5));
            }
            print_message("%-26s %-10s %2d ran, energy off by at most %.1e; %d ended with a named error\n",
                          classics[i].name, ways[way][1] ? ways[way][1] : "contact", n.ran, n.worst,
                          n.errors);
            assert_true(n.worst < TOL_ENERGY);
            // A Sarrus linkage that stands stretched out may go on in several ways.
            if (way < 2 && classics[i].family != SARRUS) assert_int_equal(n.errors, 0);
        }
}

// Lengths times a power of two, gravity with them: the same numbers, bit for bit where they have no unit.
static void units_do_not_matter(void **state) {
    (void)state;
    static text t;
    const double angles[] = {0.0, 1e-6, 0.7};
    for (int a = 0; a < 3; a++)
        for (int e = -20; e <= 20; e += 10) {
            br_model *model;
            br_sim *sim;
            br_error error = {0};
            br_mobility m;
            make_parallelogram(&t, 4, angles[a], 1.0, 0.0, ldexp(1.0, e));
            if (open_text(&t, NULL, NULL, &model, &sim, &error) != BR_OK) fail_msg("%s", error.message);
            assert_int_equal(br_sim_mobility(sim, &m, NULL, 0, &error), BR_OK);
            print_message("angle %g, unit 2^%d: %d, %d; here %d, grip %.3g\n", angles[a], e,
                          m.degrees_of_freedom, m.redundant, m.degrees_of_freedom_here, m.grip);
            assert_int_equal(m.degrees_of_freedom, 1);
            assert_int_equal(m.redundant, 2);
            assert_int_equal(m.degrees_of_freedom_here, a == 0 ? 2 : 1);
            br_sim_destroy(sim);
            br_model_destroy(model);
        }
}

// A crank that is a little too long: within what typed digits allow it is redundant, and the contradiction is said; beyond, the joint
// is named.
static void lengths_that_do_not_agree_are_named(void **state) {
    (void)state;
    static text t;
    const double offs[] = {1e-9, 1e-6, 1e-4, 1e-3};
    for (int k = 0; k < 4; k++) {
        br_model *model;
        br_sim *sim;
        br_error error = {0};
        br_mobility m;
        make_parallelogram(&t, 3, 0.5, 0.0, offs[k], 1.0);
        const br_status status = open_text(&t, NULL, NULL, &model, &sim, &error);
        if (k < 2) {
            if (status != BR_OK) fail_msg("%s", error.message);
            assert_int_equal(br_sim_mobility(sim, &m, NULL, 0, &error), BR_OK);
            print_message("off by %g: %d freedom, %d redundant, contradiction %.2e at %s\n", offs[k],
                          m.degrees_of_freedom, m.redundant, m.contradiction, m.contradicts);
            assert_int_equal(m.degrees_of_freedom, 1);
            assert_int_equal(m.redundant, 1);
            assert_true(m.contradiction > 0.1 * offs[k] && m.contradiction < 10 * offs[k]);
            br_sim_destroy(sim);
            const classic c = {"off", PARALLELOGRAM, 3, 1};
            const double off = run(&c, &t, k, NULL, NULL, 5.0);
            assert_true(off >= 0.0 && off < TOL_ENERGY);
        } else {
            print_message("off by %g: %s\n", offs[k], error.message);
            assert_int_equal(status, BR_NUMERICAL);
            assert_non_null(strstr(error.message, "top_"));
        }
        br_model_destroy(model);
    }
}

// --- several joints of one axis ----------------------------------------------------------------------------

// A body on two joints of one axis turns about it. In each closed position the rows of the second that would act along it, or across it
// where the arms are next to nothing, are rounding: they must not hold it in place of friction, which a torque of 0.1 N m about the axis
// asks for, or in place of the axis' own inertia.
static void make_coaxial(text *t, const char *first, const char *second, int k, double friction,
                         const char *solver) {
    const br_vec3 axis = br_vec3_normalize(br_vec3_of(0.4 + 0.1 * k, 0.5 - 0.13 * k, 0.75));
    const br_vec3 a = br_vec3_of(0.22 - 0.07 * k, -0.025 * k, -0.0947),
                  b = br_vec3_add_scaled(a, 0.3 + 0.07 * k, axis);
    const br_vec3 torque = br_vec3_scale(0.1, axis);
    t->used = 0;
    say(t,
        "format: 1\ngravity: [0, 0, 0]\n%s\nbodies:\n  b: {mass: 7, com: [%.17g, %.17g, %.17g], inertia: "
        "[0.1, 0.1, 0.1]}\n",
        solver, a.x, a.y, a.z);
    for (int j = 0; j < 2; j++) {
        const char *kind = j ? second : first;
        const br_vec3 at = j ? b : a;
        say(t, "%s  j%d: {%s: [world, b], at: {b: [%.17g, %.17g, %.17g]}", j ? "" : "joints:\n", j, kind,
            at.x, at.y, at.z);
        if (strcmp(kind, "spherical") != 0)
            say(t, ", axis: {b: [%.17g, %.17g, %.17g]}", axis.x, axis.y, axis.z);
        if (j && friction > 0.0)
            say(t, ", friction: {law: coulomb, mu: 1, pin_radius: 1, load: {constant: %g}}", friction);
        say(t, "}\n");
    }
    say(t, "loads: {t: {body: b, torque: [%.17g, %.17g, %.17g]}}\n", torque.x, torque.y, torque.z);
}

static void rows_of_rounding_hold_nothing(void **state) {
    (void)state;
    static text t;
    static const char *const kinds[][2] = {{"revolute", "revolute"},
                                           {"revolute", "spherical"},
                                           {"revolute", "cylindrical"},
                                           {"spherical", "revolute"},
                                           {"spherical", "spherical"}};
    static const char *const solvers[] = {"", "coordinates: absolute"};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < 4; k++)
            for (int s = 0; s < 2; s++)
                for (int rubs = 0; rubs < 2; rubs++) {
                    br_model *model;
                    br_sim *sim;
                    br_error error = {0};
                    make_coaxial(&t, kinds[i][0], kinds[i][1], k, rubs ? 0.5 : 0.0, solvers[s]);
                    if (open_text(&t, NULL, NULL, &model, &sim, &error) != BR_OK ||
                        br_sim_advance(sim, 0.01, &error) != BR_OK)
                        fail_msg("%s and %s: %s", kinds[i][0], kinds[i][1], error.message);
                    // Torque over inertia and time, or nothing.
                    const double w = br_vec3_norm(br_vec3_of(read_channel(sim, "b.angular_velocity.x"),
                                                             read_channel(sim, "b.angular_velocity.y"),
                                                             read_channel(sim, "b.angular_velocity.z")));
                    const double off = fabs(w - (rubs ? 0.0 : 0.01));
                    worst = fmax(worst, off);
                    if (!(off < 1e-9))
                        print_message("%s and %s, %d, %s: turns by %.3g rad/s\n", kinds[i][0], kinds[i][1], k,
                                      solvers[s], w);
                    const int one = strcmp(kinds[i][1], "revolute") == 0;
                    if (rubs && one) {
                        const double torque = fabs(read_channel(sim, "j1.friction.torque"));
                        if (!(fabs(torque - 0.1) < 1e-9))
                            print_message("%s and %s, %d, %s: friction holds %.3g N m\n", kinds[i][0],
                                          kinds[i][1], k, solvers[s], torque);
                        worst = fmax(worst, fabs(torque - 0.1));
                    }
                    br_sim_destroy(sim);
                    br_model_destroy(model);
                }
    assert_true(worst < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freedoms_are_those_of_the_mechanism),
        cmocka_unit_test(motion_keeps_its_energy),
        cmocka_unit_test(parallelograms_follow_their_equation),
        cmocka_unit_test(rest_near_a_singular_position_is_left_again),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(lengths_that_do_not_agree_are_named),
        cmocka_unit_test(rows_of_rounding_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
