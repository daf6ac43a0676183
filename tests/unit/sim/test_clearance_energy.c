// Work of clearance joints over steps of the energy-decaying scheme: contact balanced, friction dissipative, nothing gained in
// 10,000 bounces; and Newton's method with their tangent.
#include <string.h>

#include "friction/lugre.h"
#include "random.h"
#include "sim/stepper/implicit/implicit.h"
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
    s.settings.solver.step = step, s.settings.solver.energy_decaying = decaying,
    s.settings.solver.tol = 1e-13;
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
    print_message("%s: %d bounces, %ld steps, energy %.1e .. %+.1e, unaccounted %.1e\n",
                  br_clearance_type_name(type), r.bounces, br_sim_ledger(s.sim).steps, r.lowest - 1,
                  r.highest - 1, r.unaccounted);
    small_free(&s);
    return r;
}

// What Newton's method leaves, 8 roundings of the mechanism's size per step, adds up with one sign: 1e-12 of the energy per
// step of contact. Without it, nothing: a gain by the contact itself would be 1e-4 per bounce.
static void pins_and_balls_gain_nothing_in_10000_bounces(void **state) {
    (void)state;
    const bounced pin = bounce(BR_CLEARANCE_PLANAR, br_vec3_of(0, 0, 30), 2e-5),
                  ball = bounce(BR_CLEARANCE_SPHERICAL, br_vec3_of(10, -20, 30), 2e-5);
    assert_true(fmax(pin.highest, ball.highest) < 1 + 1e-6);
    assert_true(fmin(pin.lowest, ball.lowest) > 1 - 1e-6);
    assert_true(fmax(fabs(pin.unaccounted), fabs(ball.unaccounted)) < 1e-6);
}

// A disk in a cylinder, tumbling as it bounces. With the means of both ends alone [BauchauJu2006 eq. 15], whose work is off by
// a third-order term, it would have 600 times its energy by then.
static void disks_gain_nothing_in_10000_bounces(void **state) {
    (void)state;
    const bounced disk = bounce(BR_CLEARANCE_SPATIAL, br_vec3_of(0.3, -0.2, 30), 2e-5);
    assert_true(disk.highest < 1 + 1e-6 && disk.lowest > 1 - 1e-6);
    assert_true(fabs(disk.unaccounted) < 1e-6);
}

// --- one step ----------------------------------------------------------------------------------------------------

// What one step of contact adds to the books as scheme: of a disk whirling along the wall, tilted and turning.
static double defect(br_clearance_type type, double step) {
    const br_clearance_def def = clearance_of(type);
    small_model s = disc_in_hole(&def, br_vec3_of(5.1e-4, 0, 0), br_vec3_of(0.02, 0.5, 0.1),
                                 br_vec3_of(0.6, 1.5, 30), 1, step);
    br_error error = {0};
    // Tilted by 0.01 rad, which starts on its way.
    double q[7], v[6];
    memcpy(q, br_sim_q(s.sim), sizeof q), memcpy(v, br_sim_v(s.sim), sizeof v);
    const br_quat tilt = br_quat_exp(br_vec3_of(0.006, 0.008, 0));
    q[3] = tilt.w, q[4] = tilt.x, q[5] = tilt.y, q[6] = tilt.z;
    small_check(br_sim_set_state(s.sim, 0, q, v, &error), &error);
    small_check(br_sim_advance(s.sim, step, &error), &error);
    const br_ledger l = br_sim_ledger(s.sim);
    const double found = l.scheme / l.start.total;
    assert_true(fabs(l.unaccounted) < 1e-9 * l.start.total);
    small_free(&s);
    return found;
}

// The work of the contact is the change of its potential to rounding, for every kind.
static void work_of_one_step_is_balanced(void **state) {
    (void)state;
    static const double steps[] = {1e-4, 4e-5, 1e-5, 1e-6};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        assert_true(fabs(defect(BR_CLEARANCE_SPHERICAL, steps[k])) < 1e-13);
        assert_true(fabs(defect(BR_CLEARANCE_SPATIAL, steps[k])) < 1e-13);
    }
}

// --- friction ----------------------------------------------------------------------------------------------------

