// The two-slider mechanism of [Wojtyra2017], Examples 1 to 5: verdicts, events, forces. `bristle papers` has every number; here
// are those that decide, and what must hold between them.
//
// Pins at (0, 0.5) and (1.2, 0) m; P = p (12, -5) N along the rod, S1 = (s1, 0), S2 = (0, -s2). With R31 = a (12, -5), R32 = b
// (12, -5), a + b = p: F1 = 5 a, N1 = -(12 a + s1), F2 = -12 b, N2 = s2 + 5 b. Loads are straight between 0, 1, 2 and 3 s, so
// times at which limits are reached are closed forms; the others are from an independent program, to 1e-4 s and 1e-3 N.
#include "bristle/trust.h"
#include "scene.h"

#define EXACT_TIME 1e-6    // s: events are located to 1e-8
#define BOUNDARY 1e-5      // s: boundaries of verdicts are bisected to 1e-7
#define PROGRAM_TIME 1e-4  // s: digits of the independent program
#define PROGRAM_FORCE 1e-3 // N: the same
#define BOUND 1e-6         // N: digits of the reference

static const double MU = 0.5;

// ------------------------------------------------------------------------------------------------------- the events

typedef struct log_of {
    double limit[2], slip[2]; // first of slide_1, slide_2; NAN: none
    int slips;
} log_of;

static void on_event(void *context, const br_event *event) {
    log_of *l = context;
    double *first = event->kind == BR_EVENT_LIMIT ? l->limit : event->kind == BR_EVENT_SLIP ? l->slip : NULL;
    if (!first || strncmp(event->name, "slide_", 6) != 0) return;
    if (isnan(first[event->name[6] == '2'])) first[event->name[6] == '2'] = event->t;
    l->slips += event->kind == BR_EVENT_SLIP;
}

static scene begin(const char *name, const char *settings, log_of *l) {
    scene s = scene_open(name, settings);
    *l = (log_of){{NAN, NAN}, {NAN, NAN}, 0};
    br_sim_set_event(s.sim, on_event, l);
    return s;
}

static log_of run(const char *name, const char *settings) {
    log_of l;
    scene s = begin(name, settings, &l);
    scene_advance(&s, 4.0);
    scene_close(&s);
    return l;
}

static double ratio(scene *s, const char *joint) {
    char name[64];
    snprintf(name, sizeof name, "%s.friction.force", joint);
    const double f = scene_read(s, name);
    snprintf(name, sizeof name, "%s.normal", joint);
    return fabs(f) / scene_read(s, name);
}

static void eliminating_a_row_of_pin_1_slides(void **state) {
    (void)state;
    const log_of l = run("papers/wojtyra_example_2.yaml", "solver.redundancy=eliminate(pin_1.force.x)");
    assert_near(l.limit[1], 15.0 / 19.0, EXACT_TIME);
    assert_near(l.slip[0], 1.0 + 127.0 / 150.0, EXACT_TIME);
    assert_near(l.slip[1], l.slip[0], EXACT_TIME); // one degree of freedom: together
}

static void eliminating_a_row_of_pin_2_never_slides(void **state) {
    (void)state;
    const log_of l = run("papers/wojtyra_example_2.yaml", "solver.redundancy=eliminate(pin_2.force.x)");
    assert_int_equal(l.slips, 0);
}

static void pseudoinverse_slides_later(void **state) {
    (void)state;
    const log_of l = run("papers/wojtyra_example_2.yaml", "solver.redundancy=pseudoinverse");
    assert_near(l.limit[0], 1.0 + 547.0 / 560.0, EXACT_TIME);
    assert_near(l.slip[1], 2.575, EXACT_TIME);
}

// [sec. 3.2]: at the transition friction in all joints has reached its maximum. Just before it, to what 1e-6 s of the loads
// change: 4 N/s over 10 N.
static void all_joints_are_at_their_maximum_when_sliding_starts(void **state) {
    static const char *const rules[] = {"solver.redundancy=eliminate(pin_1.force.x)",
                                        "solver.redundancy=pseudoinverse"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const log_of found = run("papers/wojtyra_example_2.yaml", rules[k]);
        scene s = scene_open("papers/wojtyra_example_2.yaml", rules[k]);
        scene_advance(&s, found.slip[0] - 1e-6);
        assert_near(ratio(&s, "slide_1"), MU, 1e-5);
        assert_near(ratio(&s, "slide_2"), MU, 1e-5);
        scene_close(&s);
    }
}

