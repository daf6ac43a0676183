// Clearance joints in the implicit stepper [BauchauJu2006 sections 2, 3, 5]: kinematics from flex/clearance.h, normal law from
// friction/normal.h, friction from friction/lugre.h. K is the outer race on node a, L the inner on node b.
//
//     on L      F = -f n + f_t          torque about its centre   f m_l + arm_l x f_t
//     on K      -F                                                f m_k - arm_k x f_t
//     f_t       = -f mu(v),  v = (1 - n n^T) w,  w = du/dt + omega_l x arm_l - omega_k x arm_k
//
// Both arms point to one place, L's contact point: arm_k = u + arm_l, the paper's lambda or rho_k n less the gap along n
// [eqs. 5, 16]. With the paper's own, friction of a contact as deep as q would turn the two bodies as a whole, by q f_t.
//
// Energy-decaying: f is the difference quotient of the potential; planar and spherical n is (u_0 + u_1)/(|u_0| + |u_1|), so
// that f n . (u_1 - u_0) is exactly the change of the potential [eq. 4]. Of the spatial joint means of both ends [eq. 15] leave
// a defect of third order, which a free disk turns into a gain without bound; a part along the step makes up for it
// (element_clearance_step.c). Friction takes mean directions, the mean velocity and the mean state z_g [eqs. 7, 18, 25].
//
// The bristle state is a vector in the tangent plane, carried from one normal to the next by the smallest rotation. It
// is forgotten when contact is lost.
#include <stdio.h>
#include <string.h>

#include "friction/lugre.h"
#include "sim/stepper/implicit/element_clearance.h"
#include "math/elementary.h"
#include "sim/stepper/implicit/element_clearance_step.h"
#include "sim/stepper/implicit/implicit.h"

// A step that began open and ends deeper than this many epsilon_p did not see the contact coming.
#define BR_UNFORESEEN 5.0

#define BR_EPS_TOUCH (64.0 * DBL_EPSILON) // of the radius: gap at which races touch

// HINT: the last n. BRISTLE: z, in its plane. APPROACH: how fast the gap closed when contact began, m/s.
enum { HINT = 0, BRISTLE = 3, APPROACH = 6, STATES };

static void write3(double *to, br_vec3 v) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

static br_mat3 read9(const double *m) {
    return br_mat3_of_rows(br_read3(m), br_read3(m + 3), br_read3(m + 6));
}

static br_vec3 across(br_vec3 v, br_vec3 n) {
    return br_vec3_add_scaled(v, -br_vec3_dot(v, n), n);
}

// --- the smallest rotation between two normals -------------------------------------------------------------

// Opposite normals have none: what lies in both planes is kept.
static int opposite(br_vec3 a, br_vec3 b) {
    return br_vec3_dot(a, b) < -0.99;
}

// v turned by the smallest rotation that takes the unit vector a to b, and laid into b's plane.
static br_vec3 carry(br_vec3 v, br_vec3 a, br_vec3 b) {
    const br_vec3 axis = br_vec3_cross(a, b);
    const double c = br_vec3_dot(a, b);
    if (opposite(a, b)) return across(v, b);
    const br_vec3 turned = br_vec3_add(br_vec3_add(br_vec3_scale(c, v), br_vec3_cross(axis, v)),
                                       br_vec3_scale(br_vec3_dot(axis, v) / (1.0 + c), axis));
    return across(turned, b);
}

// How that rotation turns when b does: d turn = M d b. From its quaternion, (1 + a.b, a x b) up to its length.
static br_mat3 carry_by(br_vec3 a, br_vec3 b) {
    if (opposite(a, b)) return br_mat3_zero();
    const br_vec3 axis = br_vec3_cross(a, b);
    const double per = 1.0 / (1.0 + br_vec3_dot(a, b));
    const br_mat3 spin = br_mat3_sub(br_mat3_outer(a, axis), br_mat3_outer(axis, a));
    return br_mat3_add(br_mat3_skew(a), br_mat3_scale(per, spin));
}

// --- gaps ----------------------------------------------------------------------------------------------------

// Races touch a little beyond their touch, by less than rounding leaves of a gap: a damper's force jumps there, and a step that ends
// at the touch to the last bit would see it on one side or the other as rounding has it.
static void contact_of(const br_clearance *p, const br_race_pair *pair, br_vec3 hint, int derivatives,
                       br_race_contact *out) {
    br_race_contact_of(pair, hint, derivatives, out);
    out->gap += BR_EPS_TOUCH * p->def->outer_radius;
}

