// Between the state of a simulation (joint coordinates) and the nodes of the implicit stepper, and what a step begins
// with: accelerations and forces of the instant.
//
//     M b - B^T lambda = F - gyroscopic,   B b = -(dB/dt v - du/dt)       the latter by a difference along the motion
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/stepper/implicit/touching_solve.h"

#define BR_START_DIFFERENCE 1e-3 // of a step
#define BR_MAX_START 50          // solutions of the start where rows are bounded
#define BR_EPS_START 1e-13       // of the largest force: what another one may change

// --- state -------------------------------------------------------------------------------------------------

static void start_is_end(br_node *n) {
    n->start->x = n->x1, n->start->q = n->q1, n->R0 = n->R1, n->u0 = n->u1, n->w0 = n->w1;
    n->start->u = n->u1, n->start->w = n->w1;
    n->start->a = n->a1, n->start->b = n->b1, n->start->alpha = n->alpha1, n->start->beta = n->beta1;
}

void br_implicit_back_to_start(br_implicit *f) {
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->x1 = n->start->x, n->q1 = n->start->q, n->R1 = n->R0 = br_quat_to_mat3(n->q1);
        n->u1 = n->u0 = n->start->u, n->w1 = n->w0 = n->start->w;
        n->a1 = n->start->a, n->b1 = n->start->b, n->alpha1 = n->start->alpha, n->beta1 = n->start->beta;
    }
}

br_node *br_nodes_copy(const br_implicit *f, br_arena *arena) {
    br_node *copy = BR_TAKE(arena, br_node, f->nodes + 1);
    br_node_state *start = BR_TAKE(arena, br_node_state, f->nodes + 1);
    if (!copy || !start) return NULL;
    for (int i = 0; i < f->nodes; i++) copy[i].start = &start[i];
    br_nodes_copy_again(f, copy);
    return copy;
}

void br_nodes_copy_again(const br_implicit *f, br_node *copy) {
    for (int i = 0; i < f->nodes; i++) {
        br_node_state *start = copy[i].start;
        copy[i] = f->node[i];
        copy[i].start = start, *start = *f->node[i].start;
    }
}

void br_nodes_restore(br_implicit *f, const br_node *copy) {
    for (int i = 0; i < f->nodes; i++) {
        br_node_state *start = f->node[i].start;
        f->node[i] = copy[i];
        f->node[i].start = start, *start = *copy[i].start;
    }
}

void br_implicit_shift(br_implicit *f) {
    for (int i = 0; i < f->nodes; i++) start_is_end(&f->node[i]);
}

void br_implicit_take_state(br_implicit *f) {
    br_sim *sim = f->sim;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        const br_link_pose *X = &sim->work.pose[i];
        const br_vec3 arm = br_mat3_mul_vec(X->R_WL, n->com);
        n->q1 = br_quat_normalize(br_quat_from_mat3(X->R_WL));
        n->R1 = br_quat_to_mat3(n->q1);
        n->x1 = br_vec3_add(X->p_WL, arm);
        n->u1 = br_twist_at_point(sim->work.motion[i].V, arm);
        n->w1 = br_mat3_tmul_vec(n->R1, sim->work.motion[i].V.angular);
        n->a1 = n->b1 = n->alpha1 = n->beta1 = n->start->du = n->start->dw = br_vec3_zero();
        n->start->u_carry = n->start->w_carry = br_vec3_zero();
        start_is_end(n);
    }
}

// Pose and twist of a link from its node's end.
static br_vec3 link_origin(const br_node *n) {
    return br_vec3_sub(n->x1, br_mat3_mul_vec(n->R1, n->com));
}

