// Closing loops: position and velocity projection in the metric of the mass matrix, and the assembly of a model.
//
//     position:  W lambda = -phi,      q <- q + M^-1 J^T lambda
//     velocity:  W lambda = u - J v,   v <- v + M^-1 J^T lambda
//
// Within a step the factor of the step's own W serves (a chord iteration: its error falls by a factor of order h each
// time); when that is not enough, and in assembly, W is made anew at each iterate.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/sim.h"

#define BR_EPS_NO_VELOCITY 1e-12 // m/s or rad/s: rounding of a mechanism at rest
#define BR_EPS_CONTRADICTION                                                                                 \
    1e-7 // of the velocity scale: more left over, and the velocities contradict each other
#define BR_MIN_NEWTON_STEP 1e-3 // fraction of a Newton step below which it does not help
#define BR_EPS_POSITION                                                                                      \
    (24.0 * DBL_EPSILON)      // of the mechanism's extent: a loop this well closed is closed to rounding
#define BR_EPS_VELOCITY 1e-12 // of the velocity scale
#define BR_MAX_CHORD 4
#define BR_MAX_NEWTON 60
#define BR_EPS_ASSEMBLED                                                                                     \
    1e-10                    // of the length scale: what iterations that stopped improving must have reached
#define BR_EPS_SINGULAR 1e-5 // same, at a singular position: the loops close again once it is passed

double br_loop_error(const br_sim *sim) {
    double largest = 0.0;
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        for (int r = 0; group->has_position && r < group->rows; r++)
            largest = fmax(largest, fabs(group->phi[r]));
    }
    return largest;
}

static const br_group *worst_group(const br_sim *sim) {
    const br_group *worst = sim->exact.groups > 0 ? sim->exact.group[0] : NULL;
    double largest = -1.0;
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        for (int r = 0; group->has_position && r < group->rows; r++)
            if (fabs(group->phi[r]) > largest) largest = fabs(group->phi[r]), worst = group;
    }
    return worst;
}

void br_sim_fill(br_sim *sim, br_system *s) {
    for (int g = 0; g < s->groups; g++) s->group[g]->kind->fill(sim, s->group[g]);
}

// Positions of q into work, and the exact rows there.
static void look(br_sim *sim, const double *q) {
    br_tree_position(&sim->model->tree, q, &sim->work);
    sim->at = q == sim->state.q ? 1 : 0;
    sim->q_eval = q, sim->v_eval = sim->state.v;
    br_sim_variables(sim); // rows may have coefficients that are functions of positions
    br_sim_fill(sim, &sim->exact);
}

static void move(br_sim *sim, double *q, double factor) {
    br_system *s = &sim->exact;
    for (int g = 0; g < s->groups; g++)
        for (int r = 0; r < s->group[g]->rows; r++)
            s->rhs[s->first[g] + r] = s->group[g]->has_position ? -factor * s->group[g]->phi[r] : 0.0;
    br_system_solve_once(sim, s, s->rhs, s->force, sim->eta);
    br_tree_respond(&sim->model->tree, &sim->work, sim->eta, sim->eta, sim->V);
    br_tree_advance(&sim->model->tree, q, sim->eta, 1.0, q);
}

