// Armature: inertia I of what turns or moves with a joint's own coordinate alone, a rotor behind its gear.
//
//     alpha      I b along the coordinate, b by Newmark's formulas from its change over the step
//     decaying   I (y'_1 - y'_0)/h, y'_1 = 2 (y_1 - y_0)/h - y'_0: the work over the step is the change of I y'^2/2
//
// Of a ball joint there is no y: the three y' are the components of its angular velocity along M's axes, at the step's start and end, and
// the work is along their mean: where F turns as well it is off by a third-order defect, which is the scheme's.
#include "sim/stepper/implicit/element_armature.h"

enum { POSITION = 0, ACCELERATION, TRUE_ACCELERATION, STARTED, STATES };

typedef struct armature {
    double inertia;
    br_ends ends;
    br_measured what;
    double v0;     // of the step's start
    double a1, b1; // of the last evaluation
    double defect; // of the last one of a step: work beyond the change of I y'^2/2, J
} armature;

static int spins(const armature *p) {
    return p->what.kind == BR_MEASURE_SPIN;
}

// The coordinate at the step's start or end by itself.
static br_measure measure_at(br_implicit *f, const armature *p, int end, double near) {
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    const br_mat3 R_a = end ? a->R1 : a->R0, R_b = end ? b->R1 : b->R0;
    br_span s;
    s.E = s.E1 = br_mat3_mul(R_a, p->ends.Q_a), s.N = s.N1 = br_mat3_mul(R_b, p->ends.Q_b);
    s.r_a = s.r_a1 = br_mat3_mul_vec(R_a, p->ends.p_a), s.r_b = s.r_b1 = br_mat3_mul_vec(R_b, p->ends.p_b);
    s.d = s.d1 = br_vec3_sub(br_vec3_add(end ? b->x1 : b->start->x, s.r_b),
                             br_vec3_add(end ? a->x1 : a->start->x, s.r_a));
    return br_measure_of(f, &s, &p->what, near);
}

static double along(br_mat3 R, br_wrench G, br_vec3 linear, br_vec3 angular_link) {
    return br_vec3_dot(G.force, linear) + br_vec3_dot(G.torque, br_mat3_mul_vec(R, angular_link));
}

static void armature_begin(br_implicit *f, br_element *e) {
    armature *p = e->data;
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    const br_measure m = measure_at(f, p, 0, e->state[POSITION]);
    p->v0 = along(a->R0, m.G_a1, a->u0, a->w0) + along(b->R0, m.G_b1, b->u0, b->w0);
    e->state[POSITION] = m.y1;
    if (e->state[STARTED] == 0.0)
        e->state[ACCELERATION] = e->state[TRUE_ACCELERATION] =
            along(a->R0, m.G_a1, a->start->b, a->start->beta) +
            along(b->R0, m.G_b1, b->start->b, b->start->beta);
}

static double velocity_at_end(br_implicit *f, const armature *p) {
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    const br_measure m = measure_at(f, p, 1, 0.0);
    return along(a->R1, m.G_a1, a->u1, a->w1) + along(b->R1, m.G_b1, b->u1, b->w1);
}

// What the coordinate's change over the step changes by, with a move of each end: G at the end, or of what spins its mean velocity.
static void change_by(br_implicit *f, const armature *p, const br_measure *m, br_wrench by[2]) {
    by[0] = m->G_a1, by[1] = m->G_b1;
    if (!spins(p) || f->instant) return;
    br_measure_rate_by(f, &p->ends, m, &by[0], &by[1]);
    for (int k = 0; k < 2; k++) by[k] = br_wrench_scale(1.0 / f->rate_move, by[k]);
}

