// The tangent of clearance joints in the implicit stepper against differences of their forces: every kind of race, contact law
// and friction law, both schemes, both bodies free to move and turned far over the step.
#include <string.h>

#include "base/arena.h"
#include "random.h"
#include "sim/stepper/implicit/implicit.h"
#include "small_models.h"

enum { POSES = 6 };

// Lengths: the clearance is 0.5 mm, contacts are up to 50 um deep.
static const double outer = 50e-3, inner = 49.5e-3;
static const double step = 0.1; // long: turned far at velocities that the laws still feel

typedef struct rig {
    small_model s;
    br_implicit *f;
    br_element *e;
} rig;

static const double table_depth[] = {0.0, 1e-5, 1e-4}, table_force[] = {0.0, 100.0, 2000.0};

typedef struct choice {
    const char *contact;
    br_friction_law friction;
    const char *shape;
} choice;

static br_clearance_def clearance_of(br_clearance_type type, const choice *c, br_pose X_AF, br_pose X_BM) {
    br_clearance_def def = br_default_clearance_def();
    def.name = "play", def.type = type, def.first = "a", def.second = "b";
    def.X_AF = X_AF, def.X_BM = X_BM;
    def.outer_radius = outer, def.inner_radius = inner;
    def.law = c->contact;
    def.stiffness = strcmp(c->contact, "linear") == 0 ? 15e6 : 1e10;
    // Small against the spring: where both would pull, the force is zero and has no derivative to check.
    def.damping = strcmp(c->contact, "hunt_crossley") == 0 ? 0.05
                  : strcmp(c->contact, "linear") == 0      ? 20.0
                                                           : 0.02;
    def.restitution = 0.7;
    if (strcmp(c->contact, "table") == 0) {
        def.table_depth = table_depth, def.table_force = table_force, def.table_count = 3;
        def.stiffness = def.damping = 0.0;
    }
    def.friction.law = c->friction, def.friction.shape = c->shape;
    if (c->friction != BR_FRICTION_NONE) {
        // Slow enough laws that a difference of 1e-7 m is small against them.
        def.friction.mu_static = 0.4, def.friction.mu_kinetic = 0.3;
        def.friction.v_slope = 0.2;
        def.friction.v_stribeck = 0.3;
        def.friction.sigma_0 = 20.0;
        if (c->friction == BR_FRICTION_LUGRE) def.friction.sigma_1 = 0.5, def.friction.sigma_2 = 0.02;
    }
    return def;
}

static rig rig_of(br_clearance_type type, const choice *c, int decaying, rng *r) {
    rig g = {.s = small_begin(BR_STEPPER_IMPLICIT)};
    br_error error = {0};
    g.s.settings.planar = type == BR_CLEARANCE_PLANAR ? BR_PLANAR_XY : BR_SPATIAL;
    g.s.settings.solver.step = step;
    g.s.settings.solver.energy_decaying = decaying;
    small_block(&g.s, "a", br_vec3_zero());
    small_block(&g.s, "b", br_vec3_zero());
    const int flat = type == BR_CLEARANCE_PLANAR; // axes along the normal as given; the poses below are not
    br_pose X_AF = rng_pose(r, 0.2), X_BM = rng_pose(r, 0.2);
    if (flat) X_AF.rotation = X_BM.rotation = br_quat_identity();
    const br_clearance_def def = clearance_of(type, c, X_AF, X_BM);
    small_check(br_builder_clearance(g.s.builder, &def, &error), &error);
    small_end(&g.s);
    small_check(br_implicit_create(g.s.sim, &error), &error);
    g.f = g.s.sim->implicit;
    br_implicit_scheme(g.f, step);
    g.e = &g.f->element[g.f->first_clearance];
    assert_ptr_equal(g.e->kind, &br_element_clearance);
    return g;
}

// Nodes at both ends of a step, the races `u` apart, L's axis tilted by `tilt` against K's.
static void place(rig *g, br_pose X_AF, br_pose X_BM, br_quat q_a, br_vec3 x_a, br_vec3 u, br_vec3 tilt,
                  int end) {
    br_node *a = &g->f->node[0], *b = &g->f->node[1];
    const br_quat race = br_quat_mul(br_quat_exp(tilt), br_quat_mul(q_a, X_AF.rotation));
    const br_quat q_b = br_quat_normalize(br_quat_mul(race, br_quat_conjugate(X_BM.rotation)));
    const br_vec3 centre = br_vec3_add(br_vec3_add(x_a, br_quat_rotate(q_a, X_AF.position)), u);
    const br_vec3 x_b = br_vec3_sub(centre, br_quat_rotate(q_b, X_BM.position));
    if (end) {
        a->q1 = q_a, a->x1 = x_a, b->q1 = q_b, b->x1 = x_b;
    } else {
        a->start->q = q_a, a->start->x = x_a, b->start->q = q_b, b->start->x = x_b;
        a->R0 = br_quat_to_mat3(q_a), b->R0 = br_quat_to_mat3(q_b);
    }
}