// A shaft held off the centre of its hole by a hinge: the contact has a constant load, and a torque that swings turns the
// shaft to and fro, sticking and sliding. Work of the friction and change of the bristles' energy f_n sigma_0 z^2/2 together
// are never positive, step by step [BauchauJu2006 section 5.1].
static double most_gained(int decaying, br_friction_law law, double sigma_1) {
    small_model s = small_begin(BR_STEPPER_IMPLICIT);
    br_error error = {0};
    br_clearance_def def = clearance_of(BR_CLEARANCE_PLANAR);
    br_load_def load = br_default_load_def();
    s.settings.gravity = br_vec3_zero();
    s.settings.solver.step = 1e-4, s.settings.solver.energy_decaying = decaying,
    s.settings.solver.tol = 1e-12;
    small_block(&s, "disc", br_vec3_of(5.1e-4, 0, 0));
    small_pin(&s, "hinge", BR_WORLD, "disc", 5.1e-4, 0);
    def.friction.law = law, def.friction.mu_static = law == BR_FRICTION_DAHL ? 0.3 : 0.4,
    def.friction.mu_kinetic = 0.3;
    def.friction.sigma_0 = 1e5, def.friction.sigma_1 = sigma_1;
    load.name = "swing", load.type = BR_LOAD_TORQUE, load.first = "disc";
    load.component[2] = small_expression("3*sin(200*t)");
    small_check(br_builder_clearance(s.builder, &def, &error), &error);
    small_check(br_builder_load(s.builder, &load, &error), &error);
    small_end(&s);
    const double f_n = 15e6 * 1e-5;
    double most = -INFINITY, friction = 0.0, stored = 0.0, largest = 0.0, sum = 0.0;
    for (int k = 1; k <= 2000; k++) {
        small_advance(&s, 1e-4 * k);
        const double *z = clearance_element(&s)->state + 3, now = br_sim_ledger(s.sim).friction;
        const double energy = 0.5 * f_n * 1e5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
        most = fmax(most, -(now - friction) + energy - stored);
        sum += now - friction;
        largest = fmax(largest, energy);
        friction = now, stored = energy;
    }
    print_message(
        "%s, law %d, sigma_1 %g: dissipated %.3g J, most gained in a step %.1e J, bristles up to %.1e J\n",
        decaying ? "energy_decaying" : "alpha", (int)law, sigma_1, sum, most, largest);
    assert_true(sum > 100 * largest);
    small_free(&s);
    return most;
}

// To rounding of what is dissipated, some J. sigma_1 within sigma_1^2 beta <= 4 sigma_0 sigma_1 at the 0.5 m/s reached.
static void friction_under_constant_load_takes_energy(void **state) {
    (void)state;
    assert_true(most_gained(1, BR_FRICTION_LUGRE, 0.0) < 1e-14);
    assert_true(most_gained(1, BR_FRICTION_LUGRE, 0.5) < 1e-14);
    assert_true(most_gained(1, BR_FRICTION_DAHL, 0.0) < 1e-14);
    assert_true(most_gained(1, BR_FRICTION_BRISTLE, 0.0) < 1e-14);
}

// --- momentum ------------------------------------------------------------------------------------------------

static void momentum(const br_sim *sim, br_vec3 *linear, br_vec3 *angular) {
    const br_implicit *f = sim->implicit;
    *linear = *angular = br_vec3_zero();
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 p = br_vec3_scale(n->mass, n->u1), L = br_sym3_mul_vec(n->inertia, n->w1);
        *linear = br_vec3_add(*linear, p);
        *angular = br_vec3_add(*angular, br_vec3_add(br_vec3_cross(n->x1, p), br_mat3_mul_vec(n->R1, L)));
    }
}

// Two free bodies that hit and rub each other: their momenta together stay, to rounding of 1000 steps.
static void keeps_momenta(br_clearance_type type) {
    small_model s = small_begin(BR_STEPPER_IMPLICIT);
    br_error error = {0};
    br_clearance_def def = clearance_of(type);
    rng r = {(uint64_t)type};
    s.settings.planar = type == BR_CLEARANCE_PLANAR ? BR_PLANAR_XY : BR_SPATIAL,
    s.settings.gravity = br_vec3_zero();
    s.settings.solver.step = 5e-5, s.settings.solver.energy_decaying = 1, s.settings.solver.tol = 1e-12;
    small_block(&s, "race", br_vec3_of(0.1, 0.2, 0)), small_block(&s, "disc", br_vec3_of(0.1002, 0.2, 0));
    def.first = "race", def.law = "hunt_crossley", def.exponent = 1.0, def.damping = 1.0;
    def.friction.law = BR_FRICTION_LUGRE, def.friction.mu_static = def.friction.mu_kinetic = 0.3;
    small_check(br_builder_clearance(s.builder, &def, &error), &error);
    small_end(&s);
    double v[12];
    const int nv = br_model_nv(s.model);
    for (int k = 0; k < nv; k++) v[k] = rng_uniform(&r, -0.3, 0.3);
    v[nv - 1] = 5.0;
    small_check(br_sim_set_state(s.sim, 0, br_sim_q(s.sim), v, &error), &error);
    br_vec3 p0, L0, p1, L1;
    small_advance(&s, 5e-5);
    momentum(s.sim, &p0, &L0);
    small_advance(&s, 0.05);
    momentum(s.sim, &p1, &L1);
    const br_ledger l = br_sim_ledger(s.sim);
    print_message("%s: momenta change by %.1e N s, %.1e N m s; friction %.2g J, penetration %.1e m\n",
                  br_clearance_type_name(type), br_vec3_distance(p0, p1), br_vec3_distance(L0, L1),
                  l.friction, l.penetration);
    assert_true(l.friction > 1e-4 && l.penetration > 1e-6);
    assert_true(br_vec3_distance(p0, p1) < 1e-9 && br_vec3_distance(L0, L1) < 1e-9);
    small_free(&s);
}

