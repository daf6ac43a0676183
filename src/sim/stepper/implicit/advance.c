// The implicit stepper: how long a step is, whether it stands, what is kept of it. See implicit.h.
//
// A step that Newton's method does not finish is halved, with or without `adaptive`; steps grow again by at most a factor
// of two. With `adaptive`, three rules ask for the next step: the local error, the nearness of contact
// [BauchauJu2006 eqs. 19-20] and the time constant of the friction [eq. 33]; the smallest wish is taken.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/core/ledger.h"
#include "sim/friction/friction.h"
#include "sim/rows/order.h"
#include "sim/stepper/implicit/implicit.h"

#define BR_STEP_GROWTH 2.0
#define BR_FAILURES_BEFORE_LEAPS 3
#define BR_LEAST_ENERGY 1e-9 // J, that a step may make from nothing
#define BR_MOST_FAILURES 500 // of Newton's method without a step of a tenth of solver.step in between
#define BR_STEP_SAFETY 0.9
#define BR_SMALLEST_STEP 1e-6         // of solver.step
#define BR_MOST_LOST 1e-5             // of the energy at play, by the projection of velocities in one step
#define BR_LOST_BY_GROWTH 32.0        // of what it takes now, in a step twice as long
#define BR_SHORTEST_AGAINST_LOSS 0.05 // of solver.step: below it a step is not made shorter for that

static const char *limit_name(int limit) {
    static const char *const names[] = {"solver.step", "local error", "contact", "friction",
                                        "Newton's method"};
    return names[limit];
}

// --- one step ----------------------------------------------------------------------------------------------

static void predict(br_implicit *f) {
    const double h = f->h;
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        const br_vec3 a = f->decaying ? n->du : n->a0, alpha = f->decaying ? n->dw : n->alpha0;
        const br_vec3 turn = br_vec3_add(br_vec3_scale(h, n->w0), br_vec3_scale(0.5 * h * h, alpha));
        n->x1 = br_vec3_add(n->x0, br_vec3_add(br_vec3_scale(h, n->u0), br_vec3_scale(0.5 * h * h, a)));
        n->q1 = br_quat_normalize(br_quat_mul(n->q0, br_quat_exp(turn)));
    }
}

static void put_back(br_implicit *f) {
    memcpy(f->lambda, f->lambda_last, (size_t)f->row_count * sizeof *f->lambda);
    memcpy(f->state, f->state_last, (size_t)f->state_count * sizeof *f->state);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->x1 = n->x0, n->q1 = n->q0, n->R1 = n->R0;
        n->u1 = n->u0 = n->u_kept, n->w1 = n->w0 = n->w_kept;
        n->a1 = n->a0, n->b1 = n->b0, n->alpha1 = n->alpha0, n->beta1 = n->beta0;
    }
}

// Largest change of acceleration over the step, as a move: the local error of Newmark's formulas up to their constant.
static double local_error(const br_implicit *f) {
    const double h = f->h, constant = f->decaying ? 1.0 / 12.0 : fabs(f->beta - 1.0 / 6.0);
    double worst = 0.0;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 da = f->decaying ? br_vec3_sub(br_vec3_scale(1.0 / h, br_vec3_sub(n->u1, n->u0)), n->du)
                                       : br_vec3_sub(n->a1, n->a0);
        const br_vec3 dalpha = f->decaying
                                   ? br_vec3_sub(br_vec3_scale(1.0 / h, br_vec3_sub(n->w1, n->w0)), n->dw)
                                   : br_vec3_sub(n->alpha1, n->alpha0);
        worst = fmax(worst, fmax(br_vec3_max_abs(da), f->length * br_vec3_max_abs(dalpha)));
    }
    return constant * h * h * worst / f->length;
}

typedef enum verdict { STANDS, AGAIN, FAILS } verdict;

