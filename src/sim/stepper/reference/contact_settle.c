// What happens at an event: contacts that touch are collected, impacts change velocities, modes are decided, and positions and
// velocities are brought onto the surfaces. The changes are announced.
#include <string.h>

#include "base/error.h"
#include "sim/stepper/reference/contact.h"

#define BR_EPS_TOUCH 1e-11         // of the smaller shape: gap at which a contact is closed, at an event
#define BR_EPS_TOUCH_FRESH 1e-7    // same, of a state from outside
#define BR_EPS_STAY 1e-5           // same, of contacts that were closed: what they drifted by
#define BR_EPS_ROUNDING 16.0       // roundings of the largest coordinate: noise of a gap
#define BR_EPS_LIFTS 1e-9          // of the largest speed: a contact that opens
#define BR_STOPPED_TOGETHER 100.0  // same, where another one stops
#define BR_STILL_STICKS 1e3        // same, of a contact that stuck: what it drifted by
#define BR_MAX_EVENTS_IN_STEP 2000 // events within one solver.step
#define BR_FINER_AFTER 40          // events within one solver.step after which differences become finer
#define BR_MAX_FINE 1e4            // times
#define BR_MAX_EVENTS_HERE 200     // events between which the clock does not move
#define BR_EPS_CLOCK 1e-9          // of solver.step: the clock has moved
#define BR_SLACK_AFTER 4           // events at one instant after which tolerances grow

// --- events ------------------------------------------------------------------------------------------------

static void announce(const br_reference *r, br_event_kind kind, const br_touch *touch, double value) {
    const br_sim *sim = r->sim;
    if (!sim->event) return;
    br_event event = {.t = sim->state.at->t, .kind = kind, .value = value};
    br_touch_name(sim, touch, event.name, sizeof event.name);
    sim->event(sim->event_context, &event);
}

// The same contact, whatever parts of the shapes it is between now.
static int is_same(const br_touch *a, const br_touch *b) {
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b && a->number == b->number;
}

static void announce_changes(const br_reference *r, int fresh) {
    const br_reference_contact *c = r->contact;
    for (int i = 0; i < c->old_count; i++) {
        int now = 0;
        while (now < c->count && !is_same(&c->hold[now].touch, &c->old[i].touch)) now++;
        if (now == c->count && !fresh) announce(r, BR_EVENT_CONTACT_OFF, &c->old[i].touch, 0.0);
    }
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        if (!h->old && !fresh && !(h->approach > 0.0))
            announce(r, BR_EVENT_CONTACT_ON, &h->touch, fmax(0.0, -h->u_n));
        if (h->old && h->was == BR_CONTACT_STICKS && h->state == BR_CONTACT_SLIPS)
            announce(r, BR_EVENT_SLIP, &h->touch, h->ratio);
        if (h->old && h->was == BR_CONTACT_SLIPS && h->state == BR_CONTACT_STICKS)
            announce(r, BR_EVENT_STICK, &h->touch, h->f_n);
    }
}

// --- settling ----------------------------------------------------------------------------------------------

static const br_hold *find_old(const br_reference_contact *c, const br_touch *t) {
    for (int i = 0; i < c->old_count; i++)
        if (is_same(&c->old[i].touch, t)) return &c->old[i];
    return NULL;
}

static void begin_hold(br_reference *r, const br_touch *t, const br_hold *old, int fresh) {
    br_reference_contact *c = r->contact;
    br_hold *h = &c->hold[c->count++];
    if (old) {
        *h = *old;
        h->was = old->state;
        h->ratio = old->f_n > 0.0 ? br_vec3_norm(old->f_t) / old->f_n : old->pair->mu_static;
    } else {
        memset(h, 0, sizeof *h);
        h->state = h->was = BR_CONTACT_STICKS;
    }
    h->old = old != NULL;
    h->touch = *t;
    h->pair = &r->sim->model->contact->pair[t->pair];
    h->law = &r->sim->contacts->normal_law[t->pair];
    h->rigid = h->law->kind == BR_NORMAL_RIGID;
    h->v0 = r->sim->model->contact->traits->creeps ? r->sim->model->contact->argument : 0.0;
    h->approach = 0.0;
    h->fired &= ~BR_FIRED_LOST;
    br_play_hold(r, h, fresh);
}

// Contacts that are closed by their gap. Compliant ones are where they are loaded.
static int is_closed(const br_reference *r, const br_touch *t, const br_hold *old, int fresh) {
    const double size = br_shapes_size(r->sim->model, t->shape_a, t->shape_b);
    if (r->sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID)
        return old ? !(old->fired & BR_FIRED_OPENS) : t->gap <= 0.0;
    return t->gap <= (old ? BR_EPS_STAY : fresh ? BR_EPS_TOUCH_FRESH : BR_EPS_TOUCH) * size;
}

