// The matrices of the linearized motion against differences: of the elements' forces, and of the stepper's own inertia.
#include "mode_model.h"
#include "random.h"
#include "sim/study/modes/modes.h"

// A bent and loaded beam, a rigid body on a joint with a spring and a damper, a bushing, a spring between points, a closed
// loop, a load that follows its body.
static mode_model loaded(void) {
    return mode_read(
        "bodies:\n"
        "  arm: {mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.1, 0.05, 0], pose: {position: [1, 0.2, 0]}}\n"
        "  nut: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [2, 0.2, 0.3]}}\n"
        "beams: {b: {points: [[0, 0, 0], [0.5, 0, 0.1], [1, 0.2, 0]], elements: 4, attach: {0: world, 1: "
        "arm},"
        " damping: 3 ms, section: {EI: [30, 40], GJ: 20, EA: 1e4, kGA: [900, 700], mass: 1, inertia: [0.002,"
        " 0.001, 0.001], offset: [0.02, 0.01]}}}\n"
        "joints:\n"
        "  p: {revolute: [arm, nut], axis: [0, 1, 0.2], at: [1.5, 0.2, 0.1], spring: {stiffness: 30, rest: "
        "0.2},"
        " damping: 0.3}\n"
        "  link: {distance: [world, nut], at: {world: [2, 1, 1], nut: [2.1, 0.3, 0.3]}}\n"
        "loads:\n"
        "  mount: {bushing: [world, nut], at: [2, 0.2, 0.3], stiffness: {translation: [50, 60, 70], "
        "rotation: [3,"
        " 4, 5]}, damping: {translation: [1, 2, 3]}}\n"
        "  coil: {spring: [arm, nut], at: {arm: [1, 0.3, 0], nut: [2, 0.3, 0.4]}, stiffness: 40, length: 0.5,"
        " damping: 2}\n"
        "  push: {body: arm, force: [3, -2, 5], at: [1.2, 0.2, 0], axes: body}\n"
        "solver: {stepper: implicit}\n");
}

static void differences_agree_with_the_tangents(void **state) {
    (void)state;
    mode_model s = loaded();
    br_mode_session session;
    br_error error = {0};
    char notes[1024];
    const br_modes_def def = br_default_modes_def();
    mode_check(br_mode_open(&session, s.sim, &def, 0, notes, sizeof notes, &error), &error);
    br_linear *l = &session.l;
    // On the motions that the rows allow: elsewhere the tangents of joint springs may be chosen freely.
    const size_t size = (size_t)l->basis * (size_t)l->basis;
    double *exact[2] = {calloc(size, sizeof(double)), calloc(size, sizeof(double))},
           *found = calloc(size, sizeof(double));
    const br_mode_matrix which[2] = {BR_MODE_K, BR_MODE_C};
    const int pairs = l->pairs;
    for (int m = 0; m < 2; m++) br_linear_project(l, which[m], 1.0, exact[m]);
    for (int p = 0; p < pairs; p++)
        for (int m = 0; m < 2; m++) memset(l->pair[p].a[which[m]], 0, sizeof l->pair[p].a[which[m]]);
    l->f->reads_state = 1; // as if a function read the state: differences
    mode_check(br_linear_stiffness(l, &error), &error);
    assert_int_equal(l->pairs, pairs); // no force where the pattern has none
    for (int m = 0; m < 2; m++) {
        double largest = 0.0, worst = 0.0;
        memset(found, 0, size * sizeof *found);
        br_linear_project(l, which[m], 1.0, found);
        for (size_t k = 0; k < size; k++) {
            largest = fmax(largest, fabs(exact[m][k])), worst = fmax(worst, fabs(exact[m][k] - found[k]));
        }
        print_message("%s differs by %.1e of %.1e\n", m == 0 ? "K" : "C", worst, largest);
        assert_true(worst < 1e-7 * largest); // differences of 1e-5: their square times third derivatives
    }
    free(exact[0]), free(exact[1]), free(found);
    br_mode_close(&session, s.sim);
    mode_close(&s);
}