// --- start of a step ---------------------------------------------------------------------------------------

static br_race_pair pair_of(const br_clearance *p, br_vec3 u, br_mat3 E, br_mat3 N) {
    return (br_race_pair){p->def->type,        p->def->outer_radius, p->def->inner_radius, u, E,
                          br_mat3_column(N, 2)};
}

// What K's and L's nodes do at one end of the step.
typedef struct motion {
    br_vec3 u;
    br_race_pair pair;
    br_vec3 du, w_k, w_l; // world axes
} motion;

static motion motion_of(const br_implicit *f, const br_clearance *p, int end) {
    const br_node *node[2] = {p->ends.a < 0 ? &f->world : &f->node[p->ends.a],
                              p->ends.b < 0 ? &f->world : &f->node[p->ends.b]};
    const br_vec3 own[2] = {p->ends.p_a, p->ends.p_b};
    br_vec3 centre[2], rate[2], turn[2];
    motion m;
    for (int i = 0; i < 2; i++) {
        const br_node *n = node[i];
        const br_mat3 R = end ? n->R1 : n->R0;
        const br_vec3 arm = br_mat3_mul_vec(R, own[i]);
        turn[i] = br_mat3_mul_vec(R, end ? n->w1 : n->w0);
        centre[i] = br_vec3_add(end ? n->x1 : n->start->x, arm);
        rate[i] = br_vec3_add(end ? n->u1 : n->u0, br_vec3_cross(turn[i], arm));
    }
    m.u = br_vec3_sub(centre[1], centre[0]), m.du = br_vec3_sub(rate[1], rate[0]);
    m.w_k = turn[0], m.w_l = turn[1];
    m.pair = pair_of(p, m.u, br_mat3_mul(end ? node[0]->R1 : node[0]->R0, p->ends.Q_a),
                     br_mat3_mul(end ? node[1]->R1 : node[1]->R0, p->ends.Q_b));
    return m;
}

static void clearance_begin(br_implicit *f, br_element *e) {
    br_clearance *p = e->data;
    const motion m = motion_of(f, p, 0);
    br_vec3 hint = br_read3(e->state + HINT);
    if (br_vec3_norm(hint) == 0.0) hint = br_mat3_column(m.pair.E_k, 0);
    br_race_contact *c = &p->start;
    contact_of(p, &m.pair, hint, 0, c);
    write3(e->state + HINT, c->n);
    p->u_start = m.u;
    memset(&p->turning, 0, sizeof p->turning);
    p->v_start = across(br_passing(m.du, m.w_k, m.w_l, br_vec3_add(m.u, c->arm_l), c->arm_l), c->n);
    if (c->gap <= 0.0) return;
    const double opening = -br_vec3_dot(c->n, m.du) + br_vec3_dot(c->m_k, m.w_k) + br_vec3_dot(c->m_l, m.w_l);
    e->state[APPROACH] = fmax(-opening, 0.0);
}

// --- normal force ------------------------------------------------------------------------------------------

typedef struct pressed {
    double elastic, loss;
    double by_depth, by_rate; // of their sum, by the depth at the end and by the closing rate
} pressed;

static pressed press(const br_implicit *f, const br_element *e, const br_clearance *p, double rate) {
    const br_normal_law *law = &p->def->law;
    const double d0 = -p->start.gap, d1 = -p->end.gap;
    const int mean = f->half != 1.0;
    double loss_depth, loss_rate, depth = d1, share = 1.0;
    pressed r = {0};
    if (mean) {
        r.elastic = br_normal_mean(law, d0, d1), r.by_depth = br_normal_mean_slope(law, d0, d1);
        depth = 0.5 * (fmax(d0, 0.0) + fmax(d1, 0.0)), share = d1 > 0.0 ? 0.5 : 0.0;
        rate = (d1 - d0) / f->h;
    } else {
        double by_rate;
        r.elastic = br_normal_elastic(law, d1);
        br_normal_tangent(law, d1, 0.0, &r.by_depth, &by_rate);
    }
    r.loss = br_normal_loss(law, depth, rate, e->state[APPROACH], &loss_depth, &loss_rate);
    if (r.elastic + r.loss < 0.0) { // races do not pull
        r.loss = -r.elastic, r.by_depth = 0.0;
        return r;
    }
    r.by_depth += share * loss_depth;
    if (mean)
        r.by_depth += loss_rate / f->h;
    else
        r.by_rate = loss_rate;
    return r;
}

