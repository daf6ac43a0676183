// Contact in the reference stepper: what is refused, settling at events, finding them, what is handed out.
//
// Between events the set of closed contacts and their modes (sticks, slips) are fixed and the motion is smooth. After each
// step of the integrator the modes are checked at its end; if one has ended, the instant is bisected on the integrator's own
// interpolant, to the last digits of the clock, and everything is settled there: impacts, then modes.
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/stepper_reference_contact.h"

#define BR_EPS_TOUCH 1e-11       // of the smaller shape: gap at which a contact is closed, at an event
#define BR_EPS_TOUCH_FRESH 1e-7  // same, of a state from outside
#define BR_EPS_STAY 1e-5         // same, of contacts that were closed: what they drifted by
#define BR_EPS_GRAZING 1e-9      // of the smaller shape: an open contact this near may begin below zero by rounding
#define BR_EPS_ROUNDING 16.0     // roundings of the largest coordinate: noise of a gap
#define BR_EPS_LIFTS 1e-9        // of the largest speed: a contact that opens
#define BR_MAX_BISECTIONS 100
#define BR_INTERIOR_LOOKS 3      // within a step, for gaps that close and open again
#define BR_MAX_EVENTS_HERE 200   // events between which the clock does not move
#define BR_EPS_CLOCK 1e-9        // of solver.step: the clock has moved
#define BR_SLACK_AFTER 4         // events at one instant after which tolerances grow
#define BR_MIN_PACE 1e-3         // 1/s

// --- creation ----------------------------------------------------------------------------------------------

static br_status refuse(const br_sim *sim, br_error *error) {
    const br_model_contact *m = sim->model->contact;
    static const char *const name[] = {"bristle", "cone", "box", "polygon", "viscous"};
    if (m->law != BR_CONTACT_CONE && m->law != BR_CONTACT_BRISTLE)
        return br_fail_path(error, BR_INVALID, "reference-law", "contact/law",
                            "the reference stepper has exact Coulomb friction; law %s is an approximation to it that only "
                            "the contact stepper has. Write law: cone",
                            name[m->law]);
    for (int k = 0; k < m->pairs; k++)
        if (m->pair[k].rolling > 0.0 || m->pair[k].torsion > 0.0)
            return br_fail(error, BR_INVALID, "reference-rolling",
                           "pair %s/%s has %s friction, which the reference stepper does not have; use the contact "
                           "stepper, or set it to 0",
                           m->pair[k].first, m->pair[k].second, m->pair[k].rolling > 0.0 ? "rolling" : "torsional");
    return BR_OK;
}

static void find_size(br_reference *r) {
    const br_model_contact *m = r->sim->model->contact;
    double size = INFINITY;
    for (int s = 0; s < m->shapes; s++)
        if (m->shape[s].link >= 0 && m->shape[s].geometry.size > 0.0) size = fmin(size, m->shape[s].geometry.size);
    r->contact->size = isfinite(size) ? size : 1.0;
}

br_status br_reference_contact_create(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (!sim->contacts) return BR_OK;
    br_status status = refuse(sim, error);
    if (status != BR_OK) return status;
    br_reference_contact *c = BR_TAKE(&sim->arena, br_reference_contact, 1);
    if (!c) return br_reference_no_memory(error);
    const int links = sim->model->tree.links;
    c->path = BR_TAKE(&sim->arena, int, links);
    c->y = BR_TAKE(&sim->arena, double, r->nv);
    c->z = BR_TAKE(&sim->arena, double, r->nv);
    c->eta = BR_TAKE(&sim->arena, double, r->nv);
    c->vdot_free = BR_TAKE(&sim->arena, double, r->nv);
    c->q = BR_TAKE(&sim->arena, double, r->nq);
    if (!c->path || !c->y || !c->z || !c->eta || !c->vdot_free || !c->q) return br_reference_no_memory(error);
    for (int k = 0; k < links; k++) c->path[k] = links - 1 - k;
    c->slack = 1.0;
    c->paradox = -1;
    r->contact = c;
    find_size(r);
    sim->has_wrench = 1;
    return br_reference_contact_reserve(r, 8, error);
}

