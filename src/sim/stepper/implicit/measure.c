// Scalars of the relative pose of two frames, their gradients and the gradients' derivatives, see implicit.h. All of them
// are products of vectors fixed in the two bodies, or angles made of such products: over a step, the difference of
// d . e is d_mean . (turn_e x e_mean) + e_mean . (turn_d x d_mean) exactly.
#include <string.h>

#include "math/elementary.h"
#include "model/def/names.h"
#include "sim/stepper/implicit/implicit.h"

br_ends br_ends_of(const br_implicit *f, int first, int second, br_pose X_AF, br_pose X_BM) {
    br_ends r = {first,
                 second,
                 X_AF.position,
                 X_BM.position,
                 br_quat_to_mat3(X_AF.rotation),
                 br_quat_to_mat3(X_BM.rotation)};
    if (first >= 0) r.p_a = br_vec3_sub(r.p_a, f->node[first].com);
    if (second >= 0) r.p_b = br_vec3_sub(r.p_b, f->node[second].com);
    return r;
}

br_span br_span_of(br_implicit *f, const br_ends *ends) {
    const br_node *a = br_node_at(f, ends->a), *b = br_node_at(f, ends->b);
    br_span s;
    s.E = br_mat3_mul(a->R, ends->Q_a), s.E1 = br_mat3_mul(a->R1, ends->Q_a);
    s.N = br_mat3_mul(b->R, ends->Q_b), s.N1 = br_mat3_mul(b->R1, ends->Q_b);
    s.r_a = br_mat3_mul_vec(a->R, ends->p_a), s.r_a1 = br_mat3_mul_vec(a->R1, ends->p_a);
    s.r_b = br_mat3_mul_vec(b->R, ends->p_b), s.r_b1 = br_mat3_mul_vec(b->R1, ends->p_b);
    s.d = br_vec3_sub(br_vec3_add(b->x, s.r_b), br_vec3_add(a->x, s.r_a));
    s.d1 = br_vec3_sub(br_vec3_add(b->x1, s.r_b1), br_vec3_add(a->x1, s.r_a1));
    return s;
}

static br_wrench torque_only(br_vec3 t) {
    return br_wrench_of(t, br_vec3_zero());
}

static void point(br_vec3 e, br_vec3 d, br_vec3 r_a, br_vec3 r_b, br_wrench *G_a, br_wrench *G_b) {
    *G_b = br_wrench_of(br_vec3_cross(r_b, e), e);
    *G_a = br_wrench_of(br_vec3_cross(e, br_vec3_add(d, r_a)), br_vec3_neg(e));
}

// A step's start from its mean and end.
static br_vec3 before(const br_implicit *f, br_vec3 mean, br_vec3 end) {
    return f->half == 1.0 ? end : br_vec3_sub(br_vec3_scale(2.0, mean), end);
}

// The angle atan2(p . y, p . x) of three vectors, x and y being axes of one body and p of the other: its gradient on the
// body of p (torque); the other has the opposite.
typedef struct angle {
    double y0, y1;
    br_vec3 mean, end;
} angle;

static angle angle_of(const br_implicit *f, br_vec3 p, br_vec3 p1, br_vec3 x, br_vec3 x1, br_vec3 y,
                      br_vec3 y1, double near) {
    const br_vec3 p0 = before(f, p, p1), x0 = before(f, x, x1), v0 = before(f, y, y1);
    const double a0 = br_vec3_dot(p0, x0), b0 = br_vec3_dot(p0, v0);
    const double a1 = br_vec3_dot(p1, x1), b1 = br_vec3_dot(p1, y1);
    const double a = 0.5 * (a0 + a1), b = 0.5 * (b0 + b1), sine = a0 * b1 - b0 * a1,
                 cosine = a0 * a1 + b0 * b1;
    const double difference = br_atan2(sine, cosine);
    const double factor = fabs(sine) > 1e-7 * cosine ? difference / sine : 1.0 / fmax(cosine, 1e-300);
    angle r;
    r.y1 = br_atan2(b1, a1);
    r.y1 += 2.0 * BR_PI * round((near - r.y1) / (2.0 * BR_PI));
    r.y0 = r.y1 - difference;
    // d(p . y) on the body of p: torque p x y.
    r.mean = br_vec3_scale(
        factor, br_vec3_sub(br_vec3_scale(a, br_vec3_cross(p, y)), br_vec3_scale(b, br_vec3_cross(p, x))));
    r.end = br_vec3_scale(1.0 / (a1 * a1 + b1 * b1), br_vec3_sub(br_vec3_scale(a1, br_vec3_cross(p1, y1)),
                                                                 br_vec3_scale(b1, br_vec3_cross(p1, x1))));
    return r;
}

static void set_angle(br_measure *m, const angle *t, double sign) {
    m->y0 = t->y0, m->y1 = t->y1;
    m->G_b = torque_only(br_vec3_scale(sign, t->mean)), m->G_a = torque_only(br_vec3_scale(-sign, t->mean));
    m->G_b1 = torque_only(br_vec3_scale(sign, t->end)), m->G_a1 = torque_only(br_vec3_scale(-sign, t->end));
}

