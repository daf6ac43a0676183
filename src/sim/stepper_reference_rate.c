// The right-hand side of the reference stepper.
//
//     qdot = rate(q, v) + a P(-phi)          P(r) = M^-1 J^T W^-1 r
//     vdot = acceleration(t, q, v) + a P(u - J v)
//
// The exact acceleration keeps phi and u - J v at zero but does not pull them back: errors of the integration would
// add up. The terms with `a` vanish where loops are closed, so they change no solution, and make the closed loops
// attractive [Ascher, Chin, Reich 1994]. They cost two solves with the factor at hand, work with every method, and
// spare the restarts that projecting a multistep method's state needs.
#include <string.h>

#include "base/finite.h"
#include "sim/groups.h"
#include "sim/stepper_reference.h"

#define BR_MAX_POWER_ITERATIONS 6

br_system *br_reference_system(br_reference *r) {
    return r->active > 0 ? &r->held : &r->sim->exact;
}

// Limits that are off become rows of nothing: force zero, coupled to nobody.
void br_reference_fill(br_reference *r, br_system *s) {
    br_sim *sim = r->sim;
    br_sim_fill(sim, s);
    if (s == &sim->exact) return;
    for (int i = 0; i < r->limits; i++) {
        br_group *g = r->limit[i];
        g->u[0] = 0.0;
        g->compliance[0] = r->on[i] ? 0.0 : 1.0;
        g->gamma[0] = 0.0;
        if (r->on[i]) {
            double sign;
            br_limit_gap(sim, g, &sign);
            g->gamma[0] = sign * br_coordinate_gamma(sim, g->coordinates[0]);
        } else {
            br_group_clear(g);
            g->phi[0] = 0.0;
        }
    }
}

br_status br_reference_solve(br_reference *r, double t, const double *q, const double *v, br_error *error) {
    br_sim *sim = r->sim;
    const br_tree *tree = &sim->model->tree;
    br_tree_position(tree, q, &sim->work);
    br_tree_velocity(tree, q, v, &sim->work);
    sim->at = 0;
    sim->h = 0.0, sim->theta = 1.0;
    // A table's rate jumps at its knots: up to the stop everything is taken from the left.
    sim->t_eval = t < r->stop ? t : nextafter(r->stop, -INFINITY);
    sim->q_eval = q, sim->v_eval = sim->v_start = v;
    br_forces(sim);
    if (sim->has_wrench) br_forces_springs(sim);
    br_forces_bounded(sim);
    br_system *s = br_reference_system(r);
    br_reference_fill(r, s);
    return br_sim_solve(sim, s, 1, error);
}

// Motors and servos with a largest effort are plain forces here, which the ledger's rows do not see.
static double servo_power(const br_sim *sim) {
    const br_model *m = sim->model;
    double power = 0.0;
    for (int i = 0; i < m->drives; i++) {
        const br_model_drive *d = &m->drive[i];
        if (d->type == BR_DRIVE_SERVO && (isfinite(d->max_effort) || m->joint[d->joint].link < 0))
            power += sim->drive_effort[i] * br_coordinate_velocity(sim, d->joint, d->coordinate);
    }
    return power;
}

static void respond(br_reference *r, br_system *s) {
    br_sim *sim = r->sim;
    br_system_solve(sim, s, s->rhs, r->force, r->dv);
    br_tree_respond(&sim->model->tree, &sim->work, r->dv, r->dv, sim->V);
    for (int k = 0; k < r->nv; k++) r->dv[k] *= r->attraction;
}

// rhs := -phi, or u - J v.
static void mismatch(br_sim *sim, br_system *s, const double *v, int of_velocity) {
    if (of_velocity) br_tree_twists(&sim->model->tree, &sim->work, v, sim->V);
    for (int g = 0; g < s->groups; g++) {
        const br_group *group = s->group[g];
        const int has_phi = group->has_position || group->bound == BR_BOUND_LOWER;
        for (int i = 0; i < group->rows; i++)
            s->rhs[s->first[g] + i] = of_velocity ? group->u[i] - br_group_velocity(group, i, sim->V, v)
                                      : has_phi   ? -group->phi[i]
                                                  : 0.0;
    }
}

