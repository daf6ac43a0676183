// Whose energy the time stepping made or took: `scheme` of the contact stepper, split over the elements it belongs to.
//
//     body     h P_inertia - change of its kinetic and potential energy
//     spring   -h P_elastic - change of what it stores
//     contacts, loops   the same of all of them together
//
// Each part is zero for exact motion, whatever forces act between the elements, so a part that is not is where the step went
// wrong. ledger.c leaves the powers of a step in share_power; they add up to `scheme`. Order of the elements: links, springs of
// tree joints, groups of rows, contacts, loops. Generalized-alpha of the implicit stepper is split by implicit/books.c, into
// bodies and the rest.
#include <stdio.h>
#include <string.h>

#include "sim/contact/contact.h"
#include "sim/core/ledger_share.h"
#include "sim/rows/group.h"
#include "sim/rows/springs.h"
#include "tree/spatial.h"

#define BR_EPS_GIVEN                                                                                         \
    1e-12 // of the energy below which nothing is judged: who gives less in a step is never asked for

enum { OTHERS = 2 }; // contacts, loops

int br_shares_count(const br_sim *sim) {
    return sim->model->tree.links + sim->springs + sim->groups + OTHERS;
}

// --- stored energy of one element --------------------------------------------------------------------------

static double link_energy(const br_sim *sim, int i) {
    const br_tree *tree = &sim->model->tree;
    const br_link *link = &tree->link[i];
    const br_twist V = sim->work.motion[i].V;
    double twice =
        br_twist_dot(V, br_rigid_momentum(link->mass, sim->work.moment[i], &sim->work.inertia[i], V));
    for (int k = link->v_at; k < link->v_at + link->kind->nv; k++)
        twice += tree->armature[k] * sim->state.v[k] * sim->state.v[k];
    return 0.5 * twice -
           br_vec3_dot(sim->model->settings.gravity,
                       br_vec3_add_scaled(sim->work.moment[i], link->mass, sim->work.pose[i].p_WL));
}

static double spring_energy(const br_sim *sim, int i) {
    const br_joint_spring *s = &sim->spring[i];
    const double l = s->drive >= 0 || s->q_at < 0 ? 0.0 : sim->state.q[s->q_at] - s->rest;
    return 0.5 * s->stiffness * l * l;
}

static double group_energy(const br_sim *sim, const br_group *g) {
    br_spring_rows rows;
    double twice = 0.0;
    if (!g->kind->spring) return 0.0;
    g->kind->spring(sim, g->element, 0, &rows);
    for (int r = 0; r < rows.rows; r++) twice += rows.stiffness[r] * rows.deflection[r] * rows.deflection[r];
    return 0.5 * twice;
}

static double energy_of(const br_sim *sim, int k) {
    const int links = sim->model->tree.links;
    if (k < links) return link_energy(sim, k);
    if ((k -= links) < sim->springs) return spring_energy(sim, k);
    if ((k -= sim->springs) < sim->groups) return group_energy(sim, &sim->group[k]);
    return k == sim->groups && sim->contacts ? sim->state.at->contact_elastic : 0.0;
}

// --- steps -------------------------------------------------------------------------------------------------

void br_shares_start(br_sim *sim) {
    const int count = br_shares_count(sim);
    memset(sim->share, 0, (size_t)count * sizeof *sim->share);
    memset(sim->share_power, 0, (size_t)count * sizeof *sim->share_power);
    sim->share[br_shares_elastic(sim)].stored = energy_of(sim, br_shares_elastic(sim));
}

int br_shares_elastic(const br_sim *sim) {
    return br_shares_count(sim) - OTHERS;
}

void br_shares_add(br_sim *sim, int k, double part) {
    br_scheme_share *s = &sim->share[k];
    s->sum += part;
    if (s->sum > s->high) s->high = s->sum;
    if (s->sum < s->low) s->low = s->sum;
    if (s->high - s->sum > s->gain) s->gain = s->high - s->sum;
    if (s->sum - s->low > s->loss) s->loss = s->sum - s->low;
}

static void swap_states(br_sim *sim) {
    const br_sim_state other = sim->last;
    sim->last = sim->state, sim->state = other;
    sim->at = 0;
    br_sim_refresh(sim, 2);
}

// What the elements stored at the step's start; that of contacts is kept up in any case.
static void begin_to_watch(br_sim *sim) {
    const int count = br_shares_count(sim);
    swap_states(sim);
    for (int k = 0; k < count; k++)
        if (k != br_shares_elastic(sim)) sim->share[k].stored = energy_of(sim, k);
    swap_states(sim);
    sim->judge->watching = 1;
}

// Most runs are never watched: it would cost them some per cent.
void br_shares_step(br_sim *sim, double h, const br_powers *powers) {
    const br_tree *tree = &sim->model->tree;
    const int count = br_shares_count(sim), contacts = br_shares_elastic(sim);
    if (!sim->judge->watching) {
        if (!br_judge_is_suspicious(sim)) {
            sim->share[contacts].stored = energy_of(sim, contacts);
            return;
        }
        begin_to_watch(sim);
    }
    for (int i = 0; i < tree->links; i++)
        for (int k = tree->link[i].v_at; k < tree->link[i].v_at + tree->link[i].kind->nv; k++)
            sim->share_power[i] += tree->armature[k] * sim->vdot[k] * sim->v_mid[k];
    sim->share_power[count - 1] = -powers->loops;
    for (int k = 0; k < count; k++) {
        const double now = energy_of(sim, k);
        br_shares_add(sim, k, h * sim->share_power[k] - (now - sim->share[k].stored));
        sim->share[k].stored = now;
    }
}