br_measure br_measure_of(br_implicit *f, const br_span *s, const br_measured *what, double near) {
    br_measure m = {0};
    const br_vec3 e = br_mat3_column(s->E, what->i), e1 = br_mat3_column(s->E1, what->i);
    switch (what->kind) {
    case BR_MEASURE_POINT:
        m.y0 = br_vec3_dot(before(f, e, e1), before(f, s->d, s->d1));
        m.y1 = br_vec3_dot(e1, s->d1);
        point(e, s->d, s->r_a, s->r_b, &m.G_a, &m.G_b);
        point(e1, s->d1, s->r_a1, s->r_b1, &m.G_a1, &m.G_b1);
        break;
    case BR_MEASURE_AXES: {
        const br_vec3 n = br_mat3_column(s->N, what->j), n1 = br_mat3_column(s->N1, what->j);
        m.y0 = br_vec3_dot(before(f, e, e1), before(f, n, n1));
        m.y1 = br_vec3_dot(e1, n1);
        m.G_b = torque_only(br_vec3_cross(n, e)), m.G_a = torque_only(br_vec3_cross(e, n));
        m.G_b1 = torque_only(br_vec3_cross(n1, e1)), m.G_a1 = torque_only(br_vec3_cross(e1, n1));
        break;
    }
    case BR_MEASURE_ANGLE: {
        const angle t =
            angle_of(f, br_mat3_column(s->N, 0), br_mat3_column(s->N1, 0), br_mat3_column(s->E, 0),
                     br_mat3_column(s->E1, 0), br_mat3_column(s->E, 1), br_mat3_column(s->E1, 1), near);
        set_angle(&m, &t, 1.0);
        break;
    }
    case BR_MEASURE_ANGLE_X: { // p = z of F, which belongs to a; axes z and y of M
        const angle t =
            angle_of(f, br_mat3_column(s->E, 2), br_mat3_column(s->E1, 2), br_mat3_column(s->N, 2),
                     br_mat3_column(s->N1, 2), br_mat3_column(s->N, 1), br_mat3_column(s->N1, 1), near);
        set_angle(&m, &t, -1.0);
        break;
    }
    case BR_MEASURE_DISTANCE: {
        const double L = what->length;
        const br_vec3 d0 = before(f, s->d, s->d1);
        m.y0 = (br_vec3_dot(d0, d0) - L * L) / (2.0 * L);
        m.y1 = (br_vec3_dot(s->d1, s->d1) - L * L) / (2.0 * L);
        m.G_b = br_wrench_of_force(br_vec3_scale(1.0 / L, s->d), s->r_b);
        m.G_a = br_wrench_of_force(br_vec3_scale(-1.0 / L, s->d), s->r_a);
        m.G_b1 = br_wrench_of_force(br_vec3_scale(1.0 / L, s->d1), s->r_b1);
        m.G_a1 = br_wrench_of_force(br_vec3_scale(-1.0 / L, s->d1), s->r_a1);
        break;
    }
    case BR_MEASURE_SPIN: {
        const br_vec3 n = br_mat3_column(s->N, what->i), n1 = br_mat3_column(s->N1, what->i);
        m.G_b = torque_only(n), m.G_a = torque_only(br_vec3_neg(n));
        m.G_b1 = torque_only(n1), m.G_a1 = torque_only(br_vec3_neg(n1));
        break;
    }
    }
    return m;
}

double br_measure_rate(br_implicit *f, const br_ends *ends, const br_measure *m) {
    return br_twist_dot(br_node_at(f, ends->a)->rate, m->G_a) +
           br_twist_dot(br_node_at(f, ends->b)->rate, m->G_b);
}

br_wrench br_rate_by(const br_implicit *f, const br_node *n, br_wrench G) {
    return br_wrench_of(br_mat3_tmul_vec(n->rate_turn, G.torque), br_vec3_scale(f->rate_move, G.force));
}

void br_measure_rate_by(br_implicit *f, const br_ends *ends, const br_measure *m, br_wrench *by_a,
                        br_wrench *by_b) {
    *by_a = br_rate_by(f, br_node_at(f, ends->a), m->G_a);
    *by_b = br_rate_by(f, br_node_at(f, ends->b), m->G_b);
}

// --- derivatives of the mean gradients -----------------------------------------------------------------------

typedef struct tangent {
    br_implicit *f;
    br_element *e;
    int a, b;
    double factor;
} tangent;

static br_mat3 twice(br_vec3 x, br_vec3 y) { // x~ y~
    return br_mat3_mul(br_mat3_skew(x), br_mat3_skew(y));
}

static void add(const tangent *t, int row, int row_part, int column, int column_part, double factor,
                br_mat3 M) {
    br_tangent(t->f, t->e, row, row_part, column, column_part, br_mat3_scale(t->factor * factor, M));
}

