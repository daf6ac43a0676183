// Joints with play in the reference stepper: pin and hole are a compliant contact (contact/play.h), closed while the gap is not positive.
//
//     normal     the clearance's own law, with the speed at which the pin met the hole where the law wants it
//     coulomb    sticks and slips at located instants, as of any compliant contact
//     others     f_t = -f_n mu(slip, z),  z' = rate(slip, z) - n (n' . z): z are states of the integrator, and there are no events
//
//     bristle    the same, elastic up to an edge: z' = slip until |sigma_0 z| = g, then e = z/|z| alone turns, e' = (slip - (slip . e) e)/r, and
//                f_t = -f_n g e, until slip . e < r', r = g/sigma_0. Both are located
//
// n turns as fast as the pin's centre goes round in the play, which is small: n' is exact, where other contacts have differences.
#include <math.h>

#include "friction/law.h"
#include "sim/contact/play.h"
#include "sim/stepper/reference/contact.h"

#define BR_EPS_EDGE 1e-9       // of the edge: how far beyond it an elastic state ends
#define BR_EPS_PLAY_STATE 1e-2 // absolute tolerance of z, of the relative one and of its size at the limit

static int has_follower_state(const br_model_clearance *play) {
    return play->friction.law != BR_FRICTION_NONE && br_friction_has_state(&play->friction);
}

int br_play_states(const br_sim *sim) {
    int states = 0;
    for (int k = 0; k < br_sim_plays(sim); k++)
        states += has_follower_state(&sim->model->clearance[k]) ? 3 : 0;
    return states;
}

int br_hold_play(const br_reference *r, int shape) {
    return shape - r->sim->model->contact->shapes;
}

int br_play_manifold(const br_reference *r, int k, double margin, br_contact_point *point) {
    const br_touch *last = br_play_touch(r->sim, k);
    br_race_contact race;
    br_vec3 centre;
    br_play_race(r->sim, k, last ? br_vec3_neg(last->normal) : br_vec3_zero(), &race, &centre);
    *point = (br_contact_point){.point = br_vec3_add(centre, race.arm_l), .normal = br_vec3_neg(race.n)};
    point->gap = race.gap;
    return race.gap <= margin;
}

int br_play_bends(const br_hold *h) {
    return h->follows && h->follows->law == BR_FRICTION_BRISTLE;
}

static double edge_of(const br_friction_params *law, double speed) {
    return br_friction_g(law, speed) / law->sigma_0;
}

br_vec3 br_play_state(const br_hold *h) {
    return h->yields ? br_vec3_scale(edge_of(h->follows, h->speed), br_vec3_normalize(h->spring)) : h->spring;
}

// At an event: what has reached the edge yields, what has turned back from it bends again from there. As a contact it slides all the time.
static void take_mode(br_hold *h) {
    if (h->fired & BR_FIRED_SLIPS) h->yields = 1;
    if (h->fired & BR_FIRED_STOPS) h->spring = br_play_state(h), h->yields = 0;
    h->fired &= ~(BR_FIRED_SLIPS | BR_FIRED_STOPS);
}

// Of a state from outside, which may be at the edge.
static int at_edge(const br_reference *r, const br_hold *h) {
    const br_vec3 u = br_touch_velocity(r->sim, &h->touch, NULL), n = h->touch.normal;
    const br_vec3 slip = br_vec3_add_scaled(u, -br_vec3_dot(u, n), n);
    return br_vec3_norm(h->spring) >= (1.0 - BR_EPS_EDGE) * edge_of(h->follows, br_vec3_norm(slip)) &&
           br_vec3_dot(slip, h->spring) > 0.0;
}

// Bristles are forgotten when contact is lost.
void br_play_hold(br_reference *r, br_hold *h, int fresh) {
    const int k = br_hold_play(r, h->touch.shape_a);
    h->play = NULL, h->follows = NULL;
    if (k < 0) return;
    h->play = &r->sim->model->clearance[k];
    const br_friction_params *law = &h->play->friction;
    if (law->law != BR_FRICTION_NONE && law->mu_static > 0.0 && !br_friction_is_set_valued(law))
        h->follows = law;
    h->v0 = 0.0;
    if (h->old && br_play_bends(h)) take_mode(h);
    if (h->old) return;
    const double u_n = br_vec3_dot(h->touch.normal, br_touch_velocity(r->sim, &h->touch, NULL));
    const int goes_on = fresh && h->touch.state != BR_CONTACT_OPEN;
    h->closing = goes_on ? h->touch.closing : fmax(0.0, -u_n);
    h->spring = goes_on ? h->touch.f_bristle : br_vec3_zero();
    h->yields = goes_on && br_play_bends(h) && at_edge(r, h);
}

// --- how the normal turns ----------------------------------------------------------------------------------

static br_twist twist_of(int link, const br_twist *V) {
    return link < 0 ? (br_twist){br_vec3_zero(), br_vec3_zero()} : V[link];
}

static br_vec3 centre_velocity(const br_sim *sim, int link, br_pose X_L, br_twist V) {
    if (link < 0) return br_vec3_zero();
    return br_twist_at_point(V, br_mat3_mul_vec(sim->work.pose[link].R_WL, X_L.position));
}

double br_play_turn(const br_reference *r, br_hold *h, const br_twist *V) {
    const br_sim *sim = r->sim;
    const br_model_clearance *c = h->play;
    const br_twist V_k = twist_of(c->first, V), V_l = twist_of(c->second, V);
    const br_vec3 du = br_vec3_sub(centre_velocity(sim, c->second, c->X_BM, V_l),
                                   centre_velocity(sim, c->first, c->X_AF, V_k));
    const br_vec3 part[3] = {du, V_k.angular, V_l.angular};
    br_race_contact race;
    br_play_race_by(sim, br_hold_play(r, h->touch.shape_a), br_vec3_neg(h->touch.normal), &race);
    double rate[3] = {0.0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 9; k++) rate[i] -= race.n_by[i][k] * br_vec3_get(part[k / 3], k % 3);
    h->n_rate = br_vec3_of(rate[0], rate[1], rate[2]);
    return br_vec3_norm(du) / fmax(c->outer_radius - c->inner_radius, DBL_MIN) + br_vec3_norm(h->n_rate);
}