// Steps that have made more energy than the mechanism had at the start and was given since are none, whatever Newton's method
// says of them: steps far too long for a spin or a stiffness end like that. The scale keeps rounding out of it.
static int runs_away(br_implicit *f) {
    const br_ledger *l = &f->sim->ledger;
    br_implicit_energy(f, &f->energy_end);
    const br_energy now = f->energy_end;
    const double given = br_implicit_given(f),
                 had = l->start.kinetic + l->start.elastic + f->sim->work_done + fabs(given);
    const double stored = f->sim->energy.kinetic + f->sim->energy.elastic;
    f->energy_scale = fmax(f->energy_scale, fmin(stored, had + fabs(now.potential - l->start.potential)));
    return !(now.total - l->start.total - l->input - given <= had + 0.5 * f->energy_scale + BR_LEAST_ENERGY);
}

// What the rules wish for next, and whether the step stands.
static verdict judge(br_implicit *f) {
    const br_adaptive_settings *s = &f->sim->model->settings.solver.adaptive;
    const double largest = f->sim->model->settings.solver.step;
    double wish = f->h_grown;
    f->limited_by = f->h_grown < largest ? BR_LIMIT_NEWTON : BR_LIMIT_SETTING;
    f->h_error = f->h_contact = f->h_friction = INFINITY;
    f->again = 0;
    if (!s->on) {
        f->h_next = fmin(wish, largest);
        return STANDS;
    }
    if (s->tolerance > 0.0) {
        const double error = local_error(f) / s->tolerance;
        f->h_error = error > 0.0 ? BR_STEP_SAFETY * f->h / cbrt(error) : INFINITY;
        if (error > 2.0) f->again = 1;
        if (f->h_error < wish) wish = f->h_error, f->limited_by = BR_LIMIT_ERROR;
    }
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        int why = BR_LIMIT_SETTING;
        const double own = e->kind->wish ? e->kind->wish(f, e, &why) : INFINITY;
        if (own < wish) wish = own, f->limited_by = why;
    }
    f->h_next = fmin(wish, largest);
    if (f->again && f->h > 2.0 * f->h_smallest) {
        f->h_retry = fmin(0.5 * f->h, f->h_error);
        return AGAIN;
    }
    return STANDS;
}

// How far joints are open at the end of the step. The energy-decaying scheme's velocities agree with them by projection.
static void keep_worst(br_implicit *f) {
    br_ledger *l = &f->sim->ledger;
    for (int k = 0; k < f->elements; k++) {
        const br_element *e = &f->element[k];
        if (e->kind != &br_element_joint) continue;
        for (int r = 0; r < e->rows; r++) {
            l->loop_error = fmax(l->loop_error, fabs(f->open[e->row_rate - f->row_rate + r]));
            l->loop_velocity_error = fmax(l->loop_velocity_error, f->decaying ? 0.0 : fabs(e->row_rate[r]));
        }
    }
}

// Forces of the evaluation at hand become those of the start, and back.
static void swap_books(br_implicit *f) {
    for (int b = 0; b < BR_BOOKS; b++) {
        br_wrench *swap = f->book[b];
        f->book[b] = f->book_last[b], f->book_last[b] = swap;
    }
    br_wrench *swap = f->inertia;
    f->inertia = f->inertia_last, f->inertia_last = swap;
}

// Velocities of the end onto the rows. The books of the step are those of the scheme; the projection evaluates anew.
static br_status settle_velocities(br_implicit *f, br_error *error) {
    for (int k = 0, row = 0; k < f->elements; k++)
        for (int r = 0; r < f->element[k].rows; r++)
            f->open[row++] = f->residual[f->element[k].slot[f->element[k].slots - 1].at + r];
    f->taken = f->pushed = 0.0;
    f->energy_kept = f->energy_end;
    if (!f->decaying || f->row_count == 0) return BR_OK;
    const double carried = br_implicit_carried(f), carry_input = f->carry_input;
    swap_books(f);
    const br_status status = br_implicit_project(f, error);
    swap_books(f);
    if (status != BR_OK) return status;
    for (int i = 0; i < f->nodes; i++) f->node[i].turn = f->node[i].turn_step;
    br_implicit_energy(f, &f->energy_kept);
    f->taken = f->energy_end.kinetic - f->energy_kept.kinetic - carried;
    f->pushed = f->projected_input + carry_input;
    return BR_OK;
}

