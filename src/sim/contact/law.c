// What each friction law makes of a contact in one step [Peiret2016 eqs. 9-29].
//
//     h  step          k_T  bristle stiffness     v_th  v_threshold      lambda_N -> f_n_bound, lambda_T -> f_bristle
//     static phase     v + C p = C p~,  C = 1/(h (h k_T + d)),  p~ = h lambda_T             eqs. 11, 26
//                      basis along the last force                                           eq. 13
//     kinetic phase    row 1 the same with p~ = -mu h lambda_N, row 2 C = 1/(h b_mu)        eqs. 18, 19, 27
//                      basis along the sliding velocity, b_mu = mu lambda_N / v_T1          eqs. 16, 20
//     infinite k_T     C = 0 where k_T is divided by                                        eq. 29
//                      in the static phase C = eps W: the limit of equal, ever stiffer bristles. Where several
//                      contacts share a load, eq. 29 leaves the shares open, and the squares of eq. 12 then hold more
//                      than mu f_n
//     viscous          p_t = -mu p_n v / max(v0, |v|): a cone with C = v0 / (mu p_n)
//
// The problem is in p' = theta p and velocities v_theta = (1 - theta) v + theta v_next, so C is divided by theta and
// offsets, which are C p~ in velocities, stay as they are.
//
// Velocities are asked for at the step's end, theta v_next = v_theta - (1 - theta) v: what is asked for v_theta = 0 with theta
// 1/2 leaves as fast as it came. The gap is that of the evaluation, which moves by h v_next from step to step: N v_next >=
// -gap/h closes it at the next one and does not pass it [Moreau's midpoint rule]. Two kinds of contacts are asked for v_theta:
// those that slide on, whose friction is along it, and a point that carries two shapes alone and lasts (rolling, whirling),
// whose turning Jacobian would make the end's velocity one of first order. Points that share a contact contradict each
// other by what their Jacobians turn in a step, and are not. With theta 1 all is the same.
#include <math.h>

#include "math/elementary.h"
#include "sim/contact/apart.h"
#include "sim/contact/play.h"
#include "sim/contact/stick.h"

#define BR_MAX_RETURN_SPEED                                                                                  \
    0.01 // m/s per m of size: a contact that starts inside comes out no faster, unless it moves fast itself
#define BR_EPS_PAPER_GAP 1e-3 // of the smaller shape: a gap that the paper's preset takes for closed
#define BR_IMPACT_STEPS 2.0   // steps of free acceleration: an approach no faster is resting, not an impact
#define BR_EPS_HELD 0.1     // steps of free acceleration: where a contact lasts, a step leaves less to close
#define BR_SETTLING_STEPS 8 // after a step of theta 1: its drift is then below a thousandth
#define BR_DRIFT_SHARE                                                                                       \
    0.17157287525380990       // 3 - sqrt(8): of a contact's drift that a step takes out, see hold
#define BR_EPS_DEEP 1e-3      // of the smaller shape: deeper is not the drift of a contact that lasts
#define BR_STOPPING_REACH 2.0 // of the velocity that friction and the free motion change in a step
#define BR_FAR_REACH 8.0      // of an earlier reach: what slides faster is not looked at again ...
#define BR_REACH_STEPS 8      // ... for so many steps
#define BR_EPS_STOOD 1e-11    // of the smaller shape, in a step: slower is at rest, where no step has told
#define BR_EPS_TURNED 0.01 // of the velocity that turning makes in half a step: what is left of higher order
#define BR_EPS_TOGETHER 1e-3    // of an angular velocity: two bodies turn together, or
#define BR_EPS_TURN 1e-8        // rad in a step: neither turns against the other
#define BR_EPS_STICK_FORCE 1e-7 // of mu f_n: a bristle force this far inside its bound sticks
#define BR_EPS_STICK_SPEED                                                                                   \
    1e-6 // of what load and free motion do in a step: slower is sticking, for laws without bristles, ...
#define BR_MAX_STICK_SLIP                                                                                    \
    1e-10 // ... but no more than this of the smaller shape in a step: the load of what is jammed has no end
#define BR_EPS_RIGID_BRISTLE 1e-8 // of W: compliance of rigid bristles that stick
#define BR_MAX_TRANSVERSE 1e12    // s/kg: compliance of a sliding contact whose normal force is not known yet
#define BR_EPS_DIRECTION 1e-12    // of a weight or a speed: a shorter vector has no direction

static const br_pair_def *pair_of(const br_sim *sim, const br_touch *t) {
    return &sim->model->contact->pair[t->pair];
}

