// Clearance joints in the implicit stepper [BauchauJu2006 sections 2, 3, 5]: kinematics from flex/clearance.h, normal law from
// friction/normal.h, friction from friction/lugre.h.
//
//     on L      F = -f n + f_t          torque about its centre   f m_l + arm_l x f_t
//     on K      -F                                                f m_k - arm_k x f_t
//     f_t       = -f mu(v),  v = (1 - n n^T) (du/dt + omega_l x arm_l - omega_k x arm_k)
//
// Energy-decaying: f is the difference quotient of the potential; planar and spherical n is (u_0 + u_1)/(|u_0| + |u_1|), so that
// f n . (u_1 - u_0) is exactly the change of the potential [eq. 4]; of the spatial joint n, m and arms are the means of both
// ends [eqs. 15, 18], whose work is exact up to third order: the rest is booked as scheme. Friction takes the mean
// velocity and the mean state z_g [eqs. 7, 18, 25].
//
// The bristle state is a vector in the tangent plane, carried from one normal to the next by the smallest rotation. It
// is forgotten when contact is lost.
#include <stdio.h>
#include <string.h>

#include "flex/clearance.h"
#include "friction/lugre.h"
#include "sim/element_clearance.h"
#include "sim/implicit.h"

enum { HINT = 0, BRISTLE = 3, SLIDING = 6, GAP = 9, APPROACH, GAP_BEFORE, H_BEFORE, STATES };

typedef struct clearance {
    const br_model_clearance *def;
    br_ends ends;
    br_race_contact start, end; // of the step
    br_vec3 u_start;
    // of the last evaluation
    br_vec3 n, z_next, v, f_t;
    double normal, elastic, slip;
} clearance;

static br_vec3 read3(const double *from) {
    return br_vec3_of(from[0], from[1], from[2]);
}

static void write3(double *to, br_vec3 v) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

// v turned by the smallest rotation that takes the unit vector a to b, and laid into b's plane.
static br_vec3 carry(br_vec3 v, br_vec3 a, br_vec3 b) {
    const br_vec3 axis = br_vec3_cross(a, b);
    const double c = br_vec3_dot(a, b);
    if (c < -0.99) return br_vec3_add_scaled(v, -br_vec3_dot(v, b), b);
    const br_vec3 turned =
        br_vec3_add(br_vec3_add(br_vec3_scale(c, v), br_vec3_cross(axis, v)),
                    br_vec3_scale(br_vec3_dot(axis, v) / (1.0 + c), axis));
    return br_vec3_add_scaled(turned, -br_vec3_dot(turned, b), b);
}

static br_race_pair pair_of(const clearance *p, br_vec3 u, br_mat3 E, br_mat3 N) {
    return (br_race_pair){p->def->type, p->def->outer_radius, p->def->inner_radius, u, E, br_mat3_column(N, 2)};
}

static void begin(br_implicit *f, br_element *e) {
    clearance *p = e->data;
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    const br_vec3 r_a = br_mat3_mul_vec(a->R0, p->ends.p_a), r_b = br_mat3_mul_vec(b->R0, p->ends.p_b);
    p->u_start = br_vec3_sub(br_vec3_add(b->x0, r_b), br_vec3_add(a->x0, r_a));
    br_vec3 hint = read3(e->state + HINT);
    if (br_vec3_norm(hint) == 0.0) hint = br_mat3_column(br_mat3_mul(a->R0, p->ends.Q_a), 0);
    const br_race_pair pair =
        pair_of(p, p->u_start, br_mat3_mul(a->R0, p->ends.Q_a), br_mat3_mul(b->R0, p->ends.Q_b));
    br_race_contact_of(&pair, hint, 0, &p->start);
    write3(e->state + HINT, p->start.n);
}

// --- matrices by the moves and turns of both nodes: columns (x_k, psi_k, x_l, psi_l) ------------------------

typedef struct by12 {
    double m[3][12];
} by12;

static void put(by12 *to, int at, double factor, br_mat3 M) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) to->m[r][at + c] += factor * M.m[r][c];
}

static by12 times(br_mat3 A, const by12 *B) {
    by12 r;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 12; c++)
            r.m[i][c] = A.m[i][0] * B->m[0][c] + A.m[i][1] * B->m[1][c] + A.m[i][2] * B->m[2][c];
    return r;
}

static void plus(by12 *to, double factor, const by12 *B) {
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 12; c++) to->m[i][c] += factor * B->m[i][c];
}

