// Constraint rows of every joint kind that closes a loop: their Jacobians are the derivatives of their
// mismatch, and the rates that accelerations must have are the derivatives of J v.
#include <stdio.h>
#include <string.h>

#include "joint_rig.h"
#include "sim/core/sim.h"

#define MAX_V 12
#define MAX_Q 14
#define MAX_ROWS 8

static void load(joint_rig *rig, const double *q, const double *v) {
    br_error error = {0};
    rig_check(br_sim_set_state(rig->sim, 0, q, v, &error), &error);
    br_sim_refresh(rig->sim, 2);
    rig->sim->q_eval = rig->sim->state.q;
    rig->sim->v_eval = rig->sim->state.v;
    br_sim_fill(rig->sim, &rig->sim->exact);
}

static int mismatches(const br_sim *sim, double *phi) {
    int rows = 0;
    for (int g = 0; g < sim->exact.groups; g++)
        for (int r = 0; r < sim->exact.group[g]->rows; r++) phi[rows++] = sim->exact.group[g]->phi[r];
    return rows;
}

// J v of every exact row, for velocities v at the positions that are loaded.
static void row_velocities(joint_rig *rig, const double *v, double *out) {
    br_sim *sim = rig->sim;
    br_twist V[RIG_BODIES];
    int rows = 0;
    br_tree_twists(&rig->model->tree, &sim->work, v, V);
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        for (int r = 0; r < group->rows; r++) {
            double sum = 0;
            for (int e = 0; e < group->entries; e++)
                sum += br_twist_dot(V[group->link[e]], group->F[r * group->entries + e]);
            for (int d = 0; d < group->dofs; d++)
                sum += group->coefficient[r * group->dofs + d] * v[group->dof[d]];
            out[rows++] = sum;
        }
    }
}

static void check_jacobian(br_joint_type type) {
    joint_rig rig = rig_make(type, 1, BR_REDUCED, br_pose_identity(), 300 + (uint64_t)type, 0);
    const double h = 1e-5;
    const int nq = br_model_nq(rig.model), nv = br_model_nv(rig.model);
    double q[MAX_Q], v[MAX_V], zero[MAX_V] = {0}, moved[MAX_Q];
    double J[MAX_ROWS], phi[2][MAX_ROWS];
    memcpy(q, br_sim_q(rig.sim), sizeof *q * (size_t)nq);
    memcpy(v, br_sim_v(rig.sim), sizeof *v * (size_t)nv);
    for (int k = 0; k < nv; k++) {
        double unit[MAX_V] = {0};
        unit[k] = 1;
        load(&rig, q, zero);
        const int rows = mismatches(rig.sim, phi[0]);
        for (int r = 0; r < rows; r++) assert_near(phi[0][r], 0, 1e-10); // assembled
        row_velocities(&rig, unit, J);
        for (int side = 0; side < 2; side++) {
            rig_move(rig.model, q, unit, side ? h : -h, moved);
            load(&rig, moved, zero);
            mismatches(rig.sim, phi[side]);
        }
        for (int r = 0; r < rows; r++)
            if (fabs((phi[1][r] - phi[0][r]) / (2 * h) - J[r]) > 1e-8)
                fail_msg("%s, row %d, velocity %d: differences give %.12g, the row %.12g",
                         br_joint_type_name(type), r, k, (phi[1][r] - phi[0][r]) / (2 * h), J[r]);
    }
    load(&rig, q, v); // the start's velocities agree with every row
    row_velocities(&rig, v, J);
    for (int r = 0, rows = mismatches(rig.sim, phi[0]); r < rows; r++) assert_near(J[r], 0, 1e-10);
    rig_free(&rig);
}

// The acceleration found keeps J v = 0 to first order: along the motion, J v stays zero up to the square of
// the time.
static void check_rate(br_joint_type type) {
    joint_rig rig = rig_make(type, 1, BR_REDUCED, br_pose_identity(), 300 + (uint64_t)type, 0);
    const int nq = br_model_nq(rig.model), nv = br_model_nv(rig.model);
    double q[MAX_Q], v[MAX_V], a[MAX_V], mean[MAX_V], after[MAX_V], moved[MAX_Q], drift[2][MAX_ROWS],
        phi[MAX_ROWS];
    const double h = 1e-4;
    br_error error = {0};
    memcpy(q, br_sim_q(rig.sim), sizeof *q * (size_t)nq);
    memcpy(v, br_sim_v(rig.sim), sizeof *v * (size_t)nv);
    rig_check(br_sim_acceleration(rig.sim, a, &error), &error);
    for (int side = 0; side < 2; side++) {
        const double dt = side ? h : -h;
        for (int k = 0; k < nv; k++) mean[k] = v[k] + dt / 2 * a[k], after[k] = v[k] + dt * a[k];
        rig_move(rig.model, q, mean, dt, moved);
        load(&rig, moved, after);
        row_velocities(&rig, after, drift[side]);
    }
    for (int r = 0, rows = mismatches(rig.sim, phi); r < rows; r++)
        if (fabs(drift[1][r] - drift[0][r]) / (2 * h) > 1e-5)
            fail_msg("%s, row %d: J v drifts by %.3g per second", br_joint_type_name(type), r,
                     (drift[1][r] - drift[0][r]) / (2 * h));
    rig_free(&rig);
}

static void row_jacobians_are_derivatives_of_mismatches(void **state) {
    (void)state;
    for (int type = 0; type < BR_JOINT_TYPES; type++)
        if (type != BR_JOINT_TENDON) check_jacobian((br_joint_type)type); // a tendon has no rows of its own
}

static void accelerations_keep_rows_at_rest(void **state) {
    (void)state;
    for (int type = 0; type < BR_JOINT_TYPES; type++)
        if (type != BR_JOINT_TENDON) check_rate((br_joint_type)type);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(row_jacobians_are_derivatives_of_mismatches),
                                       cmocka_unit_test(accelerations_keep_rows_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
