// Where the energy goes, see br_ledger. A step's books:
//
//     h P_inertia = W_input - W_damping - W_friction - W_impact + W_elastic + W_loops   (the discrete equations, on v_mid = (v + v_next)/2)
//     scheme      = h P_inertia - W_elastic - W_loops - change of stored energy
//     unaccounted = input - change of stored - damping - friction - impact - scheme
//
// P_inertia is formed from the accelerations, input and damping from the forces: so `scheme` is what the time stepping
// makes of exact equations (for constant mass it is (theta - 1/2) |v_next - v|^2_M), and `unaccounted` is how far the
// equations were not solved.
#include "sim/contact/contact.h"
#include "sim/core/control.h"
#include "sim/core/ledger.h"
#include "sim/rows/group.h"
#include "sim/rows/gyroscope.h"
#include "sim/rows/springs.h"
#include "sim/rows/tendon.h"
#include "tree/spatial.h"

#define BR_BEAM_LAGGING 1e-3 // part of a beam's row that lags: from here on its damping is of first order

// V_bias: the twists at which the velocity products were taken.
static double inertia_power(const br_sim *sim, const double *v, const br_twist *V_bias) {
    const br_tree *tree = &sim->model->tree;
    double power = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_wrench F = br_wrench_add(
            br_rigid_momentum(tree->link[i].mass, sim->work.moment[i], &sim->work.inertia[i], sim->work.A[i]),
            br_rigid_bias(sim->work.moment[i], &sim->work.inertia[i], V_bias[i].angular));
        const double own = br_twist_dot(sim->work.motion[i].V, F);
        power += own;
        sim->share_power[i] = own - br_gyroscope_link_power(sim, i);
    }
    for (int k = 0; k < tree->nv; k++) power += tree->armature[k] * sim->vdot[k] * v[k];
    return power;
}

// Springs, dampers and servos of tree joints: forces as forces.c defines them, with the acceleration found.
static void joint_spring_powers(const br_sim *sim, const double *v, br_powers *p) {
    const double h = sim->h;
    double *share = sim->share_power + sim->model->tree.links;
    for (int i = 0; i < sim->springs; i++) {
        const br_joint_spring *s = &sim->spring[i];
        const br_softening soft = br_soften(sim, s->softness, s->stiffness, s->damping);
        p->lagging |= soft.lag > 0.5;
        const double a = sim->vdot[s->dof], v0 = sim->v_start[s->dof];
        const double damper = -s->damping * ((soft.by_rate - soft.by_drift) * v0 + soft.by_turn * h * a);
        double elastic = 0.0;
        if (s->q_at >= 0) {
            const double rest = s->drive < 0 ? s->rest : br_step_mean(sim, br_drive_target(sim, s->drive));
            const double q =
                sim->q_eval[s->q_at] + (soft.at_rate - soft.at_drift) * h * v0 + soft.at_turn * h * h * a;
            elastic = -s->stiffness * (q - rest);
        }
        if (s->drive >= 0) {
            p->input += (elastic + damper) * v[s->dof];
        } else {
            p->elastic += elastic * v[s->dof];
            p->damping -= damper * v[s->dof];
            share[i] = -elastic * v[s->dof];
            sim->taken_power[i] = -damper * v[s->dof];
        }
    }
}

// A compliant row's force split into its spring and its damper.
static void row_spring_powers(const br_sim *sim, const br_group *g, const br_spring_rows *rows,
                              br_powers *p) {
    const double h = sim->h;
    for (int r = 0; r < g->rows; r++) {
        const double k = rows->stiffness[r], d = rows->damping[r];
        const br_softening soft = br_soften_row(sim, g, r, k, d);
        if (!(soft.K > 0.0)) continue;
        p->lagging |= soft.lag > (g->kind == &br_group_beam ? BR_BEAM_LAGGING : 0.5);
        const double rate = br_group_rate(sim, g, r, sim->v_eval);
        const double start = br_group_velocity(g, r, sim->V_start, sim->v_start);
        const double known = br_softened_force(&soft, h, k, d, rows->deflection[r], start, g->drift[r]);
        const double a = (known - g->force[r]) / soft.K;
        const double damper =
            -d * (soft.by_rate * start + soft.by_turn * h * a - soft.by_drift * g->drift[r]);
        p->damping -= damper * rate;
        p->elastic += (g->force[r] - damper) * rate;
    }
}

