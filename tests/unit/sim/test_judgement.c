// The judgement of the ledger: all pairs of steps are looked at, what is named is where it went wrong, what rests is left alone.
#include "bristle/io.h"
#include "bristle/judgement.h"
#include "mechanisms.h"
#include "random.h"
#include "sim/contact/contact.h"
#include "sim/core/ledger.h"
#include "sim/core/ledger_share.h"
#include "sim/rows/order.h"

static mechanism from_text(const char *text) {
    br_error error = {0};
    mechanism m = {NULL, NULL};
    mech_check(br_model_read_text(text, strlen(text), "test", NULL, 0, NULL, &m.model, NULL, &error), &error);
    mech_check(br_sim_create(m.model, NULL, &m.sim, &error), &error);
    return m;
}

static br_judgement judge(const mechanism *m) {
    br_judgement out;
    br_sim_judge(m->sim, &out);
    return out;
}

static const br_reason *find(const br_judgement *j, br_reason_kind what) {
    for (int k = 0; k < j->reasons; k++)
        if (j->reason[k].what == what) return &j->reason[k];
    return NULL;
}

static void advance(mechanism *m, double t) {
    br_error error = {0};
    mech_check(br_sim_advance(m->sim, t, &error), &error);
}

// --- the rule ----------------------------------------------------------------------------------------------

enum { STEPS = 60, TRIALS = 200 };

// Books are written by hand. The largest excess of a gain over 2 % of what went through in its window, over all pairs.
static void every_pair_of_steps_is_looked_at(void **state) {
    (void)state;
    mechanism m = mechanism_make(MECHANISM_CHAIN, 0.5, BR_REDUCED, 1e-3);
    rng r = {7};
    for (int trial = 0; trial < TRIALS; trial++) {
        double scheme[STEPS + 1] = {0}, through[STEPS + 1] = {0}, worst = 0, worst_loss = 0;
        double least = 0, most = 0; // of the input: what goes to and fro is no throughput
        br_ledger *l = m.sim->ledger;
        br_ledger_start(m.sim);
        for (int k = 1; k <= STEPS; k++) {
            const double damping = rng_uniform(&r, 0, 30), input = rng_uniform(&r, -30, 30);
            l->scheme = scheme[k] = scheme[k - 1] + rng_uniform(&r, -1, 1);
            l->damping += damping, l->input += input;
            through[k] = through[k - 1] + damping + fmax(0, l->input - most) + fmax(0, least - l->input);
            most = fmax(most, l->input), least = fmin(least, l->input);
            m.sim->state.at->t = k;
            br_judge_step(m.sim);
        }
        for (int i = 0; i <= STEPS; i++)
            for (int j = i; j <= STEPS; j++) {
                const double allowed = BR_JUDGE_LIMIT * (through[j] - through[i]);
                worst = fmax(worst, scheme[i] - scheme[j] - allowed);
                worst_loss = fmax(worst_loss, scheme[j] - scheme[i] - allowed);
            }
        assert_near(m.sim->judge->extreme[BR_JUDGED_GAIN].worst, worst, 1e-12 * STEPS);
        assert_near(m.sim->judge->extreme[BR_JUDGED_LOSS].worst, worst_loss, 1e-12 * STEPS);
    }
    mechanism_free(&m);
}

static void shares_of_the_elements_add_up_to_scheme(void **state) {
    (void)state;
    static const double thetas[] = {1.0, 0.5};
    for (int kind = 0; kind < MECHANISMS; kind++)
        for (int ti = 0; ti < 2; ti++)
            for (int ci = 0; ci < 2; ci++) {
                mechanism m =
                    mechanism_make((mechanism_kind)kind, thetas[ti], ci ? BR_ABSOLUTE : BR_REDUCED, 2e-3);
                m.sim->judge->extreme[BR_JUDGED_GAIN].peak =
                    1e9; // suspicious: watched from the first step on
                mechanism_steps(&m, 200);
                assert_true(m.sim->judge->watching);
                double sum = 0;
                for (int k = 0; k < br_shares_count(m.sim); k++) sum += m.sim->share[k].sum;
                assert_near(sum, br_sim_ledger(m.sim).scheme, 1e-10 * mech_energy_scale(m.sim));
                mechanism_free(&m);
            }
}

