// Rows of distances and of couplings between joint coordinates, see sim.h.
#include "sim/rows/group.h"
#include "sim/rows/tendon.h"
#include "tree/spatial.h"

// --- distance ----------------------------------------------------------------------------------------------

// phi = |p| - L along n = p/|p|; its second rate is n . a_rel + (|u|^2 - (n . u)^2)/|p|.
static void fill_distance(br_sim *sim, br_group *g) {
    const br_model_loop *loop = &sim->model->loop[g->element];
    const br_model_joint *joint = &sim->model->joint[loop->joint];
    const br_relative x = br_sim_relative(sim, joint, 0);
    const int a = joint->first >= 0 ? 0 : -1, b = joint->second >= 0 ? a + 1 : -1;
    br_group_clear(g);
    br_relative_row(&x, br_wrench_of(br_vec3_zero(), br_vec3_normalize(x.p_FM)), 1.0, g, 0, a, b);
    g->phi[0] = br_vec3_norm(x.p_FM) - loop->length;
}

static void rate_distance(br_sim *sim, br_group *g) {
    const br_model_loop *loop = &sim->model->loop[g->element];
    const br_relative x = br_sim_relative(sim, &sim->model->joint[loop->joint], 1);
    const br_vec3 n = br_vec3_normalize(x.p_FM);
    const double along = br_vec3_dot(n, x.V.linear), distance = br_vec3_norm(x.p_FM);
    const double across = br_vec3_norm_squared(x.V.linear) - along * along;
    g->gamma[0] =
        br_relative_gamma(&x, br_wrench_of(br_vec3_zero(), n), distance > 0.0 ? -across / distance : 0.0);
}

const br_group_kind br_group_distance = {"distance",   fill_distance,   rate_distance,       NULL,
                                         BR_BOOK_ROWS, BR_GROUP_CLOSES, br_group_label_loop, NULL};

// --- one coordinate of any joint ---------------------------------------------------------------------------

// The functional that takes the relative twist to velocity coordinate k: a wrench t with v_k = t . V.
static br_wrench coordinate_wrench(const br_model_joint *joint, const br_relative *x, int k, double *q,
                                   br_joint_motion *motion) {
    double unit[BR_MAX_JOINT_V] = {0.0};
    unit[k] = 1.0;
    joint->kind->measure(joint->parameter, x->R_FM, x->p_FM, q);
    joint->kind->pose(joint->parameter, q, motion);
    return br_joint_effort(joint->kind->nv, motion, unit);
}

void br_coordinate_row(const br_sim *sim, br_coordinate c, double factor, br_group *g, int row) {
    const br_model_joint *joint = &sim->model->joint[c.joint];
    if (joint->link >= 0) {
        g->coefficient[row * g->dofs + c.dof] += factor;
        return;
    }
    if (joint->tendon >= 0) {
        br_tendon_row(sim, &sim->model->tendon[joint->tendon], c, factor, g, row);
        return;
    }
    const br_relative x = br_sim_relative(sim, joint, 0);
    double q[BR_MAX_JOINT_Q];
    br_joint_motion motion;
    const br_wrench t = coordinate_wrench(joint, &x, c.k, q, &motion);
    br_relative_row(&x, t, factor, g, row, joint->first >= 0 ? c.entry : -1,
                    joint->second >= 0 ? c.entry + (joint->first >= 0) : -1);
}

double br_coordinate_gamma(const br_sim *sim, br_coordinate c) {
    const br_model_joint *joint = &sim->model->joint[c.joint];
    if (joint->link >= 0) return 0.0;
    if (joint->tendon >= 0) return br_tendon_gamma(sim, &sim->model->tendon[joint->tendon], c);
    const br_relative x = br_sim_relative(sim, joint, 1);
    double q[BR_MAX_JOINT_Q], v[BR_MAX_JOINT_V];
    br_joint_motion motion;
    const br_wrench t = coordinate_wrench(joint, &x, c.k, q, &motion);
    motion.zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
    if (joint->kind->product) {
        br_joint_velocity(joint->kind->nv, &motion, x.V, v);
        joint->kind->product(joint->parameter, q, v, &motion);
    }
    return br_relative_gamma(&x, t, br_twist_dot(motion.zeta, t));
}

// --- gear, rack and pinion ---------------------------------------------------------------------------------

static void fill_coupling(br_sim *sim, br_group *g) {
    const br_model_coupling *c = &sim->model->coupling[g->element];
    const br_coordinate *pair = g->coordinates;
    br_group_clear(g);
    br_coordinate_row(sim, pair[0], 1.0, g, 0);
    br_coordinate_row(sim, pair[1], c->ratio, g, 0);
    g->phi[0] = br_coordinate_position(sim, c->joint_1, c->coordinate_1) +
                c->ratio * br_coordinate_position(sim, c->joint_2, c->coordinate_2) -
                sim->coupling_offset[g->element];
}

static void rate_coupling(br_sim *sim, br_group *g) {
    const br_model_coupling *c = &sim->model->coupling[g->element];
    g->gamma[0] =
        br_coordinate_gamma(sim, g->coordinates[0]) + c->ratio * br_coordinate_gamma(sim, g->coordinates[1]);
}

const br_group_kind br_group_coupling = {
    "coupling", fill_coupling, rate_coupling, NULL, BR_BOOK_ROWS, 0, br_group_label_coupling, NULL};
