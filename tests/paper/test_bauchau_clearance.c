// Planar clearance joints [BauchauJu2006 eqs. 1-7] under the implicit stepper against tests/data/flexible/planar_reference.csv:
//
//     A1, A2, A3   a disc dropped in a hole: linear contact, with Hunt and Crossley's loss, with theirs and Hertz' exponent
//     B            a spinning disc in its bearing, LuGre friction
//     C            a bar swinging on a pin with play, LuGre friction
//
// Each as a planar model, and as a spatial one of any orientation, where the clearance brings the planar joint of eq. 1.
#include <stdio.h>
#include <string.h>

#include "bristle/sim.h"
#include "near.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

enum { MOST_ROWS = 32 };

static const double outer = 50e-3, inner = 49.5e-3, clearance = 0.5e-3, gravity = 9.81;

typedef struct example {
    const char *name;    // in the file
    double mass, length; // 0: a disc
    double angle, spin;
    double stiffness, exponent, loss; // of the contact
    int rubs, pressed;                // pressed: starts in contact, at rest in the normal direction
} example;

static const example examples[] = {
    {"A1_drop_linear", 5, 0, 0, 0, 15e6, 1, 0, 0, 0},
    {"A2_drop_HC_linear_lam3", 5, 0, 0, 0, 15e6, 1, 3, 0, 0},
    {"A3_drop_HC_hertz_K1e10_lam3", 5, 0, 0, 0, 1e10, 1.5, 3, 0, 0},
    {"B_spinning_journal", 5, 0, 0, 10, 15e6, 1, 3, 1, 1},
    {"C_pendulum", 1, 1, BR_PI / 6, 0, 15e6, 1, 3, 1, 1},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

// --- reference -----------------------------------------------------------------------------------------------

typedef struct sample {
    double t, x, y, theta, vx, vy, omega;
} sample;

static int read_samples(const char *name, sample *out) {
    FILE *file = fopen(BRISTLE_SOURCE_DIR "/tests/data/flexible/planar_reference.csv", "r");
    char line[1024];
    int count = 0;
    const size_t length = strlen(name);
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        sample s;
        if (strncmp(line, name, length) != 0 || count == MOST_ROWS) continue;
        if (sscanf(line + length, ",%lf,%lf,%lf,%lf,%lf,%lf,%lf", &s.t, &s.x, &s.y, &s.theta, &s.vx, &s.vy,
                   &s.omega) == 7)
            out[count++] = s;
    }
    fclose(file);
    assert_int_equal(count, 20);
    return count;
}

// --- model -----------------------------------------------------------------------------------------------------

typedef struct run {
    const example *e;
    br_quat turned; // of the whole model; planar: none
    br_model *model;
    br_sim *sim;
} run;

static void check(br_status status, const br_error *error) {
    if (status != BR_OK)
        fail_msg("%s: %s (%s)", error->path, error->message, error->code ? error->code : "no code");
}

// Where the centre of the pin starts: B under its weight; C under the force R that a pin without play would have,
// which leans by atan(tan(angle)/4) from the bar.
static br_vec3 pin_start(const example *e) {
    const double c = cos(e->angle), s = sin(e->angle), R = e->mass * gravity * sqrt(c * c + s * s / 16);
    const double lean = e->length > 0 ? e->angle - atan(tan(e->angle) / 4) : 0,
                 u = clearance + R / e->stiffness;
    return e->pressed ? br_vec3_of(u * sin(lean), -u * cos(lean), 0) : br_vec3_zero();
}

static br_body_def body_of(const example *e, br_quat turned) {
    br_body_def def = br_default_body_def();
    const double l = e->length, I = l > 0 ? e->mass * l * l / 12 : e->mass * inner * inner / 2;
    const br_vec3 down = br_vec3_of(0.5 * l * sin(e->angle), -0.5 * l * cos(e->angle), 0);
    def.name = "body", def.mass = e->mass;
    def.inertia = l > 0 ? br_sym3_of(I, 1e-4, I, 0, 0, 0) : br_sym3_of(0.5 * I, 0.5 * I, I, 0, 0, 0);
    def.pose =
        br_pose_mul(br_pose_of(turned, br_vec3_zero()),
                    br_pose_of(br_quat_exp(br_vec3_of(0, 0, e->angle)), br_vec3_add(pin_start(e), down)));
    def.has_velocity = 1;
    def.angular_velocity = br_quat_rotate(turned, br_vec3_of(0, 0, e->spin));
    return def;
}