// q_raw: as integrated, so that a quaternion's rate is linear in it. qdot and vdot are added to.
static int close_loops(br_reference *r, const double *q_raw, const double *v, double *qdot, double *vdot) {
    br_sim *sim = r->sim;
    br_system *s = br_reference_system(r);
    if (s->groups == 0 || !(r->attraction > 0.0)) return 0;
    if (sim->model->settings.coordinates == BR_ABSOLUTE && s == &sim->exact && br_system_factor(sim, s) != BR_OK)
        return 1;
    mismatch(sim, s, v, 0);
    respond(r, s);
    br_tree_rate(&sim->model->tree, q_raw, r->dv, r->q);
    for (int k = 0; k < r->nq; k++) qdot[k] += r->q[k];
    mismatch(sim, s, v, 1);
    respond(r, s);
    for (int k = 0; k < r->nv; k++) vdot[k] += r->dv[k];
    return 0;
}

int br_reference_rate(double t, N_Vector y_vector, N_Vector ydot_vector, void *reference) {
    br_reference *r = reference;
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(y_vector), *v = y + r->nq;
    double *ydot = N_VGetArrayPointer(ydot_vector);
    const int n = r->nq + r->nv + 2;
    if (!br_all_finite(n, y)) return 1;
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    br_tree_normalize(&sim->model->tree, r->q);
    if (br_reference_solve(r, t, r->q, v, &r->cause) != BR_OK) return 1;
    br_tree_rate(&sim->model->tree, y, v, ydot);
    memcpy(ydot + r->nq, sim->vdot, (size_t)r->nv * sizeof *ydot);
    ydot[n - 2] = ydot[n - 1] = 0.0;
    if (r->has_power || sim->callback) {
        const br_powers p = br_sim_powers(sim, v);
        ydot[n - 2] = p.input + servo_power(sim);
        ydot[n - 1] = p.damping;
    }
    if (close_loops(r, y, v, ydot, ydot + r->nq)) return 1;
    return br_all_finite(n, ydot) ? 0 : 1;
}

// --- stiffness ---------------------------------------------------------------------------------------------

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

// Power iteration on d(vdot)/dv by differences. The start has a part along every velocity, none equal: no symmetry of
// the model hides a direction.
double br_reference_damping_rate(br_reference *r) {
    br_sim *sim = r->sim;
    const int nv = r->nv;
    const double *y = N_VGetArrayPointer(r->y), *v = y + r->nq;
    double *base = N_VGetArrayPointer(r->scratch), *w = base + nv, *moved = sim->v_mid;
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    br_tree_normalize(&sim->model->tree, r->q);
    if (br_reference_solve(r, r->t, r->q, v, &r->cause) != BR_OK) return 0.0;
    memcpy(base, sim->vdot, (size_t)nv * sizeof *base);
    const double step = 1e-6 * (1.0 + norm(v, nv));
    double rate = 0.0, size = 0.0;
    for (int k = 0; k < nv; k++) w[k] = 1.0 + 0.37 * sin(1.0 + k);
    size = norm(w, nv);
    for (int i = 0; i < BR_MAX_POWER_ITERATIONS && size > 0.0; i++) {
        for (int k = 0; k < nv; k++) moved[k] = v[k] + step * (w[k] /= size);
        if (br_reference_solve(r, r->t, r->q, moved, &r->cause) != BR_OK) return 0.0;
        for (int k = 0; k < nv; k++) w[k] = (sim->vdot[k] - base[k]) / step;
        rate = size = norm(w, nv);
        if (!isfinite(rate)) return 0.0;
    }
    return rate;
}