static void press_by(const pressed *q, const br_clearance_mean *m, const br_clearance_rate *v,
                     double *fn_by) {
    for (int c = 0; c < 12; c++) fn_by[c] = -q->by_depth * m->gap_by[c];
    if (q->by_rate == 0.0) return;
    br_by12_dot(fn_by, q->by_rate, m->n, &v->du_by), br_by12_dot(fn_by, q->by_rate, v->du, &m->n_by);
    br_by12_dot(fn_by, -q->by_rate, m->m_k, &v->w_k_by), br_by12_dot(fn_by, -q->by_rate, v->w_k, &m->m_k_by);
    br_by12_dot(fn_by, -q->by_rate, m->m_l, &v->w_l_by), br_by12_dot(fn_by, -q->by_rate, v->w_l, &m->m_l_by);
}

// --- friction ----------------------------------------------------------------------------------------------

typedef struct rubbed {
    br_vec3 n, w, v, mu; // n: of length 1
    br_vec3 beyond;      // of mu, along the tangent at rest: of what slides to and fro
    br_mat3 slope;       // d mu/d v, all else in its place
    br_vec3 mu_by_gap;   // by the gap at the end, through the part of the step in contact
} rubbed;

// The part of a step that the races touch when contact begins in it, the gap changing evenly, and its derivative by the
// gap at the end. Bristles bend from then on: with the whole step they would be off by up to v h, and where they stick
// they would keep that.
static double touching(const br_implicit *f, const br_clearance *p, double *by_gap) {
    const double g0 = p->start.gap, g1 = p->end.gap;
    *by_gap = 0.0;
    if (f->instant || !(g0 > 0.0) || !(g1 < 0.0)) return 1.0;
    *by_gap = -g0 / ((g0 - g1) * (g0 - g1));
    return -g1 / (g0 - g1);
}

// mu of bristles that were `z` and then slid for a part of the step.
static void bend(const br_implicit *f, const br_clearance *p, br_vec3 z, br_vec3 v_start, br_vec3 v,
                 double part, br_lugre_step *step) {
    const int end = f->half == 1.0;
    // End forces: the velocity grows evenly too, its mean is that of the part.
    const br_vec3 mean = end ? br_vec3_add_scaled(v, -0.5 * part, br_vec3_sub(v, v_start)) : v;
    const double v3[3] = {mean.x, mean.y, mean.z}, v_end[3] = {v.x, v.y, v.z}, z3[3] = {z.x, z.y, z.z};
    br_lugre_advance(&p->def->friction, 3, v3, end ? v_end : NULL, z3, f->instant ? 0.0 : part * f->h, step);
}

// d mu/d part by a difference: the law has no other use for it.
static br_vec3 mu_by_part(const br_implicit *f, const br_clearance *p, br_vec3 z, br_vec3 v_start, br_vec3 v,
                          double part) {
    const double e = 1e-5 * part;
    br_lugre_step less, more;
    bend(f, p, z, v_start, v, part - e, &less), bend(f, p, z, v_start, v, part + e, &more);
    const int end = f->half == 1.0;
    return br_vec3_scale(
        0.5 / e, br_vec3_sub(br_read3(end ? more.mu_end : more.mu), br_read3(end ? less.mu_end : less.mu)));
}