static void plus_outer(by12 *to, br_vec3 a, const double *row) {
    for (int c = 0; c < 12; c++) to->m[0][c] += a.x * row[c], to->m[1][c] += a.y * row[c], to->m[2][c] += a.z * row[c];
}

static void dot_row(br_vec3 a, const by12 *B, double *row) {
    for (int c = 0; c < 12; c++) row[c] = a.x * B->m[0][c] + a.y * B->m[1][c] + a.z * B->m[2][c];
}

// d u by the nodes; psi_k and psi_l are columns 3 and 9.
static by12 offset_by(const br_span *s) {
    by12 u = {{{0.0}}};
    put(&u, 0, -1.0, br_mat3_identity()), put(&u, 3, 1.0, br_mat3_skew(s->r_a1));
    put(&u, 6, 1.0, br_mat3_identity()), put(&u, 9, -1.0, br_mat3_skew(s->r_b1));
    return u;
}

// From derivatives by (u, psi_k, psi_l) to those by the nodes.
static by12 chain(const double by[3][9], const by12 *u) {
    by12 r;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 12; c++) {
            r.m[i][c] = by[i][0] * u->m[0][c] + by[i][1] * u->m[1][c] + by[i][2] * u->m[2][c];
            if (c >= 3 && c < 6) r.m[i][c] += by[i][c];
            if (c >= 9) r.m[i][c] += by[i][c - 3];
        }
    return r;
}

static void chain_row(const double *by, const by12 *u, double *row) {
    for (int c = 0; c < 12; c++) {
        row[c] = by[0] * u->m[0][c] + by[1] * u->m[1][c] + by[2] * u->m[2][c];
        if (c >= 3 && c < 6) row[c] += by[c];
        if (c >= 9) row[c] += by[c - 3];
    }
}

// --- the step's means --------------------------------------------------------------------------------------

typedef struct means {
    br_vec3 n, m_k, m_l, arm_k, arm_l;
    by12 n_by, m_k_by, m_l_by, arm_k_by, arm_l_by; // by the ends
} means;

static br_vec3 half_sum(br_vec3 a, br_vec3 b) {
    return br_vec3_scale(0.5, br_vec3_add(a, b));
}

static void take_means(const br_implicit *f, const clearance *p, const br_span *s, const by12 *u_by, means *out) {
    const br_race_contact *c0 = &p->start, *c1 = &p->end;
    const int mean = f->half != 1.0, round = p->def->type != BR_CLEARANCE_SPATIAL;
    out->n = mean ? half_sum(c0->n, c1->n) : c1->n;
    out->m_k = mean ? half_sum(c0->m_k, c1->m_k) : c1->m_k, out->m_l = mean ? half_sum(c0->m_l, c1->m_l) : c1->m_l;
    out->arm_k = mean ? half_sum(c0->arm_k, c1->arm_k) : c1->arm_k;
    out->arm_l = mean ? half_sum(c0->arm_l, c1->arm_l) : c1->arm_l;
    const double l0 = br_vec3_norm(p->u_start), l1 = br_vec3_norm(s->d1);
    const int exact = mean && round && l0 + l1 > 0.0;
    if (exact) out->n = br_vec3_scale(1.0 / (l0 + l1), br_vec3_add(p->u_start, s->d1));
    if (!f->tangent) return;
    const struct {
        by12 *to;
        const double(*from)[9];
    } part[] = {{&out->n_by, c1->n_by},         {&out->m_k_by, c1->m_k_by},     {&out->m_l_by, c1->m_l_by},
                {&out->arm_k_by, c1->arm_k_by}, {&out->arm_l_by, c1->arm_l_by}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        const by12 by = chain(part[k].from, u_by);
        memset(part[k].to, 0, sizeof *part[k].to);
        plus(part[k].to, f->half, &by);
    }
    if (!exact) return;
    // n = (u_0 + u_1)/(l_0 + l_1): d n = (d u_1 - n (n_1 . d u_1))/(l_0 + l_1)
    double row[12];
    dot_row(c1->n, u_by, row);
    memset(&out->n_by, 0, sizeof out->n_by);
    plus(&out->n_by, 1.0 / (l0 + l1), u_by);
    plus_outer(&out->n_by, br_vec3_scale(-1.0 / (l0 + l1), out->n), row);
}

// --- forces ------------------------------------------------------------------------------------------------

