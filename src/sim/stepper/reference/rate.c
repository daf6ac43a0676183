// The right-hand side of the reference stepper, evaluated where the loops are closed.
//
//     (q_P, v_P) = nearest closed state to the integrator's (q, v), in the metric of the mass matrix
//     qdot = rate(q, v_P) + a (q_P - q)
//     vdot = acceleration(t, q_P, v_P) + a (v_P - v)
//
// On closed states this is the motion itself. Off them the plain acceleration would keep every error of phi and its
// rate for good, and near a singular position magnify it without bound (an error of phi there is an error of position
// divided by the smallest singular value of J). The projected form never sees such errors, so it passes singular
// positions; the terms with `a` keep (q, v) from wandering off [Ascher, Chin, Reich 1994]. It works with every
// multistep method and needs none of the restarts that moving the integrator's own state would.
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "math/elementary.h"
#include "sim/core/instant.h"
#include "sim/core/ledger.h"
#include "sim/friction/dense.h"
#include "sim/friction/friction.h"
#include "sim/rows/accelerate.h"
#include "sim/rows/group.h"
#include "sim/stepper/reference/contact.h"
#include "tree/spatial.h"

#define BR_MAX_POWER_ITERATIONS 6
#define BR_OVERDAMPED                                                                                        \
    10.0 // damping rate over frequency, squared, from which on a motion creeps and does not swing
#define BR_PROJECTIONS 2 // a fixed number: where to stop by looking would be seen by the error control
#define BR_MAX_INVERSE_ITERATIONS 3
#define BR_EPS_SINGULAR 1e-8 // eigenvalue of the scaled W below which accelerations are mostly rounding

br_system *br_reference_system(br_reference *r) {
    return r->active > 0 ? &r->held : &r->sim->exact;
}

// Limits that are off become rows of nothing: force zero, coupled to nobody. A system without limits leaves the forces of
// theirs as they were, and the ledger would book them.
void br_reference_fill(br_reference *r, br_system *s) {
    br_sim *sim = r->sim;
    br_sim_fill(sim, s);
    if (s == &sim->exact) {
        for (int i = 0; i < r->limits; i++) r->limit[i]->force[0] = 0.0;
        return;
    }
    for (int i = 0; i < r->limits; i++) {
        br_group *g = r->limit[i];
        g->u[0] = 0.0;
        g->compliance[0] = r->on[i] ? 0.0 : 1.0;
        g->gamma[0] = 0.0;
        if (r->on[i] && br_reference_is_motor(g)) {
            g->kind->target(sim, g);
            g->gamma[0] = br_reference_motor_gamma(sim, g);
        } else if (r->on[i]) {
            g->gamma[0] = g->side * br_coordinate_gamma(sim, g->coordinates[0]);
        } else {
            br_group_clear(g);
            g->phi[0] = 0.0;
        }
    }
}

// Positions into work and a system's rows there, with the time as the functions shall see it.
static void look(br_reference *r, double t, const double *q, const double *v) {
    br_sim *sim = r->sim;
    br_tree_position(&sim->model->tree, q, &sim->work);
    sim->at = 0;
    sim->h = 0.0, sim->theta = 1.0;
    // A table's rate jumps at its knots: up to the stop everything is taken from the left.
    sim->t_eval = t < r->stop ? t : nextafter(r->stop, -INFINITY);
    sim->q_eval = q, sim->v_eval = sim->v_start = v;
}

static int has_holds(const br_reference *r) {
    return r->contact && r->contact->count > 0;
}

// What an evaluation costs, in multiplications: sweeps over the tree, rows of loops and contacts against the velocities, and the dense
// factorizations of those of contacts and of the balance of joint friction, whose masses are blocks of single bodies.
static double evaluation_work(const br_reference *r) {
    const br_sim *sim = r->sim;
    const double links = sim->model->tree.links, loops = sim->exact.rows,
                 touching = r->contact ? 3.0 * r->contact->count : 0.0,
                 balance = sim->frictions && sim->dense ? sim->dense->balance.columns : 0.0;
    return 1e3 * links + (loops + touching) * (loops + touching) * r->nv +
           10.0 * touching * touching * touching + balance * balance * (6.0 * links + balance);
}