static void give(const br_sim *sim, void *memory) {
    if (memory) br_sim_give(sim, memory);
}

static void give_dense(const br_sim *sim, br_reference_contact *c) {
    give(sim, c->row), give(sim, c->W), give(sim, c->b), give(sim, c->x), give(sim, c->w), give(sim, c->kept);
    give(sim, c->mu), give(sim, c->dv), give(sim, c->V);
    give(sim, c->pinv.B), give(sim, c->pinv.V), give(sim, c->pinv.sigma);
    c->row = NULL, c->W = c->b = c->x = c->w = c->kept = c->mu = c->dv = NULL, c->V = NULL;
    c->pinv.B = c->pinv.V = c->pinv.sigma = NULL;
}

void br_reference_contact_destroy(br_reference *r) {
    br_reference_contact *c = r->contact;
    if (!c) return;
    give_dense(r->sim, c);
    give(r->sim, c->hold), give(r->sim, c->old), give(r->sim, c->near), give(r->sim, c->grazing);
    give(r->sim, c->delivered);
}

static void *more(const br_sim *sim, void *old, size_t used, size_t bytes) {
    void *memory = br_sim_take(sim, bytes);
    if (!memory) return NULL;
    if (used > 0) memcpy(memory, old, used);
    give(sim, old);
    return memory;
}

br_status br_reference_contact_reserve(br_reference *r, int holds, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    if (holds <= c->capacity) return BR_OK;
    const size_t capacity = (size_t)(holds + holds / 2), rows = BR_HOLD_ROWS * capacity;
    const size_t nv = (size_t)r->nv, links = (size_t)sim->model->tree.links;
    br_hold *hold = more(sim, c->hold, (size_t)c->count * sizeof *hold, capacity * sizeof *hold);
    if (!hold) return br_reference_no_memory(error);
    c->hold = hold;
    br_hold *old = more(sim, c->old, (size_t)c->old_count * sizeof *old, capacity * sizeof *old);
    if (!old) return br_reference_no_memory(error);
    c->old = old;
    give_dense(sim, c);
    c->row = br_sim_take(sim, rows * sizeof *c->row);
    c->W = br_sim_take(sim, rows * rows * sizeof(double));
    c->b = br_sim_take(sim, rows * sizeof(double));
    c->x = br_sim_take(sim, rows * sizeof(double));
    c->w = br_sim_take(sim, rows * sizeof(double));
    c->kept = br_sim_take(sim, rows * sizeof(double));
    c->mu = br_sim_take(sim, capacity * sizeof(double));
    c->dv = br_sim_take(sim, rows * nv * sizeof(double));
    c->V = br_sim_take(sim, rows * links * sizeof *c->V);
    c->pinv.B = br_sim_take(sim, rows * rows * sizeof(double));
    c->pinv.V = br_sim_take(sim, rows * rows * sizeof(double));
    c->pinv.sigma = br_sim_take(sim, rows * sizeof(double));
    if (!c->row || !c->W || !c->b || !c->x || !c->w || !c->kept || !c->mu || !c->dv || !c->V || !c->pinv.B ||
        !c->pinv.V || !c->pinv.sigma)
        return br_reference_no_memory(error);
    c->capacity = (int)capacity;
    return BR_OK;
}

// --- scales ------------------------------------------------------------------------------------------------