static br_clearance_def clearance_of(const example *e, br_quat turned) {
    br_clearance_def def = br_default_clearance_def();
    def.name = "pin", def.type = BR_CLEARANCE_PLANAR, def.first = BR_WORLD, def.second = "body";
    def.X_AF = br_pose_of(turned, br_vec3_zero());
    def.X_BM = br_pose_of(br_quat_identity(), br_vec3_of(0, 0.5 * e->length, 0));
    def.outer_radius = outer, def.inner_radius = inner;
    def.law = "hunt_crossley", def.stiffness = e->stiffness, def.exponent = e->exponent,
    def.damping = e->loss;
    if (e->rubs) {
        def.friction.law = BR_FRICTION_LUGRE;
        def.friction.mu_static = def.friction.mu_kinetic = 0.3;
        def.friction.sigma_0 = 1e5, def.friction.v_stribeck = 1e-3;
    }
    return def;
}

static run run_of(const example *e, br_solver_settings solver, int planar, br_quat turned) {
    run r = {.e = e, .turned = turned};
    br_error error = {0};
    br_builder *builder;
    br_settings settings = br_default_settings();
    settings.planar = planar ? BR_PLANAR_XY : BR_SPATIAL;
    settings.gravity = br_quat_rotate(turned, br_vec3_of(0, -gravity, 0));
    settings.solver = solver;
    const br_body_def body = body_of(e, turned);
    const br_clearance_def pin = clearance_of(e, turned);
    check(br_builder_create(NULL, &builder, &error), &error);
    check(br_builder_settings(builder, &settings, &error), &error);
    check(br_builder_body(builder, &body, &error), &error);
    check(br_builder_clearance(builder, &pin, &error), &error);
    check(br_model_create(builder, &r.model, &error), &error);
    br_builder_destroy(builder);
    check(br_sim_create(r.model, NULL, &r.sim, &error), &error);
    return r;
}

static void run_free(run *r) {
    br_sim_destroy(r->sim);
    br_model_destroy(r->model);
}

static void run_advance(run *r, double t) {
    br_error error = {0};
    check(br_sim_advance(r->sim, t, &error), &error);
}

// The pin's centre and the body's angle, in the axes of the planar model.
static sample run_read(const run *r) {
    const br_pose X =
        br_pose_mul(br_pose_of(br_quat_conjugate(r->turned), br_vec3_zero()), br_sim_body_pose(r->sim, 0));
    const br_twist V = br_sim_body_twist(r->sim, 0);
    const br_vec3 arm = br_quat_rotate(X.rotation, br_vec3_of(0, 0.5 * r->e->length, 0));
    const br_vec3 w = br_quat_rotate(br_quat_conjugate(r->turned), V.angular),
                  v = br_vec3_add(br_quat_rotate(br_quat_conjugate(r->turned), V.linear),
                                  br_vec3_cross(w, arm)),
                  x = br_vec3_add(X.position, arm);
    return (sample){br_sim_time(r->sim), x.x, x.y, 2 * atan2(X.rotation.z, X.rotation.w), v.x, v.y, w.z};
}

// Largest errors: m, m/s, rad, rad/s.
typedef struct errors {
    double place, speed, angle, spin;
    double steps;
} errors;

static double largest(errors e) {
    return fmax(fmax(e.place, e.speed), fmax(e.angle, e.spin));
}

static errors worst_of(run *r, const sample *ref, int count) {
    errors worst = {0};
    for (int k = 0; k < count; k++) {
        run_advance(r, ref[k].t);
        const sample s = run_read(r);
        worst.place = fmax(worst.place, hypot(s.x - ref[k].x, s.y - ref[k].y));
        worst.speed = fmax(worst.speed, hypot(s.vx - ref[k].vx, s.vy - ref[k].vy));
        worst.angle = fmax(worst.angle, fabs(s.theta - ref[k].theta));
        worst.spin = fmax(worst.spin, fabs(s.omega - ref[k].omega));
    }
    worst.steps = (double)br_sim_ledger(r->sim).steps;
    return worst;
}

static br_solver_settings settings_of(int decaying, double step, double tolerance) {
    br_solver_settings s = br_default_settings().solver;
    s.stepper = BR_STEPPER_IMPLICIT, s.energy_decaying = decaying, s.rho_infinity = 0.9;
    s.step = step;
    s.tol = 1e-12;
    s.adaptive.on = tolerance > 0, s.adaptive.tolerance = tolerance;
    return s;
}