// --- alarms ------------------------------------------------------------------------------------------------

// Positions by the old velocity, gravity at the old position: explicit, which feeds a pendulum.
static const char pendulum[] =
    "format: 1\nbodies:\n"
    "  stand: {mass: 1 kg, inertia: [1, 1, 1], pose: {position: [2, 0, 0]}}\n"
    "  bob: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  hold: {weld: [world, stand]}\n"
    "  pin: {revolute: [world, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "solver: {stepper: contact, step: 10 ms, theta: 1, position_update: old}\n";

static void a_pendulum_that_feeds_itself_is_not_credible_and_named(void **state) {
    (void)state;
    mechanism m = from_text(pendulum);
    advance(&m, 5.0);
    const br_judgement j = judge(&m);
    const br_reason *energy = find(&j, BR_REASON_ENERGY);
    assert_int_equal(j.credible, BR_NOT_CREDIBLE);
    assert_non_null(energy);
    assert_true(energy->fails && energy->value > energy->limit);
    assert_string_equal(energy->element, "bob");
    assert_int_equal(j.order, 1);
    mechanism_free(&m);
}

// Books by hand: 100 times what there can be, and only once it is motion.
static void the_guard_stops_what_diverges_and_not_what_rests(void **state) {
    (void)state;
    double gain, source;
    mechanism m = from_text(pendulum);
    assert_false(br_judge_runs_away(m.sim, &gain, &source));
    assert_true(source >= 9.81); // its weight by its own size
    const double much = 101.0 * source;
    m.sim->ledger->scheme = -1e-3;
    m.sim->energy->kinetic = 1e-3;
    assert_false(br_judge_runs_away(m.sim, &gain, &source));
    m.sim->ledger->scheme = -much;
    assert_false(br_judge_runs_away(m.sim, &gain, &source));
    m.sim->energy->kinetic = much;
    assert_true(br_judge_runs_away(m.sim, &gain, &source));
    assert_near(gain, much, 1e-9 * much);
    m.sim->ledger->input = much; // it was put in
    assert_false(br_judge_runs_away(m.sim, &gain, &source));
    mechanism_free(&m);
}

static void dampers_that_give_are_named(void **state) {
    (void)state;
    mechanism m =
        from_text("format: 1\nmaterials: {a: {}, g: {}}\n"
                  "pairs: {a/g: {mu: 0.3, compliance: {law: linear, stiffness: 1e7, damping: 1e5}}}\n"
                  "bodies:\n  box: {mass: 1 kg, inertia: {box: {size: [0.2, 0.2, 0.2]}},\n"
                  "        pose: {position: [0, 0, 1], euler_xyz: [20 deg, 30 deg, 0]},\n"
                  "        shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: a}]}\n"
                  "ground: [{plane: {normal: [0, 0, 1]}, material: g}]\n"
                  "solver: {stepper: contact, step: 1 ms, theta: 1}\n");
    advance(&m, 1.0);
    const br_judgement j = judge(&m);
    const double damping = br_sim_ledger(m.sim).damping;
    // The judgement agrees with the books, whatever the step makes of such a damper.
    assert_int_equal(find(&j, BR_REASON_DAMPING) != NULL, damping < -1.0);
    if (damping < -1.0)
        assert_non_null(strstr(find(&j, BR_REASON_DAMPING)->element, "box.shape0~world.shape0"));
    mechanism_free(&m);
}

// A leg comes down on its foot: the blow would push it in, its friction holds against that, along the way it came, and the blow pays for it.
// MuJoCo's Apollo lands on its ankles so.
static void friction_of_a_joint_in_a_blow_may_give_what_the_blow_takes(void **state) {
    (void)state;
    mechanism m = from_text(
        "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {mu: 0.5}}\n"
        "bodies:\n  body: {mass: 1 kg, inertia: {box: {size: [0.1, 0.1, 0.1]}}, pose: {position: [0, 0, "
        "0.5]}}\n"
        "  foot: {mass: 0.3 kg, inertia: {box: {size: [0.1, 0.1, 0.02]}}, pose: {position: [0, 0, 0.0101]},\n"
        "         shapes: [{box: {size: [0.1, 0.1, 0.02]}, material: a}]}\n"
        "ground: [{plane: {}, material: g}]\n"
        "joints:\n  slide: {prismatic: [world, body], axis: z, velocity: -0.3 m/s}\n"
        "  leg: {prismatic: [body, foot], axis: z, velocity: -0.3 m/s,\n"
        "        friction: {law: coulomb, mu_static: 1, mu_kinetic: 1, load: {constant: 500 N}}}\n");
    advance(&m, 0.01);
    const br_judgement j = judge(&m);
    const br_ledger l = br_sim_ledger(m.sim);
    assert_true(l.friction < -0.01 && l.impact + l.friction > 0.0);
    const br_reason *r = find(&j, BR_REASON_FRICTION);
    assert_non_null(r);
    assert_int_equal(r->fails, 0);
    assert_string_equal(r->element, "leg");
    assert_non_null(strstr(r->text, "together they took energy"));
    mechanism_free(&m);
}

