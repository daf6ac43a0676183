// One evaluation of the implicit stepper: where nodes are, what inertia asks for, residual and tangent, see implicit.h.
//
//     generalized-alpha      inertia_k = sum_j m_kj b_j,  R_k (sum_j J_kj beta_j + w_k x L_k)      at the end
//     energy-decaying        (sum_j m_kj (u1_j - u0_j))/h,  (R1_k L1_k - R0_k L0_k)/h              L_k = sum_j J_kj w_j
//
// Sums over j are over the node itself (here) and its neighbours along a beam (element_beam.c).
#include "math/elementary.h"
#include "sim/stepper/implicit/implicit.h"
#include "sim/stepper/implicit/touching.h"

#include <string.h>

// --- kinematics --------------------------------------------------------------------------------------------

// d log / d psi for a rotation psi on the left: the inverse of the left Jacobian of the rotation vector r.
static br_mat3 log_by(br_vec3 r) {
    const double angle = br_vec3_norm(r), half = 0.5 * angle;
    const double c = angle < 1e-4 ? 1.0 / 12.0 : (1.0 - half / br_tan(half)) / (angle * angle);
    const br_mat3 K = br_mat3_skew(r);
    return br_mat3_add(br_mat3_sub(br_mat3_identity(), br_mat3_scale(0.5, K)),
                       br_mat3_scale(c, br_mat3_mul(K, K)));
}

static br_mat3 cayley_by(br_vec3 r) {
    return br_mat3_add(br_mat3_sub(br_mat3_identity(), br_mat3_scale(0.5, br_mat3_skew(r))),
                       br_mat3_scale(0.25, br_mat3_outer(r, r)));
}

static br_quat step_rotation(const br_node *n) {
    const br_quat q = br_quat_mul(n->q1, br_quat_conjugate(n->start->q));
    return q.w < 0.0 ? br_quat_of(-q.w, -q.x, -q.y, -q.z) : q;
}

static void newmark(const br_implicit *f, br_vec3 move, br_vec3 v0, br_vec3 a0, br_vec3 b0, br_vec3 *v1,
                    br_vec3 *a1, br_vec3 *b1) {
    const double h = f->h;
    const br_vec3 rest =
        br_vec3_sub(br_vec3_sub(br_vec3_scale(1.0 / h, move), v0), br_vec3_scale((0.5 - f->beta) * h, a0));
    *a1 = br_vec3_scale(1.0 / (f->beta * h), rest);
    *v1 = br_vec3_add(v0,
                      br_vec3_add(br_vec3_scale((1.0 - f->gamma) * h, a0), br_vec3_scale(f->gamma * h, *a1)));
    *b1 = br_vec3_scale(
        1.0 / (1.0 - f->alpha_f),
        br_vec3_sub(br_vec3_add(br_vec3_scale(1.0 - f->alpha_m, *a1), br_vec3_scale(f->alpha_m, a0)),
                    br_vec3_scale(f->alpha_f, b0)));
}

static void look_alpha(const br_implicit *f, br_node *n) {
    n->turn = br_quat_log(step_rotation(n));
    n->turn_by = log_by(n->turn);
    newmark(f, n->dx, n->u0, n->start->a, n->start->b, &n->u1, &n->a1, &n->b1);
    newmark(f, br_mat3_tmul_vec(n->R0, n->turn), n->w0, n->start->alpha, n->start->beta, &n->w1, &n->alpha1,
            &n->beta1);
    n->R = n->R1, n->x = n->x1;
    const br_vec3 omega = br_mat3_mul_vec(n->R1, n->w1);
    n->rate = br_twist_of(omega, n->u1);
    const br_mat3 by = br_mat3_tmul(n->R0, n->turn_by);
    n->rate_turn = br_mat3_sub(br_mat3_scale(f->rate_move, br_mat3_mul(n->R1, by)), br_mat3_skew(omega));
    n->accel_by = br_mat3_scale(f->mass_move, by);
}

