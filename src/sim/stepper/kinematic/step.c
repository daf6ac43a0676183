// The `kinematic` stepper: positions from drives and loops alone, forces from the motion.
//
// When the exact rows leave nothing free, q follows from phi(q, t) = 0, v from J v = u, and the accelerations from
// J vdot = gamma whatever the forces are; br_sim_joint_reaction then reads what joints and drives must exert. Drives and
// constraints of velocities have no phi: along them q is integrated, by the fourth-order Runge-Kutta rule on v(q, t).
//
// A step is done in two halves, which give the ledger its integrals of power by Simpson's rule.
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/core/control.h"
#include "sim/core/instant.h"
#include "sim/core/ledger.h"
#include "sim/core/sim.h"
#include "sim/rows/freedom.h"
#include "sim/stepper/kinematic/step.h"

#define BR_EPS_PAST_LIMIT 1e-9 // rad, or of the length scale: beyond a limit by more than this
#define BR_EPS_SHORTEST 1e-6   // of solver.step: a step shorter than this is a jump
#define BR_MAX_TURN                                                                                          \
    0.2 // rad, or length scales, that a joint may move in one internal step: Newton's method stays near
#define BR_MAX_HALVINGS 30
#define BR_EPS_CONTRADICTION 1e-7 // of the speeds

// Joints that can still move, by the null space of the rows.
static br_status refuse_freedom(br_sim *sim, br_error *error) {
    br_freedom freedom;
    br_status status = br_sim_freedom(sim, &freedom, error);
    if (status != BR_OK) return status;
    const br_model *m = sim->model;
    char names[200] = "";
    const int nv = m->tree.nv;
    for (int j = 0; j < m->joints && freedom.count > 0; j++) {
        double part = 0.0;
        for (int k = 0; m->joint[j].link >= 0 && k < m->joint[j].kind->nv; k++)
            for (int i = 0; i < freedom.count; i++)
                part =
                    fmax(part, fabs(freedom.basis[(size_t)i * (size_t)nv + (size_t)(m->joint[j].v_at + k)]));
        if (part < 1e-6 || strlen(names) + strlen(m->joint[j].name) + 4 > sizeof names) continue;
        if (names[0]) strcat(names, ", ");
        strcat(names, m->joint[j].name);
    }
    if (freedom.count > 0)
        status = br_fail(
            error, BR_INVALID, "kinematic-free",
            "the drives leave %d degree%s of freedom open, so the motion does not follow from them: %s can "
            "still move. Drive %s, or use another stepper",
            freedom.count, freedom.count == 1 ? "" : "s", names, freedom.count == 1 ? "it" : "them");
    br_freedom_free(&freedom);
    return status;
}

// The start of a whole step, kept in q_mid and v_next while `last` serves its halves.
static void put_back(br_sim *sim, double t) {
    sim->state.at->t = sim->t_eval = t;
    memcpy(sim->state.q, sim->q_mid, (size_t)sim->model->tree.nq * sizeof(double));
    memcpy(sim->state.v, sim->v_next, (size_t)sim->model->tree.nv * sizeof(double));
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
}

// The whole state at t, from a guess of q in the state: loops and drives met in position and velocity.
static br_status settle(br_sim *sim, double t, br_error *error) {
    sim->state.at->t = sim->t_eval = t;
    sim->h = 0.0, sim->theta = 1.0;
    sim->at = 0;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_sim_variables(sim);
    br_status status = br_project_position(sim, sim->state.q, 1, error);
    if (status == BR_OK) status = br_project_velocity(sim, error);
    if (status != BR_OK) return status;
    double speed = 0.0;
    for (int k = 0; k < sim->model->tree.nv; k++) speed = fmax(speed, fabs(sim->state.v[k]));
    if (sim->exact.groups > 0 && sim->velocity_left > BR_EPS_CONTRADICTION * fmax(speed, sim->length_scale))
        return br_fail(error, BR_NUMERICAL, "velocities-contradict",
                       "t = %.9g s: drives and loops ask for velocities that contradict each other: %.3g "
                       "(m/s or rad/s) is "
                       "left over",
                       t, sim->velocity_left);
    if (sim->model->loops > 0) br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
    return BR_OK;
}

