// Degrees of freedom and dependent rows at the present state, by singular values: diagnostics, never in a step.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "sim/groups.h"
#include "tree/spatial.h"

#define BR_EPS_TAKES_PART 1e-6 // component of a unit vector of the null space: below, the row is not in it
#define BR_EPS_RANK 1e-9       // singular values below this, of the largest, count as zero
#define BR_MAX_RANK_ROWS 3000 // beyond, a singular value decomposition takes minutes: independence is assumed

// What a twist and a wrench could do to each other at most: a product far below is rounding.
static double product_size(br_twist S, br_wrench F) {
    return br_vec3_norm(S.angular) * br_vec3_norm(F.torque) + br_vec3_norm(S.linear) * br_vec3_norm(F.force);
}

void br_sim_joint_rows(const br_sim *sim, double *J) {
    const br_tree *tree = &sim->model->tree;
    const br_system *s = &sim->exact;
    memset(J, 0, (size_t)s->rows * (size_t)tree->nv * sizeof *J);
    for (int g = 0; g < s->groups; g++) {
        const br_group *group = s->group[g];
        for (int r = 0; r < group->rows; r++) {
            double *row = J + (size_t)(s->first[g] + r) * (size_t)tree->nv;
            for (int d = 0; d < group->dofs; d++)
                row[group->dof[d]] += group->coefficient[r * group->dofs + d];
            double norm = 0.0, gross = 0.0;
            for (int k = 0; k < tree->nv; k++) gross += row[k] * row[k];
            for (int e = 0; e < group->entries; e++) {
                br_wrench F = group->F[r * group->entries + e];
                for (int i = group->link[e]; i >= 0; i = tree->link[i].parent) {
                    for (int k = 0; k < tree->link[i].kind->nv; k++) {
                        const double part = br_twist_dot(sim->work.S[tree->link[i].v_at + k], F);
                        row[tree->link[i].v_at + k] += part;
                        const double most = product_size(sim->work.S[tree->link[i].v_at + k], F);
                        gross += most * most;
                    }
                    F = br_wrench_shift(F, sim->work.pose[i].r);
                }
            }
            // Parts that cancel leave rounding, which must not be blown up to a row of length 1.
            for (int k = 0; k < tree->nv; k++) norm += row[k] * row[k];
            const double factor = norm > BR_EPS_RANK * BR_EPS_RANK * gross ? 1.0 / sqrt(norm) : 0.0;
            for (int k = 0; k < tree->nv; k++) row[k] *= factor;
        }
    }
}

static br_status rank_of_loops(br_sim *sim, int *rank, br_error *error) {
    const int rows = sim->exact.rows, nv = sim->model->tree.nv;
    *rank = 0;
    if (rows == 0 || nv == 0) return BR_OK;
    br_sim_refresh(sim, 1);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->t_eval = sim->state.t;
    br_sim_fill(sim, &sim->exact);
    const br_allocator *memory = &sim->allocator;
    double *J =
        memory->allocate(memory->context, ((size_t)rows * (size_t)nv + (size_t)(rows + nv)) * sizeof *J);
    if (!J) return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the rank of %d rows", rows);
    br_sim_joint_rows(sim, J);
    const br_status status =
        br_rank(rows, nv, J, BR_EPS_RANK, rank, J + (size_t)rows * (size_t)nv, NULL, memory, error);
    memory->release(memory->context, J);
    return status;
}

// --- names -------------------------------------------------------------------------------------------------

static const char *part_of(br_wrench T) {
    static const char *const names[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    const double v[] = {T.force.x, T.force.y, T.force.z, T.torque.x, T.torque.y, T.torque.z};
    int best = 0;
    for (int k = 1; k < 6; k++)
        if (fabs(v[k]) > fabs(v[best]) + 1e-9) best = k;
    return names[best];
}

// "JOINT.force.x" in the joint's own frame F; other elements by their name alone.
static void name_row(const br_sim *sim, const br_absolute_row *row, char *out, size_t size) {
    const br_model *m = sim->model;
    int joint = -1, t = row->row;
    if (row->link >= 0) {
        joint = m->link_joint[row->link];
    } else if (row->group->kind == &br_group_loop) {
        joint = m->loop[row->group->element].joint;
        t = m->loop[row->group->element].row[row->group_row];
    }
    if (joint < 0) {
        snprintf(out, size, "%s", br_group_name(sim, row->group));
        return;
    }
    const br_model_joint *j = &m->joint[joint];
    const br_relative x = br_sim_relative(sim, j, 0);
    double q[BR_MAX_JOINT_Q];
    br_joint_motion motion;
    j->kind->measure(j->parameter, x.R_FM, x.p_FM, q);
    j->kind->pose(j->parameter, q, &motion);
    j->kind->complement(j->parameter, q, &motion);
    snprintf(out, size, "%s.%s", j->name, part_of(motion.T[t]));
}

static void append(char *names, size_t size, const char *line) {
    const size_t used = strlen(names);
    if (used + strlen(line) + 2 < size) snprintf(names + used, size - used, "%s\n", line);
}

// Rows with a part in the null space of J^T: their forces are not determined.
static br_status name_undetermined(br_sim *sim, int count, br_mobility *out, char *names, size_t size,
                                   br_error *error) {
    const int links6 = 6 * sim->model->tree.links;
    br_absolute_row *rows = br_sim_take(sim, (size_t)count * sizeof *rows + 1);
    double *transposed = br_sim_take(sim, (size_t)count * (size_t)links6 * sizeof *transposed + 1);
    double *null = br_sim_take(sim, (size_t)count * (size_t)count * sizeof *null + 1);
    double *singular = br_sim_take(sim, (size_t)(count + links6) * sizeof *singular);
    br_status status = BR_OK;
    int rank = 0;
    if (!rows || !transposed || !null || !singular)
        status = br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the rank of %d rows", count);
    if (status == BR_OK) {
        br_absolute_rows(sim, transposed, rows);
        status =
            br_rank(links6, count, transposed, BR_EPS_RANK, &rank, singular, null, &sim->allocator, error);
    }
    if (status == BR_OK) out->redundant = count - rank;
    for (int c = 0; status == BR_OK && names && c < count; c++) {
        double part = 0.0;
        for (int k = 0; k < count - rank; k++)
            part = fmax(part, fabs(null[(size_t)k * (size_t)count + (size_t)c]));
        if (part < BR_EPS_TAKES_PART) continue;
        char line[BR_MAX_NAME + 16];
        name_row(sim, &rows[c], line, sizeof line);
        append(names, size, line);
    }
    br_sim_give(sim, rows), br_sim_give(sim, transposed), br_sim_give(sim, null), br_sim_give(sim, singular);
    return status;
}

br_status br_sim_mobility(br_sim *sim, br_mobility *out, char *names, size_t size, br_error *error) {
    br_mobility found = {0, 0, 0};
    int rank = 0;
    if (names && size > 0) names[0] = '\0';
    br_status status = rank_of_loops(sim, &rank, error);
    if (status != BR_OK) return status;
    found.degrees_of_freedom = sim->model->tree.nv - rank;
    if (!sim->absolute) {
        sim->q_eval = sim->state.q;
        status = br_absolute_create(sim, error);
        if (status != BR_OK) return status;
    }
    found.rows = br_absolute_rows(sim, NULL, NULL);
    if (rank < sim->exact.rows) status = name_undetermined(sim, found.rows, &found, names, size, error);
    if (status == BR_OK) *out = found;
    return status;
}
