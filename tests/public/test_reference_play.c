// Joints with play and beams under the reference stepper: closed forms, books that close, and the motion to which those of the contact and
// implicit steppers come as their steps become shorter.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

enum { QUANTITIES = 6 };

typedef struct play_run {
    double value[QUANTITIES];
    br_ledger ledger;
    double energy;
} play_run;

static br_sim *open_play(const char *text, const char *solver, br_model **model) {
    char whole[4096];
    br_sim *sim = NULL;
    br_error error = {0};
    snprintf(whole, sizeof whole, "%ssolver: {%s}\n", text, solver);
    if (br_model_read_text(whole, strlen(whole), "play", NULL, 0, NULL, model, NULL, &error) != BR_OK ||
        br_sim_create(*model, NULL, &sim, &error) != BR_OK)
        fail_msg("%s: %s", whole, error.message);
    return sim;
}

static double read_play(br_sim *sim, const char *name) {
    br_channel channel;
    br_error error = {0};
    double value = 0.0;
    if (br_sim_channel_find(sim, name, &channel, &error) != BR_OK ||
        br_sim_channel_read(sim, &channel, &value, &error) != BR_OK)
        fail_msg("%s", error.message);
    return value;
}

static play_run run_play(const char *text, const char *solver, double until, const char *const *names) {
    br_model *model = NULL;
    br_error error = {0};
    br_sim *sim = open_play(text, solver, &model);
    play_run a;
    memset(&a, 0, sizeof a);
    if (br_sim_advance(sim, until, &error) != BR_OK) fail_msg("%s%s: %s", text, solver, error.message);
    for (int k = 0; k < QUANTITIES && names[k]; k++) a.value[k] = read_play(sim, names[k]);
    a.ledger = br_sim_ledger(sim);
    a.energy = fabs(read_play(sim, "energy.kinetic")) + fabs(read_play(sim, "energy.elastic")) +
               fabs(a.ledger.friction) + fabs(a.ledger.damping);
    br_sim_destroy(sim), br_model_destroy(model);
    return a;
}

static double apart(const play_run *a, const play_run *b) {
    double largest = 0.0;
    for (int k = 0; k < QUANTITIES; k++) largest = fmax(largest, fabs(a->value[k] - b->value[k]));
    return largest;
}

// --- closed forms ------------------------------------------------------------------------------------------

// A disc of m = 2 kg, I = 0.01 kg m^2 on the spring k = 1e6 N/m of its hole, r = 50 mm in R = 50.5 mm, turns at 40 rad/s and rubs. It has
// climbed to where friction bears it, tan a = mu: n = (sin a, -cos a), k d = m g cos a, f_t = m g sin a along (cos a, sin a). There it stays, and
// w = 40 - m g sin a r/I t, until it stops.
#define CLIMBED(friction)                                                                                    \
    "format: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nparams: {mu: 0.25, a: atan($mu), d: "                    \
    "2*9.81*cos($a)/1e6}\n"                                                                                  \
    "bodies: {b: {mass: 2, inertia: 0.01, pose: {position: [-(0.0005+$d)*sin($a), -(0.0005+$d)*cos($a), "    \
    "0]},\n"                                                                                                 \
    "  velocity: {angular: [0, 0, 40]}}}\n"                                                                  \
    "clearances: {c: {planar: [world, b], at: {world: [0, 0, 0], b: [0, 0, 0]}, outer: 50.5 mm, inner: 50 "  \
    "mm,\n"                                                                                                  \
    "  contact: {law: linear, stiffness: 1e6}, friction: {" friction "}}}\n"

static void disc_that_has_climbed_slows_down_evenly(void **state) {
    (void)state;
    static const char *const friction[] = {CLIMBED("law: coulomb, mu: $mu"),
                                           CLIMBED("law: smooth, shape: saturation, mu: $mu, v_slope: 0.1"),
                                           CLIMBED("law: bristle, mu: $mu")};
    static const char *const names[] = {"b.angular_velocity.z", "b.position.x",     "b.position.y",
                                        "c.force.normal",       "c.force.friction", NULL};
    const double m = 2.0, g = 9.81, mu = 0.25, a = atan(mu), d = m * g * cos(a) / 1e6, s = 0.0005 + d;
    for (int k = 0; k < 3; k++) {
        const play_run x = run_play(friction[k], "stepper: reference", 0.5, names);
        assert_near(x.value[0], 40.0 - m * g * sin(a) * 0.05 / 0.01 * 0.5, 1e-7);
        assert_near(x.value[1], -s * sin(a), 1e-11);
        assert_near(x.value[2], -s * cos(a), 1e-11);
        assert_near(x.value[3], m * g * cos(a), 1e-6);
        assert_near(x.value[4], m * g * sin(a), 1e-6);
        assert_near(x.ledger.unaccounted, 0.0, 1e-9 * x.energy);
    }
}