// Normal force and its derivatives by the depth at the end and by the closing rate.
typedef struct pressed {
    double elastic, loss, by_depth, by_rate;
} pressed;

static pressed press(const br_implicit *f, const br_element *e, const clearance *p, double rate) {
    const br_normal_law *law = &p->def->law;
    const double d0 = -p->start.gap, d1 = -p->end.gap;
    pressed r = {0};
    double loss_depth = 0.0, loss_rate = 0.0, depth = d1, share = 1.0;
    if (f->half == 1.0) {
        r.elastic = br_normal_elastic(law, d1);
        double unused;
        br_normal_tangent(law, fmax(d1, 0.0), 0.0, &r.by_depth, &unused);
        if (d1 <= 0.0) r.by_depth = 0.0;
    } else {
        r.elastic = br_normal_mean(law, d0, d1);
        r.by_depth = br_normal_mean_slope(law, d0, d1);
        depth = 0.5 * (fmax(d0, 0.0) + fmax(d1, 0.0)), share = d1 > 0.0 ? 0.5 : 0.0;
        rate = (d1 - d0) / f->h;
    }
    r.loss = br_normal_loss(law, depth, rate, e->state[APPROACH], &loss_depth, &loss_rate);
    if (r.elastic + r.loss < 0.0) {
        r.loss = -r.elastic, r.by_depth = 0.0;
        return r;
    }
    r.by_depth += share * loss_depth;
    if (f->half == 1.0)
        r.by_rate = loss_rate;
    else
        r.by_depth += loss_rate / f->h;
    return r;
}

static br_vec3 centre_rate(const br_node *n, br_vec3 arm) {
    return br_vec3_add(n->rate.linear, br_vec3_cross(n->rate.angular, arm));
}

static br_vec3 passing(br_vec3 du, const br_node *a, const br_node *b, br_vec3 arm_k, br_vec3 arm_l) {
    return br_vec3_add(du, br_vec3_sub(br_vec3_cross(b->rate.angular, arm_l), br_vec3_cross(a->rate.angular, arm_k)));
}

static br_vec3 sliding(br_vec3 du, const br_node *a, const br_node *b, br_vec3 arm_k, br_vec3 arm_l, br_vec3 n) {
    const br_vec3 w = passing(du, a, b, arm_k, arm_l);
    return br_vec3_add_scaled(w, -br_vec3_dot(w, n), n);
}

static void push_forces(br_implicit *f, const clearance *p, const br_span *s, br_vec3 F, br_vec3 T_k, br_vec3 T_l,
                        br_book book) {
    br_push(f, p->ends.a, br_wrench_of(br_vec3_sub(T_k, br_vec3_cross(s->r_a, F)), br_vec3_neg(F)), book);
    br_push(f, p->ends.b, br_wrench_of(br_vec3_add(T_l, br_vec3_cross(s->r_b, F)), F), book);
}

// Derivatives of du/dt and of the angular velocities by the nodes.
static void rates_by(br_implicit *f, const clearance *p, const br_span *s, by12 *du, by12 *w_k, by12 *w_l) {
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    memset(du, 0, sizeof *du), memset(w_k, 0, sizeof *w_k), memset(w_l, 0, sizeof *w_l);
    put(w_k, 3, 1.0, a->rate_turn), put(w_l, 9, 1.0, b->rate_turn);
    put(du, 0, -f->rate_move, br_mat3_identity()), put(du, 6, f->rate_move, br_mat3_identity());
    // omega x r: d omega x r + omega x dr, dr = -half r1~ psi
    put(du, 3, 1.0, br_mat3_mul(br_mat3_skew(s->r_a), a->rate_turn));
    put(du, 3, f->half, br_mat3_mul(br_mat3_skew(a->rate.angular), br_mat3_skew(s->r_a1)));
    put(du, 9, -1.0, br_mat3_mul(br_mat3_skew(s->r_b), b->rate_turn));
    put(du, 9, -f->half, br_mat3_mul(br_mat3_skew(b->rate.angular), br_mat3_skew(s->r_b1)));
}

