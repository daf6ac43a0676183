// What contacts do to the books of a step: friction, impacts, what compliant contacts and bristles store; and the events of a
// step.
//
//     friction  -f_t . s - change of what bristles store          s, v_n: velocities (v + v_next)/2 at the contact
//               of bristles that stick only what their dampers take, of what sticks without them nothing: the rest is the
//               scheme's
//     impact    -f_n v_n of a rigid contact
//     compliant f_n = spring(depth) + damper: the spring is stored, the damper is damping. What is too stiff for the step, see
//               contact/press.c, is stored or lost: damping as far as the law's damper would have taken it, else the
//               scheme's, since the law asked for a rebound that the step did not give
#include <stdio.h>

#include "sim/contact/contact.h"
#include "sim/contact/play.h"
#include "sim/contact/stick.h"

static double stored_by_bristles(const br_sim *sim, const br_touch *t) {
    const br_model_contact *contact = sim->model->contact;
    if (!contact->traits->bristles) return 0.0;
    const double k = contact->pair[t->pair].bristle_stiffness * t->share;
    if (!isfinite(k) || !(k > 0.0) || t->state == BR_CONTACT_OPEN) return 0.0;
    return 0.5 * br_vec3_norm_squared(t->f_bristle) / k;
}

// What a compliant contact stores: where the step follows it, at the depth of the step's end; where it is too stiff, at the depth
// that its force is of. Between two evaluations a stiff contact is as deep as the step's coarseness makes it, which
// no force of the run has ever known. normal_guess is the velocity that came out.
static double stored_by_press(const br_normal_law *law, const br_touch_pressing *x) {
    return (1.0 - x->rigid) * br_normal_energy(law, x->depth_end) +
           x->rigid * br_normal_energy(law, x->depth_next);
}

double br_contacts_stored(const br_sim *sim, br_touch *touch, int count) {
    double energy = 0.0;
    for (int k = 0; k < count; k++) {
        br_touch *t = &touch[k];
        const br_normal_law *law = &sim->contacts->normal_law[t->pair];
        br_touch_pressing x;
        t->stored = 0.0;
        if (law->kind != BR_NORMAL_RIGID) {
            br_touch_press(sim, t, t->normal_guess, &x);
            t->stored = stored_by_press(law, &x);
        }
        energy += stored_by_bristles(sim, t) + t->stored;
    }
    return energy;
}

// How much deeper contacts are at the step's end than any force has known, J: what stored_by_press leaves out.
double br_contacts_hidden(const br_sim *sim, const br_touch *touch, int count) {
    double energy = 0.0;
    for (int k = 0; k < count; k++) {
        const br_touch *t = &touch[k];
        const br_normal_law *law = &sim->contacts->normal_law[t->pair];
        br_touch_pressing x;
        if (law->kind == BR_NORMAL_RIGID) continue;
        br_touch_press(sim, t, t->normal_guess, &x);
        energy += fmax(0.0, br_normal_energy(law, x.depth_end) - t->stored);
    }
    return energy;
}

// Power of bristles that stick on the velocities v, beyond what they stored in the step: made by the scheme, neither friction
// nor stored. They were deflected by h times the slip that the law saw.
static double bristle_scheme(const br_sim *sim, const br_touch *t, br_vec3 v) {
    const double k = sim->model->contact->pair[t->pair].bristle_stiffness * t->share;
    if (t->kinetic || t->state != BR_CONTACT_STICKS || !(stored_by_bristles(sim, t) > 0.0)) return 0.0;
    const br_vec3 start = br_vec3_add_scaled(t->f_bristle, sim->h * k, t->slip);
    const double stored = 0.5 * (br_vec3_norm_squared(t->f_bristle) - br_vec3_norm_squared(start)) / k;
    return br_vec3_dot(t->f_bristle, v) + stored / sim->h;
}

// The same of a contact that stuck before the step and sticks after it: what does not slide takes nothing. With theta 1 rows are
// those of the step's start, where the former velocity slips by what they have turned since.
static double stuck_scheme(const br_touch *t, br_vec3 v) {
    return t->was == BR_CONTACT_STICKS && t->state == BR_CONTACT_STICKS && !t->kinetic
               ? br_vec3_dot(t->f_t, v)
               : 0.0;
}

#define BR_LAGGING                                                                                           \
    0.02 // part of a force that is too stiff for the step: from here on a blow loses more than the limit of judgement.c

// What the step follows: a spring and a damper; the rest of the force as of a rigid contact, but for what is stored. Surfaces do
// not pull: where the damper would hold back more than the spring pushes, they spring back alone, into the damper.
static void press_powers(const br_sim *sim, const br_touch *t, const br_normal_law *law, double v_n,
                         br_powers *p) {
    br_touch_pressing x;
    br_touch_press(sim, t, t->normal_guess, &x);
    const double change = (stored_by_press(law, &x) - t->stored) / sim->h;
    if (!(t->f_n > 0.0)) {
        if (!(change < 0.0)) return;
        p->elastic -= change, p->damping -= change;
        return;
    }
    p->lagging |= t->state != BR_CONTACT_OPEN && x.rigid > BR_LAGGING;
    const double followed = x.spring + x.loss, f_lag = x.rigid > 0.0 ? t->f_n - followed : 0.0;
    const double grown = (1.0 - x.rigid) *
                         (br_normal_energy(law, x.depth_end) - br_normal_energy(law, x.depth_start)) / sim->h;
    const double stored = change - grown, taken = -f_lag * v_n - stored,
                 damped = taken > 0.0 ? x.damped * taken : 0.0;
    p->elastic += x.spring * v_n - stored - (taken - damped);
    p->damping += damped - (t->f_n - f_lag - x.spring) * v_n;
}