// At the twists V: the largest speed so far, and how fast directions change.
static void update_scales(br_reference *r, const br_twist *V, int fresh) {
    const br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const double fall = sqrt(br_vec3_norm(sim->model->settings.gravity) / c->size);
    if (fresh) c->speed = fmax(fall * c->size, BR_MIN_PACE * c->size);
    c->pace = fmax(fall, BR_MIN_PACE);
    for (int i = 0; i < sim->model->tree.links; i++) {
        const double turn = br_vec3_norm(V[i].angular), move = br_vec3_norm(V[i].linear);
        c->speed = fmax(c->speed, move);
        c->pace = fmax(c->pace, turn);
    }
    for (int i = 0; i < c->count; i++) {
        const br_touch *t = &c->hold[i].touch;
        c->pace = fmax(c->pace, br_vec3_norm(c->hold[i].u) / br_shapes_size(r->sim->model, t->shape_a, t->shape_b));
    }
}

// --- events ------------------------------------------------------------------------------------------------

static void announce(const br_reference *r, br_event_kind kind, const br_touch *touch, double value) {
    const br_sim *sim = r->sim;
    if (!sim->event) return;
    br_event event = {.t = sim->state.t, .kind = kind, .value = value};
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
        if (!h->old && !fresh && !(h->approach > 0.0)) announce(r, BR_EVENT_CONTACT_ON, &h->touch, fmax(0.0, -h->u_n));
        if (h->old && h->was == BR_CONTACT_STICKS && h->state == BR_CONTACT_SLIPS)
            announce(r, BR_EVENT_SLIP, &h->touch, h->ratio);
        if (h->old && h->was == BR_CONTACT_SLIPS && h->state == BR_CONTACT_STICKS)
            announce(r, BR_EVENT_STICK, &h->touch, h->f_n);
    }
}

static br_status renew(br_reference *r, br_error *error);

// --- settling ----------------------------------------------------------------------------------------------

static const br_hold *find_old(const br_reference_contact *c, const br_touch *t) {
    for (int i = 0; i < c->old_count; i++)
        if (is_same(&c->old[i].touch, t)) return &c->old[i];
    return NULL;
}

static void begin_hold(br_reference *r, const br_touch *t, const br_hold *old) {
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
    h->approach = 0.0;
    h->fired &= ~BR_FIRED_LOST;
}

// Contacts that are closed by their gap. Compliant ones are where they are loaded.
static int is_closed(const br_reference *r, const br_touch *t, const br_hold *old, int fresh) {
    const double size = br_shapes_size(r->sim->model, t->shape_a, t->shape_b);
    if (r->sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID) return old ? !(old->fired & BR_FIRED_OPENS) : t->gap <= 0.0;
    return t->gap <= (old ? BR_EPS_STAY : fresh ? BR_EPS_TOUCH_FRESH : BR_EPS_TOUCH) * size;
}

static br_status collect(br_reference *r, int fresh, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    br_sim_refresh(sim, 2);
    br_status status = br_contacts_find(sim, 0.0, 0.0, error);
    if (status != BR_OK) return status;
    br_contacts_keep(sim);
    status = br_reference_contact_reserve(r, sim->contacts->count + c->count, error);
    if (status != BR_OK) return status;
    memcpy(c->old, c->hold, (size_t)c->count * sizeof *c->hold);
    c->old_count = fresh ? 0 : c->count;
    c->count = 0;
    for (int k = 0; k < sim->contacts->count; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        const br_hold *old = find_old(c, t);
        if (is_closed(r, t, old, fresh)) begin_hold(r, t, old);
    }
    return BR_OK;
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
        if (h->approach > 0.0 && !h->old) c->old[c->old_count++] = *h; // it was closed, if only for this instant
        if (apart) remove_hold(c, i--);
    }
}

// Contacts without slip are tried as sticking, the others slide on.
static void first_modes(br_reference *r) {
    br_reference_contact *c = r->contact;
    const double rest = br_hold_rest_speed(r);
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        const int stopped = (h->fired & BR_FIRED_STOPS) || h->speed <= 2.0 * rest;
        const int sticks = h->old && h->was == BR_CONTACT_STICKS ? h->speed <= 1e3 * rest : stopped;
        h->fired = 0;
        if (sticks && h->pair->mu_static > 0.0) {
            h->state = BR_CONTACT_STICKS;
        } else {
            h->state = BR_CONTACT_SLIPS;
            h->armed = h->speed > 2.0 * rest;
            if (h->speed > 0.0) h->ahead = h->direction = br_vec3_scale(1.0 / h->speed, h->slip);
        }
    }
}

