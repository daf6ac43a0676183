// Which pads of an instant are at rest. The state and the law say so, see docs/theory/trust.md:
//
//     set-valued laws           what the last step or the located event left stuck; of a state that was given, the velocity
//     laws with bristles        presliding: the deflection is not at its bound along the slip, z . v/|v| below g(|v|)/sigma_0
//     laws of velocity alone    they never rest. They stand for Coulomb's, and creep while their friction is below its limit
//     contacts                  the state that the last step left; of a state that was given, the velocity
#include <math.h>

#include "sim/contact/contact.h"
#include "sim/friction/friction.h"
#include "sim/friction/step.h"

#define BR_HELD_TO_SPARE 0.999 // of a limit: friction below it holds
#define BR_SATURATED 0.999     // of the limit, where a law only approaches it: it slides
#define BR_EPS_NO_SLIP 1e-9    // of the speeds of both bodies, and of what the load does in a step: no slip
#define BR_EPS_NO_SPEED 1e-14  // of the fastest body: a difference of speeds that is rounding
#define BR_EPS_NO_ROLL 1e-3    // of what the load does in a step: bodies that do not turn against each other

static double length_of(int n, const double *v) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += v[k] * v[k];
    return sqrt(square);
}

// --- joints ------------------------------------------------------------------------------------------------

// Whether a smooth law is past the speed up to which it holds more the faster it goes.
static int is_past_peak(const br_friction_params *law, double speed) {
    const double z = 0.0, next = speed * (1.0 + 1e-6), limit = br_friction_limit(law);
    double here = 0.0, there = 0.0, rate = 0.0;
    switch (law->shape) {
    case BR_SMOOTH_PIECEWISE:
    case BR_SMOOTH_STRIBECK_SMOOTH:
    case BR_SMOOTH_SATURATION:
        return speed >= law->v_slope;
    case BR_SMOOTH_EXPONENTIAL:
        br_friction_at(law, 1, &speed, &z, &here, &rate);
        br_friction_at(law, 1, &next, &z, &there, &rate);
        return there <= here || here >= BR_SATURATED * limit;
    default:
        br_friction_at(law, 1, &speed, &z, &here, &rate);
        return here >= BR_SATURATED * limit;
    }
}

// Whether the bristles of a law are at their bound along the slip.
static int is_at_bound(const br_friction_params *law, int n, const double *v, const double *z, double speed) {
    double along = 0.0;
    for (int k = 0; k < n; k++) along += z[k] * v[k] / speed;
    return law->sigma_0 * along >= BR_SATURATED * br_friction_g(law, speed);
}

static double fastest_link(const br_sim *sim) {
    double square = 0.0;
    for (int i = 0; i < sim->model->tree.links; i++)
        square = fmax(square, br_vec3_norm_squared(sim->work.motion[i].V.linear));
    return sqrt(square);
}

static int rub_slides(const br_sim *sim, int i, double speed) {
    const br_rub *rub = &sim->frictions->rub[i];
    const br_rub_state *s = &sim->frictions->now[i];
    if (!(speed > BR_EPS_NO_SPEED * fastest_link(sim))) return 0;
    if (!(br_friction_limit(&rub->law) > 0.0)) return 1;
    if (br_friction_is_set_valued(&rub->law))
        return s->known != BR_RUB_UNKNOWN ? s->mode == BR_RUB_SLIDES : speed > BR_RUB_REST_SPEED;
    if (br_friction_has_state(&rub->law))
        return is_at_bound(&rub->law, rub->pad.directions, rub->velocity, s->z, speed);
    return is_past_peak(&rub->law, speed);
}

void br_rub_motion(const br_sim *sim, int i, br_balance_pad *p) {
    const br_rub *rub = &sim->frictions->rub[i];
    const int n = rub->pad.directions;
    const double speed = length_of(n, rub->velocity);
    double rate[BR_MAX_SLIDING];
    p->creeps = !br_friction_is_set_valued(&rub->law);
    p->sliding = rub_slides(sim, i, speed);
    if (p->creeps) {
        br_friction_at(&rub->law, n, rub->velocity, sim->frictions->now[i].z, p->drag, rate);
        return;
    }
    for (int k = 0; k < n; k++)
        p->drag[k] = speed > 0.0 ? rub->law.mu_kinetic * rub->velocity[k] / speed : 0.0;
}

// --- contacts ----------------------------------------------------------------------------------------------

// What the last step left; OPEN: it has left nothing.
static br_contact_state state_left(const br_sim *sim, const br_touch *t) {
    const br_contacts *c = sim->contacts;
    for (int k = 0; c && sim->ledger->steps > 0 && k < c->kept->count; k++)
        if (br_touch_same(t, &c->before[k])) return c->before[k].state;
    return BR_CONTACT_OPEN;
}

// Fastest of the two bodies at the touch.
static double body_speed(const br_sim *sim, const br_touch *t) {
    double fastest = 0.0;
    for (int side = 0; side < 2; side++) {
        const int link = side ? t->link_b : t->link_a;
        if (link < 0) continue;
        const br_vec3 arm = br_vec3_sub(t->point, sim->work.pose[link].p_WL);
        fastest = fmax(fastest, br_vec3_norm(br_twist_at_point(sim->work.motion[link].V, arm)));
    }
    return fastest;
}