// Of clearances: Coulomb's alone.
static const br_contact_law_traits *law_of(const br_sim *sim, const br_touch *t) {
    static const br_contact_law_traits coulomb = {.coulomb = 1};
    return t->pair >= sim->model->contact->pairs ? &coulomb : sim->model->contact->traits;
}

// --- the laws ----------------------------------------------------------------------------------------------

// The static phase of the bristle law has the disk |p_t| <= mu p_n where bounds are implicit: the square of eq. 12 about
// the last force holds up to sqrt(2) mu f_n, and on several contacts below v_th its basis runs away. Lagged and iterated
// bounds keep the square, as printed.
static br_law_kind bristle_kind(const br_sim *sim, const br_touch *t) {
    if (sim->model->contact->bounds != BR_BOUNDS_IMPLICIT) return BR_LAW_BOX;
    return t->kinetic ? BR_LAW_BOX_FRICTION : BR_LAW_CONE;
}

// Compliance and offset of v_next + C p = C h f.
static void bristle_rows(const br_sim *sim, const br_touch *t, br_touch_rows *rows) {
    const br_pair_def *pair = pair_of(sim, t);
    const double h = sim->h, K = h * (h * pair->bristle_stiffness + pair->bristle_damping) * t->share;
    const double rigid = t->kinetic ? 0.0 : BR_EPS_RIGID_BRISTLE * t->softness * sim->theta;
    const double C = isfinite(K) && K > 0.0 ? fmax(1.0 / K, rigid) : rigid;
    rows->compliance[1] = rows->compliance[2] = C;
    if (!t->kinetic) {
        rows->offset[1] = -C * h * br_vec3_dot(t->f_bristle, t->tangent[0]);
        rows->offset[2] = -C * h * br_vec3_dot(t->f_bristle, t->tangent[1]);
        return;
    }
    const double b_mu = t->mu * t->f_n_bound / t->speed;
    rows->offset[1] = C * h * t->mu * t->f_n_bound;
    rows->compliance[2] = fmin(1.0 / (h * b_mu), BR_MAX_TRANSVERSE);
}

static br_law_kind cone_kind(const br_sim *sim, const br_touch *t) {
    (void)sim, (void)t;
    return BR_LAW_CONE;
}

static br_law_kind box_kind(const br_sim *sim, const br_touch *t) {
    (void)t;
    return sim->model->contact->bounds != BR_BOUNDS_IMPLICIT ? BR_LAW_BOX : BR_LAW_BOX_FRICTION;
}

static br_law_kind polygon_kind(const br_sim *sim, const br_touch *t) {
    (void)t;
    return sim->model->settings.planar == BR_SPATIAL ? BR_LAW_POLYGON : BR_LAW_CONE;
}

static void viscous_rows(const br_sim *sim, const br_touch *t, br_touch_rows *rows) {
    rows->compliance[1] = rows->compliance[2] =
        fmin(sim->model->contact->argument / (t->mu * t->f_n_bound * sim->h), BR_MAX_TRANSVERSE);
}

// What its traits do not say of a law: the kind of its block, and compliance and offset of its tangential rows (NULL: none).
static const struct {
    br_law_kind (*kind)(const br_sim *sim, const br_touch *t);
    void (*rows)(const br_sim *sim, const br_touch *t, br_touch_rows *rows);
} contact_laws[] = {
    [BR_CONTACT_BRISTLE] = {bristle_kind, bristle_rows},
    [BR_CONTACT_CONE] = {cone_kind, NULL},
    [BR_CONTACT_BOX] = {box_kind, NULL},
    [BR_CONTACT_POLYGON] = {polygon_kind, NULL},
    [BR_CONTACT_VISCOUS] = {cone_kind, viscous_rows},
};

br_law_kind br_touch_law_kind(const br_sim *sim, const br_touch *t) {
    if (t->pair >= sim->model->contact->pairs) return br_play_rubs(sim, t) ? BR_LAW_BOX : BR_LAW_CONE;
    return contact_laws[sim->model->contact->law].kind(sim, t);
}

int br_touch_gives_way(const br_sim *sim, const br_touch *t) {
    const br_contact_law_traits *law = law_of(sim, t);
    if (br_play_rubs(sim, t)) return 1;
    return law->creeps || sim->model->settings.solver.lcp_epsilon > 0.0 ||
           (law->bristles && isfinite(pair_of(sim, t)->bristle_stiffness));
}

// --- the beginning of a step -------------------------------------------------------------------------------

