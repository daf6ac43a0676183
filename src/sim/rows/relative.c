// Relative motion of two links across a joint, and joint coordinates by name, see sim.h.
//
// With rho the arm from a link's reference point to M, w its angular velocity, u_W the relative velocity in world axes:
//     a_rel = a_B + alpha_B x rho_B + w_B x (w_B x rho_B)
//           - a_A - alpha_A x rho_A - w_A x (w_A x rho_A) - 2 w_A x u_W
//     alpha_rel = alpha_B - alpha_A - w_A x w_rel
// J A is the part linear in the links' accelerations; gamma moves the rest to the right-hand side.
#include "sim/core/sim.h"
#include "sim/rows/tendon.h"
#include "tree/spatial.h"

br_pose br_sim_link_pose(const br_sim *sim, int link) {
    if (link < 0) return br_pose_identity();
    const br_link_pose *x = &sim->work.pose[link];
    return br_pose_of(br_quat_from_mat3(x->R_WL), x->p_WL);
}

void br_sim_start_twists(br_sim *sim) {
    if (!sim->start_known) br_tree_twists(&sim->model->tree, &sim->work, sim->v_start, sim->V_start);
    sim->start_known = 1;
}

void br_sim_refresh(br_sim *sim, int level) {
    const br_tree *tree = &sim->model->tree;
    if (sim->at < 1) br_tree_position(tree, sim->state.q, &sim->work);
    if (sim->at < 1) sim->at = 1;
    if (level >= 2 && sim->at < 2) {
        br_tree_velocity(tree, sim->state.q, sim->state.v, &sim->work);
        sim->at = 2;
    }
}

// A point and axes fixed to a link, in the world.
static void relative_place(const br_sim *sim, int link, const br_mat3 *R_L, br_vec3 p_L, br_mat3 *R,
                           br_vec3 *p, br_vec3 *reference) {
    if (link < 0) {
        *R = *R_L, *p = p_L, *reference = br_vec3_zero();
        return;
    }
    const br_link_pose *x = &sim->work.pose[link];
    *R = br_mat3_mul(x->R_WL, *R_L);
    *p = br_vec3_add(x->p_WL, br_mat3_mul_vec(x->R_WL, p_L));
    *reference = x->p_WL;
}

static br_twist twist_of(const br_sim *sim, int link) {
    return link < 0 ? br_twist_of(br_vec3_zero(), br_vec3_zero()) : sim->work.motion[link].V;
}

br_relative br_sim_relative(const br_sim *sim, const br_model_joint *joint, int with_velocity) {
    br_relative x;
    br_mat3 R_WM;
    br_vec3 p_WF, ref_A, ref_B;
    relative_place(sim, joint->first, &joint->R_AF, joint->X_AF.position, &x.R_WF, &p_WF, &ref_A);
    relative_place(sim, joint->second, &joint->R_BM, joint->X_BM.position, &R_WM, &x.p_WM, &ref_B);
    x.R_FM = br_mat3_tmul(x.R_WF, R_WM);
    x.p_FM = br_mat3_tmul_vec(x.R_WF, br_vec3_sub(x.p_WM, p_WF));
    x.rho_A = br_vec3_sub(x.p_WM, ref_A);
    x.rho_B = br_vec3_sub(x.p_WM, ref_B);
    x.V = br_twist_of(br_vec3_zero(), br_vec3_zero());
    x.w_A = x.w_B = br_vec3_zero();
    if (with_velocity) {
        const br_twist A = br_twist_shift(twist_of(sim, joint->first), x.rho_A);
        const br_twist B = br_twist_shift(twist_of(sim, joint->second), x.rho_B);
        const br_twist V = br_twist_sub(B, A);
        x.V = br_twist_of(br_mat3_tmul_vec(x.R_WF, V.angular), br_mat3_tmul_vec(x.R_WF, V.linear));
        x.w_A = A.angular, x.w_B = B.angular;
    }
    return x;
}

double br_relative_gamma(const br_relative *x, br_wrench T_F, double wanted) {
    const br_vec3 force = br_mat3_mul_vec(x->R_WF, T_F.force), torque = br_mat3_mul_vec(x->R_WF, T_F.torque);
    const br_vec3 u = br_mat3_mul_vec(x->R_WF, x->V.linear), w = br_mat3_mul_vec(x->R_WF, x->V.angular);
    const br_vec3 linear =
        br_vec3_sub(br_vec3_sub(br_centripetal(x->w_B, x->rho_B), br_centripetal(x->w_A, x->rho_A)),
                    br_vec3_scale(2.0, br_vec3_cross(x->w_A, u)));
    return wanted - br_vec3_dot(force, linear) + br_vec3_dot(torque, br_vec3_cross(x->w_A, w));
}

