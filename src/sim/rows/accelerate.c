// Accelerations by known forces and by the forces of rows, see accelerate.h.
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/rows/accelerate.h"
#include "sim/rows/bounded_pressed.h"
#include "sim/rows/group.h"
#include "tree/spatial.h"

br_status br_sim_no_inertia(const br_sim *sim, int link, br_error *error) {
    const br_model *m = sim->model;
    return br_fail(error, BR_NUMERICAL, "no-inertia",
                   "t = %.9g s: nothing resists joint '%s' of body '%s': the inertia it moves is zero here",
                   sim->t_eval, m->joint[m->link_joint[link]].name, m->body[m->link_body[link]].name);
}

// r = gamma - J A for every row, from the accelerations without rows.
void br_sim_lacking(const br_sim *sim, br_system *s, double *r) {
    for (int g = 0; g < s->groups; g++) {
        const br_group *group = s->group[g];
        for (int i = 0; i < group->rows; i++)
            r[s->first[g] + i] =
                group->gamma[i] - br_group_acceleration(sim, group, i, sim->work.A, sim->vdot);
    }
}

static int is_rub(const br_group *group) {
    return group->kind->book == BR_BOOK_FRICTION;
}

int br_sim_bounds_hold(const br_sim *sim, int rubs) {
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (is_rub(group) != rubs) continue;
        if (group->bound == BR_BOUND_LOWER &&
            br_group_acceleration(sim, group, 0, sim->work.A, sim->vdot) < group->gamma[0])
            return 0;
        for (int r = 0; group->bound == BR_BOUND_BOX && r < group->rows; r++)
            if (fabs(group->force[r]) > group->limit) return 0;
    }
    return 1;
}

// Where friction asked for the bounds, whether anything else is at its own.
int br_sim_others_at_bounds(const br_sim *sim) {
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (is_rub(group) || group->bound == BR_BOUND_FREE) continue;
        if (fabs(group->force[0]) >= (group->bound == BR_BOUND_BOX ? group->limit : DBL_MIN)) return 1;
    }
    return 0;
}

void br_sim_add_response(br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    br_tree_respond(tree, &sim->work, sim->eta, sim->eta, sim->V);
    for (int k = 0; k < tree->nv; k++) sim->vdot[k] += sim->eta[k];
    for (int i = 0; i < tree->links; i++) sim->work.A[i] = br_twist_add(sim->work.A[i], sim->V[i]);
}

static void keep_forces(br_system *s) {
    for (int g = 0; g < s->groups; g++)
        memcpy(s->group[g]->force, s->force + s->first[g], (size_t)s->group[g]->rows * sizeof(double));
}

// Known forces only: vdot and work.A without the rows.
void br_sim_accelerate_freely(br_sim *sim) {
    const br_model *m = sim->model;
    br_tree_accelerate(&m->tree, &sim->work, m->settings.gravity, sim->tau, br_sim_known_wrench(sim),
                       sim->vdot);
}

br_status br_sim_solve_bounded(br_sim *sim, br_error *error) {
    if (sim->limits_apart) return br_pressed_solve(sim, sim->bounded, error);
    br_system *all = br_bounded_system(sim);
    for (int g = 0; g < all->groups; g++) br_group_sweep(sim, all->group[g]);
    br_sim_accelerate_freely(sim);
    br_sim_lacking(sim, all, all->rhs);
    const br_status status = br_bounded_solve(sim, all->rhs, all->force, error);
    if (status != BR_OK) return status;
    br_system_apply(sim, all, all->force, sim->eta);
    keep_forces(all);
    br_sim_add_response(sim);
    return BR_OK;
}

br_status br_sim_solve_reduced(br_sim *sim, br_system *s, int refactor, br_error *error) {
    br_sim_accelerate_freely(sim);
    if (s->groups == 0) return BR_OK;
    if (refactor && br_system_factor(sim, s) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    br_sim_lacking(sim, s, s->rhs);
    br_system_solve(sim, s, s->rhs, s->force, sim->eta);
    keep_forces(s);
    br_sim_add_response(sim);
    return BR_OK;
}

br_status br_sim_check_finite(const br_sim *sim, br_error *error) {
    if (br_all_finite(sim->model->tree.nv, sim->vdot)) return BR_OK;
    return br_fail(
        error, BR_NUMERICAL, "not-finite",
        "t = %.9g s: an acceleration is not a finite number: a force, a velocity or a ratio of masses has "
        "passed the range of double precision",
        sim->t_eval);
}

// --- of the instant ----------------------------------------------------------------------------------------

#define BR_EPS_RESTING                                                                                       \
    1e-7 // gap (rad, or of the length scale) and its rate (per second) at which a limit is rested on

// A row that takes no part: nothing loads it, its force is zero.
static void silence(br_group *g) {
    br_group_clear(g);
    for (int r = 0; r < g->rows; r++) g->compliance[r] = 1.0, g->gamma[r] = 0.0;
}

static int rests_on(const br_sim *sim, const br_group *g) {
    const double unit = fmax(1.0, sim->length_scale);
    return br_limit_gap(sim, g) <= BR_EPS_RESTING * unit &&
           fabs(br_group_velocity(g, 0, sim->V_start, sim->v_start)) <= BR_EPS_RESTING * unit;
}

// Limits that the state rests on, and motors with a largest effort, after the exact rows' solve. Their forces become
// known ones in tau and wrench, as reactions want them.
br_status br_sim_hold_bounds(br_sim *sim, br_error *error) {
    int needed = 0;
    br_tree_twists(&sim->model->tree, &sim->work, sim->v_start, sim->V_start);
    for (int i = 0; i < sim->groups; i++) {
        br_group *g = &sim->group[i];
        if (g->exact) continue;
        g->kind->fill(sim, g);
        memset(g->force, 0, (size_t)g->rows * sizeof *g->force);
        if (g->bound == BR_BOUND_LOWER && rests_on(sim, g)) {
            g->compliance[0] = 0.0;
            g->gamma[0] = g->side * br_coordinate_gamma(sim, g->coordinates[0]);
            needed |= br_group_acceleration(sim, g, 0, sim->work.A, sim->vdot) < g->gamma[0];
        } else if (g->keeping == BR_HELD_BACK) {
            silence(g);
        } else if (g->kind->is & BR_GROUP_DRIVEN) {
            g->compliance[0] = 0.0; // a silent row has 1
            g->kind->rate(sim, g);
            needed = 1;
        } else {
            silence(g);
        }
    }
    if (!needed) return BR_OK;
    br_bounded_set_aside(sim); // reading must not change what the next step starts from
    const br_status status = br_sim_solve_bounded(sim, error);
    br_bounded_take_up(sim);
    if (status != BR_OK) return status;
    for (int i = 0; i < sim->groups; i++) {
        const br_group *g = &sim->group[i];
        for (int r = 0; !g->exact && r < g->rows; r++) {
            for (int e = 0; e < g->entries; e++)
                br_wrench_add_scaled(&sim->wrench[g->link[e]], g->force[r], &g->F[r * g->entries + e]);
            for (int d = 0; d < g->dofs; d++)
                sim->tau[g->dof[d]] += g->force[r] * g->coefficient[r * g->dofs + d];
        }
    }
    return BR_OK;
}