static void look_decaying(const br_implicit *f, br_node *n) {
    const br_quat q = step_rotation(n);
    n->turn = br_vec3_scale(2.0 / q.w, br_quat_vector(q));
    n->turn_by = cayley_by(n->turn);
    n->u1 = br_vec3_sub(br_vec3_scale(2.0 / f->h, n->dx), n->u0);
    n->w1 = br_vec3_sub(br_vec3_scale(2.0 / f->h, br_mat3_tmul_vec(n->R0, n->turn)), n->w0);
    n->R = br_mat3_scale(0.5, br_mat3_add(n->R0, n->R1));
    n->x = br_vec3_scale(0.5, br_vec3_add(n->start->x, n->x1));
    n->rate = br_twist_of(br_vec3_scale(1.0 / f->h, n->turn), br_vec3_scale(1.0 / f->h, n->dx));
    n->rate_turn = br_mat3_scale(1.0 / f->h, n->turn_by);
    n->accel_by = br_mat3_scale(f->mass_move, br_mat3_tmul(n->R0, n->turn_by));
}

static void look_instant(br_node *n) {
    n->turn = br_vec3_zero(), n->turn_by = br_mat3_identity();
    n->R = n->R1, n->x = n->x1;
    n->rate = br_twist_of(br_mat3_mul_vec(n->R1, n->w1), n->u1);
    n->rate_turn = br_mat3_zero();
    n->accel_by = br_mat3_transpose(n->R1);
}

// Of equilibrium: x0 and q0 are the last point of the path.
static void look_still(br_node *n) {
    n->turn = br_quat_log(step_rotation(n)), n->turn_by = log_by(n->turn);
    n->R = n->R1, n->x = n->x1;
    n->u1 = n->w1 = br_vec3_zero();
    n->rate = br_twist_of(br_vec3_zero(), br_vec3_zero());
    n->rate_turn = n->accel_by = br_mat3_zero();
}

void br_implicit_look(br_implicit *f) {
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->R1 = br_quat_to_mat3(n->q1);
        n->dx = br_vec3_sub(n->x1, n->start->x);
        if (f->instant)
            look_instant(n);
        else if (f->still)
            look_still(n);
        else if (f->decaying)
            look_decaying(f, n);
        else
            look_alpha(f, n);
    }
}

// --- what elements add -------------------------------------------------------------------------------------

void br_push(br_implicit *f, int node, br_wrench F, br_book book) {
    if (node < 0) return;
    f->book[book][node] = br_wrench_add(f->book[book][node], F);
    if (f->still) f->node[node].pushed += br_vec3_norm(F.force) + br_vec3_norm(F.torque) / f->length;
}

static void add3(const br_block_ref *ref, int row, int column, br_mat3 M, double factor) {
    double *at = ref->value + row * ref->row_stride + column * ref->col_stride;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) at[r * ref->row_stride + c * ref->col_stride] += factor * M.m[r][c];
}

void br_tangent(br_implicit *f, br_element *e, int a, int part_a, int b, int part_b, br_mat3 M) {
    if (f->instant || e->slot[a].block < 0 || e->slot[b].block < 0) return;
    add3(&e->ref[a * e->slots + b], part_a, part_b, M, -f->scale);
}

void br_tangent_mass(br_implicit *f, br_element *e, int a, int part_a, int b, int part_b, br_mat3 M) {
    if (e->slot[a].block < 0 || e->slot[b].block < 0) return;
    add3(&e->ref[a * e->slots + b], part_a, part_b, M, f->scale);
}

void br_tangent_block(br_implicit *f, br_element *e, int a, int b, const double *M, int stride) {
    if (f->instant || e->slot[a].block < 0 || e->slot[b].block < 0) return;
    const br_block_ref *ref = &e->ref[a * e->slots + b];
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            ref->value[r * ref->row_stride + c * ref->col_stride] -= f->scale * M[r * stride + c];
}

