// The standard form of [TanLiu eqs. 12-15] against the stepper's own polygon law, and the paper's claims about it.
#include <stdlib.h>
#include <string.h>

#include "bristle/contact.h"
#include "bristle/io.h"
#include "counting_allocator.h"
#include "scene.h"
#include "sim/contact/contact.h"

#define AGREES                                                                                               \
    1e-9 // relative, of issue 4: both solve the same step to rounding, one in velocities, one as A and q

typedef struct answer {
    br_standard_lcp *lcp;
    double *z, *w, *v;
    br_solve_report report;
} answer;

static void fine(br_status status, const br_error *error) {
    if (status != BR_OK) scene_fail("standard form", error);
}

// law: NULL: the text's own settings; "law theta".
static br_status read_text(const char *text, const char *law, const br_allocator *allocator, scene *s,
                           br_error *error) {
    char name[32] = "", theta[8] = "1";
    if (law) sscanf(law, "%31s %7s", name, theta);
    const br_override overrides[] = {{"contact.law", name}, {"solver.tol", "1e-13"}, {"solver.theta", theta}};
    *s = (scene){NULL, NULL};
    br_status status = br_model_read_text(text, strlen(text), "test", overrides, law ? 3 : 0, allocator,
                                          &s->model, NULL, error);
    return status == BR_OK ? br_sim_create(s->model, allocator, &s->sim, error) : status;
}

static scene open_text(const char *text, const char *law) {
    br_error error = {0};
    scene s;
    fine(read_text(text, law, NULL, &s, &error), &error);
    return s;
}

static void steps(scene *s, int count) {
    br_error error = {0};
    for (int k = 0; k < count; k++) fine(br_sim_step(s->sim, &error), &error);
}

static answer solve(br_sim *sim, int directions, double epsilon, int scale) {
    answer a = {0};
    br_error error = {0};
    const br_standard_options options = {epsilon, scale};
    fine(br_sim_standard_lcp(sim, directions, &a.lcp, &error), &error);
    a.z = calloc((size_t)(2 * a.lcp->n + a.lcp->m) + 1, sizeof *a.z);
    a.w = a.z + a.lcp->n, a.v = a.w + a.lcp->n;
    fine(br_standard_lcp_solve(a.lcp, &options, a.z, a.w, a.v, &a.report, &error), &error);
    if (a.report.outcome != BR_CONVERGED)
        fail_msg("%s, residual %g, %s", br_outcome_name(a.report.outcome), a.report.residual, a.report.path);
    return a;
}

static void drop(answer *a) {
    br_standard_lcp_free(a->lcp);
    free(a->z);
}

static double largest(const double *a, const double *b, int n) { // of |a - b|; b NULL: of |a|
    double most = 0.0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - (b ? b[k] : 0.0)));
    return most;
}

// --- scenes ------------------------------------------------------------------------------------------------

#define HEAD                                                                                                 \
    "format: 1\nmaterials: {a: {}}\npairs: {a/a: {mu: 0.5}}\n"                                               \
    "ground: [{plane: {normal: [0, 0, 1], point: [0, 0, 0]}, material: a}]\nsolver: {step: 1 ms}\n"
#define INCLINE "gravity: [3, 1.1, -9.3]\n" // tan 0.343: below mu
#define BALL "inertia: [0.004, 0.004, 0.004], shapes: [{sphere: {radius: 0.1}, material: a}]"
#define BOX "inertia: {box: {size: [0.4, 0.3, 0.2]}}, shapes: [{box: {size: [0.4, 0.3, 0.2]}, material: a}]"

static const char sliding_ball[] = HEAD "bodies: {ball: {mass: 1, " BALL ", pose: {position: [0, 0, 0.1]}, "
                                        "velocity: {linear: [2, 0.7, 0], angular: [1, 2, 3]}}}\n";
static const char sliding_box[] = HEAD "bodies: {box: {mass: 2, " BOX ", pose: {position: [0, 0, 0.1]}, "
                                       "velocity: {linear: [1, 0.4, 0]}}}\n";
static const char turning_box[] = HEAD "bodies: {box: {mass: 2, " BOX ", pose: {position: [0, 0, 0.1]}, "
                                       "velocity: {linear: [1, 0.4, 0], angular: [0, 0, 2]}}}\n";
static const char stuck_box[] =
    HEAD INCLINE "bodies: {box: {mass: 2, " BOX ", pose: {position: [0, 0, 0.1]}}}\n";
static const char rolling_ball[] = // its one contact sticks, and three velocities are left
    HEAD INCLINE "bodies: {ball: {mass: 1, " BALL ", pose: {position: [0, 0, 0.1]}}}\n"
                 "joints: {slide: {planar: [world, ball], axis: [0, 1, 0], at: [0, 0, 0.1]}}\n";