static rubbed rub(br_implicit *f, const br_element *e, br_clearance *p, const br_clearance_mean *m,
                  const br_clearance_rate *r) {
    const br_vec3 hint = br_read3(e->state + HINT);
    rubbed q = {.n = br_vec3_normalize(m->side), .slope = br_mat3_zero(), .beyond = br_vec3_zero()};
    q.w = br_passing(r->du, r->w_k, r->w_l, m->arm_k, m->arm_l), q.v = across(q.w, q.n);
    p->n = q.n, p->slip = br_vec3_norm(q.v);
    if (p->def->friction.law == BR_FRICTION_NONE || f->still) return q;
    const br_vec3 z = carry(br_read3(e->state + BRISTLE), hint, q.n), v_start = carry(p->v_start, hint, q.n);
    const int end = f->half == 1.0;
    double by_gap;
    const double part = touching(f, p, &by_gap);
    br_lugre_step step;
    bend(f, p, z, v_start, q.v, part, &step);
    p->z_next = br_read3(step.z_f);
    q.mu = br_read3(end ? step.mu_end : step.mu);
    const double v3[3] = {q.v.x, q.v.y, q.v.z};
    const int turns = br_implicit_turns(f, &p->turning, 3, v3);
    if (!f->tangent) return q;
    if (turns)
        bend(f, p, z, v_start, br_vec3_zero(), part, &step), q.mu = br_read3(end ? step.mu_end : step.mu);
    q.slope =
        end ? br_mat3_add(br_mat3_scale(1.0 - 0.5 * part, read9(step.mu_end_v)), read9(step.mu_end_v_end))
            : read9(step.mu_v);
    if (turns) q.beyond = br_mat3_mul_vec(q.slope, q.v);
    if (by_gap != 0.0) q.mu_by_gap = br_vec3_scale(by_gap, mu_by_part(f, p, z, v_start, q.v, part));
    return q;
}

// d mu. n turning by d turn takes z with it; a law that is the same in all directions then gives
// d mu = slope (d v - d turn x v) + d turn x mu.
static br_by12 rub_by(const br_element *e, const br_clearance_mean *m, const br_clearance_rate *r,
                      const rubbed *q) {
    const double per = 1.0 / br_vec3_norm(m->side), along = br_vec3_dot(q->n, q->w);
    const br_mat3 flat = br_mat3_sub(br_mat3_identity(), br_mat3_outer(q->n, q->n));
    const br_by12 n_by = br_by12_times(br_mat3_scale(per, flat), &m->side_by);
    const br_by12 w_by = br_clearance_passing_by(r, m);
    // v = w - n (n . w)
    double row[12] = {0.0};
    br_by12 v_by = br_by12_times(flat, &w_by);
    br_by12_dot(row, 1.0, q->w, &n_by);
    br_by12_add(&v_by, -along, &n_by);
    br_by12_add_outer(&v_by, -1.0, q->n, row);
    br_by12 mu_by = br_by12_times(q->slope, &v_by);
    const br_mat3 turn = br_mat3_sub(br_mat3_mul(q->slope, br_mat3_skew(q->v)), br_mat3_skew(q->mu));
    br_by12_add_times(&mu_by, 1.0, br_mat3_mul(turn, carry_by(br_read3(e->state + HINT), q->n)), &n_by);
    br_by12_add_outer(&mu_by, 1.0, q->mu_by_gap, m->gap_by);
    return mu_by;
}

// --- all forces --------------------------------------------------------------------------------------------

// F on L at its centre and -F on K at its own, with torques.
typedef struct pair_forces {
    br_vec3 F, T_k, T_l;
} pair_forces;

static void push(br_implicit *f, const br_clearance *p, const br_span *s, pair_forces q, br_book book) {
    br_push(f, p->ends.a, br_wrench_of(br_vec3_sub(q.T_k, br_vec3_cross(s->r_a, q.F)), br_vec3_neg(q.F)),
            book);
    br_push(f, p->ends.b, br_wrench_of(br_vec3_add(q.T_l, br_vec3_cross(s->r_b, q.F)), q.F), book);
}

static pair_forces along_normal(const br_clearance_mean *m, double fn) {
    return (pair_forces){br_vec3_scale(-fn, m->n), br_vec3_scale(fn, m->m_k), br_vec3_scale(fn, m->m_l)};
}

static pair_forces along_surface(const br_clearance_mean *m, br_vec3 f_t) {
    return (pair_forces){f_t, br_vec3_cross(f_t, m->arm_k), br_vec3_cross(m->arm_l, f_t)};
}

static void add_tangent(br_implicit *f, br_element *e, const br_span *s, br_vec3 F, const br_by12 *F_by,
                        br_by12 *T_k_by, br_by12 *T_l_by) {
    double K[12][12];
    br_by12_add_times(T_k_by, -1.0, br_mat3_skew(s->r_a), F_by);
    br_by12_add_times(T_l_by, 1.0, br_mat3_skew(s->r_b), F_by);
    // d r x F = -half (r1~ psi) x F = half F~ r1~ psi
    br_by12_put(T_k_by, BR_BY_TURN_A, -f->half, br_mat3_mul(br_mat3_skew(F), br_mat3_skew(s->r_a1)));
    br_by12_put(T_l_by, BR_BY_TURN_B, f->half, br_mat3_mul(br_mat3_skew(F), br_mat3_skew(s->r_b1)));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 12; c++) {
            K[r][c] = -F_by->m[r][c], K[3 + r][c] = T_k_by->m[r][c];
            K[6 + r][c] = F_by->m[r][c], K[9 + r][c] = T_l_by->m[r][c];
        }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) br_tangent_block(f, e, a, b, &K[6 * a][6 * b], 12);
}