// A step that is too long for how the rows turn in it pays with energy, which a shorter one keeps. Twice as long it would pay about
// 32 times as much: then it does not grow again.
static int loses(br_implicit *f) {
    const double step = f->sim->model->settings.solver.step, lost = f->taken + f->pushed;
    const double most = BR_MOST_LOST * fmax(f->energy_scale, f->energy_end.kinetic);
    if (!f->decaying || f->row_count == 0) return 0;
    if (BR_LOST_BY_GROWTH * f->gross > most) f->h_next = fmin(f->h_next, f->h);
    return f->h > BR_SHORTEST_AGAINST_LOSS * step && lost > most;
}

static br_status accept(br_implicit *f, double t_next, int iterations) {
    br_sim *sim = f->sim;
    const br_energy before = sim->energy;
    f->defect = 0.0;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->accept) f->element[k].kind->accept(f, &f->element[k]);
    sim->energy = f->energy_kept;
    br_implicit_book(f, before, f->taken, f->pushed);
    if (f->decaying) br_implicit_carry_over(f);
    if (f->coarse_waves)
        br_sim_note_order(sim, 1, "rho_infinity damps beams: a wave passes an element within the step");
    f->coarse_waves = 0;
    keep_worst(f);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->du = br_vec3_scale(1.0 / f->h, br_vec3_sub(n->u1, n->u_kept));
        n->dw = br_vec3_scale(1.0 / f->h, br_vec3_sub(n->w1, n->w_kept));
    }
    br_implicit_shift(f);
    swap_books(f);
    sim->state.t = t_next;
    f->h_last = f->h;
    f->h_least = f->h_least > 0.0 ? fmin(f->h_least, f->h) : f->h, f->h_most = fmax(f->h_most, f->h);
    br_implicit_give_state(f);
    sim->ledger.steps++, sim->ledger.iterations += iterations;
    br_judge_step(sim);
    return BR_OK;
}

static void begin(br_implicit *f, double h, double t_next) {
    f->t0 = f->sim->state.t, f->t_end = t_next;
    br_implicit_scheme(f, h);
    f->t = f->decaying ? f->t0 + 0.5 * h : t_next;
    if (f->reads_state) {
        br_implicit_give_state(f);
        br_sim_variables(f->sim);
        memcpy(f->values_start, f->sim->values, (size_t)f->sim->model->variables * sizeof *f->values_start);
    }
    memcpy(f->lambda_last, f->lambda, (size_t)f->row_count * sizeof *f->lambda);
    memcpy(f->state_last, f->state, (size_t)f->state_count * sizeof *f->state);
    // Redundant rows: the smallest forces are found from none, not added to those of the last step.
    if (f->sim->redundant && !f->lenient) memset(f->lambda, 0, (size_t)f->row_count * sizeof *f->lambda);
    br_implicit_apply_carry(f);
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
    predict(f);
}

// A load, drive or constraint whose function has become no number.
static const char *no_number(br_implicit *f, const char **what) {
    const br_model *m = f->sim->model;
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++)
            if (m->load[i].component[k] && !isfinite(br_implicit_value(f, m->load[i].component[k])))
                return *what = "load", m->load[i].name;
    for (int i = 0; i < m->drives; i++)
        if (!isfinite(br_implicit_value(f, m->drive[i].target))) return *what = "drive", m->drive[i].name;
    return NULL;
}

