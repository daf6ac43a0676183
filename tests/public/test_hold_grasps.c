// How much more of a load a body in space holds between fixed planes, one ball of it on each: br_hold against the search over all motions
// of test_hold_space.h. GRASPS=n for more of them.
#include "bristle/hold.h"
#include "test_hold_space.h"

#define RADIUS 0.01
#define TOL_POSSIBLE                                                                                         \
    1e-7 // relative, beyond a bracket: discs by lines that touch them, and by edges from inside
#define TOL_BEGINS 1e-5 // cells of motions 1e-10 wide; what they bound can change 1e4 times as much
#define TOL_GOES 2e-4   // what is said of motions with a finite acceleration

typedef struct grasp3 {
    space g;
    double center[SPACE_MOST][3];
} grasp3;

static void unit_vector(rng *r, double *out) {
    double length = 0;
    do {
        for (int k = 0; k < 3; k++) out[k] = rng_uniform(r, -1, 1);
        length = sqrt(space_dot(3, out, out));
    } while (length > 1 || length < 0.1);
    for (int k = 0; k < 3; k++) out[k] /= length;
}

static grasp3 grasp_in_space(rng *r, int contacts) {
    grasp3 q = {.g = {.contacts = contacts, .mass = 1.5, .inertia = {0.02, 0.02, 0.02}}};
    space *g = &q.g;
    for (int i = 0; i < contacts; i++) {
        unit_vector(r, g->n[i]);
        g->mu[i] = rng_uniform(r, 0.2, 0.8);
        for (int k = 0; k < 3; k++) {
            q.center[i][k] = rng_uniform(r, -0.3, 0.3);
            g->p[i][k] = q.center[i][k] - RADIUS * g->n[i][k];
        }
    }
    space_begin(g);
    for (int i = 0; i < contacts; i++) {
        const double load = rng_uniform(r, 5, 20);
        double f[3], w[6], share[2];
        for (int d = 0; d < 2; d++) share[d] = rng_uniform(r, -0.4, 0.4) * g->mu[i];
        for (int k = 0; k < 3; k++)
            f[k] = load * (g->n[i][k] + share[0] * g->t[i][0][k] + share[1] * g->t[i][1][k]);
        space_wrench(g, i, f, w);
        for (int k = 0; k < 6; k++) g->base[k] -= w[k];
    }
    for (int k = 0; k < 6; k++) g->pull[k] = rng_uniform(r, -1, 1) * (k > 2 ? 0.2 : 1.0);
    return q;
}

static void grasp_text(const grasp3 *q, char *out, size_t size) {
    const space *g = &q->g;
    size_t used =
        (size_t)snprintf(out, size, "format: 1\nname: grasp\ngravity: [0, 0, 0]\nmaterials: {w: {}");
    for (int i = 0; i < g->contacts; i++) used += (size_t)snprintf(out + used, size - used, ", m%d: {}", i);
    used += (size_t)snprintf(out + used, size - used, "}\npairs:\n");
    for (int i = 0; i < g->contacts; i++)
        used += (size_t)snprintf(out + used, size - used, "  m%d/w: {mu: %.17g}\n", i, g->mu[i]);
    used += (size_t)snprintf(out + used, size - used,
                             "bodies:\n  body:\n    mass: %g\n    inertia: [%g, %g, %g]\n    shapes:\n",
                             g->mass, g->inertia[0], g->inertia[1], g->inertia[2]);
    for (int i = 0; i < g->contacts; i++)
        used +=
            (size_t)snprintf(out + used, size - used,
                             "      - {sphere: {radius: %g}, pose: {position: [%.17g, %.17g, %.17g]}, "
                             "material: m%d, category: %d, mask: %d}\n",
                             RADIUS, q->center[i][0], q->center[i][1], q->center[i][2], i, 2 << i, 2 << i);
    used += (size_t)snprintf(out + used, size - used, "ground:\n");
    for (int i = 0; i < g->contacts; i++)
        used += (size_t)snprintf(out + used, size - used,
                                 "  - {plane: {normal: [%.17g, %.17g, %.17g], point: [%.17g, %.17g, %.17g]}, "
                                 "material: w, category: %d, mask: %d}\n",
                                 g->n[i][0], g->n[i][1], g->n[i][2], g->p[i][0], g->p[i][1], g->p[i][2],
                                 2 << i, 2 << i);
    snprintf(out + used, size - used,
             "loads:\n  base_f: {body: body, force: [%.17g, %.17g, %.17g]}\n  base_t: {body: body, torque: "
             "[%.17g, %.17g, %.17g]}\n"
             "  pull: {body: body, force: [%.17g, %.17g, %.17g]}\n  turn: {body: body, torque: [%.17g, "
             "%.17g, %.17g]}\n"
             "contact: {law: cone}\nsolver: {step: 1 ms}\nrun: {until: 0.1}\n",
             g->base[0], g->base[1], g->base[2], g->base[3], g->base[4], g->base[5], g->pull[0], g->pull[1],
             g->pull[2], g->pull[3], g->pull[4], g->pull[5]);
}