static const char leaving_ball[] = HEAD "bodies: {ball: {mass: 1, " BALL ", pose: {position: [0, 0, 0.1]}, "
                                        "velocity: {linear: [1, 0, 0.5]}}}\n";
static const char falling_ball[] = // 0.4 mm above ground at 1 m/s: reached within the step
    HEAD "bodies: {ball: {mass: 1, " BALL ", pose: {position: [0, 0, 0.1004]}, "
         "velocity: {linear: [1, 0.5, -1]}}}\n";
static const char bouncing_ball[] =
    "format: 1\nmaterials: {a: {}}\npairs: {a/a: {mu_static: 0.5, mu_kinetic: 0.3, restitution: 0.6}}\n"
    "ground: [{plane: {normal: [0, 0, 1], point: [0, 0, 0]}, material: a}]\nsolver: {step: 1 ms}\n"
    "bodies: {ball: {mass: 1, " BALL ", pose: {position: [0, 0, 0.1]}, velocity: {linear: [1, 0.5, -1]}}}\n";
static const char many[] = // a box on a box on the ground, a ball against both
    HEAD "bodies:\n"
         "  low: {mass: 2, " BOX ", pose: {position: [0, 0, 0.1]}, velocity: {linear: [0.3, 0.1, 0]}}\n"
         "  high: {mass: 1, " BOX ", pose: {position: [0.05, 0.02, 0.3]}, velocity: {linear: [1, 0, 0]}}\n"
         "  ball: {mass: 0.5, " BALL ", pose: {position: [0.3, 0, 0.1]}, velocity: {linear: [-1, 0.2, 0]}}\n";
static const char pendulum[] = // two links; the ball at the lower end scrapes over the ground
    HEAD "bodies:\n"
         "  rod: {mass: 1, inertia: {slender: {length: 0.5, axis: x}}, pose: {position: [0.25, 0, 0.6]}}\n"
         "  tip: {mass: 1, " BALL ", pose: {position: [0.8, 0.1, 0.1]}}\n"
         "joints:\n"
         "  hip: {revolute: [world, rod], axis: [0.1, 1, 0], at: [0, 0, 0.6], velocity: 0.4}\n"
         "  knee: {spherical: [rod, tip], at: [0.5, 0, 0.6], velocity: [0.3, -1, 0.5], damping: 0.1}\n";
// A four-bar hangs from a cart that rolls on; its coupler drags a ball over the ground.
#define FOUR_BAR                                                                                             \
    "bodies:\n"                                                                                              \
    "  cart: {mass: 3, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.6]}}\n"                           \
    "  crank: {mass: 1, inertia: [0.02, 0.02, 0.01], pose: {position: [-0.15, 0, 0.4]}}\n"                   \
    "  coupler: {mass: 1, inertia: [0.02, 0.08, 0.08], pose: {position: [0.2, 0, 0.2]}, "                    \
    "shapes: [{sphere: {radius: 0.2}, material: a}]}\n"                                                      \
    "  rocker: {mass: 1, inertia: [0.02, 0.02, 0.01], pose: {position: [0.85, 0, 0.4]}}\n"                   \
    "joints:\n"                                                                                              \
    "  rail: {prismatic: [world, cart], axis: [1, 0, 0], at: [0, 0, 0.6], velocity: 1.5}\n"                  \
    "  j1: {revolute: [cart, crank], axis: [0, 1, 0], at: [0, 0, 0.6]}\n"                                    \
    "  j2: {revolute: [crank, coupler], axis: [0, 1, 0], at: [-0.3, 0, 0.2]}\n"                              \
    "  j3: {revolute: [cart, rocker], axis: [0, 1, 0], at: [1, 0, 0.6]}\n"                                   \
    "  j4: {revolute: [coupler, rocker], axis: [0, 1, 0], at: [0.7, 0, 0.2]}\n"
static const char planar_loop[] = HEAD "planar: xz\n" FOUR_BAR;
static const char spatial_loop[] = HEAD FOUR_BAR; // three of the five closing rows depend on the others
// A carriage drags one ball by a rod and another by a spring.
#define DRAGGED                                                                                              \
    HEAD "bodies:\n"                                                                                         \
         "  cart: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}\n"                      \
         "  arm: {mass: 1, " BALL ", pose: {position: [0.3, 0, 0.1]}}\n"                                     \
         "  ball: {mass: 1, " BALL ", pose: {position: [-0.3, 0, 0.1]}}\n"                                   \
         "joints:\n"                                                                                         \
         "  rail: {prismatic: [world, cart], axis: [1, 0, 0], at: [0, 0, 0.5]}\n"                            \
         "  hinge: {revolute: [cart, arm], axis: [0, 1, 0], at: [0, 0, 0.5]}\n"                              \
         "loads: {pull: {spring: [cart, ball], at: {cart: [0, 0, -0.1], ball: [0.02, 0, 0.05]}, "            \
         "stiffness: 400, damping: 3, length: 0.1}}\n"