// Direction (c, s) of a vector in the surface's axes; 0 when it has none.
static int direction(double x, double y, double least, double *c, double *s) {
    const double length = br_hypot(x, y);
    if (!(length > least)) return 0;
    *c = x / length, *s = y / length;
    return 1;
}

// Of the lagged static phase and of the kinetic phase; others keep the surface's own axes.
static void choose_basis(const br_sim *sim, const br_touch *t, const double *free, double *c, double *s) {
    *c = 1.0, *s = 0.0;
    if (!law_of(sim, t)->bristles || sim->model->settings.planar != BR_SPATIAL) return;
    const br_vec3 along = t->kinetic ? t->slip_start : t->f_t;
    const double x = br_vec3_dot(along, t->tangent[0]), y = br_vec3_dot(along, t->tangent[1]);
    if (t->kinetic)
        direction(x, y, 0.0, c, s);
    else if (br_touch_law_kind(sim, t) == BR_LAW_BOX &&
             !(t->f_n > 0.0 && direction(x, y, BR_EPS_DIRECTION * t->f_n, c, s)))
        direction(free[1], free[2], BR_EPS_DIRECTION, c, s);
}

// Normal velocity at the step's end without any contact.
static double free_end(const br_sim *sim, const br_touch *t) {
    return t->approach + sim->h * t->acceleration;
}

// Restitution is for impacts: approaches that a few steps of free acceleration do not explain, and that close the gap.
static int impact(const br_sim *sim, const br_touch *t) {
    if (!(pair_of(sim, t)->restitution > 0.0)) return 0;
    if (sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID) return 0;
    return t->approach < -BR_IMPACT_STEPS * br_apart_step(sim) * fabs(t->acceleration) &&
           (br_apart_strikes(sim) || t->gap + sim->h * free_end(sim, t) <= 0.0);
}

// mu_static is for what stuck at the end of the last step, until it is overcome, and for what comes as slowly as v_threshold.
// Lagged and iterated bounds go by the speed at the start, as the paper does.
static void choose_phase(const br_sim *sim, br_touch *t) {
    const br_pair_def *pair = pair_of(sim, t);
    const int fast = t->speed > pair->v_threshold;
    const int lagged = sim->model->contact->bounds != BR_BOUNDS_IMPLICIT && !br_touch_play(sim, t);
    const int slides = lagged ? fast : t->was == BR_CONTACT_OPEN ? fast : t->was == BR_CONTACT_SLIPS;
    t->mu = slides ? pair->mu_kinetic : pair->mu_static;
    t->kinetic = fast && lagged;
    t->overcome = slides;
}

static br_twist twist_of(const br_sim *sim, const br_twist *V, int link) {
    if (link < 0) return br_twist_of(br_vec3_zero(), br_vec3_zero());
    return V ? V[link] : sim->work.motion[link].V;
}

// What rolls takes its contact along, and the points of what tips contradict each other by how they turn (see the head of the file).
static int turn_together(double h, br_vec3 w_a, br_vec3 w_b) {
    const double apart = br_vec3_norm(br_vec3_sub(w_a, w_b));
    if (h * apart <= BR_EPS_TURN) return 1;
    return apart <= BR_EPS_TOGETHER * br_vec3_norm(w_a) || apart <= BR_EPS_TOGETHER * br_vec3_norm(w_b);
}

// How the two bodies of a contact turn. Points of one contact follow each other, so it is found once for all of them.
typedef struct turning_pair {
    int link[2];
    int together;
    br_twist V[2];
    br_vec3
        rate; // d/dt of a point's velocity, a less b, where one of them is the world: the same for all points
} turning_pair;

static br_vec3 rate_of(const br_twist V[2], br_vec3 v) {
    return br_vec3_sub(br_vec3_cross(V[0].angular, br_vec3_sub(v, V[0].linear)),
                       br_vec3_cross(V[1].angular, br_vec3_sub(v, V[1].linear)));
}

static void find_pair(const br_sim *sim, const br_touch *t, const br_twist *V, turning_pair *x) {
    if (x->link[0] == t->link_a && x->link[1] == t->link_b) return;
    x->link[0] = t->link_a, x->link[1] = t->link_b;
    for (int k = 0; k < 2; k++) x->V[k] = twist_of(sim, V, x->link[k]);
    x->together = turn_together(sim->h, x->V[0].angular, x->V[1].angular);
    x->rate = rate_of(x->V, br_vec3_zero());
}