static void add_tangent(br_implicit *f, br_element *e, const clearance *p, const br_span *s, br_vec3 F, const by12 *F_by,
                        const by12 *T_k_by, const by12 *T_l_by) {
    double K[12][12];
    by12 torque_k = times(br_mat3_scale(-1.0, br_mat3_skew(s->r_a)), F_by);
    by12 torque_l = times(br_mat3_skew(s->r_b), F_by);
    (void)p;
    plus(&torque_k, 1.0, T_k_by), plus(&torque_l, 1.0, T_l_by);
    // d r x F = -half (r1~ psi) x F = half F~ r1~ psi
    put(&torque_k, 3, -f->half, br_mat3_mul(br_mat3_skew(F), br_mat3_skew(s->r_a1)));
    put(&torque_l, 9, f->half, br_mat3_mul(br_mat3_skew(F), br_mat3_skew(s->r_b1)));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 12; c++) {
            K[r][c] = -F_by->m[r][c], K[3 + r][c] = torque_k.m[r][c];
            K[6 + r][c] = F_by->m[r][c], K[9 + r][c] = torque_l.m[r][c];
        }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) br_tangent_block(f, e, a, b, &K[6 * a][6 * b], 12);
}

static br_mat3 mat_of(const double *m) {
    return br_mat3_of_rows(br_vec3_of(m[0], m[1], m[2]), br_vec3_of(m[3], m[4], m[5]), br_vec3_of(m[6], m[7], m[8]));
}

