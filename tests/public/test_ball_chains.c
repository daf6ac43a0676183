// Chains of two to eight balls that touch, struck, moving together or met from both ends, for restitutions 0, 0.5 and 1 by
// Newton and by Poisson, under both orders of the contact step: every one of them runs, keeps its momentum and makes no energy.
// After an impact balls move side by side, and what is left of their relative velocities is rounding: a load of 1e-15 m/s.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

typedef enum start { STRUCK, STRUCK_TOUCHING, TOGETHER, FROM_BOTH_ENDS, STARTS } start;

typedef struct chain {
    int balls;
    double restitution, theta;
    const char *restitution_law, *law;
    start start;
    int floor; // it lies on one, with friction
} chain;

static void ball_start(const chain *c, int i, double *x, double *v) {
    *x = 0.2 * i, *v = 0;
    if (c->start == TOGETHER) *v = 1;
    if (i == 0 && c->start != TOGETHER) *v = c->start == FROM_BOTH_ENDS ? 1.3 : 1;
    if (i == 0 && c->start == STRUCK) *x -= 0.05;
    if (i == 0 && c->start == FROM_BOTH_ENDS) *x -= 0.03;
    if (i == c->balls - 1 && c->start == FROM_BOTH_ENDS) *x += 0.02, *v = -0.7;
}

static br_model *read_chain(const chain *c) {
    char text[8000];
    int n = snprintf(text, sizeof text,
                     "format: 1\ngravity: [0, 0, %g]\nmaterials: {ivory: {}}\n"
                     "pairs: {ivory/ivory: {mu: %g, restitution: %g, restitution_law: %s}}\n"
                     "contact: {law: %s}\nsolver: {stepper: contact, step: 1 ms, theta: %g}\n",
                     c->floor ? -9.81 : 0.0, c->floor ? 0.3 : 0.0, c->restitution, c->restitution_law, c->law,
                     c->theta);
    if (c->floor) n += snprintf(text + n, sizeof text - n, "ground: [{plane: {}, material: ivory}]\n");
    n += snprintf(text + n, sizeof text - n, "bodies:\n");
    for (int i = 0; i < c->balls; i++) {
        double x, v;
        ball_start(c, i, &x, &v);
        n += snprintf(text + n, sizeof text - n,
                      "  b%d: {mass: 2, inertia: [0.008, 0.008, 0.008], pose: {position: [%.17g, 0, %g]}, "
                      "velocity: {linear: [%g, 0, 0]}, shapes: [{sphere: {radius: 0.1}, material: ivory}]}\n",
                      i, x, c->floor ? 0.1 : 0.0, v);
    }
    br_model *model = NULL;
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "chain.yaml", NULL, 0, NULL, &model, NULL, &error) != BR_OK)
        fail_msg("%s: %s", error.code, error.message);
    return model;
}

static double momentum(const br_sim *sim, int balls) {
    double sum = 0;
    for (int i = 0; i < balls; i++) sum += 2 * br_sim_body_twist(sim, i).linear.x;
    return sum;
}

static void run_chain(const chain *c) {
    br_model *model = read_chain(c);
    br_sim *sim = NULL;
    br_error error = {0};
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) fail_msg("%s: %s", error.code, error.message);
    const double before = momentum(sim, c->balls), energy = br_sim_energy(sim).total;
    if (br_sim_advance(sim, 0.15, &error) != BR_OK)
        fail_msg("%d balls, start %d, e = %g by %s, %s, theta %g%s: %s", c->balls, (int)c->start,
                 c->restitution, c->restitution_law, c->law, c->theta, c->floor ? ", on the floor" : "",
                 error.message);
    if (!c->floor) assert_near(momentum(sim, c->balls), before, 1e-12 * c->balls);
    // Poisson's impulses come back to 1e-7 of them; on the floor the step of first order has its say
    if (!c->floor) assert_true(br_sim_energy(sim).total <= energy * (1 + 1e-6));
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void every_chain_runs(void **state) {
    (void)state;
    static const double restitutions[] = {0, 0.5, 1}, thetas[] = {1, 0.5};
    static const char *const poisson_or_newton[] = {"newton", "poisson"}, *const laws[] = {"bristle", "cone"};
    int runs = 0;
    for (int balls = 2; balls <= 8; balls++)
        for (int e = 0; e < 3; e++)
            for (int k = 0; k < 8; k++)
                for (int s = 0; s < STARTS; s++)
                    for (int floor = 0; floor <= (k < 4); floor++, runs++) {
                        const chain c = {.balls = balls,
                                         .restitution = restitutions[e],
                                         .theta = thetas[k & 1],
                                         .restitution_law = poisson_or_newton[k >> 1 & 1],
                                         .law = laws[k >> 2],
                                         .start = (start)s,
                                         .floor = floor};
                        run_chain(&c);
                    }
    print_message("%d chains\n", runs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_chain_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