static void shapes_deep_inside_each_other_are_not_credible(void **state) {
    (void)state;
    mechanism m = from_text(
        "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {mu: 0}}\n"
        "bodies:\n  ball: {mass: 1 kg, inertia: [0.004, 0.004, 0.004], pose: {position: [0, 0, 0.1]},\n"
        "         shapes: [{sphere: {radius: 0.1}, material: a}]}\n"
        "ground: [{plane: {normal: [0, 0, 1]}, material: g}]\n"
        "solver: {stepper: contact, step: 1 ms}\n");
    advance(&m, 0.1);
    br_judgement j = judge(&m);
    assert_null(find(&j, BR_REASON_PENETRATION));
    // A tenth of its diameter is 20 mm. The touches of the last step are in `before`.
    assert_true(m.sim->contacts->kept->count > 0);
    m.sim->contacts->touch[0] = m.sim->contacts->before[0], m.sim->contacts->count = 1;
    m.sim->contacts->touch[0].gap = -0.019;
    br_judge_touches(m.sim);
    j = judge(&m);
    assert_int_equal(j.credible, BR_CREDIBLE);
    m.sim->contacts->touch[0].gap = -0.021;
    br_judge_touches(m.sim);
    j = judge(&m);
    assert_int_equal(j.credible, BR_NOT_CREDIBLE);
    const br_reason *deep = find(&j, BR_REASON_PENETRATION);
    assert_non_null(deep);
    assert_near(deep->value, 0.021, 1e-15);
    assert_near(deep->limit, 0.02, 1e-15);
    assert_string_equal(deep->element, "ball.shape0~world.shape0#0");
    mechanism_free(&m);
}

// --- no alarms ---------------------------------------------------------------------------------------------

static void what_a_scheme_is_meant_to_take_is_told_and_does_not_fail(void **state) {
    (void)state;
    const char *const text =
        "format: 1\nbodies:\n  bob: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0]}}\n"
        "joints: {pin: {revolute: [world, bob], at: [0, 0, 0], axis: [0, 1, 0], spring: {stiffness: 4000}, "
        "position: 0.2}}\n"
        "solver: {stepper: contact, step: 2 ms, theta: 1}\n";
    mechanism m = from_text(text);
    advance(&m, 1.0);
    const br_judgement j = judge(&m);
    const br_reason *energy = find(&j, BR_REASON_ENERGY);
    assert_non_null(energy);
    assert_false(energy->fails);
    assert_non_null(strstr(energy->text, "theta"));
    assert_true(j.loss > j.limit * j.loss_size);
    assert_int_equal(j.credible, BR_CREDIBLE);
    mechanism_free(&m);
}

static void rest_is_credible(void **state) {
    (void)state;
    static const char *const thetas[] = {"1", "0.5"};
    for (int ti = 0; ti < 2; ti++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "format: 1\nmaterials: {a: {}}\npairs: {a/a: {mu: 0.5}}\nbodies:\n"
            "  low: {mass: 1 kg, inertia: {box: {size: [0.5, 0.5, 0.5]}}, pose: {position: [0, 0, 0.25]},\n"
            "        shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: a}]}\n"
            "  high: {mass: 1 kg, inertia: {box: {size: [0.5, 0.5, 0.5]}}, pose: {position: [0, 0, 0.75]},\n"
            "        shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: a}]}\n"
            "ground: [{plane: {normal: [0, 0, 1]}, material: a}]\n"
            "solver: {stepper: contact, step: 2 ms, theta: %s}\n",
            thetas[ti]);
        mechanism m = from_text(text);
        advance(&m, 2.0);
        const br_judgement j = judge(&m);
        assert_int_equal(j.credible, BR_CREDIBLE);
        assert_int_equal(j.reasons, 0);
        assert_int_equal(j.order, ti + 1);
        mechanism_free(&m);
    }
}

