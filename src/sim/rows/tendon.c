// Tendons, see tendon.h. The length is a minimum over the way around its shapes, so that where it meets them does not enter its rate:
// with n the direction of a straight stretch from P to Q and v the velocities of the material points there,
//
//     dL/dt = sum over stretches of n . (v_Q - v_P) / divisor
//
// and the second rate of a tendon without shapes is that of its stretches, |u|^2 - (n . u)^2 over the length and what turning bodies
// add. Around shapes the points slide over them too; there it is a difference of rates along the motion at hand.
#include "sim/rows/tendon.h"

#include <math.h>

#include "sim/rows/group.h"
#include "tree/spatial.h"
#include "tree/wrap.h"

#define BR_TENDON_WAY 1e-5 // of the smallest radius, or rad: the way over which rates are differenced

// Poses and velocities of links a little later, while they keep their twists.
typedef struct tendon_view {
    const br_sim *sim;
    double later; // s
} tendon_view;

typedef struct place {
    br_mat3 R;
    br_vec3 p, v, w; // of the link's reference point
} place;

static place place_of(const tendon_view *view, int link, int with_velocity) {
    place x = {br_mat3_identity(), br_vec3_zero(), br_vec3_zero(), br_vec3_zero()};
    if (link < 0) return x;
    x.R = view->sim->work.pose[link].R_WL, x.p = view->sim->work.pose[link].p_WL;
    if (!with_velocity) return x;
    x.v = view->sim->work.motion[link].V.linear, x.w = view->sim->work.motion[link].V.angular;
    if (view->later == 0.0) return x;
    x.R = br_mat3_mul(br_quat_to_mat3(br_quat_exp(br_vec3_scale(view->later, x.w))), x.R);
    x.p = br_vec3_add_scaled(x.p, view->later, x.v);
    return x;
}

// One end of a straight stretch.
typedef struct tendon_end {
    int link, entry;
    br_vec3 point, arm; // world; from the link's reference point
    br_vec3 v, w;       // of the material point there, of the link
} tendon_end;

static tendon_end end_at(const place *x, const br_model_tendon_part *p, br_vec3 point) {
    tendon_end e = {p->link, p->entry, point, br_vec3_sub(point, x->p), x->v, x->w};
    e.v = br_vec3_add(x->v, br_vec3_cross(x->w, e.arm));
    return e;
}

static tendon_end end_of_point(const tendon_view *view, const br_model_tendon_part *p, int with_velocity) {
    const place x = place_of(view, p->link, with_velocity);
    return end_at(&x, p, br_vec3_add(x.p, br_mat3_mul_vec(x.R, p->X_L.position)));
}

typedef struct tendon_stretch {
    tendon_end from, to;
    double factor; // 1/divisor
    double arc;    // of the arc that follows, not divided
    br_wrap_way way;
} tendon_stretch;

// Walks along the path, one stretch after the other.
typedef struct tendon_walk {
    tendon_view view;
    const br_model_tendon *tendon;
    int with_velocity;
    int at; // the part that the next stretch begins at
    double factor;
    int rest; // of stretches around a shape, still to be given: the last
    tendon_stretch last;
} tendon_walk;

static tendon_walk walk_along(const br_sim *sim, const br_model_tendon *t, int with_velocity, double later) {
    return (tendon_walk){.view = {sim, later}, .tendon = t, .with_velocity = with_velocity, .factor = 1.0};
}

// From one point around a shape to the next. 0: it passes by.
static int go_round(tendon_walk *w, const br_model_tendon_part *shape, tendon_stretch *out) {
    const place x = place_of(&w->view, shape->link, w->with_velocity);
    const br_mat3 R = br_mat3_mul(x.R, br_quat_to_mat3(shape->X_L.rotation));
    const br_vec3 centre = br_vec3_add(x.p, br_mat3_mul_vec(x.R, shape->X_L.position));
    br_vec3 side = br_vec3_zero();
    if (shape->has_side) {
        const place s = place_of(&w->view, shape->side_link, w->with_velocity);
        side =
            br_mat3_tmul_vec(R, br_vec3_sub(br_vec3_add(s.p, br_mat3_mul_vec(s.R, shape->side_L)), centre));
    }
    const br_wrap wrap = br_wrap_round(br_mat3_tmul_vec(R, br_vec3_sub(out->from.point, centre)),
                                       br_mat3_tmul_vec(R, br_vec3_sub(out->to.point, centre)), shape->radius,
                                       shape->kind == BR_TENDON_CYLINDER, shape->has_side ? &side : NULL);
    if (wrap.way == BR_WRAP_NONE) return 0;
    w->last = *out;
    w->last.from = end_at(&x, shape, br_vec3_add(centre, br_mat3_mul_vec(R, wrap.leave)));
    out->to = end_at(&x, shape, br_vec3_add(centre, br_mat3_mul_vec(R, wrap.meet)));
    out->arc = wrap.arc, out->way = wrap.way;
    w->rest = 1;
    return 1;
}

