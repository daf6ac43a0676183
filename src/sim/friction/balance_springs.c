#include "sim/friction/balance_springs.h"

#include <stdio.h>
#include <string.h>

#include "sim/rows/springs.h"
#include "tree/spatial.h"

// Springs as if they were rigid, with their compliance as weight: the least energy is then what a mechanism with stiff springs does.
// Their forces leave the loads. Returns the count; columns are filled from `column` on where not NULL.
static void finish_spring(br_balance *b, int c, double stiffness, double force, const char *name, int row) {
    b->weight[c] = 1.0 / stiffness, b->power[c] = -1.0, b->x[c] = force;
    for (int r = 0; r < b->n; r++) b->Q[r] -= b->A[r * b->columns + c] * force;
    if (row >= 0)
        snprintf(b->name[c], sizeof b->name[c], "%.50s.spring.%d", name, row);
    else
        snprintf(b->name[c], sizeof b->name[c], "%.60s.spring", name);
    snprintf(b->parameter[c], sizeof b->parameter[c], "%.60s.stiffness", name);
}

static void fill_spring_rows(br_sim *sim, struct br_dense *d, const br_spring_rows *rows, const char *name,
                             int *column) {
    br_balance *b = &d->balance;
    for (int r = 0; r < rows->rows; r++) {
        if (!(rows->stiffness[r] > 0.0)) continue;
        const int c = (*column)++;
        const br_wrench T = br_wrench_of(br_mat3_mul_vec(rows->x.R_WF, rows->T[r].torque),
                                         br_mat3_mul_vec(rows->x.R_WF, rows->T[r].force));
        br_dense_clear(b, c);
        if (rows->second >= 0)
            br_dense_put(sim, d, rows->second, br_wrench_shift(T, rows->x.rho_B), 1.0, b->A + c, b->columns);
        if (rows->first >= 0)
            br_dense_put(sim, d, rows->first, br_wrench_shift(T, rows->x.rho_A), -1.0, b->A + c, b->columns);
        finish_spring(b, c, rows->stiffness[r], -rows->stiffness[r] * rows->deflection[r], name,
                      rows->rows > 1 ? r : -1);
    }
}

void br_balance_fill_springs(br_sim *sim, struct br_dense *d, int *column) {
    const br_model *m = sim->model;
    br_balance *b = &d->balance;
    br_spring_rows rows;
    for (int i = 0; i < sim->springs; i++) {
        const br_joint_spring *s = &sim->spring[i];
        if (!(s->stiffness > 0.0) || s->q_at < 0 || s->drive >= 0) continue;
        const int c = (*column)++;
        memset(d->F, 0, (size_t)m->tree.links * sizeof *d->F);
        br_absolute_reader(sim, s->dof, 1.0, d->F);
        br_dense_clear(b, c);
        for (int l = 0; l < m->tree.links; l++) br_dense_put(sim, d, l, d->F[l], 1.0, b->A + c, b->columns);
        finish_spring(b, c, s->stiffness, -s->stiffness * (sim->q_eval[s->q_at] - s->rest),
                      m->joint[m->link_joint[br_tree_owner(&m->tree, s->dof)]].name, -1);
    }
    for (int i = 0; i < m->loads; i++) {
        if (m->load[i].type != BR_LOAD_SPRING && m->load[i].type != BR_LOAD_BUSHING) continue;
        br_spring_of_load(sim, i, 0, &rows);
        fill_spring_rows(sim, d, &rows, m->load[i].name, column);
    }
    for (int i = 0; i < m->loops; i++) {
        const br_model_joint *joint = &m->joint[m->loop[i].joint];
        if (!joint->kind || !joint->sprung || joint->kind->nv == 0 || joint->tendon >= 0) continue;
        br_spring_of_loop(sim, i, 0, &rows);
        fill_spring_rows(sim, d, &rows, joint->name, column);
    }
}

int br_balance_springs(const br_sim *sim) {
    const br_model *m = sim->model;
    int count = 0;
    for (int i = 0; i < sim->springs; i++)
        count += sim->spring[i].stiffness > 0.0 && sim->spring[i].q_at >= 0 && sim->spring[i].drive < 0;
    for (int i = 0; i < m->loads; i++) {
        const int rows = m->load[i].type == BR_LOAD_SPRING ? 1 : m->load[i].type == BR_LOAD_BUSHING ? 6 : 0;
        for (int k = 0; k < rows; k++) count += m->load[i].stiffness[k] > 0.0;
    }
    for (int i = 0; i < m->loops; i++) {
        const br_model_joint *joint = &m->joint[m->loop[i].joint];
        for (int k = 0; joint->kind && joint->sprung && joint->tendon < 0 && k < joint->kind->nv; k++)
            count += joint->stiffness[k] > 0.0 && br_position_index(joint, k) >= 0;
    }
    return count;
}