// New factors at the present positions, without implicit terms.
br_status br_project_renew(br_sim *sim, br_error *error) {
    int bad = 0;
    if (br_tree_articulate(&sim->model->tree, sim->model->tree.armature, &sim->work, &bad) != BR_OK)
        return br_sim_no_inertia(sim, bad, error);
    if (sim->exact.groups > 0 && br_system_factor(sim, &sim->exact) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    return BR_OK;
}

static br_status cannot_close(const br_sim *sim, double error_now, br_error *error) {
    const br_group *worst = worst_group(sim);
    return br_fail(error, BR_NUMERICAL, "loop-open",
                   "t = %.9g s: the loops cannot be closed: '%s' stays open by %.3g (m or rad). Do its "
                   "bodies reach each "
                   "other, and do the drives allow it?",
                   sim->state.t, worst ? br_group_name(sim, worst) : "?", error_now);
}

static int closed(const br_sim *sim, double error_now) {
    const int passing = sim->exact.damped && !sim->redundant && !sim->exact.sharp;
    return error_now <= (passing ? BR_EPS_SINGULAR : BR_EPS_ASSEMBLED) * sim->length_scale;
}

// Newton with a step length: loops far from closed overshoot otherwise.
static br_status newton(br_sim *sim, double *q, int *iterations, br_error *error) {
    const int nq = sim->model->tree.nq;
    const double target = BR_EPS_POSITION * sim->extent;
    double before = br_loop_error(sim), factor = 1.0;
    for (int k = 0; k < BR_MAX_NEWTON; k++) {
        if (before <= target) return BR_OK;
        br_status status = br_project_renew(sim, error);
        if (status != BR_OK) return status;
        memcpy(sim->q_try, q, (size_t)nq * sizeof(double));
        double now = INFINITY;
        for (factor = 1.0; factor > BR_MIN_NEWTON_STEP; factor *= 0.5) {
            move(sim, q, factor);
            if (br_all_finite(nq, q)) {
                look(sim, q);
                now = br_loop_error(sim);
                if (now < (1.0 - 0.1 * factor) * before) break;
            }
            memcpy(q, sim->q_try, (size_t)nq * sizeof(double));
            look(sim, q); // the rows again; their sweeps were not touched
        }
        (*iterations)++;
        if (!(now < before)) return closed(sim, before) ? BR_OK : cannot_close(sim, before, error);
        before = now;
    }
    return closed(sim, before) ? BR_OK : cannot_close(sim, before, error);
}

br_status br_project_position(br_sim *sim, double *q, int renewed, br_error *error) {
    const int nq = sim->model->tree.nq;
    look(sim, q);
    if (sim->exact.groups == 0) return BR_OK;
    if (renewed) {
        const br_status status = br_project_renew(sim, error);
        if (status != BR_OK) return status;
        // Still at the singular position: the loops are closed once it is passed.
        if (sim->passing && sim->exact.damped && closed(sim, br_loop_error(sim))) return BR_OK;
    }
    const double target = BR_EPS_POSITION * sim->extent;
    double now = br_loop_error(sim), last = INFINITY;
    for (int k = 0; k < BR_MAX_CHORD && now > target; k++) {
        if (!(now < 0.3 * last) || !isfinite(now)) break;
        last = now;
        move(sim, q, 1.0);
        if (!br_all_finite(nq, q)) break;
        look(sim, q);
        now = br_loop_error(sim);
        sim->ledger.iterations++;
    }
    if (closed(sim, now)) return BR_OK;
    if (!br_all_finite(nq, q)) return cannot_close(sim, now, error);
    int iterations = 0;
    const br_status status = newton(sim, q, &iterations, error);
    sim->ledger.iterations += iterations;
    return status;
}

// u - J v into rhs, v being the velocities whose twists are in work; the largest, and the largest speed for scale.
static double velocity_error(br_sim *sim, const double *v, double *scale) {
    br_system *s = &sim->exact;
    double largest = 0.0;
    *scale = 0.0;
    for (int i = 0; i < sim->model->tree.links; i++)
        *scale = fmax(*scale, fmax(br_vec3_max_abs(sim->work.motion[i].V.linear),
                                   sim->length_scale * br_vec3_max_abs(sim->work.motion[i].V.angular)));
    for (int g = 0; g < s->groups; g++) {
        br_group *group = s->group[g];
        for (int r = 0; r < group->rows; r++) {
            const double sum = br_group_rate(sim, group, r, v);
            s->rhs[s->first[g] + r] = group->u[r] - sum;
            largest = fmax(largest, fabs(group->u[r] - sum));
            *scale = fmax(*scale, fabs(group->u[r]));
        }
    }
    return largest;
}

double br_loop_velocity_error(br_sim *sim) {
    double scale;
    return sim->exact.groups > 0 ? velocity_error(sim, sim->state.v, &scale) : 0.0;
}

// u of the rows at the positions and velocities in work.
static void targets(br_sim *sim) {
    br_sim_variables(sim);
    for (int g = 0; g < sim->exact.groups; g++)
        if (sim->exact.group[g]->kind->target) sim->exact.group[g]->kind->target(sim, sim->exact.group[g]);
}

// Velocities that no motion of the mechanism has: contradictory drives.
static br_status check_velocities(const br_sim *sim, double left, double scale, br_error *error) {
    if (left <= fmax(BR_EPS_CONTRADICTION * scale, BR_EPS_NO_VELOCITY)) return BR_OK;
    return br_fail(
        error, BR_NUMERICAL, "velocities-contradict",
        "t = %.9g s: drives and loops ask for velocities that contradict each other: %.3g (m/s or rad/s) is "
        "left over",
        sim->state.t, left);
}

br_status br_project_velocity(br_sim *sim, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    br_sim_refresh(sim, 2);
    if (sim->exact.groups == 0) return BR_OK;
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    targets(sim);
    double scale, now = velocity_error(sim, sim->state.v, &scale), last = INFINITY;
    int renewed = 0;
    for (int k = 0; k < 3 * BR_MAX_CHORD && now > BR_EPS_VELOCITY * scale; k++) {
        if (!(now < 0.3 * last)) {
            if (renewed || sim->exact.damped)
                break; // dependent rows that cannot all be met to the last digit
            const br_status status = br_project_renew(sim, error);
            if (status != BR_OK) return status;
            renewed = 1, last = INFINITY;
        } else {
            last = now;
        }
        br_system_solve_once(sim, &sim->exact, sim->exact.rhs, sim->exact.force, sim->eta);
        br_tree_respond(tree, &sim->work, sim->eta, sim->eta, sim->V);
        for (int i = 0; i < tree->nv; i++) sim->state.v[i] += sim->eta[i];
        sim->at = 1;
        br_sim_refresh(sim, 2);
        now = velocity_error(sim, sim->state.v, &scale);
    }
    sim->velocity_left = now;
    if (!br_all_finite(tree->nv, sim->state.v))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a velocity is not a finite number",
                       sim->state.t);
    // At a singular position velocities need not agree at once; dependent rows agree, or contradict each other for good.
    return sim->redundant ? check_velocities(sim, now, scale, error) : BR_OK;
}