static const char *body_of_link(const br_model *m, int link) {
    for (int b = 0; b < m->bodies; b++)
        if (m->body[b].link == link) return m->body[b].name;
    return "";
}

static const char *joint_of_dof(const br_model *m, int dof) {
    for (int j = 0; j < m->joints; j++)
        if (m->joint[j].link >= 0 && m->joint[j].kind && dof >= m->joint[j].v_at &&
            dof < m->joint[j].v_at + m->joint[j].kind->nv)
            return m->joint[j].name;
    return "";
}

static const char *spring_name(const br_sim *sim, int i) {
    const br_joint_spring *s = &sim->spring[i];
    return s->drive >= 0 ? sim->model->drive[s->drive].name : joint_of_dof(sim->model, s->dof);
}

static const char *name_of(const br_sim *sim, int k) {
    const int links = sim->model->tree.links;
    if (k < links) return body_of_link(sim->model, k);
    if ((k -= links) < sim->springs) return spring_name(sim, k);
    if ((k -= sim->springs) < sim->groups) return br_group_name(sim, &sim->group[k]);
    if (k > sim->groups) return "loops";
    return br_sim_traits(sim)->smooth_friction ? "forces between bodies" : "contacts";
}

double br_shares_largest(const br_sim *sim, int loss, char name[BR_MAX_EVENT_NAME]) {
    double largest = 0.0;
    name[0] = '\0';
    for (int k = 0; k < br_shares_count(sim); k++) {
        const double part = loss ? sim->share[k].loss : sim->share[k].gain;
        if (!(part > largest)) continue;
        largest = part;
        snprintf(name, BR_MAX_EVENT_NAME, "%s", name_of(sim, k));
    }
    return largest;
}

// --- who gives where only taking is allowed ------------------------------------------------------------------

// Power that a contact takes under `term`; of compliant ones, whose dampers are not known one by one, less the more it presses.
static double touch_takes(const br_sim *sim, const br_touch *t, br_judged term) {
    const int rigid = sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID;
    const br_vec3 v = br_touch_velocity(sim, t, NULL);
    if (term == BR_JUDGED_IMPACT) return rigid ? -t->f_n * br_vec3_dot(v, t->normal) : 0.0;
    if (term == BR_JUDGED_DAMPING) return rigid ? 0.0 : -t->f_n * fabs(br_vec3_dot(v, t->normal));
    return -br_vec3_dot(t->f_t, v);
}

static int struck(const br_touch *t) {
    return t->arrives && t->state != BR_CONTACT_OPEN && t->mu > 0.0;
}

static int bounces(const br_touch *t) {
    return t->impact && t->rebound > 0.0 && t->mu > 0.0;
}

void br_culprit_name(const br_sim *sim, const br_culprit *who, char name[BR_MAX_EVENT_NAME]) {
    name[0] = '\0';
    if (!who->known) return;
    if (who->row < 0) {
        const br_touch touch = {.shape_a = who->shape_a, .shape_b = who->shape_b, .number = who->number};
        br_touch_name(sim, &touch, name, BR_MAX_EVENT_NAME);
        return;
    }
    snprintf(name, BR_MAX_EVENT_NAME, "%s",
             who->row < sim->springs ? spring_name(sim, who->row)
                                     : br_group_name(sim, &sim->group[who->row - sim->springs]));
}

static void find_giver(br_sim *sim, br_judged term, br_giver *out) {
    const br_touch *touch = NULL;
    double least = 0.0;
    out->who = (br_culprit){0}, out->newton = out->poisson = out->blow = 0;
    for (int k = 0; term != BR_JUDGED_IMPACT && k < sim->springs + sim->groups; k++) {
        const int rubs = k >= sim->springs && sim->group[k - sim->springs].kind->book == BR_BOOK_FRICTION;
        if (rubs != (term == BR_JUDGED_FRICTION) || sim->taken_power[k] >= least) continue;
        least = sim->taken_power[k];
        out->who = (br_culprit){.known = 1, .row = k};
    }
    for (int k = 0; sim->contacts && k < sim->contacts->count; k++) {
        const double takes = touch_takes(sim, &sim->contacts->touch[k], term);
        out->blow |= struck(&sim->contacts->touch[k]);
        if (bounces(&sim->contacts->touch[k]))
            *(sim->model->contact->pair[sim->contacts->touch[k].pair].restitution_poisson ? &out->poisson
                                                                                          : &out->newton) = 1;
        if (takes < least) least = takes, touch = &sim->contacts->touch[k];
    }
    if (touch) out->who = (br_culprit){1, -1, touch->shape_a, touch->shape_b, touch->number};
}

void br_judge_givers(br_sim *sim, double h, const br_powers *powers) {
    const double power[BR_JUDGED_SIGNS] = {powers->impact, powers->damping, powers->friction};
    for (int k = 0; k < BR_JUDGED_SIGNS; k++) {
        const double given = -h * power[k];
        sim->giver[k].given = 0.0;
        if (!(given > sim->judge->giver[k].given) || !(given > BR_EPS_GIVEN * sim->judge->floor)) continue;
        sim->giver[k].given = given;
        find_giver(sim, (br_judged)k, &sim->giver[k]);
    }
}
