// Beam elements in the implicit stepper: elasticity and damping from flex/beam.h, mass of the sections.
//
//     alpha      stress = C (strain + damping D rate)                                    force = -l D^T stress
//     decaying   stress = C ((e_0 + e_1)/2 + (chi/2 + damping/h) (e_1 - e_0)), D discrete: D (dx, turn) = e_1 - e_0, so
//                the elastic part does exactly the work -(V_1 - V_0); chi and damping take l (chi/2 + damping/h) |e_1 - e_0|^2_C
//
// chi, the scheme's own dissipation, grows with h times the element's highest frequency: second order for small h.
#include <string.h>

#include "sim/stepper/implicit/element_beam.h"
#include "sim/stepper/implicit/implicit.h"

typedef struct beam {
    br_beam_element e; // positions from the nodes' centres of mass
    double damping, frequency;
    br_mat3 J[2]
             [2]; // [k][j]: angular momentum of node k from the angular velocity of j, axes of k; k != j used
    double strain_0[6];          // of the step's start
    double strain[6], stress[6]; // of the last evaluation, and
    br_wrench push[2];           // what it did to the nodes, world axes, about their centres of mass
    // Of the iteration before, for the stress that it led to expect.
    int iterated;
    br_beam_ends last;
    double last_strain[6], last_D[6][12];
} beam;

static void ends_of(br_implicit *f, const br_element *e, int start, br_beam_ends *out) {
    for (int k = 0; k < 2; k++) {
        const br_node *n = &f->node[e->slot[k].node];
        out->x[k] = start ? n->start->x : n->x1;
        out->R[k] = start ? n->R0 : n->R1;
    }
}

static void beam_begin(br_implicit *f, br_element *e) {
    beam *b = e->data;
    br_beam_ends at;
    ends_of(f, e, 1, &at);
    br_beam_strain(&b->e, &at, b->strain_0);
    b->iterated = 0;
}

// --- mass --------------------------------------------------------------------------------------------------

static void couple(br_implicit *f, br_element *e, int k) {
    const beam *b = e->data;
    br_node *own = &f->node[e->slot[k].node], *other = &f->node[e->slot[1 - k].node];
    const br_mat3 J = b->J[k][1 - k];
    const br_vec3 L1 = br_mat3_mul_vec(J, other->w1);
    br_wrench *out = &f->inertia[e->slot[k].node];
    br_vec3 torque = br_vec3_cross(own->w1, L1);
    if (f->still) return;
    if (f->instant) {
        out->torque = br_vec3_add(out->torque, br_mat3_mul_vec(own->R1, torque));
    } else if (f->decaying) {
        const br_vec3 L0 = br_mat3_mul_vec(J, other->w0);
        out->torque = br_vec3_add_scaled(
            out->torque, 1.0 / f->h, br_vec3_sub(br_mat3_mul_vec(own->R1, L1), br_mat3_mul_vec(own->R0, L0)));
    } else {
        torque = br_vec3_add(br_mat3_mul_vec(J, other->beta1), torque);
        out->torque = br_vec3_add(out->torque, br_mat3_mul_vec(own->R1, torque));
    }
    if (!f->tangent) return;
    br_tangent_mass(f, e, k, 3, 1 - k, 3, br_inertia_by(f, own, other, J));
    br_tangent_mass(f, e, k, 3, k, 3, br_inertia_by_own(f, own, L1, torque));
}

// --- elasticity --------------------------------------------------------------------------------------------

static void push_stress(br_implicit *f, const br_element *e, double D[6][12], const double *stress,
                        double length, br_book book) {
    double F[12] = {0.0};
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 12; c++) F[c] -= length * stress[i] * D[i][c];
    for (int k = 0; k < 2; k++) {
        const br_wrench push = br_wrench_of(br_vec3_of(F[6 * k + 3], F[6 * k + 4], F[6 * k + 5]),
                                            br_vec3_of(F[6 * k], F[6 * k + 1], F[6 * k + 2]));
        beam *b = e->data;
        b->push[k] = br_wrench_add(b->push[k], push);
        br_push(f, e->slot[k].node, push, book);
    }
}