static int walk_next(tendon_walk *w, tendon_stretch *out) {
    const br_model_tendon *t = w->tendon;
    if (w->rest) {
        w->rest = 0;
        *out = w->last;
        return 1;
    }
    while (w->at + 1 < t->parts &&
           (t->part[w->at].kind == BR_TENDON_PULLEY || t->part[w->at + 1].kind == BR_TENDON_PULLEY)) {
        if (t->part[w->at].kind == BR_TENDON_PULLEY) w->factor = 1.0 / t->part[w->at].factor;
        w->at++;
    }
    if (w->at + 1 >= t->parts) return 0;
    const br_model_tendon_part *from = &t->part[w->at], *shape = NULL, *to = from + 1;
    if (to->kind != BR_TENDON_POINT) shape = to++;
    *out = (tendon_stretch){.factor = w->factor};
    out->from = end_of_point(&w->view, from, w->with_velocity);
    out->to = end_of_point(&w->view, to, w->with_velocity);
    if (shape) go_round(w, shape, out);
    w->at += shape ? 2 : 1;
    return 1;
}

static br_vec3 direction_of(const tendon_stretch *s) {
    const br_vec3 way = br_vec3_sub(s->to.point, s->from.point);
    const double length = br_vec3_norm(way);
    return length > 0.0 ? br_vec3_scale(1.0 / length, way) : br_vec3_zero();
}

double br_tendon_length(const br_sim *sim, const br_model_tendon *t) {
    double length = 0.0;
    if (t->sum) {
        for (int k = 0; k < t->parts; k++)
            length +=
                t->part[k].factor * br_coordinate_position(sim, t->part[k].joint, t->part[k].coordinate);
        return length;
    }
    tendon_walk w = walk_along(sim, t, 0, 0.0);
    for (tendon_stretch s; walk_next(&w, &s);)
        length += s.factor * (br_vec3_distance(s.from.point, s.to.point) + s.arc);
    return length;
}

// *ways: a number that changes where the tendon takes another way around its shapes.
static double rate_later(const br_sim *sim, const br_model_tendon *t, double later, unsigned *ways) {
    double rate = 0.0;
    tendon_walk w = walk_along(sim, t, 1, later);
    *ways = 0;
    for (tendon_stretch s; walk_next(&w, &s);) {
        *ways = 5 * *ways + (unsigned)s.way + 1;
        if (s.from.link != s.to.link)
            rate += s.factor * br_vec3_dot(direction_of(&s), br_vec3_sub(s.to.v, s.from.v));
    }
    return rate;
}

double br_tendon_rate(const br_sim *sim, const br_model_tendon *t) {
    unsigned ways;
    double rate = 0.0;
    if (!t->sum) return rate_later(sim, t, 0.0, &ways);
    for (int k = 0; k < t->parts; k++)
        rate += t->part[k].factor * br_coordinate_velocity(sim, t->part[k].joint, t->part[k].coordinate);
    return rate;
}

// Of a joint among those of a sum, as coordinate of the group that has the tendon as c.
static br_coordinate coordinate_of(const br_model_tendon_part *p, br_coordinate c) {
    return (br_coordinate){p->joint, p->coordinate, c.dof + p->dof_at, c.entry + p->link_at};
}

void br_tendon_row(const br_sim *sim, const br_model_tendon *t, br_coordinate c, double factor, br_group *g,
                   int row) {
    for (int k = 0; t->sum && k < t->parts; k++)
        br_coordinate_row(sim, coordinate_of(&t->part[k], c), factor * t->part[k].factor, g, row);
    if (t->sum) return;
    br_wrench *F = g->F + row * g->entries + c.entry;
    tendon_walk w = walk_along(sim, t, 0, 0.0);
    for (tendon_stretch s; walk_next(&w, &s);) {
        const br_vec3 f = br_vec3_scale(factor * s.factor, direction_of(&s));
        if (s.from.link == s.to.link) continue;
        if (s.to.entry >= 0) F[s.to.entry] = br_wrench_add(F[s.to.entry], br_wrench_of_force(f, s.to.arm));
        if (s.from.entry >= 0)
            F[s.from.entry] = br_wrench_sub(F[s.from.entry], br_wrench_of_force(f, s.from.arm));
    }
}

