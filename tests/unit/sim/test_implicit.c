// What the implicit stepper keeps, and how fast it converges.
#include <stdlib.h>
#include <string.h>

#include "counting_allocator.h"
#include "scene.h"
#include "sim/stepper/implicit/element_beam.h"
#include "sim/stepper/implicit/implicit.h"

typedef struct momenta {
    br_vec3 linear, angular;
} momenta;

static momenta momenta_of(scene *s) {
    br_implicit *f = s->sim->implicit;
    momenta p = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 u = br_vec3_scale(n->mass, n->u1);
        p.linear = br_vec3_add(p.linear, u);
        p.angular = br_vec3_add(p.angular, br_vec3_cross(n->x1, u));
        p.angular = br_vec3_add(p.angular, br_mat3_mul_vec(n->R1, br_sym3_mul_vec(n->inertia, n->w1)));
    }
    for (int k = 0; k < f->elements; k++) {
        const br_element *e = &f->element[k];
        for (int i = 0; e->kind == &br_element_beam && i < 2; i++) {
            const br_node *own = &f->node[e->slot[i].node], *other = &f->node[e->slot[1 - i].node];
            p.angular = br_vec3_add(
                p.angular, br_mat3_mul_vec(own->R1, br_mat3_mul_vec(br_beam_coupling(e, i), other->w1)));
        }
    }
    return p;
}

typedef struct drift {
    double linear, angular, energy;
} drift;

static drift free_flight(const char *scheme, double h, double rho) {
    char settings[200];
    snprintf(settings, sizeof settings,
             "solver.scheme=%s;solver.step=%.17g;solver.rho_infinity=%g;solver.tol=1e-12", scheme, h, rho);
    scene s = scene_open("flexible/free_beam.yaml", settings);
    scene_advance(&s, h);
    const momenta start = momenta_of(&s);
    const double energy = br_sim_energy(s.sim).total;
    scene_advance(&s, 0.5);
    const momenta end = momenta_of(&s);
    const drift d = {br_vec3_norm(br_vec3_sub(end.linear, start.linear)) / br_vec3_norm(start.linear),
                     br_vec3_norm(br_vec3_sub(end.angular, start.angular)) / br_vec3_norm(start.angular),
                     (br_sim_energy(s.sim).total - energy) / energy};
    scene_close(&s);
    return d;
}

static void free_beam_keeps_linear_momentum(void **state) {
    (void)state;
    const drift a = free_flight("alpha", 1e-3, 0.9), b = free_flight("energy_decaying", 1e-3, 0.9);
    print_message("linear momentum: alpha %.1e, decaying %.1e\n", a.linear, b.linear);
    assert_true(a.linear < 1e-10 && b.linear < 1e-10); // [issue: to 1e-10]
}

// Forces are at the ends of steps and arms move within them: second order. The other scheme keeps it to rounding.
static void angular_momentum_and_energy_converge_at_second_order(void **state) {
    (void)state;
    const drift coarse = free_flight("alpha", 1e-4, 0.9),
                fine = free_flight("alpha", 5e-5, 0.9); // resolves axial waves, 1400 rad/s
    const double order = log2(fabs(coarse.angular / fine.angular)),
                 energy = log2(fabs(coarse.energy / fine.energy));
    print_message("angular momentum %.1e, %.1e: order %.2f; energy %.1e, %.1e: order %.2f\n", coarse.angular,
                  fine.angular, order, coarse.energy, fine.energy, energy);
    assert_true(order > 1.7 && energy > 1.7);
    const drift exact = free_flight("energy_decaying", 1e-3, 0.9);
    print_message("energy-decaying: angular momentum %.1e\n", exact.angular);
    assert_true(exact.angular < 1e-9);
}

static void energy_never_grows(void **state) {
    (void)state;
    const double rhos[] = {0.0, 0.5, 0.9, 1.0};
    for (int k = 0; k < 4; k++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "solver.scheme=energy_decaying;solver.step=2 ms;solver.rho_infinity=%g;solver.tol=1e-12",
                 rhos[k]);
        scene s = scene_open("flexible/free_beam.yaml", settings);
        double before = br_sim_energy(s.sim).total, grown = 0.0;
        const double scale = before;
        for (int i = 1; i <= 500; i++) {
            scene_advance(&s, 2e-3 * i);
            const double now = br_sim_energy(s.sim).total;
            grown = fmax(grown, (now - before) / scale), before = now;
        }
        const br_ledger l = br_sim_ledger(s.sim);
        print_message("rho %.1f: energy lost %.2e of it, grown in a step at most %.1e, unaccounted %.1e\n",
                      rhos[k], 1.0 - before / scale, grown, l.unaccounted / scale);
        assert_true(grown < 1e-12); // rounding
        assert_true(fabs(l.unaccounted) < 1e-10 * scale);
        if (rhos[k] == 1.0) assert_true(fabs(1.0 - before / scale) < 1e-9); // nothing taken: conserved
        scene_close(&s);
    }
}