// The stepper's own nonlinear inertia, of nodes that turn about the axis and move a little, seen from it.
static void inertia_of(br_linear *l, double spin, const double *x, const double *v, const double *a,
                       double size, double *out) {
    br_implicit *f = l->f;
    const br_vec3 O = br_vec3_scale(spin, l->axis);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        const double *p = x + 6 * i, *u = v + 6 * i, *b = a + 6 * i;
        const br_vec3 move = br_vec3_scale(size, br_vec3_of(p[0], p[1], p[2])),
                      turn = br_vec3_scale(size, br_vec3_of(p[3], p[4], p[5])),
                      rate = br_vec3_scale(size, br_vec3_of(u[0], u[1], u[2])),
                      turning = br_vec3_scale(size, br_vec3_of(u[3], u[4], u[5])),
                      second = br_vec3_scale(size, br_vec3_of(b[0], b[1], b[2])),
                      twist = br_vec3_scale(size, br_vec3_of(b[3], b[4], b[5]));
        const br_vec3 at = br_vec3_sub(br_vec3_add(n->start->x, move), l->about);
        n->x1 = br_vec3_add(n->start->x, move);
        n->q1 = br_quat_mul(br_quat_exp(turn), n->start->q);
        n->R1 = n->R = br_quat_to_mat3(n->q1);
        n->b1 = br_vec3_add(second, br_vec3_add(br_vec3_scale(2.0, br_vec3_cross(O, rate)),
                                                br_vec3_cross(O, br_vec3_cross(O, at))));
        n->w1 = br_mat3_tmul_vec(n->R1, br_vec3_add(O, turning));
        n->beta1 = br_mat3_tmul_vec(n->R1, br_vec3_add(twist, br_vec3_cross(O, turning)));
    }
    f->instant = f->decaying = f->still = f->tangent = 0;
    br_implicit_evaluate(f);
    for (int i = 0; i < f->nodes; i++) {
        const br_wrench F = f->inertia[i];
        const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
        memcpy(out + 6 * i, part, sizeof part);
    }
}

static void turning_inertia_agrees_with_the_stepper(void **state) {
    (void)state;
    mode_model s = mode_read(
        "gravity: [0, 0, 0]\n"
        "bodies: {disk: {mass: 3, inertia: [0.2, 0.1, 0.15, 0.01, 0.02, -0.01], com: [0, 0.05, 0.02], pose:"
        " {position: [0.6, 0.1, 0]}}}\n"
        "beams: {b: {points: [[0, 0, 0], [0.5, 0, 0.1], [1, 0.2, 0]], elements: 3, attach: {0.5: disk},"
        " section: {EI: [30, 40], GJ: 20, EA: 1e4, kGA: 900, mass: 1, inertia: [0.02, 0.01, 0.005],"
        " offset: [0.02, 0.01]}}}\n"
        "solver: {stepper: implicit}\n");
    br_mode_session session;
    br_error error = {0};
    char notes[1024];
    br_modes_def def = br_default_modes_def();
    def.axis = br_vec3_of(1, 0.4, -0.3), def.about = br_vec3_of(0.1, 0.2, 0.3);
    mode_check(br_mode_open(&session, s.sim, &def, 1, notes, sizeof notes, &error), &error);
    br_linear *l = &session.l;
    const int n = l->n;
    double *all = calloc((size_t)(8 * n), sizeof *all), *x = all, *v = x + n, *a = v + n, *plus = a + n,
           *minus = plus + n, *M = minus + n, *G = M + n, *N = G + n;
    rng random = {5};
    for (int k = 0; k < 3 * n; k++) all[k] = rng_uniform(&random, -1.0, 1.0);
    const double spin = 2.3, d = 1e-5;
    inertia_of(l, spin, x, v, a, d, plus), inertia_of(l, spin, x, v, a, -d, minus);
    br_linear_apply(l, BR_MODE_M, a, M), br_linear_apply(l, BR_MODE_G, v, G),
        br_linear_apply(l, BR_MODE_N, x, N);
    double worst = 0.0, largest = 0.0;
    for (int k = 0; k < n; k++) {
        const double expected = (plus[k] - minus[k]) / (2.0 * d),
                     found = M[k] + spin * G[k] + spin * spin * N[k];
        worst = fmax(worst, fabs(found - expected)), largest = fmax(largest, fabs(expected));
    }
    print_message("inertia differs by %.1e of %.1e\n", worst, largest);
    assert_true(worst < 1e-8 * largest); // differences of 1e-5
    free(all);
    br_mode_close(&session, s.sim);
    mode_close(&s);
}