static errors errors_of(const example *e, br_solver_settings solver, int planar, br_quat turned) {
    sample ref[MOST_ROWS];
    const int count = read_samples(e->name, ref);
    run r = run_of(e, solver, planar, turned);
    const errors w = worst_of(&r, ref, count);
    const br_ledger l = br_sim_ledger(r.sim);
    const double scale =
        fabs(l.now.potential - l.start.potential) + l.start.kinetic + l.now.kinetic + l.friction;
    print_message("%-28s %-15s %s, tolerance %.0e: %.1e m, %.1e m/s, %.1e rad, %.1e rad/s, %ld steps, "
                  "unaccounted %.0e\n",
                  e->name, solver.energy_decaying ? "energy_decaying" : "alpha",
                  planar ? "planar" : "spatial", solver.adaptive.tolerance, w.place, w.speed, w.angle, w.spin,
                  l.steps, l.unaccounted / scale);
    assert_true(fabs(l.unaccounted) < 1e-6 * scale);
    run_free(&r);
    return w;
}

// What each needs for 1e-6 of a m, m/s, rad, rad/s at all its 20 times. The drops lose a little at each of many bounces.
static void references_are_met(void **state) {
    (void)state;
    static const double tolerance[EXAMPLES] = {1e-14, 1e-15, 1e-16, 1e-14, 1e-14};
    for (int k = 0; k < EXAMPLES; k++)
        for (int decaying = 0; decaying < 2; decaying++) {
            const errors w =
                errors_of(&examples[k], settings_of(decaying, 1e-4, tolerance[k]), 1, br_quat_identity());
            assert_true(largest(w) < 1e-6);
        }
}

// A tolerance 100 times finer is 4.6 times as many steps, and 21 times less error: second order. Steps that the contact and
// the friction rule shorten already do not follow, and where contact begins and ends within a step is chance.
static void errors_fall_at_second_order(void **state) {
    (void)state;
    for (int k = 0; k < EXAMPLES; k++)
        for (int decaying = 0; decaying < 2; decaying++) {
            const br_quat none = br_quat_identity();
            const errors coarse = errors_of(&examples[k], settings_of(decaying, 1e-4, 1e-10), 1, none),
                         fine = errors_of(&examples[k], settings_of(decaying, 1e-4, 1e-12), 1, none);
            const double order = log(largest(coarse) / largest(fine)) / log(fine.steps / coarse.steps);
            print_message("  order %.2f\n", order);
            assert_true(order > 1.5);
        }
}

// With the same fixed steps, the planar model and a spatial one of any orientation do the same, up to what Newton's method
// leaves,
// 1e-15 of the turn of a disc in each step, which grows with their number and with each bounce.
static void spatial_models_of_any_orientation_agree(void **state) {
    (void)state;
    const br_quat turned = br_quat_normalize(br_quat_of(0.3, -0.5, 0.7, 0.4));
    for (int k = 0; k < EXAMPLES; k++)
        for (int decaying = 0; decaying < 2; decaying++) {
            sample ref[MOST_ROWS];
            const int count = read_samples(examples[k].name, ref);
            const br_solver_settings solver = settings_of(decaying, 1e-5, 0);
            run flat = run_of(&examples[k], solver, 1, br_quat_identity()),
                deep = run_of(&examples[k], solver, 0, turned);
            for (int j = 0; j < count && ref[j].t < 0.31; j++) {
                run_advance(&flat, ref[j].t);
                ref[j] = run_read(&flat);
            }
            int kept = 0;
            while (kept < count && ref[kept].t < 0.31) kept++;
            const errors w = worst_of(&deep, ref, kept);
            print_message(
                "%-28s %-15s planar and spatial, %d times: %.1e m, %.1e m/s, %.1e rad, %.1e rad/s\n",
                examples[k].name, decaying ? "energy_decaying" : "alpha", kept, w.place, w.speed, w.angle,
                w.spin);
            assert_true(w.place < 1e-9 && w.angle < 1e-7);
            assert_true(w.speed < 1e-6 && w.spin < 1e-6);
            run_free(&flat);
            run_free(&deep);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_met),
        cmocka_unit_test(errors_fall_at_second_order),
        cmocka_unit_test(spatial_models_of_any_orientation_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
