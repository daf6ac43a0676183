// Rows of joints that close a loop, see sim.h. Most of a mechanism's time is spent here, so what fill finds is kept for
// rate, and kinds whose complement T never changes skip the measuring of their coordinates.
//
//     phi = T . (deviation of X_FM from the nearest pose the joint allows, as a small twist)
//     gamma = T . zeta - T . (velocity products of the relative acceleration)        see relative.c
#include <string.h>

#include "sim/rows/group.h"
#include "tree/spatial.h"

typedef struct br_loop_cache {
    br_wrench T[6];   // kept rows, F axes; of constant kinds set once
    br_wrench T_W[6]; // world axes, at M
    br_vec3 rho_A, rho_B;
    int turns;                // any row keeps a rotation
    double q[BR_MAX_JOINT_Q]; // nearest coordinates; not for constant kinds
} br_loop_cache;

br_status br_loop_cache_create(br_sim *sim, br_group *g) {
    const br_model_loop *loop = &sim->model->loop[g->element];
    const br_model_joint *joint = &sim->model->joint[loop->joint];
    br_loop_cache *cache = BR_TAKE(&sim->arena, br_loop_cache, 1);
    br_joint_motion motion;
    if (!cache) return BR_NO_MEMORY;
    joint->kind->measure(joint->parameter, br_mat3_identity(), br_vec3_zero(), cache->q);
    joint->kind->pose(joint->parameter, cache->q, &motion);
    joint->kind->complement(joint->parameter, cache->q, &motion);
    for (int r = 0; r < g->rows; r++) {
        cache->T[r] = motion.T[loop->row[r]];
        cache->turns |= br_vec3_norm(cache->T[r].torque) > 0.0;
    }
    g->cache = cache;
    return BR_OK;
}

// Rows of the group from T in F axes.
static void load_rows(br_group *g, const br_mat3 *R_WF, int first, int second) {
    br_loop_cache *c = g->cache;
    br_wrench *F = g->F;
    for (int r = 0; r < g->rows; r++) {
        const br_wrench T =
            br_wrench_of(br_mat3_mul_vec(*R_WF, c->T[r].torque), br_mat3_mul_vec(*R_WF, c->T[r].force));
        c->T_W[r] = T;
        if (first >= 0) *F++ = br_wrench_scale(-1.0, br_wrench_shift(T, c->rho_A));
        if (second >= 0) *F++ = br_wrench_shift(T, c->rho_B);
    }
}

// Forces only, constant T: neither the rotation of M nor a coordinate is needed.
static void fill_points(br_sim *sim, br_group *g, const br_model_joint *joint) {
    const br_link_pose *A = joint->first >= 0 ? &sim->work.pose[joint->first] : NULL;
    const br_link_pose *B = joint->second >= 0 ? &sim->work.pose[joint->second] : NULL;
    const br_mat3 R_WF = A ? br_mat3_mul(A->R_WL, joint->R_AF) : joint->R_AF;
    const br_vec3 arm_F = A ? br_mat3_mul_vec(A->R_WL, joint->X_AF.position) : joint->X_AF.position;
    const br_vec3 arm_M = B ? br_mat3_mul_vec(B->R_WL, joint->X_BM.position) : joint->X_BM.position;
    const br_vec3 p_A = A ? A->p_WL : br_vec3_zero(), p_B = B ? B->p_WL : br_vec3_zero();
    const br_vec3 between = br_vec3_sub(p_B, p_A);
    const br_vec3 p_FM = br_vec3_add(between, br_vec3_sub(arm_M, arm_F));
    br_loop_cache *c = g->cache;
    c->rho_B = arm_M;
    c->rho_A = br_vec3_add(between, arm_M);
    load_rows(g, &R_WF, joint->first, joint->second);
    for (int r = 0; r < g->rows; r++) g->phi[r] = br_vec3_dot(c->T_W[r].force, p_FM);
}