// From the evaluation to the step's end the contact of two bodies that turn together goes along with them: d/dt of v_a + w_a x
// (p - x_a) less the same of b, at fixed velocities. On a turntable this is half a step of the centripetal acceleration, and
// without it what stands there would slide inwards by as much in every step.
static br_vec3 turning(const br_sim *sim, const br_touch *t, const turning_pair *pair) {
    br_vec3 rate = pair->rate;
    if (pair->link[0] >= 0 && pair->link[1] >= 0) {
        br_vec3 v = br_vec3_zero();
        for (int k = 0; k < 2; k++)
            v = br_vec3_add_scaled(
                v, 0.5,
                br_twist_at_point(pair->V[k], br_vec3_sub(t->point, sim->work.pose[pair->link[k]].p_WL)));
        rate = rate_of(pair->V, v);
    }
    const br_vec3 x = br_vec3_scale(0.5 * sim->h, rate);
    return br_vec3_add_scaled(x, -br_vec3_dot(x, t->normal), t->normal);
}

// It stuck when the step began, or, where nothing is known of that, it was at rest at the state itself.
static int stands(const br_sim *sim, const br_touch *t, br_vec3 turned) {
    if (t->was != BR_CONTACT_OPEN) return t->was == BR_CONTACT_STICKS;
    return br_vec3_norm(br_vec3_sub(t->slip_start, turned)) <=
           BR_EPS_STOOD * t->size / br_apart_step(sim) + BR_EPS_TURNED * br_vec3_norm(turned);
}

// What slid is not asked to stand, whatever its bodies turn by: for all else it matters how they do.
static void find_stance(const br_sim *sim, br_touch *t, const br_twist *V, turning_pair *pair) {
    t->together = t->stood = 0, t->turned = br_vec3_zero();
    if (t->was == BR_CONTACT_SLIPS) return;
    find_pair(sim, t, V, pair);
    t->together = pair->together;
    // With theta 1 the velocity is asked for where the step began, as the papers do.
    const br_vec3 turned =
        V && t->together && br_sticks_hold_positions(sim) ? turning(sim, t, pair) : br_vec3_zero();
    t->stood = stands(sim, t, turned);
    if (t->stood) t->turned = turned;
}

// As return_speed needs it: of contacts that start inside, at the evaluation or at the step's start.
static void find_rolling(const br_sim *sim, br_touch *t, const br_twist *V, turning_pair *pair) {
    t->rolling_speed = 0.0;
    if (!(fmin(t->gap, t->gap - (1.0 - sim->theta) * sim->h * t->approach) < 0.0)) return;
    find_pair(sim, t, V, pair);
    const br_vec3 turns = br_vec3_sub(pair->V[0].angular, pair->V[1].angular);
    t->rolling_speed = br_vec3_norm(br_vec3_cross(turns, t->normal)) * t->size;
}

void br_touches_phase(const br_sim *sim, br_touch *touch, int count, const br_twist *V) {
    turning_pair pair = {.link = {-1, -1}}; // which no contact has
    for (int k = 0; k < count; k++) {
        br_touch *t = &touch[k];
        const br_vec3 v = br_touch_velocity(sim, t, V);
        t->approach = br_vec3_dot(v, t->normal);
        t->slip_start = br_vec3_add_scaled(v, -t->approach, t->normal);
        t->speed = br_vec3_norm(t->slip_start);
        // At the state itself, half a step from both, to second order.
        if (sim->theta < 1.0) t->drift = br_vec3_scale(0.5, br_vec3_add(t->after, v));
        find_stance(sim, t, V, &pair);
        find_rolling(sim, t, V, &pair);
        choose_phase(sim, t);
    }
}

// A wrong guess, as after a blow on what it carries, costs another solve: see br_touch_revise.
int br_touch_slides_far(const br_sim *sim, const br_touch *t) {
    return sim->theta < 1.0 && t->was == BR_CONTACT_SLIPS && t->reach > 0.0 &&
           t->reach_age < BR_REACH_STEPS && t->speed > BR_FAR_REACH * t->reach;
}

int br_touch_needs_free(const br_sim *sim, const br_touch *t) {
    return pair_of(sim, t)->restitution > 0.0 || sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID ||
           br_touch_law_kind(sim, t) == BR_LAW_BOX ||
           (sim->theta < 1.0 &&
            (t->closing < 0.0 || (t->was == BR_CONTACT_SLIPS && !br_touch_slides_far(sim, t))));
}

static int settles(const br_touch *t) {
    return t->since < BR_SETTLING_STEPS;
}

static double drift_share(const br_touch *t) {
    return settles(t) ? 1.0 : BR_DRIFT_SHARE;
}

