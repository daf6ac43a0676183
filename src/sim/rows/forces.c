// Forces that are known before the rows are solved: loads, efforts, springs of tree joints, the user's own.
//
// Springs and dampers of tree joints are implicit in a step of length h [theta scheme]: with v the velocity at the
// step's start and q_pred = q + theta h v the position it leads to,
//
//     tau = -k (q_pred - rest) - d v - (theta^2 h^2 k + theta h d) vdot
//
// whose last term joins the armature. h = 0 gives the plain force. What is too stiff for the step lags, see br_softening.
#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "sim/core/control.h"
#include "sim/core/sim.h"
#include "sim/rows/springs.h"
#include "sim/rows/tendon.h"
#include "tree/spatial.h"

#define BR_EPS_KNOT 1e-9 // of a step: a knot this near to its ends is at its end

// A load that jumps within a step gives the impulse of both its sides: the mean over the parts between its knots, each taken
// where the step takes the whole. One value would move the jump by up to half a step, an error of first order.
double br_step_mean(const br_sim *sim, const br_function *f) {
    const double h = sim->h, end = sim->state.at->t + h, last = end - BR_EPS_KNOT * h;
    double from = sim->state.at->t, sum = 0.0;
    double to = h > 0.0 ? br_function_next_knot(f, from + BR_EPS_KNOT * h) : INFINITY;
    if (!(to < last)) return br_function_value(f, sim->t_eval, sim->values);
    while (from < end) {
        if (!(to < last)) to = end;
        const double at = sim->theta < 1.0 ? from + sim->theta * (to - from) : nextafter(to, -INFINITY);
        sum += (to - from) * br_function_value(f, at, sim->values);
        from = to;
        to = br_function_next_knot(f, from);
    }
    return sum / h;
}

static void add_wrench(br_sim *sim, int link, br_wrench F) {
    if (link >= 0) sim->wrench[link] = br_wrench_add(sim->wrench[link], F);
}

// A force or torque in world axes, as it is at the evaluation.
static br_vec3 load_vector(const br_sim *sim, const br_model_load *load) {
    double c[3];
    for (int k = 0; k < 3; k++) c[k] = br_step_mean(sim, load->component[k]);
    const br_vec3 f = br_vec3_of(c[0], c[1], c[2]);
    if (load->first < 0 || !load->in_body_axes) return f;
    return br_mat3_mul_vec(sim->work.pose[load->first].R_WL, br_quat_rotate(load->X_A.rotation, f));
}

static br_wrench load_wrench(const br_sim *sim, const br_model_load *load, br_vec3 f) {
    br_vec3 arm = br_vec3_zero();
    if (load->first >= 0) arm = br_mat3_mul_vec(sim->work.pose[load->first].R_WL, load->X_A.position);
    return load->type == BR_LOAD_FORCE ? br_wrench_of_force(f, arm) : br_wrench_of(f, br_vec3_zero());
}

static void add_load(br_sim *sim, int index) {
    const br_model_load *load = &sim->model->load[index];
    if (load->type != BR_LOAD_FORCE && load->type != BR_LOAD_TORQUE) return;
    sim->load_wrench[index] = load_wrench(sim, load, load_vector(sim, load));
    add_wrench(sim, load->first, sim->load_wrench[index]);
}

// An effort along one coordinate of any joint.
void br_forces_effort(br_sim *sim, int joint_index, int k, double effort) {
    const br_model_joint *joint = &sim->model->joint[joint_index];
    if (joint->link >= 0) {
        sim->tau[joint->v_at + k] += effort;
        return;
    }
    if (joint->tendon >= 0) {
        br_tendon_pull(sim, &sim->model->tendon[joint->tendon], effort);
        return;
    }
    const br_relative x = br_sim_relative(sim, joint, 0);
    double q[BR_MAX_JOINT_Q], tau[BR_MAX_JOINT_V] = {0.0};
    br_joint_motion motion;
    tau[k] = effort;
    joint->kind->measure(joint->parameter, x.R_FM, x.p_FM, q);
    joint->kind->pose(joint->parameter, q, &motion);
    const br_wrench F = br_joint_effort(joint->kind->nv, &motion, tau);
    const br_wrench W = br_wrench_of(br_mat3_mul_vec(x.R_WF, F.torque), br_mat3_mul_vec(x.R_WF, F.force));
    add_wrench(sim, joint->second, br_wrench_shift(W, x.rho_B));
    add_wrench(sim, joint->first, br_wrench_scale(-1.0, br_wrench_shift(W, x.rho_A)));
}