static const char driven[] = DRAGGED "drives: {motor: {joint: rail, velocity: \"1 + 0.2*sin(3*t)\"}}\n";
static const char strong[] = DRAGGED "drives: {motor: {joint: rail, velocity: 1, max_force: 20000}}\n";
static const char weak[] = DRAGGED "drives: {motor: {joint: rail, velocity: 1, max_force: 2}}\n";

#define SOFT /* a ball that slides and sinks in */                                                           \
    "format: 1\nmaterials: {a: {}}\nsolver: {step: 1 ms}\n"                                                  \
    "ground: [{plane: {normal: [0, 0, 1], point: [0, 0, 0]}, material: a}]\n"                                \
    "bodies: {ball: {mass: 1, " BALL ", pose: {position: [0, 0, 0.1]}, velocity: {linear: [1, 0.3, 0]}}}\n"

// --- agreement with the stepper ----------------------------------------------------------------------------

// N f_n + B f_d of the contacts that the step ended with; needs d divisible by 4 for the second tangent.
static void stepper_force(const scene *s, const br_standard_lcp *l, double *force) {
    assert_int_equal(br_sim_contact_count(s->sim), l->p);
    for (int k = 0; k < l->p; k++) {
        const br_touch *t = &s->sim->contacts->before[k];
        char name[BR_MAX_CONTACT_NAME];
        br_sim_contact_name(s->sim, k, name, sizeof name);
        assert_string_equal(name, l->name[k]);
        assert_true(t->mu == l->mu[k]);
        const double f1 = br_vec3_dot(t->f_t, t->tangent[0]), f2 = br_vec3_dot(t->f_t, t->tangent[1]);
        for (int i = 0; i < l->m; i++)
            force[i] += l->N[i * l->p + k] * t->f_n + l->B[i * l->p * l->d + k * l->d] * f1 +
                        l->B[i * l->p * l->d + k * l->d + l->d / 4] * f2;
    }
}

static void lcp_force(const answer *a, double *force) {
    const br_standard_lcp *l = a->lcp;
    for (int i = 0; i < l->m; i++)
        for (int k = 0; k < l->p * (1 + l->d); k++)
            force[i] += (k < l->p ? l->N[i * l->p + k] : l->B[i * l->p * l->d + k - l->p]) * a->z[k];
}

static double friction_along(const answer *a, int k, int axis) {
    double sum = 0.0;
    const double *f = a->z + a->lcp->p + k * a->lcp->d;
    for (int j = 0; j < a->lcp->d; j++)
        sum += f[j] * (axis ? sin(2 * M_PI * j / a->lcp->d) : cos(2 * M_PI * j / a->lcp->d));
    return sum;
}

// How far the answer of a step is determined. A box that slides and turns on four corners is not at all: friction depends on
// how they share its weight, so two solvers may find two motions.
typedef enum determined { ANY, MOTION, FORCES } determined;

static double along(const answer *a, int k, int j, const double *v) { // B^T v
    double sum = 0.0;
    for (int i = 0; i < a->lcp->m; i++)
        sum += a->lcp->B[i * a->lcp->p * a->lcp->d + k * a->lcp->d + j] * v[i];
    return sum;
}

static double opposed(const answer *a, int k, const double *v) { // min of B^T v
    double least = INFINITY;
    for (int j = 0; j < a->lcp->d; j++) least = fmin(least, along(a, k, j, v));
    return least;
}

// The stepper's forces solve the standard form: its velocities follow from them by eq. 9, the gap closes no further than to
// zero and only there is force, and friction does the most negative work that the polygon allows (expressions 1-9).
static void solves(const scene *s, const answer *a, const double *force, double size, double speed) {
    const br_standard_lcp *l = a->lcp;
    const double *v = s->sim->v_next;
    for (int i = 0; i < l->m; i++) {
        double follows = l->v_free[i];
        for (int k = 0; k < l->m; k++) follows += l->dt * l->inverse[i * l->m + k] * force[k];
        assert_near(follows, v[i], AGREES * speed);
    }
    for (int k = 0; k < l->p; k++) {
        const br_touch *t = &s->sim->contacts->before[k];
        double approach = l->gap[k] / l->dt;
        for (int i = 0; i < l->m; i++) approach += l->N[i * l->p + k] * v[i];
        const double f1 = br_vec3_dot(t->f_t, t->tangent[0]), f2 = br_vec3_dot(t->f_t, t->tangent[1]);
        const double work = f1 * along(a, k, 0, v) + f2 * along(a, k, l->d / 4, v);
        assert_true(t->f_n >= 0.0 && approach >= -AGREES * speed);
        assert_near(t->f_n * approach, 0.0, AGREES * size * speed);
        assert_near(work, l->mu[k] * t->f_n * opposed(a, k, v), AGREES * size * speed);
        for (int j = 0; j < l->d; j++) { // inside every side, whose distance is cos(pi/d) of the radius
            const double angle = (2 * j + 1) * M_PI / l->d;
            assert_true(f1 * cos(angle) + f2 * sin(angle) <=
                        l->mu[k] * t->f_n * cos(M_PI / l->d) + AGREES * size);
        }
    }
}