static void armature_evaluate(br_implicit *f, br_element *e) {
    armature *p = e->data;
    if (f->still) return;
    const br_span s = br_span_of(f, &p->ends);
    const br_measure m = br_measure_of(f, &s, &p->what, e->state[POSITION]);
    const double h = f->h, rate = spins(p) ? br_measure_rate(f, &p->ends, &m) : 0.0;
    const double move = spins(p) ? h * rate : m.y1 - e->state[POSITION];
    double force = 0.0;
    if (!f->instant && f->decaying) {
        force = p->inertia * 2.0 * (move / h - p->v0) / h;
        if (spins(p)) {
            const double v1 = velocity_at_end(f, p);
            force = p->inertia * (v1 - p->v0) / h;
            p->defect = force * move - 0.5 * p->inertia * (v1 * v1 - p->v0 * p->v0);
        }
    } else if (!f->instant) {
        p->a1 = (move / h - p->v0 - (0.5 - f->beta) * h * e->state[ACCELERATION]) / (f->beta * h);
        if (spins(p)) p->a1 = (rate - p->v0 - (1.0 - f->gamma) * h * e->state[ACCELERATION]) / (f->gamma * h);
        p->b1 = ((1.0 - f->alpha_m) * p->a1 + f->alpha_m * e->state[ACCELERATION] -
                 f->alpha_f * e->state[TRUE_ACCELERATION]) /
                (1.0 - f->alpha_f);
        force = p->inertia * p->b1;
    }
    const br_wrench G[2] = {m.G_a, m.G_b};
    br_wrench end[2];
    change_by(f, p, &m, end);
    const int node[2] = {p->ends.a, p->ends.b};
    for (int a = 0; a < 2; a++)
        if (node[a] >= 0)
            f->inertia[node[a]] = br_wrench_add(f->inertia[node[a]], br_wrench_scale(force, G[a]));
    if (!f->tangent) return;
    const double mass = p->inertia * f->mass_move;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            br_tangent_mass(f, e, a, 0, b, 0, br_mat3_scale(mass, br_mat3_outer(G[a].force, end[b].force)));
            br_tangent_mass(f, e, a, 0, b, 3, br_mat3_scale(mass, br_mat3_outer(G[a].force, end[b].torque)));
            br_tangent_mass(f, e, a, 3, b, 0, br_mat3_scale(mass, br_mat3_outer(G[a].torque, end[b].force)));
            br_tangent_mass(f, e, a, 3, b, 3, br_mat3_scale(mass, br_mat3_outer(G[a].torque, end[b].torque)));
        }
    br_measure_tangent(f, e, 0, 1, &s, &p->what, -force);
}

static void accept(br_implicit *f, br_element *e) {
    const armature *p = e->data;
    if (!f->decaying) e->state[ACCELERATION] = p->a1, e->state[TRUE_ACCELERATION] = p->b1;
    f->defect += p->defect;
    e->state[STARTED] = 1.0;
}

static double armature_kinetic(br_implicit *f, const br_element *e) {
    const armature *p = e->data;
    const double v = velocity_at_end(f, p);
    return 0.5 * p->inertia * v * v;
}

const br_element_kind br_element_armature = {
    .name = "armature",
    .begin = armature_begin,
    .evaluate = armature_evaluate,
    .accept = accept,
    .kinetic = armature_kinetic,
    .is = BR_ELEMENT_UNSWAYED, // it is a part of the mass matrix
};

br_status br_elements_armatures(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    (void)error;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        for (int k = 0; joint->kind && joint->link >= 0 && k < joint->kind->nv; k++) {
            if (joint->armature[k] == 0.0) continue;
            armature *p = BR_TAKE(f->arena, armature, 1);
            if (!p) return BR_NO_MEMORY;
            p->inertia = joint->armature[k];
            p->ends = br_ends_of(f, joint->first, joint->second, joint->X_AF, joint->X_BM);
            br_measured_coordinate(joint, k, &p->what);
            const int nodes[2] = {p->ends.a, p->ends.b};
            br_element *e = br_element_add(f, &br_element_armature, j, nodes, 2, -1, 0, STATES);
            if (!e) return BR_NO_MEMORY;
            e->data = p;
        }
    }
    return BR_OK;
}
