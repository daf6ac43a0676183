// The acceleration of everything: within a step, and at an instant of the state, for reactions and accelerations.
//
// Contact forces of an instant are known forces in sim->wrench. After a step they are those of the step, which is first order,
// while nothing changes; of the reference stepper they are exact. Otherwise a step of theta 1 tells. Its rows are those of the
// positions that it begins with: after steps of theta 1 velocities lag as they expect. Of a state that was given they do not, and
// on a curved path would lack the centripetal part: there the rows are those of a step further on,
// N(q + h v) v_next >= -gap/h, so that N vdot = -(dN/dt) v.
#include "sim/core/instant.h"

#include <string.h>

#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/contact/play.h"
#include "sim/friction/step.h"
#include "sim/rows/accelerate.h"
#include "sim/stepper/stepper.h"
#include "tree/spatial.h"

// --- within a step -----------------------------------------------------------------------------------------

br_status br_sim_solve(br_sim *sim, br_system *s, int refactor, br_error *error) {
    const br_model *m = sim->model;
    const int stepping = s == sim->step && sim->h > 0.0;
    const int touching = stepping && sim->contacts && sim->contacts->count > 0;
    const int bounded = stepping && (sim->bounded || touching);
    int bad = 0;
    if (stepping && sim->groups > 0) br_sim_find_products(sim);
    for (int g = 0; g < (bounded ? sim->groups : s->groups); g++) {
        br_group *group = bounded ? &sim->group[g] : s->group[g];
        if (group->kind->rate) group->kind->rate(sim, group);
    }
    sim->ledger->evaluations++;
    if (refactor && br_tree_articulate(&m->tree, sim->armature, &sim->work, &bad) != BR_OK)
        return br_sim_no_inertia(sim, bad, error);
    if (stepping) sim->touching = touching;
    if (stepping && sim->frictions && sim->frictions->step) return br_friction_solve(sim, s, error);
    return br_sim_solve_rows(sim, s, refactor, 0, error);
}

// --- contacts of an instant --------------------------------------------------------------------------------

// The last step's forces are worth something: no contact began, ended, stuck, slipped or was hit in it.
static int lasts(const br_sim *sim) {
    const br_contacts *c = sim->contacts;
    if (sim->ledger->steps == 0) return 0;
    if (br_sim_traits(sim)->chooses_steps) return 1; // its forces are exact
    for (int k = 0; k < c->kept->count; k++) {
        const br_touch *t = &c->before[k];
        if (t->was != t->state || t->impact || t->arrives) return 0;
    }
    return 1;
}

// Gaps of the state for contacts that were found a step further on.
static void take_gaps(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->kept->count; i++)
            if (br_touch_same(&c->touch[k], &c->before[i])) c->touch[k].gap = c->before[i].gap;
}

static br_status solve_step(br_sim *sim, int ahead, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    const double h = sim->model->settings.solver.step;
    sim->h = h, sim->theta = 1.0, sim->t_eval = sim->state.at->t + h;
    br_tree_advance(tree, sim->state.q, sim->state.v, ahead ? h : 0.0, sim->q_mid);
    sim->q_eval = sim->q_mid, sim->v_eval = sim->v_start = sim->state.v;
    br_tree_position(tree, sim->q_mid, &sim->work);
    br_tree_velocity(tree, sim->q_mid, sim->state.v, &sim->work);
    br_forces(sim);
    for (int g = 0; g < sim->groups; g++) sim->group[g].kind->fill(sim, &sim->group[g]);
    br_tree_twists(tree, &sim->work, sim->v_start, sim->V_start);
    sim->contacts->work = 0;
    br_status status = sim->turn ? br_euler_begin(sim, error) : BR_OK;
    if (status == BR_OK) status = br_contacts_find(sim, h, 0.0, error);
    if (status == BR_OK && ahead) take_gaps(sim);
    if (status == BR_OK) status = br_sim_solve(sim, sim->step, 1, error);
    sim->h = 0.0, sim->t_eval = sim->state.at->t;
    sim->q_eval = sim->state.q;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    return status;
}

// Touches get forces; what was known of other forces is lost.
static br_status press(br_sim *sim, br_error *error) {
    const br_status status = br_contacts_find(sim, sim->model->settings.solver.step, 0.0, error);
    if (status != BR_OK || sim->contacts->count == 0 || lasts(sim)) return status;
    return solve_step(sim, sim->ledger->steps == 0 && !sim->turn, error);
}

static void load_touch(br_sim *sim, const br_touch *t) {
    const br_vec3 f = br_vec3_add_scaled(t->f_t, t->f_n, t->normal);
    for (int side = 0; side < 2; side++) {
        const int link = side ? t->link_b : t->link_a;
        br_wrench F = br_touch_wrench(sim, t, f, side);
        F.torque = br_vec3_add_scaled(F.torque, side ? -1.0 : 1.0, t->moment);
        if (link >= 0) sim->wrench[link] = br_wrench_add(sim->wrench[link], F);
    }
}

// Forces of the touches are known ones, in sim->wrench, until br_forces.
static void load_contacts(br_sim *sim) {
    sim->pressed = sim->contacts->count > 0;
    for (int k = 0; k < sim->contacts->count; k++) load_touch(sim, &sim->contacts->touch[k]);
}

// So are those of clearances that are elements of the stepper's own.
static void load_clearances(br_sim *sim) {
    br_touch t;
    for (int k = 0; sim->stepper->clearance && k < sim->model->clearances; k++)
        if (br_play_look(sim, k, &t)) {
            load_touch(sim, &t);
            sim->pressed = 1;
        }
}

// --- the instant -------------------------------------------------------------------------------------------

br_status br_sim_instant(br_sim *sim, br_error *error) {
    br_sim_refresh(sim, 2);
    sim->t_eval = sim->state.at->t, sim->h = 0.0;
    sim->q_eval = sim->state.q, sim->v_eval = sim->v_start = sim->state.v;
    const br_ledger kept = *sim->ledger;
    br_status status = sim->contacts ? press(sim, error) : BR_OK;
    memset(sim->wrench, 0, (size_t)sim->model->tree.links * sizeof *sim->wrench);
    br_forces(sim);
    if (sim->has_wrench) br_forces_springs(sim);
    br_forces_bounded(sim);
    if (status == BR_OK && sim->contacts) load_contacts(sim);
    if (status == BR_OK) load_clearances(sim);
    br_sim_fill(sim, &sim->exact);
    if (status == BR_OK && sim->frictions) status = br_frictions_instant(sim, error);
    if (status == BR_OK) status = br_sim_solve(sim, &sim->exact, 1, error);
    if (status == BR_OK && sim->bounded) status = br_sim_hold_bounds(sim, error);
    *sim->ledger = kept;
    return status;
}

br_status br_sim_balance(br_sim *sim, unsigned what, br_balance **out, br_balance_work **work,
                         br_error *error) {
    const br_status status = br_sim_instant(sim, error);
    return status == BR_OK ? br_friction_balance_of_state(sim, what, out, work, error) : status;
}