// The offset that presses the races `depth` into each other, about along d.
static br_vec3 offset(br_vec3 d, double depth) {
    return br_vec3_scale(outer - inner + depth, br_vec3_normalize(d));
}

static void random_step(rig *g, br_clearance_type type, rng *r, int opens) {
    const br_model_clearance *def = &g->s.model->clearance[0];
    const br_quat q0 = rng_rotation(r), q1 = br_quat_mul(br_quat_exp(rng_vec3(r, 0.4)), q0);
    const br_vec3 x0 = rng_vec3(r, 0.3), x1 = br_vec3_add(x0, rng_vec3(r, 0.02));
    // across K's axis, turning with it
    const br_vec3 across = type == BR_CLEARANCE_SPHERICAL
                               ? rng_vec3(r, 1.0)
                               : br_vec3_of(rng_uniform(r, -1, 1), rng_uniform(r, -1, 1), 0);
    const double turn = rng_uniform(r, -0.3, 0.3);
    const br_vec3 across_1 = br_quat_rotate(br_quat_exp(br_vec3_of(0, 0, turn)), across);
    const br_quat F0 = br_quat_mul(q0, def->X_AF.rotation), F1 = br_quat_mul(q1, def->X_AF.rotation);
    const double size =
        type == BR_CLEARANCE_SPATIAL ? 0.01 : 1.0; // of the tilt, rad: a disk opens by up to 8 um
    const br_vec3 d0 = br_quat_rotate(F0, across), d1 = br_quat_rotate(F1, across_1);
    const double in0 = opens ? -2e-5 : rng_uniform(r, 1e-5, 5e-5);
    place(g, def->X_AF, def->X_BM, q0, x0, offset(d0, in0), rng_vec3(r, size), 0);
    place(g, def->X_AF, def->X_BM, q1, x1, offset(d1, rng_uniform(r, 1e-5, 5e-5)), rng_vec3(r, size), 1);
    for (int i = 0; i < 2; i++) {
        br_node *n = &g->f->node[i];
        n->u0 = rng_vec3(r, 0.5), n->w0 = rng_vec3(r, 1.0);
        n->start->a = n->start->b = rng_vec3(r, 1.0), n->start->alpha = n->start->beta = rng_vec3(r, 1.0);
    }
    // States: hint, bristles, approach; see the enum of element_clearance.c.
    memset(g->e->state, 0, (size_t)g->e->states * sizeof *g->e->state);
    g->e->kind->begin(g->f, g->e);
    const br_vec3 n = br_vec3_of(g->e->state[0], g->e->state[1], g->e->state[2]);
    const br_vec3 z = br_vec3_cross(n, rng_vec3(r, 0.01));
    const double put[3] = {z.x, z.y, z.z};
    memcpy(g->e->state + 3, put, sizeof put);
    g->e->state[6] = 1.0; // faster than any rate here: its law has a corner at twice that
}

static void forces(rig *g, double *out) {
    br_implicit *f = g->f;
    for (int b = 0; b < BR_BOOKS; b++) memset(f->book[b], 0, (size_t)f->nodes * sizeof *f->book[b]);
    br_implicit_look(f);
    g->e->kind->evaluate(f, g->e);
    memset(out, 0, 12 * sizeof *out);
    for (int b = 0; b < BR_BOOKS; b++)
        for (int i = 0; i < 2; i++) {
            const br_wrench F = f->book[b][i];
            const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
            for (int k = 0; k < 6; k++) out[6 * i + k] += part[k];
        }
}

static void moved(rig *g, int column, double by, double *out) {
    br_node *n = &g->f->node[column / 6], keep = *n;
    const br_vec3 d = br_vec3_scale(by, br_vec3_unit(column % 3));
    if (column % 6 < 3)
        n->x1 = br_vec3_add(n->x1, d);
    else
        n->q1 = br_quat_normalize(br_quat_mul(br_quat_exp(d), n->q1));
    forces(g, out);
    *n = keep;
}