// A disc of 5 kg falls 0.5 mm onto the spring of its hole: m g d + m v^2/2 = k d^2/2, and each landing is as the first.
static void disc_bounces_without_end(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies: {b: {mass: 5, inertia: 0.01}}\n"
        "clearances: {c: {planar: [world, b], at: [0, 0, 0], outer: 50.5 mm, inner: 50 mm,\n"
        "  contact: {law: linear, stiffness: 15e6}}}\n";
    const double m = 5.0, g = 9.81, k = 15e6, fall = 0.5e-3, v = sqrt(2.0 * g * fall), w = sqrt(k / m);
    // x = d_s (1 - cos wt) + v/w sin wt from touch on: back at x = 0 after 2 (pi - atan(v w/g))/w
    const double period = 2.0 * v / g + 2.0 * (acos(-1.0) - atan(v * w / g)) / w;
    static const char *const names[] = {"b.position.y", "b.velocity.y", NULL};
    const play_run x = run_play(text, "stepper: reference", 7.0 * period, names);
    assert_near(x.value[0], 0.0, 1e-9); // on top again, after the seventh landing
    assert_near(x.value[1], 0.0, 1e-6);
    assert_near(x.ledger.penetration, (m * g + sqrt(m * m * g * g + k * m * v * v)) / k, 1e-6);
}

// --- every kind with every law -----------------------------------------------------------------------------

#define SWINGS(kind, contact, friction)                                                                      \
    "format: 1\nbodies: {b: {mass: 1, com: [0.1, 0, -0.05], inertia: [0.01, 0.01, 0.01], pose: {position: "  \
    "[0, 0, 1]}}}\n"                                                                                         \
    "clearances: {c: {" kind ", at: [0, 0, 1], outer: 10.5 mm, inner: 10 mm, contact: {" contact             \
    "}" friction "}}\n"
#define CROSSLEY "law: hunt_crossley, stiffness: 1e8, damping: 1"
#define BOUNCY "law: lankarani_nikravesh, stiffness: 1e8, restitution: 0.7"
#define RUBS(law) ", friction: {mu_kinetic: 0.2, law: " law "}"

typedef struct swinging {
    const char *text, *other;
    double most;   // of what the other stepper is off at its shortest step
    double factor; // by which that falls over two halvings
} swinging;

static void other_steppers_come_to_it(void **state) {
    (void)state;
    static const swinging cases[] = {
        {SWINGS("planar: [world, b], axis: y", CROSSLEY, ""), "implicit", 5e-6, 8.0},
        {SWINGS("planar: [world, b], axis: y", BOUNCY, RUBS("coulomb")), "contact", 1e-4, 1.8},
        {SWINGS("planar: [world, b], axis: y", CROSSLEY, RUBS("smooth, v_slope: 10 mm/s")), "implicit", 3e-6,
         8.0},
        {SWINGS("planar: [world, b], axis: y", CROSSLEY, RUBS("dahl, sigma_0: 1e4")), "implicit", 5e-6, 8.0},
        {SWINGS("planar: [world, b], axis: y", CROSSLEY, RUBS("bristle, sigma_0: 1e4")), "implicit", 1e-3,
         3.0},
        {SWINGS("spherical: [world, b]", CROSSLEY, RUBS("coulomb")), "contact", 2e-5, 8.0},
        {SWINGS("spherical: [world, b]", CROSSLEY, RUBS("lugre, sigma_0: 1e4")), "implicit", 5e-6, 8.0},
        {SWINGS("spatial: [world, b], axis: y", CROSSLEY, RUBS("coulomb")), "contact", 2e-5, 8.0},
        {SWINGS("spatial: [world, b], axis: y", CROSSLEY, RUBS("lugre, sigma_0: 1e4")), "implicit", 5e-6,
         8.0},
        {SWINGS("journal: [world, b], axis: y, length: 20 mm", CROSSLEY, RUBS("coulomb")), "contact", 2e-5,
         8.0},
        {SWINGS("journal: [world, b], axis: y, length: 20 mm", CROSSLEY, RUBS("lugre, sigma_0: 1e4")),
         "implicit", 5e-6, 8.0},
    };
    static const char *const names[] = {"b.position.x", "b.position.z", "b.velocity.x", "b.velocity.z", NULL};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const swinging *c = &cases[k];
        const play_run exact = run_play(c->text, "stepper: reference", 0.03, names);
        double error[3];
        for (int i = 0; i < 3; i++) {
            char solver[64];
            snprintf(solver, sizeof solver, "stepper: %s, step: %d us", c->other, 40 >> i);
            const play_run x = run_play(c->text, solver, 0.03, names);
            error[i] = apart(&x, &exact);
        }
        print_message("%2zu %s %.2e %.2e %.2e off the reference stepper\n", k, c->other, error[0], error[1],
                      error[2]);
        if (!(error[2] <= c->most && error[2] <= error[0] / c->factor)) fail_msg("%s", c->text);
        assert_near(exact.ledger.unaccounted, 0.0, 1e-7 * exact.energy);
    }
}

