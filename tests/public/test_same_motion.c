// One scene under several steppers is one motion: beams and joints with play beside contact, limits, motors and friction. Each stepper is run at
// three steps, and its error is what the reference stepper or its own limit says. The table that is printed has the orders.
#include "bristle/contact.h"
#include "scene.h"

enum { STEPS = 3 };

typedef struct motion {
    const char *scene, *settings;
    double t;
    const char *channel;
    int reference; // whether errors are distances from the reference stepper; else from the limit of the stepper's own steps
    double step, far,
        order; // the first step; how far the last may be off, or limits apart; the least order that is seen, 0: none
} motion;

#define DULL "pairs.steel/wood.mu=0;clearances.pin.contact.damping=200 s/m"

// far: what is left at the last step, and of six to eight elements whose mass one stepper lumps and the other does not.
// What a blow shook rings in a beam until it is damped: waves converge with a lower order at such steps. Of Coulomb pins the steps in which they
// turn round lie differently in each run, so that errors jump about.
// The piston's pin rattles with its own damping, and no two steps rattle alike. A piston that sticks to the box rubs it upwards or downwards as
// it likes, for neither can give way: without that friction the motion is determined.
static const motion motions[] = {
    {"flexible/beam_slaps_floor.yaml", "beams.blade.elements=6", 0.12, "ball.position.z", 0, 4e-4, 5e-6, 0.8},
    {"flexible/beam_slaps_floor.yaml", "beams.blade.elements=6", 0.6, "blade.s0.5.position.z", 1, 2e-4, 1e-6,
     0.5},
    {"flexible/four_bar_stop.yaml", "", 0.1, "pivot.position", 1, 1e-3, 2e-6, 0.8},
    {"flexible/four_bar_stop.yaml", "", 0.2, "shaft.position", 1, 1e-3, 2e-6, 0},
    {"flexible/piston_pushes_box.yaml", DULL, 0.1, "bore.position", 1, 1e-4, 2e-7, 0.8},
    {"flexible/flexible_gripper.yaml", "", 1.1, "part.position.z", 0, 1e-3, 1e-8, 0.8},
    {"flexible/rod_buckles_on_wall.yaml", "beams.rod.elements=8", 0.24, "pad.position.z", 1, 1e-3, 1e-5, 0.8},
    {"flexible/rod_buckles_on_wall.yaml", "beams.rod.elements=8", 0.3,
     "pad.shape0~world.shape0#0.force.normal", 0, 1e-3, 2e-3, 0.4},
};

static double value_at(const motion *m, const char *stepper, double step) {
    char settings[240];
    snprintf(settings, sizeof settings, "solver.stepper=%s;solver.step=%.17g;%s", stepper, step, m->settings);
    if (strcmp(stepper, "reference") == 0)
        snprintf(settings, sizeof settings, "solver.stepper=reference;solver.tol=1e-8;%s", m->settings);
    scene s = scene_open(m->scene, settings);
    scene_advance(&s, m->t);
    const double value = scene_read(&s, m->channel);
    scene_close(&s);
    return value;
}

static void steppers_come_to_the_same_motion(void **state) {
    (void)state;
    static const char *const steppers[] = {"contact", "implicit"};
    int bad = 0;
    print_message("%-34s %6s %-22s %-9s %9s %9s %9s %6s %16s\n", "scene", "t", "channel", "stepper", "h",
                  "h/2", "h/4", "order", "limit");
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
        const motion *m = &motions[k];
        const double exact = m->reference ? value_at(m, "reference", 0.0) : NAN;
        double limit[2];
        for (int s = 0; s < 2; s++) {
            double value[STEPS], error[STEPS];
            for (int i = 0; i < STEPS; i++) value[i] = value_at(m, steppers[s], ldexp(m->step, -i));
            limit[s] = 2.0 * value[STEPS - 1] - value[STEPS - 2];
            for (int i = 0; i < STEPS; i++) error[i] = fabs(value[i] - (m->reference ? exact : limit[s]));
            const double order = log2(error[0] / error[STEPS - 1]) / (STEPS - 1);
            print_message("%-34s %6g %-22.22s %-9s %9.1e %9.1e %9.1e %6.2f %16.9g\n", m->scene, m->t,
                          m->channel, steppers[s], error[0], error[1], error[2], order, limit[s]);
            bad += !(order > m->order) && m->order > 0.0;
            bad += m->reference && !(error[STEPS - 1] <= m->far);
        }
        if (m->reference) print_message("%74s %50.9g\n", "reference", exact);
        bad += !m->reference && !(fabs(limit[0] - limit[1]) <= m->far);
    }
    assert_int_equal(bad, 0);
}

// --- a rod that buckles against a wall ---------------------------------------------------------------------

// At rest on the wall. A pinned rod of length L with EI w'' + P w = EI w0'' - R x/2, w0 = a sin(pi x/L), on a wall at D:
// R (tan(k L/2)/(2 P k) - L/(4 P)) = D - a P_E/(P_E - P), k^2 = P/EI. The rod's own shortening, 1e-3 of L, is what is left out.
static void wall_carries_what_the_rod_cannot(void **state) {
    (void)state;
    const double EI = 70e9 * 20e-3 * 27e-9 / 12, L = 1.0, a = 2e-3, D = 20e-3,
                 euler = 9.869604401089358 * EI / (L * L);
    static const double load[] = {45, 60};
    static const char *const steppers[] = {"contact", "implicit"};
    for (int n = 0; n < 4; n++) {
        char settings[120];
        const double P = load[n / 2], k = sqrt(P / EI),
                     R = (a * euler / (euler - P) - D) / (tan(0.5 * k * L) / (2 * P * k) - L / (4 * P));
        snprintf(settings, sizeof settings, "solver.stepper=%s;params.mu=0;params.load=%g", steppers[n % 2],
                 P);
        scene s = scene_open("flexible/rod_buckles_on_wall.yaml", settings);
        scene_advance(&s, 1.0);
        const double N = scene_read(&s, "pad.shape0~world.shape0#0.force.normal");
        print_message("%s, %g N: the wall carries %.5f N, %.5f by hand\n", steppers[n % 2], P, N, R);
        assert_near(N, R, 2e-3 * R);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steppers_come_to_the_same_motion),
        cmocka_unit_test(wall_carries_what_the_rod_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