static br_status project_state(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    memcpy(r->q, sim->state.q, (size_t)r->nq * sizeof(double));
    memcpy(r->v, sim->state.v, (size_t)r->nv * sizeof(double));
    const br_status status = br_reference_project(r, sim->state.t, error);
    if (status != BR_OK) return status;
    memcpy(sim->state.q, r->q, (size_t)r->nq * sizeof(double));
    memcpy(sim->state.v, r->v, (size_t)r->nv * sizeof(double));
    br_tree_normalize(&sim->model->tree, sim->state.q);
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    return BR_OK;
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
        give(sim, c->grazing);
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
    const double t = r->sim->state.t;
    if (t - c->t_event > BR_EPS_CLOCK * r->sim->model->settings.solver.step) {
        c->events_here = 0;
        c->slack = 1.0;
        c->t_event = t;
    }
    c->events_here++;
    if (c->events_here > BR_SLACK_AFTER) c->slack = fmin(10.0 * c->slack, 1e4);
    if (c->events_here <= BR_MAX_EVENTS_HERE) return BR_OK;
    char name[BR_MAX_CONTACT_NAME] = "?";
    if (c->count > 0) br_touch_name(r->sim, &c->hold[0].touch, name, sizeof name);
    return br_fail(error, BR_NUMERICAL, "contact-chatter",
                   "t = %.9g s: %d contact events have not moved the clock (contact '%s'): the motion has no next instant",
                   t, BR_MAX_EVENTS_HERE, name);
}

br_status br_reference_contact_settle(br_reference *r, int fresh, int *struck, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const double stop = r->stop;
    *struck = 0;
    if (fresh) c->events_here = 0, c->slack = 1.0, c->t_event = -INFINITY, c->count = 0;
    br_status status = count_event(r, error);
    if (status == BR_OK) status = collect(r, fresh, error);
    if (status != BR_OK) return status;
    br_holds_freeze(r);
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    br_holds_look(r, sim->V);
    update_scales(r, sim->V, fresh);
    r->stop = INFINITY; // of the instant, to the right of a knot
    status = br_reference_factor(r, error);
    if (status == BR_OK) status = br_holds_impact(r, struck, error);
    if (status == BR_OK) {
        leave_apart(r, *struck);
        first_modes(r);
        status = project_state(r, error);
    }
    if (status == BR_OK) status = br_holds_decide(r, error);
    if (status == BR_OK) status = project_state(r, error);
    r->stop = stop;
    if (status != BR_OK) return status;
    announce_changes(r, fresh);
    status = note_grazing(r, error);
    return status == BR_OK ? renew(r, error) : status;
}

// --- finding events ----------------------------------------------------------------------------------------

br_status br_reference_contact_watch(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const br_tree *tree = &sim->model->tree;
    const double *y = N_VGetArrayPointer(r->y);
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    br_tree_normalize(tree, r->q);
    br_tree_position(tree, r->q, &sim->work);
    br_tree_twists_in_place(tree, &sim->work, y + r->nq);
    sim->at = 0;
    const br_status status = br_contacts_find(sim, sim->model->settings.solver.step, 0.0, error);
    if (status != BR_OK) return status;
    const br_contacts *all = sim->contacts;
    if (all->count > c->near_capacity) {
        br_near_pair *memory = br_sim_take(sim, (size_t)all->capacity * sizeof *memory);
        if (!memory) return br_reference_no_memory(error);
        give(sim, c->near);
        c->near = memory, c->near_capacity = all->capacity;
    }
    c->near_count = 0;
    for (int k = 0; k < all->count; k++) {
        const br_near_pair p = {all->touch[k].shape_a, all->touch[k].shape_b};
        const br_near_pair *last = c->near_count > 0 ? &c->near[c->near_count - 1] : NULL;
        if (!last || last->a != p.a || last->b != p.b) c->near[c->near_count++] = p;
    }
    return BR_OK;
}