static void agree(const char *name, const char *text, int before, int d, determined unique) {
    char law[32];
    snprintf(law, sizeof law, "polygon(%d)", d);
    scene s = open_text(text, law);
    steps(&s, before);
    answer a = solve(s.sim, d, 0.0, 0);
    steps(&s, 1);
    const br_standard_lcp *l = a.lcp;
    double *ours = calloc(2 * (size_t)l->m, sizeof *ours), *theirs = ours + l->m;
    lcp_force(&a, ours);
    stepper_force(&s, l, theirs);
    const double force = 1.0 + largest(theirs, NULL, l->m), speed = 1.0 + largest(s.sim->v_next, NULL, l->m);
    const double dv = largest(a.v, s.sim->v_next, l->m) / speed, df = largest(ours, theirs, l->m) / force;
    if (unique != ANY && (!(dv <= AGREES) || !(df <= AGREES)))
        fail_msg("%s after %d steps, %d directions: velocities differ by %g, forces by %g", name, before, d,
                 dv, df);
    solves(&s, &a, theirs, force, speed);
    for (int k = 0; unique == FORCES && k < l->p; k++) {
        const br_touch *t = &s.sim->contacts->before[k];
        assert_near(a.z[k], t->f_n, AGREES * force);
        assert_near(friction_along(&a, k, 0), br_vec3_dot(t->f_t, t->tangent[0]), AGREES * force);
        if (s.sim->model->settings.planar == BR_SPATIAL)
            assert_near(friction_along(&a, k, 1), br_vec3_dot(t->f_t, t->tangent[1]), AGREES * force);
    }
    free(ours);
    drop(&a);
    scene_close(&s);
}

static const struct {
    const char *name, *text;
    determined unique;
} scenes[] = {
    {"sliding_ball", sliding_ball, FORCES},
    {"sliding_box", sliding_box, MOTION},
    {"turning_box", turning_box, ANY},
    {"stuck_box", stuck_box, MOTION},
    {"rolling_ball", rolling_ball, MOTION},
    {"leaving_ball", leaving_ball, FORCES},
    {"falling_ball", falling_ball, FORCES},
    {"bouncing_ball", bouncing_ball, FORCES},
    {"many", many, ANY},
    {"pendulum", pendulum, FORCES},
    {"planar_loop", planar_loop, FORCES},
    {"spatial_loop", spatial_loop, MOTION},
    {"driven", driven, FORCES},
    {"strong", strong, FORCES},
};

static void agrees_with_the_stepper_s_polygon(void **state) {
    (void)state;
    static const int directions[] = {4, 8, 16}, before[] = {0, 1, 10, 60};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t d = 0; d < 3; d++)
            for (size_t b = 0; b < 4; b++)
                agree(scenes[i].name, scenes[i].text, before[b], directions[d], scenes[i].unique);
}

// --- the paper's claims ------------------------------------------------------------------------------------

// Three systems, four contacts, eight directions, as in Fig. 1b, when contacts carry force and slide.
static scene three_systems(void) {
    scene s = scene_open("papers/tan_liu_systems.yaml", "solver.tol=1e-13");
    steps(&s, 20);
    return s;
}

static void three_systems_have_the_paper_s_sizes(void **state) {
    (void)state;
    scene s = three_systems();
    answer a = solve(s.sim, 8, 0.0, 0);
    const br_standard_lcp *l = a.lcp;
    assert_int_equal(l->p, 4);
    assert_int_equal(l->d, 8);
    assert_int_equal(l->m, 2 + 6 + 1);
    assert_int_equal(l->n, 4 * (8 + 2));
    for (int i = 0; i < l->p * l->d; i++)
        for (int k = 0; k < l->p; k++) assert_true(l->E[i * l->p + k] == (i / l->d == k ? 1.0 : 0.0));
    drop(&a);
    scene_close(&s);
}

