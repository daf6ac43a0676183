// What joints exert, of the instant, see br_sim_joint_reaction.
//
// Independent rows: Newton-Euler up the tree with the rows' forces as loads gives what each tree joint transmits; its
// part along the motion subspace S belongs to drives, springs and armature and is taken out. Dependent rows: the
// absolute form's forces, with what is along the null space of J^T taken out, which is the pseudoinverse solution
// whatever the coordinates; or another rule of `redundancy`, by the dense balance of the instant. Friction is no part of it.
#include <string.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "sim/core/acceleration.h"
#include "sim/core/control.h"
#include "sim/core/instant.h"
#include "sim/core/reaction.h"
#include "sim/friction/friction.h"
#include "sim/rows/group.h"
#include "sim/rows/tendon.h"
#include "sim/stepper/implicit/implicit.h"
#include "sim/stepper/stepper.h"
#include "tree/spatial.h"

static br_wrench to_plane(const br_sim *sim, br_wrench F) {
    if (sim->model->settings.planar == BR_SPATIAL) return F;
    const br_vec3 n = sim->model->normal;
    return br_wrench_of(br_vec3_scale(br_vec3_dot(F.torque, n), n),
                        br_vec3_sub(F.force, br_vec3_scale(br_vec3_dot(F.force, n), n)));
}

// F without the part along S: F - S (S^T S)^-1 S^T F.
static br_wrench without_efforts(const br_sim *sim, int i, br_wrench F) {
    const br_link *link = &sim->model->tree.link[i];
    br_joint_motion m;
    double tau[6];
    for (int k = 0; k < link->kind->nv; k++) {
        m.S[k] = sim->work.S[link->v_at + k];
        tau[k] = br_twist_dot(m.S[k], F);
    }
    return br_wrench_sub(F, br_joint_effort(link->kind->nv, &m, tau));
}

// From the wrench on a link at its reference point, world axes, to that on the joint's second body at M.
static void store_tree_joint(br_sim *sim, int i, br_wrench F) {
    const br_model *m = sim->model;
    const int j = m->link_joint[i];
    const br_model_joint *joint = &m->joint[j];
    const br_relative x = br_sim_relative(sim, joint, 0);
    F = to_plane(sim, F);
    if (joint->reversed) {
        // On the first body at its own reference point, which is F's origin: opposite, and moved to M.
        const br_vec3 arm = br_vec3_sub(x.p_WM, sim->work.pose[i].p_WL);
        F = br_wrench_scale(-1.0, br_wrench_shift(F, br_vec3_neg(arm)));
    }
    sim->reaction_W[j] = F;
}

static void store_loops(br_sim *sim) {
    const br_model *m = sim->model;
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        if (!(group->kind->is & BR_GROUP_CLOSES)) continue;
        const int j = m->loop[group->element].joint;
        const br_model_joint *joint = &m->joint[j];
        const br_relative x = br_sim_relative(sim, joint, 0);
        br_wrench F = br_wrench_of(br_vec3_zero(), br_vec3_zero());
        // Entry of the second body if there is one, else the opposite of the first's: both about M.
        const int b = joint->second >= 0 ? (joint->first >= 0) : -1;
        for (int r = 0; r < group->rows; r++) {
            if (b >= 0)
                br_wrench_add_scaled(&F, group->force[r], &group->F[r * group->entries + b]);
            else
                br_wrench_add_scaled(&F, -group->force[r], &group->F[r * group->entries]);
        }
        F = br_wrench_shift(F, br_vec3_neg(b >= 0 ? x.rho_B : x.rho_A));
        sim->reaction_W[j] = F;
    }
}

// F without what the joint's friction exerts on link i.
static br_wrench without_friction(const br_sim *sim, int i, br_wrench F) {
    const br_frictions *f = sim->frictions;
    const int j = sim->model->link_joint[i];
    for (int k = 0; f && k < f->count; k++) {
        if (f->rub[k].joint != j) continue;
        for (int d = 0; d < f->rub[k].pad.directions; d++) {
            br_wrench second, first;
            br_rub_wrench(sim, &f->rub[k], d, &second, &first);
            br_wrench_add_scaled(&F, -f->now[k].force[d], sim->model->joint[j].reversed ? &first : &second);
        }
    }
    return F;
}

static void newton_euler(br_sim *sim) {
    const br_model *m = sim->model;
    memcpy(sim->effort_joint, sim->vdot, (size_t)m->tree.nv * sizeof(double));
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        for (int r = 0; r < group->rows; r++)
            for (int e = 0; e < group->entries; e++)
                br_wrench_add_scaled(&sim->wrench[group->link[e]], group->force[r],
                                     &group->F[r * group->entries + e]);
    }
    br_tree_inverse_dynamics(&m->tree, &sim->work, m->settings.gravity, sim->effort_joint, sim->wrench,
                             sim->transmitted, sim->tau);
    for (int i = 0; i < m->tree.links; i++)
        store_tree_joint(sim, i, without_efforts(sim, i, without_friction(sim, i, sim->transmitted[i])));
}