static int is_held(const br_reference_contact *c, int a, int b, uint32_t feature) {
    for (int i = 0; i < c->count; i++) {
        const br_touch *t = &c->hold[i].touch;
        if (t->shape_a == a && t->shape_b == b && t->feature == feature) return 1;
    }
    return 0;
}

static const br_grazing *find_grazing(const br_reference_contact *c, int a, int b, uint32_t feature) {
    for (int i = 0; i < c->grazing_count; i++) {
        const br_grazing *g = &c->grazing[i];
        if (g->shape_a == a && g->shape_b == b && g->feature == feature) return g;
    }
    return NULL;
}

// A contact that began at zero gap is within rounding and the integrator's tolerance of it for a while: it closes when it
// also approaches, or when it is too deep for either.
static int point_closes(const br_reference *r, int a, int b, const br_contact_point *point) {
    const br_reference_contact *c = r->contact;
    const br_model_shape *shape = r->sim->model->contact->shape;
    const br_grazing *g = find_grazing(c, a, b, point->feature);
    if (!g) return point->gap < 0.0;
    if (!(point->gap < -g->margin)) return 0;
    const br_touch t = {.link_a = shape[a].link, .link_b = shape[b].link, .point = point->point};
    const double u_n = br_vec3_dot(point->normal, br_touch_velocity(r->sim, &t, r->sim->V));
    return u_n < -br_hold_rest_speed(r) || point->gap < -BR_EPS_GRAZING * br_shapes_size(r->sim->model, a, b);
}

// Whether an open contact has closed at the positions in work and the twists in sim->V.
static int closes(const br_reference *r) {
    const br_reference_contact *c = r->contact;
    br_contact_point point[BR_MAX_MANIFOLD];
    for (int k = 0; k < c->near_count; k++) {
        const int a = c->near[k].a, b = c->near[k].b, n = br_hold_manifold(r, a, b, 0.0, point);
        for (int i = 0; i < n; i++)
            if (!is_held(c, a, b, point[i].feature) && point_closes(r, a, b, &point[i])) return 1;
    }
    return 0;
}

// The integrator's state at t, within its last step, into r->q and r->v; its positions into work, its twists into sim->V.
static br_status look_at(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    if (t < r->t) {
        if (CVodeGetDky(r->memory, t, 0, r->scratch) != CV_SUCCESS)
            return br_fail(error, BR_NUMERICAL, "reference-failed", "t = %.9g s: the last step cannot be looked into", t);
    } else {
        N_VScale(1.0, r->y, r->scratch);
    }
    const double *y = N_VGetArrayPointer(r->scratch);
    if (!br_all_finite(r->nq + r->nv, y))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a position is not a finite number", t);
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    memcpy(r->v, y + r->nq, (size_t)r->nv * sizeof *y);
    br_tree_normalize(&sim->model->tree, r->q);
    br_tree_position(&sim->model->tree, r->q, &sim->work);
    br_tree_twists(&sim->model->tree, &sim->work, r->v, sim->V);
    sim->at = 0;
    return BR_OK;
}

static int any_lost(const br_reference_contact *c) {
    for (int i = 0; i < c->count; i++)
        if (c->hold[i].fired & BR_FIRED_LOST) return 1;
    return 0;
}

// Dependent rows: a contact's share may pull or be too much for its cone although another distribution is fine.
static br_status check_shares(br_reference *r, int *fired, br_error *error) {
    br_reference_contact *c = r->contact;
    int possible = 0;
    if (!c->deficient || !(*fired & (BR_FIRED_OPENS | BR_FIRED_SLIPS))) return BR_OK;
    const br_status status = br_holds_admissible(r, &possible, error);
    if (status != BR_OK || !possible) return status;
    *fired &= ~(BR_FIRED_OPENS | BR_FIRED_SLIPS);
    for (int i = 0; i < c->count; i++) c->hold[i].fired &= ~(BR_FIRED_OPENS | BR_FIRED_SLIPS);
    return BR_OK;
}