void br_tangent_outer(br_implicit *f, br_element *e, const br_wrench G[2], double factor,
                      const br_wrench by[2]) {
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const br_vec3 force = br_vec3_scale(factor, G[a].force),
                          torque = br_vec3_scale(factor, G[a].torque);
            br_tangent(f, e, a, 0, b, 0, br_mat3_outer(force, by[b].force));
            br_tangent(f, e, a, 0, b, 3, br_mat3_outer(force, by[b].torque));
            br_tangent(f, e, a, 3, b, 0, br_mat3_outer(torque, by[b].force));
            br_tangent(f, e, a, 3, b, 3, br_mat3_outer(torque, by[b].torque));
        }
}

static void put_wrench(double *at, int stride, br_wrench F, double factor) {
    const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
    for (int k = 0; k < 6; k++) at[k * stride] += factor * part[k];
}

void br_tangent_by_row(br_implicit *f, br_element *e, int a, int s, int r, br_wrench F) {
    if (!f->tangent || e->slot[a].block < 0) return;
    const br_block_ref *ref = &e->ref[a * e->slots + s];
    put_wrench(ref->value + r * ref->col_stride, ref->row_stride, F, -1.0);
}

void br_row(br_implicit *f, br_element *e, int s, int r, double value) {
    f->residual[e->slot[s].at + r] += value;
}

void br_row_by(br_implicit *f, br_element *e, int s, int r, int a, br_wrench G) {
    if (!f->tangent || e->slot[a].block < 0) return;
    const br_block_ref *ref = &e->ref[s * e->slots + a];
    put_wrench(ref->value + r * ref->row_stride, ref->col_stride, G, 1.0);
}

double br_implicit_value(br_implicit *f, const br_function *function) {
    return br_function_value(function, f->t, f->sim->values);
}

// --- inertia -----------------------------------------------------------------------------------------------

static void node_inertia(br_implicit *f, int i) {
    br_node *n = &f->node[i];
    const br_vec3 L1 = br_sym3_mul_vec(n->inertia, n->w1);
    br_wrench *out = &f->inertia[i];
    if (f->instant) { // what velocities ask for alone
        out->torque = br_vec3_add(out->torque, br_mat3_mul_vec(n->R1, br_vec3_cross(n->w1, L1)));
    } else if (f->decaying) {
        const br_vec3 L0 = br_sym3_mul_vec(n->inertia, n->w0);
        out->force = br_vec3_add_scaled(out->force, n->mass / f->h, br_vec3_sub(n->u1, n->u0));
        out->torque = br_vec3_add_scaled(out->torque, 1.0 / f->h,
                                         br_vec3_sub(br_mat3_mul_vec(n->R1, L1), br_mat3_mul_vec(n->R0, L0)));
    } else {
        const br_vec3 torque = br_vec3_add(br_sym3_mul_vec(n->inertia, n->beta1), br_vec3_cross(n->w1, L1));
        out->force = br_vec3_add_scaled(out->force, n->mass, n->b1);
        out->torque = br_vec3_add(out->torque, br_mat3_mul_vec(n->R1, torque));
    }
}

// d torque/d psi of one pair: L_k has the part J w_j. Own: the node whose torque it is turns with psi itself.
br_mat3 br_inertia_by(const br_implicit *f, const br_node *k, const br_node *j, br_mat3 J) {
    br_mat3 by = br_mat3_mul(J, j->accel_by);
    if (!f->instant && !f->decaying) {
        // w_k x (J w_j): by w_j; w1 changes by rate_move/mass_move times what the acceleration changes by.
        const double per = f->rate_move / f->mass_move;
        by = br_mat3_add(by, br_mat3_scale(per, br_mat3_mul(br_mat3_skew(k->w1), by)));
    }
    by = br_mat3_mul(k->R1, by);
    return by;
}