// Largest difference of the tangent from fourth-order differences, over the largest entry of its block of
// derivatives (forces by moves, ...), which all have one unit.
static double worst_difference(rig *g) {
    br_implicit *f = g->f;
    double F[12], at[4][12], own[12][12], real[12][12], worst = 0.0;
    f->tangent = 1;
    br_block_clear(f->matrix);
    forces(g, F);
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++) {
            const br_block_ref *ref = &g->e->ref[(r / 6) * g->e->slots + c / 6];
            own[r][c] = -ref->value[(r % 6) * ref->row_stride + (c % 6) * ref->col_stride] / f->scale;
        }
    f->tangent = 0;
    for (int c = 0; c < 12; c++) {
        // A turn moves the contact by its arm of 0.2 m.
        const double e = c % 6 < 3 ? 2e-7 : 1e-6;
        moved(g, c, -2 * e, at[0]), moved(g, c, -e, at[1]), moved(g, c, e, at[2]), moved(g, c, 2 * e, at[3]);
        for (int r = 0; r < 12; r++)
            real[r][c] = (at[0][r] - 8 * at[1][r] + 8 * at[2][r] - at[3][r]) / (12 * e);
    }
    for (int p = 0; p < 4; p++) {
        double size = 0.0, off = 0.0;
        for (int r = 0; r < 12; r++)
            for (int c = 0; c < 12; c++) {
                if ((r % 6 >= 3) != p / 2 || (c % 6 >= 3) != p % 2) continue;
                size = fmax(size, fabs(real[r][c])), off = fmax(off, fabs(real[r][c] - own[r][c]));
            }
        assert_true(size > 0.0);
        worst = fmax(worst, off / size);
    }
    return worst;
}

static const choice choices[] = {
    {"linear", BR_FRICTION_NONE, NULL},
    {"hertz", BR_FRICTION_NONE, NULL},
    {"hunt_crossley", BR_FRICTION_NONE, NULL},
    {"lankarani_nikravesh", BR_FRICTION_NONE, NULL},
    {"table", BR_FRICTION_NONE, NULL},
    {"linear", BR_FRICTION_LUGRE, NULL},
    {"hunt_crossley", BR_FRICTION_LUGRE, NULL},
    {"hertz", BR_FRICTION_DAHL, NULL},
    {"linear", BR_FRICTION_BRISTLE, NULL},
    {"linear", BR_FRICTION_SMOOTH, "tanh"},
    {"linear", BR_FRICTION_SMOOTH, "arctan"},
    {"linear", BR_FRICTION_SMOOTH, "exponential"},
    {"linear", BR_FRICTION_SMOOTH, "stribeck_smooth"},
    {"table", BR_FRICTION_SMOOTH, "piecewise"},
    {"lankarani_nikravesh", BR_FRICTION_SMOOTH, "saturation"},
};

// Differences lose 1e-8 to rounding and as much to their own order; a missing term is 1e-3 and more.
static void tangent_is_the_derivative(br_clearance_type type) {
    for (int decaying = 0; decaying < 2; decaying++)
        for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
            rng r = {100 * (uint64_t)type + k};
            double worst = 0.0;
            rig g = rig_of(type, &choices[k], decaying, &r);
            for (int pose = 0; pose < POSES; pose++) {
                random_step(&g, type, &r, pose % 3 == 2);
                worst = fmax(worst, worst_difference(&g));
            }
            print_message("%s, %s, friction %d %s, %s: %.1e\n", br_clearance_type_name(type),
                          choices[k].contact, (int)choices[k].friction,
                          choices[k].shape ? choices[k].shape : "", decaying ? "energy_decaying" : "alpha",
                          worst);
            assert_true(worst < 1e-6);
            small_free(&g.s);
        }
}

static void planar_tangent_is_the_derivative(void **state) {
    (void)state;
    tangent_is_the_derivative(BR_CLEARANCE_PLANAR);
}

static void spherical_tangent_is_the_derivative(void **state) {
    (void)state;
    tangent_is_the_derivative(BR_CLEARANCE_SPHERICAL);
}

static void spatial_tangent_is_the_derivative(void **state) {
    (void)state;
    tangent_is_the_derivative(BR_CLEARANCE_SPATIAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_tangent_is_the_derivative),
        cmocka_unit_test(spherical_tangent_is_the_derivative),
        cmocka_unit_test(spatial_tangent_is_the_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