// The midpoint rule asks for J (v + v_next)/2 = 0, which hands on whatever velocity r a contact has at the step's start:
// r' = -r, for ever, and what arrives bounces. With J v_theta = a r/2 it dies out: where the gap is closed by -gap/h as well,
// gap' = a h r/2, r' = -(1 - a) r - 2 gap/h, which is critically damped for a = 3 - sqrt(8). r is of second order where a
// contact lasts, so the order stays. A step that asks for v_next leaves an r of first order, which must not become a bounce:
// the next few steps take all of r, and a share of the gap, gap' = (1 - a) gap + h r/2, r' = -2 a gap/h, damped as well.
//
// A contact that the last step let close a gap has not arrived yet, and one that is deep inside comes out at its own pace. What slides may stop where friction and the free motion
// could take its speed away in the step.
static void hold(const br_sim *sim, br_touch *t, const double *free) {
    const int lasts = sim->theta < 1.0 && t->was != BR_CONTACT_OPEN, alone = lasts && t->alone;
    t->arrives =
        !lasts || t->closing < -BR_EPS_HELD * sim->h * fabs(t->acceleration) ||
        (sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID && t->gap < -BR_EPS_DEEP * t->size);
    t->lands = t->arrives || !alone;
    t->stops = t->arrives || (!alone && t->was == BR_CONTACT_STICKS);
    if (t->stops || t->was != BR_CONTACT_SLIPS || br_touch_slides_far(sim, t)) return;
    const double x = free[1] - br_vec3_dot(t->slip_start, t->tangent[0]),
                 y = free[2] - br_vec3_dot(t->slip_start, t->tangent[1]);
    t->reach = t->mu * t->f_n * sim->h * t->softness + sqrt(x * x + y * y) / sim->theta;
    t->reach_age = 0;
    t->stops = t->speed <= BR_STOPPING_REACH * t->reach;
}

void br_touch_begin(const br_sim *sim, br_touch *t, const double *free) {
    const br_pair_def *pair = pair_of(sim, t);
    t->acceleration = (free[0] - t->approach) / (sim->theta * sim->h);
    if (t->was == BR_CONTACT_OPEN && br_touch_play(sim, t)) t->closing = fmax(0.0, -t->approach);
    if (br_play_rubs(sim, t)) br_play_begin(sim, t);
    hold(sim, t, free);
    t->impact = impact(sim, t);
    t->arrives |= t->impact, t->lands |= t->impact;
    t->rebound = t->impact && !pair->restitution_poisson ? -pair->restitution * t->approach : 0.0;
    if (t->rebound > 0.0 && br_apart_strikes(sim)) t->rebound += sim->h * t->acceleration; // after the blow
    t->f_n_bound = t->f_n;
    t->normal_guess = free[0];
    choose_basis(sim, t, free, &t->turn[0], &t->turn[1]);
    const double c = t->turn[0], s = t->turn[1];
    const br_vec3 x = t->tangent[0], y = t->tangent[1];
    if (s == 0.0 && c == 1.0) return;
    t->tangent[0] = br_vec3_add_scaled(br_vec3_scale(c, x), s, y);
    t->tangent[1] = br_vec3_add_scaled(br_vec3_scale(c, y), -s, x);
}

// --- rows --------------------------------------------------------------------------------------------------

// How fast a contact that starts inside comes out. Curved and turning surfaces need v^2 h / size to stay where they are; the
// speed itself would feed bodies that are caught between two surfaces. What rolls does not slide, but its point moves all the
// same: the next one comes down as fast as a step takes the surface in, so that much may be taken back. Otherwise a coin
// that whirls on its rim sinks a little more with every step.
static double return_speed(const br_sim *sim, const br_touch *t) {
    const double size = t->size, rolls = fmin(t->rolling_speed, fabs(t->approach));
    const double v = t->speed + fabs(t->approach);
    const double asked = sim->model->settings.start_speed;
    return fmax(asked > 0.0 ? asked : BR_MAX_RETURN_SPEED * fmax(1.0, size),
                fmax(rolls, fmin(v, v * v * sim->h / size)));
}

// The paper does not say which contacts are listed: those that carried force, those that are as good as closed, and those that
// close in the step at the velocity that it begins with.
static int touches(const br_sim *sim, const br_touch *t, double gap) {
    return t->was != BR_CONTACT_OPEN || gap + sim->h * t->approach <= 0.0 ||
           gap <= BR_EPS_PAPER_GAP * t->size;
}

double br_touch_end_offset(const br_sim *sim, const br_touch *t, double wanted) {
    return -sim->theta * wanted - (1.0 - sim->theta) * t->approach;
}