static br_status collect(br_reference *r, int fresh, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    br_sim_refresh(sim, 2);
    br_status status = br_contacts_find(sim, 0.0, 0.0, error);
    if (status == BR_OK) status = br_contacts_make_room(sim, error);
    if (status != BR_OK) return status;
    br_contacts_keep(sim);
    status = br_reference_contact_reserve(r, sim->contacts->kept->count + c->count, error);
    if (status != BR_OK) return status;
    memcpy(c->old, c->hold, (size_t)c->count * sizeof *c->hold);
    c->old_count = fresh ? 0 : c->count;
    c->count = 0;
    for (int k = 0; k < sim->contacts->kept->count; k++) {
        const br_touch *t = &sim->contacts->before[k];
        const br_hold *old = find_old(c, t);
        if (is_closed(r, t, old, fresh)) begin_hold(r, t, old, fresh);
    }
    return br_bristles_begin(r, fresh, error);
}

static void remove_hold(br_reference_contact *c, int i) {
    memmove(&c->hold[i], &c->hold[i + 1], (size_t)(c->count - i - 1) * sizeof *c->hold);
    c->count--;
}

// After the impact: those that move apart are open. Contacts that were closed and had no impact stay, whatever rounding says.
static void leave_apart(br_reference *r, int struck) {
    br_reference_contact *c = r->contact;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        const int apart = h->rigid && h->u_n > BR_EPS_LIFTS * c->speed && (struck || !h->old);
        if (h->approach > 0.0) announce(r, BR_EVENT_CONTACT_ON, &h->touch, h->approach);
        if (h->approach > 0.0 && !h->old)
            c->old[c->old_count++] = *h; // it was closed, if only for this instant
        if (apart) remove_hold(c, i--);
    }
}

// Contacts slower than `rest` are tried as sticking, the others slide on.
static void first_modes(br_reference *r, double rest) {
    br_reference_contact *c = r->contact;
    const double own = br_hold_rest_speed(r);
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        const int stopped = (h->fired & BR_FIRED_STOPS) || (!h->springy && h->speed <= rest);
        const int sticks = h->springy && h->was == BR_CONTACT_STICKS ? 1
                           : h->old && h->was == BR_CONTACT_STICKS   ? h->speed <= BR_STILL_STICKS * own
                                                                     : stopped;
        if (sticks && h->pair->mu_static > 0.0 && h->v0 == 0.0) {
            if (h->state == BR_CONTACT_SLIPS) br_bristle_stops(h);
            h->state = BR_CONTACT_STICKS;
        } else {
            h->state = BR_CONTACT_SLIPS;
            h->armed = h->speed > BR_STOPPED * own;
            if (h->speed > 0.0) h->ahead = h->direction = br_vec3_scale(1.0 / h->speed, h->slip);
        }
    }
}

br_status br_reference_contact_close(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    memcpy(r->q, sim->state.q, (size_t)r->nq * sizeof(double));
    memcpy(r->v, sim->state.v, (size_t)r->nv * sizeof(double));
    const br_status status = br_reference_project(r, sim->state.at->t, error);
    if (status != BR_OK) return status;
    memcpy(sim->state.q, r->q, (size_t)r->nq * sizeof(double));
    memcpy(sim->state.v, r->v, (size_t)r->nv * sizeof(double));
    br_tree_normalize(&sim->model->tree, sim->state.q);
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    return BR_OK;
}

// The contacts of one body come to rest together, but each is found at rest at an instant of its own, the others within
// rounding of it. Stopped one by one they would have the forces of sliding contacts in between and not end.
static br_status stop_together(br_reference *r, int *stopped, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const double rest = br_hold_rest_speed(r);
    int stops = 0, slow = 0;
    *stopped = 0;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        stops |= h->fired & BR_FIRED_STOPS;
        slow += h->speed > BR_STOPPED * rest && h->speed <= BR_STOPPED_TOGETHER * rest;
    }
    if (!stops || slow == 0) return BR_OK;
    memcpy(c->old, c->hold, (size_t)c->count * sizeof *c->hold); // the same contacts: nothing has struck
    memcpy(c->q_kept, sim->state.q, (size_t)r->nq * sizeof(double));
    memcpy(c->v_kept, sim->state.v, (size_t)r->nv * sizeof(double));
    first_modes(r, BR_STOPPED_TOGETHER * rest);
    br_status status = br_reference_contact_close(r, error);
    if (status == BR_OK) status = br_holds_hold(r, 0.5 * c->slack, stopped, error);
    if (status != BR_OK || *stopped) return status;
    memcpy(c->hold, c->old, (size_t)c->count * sizeof *c->hold);
    memcpy(sim->state.q, c->q_kept, (size_t)r->nq * sizeof(double));
    memcpy(sim->state.v, c->v_kept, (size_t)r->nv * sizeof(double));
    sim->at = 0;
    br_sim_refresh(sim, 2);
    return BR_OK;
}

static br_status choose_modes(br_reference *r, int struck, br_error *error) {
    br_reference_contact *c = r->contact;
    int stopped = 0;
    br_status status = struck || c->count != c->old_count ? BR_OK : stop_together(r, &stopped, error);
    if (status != BR_OK || stopped) return status;
    first_modes(r, BR_STOPPED * br_hold_rest_speed(r));
    for (int i = 0; i < c->count; i++) c->hold[i].fired = 0;
    status = br_reference_contact_close(r, error);
    return status == BR_OK ? br_holds_decide(r, error) : status;
}