static int integrates(const br_sim *sim) {
    for (int g = 0; g < sim->exact.groups; g++)
        if (!sim->exact.group[g]->has_position) return 1;
    return 0;
}

// v at (q_start + a h k, t), met by every row; into sim->state.v.
static br_status stage(br_sim *sim, const br_sim_state *from, double a, double h, br_error *error) {
    br_tree_advance(&sim->model->tree, from->q, sim->state.v, a * h, sim->state.q);
    return settle(sim, from->at->t + a * h, error);
}

// From the state to t: predicted, then met. Runge-Kutta's slopes add up in v_mid.
static br_status half_step(br_sim *sim, double t, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    const br_sim_state *from = &sim->last;
    br_status status = BR_OK;
    br_state_remember(&sim->block);
    const double h = t - from->at->t;
    if (integrates(sim)) {
        static const double at[] = {0.5, 0.5, 1.0}, weight[] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        for (int k = 0; k < tree->nv; k++) sim->v_mid[k] = from->v[k] / 6.0;
        for (int s = 0; s < 3 && status == BR_OK; s++) {
            status = stage(sim, from, at[s], h, error);
            for (int k = 0; k < tree->nv; k++) sim->v_mid[k] += weight[s] * sim->state.v[k];
        }
        if (status != BR_OK) return status;
        br_tree_advance(tree, from->q, sim->v_mid, h, sim->state.q);
    } else {
        br_tree_advance(tree, from->q, from->v, h, sim->state.q);
    }
    return settle(sim, t, error);
}

// Largest way of a coordinate that counts by itself, in rad or length scales.
static double moved(const br_sim *sim, const double *before) {
    const br_tree *tree = &sim->model->tree;
    double largest = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_joint_kind *kind = tree->link[i].kind;
        for (int k = 0; k < kind->nq; k++) {
            const int quaternion = kind->nq != kind->nv && k >= kind->nq - 4;
            const double scale = quaternion ? 0.5 : kind->angles >> k & 1u ? 1.0 : sim->length_scale;
            const double way = sim->state.q[tree->link[i].q_at + k] - before[tree->link[i].q_at + k];
            largest = fmax(largest, fabs(way) / scale);
        }
    }
    return largest;
}

static br_status powers_here(br_sim *sim, br_powers *out, br_error *error) {
    const br_status status = br_sim_instant(sim, error);
    if (status == BR_OK) *out = br_sim_powers(sim, sim->state.v);
    return status;
}

typedef struct work {
    double input, damping; // J
} work;

// To t_end in two halves. at_start: powers at the start; in the end those of the end.
static br_status two_halves(br_sim *sim, double t_end, br_powers *at_start, work *done, br_error *error) {
    br_powers p[3] = {*at_start};
    const double h = t_end - sim->state.at->t, middle = sim->state.at->t + 0.5 * h;
    br_status status = half_step(sim, middle, error);
    if (status == BR_OK) status = powers_here(sim, &p[1], error);
    if (status == BR_OK) status = half_step(sim, t_end, error);
    if (status == BR_OK) status = powers_here(sim, &p[2], error);
    if (status != BR_OK) return status;
    done->input = h / 6.0 * (p[0].input + 4.0 * p[1].input + p[2].input);
    done->damping = h / 6.0 * (p[0].damping + 4.0 * p[1].damping + p[2].damping);
    *at_start = p[2];
    return BR_OK;
}

static void keep_books(br_sim *sim, const work *done) {
    br_ledger *l = sim->ledger;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    l->now = *sim->energy;
    l->input += done->input, l->damping += done->damping;
    l->unaccounted = l->input - l->damping - (sim->energy->total - l->start.total);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_sim_fill(sim, &sim->exact);
    l->loop_error = fmax(l->loop_error, br_loop_error(sim));
    l->loop_velocity_error = fmax(l->loop_velocity_error, br_loop_velocity_error(sim));
    l->steps++;
    br_judge_step(sim);
}

static double next_knot(const br_sim *sim, double t) {
    const br_model *m = sim->model;
    double next = INFINITY;
    for (int i = 0; i < m->drives; i++) next = fmin(next, br_function_next_knot(br_drive_target(sim, i), t));
    for (int i = 0; i < m->constraints; i++)
        next = fmin(next, br_function_next_knot(m->constraint[i].value, t));
    return next;
}

