// Velocities after contacts close: one problem over every contact that touches, with the exact cone.
//
//     w = W p + J v-,   normal   0 <= p_n,  w_n + e u_n- >= 0            Newton: e of the speed of approach
//                       tangent  |p_t| <= mu_k p_n, against w_t
//     Poisson: first e = 0, then p_n grows by e times what it was, with friction of its own; what then still closes is
//     met without rebound.
//
//     lost by p over a jump: p . (u- + u+)/2, tangential into friction, normal into impact
//
// Joints that rub have friction in the blow too, mu_k of what their reactions are in it (contact_rub.c).
//
// Rest: an approach whose rebound would be slower than BR_EPS_REBOUND of the largest speed so far has none. A ball
// that bounces ever faster (Zeno) comes to rest so, less than the last of its bounces away from the exact instant.
#include <string.h>

#include "base/error.h"
#include "sim/stepper/reference/contact.h"

#define BR_EPS_REBOUND 1e-7  // of the largest speed so far
#define BR_EPS_APPROACH 1e-9 // of the largest speed so far: slower is no impact
#define BR_MAX_PHASES 4
#define BR_MAX_BLOWS 50   // iterations of normal impulses, of law viscous
#define BR_EPS_BLOW 1e-12 // of the largest: they stay

// Velocities of the rows before, into b and kept.
static void measure(br_reference *r) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    for (int j = 0; j < c->rows; j++)
        c->kept[j] = c->b[j] =
            br_vec3_dot(c->row[j].direction, br_touch_velocity(sim, &c->hold[c->row[j].hold].touch, sim->V));
}

// v += M^-1 J^T p; what it cost.
static void apply(br_reference *r) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    for (int j = 0; j < c->rows; j++)
        for (int k = 0; k < r->nv; k++)
            sim->state.v[k] += c->x[j] * c->dv[(size_t)j * (size_t)r->nv + (size_t)k];
    const br_rub_rows *e = c->rubs;
    for (int j = 0; e && j < e->rows; j++) {
        for (int k = 0; k < r->nv; k++)
            sim->state.v[k] += e->x[j] * e->dv[(size_t)j * (size_t)r->nv + (size_t)k];
        c->friction_jump -= 0.5 * e->x[j] * (e->b[j] + e->w[j]);
    }
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    for (int j = 0; j < c->rows; j++) {
        const double after =
            br_vec3_dot(c->row[j].direction, br_touch_velocity(sim, &c->hold[c->row[j].hold].touch, sim->V));
        const double lost = -0.5 * c->x[j] * (c->kept[j] + after);
        *(c->row[j].normal ? &c->impact : &c->friction_jump) += lost;
        c->w[j] = after;
    }
    sim->at = sim->at > 1 ? 1 : sim->at;
}

static br_status undecided(const br_reference *r, br_outcome outcome, br_error *error) {
    return br_fail(error, BR_NUMERICAL, "impact-failed",
                   "t = %.9g s: the impulses of %d contacts that close at once were not found (%s)",
                   r->sim->state.at->t, r->contact->count, br_outcome_name(outcome));
}

// Of law viscous friction is what the speed after it says, for which the normal impulse of the answer before is taken.
static br_status solve_blow(br_reference *r, br_outcome *outcome, br_error *error) {
    br_reference_contact *c = r->contact;
    const int viscous = r->sim->model->contact->traits->creeps;
    br_status status = br_holds_cone_and_rubs(r, outcome, error);
    for (int turn = 0; viscous && turn < BR_MAX_BLOWS && status == BR_OK; turn++) {
        double apart = 0.0, largest = 0.0;
        for (int j = 0; j < c->rows; j++) {
            double *blow = &c->blow[c->row[j].hold];
            if (!c->row[j].normal) continue;
            apart = fmax(apart, fabs(c->x[j] - *blow)), largest = fmax(largest, c->x[j]);
            *blow = fmax(c->x[j], 0.0);
        }
        if (apart <= BR_EPS_BLOW * largest) break;
        status = br_holds_cone_and_rubs(r, outcome, error);
    }
    for (int i = 0; i < c->count; i++) c->blow[i] = 0.0;
    return status;
}