static void momenta_stay(void **state) {
    (void)state;
    keeps_momenta(BR_CLEARANCE_PLANAR);
    keeps_momenta(BR_CLEARANCE_SPHERICAL);
    keeps_momenta(BR_CLEARANCE_SPATIAL);
}

// --- Newton's method -----------------------------------------------------------------------------------------

static double newton_move(br_implicit *f) {
    double size = 0.0;
    for (int i = 0, at = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        const double *d = f->solution + at;
        const br_vec3 move = br_vec3_of(d[0], d[1], d[2]), turn = br_vec3_of(d[3], d[4], d[5]);
        n->x1 = br_vec3_add(n->x1, move);
        n->q1 = br_quat_normalize(br_quat_mul(br_quat_exp(turn), n->q1));
        size = fmax(size, fmax(br_vec3_max_abs(move), outer * br_vec3_max_abs(turn)));
        at += 6 + n->rows;
    }
    return size;
}

// Newton's corrections of a step of 50 us with new factors each time, from where the disk would be without contact.
static void converges_quadratically(br_clearance_type type, int decaying) {
    br_clearance_def def = clearance_of(type);
    def.law = "hunt_crossley", def.damping = 2.0, def.stiffness = 1e10, def.exponent = 1.5;
    def.friction.law = BR_FRICTION_LUGRE, def.friction.mu_static = def.friction.mu_kinetic = 0.3;
    def.friction.sigma_0 = 1e5, def.friction.v_stribeck = 1e-2;
    const double flat = type == BR_CLEARANCE_PLANAR ? 0.0 : 1.0;
    small_model s = disc_in_hole(&def, br_vec3_of(5.05e-4, 0, 0), br_vec3_of(0.4, 0.3, 0.1 * flat),
                                 br_vec3_of(2 * flat, flat, 30), decaying, 5e-5);
    br_error error = {0};
    small_advance(&s, 5e-5); // the first step brings everything up
    br_implicit *f = s.sim->implicit;
    double size[8];
    f->t0 = 5e-5, f->t_end = 1e-4;
    br_implicit_scheme(f, 5e-5);
    f->t = decaying ? 7.5e-5 : 1e-4;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->x1 = br_vec3_add_scaled(n->start->x, 5e-5, n->u0);
        n->q1 = br_quat_normalize(br_quat_mul(n->start->q, br_quat_exp(br_vec3_scale(5e-5, n->w0))));
    }
    for (int k = 0; k < 8; k++) {
        f->tangent = 1;
        br_implicit_look(f), br_implicit_evaluate(f);
        small_check(br_implicit_factor(f), &error);
        br_implicit_correct(f);
        size[k] = newton_move(f);
        br_implicit_add_forces(f);
    }
    print_message("%s, %s: %.1e %.1e %.1e %.1e %.1e %.1e m\n", br_clearance_type_name(type),
                  decaying ? "energy_decaying" : "alpha", size[0], size[1], size[2], size[3], size[4],
                  size[5]);
    // Once below a tenth of the clearance, the error's square over a length of 1 um: at least that much.
    for (int k = 1; k + 1 < 8; k++) assert_true(size[k + 1] < fmax(size[k] * size[k] / 1e-6, 1e-15));
    assert_true(size[5] < 1e-14);
    small_free(&s);
}

static void newtons_method_converges_quadratically(void **state) {
    (void)state;
    for (int decaying = 0; decaying < 2; decaying++) {
        converges_quadratically(BR_CLEARANCE_PLANAR, decaying);
        converges_quadratically(BR_CLEARANCE_SPHERICAL, decaying);
        converges_quadratically(BR_CLEARANCE_SPATIAL, decaying);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_one_step_is_balanced),
        cmocka_unit_test(friction_under_constant_load_takes_energy),
        cmocka_unit_test(momenta_stay),
        cmocka_unit_test(newtons_method_converges_quadratically),
        cmocka_unit_test(pins_and_balls_gain_nothing_in_10000_bounces),
        cmocka_unit_test(disks_gain_nothing_in_10000_bounces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