void br_reference_evaluate(br_reference *r, double t, const double *q, const double *v) {
    br_sim *sim = r->sim;
    r->work += evaluation_work(r);
    if (has_holds(r)) br_holds_rates(r, q, v);
    look(r, t, q, v);
    br_tree_velocity(&sim->model->tree, q, v, &sim->work);
    if (has_holds(r)) {
        br_tree_twists(&sim->model->tree, &sim->work, v, sim->V);
        br_holds_look(r, sim->V);
    }
    br_forces(sim);
    if (sim->has_wrench) br_forces_springs(sim);
    br_forces_bounded(sim);
    if (has_holds(r)) br_holds_add_compliant(r);
    br_reference_fill(r, br_reference_system(r));
}

br_status br_reference_solve_free(br_reference *r, double t, const double *q, const double *v,
                                  br_error *error) {
    br_sim *sim = r->sim;
    br_system *s = br_reference_system(r);
    br_reference_evaluate(r, t, q, v);
    br_status status =
        sim->frictions && !r->without_friction ? br_reference_friction_forces(r, error) : BR_OK;
    if (status == BR_OK) status = br_sim_solve(sim, s, 1, error);
    if (status != BR_OK || !has_holds(r)) return status;
    memcpy(r->contact->vdot_free, sim->vdot, (size_t)r->nv * sizeof *sim->vdot);
    // The absolute form has no factor of these rows, and what contacts do to them is asked of it.
    if (s->groups > 0 && sim->model->settings.coordinates == BR_ABSOLUTE && br_system_factor(sim, s) != BR_OK)
        status = br_fail(error, BR_NUMERICAL, "rows-singular",
                         "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    return status;
}

br_status br_reference_solve(br_reference *r, double t, const double *q, const double *v, br_error *error) {
    const br_status status = br_reference_solve_free(r, t, q, v, error);
    if (status != BR_OK || !has_holds(r)) return status;
    br_holds_forces(r);
    r->sim->ledger->evaluations--; // the same instant once more, its contact forces now known
    return br_sim_solve(r->sim, br_reference_system(r), 0, error);
}

// --- the nearest closed state ------------------------------------------------------------------------------

// rhs := -phi; its largest.
static double open_by(br_system *s) {
    double largest = 0.0;
    for (int g = 0; g < s->groups; g++) {
        const br_group *group = s->group[g];
        const int has_phi = group->has_position || group->bound == BR_BOUND_LOWER;
        for (int i = 0; i < group->rows; i++) {
            s->rhs[s->first[g] + i] = has_phi ? -group->phi[i] : 0.0;
            if (has_phi) largest = fmax(largest, fabs(group->phi[i]));
        }
    }
    return largest;
}

// rhs := u - J v; its largest.
static double slipping_by(br_sim *sim, br_system *s, const double *v) {
    double largest = 0.0;
    br_tree_twists(&sim->model->tree, &sim->work, v, sim->V);
    for (int g = 0; g < s->groups; g++)
        for (int i = 0; i < s->group[g]->rows; i++) {
            const double e = s->group[g]->u[i] - br_group_velocity(s->group[g], i, sim->V, v);
            s->rhs[s->first[g] + i] = e;
            largest = fmax(largest, fabs(e));
        }
    return largest;
}

// dv := M^-1 J^T W^-1 rhs, with the factor at hand.
static void respond(br_reference *r, br_system *s) {
    br_system_solve(r->sim, s, s->rhs, r->force, r->dv);
    br_tree_respond(&r->sim->model->tree, &r->sim->work, r->dv, r->dv, r->sim->V);
}

static br_status factor_here(br_reference *r, br_system *s, br_error *error) {
    br_sim *sim = r->sim;
    int bad = 0;
    if (br_tree_articulate(&sim->model->tree, sim->model->tree.armature, &sim->work, &bad) != BR_OK)
        return br_sim_no_inertia(sim, bad, error);
    if (br_system_factor(sim, s) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    return BR_OK;
}

// Smallest eigenvalue of the scaled W by inverse iteration from where the last one ended, with a little of everything:
// the weak combination of a singular position appears within one step. A row may also vanish by itself, which its
// scaling hides: so each is compared with the largest that it has been. Of dependent rows that all stay only the latter can
// be seen.
static void find_weakest(br_reference *r, br_system *s) {
    r->weakest = 1.0;
    if (s != &r->sim->exact) return;
    double size = 1.0;
    for (int k = 0; k < s->rows; k++) r->weak[k] += 0.1 * br_sin(1.0 + k * k) / sqrt(s->rows);
    for (int i = 0; i < BR_MAX_INVERSE_ITERATIONS && !(s->dependent && !s->usually_idle); i++) {
        double sum = 0.0;
        for (int k = 0; k < s->rows; k++) sum += r->weak[k] * r->weak[k];
        size = sqrt(sum);
        for (int k = 0; k < s->rows; k++) r->weak[k] = size > 0.0 && isfinite(size) ? r->weak[k] / size : 0.0;
        if (i > 0) r->weakest = 1.0 / size;
        if (i + 1 < BR_MAX_INVERSE_ITERATIONS) br_block_solve(s->factor, r->weak);
    }
    for (int k = 0; k < s->rows; k++) {
        if (s->idle[k]) continue;
        const double w = 1.0 / (s->scale[k] * s->scale[k]);
        r->row_size[k] = fmax(r->row_size[k], w);
        r->weakest = fmin(r->weakest, w / r->row_size[k]);
    }
}

// --- of contacts

static void look_at_holds(br_reference *r) {
    br_sim *sim = r->sim;
    br_tree_twists(&sim->model->tree, &sim->work, r->v, sim->V);
    br_holds_look(r, sim->V);
}

static void factor_holds(br_reference *r) {
    br_reference_contact *c = r->contact;
    look_at_holds(r);
    br_holds_rows(r, BR_ROWS_CLOSED);
    br_pinv_factor(&c->pinv, c->rows, c->W);
}

br_status br_reference_factor(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_system *s = br_reference_system(r);
    sim->t_eval = sim->state.at->t, sim->q_eval = sim->state.q, sim->v_eval = sim->v_start = sim->state.v,
    sim->h = 0.0;
    br_reference_fill(r, s);
    return factor_here(r, s, error);
}

// --- both

static void project_positions(br_reference *r, br_system *s) {
    const br_tree *tree = &r->sim->model->tree;
    for (int k = 0; k < BR_PROJECTIONS; k++) {
        if (open_by(s) > 0.0) {
            respond(r, s);
            br_tree_advance(tree, r->q, r->dv, 1.0, r->q);
            br_tree_position(tree, r->q, &r->sim->work);
            br_reference_fill(r, s);
        } else if (!has_holds(r)) {
            break;
        }
        if (!has_holds(r)) continue;
        look_at_holds(r);
        br_holds_correct_position(r, r->dv);
        br_tree_advance(tree, r->q, r->dv, 1.0, r->q);
        br_tree_position(tree, r->q, &r->sim->work);
        br_reference_fill(r, s);
    }
    if (has_holds(r)) look_at_holds(r);
}

static void project_velocities(br_reference *r, br_system *s) {
    br_sim *sim = r->sim;
    for (int k = 0; k < BR_PROJECTIONS; k++) {
        if (s->groups > 0 && slipping_by(sim, s, r->v) > 0.0) {
            respond(r, s);
            for (int i = 0; i < r->nv; i++) r->v[i] += r->dv[i];
        } else if (!has_holds(r)) {
            break;
        }
        if (!has_holds(r)) continue;
        br_holds_correct_velocity(r, r->v, r->dv);
        for (int i = 0; i < r->nv; i++) r->v[i] += r->dv[i];
    }
}

// r->q and r->v to the nearest closed state. One factor serves all iterations: the integrator's state is off by about
// its tolerance, and each iteration squares that. It goes on to the last digit, since near a singular position what is
// left of phi is divided by a small number.
br_status br_reference_project(br_reference *r, double t, br_error *error) {
    br_sim *sim = r->sim;
    const br_tree *tree = &sim->model->tree;
    br_system *s = br_reference_system(r);
    if (s->groups == 0 && !has_holds(r)) return BR_OK;
    look(r, t, r->q, r->v);
    if (sim->jets) br_tree_velocity(tree, r->q, r->v, &sim->work), br_sim_variables(sim);
    br_reference_fill(r, s);
    const br_status status = factor_here(r, s, error);
    if (status != BR_OK) return status;
    if (has_holds(r)) factor_holds(r);
    r->weakest = 1.0;
    if (s->groups > 0) find_weakest(r, s);
    if (r->shy && r->weakest < BR_EPS_SINGULAR)
        return br_fail(error, BR_NUMERICAL, "position-singular",
                       "t = %.9g s: the mechanism is in a singular position, from which it could move on in "
                       "several ways",
                       sim->t_eval);
    project_positions(r, s);
    br_tree_velocity(tree, r->q, r->v, &sim->work);
    if (sim->jets) br_sim_variables(sim);
    for (int g = 0; g < sim->exact.groups; g++)
        if (s->group[g]->kind->target) s->group[g]->kind->target(sim, s->group[g]);
    project_velocities(r, s);
    return BR_OK;
}

// Motors and servos with a largest effort are plain forces here, which the ledger's rows do not see.
static double servo_power(const br_sim *sim) {
    const br_model *m = sim->model;
    double power = 0.0;
    for (int i = 0; i < m->drives; i++) {
        const br_model_drive *d = &m->drive[i];
        if (sim->held_back[i] != 0.0)
            power += sim->held_back[i] * br_coordinate_velocity(sim, d->joint, d->coordinate);
        if (d->type == BR_DRIVE_SERVO && (isfinite(d->max_effort) || m->joint[d->joint].link < 0))
            power += sim->drive_effort[i] * br_coordinate_velocity(sim, d->joint, d->coordinate);
    }
    return power;
}

// The smallest inertia of a joint's velocities, of the last articulation. Of a lone body it is its own, and never vanishes.
static double resistance(const br_sim *sim, int link) {
    const int nv = sim->model->tree.link[link].kind->nv;
    const double *D = sim->work.D + sim->work.D_at[link];
    if (nv == 0 || sim->work.lone[link]) return INFINITY;
    if (nv == 1) return 1.0 / D[0];
    double least = INFINITY;
    for (int a = 0; a < nv; a++) least = fmin(least, D[nv * a + a] * D[nv * a + a]);
    return least;
}

static void note_resistance(br_reference *r) {
    for (int i = 0; i < r->sim->model->tree.links; i++) {
        const double now = resistance(r->sim, i);
        if (isfinite(now)) r->resisted[i] = fmax(r->resisted[i], now);
    }
}

int br_reference_least_resisted(const br_reference *r, double *part) {
    int least = -1;
    *part = 1.0;
    for (int i = 0; i < r->sim->model->tree.links; i++) {
        const double now = resistance(r->sim, i) / r->resisted[i];
        if (now < *part) *part = now, least = i;
    }
    return least;
}

int br_reference_rate(double t, N_Vector y_vector, N_Vector ydot_vector, void *reference) {
    br_reference *r = reference;
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(y_vector), *v = y + r->nq;
    double *ydot = N_VGetArrayPointer(ydot_vector);
    const int n = r->n, books = r->nq + r->nv;
    if (r->work > r->most_work) return -1;
    if (!br_all_finite(n, y)) return 1;
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    memcpy(r->v, v, (size_t)r->nv * sizeof *v);
    br_tree_normalize(&sim->model->tree, r->q);
    br_reference_friction_take(r, y);
    memcpy(r->q_before, r->q, (size_t)r->nq * sizeof *y);
    if (br_reference_project(r, t, &r->cause) != BR_OK ||
        br_reference_solve(r, t, r->q, r->v, &r->cause) != BR_OK)
        return 1;
    r->factored = 1;
    note_resistance(r);
    br_tree_rate(&sim->model->tree, y, r->v, ydot);
    for (int k = 0; k < r->nq; k++) ydot[k] += r->attraction * (r->q[k] - r->q_before[k]);
    for (int k = 0; k < r->nv; k++) ydot[r->nq + k] = sim->vdot[k] + r->attraction * (r->v[k] - v[k]);
    for (int k = books; k < n; k++) ydot[k] = 0.0;
    if (r->has_power || sim->callback) {
        const br_powers p = br_sim_powers(sim, r->v);
        ydot[books + BR_INTEGRAL_INPUT] = p.input + servo_power(sim);
        ydot[books + BR_INTEGRAL_DAMPING] = p.damping;
    }
    if (has_holds(r)) {
        ydot[books + BR_INTEGRAL_DAMPING] += r->contact->damping_power;
        ydot[books + BR_INTEGRAL_FRICTION] = r->contact->friction_power;
        br_bristles_rates(r, ydot);
        br_plays_rates(r, ydot + books + r->books + r->states - br_play_states(sim));
    }
    if (sim->frictions) br_reference_friction_rates(r, ydot);
    return br_all_finite(n, ydot) ? 0 : 1;
}

// --- stiffness ---------------------------------------------------------------------------------------------

// a^T M b, at the positions in work.
static double mass_product(const br_reference *r, const double *a, const double *b) {
    br_sim *sim = r->sim;
    const br_tree *tree = &sim->model->tree;
    double sum = 0.0;
    br_tree_twists(tree, &sim->work, a, sim->V);
    br_tree_twists(tree, &sim->work, b, sim->V_start);
    for (int i = 0; i < tree->links; i++)
        sum += br_twist_dot(sim->V_start[i], br_rigid_momentum(tree->link[i].mass, sim->work.moment[i],
                                                               &sim->work.inertia[i], sim->V[i]));
    for (int k = 0; k < tree->nv; k++) sum += tree->armature[k] * a[k] * b[k];
    return sum;
}

// out := (vdot(q, v + step w) - base)/step
static br_status derivative(br_reference *r, const double *base, const double *w, double step, double *out) {
    br_sim *sim = r->sim;
    const double *v = N_VGetArrayPointer(r->y) + r->nq;
    for (int k = 0; k < r->nv; k++) sim->v_mid[k] = v[k] + step * w[k];
    const br_status status = br_reference_solve(r, r->t, r->q, sim->v_mid, &r->cause);
    for (int k = 0; k < r->nv; k++) out[k] = (sim->vdot[k] - base[k]) / step;
    return status;
}

// The direction in which velocities change accelerations most, by power iteration on d(vdot)/dv; of it what dissipates,
// since gyroscopic terms do no work. Zero when a spring makes it oscillate: such a motion is to be followed.
double br_reference_damping_rate(br_reference *r) {
    br_sim *sim = r->sim;
    const int nv = r->nv;
    const double *y = N_VGetArrayPointer(r->y), *v = y + r->nq;
    double *base = N_VGetArrayPointer(r->scratch), *w = base + nv, *change = r->error;
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    br_tree_normalize(&sim->model->tree, r->q);
    if (br_reference_solve(r, r->t, r->q, v, &r->cause) != BR_OK) return 0.0;
    memcpy(base, sim->vdot, (size_t)nv * sizeof *base);
    // The start has a part along every velocity, none equal: no symmetry of the model hides a direction.
    for (int k = 0; k < nv; k++) w[k] = 1.0 + 0.37 * br_sin(1.0 + k);
    double rate = 0.0;
    for (int i = 0; i < BR_MAX_POWER_ITERATIONS; i++) {
        const double size = sqrt(mass_product(r, w, w)), scale = sqrt(mass_product(r, v, v));
        if (!(size > 0.0)) return 0.0;
        for (int k = 0; k < nv; k++) w[k] /= size;
        if (derivative(r, base, w, 1e-6 * (1.0 + scale), change) != BR_OK || !br_all_finite(nv, change))
            return 0.0;
        rate = -mass_product(r, w, change);
        if (i + 1 < BR_MAX_POWER_ITERATIONS) memcpy(w, change, (size_t)nv * sizeof *w);
    }
    if (!(rate > 0.0)) return 0.0;
    const double step = 1e-6 / rate;
    br_tree_advance(&sim->model->tree, r->q, w, step, r->q);
    if (br_reference_solve(r, r->t, r->q, v, &r->cause) != BR_OK) return 0.0;
    for (int k = 0; k < nv; k++) change[k] = (sim->vdot[k] - base[k]) / step;
    const double spring = fabs(mass_product(r, w, change)); // frequency squared
    return rate * rate > BR_OVERDAMPED * spring ? rate : 0.0;
}