// While something sticks, no friction force is above its limit, and the loads are balanced whatever the rule.
static void forces_at_rest_balance_and_keep_their_limits(void **state) {
    static const char *const rules[] = {"solver.redundancy=eliminate(pin_1.force.x)",
                                        "solver.redundancy=eliminate(pin_2.force.x)",
                                        "solver.redundancy=pseudoinverse"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        scene s = scene_open("papers/wojtyra_example_2.yaml", rules[k]);
        for (int i = 1; i <= 18; i++) {
            const double t = 0.1 * i, p = 4.0 * fmin(t, 1.0);
            scene_advance(&s, t);
            const double F1 = scene_read(&s, "slide_1.friction.force"),
                         F2 = scene_read(&s, "slide_2.friction.force");
            assert_near(F1 / 5.0 - F2 / 12.0, p, 1e-9); // a + b = p
            assert_true(ratio(&s, "slide_1") <= MU * (1.0 + 1e-7));
            assert_true(ratio(&s, "slide_2") <= MU * (1.0 + 1e-7));
        }
        scene_close(&s);
    }
}

// --------------------------------------------------------------------------------------------------- smooth laws

static void check_forces(scene *s, double F1, double N1, double F2, double N2) {
    assert_near(scene_read(s, "slide_1.friction.force"), F1, PROGRAM_FORCE);
    assert_near(scene_read(s, "slide_1.reaction.force_world.x"), N1, PROGRAM_FORCE);
    assert_near(scene_read(s, "slide_2.friction.force"), F2, PROGRAM_FORCE);
    assert_near(scene_read(s, "slide_2.reaction.force_world.y"), N2, PROGRAM_FORCE);
}

static void smoothed_coulomb_creeps_and_holds(void **state) {
    (void)state;
    scene s = scene_open("papers/wojtyra_example_3.yaml", "");
    scene_advance(&s, 1.5);
    check_forces(&s, 16.100996, -38.642836, -9.357141, 53.898950);
    scene_advance(&s, 2.0); // where it creeps fastest: the ledger looks at the ends of advances
    scene_advance(&s, 4.0);
    check_forces(&s, 18.220712, -38.731227, -4.268773, 21.779288);
    assert_near(scene_joint_velocity(&s, "slide_1"), -9.4088e-6, 1e-10); // digits of the reference
    assert_near(scene_joint_position(&s, "slide_1"), -3.2784e-5, 1e-9);  // the same
    assert_near(br_sim_ledger(s.sim).creep, 9.547e-6, 1e-9);             // largest, at 2 s
    scene_close(&s);
}

// At 1e-3 m/s of slider 1, whatever happened before; a bracket instead of a search.
static void check_speed_at(const char *name, const char *settings, double t, double speed) {
    scene s = scene_open(name, settings);
    scene_advance(&s, t - PROGRAM_TIME);
    assert_true(fabs(scene_joint_velocity(&s, "slide_1")) < speed);
    scene_advance(&s, t + PROGRAM_TIME);
    assert_true(fabs(scene_joint_velocity(&s, "slide_1")) > speed);
    scene_close(&s);
}

static void twice_the_threshold_slides(void **state) {
    (void)state;
    check_speed_at("papers/wojtyra_example_3.yaml", "gamma_1=2e-5", 1.961570, 1e-3);
    check_speed_at("papers/wojtyra_example_3.yaml", "gamma_1=2e-5", 2.002638, 1e-2);
}

static void lugre_slides_and_with_stiffer_bristles_holds(void **state) {
    (void)state;
    check_speed_at("papers/wojtyra_example_4.yaml", "", 1.970464, 1e-3);
    check_speed_at("papers/wojtyra_example_4.yaml", "", 2.013236, 1e-2);
    scene s = scene_open("papers/wojtyra_example_4.yaml", "sigma_1=2e5");
    scene_advance(&s, 4.0);
    check_forces(&s, 17.624973, -37.300305, -5.699695, 22.375027);
    assert_near(scene_joint_position(&s, "slide_1"), -8.60978e-6, 1e-10); // digits of the reference
    scene_close(&s);
}