static void tangent(br_implicit *f, br_element *e, const br_clearance *p, const br_span *s,
                    const br_clearance_mean *m, const br_clearance_rate *r, const pressed *q,
                    const rubbed *t) {
    const double fn = q->elastic + q->loss;
    double fn_by[12];
    br_by12 F_by = br_by12_zero(), T_k_by = br_by12_zero(), T_l_by = br_by12_zero();
    press_by(q, m, r, fn_by);
    br_by12_add_outer(&F_by, -1.0, m->n, fn_by), br_by12_add(&F_by, -fn, &m->n_by);
    br_by12_add_outer(&T_k_by, 1.0, m->m_k, fn_by), br_by12_add(&T_k_by, fn, &m->m_k_by);
    br_by12_add_outer(&T_l_by, 1.0, m->m_l, fn_by), br_by12_add(&T_l_by, fn, &m->m_l_by);
    if (p->def->friction.law != BR_FRICTION_NONE) { // f_t = -fn mu
        const br_by12 mu_by = rub_by(e, m, r, t);
        br_by12 f_t_by = br_by12_zero();
        br_by12_add(&f_t_by, -fn, &mu_by), br_by12_add_outer(&f_t_by, -1.0, t->mu, fn_by);
        br_by12_add(&F_by, 1.0, &f_t_by);
        br_by12_add_times(&T_k_by, -1.0, br_mat3_skew(m->arm_k), &f_t_by);
        br_by12_add_times(&T_k_by, 1.0, br_mat3_skew(p->f_t), &m->arm_k_by);
        br_by12_add_times(&T_l_by, 1.0, br_mat3_skew(m->arm_l), &f_t_by);
        br_by12_add_times(&T_l_by, -1.0, br_mat3_skew(p->f_t), &m->arm_l_by);
    }
    add_tangent(f, e, s, br_vec3_add_scaled(p->f_t, -fn, m->n), &F_by, &T_k_by, &T_l_by);
}

static void clearance_evaluate(br_implicit *f, br_element *e) {
    br_clearance *p = e->data;
    const br_span s = br_span_of(f, &p->ends);
    const br_race_pair pair = pair_of(p, s.d1, s.E1, s.N1);
    contact_of(p, &pair, br_read3(e->state + HINT), f->tangent, &p->end);
    p->normal = 0.0, p->f_t = p->z_next = br_vec3_zero(), p->n = p->end.n;
    br_clearance_rate r;
    br_clearance_rates(f, p, &s, &r);
    if (p->end.gap > 0.0 &&
        (f->half == 1.0 || p->start.gap > 0.0)) { // open: how fast the points nearest pass
        const br_vec3 arm_k = br_vec3_add(s.d1, p->end.arm_l);
        p->slip = br_vec3_norm(across(br_passing(r.du, r.w_k, r.w_l, arm_k, p->end.arm_l), p->end.n));
        return;
    }
    br_clearance_mean m;
    br_clearance_means(f, p, &s, &r, &m);
    const double closing = br_vec3_dot(m.n, r.du) - br_vec3_dot(m.m_k, r.w_k) - br_vec3_dot(m.m_l, r.w_l);
    const pressed q = press(f, e, p, closing);
    const rubbed t = rub(f, e, p, &m, &r);
    p->normal = q.elastic + q.loss, p->f_t = br_vec3_scale(-p->normal, br_vec3_add(t.mu, t.beyond));
    push(f, p, &s, along_normal(&m, q.elastic), BR_BOOK_ELASTIC);
    push(f, p, &s, along_normal(&m, q.loss), BR_BOOK_DAMPING);
    push(f, p, &s, along_surface(&m, p->f_t), BR_BOOK_FRICTION);
    if (f->tangent && !f->instant) tangent(f, e, p, &s, &m, &r, &q, &t);
}

// --- the step was taken ------------------------------------------------------------------------------------