static br_status one_phase(br_reference *r, br_error *error) {
    br_outcome outcome = BR_CONVERGED;
    br_status status = br_holds_add_rubs(r, 1, error);
    if (status == BR_OK) status = solve_blow(r, &outcome, error);
    if (status == BR_OK && outcome != BR_CONVERGED) status = undecided(r, outcome, error);
    if (status == BR_OK) apply(r);
    br_holds_drop_rubs(r);
    return status;
}

static double restitution(const br_reference *r, const br_hold *h) {
    const double e = h->pair->restitution;
    return h->approach * e > BR_EPS_REBOUND * r->contact->speed ? e : 0.0;
}

// Poisson's second phase: normal impulses are given, friction answers to them.
static br_status restore(br_reference *r, const double *first, br_error *error) {
    br_reference_contact *c = r->contact;
    const int n = c->rows;
    measure(r);
    for (int i = 0; i < n; i++) {
        const br_hold *h = &c->hold[c->row[i].hold];
        if (!c->row[i].normal) continue;
        const double e = h->pair->restitution_poisson ? restitution(r, h) : 0.0;
        c->row[i].given = 1;
        c->b[i] = -e * first[i];
    }
    return one_phase(r, error);
}

static int still_closes(const br_reference *r) {
    const br_reference_contact *c = r->contact;
    for (int j = 0; j < c->rows; j++)
        if (c->row[j].normal && c->w[j] < -BR_EPS_APPROACH * c->speed) return 1;
    return 0;
}

static br_status strike(br_reference *r, br_error *error) {
    br_reference_contact *c = r->contact;
    int poisson = 0;
    br_holds_rows(r, BR_ROWS_ALL);
    measure(r);
    for (int j = 0; j < c->rows; j++) {
        const br_hold *h = &c->hold[c->row[j].hold];
        if (!c->row[j].normal) continue;
        const double e = restitution(r, h);
        if (h->pair->restitution_poisson)
            poisson |= e > 0.0;
        else if (e > 0.0)
            c->b[j] -= e * h->approach; // u_n + e u_n-
    }
    br_status status = one_phase(r, error);
    if (status != BR_OK || !poisson) return status;
    double *first = br_sim_take(r->sim, (size_t)c->rows * sizeof *first);
    if (!first) return br_reference_no_memory(error);
    memcpy(first, c->x, (size_t)c->rows * sizeof *first);
    status = restore(r, first, error);
    br_sim_give(r->sim, first);
    for (int k = 0; status == BR_OK && k < BR_MAX_PHASES && still_closes(r); k++) {
        br_holds_rows(r, BR_ROWS_ALL);
        measure(r);
        status = one_phase(r, error);
    }
    return status;
}

br_status br_holds_impact(br_reference *r, int *struck, br_error *error) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    *struck = 0;
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    br_holds_look(r, sim->V);
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        h->approach = h->rigid && h->u_n < -BR_EPS_APPROACH * c->speed ? -h->u_n : 0.0;
        *struck |= h->approach > 0.0;
        c->mu[i] = h->pair->mu_kinetic;
    }
    if (!*struck) return BR_OK;
    const br_status status = strike(r, error);
    if (status != BR_OK) return status;
    long carried = 0; // for the instant of the impact, which no row of a result need fall on
    for (int i = 0; i < c->count; i++) carried += c->hold[i].approach > 0.0;
    if (carried > sim->ledger->contacts) sim->ledger->contacts = carried;
    br_tree_twists(&sim->model->tree, &sim->work, sim->state.v, sim->V);
    br_holds_look(r, sim->V);
    return BR_OK;
}