static void evaluate(br_implicit *f, br_element *e) {
    clearance *p = e->data;
    const br_span s = br_span_of(f, &p->ends);
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    const br_race_pair pair = pair_of(p, s.d1, s.E1, s.N1);
    br_race_contact_of(&pair, read3(e->state + HINT), f->tangent, &p->end);
    p->normal = p->elastic = p->slip = 0.0;
    p->f_t = br_vec3_zero();
    p->n = p->end.n, p->z_next = br_vec3_zero(), p->v = br_vec3_zero();
    const br_vec3 du = br_vec3_sub(centre_rate(b, s.r_b), centre_rate(a, s.r_a));
    if (p->end.gap > 0.0 && (f->half == 1.0 || p->start.gap > 0.0)) { // open: how fast the points nearest pass
        p->v = sliding(du, a, b, p->end.arm_k, p->end.arm_l, p->end.n);
        p->slip = br_vec3_norm(p->v);
        return;
    }
    means m;
    const by12 u_by = offset_by(&s);
    take_means(f, p, &s, &u_by, &m);
    // normal force
    const double opening = -br_vec3_dot(m.n, du) + br_vec3_dot(m.m_k, a->rate.angular) + br_vec3_dot(m.m_l, b->rate.angular);
    const pressed q = press(f, e, p, -opening);
    const double fn = q.elastic + q.loss;
    p->normal = fn, p->elastic = q.elastic;
    push_forces(f, p, &s, br_vec3_scale(-q.elastic, m.n), br_vec3_scale(q.elastic, m.m_k),
                br_vec3_scale(q.elastic, m.m_l), BR_BOOK_ELASTIC);
    push_forces(f, p, &s, br_vec3_scale(-q.loss, m.n), br_vec3_scale(q.loss, m.m_k), br_vec3_scale(q.loss, m.m_l),
                BR_BOOK_DAMPING);
    // friction
    const br_vec3 n = br_vec3_normalize(m.n);
    const br_vec3 w = passing(du, a, b, m.arm_k, m.arm_l), v = sliding(du, a, b, m.arm_k, m.arm_l, n);
    br_lugre_step step;
    const int rubs = p->def->friction.law != BR_FRICTION_NONE;
    br_mat3 slope = br_mat3_zero();
    br_vec3 mu = br_vec3_zero();
    p->slip = br_vec3_norm(v), p->v = v;
    if (rubs && !f->instant) {
        const br_vec3 z = carry(read3(e->state + BRISTLE), read3(e->state + HINT), n);
        const br_vec3 before = carry(read3(e->state + SLIDING), read3(e->state + HINT), n);
        const br_vec3 mean = f->half == 1.0 ? half_sum(before, v) : v;
        const double v3[3] = {mean.x, mean.y, mean.z}, v_end[3] = {v.x, v.y, v.z}, z3[3] = {z.x, z.y, z.z};
        br_lugre_advance(&p->def->friction, 3, v3, v_end, z3, f->h, &step);
        mu = read3(f->half == 1.0 ? step.mu_end : step.mu);
        p->z_next = read3(step.z_f);
        slope = f->half == 1.0 ? br_mat3_add(br_mat3_scale(0.5, mat_of(step.mu_end_v)), mat_of(step.mu_end_v_end))
                               : mat_of(step.mu_v);
    }
    p->f_t = br_vec3_scale(-fn, mu);
    push_forces(f, p, &s, p->f_t, br_vec3_neg(br_vec3_cross(m.arm_k, p->f_t)), br_vec3_cross(m.arm_l, p->f_t),
                BR_BOOK_FRICTION);
    if (!f->tangent || f->instant) return;
    // derivatives
    by12 du_by, wk_by, wl_by;
    double gap_by[12], fn_by[12], row[12];
    rates_by(f, p, &s, &du_by, &wk_by, &wl_by);
    chain_row(p->end.gap_by, &u_by, gap_by);
    for (int c = 0; c < 12; c++) fn_by[c] = -q.by_depth * gap_by[c];
    if (q.by_rate != 0.0) { // -opening = n . du - m_k . w_k - m_l . w_l
        dot_row(m.n, &du_by, row);
        for (int c = 0; c < 12; c++) fn_by[c] += q.by_rate * row[c];
        dot_row(m.m_k, &wk_by, row);
        for (int c = 0; c < 12; c++) fn_by[c] -= q.by_rate * row[c];
        dot_row(m.m_l, &wl_by, row);
        for (int c = 0; c < 12; c++) fn_by[c] -= q.by_rate * row[c];
        dot_row(du, &m.n_by, row);
        for (int c = 0; c < 12; c++) fn_by[c] += q.by_rate * row[c];
    }
    by12 F_by = {{{0.0}}}, Tk_by = {{{0.0}}}, Tl_by = {{{0.0}}};
    plus_outer(&F_by, br_vec3_neg(m.n), fn_by), plus(&F_by, -fn, &m.n_by);
    plus_outer(&Tk_by, m.m_k, fn_by), plus(&Tk_by, fn, &m.m_k_by);
    plus_outer(&Tl_by, m.m_l, fn_by), plus(&Tl_by, fn, &m.m_l_by);
    if (rubs) {
        by12 w_by = du_by, part;
        part = times(br_mat3_skew(b->rate.angular), &m.arm_l_by), plus(&w_by, 1.0, &part);
        part = times(br_mat3_skew(a->rate.angular), &m.arm_k_by), plus(&w_by, -1.0, &part);
        part = times(br_mat3_skew(m.arm_l), &wl_by), plus(&w_by, -1.0, &part);
        part = times(br_mat3_skew(m.arm_k), &wk_by), plus(&w_by, 1.0, &part);
        // v = w - n (n . w)
        by12 v_by = w_by;
        const double along = br_vec3_dot(n, w);
        dot_row(n, &w_by, row);
        plus_outer(&v_by, br_vec3_neg(n), row);
        plus(&v_by, -along, &m.n_by);
        dot_row(w, &m.n_by, row);
        plus_outer(&v_by, br_vec3_neg(n), row);
        by12 ft_by = times(br_mat3_scale(-fn, slope), &v_by);
        plus_outer(&ft_by, br_vec3_neg(mu), fn_by);
        // z turns with n: to first order the force does too
        plus(&F_by, 1.0, &ft_by);
        part = times(br_mat3_skew(m.arm_k), &ft_by), plus(&Tk_by, -1.0, &part);
        part = times(br_mat3_skew(p->f_t), &m.arm_k_by), plus(&Tk_by, 1.0, &part);
        part = times(br_mat3_skew(m.arm_l), &ft_by), plus(&Tl_by, 1.0, &part);
        part = times(br_mat3_skew(p->f_t), &m.arm_l_by), plus(&Tl_by, -1.0, &part);
    }
    const br_vec3 F = br_vec3_add(br_vec3_scale(-fn, m.n), p->f_t);
    add_tangent(f, e, p, &s, F, &F_by, &Tk_by, &Tl_by);
}

static void tell(br_implicit *f, const clearance *p, br_event_kind kind, double value) {
    br_sim *sim = f->sim;
    br_event event = {.t = f->t0 + f->h, .kind = kind, .value = value};
    if (!sim->event) return;
    snprintf(event.name, sizeof event.name, "%s", p->def->name);
    sim->event(sim->event_context, &event);
}