// One correction of the velocities v, whose twists and rows are in work: for dependent rows, which contradict each other
// unless v agrees with all of them.
void br_correct_velocity(br_sim *sim, double *v) {
    double scale;
    targets(sim);
    velocity_error(sim, v, &scale);
    br_system_solve_once(sim, &sim->exact, sim->exact.rhs, sim->exact.force, sim->eta);
    br_tree_respond(&sim->model->tree, &sim->work, sim->eta, sim->eta, sim->V);
    for (int i = 0; i < sim->model->tree.nv; i++) v[i] += sim->eta[i];
}

br_status br_sim_assemble(br_sim *sim, br_error *error) {
    br_assembly *a = &sim->assembly;
    memset(a, 0, sizeof *a);
    sim->t_eval = sim->state.t, sim->h = 0.0, sim->theta = 1.0;
    look(sim, sim->state.q);
    if (sim->exact.groups == 0) {
        br_sim_refresh(sim, 2);
        return BR_OK;
    }
    a->loop_error_before = br_loop_error(sim);
    const br_group *worst = worst_group(sim);
    if (worst) snprintf(a->worst, sizeof a->worst, "%s", br_group_name(sim, worst));
    br_status status = newton(sim, sim->state.q, &a->iterations, error);
    if (status == BR_OK) status = br_project_renew(sim, error);
    if (status != BR_OK) return status;
    a->loop_error = br_loop_error(sim);
    a->moved = a->loop_error_before > BR_EPS_ASSEMBLED * sim->length_scale;
    br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    targets(sim);
    double scale;
    a->velocity_error_before = velocity_error(sim, sim->state.v, &scale);
    a->velocities_changed = a->velocity_error_before > BR_EPS_ASSEMBLED * scale;
    status = br_project_velocity(sim, error);
    if (status != BR_OK) return status;
    const double left = velocity_error(sim, sim->state.v, &scale);
    return check_velocities(sim, left, scale, error);
}
