// Work of clearance joints over steps of the energy-decaying scheme: contact balanced, friction dissipative, nothing gained in
// 10,000 bounces; and Newton's method with their tangent.
#include <string.h>

#include "friction/lugre.h"
#include "random.h"
#include "sim/implicit.h"
#include "small_models.h"

static const double outer = 50e-3, inner = 49.5e-3;

static br_clearance_def clearance_of(br_clearance_type type) {
    br_clearance_def def = br_default_clearance_def();
    def.name = "play", def.type = type, def.first = BR_WORLD, def.second = "disc";
    def.outer_radius = outer, def.inner_radius = inner;
    def.law = "linear", def.stiffness = 15e6;
    return def;
}

// A disc of 0.05 kg in a hole of the world.
static small_model disc_in_hole(const br_clearance_def *clearance, br_vec3 at, br_vec3 velocity, br_vec3 spin,
                                int decaying, double step) {
    small_model s = small_begin(BR_STEPPER_IMPLICIT);
    br_error error = {0};
    br_body_def def = br_default_body_def();
    s.settings.planar = clearance->type == BR_CLEARANCE_PLANAR ? BR_PLANAR_XY : BR_SPATIAL;
    s.settings.gravity = br_vec3_zero();
    s.settings.solver.step = step, s.settings.solver.energy_decaying = decaying, s.settings.solver.tol = 1e-13;
    small_check(br_builder_settings(s.builder, &s.settings, &error), &error);
    def.name = "disc", def.mass = 0.05;
    def.inertia = br_sym3_of(3e-5, 3e-5, 6e-5, 0, 0, 0);
    def.pose.position = at;
    def.has_velocity = 1, def.velocity = velocity, def.angular_velocity = spin;
    small_check(br_builder_body(s.builder, &def, &error), &error);
    small_check(br_builder_clearance(s.builder, clearance, &error), &error);
    small_end(&s);
    return s;
}

static br_element *clearance_element(const small_model *s) {
    return &s->sim->implicit->element[s->sim->implicit->first_clearance];
}

// --- no gain ---------------------------------------------------------------------------------------------------

static void count_bounces(void *context, const br_event *event) {
    if (event->kind == BR_EVENT_CONTACT_ON) ++*(int *)context;
}

typedef struct bounced {
    double highest, lowest; // of the energy, over that of the start
    double unaccounted;
    int bounces;
} bounced;

static bounced bounce(br_clearance_type type, br_vec3 spin, double step) {
    const br_clearance_def def = clearance_of(type);
    const double z = type == BR_CLEARANCE_SPHERICAL ? 0.3 : 0.0;
    small_model s = disc_in_hole(&def, br_vec3_of(1e-4, 0, 0), br_vec3_of(0.6, 0.8, z), spin, 1, step);
    bounced r = {.highest = 1.0, .lowest = 1.0};
    br_sim_set_event(s.sim, count_bounces, &r.bounces);
    const double start = br_sim_energy(s.sim).total;
    for (int k = 1; r.bounces < 10000; k++) {
        small_advance(&s, 1e-3 * k);
        const double now = br_sim_energy(s.sim).total / start;
        r.highest = fmax(r.highest, now), r.lowest = fmin(r.lowest, now);
    }
    r.unaccounted = br_sim_ledger(s.sim).unaccounted / start;
    print_message("%s: %d bounces, %ld steps, energy %.1e .. %+.1e, unaccounted %.1e\n", br_clearance_type_name(type),
                  r.bounces, br_sim_ledger(s.sim).steps, r.lowest - 1, r.highest - 1, r.unaccounted);
    small_free(&s);
    return r;
}

// Pins and balls: what is left of Newton's method, 1e-10 of a step's motion and of either sign.
static void pins_and_balls_gain_nothing_in_10000_bounces(void **state) {
    (void)state;
    const bounced pin = bounce(BR_CLEARANCE_PLANAR, br_vec3_of(0, 0, 30), 2e-5),
                  ball = bounce(BR_CLEARANCE_SPHERICAL, br_vec3_of(10, -20, 30), 2e-5);
    assert_true(fmax(pin.highest, ball.highest) < 1 + 1e-9);
    assert_true(fmin(pin.lowest, ball.lowest) > 1 - 1e-9);
    assert_true(fmax(fabs(pin.unaccounted), fabs(ball.unaccounted)) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_and_balls_gain_nothing_in_10000_bounces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