// The gap is taken to change evenly over the step.
static void tell(br_implicit *f, const br_clearance *p, br_event_kind kind, double value) {
    br_sim *sim = f->sim;
    br_event event = {
        .t = f->t0 + f->h * (p->start.gap / (p->start.gap - p->end.gap)), .kind = kind, .value = value};
    if (!sim->event) return;
    snprintf(event.name, sizeof event.name, "%s", p->def->name);
    sim->event(sim->event_context, &event);
}

static void accept(br_implicit *f, br_element *e) {
    br_clearance *p = e->data;
    const int touches = p->end.gap <= 0.0;
    if (touches && p->start.gap > 0.0) tell(f, p, BR_EVENT_CONTACT_ON, e->state[APPROACH]);
    if (!touches && p->start.gap <= 0.0) tell(f, p, BR_EVENT_CONTACT_OFF, (p->end.gap - p->start.gap) / f->h);
    write3(e->state + BRISTLE, touches ? carry(p->z_next, p->n, p->end.n) : br_vec3_zero());
    write3(e->state + HINT, p->end.n);
    if (touches) f->sim->ledger->penetration = fmax(f->sim->ledger->penetration, -p->end.gap);
}

static double energy(br_implicit *f, br_element *e) {
    br_clearance *p = e->data;
    const motion m = motion_of(f, p, 1);
    br_race_contact at;
    contact_of(p, &m.pair, br_read3(e->state + HINT), 0, &at);
    return br_normal_energy(&p->def->law, -at.gap);
}

// --- the next step -----------------------------------------------------------------------------------------

// By nearness of contact [BauchauJu2006 eqs. 19-20]. Gaps are those of the step's ends, so their mean speed is that of the
// step alone; where the gap does not change there is no wish.
static double contact_wish(const br_adaptive_settings *s, const br_clearance *p, double h) {
    const double kappa = p->end.gap / s->epsilon_p / s->q_min;
    const double change = s->epsilon_p * (kappa > 1.0 ? br_pow(kappa, s->alpha) : 1.0);
    const double speed = fabs(p->end.gap - p->start.gap) / h;
    return speed > 0.0 ? change / speed : INFINITY;
}

// By the time constant of the friction [BauchauJu2006 eq. 33].
static double friction_wish(const br_adaptive_settings *s, const br_clearance *p) {
    const br_friction_params *law = &p->def->friction;
    const double rate = law->law == BR_FRICTION_NONE ? 0.0 : br_lugre_rate(law);
    if (!(rate > 0.0) || !(p->normal > 0.0)) return INFINITY;
    const double nu = p->slip / law->v_stribeck / s->v_min;
    return s->dtau_min / rate * (nu > 1.0 ? br_pow(nu, s->friction_alpha) : 1.0);
}

static double wish(br_implicit *f, br_element *e, int *why) {
    const br_clearance *p = e->data;
    const br_adaptive_settings *s = &f->sim->model->settings.solver.adaptive;
    const double contact = s->contact ? contact_wish(s, p, f->h) : INFINITY;
    const double friction = s->friction ? friction_wish(s, p) : INFINITY;
    f->control->h_contact = fmin(f->control->h_contact, contact),
    f->control->h_friction = fmin(f->control->h_friction, friction);
    if (s->contact && p->start.gap > s->epsilon_p && -p->end.gap > BR_UNFORESEEN * s->epsilon_p) f->again = 1;
    *why = contact < friction ? BR_LIMIT_CONTACT : BR_LIMIT_FRICTION;
    return fmin(contact, friction);
}

static const char *clearance_label(const br_model *model, int index) {
    return model->clearance[index].name;
}

const br_element_kind br_element_clearance = {
    .name = "clearance",
    .begin = clearance_begin,
    .evaluate = clearance_evaluate,
    .accept = accept,
    .energy = energy,
    .wish = wish,
    .what = "clearance",
    .label = clearance_label,
};

br_clearance_reading br_clearance_read(const br_element *e) {
    const br_clearance *p = e->data;
    return (br_clearance_reading){p->end.gap, p->normal, p->f_t, p->slip};
}

br_status br_elements_clearances(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    (void)error;
    f->first_clearance = f->elements;
    for (int i = 0; i < m->clearances; i++) {
        const br_model_clearance *def = &m->clearance[i];
        br_clearance *p = BR_TAKE(f->arena, br_clearance, 1);
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