static br_status fails(br_implicit *f, br_newton outcome, double h, br_error *error) {
    const br_model *m = f->sim->model;
    const char *what = "", *name = no_number(f, &what);
    if (name)
        return br_fail(error, BR_NUMERICAL, "not-finite",
                       "t = %.9g s: %s '%s' is not a finite number just after it", f->sim->state.t, what,
                       name);
    int worst = 0;
    for (int i = 1; i < f->nodes; i++)
        if (br_vec3_norm(f->node[i].u0) > br_vec3_norm(f->node[worst].u0)) worst = i;
    const int moves = f->nodes > 0 && br_vec3_norm(f->node[worst].u0) > 0.0;
    return br_fail(error, BR_NUMERICAL, "implicit-step",
                   "t = %.9g s: %s down to steps of %.3g s%s%s%s. The last step was limited by %s. Try a "
                   "smaller solver.step, "
                   "more damping%s",
                   f->sim->state.t,
                   outcome == BR_NEWTON_SINGULAR ? "the equations are singular"
                   : outcome == BR_NEWTON_DONE   ? "a step makes energy from nothing"
                                                 : "Newton's method does not converge",
                   h, moves ? "; fastest is '" : "", moves ? m->body[m->link_body[worst]].name : "",
                   moves ? "'" : "", limit_name(f->limited_by),
                   m->settings.solver.adaptive.on ? ", or a smaller solver.adaptive.smallest"
                                                  : ", or a larger solver.tol");
}

// Short steps end nearer to a singular position that lies ahead, where rows depend on each other and Newton's method finds
// nothing; longer ones end beyond it. After a few halvings some are tried.
static int leap(int failures, double base, double left, double *h) {
    static const double longer[] = {1.4, 1.9, 2.7, 5.0, 10.0};
    const int k = failures - BR_FAILURES_BEFORE_LEAPS, count = sizeof longer / sizeof *longer;
    if (k < 0 || k > count) return 0;
    if (k == count || base * longer[k] > left) { // back to where halving was
        *h = base / (1 << BR_FAILURES_BEFORE_LEAPS);
        return k < count;
    }
    *h = base * longer[k];
    return 1;
}

static br_status keep_error(const br_implicit *f, br_error *error) {
    if (error) *error = f->failed;
    return f->failed.status;
}

// One step towards t, not beyond it.
static br_status one_step(br_implicit *f, double t, br_error *error) {
    br_sim *sim = f->sim;
    if (f->failed.status != BR_OK && f->failed_at == sim->state.t && !sim->callback)
        return keep_error(f, error); // asked again, and nothing has changed
    const br_solver_settings *s = &sim->model->settings.solver;
    const double now = sim->state.t, left = t - now;
    double h = f->h_next;
    f->h_smallest =
        s->adaptive.on && s->adaptive.smallest > 0.0 ? s->adaptive.smallest : BR_SMALLEST_STEP * s->step;
    h = fmax(h, f->h_smallest);
    // Equal steps up to t rather than long ones and a short rest: accelerations of the last step are part of the next, and
    // like it best when its length stays.
    if (!s->adaptive.on || left < 2.0 * h) h = left / fmax(1.0, ceil(left / h - 1e-9));
    const double base = h;
    int failures = 0;
    for (f->lenient = 0;;) {
        const double t_next = h >= left ? t : now + h;
        int iterations = 0;
        begin(f, h, t_next);
        const br_newton outcome = br_implicit_solve(f, &iterations);
        f->h_grown = BR_STEP_GROWTH * h;
        verdict found = outcome == BR_NEWTON_DONE && !runs_away(f) ? judge(f) : FAILS;
        if (found == STANDS) {
            const br_status status = settle_velocities(f, error);
            if (status != BR_OK) return status;
            if (loses(f)) found = AGAIN, f->h_retry = 0.5 * h;
        }
        f->struggle = found != FAILS && h >= 0.1 * s->step ? 0 : f->struggle + (found == FAILS);
        if (found == STANDS) {
            return accept(f, t_next, iterations);
        }
        sim->ledger.iterations += iterations;
        f->rejected++;
        put_back(f);
        if (found == FAILS && sim->redundant && !f->lenient) {
            f->lenient = 1;
            continue;
        }
        if (found == FAILS && leap(++failures, base, left, &h)) continue;
        if (h <= f->h_smallest * (1.0 + 1e-9) || f->struggle > BR_MOST_FAILURES)
            return f->struggle = 0, f->failed_at = now, fails(f, outcome, h, &f->failed),
                   keep_error(f, error);
        h = fmax(found == AGAIN ? f->h_retry : 0.5 * h, f->h_smallest);
        f->lenient = 0;
    }
}