static int differ(double a, double b, double tol) {
    return isinf(a) != isinf(b) || (!isinf(a) && fabs(a - b) > tol * (1 + fabs(b)));
}

typedef struct tally {
    int certain, endless, apart, going, sooner, open;
    double widest; // of the brackets around `possible`
    long nodes;
} tally;

static void check_grasp(int k, grasp3 *q, tally *t) {
    char text[6000];
    scene s = {0};
    br_error error = {0};
    br_hold_report h;
    br_hold_options options = br_default_hold_options();
    const char *names[] = {"pull", "turn"};
    options.load = names, options.loads = 2;
    grasp_text(q, text, sizeof text);
    if (br_model_read_text(text, strlen(text), "grasp.yaml", NULL, 0, NULL, &s.model, NULL, &error) !=
            BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK ||
        br_hold(s.sim, &options, &h, &error) != BR_OK)
        scene_fail(text, &error);
    assert_true(h.felt && h.held);
    t->open += !h.exhaustive;
    for (int side = 0; side < 2; side++) {
        const double outside = space_possible(&q->g, side, 0),
                     inside = space_possible(&q->g, side, SPACE_EDGES);
        const double sign = side ? 1 : -1, possible = h.possible[side],
                     slack = TOL_POSSIBLE * (1 + fabs(outside));
        if (isinf(possible) != isinf(outside) ||
            (!isinf(possible) &&
             (sign * possible > sign * outside + slack || sign * possible < sign * inside - slack)))
            fail_msg("grasp %d: possible %.9g, by discs %.9g to %.9g\n%s", k, possible, inside, outside,
                     text);
        if (!isinf(outside)) t->widest = fmax(t->widest, fabs(outside - inside) / (1 + fabs(outside)));
        t->endless += isinf(possible) != 0;
        if (!h.certain) continue;
        const double begins = space_moves(&q->g, side, h.from, 0, possible, 1e-10, &t->nodes);
        if (!isnan(begins) && differ(h.sure[side], begins, TOL_BEGINS)) {
            // One with a finite acceleration, sooner. What the cells leave to accelerations of 1e-5 under huge forces is a bound only.
            const double goes = space_moves(&q->g, side, h.from, 1, possible, 1e-9, &t->nodes);
            if (sign * h.sure[side] > sign * begins + TOL_BEGINS * (1 + fabs(begins)))
                fail_msg("grasp %d: sure %.9g, but something begins at %.9g\n%s", k, h.sure[side], begins,
                         text);
            t->sooner += sign * h.sure[side] < sign * goes - TOL_GOES * (1 + fabs(goes)); // too careful
            t->going++;
        }
        t->certain++, t->apart += !isinf(begins) && fabs(begins - possible) > 1e-6;
    }
    br_hold_report_free(&h);
    scene_close(&s);
}

static void random_grasps_in_space_agree_with_all_motions(void **state) {
    (void)state;
    const char *asked = getenv("GRASPS");
    const int grasps = asked ? atoi(asked) : 40;
    tally t = {0};
    rng r = {.state = 24};
    for (int k = 0; k < grasps; k++) {
        grasp3 q = grasp_in_space(&r, 3 + k % 3);
        check_grasp(k, &q, &t);
    }
    print_message("%d ends of %d grasps sure, %d apart from possible, %d by a finite acceleration (%d of "
                  "them sooner than need be), %d at infinity; %d not exhaustive, %ld "
                  "programs; brackets of %.2g\n",
                  t.certain, grasps, t.apart, t.going, t.sooner, t.endless, t.open, t.nodes, t.widest);
    assert_true(t.certain > grasps && t.apart > grasps / 10 &&
                t.widest < 1e-2); // near self-locking 256 edges tell less
    assert_true(t.sooner <= grasps / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_grasps_in_space_agree_with_all_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