// The second rate while the links keep their twists.
static double second_rate_straight(const br_sim *sim, const br_model_tendon *t) {
    double second = 0.0;
    tendon_walk w = walk_along(sim, t, 1, 0.0);
    for (tendon_stretch s; walk_next(&w, &s);) {
        const br_vec3 n = direction_of(&s), u = br_vec3_sub(s.to.v, s.from.v);
        const double length = br_vec3_distance(s.from.point, s.to.point), along = br_vec3_dot(n, u);
        if (s.from.link == s.to.link || !(length > 0.0)) continue;
        const br_vec3 turning =
            br_vec3_sub(br_centripetal(s.to.w, s.to.arm), br_centripetal(s.from.w, s.from.arm));
        second += s.factor * ((br_vec3_norm_squared(u) - along * along) / length + br_vec3_dot(n, turning));
    }
    return second;
}

// How fast anything that it runs over moves against the first of them, by its smallest radius, or turns.
static double fastest_of(const br_sim *sim, const br_model_tendon *t) {
    double fastest = 0.0;
    const tendon_view view = {sim, 0.0};
    br_vec3 first = br_vec3_zero();
    int known = 0;
    for (int k = 0; k < t->parts; k++) {
        if (t->part[k].kind == BR_TENDON_PULLEY) continue;
        const tendon_end e = end_of_point(&view, &t->part[k], 1);
        if (!known) first = e.v;
        known = 1;
        fastest = fmax(fastest, fmax(br_vec3_norm(e.w), br_vec3_distance(e.v, first) / t->scale));
    }
    return fastest;
}

static double second_rate(const br_sim *sim, const br_model_tendon *t) {
    if (!t->wraps) return second_rate_straight(sim, t);
    const double fastest = fastest_of(sim, t);
    if (!(fastest > 0.0)) return 0.0;
    const double time = BR_TENDON_WAY / fastest;
    unsigned ways_before, ways_after;
    const double before = rate_later(sim, t, -time, &ways_before),
                 after = rate_later(sim, t, time, &ways_after);
    // Where it comes to lie on a shape, or leaves it, the rate has a corner, and where it slips off it jumps.
    return ways_before == ways_after ? (after - before) / (2.0 * time) : second_rate_straight(sim, t);
}

double br_tendon_second(const br_sim *sim, const br_model_tendon *t, const br_twist *acceleration) {
    if (t->sum) return 0.0;
    double sum = second_rate(sim, t);
    tendon_walk w = walk_along(sim, t, 0, 0.0);
    for (tendon_stretch s; walk_next(&w, &s);) {
        const br_vec3 f = br_vec3_scale(s.factor, direction_of(&s));
        if (s.from.link == s.to.link) continue;
        if (s.to.link >= 0) sum += br_twist_dot(acceleration[s.to.link], br_wrench_of_force(f, s.to.arm));
        if (s.from.link >= 0)
            sum -= br_twist_dot(acceleration[s.from.link], br_wrench_of_force(f, s.from.arm));
    }
    return sum;
}

double br_tendon_gamma(const br_sim *sim, const br_model_tendon *t, br_coordinate c) {
    double gamma = 0.0;
    if (!t->sum) return -second_rate(sim, t);
    for (int k = 0; k < t->parts; k++)
        gamma += t->part[k].factor * br_coordinate_gamma(sim, coordinate_of(&t->part[k], c));
    return gamma;
}

void br_tendon_pull(br_sim *sim, const br_model_tendon *t, double force) {
    for (int k = 0; t->sum && k < t->parts; k++)
        br_forces_effort(sim, t->part[k].joint, t->part[k].coordinate, force * t->part[k].factor);
    if (t->sum) return;
    tendon_walk w = walk_along(sim, t, 0, 0.0);
    for (tendon_stretch s; walk_next(&w, &s);) {
        const br_vec3 f = br_vec3_scale(force * s.factor, direction_of(&s));
        if (s.from.link == s.to.link) continue;
        if (s.to.link >= 0)
            sim->wrench[s.to.link] = br_wrench_add(sim->wrench[s.to.link], br_wrench_of_force(f, s.to.arm));
        if (s.from.link >= 0)
            sim->wrench[s.from.link] =
                br_wrench_sub(sim->wrench[s.from.link], br_wrench_of_force(f, s.from.arm));
    }
}

double br_tendon_spring_force(const br_sim *sim, const br_model_tendon *t) {
    const br_model_joint *joint = &sim->model->joint[t->joint];
    return -joint->stiffness[0] * br_tendon_stretch(joint, t, br_tendon_length(sim, t)) -
           joint->damping[0] * br_tendon_rate(sim, t);
}

int br_tendon_points(const br_sim *sim, const br_model_tendon *t, br_vec3 *point, unsigned char *ends) {
    int count = 0;
    if (t->sum) return 0;
    tendon_walk w = walk_along(sim, t, 0, 0.0);
    for (tendon_stretch s; walk_next(&w, &s) && count + 2 <= BR_MAX_TENDON_POINTS;) {
        point[count] = s.from.point, ends[count++] = 0;
        point[count] = s.to.point, ends[count++] = 1;
    }
    return count;
}
