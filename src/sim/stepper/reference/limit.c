// Joint limits in the reference stepper: located by root finding, hit without rebound, held as equalities until their
// force would pull.
//
//     off:   gap > 0           ends where the gap falls to zero
//     hit:   W p = u - J v over exact rows and limits that hold, p >= 0 for limits     (an impulse in the mass metric)
//     on:    the row's second rate is zero, force > 0       ends where the force falls to zero
//
// Motors with a largest effort are rows of the same kind, see motor.c:
//
//     off:   the largest effort, towards the velocity that it should hold        ends where that is reached
//     on:    the velocity is held, |force| < largest effort                      ends where the force reaches it
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/rows/accelerate.h"
#include "sim/rows/group.h"
#include "sim/stepper/reference/reference.h"

#define BR_EPS_GAP 1e-9           // of the scale (length, or 1 rad): a limit this near is reached
#define BR_EPS_MARGIN 1e-12       // of the scale: a gap that begins at zero begins this far above its root
#define BR_EPS_CONTRADICTION 1e-6 // of the speeds before a hit: what rows that can be met leave is far less
#define BR_EPS_REBOUND 1e-9       // of the speeds: impulses that change velocities by less are rounding

br_status br_reference_limits_create(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    for (int g = 0; g < sim->groups; g++) r->limits += sim->group[g].bound == BR_BOUND_LOWER;
    for (int g = 0; g < sim->groups; g++) r->motors += br_reference_is_motor(&sim->group[g]);
    r->limits += r->motors;
    if (r->limits == 0) return BR_OK;
    br_system *s = &r->held;
    s->group = BR_TAKE(&sim->arena, br_group *, sim->exact.groups + r->limits);
    s->first = BR_TAKE(&sim->arena, int, sim->exact.groups + r->limits);
    r->limit = BR_TAKE(&sim->arena, br_group *, r->limits);
    r->on = BR_TAKE(&sim->arena, int, r->limits);
    r->was_on = BR_TAKE(&sim->arena, int, r->limits);
    r->was_back = BR_TAKE(&sim->arena, double, r->limits);
    r->margin = BR_TAKE(&sim->arena, double, r->limits);
    if (!s->group || !s->first || !r->limit || !r->on || !r->was_on || !r->was_back || !r->margin)
        return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for joint limits");
    for (int g = 0; g < sim->exact.groups; g++) s->group[s->groups++] = sim->exact.group[g];
    int count = 0;
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].bound == BR_BOUND_LOWER || br_reference_is_motor(&sim->group[g]))
            s->group[s->groups++] = r->limit[count++] = &sim->group[g];
    const br_status status = br_system_create(sim, s, error);
    if (status != BR_OK) return status;
    // The exact rows come first, and what is known about them holds here too.
    s->dependent = sim->exact.dependent;
    memcpy(s->least, sim->exact.least, (size_t)sim->exact.rows * sizeof *s->least);
    return BR_OK;
}

// Length for translations, 1 rad for rotations.
static double scale_of(const br_reference *r, const br_group *g) {
    const br_coordinate c = g->coordinates[0];
    return r->sim->model->joint[c.joint].kind->angles >> c.k & 1u ? 1.0 : r->sim->length_scale;
}

// What is left of the force of a row that is on, until it is let go.
static double in_reserve(const br_group *g, double force) {
    return br_reference_is_motor(g) ? g->limit - fabs(force) : force;
}

// What a row that is off waits for: a gap, or a velocity that is yet to be reached. It is met where this falls to zero.
static double distance_of(br_sim *sim, br_group *g) {
    if (!br_reference_is_motor(g)) return br_limit_gap(sim, g);
    return copysign(1.0, sim->held_back[g->element]) * br_reference_motor_lacks(sim, g);
}

