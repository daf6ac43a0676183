// Velocities of the energy-decaying scheme at the end of a step, and what the next step is given back.
//
// The midpoint rule with positions in the rows leaves velocities v_1 that need not obey them: r_1 = B v_1 - c. They are projected
// in the metric of the mass matrix, which takes r_1 S^-1 r_1/2 of the kinetic energy, S = B M^-1 B^T. A step that starts without
// such a velocity ends with one, e, that is of second order in the angle which the rows turn by; a step that starts with r_0 ends
// with e - r_0. Taken away after every step it is a loss without an end: half of the energy of a disk on a ball joint that turns
// by a radian in a step. So the next step starts with
//
//     r = (r_0 + r_1)/2 = e/2,     v + M^-1 B^T S^-1 r
//
// and ends with e/2 again: what is taken was given. Nobody sees it but the step; the state has the projected velocities. It is
// never given more energy than was taken just before, so that the scheme's energy cannot grow. Rows that move by themselves get
// none: where their motion jumps, e is the jump.
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/stepper/implicit/element_bounded.h"
#include "sim/stepper/implicit/implicit.h"

#define BR_EPS_CARRY 1e-12 // of the kinetic energy: less is not worth a solve

typedef struct row_walk {
    const br_element *element;
    int r, row;
} row_walk;

static int next_row(const br_implicit *f, row_walk *w) {
    const br_element *end = f->element + f->elements;
    w->row++, w->r++;
    while (w->element < end && w->r >= w->element->rows) w->element++, w->r = 0;
    return w->element < end;
}

static row_walk rows_of(const br_implicit *f) {
    return (row_walk){f->element, -1, -1};
}

static double row_solution(const br_implicit *f, const row_walk *w) {
    return f->solution[w->element->slot[w->element->slots - 1].at + w->r] / f->scale;
}

// A row that has a motion of its own.
static int moves(const br_implicit *f, const row_walk *w) {
    return (w->element->kind->is & BR_ELEMENT_MOVES) || f->row_target[w->row] != 0.0;
}

static void take_node(const br_implicit *f, int at, br_mat3 R1, br_vec3 *linear, br_vec3 *angular) {
    const double *d = f->solution + at;
    *linear = br_vec3_of(d[0], d[1], d[2]);
    *angular = br_mat3_tmul_vec(R1, br_vec3_of(d[3], d[4], d[5]));
}

// Impulses that change the rows' velocities by -rate; in f->solution.
static int solve_rates(br_implicit *f, const double *rate) {
    memset(f->residual, 0, (size_t)f->unknowns * sizeof *f->residual);
    br_implicit_rows_into_residual(f, rate);
    br_implicit_correct(f);
    return br_all_finite(f->unknowns, f->solution);
}

void br_implicit_forget_carry(br_implicit *f) {
    for (int i = 0; i < f->nodes; i++) f->node[i].start->u_carry = f->node[i].start->w_carry = br_vec3_zero();
    memset(f->carry_rate, 0, (size_t)f->row_count * sizeof *f->carry_rate);
    memset(f->carry_impulse, 0, (size_t)f->row_count * sizeof *f->carry_impulse);
    f->control->carry_input = 0.0;
}

void br_implicit_apply_carry(br_implicit *f) {
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->u0 = br_vec3_add(n->start->u, n->start->u_carry),
        n->w0 = br_vec3_add(n->start->w, n->start->w_carry);
    }
}

// With B v = c the change of kinetic energy is that of the carry alone and the work of the rows' motion.
double br_implicit_carried(const br_implicit *f) {
    double energy = f->control->carry_input;
    for (int r = 0; r < f->row_count; r++) energy += 0.5 * f->carry_impulse[r] * f->carry_rate[r];
    return energy;
}

// What the next step starts with, once this one stands. Factors are those of the projection.
static void carry_over(br_implicit *f) {
    const double taken = f->gross;
    double *rate = f->carry_rate; // r_0, becomes r
    for (row_walk w = rows_of(f); next_row(f, &w);)
        rate[w.row] =
            moves(f, &w) || br_element_switches(w.element) ? 0.0 : -0.5 * (rate[w.row] + f->row_rate[w.row]);
    if (!(taken > BR_EPS_CARRY * f->energy_end.kinetic) || !solve_rates(f, rate)) {
        br_implicit_forget_carry(f);
        return;
    }
    double given = 0.0;
    for (row_walk w = rows_of(f); next_row(f, &w);) given -= 0.5 * row_solution(f, &w) * rate[w.row];
    const double part = given > taken ? sqrt(taken / given) : 1.0;
    f->control->carry_input = 0.0;
    for (row_walk w = rows_of(f); next_row(f, &w);) {
        rate[w.row] *= -part;
        f->carry_impulse[w.row] = part * row_solution(f, &w);
        f->control->carry_input += f->carry_impulse[w.row] * f->row_target[w.row];
    }
    for (int i = 0, at = 0; i < f->nodes; at += 6 + f->node[i].rows, i++) {
        br_node *n = &f->node[i];
        take_node(f, at, n->R1, &n->start->u_carry, &n->start->w_carry);
        n->start->u_carry = br_vec3_scale(part, n->start->u_carry),
        n->start->w_carry = br_vec3_scale(part, n->start->w_carry);
    }
}

// Velocities of the ends by the solution at hand. The work of rows that move by themselves is impulse times the mean of their
// velocities before and after: a motion that jumps within the step, or at its start, leaves the two far apart.
static void apply_projection(br_implicit *f) {
    f->projected_input = 0.0, f->gross = 0.0, f->struck = 0.0;
    for (row_walk w = rows_of(f); next_row(f, &w);) {
        const double impulse = row_solution(f, &w), r = f->row_rate[w.row], c = f->row_target[w.row];
        f->projected_input += impulse * (moves(f, &w) ? c + 0.5 * r : c);
        *(br_element_strikes(w.element) ? &f->struck : &f->gross) -= 0.5 * impulse * r;
        // a part of the step's mean force, with what the step was given
        f->impulse[w.row] = (impulse + f->carry_impulse[w.row]) / f->h;
    }
    for (int i = 0, at = 0; i < f->nodes; at += 6 + f->node[i].rows, i++) {
        br_node *n = &f->node[i];
        br_vec3 du, dw;
        take_node(f, at, n->R1, &du, &dw);
        n->u1 = br_vec3_add(n->u1, du), n->w1 = br_vec3_add(n->w1, dw);
    }
}

br_status br_implicit_project(br_implicit *f, br_error *error) {
    if (f->row_count == 0) return BR_OK;
    const double t = f->t_end;
    for (int i = 0; i < f->nodes; i++) f->node[i].turn_step = f->node[i].turn;
    br_implicit_enter_instant(f, t);
    f->tangent = 1, f->projecting = 1;
    br_implicit_look(f);
    br_implicit_evaluate(f);
    f->projecting = 0;
    const int solved = br_implicit_factor(f) == BR_OK && solve_rates(f, f->row_rate);
    if (solved) apply_projection(f);
    br_implicit_leave_instant(f);
    if (!solved)
        return br_fail(error, BR_NUMERICAL, "implicit-velocities",
                       "t = %.9g s: velocities cannot be made to agree with the joints", t);
    return BR_OK;
}

void br_implicit_carry_over(br_implicit *f) {
    if (f->row_count == 0) return;
    br_implicit_enter_instant(f, f->t_end); // the scale of its equations
    carry_over(f);
    br_implicit_leave_instant(f);
}
