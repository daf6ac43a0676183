// The largest gain between any two steps, found step by step.
//
// A term x of the books (what was taken so far) falls by more than the part L of the energy at play between steps i < j when
//
//     x_i - x_j > L (A + T_j - T_i)          A the largest stored energy so far, T what went through so far
//
// that is when the sum U = x + L T falls by more than L A. So the running maximum of U and the largest fall below it are
// all that is needed: exact over all pairs, a few operations a step. Losses are gains of -x.
//
// Energy that is put in, falls and is rubbed away in the meantime counts: a machine that passes on ten thousand joules may
// be wrong by more than one that swings with ten. What a load gives and takes back with each swing is passed on by nobody: input counts
// by how far its range has grown.
#include "sim/core/ledger_judge.h"
#include "sim/core/ledger_share.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/contact/contact.h"
#include "sim/friction/friction.h"

// --- size --------------------------------------------------------------------------------------------------

// Of the whole model: how far its parts are apart, and how large they are.
static double model_size(const br_sim *sim, double *mass) {
    const br_tree *tree = &sim->model->tree;
    br_vec3 low = br_vec3_zero(), high = br_vec3_zero();
    double part = 0.0;
    *mass = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const br_vec3 p = sim->work.pose[i].p_WL;
        if (i == 0) low = high = p;
        low = br_vec3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = br_vec3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        *mass += link->mass;
        const double trace = link->inertia_L.xx + link->inertia_L.yy + link->inertia_L.zz;
        if (link->mass > 0.0) part = fmax(part, sqrt(fmax(0.0, trace) / link->mass)); // sqrt(2) gyration
    }
    return br_vec3_distance(low, high) + 2.0 * part;
}

static void choose_scales(const br_sim *sim, br_judge *j) {
    double mass;
    const double size = model_size(sim, &mass), h = sim->model->settings.solver.step;
    const double speed = h > 0.0 ? BR_JUDGE_ROUNDING * size / h : 0.0;
    const double weight = mass * br_vec3_norm(sim->model->settings.gravity);
    j->floor = weight * BR_JUDGE_FLOOR * size + mass * speed * speed;
    j->reach = weight * fmax(size, sim->extent) + j->floor;
}

double br_judge_stored(const br_sim *sim, double *fallen) {
    *fallen = fabs(sim->energy->potential - sim->ledger->start.potential);
    return sim->energy->kinetic + sim->energy->elastic + br_frictions_stored(sim) + *fallen;
}

void br_judge_start(br_sim *sim) {
    br_judge *j = sim->judge;
    memset(j, 0, sizeof *j);
    br_sim_refresh(sim, 2);
    choose_scales(sim, j);
    j->stored = br_judge_stored(sim, &j->fallen);
    for (int k = 0; k < BR_JUDGED_TERMS; k++)
        j->extreme[k].peak_t = j->extreme[k].from = j->extreme[k].to = sim->state.at->t;
    br_shares_start(sim);
}

// --- gains and losses --------------------------------------------------------------------------------------

static void follow(br_extreme *e, double term, double through, double t) {
    const double level = term + BR_JUDGE_LIMIT * through, fall = e->peak - level;
    if (term > e->highest) e->highest = term;
    if (fall <= 0.0) {
        e->peak = level, e->peak_term = term, e->peak_through = through, e->peak_t = t;
    } else if (fall > e->worst) {
        e->worst = fall;
        e->change = e->peak_term - term, e->through = through - e->peak_through;
        e->from = e->peak_t, e->to = t;
    }
}

// Bristles of a joint give back what they hold, so only what friction took beyond that is gone.
static void terms_of(const br_sim *sim, double term[BR_JUDGED_TERMS]) {
    const br_ledger *l = sim->ledger;
    const double friction = l->friction - br_frictions_stored(sim);
    term[BR_JUDGED_IMPACT] = l->impact;
    term[BR_JUDGED_DAMPING] = l->damping;
    term[BR_JUDGED_FRICTION] = friction;
    term[BR_JUDGED_CONTACT] = l->impact + friction;
    term[BR_JUDGED_GAIN] = l->scheme, term[BR_JUDGED_LOSS] = -l->scheme;
    term[BR_JUDGED_APPEARED] = l->unaccounted, term[BR_JUDGED_VANISHED] = -l->unaccounted;
}

void br_judge_step(br_sim *sim) {
    br_judge *j = sim->judge;
    const br_ledger *l = sim->ledger;
    double term[BR_JUDGED_TERMS], fallen;
    terms_of(sim, term);
    const double now = br_judge_stored(sim, &fallen);
    if (now > j->stored) j->stored = now;
    if (fallen > j->fallen) j->fallen = fallen;
    j->given += fabs(l->input - j->input);
    j->input = l->input;
    if (l->input > j->input_most) j->through += l->input - j->input_most, j->input_most = l->input;
    if (l->input < j->input_least) j->through += j->input_least - l->input, j->input_least = l->input;
    for (int k = 0; k < BR_JUDGED_SIGNS; k++) {
        if (term[k] > j->taken[k]) j->through += term[k] - j->taken[k];
        j->taken[k] = term[k];
    }
    for (int k = 0; k < BR_JUDGED_SIGNS; k++) {
        if (sim->giver[k].given > j->giver[k].given) j->giver[k] = sim->giver[k];
        sim->giver[k].given = 0.0;
    }
    for (int k = 0; k < BR_JUDGED_TERMS; k++) follow(&j->extreme[k], term[k], j->through, sim->state.at->t);
}

void br_judge_cut(br_sim *sim) {
    br_judge *j = sim->judge;
    if (!(sim->contacts->cut > 0.0)) return;
    j->cut_steps++;
    if (sim->contacts->cut <= j->cut) return;
    j->cut = sim->contacts->cut, j->cut_t = sim->state.at->t;
}