// --- the stepper -------------------------------------------------------------------------------------------

static br_status enter(br_implicit *f, br_error *error) {
    br_sim *sim = f->sim;
    if (f->outside == sim->outside + 1) return BR_OK;
    br_implicit_take_state(f);
    memset(f->state, 0, (size_t)f->state_count * sizeof *f->state);
    memset(f->impulse, 0, (size_t)f->row_count * sizeof *f->impulse);
    br_implicit_forget_carry(f);
    f->energy_scale = 0.0, f->struggle = 0, f->failed.status = BR_OK;
    f->h_next = sim->model->settings.solver.step, f->h_last = f->h_least = f->h_most = 0.0;
    const br_status status = br_implicit_start(f, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind == &br_element_friction) br_friction_tell(f, &f->element[k]);
    for (int b = 0; b < BR_BOOKS; b++)
        memcpy(f->book_last[b], f->book[b], (size_t)f->nodes * sizeof *f->book[b]);
    memset(f->inertia_last, 0, (size_t)f->nodes * sizeof *f->inertia_last);
    for (int b = 0; b < BR_BOOKS; b++) // at the start, inertia is the sum of all forces
        for (int i = 0; i < f->nodes; i++)
            f->inertia_last[i] = br_wrench_add(f->inertia_last[i], f->book[b][i]);
    br_implicit_energy(f, &sim->energy);
    br_ledger_start(sim);
    f->outside = sim->outside + 1;
    return BR_OK;
}

br_status br_implicit_ready(br_sim *sim, br_error *error) {
    const br_status status = sim->implicit ? BR_OK : br_implicit_create(sim, error);
    return status == BR_OK ? enter(sim->implicit, error) : status;
}

// After an equilibrium steps start anew, with whole loads.
static void leave_rest(br_implicit *f) {
    f->at_rest = 0, f->load_factor = 1.0, f->outside = 0;
}

br_status br_step_implicit(br_sim *sim, double t, br_error *error) {
    if (sim->implicit && sim->implicit->at_rest) leave_rest(sim->implicit);
    br_status status = br_implicit_ready(sim, error);
    while (status == BR_OK && sim->state.t < t) status = one_step(sim->implicit, t, error);
    if (sim->implicit) br_implicit_give_state(sim->implicit); // after a failure: of the last good step
    return status;
}

br_step_info br_sim_step_info(const br_sim *sim) {
    const br_implicit *f = sim->implicit;
    const double h = sim->model->settings.solver.step;
    if (!f || f->h_last == 0.0)
        return (br_step_info){h, INFINITY, INFINITY, INFINITY, h, h, limit_name(0), 0};
    return (br_step_info){
        f->h_last,  f->h_error, f->h_contact, f->h_friction, f->h_least, f->h_most, limit_name(f->limited_by),
        f->rejected};
}

// --- snapshots ---------------------------------------------------------------------------------------------

enum { HEAD_NUMBERS = 3, NODE_NUMBERS = 37 };

static void put3(double **to, br_vec3 v) {
    (*to)[0] = v.x, (*to)[1] = v.y, (*to)[2] = v.z;
    *to += 3;
}

static br_vec3 get3(const double **from) {
    const br_vec3 v = br_vec3_of((*from)[0], (*from)[1], (*from)[2]);
    *from += 3;
    return v;
}