// A disk on a ball joint at 955 to 28,650 rpm, 0.1 to 3 rad a step: the rows' velocities, which a step leaves off and the projection
// takes, are given back, and where they would not be steps are shorter. What is left to lose is the start of it, and changes of step.
static void fast_spins_on_a_ball_joint_keep_their_energy(void **state) {
    static const double spin[] = {100, 1000, 2000, 3000}, most[] = {1e-6, 1e-5, 1e-2, 1e-2};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "format: 1\ngravity: [0, 0, -9.81]\nbodies:\n  disk: {mass: 1, inertia: {disk: {radius: 0.1, "
            "axis: x}}, pose: {position: [0.1, 0, 0]}, velocity: {angular: [%g, 0, 0]}}\n"
            "joints:\n  ball: {spherical: [world, disk], at: [0, 0, 0]}\nsolver: {stepper: implicit}\n",
            spin[k]);
        scene s = {NULL, NULL};
        br_error error = {0};
        if (br_model_read_text(text, strlen(text), "disk.yaml", NULL, 0, NULL, &s.model, NULL, &error) !=
                BR_OK ||
            br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
            scene_fail("disk.yaml", &error);
        const double energy = 0.5 * 0.005 * spin[k] * spin[k];
        for (int row = 1; row <= 100; row++) {
            scene_advance(&s, 0.01 * row);
            const br_ledger l = br_sim_ledger(s.sim);
            assert_true(l.now.total - l.start.total <= 1e-8 * energy); // it does not gain
            assert_true(fabs(l.scheme) <= most[k] * energy);
            assert_true(fabs(l.unaccounted) <= 1e-8 * energy);
        }
        scene_close(&s);
    }
}

static void snapshots_go_on_with_the_same_bits(void **state) {
    (void)state;
    static const char *const scenes[] = {"flexible/free_beam.yaml", "flexible/swinging_beam.yaml",
                                         "benchmark/four_bar_2.yaml"};
    for (int k = 0; k < 6; k++) {
        char settings[128];
        snprintf(settings, sizeof settings, "solver.stepper=implicit;solver.scheme=%s",
                 k % 2 ? "energy_decaying" : "alpha");
        scene s = scene_open(scenes[k / 2], settings), other = scene_open(scenes[k / 2], settings);
        br_error error = {0};
        scene_advance(&s, 0.05);
        const size_t size = br_sim_snapshot_size(s.sim);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        br_sim_save(s.sim, bytes);
        assert_int_equal(br_sim_load(other.sim, bytes, br_sim_snapshot_size(other.sim), &error), BR_OK);
        scene_advance(&s, 0.1);
        scene_advance(&other, 0.1);
        const size_t numbers = (size_t)br_model_nv(s.model) * sizeof(double);
        assert_memory_equal(br_sim_v(s.sim), br_sim_v(other.sim), numbers);
        assert_memory_equal(br_sim_q(s.sim), br_sim_q(other.sim),
                            (size_t)br_model_nq(s.model) * sizeof(double));
        const br_ledger a = br_sim_ledger(s.sim), b = br_sim_ledger(other.sim);
        assert_true(a.scheme == b.scheme && a.input == b.input);
        free(bytes);
        scene_close(&s);
        scene_close(&other);
    }
}

// The same model turned as a whole gives the same motion.
static double tip_height(const char *extra, br_quat turn) {
    scene s = scene_open("flexible/swinging_beam.yaml", extra);
    scene_advance(&s, 0.3);
    const br_vec3 tip = br_vec3_of(scene_read(&s, "rod.s1.position.x"), scene_read(&s, "rod.s1.position.y"),
                                   scene_read(&s, "rod.s1.position.z"));
    const double z = br_quat_rotate_inverse(turn, tip).z;
    scene_close(&s);
    return z;
}

static void a_turned_model_moves_the_same(void **state) {
    (void)state;
    // Turned by 90 degrees about x: z becomes -y.
    const double straight = tip_height("", br_quat_identity());
    const double turned = tip_height("gravity=[0, 9.81, 0];joints.pin.axis=[0, 0, 1]",
                                     br_quat_from_axis_angle(br_vec3_of(1, 0, 0), BR_PI / 2));
    print_message("tip at %.15g and %.15g m\n", straight, turned);
    assert_true(fabs(straight - turned) < 1e-10);
}

// N l^2 = 16 * 12 EI with ten elements: the soft shear of the residual bending must not give way [docs/theory/beam.md].
static void ropes_under_tension_do_not_fold(void **state) {
    (void)state;
    double z[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("flexible/rope.yaml", k == 0 ? "n=10" : "n=40");
        scene_advance(&s, 0.5);
        z[k] = scene_read(&s, "weight.position.z");
        scene_close(&s);
    }
    print_message("weight at %.9f m with 10 elements, %.9f m with 40\n", z[0], z[1]);
    assert_true(fabs(z[0] - z[1]) < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_beam_keeps_linear_momentum),
        cmocka_unit_test(angular_momentum_and_energy_converge_at_second_order),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(fast_spins_on_a_ball_joint_keep_their_energy),
        cmocka_unit_test(snapshots_go_on_with_the_same_bits),
        cmocka_unit_test(a_turned_model_moves_the_same),
        cmocka_unit_test(ropes_under_tension_do_not_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