// --- forces ------------------------------------------------------------------------------------------------

static br_vec3 in_plane(br_vec3 v, br_vec3 n) {
    return br_vec3_add_scaled(v, -br_vec3_dot(v, n), n);
}

static void law_at(const br_hold *h, br_vec3 *mu, br_vec3 *rate) {
    const br_vec3 z = in_plane(h->spring, h->touch.normal);
    if (br_play_bends(h)) { // between its events smooth, as far beyond the edge as a step looks
        const br_vec3 e = br_vec3_normalize(z);
        const double g = br_friction_g(h->follows, h->speed),
                     turns = br_vec3_norm(z) / edge_of(h->follows, h->speed);
        const br_vec3 around = br_vec3_add_scaled(h->slip, -br_vec3_dot(h->slip, e), e);
        *mu = h->yields ? br_vec3_scale(g, e) : br_vec3_scale(h->follows->sigma_0, z);
        *rate = h->yields ? br_vec3_scale(turns, around) : h->slip;
        return;
    }
    const double v3[3] = {h->slip.x, h->slip.y, h->slip.z}, z3[3] = {z.x, z.y, z.z};
    double mu3[3] = {0.0}, rate3[3] = {0.0};
    br_friction_at(h->follows, 3, v3, z3, mu3, rate3);
    *mu = br_vec3_of(mu3[0], mu3[1], mu3[2]), *rate = br_vec3_of(rate3[0], rate3[1], rate3[2]);
}

void br_play_forces(br_hold *h) {
    const double depth = -h->touch.gap;
    br_vec3 mu, rate;
    h->f_n = fmax(0.0, br_normal_elastic(h->law, depth) +
                           br_normal_loss(h->law, depth, -h->u_n, h->closing, NULL, NULL));
    h->f_t = br_vec3_zero();
    if (!h->follows) return;
    law_at(h, &mu, &rate);
    h->f_t = br_vec3_scale(-h->f_n, mu);
}

double br_play_rate(const br_hold *h) {
    const br_friction_params *law = h->follows;
    if (!br_friction_has_state(law) || (br_play_bends(h) && !h->yields)) return 0.0;
    return law->sigma_0 * h->speed / fmax(br_friction_g(law, h->speed), DBL_MIN);
}

int br_plays_check(br_reference *r, double away) {
    br_reference_contact *c = r->contact;
    int fired = 0;
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (!br_play_bends(h)) continue;
        const double edge = edge_of(h->follows, h->speed), length = br_vec3_norm(h->spring),
                     outward = length > 0.0 ? br_vec3_dot(h->slip, h->spring) / length : 0.0;
        const double growth =
            away != 0.0 ? (edge_of(h->follows, h->speed_near) - edge) / away : 0.0; // of the edge
        int bit = 0;
        if (!h->yields && length > (1.0 + BR_EPS_EDGE) * edge && outward > growth) bit = BR_FIRED_SLIPS;
        if (h->yields && outward < growth - br_hold_rest_speed(r)) bit = BR_FIRED_STOPS;
        h->fired |= bit, fired |= bit;
    }
    return fired;
}

// --- states ------------------------------------------------------------------------------------------------

static br_hold *hold_of(const br_reference *r, int k) {
    for (int i = 0; r->contact && i < r->contact->count; i++)
        if (br_hold_play(r, r->contact->hold[i].touch.shape_a) == k) return &r->contact->hold[i];
    return NULL;
}

void br_plays_take(br_reference *r, const double *z) {
    for (int k = 0; k < br_sim_plays(r->sim); k++) {
        if (!has_follower_state(&r->sim->model->clearance[k])) continue;
        br_hold *h = hold_of(r, k);
        if (h) h->spring = br_vec3_of(z[0], z[1], z[2]);
        z += 3;
    }
}

void br_plays_give(const br_reference *r, double *z) {
    for (int k = 0; k < br_sim_plays(r->sim); k++) {
        if (!has_follower_state(&r->sim->model->clearance[k])) continue;
        const br_hold *h = hold_of(r, k);
        const br_vec3 at = h ? h->spring : br_vec3_zero();
        z[0] = at.x, z[1] = at.y, z[2] = at.z;
        z += 3;
    }
}

void br_plays_rates(const br_reference *r, double *rate) {
    for (int k = 0; k < br_sim_plays(r->sim); k++) {
        if (!has_follower_state(&r->sim->model->clearance[k])) continue;
        const br_hold *h = hold_of(r, k);
        br_vec3 mu, by = br_vec3_zero();
        if (h && h->follows) {
            law_at(h, &mu, &by);
            by = br_vec3_add_scaled(by, -br_vec3_dot(h->n_rate, h->spring), h->touch.normal);
        }
        rate[0] = by.x, rate[1] = by.y, rate[2] = by.z;
        rate += 3;
    }
}

void br_plays_tolerances(const br_reference *r, double rtol, double *absolute) {
    for (int k = 0; k < br_sim_plays(r->sim); k++) {
        const br_friction_params *law = &r->sim->model->clearance[k].friction;
        if (!has_follower_state(&r->sim->model->clearance[k])) continue;
        for (int i = 0; i < 3; i++)
            *absolute++ = rtol * BR_EPS_PLAY_STATE * br_friction_limit(law) / law->sigma_0;
    }
}