// Gaps of limits that are off, forces of those that are on. All are watched for falling through zero.
int br_reference_roots(double t, N_Vector y_vector, realtype *roots, void *reference) {
    br_reference *r = reference;
    br_sim *sim = r->sim;
    const double *y = N_VGetArrayPointer(y_vector), *v = y + r->nq;
    memcpy(r->q, y, (size_t)r->nq * sizeof *y);
    if (r->states + r->bristles > 0) br_reference_friction_take(r, y);
    br_tree_normalize(&sim->model->tree, r->q);
    if (r->active > 0) {
        if (br_reference_solve(r, t, r->q, v, &r->cause) != BR_OK) return 1;
    } else {
        br_tree_position(&sim->model->tree, r->q, &sim->work);
        sim->at = 0;
        sim->q_eval = r->q;
    }
    if (r->motors > 0) {
        br_tree_velocity(&sim->model->tree, r->q, v, &sim->work);
        sim->v_eval = v, sim->t_eval = t < r->stop ? t : nextafter(r->stop, -INFINITY);
        br_sim_variables(sim);
    }
    for (int i = 0; i < r->limits; i++)
        roots[i] = r->on[i] ? in_reserve(r->limit[i], r->limit[i]->force[0])
                            : distance_of(sim, r->limit[i]) + r->margin[i];
    return 0;
}

// --- hitting -----------------------------------------------------------------------------------------------

static double largest_speed(const br_sim *sim) {
    double largest = 0.0;
    for (int k = 0; k < sim->model->tree.nv; k++) largest = fmax(largest, fabs(sim->state.v[k]));
    return largest;
}

// Rows and factor at the simulation's state, with the limits that are on; u - J v into rhs; its largest.
static br_status prepare(br_reference *r, double *largest, br_error *error) {
    br_sim *sim = r->sim;
    br_system *s = &r->held;
    int bad = 0;
    br_sim_refresh(sim, 2);
    sim->t_eval = sim->state.at->t, sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->h = 0.0;
    br_sim_variables(sim);
    br_reference_fill(r, s);
    for (int g = 0; g < sim->exact.groups; g++)
        if (s->group[g]->kind->target) s->group[g]->kind->target(sim, s->group[g]);
    if (br_tree_articulate(&sim->model->tree, sim->model->tree.armature, &sim->work, &bad) != BR_OK)
        return br_sim_no_inertia(sim, bad, error);
    if (br_system_factor(sim, s) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->state.at->t);
    *largest = 0.0;
    for (int g = 0; g < s->groups; g++)
        for (int i = 0; i < s->group[g]->rows; i++) {
            double *e = &s->rhs[s->first[g] + i];
            *e = s->group[g]->u[i];
            for (int k = 0; k < s->group[g]->entries; k++)
                *e -= br_twist_dot(sim->work.motion[s->group[g]->link[k]].V,
                                   s->group[g]->F[i * s->group[g]->entries + k]);
            for (int k = 0; k < s->group[g]->dofs; k++)
                *e -= s->group[g]->coefficient[i * s->group[g]->dofs + k] * sim->state.v[s->group[g]->dof[k]];
            *largest = fmax(*largest, fabs(*e));
        }
    return BR_OK;
}

static void switch_off(br_reference *r, int i, double force) {
    r->on[i] = 0;
    r->active--;
    if (br_reference_is_motor(r->limit[i])) br_reference_motor_give_up(r, i, force);
}

// The limit whose force, times its own W, is the lowest; -1 when none is below `least`. impulses: motors are not asked, which have none.
static int worst_pull(const br_reference *r, const double *force, int impulses, double least) {
    int worst = -1;
    for (int i = 0; i < r->limits; i++) {
        const br_group *g = r->limit[i];
        const int row = r->held.first[r->sim->exact.groups + i];
        if (!r->on[i] || (impulses && br_reference_is_motor(g))) continue;
        const double size = r->held.scale[row], change = in_reserve(g, force[row]) / (size * size);
        if (change < least) least = change, worst = i;
    }
    return worst;
}

static void announce(br_reference *r, double least) {
    br_sim *sim = r->sim;
    for (int i = 0; i < r->limits; i++) {
        const int row = r->held.first[sim->exact.groups + i];
        const double size = r->held.scale[row];
        if (!r->on[i] || br_reference_is_motor(r->limit[i]) || !(r->force[row] / (size * size) > least) ||
            !sim->event)
            continue;
        br_event event = {.t = sim->state.at->t, .kind = BR_EVENT_LIMIT, .value = r->force[row]};
        snprintf(event.name, sizeof event.name, "%s", br_group_name(sim, r->limit[i]));
        sim->event(sim->event_context, &event);
    }
}