static br_status check_at(br_reference *r, double t, int *fired, br_error *error) {
    br_reference_contact *c = r->contact;
    br_status status = look_at(r, t, error);
    *fired = 0;
    if (status != BR_OK) return status;
    if (closes(r)) *fired |= BR_FIRED_CLOSES;
    if (c->count == 0) return BR_OK;
    for (int i = 0; i < c->count; i++) c->hold[i].fired = 0;
    status = br_reference_solve(r, t, r->q, r->v, error);
    if (status != BR_OK) return status;
    if (any_lost(c)) {
        *fired |= BR_FIRED_LOST;
        return BR_OK;
    }
    int modes = br_holds_check(r, c->slack);
    status = check_shares(r, &modes, error);
    for (int i = 0; i < c->count; i++)
        if (!c->hold[i].rigid && c->hold[i].touch.gap > 0.0) c->hold[i].fired |= BR_FIRED_OPENS, modes |= BR_FIRED_OPENS;
    *fired |= modes;
    return status;
}

// Where within (before, r->t) an open contact first seems to have closed; r->t when nowhere.
static br_status look_inside(br_reference *r, double before, double *t, br_error *error) {
    *t = r->t;
    if (r->contact->near_count == 0) return BR_OK;
    for (int k = 1; k <= BR_INTERIOR_LOOKS; k++) {
        const double at = before + (r->t - before) * k / (BR_INTERIOR_LOOKS + 1);
        const br_status status = look_at(r, at, error);
        if (status != BR_OK) return status;
        if (closes(r)) {
            *t = at;
            return BR_OK;
        }
    }
    return BR_OK;
}

// Friction turns slip of speed s towards its own direction at the rate mu f_n W_perp / s, which grows without bound as
// sliding begins or ends.
static void find_stiffness(br_reference *r) {
    br_reference_contact *c = r->contact;
    c->turning = 0.0;
    if (r->sim->model->settings.planar != BR_SPATIAL) return;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        if (h->state != BR_CONTACT_SLIPS || !(h->pair->mu_kinetic > 0.0)) continue;
        const br_vec3 across = br_vec3_cross(h->touch.normal, h->direction);
        const double W = br_hold_compliance(r, i, across), least = br_hold_rest_speed(r);
        c->turning = fmax(c->turning, h->pair->mu_kinetic * fabs(h->f_n) * W / fmax(h->speed, least));
    }
}

static void go_on(br_reference *r) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const double rest = br_hold_rest_speed(r);
    br_tree_twists(&sim->model->tree, &sim->work, r->v, sim->V);
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (h->state != BR_CONTACT_SLIPS) continue;
        h->ahead = h->direction;
        h->armed |= h->speed > 2.0 * rest;
    }
    update_scales(r, sim->V, 0);
    find_stiffness(r);
    br_holds_freeze(r);
}

// Forces at the simulation's state, and what they say about the method to go on with.
static br_status renew(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (r->contact->count == 0) {
        r->contact->turning = 0.0;
        return BR_OK;
    }
    const br_status status = br_reference_solve(r, sim->state.t, sim->state.q, sim->state.v, error);
    if (status == BR_OK) {
        find_stiffness(r);
        br_holds_freeze(r);
    }
    return status;
}

br_status br_reference_contact_locate(br_reference *r, double before, int *ended, br_error *error) {
    double high = r->t, low = before;
    int fired = 0;
    *ended = 0;
    br_status status = look_inside(r, before, &high, error);
    if (status == BR_OK) status = check_at(r, high, &fired, error);
    if (status != BR_OK) return status;
    if (!fired) {
        go_on(r);
        return BR_OK;
    }
    for (int k = 0; k < BR_MAX_BISECTIONS; k++) {
        const double middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high)) break;
        status = check_at(r, middle, &fired, error);
        if (status != BR_OK) return status;
        *(fired ? &high : &low) = middle;
    }
    status = check_at(r, high, &fired, error);
    if (status != BR_OK) return status;
    N_VScale(1.0, r->scratch, r->y);
    r->t = high;
    *ended = 1;
    return BR_OK;
}