static void joint_frames(br_implicit *f, const br_model_joint *j, br_relative *x) {
    const br_node *a = br_node_at(f, j->first), *b = br_node_at(f, j->second);
    const br_mat3 R_WM = br_mat3_mul(b->R1, j->R_BM);
    const br_vec3 p_F = br_vec3_add(link_origin(a), br_mat3_mul_vec(a->R1, j->X_AF.position));
    x->R_WF = br_mat3_mul(a->R1, j->R_AF);
    x->p_WM = br_vec3_add(link_origin(b), br_mat3_mul_vec(b->R1, j->X_BM.position));
    x->R_FM = br_mat3_tmul(x->R_WF, R_WM);
    x->p_FM = br_mat3_tmul_vec(x->R_WF, br_vec3_sub(x->p_WM, p_F));
    const br_vec3 w_a = br_mat3_mul_vec(a->R1, a->w1), w_b = br_mat3_mul_vec(b->R1, b->w1);
    const br_vec3 v_a = br_vec3_add(a->u1, br_vec3_cross(w_a, br_vec3_sub(x->p_WM, a->x1)));
    const br_vec3 v_b = br_vec3_add(b->u1, br_vec3_cross(w_b, br_vec3_sub(x->p_WM, b->x1)));
    x->V = br_twist_of(br_mat3_tmul_vec(x->R_WF, br_vec3_sub(w_b, w_a)),
                       br_mat3_tmul_vec(x->R_WF, br_vec3_sub(v_b, v_a)));
}

void br_implicit_give_state(br_implicit *f) {
    br_sim *sim = f->sim;
    const br_model *m = sim->model;
    for (int i = 0; i < f->nodes; i++) {
        const br_model_joint *j = &m->joint[m->link_joint[i]];
        br_relative x;
        br_joint_motion motion;
        double q[BR_MAX_JOINT_Q] = {0.0}, *out = sim->state.q + j->q_at;
        joint_frames(f, j, &x);
        j->kind->measure(j->parameter, x.R_FM, x.p_FM, q);
        j->kind->pose(j->parameter, q, &motion);
        for (int k = 0; k < j->kind->nq; k++)
            out[k] = j->kind->angles >> k & 1u ? q[k] + 2.0 * BR_PI * round((out[k] - q[k]) / (2.0 * BR_PI))
                                               : q[k];
        br_joint_velocity(j->kind->nv, &motion, x.V, sim->state.v + j->v_at);
    }
    sim->at = 0;
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    if (m->reads_state || m->loops > 0) br_sim_refresh(sim, 2);
    if (m->loops > 0) br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
}

// --- the instant -------------------------------------------------------------------------------------------

void br_implicit_enter_instant(br_implicit *f, double t) {
    f->instant = 1, f->t = f->t_end = t;
    f->eps_rows = BR_EPS_REDUNDANT;
    br_implicit_scheme(f, f->h);
}

void br_implicit_leave_instant(br_implicit *f) {
    f->instant = 0;
    br_implicit_scheme(f, f->h);
}

double br_jet_rate(br_implicit *f, const br_function *function) {
    return br_function_jet(function, f->t, f->sim->jets).rate;
}

// Nodes move by the time e with the velocities that they have.
static void drift(br_implicit *f, double e) {
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->x1 = br_vec3_add_scaled(n->start->x, e, n->u0);
        n->q1 = br_quat_normalize(br_quat_mul(n->start->q, br_quat_exp(br_vec3_scale(e, n->w0))));
    }
}

// d/dt of the rows' velocities along the motion, accelerations being zero.
static void rows_bias(br_implicit *f, double t, double e, double *bias) {
    memset(bias, 0, (size_t)f->row_count * sizeof *bias);
    for (int side = -1; side <= 1; side += 2) {
        drift(f, side * e);
        f->t = t + side * e;
        f->tangent = 0;
        br_implicit_look(f);
        br_implicit_evaluate(f);
        for (int r = 0; r < f->row_count; r++) bias[r] += side * f->row_rate[r] / (2.0 * e);
    }
    drift(f, 0.0);
    f->t = t;
}