// Of the contact stepper. Losses that theta above 1/2 is meant to have begin with the first step and ask for no culprit.
int br_judge_is_suspicious(const br_sim *sim) {
    const br_judge *j = sim->judge;
    const int meant = sim->model->settings.solver.theta > 0.5;
    const double through = BR_JUDGE_LIMIT * j->through, scheme = sim->ledger->scheme;
    const double gain = j->extreme[BR_JUDGED_GAIN].peak - scheme - through,
                 loss = meant ? 0.0 : j->extreme[BR_JUDGED_LOSS].peak + scheme - through;
    const double most = gain > loss ? gain : loss;
    return most > j->floor && most > BR_JUDGE_WATCH * BR_JUDGE_LIMIT * j->stored;
}

// Motion, springs and losses cannot hold more than what there was at the start, was put in or fell. The reference size of the
// judgement has the gained energy in it; here it must be left out, or nothing ever exceeds it by far. Since a run that has
// just begun has not fallen yet, what it can fall by, its own size, counts from the start. A step has diverged once the gain
// is motion: springs so stiff that a step cannot follow them store more than their due for a while, and hold all the same.
int br_judge_runs_away(const br_sim *sim, double *gain, double *source) {
    const br_judge *j = sim->judge;
    const br_energy *start = &sim->ledger->start;
    double term[BR_JUDGED_TERMS], fallen;
    terms_of(sim, term);
    br_judge_stored(sim, &fallen);
    *source = start->kinetic + start->elastic + j->given + fabs(sim->ledger->input - j->input) +
              fmax(j->fallen, fallen) + j->reach;
    *gain = 0.0;
    for (int k = 0; k < BR_JUDGED_TERMS; k++)
        if (k != BR_JUDGED_LOSS && k != BR_JUDGED_VANISHED)
            *gain = fmax(*gain, j->extreme[k].highest - term[k]);
    return fmin(*gain, sim->energy->kinetic) > BR_JUDGE_RUNAWAY * *source;
}

// --- penetration -------------------------------------------------------------------------------------------

// The gap is that of the step's start, as in the ledger.
static void judge_depths(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    br_judge *j = sim->judge;
    for (int k = 0; c && k < c->count; k++) {
        const br_touch *t = &c->touch[k];
        if (c->normal_law[t->pair].kind != BR_NORMAL_RIGID || !(-t->gap > 0.0)) continue;
        const double part = j->depth_limit > 0.0 ? j->depth / j->depth_limit : 0.0;
        const double limit =
            BR_JUDGE_PENETRATION * fmin(sim->shape_thickness[t->shape_a], sim->shape_thickness[t->shape_b]);
        if (!(limit > 0.0) || !isfinite(limit) || -t->gap <= part * limit) continue;
        j->depth = -t->gap, j->depth_limit = limit, j->depth_t = sim->state.at->t;
        j->deepest = (br_culprit){1, -1, t->shape_a, t->shape_b, t->number};
    }
}

// --- blows that several bodies share -----------------------------------------------------------------------

static int rebounds(const br_sim *sim, const br_touch *t) {
    const br_contacts *c = sim->contacts;
    return t->state != BR_CONTACT_OPEN && c->normal_law[t->pair].kind == BR_NORMAL_RIGID &&
           sim->model->contact->pair[t->pair].restitution > 0.0;
}

// Whether u leads from a body of t on to a third one that can move.
static int leads_on(const br_touch *t, const br_touch *u) {
    const int a = t->link_a, b = t->link_b;
    const int from_a = u->link_a >= 0 && (u->link_a == a || u->link_a == b),
              from_b = u->link_b >= 0 && (u->link_b == a || u->link_b == b);
    return from_a != from_b && u->link_a >= 0 && u->link_b >= 0;
}

// The first one is enough: it says that the run has such blows.
static void note_shared_blow(br_sim *sim, const br_touch *t) {
    const br_contacts *c = sim->contacts;
    br_judge *j = sim->judge;
    for (int k = 0; k < c->count; k++) {
        const br_touch *u = &c->touch[k];
        if (!rebounds(sim, u) || !leads_on(t, u)) continue;
        j->shared_t = sim->state.at->t;
        j->shared[0] = (br_culprit){1, -1, t->shape_a, t->shape_b, t->number};
        j->shared[1] = (br_culprit){1, -1, u->shape_a, u->shape_b, u->number};
        return;
    }
}

static void judge_blows(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    for (int k = 0; k < c->count && !sim->judge->shared[0].known; k++)
        if (c->touch[k].impact && rebounds(sim, &c->touch[k])) note_shared_blow(sim, &c->touch[k]);
}

void br_judge_touches(br_sim *sim) {
    judge_depths(sim);
    judge_blows(sim);
}

br_status br_judge_create(br_sim *sim) {
    const br_model_contact *contact = sim->model->contact;
    const int shapes = contact ? contact->shapes : 0;
    br_status status = br_sim_ask(sim, "shares", sizeof(br_scheme_share), br_shares_count(sim),
                                  BR_PART_SAVED | BR_PART_STEADY, &sim->share, NULL);
    sim->share_power = BR_TAKE(&sim->arena, double, br_shares_count(sim));
    sim->taken_power = BR_TAKE(&sim->arena, double, sim->springs + sim->groups);
    sim->shape_thickness = BR_TAKE(&sim->arena, double, shapes);
    if (!sim->share_power || !sim->taken_power || !sim->shape_thickness) status = BR_NO_MEMORY;
    if (status != BR_OK) return status;
    for (int k = 0; k < shapes; k++) sim->shape_thickness[k] = br_shape_thickness(&contact->shape[k].def);
    return BR_OK;
}