static br_twist deviation(const br_relative *x, const br_joint_motion *motion) {
    const br_mat3 R = br_mat3_mul_t(x->R_FM, motion->R_FM);
    return br_twist_of(br_quat_log(br_quat_from_mat3(R)), br_vec3_sub(x->p_FM, motion->p_FM));
}

static void fill_any(br_sim *sim, br_group *g, const br_model_joint *joint, const br_model_loop *loop) {
    const br_relative x = br_sim_relative(sim, joint, 0);
    br_loop_cache *c = g->cache;
    br_twist error;
    if (joint->kind->tilts && x.R_FM.m[2][2] > 0.5) {
        // z of F x z of M: zero with the same rate as the rotation vector, without finding the turn about z.
        error = br_twist_of(br_vec3_of(-x.R_FM.m[1][2], x.R_FM.m[0][2], 0.0), x.p_FM);
    } else {
        br_joint_motion motion;
        joint->kind->measure(joint->parameter, x.R_FM, x.p_FM, c->q);
        joint->kind->pose(joint->parameter, c->q, &motion);
        if (!joint->kind->constant) {
            joint->kind->complement(joint->parameter, c->q, &motion);
            for (int r = 0; r < g->rows; r++) c->T[r] = motion.T[loop->row[r]];
        }
        error = deviation(&x, &motion);
    }
    c->rho_A = x.rho_A, c->rho_B = x.rho_B;
    load_rows(g, &x.R_WF, joint->first, joint->second);
    for (int r = 0; r < g->rows; r++) g->phi[r] = br_twist_dot(error, c->T[r]);
}

static void fill_loop(br_sim *sim, br_group *g) {
    const br_model_loop *loop = &sim->model->loop[g->element];
    const br_model_joint *joint = &sim->model->joint[loop->joint];
    if (joint->kind->constant && !g->cache->turns)
        fill_points(sim, g, joint);
    else
        fill_any(sim, g, joint, loop);
}

// T . zeta of kinds whose S turns (the universal joint), in F axes.
static void add_products(br_sim *sim, br_group *g, const br_model_joint *joint) {
    const br_relative x = br_sim_relative(sim, joint, 1);
    br_joint_motion motion;
    double v[BR_MAX_JOINT_V];
    joint->kind->pose(joint->parameter, g->cache->q, &motion);
    br_joint_velocity(joint->kind->nv, &motion, x.V, v);
    joint->kind->product(joint->parameter, g->cache->q, v, &motion);
    for (int r = 0; r < g->rows; r++) g->gamma[r] += br_twist_dot(motion.zeta, g->cache->T[r]);
}

static void rate_loop(br_sim *sim, br_group *g) {
    const br_model_joint *joint = &sim->model->joint[sim->model->loop[g->element].joint];
    const br_loop_cache *c = g->cache;
    const br_twist none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const br_twist A = joint->first >= 0 ? sim->work.motion[joint->first].V : none;
    const br_twist B = joint->second >= 0 ? sim->work.motion[joint->second].V : none;
    const br_vec3 u = br_vec3_sub(br_twist_at_point(B, c->rho_B), br_twist_at_point(A, c->rho_A));
    const br_vec3 linear =
        br_vec3_sub(br_vec3_sub(br_centripetal(B.angular, c->rho_B), br_centripetal(A.angular, c->rho_A)),
                    br_vec3_scale(2.0, br_vec3_cross(A.angular, u)));
    const br_vec3 turned = br_vec3_cross(A.angular, br_vec3_sub(B.angular, A.angular));
    for (int r = 0; r < g->rows; r++)
        g->gamma[r] = br_vec3_dot(c->T_W[r].torque, turned) - br_vec3_dot(c->T_W[r].force, linear);
    if (joint->kind->product) add_products(sim, g, joint);
}

const br_group_kind br_group_loop = {"loop",       fill_loop,       rate_loop,           NULL,
                                     BR_BOOK_ROWS, BR_GROUP_CLOSES, br_group_label_loop, NULL};

int br_group_joint(const br_sim *sim, const br_group *g) {
    return g->kind == &br_group_loop ? sim->model->loop[g->element].joint : -1;
}