// A and q by eq. 15 from the parts, entry by entry; both sides are sums of a few products.
static void blocks_are_those_of_equation_15(void **state) {
    (void)state;
    scene s = three_systems();
    answer a = solve(s.sim, 8, 0.0, 0);
    const br_standard_lcp *l = a.lcp;
    const int m = l->m, p = l->p, pd = p * l->d, f = p + pd, n = l->n;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) { // no bilateral rows here: the inverse is that of M
            double sum = 0.0;
            for (int r = 0; r < m; r++) sum += l->M[i * m + r] * l->inverse[r * m + k];
            assert_near(sum, i == k ? 1.0 : 0.0, 1e-12);
        }
    for (int i = 0; i < f; i++) {
        double q = i < p ? l->gap[i] / l->dt : 0.0;
        for (int r = 0; r < m; r++) {
            const double x = i < p ? l->N[r * p + i] : l->B[r * pd + i - p];
            for (int c = 0; c < m; c++) q += x * l->inverse[r * m + c] * l->tau[c];
        }
        assert_near(l->q[i], q, 1e-12);
        for (int k = 0; k < f; k++) {
            double sum = 0.0;
            for (int r = 0; r < m; r++)
                for (int c = 0; c < m; c++)
                    sum += (i < p ? l->N[r * p + i] : l->B[r * pd + i - p]) * l->inverse[r * m + c] *
                           (k < p ? l->N[c * p + k] : l->B[c * pd + k - p]);
            assert_near(l->A[i * n + k], l->dt * sum, 1e-14);
        }
    }
    for (int k = 0; k < p; k++) {
        assert_true(l->q[f + k] == 0.0);
        for (int i = 0; i < n; i++) {
            const double row = i < p ? (i == k) * l->mu[k] : i < f ? -l->E[(i - p) * p + k] : 0.0;
            const double column = i >= p && i < f ? l->E[(i - p) * p + k] : 0.0;
            assert_true(l->A[(f + k) * n + i] == row && l->A[i * n + f + k] == column);
        }
    }
    drop(&a);
    scene_close(&s);
}

static void add_side(scene *s, const answer *a, int k, int body, double sign, double *normal, double *first) {
    const br_touch *t = &s->sim->contacts->before[k];
    double linear[3 * 9], angular[3 * 9];
    const int m = a->lcp->m;
    if (body < 0) return;
    const br_pose X = br_sim_body_pose(s->sim, body);
    br_sim_jacobian(s->sim, body, br_pose_point(br_pose_inverse(X), t->point), linear, angular);
    for (int i = 0; i < m; i++) {
        const br_vec3 J = br_vec3_of(linear[i], linear[m + i], linear[2 * m + i]);
        normal[i] += sign * br_vec3_dot(J, t->normal);
        first[i] += sign * br_vec3_dot(J, t->tangent[0]);
    }
}

// +J^T n and +J^T D for the first system of a contact, - for the second (eqs. 7, 8); directions in opposite pairs.
static void jacobians_are_plus_for_the_first_and_minus_for_the_second(void **state) {
    (void)state;
    scene s = scene_open("papers/tan_liu_systems.yaml",
                         ""); // at the start `before` holds the contacts of the state
    answer a = solve(s.sim, 8, 0.0, 0);
    const br_standard_lcp *l = a.lcp;
    assert_int_equal(l->m, 9);
    for (int k = 0; k < l->p; k++) {
        double normal[9] = {0}, first[9] = {0};
        br_contact c;
        br_sim_contact(s.sim, k, &c);
        assert_true(c.body_a >= 0 && c.body_b >= 0);
        add_side(&s, &a, k, c.body_a, 1.0, normal, first);
        add_side(&s, &a, k, c.body_b, -1.0, normal, first);
        for (int i = 0; i < 9; i++) {
            const double *B = l->B + i * l->p * l->d + k * l->d;
            assert_near(l->N[i * l->p + k], normal[i], 1e-14);
            assert_near(B[0], first[i], 1e-14);
            for (int j = 0; j < 4; j++) assert_true(B[j] == -B[j + 4]);
        }
    }
    drop(&a);
    scene_close(&s);
}

static void scaling_by_dt_leaves_forces_and_divides_lambda(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (scenes[i].unique != FORCES) continue;
        scene s = open_text(scenes[i].text, "polygon(8)");
        steps(&s, 10);
        answer plain = solve(s.sim, 8, 0.0, 0), scaled = solve(s.sim, 8, 0.0, 1);
        const br_standard_lcp *l = plain.lcp;
        const double size = 1.0 + largest(plain.z, NULL, l->n), speed = 1.0 + largest(plain.v, NULL, l->m);
        assert_near(largest(plain.v, scaled.v, l->m), 0.0, AGREES * speed);
        for (int k = 0; k < l->p; k++) {
            assert_near(plain.z[k], scaled.z[k], AGREES * size);
            for (int axis = 0; axis < 2; axis++)
                assert_near(friction_along(&plain, k, axis), friction_along(&scaled, k, axis), AGREES * size);
            if (plain.z[k] > 0.0) // of an open contact lambda may be anything large enough
                assert_near(plain.z[l->p * (1 + l->d) + k], l->dt * scaled.z[l->p * (1 + l->d) + k],
                            AGREES * speed);
        }
        drop(&plain), drop(&scaled);
        scene_close(&s);
    }
}

