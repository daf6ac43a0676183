// Finding contact events. Between them the set of closed contacts and their modes (sticks, slips) are fixed and the motion is
// smooth. After each step of the integrator the modes are checked at its end, and gaps of open contacts within it too; if
// a mode has ended, the instant is bisected on the integrator's own interpolant to the last digits of the clock. A
// predicate is bisected and not a function, because whether dependent contacts can stick together is yes or no.
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/stepper/reference/contact.h"

#define BR_INTERIOR_LOOKS 3 // within a step, for gaps that close and open again
#define BR_NEAR 1e-3        // of a step: how far away the rate of a normal force is looked for
#define BR_MIN_PACE 1e-3    // 1/s

// --- scales ------------------------------------------------------------------------------------------------

// At the twists V: the largest speed so far, and how fast directions change.
void br_holds_update_scales(br_reference *r, const br_twist *V, int fresh) {
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
        if (c->hold[i].play) c->pace = fmax(c->pace, br_play_turn(r, &c->hold[i], V));
        c->pace =
            fmax(c->pace, br_vec3_norm(c->hold[i].u) / br_shapes_size(r->sim->model, t->shape_a, t->shape_b));
    }
}

// Friction turns slip of speed s towards its own direction at the rate mu f_n W_perp / s, which grows without bound as
// sliding begins or ends.
void br_holds_find_stiffness(br_reference *r) {
    br_reference_contact *c = r->contact;
    const int planar = r->sim->model->settings.planar != BR_SPATIAL;
    c->turning = 0.0;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        if (h->follows) c->turning = fmax(c->turning, br_play_rate(h));
        if (h->state != BR_CONTACT_SLIPS || !(h->pair->mu_kinetic > 0.0) || (planar && h->v0 == 0.0))
            continue;
        const br_vec3 across =
            h->v0 > 0.0 ? h->direction : br_vec3_cross(h->touch.normal, h->direction); // where it is stiff
        const double W = br_hold_compliance(r, i, across), least = fmax(br_hold_rest_speed(r), h->v0);
        if (h->v0 > 0.0 && h->speed > h->v0) continue;
        c->turning = fmax(c->turning, h->pair->mu_kinetic * fabs(h->f_n) * W / fmax(h->speed, least));
    }
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
        br_reference_give(sim, c->near);
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
    const int play = br_hold_play(r, a);
    const int link_b = play >= 0 ? r->sim->model->clearance[play].first : shape[b].link;
    const br_touch t = {.link_a = shape[a].link, .link_b = link_b, .point = point->point};
    const double u_n = br_vec3_dot(point->normal, br_touch_velocity(r->sim, &t, r->sim->V));
    return u_n < -br_hold_rest_speed(r) || point->gap < -BR_EPS_GRAZING * br_shapes_size(r->sim->model, a, b);
}

// Whether an open contact has closed at the positions in work and the twists in sim->V.
static int closes(const br_reference *r) {
    const br_reference_contact *c = r->contact;
    br_contact_point point[BR_MAX_MANIFOLD];
    for (int k = 0; k < c->near_count; k++) {
        const int a = c->near[k].a, b = c->near[k].b, n = br_hold_manifold(r, a, b, 0.0, point);
        for (int i = 0; i < n; i++) {
            if (is_held(c, a, b, point[i].feature)) continue;
            point[i].gap += br_contacts_start_depth(r->sim, a, b, point[i].feature);
            if (point_closes(r, a, b, &point[i])) return 1;
        }
    }
    return 0;
}

