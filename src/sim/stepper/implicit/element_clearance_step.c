// Means over a step for clearance joints, see element_clearance.c: what a unit of their normal force is, so that its work over a
// step of the energy-decaying scheme is the change of its potential, and their derivatives.
#include <string.h>

#include "sim/stepper/implicit/element_clearance_step.h"

// Below this part of the radius, a step's defect is less than rounding.
#define BR_EPS_STILL 1e-7

// Normals whose mean is shorter than this have turned by almost half a turn: it says nothing.
#define BR_LEAST_MEAN 0.1

// d u at the end.
static br_by12 offset_by(const br_span *s) {
    br_by12 u = br_by12_zero();
    br_by12_put(&u, BR_BY_X_A, -1.0, br_mat3_identity());
    br_by12_put(&u, BR_BY_TURN_A, 1.0, br_mat3_skew(s->r_a1));
    br_by12_put(&u, BR_BY_X_B, 1.0, br_mat3_identity());
    br_by12_put(&u, BR_BY_TURN_B, -1.0, br_mat3_skew(s->r_b1));
    return u;
}

// From derivatives by (u, psi_k, psi_l) to those by the nodes.
static void chain_row(const double *by, const br_by12 *u, double *row) {
    memset(row, 0, 12 * sizeof *row);
    br_by12_dot(row, 1.0, br_read3(by), u);
    for (int c = 0; c < 3; c++) row[BR_BY_TURN_A + c] += by[3 + c], row[BR_BY_TURN_B + c] += by[6 + c];
}

static void chain(const double by[3][9], double factor, const br_by12 *u, br_by12 *out) {
    for (int i = 0; i < 3; i++) {
        chain_row(by[i], u, out->m[i]);
        for (int c = 0; c < 12; c++) out->m[i][c] *= factor;
    }
}

// omega x r: d omega x r + omega x dr, dr = -half r1~ psi
static void arm_rate_by(const br_implicit *f, const br_node *n, br_vec3 r, br_vec3 r1, int at, double sign,
                        br_by12 *du) {
    br_by12_put(du, at, -sign, br_mat3_mul(br_mat3_skew(r), n->rate_turn));
    br_by12_put(du, at, -sign * f->half, br_mat3_mul(br_mat3_skew(n->rate.angular), br_mat3_skew(r1)));
}

void br_clearance_rates(br_implicit *f, const br_clearance *p, const br_span *s, br_clearance_rate *out) {
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    out->w_k = a->rate.angular, out->w_l = b->rate.angular;
    out->du = br_vec3_sub(br_vec3_add(b->rate.linear, br_vec3_cross(out->w_l, s->r_b)),
                          br_vec3_add(a->rate.linear, br_vec3_cross(out->w_k, s->r_a)));
    if (!f->tangent) return;
    out->du_by = out->w_k_by = out->w_l_by = br_by12_zero();
    br_by12_put(&out->w_k_by, BR_BY_TURN_A, 1.0, a->rate_turn);
    br_by12_put(&out->w_l_by, BR_BY_TURN_B, 1.0, b->rate_turn);
    br_by12_put(&out->du_by, BR_BY_X_A, -f->rate_move, br_mat3_identity());
    br_by12_put(&out->du_by, BR_BY_X_B, f->rate_move, br_mat3_identity());
    arm_rate_by(f, a, s->r_a, s->r_a1, BR_BY_TURN_A, -1.0, &out->du_by);
    arm_rate_by(f, b, s->r_b, s->r_b1, BR_BY_TURN_B, 1.0, &out->du_by);
}

br_by12 br_clearance_passing_by(const br_clearance_rate *r, const br_clearance_mean *m) {
    br_by12 by = r->du_by;
    br_by12_add_times(&by, 1.0, br_mat3_skew(r->w_l), &m->arm_l_by);
    br_by12_add_times(&by, -1.0, br_mat3_skew(r->w_k), &m->arm_k_by);
    br_by12_add_times(&by, -1.0, br_mat3_skew(m->arm_l), &r->w_l_by);
    br_by12_add_times(&by, 1.0, br_mat3_skew(m->arm_k), &r->w_k_by);
    return by;
}

// Planar and spherical, energy-decaying: n = (u_0 + u_1)/(l_0 + l_1), d n = (d u_1 - n (n_1 . d u_1))/(l_0 + l_1)
static void balance_work(const br_implicit *f, const br_clearance *p, const br_span *s, const br_by12 *u_by,
                         br_clearance_mean *out) {
    const double sum = br_vec3_norm(p->u_start) + br_vec3_norm(s->d1);
    if (!(sum > 0.0)) return;
    out->n = out->side = br_vec3_scale(1.0 / sum, br_vec3_add(p->u_start, s->d1));
    if (!f->tangent) return;
    double row[12] = {0.0};
    br_by12_dot(row, 1.0, p->end.n, u_by);
    out->n_by = br_by12_zero();
    br_by12_add(&out->n_by, 1.0 / sum, u_by);
    br_by12_add_outer(&out->n_by, -1.0 / sum, out->n, row);
    out->side_by = out->n_by;
}

// Spatial, energy-decaying. The normal force acts on both bodies at one point too, and with n = g, c a couple beside it,
//
//     delta = w h, theta = turn_l - turn_k                      both zero where the joint moves as one
//     (g, c) = (n_m, 0) + (-(q_1 - q_0) - n_m . delta) (delta, rho^2 theta)/(|delta|^2 + rho^2 |theta|^2)
//
// so that g . delta + c . theta = -(q_1 - q_0): a discrete gradient.
typedef struct correction {
    br_vec3 delta, theta;
    double defect, square;
    br_by12 delta_by, theta_by;
    double defect_by[12], square_by[12];
} correction;

