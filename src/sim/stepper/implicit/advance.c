// The implicit stepper: how long a step is, whether it stands, what is kept of it. See implicit.h.
//
// A step that Newton's method does not finish is halved, with or without `adaptive`; steps grow again by at most a factor
// of two. With `adaptive`, three rules ask for the next step: the local error, the nearness of contact
// [BauchauJu2006 eqs. 19-20] and the time constant of the friction [eq. 33]; the smallest wish is taken.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "sim/core/control.h"
#include "sim/core/ledger.h"
#include "sim/friction/friction.h"
#include "sim/rows/order.h"
#include "sim/stepper/implicit/element_bounded.h"
#include "sim/stepper/implicit/touching_solve.h"

#define BR_STEP_GROWTH 2.0
#define BR_FAILURES_BEFORE_LEAPS 3
#define BR_LEAST_ENERGY 1e-9 // J, that a step may make from nothing
#define BR_MOST_FAILURES 500 // of Newton's method without a step of a tenth of solver.step in between
#define BR_STEP_SAFETY 0.9
#define BR_SMALLEST_STEP 1e-6  // of solver.step
#define BR_MOST_LOST 1e-5      // of the energy at play, by the projection of velocities in one step
#define BR_LEAST_LOST 4e-21    // J, what a molecule has of warmth: of a mechanism that rests less is rounding
#define BR_LOST_BY_GROWTH 32.0 // of what it takes now, in a step twice as long
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
        const br_vec3 a = f->decaying ? n->start->du : n->start->a,
                      alpha = f->decaying ? n->start->dw : n->start->alpha;
        const br_vec3 turn = br_vec3_add(br_vec3_scale(h, n->w0), br_vec3_scale(0.5 * h * h, alpha));
        n->x1 = br_vec3_add(n->start->x, br_vec3_add(br_vec3_scale(h, n->u0), br_vec3_scale(0.5 * h * h, a)));
        n->q1 = br_quat_normalize(br_quat_mul(n->start->q, br_quat_exp(turn)));
    }
}

// What the try cost stays counted.
static void put_back(br_implicit *f) {
    br_ledger *l = f->sim->ledger;
    const long iterations = l->iterations, evaluations = l->evaluations;
    br_state_put_back(&f->sim->block);
    l->iterations = iterations, l->evaluations = evaluations;
    br_implicit_back_to_start(f);
}

// Largest change of acceleration over the step, as a move: the local error of Newmark's formulas up to their constant.
static double local_error(const br_implicit *f) {
    const double h = f->h, constant = f->decaying ? 1.0 / 12.0 : fabs(f->beta - 1.0 / 6.0);
    double worst = 0.0;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 da = f->decaying
                               ? br_vec3_sub(br_vec3_scale(1.0 / h, br_vec3_sub(n->u1, n->u0)), n->start->du)
                               : br_vec3_sub(n->a1, n->start->a);
        const br_vec3 dalpha =
            f->decaying ? br_vec3_sub(br_vec3_scale(1.0 / h, br_vec3_sub(n->w1, n->w0)), n->start->dw)
                        : br_vec3_sub(n->alpha1, n->start->alpha);
        worst = fmax(worst, fmax(br_vec3_max_abs(da), f->length * br_vec3_max_abs(dalpha)));
    }
    return constant * h * h * worst / f->length;
}

typedef enum verdict { STANDS, AGAIN, FAILS } verdict;

// Steps that have made more energy than the mechanism had at the start and was given since are none, whatever Newton's method
// says of them: steps far too long for a spin or a stiffness end like that. The scale keeps rounding out of it.
static int runs_away(br_implicit *f) {
    const br_ledger *l = f->sim->ledger;
    br_implicit_energy(f, &f->energy_end);
    const br_energy now = f->energy_end;
    const double given = br_implicit_given(f),
                 had = l->start.kinetic + l->start.elastic + f->sim->state.at->work_done + fabs(given);
    const double stored = f->sim->energy->kinetic + f->sim->energy->elastic;
    f->control->energy_scale =
        fmax(f->control->energy_scale, fmin(stored, had + fabs(now.potential - l->start.potential)));
    return !(now.total - l->start.total - l->input - given <=
             had + 0.5 * f->control->energy_scale + BR_LEAST_ENERGY);
}

