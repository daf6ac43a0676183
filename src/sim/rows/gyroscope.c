// Gyroscopic torques of a contact step, see tree.h: known torques on the links, after the other forces, in sim->wrench.
//
// They are for the mean velocity that the known forces alone lead to, or, where rows (loops, contacts) push too, for the predicted
// one. Where the step finds another, so that they do work or are off by more than its order allows, it is solved again with
// the torques of what it found.
#include "sim/rows/gyroscope.h"

#include "sim/contact/contact.h"

#include "tree/spatial.h"

#define BR_EPS_GYRO_WORK                                                                                     \
    1e-6 // of the kinetic energy, in a step: work of torques that calls for another solve

#define BR_EPS_GYRO_WORK_TOUCHING 1e-3 // the same where another solve is one of contacts

#define BR_EPS_TUMBLING 0.005 // rad a step

// The paper's own step has them as they are printed, and rotation by Euler angles has terms of its own.
static int applies(const br_sim *sim) {
    return sim->h > 0.0 && !sim->turn && sim->model->settings.planar == BR_SPATIAL &&
           !(sim->contacts && sim->model->contact->paper);
}

static void add_torques(br_sim *sim, double sign) {
    for (int i = 0; i < sim->model->tree.links; i++)
        sim->wrench[i].torque = br_vec3_add_scaled(sim->wrench[i].torque, sign, sim->gyroscope.torque[i]);
}

void br_gyroscope_add(br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    sim->turning = 0;
    if (!applies(sim)) return;
    if (!br_tree_turns(tree, &sim->work, sim->armature, 0.5 * sim->h, &sim->gyroscope)) return;
    br_sim_start_twists(sim);
    // Rows that last push as they did: then the prediction, which knows that, is the better start.
    const int rows = sim->groups > 0 || (sim->contacts && sim->contacts->kept->count > 0);
    const int alone = !rows || sim->theta == 1.0 || !sim->state.at->has_vdot;
    sim->turning =
        br_tree_turn_predict(tree, &sim->work, sim->model->settings.gravity, sim->armature, sim->tau,
                             br_sim_known_wrench(sim), sim->V_start, 0.5 * sim->h, alone, &sim->gyroscope);
    if (!sim->turning) return;
    sim->pressed = 1;
    add_torques(sim, 1.0);
}

double br_gyroscope_error(br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    if (!sim->turning || sim->theta == 1.0) return 0.0; // theta 1 is of first order anyway
    for (int k = 0; k < tree->nv; k++) sim->v_next[k] = sim->v_start[k] + 0.5 * sim->h * sim->vdot[k];
    br_tree_twists(tree, &sim->work, sim->v_next, sim->V);
    const double part = sim->touching ? BR_EPS_GYRO_WORK_TOUCHING : BR_EPS_GYRO_WORK;
    return br_tree_turn_error(tree, &sim->work, sim->V, 0.5 * sim->h, part * sim->energy->kinetic,
                              sim->touching, &sim->gyroscope);
}

void br_gyroscope_correct(br_sim *sim) {
    add_torques(sim, -1.0);
    br_tree_turn_correct(&sim->model->tree, &sim->work, sim->V, &sim->gyroscope);
    add_torques(sim, 1.0);
}

void br_gyroscope_turn_back(br_sim *sim) {
    add_torques(sim, -1.0);
    br_tree_turn_back(&sim->model->tree, &sim->gyroscope);
    add_torques(sim, 1.0);
}

// A joint about which a body can tumble. A body that carries nothing and is free has no velocity products but its own torques.
static int lets_tumble(const br_sim *sim, int link) {
    const br_joint_kind *kind = sim->model->tree.link[link].kind;
    return kind->tumbles && !(kind->type == BR_JOINT_FREE && sim->work.lone[link]);
}

// Bodies that turn so fast that a predicted velocity misses their velocity products by more than the step's own error. Where
// something touches or rubs another solve costs too much, and the error is that of the law.
int br_gyroscope_tumbles(const br_sim *sim) {
    const double least = BR_EPS_TUMBLING / sim->h;
    if (!applies(sim) || sim->frictions || (sim->contacts && sim->contacts->count > 0)) return 0;
    for (int i = 0; i < sim->model->tree.links; i++)
        if (lets_tumble(sim, i) && br_vec3_norm_squared(sim->work.motion[i].V.angular) > least * least)
            return 1;
    return 0;
}

double br_gyroscope_link_power(const br_sim *sim, int link) {
    return sim->turning ? br_vec3_dot(sim->gyroscope.torque[link], sim->work.motion[link].V.angular) : 0.0;
}

double br_gyroscope_power(const br_sim *sim) {
    double power = 0.0;
    for (int i = 0; sim->turning && i < sim->model->tree.links; i++) power += br_gyroscope_link_power(sim, i);
    return power;
}