static void add_joint_springs(br_sim *sim) {
    const double h = sim->h;
    for (int i = 0; i < sim->springs; i++) {
        const br_joint_spring *s = &sim->spring[i];
        const br_softening soft = br_soften(sim, s->softness, s->stiffness, s->damping);
        const double v = sim->v_start[s->dof], k = s->q_at >= 0 ? s->stiffness : 0.0;
        double l = 0.0;
        if (s->q_at >= 0)
            l = sim->q_eval[s->q_at] -
                (s->drive < 0 ? s->rest : br_step_mean(sim, br_drive_target(sim, s->drive)));
        sim->tau[s->dof] += br_softened_force(&soft, h, k, s->damping, l, v, v);
        sim->armature[s->dof] += soft.at_turn * h * h * k + soft.by_turn * h * s->damping;
    }
}

static void add_user(br_sim *sim) {
    const br_model *m = sim->model;
    memset(sim->user_wrench, 0, (size_t)m->bodies * sizeof *sim->user_wrench);
    memset(sim->user_effort, 0, (size_t)m->tree.nv * sizeof *sim->user_effort);
    for (int b = 0; b < m->bodies; b++) {
        const br_model_body *body = &m->body[b];
        sim->body_pose[b] = br_pose_mul(br_sim_link_pose(sim, body->link), body->X_LB);
        const br_vec3 arm = br_vec3_sub(sim->body_pose[b].position, sim->work.pose[body->link].p_WL);
        sim->body_twist[b] = br_twist_shift(sim->work.motion[body->link].V, arm);
    }
    const br_force_view view = {sim->t_eval, sim->q_eval, sim->v_eval, sim->body_pose, sim->body_twist};
    sim->callback(sim->callback_context, &view, sim->user_wrench, sim->user_effort);
    for (int b = 0; b < m->bodies; b++) {
        const br_vec3 arm = br_vec3_sub(sim->body_pose[b].position, sim->work.pose[m->body[b].link].p_WL);
        sim->user_wrench[b] = br_wrench_shift(sim->user_wrench[b], arm); // about the link's reference point
        add_wrench(sim, m->body[b].link, sim->user_wrench[b]);
    }
    for (int k = 0; k < m->tree.nv; k++) sim->tau[k] += sim->user_effort[k];
}

void br_forces(br_sim *sim) {
    const br_model *m = sim->model;
    br_sim_variables(sim);
    memset(sim->tau, 0, (size_t)m->tree.nv * sizeof *sim->tau);
    memcpy(sim->armature, m->tree.armature, (size_t)m->tree.nv * sizeof *sim->armature);
    memset(sim->wrench, 0, (size_t)m->tree.links * sizeof *sim->wrench);
    sim->pressed = sim->turning = 0;
    for (int i = 0; i < m->loads; i++) add_load(sim, i);
    for (int i = 0; i < m->drives; i++) {
        const br_model_drive *d = &m->drive[i];
        if (d->type != BR_DRIVE_EFFORT) continue;
        const double asked = br_step_mean(sim, br_drive_target(sim, i));
        sim->drive_effort[i] = fmax(-d->max_effort, fmin(d->max_effort, asked));
        br_forces_effort(sim, d->joint, d->coordinate, sim->drive_effort[i]);
    }
    add_joint_springs(sim);
    if (sim->callback) add_user(sim);
}

static void apply_row(br_sim *sim, const br_spring_rows *rows, int r, double f) {
    const br_wrench T = br_wrench_of(br_vec3_scale(f, br_mat3_mul_vec(rows->x.R_WF, rows->T[r].torque)),
                                     br_vec3_scale(f, br_mat3_mul_vec(rows->x.R_WF, rows->T[r].force)));
    add_wrench(sim, rows->second, br_wrench_shift(T, rows->x.rho_B));
    add_wrench(sim, rows->first, br_wrench_scale(-1.0, br_wrench_shift(T, rows->x.rho_A)));
}

static void apply_spring(br_sim *sim, const br_spring_rows *rows) {
    for (int r = 0; r < rows->rows; r++)
        apply_row(sim, rows, r, -rows->stiffness[r] * rows->deflection[r] - rows->damping[r] * rows->rate[r]);
}