// --- handing out -------------------------------------------------------------------------------------------

static void fill_touch(const br_reference *r, br_touch *t) {
    const br_reference_contact *c = r->contact;
    const br_sim *sim = r->sim;
    t->f_n = 0.0, t->f_t = t->f_bristle = t->moment = br_vec3_zero(), t->state = BR_CONTACT_OPEN;
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    const br_vec3 u = br_touch_velocity(sim, t, sim->V);
    t->approach = br_vec3_dot(u, t->normal);
    t->slip = t->slip_start = br_vec3_add_scaled(u, -t->approach, t->normal);
    t->speed = br_vec3_norm(t->slip);
    t->mu = sim->model->contact->pair[t->pair].mu_static;
    t->kinetic = 0;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        if (!br_touch_same(&h->touch, t)) continue;
        t->f_n = t->f_n_bound = h->f_n, t->f_t = t->f_bristle = h->f_t, t->state = h->state;
        t->kinetic = h->state == BR_CONTACT_SLIPS;
        if (t->kinetic) t->mu = h->pair->mu_kinetic;
    }
}

static void keep_books(br_reference *r) {
    const br_contacts *all = r->sim->contacts;
    br_ledger *l = &r->sim->ledger;
    long loaded = 0;
    for (int k = 0; k < all->count; k++) {
        const br_touch *t = &all->touch[k];
        const double friction = br_vec3_norm(t->f_t), most = t->mu * t->f_n;
        if (all->normal_law[t->pair].kind == BR_NORMAL_RIGID) l->penetration = fmax(l->penetration, -t->gap);
        if (t->state == BR_CONTACT_OPEN) continue;
        loaded += t->f_n > 0.0;
        if (most > 0.0) l->cone_violation = fmax(l->cone_violation, friction / most - 1.0);
        if (t->state == BR_CONTACT_STICKS) l->creep = fmax(l->creep, t->speed);
    }
    if (loaded > l->contacts) l->contacts = loaded;
}

static br_status forces_of_the_instant(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    if (c->count == 0) return BR_OK;
    br_status status = project_state(r, error);
    if (status == BR_OK) status = br_reference_solve(r, sim->state.t, sim->state.q, sim->state.v, error);
    if (status != BR_OK) return status;
    int fired = br_holds_check(r, c->slack);
    return check_shares(r, &fired, error);
}

br_status br_reference_contact_deliver(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    br_contacts *all = sim->contacts;
    c->elastic = 0.0;
    br_status status = forces_of_the_instant(r, error);
    if (status != BR_OK) return status;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    status = br_contacts_find(sim, sim->model->settings.solver.step, 0.0, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < all->count; k++) fill_touch(r, &all->touch[k]);
    br_contacts_keep(sim);
    all->elastic = c->elastic;
    keep_books(r);
    if (all->count > c->delivered_capacity) {
        br_touch *memory = br_sim_take(sim, (size_t)all->capacity * sizeof *memory);
        if (!memory) return br_reference_no_memory(error);
        give(sim, c->delivered);
        c->delivered = memory, c->delivered_capacity = all->capacity;
    }
    memcpy(c->delivered, all->touch, (size_t)all->count * sizeof *all->touch);
    c->delivered_count = all->count;
    return BR_OK;
}

void br_reference_contact_put_back(br_reference *r) {
    br_contacts *all = r->sim->contacts;
    const size_t bytes = (size_t)r->contact->delivered_count * sizeof *all->touch;
    memcpy(all->touch, r->contact->delivered, bytes);
    memcpy(all->before, r->contact->delivered, bytes);
    all->count = all->before_count = r->contact->delivered_count;
}