// Saved in contact and loaded, a run goes on within its tolerance: bristles and the speed of the blow are part of the state.
static void saved_in_contact_it_goes_on(void **state) {
    (void)state;
    static const char *const text[] = {
        SWINGS("planar: [world, b], axis: y", BOUNCY, RUBS("lugre, sigma_0: 1e4")),
        SWINGS("planar: [world, b], axis: y", BOUNCY, RUBS("bristle, sigma_0: 1e4, mu_static: 0.25"))};
    static const char *const names[] = {"b.position.x", "b.position.z", "b.velocity.x", "b.velocity.z", NULL};
    for (int k = 0; k < 2; k++) {
        const play_run through = run_play(text[k], "stepper: reference", 0.03, names);
        const play_run anew = run_play(text[k], "stepper: reference, restart: 1.3 ms", 0.03, names);
        assert_true(apart(&through, &anew) < 1e-7);
    }
}

// --- beams -------------------------------------------------------------------------------------------------

#define CANTILEVER(more)                                                                                     \
    "format: 1\nplanar: xz\ngravity: [0, 0, -9.81]\nbeams: {a: {from: [0, 0, 1], to: [0.5, 0, 1], "          \
    "elements: 4, attach: {start: world},\n"                                                                 \
    "  section: {circle: {radius: 0.01}, E: 2e9, density: 1000}" more "}}\n"

// Its masses are those of the contact stepper: the same motion. The implicit stepper has the elements' own, which agree with finer meshes.
static void beam_falls_as_under_the_contact_stepper(void **state) {
    (void)state;
    static const char *const names[] = {"a.s1.position.x", "a.s1.position.z", NULL};
    const play_run exact = run_play(CANTILEVER(""), "stepper: reference", 0.05, names);
    const play_run coarse = run_play(CANTILEVER(""), "stepper: contact, step: 40 us", 0.05, names);
    const play_run fine = run_play(CANTILEVER(""), "stepper: contact, step: 10 us", 0.05, names);
    const play_run other = run_play(CANTILEVER(""), "stepper: implicit, step: 50 us", 0.05, names);
    print_message("beam: %.2e %.2e off by contact, %.2e by implicit\n", apart(&coarse, &exact),
                  apart(&fine, &exact), apart(&other, &exact));
    assert_true(apart(&fine, &exact) < 1e-7 && apart(&fine, &exact) < 0.3 * apart(&coarse, &exact));
    assert_true(apart(&other, &exact) < 0.02 * (1.0 - exact.value[1]));
    assert_near(exact.ledger.unaccounted, 0.0, 1e-7 * exact.energy);
    const play_run damped = run_play(CANTILEVER(", damping: 1e-4"), "stepper: reference", 0.05, names);
    assert_true(damped.ledger.damping > 0.0);
    assert_near(damped.ledger.unaccounted, 0.0, 1e-7 * damped.energy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_that_has_climbed_slows_down_evenly),
        cmocka_unit_test(disc_bounces_without_end),
        cmocka_unit_test(other_steppers_come_to_it),
        cmocka_unit_test(saved_in_contact_it_goes_on),
        cmocka_unit_test(beam_falls_as_under_the_contact_stepper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