static br_status asks_for_jump(double t, br_error *error) {
    return br_fail(
        error, BR_NUMERICAL, "kinematic-jump",
        "t = %.9g s: the drives ask for a jump: joints move by more than %g rad however short the step", t,
        BR_MAX_TURN);
}

// At a knot what is prescribed may jump: velocities take the values that they go on with, and what that takes is input.
static br_status pass_knot(br_sim *sim, double knot, br_powers *powers, br_error *error) {
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    const double before = sim->energy->total;
    memcpy(sim->last.q, sim->state.q, (size_t)sim->model->tree.nq * sizeof(double));
    br_status status = settle(sim, nextafter(knot, INFINITY), error);
    sim->state.at->t = knot;
    if (status == BR_OK && moved(sim, sim->last.q) > BR_MAX_TURN) return asks_for_jump(knot, error);
    if (status == BR_OK) status = powers_here(sim, powers, error);
    if (status != BR_OK) return status;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    sim->ledger->input += sim->energy->total - before;
    return BR_OK;
}

// One internal step towards t, as long as the joints move little in it.
static br_status one_step(br_sim *sim, double t, br_powers *powers, br_error *error) {
    const double start = sim->state.at->t, knot = next_knot(sim, start);
    double h = fmin(t - start, sim->model->settings.solver.step);
    h = fmin(h, knot - start);
    memcpy(sim->q_mid, sim->state.q, (size_t)sim->model->tree.nq * sizeof(double));
    memcpy(sim->v_next, sim->state.v, (size_t)sim->model->tree.nv * sizeof(double));
    br_status status = BR_OK;
    for (int k = 0; k < BR_MAX_HALVINGS; k++, h *= 0.5) {
        double end = t - start <= h * (1.0 + 1e-9) ? t : start + h;
        const int at_knot = knot - start <= h * (1.0 + 1e-9);
        if (at_knot) end = nextafter(knot, -INFINITY);
        // A target that grows without end asks for ever shorter steps.
        if (!(h > BR_EPS_SHORTEST * sim->model->settings.solver.step) || !(end > start)) break;
        work done;
        status = two_halves(sim, end, powers, &done, error);
        if (status == BR_OK && moved(sim, sim->q_mid) <= BR_MAX_TURN) {
            if (at_knot) status = pass_knot(sim, knot, powers, error);
            if (status == BR_OK)
                keep_books(sim, &done);
            else
                put_back(sim, start);
            return status;
        }
        put_back(sim, start);
        if (status == BR_OK) {
            const br_status again = powers_here(sim, powers, error);
            if (again != BR_OK) return again;
        }
    }
    if (status != BR_OK) return status;
    return asks_for_jump(start, error);
}

// Drives that take a joint past its limit contradict the model: positions here know no stop.
static br_status within_limits(const br_sim *sim, br_error *error) {
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (group->bound != BR_BOUND_LOWER) continue;
        const double gap = br_limit_gap(sim, group);
        if (gap < -BR_EPS_PAST_LIMIT * fmax(1.0, sim->length_scale))
            return br_fail(error, BR_NUMERICAL, "limit-contradicts",
                           "t = %.9g s: the drives take joint '%s' past its limit by %.3g (m or rad)",
                           sim->state.at->t, br_group_name(sim, group), -gap);
    }
    return BR_OK;
}

br_status br_step_kinematic(br_sim *sim, double t, br_error *error) {
    br_status status = BR_OK;
    if (sim->kinematic_checked != sim->outside + 1) {
        status = refuse_freedom(sim, error);
        if (status != BR_OK) return status;
        sim->kinematic_checked = sim->outside + 1;
        sim->exact.sharp = sim->state.at->sharp =
            1; // where drives and loops cannot be met, that is said and not passed over
    }
    br_powers powers;
    status = powers_here(sim, &powers, error);
    while (status == BR_OK && sim->state.at->t < t) {
        const double start = sim->state.at->t;
        status = one_step(sim, t, &powers, error);
        if (status != BR_OK) break;
        status = within_limits(sim, error);
        if (status != BR_OK) put_back(sim, start);
    }
    sim->at = 0;
    br_sim_refresh(sim, 2);
    br_sim_update_energy(sim);
    return status;
}