// Without a step length springs are plain forces.
static void plain_spring_powers(const br_spring_rows *rows, br_powers *p) {
    for (int r = 0; r < rows->rows; r++) {
        p->damping += rows->damping[r] * rows->rate[r] * rows->rate[r];
        p->elastic -= rows->stiffness[r] * rows->deflection[r] * rows->rate[r];
    }
}

static void group_powers(br_sim *sim, const double *v, br_powers *p) {
    br_spring_rows rows;
    double *share = sim->share_power + sim->model->tree.links + sim->springs;
    for (int i = 0; i < sim->groups; i++) {
        const br_group *g = &sim->group[i];
        const br_powers before = *p;
        if (g->kind->spring) {
            g->kind->spring(sim, g->element, sim->h > 0.0 ? BR_SPRING_STEP : 1, &rows);
            if (sim->h > 0.0)
                row_spring_powers(sim, g, &rows, p);
            else
                plain_spring_powers(&rows, p);
            share[i] = before.elastic - p->elastic;
            sim->taken_power[sim->springs + i] = p->damping - before.damping;
            continue;
        }
        double power = 0.0;
        for (int r = 0; r < g->rows; r++) power += g->force[r] * br_group_rate(sim, g, r, v);
        if (g->kind->book == BR_BOOK_FRICTION)
            p->friction -= power; // what bends bristles too: it is next to nothing, and comes back
        else if (g->kind->book == BR_BOOK_DAMPING)
            p->damping -= power;
        else if (g->kind->book == BR_BOOK_INPUT)
            p->input += power;
        else
            p->loops += power;
        sim->taken_power[sim->springs + i] = p->damping - before.damping + p->friction - before.friction;
    }
}

// Where beams are no rows, but forces.
static void beam_powers(const br_sim *sim, br_powers *p) {
    br_spring_rows rows;
    for (int i = 0; i < sim->model->beam_elements; i++) {
        br_spring_of_beam(sim, i, 1, &rows);
        plain_spring_powers(&rows, p);
    }
}

static void load_powers(br_sim *sim, const double *v, br_powers *p) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->loads; i++)
        if ((m->load[i].type == BR_LOAD_FORCE || m->load[i].type == BR_LOAD_TORQUE) && m->load[i].first >= 0)
            p->input += br_twist_dot(sim->work.motion[m->load[i].first].V, sim->load_wrench[i]);
    for (int i = 0; i < m->drives; i++)
        if (m->drive[i].type == BR_DRIVE_EFFORT)
            p->input +=
                sim->drive_effort[i] * br_coordinate_velocity(sim, m->drive[i].joint, m->drive[i].coordinate);
    if (!sim->callback) return;
    for (int b = 0; b < m->bodies; b++)
        p->input += br_twist_dot(sim->work.motion[m->body[b].link].V, sim->user_wrench[b]);
    for (int k = 0; k < m->tree.nv; k++) p->input += sim->user_effort[k] * v[k];
}

br_powers br_sim_powers(br_sim *sim, const double *v) {
    br_powers p = {0};
    const br_tree *tree = &sim->model->tree;
    // The twists of the evaluation move to V, those of v take their place: every reader below then sees v.
    for (int i = 0; i < tree->links; i++) sim->V[i] = sim->work.motion[i].V;
    br_tree_twists_in_place(tree, &sim->work, v);
    sim->v_eval = v;
    p.inertia = inertia_power(sim, v, sim->V) - br_gyroscope_power(sim);
    if (sim->springs > 0) joint_spring_powers(sim, v, &p);
    if (sim->groups > 0) group_powers(sim, v, &p);
    if (br_sim_traits(sim)->chooses_steps) beam_powers(sim, &p);
    load_powers(sim, v, &p);
    double *contacts = &sim->share_power[tree->links + sim->springs + sim->groups];
    *contacts = p.elastic;
    if (sim->contacts && sim->contacts->count > 0 && sim->h > 0.0) br_contact_powers(sim, &p);
    *contacts -= p.elastic;
    return p;
}