static void to_joint_frames(br_sim *sim) {
    const br_model *m = sim->model;
    for (int j = 0; j < m->joints; j++) {
        if (!m->joint[j].kind && m->joint[j].loop < 0) continue;
        const br_relative x = br_sim_relative(sim, &m->joint[j], 0);
        const br_mat3 R_WM = br_mat3_mul(x.R_WF, x.R_FM);
        sim->reaction_M[j] = br_wrench_of(br_mat3_tmul_vec(R_WM, sim->reaction_W[j].torque),
                                          br_mat3_tmul_vec(R_WM, sim->reaction_W[j].force));
    }
}

// --- dependent rows ----------------------------------------------------------------------------------------

// Singular values of unit rows below this, of the largest, are zeros: positions are exact to about 1e-12.
#define BR_EPS_DEPENDENT_ROWS 1e-9

// Takes from the rows' forces what does nothing: force -= N N^T force, N the null space of J^T.
static br_status remove_idle_forces(const br_sim *sim, const br_absolute_row *rows, const double *transposed,
                                    int count, br_error *error) {
    const int links6 = 6 * sim->model->tree.links;
    double *null = br_sim_take(sim, (size_t)count * (size_t)count * sizeof *null);
    double *singular = br_sim_take(sim, (size_t)(count + links6) * sizeof *singular);
    int rank = 0;
    br_status status = !null || !singular
                           ? br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for reactions")
                           : br_rank(links6, count, transposed, BR_EPS_DEPENDENT_ROWS, &rank, singular, null,
                                     &sim->allocator, error);
    // Rows that contradict each other by a little are dependent too: of what follows the zeros, the smallest come last.
    const int zeros = count - rank, known = sim->exact.rows - sim->branch.rank;
    for (int k = 0; status == BR_OK && k < (zeros > known ? zeros : known); k++) {
        const double *n = null + (size_t)(k < zeros ? k : count - 1 - (k - zeros)) * (size_t)count;
        double along = 0.0;
        for (int c = 0; c < count; c++) along += n[c] * *rows[c].force;
        for (int c = 0; c < count; c++) *rows[c].force -= along * n[c];
    }
    br_sim_give(sim, null);
    br_sim_give(sim, singular);
    return status;
}

static br_status pseudoinverse(br_sim *sim, br_error *error) {
    const br_model *m = sim->model;
    br_status status = br_absolute_solve(sim, &sim->exact, error);
    if (status != BR_OK) return status;
    const int count = br_absolute_rows(sim, NULL, NULL);
    br_absolute_row *rows = br_sim_take(sim, (size_t)count * sizeof *rows + 1);
    double *transposed =
        br_sim_take(sim, (size_t)count * (size_t)(6 * m->tree.links) * sizeof *transposed + 1);
    if (!rows || !transposed)
        status = br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for reactions");
    if (status == BR_OK) {
        br_absolute_rows(sim, transposed, rows);
        status = remove_idle_forces(sim, rows, transposed, count, error);
    }
    for (int c = 0; status == BR_OK && c < count; c++) {
        if (rows[c].group)
            rows[c].group->force[rows[c].group_row] = *rows[c].force;
        else
            br_wrench_add_scaled(&sim->transmitted[rows[c].link], *rows[c].force, &rows[c].T_W);
    }
    br_sim_give(sim, rows);
    br_sim_give(sim, transposed);
    return status;
}