static void forget_pushes(beam *b) {
    b->push[0] = b->push[1] = br_wrench_of(br_vec3_zero(), br_vec3_zero());
}

static void strain_rate(br_implicit *f, const br_element *e, double D[6][12], double *rate) {
    double v[12];
    for (int k = 0; k < 2; k++) {
        const br_twist V = f->node[e->slot[k].node].rate;
        const double part[6] = {V.linear.x, V.linear.y, V.linear.z, V.angular.x, V.angular.y, V.angular.z};
        memcpy(v + 6 * k, part, sizeof part);
    }
    for (int i = 0; i < 6; i++) {
        rate[i] = 0.0;
        for (int c = 0; c < 12; c++) rate[i] += D[i][c] * v[c];
    }
}

// K += l D^T diag(C) B
static void add_product(double K[12][12], double length, double D[6][12], const double *C, double B[6][12]) {
    for (int i = 0; i < 6; i++) {
        double row[12];
        for (int c = 0; c < 12; c++) row[c] = length * C[i] * B[i][c];
        for (int r = 0; r < 12; r++)
            for (int c = 0; c < 12; c++) K[r][c] += D[i][r] * row[c];
    }
}

static void add_tangent(br_implicit *f, br_element *e, double K[12][12]) {
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++) K[r][c] = -K[r][c];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) br_tangent_block(f, e, a, b, &K[6 * a][6 * b], 12);
}

static void scale_stiffness(double K[12][12], double factor) {
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++) K[r][c] *= factor;
}