// --- stored energy -----------------------------------------------------------------------------------------

static double potential_of(const br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    const br_vec3 g = sim->model->settings.gravity;
    double energy = 0.0;
    for (int i = 0; i < tree->links; i++)
        energy -= br_vec3_dot(
            g, br_vec3_add_scaled(sim->work.moment[i], tree->link[i].mass, sim->work.pose[i].p_WL));
    return energy;
}

static double elastic_of(const br_sim *sim) {
    const br_model *m = sim->model;
    double twice = 0.0;
    br_spring_rows rows;
    for (int i = 0; i < sim->springs; i++) {
        const br_joint_spring *s = &sim->spring[i];
        if (s->drive >= 0 || s->q_at < 0) continue;
        const double l = sim->state.q[s->q_at] - s->rest;
        twice += s->stiffness * l * l;
    }
    for (int i = 0; i < m->loads; i++) {
        if (m->load[i].type != BR_LOAD_SPRING && m->load[i].type != BR_LOAD_BUSHING) continue;
        br_spring_of_load(sim, i, 0, &rows);
        for (int r = 0; r < rows.rows; r++)
            twice += rows.stiffness[r] * rows.deflection[r] * rows.deflection[r];
    }
    for (int i = 0; i < m->loops; i++) {
        const br_model_joint *joint = &m->joint[m->loop[i].joint];
        if (!joint->kind || !joint->sprung || joint->kind->nv == 0 || joint->tendon >= 0) continue;
        br_spring_of_loop(sim, i, 0, &rows);
        for (int r = 0; r < rows.rows; r++)
            twice += rows.stiffness[r] * rows.deflection[r] * rows.deflection[r];
    }
    for (int i = 0; i < m->tendons; i++) {
        const br_model_joint *joint = &m->joint[m->tendon[i].joint];
        if (joint->stiffness[0] == 0.0) continue;
        const double l = br_tendon_stretch(joint, &m->tendon[i], br_tendon_length(sim, &m->tendon[i]));
        twice += joint->stiffness[0] * l * l;
    }
    for (int i = 0; i < m->beam_elements; i++) {
        br_spring_of_beam(sim, i, 0, &rows);
        for (int r = 0; r < rows.rows; r++)
            twice += rows.stiffness[r] * rows.deflection[r] * rows.deflection[r];
    }
    return 0.5 * twice;
}

void br_sim_update_energy(br_sim *sim) {
    br_energy *e = sim->energy;
    e->kinetic = br_tree_kinetic_energy(&sim->model->tree, &sim->work, sim->state.v);
    e->potential = potential_of(sim);
    e->elastic = elastic_of(sim) + (sim->contacts ? sim->state.at->contact_elastic : 0.0);
    e->total = e->kinetic + e->potential + e->elastic;
}

void br_ledger_start(br_sim *sim) {
    br_ledger clean = {.start = *sim->energy, .now = *sim->energy};
    *sim->ledger = clean;
    sim->state.at->work_done = 0.0;
    sim->ledger->loop_error = sim->assembly.loop_error;
    br_judge_start(sim);
}

void br_ledger_step(br_sim *sim, double h, const br_powers *p, br_energy before) {
    br_ledger *l = sim->ledger;
    const double stored = sim->energy->total - before.total;
    const double scheme =
        h * (p->inertia - p->elastic - p->loops) -
        ((sim->energy->kinetic - before.kinetic) + (sim->energy->potential - before.potential) +
         (sim->energy->elastic - before.elastic));
    l->now = *sim->energy;
    l->input += h * p->input;
    l->damping += h * p->damping;
    l->friction += h * p->friction;
    l->impact += h * p->impact;
    l->scheme += scheme;
    l->unaccounted += h * (p->input - p->damping - p->friction - p->impact) - stored - scheme;
}