// By the model's rule, friction being what it is: forces of the rows into the groups and `transmitted`.
static br_status by_rule(br_sim *sim, br_error *error) {
    br_balance *b;
    br_balance_work *work;
    br_held held;
    const br_absolute_row *rows;
    if (sim->frictions) br_frictions_apply(sim, -1.0);
    br_status status = br_friction_balance(sim, 0, &b, &work, error);
    if (sim->frictions) br_frictions_apply(sim, 1.0);
    if (status != BR_OK) return status;
    const int pads = sim->frictions ? sim->frictions->count : 0;
    for (int i = 0; i < pads; i++) sim->frictions->state[i] = (br_pad_state){.mode = BR_PAD_GIVEN};
    if (br_balance_hold(b, sim->frictions ? sim->frictions->state : NULL, work, &held) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    const int count = br_balance_rows(sim, &rows);
    for (int c = 0; c < count; c++) {
        if (rows[c].group)
            rows[c].group->force[rows[c].group_row] = held.x0[c];
        else
            br_wrench_add_scaled(&sim->transmitted[rows[c].link], held.x0[c], &rows[c].T_W);
    }
    return BR_OK;
}

static int needs_rule(const br_sim *sim) {
    return sim->frictions || sim->model->redundancy.kind != BR_REDUNDANCY_PSEUDOINVERSE;
}

br_status br_sim_joint_reaction(br_sim *sim, int joint, br_wrench *in_M, br_wrench *in_W, br_error *error) {
    const br_model *m = sim->model;
    const int known = sim->reactions_valid & BR_VALID_REACTIONS;
    if (!known && sim->own) {
        const br_status status = sim->own->reactions(sim, error);
        if (status != BR_OK) return status;
    } else if (!known) {
        br_status status = br_sim_instant(sim, error);
        if (status != BR_OK) return status;
        br_acceleration_of_instant(sim);
        memset(sim->reaction_W, 0, (size_t)m->joints * sizeof *sim->reaction_W);
        if (sim->redundant) {
            memset(sim->transmitted, 0, (size_t)m->tree.links * sizeof *sim->transmitted);
            status = needs_rule(sim) ? by_rule(sim, error) : pseudoinverse(sim, error);
            if (status != BR_OK) return status;
            for (int i = 0; i < m->tree.links; i++) store_tree_joint(sim, i, sim->transmitted[i]);
        } else {
            newton_euler(sim);
        }
        store_loops(sim);
        to_joint_frames(sim);
        sim->reactions_valid |= BR_VALID_REACTIONS;
    }
    if (in_M) *in_M = sim->reaction_M[joint];
    if (in_W) *in_W = sim->reaction_W[joint];
    return BR_OK;
}

// The effort of a drive along its joint's coordinate, of the instant.
br_status br_sim_drive_effort(br_sim *sim, int drive, double *effort, br_error *error) {
    const br_model_drive *d = &sim->model->drive[drive];
    // Reactions take every drive's effort with them.
    if (sim->model->joints > 0 && !(sim->reactions_valid & BR_VALID_REACTIONS)) {
        br_wrench unused;
        const br_status status = br_sim_joint_reaction(sim, d->joint, &unused, NULL, error);
        if (status != BR_OK) return status;
    }
    *effort = sim->drive_effort[drive];
    if (sim->own) return BR_OK;
    for (int g = 0; g < sim->groups; g++)
        if ((sim->group[g].kind->is & BR_GROUP_DRIVEN) && sim->group[g].element == drive)
            *effort = sim->group[g].keeping == BR_HELD_BACK ? sim->held_back[drive] : sim->group[g].force[0];
    for (int k = 0; k < sim->springs; k++)
        if (sim->spring[k].drive == drive) {
            const br_joint_spring *s = &sim->spring[k];
            const double target =
                br_function_value(br_drive_target(sim, drive), sim->state.at->t, sim->values);
            *effort = (s->q_at >= 0 ? s->stiffness * (target - sim->state.q[s->q_at]) : 0.0) -
                      s->damping * sim->state.v[s->dof];
        }
    return BR_OK;
}

// What the stops of a joint's limits exert along coordinate k, of the instant.
br_status br_sim_stop_effort(br_sim *sim, int joint, int k, double *effort, br_error *error) {
    if (!(sim->reactions_valid & BR_VALID_REACTIONS)) {
        br_wrench unused;
        const br_status status = br_sim_joint_reaction(sim, joint, &unused, NULL, error);
        if (status != BR_OK) return status;
    }
    *effort = 0.0;
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].kind == &br_group_limit && sim->group[g].element == joint &&
            sim->group[g].coordinates[0].k == k)
            *effort += sim->group[g].side * sim->group[g].force[0];
    return BR_OK;
}

br_status br_sim_tension(br_sim *sim, int joint, double *tension, br_error *error) {
    const br_model *m = sim->model;
    const br_model_joint *j = &m->joint[joint];
    double stop, length, rate;
    const br_status status = br_sim_stop_effort(sim, joint, 0, &stop, error);
    if (status != BR_OK) return status;
    br_sim_joint_position(sim, joint, &length);
    br_sim_joint_velocity(sim, joint, &rate);
    double pull =
        j->stiffness[0] * br_tendon_stretch(j, &m->tendon[j->tendon], length) + j->damping[0] * rate - stop;
    for (int d = 0; d < m->drives; d++) {
        double effort = 0.0;
        if (m->drive[d].joint == joint && br_sim_drive_effort(sim, d, &effort, error) == BR_OK)
            pull -= effort;
    }
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (group->kind != &br_group_coupling) continue;
        const br_model_coupling *c = &m->coupling[group->element];
        if (c->joint_1 == joint) pull -= group->force[0];
        if (c->joint_2 == joint) pull -= c->ratio * group->force[0];
    }
    *tension = pull;
    return BR_OK;
}