void br_forces_springs(br_sim *sim) {
    const br_model *m = sim->model;
    br_spring_rows rows;
    for (int i = 0; i < m->loads; i++) {
        if (m->load[i].type != BR_LOAD_SPRING && m->load[i].type != BR_LOAD_BUSHING) continue;
        br_spring_of_load(sim, i, 1, &rows);
        apply_spring(sim, &rows);
    }
    for (int i = 0; i < m->loops; i++) {
        const br_model_joint *joint = &m->joint[m->loop[i].joint];
        if (!joint->kind || !joint->sprung || joint->kind->nv == 0 || joint->tendon >= 0) continue;
        br_spring_of_loop(sim, i, 1, &rows);
        apply_spring(sim, &rows);
    }
    for (int i = 0; i < m->tendons; i++)
        if (m->joint[m->tendon[i].joint].sprung)
            br_tendon_pull(sim, &m->tendon[i], br_tendon_spring_force(sim, &m->tendon[i]));
    for (int i = 0; i < m->beam_elements; i++) {
        double force[6];
        br_spring_of_beam(sim, i, 1, &rows);
        br_beam_forces(sim, i, &rows, force);
        for (int r = 0; r < rows.rows; r++) apply_row(sim, &rows, r, force[r]);
    }
}

void br_motors_forget(br_sim *sim) {
    for (int g = 0; g < sim->groups; g++) sim->group[g].keeping = BR_KEEPING_UNKNOWN;
    for (int i = 0; i < sim->model->drives; i++) sim->held_back[i] = 0.0;
}

// Of the instant. Motors that hold a velocity with a bounded effort have no instantaneous law: they act in steps, and in the reference
// stepper, which knows which of them give their largest effort.
void br_forces_bounded(br_sim *sim) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->drives; i++) {
        const br_model_drive *d = &m->drive[i];
        if (sim->held_back[i] != 0.0) {
            sim->drive_effort[i] = sim->held_back[i];
            br_forces_effort(sim, d->joint, d->coordinate, sim->held_back[i]);
        }
        if (d->type != BR_DRIVE_SERVO || (!isfinite(d->max_effort) && m->joint[d->joint].link >= 0)) continue;
        const double target = br_function_value(br_drive_target(sim, i), sim->t_eval, sim->values);
        const double effort = d->stiffness * (target - br_coordinate_position(sim, d->joint, d->coordinate)) -
                              d->damping * br_coordinate_velocity(sim, d->joint, d->coordinate);
        sim->drive_effort[i] = fmax(-d->max_effort, fmin(d->max_effort, effort));
        br_forces_effort(sim, d->joint, d->coordinate, sim->drive_effort[i]);
    }
}

// --- one of them ------------------------------------------------------------------------------------------------

double br_forces_of_load(br_sim *sim, int index, const br_vec3 *instead) {
    const br_model_load *load = &sim->model->load[index];
    br_spring_rows rows;
    if (load->type == BR_LOAD_SPRING || load->type == BR_LOAD_BUSHING) {
        double square = 0.0;
        br_spring_of_load(sim, index, 1, &rows);
        apply_spring(sim, &rows);
        for (int r = 0; r < rows.rows; r++)
            square += br_square(rows.stiffness[r] * rows.deflection[r] + rows.damping[r] * rows.rate[r]);
        return sqrt(square);
    }
    const br_vec3 f = instead ? *instead : load_vector(sim, load);
    add_wrench(sim, load->first, load_wrench(sim, load, f));
    return br_vec3_norm(f);
}

double br_forces_of_drive(br_sim *sim, int index) {
    const br_model_drive *d = &sim->model->drive[index];
    const double asked = br_step_mean(sim, br_drive_target(sim, index));
    const double effort = fmax(-d->max_effort, fmin(d->max_effort, asked));
    br_forces_effort(sim, d->joint, d->coordinate, effort);
    return fabs(effort);
}

double br_forces_of_gravity(br_sim *sim, const br_vec3 *instead) {
    const br_vec3 g = instead ? *instead : sim->model->settings.gravity;
    for (int i = 0; i < sim->model->tree.links; i++)
        add_wrench(sim, i,
                   br_wrench_of(br_vec3_cross(sim->work.moment[i], g),
                                br_vec3_scale(sim->model->tree.link[i].mass, g)));
    return br_vec3_norm(g);
}