// At which a gap closes, or opens where shapes are inside each other: not in a blow, and at the pace of whole steps.
static double closing_speed(const br_sim *sim, const br_touch *t) {
    const double step = t->gap > 0.0 && !br_apart_strikes(sim) ? sim->h : br_apart_step(sim);
    return br_apart_strikes(sim) ? -fmax(0.0, t->gap) / step : -t->gap / step;
}

// What lands: N v_next >= -gap/h with the gap at the evaluation, which the next evaluation then finds closed and not passed
// (q_M moves by h v_next from step to step). Rate-level for what touches under the paper's preset [Peiret2016 eq. 23].
// What lasts: see hold.
static void rigid_normal(const br_sim *sim, const br_touch *t, br_touch_rows *rows) {
    const int stays = sim->contacts->jammed || t->wedged > 0;
    if (t->lands) {
        double wanted = closing_speed(sim, t);
        if (sim->model->contact->paper && touches(sim, t, t->gap)) wanted = 0.0;
        if (t->impact)
            wanted = t->rebound;
        else if (t->gap < 0.0)
            wanted = fmin(wanted, return_speed(sim, t));
        rows->offset[0] = br_touch_end_offset(sim, t, stays ? fmin(wanted, 0.0) : wanted);
        return;
    }
    const double start = t->gap - (1.0 - sim->theta) * sim->h * t->approach; // at the step's start
    rows->offset[0] = (settles(t) ? BR_DRIFT_SHARE : 1.0) * start / br_apart_step(sim) -
                      0.5 * drift_share(t) * br_vec3_dot(t->drift, t->normal);
    if (start < 0.0) rows->offset[0] = fmax(rows->offset[0], -return_speed(sim, t));
    if (stays) rows->offset[0] = fmax(rows->offset[0], 0.0);
}

// Forces of the contact's own rows for a normal velocity v at theta, and -df/dv.
static double press(const br_sim *sim, const br_touch *t, double v, double *slope) {
    br_touch_pressing x;
    const br_normal_law *law = &sim->contacts->normal_law[t->pair];
    const double f = br_touch_press(sim, t, v, &x), h = sim->h, theta = sim->theta;
    double by_depth, by_rate, k = 0.0;
    if (x.lag < 1.0) {
        br_normal_loss(law, x.depth_loss, -v, t->closing, &by_depth, &by_rate);
        k += (1.0 - x.lag) *
             (h * (br_normal_mean_slope(law, x.depth_start, x.depth_end) + theta * by_depth) + by_rate);
    }
    if (x.lag > 0.0) {
        double rigid, unused;
        br_normal_tangent(law, x.depth_next, 0.0, &rigid, &unused);
        br_normal_loss(law, x.depth_next, x.rate_next, t->closing, &by_depth, &by_rate);
        k += x.lag * (h * (rigid + by_depth) + by_rate) / theta;
    }
    *slope = k;
    return f;
}

// p = h f(v), linearized about the velocity `normal_guess`: p = h f + K (guess - v), so v + p/K = guess + h f/K.
static void compliant_normal(const br_sim *sim, const br_touch *t, br_touch_rows *rows) {
    const double h = sim->h, guess = t->normal_guess;
    double slope;
    const double f = press(sim, t, guess, &slope), K = h * slope;
    if (!(f > 0.0) || !(K > 0.0)) { // does not touch in this step
        rows->compliance[0] = BR_MAX_TRANSVERSE;
        rows->offset[0] = fabs(guess) - guess;
        return;
    }
    rows->compliance[0] = 1.0 / (K * sim->theta);
    rows->offset[0] = -(guess + h * f / K);
}

// What a step leaves of the drift of a contact that sticks; zero for bristles that give way: they may move.
static br_vec3 drift_in_stick(const br_sim *sim, const br_touch *t) {
    const int gives_way = br_touch_gives_way(sim, t) || (law_of(sim, t)->bristles && t->kinetic);
    if (t->stops || t->was != BR_CONTACT_STICKS || gives_way) return br_vec3_zero();
    return br_vec3_scale(0.5 * drift_share(t), t->drift);
}