// --------------------------------------------------------------------------------------------------- flexible rod

static void flexible_rod_decides(void **state) {
    (void)state;
    const log_of equal = run("papers/wojtyra_example_5.yaml", "");
    assert_near(equal.slip[0], 1.9, EXACT_TIME);
    assert_near(equal.slip[1], 1.923325, PROGRAM_TIME);
    log_of l;
    scene s = begin("papers/wojtyra_example_5.yaml", "k1=3e5", &l);
    scene_advance(&s, 4.0);
    assert_int_equal(l.slips, 0);
    check_forces(&s, 15.0, -31.0, -12.0, 25.0);
    scene_close(&s);
    check_speed_at("papers/wojtyra_example_5.yaml",
                   "joints.slide_1.friction.law=smooth;joints.slide_2.friction.law=smooth", 1.910014, 1e-3);
    check_speed_at("papers/wojtyra_example_5.yaml",
                   "joints.slide_1.friction.law=lugre;joints.slide_2.friction.law=lugre", 1.929901, 1e-3);
}

// The compliance-weighted choice is what the flexible rod does: k1 = k2 gives solution (16), k1 = 3 k2 solution (17).
static void compliance_chooses_as_the_flexible_rod(void **state) {
    static const char common[] =
        "joints.slide_1.friction.mu_static=1;joints.slide_2.friction.mu_static=1;"
        "solver.redundancy=compliance;joints.pin_1.compliance=1e-5;joints.pin_2.compliance=";
    (void)state;
    for (int k = 0; k < 2; k++) {
        char settings[400];
        snprintf(settings, sizeof settings, "%s%s", common, k ? "3e-5" : "1e-5");
        scene s = scene_open("papers/wojtyra_example_1.yaml", settings);
        assert_near(scene_read(&s, "slide_1.friction.force"), k ? 15.0 : 10.0, 1e-9); // rounding
        assert_near(scene_read(&s, "slide_2.friction.force"), k ? -12.0 : -24.0, 1e-9);
        scene_close(&s);
    }
}

// -------------------------------------------------------------------------------------------------------- verdicts

static br_trust_report judge(const char *name, const char *settings, double until, int at_rest,
                             int sensitivities) {
    scene s = scene_open(name, settings);
    br_trust_options options = br_default_trust_options();
    br_trust_report report;
    br_error error = {0};
    options.at_rest = at_rest;
    options.sensitivities = sensitivities;
    const br_status status = until > 0.0 ? br_trust_run(s.sim, until, &options, &report, &error)
                                         : br_trust_instant(s.sim, &options, &report, &error);
    if (status != BR_OK) scene_fail(name, &error);
    scene_close(&s);
    return report;
}

static void feasible_forces_at_the_loads_of_example_1(void **state) {
    (void)state;
    br_trust_report r = judge("papers/wojtyra_example_1.yaml", "", 0.0, 0, 0);
    assert_int_equal(r.intervals, 1);
    const br_trust_interval *i = r.interval;
    assert_int_equal(i->verdict, BR_STICKS_METASTABLE);
    assert_int_equal(i->nullity, 1);
    assert_int_equal(i->permanent_nullity, 0);
    assert_int_equal(i->freedom, 1);
    assert_int_equal(i->forces, 2);
    assert_near(i->force[0].friction_min, 14.736842, BOUND);
    assert_near(i->force[0].friction_max, 23.448276, BOUND);
    assert_near(i->force[1].friction_min, -12.631579, BOUND);
    assert_near(i->force[1].friction_max, 8.275862, BOUND);
    assert_near(i->force[0].coherent_min, 14.736842, BOUND);
    assert_near(i->force[0].coherent_max, 20.0, BOUND);
    assert_near(i->force[1].coherent_min, -12.631579, BOUND);
    assert_near(i->force[1].coherent_max, 0.0, BOUND);
    assert_near(i->c_star, 0.915534, BOUND);
    assert_near(i->c_star_coherent, 40.0 / 43.0, BOUND);
    for (int k = 0; k < 2; k++) assert_false(i->force[k].unique);
    br_trust_report_free(&r);
}

