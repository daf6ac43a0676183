// Deflections of springs, see springs.h.
#include "sim/springs.h"

#include <string.h>

// Along the line between two points, of free length L: l = |p| - L.
static void line_spring(const br_sim *sim, int index, br_spring_rows *out) {
    const br_model_load *load = &sim->model->load[index];
    const br_vec3 p = out->x.p_FM, u = out->x.V.linear;
    const double length = br_vec3_norm(p);
    const br_vec3 n = br_vec3_normalize(p);
    out->rows = 1;
    out->T[0] = br_wrench_of(br_vec3_zero(), n);
    out->deflection[0] = length - sim->spring_length[index];
    out->rate[0] = br_vec3_dot(n, u);
    const double across = br_vec3_norm_squared(u) - out->rate[0] * out->rate[0];
    out->wanted[0] = length > 0.0 ? -across / length : 0.0;
    out->stiffness[0] = load->stiffness[0], out->damping[0] = load->damping[0];
}

// Six springs in the axes of the first frame: displacement, and the rotation vector for the angles.
static void bushing(const br_model_load *load, br_spring_rows *out) {
    const br_vec3 turn = br_quat_log(br_quat_from_mat3(out->x.R_FM));
    // Potential k/2 turn^2: the torque along direction e is that of the rotation vector's own rate, J^-T(turn) e.
    const br_mat3 J = br_mat3_transpose(br_rotation_jacobian_inverse(turn));
    out->rows = 6;
    for (int k = 0; k < 3; k++) {
        out->T[k] = br_wrench_of(br_vec3_zero(), br_vec3_unit(k));
        out->T[3 + k] = br_wrench_of(br_mat3_column(J, k), br_vec3_zero());
        out->deflection[k] = br_vec3_get(out->x.p_FM, k);
        out->deflection[3 + k] = br_vec3_get(turn, k);
    }
    for (int k = 0; k < 6; k++) {
        out->rate[k] = br_twist_dot(out->x.V, out->T[k]);
        out->wanted[k] = 0.0;
        out->stiffness[k] = load->stiffness[k], out->damping[k] = load->damping[k];
    }
}

void br_spring_of_load(const br_sim *sim, int index, int with_velocity, br_spring_rows *out) {
    const br_model_load *load = &sim->model->load[index];
    br_model_joint frames;
    memset(&frames, 0, sizeof frames);
    frames.first = load->first, frames.second = load->second;
    frames.X_AF = load->X_A, frames.X_BM = load->X_B;
    frames.R_AF = load->R_A, frames.R_BM = load->R_B;
    out->first = load->first, out->second = load->second;
    out->x = br_sim_relative(sim, &frames, with_velocity);
    if (load->type == BR_LOAD_SPRING)
        line_spring(sim, index, out);
    else
        bushing(load, out);
}

// The spring and damper of a joint that closes a loop: one row per coordinate.
void br_spring_of_loop(const br_sim *sim, int index, int with_velocity, br_spring_rows *out) {
    const br_model_joint *joint = &sim->model->joint[sim->model->loop[index].joint];
    double q[BR_MAX_JOINT_Q];
    br_joint_motion motion;
    out->first = joint->first, out->second = joint->second;
    out->x = br_sim_relative(sim, joint, with_velocity);
    out->rows = joint->kind->nv;
    joint->kind->measure(joint->parameter, out->x.R_FM, out->x.p_FM, q);
    joint->kind->pose(joint->parameter, q, &motion);
    motion.zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
    double v[BR_MAX_JOINT_V];
    br_joint_velocity(joint->kind->nv, &motion, out->x.V, v);
    if (joint->kind->product && with_velocity) joint->kind->product(joint->parameter, q, v, &motion);
    for (int k = 0; k < joint->kind->nv; k++) {
        double unit[BR_MAX_JOINT_V] = {0.0};
        unit[k] = 1.0;
        out->T[k] = br_joint_effort(joint->kind->nv, &motion, unit);
        const int at = br_position_index(joint, k);
        double position = 0.0;
        if (at >= 0) {
            position = q[at];
            if (joint->kind->angles >> at & 1u)
                position +=
                    2.0 * BR_PI * round((sim->state.loop_q[joint->q_at + at] - position) / (2.0 * BR_PI));
        }
        out->deflection[k] = at >= 0 ? position - joint->rest[k] : 0.0;
        out->rate[k] = v[k];
        out->wanted[k] = br_twist_dot(motion.zeta, out->T[k]);
        out->stiffness[k] = at >= 0 ? joint->stiffness[k] : 0.0;
        out->damping[k] = joint->damping[k];
    }
}