// The shift changes forces, in proportion to epsilon while the same directions carry force.
static void shifting_the_diagonal_changes_forces_in_proportion(void **state) {
    (void)state;
    static const double epsilon[] = {1e-8, 1e-6, 1e-4};
    scene s = three_systems();
    answer plain = solve(s.sim, 8, 0.0, 0);
    double change[3];
    for (int i = 0; i < 3; i++) {
        answer a = solve(s.sim, 8, epsilon[i], 0);
        change[i] = largest(a.z, plain.z, a.lcp->p * 9) / largest(plain.z, NULL, a.lcp->p * 9);
        drop(&a);
    }
    for (int i = 0; i < 3; i++) { // 7.35e-1 epsilon; 1e-3: the term of second order at 1e-4, rounding at 1e-8
        assert_near(change[i] / epsilon[i], change[1] / epsilon[1], 1e-3);
        assert_true(change[i] > 0.1 * epsilon[i] && change[i] < 10.0 * epsilon[i]);
    }
    drop(&plain);
    scene_close(&s);
}

// lambda = -min(B^T q'), and friction is mu f_n on the direction that opposes sliding most: expressions 4-9.
static void in_sliding_friction_is_on_the_most_opposed_direction(void **state) {
    (void)state;
    int slides = 0;
    for (int i = 0; i < 3; i++) {
        scene s = i == 0 ? three_systems() : open_text(i == 1 ? sliding_box : sliding_ball, "polygon(8)");
        answer a = solve(s.sim, 8, 0.0, 0);
        const br_standard_lcp *l = a.lcp;
        for (int k = 0; k < l->p; k++) {
            const double *f = a.z + l->p + k * l->d, least = opposed(&a, k, a.v);
            if (!(a.z[k] > 0.0) || !(least < -1e-3)) continue;
            slides++;
            assert_near(a.z[l->p * (1 + l->d) + k], -least, 1e-12);
            for (int j = 0; j < l->d; j++)
                assert_near(f[j], along(&a, k, j, a.v) - least < 1e-12 ? l->mu[k] * a.z[k] : 0.0,
                            1e-10 * a.z[k]);
        }
        drop(&a);
        scene_close(&s);
    }
    assert_true(slides >= 6);
}

static void answers_are_complementary(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene s = open_text(scenes[i].text, "polygon(8)");
        answer a = solve(s.sim, 8, 0.0, 0);
        const int n = a.lcp->n;
        const double z = 1.0 + largest(a.z, NULL, n), w = 1.0 + largest(a.w, NULL, n);
        for (int r = 0; r < n; r++) {
            double sum = a.lcp->q[r];
            for (int k = 0; k < n; k++) sum += a.lcp->A[r * n + k] * a.z[k];
            assert_near(a.w[r], sum, 1e-12 * w);
            assert_true(a.z[r] >= -1e-12 * z && a.w[r] >= -1e-12 * w &&
                        fabs(a.z[r] * a.w[r]) <= 1e-12 * z * w);
        }
        drop(&a);
        scene_close(&s);
    }
}

// --- around it ---------------------------------------------------------------------------------------------

// In the paper expression 2 has no gap; the preset `paper` neither. By default a ball may come as near as the ground.
static void gaps_are_in_q_except_for_the_preset(void **state) {
    (void)state;
    static const char preset[] =
        "contact: {paper: true}\nformat: 1\nmaterials: {a: {}}\npairs: {a/a: {mu: 0.5}}\n"
        "ground: [{plane: {normal: [0, 0, 1], point: [0, 0, 0]}, material: a}]\nsolver: {step: 1 ms}\n"
        "bodies: {ball: {mass: 1, " BALL
        ", pose: {position: [0, 0, 0.1004]}, velocity: {linear: [1, 0.5, -1]}}}\n";
    scene near = open_text(falling_ball, "polygon(8)"), printed = open_text(preset, NULL);
    answer a = solve(near.sim, 8, 0.0, 0), b = solve(printed.sim, 8, 0.0, 0);
    assert_near(a.lcp->gap[0], 4e-4, 1e-15);
    assert_near(a.v[2], -4e-4 / 1e-3, 1e-12);
    assert_true(b.lcp->gap[0] == 0.0);
    assert_near(b.v[2], 0.0, 1e-12);
    drop(&a), drop(&b);
    scene_close(&near), scene_close(&printed);
}