static void point_tangent(const tangent *t, const br_span *s, int i) {
    const double half = t->f->half;
    const br_vec3 e = br_mat3_column(s->E, i), e1 = br_mat3_column(s->E1, i), arm = br_vec3_add(s->d, s->r_a);
    const br_mat3 turned = br_mat3_skew(e1), cross = br_mat3_skew(e);
    add(t, t->b, 0, t->a, 3, -half, turned);
    add(t, t->a, 0, t->a, 3, half, turned);
    add(t, t->b, 3, t->b, 3, half, twice(e, s->r_b1));
    add(t, t->b, 3, t->a, 3, -half, twice(s->r_b, e1));
    add(t, t->a, 3, t->a, 3, half, twice(arm, e1));
    add(t, t->a, 3, t->b, 0, half, cross);
    add(t, t->a, 3, t->a, 0, -half, cross);
    add(t, t->a, 3, t->b, 3, -half, twice(e, s->r_b1));
}

static void axes_tangent(const tangent *t, br_vec3 a, br_vec3 a1, br_vec3 b, br_vec3 b1) {
    const double half = t->f->half;
    const br_mat3 by_b = twice(a, b1), by_a = twice(b, a1);
    add(t, t->b, 3, t->b, 3, half, by_b);
    add(t, t->b, 3, t->a, 3, -half, by_a);
    add(t, t->a, 3, t->b, 3, -half, by_b);
    add(t, t->a, 3, t->a, 3, half, by_a);
}

static void distance_tangent(const tangent *t, const br_span *s, double L) {
    const double c = t->f->half / L;
    const br_mat3 one = br_mat3_identity(), A1 = br_mat3_skew(s->r_a1), B1 = br_mat3_skew(s->r_b1);
    const int to[2] = {t->b, t->a};
    for (int k = 0; k < 2; k++) { // on b, and with the other sign on a
        const double sign = k == 0 ? c : -c;
        const br_vec3 r = k == 0 ? s->r_b : s->r_a, r1 = k == 0 ? s->r_b1 : s->r_a1;
        const br_mat3 arm = br_mat3_skew(r);
        add(t, to[k], 0, t->b, 0, sign, one);
        add(t, to[k], 0, t->b, 3, -sign, B1);
        add(t, to[k], 0, t->a, 0, -sign, one);
        add(t, to[k], 0, t->a, 3, sign, A1);
        add(t, to[k], 3, to[k], 3, sign, twice(s->d, r1));
        add(t, to[k], 3, t->b, 0, sign, arm);
        add(t, to[k], 3, t->b, 3, -sign, br_mat3_mul(arm, B1));
        add(t, to[k], 3, t->a, 0, -sign, arm);
        add(t, to[k], 3, t->a, 3, sign, br_mat3_mul(arm, A1));
    }
}

// A torque along an axis of one body, on b and back on a.
static void axis_tangent(const tangent *t, int owner, br_vec3 axis1) {
    const br_mat3 turned = br_mat3_skew(axis1);
    add(t, t->b, 3, owner, 3, -t->f->half, turned);
    add(t, t->a, 3, owner, 3, t->f->half, turned);
}

void br_measure_tangent(br_implicit *f, br_element *e, int slot_a, int slot_b, const br_span *s,
                        const br_measured *what, double factor) {
    if (f->instant || factor == 0.0) return;
    const tangent t = {f, e, slot_a, slot_b, factor};
    switch (what->kind) {
    case BR_MEASURE_POINT:
        point_tangent(&t, s, what->i);
        break;
    case BR_MEASURE_AXES:
        axes_tangent(&t, br_mat3_column(s->E, what->i), br_mat3_column(s->E1, what->i),
                     br_mat3_column(s->N, what->j), br_mat3_column(s->N1, what->j));
        break;
    case BR_MEASURE_ANGLE: // on the joint's own rows the gradient is F's z axis
        axis_tangent(&t, slot_a, br_mat3_column(s->E1, 2));
        break;
    case BR_MEASURE_ANGLE_X:
        axis_tangent(&t, slot_b, br_mat3_column(s->N1, 0));
        break;
    case BR_MEASURE_DISTANCE:
        distance_tangent(&t, s, what->length);
        break;
    case BR_MEASURE_SPIN:
        axis_tangent(&t, slot_b, br_mat3_column(s->N1, what->i));
        break;
    }
}

// --- joint coordinates -------------------------------------------------------------------------------------

int br_measured_coordinate(const br_model_joint *joint, int k, br_measured *out) {
    const char *letters = br_joint_type_coordinates(joint->type);
    if (k >= (int)strlen(letters)) return 0;
    const char *first = strchr(letters, letters[k]);
    br_measured r = {BR_MEASURE_ANGLE, 2, 0, 0.0};
    if (letters[k] == 'L') r.kind = BR_MEASURE_POINT;
    if (letters[k] == 'A' && first != letters + k) r.kind = BR_MEASURE_ANGLE_X;
    if (letters[k] == 'R') r.kind = BR_MEASURE_SPIN;
    if (letters[k] == 'R' || (letters[k] == 'L' && strchr(first + 1, 'L'))) r.i = (int)(letters + k - first);
    *out = r;
    return 1;
}