// What the rules wish for next, and whether the step stands.
static verdict judge(br_implicit *f) {
    const br_adaptive_settings *s = &f->sim->model->settings.solver.adaptive;
    const double largest = f->sim->model->settings.solver.step;
    double wish = f->h_grown;
    f->control->limited_by = f->h_grown < largest ? BR_LIMIT_NEWTON : BR_LIMIT_SETTING;
    f->control->h_error = f->control->h_contact = f->control->h_friction = INFINITY;
    f->again = 0;
    if (!s->on) {
        f->control->h_next = fmin(wish, largest);
        return STANDS;
    }
    if (s->tolerance > 0.0) {
        const double error = local_error(f) / s->tolerance;
        f->control->h_error = error > 0.0 ? BR_STEP_SAFETY * f->h / br_cbrt(error) : INFINITY;
        if (error > 2.0) f->again = 1;
        if (f->control->h_error < wish) wish = f->control->h_error, f->control->limited_by = BR_LIMIT_ERROR;
    }
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        int why = BR_LIMIT_SETTING;
        const double own = e->kind->wish ? e->kind->wish(f, e, &why) : INFINITY;
        if (own < wish) wish = own, f->control->limited_by = why;
    }
    f->control->h_next = fmin(wish, largest);
    if (f->again && f->h > 2.0 * f->h_smallest) {
        f->h_retry = fmin(0.5 * f->h, f->control->h_error);
        return AGAIN;
    }
    return STANDS;
}

// How far joints are open at the end of the step. The energy-decaying scheme's velocities agree with them by projection.
static void keep_worst(br_implicit *f) {
    br_ledger *l = f->sim->ledger;
    for (int k = 0; k < f->elements; k++) {
        const br_element *e = &f->element[k];
        if (!(e->kind->is & BR_ELEMENT_CLOSES)) continue;
        for (int r = 0; r < e->rows; r++) {
            l->loop_error = fmax(l->loop_error, fabs(f->open[e->row_rate - f->row_rate + r]));
            l->loop_velocity_error = fmax(l->loop_velocity_error, f->decaying ? 0.0 : fabs(e->row_rate[r]));
        }
    }
}

// Forces of the evaluation at hand are kept out of another one's way, and taken back.
static void swap_books(br_implicit *f) {
    for (int b = 0; b < BR_BOOKS; b++) {
        br_wrench *swap = f->book[b];
        f->book[b] = f->book_aside[b], f->book_aside[b] = swap;
    }
    br_wrench *swap = f->inertia;
    f->inertia = f->inertia_aside, f->inertia_aside = swap;
}

// Forces of the evaluation at hand become those of the start.
static void keep_books(br_implicit *f) {
    for (int b = 0; b < BR_BOOKS; b++)
        memcpy(br_book_last(f, b), f->book[b], (size_t)f->nodes * sizeof *f->book[b]);
    memcpy(f->inertia_last, f->inertia, (size_t)f->nodes * sizeof *f->inertia);
}

// Velocities of the end onto the rows. The books of the step are those of the scheme; the projection evaluates anew.
static br_status settle_velocities(br_implicit *f, br_error *error) {
    for (int k = 0, row = 0; k < f->elements; k++)
        for (int r = 0; r < f->element[k].rows; r++)
            f->open[row++] = f->residual[f->element[k].slot[f->element[k].slots - 1].at + r];
    f->taken = f->pushed = f->struck = 0.0;
    f->energy_kept = f->energy_end;
    if (!f->decaying || f->row_count == 0) return BR_OK;
    const double carried = br_implicit_carried(f), carry_input = f->control->carry_input;
    swap_books(f);
    const br_status status = br_implicit_project(f, error);
    swap_books(f);
    if (status != BR_OK) return status;
    for (int i = 0; i < f->nodes; i++) f->node[i].turn = f->node[i].turn_step;
    br_implicit_energy(f, &f->energy_kept);
    f->taken = f->energy_end.kinetic - f->energy_kept.kinetic - carried - f->struck;
    f->pushed = f->projected_input + carry_input;
    return BR_OK;
}

// A step that is too long for how the rows turn in it pays with energy, which a shorter one keeps. Twice as long it would pay about
// 32 times as much: then it does not grow again.
static int loses(br_implicit *f) {
    const double step = f->sim->model->settings.solver.step, lost = f->taken + f->pushed;
    const double most =
        fmax(BR_LEAST_LOST, BR_MOST_LOST * fmax(f->control->energy_scale, f->energy_end.kinetic));
    if (!f->decaying || f->row_count == 0) return 0;
    if (BR_LOST_BY_GROWTH * f->gross > most) f->control->h_next = fmin(f->control->h_next, f->h);
    return f->h > BR_SHORTEST_AGAINST_LOSS * step && lost > most;
}