static void touch_powers(const br_sim *sim, const br_touch *t, br_powers *p) {
    const br_normal_law *law = &sim->contacts->normal_law[t->pair];
    const br_vec3 v = br_touch_velocity(sim, t, NULL);
    const double v_n = br_vec3_dot(v, t->normal);
    br_vec3 turning = br_vec3_zero();
    if (t->link_a >= 0) turning = sim->work.motion[t->link_a].V.angular;
    if (t->link_b >= 0) turning = br_vec3_sub(turning, sim->work.motion[t->link_b].V.angular);
    const double made = stored_by_bristles(sim, t) > 0.0 ? bristle_scheme(sim, t, v) : stuck_scheme(t, v);
    p->friction -= br_vec3_dot(t->f_t, v) + br_vec3_dot(t->moment, turning) - made;
    p->elastic += made;
    if (law->kind == BR_NORMAL_RIGID) {
        p->impact -= t->f_n * v_n;
        return;
    }
    press_powers(sim, t, law, v_n, p);
}

// Lagged bounds let a contact that has just opened rub for one more step.
static int acts(const br_touch *t) {
    return t->state != BR_CONTACT_OPEN || br_vec3_max_abs(t->f_t) > 0.0 || br_vec3_max_abs(t->moment) > 0.0;
}

void br_contact_powers(const br_sim *sim, br_powers *p) {
    const br_contacts *c = sim->contacts;
    double bristles = 0.0;
    for (int k = 0; k < c->count; k++) {
        if (acts(&c->touch[k]) || c->normal_law[c->touch[k].pair].kind != BR_NORMAL_RIGID)
            touch_powers(sim, &c->touch[k], p);
        bristles += stored_by_bristles(sim, &c->touch[k]);
    }
    for (int k = 0; sim->model->contact->traits->bristles && k < c->kept->count; k++)
        bristles -= stored_by_bristles(sim, &c->before[k]);
    if (bristles == 0.0) return;
    p->friction -= bristles / sim->h; // what goes into bristles is not lost
    p->elastic -= bristles / sim->h;
}

// `so_far` where x is no number.
static double larger(double so_far, double x) {
    return x > so_far ? x : so_far;
}

void br_contact_maxima(br_sim *sim) {
    br_ledger *l = sim->ledger;
    double depth = l->penetration, outside = l->cone_violation, creep = l->creep;
    long carrying = 0;
    for (int k = 0; k < sim->contacts->count; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        if (sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID || br_touch_play(sim, t))
            depth = larger(depth, -t->gap);
        if (t->state == BR_CONTACT_OPEN) continue;
        carrying += !br_touch_play(sim, t);
        if (t->mu > 0.0) outside = larger(outside, br_vec3_norm(t->f_t) / (t->mu * t->f_n) - 1.0);
        if (t->state != BR_CONTACT_STICKS) continue;
        const double walked = br_sticks_touch(sim, k); // what rolls is told by its slip
        creep = larger(creep, isnan(walked) ? br_vec3_norm(t->slip) : walked / sim->h);
    }
    l->penetration = depth, l->cone_violation = outside, l->creep = creep;
    l->contacts = carrying > l->contacts ? carrying : l->contacts;
}

// --- events ------------------------------------------------------------------------------------------------

static void tell(const br_sim *sim, const br_touch *t, br_event_kind kind, double value) {
    br_event event = {.t = sim->state.at->t, .kind = kind, .value = value};
    br_touch_name(sim, t, event.name, sizeof event.name);
    sim->event(sim->event_context, &event);
}

static void tell_change(const br_sim *sim, const br_touch *t, br_contact_state before, br_contact_state now) {
    if (before == now) return;
    if (before == BR_CONTACT_OPEN) tell(sim, t, BR_EVENT_CONTACT_ON, t->approach < 0.0 ? -t->approach : 0.0);
    if (now != BR_CONTACT_OPEN && br_play_rubs(sim, t)) return; // it always creeps
    if (now == BR_CONTACT_OPEN)
        tell(sim, t, BR_EVENT_CONTACT_OFF, 0.0);
    else if (now == BR_CONTACT_STICKS)
        tell(sim, t, BR_EVENT_STICK, t->f_n);
    else
        tell(sim, t, BR_EVENT_SLIP, t->f_n > 0.0 ? br_vec3_norm(t->f_t) / t->f_n : 0.0);
}

void br_contact_events(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    if (!sim->event) return;
    for (int k = 0; k < c->left_count; k++) tell(sim, &c->before[c->left[k]], BR_EVENT_CONTACT_OFF, 0.0);
    for (int i = 0; i < c->count; i++) tell_change(sim, &c->touch[i], c->touch[i].was, c->touch[i].state);
}
