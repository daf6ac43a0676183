// Bristles of finite stiffness in the reference stepper: friction at rest is that of a spring, and what sticks moves as it bends.
//
//     sticks   s' = slip - n (n' . s),   f_t = -(k s + d slip)        until |f_t| = mu_static f_n
//     slips    f_t = -mu_kinetic f_n slip/|slip|;   e = s/|s| follows the slip, e' = (slip - (slip . e) e)/r, r = mu_kinetic f_n/k
//              until slip . e < 0: it has turned against the way in which they are bent; then k s = -f_t
//
// e follows no faster than half a solver.step, or a stiff law would need steps of its own for it; it says only where sliding ends. A bound that
// shrinks as fast as they unbend keeps them sliding: there slip . e < r' counts. s are states of the integrator; n' . s keeps them in the tangent plane as it turns. The points of two shapes share k and d equally; when
// their number changes at an event, forces stay and deflections follow. What bristles store is elastic; while a contact slips they keep what they
// had, and what they gain or lose at events is friction's.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/stepper/reference/contact.h"

#define BR_SLOWEST 0.5   // of solver.step: in which the direction of bristles follows the slip, at least
#define BR_EPS_BENT 1e-2 // absolute tolerance, of the relative one and of what the model's weight would bend

static int pair_is_springy(const br_model_contact *m, int pair) {
    return m->traits->bristles && isfinite(m->pair[pair].bristle_stiffness) && m->pair[pair].mu_kinetic > 0.0;
}

int br_bristle_states(const br_sim *sim) {
    const br_model_contact *m = sim->model->contact;
    for (int k = 0; sim->contacts && k < m->pairs; k++)
        if (pair_is_springy(m, k)) return 3 * BR_MAX_SPRINGY;
    return 0;
}

static double *entries_of(const br_reference *r, double *y) {
    return y + r->n - r->bristles;
}

void br_bristles_take(br_reference *r, const double *y) {
    const double *s = y + r->n - r->bristles;
    for (int i = 0; r->bristles > 0 && i < r->contact->count; i++) {
        br_hold *h = &r->contact->hold[i];
        if (!h->springy) continue;
        h->spring = br_vec3_of(s[0], s[1], s[2]);
        s += 3;
    }
}

void br_bristles_give(const br_reference *r, double *y) {
    double *s = entries_of(r, y);
    memset(s, 0, (size_t)r->bristles * sizeof *s);
    for (int i = 0; r->bristles > 0 && i < r->contact->count; i++) {
        const br_hold *h = &r->contact->hold[i];
        if (!h->springy) continue;
        s[0] = h->spring.x, s[1] = h->spring.y, s[2] = h->spring.z;
        s += 3;
    }
}

void br_bristles_rates(const br_reference *r, double *ydot) {
    double *rate = entries_of(r, ydot);
    for (int i = 0; r->bristles > 0 && i < r->contact->count; i++) {
        const br_hold *h = &r->contact->hold[i];
        if (!h->springy) continue;
        br_vec3 turned = h->slip;
        if (h->state == BR_CONTACT_SLIPS) {
            const br_vec3 across = br_vec3_add_scaled(h->slip, -br_vec3_dot(h->slip, h->ahead), h->ahead);
            const double reach = h->pair->mu_kinetic * h->f_n / h->stiffness,
                         slow = BR_SLOWEST * h->speed * r->sim->model->settings.solver.step;
            turned = reach > 0.0 ? br_vec3_scale(br_vec3_norm(h->spring) / fmax(reach, slow), across)
                                 : br_vec3_zero();
        }
        turned = br_vec3_add_scaled(turned, -br_vec3_dot(h->n_rate, h->spring), h->touch.normal);
        rate[0] = turned.x, rate[1] = turned.y, rate[2] = turned.z;
        rate += 3;
    }
}

void br_bristles_tolerances(const br_reference *r, double rtol, double *absolute) {
    const br_sim *sim = r->sim;
    const br_model_contact *m = sim->model->contact;
    double mass = 0.0, stiffest = 0.0;
    if (r->bristles == 0) return;
    for (int i = 0; i < sim->model->tree.links; i++) mass += sim->model->tree.link[i].mass;
    for (int k = 0; k < m->pairs; k++)
        if (pair_is_springy(m, k)) stiffest = fmax(stiffest, m->pair[k].bristle_stiffness);
    const double pull = fmax(br_vec3_norm(sim->model->settings.gravity), 1.0);
    const double bent = fmin(mass * pull / stiffest, sim->length_scale);
    for (int k = r->n - r->bristles; k < r->n; k++) absolute[k] = rtol * BR_EPS_BENT * bent;
}

br_vec3 br_bristle_force(const br_hold *h) {
    const br_vec3 n = h->touch.normal;
    const br_vec3 bent = br_vec3_add_scaled(h->spring, -br_vec3_dot(h->spring, n), n);
    return br_vec3_neg(br_vec3_add_scaled(br_vec3_scale(h->stiffness, bent), h->damping, h->slip));
}

static double energy_of(const br_hold *h) {
    if (!h->springy) return 0.0;
    return h->state == BR_CONTACT_STICKS ? 0.5 * h->stiffness * br_vec3_norm_squared(h->spring) : h->stored;
}

double br_bristles_stored(const br_reference_contact *c) {
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) sum += energy_of(&c->hold[i]);
    return sum;
}

void br_bristle_stops(br_hold *h) {
    if (h->springy) h->spring = br_vec3_scale(-1.0 / h->stiffness, h->f_t);
}

br_status br_bristles_begin(br_reference *r, int fresh, br_error *error) {
    br_reference_contact *c = r->contact;
    int springy = 0;
    for (int i = 0; r->bristles > 0 && i < c->count; i++) {
        br_hold *h = &c->hold[i];
        int points = 0;
        for (int j = 0; j < c->count; j++)
            points +=
                c->hold[j].touch.shape_a == h->touch.shape_a && c->hold[j].touch.shape_b == h->touch.shape_b;
        h->springy = pair_is_springy(r->sim->model->contact, h->touch.pair);
        if (!h->springy) continue;
        springy++;
        const double was = h->stiffness;
        h->stiffness = h->pair->bristle_stiffness / points, h->damping = h->pair->bristle_damping / points;
        if (h->old) h->spring = br_vec3_scale(was / h->stiffness, h->spring);
        if (!fresh) continue;
        h->spring = br_vec3_scale(-1.0 / h->stiffness, h->touch.f_bristle);
        h->was = h->state = h->touch.state == BR_CONTACT_SLIPS ? BR_CONTACT_SLIPS : BR_CONTACT_STICKS;
        h->stored = 0.5 * h->stiffness * br_vec3_norm_squared(h->spring);
    }
    r->unused = r->bristles - 3 * springy;
    if (springy <= BR_MAX_SPRINGY) return BR_OK;
    return br_fail(
        error, BR_TOO_LARGE, "reference-contacts",
        "t = %.9g s: %d contact points with bristles of finite stiffness are near at once, and the "
        "reference stepper is meant for at most %d; use the contact stepper",
        r->sim->state.at->t, springy, BR_MAX_SPRINGY);
}
