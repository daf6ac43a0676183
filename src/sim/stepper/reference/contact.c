// Contact in the reference stepper: what is refused, memory, and what is handed out.
#include <string.h>

#include "base/error.h"
#include "model/def/words.h"
#include "sim/friction/friction.h"
#include "sim/stepper/reference/contact.h"

#define BR_MAX_HOLDS BR_MAX_BESIDE // contact points: its matrices are dense

// --- creation ----------------------------------------------------------------------------------------------

static br_status refuse_soft(const br_sim *sim, br_error *error) {
    const br_model_contact *m = sim->model->contact;
    // Feet that sink by different amounts cannot all stick: the exact motion slips by less than a step can resolve.
    int soft = 0;
    for (int k = 0; k < sim->contacts->kept->count; k++) {
        const br_touch *t = &sim->contacts->before[k];
        if (br_touch_play(sim, t)) continue;
        const int springy =
            m->traits->creeps || (m->traits->bristles && isfinite(m->pair[t->pair].bristle_stiffness));
        soft += sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID && !springy &&
                m->pair[t->pair].mu_static > 0.0;
    }
    if (soft > 1)
        return br_fail(error, BR_INVALID, "reference-compliant",
                       "%d contacts have a compliant normal and friction, and the reference stepper has "
                       "exact friction for "
                       "one such contact at a time; use the contact stepper, or leave out compliance",
                       soft);
    return BR_OK;
}

static void find_size(br_reference *r) {
    const br_model_contact *m = r->sim->model->contact;
    double size = INFINITY;
    for (int s = 0; s < m->shapes; s++)
        if (m->shape[s].link >= 0 && m->shape[s].geometry.size > 0.0)
            size = fmin(size, m->shape[s].geometry.size);
    for (int k = 0; k < br_sim_plays(r->sim); k++)
        size = fmin(size, r->sim->model->clearance[k].inner_radius);
    r->contact->size = isfinite(size) ? size : 1.0;
    for (int i = 0; i < r->sim->model->tree.links; i++)
        r->contact->weight +=
            r->sim->model->tree.link[i].mass * fmax(1.0, br_vec3_norm(r->sim->model->settings.gravity));
}

br_status br_reference_contact_create(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (!sim->contacts) return BR_OK;
    br_status status = refuse_soft(sim, error);
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
    c->q_kept = BR_TAKE(&sim->arena, double, r->nq);
    c->v_kept = BR_TAKE(&sim->arena, double, r->nv);
    if (!c->path || !c->y || !c->z || !c->eta || !c->vdot_free || !c->q || !c->q_kept || !c->v_kept)
        return br_reference_no_memory(error);
    for (int k = 0; k < links; k++) c->path[k] = links - 1 - k;
    c->slack = c->fine = 1.0;
    c->paradox = -1;
    r->contact = c;
    find_size(r);
    sim->has_wrench = 1;
    return br_reference_contact_reserve(r, 8, error);
}

void br_reference_give(const br_sim *sim, void *memory) {
    if (memory) br_sim_give(sim, memory);
}

static void give_dense(const br_sim *sim, br_reference_contact *c) {
    br_reference_give(sim, c->row), br_reference_give(sim, c->W), br_reference_give(sim, c->b),
        br_reference_give(sim, c->x), br_reference_give(sim, c->w), br_reference_give(sim, c->kept);
    br_reference_give(sim, c->mu), br_reference_give(sim, c->blow), br_reference_give(sim, c->dv),
        br_reference_give(sim, c->V);
    br_pinv *p = &c->pinv;
    br_reference_give(sim, p->B), br_reference_give(sim, p->tau), br_reference_give(sim, p->zeta);
    br_reference_give(sim, p->y), br_reference_give(sim, p->order);
    c->row = NULL, c->W = c->b = c->x = c->w = c->kept = c->mu = c->blow = c->dv = NULL, c->V = NULL;
    p->B = p->tau = p->zeta = p->y = NULL, p->order = NULL;
}

void br_reference_contact_destroy(br_reference *r) {
    br_reference_contact *c = r->contact;
    if (!c) return;
    give_dense(r->sim, c);
    br_reference_give(r->sim, c->hold), br_reference_give(r->sim, c->old), br_reference_give(r->sim, c->near),
        br_reference_give(r->sim, c->grazing);
    br_reference_give(r->sim, c->delivered);
}

static void *more(const br_sim *sim, void *old, size_t used, size_t bytes) {
    void *memory = br_sim_take(sim, bytes);
    if (!memory) return NULL;
    if (used > 0) memcpy(memory, old, used);
    br_reference_give(sim, old);
    return memory;
}