// Impulses of the limits that are on; those that would pull are let go.
static br_status strike(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    br_system *s = &r->held;
    const double speed = largest_speed(sim) + 1e-9, least = BR_EPS_REBOUND * speed;
    double mismatch = 0.0;
    br_status status = BR_OK;
    for (;;) {
        status = prepare(r, &mismatch, error);
        if (status != BR_OK) return status;
        br_system_solve(sim, s, s->rhs, r->force, r->dv);
        const int pulls = worst_pull(r, r->force, 1, -least);
        if (pulls < 0) break;
        switch_off(r, pulls, 0.0);
    }
    if (mismatch <= least) return BR_OK;
    announce(r, least);
    br_tree_respond(&sim->model->tree, &sim->work, r->dv, r->dv, sim->V);
    for (int k = 0; k < r->nv; k++) sim->state.v[k] += r->dv[k];
    sim->at = 1;
    status = prepare(r, &mismatch, error);
    if (status == BR_OK && mismatch > BR_EPS_CONTRADICTION * speed)
        return br_fail(error, BR_NUMERICAL, "limit-contradicts",
                       "t = %.9g s: a joint is at its limit and a prescribed motion or a loop drives it on: "
                       "%.3g (m/s or "
                       "rad/s) is left over",
                       sim->state.at->t, mismatch);
    return status;
}

// Limits that would have to pull to hold are let go, and motors that would have to give more than they can.
static br_status release(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    const double stop = r->stop;
    int taken_back = 0;
    while (r->active > 0 || r->motors > 0) {
        r->stop = INFINITY; // of the instant, to the right of a knot
        const br_status status = br_reference_solve(r, sim->state.at->t, sim->state.q, sim->state.v, error);
        const int overtakes = status == BR_OK && r->motors > 0 ? br_reference_motor_overtakes(r) : -1;
        r->stop = stop;
        if (status != BR_OK) return status;
        const int pulls = worst_pull(r, r->held.force, 0, 1e-14 * (largest_speed(sim) + 1e-9));
        if (pulls >= 0) {
            switch_off(r, pulls, r->held.force[r->held.first[sim->exact.groups + pulls]]);
        } else if (overtakes >= 0 && taken_back++ < r->motors) {
            r->on[overtakes] = 1;
            r->active++;
            br_reference_motors_keep(r);
        } else {
            break;
        }
    }
    return BR_OK;
}

br_status br_reference_settle(br_reference *r, br_error *error) {
    br_sim *sim = r->sim;
    if (r->limits == 0) return BR_OK;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_reference_motors_off(r);
    r->active = 0;
    for (int i = 0; i < r->limits; i++) {
        const br_coordinate c = r->limit[i]->coordinates[0];
        if (br_reference_is_motor(r->limit[i])) continue;
        const double gap = br_limit_gap(sim, r->limit[i]);
        const double rate = r->limit[i]->side * br_coordinate_velocity(sim, c.joint, c.k);
        r->on[i] =
            gap <= BR_EPS_GAP * scale_of(r, r->limit[i]) && rate <= BR_EPS_REBOUND * largest_speed(sim);
        r->active += r->on[i];
    }
    br_status status = r->active > 0 ? strike(r, error) : BR_OK;
    if (status == BR_OK && r->motors > 0) {
        br_reference_motors_take(r);
        if (r->active > 0) status = strike(r, error); // what is as good as reached, to the last digit
    }
    if (status == BR_OK) status = release(r, error);
    br_sim_refresh(sim, r->motors > 0 ? 2 : 1);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    for (int i = 0; i < r->limits; i++) {
        const double gap = distance_of(sim, r->limit[i]), scale = scale_of(r, r->limit[i]);
        r->margin[i] = fmax(0.0, BR_EPS_MARGIN * scale - gap);
    }
    return status;
}