// The stress for the geometric stiffness: what the last iteration expected, C (strain + D dq), not what came of it. In thin
// beams a correction that turns nodes also stretches them in second order, and the axial force of that, EA times it,
// would make the tangent useless though the next correction takes it away. The residual keeps the stress found.
static void expected_stress(beam *b, const br_beam_ends *at, double D[6][12], double *stress) {
    memcpy(stress, b->stress, sizeof b->stress);
    if (b->iterated) {
        double dq[12];
        for (int k = 0; k < 2; k++) {
            const br_vec3 move = br_vec3_sub(at->x[k], b->last.x[k]);
            const br_vec3 turn = br_quat_log(br_quat_from_mat3(br_mat3_mul_t(at->R[k], b->last.R[k])));
            const double part[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
            memcpy(dq + 6 * k, part, sizeof part);
        }
        for (int i = 0; i < 6; i++) {
            double strain = b->last_strain[i] - b->strain[i];
            for (int c = 0; c < 12; c++) strain += b->last_D[i][c] * dq[c];
            stress[i] += b->e.C[i] * strain;
        }
    }
    b->iterated = 1, b->last = *at;
    memcpy(b->last_strain, b->strain, sizeof b->strain);
    memcpy(b->last_D, D, sizeof b->last_D);
}

static void evaluate_alpha(br_implicit *f, br_element *e) {
    beam *b = e->data;
    br_beam_ends at;
    double D[6][12], rate[6], elastic[6], damping[6];
    const double l = b->e.length;
    forget_pushes(b);
    ends_of(f, e, 0, &at);
    br_beam_instant(&b->e, &at, b->strain, D);
    for (int i = 0; i < 6; i++) elastic[i] = b->e.C[i] * b->strain[i];
    push_stress(f, e, D, elastic, l, BR_BOOK_ELASTIC);
    memcpy(b->stress, elastic, sizeof elastic);
    if (b->damping > 0.0) {
        strain_rate(f, e, D, rate);
        for (int i = 0; i < 6; i++) b->stress[i] += damping[i] = b->damping * b->e.C[i] * rate[i];
        push_stress(f, e, D, damping, l, BR_BOOK_DAMPING);
    }
    if (!f->tangent || f->instant) return;
    double K[12][12], B[6][12], stress[6];
    expected_stress(b, &at, D, stress);
    br_beam_instant_stiffness(&b->e, &at, stress, K);
    scale_stiffness(K, l);
    memcpy(B, D, sizeof B);
    for (int k = 0; b->damping > 0.0 && k < 2; k++) {
        const br_mat3 T = f->node[e->slot[k].node].rate_turn;
        for (int i = 0; i < 6; i++)
            for (int c = 0; c < 3; c++) {
                B[i][6 * k + c] += b->damping * f->rate_move * D[i][6 * k + c];
                for (int d = 0; d < 3; d++)
                    B[i][6 * k + 3 + c] += b->damping * D[i][6 * k + 3 + d] * T.m[d][c];
            }
    }
    add_product(K, l, D, b->e.C, B);
    add_tangent(f, e, K);
}

static void evaluate_decaying(br_implicit *f, br_element *e) {
    beam *b = e->data;
    br_beam_ends start, end;
    double D[6][12], part[6];
    const double l = b->e.length, wave = f->h * b->frequency;
    const double chi = f->keep * wave / (1.0 + wave), viscous = b->damping / f->h;
    f->coarse_waves |= f->keep > 0.0 && wave > 1.0;
    forget_pushes(b);
    ends_of(f, e, 1, &start), ends_of(f, e, 0, &end);
    br_beam_strain(&b->e, &end, b->strain);
    br_beam_discrete(&b->e, &start, &end, D);
    for (int i = 0; i < 6; i++) part[i] = 0.5 * b->e.C[i] * (b->strain_0[i] + b->strain[i]);
    memcpy(b->stress, part, sizeof part);
    push_stress(f, e, D, part, l, BR_BOOK_ELASTIC);
    const double factor[2] = {0.5 * chi, viscous};
    const br_book book[2] = {BR_BOOK_SCHEME, BR_BOOK_DAMPING};
    for (int k = 0; k < 2; k++) {
        if (factor[k] == 0.0) continue;
        for (int i = 0; i < 6; i++)
            b->stress[i] += part[i] = factor[k] * b->e.C[i] * (b->strain[i] - b->strain_0[i]);
        push_stress(f, e, D, part, l, book[k]);
    }
    if (!f->tangent) return;
    double K[12][12], B[6][12], strain[6];
    br_beam_discrete_stiffness(&b->e, &start, &end, b->stress, K);
    scale_stiffness(K, l);
    br_beam_instant(&b->e, &end, strain, B);
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 12; c++) B[i][c] *= 0.5 + 0.5 * chi + viscous;
    add_product(K, l, D, b->e.C, B);
    add_tangent(f, e, K);
}

static void beam_evaluate(br_implicit *f, br_element *e) {
    couple(f, e, 0), couple(f, e, 1);
    if (f->projecting) return;
    if (f->decaying && !f->instant)
        evaluate_decaying(f, e);
    else
        evaluate_alpha(f, e);
}

static double energy(br_implicit *f, br_element *e) {
    const beam *b = e->data;
    double strain[6], twice = 0.0;
    br_beam_ends at;
    ends_of(f, e, 0, &at);
    br_beam_strain(&b->e, &at, strain);
    for (int i = 0; i < 6; i++) twice += b->e.C[i] * strain[i] * strain[i];
    return 0.5 * b->e.length * twice;
}

static double beam_kinetic(br_implicit *f, const br_element *e) {
    const beam *b = e->data;
    const br_node *p = &f->node[e->slot[0].node], *q = &f->node[e->slot[1].node];
    return br_vec3_dot(p->w1, br_mat3_mul_vec(b->J[0][1], q->w1));
}

const br_element_kind br_element_beam = {
    .name = "beam",
    .begin = beam_begin,
    .evaluate = beam_evaluate,
    .energy = energy,
    .kinetic = beam_kinetic,
    .is = BR_ELEMENT_OF_NODES,
};

// Angular momentum of node k (link axes) from the other node's angular velocity.
br_mat3 br_beam_coupling(const br_element *e, int k) {
    return ((const beam *)e->data)->J[k][1 - k];
}