void br_touch_rows_of(const br_sim *sim, const br_touch *t, br_touch_rows *rows) {
    const double theta = sim->theta;
    *rows = (br_touch_rows){.mu = t->mu, .bound = t->mu * t->f_n_bound * theta * sim->h};
    if (sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID)
        rigid_normal(sim, t, rows);
    else
        compliant_normal(sim, t, rows);
    if (br_play_rubs(sim, t)) {
        br_play_rows(sim, t, rows);
        return;
    }
    if (contact_laws[sim->model->contact->law].rows && !br_touch_play(sim, t))
        contact_laws[sim->model->contact->law].rows(sim, t, rows);
    // Velocities of the problem are v_theta, or theta v_next, for p' = theta p.
    const br_vec3 drift =
        t->stops ? br_vec3_add_scaled(br_vec3_scale(1.0 - theta, t->slip_start), -theta, t->turned)
                 : drift_in_stick(sim, t);
    const int drifts = t->stops || t->was == BR_CONTACT_STICKS;
    for (int r = 1; r < 3; r++) {
        if (t->stops)
            rows->offset[r] *= theta;
        else
            rows->compliance[r] /= theta;
        if (drifts) rows->offset[r] -= br_vec3_dot(drift, t->tangent[r - 1]);
    }
}

int br_contacts_lag(const br_sim *sim) {
    const br_model_contact *contact = sim->model->contact;
    if (contact->traits->creeps || contact->bounds != BR_BOUNDS_IMPLICIT || br_sim_plays(sim) > 0) return 1;
    for (int p = 0; p < contact->pairs; p++)
        if (sim->contacts->normal_law[p].kind != BR_NORMAL_RIGID || contact->pair[p].rolling > 0.0 ||
            contact->pair[p].torsion > 0.0)
            return 1;
    return 0;
}

double br_touch_lag(const br_sim *sim, const br_touch *t, const double *f, const double *w, int turns) {
    const br_contact_law_traits *law = law_of(sim, t);
    const br_pair_def *pair = pair_of(sim, t);
    const br_normal_law *normal = &sim->contacts->normal_law[t->pair];
    const br_law_kind kind = br_touch_law_kind(sim, t);
    if (kind == BR_LAW_CONE && !law->creeps && normal->kind == BR_NORMAL_RIGID && !(pair->rolling > 0.0) &&
        !(pair->torsion > 0.0))
        return 0.0; // nothing is lagged
    const double largest = fmax(f[0], t->f_n_bound);
    if (!(largest > 0.0)) return 0.0;
    const double change = fabs(f[0] - t->f_n_bound) / largest;
    double share = turns && (pair->rolling > 0.0 || pair->torsion > 0.0) ? 1.0 : 0.0, lag = 0.0;
    if (normal->kind != BR_NORMAL_RIGID) lag = fabs(f[0] - br_touch_press(sim, t, w[0], NULL)) / largest;
    if (br_play_rubs(sim, t)) return fmax(lag, br_play_lag(sim, t, f, w));
    if (law->creeps || kind == BR_LAW_BOX) share = 1.0;
    if (law->bristles && t->kinetic && sim->model->settings.planar == BR_SPATIAL)
        share = fmax(share, t->f_n_bound > 0.0 ? fabs(f[2]) / (t->mu * largest) : 1.0);
    return fmax(lag, change * share);
}

// --- the end of a step -------------------------------------------------------------------------------------

// m/s that the load would make across the normal in a step, and the free motion along it: what a step leaves of velocities is small
// beside it, in whatever units.
static double step_speed(const br_sim *sim, const br_touch *t) {
    return sim->h *
           (t->softness * t->f_n + fabs(t->acceleration)); // 0 of a step that was taken over from the last
}

static int sticks(const br_sim *sim, const br_touch *t, double f1, double f2) {
    const br_contact_law_traits *law = law_of(sim, t);
    const double per_step = t->size / br_apart_step(sim);
    const double slow = fmin(BR_EPS_STICK_SPEED * step_speed(sim, t), BR_MAX_STICK_SLIP * per_step);
    if (br_vec3_norm(t->slip) <= slow + BR_EPS_STOOD * per_step) return 1;
    if ((!law->bristles && !br_touch_gives_way(sim, t)) || t->kinetic) return 0;
    const double friction = sqrt(f1 * f1 + f2 * f2);
    if (!(friction < (1.0 - BR_EPS_STICK_FORCE) * t->mu * t->f_n)) return 0;
    if (br_touch_gives_way(sim, t)) return 1;
    // Rigid bristles give way by next to nothing, in proportion to their force.
    return br_vec3_norm(t->slip) <= 2.0 * BR_EPS_RIGID_BRISTLE * t->softness * sim->h * friction;
}