// Newton's restitution is in gap: N^T q' >= e times the approach. Static and kinetic coefficients by the speed at the start.
static void restitution_and_kinetic_coefficient_are_the_stepper_s(void **state) {
    (void)state;
    scene s = open_text(bouncing_ball, "polygon(8)");
    answer a = solve(s.sim, 8, 0.0, 0);
    assert_near(a.v[2], 0.6, 1e-12);
    assert_true(a.lcp->mu[0] == 0.3);
    drop(&a);
    scene_close(&s);
}

// A compliant contact is linearized about the answer: linear laws agree to rounding; the stepper's passes end at 1e-7 of the
// others' forces.
static void compliant_contacts_agree_with_the_stepper(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double tolerance;
    } laws[] = {{"{law: linear, stiffness: 1e5, damping: 30}", AGREES},
                {"{law: hertz, stiffness: 1e7, damping: 10}", 1e-7},
                {"{law: hunt_crossley, stiffness: 1e7, damping: 0.3}", 1e-7}};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%spairs: {a/a: {mu: 0.5, compliance: %s}}\n", SOFT, laws[i].law);
        for (int before = 0; before < 40; before += 13) {
            scene s = open_text(text, "polygon(8)");
            steps(&s, before);
            answer a = solve(s.sim, 8, 0.0, 0);
            assert_true(a.lcp->compliance[0] > 0.0);
            steps(&s, 1);
            const br_touch *t = &s.sim->contacts->before[0];
            assert_true(before == 0 || t->f_n > 0.0);
            assert_near(a.z[0], t->f_n, laws[i].tolerance * (1.0 + t->f_n));
            assert_near(largest(a.v, s.sim->v_next, 6), 0.0, laws[i].tolerance);
            drop(&a);
            scene_close(&s);
        }
    }
}

static void without_contacts_there_is_only_the_free_motion(void **state) {
    (void)state;
    scene s =
        open_text("format: 1\nsolver: {step: 1 ms}\nbodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n", NULL);
    answer a = solve(s.sim, 8, 0.0, 0);
    assert_int_equal(a.lcp->n, 0);
    assert_near(a.v[2], -9.81e-3, 1e-15);
    drop(&a);
    scene_close(&s);
}

static void the_simulation_goes_on_with_the_same_bits(void **state) {
    (void)state;
    static const char *const laws[] = {"polygon(8)", "cone 0.5", "bristle"};
    for (size_t i = 0; i < 3 * sizeof scenes / sizeof *scenes; i++) {
        scene asked = open_text(scenes[i / 3].text, laws[i % 3]),
              left = open_text(scenes[i / 3].text, laws[i % 3]);
        const br_sim *x = asked.sim, *y = left.sim;
        for (int k = 0; k < 8; k++) {
            const br_ledger before = br_sim_ledger(x);
            answer a = solve(asked.sim, 16, 0.0, 0);
            drop(&a);
            const br_ledger after = br_sim_ledger(x);
            assert_memory_equal(&before, &after, sizeof before);
            steps(&asked, 1), steps(&left, 1);
            assert_memory_equal(br_sim_v(x), br_sim_v(y), (size_t)x->model->tree.nv * sizeof(double));
            assert_memory_equal(br_sim_q(x), br_sim_q(y), (size_t)x->model->tree.nq * sizeof(double));
            assert_int_equal(x->contacts->kept->count, y->contacts->kept->count);
            for (int c = 0; c < x->contacts->kept->count; c++)
                assert_true(x->contacts->before[c].f_n == y->contacts->before[c].f_n);
        }
        scene_close(&asked), scene_close(&left);
    }
}

static void refused(const char *text, int directions, const char *code, const char *word) {
    scene s = open_text(text, NULL);
    br_standard_lcp *lcp = NULL;
    br_error error = {0};
    assert_true(br_sim_standard_lcp(s.sim, directions, &lcp, &error) != BR_OK);
    assert_string_equal(error.code, code);
    if (!strstr(error.message, word)) fail_msg("'%s' is not in: %s", word, error.message);
    assert_null(lcp);
    scene_close(&s);
}

static void odd_or_too_few_directions_are_named(void **state) {
    (void)state;
    refused(sliding_ball, 5, "lcp-directions", "5");
    refused(sliding_ball, 2, "lcp-directions", "2");
    refused(sliding_ball, 66, "lcp-directions", "66");
    refused(sliding_ball, -8, "lcp-directions", "-8");
}