size_t br_implicit_numbers(const br_sim *sim) {
    const br_implicit *f = sim->implicit;
    return HEAD_NUMBERS + (size_t)f->nodes * (NODE_NUMBERS + 6 * (BR_BOOKS + 1)) + 4 * (size_t)f->row_count +
           (size_t)f->state_count;
}

void br_implicit_save(const br_sim *sim, double *to) {
    const br_implicit *f = sim->implicit;
    *to++ = f->h_next, *to++ = f->h_last, *to++ = f->carry_input;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 part[] = {n->x0,    n->u_kept, n->w_kept, n->a0,      n->b0,     n->alpha0,
                                n->beta0, n->du,     n->dw,     n->u_carry, n->w_carry};
        for (size_t k = 0; k < sizeof part / sizeof *part; k++) put3(&to, part[k]);
        *to++ = n->q0.w, *to++ = n->q0.x, *to++ = n->q0.y, *to++ = n->q0.z;
        put3(&to, f->inertia_last[i].torque), put3(&to, f->inertia_last[i].force);
        for (int b = 0; b < BR_BOOKS; b++)
            put3(&to, f->book_last[b][i].torque), put3(&to, f->book_last[b][i].force);
    }
    memcpy(to, f->lambda, (size_t)f->row_count * sizeof *to);
    memcpy(to + f->row_count, f->impulse, (size_t)f->row_count * sizeof *to);
    memcpy(to + 2 * (size_t)f->row_count, f->carry_rate, (size_t)f->row_count * sizeof *to);
    memcpy(to + 3 * (size_t)f->row_count, f->carry_impulse, (size_t)f->row_count * sizeof *to);
    memcpy(to + 4 * (size_t)f->row_count, f->state, (size_t)f->state_count * sizeof *to);
}

int br_implicit_fits(const br_sim *sim, const double *from) {
    const br_implicit *f = sim->implicit;
    for (int i = 0; i < f->nodes; i++) {
        const double *q =
            from + HEAD_NUMBERS + (size_t)i * (NODE_NUMBERS + 6 * (BR_BOOKS + 1)) + NODE_NUMBERS - 4;
        if (!(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-6)) return 0;
    }
    return from[0] > 0.0 && from[1] >= 0.0;
}

void br_implicit_load(br_sim *sim, const double *from) {
    br_implicit *f = sim->implicit;
    f->h_next = *from++, f->h_last = *from++, f->carry_input = *from++;
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        br_vec3 *const part[] = {&n->x1,    &n->u1, &n->w1, &n->a1,      &n->b1,     &n->alpha1,
                                 &n->beta1, &n->du, &n->dw, &n->u_carry, &n->w_carry};
        for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = get3(&from);
        n->q1 = br_quat_of(from[0], from[1], from[2], from[3]), from += 4;
        n->R1 = br_quat_to_mat3(n->q1);
        f->inertia_last[i].torque = get3(&from), f->inertia_last[i].force = get3(&from);
        for (int b = 0; b < BR_BOOKS; b++)
            f->book_last[b][i].torque = get3(&from), f->book_last[b][i].force = get3(&from);
    }
    memcpy(f->lambda, from, (size_t)f->row_count * sizeof *from);
    memcpy(f->impulse, from + f->row_count, (size_t)f->row_count * sizeof *from);
    memcpy(f->carry_rate, from + 2 * (size_t)f->row_count, (size_t)f->row_count * sizeof *from);
    memcpy(f->carry_impulse, from + 3 * (size_t)f->row_count, (size_t)f->row_count * sizeof *from);
    memcpy(f->state, from + 4 * (size_t)f->row_count, (size_t)f->state_count * sizeof *from);
    br_implicit_shift(f);
    br_implicit_read_again(f);
    f->failed.status = BR_OK;
    f->outside = f->sim->outside + 1;
}