// Turning as a whole needs no force, at any speed. Where the shaft is kept straight, K x = 0 and (N + LIFT) x = 0. Where it
// bends by y per unit of spin^2, the turning of the bent one, x + spin^2 e x y, is free: to first order
// K (e x y) + (N + LIFT) x = 0.
static void turning_as_a_whole_is_free(void **state) {
    (void)state;
    mode_model s = mode_read(
        "gravity: [0, 0, 0]\n"
        "bodies: {weight: {mass: 0.5, inertia: [0.02, 0.01, 0.015], pose: {position: [0.5, 0.3, 0]}}}\n"
        "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, attach: {0.5: weight}, section: {EI:"
        " [30, 40], GJ: 20, EA: 1e4, kGA: 900, mass: 1, inertia: [0.02, 0.01, 0.005], offset: [0.02,"
        " 0.01]}}}\n"
        "joints:\n"
        "  a: {revolute: [world, b.s0], axis: [1, 0, 0]}\n"
        "  c: {cylindrical: [world, b.s1], axis: [1, 0, 0]}\n");
    br_mode_session session;
    br_error error = {0};
    char notes[1024];
    br_modes_def def = br_default_modes_def();
    mode_check(br_mode_open(&session, s.sim, &def, 1, notes, sizeof notes, &error), &error);
    br_linear *l = &session.l;
    const int n = l->n;
    double *x = calloc((size_t)(7 * n), sizeof *x), *y = x + n, *force = y + n, *around = force + n,
           *K = around + n, *N = K + n, *lift = N + n;
    assert_true(l->held);
    br_linear_turning(l, x);
    for (int bends = 0; bends < 2; bends++) {
        double size = 0.0;
        // Far below every frequency all of them yield.
        mode_check(br_mode_spin(&session, bends ? 1e-6 : 0.0, &error), &error);
        br_linear_centrifugal(l, force);
        if (bends) br_linear_bend(l, force, 0.0, y);
        for (int i = 0; i < n; i += 6) {
            const br_vec3 d = br_vec3_cross(l->axis, br_vec3_of(y[i], y[i + 1], y[i + 2]));
            around[i] = d.x, around[i + 1] = d.y, around[i + 2] = d.z;
            for (int c = 0; c < 3; c++) size = fmax(size, fabs(y[i + c]));
        }
        assert_true(bends ? size > 1e-5 : size == 0.0);
        br_linear_apply(l, BR_MODE_K, around, K);
        br_linear_apply(l, BR_MODE_N, x, N), br_linear_apply(l, BR_MODE_LIFT, x, lift);
        double worst = 0.0, largest = 0.0;
        for (int f = 0; f < l->basis; f++) { // rows may push as they like on what they hold
            double work = 0.0, part = 0.0;
            for (int k = 0; k < n; k++) {
                const double shape = l->X[(size_t)f * (size_t)n + (size_t)k];
                work += shape * (K[k] + N[k] + lift[k]), part += shape * N[k];
            }
            worst = fmax(worst, fabs(work)), largest = fmax(largest, fabs(part));
        }
        print_message("turning as a whole, %s: force %.1e of %.1e\n", bends ? "bent" : "straight", worst,
                      largest);
        assert_true(largest > 1e-3 &&
                    worst < 1e-7 * largest); // K is differenced over a ten-thousandth: its square
    }
    free(x);
    br_mode_close(&session, s.sim);
    mode_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_agree_with_the_tangents),
        cmocka_unit_test(turning_inertia_agrees_with_the_stepper),
        cmocka_unit_test(turning_as_a_whole_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