br_status br_reference_contact_reserve(br_reference *r, int holds, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    if (holds <= c->capacity) return BR_OK;
    if (holds > BR_MAX_HOLDS)
        return br_fail(error, BR_TOO_LARGE, "reference-contacts",
                       "t = %.9g s: %d contact points are near at once, and the reference stepper is meant "
                       "for at most %d; "
                       "use the contact stepper",
                       sim->state.at->t, holds, BR_MAX_HOLDS);
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
    c->blow = br_sim_take(sim, capacity * sizeof(double));
    c->dv = br_sim_take(sim, rows * nv * sizeof(double));
    c->V = br_sim_take(sim, rows * links * sizeof *c->V);
    c->pinv.B = br_sim_take(sim, rows * rows * sizeof(double));
    c->pinv.tau = br_sim_take(sim, rows * sizeof(double));
    c->pinv.zeta = br_sim_take(sim, rows * sizeof(double));
    c->pinv.y = br_sim_take(sim, rows * sizeof(double));
    c->pinv.order = br_sim_take(sim, rows * sizeof(int));
    if (!c->row || !c->W || !c->b || !c->x || !c->w || !c->kept || !c->mu || !c->blow || !c->dv || !c->V ||
        !c->pinv.B || !c->pinv.tau || !c->pinv.zeta || !c->pinv.y || !c->pinv.order)
        return br_reference_no_memory(error);
    memset(c->blow, 0, capacity * sizeof(double));
    c->capacity = (int)capacity;
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
        if (br_hold_is_bent(h)) t->f_bristle = br_vec3_scale(-h->stiffness, h->spring);
        if (h->play) t->f_bristle = br_play_state(h), t->closing = h->closing;
        t->kinetic = h->state == BR_CONTACT_SLIPS;
        if (t->kinetic) t->mu = h->pair->mu_kinetic;
    }
}

static void keep_books(br_reference *r) {
    const br_contacts *all = r->sim->contacts;
    br_ledger *l = r->sim->ledger;
    long loaded = 0;
    for (int k = 0; k < all->count; k++) {
        const br_touch *t = &all->touch[k];
        const double friction = br_vec3_norm(t->f_t), most = t->mu * t->f_n;
        if (all->normal_law[t->pair].kind == BR_NORMAL_RIGID) l->penetration = fmax(l->penetration, -t->gap);
        if (t->state == BR_CONTACT_OPEN) continue;
        loaded += t->f_n > 0.0;
        if (most > 0.0) l->cone_violation = fmax(l->cone_violation, friction / most - 1.0);
        const br_pair_def *pair = &r->sim->model->contact->pair[t->pair];
        const int bends = r->sim->model->contact->traits->bristles && isfinite(pair->bristle_stiffness);
        if (t->state == BR_CONTACT_STICKS && !bends) l->creep = fmax(l->creep, t->speed);
    }
    if (loaded > l->contacts) l->contacts = loaded;
    br_judge_touches(r->sim);
}

static br_status forces_of_the_instant(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    if (c->count == 0) return BR_OK;
    br_status status = br_reference_contact_close(r, error);
    if (status == BR_OK) status = br_reference_solve(r, sim->state.at->t, sim->state.q, sim->state.v, error);
    if (status != BR_OK) return status;
    int fired = br_holds_check(r, c->slack);
    return br_reference_contact_shares(r, &fired, error);
}

br_status br_reference_contact_remember(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const br_contacts *all = sim->contacts;
    if (all->kept->count > c->delivered_capacity) {
        br_touch *memory = br_sim_take(sim, (size_t)all->capacity * sizeof *memory);
        if (!memory) return br_reference_no_memory(error);
        br_reference_give(sim, c->delivered);
        c->delivered = memory, c->delivered_capacity = all->capacity;
    }
    c->delivered_count = all->kept->count;
    if (c->delivered_count > 0)
        memcpy(c->delivered, all->before, (size_t)all->kept->count * sizeof *all->before);
    return BR_OK;
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
    if (status == BR_OK) status = br_contacts_make_room(sim, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < all->count; k++) fill_touch(r, &all->touch[k]);
    keep_books(r);
    br_contacts_keep(sim);
    r->sim->state.at->contact_elastic = c->elastic;
    return br_reference_contact_remember(r, error);
}

void br_reference_contact_put_back(br_reference *r) {
    br_contacts *all = r->sim->contacts;
    const size_t bytes = (size_t)r->contact->delivered_count * sizeof *all->before;
    if (bytes > 0) memcpy(all->before, r->contact->delivered, bytes);
    all->kept->count = r->contact->delivered_count, all->count = 0;
}