// N, the largest load of the touches of either body: one that carries nothing itself is moved by what the others' loads leave.
static double load_beside(const br_sim *sim, const br_touch *t) {
    const struct br_contacts *c = sim->contacts;
    double most = t->f_n;
    for (int k = 0; k < c->count; k++) {
        const br_touch *o = &c->touch[k];
        const int of_a = t->link_a >= 0 && (o->link_a == t->link_a || o->link_b == t->link_a);
        const int of_b = t->link_b >= 0 && (o->link_a == t->link_b || o->link_b == t->link_b);
        if (of_a || of_b) most = fmax(most, o->f_n);
    }
    return most;
}

// m/s that the load, across the normal, would make in a step: the size of what a step leaves of velocities.
static double step_speed(const br_sim *sim, const br_touch *t, const br_balance *b, const br_balance_pad *p) {
    double soft = 0.0;
    for (int r = 0; r < b->n; r++) {
        const double A = b->A[r * b->columns + p->normal];
        if (A != 0.0) soft += A * A / b->M[r * (b->n + 1)];
    }
    return sim->model->settings.solver.step * soft * load_beside(sim, t);
}

static int touch_rolls(const br_sim *sim, const br_touch *t, double step) {
    const br_vec3 zero = br_vec3_zero();
    const br_vec3 a = t->link_a < 0 ? zero : sim->work.motion[t->link_a].V.angular,
                  b = t->link_b < 0 ? zero : sim->work.motion[t->link_b].V.angular;
    const double size = br_shapes_size(sim->model, t->shape_a, t->shape_b);
    return br_vec3_norm(br_vec3_sub(a, b)) * size > BR_EPS_NO_ROLL * step;
}

// The box and the polygon do not push straight against the slip, and what creeps has a force of its own: as the last step had it.
static void touch_drag(const br_sim *sim, const br_touch *t, double speed, br_balance_pad *p) {
    const br_pair_def *pair = &sim->model->contact->pair[t->pair];
    const int own = !sim->model->contact->traits->coulomb;
    for (int k = 0; k < p->directions; k++) {
        p->drag[k] = speed > 0.0 ? pair->mu_kinetic * p->velocity[k] / speed : 0.0;
        if (own && t->f_n > 0.0) p->drag[k] = -br_vec3_dot(t->f_t, t->tangent[k]) / t->f_n;
    }
}

void br_touch_motion(const br_sim *sim, const br_touch *t, const br_balance *b, br_balance_pad *p) {
    const double speed = length_of(p->directions, p->velocity), step = step_speed(sim, t, b, p);
    const br_contact_state left = state_left(sim, t);
    const int slips = speed > BR_EPS_NO_SLIP * (body_speed(sim, t) + step);
    if (p->directions == 0) return;
    p->sliding = slips && left != BR_CONTACT_STICKS;
    if (sim->model->contact->traits->creeps) {
        p->creeps = 1;
        p->sliding = speed >= sim->model->contact->argument;
    }
    touch_drag(sim, t, speed, p);
    p->rolling = !p->sliding && touch_rolls(sim, t, step);
}

// A joint with play rubs by its own law, under the force that its spring has.
void br_play_motion(const br_sim *sim, const br_touch *t, br_balance_pad *p) {
    const br_friction_params *law = &br_touch_play(sim, t)->friction;
    const double speed = length_of(p->directions, p->velocity);
    double held = 0.0; // along the slip, of the normal force
    p->creeps = !br_friction_is_set_valued(law);
    for (int k = 0; k < p->directions; k++) {
        const double f = -br_vec3_dot(t->f_t, t->tangent[k]) / t->f_n;
        if (speed > 0.0) held += f * p->velocity[k] / speed;
        p->drag[k] = p->creeps ? f : speed > 0.0 ? law->mu_kinetic * p->velocity[k] / speed : 0.0;
    }
    if (!(speed > BR_EPS_NO_SPEED * fastest_link(sim)))
        p->sliding = 0;
    else if (!p->creeps)
        p->sliding = state_left(sim, t) != BR_CONTACT_STICKS && speed > BR_EPS_NO_SLIP * body_speed(sim, t);
    else if (br_friction_has_state(law))
        p->sliding = held >= BR_SATURATED * br_friction_g(law, speed);
    else
        p->sliding = is_past_peak(law, speed);
}

void br_balance_roll_on(br_balance *b) {
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        double square = 0.0;
        if (!p->rolling || !(b->x[p->normal] > 0.0)) continue;
        for (int d = 0; d < p->directions; d++) square += b->x[p->column + d] * b->x[p->column + d];
        const int holds = sqrt(square) < BR_HELD_TO_SPARE * p->mu_static * b->x[p->normal];
        for (int c = p->normal; c <= p->normal + (holds ? p->directions : 0); c++) {
            b->gamma[c] = 0.0;
            for (int r = 0; r < b->n; r++) b->gamma[c] += b->A[r * b->columns + c] * b->a[r];
        }
    }
}