#define ARM                                                                                                  \
    HEAD                                                                                                     \
        "bodies: {arm: {mass: 1, " BALL ", pose: {position: [0.5, 0, 0.1]}}}\n"                              \
        "joints: {hinge: {revolute: [world, arm], axis: [0, 1, 0], at: [0, 0, 0.3], limits: [LOW, HIGH]}}\n"
static void replace(char *text, size_t size, const char *from, const char *low, const char *high) {
    const char *a = strstr(from, "LOW"), *b = strstr(from, "HIGH");
    snprintf(text, size, "%.*s%s%.*s%s%s", (int)(a - from), from, low, (int)(b - a - 3), a + 3, high, b + 4);
}

static void rows_that_the_form_has_no_place_for_are_named(void **state) {
    (void)state;
    char text[1024];
    replace(text, sizeof text, ARM, "-1", "1"); // far away: not active
    scene s = open_text(text, "polygon(8)");
    answer a = solve(s.sim, 8, 0.0, 0);
    drop(&a);
    scene_close(&s);
    // The arm hangs from its stop, a tenth of a millimetre above the ground.
    replace(text, sizeof text, ARM, "-1", "0");
    char *z = strstr(text, "0.5, 0, 0.1]");
    memcpy(z, "0.5, 0, .11]", 12);
    refused(text, 8, "lcp-rows", "hinge");
    refused(weak, 8, "lcp-rows", "motor");
    refused(SOFT "pairs: {a/a: {mu: 0.5, rolling: 0.01}}\n", 8, "lcp-rows", "rolling");
}

static void too_many_rows_are_named(void **state) {
    (void)state;
    enum { BALLS = 70 }; // times 64 + 2
    char *text = malloc(BALLS * 200 + 400);
    size_t at = (size_t)sprintf(text, "%sbodies:\n", HEAD);
    for (int k = 0; k < BALLS; k++)
        at +=
            (size_t)sprintf(text + at, "  b%d: {mass: 1, " BALL ", pose: {position: [%d, 0, 0.1]}}\n", k, k);
    refused(text, 64, "lcp-size", "70 contacts");
    free(text);
    br_standard_lcp large = {.m = 1, .p = 1000, .d = 8, .n = 10000};
    const br_standard_options bad = {-1.0, 0}, plain = {0.0, 0};
    br_solve_report report;
    br_error error = {0};
    assert_int_equal(br_standard_lcp_solve(&large, &plain, NULL, NULL, NULL, &report, &error), BR_TOO_LARGE);
    assert_string_equal(error.code, "lcp-size");
    large.p = large.n = 0;
    assert_int_equal(br_standard_lcp_solve(&large, &bad, NULL, NULL, NULL, &report, &error), BR_INVALID);
    assert_string_equal(error.code, "lcp-epsilon");
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    int done = 0;
    for (long k = 1; !done; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, 0);
        const br_standard_options plain = {0.0, 0};
        br_error error = {0};
        scene s;
        br_standard_lcp *lcp = NULL;
        br_solve_report report;
        double z[200], w[200], v[20];
        fine(read_text(spatial_loop, "polygon(8)", &allocator, &s, &error), &error);
        counter.fail_at = counter.calls + k;
        br_status status = br_sim_standard_lcp(s.sim, 8, &lcp, &error);
        if (status == BR_OK) status = br_standard_lcp_solve(lcp, &plain, z, w, v, &report, &error);
        done = counter.failed == 0;
        assert_int_equal(status, done ? BR_OK : BR_NO_MEMORY);
        counter.fail_at = 0;
        steps(&s, 1); // nothing is the worse for it
        br_standard_lcp_free(lcp);
        scene_close(&s);
        assert_int_equal(counter.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_stepper_s_polygon),
        cmocka_unit_test(three_systems_have_the_paper_s_sizes),
        cmocka_unit_test(blocks_are_those_of_equation_15),
        cmocka_unit_test(jacobians_are_plus_for_the_first_and_minus_for_the_second),
        cmocka_unit_test(scaling_by_dt_leaves_forces_and_divides_lambda),
        cmocka_unit_test(shifting_the_diagonal_changes_forces_in_proportion),
        cmocka_unit_test(in_sliding_friction_is_on_the_most_opposed_direction),
        cmocka_unit_test(answers_are_complementary),
        cmocka_unit_test(gaps_are_in_q_except_for_the_preset),
        cmocka_unit_test(restitution_and_kinetic_coefficient_are_the_stepper_s),
        cmocka_unit_test(compliant_contacts_agree_with_the_stepper),
        cmocka_unit_test(without_contacts_there_is_only_the_free_motion),
        cmocka_unit_test(the_simulation_goes_on_with_the_same_bits),
        cmocka_unit_test(odd_or_too_few_directions_are_named),
        cmocka_unit_test(rows_that_the_form_has_no_place_for_are_named),
        cmocka_unit_test(too_many_rows_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