// One number per row, in the order of elements.
void br_implicit_rows_into_residual(br_implicit *f, const double *from) {
    for (int k = 0, row = 0; k < f->elements; k++)
        for (int r = 0; r < f->element[k].rows; r++)
            f->residual[f->element[k].slot[f->element[k].slots - 1].at + r] = from[row++];
}

static void take_accelerations(br_implicit *f) {
    int at = 0;
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        const double *d = f->solution + at;
        n->a1 = n->b1 = br_vec3_of(d[0], d[1], d[2]);
        n->alpha1 = n->beta1 = br_mat3_tmul_vec(n->R1, br_vec3_of(d[3], d[4], d[5]));
        at += 6 + n->rows;
    }
}

// What touches pushes back. Where that has no answer the first step will say so; no memory is another matter.
static br_status press_instant(br_implicit *f) {
    br_error ignored;
    if (!f->touching) return BR_OK;
    br_status status = br_touching_begin_instant(f, &ignored);
    if (status == BR_OK) status = br_touching_correct(f, 1);
    return status == BR_NO_MEMORY ? status : BR_OK;
}

// Accelerations and forces of the instant with the bounded rows that are on.
static br_status find_instant(br_implicit *f, double t) {
    double *bias = f->lambda_aside; // scratch here
    rows_bias(f, t, BR_START_DIFFERENCE * f->h, bias);
    f->tangent = 1;
    br_implicit_look(f);
    br_implicit_evaluate(f);
    br_implicit_rows_into_residual(f, bias);
    if (br_implicit_factor(f) != BR_OK) return BR_NUMERICAL;
    br_implicit_correct(f);
    if (!br_all_finite(f->unknowns, f->solution)) return BR_NUMERICAL;
    if (press_instant(f) != BR_OK) return BR_NO_MEMORY;
    take_accelerations(f);
    memcpy(f->lambda_aside, f->lambda, (size_t)f->row_count * sizeof *f->lambda);
    br_implicit_add_forces(f);
    f->tangent = 0, f->deciding = f->bounded > 0, f->switched = 0;
    br_implicit_evaluate(f); // forces of the instant, for the books
    f->deciding = 0;
    return BR_OK;
}

// Bounds follow the forces that they make: whether the last solution changed either.
static int instant_moves(const br_implicit *f) {
    double change = 0.0, size = 0.0;
    for (int r = 0; r < f->row_count; r++)
        change = fmax(change, fabs(f->lambda[r] - f->lambda_aside[r])), size = fmax(size, fabs(f->lambda[r]));
    return f->switched || change > BR_EPS_START * size;
}

br_status br_implicit_start(br_implicit *f, br_error *error) {
    const double t = f->sim->state.at->t;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
    br_implicit_enter_instant(f, t);
    memset(f->lambda, 0, (size_t)f->row_count * sizeof *f->lambda);
    br_status status = find_instant(f, t);
    for (int k = 0; k < BR_MAX_START && f->bounded > 0 && status == BR_OK && instant_moves(f); k++)
        status = find_instant(f, t);
    for (int i = 0; status == BR_OK && i < f->nodes; i++) start_is_end(&f->node[i]);
    br_implicit_leave_instant(f);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "no memory for the contacts of the start");
    if (status != BR_OK)
        return br_fail(
            error, BR_NUMERICAL, "implicit-start",
            "t = %.9g s: the accelerations at the start cannot be found: a body has no inertia against its "
            "own motion, or rows contradict each other; `bristle check` says which",
            t);
    return BR_OK;
}

// Snapshots hold no readings of elements: these are of the instant, where those after a step are of its end or mean.
void br_implicit_read_again(br_implicit *f) {
    memcpy(f->state_aside, f->state, (size_t)f->state_count * sizeof *f->state);
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
    br_implicit_enter_instant(f, f->sim->state.at->t);
    f->tangent = 0;
    br_implicit_look(f);
    br_implicit_evaluate(f);
    br_implicit_leave_instant(f);
    memcpy(f->state, f->state_aside, (size_t)f->state_count * sizeof *f->state);
}