static br_status accept(br_implicit *f, double t_next, int iterations) {
    br_sim *sim = f->sim;
    const br_energy before = *sim->energy;
    f->defect = 0.0, f->impact = f->struck, f->jumped = NULL;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->accept) f->element[k].kind->accept(f, &f->element[k]);
    *sim->energy = f->energy_kept;
    if (f->touching) {
        br_touching_finish(f);
        sim->energy->elastic += f->touching->stored, sim->energy->total += f->touching->stored;
    }
    br_implicit_book(f, before, f->taken, f->pushed);
    if (f->decaying) br_implicit_carry_over(f);
    if (f->coarse_waves)
        br_sim_note_order(sim, 1, "rho_infinity damps beams: a wave passes an element within the step");
    f->coarse_waves = 0;
    if (f->jumped) br_sim_note_order(sim, 1, f->jumped);
    keep_worst(f);
    // A blow is no acceleration that goes on.
    const int strikes = f->touching && br_touching_lands(f);
    for (int i = 0; i < f->nodes && !strikes; i++) {
        br_node *n = &f->node[i];
        n->start->du = br_vec3_scale(1.0 / f->h, br_vec3_sub(n->u1, n->start->u));
        n->start->dw = br_vec3_scale(1.0 / f->h, br_vec3_sub(n->w1, n->start->w));
    }
    br_implicit_shift(f);
    keep_books(f);
    sim->state.at->t = t_next;
    f->control->h_last = f->h;
    f->control->h_least = f->control->h_least > 0.0 ? fmin(f->control->h_least, f->h) : f->h,
    f->control->h_most = fmax(f->control->h_most, f->h);
    br_implicit_give_state(f);
    f->telling = 1;
    br_bounded_tell(f);
    f->telling = 0;
    if (f->touching) br_touching_keep(f);
    sim->ledger->steps++, sim->ledger->iterations += iterations;
    br_judge_step(sim);
    return BR_OK;
}

static void begin(br_implicit *f, double h, double t_next) {
    f->t0 = f->sim->state.at->t, f->t_end = t_next;
    br_implicit_scheme(f, h);
    f->t = f->decaying ? f->t0 + 0.5 * h : t_next;
    if (f->reads_state) {
        br_implicit_give_state(f);
        br_sim_variables(f->sim);
        memcpy(f->values_start, f->sim->values, (size_t)f->sim->model->variables * sizeof *f->values_start);
    }
    br_state_remember(&f->sim->block);
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
        if (!isfinite(br_implicit_value(f, br_drive_target(f->sim, i))))
            return *what = "drive", m->drive[i].name;
    return NULL;
}

// A prescribed motion drives a shape into another: no force is against it.
static int contradicts(const br_implicit *f, br_error *error) {
    char name[BR_MAX_CONTACT_NAME];
    double inwards;
    const int k = br_touching_culprit(f, &inwards);
    if (k < 0) return 0;
    br_touch_name(f->sim, &f->sim->contacts->touch[k], name, sizeof name);
    br_fail(error, BR_NUMERICAL, "contact-infeasible",
            "t = %.9g s: contacts and prescribed motions contradict each other: %s is entered at %.3g m/s "
            "whatever "
            "the forces. Does a drive push a body into another?",
            f->sim->state.at->t, name, inwards);
    return 1;
}