static void a_snapshot_carries_the_judgement(void **state) {
    (void)state;
    br_error error = {0};
    mechanism one = from_text(pendulum), other = from_text(pendulum);
    advance(&one, 2.0);
    void *bytes = calloc(1, br_sim_snapshot_size(one.sim));
    br_sim_save(one.sim, bytes);
    mech_check(br_sim_load(other.sim, bytes, br_sim_snapshot_size(other.sim), &error), &error);
    advance(&one, 5.0);
    advance(&other, 5.0);
    const br_judgement a = judge(&one), b = judge(&other);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.credible, BR_NOT_CREDIBLE);
    free(bytes);
    mechanism_free(&one);
    mechanism_free(&other);
}

static void steps_of_lower_order_are_counted_by_reason(void **state) {
    (void)state;
    static const char *const why[] = {"a", "b", "c", "d", "e", "f", "g", "g"};
    mechanism m = mechanism_make(MECHANISM_CHAIN, 0.5, BR_REDUCED, 1e-3);
    for (int k = 0; k < 8; k++) {
        m.sim->state.at->t = k;
        br_sim_note_order(m.sim, 1, why[k]);
        br_sim_note_order(m.sim, 1, "a");
    }
    const br_judgement j = judge(&m);
    assert_int_equal(j.order, 2);
    assert_int_equal(j.lower_orders, BR_MAX_LOWER_ORDERS);
    assert_int_equal(j.lower_order[0].steps, 9);
    assert_near(j.lower_order[0].last, 7, 0);
    assert_int_equal(j.lower_order[BR_MAX_LOWER_ORDERS - 1].steps,
                     3); // the last one stands for those that came later
    mechanism_free(&m);
}

static void reasons_that_fail_come_first_and_decide(void **state) {
    (void)state;
    br_judgement j;
    memset(&j, 0, sizeof j);
    j.credible = BR_CREDIBLE;
    br_reason told = {.what = BR_REASON_ENERGY}, open = {.what = BR_REASON_NOT_JUDGED},
              fails = {.what = BR_REASON_STICTION, .fails = 1};
    br_judgement_add(&j, &told);
    assert_int_equal(j.credible, BR_CREDIBLE);
    br_judgement_add(&j, &open);
    assert_int_equal(j.credible, BR_CREDIBLE_OPEN);
    br_judgement_add(&j, &fails);
    assert_int_equal(j.credible, BR_NOT_CREDIBLE);
    assert_int_equal(j.reason[0].what, BR_REASON_STICTION);
    br_judgement_add(&j, &open);
    assert_int_equal(j.credible, BR_NOT_CREDIBLE);
    for (int k = 0; k < 2 * BR_MAX_REASONS; k++) br_judgement_add(&j, &fails);
    assert_int_equal(j.reasons, BR_MAX_REASONS);
    for (int k = 0; k < BR_REASON_KINDS; k++) assert_true(br_reason_name((br_reason_kind)k)[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_steps_is_looked_at),
        cmocka_unit_test(shares_of_the_elements_add_up_to_scheme),
        cmocka_unit_test(a_pendulum_that_feeds_itself_is_not_credible_and_named),
        cmocka_unit_test(the_guard_stops_what_diverges_and_not_what_rests),
        cmocka_unit_test(dampers_that_give_are_named),
        cmocka_unit_test(friction_of_a_joint_in_a_blow_may_give_what_the_blow_takes),
        cmocka_unit_test(shapes_deep_inside_each_other_are_not_credible),
        cmocka_unit_test(what_a_scheme_is_meant_to_take_is_told_and_does_not_fail),
        cmocka_unit_test(rest_is_credible),
        cmocka_unit_test(a_snapshot_carries_the_judgement),
        cmocka_unit_test(steps_of_lower_order_are_counted_by_reason),
        cmocka_unit_test(reasons_that_fail_come_first_and_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