static void verdicts_on_the_loads(void **state) {
    static const br_verdict wanted[] = {BR_STICKS_ROBUST, BR_STICKS_METASTABLE, BR_UNDETERMINED,
                                        BR_STICKS_METASTABLE};
    const double to[] = {39.0 / 56.0, 1.0 + 127.0 / 150.0, 2.575, 4.0};
    static const char *const rules[] = {"solver.redundancy=eliminate(pin_1.force.x)",
                                        "solver.redundancy=pseudoinverse", "coordinates=absolute"};
    (void)state;
    for (int rule = 0; rule < 3; rule++) { // verdicts are not about how a run chooses
        br_trust_report r = judge("papers/wojtyra_example_2.yaml", rules[rule], 4.0, 1, 0);
        assert_int_equal(r.intervals, 4);
        assert_false(r.credible);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(r.interval[k].verdict, wanted[k]);
            assert_near(r.interval[k].to, to[k], BOUNDARY);
        }
        br_trust_report_free(&r);
    }
}

// What a run computes at rest is among the forces that balance.
static void computed_forces_are_feasible(void **state) {
    static const char *const rules[] = {"solver.redundancy=eliminate(pin_1.force.x)",
                                        "solver.redundancy=eliminate(pin_2.force.x)",
                                        "solver.redundancy=pseudoinverse"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        br_trust_report r = judge("papers/wojtyra_example_2.yaml", rules[k], 1.8, 0, 0);
        for (int i = 0; i < r.intervals; i++)
            for (int f = 0; f < r.interval[i].forces; f++) {
                const br_trust_force *x = &r.interval[i].force[f];
                assert_true(x->force >= x->friction_min - BOUND && x->force <= x->friction_max + BOUND);
            }
        br_trust_report_free(&r);
    }
}

static double flips_at(const br_trust_report *r, const char *parameter) {
    for (int i = 0; i < r->intervals; i++)
        for (int k = 0; k < r->interval[i].sensitivities; k++)
            if (strcmp(r->interval[i].sensitivity[k].parameter, parameter) == 0)
                return r->interval[i].sensitivity[k].flips_at;
    return NAN;
}

// To 1e-3: the run is looked at 200 times, and the worst time may lie between.
static void secondary_parameters_flip_the_result(void **state) {
    (void)state;
    br_trust_report r = judge("papers/wojtyra_example_3.yaml", "", 4.0, 0, 1);
    assert_near(flips_at(&r, "slide_1.v_slope"), 1.818947, 1e-3);
    assert_near(flips_at(&r, "slide_2.v_slope"), 1.0 / 1.818947, 1e-3);
    assert_false(r.credible);
    br_trust_report_free(&r);
    r = judge("papers/wojtyra_example_5.yaml", "k1=3e5", 4.0, 0, 1);
    assert_near(3.0 * flips_at(&r, "stretch_1.stiffness"), 5.0 / 3.0, 1e-3);
    for (int i = 0; i < r.intervals; i++) assert_int_equal(r.interval[i].nullity, 0);
    br_trust_report_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eliminating_a_row_of_pin_1_slides),
        cmocka_unit_test(eliminating_a_row_of_pin_2_never_slides),
        cmocka_unit_test(pseudoinverse_slides_later),
        cmocka_unit_test(all_joints_are_at_their_maximum_when_sliding_starts),
        cmocka_unit_test(forces_at_rest_balance_and_keep_their_limits),
        cmocka_unit_test(smoothed_coulomb_creeps_and_holds),
        cmocka_unit_test(twice_the_threshold_slides),
        cmocka_unit_test(lugre_slides_and_with_stiffer_bristles_holds),
        cmocka_unit_test(flexible_rod_decides),
        cmocka_unit_test(compliance_chooses_as_the_flexible_rod),
        cmocka_unit_test(feasible_forces_at_the_loads_of_example_1),
        cmocka_unit_test(verdicts_on_the_loads),
        cmocka_unit_test(computed_forces_are_feasible),
        cmocka_unit_test(secondary_parameters_flip_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