static void accept(br_implicit *f, br_element *e) {
    clearance *p = e->data;
    const int touches = p->end.gap <= 0.0;
    const double rate = (p->start.gap - p->end.gap) / f->h;
    if (touches && p->start.gap > 0.0) tell(f, p, BR_EVENT_CONTACT_ON, rate);
    if (!touches && p->start.gap <= 0.0) tell(f, p, BR_EVENT_CONTACT_OFF, p->end.gap);
    const br_vec3 n = br_vec3_normalize(p->n);
    write3(e->state + BRISTLE, touches ? carry(p->z_next, n, p->end.n) : br_vec3_zero());
    // The sliding velocity at the end, for the mean of the next step.
    write3(e->state + SLIDING, touches ? carry(p->v, n, p->end.n) : br_vec3_zero());
    write3(e->state + HINT, p->end.n);
    if (!touches) e->state[APPROACH] = fmax(rate, 0.0);
    e->state[GAP_BEFORE] = p->start.gap, e->state[GAP] = p->end.gap, e->state[H_BEFORE] = f->h;
    if (p->end.gap < 0.0) f->sim->ledger.penetration = fmax(f->sim->ledger.penetration, -p->end.gap);
}

static double energy(br_implicit *f, br_element *e) {
    clearance *p = e->data;
    const br_node *a = br_node_at(f, p->ends.a), *b = br_node_at(f, p->ends.b);
    const br_vec3 u = br_vec3_sub(br_vec3_add(b->x1, br_mat3_mul_vec(b->R1, p->ends.p_b)),
                                  br_vec3_add(a->x1, br_mat3_mul_vec(a->R1, p->ends.p_a)));
    const br_race_pair pair = pair_of(p, u, br_mat3_mul(a->R1, p->ends.Q_a), br_mat3_mul(b->R1, p->ends.Q_b));
    br_race_contact at;
    br_race_contact_of(&pair, read3(e->state + HINT), 0, &at);
    return br_normal_energy(&p->def->law, -at.gap);
}

// The longest next step, by nearness of contact [BauchauJu2006 eqs. 19-20] and by the time constant of the friction [eq. 33].
static double wish(br_implicit *f, br_element *e, int *why) {
    const clearance *p = e->data;
    const br_adaptive_settings *s = &f->sim->model->settings.solver.adaptive;
    double h = INFINITY;
    if (s->contact) {
        const double q1 = p->end.gap, kappa = q1 / s->epsilon_p / s->q_min;
        const double change = s->epsilon_p * (kappa > 1.0 ? pow(kappa, s->alpha) : 1.0);
        const double speed = 2.0 * fabs(q1 - p->start.gap) / (f->h + (e->state[H_BEFORE] > 0.0 ? e->state[H_BEFORE] : f->h));
        if (speed > 0.0) h = change / speed, *why = BR_LIMIT_CONTACT;
        f->h_contact = fmin(f->h_contact, h);
        // A step that ran far into the contact which it did not foresee is taken again.
        if (p->start.gap > s->epsilon_p && -q1 > 5.0 * s->epsilon_p) f->again = 1;
    }
    const double rate = p->def->friction.law == BR_FRICTION_NONE ? 0.0 : br_lugre_rate(&p->def->friction);
    if (s->friction && rate > 0.0 && p->normal > 0.0) {
        const double nu = p->slip / p->def->friction.v_stribeck / s->v_min;
        const double own = s->dtau_min / rate * (nu > 1.0 ? pow(nu, s->friction_alpha) : 1.0);
        f->h_friction = fmin(f->h_friction, own);
        if (own < h) h = own, *why = BR_LIMIT_FRICTION;
    }
    return h;
}

const br_element_kind br_element_clearance = {"clearance", begin, evaluate, accept, energy, wish};

br_clearance_reading br_clearance_read(const br_element *e) {
    const clearance *p = e->data;
    return (br_clearance_reading){p->end.gap, p->normal, p->f_t, p->slip};
}

br_status br_elements_clearances(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    (void)error;
    f->first_clearance = f->elements;
    for (int i = 0; i < m->clearances; i++) {
        const br_model_clearance *def = &m->clearance[i];
        clearance *p = BR_TAKE(f->arena, clearance, 1);
        if (!p) return BR_NO_MEMORY;
        p->def = def;
        p->ends = br_ends_of(f, def->first, def->second, def->X_AF, def->X_BM);
        const int nodes[2] = {p->ends.a, p->ends.b};
        br_element *e = br_element_add(f, &br_element_clearance, i, nodes, 2, -1, 0, STATES);
        if (!e) return BR_NO_MEMORY;
        e->data = p;
    }
    return BR_OK;
}