// The integrator's state at t, within its last step, into r->q and r->v; its positions into work, its twists into sim->V.
static br_status look_at(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    if (t < r->t) {
        if (CVodeGetDky(r->memory, t, 0, r->scratch) != CV_SUCCESS)
            return br_fail(error, BR_NUMERICAL, "reference-failed",
                           "t = %.9g s: the last step cannot be looked into", t);
    } else {
        N_VScale(1.0, r->y, r->scratch);
    }
    const double *y = N_VGetArrayPointer(r->scratch);
    if (!br_all_finite(r->nq + r->nv, y))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a position is not a finite number", t);
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    memcpy(r->v, y + r->nq, (size_t)r->nv * sizeof *y);
    br_reference_friction_take(r, y);
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
br_status br_reference_contact_shares(br_reference *r, int *fired, br_error *error) {
    br_reference_contact *c = r->contact;
    int possible = 0;
    if (!br_holds_are_open(r) || !(*fired & (BR_FIRED_OPENS | BR_FIRED_SLIPS))) return BR_OK;
    const br_status status = br_holds_admissible(r, &possible, error);
    if (status != BR_OK || !possible) return status;
    *fired &= ~(BR_FIRED_OPENS | BR_FIRED_SLIPS);
    for (int i = 0; i < c->count; i++) c->hold[i].fired &= ~(BR_FIRED_OPENS | BR_FIRED_SLIPS);
    return BR_OK;
}

static int any_bristles_slip(const br_reference_contact *c) {
    for (int i = 0; i < c->count; i++)
        if ((c->hold[i].springy && c->hold[i].state == BR_CONTACT_SLIPS) || br_play_bends(&c->hold[i]))
            return 1;
    return 0;
}

// Normal forces a little before t, or after it at the beginning of the step, into f_n_near; how far away that is, 0: nothing was found.
static br_status look_near(br_reference *r, double t, double *away, br_error *error) {
    br_reference_contact *c = r->contact;
    double h = 0.0;
    br_error why = {0};
    *away = 0.0;
    if (!any_bristles_slip(c)) return BR_OK;
    CVodeGetLastStep(r->memory, &h);
    const double by = t > r->t - 0.5 * h ? -BR_NEAR * h : BR_NEAR * h;
    br_status status = look_at(r, t + by, error);
    if (status != BR_OK) return status;
    status = br_reference_solve(r, t + by, r->q, r->v, &why);
    if (status == BR_OK) *away = by;
    for (int i = 0; i < c->count; i++)
        c->hold[i].f_n_near = c->hold[i].f_n, c->hold[i].speed_near = c->hold[i].speed;
    return status == BR_NO_MEMORY ? status : BR_OK;
}

// Bristles that slip stick again where the slip has turned against them.
static int bristles_stop(br_reference *r, double away) {
    br_reference_contact *c = r->contact;
    int fired = 0;
    for (int i = 0; away != 0.0 && i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (!h->springy || h->state != BR_CONTACT_SLIPS) continue;
        const double growth = h->pair->mu_kinetic * (h->f_n_near - h->f_n) / (h->stiffness * away);
        if (br_vec3_dot(h->slip, h->ahead) - fmin(growth, 0.0) < -br_hold_rest_speed(r))
            h->fired |= BR_FIRED_STOPS, fired |= BR_FIRED_STOPS;
    }
    return fired;
}

static br_status check_at(br_reference *r, double t, int *fired, br_error *error) {
    br_reference_contact *c = r->contact;
    double away = 0.0;
    br_status status = look_near(r, t, &away, error);
    if (status == BR_OK) status = look_at(r, t, error);
    *fired = 0;
    if (status != BR_OK) return status;
    if (closes(r)) *fired |= BR_FIRED_CLOSES;
    if (c->count == 0) return BR_OK;
    for (int i = 0; i < c->count; i++) c->hold[i].fired = 0;
    br_error why = {0};
    status = br_reference_solve(r, t, r->q, r->v, &why);
    if (status == BR_NUMERICAL && br_reference_is_friction_lost(&why)) {
        *fired |= BR_FIRED_LOST; // of joints: forces end within the step
        return BR_OK;
    }
    if (status != BR_OK && error) *error = why;
    if (status != BR_OK) return status;
    if (any_lost(c)) {
        *fired |= BR_FIRED_LOST;
        return BR_OK;
    }
    int modes = br_holds_check(r, c->slack);
    status = br_reference_contact_shares(r, &modes, error);
    for (int i = 0; i < c->count; i++)
        if (!c->hold[i].rigid && c->hold[i].touch.gap > 0.0)
            c->hold[i].fired |= BR_FIRED_OPENS, modes |= BR_FIRED_OPENS;
    *fired |= modes | bristles_stop(r, away) | br_plays_check(r, away);
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

static void go_on(br_reference *r) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const double rest = br_hold_rest_speed(r);
    br_tree_twists(&sim->model->tree, &sim->work, r->v, sim->V);
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (h->play) sim->ledger->penetration = fmax(sim->ledger->penetration, -h->touch.gap);
        if (h->state != BR_CONTACT_SLIPS || h->springy) continue;
        h->ahead = h->direction;
        h->armed |= h->speed > BR_STOPPED * rest;
    }
    br_holds_update_scales(r, sim->V, 0);
    br_holds_find_stiffness(r);
    br_holds_freeze(r);
}

br_status br_reference_contact_locate(br_reference *r, double before, int *ended, br_error *error) {
    double high = r->t;
    int fired = 0;
    *ended = 0;
    br_status status = look_inside(r, before, &high, error);
    if (status == BR_OK) status = check_at(r, high, &fired, error);
    if (status != BR_OK) return status;
    if (!fired) {
        go_on(r);
        return BR_OK;
    }
    *ended = 1;
    return br_reference_bisect(r, before, high, check_at, error);
}