// What the springs of bristles hold of f_t. f_t = f_s - d s' and f_s = f_bristle - h k s' with the rate s' of their deflection,
// which is the slip only while they stick: at the bound bristles yield, and s' is what the bound leaves of it.
static br_vec3 elastic_part(const br_sim *sim, const br_touch *t) {
    const br_pair_def *pair = pair_of(sim, t);
    const double k = sim->h * pair->bristle_stiffness, d = pair->bristle_damping;
    if (t->kinetic || !isfinite(k) || !(d > 0.0)) return t->f_t;
    return br_vec3_add_scaled(t->f_t, d / (k + d), br_vec3_sub(t->f_bristle, t->f_t));
}

// What a compliant law does not press with is the solver's tolerance.
static int presses(const br_sim *sim, const br_touch *t, const double *f, const double *w) {
    return f[0] > 0.0 && (sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID ||
                          br_touch_press(sim, t, w[0], NULL) > 0.0);
}

// Tangential velocity at theta, and at the step's end.
static br_vec3 slip_of(const br_sim *sim, const br_touch *t, const double *w) {
    const double w2 = sim->model->settings.planar != BR_SPATIAL ? 0.0 : w[2];
    return br_vec3_add_scaled(br_vec3_scale(w[1], t->tangent[0]), w2, t->tangent[1]);
}

static br_vec3 slip_at_end(const br_sim *sim, const br_touch *t, br_vec3 slip) {
    const double theta = sim->theta;
    return br_vec3_scale(1.0 / theta, br_vec3_add_scaled(slip, -(1.0 - theta), t->slip_start));
}

void br_touch_finish(const br_sim *sim, br_touch *t, const double *f, const double *w) {
    const int planar = sim->model->settings.planar != BR_SPATIAL;
    const double f2 = planar ? 0.0 : f[2], theta = sim->theta;
    t->f_n = fmax(0.0, f[0]);
    t->f_t = br_vec3_add_scaled(br_vec3_scale(f[1], t->tangent[0]), f2, t->tangent[1]);
    t->slip = slip_of(sim, t, w);
    const br_vec3 end = slip_at_end(sim, t, t->slip);
    const double end_n = (w[0] - (1.0 - theta) * t->approach) / theta;
    if (t->stops) {
        t->slip = br_vec3_add(end, t->turned);
    } else if (t->was == BR_CONTACT_STICKS) {
        const br_vec3 drift = drift_in_stick(sim, t);
        t->slip = br_vec3_sub(t->slip, br_vec3_add_scaled(drift, -br_vec3_dot(drift, t->normal), t->normal));
    }
    t->after = br_vec3_add_scaled(end, end_n, t->normal);
    const int rubs = br_play_rubs(sim, t);
    if (rubs) {
        t->slip = slip_of(sim, t, w);
        br_play_finish(sim, t);
    } else {
        t->f_bristle = elastic_part(sim, t);
    }
    t->state = !presses(sim, t, f, w)              ? BR_CONTACT_OPEN
               : !rubs && sticks(sim, t, f[1], f2) ? BR_CONTACT_STICKS
                                                   : BR_CONTACT_SLIPS;
    if (!br_touch_play(sim, t))
        t->closing = t->arrives && sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID ? end_n : 0.0;
    t->since = t->arrives || t->stops ? 0 : t->since + 1; // last: the share of the drift depends on it
}

static int slides_on(const br_touch *t) {
    return !t->stops && t->was == BR_CONTACT_SLIPS;
}

static int may_be_overcome(const br_sim *sim, const br_touch *t) {
    const br_pair_def *pair = pair_of(sim, t);
    return !t->overcome && pair->mu_static > pair->mu_kinetic &&
           (sim->model->contact->bounds == BR_BOUNDS_IMPLICIT || br_touch_play(sim, t));
}

int br_touch_may_revise(const br_sim *sim, const br_touch *t) {
    if (br_play_rubs(sim, t)) return 0;
    return slides_on(t) || may_be_overcome(sim, t);
}

int br_touch_revise(const br_sim *sim, br_touch *t, const double *f, const double *w) {
    const int slides = slides_on(t);
    if (may_be_overcome(sim, t)) {
        const br_pair_def *pair = pair_of(sim, t);
        br_touch after = *t;
        br_touch_finish(sim, &after, f, w);
        if (after.state == BR_CONTACT_SLIPS) {
            t->overcome = 1;
            t->mu = pair->mu_kinetic;
            return 1;
        }
    }
    if (!slides || !presses(sim, t, f, w) ||
        br_vec3_dot(slip_at_end(sim, t, slip_of(sim, t, w)), t->slip_start) >= 0.0)
        return 0;
    t->stops = 1;
    return 1;
}