void br_beam_stress(const br_implicit *f, const br_element *e, double at, double stress[6]) {
    const beam *b = e->data;
    br_beam_ends ends;
    for (int k = 0; k < 2; k++) {
        const br_node *n = &f->node[e->slot[k].node];
        ends.x[k] = n->x1, ends.R[k] = n->R1;
    }
    br_beam_section_stress(&b->e, &ends, b->push, at, stress);
}

// --- creation ----------------------------------------------------------------------------------------------

// Mass of the nodes. Half of an element's mass goes to each end, a sixth of its length inside the end: the trapezoidal rule
// with its end correction, so that between nodes of equal distance nothing is left of the offset, and at the ends of a
// beam inertia, gravity and their moments are those of the distributed mass. Errors are of third order in bending and in
// the inertia of the whole, second where shear matters; linear shape functions (mass/3, mass/6) would leave second order. Angular momentum about the
// centres of mass is shared 5/12, 1/12, between lumped and consistent: fourth order in torsion.
void br_beam_masses(br_implicit *f) {
    const br_model *m = f->sim->model;
    for (int i = 0; i < f->nodes; i++)
        if (m->beam_node && m->beam_node[i]) f->node[i].mass = 0.0, f->node[i].com = br_vec3_zero();
    for (int i = 0; i < m->beams; i++)
        for (int k = 0; k + 1 < m->beam[i].nodes; k++) {
            const br_model_beam *def = &m->beam[i];
            const br_beam_element *e = &def->element[k];
            const double half = 0.5 * def->section.mass * e->length;
            for (int end = 0; end < 2; end++) {
                br_node *n = &f->node[def->link[k + end]];
                const br_vec3 inside = br_vec3_of((end == 0 ? 1.0 : -1.0) * e->length / 6.0, 0.0, 0.0);
                const br_vec3 at = br_vec3_add(
                    e->p[end], br_mat3_mul_vec(e->Q[end], br_vec3_add(def->section.offset, inside)));
                const br_sym3 J = br_sym3_of(def->section.inertia[0], def->section.inertia[1],
                                             def->section.inertia[2], 0.0, 0.0, 0.0);
                n->com = br_vec3_add_scaled(n->com, half, at); // divided below
                n->mass += half;
                n->inertia = br_sym3_add(n->inertia,
                                         br_sym3_scale(5.0 / 12.0 * e->length, br_sym3_rotate(e->Q[end], J)));
            }
        }
    for (int i = 0; i < f->nodes; i++)
        if (m->beam_node && m->beam_node[i])
            f->node[i].com = br_vec3_scale(1.0 / f->node[i].mass, f->node[i].com);
}

static br_status add_element(br_implicit *f, const br_model_beam *def, int index, int k) {
    beam *b = BR_TAKE(f->arena, beam, 1);
    if (!b) return BR_NO_MEMORY;
    b->e = def->element[k];
    b->damping = def->damping;
    b->frequency = 2.0 * sqrt(def->section.C[0] / def->section.mass) / b->e.length;
    const int nodes[2] = {def->link[k], def->link[k + 1]};
    const br_mat3 J = br_mat3_diagonal(
        br_vec3_of(def->section.inertia[0], def->section.inertia[1], def->section.inertia[2]));
    for (int i = 0; i < 2; i++) {
        b->e.p[i] = br_vec3_sub(b->e.p[i], f->node[nodes[i]].com);
        b->J[i][1 - i] = br_mat3_scale(
            b->e.length / 12.0, br_mat3_mul(br_mat3_mul(b->e.Q[i], J), br_mat3_transpose(b->e.Q[1 - i])));
    }
    br_element *e = br_element_add(f, &br_element_beam, index, nodes, 2, -1, 0, 0);
    if (!e) return BR_NO_MEMORY;
    e->data = b;
    return BR_OK;
}

br_status br_elements_beams(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    br_status status = BR_OK;
    (void)error;
    f->first_beam_element = f->elements;
    for (int i = 0; i < m->beams; i++)
        for (int k = 0; status == BR_OK && k + 1 < m->beam[i].nodes; k++)
            status = add_element(f, &m->beam[i], i, k);
    return status;
}