// Open contacts that begin at about zero gap: how far below it rounding may show them.
static br_status note_grazing(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const br_contacts *all = sim->contacts;
    br_sim_refresh(sim, 2);
    const br_status status = br_contacts_find(sim, 0.0, 0.0, error);
    if (status != BR_OK) return status;
    if (all->count > c->grazing_capacity) {
        br_grazing *memory = br_sim_take(sim, (size_t)all->capacity * sizeof *memory);
        if (!memory) return br_reference_no_memory(error);
        br_reference_give(sim, c->grazing);
        c->grazing = memory, c->grazing_capacity = all->capacity;
    }
    c->grazing_count = 0;
    for (int k = 0; k < all->count; k++) {
        const br_touch *t = &all->touch[k];
        if (!(t->gap < BR_EPS_GRAZING * br_shapes_size(r->sim->model, t->shape_a, t->shape_b))) continue;
        const double noise = BR_EPS_ROUNDING * DBL_EPSILON * (br_vec3_norm(t->point) + c->size);
        const br_grazing g = {t->shape_a, t->shape_b, t->feature, fmax(0.0, -t->gap) + noise};
        c->grazing[c->grazing_count++] = g;
    }
    return BR_OK;
}

static br_status count_event(br_reference *r, br_error *error) {
    br_reference_contact *c = r->contact;
    const double t = r->sim->state.at->t, step = r->sim->model->settings.solver.step;
    if (t - c->t_event > BR_EPS_CLOCK * step) {
        c->events_here = 0;
        c->slack = 1.0;
        c->t_event = t;
    }
    c->events_here++;
    if (c->events_here > BR_SLACK_AFTER) c->slack = fmin(10.0 * c->slack, 1e4);
    if (t - c->t_window > step) c->t_window = t, c->events_in_window = 0, c->fine = 1.0;
    c->events_in_window++;
    // Differences that reach across an edge take its curvature for the face's, and a contact for lost before it is.
    if (c->events_in_window > BR_FINER_AFTER) c->fine = fmin(2.0 * c->fine, BR_MAX_FINE);
    if (c->events_here <= BR_MAX_EVENTS_HERE && c->events_in_window <= BR_MAX_EVENTS_IN_STEP) return BR_OK;
    char name[BR_MAX_CONTACT_NAME] = "?";
    if (c->count > 0) br_touch_name(r->sim, &c->hold[0].touch, name, sizeof name);
    return br_fail(
        error, BR_NUMERICAL, "contact-chatter",
        "t = %.9g s: %ld contact events have hardly moved the clock (contact '%s', ...): the motion has no "
        "next instant that could be found",
        t, c->events_here > BR_MAX_EVENTS_HERE ? c->events_here : c->events_in_window, name);
}

// Forces at the simulation's state, and what they say about the method to go on with.
static br_status renew(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (r->contact->count == 0) {
        r->contact->turning = 0.0;
        return BR_OK;
    }
    const br_status status = br_reference_solve(r, sim->state.at->t, sim->state.q, sim->state.v, error);
    if (status == BR_OK) {
        br_holds_find_stiffness(r);
        br_holds_freeze(r);
    }
    return status;
}

// Impacts. Motors with a largest effort have no part in them.
static br_status strike(br_reference *r, int *struck, br_error *error) {
    br_reference_motors_set_aside(r);
    br_status status = br_reference_factor(r, error);
    if (status == BR_OK) status = br_holds_impact(r, struck, error);
    if (status != BR_OK || r->motors == 0) return status;
    if (*struck)
        br_reference_motors_take(r);
    else
        br_reference_motors_take_up(r);
    return br_reference_factor(r, error);
}

br_status br_reference_contact_settle(br_reference *r, int fresh, int *struck, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const double stop = r->stop;
    *struck = 0;
    if (fresh)
        c->events_here = 0, c->slack = c->fine = 1.0, c->t_event = c->t_window = -INFINITY, c->count = 0;
    const double stored = br_bristles_stored(c);
    br_status status = count_event(r, error);
    if (status == BR_OK) status = collect(r, fresh, error);
    if (status != BR_OK) return status;
    br_holds_freeze(r);
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    br_holds_look(r, sim->V);
    br_holds_update_scales(r, sim->V, fresh);
    r->stop = INFINITY; // of the instant, to the right of a knot
    status = strike(r, struck, error);
    if (status == BR_OK) {
        leave_apart(r, *struck);
        status = choose_modes(r, *struck, error);
    }
    if (status == BR_OK) status = br_reference_contact_close(r, error);
    r->stop = stop;
    if (status != BR_OK) return status;
    if (!fresh) c->friction_jump += stored - br_bristles_stored(c);
    announce_changes(r, fresh);
    status = note_grazing(r, error);
    return status == BR_OK ? renew(r, error) : status;
}