static br_status fails(br_implicit *f, br_newton outcome, double h, br_error *error) {
    const br_model *m = f->sim->model;
    const char *what = "", *name = no_number(f, &what);
    if (name)
        return br_fail(error, BR_NUMERICAL, "not-finite",
                       "t = %.9g s: %s '%s' is not a finite number just after it", f->sim->state.at->t, what,
                       name);
    if (f->touching && f->touching->unsolved && contradicts(f, error)) return BR_NUMERICAL;
    int worst = 0;
    for (int i = 1; i < f->nodes; i++)
        if (br_vec3_norm(f->node[i].u0) > br_vec3_norm(f->node[worst].u0)) worst = i;
    const int moves = f->nodes > 0 && br_vec3_norm(f->node[worst].u0) > 0.0;
    return br_fail(error, BR_NUMERICAL, "implicit-step",
                   "t = %.9g s: %s down to steps of %.3g s%s%s%s. The last step was limited by %s. Try a "
                   "smaller solver.step, "
                   "more damping%s",
                   f->sim->state.at->t,
                   outcome == BR_NEWTON_SINGULAR          ? "the equations are singular"
                   : outcome == BR_NEWTON_DONE            ? "a step makes energy from nothing"
                   : f->touching && f->touching->unsolved ? "no forces of the contacts agree with their laws"
                                                          : "Newton's method does not converge",
                   h, moves ? "; fastest is '" : "", moves ? m->body[m->link_body[worst]].name : "",
                   moves ? "'" : "", limit_name(f->control->limited_by),
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
    if (f->failed.status != BR_OK && f->failed_at == sim->state.at->t && !sim->callback)
        return keep_error(f, error); // asked again, and nothing has changed
    const br_solver_settings *s = &sim->model->settings.solver;
    const double now = sim->state.at->t, left = t - now;
    double h = f->control->h_next;
    f->h_smallest =
        s->adaptive.on && s->adaptive.smallest > 0.0 ? s->adaptive.smallest : BR_SMALLEST_STEP * s->step;
    h = fmax(h, f->h_smallest);
    // Equal steps up to t rather than long ones and a short rest: accelerations of the last step are part of the next, and
    // like it best when its length stays.
    if (!s->adaptive.on || left < 2.0 * h) h = left / fmax(1.0, ceil(left / h - 1e-9));
    const double base = h;
    int failures = 0;
    if (f->touching) f->touching->wedged = 0;
    for (f->lenient = 0;;) {
        const double t_next = h >= left ? t : now + h;
        int iterations = 0;
        begin(f, h, t_next);
        if (f->touching) {
            double shorter = 0.0;
            const br_status status = br_touching_begin(f, &shorter, error);
            if (status != BR_OK) return put_back(f), status;
            if (shorter > 0.0) {
                put_back(f);
                h = shorter;
                continue;
            }
        }
        const br_newton outcome = br_implicit_solve(f, &iterations);
        if (f->touching && f->touching->no_memory)
            return put_back(f), br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for contacts");
        if (f->touching && outcome != BR_NEWTON_SINGULAR && br_touching_jams(f)) {
            put_back(f);
            continue;
        }
        f->h_grown = BR_STEP_GROWTH * h;
        verdict found = outcome == BR_NEWTON_DONE && !runs_away(f) ? judge(f) : FAILS;
        if (found == STANDS) {
            const br_status status = settle_velocities(f, error);
            if (status != BR_OK) return status;
            if (loses(f)) found = AGAIN, f->h_retry = 0.5 * h;
        }
        f->control->struggle =
            found != FAILS && h >= 0.1 * s->step ? 0 : f->control->struggle + (found == FAILS);
        if (found == STANDS) {
            return accept(f, t_next, iterations);
        }
        sim->ledger->iterations += iterations;
        f->control->rejected++;
        put_back(f);
        if (found == FAILS && sim->redundant && !f->lenient) {
            f->lenient = 1;
            continue;
        }
        if (found == FAILS && leap(++failures, base, left, &h)) continue;
        if (h <= f->h_smallest * (1.0 + 1e-9) || f->control->struggle > BR_MOST_FAILURES)
            return f->control->struggle = 0, f->failed_at = now, fails(f, outcome, h, &f->failed),
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
    f->control->energy_scale = 0.0, f->control->struggle = 0, f->failed.status = BR_OK;
    f->control->h_next = sim->model->settings.solver.step,
    f->control->h_last = f->control->h_least = f->control->h_most = 0.0;
    const br_status status = br_implicit_start(f, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->tell) f->element[k].kind->tell(f, &f->element[k]);
    for (int b = 0; b < BR_BOOKS; b++)
        memcpy(br_book_last(f, b), f->book[b], (size_t)f->nodes * sizeof *f->book[b]);
    memset(f->inertia_last, 0, (size_t)f->nodes * sizeof *f->inertia_last);
    for (int b = 0; b < BR_BOOKS; b++) // at the start, inertia is the sum of all forces
        for (int i = 0; i < f->nodes; i++)
            f->inertia_last[i] = br_wrench_add(f->inertia_last[i], f->book[b][i]);
    br_implicit_energy(f, sim->energy);
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
    while (status == BR_OK && sim->state.at->t < t) status = one_step(sim->implicit, t, error);
    if (sim->implicit) br_implicit_give_state(sim->implicit); // after a failure: of the last good step
    return status;
}

br_step_info br_sim_step_info(const br_sim *sim) {
    const br_implicit *f = sim->implicit;
    const double h = sim->model->settings.solver.step;
    if (!f || f->control->h_last == 0.0)
        return (br_step_info){h, INFINITY, INFINITY, INFINITY, h, h, limit_name(0), 0};
    return (br_step_info){f->control->h_last,
                          f->control->h_error,
                          f->control->h_contact,
                          f->control->h_friction,
                          f->control->h_least,
                          f->control->h_most,
                          limit_name(f->control->limited_by),
                          (long)f->control->rejected};
}

// --- another state -----------------------------------------------------------------------------------------

void br_implicit_forget(br_sim *sim) {
    br_implicit *f = sim->implicit;
    if (!f) return;
    if (f->control->h_last > 0.0) br_implicit_scheme(f, f->control->h_last);
    br_implicit_back_to_start(f);
    br_implicit_read_again(f);
    f->failed.status = BR_OK;
    f->outside = f->sim->outside + 1;
}
