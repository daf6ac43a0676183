// Accelerations of bodies and joints, see br_sim_body_acceleration.
//
// Of the instant: from the balance that gives reactions, with the same contact forces, so that for each body mass times
// acceleration is the sum of what acts on it, to rounding. Impacts are no part of it. Of the implicit stepper: those of its own
// scheme, of the end of its last step (generalized-alpha) or the mean of it (energy-decaying).
//
//     a_O     = a_L + alpha x r + w x (w x r)       of a body frame's origin O, r from the link's reference point
//     V_F     = S v,   A_F = S vdot + zeta           of a joint: A_F the relative acceleration that an observer in F sees
#include "sim/core/acceleration.h"

#include <string.h>

#include "sim/core/instant.h"
#include "sim/rows/tendon.h"
#include "sim/stepper/stepper.h"
#include "tree/spatial.h"

static br_twist acceleration_of(const br_sim *sim, int link) {
    return link < 0 ? br_twist_of(br_vec3_zero(), br_vec3_zero()) : sim->acceleration[link];
}

static br_vec3 angular_velocity_of(const br_sim *sim, int link) {
    return link < 0 ? br_vec3_zero() : sim->work.motion[link].V.angular;
}

br_vec3 br_acceleration_at(br_twist A, br_vec3 w, br_vec3 r) {
    return br_vec3_add(br_twist_at_point(A, r), br_centripetal(w, r));
}

// The links' accelerations from vdot; work holds the state's positions and velocities.
static void acceleration_keep(br_sim *sim, const double *vdot) {
    const br_tree *tree = &sim->model->tree;
    const br_vec3 g = sim->model->settings.gravity;
    if (vdot != sim->acceleration_v) memcpy(sim->acceleration_v, vdot, (size_t)tree->nv * sizeof *vdot);
    br_tree_forward(tree, &sim->work, g, sim->acceleration_v);
    for (int i = 0; i < tree->links; i++)
        sim->acceleration[i] = br_twist_of(sim->work.A[i].angular, br_vec3_add(sim->work.A[i].linear, g));
    sim->reactions_valid |= BR_VALID_ACCELERATIONS;
}

void br_acceleration_of_instant(br_sim *sim) {
    acceleration_keep(sim, sim->vdot);
}

// --- of joints, from links ---------------------------------------------------------------------------------

// The joint's own, from the accelerations of the links that it connects; least squares over its motion subspace.
static void joint_from_links(const br_sim *sim, const br_model_joint *joint, double *vdot) {
    const br_relative x = br_sim_relative(sim, joint, 1);
    const br_twist A = acceleration_of(sim, joint->first), B = acceleration_of(sim, joint->second);
    const br_vec3 u = br_mat3_mul_vec(x.R_WF, x.V.linear), w = br_mat3_mul_vec(x.R_WF, x.V.angular);
    const br_vec3 linear =
        br_vec3_sub(br_vec3_sub(br_acceleration_at(B, x.w_B, x.rho_B), br_acceleration_at(A, x.w_A, x.rho_A)),
                    br_vec3_scale(2.0, br_vec3_cross(x.w_A, u)));
    const br_vec3 angular = br_vec3_sub(br_vec3_sub(B.angular, A.angular), br_vec3_cross(x.w_A, w));
    double q[BR_MAX_JOINT_Q], v[BR_MAX_JOINT_V];
    br_joint_motion motion;
    joint->kind->measure(joint->parameter, x.R_FM, x.p_FM, q);
    joint->kind->pose(joint->parameter, q, &motion);
    br_joint_velocity(joint->kind->nv, &motion, x.V, v);
    motion.zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
    if (joint->kind->product) joint->kind->product(joint->parameter, q, v, &motion);
    const br_twist A_F = br_twist_of(br_mat3_tmul_vec(x.R_WF, angular), br_mat3_tmul_vec(x.R_WF, linear));
    br_joint_velocity(joint->kind->nv, &motion, br_twist_sub(A_F, motion.zeta), vdot);
}

void br_acceleration_of_links(br_sim *sim) {
    for (int j = 0; j < sim->model->joints; j++) {
        const br_model_joint *joint = &sim->model->joint[j];
        if (joint->kind && joint->link >= 0) joint_from_links(sim, joint, sim->acceleration_v + joint->v_at);
    }
    sim->reactions_valid |= BR_VALID_ACCELERATIONS;
}

// --- reading -----------------------------------------------------------------------------------------------

static int has_reactions(const br_model *m) {
    for (int j = 0; j < m->joints; j++)
        if (m->joint[j].tendon < 0 && (m->joint[j].kind ? m->joint[j].kind->nv < 6 : m->joint[j].loop >= 0))
            return 1;
    return 0;
}

// Reactions and accelerations are of one balance: whichever is asked for first, both are kept. Where the contacts of the
// instant cannot be solved, the accelerations of the last step stand for it.
static br_status acceleration_find(br_sim *sim, br_error *error) {
    if (sim->reactions_valid & BR_VALID_ACCELERATIONS) return BR_OK;
    const br_stepper_ops *own = sim->own ? sim->own : sim->stepper;
    if (own->accelerations) return own->accelerations(sim, error);
    br_status status = BR_OK;
    if (has_reactions(sim->model)) {
        status = br_sim_joint_reaction(sim, 0, NULL, NULL, error);
    } else {
        status = br_sim_instant(sim, error);
        if (status == BR_OK) br_acceleration_of_instant(sim);
    }
    if (status != BR_NUMERICAL || !sim->contacts || sim->ledger->steps == 0 || !br_sim_traits(sim)->impulses)
        return status;
    br_sim_refresh(sim, 2);
    acceleration_keep(sim, sim->state.vdot);
    return BR_OK;
}

br_status br_sim_body_acceleration(br_sim *sim, int body, br_twist *out, br_error *error) {
    const br_status status = acceleration_find(sim, error);
    if (status != BR_OK) return status;
    const br_model_body *b = &sim->model->body[body];
    br_sim_refresh(sim, 2);
    const br_vec3 r = br_mat3_mul_vec(sim->work.pose[b->link].R_WL, b->X_LB.position);
    const br_twist A = sim->acceleration[b->link];
    *out = br_twist_of(A.angular, br_acceleration_at(A, angular_velocity_of(sim, b->link), r));
    return BR_OK;
}

static br_status tendon_acceleration(br_sim *sim, const br_model_tendon *t, double *second, br_error *error) {
    double sum = br_tendon_second(sim, t, sim->acceleration);
    for (int k = 0; t->sum && k < t->parts; k++) {
        double of[BR_MAX_JOINT_V] = {0.0};
        const br_status status = br_sim_joint_acceleration(sim, t->part[k].joint, of, error);
        if (status != BR_OK) return status;
        sum += t->part[k].factor * of[t->part[k].coordinate];
    }
    *second = sum;
    return BR_OK;
}

br_status br_sim_joint_acceleration(br_sim *sim, int joint, double *vdot, br_error *error) {
    const br_model_joint *j = &sim->model->joint[joint];
    const br_status status = acceleration_find(sim, error);
    if (status != BR_OK || !j->kind) return status;
    br_sim_refresh(sim, 2);
    if (j->link >= 0)
        memcpy(vdot, sim->acceleration_v + j->v_at, (size_t)j->kind->nv * sizeof *vdot);
    else if (j->tendon >= 0)
        return tendon_acceleration(sim, &sim->model->tendon[j->tendon], vdot, error);
    else
        joint_from_links(sim, j, vdot);
    return BR_OK;
}