static void measure_defect(const br_implicit *f, const br_clearance *p, const br_clearance_rate *r,
                           const br_clearance_mean *m, correction *c) {
    const double rho2 = p->def->inner_radius * p->def->inner_radius;
    c->delta = br_vec3_scale(f->h, br_passing(r->du, r->w_k, r->w_l, m->arm_k, m->arm_l));
    c->theta = br_vec3_scale(f->h, br_vec3_sub(r->w_l, r->w_k));
    c->defect = p->start.gap - p->end.gap - br_vec3_dot(m->n, c->delta);
    c->square = br_vec3_norm_squared(c->delta) + rho2 * br_vec3_norm_squared(c->theta);
    if (!f->tangent) return;
    const br_by12 w_by = br_clearance_passing_by(r, m);
    c->theta_by = c->delta_by = br_by12_zero();
    br_by12_add(&c->theta_by, f->h, &r->w_l_by), br_by12_add(&c->theta_by, -f->h, &r->w_k_by);
    br_by12_add(&c->delta_by, f->h, &w_by);
    memset(c->square_by, 0, sizeof c->square_by);
    for (int k = 0; k < 12; k++) c->defect_by[k] = -m->gap_by[k];
    br_by12_dot(c->defect_by, -1.0, c->delta, &m->n_by), br_by12_dot(c->defect_by, -1.0, m->n, &c->delta_by);
    br_by12_dot(c->square_by, 2.0, c->delta, &c->delta_by),
        br_by12_dot(c->square_by, 2.0 * rho2, c->theta, &c->theta_by);
}

// to += factor defect a/square, and its derivative.
static void add_along(const br_implicit *f, const correction *c, double factor, br_vec3 a,
                      const br_by12 *a_by, br_vec3 *to, br_by12 *to_by) {
    const double per = factor / c->square;
    *to = br_vec3_add_scaled(*to, per * c->defect, a);
    if (!f->tangent) return;
    br_by12_add(to_by, per * c->defect, a_by);
    br_by12_add_outer(to_by, per, a, c->defect_by);
    br_by12_add_outer(to_by, -per * c->defect / c->square, a, c->square_by);
}

static void correct_work(const br_implicit *f, const br_clearance *p, const br_clearance_rate *r,
                         br_clearance_mean *m) {
    const double rho = p->def->inner_radius, least = BR_EPS_STILL * rho;
    correction c;
    br_vec3 couple = br_vec3_zero();
    br_by12 couple_by = br_by12_zero();
    measure_defect(f, p, r, m, &c);
    if (c.square > least * least) {
        add_along(f, &c, 1.0, c.delta, &c.delta_by, &m->n, &m->n_by);
        add_along(f, &c, rho * rho, c.theta, &c.theta_by, &couple, &couple_by);
    }
    // moments of g and c on K, of -g and -c on L
    m->m_k = br_vec3_add(br_vec3_cross(m->arm_k, m->n), couple);
    m->m_l = br_vec3_sub(br_vec3_cross(m->n, m->arm_l), couple);
    if (!f->tangent) return;
    m->m_k_by = couple_by, m->m_l_by = br_by12_zero();
    br_by12_add(&m->m_l_by, -1.0, &couple_by);
    br_by12_add_times(&m->m_k_by, 1.0, br_mat3_skew(m->arm_k), &m->n_by);
    br_by12_add_times(&m->m_k_by, -1.0, br_mat3_skew(m->n), &m->arm_k_by);
    br_by12_add_times(&m->m_l_by, -1.0, br_mat3_skew(m->arm_l), &m->n_by);
    br_by12_add_times(&m->m_l_by, 1.0, br_mat3_skew(m->n), &m->arm_l_by);
}

void br_clearance_means(const br_implicit *f, const br_clearance *p, const br_span *s,
                        const br_clearance_rate *r, br_clearance_mean *out) {
    const br_by12 own = offset_by(s), *u_by = &own;
    const br_race_contact *c0 = f->half == 1.0 ? &p->end : &p->start, *c1 = &p->end;
    out->n = out->side = br_half_sum(c0->n, c1->n);
    out->m_k = br_half_sum(c0->m_k, c1->m_k), out->m_l = br_half_sum(c0->m_l, c1->m_l);
    out->arm_l = br_half_sum(c0->arm_l, c1->arm_l), out->arm_k = br_vec3_add(s->d, out->arm_l);
    if (f->tangent) {
        chain(c1->n_by, f->half, u_by, &out->n_by), out->side_by = out->n_by;
        chain(c1->m_k_by, f->half, u_by, &out->m_k_by), chain(c1->m_l_by, f->half, u_by, &out->m_l_by);
        chain(c1->arm_l_by, f->half, u_by, &out->arm_l_by), out->arm_k_by = out->arm_l_by;
        br_by12_add(&out->arm_k_by, f->half, u_by);
        chain_row(c1->gap_by, u_by, out->gap_by);
    }
    if (f->half == 1.0) return;
    if (p->def->type == BR_CLEARANCE_SPATIAL)
        correct_work(f, p, r, out);
    else
        balance_work(f, p, s, u_by, out);
    // From one side of the play to the other: friction is that of where it ends.
    if (br_vec3_norm(out->side) < BR_LEAST_MEAN) {
        out->side = c1->n;
        if (f->tangent) chain(c1->n_by, 1.0, u_by, &out->side_by);
    }
}