// ... and by psi_k: R_k turns, and (alpha) w_k in w_k x L_k.
br_mat3 br_inertia_by_own(const br_implicit *f, const br_node *k, br_vec3 L1, br_vec3 torque_link) {
    if (f->instant) return br_mat3_zero();
    if (f->decaying) return br_mat3_scale(-1.0 / f->h, br_mat3_skew(br_mat3_mul_vec(k->R1, L1)));
    const double per = f->rate_move / f->mass_move;
    const br_mat3 gyro = br_mat3_mul(br_mat3_skew(L1), k->accel_by);
    return br_mat3_sub(br_mat3_scale(-per, br_mat3_mul(k->R1, gyro)),
                       br_mat3_skew(br_mat3_mul_vec(k->R1, torque_link)));
}

static void node_inertia_tangent(br_implicit *f, int i) {
    br_node *n = &f->node[i];
    const br_mat3 J = br_sym3_to_mat3(n->inertia);
    const br_vec3 L1 = br_sym3_mul_vec(n->inertia, n->w1);
    const br_vec3 torque = br_vec3_add(br_sym3_mul_vec(n->inertia, n->beta1), br_vec3_cross(n->w1, L1));
    const double mass = n->mass * (f->instant ? 1.0 : f->mass_move);
    add3(&f->diagonal[i], 0, 0, br_mat3_identity(), f->scale * mass);
    add3(&f->diagonal[i], 3, 3, br_mat3_add(br_inertia_by(f, n, n, J), br_inertia_by_own(f, n, L1, torque)),
         f->scale);
}

// --- all ---------------------------------------------------------------------------------------------------

static void start_evaluation(br_implicit *f) {
    for (int b = 0; b < BR_BOOKS; b++) memset(f->book[b], 0, (size_t)f->nodes * sizeof *f->book[b]);
    memset(f->inertia, 0, (size_t)f->nodes * sizeof *f->inertia);
    memset(f->residual, 0, (size_t)f->unknowns * sizeof *f->residual);
    for (int i = 0; f->still && i < f->nodes; i++) f->node[i].pushed = 0.0;
    if (f->tangent) br_block_clear(f->matrix);
    if (f->reads_state) {
        br_implicit_give_state(f);
        br_sim_variables(f->sim);
        for (int k = 0; f->half != 1.0 && k < f->sim->model->variables; k++) // the middle of the step
            f->sim->values[k] = 0.5 * (f->values_start[k] + f->sim->values[k]);
    }
}

static void sum_forces(br_implicit *f, int i, int at) {
    br_wrench r = f->inertia[i];
    for (int b = 0; b < BR_BOOKS; b++) r = br_wrench_sub(r, f->book[b][i]);
    if (f->touching && !f->instant && !f->still) r = br_wrench_sub(r, f->touching->force[i]);
    const double part[6] = {r.force.x, r.force.y, r.force.z, r.torque.x, r.torque.y, r.torque.z};
    for (int k = 0; k < 6; k++) f->residual[at + k] = f->scale * part[k];
}

void br_implicit_evaluate(br_implicit *f) {
    const br_vec3 g = br_vec3_scale(f->load_factor, f->sim->model->settings.gravity);
    start_evaluation(f);
    for (int i = 0; i < f->nodes; i++) {
        if (!f->still) node_inertia(f, i);
        if (f->tangent && !f->still) node_inertia_tangent(f, i);
        br_push(f, i, br_wrench_of(br_vec3_zero(), br_vec3_scale(f->node[i].mass, g)), BR_BOOK_GRAVITY);
    }
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        if (!f->projecting || e->rows > 0 || e->kind->kinetic) e->kind->evaluate(f, e);
    }
    for (int i = 0, at = 0; i < f->nodes; i++) {
        sum_forces(f, i, at);
        at += 6 + f->node[i].rows;
    }
}