void br_relative_row(const br_relative *x, br_wrench T_F, double factor, br_group *group, int row, int a,
                     int b) {
    const br_wrench T = br_wrench_of(br_vec3_scale(factor, br_mat3_mul_vec(x->R_WF, T_F.torque)),
                                     br_vec3_scale(factor, br_mat3_mul_vec(x->R_WF, T_F.force)));
    br_wrench *F = group->F + row * group->entries;
    if (b >= 0) F[b] = br_wrench_add(F[b], br_wrench_shift(T, x->rho_B));
    if (a >= 0) F[a] = br_wrench_sub(F[a], br_wrench_shift(T, x->rho_A));
}

// --- coordinates -------------------------------------------------------------------------------------------

int br_position_index(const br_model_joint *joint, int k) {
    const br_joint_kind *kind = joint->kind;
    if (!kind || k < 0 || k >= kind->nv) return -1;
    return kind->nq == kind->nv || k < kind->nq - 4 ? k : -1;
}

// before and q may be the same.
void br_sim_measure_loop(const br_sim *sim, const br_model_joint *joint, const double *before, double *q) {
    if (!joint->kind || joint->kind->nq == 0) return;
    if (joint->tendon >= 0) {
        q[0] = br_tendon_length(sim, &sim->model->tendon[joint->tendon]);
        return;
    }
    const br_relative x = br_sim_relative(sim, joint, 0);
    double now[BR_MAX_JOINT_Q];
    joint->kind->measure(joint->parameter, x.R_FM, x.p_FM, now);
    for (int k = 0; k < joint->kind->nq; k++) {
        const double turns =
            joint->kind->angles >> k & 1u ? round((before[k] - now[k]) / (2.0 * BR_PI)) : 0.0;
        q[k] = now[k] + 2.0 * BR_PI * turns;
    }
}

void br_sim_measure_loops(const br_sim *sim, const double *before, double *loop_q) {
    for (int i = 0; i < sim->model->loops; i++) {
        const br_model_loop *loop = &sim->model->loop[i];
        if (sim->model->joint[loop->joint].tendon >= 0) continue; // has no turns to count
        br_sim_measure_loop(sim, &sim->model->joint[loop->joint], before + loop->q_at, loop_q + loop->q_at);
    }
}

// Turns are counted from the last measurement, which need not be of every step: only before a joint could have turned
// half way round.
void br_sim_count_turns(br_sim *sim, double h) {
    double fastest = 0.0;
    for (int i = 0; i < sim->model->tree.links; i++)
        fastest = fmax(fastest, br_vec3_norm_squared(sim->work.motion[i].V.angular));
    sim->state.at->loop_turn +=
        4.0 * h * sqrt(fastest); // two links, and a step's velocity may have been twice its last
    if (sim->state.at->loop_turn < 1.0) return;
    br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
    sim->state.at->loop_turn = 0.0;
}

double br_coordinate_position(const br_sim *sim, int joint_index, int k) {
    const br_model_joint *joint = &sim->model->joint[joint_index];
    const int at = br_position_index(joint, k);
    if (at < 0) return 0.0;
    if (joint->link >= 0) return sim->q_eval[joint->q_at + at];
    double q[BR_MAX_JOINT_Q];
    br_sim_measure_loop(sim, joint, sim->state.loop_q + joint->q_at, q);
    return q[at];
}

// The velocity coordinates of a loop joint: least squares over its motion subspace at the measured position.
static void loop_velocity(const br_sim *sim, const br_model_joint *joint, double *v) {
    const br_relative x = br_sim_relative(sim, joint, 1);
    double q[BR_MAX_JOINT_Q];
    br_joint_motion motion;
    joint->kind->measure(joint->parameter, x.R_FM, x.p_FM, q);
    joint->kind->pose(joint->parameter, q, &motion);
    br_joint_velocity(joint->kind->nv, &motion, x.V, v);
}

double br_coordinate_velocity(const br_sim *sim, int joint_index, int k) {
    const br_model_joint *joint = &sim->model->joint[joint_index];
    if (!joint->kind || k >= joint->kind->nv) return 0.0;
    if (joint->link >= 0) return sim->v_eval[joint->v_at + k];
    if (joint->tendon >= 0) return br_tendon_rate(sim, &sim->model->tendon[joint->tendon]);
    double v[BR_MAX_JOINT_V];
    loop_velocity(sim, joint, v);
    return v[k];
}

void br_sim_variables(br_sim *sim) {
    if (!sim->jets) return;
    const br_model *m = sim->model;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        for (int k = 0; joint->kind && k < joint->kind->nv; k++) {
            const int c = (joint->link >= 0 ? 0 : m->tree.nv) + joint->v_at + k;
            if (joint->link < 0 && joint->loop < 0) continue;
            const double q = br_coordinate_position(sim, j, k), v = br_coordinate_velocity(sim, j, k);
            sim->values[2 * c] = q, sim->values[2 * c + 1] = v;
            sim->jets[2 * c] = (br_jet){q, v, 0.0};
            sim->jets[2 * c + 1] = (br_jet){v, 0.0, 0.0};
        }
    }
}
